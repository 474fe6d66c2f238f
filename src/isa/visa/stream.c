/* Instructions as bytes: opcode, then the fields of the row in their order. Formats: docs/visa.md, "Operands in bytes".
 */
#include "isa/visa/stream.h"

#include <string.h>

void visa_move_index(struct visa_stream *s, uint32_t *index)
{
    uint64_t value = *index;
    wire_uint(s->wire, s->version < 34 ? 2 : 4, &value);
    *index = (uint32_t)value;
}

/* Whether an index of a space is one of the object's. */
static bool index_known(struct visa_stream *s, enum visa_space space, uint32_t index, size_t at, const char *what)
{
    if (!s->object || s->wire->failed)
        return true;
    if (index < visa_first[space] ? visa_name(s->object, space, index) != NULL
                                  : index - visa_first[space] < s->object->nvars[space])
        return true;
    return wire_fail(s->wire, at, "%s %u of %u", what, index, s->object->nvars[space] + visa_first[space]);
}

static void move_narrow(struct visa_stream *s, unsigned bytes, uint32_t *value)
{
    uint64_t wide = *value;
    wire_uint(s->wire, bytes, &wide);
    *value = (uint32_t)wide;
}

/* ---- vector operands -------------------------------------------------------------------------------------- */

static bool predicate_known(struct visa_stream *s, uint16_t word, size_t at)
{
    if (word & 0x1000 || (word & 0x6000) == 0x6000)
        return wire_fail(s->wire, at, "a predicate word of 0x%04X: reserved bits are set", word);
    if (!(word & VISA_PRED_ID))
        return !(word & ~VISA_PRED_NOT) ||
               wire_fail(s->wire, at, "a predicate word of 0x%04X without a predicate", word);
    return index_known(s, VISA_P, word & VISA_PRED_ID, at, "predicate");
}

static void move_predicate_operand(struct visa_stream *s, struct visa_operand *op)
{
    uint16_t word = (uint16_t)op->value;
    wire_u16(s->wire, &word);
    op->value = word;
    op->id = word & VISA_PRED_ID;
}

static void move_indirect(struct visa_stream *s, struct visa_operand *op)
{
    uint16_t bytes = (uint16_t)op->bytes;
    move_narrow(s, 2, &op->id);
    wire_u8(s->wire, &op->element);
    wire_u16(s->wire, &bytes);
    wire_u8(s->wire, &op->type);
    wire_u16(s->wire, &op->region);
    op->bytes = (int16_t)bytes;
}

static void move_immediate(struct visa_stream *s, struct visa_operand *op)
{
    wire_u8(s->wire, &op->type);
    wire_uint(s->wire, op->type < VISA_TYPES && visa_type_bytes(op->type) == 8 ? 8 : 4, &op->value);
}

/* What bytes have for &V32[4]: the general or state operand that is meant. */
static uint8_t class_in_bytes(const struct visa_operand *op)
{
    if (op->class == VISA_ADDRESS_OF)
        return op->space == VISA_G ? VISA_GENERAL : VISA_STATE;
    return op->class;
}

static void move_vector_body(struct visa_stream *s, struct visa_operand *op)
{
    switch (op->class) {
    case VISA_GENERAL:
        visa_move_index(s, &op->id);
        wire_u8(s->wire, &op->row);
        wire_u8(s->wire, &op->column);
        wire_u16(s->wire, &op->region);
        break;
    case VISA_ADDRESS:
        move_narrow(s, 2, &op->id);
        wire_u8(s->wire, &op->element);
        wire_u8(s->wire, &op->width);
        break;
    case VISA_PREDICATE:
        move_predicate_operand(s, op);
        break;
    case VISA_INDIRECT:
        move_indirect(s, op);
        break;
    case VISA_IMMEDIATE:
        move_immediate(s, op);
        break;
    default:
        wire_u8(s->wire, &op->space);
        move_narrow(s, 2, &op->id);
        wire_u8(s->wire, &op->element);
    }
}

static const char *vector_wrong(const struct visa_operand *op)
{
    if (op->modifier >= VISA_MODIFIERS)
        return "no modifier";
    if ((op->class == VISA_IMMEDIATE || op->class == VISA_INDIRECT) && op->type >= VISA_TYPES)
        return "no type";
    if (op->class == VISA_STATE && op->space > 1)
        return "no class of state operand";
    if ((op->class == VISA_GENERAL || op->class == VISA_INDIRECT) &&
        (op->region >> 12 || (op->region & 15) > 7 || (op->region >> 4 & 15) > 7 || (op->region >> 8 & 15) > 7))
        return "no region";
    if (op->class == VISA_ADDRESS && op->width > 5)
        return "no width of an address";
    return NULL;
}

static const enum visa_space spaces[] = {
    [VISA_GENERAL] = VISA_G,  [VISA_ADDRESS] = VISA_A,         [VISA_PREDICATE] = VISA_P,
    [VISA_INDIRECT] = VISA_A, [VISA_ADDRESS_OF] = VISA_SPACES, [VISA_IMMEDIATE] = VISA_SPACES,
};

static bool vector_known(struct visa_stream *s, struct visa_operand *op, size_t at)
{
    const char *wrong = vector_wrong(op);
    if (s->wire->failed)
        return false;
    if (wrong)
        return wire_fail(s->wire, at, "a vector operand that has %s", wrong);
    if (op->class == VISA_PREDICATE)
        return predicate_known(s, (uint16_t)op->value, at);
    if (op->class == VISA_STATE) {
        op->space = op->space ? VISA_S : VISA_T;
        return (op->space == VISA_S && op->id == VISA_BINDLESS_SAMPLER) ||
               index_known(s, op->space, op->id, at, op->space == VISA_T ? "surface" : "sampler");
    }
    if (spaces[op->class] == VISA_SPACES)
        return true;
    return index_known(s, spaces[op->class], op->id, at, "variable");
}

static bool read_vector(struct visa_stream *s, struct visa_operand *op)
{
    size_t at = s->wire->at;
    uint8_t tag = 0;
    wire_u8(s->wire, &tag);
    op->class = tag & 7;
    op->modifier = tag >> 3 & 7;
    if (tag >> 6 || op->class == VISA_ADDRESS_OF || op->class > VISA_STATE)
        return wire_fail(s->wire, at, "a vector operand with the tag 0x%02X", tag);
    move_vector_body(s, op);
    return vector_known(s, op, at);
}

static void write_vector(struct visa_stream *s, const struct visa_operand *given)
{
    struct visa_operand op = *given;
    op.class = class_in_bytes(given);
    uint8_t tag = (uint8_t)(op.class | op.modifier << 3);
    wire_u8(s->wire, &tag);
    if (op.class == VISA_STATE)
        op.space = op.space == VISA_S;
    move_vector_body(s, &op);
}

static void move_vector(struct visa_stream *s, struct visa_operand *op)
{
    if (wire_reads(s->wire))
        read_vector(s, op);
    else
        write_vector(s, op);
}

/* ---- other operands --------------------------------------------------------------------------------------- */

static void move_raw(struct visa_stream *s, struct visa_operand *op)
{
    size_t at = s->wire->at;
    uint16_t bytes = (uint16_t)op->bytes;
    op->class = VISA_RAW;
    visa_move_index(s, &op->id);
    wire_u16(s->wire, &bytes);
    op->bytes = bytes;
    if (wire_reads(s->wire))
        index_known(s, VISA_G, op->id, at, "variable");
}

static void move_indexed(struct visa_stream *s, struct visa_operand *op, enum visa_class class, enum visa_space space,
                         unsigned bytes, const char *what)
{
    size_t at = s->wire->at;
    op->class = (uint8_t) class;
    move_narrow(s, bytes, &op->id);
    if (wire_reads(s->wire) && !(space == VISA_S && op->id == VISA_BINDLESS_SAMPLER))
        index_known(s, space, op->id, at, what);
}

static void move_number(struct visa_stream *s, const struct visa_kind *kind, struct visa_operand *op)
{
    size_t at = s->wire->at;
    op->class = VISA_NUMBER;
    if (s->version < kind->since)
        return;
    wire_uint(s->wire, kind->bytes, &op->value);
    if (wire_reads(s->wire) && !s->wire->failed && kind->count && op->value >= kind->count)
        wire_fail(s->wire, at, "%s %u where there are %u", kind->name, (unsigned)op->value, kind->count);
}

/* FILE and functions: a number of a string. */
static void move_string(struct visa_stream *s, struct visa_operand *op, bool file)
{
    size_t at = s->wire->at;
    op->class = VISA_NUMBER;
    uint32_t index = (uint32_t)op->value;
    if (file)
        visa_move_index(s, &index);
    else
        move_narrow(s, 2, &index);
    op->value = index;
    if (wire_reads(s->wire) && s->object && !s->wire->failed && file && index >= s->object->nstrings)
        wire_fail(s->wire, at, "string %u of %u", index, s->object->nstrings);
}

/* A list of `count` operands, each moved by `move`. */
static struct visa_operand *list_room(struct visa_stream *s, struct visa_operand *op, size_t least)
{
    op->class = VISA_LIST_OF;
    if (!wire_reads(s->wire))
        return (struct visa_operand *)op->list;
    if (!wire_count(s->wire, op->value, least, "operands"))
        return NULL;
    struct visa_operand *list = arena_array(s->arena, op->value + 1, sizeof *list);
    if (!list)
        wire_fail(s->wire, s->wire->at, "no memory");
    op->list = list;
    return list;
}

static void move_list(struct visa_stream *s, struct visa_operand *op, bool labels)
{
    struct visa_operand *list = list_room(s, op, labels ? 2 : 4);
    for (unsigned i = 0; list && i < op->value; i++) {
        if (labels)
            move_indexed(s, &list[i], VISA_LABEL, VISA_L, 2, "label");
        else
            move_raw(s, &list[i]);
    }
}

/* rt_write_3d: header, sample index (mode bit 11), CPS (bit 8), target index (bit 2), then values: 4 and what bits 3-6
 * add (s0 alpha, oM, depth, stencil). */
static void move_targets(struct visa_stream *s, struct visa_operand *op, const struct visa_operand *mode)
{
    uint64_t m = mode->value;
    unsigned vectors = (unsigned)((m >> 11 & 1) + (m >> 8 & 1) + (m >> 2 & 1));
    unsigned values = 4 + (unsigned)((m >> 3 & 1) + (m >> 4 & 1) + (m >> 5 & 1) + (m >> 6 & 1));
    op->value = 1 + vectors + values;
    struct visa_operand *list = list_room(s, op, 1);
    for (unsigned i = 0; list && i < op->value; i++) {
        if (i >= 1 && i <= vectors)
            move_vector(s, &list[i]);
        else
            move_raw(s, &list[i]);
    }
}

/* A variable whose address is meant: row and column become bytes. */
static void address_of(const struct visa_object *object, struct visa_operand *op)
{
    if (op->class != VISA_GENERAL && op->class != VISA_STATE)
        return;
    unsigned size = object ? visa_type_bytes(visa_var_type(object, op->id)) : 0;
    op->bytes = op->class == VISA_GENERAL ? op->row * VISA_GRF + op->column * (int32_t)size : op->element;
    op->space = op->class == VISA_GENERAL ? VISA_G : op->space;
    op->class = VISA_ADDRESS_OF;
}

static void move_exec(struct visa_stream *s, uint8_t *exec)
{
    size_t at = s->wire->at;
    uint8_t byte = (uint8_t)((*exec & 0x80) | (*exec & 0x7F));
    wire_u8(s->wire, &byte);
    *exec = byte;
    if (wire_reads(s->wire) && !s->wire->failed && (byte & 15) > 5)
        wire_fail(s->wire, at, "an execution size of code %u (0 to 5 are 1 to 32 channels)", byte & 15);
}

static void move_constant(struct visa_stream *s, const struct visa_field *field)
{
    uint8_t value = field->value;
    wire_u8(s->wire, &value);
}

static void move_count(struct visa_stream *s, uint64_t *value)
{
    uint8_t count = (uint8_t)*value;
    wire_u8(s->wire, &count);
    *value = count;
}

static void move_predicate(struct visa_stream *s, uint16_t *predicate)
{
    size_t at = s->wire->at;
    wire_u16(s->wire, predicate);
    if (wire_reads(s->wire) && !s->wire->failed)
        predicate_known(s, *predicate, at);
}

static void move_field(struct visa_stream *s, const struct visa_field *field, struct visa_inst *inst)
{
    struct visa_operand *op = &inst->ops[field->operand];
    switch ((enum visa_field_code)field->kind->code) {
    case VISA_FIELD_EXEC:
        move_exec(s, &inst->exec);
        break;
    case VISA_FIELD_PREDICATE:
        move_predicate(s, &inst->predicate);
        break;
    case VISA_FIELD_CONSTANT:
        move_constant(s, field);
        break;
    case VISA_FIELD_COUNT:
        move_count(s, &op->value);
        break;
    case VISA_FIELD_DESTINATION:
    case VISA_FIELD_SOURCE:
        move_vector(s, op);
        if (wire_reads(s->wire) && field->kind->style == VISA_STYLE_ADDRESS)
            address_of(s->object, op);
        break;
    case VISA_FIELD_RAW:
        move_raw(s, op);
        break;
    case VISA_FIELD_SURFACE:
        move_indexed(s, op, VISA_SURFACE, VISA_T, 1, "surface");
        break;
    case VISA_FIELD_SAMPLER:
        move_indexed(s, op, VISA_SAMPLER, VISA_S, 1, "sampler");
        break;
    case VISA_FIELD_LABEL:
        move_indexed(s, op, VISA_LABEL, VISA_L, 2, "label");
        break;
    case VISA_FIELD_FUNCTION:
    case VISA_FIELD_FILE:
        move_string(s, op, field->kind->code == VISA_FIELD_FILE);
        break;
    case VISA_FIELD_LABELS:
    case VISA_FIELD_RAWS:
        move_list(s, op, field->kind->code == VISA_FIELD_LABELS);
        break;
    case VISA_FIELD_TARGETS:
        move_targets(s, op, &inst->ops[field->operand - 2]);
        break;
    case VISA_FIELD_NUMBER:
        move_number(s, field->kind, op);
        break;
    }
}

static void move_fields(struct visa_stream *s, const struct visa_form *form, struct visa_inst *inst)
{
    for (unsigned i = 0; i < form->nfields && !s->wire->failed; i++)
        move_field(s, &form->fields[i], inst);
}

/* A stream cannot be taken up again behind an opcode that nobody knows: there are no lengths. */
static bool read_inst(struct visa_stream *s, struct visa_inst *inst)
{
    struct wire *w = s->wire;
    size_t at = w->at;
    const struct visa_form *form = w->at < w->size ? visa_form_of(s->table, w->bytes + w->at, w->size - w->at) : NULL;
    uint8_t opcode = 0;
    if (!form && w->at < w->size)
        return s->table->of_opcode[w->bytes[at]]
                   ? wire_fail(w, at, "opcode 0x%02X of a sub-opcode that there is not", w->bytes[at])
                   : wire_fail(w, at, "0x%02X is no opcode", w->bytes[at]);
    wire_u8(w, &opcode);
    if (w->failed)
        return false;
    inst->row = form->row;
    inst->nops = form->noperands;
    inst->ops = arena_array(s->arena, (size_t)form->noperands + 1, sizeof *inst->ops);
    if (!inst->ops)
        return wire_fail(w, at, "no memory");
    move_fields(s, form, inst);
    inst->pos = (uint32_t)at;
    inst->length = (uint32_t)(w->at - at);
    return !w->failed;
}

bool visa_move_inst(struct visa_stream *s, struct visa_inst *inst)
{
    if (wire_reads(s->wire))
        return read_inst(s, inst);
    uint8_t opcode = inst->row->opcode;
    wire_u8(s->wire, &opcode);
    move_fields(s, visa_form(s->table, inst->row), inst);
    return !s->wire->failed;
}

/* vISA as text: what Intel's tool writes, and reads again. Forms: docs/visa.md. */
#include "isa/visa/print.h"

#include "isa/visa/atomics.h"

#include <inttypes.h>
#include <string.h>

static const char *const modifiers[VISA_MODIFIERS] = {"", "(abs)", "(-)", "(-abs)", "", "(~)"};

static void put_name(struct text *out, const struct visa_object *o, enum visa_space space, uint32_t index)
{
    static const char letters[VISA_SPACES] = "VAPLSTE";
    const char *name = visa_name(o, space, index);
    if (name && *name)
        text_puts(out, name);
    else
        text_printf(out, "%c%" PRIu32, letters[space], index);
}

/* ---- operands --------------------------------------------------------------------------------------------- */

/* <1;1,0>, <1>, <8,1>: the numbers that a region has. */
static void put_region(struct text *out, unsigned region)
{
    int v = visa_stride(region & 15), w = visa_stride(region >> 4 & 15), h = visa_stride(region >> 8 & 15);
    if (v >= 0)
        text_printf(out, "<%d;%d,%d>", v, w, h);
    else if (w >= 0)
        text_printf(out, "<%d,%d>", w, h);
    else
        text_printf(out, "<%d>", h);
}

void visa_put_bare(struct text *out, const struct visa_object *o, const struct visa_operand *op)
{
    put_name(out, o, VISA_G, op->id);
    text_printf(out, "(%u,%u)", op->row, op->column);
}

static void put_general(struct text *out, const struct visa_object *o, const struct visa_operand *op)
{
    visa_put_bare(out, o, op);
    put_region(out, op->region);
}

static void put_indirect(struct text *out, const struct visa_object *o, const struct visa_operand *op)
{
    text_puts(out, "r[");
    put_name(out, o, VISA_A, op->id);
    text_printf(out, "(%u),%d]", op->element, op->bytes);
    put_region(out, op->region);
    text_printf(out, ":%s", visa_type_names[op->type]);
}

/* Immediates of 8 bytes have all of them; others, what their type has. */
static void put_immediate(struct text *out, const struct visa_operand *op)
{
    text_printf(out, "0x%" PRIx64 ":%s", op->value, visa_type_names[op->type]);
}

static void put_address_of(struct text *out, const struct visa_object *o, const struct visa_operand *op)
{
    text_puts(out, "&");
    put_name(out, o, (enum visa_space)op->space, op->id);
    if (op->bytes)
        text_printf(out, "[%d]", op->bytes);
}

static void put_vector(struct text *out, const struct visa_object *o, const struct visa_operand *op)
{
    text_puts(out, modifiers[op->modifier]);
    switch ((enum visa_class)op->class) {
    case VISA_GENERAL:
        put_general(out, o, op);
        break;
    case VISA_ADDRESS:
        put_name(out, o, VISA_A, op->id);
        text_printf(out, "(%u)<%u>", op->element, 1u << op->width);
        break;
    case VISA_INDIRECT:
        put_indirect(out, o, op);
        break;
    case VISA_ADDRESS_OF:
        put_address_of(out, o, op);
        break;
    case VISA_IMMEDIATE:
        put_immediate(out, op);
        break;
    case VISA_STATE:
        put_name(out, o, (enum visa_space)op->space, op->id);
        text_printf(out, "(%u)", op->element);
        break;
    default:
        put_name(out, o, VISA_P, op->id);
    }
}

static void put_raw(struct text *out, const struct visa_object *o, const struct visa_operand *op)
{
    put_name(out, o, VISA_G, op->id);
    text_printf(out, ".%d", op->bytes);
}

/* ---- numbers ---------------------------------------------------------------------------------------------- */

/* Bits 0-4 the operation, 5 and 6 its width: 01 = 16 bits, 10 = 64. Names that Intel's tool has none for are Atoll's.
 */
static void put_atomic(struct text *out, uint64_t value)
{
    unsigned op = (unsigned)value & 31, width = (unsigned)value >> 5;
    if (visa_atomics[op].name)
        text_puts(out, visa_atomics[op].name);
    else
        text_printf(out, "op%u", op);
    if (width == 1)
        text_puts(out, ".16");
    else if (width == 2)
        text_puts(out, ".64");
    else if (width)
        text_printf(out, ".width%u", width);
}

static void put_channels(struct text *out, uint64_t mask)
{
    for (unsigned i = 0; i < 4; i++)
        if (mask >> i & 1)
            text_add(out, &"RGBA"[i], 1);
    if (!(mask & 15) || mask >> 4)
        text_printf(out, "mask%u", (unsigned)mask);
}

/* Bits 0-3 channels, 4-5 the layout of the result. */
static void put_unorm(struct text *out, uint64_t value)
{
    static const char *const layouts[] = {"16-full", "16-downsampled", "8-full", "8-downsampled"};
    put_channels(out, value & 15);
    text_printf(out, ".%s", layouts[value >> 4 & 3]);
}

static void put_fence(struct text *out, uint64_t mask)
{
    static const struct {
        unsigned bit;
        const char *letter;
    } options[] = {{1, "E"}, {2, "I"}, {4, "S"}, {8, "C"}, {16, "R"}, {64, "L1"}};
    if (mask & 0x80) {
        text_puts(out, mask == 0x80 ? "fence_sw" : "");
        if (mask != 0x80)
            text_printf(out, "fence_mask%u", (unsigned)mask);
        return;
    }
    text_puts(out, mask & 0x20 ? "fence_local" : "fence_global");
    for (unsigned i = 0, first = 1; i < sizeof options / sizeof *options; i++)
        if (mask & options[i].bit) {
            text_printf(out, "%s%s", first ? "." : "", options[i].letter);
            first = 0;
        }
}

/* Bits 0-7 the type of the second source (weights), 8-15 of the third (activations), 16-23 depth, 24-31 count. */
static void put_dpas(struct text *out, uint64_t value)
{
    static const char *const types[] = {"reserved", "u1", "s1", "u2", "s2", "u4", "s4", "u8", "s8", "bf", "hf", "tf32"};
    unsigned w = value & 255, a = value >> 8 & 255, depth = value >> 16 & 255, count = value >> 24 & 255;
    text_printf(out, "%s.%s.%u.%u", w < 12 ? types[w] : types[0], a < 12 ? types[a] : types[0], depth, count);
}

static void put_mask(struct text *out, unsigned exec)
{
    text_printf(out, "(M%u%s, %u)", (exec >> 4 & 7) + 1, exec & VISA_NO_MASK ? "_NM" : "", visa_exec_channels(exec));
}

/* The byte of the first gathers: bits 0-3 0 = 8 channels, 1 = 16, 2 = 1. */
static void put_old_exec(struct text *out, uint64_t value)
{
    static const uint8_t sizes[] = {3, 4, 0};
    unsigned size = value & 15;
    put_mask(out, (unsigned)(value & 0xF0) | (size < 3 ? sizes[size] : 0));
}

/* .<SI><RTI>, in the order of their bits. */
static void put_target(struct text *out, uint64_t mode)
{
    for (unsigned bit = 0, any = 0; bit < 16; bit++)
        if (mode >> bit & 1 && visa_target_word(bit)) {
            text_printf(out, "%s<%s>", any ? "" : ".", visa_target_word(bit));
            any = 1;
        }
}

static void put_lifetime(struct text *out, uint64_t value)
{
    text_puts(out, value & 1 ? "end" : "start");
}

static void put_number(struct text *out, const struct visa_object *o, const struct visa_kind *kind,
                       const struct visa_operand *op)
{
    const char *word = visa_word(kind, op->value);
    switch ((enum visa_style)kind->style) {
    case VISA_STYLE_WORDS:
        text_printf(out, word ? "%s" : "?%.0s%u", word ? word : "", (unsigned)op->value);
        break;
    case VISA_STYLE_HEX:
        text_printf(out, kind->bytes == 1 ? "x%02" PRIX64 : "0x%" PRIx64, op->value);
        break;
    case VISA_STYLE_CHANNELS:
        put_channels(out, op->value);
        break;
    case VISA_STYLE_UNORM:
        put_unorm(out, op->value);
        break;
    case VISA_STYLE_ATOMIC:
        put_atomic(out, op->value);
        break;
    case VISA_STYLE_FENCE:
        put_fence(out, op->value);
        break;
    case VISA_STYLE_DPAS:
        put_dpas(out, op->value);
        break;
    case VISA_STYLE_OLD_EXEC:
        put_old_exec(out, op->value);
        break;
    case VISA_STYLE_VARIABLE:
        /* the number before it says whose space it is of */
        put_name(out, o, op[-1].value >> 4 & 3 ? (op[-1].value >> 4 & 3) == 1 ? VISA_A : VISA_P : VISA_G,
                 (uint32_t)op->value);
        break;
    case VISA_STYLE_TARGET:
        put_target(out, op->value);
        break;
    case VISA_STYLE_LIFETIME:
        put_lifetime(out, op->value);
        break;
    default:
        text_printf(out, "%" PRIu64, op->value);
    }
}

/* ---- fields ----------------------------------------------------------------------------------------------- */

void visa_put_quoted(struct text *out, const char *string)
{
    text_puts(out, "\"");
    for (const unsigned char *at = (const unsigned char *)string; *at; at++) {
        if (*at == '"' || *at == '\\')
            text_printf(out, "\\%c", *at);
        else if (*at < ' ' || *at >= 0x7F)
            text_printf(out, "\\x%02X", *at);
        else
            text_add(out, (const char *)at, 1);
    }
    text_puts(out, "\"");
}

/* Quoted where it begins a function, and where it is no plain name; before a colon it stands as it is. */
static void put_label(struct text *out, const struct visa_object *o, const struct visa_inst *inst,
                      const struct visa_operand *op)
{
    const struct visa_var *label = visa_declared(o, VISA_L, op->id);
    const char *name = label ? o->strings[label->name] : NULL;
    bool function = inst->row == &visa_rows[VISA_ROW_subroutine],
         before_colon = inst->row == &visa_rows[VISA_ROW_label];
    if (name && (function || (!before_colon && !visa_plain_name(name))))
        visa_put_quoted(out, name);
    else
        put_name(out, o, VISA_L, op->id);
}

static void put_list(struct text *out, const struct visa_object *o, const struct visa_inst *inst,
                     const struct visa_operand *op, unsigned code)
{
    text_puts(out, code == VISA_FIELD_LABELS ? "(" : "");
    for (unsigned i = 0; i < op->value; i++) {
        const struct visa_operand *one = &op->list[i];
        text_puts(out, code == VISA_FIELD_LABELS ? i ? "," : "" : " ");
        if (code == VISA_FIELD_LABELS)
            put_label(out, o, inst, one);
        else if (one->class == VISA_RAW)
            put_raw(out, o, one);
        else
            put_vector(out, o, one);
    }
    text_puts(out, code == VISA_FIELD_LABELS ? ")" : "");
}

/* A function's name has quotes only where it needs them. */
static void put_string(struct text *out, const struct visa_object *o, uint64_t index, unsigned code)
{
    const char *string = index < o->nstrings ? o->strings[index] : "";
    if (code == VISA_FIELD_FILE || !visa_plain_name(string))
        visa_put_quoted(out, string);
    else
        text_puts(out, string);
}

static void put_field(struct text *out, const struct visa_object *o, const struct visa_inst *inst,
                      const struct visa_field *field)
{
    const struct visa_operand *op = &inst->ops[field->operand];
    switch ((enum visa_field_code)field->kind->code) {
    case VISA_FIELD_DESTINATION:
    case VISA_FIELD_SOURCE:
        if (field->kind->style == VISA_STYLE_BARE && op->class == VISA_GENERAL)
            visa_put_bare(out, o, op);
        else
            put_vector(out, o, op);
        break;
    case VISA_FIELD_RAW:
        if (inst->row->is & VISA_IS_LSC)
            visa_put_raw_name(out, o, op);
        else
            put_raw(out, o, op);
        break;
    case VISA_FIELD_SURFACE:
        put_name(out, o, VISA_T, op->id);
        break;
    case VISA_FIELD_SAMPLER:
        put_name(out, o, VISA_S, op->id);
        break;
    case VISA_FIELD_LABEL:
        put_label(out, o, inst, op);
        break;
    case VISA_FIELD_FUNCTION:
    case VISA_FIELD_FILE:
        put_string(out, o, op->value, field->kind->code);
        break;
    case VISA_FIELD_LABELS:
    case VISA_FIELD_RAWS:
    case VISA_FIELD_TARGETS:
        put_list(out, o, inst, op, field->kind->code);
        break;
    case VISA_FIELD_NUMBER:
        put_number(out, o, field->kind, op);
        break;
    default:
        break;
    }
}

/* ---- composites ------------------------------------------------------------------------------------------- */

void visa_put_predicate(struct text *out, const struct visa_object *o, unsigned word)
{
    if (!(word & VISA_PRED_ID)) {
        text_puts(out, word & VISA_PRED_NOT ? "(!) " : ""); /* Atoll's own: no predicate, inverted */
        return;
    }
    text_puts(out, word & VISA_PRED_NOT ? "(!" : "(");
    put_name(out, o, VISA_P, word & VISA_PRED_ID);
    text_puts(out, word & VISA_PRED_ANY ? ".any) " : word & VISA_PRED_ALL ? ".all) " : ") ");
}

static void put_composite(struct text *out, const struct visa_printing *p, const struct visa_piece *piece)
{
    const struct visa_inst *inst = p->inst;
    if (*piece->text == 'P')
        visa_put_predicate(out, p->object, inst->predicate);
    else if (*piece->text == 'E')
        put_mask(out, inst->exec);
    else if (memcmp(piece->text, "sat", 3) == 0)
        text_puts(out, inst->ops[0].modifier == VISA_SATURATE ? ".sat" : "");
    else
        visa_print_lsc(out, p, piece);
}

static void put_piece(struct text *out, const struct visa_printing *p, const struct visa_piece *piece)
{
    if (piece->code == VISA_PIECE_LITERAL && p->fc)
        text_puts(out, "fc"); /* fccall */
    if (piece->code == VISA_PIECE_LITERAL || piece->code == VISA_PIECE_BLANK)
        text_add(out, piece->text, piece->length);
    else if (piece->code == VISA_PIECE_FIELD)
        put_field(out, p->object, p->inst, &p->form->fields[piece->field]);
    else
        put_composite(out, p, piece);
}

void visa_print_inst(const struct visa_object *object, const struct visa_inst *inst, struct text *out)
{
    struct visa_printing p = {object, inst, NULL, false};
    const struct visa_table *table = visa_table(NULL);
    out->failed = out->failed || !table;
    if (!table)
        return;
    p.form = visa_form(table, inst->row);
    const struct visa_var *called =
        inst->row == &visa_rows[VISA_ROW_call] ? visa_declared(object, VISA_L, inst->ops[0].id) : NULL;
    p.fc = called && called->kind == VISA_LABEL_FC;
    for (unsigned i = 0; i < p.form->npieces; i++)
        put_piece(out, &p, &p.form->pieces[i]);
}

void visa_put_raw_name(struct text *out, const struct visa_object *o, const struct visa_operand *op)
{
    put_name(out, o, VISA_G, op->id);
    if (op->bytes)
        text_printf(out, ".%d", op->bytes);
}

void visa_put_vector(struct text *out, const struct visa_object *o, const struct visa_operand *op)
{
    put_vector(out, o, op);
}

/* A field of a template, by its role. Words of which one is nothing, and lists, stand right behind what is before them.
 */
static void put_place(struct text *out, const struct visa_field *f)
{
    bool optional = f->kind->style == VISA_STYLE_TARGET || (f->kind->style == VISA_STYLE_WORDS && !*f->kind->words[0]);
    bool list = f->kind->code == VISA_FIELD_RAWS || f->kind->code == VISA_FIELD_TARGETS;
    if (f->kind->style == VISA_STYLE_FENCE)
        text_printf(out, "fence_%s", f->role);
    else if (f->kind->code == VISA_FIELD_LABELS)
        text_printf(out, "(%s...)", f->role);
    else
        text_printf(out, optional ? "[.%s]" : list ? " %s..." : "%s", f->role);
}

void visa_put_template(struct text *out, const struct visa_form *form)
{
    for (unsigned i = 0; i < form->npieces; i++) {
        const struct visa_piece *p = &form->pieces[i];
        if (p->code == VISA_PIECE_LITERAL || p->code == VISA_PIECE_BLANK)
            text_add(out, p->text, p->length);
        else if (p->code == VISA_PIECE_FIELD)
            put_place(out, &form->fields[p->field]);
        else if (*p->text == 'P')
            text_puts(out, "[(P)] ");
        else if (*p->text == 'E')
            text_puts(out, "(M1, N)");
        else
            text_printf(out, memcmp(p->text, "sat", 3) == 0 ? "[.%.*s]" : "<%.*s>", (int)p->length, p->text);
    }
}

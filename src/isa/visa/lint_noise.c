/* Instructions made of noise: what a row writes as bytes and as text is read back from both. */
#include "isa/diag.h"
#include "isa/visa/family.h"
#include "isa/visa/parse.h"
#include "isa/visa/stream.h"

#include <string.h>

enum { TRIES = 40 };

static uint32_t draw(uint64_t *noise, uint32_t n)
{
    *noise = *noise * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*noise >> 33) % n;
}

static unsigned some_region(uint64_t *noise, bool destination)
{
    unsigned h = 1 + draw(noise, 4);
    if (destination)
        return visa_region(0, 0, h == 1 ? 2 : h);
    return visa_region(1 + draw(noise, 7), 2 + draw(noise, 5), h);
}

static void general(struct visa_operand *op, uint64_t *noise, bool destination, bool modified)
{
    *op = (struct visa_operand){.class = VISA_GENERAL,
                                .id = VISA_FIRST_G + draw(noise, 1000),
                                .row = (uint8_t)draw(noise, 8),
                                .column = (uint8_t)draw(noise, 8),
                                .region = (uint16_t)some_region(noise, destination)};
    if (!destination && modified)
        op->modifier = (uint8_t)draw(noise, VISA_NEG_ABS + 1);
}

static void immediate(struct visa_operand *op, uint64_t *noise)
{
    static const uint8_t types[] = {VISA_UD, VISA_D, VISA_UW, VISA_W, VISA_F};
    *op = (struct visa_operand){
        .class = VISA_IMMEDIATE, .type = types[draw(noise, sizeof types)], .value = draw(noise, 0x10000)};
}

/* The values that a number of this kind is written for; 0: they depend on others. */
static uint32_t values_of(const struct visa_kind *kind)
{
    switch ((enum visa_style)kind->style) {
    case VISA_STYLE_WORDS: /* what has no dot is part of the mnemonic, which the text has once */
        return *kind->words[0] || kind->words[1][0] == '.' ? kind->count : 1;
    case VISA_STYLE_CHANNELS:
        return 16;
    case VISA_STYLE_ATOMIC:
        return 13;
    case VISA_STYLE_DECIMAL:
        return 8;
    default:
        return 0;
    }
}

/* Modifiers are of instructions that compute by their default text. */
static bool some_vector(const struct visa_inst *inst, const struct visa_field *field, struct visa_operand *op,
                        uint64_t *noise)
{
    bool destination = field->kind->code == VISA_FIELD_DESTINATION;
    unsigned classes = visa_text_classes(inst->row, inst, field);
    if (field->kind->style != VISA_STYLE_NONE || !(classes >> VISA_GENERAL & 1))
        return false;
    if (classes >> VISA_IMMEDIATE & 1 && draw(noise, 3) == 0)
        immediate(op, noise);
    else
        general(op, noise, destination, !inst->row->text && inst->row->is & VISA_IS_ALU);
    return true;
}

/* False: rows with such a field are not tried. */
static bool some_operand(const struct visa_inst *inst, const struct visa_field *field, struct visa_operand *op,
                         uint64_t *noise)
{
    const struct visa_kind *kind = field->kind;
    switch ((enum visa_field_code)kind->code) {
    case VISA_FIELD_DESTINATION:
    case VISA_FIELD_SOURCE:
        return some_vector(inst, field, op, noise);
    case VISA_FIELD_RAW:
        *op = (struct visa_operand){
            .class = VISA_RAW, .id = VISA_FIRST_G + draw(noise, 1000), .bytes = (int32_t)draw(noise, 4) * 32};
        return true;
    case VISA_FIELD_SURFACE:
        *op = (struct visa_operand){.class = VISA_SURFACE, .id = VISA_FIRST_T + draw(noise, 20)};
        return true;
    case VISA_FIELD_SAMPLER:
        *op = (struct visa_operand){.class = VISA_SAMPLER, .id = draw(noise, 8)};
        return true;
    case VISA_FIELD_NUMBER: {
        uint32_t values = values_of(kind), least = kind->style == VISA_STYLE_CHANNELS;
        *op = (struct visa_operand){.class = VISA_NUMBER, .value = values ? least + draw(noise, values - least) : 0};
        return values != 0;
    }
    default:
        return false;
    }
}

/* Whether the text has the field: what it leaves out keeps the value 0. */
static bool in_text(const struct visa_form *form, unsigned field)
{
    for (unsigned i = 0; i < form->npieces; i++)
        if (form->pieces[i].code == VISA_PIECE_FIELD && form->pieces[i].field == field)
            return true;
    return false;
}

static bool some_inst(const struct visa_form *form, struct visa_inst *inst, struct visa_operand *ops, uint64_t *noise)
{
    *inst = (struct visa_inst){.row = form->row, .ops = ops, .nops = form->noperands};
    for (unsigned i = 0; i < form->nfields; i++) {
        const struct visa_field *f = &form->fields[i];
        if (f->kind->code == VISA_FIELD_EXEC)
            inst->exec = (uint8_t)(draw(noise, 4) | draw(noise, 4) << 5 | (draw(noise, 2) ? VISA_NO_MASK : 0));
        else if (f->kind->code == VISA_FIELD_PREDICATE)
            inst->predicate = (uint16_t)(draw(noise, 2) ? 1 + draw(noise, 9) : 0);
        else if (*f->role && f->kind->code == VISA_FIELD_NUMBER && !in_text(form, i))
            ops[f->operand] = (struct visa_operand){.class = VISA_NUMBER};
        else if (*f->role && (!in_text(form, i) || !some_operand(inst, f, &ops[f->operand], noise)))
            return false;
    }
    return true;
}

static bool write_inst(const struct visa_table *table, struct arena *arena, struct visa_inst *inst, struct text *out)
{
    struct wire wire = {.out = out};
    struct visa_stream s = {.wire = &wire, .arena = arena, .version = VISA_VERSION, .table = table};
    return visa_move_inst(&s, inst) && text_ok(out);
}

/* NULL: it came back both ways. */
static const char *try_inst(const struct visa_table *table, struct arena *arena, struct visa_inst *inst,
                            struct text *written)
{
    static const struct visa_object nameless;
    struct text bytes = {0}, again = {0};
    struct visa_inst read = {0};
    struct visa_object object = {0};
    const char *wrong = NULL;
    bool ok = write_inst(table, arena, inst, &bytes);
    struct wire wire = {.bytes = (const uint8_t *)bytes.bytes, .size = bytes.length};
    struct visa_stream s = {.wire = &wire, .arena = arena, .version = VISA_VERSION, .table = table};
    if (!ok || !visa_move_inst(&s, &read) || wire.at != bytes.length || read.row != inst->row)
        wrong = "is not read back from its bytes";
    visa_print_inst(&nameless, inst, written);
    struct diag diag = {.source = written->bytes, .size = written->length};
    if (!wrong && (!visa_parse_line(arena, &diag, &object) || diag.errors || object.ninsts != 1 ||
                   !write_inst(table, arena, &object.insts[0], &again) || again.length != bytes.length ||
                   memcmp(again.bytes, bytes.bytes, bytes.length) != 0))
        wrong = "is not read back from its text";
    text_free(&bytes);
    text_free(&again);
    return wrong;
}

/* Composites of LSC write several fields at once, and not every mixture of them: the corpora show those. */
unsigned visa_lint_noise(const struct visa_table *table, const struct visa_form *form, struct text *out)
{
    uint64_t noise = form->row->opcode;
    for (unsigned i = 0; i < TRIES && !(form->row->is & VISA_IS_LSC); i++) {
        struct visa_operand ops[VISA_OPERANDS] = {0};
        struct visa_inst inst;
        struct arena arena = {0};
        struct text written = {0};
        const char *wrong = some_inst(form, &inst, ops, &noise) ? try_inst(table, &arena, &inst, &written) : NULL;
        if (wrong)
            text_printf(out, "%s (0x%02X): %s: %s\n", form->row->name, form->row->opcode, written.bytes, wrong);
        text_free(&written);
        arena_free(&arena);
        if (wrong)
            return 1;
    }
    return 0;
}

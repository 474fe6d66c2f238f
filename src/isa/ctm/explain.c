/* `explain` for R580: operations, fields and statements by their names, instructions of text or words taken apart. */
#include "isa/ctm/explain.h"

#include "base/text.h"
#include "isa/ctm/parse.h"
#include "isa/ctm/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FOUND = 8, UNITS_OF_OPS = 4 };

/* Where operations are named. */
static const struct {
    const struct ctm_op_row *rows;
    unsigned count;
    enum ctm_field field;
    const char *unit;
} tables[UNITS_OF_OPS] = {
    {ctm_rgb_ops, CTM_OPS, CTM_RGB_OP, "RGB"},
    {ctm_alpha_ops, CTM_OPS, CTM_ALPHA_OP, "alpha"},
    {ctm_tex_ops, CTM_TEX_OPS, CTM_TEX_INST, "TEX"},
    {ctm_fc_ops, CTM_FC_OPS, CTM_FC_OP, "FC"},
};

struct explained {
    struct {
        uint8_t table, number;
    } op[FOUND];
    unsigned nops;
    enum ctm_field field;         /* CTM_FIELDS: none */
    enum ctm_statement statement; /* CTM_RAW: none */
    bool is_inst;
    struct ctm_inst inst;
};

/* ---- finding ---------------------------------------------------------------------------------------------- */

static void add_op(struct explained *e, unsigned table, unsigned number)
{
    if (e->nops == FOUND)
        return;
    e->op[e->nops].table = (uint8_t)table;
    e->op[e->nops++].number = (uint8_t)number;
}

static void find_ops(struct explained *e, const char *name, size_t length)
{
    for (unsigned t = 0; t < UNITS_OF_OPS; t++) {
        unsigned number = ctm_op_find(tables[t].rows, tables[t].count, name, length);
        if (number < tables[t].count)
            add_op(e, t, number);
    }
}

static bool is_name(const char *text, size_t length, const char *name)
{
    return strlen(name) == length && strncasecmp(text, name, length) == 0;
}

/* A field by its name, or by that of one of its values. */
static enum ctm_field find_field(const char *name, size_t length)
{
    for (unsigned f = 0; f < CTM_FIELDS; f++)
        if (is_name(name, length, ctm_fields[f].name))
            return (enum ctm_field)f;
    for (unsigned f = 0; f < CTM_FIELDS && memchr(name, '_', length); f++) {
        const char *const *values = ctm_field_values((enum ctm_field)f);
        for (; values && *values; values++)
            for (const char *at = *values; *at; at += strspn(at, " ;")) {
                size_t word = strcspn(at, " ;");
                if (word == length && strncasecmp(at, name, length) == 0)
                    return (enum ctm_field)f;
                at += word;
            }
    }
    return CTM_FIELDS;
}

static enum ctm_statement find_statement(const char *name, size_t length)
{
    for (unsigned s = CTM_RAW + 1; s < CTM_STATEMENTS; s++)
        if (is_name(name, length, ctm_statement_names[s]))
            return (enum ctm_statement)s;
    return CTM_RAW;
}

static bool find_name(struct explained *e, const char *name, size_t length)
{
    find_ops(e, name, length);
    e->field = e->nops ? CTM_FIELDS : find_field(name, length);
    e->statement = find_statement(name, length);
    return e->nops || e->field != CTM_FIELDS || e->statement != CTM_RAW;
}

/* Six words in hexadecimal. */
static bool take_words(const char *text, struct ctm_inst *inst)
{
    for (unsigned i = 0; i < CTM_WORDS; i++) {
        char *end;
        text += strspn(text, " \t");
        if (!isxdigit((unsigned char)*text))
            return false;
        unsigned long long word = strtoull(text, &end, 16);
        if (end == text || end - text > 10 || word > UINT32_MAX || (*end && *end != ' ' && *end != '\t'))
            return false;
        inst->word[i] = (uint32_t)word;
        text = end;
    }
    return !text[strspn(text, " \t")];
}

static void take_ops(struct explained *e)
{
    switch ((enum ctm_type)ctm_get(&e->inst, CTM_TYPE)) {
    case CTM_TYPE_ALU:
    case CTM_TYPE_OUTPUT:
        add_op(e, 0, ctm_get(&e->inst, CTM_RGB_OP));
        add_op(e, 1, ctm_get(&e->inst, CTM_ALPHA_OP));
        break;
    case CTM_TYPE_TEX:
        add_op(e, 2, ctm_get(&e->inst, CTM_TEX_INST));
        break;
    case CTM_TYPE_FC:
        add_op(e, 3, ctm_get(&e->inst, CTM_FC_OP));
        break;
    }
}

bool ctm_explains(const char *instruction)
{
    struct explained e = {.field = CTM_FIELDS};
    size_t length = strspn(instruction, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    if (!instruction[length] && memchr(instruction, '_', length) && find_name(&e, instruction, length))
        return true;
    return take_words(instruction, &e.inst) || ctm_takes_text(instruction, strlen(instruction));
}

/* ---- what is said ----------------------------------------------------------------------------------------- */

static void write_instruction(const struct explained *e, struct text *out)
{
    char line[ISA_TEXT];
    if (!e->is_inst)
        return;
    ctm_print_inst(&e->inst, line);
    text_printf(out, "%s\n", line);
    for (unsigned i = 0; i < CTM_WORDS; i++)
        text_printf(out, "%s%08x", i ? " " : "", e->inst.word[i]);
    text_puts(out, "\n");
}

static void put_form(const struct ctm_op_row *row, unsigned table, struct text *out)
{
    static const char *const operands[] = {"", "A", "A, B", "A, B, C"};
    if (table == 2 && row == &ctm_tex_ops[CTM_TEX_NOP])
        text_puts(out, "TEX_INST_NOP acquire\n");
    else if (table == 2 && row == &ctm_tex_ops[CTM_TEX_KILL])
        text_puts(out, "KILL_LT_0(r1.rg)\n");
    else if (table == 2)
        text_printf(out, "r0 = %s(s0, r1.rgba%s).rgba unscaled wait acquire\n", row->name,
                    row == &ctm_tex_ops[CTM_TEX_DXDY] ? ", r2.rgba, r3.rgba" : "");
    if (table == 3)
        text_printf(out, "FC %s func=0x0f any else a=push b0=incr b1=decr pop=1 int=2 bool=3 addr=9\n", row->name);
    if (table > 1 || !row->guide)
        return;
    if (strcmp(row->name, "MAD") == 0)
        text_puts(out, "r0 = A * B + C; A * B; A + C\n");
    for (const char *c = row->name; *c; c++)
        text_printf(out, "%s%c", c == row->name ? "r0 = " : "", tolower((unsigned char)*c));
    text_printf(out, "(%s)\n", operands[row->args]);
}

static void write_text(const struct explained *e, struct text *out)
{
    static const char *const statements[CTM_STATEMENTS] = {
        [CTM_IF] = "IF alu; IF !p.r; IF b0",
        [CTM_ELSE] = "ELSE",
        [CTM_ENDIF] = "ENDIF",
        [CTM_LOOP] = "LOOP i0",
        [CTM_ENDLOOP] = "ENDLOOP",
        [CTM_REP] = "REP i0",
        [CTM_ENDREP] = "ENDREP",
        [CTM_BREAK] = "BREAK; BREAK IF alu",
        [CTM_CONTINUE] = "CONTINUE; CONTINUE IF alu",
        [CTM_CALL] = "CALL label; CALL label IF b0",
        [CTM_RETURN] = "RETURN",
    };
    for (unsigned i = 0; i < e->nops && !e->is_inst; i++)
        put_form(&tables[e->op[i].table].rows[e->op[i].number], e->op[i].table, out);
    if (e->statement != CTM_RAW)
        text_printf(out, "%s\n", statements[e->statement]);
}

static void write_meaning(const struct explained *e, struct text *out)
{
    for (unsigned i = 0; i < e->nops; i++) {
        const struct ctm_op_row *row = &tables[e->op[i].table].rows[e->op[i].number];
        text_printf(out, "%s %s: %s\n", tables[e->op[i].table].unit, row->name, row->means);
    }
    if (e->field != CTM_FIELDS)
        text_printf(out, "%s\n", ctm_field_means(e->field));
    if (e->statement != CTM_RAW) {
        struct ctm_inst inst = {{CTM_TYPE_FC}};
        char line[ISA_TEXT];
        const struct ctm_flow_words words = {.func = e->statement == CTM_IF ? CTM_FUNC_ALU : CTM_FUNC_ALWAYS,
                                             .depth = 1};
        ctm_flow_words(e->statement, &words, &inst);
        ctm_print_inst(&inst, line);
        text_printf(out, "%s, with its own target and depth\n", line);
    }
}

static bool has_op(const struct explained *e, unsigned table, unsigned low, unsigned high)
{
    for (unsigned i = 0; i < e->nops; i++)
        if (e->op[i].table == table && e->op[i].number >= low && e->op[i].number <= high)
            return true;
    return false;
}

static void write_rules(const struct explained *e, struct text *out)
{
    if (has_op(e, 1, CTM_ALPHA_DP, CTM_ALPHA_DP))
        text_puts(out, "alpha's DP goes with RGB's DP3, DP4 or D2A alone (guide p.32)\n");
    if (has_op(e, 0, CTM_RGB_SOP, CTM_RGB_SOP))
        text_puts(out, "RGB's SOP goes with EX2, LN2, RCP, RSQ, SIN or COS of alpha alone (guide p.32)\n");
    if (e->field == CTM_RGB_OMOD || e->field == CTM_ALPHA_OMOD)
        text_puts(out, "DISABLED is for MIN, MAX, CND and CMP alone (guide p.33); all others make NaN 0x7fffffff and "
                       "denormals zero\n");
    if (has_op(e, 2, CTM_TEX_LOOKUP, CTM_TEX_UNCACHED))
        text_puts(out,
                  "coordinates, masks and predicate are taken at once, the result is written late: set acquire on it "
                  "or a later lookup, wait where it is used (guide p.37)\n");
    if (e->field == CTM_NOP)
        text_puts(out, "where presubtract reads what the ALU instruction before has written (guide p.30)\n");
}

static void put_value(enum ctm_field field, unsigned value, struct text *out)
{
    const char *const *values = ctm_field_values(field);
    for (unsigned t = 0; t < UNITS_OF_OPS; t++)
        if (tables[t].field == field && tables[t].rows[value].guide)
            text_printf(out, " %s", tables[t].rows[value].guide);
    for (unsigned i = 0; values && values[i]; i++)
        if (i == value)
            text_printf(out, " %s", values[i]);
}

static void put_field(enum ctm_field field, struct text *out)
{
    const struct ctm_field_row *f = &ctm_fields[field];
    text_printf(out, "W%u %u", f->word, f->high);
    if (f->high != f->low)
        text_printf(out, ":%u", f->low);
    text_printf(out, " %s", f->name);
}

/* Of an instruction the fields that are not 0; else those that the name means, with their values. */
static void write_bits(const struct explained *e, struct text *out)
{
    unsigned type = ctm_get(&e->inst, CTM_TYPE);
    for (unsigned f = 0; f < CTM_FIELDS && e->is_inst; f++) {
        unsigned value = ctm_get(&e->inst, (enum ctm_field)f);
        if ((!value && f != CTM_TYPE) || !ctm_field_of((enum ctm_field)f, (enum ctm_type)type))
            continue;
        put_field((enum ctm_field)f, out);
        text_printf(out, " = %u", value);
        put_value((enum ctm_field)f, value, out);
        text_puts(out, "\n");
    }
    for (unsigned w = 0; w < CTM_WORDS && e->is_inst; w++)
        if (e->inst.word[w] & ctm_reserved_bits((enum ctm_type)type, w))
            text_printf(out, "W%u reserved = 0x%08x\n", w, e->inst.word[w] & ctm_reserved_bits((enum ctm_type)type, w));
    for (unsigned i = 0; i < e->nops && !e->is_inst; i++) {
        put_field(tables[e->op[i].table].field, out);
        text_printf(out, " = %u\n", e->op[i].number);
    }
    if (e->field == CTM_FIELDS)
        return;
    put_field(e->field, out);
    text_puts(out, "\n");
    for (unsigned i = 0; ctm_field_values(e->field) && ctm_field_values(e->field)[i]; i++)
        if (i <= UINT32_MAX >> (31 - ctm_fields[e->field].high + ctm_fields[e->field].low))
            text_printf(out, "  %u %s\n", i, ctm_field_values(e->field)[i]);
}

static void put_set(const struct ctm_set *set, unsigned count, const char *what, const char *prefix, bool indexed,
                    struct text *out)
{
    bool any = false;
    for (unsigned i = 0; i < count; i++)
        if (ctm_has(set, i)) {
            text_printf(out, "%s %s%u", any ? "," : what, prefix, i);
            any = true;
        }
    text_puts(out, any ? indexed ? ", some of these plus aL\n" : "\n" : "");
}

static void write_uses(const struct explained *e, struct text *out)
{
    struct ctm_uses uses = {0};
    if (!e->is_inst)
        return;
    ctm_uses(&e->inst, &uses);
    put_set(&uses.temps_read, CTM_TEMPS, "reads", "r", uses.temps_indexed, out);
    put_set(&uses.floats, CTM_FLOATS, "reads", "c", uses.floats_indexed, out);
    put_set(&uses.temps_written, CTM_TEMPS, "writes", "r", uses.temps_indexed, out);
}

static void put_choice(const char *name, struct text *out)
{
    const char *choice = name ? ctm_choice(name) : NULL;
    if (choice)
        text_printf(out, "%s: %s\n", name, choice);
}

static void write_choices(const struct explained *e, struct text *out)
{
    for (unsigned i = 0; i < e->nops; i++)
        put_choice(tables[e->op[i].table].rows[e->op[i].number].guide, out);
    if (e->field != CTM_FIELDS)
        put_choice(ctm_fields[e->field].name, out);
    if (e->statement != CTM_RAW)
        put_choice(ctm_statement_names[e->statement], out);
}

static void write_sources(const struct explained *e, struct text *out)
{
    (void)e;
    text_puts(out,
              "docs/ctm.md: Instruction words, Text, Statements, The ALU, Flow control, Lookups and the semaphore, "
              "Choices\n");
}

static const struct family_fact facts[] = {{"Instruction", write_instruction},
                                           {"Text", write_text},
                                           {"Meaning", write_meaning},
                                           {"Rules", write_rules},
                                           {"Uses", write_uses},
                                           {"Bits", write_bits},
                                           {"Choices", write_choices},
                                           {"Sources", write_sources},
                                           {0}};

static const char *summary_of(const struct explained *e)
{
    static const char *const of_tables[] = {"computes r, g, b", "computes a", "reads an input, or deals with lookups",
                                            "flow control"};
    if (e->is_inst)
        return "an instruction of R580";
    if (e->nops)
        return of_tables[e->op[0].table];
    return e->field != CTM_FIELDS ? "a field of R580's words" : "a statement: a flow instruction with its place";
}

bool ctm_explain(const char *instruction, unsigned machine, struct arena *arena, struct family_explained *found,
                 struct atoll_error *error)
{
    struct explained *e = arena_alloc(arena, sizeof *e);
    (void)machine;
    if (!e)
        return error_memory(error);
    e->field = CTM_FIELDS;
    instruction += strspn(instruction, " \t");
    size_t length = strcspn(instruction, " \t\n");
    bool alone = !instruction[length + strspn(instruction + length, " \t\n")];
    if (!alone || !find_name(e, instruction, length)) {
        e->is_inst =
            take_words(instruction, &e->inst) || ctm_parse_inst(instruction, strlen(instruction), &e->inst, error);
        if (!e->is_inst && alone)
            return error_set(error, ATOLL_INPUT, "'%.*s' is no operation, field or statement of R580",
                             (int)(length < 60 ? length : 60), instruction);
        if (!e->is_inst)
            return false;
        take_ops(e);
    }
    const char *name = e->is_inst ? ctm_type_names[ctm_get(&e->inst, CTM_TYPE)] : instruction;
    *found = (struct family_explained){.name = name,
                                       .length = e->is_inst ? strlen(name) : length,
                                       .summary = summary_of(e),
                                       .what = e,
                                       .facts = facts};
    return true;
}

/* ALU and OUTPUT words as text. A word can be written in several ways - its units joined or apart, sources as the
 * reader would lay them or as they lie - of which the first that reads back to the word is taken (print.c). */
#include "isa/ctm/print.h"

#include <string.h>

struct alu_printer {
    struct isa_writer *w;
    const struct ctm_inst *inst;
    bool sources;  /* src(...) is written: operands are named by what lies there */
    bool uncached; /* names of outputs */
    unsigned type;
};

static unsigned get(const struct alu_printer *a, enum ctm_field field)
{
    return ctm_get(a->inst, field);
}

static void put_letters(struct isa_writer *w, const uint8_t *letter, unsigned count)
{
    bool same = true;
    for (unsigned i = 1; i < count; i++)
        same = same && letter[i] == letter[0];
    writer_char(w, '.');
    for (unsigned i = 0; i < (same ? 1 : count); i++)
        writer_char(w, CTM_LETTERS[letter[i]]);
}

/* ---- operands --------------------------------------------------------------------------------------------- */

/* The swizzle of an operand of the units in `units` (a bit each); returns the number of letters. */
static unsigned letters_of(const struct alu_printer *a, unsigned units, unsigned arg, uint8_t letter[CTM_CHANNELS])
{
    unsigned count = 0;
    for (unsigned u = 0; u < CTM_UNITS; u++)
        for (unsigned c = 0; c < CTM_CHANNELS; c++)
            if (units >> u & 1 && ctm_units[u].channels >> c & 1)
                letter[count++] = (uint8_t)get(a, ctm_units[u].swizzle[arg][c]);
    return count;
}

/* Which units' addresses letters ask for. */
static unsigned need_of(const uint8_t *letter, unsigned count)
{
    unsigned need = 0;
    for (unsigned i = 0; i < count; i++)
        if (letter[i] <= CTM_SWIZ_A)
            need |= letter[i] == CTM_SWIZ_A ? 2 : 1;
    return need;
}

/* The slot that a reader finds first for what lies in `slot`. */
static unsigned first_slot(const struct alu_printer *a, unsigned need, unsigned slot)
{
    for (unsigned s = 0; s < slot; s++) {
        bool same = true;
        for (unsigned u = 0; u < CTM_UNITS; u++)
            if (need >> u & 1 && ctm_address(a->inst, u, s) != ctm_address(a->inst, u, slot))
                same = false;
        if (same)
            return s;
    }
    return slot;
}

/* Whether the letters ask both units' addresses and these differ. */
static bool is_mixed(const struct alu_printer *a, unsigned need, unsigned slot)
{
    return need == 3 && ctm_address(a->inst, CTM_RGB, slot) != ctm_address(a->inst, CTM_ALPHA, slot);
}

static void put_srcp(const struct alu_printer *a, unsigned need)
{
    unsigned unit = need & 1 ? CTM_RGB : CTM_ALPHA, op = get(a, ctm_units[unit].srcp);
    unsigned src0 = ctm_address(a->inst, unit, 0), src1 = ctm_address(a->inst, unit, 1);
    bool two = op == CTM_SRCP_SUB || op == CTM_SRCP_ADD;
    bool mixed = need == 3 && (get(a, CTM_RGB_SRCP_OP) != get(a, CTM_ALPHA_SRCP_OP) || is_mixed(a, need, 0) ||
                               (two && is_mixed(a, need, 1)));
    if (mixed || !need) {
        writer_text(a->w, "srcp");
        return;
    }
    writer_char(a->w, '(');
    if (two)
        ctm_print_address(a->w, src1, true);
    writer_text(a->w, op == CTM_SRCP_BIAS  ? "1 - 2*"
                      : op == CTM_SRCP_INV ? "1 - "
                      : op == CTM_SRCP_ADD ? " + "
                                           : " - ");
    ctm_print_address(a->w, src0, true);
    writer_char(a->w, ')');
}

/* 0, 0.5 and 1 where no slot is meant. */
static bool put_constant(const struct alu_printer *a, const uint8_t *letter, unsigned count, unsigned sel)
{
    for (unsigned i = 0; i < count; i++)
        if (letter[i] != letter[0])
            return false;
    if (sel || letter[0] < CTM_SWIZ_ZERO || letter[0] > CTM_SWIZ_ONE)
        return false;
    writer_text(a->w, letter[0] == CTM_SWIZ_ZERO ? "0" : letter[0] == CTM_SWIZ_ONE ? "1" : "0.5");
    return true;
}

static void put_source(const struct alu_printer *a, const uint8_t *letter, unsigned count, unsigned sel, unsigned units)
{
    static const uint8_t plain[] = {0, 1, 2, 3};
    unsigned need = need_of(letter, count);
    bool slot =
        sel == CTM_SEL_SRCP || !need || is_mixed(a, need, sel) || (a->sources && first_slot(a, need, sel) != sel);
    bool alpha = units == 2; /* alone: its letter is always written, but for numbers */
    bool number = !(ctm_address(a->inst, CTM_ALPHA, sel % 3) & CTM_ADDRESS_CONST) &&
                  ctm_address(a->inst, CTM_ALPHA, sel % 3) & CTM_ADDRESS_INLINE;
    bool whole = memcmp(letter, alpha ? plain + 3 : plain, count) == 0 && (!alpha || number);
    if (sel == CTM_SEL_SRCP) {
        char *before = a->w->at;
        put_srcp(a, need);
        slot = *before != '(';
    } else if (slot) {
        writer_text(a->w, "src");
        writer_decimal(a->w, sel);
    } else {
        ctm_print_address(a->w, ctm_address(a->inst, need & 1 ? CTM_RGB : CTM_ALPHA, sel), whole);
    }
    if (slot || !whole)
        put_letters(a->w, letter, count);
}

/* An operand that the units in `units` have alike. */
static void put_operand(const struct alu_printer *a, unsigned units, unsigned arg, bool minus)
{
    const struct ctm_unit *fields = &ctm_units[units & 1 ? CTM_RGB : CTM_ALPHA];
    unsigned sel = get(a, fields->sel[arg]), mod = get(a, fields->mod[arg]);
    uint8_t letter[CTM_CHANNELS];
    unsigned count = letters_of(a, units, arg, letter);
    if (mod & CTM_IMOD_NEG && !minus)
        writer_char(a->w, '-');
    writer_text(a->w, mod & CTM_IMOD_ABS ? "|" : "");
    if (!put_constant(a, letter, count, sel))
        put_source(a, letter, count, sel, units);
    writer_text(a->w, mod & CTM_IMOD_ABS ? "|" : "");
}

/* ---- operations ------------------------------------------------------------------------------------------- */

static bool is_constant(const struct alu_printer *a, unsigned units, unsigned arg, unsigned value)
{
    const struct ctm_unit *fields = &ctm_units[units & 1 ? CTM_RGB : CTM_ALPHA];
    uint8_t letter[CTM_CHANNELS];
    unsigned count = letters_of(a, units, arg, letter);
    for (unsigned i = 0; i < count; i++)
        if (letter[i] != value)
            return false;
    return get(a, fields->sel[arg]) == 0 && get(a, fields->mod[arg]) == CTM_IMOD_OFF;
}

/* Whether all fields of an operand are 0. */
static bool is_absent(const struct alu_printer *a, unsigned unit, unsigned arg)
{
    uint8_t letter[CTM_CHANNELS];
    unsigned any = get(a, ctm_units[unit].sel[arg]) | get(a, ctm_units[unit].mod[arg]);
    unsigned count = letters_of(a, 1u << unit, arg, letter);
    for (unsigned i = 0; i < count; i++)
        any |= letter[i];
    return !any;
}

/* A * B + C, without what is 0 or 1. */
static void put_mad(const struct alu_printer *a, unsigned units)
{
    bool product = !is_constant(a, units, 1, CTM_SWIZ_ONE), sum = !is_constant(a, units, 2, CTM_SWIZ_ZERO);
    bool minus = get(a, ctm_units[units & 1 ? CTM_RGB : CTM_ALPHA].mod[2]) & CTM_IMOD_NEG;
    put_operand(a, units, 0, false);
    if (product || !sum) {
        writer_text(a->w, " * ");
        put_operand(a, units, 1, false);
    }
    if (sum || !product) {
        writer_text(a->w, minus ? " - " : " + ");
        put_operand(a, units, 2, true);
    }
}

/* Whether operand B is A once more: MAX of these is a move. */
static bool is_move(const struct alu_printer *a, unsigned unit)
{
    const struct ctm_unit *fields = &ctm_units[unit];
    uint8_t first[CTM_CHANNELS], second[CTM_CHANNELS];
    unsigned count = letters_of(a, 1u << unit, 0, first);
    letters_of(a, 1u << unit, 1, second);
    return get(a, fields->op) == (unsigned)(unit == CTM_RGB ? CTM_RGB_MAX : CTM_ALPHA_MAX) &&
           memcmp(first, second, count) == 0 && get(a, fields->sel[0]) == get(a, fields->sel[1]) &&
           get(a, fields->mod[0]) == get(a, fields->mod[1]) && is_absent(a, unit, 2);
}

static unsigned count_args(const struct alu_printer *a, unsigned units, const struct ctm_op_row *row)
{
    unsigned count = row->args;
    for (unsigned u = 0; u < CTM_UNITS; u++)
        for (unsigned i = count; i < CTM_ARGS; i++)
            if (units >> u & 1 && !is_absent(a, u, i))
                count = i + 1;
    return count;
}

/* The operation of `units`; `row`: its name. */
static void put_operation(const struct alu_printer *a, unsigned units, const struct ctm_op_row *row)
{
    unsigned unit = units & 1 ? CTM_RGB : CTM_ALPHA;
    unsigned omod = get(a, ctm_units[unit].omod);
    bool clamp = get(a, ctm_units[unit].clamp);
    bool move = is_move(a, unit) && (units != 3 || is_move(a, CTM_ALPHA));
    if (strcmp(row->name, "MAD") == 0) {
        put_mad(a, units);
    } else if (move) {
        put_operand(a, units, 0, false);
    } else {
        for (const char *c = row->name; *c; c++)
            writer_char(a->w, (char)(*c >= 'A' && *c <= 'Z' ? *c | 0x20 : *c));
        writer_char(a->w, '(');
        for (unsigned i = 0; i < count_args(a, units, row); i++) {
            writer_text(a->w, i ? ", " : "");
            put_operand(a, units, i, false);
        }
        writer_char(a->w, ')');
    }
    unsigned usual = move && !clamp ? CTM_OMOD_DISABLED : CTM_OMOD_U1;
    if (omod != usual) {
        writer_char(a->w, ' ');
        writer_text(a->w, ctm_omod_names[omod]);
    }
    writer_text(a->w, clamp ? " clamp" : "");
}

/* ---- destinations ----------------------------------------------------------------------------------------- */

static void put_mask(const struct alu_printer *a, unsigned mask)
{
    if (mask == 15)
        return;
    writer_char(a->w, '.');
    for (unsigned c = 0; c < CTM_CHANNELS; c++)
        if (mask >> c & 1)
            writer_char(a->w, CTM_LETTERS[c]);
    if (!mask)
        writer_char(a->w, '_');
}

static unsigned mask_of(const struct alu_printer *a, unsigned units, bool output)
{
    unsigned mask = 0;
    for (unsigned u = 0; u < CTM_UNITS; u++)
        if (units >> u & 1)
            mask |= get(a, output ? ctm_units[u].omask : ctm_units[u].wmask) << (u == CTM_RGB ? 0 : 3);
    return mask;
}

static void put_comma(const struct alu_printer *a, const char *start)
{
    writer_text(a->w, a->w->at != start ? ", " : "");
}

static void put_output(const struct alu_printer *a, unsigned target, unsigned mask)
{
    if (a->type == CTM_TYPE_ALU) {
        writer_char(a->w, 'p');
    } else if (a->uncached) {
        writer_text(a->w, ctm_umrt_names[target]);
    } else {
        writer_text(a->w, "out");
        writer_decimal(a->w, target);
    }
    put_mask(a, mask);
    if (a->type == CTM_TYPE_ALU)
        writer_text(a->w, ctm_compare_names[target]);
}

/* Destinations of `units`; `first`: of the word, which says of a word without any that it is an OUTPUT. */
static void put_destinations(const struct alu_printer *a, unsigned units, bool first)
{
    const struct ctm_unit *fields = &ctm_units[units & 1 ? CTM_RGB : CTM_ALPHA];
    const char *start = a->w->at;
    unsigned wmask = mask_of(a, units, false), omask = mask_of(a, units, true);
    unsigned addrd = get(a, fields->addrd), relative = get(a, fields->addrd_rel), target = get(a, fields->target);
    bool cond = a->type == CTM_TYPE_OUTPUT && get(a, CTM_W_OMASK); /* of ALU words it is a bit without effect */
    bool lone = first && a->type == CTM_TYPE_OUTPUT && !cond && !mask_of(a, 3, true) && !get(a, CTM_RGB_TARGET) &&
                !get(a, CTM_ALPHA_TARGET);
    if (wmask || addrd || relative) {
        ctm_print_address(a->w, addrd | (relative ? CTM_ADDRESS_REL : 0u), true);
        put_mask(a, wmask);
    }
    if (omask || target || lone) {
        put_comma(a, start);
        put_output(a, target, omask);
    }
    if (get(a, CTM_ALU_WMASK) && units >> get(a, CTM_ALU_RESULT_SEL) & 1) {
        put_comma(a, start);
        writer_text(a->w, get(a, CTM_ALU_RESULT_SEL) ? "alu.a" : "alu.r");
        writer_text(a->w, ctm_compare_names[get(a, CTM_ALU_RESULT_OP)]);
    }
    if (cond && units & 2) {
        put_comma(a, start);
        writer_text(a->w, "cond");
    }
    if (a->w->at == start)
        writer_char(a->w, '_');
    writer_text(a->w, " = ");
}

/* ---- words ------------------------------------------------------------------------------------------------ */

/* Whether a unit has nothing but zeros. */
static bool is_idle(const struct alu_printer *a, unsigned unit)
{
    const struct ctm_unit *f = &ctm_units[unit];
    const enum ctm_field fields[] = {f->op, f->addrd, f->addrd_rel, f->omod, f->target, f->clamp, f->wmask, f->omask};
    unsigned any = unit == CTM_ALPHA ? get(a, CTM_W_OMASK) : 0;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        any |= get(a, fields[i]);
    if (get(a, CTM_ALU_WMASK) && get(a, CTM_ALU_RESULT_SEL) == unit)
        any = 1;
    for (unsigned i = 0; i < CTM_ARGS; i++)
        any |= !is_absent(a, unit, i);
    return !any;
}

/* The row whose name says both units' operations; NULL: they are two. *units: of those whose operands are written. */
static const struct ctm_op_row *joined_row(const struct alu_printer *a, unsigned *units)
{
    unsigned rgb = get(a, CTM_RGB_OP), alpha = get(a, CTM_ALPHA_OP);
    *units = 3;
    if (alpha == CTM_ALPHA_DP && (rgb == CTM_RGB_DP3 || rgb == CTM_RGB_DP4 || rgb == CTM_RGB_D2A))
        return &ctm_rgb_ops[rgb];
    if (rgb == CTM_RGB_SOP && alpha >= CTM_ALPHA_EX2 && alpha <= CTM_ALPHA_COS) {
        *units = 2;
        return &ctm_alpha_ops[alpha];
    }
    return strcmp(ctm_rgb_ops[rgb].name, ctm_alpha_ops[alpha].name) == 0 ? &ctm_rgb_ops[rgb] : NULL;
}

static bool put_joined(const struct alu_printer *a)
{
    unsigned units;
    const struct ctm_op_row *row = joined_row(a, &units);
    if (!row)
        return false;
    /* Destinations are those of a unit that has some. */
    bool rgb = mask_of(a, 1, true) | mask_of(a, 1, false), alpha = mask_of(a, 2, true) | mask_of(a, 2, false);
    struct alu_printer of = *a;
    unsigned dests = rgb == alpha ? 3 : rgb ? 1 : 2;
    if (get(a, CTM_W_OMASK) || (get(a, CTM_ALU_WMASK) && get(a, CTM_ALU_RESULT_SEL)))
        dests |= 2;
    put_destinations(&of, dests, true);
    put_operation(a, units, row);
    return true;
}

static void put_part(const struct alu_printer *a, unsigned unit, bool first)
{
    if (is_idle(a, unit) && !(first && a->type == CTM_TYPE_OUTPUT)) {
        writer_char(a->w, '_');
        return;
    }
    put_destinations(a, 1u << unit, first);
    put_operation(a, 1u << unit, &ctm_units[unit].ops[get(a, ctm_units[unit].op)]);
}

static void put_unit_sources(const struct alu_printer *a, unsigned unit)
{
    unsigned count = CTM_SLOTS_OF_UNIT;
    while (count && ctm_address(a->inst, unit, count - 1) == CTM_ADDRESS_UNUSED)
        count--;
    for (unsigned i = 0; i < count; i++) {
        writer_text(a->w, i ? ", " : "");
        ctm_print_address(a->w, ctm_address(a->inst, unit, i), true);
    }
}

static void put_sources(const struct alu_printer *a)
{
    bool same = true;
    for (unsigned i = 0; i < CTM_SLOTS_OF_UNIT; i++)
        same = same && ctm_address(a->inst, CTM_RGB, i) == ctm_address(a->inst, CTM_ALPHA, i);
    writer_text(a->w, " src(");
    put_unit_sources(a, CTM_RGB);
    if (!same) {
        writer_text(a->w, " | ");
        put_unit_sources(a, CTM_ALPHA);
    }
    writer_char(a->w, ')');
}

/* Ways: nothing at all, one unit, both joined, both apart; then the same with sources as they lie. */
bool ctm_print_alu(struct isa_writer *w, const struct ctm_inst *inst, unsigned way, bool uncached)
{
    struct alu_printer a = {.w = w, .inst = inst, .sources = way >= CTM_PLAIN_WAYS / 2, .uncached = uncached};
    a.type = ctm_get(inst, CTM_TYPE);
    bool rgb = !is_idle(&a, CTM_RGB), alpha = !is_idle(&a, CTM_ALPHA);
    ctm_print_predicates(w, inst);
    switch (way % (CTM_PLAIN_WAYS / 2)) {
    case 0:
        if (rgb || alpha)
            return false;
        writer_text(w, ctm_type_names[a.type]);
        break;
    case 1:
        if (rgb == alpha)
            return false;
        put_part(&a, rgb ? CTM_RGB : CTM_ALPHA, true);
        break;
    case 2:
        if (!put_joined(&a))
            return false;
        break;
    default:
        put_part(&a, CTM_RGB, true);
        writer_text(w, " | ");
        put_part(&a, CTM_ALPHA, false);
    }
    if (a.sources)
        put_sources(&a);
    ctm_print_flags(w, inst);
    return true;
}

/* Lowering of moves, logic, shifts, bit fields and predicates (docs/maxwell.md, "Arithmetic"). */
#include "isa/sass/lower.h"

#include "lane/modes.h"

#include <string.h>

/* ---- moves ------------------------------------------------------------------------------------------------ */

/* Only some lanes of each quad write: the guard is narrowed to them. */
static void narrow_to_lanes(struct sass_lowerer *l, uint32_t mask)
{
    struct lane_operand lane = sass_temp(l, 32);
    sass_emit_list(l, LANE_OP_sreg, LANE_B32, 1, &lane, 0, NULL)->mode = LANE_SREG_LANEID;
    struct lane_operand number = sass_op2(l, LANE_OP_and, LANE_B32, lane, sass_imm(l, 3));
    struct lane_operand bit = sass_op2(l, LANE_OP_shr, LANE_U32, sass_imm(l, mask), number);
    struct lane_operand p =
        sass_compare(l, LANE_NE, LANE_B32, sass_op2(l, LANE_OP_and, LANE_B32, bit, sass_imm(l, 1)), sass_imm(l, 0));
    sass_narrow(l, p);
}

SASS_LOWER(mov)
{
    uint32_t mask = (uint32_t)l->op[2].value & 15;
    struct lane_operand value = sass_raw(l, 1);
    if (mask != 15)
        narrow_to_lanes(l, mask);
    sass_set(l, sass_number(l, 0), value);
}

SASS_LOWER(sel)
{
    uint64_t known;
    struct lane_operand p = sass_predicate(l, 3), a = sass_raw(l, 1), b = sass_raw(l, 2);
    if (sass_is_const(l, p, &known))
        sass_set(l, sass_number(l, 0), known & 1 ? a : b);
    else
        sass_emit3(l, LANE_OP_selp, LANE_B32, sass_result(l, sass_number(l, 0)), a, b, p);
}

/* names prmt and enum lane_prmt have one order */
SASS_LOWER(prmt)
{
    unsigned mode = sass_value(l, SASS_ROLE_prmt, 0);
    if (mode > LANE_PRMT_RC16) {
        sass_cannot(l, "PRMT with a reserved mode");
        return;
    }
    struct lane_operand a = sass_raw(l, 1), selector = sass_raw(l, 2), c = sass_raw(l, 3);
    sass_emit3(l, LANE_OP_prmt, LANE_B32, sass_result(l, sass_number(l, 0)), a, c, selector)->mode = (uint8_t)mode;
}

/* ---- predicates and condition codes as bits --------------------------------------------------------------- */

static struct lane_operand state_bit(struct sass_lowerer *l, bool codes, unsigned bit)
{
    return codes ? sass_flag(l, (enum sass_flag)bit) : sass_predicate_register(l, bit);
}

/* Of PR there are 7 bits, of CC 4. */
static unsigned state_bits(bool codes)
{
    return codes ? SASS_FLAGS : SASS_PT;
}

/* P2R d, PR|CC, a, mask: bits of a's byte that the mask names become predicates, the rest of a stays. */
SASS_LOWER(p2r)
{
    bool codes = sass_value(l, SASS_ROLE_ccpr, 0) == SASS_CCPR_CC;
    unsigned shift = 8 * sass_value(l, SASS_ROLE_byte, 0);
    struct lane_operand mask = sass_raw(l, 2), bits = sass_imm(l, 0);
    for (unsigned i = 0; i < state_bits(codes); i++) {
        struct lane_operand one =
            sass_op3(l, LANE_OP_selp, LANE_B32, sass_imm(l, 1u << i), sass_imm(l, 0), state_bit(l, codes, i));
        bits = i ? sass_op2(l, LANE_OP_or, LANE_B32, bits, one) : one;
    }
    mask = sass_op2(l, LANE_OP_and, LANE_B32, mask, sass_imm(l, 0xff));
    bits = sass_op2(l, LANE_OP_and, LANE_B32, bits, mask);
    if (shift) {
        mask = sass_op2(l, LANE_OP_shl, LANE_B32, mask, sass_imm(l, shift));
        bits = sass_op2(l, LANE_OP_shl, LANE_B32, bits, sass_imm(l, shift));
    }
    /* (a & ~mask) | bits */
    sass_emit3(l, LANE_OP_lop3, LANE_B32, sass_result(l, sass_number(l, 0)), sass_raw(l, 1), mask, bits)->aux = 0xba;
}

/* Under the mask's bit i: the register bit, else what was there. */
static struct lane_operand new_bit(struct sass_lowerer *l, struct lane_operand value, struct lane_operand mask,
                                   struct lane_operand old, unsigned at, unsigned i)
{
    uint64_t known;
    struct lane_operand bit = sass_op2(l, LANE_OP_and, LANE_B32, value, sass_imm(l, 1u << (at + i)));
    bit = sass_compare(l, LANE_NE, LANE_B32, bit, sass_imm(l, 0));
    if (sass_is_const(l, mask, &known))
        return bit;
    struct lane_operand taken = sass_op2(l, LANE_OP_and, LANE_B32, mask, sass_imm(l, 1u << i));
    taken = sass_compare(l, LANE_NE, LANE_B32, taken, sass_imm(l, 0));
    return sass_combine(l, 1, sass_combine(l, 0, taken, bit), sass_combine(l, 0, sass_not(l, taken), old));
}

/* R2P PR|CC, a.Bn, mask */
SASS_LOWER(r2p)
{
    bool codes = sass_value(l, SASS_ROLE_ccpr, 0) == SASS_CCPR_CC;
    unsigned at = 8 * l->op[0].suffix;
    struct lane_operand value = sass_raw(l, 0), mask = sass_raw(l, 1);
    struct lane_operand bits[SASS_PT];
    uint64_t known;
    bool constant = sass_is_const(l, mask, &known);
    if (!codes)
        sass_hold_guard(l, 0x7f);
    for (unsigned i = 0; i < state_bits(codes); i++)
        if (!constant || known >> i & 1)
            bits[i] = new_bit(l, value, mask, state_bit(l, codes, i), at, i);
    for (unsigned i = 0; i < state_bits(codes); i++)
        if (!constant || known >> i & 1)
            sass_emit1(l, LANE_OP_mov, LANE_PRED, state_bit(l, codes, i), bits[i]);
}

static void set_word(struct sass_lowerer *l, struct lane_operand p)
{
    uint32_t yes = sass_has(l, SASS_MOD_BF) ? 0x3f800000 : 0xffffffff;
    struct lane_operand d = sass_op3(l, LANE_OP_selp, LANE_B32, sass_imm(l, yes), sass_imm(l, 0), p);
    sass_set_logic_flags(l, d);
    sass_set(l, sass_number(l, 0), d);
}

static bool reserved(struct sass_lowerer *l, enum sass_role label)
{
    if (sass_value(l, label, 0) <= 2)
        return false;
    sass_cannot(l, "reserved predicate operation");
    return true;
}

/* Pd = (a f b) g c, Pq = !(a f b) g c */
SASS_LOWER(psetp)
{
    if (reserved(l, SASS_ROLE_ab))
        return;
    struct lane_operand p = sass_combine(l, sass_value(l, SASS_ROLE_ab, 0), sass_predicate(l, 2), sass_predicate(l, 3));
    sass_set_both(l, 0, 4, sass_value(l, SASS_ROLE_bop, 0), p);
}

SASS_LOWER(pset)
{
    if (reserved(l, SASS_ROLE_ab) || reserved(l, SASS_ROLE_bop))
        return;
    struct lane_operand p = sass_combine(l, sass_value(l, SASS_ROLE_ab, 0), sass_predicate(l, 1), sass_predicate(l, 2));
    set_word(l, sass_combine(l, sass_value(l, SASS_ROLE_bop, 0), p, sass_predicate(l, 3)));
}

SASS_LOWER(csetp)
{
    sass_set_both(l, 0, 2, sass_value(l, SASS_ROLE_bop, 0), sass_test(l, sass_value(l, SASS_ROLE_cc, 0)));
}

SASS_LOWER(cset)
{
    if (!reserved(l, SASS_ROLE_bop))
        set_word(l, sass_combine(l, sass_value(l, SASS_ROLE_bop, 0), sass_test(l, sass_value(l, SASS_ROLE_cc, 0)),
                                 sass_predicate(l, 1)));
}

/* ---- logic ----------------------------------------------------------------------------------------------------- */

/* The predicate result: none (false), T, Z, NZ; and CC. With .X (INFERRED) Z goes on from the words before. */
static void logic_results(struct sass_lowerer *l, int predicate, struct lane_operand d)
{
    unsigned due = sass_flags_due(l), kind = sass_value(l, SASS_ROLE_predop, 0);
    struct lane_operand zero = SASS_NOTHING;
    bool wanted = predicate >= 0 && l->op[predicate].reg != SASS_PT;
    if ((wanted && kind > 1) || due & SASS_BIT_Z)
        zero = sass_compare(l, LANE_EQ, LANE_B32, d, sass_imm(l, 0));
    if (zero.kind != LANE_NONE && sass_has(l, SASS_MOD_X))
        zero = sass_combine(l, 0, zero, sass_flag(l, SASS_Z));
    if (due & SASS_BIT_Z)
        sass_set_flag(l, SASS_Z, zero);
    if (due & SASS_BIT_S)
        sass_set_flag(l, SASS_S, sass_compare(l, LANE_LT, LANE_S32, d, sass_imm(l, 0)));
    if (due & SASS_BIT_C)
        sass_set_flag(l, SASS_C, sass_bool(l, false));
    if (due & SASS_BIT_O)
        sass_set_flag(l, SASS_O, sass_bool(l, false));
    if (wanted)
        sass_set_predicate(l, (unsigned)predicate,
                           kind < 2    ? sass_bool(l, kind == 1)
                           : kind == 2 ? zero
                                       : sass_not(l, zero));
}

/* a op b as a table of LOP3 for inverted operands. */
static unsigned logic_table(unsigned op, bool invert_a, bool invert_b)
{
    unsigned a = invert_a ? 0x0f : 0xf0, b = invert_b ? 0x33 : 0xcc;
    return op == 0 ? a & b : op == 1 ? a | b : op == 2 ? a ^ b : b;
}

/* Both operands as they are, `first` and the next. */
static void logic(struct sass_lowerer *l, unsigned op, unsigned first, struct lane_operand d)
{
    static const uint16_t ops[] = {LANE_OP_and, LANE_OP_or, LANE_OP_xor};
    const struct isa_operand *x = &l->op[first], *y = &l->op[first + 1];
    struct lane_operand a = sass_raw(l, first), b = sass_raw(l, first + 1);
    uint64_t known;
    if (sass_is_const(l, b, &known) && y->inv)
        b = sass_imm(l, (uint32_t)~known);
    bool invert_b = y->inv && !sass_is_const(l, b, &known);
    if (op == 3)
        sass_emit1(l, invert_b ? LANE_OP_not : LANE_OP_mov, LANE_B32, d, b);
    else if (x->inv || invert_b)
        sass_emit3(l, LANE_OP_lop3, LANE_B32, d, a, b, sass_imm(l, 0))->aux = logic_table(op, x->inv, invert_b);
    else
        sass_emit2(l, (enum lane_op)ops[op], LANE_B32, d, a, b);
}

/* The predicate comes after the register: both may not be the guard's business, but the result is read back. */
SASS_LOWER(lop)
{
    bool has_predicate = l->op[0].kind == ISA_PREDICATE;
    unsigned at = has_predicate ? 1 : 0, n = sass_number(l, at);
    bool more = sass_flags_due(l) || (has_predicate && l->op[0].reg != SASS_PT);
    struct lane_operand d = more ? sass_temp(l, 32) : sass_result(l, n);
    logic(l, sass_value(l, SASS_ROLE_lop, 0), at + 1, d);
    if (!more)
        return;
    sass_set(l, n, d);
    logic_results(l, has_predicate ? 0 : -1, d);
}

SASS_LOWER(lop3)
{
    bool has_predicate = l->op[0].kind == ISA_PREDICATE;
    unsigned at = has_predicate ? 1 : 0, n = sass_number(l, at);
    bool more = sass_flags_due(l) || (has_predicate && l->op[0].reg != SASS_PT);
    struct lane_operand d = more ? sass_temp(l, 32) : sass_result(l, n);
    struct lane_operand a = sass_raw(l, at + 1), b = sass_raw(l, at + 2), c = sass_raw(l, at + 3);
    sass_emit3(l, LANE_OP_lop3, LANE_B32, d, a, b, c)->aux = (uint32_t)l->op[at + 4].value & 0xff;
    if (!more)
        return;
    sass_set(l, n, d);
    logic_results(l, has_predicate ? 0 : -1, d);
}

/* ---- shifts ---------------------------------------------------------------------------------------------------- */

/* The result of a shift or bit operation, with its condition codes: Z and S (INFERRED: C = O = 0). */
static void finish(struct sass_lowerer *l, struct lane_operand d)
{
    sass_set_logic_flags(l, d);
    sass_set(l, sass_number(l, 0), d);
}

/* Where the operation may write its result itself. */
static struct lane_operand place(struct sass_lowerer *l)
{
    return sass_flags_due(l) ? sass_temp(l, 32) : sass_result(l, sass_number(l, 0));
}

static void close_place(struct sass_lowerer *l, struct lane_operand d)
{
    if (sass_flags_due(l))
        finish(l, d);
}

static struct lane_operand masked(struct sass_lowerer *l, struct lane_operand value, uint32_t mask)
{
    uint64_t known;
    if (sass_is_const(l, value, &known))
        return sass_imm(l, (uint32_t)known & mask);
    return sass_op2(l, LANE_OP_and, LANE_B32, value, sass_imm(l, mask));
}

/* Which word of a longer shift this is: the one that comes first, one after it, or the top word that comes last (of
 * shifts to the right). */
enum shift_word { SHIFT_FIRST, SHIFT_NEXT /* .X */, SHIFT_TOP /* .XHI */ };

/* Words after the first go on with the codes of those before (named choice; ptxas writes none of them): Z says that
 * all are 0; S and O are those of the top word, so that .X leaves them alone and .XHI writes them; C stays. */
static void finish_shift(struct sass_lowerer *l, struct lane_operand d, enum shift_word word)
{
    unsigned due = sass_flags_due(l);
    if (!due)
        return;
    if (word == SHIFT_FIRST) {
        finish(l, d);
        return;
    }
    if (due & SASS_BIT_Z)
        sass_set_flag(l, SASS_Z,
                      sass_combine(l, 0, sass_compare(l, LANE_EQ, LANE_B32, d, sass_imm(l, 0)), sass_flag(l, SASS_Z)));
    if (word == SHIFT_TOP && due & SASS_BIT_S)
        sass_set_flag(l, SASS_S, sass_compare(l, LANE_LT, LANE_S32, d, sass_imm(l, 0)));
    if (word == SHIFT_TOP && due & SASS_BIT_O)
        sass_set_flag(l, SASS_O, sass_bool(l, false));
    sass_set(l, sass_number(l, 0), d);
}

SASS_LOWER(shl)
{
    struct lane_operand amount = sass_raw(l, 2);
    if (sass_has(l, SASS_MOD_W))
        amount = masked(l, amount, 31);
    struct lane_operand d = place(l);
    sass_emit2(l, LANE_OP_shl, LANE_B32, d, sass_raw(l, 1), amount);
    finish_shift(l, d, sass_has(l, SASS_MOD_X) ? SHIFT_NEXT : SHIFT_FIRST);
}

/* names shrx: "", reserved, .X, .XHI */
SASS_LOWER(shr)
{
    static const uint8_t words[] = {SHIFT_FIRST, SHIFT_FIRST, SHIFT_NEXT, SHIFT_TOP};
    struct lane_operand a = sass_raw(l, 1), amount = sass_raw(l, 2);
    unsigned mode = sass_value(l, SASS_ROLE_words, 0) & 3;
    if (mode == 1) {
        sass_cannot(l, "SHR%s", sass_spelling(l, SASS_ROLE_words));
        return;
    }
    if (sass_has(l, SASS_MOD_W))
        amount = masked(l, amount, 31);
    if (sass_has(l, SASS_MOD_BREV))
        a = sass_op1(l, LANE_OP_brev, LANE_B32, a);
    struct lane_operand d = place(l);
    sass_emit2(l, LANE_OP_shr, sass_has(l, SASS_MOD_U32) ? LANE_U32 : LANE_S32, d, a, amount);
    finish_shift(l, d, (enum shift_word)words[mode]);
}

/* {hi:lo} as 64 bits, shifted; the upper word to the left, the lower one to the right. Amounts of 64 and more leave
 * nothing (or the sign). */
static void shift_wide(struct sass_lowerer *l, bool right, enum lane_type type, struct lane_operand d)
{
    struct lane_operand amount = sass_raw(l, 2), dst[2] = {SASS_NOTHING, SASS_NOTHING};
    struct lane_operand value = sass_join(l, sass_raw(l, 1), sass_raw(l, 3));
    if (sass_has(l, SASS_MOD_W))
        amount = masked(l, amount, 63);
    value = right ? sass_op2(l, LANE_OP_shr, type, value, amount) : sass_op2(l, LANE_OP_shl, LANE_B64, value, amount);
    dst[!right] = d;
    sass_emit_list(l, LANE_OP_unpack, LANE_B64, 2, dst, 1, &value)->type2 = LANE_B32;
}

/* The other word of {hi:lo} >> n: hi >> n. That .HI is that one is a named choice, after the SHF.R.HI of the
 * architectures that came later, with which Mesa's compiler shifts single words. */
static void shift_upper(struct sass_lowerer *l, unsigned width, struct lane_operand d)
{
    struct lane_operand amount = sass_raw(l, 2);
    if (sass_has(l, SASS_MOD_W))
        amount = masked(l, amount, width ? 63 : 31);
    sass_emit2(l, LANE_OP_shr, width == 3 ? LANE_S32 : LANE_U32, d, sass_raw(l, 3), amount);
}

static void shift_funnel(struct sass_lowerer *l, bool right, struct lane_operand d)
{
    struct lane_inst *inst = sass_emit3(l, LANE_OP_shf, LANE_B32, d, sass_raw(l, 1), sass_raw(l, 3), sass_raw(l, 2));
    inst->mode = right;
    inst->flags = sass_has(l, SASS_MOD_W) ? 0 : LANE_CLAMP;
}

/* names shfmax: 32 bits, reserved, .U64, .S64; names shfx: "", .HI, .X, .XHI. To the left .HI is not known. */
static void shift_two(struct sass_lowerer *l, bool right)
{
    static const uint8_t words[] = {SHIFT_FIRST, SHIFT_FIRST, SHIFT_NEXT, SHIFT_TOP};
    unsigned width = sass_value(l, SASS_ROLE_width, 0), mode = sass_value(l, SASS_ROLE_words, 0) & 3;
    bool upper = mode & 1;
    if (width == 1 || (upper && !right)) {
        sass_cannot(l, "SHF.%c%s%s", right ? 'R' : 'L', sass_spelling(l, SASS_ROLE_width),
                    sass_spelling(l, SASS_ROLE_words));
        return;
    }
    struct lane_operand d = place(l);
    if (upper)
        shift_upper(l, width, d);
    else if (width)
        shift_wide(l, right, width == 3 ? LANE_S64 : LANE_U64, d);
    else
        shift_funnel(l, right, d);
    finish_shift(l, d, (enum shift_word)words[mode]);
}

SASS_LOWER(shf_left)
{
    shift_two(l, false);
}

SASS_LOWER(shf_right)
{
    shift_two(l, true);
}

/* ---- bit fields ----------------------------------------------------------------------------------------------- */

/* pos | len << 8, 8 bits each */
static void take_field(struct sass_lowerer *l, struct lane_operand field, struct lane_operand *pos,
                       struct lane_operand *length)
{
    uint64_t known;
    *pos = masked(l, field, 0xff);
    if (sass_is_const(l, field, &known))
        *length = sass_imm(l, (uint32_t)known >> 8 & 0xff);
    else
        *length = sass_op3(l, LANE_OP_bfe, LANE_U32, field, sass_imm(l, 8), sass_imm(l, 8));
}

SASS_LOWER(bfe)
{
    struct lane_operand a = sass_raw(l, 1), pos, length;
    take_field(l, sass_raw(l, 2), &pos, &length);
    if (sass_has(l, SASS_MOD_BREV))
        a = sass_op1(l, LANE_OP_brev, LANE_B32, a);
    struct lane_operand d = place(l);
    sass_emit3(l, LANE_OP_bfe, sass_has(l, SASS_MOD_U32) ? LANE_U32 : LANE_S32, d, a, pos, length);
    close_place(l, d);
}

SASS_LOWER(bfi)
{
    struct lane_operand pos, length;
    take_field(l, sass_raw(l, 2), &pos, &length);
    struct lane_operand insert = sass_raw(l, 1), base = sass_raw(l, 3), d = place(l);
    sass_emit(l, LANE_OP_bfi, LANE_B32, d, insert, base, pos, length);
    close_place(l, d);
}

SASS_LOWER(flo)
{
    struct lane_operand a = sass_source(l, 1), d = place(l);
    sass_emit1(l, LANE_OP_bfind, sass_has(l, SASS_MOD_U32) ? LANE_U32 : LANE_S32, d, a)->flags =
        sass_has(l, SASS_MOD_SH) ? LANE_CLAMP : 0;
    close_place(l, d);
}

SASS_LOWER(popc)
{
    struct lane_operand a = sass_source(l, 1);
    sass_emit1(l, LANE_OP_popc, LANE_B32, sass_result(l, sass_number(l, 0)), a);
}

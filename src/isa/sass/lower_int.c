/* Lowering of integer arithmetic and comparison (docs/maxwell.md, "Arithmetic"). */
#include "isa/sass/flow.h"
#include "isa/sass/lower.h"

#include "lane/modes.h"

/* ---- the sum rule ---------------------------------------------------------------------------------------- */

/* a + b, either negated; one more (.PO); with carry in (.X), saturated. */
struct sum {
    struct lane_operand a, b;
    bool minus_a, minus_b, one, extended, saturated;
};

static struct lane_operand inverse(struct sass_lowerer *l, bool invert, struct lane_operand value)
{
    uint64_t known;
    if (!invert)
        return value;
    if (sass_is_const(l, value, &known))
        return sass_imm(l, (uint32_t)~known);
    return sass_op1(l, LANE_OP_not, LANE_B32, value);
}

/* Without carries: one operation, two for .PO. */
static void plain_sum(struct sass_lowerer *l, const struct sum *s, struct lane_operand d)
{
    enum lane_type type = s->saturated ? LANE_S32 : LANE_U32;
    struct lane_operand a = s->a, b = s->b;
    enum lane_op op = s->minus_a || s->minus_b || s->one ? LANE_OP_sub : LANE_OP_add;
    if (s->minus_a && s->minus_b) {
        a = sass_op1(l, LANE_OP_neg, LANE_S32, a);
    } else if (s->minus_a) {
        a = s->b;
        b = s->a;
    } else if (s->one) {
        b = inverse(l, true, b); /* a + b + 1 = a - ~b */
    }
    sass_emit2(l, op, type, d, a, b)->flags = s->saturated ? LANE_SAT : 0;
}

/* Each operand as it is or inverted, and the carry or a one: the carry out is that of this sum. */
static void carry_sum(struct sass_lowerer *l, const struct sum *s, struct lane_operand d, bool carry)
{
    struct lane_operand dst[2] = {d, carry ? sass_flag(l, SASS_C) : SASS_NOTHING};
    struct lane_operand src[3] = {inverse(l, s->minus_a, s->a), inverse(l, s->minus_b, s->b), SASS_NOTHING};
    if (s->extended)
        src[2] = sass_flag(l, SASS_C);
    else if (s->minus_a || s->minus_b || s->one)
        src[2] = sass_bool(l, true);
    sass_emit_list(l, LANE_OP_addc, LANE_U32, 2, dst, 3, src);
}

/* Signed overflow (INFERRED): both operands as they enter differ in sign from the result. */
static void overflow(struct sass_lowerer *l, const struct sum *s, struct lane_operand d)
{
    struct lane_operand a = inverse(l, s->minus_a, s->a), b = inverse(l, s->minus_b, s->b);
    struct lane_operand both = sass_op2(l, LANE_OP_and, LANE_B32, sass_op2(l, LANE_OP_xor, LANE_B32, a, d),
                                        sass_op2(l, LANE_OP_xor, LANE_B32, b, d));
    sass_set_flag(l, SASS_O, sass_compare(l, LANE_LT, LANE_S32, both, sass_imm(l, 0)));
}

static void zero_and_sign(struct sass_lowerer *l, struct lane_operand d, unsigned due)
{
    if (due & SASS_BIT_Z)
        sass_set_flag(l, SASS_Z, sass_compare(l, LANE_EQ, LANE_B32, d, sass_imm(l, 0)));
    if (due & SASS_BIT_S)
        sass_set_flag(l, SASS_S, sass_compare(l, LANE_LT, LANE_S32, d, sass_imm(l, 0)));
}

/* The sum of signed words without bounds, then the nearest 32-bit number. */
static struct lane_operand limited_sum(struct sass_lowerer *l, const struct sum *s)
{
    struct lane_operand sum =
        sass_op2(l, LANE_OP_add, LANE_S64, sass_convert(l, LANE_S64, LANE_S32, inverse(l, s->minus_a, s->a)),
                 sass_convert(l, LANE_S64, LANE_S32, inverse(l, s->minus_b, s->b)));
    struct lane_operand one = lane_imm(&l->b, 64, 1), none = lane_imm(&l->b, 64, 0);
    if (s->extended)
        one = sass_op3(l, LANE_OP_selp, LANE_B64, one, none, sass_flag(l, SASS_C));
    if (s->extended || s->minus_a || s->minus_b || s->one)
        sum = sass_op2(l, LANE_OP_add, LANE_S64, sum, one);
    sum = sass_op2(l, LANE_OP_max, LANE_S64, sum, lane_imm(&l->b, 64, (uint64_t)INT32_MIN));
    sum = sass_op2(l, LANE_OP_min, LANE_S64, sum, lane_imm(&l->b, 64, INT32_MAX));
    return sass_convert(l, LANE_U32, LANE_U64, sum);
}

/* .SAT beside carries: Z and S are those of the result, C and O (named choice) those of the sum before it is limited.
 */
static void lower_limited_sum(struct sass_lowerer *l, unsigned n, const struct sum *s, unsigned due)
{
    struct lane_operand d = limited_sum(l, s), plain = sass_temp(l, 32);
    if (due & (SASS_BIT_C | SASS_BIT_O))
        carry_sum(l, s, plain, due & SASS_BIT_C);
    zero_and_sign(l, d, due);
    if (due & SASS_BIT_O)
        overflow(l, s, plain);
    sass_set(l, n, d);
}

/* The sum into register n, and the condition codes. Returns the result. */
static struct lane_operand lower_sum(struct sass_lowerer *l, unsigned n, const struct sum *s)
{
    unsigned due = sass_flags_due(l);
    bool late = due & SASS_BIT_O; /* which asks for the operands again: the register is written last */
    bool plain = !s->minus_a && !s->minus_b && !s->one && !late;
    struct lane_operand d = late ? sass_temp(l, 32) : sass_result(l, n);
    struct lane_operand pair = plain && s->extended ? sass_wide_high(l, n, s->a, s->b) : SASS_NOTHING;
    if (s->extended || due & SASS_BIT_C)
        carry_sum(l, s, d, due & SASS_BIT_C);
    else
        plain_sum(l, s, d);
    if (pair.kind != LANE_NONE)
        l->pairs[n - 1] = pair;
    else if (plain && !s->extended && due & SASS_BIT_C)
        sass_wide_low(l, n, s->a, s->b);
    zero_and_sign(l, d, due);
    if (due & SASS_BIT_O)
        overflow(l, s, d);
    if (late)
        sass_set(l, n, d);
    return d;
}

/* The same where the sum may be saturated. */
static void lower_any_sum(struct sass_lowerer *l, unsigned n, const struct sum *s)
{
    unsigned due = sass_flags_due(l);
    if (s->saturated && (s->extended || s->one || due & (SASS_BIT_C | SASS_BIT_O)))
        lower_limited_sum(l, n, s, due);
    else
        lower_sum(l, n, s);
}

SASS_LOWER(iadd)
{
    struct sum s = {.a = sass_magnitude(l, 1),
                    .b = sass_magnitude(l, 2),
                    .minus_a = l->op[1].neg,
                    .minus_b = l->op[2].neg,
                    .one = isa_any(l->form, SASS_PLUS_ONE),
                    .extended = sass_has(l, SASS_MOD_X),
                    .saturated = sass_has(l, SASS_MOD_SAT)};
    lower_any_sum(l, sass_number(l, 0), &s);
}

/* ---- IADD3 ------------------------------------------------------------------------------------------------- */

/* The three operands, inverted where they are negated, and how many ones come along. */
struct sum3 {
    struct lane_operand in[3];
    bool minus[3];
    unsigned ones;
    bool extended;
};

/* Immediates are printed unsigned, but sign-extended from 20 bits (docs/maxwell.md, "Text"). */
static struct lane_operand operand3(struct sass_lowerer *l, unsigned i)
{
    if (l->op[i].kind != ISA_NUMBER)
        return sass_magnitude(l, i);
    uint32_t value = (uint32_t)l->op[i].value & 0xfffff;
    return sass_imm(l, value | (0 - (value >> 19 & 1)) << 20);
}

/* a + b, + carry or ones, as 33 bits: the low word, and bit 32 as a predicate. */
static struct lane_operand add_33(struct sass_lowerer *l, struct lane_operand a, struct lane_operand b,
                                  struct lane_operand carry_in, struct lane_operand *carry)
{
    struct lane_operand dst[2] = {sass_temp(l, 32), sass_temp(l, 1)}, src[3] = {a, b, carry_in};
    sass_emit_list(l, LANE_OP_addc, LANE_U32, 2, dst, 3, src);
    *carry = dst[1];
    return dst[0];
}

/* A + B by the sum rule, shifted, + C. Named choices: -A - B, which can reach 2^33, keeps its low 33 bits; the carry of
 * .X joins where C does, with the weight of the result's lowest bit. */
static void lower_iadd3_shifted(struct sass_lowerer *l, bool right)
{
    bool extended = sass_has(l, SASS_MOD_X);
    struct lane_operand a = inverse(l, l->op[1].neg, operand3(l, 1)), b = inverse(l, l->op[2].neg, operand3(l, 2));
    unsigned ones = extended ? 0u : (unsigned)l->op[1].neg + (unsigned)l->op[2].neg;
    struct lane_operand carry, again, in = ones ? sass_bool(l, true) : SASS_NOTHING;
    struct lane_operand sum = add_33(l, a, b, in, &carry);
    if (ones == 2) {
        sum = add_33(l, sum, sass_imm(l, 0), sass_bool(l, true), &again);
        carry = sass_combine(l, 2, carry, again);
    }
    if (right) {
        struct lane_operand high = sass_op3(l, LANE_OP_selp, LANE_B32, sass_imm(l, 1), sass_imm(l, 0), carry);
        struct lane_operand shifted = sass_temp(l, 32);
        sass_emit3(l, LANE_OP_shf, LANE_B32, shifted, sum, high, sass_imm(l, 16))->mode = 1;
        sum = shifted;
    } else {
        sum = sass_op2(l, LANE_OP_shl, LANE_B32, sum, sass_imm(l, 16));
    }
    struct sum last = {.a = sum, .b = operand3(l, 3), .minus_b = l->op[3].neg, .extended = extended};
    lower_sum(l, sass_number(l, 0), &last);
}

/* Sums of three words carry up to twice, and CC.C holds one carry. ptxas adds three numbers of 64 bits as IADD3.CC and
 * IADD3.X, so what is beyond the first carry must reach the second instruction too: in a register of its own (a named
 * choice), within the straight piece of code where such a pair is. */
static const struct sass_insn *neighbour(const struct sass_lowerer *l, const struct sass_text *text, int64_t step,
                                         uint64_t *index)
{
    const struct sass_place *places = l->flow->places[text - l->linked->texts];
    if (step < 0 ? *index == 0 || places[*index].leader : *index + 1 >= text->code.count || places[*index + 1].leader)
        return NULL;
    *index += (uint64_t)step;
    return &text->code.insns[*index];
}

static bool is_carrying(const struct sass_lowerer *l, const struct sass_insn *insn, enum sass_role flag)
{
    return insn->form && isa_has(l->table, insn->form, &insn->word, flag);
}

/* The other half of the pair: IADD3.CC before this, or IADD3.X after it, with no other carry between them. */
static bool in_pair(const struct sass_lowerer *l, int64_t step)
{
    const struct sass_text *text = sass_link_text(l->linked, l->address);
    uint64_t index = sass_index_of(l->address - text->base);
    const struct sass_insn *insn;
    while ((insn = neighbour(l, text, step, &index)) != NULL) {
        bool three = insn->form && sass_does(insn->form) == sass_does(l->form);
        if (step > 0 && three && is_carrying(l, insn, SASS_MOD_X))
            return true;
        if (is_carrying(l, insn, SASS_MOD_CC))
            return step < 0 && three;
    }
    return false;
}

/* The carries as CC.C and what is beyond it. */
static void set_carries(struct sass_lowerer *l, const struct lane_operand *carries, unsigned count)
{
    struct lane_operand any = carries[0], sum = sass_imm(l, 0), beyond;
    for (unsigned i = 1; i < count; i++)
        any = sass_combine(l, 1, any, carries[i]);
    if (in_pair(l, 1)) {
        for (unsigned i = 0; i < count; i++)
            sum = sass_op2(l, LANE_OP_add, LANE_U32, sum,
                           sass_op3(l, LANE_OP_selp, LANE_B32, sass_imm(l, 1), sass_imm(l, 0), carries[i]));
        beyond =
            sass_op2(l, LANE_OP_sub, LANE_U32, sass_op2(l, LANE_OP_max, LANE_U32, sum, sass_imm(l, 1)), sass_imm(l, 1));
        if (l->more_carries.kind == LANE_NONE)
            l->more_carries = lane_reg(&l->b, 32, "CC.M");
        sass_emit1(l, LANE_OP_mov, LANE_B32, l->more_carries, beyond);
    }
    sass_set_flag(l, SASS_C, any);
}

/* With a carry out: two sums, either of which may carry. The third one, if there is one, goes into the last operand
 * (a carry out of that is no carry of 32-bit words: it wraps only for ~0 + 1 = 2^32, which counts as well). */
static struct lane_operand carry_sum3(struct sass_lowerer *l, const struct sum3 *s)
{
    struct lane_operand carries[4], last = s->in[2], one = sass_bool(l, true);
    struct lane_operand in = s->extended ? sass_flag(l, SASS_C) : s->ones > 0 ? one : SASS_NOTHING;
    unsigned count = 2;
    if (!s->extended && s->ones > 2)
        last = add_33(l, last, sass_imm(l, 0), one, &carries[count++]);
    struct lane_operand sum = add_33(l, s->in[0], s->in[1], in, &carries[0]);
    sum = add_33(l, sum, last, !s->extended && s->ones > 1 ? one : SASS_NOTHING, &carries[1]);
    if (s->extended && l->more_carries.kind == LANE_REG && in_pair(l, -1))
        sum = add_33(l, sum, l->more_carries, SASS_NOTHING, &carries[count++]);
    if (sass_flags_due(l) & SASS_BIT_C)
        set_carries(l, carries, count);
    return sum;
}

SASS_LOWER(iadd3)
{
    unsigned shift = sass_value(l, SASS_ROLE_lrs, 0), due = sass_flags_due(l);
    struct sum3 s = {.extended = sass_has(l, SASS_MOD_X)};
    if (shift) {
        if (shift > 2)
            sass_cannot(l, "IADD3 with a reserved shift");
        else
            lower_iadd3_shifted(l, shift == 1);
        return;
    }
    for (unsigned i = 0; i < 3; i++) {
        s.in[i] = operand3(l, i + 1);
        s.minus[i] = l->op[i + 1].neg;
        s.ones += s.minus[i];
    }
    if (s.extended || due & (SASS_BIT_C | SASS_BIT_O)) {
        for (unsigned i = 0; i < 3; i++)
            s.in[i] = inverse(l, s.minus[i], s.in[i]);
        struct lane_operand d = carry_sum3(l, &s);
        zero_and_sign(l, d, due);
        if (due & SASS_BIT_O)
            sass_set_flag(l, SASS_O, sass_bool(l, false)); /* never seen to be read after IADD3 */
        sass_set(l, sass_number(l, 0), d);
        return;
    }
    struct lane_operand first = sass_temp(l, 32);
    struct sum one = {.a = s.in[0], .b = s.in[1], .minus_a = s.minus[0], .minus_b = s.minus[1]};
    plain_sum(l, &one, first);
    struct sum two = {.a = first, .b = s.in[2], .minus_b = s.minus[2]};
    lower_sum(l, sass_number(l, 0), &two);
}

/* ---- scaled sums --------------------------------------------------------------------------------------------- */

/* (a << shift, negated) + b: one multiply-add where nothing else is asked. */
static struct lane_operand scaled_sum(struct sass_lowerer *l, unsigned n, struct sum *s, unsigned shift)
{
    if (shift && !s->minus_b && !s->one && !s->extended && !sass_flags_due(l)) {
        uint32_t factor = UINT32_C(1) << shift;
        struct lane_operand d = sass_result(l, n);
        sass_emit3(l, LANE_OP_mad, LANE_U32, d, s->a, sass_imm(l, s->minus_a ? 0 - factor : factor), s->b);
        return d;
    }
    if (shift)
        s->a = sass_op2(l, LANE_OP_shl, LANE_B32, s->a, sass_imm(l, shift));
    return lower_sum(l, n, s);
}

SASS_LOWER(iscadd)
{
    struct sum s = {.a = sass_magnitude(l, 1),
                    .b = sass_magnitude(l, 2),
                    .minus_a = l->op[1].neg,
                    .minus_b = l->op[2].neg,
                    .one = isa_any(l->form, SASS_PLUS_ONE)};
    scaled_sum(l, sass_number(l, 0), &s, (unsigned)l->op[3].value & 31);
}

/* The predicate that LEA may write: result is 0 (docs/maxwell.md, "Other memory instructions"; inferred). */
SASS_LOWER(lea)
{
    bool high = l->form->role[SASS_ROLE_Rc] != 0;
    unsigned shift = (unsigned)l->op[high ? 5 : 4].value & 31;
    struct sum s = {.a = sass_magnitude(l, 2),
                    .b = sass_magnitude(l, 3),
                    .minus_a = l->op[2].neg,
                    .extended = sass_has(l, SASS_MOD_X)};
    struct lane_operand d;
    if (high) {
        struct lane_operand c = sass_raw(l, 4);
        if (shift) {
            struct lane_operand upper = sass_temp(l, 32);
            sass_emit3(l, LANE_OP_shf, LANE_B32, upper, s.a, c, sass_imm(l, shift));
            c = upper;
        }
        s.a = c;
        d = lower_sum(l, sass_number(l, 1), &s);
    } else {
        d = scaled_sum(l, sass_number(l, 1), &s, shift);
    }
    if (l->op[0].reg != SASS_PT)
        sass_set_predicate(l, 0, sass_compare(l, LANE_EQ, LANE_B32, d, sass_imm(l, 0)));
}

/* ---- products -------------------------------------------------------------------------------------------------- */

/* C of XMAD.CSFU: less 0x10000 for each negative half whose partner's other half is not 0. */
static struct lane_operand adjusted(struct sass_lowerer *l, unsigned aux, struct lane_operand a, struct lane_operand b,
                                    struct lane_operand c)
{
    for (unsigned i = 0; i < 2; i++) {
        if (!(aux & (i ? LANE_MAD16_B_SIGNED : LANE_MAD16_A_SIGNED)))
            continue;
        bool own_high = aux & (i ? LANE_MAD16_B_HIGH : LANE_MAD16_A_HIGH);
        bool other_high = aux & (i ? LANE_MAD16_A_HIGH : LANE_MAD16_B_HIGH);
        struct lane_operand own = i ? b : a, other = i ? a : b;
        if (!own_high)
            own = sass_op2(l, LANE_OP_shl, LANE_B32, own, sass_imm(l, 16));
        struct lane_operand rest =
            sass_op2(l, LANE_OP_and, LANE_B32, other, sass_imm(l, other_high ? 0xffff : 0xffff0000));
        struct lane_operand both = sass_combine(l, 0, sass_compare(l, LANE_LT, LANE_S32, own, sass_imm(l, 0)),
                                                sass_compare(l, LANE_NE, LANE_B32, rest, sass_imm(l, 0)));
        struct lane_operand less = sass_op3(l, LANE_OP_selp, LANE_B32, sass_imm(l, 0x10000), sass_imm(l, 0), both);
        c = sass_op2(l, LANE_OP_sub, LANE_U32, c, less);
    }
    return c;
}

static bool is_high(const struct sass_lowerer *l, unsigned i)
{
    return l->op[i].suffix == 1; /* names h1: "", ".H1" */
}

/* C as the mode has it, and product and C as two numbers: for what one operation cannot say. */
static void lower_xmad_apart(struct sass_lowerer *l, unsigned aux, struct lane_operand a, struct lane_operand b,
                             struct lane_operand c)
{
    unsigned n = sass_number(l, 0), of_product = aux & (LANE_MAD16_A_HIGH | LANE_MAD16_B_HIGH | LANE_MAD16_A_SIGNED |
                                                        LANE_MAD16_B_SIGNED | LANE_MAD16_SHIFT);
    struct lane_operand product = sass_temp(l, 32), zero = sass_imm(l, 0);
    sass_emit3(l, LANE_OP_mad16, LANE_B32, product, a, b, zero)->aux = of_product;
    if (aux & LANE_MAD16_C_LOW)
        c = sass_op2(l, LANE_OP_and, LANE_B32, c, sass_imm(l, 0xffff));
    if (aux & LANE_MAD16_C_HIGH)
        c = sass_op2(l, LANE_OP_shr, LANE_U32, c, sass_imm(l, 16));
    if (aux & LANE_MAD16_C_PLUS_B)
        c = sass_op2(l, LANE_OP_add, LANE_U32, c, sass_op2(l, LANE_OP_shl, LANE_B32, b, sass_imm(l, 16)));
    struct sum s = {.a = product, .b = c, .extended = sass_has(l, SASS_MOD_X)};
    if (!(aux & LANE_MAD16_MERGE)) {
        lower_sum(l, n, &s);
        return;
    }
    struct lane_operand sum = lower_sum(l, SASS_RZ, &s), merged = sass_result(l, n);
    sass_emit(l, LANE_OP_bfi, LANE_B32, merged, b, sum, sass_imm(l, 16), sass_imm(l, 16));
}

SASS_LOWER(xmad)
{
    unsigned sign = sass_value(l, SASS_ROLE_sign, 0), mode = sass_value(l, SASS_ROLE_mode, 0), aux = 0;
    static const uint16_t of_mode[] = {0, LANE_MAD16_C_LOW, LANE_MAD16_C_HIGH, 0, LANE_MAD16_C_PLUS_B};
    if (mode > 4) {
        sass_cannot(l, "XMAD%s", sass_spelling(l, SASS_ROLE_mode));
        return;
    }
    aux |= of_mode[mode];
    aux |= sign & 1 ? LANE_MAD16_A_SIGNED : 0;
    aux |= sign & 2 ? LANE_MAD16_B_SIGNED : 0;
    aux |= is_high(l, 1) ? LANE_MAD16_A_HIGH : 0;
    aux |= l->op[2].kind != ISA_NUMBER && is_high(l, 2) ? LANE_MAD16_B_HIGH : 0;
    aux |= sass_has(l, SASS_MOD_PSL) ? LANE_MAD16_SHIFT : 0;
    aux |= sass_has(l, SASS_MOD_MRG) ? LANE_MAD16_MERGE : 0;
    struct lane_operand a = sass_raw(l, 1), b = sass_raw(l, 2), c = sass_raw(l, 3);
    if (l->op[2].kind == ISA_NUMBER) /* 16 bits, whatever sign it is printed with */
        b = sass_imm(l, (uint32_t)l->op[2].value & 0xffff);
    if (mode == 3)
        c = adjusted(l, aux, a, b, c);
    if (sass_has(l, SASS_MOD_X) || sass_flags_due(l))
        lower_xmad_apart(l, aux, a, b, c);
    else
        sass_emit3(l, LANE_OP_mad16, LANE_B32, sass_result(l, sass_number(l, 0)), a, b, c)->aux = aux;
}

/* a * b, 32 bits: the low ones, or with `high` bits 63-32. Signs numbered as the names mulsign: bit 0 of a, 1 of b. */
static struct lane_operand product(struct sass_lowerer *l, struct lane_operand a, struct lane_operand b, unsigned sign,
                                   bool high)
{
    if (!high)
        return sass_op2(l, LANE_OP_mul, LANE_U32, a, b);
    if (sign == 0 || sign == 3)
        return sass_op2(l, LANE_OP_mulhi, sign ? LANE_S32 : LANE_U32, a, b);
    struct lane_operand wide_a = sass_convert(l, LANE_S64, sign & 1 ? LANE_S32 : LANE_U32, a);
    struct lane_operand wide_b = sass_convert(l, LANE_S64, sign & 2 ? LANE_S32 : LANE_U32, b);
    struct lane_operand wide = sass_op2(l, LANE_OP_mul, LANE_S64, wide_a, wide_b);
    struct lane_operand dst[2] = {SASS_NOTHING, sass_temp(l, 32)};
    sass_emit_list(l, LANE_OP_unpack, LANE_B64, 2, dst, 1, &wide)->type2 = LANE_B32;
    return dst[1];
}

/* The minus of a is that of the product. .SAT limits the last sum, as of IADD: ptxas writes it for mad.hi.sat.s32 only;
 * for low words and unsigned factors this is a named choice. */
SASS_LOWER(imad)
{
    bool high = sass_has(l, SASS_MOD_HI);
    unsigned sign = sass_value(l, SASS_ROLE_sign, 3);
    struct sum s = {.a = product(l, sass_magnitude(l, 1), sass_magnitude(l, 2), sign, high),
                    .b = sass_magnitude(l, 3),
                    .minus_a = l->op[1].neg || l->op[2].neg,
                    .minus_b = l->op[3].neg,
                    .one = isa_any(l->form, SASS_PLUS_ONE),
                    .extended = sass_has(l, SASS_MOD_X),
                    .saturated = sass_has(l, SASS_MOD_SAT)};
    lower_any_sum(l, sass_number(l, 0), &s);
}

/* C = O = 0 (INFERRED). */
SASS_LOWER(imul)
{
    struct lane_operand p =
        product(l, sass_source(l, 1), sass_source(l, 2), sass_value(l, SASS_ROLE_sign, 3), sass_has(l, SASS_MOD_HI));
    sass_set_logic_flags(l, p);
    sass_set(l, sass_number(l, 0), p);
}

/* A part of an operand: `bits` from `at`, extended. */
static struct lane_operand part(struct sass_lowerer *l, struct lane_operand value, unsigned at, unsigned bits,
                                bool sign)
{
    return bits == 32 ? value
                      : sass_op3(l, LANE_OP_bfe, sign ? LANE_S32 : LANE_U32, value, sass_imm(l, at), sass_imm(l, bits));
}

/* IMADSP: low 32 bits of the product of parts, + part of c. Names spa, spb, spc: the low bit is the sign. */
SASS_LOWER(imadsp)
{
    static const struct {
        uint8_t at, bits;
    } of_a[] = {{0, 32}, {0, 24}, {0, 16}, {16, 16}}, of_b[] = {{0, 24}, {0, 16}}, of_c[] = {{0, 32}, {0, 24}, {0, 16}};
    unsigned a = sass_value(l, SASS_ROLE_spa, 0), b = sass_value(l, SASS_ROLE_spb, 0),
             c = sass_value(l, SASS_ROLE_spc, 0);
    unsigned which = c & 3;
    if (which > 2) {
        sass_cannot(l, "IMADSP with these parts");
        return;
    }
    bool sign_c = c > 3; /* .S32 .S24 .S16H0 */
    struct lane_operand x = part(l, sass_raw(l, 1), of_a[a >> 1].at, of_a[a >> 1].bits, a & 1);
    struct lane_operand y = part(l, sass_raw(l, 2), of_b[b >> 1].at, of_b[b >> 1].bits, b & 1);
    struct sum s = {.a = sass_op2(l, LANE_OP_mul, LANE_U32, x, y),
                    .b = part(l, sass_raw(l, 3), of_c[which].at, of_c[which].bits, sign_c)};
    lower_sum(l, sass_number(l, 0), &s);
}

/* ---- comparison ------------------------------------------------------------------------------------------------- */

/* enum sass_compare */
static struct lane_operand compare3(struct sass_lowerer *l, unsigned cmp, bool is_unsigned, struct lane_operand a,
                                    struct lane_operand b)
{
    static const uint8_t cmps[] = {0, LANE_LT, LANE_EQ, LANE_LE, LANE_GT, LANE_NE, LANE_GE};
    if (cmp == SASS_CMP_F || cmp == SASS_CMP3_T)
        return sass_bool(l, cmp == SASS_CMP3_T);
    return sass_compare(l, (enum lane_cmp)cmps[cmp], is_unsigned ? LANE_U32 : LANE_S32, a, b);
}

/* .X: what the lower words left in CC goes on. d = a - b - (1 - C) without bounds: LT is d < 0, EQ is d = 0 and Z. */
static struct lane_operand compare_extended(struct sass_lowerer *l, unsigned cmp, bool is_unsigned,
                                            struct lane_operand a, struct lane_operand b)
{
    struct lane_operand at_least, top = sass_imm(l, 0x80000000);
    if (cmp == SASS_CMP_F || cmp == SASS_CMP3_T)
        return sass_bool(l, cmp == SASS_CMP3_T);
    if (!is_unsigned) {
        a = sass_op2(l, LANE_OP_xor, LANE_B32, a, top);
        b = sass_op2(l, LANE_OP_xor, LANE_B32, b, top);
    }
    struct lane_operand d = add_33(l, a, inverse(l, true, b), sass_flag(l, SASS_C), &at_least);
    if (cmp == SASS_CMP_LT)
        return sass_not(l, at_least);
    if (cmp == SASS_CMP_GE)
        return at_least;
    struct lane_operand equal = sass_combine(l, 0, sass_compare(l, LANE_EQ, LANE_B32, d, sass_imm(l, 0)), at_least);
    equal = sass_combine(l, 0, equal, sass_flag(l, SASS_Z));
    if (cmp == SASS_CMP_EQ)
        return equal;
    if (cmp == SASS_CMP_NE)
        return sass_not(l, equal);
    if (cmp == SASS_CMP_LE)
        return sass_combine(l, 1, sass_not(l, at_least), equal);
    return sass_combine(l, 0, at_least, sass_not(l, equal)); /* GT */
}

static struct lane_operand comparison(struct sass_lowerer *l, unsigned first)
{
    unsigned cmp = sass_value(l, SASS_ROLE_cmp, 0);
    bool is_unsigned = sass_has(l, SASS_MOD_U32);
    struct lane_operand a = sass_raw(l, first), b = sass_raw(l, first + 1);
    return sass_has(l, SASS_MOD_X) ? compare_extended(l, cmp, is_unsigned, a, b) : compare3(l, cmp, is_unsigned, a, b);
}

SASS_LOWER(isetp)
{
    unsigned bop = sass_value(l, SASS_ROLE_bop, 0);
    const struct isa_operand *with = &l->op[4];
    /* The usual form, one operation: P = a cmp b. */
    if (bop == 0 && with->reg == SASS_PT && !with->not &&l->op[1].reg == SASS_PT && l->op[0].reg != SASS_PT &&
        !sass_has(l, SASS_MOD_X) && sass_value(l, SASS_ROLE_cmp, 0) % 7 != 0) {
        static const uint8_t cmps[] = {0, LANE_LT, LANE_EQ, LANE_LE, LANE_GT, LANE_NE, LANE_GE};
        sass_emit2(l, LANE_OP_setp, sass_has(l, SASS_MOD_U32) ? LANE_U32 : LANE_S32,
                   sass_predicate_register(l, l->op[0].reg), sass_raw(l, 2), sass_raw(l, 3))
            ->cmp = cmps[sass_value(l, SASS_ROLE_cmp, 0)];
        return;
    }
    sass_set_both(l, 0, 4, bop, comparison(l, 2));
}

SASS_LOWER(iset)
{
    unsigned bop = sass_value(l, SASS_ROLE_bop, 0);
    if (bop > 2) {
        sass_cannot(l, "reserved predicate operation");
        return;
    }
    struct lane_operand p = sass_combine(l, bop, comparison(l, 1), sass_predicate(l, 3));
    uint32_t yes = sass_has(l, SASS_MOD_BF) ? 0x3f800000 : 0xffffffff;
    struct lane_operand d = sass_op3(l, LANE_OP_selp, LANE_B32, sass_imm(l, yes), sass_imm(l, 0), p);
    sass_set_logic_flags(l, d);
    sass_set(l, sass_number(l, 0), d);
}

SASS_LOWER(icmp)
{
    struct lane_operand p =
        compare3(l, sass_value(l, SASS_ROLE_cmp, 0), sass_has(l, SASS_MOD_U32), sass_raw(l, 3), sass_imm(l, 0));
    sass_emit3(l, LANE_OP_selp, LANE_B32, sass_result(l, sass_number(l, 0)), sass_raw(l, 1), sass_raw(l, 2), p);
}

/* ---- minimum and maximum ---------------------------------------------------------------------------------- */

/* Is a taken? Where they are equal, yes. */
static struct lane_operand takes_a(struct sass_lowerer *l, enum lane_type type, struct lane_operand a,
                                   struct lane_operand b, struct lane_operand least)
{
    uint64_t known;
    if (sass_is_const(l, least, &known))
        return sass_compare(l, known & 1 ? LANE_LE : LANE_GE, type, a, b);
    struct lane_operand low = sass_compare(l, LANE_LE, type, a, b), high = sass_compare(l, LANE_GE, type, a, b);
    return sass_combine(l, 1, sass_combine(l, 0, least, low), sass_combine(l, 0, sass_not(l, least), high));
}

/* Words of longer integers, highest first (docs/maxwell.md, "Arithmetic"). XHI decides and leaves Z = equal so far, C =
 * a is taken; XMED (INFERRED) and XLO decide where the words above were equal. */
static void lower_minmax_long(struct sass_lowerer *l, unsigned mode, enum lane_type type)
{
    struct lane_operand a = sass_raw(l, 1), b = sass_raw(l, 2);
    struct lane_operand take = takes_a(l, type, a, b, sass_predicate(l, 3));
    struct lane_operand equal = sass_compare(l, LANE_EQ, LANE_B32, a, b);
    unsigned due = sass_flags_due(l);
    if (mode != 3) { /* not the highest word */
        struct lane_operand open = sass_flag(l, SASS_Z);
        take = sass_combine(l, 1, sass_combine(l, 0, open, take),
                            sass_combine(l, 0, sass_not(l, open), sass_flag(l, SASS_C)));
        equal = sass_combine(l, 0, equal, open);
    }
    struct lane_operand d = sass_op3(l, LANE_OP_selp, LANE_B32, a, b, take);
    if (due & SASS_BIT_Z)
        sass_set_flag(l, SASS_Z, equal);
    if (due & SASS_BIT_C)
        sass_set_flag(l, SASS_C, take);
    if (due & SASS_BIT_S)
        sass_set_flag(l, SASS_S, sass_compare(l, LANE_LT, LANE_S32, d, sass_imm(l, 0)));
    if (due & SASS_BIT_O)
        sass_set_flag(l, SASS_O, sass_bool(l, false));
    sass_set(l, sass_number(l, 0), d);
}

SASS_LOWER(imnmx)
{
    unsigned mode = sass_value(l, SASS_ROLE_minmaxx, 0);
    enum lane_type type = sass_has(l, SASS_MOD_U32) ? LANE_U32 : LANE_S32;
    struct lane_operand least = sass_predicate(l, 3);
    uint64_t known;
    if (mode) {
        lower_minmax_long(l, mode, type);
        return;
    }
    struct lane_operand a = sass_raw(l, 1), b = sass_raw(l, 2);
    if (sass_is_const(l, least, &known)) {
        struct lane_operand d = sass_flags_due(l) ? sass_temp(l, 32) : sass_result(l, sass_number(l, 0));
        sass_emit2(l, known & 1 ? LANE_OP_min : LANE_OP_max, type, d, a, b);
        sass_set_logic_flags(l, d);
        if (sass_flags_due(l))
            sass_set(l, sass_number(l, 0), d);
        return;
    }
    struct lane_operand d = sass_op3(l, LANE_OP_selp, LANE_B32, sass_op2(l, LANE_OP_min, type, a, b),
                                     sass_op2(l, LANE_OP_max, type, a, b), least);
    sass_set_logic_flags(l, d);
    sass_set(l, sass_number(l, 0), d);
}

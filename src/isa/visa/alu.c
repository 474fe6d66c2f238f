/* vISA's arithmetic and logic. Source of all that is said here: docs/visa.md, "Running". */
#include "isa/visa/alu.h"

#include "lane/form.h"

#include <string.h>

/* ---- types to compute in ------------------------------------------------------------------------------------ */

static unsigned float_of(unsigned a, unsigned b)
{
    if (a == VISA_DF || b == VISA_DF)
        return VISA_DF;
    if (a == VISA_F || b == VISA_F || a == VISA_VF || b == VISA_VF)
        return VISA_F;
    return a == b || !visa_type_float(b) ? a : VISA_F;
}

/* A type that has all values of both. */
static unsigned int_of(unsigned a, unsigned b)
{
    unsigned bytes = visa_type_bytes(a) > visa_type_bytes(b) ? visa_type_bytes(a) : visa_type_bytes(b);
    bool a_fits = visa_type_signed(a) || visa_type_bytes(a) < 4, b_fits = visa_type_signed(b) || visa_type_bytes(b) < 4;
    if (bytes <= 4 && a_fits && b_fits)
        return VISA_D;
    if (!visa_type_signed(a) && !visa_type_signed(b))
        return bytes <= 4 ? VISA_UD : VISA_UQ;
    return VISA_Q;
}

/* The type in which values of these are what they are; of a float and an integer the float. */
unsigned visa_common(unsigned a, unsigned b)
{
    return visa_type_float(a) || visa_type_float(b) ? float_of(visa_type_float(a) ? a : b, visa_type_float(a) ? b : a)
                                                    : int_of(a, b);
}

/* The result's type; what wraps is computed in its width, what saturates in one that holds the exact value. */
static unsigned target_type(const struct visa_lower *l)
{
    return visa_operand_own_type(l, &l->inst->ops[0]);
}

static bool saturates(const struct visa_lower *l)
{
    return l->inst->ops[0].modifier == VISA_SATURATE;
}

static unsigned wrapping(unsigned target)
{
    return visa_type_bytes(target) < 8 ? VISA_UD : VISA_UQ;
}

/* ---- wrapping and exact arithmetic ------------------------------------------------------------------------- */

enum { MOST = 3 };

static bool are_one(struct visa_value a, struct visa_value b)
{
    return a.type == b.type && a.v.kind == b.v.kind && a.v.index == b.v.index;
}

/* Values in one type. What is one register becomes one (checks know that x == x, whatever x is). */
static void convert_all(struct visa_lower *l, unsigned count, const struct visa_value *v, unsigned type,
                        struct lane_operand *out)
{
    for (unsigned i = 0; i < count; i++)
        out[i] = i && are_one(v[i], v[i - 1]) ? out[i - 1] : visa_convert(l, v[i], type, false).v;
}

/* Sources from operand `first` on, in the type that the operation is computed in. */
static unsigned gather(struct visa_lower *l, unsigned first, unsigned count, struct lane_operand out[MOST])
{
    struct visa_value v[MOST];
    unsigned target = target_type(l), type = VISA_TYPES;
    bool exact = saturates(l);
    for (unsigned i = 0; i < count; i++) {
        v[i] = visa_source(l, &l->inst->ops[first + i], exact);
        type = type == VISA_TYPES ? v[i].type : visa_common(type, v[i].type);
    }
    bool is_float = visa_type_float(type);
    if (!is_float && visa_type_float(target))
        type = target, is_float = true;
    else if (!is_float && exact)
        type = visa_type_signed(type) || visa_type_signed(target) || type != VISA_UQ ? VISA_Q : VISA_UQ;
    else if (!is_float)
        type = wrapping(target);
    convert_all(l, count, v, type, out);
    return type;
}

static struct lane_operand arithmetic(struct visa_lower *l, enum lane_op op, unsigned type, unsigned count,
                                      const struct lane_operand *src)
{
    enum lane_type lane = visa_lane_type(type);
    struct lane_operand d = visa_pure(l, op, lane, lane_type_bits(lane), count, src);
    if (visa_type_float(type)) {
        struct lane_inst *inst = visa_last(l);
        bool half = type == VISA_HF || type == VISA_BF, rounds = lane_uses(&lane_rows[op], 'r');
        inst->round = half || !rounds ? LANE_RN : (uint8_t)visa_rounding(l);
        inst->flags |= (uint16_t)visa_flush(l, type);
    }
    return d;
}

static void finish(struct visa_lower *l, unsigned type, struct lane_operand v)
{
    visa_result(l, &l->inst->ops[0], (struct visa_value){v, (uint8_t)type});
}

/* a + -b of integers up to 32 bits, whose sum wraps around: how vISA writes differences. */
static bool is_difference(struct visa_lower *l, const struct visa_does *does)
{
    const struct visa_operand *ops = l->inst->ops;
    bool small = does->op == LANE_OP_add && does->mode == 2 && ops[2].modifier == VISA_NEG && !saturates(l);
    for (unsigned i = 0; small && i < 3; i++) {
        unsigned type = i ? visa_operand_own_type(l, &ops[i]) : target_type(l);
        small = !visa_type_float(type) && visa_type_bytes(type) <= 4;
    }
    return small;
}

static void difference(struct visa_lower *l)
{
    struct visa_value v[2] = {visa_source(l, &l->inst->ops[1], false), visa_get(l, &l->inst->ops[2])};
    struct lane_operand src[2];
    unsigned type = wrapping(target_type(l));
    convert_all(l, 2, v, type, src);
    finish(l, type, arithmetic(l, LANE_OP_sub, type, 2, src));
}

/* Sums and products; op of integers, op2 of floats. */
void visa_arithmetic(struct visa_lower *l, const struct visa_does *does)
{
    struct lane_operand src[MOST];
    if (is_difference(l, does)) {
        difference(l);
        return;
    }
    unsigned type = gather(l, 1, does->mode, src);
    bool is_float = visa_type_float(type);
    if (!is_float && does->op == LANE_OP_mad && saturates(l)) {
        src[0] = arithmetic(l, LANE_OP_mul, type, 2, src);
        src[1] = src[2];
        finish(l, type, arithmetic(l, LANE_OP_add, type, 2, src));
        return;
    }
    finish(l, type, arithmetic(l, is_float ? does->op2 : does->op, type, does->mode, src));
}

void visa_add3(struct visa_lower *l, const struct visa_does *does)
{
    struct lane_operand src[MOST];
    unsigned type = gather(l, 1, 3, src);
    (void)does;
    src[0] = arithmetic(l, LANE_OP_add, type, 2, src);
    src[1] = src[2];
    finish(l, type, arithmetic(l, LANE_OP_add, type, 2, src));
}

/* ---- operations on values as they are ------------------------------------------------------------------------ */

/* Two sources in a type that has all their values. */
static unsigned gather_exact(struct visa_lower *l, unsigned first, unsigned count, struct lane_operand *out)
{
    struct visa_value v[MOST];
    unsigned type = VISA_TYPES;
    for (unsigned i = 0; i < count; i++) {
        v[i] = visa_source(l, &l->inst->ops[first + i], true);
        type = type == VISA_TYPES ? v[i].type : visa_common(type, v[i].type);
    }
    if (count == 1 || (!visa_type_float(type) && visa_type_bytes(type) < 4))
        type = visa_type_float(type) ? type : visa_common(type, type);
    convert_all(l, count, v, type, out);
    return type;
}

/* div, mod, min, max. */
void visa_ordered(struct visa_lower *l, const struct visa_does *does)
{
    struct lane_operand src[MOST];
    unsigned first = l->inst->ops[0].class == VISA_NUMBER ? 1 : 0; /* fminmax has its kind first */
    unsigned type = gather_exact(l, first + 1, 2, src);
    visa_result(l, &l->inst->ops[first], (struct visa_value){arithmetic(l, does->op, type, 2, src), (uint8_t)type});
}

/* (a + b + 1) >> 1, of sums that do not wrap. */
void visa_avg(struct visa_lower *l, const struct visa_does *does)
{
    struct lane_operand src[MOST];
    unsigned type = gather_exact(l, 1, 2, src);
    (void)does;
    for (unsigned i = 0; i < 2; i++)
        src[i] = visa_convert(l, (struct visa_value){src[i], (uint8_t)type}, VISA_Q, false).v;
    struct lane_operand sum = visa_two(l, LANE_OP_add, LANE_S64, src[0], src[1]);
    sum = visa_two(l, LANE_OP_add, LANE_S64, sum, lane_imm(l->b, 64, 1));
    finish(l, VISA_Q, visa_two(l, LANE_OP_shr, LANE_S64, sum, lane_imm(l->b, 32, 1)));
}

void visa_mulh(struct visa_lower *l, const struct visa_does *does)
{
    struct visa_value a = visa_source(l, &l->inst->ops[1], false), b = visa_source(l, &l->inst->ops[2], false);
    bool is_signed = visa_type_signed(a.type) || visa_type_signed(b.type);
    unsigned type = is_signed ? VISA_D : VISA_UD;
    (void)does;
    if (visa_type_signed(a.type) != visa_type_signed(b.type)) { /* exact in 64 bits */
        struct lane_operand x = visa_convert(l, a, VISA_Q, false).v, y = visa_convert(l, b, VISA_Q, false).v;
        x = visa_two(l, LANE_OP_shr, LANE_S64, visa_two(l, LANE_OP_mul, LANE_S64, x, y), lane_imm(l->b, 32, 32));
        finish(l, VISA_Q, x);
        return;
    }
    finish(l, type,
           visa_two(l, LANE_OP_mulhi, visa_lane_type(type), visa_convert(l, a, type, false).v,
                    visa_convert(l, b, type, false).v));
}

/* ---- logic, shifts -------------------------------------------------------------------------------------------- */

static void logic_of_predicates(struct visa_lower *l, const struct visa_does *does, unsigned count)
{
    struct lane_operand src[2];
    for (unsigned i = 0; i < count; i++) {
        bool not ;
        src[i] = visa_predicate(l, (unsigned)l->inst->ops[i + 1].value, &not );
    }
    visa_store_predicate(l, (unsigned)l->inst->ops[0].value & VISA_PRED_ID,
                         visa_pure(l, does->op, LANE_PRED, 1, count, src));
}

void visa_logic(struct visa_lower *l, const struct visa_does *does)
{
    struct lane_operand src[2];
    unsigned type = wrapping(target_type(l)), count = l->inst->nops - 1u;
    if (l->inst->ops[0].class == VISA_PREDICATE) {
        logic_of_predicates(l, does, count);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        src[i] = visa_convert(l, visa_source(l, &l->inst->ops[i + 1], false), type, false).v;
    enum lane_type lane = visa_bits_type(visa_type_bytes(type));
    finish(l, type, visa_pure(l, does->op, lane, lane_type_bits(lane), count, src));
}

/* The number of bits is of the source b, modulo 32, or 64 where the result has 64. */
static struct lane_operand shift_count(struct visa_lower *l, const struct visa_operand *op, unsigned bits)
{
    struct lane_operand n = visa_convert(l, visa_source(l, op, false), VISA_UD, false).v;
    if (n.kind == LANE_CONST && !l->b->failed)
        return lane_imm(l->b, 32, l->b->func->consts[n.index].lo & (bits - 1));
    return visa_two(l, LANE_OP_and, LANE_B32, n, lane_imm(l->b, 32, bits - 1));
}

/* shl in the result's width; shr logically, asr arithmetically in the source's own. mode 0 shl, 1 shr, 2 asr. */
void visa_shift(struct visa_lower *l, const struct visa_does *does)
{
    struct visa_value a = visa_source(l, &l->inst->ops[1], false);
    unsigned bytes = visa_type_bytes(target_type(l)), type = a.type;
    if (does->mode == 0)
        type = saturates(l) ? (visa_type_signed(a.type) ? VISA_Q : VISA_UQ) : wrapping(target_type(l));
    else if (does->mode == 1) { /* what is shifted in are zeros: the bits count */
        if (visa_type_bytes(a.type) < 4)
            a.type = visa_type_bytes(a.type) == 1 ? VISA_UB : VISA_UW;
        type = visa_type_bytes(a.type) < 8 ? VISA_UD : VISA_UQ;
    } else
        type = visa_common(a.type, a.type);
    struct lane_operand v = visa_convert(l, a, type, false).v;
    struct lane_operand n = shift_count(l, &l->inst->ops[2], bytes == 8 ? 64 : 32);
    enum lane_type lane = does->mode == 0 ? visa_bits_type(visa_type_bytes(type)) : visa_lane_type(type);
    finish(l, type, visa_two(l, does->op, lane, v, n));
}

/* rol, ror in the result's width. mode 1: right. */
void visa_rotate(struct visa_lower *l, const struct visa_does *does)
{
    unsigned bytes = visa_type_bytes(target_type(l)), bits = 8 * bytes;
    unsigned type = bytes == 2 ? VISA_UW : bytes == 8 ? VISA_UQ : VISA_UD;
    if (bytes == 1) {
        visa_stop(l, "not supported: %s of bytes", l->inst->row->name);
        return;
    }
    struct lane_operand v = visa_convert(l, visa_source(l, &l->inst->ops[1], false), type, false).v;
    struct lane_operand n = shift_count(l, &l->inst->ops[2], bits);
    if (bits == 32) {
        struct lane_operand d = visa_three(l, LANE_OP_shf, LANE_B32, v, v, n);
        visa_last(l)->mode = does->mode;
        finish(l, type, d);
        return;
    }
    enum lane_type lane = visa_bits_type(bytes);
    struct lane_operand back = visa_two(l, LANE_OP_sub, LANE_U32, lane_imm(l->b, 32, bits), n);
    struct lane_operand left = visa_two(l, LANE_OP_shl, lane, v, does->mode ? back : n);
    struct lane_operand right = visa_two(l, LANE_OP_shr, lane, v, does->mode ? n : back);
    finish(l, type, visa_two(l, LANE_OP_or, lane, left, right));
}

/* The look-up table of bfn counts its first source lowest; that of the lane program its last. */
void visa_bfn(struct visa_lower *l, const struct visa_does *does)
{
    struct lane_operand src[MOST];
    (void)does;
    for (unsigned i = 0; i < 3; i++)
        src[2 - i] = visa_convert(l, visa_source(l, &l->inst->ops[1 + i], false), VISA_UD, false).v;
    struct lane_operand d = visa_pure(l, LANE_OP_lop3, LANE_B32, 32, 3, src);
    visa_last(l)->aux = (uint32_t)visa_number_in(l, "table") & 0xFF;
    finish(l, VISA_UD, d);
}

/* ---- bits ----------------------------------------------------------------------------------------------------- */

/* lzd, cbit, bfrev: of 32 bits. op. */
void visa_bits(struct visa_lower *l, const struct visa_does *does)
{
    struct visa_value a = visa_source(l, &l->inst->ops[1], false);
    if (visa_type_bytes(a.type) < 4 && does->op == LANE_OP_popc) /* the bits of the source alone */
        a.type = visa_type_bytes(a.type) == 1 ? VISA_UB : VISA_UW;
    bool wide = visa_type_bytes(a.type) == 8;
    struct lane_operand v = visa_convert(l, a, wide ? VISA_UQ : VISA_UD, false).v;
    bool same = does->op == LANE_OP_brev;
    finish(l, wide && same ? VISA_UQ : VISA_UD,
           visa_pure(l, does->op, wide ? LANE_B64 : LANE_B32, wide && same ? 64 : 32, 1, &v));
}

/* The lowest bit set: that of v & -v. */
void visa_fbl(struct visa_lower *l, const struct visa_does *does)
{
    struct lane_operand v = visa_convert(l, visa_source(l, &l->inst->ops[1], false), VISA_UD, false).v;
    struct lane_operand neg = visa_two(l, LANE_OP_sub, LANE_U32, lane_imm(l->b, 32, 0), v);
    (void)does;
    v = visa_two(l, LANE_OP_and, LANE_B32, v, neg);
    finish(l, VISA_UD, visa_pure(l, LANE_OP_bfind, LANE_U32, 32, 1, &v));
}

void visa_fbh(struct visa_lower *l, const struct visa_does *does)
{
    struct visa_value a = visa_source(l, &l->inst->ops[1], false);
    unsigned type = visa_type_signed(a.type) ? VISA_D : VISA_UD;
    struct lane_operand v = visa_convert(l, a, type, false).v;
    (void)does;
    v = visa_pure(l, LANE_OP_bfind, visa_lane_type(type), 32, 1, &v);
    visa_last(l)->flags |= LANE_CLAMP;
    finish(l, VISA_UD, v);
}

static struct lane_operand low_five(struct visa_lower *l, unsigned operand)
{
    return shift_count(l, &l->inst->ops[operand], 32);
}

/* width, offset, value: value >> offset, of which `width` bits stay; of a signed type with their sign. */
void visa_bfe(struct visa_lower *l, const struct visa_does *does)
{
    struct visa_value c = visa_source(l, &l->inst->ops[3], false);
    struct lane_operand width = low_five(l, 1), offset = low_five(l, 2);
    struct lane_operand v = visa_convert(l, c, visa_type_signed(c.type) ? VISA_D : VISA_UD, false).v;
    struct lane_operand rest = visa_two(l, LANE_OP_sub, LANE_U32, lane_imm(l->b, 32, 32), width);
    unsigned type = visa_type_signed(target_type(l)) ? VISA_D : VISA_UD;
    (void)does;
    v = visa_two(l, LANE_OP_shr, LANE_U32, v, offset);
    v = visa_two(l, LANE_OP_shl, LANE_B32, v, rest);
    finish(l, type, visa_two(l, LANE_OP_shr, visa_lane_type(type), v, rest));
}

/* width, offset, value, base. */
void visa_bfi(struct visa_lower *l, const struct visa_does *does)
{
    struct lane_operand src[4];
    src[3] = low_five(l, 1);
    src[2] = low_five(l, 2);
    src[0] = visa_convert(l, visa_source(l, &l->inst->ops[3], false), VISA_UD, false).v;
    src[1] = visa_convert(l, visa_source(l, &l->inst->ops[4], false), VISA_UD, false).v;
    (void)does;
    finish(l, VISA_UD, visa_pure(l, LANE_OP_bfi, LANE_B32, 32, 4, src));
}

/* ---- carries, wide products -------------------------------------------------------------------------------- */

/* The second destination has the carry, as 0 or 1. op: addc or subc. */
void visa_carry(struct visa_lower *l, const struct visa_does *does)
{
    const struct visa_operand *ops = l->inst->ops;
    struct lane_operand src[3] = {visa_convert(l, visa_source(l, &ops[2], false), VISA_UD, false).v,
                                  visa_convert(l, visa_source(l, &ops[3], false), VISA_UD, false).v,
                                  {LANE_NONE, 0}};
    struct lane_operand dst[2] = {lane_reg(l->b, 32, NULL), lane_reg(l->b, 1, NULL)};
    struct lane_inst *inst = lane_emit(l->b, does->op, LANE_U32, 2, dst, 3, src);
    if (l->no_mask || l->scalar)
        inst->flags |= LANE_WHOLE;
    struct lane_operand one =
        visa_three(l, LANE_OP_selp, LANE_B32, lane_imm(l->b, 32, 1), lane_imm(l->b, 32, 0), dst[1]);
    visa_result(l, &ops[1], (struct visa_value){one, VISA_UD});
    visa_result(l, &ops[0], (struct visa_value){dst[0], VISA_UD});
}

/* a * b + c of 64 bits: the low halves, and from the next whole register after them on the high ones. */
void visa_madw(struct visa_lower *l, const struct visa_does *does)
{
    const struct visa_operand *ops = l->inst->ops;
    struct visa_value v[3];
    struct lane_operand wide[3], half[2];
    (void)does;
    if (visa_type_bytes(target_type(l)) != 4) {
        visa_stop(l, "not supported: madw to what are no dwords");
        return;
    }
    for (unsigned i = 0; i < 3; i++) {
        v[i] = visa_source(l, &ops[i + 1], true);
        wide[i] = visa_convert(l, v[i], visa_type_signed(v[i].type) ? VISA_Q : VISA_UQ, false).v;
    }
    struct lane_operand d = visa_two(l, LANE_OP_mul, LANE_U64, wide[0], wide[1]);
    d = visa_two(l, LANE_OP_add, LANE_U64, d, wide[2]);
    half[0] = visa_cvt(l, LANE_U32, LANE_U64, d);
    half[1] = visa_cvt(l, LANE_U32, LANE_U64, visa_two(l, LANE_OP_shr, LANE_B64, d, lane_imm(l->b, 32, 32)));
    struct visa_operand high = ops[0];
    high.row = (uint8_t)(high.row + (4 * l->channels + l->grf - 1) / l->grf);
    visa_put(l, &high, half[1]);
    visa_put(l, &ops[0], half[0]);
}

/* c + the products of a's and b's four bytes, where c is the first source. */
void visa_dp4a(struct visa_lower *l, const struct visa_does *does)
{
    const struct visa_operand *ops = l->inst->ops;
    struct visa_value v[3];
    (void)does;
    for (unsigned i = 0; i < 3; i++)
        v[i] = visa_source(l, &ops[i + 1], i == 0 && saturates(l));
    if (visa_type_bytes(v[1].type) != 4 || visa_type_bytes(v[2].type) != 4) {
        visa_stop(l, "not supported: dp4a of sources that are no dwords");
        return;
    }
    struct lane_operand src[3] = {v[1].v, v[2].v, visa_convert(l, v[0], VISA_UD, false).v};
    if (saturates(l))
        src[2] = lane_imm(l->b, 32, 0);
    struct lane_operand d = visa_pure(l, LANE_OP_dp4a, visa_type_signed(v[1].type) ? LANE_S32 : LANE_U32, 32, 3, src);
    visa_last(l)->type2 = (uint8_t)(visa_type_signed(v[2].type) ? LANE_S32 : LANE_U32);
    if (!saturates(l)) {
        finish(l, VISA_UD, d);
        return;
    }
    bool is_signed = visa_type_signed(v[1].type) || visa_type_signed(v[2].type);
    struct visa_value sum = visa_convert(l, (struct visa_value){d, is_signed ? VISA_D : VISA_UD}, VISA_Q, false);
    sum.v = visa_two(l, LANE_OP_add, LANE_S64, sum.v, visa_convert(l, v[0], VISA_Q, false).v);
    finish(l, VISA_Q, sum.v);
}

/* ---- comparison, selection ----------------------------------------------------------------------------------- */

/* Of a general destination all bits of the channels that are true. */
void visa_cmp(struct visa_lower *l, const struct visa_does *does)
{
    static const uint8_t relations[] = {LANE_EQ, LANE_NEU, LANE_GT, LANE_GE, LANE_LT, LANE_LE};
    const struct visa_operand *dst = visa_operand_in(l, "dst");
    struct lane_operand src[MOST];
    unsigned first = (unsigned)(dst - l->inst->ops), relation = (unsigned)visa_number_in(l, "relation");
    unsigned type = gather_exact(l, first + 1, 2, src);
    (void)does;
    if (relation >= sizeof relations) {
        visa_stop(l, "not supported: a comparison with relation %u", relation);
        return;
    }
    enum lane_cmp cmp = relations[relation];
    if (cmp == LANE_NEU && !visa_type_float(type))
        cmp = LANE_NE;
    struct lane_operand p = visa_compare(l, cmp, visa_lane_type(type), src[0], src[1]);
    visa_last(l)->flags |= (uint16_t)visa_flush(l, type);
    if (dst->class == VISA_PREDICATE) {
        visa_store_predicate(l, (unsigned)dst->value & VISA_PRED_ID, p);
        return;
    }
    unsigned bytes = visa_type_bytes(visa_operand_own_type(l, dst));
    visa_put(l, dst,
             visa_three(l, LANE_OP_selp, visa_bits_type(bytes), lane_imm(l->b, 8 * bytes, UINT64_MAX),
                        lane_imm(l->b, 8 * bytes, 0), p));
}

/* The predicate chooses; all channels get something. */
void visa_sel(struct visa_lower *l, const struct visa_does *does)
{
    const struct visa_operand *ops = l->inst->ops;
    struct visa_value a = visa_source(l, &ops[1], true), b = visa_source(l, &ops[2], true);
    bool not ;
    (void)does;
    l->guard = (struct lane_operand){LANE_NONE, 0};
    if (!(l->inst->predicate & VISA_PRED_ID)) {
        visa_result(l, &ops[0], a);
        return;
    }
    unsigned type = a.type == b.type ? a.type : visa_common(a.type, b.type);
    a = visa_convert(l, a, type, false);
    b = visa_convert(l, b, type, false);
    struct lane_operand p = visa_predicate(l, l->inst->predicate, &not );
    struct lane_operand d =
        visa_three(l, LANE_OP_selp, visa_bits_type(visa_type_bytes(type)), not ? b.v : a.v, not ? a.v : b.v, p);
    visa_result(l, &ops[0], (struct visa_value){d, (uint8_t)type});
}

/* ---- moves ------------------------------------------------------------------------------------------------------ */

void visa_mov(struct visa_lower *l, const struct visa_does *does)
{
    const struct visa_operand *ops = l->inst->ops;
    (void)does;
    if (ops[1].class == VISA_PREDICATE)
        l->no_mask = l->scalar = true;
    visa_result(l, &ops[0], visa_source(l, &ops[1], true));
}

/* States are numbers of 32 bits: indexes. */
void visa_movs(struct visa_lower *l, const struct visa_does *does)
{
    const struct visa_operand *ops = l->inst->ops;
    (void)does;
    if (l->channels != 1 || ops[0].element || (ops[1].class == VISA_STATE && ops[1].element)) {
        visa_stop(l, "not supported: movs of several elements");
        return;
    }
    visa_result(l, &ops[0], visa_get(l, &ops[1]));
}

void visa_addr_add(struct visa_lower *l, const struct visa_does *does)
{
    const struct visa_operand *ops = l->inst->ops;
    struct visa_value a = visa_get_address_of(l, &ops[1]);
    struct visa_value b = ops[2].class == VISA_ADDRESS_OF ? visa_get_address_of(l, &ops[2]) : visa_get(l, &ops[2]);
    (void)does;
    struct lane_operand x = visa_convert(l, a, VISA_UD, false).v, y = visa_convert(l, b, VISA_UD, false).v;
    visa_result(l, &ops[0], (struct visa_value){visa_two(l, LANE_OP_add, LANE_U32, x, y), VISA_UD});
}

/* A scalar source sets all bits, whoever runs: of 32 channels all of it, else 16 of them. Others give bit 0 of each
 * channel's element. */
void visa_setp(struct visa_lower *l, const struct visa_does *does)
{
    const struct visa_operand *ops = l->inst->ops;
    struct visa_value a = visa_source(l, &ops[1], false);
    struct lane_operand v = visa_convert(l, a, VISA_UD, false).v;
    (void)does;
    bool one =
        ops[1].class == VISA_IMMEDIATE || (ops[1].class == VISA_GENERAL && visa_stride(ops[1].region & 15) == 0 &&
                                           visa_stride(ops[1].region >> 8 & 15) == 0);
    if (one) {
        unsigned first = l->channels == 32 ? 0 : l->first / 16 * 16;
        l->no_mask = true;
        l->first = first;
        l->channels = l->channels == 32 ? 32 : 16;
        struct lane_operand at = l->laneid;
        if (first)
            at = visa_two(l, LANE_OP_sub, LANE_U32, at, lane_imm(l->b, 32, first));
        v = visa_two(l, LANE_OP_shr, LANE_U32, v, at);
    }
    v = visa_two(l, LANE_OP_and, LANE_B32, v, lane_imm(l->b, 32, 1));
    visa_store_predicate(l, (unsigned)ops[0].value & VISA_PRED_ID,
                         visa_compare(l, LANE_NE, LANE_U32, v, lane_imm(l->b, 32, 0)));
}

/* Lowering of f32 and f64 arithmetic, comparison and special functions. Meaning: docs/maxwell.md, "Arithmetic";
 * choices: lower_math.h.
 *
 * The plain forms are one lane operation; a minus that the operation cannot take costs one more, as every pair of
 * registers that holds an f64 does. */
#include "isa/sass/lower_math.h"

#include <string.h>

/* ---- what the files of this kind share ------------------------------------------------------------------ */

struct sass_mode sass_mode(const struct sass_lowerer *l, enum lane_type type)
{
    static const uint8_t rounds[] = {LANE_RN, LANE_RM, LANE_RP, LANE_RZ};
    bool ftz = sass_has(l, SASS_MOD_FTZ) || sass_value(l, SASS_ROLE_fmz, SASS_FMZ_NONE) != SASS_FMZ_NONE;
    unsigned flags = (ftz ? LANE_FTZ : 0u) | (sass_has(l, SASS_MOD_SAT) ? LANE_SAT : 0u);
    return (struct sass_mode){(uint8_t)type, rounds[sass_value(l, SASS_ROLE_round, 0) & 3], (uint8_t)flags};
}

bool sass_is_fmz(const struct sass_lowerer *l)
{
    return sass_value(l, SASS_ROLE_fmz, 0) == SASS_FMZ_FMZ;
}

void sass_emit_mode(struct sass_lowerer *l, enum lane_op op, struct sass_mode mode, struct lane_operand d,
                    struct lane_operand a, struct lane_operand b, struct lane_operand c)
{
    struct lane_inst *inst = sass_emit3(l, op, (enum lane_type)mode.type, d, a, b, c);
    inst->round = mode.round;
    inst->flags = mode.flags;
}

struct lane_operand sass_op_mode(struct sass_lowerer *l, enum lane_op op, struct sass_mode mode, struct lane_operand a,
                                 struct lane_operand b, struct lane_operand c)
{
    struct lane_operand d = sass_temp(l, lane_type_bits((enum lane_type)mode.type));
    sass_emit_mode(l, op, mode, d, a, b, c);
    return d;
}

void sass_emit_cast(struct sass_lowerer *l, struct sass_mode to, enum lane_type from, struct lane_operand d,
                    struct lane_operand a)
{
    struct lane_inst *inst = sass_emit1(l, LANE_OP_cvt, (enum lane_type)to.type, d, a);
    inst->type2 = (uint8_t)from;
    inst->round = to.round;
    inst->flags = to.flags;
}

struct lane_operand sass_cast(struct sass_lowerer *l, struct sass_mode to, enum lane_type from, struct lane_operand a)
{
    struct lane_operand d = sass_temp(l, lane_type_bits((enum lane_type)to.type));
    sass_emit_cast(l, to, from, d, a);
    return d;
}

static uint64_t sign_bits(enum lane_type type)
{
    switch (type) {
    case LANE_F16:
        return 0x8000;
    case LANE_F16X2:
        return 0x80008000;
    case LANE_F32:
        return 0x80000000;
    default:
        return UINT64_C(1) << 63;
    }
}

/* The bits of an f64 that is a NaN: it keeps its sign (measured on an H100: a - b, -a and |a| give b and a as they are;
 * other formats give the canonical NaN in any case). */
static bool keeps_sign(enum lane_type type, uint64_t bits)
{
    return type == LANE_F64 && (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000);
}

struct lane_operand sass_sign(struct sass_lowerer *l, enum lane_type type, struct lane_operand value, bool abs,
                              bool neg)
{
    struct sass_mode mode = {(uint8_t)type, LANE_RN, type == LANE_F64 ? LANE_NAN : 0};
    uint64_t known;
    if (sass_is_const(l, value, &known)) {
        uint64_t sign = keeps_sign(type, known) ? 0 : sign_bits(type);
        known = abs ? known & ~sign : known;
        known = neg ? known ^ sign : known;
        return lane_imm(&l->b, lane_type_bits(type), known);
    }
    if (abs)
        value = sass_op_mode(l, LANE_OP_abs, mode, value, SASS_NOTHING, SASS_NOTHING);
    return neg ? sass_op_mode(l, LANE_OP_neg, mode, value, SASS_NOTHING, SASS_NOTHING) : value;
}

/* Operand i with its bars. */
static struct lane_operand magnitude(struct sass_lowerer *l, enum lane_type type, unsigned i)
{
    struct lane_operand value = type == LANE_F64 ? sass_raw64(l, i) : sass_raw(l, i);
    return sass_sign(l, type, value, l->op[i].abs, false);
}

struct lane_operand sass_float(struct sass_lowerer *l, enum lane_type type, unsigned i)
{
    return sass_sign(l, type, magnitude(l, type, i), false, l->op[i].neg);
}

struct lane_operand sass_number_of(struct sass_lowerer *l, enum lane_type type, double value)
{
    float narrow = (float)value;
    uint64_t bits = 0;
    if (type == LANE_F64)
        memcpy(&bits, &value, sizeof value);
    else
        memcpy(&bits, &narrow, sizeof narrow);
    return lane_imm(&l->b, lane_type_bits(type), bits);
}

enum lane_cmp sass_cmp4(unsigned cmp)
{
    static const uint8_t cmps[] = {LANE_EQ,   LANE_LT,  LANE_EQ,  LANE_LE,  LANE_GT,  LANE_NE,  LANE_GE,  LANE_NUM,
                                   LANE_NANS, LANE_LTU, LANE_EQU, LANE_LEU, LANE_GTU, LANE_NEU, LANE_GEU, LANE_EQ};
    return (enum lane_cmp)cmps[cmp & 15];
}

struct lane_operand sass_compare_floats(struct sass_lowerer *l, unsigned cmp, struct sass_mode mode,
                                        struct lane_operand a, struct lane_operand b)
{
    if (cmp == SASS_CMP_F || cmp == SASS_CMP_T)
        return sass_bool(l, cmp == SASS_CMP_T);
    struct lane_operand d = sass_temp(l, 1);
    struct lane_inst *inst = sass_emit2(l, LANE_OP_setp, (enum lane_type)mode.type, d, a, b);
    inst->cmp = (uint8_t)sass_cmp4(cmp);
    inst->flags = mode.flags & LANE_FTZ;
    return d;
}

bool sass_bop(struct sass_lowerer *l, unsigned *bop)
{
    *bop = sass_value(l, SASS_ROLE_bop, 0);
    if (*bop > 2)
        sass_cannot(l, "reserved predicate operation");
    return *bop <= 2;
}

void sass_choose(struct sass_lowerer *l, struct lane_operand d, struct lane_operand yes, struct lane_operand no,
                 struct lane_operand p)
{
    uint64_t known;
    if (sass_is_const(l, p, &known))
        sass_emit1(l, LANE_OP_mov, LANE_B32, d, known & 1 ? yes : no);
    else
        sass_emit3(l, LANE_OP_selp, LANE_B32, d, yes, no, p);
}

struct lane_operand sass_target(struct sass_lowerer *l, enum lane_type type)
{
    return lane_type_bits(type) == 64 ? sass_temp(l, 64) : sass_result(l, sass_number(l, 0));
}

static void set_float_flags(struct sass_lowerer *l, enum lane_type type, struct lane_operand result)
{
    unsigned due = sass_flags_due(l);
    if (due & SASS_BIT_Z)
        sass_set_flag(l, SASS_Z, sass_compare(l, LANE_EQ, type, result, sass_number_of(l, type, 0)));
    if (due & SASS_BIT_S)
        sass_set_flag(l, SASS_S, sass_compare(l, LANE_LT, type, result, sass_number_of(l, type, 0)));
    if (due & SASS_BIT_C)
        sass_set_flag(l, SASS_C, sass_bool(l, false));
    if (due & SASS_BIT_O)
        sass_set_flag(l, SASS_O, sass_bool(l, false));
}

void sass_finish(struct sass_lowerer *l, enum lane_type type, struct lane_operand result)
{
    if (lane_type_bits(type) == 64)
        sass_set_pair(l, sass_number(l, 0), result);
    if (lane_type_float(type))
        set_float_flags(l, type, result);
    else
        sass_set_logic_flags(l, result);
}

/* ---- sums and products ------------------------------------------------------------------------------------ */

/* Operands 1 and 2. A minus on one of them is a subtraction. */
static void lower_add(struct sass_lowerer *l, enum lane_type type)
{
    struct sass_mode mode = sass_mode(l, type);
    bool neg_a = l->op[1].neg, neg_b = l->op[2].neg;
    struct lane_operand a = magnitude(l, type, 1), b = magnitude(l, type, 2), d = sass_target(l, type);
    if (neg_a && neg_b)
        a = sass_sign(l, type, a, false, true);
    if (neg_b)
        sass_emit_mode(l, LANE_OP_sub, mode, d, a, b, SASS_NOTHING);
    else if (neg_a)
        sass_emit_mode(l, LANE_OP_sub, mode, d, b, a, SASS_NOTHING);
    else
        sass_emit_mode(l, LANE_OP_add, mode, d, a, b, SASS_NOTHING);
    sass_finish(l, type, d);
}

SASS_LOWER(fadd)
{
    lower_add(l, LANE_F32);
}

SASS_LOWER(dadd)
{
    lower_add(l, LANE_F64);
}

/* Factors 1 and 2, the sign of their product on one of them, a constant if there is one. */
static void take_factors(struct sass_lowerer *l, enum lane_type type, struct lane_operand *a, struct lane_operand *b)
{
    bool neg = l->op[1].neg != l->op[2].neg;
    *a = magnitude(l, type, 1);
    *b = magnitude(l, type, 2);
    if (neg && a->kind == LANE_CONST)
        *a = sass_sign(l, type, *a, false, true);
    else if (neg)
        *b = sass_sign(l, type, *b, false, true);
    if (!sass_is_fmz(l))
        return;
    struct sass_mode mode = {(uint8_t)type, 0, LANE_FTZ};
    struct lane_operand zero = sass_number_of(l, type, 0);
    struct lane_operand p = sass_compare_floats(l, 2, mode, *a, zero), q = sass_compare_floats(l, 2, mode, *b, zero);
    p = sass_combine(l, 1, p, q);
    *a = sass_op3(l, LANE_OP_selp, LANE_B32, zero, *a, p);
    *b = sass_op3(l, LANE_OP_selp, LANE_B32, zero, *b, p);
}

/* a * b * 2^scale: exact in f64, rounded once; a NaN of it is to be the canonical one. */
static void lower_scaled(struct sass_lowerer *l, struct sass_mode mode, double scale, struct lane_operand a,
                         struct lane_operand b, struct lane_operand d)
{
    struct sass_mode wide = {LANE_F64, 0, mode.flags & LANE_FTZ}, exact = {LANE_F64, 0, 0};
    struct lane_operand product = sass_op_mode(l, LANE_OP_mul, exact, sass_cast(l, wide, LANE_F32, a),
                                               sass_cast(l, wide, LANE_F32, b), SASS_NOTHING);
    product = sass_op_mode(l, LANE_OP_mul, exact, product, sass_number_of(l, LANE_F64, scale), SASS_NOTHING);
    sass_emit_cast(l, (struct sass_mode){LANE_F32, 0, 0}, LANE_F32, d, sass_cast(l, mode, LANE_F64, product));
}

static bool reserved_fmz(struct sass_lowerer *l)
{
    if (sass_value(l, SASS_ROLE_fmz, 0) == SASS_FMZ_RESERVED)
        sass_cannot(l, "reserved subnormal mode");
    return sass_value(l, SASS_ROLE_fmz, 0) == SASS_FMZ_RESERVED;
}

SASS_LOWER(fmul)
{
    static const double scales[] = {1, 0.5, 0.25, 0.125, 8, 4, 2};
    unsigned scale = sass_value(l, SASS_ROLE_scale, 0);
    struct sass_mode mode = sass_mode(l, LANE_F32);
    struct lane_operand a, b, d;
    if (reserved_fmz(l))
        return;
    if (scale > 6) {
        sass_cannot(l, "reserved scale");
        return;
    }
    take_factors(l, LANE_F32, &a, &b);
    d = sass_target(l, LANE_F32);
    if (scale)
        lower_scaled(l, mode, scales[scale], a, b, d);
    else
        sass_emit_mode(l, LANE_OP_mul, mode, d, a, b, SASS_NOTHING);
    sass_finish(l, LANE_F32, d);
}

SASS_LOWER(dmul)
{
    struct lane_operand a, b, d = sass_target(l, LANE_F64);
    take_factors(l, LANE_F64, &a, &b);
    sass_emit_mode(l, LANE_OP_mul, sass_mode(l, LANE_F64), d, a, b, SASS_NOTHING);
    sass_finish(l, LANE_F64, d);
}

static void lower_fused(struct sass_lowerer *l, enum lane_type type)
{
    struct lane_operand a, b, c, d;
    if (reserved_fmz(l))
        return;
    take_factors(l, type, &a, &b);
    c = sass_float(l, type, 3);
    d = sass_target(l, type);
    sass_emit_mode(l, LANE_OP_fma, sass_mode(l, type), d, a, b, c);
    sass_finish(l, type, d);
}

SASS_LOWER(ffma)
{
    lower_fused(l, LANE_F32);
}

SASS_LOWER(dfma)
{
    lower_fused(l, LANE_F64);
}

/* Lanes of a quad add with signs of their own: two letters a lane, P or N for a, P or N for b; 3 = ZP: b alone. Lane 0
 * has the lowest bits. */
SASS_LOWER(fswzadd)
{
    struct sass_mode mode = sass_mode(l, LANE_F32);
    struct lane_operand lane = sass_temp(l, 32), signs, a = sass_raw(l, 1), b = sass_raw(l, 2), zero = sass_imm(l, 0);
    sass_emit_list(l, LANE_OP_sreg, LANE_B32, 1, &lane, 0, NULL)->mode = LANE_SREG_LANEID;
    lane = sass_op2(l, LANE_OP_and, LANE_B32, lane, sass_imm(l, 3));
    lane = sass_op2(l, LANE_OP_shl, LANE_B32, lane, sass_imm(l, 1));
    signs = sass_op2(l, LANE_OP_shr, LANE_U32, sass_imm(l, sass_value(l, SASS_ROLE_pn, 0)), lane);
    signs = sass_op2(l, LANE_OP_and, LANE_B32, signs, sass_imm(l, 3));
    struct lane_operand alone = sass_compare(l, LANE_EQ, LANE_B32, signs, sass_imm(l, 3));
    struct lane_operand sign_a = sass_op2(l, LANE_OP_shl, LANE_B32, signs, sass_imm(l, 31));
    struct lane_operand sign_b = sass_op2(l, LANE_OP_shr, LANE_U32, signs, sass_imm(l, 1));
    sign_b = sass_op2(l, LANE_OP_shl, LANE_B32, sign_b, sass_imm(l, 31));
    sign_b = sass_op3(l, LANE_OP_selp, LANE_B32, zero, sign_b, alone);
    a = sass_op2(l, LANE_OP_xor, LANE_B32, a, sign_a);
    a = sass_op3(l, LANE_OP_selp, LANE_B32, zero, a, alone);
    b = sass_op2(l, LANE_OP_xor, LANE_B32, b, sign_b);
    struct lane_operand d = sass_target(l, LANE_F32);
    sass_emit_mode(l, LANE_OP_add, mode, d, a, b, SASS_NOTHING);
    sass_finish(l, LANE_F32, d);
}

/* ---- comparison and selection ----------------------------------------------------------------------------- */

/* Operand 3: true = minimum, false = maximum. */
static void lower_minmax(struct sass_lowerer *l, enum lane_type type)
{
    struct sass_mode mode = sass_mode(l, type);
    struct lane_operand a = sass_float(l, type, 1), b = sass_float(l, type, 2), p = sass_predicate(l, 3);
    struct lane_operand d = sass_target(l, type);
    uint64_t known;
    mode.flags &= LANE_FTZ;
    if (sass_is_const(l, p, &known)) {
        sass_emit_mode(l, known & 1 ? LANE_OP_min : LANE_OP_max, mode, d, a, b, SASS_NOTHING);
    } else {
        struct lane_operand low = sass_op_mode(l, LANE_OP_min, mode, a, b, SASS_NOTHING);
        struct lane_operand high = sass_op_mode(l, LANE_OP_max, mode, a, b, SASS_NOTHING);
        sass_emit3(l, LANE_OP_selp, type == LANE_F64 ? LANE_B64 : LANE_B32, d, low, high, p);
    }
    sass_finish(l, type, d);
}

SASS_LOWER(fmnmx)
{
    lower_minmax(l, LANE_F32);
}

SASS_LOWER(dmnmx)
{
    lower_minmax(l, LANE_F64);
}

/* FSET, DSET: all ones or (.BF) 1.0, else 0. */
static void lower_set(struct sass_lowerer *l, enum lane_type type)
{
    unsigned bop;
    if (!sass_bop(l, &bop))
        return;
    struct lane_operand a = sass_float(l, type, 1), b = sass_float(l, type, 2);
    struct lane_operand t = sass_compare_floats(l, sass_value(l, SASS_ROLE_cmp, 0), sass_mode(l, type), a, b);
    struct lane_operand d = sass_target(l, LANE_B32);
    t = sass_combine(l, bop, t, sass_predicate(l, 3));
    sass_choose(l, d, sass_imm(l, sass_has(l, SASS_MOD_BF) ? 0x3f800000 : UINT32_MAX), sass_imm(l, 0), t);
    sass_finish(l, LANE_B32, d);
}

SASS_LOWER(fset)
{
    lower_set(l, LANE_F32);
}

SASS_LOWER(dset)
{
    lower_set(l, LANE_F64);
}

static void lower_setp(struct sass_lowerer *l, enum lane_type type)
{
    struct lane_operand a = sass_float(l, type, 2), b = sass_float(l, type, 3);
    struct lane_operand t = sass_compare_floats(l, sass_value(l, SASS_ROLE_cmp, 0), sass_mode(l, type), a, b);
    sass_set_both(l, 0, 4, sass_value(l, SASS_ROLE_bop, 0), t);
}

SASS_LOWER(fsetp)
{
    lower_setp(l, LANE_F32);
}

SASS_LOWER(dsetp)
{
    lower_setp(l, LANE_F64);
}

/* d = c cmp 0 ? a : b */
SASS_LOWER(fcmp)
{
    struct lane_operand a = sass_raw(l, 1), b = sass_raw(l, 2), c = sass_raw(l, 3);
    struct lane_operand t =
        sass_compare_floats(l, sass_value(l, SASS_ROLE_cmp, SASS_CMP_GT), sass_mode(l, LANE_F32), c, sass_imm(l, 0));
    sass_choose(l, sass_target(l, LANE_B32), a, b, t);
}

/* Whether the exponent field of x is outside 66..190: twice x is outside [66 << 24, 191 << 24). */
static struct lane_operand far_from_one(struct sass_lowerer *l, struct lane_operand x)
{
    struct lane_operand twice = sass_op2(l, LANE_OP_shl, LANE_B32, x, sass_imm(l, 1));
    twice = sass_op2(l, LANE_OP_sub, LANE_U32, twice, sass_imm(l, UINT32_C(66) << 24));
    return sass_compare(l, LANE_GE, LANE_U32, twice, sass_imm(l, UINT32_C(125) << 24));
}

/* Whether a / b needs the slow path. "Yes" is always right; within 2^-61..2^64 neither the quotient nor a remainder of
 * the fast path can overflow or become subnormal. */
SASS_LOWER(fchk)
{
    if (sass_value(l, SASS_ROLE_chk, 0)) {
        sass_cannot(l, "reserved check");
        return;
    }
    struct lane_operand a = far_from_one(l, sass_raw(l, 1)), b = far_from_one(l, sass_raw(l, 2));
    sass_set_predicate(l, 0, sass_combine(l, 1, a, b));
}

/* ---- special functions ------------------------------------------------------------------------------------ */

/* The high word of a double to that of its reciprocal or reciprocal square root. */
static struct lane_operand high_word_function(struct sass_lowerer *l, enum lane_op op, struct lane_operand high)
{
    struct lane_operand wide = sass_op1(l, op, LANE_F64, sass_join(l, sass_imm(l, 0), high));
    struct lane_operand d[2] = {SASS_NOTHING, sass_temp(l, 32)};
    sass_emit_list(l, LANE_OP_unpack, LANE_B64, 2, d, 1, &wide)->type2 = LANE_B32;
    return d[1];
}

SASS_LOWER(mufu)
{
    static const uint16_t ops[] = {LANE_OP_cos,   LANE_OP_sin,    LANE_OP_ex2,      LANE_OP_lg2, LANE_OP_rcp,
                                   LANE_OP_rsqrt, LANE_OP_rcp64h, LANE_OP_rsqrt64h, LANE_OP_sqrt};
    unsigned function = sass_value(l, SASS_ROLE_mufu, 0);
    bool sat = sass_has(l, SASS_MOD_SAT);
    if (function >= sizeof ops / sizeof ops[0]) {
        sass_cannot(l, "reserved function of MUFU");
        return;
    }
    struct lane_operand a = sass_float(l, LANE_F32, 1), d = sass_target(l, LANE_F32);
    if (ops[function] == LANE_OP_rcp64h || ops[function] == LANE_OP_rsqrt64h) {
        struct lane_operand high = high_word_function(l, (enum lane_op)ops[function], a);
        sass_emit1(l, LANE_OP_mov, LANE_B32, d, high);
        return;
    }
    uint8_t round = ops[function] == LANE_OP_sqrt ? LANE_RN : 0; /* the others have one result only */
    struct sass_mode mode = {LANE_F32, round, LANE_FTZ | LANE_APPROX};
    struct lane_operand value = sat ? sass_temp(l, 32) : d;
    sass_emit_mode(l, (enum lane_op)ops[function], mode, value, a, SASS_NOTHING, SASS_NOTHING);
    if (sat)
        sass_emit_cast(l, (struct sass_mode){LANE_F32, 0, LANE_SAT}, LANE_F32, d, value);
}

SASS_LOWER(rro)
{
    sass_set(l, sass_number(l, 0), sass_float(l, LANE_F32, 1));
}

/* Lowering of video operations: VADD VABSDIFF VABSDIFF4 VMAD VMNMX VSET VSETP VSHL VSHR. They are what PTX's scalar
 * video instructions become and mean the same (PTX ISA, "Scalar Video Instructions"):
 *
 *   parts of A and B, extended by their types -> the operation, without overflow -> .SAT: clamped to the destination's
 * type (of the merged part's width) -> with C: added, the lesser, the greater, or C with a part replaced
 *
 * Results are computed in 64 bits with sign. Named choices: without .SAT a result is cut to 32 bits before it is
 * compared with C or merged; VSET gives 1 or 0; an immediate of VABSDIFF4 stands for all four bytes of B. */
#include "isa/sass/lower_math.h"

/* ---- sources --------------------------------------------------------------------------------------------------- */

/* The rows' names vtype: the part (0-3 byte, 4-5 half, 6 word) and, above it, the sign. */
enum { VTYPE_WORD = 6, VTYPE_SIGNED = 8 };

struct source {
    struct lane_operand value; /* 64 bits */
    unsigned bits;
    bool is_signed;
};

static struct lane_operand imm64(struct sass_lowerer *l, int64_t value)
{
    return lane_imm(&l->b, 64, (uint64_t)value);
}

static struct source take(struct sass_lowerer *l, unsigned i, unsigned vtype)
{
    unsigned select = vtype & 7;
    struct source s = {.bits = select < 4 ? 8 : select < 6 ? 16 : 32, .is_signed = vtype & VTYPE_SIGNED};
    unsigned at = select < 4 ? 8 * select : select < 6 ? 16 * (select - 4) : 0;
    enum lane_type type = s.is_signed ? LANE_S32 : LANE_U32;
    struct lane_operand word = sass_raw(l, i);
    if (s.bits < 32)
        word = sass_op3(l, LANE_OP_bfe, type, word, sass_imm(l, at), sass_imm(l, s.bits));
    s.value = sass_convert(l, LANE_S64, type, word);
    return s;
}

/* Types that are not written are signed words; an immediate says .U16, or has the sign of 16 bits. */
static struct source take_b(struct sass_lowerer *l, unsigned i)
{
    if (l->op[i].kind == ISA_REGISTER)
        return take(l, i, sass_value(l, "tb", VTYPE_WORD | VTYPE_SIGNED));
    struct source s = {.bits = 16, .is_signed = !sass_says(l, ".U16")};
    s.value = imm64(l, s.is_signed ? (int16_t)l->op[i].value : (uint16_t)l->op[i].value);
    return s;
}

static bool take_sources(struct sass_lowerer *l, unsigned i, struct source *a, struct source *b)
{
    unsigned ta = sass_value(l, "ta", VTYPE_WORD | VTYPE_SIGNED), tb = sass_value(l, "tb", 0);
    if ((ta & 7) == 7 || (tb & 7) == 7) {
        sass_cannot(l, "reserved part of a register");
        return false;
    }
    *a = take(l, i, ta);
    *b = take_b(l, i + 1);
    return true;
}

/* ---- results --------------------------------------------------------------------------------------------------- */

/* The rows' names vop. */
enum { MERGE_16H, MERGE_16L, MERGE_8B0, MERGE_8B2, WITH_ADD, WITH_MIN, WITH_MAX, WITH_NOTHING };

/* value, 64 bits of type `wide`, clamped to what the destination has room for, or cut to 32 bits. */
static struct lane_operand saturated(struct sass_lowerer *l, enum lane_type wide, struct lane_operand value,
                                     unsigned vop, bool is_signed)
{
    static const uint8_t types[2][3] = {{LANE_U8, LANE_U16, LANE_U32}, {LANE_S8, LANE_S16, LANE_S32}};
    unsigned size = vop <= MERGE_16L ? 1 : vop <= MERGE_8B2 ? 0 : 2;
    enum lane_type type = (enum lane_type)types[is_signed][size];
    if (!sass_has(l, ".SAT"))
        return sass_convert(l, LANE_U32, wide, value);
    value = sass_cast(l, (struct sass_mode){(uint8_t)type, 0, LANE_SAT}, wide, value);
    return size == 2 ? value : sass_convert(l, LANE_U32, type, value);
}

/* The value with operand 3 into operand 0. */
static void put_wide(struct sass_lowerer *l, enum lane_type wide, struct lane_operand value, bool is_signed)
{
    static const struct {
        uint8_t at, bits;
    } merged[] = {{16, 16}, {0, 16}, {0, 8}, {16, 8}};
    unsigned vop = sass_value(l, "vop", WITH_NOTHING);
    struct lane_operand d = sass_result(l, sass_number(l, 0));
    value = saturated(l, wide, value, vop, is_signed);
    if (vop == WITH_NOTHING)
        sass_emit1(l, LANE_OP_mov, LANE_B32, d, value);
    else if (vop == WITH_ADD)
        sass_emit2(l, LANE_OP_add, LANE_U32, d, value, sass_raw(l, 3));
    else if (vop == WITH_MIN || vop == WITH_MAX)
        sass_emit2(l, vop == WITH_MIN ? LANE_OP_min : LANE_OP_max, is_signed ? LANE_S32 : LANE_U32, d, value,
                   sass_raw(l, 3));
    else
        sass_emit(l, LANE_OP_bfi, LANE_B32, d, value, sass_raw(l, 3), sass_imm(l, merged[vop].at),
                  sass_imm(l, merged[vop].bits));
    sass_set_logic_flags(l, d);
}

static void put(struct sass_lowerer *l, struct lane_operand value, bool is_signed)
{
    put_wide(l, LANE_S64, value, is_signed);
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

static void lower_vadd(struct sass_lowerer *l)
{
    struct source a, b;
    if (!take_sources(l, 1, &a, &b))
        return;
    if (l->op[1].neg)
        a.value = sass_op1(l, LANE_OP_neg, LANE_S64, a.value);
    struct lane_operand sum = sass_op2(l, l->op[2].neg ? LANE_OP_sub : LANE_OP_add, LANE_S64, a.value, b.value);
    if (sass_says(l, ".PO"))
        sum = sass_op2(l, LANE_OP_add, LANE_S64, sum, imm64(l, 1));
    put(l, sum, !sass_has(l, ".UD"));
}

static void lower_vabsdiff(struct sass_lowerer *l)
{
    struct source a, b;
    if (!take_sources(l, 1, &a, &b))
        return;
    struct lane_operand d = sass_op2(l, LANE_OP_sub, LANE_S64, a.value, b.value);
    put(l, sass_op1(l, LANE_OP_abs, LANE_S64, d), sass_has(l, ".SD"));
}

static void lower_vmnmx(struct sass_lowerer *l)
{
    struct source a, b;
    if (!take_sources(l, 1, &a, &b))
        return;
    put(l, sass_op2(l, sass_has(l, ".MX") ? LANE_OP_max : LANE_OP_min, LANE_S64, a.value, b.value),
        !sass_has(l, ".UD"));
}

/* The amount is unsigned: with .W its low 5 bits count, else 32 is the most. An unsigned word shifted by that needs all
 * 64 bits. */
static void lower_shift(struct sass_lowerer *l, enum lane_op op)
{
    struct source a, b;
    if (!take_sources(l, 1, &a, &b))
        return;
    enum lane_type wide = a.is_signed ? LANE_S64 : LANE_U64;
    struct lane_operand amount = sass_convert(l, LANE_U32, LANE_S64, b.value);
    if (sass_has(l, ".W"))
        amount = sass_op2(l, LANE_OP_and, LANE_B32, amount, sass_imm(l, 31));
    else
        amount = sass_op2(l, LANE_OP_min, LANE_U32, amount, sass_imm(l, 32));
    put_wide(l, wide, sass_op2(l, op, op == LANE_OP_shr ? wide : LANE_B64, a.value, amount), !sass_has(l, ".UD"));
}

static void lower_vshl(struct sass_lowerer *l)
{
    lower_shift(l, LANE_OP_shl);
}

static void lower_vshr(struct sass_lowerer *l)
{
    lower_shift(l, LANE_OP_shr);
}

/* a cmp b, numbered as in the rows' names cmp3. */
static struct lane_operand compare(struct sass_lowerer *l, struct lane_operand a, struct lane_operand b)
{
    static const uint8_t cmps[] = {LANE_EQ, LANE_LT, LANE_EQ, LANE_LE, LANE_GT, LANE_NE, LANE_GE, LANE_EQ};
    unsigned cmp = sass_value(l, "cmp", 0) & 7;
    if (cmp == 0 || cmp == 7)
        return sass_bool(l, cmp == 7);
    return sass_compare(l, (enum lane_cmp)cmps[cmp], LANE_S64, a, b);
}

static void lower_vset(struct sass_lowerer *l)
{
    struct source a, b;
    if (!take_sources(l, 1, &a, &b))
        return;
    struct lane_operand one = sass_temp(l, 32);
    sass_choose(l, one, sass_imm(l, 1), sass_imm(l, 0), compare(l, a.value, b.value));
    put(l, sass_convert(l, LANE_S64, LANE_U32, one), false);
}

static void lower_vsetp(struct sass_lowerer *l)
{
    struct source a, b;
    if (take_sources(l, 2, &a, &b))
        sass_set_both(l, 0, 4, sass_value(l, "bop", 0), compare(l, a.value, b.value));
}

/* ---- VMAD -------------------------------------------------------------------------------------------------------- */

/* a * b + c with a minus on the product or on c, or plus one (.PO), then shifted right. The result has a sign if a
 * source or an operation has one. Two unsigned words have a product of 64 bits: with a sign somewhere only results
 * below 2^62 are told apart, the others saturate all the same. */
static void lower_vmad(struct sass_lowerer *l)
{
    static const uint8_t shifts[] = {0, 7, 15};
    struct source a, b;
    unsigned scale = sass_value(l, "vscale", 0);
    bool minus = l->op[1].neg, minus_c = l->op[3].neg && !minus, sat = sass_has(l, ".SAT");
    if (scale > 2)
        sass_cannot(l, "reserved scale");
    if (scale > 2 || !take_sources(l, 1, &a, &b))
        return;
    bool words = !a.is_signed && !b.is_signed && a.bits == 32 && b.bits == 32;
    bool is_signed = a.is_signed || b.is_signed || l->op[1].neg || l->op[3].neg;
    enum lane_type wide = is_signed ? LANE_S64 : LANE_U64;
    struct lane_operand c = sass_convert(l, wide, is_signed ? LANE_S32 : LANE_U32, sass_raw(l, 3));
    struct lane_operand product = sass_op2(l, LANE_OP_mul, LANE_U64, a.value, b.value);
    if (words && is_signed && sat)
        product = sass_op2(l, LANE_OP_min, LANE_U64, product, imm64(l, INT64_C(1) << 62));
    if (minus)
        product = sass_op2(l, LANE_OP_sub, LANE_U64, c, product);
    else
        product = sass_op2(l, minus_c ? LANE_OP_sub : LANE_OP_add, LANE_U64, product, c);
    if (sass_says(l, ".PO"))
        product = sass_op2(l, LANE_OP_add, LANE_U64, product, imm64(l, 1));
    if (scale)
        product = sass_op2(l, LANE_OP_shr, wide, product, sass_imm(l, shifts[scale]));
    struct sass_mode mode = {is_signed && sat ? LANE_S32 : LANE_U32, 0, sat ? LANE_SAT : 0};
    struct lane_operand d = sass_result(l, sass_number(l, 0));
    sass_emit_cast(l, mode, wide, d, product);
    sass_set_logic_flags(l, d);
}

/* ---- VABSDIFF4 ------------------------------------------------------------------------------------------------------
 */

enum { RESERVED = 0xffff };

/* The bytes that the four lanes take of {b, a}, lane 3 first as in the rows' names v4a, v4b. */
static bool byte_choice(struct sass_lowerer *l, unsigned i, uint32_t *bytes)
{
    static const uint16_t of_a[] = {0x0000, 0x1111, 0x2222, 0x3333, 0x3210, 0x4321, 0x5432,   0x6543,
                                    0x3201, 0x3012, 0x0213, 0x3120, 0x1230, 0x2310, RESERVED, RESERVED};
    static const uint16_t of_b[] = {0x4444, 0x5555, 0x6666, 0x7777,   0x7654,   0x6543,   0x5432,   0x4321,
                                    0x4567, 0x6745, 0x5476, RESERVED, RESERVED, RESERVED, RESERVED, RESERVED};
    unsigned choice = l->op[i].suffix_names ? l->op[i].suffix & 15 : 4;
    *bytes = i == 1 ? of_a[choice] : of_b[choice];
    return *bytes != RESERVED;
}

static struct lane_operand byte_lane(struct sass_lowerer *l, struct lane_operand word, unsigned lane, bool is_signed)
{
    return sass_op3(l, LANE_OP_bfe, is_signed ? LANE_S32 : LANE_U32, word, sass_imm(l, 8 * lane), sass_imm(l, 8));
}

/* |a - b| of one lane; at most 383. */
static struct lane_operand lane_difference(struct sass_lowerer *l, struct lane_operand a, struct lane_operand b,
                                           unsigned lane, unsigned types)
{
    struct lane_operand x = byte_lane(l, a, lane, types & 1), y = byte_lane(l, b, lane, types & 2);
    struct lane_operand d = sass_op1(l, LANE_OP_abs, LANE_S32, sass_op2(l, LANE_OP_sub, LANE_S32, x, y));
    if (sass_has(l, ".SAT"))
        d = sass_op2(l, LANE_OP_min, LANE_U32, d, sass_imm(l, sass_has(l, ".SD") ? INT8_MAX : UINT8_MAX));
    return d;
}

static struct lane_operand insert_byte(struct sass_lowerer *l, struct lane_operand word, struct lane_operand byte,
                                       unsigned lane)
{
    struct lane_operand d = sass_temp(l, 32);
    sass_emit(l, LANE_OP_bfi, LANE_B32, d, byte, word, sass_imm(l, 8 * lane), sass_imm(l, 8));
    return d;
}

static void lower_vabsdiff4(struct sass_lowerer *l)
{
    unsigned types = sass_value(l, "v4type", 3), lanes = sass_value(l, "v4lanes", 15), red = sass_value(l, "v4red", 0);
    uint32_t choice_a, choice_b;
    if (!byte_choice(l, 1, &choice_a) || !byte_choice(l, 2, &choice_b) || red > 1 || !lanes) {
        sass_cannot(l, "reserved form of VABSDIFF4");
        return;
    }
    struct lane_operand a = sass_raw(l, 1), b = sass_raw(l, 2), sum = sass_raw(l, 3), d;
    if (l->op[2].kind != ISA_REGISTER)
        b = sass_imm(l, ((uint32_t)l->op[2].value & 0xff) * 0x01010101u);
    struct lane_operand va = sass_op3(l, LANE_OP_prmt, LANE_B32, a, b, sass_imm(l, choice_a));
    struct lane_operand vb = sass_op3(l, LANE_OP_prmt, LANE_B32, a, b, sass_imm(l, choice_b));
    for (unsigned lane = 0; lane < 4; lane++) {
        if (!(lanes >> lane & 1))
            continue;
        struct lane_operand difference = lane_difference(l, va, vb, lane, types);
        if (red)
            sum = sass_op2(l, LANE_OP_add, LANE_U32, sum, difference);
        else
            sum = insert_byte(l, sum, difference, lane);
    }
    d = sass_result(l, sass_number(l, 0));
    sass_emit1(l, LANE_OP_mov, LANE_B32, d, sum);
    sass_set_logic_flags(l, d);
}

static const struct sass_lower_row rows[] = {
    {"VABSDIFF", lower_vabsdiff}, {"VABSDIFF4", lower_vabsdiff4}, {"VADD", lower_vadd},
    {"VMAD", lower_vmad},         {"VMNMX", lower_vmnmx},         {"VSET", lower_vset},
    {"VSETP", lower_vsetp},       {"VSHL", lower_vshl},           {"VSHR", lower_vshr},
};
const struct sass_lower_list sass_lower_video = {rows, sizeof rows / sizeof rows[0]};

/* Lowering of video operations: VADD VABSDIFF VABSDIFF4 VMAD VMNMX VSET VSETP VSHL VSHR. They are what PTX's scalar
 * video instructions become and mean the same (isa/video.h). Named choices: VSET gives 1 or 0; an immediate of
 * VABSDIFF4 stands for all four bytes of B. */
#include "isa/sass/lower_math.h"
#include "isa/video.h"

/* ---- sources and results ---------------------------------------------------------------------------------- */

/* The rows' names vtype: the part (0-3 byte, 4-5 half, 6 word) and, above it, the sign. */
enum { VTYPE_WORD = 6, VTYPE_SIGNED = 8 };

static struct video_source take(struct sass_lowerer *l, unsigned i, unsigned vtype)
{
    unsigned select = vtype & 7;
    unsigned at = select < 4 ? 8 * select : select < 6 ? 16 * (select - 4) : 0;
    return video_part(&l->b, sass_raw(l, i), at, select < 4 ? 8 : select < 6 ? 16 : 32, vtype & VTYPE_SIGNED);
}

/* Types that are not written are signed words; an immediate says .U16, or has the sign of 16 bits. Amounts of shifts
 * never have a sign. */
static struct video_source take_b(struct sass_lowerer *l, unsigned i)
{
    bool is_signed = !isa_any(l->form, SASS_UNSIGNED_B);
    if (l->op[i].kind == ISA_REGISTER)
        return take(l, i, sass_value(l, SASS_ROLE_tb, is_signed ? VTYPE_WORD | VTYPE_SIGNED : VTYPE_WORD));
    return video_constant(&l->b, is_signed ? (int16_t)l->op[i].value : (uint16_t)l->op[i].value, 16, is_signed);
}

static bool take_sources(struct sass_lowerer *l, unsigned i, struct video_source *a, struct video_source *b)
{
    unsigned ta = sass_value(l, SASS_ROLE_ta, VTYPE_WORD | VTYPE_SIGNED), tb = sass_value(l, SASS_ROLE_tb, 0);
    if ((ta & 7) == 7 || (tb & 7) == 7) {
        sass_cannot(l, "reserved part of a register");
        return false;
    }
    *a = take(l, i, ta);
    *b = take_b(l, i + 1);
    return true;
}

static void put(struct sass_lowerer *l, struct lane_operand value)
{
    struct lane_operand d = sass_result(l, sass_number(l, 0));
    sass_emit1(l, LANE_OP_mov, LANE_B32, d, value);
    sass_set_logic_flags(l, d);
}

/* A result with operand 3 into operand 0, as the names vop say. */
static void put_end(struct sass_lowerer *l, enum lane_type wide, struct lane_operand value, bool is_signed)
{
    static const struct video_end ends[] = {{.with = VIDEO_MERGED, .at = 16, .bits = 16},
                                            {.with = VIDEO_MERGED, .at = 0, .bits = 16},
                                            {.with = VIDEO_MERGED, .at = 0, .bits = 8},
                                            {.with = VIDEO_MERGED, .at = 16, .bits = 8},
                                            {.with = VIDEO_WITH_ADD},
                                            {.with = VIDEO_WITH_MIN},
                                            {.with = VIDEO_WITH_MAX},
                                            {.with = VIDEO_ALONE}};
    struct video_end end = ends[sass_value(l, SASS_ROLE_vop, 7) & 7];
    end.is_signed = is_signed;
    end.sat = sass_has(l, SASS_MOD_SAT);
    put(l, video_end(&l->b, &end, wide, value, sass_raw(l, 3)));
}

/* ---- operations ------------------------------------------------------------------------------------------- */

static void lower_operation(struct sass_lowerer *l, enum video_op op, bool is_signed)
{
    struct video_source a, b;
    if (!take_sources(l, 1, &a, &b))
        return;
    enum lane_type wide = op >= VIDEO_SHL && !a.is_signed ? LANE_U64 : LANE_S64;
    put_end(l, wide, video_operate(&l->b, op, sass_has(l, SASS_MOD_W), &a, &b), is_signed);
}

SASS_LOWER(vadd)
{
    struct video_source a, b;
    if (!take_sources(l, 1, &a, &b))
        return;
    bool neg_a = l->op[1].neg, neg_b = l->op[2].neg;
    struct lane_operand sum;
    if (neg_a)
        sum = video_operate(&l->b, VIDEO_SUB, false, &b, &a);
    else
        sum = video_operate(&l->b, neg_b ? VIDEO_SUB : VIDEO_ADD, false, &a, &b);
    if (isa_any(l->form, SASS_PLUS_ONE))
        sum = sass_op2(l, LANE_OP_add, LANE_S64, sum, lane_imm(&l->b, 64, 1));
    put_end(l, LANE_S64, sum, !sass_has(l, SASS_MOD_UD));
}

SASS_LOWER(vabsdiff)
{
    lower_operation(l, VIDEO_ABSDIFF, sass_has(l, SASS_MOD_SD));
}

SASS_LOWER(vmnmx)
{
    lower_operation(l, sass_has(l, SASS_MOD_MX) ? VIDEO_MAX : VIDEO_MIN, !sass_has(l, SASS_MOD_UD));
}

SASS_LOWER(vshl)
{
    lower_operation(l, VIDEO_SHL, !sass_has(l, SASS_MOD_UD));
}

SASS_LOWER(vshr)
{
    lower_operation(l, VIDEO_SHR, !sass_has(l, SASS_MOD_UD));
}

/* a cmp b, enum sass_compare. */
static struct lane_operand compare(struct sass_lowerer *l, const struct video_source *a, const struct video_source *b)
{
    static const uint8_t cmps[] = {LANE_EQ, LANE_LT, LANE_EQ, LANE_LE, LANE_GT, LANE_NE, LANE_GE, LANE_EQ};
    unsigned cmp = sass_value(l, SASS_ROLE_cmp, 0) & 7;
    if (cmp == SASS_CMP_F || cmp == SASS_CMP3_T)
        return sass_bool(l, cmp == SASS_CMP3_T);
    return video_compare(&l->b, (enum lane_cmp)cmps[cmp], a, b);
}

SASS_LOWER(vset)
{
    struct video_source a, b;
    if (!take_sources(l, 1, &a, &b))
        return;
    struct lane_operand one = sass_temp(l, 32);
    sass_choose(l, one, sass_imm(l, 1), sass_imm(l, 0), compare(l, &a, &b));
    put_end(l, LANE_S64, sass_convert(l, LANE_S64, LANE_U32, one), false);
}

SASS_LOWER(vsetp)
{
    struct video_source a, b;
    if (take_sources(l, 2, &a, &b))
        sass_set_both(l, 0, 4, sass_value(l, SASS_ROLE_bop, 0), compare(l, &a, &b));
}

SASS_LOWER(vmad)
{
    static const uint8_t shifts[] = {0, 7, 15};
    struct video_source a, b;
    unsigned scale = sass_value(l, SASS_ROLE_vscale, 0);
    if (scale > 2)
        sass_cannot(l, "reserved scale");
    if (scale > 2 || !take_sources(l, 1, &a, &b))
        return;
    struct video_mad mad = {l->op[1].neg, l->op[3].neg, isa_any(l->form, SASS_PLUS_ONE), sass_has(l, SASS_MOD_SAT),
                            shifts[scale]};
    put(l, video_mad(&l->b, &mad, &a, &b, sass_raw(l, 3)));
}

/* ---- VABSDIFF4 -------------------------------------------------------------------------------------------- */

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
    if (sass_has(l, SASS_MOD_SAT))
        d = sass_op2(l, LANE_OP_min, LANE_U32, d, sass_imm(l, sass_has(l, SASS_MOD_SD) ? INT8_MAX : UINT8_MAX));
    return d;
}

static struct lane_operand insert_byte(struct sass_lowerer *l, struct lane_operand word, struct lane_operand byte,
                                       unsigned lane)
{
    struct lane_operand d = sass_temp(l, 32);
    sass_emit(l, LANE_OP_bfi, LANE_B32, d, byte, word, sass_imm(l, 8 * lane), sass_imm(l, 8));
    return d;
}

SASS_LOWER(vabsdiff4)
{
    unsigned types = sass_value(l, SASS_ROLE_v4type, 3), lanes = sass_value(l, SASS_ROLE_v4lanes, 15),
             red = sass_value(l, SASS_ROLE_v4red, 0);
    uint32_t choice_a, choice_b;
    if (!byte_choice(l, 1, &choice_a) || !byte_choice(l, 2, &choice_b) || red > 1 || !lanes) {
        sass_cannot(l, "reserved form of VABSDIFF4");
        return;
    }
    struct lane_operand a = sass_raw(l, 1), b = sass_raw(l, 2), sum = sass_raw(l, 3), d;
    /* A number is the lowest byte, the others are 0: ptxas writes the words 0 to 255 so (a choice). */
    if (l->op[2].kind != ISA_REGISTER)
        b = sass_imm(l, (uint32_t)l->op[2].value & 0xff);
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

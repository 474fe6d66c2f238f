/* PTX's video instructions. Scalar ones: vadd vsub vabsdiff vmin vmax vset vshl vshr vmad; on 2 halves or 4 bytes:
 * vadd2 vsub2 vavrg2 vmin2 vmax2 vset2 and the same with 4 (PTX ISA, "Scalar Video Instructions", "SIMD Video
 * Instructions"). Forms that ptxas 13.0 takes and the text leaves open stop the launch with their name. What they
 * compute is in isa/video.h.
 *
 *     vadd.dtype.atype.btype{.sat}        d, a{.asel}, b{.bsel};
 *     vadd.dtype.atype.btype{.sat}{.op2}  d, a{.asel}, b{.bsel}, c;
 *     vadd.dtype.atype.btype{.sat}        d.dsel, a{.asel}, b{.bsel}, c; */
#include "isa/video.h"
#include "isa/ptx/lower.h"
#include "isa/ptx/tuple.h"

/* The modifiers, in their order. */
struct modifiers {
    uint16_t types[3]; /* PTX_u32 or PTX_s32 */
    unsigned ntypes;
    bool sat, wrap, clamp, more;
    unsigned shift;
    uint16_t with; /* PTX_add, PTX_min, PTX_max; 0 = none */
    int cmp;       /* enum lane_cmp; -1 = none */
};

static int compare_of(uint16_t word)
{
    static const uint16_t words[] = {PTX_eq, PTX_ne, PTX_lt, PTX_le, PTX_gt, PTX_ge}; /* as enum lane_cmp */
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i] == word)
            return (int)i;
    return -1;
}

static bool take_word(struct modifiers *m, uint16_t word)
{
    switch (word) {
    case PTX_u32:
    case PTX_s32:
        if (m->ntypes == 3)
            return false;
        m->types[m->ntypes++] = word;
        return true;
    case PTX_sat:
        m->sat = true;
        return true;
    case PTX_wrap:
        m->wrap = true;
        return true;
    case PTX_clamp:
        m->clamp = true;
        return true;
    case PTX_po:
        m->more = true;
        return true;
    case PTX_shr7:
    case PTX_shr15:
        m->shift = word == PTX_shr7 ? 7 : 15;
        return true;
    case PTX_add:
    case PTX_min:
    case PTX_max:
        m->with = word;
        return true;
    default:
        m->cmp = compare_of(word);
        return m->cmp >= 0;
    }
}

static bool take_words(const struct insn *insn, struct modifiers *m)
{
    *m = (struct modifiers){.cmp = -1};
    for (unsigned i = 0; i < insn->nmods; i++)
        if (!take_word(m, insn->mods[i]))
            return false;
    return true;
}

/* A register of 32 bits that is no float, or a constant. */
static bool good_source(const struct insn_operand *op)
{
    if (op->kind == INSN_INT)
        return true;
    return op->kind == INSN_REG && op->decl && op->decl->vec <= 1 && ptx_type_bits(op->decl->type) == 32 &&
           op->decl->type != PTX_f32 && (op->part == PART_WHOLE || (op->part >= PART_B0 && op->part <= PART_H1));
}

static bool good_operands(const struct insn *insn)
{
    if (insn->noperands < 3 || insn->noperands > 4 || insn->operands[0].kind != INSN_REG || insn->operands[0].minus)
        return false;
    for (unsigned i = 0; i < insn->noperands; i++)
        if (!good_source(&insn->operands[i]))
            return false;
    return insn->noperands < 4 || insn->operands[3].part == PART_WHOLE;
}

static void part_of(const struct insn_operand *op, unsigned *at, unsigned *bits)
{
    unsigned part = op->kind == INSN_REG ? op->part : PART_WHOLE;
    *bits = part == PART_WHOLE ? 32 : part <= PART_B3 ? 8 : 16;
    *at = part == PART_WHOLE ? 0 : part <= PART_B3 ? 8u * (part - PART_B0) : 16u * (part - PART_H0);
}

static struct lane_operand word_of(struct lowerer *l, const struct insn_operand *op)
{
    struct insn_operand whole = *op;
    if (op->kind == INSN_REG) {
        whole.part = PART_WHOLE;
        whole.minus = false;
    }
    return lower_source(l, &whole, PTX_b32);
}

static struct video_source source(struct lowerer *l, const struct insn_operand *op, uint16_t type)
{
    unsigned at, bits;
    part_of(op, &at, &bits);
    return video_part(&l->b, word_of(l, op), at, bits, type == PTX_s32);
}

static void put(struct lowerer *l, const struct insn *insn, struct lane_operand value)
{
    struct insn_operand to = insn->operands[0];
    to.part = PART_WHOLE;
    struct lane_operand d = lower_dest(l, &to, PTX_b32, true);
    lane_emit(&l->b, LANE_OP_mov, LANE_B32, 1, &d, 1, &value);
    lower_finish(l, &to, PTX_b32, d);
}

/* Whether the forms of the destination and of C belong together: a part to merge into or an operation needs C, and only
 * one of them. */
static bool good_end(const struct insn *insn, const struct modifiers *m)
{
    bool merges = insn->operands[0].part != PART_WHOLE;
    return insn->noperands == 3 ? !merges && !m->with : merges != (m->with != 0);
}

static void put_end(struct lowerer *l, const struct insn *insn, const struct modifiers *m, uint16_t type,
                    enum lane_type wide, struct lane_operand value)
{
    struct video_end end = {.is_signed = type == PTX_s32, .sat = m->sat, .with = VIDEO_ALONE};
    struct lane_operand c = value;
    if (insn->noperands == 4) {
        c = word_of(l, &insn->operands[3]);
        end.with = m->with == PTX_add   ? VIDEO_WITH_ADD
                   : m->with == PTX_min ? VIDEO_WITH_MIN
                   : m->with == PTX_max ? VIDEO_WITH_MAX
                                        : VIDEO_MERGED;
        part_of(&insn->operands[0], &end.at, &end.bits);
    }
    put(l, insn, video_end(&l->b, &end, wide, value, c));
}

static void lower_operation(struct lowerer *l, const struct insn *insn, const struct ptx_form *form, enum video_op op)
{
    struct modifiers m;
    bool shifts = op >= VIDEO_SHL;
    if (!take_words(insn, &m) || m.ntypes != 3 || m.cmp >= 0 || m.more || m.shift || !good_operands(insn) ||
        !good_end(insn, &m) || insn->operands[1].minus || insn->operands[2].minus || m.wrap + m.clamp != (int)shifts) {
        ptx_lower_unsupported(l, insn, form);
        return;
    }
    struct video_source a = source(l, &insn->operands[1], m.types[1]), b = source(l, &insn->operands[2], m.types[2]);
    enum lane_type wide = shifts && !a.is_signed ? LANE_U64 : LANE_S64;
    put_end(l, insn, &m, m.types[0], wide, video_operate(&l->b, op, m.wrap, &a, &b));
}

/* vset has no destination type: 1 or 0, unsigned. */
static void vset(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    struct modifiers m;
    if (!take_words(insn, &m) || m.ntypes != 2 || m.cmp < 0 || m.sat || m.wrap || m.clamp || m.more || m.shift ||
        !good_operands(insn) || !good_end(insn, &m) || insn->operands[1].minus || insn->operands[2].minus) {
        ptx_lower_unsupported(l, insn, form);
        return;
    }
    struct video_source a = source(l, &insn->operands[1], m.types[0]), b = source(l, &insn->operands[2], m.types[1]);
    struct lane_operand p = video_compare(&l->b, (enum lane_cmp)m.cmp, &a, &b), d = lower_temp(l, PTX_b64);
    struct lane_operand src[3] = {lower_const(l, PTX_b64, 1), lower_const(l, PTX_b64, 0), p};
    lane_emit(&l->b, LANE_OP_selp, LANE_B64, 1, &d, 3, src);
    put_end(l, insn, &m, PTX_u32, LANE_S64, d);
}

/* A minus on a or b is one on the product. */
static void vmad(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    struct modifiers m;
    if (!take_words(insn, &m) || m.ntypes != 3 || m.cmp >= 0 || m.wrap || m.clamp || m.with || !good_operands(insn) ||
        insn->noperands != 4 || insn->operands[0].part != PART_WHOLE) {
        ptx_lower_unsupported(l, insn, form);
        return;
    }
    const struct insn_operand *op = insn->operands;
    bool minus = (op[1].kind == INSN_REG && op[1].minus) != (op[2].kind == INSN_REG && op[2].minus);
    bool minus_c = op[3].kind == INSN_REG && op[3].minus;
    if ((minus && minus_c) || (m.more && (minus || minus_c))) {
        ptx_lower_unsupported(l, insn, form);
        return;
    }
    struct video_source a = source(l, &op[1], m.types[1]), b = source(l, &op[2], m.types[2]);
    struct video_mad mad = {minus, minus_c, m.more, m.sat, m.shift};
    put(l, insn, video_mad(&l->b, &mad, &a, &b, word_of(l, &op[3])));
}

#define OPERATION(id, op)                                                                   \
    static void id(struct lowerer *l, const struct insn *insn, const struct ptx_form *form) \
    {                                                                                       \
        lower_operation(l, insn, form, op);                                                 \
    }
OPERATION(vadd, VIDEO_ADD)
OPERATION(vsub, VIDEO_SUB)
OPERATION(vabsdiff, VIDEO_ABSDIFF)
OPERATION(vmin, VIDEO_MIN)
OPERATION(vmax, VIDEO_MAX)
OPERATION(vshl, VIDEO_SHL)
OPERATION(vshr, VIDEO_SHR)

/* ---- several lanes ---------------------------------------------------------------------------------------- */

enum simd_op { SIMD_ADD, SIMD_SUB, SIMD_ABSDIFF, SIMD_AVRG, SIMD_MIN, SIMD_MAX, SIMD_SET };

struct simd {
    enum simd_op op;
    unsigned lanes; /* 2 or 4 */
    struct modifiers m;
    uint16_t type;    /* of the destination: PTX_u32 or PTX_s32 */
    uint32_t from[2]; /* of a and b: a nibble a lane, the number of a part of {b, a} */
    unsigned mask;    /* lanes that are computed */
    struct lane_operand word[2], c;
};

static struct lane_operand emit(struct lowerer *l, enum lane_op op, enum lane_type type, struct lane_operand x,
                                struct lane_operand y)
{
    struct lane_operand d = lane_reg(&l->b, lane_type_bits(type), NULL), src[2] = {x, y};
    lane_emit(&l->b, op, type, 1, &d, 2, src);
    return d;
}

/* .h10, .b3210: which parts the lanes take. */
static bool selection(const struct insn_operand *op, unsigned lanes, uint32_t otherwise, uint32_t *from)
{
    *from = otherwise;
    if (op->kind != INSN_REG || op->part == PART_WHOLE)
        return true;
    *from = op->index;
    if (op->part != (lanes == 2 ? PART_HALVES : PART_BYTES) || op->count != lanes)
        return false;
    for (unsigned k = 0; k < lanes; k++)
        if ((op->index >> 4 * k & 15) >= 2 * lanes)
            return false;
    return true;
}

/* .b20: lanes 0 and 2 */
static bool mask_of(const struct insn_operand *op, unsigned lanes, unsigned *mask)
{
    unsigned first = lanes == 2 ? PART_H0 : PART_B0;
    *mask = op->part == PART_WHOLE ? (1u << lanes) - 1 : 0;
    if (op->part >= first && op->part < first + lanes)
        *mask = 1u << (op->part - first);
    if (*mask)
        return true;
    if (op->part != (lanes == 2 ? PART_HALVES : PART_BYTES))
        return false;
    for (unsigned k = 0; k < op->count; k++)
        *mask |= 1u << (op->index >> 4 * k & 15);
    return *mask < 1u << lanes;
}

static bool simd_operand(const struct insn_operand *op)
{
    struct insn_operand whole = *op;
    whole.part = PART_WHOLE;
    return good_source(&whole) && !(op->kind == INSN_REG && op->minus);
}

static bool simd_take(const struct insn *insn, struct simd *s)
{
    bool set = s->op == SIMD_SET;
    if (!take_words(insn, &s->m) || s->m.ntypes != (set ? 2 : 3) || (s->m.cmp >= 0) != set || s->m.wrap || s->m.clamp ||
        s->m.more || s->m.shift || (s->m.with && s->m.with != PTX_add) || (s->m.sat && (set || s->m.with)) ||
        insn->noperands != 4 || insn->operands[0].kind != INSN_REG || insn->operands[3].part != PART_WHOLE)
        return false;
    for (unsigned i = 0; i < 4; i++)
        if (!simd_operand(&insn->operands[i]))
            return false;
    s->type = set ? PTX_u32 : s->m.types[0];
    return mask_of(&insn->operands[0], s->lanes, &s->mask) &&
           selection(&insn->operands[1], s->lanes, s->lanes == 2 ? 0x10 : 0x3210, &s->from[0]) &&
           selection(&insn->operands[2], s->lanes, s->lanes == 2 ? 0x32 : 0x7654, &s->from[1]);
}

static struct lane_operand simd_source(struct lowerer *l, const struct simd *s, unsigned which, unsigned lane)
{
    unsigned number = s->from[which] >> 4 * lane & 15, bits = 32 / s->lanes;
    uint16_t type = s->m.types[which + (s->op != SIMD_SET)];
    struct lane_operand src[3] = {s->word[number / s->lanes], lane_imm(&l->b, 32, number % s->lanes * bits),
                                  lane_imm(&l->b, 32, bits)};
    struct lane_operand d = lower_temp(l, PTX_b32);
    lower_emit(l, LANE_OP_bfe, type, 1, &d, 3, src);
    return d;
}

/* (x + y + (1 if the sum is not negative)) >> 1 */
static struct lane_operand average(struct lowerer *l, struct lane_operand x, struct lane_operand y)
{
    struct lane_operand sum = emit(l, LANE_OP_add, LANE_S32, x, y);
    struct lane_operand negative = emit(l, LANE_OP_shr, LANE_S32, sum, lane_imm(&l->b, 32, 31)); /* -1 or 0 */
    sum = emit(l, LANE_OP_add, LANE_S32, sum, lane_imm(&l->b, 32, 1));
    sum = emit(l, LANE_OP_add, LANE_S32, sum, negative);
    return emit(l, LANE_OP_shr, LANE_S32, sum, lane_imm(&l->b, 32, 1));
}

static struct lane_operand simd_operate(struct lowerer *l, const struct simd *s, struct lane_operand x,
                                        struct lane_operand y)
{
    static const uint16_t ops[] = {LANE_OP_add, LANE_OP_sub, 0, 0, LANE_OP_min, LANE_OP_max};
    if (s->op == SIMD_AVRG)
        return average(l, x, y);
    if (s->op == SIMD_ABSDIFF) /* of 17 bits at most */
        return emit(l, LANE_OP_sub, LANE_S32, emit(l, LANE_OP_max, LANE_S32, x, y),
                    emit(l, LANE_OP_min, LANE_S32, x, y));
    if (s->op != SIMD_SET)
        return emit(l, (enum lane_op)ops[s->op], LANE_S32, x, y);
    struct lane_operand p = lane_reg(&l->b, 1, NULL), d = lower_temp(l, PTX_b32), src[2] = {x, y};
    lane_emit(&l->b, LANE_OP_setp, LANE_S32, 1, &p, 2, src)->cmp = (uint8_t)s->m.cmp;
    struct lane_operand choice[3] = {lane_imm(&l->b, 32, 1), lane_imm(&l->b, 32, 0), p};
    lane_emit(&l->b, LANE_OP_selp, LANE_B32, 1, &d, 3, choice);
    return d;
}

/* A lane's result, clamped if .sat, into its place. */
static struct lane_operand simd_insert(struct lowerer *l, const struct simd *s, struct lane_operand into,
                                       struct lane_operand value, unsigned lane)
{
    static const uint8_t types[2][2] = {{LANE_U16, LANE_U8}, {LANE_S16, LANE_S8}};
    enum lane_type type = (enum lane_type)types[s->type == PTX_s32][s->lanes == 4];
    unsigned bits = 32 / s->lanes;
    if (s->m.sat) {
        struct lane_operand narrow = lane_reg(&l->b, bits, NULL), wide = lower_temp(l, PTX_b32);
        struct lane_inst *inst = lane_emit(&l->b, LANE_OP_cvt, type, 1, &narrow, 1, &value);
        inst->type2 = LANE_S32;
        inst->flags = LANE_SAT;
        lower_convert(l, wide, LANE_U32, narrow, type);
        value = wide;
    }
    struct lane_operand src[4] = {value, into, lane_imm(&l->b, 32, lane * bits), lane_imm(&l->b, 32, bits)};
    struct lane_operand d = lower_temp(l, PTX_b32);
    lane_emit(&l->b, LANE_OP_bfi, LANE_B32, 1, &d, 4, src);
    return d;
}

/* What one operation of the lane program does: all lanes in their places, without .sat. */
static bool is_whole_absdiff(const struct simd *s)
{
    bool two = s->lanes == 2;
    return s->op == SIMD_ABSDIFF && !s->m.sat && s->m.types[1] == s->m.types[2] && s->mask == (1u << s->lanes) - 1 &&
           s->from[0] == (two ? 0x10 : 0x3210) && s->from[1] == (two ? 0x32 : 0x7654);
}

static void whole_absdiff(struct lowerer *l, const struct insn *insn, const struct simd *s)
{
    struct lane_operand d = lower_temp(l, PTX_b32), src[3] = {s->word[0], s->word[1], s->c};
    struct lane_inst *inst = lower_emit(l, LANE_OP_vabsdiff, s->type, 1, &d, 3, src);
    inst->type2 = (uint8_t)ptx_type_lane(s->m.types[1]);
    inst->mode = (uint8_t)s->lanes;
    inst->flags = s->m.with ? LANE_CLAMP : 0;
    put(l, insn, d);
}

/* Lanes outside the mask are C's; .add: the sum of the results, and C. */
static void lower_simd(struct lowerer *l, const struct insn *insn, const struct ptx_form *form, enum simd_op op,
                       unsigned lanes)
{
    struct simd s = {.op = op, .lanes = lanes};
    if (!simd_take(insn, &s)) {
        ptx_lower_unsupported(l, insn, form);
        return;
    }
    s.word[0] = word_of(l, &insn->operands[1]);
    s.word[1] = word_of(l, &insn->operands[2]);
    s.c = word_of(l, &insn->operands[3]);
    if (is_whole_absdiff(&s)) {
        whole_absdiff(l, insn, &s);
        return;
    }
    for (unsigned k = 0; k < lanes; k++) {
        if (!(s.mask >> k & 1))
            continue;
        struct lane_operand value = simd_operate(l, &s, simd_source(l, &s, 0, k), simd_source(l, &s, 1, k));
        s.c = s.m.with ? emit(l, LANE_OP_add, LANE_U32, s.c, value) : simd_insert(l, &s, s.c, value, k);
    }
    put(l, insn, s.c);
}

#define SIMD(id, op, lanes)                                                                 \
    static void id(struct lowerer *l, const struct insn *insn, const struct ptx_form *form) \
    {                                                                                       \
        lower_simd(l, insn, form, op, lanes);                                               \
    }
#define SIMDS(id, op) SIMD(id##2, op, 2) SIMD(id##4, op, 4)
SIMDS(vadd, SIMD_ADD)
SIMDS(vsub, SIMD_SUB)
SIMDS(vabsdiff, SIMD_ABSDIFF)
SIMDS(vavrg, SIMD_AVRG)
SIMDS(vmin, SIMD_MIN)
SIMDS(vmax, SIMD_MAX)
SIMDS(vset, SIMD_SET)

/* ---- checking ---------------------------------------------------------------------------------------- */

/* A register of 32 bits that is no float, or a constant where there can be one. */
static bool check_video_source(struct checker *c, const struct insn_operand *op, bool minus, bool constant)
{
    if (op->kind == INSN_REG && op->minus && !minus)
        return check_error(c, op->span, "operand-type", "this instruction takes no minus sign on a register");
    if (op->kind == INSN_INT && !constant)
        return check_error(c, op->span, "operand-type", "a register is wanted");
    return check_source(c, op, PTX_u32, false);
}

/* Scalar instructions select one byte or one half. */
static bool check_part(struct checker *c, const struct insn_operand *op, bool allowed)
{
    if (op->kind != INSN_REG || op->part == PART_WHOLE || (allowed && op->part >= PART_B0 && op->part <= PART_H1))
        return true;
    return check_error(c, op->span, "operand-type",
                       allowed ? "one byte or one half is selected here: .b0 to .b3, .h0, .h1"
                               : "no part of a register can be selected here");
}

static bool check_video_dest(struct checker *c, const struct insn_operand *op)
{
    return (!op->minus || check_error(c, op->span, "operand-type", "a destination has no minus sign")) &&
           check_dest(c, op, PTX_u32, false);
}

static bool check_scalar(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    const struct insn_operand *op = insn->operands;
    bool three = insn->noperands == 4, selects = op[0].kind == INSN_REG && op[0].part != PART_WHOLE;
    bool ok = check_video_dest(c, &op[0]) && check_part(c, &op[0], three && form->op == 0);
    for (unsigned i = 1; i < insn->noperands; i++)
        ok &= check_video_source(c, &op[i], false, true) && check_part(c, &op[i], i < 3);
    if (form->op != 0 && !three)
        return check_error(c, insn->name, "operand-count", "'%s' with .%s needs a fourth operand", form->row->name,
                           ptx_keyword_text((enum ptx_keyword)form->op));
    if (three && form->op == 0 && !selects && ok)
        return check_lenient(c, op[3].span, "surplus-operand",
                             "a fourth operand needs .add, .min, .max or a selected part of the destination");
    return ok;
}

static bool check_vmad(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    const struct insn_operand *op = insn->operands;
    bool ok = check_video_dest(c, &op[0]) && check_part(c, &op[0], false), minus[4] = {false};
    for (unsigned i = 1; i < 4; i++) {
        ok &= check_video_source(c, &op[i], true, true) && check_part(c, &op[i], i < 3);
        minus[i] = op[i].kind == INSN_REG && op[i].minus;
    }
    if (minus[1] != minus[2] && minus[3])
        return check_error(c, op[3].span, "operand-type", "either the product has a minus sign or c");
    if ((minus[1] || minus[2] || minus[3]) && ptx_form_has(form, PTX_po))
        return check_error(c, insn->name, "illegal-modifier", ".po and a minus sign exclude each other");
    return ok;
}

/* Are the lanes of a destination written from the highest to the lowest? */
static bool descending(const struct insn_operand *op)
{
    for (unsigned k = 1; k < op->count; k++)
        if ((op->index >> 4 * (k - 1) & 15) >= (op->index >> 4 * k & 15))
            return false;
    return true;
}

static bool check_lanes(struct checker *c, const struct insn *insn, unsigned lanes)
{
    const struct insn_operand *op = insn->operands;
    bool ok = check_video_dest(c, &op[0]);
    for (unsigned i = 1; i < 4; i++)
        ok &= check_video_source(c, &op[i], false, false);
    ok = ok && check_part(c, &op[3], false);
    unsigned mask;
    uint32_t from;
    if (ok && (!mask_of(&op[0], lanes, &mask) || !descending(&op[0])))
        return check_error(c, op[0].span, "operand-type",
                           "the destination selects lanes from the highest to the lowest: %s",
                           lanes == 2 ? ".h10, .h1, .h0" : ".b3210, .b20, .b1 ...");
    for (unsigned i = 1; ok && i < 3; i++)
        if (!selection(&op[i], lanes, 0, &from))
            return check_error(c, op[i].span, "operand-type", "%u parts are selected here, as %s", lanes,
                               lanes == 2 ? ".h10; they are 0 to 3" : ".b3210; they are 0 to 7");
    return ok;
}

static bool check_halves(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    (void)form;
    return check_lanes(c, insn, 2);
}

static bool check_bytes(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    (void)form;
    return check_lanes(c, insn, 4);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

#define TWO      "u32|s32 u32|s32 "
#define THREE    TWO "u32|s32 "
#define COMPARES "eq|ne|lt|le|gt|ge "
#define VIDEO(id, since, summary_, check_, mods, operands)                                  \
    static const struct ptx_pattern id##_forms[] = {                                        \
        {mods, operands, .version = since, .target = since, .check = check_, .lower = id}}; \
    const struct ptx_row ptx_row_##id = {#id, summary_, PTX_PATTERNS(id##_forms), NULL, id};
#define SCALAR(id, summary_, mods) \
    VIDEO(id, 20, "video: " summary_, check_scalar, mods " add|min|max?", "d>* a:* b:* c:*?")
SCALAR(vabsdiff, "absolute difference", THREE "sat?")
SCALAR(vadd, "add", THREE "sat?")
SCALAR(vmax, "maximum", THREE "sat?")
SCALAR(vmin, "minimum", THREE "sat?")
SCALAR(vset, "compare", TWO COMPARES)
SCALAR(vshl, "shift left", TWO "u32 sat? clamp|wrap")
SCALAR(vshr, "shift right", TWO "u32 sat? clamp|wrap")
SCALAR(vsub, "subtract", THREE "sat?")
VIDEO(vmad, 20, "video: multiply and add", check_vmad, THREE "po? sat? shr7|shr15?", "d>* a:* b:* c:*")
#define PACKED(id, summary_, mods)                                                          \
    VIDEO(id##2, 30, "video: " summary_ " 2 halves", check_halves, mods, "d>* a:* b:* c:*") \
    VIDEO(id##4, 30, "video: " summary_ " 4 bytes", check_bytes, mods, "d>* a:* b:* c:*")
PACKED(vadd, "add", THREE "sat|add?")
PACKED(vavrg, "average of", THREE "sat|add?")
PACKED(vmax, "maximum of", THREE "sat|add?")
PACKED(vmin, "minimum of", THREE "sat|add?")
PACKED(vset, "compare", TWO COMPARES "add?")
PACKED(vsub, "subtract", THREE "sat|add?")
PACKED(vabsdiff, "absolute difference of", THREE "sat|add?")

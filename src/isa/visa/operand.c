/* Operands of vISA in the lane program: regions of variables, addresses, immediates, predicates. */
#include "isa/visa/lower.h"

#include <assert.h>
#include <string.h>

/* ---- types ------------------------------------------------------------------------------------------------ */

enum lane_type visa_lane_type(unsigned type)
{
    static const uint8_t types[VISA_TYPES] = {
        [VISA_UD] = LANE_U32, [VISA_D] = LANE_S32,  [VISA_UW] = LANE_U16,  [VISA_W] = LANE_S16,
        [VISA_UB] = LANE_U8,  [VISA_B] = LANE_S8,   [VISA_DF] = LANE_F64,  [VISA_F] = LANE_F32,
        [VISA_V] = LANE_S16,  [VISA_VF] = LANE_F32, [VISA_UQ] = LANE_U64,  [VISA_UV] = LANE_U16,
        [VISA_Q] = LANE_S64,  [VISA_HF] = LANE_F16, [VISA_BF] = LANE_BF16, [VISA_BOOL] = LANE_U8,
    };
    return types[type];
}

unsigned visa_operand_own_type(const struct visa_lower *l, const struct visa_operand *op)
{
    unsigned type = op->class == VISA_PREDICATE ? VISA_TYPES : visa_type_of_operand(l->object, op);
    return type == VISA_TYPES && op->class != VISA_GENERAL && op->class != VISA_RAW ? VISA_UD : type;
}

/* ---- touches -------------------------------------------------------------------------------------------------- */

/* Strides and width of a region, in elements. */
struct region {
    unsigned vertical, width, horizontal;
};

static unsigned stride_of(unsigned code)
{
    int stride = visa_stride(code & 15);
    return stride < 0 ? 0 : (unsigned)stride;
}

static struct region region_of(const struct visa_lower *l, const struct visa_operand *op, bool target)
{
    struct region r = {stride_of(op->region), stride_of(op->region >> 4), stride_of(op->region >> 8)};
    if (target || r.width == 0) {
        r.width = l->channels;
        r.vertical = l->channels * r.horizontal;
    }
    return r;
}

static unsigned element_of(const struct region *r, unsigned i)
{
    return i / r->width * r->vertical + i % r->width * r->horizontal;
}

/* A region of `count` elements from byte `at` of a root on. */
static struct visa_touch touch_region(const struct visa_lower *l, uint32_t root, int32_t at, unsigned bytes,
                                      const struct region *r)
{
    struct visa_touch t = {.root = root,
                           .at = at,
                           .low = at,
                           .bytes = (uint8_t)bytes,
                           .first = (uint8_t)l->first,
                           .count = (uint8_t)l->channels};
    unsigned step = l->channels > 1 ? element_of(r, 1) : 0, last = 0;
    t.shape = step ? VISA_CHANNELWISE : VISA_SCALAR;
    for (unsigned i = 0; i < l->channels; i++) {
        unsigned element = element_of(r, i);
        last = element > last ? element : last;
        if (element != i * step)
            t.shape = VISA_ODD;
    }
    t.stride = (int32_t)(step * bytes);
    t.span = last * bytes + bytes;
    return t;
}

/* Whether the bytes lie in their variable; else whoever gets there is told. */
static bool touch_fits(struct visa_lower *l, const struct visa_operand *op, const struct visa_touch *t)
{
    const struct visa_root *root = &l->roots[t->root];
    if (t->low >= 0 && t->low + (int64_t)t->span <= (int64_t)root->bytes)
        return true;
    visa_stop(l, "an operand has bytes %d to %d of '%s', which has %u", t->low, t->low + (int)t->span - 1,
              visa_name(l->object, op->class == VISA_ADDRESS ? VISA_A : VISA_G, op->id), root->bytes);
    return false;
}

/* ---- the register file --------------------------------------------------------------------------------------- */

static struct lane_operand file_address(struct visa_lower *l, const struct visa_touch *t, const struct region *r)
{
    if (t->shape == VISA_SCALAR)
        return lane_imm(l->b, 32, 0);
    struct visa_pattern p = {.first = (uint8_t)l->first,
                             .count = (uint8_t)l->channels,
                             .vertical = (uint8_t)r->vertical,
                             .width = (uint8_t)r->width,
                             .horizontal = (uint8_t)r->horizontal,
                             .bytes = t->bytes};
    if (r->width >= l->channels || r->vertical == r->width * r->horizontal) {
        p.width = 1;
        p.vertical = (uint8_t)(r->width == 1 ? r->vertical : r->horizontal);
        p.horizontal = 0;
    }
    return visa_pattern_of(l, &p);
}

static struct lane_operand file_read(struct visa_lower *l, struct lane_operand address, int64_t offset, unsigned bytes)
{
    struct lane_operand d = lane_reg(l->b, 8 * bytes, NULL);
    struct lane_inst *inst = lane_emit(l->b, LANE_OP_ld, LANE_VOID, 1, &d, 1, &address);
    inst->aux = lane_access(
        l->b, &(struct lane_access){
                  .space = LANE_REGFILE, .type = (uint8_t)visa_bits_type(bytes), .vec = 1, .offset = offset});
    inst->flags |= (uint16_t)visa_whole(l);
    return d;
}

static void file_write(struct visa_lower *l, struct lane_operand address, int64_t offset, unsigned bytes,
                       struct lane_operand value)
{
    struct lane_inst *inst = visa_masked(l, LANE_OP_st, 0, NULL, 2, (struct lane_operand[]){address, value});
    inst->aux = lane_access(
        l->b, &(struct lane_access){
                  .space = LANE_REGFILE, .type = (uint8_t)visa_bits_type(bytes), .vec = 1, .offset = offset});
}

/* ---- registers ------------------------------------------------------------------------------------------------ */

/* Bytes [sub, sub + bytes) of a register. */
static struct lane_operand extract(struct visa_lower *l, const struct visa_part *part, unsigned sub, unsigned bytes)
{
    struct lane_operand v = part->reg;
    if (part->bytes == bytes)
        return v;
    if (sub)
        v = visa_two(l, LANE_OP_shr, visa_bits_type(part->bytes), v, lane_imm(l->b, 32, 8u * sub));
    static const uint8_t types[9] = {0, LANE_U8, LANE_U16, 0, LANE_U32, 0, 0, 0, LANE_U64};
    return visa_cvt(l, types[bytes], types[part->bytes], v);
}

/* The register with bytes [sub, sub + bytes) replaced. */
static struct lane_operand insert(struct visa_lower *l, const struct visa_part *part, unsigned sub, unsigned bytes,
                                  struct lane_operand value)
{
    static const uint8_t types[9] = {0, LANE_U8, LANE_U16, 0, LANE_U32, 0, 0, 0, LANE_U64};
    unsigned wide = part->bytes < 4 ? 4 : part->bytes;
    struct lane_operand old = part->reg;
    if (wide != part->bytes)
        old = visa_cvt(l, types[wide], types[part->bytes], old);
    if (wide != bytes)
        value = visa_cvt(l, types[wide], types[bytes], value);
    struct lane_operand src[4] = {value, old, lane_imm(l->b, 32, 8u * sub), lane_imm(l->b, 32, 8u * bytes)};
    struct lane_operand d = visa_pure(l, LANE_OP_bfi, visa_bits_type(wide), 8 * wide, 4, src);
    return wide != part->bytes ? visa_cvt(l, types[part->bytes], types[wide], d) : d;
}

/* Who runs, as all lanes of the warp know it. */
static struct lane_operand running(struct visa_lower *l)
{
    struct lane_operand p = lane_reg(l->b, 1, NULL), no = lane_imm(l->b, 1, 0), yes = lane_imm(l->b, 1, 1);
    lane_emit(l->b, LANE_OP_mov, LANE_PRED, 1, &p, 1, &no)->flags |= LANE_WHOLE;
    lane_emit(l->b, LANE_OP_mov, LANE_PRED, 1, &p, 1, &yes);
    return p;
}

/* The channel of a scalar instruction runs: in all lanes. */
static struct lane_operand channel_runs(struct visa_lower *l)
{
    return visa_uniform_predicate(l, running(l), l->first);
}

/* Who writes a part: `guard` (LANE_NONE: everyone), inverted or not. */
struct writers {
    struct lane_operand guard;
    bool inverted, whole;
};

static struct writers writers_of(struct visa_lower *l, const struct visa_part *part, const struct visa_touch *t)
{
    struct writers w = {l->guard, l->guard_not, l->no_mask};
    if (part->place == VISA_IN_SCALAR) {
        w.whole = true;
        if (l->no_mask)
            return w;
        struct lane_operand runs = channel_runs(l);
        if (w.guard.kind != LANE_NONE && w.inverted)
            w.guard = visa_one(l, LANE_OP_not, LANE_PRED, w.guard);
        w.guard = visa_and(l, w.guard, runs);
        w.inverted = false;
        return w;
    }
    uint32_t lanes = part->lanes & visa_mask(0, visa_reach(l));
    if (lanes & ~visa_mask(t->first, t->count)) {
        w.guard = visa_active(l);
        w.inverted = l->guard.kind != LANE_NONE && w.guard.index == l->guard.index && l->guard_not;
    }
    return w;
}

/* A load by those who write. */
static bool load_alike(const struct lane_inst *inst, const struct writers *w)
{
    return (inst->op == LANE_OP_ld || inst->op == LANE_OP_suld) && inst->guard.kind == w->guard.kind &&
           inst->guard.index == w->guard.index && (w->guard.kind == LANE_NONE || inst->guard_not == w->inverted) &&
           !!(inst->flags & LANE_WHOLE) == w->whole;
}

/* Which of its results the register is; that many: none. */
static unsigned result_of(const struct lane_func *f, const struct lane_inst *inst, struct lane_operand reg)
{
    unsigned k = 0;
    while (k < inst->ndst &&
           (f->operands[inst->first + k].kind != LANE_REG || f->operands[inst->first + k].index != reg.index))
        k++;
    return k;
}

/* The instruction that made `value` writes `reg` instead, if it was the last; else a copy does. */
static void retarget(struct visa_lower *l, struct lane_operand reg, struct lane_operand value, const struct writers *w,
                     unsigned bits, uint32_t before)
{
    struct lane_func *f = l->b->func;
    struct lane_inst *last = visa_last(l);
    bool own = !l->b->failed && value.kind == LANE_REG && f->ninsts == before && f->ninsts > 0 &&
               f->blocks[f->nblocks - 1].count && last->ndst && result_of(f, last, value) < last->ndst &&
               (lane_is(last->op, LANE_PURE) ? last->ndst == 1 && last->guard.kind == LANE_NONE
                                             : value.index == l->loaded && load_alike(last, w)) &&
               value.index == f->nregs - 1;
    if (!own) {
        last = lane_emit(l->b, LANE_OP_mov, bits == 1 ? LANE_PRED : visa_bits_type(bits / 8), 1, &reg, 1, &value);
    } else {
        f->operands[last->first + result_of(f, last, value)] = reg;
        f->nregs--; /* nobody else knows it */
    }
    last->guard = w->guard;
    last->guard_not = w->inverted && w->guard.kind != LANE_NONE;
    last->flags = (uint16_t)((last->flags & ~LANE_WHOLE) | (w->whole ? LANE_WHOLE : 0));
}

static void part_write(struct visa_lower *l, const struct visa_part *part, const struct visa_touch *t, unsigned sub,
                       struct lane_operand value)
{
    if (part->bytes != t->bytes)
        value = insert(l, part, sub, t->bytes, value);
    uint32_t before = l->b->func->ninsts;
    struct writers w = writers_of(l, part, t);
    retarget(l, part->reg, value, &w, 8u * part->bytes, before);
}

static unsigned part_sub(const struct visa_part *part, const struct visa_touch *t)
{
    return (unsigned)(part->place == VISA_IN_SCALAR ? t->low - part->low
                                                    : t->at - t->first * part->stride - part->base);
}

static struct lane_operand home_read(struct visa_lower *l, const struct visa_part *part, const struct visa_touch *t,
                                     const struct region *r)
{
    if (part->place != VISA_IN_FILE)
        return extract(l, part, part_sub(part, t), t->bytes);
    return file_read(l, file_address(l, t, r), (int64_t)l->roots[t->root].file_at + t->at, t->bytes);
}

static void home_write(struct visa_lower *l, const struct visa_part *part, const struct visa_touch *t,
                       const struct region *r, struct lane_operand value)
{
    if (part->place != VISA_IN_FILE)
        part_write(l, part, t, part_sub(part, t), value);
    else
        file_write(l, file_address(l, t, r), (int64_t)l->roots[t->root].file_at + t->at, t->bytes, value);
}

/* ---- general and raw operands ---------------------------------------------------------------------------------- */

/* An operand as it is accessed. */
struct seen {
    const struct visa_operand *op;
    bool raw, target;
    uint32_t from; /* of raw ones: bytes after its start, bytes of an element, bytes from one to the next */
    unsigned bytes, stride;
};

static struct visa_touch touch_of(const struct visa_lower *l, const struct seen *seen, const struct visa_operand *op,
                                  struct region *r)
{
    int32_t at;
    uint32_t root = visa_home_root(l->object, op->id, &at);
    if (seen->raw) {
        *r = (struct region){.vertical = seen->stride / seen->bytes, .width = 1, .horizontal = 0};
        return touch_region(l, root, at + op->bytes + (int32_t)seen->from, seen->bytes, r);
    }
    unsigned bytes = visa_type_bytes(visa_operand_own_type(l, op));
    *r = region_of(l, op, seen->target);
    return touch_region(l, root, at + (int32_t)(op->row * l->grf + op->column * bytes), bytes, r);
}

/* Of instructions that are carried out as one: whether their operands are one register. What each has for itself can
 * be made to share one. */
static bool members_agree(struct visa_lower *l, const struct seen *seen, struct visa_part *part,
                          const struct visa_touch *t)
{
    struct region r;
    unsigned first = l->first;
    bool agree = part->place != VISA_IN_FILE;
    for (unsigned m = 1; m < l->members && agree; m++) {
        const struct visa_operand *op = visa_member_operand(l, seen->op, m);
        if (!op)
            return false;
        l->first = first + m * l->channels;
        struct visa_touch own = touch_of(l, seen, op, &r);
        l->first = first;
        if (own.low < 0 || own.low + (int64_t)own.span > (int64_t)l->roots[own.root].bytes)
            return false;
        struct visa_part *other = visa_home_find(l, &own);
        agree = other->place == part->place && other->bytes == part->bytes && own.bytes == t->bytes &&
                part_sub(other, &own) == part_sub(part, t) &&
                (part->place == VISA_IN_SCALAR ? other == part && own.low == t->low : visa_parts_share(l, part, other));
    }
    return agree;
}

static struct lane_operand touch_read(struct visa_lower *l, const struct seen *seen)
{
    struct region r;
    struct visa_touch t = touch_of(l, seen, seen->op, &r);
    l->modes_read |= t.root == VISA_CR0 && !visa_sets_modes(l, l->inst);
    if (!touch_fits(l, seen->op, &t))
        return lane_imm(l->b, 8u * t.bytes, 0);
    if (!l->decided) {
        visa_home_touch(l, &t);
        return lane_reg(l->b, 8u * t.bytes, NULL);
    }
    struct visa_part *part = visa_home_find(l, &t);
    if (l->members > 1 && !members_agree(l, seen, part, &t)) {
        l->apart = true;
        return lane_reg(l->b, 8u * t.bytes, NULL);
    }
    return home_read(l, part, &t, &r);
}

static void touch_write(struct visa_lower *l, const struct seen *seen, struct lane_operand value)
{
    struct region r;
    struct visa_touch t = touch_of(l, seen, seen->op, &r);
    if (!touch_fits(l, seen->op, &t))
        return;
    if (!l->decided) {
        visa_home_touch(l, &t);
        return;
    }
    struct visa_part *part = visa_home_find(l, &t);
    if (l->members > 1 && (part->place == VISA_IN_SCALAR || !members_agree(l, seen, part, &t))) {
        l->apart = true;
        return;
    }
    t.count = (uint8_t)(t.count * l->members);
    home_write(l, part, &t, &r, value);
}

struct lane_operand visa_get_raw(struct visa_lower *l, const struct visa_operand *op, uint32_t at, unsigned bytes,
                                 unsigned stride)
{
    const struct seen seen = {.op = op, .raw = true, .from = at, .bytes = bytes, .stride = stride};
    return visa_is_null(op) ? lane_imm(l->b, 8 * bytes, 0) : touch_read(l, &seen);
}

void visa_put_raw(struct visa_lower *l, const struct visa_operand *op, uint32_t at, unsigned bytes, unsigned stride,
                  struct lane_operand value)
{
    const struct seen seen = {.op = op, .raw = true, .target = true, .from = at, .bytes = bytes, .stride = stride};
    if (!visa_is_null(op))
        touch_write(l, &seen, value);
}

/* ---- addresses ------------------------------------------------------------------------------------------------ */

/* Elements of an address variable: one, or as many as the width says. */
static struct visa_touch touch_address(struct visa_lower *l, uint32_t id, unsigned element, unsigned vertical,
                                       unsigned width, struct region *r)
{
    *r = (struct region){vertical, width ? width : 1, 0};
    return touch_region(l, visa_root_of_address(l, id), (int32_t)(2 * element), 2, r);
}

static struct visa_touch touch_address_operand(struct visa_lower *l, const struct visa_operand *op, bool target,
                                               struct region *r)
{
    unsigned width = target ? l->channels : 1u << (op->width < 5 ? op->width : 0);
    return touch_address(l, op->id, op->element, width > 1 ? 1 : 0, 1, r);
}

static struct lane_operand address_read(struct visa_lower *l, const struct visa_touch *t, const struct region *r)
{
    if (l->decided)
        return home_read(l, visa_home_find(l, t), t, r);
    visa_home_touch(l, t);
    return lane_reg(l->b, 16, NULL);
}

static void address_write(struct visa_lower *l, const struct visa_touch *t, const struct region *r,
                          struct lane_operand value)
{
    if (l->decided)
        home_write(l, visa_home_find(l, t), t, r, value);
    else
        visa_home_touch(l, t);
}

/* Bytes in the register file that an indirect operand's channels name. */
static struct lane_operand indirect_address(struct visa_lower *l, const struct visa_operand *op, bool target)
{
    struct region r, addresses;
    unsigned bytes = visa_type_bytes(op->type), v = op->region & 15, w = op->region >> 4 & 15;
    bool several = !target && v == 0 && w != 0; /* <w,h>: an address for each row */
    unsigned width = several ? stride_of(w) : l->channels, horizontal = stride_of(op->region >> 8);
    width = width ? width : 1;
    struct visa_touch t = touch_address(l, op->id, op->element, several ? 1 : 0, width, &addresses);
    struct lane_operand address = lane_imm(l->b, 16, 0);
    struct visa_operand whole = {.class = VISA_ADDRESS, .id = op->id};
    if (touch_fits(l, &whole, &t))
        address = address_read(l, &t, &addresses);
    address = visa_cvt(l, LANE_U32, LANE_U16, address);
    r = several ? (struct region){0, width, horizontal} : region_of(l, op, target);
    struct visa_touch elements = touch_region(l, 0, 0, bytes, &r);
    if (elements.shape != VISA_SCALAR)
        address = visa_two(l, LANE_OP_add, LANE_U32, address, file_address(l, &elements, &r));
    return address;
}

/* ---- immediates ------------------------------------------------------------------------------------------------ */

/* An 8-bit float: sign, 3 bits of exponent, 4 of mantissa (docs/visa.md, "Running"). */
static uint32_t float_of_8(unsigned v)
{
    if ((v & 0x7F) == 0)
        return (v & 0x80) << 24;
    return (v & 0x80) << 24 | ((v >> 4 & 7) + 127 - 3) << 23 | (v & 15) << 19;
}

/* Elements of a packed immediate: a table look-up by the channel's number. */
static struct lane_operand packed(struct visa_lower *l, const struct visa_operand *op)
{
    bool floats = op->type == VISA_VF;
    unsigned bits = floats ? 8 : 4;
    struct visa_pattern p = {.first = (uint8_t)l->first,
                             .count = (uint8_t)(l->channels * l->members),
                             .vertical = 1,
                             .width = 1,
                             .bytes = 1};
    struct lane_operand index = l->channels > 1 ? visa_pattern_of(l, &p) : lane_imm(l->b, 32, 0);
    index = visa_two(l, LANE_OP_and, LANE_B32, index, lane_imm(l->b, 32, floats ? 3 : 7));
    struct lane_operand at = visa_two(l, LANE_OP_mul, LANE_U32, index, lane_imm(l->b, 32, bits));
    struct lane_operand word = lane_imm(l->b, 32, (uint32_t)op->value);
    if (!floats) {
        struct lane_operand src[3] = {word, at, lane_imm(l->b, 32, bits)};
        enum lane_type type = op->type == VISA_V ? LANE_S32 : LANE_U32;
        return visa_cvt(l, op->type == VISA_V ? LANE_S16 : LANE_U16, type, visa_pure(l, LANE_OP_bfe, type, 32, 3, src));
    }
    struct lane_operand value = lane_imm(l->b, 32, float_of_8((unsigned)op->value & 0xFF));
    for (unsigned i = 1; i < 4; i++) {
        struct lane_operand is = visa_compare(l, LANE_EQ, LANE_U32, index, lane_imm(l->b, 32, i));
        value = visa_three(l, LANE_OP_selp, LANE_B32,
                           lane_imm(l->b, 32, float_of_8((unsigned)(op->value >> 8 * i) & 0xFF)), value, is);
    }
    return value;
}

static struct visa_value immediate(struct visa_lower *l, const struct visa_operand *op)
{
    static const uint8_t plain[VISA_TYPES] = {[VISA_V] = VISA_W, [VISA_UV] = VISA_UW, [VISA_VF] = VISA_F};
    if (op->type < VISA_TYPES && plain[op->type])
        return (struct visa_value){packed(l, op), plain[op->type]};
    return (struct visa_value){lane_imm(l->b, 8 * visa_type_bytes(op->type), op->value), op->type};
}

/* ---- predicates ------------------------------------------------------------------------------------------------ */

static void predicate_touch(struct visa_lower *l, unsigned id)
{
    unsigned end = l->first + l->channels;
    visa_lanes_seen(l, end);
    if (l->decided || id > l->object->nvars[VISA_P])
        return;
    l->pred_first[id] = l->first < l->pred_first[id] ? l->first : l->pred_first[id];
    l->pred_end[id] = end > l->pred_end[id] ? end : l->pred_end[id];
}

/* Bits of the channels of a predicate that the warp's lanes have, in all lanes. */
static struct lane_operand ballot(struct visa_lower *l, struct lane_operand pred)
{
    struct lane_operand d = lane_reg(l->b, 32, NULL), src[2] = {pred, lane_imm(l->b, 32, UINT32_MAX)};
    lane_emit(l->b, LANE_OP_ballot, LANE_VOID, 1, &d, 2, src)->flags |= LANE_WHOLE;
    return d;
}

static struct lane_operand whole_compare(struct visa_lower *l, enum lane_cmp cmp, struct lane_operand a, uint32_t b)
{
    struct lane_operand d = visa_compare(l, cmp, LANE_U32, a, lane_imm(l->b, 32, b));
    visa_last(l)->flags |= LANE_WHOLE;
    return d;
}

static struct lane_operand masked_bits(struct visa_lower *l, struct lane_operand pred, uint32_t mask)
{
    struct lane_operand bits = ballot(l, pred);
    if (mask == UINT32_MAX)
        return bits;
    bits = visa_two(l, LANE_OP_and, LANE_B32, bits, lane_imm(l->b, 32, mask));
    visa_last(l)->flags |= LANE_WHOLE;
    return bits;
}

struct lane_operand visa_uniform_predicate(struct visa_lower *l, struct lane_operand pred, unsigned channel)
{
    return whole_compare(l, LANE_NE, masked_bits(l, pred, UINT32_C(1) << channel), 0);
}

struct lane_operand visa_predicate(struct visa_lower *l, unsigned word, bool * not )
{
    unsigned id = word & VISA_PRED_ID;
    uint32_t mask = visa_mask(l->first, l->channels);
    predicate_touch(l, id);
    *not = word & VISA_PRED_NOT;
    struct lane_operand pred = l->preds[id];
    if (word & VISA_PRED_ANY)
        return whole_compare(l, LANE_NE, masked_bits(l, pred, mask), 0);
    if (word & VISA_PRED_ALL)
        return whole_compare(l, LANE_EQ, masked_bits(l, pred, mask), mask);
    return l->channels == 1 ? visa_uniform_predicate(l, pred, l->first) : pred;
}

void visa_store_predicate(struct visa_lower *l, unsigned id, struct lane_operand value)
{
    if (!id) {
        visa_stop(l, "a predicate variable that there is not as a destination");
        return;
    }
    predicate_touch(l, id);
    if (!l->decided)
        return;
    struct visa_part part = {.place = VISA_IN_LANES,
                             .lanes = visa_mask(l->pred_first[id], l->pred_end[id] - l->pred_first[id])};
    struct visa_touch t = {.first = (uint8_t)l->first, .count = (uint8_t)(l->channels * l->members)};
    uint32_t before = l->b->func->ninsts;
    struct writers w = writers_of(l, &part, &t);
    retarget(l, l->preds[id], value, &w, 1, before);
}

/* The bits of a predicate as a number, from the mask's first channel on. */
static struct visa_value predicate_bits(struct visa_lower *l, const struct visa_operand *op)
{
    unsigned id = (unsigned)op->value & VISA_PRED_ID;
    if (!id)
        id = op->id & VISA_PRED_ID;
    if (!l->decided && id <= l->object->nvars[VISA_P]) {
        l->pred_first[id] = 0;
        l->pred_end[id] = 32;
    }
    struct lane_operand bits = ballot(l, l->preds[id]);
    if (l->first) {
        bits = visa_two(l, LANE_OP_shr, LANE_B32, bits, lane_imm(l->b, 32, l->first));
        visa_last(l)->flags |= LANE_WHOLE;
    }
    return (struct visa_value){bits, VISA_UD};
}

/* ---- state ----------------------------------------------------------------------------------------------------- */

static unsigned state_of(const struct visa_operand *op)
{
    return op->space == VISA_S ? VISA_KNOWN_S + (op->id & 31) : VISA_KNOWN_T + (op->id & 255);
}

static struct visa_value state_read(struct visa_lower *l, const struct visa_operand *op)
{
    unsigned s = state_of(op);
    if (l->known[s].known)
        return (struct visa_value){lane_imm(l->b, 32, l->known[s].value), VISA_UD};
    l->state_read[s] = true;
    return (struct visa_value){l->state[s], VISA_UD};
}

static void state_write(struct visa_lower *l, const struct visa_operand *op, struct lane_operand value)
{
    unsigned s = state_of(op);
    struct lane_func *f = l->b->func;
    l->known[s] = (struct visa_known){0};
    if (value.kind == LANE_CONST && l->guard.kind == LANE_NONE && !l->b->failed)
        l->known[s] = (struct visa_known){(uint32_t)f->consts[value.index].lo, true};
    if (l->always[s].known)
        l->known[s] = l->always[s];
    if (l->always[s].known || (!l->collecting && !l->state_read[s]))
        return;
    struct visa_part part = {.place = VISA_IN_SCALAR};
    struct visa_touch t = {.first = (uint8_t)l->first, .count = 1};
    uint32_t before = f->ninsts;
    struct writers w = writers_of(l, &part, &t);
    retarget(l, l->state[s], value, &w, 32, before);
}

/* ---- all of them ----------------------------------------------------------------------------------------------- */

/* %tsc: 0 and 1 are the halves of the time, the others are 0. */
static struct lane_operand time_stamp(struct visa_lower *l, int at)
{
    if (at >= 8)
        return lane_imm(l->b, 32, 0);
    struct lane_operand d = visa_pure(l, LANE_OP_sreg, LANE_B32, 32, 0, NULL);
    visa_last(l)->mode = at < 4 ? LANE_SREG_CLOCK : LANE_SREG_CLOCK_HI;
    return d;
}

static struct visa_value general_read(struct visa_lower *l, const struct visa_operand *op)
{
    unsigned type = visa_operand_own_type(l, op), bytes = visa_type_bytes(type);
    const struct seen seen = {.op = op};
    int32_t at;
    uint32_t root = visa_home_root(l->object, op->id, &at);
    if (root == VISA_NULL)
        return (struct visa_value){lane_imm(l->b, 8 * bytes, 0), (uint8_t)type};
    if ((root == VISA_CE0 || root == VISA_TSC) && bytes == 4)
        return (struct visa_value){root == VISA_CE0 ? ballot(l, running(l))
                                                    : time_stamp(l, at + op->row * (int)l->grf + op->column * 4),
                                   (uint8_t)type};
    const struct visa_known *cr0 = &l->known[VISA_KNOWN_CR0];
    if (root == VISA_CR0 && cr0->known)
        return (struct visa_value){lane_imm(l->b, 8 * bytes, cr0->value), (uint8_t)type};
    l->cr0_read |= root == VISA_CR0;
    return (struct visa_value){touch_read(l, &seen), (uint8_t)type};
}

/* The byte in the register file of what an address-of names. */
static struct visa_value address_of(struct visa_lower *l, const struct visa_operand *op)
{
    int32_t at;
    uint32_t root = visa_home_root(l->object, op->id, &at);
    unsigned bytes = visa_type_bytes(visa_var_type(l->object, op->id));
    at += op->class == VISA_GENERAL ? (int32_t)(op->row * l->grf + op->column * bytes) : op->bytes;
    l->roots[root].addressed = true;
    return (struct visa_value){lane_imm(l->b, 16, l->roots[root].file_at + (uint32_t)at), VISA_UW};
}

struct visa_value visa_get_address_of(struct visa_lower *l, const struct visa_operand *op)
{
    return op->class == VISA_GENERAL || op->class == VISA_ADDRESS_OF ? address_of(l, op) : visa_get(l, op);
}

struct visa_value visa_get(struct visa_lower *l, const struct visa_operand *op)
{
    struct region r;
    unsigned bytes = visa_type_bytes(op->type);
    switch (op->class) {
    case VISA_GENERAL:
        return general_read(l, op);
    case VISA_IMMEDIATE:
        return immediate(l, op);
    case VISA_ADDRESS: {
        struct visa_touch t = touch_address_operand(l, op, false, &r);
        struct lane_operand v = touch_fits(l, op, &t) ? address_read(l, &t, &r) : lane_imm(l->b, 16, 0);
        return (struct visa_value){v, VISA_UW};
    }
    case VISA_ADDRESS_OF:
        return address_of(l, op);
    case VISA_INDIRECT:
        return (struct visa_value){file_read(l, indirect_address(l, op, false), op->bytes, bytes), op->type};
    case VISA_PREDICATE:
        return predicate_bits(l, op);
    case VISA_STATE:
    case VISA_SURFACE:
    case VISA_SAMPLER: {
        struct visa_operand state = *op;
        if (op->class != VISA_STATE)
            state.space = op->class == VISA_SAMPLER ? VISA_S : VISA_T;
        return state_read(l, &state);
    }
    default:
        visa_stop(l, "not supported: this operand as a source");
        return (struct visa_value){lane_imm(l->b, 32, 0), VISA_UD};
    }
}

void visa_put(struct visa_lower *l, const struct visa_operand *op, struct lane_operand value)
{
    const struct seen seen = {.op = op, .target = true};
    struct region r;
    switch (op->class) {
    case VISA_GENERAL:
        if (op->id != VISA_NULL && (op->id != VISA_CR0 || l->cr0_read || l->collecting))
            touch_write(l, &seen, value);
        return;
    case VISA_ADDRESS: {
        struct visa_touch t = touch_address_operand(l, op, true, &r);
        if (touch_fits(l, op, &t))
            address_write(l, &t, &r, value);
        return;
    }
    case VISA_INDIRECT:
        file_write(l, indirect_address(l, op, true), op->bytes, visa_type_bytes(op->type), value);
        return;
    case VISA_STATE:
        state_write(l, op, value);
        return;
    default:
        visa_stop(l, "not supported: this operand as a destination");
    }
}

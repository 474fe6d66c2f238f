/* Sums of indices in registers: each thread's way through the segments, with what all threads have there. */
#include "engine/jit/linear.h"

#include "engine/jit/jit.h"

#include <string.h>

enum {
    LINEAR_STATES = 1 << 14, /* segments times slots: of more nothing is known */
    LINEAR_LARGEST = 1000,   /* the same of instructions: each launch looks at them all */
};

static const struct linear varies = {.is = LINEAR_VARIES};

/* ---- sums -------------------------------------------------------------------------------------------------------- */

struct linear linear_constant(uint64_t value)
{
    return (struct linear){.is = LINEAR_KNOWN, .base = value};
}

static struct linear cut(struct linear a, unsigned bits)
{
    a.low = a.low && bits > 32;
    bits = a.low ? 32 : bits;
    a.base &= UINT64_MAX >> (64 - bits);
    for (unsigned i = 0; i < LINEAR_INDICES; i++)
        a.by[i] = linear_signed((uint64_t)a.by[i], bits);
    return a;
}

/* a * x + b * y. */
static struct linear combine(const struct linear *a, uint64_t x, const struct linear *b, uint64_t y, unsigned bits)
{
    struct linear r = {.is = LINEAR_KNOWN, .low = a->low || b->low, .base = a->base * x + b->base * y};
    if (a->is != LINEAR_KNOWN || b->is != LINEAR_KNOWN)
        return varies;
    for (unsigned i = 0; i < LINEAR_INDICES; i++)
        r.by[i] = (int64_t)((uint64_t)a->by[i] * x + (uint64_t)b->by[i] * y);
    return cut(r, bits);
}

struct linear linear_sum(const struct linear *a, const struct linear *b, unsigned bits)
{
    return combine(a, 1, b, 1, bits);
}

static struct linear times(const struct linear *a, uint64_t by, unsigned bits)
{
    struct linear none = linear_constant(0);
    return combine(a, by, &none, 0, bits);
}

/* One of them is a number. */
static struct linear product(const struct linear *a, const struct linear *b, unsigned bits)
{
    if (linear_is_constant(a))
        return times(b, a->base, bits);
    return linear_is_constant(b) ? times(a, b->base, bits) : varies;
}

void linear_range(const struct linears *l, const struct linear *a, linear_wide base, linear_wide *least,
                  linear_wide *most)
{
    *least = *most = base;
    for (unsigned i = 0; i < LINEAR_INDICES; i++) {
        linear_wide end = (linear_wide)a->by[i] * (l->count[i] - 1);
        *(end < 0 ? least : most) += end;
    }
}

/* All values lie in [0, most]. */
static bool is_upto(const struct linears *l, const struct linear *a, uint64_t limit)
{
    linear_wide least, most;
    if (a->is != LINEAR_KNOWN || a->low)
        return false;
    linear_range(l, a, a->base, &least, &most);
    return least >= 0 && most <= limit;
}

struct linear linear_extend(const struct linears *l, const struct linear *a, unsigned bits, bool is_signed)
{
    linear_wide least, most;
    if (a->is != LINEAR_KNOWN || bits == 64)
        return *a;
    if (!is_signed)
        return is_upto(l, a, UINT64_MAX >> (64 - bits)) ? *a : varies;
    struct linear r = *a;
    linear_wide half = (linear_wide)1 << (bits - 1);
    r.base = (uint64_t)linear_signed(a->base, bits);
    linear_range(l, a, (int64_t)r.base, &least, &most);
    return least >= -half && most < half ? r : varies;
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

/* An instruction that is looked at: its sources, the bits of the result. */
struct sources {
    const struct linears *l;
    const struct decoded *at;
    struct linear in[4];
    unsigned bits;
};

/* Products of sources twice as wide, plus source `more`. */
static struct linear wide_product(const struct sources *s, const struct linear *more)
{
    unsigned bits = s->at->bits[s->at->ndst];
    bool is_signed = lane_type_signed(s->at->inst->type);
    struct linear a = linear_extend(s->l, &s->in[0], bits, is_signed),
                  b = linear_extend(s->l, &s->in[1], bits, is_signed), p = product(&a, &b, s->bits);
    return more ? linear_sum(&p, more, s->bits) : p;
}

static struct linear converted(const struct sources *s)
{
    unsigned from = s->at->bits[s->at->ndst];
    if (!jit_is_int(s->at->inst->type2))
        return varies;
    if (s->bits <= from)
        return s->in[0].is == LINEAR_KNOWN ? cut(s->in[0], s->bits) : varies;
    struct linear r = linear_extend(s->l, &s->in[0], from, lane_type_signed(s->at->inst->type2));
    return r.is == LINEAR_KNOWN ? cut(r, s->bits) : varies;
}

/* How many low bits are 0 in all values. */
static unsigned low_zeros(const struct linear *a)
{
    uint64_t any = a->base;
    for (unsigned i = 0; i < LINEAR_INDICES; i++)
        any |= (uint64_t)a->by[i];
    return any ? (unsigned)__builtin_ctzll(any) : 64;
}

/* Are there no two bits at one place? Then or, xor and + are the same. */
static bool are_apart(const struct sources *s, const struct linear *high, const struct linear *low)
{
    unsigned zeros = high->is == LINEAR_KNOWN && !high->low ? low_zeros(high) : 0;
    return zeros && is_upto(s->l, low, zeros < 64 ? (UINT64_C(1) << zeros) - 1 : UINT64_MAX);
}

static struct linear joined(const struct sources *s)
{
    bool apart = are_apart(s, &s->in[0], &s->in[1]) || are_apart(s, &s->in[1], &s->in[0]);
    return apart ? linear_sum(&s->in[0], &s->in[1], s->bits) : varies;
}

/* Of a mask that leaves all bits alone that there are. */
static struct linear masked(const struct sources *s, unsigned value)
{
    const struct linear *mask = &s->in[!value];
    if (!linear_is_constant(mask))
        return varies;
    uint64_t ones = ~mask->base ? (UINT64_C(1) << __builtin_ctzll(~mask->base)) - 1 : UINT64_MAX;
    return is_upto(s->l, &s->in[value], ones) ? s->in[value] : varies;
}

static struct linear shifted(const struct sources *s)
{
    if (!linear_is_constant(&s->in[1]))
        return varies;
    return s->in[1].base < s->bits ? times(&s->in[0], UINT64_C(1) << s->in[1].base, s->bits) : linear_constant(0);
}

/* A half of a source of mad16. */
static struct linear half_of(const struct sources *s, const struct linear *a, bool high, bool is_signed)
{
    if (linear_is_constant(a)) {
        uint64_t half = high ? a->base >> 16 : a->base & 0xffff;
        return linear_constant(is_signed ? (uint64_t)linear_signed(half, 16) & UINT32_MAX : half);
    }
    if (!is_upto(s->l, a, !high && is_signed ? INT16_MAX : UINT16_MAX))
        return varies;
    return high ? linear_constant(0) : *a;
}

/* As mad16 of meaning/bits.h. */
static struct linear mad16(const struct sources *s)
{
    unsigned mode = s->at->inst->aux;
    struct linear a = half_of(s, &s->in[0], mode & LANE_MAD16_A_HIGH, mode & LANE_MAD16_A_SIGNED),
                  b = half_of(s, &s->in[1], mode & LANE_MAD16_B_HIGH, mode & LANE_MAD16_B_SIGNED), c = s->in[2],
                  top = times(&s->in[1], UINT64_C(1) << 16, 32), p = product(&a, &b, 32);
    if (mode & LANE_MAD16_SHIFT)
        p = times(&p, UINT64_C(1) << 16, 32);
    if (mode & (LANE_MAD16_C_LOW | LANE_MAD16_C_HIGH))
        c = half_of(s, &c, mode & LANE_MAD16_C_HIGH, false);
    if (mode & LANE_MAD16_C_PLUS_B)
        c = linear_sum(&c, &top, 32);
    p = linear_sum(&p, &c, 32);
    if (!(mode & LANE_MAD16_MERGE))
        return p;
    p = half_of(s, &p, false, false);
    return linear_sum(&p, &top, 32);
}

/* Two halves side by side. */
static struct linear paired(const struct sources *s)
{
    struct linear r = s->in[0];
    if (s->bits != 64 || s->at->nsrc != 2 || r.is != LINEAR_KNOWN)
        return varies;
    if (linear_is_constant(&s->in[1]) && is_upto(s->l, &r, UINT32_MAX)) {
        r.base |= s->in[1].base << 32;
        return r;
    }
    r.low = true;
    return r;
}

/* What the operation itself makes of numbers. */
static struct linear of_numbers(const struct sources *s, const struct meaning *meaning)
{
    enum { ROOM = LANES * sizeof(uint64_t), OPERANDS = 4 };
    _Alignas(64) unsigned char regs[OPERANDS * ROOM] = {0};
    struct frame frame = {.regs = regs, .exec = ALL_LANES};
    struct kernel_operands operands = {
        .d = 0, .d2 = KERNEL_NONE, .a = ROOM, .b = 2 * ROOM, .c = 3 * ROOM, .e = KERNEL_NONE, .aux = s->at->inst->aux};
    uint64_t value = 0;
    bool lists = s->at->op == LANE_OP_pack || s->at->op == LANE_OP_unpack;
    if (lists || meaning->host_round || s->at->nsrc >= OPERANDS || s->at->nsrc == 0)
        return varies;
    for (unsigned i = 0; i < s->at->nsrc; i++) {
        unsigned bits = s->at->bits[s->at->ndst + i];
        if (bits < 8 || bits > 64 || !linear_is_constant(&s->in[i]))
            return varies;
        for (unsigned lane = 0; lane < LANES; lane++)
            memcpy(regs + (i + 1) * ROOM + (size_t)lane * bits / 8, &s->in[i].base, bits / 8);
    }
    meaning->run(&frame, &operands);
    memcpy(&value, regs, s->bits / 8);
    return linear_constant(value);
}

static struct linear derived(const struct sources *s)
{
    const struct linear *in = s->in;
    switch (s->at->op) {
    case LANE_OP_mov:
        return in[0];
    case LANE_OP_pack:
        return paired(s);
    case LANE_OP_add:
    case LANE_OP_addc:
        return linear_sum(&in[0], &in[1], s->bits);
    case LANE_OP_sub:
        return combine(&in[0], 1, &in[1], UINT64_MAX, s->bits);
    case LANE_OP_neg:
        return times(&in[0], UINT64_MAX, s->bits);
    case LANE_OP_mul:
    case LANE_OP_mad: {
        struct linear p = product(&in[0], &in[1], s->bits);
        return s->at->op == LANE_OP_mul ? p : linear_sum(&p, &in[2], s->bits);
    }
    case LANE_OP_mulwide:
        return wide_product(s, NULL);
    case LANE_OP_madwide:
        return wide_product(s, &in[2]);
    case LANE_OP_mad16:
        return mad16(s);
    case LANE_OP_shl:
        return shifted(s);
    case LANE_OP_cvt:
        return converted(s);
    case LANE_OP_or:
    case LANE_OP_xor:
        return joined(s);
    case LANE_OP_and:
        return linear_is_constant(&in[1]) ? masked(s, 0) : masked(s, 1);
    default:
        return varies;
    }
}

/* ---- where sums begin ---------------------------------------------------------------------------------------------
 */

static struct linear special(const struct linears *l, const struct decoded *at)
{
    static const uint8_t axis[] = {[LANE_SREG_TID_X] = LINEAR_BLOCK,
                                   [LANE_SREG_TID_Y] = LINEAR_BLOCK + 1,
                                   [LANE_SREG_TID_Z] = LINEAR_BLOCK + 2,
                                   [LANE_SREG_NTID_X] = LINEAR_BLOCK,
                                   [LANE_SREG_NTID_Y] = LINEAR_BLOCK + 1,
                                   [LANE_SREG_NTID_Z] = LINEAR_BLOCK + 2,
                                   [LANE_SREG_CTAID_X] = 0,
                                   [LANE_SREG_CTAID_Y] = 1,
                                   [LANE_SREG_CTAID_Z] = 2,
                                   [LANE_SREG_NCTAID_X] = 0,
                                   [LANE_SREG_NCTAID_Y] = 1,
                                   [LANE_SREG_NCTAID_Z] = 2};
    unsigned mode = at->inst->mode;
    struct linear r = linear_constant(0);
    if (mode == LANE_SREG_ZERO || mode == LANE_SREG_ONE)
        return linear_constant(mode == LANE_SREG_ONE);
    if (mode > LANE_SREG_NCTAID_Z)
        return varies;
    if ((mode >= LANE_SREG_NTID_X && mode <= LANE_SREG_NTID_Z) || mode >= LANE_SREG_NCTAID_X)
        return linear_constant(l->count[axis[mode]]);
    r.by[axis[mode]] = 1;
    return r;
}

/* Number k of what is loaded from parameters, at an address that is known. */
static struct linear parameter(const struct linears *l, const struct decoded *at, unsigned k)
{
    struct linear address = linear_operand(l, at, at->ndst);
    uint64_t value = 0, room = l->run->param_bytes, bytes = at->bytes;
    if (at->access->space != LANE_PARAM || !linear_is_constant(&address) || bytes > 8 || k >= at->access->vec)
        return varies;
    uint64_t from = address.base + (uint64_t)at->access->offset + k * bytes;
    if (room < bytes || from > room - bytes)
        return varies;
    memcpy(&value, l->run->params + from, bytes);
    if (lane_type_signed(at->access->type))
        value = (uint64_t)linear_signed(value, (unsigned)bytes * 8);
    return cut(linear_constant(value), at->bits[k]);
}

static struct linear computed(const struct linears *l, const struct decoded *at)
{
    struct sources s = {.l = l, .at = at, .bits = at->bits[0]};
    const struct meaning *meaning = lane_is(at->op, LANE_PURE) ? meaning_find_base(at->inst) : NULL;
    bool carries = at->op == LANE_OP_addc && !at->bits[at->ndst + 2];
    if (!meaning || (at->ndst != 1 && !carries) || at->nsrc > 4)
        return varies;
    for (unsigned i = 0; i < at->nsrc; i++)
        s.in[i] = linear_operand(l, at, at->ndst + i);
    struct linear r = carries ? varies : of_numbers(&s, meaning);
    if (r.is == LINEAR_KNOWN || meaning->flags || !jit_is_int(at->inst->type))
        return r;
    return derived(&s);
}

/* Of destination k. */
static struct linear result(const struct linears *l, const struct decoded *at, unsigned k)
{
    if (at->op >= LANE_OPS || at->bits[k] < 8 || at->bits[k] > 64)
        return varies;
    if (at->op == LANE_OP_sreg)
        return special(l, at);
    return at->op == LANE_OP_ld ? parameter(l, at, k) : computed(l, at);
}

struct linear linear_operand(const struct linears *l, const struct decoded *at, unsigned k)
{
    const struct func *func = l->flow->func;
    uint32_t offset = at->offsets[k];
    uint64_t value = 0;
    if (at->bits[k] < 8 || at->bits[k] > 64)
        return varies;
    if (offset >= func->constants_at) {
        memcpy(&value, func->constants + (offset - func->constants_at), at->bits[k] / 8);
        return linear_constant(value);
    }
    if (flow_fixed(l->flow, offset))
        return l->fixed_at[offset / 4] ? l->fixed[l->fixed_at[offset / 4] - 1] : varies;
    return l->state[l->flow->slot_of[offset / 4]];
}

/* ---- ways ---------------------------------------------------------------------------------------------------------
 */

static bool equal(const struct linear *a, const struct linear *b)
{
    return a->is == b->is &&
           (a->is != LINEAR_KNOWN || (a->low == b->low && a->base == b->base && !memcmp(a->by, b->by, sizeof a->by)));
}

/* What threads have that come by either way. Has it changed? */
static bool meet(struct linear *to, const struct linear *from)
{
    if (from->is == LINEAR_UNSEEN || equal(to, from) || to->is == LINEAR_VARIES)
        return false;
    *to = to->is == LINEAR_UNSEEN ? *from : varies;
    return true;
}

static void pass(struct linears *l, const struct decoded *at)
{
    struct linear results[256];
    for (unsigned k = 0; k < at->ndst; k++)
        results[k] = at->bits[k] ? result(l, at, k) : varies;
    for (unsigned k = 0; k < at->ndst; k++) {
        if (!at->bits[k])
            continue;
        struct linear *to = &l->state[l->flow->slot_of[at->offsets[k] / 4]];
        if (at->guard == KERNEL_NONE)
            *to = results[k];
        else
            meet(to, &results[k]);
    }
}

static void pass_segment(struct linears *l, uint32_t segment, linear_visit *visit, void *with)
{
    const struct segment *here = &l->flow->segments[segment];
    size_t nslots = l->flow->nslots;
    memcpy(l->state, l->at_start + segment * nslots, nslots * sizeof *l->state);
    for (uint32_t i = 0; i < here->count; i++) {
        const struct decoded *at = &l->flow->func->decoded[here->first + i];
        if (visit)
            visit(l, at, with);
        pass(l, at);
    }
}

static bool come(struct linears *l, uint32_t segment)
{
    size_t nslots = l->flow->nslots;
    bool changed = !l->reached[segment];
    l->reached[segment] = true;
    for (size_t i = 0; i < nslots; i++)
        changed |= meet(&l->at_start[segment * nslots + i], &l->state[i]);
    l->changed[segment] |= changed;
    return changed;
}

static bool pass_on(struct linears *l, uint32_t segment)
{
    const struct segment *here = &l->flow->segments[segment];
    bool changed = false;
    l->changed[segment] = false;
    pass_segment(l, segment, NULL, NULL);
    for (uint32_t i = 0; i < here->nto; i++)
        changed |= come(l, here->to[i]);
    if (here->leaves && segment + 1 < l->flow->nsegments)
        changed |= come(l, segment + 1);
    return changed;
}

static size_t count_fixed(const struct func *func)
{
    size_t n = 0;
    for (const struct decoded *at = func->invariants; at < func->invariants + func->ninvariants; at++)
        n += at->ndst;
    return n;
}

/* Results of invariants, in their order. */
static void find_fixed(struct linears *l)
{
    const struct func *func = l->flow->func;
    uint32_t n = 0;
    for (const struct decoded *at = func->invariants; at < func->invariants + func->ninvariants; at++)
        for (unsigned k = 0; k < at->ndst; k++)
            if (at->bits[k]) {
                struct linear value = result(l, at, k);
                l->fixed[n++] = value;
                l->fixed_at[at->offsets[k] / 4] = n;
            }
}

/* Whom instructions of whole warps, and vector machines' lanes, touch besides the lanes that run is not looked at. */
static bool is_plain(const struct func *func)
{
    bool plain = !func->lane->warp_lanes && !func->lane->thread_grid;
    for (uint32_t i = 0; i < func->ndecoded && plain; i++)
        plain = !func->decoded[i].whole && !(func->decoded[i].inst->flags & LANE_WHOLE);
    return plain;
}

static bool begin(struct arena *arena, struct linears *l)
{
    const struct flow *flow = l->flow;
    size_t n = (size_t)flow->nsegments * flow->nslots, ninvariants = flow->func->ninvariants;
    if (n > LINEAR_STATES || flow->func->ndecoded + ninvariants > LINEAR_LARGEST || !is_plain(flow->func))
        return false;
    l->fixed_at = arena_array(arena, flow->func->constants_at / 4 + 1, sizeof *l->fixed_at);
    l->fixed = arena_array(arena, count_fixed(flow->func) + 1, sizeof *l->fixed);
    l->at_start = arena_array(arena, n + 1, sizeof *l->at_start);
    l->reached = arena_array(arena, flow->nsegments, sizeof *l->reached);
    l->changed = arena_array(arena, flow->nsegments, sizeof *l->changed);
    l->state = arena_array(arena, flow->nslots + 1, sizeof *l->state);
    if (!l->fixed_at || !l->fixed || !l->at_start || !l->reached || !l->changed || !l->state)
        return false;
    for (unsigned i = 0; i < LINEAR_BLOCK; i++) {
        l->count[i] = l->run->grid[i];
        l->count[LINEAR_BLOCK + i] = l->run->block[i];
    }
    find_fixed(l);
    for (uint32_t i = 0; i < flow->nslots; i++) /* zeros */
        l->at_start[i] = linear_constant(0);
    l->reached[0] = l->changed[0] = true;
    return true;
}

bool linear_find(struct arena *arena, struct linears *l, linear_visit *visit, void *with)
{
    const struct flow *flow = l->flow;
    if (!begin(arena, l))
        return false;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t s = 0; s < flow->nsegments; s++)
            again |= l->changed[s] && pass_on(l, s);
    }
    for (uint32_t s = 0; s < flow->nsegments; s++)
        if (l->reached[s])
            pass_segment(l, s, visit, with);
    return true;
}

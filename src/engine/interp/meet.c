/* Operations between the lanes of a warp, which meet there: shuffles, votes, matches, reductions. Compiled once per
 * instruction set of the host. */
#include "engine/interp/set.h"
#include "engine/meaning/minmax.h"
#include "engine/meaning/shfl.h"

#include "mem/lanes.h"

#include <string.h>

/* ---- results ------------------------------------------------------------------------------------------------- */

static inline uint32_t predicate(const struct warp *w, uint32_t offset)
{
    uint32_t bits;
    memcpy(&bits, w->frame.regs + offset, 4);
    return bits;
}

static void set_u32(struct warp *w, uint32_t offset, const uint32_t *value, uint32_t lanes)
{
    if (offset == KERNEL_NONE)
        return;
    uint32_t *d = (void *)(w->frame.regs + offset);
    LANE_LOOP(LANES)
    d[l] = lanes >> l & 1 ? value[l] : d[l];
}

static void fill_u32(struct warp *w, uint32_t offset, uint32_t value, uint32_t lanes)
{
    uint32_t all[LANES];
    for (unsigned l = 0; l < LANES; l++)
        all[l] = value;
    set_u32(w, offset, all, lanes);
}

/* Bits of the lanes of a warp; of packed ones those of its own, from its first lane on. */
static void fill_bits(struct warp *w, uint32_t offset, uint32_t bits, uint32_t lanes)
{
    uint32_t n = w->func->thread_lanes, all[LANES];
    for (unsigned l = 0; l < LANES; l++)
        all[l] = n == LANES ? bits : bits >> (l & ~(n - 1)) & ((UINT32_C(1) << n) - 1);
    set_u32(w, offset, all, lanes);
}

/* Lanes of a mask carry an operation out together; of packed warps all. What they get may take the place of their
 * operands, not of others'. */
static uint32_t group_of(const struct warp *w, const struct step *s, uint32_t members, uint32_t left)
{
    return s->info->inst->flags & LANE_WHOLE ? left : lanes_like_first((const void *)(w->frame.regs + members), left);
}

/* Rendezvous of the operation's members (masks at `members`); then its running lanes are in *lanes. True: carry on.
 */
static bool meet(struct warp *w, const struct step *s, uint32_t members, uint32_t *lanes, const struct step **next)
{
    const uint32_t *masks = (const void *)(w->frame.regs + members);
    *lanes = step_lanes(w, s);
    *next = s + 1;
    if (!*lanes)
        return false;
    if (s->info->inst->flags & LANE_WHOLE || !warp_missing(w, masks, *lanes))
        return true;
    warp_gather(w, s->info);
    *lanes = step_lanes(w, s);
    uint32_t hold = warp_incomplete(w, masks, *lanes, w->frame.exec);
    if (hold && warp_hold(w, s->info, hold == *lanes ? w->frame.exec : hold, next))
        return false;
    *lanes = step_lanes(w, s);
    return true;
}

/* PTX ISA, shfl.sync: source lane and validity. */
static const struct step *go_shfl(struct warp *w, const struct step *s)
{
    uint32_t lanes, valid = 0, value[LANES];
    const struct step *next;
    if (!meet(w, s, s->at.e, &lanes, &next))
        return next;
    const uint32_t *a = (const void *)(w->frame.regs + s->at.a), *b = (const void *)(w->frame.regs + s->at.b);
    const uint32_t *c = (const void *)(w->frame.regs + s->at.c);
    unsigned mode = s->info->inst->mode;
    uint32_t own = LANES - w->func->thread_lanes; /* each of packed warps is a segment */
    for (unsigned l = 0; l < LANES; l++) {
        int lane = (int)l, by = (int)(b[l] & 31), segment = (int)((c[l] >> 8 | own) & 31), clamp = (int)(c[l] & 31);
        bool in;
        int from = shfl_from(mode, lane, by, clamp, segment, &in);
        valid |= (uint32_t)in << l;
        /* A source lane that does not run - it exited, or is inactive - is undefined by the PTX ISA; named choice: 0.
         * The predicate says whether the lane is in range. */
        value[l] = !in ? a[l] : lanes >> (from & 31) & 1 ? a[from & 31] : 0;
    }
    set_u32(w, s->at.d, value, lanes);
    set_predicate(w, s->at.d2, valid, lanes);
    return next;
}

static void vote_group(struct warp *w, const struct step *s, uint32_t bits, uint32_t lanes)
{
    bool all = bits == lanes, none = bits == 0;
    unsigned mode = s->info->inst->mode;
    bool value = mode == LANE_VOTE_ALL ? all : mode == LANE_VOTE_ANY ? !none : all || none;
    if (s->info->op == LANE_OP_ballot)
        fill_bits(w, s->at.d, bits, lanes);
    else
        set_predicate(w, s->at.d, value ? ALL_LANES : 0, lanes);
}

static const struct step *go_vote(struct warp *w, const struct step *s)
{
    uint32_t lanes;
    const struct step *next;
    if (!meet(w, s, s->at.b, &lanes, &next))
        return next;
    uint32_t ayes = predicate(w, s->at.a);
    for (uint32_t same, left = lanes; left; left &= ~same) {
        same = group_of(w, s, s->at.b, left);
        vote_group(w, s, ayes & same, same);
    }
    return next;
}

/* Lanes that have what one of them has in a register of 32 or 64 bits. */
static uint32_t lanes_alike(const unsigned char *reg, bool is_wide, unsigned lane)
{
    const uint64_t *v64 = (const void *)reg;
    const uint32_t *v32 = (const void *)reg;
    int32_t differ[LANES];
    uint64_t wide = is_wide ? v64[lane] : 0;
    uint32_t narrow = v32[lane];
    for (unsigned l = 0; is_wide && l < LANES; l++)
        differ[l] = (int32_t)((v64[l] ^ wide) | (v64[l] ^ wide) >> 32);
    for (unsigned l = 0; !is_wide && l < LANES; l++)
        differ[l] = (int32_t)(v32[l] ^ narrow);
    return ~lanes_test(differ, UINT32_MAX);
}

static void match_group(struct warp *w, const struct step *s, uint32_t lanes)
{
    uint32_t same[LANES] = {0}, alike = 0;
    const unsigned char *reg = w->frame.regs + s->at.a;
    bool wide = s->info->bits[s->info->ndst] == 64, all = true;
    for (uint32_t left = lanes; left; left &= ~alike) {
        alike = lanes_alike(reg, wide, (unsigned)__builtin_ctz(left)) & lanes;
        all = all && alike == lanes;
        for (uint32_t i = alike; i; i &= i - 1)
            same[__builtin_ctz(i)] = alike;
    }
    if (s->info->inst->mode == 0) {
        set_u32(w, s->at.d, same, lanes);
        return;
    }
    fill_u32(w, s->at.d, all ? lanes : 0, lanes);
    set_predicate(w, s->at.d2, all ? ALL_LANES : 0, lanes);
}

static const struct step *go_match(struct warp *w, const struct step *s)
{
    uint32_t lanes;
    const struct step *next;
    if (!meet(w, s, s->at.b, &lanes, &next))
        return next;
    for (uint32_t same, left = lanes; left; left &= ~same) {
        same = group_of(w, s, s->at.b, left);
        match_group(w, s, same);
    }
    return next;
}

/* min and max are those of the operations of that name; LANE_ABS takes magnitudes first (PTX ISA, redux.sync). One lane
 * alone is compared with itself: a NaN becomes the canonical one. */
static uint32_t redux_f32(const struct lane_inst *inst, const uint32_t *a, uint32_t lanes)
{
    uint32_t mask = inst->flags & LANE_ABS ? INT32_MAX : UINT32_MAX, sum = a[__builtin_ctz(lanes)] & mask;
    for (uint32_t left = lanes; left; left &= left - 1)
        sum = f32_minmax(sum, a[__builtin_ctz(left)] & mask, inst->mode == LANE_ATOMIC_MAX, inst->flags & LANE_NAN,
                         false);
    return sum;
}

static uint32_t redux_int(const struct atomic_row *row, const uint32_t *a, uint32_t lanes)
{
    _Alignas(8) uint32_t sum = a[__builtin_ctz(lanes)];
    for (uint32_t left = lanes & (lanes - 1); left; left &= left - 1)
        row->plain(&sum, NULL, &a[__builtin_ctz(left)], NULL, false, LANE_RELAXED);
    return sum;
}

static const struct step *go_redux(struct warp *w, const struct step *s)
{
    uint32_t lanes;
    const struct step *next;
    if (!meet(w, s, s->at.b, &lanes, &next))
        return next;
    const struct lane_inst *inst = s->info->inst;
    const uint32_t *a = (const void *)(w->frame.regs + s->at.a);
    const struct atomic_row *row = inst->type == LANE_F32 ? NULL : atomic_find(inst->mode, inst->type);
    if (!row && inst->type != LANE_F32)
        return run_stop(w->worker->run, ATOLL_UNSUPPORTED, "%s:%u: not supported: redux of this type",
                        w->worker->run->file, inst->line);
    for (uint32_t same, left = lanes; left; left &= ~same) {
        same = group_of(w, s, s->at.b, left);
        fill_u32(w, s->at.d, row ? redux_int(row, a, same) : redux_f32(inst, a, same), same);
    }
    return next;
}

static const struct step *go_elect(struct warp *w, const struct step *s)
{
    uint32_t lanes;
    const struct step *next;
    if (!meet(w, s, s->at.a, &lanes, &next))
        return next;
    for (uint32_t same, left = lanes; left; left &= ~same) {
        same = group_of(w, s, s->at.a, left);
        fill_u32(w, s->at.d, (uint32_t)__builtin_ctz(same), same);
        set_predicate(w, s->at.d2, same & -same, same);
    }
    return next;
}

static const struct step *go_barwarp(struct warp *w, const struct step *s)
{
    uint32_t lanes;
    const struct step *next;
    meet(w, s, s->at.a, &lanes, &next);
    return next;
}

step_fn *KERNEL_NAME(warp_handler)(unsigned op)
{
    switch (op) {
    case LANE_OP_shfl:
        return go_shfl;
    case LANE_OP_vote:
    case LANE_OP_ballot:
        return go_vote;
    case LANE_OP_match:
        return go_match;
    case LANE_OP_redux:
        return go_redux;
    case LANE_OP_elect:
        return go_elect;
    case LANE_OP_barwarp:
        return go_barwarp;
    default:
        return NULL;
    }
}

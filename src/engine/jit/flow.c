/* Segments of a kernel, who waits where, and which slots are needed. */
#include "engine/jit/tokens.h"
#include "lane/form.h"

#include <assert.h>
#include <string.h>

#define NONE UINT32_MAX

static uint64_t *set_of(uint64_t *sets, uint32_t words, uint32_t i)
{
    return sets + (size_t)i * words;
}

/* ---- segments ---------------------------------------------------------------------------------------------------- */

/* Is an operation left to the interpreter: does it make lanes wait, call, or give way? */
static bool leaves(const struct decoded *at)
{
    switch (at->op) {
    case LANE_OP_bar:
    case LANE_OP_barred:
    case LANE_OP_call:
    case LANE_OP_nanosleep:
    case LANE_OP_mbarwait:
        return true;
    default:
        return false;
    }
}

/* Can compiled code do with a jump table, besides those before it? */
static bool takes_table(const struct func *func, const struct decoded *at, uint32_t *targets)
{
    if (at->op != LANE_OP_brx)
        return true;
    uint32_t count = func->lane->tables[at->inst->aux].count;
    *targets += count;
    return count <= FLOW_TARGETS && *targets <= FLOW_TABLES;
}

static bool ends_block(const struct decoded *at)
{
    return at->op == DECODED_FALL || (at->op < LANE_OPS && lane_is(at->op, LANE_ENDS));
}

/* A segment that starts at decoded instruction `first`; lanes come to it at `point` (NONE: they do not). */
static bool add_segment(struct flow *flow, uint32_t point, uint32_t first, uint32_t end, const char **why)
{
    if (flow->nsegments == FLOW_SEGMENTS) {
        *why = "more blocks than are compiled";
        return false;
    }
    struct segment *segment = &flow->segments[flow->nsegments];
    *segment = (struct segment){.first = first, .count = end - first, .point = point};
    segment->leaves = !ends_block(&flow->func->decoded[end - 1]);
    segment->entry = flow->nsegments == 0 || (point != NONE && flow->segments[flow->nsegments - 1].leaves);
    if (point != NONE)
        flow->segment_at[point] = flow->nsegments;
    flow->nsegments++;
    return true;
}

static bool find_segments(struct arena *arena, struct flow *flow, const char **why)
{
    const struct func *func = flow->func;
    flow->segments = arena_array(arena, FLOW_SEGMENTS, sizeof *flow->segments);
    flow->segment_at = arena_array(arena, (size_t)func->npoints + 1, sizeof(uint32_t));
    if (!flow->segments || !flow->segment_at)
        return false;
    memset(flow->segment_at, 0xff, ((size_t)func->npoints + 1) * sizeof(uint32_t));
    uint32_t block = 0, point = func->point_of_block[0], first = 0, targets = 0;
    for (uint32_t i = 0; i < func->ndecoded; i++) {
        const struct decoded *at = &func->decoded[i];
        if (!takes_table(func, at, &targets)) {
            *why = "large jump tables";
            return false;
        }
        if (!ends_block(at) && !leaves(at))
            continue;
        if (!add_segment(flow, point, first, i + 1, why))
            return false;
        first = i + 1;
        if (!ends_block(at))
            point = lane_is(at->op, LANE_WAITS) ? at->after : NONE;
        else if (++block < func->lane->nblocks)
            point = func->point_of_block[block];
    }
    return true;
}

/* ---- where segments lead ----------------------------------------------------------------------------------------- */

static void lead_to(struct segment *segment, uint32_t to)
{
    if (to == NONE)
        return;
    for (uint32_t i = 0; i < segment->nto; i++)
        if (segment->to[i] == to)
            return;
    segment->to[segment->nto++] = to;
}

static void lead(const struct flow *flow, struct segment *segment, uint32_t point)
{
    lead_to(segment, point < flow->func->npoints ? flow->segment_at[point] : NONE);
}

/* At its end: a table's, one that a branch takes, one that it does not. */
static uint32_t most_ways(const struct flow *flow, const struct segment *segment)
{
    const struct decoded *last = &flow->func->decoded[segment->first + segment->count - 1];
    return 2 + (last->op == LANE_OP_brx ? flow->func->lane->tables[last->inst->aux].count : 0);
}

static void lead_on(const struct flow *flow, struct segment *segment)
{
    const struct func *func = flow->func;
    const struct decoded *last = &func->decoded[segment->first + segment->count - 1];
    if (segment->leaves)
        return;
    if (last->op == LANE_OP_bra || last->op == DECODED_FALL)
        lead(flow, segment, last->target);
    if (last->op == LANE_OP_brx) {
        const struct lane_table *table = &func->lane->tables[last->inst->aux];
        for (uint32_t i = 0; i < table->count; i++)
            lead(flow, segment, func->point_of_block[table->blocks[i]]);
    }
    if (last->op == LANE_OP_pop)
        lead_to(segment, flow->pops_to[segment - flow->segments]);
    if (last->op != DECODED_FALL && last->guard != KERNEL_NONE)
        lead(flow, segment, last->next);
}

/* Are there accesses that others see, or that see theirs, from segment `first` to `last`? */
static bool shares(const struct flow *flow, uint32_t first, uint32_t last)
{
    for (uint32_t s = first; s <= last; s++)
        for (uint32_t i = 0; i < flow->segments[s].count; i++)
            if (flow->func->decoded[flow->segments[s].first + i].shares)
                return true;
    return false;
}

/* In compiled code, or by way of the interpreter. */
static bool leads_to(const struct flow *flow, uint32_t from, uint32_t to)
{
    const struct segment *segment = &flow->segments[from];
    for (uint32_t i = 0; i < segment->nto; i++)
        if (segment->to[i] == to)
            return true;
    return segment->leaves && from + 1 == to;
}

/* Which segments may run again and again. A way back that is come to from outside alone is taken but once. */
static void find_loops(struct flow *flow)
{
    for (uint32_t last = 0; last < flow->nsegments; last++) {
        uint32_t first = last + 1;
        bool again = false;
        for (uint32_t i = 0; i < flow->segments[last].nto; i++)
            first = flow->segments[last].to[i] < first ? flow->segments[last].to[i] : first;
        for (uint32_t from = first; from <= last && !again; from++)
            again = first == last || leads_to(flow, from, last);
        for (uint32_t in = first; in <= last && again; in++)
            flow->segments[in].loops = true;
    }
}

static bool find_ways(struct arena *arena, struct flow *flow)
{
    for (uint32_t s = 0; s < flow->nsegments; s++) {
        struct segment *segment = &flow->segments[s];
        segment->to = arena_array(arena, most_ways(flow, segment), sizeof(uint32_t));
        if (!segment->to)
            return false;
        lead_on(flow, segment);
        for (uint32_t i = 0; i < segment->nto; i++)
            if (segment->to[i] <= s) {
                flow->segments[segment->to[i]].entry = true;
                segment->spins = segment->spins || shares(flow, segment->to[i], s);
            }
    }
    find_loops(flow);
    return true;
}

/* ---- who waits --------------------------------------------------------------------------------------------------- */

/* Of the places in `all` the lowest runs, and others may wait at those above. */
static bool wait_above(const struct flow *flow, const uint64_t *all)
{
    bool changed = false;
    for (uint32_t w = 0; w < flow->words; w++)
        for (uint64_t bits = all[w]; bits; bits &= bits - 1) {
            uint32_t to = w * 64 + (uint32_t)__builtin_ctzll(bits);
            uint64_t *waits = set_of(flow->waits, flow->words, to);
            for (uint32_t v = to / 64; v < flow->words; v++) {
                uint64_t above = v > to / 64 ? all[v] : to % 64 == 63 ? 0 : all[v] & (UINT64_MAX << (to % 64 + 1));
                changed |= (above & ~waits[v]) != 0;
                waits[v] |= above;
            }
        }
    return changed;
}

/* After segment s: lanes that part go to all that it leads to, others to one of them. */
static bool wait_after(const struct flow *flow, uint32_t s, uint64_t *all)
{
    const struct segment *here = &flow->segments[s];
    bool changed = false, single = here->nto < 2 || here->parts;
    for (uint32_t first = 0; first < (single ? 1 : here->nto); first++) {
        memcpy(all, flow_waits(flow, s), flow->words * sizeof *all);
        for (uint32_t i = first; i < (single ? here->nto : first + 1); i++)
            bitset_add(all, here->to[i]);
        changed |= wait_above(flow, all);
    }
    return changed;
}

static void find_waits(struct flow *flow, uint64_t *all)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t s = 0; s < flow->nsegments; s++)
            changed |= wait_after(flow, s, all);
    }
}

/* ---- which slots are needed -------------------------------------------------------------------------------------- */

static uint32_t slot_of(struct flow *flow, uint32_t offset, unsigned bits)
{
    uint32_t *slot = &flow->slot_of[offset / 4];
    if (*slot == NONE) {
        *slot = flow->nslots++;
        flow->slots[*slot] = offset;
        flow->slot_bits[*slot] = (uint8_t)bits;
    }
    return *slot;
}

/* Does every lane that runs get a new value? */
static bool defines(const struct decoded *at, unsigned k)
{
    return at->bits[k] && at->guard == KERNEL_NONE;
}

/* Turns the slots live after an instruction into those live before it. */
static void live_before(const struct flow *flow, const struct decoded *at, uint64_t *set)
{
    for (unsigned k = 0; k < at->ndst; k++)
        if (defines(at, k)) {
            uint32_t slot = flow->slot_of[at->offsets[k] / 4];
            bitset_remove(set, slot);
        }
    for (unsigned k = at->ndst; k < (unsigned)at->ndst + at->nsrc; k++)
        if (at->bits[k] && flow_varies(flow, at->offsets[k]))
            bitset_add(set, flow->slot_of[at->offsets[k] / 4]);
    if (at->guard != KERNEL_NONE && flow_varies(flow, at->guard))
        bitset_add(set, flow->slot_of[at->guard / 4]);
    for (unsigned k = 0; k < at->ndst; k++) /* what is blended, or seen by the whole warp, was needed before */
        if (at->bits[k] && at->whole)
            bitset_add(set, flow->slot_of[at->offsets[k] / 4]);
}

static void live_after(const struct flow *flow, uint32_t s, uint64_t *set)
{
    memset(set, 0, flow->slot_words * sizeof *set);
    const struct segment *segment = &flow->segments[s];
    for (uint32_t i = 0; i < segment->nto; i++)
        bitset_merge(set, set_of(flow->live, flow->slot_words, segment->to[i]), flow->slot_words);
    if (segment->leaves && s + 1 < flow->nsegments)
        bitset_merge(set, set_of(flow->live, flow->slot_words, s + 1), flow->slot_words);
}

void flow_live_at(const struct flow *flow, uint32_t s, uint32_t index, uint64_t *set)
{
    const struct segment *segment = &flow->segments[s];
    assert(index >= segment->first && index <= segment->first + segment->count);
    live_after(flow, s, set);
    for (uint32_t i = segment->first + segment->count; i-- > index;)
        live_before(flow, &flow->func->decoded[i], set);
}

static void number_slots(struct flow *flow)
{
    for (uint32_t i = 0; i < flow->func->ndecoded; i++) {
        const struct decoded *at = &flow->func->decoded[i];
        for (unsigned k = 0; k < (unsigned)at->ndst + at->nsrc; k++)
            if (at->bits[k] && flow_varies(flow, at->offsets[k]))
                slot_of(flow, at->offsets[k], at->bits[k]);
        if (at->guard != KERNEL_NONE && flow_varies(flow, at->guard))
            slot_of(flow, at->guard, 1);
    }
}

/* Is an invariant's result the same in all lanes of all warps? */
static bool is_of_launch(const struct flow *flow, const struct decoded *at)
{
    if (!at->same || (at->op == LANE_OP_sreg && at->inst->mode == LANE_SREG_WARPID))
        return false;
    for (unsigned k = at->ndst; k < (unsigned)at->ndst + at->nsrc; k++)
        if (at->bits[k] && at->offsets[k] < flow->func->constants_at && !flow_of_launch(flow, at->offsets[k]))
            return false;
    return true;
}

static void find_fixed(struct flow *flow)
{
    for (uint32_t i = 0; i < flow->func->ninvariants; i++) {
        const struct decoded *at = &flow->func->invariants[i];
        unsigned is = FLOW_FIXED | (at->same ? FLOW_UNIFORM : 0) | (is_of_launch(flow, at) ? FLOW_LAUNCH : 0);
        for (unsigned k = 0; k < at->ndst; k++)
            if (at->bits[k])
                flow->fixed[at->offsets[k] / 4] = (uint8_t)is;
    }
}

static bool find_live(struct arena *arena, struct flow *flow)
{
    uint32_t words4 = flow->func->constants_at / 4 + 1;
    flow->fixed = arena_array(arena, words4, 1);
    flow->slot_of = arena_array(arena, words4, sizeof(uint32_t));
    flow->slots = arena_array(arena, words4, sizeof(uint32_t));
    flow->slot_bits = arena_array(arena, words4, 1);
    if (!flow->fixed || !flow->slot_of || !flow->slots || !flow->slot_bits)
        return false;
    memset(flow->slot_of, 0xff, words4 * sizeof(uint32_t));
    find_fixed(flow);
    number_slots(flow);
    flow->slot_words = flow->nslots / 64 + 1;
    size_t sets = (size_t)flow->nsegments * flow->slot_words;
    flow->live = arena_array(arena, sets, sizeof(uint64_t));
    flow->kept = arena_array(arena, sets, sizeof(uint64_t));
    uint64_t *set = arena_array(arena, flow->slot_words, sizeof *set);
    if (!flow->live || !flow->kept || !set)
        return false;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t s = flow->nsegments; s-- > 0;) {
            flow_live_at(flow, s, flow->segments[s].first, set);
            changed |= bitset_merge(set_of(flow->live, flow->slot_words, s), set, flow->slot_words);
        }
    }
    return true;
}

uint32_t flow_ways(const struct flow *flow, uint32_t segment)
{
    uint32_t count = flow->segments[segment].nto;
    for (uint32_t w = 0; w < flow->words; w++)
        count += (uint32_t)__builtin_popcountll(flow_waits(flow, segment)[w]);
    return count;
}

static void find_kept(struct flow *flow)
{
    for (uint32_t s = 0; s < flow->nsegments; s++)
        for (uint32_t to = 0; to < flow->nsegments; to++)
            if (bitset_has(flow_waits(flow, s), to))
                bitset_merge(set_of(flow->kept, flow->slot_words, s), set_of(flow->live, flow->slot_words, to),
                             flow->slot_words);
}

/* Who waits where, and which branches part lanes: each rests on the other. */
static bool find_parting(struct arena *arena, struct flow *flow)
{
    uint64_t *all = arena_array(arena, flow->words, sizeof *all);
    bool changed;
    if (!flow->waits || !all)
        return false;
    if (flow->func->lane->stacked) { /* who waits does not rest on it (tokens.c) */
        find_kept(flow);
        return uniform_find(arena, flow, &changed);
    }
    for (changed = true; changed;) {
        find_waits(flow, all);
        find_kept(flow);
        if (!uniform_find(arena, flow, &changed))
            return false;
    }
    return true;
}

static bool find_sets(struct arena *arena, struct flow *flow, const char **why)
{
    flow->words = (flow->nsegments + 63) / 64;
    flow->waits = arena_array(arena, (size_t)flow->nsegments * flow->words, sizeof(uint64_t));
    if (!flow->waits)
        return false;
    if (flow->func->lane->stacked)
        return tokens_find(arena, flow, why) && find_ways(arena, flow);
    return find_ways(arena, flow);
}

bool flow_make(struct arena *arena, const struct func *func, const struct tids *tids, struct flow *flow,
               const char **why)
{
    *why = NULL;
    *flow = (struct flow){.func = func, .tids = tids};
    if (func->ndecoded > FLOW_INSTRUCTIONS)
        *why = "more instructions than are compiled";
    else if (func->constants_at > FLOW_FRAME)
        *why = "more registers than are compiled";
    if (*why || !find_segments(arena, flow, why) || !find_sets(arena, flow, why) || !find_live(arena, flow) ||
        !find_parting(arena, flow))
        return false;
    for (uint32_t s = 0; s < flow->nsegments && !func->lane->stacked; s++)
        flow->many = flow->many || flow_ways(flow, s) > FLOW_MANY;
    return true;
}

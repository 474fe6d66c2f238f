/* Warps that have nothing to do in a part of a block.
 *
 * In the later rounds of a reduction most warps come from one barrier to the next with a sum and two comparisons:
 *
 *   D: distance >>= 1; if (!distance) break;      the part begins here
 *   H: if (rank < distance)                       all lanes of the warp find: no
 *          ...
 *   B: bar.sync
 *
 * An *idle way* leads from an entry to a barrier through segments that compute nothing but what is known once for all
 * lanes. It has code of its own, which tries it with one whole warp after the other before any of them begins: where
 * all lanes go it, what has changed goes to the frame, and the warp has ended its part. Where they do not, nothing has
 * been done, and the warp begins as any other. */
#include "engine/jit/idle.h"
#include "engine/jit/barriers.h"
#include "engine/jit/entries.h"
#include "engine/jit/once.h"

#include <string.h>

enum {
    IDLE_SEGMENTS = 6, /* of a way; */
    IDLE_LENGTH = 32,  /* and instructions: whoever does not go it has tried in vain */
    IDLE_WAYS = 8,     /* of a kernel */
};

struct idle_way {
    uint32_t segments[IDLE_SEGMENTS], count, length;
};

static const struct decoded *last_of(const struct blocks *b, uint32_t segment)
{
    const struct segment *here = &b->flow->segments[segment];
    return &b->flow->func->decoded[here->first + here->count - 1];
}

/* ---- which ways -------------------------------------------------------------------------------------------------- */

/* Is an instruction carried out once for all lanes, and never left? What comparisons give is a word, if what they
 * compare is known once. */
static bool is_cheap(const struct blocks *b, const struct decoded *at)
{
    bool words = true;
    unsigned k;
    if (at->op >= LANE_OPS || !lane_is(at->op, LANE_PURE) || lane_is(at->op, LANE_TRAPS) || at->guard != KERNEL_NONE ||
        !pure_goes_once(at) || uniform_widens(b->flow, at, b->forms, &k))
        return false;
    for (k = 0; k < at->ndst; k++)
        words = words && at->bits[k] <= 1;
    for (; k < (unsigned)at->ndst + at->nsrc; k++)
        if (at->bits[k] > 1 && uniform_form(b->flow, b->forms, at->offsets[k]) >= FORM_UNSEEN)
            return false;
    return words || once_is(b->e, at);
}

static bool is_cheap_segment(struct blocks *b, uint32_t segment)
{
    const struct segment *here = &b->flow->segments[segment];
    b->e->segment = segment;
    memcpy(b->forms, flow_forms(b->flow, segment), b->flow->nslots);
    for (uint32_t i = here->first; i + 1 < here->first + here->count; i++) {
        const struct decoded *at = &b->flow->func->decoded[i];
        if (!is_cheap(b, at))
            return false;
        uniform_pass(b->flow, segment, at, b->forms);
    }
    return true;
}

/* May the way go on so? Rounds that take turns are for warps that have begun. */
static bool may_follow(const struct blocks *b, const struct idle_way *way, uint32_t to)
{
    uint32_t from = way->segments[way->count - 1];
    for (uint32_t i = 0; i < way->count; i++)
        if (way->segments[i] == to)
            return false;
    return way->count < IDLE_SEGMENTS && (to > from || barriers_between(b, to, from));
}

/* Adds a segment, and others up to a barrier. False: there are none; the way is as before. */
static bool find_way(struct blocks *b, uint32_t segment, struct idle_way *way)
{
    const struct segment *here = &b->flow->segments[segment];
    const struct decoded *last = last_of(b, segment);
    if (way->length + here->count > IDLE_LENGTH || !is_cheap_segment(b, segment))
        return false;
    way->segments[way->count++] = segment;
    way->length += here->count;
    if (barriers_meets(b, segment))
        return true;
    bool leads = !here->leaves && (last->op == LANE_OP_bra || last->op == DECODED_FALL);
    for (uint32_t i = 0; leads && i < here->nto; i++)
        if (may_follow(b, way, here->to[i]) && find_way(b, here->to[i], way))
            return true;
    way->length -= here->count;
    way->count--;
    return false;
}

/* ---- going them -------------------------------------------------------------------------------------------------- */

/* Goes on where a condition (i1) holds; otherwise the warp begins. */
static void go_if(struct blocks *b, LLVMValueRef condition)
{
    LLVMBasicBlockRef on = emit_block(b->e, "");
    emit_branch(b->e, condition, on, b->parts.warp, true);
    emit_begin(b->e, on);
}

/* The end of a segment, and what it has to find to lead to the way's next. */
struct turn {
    const struct decoded *last;
    bool matters, taken; /* does it part lanes, or warps? Does the way take the branch? */
};

static struct turn turn_of(const struct blocks *b, const struct idle_way *way, uint32_t i)
{
    struct turn turn = {.last = last_of(b, way->segments[i])};
    if (i + 1 == way->count || turn.last->op == DECODED_FALL || turn.last->guard == KERNEL_NONE)
        return turn;
    uint32_t target = blocks_segment_of(b, turn.last->target);
    turn.matters = target != blocks_segment_of(b, turn.last->next);
    turn.taken = target == way->segments[i + 1];
    return turn;
}

/* A comparison that decides a turn: what lanes find is known, if all find it. */
static bool decide(struct blocks *b, const struct decoded *at, const struct turn *turn)
{
    struct emit *e = b->e;
    if (!turn->matters || at->op != LANE_OP_setp || at->offsets[0] != turn->last->guard)
        return false;
    bool value = turn->taken != (turn->last->guard_flip != 0);
    LLVMValueRef alike = once_all_find(e, at, value);
    if (!alike)
        return false;
    go_if(b, alike);
    emit_result(e, at, 0, emit_mask(e, emit_const(e, 32, value ? ALL_LANES : 0)));
    return true;
}

static void emit_turn(struct blocks *b, const struct turn *turn)
{
    struct emit *e = b->e;
    if (!turn->matters)
        return;
    LLVMValueRef taken = emit_guarded(e, turn->last, e->exec);
    go_if(b, LL(BuildICmp, LLVMIntEQ, taken, emit_const(e, 32, turn->taken ? ALL_LANES : 0)));
}

/* Goes on where the warp at hand has come to the way's next segment. */
static void emit_segment(struct blocks *b, const struct idle_way *way, uint32_t i)
{
    struct emit *e = b->e;
    const struct segment *here = &b->flow->segments[way->segments[i]];
    struct turn turn = turn_of(b, way, i);
    e->segment = way->segments[i];
    memcpy(b->forms, flow_forms(b->flow, e->segment), b->flow->nslots);
    for (uint32_t k = here->first; k + 1 < here->first + here->count; k++) {
        const struct decoded *at = &b->flow->func->decoded[k];
        if (!decide(b, at, &turn))
            blocks_instruction(b, e->segment, k);
        uniform_pass(b->flow, e->segment, at, b->forms);
    }
    once_settle(e);
    emit_turn(b, &turn);
}

/* Tries it with the warp at hand, and with others. */
static void emit_way(struct blocks *b, const struct idle_way *way)
{
    struct emit *e = b->e;
    uint32_t how = b->meets[way->segments[way->count - 1]];
    LLVMBasicBlockRef whole = emit_block(e, "");
    parts_may_end(e, &b->parts, how);
    e->warp = parts_candidate(e, &b->parts, whole);
    e->regs = emit_field(e, e->warp, offsetof(struct warp, frame.regs), e->ptr);
    e->exec = emit_const(e, 32, ALL_LANES);
    entries_fill(b, way->segments[0]);
    for (uint32_t i = 0; i < way->count; i++)
        emit_segment(b, way, i);
    barriers_park(b, e->segment);
    for (uint32_t i = 0; i + 1 < way->count; i++)
        blocks_account(b, last_of(b, way->segments[i]));
    parts_pass(e, &b->parts, how, whole);
}

/* Warps of a twin loop are parked while others begin, and clocks count for one warp at a time. */
static bool has_ways(const struct blocks *b)
{
    return b->has_meets && !b->has_loops && !b->clocks && !b->flow->many && !blocks_stacked(b);
}

void idle_emit(struct blocks *b)
{
    struct emit *e = b->e;
    LLVMValueRef warp = e->warp, regs = e->regs;
    unsigned count = 0;
    emit_begin(e, b->parts.found);
    LLVMValueRef choose = e->llvm->BuildSwitch(e->builder, parts_entry(e, &b->parts), b->parts.warp, 1);
    for (uint32_t n = 0; n < b->code->nentries && has_ways(b) && count < IDLE_WAYS; n++) {
        struct idle_way way = {.count = 0};
        uint32_t entry = b->code->entries[n];
        if (!barriers_begins(b, entry) || !b->flow->segments[entry].loops || !find_way(b, entry, &way))
            continue;
        LLVMBasicBlockRef here = emit_block(e, "");
        e->llvm->AddCase(choose, emit_const(e, 32, n + 1), here);
        emit_begin(e, here);
        emit_way(b, &way);
        count++;
    }
    e->warp = warp;
    e->regs = regs;
}

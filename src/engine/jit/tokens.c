/* Tokens (warp/stack.c), as far as can be known before a kernel runs: which tokens a lane holds at the start of each
 * segment, and which groups of lanes may lie on the warp's stack between them. Compiled code keeps the stack itself
 * where the interpreter has it, w->tokens, and so runs the sides of branches in the interpreter's order.
 *
 *   push.sync b3    token 0: sync -> b3. above[0] = {}: nobody lies below it
 *   @p bra b2       b1 is pushed, and b2 runs: at b2 above[1] = {b1}
 *   b1: ... pop     if the stack's top is what was pushed last, lanes go to b3; those of b2 wait there already
 *   b2: ... pop     those of b1 run next: there token 0 is `popped`: lanes wait at b3
 *   b3:
 *
 * All ways to a segment have to bring the same tokens: code of compilers does, but for functions that are called from
 * more than one place. */
#include "engine/jit/tokens.h"
#include "engine/warp/warp.h"
#include "lane/form.h"

#include <assert.h>
#include <string.h>

#define NONE UINT32_MAX

enum { TOKENS_MOST = 32 }; /* that a lane holds at once */

struct held {
    uint32_t kind, to; /* enum lane_token; the segment that it leads to */
    bool popped;       /* lanes may have taken it, and wait for the others that hold it */
};

/* Tokens from the outermost on. above[i]: a set of segments, for which other sides of branches wait right below token
 * i; above[depth]: on top. */
struct tokens {
    bool known;
    uint32_t depth;
    struct held *held;
    uint64_t *above;
};

struct finder {
    struct arena *arena;
    struct flow *flow;
    struct tokens *at; /* of each segment's start */
    struct tokens now; /* of the place at hand */
    bool changed;
    const char *why;
};

static uint64_t *above(const struct finder *f, const struct tokens *t, uint32_t level)
{
    return t->above + (size_t)level * f->flow->words;
}

static bool make(struct finder *f, struct tokens *t, uint32_t depth)
{
    t->held = arena_array(f->arena, depth + 1, sizeof *t->held);
    t->above = arena_array(f->arena, ((size_t)depth + 1) * f->flow->words, sizeof *t->above);
    if (!t->held || !t->above)
        f->why = "out of memory";
    return !f->why;
}

static uint32_t segment_of(const struct finder *f, uint32_t point)
{
    assert(point < f->flow->func->npoints && f->flow->segment_at[point] != NONE);
    return f->flow->segment_at[point];
}

/* ---- ways -------------------------------------------------------------------------------------------------------- */

/* Lanes may wait for those of the outer tokens that they may wait for now, when a segment runs that holds them, too. */
static void resume(struct finder *f, uint32_t segment)
{
    struct tokens *to = &f->at[segment];
    assert(to->known && to->depth <= f->now.depth);
    for (uint32_t i = 0; i < to->depth; i++) {
        f->changed |= f->now.held[i].popped && !to->held[i].popped;
        to->held[i].popped |= f->now.held[i].popped;
    }
}

/* Lanes come to a segment with the outer `depth` tokens of those at hand. */
static void join(struct finder *f, uint32_t segment, uint32_t depth)
{
    struct tokens *to = &f->at[segment];
    if (!to->known) {
        if (!make(f, to, depth))
            return;
        to->known = f->changed = true;
        to->depth = depth;
        memcpy(to->held, f->now.held, depth * sizeof *to->held);
        memcpy(to->above, f->now.above, ((size_t)depth + 1) * f->flow->words * sizeof *to->above);
        return;
    }
    bool same = to->depth == depth;
    for (uint32_t i = 0; same && i < depth; i++)
        same = to->held[i].kind == f->now.held[i].kind && to->held[i].to == f->now.held[i].to;
    if (!same) {
        f->why = "tokens that are not the same on all ways";
        return;
    }
    resume(f, segment);
    f->changed |= bitset_merge(to->above, f->now.above, ((size_t)depth + 1) * f->flow->words);
}

static void push(struct finder *f, const struct decoded *at)
{
    struct tokens *now = &f->now;
    uint32_t to = segment_of(f, at->target);
    if (at->guard != KERNEL_NONE || now->depth == TOKENS_MOST) {
        f->why = at->guard != KERNEL_NONE ? "a token that not all lanes are given" : "more tokens than are compiled";
        return;
    }
    join(f, to, now->depth); /* whoever takes the token comes there with what lay below it */
    now->held[now->depth++] = (struct held){.kind = at->inst->mode, .to = to};
    memset(above(f, now, now->depth), 0, f->flow->words * sizeof(uint64_t));
}

/* No lanes of segment s run any more: who may be next? Those that lie above token `least` (0: all), and its own. */
static void run_next(struct finder *f, uint32_t s, uint32_t least)
{
    const struct tokens *now = &f->now;
    uint64_t *next = f->flow->resumed + (size_t)s * f->flow->words;
    for (uint32_t i = now->depth + 1; i-- > least;) {
        const uint64_t *set = above(f, now, i);
        for (uint32_t w = 0; w < f->flow->words; w++)
            for (uint64_t bits = set[w]; bits; bits &= bits - 1) {
                bitset_add(next, w * 64 + (uint32_t)__builtin_ctzll(bits));
                resume(f, w * 64 + (uint32_t)__builtin_ctzll(bits));
            }
        if (i > 0 && now->held[i - 1].popped) {
            bitset_add(next, now->held[i - 1].to);
            resume(f, now->held[i - 1].to);
        }
    }
}

static void pop(struct finder *f, uint32_t s, const struct decoded *at)
{
    struct tokens *now = &f->now;
    uint32_t k = now->depth;
    while (k > 0 && now->held[k - 1].kind != at->inst->mode)
        k--;
    f->flow->pops_to[s] = k ? now->held[k - 1].to : NONE;
    if (k)
        now->held[k - 1].popped = true;
    if (at->guard != KERNEL_NONE)
        join(f, segment_of(f, at->next), now->depth);
    run_next(f, s, k);
}

static void branch(struct finder *f, const struct decoded *at)
{
    if (at->op == LANE_OP_bra && at->guard != KERNEL_NONE) {
        join(f, segment_of(f, at->next), f->now.depth);
        bitset_add(above(f, &f->now, f->now.depth), segment_of(f, at->next));
    }
    if (!f->why)
        join(f, segment_of(f, at->target), f->now.depth);
}

static void walk(struct finder *f, uint32_t s)
{
    const struct tokens *from = &f->at[s];
    const struct segment *segment = &f->flow->segments[s];
    f->now.depth = from->depth;
    memcpy(f->now.held, from->held, from->depth * sizeof *from->held);
    memcpy(f->now.above, from->above, ((size_t)from->depth + 1) * f->flow->words * sizeof *from->above);
    for (uint32_t i = 0; i < segment->count && !f->why; i++) {
        const struct decoded *at = &f->flow->func->decoded[segment->first + i];
        if (at->op == LANE_OP_push)
            push(f, at);
        else if (at->op == LANE_OP_pop)
            pop(f, s, at);
        else if (at->op == LANE_OP_brx)
            f->why = "a jump table between tokens";
        else if (at->op == LANE_OP_bra || at->op == DECODED_FALL)
            branch(f, at);
        else if (at->op == LANE_OP_exit || at->op == LANE_OP_ret) {
            if (at->guard != KERNEL_NONE)
                join(f, segment_of(f, at->next), f->now.depth);
            run_next(f, s, 0);
        }
    }
    if (segment->leaves && s + 1 < f->flow->nsegments && !f->why)
        join(f, s + 1, f->now.depth);
}

/* Where lanes may wait while each segment runs. */
static uint64_t find_waits(const struct finder *f)
{
    uint64_t count = 0;
    for (uint32_t s = 0; s < f->flow->nsegments; s++) {
        const struct tokens *t = &f->at[s];
        uint64_t *waits = f->flow->waits + (size_t)s * f->flow->words;
        for (uint32_t i = 0; t->known && i <= t->depth; i++) {
            bitset_merge(waits, above(f, t, i), f->flow->words);
            if (i < t->depth && t->held[i].popped)
                bitset_add(waits, t->held[i].to);
        }
        for (uint32_t w = 0; w < f->flow->words; w++)
            count += (uint64_t)__builtin_popcountll(waits[w]);
    }
    return count;
}

bool tokens_find(struct arena *arena, struct flow *flow, const char **why)
{
    struct finder f = {.arena = arena, .flow = flow};
    flow->resumed = arena_array(arena, (size_t)flow->nsegments * flow->words, sizeof(uint64_t));
    flow->pops_to = arena_array(arena, flow->nsegments, sizeof *flow->pops_to);
    f.at = arena_array(arena, flow->nsegments, sizeof *f.at);
    if (!flow->resumed || !flow->pops_to || !f.at || !make(&f, &f.now, TOKENS_MOST))
        return false;
    memset(flow->pops_to, 0xff, flow->nsegments * sizeof *flow->pops_to);
    join(&f, 0, 0);
    while (f.changed && !f.why) {
        f.changed = false;
        for (uint32_t s = 0; s < flow->nsegments && !f.why; s++)
            if (f.at[s].known)
                walk(&f, s);
        if (!f.why && find_waits(&f) > FLOW_WAITS)
            f.why = "more ways for lanes to part than are compiled";
    }
    *why = f.why;
    return !f.why;
}

/* Tokens: where lanes that diverge reconverge (lane/ops.h, push and pop). Two policies:
 *
 *   stack     the warp has one stack of tokens, each with the lanes that hold it. Lanes that take a token wait until
 * the running lanes are none; then the top of the stack says who runs, and where:
 *
 *                 bottom   sync  lanes ffffffff -> b9     lanes that took it wait here
 *                          other lanes 0000ff00 -> b4     the other side of a branch that parted
 *                 top      break lanes 000000ff -> b6
 *                 running        lanes 0000000f
 *
 *             A lane that runs, or will, is in the tokens below: taking a token clears it from those above.
 *   frontier  each lane has tokens of its own and goes where its token says; who runs is flow.c's rule.
 */
#include "base/hard.h"
#include "engine/run.h"
#include "lane/names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    TOKEN_LIMIT = 65536, /* of a warp's stack, or of a lane: endless recursion ends here, not at the host's memory */
    TOKEN_ROOM = HARD(16, 1), /* at first */
    /* Which side of a branch that parts runs first is not specified; compiled code must not care. Named choice: the
     * lanes that branch, so that a loop runs until its last lane leaves it and a lock that may hang does. */
    BRANCHING_FIRST = 1,
    POINT_SHIFT = 3, /* a lane's own token: point << POINT_SHIFT | kind */
    KIND_MASK = (1 << POINT_SHIFT) - 1,
};
_Static_assert(LANE_TOKENS <= 1 << POINT_SHIFT, "kinds of tokens do not fit");

/* Each lane's tokens: entries[level * LANES + lane]. */
struct own_tokens {
    uint32_t room, depth[LANES];
    uint32_t *entries;
};

const char *token_name(unsigned kind)
{
    return kind == TOKEN_OTHER_SIDE ? "other side of a branch" : lane_name(&lane_token_names, kind);
}

/* Room for twice as many tokens of `bytes` each; NULL after the launch was stopped. */
static void *grow(struct warp *warp, const struct decoded *at, uint32_t lanes, void *tokens, uint32_t *room,
                  size_t bytes)
{
    if (*room >= TOKEN_LIMIT) {
        warp_trap(warp, at, lanes, "token-overflow", *room, NULL, "more than %d tokens are held at once", TOKEN_LIMIT);
        return NULL;
    }
    uint32_t more = *room ? *room * 2 : TOKEN_ROOM;
    void *grown = realloc(tokens, more * bytes);
    if (!grown)
        run_stop(warp->worker->run, ATOLL_MEMORY, "out of memory for tokens");
    else
        *room = more;
    return grown;
}

void tokens_begin(struct warp *warp)
{
    warp->stacked = warp->worker->run->stacked;
    warp->ntokens = warp->watched = 0;
    if (warp->own)
        memset(warp->own->depth, 0, sizeof warp->own->depth);
}

void tokens_free(struct warp *warp)
{
    if (warp->own)
        free(warp->own->entries);
    free(warp->own);
    free(warp->tokens);
}

/* Lanes that have no token of the kind that they pop. NULL with running lanes left: the rest goes on. */
static const struct step *without_token(struct warp *warp, const struct decoded *at, uint32_t lanes)
{
    if (at->inst->mode == LANE_TOKEN_RETURN || at->inst->mode == LANE_TOKEN_EXIT)
        return warp_exit(warp, lanes);
    warp->frame.exec &= ~lanes;
    return warp_trap(warp, at, lanes, "no-token", 0, NULL, "pop of a token '%s' where none was pushed",
                     token_name(at->inst->mode));
}

/* ---- each lane's own --------------------------------------------------------------------------------------------- */

static bool own_room(struct warp *warp, const struct decoded *at, uint32_t lanes)
{
    if (!warp->own && !(warp->own = calloc(1, sizeof *warp->own))) {
        run_stop(warp->worker->run, ATOLL_MEMORY, "out of memory for tokens");
        return false;
    }
    uint32_t deepest = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint32_t depth = warp->own->depth[__builtin_ctz(left)];
        deepest = depth > deepest ? depth : deepest;
    }
    if (deepest < warp->own->room)
        return true;
    uint32_t *entries = grow(warp, at, lanes, warp->own->entries, &warp->own->room, LANES * sizeof *entries);
    if (!entries)
        return false;
    warp->own->entries = entries;
    return true;
}

/* Bit of each lane: loops that test lanes & lane_bit[l] are vectorised, those that shift are not. */
#define BITS4(l) UINT32_C(1) << (l), UINT32_C(2) << (l), UINT32_C(4) << (l), UINT32_C(8) << (l)
static const uint32_t lane_bit[LANES] = {BITS4(0),  BITS4(4),  BITS4(8),  BITS4(12),
                                         BITS4(16), BITS4(20), BITS4(24), BITS4(28)};

/* Have all lanes of `lanes` the value that the lowest has? */
static bool same(const uint32_t *values, uint32_t lanes)
{
    uint32_t first = values[__builtin_ctz(lanes)], differ = 0;
    for (unsigned l = 0; l < LANES; l++)
        differ |= lanes & lane_bit[l] ? values[l] ^ first : 0;
    return differ == 0;
}

static void push_row(struct own_tokens *own, uint32_t *row, uint32_t token, uint32_t lanes)
{
    for (unsigned l = 0; l < LANES; l++)
        row[l] = lanes & lane_bit[l] ? token : row[l];
    for (unsigned l = 0; l < LANES; l++)
        own->depth[l] += lanes & lane_bit[l] ? 1 : 0;
}

static bool own_push(struct warp *warp, const struct decoded *at, uint32_t lanes)
{
    struct own_tokens *own = warp->own;
    uint32_t token = at->target << POINT_SHIFT | at->inst->mode, first = (uint32_t)__builtin_ctz(lanes);
    if (own && own->depth[first] < own->room && same(own->depth, lanes)) { /* the common case goes by rows */
        push_row(own, own->entries + (size_t)own->depth[first] * LANES, token, lanes);
        return true;
    }
    if (!own_room(warp, at, lanes))
        return false;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        assert(warp->own->depth[lane] < warp->own->room);
        warp->own->entries[warp->own->depth[lane]++ * LANES + lane] = token;
    }
    return true;
}

/* The point that the lane's innermost token of the kind leads to; NO_POINT = it has none. */
static uint32_t own_take(struct own_tokens *own, unsigned lane, uint32_t kind)
{
    for (uint32_t depth = own ? own->depth[lane] : 0; depth-- > 0;) {
        uint32_t token = own->entries[depth * LANES + lane];
        if ((token & KIND_MASK) == kind) {
            own->depth[lane] = depth;
            return token >> POINT_SHIFT;
        }
    }
    return NO_POINT;
}

/* The common case of own_take: all running lanes take the token that they pushed last, together. */
static bool take_row(struct own_tokens *own, uint32_t kind, uint32_t *goal, uint32_t lanes)
{
    uint32_t first = (uint32_t)__builtin_ctz(lanes), depth = own ? own->depth[first] : 0;
    if (depth == 0 || !same(own->depth, lanes))
        return false;
    const uint32_t *row = own->entries + (size_t)(depth - 1) * LANES;
    if ((row[first] & KIND_MASK) != kind || !same(row, lanes))
        return false;
    assert(depth <= own->room);
    for (unsigned l = 0; l < LANES; l++)
        own->depth[l] -= lanes & lane_bit[l] ? 1 : 0;
    *goal = row[first] >> POINT_SHIFT;
    return true;
}

static const struct step *own_pop(struct warp *warp, const struct decoded *at, uint32_t lanes)
{
    assert(lanes && !(lanes & ~warp->frame.exec));
    uint32_t goals[LANES], none = 0, stay = warp->frame.exec & ~lanes, here = stay ? at->next : NO_POINT, goal;
    if (!stay && take_row(warp->own, at->inst->mode, &goal, lanes))
        return warp->waiting ? warp_goto(warp, goal) : func_point(warp->func, goal);
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        goals[lane] = own_take(warp->own, lane, at->inst->mode);
        none |= goals[lane] == NO_POINT ? left & -left : 0;
    }
    if (none) {
        const struct step *next = without_token(warp, at, none);
        if (next || !warp->frame.exec || atomic_load_explicit(&warp->worker->run->stop, memory_order_relaxed))
            return next;
    }
    for (uint32_t left = lanes & ~none; left;) {
        uint32_t group = lanes_like_first(goals, left);
        goal = goals[__builtin_ctz(left)];
        left &= ~group;
        if (here == NO_POINT)
            here = goal; /* these run on; the others are parked */
        else
            warp_leave(warp, group, goal);
    }
    return warp_goto(warp, here);
}

/* ---- the warp's stack -------------------------------------------------------------------------------------------- */

static bool stack_push(struct warp *warp, const struct decoded *at, struct token token)
{
    if (__builtin_expect(warp->ntokens == warp->token_room, 0)) {
        struct token *tokens = grow(warp, at, token.lanes, warp->tokens, &warp->token_room, sizeof *tokens);
        if (!tokens)
            return false;
        warp->tokens = tokens;
    }
    assert(warp->ntokens < warp->token_room && token.point < warp->func->npoints);
    assert(!(token.lanes & ~warp->live) && token.kind <= TOKEN_OTHER_SIDE);
    warp->tokens[warp->ntokens++] = token;
    return true;
}

uint32_t tokens_resume(struct warp *warp)
{
    assert(!warp->waiting && warp->ntokens <= warp->token_room);
    while (warp->ntokens) {
        const struct token *top = &warp->tokens[--warp->ntokens];
        assert(top->point < warp->func->npoints);
        warp->frame.exec = top->lanes & warp->live;
        if (warp->frame.exec)
            return top->point;
    }
    assert(!warp->live); /* each lane that has not exited is in a token */
    return NO_POINT;
}

const struct step *stack_next(struct warp *warp)
{
    assert(!warp->frame.exec);
    uint32_t point = tokens_resume(warp);
    if (point != NO_POINT)
        return func_point(warp->func, point);
    warp->state = WARP_DONE;
    return NULL;
}

const struct step *stack_split(struct warp *warp, uint32_t taken, uint32_t point, uint32_t other)
{
    uint32_t stay = warp->frame.exec & ~taken;
    assert(taken && stay && point < warp->func->npoints && other < warp->func->npoints);
    warp->divergent++;
    struct token later = BRANCHING_FIRST ? (struct token){.lanes = stay, .point = other}
                                         : (struct token){.lanes = taken, .point = point};
    later.kind = TOKEN_OTHER_SIDE;
    if (!stack_push(warp, func_decoded(warp->func, later.point), later))
        return NULL;
    warp->frame.exec &= ~later.lanes;
    return func_point(warp->func, BRANCHING_FIRST ? point : other);
}

uint32_t tokens_unwind(struct warp *warp, uint32_t lanes, uint32_t kind)
{
    for (uint32_t i = warp->ntokens; i-- > 0 && lanes;) {
        struct token *token = &warp->tokens[i];
        if (token->kind == kind)
            lanes &= ~token->lanes;
        token->lanes &= ~lanes;
    }
    return lanes;
}

static const struct step *stack_pop(struct warp *warp, const struct decoded *at, uint32_t lanes)
{
    uint32_t none = tokens_unwind(warp, lanes, at->inst->mode);
    warp->frame.exec &= ~(lanes & ~none);
    if (none) {
        const struct step *next = without_token(warp, at, none);
        if (next || warp->state != WARP_READY || !warp->frame.exec)
            return next;
        if (atomic_load_explicit(&warp->worker->run->stop, memory_order_relaxed))
            return NULL;
    }
    return warp->frame.exec ? func_point(warp->func, at->next) : stack_next(warp);
}

bool warp_push(struct warp *warp, const struct decoded *at, uint32_t lanes)
{
    if (!warp->stacked)
        return own_push(warp, at, lanes);
    return stack_push(warp, at, (struct token){.lanes = lanes, .point = at->target, .kind = at->inst->mode});
}

const struct step *warp_pop(struct warp *warp, const struct decoded *at, uint32_t lanes)
{
    return warp->stacked ? stack_pop(warp, at, lanes) : own_pop(warp, at, lanes);
}

/* Livelock: finds warps that wait for themselves: by the stack policy lanes that spin on a lock can keep the lane that
 * holds it from running for ever.
 *
 * A warp goes round if it comes back to the same instruction with the same lanes running, the same tokens and the same
 * registers, and nothing it did meanwhile changed memory, a barrier or anything else that others see, nor did it read a
 * clock: then it does the same for ever, unless others change memory. When all ready warps of all host threads go
 * round, one after the other and with no change in between, nothing can happen any more; if lanes wait on a stack then,
 * the launch stops with a trap. So it does in launches that the sync check looks at, whoever goes round there.
 *
 * Warps are watched step by step, which is slow, so a host thread looks only after many turns that ran out, and less
 * often each time it found nothing. Host threads agree in two rounds: in the first each finds that its warps go round;
 * in the second, begun after the last of them has said so, each finds it once more.
 */
#include "base/hard.h"
#include "base/text.h"
#include "engine/run.h"

#include <stdlib.h>
#include <string.h>

enum {
    PATIENCE = HARD(16, 1), /* turns that a warp uses up before it is watched */
    PATIENCE_MOST = 4096,
    WATCH_STEPS = 1 << 16, /* of a warp; longer ways round are not found */
    ELEMENT_BYTES = 64,    /* that one lane stores, at most */
};

/* ---- one warp ---------------------------------------------------------------------------------------------------- */

enum effect { EFFECT_NONE, EFFECT_STORE, EFFECT_SWAP, EFFECT_OTHER };

/* What a step does that others could see. Barriers and surfaces count as changed, whatever is there; only of a
 * compare-and-swap on a surface its old value tells. */
static enum effect step_effect(const struct decoded *info)
{
    if (lane_is(info->op, LANE_CLOCK))
        return lane_sreg_is(info->inst->mode, LANE_SREG_CLOCKS) ? EFFECT_OTHER : EFFECT_NONE;
    if (!lane_is(info->op, LANE_WRITES))
        return EFFECT_NONE;
    if (!info->access || lane_is(info->op, LANE_OBJECT))
        return EFFECT_OTHER;
    if (!lane_is(info->op, LANE_TEXELS))
        return EFFECT_STORE;
    return info->access->atomic == LANE_ATOMIC_CAS && info->bits[0] ? EFFECT_SWAP : EFFECT_OTHER;
}

/* Memory that a step is about to write, or the values that it compares with. */
struct before {
    uint32_t lanes;
    size_t bytes;
    const unsigned char *at[LANES];
    unsigned char value[LANES][ELEMENT_BYTES];
};

/* Other host threads may write there. */
static void peek(unsigned char *to, const unsigned char *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
}

/* False: a lane's address is bad, and the launch was stopped. */
static bool look_before(struct warp *warp, const struct decoded *info, struct before *before)
{
    bool wide = info->bits[info->ndst] == 64;
    before->lanes = decoded_lanes(warp, info);
    before->bytes = (size_t)info->bytes * info->access->vec;
    for (uint32_t left = before->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t address = 0;
        memcpy(&address, warp->frame.regs + info->offsets[info->ndst] + (wide ? 8 : 4) * (size_t)lane, wide ? 8 : 4);
        address += (uint64_t)info->access->offset;
        before->at[lane] = warp_pointer(warp, info, lane, info->access->space, wide ? address : (uint32_t)address,
                                        before->bytes, true, NULL);
        if (!before->at[lane])
            return false;
        peek(before->value[lane], before->at[lane], before->bytes);
    }
    return true;
}

/* Of a register of 32 or 64 bits. */
static const unsigned char *element(const struct warp *warp, const struct decoded *info, unsigned operand,
                                    unsigned lane)
{
    return warp->frame.regs + info->offsets[operand] + (size_t)info->bits[operand] / 8 * lane;
}

static void look_at_operand(const struct warp *warp, const struct decoded *info, struct before *before)
{
    before->lanes = decoded_lanes(warp, info);
    before->bytes = info->bytes;
    for (uint32_t left = before->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left), compare = info->ndst + info->nsrc - 2u;
        memcpy(before->value[lane], element(warp, info, compare, lane), before->bytes);
    }
}

static bool none_swapped(const struct warp *warp, const struct decoded *info, const struct before *before)
{
    for (uint32_t left = before->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (memcmp(before->value[lane], element(warp, info, 0, lane), before->bytes) == 0)
            return false;
    }
    return true;
}

static bool same_after(const struct before *before)
{
    unsigned char now[ELEMENT_BYTES];
    for (uint32_t left = before->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        peek(now, before->at[lane], before->bytes);
        if (memcmp(now, before->value[lane], before->bytes) != 0)
            return false;
    }
    return true;
}

/* Carries out one instruction. False: it changed something, or the warp cannot go on now. */
static bool watched_step(struct warp *warp)
{
    const struct run *run = warp->worker->run;
    const struct decoded *info = warp_at(warp);
    struct before before;
    enum effect effect = step_effect(info);
    if (effect == EFFECT_OTHER || (effect == EFFECT_STORE && !look_before(warp, info, &before)))
        return false;
    if (effect == EFFECT_SWAP)
        look_at_operand(warp, info, &before);
    if (run->launch->trace)
        warp_trace(warp, info);
    if (!run->program->executor->step(warp) && (warp->state != WARP_READY || !warp->pc)) /* else it gave way only */
        return false;
    if (effect == EFFECT_NONE)
        return true;
    return effect == EFFECT_STORE ? same_after(&before) : none_swapped(warp, info, &before);
}

/* A place to come back to. */
struct mark {
    const struct step *at;
    uint32_t exec, ntokens;
    size_t bytes, token_bytes;
    unsigned char *regs, *tokens;
};

static bool mark_set(struct mark *mark, const struct warp *warp)
{
    *mark = (struct mark){.at = warp->pc, .exec = warp->frame.exec, .ntokens = warp->ntokens};
    mark->bytes = warp->func->constants_at;
    mark->token_bytes = warp->ntokens * sizeof *warp->tokens;
    mark->regs = malloc(mark->bytes + mark->token_bytes);
    if (!mark->regs)
        return false;
    mark->tokens = mark->regs + mark->bytes;
    memcpy(mark->regs, warp->frame.regs, mark->bytes);
    if (mark->token_bytes)
        memcpy(mark->tokens, warp->tokens, mark->token_bytes);
    return true;
}

static bool mark_reached(const struct mark *mark, const struct warp *warp)
{
    return warp->pc == mark->at && warp->frame.exec == mark->exec && warp->ntokens == mark->ntokens &&
           memcmp(warp->frame.regs, mark->regs, mark->bytes) == 0 &&
           (mark->token_bytes == 0 || memcmp(warp->tokens, mark->tokens, mark->token_bytes) == 0);
}

static bool goes_round(struct warp *warp)
{
    struct mark mark;
    bool round = false;
    if (!warp->pc || !mark_set(&mark, warp))
        return false;
    warp->turns = INT32_MAX;
    for (unsigned i = 0; i < WATCH_STEPS && watched_step(warp); i++)
        if ((round = mark_reached(&mark, warp)))
            break;
    free(mark.regs);
    return round;
}

/* ---- a host thread ---------------------------------------------------------------------------------------- */

/* Lanes that wait on the warp's stack. */
static uint32_t waiting_lanes(const struct warp *warp)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < warp->ntokens; i++)
        lanes |= warp->tokens[i].lanes;
    return warp->state == WARP_READY ? lanes & warp->live & ~warp->frame.exec : 0;
}

/* By the weak order what a load gives may change by itself. */
bool watch_all(const struct run *run)
{
    return (run->launch->checks & ATOLL_CHECK_SYNC) && !run->launch->weak;
}

/* Lanes that do not run, and could, may change what the others wait for. */
static bool others_run(const struct warp *warp)
{
    return (warp->waiting & ~warp->blocked) || (warp->ncalls && calls_able(warp));
}

/* Do all its warps go round? *stuck: the first of them with lanes that wait, which others may wait for; or any. */
static bool all_go_round(struct worker *worker, struct warp **stuck)
{
    bool any = watch_all(worker->run);
    *stuck = NULL;
    for (uint32_t k = 0; k < worker->nblocks; k++) {
        struct block *block = &worker->blocks[k];
        if (block->busy ? !block->live : worker->next < worker->run->blocks)
            return false; /* there is another block to begin */
        for (uint32_t i = 0; block->busy && i < block->nwarps; i++) {
            struct warp *warp = &block->warps[i];
            if (warp->state == WARP_READY && (others_run(warp) || !goes_round(warp)))
                return false;
            bool holds = waiting_lanes(warp) && (!*stuck || !waiting_lanes(*stuck));
            if (holds || (!*stuck && any && warp->state == WARP_READY))
                *stuck = warp;
        }
    }
    return true;
}

void stall_leave(struct run *run)
{
    pthread_mutex_lock(&run->stall.lock);
    run->stall.active--;
    run->stall.epoch++;
    run->stall.confirmed = 0;
    pthread_mutex_unlock(&run->stall.lock);
}

/* Tells the others what a round, begun in `epoch`, has shown. True: nothing can happen any more. */
static bool stall_say(struct worker *worker, bool round, uint64_t epoch)
{
    struct stall *stall = &worker->run->stall;
    pthread_mutex_lock(&stall->lock);
    if (round != worker->stalled) {
        worker->stalled = round;
        stall->stalled += round ? 1 : -1u;
        stall->epoch++;
        stall->confirmed = 0;
    } else if (round && stall->stalled == stall->active && epoch == stall->epoch && worker->confirmed != epoch) {
        worker->confirmed = epoch;
        stall->confirmed++;
    }
    bool over = stall->confirmed && stall->confirmed == stall->active;
    pthread_mutex_unlock(&stall->lock);
    return over;
}

static uint64_t stall_epoch(struct run *run)
{
    pthread_mutex_lock(&run->stall.lock);
    uint64_t epoch = run->stall.epoch;
    pthread_mutex_unlock(&run->stall.lock);
    return epoch;
}

/* ---- the report ------------------------------------------------------------------------------------------- */

static bool many(uint32_t lanes)
{
    return (lanes & (lanes - 1)) != 0;
}

/* "lane 3", "lanes 0-4,7" */
static void put_lanes(struct text *out, uint32_t lanes)
{
    text_puts(out, many(lanes) ? "lanes " : "lane ");
    for (unsigned l = 0, n = 0; l < LANES; l++) {
        unsigned last = l;
        if (!(lanes >> l & 1))
            continue;
        while (last + 1 < LANES && lanes >> (last + 1) & 1)
            last++;
        text_printf(out, last > l ? "%s%u-%u" : "%s%u", n++ ? "," : "", l, last);
        l = last;
    }
}

static void put_place(struct text *out, const struct decoded *at)
{
    char place[PLACE_BYTES];
    short_place(decoded_standing(at), place);
    text_puts(out, place);
}

static void describe(const struct warp *warp, struct text *out)
{
    uint32_t left = waiting_lanes(warp);
    put_lanes(out, warp->frame.exec);
    text_printf(out, " of warp %u spin%s for ever at ", warp->number, many(warp->frame.exec) ? "" : "s");
    put_place(out, warp_at(warp));
    text_puts(out, ", nothing changes any more");
    for (uint32_t i = warp->ntokens; i-- > 0 && left;) {
        const struct token *token = &warp->tokens[i];
        if (!(token->lanes & left))
            continue;
        text_puts(out, "; ");
        put_lanes(out, token->lanes & left);
        text_printf(out, " wait%s on the stack (%s) to go on at ", many(token->lanes & left) ? "" : "s",
                    token_name(token->kind));
        put_place(out, func_decoded(warp->func, token->point));
        left &= ~token->lanes;
    }
}

static void report(struct warp *warp)
{
    struct text out = {0};
    const struct decoded *at = decoded_standing(warp_at(warp));
    if (warp->worker->run->checking)
        check_stuck(warp->block, warp, at);
    describe(warp, &out);
    warp_trap(warp, at, warp->frame.exec, "deadlock", 0, NULL, "%.*s", (int)out.length, out.length ? out.bytes : "");
    text_free(&out);
}

void watch_turn(struct worker *worker, struct warp *warp)
{
    if (worker->patience == 0)
        worker->patience = worker->run->launch->cooperative ? PATIENCE * (WARP_TURNS / COOPERATIVE_TURNS) : PATIENCE;
    worker->watch = ++warp->watched >= worker->patience;
}

bool watch_round(struct worker *worker)
{
    bool round, over = false;
    struct warp *stuck;
    do {
        held_merge(&worker->held);
        uint64_t epoch = stall_epoch(worker->run);
        round = all_go_round(worker, &stuck);
        over = stall_say(worker, round, epoch);
        if (over && stuck)
            report(stuck);
        if (run_pause(worker->run, worker))
            return false;
    } while (round);
    worker->watch = false;
    worker->patience = worker->patience < PATIENCE_MOST ? 2 * worker->patience : PATIENCE_MOST;
    for (uint32_t k = 0; k < worker->nblocks; k++)
        for (uint32_t i = 0; i < worker->blocks[k].nwarps; i++)
            worker->blocks[k].warps[i].watched = 0;
    return true;
}

/* Divergence, calls and barriers: which lanes of a warp run where. Rules: docs/design.md, "engines". */
#include "engine/interp/interp.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static uint32_t count_lanes(uint32_t lanes)
{
    return lanes == ALL_LANES ? LANES : (uint32_t)__builtin_popcount(lanes);
}

static uint32_t lanes_at(const struct warp *warp, uint32_t lanes, uint32_t point)
{
    uint32_t found = 0;
    for (unsigned l = 0; l < LANES; l++)
        found |= (uint32_t)(warp->at[l] == point) << l;
    return found & lanes;
}

/* Lanes that wait at one point have no entries in `at` until a second point comes up. */
static void spread(struct warp *warp)
{
    if (!warp->single)
        return;
    for (unsigned l = 0; l < LANES; l++)
        warp->at[l] = warp->lowest;
    warp->single = false;
}

void warp_find_lowest(struct warp *warp)
{
    spread(warp);
    uint32_t lanes = warp->waiting & ~warp->blocked;
    warp->lowest = NO_POINT;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t at = warp->at[__builtin_ctz(lanes)];
        if (at < warp->lowest)
            warp->lowest = at;
    }
}

/* Makes the lanes waiting at `point` run, together with those that run already. */
static const struct step *take_group(struct warp *warp, uint32_t point)
{
    assert(point < warp->func->npoints);
    if (warp->single) {
        if (point == warp->lowest) {
            warp->frame.exec |= warp->waiting;
            warp->waiting = 0;
            warp->lowest = NO_POINT;
            warp->single = false;
        }
        return warp->func->points[point];
    }
    uint32_t group = lanes_at(warp, warp->waiting & ~warp->blocked, point);
    warp->frame.exec |= group;
    warp->waiting &= ~group;
    warp_find_lowest(warp);
    return warp->func->points[point];
}

static void park(struct warp *warp, uint32_t lanes, uint32_t point, bool blocked)
{
    assert(point < warp->func->npoints && !(lanes & warp->waiting));
    if (!blocked && lanes && (warp->waiting == 0 || (warp->single && point == warp->lowest))) {
        warp->single = true;
        warp->lowest = point;
        warp->frame.exec &= ~lanes;
        warp->waiting |= lanes;
        return;
    }
    spread(warp);
    for (unsigned l = 0; l < LANES; l++)
        warp->at[l] = lanes >> l & 1 ? point : warp->at[l];
    warp->frame.exec &= ~lanes;
    warp->waiting |= lanes;
    if (blocked)
        warp->blocked |= lanes;
    else if (lanes && point < warp->lowest)
        warp->lowest = point;
}

/* The waiting point after `point`, in a cycle: whose turn it is when fairness sets in. */
static uint32_t next_point(struct warp *warp, uint32_t point)
{
    uint32_t best = NO_POINT;
    spread(warp);
    for (uint32_t lanes = warp->waiting & ~warp->blocked; lanes; lanes &= lanes - 1) {
        uint32_t at = warp->at[__builtin_ctz(lanes)];
        if (at > point && at < best)
            best = at;
    }
    return best != NO_POINT ? best : warp->lowest;
}

const struct step *warp_goto(struct warp *warp, uint32_t point)
{
    const struct step *step = take_group(warp, point);
    if (warp->lowest == NO_POINT)
        return step;
    if (warp->hold) {
        warp->hold--;
        return step;
    }
    if (--warp->fair < 0) {
        uint32_t next = next_point(warp, point);
        warp->fair = FAIR_TURNS;
        warp->hold = FAIR_TURNS;
        park(warp, warp->frame.exec, point, false);
        return take_group(warp, next);
    }
    if (point <= warp->lowest)
        return step;
    park(warp, warp->frame.exec, point, false);
    return take_group(warp, warp->lowest);
}

const struct step *warp_split(struct warp *warp, uint32_t taken, uint32_t point, uint32_t other)
{
    if (warp->stacked)
        return stack_split(warp, taken, point, other);
    uint32_t stay = warp->frame.exec & ~taken;
    warp->divergent++;
    if (point < other) {
        park(warp, stay, other, false);
        return warp_goto(warp, point);
    }
    park(warp, taken, point, false);
    return warp_goto(warp, other);
}

void warp_leave(struct warp *warp, uint32_t lanes, uint32_t point)
{
    park(warp, lanes, point, false);
}

const struct step *warp_park(struct warp *warp, uint32_t point, bool blocked)
{
    park(warp, warp->frame.exec, point, blocked);
    return warp_next(warp);
}

/* ---- frames and calls ------------------------------------------------------------------------------------- */

static void zero_registers(unsigned char *frame, const struct func *func)
{
    for (uint32_t i = 0; i < func->nzero; i++)
        memset(frame + func->zero_at[2 * i], 0, func->zero_at[2 * i + 1]);
}

static unsigned char *frame_make(const struct func *func)
{
    unsigned char *frame = aligned_alloc(64, (func->frame_bytes + 63) & ~(size_t)63);
    if (!frame)
        return NULL;
    memset(frame, 0, func->frame_bytes);
    if (func->constants_bytes)
        memcpy(frame + func->constants_at, func->constants, func->constants_bytes);
    return frame;
}

/* Constants are written once: nothing changes them, and a frame that comes back is used for the same function. */
unsigned char *worker_frame(struct worker *worker, const struct func *func)
{
    size_t index = (size_t)(func - worker->run->program->funcs);
    unsigned char *frame = worker->free_frames[index];
    if (frame)
        memcpy(&worker->free_frames[index], frame, sizeof(void *));
    else
        frame = frame_make(func);
    if (frame)
        zero_registers(frame, func);
    return frame;
}

/* Invariants are pure or loads of parameters: all lanes may run them, none can trap. */
static void run_once(struct warp *warp)
{
    uint32_t exec = warp->frame.exec;
    warp->frame.exec = ALL_LANES;
    for (uint32_t i = 0; i < warp->func->nonce; i++) {
        const struct step *step = &warp->func->once[i];
        if (step->go)
            step->go(warp, step);
        else
            step->run[0](&warp->frame, step);
    }
    warp->frame.exec = exec;
}

bool warp_frame(struct warp *warp)
{
    if (warp->kernel_regs) {
        warp->frame.regs = warp->kernel_regs;
    } else {
        warp->frame.regs = warp->kernel_regs = frame_make(warp->func);
        if (!warp->frame.regs)
            return false;
        run_once(warp);
    }
    zero_registers(warp->frame.regs, warp->func);
    return true;
}

void worker_unframe(struct worker *worker, const struct func *func, unsigned char *frame)
{
    size_t index = (size_t)(func - worker->run->program->funcs);
    memcpy(frame, &worker->free_frames[index], sizeof(void *));
    worker->free_frames[index] = frame;
}

static bool stack_reserve(struct warp *warp)
{
    if (warp->depth < warp->stack_room)
        return true;
    uint32_t room = warp->stack_room ? warp->stack_room * 2 : 8;
    struct activation *stack = realloc(warp->stack, room * sizeof *stack);
    if (!stack)
        return false;
    warp->stack = stack;
    warp->stack_room = room;
    return true;
}

static void copy_slots(struct warp *warp, uint32_t lanes, uint32_t to_base, const struct lane_slot *to,
                       uint32_t from_base, const struct lane_slot *from, uint32_t count)
{
    for (; lanes; lanes &= lanes - 1) {
        unsigned char *local = warp->locals + (size_t)__builtin_ctz(lanes) * warp->block->local_stride;
        for (uint32_t i = 0; i < count; i++)
            memcpy(local + to_base + to[i].local, local + from_base + from[i].local, from[i].size);
    }
}

static bool signature_fits(const struct lane_call *call, const struct lane_func *callee)
{
    if (call->nargs != callee->nparams || call->nresults != callee->nresults)
        return false;
    for (uint32_t i = 0; i < call->nargs; i++)
        if (call->args[i].size != callee->params[i].size)
            return false;
    for (uint32_t i = 0; i < call->nresults; i++)
        if (call->results[i].size != callee->results[i].size)
            return false;
    return true;
}

static const struct step *call_refused(struct warp *warp, const struct step *step, uint32_t lanes,
                                       const struct func *callee, uint32_t local)
{
    const struct lane_call *call = step->info->call;
    if (!callee->ready || !signature_fits(call, callee->lane))
        return warp_trap(warp, step, lanes, "bad-call", 0, NULL, "the function called does not have this signature");
    if (warp->depth >= CALL_DEPTH)
        return warp_trap(warp, step, lanes, "call-depth", 0, NULL, "calls are nested more than %d deep", CALL_DEPTH);
    if ((uint64_t)local + callee->lane->local_bytes > warp->block->local_stride)
        return warp_trap(warp, step, lanes, "stack-overflow", 0, NULL, "local memory is used up: %u bytes a thread",
                         warp->block->local_stride);
    run_stop(warp->worker->run, ATOLL_MEMORY, "out of memory in a call");
    return NULL;
}

const struct step *warp_call(struct warp *warp, const struct step *step, uint32_t lanes, uint32_t function)
{
    const struct func *callee = &warp->worker->run->program->funcs[function];
    const struct lane_call *call = step->info->call;
    uint32_t local = (warp->local + warp->func->lane->local_bytes + 15) & ~UINT32_C(15);
    unsigned char *regs = NULL;
    if (!callee->ready || !signature_fits(call, callee->lane) || warp->depth >= CALL_DEPTH ||
        (uint64_t)local + callee->lane->local_bytes > warp->block->local_stride || !stack_reserve(warp) ||
        !(regs = worker_frame(warp->worker, callee)))
        return call_refused(warp, step, lanes, callee, local);
    if (warp->frame.exec != lanes)
        park(warp, warp->frame.exec & ~lanes, step->info->after, false);
    spread(warp);
    struct activation *caller = &warp->stack[warp->depth++];
    *caller = (struct activation){.func = warp->func,
                                  .regs = warp->frame.regs,
                                  .local = warp->local,
                                  .waiting = warp->waiting,
                                  .blocked = warp->blocked,
                                  .lowest = warp->lowest,
                                  .back = step + 1,
                                  .call = call};
    memcpy(caller->at, warp->at, sizeof warp->at);
    copy_slots(warp, lanes, local, callee->lane->params, warp->local, call->args, call->nargs);
    warp->func = callee;
    warp->frame.regs = regs;
    warp->local = local;
    warp->waiting = warp->blocked = 0;
    warp->lowest = NO_POINT;
    return callee->steps;
}

const struct step *warp_return(struct warp *warp, uint32_t lanes)
{
    if (warp->depth == 0)
        return warp_exit(warp, lanes);
    struct activation *caller = &warp->stack[warp->depth - 1];
    copy_slots(warp, lanes, caller->local, caller->call->results, warp->local, warp->func->lane->results,
               caller->call->nresults);
    caller->returned |= lanes;
    warp->frame.exec &= ~lanes;
    return warp->frame.exec ? NULL : warp_next(warp);
}

/* Leaves the innermost function: all its lanes have returned or exited. */
static const struct step *pop(struct warp *warp)
{
    struct activation *caller = &warp->stack[--warp->depth];
    worker_unframe(warp->worker, warp->func, warp->frame.regs);
    warp->func = caller->func;
    warp->frame.regs = caller->regs;
    warp->local = caller->local;
    warp->waiting = caller->waiting;
    warp->blocked = caller->blocked;
    warp->lowest = caller->lowest;
    memcpy(warp->at, caller->at, sizeof warp->at);
    warp->single = false;
    warp->frame.exec = caller->returned & warp->live;
    return caller->back;
}

const struct step *warp_next(struct warp *warp)
{
    if (warp->stacked)
        return stack_next(warp);
    for (;;) {
        if (warp->lowest != NO_POINT)
            return take_group(warp, warp->lowest);
        if (warp->arrived & warp->waiting) {
            /* Nobody else can come to the warp-level rendezvous: those who are there go on (named choice). */
            uint32_t lanes = warp->arrived & warp->waiting;
            warp->blocked &= ~lanes;
            warp->arrived = 0;
            warp_find_lowest(warp);
            continue;
        }
        if (warp->waiting) {
            warp->pc = NULL;
            warp->state = WARP_BLOCKED;
            return NULL;
        }
        if (warp->depth == 0) {
            warp->state = WARP_DONE;
            return NULL;
        }
        const struct step *back = pop(warp);
        if (warp->frame.exec)
            return back;
    }
}

bool warp_gather(struct warp *warp, const struct step *step, uint32_t members, const struct step **next)
{
    uint32_t before = step->info->before;
    spread(warp);
    uint32_t here = lanes_at(warp, warp->arrived & warp->waiting, before);
    if (here) {
        warp->waiting &= ~here;
        warp->blocked &= ~here;
        warp->arrived &= ~here;
        warp->frame.exec |= here;
    }
    uint32_t missing = members & warp->live & ~warp->frame.exec;
    if (!(missing & warp->waiting & ~warp->blocked))
        return true;
    warp->arrived |= warp->frame.exec;
    *next = warp_park(warp, before, true);
    return false;
}

/* ---- barriers ------------------------------------------------------------------------------------------------ */

static void release(struct block *block, uint32_t id)
{
    struct barrier *barrier = &block->barriers[id];
    block->barriers_done++;
    block->phases--;
    barrier->result_count = barrier->count;
    barrier->result_all = barrier->all;
    barrier->result_any = barrier->any;
    barrier->arrived = barrier->count = 0;
    barrier->busy = false;
    for (uint32_t w = 0; w < block->nwarps; w++) {
        struct warp *warp = &block->warps[w];
        uint32_t lanes = warp->barrier_lanes[id];
        if (!lanes)
            continue;
        warp->barrier_lanes[id] = 0;
        if (warp->state == WARP_BLOCKED)
            warp->state = WARP_READY;
        if (warp->blocked & lanes) {
            warp->blocked &= ~lanes;
            warp_find_lowest(warp);
        }
    }
}

static bool complete(const struct block *block, const struct barrier *barrier)
{
    return barrier->busy && barrier->arrived >= (barrier->expected ? barrier->expected : block->live);
}

const struct step *warp_exit(struct warp *warp, uint32_t lanes)
{
    struct block *block = warp->block;
    warp->live &= ~lanes;
    warp->frame.exec &= ~lanes;
    block->live -= count_lanes(lanes);
    for (uint32_t id = 0; block->phases && id < BARRIERS; id++)
        if (complete(block, &block->barriers[id]) && !block->barriers[id].expected)
            release(block, id);
    return warp->frame.exec ? NULL : warp_next(warp);
}

static uint32_t operand_u32(const struct warp *warp, uint32_t offset, uint32_t lanes)
{
    uint32_t value;
    memcpy(&value, warp->frame.regs + offset + 4 * (size_t)__builtin_ctz(lanes), sizeof value);
    return value;
}

static void reduce(struct barrier *barrier, const struct warp *warp, uint32_t offset, uint32_t lanes)
{
    uint32_t bits;
    memcpy(&bits, warp->frame.regs + offset, sizeof bits);
    bits &= lanes;
    barrier->count += (uint32_t)__builtin_popcount(bits);
    barrier->all &= bits == lanes;
    barrier->any |= bits != 0;
}

/* a: number, b: thread count, c: predicate of a reduction. By the stack policy the warp arrives as a whole, whichever
 * of its lanes run: the others could not come while it waits (PTX ISA, bar: so it is before sm_70). */
const struct step *warp_barrier(struct warp *warp, const struct step *step, uint32_t lanes)
{
    const struct lane_inst *inst = step->info->inst;
    bool reduction = inst->op == LANE_OP_barred;
    bool wait = reduction || inst->mode == 0;
    struct block *block = warp->block;
    uint32_t id = operand_u32(warp, step->a, lanes), count = operand_u32(warp, step->b, lanes);
    if (id >= BARRIERS)
        return warp_trap(warp, step, lanes, "bad-barrier", id, NULL, "barrier %u does not exist (0 to 15)", id);
    if (count % LANES || count > 1024 + LANES)
        return warp_trap(warp, step, lanes, "bad-barrier", id, NULL,
                         "barrier thread count %u is not a multiple of the warp size", count);
    struct barrier *barrier = &block->barriers[id];
    if (!barrier->busy)
        barrier_begin(block, barrier, count);
    if (barrier->expected != count)
        return warp_trap(warp, step, lanes, "bad-barrier", id, NULL,
                         "barrier %u is in use with thread count %u, not %u", id, barrier->expected, count);
    uint32_t coming = warp->stacked ? warp->live : lanes;
    barrier->arrived += count && coming == warp->live ? LANES : count_lanes(coming);
    if (reduction)
        reduce(barrier, warp, step->c, lanes);
    bool done = complete(block, barrier);
    if (!wait || (done && (warp->stacked || lanes == warp->frame.exec))) {
        if (done)
            release(block, id);
        return step + 1;
    }
    warp->barrier_lanes[id] |= lanes;
    if (coming == warp->live && !warp->waiting) {
        warp->pc = step + 1;
        warp->state = WARP_BLOCKED;
        return NULL;
    }
    park(warp, lanes, step->info->after, true);
    if (done)
        release(block, id);
    return warp->frame.exec ? step + 1 : warp_next(warp);
}

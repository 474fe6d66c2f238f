/* Register frames, calls, and the activations of a warp: functions that some of its lanes execute.
 *
 * Lanes that call get an activation of their own; the others stay in the caller's. So activations form a tree:
 *
 *   kernel      lanes 4-7 wait at b3
 *   +- lock()   lanes 0-1 spin      lanes that return are parked in the caller, after the call
 *   +- f()      lanes 2-3 wait at a barrier
 *
 * Lanes that are in a function by the same calls share its activation, wherever in it they are. The one whose lanes run
 * has its state in the warp. When it is over its caller goes on: lanes that called together so
 * meet after the call. But lanes elsewhere that can run do so, too: when no lane here can, and, so that nobody
 * starves, when the warp has used its turns up.
 */
#include "base/hard.h"
#include "engine/plan/reach.h"
#include "engine/run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- frames ----------------------------------------------------------------------------------------------- */

static void zero_registers(unsigned char *frame, const struct func *func)
{
    for (uint32_t i = 0; i < func->nzero; i++) {
        assert(func->zero_at[2 * i] + func->zero_at[2 * i + 1] <= func->constants_at);
        memset(frame + func->zero_at[2 * i], 0, func->zero_at[2 * i + 1]);
    }
}

/* The same for some lanes: the others have theirs. */
static void zero_lanes(unsigned char *frame, const struct func *func, uint32_t lanes)
{
    for (uint32_t i = 0; i < func->nzero; i++) {
        unsigned char *row = frame + func->zero_at[2 * i];
        uint32_t bytes = func->zero_at[2 * i + 1], bits;
        if (bytes == sizeof bits) { /* predicates */
            memcpy(&bits, row, sizeof bits);
            bits &= ~lanes;
            memcpy(row, &bits, sizeof bits);
            continue;
        }
        for (uint32_t left = lanes; left; left &= left - 1)
            memset(row + (size_t)__builtin_ctz(left) * (bytes / LANES), 0, bytes / LANES);
    }
}

static unsigned char *frame_make(const struct func *func)
{
    unsigned char *frame = aligned_alloc(64, (func->frame_bytes + 63) & ~(size_t)63);
    if (!frame)
        return NULL;
    assert(func->constants_at + func->constants_bytes == func->frame_bytes);
    memset(frame, 0, func->frame_bytes);
    if (func->constants_bytes)
        memcpy(frame + func->constants_at, func->constants, func->constants_bytes);
    return frame;
}

/* Constants are written once: nothing changes them, and a frame that comes back is used for the same function. */
unsigned char *worker_frame(struct worker *worker, const struct func *func)
{
    size_t index = (size_t)(func - worker->run->program->funcs);
    assert(func->ready && index < worker->run->program->module->nfuncs);
    unsigned char *frame = worker->free_frames[index];
    if (frame)
        memcpy(&worker->free_frames[index], frame, sizeof(void *));
    else
        frame = frame_make(func);
    if (frame)
        zero_registers(frame, func);
    return frame;
}

bool warp_frame(struct warp *warp)
{
    if (warp->kernel_regs) {
        warp->frame.regs = warp->kernel_regs;
    } else {
        warp->frame.regs = warp->kernel_regs = frame_make(warp->func);
        if (!warp->frame.regs)
            return false;
        warp->worker->run->program->executor->begin(warp);
    }
    zero_registers(warp->frame.regs, warp->func);
    return true;
}

void worker_unframe(struct worker *worker, const struct func *func, unsigned char *frame)
{
    size_t index = (size_t)(func - worker->run->program->funcs);
    assert(frame && index < worker->run->program->module->nfuncs);
    memcpy(frame, &worker->free_frames[index], sizeof(void *));
    worker->free_frames[index] = frame;
}

/* ---- activations ------------------------------------------------------------------------------------------ */

/* Number 0 is the kernel's. Freed ones form a list through `caller`. */
static bool activation_new(struct warp *warp, uint32_t *number)
{
    if (warp->free_activation) {
        *number = warp->free_activation;
        warp->free_activation = warp->activations[*number].caller;
        return true;
    }
    if (warp->last_activation + 1 >= warp->activation_room) {
        uint32_t room = warp->activation_room ? warp->activation_room * 2 : HARD(8, 2); /* the kernel's is one */
        struct activation *grown = realloc(warp->activations, room * sizeof *grown);
        if (!grown)
            return false;
        if (!warp->activations)
            grown[0] = (struct activation){0};
        warp->activations = grown;
        warp->activation_room = room;
    }
    *number = ++warp->last_activation;
    return true;
}

static void leave_activation(struct warp *warp)
{
    struct activation *a = &warp->activations[warp->here];
    a->func = warp->func;
    a->regs = warp->frame.regs;
    a->local = warp->local;
    a->waiting = warp->waiting;
    a->blocked = warp->blocked;
    a->lowest = warp->lowest;
    a->single = warp->single;
    if (a->waiting && !a->single)
        memcpy(a->at, warp->at, sizeof a->at);
}

static void enter_activation(struct warp *warp, uint32_t number)
{
    const struct activation *a = &warp->activations[number];
    assert(number <= warp->last_activation && a->func && !warp->frame.exec);
    warp->here = number;
    warp->func = a->func;
    warp->frame.regs = a->regs;
    warp->local = a->local;
    warp->waiting = a->waiting;
    warp->blocked = a->blocked;
    warp->lowest = a->waiting ? a->lowest : NO_POINT;
    warp->single = a->waiting && a->single;
    if (!a->waiting || a->single)
        return;
    memcpy(warp->at, a->at, sizeof warp->at);
    warp_find_lowest(warp); /* lanes may have been unblocked meanwhile */
}

/* Of another activation than the one that runs. */
static uint32_t able_lanes(const struct warp *warp, uint32_t number)
{
    const struct activation *a = &warp->activations[number];
    return number != warp->here && a->func ? a->waiting & ~a->blocked : 0;
}

uint32_t calls_able(const struct warp *warp)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; warp->ncalls && i <= warp->last_activation; i++)
        lanes |= able_lanes(warp, i);
    return lanes;
}

void calls_unblock(struct warp *warp, uint32_t lanes)
{
    for (uint32_t i = 0; warp->ncalls && i <= warp->last_activation; i++)
        if (i != warp->here)
            warp->activations[i].blocked &= ~lanes;
}

/* The next activation after this one, in a cycle, that has lanes which can run. The running lanes are parked. */
bool calls_next(struct warp *warp)
{
    for (uint32_t k = 1; warp->ncalls && k <= warp->last_activation; k++) {
        uint32_t number = (warp->here + k) % (warp->last_activation + 1);
        if (!able_lanes(warp, number))
            continue;
        leave_activation(warp);
        enter_activation(warp, number);
        return true;
    }
    return false;
}

/* Has the innermost function no lanes any more? Then its caller's are here. */
bool calls_over(struct warp *warp)
{
    struct activation *a = warp->here ? &warp->activations[warp->here] : NULL;
    if (!a || warp->waiting || a->callees)
        return false;
    uint32_t caller = a->caller, over = warp->here;
    assert(a->func == warp->func && warp->ncalls && warp->activations[caller].callees && !warp->frame.exec);
    worker_unframe(warp->worker, a->func, a->regs);
    a->func = NULL;
    a->caller = warp->free_activation;
    warp->free_activation = over;
    warp->ncalls--;
    warp->activations[caller].callees--;
    enter_activation(warp, caller);
    return true;
}

const struct decoded *warp_stands(const struct warp *warp, uint32_t lanes)
{
    unsigned lane = (unsigned)__builtin_ctz(lanes);
    if (warp->pc)
        return warp_at(warp) - 1;
    for (uint32_t i = 0; warp->ncalls && i <= warp->last_activation; i++) {
        const struct activation *a = &warp->activations[i];
        if (i != warp->here && a->func && a->waiting >> lane & 1)
            return func_decoded(a->func, a->single ? a->lowest : a->at[lane]) - 1;
    }
    return func_decoded(warp->func, warp->single ? warp->lowest : warp->at[lane]) - 1;
}

void calls_begin(struct warp *warp)
{
    warp->here = warp->ncalls = warp->last_activation = warp->free_activation = 0;
    if (warp->activations)
        warp->activations[0].callees = 0;
}

/* A launch may have been stopped inside of calls. */
void calls_free(struct warp *warp)
{
    for (uint32_t i = 1; warp->ncalls && i <= warp->last_activation; i++)
        if (warp->activations[i].func)
            worker_unframe(warp->worker, warp->activations[i].func, warp->activations[i].regs);
    free(warp->activations);
}

/* ---- calls ------------------------------------------------------------------------------------------------ */

static uint32_t depth(const struct warp *warp)
{
    return warp->here ? warp->activations[warp->here].depth : 0;
}

/* Sizes that the compiler knows take no call. */
static inline void copy_slot(unsigned char *to, const unsigned char *from, uint32_t size)
{
    if (size == 4)
        memcpy(to, from, 4);
    else if (size == 8)
        memcpy(to, from, 8);
    else
        memcpy(to, from, size);
}

static void copy_slots(struct warp *warp, uint32_t lanes, uint32_t to_base, const struct lane_slot *to,
                       uint32_t from_base, const struct lane_slot *from, uint32_t count)
{
    for (; lanes; lanes &= lanes - 1) {
        unsigned char *local = warp->locals + (size_t)__builtin_ctz(lanes) * warp->block->local_stride;
        for (uint32_t i = 0; i < count; i++) {
            assert(to[i].size == from[i].size);
            assert((uint64_t)to_base + to[i].local + to[i].size <= warp->block->local_bytes);
            assert((uint64_t)from_base + from[i].local + from[i].size <= warp->block->local_bytes);
            copy_slot(local + to_base + to[i].local, local + from_base + from[i].local, from[i].size);
        }
    }
}

static const struct step *call_refused(struct warp *warp, const struct decoded *at, uint32_t lanes,
                                       const struct func *callee, uint32_t local)
{
    const struct lane_call *call = at->call;
    if (!callee->ready || !reach_fits(call, callee->lane))
        return warp_trap(warp, at, lanes, "bad-call", 0, NULL, "the function called does not have this signature");
    if (depth(warp) >= CALL_DEPTH)
        return warp_trap(warp, at, lanes, "call-depth", 0, NULL, "calls are nested more than %d deep", CALL_DEPTH);
    if ((uint64_t)local + callee->lane->local_bytes > warp->block->local_bytes)
        return warp_trap(warp, at, lanes, "stack-overflow", 0, NULL, "local memory is used up: %u bytes a thread",
                         warp->block->local_bytes);
    run_stop(warp->worker->run, ATOLL_MEMORY, "out of memory in a call");
    return NULL;
}

/* The activation of lanes that are in this function by the same calls; 0: there is none. */
static uint32_t activation_shared(const struct warp *warp, const struct lane_call *call, const struct func *callee)
{
    if (!warp->ncalls || !warp->activations[warp->here].callees || warp->stacked || warp->lockstep)
        return 0;
    for (uint32_t i = 1; i <= warp->last_activation; i++) {
        const struct activation *a = &warp->activations[i];
        if (a->func == callee && a->caller == warp->here && a->call == call)
            return i;
    }
    return 0;
}

/* Some lanes call, or return, and others do not: as a branch that parts, which it is where the call is a part of the
 * kernel's code. */
static void count_parting(struct warp *warp, uint32_t lanes)
{
    warp->divergent += lanes != warp->frame.exec;
}

/* Lanes join those that are in the callee: there they meet at shuffles and votes. */
static const struct step *join(struct warp *warp, const struct decoded *at, uint32_t lanes, uint32_t number)
{
    const struct activation *a = &warp->activations[number];
    const struct func *callee = a->func;
    uint32_t local = a->local;
    if (warp->frame.exec != lanes)
        warp_leave(warp, warp->frame.exec & ~lanes, at->after);
    copy_slots(warp, lanes, local, callee->lane->params, warp->local, at->call->args, at->call->nargs);
    if (warp->worker->run->checking)
        checked_call(warp, lanes, number, at->call, callee, warp->local, local, CHECKED_JOINS);
    leave_activation(warp);
    warp->frame.exec = 0;
    enter_activation(warp, number);
    warp->frame.exec = lanes;
    zero_lanes(warp->frame.regs, callee, lanes);
    return func_point(callee, 0);
}

/* The callee's activation, entered. */
static void begin(struct warp *warp, const struct decoded *at, const struct func *callee, unsigned char *regs,
                  uint32_t number, uint32_t local)
{
    uint32_t caller = warp->here, running = warp->frame.exec;
    assert(number != caller && number <= warp->last_activation && number < warp->activation_room);
    leave_activation(warp);
    warp->activations[number] = (struct activation){.func = callee,
                                                    .regs = regs,
                                                    .local = local,
                                                    .call = at->call,
                                                    .caller = caller,
                                                    .back = at->after,
                                                    .depth = depth(warp) + 1};
    warp->activations[caller].callees++;
    warp->ncalls++;
    warp->frame.exec = 0;
    enter_activation(warp, number);
    warp->frame.exec = running;
}

const struct step *warp_call(struct warp *warp, const struct decoded *at, uint32_t lanes, uint32_t function)
{
    const struct func *callee = &warp->worker->run->program->funcs[function];
    const struct lane_call *call = at->call;
    uint32_t local = inlined_behind(warp->local + warp->func->lane->local_bytes), number;
    uint32_t shared = activation_shared(warp, call, callee);
    unsigned char *regs = NULL;
    count_parting(warp, lanes);
    if (shared)
        return join(warp, at, lanes, shared);
    if (!callee->ready || !reach_fits(call, callee->lane) || depth(warp) >= CALL_DEPTH ||
        (uint64_t)local + callee->lane->local_bytes > warp->block->local_bytes ||
        !(regs = worker_frame(warp->worker, callee)))
        return call_refused(warp, at, lanes, callee, local);
    if (!activation_new(warp, &number)) {
        worker_unframe(warp->worker, callee, regs);
        return call_refused(warp, at, lanes, callee, local);
    }
    if (warp->frame.exec != lanes)
        warp_leave(warp, warp->frame.exec & ~lanes, at->after);
    copy_slots(warp, lanes, local, callee->lane->params, warp->local, call->args, call->nargs);
    if (warp->worker->run->checking)
        checked_call(warp, lanes, number, call, callee, warp->local, local, CHECKED_CALLS);
    begin(warp, at, callee, regs, number, local);
    return func_point(callee, 0);
}

/* Lanes that come back are parked in the caller; mostly they are the only ones, or join others that came back. */
static void come_back(struct activation *caller, uint32_t lanes, uint32_t point)
{
    assert(point < caller->func->npoints && !(caller->waiting & lanes));
    if (!caller->waiting || (caller->single && caller->lowest == point)) {
        caller->single = true;
        caller->lowest = point;
        caller->waiting |= lanes;
        return;
    }
    for (unsigned l = 0; l < LANES; l++) {
        caller->at[l] = caller->single ? caller->lowest : caller->at[l];
        caller->at[l] = lanes >> l & 1 ? point : caller->at[l];
    }
    caller->single = false;
    caller->waiting |= lanes;
}

const struct step *warp_return(struct warp *warp, uint32_t lanes)
{
    if (warp->here == 0)
        return warp_exit(warp, lanes);
    const struct activation *a = &warp->activations[warp->here];
    struct activation *caller = &warp->activations[a->caller];
    assert(a->func == warp->func || !a->waiting);
    assert(caller->func && caller->callees && warp->ncalls);
    copy_slots(warp, lanes, caller->local, a->call->results, warp->local, warp->func->lane->results, a->call->nresults);
    if (warp->worker->run->checking)
        checked_call(warp, lanes, warp->here, a->call, warp->func, caller->local, warp->local, CHECKED_RETURNS);
    come_back(caller, lanes, a->back);
    count_parting(warp, lanes);
    warp->frame.exec &= ~lanes;
    return warp->frame.exec ? NULL : warp_next(warp);
}

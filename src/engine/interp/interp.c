/* The run loop and everything that is neither memory, nor a pure kernel, nor between lanes (meet.c): masked and guarded
 * execution, flow. Compiled once per instruction set of the host. */
#include "engine/interp/interp.h"
#include "engine/interp/set.h"
#include "engine/meaning/kernels.h"
#include "engine/warp/trace.h"

#include <assert.h>
#include <string.h>

/* ---- pure operations under a mask ----------------------------------------------------------------------------- */

#define BLEND(name, T)                                                                   \
    static inline void name(void *restrict to, const void *restrict old, uint32_t lanes) \
    {                                                                                    \
        T *d = __builtin_assume_aligned(to, 64);                                         \
        const T *o = __builtin_assume_aligned(old, 64);                                  \
        LANE_LOOP(LANES)                                                                 \
        d[l] = lanes >> l & 1 ? d[l] : o[l];                                             \
    }
BLEND(blend8, uint8_t)
BLEND(blend16, uint16_t)
BLEND(blend32, uint32_t)
BLEND(blend64, uint64_t)

static void blend128(uint64_t *to, const uint64_t *old, uint32_t lanes)
{
    for (unsigned l = 0; l < LANES; l++)
        if (!(lanes >> l & 1)) {
            to[2 * l] = old[2 * l];
            to[2 * l + 1] = old[2 * l + 1];
        }
}

static void blend(unsigned char *to, const unsigned char *old, unsigned bits, uint32_t lanes)
{
    uint32_t now, was;
    switch (bits) {
    case 1:
        memcpy(&now, to, 4);
        memcpy(&was, old, 4);
        now = (now & lanes) | (was & ~lanes);
        memcpy(to, &now, 4);
        break;
    case 8:
        blend8(to, old, lanes);
        break;
    case 16:
        blend16(to, old, lanes);
        break;
    case 32:
        blend32(to, old, lanes);
        break;
    case 64:
        blend64(to, old, lanes);
        break;
    default:
        blend128((uint64_t *)(void *)to, (const uint64_t *)(const void *)old, lanes);
    }
}

enum { SAVE_BYTES = 16 * LANES, SAVES = 8 };

/* Runs the kernel for all lanes, then gives the lanes that do not run their old values back. */
static void run_some(struct frame *f, const struct step *s, uint32_t lanes)
{
    _Alignas(64) unsigned char old[SAVES][SAVE_BYTES];
    const struct decoded *info = s->info;
    assert(info->ndst <= SAVES);
    for (unsigned k = 0; k < info->ndst; k++)
        if (info->bits[k])
            memcpy(old[k], f->regs + info->offsets[k], info->bits[k] == 1 ? 4 : info->bits[k] * (LANES / 8u));
    s->kernel(f, &s->at);
    for (unsigned k = 0; k < info->ndst; k++)
        if (info->bits[k])
            blend(f->regs + info->offsets[k], old[k], info->bits[k], lanes);
}

static void run_masked(struct frame *f, const struct kernel_operands *at)
{
    run_some(f, step_of(at), f->exec);
}

/* The same for one result of the commonest widths. */
#define RUN_MASKED(width)                                                            \
    static void run_masked##width(struct frame *f, const struct kernel_operands *at) \
    {                                                                                \
        _Alignas(64) unsigned char old[(width) / 8 * LANES];                         \
        memcpy(old, f->regs + at->d, sizeof old);                                    \
        step_of(at)->kernel(f, at);                                                  \
        blend##width(f->regs + at->d, old, f->exec);                                 \
    }
RUN_MASKED(32)
RUN_MASKED(64)

static void run_masked_pred(struct frame *f, const struct kernel_operands *at)
{
    uint32_t *d = (void *)(f->regs + at->d), old = *d;
    step_of(at)->kernel(f, at);
    *d = (*d & f->exec) | (old & ~f->exec);
}

static void run_guarded(struct frame *f, const struct kernel_operands *at)
{
    const struct step *s = step_of(at);
    uint32_t lanes = step_lanes(step_warp(f), s);
    if (lanes == ALL_LANES)
        s->kernel(f, at);
    else if (lanes)
        run_some(f, s, lanes);
}

/* Lanes that do not run count like the others; of packed warps those that have lanes that run. */
static void run_guarded_whole(struct frame *f, const struct kernel_operands *at)
{
    uint32_t exec = f->exec;
    f->exec = func_whole(step_warp(f)->func, exec);
    run_guarded(f, at);
    f->exec = exec;
}

/* Of packed warps, some of whose lanes do not run. */
static void run_whole(struct frame *f, const struct kernel_operands *at)
{
    uint32_t lanes = func_whole(step_warp(f)->func, f->exec);
    if ((lanes | step_warp(f)->spare) == ALL_LANES)
        step_of(at)->kernel(f, at);
    else
        run_some(f, step_of(at), lanes);
}

static const struct step *go_whole(struct warp *w, const struct step *s)
{
    uint32_t exec = w->frame.exec;
    w->frame.exec = func_whole(w->func, exec);
    const struct step *next = s->go_whole(w, s);
    w->frame.exec = exec;
    return next;
}

/* ---- flow ------------------------------------------------------------------------------------------------- */

static inline void account(struct warp *w, const struct step *s)
{
    assert(s->next <= w->func->npoints);
    w->instructions += s->count;
    w->lane_instructions += (uint64_t)s->count * (uint32_t)__builtin_popcount(w->frame.exec);
}

static inline const struct step *turn(struct warp *w, const struct step *to)
{
    if (__builtin_expect(--w->turns < 0, 0)) {
        w->pc = to;
        return NULL;
    }
    return to;
}

static __attribute__((noinline)) const struct step *advance_among(struct warp *w, uint32_t point)
{
    const struct step *to = warp_goto(w, point);
    return to ? turn(w, to) : NULL;
}

/* The running lanes go to `to`, which is point `point`. */
static inline const struct step *advance(struct warp *w, const struct step *to, uint32_t point)
{
    return w->waiting ? advance_among(w, point) : turn(w, to);
}

/* Where a branch goes: an entry of the function's points. */
static inline const struct step *target(const struct step *s)
{
    return __atomic_load_n((const struct step *const *)s->at.more, __ATOMIC_ACQUIRE);
}

static const struct step *go_bra(struct warp *w, const struct step *s)
{
    account(w, s);
    return advance(w, target(s), s->at.aux);
}

static const struct step *go_bra_if(struct warp *w, const struct step *s)
{
    account(w, s);
    uint32_t exec = w->frame.exec, taken = exec & guard_true(w, s->guard, s->guard_flip);
    if (taken == exec)
        return advance(w, target(s), s->at.aux);
    if (taken == 0)
        return advance(w, s + 1, s->next);
    w->turns--;
    return warp_split(w, taken, s->at.aux, s->next);
}

static const struct step *go_fall(struct warp *w, const struct step *s)
{
    account(w, s);
    return w->waiting ? warp_goto(w, s->at.aux) : s + 1;
}

/* Lanes that come to it again are counted then, and the block's instructions with the last of them. */
static const struct step *go_brx(struct warp *w, const struct step *s)
{
    uint32_t lanes = step_lanes(w, s), exec = w->frame.exec;
    if (!lanes) {
        account(w, s);
        return advance(w, s + 1, s->next);
    }
    const uint32_t *index = (const void *)(w->frame.regs + s->at.a);
    uint32_t value = index[__builtin_ctz(lanes)];
    const struct lane_table *table = &w->func->lane->tables[s->info->inst->aux];
    uint32_t same = lanes_like_first(index, lanes);
    bool last = same == lanes;
    w->instructions += last ? s->count : 0;
    w->lane_instructions += (uint64_t)s->count * (uint32_t)__builtin_popcount(last ? exec : same);
    if (value >= table->count)
        return warp_trap(w, s->info, same, "bad-branch", value, NULL, "branch index %u; the table has %u targets",
                         value, table->count);
    uint32_t point = w->func->point_of_block[table->blocks[value]];
    if (same == w->frame.exec)
        return advance(w, func_point(w->func, point), point);
    /* The others come back to this instruction: it is a point of its own. */
    return warp_split(w, same, point, same == lanes ? s->next : s->info->before);
}

/* With room for a token, or with one, the policy is the stack's (stack.c): the common cases of push and pop. */
static const struct step *go_push(struct warp *w, const struct step *s)
{
    if (s->guard == KERNEL_NONE && w->ntokens < w->token_room) {
        assert(w->stacked && s->at.aux < w->func->npoints);
        struct token *token = &w->tokens[w->ntokens++];
        token->lanes = w->frame.exec;
        token->point = s->at.aux;
        token->kind = s->at.b;
        return s + 1;
    }
    uint32_t lanes = step_lanes(w, s);
    return !lanes || warp_push(w, s->info, lanes) ? s + 1 : NULL;
}

static const struct step *go_pop(struct warp *w, const struct step *s)
{
    account(w, s);
    if (s->guard == KERNEL_NONE && w->ntokens) {
        const struct token *top = &w->tokens[w->ntokens - 1];
        if (top->kind == s->at.b && !(w->frame.exec & ~top->lanes)) {
            w->frame.exec = top->lanes & w->live;
            w->ntokens--;
            return turn(w, func_point(w->func, top->point));
        }
    }
    uint32_t lanes = step_lanes(w, s);
    const struct step *next = lanes ? warp_pop(w, s->info, lanes) : NULL;
    if (lanes && !next)
        return NULL;
    return lanes ? turn(w, next) : advance(w, s + 1, s->next);
}

static const struct step *go_ret(struct warp *w, const struct step *s)
{
    account(w, s);
    uint32_t lanes = step_lanes(w, s);
    const struct step *next = lanes ? warp_return(w, lanes) : NULL;
    return next || !w->frame.exec || w->state != WARP_READY ? next : advance(w, s + 1, s->next);
}

static const struct step *go_exit(struct warp *w, const struct step *s)
{
    account(w, s);
    uint32_t lanes = step_lanes(w, s);
    const struct step *next = lanes ? warp_exit(w, lanes) : NULL;
    return next || !w->frame.exec || w->state != WARP_READY ? next : advance(w, s + 1, s->next);
}

static const struct step *go_trap(struct warp *w, const struct step *s)
{
    uint32_t lanes = step_lanes(w, s);
    if (!lanes)
        return s + 1;
    return warp_trap(w, s->info, lanes, "trap", 0, NULL, "the kernel executed trap%s",
                     run_lacks_workspace(w->worker->run)
                         ? "; it looks for the workspace of a cooperative launch, and this launch is none"
                         : "");
}

static const struct step *go_unsupported(struct warp *w, const struct step *s)
{
    uint32_t lanes = step_lanes(w, s);
    if (!lanes)
        return s + 1;
    char place[PLACE_BYTES];
    warp_place(w, s->info, place);
    return run_stop(w->worker->run, ATOLL_UNSUPPORTED, "%s: %s", place, w->func->lane->strings[s->at.aux]);
}

static const struct step *go_fault(struct warp *w, const struct step *s)
{
    uint32_t lanes = step_lanes(w, s);
    return lanes ? warp_fault(w, s->info, lanes) : s + 1;
}

static const struct step *go_bar(struct warp *w, const struct step *s)
{
    uint32_t lanes = step_lanes(w, s);
    return lanes ? warp_barrier(w, s->info, lanes) : s + 1;
}

/* bar.sync of the whole block, at a constant number (aux), where the warp waits as one for others that have not come
 * yet: what warp_barrier does then. */
static const struct step *go_bar_sync(struct warp *w, const struct step *s)
{
    struct block *block = w->block;
    struct barrier *barrier = &block->barriers[s->at.aux];
    uint32_t lanes = w->frame.exec;
    if (!barrier->busy)
        barrier_begin(block, barrier, 0);
    struct warps arrived = barrier->arrived;
    warps_add(&arrived, w->number);
    if (lanes != w->live || w->waiting || barrier->expected || warps_within(&block->live_warps, &arrived))
        return warp_barrier(w, s->info, lanes);
    barrier->arrived = arrived;
    barrier->arrivals++;
    w->barrier_lanes[s->at.aux] |= lanes;
    w->pc = s + 1;
    w->state = WARP_BLOCKED;
    return NULL;
}

/* After a bar.red: what the finished reduction found. */
static const struct step *go_reduced(struct warp *w, const struct step *s)
{
    const struct decoded *info = s->info;
    uint32_t lanes = step_lanes(w, s), id;
    if (!lanes)
        return s + 1;
    memcpy(&id, w->frame.regs + s->at.a + 4 * (size_t)__builtin_ctz(lanes), sizeof id);
    const struct barrier *barrier = &w->block->barriers[id % BARRIERS];
    if (info->bits[0])
        for (uint32_t left = lanes; left; left &= left - 1)
            memcpy(w->frame.regs + info->offsets[0] + 4 * (size_t)__builtin_ctz(left), &barrier->result_count, 4);
    bool value = info->inst->mode == 1 ? barrier->result_all : barrier->result_any;
    set_predicate(w, info->offsets[1], value ? ALL_LANES : 0, lanes);
    return s + 1;
}

static const struct step *go_call(struct warp *w, const struct step *s)
{
    const struct lane_call *call = s->info->call;
    uint32_t lanes = step_lanes(w, s), same = 0;
    if (!lanes || call->function != UINT32_MAX)
        account(w, s);
    if (!lanes)
        return s + 1;
    if (call->function != UINT32_MAX)
        return warp_call(w, s->info, lanes, call->function);
    const uint64_t *target = (const void *)(w->frame.regs + s->at.a);
    uint64_t value = target[__builtin_ctz(lanes)];
    for (uint32_t left = lanes; left; left &= left - 1)
        if (target[__builtin_ctz(left)] == value)
            same |= left & -left;
    uint64_t index = (value - FUNCTION_ADDRESS) / 16;
    if (value % 16 || value < FUNCTION_ADDRESS || index >= w->worker->run->program->module->nfuncs)
        return warp_trap(w, s->info, same, "bad-call", value, NULL, "0x%llx is not the address of a function",
                         (unsigned long long)value);
    if (same != lanes) {
        /* One target at a time; the other lanes come to this call again. */
        uint32_t exec = w->frame.exec;
        w->frame.exec = exec & ~same;
        warp_leave(w, w->frame.exec & lanes, s->info->before);
        w->frame.exec = same | (exec & ~lanes);
        w->divergent++; /* the block's instructions are the warp's when the last of them come by */
        w->lane_instructions += (uint64_t)s->count * (uint32_t)__builtin_popcount(w->frame.exec);
    } else {
        account(w, s);
    }
    return warp_call(w, s->info, same, (uint32_t)index);
}

static const struct step *go_nanosleep(struct warp *w, const struct step *s)
{
    if (step_lanes(w, s) == 0 || w->block->nwarps == 1)
        return s + 1;
    w->pc = s + 1;
    return NULL;
}

static const struct step *go_syscall(struct warp *w, const struct step *s)
{
    uint32_t lanes = step_lanes(w, s);
    return lanes && !warp_syscall(w, s->info, lanes) ? NULL : s + 1;
}

/* ---- integer division: the trap is a choice of the launch -------------------------------------------------------- */

static const struct step *go_divide(struct warp *w, const struct step *s)
{
    uint32_t lanes = step_lanes(w, s), zero = 0;
    if (!lanes)
        return s + 1;
    if (w->worker->run->launch->integer_division_trap) {
        static const unsigned char nothing[8];
        size_t bytes = s->info->bits[s->info->ndst + 1] / 8u;
        for (unsigned l = 0; l < LANES; l++)
            zero |= (uint32_t)(memcmp(w->frame.regs + s->at.b + l * bytes, nothing, bytes) == 0) << l;
        if (zero & lanes)
            return warp_trap(w, s->info, zero & lanes, "division-by-zero", 0, NULL, "integer division by zero");
    }
    if (lanes == ALL_LANES)
        s->kernel(&w->frame, &s->at);
    else
        run_some(&w->frame, s, lanes);
    return s + 1;
}

/* ---- binding ---------------------------------------------------------------------------------------------- */

static kernel_fn *find_pure(struct lane_inst inst, uint16_t flags)
{
    inst.flags = flags;
    const struct meaning *meaning = KERNEL_NAME(meaning_find)(&inst);
    return meaning ? meaning->run : KERNEL_NAME(machine_find)(&inst);
}

static bool is_whole(const struct step *step)
{
    return step->info->inst->flags & LANE_WHOLE;
}

static bool bind_pure(struct step *step)
{
    const struct decoded *info = step->info;
    kernel_fn *kernel = find_pure(*info->inst, info->flags);
    if (!kernel)
        return false;
    step->kernel = kernel;
    step->run[0] = kernel;
    step->run[1] = run_masked;
    if (info->ndst == 1 && info->bits[0] == 32)
        step->run[1] = run_masked32;
    if (info->ndst == 1 && info->bits[0] == 64)
        step->run[1] = run_masked64;
    if (info->ndst == 1 && info->bits[0] == 1)
        step->run[1] = run_masked_pred;
    if (is_whole(step))
        step->run[1] = info->func->thread_lanes == LANES ? kernel : run_whole;
    else if (info->whole && info->func->every != ALL_LANES) /* lanes that the warp has not keep what they have */
        step->run[0] = step->run[1];
    if (step->guard != KERNEL_NONE)
        step->run[0] = step->run[1] = is_whole(step) ? run_guarded_whole : run_guarded;
    return true;
}

/* Operations with a handler of their own. */
static step_fn *const handlers[DECODED_OPS] = {
    [LANE_OP_bra] = go_bra_if,
    [LANE_OP_brx] = go_brx,
    [LANE_OP_push] = go_push,
    [LANE_OP_pop] = go_pop,
    [LANE_OP_call] = go_call,
    [LANE_OP_ret] = go_ret,
    [LANE_OP_exit] = go_exit,
    [LANE_OP_trap] = go_trap,
    [LANE_OP_nanosleep] = go_nanosleep,
    [LANE_OP_syscall] = go_syscall,
    [LANE_OP_unsupported] = go_unsupported,
    [LANE_OP_fault] = go_fault,
    [LANE_OP_bar] = go_bar,
    [LANE_OP_barred] = go_bar,
    [DECODED_FALL] = go_fall,
    [DECODED_REDUCED] = go_reduced,
};

static bool is_integer_division(const struct decoded *info)
{
    return lane_is(info->op, LANE_PURE) && lane_is(info->op, LANE_TRAPS) && !lane_type_float(info->inst->type);
}

static bool bind(struct step *step)
{
    unsigned op = step->info->op;
    step->go = handlers[op] ? handlers[op] : KERNEL_NAME(warp_handler)(op);
    if (op == LANE_OP_bra && step->guard == KERNEL_NONE)
        step->go = go_bra;
    if ((step->plain_bar = step_bind_plain_bar(step)))
        step->go = go_bar_sync;
    if (!step->go)
        step->go = KERNEL_NAME(memory_handler)(step);
    if (!step->go && !bind_pure(step))
        return false;
    if (!step->go && is_integer_division(step->info))
        step->go = go_divide;
    if (step->go && is_whole(step)) {
        step->go_whole = step->go;
        step->go = go_whole;
    }
    return true;
}

/* ---- the loop --------------------------------------------------------------------------------------------- */

/* Where the warp goes on. */
static const struct step *resume(struct warp *w)
{
    const struct step *s = w->pc;
    w->pc = NULL;
    return s ? s : warp_next(w);
}

static inline const struct step *run_step(struct warp *w, const struct step *s)
{
    assert(w->frame.exec && s->info->func == w->func);
    if (s->go)
        return s->go(w, s);
    s->run[w->frame.exec != ALL_LANES](&w->frame, &s->at);
    return s + 1;
}

static void run_traced(struct warp *w)
{
    struct traced traced;
    for (const struct step *s = resume(w), *next; s; s = next) {
        traced_begin(&traced, w, s->info);
        next = run_step(w, s);
        traced_end(&traced, w, (next ? next : w->pc) == s + 1);
    }
}

/* Checks see an operation before it is carried out. */
static void run_checked(struct warp *w)
{
    bool seeded = w->worker->run->launch->order == ATOLL_ORDER_SEEDED;
    bool weak = w->worker->run->launch->weak;
    const bool *looked = w->worker->run->looked;
    for (const struct step *s = resume(w), *next; s; s = next) {
        bool seen = seeded && s->go;
        uint32_t skip = 0;
        if ((seen && w->turns < 0) || (looked[s->info->op] && !warp_check(w, s->info, &skip))) {
            w->pc = s;
            return;
        }
        w->turns -= seen;
        next = skip ? step_without(w, s, skip) : run_step(w, s);
        if (weak)
            warp_weak(w, s->info);
    }
}

/* Another warp may come between any two operations that others can see, and lanes part there: turns end just before
 * one. */
static void run_seeded(struct warp *w)
{
    for (const struct step *s = resume(w); s; w->turns--) {
        s = s->real ? s->real : s;
        for (; !s->go; s++)
            s->run[(w->frame.exec | w->spare) != w->func->every](&w->frame, &s->at);
        if (w->turns < 0) {
            w->pc = s;
            return;
        }
        s = s->go(w, s);
    }
}

static void run_plain(struct warp *w)
{
    for (const struct step *s = resume(w); s; s = s->go(w, s)) {
        if (s->go)
            continue;
        assert(w->frame.exec && s->info->func == w->func);
        unsigned some = (w->frame.exec | w->spare) != w->func->every; /* pure steps leave exec as it is */
        do
            s->run[some](&w->frame, &s->at);
        while (!(++s)->go);
    }
}

/* ---- the engine ------------------------------------------------------------------------------------------- */

static bool prepare(struct program *program, struct func *func, struct atoll_error *error)
{
    return step_prepare(program, func, bind, error);
}

static void begin(struct warp *w)
{
    uint32_t exec = w->frame.exec;
    w->frame.exec = ALL_LANES;
    for (uint32_t i = 0; i < w->func->ninvariants; i++)
        run_step(w, &w->func->once[i]);
    w->frame.exec = exec;
}

static bool step(struct warp *w)
{
    const struct step *s = w->pc->real ? w->pc->real : w->pc;
    uint32_t skip = 0;
    if (w->worker->run->checking && !warp_check(w, s->info, &skip))
        return false;
    const struct decoded *info = s->info;
    w->pc = NULL;
    s = skip ? step_without(w, s, skip) : run_step(w, s);
    if (w->worker->run->launch->weak)
        warp_weak(w, info);
    w->pc = s ? s : w->pc;
    return s != NULL;
}

static const struct decoded *place(const struct step *s)
{
    return s->info;
}

const struct executor KERNEL_NAME(interp) = {
#define NAME2(x) #x
#define NAME(x)  NAME2(x)
    .name = NAME(KERNEL_SET),
    .prepare = prepare,
    .begin = begin,
    .run = {[RUN_PLAIN] = run_plain, [RUN_SEEDED] = run_seeded, [RUN_TRACED] = run_traced, [RUN_CHECKED] = run_checked},
    .step = step,
    .place = place,
};

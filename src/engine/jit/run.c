/* Running blocks with compiled code: how a warp comes in, what becomes of it when it is left, barriers of whole blocks.
 *
 * Compiled code is entered in two ways. A block that has just started runs warp by warp (run_block): while all its
 * warps meet at plain barriers, each part between two barriers is run for all of them. And wherever the interpreter
 * comes to a point at which compiled code can be entered, it finds a step (`entry`) there that does so. */
#include "engine/compiler.h"
#include "engine/interp/step.h"
#include "engine/jit/ahead.h"
#include "engine/jit/formats.h"
#include "engine/jit/frames.h"
#include "engine/jit/jit.h"
#include "engine/jit/llvm.h"
#include "engine/jit/owners.h"

#include <assert.h>
#include <string.h>

/* Calls of so many blocks run one alone: what the first of them find out is looked at when a call begins. */
enum { FIRST_BLOCKS = 4 };

/* ---- leaving ------------------------------------------------------------------------------------------------------
 */

/* Lanes that wait, as compiled code left them, wait for the interpreter. */
static void park_others(struct warp *w, const struct jit_code *code, uint32_t segment, const uint32_t *masks)
{
    const struct flow *flow = &code->flow;
    const uint64_t *waits = flow_waits(flow, segment);
    if (w->stacked) /* they are in w->tokens */
        return;
    for (uint32_t v = 0; v < flow->words; v++)
        for (uint64_t bits = waits[v]; bits; bits &= bits - 1) {
            uint32_t to = v * 64 + (uint32_t)__builtin_ctzll(bits);
            if (masks[to])
                warp_leave(w, masks[to], flow->segments[to].point);
        }
}

/* The interpreter goes on where the code was left. NULL: the warp's turn is over; w->pc says where it goes on. */
static const struct step *go_on(struct warp *w, const struct jit_code *code, uint32_t how, const uint32_t *masks)
{
    const struct jit_exit *leave = &code->exits[how - JIT_EXITS];
    uint32_t point = code->flow.segments[leave->segment].point;
    assert(how >= JIT_EXITS && how - JIT_EXITS < code->nexits && w->frame.exec);
    park_others(w, code, leave->segment, masks);
    switch (leave->kind) {
    case JIT_MEET:
        frames_unfold(&code->flow, leave->segment + 1, w->frame.regs);
        return &code->steps[leave->index];
    case JIT_STEP:
        w->worker->stepped++;
        return &code->steps[leave->index];
    case JIT_TURN:
        w->pc = func_point(w->func, point);
        return NULL;
    default:
        w->fair = 0;
        return warp_goto(w, point);
    }
}

/* ---- from the interpreter ------------------------------------------------------------------------------------------
 */

/* Nobody waits: dispatch.c looks at whole sets. */
static void clear_masks(const struct jit_code *code, uint32_t *masks)
{
    if (code->flow.many)
        memset(masks, 0, (size_t)code->flow.words * 64 * sizeof *masks);
}

/* Can the warp's lanes go on in compiled code, at a segment? Those that wait are told in `masks`. */
static bool take_lanes(const struct warp *w, const struct jit_code *code, uint32_t segment, uint32_t *masks)
{
    const struct flow *flow = &code->flow;
    const uint64_t *waits = flow_waits(flow, segment);
    uint32_t left = w->waiting;
    if (w->stacked)
        return !left;
    clear_masks(code, masks);
    for (uint32_t v = 0; v < flow->words; v++)
        for (uint64_t bits = waits[v]; bits; bits &= bits - 1) {
            uint32_t to = v * 64 + (uint32_t)__builtin_ctzll(bits), point = flow->segments[to].point;
            masks[to] = 0;
            for (uint32_t lanes = left; lanes; lanes &= lanes - 1) {
                unsigned l = (unsigned)__builtin_ctz(lanes);
                masks[to] |= (uint32_t)((w->single ? w->lowest : w->at[l]) == point) << l;
            }
            left &= ~masks[to];
        }
    return !left;
}

static bool may_enter(const struct warp *w, const struct jit_code *code)
{
    const struct compile_job *job = w->worker->run->compiled;
    return job && (const struct jit_code *)compile_code(job) == code && w->func == code->func && !w->ncalls &&
           !w->here && !w->blocked && w->stacked == code->func->lane->stacked && (!w->waiting || !w->hold);
}

/* Once in a launch. */
static void find_owners(struct worker *worker, const struct jit_code *code)
{
    if (!worker->knows_owned)
        owners_find(worker->run, &code->flow, worker->sites);
    worker->knows_owned = true;
}

static const struct step *enter(struct warp *w, const struct step *s)
{
    struct jit_code *code = (struct jit_code *)(uintptr_t)s->at.more;
    struct jit_call call;
    if (!may_enter(w, code) || !take_lanes(w, code, code->entries[s->at.aux - 1], call.masks))
        return s->real;
    uint32_t waiting = w->waiting, lowest = w->lowest;
    bool single = w->single;
    find_owners(w->worker, code);
    w->waiting = 0;
    w->single = false;
    w->lowest = NO_POINT;
    uint32_t how = code->run(w, code, s->at.aux | JIT_SINGLE, &call);
    if (how == JIT_REFUSED) {
        w->waiting = waiting;
        w->single = single;
        w->lowest = lowest;
        return s->real;
    }
    if (how == JIT_STOPPED)
        return NULL;
    if (how == JIT_DONE) {
        w->frame.exec = w->live;
        return warp_exit(w, w->live);
    }
    return go_on(w, code, how, call.masks);
}

/* Where lanes that come to a point of an entry find compiled code from now on. */
static bool open_entries(struct jit_code *code)
{
    struct step *entries = arena_array(&code->arena, code->nentries + 1, sizeof *entries);
    code->entry_at = arena_array(&code->arena, code->func->npoints + 1, sizeof *code->entry_at);
    if (!entries || !code->entry_at)
        return false;
    for (uint32_t i = 0; i < code->nentries; i++) {
        const struct segment *segment = &code->flow.segments[code->entries[i]];
        const struct step *real = &code->steps[segment->first];
        entries[i] = *real;
        entries[i].real = real;
        entries[i].go = enter;
        entries[i].at.aux = i + 1;
        entries[i].at.more = code;
        code->entry_at[segment->point] = i + 1;
        __atomic_store_n(&code->func->points[segment->point], &entries[i], __ATOMIC_RELEASE);
    }
    return true;
}

/* ---- blocks -------------------------------------------------------------------------------------------------------
 */

/* All lanes of a warp have exited. */
static void finish(struct warp *w)
{
    struct block *block = w->block;
    w->frame.exec = w->live;
    if (block->phases || w->waiting) {
        warp_exit(w, w->live);
        return;
    }
    w->ntokens = 0;
    block->live -= (uint32_t)__builtin_popcount(w->live);
    w->live = w->frame.exec = 0;
    w->state = WARP_DONE;
    w->pc = NULL;
    warps_remove(&block->live_warps, w->number);
}

/* What became of a warp that ran compiled code. False: the launch stops. */
static bool take_back(struct warp *w, const struct jit_code *code, uint32_t how, const struct jit_call *call)
{
    if (how == JIT_DONE) {
        finish(w);
        return true;
    }
    if (how == JIT_STOPPED)
        return false;
    const struct step *next = go_on(w, code, how, call->masks);
    if (next)
        w->pc = next;
    return true;
}

/* One warp of a block, from where a part begins. False: the launch stops. */
static bool run_warp(struct warp *w, struct jit_code *code, uint32_t entry)
{
    struct jit_call call;
    w->frame.exec = w->live;
    w->turns = WARP_TURNS;
    if (!entry)
        w->ntokens = 0; /* those that all lanes of the last block exited with */
    clear_masks(code, call.masks);
    uint32_t how = code->run(w, code, entry | JIT_SINGLE, &call);
    if (how != JIT_REFUSED)
        return take_back(w, code, how, &call);
    w->pc = &code->steps[code->flow.segments[code->entries[entry - 1]].first];
    return true;
}

/* The entry after a barrier of the whole block that the warp, all of it, has come to; 0: it is somewhere else. */
static uint32_t at_barrier(const struct warp *w, const struct jit_code *code)
{
    if (w->state != WARP_READY || !w->pc || w->waiting || w->frame.exec != w->live || !w->pc->plain_bar)
        return 0;
    return code->entry_at[w->pc->info->after];
}

/* Do all warps that are left wait for each other at one barrier? *entry: where they go on; 0: not all at one place. */
static bool all_at_barrier(const struct block *block, const struct jit_code *code, uint32_t *entry)
{
    uint32_t id = BARRIERS;
    *entry = 0;
    if (block->phases)
        return false;
    for (const struct warp *w = block->warps; w < block->warps + block->nwarps; w++) {
        if (!w->live)
            continue;
        uint32_t here = at_barrier(w, code);
        if (!here || (id != BARRIERS && w->pc->at.aux != id))
            return false;
        *entry = id == BARRIERS || *entry == here ? here : 0;
        id = w->pc->at.aux;
    }
    return block->live;
}

bool jit_round(struct block *block)
{
    struct worker *worker = block->worker;
    if (++worker->rounds % PAUSE_ROUNDS == 0) {
        held_merge(&worker->held); /* a block may go around here until another one has seen them */
        if (run_pause(worker->run, worker))
            return false;
    }
    if (atomic_load_explicit(&worker->run->stop, memory_order_relaxed))
        return false;
    block->barriers_done++;
    return true;
}

/* Blocks that code has begun by itself are told. */
static void begun(struct worker *worker, struct block *block, struct jit_call *call)
{
    uint32_t count = call->given - call->more;
    worker->done += count;
    worker->compiled += count;
    worker->begin += count;
    block->next += count;
    call->given = call->more = 0;
}

/* How many it may begin so behind the block at hand. */
static void give(const struct worker *worker, const struct block *block, const struct jit_code *code,
                 struct jit_call *call)
{
    uint64_t taken = worker->end - worker->begin;
    uint32_t row = block_row_left(block, worker->run), apart = ahead_apart(worker, code);
    call->given = row < apart ? row : apart;
    if (taken < call->given)
        call->given = (uint32_t)taken;
    if (worker->compiled < FIRST_BLOCKS || !block->untouched) /* as jit_again */
        call->given = 0;
    call->more = call->given;
}

bool jit_again(struct block *block, const struct jit_code *code, struct jit_call *call)
{
    struct worker *worker = block->worker;
    begun(worker, block, call);
    if (!block->untouched || block->live != block->threads || worker->begin == worker->end ||
        worker->compiled < FIRST_BLOCKS || atomic_load_explicit(&worker->run->stop, memory_order_relaxed))
        return false;
    worker->done++;
    worker->compiled++;
    block_next(block, worker->run, worker->begin++);
    if (code->naheads)
        ahead_learn(worker, code);
    give(worker, block, code, call);
    return true;
}

/* A part, each warp from where it is. As in the interpreter the one that came last to the barrier goes on first, and
 * those after it. The one that now is the last; NULL: the launch stops. */
static struct warp *run_part(struct jit_code *code, struct warp *first)
{
    struct warp *w = first, *last = first;
    do {
        if (w->live) {
            last = w;
            if (!run_warp(w, code, at_barrier(w, code)))
                return NULL;
        }
        w = w->next;
    } while (w != first);
    return last;
}

/* A warp has ended a part, as `ended` says. */
static void end_warp(struct warp *w, struct jit_code *code, uint32_t ended)
{
    if (ended == JIT_DONE) {
        finish(w);
        return;
    }
    const struct jit_exit *meet = &code->exits[ended - JIT_EXITS];
    code->finish(w, code);
    w->frame.exec = w->live;
    frames_unfold(&code->flow, meet->segment + 1, w->frame.regs);
    w->pc = &code->steps[meet->index];
}

/* The interpreter has a warp that was parked. */
static void unpark(const struct jit_twin *twin, struct jit_code *code)
{
    struct warp *w = twin->warp;
    const struct segment *at = &code->flow.segments[twin->segment];
    code->finish(w, code);
    w->frame.exec = twin->exec;
    w->turns = twin->turns;
    if (twin->waits)
        warp_leave(w, twin->waits, at[1].point);
    w->pc = func_point(w->func, at->point);
}

static bool is_parked(const struct jit_call *call, const struct warp *w)
{
    bool parked = false;
    for (uint32_t i = 0; i < call->ntwins; i++)
        parked = parked || call->twins[call->head + i].warp == w;
    return parked;
}

/* The interpreter has a warp that is yet to begin a part. */
static void begin_later(struct warp *w, const struct jit_code *code, uint32_t entry)
{
    const struct flow *flow = &code->flow;
    for (uint32_t i = 0; !entry && i < flow->nslots; i++)
        memset(w->frame.regs + flow->slots[i], 0, (size_t)flow->slot_bits[i] * LANES / 8);
    w->frame.exec = w->live;
    w->pc = func_point(w->func, flow->segments[entry ? code->entries[entry - 1] : 0].point);
}

/* Does the interpreter go on with the warp at once, before others have their turn? */
static bool has_more(const struct jit_code *code, uint32_t how)
{
    uint8_t kind = how >= JIT_EXITS ? code->exits[how - JIT_EXITS].kind : JIT_MEET;
    return kind == JIT_STEP || kind == JIT_FAIR;
}

/* A warp has left a part that ran for the whole block: those that began before are told what became of them, the others
 * follow. As run_part. */
static struct warp *end_part(struct jit_code *code, uint32_t how, const struct jit_call *call)
{
    struct warp *last = call->last, *end = last->next;
    struct warp *w = call->first;
    do {
        if (w->live && w != call->warp && !is_parked(call, w))
            end_warp(w, code, call->ended);
        w = w->next;
    } while (w != end);
    for (uint32_t i = 0; i < call->ntwins; i++)
        unpark(&call->twins[call->head + i], code);
    if (!take_back(call->warp, code, how, call))
        return NULL;
    if (call->ntwins || has_more(code, how))
        call->warp->block->left = call->first; /* those that have ended at a barrier come to it in their order, too */
    for (; w != call->first; w = w->next)
        if (w->live) {
            last = w;
            if (call->entry) {
                frames_unfold(&code->flow, code->entries[call->entry - 1], w->frame.regs);
                code->finish(w, code); /* should the interpreter have it first */
            }
            if (call->ntwins || has_more(code, how)) /* what it does comes after what those do that were before it */
                begin_later(w, code, call->entry);
            else if (!run_warp(w, code, call->entry))
                return NULL;
        }
    return last;
}

/* Frames that the interpreter left, for a part that begins at an entry. False: lanes differ otherwise than its code
 * has it. */
static bool fold_all(const struct block *block, const struct jit_code *code, uint32_t entry)
{
    for (struct warp *w = block->warps; w < block->warps + block->nwarps; w++)
        if (w->live && !frames_fold(&code->flow, code->entries[entry - 1], w->frame.regs, w->live))
            return false;
    return true;
}

static void finish_all(const struct block *block)
{
    for (struct warp *w = block->warps; w < block->warps + block->nwarps; w++)
        if (w->live)
            finish(w);
}

/* A block whose code was left: on, while its warps meet at barriers. False: the launch stops. */
static bool run_rest(struct block *block, struct jit_code *code, uint32_t how, struct jit_call *call)
{
    uint32_t entry;
    struct warp *last = end_part(code, how, call);
    while (last && all_at_barrier(block, code, &entry)) {
        block->left = NULL;
        if (!jit_round(block))
            return false;
        while (!last->live)
            last = last->next;
        if (!entry || !fold_all(block, code, entry)) {
            last = run_part(code, last);
            continue;
        }
        call->ntwins = 0;
        clear_masks(code, call->masks);
        how = code->run(last, code, entry, call);
        begun(block->worker, block, call);
        if (how == JIT_OVER) {
            finish_all(block);
            return true;
        }
        last = end_part(code, how, call);
    }
    return last;
}

/* Blocks whose warps all run to their end leave nothing that the next would have to set right: the call goes on with
 * it (jit_again). */
static enum compiled_block run_block(struct worker *worker, struct block *block, uint64_t number,
                                     struct compiled *compiled)
{
    struct jit_code *code = (struct jit_code *)compiled;
    struct jit_call call;
    call.ntwins = call.given = call.more = 0;
    block->left = NULL;
    if (worker->run->stacked != code->func->lane->stacked) /* tokens by the frontier policy are the interpreter's */
        return block_start(worker, block, number) ? COMPILED_LEFT : COMPILED_STOPPED;
    find_owners(worker, code);
    if (block->untouched)
        block_next(block, worker->run, number);
    else if (!block_start(worker, block, number))
        return COMPILED_STOPPED;
    ahead_learn(worker, code);
    block->untouched = !block->regfile_bytes;
    give(worker, block, code, &call);
    clear_masks(code, call.masks);
    uint32_t how = code->run(block->warps, code, 0, &call);
    begun(worker, block, &call);
    if (how == JIT_OVER && block->live == block->threads)
        return COMPILED_OVER;
    block->untouched = false;
    if (how == JIT_OVER)
        finish_all(block);
    else if (!run_rest(block, code, how, &call))
        return COMPILED_STOPPED;
    return block->live ? COMPILED_LEFT : COMPILED_OVER;
}

/* ---- the compiler -------------------------------------------------------------------------------------------------
 */

static bool available(const char **why)
{
    return llvm_open(why) != NULL;
}

static struct compiled *compile(struct program *program, const struct setting *setting, bool caches, const char **why)
{
    struct jit_code *code = jit_compile(program, setting, caches, why);
    if (code && !open_entries(code)) {
        *why = "out of memory";
        jit_free(code);
        return NULL;
    }
    return (struct compiled *)code;
}

static double took(const struct compiled *code)
{
    return ((const struct jit_code *)code)->seconds;
}

static bool was_cached(const struct compiled *code)
{
    return ((const struct jit_code *)code)->cached;
}

static void release(struct compiled *code)
{
    jit_free((struct jit_code *)code);
}

const struct compiler compiler_llvm = {
    .available = available,
    .compile = compile,
    .kinds = formats_kinds,
    .block = run_block,
    .seconds = took,
    .cached = was_cached,
    .free = release,
};

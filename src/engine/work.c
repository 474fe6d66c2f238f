/* What a host thread does: which block, which warp of it and which lanes of that run when, by the order of the launch.
 */
#include "engine/work.h"
#include "base/hard.h"
#include "engine/compiler.h"

#include <assert.h>
#include <string.h>

/* The limits are looked at after PAUSE_TURNS turns that ran out, and after PAUSE_ROUNDS of a block's warps: a loop
 * around a barrier never uses its turns up. */
enum { BLOCK_CHUNK = HARD(1024, 2), PAUSE_BLOCKS = 64, PAUSE_TURNS = HARD(4, 1) };

/* ---- one block -------------------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state) /* xorshift64* */
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static bool warp_start(struct worker *worker, struct block *block, uint32_t number)
{
    assert(number < block->nwarps && block->nwarps <= MAX_WARPS && block->threads > number * block->warp_lanes);
    struct warp *warp = &block->warps[number];
    const struct run *run = worker->run;
    const struct func *func = &run->program->funcs[run->program->kernel];
    uint32_t lanes = block->threads - number * block->warp_lanes;
    if (lanes > block->warp_lanes)
        lanes = block->warp_lanes;
    warp->live = lanes == LANES ? ALL_LANES : (UINT32_C(1) << lanes) - 1;
    if (warp->regfile)
        memset(warp->regfile, 0, block->regfile_bytes);
    warp->frame.exec = warp->live;
    warp->func = func;
    warp->pc = func_point(func, 0);
    warp->state = WARP_READY;
    warp->waiting = warp->blocked = warp->arrived = 0;
    warp->lowest = NO_POINT;
    warp->single = false;
    warp->hold = warp->served = warp->used_up = warp->put_off = 0;
    warp->change_put_off = false;
    warp->fair = FAIR_TURNS;
    warp->lockstep = func->lane->warp_lanes != 0;
    warp->packed = func_packs(func);
    warp->parts = func->lane->independent;
    warp->spare = warp->packed ? ~func_whole(func, warp->live) : 0;
    warp->rested = 0;
    warp->local = 0;
    calls_begin(warp);
    tokens_begin(warp);
    assert(!warp->coming); /* nobody exits who waits at a barrier: the last block left none */
    if (warp_frame(warp))
        return true;
    run_stop(worker->run, ATOLL_MEMORY, "out of memory for the registers of a warp");
    return false;
}

/* The block after the last one that was placed here: divisions are what a small block would feel. */
static void place_next(struct block *block, const struct run *run)
{
    for (unsigned axis = 0; axis < 3 && ++block->id[axis] == run->grid[axis] && axis < 2; axis++)
        block->id[axis] = 0;
}

void block_place(struct block *block, const struct run *run, uint64_t number)
{
    bool next = number && block->next == number;
    block->next = number + 1;
    if (next) {
        place_next(block, run);
        return;
    }
    block->id[0] = (uint32_t)(number % run->grid[0]);
    block->id[1] = (uint32_t)(number / run->grid[0] % run->grid[1]);
    block->id[2] = (uint32_t)(number / run->grid[0] / run->grid[1]);
}

uint32_t block_row_left(const struct block *block, const struct run *run)
{
    return run->program->reserved_bytes ? 0 : run->grid[0] - 1 - block->id[0]; /* block_next clears these */
}

void block_next(struct block *block, const struct run *run, uint64_t number)
{
    block_place(block, run, number);
    if (run->program->reserved_bytes)
        memset(block->shared, 0, run->program->reserved_bytes);
}

/* Changes between groups of lanes, and every other change between warps, wait for an access that others see (turns.c).
 * In a seeded order warps change between any two accesses anyway. */
static void put_changes_off(const struct worker *worker, struct warp *warp)
{
    if (warp->ncalls && !warp->lockstep && warp->turns < 0 && worker->run->launch->order != ATOLL_ORDER_SEEDED)
        warp_change_call(warp);
    if (warp->change_put_off) {
        warp->change_put_off = false;
        warp_put_off(warp, true);
    } else if (worker->nblocks * warp->block->nwarps > 1 && worker->run->launch->order != ATOLL_ORDER_SEEDED &&
               ++warp->used_up % 2) {
        warp_put_off(warp, false);
    }
}

/* A turn left the warp ready: it ran out of turns, gave way, or stopped the launch. */
static bool turn_over(struct worker *worker, struct warp *warp)
{
    struct run *run = worker->run;
    if (atomic_load_explicit(&run->stop, memory_order_relaxed))
        return false;
    bool used_up = warp->turns < 0;
    put_changes_off(worker, warp);
    if (atomic_load_explicit(&run->stop, memory_order_relaxed))
        return false;
    if (warp->state != WARP_READY)
        return true;
    if (warp->stacked || watch_all(run))
        watch_turn(worker, warp);
    if (!used_up)
        return true;
    held_merge(&worker->held); /* it may wait for a block that waits for them */
    return ++worker->turns % (PAUSE_TURNS * worker->nblocks) || !run_pause(run, worker); /* which looks at all blocks */
}

/* A warp's turns. False: the launch stops. */
static inline bool warp_turn(struct worker *worker, struct warp *warp, int32_t turns)
{
    warp->turns = turns;
    assert(warp->state == WARP_READY && warp->live);
    worker->run->turn(warp);
    assert(warp->live || warp->state == WARP_DONE || atomic_load(&worker->run->stop));
    return warp->state != WARP_READY || turn_over(worker, warp);
}

/* Looks after what blocks owe to the rest of the launch now and then, and whether it stops. */
static bool round_over(struct worker *worker, struct block *block, bool ran)
{
    struct run *run = worker->run;
    if (!ran && block->live && !barriers_deadlock(block))
        run_stop(run, ATOLL_TRAP, "internal error: warps are blocked, but at no barrier");
    if (worker->watch && !watch_round(worker))
        return false;
    if (++worker->rounds % PAUSE_ROUNDS == 0) {
        held_merge(&worker->held);
        return !run_pause(run, worker);
    }
    return !atomic_load_explicit(&run->stop, memory_order_relaxed);
}

/* Gives each ready warp from one on its turns. False: the launch stops. */
static bool block_turn(struct worker *worker, struct block *block, struct warp *first, int32_t turns)
{
    bool ran = first != block->warps; /* those before it have their turns next */
    for (struct warp *warp = first; warp < block->warps + block->nwarps; warp++) {
        if (warp->state != WARP_READY)
            continue;
        ran = true;
        if (!warp_turn(worker, warp, turns))
            return false;
    }
    return round_over(worker, block, ran);
}

/* Some of the running lanes, which are about to make an access that others see, stay behind. They catch up where the
 * others wait for those furthest behind: at the next block at the latest, or some blocks further on. Most warps are in
 * one or two groups, so that a launch takes two or three times as long at most, not 32 times. */
static void part_lanes(struct warp *warp)
{
    uint64_t drawn = next_random(&warp->worker->random);
    uint32_t lanes = (uint32_t)drawn & warp->frame.exec;
    lanes = drawn >> 63 ? lanes & (uint32_t)(drawn >> 24) : lanes; /* half of them, or a quarter */
    if (!lanes || lanes == warp->frame.exec)
        return;
    warp_leave(warp, lanes, warp_at(warp)->before);
    warp->hold = drawn >> 62 & 1 ? FAIR_TURNS : 0;
}

/* Other lanes of the warp run next, or some of those that run stay behind, if it is about to make an access that others
 * see (PTX ISA, "Independent Thread Scheduling": lanes of a warp may go on one after the other anywhere). */
static void change_lanes(struct warp *warp)
{
    if (warp->ncalls && !warp->lockstep && next_random(&warp->worker->random) >> 61 == 0)
        warp_change_call(warp);
    else if (!warp->pc || !warp_at(warp)->shares)
        return;
    else if (warp->parts && (!warp->waiting || next_random(&warp->worker->random) >> 62 == 0))
        part_lanes(warp);
    else if (warp_changes(warp))
        warp->pc = warp_change(warp, warp_at(warp)->before);
}

/* Gives a few turns to one ready warp, drawn at random. False: the launch stops. */
static bool block_turn_random(struct worker *worker, struct block *block)
{
    uint32_t i = 0, first = (uint32_t)(next_random(&worker->random) >> 33) % block->nwarps;
    while (i < block->nwarps && block->warps[(first + i) % block->nwarps].state != WARP_READY)
        i++;
    if (i < block->nwarps) {
        struct warp *warp = &block->warps[(first + i) % block->nwarps];
        int32_t turns = (int32_t)(next_random(&worker->random) >> 60) - 1; /* -1: to just before the first access */
        warp->fair = (int32_t)(next_random(&worker->random) >> 60);
        warp->hold = warp->hold ? (uint32_t)(next_random(&worker->random) >> 60) : 0;
        if (!warp_turn(worker, warp, turns))
            return false;
        if (warp->state == WARP_READY && next_random(&worker->random) >> 63)
            change_lanes(warp);
    }
    return round_over(worker, block, i < block->nwarps);
}

bool block_start(struct worker *worker, struct block *block, uint64_t number)
{
    block_next(block, worker->run, number);
    block->live = block->threads;
    block->untouched = false;
    block->live_warps = (struct warps){{0}};
    for (uint32_t i = 0; i < block->nwarps; i++)
        warps_add(&block->live_warps, i);
    block->busy = true;
    if (worker->run->checking && !check_block(block, number))
        return false;
    if (block->phases) /* the last block left barriers that nobody waited for */
        memset(block->barriers, 0, sizeof block->barriers);
    block->phases = 0;
    for (uint32_t i = 0; i < block->nwarps; i++)
        if (!warp_start(worker, block, i))
            return false;
    return true;
}

static bool block_run(struct worker *worker, uint64_t number)
{
    struct block *block = &worker->blocks[0];
    struct compiled *code = worker->run->compiled ? compile_code(worker->run->compiled) : NULL;
    struct warp *first = block->warps;
    worker->compiled += code != NULL;
    if (code) {
        block->busy = true;
        enum compiled_block how = compiler_find()->block(worker, block, number, code);
        block->busy = how != COMPILED_OVER;
        block->lost = how == COMPILED_STOPPED;
        worker->done += how == COMPILED_OVER;
        if (how != COMPILED_LEFT)
            return how == COMPILED_OVER;
        first = block->left ? block->left : first;
    } else if (!block_start(worker, block, number)) {
        return false;
    }
    for (; block->live; first = block->warps)
        if (!block_turn(worker, block, first, WARP_TURNS))
            return false;
    assert(!warps_count(&block->live_warps));
    block->busy = false;
    worker->done++;
    return true;
}

/* ---- orders ----------------------------------------------------------------------------------------------- */

/* A seeded order draws blocks at random without repeating any: a full-cycle walk number -> number * odd + c. */
static uint64_t pick_block(const struct run *run, uint64_t turn)
{
    if (run->launch->order != ATOLL_ORDER_SEEDED || run->blocks < 2)
        return turn;
    assert(turn < run->blocks);
    uint64_t bits = 64 - (unsigned)__builtin_clzll(run->blocks - 1),
             mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    uint64_t number = turn;
    do
        number = (number * (4 * (run->launch->seed % 1000) + 5) + 2 * run->launch->seed + 1) & mask;
    while (number >= run->blocks);
    return number;
}

/* Seeded order: RESIDENT_BLOCKS blocks drawn at random are resident, and a warp drawn at random has a few turns. */
static void work_seeded(struct worker *worker)
{
    struct run *run = worker->run;
    uint64_t done = 0;
    while (done < run->blocks && !atomic_load_explicit(&run->stop, memory_order_relaxed)) {
        struct block *block = &worker->blocks[(next_random(&worker->random) >> 33) % worker->nblocks];
        if (!block->busy && worker->next < run->blocks && !block_start(worker, block, pick_block(run, worker->next++)))
            return;
        if (!block->busy)
            continue;
        if (!block_turn_random(worker, block))
            return;
        if (!block->live) {
            block->busy = false;
            done++;
            worker->done++;
        }
    }
    run_pause(run, worker);
}

/* False: there are no more. Many at a time: blocks that follow each other touch memory that lies side by side, which
 * host threads would else take from each other; fewer towards the end, so that all end at about the same time. */
static bool take_blocks(struct worker *worker)
{
    struct run *run = worker->run;
    uint64_t begun = atomic_load_explicit(&run->next_block, memory_order_relaxed);
    uint64_t left = begun < run->blocks ? run->blocks - begun : 0;
    uint64_t chunk = left / (16 * (uint64_t)run->workers) + 1;
    if (chunk > BLOCK_CHUNK)
        chunk = BLOCK_CHUNK;
    uint64_t first = atomic_fetch_add(&run->next_block, chunk);
    worker->begin = first < run->blocks ? first : run->blocks;
    worker->end = run->blocks - worker->begin > chunk ? worker->begin + chunk : run->blocks;
    return worker->begin < worker->end;
}

static void work_parallel(struct worker *worker)
{
    struct run *run = worker->run;
    while (!atomic_load_explicit(&run->stop, memory_order_relaxed) && take_blocks(worker)) {
        while (worker->begin < worker->end)
            if (!block_run(worker, worker->begin++) || (worker->done >= PAUSE_BLOCKS && run_pause(run, worker)))
                return;
    }
    run_pause(run, worker);
}

/* Each host thread has a part of the grid's blocks, all resident, which take turns. */
static void work_cooperative(struct worker *worker)
{
    struct run *run = worker->run;
    uint32_t left = worker->nblocks;
    worker->next = run->blocks; /* there is no other block to begin */
    for (uint32_t i = 0; i < worker->nblocks; i++)
        if (!block_start(worker, &worker->blocks[i], worker->index + (uint64_t)i * run->workers))
            return;
    while (left && !atomic_load_explicit(&run->stop, memory_order_relaxed))
        for (struct block *block = worker->blocks; block < worker->blocks + worker->nblocks; block++) {
            if (!block->busy)
                continue;
            if (!block_turn(worker, block, block->warps, COOPERATIVE_TURNS))
                return;
            if (block->live)
                continue;
            block->busy = false;
            worker->done++;
            left--;
        }
    run_pause(run, worker);
}

void worker_run(struct worker *worker)
{
    if (worker->run->launch->order == ATOLL_ORDER_SEEDED)
        work_seeded(worker);
    else if (worker->run->launch->cooperative)
        work_cooperative(worker);
    else
        work_parallel(worker);
    held_merge(&worker->held); /* however it ended; others may wait for it */
    stall_leave(worker->run);
}

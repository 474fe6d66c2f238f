/* Programs and launches: the grid is split over host threads, one block at a time per thread; warps of a block take
 * turns. */
#include "engine/interp/interp.h"
#include "engine/parameters.h"

#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* The limits are looked at after PAUSE_TURNS turns that ran out, and after PAUSE_ROUNDS of a block's warps: a loop
 * around a barrier never uses its turns up. */
enum { MAX_THREADS = 256, BLOCK_CHUNK = 8, PAUSE_TURNS = 4, PAUSE_ROUNDS = 4096 };
/* Of a cooperative launch, whose blocks are all resident: warps, and bytes of shared memory. */
enum { RESIDENT_WARPS = 32768 };
#define RESIDENT_SHARED (UINT64_C(4) << 30)

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

#if defined(__x86_64__)
/* The parts of x86-64-v3 that the compiler's own query does not name everywhere: f16c, movbe, lzcnt. */
static bool has_rest_of_v3(void)
{
    unsigned a, b, c, d;
    bool ok = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) && (c & bit_MOVBE);
    return ok && __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT);
}

static bool has_v3(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("fma") && has_rest_of_v3();
}

static bool has_v4(void)
{
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

const struct interp_set *interp_set_best(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (has_v4())
        return &interp_set_v4;
    if (has_v3())
        return &interp_set_v3;
#endif
    return &interp_set_base;
}

static bool create(const struct interp_set *set, struct device *device, const struct lane_module *module, uint32_t func,
                   const uint64_t *addresses, bool plain, struct program **program, struct atoll_error *error)
{
    struct program *p = calloc(1, sizeof *p);
    *program = NULL;
    if (!p)
        return error_memory(error);
    p->device = device;
    p->module = module;
    p->addresses = addresses;
    p->kernel = func;
    p->plain = plain;
    p->set = set;
    if (!program_decode(p, error)) {
        program_destroy(p);
        return false;
    }
    *program = p;
    return true;
}

bool program_create(struct device *device, const struct lane_module *module, uint32_t func, const uint64_t *addresses,
                    struct program **program, struct atoll_error *error)
{
    return create(interp_set_best(), device, module, func, addresses, false, program, error);
}

bool program_create_on(const struct interp_set *set, struct device *device, const struct lane_module *module,
                       uint32_t func, const uint64_t *addresses, struct program **program, struct atoll_error *error)
{
    return create(set, device, module, func, addresses, false, program, error);
}

void program_destroy(struct program *program)
{
    if (!program)
        return;
    arena_free(&program->arena);
    free(program);
}

/* ---- one block ------------------------------------------------------------------------------------------------------
 */

static uint64_t next_random(uint64_t *state) /* xorshift64* */
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static bool warp_start(struct worker *worker, struct block *block, uint32_t number)
{
    struct warp *warp = &block->warps[number];
    const struct run *run = worker->run;
    const struct func *func = &run->program->funcs[run->program->kernel];
    uint32_t left = block->threads - number * LANES;
    warp->live = left >= LANES ? ALL_LANES : (UINT32_C(1) << left) - 1;
    warp->frame.exec = warp->live;
    warp->func = func;
    warp->pc = func->steps;
    warp->state = WARP_READY;
    warp->waiting = warp->blocked = warp->arrived = 0;
    warp->lowest = NO_POINT;
    warp->single = false;
    warp->hold = warp->served = warp->used_up = warp->put_off = 0;
    warp->change_put_off = false;
    warp->fair = FAIR_TURNS;
    warp->local = 0;
    calls_begin(warp);
    tokens_begin(warp);
    assert(!warp->coming); /* nobody exits who waits at a barrier: the last block left none */
    if (warp_frame(warp))
        return true;
    run_stop(worker->run, ATOLL_MEMORY, "out of memory for the registers of a warp");
    return false;
}

static void block_place(struct block *block, const struct run *run, uint64_t number)
{
    if (number < run->grid[0]) { /* divisions are what a small block would feel */
        block->id[0] = (uint32_t)number;
        block->id[1] = block->id[2] = 0;
        return;
    }
    block->id[0] = (uint32_t)(number % run->grid[0]);
    block->id[1] = (uint32_t)(number / run->grid[0] % run->grid[1]);
    block->id[2] = (uint32_t)(number / run->grid[0] / run->grid[1]);
}

/* Changes between groups of lanes, and every other change between warps, wait for an access that others see (turns.c).
 * In a seeded order warps change between any two accesses anyway. */
static void put_changes_off(const struct worker *worker, struct warp *warp)
{
    if (warp->ncalls && warp->turns < 0 && worker->run->launch->order != ATOLL_ORDER_SEEDED)
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
    if (warp->stacked)
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
    worker->run->turn(warp);
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

/* Gives each ready warp its turns. False: the launch stops. */
static bool block_turn(struct worker *worker, struct block *block, int32_t turns)
{
    bool ran = false;
    for (struct warp *warp = block->warps; warp < block->warps + block->nwarps; warp++) {
        if (warp->state != WARP_READY)
            continue;
        ran = true;
        if (!warp_turn(worker, warp, turns))
            return false;
    }
    return round_over(worker, block, ran);
}

/* Other lanes of the warp run next, if there are some and it is about to make an access that others see. */
static void change_lanes(struct warp *warp)
{
    if (warp->ncalls && next_random(&warp->worker->random) >> 61 == 0)
        warp_change_call(warp);
    else if (warp->pc && warp->pc->info->shares && warp->lowest != NO_POINT)
        warp->pc = warp_change(warp, warp->pc->info->before);
}

/* Gives a few turns to one ready warp, drawn at random. False: the launch stops. */
static bool block_turn_random(struct worker *worker, struct block *block)
{
    uint32_t i = 0, first = (uint32_t)(next_random(&worker->random) >> 33) % block->nwarps;
    while (i < block->nwarps && block->warps[(first + i) % block->nwarps].state != WARP_READY)
        i++;
    if (i < block->nwarps) {
        struct warp *warp = &block->warps[(first + i) % block->nwarps];
        int32_t turns = (int32_t)(next_random(&worker->random) >> 60);
        warp->fair = (int32_t)(next_random(&worker->random) >> 60);
        warp->hold = warp->hold ? (uint32_t)(next_random(&worker->random) >> 60) : 0;
        if (!warp_turn(worker, warp, turns))
            return false;
        if (warp->state == WARP_READY && next_random(&worker->random) >> 63)
            change_lanes(warp);
    }
    return round_over(worker, block, i < block->nwarps);
}

/* False: no memory; the launch stops. */
static bool block_start(struct worker *worker, struct block *block, uint64_t number)
{
    block_place(block, worker->run, number);
    block->live = block->threads;
    block->live_warps = block->nwarps < 32 ? (UINT32_C(1) << block->nwarps) - 1 : ALL_LANES;
    block->busy = true;
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
    if (!block_start(worker, block, number))
        return false;
    while (block->live)
        if (!block_turn(worker, block, WARP_TURNS))
            return false;
    worker->done++;
    return true;
}

/* ---- workers ------------------------------------------------------------------------------------------------------
 */

static void set_thread_numbers(struct warp *warp, const struct run *run)
{
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t thread = warp->number * (uint32_t)LANES + l;
        warp->tid[0][l] = thread % run->block[0];
        warp->tid[1][l] = thread / run->block[0] % run->block[1];
        warp->tid[2][l] = thread / run->block[0] / run->block[1];
    }
}

static bool block_open(struct worker *worker, struct block *block)
{
    struct run *run = worker->run;
    block->worker = worker;
    block->nwarps = run->nwarps;
    block->threads = run->threads;
    block->shared_bytes = run->shared_bytes;
    block->local_stride = run->program->local_bytes;
    size_t stride = block->local_stride, shared = (run->shared_bytes + 255u) & ~(size_t)127;
    block->shared = aligned_alloc(128, shared);
    if (!block->shared)
        return false;
    memset(block->shared, 0, shared);
    block->warps = arena_array(&worker->arena, run->nwarps, sizeof *block->warps);
    if (!block->warps)
        return false;
    for (uint32_t i = 0; i < run->nwarps; i++) {
        struct warp *warp = &block->warps[i];
        warp->block = block;
        warp->worker = worker;
        warp->number = (uint8_t)i;
        set_thread_numbers(warp, run);
        if (stride && !(warp->locals = calloc(LANES, stride))) /* pages come when they are touched */
            return false;
    }
    return true;
}

static uint32_t resident_blocks(const struct run *run, unsigned index)
{
    if (run->launch->cooperative)
        return (uint32_t)(run->blocks / run->workers + (index < run->blocks % run->workers));
    if (run->launch->order != ATOLL_ORDER_SEEDED)
        return 1;
    return run->blocks < RESIDENT_BLOCKS ? (uint32_t)run->blocks : RESIDENT_BLOCKS;
}

bool worker_open(struct worker *worker, struct run *run, unsigned index)
{
    worker->run = run;
    worker->index = index;
    worker->random = (run->launch->seed + index) * UINT64_C(0x9e3779b97f4a7c15) | 1;
    worker->nblocks = resident_blocks(run, index);
    worker->blocks = arena_array(&worker->arena, worker->nblocks, sizeof *worker->blocks);
    worker->sites = arena_array(&worker->arena, (size_t)run->program->sites + 1, sizeof *worker->sites);
    worker->free_frames = arena_array(&worker->arena, run->program->module->nfuncs, sizeof *worker->free_frames);
    if (!worker->blocks || !worker->sites || !worker->free_frames || !contention_open(worker))
        return false;
    for (uint32_t i = 0; i < worker->nblocks; i++)
        if (!block_open(worker, &worker->blocks[i]))
            return false;
    return true;
}

static void free_frames(struct worker *worker)
{
    for (uint32_t i = 0; worker->free_frames && i < worker->run->program->module->nfuncs; i++)
        for (unsigned char *frame = worker->free_frames[i], *next; frame; frame = next) {
            memcpy(&next, frame, sizeof(void *));
            free(frame);
        }
}

static void warp_close(struct warp *warp)
{
    calls_free(warp);
    free(warp->kernel_regs);
    free(warp->locals);
    tokens_free(warp);
}

void worker_close(struct worker *worker)
{
    for (uint32_t k = 0; worker->blocks && k < worker->nblocks; k++) {
        struct block *block = &worker->blocks[k];
        for (uint32_t i = 0; block->warps && i < block->nwarps; i++)
            warp_close(&block->warps[i]);
        free(block->shared);
    }
    if (worker->run)
        free_frames(worker);
    held_free(&worker->held);
    contention_close(worker);
    arena_free(&worker->arena);
}

static uint64_t worker_instructions(const struct worker *worker)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < worker->nblocks; k++)
        for (uint32_t i = 0; i < worker->blocks[k].nwarps; i++)
            sum += worker->blocks[k].warps[i].instructions;
    return sum;
}

static void report_progress(struct run *run)
{
    struct atoll_progress progress = {.blocks_done = atomic_load(&run->blocks_done),
                                      .blocks_total = run->blocks,
                                      .instructions = atomic_load(&run->instructions),
                                      .seconds = seconds() - run->start};
    run->launch->progress(run->launch->user, &progress);
}

static void count_blocks(struct run *run, struct worker *worker)
{
    atomic_fetch_add(&run->blocks_done, worker->done);
    worker->done = 0;
}

bool run_pause(struct run *run, struct worker *worker)
{
    const struct atoll_launch_options *launch = run->launch;
    uint64_t now = worker_instructions(worker), all;
    all = atomic_fetch_add(&run->instructions, now - worker->reported) + (now - worker->reported);
    worker->reported = now;
    count_blocks(run, worker);
    if (launch->instruction_limit && all > launch->instruction_limit)
        run_stop(run, ATOLL_LIMIT, "kernel '%s' was stopped: limit of %llu warp instructions reached",
                 run->program->module->funcs[run->program->kernel].name, (unsigned long long)launch->instruction_limit);
    if (launch->interrupt && *launch->interrupt)
        run_stop(run, ATOLL_INTERRUPTED, "interrupted");
    if (run->deadline > 0 && seconds() > run->deadline)
        run_stop(run, ATOLL_LIMIT, "kernel '%s' was stopped: time limit of %g s reached",
                 run->program->module->funcs[run->program->kernel].name, launch->time_limit);
    if (launch->progress && worker->reporter && seconds() > worker->next_report) {
        report_progress(run);
        worker->next_report = seconds() + 0.1;
    }
    return atomic_load(&run->stop) != 0;
}

/* A seeded order draws blocks at random without repeating any: a full-cycle walk number -> number * odd + c. */
static uint64_t pick_block(const struct run *run, uint64_t turn)
{
    if (run->launch->order != ATOLL_ORDER_SEEDED || run->blocks < 2)
        return turn;
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

static void work_parallel(struct worker *worker)
{
    struct run *run = worker->run;
    uint32_t done = 0;
    while (!atomic_load_explicit(&run->stop, memory_order_relaxed)) {
        uint64_t chunk = run->blocks > 64 * BLOCK_CHUNK ? BLOCK_CHUNK : 1;
        uint64_t first = atomic_fetch_add(&run->next_block, chunk);
        for (uint64_t i = first; i < first + chunk && i < run->blocks; i++) {
            if (!block_run(worker, i))
                return;
            if ((++done & 63) == 0 && run_pause(run, worker))
                return;
        }
        if (first + chunk >= run->blocks)
            break;
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
            if (!block_turn(worker, block, COOPERATIVE_TURNS))
                return;
            if (block->live)
                continue;
            block->busy = false;
            worker->done++;
            left--;
        }
    run_pause(run, worker);
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    if (worker->run->launch->order == ATOLL_ORDER_SEEDED)
        work_seeded(worker);
    else if (worker->run->launch->cooperative)
        work_cooperative(worker);
    else
        work_parallel(worker);
    held_merge(&worker->held); /* however it ended; others may wait for it */
    stall_leave(worker->run);
    return NULL;
}

/* ---- stopping ------------------------------------------------------------------------------------------------------
 */

static bool claim_failure(struct run *run)
{
    int expected = 0;
    bool first = atomic_compare_exchange_strong(&run->failed, &expected, 1);
    return first;
}

const struct step *run_stop(struct run *run, enum atoll_status status, const char *format, ...)
{
    if (claim_failure(run)) {
        char message[800];
        va_list args;
        va_start(args, format);
        vsnprintf(message, sizeof message, format, args);
        va_end(args);
        error_set(run->error, status, "%s", message);
    }
    atomic_store(&run->stop, 1);
    return NULL;
}

uint32_t warp_place(const struct warp *warp, const struct step *step, char place[PLACE_BYTES])
{
    return step_place(warp->worker->run, step, place);
}

uint32_t step_place(const struct run *run, const struct step *step, char place[PLACE_BYTES])
{
    const struct lane_func *func = step->info->func->lane;
    uint32_t line = step->info->inst->line;
    const char *file = run->file;
    if (!func->places || line == 0 || line > func->nplaces) {
        snprintf(place, PLACE_BYTES, "%.600s:%u", file, line);
        return line;
    }
    snprintf(place, PLACE_BYTES, "%.300s: %.300s", file, func->places[line - 1].name);
    return func->places[line - 1].address;
}

static void describe_trap(struct warp *warp, const struct step *step, uint32_t lanes, const char *cause,
                          uint64_t address, const int64_t coordinate[3], const char *why)
{
    struct run *run = warp->worker->run;
    const uint32_t *b = warp->block->id;
    unsigned lane = (unsigned)__builtin_ctz(lanes);
    const char *kernel = run->program->module->funcs[run->program->kernel].name;
    uint32_t x = warp->tid[0][lane], y = warp->tid[1][lane], z = warp->tid[2][lane];
    char place[PLACE_BYTES];
    uint32_t line = warp_place(warp, step, place);
    error_at(run->error, ATOLL_TRAP, line, 0,
             "kernel '%s' trapped at %s (%s): %s; block (%u, %u, %u), thread (%u, %u, %u)", kernel, place, cause, why,
             b[0], b[1], b[2], x, y, z);
    if (!run->trap)
        return;
    *run->trap = (struct atoll_trap){.kernel = kernel,
                                     .cause = cause,
                                     .line = line,
                                     .address = address,
                                     .block = {b[0], b[1], b[2]},
                                     .thread = {x, y, z}};
    if (coordinate)
        memcpy(run->trap->coordinate, coordinate, sizeof run->trap->coordinate);
}

const struct step *warp_trap(struct warp *warp, const struct step *step, uint32_t lanes, const char *cause,
                             uint64_t address, const int64_t coordinate[3], const char *format, ...)
{
    struct run *run = warp->worker->run;
    if (claim_failure(run)) {
        char why[600];
        va_list args;
        va_start(args, format);
        vsnprintf(why, sizeof why, format, args);
        va_end(args);
        describe_trap(warp, step, lanes, cause, address, coordinate, why);
    }
    atomic_store(&run->stop, 1);
    return NULL;
}

void warp_trace(struct warp *warp, const struct step *step)
{
    const struct lane_inst *inst = step->info->inst;
    struct run *run = warp->worker->run;
    const uint32_t *b = warp->block->id;
    char line[200];
    if (inst->op >= LANE_OPS)
        return;
    int n = snprintf(line, sizeof line, "block (%u,%u,%u) warp %u lanes %08x line %u %s%s%s\n", b[0], b[1], b[2],
                     warp->number, step_lanes(warp, step), inst->line, lane_rows[inst->op].name, inst->type ? "." : "",
                     inst->type ? lane_type_name(inst->type) : "");
    while (atomic_flag_test_and_set(&run->print_lock))
        ;
    run->launch->trace(run->launch->user, line, (size_t)n);
    atomic_flag_clear(&run->print_lock);
}

/* ---- a launch ------------------------------------------------------------------------------------------------------
 */

/* All blocks of a cooperative launch are resident: they may wait for each other. */
static bool run_resident(const struct run *run, struct atoll_error *error)
{
    if (!run->launch->cooperative)
        return true;
    if (run->blocks > RESIDENT_WARPS / run->nwarps)
        return error_set(error, ATOLL_LIMIT,
                         "a cooperative launch has all its blocks resident: at most %u of %u threads; given: %llu",
                         RESIDENT_WARPS / run->nwarps, run->threads, (unsigned long long)run->blocks);
    if (run->blocks * run->shared_bytes > RESIDENT_SHARED)
        return error_set(error, ATOLL_LIMIT,
                         "a cooperative launch has all its blocks resident: at most %llu with %u bytes of shared "
                         "memory; given: %llu",
                         (unsigned long long)(RESIDENT_SHARED / run->shared_bytes), run->shared_bytes,
                         (unsigned long long)run->blocks);
    return true;
}

static bool run_shape(struct run *run, struct atoll_error *error)
{
    const struct atoll_launch_options *launch = run->launch;
    run->blocks = 1;
    run->threads = 1;
    for (int i = 0; i < 3; i++) {
        run->grid[i] = launch->grid[i] ? launch->grid[i] : 1;
        run->block[i] = launch->block[i] ? launch->block[i] : 1;
        if (__builtin_mul_overflow(run->blocks, run->grid[i], &run->blocks) || run->block[i] > 1024 ||
            (run->threads *= run->block[i]) > MAX_WARPS * LANES)
            return error_set(error, ATOLL_USAGE, "grid or block too large: a block has at most 1024 threads");
    }
    run->nwarps = (run->threads + LANES - 1) / LANES;
    uint64_t shared = (uint64_t)run->program->shared_bytes + launch->dynamic_shared;
    if (shared > SPACE_WINDOW)
        return error_set(error, ATOLL_USAGE, "%llu bytes of shared memory asked for; the window has %llu",
                         (unsigned long long)shared, (unsigned long long)SPACE_WINDOW);
    run->shared_bytes = (uint32_t)shared;
    return run_resident(run, error) && parameters_make(run, error);
}

static unsigned thread_count(const struct run *run)
{
    if (run->launch->order != ATOLL_ORDER_PARALLEL)
        return 1;
    long n = run->launch->threads ? (long)run->launch->threads : sysconf(_SC_NPROCESSORS_ONLN);
    if (n < 1)
        n = 1;
    if (n > MAX_THREADS)
        n = MAX_THREADS;
    return (uint64_t)n > run->blocks ? (unsigned)run->blocks : (unsigned)n;
}

static void add_warp(const struct warp *w, struct atoll_stats *stats)
{
    stats->warp_instructions += w->instructions;
    stats->lane_instructions += w->lane_instructions;
    stats->divergent_branches += w->divergent;
    stats->global_accesses += w->accesses[LANE_GLOBAL] + w->accesses[LANE_GENERIC] + w->accesses[LANE_CONSTANT];
    stats->shared_accesses += w->accesses[LANE_SHARED];
    stats->local_accesses += w->accesses[LANE_LOCAL];
    stats->surface_accesses += w->accesses[LANE_SURFACE];
    stats->atomics += w->atomics;
}

static void add_stats(const struct worker *worker, struct atoll_stats *stats)
{
    for (uint32_t k = 0; k < worker->nblocks; k++) {
        stats->barriers += worker->blocks[k].barriers_done;
        for (uint32_t i = 0; i < worker->blocks[k].nwarps; i++)
            add_warp(&worker->blocks[k].warps[i], stats);
    }
}

static void run_workers(struct run *run, struct worker *workers, unsigned count, struct atoll_stats *stats)
{
    pthread_t threads[MAX_THREADS];
    unsigned open = 0, started = 0;
    while (open < count && worker_open(&workers[open], run, open))
        open++;
    if (open < count)
        run_stop(run, ATOLL_MEMORY, "out of memory for %u host threads", count);
    workers[0].reporter = true;
    workers[0].next_report = run->start + 0.1;
    while (open == count && started + 1 < count &&
           pthread_create(&threads[started], NULL, work, &workers[started + 1]) == 0)
        started++;
    for (unsigned i = started + 1; open == count && i < count; i++)
        stall_leave(run); /* no host thread for it */
    if (open == count && started + 1 < count && run->launch->cooperative)
        run_stop(run, ATOLL_SYSTEM, "cannot start %u host threads: blocks of a cooperative launch would be missing",
                 count);
    if (open == count)
        work(&workers[0]);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < count; i++) {
        count_blocks(run, &workers[i]);
        if (stats && i < open)
            add_stats(&workers[i], stats);
        worker_close(&workers[i]);
    }
}

/* What the kernel is made for, or what the launch asks for. */
static bool run_policy(struct run *run, struct atoll_error *error)
{
    const struct lane_func *kernel = &run->program->module->funcs[run->program->kernel];
    enum atoll_policy policy = run->launch->policy;
    if (policy == ATOLL_POLICY_STACK && !kernel->stacked)
        return error_set(error, ATOLL_USAGE, "kernel '%s' has no token stack: it runs by the frontier policy only",
                         kernel->name);
    run->stacked = kernel->stacked && policy != ATOLL_POLICY_FRONTIER;
    return true;
}

static enum run_kind run_kind(const struct atoll_launch_options *launch)
{
    if (launch->trace)
        return RUN_TRACED;
    return launch->order == ATOLL_ORDER_SEEDED ? RUN_SEEDED : RUN_PLAIN;
}

/* A trace shows every instruction: it runs a program that leaves nothing out. */
static bool launch_traced(struct program *program, const char *file, const struct atoll_launch_options *launch,
                          struct atoll_stats *stats, struct atoll_trap *trap, struct atoll_error *error)
{
    struct program *plain;
    if (!create(program->set, program->device, program->module, program->kernel, program->addresses, true, &plain,
                error))
        return false;
    bool ok = program_launch(plain, file, launch, stats, trap, error);
    program_destroy(plain);
    return ok;
}

bool program_launch(struct program *program, const char *file, const struct atoll_launch_options *launch,
                    struct atoll_stats *stats, struct atoll_trap *trap, struct atoll_error *error)
{
    if (launch->trace && !program->plain)
        return launch_traced(program, file, launch, stats, trap, error);

    struct run run = {.program = program,
                      .launch = launch,
                      .turn = program->set->run[run_kind(launch)],
                      .file = file,
                      .error = error,
                      .trap = trap,
                      .print_lock = ATOMIC_FLAG_INIT,
                      .stall = {.lock = PTHREAD_MUTEX_INITIALIZER}};
    struct atoll_stats counters = {0};
    if (!run_policy(&run, error) || !run_shape(&run, error)) {
        parameters_free(&run);
        return false;
    }
    run.start = seconds();
    run.deadline = launch->time_limit > 0 ? run.start + launch->time_limit : 0;
    unsigned count = run.workers = run.stall.active = thread_count(&run);
    struct worker *workers = aligned_alloc(_Alignof(struct worker), count * sizeof *workers);
    if (!workers) {
        parameters_free(&run);
        return error_memory(error);
    }
    memset(workers, 0, count * sizeof *workers);
    run_workers(&run, workers, count, &counters);
    counters.seconds = seconds() - run.start;
    counters.blocks = atomic_load(&run.blocks_done);
    counters.warps = counters.blocks * run.nwarps;
    if (launch->progress && !atomic_load(&run.failed))
        report_progress(&run);
    if (stats)
        *stats = counters;
    contention_report(&run);
    free(workers);
    parameters_free(&run);
    return !atomic_load(&run.failed);
}

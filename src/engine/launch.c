/* Programs and launches: host threads with what they need, limits, traps, counters. */
#include "engine/compiler.h"
#include "engine/parameters.h"
#include "engine/work.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 256 };
/* Of a cooperative launch, whose blocks are all resident: warps, and bytes of shared memory. */
enum { RESIDENT_WARPS = 32768 };
#define RESIDENT_SHARED (UINT64_C(4) << 30)

/* Seconds of a launch before it is known how long it will be; what compiling takes: LLVM has to be opened, and each
 * instruction costs (docs/jit.md, "What runs when"). */
#define COMPILE_AFTER 2e-3
#define COMPILE_OPEN  20e-3
#define COMPILE_EACH  1.5e-3

double host_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

static bool create(const struct executor *executor, struct device *device, const struct lane_module *module,
                   uint32_t func, const uint64_t *addresses, bool plain, struct program **program,
                   struct atoll_error *error)
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
    p->executor = executor;
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
    return create(executor_best(), device, module, func, addresses, false, program, error);
}

bool program_create_on(const struct executor *executor, struct device *device, const struct lane_module *module,
                       uint32_t func, const uint64_t *addresses, struct program **program, struct atoll_error *error)
{
    return create(executor, device, module, func, addresses, false, program, error);
}

void program_destroy(struct program *program)
{
    if (!program)
        return;
    compile_close(program);
    lane_module_free(&program->inlined.module);
    arena_free(&program->arena);
    free(program);
}

/* ---- workers ---------------------------------------------------------------------------------------------- */

static const struct lane_func *run_kernel(const struct run *run)
{
    return &run->program->module->funcs[run->program->kernel];
}

static void set_thread_numbers(struct warp *warp, const struct run *run)
{
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t thread = warp->number * run->warp_lanes + l;
        warp->tid[0][l] = thread % run->block[0];
        warp->tid[1][l] = thread / run->block[0] % run->block[1];
        warp->tid[2][l] = thread / run->block[0] / run->block[1];
    }
}

/* What lies at the same place in the memory of each lane would share one set of the host's caches if that was as long
 * as what a way has, or a multiple: so it is a few lines longer, an odd number. */
enum { LOCAL_LINE = 4096, LOCAL_APART = 5 * 64 };

static bool block_open(struct worker *worker, struct block *block)
{
    struct run *run = worker->run;
    block->worker = worker;
    block->nwarps = run->nwarps;
    block->threads = run->threads;
    block->shared_bytes = run->shared_bytes;
    block->local_bytes = run->program->local_bytes;
    block->local_stride =
        block->local_bytes + (block->local_bytes && block->local_bytes % LOCAL_LINE == 0 ? LOCAL_APART : 0);
    block->regfile_bytes = run_kernel(run)->regfile_bytes;
    block->warp_lanes = run->warp_lanes;
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
        warp->next = &block->warps[i + 1 < run->nwarps ? i + 1 : 0];
        set_thread_numbers(warp, run);
        if (stride && !(warp->locals = calloc(LANES, stride))) /* pages come when they are touched */
            return false;
        if (block->regfile_bytes && !(warp->regfile = calloc(1, block->regfile_bytes)))
            return false;
    }
    return true;
}

uint32_t resident_blocks(const struct run *run, unsigned index)
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
    free(warp->regfile);
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
                                      .seconds = host_seconds() - run->start};
    run->launch->progress(run->launch->user, &progress);
}

static void count_blocks(struct run *run, struct worker *worker)
{
    atomic_fetch_add(&run->blocks_done, worker->done);
    worker->done = 0;
}

/* The launch stops before its end, without a fault. Where it was is found when all host threads are out (standing.c).
 */
static void stop_early(struct run *run, enum atoll_status status, const char *why);

/* Is as much time still to come as compiling takes, or has the kernel taken it before? */
static bool worth_compiling(const struct run *run)
{
    const struct program *program = run->program;
    double worth = COMPILE_OPEN + COMPILE_EACH * program->funcs[program->kernel].ndecoded;
    double now = host_seconds() - run->start;
    double done = (double)atomic_load_explicit(&run->blocks_done, memory_order_relaxed) / (double)run->blocks;
    double left = done > 0 ? now * (1 - done) / done : 1;
    return (now > COMPILE_AFTER && left > worth) || program->spent + now > worth;
}

bool run_pause(struct run *run, struct worker *worker)
{
    const struct atoll_launch_options *launch = run->launch;
    uint64_t now = worker_instructions(worker), all;
    all = atomic_fetch_add(&run->instructions, now - worker->reported) + (now - worker->reported);
    worker->reported = now;
    count_blocks(run, worker);
    if (launch->instruction_limit && all > launch->instruction_limit)
        stop_early(run, ATOLL_LIMIT, "instruction");
    if (launch->interrupt && __atomic_load_n(launch->interrupt, __ATOMIC_RELAXED)) /* another thread may set it */
        stop_early(run, ATOLL_INTERRUPTED, NULL);
    if (run->deadline > 0 && host_seconds() > run->deadline)
        stop_early(run, ATOLL_LIMIT, "time");
    if (run->compiled && !compile_code(run->compiled) && worth_compiling(run))
        compile_later(run->compiled, !launch->no_cache);
    if (launch->progress && worker->reporter && host_seconds() > worker->next_report) {
        report_progress(run);
        worker->next_report = host_seconds() + 0.1;
    }
    return atomic_load(&run->stop) != 0;
}

static void *work(void *argument)
{
    worker_run(argument);
    atomic_thread_fence(memory_order_seq_cst); /* stores past the caches, which no lock of the host's orders, too */
    return NULL;
}

/* ---- stopping --------------------------------------------------------------------------------------------- */

static bool claim_failure(struct run *run)
{
    int expected = 0;
    bool first = atomic_compare_exchange_strong(&run->failed, &expected, 1);
    return first;
}

static void stop_early(struct run *run, enum atoll_status status, const char *limit)
{
    if (claim_failure(run)) {
        run->stopped = status;
        run->limit = limit;
    }
    atomic_store(&run->stop, 1);
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

static void describe_trap(struct warp *warp, const struct decoded *at, uint32_t lanes, const char *cause,
                          uint64_t address, const int64_t coordinate[3], const char *why)
{
    struct run *run = warp->worker->run;
    const uint32_t *b = warp->block->id;
    unsigned lane = (unsigned)__builtin_ctz(lanes);
    uint32_t x = warp->tid[0][lane], y = warp->tid[1][lane], z = warp->tid[2][lane];
    char place[PLACE_BYTES], title[TITLE_BYTES];
    uint32_t line = warp_place(warp, at, place);
    add_calls(run, warp, at, place);
    kernel_title(run, title);
    error_at(run->error, ATOLL_TRAP, line, 0,
             "kernel '%s' trapped at %s (%s): %s; block (%u, %u, %u), thread (%u, %u, %u)", title, place, cause, why,
             b[0], b[1], b[2], x, y, z);
    if (!run->trap)
        return;
    *run->trap = (struct atoll_trap){.kernel = run_kernel(run)->name,
                                     .cause = cause,
                                     .line = line,
                                     .file = decoded_file(run, at),
                                     .address = address,
                                     .block = {b[0], b[1], b[2]},
                                     .thread = {x, y, z}};
    if (coordinate)
        memcpy(run->trap->coordinate, coordinate, sizeof run->trap->coordinate);
    decoded_sources(at, run->trap->places, &run->trap->nplaces);
    const char *where = warp->worker->where;
    if (where && where[0] == ':') /* else it is about memory that nobody named */
        snprintf(run->trap->memory, sizeof run->trap->memory, "%s", where + 2);
}

const struct step *warp_trap(struct warp *warp, const struct decoded *at, uint32_t lanes, const char *cause,
                             uint64_t address, const int64_t coordinate[3], const char *format, ...)
{
    struct run *run = warp->worker->run;
    struct probe mine, *probe = run->probe ? run->probe : &mine;
    if (run->probe || claim_failure(run)) {
        va_list args;
        va_start(args, format);
        vsnprintf(probe->why, sizeof probe->why, format, args);
        va_end(args);
        probe->cause = cause;
        if (run->probe)
            return NULL;
        describe_trap(warp, at, lanes, cause, address, coordinate, mine.why);
    }
    atomic_store(&run->stop, 1);
    return NULL;
}

const struct step *warp_fault(struct warp *warp, const struct decoded *at, uint32_t lanes)
{
    static const char *const causes[] = {[LANE_FAULT_OVERFLOW] = "stack-overflow",
                                         [LANE_FAULT_UNDERFLOW] = "stack-underflow",
                                         [LANE_FAULT_JUMP] = "bad-jump",
                                         [LANE_FAULT_INSTRUCTION] = "bad-instruction",
                                         [LANE_FAULT_UNBOUND] = "unbound-surface"};
    const struct lane_inst *inst = at->inst;
    return warp_trap(warp, at, lanes, causes[inst->mode], 0, NULL, "%s", at->func->lane->strings[inst->aux]);
}

/* ---- a launch --------------------------------------------------------------------------------------------- */

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

/* Of other kernels nobody says which orders of memory are allowed. */
static bool run_weak(const struct run *run, struct atoll_error *error)
{
    const struct lane_func *kernel = run_kernel(run);
    if (!run->launch->weak)
        return true;
    if (run->launch->order != ATOLL_ORDER_SEEDED)
        return error_set(error, ATOLL_USAGE, "the weak order is a seeded order: order must be ATOLL_ORDER_SEEDED");
    return kernel->independent || error_set(error, ATOLL_USAGE,
                                            "kernel '%s' has no weak order: the memory model of the PTX ISA is not "
                                            "that of its code, or not of its target",
                                            kernel->name);
}

static bool run_shape(struct run *run, struct atoll_error *error)
{
    const struct atoll_launch_options *launch = run->launch;
    const struct lane_func *kernel = run_kernel(run);
    run->warp_lanes = (uint32_t)__builtin_popcount(run->program->funcs[run->program->kernel].every);
    run->thread_lanes = kernel->warp_lanes ? kernel->warp_lanes : LANES;
    run->blocks = 1;
    run->threads = 1;
    for (int i = 0; i < 3; i++) {
        run->grid[i] = launch->grid[i] ? launch->grid[i] : 1;
        run->block[i] = launch->block[i] ? launch->block[i] : 1;
        run->extent[i] = (uint64_t)run->grid[i] * run->block[i];
        if (kernel->thread_grid) {
            run->extent[i] = run->grid[i];
            run->block[i] = kernel->required_block[i] ? kernel->required_block[i] : 1;
            run->grid[i] = (uint32_t)((run->extent[i] + run->block[i] - 1) / run->block[i]);
        }
        if (__builtin_mul_overflow(run->blocks, run->grid[i], &run->blocks) || run->block[i] > BLOCK_THREADS ||
            (run->threads *= run->block[i]) > BLOCK_THREADS)
            return error_set(error, ATOLL_USAGE, "grid or block too large: a block has at most %u threads",
                             (unsigned)BLOCK_THREADS);
    }
    run->nwarps = (run->threads + run->warp_lanes - 1) / run->warp_lanes;
    uint64_t shared = (uint64_t)run->program->shared_bytes + launch->dynamic_shared;
    if (shared > SPACE_WINDOW)
        return error_set(error, ATOLL_USAGE, "%llu bytes of shared memory asked for; the window has %llu",
                         (unsigned long long)shared, (unsigned long long)SPACE_WINDOW);
    run->shared_bytes = (uint32_t)shared;
    return run_resident(run, error) && parameters_make(run, error);
}

static unsigned thread_count(const struct run *run)
{
    if (run->launch->order != ATOLL_ORDER_PARALLEL || launch_checked(run->launch))
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
    stats->compiled_blocks += worker->compiled;
    stats->stepped += worker->stepped;
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
    if (run->stopped)
        standing_report(run, workers, open);
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
    const struct lane_func *kernel = run_kernel(run);
    enum atoll_policy policy = run->launch->policy;
    if (policy == ATOLL_POLICY_STACK && !kernel->stacked)
        return error_set(error, ATOLL_USAGE, "kernel '%s' has no token stack: it runs by the frontier policy only",
                         kernel->name);
    run->stacked = kernel->stacked && policy != ATOLL_POLICY_FRONTIER;
    return true;
}

/* What the launch asks for; where it does not care, the environment may. */
static enum atoll_engine asked_engine(const struct atoll_launch_options *launch)
{
    const char *named = launch->engine == ATOLL_ENGINE_AUTO ? getenv("ATOLL_ENGINE") : NULL;
    if (named && strcmp(named, "interp") == 0)
        return ATOLL_ENGINE_INTERPRETER;
    return named && strcmp(named, "jit") == 0 ? ATOLL_ENGINE_JIT : launch->engine;
}

/* What atomics cost is counted by the interpreter. */
static bool counts_conflicts(const struct run *run)
{
    const struct func *kernel = &run->program->funcs[run->program->kernel];
    if (!run->launch->contention)
        return false;
    for (uint32_t i = 0; i < kernel->ndecoded; i++) {
        if (contention_wanted(run, &kernel->decoded[i]))
            return true;
    }
    return false;
}

/* Threads are numbered x first: lanes count x, carry to y, and on to z. What they count is alike in all warps if each
 * dimension divides what lanes are left to count by, or these divide it; whatever there is beyond the last, no lane
 * that runs comes there. */
static struct tids find_tids(const struct run *run)
{
    struct tids tids = {{false, false, false}, {{0}}};
    uint32_t done = 1; /* lanes that the axes before count through */
    bool seen = run_kernel(run)->warp_lanes && run->threads % run->thread_lanes; /* lanes beyond the last, too */
    if (run->warp_lanes != LANES || seen)
        return tids;
    for (unsigned axis = 0; axis < 3; axis++) {
        uint32_t n = run->block[axis], rest = done < LANES ? LANES / done : 1;
        bool last = axis == 2 || (run->block[axis + 1] == 1 && (axis == 1 || run->block[2] == 1));
        tids.known[axis] = done == LANES || n % rest == 0 || rest % n == 0 || last;
        if (!tids.known[axis])
            return tids;
        for (unsigned i = 0; i < LANE_BITS; i++) {
            uint32_t lane = UINT32_C(1) << i;
            bool mine = lane >= done && (lane / done < n || last);
            tids.by[axis][i] = mine ? (uint16_t)(lane / done) : 0;
        }
        done = last || n >= rest ? LANES : done * n;
    }
    return tids;
}

static bool may_compile(const struct run *run, enum atoll_engine engine)
{
    return engine != ATOLL_ENGINE_INTERPRETER && compiler_find() && !run->launch->trace &&
           !launch_checked(run->launch) && !run->counts_conflicts && run->launch->order != ATOLL_ORDER_SEEDED;
}

/* Compiled code leaves no trace, counts no conflicts, and takes no drawn order. */
static void run_engine(struct run *run)
{
    enum atoll_engine engine = asked_engine(run->launch);
    struct setting setting = {.tids = find_tids(run)};
    run->counts_conflicts = counts_conflicts(run);
    setting.formats = device_formats(run->program->device);
    run->compiled = may_compile(run, engine) ? compile_job_for(run->program, &setting) : NULL;
    run->had_code = run->compiled && compile_code(run->compiled);
    if (run->compiled && engine == ATOLL_ENGINE_JIT)
        compile_now(run->compiled, !run->launch->no_cache);
}

/* What was compiled for this launch. */
static void add_compiled(const struct run *run, struct atoll_stats *stats)
{
    struct compiled *code = run->compiled ? compile_code(run->compiled) : NULL;
    stats->not_compiled = run->compiled ? compile_refused(run->compiled) : NULL;
    if (launch_checked(run->launch))
        stats->not_compiled = launch_watched(run->launch) ? "the launch is watched"
                              : run->launch->weak         ? "the launch is in the weak order"
                                                          : "the launch is checked";
    if (run->counts_conflicts)
        stats->not_compiled = "conflicts of its atomics are counted";
    if (!code || run->had_code)
        return;
    stats->cached = compiler_find()->cached(code);
    stats->compiled = !stats->cached;
    stats->compile_seconds = compiler_find()->seconds(code);
}

static enum run_kind run_kind(const struct atoll_launch_options *launch)
{
    if (launch_checked(launch))
        return RUN_CHECKED;
    if (launch->trace)
        return RUN_TRACED;
    return launch->order == ATOLL_ORDER_SEEDED ? RUN_SEEDED : RUN_PLAIN;
}

/* A trace shows every instruction, and checks see every access: they run a program that leaves nothing out. */
static bool launch_plain(struct program *program, const char *file, const struct atoll_launch_options *launch,
                         struct atoll_stats *stats, struct atoll_trap *trap, struct atoll_error *error)
{
    struct program *plain;
    if (!create(program->executor, program->device, program->module, program->kernel, program->addresses, true, &plain,
                error))
        return false;
    bool ok = program_launch(plain, file, launch, stats, trap, error);
    program_destroy(plain);
    return ok;
}

bool program_launch(struct program *program, const char *file, const struct atoll_launch_options *launch,
                    struct atoll_stats *stats, struct atoll_trap *trap, struct atoll_error *error)
{
    if ((launch->trace || launch_checked(launch)) && !program->plain)
        return launch_plain(program, file, launch, stats, trap, error);

    struct run run = {.program = program,
                      .launch = launch,
                      .turn = program->executor->run[run_kind(launch)],
                      .file = file,
                      .error = error,
                      .trap = trap,
                      .print_lock = ATOMIC_FLAG_INIT,
                      .stall = {.lock = PTHREAD_MUTEX_INITIALIZER}};
    struct atoll_stats counters = {0};
    if (!run_policy(&run, error) || !run_weak(&run, error) || !run_shape(&run, error)) {
        parameters_free(&run);
        return false;
    }
    run_engine(&run);
    run.start = host_seconds();
    run.deadline = launch->time_limit > 0 ? run.start + launch->time_limit : 0;
    unsigned count = run.workers = run.stall.active = thread_count(&run);
    if (!check_open(&run, error)) {
        parameters_free(&run);
        return false;
    }
    struct worker *workers = aligned_alloc(_Alignof(struct worker), count * sizeof *workers);
    if (!workers) {
        check_close(&run, &counters);
        parameters_free(&run);
        return error_memory(error);
    }
    memset(workers, 0, count * sizeof *workers);
    run_workers(&run, workers, count, &counters);
    counters.seconds = host_seconds() - run.start;
    program->spent += counters.seconds;
    add_compiled(&run, &counters);
    counters.blocks = atomic_load(&run.blocks_done);
    counters.warps = counters.blocks * ((run.threads + run.thread_lanes - 1) / run.thread_lanes);
    if (launch->progress && !atomic_load(&run.failed))
        report_progress(&run);
    check_close(&run, &counters);
    if (stats)
        *stats = counters;
    contention_report(&run);
    free(workers);
    parameters_free(&run);
    return !atomic_load(&run.failed);
}

/* Runs kernels that are made from the input (run_gen.c) in all the ways there are, and compares: two instruction sets
 * of the host in the same order do the same to the last bit and count the same; other orders, several host threads,
 * traces, the other policy and compiled code give the same memory, and trap where the first does. */
#include <string.h>

#include "base/text.h"
#include "engine/run.h"
#include "fuzz.h"
#include "run_gen.h"

enum { TEXELS = 32 * 16, OWN_TEXELS = RUN_THREADS * RUN_BLOCKS, SLOTS_BYTES = RUN_THREADS * RUN_BLOCKS * RUN_SLOT };

struct memory {
    unsigned char slots[SLOTS_BYTES], counters[RUN_COUNTER_BYTES];
    uint32_t own[OWN_TEXELS], sum[TEXELS];
};

struct outcome {
    struct memory memory;
    struct atoll_stats stats;
    struct atoll_error error;
    bool good;
};

/* Each case has one of them. */
static const char *const layouts[] = {"pitch", "block-linear", "tile-4"};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

struct surfaces {
    struct surface *read, *own, *sum;
};

struct machine {
    struct device *device;
    uint64_t slots, counters;
    struct surfaces surfaces[LAYOUTS];
    struct run_catalogue catalogue;
};

/* A way to run a kernel. */
struct way {
    const char *name;
    bool best; /* the host's best instruction set; else the plainest */
    enum atoll_order order;
    enum atoll_policy policy;
    bool traced;
    enum atoll_engine engine;
    unsigned checks; /* of launches that trap, MEMORY makes one that goes on */
};
/* Built with FUZZ_ENGINES the engines alone are compared, with more inputs: memory that is not the same. */
#ifdef FUZZ_ENGINES
enum { INPUTS = 4 };
static const struct way ways[] = {
    {.name = "interpreted", .best = true, .order = ATOLL_ORDER_DETERMINISTIC, .engine = ATOLL_ENGINE_INTERPRETER},
    {.name = "compiled", .best = true, .order = ATOLL_ORDER_DETERMINISTIC, .engine = ATOLL_ENGINE_JIT},
    {.name = "compiled, parallel", .best = true, .order = ATOLL_ORDER_PARALLEL, .engine = ATOLL_ENGINE_JIT},
};
#else
enum { INPUTS = 1 };
static const struct way ways[] = {
    {.name = "base", .order = ATOLL_ORDER_DETERMINISTIC, .engine = ATOLL_ENGINE_INTERPRETER},
    {.name = "best", .best = true, .order = ATOLL_ORDER_DETERMINISTIC, .engine = ATOLL_ENGINE_INTERPRETER},
    {.name = "seeded", .best = true, .order = ATOLL_ORDER_SEEDED, .engine = ATOLL_ENGINE_INTERPRETER},
    {.name = "parallel", .best = true, .order = ATOLL_ORDER_PARALLEL, .engine = ATOLL_ENGINE_INTERPRETER},
    {.name = "frontier",
     .best = true,
     .order = ATOLL_ORDER_DETERMINISTIC,
     .policy = ATOLL_POLICY_FRONTIER,
     .engine = ATOLL_ENGINE_INTERPRETER},
    {.name = "traced",
     .best = true,
     .order = ATOLL_ORDER_DETERMINISTIC,
     .traced = true,
     .engine = ATOLL_ENGINE_INTERPRETER},
    {.name = "checked",
     .best = true,
     .order = ATOLL_ORDER_DETERMINISTIC,
     .engine = ATOLL_ENGINE_INTERPRETER,
     .checks = ATOLL_CHECK_ALL & ~(unsigned)ATOLL_CHECK_MEMORY},
    {.name = "checked, seeded",
     .best = true,
     .order = ATOLL_ORDER_SEEDED,
     .engine = ATOLL_ENGINE_INTERPRETER,
     .checks = ATOLL_CHECK_ALL | ATOLL_CHECK_BORDER | ATOLL_CHECK_OUTPUTS},
    {.name = "compiled", .best = true, .order = ATOLL_ORDER_DETERMINISTIC, .engine = ATOLL_ENGINE_JIT},
    {.name = "compiled, parallel", .best = true, .order = ATOLL_ORDER_PARALLEL, .engine = ATOLL_ENGINE_JIT},
};
#endif

static struct surface *make_surface(struct device *device, const char *layout, uint32_t width, uint32_t height)
{
    struct atoll_error error;
    struct surface *surface;
    fuzz_check(surface_create(LANE_DIM_2D, width, height, 1, 1, format_find("r32uint"), layout_find(layout), &surface,
                              &error));
    fuzz_check(device_add_surface(device, surface, DEVICE_HEADER_ANY, &error));
    return surface;
}

static struct machine *machine(void)
{
    static struct machine made;
    struct machine *m = &made;
    struct atoll_error error;
    if (m->device)
        return m;
    fuzz_check(device_create(UINT64_C(1) << 30, &m->device, &error));
    fuzz_check(space_alloc(device_space(m->device), SLOTS_BYTES, false, false, &m->slots, &error));
    fuzz_check(space_alloc(device_space(m->device), RUN_COUNTER_BYTES, false, false, &m->counters, &error));
    for (unsigned i = 0; i < LAYOUTS; i++)
        m->surfaces[i] = (struct surfaces){.read = make_surface(m->device, layouts[i], 32, 16),
                                           .own = make_surface(m->device, layouts[i], RUN_THREADS, RUN_BLOCKS),
                                           .sum = make_surface(m->device, layouts[i], 32, 16)};
    run_catalogue_make(&m->catalogue, m->device);
    return m;
}

static void *host(struct machine *m, uint64_t address)
{
    struct space_block block;
    fuzz_check(space_find(device_space(m->device), address, &block));
    return block.host;
}

static uint32_t threads_of(const struct run_case *c)
{
    return c->block[0] * c->block[1] * c->block[2];
}

static const struct surfaces *surfaces_of(const struct machine *m, const struct run_case *c)
{
    return &m->surfaces[(c->grid ^ threads_of(c)) % LAYOUTS];
}

static uint32_t scattered(uint32_t i)
{
    return i * 0x9e3779b1u;
}

/* Input 0: the threads' slots are zeros. Of others they hold small numbers, floats and bits, by turns. */
static void set_memory(struct machine *m, const struct surfaces *on, unsigned input)
{
    static const uint32_t zeros[OWN_TEXELS + TEXELS];
    uint32_t texels[TEXELS], slots[SLOTS_BYTES / 4];
    struct atoll_error error;
    for (uint32_t i = 0; i < TEXELS; i++)
        texels[i] = scattered(i + input * TEXELS);
    for (uint32_t i = 0; i < SLOTS_BYTES / 4; i++) {
        uint32_t bits = scattered(i * 4 + input);
        slots[i] = !input ? 0 : i % 3 == 0 ? bits >> 27 : i % 3 == 1 ? bits >> 8 | 0x3f000000u : bits;
    }
    fuzz_check(surface_upload(on->read, texels, sizeof texels, &error));
    memcpy(host(m, m->slots), slots, SLOTS_BYTES);
    memset(host(m, m->counters), 0x5a, RUN_LOCK);
    memset((unsigned char *)host(m, m->counters) + RUN_LOCK, 0, RUN_COUNTER_BYTES - RUN_LOCK);
    fuzz_check(surface_upload(on->own, zeros, OWN_TEXELS * 4, &error) &&
               surface_upload(on->sum, zeros, TEXELS * 4, &error));
}

static void get_memory(struct machine *m, const struct surfaces *on, struct memory *memory)
{
    struct atoll_error error;
    memcpy(memory->slots, host(m, m->slots), sizeof memory->slots);
    memcpy(memory->counters, host(m, m->counters), sizeof memory->counters);
    fuzz_check(surface_download(on->own, memory->own, sizeof memory->own, &error) &&
               surface_download(on->sum, memory->sum, sizeof memory->sum, &error));
}

static void no_trace(void *user, const char *line, size_t size)
{
    (void)user, (void)line, (void)size;
}

static void run_way(struct machine *m, struct program *program, const struct run_case *c, const struct way *way,
                    unsigned input, struct outcome *out)
{
    const struct surfaces *on = surfaces_of(m, c);
    uint64_t parameters[RUN_PARAMETERS] = {m->slots, m->counters, on->read->handle, on->own->handle, on->sum->handle};
    struct atoll_launch_options launch = {.grid = {c->grid, 1, 1},
                                          .block = {c->block[0], c->block[1], c->block[2]},
                                          .parameters = parameters,
                                          .parameter_bytes = sizeof parameters,
                                          .threads = 2,
                                          .order = way->order,
                                          .policy = way->policy,
                                          .engine = way->engine,
                                          .no_cache = true,
                                          .seed = c->grid * 31 + threads_of(c),
                                          .checks = way->checks,
                                          .instruction_limit = 4000000,
                                          .trace = way->traced ? no_trace : NULL};
    memset(out, 0, sizeof *out);
    set_memory(m, on, input);
    out->good = program_launch(program, "fuzz", &launch, &out->stats, NULL, &out->error);
    out->stats.seconds = out->stats.compile_seconds = 0;
    out->stats.compiled_blocks = out->stats.compiled = out->stats.cached = 0;
    out->stats.not_compiled = NULL;
    out->stats.stepped = 0;
    get_memory(m, on, &out->memory);
}

static void tell_counters(const struct outcome *a, const struct outcome *b)
{
    static const char *const names[] = {"blocks",
                                        "warps",
                                        "warp instructions",
                                        "lane instructions",
                                        "divergent",
                                        "barriers",
                                        "global",
                                        "shared",
                                        "local",
                                        "surface",
                                        "atomics"};
    const uint64_t *x = &a->stats.blocks, *y = &b->stats.blocks;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (x[i] != y[i])
            fprintf(stderr, "%s: %llu, %llu\n", names[i], (unsigned long long)x[i], (unsigned long long)y[i]);
}

/* Says what went wrong and ends. */
static void differ(const struct run_case *c, const struct way *way, const char *what, const struct outcome *a,
                   const struct outcome *b)
{
    struct text text = {0};
    lane_print(&c->module, &text);
    fprintf(stderr, "%s\n%u blocks of %u x %u x %u threads, %s: %s\n%s: %s\n%s: %s\n", text_ok(&text) ? text.bytes : "",
            c->grid, c->block[0], c->block[1], c->block[2], way->name, what, ways[0].name,
            a->good ? "ok" : a->error.message, way->name, b->good ? "ok" : b->error.message);
    tell_counters(a, b);
    const unsigned char *x = (const void *)&a->memory, *y = (const void *)&b->memory;
    for (size_t i = 0, told = 0; i < sizeof a->memory && told < 8; i++)
        if (x[i] != y[i])
            fprintf(stderr, "byte %zu (thread %zu + %zu): %02x, %02x\n", i, i / RUN_SLOT, i % RUN_SLOT, x[i], y[i]),
                told++;
    abort();
}

static void compare(const struct run_case *c, const struct way *way, const struct outcome *a, const struct outcome *b)
{
    bool same_order = way == &ways[1] && way->engine == ATOLL_ENGINE_INTERPRETER;
    bool same_counters = same_order || (a->good && way->engine == ATOLL_ENGINE_JIT && way->order == ways[0].order);
    if (way->checks & ATOLL_CHECK_MEMORY && !a->good)
        return;
    if (a->good != b->good || (!a->good && a->error.status != b->error.status))
        differ(c, way, "another end", a, b);
    if (same_order && !a->good && strcmp(a->error.message, b->error.message) != 0)
        differ(c, way, "another message", a, b);
    if ((same_order || a->good) && memcmp(&a->memory, &b->memory, sizeof a->memory) != 0)
        differ(c, way, "other memory", a, b);
    if (same_counters && memcmp(&a->stats, &b->stats, sizeof a->stats) != 0)
        differ(c, way, "other counters", a, b);
}

static void check_input(struct machine *m, struct program **programs, const struct run_case *c, unsigned input)
{
    static struct outcome first, other;
    struct atoll_error error;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (!atoll_engine_available(ways[i].engine, &error))
            continue;
        run_way(m, programs[ways[i].best], c, &ways[i], input, i ? &other : &first);
        if (i)
            compare(c, &ways[i], &first, &other);
        else if (!first.good && first.error.status != ATOLL_TRAP)
            differ(c, &ways[0], "does not end", &first, &first);
    }
}

static void check(struct machine *m, const struct run_case *c)
{
    struct program *programs[2];
    struct atoll_error error;
    for (int best = 0; best < 2; best++)
        if (!program_create_on(best ? executor_best() : executor_portable(), m->device, &c->module, 0, NULL,
                               &programs[best], &error)) {
            fprintf(stderr, "%s\n", error.message);
            fuzz_check(false);
        }
    for (unsigned input = 0; input < INPUTS; input++)
        check_input(m, programs, c, input);
    program_destroy(programs[0]);
    program_destroy(programs[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct machine *m = machine();
    struct run_case c;
    struct atoll_error error = {0};
    fuzz_check(run_generate(&m->catalogue, data, size, &c));
    if (!lane_verify(&c.module, &error)) {
        struct text text = {0};
        lane_print(&c.module, &text);
        fprintf(stderr, "%s\n%s\n", text_ok(&text) ? text.bytes : "", error.message);
        fuzz_check(false);
    }
    check(m, &c);
    lane_module_free(&c.module);
    return 0;
}

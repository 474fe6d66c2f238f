/* The workloads on Atoll, through atoll.h. Surfaces where the workload says so. */
#include "bench.h"

#include "atoll.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run {
    const struct bench_job *job;
    struct atoll_device *device;
    struct atoll_module *module;
    struct atoll_kernel *kernels[4]; /* launched one after the other with the same arguments; NULL: no more */
    struct atoll_surface *src, *dst; /* NULL where memory is used */
    uint64_t in, out;                /* device addresses */
    struct atoll_launch_options launch;
    bool slots;            /* buffers and surfaces are arguments of three words: address, bytes, handle */
    unsigned floats;       /* in a texel: surfaces of floats stand for words; 0: words are words */
    uint64_t instructions; /* of the last run, by warps */
    double compile_ms;     /* of all runs */
    unsigned char arguments[8192];
    struct atoll_error error;
};

static bool complain(struct run *run, bool ok)
{
    if (!ok)
        fprintf(stderr, "atoll: %s\n", run->error.message);
    return ok;
}

static void argument(struct run *run, const void *value, size_t size)
{
    size_t at = (run->launch.parameter_bytes + size - 1) / size * size;
    memcpy(run->arguments + at, value, size);
    run->launch.parameter_bytes = at + size;
}

static void argument_u32(struct run *run, uint32_t value)
{
    argument(run, &value, sizeof value);
}

static void argument_u64(struct run *run, uint64_t value)
{
    argument(run, &value, sizeof value);
}

static void argument_buffer(struct run *run, uint64_t address, uint64_t size)
{
    argument_u64(run, address);
    if (run->slots) {
        argument_u64(run, size);
        argument_u64(run, 0);
    }
}

static void argument_surface(struct run *run, const struct atoll_surface *surface)
{
    if (run->slots) {
        argument_u64(run, 0);
        argument_u64(run, 0);
    }
    argument_u64(run, atoll_surface_handle(surface));
}

static struct atoll_surface *surface(struct run *run, enum atoll_dimension dimension, uint32_t width, uint32_t height,
                                     const uint32_t *texels)
{
    struct atoll_surface *surface = NULL;
    struct atoll_surface_desc desc = {
        .dimension = dimension, .width = width, .height = height, .depth = 1, .layers = 1, .format = "r32uint"};
    if (bench_is(run->job, "w2b") || bench_is(run->job, "w9"))
        desc.format = "rgba8unorm";
    if (!complain(run, atoll_surface_create(run->device, &desc, &surface, &run->error)))
        return NULL;
    if (texels != NULL &&
        !complain(run, atoll_surface_write(surface, texels, (uint64_t)width * height * 4, &run->error)))
        return NULL;
    return surface;
}

static bool buffers(struct run *run)
{
    const struct bench_job *job = run->job;
    if (job->input != NULL) {
        if (!complain(run, atoll_memory_alloc(run->device, job->input_words * 4, &run->in, &run->error)) ||
            !complain(run, atoll_memory_write(run->device, run->in, job->input, job->input_words * 4, &run->error)))
            return false;
        argument_buffer(run, run->in, job->input_words * 4);
    }
    if (!complain(run, atoll_memory_alloc(run->device, job->output_words * 4, &run->out, &run->error)))
        return false;
    argument_buffer(run, run->out, job->output_words * 4);
    return true;
}

static bool surfaces(struct run *run)
{
    const struct bench_job *job = run->job;
    uint32_t n = job->size;
    if (job->input != NULL) {
        run->src = surface(run, ATOLL_DIM_2D, n, n, job->input);
        if (run->src == NULL)
            return false;
        argument_surface(run, run->src);
    }
    run->dst = bench_is(job, "w4") ? surface(run, ATOLL_DIM_1D, 256, 1, NULL) : surface(run, ATOLL_DIM_2D, n, n, NULL);
    if (run->dst == NULL)
        return false;
    argument_surface(run, run->dst);
    argument_u32(run, n);
    argument_u32(run, n);
    return true;
}

/* ---- CTM: arguments have names, and words are floats --------------------------------------------------------------
 */

static bool ctm_argument(struct run *run, const char *name, const void *value, size_t size)
{
    struct atoll_kernel_info kernel;
    struct atoll_parameter_info info;
    atoll_kernel_describe(run->kernels[0], &kernel);
    run->launch.parameter_bytes = kernel.parameter_bytes;
    for (unsigned i = 0; i < kernel.parameters; i++) {
        if (!complain(run, atoll_kernel_parameter(run->kernels[0], i, &info, &run->error)))
            return false;
        if (strcmp(info.name, name) == 0 && info.offset + size <= sizeof run->arguments) {
            memcpy(run->arguments + info.offset, value, size);
            return true;
        }
    }
    fprintf(stderr, "atoll: no argument '%s'\n", name);
    return false;
}

static bool ctm_surface(struct run *run, const char *name, struct atoll_surface **made)
{
    uint32_t n = run->job->size;
    struct atoll_surface_desc desc = {.dimension = ATOLL_DIM_2D,
                                      .width = n / (run->floats == 4 ? 2 : 1),
                                      .height = n / (run->floats == 4 ? 2 : 1),
                                      .depth = 1,
                                      .layers = 1,
                                      .format = run->floats == 4 ? "rgba32float" : "r32float"};
    if (!complain(run, atoll_surface_create(run->device, &desc, made, &run->error)))
        return false;
    uint64_t handle = atoll_surface_handle(*made);
    return ctm_argument(run, name, &handle, sizeof handle);
}

static bool ctm_input(struct run *run)
{
    const struct bench_job *job = run->job;
    float *texels = malloc(job->input_words * sizeof *texels);
    if (texels == NULL || !ctm_surface(run, "in0", &run->src))
        return free(texels), false;
    for (size_t i = 0; i < job->input_words; i++)
        texels[i] = (float)job->input[i];
    bool ok = complain(run, atoll_surface_write(run->src, texels, job->input_words * 4, &run->error));
    free(texels);
    return ok;
}

/* Surfaces, constants, and the grid, which counts index pairs. */
static bool ctm_prepare(struct run *run)
{
    const struct bench_job *job = run->job;
    const uint32_t rounds[2] = {128, BENCH_LIMIT / 128};
    float box[4] = {-1, 0, 1, 1.0f / 9}, plane[4] = {-2.25f, -1.5f, bench_step(job), 4};
    run->launch.grid[0] = run->launch.grid[1] = job->size / (run->floats == 4 ? 2 : 1);
    run->launch.grid[2] = 1;
    if ((job->input != NULL && !ctm_input(run)) || !ctm_surface(run, "out0", &run->dst))
        return false;
    if (bench_is(job, "w2"))
        return ctm_argument(run, "c0", box, sizeof box);
    if (bench_is(job, "w8f"))
        return ctm_argument(run, "c0", plane, sizeof plane) && ctm_argument(run, "i0", &rounds[0], 4) &&
               ctm_argument(run, "i1", &rounds[1], 4);
    return true;
}

/* Grid, block and the arguments that follow the buffers. */
static void shape(struct run *run)
{
    const struct bench_job *job = run->job;
    uint32_t n = job->size, *grid = run->launch.grid, *block = run->launch.block;
    grid[0] = grid[1] = grid[2] = block[1] = block[2] = 1;
    if (bench_is(job, "w10")) {
        grid[0] = (n + 31) / 32;
        grid[1] = (n + 7) / 8;
        block[0] = 32;
        block[1] = 8;
    } else if (bench_square(job)) {
        grid[0] = grid[1] = (n + 15) / 16;
        block[0] = block[1] = 16;
    } else if (bench_is(job, "w6")) {
        grid[0] = n;
        block[0] = 128;
    } else {
        uint32_t each = bench_is(job, "w5") ? 4096 : bench_is(job, "w0") ? 32 : 256;
        grid[0] = (n + each - 1) / each;
        block[0] = bench_is(job, "w0") ? 32 : 256;
    }
    if (bench_is(job, "w5"))
        argument_u32(run, n);
    if (bench_is(job, "w8"))
        argument_u32(run, BENCH_ROUNDS);
    if (bench_is(job, "w8f") || bench_is(job, "w10")) {
        argument_u32(run, n);
        argument_u32(run, n);
    }
    if (bench_is(job, "w8f")) {
        float step = bench_step(job);
        argument(run, &step, sizeof step);
        argument_u32(run, BENCH_LIMIT);
    }
}

/* The files of the variants; those of vISA have their arguments as OpenCL has them. */
static const struct variant {
    const char *name, *suffix;
    bool opencl;
    unsigned floats; /* of CTM: in a texel */
} variants[] = {
    {"", ".ptx", false, 0},
    {"sass", ".sm_50.cubin", false, 0},
    {"visa16", ".simd16.visaasm", true, 0},
    {"visa32", ".simd32.visaasm", true, 0},
    {"ctm", ".dpp", false, 1},
    {"ctm4", ".float4.dpp", false, 4},
};

static const struct variant *variant_of(const struct bench_job *job)
{
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        if (strcmp(job->variant, variants[i].name) == 0)
            return &variants[i];
    fprintf(stderr, "no variant '%s'\n", job->variant);
    return NULL;
}

static bool kernels(struct run *run)
{
    static const char *const one[4] = {NULL}, *const components[4] = {"w10_init", "w10_resolve", "w10_merge",
                                                                      "w10_resolve"};
    const char *const *names = bench_is(run->job, "w10") ? components : one;
    for (int i = 0; i < 4 && (i == 0 || names[i] != NULL); i++) {
        const char *name = names[i] != NULL ? names[i] : run->job->work;
        if (!complain(run, atoll_module_kernel(run->module, name, &run->kernels[i], &run->error)))
            return false;
    }
    return true;
}

static void tell(void *user, const struct atoll_finding *finding)
{
    (void)user;
    fprintf(stderr, "%s (%llu times)\n", finding->message, (unsigned long long)finding->count);
}

static void *atoll_open(const struct bench_job *job)
{
    struct run *run = calloc(1, sizeof *run);
    const struct variant *variant = variant_of(job);
    size_t size;
    char *text = variant != NULL ? bench_read(job, variant->suffix, &size) : NULL;
    if (run == NULL || text == NULL)
        return NULL;
    run->job = job;
    const char *engine = getenv("ATOLL_ENGINE");
    if (engine != NULL && strcmp(engine, "jit") == 0)
        atoll_engine_available(ATOLL_ENGINE_JIT, &run->error); /* opens LLVM, which is no part of compiling a kernel */
    run->slots = variant->opencl;
    run->floats = variant->floats;
    struct atoll_module_options options = {0};
    if (variant->opencl) {
        options.abi = "opencl";
        options.abi_text = bench_is(job, "w5") ? "0=global\n1=global\n2=value:4\nsize=enqueued_local_size\n"
                                               : "0=image:2d:read\n1=image:2d:write\n2=value:4\n3=value:4\n"
                                                 "size=enqueued_local_size\n";
    }
    bool ok = complain(run, atoll_device_create(NULL, &run->device, &run->error)) &&
              complain(run, atoll_module_load(run->device, text, size, &options, &run->module, &run->error)) &&
              kernels(run);
    free(text);
    if (!ok || !(run->floats ? ctm_prepare(run) : bench_surfaces(job) ? surfaces(run) : buffers(run)))
        return NULL;
    if (!run->floats)
        shape(run);
    run->launch.parameters = run->arguments;
    run->launch.threads = job->threads;
    const char *checks = getenv("ATOLL_CHECKS"); /* what checks cost, and that they find nothing */
    if (checks != NULL && !complain(run, atoll_check_find(checks, &run->launch.checks, &run->error)))
        return NULL;
    run->launch.finding = tell;
    return run;
}

static void atoll_reset(void *state)
{
    struct run *run = state;
    uint64_t size = run->job->output_words * 4;
    void *zeros = calloc(1, size);
    if (zeros == NULL)
        return;
    if (run->dst != NULL)
        atoll_surface_write(run->dst, zeros, size, &run->error);
    else
        atoll_memory_write(run->device, run->out, zeros, size, &run->error);
    free(zeros);
}

static bool atoll_run(void *state)
{
    struct run *run = state;
    run->instructions = 0;
    for (int i = 0; i < 4 && run->kernels[i] != NULL; i++) {
        struct atoll_stats stats;
        if (!complain(run, atoll_launch(run->kernels[i], &run->launch, &stats, NULL, &run->error)))
            return false;
        run->instructions += stats.warp_instructions;
        run->compile_ms += stats.compiled > 0 ? stats.compile_seconds * 1e3 : 0;
    }
    return true;
}

static bool atoll_fetch(void *state, struct bench_job *job)
{
    struct run *run = state;
    uint64_t size = job->output_words * 4;
    job->instructions = run->instructions;
    job->compile_ms = run->compile_ms;
    if (run->dst != NULL) {
        bool ok = complain(run, atoll_surface_read(run->dst, job->output, size, &run->error));
        for (size_t i = 0; run->floats && i < job->output_words; i++) {
            float value;
            memcpy(&value, &job->output[i], sizeof value);
            job->output[i] = (uint32_t)value;
        }
        return ok;
    }
    return complain(run, atoll_memory_read(run->device, run->out, job->output, size, &run->error));
}

static void atoll_close(void *state)
{
    struct run *run = state;
    atoll_module_destroy(run->module);
    if (run->src != NULL)
        atoll_surface_destroy(run->src);
    if (run->dst != NULL)
        atoll_surface_destroy(run->dst);
    atoll_device_destroy(run->device);
    free(run);
}

const struct bench_executor *bench_program(void)
{
    static const struct bench_executor executor = {"atoll",   atoll_open,  atoll_reset,
                                                   atoll_run, atoll_fetch, atoll_close};
    return &executor;
}

/* The programs of CTM in examples/ctm that run by themselves, through atoll.h in every order and held against plain C
 * (tests/ref). */
#include "ref/ref.h"
#include "ref/rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PARAMETERS = 8192 };

/* A program and what it is given, by the names of docs/ctm.md, "Units". */
struct job {
    struct rig rig;
    struct atoll_kernel *kernel;
    unsigned char parameters[PARAMETERS];
    size_t size;
};

static void job_open(struct job *job, const struct rig_mode *how, const char *name)
{
    struct atoll_error error = {0};
    struct rig_mode mode = *how;
    mode.suffix = ".dpp";
    memset(job, 0, sizeof *job);
    rig_open(&job->rig, &mode, EXAMPLES_DIR "/ctm", name);
    if (!atoll_module_kernel(job->rig.module, name, &job->kernel, &error))
        fail_msg("%s: %s", name, error.message);
}

static void job_give(struct job *job, const char *name, const void *bytes, size_t size)
{
    struct atoll_parameter_info info = {.name = ""};
    struct atoll_kernel_info kernel;
    atoll_kernel_describe(job->kernel, &kernel);
    job->size = kernel.parameter_bytes;
    assert_true(job->size <= PARAMETERS);
    for (unsigned i = 0; strcmp(info.name, name) != 0; i++)
        if (!atoll_kernel_parameter(job->kernel, i, &info, NULL))
            fail_msg("%s: no such parameter", name);
    assert_true(size <= info.size);
    memcpy(job->parameters + info.offset, bytes, size);
}

static void job_floats(struct job *job, const char *name, float x, float y, float z, float w)
{
    const float values[] = {x, y, z, w};
    job_give(job, name, values, sizeof values);
}

static struct atoll_surface *job_surface(struct job *job, const char *name, const char *format, uint32_t width,
                                         uint32_t height, const void *texels)
{
    struct atoll_surface *surface = rig_surface(&job->rig, ATOLL_DIM_2D, format, width, height, 1, texels);
    uint64_t handle = atoll_surface_handle(surface);
    job_give(job, name, &handle, sizeof handle);
    return surface;
}

/* Over width x height index pairs. */
static void job_run(struct job *job, uint32_t width, uint32_t height)
{
    struct atoll_trap trap;
    struct atoll_error error = {0};
    struct atoll_launch_options launch = {.grid = {width, height, 1},
                                          .parameters = job->parameters,
                                          .parameter_bytes = job->size,
                                          .threads = job->rig.mode.threads,
                                          .order = job->rig.mode.order,
                                          .seed = job->rig.mode.seed,
                                          .time_limit = 60};
    if (!atoll_launch(job->kernel, &launch, NULL, &trap, &error))
        fail_msg("%s", error.message);
}

static void *numbers(size_t count)
{
    float *values = malloc(count * sizeof *values);
    assert_non_null(values);
    return values;
}

/* ---- the programs --------------------------------------------------------------------------------------------------
 */

static void mandelbrot(void **state)
{
    enum { W = 70, H = 49, ROUNDS = 200 };
    const float view[4] = {-2.1f, -1.2f, 0.05f, 1.0f / ROUNDS}, weights[3] = {9, 15, 8.5f};
    const uint8_t rounds[4] = {ROUNDS};
    float *want = numbers(4 * W * H), *got = numbers(4 * W * H);
    struct job job;
    job_open(&job, *state, "mandelbrot");
    job_give(&job, "c0", view, sizeof view);
    job_give(&job, "c1", weights, sizeof weights);
    job_give(&job, "i0", rounds, sizeof rounds);
    struct atoll_surface *out = job_surface(&job, "out0", "rgba32float", W, H, NULL);
    job_run(&job, W, H);
    rig_surface_fetch(out, got, sizeof(float[4 * W * H]));
    ref_ctm_mandelbrot(want, W, H, view, weights, ROUNDS);
    rig_same(got, want, 4, 4 * W * H, "mandelbrot");
    assert_int_equal(ref_ctm_rounds(0, 0, ROUNDS), ROUNDS); /* the picture has both */
    assert_in_range(ref_ctm_rounds(-0.75f, 0.1f, ROUNDS), 10, ROUNDS - 1);
    free(want);
    free(got);
    rig_close(&job.rig);
}

/* Constants that wrap the coordinates of neighbours: filter.dpp, life.dpp. */
static void give_wrap(struct job *job, float width, float height)
{
    job_floats(job, "c0", 1 / width, 1 / height, width, height);
    job_floats(job, "c1", -0.5f / width, 0.5f / width, 1.5f / width, -0.5f / height);
    job_floats(job, "c2", -0.5f / width, 0.5f / width, 1.5f / width, 0.5f / height);
    job_floats(job, "c3", -0.5f / width, 0.5f / width, 1.5f / width, 1.5f / height);
}

static void filter_picture(struct job *job, uint32_t width, uint32_t height, const float weights[9], float bias)
{
    size_t count = (size_t)width * height * 4;
    float *src = numbers(count), *want = numbers(count), *got = numbers(count);
    uint32_t seed = 3;
    for (size_t i = 0; i < count; i++)
        src[i] = (float)(rig_random(&seed) % 1000) / 999;
    give_wrap(job, (float)width, (float)height);
    job_floats(job, "c4", weights[0], weights[1], weights[2], bias);
    job_floats(job, "c5", weights[3], weights[4], weights[5], 0);
    job_floats(job, "c6", weights[6], weights[7], weights[8], 0);
    job_surface(job, "in0", "rgba32float", width, height, src);
    struct atoll_surface *out = job_surface(job, "out0", "rgba32float", width, height, NULL);
    job_run(job, width, height);
    rig_surface_fetch(out, got, count * sizeof *got);
    ref_ctm_filter(src, want, (int)width, (int)height, weights, bias);
    rig_same(got, want, 4, count, "filter");
    free(src);
    free(want);
    free(got);
}

static void filter(void **state)
{
    static const float emboss[9] = {-2, -1, 0, -1, 1, 1, 0, 1, 2};
    static const float sharpen[9] = {-0.25f, -0.5f, -0.25f, -0.5f, 4, -0.5f, -0.25f, -0.5f, -0.25f};
    struct job job;
    job_open(&job, *state, "filter");
    filter_picture(&job, 64, 32, emboss, 0.25f);
    filter_picture(&job, 37, 23, sharpen, 0); /* of no power of two, and the last blocks are not whole */
    filter_picture(&job, 1, 1, sharpen, 0.1f);
    rig_close(&job.rig);
}

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void sort(void **state)
{
    enum { W = 60, H = 9 };
    const uint8_t outer[4] = {5}, inner[4] = {12};
    float values[W * H], got[W * H];
    uint32_t seed = 11;
    struct job job;
    for (int i = 0; i < W * H; i++)
        values[i] = (float)(rig_random(&seed) % 40) - 20; /* many are equal */
    job_open(&job, *state, "sort");
    job_give(&job, "i0", outer, sizeof outer);
    job_give(&job, "i1", inner, sizeof inner);
    job_surface(&job, "in0", "r32float", W, H, values);
    struct atoll_surface *out = job_surface(&job, "out0", "r32float", W, H, NULL);
    job_run(&job, W, H);
    rig_surface_fetch(out, got, sizeof got);
    for (int y = 0; y < H; y++)
        qsort(values + W * y, W, sizeof values[0], by_value);
    rig_same(got, values, 4, W * H, "sort");
    rig_close(&job.rig);
}

int main(void)
{
    struct CMUnitTest tests[] = {RUN(mandelbrot), RUN(filter), RUN(sort)};
    int failed = 0;
    for (int mode = 0; mode < RIG_MODES; mode++) {
        for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
            tests[i].initial_state = (void *)(uintptr_t)&rig_modes[mode];
        failed += cmocka_run_group_tests_name(rig_modes[mode].name, tests, NULL, NULL);
    }
    return failed != 0;
}

/* Jobs of OpenCL kernels: their data, and how Atoll runs them; see opencl.h. */
#include "opencl.h"

#include "rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- data ------------------------------------------------------------------------------------------------- */

static uint32_t larger(uint32_t n)
{
    return n ? n : 1;
}

uint32_t opencl_size(const struct opencl_arg *arg)
{
    struct atoll_format_info format;
    struct atoll_error error;
    if (arg->kind != OPENCL_IMAGE)
        return arg->bytes;
    assert_true(atoll_format_find(arg->format, &format, &error));
    return format.bytes * larger(arg->width) * larger(arg->height) * larger(arg->depth);
}

static uint16_t half_of(int sixteenths)
{
    unsigned n = (unsigned)abs(sixteenths), top;
    if (n == 0)
        return 0;
    top = 31u - (unsigned)__builtin_clz(n);
    return (uint16_t)((sixteenths < 0 ? 0x8000u : 0u) | (top - 4 + 15) << 10 | ((n << (10 - top)) & 0x3ff));
}

static void fill(const struct opencl_arg *arg, void *data, uint32_t size, uint32_t *noise)
{
    uint8_t *at = data;
    for (uint32_t i = 0; i < size; i++) {
        uint32_t r = rig_random(noise);
        double x = ((double)(r % 1025) - 512) / 64;
        float f = (float)x;
        uint16_t h = half_of((int)(r % 257) - 128);
        uint64_t p = ((uint64_t)r << 32 | rig_random(noise)) >> (rig_random(noise) & 63);
        if (arg->fill == FILL_WORDS || arg->fill == FILL_ONES)
            at[i] = arg->fill == FILL_ONES ? 0xff : (uint8_t)(r >> 8);
        else if (arg->fill == FILL_SMALL && i % 4 == 0)
            memcpy(at + i, &(uint32_t){r % 100}, 4);
        else if (arg->fill == FILL_FLOATS && i % 4 == 0)
            memcpy(at + i, &f, 4);
        else if (arg->fill == FILL_HALVES && i % 2 == 0)
            memcpy(at + i, &h, 2);
        else if (arg->fill == FILL_DOUBLES && i % 8 == 0)
            memcpy(at + i, &x, 8);
        else if (arg->fill == FILL_POWERS && i % 8 == 0)
            memcpy(at + i, &p, 8);
    }
}

void opencl_data(const struct opencl_job *job, void *data[OPENCL_ARGS])
{
    uint32_t noise = 12345;
    for (unsigned i = 0; i < OPENCL_ARGS; i++) {
        const struct opencl_arg *arg = &job->args[i];
        data[i] = NULL;
        if (arg->kind != OPENCL_BUFFER && arg->kind != OPENCL_IMAGE)
            continue;
        uint32_t size = opencl_size(arg);
        data[i] = calloc(1, size + 8);
        assert_non_null(data[i]);
        fill(arg, data[i], size, &noise);
    }
}

void opencl_free(void *data[OPENCL_ARGS])
{
    for (unsigned i = 0; i < OPENCL_ARGS; i++)
        free(data[i]);
}

/* ---- comparing -------------------------------------------------------------------------------------------- */

static double half_value(uint16_t h)
{
    int exponent = h >> 10 & 31, mantissa = h & 0x3ff;
    double v = exponent == 31  ? (mantissa ? NAN : INFINITY)
               : exponent == 0 ? ldexp(mantissa, -24)
                               : ldexp(mantissa + 1024, exponent - 25);
    return h & 0x8000 ? -v : v;
}

static double number(unsigned compare, const uint8_t *at)
{
    float f;
    double d;
    uint16_t h;
    memcpy(&f, at, 4);
    memcpy(&h, at, 2);
    if (compare == SAME_FLOATS)
        return (double)f;
    if (compare == SAME_HALVES)
        return half_value(h);
    memcpy(&d, at, 8);
    return d;
}

static bool near(double a, double b, double tolerance)
{
    if (isnan(a) || isnan(b) || isinf(a) || isinf(b))
        return (isnan(a) && isnan(b)) || (!isnan(a) && !isnan(b) && !(a < b) && !(a > b));
    return fabs(a - b) <= tolerance * fmax(1, fmax(fabs(a), fabs(b)));
}

void opencl_same(const struct opencl_job *job, const char *what, void **got, void **want)
{
    static const uint8_t sizes[] = {[SAME_BYTES] = 1, [SAME_FLOATS] = 4, [SAME_HALVES] = 2, [SAME_DOUBLES] = 8};
    for (unsigned i = 0; i < OPENCL_ARGS; i++) {
        const struct opencl_arg *arg = &job->args[i];
        const uint8_t *a = got[i], *b = want[i];
        if (!a || arg->compare == SAME_NOT)
            continue;
        for (uint32_t at = 0, size = opencl_size(arg); at + 1 <= size; at += sizes[arg->compare]) {
            uint32_t x, y;
            memcpy(&x, a + at / 4 * 4, 4);
            memcpy(&y, b + at / 4 * 4, 4);
            if (memcmp(a + at, b + at, sizes[arg->compare]) == 0)
                continue;
            if (arg->compare == SAME_BYTES)
                fail_msg("%s, %s: argument %u, byte %u: word %08x, wanted %08x", job->file, what, i, at, x, y);
            else if (!near(number(arg->compare, a + at), number(arg->compare, b + at), arg->tolerance))
                fail_msg("%s, %s: argument %u, element %u: %.9g, wanted %.9g", job->file, what, i,
                         at / sizes[arg->compare], number(arg->compare, a + at), number(arg->compare, b + at));
        }
    }
}

/* ---- Atoll ------------------------------------------------------------------------------------------------ */

static char *read_text(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long length = ftell(file);
    assert_true(length >= 0);
    rewind(file);
    char *text = calloc(1, (size_t)length + 1);
    assert_non_null(text);
    *size = fread(text, 1, (size_t)length, file);
    fclose(file);
    return text;
}

struct run {
    const struct opencl_job *job;
    const struct opencl_mode *mode;
    struct atoll_device *device;
    struct atoll_module *module;
    struct atoll_kernel *kernel;
    struct atoll_surface *surfaces[OPENCL_ARGS];
    uint64_t addresses[OPENCL_ARGS];
    unsigned char block[1024];
    uint32_t local;
    struct atoll_error error;
};

static void must(struct run *r, bool ok, const char *what)
{
    if (!ok)
        fail_msg("%s, %s: %s: %u:%u: %s", r->job->file, r->mode->device, what, r->error.line, r->error.column,
                 r->error.message);
}

/* What the arguments are, as a list. */
static void list_of(const struct opencl_job *job, char *out, size_t room)
{
    static const char *const dimensions[] = {
        [ATOLL_DIM_1D] = "1d", [ATOLL_DIM_2D] = "2d", [ATOLL_DIM_2D_ARRAY] = "2darray", [ATOLL_DIM_3D] = "3d"};
    size_t used = 0;
    *out = 0;
    for (unsigned i = 0; i < OPENCL_ARGS; i++) {
        const struct opencl_arg *a = &job->args[i];
        char one[64] = "";
        if (a->kind == OPENCL_BUFFER)
            snprintf(one, sizeof one, "%u=global\n", i);
        else if (a->kind == OPENCL_VALUE)
            snprintf(one, sizeof one, "%u=value:%u\n", i, a->bytes);
        else if (a->kind == OPENCL_LOCAL)
            snprintf(one, sizeof one, "%u=local\n", i);
        else if (a->kind == OPENCL_SAMPLER)
            snprintf(one, sizeof one, "%u=sampler\n", i);
        else if (a->kind == OPENCL_IMAGE)
            snprintf(one, sizeof one, "%u=image:%s\n", i, dimensions[a->dimension]);
        used += (size_t)snprintf(out + used, room - used, "%s", one);
    }
}

static bool load(struct run *r, const char *folder)
{
    char path[1024], list[1024], *text = NULL, *told;
    size_t size, length;
    snprintf(path, sizeof path, "%s/%s.%s.ze_info", folder, r->job->file, r->mode->device);
    told = read_text(path, &length);
    for (unsigned simd = 8; simd <= 32 && !text; simd *= 2) { /* the narrowest is what was chosen */
        snprintf(path, sizeof path, "%s/%s.%s.simd%u.visaasm", folder, r->job->file, r->mode->device, simd);
        text = read_text(path, &size);
    }
    if (!text || !told) {
        free(told);
        return false;
    }
    list_of(r->job, list, sizeof list);
    struct atoll_module_options options = {.file = path, .abi = "opencl", .abi_text = r->mode->list ? list : told};
    must(r, atoll_device_create(NULL, &r->device, &r->error), "device");
    must(r, atoll_module_load(r->device, text, size, &options, &r->module, &r->error), "load");
    must(r, atoll_module_kernel(r->module, r->job->kernel, &r->kernel, &r->error), "kernel");
    free(text);
    free(told);
    return true;
}

static void buffer_place(struct run *r, unsigned i, const void *data, unsigned char *at)
{
    uint64_t size = opencl_size(&r->job->args[i]);
    must(r, atoll_memory_alloc(r->device, size, &r->addresses[i], &r->error), "memory");
    must(r, atoll_memory_write(r->device, r->addresses[i], data, size, &r->error), "memory");
    memcpy(at, &r->addresses[i], 8);
    memcpy(at + 8, &size, 8);
}

static void image_place(struct run *r, unsigned i, const void *data, unsigned char *at)
{
    const struct opencl_arg *a = &r->job->args[i];
    struct atoll_surface_desc desc = {
        .dimension = a->dimension, .format = a->format, .width = a->width, .height = larger(a->height)};
    desc.depth = a->dimension == ATOLL_DIM_3D ? a->depth : 1;
    desc.layers = a->dimension == ATOLL_DIM_2D_ARRAY ? a->depth : 1;
    must(r, atoll_surface_create(r->device, &desc, &r->surfaces[i], &r->error), "surface");
    must(r, atoll_surface_write(r->surfaces[i], data, opencl_size(a), &r->error), "surface");
    uint64_t handle = atoll_surface_handle(r->surfaces[i]);
    memcpy(at + 16, &handle, 8);
}

static void argument_place(struct run *r, unsigned i, const void *data)
{
    const struct opencl_arg *a = &r->job->args[i];
    struct atoll_parameter_info p;
    struct atoll_kernel_info info;
    atoll_kernel_describe(r->kernel, &info);
    must(r, atoll_kernel_parameter(r->kernel, i, &p, &r->error), "parameter");
    assert_true(p.offset + p.size <= sizeof r->block);
    unsigned char *at = r->block + p.offset;
    /* docs/visa.md, "The launch"; src/mem/sampler.h: bound, filter, -, normalized, -, wraps (2: edge, 0: repeat) */
    const unsigned char wrap = (unsigned char)a->height, filter = a->width & 1, normalized = a->width >> 1 & 1U;
    const unsigned char sampler[16] = {1, filter, 0, normalized, 0, wrap, wrap, wrap};
    if (a->kind == OPENCL_BUFFER)
        buffer_place(r, i, data, at);
    else if (a->kind == OPENCL_IMAGE)
        image_place(r, i, data, at);
    else if (a->kind == OPENCL_VALUE)
        memcpy(at, a->value.u, p.size < a->bytes ? p.size : a->bytes);
    else if (a->kind == OPENCL_SAMPLER)
        memcpy(at, sampler, sizeof sampler);
    else {
        uint64_t place = info.shared_bytes + r->local;
        memcpy(at, &place, 8);
        r->local += (a->bytes + 127) / 128 * 128;
    }
}

bool opencl_atoll(const struct opencl_job *job, const struct opencl_mode *mode, const char *folder, void **data)
{
    struct run r = {.job = job, .mode = mode};
    struct atoll_kernel_info info;
    struct atoll_trap trap;
    if (!load(&r, folder))
        return false;
    for (unsigned i = 0; i < OPENCL_ARGS && job->args[i].kind; i++)
        argument_place(&r, i, data[i]);
    atoll_kernel_describe(r.kernel, &info);
    struct atoll_launch_options launch = {.parameters = r.block,
                                          .parameter_bytes = info.parameter_bytes,
                                          .dynamic_shared = r.local,
                                          .threads = mode->threads,
                                          .order = mode->order,
                                          .seed = mode->seed,
                                          .time_limit = 60};
    for (unsigned i = 0; i < 3; i++) {
        launch.block[i] = larger(job->local[i]);
        launch.grid[i] = larger(job->global[i]) / launch.block[i];
    }
    must(&r, atoll_launch(r.kernel, &launch, NULL, &trap, &r.error), "launch");
    for (unsigned i = 0; i < OPENCL_ARGS; i++) {
        if (r.addresses[i])
            must(&r, atoll_memory_read(r.device, r.addresses[i], data[i], opencl_size(&job->args[i]), &r.error),
                 "read");
        if (r.surfaces[i])
            must(&r, atoll_surface_read(r.surfaces[i], data[i], opencl_size(&job->args[i]), &r.error), "read");
    }
    atoll_module_destroy(r.module);
    atoll_device_destroy(r.device);
    return true;
}

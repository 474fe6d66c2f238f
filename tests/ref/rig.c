/* The rig of the kernel tests; see rig.h. */
#include "rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const struct rig_mode rig_modes[RIG_MODES] = {
    {"parallel", ATOLL_ORDER_PARALLEL, 0, 2, NULL, 0},
    {"deterministic", ATOLL_ORDER_DETERMINISTIC, 0, 1, NULL, 0},
    {"seed 1", ATOLL_ORDER_SEEDED, 1, 1, NULL, 0},
    {"seed 77", ATOLL_ORDER_SEEDED, 77, 1, NULL, 0},
    {"checked", ATOLL_ORDER_DETERMINISTIC, 0, 1, NULL, ATOLL_CHECK_ALL},
};
const struct rig_mode rig_cubin_modes[RIG_MODES] = {
    {"cubin, parallel", ATOLL_ORDER_PARALLEL, 0, 2, ".sm_50.cubin", 0},
    {"cubin, deterministic", ATOLL_ORDER_DETERMINISTIC, 0, 1, ".sm_50.cubin", 0},
    {"cubin, seed 1", ATOLL_ORDER_SEEDED, 1, 1, ".sm_50.cubin", 0},
    {"cubin, seed 77", ATOLL_ORDER_SEEDED, 77, 1, ".sm_50.cubin", 0},
    {"cubin, checked", ATOLL_ORDER_DETERMINISTIC, 0, 1, ".sm_50.cubin", ATOLL_CHECK_ALL},
};

/* A launch that takes longer than this has hung. */
#define RIG_SECONDS 60.0

static void check(bool ok, const struct atoll_error *error, const char *what)
{
    if (!ok)
        fail_msg("%s: %s (status %d, line %u)", what, error->message, (int)error->status, error->line);
}

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("cannot open %s", path);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long length = ftell(file);
    assert_true(length >= 0);
    rewind(file);
    char *text = malloc((size_t)length + 1);
    assert_non_null(text);
    *size = fread(text, 1, (size_t)length, file);
    fclose(file);
    return text;
}

void rig_open(struct rig *rig, const struct rig_mode *mode, const char *folder, const char *file)
{
    struct atoll_error error = {0};
    struct atoll_module_options options = {.file = file};
    char path[1024];
    size_t size;
    memset(rig, 0, sizeof *rig);
    rig->mode = *mode;
    snprintf(path, sizeof path, "%s/%s%s", folder, file, mode->suffix ? mode->suffix : ".ptx");
    char *text = read_file(path, &size);
    check(atoll_device_create(NULL, &rig->device, &error), &error, "device");
    check(atoll_module_load(rig->device, text, size, &options, &rig->module, &error), &error, path);
    free(text);
}

void rig_close(struct rig *rig)
{
    atoll_module_destroy(rig->module);
    atoll_device_destroy(rig->device);
}

uint64_t rig_buffer(struct rig *rig, const void *bytes, size_t size)
{
    struct atoll_error error = {0};
    uint64_t address = 0;
    check(atoll_memory_alloc(rig->device, size, &address, &error), &error, "alloc");
    if (bytes != NULL)
        rig_put(rig, address, bytes, size);
    else /* kernels may count on its zeros: for the check of uninitialised values the host has written them */
        (void)atoll_memory_map(rig->device, address, size, &error);
    return address;
}

void rig_fetch(struct rig *rig, uint64_t address, void *bytes, size_t size)
{
    struct atoll_error error = {0};
    check(atoll_memory_read(rig->device, address, bytes, size, &error), &error, "read");
}

void rig_put(struct rig *rig, uint64_t address, const void *bytes, size_t size)
{
    struct atoll_error error = {0};
    check(atoll_memory_write(rig->device, address, bytes, size, &error), &error, "write");
}

struct atoll_surface *rig_surface(struct rig *rig, enum atoll_dimension dimension, const char *format, uint32_t width,
                                  uint32_t height, uint32_t depth_or_layers, const void *texels)
{
    struct atoll_error error = {0};
    struct atoll_surface *surface = NULL;
    struct atoll_surface_desc desc = {
        .dimension = dimension, .width = width, .height = height, .depth = 1, .layers = 1, .format = format};
    if (dimension == ATOLL_DIM_3D)
        desc.depth = depth_or_layers;
    else
        desc.layers = depth_or_layers;
    check(atoll_surface_create(rig->device, &desc, &surface, &error), &error, "surface");
    void *zeros = texels == NULL ? calloc(1, (size_t)atoll_surface_size(surface)) : NULL;
    assert_true(texels || zeros);
    check(atoll_surface_write(surface, texels ? texels : zeros, atoll_surface_size(surface), &error), &error,
          "surface write");
    free(zeros);
    return surface;
}

void rig_surface_fetch(const struct atoll_surface *surface, void *texels, size_t size)
{
    struct atoll_error error = {0};
    check(atoll_surface_read(surface, texels, size, &error), &error, "surface read");
}

static void append(struct rig_args *args, const void *value, size_t size)
{
    size_t at = (args->size + size - 1) / size * size;
    assert_true(at + size <= sizeof args->bytes);
    memcpy(args->bytes + at, value, size);
    args->size = at + size;
}

void rig_u32(struct rig_args *args, uint32_t value)
{
    append(args, &value, sizeof value);
}

void rig_u64(struct rig_args *args, uint64_t value)
{
    append(args, &value, sizeof value);
}

void rig_f32(struct rig_args *args, float value)
{
    append(args, &value, sizeof value);
}

void rig_f64(struct rig_args *args, double value)
{
    append(args, &value, sizeof value);
}

static void print(void *user, const char *bytes, size_t size)
{
    struct rig *rig = user;
    size_t room = sizeof rig->printed - 1 - rig->printed_size;
    size_t take = size < room ? size : room;
    memcpy(rig->printed + rig->printed_size, bytes, take);
    rig->printed_size += take;
    rig->printed[rig->printed_size] = 0;
}

static void on_finding(void *user, const struct atoll_finding *finding)
{
    struct rig *rig = user;
    if (strcmp(finding->cause, "nan") == 0 || strcmp(finding->cause, "clamped-conversion") == 0)
        return; /* operands are drawn from all bit patterns: these are true */
    if (!rig->findings++ && !rig->races)
        print_error("%s\n", finding->message);
}

bool rig_try(struct rig *rig, const char *name, struct rig_shape shape, const struct rig_args *args,
             struct atoll_trap *trap, struct atoll_error *error)
{
    struct atoll_kernel *kernel = NULL;
    struct atoll_launch_options launch = {
        .dynamic_shared = shape.dynamic_shared,
        .parameters = args->bytes,
        .parameter_bytes = args->size,
        .threads = rig->mode.threads,
        .order = rig->mode.order,
        .seed = rig->mode.seed,
        .time_limit = RIG_SECONDS,
        .print = print,
        .checks = rig->mode.checks,
        .finding = on_finding,
        .user = rig,
    };
    memcpy(launch.grid, shape.grid, sizeof launch.grid);
    memcpy(launch.block, shape.block, sizeof launch.block);
    check(atoll_module_kernel(rig->module, name, &kernel, error), error, name);
    rig->printed_size = 0;
    rig->printed[0] = 0;
    rig->findings = 0;
    return atoll_launch(kernel, &launch, NULL, trap, error);
}

void rig_launch(struct rig *rig, const char *name, struct rig_shape shape, const struct rig_args *args)
{
    struct atoll_error error = {0};
    char what[200];
    snprintf(what, sizeof what, "%s (%s)", name, rig->mode.name);
    check(rig_try(rig, name, shape, args, NULL, &error), &error, what);
    assert_true(rig->races || !rig->findings);
}

void rig_same(const void *got, const void *want, size_t size, size_t count, const char *what)
{
    const unsigned char *a = got, *b = want;
    for (size_t i = 0; i < count; i++) {
        if (memcmp(a + i * size, b + i * size, size) != 0) {
            uint64_t x = 0, y = 0;
            memcpy(&x, a + i * size, size < 8 ? size : 8);
            memcpy(&y, b + i * size, size < 8 ? size : 8);
            fail_msg("%s: element %zu of %zu is %#llx, wanted %#llx", what, i, count, (unsigned long long)x,
                     (unsigned long long)y);
        }
    }
}

/* The same kernels in three families, examples/typed_atomic.ptx, .sass and .visaasm: one picture in, the same bytes
 * out, which are those of plain C. vISA runs 8, 16 and 32 channels a hardware thread, in every order. */
#include "ref/rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { W = 77, H = 53, BINS = 256 };

/* ---- plain C ---------------------------------------------------------------------------------------------------- */

static void picture_make(uint8_t picture[W * H])
{
    uint32_t seed = 3;
    for (uint32_t i = 0; i < W * H; i++) /* some levels are crowded */
        picture[i] = (uint8_t)(rig_random(&seed) % 4 ? 128 + i / W : rig_random(&seed) % 256);
}

static void ref_histogram(const uint8_t *picture, int32_t *bins)
{
    for (int i = 0; i < W * H; i++)
        bins[picture[i]]++;
}

static void ref_splat(const uint8_t *picture, int32_t *dst)
{
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            int z = picture[y * W + x] - 128, row = (128 + y - z) / 2;
            if (row < H && dst[row * W + x] < z)
                dst[row * W + x] = z;
        }
}

/* ---- the kernels ------------------------------------------------------------------------------------------------- */

/* Of 32 channels the first 16: instructions of others are left out. */
static void narrow(char *text)
{
    char *to = text;
    for (char *line = text, *next; *line; line = next) {
        next = strchr(line, '\n') + 1;
        char *above = strstr(line, "(M5, "), *last = strstr(line, "(M7, "), *all = strstr(line, "(M1, 32)");
        char *size = strstr(line, "SimdSize=32");
        if ((above && above < next) || (last && last < next))
            continue;
        if (all && all < next)
            memcpy(all, "(M1, 16)", 8);
        if (size && size < next)
            memcpy(size, "SimdSize=16", 11);
        memmove(to, line, (size_t)(next - line));
        to += next - line;
    }
    *to = 0;
}

static const struct family {
    const char *suffix, *width; /* of the file, of the kernel's name */
    uint32_t lanes;
    const char *src, *dst;
} families[] = {
    {".ptx", "", 32, "src", "dst"},     {".sass", "", 32, "p0", "p1"},      {".visaasm", "", 8, "T6", "T7"},
    {".visaasm", "32", 16, "T6", "T7"}, {".visaasm", "32", 32, "T6", "T7"},
};

static void family_open(struct rig *rig, const struct rig_mode *mode, const struct family *family)
{
    struct rig_mode own = *mode;
    own.suffix = family->suffix;
    if (family->lanes != 16) {
        rig_open(rig, &own, EXAMPLES_DIR, "typed_atomic");
        return;
    }
    static char text[65536];
    struct atoll_error error = {0};
    FILE *file = fopen(EXAMPLES_DIR "/typed_atomic.visaasm", "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    narrow(text);
    *rig = (struct rig){.mode = own};
    assert_true(atoll_device_create(NULL, &rig->device, &error));
    if (!atoll_module_load(rig->device, text, strlen(text), NULL, &rig->module, &error))
        fail_msg("line %u: %s", error.line, error.message);
}

/* The arguments where the kernel has them: surfaces by a handle, or by a slot of address, size and handle. */
static void arguments(struct rig *rig, const struct family *family, const char *name, struct rig_args *args,
                      const struct atoll_surface *src, const struct atoll_surface *dst)
{
    static const uint32_t extents[2] = {W, H};
    struct atoll_kernel *kernel;
    struct atoll_kernel_info info;
    struct atoll_parameter_info p;
    struct atoll_error error = {0};
    unsigned numbers = 0;
    assert_true(atoll_module_kernel(rig->module, name, &kernel, &error));
    atoll_kernel_describe(kernel, &info);
    assert_int_equal(info.parameters, 4);
    args->size = info.parameter_bytes;
    for (unsigned i = 0; i < 4; i++) {
        assert_true(atoll_kernel_parameter(kernel, i, &p, &error));
        const char *known = p.source_name ? p.source_name : p.name;
        bool is_src = strcmp(known, family->src) == 0, is_dst = strcmp(known, family->dst) == 0;
        uint64_t handle = atoll_surface_handle(is_src ? src : dst);
        if (is_src || is_dst)
            memcpy(args->bytes + p.offset + p.size - sizeof handle, &handle, sizeof handle);
        else
            memcpy(args->bytes + p.offset, &extents[numbers++], sizeof extents[0]);
    }
    assert_int_equal(numbers, 2);
}

/* Runs a kernel of every family; each has to give `want`. */
static void same(const struct rig_mode *mode, const char *kernel, enum atoll_dimension dimension, const char *format,
                 const int32_t *want, uint32_t width, uint32_t height)
{
    static uint8_t picture[W * H];
    static int32_t got[W * H];
    picture_make(picture);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const struct family *f = &families[i];
        struct rig rig;
        struct rig_args args = {0};
        char name[64], what[128];
        family_open(&rig, mode, f);
        struct atoll_surface *src = rig_surface(&rig, ATOLL_DIM_2D, "r8uint", W, H, 1, picture);
        struct atoll_surface *dst = rig_surface(&rig, dimension, format, width, height, 1, NULL);
        snprintf(name, sizeof name, "%s%s", kernel, f->width);
        snprintf(what, sizeof what, "%s%s, %u lanes", name, f->suffix, (unsigned)f->lanes);
        arguments(&rig, f, name, &args, src, dst);
        rig_launch(&rig, name, (struct rig_shape){{(W + f->lanes - 1) / f->lanes, H + 1, 1}, {f->lanes, 1, 1}, 0},
                   &args);
        rig_surface_fetch(dst, got, sizeof *got * width * height);
        rig_same(got, want, sizeof *got, (size_t)width * height, what);
        atoll_surface_destroy(src);
        atoll_surface_destroy(dst);
        rig_close(&rig);
    }
}

static void histogram(void **state)
{
    uint8_t picture[W * H];
    int32_t want[BINS] = {0};
    picture_make(picture);
    ref_histogram(picture, want);
    same(*state, "histogram", ATOLL_DIM_1D, "r32uint", want, BINS, 1);
}

static void splat(void **state)
{
    uint8_t picture[W * H];
    int32_t want[W * H] = {0};
    picture_make(picture);
    ref_splat(picture, want);
    same(*state, "splat", ATOLL_DIM_2D, "r32sint", want, W, H);
}

int main(void)
{
    struct CMUnitTest tests[] = {RUN(histogram), RUN(splat)};
    int failed = 0;
    for (int mode = 0; mode < RIG_MODES; mode++) {
        for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
            tests[i].initial_state = (void *)(uintptr_t)&rig_modes[mode];
        failed += cmocka_run_group_tests_name(rig_modes[mode].name, tests, NULL, NULL);
    }
    return failed != 0;
}

/* Every kernel of examples/, run through atoll.h in every order and held against plain C (tests/ref). */
#include "ref/ref.h"
#include "ref/rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void *random_bytes(size_t size, uint32_t seed)
{
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(rig_random(&seed) >> 11);
    return bytes;
}

static void *zeros(size_t size)
{
    void *bytes = calloc(size, 1);
    assert_non_null(bytes);
    return bytes;
}

/* Blocks of 16 x 16 that cover width x height. */
static struct rig_shape tiles(int width, int height, int depth)
{
    return (struct rig_shape){
        {(uint32_t)(width + 15) / 16, (uint32_t)(height + 15) / 16, (uint32_t)depth}, {16, 16, 1}, 0};
}

/* Blocks of `threads` that cover `count`. */
static struct rig_shape line(uint32_t count, uint32_t threads)
{
    return (struct rig_shape){{(count + threads - 1) / threads, 1, 1}, {threads, 1, 1}, 0};
}

static void sobel(void **state)
{
    static const struct {
        const char *kernel;
        enum ref_border border;
    } variants[] = {
        {"sobel", REF_CLAMP}, {"sobel_clamp", REF_CLAMP}, {"sobel_zero", REF_ZERO}, {"sobel_trap", REF_INTERIOR}};
    enum { W = 77, H = 53 };
    struct rig rig;
    rig_open(&rig, *state, EXAMPLES_DIR, "sobel");
    uint8_t *picture = random_bytes(W * H, 1), *want = zeros(W * H), *got = zeros(W * H);
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        struct atoll_surface *src = rig_surface(&rig, ATOLL_DIM_2D, "r8uint", W, H, 1, picture);
        struct atoll_surface *dst = rig_surface(&rig, ATOLL_DIM_2D, "r8uint", W, H, 1, NULL);
        struct rig_args args = {0};
        rig_u64(&args, atoll_surface_handle(src));
        rig_u64(&args, atoll_surface_handle(dst));
        rig_u32(&args, W);
        rig_u32(&args, H);
        rig_launch(&rig, variants[i].kernel, tiles(W, H, 1), &args);
        rig_surface_fetch(dst, got, W * H);
        ref_sobel(picture, want, W, H, variants[i].border);
        rig_same(got, want, 1, W * H, variants[i].kernel);
        atoll_surface_destroy(src);
        atoll_surface_destroy(dst);
    }
    free(picture);
    free(want);
    free(got);
    rig_close(&rig);
}

/* The trapping kernel told that the picture is wider than it is: the first pixel outside must be reported. */
static void sobel_outside(void **state)
{
    enum { W = 40, H = 20 };
    struct rig rig;
    struct atoll_trap trap = {0};
    struct atoll_error error = {0};
    struct rig_args args = {0};
    rig_open(&rig, *state, EXAMPLES_DIR, "sobel");
    struct atoll_surface *src = rig_surface(&rig, ATOLL_DIM_2D, "r8unorm", W, H, 1, NULL);
    struct atoll_surface *dst = rig_surface(&rig, ATOLL_DIM_2D, "r8unorm", W, H, 1, NULL);
    rig_u64(&args, atoll_surface_handle(src));
    rig_u64(&args, atoll_surface_handle(dst));
    rig_u32(&args, W + 1);
    rig_u32(&args, H);
    rig.mode.checks &= ~(unsigned)ATOLL_CHECK_MEMORY; /* would tell it and go on */
    assert_false(rig_try(&rig, "sobel_trap", tiles(W + 1, H, 1), &args, &trap, &error));
    assert_int_equal(error.status, ATOLL_TRAP);
    assert_string_equal(trap.kernel, "sobel_trap");
    assert_string_equal(trap.cause, "out-of-bounds");
    assert_true(trap.line > 0);
    assert_int_equal(trap.coordinate[0], W);
    rig_close(&rig);
}

static void layers(void **state)
{
    enum { W = 33, H = 18, L = 5, N = W * H * L };
    struct rig rig;
    struct rig_args sum = {0}, shift = {0};
    rig_open(&rig, *state, EXAMPLES_DIR, "layers");
    uint32_t *texels = random_bytes(N * 4, 2), *want = zeros(N * 4), *got = zeros(N * 4);
    struct atoll_surface *src = rig_surface(&rig, ATOLL_DIM_2D_ARRAY, "r32uint", W, H, L, texels);
    struct atoll_surface *dst = rig_surface(&rig, ATOLL_DIM_2D_ARRAY, "r32uint", W, H, L, NULL);
    struct atoll_surface *flat = rig_surface(&rig, ATOLL_DIM_2D, "r32uint", W, H, 1, NULL);
    rig_u64(&sum, atoll_surface_handle(src));
    rig_u64(&sum, atoll_surface_handle(flat));
    rig_u32(&sum, W);
    rig_u32(&sum, H);
    rig_u32(&sum, L);
    rig_launch(&rig, "layers_sum", tiles(W, H, 1), &sum);
    rig_surface_fetch(flat, got, W * H * 4);
    ref_layers_sum(texels, want, W, H, L);
    rig_same(got, want, 4, W * H, "layers_sum");
    rig_u64(&shift, atoll_surface_handle(src));
    rig_u64(&shift, atoll_surface_handle(dst));
    rig_u32(&shift, W);
    rig_u32(&shift, H);
    rig_launch(&rig, "layers_shift", tiles(W, H, L), &shift);
    rig_surface_fetch(dst, got, N * 4);
    ref_layers_shift(texels, want, W, H, L);
    rig_same(got, want, 4, N, "layers_shift");
    free(texels);
    free(want);
    free(got);
    rig_close(&rig);
}

static void volume(void **state)
{
    enum { W = 20, H = 14, D = 6, N = W * H * D };
    struct rig rig;
    struct rig_args blur = {0}, mip = {0};
    rig_open(&rig, *state, EXAMPLES_DIR, "layers");
    uint32_t *voxels = random_bytes(N * 4, 3), *want = zeros(N * 4), *got = zeros(N * 4);
    struct atoll_surface *src = rig_surface(&rig, ATOLL_DIM_3D, "r32uint", W, H, D, voxels);
    struct atoll_surface *dst = rig_surface(&rig, ATOLL_DIM_3D, "r32uint", W, H, D, NULL);
    struct atoll_surface *half = rig_surface(&rig, ATOLL_DIM_3D, "r32uint", W / 2, H / 2, D / 2, NULL);
    rig_u64(&blur, atoll_surface_handle(src));
    rig_u64(&blur, atoll_surface_handle(dst));
    rig_u32(&blur, W);
    rig_u32(&blur, H);
    rig_u32(&blur, D);
    rig_launch(&rig, "volume_blur", (struct rig_shape){{3, 4, 2}, {8, 4, 3}, 0}, &blur);
    rig_surface_fetch(dst, got, N * 4);
    ref_volume_blur(voxels, want, W, H, D);
    rig_same(got, want, 4, N, "volume_blur");
    rig_u64(&mip, atoll_surface_handle(src));
    rig_u64(&mip, atoll_surface_handle(half));
    rig_u32(&mip, W / 2);
    rig_u32(&mip, H / 2);
    rig_u32(&mip, D / 2);
    rig_launch(&rig, "volume_mip", (struct rig_shape){{2, 2, 3}, {8, 4, 1}, 0}, &mip);
    rig_surface_fetch(half, got, N / 8 * 4);
    ref_volume_mip(voxels, want, W / 2, H / 2, D / 2);
    rig_same(got, want, 4, N / 8, "volume_mip");
    free(voxels);
    free(want);
    free(got);
    rig_close(&rig);
}

static void cube(void **state)
{
    enum { S = 21 };
    static uint32_t want[6 * S * S], got[6 * S * S];
    struct rig rig;
    struct rig_args args = {0};
    rig_open(&rig, *state, EXAMPLES_DIR, "layers");
    struct atoll_surface *dst = rig_surface(&rig, ATOLL_DIM_2D_ARRAY, "r32uint", S, S, 6, NULL);
    rig_u64(&args, atoll_surface_handle(dst));
    rig_u32(&args, S);
    rig_launch(&rig, "cube_paint", tiles(S, S, 6), &args);
    rig_surface_fetch(dst, got, sizeof got);
    ref_cube_paint(want, S);
    rig_same(got, want, 4, 6 * S * S, "cube_paint");
    rig_close(&rig);
}

static void histogram(void **state)
{
    enum { N = 30011, W = 113, H = 59 };
    uint32_t want[256] = {0}, got[256];
    struct rig rig;
    rig_open(&rig, *state, EXAMPLES_DIR, "histogram");
    uint8_t *bytes = random_bytes(N, 4);
    for (int i = 0; i < 5000; i++) /* and one crowded bin */
        bytes[i * 3] = 17;
    uint64_t in = rig_buffer(&rig, bytes, N);
    ref_histogram(bytes, N, want);
    static const char *const kernels[] = {"histogram", "histogram_global"};
    for (int i = 0; i < 2; i++) {
        struct rig_args args = {0};
        uint64_t bins = rig_buffer(&rig, NULL, sizeof got);
        rig_u64(&args, in);
        rig_u32(&args, N);
        rig_u64(&args, bins);
        rig_launch(&rig, kernels[i], i == 0 ? (struct rig_shape){{7, 1, 1}, {192, 1, 1}, 0} : line(N, 256), &args);
        rig_fetch(&rig, bins, got, sizeof got);
        rig_same(got, want, 4, 256, kernels[i]);
    }
    struct atoll_surface *src = rig_surface(&rig, ATOLL_DIM_2D, "r8unorm", W, H, 1, bytes);
    struct rig_args args = {0};
    uint64_t bins = rig_buffer(&rig, NULL, sizeof got);
    rig_u64(&args, atoll_surface_handle(src));
    rig_u32(&args, W);
    rig_u32(&args, H);
    rig_u64(&args, bins);
    rig_launch(&rig, "histogram_surface", tiles(W, H, 1), &args);
    rig_fetch(&rig, bins, got, sizeof got);
    memset(want, 0, sizeof want);
    ref_histogram(bytes, W * H, want);
    rig_same(got, want, 4, 256, "histogram_surface");
    free(bytes);
    rig_close(&rig);
}

enum { HOUGH_W = 48, HOUGH_H = 40, ANGLES = 36, ROWS = 70, OFFSET = 8 };

/* The picture of the Hough tests: two lines and some noise. */
static void hough_picture(uint8_t picture[HOUGH_W * HOUGH_H])
{
    uint32_t seed = 9;
    for (int i = 0; i < HOUGH_W * HOUGH_H; i++) {
        int x = i % HOUGH_W, y = i / HOUGH_W;
        int lit = x == 2 * y || x + y == 45 || rig_random(&seed) % 64 == 0;
        picture[i] = (uint8_t)(lit ? 200 : 30);
    }
}

static void hough_table(int32_t table[2 * ANGLES])
{
    for (int i = 0; i < ANGLES; i++) {
        table[2 * i] = (int32_t)lround(4096 * cos(i * 5 * 3.14159265358979 / 180));
        table[2 * i + 1] = (int32_t)lround(4096 * sin(i * 5 * 3.14159265358979 / 180));
    }
}

static struct atoll_surface *hough_votes(struct rig *rig, const char *kernel, const uint8_t *picture,
                                         const int32_t *table)
{
    struct rig_args args = {0};
    struct atoll_surface *src = rig_surface(rig, ATOLL_DIM_2D, "r8unorm", HOUGH_W, HOUGH_H, 1, picture);
    struct atoll_surface *votes = rig_surface(rig, ATOLL_DIM_2D, "r32uint", ANGLES, ROWS, 1, NULL);
    rig_u64(&args, atoll_surface_handle(src));
    rig_u64(&args, atoll_surface_handle(votes));
    rig_u64(&args, rig_buffer(rig, table, 2 * ANGLES * sizeof table[0]));
    rig_u32(&args, HOUGH_W);
    rig_u32(&args, HOUGH_H);
    rig_u32(&args, ANGLES);
    rig_u32(&args, OFFSET);
    rig_u32(&args, 100);
    rig_launch(rig, kernel, tiles(HOUGH_W, HOUGH_H, 1), &args);
    return votes;
}

static void hough_vote(void **state)
{
    static uint32_t want[ANGLES * ROWS], got[ANGLES * ROWS];
    uint8_t picture[HOUGH_W * HOUGH_H];
    int32_t table[2 * ANGLES];
    struct rig rig;
    rig_open(&rig, *state, EXAMPLES_DIR, "hough");
    hough_picture(picture);
    hough_table(table);
    memset(want, 0, sizeof want);
    ref_hough_vote(picture, want, table, HOUGH_W, HOUGH_H, ANGLES, ROWS, OFFSET, 100);
    rig_surface_fetch(hough_votes(&rig, "hough_vote", picture, table), got, sizeof got);
    rig_same(got, want, 4, ANGLES * ROWS, "hough_vote");
    struct atoll_surface *votes = hough_votes(&rig, "hough_vote_texel", picture, table);
    rig_surface_fetch(votes, got, sizeof got);
    rig_same(got, want, 4, ANGLES * ROWS, "hough_vote_texel");

    uint64_t peak = rig_buffer(&rig, NULL, 8), value = 0;
    struct rig_args args = {0};
    rig_u64(&args, atoll_surface_handle(votes));
    rig_u32(&args, ANGLES);
    rig_u32(&args, ROWS);
    rig_u64(&args, peak);
    rig_launch(&rig, "hough_peak", tiles(ANGLES, ROWS, 1), &args);
    rig_fetch(&rig, peak, &value, 8);
    assert_int_equal(value, ref_hough_peak(want, ANGLES, ROWS));
    rig_close(&rig);
}

static void hough_draw(void **state)
{
    enum { N = ANGLES * ROWS };
    static uint32_t votes[N];
    static float rgba[4 * N], got_floats[4 * N];
    static uint8_t want[4 * N], got[4 * N];
    uint32_t seed = 5;
    struct rig rig;
    rig_open(&rig, *state, EXAMPLES_DIR, "hough");
    for (int i = 0; i < N; i++)
        votes[i] = rig_random(&seed) % 300;
    ref_hough_draw(votes, rgba, N, 251.0f);
    for (int i = 0; i < 4 * N; i++)
        want[i] = ref_unorm8(rgba[i]);
    struct atoll_surface *src = rig_surface(&rig, ATOLL_DIM_2D, "r32uint", ANGLES, ROWS, 1, votes);
    static const char *const formats[] = {"rgba8unorm", "rgba32float"};
    for (int i = 0; i < 2; i++) {
        struct atoll_surface *dst = rig_surface(&rig, ATOLL_DIM_2D, formats[i], ANGLES, ROWS, 1, NULL);
        struct rig_args args = {0};
        rig_u64(&args, atoll_surface_handle(src));
        rig_u64(&args, atoll_surface_handle(dst));
        rig_u32(&args, ANGLES);
        rig_u32(&args, ROWS);
        rig_f32(&args, 251.0f);
        rig_launch(&rig, "hough_draw", tiles(ANGLES, ROWS, 1), &args);
        if (i == 0)
            rig_surface_fetch(dst, got, sizeof got);
        else
            rig_surface_fetch(dst, got_floats, sizeof got_floats);
    }
    rig_same(got, want, 1, 4 * N, "rgba8unorm");
    rig_same(got_floats, rgba, 4, 4 * N, "rgba32float");
    rig_close(&rig);
}

static void reduce(void **state)
{
    enum { N = 10007, BLOCK = 256, BLOCKS = (N + BLOCK - 1) / BLOCK, GRID = 9 };
    uint32_t got[BLOCKS], word[2];
    struct rig rig;
    rig_open(&rig, *state, EXAMPLES_DIR, "reduce");
    uint32_t *in = random_bytes(N * 4, 6), above = 0;
    uint64_t input = rig_buffer(&rig, in, N * 4), out = rig_buffer(&rig, NULL, sizeof got);
    struct rig_args args = {0};
    rig_u64(&args, input);
    rig_u32(&args, N);
    rig_u64(&args, out);
    rig_launch(&rig, "reduce_shuffle", line(N, BLOCK), &args);
    rig_fetch(&rig, out, got, sizeof got);
    for (size_t b = 0; b < BLOCKS; b++)
        assert_int_equal(got[b], ref_sum(in + b * BLOCK, b == BLOCKS - 1 ? N % BLOCK : BLOCK));

    struct rig_args last = {0};
    uint64_t ticket = rig_buffer(&rig, NULL, 8);
    rig_u64(&last, input);
    rig_u32(&last, N);
    rig_u64(&last, out);
    rig_u64(&last, ticket);
    rig_u64(&last, ticket + 4);
    for (int round = 0; round < 2; round++) { /* the ticket wraps: a second launch works too */
        rig_launch(&rig, "reduce_last", (struct rig_shape){{GRID, 1, 1}, {128, 1, 1}, 0}, &last);
        rig_fetch(&rig, ticket, word, sizeof word);
        assert_int_equal(word[0], 0);
        assert_int_equal(word[1], ref_sum(in, N));
    }

    struct rig_args count = {0};
    uint64_t counter = rig_buffer(&rig, NULL, 4);
    rig_u64(&count, input);
    rig_u32(&count, N);
    rig_u32(&count, 0xc0000000u);
    rig_u64(&count, counter);
    rig_launch(&rig, "count_above", line(N, 96), &count);
    rig_fetch(&rig, counter, word, 4);
    for (int i = 0; i < N; i++)
        above += in[i] > 0xc0000000u;
    assert_int_equal(word[0], above);
    free(in);
    rig_close(&rig);
}

static void reduce_float(void **state)
{
    enum { N = 5000, BLOCKS = (N + 255) / 256 };
    float in[N], want[BLOCKS], got[BLOCKS];
    uint32_t seed = 7;
    struct rig rig;
    struct rig_args args = {0};
    for (int i = 0; i < N; i++)
        in[i] = ldexpf((float)(int32_t)rig_random(&seed), (int)(rig_random(&seed) % 20) - 30);
    rig_open(&rig, *state, EXAMPLES_DIR, "reduce");
    uint64_t out = rig_buffer(&rig, NULL, sizeof got);
    rig_u64(&args, rig_buffer(&rig, in, sizeof in));
    rig_u32(&args, N);
    rig_u64(&args, out);
    rig_launch(&rig, "reduce_float", line(N, 256), &args);
    rig_fetch(&rig, out, got, sizeof got);
    ref_tree_sums(in, N, want);
    rig_same(got, want, 4, BLOCKS, "reduce_float");
    rig_close(&rig);
}

static void locks(void **state)
{
    static const char *const kernels[] = {"lock_spin", "lock_wait"};
    struct rig rig;
    rig_open(&rig, *state, EXAMPLES_DIR, "lock");
    for (int i = 0; i < 2; i++) {
        struct rig_args args = {0};
        uint32_t words[2];
        uint64_t lock = rig_buffer(&rig, NULL, sizeof words);
        rig_u64(&args, lock);
        rig_u64(&args, lock + 4);
        rig_launch(&rig, kernels[i], (struct rig_shape){{3, 1, 1}, {64, 1, 1}, 0}, &args);
        rig_fetch(&rig, lock, words, sizeof words);
        assert_int_equal(words[0], 0);
        assert_int_equal(words[1], 3 * 64);
    }
    rig_close(&rig);
}

static void lock_ticket(void **state)
{
    enum { WARPS = 12 };
    uint32_t log[WARPS], words[2], value = 1;
    struct rig rig;
    struct rig_args args = {0};
    rig_open(&rig, *state, EXAMPLES_DIR, "lock");
    uint64_t ticket = rig_buffer(&rig, NULL, sizeof words), output = rig_buffer(&rig, NULL, sizeof log);
    rig_u64(&args, ticket);
    rig_u64(&args, ticket + 4);
    rig_u64(&args, output);
    rig_launch(&rig, "lock_ticket", (struct rig_shape){{3, 1, 1}, {128, 1, 1}, 0}, &args);
    rig_fetch(&rig, ticket, words, sizeof words);
    rig_fetch(&rig, output, log, sizeof log);
    assert_int_equal(words[0], WARPS);
    assert_int_equal(words[1], WARPS);
    for (int i = 0; i < WARPS; i++, value = 3 * value + 1)
        assert_int_equal(log[i], value);
    rig_close(&rig);
}

/* Maxwell text. By CAS the lanes that lose come again: 32 + 31 + ... + 1 passes a warp alone in its block; by CAST.SPIN
 * a pass for each swap. */
static void add_passes(void *user, const struct atoll_contention *contention)
{
    *(uint64_t *)user += contention->passes;
}

static uint32_t spin_run(struct rig *rig, const char *name, uint32_t threads, enum atoll_policy policy,
                         uint64_t *passes)
{
    struct rig_args args = {0};
    struct atoll_error error = {0};
    struct atoll_kernel *kernel;
    uint32_t got = 0;
    uint64_t out = rig_buffer(rig, NULL, 4);
    rig_u64(&args, out);
    struct atoll_launch_options launch = {.grid = {1},
                                          .block = {threads},
                                          .parameters = args.bytes,
                                          .parameter_bytes = args.size,
                                          .order = rig->mode.order,
                                          .seed = rig->mode.seed,
                                          .policy = policy,
                                          .time_limit = 60,
                                          .contention = add_passes,
                                          .user = passes};
    *passes = 0;
    if (!atoll_module_kernel(rig->module, name, &kernel, &error) || !atoll_launch(kernel, &launch, NULL, NULL, &error))
        fail_msg("%s: %s", name, error.message);
    rig_fetch(rig, out, &got, 4);
    return got;
}

static void spin(void **state)
{
    struct rig_mode mode = *(const struct rig_mode *)*state;
    struct rig rig;
    struct atoll_trap trap = {0};
    struct atoll_error error = {0};
    struct rig_args args = {0};
    uint64_t passes;
    mode.suffix = ".sass";
    rig_open(&rig, &mode, EXAMPLES_DIR, "spin");
    assert_int_equal(spin_run(&rig, "count_cas", 32, ATOLL_POLICY_DEFAULT, &passes), 32);
    assert_int_equal(passes, 32 * 33 / 2);
    assert_int_equal(spin_run(&rig, "count_spin", 32, ATOLL_POLICY_DEFAULT, &passes), 32);
    assert_int_equal(passes, 32);
    assert_int_equal(spin_run(&rig, "count_cas", 100, ATOLL_POLICY_DEFAULT, &passes), 100);
    assert_int_equal(spin_run(&rig, "count_spin", 100, ATOLL_POLICY_DEFAULT, &passes), 100);
    assert_int_equal(spin_run(&rig, "lock_wait", 32, ATOLL_POLICY_FRONTIER, &passes), 32);
    rig_u64(&args, rig_buffer(&rig, NULL, 4));
    assert_false(rig_try(&rig, "lock_wait", line(32, 32), &args, &trap, &error));
    assert_string_equal(trap.cause, "deadlock");
    rig_close(&rig);
}

static void lock_stack(void **state)
{
    enum { N = 500 };
    uint32_t link[512], head = 0;
    unsigned char seen[512] = {0};
    struct rig rig;
    struct rig_args args = {0};
    rig_open(&rig, *state, EXAMPLES_DIR, "lock");
    uint64_t top = rig_buffer(&rig, NULL, 4), links = rig_buffer(&rig, NULL, sizeof link);
    rig_u64(&args, top);
    rig_u64(&args, links);
    rig_launch(&rig, "lock_stack", (struct rig_shape){{4, 1, 1}, {125, 1, 1}, 0}, &args);
    rig_fetch(&rig, top, &head, 4);
    rig_fetch(&rig, links, link, sizeof link);
    int count = 0;
    for (; head != 0 && count <= N; head = link[head - 1], count++) {
        assert_in_range(head, 1, N);
        assert_int_equal(seen[head - 1], 0);
        seen[head - 1] = 1;
    }
    assert_int_equal(count, N);
    rig_close(&rig);
}

static void float_max(void **state)
{
    enum { N = 3000 };
    float in[N], most = -1e30f, got, first = -3e38f;
    uint32_t seed = 8;
    struct rig rig;
    struct rig_args args = {0};
    for (int i = 0; i < N; i++) {
        in[i] = (float)(int32_t)rig_random(&seed);
        most = in[i] > most ? in[i] : most;
    }
    rig_open(&rig, *state, EXAMPLES_DIR, "lock");
    uint64_t out = rig_buffer(&rig, &first, 4);
    rig_u64(&args, rig_buffer(&rig, in, sizeof in));
    rig_u32(&args, N);
    rig_u64(&args, out);
    rig_launch(&rig, "float_max", line(N, 64), &args);
    rig_fetch(&rig, out, &got, 4);
    assert_memory_equal(&got, &most, 4);
    rig_close(&rig);
}

static void sha256(void **state)
{
    static const uint32_t lengths[] = {0, 1, 3, 55, 56, 63, 64, 100, 130};
    enum { N = 70 };
    static uint32_t got[N * 8];
    uint32_t want[8], found = UINT32_MAX;
    struct rig rig;
    rig_open(&rig, *state, EXAMPLES_DIR, "sha256");
    ref_sha256((const uint8_t *)"abc", 3, want); /* FIPS 180-4's example guards the reference */
    assert_int_equal(want[0], 0xba7816bf);
    assert_int_equal(want[7], 0xf20015ad);
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        uint8_t *messages = random_bytes((size_t)N * lengths[k] + 1, 10);
        uint64_t out = rig_buffer(&rig, NULL, sizeof got);
        struct rig_args args = {0};
        rig_u64(&args, rig_buffer(&rig, messages, (size_t)N * lengths[k] + 1));
        rig_u32(&args, lengths[k]);
        rig_u32(&args, N);
        rig_u64(&args, out);
        rig_launch(&rig, "sha256", line(N, 32), &args);
        rig_fetch(&rig, out, got, sizeof got);
        for (size_t i = 0; i < N; i++) {
            ref_sha256(messages + i * lengths[k], lengths[k], want);
            rig_same(got + i * 8, want, 4, 8, "sha256");
        }
        free(messages);
    }
    struct rig_args args = {0};
    uint64_t out = rig_buffer(&rig, &found, 4);
    rig_u32(&args, 12345);
    rig_u32(&args, 7);
    rig_u64(&args, out);
    rig_launch(&rig, "sha256_mine", (struct rig_shape){{8, 1, 1}, {64, 1, 1}, 0}, &args);
    rig_fetch(&rig, out, &found, 4);
    assert_int_equal(found, ref_sha256_mine(12345, 7, 512));
    rig_close(&rig);
}

static void mandelbrot(void **state)
{
    enum { W = 70, H = 50 };
    static uint8_t want[4 * W * H], got[4 * W * H];
    static uint32_t want_counts[W * H], got_counts[W * H];
    struct rig rig;
    struct rig_args args = {0}, gray = {0}, at = {0};
    rig_open(&rig, *state, EXAMPLES_DIR, "mandelbrot");
    struct atoll_surface *colours = rig_surface(&rig, ATOLL_DIM_2D, "rgba8unorm", W, H, 1, NULL);
    struct atoll_surface *greys = rig_surface(&rig, ATOLL_DIM_2D, "r8unorm", W, H, 1, NULL);
    rig_u64(&args, atoll_surface_handle(colours));
    rig_u32(&args, W);
    rig_u32(&args, H);
    rig_launch(&rig, "mandelbrot", tiles(W, H, 1), &args);
    rig_surface_fetch(colours, got, 4 * W * H);
    ref_mandelbrot(want, W, H);
    rig_same(got, want, 4, W * H, "mandelbrot");
    rig_u64(&gray, atoll_surface_handle(greys));
    rig_u32(&gray, W);
    rig_u32(&gray, H);
    rig_launch(&rig, "mandelbrot_gray", tiles(W, H, 1), &gray);
    rig_surface_fetch(greys, got, W * H);
    ref_mandelbrot_gray(want, W, H);
    rig_same(got, want, 1, W * H, "mandelbrot_gray");
    uint64_t counts = rig_buffer(&rig, NULL, sizeof got_counts);
    rig_u64(&at, counts);
    rig_u32(&at, W);
    rig_u32(&at, H);
    rig_f64(&at, -0.75);
    rig_f64(&at, 0.1);
    rig_f64(&at, 1e-4);
    rig_u32(&at, 300);
    rig_launch(&rig, "mandelbrot_at", tiles(W, H, 1), &at);
    rig_fetch(&rig, counts, got_counts, sizeof got_counts);
    ref_mandelbrot_at(want_counts, W, H, -0.75, 0.1, 1e-4, 300);
    rig_same(got_counts, want_counts, 4, W * H, "mandelbrot_at");
    rig_close(&rig);
}

static void hello(void **state)
{
    struct rig rig;
    struct rig_args args = {0};
    rig_open(&rig, *state, EXAMPLES_DIR, "printf");
    rig_u32(&args, 42);
    rig_launch(&rig, "hello", (struct rig_shape){{3, 1, 1}, {40, 1, 1}, 0}, &args);
    size_t wanted = 0;
    for (int block = 0; block < 3; block++) {
        for (int thread = 0; thread < 40; thread++) { /* lines come in any order, but whole */
            char text[80];
            snprintf(text, sizeof text, "hello 42 from thread %d of block %d\n", thread, block);
            assert_non_null(strstr(rig.printed, text));
            wanted += strlen(text);
        }
    }
    assert_int_equal(rig.printed_size, wanted);
    rig_close(&rig);
}

static void printf_types(void **state)
{
    struct rig rig;
    struct rig_args args = {0};
    char want[400];
    int i = -37;
    unsigned u = 3000000000u;
    long long l = -1234567890123456789;
    double d = 1234.5678;
    rig_open(&rig, *state, EXAMPLES_DIR, "printf");
    rig_u32(&args, (uint32_t)i);
    rig_u32(&args, u);
    rig_u64(&args, (uint64_t)l);
    rig_f64(&args, d);
    rig_u64(&args, 0x12345678);
    rig_launch(&rig, "types", (struct rig_shape){{1, 1, 1}, {1, 1, 1}, 0}, &args);
    snprintf(want, sizeof want, "%d %5d|%-5d|%05d %u %x %08X %o %lld %llx %c %s %% %f %.3f %10.2e %g %p\n", i, i, i, i,
             u, u, u, u, l, (unsigned long long)l, 'A' + i % 26, "text", d, d, d, d, (void *)0x12345678);
    assert_string_equal(rig.printed, want);
    rig_close(&rig);
}

static void failing_assert(void **state)
{
    struct rig rig;
    struct atoll_trap trap = {0};
    struct atoll_error error = {0};
    struct rig_args args = {0};
    int32_t values[64] = {0};
    rig_open(&rig, *state, EXAMPLES_DIR, "printf");
    values[41] = 9;
    rig_u64(&args, rig_buffer(&rig, values, sizeof values));
    rig_u32(&args, 10);
    rig_launch(&rig, "check", (struct rig_shape){{2, 1, 1}, {32, 1, 1}, 0}, &args);
    struct rig_args bad = {0};
    rig_u64(&bad, rig_buffer(&rig, values, sizeof values));
    rig_u32(&bad, 9);
    assert_false(rig_try(&rig, "check", (struct rig_shape){{2, 1, 1}, {32, 1, 1}, 0}, &bad, &trap, &error));
    assert_int_equal(error.status, ATOLL_TRAP);
    assert_non_null(strstr(error.message, "values[i] < limit"));
    assert_int_equal(trap.block[0], 1);
    assert_int_equal(trap.thread[0], 9);
    rig_close(&rig);
}

static void device_heap(void **state)
{
    enum { N = 96, LENGTH = 40 };
    uint32_t got[N];
    struct rig rig;
    struct rig_args args = {0};
    rig_open(&rig, *state, EXAMPLES_DIR, "printf");
    uint64_t out = rig_buffer(&rig, NULL, sizeof got);
    rig_u64(&args, out);
    rig_u32(&args, LENGTH);
    rig_launch(&rig, "lists", line(N, 48), &args);
    rig_fetch(&rig, out, got, sizeof got);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(got[i], ref_list_sum(i, LENGTH));
    rig_close(&rig);
}

static void recursion(void **state)
{
    enum { N = 17 };
    uint32_t got[N];
    struct rig rig;
    struct rig_args args = {0};
    rig_open(&rig, *state, EXAMPLES_DIR, "printf");
    uint64_t out = rig_buffer(&rig, NULL, sizeof got);
    rig_u64(&args, out);
    rig_launch(&rig, "fibonacci", line(N, N), &args);
    rig_fetch(&rig, out, got, sizeof got);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(got[i], ref_fibonacci(i));
    rig_launch(&rig, "ackermann", line(9, 9), &args);
    rig_fetch(&rig, out, got, sizeof got);
    for (uint32_t i = 0; i < 9; i++)
        assert_int_equal(got[i], ref_ackermann(2, i));
    rig_close(&rig);
}

static void function_pointers(void **state)
{
    enum { N = 200 };
    int32_t which[N], in[N], got[N];
    uint32_t seed = 12;
    struct rig rig;
    struct rig_args args = {0};
    for (int i = 0; i < N; i++) {
        which[i] = (int32_t)rig_random(&seed);
        in[i] = (int32_t)(rig_random(&seed) % 1000);
    }
    rig_open(&rig, *state, EXAMPLES_DIR, "printf");
    uint64_t out = rig_buffer(&rig, NULL, sizeof got);
    rig_u64(&args, rig_buffer(&rig, which, sizeof which));
    rig_u64(&args, rig_buffer(&rig, in, sizeof in));
    rig_u64(&args, out);
    rig_u32(&args, N);
    rig_launch(&rig, "dispatch", line(N, 64), &args);
    rig_fetch(&rig, out, got, sizeof got);
    for (int i = 0; i < N; i++)
        assert_int_equal(got[i], ref_dispatch(which[i], in[i]));
    rig_close(&rig);
}

int main(void)
{
    struct CMUnitTest tests[] = {
        RUN(sobel),      RUN(sobel_outside),     RUN(layers),         RUN(volume),
        RUN(cube),       RUN(histogram),         RUN(hough_vote),     RUN(hough_draw),
        RUN(reduce),     RUN(reduce_float),      RUN(locks),          RUN(lock_ticket),
        RUN(lock_stack), RUN(float_max),         RUN(sha256),         RUN(mandelbrot),
        RUN(hello),      RUN(printf_types),      RUN(failing_assert), RUN(device_heap),
        RUN(recursion),  RUN(function_pointers), RUN(spin),
    };
    int failed = 0;
    for (int mode = 0; mode < RIG_MODES; mode++) {
        for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
            tests[i].initial_state = (void *)(uintptr_t)&rig_modes[mode];
        failed += cmocka_run_group_tests_name(rig_modes[mode].name, tests, NULL, NULL);
    }
    return failed != 0;
}

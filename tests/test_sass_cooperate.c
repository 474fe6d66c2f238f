/* Kernels whose threads wait for each other, as they are written today (tests/data/kernels/modern.cu): a hash table
 * filled by compare and swap, prefix sums in one pass by looking back, a lock that blocks take from each other, a sort
 * by ballots, forces of all bodies on all. From PTX and from the machine code of two releases of ptxas (sm_50: 11.8,
 * sm_52: 12.4), in four orders of execution, held against plain C. */
#include "ref/rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void open_modern(struct rig *rig, const void *mode)
{
    rig_open(rig, mode, DATA_DIR "/kernels", "modern");
}

static struct rig_shape shape(uint32_t blocks, uint32_t threads)
{
    return (struct rig_shape){{blocks, 1, 1}, {threads, 1, 1}, 0};
}

static int by_value(const void *a, const void *b)
{
    uint32_t x, y;
    memcpy(&x, a, 4);
    memcpy(&y, b, 4);
    return x < y ? -1 : x > y;
}

/* Every key is in the table once; where, the order decides. */
static void hash_insert(void **state)
{
    enum { KEYS = 512, TABLE = 1024 };
    static uint32_t keys[KEYS], table[TABLE], want[TABLE];
    struct rig rig;
    struct rig_args args = {0};
    uint32_t seed = 5, different = 0;
    memset(want, 0, sizeof want);
    for (uint32_t i = 0; i < KEYS; i++) {
        keys[i] = 1 + rig_random(&seed) % 700 * 4099;
        bool known = false;
        for (uint32_t k = 0; k < different; k++)
            known |= want[TABLE - 1 - k] == keys[i];
        if (!known)
            want[TABLE - 1 - different++] = keys[i];
    }
    qsort(want, TABLE, 4, by_value);
    open_modern(&rig, *state);
    uint64_t at = rig_buffer(&rig, NULL, sizeof table);
    rig_u64(&args, at);
    rig_u64(&args, rig_buffer(&rig, keys, sizeof keys));
    rig_u32(&args, TABLE - 1);
    rig_launch(&rig, "hash_insert", shape(KEYS / 64, 64), &args);
    rig_fetch(&rig, at, table, sizeof table);
    qsort(table, TABLE, 4, by_value);
    rig_same(table, want, 4, TABLE, "keys");
    rig_close(&rig);
}

static void look_back(void **state)
{
    enum { BLOCKS = 12, THREADS = 256, COUNT = BLOCKS * THREADS };
    static uint32_t in[COUNT], out[COUNT], want[COUNT];
    struct rig rig;
    struct rig_args args = {0};
    uint32_t seed = 9, sum = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        in[i] = rig_random(&seed);
        want[i] = sum += in[i];
    }
    open_modern(&rig, *state);
    rig_u64(&args, rig_buffer(&rig, in, sizeof in));
    uint64_t at = rig_buffer(&rig, NULL, sizeof out);
    rig_u64(&args, at);
    for (unsigned i = 0; i < 4; i++) /* states, sums, prefixes, the next number */
        rig_u64(&args, rig_buffer(&rig, NULL, BLOCKS * 4));
    rig_launch(&rig, "look_back", shape(BLOCKS, THREADS), &args);
    rig_fetch(&rig, at, out, sizeof out);
    rig_same(out, want, 4, COUNT, "prefix sums");
    rig_close(&rig);
}

static void block_lock(void **state)
{
    enum { BLOCKS = 20, ROUNDS = 5 };
    uint32_t counts[2], want[2] = {0, 0};
    struct rig rig;
    struct rig_args args = {0};
    for (uint32_t i = 0; i < BLOCKS * ROUNDS; i++) {
        want[0] = want[0] * 3 + 1;
        want[1] += i / ROUNDS;
    }
    open_modern(&rig, *state);
    rig_u64(&args, rig_buffer(&rig, NULL, 4));
    uint64_t at = rig_buffer(&rig, NULL, sizeof counts);
    rig_u64(&args, at);
    rig_u32(&args, ROUNDS);
    rig_launch(&rig, "block_lock", shape(BLOCKS, 64), &args);
    rig_fetch(&rig, at, counts, sizeof counts);
    rig_same(counts, want, 4, 2, "what the lock guards");
    rig_close(&rig);
}

static void radix_sort(void **state)
{
    enum { BLOCKS = 3, COUNT = BLOCKS * 256 };
    static uint32_t data[COUNT], want[COUNT];
    struct rig rig;
    struct rig_args args = {0};
    uint32_t seed = 77;
    for (uint32_t i = 0; i < COUNT; i++)
        data[i] = want[i] = i % 3 ? rig_random(&seed) : i % 7;
    for (uint32_t b = 0; b < BLOCKS; b++)
        qsort(want + b * 256, 256, 4, by_value);
    open_modern(&rig, *state);
    uint64_t at = rig_buffer(&rig, data, sizeof data);
    rig_u64(&args, at);
    rig_launch(&rig, "radix_sort", shape(BLOCKS, 256), &args);
    rig_fetch(&rig, at, data, sizeof data);
    rig_same(data, want, 4, COUNT, "sorted words");
    rig_close(&rig);
}

/* Each product and sum rounded by itself, as in the kernel. */
static float rounded(float value)
{
    volatile float stored = value;
    return stored;
}

static void force(const float *bodies, uint32_t n, uint32_t i, float sum[3])
{
    sum[0] = sum[1] = sum[2] = 0;
    for (uint32_t j = 0; j < n; j++) {
        float d[3], square = 0;
        for (unsigned k = 0; k < 3; k++) {
            d[k] = rounded(bodies[4 * j + k] - bodies[4 * i + k]);
            square = k ? rounded(square + rounded(d[k] * d[k])) : rounded(d[k] * d[k]);
        }
        float r = rounded(square + 0.01f), f = rounded(bodies[4 * j + 3] / rounded(r * rounded(sqrtf(r))));
        for (unsigned k = 0; k < 3; k++)
            sum[k] = rounded(sum[k] + rounded(d[k] * f));
    }
}

static void nbody(void **state)
{
    enum { BODIES = 128 };
    static float bodies[4 * BODIES], forces[3 * BODIES], want[3 * BODIES];
    struct rig rig;
    struct rig_args args = {0};
    uint32_t seed = 3;
    for (uint32_t i = 0; i < 4 * BODIES; i++)
        bodies[i] = (float)(rig_random(&seed) >> 8) / 1000003.0f - (i % 4 == 3 ? 0.0f : 8.0f);
    for (uint32_t i = 0; i < BODIES; i++)
        force(bodies, BODIES, i, want + 3 * i);
    open_modern(&rig, *state);
    rig_u64(&args, rig_buffer(&rig, bodies, sizeof bodies));
    uint64_t at = rig_buffer(&rig, NULL, sizeof forces);
    rig_u64(&args, at);
    rig_u32(&args, BODIES);
    rig_launch(&rig, "nbody", shape(BODIES / 64, 64), &args);
    rig_fetch(&rig, at, forces, sizeof forces);
    rig_same(forces, want, 4, 3 * BODIES, "forces");
    rig_close(&rig);
}

int main(void)
{
    static const char *const codes[] = {NULL, ".sm_50.cubin", ".sm_52.cubin"};
    int failed = 0;
    for (unsigned code = 0; code < 3; code++)
        for (unsigned i = 0; i < RIG_MODES; i++) {
            struct rig_mode mode = rig_modes[i];
            char name[64];
            mode.suffix = codes[code];
            snprintf(name, sizeof name, "%s%s", mode.name, code ? codes[code] : ".ptx");
            struct CMUnitTest tests[] = {cmocka_unit_test(hash_insert), cmocka_unit_test(look_back),
                                         cmocka_unit_test(block_lock), cmocka_unit_test(radix_sort),
                                         cmocka_unit_test(nbody)};
            for (size_t t = 0; t < sizeof tests / sizeof *tests; t++)
                tests[t].initial_state = &mode;
            failed += cmocka_run_group_tests_name(name, tests, NULL, NULL);
        }
    return failed != 0;
}

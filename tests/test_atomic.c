/* The table of atomic operations: what each means, that its forms agree, and that they are indivisible. */
#include "base/half.h"
#include "mem/atomic.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static unsigned bytes_of(unsigned type)
{
    switch (type) {
    case LANE_B8:
    case LANE_U8:
    case LANE_S8:
        return 1;
    case LANE_B16:
    case LANE_U16:
    case LANE_S16:
    case LANE_F16:
    case LANE_BF16:
        return 2;
    case LANE_B64:
    case LANE_U64:
    case LANE_S64:
    case LANE_F64:
        return 8;
    case LANE_B128:
        return 16;
    default:
        return 4;
    }
}

/* New value in memory; checks that `old` is what was there. */
static uint64_t apply(enum lane_atomic op, enum lane_type type, uint64_t a, uint64_t b, uint64_t c, bool flush)
{
    _Alignas(16) uint64_t memory[2] = {a, 0}, old[2] = {0};
    const struct atomic_row *row = atomic_find(op, type);
    assert_non_null(row);
    uint64_t operand[2] = {b, 0}, new[2] = {c, 0};
    row->plain(memory, old, operand, new, flush, LANE_RELAXED);
    assert_memory_equal(old, &a, bytes_of(type) < 8 ? bytes_of(type) : 8);
    return memory[0];
}

static void integers(void **unused)
{
    (void)unused;
    assert_int_equal(apply(LANE_ATOMIC_ADD, LANE_U32, UINT32_MAX, 2, 0, false), 1);
    assert_int_equal(apply(LANE_ATOMIC_SUB, LANE_U32, 1, 2, 0, false), UINT32_MAX);
    assert_int_equal(apply(LANE_ATOMIC_MIN, LANE_S32, 0xffffffff, 1, 0, false), 0xffffffff);
    assert_int_equal(apply(LANE_ATOMIC_MIN, LANE_U32, 0xffffffff, 1, 0, false), 1);
    assert_int_equal(apply(LANE_ATOMIC_MAX, LANE_S64, UINT64_MAX, 1, 0, false), 1);
    assert_int_equal(apply(LANE_ATOMIC_MAX, LANE_U64, UINT64_MAX, 1, 0, false), UINT64_MAX);
    assert_int_equal(apply(LANE_ATOMIC_AND, LANE_B32, 6, 3, 0, false), 2);
    assert_int_equal(apply(LANE_ATOMIC_OR, LANE_B64, 6, 3, 0, false), 7);
    assert_int_equal(apply(LANE_ATOMIC_XOR, LANE_B32, 6, 3, 0, false), 5);
    assert_int_equal(apply(LANE_ATOMIC_EXCH, LANE_F32, 6, 3, 0, false), 3);
    assert_int_equal(apply(LANE_ATOMIC_CAS, LANE_B64, 6, 6, 9, false), 9);
    assert_int_equal(apply(LANE_ATOMIC_CAS, LANE_B64, 6, 5, 9, false), 6);
}

static void short_integers(void **unused)
{
    (void)unused;
    static const enum lane_type types[] = {LANE_U16, LANE_S16, LANE_B16};
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(apply(LANE_ATOMIC_ADD, types[i], 0xabcdffff, 2, 0, false), 0xabcd0001);
        assert_int_equal(apply(LANE_ATOMIC_SUB, types[i], 0xabcd0001, 2, 0, false), 0xabcdffff);
        assert_int_equal(apply(LANE_ATOMIC_AND, types[i], 0xff00ff00, 0x1234, 0, false), 0xff001200);
        assert_int_equal(apply(LANE_ATOMIC_OR, types[i], 0xff00ff00, 0x1234, 0, false), 0xff00ff34);
        assert_int_equal(apply(LANE_ATOMIC_XOR, types[i], 0xff00ff00, 0x1234, 0, false), 0xff00ed34);
        assert_int_equal(apply(LANE_ATOMIC_EXCH, types[i], 0xff00ff00, 0x1234, 0, false), 0xff001234);
        assert_int_equal(apply(LANE_ATOMIC_CAS, types[i], 0xff000001, 1, 0x1234, false), 0xff001234);
    }
    assert_int_equal(apply(LANE_ATOMIC_MAX, LANE_S16, 0x8000, 1, 0, false), 1);
    assert_int_equal(apply(LANE_ATOMIC_MAX, LANE_U16, 0x8000, 1, 0, false), 0x8000);
}

/* By one type: 1.0, the least subnormal, infinity, two NaNs, the sign. */
struct floats {
    enum lane_type type;
    uint64_t one, tiny, infinity, nan, other_nan, canonical, sign;
};

static const struct floats floats[] = {
    {LANE_F16, 0x3c00, 1, 0x7c00, 0x7c01, 0xfe23, 0x7fff, 0x8000},
    {LANE_F32, 0x3f800000, 1, 0x7f800000, 0x7f800001, 0xffc00023, 0x7fffffff, 0x80000000},
    {LANE_F64, UINT64_C(0x3ff) << 52, 1, UINT64_C(0x7ff) << 52, (UINT64_C(0x7ff) << 52) + 1,
     (UINT64_C(0xfff8) << 48) + 0x23, INT64_MAX, UINT64_C(1) << 63},
};

static void float_sub(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < 3; i++) {
        const struct floats *f = &floats[i];
        assert_int_equal(apply(LANE_ATOMIC_SUB, f->type, f->one, f->one, 0, false), 0);
        assert_int_equal(apply(LANE_ATOMIC_SUB, f->type, 0, f->one, 0, false), f->one | f->sign);
        assert_int_equal(apply(LANE_ATOMIC_SUB, f->type, 3, 1, 0, false), 2);
        assert_int_equal(apply(LANE_ATOMIC_SUB, f->type, f->infinity, f->infinity, 0, false), f->canonical);
        assert_int_equal(apply(LANE_ATOMIC_SUB, f->type, f->one, f->nan, 0, false), f->canonical);
    }
    assert_int_equal(apply(LANE_ATOMIC_SUB, LANE_F32, 3, 1, 0, true), 0); /* flushed */
    assert_int_equal(apply(LANE_ATOMIC_SUB, LANE_F32, f32_bits(1.5f), f32_bits(4.0f), 0, false), f32_bits(-2.5f));
    assert_int_equal(apply(LANE_ATOMIC_SUB, LANE_F64, f64_bits(1.5), f64_bits(4.0), 0, false), f64_bits(-2.5));
    assert_int_equal(apply(LANE_ATOMIC_SUB, LANE_F16, 0x3e00, 0x4400, 0, false), 0xc100);
}

/* f64 additions that keep NaNs: in global memory the operand's NaN before memory's, as it is; elsewhere the other way
 * round, quieted. */
static void kept_nans(void **unused)
{
    (void)unused;
    const struct lane_access access = {.type = LANE_F64, .atomic = LANE_ATOMIC_ADD, .keeps_nan = true};
    const struct lane_access flushing = {.type = LANE_F64, .atomic = LANE_ATOMIC_ADD, .flags = LANE_FTZ};
    const struct atomic_row *row = atomic_find_access(&access);
    assert_ptr_equal(atomic_find_access(&flushing), atomic_find(LANE_ATOMIC_ADD, LANE_F64));
    assert_true(atomic_flushes(&access) && atomic_flushes(&flushing));
    const uint64_t one = f64_bits(1), infinity = f64_bits(INFINITY), loud = infinity + 0x12345678,
                   other = loud | UINT64_C(3) << 62, quiet = UINT64_C(1) << 51;
    const uint64_t sums[][4] = {/* memory, operand, sum in global memory, elsewhere */
                                {loud, other, other, loud | quiet},
                                {other, loud, loud, other | quiet},
                                {one, loud, loud, loud | quiet},
                                {other, infinity, other, other | quiet},
                                {infinity, f64_bits(-INFINITY), UINT64_C(0xfff8) << 48, UINT64_C(0xfff8) << 48},
                                {one, one, f64_bits(2), f64_bits(2)},
                                {3, 1, 4, 4}};
    for (unsigned i = 0; i < 2 * sizeof sums / sizeof *sums; i++) {
        uint64_t memory = sums[i / 2][0], old = 0;
        row->shared(&memory, &old, &sums[i / 2][1], NULL, !(i & 1), LANE_RELAXED);
        assert_int_equal(old, sums[i / 2][0]);
        assert_int_equal(memory, sums[i / 2][2 + (i & 1)]);
    }
}

/* A number beats a NaN; of two NaNs the operand stays, as it is, but of halves; zeros are ordered, subnormals are kept.
 */
static void float_extremes(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < 3; i++) {
        const struct floats *f = &floats[i];
        /* ascending */
        const uint64_t order[] = {
            f->infinity | f->sign, f->one | f->sign, f->tiny | f->sign, f->sign, 0, f->tiny, f->one, f->infinity};
        for (unsigned a = 0; a < 8; a++) {
            for (unsigned b = 0; b < 8; b++) {
                assert_int_equal(apply(LANE_ATOMIC_MIN, f->type, order[a], order[b], 0, true), order[a < b ? a : b]);
                assert_int_equal(apply(LANE_ATOMIC_MAX, f->type, order[a], order[b], 0, true), order[a > b ? a : b]);
            }
            for (unsigned max = 0; max < 2; max++) {
                enum lane_atomic op = max ? LANE_ATOMIC_MAX : LANE_ATOMIC_MIN;
                assert_int_equal(apply(op, f->type, order[a], f->nan, 0, false), order[a]);
                assert_int_equal(apply(op, f->type, f->other_nan, order[a], 0, false), order[a]);
                bool half = f->type == LANE_F16; /* PTX ISA, atom */
                uint64_t pair = apply(op, f->type, f->nan, f->other_nan, 0, false);
                assert_int_equal(pair, half ? f->canonical : f->other_nan);
                pair = apply(op, f->type, f->other_nan, f->nan, 0, false);
                assert_int_equal(pair, half ? f->canonical : f->nan);
            }
        }
    }
}

static void float_compare_and_swap(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < 3; i++) {
        const struct floats *f = &floats[i];
        assert_int_equal(apply(LANE_ATOMIC_FCAS, f->type, f->one, f->one, f->nan, false), f->nan);
        assert_int_equal(apply(LANE_ATOMIC_FCAS, f->type, f->one, f->one | f->sign, f->nan, false), f->one);
        assert_int_equal(apply(LANE_ATOMIC_FCAS, f->type, f->nan, f->nan, f->one, false), f->nan);
        assert_int_equal(apply(LANE_ATOMIC_FCAS, f->type, 0, f->sign, f->tiny, false), f->tiny);
        assert_int_equal(apply(LANE_ATOMIC_FCAS, f->type, f->sign, 0, f->one, false), f->one);
        assert_int_equal(apply(LANE_ATOMIC_FCAS, f->type, f->tiny, 0, f->one, false), f->tiny); /* not flushed */
        assert_int_equal(apply(LANE_ATOMIC_FCAS, f->type, f->infinity, f->infinity, 0, false), 0);
        _Alignas(8) uint64_t memory = f->sign, old = 0, zero = 0;
        const struct atomic_row *row = atomic_find(LANE_ATOMIC_FCAS, f->type);
        row->shared(&memory, &old, &zero, &f->one, false, LANE_ACQ_REL);
        assert_true(memory == f->one && old == f->sign);
        row->shared(&memory, &old, &zero, &f->one, false, LANE_RELEASE);
        assert_true(memory == f->one && old == f->one);
    }
}

/* PTX ISA: inc = a >= b ? 0 : a + 1; dec = a == 0 || a > b ? b : a - 1 */
static void inc_and_dec_wrap(void **unused)
{
    (void)unused;
    for (uint32_t a = 0; a < 6; a++)
        for (uint32_t b = 0; b < 6; b++) {
            assert_int_equal(apply(LANE_ATOMIC_INC, LANE_U32, a, b, 0, false), a >= b ? 0 : a + 1);
            assert_int_equal(apply(LANE_ATOMIC_DEC, LANE_U32, a, b, 0, false), a == 0 || a > b ? b : a - 1);
        }
    assert_int_equal(apply(LANE_ATOMIC_INC, LANE_U32, UINT32_MAX, UINT32_MAX, 0, false), 0);
}

static void cas_keeps_neighbours(void **unused)
{
    (void)unused;
    _Alignas(4) uint16_t pair[2] = {0x1111, 0x2222};
    uint16_t old, compare = 0x2222, new = 0x3333;
    atomic_find(LANE_ATOMIC_CAS, LANE_B16)->shared(&pair[1], &old, &compare, &new, false, LANE_ACQ_REL);
    assert_int_equal(old, 0x2222);
    assert_int_equal(pair[0], 0x1111);
    assert_int_equal(pair[1], 0x3333);
}

static void wide_exchange(void **unused)
{
    (void)unused;
    _Alignas(16) uint64_t memory[2] = {1, 2}, old[2], b[2] = {1, 3}, c[2] = {7, 8};
    for (unsigned form = 0; form < 2; form++) {
        const struct atomic_row *cas = atomic_find(LANE_ATOMIC_CAS, LANE_B128);
        const struct atomic_row *exch = atomic_find(LANE_ATOMIC_EXCH, LANE_B128);
        memory[0] = 1, memory[1] = 2, b[1] = 3;
        (form ? cas->shared : cas->plain)(memory, old, b, c, false, LANE_SC);
        assert_true(old[0] == 1 && old[1] == 2 && memory[0] == 1 && memory[1] == 2);
        b[1] = 2;
        (form ? cas->shared : cas->plain)(memory, old, b, c, false, LANE_SC);
        assert_true(old[0] == 1 && old[1] == 2 && memory[0] == 7 && memory[1] == 8);
        (form ? exch->shared : exch->plain)(memory, old, b, NULL, false, LANE_SC);
        assert_true(old[0] == 7 && old[1] == 8 && memory[0] == 1 && memory[1] == 2);
    }
}

static void float_add(void **unused)
{
    (void)unused;
    const uint32_t tiny = 1, normal = 0x00800000;
    assert_int_equal(apply(LANE_ATOMIC_ADD, LANE_F32, f32_bits(1.5f), f32_bits(2.25f), 0, false), f32_bits(3.75f));
    assert_int_equal(apply(LANE_ATOMIC_ADD, LANE_F32, tiny, tiny, 0, false), 2);
    assert_int_equal(apply(LANE_ATOMIC_ADD, LANE_F32, tiny, tiny, 0, true), 0);
    assert_int_equal(apply(LANE_ATOMIC_ADD, LANE_F32, 0x80000000 | tiny, 0x80000000, 0, true), 0x80000000);
    assert_int_equal(apply(LANE_ATOMIC_ADD, LANE_F32, normal + 5, 0x80000000 | normal, 0, true), 0);
    assert_int_equal(apply(LANE_ATOMIC_ADD, LANE_F32, normal + 5, 0x80000000 | normal, 0, false), 5);
    assert_int_equal(apply(LANE_ATOMIC_ADD, LANE_F32, 0xffc00001, 0, 0, false), 0x7fffffff);
    assert_int_equal(apply(LANE_ATOMIC_ADD, LANE_F32, 0x7f800000, 0xff800000, 0, true), 0x7fffffff);
    assert_int_equal(apply(LANE_ATOMIC_ADD, LANE_F64, f64_bits(1.0), f64_bits(0x1p-53), 0, false), f64_bits(1.0));
    assert_int_equal(apply(LANE_ATOMIC_ADD, LANE_F64, 1, 1, 0, true), 2); /* never flushed */
}

/* Sums of halves against double, which holds those of f16 exactly and those of bf16 to twice what they need. */
static void half_add_rounds_once(void **unused)
{
    (void)unused;
    srand(7);
    for (unsigned i = 0; i < 400000; i++) {
        uint16_t a = (uint16_t)(rand() >> 3), b = (uint16_t)(rand() >> 3);
        if (i & 1) /* nearly opposite, or of near exponents */
            b = (uint16_t)(a ^ (rand() & 0x8fff & (rand() | 0x8007)));
        uint16_t sum = (uint16_t)apply(LANE_ATOMIC_ADD, LANE_F16, a, b, 0, false);
        assert_int_equal(sum, f16_from_f64((double)f16_to_f32(a) + (double)f16_to_f32(b), HALF_RN));
        sum = (uint16_t)apply(LANE_ATOMIC_ADD, LANE_BF16, a, b, 0, false);
        assert_int_equal(sum, bf16_from_f64((double)bf16_to_f32(a) + (double)bf16_to_f32(b), HALF_RN));
    }
    assert_int_equal(apply(LANE_ATOMIC_ADD, LANE_F16, 0x7c00, 0xfc00, 0, false), 0x7fff);
    assert_int_equal(apply(LANE_ATOMIC_ADD, LANE_F16X2, 0x3c007bff, 0x40007bff, 0, false), 0x42007c00);
    assert_int_equal(apply(LANE_ATOMIC_ADD, LANE_F16X2, 0x0000ffff, 0x00017bff, 0, false), 0x00017fff);
    /* flushed: inputs, and a sum that is subnormal: 2^-14 * 1.5 - 2^-14 */
    assert_int_equal(apply(LANE_ATOMIC_ADD, LANE_F16X2, 0x83ff0600, 0x80018400, 0, true), 0x80000000);
    assert_int_equal(apply(LANE_ATOMIC_ADD, LANE_F16X2, 0x83ff0600, 0x80018400, 0, false), 0x84000200);
    assert_int_equal(apply(LANE_ATOMIC_MAX, LANE_F16X2, 0x00010001, 0x80000000, 0, true), 0);
}

static void half_min_max(void **unused)
{
    (void)unused;
    for (unsigned bf = 0; bf < 2; bf++) {
        enum lane_type t = bf ? LANE_BF16 : LANE_F16;
        uint16_t one = bf ? 0x3f80 : 0x3c00, nan = 0x7fe1;
        assert_int_equal(apply(LANE_ATOMIC_MIN, t, one, 0x8000, 0, false), 0x8000);
        assert_int_equal(apply(LANE_ATOMIC_MIN, t, 0x0000, 0x8000, 0, false), 0x8000);
        assert_int_equal(apply(LANE_ATOMIC_MAX, t, 0x8000, 0x0000, 0, false), 0x0000);
        assert_int_equal(apply(LANE_ATOMIC_MAX, t, nan, one, 0, false), one);
        assert_int_equal(apply(LANE_ATOMIC_MIN, t, one, nan | 0x8000, 0, false), one);
        assert_int_equal(apply(LANE_ATOMIC_MIN, t, nan, nan, 0, false), 0x7fff);
        assert_int_equal(apply(LANE_ATOMIC_MIN, t, (uint16_t)(one | 0x8000), one, 0, false), one | 0x8000);
    }
    assert_int_equal(apply(LANE_ATOMIC_MAX, LANE_BF16X2, 0x3f80bf80, 0xbf803f80, 0, false), 0x3f803f80);
}

/* What it gives, where that is not what was there. */
static uint64_t gives(enum lane_atomic op, enum lane_type type, uint64_t a, uint64_t b)
{
    uint64_t memory = a, old = 0;
    atomic_find(op, type)->plain(&memory, &old, &b, NULL, false, LANE_RELAXED);
    assert_int_equal(memory, old);
    return old;
}

static void vector_machines(void **unused)
{
    (void)unused;
    const uint32_t nan = 0x7fc01234, other = 0xffc00007, one = f32_bits(1.0f), two = f32_bits(2.0f);
    assert_int_equal(gives(LANE_ATOMIC_PREDEC, LANE_U32, 7, 1), 6);
    assert_int_equal(gives(LANE_ATOMIC_PREDEC, LANE_U32, 0, 1), UINT32_MAX);
    assert_int_equal(gives(LANE_ATOMIC_PREDEC, LANE_U16, 0, 1), 0xffff);
    assert_int_equal(gives(LANE_ATOMIC_PREDEC, LANE_U64, 0, 1), UINT64_MAX);
    assert_int_equal(apply(LANE_ATOMIC_ADD, LANE_U16, 0xffff, 2, 0, false), 1);
    assert_int_equal(apply(LANE_ATOMIC_MIN, LANE_S16, 0x8000, 1, 0, false), 0x8000);
    assert_int_equal(apply(LANE_ATOMIC_MIN, LANE_U16, 0x8000, 1, 0, false), 1);
    assert_int_equal(apply(LANE_ATOMIC_MAX, LANE_F32, one, two, 0, false), two);
    assert_int_equal(apply(LANE_ATOMIC_MIN, LANE_F32, one, two, 0, false), one);
    assert_int_equal(apply(LANE_ATOMIC_MIN, LANE_F32, 0, 0x80000000, 0, false), 0x80000000);
    assert_int_equal(apply(LANE_ATOMIC_MAX, LANE_F32, 0x80000000, 0, 0, false), 0);
    assert_int_equal(apply(LANE_ATOMIC_MAX, LANE_F32, nan, one, 0, false), one);
    assert_int_equal(apply(LANE_ATOMIC_MAX, LANE_F32, one, nan, 0, false), one);
    assert_int_equal(apply(LANE_ATOMIC_MIN, LANE_F32, nan, other, 0, false), other);
    assert_int_equal(apply(LANE_ATOMIC_MIN, LANE_F64, f64_bits(-1.0), f64_bits(-2.0), 0, false), f64_bits(-2.0));
    assert_int_equal(apply(LANE_ATOMIC_SUB, LANE_F32, two, one, 0, false), one);
    assert_int_equal(apply(LANE_ATOMIC_SUB, LANE_F16, 0x4000, 0x3c00, 0, false), 0x3c00);
    assert_int_equal(apply(LANE_ATOMIC_SUB, LANE_F64, f64_bits(2.0), f64_bits(0.5), 0, false), f64_bits(1.5));
    /* -0 is +0, a NaN is not itself. */
    assert_int_equal(apply(LANE_ATOMIC_FCAS, LANE_F32, 0x80000000, 0, two, false), two);
    assert_int_equal(apply(LANE_ATOMIC_FCAS, LANE_F32, nan, nan, two, false), nan);
    assert_int_equal(apply(LANE_ATOMIC_FCAS, LANE_F32, one, two, 5, false), one);
    assert_int_equal(apply(LANE_ATOMIC_FCAS, LANE_F16, 0x8000, 0, 5, false), 5);
    assert_int_equal(apply(LANE_ATOMIC_FCAS, LANE_F64, 0, UINT64_C(1) << 63, 5, false), 5);
}

/* plain, shared and the two warp forms do the same, for every row. */
static void forms_agree(void **unused)
{
    (void)unused;
    srand(3);
    unsigned rows = 0;
    for (unsigned op = 0; op < LANE_ATOMICS; op++)
        for (unsigned type = 0; type < LANE_TYPES; type++) {
            const struct atomic_row *row = atomic_find((enum lane_atomic)op, (enum lane_type)type);
            if (!row)
                continue;
            rows++;
            unsigned size = bytes_of(type);
            for (unsigned n = 0; n < 200; n++) {
                _Alignas(16) unsigned char memory[3][16 * 8], old[3][16 * LANES], b[16 * LANES], c[16 * LANES];
                uint32_t mask = n % 3 ? (uint32_t)rand() ^ (uint32_t)rand() << 16 : UINT32_MAX;
                unsigned pick[LANES], spread = 1 + (unsigned)rand() % 8;
                for (unsigned i = 0; i < sizeof b; i++) {
                    b[i] = (unsigned char)(rand() >> 4);
                    c[i] = (unsigned char)(rand() >> 4);
                }
                memset(old, 0x5a, sizeof old);
                for (unsigned i = 0; i < sizeof memory[0]; i++)
                    memory[0][i] = memory[1][i] = memory[2][i] = n & 1 ? b[i] : (unsigned char)(rand() >> 4);
                bool want_old = n % 4 != 0, flush = n & 2;
                void *targets[2][LANES];
                for (unsigned i = 0; i < LANES; i++) {
                    pick[i] = i && rand() % 3 ? pick[i - 1] : (unsigned)rand() % spread;
                    targets[0][i] = memory[1] + pick[i] * size;
                    targets[1][i] = memory[2] + pick[i] * size;
                    if (mask >> i & 1)
                        (i & 1 ? row->plain : row->shared)(memory[0] + pick[i] * size,
                                                           want_old ? old[0] + i * size : NULL, b + i * size,
                                                           c + i * size, flush, LANE_RELAXED);
                }
                row->shared_warp(targets[0], want_old ? old[1] : NULL, b, c, mask, flush, LANE_ACQ_REL);
                row->plain_warp(targets[1], want_old ? old[2] : NULL, b, c, mask, flush, LANE_RELAXED);
                for (unsigned form = 1; form < 3; form++) {
                    assert_memory_equal(memory[0], memory[form], sizeof memory[0]);
                    assert_memory_equal(old[0], old[form], sizeof old[0]);
                }
            }
        }
    assert_true(rows > 100);
}

static void senseless_rows_are_absent(void **unused)
{
    (void)unused;
    assert_null(atomic_find(LANE_ATOMIC_AND, LANE_F32));
    assert_null(atomic_find(LANE_ATOMIC_FCAS, LANE_U32));
    assert_null(atomic_find(LANE_ATOMIC_PREDEC, LANE_F32));
    assert_null(atomic_find(LANE_ATOMIC_ADD, LANE_B128));
    assert_null(atomic_find(LANE_ATOMIC_INC, LANE_U64));
    assert_null(atomic_find(LANE_ATOMICS, LANE_U32));
    assert_null(atomic_find(LANE_ATOMIC_ADD, LANE_TYPES));
}

enum { THREADS = 3, ROUNDS = 20000 };

struct shared {
    _Alignas(16) uint64_t wide[2];
    uint32_t u32, f32, f16x2, inc;
    uint64_t f64;
};

static void *hammer(void *argument)
{
    struct shared *s = argument;
    uint32_t one = 1, f = f32_bits(1.0f), h = 0x00010001, limit = 6;
    uint64_t d = f64_bits(1.0);
    const struct atomic_row *cas = atomic_find(LANE_ATOMIC_CAS, LANE_B128);
    for (unsigned i = 0; i < ROUNDS; i++) {
        atomic_find(LANE_ATOMIC_ADD, LANE_U32)->shared(&s->u32, NULL, &one, NULL, false, LANE_RELAXED);
        atomic_find(LANE_ATOMIC_ADD, LANE_F32)->shared(&s->f32, NULL, &f, NULL, true, LANE_RELAXED);
        atomic_find(LANE_ATOMIC_ADD, LANE_F64)->shared(&s->f64, NULL, &d, NULL, true, LANE_RELAXED);
        atomic_find(LANE_ATOMIC_INC, LANE_U32)->shared(&s->inc, NULL, &limit, NULL, true, LANE_RELAXED);
        if (i < 600) /* halves count exactly only so far */
            atomic_find(LANE_ATOMIC_ADD, LANE_F16X2)->shared(&s->f16x2, NULL, &h, NULL, false, LANE_RELAXED);
        _Alignas(16) uint64_t seen[2] = {0, 0}, want[2], new[2];
        do {
            memcpy(want, seen, sizeof want);
            new[0] = want[0] + 1;
            new[1] = want[1] + 2;
            cas->shared(s->wide, seen, want, new, false, LANE_RELAXED);
        } while (memcmp(seen, want, sizeof seen) != 0);
    }
    return NULL;
}

static void shared_forms_are_indivisible(void **unused)
{
    (void)unused;
    struct shared s = {0};
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, hammer, &s), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(s.u32, THREADS * ROUNDS);
    assert_int_equal(s.f32, f32_bits((float)(THREADS * ROUNDS)));
    assert_int_equal(s.f64, f64_bits((double)(THREADS * ROUNDS)));
    assert_int_equal(s.inc, THREADS * ROUNDS % 7);
    assert_int_equal(s.f16x2, 1800 * 0x00010001);
    assert_int_equal(s.wide[0], THREADS * ROUNDS);
    assert_int_equal(s.wide[1], 2 * THREADS * ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),
        cmocka_unit_test(short_integers),
        cmocka_unit_test(float_sub),
        cmocka_unit_test(kept_nans),
        cmocka_unit_test(float_extremes),
        cmocka_unit_test(float_compare_and_swap),
        cmocka_unit_test(inc_and_dec_wrap),
        cmocka_unit_test(cas_keeps_neighbours),
        cmocka_unit_test(wide_exchange),
        cmocka_unit_test(float_add),
        cmocka_unit_test(half_add_rounds_once),
        cmocka_unit_test(half_min_max),
        cmocka_unit_test(vector_machines),
        cmocka_unit_test(forms_agree),
        cmocka_unit_test(senseless_rows_are_absent),
        cmocka_unit_test(shared_forms_are_indivisible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

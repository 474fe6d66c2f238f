/* Float arithmetic against MPFR, in every rounding mode, with FTZ, SAT and RELU; NaN rules; min, max and comparisons.
 */
#include "kernels_mpfr.h"

static uint64_t seed = 0x9e3779b97f4a7c15ull;
static mpfr_t x[3], result;

static int compute(unsigned op, mpfr_rnd_t rnd)
{
    switch (op) {
    case LANE_OP_add:
        return mpfr_add(result, x[0], x[1], rnd);
    case LANE_OP_sub:
        return mpfr_sub(result, x[0], x[1], rnd);
    case LANE_OP_mul:
        return mpfr_mul(result, x[0], x[1], rnd);
    case LANE_OP_div:
        return mpfr_div(result, x[0], x[1], rnd);
    case LANE_OP_fma:
        return mpfr_fma(result, x[0], x[1], x[2], rnd);
    case LANE_OP_rcp:
        return mpfr_ui_div(result, 1, x[0], rnd);
    case LANE_OP_sqrt:
        return mpfr_sqrt(result, x[0], rnd);
    }
    fail_msg("no reference for %s", lane_rows[op].name);
    return 0;
}

/* Operands in the order in which their NaNs count (measured on an H100). */
static void order_nans(unsigned op, unsigned n, const uint64_t *operands, uint64_t *ordered)
{
    static const uint8_t orders[][3] = {{0, 1, 2}, {1, 0, 2}, {1, 2, 0}};
    const uint8_t *order = orders[n == 1 || op == LANE_OP_div ? 0 : n - 1];
    for (unsigned i = 0; i < n; i++)
        ordered[i] = operands[order[i]];
}

static uint64_t reference(const struct lane_inst *inst, const uint64_t *operands, unsigned n)
{
    uint64_t nans[3];
    const struct format *f = format_of(inst->type);
    mpfr_rnd_t rnd = mpfr_round_of(inst->round);
    for (unsigned i = 0; i < n; i++) {
        uint64_t bits = inst->flags & LANE_FTZ && f->bits != 64 ? flushed(f, operands[i]) : operands[i];
        mpfr_set_d(x[i], decode(f, bits), MPFR_RNDN);
    }
    order_nans(inst->op, n, operands, nans);
    if (inst->op == LANE_OP_rcp && mpfr_zero_p(x[0])) /* MPFR has no sign for 1/-0 here */
        return finish_bits(f, inst->flags, mpfr_signbit(x[0]) ? -INFINITY : INFINITY, nans, n);
    format_enter(f, result);
    double v = format_leave(f, result, compute(inst->op, rnd), rnd, inst->flags & LANE_FTZ && f->bits != 64);
    return finish_bits(f, inst->flags, v, nans, n);
}

static void check(const struct lane_inst *inst, struct kernel_lanes *lanes, unsigned lanes_used, unsigned n)
{
    const struct format *f = format_of(inst->type);
    kernel_run(inst, lanes);
    for (unsigned l = 0; l < lanes_used; l++) {
        uint64_t operands[3];
        for (unsigned i = 0; i < n; i++)
            operands[i] = get(lanes, KERNEL_A + i, f->bits, l);
        uint64_t want = reference(inst, operands, n), got = get(lanes, KERNEL_D, f->bits, l);
        if (got != want)
            fail_msg("%s: a %#llx b %#llx c %#llx: %#llx, not %#llx", kernel_describe(inst),
                     (unsigned long long)operands[0], (unsigned long long)(n > 1 ? operands[1] : 0),
                     (unsigned long long)(n > 2 ? operands[2] : 0), (unsigned long long)got, (unsigned long long)want);
    }
}

/* A third operand that makes the sum of a product and it hard: near the negated product, or near half a unit of it. */
static uint64_t hard_addend(const struct format *f, uint64_t a, uint64_t b)
{
    double p = decode(f, a) * decode(f, b), scale = ldexp(1, -(int)(kernel_random(&seed) >> 40) % 60);
    uint64_t r = kernel_random(&seed) >> 33;
    double c = r & 1 ? -p : p * scale;
    if (isnan(c) || c == 0)
        return random_float(f, &seed);
    /* truncate to the format, then step a little */
    format_enter(f, result);
    uint64_t bits = encode(f, format_leave(f, result, mpfr_set_d(result, c, MPFR_RNDN), MPFR_RNDN, false));
    return r & 6 ? bits : bits ^ (r >> 3 & 3);
}

/* Edges in pairs (a third operand at random among them), then random numbers. */
static void verify(const struct lane_inst *inst, unsigned n, unsigned random_warps)
{
    const struct format *f = format_of(inst->type);
    uint64_t edges[MAX_EDGES];
    unsigned nedges = format_edges(f, edges), pairs = n > 1 ? nedges * nedges : nedges;
    bool packed = inst->type == LANE_F16X2 || inst->type == LANE_BF16X2;
    unsigned used = packed ? 64 : 32;
    struct kernel_lanes lanes = {0};
    for (unsigned at = 0; at < pairs + random_warps * 32; at += used) {
        for (unsigned l = 0; l < used; l++) {
            unsigned p = at + l;
            bool edge = p < pairs;
            uint64_t a = edge ? edges[n > 1 ? p / nedges : p] : random_float(f, &seed);
            uint64_t b = edge ? edges[p % nedges] : random_float(f, &seed);
            uint64_t r = kernel_random(&seed) >> 32;
            uint64_t c = edge ? edges[r % nedges] : r & 1 ? hard_addend(f, a, b) : random_float(f, &seed);
            put(&lanes, KERNEL_A, f->bits, l, a);
            put(&lanes, KERNEL_B, f->bits, l, b);
            put(&lanes, KERNEL_C, f->bits, l, c);
        }
        check(inst, &lanes, used, n);
    }
}

static const struct {
    uint16_t op;
    unsigned n;
} ops[] = {{LANE_OP_add, 2}, {LANE_OP_sub, 2}, {LANE_OP_mul, 2}, {LANE_OP_div, 2},
           {LANE_OP_fma, 3}, {LANE_OP_rcp, 1}, {LANE_OP_sqrt, 1}};

static void test_f32_and_f64(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++)
        for (unsigned round = LANE_RN; round <= LANE_RP; round++) {
            struct lane_inst inst = {.op = ops[i].op, .type = LANE_F64, .round = (uint8_t)round};
            verify(&inst, ops[i].n, 60);
            inst.type = LANE_F32;
            verify(&inst, ops[i].n, 60);
            inst.flags = LANE_FTZ;
            verify(&inst, ops[i].n, 40);
            inst.flags = LANE_SAT;
            verify(&inst, ops[i].n, 10);
            inst.flags = LANE_SAT | LANE_FTZ;
            verify(&inst, ops[i].n, 10);
        }
}

static void test_halves(void **state)
{
    static const uint8_t types[] = {LANE_F16, LANE_BF16, LANE_F16X2, LANE_BF16X2};
    static const uint8_t flags[] = {0, LANE_FTZ, LANE_SAT, LANE_RELU, LANE_FTZ | LANE_SAT, LANE_FTZ | LANE_RELU};
    (void)state;
    for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++)
        for (unsigned t = 0; t < 4; t++)
            for (unsigned k = 0; k < 6 && ops[i].op != LANE_OP_div && ops[i].n > 1; k++) {
                struct lane_inst inst = {.op = ops[i].op, .type = types[t], .flags = flags[k]};
                verify(&inst, ops[i].n, k == 0 ? 400 : 20);
            }
}

/* Division and roots of f16: edges in pairs, random pairs; every f16 with some others. */
static void test_f16_quotients(void **state)
{
    static const uint8_t flags[] = {0, LANE_FTZ, LANE_SAT, LANE_FTZ | LANE_SAT};
    static const uint16_t some[] = {0x3c00, 0x3c01, 0x3bff, 0x3555, 0x7bff, 0x0001, 0x03ff, 0x0400, 0x4248, 0x4dff};
    (void)state;
    for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++)
        for (unsigned k = 0; k < 4 && (ops[i].op == LANE_OP_div || ops[i].n == 1); k++)
            verify(&(struct lane_inst){.op = ops[i].op, .type = LANE_F16, .flags = flags[k]}, ops[i].n,
                   k == 0 ? 2000 : 20);
    struct kernel_lanes lanes = {0};
    for (uint32_t at = 0; at < 65536; at += 32)
        for (unsigned op = 0; op < 3; op++) {
            struct lane_inst inst = {.op = op == 0   ? LANE_OP_div
                                           : op == 1 ? LANE_OP_rcp
                                                     : LANE_OP_sqrt,
                                     .type = LANE_F16};
            for (unsigned l = 0; l < 32; l++) {
                put(&lanes, KERNEL_A, 16, l, at + l);
                put(&lanes, KERNEL_B, 16, l, some[(at / 32) % (sizeof some / sizeof *some)]);
            }
            check(&inst, &lanes, 32, op == 0 ? 2 : 1);
        }
}

/* Every product and sum of an f16 (bf16) with a few hundred others. */
static void test_halves_densely(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2 * 65536; i += 64) {
        struct lane_inst inst = {.type = i & 65536 ? LANE_BF16X2 : LANE_F16X2};
        struct kernel_lanes lanes = {0};
        for (unsigned l = 0; l < 64; l++) {
            put(&lanes, KERNEL_A, 16, l, (i + l) & 0xffff);
            put(&lanes, KERNEL_B, 16, l, random_float(format_of(inst.type), &seed));
            put(&lanes, KERNEL_C, 16, l, kernel_random(&seed) >> 40 & 0xffff);
        }
        inst.op = i & 64 ? LANE_OP_fma : LANE_OP_mul;
        check(&inst, &lanes, 64, inst.op == LANE_OP_fma ? 3 : 2);
    }
}

/* The FTZ choice: what is tiny after rounding as if exponents had no end becomes zero. The first three, and the second
 * of f16, are what an H100 gives. */
static void test_tiny_results_are_flushed(void **state)
{
    static const struct {
        uint8_t type, op, round;
        uint32_t a, b, c, want;
    } cases[] = {
        {LANE_F32, LANE_OP_mul, LANE_RN, 0x3f7fffff, 0x00800000, 0, 0}, /* 1 - 2^-24 of the least normal number */
        {LANE_F32, LANE_OP_mul, LANE_RP, 0x3f7fffff, 0x00800000, 0, 0},
        {LANE_F32, LANE_OP_div, LANE_RP, 0x00800000, 0x3f800001, 0, 0},
        {LANE_F32, LANE_OP_mul, LANE_RN, 0x20000001, 0x1ffffffe, 0, 0x00800000}, /* 1 - 2^-46 */
        {LANE_F32, LANE_OP_mul, LANE_RZ, 0x20000001, 0x1ffffffe, 0, 0},
        {LANE_F32, LANE_OP_mul, LANE_RM, 0xa0000001, 0x1ffffffe, 0, 0x80800000},
        {LANE_F32, LANE_OP_div, LANE_RN, 0x80ffffff, 0x40000000, 0, 0x80000000}, /* 1 - 2^-24 */
        {LANE_F32, LANE_OP_fma, LANE_RN, 0x3f7fffff, 0x00800000, 0x80000001, 0},
        {LANE_F32, LANE_OP_fma, LANE_RN, 0x1a000000, 0x9a000000, 0x00800000, 0},          /* 1 - 2^-24 */
        {LANE_F32, LANE_OP_fma, LANE_RN, 0x19800000, 0x9a000000, 0x00800000, 0x00800000}, /* 1 - 2^-25 */
        {LANE_F32, LANE_OP_fma, LANE_RP, 0x19800000, 0x9a000000, 0x00800000, 0x00800000},
        {LANE_F32, LANE_OP_fma, LANE_RZ, 0x19800000, 0x9a000000, 0x00800000, 0},
        {LANE_F32, LANE_OP_fma, LANE_RZ, 0x7f000000, 0x00800000, 0xbfffffff, 0x34000000}, /* twice a overflows */
        {LANE_F32, LANE_OP_rcp, LANE_RP, 0x7e800001, 0, 0, 0},
        {LANE_F16, LANE_OP_mul, LANE_RN, 0x3bff, 0x0400, 0, 0},
        {LANE_F16, LANE_OP_mul, LANE_RN, 0x2001, 0x1ffe, 0, 0x0400},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lane_inst inst = {.op = cases[i].op, .type = cases[i].type, .round = cases[i].round, .flags = LANE_FTZ};
        unsigned bits = cases[i].type == LANE_F32 ? 32 : 16;
        struct kernel_lanes lanes = {0};
        for (unsigned l = 0; l < 32; l++) {
            put(&lanes, KERNEL_A, bits, l, cases[i].a);
            put(&lanes, KERNEL_B, bits, l, cases[i].b);
            put(&lanes, KERNEL_C, bits, l, cases[i].c);
        }
        kernel_run(&inst, &lanes);
        if (get(&lanes, KERNEL_D, bits, 31) != cases[i].want)
            fail_msg("%u: %#llx", i, (unsigned long long)get(&lanes, KERNEL_D, bits, 31));
    }
}

/* ---- min, max ----------------------------------------------------------------------------------------------- */

static uint64_t minmax_reference(const struct lane_inst *inst, uint64_t a, uint64_t b)
{
    const struct format *f = format_of(inst->type);
    if (inst->flags & LANE_FTZ && f->bits != 64)
        a = flushed(f, a), b = flushed(f, b);
    uint64_t sign = (a ^ b) & sign_mask(f);
    bool nan_a = is_nan_bits(f, a), nan_b = is_nan_bits(f, b);
    uint64_t nan = f->bits == 64 ? (nan_b ? b : a) | 0x0008000000000000 : f->nan;
    if ((nan_a && nan_b) || (inst->flags & LANE_NAN && (nan_a || nan_b)))
        return nan;
    if (inst->flags & LANE_ABS)
        a &= ~sign_mask(f), b &= ~sign_mask(f);
    double va = decode(f, a), vb = decode(f, b);
    bool first = nan_b || (!nan_a && (va < vb || (va == vb && signbit(va))));
    if (inst->op == LANE_OP_max && !nan_a && !nan_b)
        first = !first;
    uint64_t r = first ? a : b;
    return inst->flags & LANE_ABS ? r | sign : r;
}

static void test_min_and_max(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 12 * 8; i++) {
        static const uint8_t types[] = {LANE_F16, LANE_BF16, LANE_F32, LANE_F64, LANE_F16X2, LANE_BF16X2};
        struct lane_inst inst = {.op = i & 1 ? LANE_OP_max : LANE_OP_min, .type = types[i / 2 % 6]};
        inst.flags = (uint8_t)((i / 12 & 1 ? LANE_FTZ : 0) | (i / 12 & 2 ? LANE_NAN : 0) | (i / 12 & 4 ? LANE_ABS : 0));
        const struct format *f = format_of(inst.type);
        uint64_t edges[MAX_EDGES];
        unsigned n = format_edges(f, edges), used = inst.type >= LANE_F16X2 ? 64 : 32;
        struct kernel_lanes lanes = {0};
        for (unsigned at = 0; at < n * n; at += used) {
            for (unsigned l = 0; l < used; l++) {
                put(&lanes, KERNEL_A, f->bits, l, edges[(at + l) / n % n]);
                put(&lanes, KERNEL_B, f->bits, l, edges[(at + l) % n]);
            }
            kernel_run(&inst, &lanes);
            for (unsigned l = 0; l < used; l++) {
                uint64_t a = get(&lanes, KERNEL_A, f->bits, l), b = get(&lanes, KERNEL_B, f->bits, l);
                if (get(&lanes, KERNEL_D, f->bits, l) != minmax_reference(&inst, a, b))
                    fail_msg("%s: %#llx %#llx: %#llx, not %#llx", kernel_describe(&inst), (unsigned long long)a,
                             (unsigned long long)b, (unsigned long long)get(&lanes, KERNEL_D, f->bits, l),
                             (unsigned long long)minmax_reference(&inst, a, b));
            }
        }
    }
}

/* ---- comparisons, tests, signs -------------------------------------------------------------------------------- */

static bool compare_reference(const struct lane_inst *inst, uint64_t a, uint64_t b)
{
    const struct format *f = format_of(inst->type);
    if (inst->flags & LANE_FTZ && f->bits != 64)
        a = flushed(f, a), b = flushed(f, b);
    double x1 = decode(f, a), y = decode(f, b);
    bool nan = isnan(x1) || isnan(y);
    const bool ordered[] = {x1 == y, x1 != y, x1<y, x1 <= y, x1> y, x1 >= y};
    if (inst->cmp <= LANE_GE)
        return !nan && ordered[inst->cmp];
    if (inst->cmp <= LANE_GEU)
        return nan || ordered[inst->cmp - LANE_EQU];
    return inst->cmp == LANE_NUM ? !nan : nan;
}

static void check_comparison(const struct lane_inst *inst, const struct kernel_lanes *lanes, unsigned used)
{
    const struct format *f = format_of(inst->type);
    uint64_t one = (uint64_t)f->bias << f->mantissa;
    for (unsigned l = 0; l < used; l++) {
        bool want = compare_reference(inst, get(lanes, KERNEL_A, f->bits, l), get(lanes, KERNEL_B, f->bits, l));
        uint64_t got;
        if (inst->op == LANE_OP_set2)
            assert_int_equal(get(lanes, KERNEL_D, 16, l), !want ? 0 : inst->mode ? 0xffff : one);
        else {
            got = inst->op == LANE_OP_setp ? get(lanes, KERNEL_D, 32, 0) >> l & 1
                                           : get(lanes, KERNEL_D + l % 2, 32, 0) >> l / 2 & 1;
            if (got != want)
                fail_msg("%s: %#llx %#llx", kernel_describe(inst), (unsigned long long)get(lanes, KERNEL_A, f->bits, l),
                         (unsigned long long)get(lanes, KERNEL_B, f->bits, l));
        }
    }
}

static void verify_comparison(const struct lane_inst *inst)
{
    const struct format *f = format_of(inst->type);
    uint64_t edges[MAX_EDGES];
    unsigned n = format_edges(f, edges), used = inst->op == LANE_OP_setp ? 32 : 64;
    struct kernel_lanes lanes = {0};
    for (unsigned at = 0; at < n * n; at += used) {
        for (unsigned l = 0; l < used; l++) {
            put(&lanes, KERNEL_A, f->bits, l, edges[(at + l) / n % n]);
            put(&lanes, KERNEL_B, f->bits, l, edges[(at + l) % n]);
        }
        kernel_run(inst, &lanes);
        check_comparison(inst, &lanes, used);
    }
}

static void test_comparisons(void **state)
{
    (void)state;
    for (unsigned i = 0; i < LANE_CMPS * 2; i++) {
        struct lane_inst inst = {.op = LANE_OP_setp, .cmp = (uint8_t)(i / 2), .flags = i & 1 ? LANE_FTZ : 0};
        for (inst.type = LANE_F16; inst.type <= LANE_F64; inst.type++)
            verify_comparison(&inst);
        for (inst.type = LANE_F16X2; inst.type <= LANE_BF16X2; inst.type++) {
            inst.op = LANE_OP_setp2;
            verify_comparison(&inst);
            inst.op = LANE_OP_set2;
            for (inst.mode = 0; inst.mode < 2; inst.mode++)
                verify_comparison(&inst);
            inst.mode = 0;
        }
    }
}

/* LANE_NAN: as an addition of 0 by an H100. */
static uint64_t sign_reference(const struct lane_inst *inst, uint64_t a, uint64_t b)
{
    const struct format *f = format_of(inst->type);
    uint64_t s = sign_mask(f);
    if (inst->op == LANE_OP_copysign)
        return (a & s) | (b & ~s);
    if (inst->flags & LANE_NAN && is_nan_bits(f, a))
        return f->bits == 64 ? a | 0x0008000000000000 : f->nan;
    a = inst->flags & LANE_FTZ ? flushed(f, a) : a;
    return inst->op == LANE_OP_neg ? a ^ s : a & ~s;
}

static void check_signs(struct lane_inst inst, struct kernel_lanes *lanes)
{
    unsigned bits = format_of(inst.type)->bits, n = inst.type == LANE_F16X2 || inst.type == LANE_BF16X2 ? 64 : 32;
    kernel_run(&inst, lanes);
    for (unsigned l = 0; l < n; l++)
        assert_int_equal(get(lanes, KERNEL_D, bits, l),
                         sign_reference(&inst, get(lanes, KERNEL_A, bits, l), get(lanes, KERNEL_B, bits, l)));
}

/* Bits only, or with what PTX does to a NaN. */
static void test_signs(void **state)
{
    static const uint8_t types[] = {LANE_F16, LANE_BF16, LANE_F32, LANE_F64, LANE_F16X2, LANE_BF16X2};
    (void)state;
    for (unsigned i = 0; i < 6 * 1000; i++) {
        struct lane_inst inst = {.type = types[i % 6]};
        const struct format *f = format_of(inst.type);
        uint64_t edges[MAX_EDGES];
        unsigned n = format_edges(f, edges);
        struct kernel_lanes lanes = {0};
        for (unsigned l = 0; l < (i % 6 < 4 ? 32 : 64); l++) {
            put(&lanes, KERNEL_A, f->bits, l, l & 1 ? edges[(i / 6 + l) % n] : random_float(f, &seed));
            put(&lanes, KERNEL_B, f->bits, l, random_float(f, &seed));
        }
        for (unsigned k = 0; k < 8; k++) {
            inst.op = k & 1 ? LANE_OP_neg : LANE_OP_abs;
            inst.flags = (k & 2 ? LANE_NAN : 0) | (k & 4 && f->bits != 64 ? LANE_FTZ : 0);
            check_signs(inst, &lanes);
        }
        inst.op = LANE_OP_copysign, inst.flags = 0;
        if (f->bits >= 32)
            check_signs(inst, &lanes);
    }
}

static void test_testp(void **state)
{
    (void)state;
    for (unsigned type = LANE_F32; type <= LANE_F64; type++) {
        const struct format *f = format_of(type);
        uint64_t edges[MAX_EDGES];
        unsigned n = format_edges(f, edges);
        struct kernel_lanes lanes = {0};
        for (unsigned at = 0; at < n; at += 32) {
            for (unsigned l = 0; l < 32; l++) {
                put(&lanes, KERNEL_A, f->bits, l, edges[(at + l) % n]);
                put(&lanes, KERNEL_B, f->bits, l, edges[(at + 7 * l) % n]);
            }
            struct lane_inst inst = {.op = LANE_OP_testp, .type = (uint8_t)type};
            for (inst.mode = 0; inst.mode < LANE_TESTPS; inst.mode++) {
                kernel_run(&inst, &lanes);
                for (unsigned l = 0; l < 32; l++) {
                    double v = decode(f, get(&lanes, KERNEL_A, f->bits, l));
                    bool tiny = v != 0 && fabs(v) < ldexp(1, 1 - f->bias);
                    const bool want[] = {isfinite(v), isinf(v), !isnan(v), isnan(v), isfinite(v) && !tiny, tiny};
                    assert_int_equal(get(&lanes, KERNEL_D, 32, 0) >> l & 1, want[inst.mode]);
                }
            }
        }
    }
}

static int setup(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        mpfr_init2(x[i], 53);
    mpfr_init2(result, 53);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        mpfr_clear(x[i]);
    mpfr_clear(result);
    mpfr_free_cache();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f32_and_f64),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_f16_quotients),
        cmocka_unit_test(test_halves_densely),
        cmocka_unit_test(test_tiny_results_are_flushed),
        cmocka_unit_test(test_min_and_max),
        cmocka_unit_test(test_comparisons),
        cmocka_unit_test(test_testp),
        cmocka_unit_test(test_signs),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

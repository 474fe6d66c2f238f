/* The operations that hardware approximates. Without LANE_APPROX they are correctly rounded: against MPFR, edges and
 * random numbers; special values. With it (engine/meaning/interpolate.h) they are near that, and special values too;
 * their bits are compared with hardware's in tests/hw. */
#include "kernels_mpfr.h"

static uint64_t seed = 0x853c49e6748fea9bull;
static mpfr_t x, result;

/* sin(2 pi x) or cos(2 pi x): the part of a turn is exact in double, quarters of a turn are by definition; zeros as
 * IEEE 754-2019, 9.2.1, has those of sinPi (the sign of x) and cosPi. */
static int compute_turn(bool cosine)
{
    static const int sines[] = {0, 1, 0, -1};
    double turns = mpfr_get_d(x, MPFR_RNDN), part = turns - rint(turns);
    if (isfinite(turns) && 4 * part == rint(4 * part)) {
        int y = sines[((int)(4 * part) + cosine) & 3];
        mpfr_set_si(result, y, MPFR_RNDN);
        mpfr_setsign(result, result, y < 0 || (y == 0 && !cosine && signbit(turns)), MPFR_RNDN);
        return 0;
    }
    mpfr_t angle, pi;
    mpfr_inits2(512, angle, pi, NULL);
    mpfr_const_pi(pi, MPFR_RNDN);
    mpfr_mul_d(angle, pi, 2 * part, MPFR_RNDN);
    int inexact = cosine ? mpfr_cos(result, angle, MPFR_RNDN) : mpfr_sin(result, angle, MPFR_RNDN);
    mpfr_clears(angle, pi, NULL);
    return inexact;
}

static int compute(unsigned op)
{
    switch (op) {
    case LANE_OP_sinturn:
    case LANE_OP_costurn:
        return compute_turn(op == LANE_OP_costurn);
    case LANE_OP_sin:
        return mpfr_sin(result, x, MPFR_RNDN);
    case LANE_OP_cos:
        return mpfr_cos(result, x, MPFR_RNDN);
    case LANE_OP_lg2:
        return mpfr_log2(result, x, MPFR_RNDN);
    case LANE_OP_ex2:
        return mpfr_exp2(result, x, MPFR_RNDN);
    case LANE_OP_tanh:
        return mpfr_tanh(result, x, MPFR_RNDN);
    case LANE_OP_rcp:
        return mpfr_ui_div(result, 1, x, MPFR_RNDN);
    case LANE_OP_sqrt:
        return mpfr_sqrt(result, x, MPFR_RNDN);
    }
    return mpfr_rec_sqrt(result, x, MPFR_RNDN);
}

static uint64_t reference(const struct lane_inst *inst, uint64_t a)
{
    const struct format *f = format_of(inst->type);
    bool ftz = inst->flags & LANE_FTZ;
    uint64_t given = a;
    a = ftz ? flushed(f, a) : a;
    double v = decode(f, a), r;
    if (v == 0 && inst->op == LANE_OP_rsqrt) { /* 1/sqrt(-0) is -infinity */
        r = copysign(INFINITY, v);
    } else {
        mpfr_set_d(x, v, MPFR_RNDN);
        format_enter(f, result);
        r = format_leave(f, result, compute(inst->op), MPFR_RNDN, false);
    }
    uint64_t bits = finish_bits(f, inst->flags, r, &given, 1);
    return ftz ? flushed(f, bits) : bits;
}

static void check(const struct lane_inst *inst, struct kernel_lanes *lanes, unsigned used)
{
    const struct format *f = format_of(inst->type);
    kernel_run(inst, lanes);
    for (unsigned l = 0; l < used; l++) {
        uint64_t a = get(lanes, KERNEL_A, f->bits, l), got = get(lanes, KERNEL_D, f->bits, l);
        uint64_t want = reference(inst, a);
        if (got != want)
            fail_msg("%s: %#llx: %#llx, not %#llx", kernel_describe(inst), (unsigned long long)a,
                     (unsigned long long)got, (unsigned long long)want);
    }
}

static void verify(const struct lane_inst *inst, unsigned warps)
{
    const struct format *f = format_of(inst->type);
    uint64_t edges[MAX_EDGES];
    unsigned nedges = format_edges(f, edges);
    struct kernel_lanes lanes = {0};
    for (unsigned at = 0; at < nedges + warps * 32; at += 32) {
        for (unsigned l = 0; l < 32; l++)
            put(&lanes, KERNEL_A, f->bits, l, at + l < nedges ? edges[at + l] : random_float(f, &seed));
        check(inst, &lanes, 32);
    }
}

static void test_f32(void **state)
{
    static const uint16_t ops[] = {LANE_OP_sin,  LANE_OP_cos,   LANE_OP_lg2,     LANE_OP_ex2,
                                   LANE_OP_tanh, LANE_OP_rsqrt, LANE_OP_sinturn, LANE_OP_costurn};
    (void)state;
    for (unsigned i = 0; i < 2 * sizeof ops / sizeof *ops; i++)
        verify(&(struct lane_inst){.op = ops[i / 2], .type = LANE_F32, .flags = i & 1 ? LANE_FTZ : 0},
               i & 1 ? 20 : 300);
}

static void test_f64(void **state)
{
    (void)state;
    verify(&(struct lane_inst){.op = LANE_OP_rsqrt, .type = LANE_F64}, 2000);
    verify(&(struct lane_inst){.op = LANE_OP_rsqrt, .type = LANE_F64, .flags = LANE_FTZ}, 100);
}

/* Every half. */
static void test_halves(void **state)
{
    static const uint8_t types[] = {LANE_F16, LANE_BF16, LANE_F16X2, LANE_BF16X2};
    (void)state;
    for (unsigned i = 0; i < 2 * 2 * 4; i++) {
        struct lane_inst inst = {
            .op = i & 1 ? LANE_OP_ex2 : LANE_OP_tanh, .type = types[i / 4], .flags = i & 2 ? LANE_FTZ : 0};
        unsigned used = types[i / 4] >= LANE_F16X2 ? 64 : 32, stride = i & 2 || i >= 8 ? 29 : 1;
        struct kernel_lanes lanes = {0};
        for (uint32_t at = 0; at < 65536; at += used * stride) {
            for (unsigned l = 0; l < used; l++)
                put(&lanes, KERNEL_A, 16, l, (at + l * stride) & 0xffff);
            check(&inst, &lanes, used);
        }
    }
}

static void test_f16_functions(void **state)
{
    static const uint16_t ops[] = {LANE_OP_sin, LANE_OP_cos, LANE_OP_lg2, LANE_OP_rsqrt};
    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        struct lane_inst inst = {.op = ops[i / 2], .type = LANE_F16, .flags = i & 1 ? LANE_FTZ : 0};
        struct kernel_lanes lanes = {0};
        for (uint32_t at = 0; at < 65536; at += 32) {
            for (unsigned l = 0; l < 32; l++)
                put(&lanes, KERNEL_A, 16, l, at + l);
            check(&inst, &lanes, 32);
        }
    }
}

/* ---- pow -------------------------------------------------------------------------------------------------- */

/* IEEE 754-2008, 9.2.1, powr. */
static double powr_reference(const struct format *f, double a, double b)
{
    mpfr_t y;
    if (isnan(a) || isnan(b) || a < 0 || (a == 0 && b == 0) || (isinf(a) && b == 0) || (a == 1 && isinf(b)))
        return NAN;
    mpfr_init2(y, 53);
    mpfr_set_d(x, fabs(a), MPFR_RNDN);
    mpfr_set_d(y, b, MPFR_RNDN);
    format_enter(f, result);
    double r = format_leave(f, result, mpfr_pow(result, x, y, MPFR_RNDN), MPFR_RNDN, false);
    mpfr_clear(y);
    return r;
}

static void check_pow(const struct lane_inst *inst, struct kernel_lanes *lanes)
{
    const struct format *f = format_of(inst->type);
    bool ftz = inst->flags & LANE_FTZ;
    kernel_run(inst, lanes);
    for (unsigned l = 0; l < 32; l++) {
        uint64_t a = get(lanes, KERNEL_A, f->bits, l), b = get(lanes, KERNEL_B, f->bits, l);
        uint64_t got = get(lanes, KERNEL_D, f->bits, l);
        double r = powr_reference(f, decode(f, ftz ? flushed(f, a) : a), decode(f, ftz ? flushed(f, b) : b));
        uint64_t want = finish_bits(f, inst->flags, r, NULL, 0);
        if (got != want)
            fail_msg("%s: %#llx, %#llx: %#llx, not %#llx", kernel_describe(inst), (unsigned long long)a,
                     (unsigned long long)b, (unsigned long long)got, (unsigned long long)want);
    }
}

/* Edges in pairs, random numbers, of which most bases are positive and exponents small. */
static void verify_pow(const struct lane_inst *inst, unsigned warps)
{
    const struct format *f = format_of(inst->type);
    uint64_t edges[MAX_EDGES];
    unsigned n = format_edges(f, edges);
    struct kernel_lanes lanes = {0};
    for (unsigned at = 0; at < n * n + warps * 32; at += 32) {
        for (unsigned l = 0; l < 32; l++) {
            bool edge = at + l < n * n;
            uint64_t a = edge ? edges[(at + l) / n] : random_float(f, &seed);
            put(&lanes, KERNEL_A, f->bits, l, edge || (a & 7) == 0 ? a : a & ~sign_mask(f));
            put(&lanes, KERNEL_B, f->bits, l, edge ? edges[(at + l) % n] : random_float(f, &seed));
        }
        check_pow(inst, &lanes);
    }
}

/* Powers that are exactly the middle between two f32, or numbers: roots to the 2^k, raised to n / 2^k. */
static unsigned verify_exact_powers(const struct lane_inst *inst)
{
    const struct format *f = format_of(inst->type);
    struct kernel_lanes lanes = {0};
    unsigned used = 0;
    for (unsigned root = 2; root < 8193; root += root < 1024 ? 1 : 7)
        for (unsigned k = 0; k < 4; k++)
            for (unsigned n = 1; n < 16 && pow(root, n) < 0x1p27; n++) {
                double a = ldexp(pow(root, 1u << k), (int)(1u << k) * ((int)(root + n) % 3 - 1));
                uint64_t bits = a < 60000 || f->bits > 16 ? encode(f, (float)a) : 0;
                if (pow(root, 1u << k) >= ldexp(1, (int)f->mantissa + 1) || decode(f, bits) != a)
                    continue;
                put(&lanes, KERNEL_A, f->bits, used % 32, bits);
                put(&lanes, KERNEL_B, f->bits, used % 32, encode(f, ldexp(used % 5 ? (int)n : -(int)n, -(int)k)));
                if (++used % 32 == 0)
                    check_pow(inst, &lanes);
            }
    return used;
}

static void test_pow(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct lane_inst inst = {.op = LANE_OP_pow, .type = i & 1 ? LANE_F16 : LANE_F32, .flags = i & 2 ? LANE_FTZ : 0};
        verify_pow(&inst, i & 2 ? 50 : 1500);
        unsigned exact = verify_exact_powers(&inst);
        assert_true(exact > (i & 1 ? 300 : 8000));
    }
}

static void test_special_powers(void **state)
{
    static const struct {
        uint32_t a, b, power;
    } cases[] = {
        {0, 0, 0x7fffffff},          {0x7f800000, 0, 0x7fffffff}, {0x3f800000, 0x7f800000, 0x7fffffff},
        {0x80000000, 0x40000000, 0}, {0, 0xc0000000, 0x7f800000}, {0xbf800000, 0x40000000, 0x7fffffff},
        {0x7fc00000, 0, 0x7fffffff}, {0x40000000, 0, 0x3f800000}, {0x3f000000, 0xff800000, 0x7f800000},
        {0x40000000, 0xc3160000, 0}, /* 2^-150: to even */
    };
    (void)state;
    struct lane_inst inst = {.op = LANE_OP_pow, .type = LANE_F32};
    struct kernel_lanes lanes = {0};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(&lanes, KERNEL_A, 32, i, cases[i].a);
        put(&lanes, KERNEL_B, 32, i, cases[i].b);
    }
    check_pow(&inst, &lanes);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(get(&lanes, KERNEL_D, 32, i), cases[i].power);
}

/* Arguments of f32 whose result lies so near the middle of two f32 that a double does not tell the side. */
static void test_hard_cases(void **state)
{
    struct lane_inst inst = {.type = LANE_F32};
    struct kernel_lanes lanes = {0};
    static const struct {
        uint16_t op;
        uint32_t a;
    } cases[] = {
        {LANE_OP_ex2, 0xc3150000}, /* 2^-149: the least subnormal */
        {LANE_OP_ex2, 0xc3160000}, /* 2^-150: half of it, to even */
        {LANE_OP_ex2, 0xc315ffff}, /* a little more */
        {LANE_OP_ex2, 0x43000000}, /* 2^128 overflows */
        {LANE_OP_ex2, 0x42ffffff},
        {LANE_OP_sin, 0x7f7fffff}, /* reduction of the largest argument */
        {LANE_OP_cos, 0x7f7fffff},
        {LANE_OP_sin, 0x40490fdb}, /* next to pi */
        {LANE_OP_lg2, 0x3f800001}, /* next to 1 */
        {LANE_OP_lg2, 0x3f7fffff},
        /* Those that engine/meaning/near.h leaves open, and more. */
        {LANE_OP_ex2, 0x33b8aa3b},
        {LANE_OP_ex2, 0x36879cf7},
        {LANE_OP_ex2, 0x3a07857c},
        {LANE_OP_ex2, 0x3b429d37},
        {LANE_OP_ex2, 0x3c02a9ad},
        {LANE_OP_lg2, 0x40207ab9},
        {LANE_OP_lg2, 0x0b114a90},
        {LANE_OP_lg2, 0x0b914a90},
        {LANE_OP_lg2, 0x80000000},
        {LANE_OP_lg2, 0x7f7fffff},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        inst.op = cases[i].op;
        for (unsigned l = 0; l < 32; l++)
            put(&lanes, KERNEL_A, 32, l, cases[i].a + l * (i & 1));
        check(&inst, &lanes, 32);
    }
}

/* ---- approximations --------------------------------------------------------------------------------------- */

/* How far from the exact result: by so much of it, or, where that is more, by so much. */
static const struct bound {
    uint16_t op;
    double relative, absolute, most; /* of arguments up to here */
} bounds[] = {
    {LANE_OP_ex2, 0x1p-22, 0, INFINITY},        {LANE_OP_rcp, 0x1p-23, 0, INFINITY},
    {LANE_OP_rsqrt, 0x1p-22, 0, INFINITY},      {LANE_OP_sqrt, 0x1p-22, 0, INFINITY},
    {LANE_OP_lg2, 0x1p-22, 0x1p-22, INFINITY},  {LANE_OP_tanh, 0x1p-10, 0, INFINITY},
    {LANE_OP_sin, 0x1p-22, 0x1p-20, 6.2831855}, {LANE_OP_cos, 0x1p-22, 0x1p-20, 6.2831855},
};

static void check_bound(const struct bound *bound, const struct lane_inst *inst, struct kernel_lanes *lanes)
{
    const struct format *f = format_of(LANE_F32);
    kernel_run(inst, lanes);
    for (unsigned l = 0; l < 32; l++) {
        uint64_t a = get(lanes, KERNEL_A, 32, l), bits = get(lanes, KERNEL_D, 32, l), exact = reference(inst, a);
        double want = decode(f, exact), got = decode(f, bits), off = fabs(got - want);
        double allowed = fmax(fabs(want) * bound->relative, bound->absolute) + 0x1p-149;
        if (fabs(decode(f, a)) <= bound->most && (isfinite(want) ? !(off <= allowed) : bits != exact))
            fail_msg("%s: %#llx: %a, not %a", kernel_describe(inst), (unsigned long long)a, got, want);
    }
}

static void test_approximations(void **state)
{
    const struct format *f = format_of(LANE_F32);
    uint64_t edges[MAX_EDGES];
    unsigned nedges = format_edges(f, edges);
    (void)state;
    for (unsigned i = 0; i < 2 * sizeof bounds / sizeof *bounds; i++) {
        const struct bound *bound = &bounds[i / 2];
        struct lane_inst inst = {.op = bound->op, .type = LANE_F32, .flags = LANE_APPROX | (i & 1 ? LANE_FTZ : 0)};
        struct kernel_lanes lanes = {0};
        if (bound->op == LANE_OP_tanh && inst.flags & LANE_FTZ) /* keeps subnormals */
            continue;
        for (unsigned at = 0; at < nedges + 300 * 32; at += 32) {
            for (unsigned l = 0; l < 32; l++)
                put(&lanes, KERNEL_A, 32, l, at + l < nedges ? edges[at + l] : random_float(f, &seed));
            check_bound(bound, &inst, &lanes);
        }
    }
}

/* Upper words of start values: the first 20 bits of the mantissa, flushed, and what special values give. */
static void test_start_values(void **state)
{
    static const struct {
        uint16_t op;
        uint64_t a, want;
    } cases[] = {
        {LANE_OP_rcp64h, 0x3ff0000000000000, 0x3ff0000000000000},
        {LANE_OP_rcp64h, 0x00000fffffffffff, 0x7ff0000000000000},
        {LANE_OP_rcp64h, 0x8000000000000000, 0xfff0000000000000},
        {LANE_OP_rcp64h, 0xfff0000012345678, 0x8000000000000000},
        {LANE_OP_rcp64h, 0x7ff8000000000000, 0x7fffffff00000000},
        {LANE_OP_rcp64h, 0x7fe0000000000000, 0},
        {LANE_OP_rsqrt64h, 0x3ff0000000000000, 0x3ff0000000000000},
        {LANE_OP_rsqrt64h, 0x4010000000000000, 0x3fe0000000000000},
        {LANE_OP_rsqrt64h, 0x8000000000000001, 0xfff0000000000000},
        {LANE_OP_rsqrt64h, 0xbff0000000000000, 0x7fffffff00000000},
        {LANE_OP_rsqrt64h, 0x7ff0000000000001, 0},
        {LANE_OP_rsqrt64h, 0x7ff0000100000000, 0x7fffffff00000000},
    };
    struct kernel_lanes lanes = {0};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lane_inst inst = {.op = cases[i].op, .type = LANE_F64, .flags = LANE_FTZ | LANE_APPROX};
        put(&lanes, KERNEL_A, 64, 0, cases[i].a);
        kernel_run(&inst, &lanes);
        if (get(&lanes, KERNEL_D, 64, 0) != cases[i].want)
            fail_msg("%s: %#llx: %#llx", kernel_describe(&inst), (unsigned long long)cases[i].a,
                     (unsigned long long)get(&lanes, KERNEL_D, 64, 0));
    }
}

static int setup(void **state)
{
    (void)state;
    mpfr_init2(x, 53);
    mpfr_init2(result, 53);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    mpfr_clear(x);
    mpfr_clear(result);
    mpfr_free_cache();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f32),          cmocka_unit_test(test_f64),
        cmocka_unit_test(test_halves),       cmocka_unit_test(test_f16_functions),
        cmocka_unit_test(test_pow),          cmocka_unit_test(test_special_powers),
        cmocka_unit_test(test_hard_cases),   cmocka_unit_test(test_approximations),
        cmocka_unit_test(test_start_values),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

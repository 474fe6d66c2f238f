/* The approximated operations are correctly rounded here: against MPFR, edges and random numbers; special values. */
#include "kernels_mpfr.h"

static uint64_t seed = 0x853c49e6748fea9bull;
static mpfr_t x, result;

static int compute(unsigned op)
{
    switch (op) {
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
    case LANE_OP_rcp64h:
        return mpfr_ui_div(result, 1, x, MPFR_RNDN);
    }
    return mpfr_rec_sqrt(result, x, MPFR_RNDN);
}

static uint64_t reference(const struct lane_inst *inst, uint64_t a)
{
    const struct format *f = format_of(inst->type);
    bool high_only = inst->op == LANE_OP_rcp64h || inst->op == LANE_OP_rsqrt64h;
    bool ftz = inst->flags & LANE_FTZ || high_only, root = inst->op == LANE_OP_rsqrt || inst->op == LANE_OP_rsqrt64h;
    a = high_only ? a & 0xffffffff00000000 : a;
    uint64_t given = a;
    a = ftz ? flushed(f, a) : a;
    double v = decode(f, a), r;
    if (v == 0 && (root || inst->op == LANE_OP_rcp64h)) { /* 1/-0 and 1/sqrt(-0) are -infinity */
        r = copysign(INFINITY, v);
    } else {
        mpfr_set_d(x, v, MPFR_RNDN);
        format_enter(f, result);
        r = format_leave(result, compute(inst->op), MPFR_RNDN);
    }
    uint64_t bits = finish_bits(f, inst->flags, r, &given, 1);
    bits = ftz ? flushed(f, bits) : bits;
    return high_only ? bits & 0xffffffff00000000 : bits;
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
    static const uint16_t ops[] = {LANE_OP_sin, LANE_OP_cos, LANE_OP_lg2, LANE_OP_ex2, LANE_OP_tanh, LANE_OP_rsqrt};
    (void)state;
    for (unsigned i = 0; i < 2 * sizeof ops / sizeof *ops; i++)
        verify(&(struct lane_inst){.op = ops[i / 2], .type = LANE_F32, .flags = LANE_APPROX | (i & 1 ? LANE_FTZ : 0)},
               i & 1 ? 20 : 300);
}

static void test_f64(void **state)
{
    (void)state;
    verify(&(struct lane_inst){.op = LANE_OP_rsqrt, .type = LANE_F64}, 2000);
    verify(&(struct lane_inst){.op = LANE_OP_rsqrt, .type = LANE_F64, .flags = LANE_FTZ}, 100);
    verify(&(struct lane_inst){.op = LANE_OP_rcp64h, .type = LANE_F64, .flags = LANE_FTZ}, 500);
    verify(&(struct lane_inst){.op = LANE_OP_rsqrt64h, .type = LANE_F64, .flags = LANE_FTZ}, 500);
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

/* Arguments of f32 whose result lies so near the middle of two f32 that a double does not tell the side. */
static void test_hard_cases(void **state)
{
    struct lane_inst inst = {.type = LANE_F32};
    struct kernel_lanes lanes = {0};
    static const struct {
        uint16_t op;
        uint32_t a;
    } cases[] = {
        {LANE_OP_ex2, 0xc3150000},                            /* 2^-149: the least subnormal */
        {LANE_OP_ex2, 0xc3160000},                            /* 2^-150: half of it, to even */
        {LANE_OP_ex2, 0xc315ffff},                            /* a little more */
        {LANE_OP_ex2, 0x43000000},                            /* 2^128 overflows */
        {LANE_OP_ex2, 0x42ffffff}, {LANE_OP_sin, 0x7f7fffff}, /* reduction of the largest argument */
        {LANE_OP_cos, 0x7f7fffff}, {LANE_OP_sin, 0x40490fdb}, /* next to pi */
        {LANE_OP_lg2, 0x3f800001},                            /* next to 1 */
        {LANE_OP_lg2, 0x3f7fffff},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        inst.op = cases[i].op;
        for (unsigned l = 0; l < 32; l++)
            put(&lanes, KERNEL_A, 32, l, cases[i].a + l * (i & 1));
        check(&inst, &lanes, 32);
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
        cmocka_unit_test(test_f32),
        cmocka_unit_test(test_f64),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_hard_cases),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

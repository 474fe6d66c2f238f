/* Conversions against MPFR: between floats, integers to floats, floats to integers, cvtpack. */
#include "kernels_mpfr.h"

typedef __int128 wide;

static uint64_t seed = 0x2545f4914f6cdd1dull;
static mpfr_t exact, result;

static const uint8_t integers[] = {LANE_U8, LANE_U16, LANE_U32, LANE_U64, LANE_S8, LANE_S16, LANE_S32, LANE_S64};

static void mismatch(const struct lane_inst *inst, uint64_t a, uint64_t got, uint64_t want)
{
    fail_msg("%s: %#llx: %#llx, not %#llx", kernel_describe(inst), (unsigned long long)a, (unsigned long long)got,
             (unsigned long long)want);
}

/* ---- references ------------------------------------------------------------------------------------------- */

/* To nearest, ties away from zero, which MPFR does not have: in units of the last place. */
static double nearest_away(const struct format *f, double v)
{
    if (v == 0 || !isfinite(v))
        return v;
    int e;
    frexp(v, &e);
    int unit = (e > 2 - f->bias ? e : 2 - f->bias) - 1 - (int)f->mantissa;
    double r = ldexp(round(ldexp(v, -unit)), unit);
    return fabs(r) >= ldexp(1, f->bias + 1) ? copysign(INFINITY, v) : r;
}

static double integral(double v, unsigned round)
{
    switch (round) {
    case LANE_RNI:
        return nearbyint(v);
    case LANE_RZI:
        return trunc(v);
    case LANE_RMI:
        return floor(v);
    case LANE_RPI:
        return ceil(v);
    }
    return v;
}

/* The exact number in `exact`, rounded to the format, flushed if it is tiny then. */
static double rounded(const struct format *f, unsigned round, bool flush)
{
    if (round == LANE_RNA)
        return nearest_away(f, mpfr_get_d(exact, MPFR_RNDN));
    mpfr_rnd_t rnd = mpfr_round_of(round);
    format_enter(f, result);
    return format_leave(f, result, mpfr_set(result, exact, rnd), rnd, flush);
}

/* f64 results keep the payload of a NaN operand, widened. */
static uint64_t widened_nan(const struct format *from, uint64_t a)
{
    uint64_t payload = a & ((1ull << from->mantissa) - 1), sign = a & sign_mask(from) ? 1ull << 63 : 0;
    return sign | 0x7ff8000000000000 | payload << (52 - from->mantissa);
}

/* Of f64 the sign, the quiet bit and the top of the payload stay. */
static uint64_t narrowed_nan(const struct format *to, uint64_t a)
{
    uint64_t payload = a << 12 >> (64 - to->mantissa), quiet = 1ull << (to->mantissa - 1);
    return (a >> 63 ? sign_mask(to) : 0) | exponent_mask(to) | quiet | payload;
}

static uint64_t float_to_float(const struct lane_inst *inst, uint64_t a)
{
    const struct format *from = format_of(inst->type2), *to = format_of(inst->type);
    bool ftz = inst->flags & LANE_FTZ;
    if (ftz && inst->type2 == LANE_F32)
        a = flushed(from, a);
    double v = decode(from, a);
    if (isnan(v) && inst->type == LANE_F64 && !(inst->flags & LANE_SAT))
        return widened_nan(from, a);
    if (isnan(v) && inst->type2 == LANE_F64 && !(inst->flags & (LANE_SAT | LANE_RELU)))
        return narrowed_nan(to, a);
    mpfr_set_d(exact, integral(v, inst->round), MPFR_RNDN);
    unsigned flags = inst->type == LANE_F32 ? inst->flags : inst->flags & (unsigned)~LANE_FTZ;
    return finish_bits(to, flags, rounded(to, inst->round, flags & LANE_FTZ && to->bits == 32), &a, 0);
}

static uint64_t float_to_int(const struct lane_inst *inst, uint64_t a)
{
    const struct format *from = format_of(inst->type2);
    if (inst->flags & LANE_FTZ && inst->type2 == LANE_F32)
        a = flushed(from, a);
    double v = integral(decode(from, a), inst->round);
    unsigned bits = lane_type_bits(inst->type);
    bool is_signed = lane_type_signed(inst->type);
    wide least = is_signed ? -((wide)1 << (bits - 1)) : 0, greatest = ((wide)1 << (is_signed ? bits - 1 : bits)) - 1;
    if (isnan(v))
        return bits == 64 || inst->type2 == LANE_F64 ? 1ull << (bits - 1) : 0;
    wide r = v >= 0x1p65 ? greatest : v <= -0x1p65 ? least : (wide)v;
    r = r < least ? least : r > greatest ? greatest : r;
    return (uint64_t)r & (bits == 64 ? UINT64_MAX : (1ull << bits) - 1);
}

static uint64_t int_to_float(const struct lane_inst *inst, uint64_t a)
{
    unsigned bits = lane_type_bits(inst->type2);
    if (lane_type_signed(inst->type2))
        mpfr_set_sj(exact, (int64_t)(a << (64 - bits)) >> (64 - bits), MPFR_RNDN);
    else
        mpfr_set_uj(exact, a, MPFR_RNDN);
    const struct format *to = format_of(inst->type);
    return finish_bits(to, inst->flags, rounded(to, inst->round, false), &a, 0);
}

/* ---- drivers ------------------------------------------------------------------------------------------------ */

/* Random floats, spread over the interesting ranges of the destination too: halfway cases of narrower formats and the
 * bounds of integers. */
static uint64_t source(unsigned type)
{
    const struct format *f = format_of(type);
    uint64_t r = kernel_random(&seed) >> 20, choice = r % 8;
    if (choice < 3)
        return random_float(f, &seed);
    if (choice < 5) { /* few bits, a unit off or not */
        uint64_t x = kernel_random(&seed) & (sign_mask(f) * 2 - 1);
        unsigned keep = 1 + (unsigned)(r >> 8) % f->mantissa;
        x = x >> keep << keep;
        return x + (r >> 4 & 3) - 1 > exponent_mask(f) * 4 ? x : (x + (r >> 4 & 3)) & (sign_mask(f) * 2 - 1);
    }
    /* near an integer, a half, or a power of two up to 2^66 */
    double v = ldexp(1 + (double)(r >> 16 & 7) / 8, (int)(r >> 24 & 127) - 60) * (r & 256 ? 1 : -1);
    if (choice == 7)
        v = (double)((int64_t)(r >> 30) - 0x2000) / 2;
    if (fabs(v) >= ldexp(1, f->bias + 1) || fabs(v) < ldexp(1, 1 - f->bias))
        return random_float(f, &seed);
    format_enter(f, result);
    uint64_t bits = encode(f, format_leave(f, result, mpfr_set_d(result, v, MPFR_RNDZ), MPFR_RNDZ, false));
    return bits + (r >> 10 & 3) - (r >> 12 & 1);
}

static void verify(const struct lane_inst *inst, uint64_t (*reference)(const struct lane_inst *, uint64_t),
                   unsigned warps)
{
    bool from_float = inst->type2 >= LANE_F16;
    unsigned from = lane_type_bits(inst->type2), to = lane_type_bits(inst->type), nedges = 0;
    uint64_t edges[MAX_EDGES + 128];
    if (from_float)
        nedges = format_edges(format_of(inst->type2), edges);
    else
        for (unsigned i = 0; i < 64; i++) /* 2^i and its neighbours */
            for (unsigned k = 0; k < 3; k++)
                edges[nedges++] = (1ull << i) + k - 1;
    struct kernel_lanes lanes = {0};
    for (unsigned at = 0; at < nedges + warps * 32; at += 32) {
        for (unsigned l = 0; l < 32; l++) {
            uint64_t r = kernel_random(&seed), n = r >> (r & 63);
            put(&lanes, KERNEL_A, from, l, at + l < nedges ? edges[at + l] : from_float ? source(inst->type2) : n);
        }
        kernel_run(inst, &lanes);
        for (unsigned l = 0; l < 32; l++) {
            uint64_t a = get(&lanes, KERNEL_A, from, l), got = get(&lanes, KERNEL_D, to, l);
            uint64_t want = reference(inst, a);
            if (got != want)
                mismatch(inst, a, got, want);
        }
    }
}

static void test_float_to_float(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 16 * LANE_ROUNDS * 6; i++) {
        static const uint8_t flags[] = {0, LANE_FTZ, LANE_SAT, LANE_FTZ | LANE_SAT, LANE_RELU, LANE_FTZ | LANE_RELU};
        struct lane_inst inst = {.op = LANE_OP_cvt,
                                 .type = (uint8_t)(LANE_F16 + i % 4),
                                 .type2 = (uint8_t)(LANE_F16 + i / 4 % 4),
                                 .round = (uint8_t)(i / 16 % LANE_ROUNDS),
                                 .flags = flags[i / 16 / LANE_ROUNDS]};
        bool same = inst.type == inst.type2, narrow = inst.type <= LANE_BF16 && !same;
        bool plain = inst.round <= LANE_RP || (inst.round == LANE_RNA && narrow);
        if (same ? (inst.round > LANE_RN && inst.round < LANE_RNI) || inst.round == LANE_RNA : !plain)
            continue;
        if (inst.flags & LANE_RELU && inst.type > LANE_BF16)
            continue;
        verify(&inst, float_to_float, inst.flags ? 20 : 100);
    }
}

static void test_float_to_int(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 8 * 4 * 4 * 2; i++) {
        struct lane_inst inst = {.op = LANE_OP_cvt,
                                 .type = integers[i % 8],
                                 .type2 = (uint8_t)(LANE_F16 + i / 8 % 4),
                                 .round = (uint8_t)(LANE_RNI + i / 32 % 4),
                                 .flags = i < 128 ? 0 : LANE_FTZ | LANE_SAT};
        verify(&inst, float_to_int, 60);
    }
}

static void test_int_to_float(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 8 * 4 * 4 * 2; i++) {
        struct lane_inst inst = {.op = LANE_OP_cvt,
                                 .type = (uint8_t)(LANE_F16 + i / 8 % 4),
                                 .type2 = integers[i % 8],
                                 .round = (uint8_t)(i / 32 % 4),
                                 .flags = i < 128 ? 0 : LANE_SAT};
        verify(&inst, int_to_float, 60);
    }
}

static void test_cvtpack(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2 * 5 * 6; i++) {
        static const uint8_t rounds[] = {LANE_RN, LANE_RZ, LANE_RM, LANE_RP, LANE_RNA};
        static const uint8_t flags[] = {0, LANE_FTZ, LANE_SAT, LANE_FTZ | LANE_SAT, LANE_RELU, LANE_FTZ | LANE_RELU};
        struct lane_inst half = {
            .type = (uint8_t)(LANE_F16 + i % 2), .type2 = LANE_F32, .round = rounds[i / 2 % 5], .flags = flags[i / 10]};
        struct lane_inst inst = half;
        inst.op = LANE_OP_cvtpack;
        inst.type = i % 2 ? LANE_BF16X2 : LANE_F16X2;
        struct kernel_lanes lanes = {0};
        for (unsigned warp = 0; warp < 40; warp++) {
            for (unsigned l = 0; l < 64; l++)
                put(&lanes, KERNEL_A + l / 32, 32, l % 32, source(LANE_F32));
            kernel_run(&inst, &lanes);
            for (unsigned l = 0; l < 32; l++) {
                uint64_t high = float_to_float(&half, get(&lanes, KERNEL_A, 32, l));
                uint64_t low = float_to_float(&half, get(&lanes, KERNEL_B, 32, l));
                if (get(&lanes, KERNEL_D, 32, l) != (high << 16 | low))
                    mismatch(&inst, get(&lanes, KERNEL_A, 32, l), get(&lanes, KERNEL_D, 32, l), high << 16 | low);
            }
        }
    }
}

static int setup(void **state)
{
    (void)state;
    mpfr_init2(exact, 64);
    mpfr_init2(result, 53);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    mpfr_clear(exact);
    mpfr_clear(result);
    mpfr_free_cache();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_float_to_float),
        cmocka_unit_test(test_float_to_int),
        cmocka_unit_test(test_int_to_float),
        cmocka_unit_test(test_cvtpack),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

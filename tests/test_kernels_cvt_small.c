/* Conversions to and from floats of 4 to 8 bits, tf32, and stochastic rounding, in every kernel set, against a model
 * that knows the formats as lists of numbers: all halves, all codes, and the f32 at, below and above every number of a
 * format and every point between two. */
#include "kernels_run.h"

#include <math.h>

#include "base/half.h"

struct small {
    enum lane_type type;
    int exponent, mantissa, bias;
    bool infinity, has_nan;
    int largest, nan; /* codes */
};

static const struct small formats[] = {
    {LANE_E4M3X2, 4, 3, 7, false, true, 0x7e, 0x7f}, {LANE_E5M2X2, 5, 2, 15, true, true, 0x7b, 0x7f},
    {LANE_E2M3X2, 2, 3, 1, false, false, 31, 31},    {LANE_E3M2X2, 3, 2, 3, false, false, 31, 31},
    {LANE_E2M1X2, 2, 1, 1, false, false, 7, 7},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static unsigned width(const struct small *f) /* without the sign */
{
    return (unsigned)(f->exponent + f->mantissa);
}

/* The number of a code without sign. */
static double number(const struct small *f, int code)
{
    int e = code >> f->mantissa, m = code & ((1 << f->mantissa) - 1);
    if (f->infinity && e == (1 << f->exponent) - 1)
        return m ? NAN : INFINITY;
    if (f->has_nan && !f->infinity && code == f->nan)
        return NAN;
    return e == 0 ? ldexp(m, 1 - f->bias - f->mantissa) : ldexp(m + (1 << f->mantissa), e - f->bias - f->mantissa);
}

/* The nearest number, by looking at all of them; of two, the even code. */
static unsigned nearest(const struct small *f, double x, bool relu)
{
    static const struct small *of;
    static double numbers[128];
    for (int code = 0; of != f && code <= f->largest; code++)
        numbers[code] = number(f, code);
    of = f;
    if (isnan(x))
        return (unsigned)f->nan;
    int best = 0;
    double a = fabs(x);
    for (int code = 1; code <= f->largest; code++) {
        double now = fabs(numbers[code] - a), before = fabs(numbers[best] - a);
        if (now < before || (now == before && code % 2 == 0))
            best = code;
    }
    if (a > numbers[f->largest]) /* infinity is as far from all */
        best = f->largest;
    return signbit(x) ? relu ? 0 : (unsigned)best | 1u << width(f) : (unsigned)best;
}

static void store(struct kernel_lanes *lanes, unsigned slot, unsigned bits, unsigned lane, uint64_t value)
{
    memcpy(lanes->slot[slot] + lane * bits / 8, &value, bits / 8);
}

static unsigned load(const struct kernel_lanes *lanes, unsigned bits, unsigned lane)
{
    unsigned value = 0;
    memcpy(&value, lanes->slot[KERNEL_D] + lane * bits / 8, bits / 8);
    return value;
}

/* ---- f32 ------------------------------------------------------------------------------------------------- */

enum { MOST_INPUTS = 4096 };

static unsigned near(uint32_t *inputs, unsigned n, double x)
{
    uint32_t bits = f32_bits((float)x);
    for (int k = -2; k <= 2; k++) {
        uint32_t near = bits == 0 ? (uint32_t)(k < 0 ? -k : k) : bits + (uint32_t)k;
        inputs[n++] = near;
        inputs[n++] = near | 0x80000000;
    }
    return n;
}

static unsigned edges(const struct small *f, uint32_t *inputs)
{
    static const uint32_t others[] = {0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff, 0x7f7fffff, 0x00800000, 1};
    unsigned n = 0;
    for (int code = 0; code <= f->largest; code++) {
        double next = code < f->largest ? number(f, code + 1) : 2 * number(f, code);
        n = near(inputs, n, number(f, code));
        n = near(inputs, n, (number(f, code) + next) / 2);
        n = near(inputs, n, number(f, code) + (next - number(f, code)) * 0.3);
    }
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++) {
        inputs[n++] = others[i];
        inputs[n++] = others[i] | 0x80000000;
    }
    assert_true(n + 32 <= MOST_INPUTS);
    while (n % 32)
        inputs[n++] = 0x3f800000;
    return n;
}

static void from_f32(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2 * FORMATS; i++) {
        const struct small *f = &formats[i / 2];
        struct lane_inst inst = {
            .op = LANE_OP_cvtpack, .type = (uint8_t)f->type, .type2 = LANE_F32, .flags = i % 2 ? LANE_RELU : 0};
        static uint32_t inputs[MOST_INPUTS];
        unsigned count = edges(f, inputs), bits = lane_type_bits(f->type);
        for (unsigned at = 0; at < count; at += 32) {
            struct kernel_lanes lanes = {0};
            for (unsigned l = 0; l < 32; l++) {
                store(&lanes, KERNEL_A, 32, l, inputs[at + l]);
                store(&lanes, KERNEL_B, 32, l, inputs[count - 1 - at - l]);
            }
            kernel_run(&inst, &lanes);
            for (unsigned l = 0; l < 32; l++) {
                unsigned high = nearest(f, f32_from_bits(inputs[at + l]), i % 2);
                unsigned low = nearest(f, f32_from_bits(inputs[count - 1 - at - l]), i % 2);
                if (load(&lanes, bits, l) != (high << bits / 2 | low))
                    fail_msg("%s: %#x: %#x, not %#x", kernel_describe(&inst), inputs[at + l], load(&lanes, bits, l),
                             high << bits / 2 | low);
            }
        }
    }
}

/* ---- halves ---------------------------------------------------------------------------------------------- */

/* All 65536 of f16 and bf16, beside others. */
static void from_halves(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4 * FORMATS; i++) {
        const struct small *f = &formats[i / 4];
        bool relu = i % 2, bf16 = i / 2 % 2;
        struct lane_inst inst = {.op = LANE_OP_cvt,
                                 .type = (uint8_t)f->type,
                                 .type2 = bf16 ? LANE_BF16X2 : LANE_F16X2,
                                 .flags = relu ? LANE_RELU : 0};
        static uint8_t want[65536];
        unsigned bits = lane_type_bits(f->type);
        for (unsigned h = 0; h < 65536; h++)
            want[h] = (uint8_t)nearest(f, bf16 ? bf16_to_f32((uint16_t)h) : f16_to_f32((uint16_t)h), relu);
        for (unsigned at = 0; at < 65536; at += 32) {
            struct kernel_lanes lanes = {0};
            for (unsigned l = 0; l < 32; l++)
                store(&lanes, KERNEL_A, 32, l, (at + l) << 16 | (at + l) * 40503 % 65536);
            kernel_run(&inst, &lanes);
            for (unsigned l = 0; l < 32; l++) {
                unsigned pair = (unsigned)want[at + l] << bits / 2 | want[(at + l) * 40503 % 65536];
                if (load(&lanes, bits, l) != pair)
                    fail_msg("%s: %#x: %#x, not %#x", kernel_describe(&inst), at + l, load(&lanes, bits, l), pair);
            }
        }
    }
}

static unsigned half_of(const struct small *f, unsigned code, bool relu)
{
    bool negative = code >> width(f) & 1;
    double x = number(f, (int)(code & ((1u << width(f)) - 1)));
    if (isnan(x))
        return F16_NAN;
    if (negative && relu)
        return 0;
    return f16_from_f64(x, HALF_RN) | (negative ? 0x8000u : 0);
}

/* Every code in both places; f16 holds all of them. */
static void to_halves(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2 * FORMATS; i++) {
        const struct small *f = &formats[i / 2];
        struct lane_inst inst = {
            .op = LANE_OP_cvt, .type = LANE_F16X2, .type2 = (uint8_t)f->type, .flags = i % 2 ? LANE_RELU : 0};
        unsigned bits = lane_type_bits(f->type), all = 1u << bits;
        for (unsigned at = 0; at < all; at += 32) {
            struct kernel_lanes lanes = {0};
            for (unsigned l = 0; l < 32; l++)
                store(&lanes, KERNEL_A, bits, l, at + l);
            kernel_run(&inst, &lanes);
            for (unsigned l = 0; l < 32; l++) {
                unsigned want = half_of(f, (at + l) >> bits / 2, i % 2) << 16 |
                                half_of(f, (at + l) & ((1u << bits / 2) - 1), i % 2);
                if (load(&lanes, 32, l) != want)
                    fail_msg("%s: %#x: %#x, not %#x", kernel_describe(&inst), at + l, load(&lanes, 32, l), want);
            }
        }
    }
}

/* ---- ue8m0 ----------------------------------------------------------------------------------------------- */

/* The exponent of the power of two below or above. */
static unsigned power(double x, bool up)
{
    if (isnan(x) || isinf(x))
        return 0xff;
    int e = x == 0 || ilogb(x) < -127 ? -127 : ilogb(x);
    e += up && ldexp(1, e) < fabs(x);
    return (unsigned)(e + 127);
}

static void powers_of_two(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        bool up = i % 2, pack = i / 2;
        struct lane_inst inst = {.op = pack ? LANE_OP_cvtpack : LANE_OP_cvt,
                                 .type = LANE_UE8M0X2,
                                 .type2 = pack ? LANE_F32 : LANE_BF16X2,
                                 .round = up ? LANE_RP : LANE_RZ};
        for (unsigned at = 0; at < 65536; at += 32) {
            struct kernel_lanes lanes = {0};
            uint32_t a[32], b[32];
            for (unsigned l = 0; l < 32; l++) {
                a[l] = (at + l) << 16 | (pack ? at * 2654435761u >> 30 : 0); /* 0..3 past a bf16 */
                b[l] = ~a[l] & 0xffff0000;
                store(&lanes, KERNEL_A, 32, l, pack ? a[l] : a[l] | b[l] >> 16);
                store(&lanes, KERNEL_B, 32, l, b[l]);
            }
            kernel_run(&inst, &lanes);
            for (unsigned l = 0; l < 32; l++) {
                unsigned want = power(f32_from_bits(a[l]), up) << 8 | power(f32_from_bits(b[l]), up);
                if (load(&lanes, 16, l) != want)
                    fail_msg("%s: %#x: %#x, not %#x", kernel_describe(&inst), a[l], load(&lanes, 16, l), want);
            }
        }
    }
}

static void powers_to_bf16(void **state)
{
    (void)state;
    struct lane_inst inst = {.op = LANE_OP_cvt, .type = LANE_BF16X2, .type2 = LANE_UE8M0X2};
    for (unsigned at = 0; at < 256; at += 32) {
        struct kernel_lanes lanes = {0};
        for (unsigned l = 0; l < 32; l++)
            store(&lanes, KERNEL_A, 16, l, (at + l) << 8 | (255 - at - l));
        kernel_run(&inst, &lanes);
        for (unsigned l = 0; l < 32; l++)
            for (unsigned k = 0; k < 2; k++) {
                unsigned code = k ? at + l : 255 - at - l, got = load(&lanes, 32, l) >> 16 * k & 0xffff;
                double x = bf16_to_f32((uint16_t)got);
                assert_true(code == 255 ? got == BF16_NAN : x == ldexp(1, (int)code - 127));
            }
    }
}

/* ---- tf32 ------------------------------------------------------------------------------------------------ */

/* In units of the last place, by the host's double arithmetic. */
static uint32_t tf32(uint32_t bits, unsigned mode, bool relu)
{
    double x = f32_from_bits(bits);
    if (isnan(x))
        return mode == LANE_RNA ? bits >> 13 << 13 : 0x7fffe000;
    if (signbit(x) && relu)
        return 0;
    int e = -126;
    if (fabs(x) >= 0x1p-126)
        e = ilogb(isinf(x) ? 0x1p127 : x);
    double units = ldexp(x, 10 - e);
    units = mode == LANE_RZ ? trunc(units) : mode == LANE_RN ? nearbyint(units) : round(units);
    float r = (float)ldexp(units, e - 10);
    return f32_bits(r == 0 ? copysignf(0, f32_from_bits(bits)) : r);
}

static void to_tf32(void **state)
{
    (void)state;
    static const uint8_t rounds[] = {LANE_RN, LANE_RZ, LANE_RNA};
    static const uint32_t low[] = {0, 1, 0xfff, 0x1000, 0x1001, 0x1fff, 0x2000, 0x3000};
    for (unsigned i = 0; i < 6; i++) {
        struct lane_inst inst = {.op = LANE_OP_cvt,
                                 .type = LANE_TF32,
                                 .type2 = LANE_F32,
                                 .round = rounds[i / 2],
                                 .flags = i % 2 ? LANE_RELU : 0};
        for (unsigned at = 0; at < 1 << 19; at += 97 * 4) {
            struct kernel_lanes lanes = {0};
            uint32_t a[32];
            for (unsigned l = 0; l < 32; l++) {
                a[l] = ((at + l / 8) << 13) + low[l % 8];
                store(&lanes, KERNEL_A, 32, l, a[l]);
            }
            kernel_run(&inst, &lanes);
            for (unsigned l = 0; l < 32; l++)
                if (load(&lanes, 32, l) != tf32(a[l], inst.round, i % 2))
                    fail_msg("%s: %#x: %#x, not %#x", kernel_describe(&inst), a[l], load(&lanes, 32, l),
                             tf32(a[l], inst.round, i % 2));
        }
    }
}

/* ---- stochastic rounding --------------------------------------------------------------------------------- */

/* The number below x in the format, and which part of the way to the next one x is. */
static int below(const struct small *f, double x, double *part)
{
    int code = 0;
    for (int step = 1 << 14; step > 0; step /= 2)
        if (code + step <= f->largest && number(f, code + step) <= x)
            code += step;
    *part = (x - number(f, code)) / (number(f, code + 1) - number(f, code));
    return code;
}

static const struct small halves[] = {{LANE_F16X2, 5, 10, 15, true, true, 0x7bff, 0x7fff},
                                      {LANE_BF16X2, 8, 7, 127, true, true, 0x7f7f, 0x7fff}};

/* Away from zero if the part and the random bits, as a fraction, are 1 or more together. */
static unsigned rounded(const struct small *f, float x, unsigned random)
{
    unsigned bits = f->type == LANE_F16X2 ? 13 : 16;
    double part;
    int code = below(f, fabs((double)x), &part);
    if (fabs((double)x) >= number(f, f->largest) && !f->infinity)
        code = f->largest;
    else
        code += part + ldexp(random & ((1u << bits) - 1), -(int)bits) >= 1;
    return (unsigned)code | (signbit(x) ? 1u << width(f) : 0);
}

static void by_random_bits(void **state)
{
    (void)state;
    uint64_t seed = 12345;
    for (unsigned i = 0; i < FORMATS + 2; i++) {
        const struct small *f = i < FORMATS ? &formats[i] : &halves[i - FORMATS];
        struct lane_inst inst = {.op = LANE_OP_cvtrs, .type = (uint8_t)f->type, .type2 = LANE_F32};
        unsigned bits = lane_type_bits(f->type);
        for (unsigned warp = 0; warp < 600; warp++) {
            struct kernel_lanes lanes = {0};
            float a[32], b[32];
            uint32_t random[32];
            for (unsigned l = 0; l < 32; l++) {
                uint64_t r = kernel_random(&seed);
                int reach = 1 << (f->exponent - 1);
                /* below the largest number, down to a 64th of the least */
                a[l] = (float)ldexp((double)(int32_t)r,
                                    -31 + (int)(r >> 33) % (2 * reach + f->mantissa + 4) - reach - f->mantissa - 5);
                b[l] = (float)ldexp((double)(r >> 40), -24) * (float)number(f, f->largest) * 0.9f;
                random[l] = (uint32_t)(kernel_random(&seed) >> 13);
                if (r % 4 == 0)
                    random[l] |= 0xffff0000;
                store(&lanes, KERNEL_A, 32, l, f32_bits(a[l]));
                store(&lanes, KERNEL_B, 32, l, f32_bits(b[l]));
                store(&lanes, KERNEL_C, 32, l, random[l]);
            }
            kernel_run(&inst, &lanes);
            for (unsigned l = 0; l < 32; l++) {
                unsigned want = rounded(f, a[l], random[l] >> 16) << bits / 2 | rounded(f, b[l], random[l] & 0xffff);
                if (load(&lanes, bits, l) != want)
                    fail_msg("%s: %a, %a, %#x: %#x, not %#x", kernel_describe(&inst), (double)a[l], (double)b[l],
                             random[l], load(&lanes, bits, l), want);
            }
        }
    }
}

/* What is no number, and what is too large, does not ask for random bits. */
static void random_bits_at_the_ends(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FORMATS + 2; i++) {
        const struct small *f = i < FORMATS ? &formats[i] : &halves[i - FORMATS];
        struct lane_inst inst = {.op = LANE_OP_cvtrs, .type = (uint8_t)f->type, .type2 = LANE_F32, .flags = LANE_RELU};
        struct kernel_lanes lanes = {0};
        unsigned bits = lane_type_bits(f->type);
        static const float inputs[4][2] = {{INFINITY, NAN}, {-INFINITY, -1}, {0x1p127f, -0.0f}, {0, 1}};
        for (unsigned l = 0; l < 32; l++) {
            store(&lanes, KERNEL_A, 32, l, f32_bits(inputs[l % 4][0]));
            store(&lanes, KERNEL_B, 32, l, f32_bits(inputs[l % 4][1]));
            store(&lanes, KERNEL_C, 32, l, UINT32_MAX);
        }
        kernel_run(&inst, &lanes);
        unsigned infinity = (unsigned)f->largest + (i >= FORMATS), one = (unsigned)f->bias << f->mantissa;
        unsigned high = i == FORMATS + 1 ? 254u << 7 : infinity; /* 2^127 is a bf16 */
        assert_int_equal(load(&lanes, bits, 0), infinity << bits / 2 | (unsigned)f->nan);
        assert_int_equal(load(&lanes, bits, 1), 0);
        assert_int_equal(load(&lanes, bits, 2), high << bits / 2);
        assert_int_equal(load(&lanes, bits, 3), one);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_f32),       cmocka_unit_test(from_halves),
        cmocka_unit_test(to_halves),      cmocka_unit_test(powers_of_two),
        cmocka_unit_test(powers_to_bf16), cmocka_unit_test(to_tf32),
        cmocka_unit_test(by_random_bits), cmocka_unit_test(random_bits_at_the_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

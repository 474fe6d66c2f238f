/* Maxwell's operations on pairs of f16, run from their text and compared with exact integer arithmetic on multiples of
 * 2^-48, which every sum of products of halves is. */
#include "sass_floats.h"

#include <math.h>

static struct sass_rig rig;

/* ---- one half ------------------------------------------------------------------------------------------------- */

static bool is_nan(uint16_t h)
{
    return (h & 0x7fff) > 0x7c00;
}

static bool is_infinite(uint16_t h)
{
    return (h & 0x7fff) == 0x7c00;
}

/* In units of 2^-24. */
static __int128 fixed(uint16_t h)
{
    unsigned e = h >> 10 & 31, m = h & 0x3ff;
    __int128 x = e ? (__int128)(m + 1024) << (e - 1) : m;
    return h & 0x8000 ? -x : x;
}

static uint16_t flush(uint16_t h, bool ftz)
{
    return ftz && (h & 0x7c00) == 0 ? h & 0x8000 : h;
}

/* v * 2^-48 to nearest even. */
static uint16_t rounded(__int128 v)
{
    uint16_t sign = (uint16_t)(v < 0 ? 0x8000 : 0);
    unsigned __int128 x = (unsigned __int128)(v < 0 ? -v : v);
    unsigned shift = 24; /* so that a subnormal's unit is 1 */
    while (x >> shift >= 2048)
        shift++;
    unsigned __int128 rest = x & (((unsigned __int128)1 << shift) - 1), middle = (unsigned __int128)1 << (shift - 1);
    uint32_t m = (uint32_t)(x >> shift);
    m += rest > middle || (rest == middle && m & 1);
    uint32_t bits = m >= 1024 ? m - 1024 + ((shift - 24 + 1) << 10) : m;
    return sign | (uint16_t)(bits > 0x7c00 ? 0x7c00 : bits);
}

/* a * b + c; `sum`: b is 1 and c is added; `product`: no c. */
static uint16_t half_fma(uint16_t a, uint16_t b, uint16_t c, bool product, bool ftz, bool sat)
{
    a = flush(a, ftz);
    b = flush(b, ftz);
    c = flush(c, ftz);
    uint16_t r, sign = (a ^ b) & 0x8000;
    bool infinite = is_infinite(a) || is_infinite(b), none = (a & 0x7fff) == 0 || (b & 0x7fff) == 0;
    if (product)
        c = sign; /* adds nothing */
    if (is_nan(a) || is_nan(b) || is_nan(c) || (infinite && none) ||
        (infinite && is_infinite(c) && (c & 0x8000) != sign))
        return sat ? 0 : 0x7fff;
    if (infinite || is_infinite(c)) {
        r = infinite ? sign | 0x7c00 : c;
    } else {
        /* 2^-14 * (1 - 2^-12): what rounds to less than the least normal number, were exponents without end */
        __int128 v = fixed(a) * fixed(b) + fixed(c) * (1 << 24), tiny = ((__int128)1 << 34) - (1 << 22);
        r = rounded(v);
        if (v == 0)
            r = none && (c & 0x7fff) == 0 && sign == (c & 0x8000) ? sign : 0;
        else if ((r & 0x7fff) == 0)
            r = (uint16_t)(v < 0 ? 0x8000 : 0);
        if (ftz && v < tiny && v > -tiny)
            r &= 0x8000;
    }
    return sat ? (r & 0x8000 ? 0 : r > 0x3c00 ? 0x3c00 : r) : r;
}

/* ---- operands ------------------------------------------------------------------------------------------------- */

static const char *const swizzles[] = {"", ".H0_H0", ".H1_H1"};
static const char *const formats[] = {"", ".MRG_H0", ".MRG_H1"};
static const char *const sign_texts[] = {"R%u%s", "-R%u%s", "|R%u%s|", "-|R%u%s|"};

static uint16_t half_random(void)
{
    static const uint16_t edges[] = {0,      1,      0x3ff,  0x400,  0x401,  0x3bff, 0x3c00,
                                     0x3c01, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7fff, 0x1400};
    uint16_t r = (uint16_t)(random_word() >> 16);
    return random_word() >> 40 & 1 ? edges[r % 14] | (r & 0x8000) : r;
}

static void fill(void)
{
    for (unsigned n = 0; n < SASS_CASES; n++)
        for (unsigned k = 0; k < SASS_INPUTS; k++)
            rig.in[n][k] = half_random() | (uint32_t)half_random() << 16;
}

static uint16_t lane_of(uint32_t word, unsigned swizzle, unsigned lane, unsigned signs)
{
    unsigned half = swizzle == 0 ? lane : swizzle - 1;
    uint16_t h = (uint16_t)(word >> 16 * half);
    h = signs & 2 ? h & 0x7fff : h;
    return signs & 1 ? h ^ 0x8000 : h;
}

static void operand(char out[24], unsigned reg, unsigned swizzle, unsigned signs)
{
    snprintf(out, 24, sign_texts[signs], reg, swizzles[swizzle]);
}

static uint32_t merged(unsigned format, uint32_t old, const uint16_t lane[2])
{
    return format == 0   ? lane[0] | (uint32_t)lane[1] << 16
           : format == 1 ? (old & 0xffff0000) | lane[0]
                         : (old & 0xffff) | (uint32_t)lane[1] << 16;
}

/* ---- arithmetic ----------------------------------------------------------------------------------------------- */

static void check_arithmetic(unsigned i)
{
    unsigned sa = i % 3, sb = i / 3 % 3, sc = i / 9 % 3, format = i % 3, signs = i % 16;
    bool ftz = i / 2 % 2, sat = i / 4 % 2, fmz = i % 5 == 0;
    char text[512], a[24], b[24], m[24], c[24];
    operand(a, 8, sa, signs % 4);
    operand(b, 9, sb, signs / 4);
    operand(m, 9, sb, signs & 1);
    operand(c, 10, sc, signs >> 1 & 1);
    snprintf(text, sizeof text,
             "MOV R0, R11;\nMOV R1, R12;\nMOV R2, R13;\nHADD2%s%s%s R0, %s, %s;\nHMUL2%s%s%s R1, R8%s, %s;\n"
             "HFMA2%s%s%s R2, R8%s, %s, %s;",
             formats[format], ftz ? ".FTZ" : "", sat ? ".SAT" : "", a, b, formats[format],
             fmz   ? ".FMZ"
             : ftz ? ".FTZ"
                   : "",
             sat ? ".SAT" : "", swizzles[sa], m, formats[format],
             fmz   ? ".FMZ"
             : ftz ? ".FTZ"
                   : "",
             sat ? ".SAT" : "", swizzles[sa], m, c);
    sass_rig_open(&rig, text);
    fill();
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        const uint32_t *in = rig.in[n];
        uint16_t sum[2], product[2], fused[2];
        for (unsigned k = 0; k < 2; k++) {
            uint16_t x = lane_of(in[0], sa, k, 0), y = lane_of(in[1], sb, k, signs & 1);
            sum[k] =
                half_fma(lane_of(in[0], sa, k, signs % 4), 0x3c00, lane_of(in[1], sb, k, signs / 4), false, ftz, sat);
            if (fmz && ((flush(x, true) & 0x7fff) == 0 || (flush(y, true) & 0x7fff) == 0))
                x = y = 0;
            product[k] = half_fma(x, y, 0, true, ftz || fmz, sat);
            fused[k] = half_fma(x, y, lane_of(in[2], sc, k, signs >> 1 & 1), false, ftz || fmz, sat);
        }
        expect_word(&rig, text, n, 0, merged(format, in[3], sum));
        expect_word(&rig, text, n, 1, merged(format, in[4], product));
        expect_word(&rig, text, n, 2, merged(format, in[5], fused));
    }
    sass_rig_close(&rig);
}

static void arithmetic(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 60; i++)
        check_arithmetic(i);
}

/* Where an f32 takes part, f32 arithmetic. */
static void mixed(void **state)
{
    (void)state;
    sass_rig_open(&rig, "HADD2.F32 R0, -RZ, R8.H1_H1;\nHFMA2.F32 R1, R8.H0_H0, R9.F32, R10;\nHADD2 R2, R9.F32, R8;\n"
                        "HADD2_32I R3, R8, 2, -0.5;\nHMUL2 R4, R8, 1.5, 4;\nMOV R5, R10;\nHFMA2_32I R5, R8, 2, 3, R5;\n"
                        "HADD2.F32 R6, R8, c[0x0][0x140];");
    fill();
    for (unsigned n = 0; n < SASS_CASES; n++)
        rig.in[n][1] = (uint32_t)(random_word() & 0x807fffff) | 0x3f000000;
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        const uint32_t *in = rig.in[n];
        uint16_t low = (uint16_t)in[0], high = (uint16_t)(in[0] >> 16), pair[2];
        float y = float_of(in[1]), k = float_of((uint32_t)rig.parameters[0]);
        if (is_nan(low) || is_nan(high) || is_nan((uint16_t)in[2]) || is_nan((uint16_t)(in[2] >> 16)))
            continue;
        float x0 = is_infinite(low) ? (low & 0x8000 ? -INFINITY : INFINITY) : (float)fixed(low) * 0x1p-24f;
        float x1 = is_infinite(high) ? (high & 0x8000 ? -INFINITY : INFINITY) : (float)fixed(high) * 0x1p-24f;
        float z = is_infinite((uint16_t)in[2]) ? (in[2] & 0x8000 ? -INFINITY : INFINITY)
                                               : (float)fixed((uint16_t)in[2]) * 0x1p-24f;
        x0 = low == 0x8000 ? -0.0f : x0;
        x1 = high == 0x8000 ? -0.0f : x1;
        z = (uint16_t)in[2] == 0x8000 ? -0.0f : z;
        expect_word(&rig, "HADD2.F32", n, 0, bits_of(x1));
        if (!isnan(fmaf(x0, y, z)))
            expect_word(&rig, "HFMA2.F32", n, 1, bits_of(fmaf(x0, y, z)));
        if (!isinf(x0) && !isinf(x1)) {
            pair[0] = rounded((__int128)((double)(y + x0) * 0x1p48));
            pair[1] = rounded((__int128)((double)(y + x1) * 0x1p48));
            expect_word(&rig, "HADD2 .F32", n, 2, merged(0, 0, pair));
        }
        pair[1] = half_fma(high, 0x3c00, 0x4000, false, false, false);
        pair[0] = half_fma(low, 0x3c00, 0xb800, false, false, false);
        expect_word(&rig, "HADD2_32I", n, 3, merged(0, 0, pair));
        pair[1] = half_fma(high, 0x3e00, 0, true, false, false);
        pair[0] = half_fma(low, 0x4400, 0, true, false, false);
        expect_word(&rig, "HMUL2", n, 4, merged(0, 0, pair));
        pair[1] = half_fma(high, 0x4000, (uint16_t)(in[2] >> 16), false, false, false);
        pair[0] = half_fma(low, 0x4200, (uint16_t)in[2], false, false, false);
        expect_word(&rig, "HFMA2_32I", n, 5, merged(0, 0, pair));
        expect_word(&rig, "HADD2 constant", n, 6, bits_of(x0 + k));
    }
    sass_rig_close(&rig);
}

/* ---- comparison ----------------------------------------------------------------------------------------------- */

static const char *const cmp_texts[] = {".F",   ".LT",  ".EQ",  ".LE",  ".GT",  ".NE",  ".GE",  ".NUM",
                                        ".NAN", ".LTU", ".EQU", ".LEU", ".GTU", ".NEU", ".GEU", ".T"};
static const char *const bop_texts[] = {".AND", ".OR", ".XOR"};

static bool holds(unsigned code, uint16_t a, uint16_t b, bool ftz)
{
    a = flush(a, ftz);
    b = flush(b, ftz);
    if (is_nan(a) || is_nan(b))
        return code >> 3 & 1;
    return code >> (fixed(a) < fixed(b) ? 0 : fixed(a) == fixed(b) ? 1 : 2) & 1;
}

static bool combined(unsigned bop, bool a, bool b)
{
    return bop == 0 ? a && b : bop == 1 ? a || b : a != b;
}

static void check_compare(unsigned cmp, unsigned bop, unsigned sa, unsigned sb, bool ftz, bool both, bool bf)
{
    char text[512];
    snprintf(text, sizeof text,
             "LOP32I.AND R22, R22, 0x1;\nISETP.NE.AND P3, PT, R22, RZ, PT;\nMOV32I R239, 0x1;\n"
             "HSETP2%s%s%s%s P0, P1, -R8%s, |R9%s|, P3;\nSEL R0, R239, RZ, P0;\nSEL R1, R239, RZ, P1;\n"
             "HSET2%s%s%s%s R2, -R8%s, |R9%s|, P3;",
             cmp_texts[cmp], both ? ".H_AND" : "", ftz ? ".FTZ" : "", bop_texts[bop], swizzles[sa], swizzles[sb],
             bf ? ".BF" : "", cmp_texts[cmp], ftz ? ".FTZ" : "", bop_texts[bop], swizzles[sa], swizzles[sb]);
    sass_rig_open(&rig, text);
    fill();
    for (unsigned n = 0; n < SASS_CASES; n += 3)
        rig.in[n][1] = rig.in[n][0] ^ (n % 2 ? 0x80000000 : 0x8000);
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        const uint32_t *in = rig.in[n];
        bool p = in[14] & 1, t[2], all;
        uint32_t want = 0;
        for (unsigned k = 0; k < 2; k++) {
            t[k] = holds(cmp, lane_of(in[0], sa, k, 1), lane_of(in[1], sb, k, 2), ftz);
            want |= (combined(bop, t[k], p) ? bf ? 0x3c00u : 0xffffu : 0) << 16 * k;
        }
        all = t[0] && t[1];
        expect_word(&rig, text, n, 0, combined(bop, both ? all : t[0], p));
        expect_word(&rig, text, n, 1, combined(bop, both ? !all : t[1], p));
        expect_word(&rig, text, n, 2, want);
    }
    sass_rig_close(&rig);
}

static void compares(void **state)
{
    (void)state;
    for (unsigned cmp = 0; cmp < 16; cmp++)
        for (unsigned bop = 0; bop < 3; bop++)
            check_compare(cmp, bop, cmp % 3, (cmp / 3 + bop) % 3, (cmp + bop) % 2, (cmp / 2 + bop) % 2,
                          (cmp / 4 + bop) % 2);
}

/* The second result reads the predicate that the first one replaces. */
static void predicates_overlap(void **state)
{
    (void)state;
    sass_rig_open(
        &rig, "MOV32I R239, 0x1;\nISETP.NE.AND P0, PT, RZ, RZ, PT;\nHSETP2.T.OR P0, P1, R8, R9, !P0;\n"
              "SEL R0, R239, RZ, P0;\nSEL R1, R239, RZ, P1;\nHSETP2.F.OR P1, P0, R8, R9, P1;\nSEL R2, R239, RZ, P0;");
    sass_rig_run(&rig);
    expect_word(&rig, "HSETP2", 0, 0, 1);
    expect_word(&rig, "HSETP2", 0, 1, 1);
    expect_word(&rig, "HSETP2", 0, 2, 1);
    sass_rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(mixed),
        cmocka_unit_test(compares),
        cmocka_unit_test(predicates_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Maxwell's f32 and f64 arithmetic, comparison and special functions, run from their text and compared with formulas
 * written here, in every rounding, flushing, saturation and combination of signs; special functions with
 * engine/meaning/interpolate.h, so of them it is seen how they are lowered (test_hw_approx has their values). */
#include "engine/meaning/interpolate.h"
#include "sass_floats.h"

#include <math.h>

static struct sass_rig rig;

/* ---- references ------------------------------------------------------------------------------------------ */

struct variant {
    int round;
    bool ftz, fmz, sat;
};

static float flush(float x, bool ftz)
{
    return ftz && fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

/* larger: what r is were it 2^12 times as much, so that it is rounded as if exponents had no end where it is tiny. */
static uint32_t finish(float r, float larger, struct variant v)
{
    if (isnan(r))
        return v.sat ? 0 : 0x7fffffff;
    if (v.ftz && fabsf(r) <= 0x1p-126f && fabsf(larger) < 0x1p-114f)
        r = copysignf(0, r);
    if (v.sat)
        r = r > 0 ? r < 1 ? r : 1 : 0;
    return bits_of(r);
}

/* op: '+' '*' 'f' */
static uint32_t compute(char op, float x, float y, float z, struct variant v)
{
    volatile float a = flush(x, v.ftz), b = flush(y, v.ftz), c = flush(z, v.ftz), r, larger, scale = 0x1p12f;
    if (v.fmz && (a == 0 || b == 0))
        a = b = 0;
    fesetround(v.round);
    r = op == '+' ? a + b : op == '*' ? a * b : fmaf(a, b, c);
    larger = op == '+' ? a * scale + b * scale : op == '*' ? a * scale * b : fmaf(a * scale, b, c * scale);
    fesetround(FE_TONEAREST);
    return finish(r, larger, v);
}

static double compute_double(char op, double x, double y, double z, int round)
{
    volatile double a = x, b = y, c = z, r;
    fesetround(round);
    r = op == '+' ? a + b : op == '*' ? a * b : fma(a, b, c);
    fesetround(FE_TONEAREST);
    return r;
}

/* x with bit 0 of signs: minus, bit 1: bars. */
static float signed_float(uint32_t bits, unsigned signs)
{
    if (signs & 2)
        bits &= 0x7fffffff;
    return float_of(signs & 1 ? bits ^ 0x80000000 : bits);
}

static double signed_double(const uint32_t *in, unsigned signs)
{
    uint64_t bits = in[0] | (uint64_t)in[1] << 32;
    if (signs & 2)
        bits &= INT64_MAX;
    return double_of(signs & 1 ? bits ^ UINT64_C(1) << 63 : bits);
}

static const char *const sign_texts[] = {"%s", "-%s", "|%s|", "-|%s|"};

static const char *with_signs(char out[16], const char *name, unsigned signs)
{
    snprintf(out, 16, sign_texts[signs], name);
    return out;
}

static void expect_double(const char *text, unsigned n, double want)
{
    uint64_t got = rig.out[n][0] | (uint64_t)rig.out[n][1] << 32;
    if (isnan(want) ? !isnan(double_of(got)) : got != double_bits(want))
        fail_msg("%s: case %u: %016llx, not %016llx", text, n, (unsigned long long)got,
                 (unsigned long long)double_bits(want));
}

/* ---- sums and products ----------------------------------------------------------------------------------- */

static void check_add(unsigned round, bool ftz, bool sat, unsigned sa, unsigned sb)
{
    char text[128], a[16], b[16];
    struct variant v = {round_modes[round], ftz, false, sat};
    snprintf(text, sizeof text, "FADD%s%s%s R0, %s, %s;", ftz ? ".FTZ" : "", round_texts[round], sat ? ".SAT" : "",
             with_signs(a, "R8", sa), with_signs(b, "R9", sb));
    sass_rig_open(&rig, text);
    fill_floats(&rig);
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++)
        expect_word(&rig, text, n, 0,
                    compute('+', signed_float(rig.in[n][0], sa), signed_float(rig.in[n][1], sb), 0, v));
    sass_rig_close(&rig);
}

static void adds(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 4; round++)
        for (unsigned flags = 0; flags < 4; flags++)
            check_add(round, flags & 1, flags & 2, round * 5 % 4, flags * 7 % 4);
    for (unsigned signs = 0; signs < 16; signs++)
        check_add(signs % 4, signs / 4 % 2, false, signs / 4, signs % 4);
}

static void check_mul(unsigned round, unsigned fmz, bool sat, bool neg)
{
    static const char *const modes[] = {"", ".FTZ", ".FMZ"};
    char text[128];
    struct variant v = {round_modes[round], fmz != 0, fmz == 2, sat};
    snprintf(text, sizeof text, "FMUL%s%s%s R0, R8, %sR9;", modes[fmz], round_texts[round], sat ? ".SAT" : "",
             neg ? "-" : "");
    sass_rig_open(&rig, text);
    fill_floats(&rig);
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++)
        expect_word(&rig, text, n, 0, compute('*', float_of(rig.in[n][0]), signed_float(rig.in[n][1], neg), 0, v));
    sass_rig_close(&rig);
}

static void check_fma(unsigned round, unsigned fmz, bool sat, unsigned signs)
{
    static const char *const modes[] = {"", ".FTZ", ".FMZ"};
    char text[128];
    struct variant v = {round_modes[round], fmz != 0, fmz == 2, sat};
    snprintf(text, sizeof text, "FFMA%s%s%s R0, R8, %sR9, %sR10;", modes[fmz], round_texts[round], sat ? ".SAT" : "",
             signs & 1 ? "-" : "", signs & 2 ? "-" : "");
    sass_rig_open(&rig, text);
    fill_floats(&rig);
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++)
        expect_word(&rig, text, n, 0,
                    compute('f', float_of(rig.in[n][0]), signed_float(rig.in[n][1], signs & 1),
                            signed_float(rig.in[n][2], signs >> 1), v));
    sass_rig_close(&rig);
}

static void multiplies(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 4; round++)
        for (unsigned fmz = 0; fmz < 3; fmz++)
            for (unsigned sat = 0; sat < 2; sat++) {
                check_mul(round, fmz, sat, (round + fmz + sat) % 2);
                check_fma(round, fmz, sat, (2 * round + fmz + sat) % 4);
            }
}

/* The scale does not round by itself: long double has room for the product of two floats. */
static void scales(void **state)
{
    static const struct {
        const char *name;
        float factor;
    } list[] = {{".D2", 0.5f}, {".D4", 0.25f}, {".D8", 0.125f}, {".M8", 8}, {".M4", 4}, {".M2", 2}};
    (void)state;
    for (unsigned i = 0; i < 24; i++) {
        char text[128];
        struct variant v = {round_modes[i % 4], i / 6 % 2, false, i / 12};
        snprintf(text, sizeof text, "FMUL%s%s%s%s R0, R8, R9;", v.ftz ? ".FTZ" : "", list[i % 6].name,
                 round_texts[i % 4], v.sat ? ".SAT" : "");
        sass_rig_open(&rig, text);
        fill_floats(&rig);
        sass_rig_run(&rig);
        for (unsigned n = 0; n < SASS_CASES; n++) {
            volatile long double p = (long double)flush(float_of(rig.in[n][0]), v.ftz) * list[i % 6].factor;
            volatile float r, larger;
            p *= flush(float_of(rig.in[n][1]), v.ftz);
            fesetround(v.round);
            r = (float)p;
            larger = (float)(p * 0x1p12L);
            fesetround(FE_TONEAREST);
            expect_word(&rig, text, n, 0, finish(r, larger, v));
        }
        sass_rig_close(&rig);
    }
}

static void immediates(void **state)
{
    struct variant plain = {FE_TONEAREST, false, false, false}, ftz = {FE_TONEAREST, true, false, false};
    (void)state;
    sass_rig_open(&rig, "FADD32I R0, -R8, 1.5;\nFMUL32I.FTZ R1, R8, -0.375;\nMOV R2, R9;\n"
                        "FFMA32I R2, R8, 3, R2;\nFADD R3, R8, -RZ;\nFFMA R4, R8, R9, c[0x0][0x140];\n"
                        "FFMA R5, R8, c[0x0][0x148], -R9;");
    fill_floats(&rig);
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        float a = float_of(rig.in[n][0]), b = float_of(rig.in[n][1]);
        expect_word(&rig, "FADD32I", n, 0, compute('+', -a, 1.5f, 0, plain));
        expect_word(&rig, "FMUL32I", n, 1, compute('*', a, -0.375f, 0, ftz));
        expect_word(&rig, "FFMA32I", n, 2, compute('f', a, 3, b, plain));
        expect_word(&rig, "FADD -RZ", n, 3, compute('+', a, -0.0f, 0, plain));
        expect_word(&rig, "FFMA constant", n, 4, compute('f', a, b, float_of((uint32_t)rig.parameters[0]), plain));
        expect_word(&rig, "FFMA constant B", n, 5, compute('f', a, float_of((uint32_t)rig.parameters[1]), -b, plain));
    }
    sass_rig_close(&rig);
}

static void doubles(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 16; i++) {
        char text[256], a[16], b[16];
        unsigned sa = i % 4, sb = i / 4, round = (i + sb) % 4;
        snprintf(text, sizeof text, "DADD%s R0, %s, %s;\nDMUL%s R2, R8, %sR10;\nDFMA%s R4, R8, %sR10, %sR12;",
                 round_texts[round], with_signs(a, "R8", sa), with_signs(b, "R10", sb), round_texts[round],
                 sb & 1 ? "-" : "", round_texts[round], sa & 1 ? "-" : "", sb & 1 ? "-" : "");
        sass_rig_open(&rig, text);
        fill_doubles(&rig);
        sass_rig_run(&rig);
        for (unsigned n = 0; n < SASS_CASES; n++) {
            const uint32_t *in = rig.in[n];
            double x = signed_double(in, 0), y = signed_double(in + 2, 0), z = signed_double(in + 4, sb & 1);
            expect_double(text, n,
                          compute_double('+', signed_double(in, sa), signed_double(in + 2, sb), 0, round_modes[round]));
            memcpy(rig.out[n], rig.out[n] + 2, 8);
            expect_double(text, n, compute_double('*', x, sb & 1 ? -y : y, 0, round_modes[round]));
            memcpy(rig.out[n], rig.out[n] + 4, 8);
            expect_double(text, n, compute_double('f', x, sa & 1 ? -y : y, z, round_modes[round]));
        }
        sass_rig_close(&rig);
    }
}

/* ---- comparison -------------------------------------------------------------------------------------------- */

static const char *const cmp_texts[] = {".F",   ".LT",  ".EQ",  ".LE",  ".GT",  ".NE",  ".GE",  ".NUM",
                                        ".NAN", ".LTU", ".EQU", ".LEU", ".GTU", ".NEU", ".GEU", ".T"};
static const char *const bop_texts[] = {".AND", ".OR", ".XOR"};

/* The code of a comparison is the set of relations that satisfy it: less, equal, greater, unordered. */
static bool holds(unsigned code, double a, double b)
{
    return code >> (a < b ? 0 : a == b ? 1 : a > b ? 2 : 3) & 1;
}

static bool combined(unsigned bop, bool a, bool b)
{
    return bop == 0 ? a && b : bop == 1 ? a || b : a != b;
}

/* P3 = bit 0 of R22. */
#define RANDOM_PREDICATE "LOP32I.AND R22, R22, 0x1;\nISETP.NE.AND P3, PT, R22, RZ, PT;\n"
#define TAKE_PREDICATES  "MOV32I R239, 0x1;\nSEL R0, R239, RZ, P0;\nSEL R1, R239, RZ, P1;\n"

static void check_compare(unsigned cmp, unsigned bop, bool ftz, bool invert, bool bf)
{
    char text[512];
    snprintf(text, sizeof text,
             RANDOM_PREDICATE "FSETP%s%s%s P0, P1, -R8, |R9|, %sP3;\n" TAKE_PREDICATES
                              "FSET%s%s%s%s R2, |R8|, -R9, %sP3;\nDSETP%s%s P0, P1, R12, -|R14|, %sP3;\n"
                              "SEL R3, R239, RZ, P0;\nSEL R4, R239, RZ, P1;\nDSET%s%s%s R5, -R12, R14, P3;",
             cmp_texts[cmp], ftz ? ".FTZ" : "", bop_texts[bop], invert ? "!" : "", bf ? ".BF" : "", cmp_texts[cmp],
             ftz ? ".FTZ" : "", bop_texts[bop], invert ? "!" : "", cmp_texts[cmp], bop_texts[bop], invert ? "!" : "",
             bf ? ".BF" : "", cmp_texts[cmp], bop_texts[bop]);
    sass_rig_open(&rig, text);
    fill_doubles(&rig); /* the upper words are floats too */
    for (unsigned n = 0; n < SASS_CASES; n++)
        rig.in[n][0] = random_f32(), rig.in[n][1] = n % 5 ? random_f32() : rig.in[n][0] ^ (n % 2 ? 0 : 0x80000000);
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        const uint32_t *in = rig.in[n];
        bool p = (in[14] & 1) != invert,
             yes = holds(cmp, -flush(float_of(in[0]), ftz), fabsf(flush(float_of(in[1]), ftz)));
        uint32_t one = bf ? 0x3f800000 : UINT32_MAX;
        expect_word(&rig, text, n, 0, combined(bop, yes, p));
        expect_word(&rig, text, n, 1, combined(bop, !yes, p));
        yes = holds(cmp, fabsf(flush(float_of(in[0]), ftz)), -flush(float_of(in[1]), ftz));
        expect_word(&rig, text, n, 2, combined(bop, yes, p) ? one : 0);
        yes = holds(cmp, signed_double(in + 4, 0), signed_double(in + 6, 3));
        expect_word(&rig, text, n, 3, combined(bop, yes, p));
        expect_word(&rig, text, n, 4, combined(bop, !yes, p));
        yes = holds(cmp, signed_double(in + 4, 1), signed_double(in + 6, 0));
        expect_word(&rig, text, n, 5, combined(bop, yes, in[14] & 1) ? one : 0);
    }
    sass_rig_close(&rig);
}

static void compares(void **state)
{
    (void)state;
    for (unsigned cmp = 0; cmp < 16; cmp++)
        for (unsigned bop = 0; bop < 3; bop++)
            check_compare(cmp, bop, (cmp + bop) % 2, (cmp / 2 + bop) % 2, (cmp / 4 + bop) % 2);
}

/* The second result reads the predicate that the first one replaces. */
static void predicates_overlap(void **state)
{
    (void)state;
    sass_rig_open(&rig, "MOV32I R239, 0x1;\nISETP.NE.AND P0, PT, RZ, RZ, PT;\nFSETP.T.OR P0, P1, R8, R9, P0;\n"
                        "SEL R0, R239, RZ, P0;\nSEL R1, R239, RZ, P1;");
    sass_rig_run(&rig);
    expect_word(&rig, "FSETP", 0, 0, 1);
    expect_word(&rig, "FSETP", 0, 1, 0);
    sass_rig_close(&rig);
}

static void selects(void **state)
{
    (void)state;
    for (unsigned cmp = 0; cmp < 16; cmp++) {
        char text[128];
        snprintf(text, sizeof text, "FCMP%s%s R0, R8, R9, R10;", cmp == 4 ? "" : cmp_texts[cmp], cmp % 2 ? ".FTZ" : "");
        sass_rig_open(&rig, text);
        fill_floats(&rig);
        sass_rig_run(&rig);
        for (unsigned n = 0; n < SASS_CASES; n++)
            expect_word(&rig, text, n, 0, rig.in[n][!holds(cmp, flush(float_of(rig.in[n][2]), cmp % 2), 0)]);
        sass_rig_close(&rig);
    }
}

/* A NaN loses, -0 < +0 (PTX ISA, min, max). */
static float lesser(float a, float b, bool greater)
{
    if (isnan(a) || isnan(b))
        return isnan(a) ? b : a;
    if (a == b)
        return (signbit(a) != 0) != greater ? a : b;
    return (a < b) != greater ? a : b;
}

static void minimum_and_maximum(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        static const char *const which[] = {"PT", "!PT", "P3"};
        char text[256];
        snprintf(text, sizeof text, RANDOM_PREDICATE "FMNMX%s R0, -R8, |R9|, %s;\nDMNMX R2, R12, -R14, %s;",
                 i < 3 ? "" : ".FTZ", which[i % 3], which[i % 3]);
        sass_rig_open(&rig, text);
        fill_doubles(&rig);
        for (unsigned n = 0; n < SASS_CASES; n++)
            rig.in[n][0] = random_f32(), rig.in[n][1] = random_f32();
        sass_rig_run(&rig);
        for (unsigned n = 0; n < SASS_CASES; n++) {
            const uint32_t *in = rig.in[n];
            bool greater = i % 3 == 1 || (i % 3 == 2 && !(in[14] & 1));
            float r = lesser(flush(signed_float(in[0], 1), i >= 3), flush(signed_float(in[1], 2), i >= 3), greater);
            expect_word(&rig, text, n, 0, isnan(r) ? 0x7fffffff : bits_of(r));
            double x = signed_double(in + 4, 0), y = signed_double(in + 6, 1), m;
            m = isnan(x)             ? y
                : isnan(y)           ? x
                : x == y             ? ((signbit(x) != 0) != greater ? x : y)
                : (x < y) != greater ? x
                                     : y;
            memcpy(rig.out[n], rig.out[n] + 2, 8);
            expect_double(text, n, m);
        }
        sass_rig_close(&rig);
    }
}

/* Z: the result is zero; S: it is below zero. */
static void condition_codes(void **state)
{
    (void)state;
    sass_rig_open(
        &rig, "MOV32I R239, 0x1;\nFADD RZ.CC, R8, -R9;\nCSETP.EQ.AND P0, P1, CC, PT;\nCSETP.LT.AND P2, PT, CC, PT;\n"
              "SEL R0, R239, RZ, P0;\nSEL R1, R239, RZ, P1;\nSEL R2, R239, RZ, P2;\n"
              "FSET.LT.AND RZ.CC, R8, R9, PT;\nCSETP.EQ.AND P0, PT, CC, PT;\nSEL R3, R239, RZ, P0;");
    fill_floats(&rig);
    for (unsigned n = 0; n < SASS_CASES; n += 3)
        rig.in[n][1] = rig.in[n][0];
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        volatile float a = float_of(rig.in[n][0]), b = float_of(rig.in[n][1]), r = a - b;
        expect_word(&rig, "FADD.CC", n, 0, r == 0);
        expect_word(&rig, "FADD.CC", n, 1, r != 0);
        expect_word(&rig, "FADD.CC", n, 2, r < 0);
        expect_word(&rig, "FSET.CC", n, 3, !(a < b));
    }
    sass_rig_close(&rig);
}

/* ---- special functions -------------------------------------------------------------------------------------- */

/* Bits of the functions that PTX's .approx forms have (engine/meaning/interpolate.h; tests/hw compares those with what
 * hardware gives). MUFU is the .ftz form. */
static uint32_t clamped(uint32_t bits)
{
    float x = float_of(bits);
    return isnan(x) || x <= 0 ? 0 : x < 1 ? bits : 0x3f800000;
}

static void functions(void **state)
{
    (void)state;
    sass_rig_open(&rig,
                  "RRO.SINCOS R0, R8;\nMUFU.SIN R0, R0;\nMUFU.COS R1, R8;\nRRO.EX2 R2, -R8;\nMUFU.EX2 R2, R2;\n"
                  "MUFU.LG2 R3, |R8|;\nMUFU.RCP R4, R8;\nMUFU.RSQ R5, R8;\nMUFU.RCP.SAT R6, R8;\nRRO.EX2 R7, -|R9|;");
    fill_floats(&rig);
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        uint32_t x = rig.in[n][0];
        expect_word(&rig, "sin", n, 0, interpolated_sin(x));
        expect_word(&rig, "cos", n, 1, interpolated_cos(x));
        expect_word(&rig, "ex2", n, 2, interpolated_ex2(x ^ 0x80000000, true));
        expect_word(&rig, "lg2", n, 3, interpolated_lg2(x & 0x7fffffff, true));
        expect_word(&rig, "rcp", n, 4, interpolated_rcp(x, true));
        expect_word(&rig, "rsq", n, 5, interpolated_rsqrt(x, true));
        expect_word(&rig, "rcp.sat", n, 6, clamped(interpolated_rcp(x, true)));
        expect_word(&rig, "rro", n, 7, rig.in[n][1] | 0x80000000);
    }
    sass_rig_close(&rig);
}

/* SM 5.2 brought it. */
static void square_root(void **state)
{
    (void)state;
    sass_rig_open(&rig, "MUFU.SQRT R0, R8;\nMUFU.SQRT.SAT R1, |R8|;");
    fill_floats(&rig);
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        uint32_t x = rig.in[n][0];
        expect_word(&rig, "sqrt", n, 0, interpolated_sqrt(x, true));
        expect_word(&rig, "sqrt.sat", n, 1, clamped(interpolated_sqrt(x & 0x7fffffff, true)));
    }
    sass_rig_close(&rig);
}

static void functions_of_doubles(void **state)
{
    (void)state;
    sass_rig_open(&rig, "MUFU.RCP64H R1, R9;\nMUFU.RSQ64H R3, |R9|;");
    fill_doubles(&rig);
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        uint64_t x = (uint64_t)rig.in[n][1] << 32;
        expect_word(&rig, "rcp64h", n, 1, (uint32_t)(rcp_high(x) >> 32));
        expect_word(&rig, "rsq64h", n, 3, (uint32_t)(rsqrt_high(x & INT64_MAX) >> 32));
    }
    sass_rig_close(&rig);
}

/* FCHK must ask for the slow path wherever the fast path's steps, done here, miss the quotient. */
static void division_check(void **state)
{
    unsigned slow = 0;
    (void)state;
    sass_rig_open(&rig, "FCHK.DIVIDE P0, R8, R9;\nMOV32I R239, 0x1;\nSEL R0, R239, RZ, P0;");
    fill_floats(&rig);
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        float a = float_of(rig.in[n][0]), b = float_of(rig.in[n][1]), r = 1 / b, q;
        r = fmaf(r, fmaf(-b, r, 1), r);
        q = fmaf(a, r, 0);
        q = fmaf(r, fmaf(-b, q, a), q);
        q = fmaf(r, fmaf(-b, q, a), q);
        slow += rig.out[n][0];
        if (!rig.out[n][0] && bits_of(q) != bits_of(a / b))
            fail_msg("case %u: %a / %a", n, a, b);
    }
    assert_in_range(slow, 1, SASS_CASES - 1);
    sass_rig_close(&rig);
}

/* Letters: lane 3 first, the sign of a and of b; Z: a is left out. */
static void quads(void **state)
{
    static const char signs[4][2] = {{'P', 'N'}, {'Z', 'P'}, {'N', 'P'}, {'P', 'P'}}; /* lanes 0-3 */
    struct variant v = {FE_DOWNWARD, true, false, false};
    (void)state;
    sass_rig_open(&rig, "FSWZADD.FTZ.RM R0, R8, R9, PPNPZPPN;");
    fill_floats(&rig);
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        const char *s = signs[n % 4];
        float a = float_of(rig.in[n][0]), b = float_of(rig.in[n][1]);
        a = s[0] == 'Z' ? 0 : s[0] == 'N' ? -a : a;
        expect_word(&rig, "FSWZADD", n, 0, compute('+', a, s[1] == 'N' ? -b : b, 0, v));
    }
    sass_rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds),
        cmocka_unit_test(multiplies),
        cmocka_unit_test(scales),
        cmocka_unit_test(immediates),
        cmocka_unit_test(doubles),
        cmocka_unit_test(compares),
        cmocka_unit_test(predicates_overlap),
        cmocka_unit_test(selects),
        cmocka_unit_test(minimum_and_maximum),
        cmocka_unit_test(condition_codes),
        cmocka_unit_test(functions),
        cmocka_unit_test(square_root),
        cmocka_unit_test(functions_of_doubles),
        cmocka_unit_test(division_check),
        cmocka_unit_test(quads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

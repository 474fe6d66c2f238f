/* Maxwell's conversions F2F F2I I2F I2I, run from their text in every format, rounding and part of a register, and
 * compared with formulas written here on integers of 128 bits and long double. */
#include "sass_floats.h"

#include <math.h>

static struct sass_rig rig;

/* ---- formats ------------------------------------------------------------------------------------------------ */

static long double half_value(uint16_t h)
{
    int m = h & 0x3ff, e = h >> 10 & 31;
    long double x = e == 31 ? (m ? NAN : INFINITY) : e ? ldexpl(m + 1024, e - 25) : ldexpl(m, -24);
    return h & 0x8000 ? -x : x;
}

/* In the rounding mode that is set. */
static uint16_t half_bits(long double x)
{
    uint16_t sign = signbit(x) ? 0x8000 : 0;
    int e;
    if (isnan(x))
        return 0x7fff;
    if (isinf(x))
        return sign | 0x7c00;
    frexpl(x, &e);
    e = e - 1 < -14 ? -14 : e - 1;
    volatile long double unit = ldexpl(1, e - 10), steps = x / unit, rounded = rintl(steps);
    long double r = fabsl(rounded * unit);
    if (r >= 65536) {
        bool infinite = fegetround() == FE_TONEAREST || fegetround() == (sign ? FE_DOWNWARD : FE_UPWARD);
        return sign | (infinite ? 0x7c00 : 0x7bff);
    }
    frexpl(r, &e);
    if (r == 0 || e - 1 < -14)
        return sign | (uint16_t)ldexpl(r, 24);
    return sign | (uint16_t)(((uint32_t)(e - 1 + 15) << 10) + (uint32_t)ldexpl(r, 11 - e) - 1024);
}

static const char *const float_names[] = {NULL, ".F16", ".F32", ".F64"};

static long double signed_value(long double x, unsigned signs)
{
    x = signs & 2 ? fabsl(x) : x;
    return signs & 1 ? -x : x;
}

/* The inputs: R8, R9 an f64; R10 an f32; R11 two f16; R12, R13 a 64-bit integer. */
static long double source_value(const uint32_t *in, unsigned format, bool upper, bool ftz)
{
    long double x = format == 1   ? half_value((uint16_t)(upper ? in[3] >> 16 : in[3]))
                    : format == 2 ? (long double)float_of(in[2])
                                  : (long double)double_of(in[0] | (uint64_t)in[1] << 32);
    return ftz && format == 2 && fabsl(x) < 0x1p-126L ? copysignl(0, x) : x;
}

static const char *const source_names[] = {NULL, "R11", "R10", "R8"};
static const char *const sign_texts[] = {"%s%s", "-%s%s", "|%s%s|", "-|%s%s|"};

static void source_text(char out[24], const char *name, const char *part, unsigned signs)
{
    snprintf(out, 24, sign_texts[signs], name, part);
}

static void fill(void)
{
    fill_doubles(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        uint64_t i = random_word() >> random_word() % 64;
        rig.in[n][2] = random_f32();
        rig.in[n][3] = n % 3 ? (uint32_t)random_word() : (uint32_t)(random_word() & 0x83ff83ff) | 0x7c000001;
        i = n % 7 == 0 ? UINT64_C(0x8000000080008080) : n % 2 ? 0 - i : i;
        rig.in[n][4] = (uint32_t)i;
        rig.in[n][5] = (uint32_t)(i >> 32);
    }
}

/* x in a format under the set rounding: bits of R0, R1. */
static uint64_t encode(unsigned format, long double x, bool ftz, bool sat)
{
    if (sat)
        x = x > 0 ? x < 1 ? x : 1 : 0;
    if (format == 1)
        return half_bits(x);
    if (format == 3) {
        volatile double d = (double)x;
        return isnan(x) ? UINT64_MAX : double_bits(d);
    }
    volatile float f = (float)x;
    if (isnan(x))
        return 0x7fffffff;
    return ftz && fabsf(f) < 0x1p-126f ? bits_of(copysignf(0, f)) : bits_of(f);
}

static void expect_float(const char *text, unsigned n, unsigned format, uint64_t want)
{
    uint64_t high = (uint64_t)rig.out[n][1] << 32, got = rig.out[n][0] | high;
    if (format == 3 && want == UINT64_MAX ? !isnan(double_of(got)) : got != want)
        fail_msg("%s: case %u (%08x %08x %08x %08x, %08x%08x): %016llx, not %016llx", text, n, rig.in[n][0],
                 rig.in[n][1], rig.in[n][2], rig.in[n][3], rig.in[n][5], rig.in[n][4], (unsigned long long)got,
                 (unsigned long long)want);
}

/* ---- F2F ---------------------------------------------------------------------------------------------------- */

/* An f64 that is a NaN keeps its sign, whatever the operand's is to be, and the top of its payload. */
static uint64_t cut_nan(unsigned to, const uint32_t *in)
{
    uint32_t sign = in[1] >> 31;
    if (to == 1)
        return sign << 15 | 0x7e00 | (in[1] >> 10 & 0x1ff);
    return sign << 31 | 0x7fc00000 | (in[1] & 0x7ffff) << 3 | in[0] >> 29;
}

static void check_f2f(unsigned to, unsigned from, unsigned round, unsigned signs, bool ftz, bool sat, bool upper)
{
    char text[128], source[24];
    source_text(source, source_names[from], upper && from == 1 ? ".H1" : "", signs);
    snprintf(text, sizeof text, "F2F%s%s%s%s%s R0, %s;", ftz ? ".FTZ" : "", float_names[to], float_names[from],
             round_texts[round], sat ? ".SAT" : "", source);
    sass_rig_open(&rig, text);
    fill();
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        long double x = signed_value(source_value(rig.in[n], from, upper, ftz), signs);
        fesetround(round_modes[round]);
        uint64_t want = from == 3 && isnan(x) && !sat ? cut_nan(to, rig.in[n]) : encode(to, x, ftz, sat);
        fesetround(FE_TONEAREST);
        expect_float(text, n, to, want);
    }
    sass_rig_close(&rig);
}

static void floats_to_floats(void **state)
{
    (void)state;
    for (unsigned to = 1; to < 4; to++)
        for (unsigned from = 1; from < 4; from++)
            for (unsigned i = 0; i < 8 && to != from; i++)
                check_f2f(to, from, i % 4, (i + to) % 4, i / 2 % 2 && (to == 2 || from == 2), i / 4, (i + from) % 2);
}

static void rounding_to_integers(void **state)
{
    static const char *const names[] = {"", ".ROUND", ".FLOOR", ".CEIL", ".TRUNC", ".PASS"};
    static const int modes[] = {FE_TONEAREST, FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO, FE_TONEAREST};
    (void)state;
    for (unsigned i = 0; i < 36; i++) {
        unsigned format = 1 + i % 3, kind = i / 3 % 6, signs = i % 4;
        bool ftz = i / 18 && format == 2, upper = i / 18;
        char text[128], source[24];
        source_text(source, source_names[format], upper && format == 1 ? ".H1" : "", signs);
        snprintf(text, sizeof text, "F2F%s%s%s%s R0, %s;", ftz ? ".FTZ" : "", float_names[format], float_names[format],
                 names[kind], source);
        sass_rig_open(&rig, text);
        fill();
        sass_rig_run(&rig);
        for (unsigned n = 0; n < SASS_CASES; n++) {
            volatile long double x = signed_value(source_value(rig.in[n], format, upper, ftz), signs);
            fesetround(modes[kind]);
            x = kind % 5 ? rintl(x) : x;
            fesetround(FE_TONEAREST);
            expect_float(text, n, format, encode(format, x, ftz, false));
        }
        sass_rig_close(&rig);
    }
}

/* ---- F2I ---------------------------------------------------------------------------------------------------- */

/* NaN: 0, or 2^(bits - 1) where a side has 64 bits. */
static uint64_t to_integer(long double x, unsigned bits, bool is_signed, bool wide)
{
    long double least = is_signed ? -ldexpl(1, (int)bits - 1) : 0, most = ldexpl(1, (int)bits - is_signed);
    if (isnan(x))
        return wide ? UINT64_C(1) << (bits - 1) : 0;
    if (x < least)
        return is_signed ? UINT64_MAX << (bits - 1) : 0;
    if (x >= most)
        return UINT64_MAX >> (64 - bits + is_signed);
    return x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x;
}

static void floats_to_integers(void **state)
{
    static const char *const names[] = {".U16", ".U32", ".U64", ".S16", ".S32", ".S64"};
    static const char *const rounds[] = {"", ".FLOOR", ".CEIL", ".TRUNC"};
    (void)state;
    for (unsigned i = 0; i < 6 * 3 * 4; i++) {
        unsigned to = i % 6, from = 1 + i / 6 % 3, round = i / 18, signs = (i + i / 6) % 4, bits = 16u << to % 3;
        bool ftz = i % 5 == 0, is_signed = to >= 3, upper = i % 2;
        char text[128], source[24];
        source_text(source, source_names[from], upper && from == 1 ? ".H1" : "", signs);
        snprintf(text, sizeof text, "F2I%s%s%s%s R0, %s;", ftz ? ".FTZ" : "", names[to], float_names[from],
                 rounds[round], source);
        sass_rig_open(&rig, text);
        fill();
        sass_rig_run(&rig);
        for (unsigned n = 0; n < SASS_CASES; n++) {
            volatile long double x = signed_value(source_value(rig.in[n], from, upper, ftz), signs);
            static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
            fesetround(modes[round]);
            x = rintl(x);
            fesetround(FE_TONEAREST);
            uint64_t want = to_integer(x, bits, is_signed, bits == 64 || from == 3);
            if (bits == 16)
                want = is_signed ? (uint64_t)(int16_t)want : (uint16_t)want;
            if (bits < 64)
                want &= UINT32_MAX;
            expect_float(text, n, 0, want);
        }
        sass_rig_close(&rig);
    }
}

/* ---- I2F, I2I ----------------------------------------------------------------------------------------------- */

static const char *const integer_names[] = {".U8", ".U16", ".U32", ".U64", ".S8", ".S16", ".S32", ".S64"};

/* The value of a part of R12, R13. */
static __int128 integer_value(const uint32_t *in, unsigned size, bool is_signed, unsigned part)
{
    uint64_t whole = in[4] | (uint64_t)in[5] << 32;
    switch (size) {
    case 0:
        return is_signed ? (int8_t)(whole >> 8 * part) : (uint8_t)(whole >> 8 * part);
    case 1:
        return is_signed ? (int16_t)(whole >> 8 * part) : (uint16_t)(whole >> 8 * part);
    case 2:
        return is_signed ? (__int128)(int32_t)whole : (__int128)(uint32_t)whole;
    default:
        return is_signed ? (__int128)(int64_t)whole : (__int128)whole;
    }
}

static __int128 signed_integer(__int128 x, unsigned signs)
{
    x = signs & 2 && x < 0 ? -x : x;
    return signs & 1 ? -x : x;
}

static const char *part_text(unsigned size, unsigned *part)
{
    static const char *const bytes[] = {"", ".B1", ".B2", ".B3"};
    *part = size == 0 ? *part : size == 1 ? *part & 2 : 0;
    return size == 1 && *part ? ".H1" : bytes[*part];
}

static void integers_to_floats(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 8 * 3 * 4; i++) {
        unsigned from = i % 8, to = 1 + i / 8 % 3, round = i / 24, signs = (i + i / 8) % 4, part = (i + i / 8) % 4;
        char text[128], source[24];
        const char *suffix = part_text(from % 4, &part);
        source_text(source, "R12", suffix, signs);
        snprintf(text, sizeof text, "I2F%s%s%s R0, %s;", float_names[to], integer_names[from], round_texts[round],
                 source);
        sass_rig_open(&rig, text);
        fill();
        sass_rig_run(&rig);
        for (unsigned n = 0; n < SASS_CASES; n++) {
            long double x = (long double)signed_integer(integer_value(rig.in[n], from % 4, from >= 4, part), signs);
            fesetround(round_modes[round]);
            uint64_t want = encode(to, x, false, false);
            fesetround(FE_TONEAREST);
            expect_float(text, n, to, want);
        }
        sass_rig_close(&rig);
    }
}

/* Narrow values without .SAT leave zeros above them. */
static uint32_t cut(__int128 x, unsigned size, bool is_signed, bool sat)
{
    __int128 least = is_signed ? -((__int128)1 << ((8 << size) - 1)) : 0;
    __int128 most = ((__int128)1 << ((8 << size) - is_signed)) - 1;
    if (sat)
        x = x < least ? least : x > most ? most : x;
    uint32_t word = (uint32_t)x;
    if (size == 0)
        return is_signed && sat ? (uint32_t)(int8_t)word : (uint8_t)word;
    if (size == 1)
        return is_signed && sat ? (uint32_t)(int16_t)word : (uint16_t)word;
    return word;
}

static void integers_to_integers(void **state)
{
    static const unsigned formats[] = {0, 1, 2, 4, 5, 6};
    (void)state;
    for (unsigned i = 0; i < 6 * 6 * 4; i++) {
        unsigned from = formats[i % 6], to = formats[i / 6 % 6], signs = (i + i / 36) % 4, part = i % 4;
        bool sat = i / 36 % 2;
        char text[256], source[24];
        const char *suffix = part_text(from % 4, &part);
        source_text(source, "R12", suffix, signs);
        snprintf(text, sizeof text,
                 "I2I%s%s%s R0.CC, %s;\nMOV32I R239, 0x1;\nCSETP.EQ.AND P0, PT, CC, PT;\n"
                 "CSETP.SFT.AND P1, PT, CC, PT;\nSEL R1, R239, RZ, P0;\nSEL R2, R239, RZ, P1;",
                 integer_names[to], integer_names[from], sat ? ".SAT" : "", source);
        sass_rig_open(&rig, text);
        fill();
        sass_rig_run(&rig);
        for (unsigned n = 0; n < SASS_CASES; n++) {
            __int128 x = signed_integer(integer_value(rig.in[n], from % 4, from >= 4, part), signs);
            uint32_t want = cut(x, to % 4, to >= 4, sat);
            expect_word(&rig, text, n, 0, want);
            expect_word(&rig, text, n, 1, want == 0);
            expect_word(&rig, text, n, 2, want >> 31);
        }
        sass_rig_close(&rig);
    }
}

/* What was measured, and what ptxas 11.8 counts on: I2I.S16.S8 is stored as it is for cvt.u32.u16 of cvt.s16.s8,
 * F2I.S16 for cvt.s32.s16 of cvt.rni.s16.f32. */
static void narrow_integers(void **state)
{
    (void)state;
    sass_rig_open(&rig, "MOV32I R16, 0x7fda;\nI2I.S8.S32 R0, R16;\nI2I.S16.S8 R1, R16;\nI2I.S8.S8.SAT R2, R16;\n"
                        "I2I.S8.S8 R3, R16;\nF2I.S16.F32 R4, -2.5;\nI2I.S16.S16 R5, -R16;\nI2I.S8.S32.SAT R6, -R16;\n"
                        "I2I.S32.S8 R7, R16;");
    sass_rig_run(&rig);
    expect_word(&rig, "I2I.S8.S32", 0, 0, 0xda);
    expect_word(&rig, "I2I.S16.S8", 0, 1, 0xffda);
    expect_word(&rig, "I2I.S8.S8.SAT", 0, 2, 0xffffffda);
    expect_word(&rig, "I2I.S8.S8", 0, 3, 0xda);
    expect_word(&rig, "F2I.S16.F32", 0, 4, 0xfffffffe);
    expect_word(&rig, "I2I.S16.S16", 0, 5, 0x8026);
    expect_word(&rig, "I2I.S8.S32.SAT", 0, 6, 0xffffff80);
    expect_word(&rig, "I2I.S32.S8", 0, 7, 0xffffffda);
    sass_rig_close(&rig);
}

static void immediates(void **state)
{
    (void)state;
    sass_rig_open(&rig,
                  "I2F.F32.S32 R0, -0x7;\nF2I.S32.F32.TRUNC R1, -2.5;\nF2F.F16.F32 R2, 1.5;\nI2I.S32.U8 R3, 0x1ff;\n"
                  "F2F.F64.F32 R4, -2;\nI2F.F32.U32.RP R6, c[0x0] [0x8];");
    sass_rig_run(&rig);
    expect_word(&rig, "I2F", 0, 0, bits_of(-7));
    expect_word(&rig, "F2I", 0, 1, (uint32_t)-2);
    expect_word(&rig, "F2F", 0, 2, 0x3e00);
    expect_word(&rig, "I2I", 0, 3, 0xff);
    expect_word(&rig, "F2F", 0, 5, 0xc0000000);
    expect_word(&rig, "I2F", 0, 6, bits_of(32));
    sass_rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_to_floats),     cmocka_unit_test(rounding_to_integers),
        cmocka_unit_test(floats_to_integers),   cmocka_unit_test(integers_to_floats),
        cmocka_unit_test(integers_to_integers), cmocka_unit_test(narrow_integers),
        cmocka_unit_test(immediates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

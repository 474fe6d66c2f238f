/* Maxwell's video instructions, run from their text and compared with the formulas of PTX's scalar video instructions
 * (PTX ISA, "Scalar Video Instructions") on integers of 128 bits. */
#include "sass_floats.h"

static struct sass_rig rig;

typedef __int128 wide;

/* ---- the PTX ISA's parts ---------------------------------------------------------------------------------------- */

/* The types and parts of a source that the instructions can name. */
static const struct source {
    const char *type, *part;
    unsigned bits, at;
    bool is_signed;
} sources[] = {
    {".U8", "", 8, 0, false},    {".U8", ".B1", 8, 8, false},   {".U8", ".B3", 8, 24, false},
    {".S8", ".B2", 8, 16, true}, {".U16", "", 16, 0, false},    {".U16", ".H1", 16, 16, false},
    {".S16", "", 16, 0, true},   {".S16", ".H1", 16, 16, true}, {".U32", "", 32, 0, false},
    {".S32", "", 32, 0, true},
};
enum { SOURCES = sizeof sources / sizeof sources[0], WORD = SOURCES - 1 };

static wide extended(uint32_t word, const struct source *s)
{
    wide x = word >> s->at & (uint32_t)((UINT64_C(1) << s->bits) - 1);
    return s->is_signed && x >> (s->bits - 1) ? x - ((wide)1 << s->bits) : x;
}

static const char *const vop_texts[] = {".MRG_16H", ".MRG_16L", ".MRG_8B0", ".MRG_8B2", ".ACC", ".MIN", ".MAX", ""};

static wide clamped(wide x, unsigned bits, bool is_signed)
{
    wide least = is_signed ? -((wide)1 << (bits - 1)) : 0, most = ((wide)1 << (bits - is_signed)) - 1;
    return x < least ? least : x > most ? most : x;
}

static uint32_t inserted(uint32_t c, uint32_t x, unsigned at, unsigned bits)
{
    uint32_t mask = ((UINT32_C(1) << bits) - 1) << at;
    return (c & ~mask) | (x << at & mask);
}

static uint32_t completed(wide tmp, uint32_t c, unsigned vop, bool sat, bool is_signed)
{
    uint32_t x = (uint32_t)(sat ? clamped(tmp, vop < 2 ? 16 : vop < 4 ? 8 : 32, is_signed) : tmp);
    bool less = is_signed ? (int32_t)x < (int32_t)c : x < c;
    switch (vop) {
    case 0:
        return inserted(c, x, 16, 16);
    case 1:
        return inserted(c, x, 0, 16);
    case 2:
        return inserted(c, x, 0, 8);
    case 3:
        return inserted(c, x, 16, 8);
    case 4:
        return x + c;
    case 5:
        return less ? x : c;
    case 6:
        return less ? c : x;
    default:
        return x;
    }
}

static void fill(void)
{
    static const uint32_t edges[] = {0,    1,      UINT32_MAX, 0x7fffffff, 0x80000000, 0x80,
                                     0x7f, 0x8000, 0x7fff,     0xff7f8080, 0x80007fff, 33};
    for (unsigned n = 0; n < SASS_CASES; n++)
        for (unsigned k = 0; k < SASS_INPUTS; k++)
            rig.in[n][k] =
                random_word() >> 40 & 1 ? (uint32_t)(random_word() >> 16) : edges[(random_word() >> 16) % 12];
}

/* ".U8.S16", or nothing for two signed words. */
static void type_text(char out[16], unsigned a, unsigned b)
{
    snprintf(out, 16, "%s%s", a == WORD && b == WORD ? "" : sources[a].type,
             a == WORD && b == WORD ? "" : sources[b].type);
}

/* ---- sums, differences, minimum ---------------------------------------------------------------------------------- */

static void check_sums(unsigned a, unsigned b, unsigned vop, bool sat, bool is_signed)
{
    char text[768], types[16];
    const char *s = sat ? ".SAT" : "", *v = vop_texts[vop], *ud = is_signed ? "" : ".UD", *pa = sources[a].part,
               *pb = sources[b].part;
    type_text(types, a, b);
    snprintf(
        text, sizeof text,
        "VADD%s%s%s%s R0, R8%s, R9%s, R10;\nVADD%s%s%s%s R1, R8%s, -R9%s, R10;\nVADD%s%s%s%s R2, -R8%s, R9%s, R10;\n"
        "VADD%s%s.PO%s%s R3, R8%s, R9%s, R10;\nVABSDIFF%s%s%s%s R4, R8%s, R9%s, R10;\n"
        "VMNMX%s%s%s%s R5, R8%s, R9%s, R10;\nVMNMX%s%s.MX%s%s R6, R8%s, R9%s, R10;",
        ud, types, s, v, pa, pb, ud, types, s, v, pa, pb, ud, types, s, v, pa, pb, ud, types, s, v, pa, pb,
        is_signed ? ".SD" : "", types, s, v, pa, pb, ud, types, s, v, pa, pb, ud, types, s, v, pa, pb);
    sass_rig_open(&rig, text);
    fill();
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        const uint32_t *in = rig.in[n];
        wide x = extended(in[0], &sources[a]), y = extended(in[1], &sources[b]);
        wide results[] = {x + y, x - y, y - x, x + y + 1, x < y ? y - x : x - y, x < y ? x : y, x < y ? y : x};
        for (unsigned k = 0; k < 7; k++)
            expect_word(&rig, text, n, k, completed(results[k], in[2], vop, sat, is_signed));
    }
    sass_rig_close(&rig);
}

static void sums(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SOURCES * SOURCES; i++)
        check_sums(i % SOURCES, i / SOURCES, (i + i / 8) % 8, i / 3 % 2, i / 5 % 2);
}

/* ---- shifts, comparison ----------------------------------------------------------------------------------- */

static void check_shifts(unsigned a, unsigned b, unsigned vop, bool sat, bool is_signed, bool wrap)
{
    char text[512];
    const char *s = sat ? ".SAT" : "", *v = vop_texts[vop], *ud = is_signed ? "" : ".UD", *w = wrap ? ".W" : "";
    bool bare = a == WORD && strcmp(sources[b].type, ".U32") == 0; /* then the types are not written */
    const char *ta = bare ? "" : sources[a].type, *tb = bare ? "" : sources[b].type;
    snprintf(text, sizeof text, "VSHL%s%s%s%s%s%s R0, R8%s, R9%s, R10;\nVSHR%s%s%s%s%s%s R1, R8%s, R9%s, R10;", ud, ta,
             tb, w, s, v, sources[a].part, sources[b].part, ud, ta, tb, w, s, v, sources[a].part, sources[b].part);
    sass_rig_open(&rig, text);
    fill();
    for (unsigned n = 0; n < SASS_CASES; n += 2)
        rig.in[n][1] = (uint32_t)(random_word() >> 16) & 0x3f3f3f3f;
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        const uint32_t *in = rig.in[n];
        wide x = extended(in[0], &sources[a]), y = extended(in[1], &sources[b]);
        unsigned amount = wrap ? (unsigned)y & 31 : y > 32 ? 32 : (unsigned)y;
        expect_word(&rig, text, n, 0, completed(x * ((wide)1 << amount), in[2], vop, sat, is_signed));
        expect_word(&rig, text, n, 1, completed(x >> amount, in[2], vop, sat, is_signed));
    }
    sass_rig_close(&rig);
}

static void shifts(void **state)
{
    static const unsigned amounts[] = {0, 1, 2, 4, 5, 8};
    (void)state;
    for (unsigned i = 0; i < SOURCES * 6; i++)
        check_shifts(i % SOURCES, amounts[i / SOURCES], (i + i / 8) % 8, i / 3 % 2, i / 5 % 2, i / 2 % 2);
}

static bool holds(unsigned code, wide a, wide b)
{
    return code >> (a < b ? 0 : a == b ? 1 : 2) & 1;
}

static void compares(void **state)
{
    static const char *const cmps[] = {".F", ".LT", ".EQ", ".LE", ".GT", ".NE", ".GE", ".T"};
    static const char *const bops[] = {".AND", ".OR", ".XOR"};
    (void)state;
    for (unsigned i = 0; i < 80; i++) {
        unsigned cmp = i % 8, vop = (i + i / 8) % 8, a = i % SOURCES, b = i / 8, bop = i % 3;
        char text[512], types[16];
        type_text(types, a, b);
        snprintf(text, sizeof text,
                 "VSET%s%s%s R0, R8%s, R9%s, R10;\nMOV32I R239, 0x1;\nLOP32I.AND R22, R22, 0x1;\n"
                 "ISETP.NE.AND P3, PT, R22, RZ, PT;\nVSETP%s%s%s P0, P1, R8%s, R9%s, P3;\nSEL R1, R239, RZ, P0;\n"
                 "SEL R2, R239, RZ, P1;",
                 cmps[cmp], types, vop_texts[vop], sources[a].part, sources[b].part, cmps[cmp], types, bops[bop],
                 sources[a].part, sources[b].part);
        sass_rig_open(&rig, text);
        fill();
        for (unsigned n = 0; n < SASS_CASES; n += 3)
            rig.in[n][1] = rig.in[n][0];
        sass_rig_run(&rig);
        for (unsigned n = 0; n < SASS_CASES; n++) {
            const uint32_t *in = rig.in[n];
            bool t = holds(cmp, extended(in[0], &sources[a]), extended(in[1], &sources[b])), p = in[14] & 1;
            expect_word(&rig, text, n, 0, completed(t, in[2], vop, false, false));
            expect_word(&rig, text, n, 1, bop == 0 ? t && p : bop == 1 ? t || p : t != p);
            expect_word(&rig, text, n, 2, bop == 0 ? !t && p : bop == 1 ? !t || p : !t != p);
        }
        sass_rig_close(&rig);
    }
}

/* ---- VMAD ------------------------------------------------------------------------------------------------- */

static void check_mad(unsigned a, unsigned b, unsigned scale, unsigned mode, bool sat)
{
    static const char *const scales[] = {"", ".SHR_7", ".SHR_15"};
    bool minus = mode == 1, minus_c = mode == 2, more = mode == 3;
    char text[256], types[16];
    type_text(types, a, b);
    snprintf(text, sizeof text, "VMAD%s%s%s%s R0, %sR8%s, R9%s, %sR10;", types, more ? ".PO" : "", scales[scale],
             sat ? ".SAT" : "", minus ? "-" : "", sources[a].part, sources[b].part, minus_c ? "-" : "");
    sass_rig_open(&rig, text);
    fill();
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        const uint32_t *in = rig.in[n];
        bool is_signed = sources[a].is_signed || sources[b].is_signed || minus || minus_c;
        wide x = extended(in[0], &sources[a]) * extended(in[1], &sources[b]);
        wide c = is_signed ? (wide)(int32_t)in[2] : (wide)in[2];
        x = (minus ? -x : x) + (minus_c ? -c : c) + more;
        x = x >> (scale == 0 ? 0 : scale == 1 ? 7 : 15);
        expect_word(&rig, text, n, 0, (uint32_t)(sat ? clamped(x, 32, is_signed) : x));
    }
    sass_rig_close(&rig);
}

static void products(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SOURCES * SOURCES; i++)
        check_mad(i % SOURCES, i / SOURCES, i % 3, i / 3 % 4, i / 2 % 2);
    for (unsigned i = 0; i < 24; i++) /* two unsigned words */
        check_mad(WORD - 1, WORD - 1, i % 3, i / 3 % 4, i / 12);
}

/* ---- VABSDIFF4, immediates, condition codes --------------------------------------------------------------- */

static void packed(void **state)
{
    static const struct {
        const char *text;
        uint32_t a, b;
    } choices[] = {{".0000", 0x0000, 0}, {"", 0x3210, 0x7654},      {".4321", 0x4321, 0x4321}, {".3012", 0x3012, 0},
                   {".2310", 0x2310, 0}, {".6543", 0x6543, 0x6543}, {".4567", 0, 0x4567},      {".7777", 0, 0x7777}};
    static const unsigned as[] = {0, 1, 2, 3, 4}, bs[] = {1, 2, 5, 6, 7};
    static const char *const types[] = {".U8.U8", ".S8.U8", ".U8.S8", ""}, *const lanes[] = {"", ".X", ".YZ", ".XYW"};
    static const unsigned masks[] = {15, 1, 6, 11};
    (void)state;
    for (unsigned i = 0; i < 64; i++) {
        unsigned a = as[i % 5], b = bs[i / 5 % 5], type = i % 4, mask = i / 4 % 4;
        bool sat = i / 2 % 2, sd = i / 8 % 2, acc = i / 3 % 2;
        char text[256];
        snprintf(text, sizeof text, "VABSDIFF4%s%s%s%s%s R0, R8%s, R9%s, R10;", sd ? ".SD" : "", types[type],
                 sat ? ".SAT" : "", acc ? ".ACC" : "", lanes[mask], choices[a].text, choices[b].text);
        sass_rig_open(&rig, text);
        fill();
        sass_rig_run(&rig);
        for (unsigned n = 0; n < SASS_CASES; n++) {
            const uint32_t *in = rig.in[n];
            uint32_t want = in[2];
            uint64_t both = in[0] | (uint64_t)in[1] << 32;
            for (unsigned k = 0; k < 4; k++) {
                uint8_t x = (uint8_t)(both >> 8 * (choices[a].a >> 4 * k & 7)),
                        y = (uint8_t)(both >> 8 * (choices[b].b >> 4 * k & 7));
                int d = (type & 1 ? (int8_t)x : x) - (type & 2 ? (int8_t)y : y);
                uint32_t difference = (uint32_t)(d < 0 ? -d : d);
                if (sat)
                    difference = (uint32_t)clamped(difference, 8, sd);
                if (masks[mask] >> k & 1)
                    want = acc ? want + difference : inserted(want, difference, 8 * k, 8);
            }
            expect_word(&rig, text, n, 0, want);
        }
        sass_rig_close(&rig);
    }
}

static void immediates(void **state)
{
    (void)state;
    sass_rig_open(&rig,
                  "VADD.U8.U16 R0, R8.B1, 0xffff, RZ;\nVADD.U8.S16 R1, R8.B1, 0xffff, RZ;\nVADD R2, R8, 0xfffe, R10;\n"
                  "VMAD.U16.S16 R3, R8, 0xfffd, R10;\nVSHL.U8.U16 R4, R8, 0x3, RZ;\n"
                  "VSHR.ACC R4, R8, 0xfff0, R4;\n"
                  "VADD.U32.U32.SAT R7.CC, R8, -R9, RZ;\nCSETP.EQ.AND P0, PT, CC, PT;\nMOV32I R239, 0x1;\n"
                  "SEL R5, R239, RZ, P0;\nVABSDIFF4.U8.S8 R6, R8, -0x3, R10;");
    fill();
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        const uint32_t *in = rig.in[n];
        uint32_t byte = in[0] >> 8 & 0xff;
        wide difference = clamped((wide)in[0] - (wide)in[1], 32, true);
        expect_word(&rig, "VADD.U16", n, 0, byte + 0xffff);
        expect_word(&rig, "VADD.S16", n, 1, byte - 1);
        expect_word(&rig, "VADD", n, 2, in[0] - 2);
        expect_word(&rig, "VMAD", n, 3, (in[0] & 0xffff) * (uint32_t)-3 + in[2]);
        expect_word(&rig, "VSHL", n, 4, ((in[0] & 0xff) << 3) - (in[0] >> 31));
        expect_word(&rig, "VABSDIFF4", n, 6, (in[0] & 0xffffff00) | ((in[0] + 3) & 0xff));
        expect_word(&rig, "VADD.CC", n, 5, difference == 0);
        expect_word(&rig, "VADD.CC", n, 7, (uint32_t)difference);
    }
    sass_rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums),     cmocka_unit_test(shifts), cmocka_unit_test(compares),
        cmocka_unit_test(products), cmocka_unit_test(packed), cmocka_unit_test(immediates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

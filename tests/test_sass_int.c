/* Maxwell's integer, logic, shift, move and predicate instructions, run from their text and compared with formulas
 * written here from their description (docs/maxwell.md, "Arithmetic"), for random and extreme operands. */
#include "sass_rig.h"

static struct sass_rig rig;

/* ---- operands and expectations --------------------------------------------------------------------------- */

static uint32_t noise(uint32_t *state)
{
    uint32_t x = *state * 747796405u + 2891336453u;
    *state = x;
    x = ((x >> ((x >> 28) + 4)) ^ x) * 277803737u;
    return (x >> 22) ^ x;
}

static void fill(uint32_t seed)
{
    static const uint32_t special[] = {0,      1,      2,      31,      32,         33,         63,         64,
                                       0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
    for (unsigned n = 0; n < SASS_CASES; n++)
        for (unsigned k = 0; k < SASS_INPUTS; k++) {
            uint32_t kind = noise(&seed) % 8, value = noise(&seed);
            rig.in[n][k] = kind == 0   ? special[value % 16]
                           : kind == 1 ? value % 80
                           : kind == 2 ? value | 0xffff0000u
                           : kind == 3 ? value & 0xffff
                                       : value;
            if (kind == 4 && k)
                rig.in[n][k] = rig.in[n][k - 1]; /* comparisons shall be equal now and then */
        }
}

typedef void formula(const uint32_t *r, uint32_t *w);

/* Runs the text; w[0..count) must be R0.. */
static void check(const char *text, unsigned count, formula *want)
{
    sass_rig_open(&rig, text);
    fill(count * 31 + (uint32_t)strlen(text));
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        uint32_t w[SASS_OUTPUTS] = {0};
        want(rig.in[n], w);
        for (unsigned k = 0; k < count; k++)
            if (rig.out[n][k] != w[k])
                fail_msg("%s: case %u: R%u is %08x, not %08x (R8 = %08x %08x %08x %08x %08x)", text, n, k,
                         rig.out[n][k], w[k], rig.in[n][0], rig.in[n][1], rig.in[n][2], rig.in[n][3], rig.in[n][4]);
    }
    sass_rig_close(&rig);
}

/* What the instruction under test is, for formulas that serve many. */
static unsigned v_sign, v_half, v_mode, v_cmp, v_bop, v_lut;
static bool v_psl, v_mrg, v_u32, v_x, v_w, v_right;

/* ---- sums ---------------------------------------------------------------------------------------------------- */

static int64_t s32(uint32_t x)
{
    return (int32_t)x;
}

/* Codes of a sum that may reach past 2^32: Z S C as P2R gives them. */
static uint32_t codes(uint64_t sum)
{
    return (uint32_t)((uint32_t)sum == 0) | (uint32_t)(sum >> 31 & 1) << 1 | (uint32_t)(sum >> 32 != 0) << 2;
}

static void iadds(const uint32_t *r, uint32_t *w)
{
    uint32_t a = r[0], b = r[1];
    int64_t sat = s32(a) + s32(b), less = s32(a) - s32(b);
    w[0] = a + b;
    w[1] = b - a;
    w[2] = a - b;
    w[3] = a + b + 1;
    w[4] = (uint32_t)(sat > INT32_MAX ? INT32_MAX : sat < INT32_MIN ? INT32_MIN : sat);
    w[5] = (uint32_t)(less > INT32_MAX ? INT32_MAX : less < INT32_MIN ? INT32_MIN : less);
    w[6] = a - 5;
    w[7] = 0x12345678 - a;
}

static void carries(const uint32_t *r, uint32_t *w)
{
    uint64_t sum = (uint64_t)r[0] + r[1], less = (uint64_t)r[0] + (uint32_t)~r[1] + 1;
    uint64_t next = (uint64_t)r[2] + r[3] + (sum >> 32), last = (uint64_t)r[2] + (uint32_t)~r[3] + (less >> 32);
    w[0] = (uint32_t)sum;
    w[1] = (uint32_t)next;
    w[2] = codes(next);
    w[3] = (uint32_t)less;
    w[4] = (uint32_t)last;
    w[5] = codes(last);
    w[6] = codes((uint64_t)r[0] + r[1] + 1);
}

static void overflows(const uint32_t *r, uint32_t *w)
{
    int64_t sum = s32(r[0]) + s32(r[1]), less = s32(r[0]) - s32(r[1]);
    w[0] = sum != (int32_t)sum ? 8 : 0;
    w[1] = less != (int32_t)less ? 8 : 0;
}

static void integer_sums(void **state)
{
    (void)state;
    check("IADD R0, R8, R9; IADD R1, -R8, R9; IADD R2, R8, -R9; IADD.PO R3, R8, R9; IADD.SAT R4, R8, R9;"
          "IADD.SAT R5, R8, -R9; IADD R6, R8, -0x5; IADD32I R7, -R8, 0x12345678;",
          8, iadds);
    check("IADD R0.CC, R8, R9; IADD.X R1.CC, R10, R11; P2R R2, CC, RZ, 0x7;"
          "IADD R3.CC, R8, -R9; IADD.X R4.CC, R10, -R11; P2R R5, CC, RZ, 0x7;"
          "IADD.PO RZ.CC, R8, R9; P2R R6, CC, RZ, 0x7;",
          7, carries);
    check("IADD RZ.CC, R8, R9; P2R R0, CC, RZ, 0x8; IADD RZ.CC, R8, -R9; P2R R1, CC, RZ, 0x8;", 2, overflows);
}

/* Two words that are added to c:b, and what a conversion makes of the pair: two words of an f64. */
static void both(uint64_t sum, uint32_t *w)
{
    double value = (double)sum;
    memcpy(w, &value, sizeof value);
    w[2] = (uint32_t)sum;
    w[3] = (uint32_t)(sum >> 32);
}

static uint64_t pair_of(const uint32_t *r)
{
    return r[1] | (uint64_t)r[2] << 32;
}

static void wide_u32(const uint32_t *r, uint32_t *w)
{
    both(((uint64_t)r[0] << 2) + pair_of(r), w);
}

static void wide_s32(const uint32_t *r, uint32_t *w)
{
    both(((uint64_t)s32(r[0]) << 3) + pair_of(r), w);
}

static void wide_plain(const uint32_t *r, uint32_t *w)
{
    both(r[0] + pair_of(r), w);
}

static void wide_other(const uint32_t *r, uint32_t *w)
{
    uint32_t low = r[0] + r[1], high = r[2] + (uint32_t)(((uint64_t)r[3] + r[3]) >> 32);
    both(low | (uint64_t)high << 32, w);
}

static void wide_twice(const uint32_t *r, uint32_t *w)
{
    both(((uint64_t)r[0] << 2 | r[0] >> 31) + pair_of(r), w);
}

/* src/isa/sass/lower_wide.c: what is one sum of 64 bits, and what looks like one. */
static void wide_sums(void **state)
{
#define SEEN "I2F.F64.U64 R0, R20; MOV R2, R20; MOV R3, R21;"
    (void)state;
    check("SHR.U32 R24, R8, 0x1e; ISCADD R20.CC, R8, R9, 0x2; IADD.X R21, R24, R10;" SEEN, 4, wide_u32);
    check("SHR.U32 R24, R8, 0x1e; SHL R20, R8, 0x2; IADD R20.CC, R9, R20; IADD.X R21, R10, R24;" SEEN, 4, wide_u32);
    check("SHR.U32 R21, R8, 0x1e; SHL R20, R8, 0x2; IADD R20.CC, R20, R9; IADD.X R21, R21, R10;" SEEN, 4, wide_u32);
    check("SHR R24, R8, 0x1d; SHL R25, R8, 0x3; IADD R20.CC, R9, R25; IADD.X R21, R10, R24;" SEEN, 4, wide_s32);
    check("IADD R20.CC, R8, R9; IADD.X R21, RZ, R10;" SEEN, 4, wide_plain);
    check("MOV R20, R9; IADD R20.CC, R20, R8; IADD.X R21, R10, RZ;" SEEN, 4, wide_plain);
    /* Changed meanwhile: the word itself, what its shifts gave, the other word, the carry; other numbers of bits. */
    check("MOV R26, R8; SHR.U32 R24, R26, 0x1e; SHL R25, R26, 0x2; IADD R26, R26, 0x7; IADD R20.CC, R25, R9;"
          "IADD.X R21, R24, R10;" SEEN,
          4, wide_u32);
    check("MOV R26, R8; SHL R25, R26, 0x2; IADD R20.CC, R25, R9; MOV R27, R26; MOV R26, R11; SHR.U32 R24, R27, 0x1e;"
          "IADD.X R21, R24, R10;" SEEN,
          4, wide_u32);
    check("MOV R26, R9; SHR.U32 R24, R8, 0x1e; SHL R25, R8, 0x2; IADD R20.CC, R25, R26; MOV R26, R11;"
          "IADD.X R21, R24, R10;" SEEN,
          4, wide_u32);
    check("IADD R20.CC, R8, R9; IADD RZ.CC, R11, R11; IADD.X R21, RZ, R10;" SEEN, 4, wide_other);
    check("SHL R24, R8, 0x2; SHR.U32 R25, R8, 0x1f; LOP.OR R24, R24, R25; SHR.U32 R26, R8, 0x1e;"
          "IADD R20.CC, R24, R9; IADD.X R21, R26, R10;" SEEN,
          4, wide_twice);
    check("MOV R26, R8; IADD R20.CC, R26, R9; MOV R26, R11; IADD.X R21, RZ, R10;" SEEN, 4, wide_plain);
#undef SEEN
}

static uint32_t half(uint32_t x, unsigned which) /* 0 all, 1 low, 2 high */
{
    return which == 0 ? x : which == 1 ? x & 0xffff : x >> 16;
}

static void iadd3(const uint32_t *r, uint32_t *w)
{
    uint64_t carry = v_x ? ((uint64_t)r[12] + r[13]) >> 32 : 0, terms[3];
    for (unsigned i = 0; i < 3; i++) {
        bool minus = v_sign >> i & 1;
        uint32_t x = half(r[i], v_half / (i == 0 ? 1 : i == 1 ? 3 : 9) % 3);
        terms[i] = (minus ? (uint32_t)~x : x) + (uint64_t)(minus && !v_x);
    }
    uint64_t first = terms[0] + terms[1], kept = first & ((UINT64_C(1) << 33) - 1);
    if (v_mode)
        first = v_mode == 1 ? kept >> 16 : (uint32_t)(kept << 16);
    uint64_t sum = first + terms[2] + carry;
    w[0] = (uint32_t)sum;
    w[1] = codes(sum);
}

static void check_iadd3(void)
{
    static const char *const halves[] = {"", ".H0", ".H1"}, *const modes[] = {"", ".RS", ".LS"};
    char text[300];
    snprintf(text, sizeof text, "IADD RZ.CC, R20, R21; IADD3%s%s R0.CC, %sR8%s, %sR9%s, %sR10%s; P2R R1, CC, RZ, 0x7;",
             modes[v_mode], v_x ? ".X" : "", v_sign & 1 ? "-" : "", halves[v_half % 3], v_sign & 2 ? "-" : "",
             halves[v_half / 3 % 3], v_sign & 4 ? "-" : "", halves[v_half / 9]);
    check(text, 2, iadd3);
}

static void three_sums(void **state)
{
    (void)state;
    v_mode = 0;
    for (v_sign = 0; v_sign < 8; v_sign++)
        for (unsigned x = 0; x < 2; x++) {
            v_x = x;
            v_half = v_sign * 5 % 27;
            check_iadd3();
            v_half = 0;
            check_iadd3();
        }
    for (v_mode = 1; v_mode < 3; v_mode++)
        for (v_half = 0; v_half < 27; v_half += 4)
            for (v_sign = 0; v_sign < 8; v_sign++) {
                v_x = (v_sign + v_half) % 3 == 0;
                check_iadd3();
            }
    v_x = false;
}

/* Three numbers of 64 bits: the lower sum may carry twice, which CC.C does not show. */
static void three_pairs(const uint32_t *r, uint32_t *w)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t pair = (uint64_t)r[3 + i] << 32 | r[i];
        sum = v_sign >> i & 1 ? sum - pair : sum + pair;
    }
    w[0] = (uint32_t)sum;
    w[1] = (uint32_t)(sum >> 32);
}

static void double_carries(void **state)
{
    char text[300];
    (void)state;
    for (v_sign = 0; v_sign < 8; v_sign++) {
        const char *minus[] = {v_sign & 1 ? "-" : "", v_sign & 2 ? "-" : "", v_sign & 4 ? "-" : ""};
        snprintf(text, sizeof text, "IADD3 R0.CC, %sR8, %sR9, %sR10; MOV R2, R8; IADD3.X R1, %sR11, %sR12, %sR13;",
                 minus[0], minus[1], minus[2], minus[0], minus[1], minus[2]);
        check(text, 2, three_pairs);
    }
    v_sign = 0;
}

static uint32_t limited(int64_t sum)
{
    return (uint32_t)(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
}

/* .SAT beside a carry: Z and S of the limited sum, C and O of the whole one. */
static void saturated(const uint32_t *r, uint32_t *w)
{
    uint32_t a = v_sign & 1 ? ~r[0] : r[0], b = v_sign & 2 ? ~r[1] : r[1];
    unsigned one = v_x ? (uint64_t)r[12] + r[13] > UINT32_MAX : v_sign != 0;
    int64_t sum = s32(a) + s32(b) + one;
    w[0] = limited(sum);
    w[1] = (w[0] == 0) | w[0] >> 31 << 1 | (uint32_t)(((uint64_t)a + b + one) >> 32) << 2 |
           (sum != (int32_t)sum ? 8u : 0u);
    w[2] = limited(s32(r[0]) + s32(r[1]) + 1);
}

static void saturated_sums(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        char text[300];
        v_sign = i % 3;
        v_x = i / 3;
        snprintf(text, sizeof text,
                 "IADD RZ.CC, R20, R21; IADD.SAT%s R0.CC, %sR8, %sR9; P2R R1, CC, RZ, 0xf; IADD.PO.SAT R2, R8, R9;",
                 v_x ? ".X" : "", v_sign & 1 ? "-" : "", v_sign & 2 ? "-" : "");
        check(text, 3, saturated);
    }
    v_x = false;
}

static void scaled(const uint32_t *r, uint32_t *w)
{
    uint64_t lea = (uint64_t)(uint32_t)(r[0] << 7) + r[1];
    uint64_t high = (((uint64_t)r[2] << 32 | r[0]) << 9 >> 32) & UINT32_MAX;
    w[0] = (r[0] << 5) + r[1];
    w[1] = r[1] - (r[0] << 5);
    w[2] = (r[0] << 31) - r[1];
    w[3] = (r[0] << 4) + 0x80000001;
    w[4] = (uint32_t)lea;
    w[5] = (uint32_t)(high + r[1] + (lea >> 32));
    w[6] = r[1] - (r[0] << 3);
    w[7] = r[2] + r[1];
}

static void scaled_carries(const uint32_t *r, uint32_t *w)
{
    uint64_t sum = (uint64_t)(uint32_t)(r[0] << 3) + r[1];
    uint64_t less = (uint64_t)(uint32_t) ~(r[0] << 3) + 1 + r[1];
    w[0] = (uint32_t)sum;
    w[1] = codes(sum);
    w[2] = (uint32_t)less;
    w[3] = codes(less);
    w[4] = (r[0] << 3) + r[1] + 1;
}

static void scaled_sums(void **state)
{
    (void)state;
    check(
        "ISCADD R0, R8, R9, 0x5; ISCADD R1, -R8, R9, 0x5; ISCADD R2, R8, -R9, 0x1f; ISCADD32I R3, R8, -0x7fffffff, 0x4;"
        "LEA R4.CC, R8, R9, 0x7; LEA.HI.X R5, R8, R9, R10, 0x9; LEA R6, -R8, R9, 0x3; LEA.HI R7, R8, R9, R10;",
        8, scaled);
    check("ISCADD R0.CC, R8, R9, 0x3; P2R R1, CC, RZ, 0x7; ISCADD R2.CC, -R8, R9, 0x3; P2R R3, CC, RZ, 0x7;"
          "ISCADD.PO R4, R8, R9, 0x3;",
          5, scaled_carries);
}

/* ---- XMAD ---------------------------------------------------------------------------------------------------- */

static int64_t half16(uint32_t x, bool high, bool is_signed)
{
    uint32_t h = high ? x >> 16 : x & 0xffff;
    return is_signed ? (int16_t)h : (int64_t)h;
}

static void xmad(const uint32_t *r, uint32_t *w)
{
    uint32_t a = r[0], b = r[1], c = r[2];
    int64_t x = half16(a, v_half & 1, v_sign & 1), y = half16(b, v_half >> 1 & 1, v_sign >> 1 & 1);
    uint32_t p = (uint32_t)(x * y);
    if (v_psl)
        p <<= 16;
    switch (v_mode) {
    case 1:
        c &= 0xffff;
        break;
    case 2:
        c >>= 16;
        break;
    case 3:
        if (x < 0 && (v_half & 2 ? b & 0xffff : b >> 16))
            c -= 0x10000;
        if (y < 0 && (v_half & 1 ? a & 0xffff : a >> 16))
            c -= 0x10000;
        break;
    case 4:
        c += b << 16;
        break;
    }
    uint64_t sum = (uint64_t)p + c + (v_x ? ((uint64_t)r[12] + r[13]) >> 32 : 0);
    w[0] = v_mrg ? (uint32_t)(sum & 0xffff) | b << 16 : (uint32_t)sum;
    w[1] = codes(sum);
}

static void xmads(void **state)
{
    static const char *const signs[] = {"", ".S16.U16", ".U16.S16", ".S16.S16"};
    static const char *const modes[] = {"", ".CLO", ".CHI", ".CSFU", ".CBCC"};
    (void)state;
    for (unsigned i = 0; i < 4 * 4 * 5 * 4; i++) {
        char text[300];
        bool flags = i % 3 == 0;
        v_sign = i % 4;
        v_half = i / 4 % 4;
        v_mode = i / 16 % 5;
        v_psl = i / 80 & 1;
        v_mrg = i / 160 & 1;
        v_x = i % 6 == 0;
        snprintf(text, sizeof text, "IADD RZ.CC, R20, R21; XMAD%s%s%s%s%s R0%s, R8%s, R9%s, R10; %s", signs[v_sign],
                 v_psl ? ".PSL" : "", modes[v_mode], v_mrg ? ".MRG" : "", v_x ? ".X" : "", flags ? ".CC" : "",
                 v_half & 1 ? ".H1" : "", v_half & 2 ? ".H1" : "", flags ? "P2R R1, CC, RZ, 0x7;" : "");
        check(text, flags ? 2 : 1, xmad);
    }
}

/* What ptxas makes of products of 32 and 64 bits. */
static void products(const uint32_t *r, uint32_t *w)
{
    w[0] = r[0] * r[1];
    w[1] = (uint32_t)((uint64_t)r[0] * r[1] >> 32);
    w[2] = r[0] * 0x1234;
}

static void product_idioms(void **state)
{
    (void)state;
    check("XMAD R0, R8, R9, RZ; XMAD.MRG R30, R8, R9.H1, RZ; XMAD.PSL.CBCC R0, R8.H1, R30.H1, R0;"
          "XMAD R31, R8, R9, RZ; XMAD R32, R8, R9.H1, RZ; XMAD R33, R8.H1, R9.H1, RZ; XMAD.CHI R31, R8.H1, R9, R31;"
          "IADD3.RS R1, R31, R32, R33; XMAD R2, R8, 0x1234, RZ; XMAD.PSL R2, R8.H1, 0x1234, R2;",
          3, products);
}

static int64_t extended(uint32_t x, bool is_signed)
{
    return is_signed ? (int32_t)x : (int64_t)x;
}

static void imad(const uint32_t *r, uint32_t *w)
{
    __int128 p = (__int128)extended(r[0], v_sign & 1) * extended(r[1], v_sign & 2);
    uint32_t low = (uint32_t)p, high = (uint32_t)(p >> 32);
    w[0] = low + r[2];
    w[1] = high + r[2];
    w[2] = r[2] - low;
    w[3] = low - r[2];
    w[4] = low;
    w[5] = high;
    w[6] = low + r[2] + 1;
}

static void imad_saturated(const uint32_t *r, uint32_t *w)
{
    __int128 p = (__int128)extended(r[0], v_sign & 1) * extended(r[1], v_sign & 2);
    w[0] = limited(s32((uint32_t)(p >> 32)) + s32(r[2]));
    w[1] = limited(s32((uint32_t)p) + s32(r[2]));
    w[2] = limited(s32(r[2]) - s32((uint32_t)p));
    w[3] = limited(s32((uint32_t)(p >> 32)) + s32(r[2]) + (r[12] + (uint64_t)r[13] > UINT32_MAX));
}

static void imads(void **state)
{
    static const char *const signs[] = {".U32.U32", ".S32.U32", ".U32.S32", ""};
    (void)state;
    for (v_sign = 0; v_sign < 4; v_sign++) {
        char text[600];
        const char *s = signs[v_sign];
        snprintf(text, sizeof text,
                 "IMAD%s R0, R8, R9, R10; IMAD%s.HI R1, R8, R9, R10; IMAD%s R2, -R8, R9, R10; IMAD%s R3, R8, R9, -R10;"
                 "IMUL%s R4, R8, R9; IMUL%s.HI R5, R8, R9; IMAD%s.PO R6, R8, R9, R10;",
                 s, s, s, s, s, s, s);
        check(text, 7, imad);
        snprintf(text, sizeof text,
                 "IADD RZ.CC, R20, R21; IMAD%s.HI.SAT R0, R8, R9, R10; IMAD%s.SAT R1, R8, R9, R10;"
                 "IMAD%s.SAT R2, -R8, R9, R10; IMAD%s.HI.SAT.X R3, R8, R9, R10;",
                 s, s, s, s);
        check(text, 4, imad_saturated);
    }
}

static void imadsp(const uint32_t *r, uint32_t *w)
{
    w[0] = (uint32_t)((int64_t)(int32_t)(r[0] << 8) / 256 * (int64_t)(r[1] & 0xffffff)) + r[2];
    w[1] = (uint32_t)((int16_t)(r[0] >> 16) * (int64_t)(int16_t)r[1] + (int16_t)r[2]);
    w[2] = r[0] * (r[1] & 0xffff) + r[2];
    w[3] = r[0] * 0x11223344 + r[10];
}

static void parts(void **state)
{
    (void)state;
    check("IMADSP.S24.U24.S32 R0, R8, R9, R10; IMADSP.S16H1.S16H0.S16H0 R1, R8, R9, R10;"
          "IMADSP.U32.U16H0.U32 R2, R8, R9, R10; MOV R3, R18; IMAD32I R3, R8, 0x11223344, R3;",
          4, imadsp);
}

/* ---- comparisons ------------------------------------------------------------------------------------------------ */

static const char *const cmp_texts[] = {".F", ".LT", ".EQ", ".LE", ".GT", ".NE", ".GE", ".T"};
static const char *const bop_texts[] = {".AND", ".OR", ".XOR"};

static bool compares(unsigned cmp, __int128 a, __int128 b)
{
    bool results[] = {false, a<b, a == b, a <= b, a> b, a != b, a >= b, true};
    return results[cmp];
}

static bool combines(unsigned bop, bool a, bool b)
{
    return bop == 0 ? a && b : bop == 1 ? a || b : a != b;
}

static __int128 wide(uint32_t high, uint32_t low)
{
    uint64_t both = (uint64_t)high << 32 | low;
    return v_u32 ? (__int128)both : (__int128)(int64_t)both;
}

static void isetp(const uint32_t *r, uint32_t *w)
{
    bool p = compares(v_cmp, extended(r[0], !v_u32), extended(r[1], !v_u32)), with = (r[5] & 1) != 0;
    bool x = compares(v_cmp, wide(r[0], r[2]), wide(r[1], r[3]));
    bool icmp = compares(v_cmp, extended(r[2], !v_u32), 0);
    w[0] = (uint32_t)combines(v_bop, p, with) | (uint32_t)combines(v_bop, !p, with) << 1;
    w[1] = combines(v_bop, p, !with) ? 0xffffffff : 0;
    w[2] = combines(v_bop, p, true) ? 0x3f800000 : 0;
    w[3] = icmp ? r[0] : r[1];
    w[4] = x;
    w[5] = p;
}

static void comparisons(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 8 * 2 * 3; i++) {
        char text[700];
        v_cmp = i % 8;
        v_u32 = i / 8 % 2;
        v_bop = i / 16;
        const char *c = cmp_texts[v_cmp], *u = v_u32 ? ".U32" : "", *b = bop_texts[v_bop];
        snprintf(text, sizeof text,
                 "LOP32I.AND R30, R13, 0x1; ISETP.NE.AND P3, PT, R30, RZ, PT;"
                 "ISETP%s%s%s P0, P1, R8, R9, P3; P2R R0, PR, RZ, 0x3; ISET%s%s%s R1, R8, R9, !P3;"
                 "ISET.BF%s%s%s R2, R8, R9, PT; ICMP%s%s R3, R8, R9, R10;"
                 "IADD RZ.CC, R10, -R11; ISETP%s%s.X.AND P2, PT, R8, R9, PT; SEL R4, RZ, 0x1, !P2;"
                 "ISETP%s%s.AND P4, PT, R8, R9, PT; @P4 MOV32I R5, 0x1;",
                 c, u, b, c, u, b, c, u, b, c, u, c, u, c, u);
        check(text, 6, isetp);
    }
}

static void minmax(const uint32_t *r, uint32_t *w)
{
    bool least = (r[5] & 1) != 0, a;
    uint64_t x = (uint64_t)r[1] << 32 | r[0], y = (uint64_t)r[3] << 32 | r[2];
    w[0] = (int32_t)r[0] < (int32_t)r[1] ? r[0] : r[1];
    w[1] = r[0] > r[1] ? r[0] : r[1];
    a = least ? (int32_t)r[0] < (int32_t)r[1] : (int32_t)r[0] > (int32_t)r[1];
    w[2] = a ? r[0] : r[1];
    uint64_t low = (int64_t)x < (int64_t)y ? x : y, high = x > y ? x : y;
    w[3] = (uint32_t)low;
    w[4] = (uint32_t)(low >> 32);
    w[5] = (uint32_t)high;
    w[6] = (uint32_t)(high >> 32);
}

static void minima(void **state)
{
    (void)state;
    check("LOP32I.AND R30, R13, 0x1; ISETP.NE.AND P3, PT, R30, RZ, PT;"
          "IMNMX R0, R8, R9, PT; IMNMX.U32 R1, R8, R9, !PT; IMNMX R2, R8, R9, P3;"
          "IMNMX.XHI R4.CC, R9, R11, PT; IMNMX.U32.XLO R3, R8, R10, PT;"
          "IMNMX.U32.XHI R6.CC, R9, R11, !PT; IMNMX.U32.XLO R5, R8, R10, !PT;",
          7, minmax);
}

/* ---- logic ------------------------------------------------------------------------------------------------ */

static void logic(const uint32_t *r, uint32_t *w)
{
    uint32_t a = r[0], b = r[1];
    w[0] = a & b;
    w[1] = ~a | b;
    w[2] = a ^ ~b;
    w[3] = ~b;
    w[4] = ~a & 0xf0f0f0f0;
    w[5] = a | 0xfffffff0;
    w[6] = (uint32_t)((a & b) == 0) | (uint32_t)((a ^ b) != 0) << 1 | 1u << 2;
    w[7] = (uint32_t)((a & ~b) == 0) | (a & ~b) >> 31 << 1;
}

static void lut(const uint32_t *r, uint32_t *w)
{
    for (unsigned i = 0; i < 32; i++) {
        unsigned at = (r[0] >> i & 1) << 2 | (r[1] >> i & 1) << 1 | (r[2] >> i & 1);
        w[0] |= (v_lut >> at & 1) << i;
    }
    w[1] = (w[0] == 0) | (w[0] >> 31) << 1;
    w[2] = w[0] != 0;
}

static void logics(void **state)
{
    (void)state;
    check("LOP.AND R0, R8, R9; LOP.OR R1, ~R8, R9; LOP.XOR R2, R8, ~R9; LOP.PASS_B R3, R8, ~R9;"
          "LOP32I.AND R4, ~R8, 0xf0f0f0f0; LOP.OR R5, R8, -0x10;"
          "LOP.AND.Z P0, RZ, R8, R9; LOP.XOR.NZ P1, RZ, R8, R9; LOP.OR.T P2, RZ, R8, R9; P2R R6, PR, RZ, 0x7;"
          "LOP.AND RZ.CC, R8, ~R9; P2R R7, CC, RZ, 0x7;",
          8, logic);
    for (v_lut = 0; v_lut < 256; v_lut += 13) {
        char text[300];
        snprintf(text, sizeof text,
                 "LOP3.LUT R0, R8, R9, R10, 0x%x; LOP3.LUT.NZ P0, RZ.CC, R8, R9, R10, 0x%x; P2R R1, CC, RZ, 0x7;"
                 "SEL R2, RZ, 0x1, !P0;",
                 v_lut, v_lut);
        check(text, 3, lut);
    }
}

/* ---- shifts ----------------------------------------------------------------------------------------------- */

static uint32_t reverse(uint32_t x)
{
    uint32_t y = 0;
    for (unsigned i = 0; i < 32; i++)
        y |= (x >> i & 1) << (31 - i);
    return y;
}

static void shifts(const uint32_t *r, uint32_t *w)
{
    uint32_t a = r[0], n = r[1], m = n & 31;
    w[0] = n < 32 ? a << n : 0;
    w[1] = a << m;
    w[2] = n < 32 ? a >> n : 0;
    w[3] = n < 32 ? (uint32_t)((int32_t)a >> n) : (uint32_t)((int32_t)a >> 31);
    w[4] = (uint32_t)((int32_t)a >> m);
    w[5] = n < 32 ? reverse(a) >> n : 0;
    w[6] = a << 13;
    w[7] = ((a >> 7) == 0) | (a >> 7 >> 31) << 1;
}

static void funnel(const uint32_t *r, uint32_t *w)
{
    unsigned width = v_mode ? 64 : 32;
    uint32_t lo = r[0], n = v_w ? r[1] & (width - 1) : r[1] < width ? r[1] : width, hi = r[2];
    uint64_t v = (uint64_t)hi << 32 | lo;
    if (v_right) {
        uint64_t fill = v_mode == 2 && (int32_t)hi < 0 ? UINT64_MAX : 0;
        w[0] = (uint32_t)(n == 64 ? fill : n ? v >> n | fill << (64 - n) : v);
    } else {
        w[0] = (uint32_t)(n == 64 ? 0 : v << n >> 32);
    }
}

static void all_shifts(void **state)
{
    static const char *const widths[] = {"", ".U64", ".S64"};
    (void)state;
    check("SHL R0, R8, R9; SHL.W R1, R8, R9; SHR.U32 R2, R8, R9; SHR R3, R8, R9; SHR.W R4, R8, R9;"
          "SHR.U32.BREV R5, R8, R9; SHL R6, R8, 0xd; SHR.U32 RZ.CC, R8, 0x7; P2R R7, CC, RZ, 0x7;",
          8, shifts);
    for (unsigned i = 0; i < 12; i++) {
        char text[100];
        v_mode = i % 3;
        v_w = i / 3 % 2;
        v_right = i / 6;
        snprintf(text, sizeof text, "SHF.%c%s%s R0, R8, R9, R10;", v_right ? 'R' : 'L', v_w ? ".W" : "",
                 widths[v_mode]);
        check(text, 1, funnel);
    }
}

/* The codes that one word leaves where R20 says what the words before left. */
static void shift_codes(const uint32_t *r, uint32_t *w)
{
    uint32_t a = r[0], n = r[1], hi = r[2], old = r[12] & 15;
    uint64_t both = (uint64_t)hi << 32 | a;
    const uint32_t results[] = {n < 32 ? a << n : 0,
                                n < 32 ? a >> n : 0,
                                (uint32_t)((int32_t)a >> (n < 32 ? n : 31)),
                                (uint32_t)(both << (n < 32 ? n : 32) >> 32),
                                (uint32_t)(both >> (n < 32 ? n : 32)),
                                n < 32 ? hi >> n : 0,
                                hi >> (n & 31),
                                (uint32_t)((int32_t)hi >> (n < 32 ? n : 31))};
    uint32_t d = results[v_mode], zero = (d == 0) & old;
    w[0] = d;
    w[1] = v_bop == 0 ? (d == 0) | d >> 31 << 1 : v_bop == 1 ? zero | (old & 14) : zero | d >> 31 << 1 | (old & 4);
}

static void shift_words(void **state)
{
    static const struct {
        const char *text;
        unsigned result, word; /* of shift_codes; 0 first, 1 next, 2 top */
    } forms[] = {{"SHL.X R0.CC, R8, R9;", 0, 1},
                 {"SHR.U32.X R0.CC, R8, R9;", 1, 1},
                 {"SHR.XHI R0.CC, R8, R9;", 2, 2},
                 {"SHF.L.X R0.CC, R8, R9, R10;", 3, 1},
                 {"SHF.R.X R0.CC, R8, R9, R10;", 4, 1},
                 {"SHF.R.HI R0.CC, R8, R9, R10;", 5, 0},
                 {"SHF.R.XHI R0.CC, R8, R9, R10;", 5, 2},
                 {"SHF.R.W.HI R0.CC, R8, R9, R10;", 6, 0},
                 {"SHF.R.U64.HI R0.CC, R8, R9, R10;", 5, 0},
                 {"SHF.R.S64.XHI R0.CC, R8, R9, R10;", 7, 2}};
    (void)state;
    for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++) {
        char text[200];
        v_mode = forms[i].result;
        v_bop = forms[i].word;
        snprintf(text, sizeof text, "R2P CC, R20, 0xf; %s P2R R1, CC, RZ, 0xf;", forms[i].text);
        check(text, 2, shift_codes);
    }
}

/* What they are for: 96 bits {R10:R9:R8} by less than 32, with the codes of the whole. */
static void long_shift(const uint32_t *r, uint32_t *w)
{
    unsigned n = r[3] & 31;
    unsigned __int128 v = (unsigned __int128)r[2] << 64 | (uint64_t)r[1] << 32 | r[0];
    unsigned __int128 left = v << n << 32 >> 32, right = v >> n;
    for (unsigned i = 0; i < 3; i++) {
        w[i] = (uint32_t)(left >> 32 * i);
        w[4 + i] = (uint32_t)(right >> 32 * i);
    }
    w[3] = (uint32_t)(left == 0) | w[2] >> 31 << 1;
    w[7] = (uint32_t)(right == 0) | w[6] >> 31 << 1;
}

static void long_shifts(void **state)
{
    (void)state;
    check("LOP32I.AND R30, R11, 0x1f; SHF.L R2.CC, R9, R30, R10; SHF.L.X R1.CC, R8, R30, R9; SHL.X R0.CC, R8, R30;"
          "P2R R3, CC, RZ, 0x3; SHF.R R4.CC, R8, R30, R9; SHF.R.X R5.CC, R9, R30, R10; SHR.U32.XHI R6.CC, R10, R30;"
          "P2R R7, CC, RZ, 0x3;",
          8, long_shift);
}

/* ---- bit fields ------------------------------------------------------------------------------------------- */

static uint32_t field_of(uint32_t a, uint32_t pos, uint32_t len, bool is_signed)
{
    uint32_t d = 0, last = pos + len - 1 < 31 ? pos + len - 1 : 31;
    if (len == 0)
        return 0;
    for (uint32_t i = 0; i < 32; i++) {
        bool bit = i < len && pos + i < 32 ? a >> (pos + i) & 1 : is_signed && (a >> last & 1);
        d |= (uint32_t)bit << i;
    }
    return d;
}

static uint32_t top_bit(uint32_t x)
{
    return x ? 31 - (uint32_t)__builtin_clz(x) : 0xffffffff;
}

static void fields(const uint32_t *r, uint32_t *w)
{
    uint32_t a = r[0], pos = r[1] & 0xff, len = r[1] >> 8 & 0xff;
    uint32_t s = (int32_t)a < 0 ? ~a : a;
    w[0] = field_of(a, pos, len, false);
    w[1] = field_of(a, pos, len, true);
    w[2] = field_of(reverse(a), 5, 9, false);
    w[3] = r[2];
    for (uint32_t i = 0; i < len && i < 32 && pos + i < 32; i++)
        w[3] = (w[3] & ~(1u << (pos + i))) | (a >> i & 1) << (pos + i);
    w[4] = top_bit(a);
    w[5] = top_bit(s);
    w[6] = a ? 31 - top_bit(a) : 0xffffffff;
    w[7] = (uint32_t)__builtin_popcount(~a);
}

static void permutes(const uint32_t *r, uint32_t *w)
{
    uint64_t bytes = (uint64_t)r[2] << 32 | r[0];
    uint32_t sel = r[1], k = sel & 3;
    for (unsigned i = 0; i < 4; i++) {
        unsigned from[7] = {sel >> 4 * i & 7, k + i,         (k + 8 - i) % 8,          k,
                            k > i ? k : i,    k < i ? k : i, (k % 2 ? 2u : 0u) + i % 2};
        for (unsigned mode = 0; mode < 7; mode++) {
            uint32_t byte = (uint32_t)(bytes >> 8 * from[mode]) & 0xff;
            if (mode == 0 && sel >> (4 * i + 3) & 1)
                byte = byte & 0x80 ? 0xff : 0;
            w[mode] |= byte << 8 * i;
        }
    }
}

static void bit_fields(void **state)
{
    (void)state;
    check("BFE.U32 R0, R8, R9; BFE R1, R8, R9; BFE.U32.BREV R2, R8, 0x905; BFI R3, R8, R9, R10;"
          "FLO.U32 R4, R8; FLO R5, R8; FLO.U32.SH R6, R8; POPC R7, ~R8;",
          8, fields);
    check("PRMT R0, R8, R9, R10; PRMT.F4E R1, R8, R9, R10; PRMT.B4E R2, R8, R9, R10; PRMT.RC8 R3, R8, R9, R10;"
          "PRMT.ECL R4, R8, R9, R10; PRMT.ECR R5, R8, R9, R10; PRMT.RC16 R6, R8, R9, R10;",
          7, permutes);
}

/* ---- predicates and moves --------------------------------------------------------------------------------- */

static void predicates(const uint32_t *r, uint32_t *w)
{
    uint32_t p = r[0] >> 8 & 0x7f, q = (p & ~0x55u) | (r[1] & 0x55);
    bool a = p & 1, b = p >> 1 & 1, c = p >> 2 & 1;
    w[0] = p;
    w[1] = (r[2] & ~0x3f00u) | (p & 0x3f) << 8;
    w[2] = combines(2, combines(0, a, !b), c) | (uint32_t)combines(2, !combines(0, a, !b), c) << 1;
    w[3] = combines(1, combines(2, a, b), !c) ? 0xffffffff : 0;
    w[4] = a ? r[1] : r[2];
    w[5] = q;
}

static void moves(void **state)
{
    (void)state;
    check("R2P PR, R8.B1, 0x7f; P2R R0, PR, RZ, 0x7f; P2R.B1 R1, PR, R10, 0x3f;"
          "PSET.XOR.OR R3, P0, P1, !P2; SEL R4, R9, R10, P0; MOV R30, R0; PSETP.AND.XOR P5, P6, P0, !P1, P2;"
          "P2R R31, PR, RZ, 0x60; SHR.U32 R2, R31, 0x5; R2P PR, R30, 0x7f; R2P PR, R9, 0x55; P2R R5, PR, RZ, 0x7f;",
          6, predicates);
}

static void tests(const uint32_t *r, uint32_t *w)
{
    uint64_t sum = (uint64_t)r[0] + (uint32_t)~r[1] + 1;
    bool lt = (int32_t)r[0] < (int32_t)r[1], eq = r[0] == r[1], lo = r[0] < r[1];
    bool want[] = {lt, eq, lt || eq, !lt && !eq, !eq, !lt, lo, lo || eq};
    for (unsigned i = 0; i < 8; i++)
        w[0] |= (uint32_t)want[i] << i;
    w[1] = (uint32_t)(!lo && !eq) | (uint32_t)!lo << 1 | (uint32_t)(sum >> 31 & 1) << 2;
    w[2] = lt ? 0xffffffff : 0;
    w[3] = w[0] & 0x2 ? 7 : 9;
}

static void code_tests(void **state)
{
    static const char *const names[] = {"LT", "EQ", "LE", "GT", "NE", "GE", "LO", "LS", "HI", "HS", "SFT"};
    char text[2000] = "IADD RZ.CC, R8, -R9;";
    (void)state;
    for (unsigned i = 0; i < 11; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "CSETP.%s.AND P0, PT, CC, PT; @P0 LOP32I.OR R%u, R%u, 0x%x;", names[i], i / 8, i / 8, 1u << i % 8);
    strcat(text, "CSET.LT.AND R2, CC, PT; MOV32I R3, 0x7; BRA CC.EQ, `(.L_a); MOV32I R3, 0x9;\n.L_a:\n");
    check(text, 4, tests);
}

/* Guards that the instruction itself changes, @!PT, RZ, lane masks of quads. */
static void guards(const uint32_t *r, uint32_t *w)
{
    bool p = r[0] & 1;
    w[0] = p;
    w[1] = p ? r[1] : 0;
    w[2] = 0;
    w[3] = p ? (uint32_t)((r[2] & 1) | (uint32_t) !(r[2] & 1) << 1) : 0;
    w[4] = 0x20;
    w[5] = 0;
}

static void guarded(void **state)
{
    (void)state;
    check("LOP32I.AND R30, R8, 0x1; ISETP.NE.AND P0, PT, R30, RZ, PT; SEL R0, RZ, 0x1, !P0; @P0 MOV R1, R9;"
          "@!PT MOV R2, R9; LOP32I.AND R31, R10, 0x1; PSETP.AND.AND P1, PT, !PT, PT, PT; PSETP.AND.AND P2, PT, P0, PT, "
          "PT;"
          "@P2 ISETP.NE.AND P2, P1, R31, RZ, PT; SEL R32, RZ, 0x1, !P2; SEL R33, RZ, 0x2, !P1; LOP.OR R32, R32, R33;"
          "@P0 MOV R3, R32; MOV R4, c[0x0][0x8]; MOV R5, RZ;",
          6, guards);
    sass_rig_open(&rig, "MOV R0, R8, 0x5; MOV32I R1, 0x11, 0x8;");
    fill(3);
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        assert_int_equal(rig.out[n][0], n % 4 == 0 || n % 4 == 2 ? rig.in[n][0] : 0);
        assert_int_equal(rig.out[n][1], n % 4 == 3 ? 0x11 : 0);
    }
    sass_rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(integer_sums), cmocka_unit_test(wide_sums),      cmocka_unit_test(three_sums),
        cmocka_unit_test(scaled_sums),  cmocka_unit_test(xmads),          cmocka_unit_test(product_idioms),
        cmocka_unit_test(imads),        cmocka_unit_test(parts),          cmocka_unit_test(comparisons),
        cmocka_unit_test(minima),       cmocka_unit_test(logics),         cmocka_unit_test(all_shifts),
        cmocka_unit_test(bit_fields),   cmocka_unit_test(saturated_sums), cmocka_unit_test(shift_words),
        cmocka_unit_test(long_shifts),  cmocka_unit_test(moves),          cmocka_unit_test(code_tests),
        cmocka_unit_test(guarded),      cmocka_unit_test(double_carries),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}

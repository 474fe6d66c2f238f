/* Values of instructions that whole kernels rarely use: static fields of surface references, warp reductions,
 * elections, spaces of addresses, vectors in registers, pairs of floats, conversions to small and packed types, sums of
 * mixed precision. */
#define ENGINE_TARGET  "sm_100a"
#define ENGINE_VERSION "8.7"
#include "engine_text.h"

static void one_warp(const char *head, const char *body, uint32_t *words)
{
    struct engine e;
    engine_open(&e, head, body);
    engine_must_run(&e, 0);
    memcpy(words, e.words, sizeof e.words);
    engine_close(&e);
}

/* What suq finds on a reference that nothing is bound to: its initialiser. */
static void fields_of_surface_references(void **state)
{
    (void)state;
    static const struct {
        const char *field;
        uint32_t first, second;
    } fields[] = {
        {"width", 640, 5},
        {"height", 480, 0},
        {"depth", 3, 0},
        {"channel_data_type", 4314, 4316},
        {"array_size", 12, 0},
        {"memory_layout", 1, 0},
        {"channel_order", 4277, 0},
    };
    for (unsigned i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        uint32_t words[ENGINE_WORDS];
        char body[300];
        snprintf(body, sizeof body,
                 "suq.%s.b32 %%r2, [S]; st.global.u32 [%%rd1], %%r2;\n"
                 "mov.u64 %%rd4, T; add.u64 %%rd4, %%rd4, 8; suq.%s.b32 %%r3, [%%rd4]; st.global.u32 [%%rd1+4], %%r3;",
                 fields[i].field, fields[i].field);
        one_warp(".global .surfref S = {width = 640, height = 480, depth = 3, channel_data_type = 4314,\n"
                 "channel_order = 4277, array_size = 12, memory_layout = 1};\n"
                 ".global .surfref T[2] = {{width = 4}, {width = 5, channel_data_type = 4316}};",
                 body, words);
        assert_int_equal(words[0], fields[i].first);
        assert_int_equal(words[1], fields[i].second);
    }
}

/* Of .approx divisors between 2^126 and infinity are as infinity; of .full they are not. */
static void divisors_beyond(void **state)
{
    static const struct {
        const char *form;
        uint32_t a, b, quotient;
    } rows[] = {
        {"approx", 0x3f800000, 0x7e800000, 0x00800000},     {"approx", 0x3f800000, 0x7e800001, 0},
        {"approx", 0xff7fffff, 0x7f7fffff, 0x80000000},     {"approx", 0x3f800000, 0xff000000, 0x80000000},
        {"approx", 0x7f800000, 0x7f000000, 0x7fffffff},     {"approx", 0x3f800000, 0x7fc00000, 0x7fffffff},
        {"approx", 0x40c00000, 0x40400000, 0x40000000},     {"approx.ftz", 0x4b800000, 0x7f7fffff, 0},
        {"approx.ftz", 0x3f800000, 0x00000001, 0x7f800000}, {"full", 0x7f7fffff, 0x7f7fffff, 0x3f800000},
        {"full.ftz", 0xff7fffff, 0x7f000000, 0xbfffffff},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t words[ENGINE_WORDS];
        char body[300];
        snprintf(body, sizeof body,
                 ".reg .f32 %%q, %%n, %%m; mov.b32 %%n, 0x%08x; mov.b32 %%m, 0x%08x; div.%s.f32 %%q, %%n, %%m;\n"
                 "st.global.f32 [%%rd1], %%q;",
                 rows[i].a, rows[i].b, rows[i].form);
        one_warp("", body, words);
        assert_int_equal(words[0], rows[i].quotient);
    }
}

static void unbound_reference(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, ".global .surfref S;", "suld.b.1d.b32.zero %r2, [S, {%r0}];");
    assert_false(engine_run(&e, 0));
    assert_non_null(strstr(e.error.message, "S"));
    engine_close(&e);
}

static void reductions_of_a_warp(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        uint32_t odd, even; /* of the odd lanes' and the even lanes' numbers - 16 */
    } cases[] = {
        {"add.u32", 0, UINT32_C(0) - 16},
        {"add.s32", 0, UINT32_C(0) - 16},
        {"min.u32", 1, 0},
        {"max.u32", UINT32_C(0) - 1, UINT32_C(0) - 2},
        {"min.s32", UINT32_C(0) - 15, UINT32_C(0) - 16},
        {"max.s32", 15, 14},
        {"and.b32", 1, 0},
        {"or.b32", UINT32_C(0) - 1, UINT32_C(0) - 2},
        {"xor.b32", 0, 0},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t words[ENGINE_WORDS];
        char body[500];
        snprintf(body, sizeof body,
                 "and.b32 %%r2, %%r0, 1; setp.eq.u32 %%p1, %%r2, 1; sub.u32 %%r3, %%r0, 16; @%%p1 bra ODD;\n"
                 "redux.sync.%s %%r4, %%r3, 0x55555555; bra DONE;\nODD: redux.sync.%s %%r4, %%r3, 0xaaaaaaaa;\n"
                 "DONE: st.global.u32 [%%rd0], %%r4;",
                 cases[i].op, cases[i].op);
        one_warp("", body, words);
        for (uint32_t l = 0; l < 32; l++)
            assert_int_equal(words[l], l % 2 ? cases[i].odd : cases[i].even);
    }
}

static void one_is_elected(void **state)
{
    (void)state;
    uint32_t words[ENGINE_WORDS];
    one_warp("",
             "setp.ge.u32 %p1, %r0, 5; mov.u32 %r2, 99; mov.u32 %r3, 0; @!%p1 bra DONE;\n"
             "elect.sync %r2|%p2, 0xffffffe0; selp.u32 %r3, 1, 0, %p2;\nDONE: mad.lo.u32 %r2, %r3, 1000, %r2;\n"
             "st.global.u32 [%rd0], %r2;",
             words);
    for (uint32_t l = 0; l < 32; l++)
        assert_int_equal(words[l], l < 5 ? 99 : l == 5 ? 1005 : 5);
}

static void spaces_of_addresses(void **state)
{
    (void)state;
    static const char *const spaces[] = {"global", "shared", "local", "param", "const"};
    static const char *const addresses[] = {"mov.u64 %rd4, %rd1;", "mov.u64 %rd4, cell; cvta.shared.u64 %rd4, %rd4;",
                                            "mov.u64 %rd4, stack; cvta.local.u64 %rd4, %rd4;",
                                            "mov.u64 %rd4, n; cvta.param.u64 %rd4, %rd4;",
                                            "mov.u64 %rd4, table; cvta.const.u64 %rd4, %rd4;"};
    for (unsigned a = 0; a < 5; a++) {
        uint32_t words[ENGINE_WORDS];
        char body[900] = ".local .u32 stack[4];\n";
        strcat(body, addresses[a]);
        for (unsigned s = 0; s < 5; s++)
            snprintf(body + strlen(body), sizeof body - strlen(body),
                     "isspacep.%s %%p1, %%rd4; selp.u32 %%r2, 1, 0, %%p1; st.global.u32 [%%rd1+%u], %%r2;\n", spaces[s],
                     4 * s);
        one_warp(".shared .u32 cell; .const .u32 table[4];", body, words);
        for (unsigned s = 0; s < 5; s++) /* variables in constant memory lie in global memory, too */
            assert_int_equal(words[s], a == s || (a == 4 && s == 0));
    }
}

/* .ftz of a subnormal number: not where it becomes an f16 (2^-149 up to 2^-24). */
static void conversions_flush(void **state)
{
    (void)state;
    uint32_t words[ENGINE_WORDS];
    const uint32_t want[] = {0x0001, 0x8001, 0x0001, 0, 0};
    one_warp("",
             ".reg .b16 %h<4>; .reg .f64 %d1; mov.f32 %f1, 0f00000001; mov.f32 %f2, 0f807fffff;\n"
             "cvt.rp.ftz.f16.f32 %h1, %f1; cvt.rm.ftz.f16.f32 %h2, %f2; cvt.rp.ftz.sat.f16.f32 %h3, %f1;\n"
             "cvt.u32.u16 %r2, %h1; cvt.u32.u16 %r3, %h2; cvt.u32.u16 %r4, %h3;\n"
             "st.global.u32 [%rd1], %r2; st.global.u32 [%rd1+4], %r3; st.global.u32 [%rd1+8], %r4;\n"
             "cvt.rpi.ftz.f32.f32 %f1, %f1; st.global.f32 [%rd1+12], %f1;\n"
             "mov.f64 %d1, 0d380FFFFFE0000000; cvt.rn.ftz.f32.f64 %f1, %d1; st.global.f32 [%rd1+16], %f1;\n",
             words);
    assert_memory_equal(words, want, sizeof want);
}

static void vectors_in_registers(void **state)
{
    (void)state;
    uint32_t words[ENGINE_WORDS];
    const uint32_t want[] = {7, 8, 0, 0, 2, 1, 4, 3, 5};
    one_warp(
        "",
        ".reg .v2 .u32 %v<3>; .reg .v4 .u32 %w<3>; mov.u32 %r2, 1; mov.u32 %r3, 2; mov.u32 %r4, 3; mov.u32 %r5, 4;\n"
        "mov.v2.u32 %v1, {7, 8}; st.global.u32 [%rd1], %v1.x; st.global.u32 [%rd1+4], %v1.y; st.global.u64 [%rd1+8], "
        "0;\n"
        "mov.v4.u32 %w1, {%r2, %r3, %r4, %r5}; mov.v4.u32 {%r3, %r2, %r5, %r4}, %w1;\n" /* exchanged */
        "st.global.v4.u32 [%rd1+16], {%r2, %r3, %r4, %r5};\n"
        "setp.ne.u32 %p1, %r0, 5; @%p1 bra DONE; mov.v4.u32 %w2, %tid; st.global.u32 [%rd1+32], %w2.x;\nDONE:",
        words);
    assert_memory_equal(words, want, sizeof want);
}

static void pairs_and_packs(void **state)
{
    (void)state;
    uint32_t words[ENGINE_WORDS];
    const uint32_t want[] = {0x40400000, 0x41200000, 0x40400000, 0x41880000, 0x7fff8000,
                             0xffff0000, 0x3f802000, 0x3f800000, 0x3f804000};
    one_warp(
        "",
        "mov.b64 %rd4, {0x3f800000, 0x40400000}; mov.b64 %rd5, {0x40000000, 0x40e00000};\n" /* 1 3; 2 7 */
        "add.rn.f32x2 %rd6, %rd4, %rd5; st.global.b64 [%rd1], %rd6;\n"                      /* 3 10 */
        "mov.b64 %rd7, {0x3f800000, 0xc0800000}; fma.rn.f32x2 %rd6, %rd4, %rd5, %rd7; st.global.b64 [%rd1+8], %rd6;\n"
        "mov.u32 %r2, 70000; mov.u32 %r3, -70000; cvt.pack.sat.s16.s32 %r4, %r2, %r3; st.global.u32 [%rd1+16], %r4;\n"
        "cvt.pack.sat.u16.s32 %r4, %r2, %r3; st.global.u32 [%rd1+20], %r4;\n"
        "mov.b32 %f1, 0x3f801000; cvt.rna.tf32.f32 %r5, %f1; st.global.u32 [%rd1+24], %r5;\n" /* tie: away */
        "cvt.rn.tf32.f32 %r5, %f1; st.global.u32 [%rd1+28], %r5;\n"                           /* tie: to even */
        "mov.b32 %f1, 0x3f803000; cvt.rn.tf32.f32 %r5, %f1; st.global.u32 [%rd1+32], %r5;",
        words);
    assert_memory_equal(words, want, sizeof want);
}

/* Lane 3 has a NaN, lane 5 the number farthest from 0, which is negative. */
static void floats_of_a_warp(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        uint32_t want;
    } cases[] = {
        {"min.f32", 0xc0c00000},         {"max.f32", 0x40a00000},     {"min.abs.f32", 0},
        {"max.abs.f32", 0x40c00000},     {"min.NaN.f32", 0x7fffffff}, {"max.NaN.f32", 0x7fffffff},
        {"max.abs.NaN.f32", 0x7fffffff},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t words[ENGINE_WORDS];
        char body[700];
        snprintf(body, sizeof body,
                 "rem.u32 %%r2, %%r0, 6; cvt.rn.f32.u32 %%f1, %%r2; setp.eq.u32 %%p1, %%r0, 5;\n"
                 "@%%p1 mov.f32 %%f1, 0fC0C00000; setp.eq.u32 %%p1, %%r0, 3; @%%p1 mov.f32 %%f1, 0fFFC01234;\n"
                 "redux.sync.%s %%f2, %%f1, -1; st.global.f32 [%%rd0], %%f2; setp.ne.u32 %%p1, %%r0, 3;\n"
                 "@%%p1 bra DONE; redux.sync.%s %%f2, %%f1, 8; st.global.f32 [%%rd0+128], %%f2; DONE:",
                 cases[i].op, cases[i].op);
        one_warp("", body, words);
        for (uint32_t l = 0; l < 32; l++)
            assert_int_equal(words[l], cases[i].want);
        assert_int_equal(words[32 + 3], 0x7fffffff); /* of one NaN alone */
    }
}

static void zeros_of_a_warp(void **state)
{
    (void)state;
    uint32_t words[ENGINE_WORDS];
    one_warp("",
             "and.b32 %r2, %r0, 1; shl.b32 %r2, %r2, 31; mov.b32 %f1, %r2; redux.sync.max.f32 %f2, %f1, -1;\n"
             "st.global.f32 [%rd1], %f2; redux.sync.min.f32 %f2, %f1, -1; st.global.f32 [%rd1+4], %f2;",
             words);
    assert_int_equal(words[0], 0);
    assert_int_equal(words[1], 0x80000000);
}

/* Each line gives one word; %f1 = 1.0, %f2 = -7.0, %f3 = infinity, %f4 = NaN, %f5 = 0.3, %f6 = 1e30. */
static void words_of(const char *const *lines, const uint32_t *want, unsigned count)
{
    static char body[8000];
    uint32_t words[ENGINE_WORDS];
    strcpy(body, ".reg .b16 %h<9>; .reg .b8 %c<9>;\n"
                 "mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0fC0E00000; mov.f32 %f3, 0f7F800000; mov.f32 %f4, 0fFFC00001;\n"
                 "mov.f32 %f5, 0f3E99999A; mov.f32 %f6, 0f7149F2CA; mov.u32 %r5, -7; mov.u32 %r6, 300;\n"
                 "mov.u32 %r7, 0x89abcdef; mov.u32 %r8, -300;\n");
    for (unsigned i = 0; i < count; i++)
        snprintf(body + strlen(body), sizeof body - strlen(body),
                 "mov.u32 %%r2, 0; %s st.global.u32 [%%rd1+%u], %%r2;\n", lines[i], 4 * i);
    one_warp("", body, words);
    for (unsigned i = 0; i < count; i++)
        if (words[i] != want[i])
            fail_msg("%s: %#x, not %#x", lines[i], words[i], want[i]);
}

#define BYTE " cvt.u32.u8 %r2, %c1;"
#define HALF " cvt.u32.u16 %r2, %h1;"

static void small_floats(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;" HALF,
        "cvt.rn.satfinite.relu.e4m3x2.f32 %h1, %f1, %f2;" HALF,
        "cvt.rn.satfinite.e4m3x2.f32 %h1, %f3, %f4;" HALF,
        "cvt.rn.satfinite.e5m2x2.f32 %h1, %f6, %f2;" HALF,
        "cvt.rn.satfinite.e5m2x2.f32 %h1, %f5, 0f80000000;" HALF,
        "cvt.rn.satfinite.e2m3x2.f32 %h1, %f1, %f2;" HALF,
        "cvt.rn.satfinite.e3m2x2.f32 %h1, %f4, %f2;" HALF,
        "cvt.rn.satfinite.e2m1x2.f32 %c1, %f1, %f2;" BYTE,
        "cvt.rn.satfinite.e2m1x2.f32 %c1, %f4, %f5;" BYTE,
        "cvt.rz.ue8m0x2.f32 %h1, %f2, %f5;" HALF,
        "cvt.rp.ue8m0x2.f32 %h1, %f2, %f3;" HALF,
        "cvt.rp.satfinite.ue8m0x2.f32 %h1, %f3, %f4;" HALF,
        "mov.b32 %r3, 0x3c00c700; cvt.rn.satfinite.e4m3x2.f16x2 %h1, %r3;" HALF,
        "mov.b32 %r3, 0x3c00c700; cvt.rn.satfinite.relu.e2m1x2.f16x2 %c1, %r3;" BYTE,
        "mov.b32 %r3, 0x3f80ff80; cvt.rz.satfinite.ue8m0x2.bf16x2 %h1, %r3;" HALF,
        "mov.b16 %h1, 0x38ce; cvt.rn.f16x2.e4m3x2 %r2, %h1;",
        "mov.b16 %h1, 0x38ce; cvt.rn.relu.f16x2.e4m3x2 %r2, %h1;",
        "mov.b16 %h1, 0x7cff; cvt.rn.f16x2.e5m2x2 %r2, %h1;",
        "mov.b16 %h1, 0x083f; cvt.rn.f16x2.e2m3x2 %r2, %h1;",
        "mov.b16 %h1, 0x0c3f; cvt.rn.f16x2.e3m2x2 %r2, %h1;",
        "mov.b16 %h1, 0x2f; mov.b16 {%c1, %c2}, %h1; cvt.rn.f16x2.e2m1x2 %r2, %c1;",
        "mov.b16 %h1, 0x00ff; cvt.rn.bf16x2.ue8m0x2 %r2, %h1;",
    };
    static const uint32_t want[] = {
        0x38ce,     0x3800,     0x7e7f,     0x7bc7,     0x3580,     0x083e,     0x1f37, 0x2f,
        0x71,       0x817d,     0x82ff,     0xfeff,     0x38ce,     0x20,       0x7ffe, 0x3c00c700,
        0x3c000000, 0x7c007fff, 0x3c00c780, 0x3c00cf00, 0x3c00c600, 0x00407fff,
    };
    words_of(lines, want, sizeof want / sizeof want[0]);
}

/* NaNs as an H100 gives them (tests/hw/results/h100.txt.gz). */
static void nans(void **state)
{
    (void)state;
#define WITH_F64(text)  "{ .reg .f64 x, y, z; mov.b64 x, 0xfff5555500000001; mov.b64 y, 0x7ff0000012345678; " text " }"
#define UPPER(text)     WITH_F64(text " mov.b64 {%r3, %r2}, z;")
#define WITH_BF16(text) "mov.b16 %h1, 0x7f95; " text
    static const char *const lines[] = {
        "neg.f32 %f7, %f4; mov.b32 %r2, %f7;",
        "abs.ftz.f32 %f7, %f4; mov.b32 %r2, %f7;",
        "mov.b16 %h1, 0xfe55; neg.f16 %h1, %h1;" HALF,
        WITH_BF16("abs.bf16 %h1, %h1;" HALF),
        "mov.b32 %r3, 0xfe553c00; neg.f16x2 %r2, %r3;",
        UPPER("neg.f64 z, x;"),
        UPPER("abs.f64 z, x;"),
        UPPER("sub.f64 z, x, y;"),
        UPPER("fma.rn.f64 z, y, 0d3ff0000000000000, x;"),
        UPPER("fma.rn.f64 z, x, y, x;"),
        UPPER("div.rn.f64 z, x, y;"),
        UPPER("max.f64 z, x, y;"),
        WITH_F64("cvt.rz.f32.f64 %f7, x; mov.b32 %r2, %f7;"),
        WITH_F64("cvt.rn.f16.f64 %h1, x;") HALF,
        WITH_F64("cvt.rn.bf16.f64 %h1, x;") HALF,
        WITH_BF16("cvt.f32.bf16 %f7, %h1; mov.b32 %r2, %f7;"),
        "cvt.f32.f32 %f7, %f4; mov.b32 %r2, %f7;",
        "cvt.ftz.f32.f32 %f7, %f4; mov.b32 %r2, %f7;",
        UPPER("cvt.f64.f64 z, y;"),
        UPPER("cvt.f64.f32 z, %f4;"),
        UPPER("cvt.ftz.f64.f32 z, %f4;"),
        "cvt.rna.tf32.f32 %r2, %f4;",
        "cvt.rna.satfinite.tf32.f32 %r2, %f4;",
        UPPER("rcp.approx.ftz.f64 z, x;"),
        UPPER("rsqrt.approx.ftz.f64 z, 0dbff0000000000000;"),
    };
    static const uint32_t want[] = {0x7fffffff, 0x7fffffff, 0x7fff,     0x7fff,     0x7fffbc00, 0xfffd5555, 0xfffd5555,
                                    0x7ff80000, 0xfffd5555, 0x7ff80000, 0xfffd5555, 0x7ff80000, 0xffeaaaa8, 0xff55,
                                    0xffea,     0x7f950000, 0xffc00001, 0x7fffffff, 0x7ff00000, 0xfff80000, 0x7fffffff,
                                    0xffc00000, 0xffbfe000, 0x7fffffff, 0x7fffffff};
    words_of(lines, want, sizeof want / sizeof want[0]);
}

static void limited_to_finite(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "cvt.rn.satfinite.f16.f32 %h1, %f3;" HALF,
        "cvt.rn.satfinite.f16.f32 %h1, %f4;" HALF,
        "cvt.rz.satfinite.bf16.f32 %h1, %f3;" HALF,
        "cvt.rn.relu.satfinite.f16x2.f32 %r2, %f6, %f2;",
        "neg.f32 %f7, %f3; cvt.rn.satfinite.bf16x2.f32 %r2, %f7, %f4;",
        "cvt.rna.satfinite.tf32.f32 %r2, %f3;",
        "neg.f32 %f7, %f3; cvt.rn.satfinite.tf32.f32 %r2, %f7;",
        "cvt.rz.relu.tf32.f32 %r2, %f2;",
        "cvt.rn.relu.tf32.f32 %r2, %f4;",
        "cvt.rn.relu.satfinite.tf32.f32 %r2, %f3;",
        "cvt.rn.tf32.f32 %r2, %f3;",
    };
    static const uint32_t want[] = {0x7bff,     0x7fff,     0x7f7f,     0x7bff0000, 0xff7f7fff, 0x7f7fe000,
                                    0xff7fe000, 0x00000000, 0x7fffe000, 0x7f7fe000, 0x7f800000};
    words_of(lines, want, sizeof want / sizeof want[0]);
}

static void packed_integers(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "cvt.pack.sat.u8.s32.b32 %r2, %r6, %r5, %r7;", "cvt.pack.sat.s8.s32.b32 %r2, %r6, %r5, %r7;",
        "cvt.pack.sat.u4.s32.b32 %r2, %r6, 5, %r7;",   "cvt.pack.sat.s4.s32.b32 %r2, %r8, %r5, %r7;",
        "cvt.pack.sat.u2.s32.b32 %r2, 2, 7, %r7;",     "cvt.pack.sat.s2.s32.b32 %r2, 2, -7, %r7;",
        "cvt.pack.sat.u16.s32 %r2, %r6, %r5;",         "cvt.pack.sat.s16.s32 %r2, %r6, %r5;",
    };
    static const uint32_t want[] = {0xcdefff00, 0xcdef7ff9, 0xabcdeff5, 0xabcdef89,
                                    0x9abcdefb, 0x9abcdef6, 0x012c0000, 0x012cfff9};
    words_of(lines, want, sizeof want / sizeof want[0]);
}

static void mixed_precision(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "mov.b16 %h1, 0x3c01; add.f32.f16 %f7, %h1, %f5; mov.b32 %r2, %f7;",
        "mov.b16 %h1, 0x3c01; sub.rz.f32.f16 %f7, %h1, %f5; mov.b32 %r2, %f7;",
        "mov.b16 %h1, 0x3f81; add.sat.f32.bf16 %f7, %h1, %f5; mov.b32 %r2, %f7;",
        "mov.b16 %h1, 0x3f81; mov.b16 %h2, 0xbf81; fma.rn.f32.bf16 %f7, %h1, %h2, %f1; mov.b32 %r2, %f7;",
        "mov.b16 %h1, 0x0001; mov.b16 %h2, 0x0001; fma.rp.f32.f16 %f7, %h1, %h2, %f1; mov.b32 %r2, %f7;",
    };
    static const uint32_t want[] = {0x3fa68666, 0x3f337333, 0x3f800000, 0xbc808000, 0x3f800001};
    words_of(lines, want, sizeof want / sizeof want[0]);
}

/* 16 random bits for each of a pair: with ones only, everything is rounded up; with zeros only, down. */
static void random_bits(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "mov.b32 %r3, 0xffffffff; cvt.rs.f16x2.f32 %r2, %f5, 0fBE99999A, %r3;",
        "mov.b32 %r3, 0xffff0000; cvt.rs.bf16x2.f32 %r2, %f5, %f5, %r3;",
        "mov.b32 %r3, 0xe000e000; cvt.rs.f16x2.f32 %r2, %f5, %f5, %r3;",
        "mov.b32 %r3, 0xffff0000; cvt.rs.satfinite.e4m3x4.f32 %r2, {%f5, 0fBE99999A, %f5, %f2}, %r3;",
        "mov.b32 %r3, 0x0000ffff; cvt.rs.relu.satfinite.e3m2x4.f32 %r2, {%f5, %f2, %f5, %f3}, %r3;",
        "mov.b32 %r3, 0xff00ff00; cvt.rs.satfinite.e2m1x4.f32 %h1, {%f5, %f5, %f5, %f5}, %r3;" HALF,
        "mov.b32 %r3, 0x00ff00ff; cvt.rs.satfinite.e2m1x4.f32 %h1, {%f5, %f5, %f5, %f5}, %r3;" HALF,
        "mov.b32 %r3, 0xffff0000; cvt.rs.satfinite.f16x2.f32 %r2, %f6, %f3, %r3;",
    };
    static const uint32_t want[] = {0x34cdb4cd, 0x3e9a3e99, 0x34cc34cc, 0x2aaa29ce,
                                    0x0400051f, 0x1100,     0x0011,     0x7bff7bff};
    words_of(lines, want, sizeof want / sizeof want[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_of_surface_references),
        cmocka_unit_test(divisors_beyond),
        cmocka_unit_test(unbound_reference),
        cmocka_unit_test(reductions_of_a_warp),
        cmocka_unit_test(one_is_elected),
        cmocka_unit_test(spaces_of_addresses),
        cmocka_unit_test(conversions_flush),
        cmocka_unit_test(vectors_in_registers),
        cmocka_unit_test(pairs_and_packs),
        cmocka_unit_test(floats_of_a_warp),
        cmocka_unit_test(zeros_of_a_warp),
        cmocka_unit_test(small_floats),
        cmocka_unit_test(limited_to_finite),
        cmocka_unit_test(nans),
        cmocka_unit_test(packed_integers),
        cmocka_unit_test(mixed_precision),
        cmocka_unit_test(random_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

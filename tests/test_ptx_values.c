/* Values of instructions that whole kernels rarely use: static fields of surface references, warp reductions,
 * elections, spaces of addresses, vectors in registers, pairs of floats, packed conversions. */
#define ENGINE_TARGET  "sm_100"
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
    static const char *const spaces[] = {"global", "shared", "local", "param"};
    static const char *const addresses[] = {"mov.u64 %rd4, %rd1;", "mov.u64 %rd4, cell; cvta.shared.u64 %rd4, %rd4;",
                                            "mov.u64 %rd4, stack; cvta.local.u64 %rd4, %rd4;",
                                            "mov.u64 %rd4, n; cvta.param.u64 %rd4, %rd4;"};
    for (unsigned a = 0; a < 4; a++) {
        uint32_t words[ENGINE_WORDS];
        char body[900] = ".local .u32 stack[4];\n";
        strcat(body, addresses[a]);
        for (unsigned s = 0; s < 4; s++)
            snprintf(body + strlen(body), sizeof body - strlen(body),
                     "isspacep.%s %%p1, %%rd4; selp.u32 %%r2, 1, 0, %%p1; st.global.u32 [%%rd1+%u], %%r2;\n", spaces[s],
                     4 * s);
        one_warp(".shared .u32 cell;", body, words);
        for (unsigned s = 0; s < 4; s++)
            assert_int_equal(words[s], a == s);
    }
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_of_surface_references),
        cmocka_unit_test(unbound_reference),
        cmocka_unit_test(reductions_of_a_warp),
        cmocka_unit_test(one_is_elected),
        cmocka_unit_test(spaces_of_addresses),
        cmocka_unit_test(vectors_in_registers),
        cmocka_unit_test(pairs_and_packs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

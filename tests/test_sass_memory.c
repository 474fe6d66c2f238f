/* Maxwell's loads, stores, atomics, constants, votes, shuffles, barriers, jumps and calls, run from their text. A block
 * is one warp; case n is lane n % 32 of block n / 32. */
#include "sass_rig.h"

static struct sass_rig rig;

static void open_with_noise(const char *text)
{
    uint32_t seed = 12345;
    sass_rig_open(&rig, text);
    for (unsigned n = 0; n < SASS_CASES; n++)
        for (unsigned k = 0; k < SASS_INPUTS; k++) {
            seed = seed * 747796405u + 2891336453u;
            rig.in[n][k] = seed >> 3 ^ seed << 17;
        }
}

static void expect(const char *what, unsigned n, unsigned k, uint32_t want)
{
    if (rig.out[n][k] != want)
        fail_msg("%s: case %u: R%u is %08x, not %08x", what, n, k, rig.out[n][k], want);
}

/* ---- loads and stores ------------------------------------------------------------------------------------- */

/* Shared memory: all sizes, offsets of both signs, bases below 0 that the sum brings back. */
static void shared_sizes(void **state)
{
    static const char text[] = "\n.shared 0x800\n"
                               "S2R R30, SR_LANEID; SHL R31, R30, 0x4; IADD32I R32, R31, -0x400;\n"
                               "STS.128 [R31], R8; LDS R0, [R32+0x404]; LDS.U8 R1, [R31+0x9]; LDS.S8 R2, [R31+0x3];\n"
                               "LDS.U16 R3, [R31+0x2]; LDS.S16 R4, [R31+0xe]; LDS.64 R6, [R31+0x8];\n"
                               "STS.U8 [R31+0x4], R12; STS.U16 [R31+0x6], R13; LDS R5, [R31+0x4];";
    (void)state;
    open_with_noise(text);
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        const uint32_t *r = rig.in[n];
        expect("word", n, 0, r[1]);
        expect("byte", n, 1, r[2] >> 8 & 0xff);
        expect("signed byte", n, 2, (uint32_t)(int8_t)(r[0] >> 24));
        expect("half", n, 3, r[0] >> 16);
        expect("signed half", n, 4, (uint32_t)(int16_t)(r[3] >> 16));
        expect("parts", n, 5, (r[1] & 0xff00) | (r[4] & 0xff) | r[5] << 16);
        expect("low", n, 6, r[2]);
        expect("high", n, 7, r[3]);
    }
    sass_rig_close(&rig);
}

/* The stack of a thread, and the windows of the generic space. */
static void windows(void **state)
{
    static const char text[] = "\n.shared 0x800\n"
                               "MOV R1, c[0x0][0x20]; IADD32I R1, R1, -0x20; STL.64 [R1+0x8], R8; LDL R30, [R1+0xc];\n"
                               "LOP.OR R32, R1, c[0x0][0x4]; MOV R33, RZ; LD.E R31, [R32+0x8];\n"
                               "S2R R34, SR_LANEID; SHL R35, R34, 0x2; STS [R35], R10; LOP.OR R36, R35, c[0x0][0x0];\n"
                               "MOV R37, RZ; LD.E R38, [R36]; ST.E [R36], R11; LDS R3, [R35]; LD R4, [R36];\n"
                               "MOV R0, R30; MOV R2, R38; MOV R5, c[0x0][0x8]; MOV R6, c[0x0][0x14]; MOV R1, R31;";
    (void)state;
    open_with_noise(text);
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        expect("local", n, 0, rig.in[n][1]);
        expect("local window", n, 1, rig.in[n][0]);
        expect("shared window", n, 2, rig.in[n][2]);
        expect("stored", n, 3, rig.in[n][3]);
        expect("32-bit address", n, 4, rig.in[n][3]);
        expect("ntid.x", n, 5, 32);
        expect("nctaid.x", n, 6, SASS_CASES / 32);
    }
    sass_rig_close(&rig);
}

/* The parameters as bytes, through an index. */
static void constants(void **state)
{
    (void)state;
    open_with_noise("LOP32I.AND R30, R8, 0xc; LDC R0, c[0x0][R30+0x140]; LDC.U16 R1, c[0x0][R30+0x142];"
                    "LDC.S8 R2, c[0x0][R30+0x141]; MOV R31, 0x148; LDC.64 R4, c[0x0][R31];");
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        uint8_t bytes[16];
        uint32_t word;
        memcpy(bytes, rig.parameters, 16);
        unsigned at = rig.in[n][0] & 12;
        memcpy(&word, bytes + at, 4);
        expect("word", n, 0, word);
        expect("half", n, 1, word >> 16);
        expect("byte", n, 2, (uint32_t)(int8_t)(word >> 8));
        memcpy(&word, bytes + 8, 4);
        expect("pair", n, 4, word);
    }
    sass_rig_close(&rig);
}

/* ---- atomics ------------------------------------------------------------------------------------------------ */

/* Each lane on a word of its own: old value and new. */
static void atomic_operations(void **state)
{
    static const struct {
        const char *op;
        unsigned number;
    } ops[] = {{"ADD", 0}, {"MIN", 1}, {"MIN.S32", 2}, {"MAX", 3}, {"MAX.S32", 4}, {"INC", 5},
               {"DEC", 6}, {"AND", 7}, {"OR", 8},      {"XOR", 9}, {"EXCH", 10}};
    (void)state;
    for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "\n.shared 0x800\nS2R R30, SR_LANEID; SHL R31, R30, 0x2; STS [R31], R8; ATOMS.%s R0, [R31], R9;\n"
                 "LDS R1, [R31]; LOP.OR R32, R31, c[0x0][0x0]; MOV R33, RZ; STS [R31], R8;\n"
                 "ATOM.E.%s R2, [R32], R9; LDS R3, [R31];%s",
                 ops[i].op, ops[i].op, i < 10 ? "STS [R31], R8; RED.E.%s [R32], R9; LDS R4, [R31];" : "");
        if (i < 10) {
            char whole[600];
            snprintf(whole, sizeof whole, text, ops[i].op);
            memcpy(text, whole, sizeof text);
        }
        open_with_noise(text);
        sass_rig_run(&rig);
        for (unsigned n = 0; n < SASS_CASES; n++) {
            uint32_t a = rig.in[n][0], b = rig.in[n][1];
            uint32_t results[] = {a + b,
                                  a < b ? a : b,
                                  (int32_t)a < (int32_t)b ? a : b,
                                  a > b ? a : b,
                                  (int32_t)a > (int32_t)b ? a : b,
                                  a >= b ? 0 : a + 1,
                                  a == 0 || a > b ? b : a - 1,
                                  a & b,
                                  a | b,
                                  a ^ b,
                                  b};
            uint32_t want = results[ops[i].number];
            expect(ops[i].op, n, 0, a);
            expect(ops[i].op, n, 1, want);
            expect(ops[i].op, n, 2, a);
            expect(ops[i].op, n, 3, want);
            if (i < 10)
                expect(ops[i].op, n, 4, want);
        }
        sass_rig_close(&rig);
    }
}

/* CAS gives the old value, CAST whether it was done; words and pairs; odd lanes compare with something else. */
static void compare_and_swap(void **state)
{
    static const char text[] =
        "\n.shared 0x800\nS2R R30, SR_LANEID; SHL R31, R30, 0x3; LOP32I.AND R34, R30, 0x1; LOP.XOR R40, R8, R34;\n"
        "MOV R41, R10; STS.64 [R31], R8; ATOMS.CAS R0, [R31], R40, R41; LDS R1, [R31];\n"
        "STS.64 [R31], R8; ATOMS.CAST R2, [R31], R40, R41; LDS R3, [R31];\n"
        "MOV R44, R40; MOV R45, R9; MOV R46, R10; MOV R47, R11; STS.64 [R31], R8;\n"
        "ATOMS.CAS.64 R4, [R31], R44, R46; LDS.64 R6, [R31];";
    (void)state;
    open_with_noise(text);
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        const uint32_t *r = rig.in[n];
        bool same = n % 2 == 0;
        expect("old", n, 0, r[0]);
        expect("new", n, 1, same ? r[2] : r[0]);
        expect("done", n, 2, same);
        expect("cast", n, 3, same ? r[2] : r[0]);
        expect("old pair", n, 4, r[0]);
        expect("old pair", n, 5, r[1]);
        expect("pair", n, 6, same ? r[2] : r[0]);
        expect("pair", n, 7, same ? r[3] : r[1]);
    }
    sass_rig_close(&rig);
}

/* The forms of SM 5.2 with a sparse predicate: linear memory is all there. */
static void sparse(void **state)
{
    static const char text[] =
        "\n.shared 0x800\nS2R R30, SR_LANEID; SHL R31, R30, 0x3; STS.64 [R31], R8;\n"
        "LOP.OR R32, R31, c[0x0][0x0]; MOV R33, RZ; PSETP.AND.AND P0, PT, PT, PT, PT; PSETP.AND.AND P1, PT, PT, PT, "
        "PT;\n"
        "ATOM.E.ADD P0, R0, [R32], R10; LDS R1, [R31]; MOV R40, R9; MOV R41, R11; IADD R34, R32, 0x4; MOV R35, RZ;\n"
        "ATOM.E.CAS P1, R2, [R34], R40, R41; LDS R3, [R31+0x4]; MOV R239, 0x1; SEL R4, R239, RZ, P0;\n"
        "SEL R5, R239, RZ, P1;";
    (void)state;
    open_with_noise(text);
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        const uint32_t *r = rig.in[n];
        expect("old", n, 0, r[0]);
        expect("sum", n, 1, r[0] + r[2]);
        expect("old of CAS", n, 2, r[1]);
        expect("swapped", n, 3, r[3]);
        expect("a page is not valid", n, 4, 0);
        expect("a page is not valid, CAS", n, 5, 0);
    }
    sass_rig_close(&rig);
}

/* A field makes the compare or the swap value RZ: the other one is Rb. */
static void swap_with_zero(void **state)
{
    static const char text[] =
        "\n.shared 0x800\nS2R R30, SR_LANEID; SHL R31, R30, 0x3; STS [R31], RZ; STS [R31+0x4], R8;\n"
        "LOP.OR R32, R31, c[0x0][0x0]; MOV R33, RZ; IADD R34, R32, 0x4; MOV R35, RZ; MOV R36, R8; MOV R38, R9;\n"
        "ATOM.E.CAS R0, [R32], RZ, R38; LDS R1, [R31]; ATOM.E.CAS R2, [R34], R36, RZ; LDS R3, [R31+0x4];";
    (void)state;
    open_with_noise(text);
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        expect("old, zero", n, 0, 0);
        expect("set", n, 1, rig.in[n][1]);
        expect("old", n, 2, rig.in[n][0]);
        expect("cleared", n, 3, 0);
    }
    sass_rig_close(&rig);
}

/* 32 lanes at one word: CAST lets them all try, one succeeds; CAST.SPIN lets the lowest of each bank try, here of the
 * odd lanes only. */
static void spin(void **state)
{
    static const char text[] =
        "\n.shared 0x800\nS2R R30, SR_LANEID; MOV R40, RZ; IADD R41, R30, 0x1; MOV R31, RZ; STS [R31+0x10], RZ;\n"
        "MOV R0, 0x55; ATOMS.CAST.SPIN R0, [R31+0x10], R40, R41; LDS R1, [R31+0x10];\n"
        "LOP32I.AND R32, R30, 0x1; ISETP.NE.AND P0, PT, R32, RZ, PT; STS [R31+0x10], RZ; MOV R2, 0x55;\n"
        "@P0 ATOMS.CAST.SPIN R2, [R31+0x10], R40, R41; LDS R3, [R31+0x10];\n"
        "LOP32I.AND R33, R30, 0xf; SHL R34, R33, 0x2; SHR.U32 R35, R30, 0x4; SHL R36, R35, 0x8; IADD R34, R34, R36;\n"
        "STS [R34], RZ; ATOMS.CAST.SPIN R4, [R34], R40, R41; LDS R5, [R34];";
    (void)state;
    open_with_noise(text);
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        unsigned lane = n % 32;
        expect("one word", n, 0, lane == 0);
        expect("the lowest lane's", n, 1, 1);
        expect("odd lanes", n, 2, lane % 2 == 0 ? 0x55 : lane == 1);
        expect("lane 1's", n, 3, 2);
        expect("one lane a bank, whatever the word", n, 4, lane < 16);
        expect("words of the others stay", n, 5, lane < 16 ? lane + 1 : 0);
    }
    sass_rig_close(&rig);
}

/* ---- the warp and the block ------------------------------------------------------------------------------------ */

static void votes(void **state)
{
    static const char text[] =
        "S2R R30, SR_LANEID; LOP32I.AND R31, R8, 0x1; ISETP.NE.AND P0, PT, R31, RZ, PT; ISETP.LT.AND P1, PT, R30, "
        "0x14, PT;\n"
        "VOTE.ALL R0, P2, P0; VOTE.ANY P3, P0; @P1 VOTE.ANY R1, PT, P0; VOTE.EQ P4, PT; P2R R2, PR, RZ, 0x1c;\n"
        "SHFL.IDX P5, R3, R9, 0x3, 0x1f; SHFL.DOWN P6, R4, R9, 0x5, 0x1f; P2R R5, PR, RZ, 0x60;\n"
        "SHFL.BFLY PT, R6, R9, 0x1, 0x1f; SHFL.UP PT, R7, R9, 0x2, 0x0;";
    (void)state;
    open_with_noise(text);
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        unsigned lane = n % 32, base = n - lane;
        uint32_t ballot = 0;
        for (unsigned i = 0; i < 32; i++)
            ballot |= (rig.in[base + i][0] & 1) << i;
        expect("ballot", n, 0, ballot);
        expect("ballot of some", n, 1, lane < 20 ? ballot & 0xfffff : 0);
        expect("votes", n, 2, (ballot == 0xffffffff ? 4u : 0u) | (ballot ? 8u : 0u) | 16);
        expect("idx", n, 3, rig.in[base + 3][1]);
        expect("down", n, 4, rig.in[lane + 5 < 32 ? n + 5 : n][1]);
        expect("in range", n, 5, 0x20u | (lane + 5 < 32 ? 0x40u : 0u));
        expect("bfly", n, 6, rig.in[n ^ 1][1]);
        expect("up", n, 7, rig.in[lane >= 2 ? n - 2 : n][1]);
    }
    sass_rig_close(&rig);
}

static void barriers(void **state)
{
    static const char text[] =
        "LOP32I.AND R31, R8, 0x1; ISETP.NE.AND P0, PT, R31, RZ, PT; BAR.SYNC 0x0; BAR.RED.POPC 0x0, P0; B2R.RESULT "
        "R0;\n"
        "BAR.RED.AND 0x0, P0; B2R.RESULT RZ, P1; BAR.RED.OR 0x0, P0; B2R.RESULT RZ, P2; P2R R1, PR, RZ, 0x6;\n"
        "S2R R2, SR_LANEID; S2R R3, SR_LTMASK; S2R R4, SR_TID; S2R R5, SR_VIRTID; S2R R6, SR_CTAID.X;";
    (void)state;
    open_with_noise(text);
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        unsigned lane = n % 32, base = n - lane, count = 0;
        for (unsigned i = 0; i < 32; i++)
            count += rig.in[base + i][0] & 1;
        expect("popc", n, 0, count);
        expect("and, or", n, 1, (count == 32 ? 2u : 0u) | (count ? 4u : 0u));
        expect("lane", n, 2, lane);
        expect("ltmask", n, 3, (UINT32_C(1) << lane) - 1);
        expect("tid", n, 4, lane);
        expect("virtid", n, 5, 0);
        expect("ctaid", n, 6, n / 32);
    }
    sass_rig_close(&rig);
}

/* ---- flow ------------------------------------------------------------------------------------------------------- */

/* A loop that lanes leave at different turns, some by BRK, with an if inside; a called function; a nested call. */
static void loops_and_calls(void **state)
{
    static const char text[] =
        "LOP32I.AND R30, R8, 0xf; MOV R0, RZ; MOV R31, RZ; PBK `(.L_done);\n"
        ".L_loop:\nISETP.GE.AND P0, PT, R31, R30, PT; @P0 BRK; IADD R31, R31, 0x1; SSY `(.L_join);\n"
        "LOP32I.AND R32, R31, 0x1; ISETP.EQ.AND P1, PT, R32, RZ, PT; @P1 BRA `(.L_even); IADD R0, R0, R31; SYNC;\n"
        ".L_even:\nIADD R0, R0, 0x64; SYNC;\n"
        ".L_join:\nBRA `(.L_loop);\n"
        ".L_done:\nCAL `(.L_twice); MOV R1, R0; CAL `(.L_four); MOV R2, R0; BRA `(.L_end);\n"
        ".L_four:\nCAL `(.L_twice); CAL `(.L_twice); RET;\n"
        ".L_twice:\nIADD R0, R0, R0; LOP32I.AND R33, R8, 0x10; ISETP.NE.AND P2, PT, R33, RZ, PT; @P2 RET;\n"
        "IADD R0, R0, 0x1; RET;\n"
        ".L_end:\n";
    (void)state;
    open_with_noise(text);
    sass_rig_run(&rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        uint32_t turns = rig.in[n][0] & 15, sum = 0, one = rig.in[n][0] & 16 ? 0 : 1;
        for (uint32_t i = 1; i <= turns; i++)
            sum += i % 2 ? i : 100;
        uint32_t twice = 2 * sum + one;
        expect("twice", n, 1, twice);
        expect("twice, in a call", n, 2, 2 * (2 * twice + one) + one);
    }
    sass_rig_close(&rig);
}

/* BRX with nothing known about its targets: any instruction may be one. */
static void indirect(void **state)
{
    static const char text[] = "LOP32I.AND R30, R8, 0x1; SHL R31, R30, 0x5; BRX R31 0x10;\n"
                               "NOP; NOP; NOP; NOP; NOP; NOP; NOP; NOP; NOP; NOP; NOP; NOP; NOP;";
    (void)state;
    open_with_noise(text);
    sass_rig_run(&rig);
    sass_rig_close(&rig);
}

/* A function in a section of its own, called through relocations, that calls itself; all share their registers. */
static void calls_between_sections(void **state)
{
    static const char text[] = ".kernel k\n"
                               "S2R R4, SR_TID.X;\n"
                               "JCAL 0x0;\n"
                               "IADD R4, R4, R4;\n"
                               "JCAL 0x0;\n"
                               "MOV R2, c[0x0][0x140];\n"
                               "MOV R3, c[0x0][0x144];\n"
                               "S2R R0, SR_TID.X;\n"
                               "ISCADD R2, R0, R2, 0x2;\n"
                               "STG.E [R2], R4;\n"
                               "EXIT;\n"
                               ".section .text.f, \"ax\", @progbits\n"
                               ".type f, @function\n"
                               ".global f\n"
                               "f:\n"
                               "IADD R4, R4, 0x1;\n"
                               "ISETP.GE.AND P0, PT, R4, 0x40, PT;\n"
                               "@P0 RET;\n"
                               "JCAL 0x0;\n"
                               "RET;\n"
                               ".section .rel.text.k, \"\", @rel\n"
                               ".reloc 0x10, R_CUDA_ABS32_20, f\n"
                               ".reloc 0x28, R_CUDA_ABS32_20, f\n"
                               ".section .rel.text.f, \"\", @rel\n"
                               ".reloc 0x28, R_CUDA_ABS32_20, f\n";
    struct atoll_error error = {0};
    struct atoll_device *device = NULL;
    struct atoll_module *module = NULL;
    struct atoll_kernel *kernel = NULL;
    uint64_t out = 0;
    uint32_t got[4];
    (void)state;
    assert_true(atoll_device_create(NULL, &device, &error));
    if (!atoll_module_load(device, text, sizeof text - 1, NULL, &module, &error))
        fail_msg("%u: %s", error.line, error.message);
    assert_true(atoll_module_kernel(module, "k", &kernel, &error));
    assert_true(atoll_memory_alloc(device, sizeof got, &out, &error));
    struct atoll_launch_options launch = {.block = {4, 1, 1}, .parameters = &out, .parameter_bytes = sizeof out};
    if (!atoll_launch(kernel, &launch, NULL, NULL, &error))
        fail_msg("%s", error.message);
    assert_true(atoll_memory_read(device, out, got, sizeof got, &error));
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(got[i], 2 * 0x40 + 1);
    atoll_module_destroy(module);
    atoll_device_destroy(device);
}

static void traps(void **state)
{
    (void)state;
    open_with_noise("BPT.TRAP 0x1;");
    assert_false(sass_rig_try(&rig));
    assert_non_null(strstr(rig.error.message, "BPT.TRAP"));
    sass_rig_close(&rig);
    open_with_noise("MOV R30, 0x2; MOV R31, RZ; LDG.E R0, [R30];");
    assert_false(sass_rig_try(&rig));
    assert_non_null(strstr(rig.error.message, "*/ LDG.E R0, [R30]"));
    sass_rig_close(&rig);
    open_with_noise("TEX.T R0, R0, 0x0, 2D, 0xf;");
    assert_false(sass_rig_try(&rig));
    assert_int_equal(rig.error.status, ATOLL_UNSUPPORTED);
    assert_non_null(strstr(rig.error.message, "TEX"));
    sass_rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(shared_sizes),
        cmocka_unit_test(windows),
        cmocka_unit_test(constants),
        cmocka_unit_test(atomic_operations),
        cmocka_unit_test(compare_and_swap),
        cmocka_unit_test(sparse),
        cmocka_unit_test(swap_with_zero),
        cmocka_unit_test(spin),
        cmocka_unit_test(votes),
        cmocka_unit_test(barriers),
        cmocka_unit_test(loops_and_calls),
        cmocka_unit_test(indirect),
        cmocka_unit_test(traps),
        cmocka_unit_test(calls_between_sections),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}

/* The check of uninitialised values: planted faults, single instructions, what counts as written, limits. */
#include "checks_rig.h"

static void test_planted(void **state)
{
    (void)state;
    planted("init", 26);
}

/* ---- single instructions ------------------------------------------------------------------------------------------
 */

/* Before a body: %rd1 and %rd2 are the arrays, %rd3 the surface, %r1 the thread, %p1 its being 0. */
#define KERNEL                                                                                                 \
    ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 s)\n{\n.reg .b64 %rd<9>;\n.reg .b32 "         \
    "%r<20>;\n.reg .b16 %h<4>;\n.reg .pred %p<9>;\n.shared .align 8 .b8 tile[512];\nld.param.u64 %rd1, [a];\n" \
    "ld.param.u64 %rd2, [b];\nld.param.u64 %rd3, [s];\nmov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n"
#define HEAD ".version 7.8\n.target sm_80\n.address_size 64\n"

/* The kernel's text has no lines of a source. */
static void add_cause(void *user, const struct atoll_finding *f)
{
    struct result *result = user;
    assert_true(result->count < FINDINGS);
    snprintf(result->found[result->count++].cause, sizeof result->found[0].cause, "%s", f->cause);
    strncat(result->messages, f->message, sizeof result->messages - strlen(result->messages) - 1);
}

static void one(const char *body, const char *cause)
{
    char text[8192] = HEAD KERNEL;
    struct result result;
    strcat(strcat(text, body), "\nret;\n}\n");
    run_with("init", text, "k", (struct atoll_launch_options){.order = ATOLL_ORDER_DETERMINISTIC}, add_cause, &result);
    if (cause ? result.count != 1 || strcmp(result.found[0].cause, cause) != 0 : result.count != 0)
        fail_msg("wanted %s: %s\n%s", cause ? cause : "nothing", body, result.messages);
}

#define BRANCH "\n@%p2 bra OUT;\nst.global.u32 [%rd2], %r1;\nOUT:"

/* Bits of %r2 from 8 on are undefined. */
#define BYTE "ld.shared.u32 %r3, [tile];\nand.b32 %r2, %r3, 0xffffff00;\n"

static void test_registers(void **state)
{
    (void)state;
    one("setp.eq.u32 %p2, %r2, 1;" BRANCH, "register");
    one("@%p1 mov.u32 %r2, 1;\n@!%p1 mov.u32 %r2, 2;\nsetp.eq.u32 %p2, %r2, 1;" BRANCH, NULL);
    one("@%p1 mov.u32 %r2, 1;\nsetp.eq.u32 %p2, %r2, 1;" BRANCH, "register");
    one("@%p2 mov.u32 %r2, 1;", NULL); /* nobody looks at it */
    one("mov.u32 %r2, 5;\n@%p3 mov.u32 %r2, 1;\nsetp.eq.u32 %p2, %r2, 1;" BRANCH, "register");
    one("st.global.u32 [%rd2], %r2;", NULL);
    one("add.u32 %r3, %r2, 1;\nst.global.u32 [%rd2], %r3;", "register");
    one("ld.global.u32 %r3, [%rd4];", "register");
    one("div.u32 %r3, %r1, %r2;", "register");
    one("div.u32 %r3, %r2, 5;", NULL);
    one("@%p2 bra OUT;\nOUT:", "register");
}

static void test_bits(void **state)
{
    (void)state;
    one(BYTE "and.b32 %r4, %r2, 255;\nsetp.eq.u32 %p2, %r4, 0;" BRANCH, NULL);
    one(BYTE "and.b32 %r4, %r2, 256;\nsetp.eq.u32 %p2, %r4, 0;" BRANCH, "shared");
    one(BYTE "or.b32 %r4, %r2, 0xffffff00;\nsetp.eq.u32 %p2, %r4, 0;" BRANCH, NULL);
    one(BYTE "lop3.b32 %r4, %r2, 255, %r1, 0x80;\nsetp.eq.u32 %p2, %r4, 0;" BRANCH, NULL);
    one(BYTE "lop3.b32 %r4, %r2, 511, %r1, 0xc0;\nsetp.eq.u32 %p2, %r4, 0;" BRANCH, "shared");
    one(BYTE "shl.b32 %r4, %r2, 24;\nsetp.eq.u32 %p2, %r4, 0;" BRANCH, NULL);
    one(BYTE "shr.u32 %r4, %r2, 8;\nsetp.eq.u32 %p2, %r4, 0;" BRANCH, "shared");
    one(BYTE "bfe.u32 %r4, %r2, 0, 8;\nsetp.eq.u32 %p2, %r4, 0;" BRANCH, NULL);
    one(BYTE "bfe.u32 %r4, %r2, 0, 9;\nsetp.eq.u32 %p2, %r4, 0;" BRANCH, "shared");
    one(BYTE "bfe.s32 %r4, %r2, 0, 8;\nsetp.eq.u32 %p2, %r4, 0;" BRANCH, NULL);
    one(BYTE "bfi.b32 %r4, %r2, %r1, 4, 8;\nand.b32 %r4, %r4, 0xfff;\nsetp.eq.u32 %p2, %r4, 0;" BRANCH, NULL);
    one(BYTE "bfi.b32 %r4, %r2, %r1, 4, 9;\nand.b32 %r4, %r4, 0x1fff;\nsetp.eq.u32 %p2, %r4, 0;" BRANCH, "shared");
    one(BYTE "prmt.b32 %r4, %r2, %r1, 0x4440;\nsetp.eq.u32 %p2, %r4, 0;" BRANCH, NULL);
    one(BYTE "prmt.b32 %r4, %r2, %r1, 0x4441;\nsetp.eq.u32 %p2, %r4, 0;" BRANCH, "shared");
    one(BYTE "cvt.u32.u8 %r4, %r2;\nsetp.eq.u32 %p2, %r4, 0;" BRANCH, NULL);
    one(BYTE "cvt.u32.u16 %r4, %r2;\nsetp.eq.u32 %p2, %r4, 0;" BRANCH, "shared");
    one(BYTE "mov.b32 {%h1, %h2}, %r2;\nsetp.eq.u16 %p2, %h2, 0;" BRANCH, "shared");
    one(BYTE "add.u32 %r4, %r2, 3;\nand.b32 %r4, %r4, 255;\nsetp.eq.u32 %p2, %r4, 0;" BRANCH, NULL);
    one(BYTE "mul.lo.u32 %r4, %r2, 3;\nand.b32 %r4, %r4, 511;\nsetp.eq.u32 %p2, %r4, 0;" BRANCH, "shared");
    one(BYTE "selp.b32 %r4, %r1, %r2, %p1;\nand.b32 %r4, %r4, 255;\nsetp.eq.u32 %p2, %r4, 0;" BRANCH, NULL);
    one(BYTE "shf.l.wrap.b32 %r4, %r1, %r2, 8;\nand.b32 %r4, %r4, 0xff00;\nsetp.eq.u32 %p2, %r4, 0;" BRANCH, NULL);
}

/* %r5: bits 8 to 11 of %r2. */
#define NIBBLE     BYTE "and.b32 %r5, %r2, 0xf00;\n"
#define TEST(mask) "\nand.b32 %r4, %r4, " mask ";\nsetp.eq.u32 %p2, %r4, 0;" BRANCH

static void test_sums(void **state)
{
    (void)state;
    one(NIBBLE "add.u32 %r4, %r5, 0x1000;" TEST("0xfffff0ff"), NULL);
    one(NIBBLE "add.u32 %r4, %r5, 0x1000;" TEST("0x800"), "shared");
    one(NIBBLE "add.u32 %r4, %r5, 0x100;" TEST("0x1000"), "shared");
    one(NIBBLE "add.u32 %r4, %r5, 0x100;" TEST("0x2000"), NULL);
    one(NIBBLE "add.u32 %r4, %r5, 0xff;" TEST("0x1000"), NULL);
    one(NIBBLE "sub.u32 %r4, 0x1f00, %r5;" TEST("0xfffff0ff"), NULL);
    one(NIBBLE "sub.u32 %r4, 0x1000, %r5;" TEST("0x1000"), "shared");
    one(NIBBLE "sub.u32 %r4, 0x1000, %r5;" TEST("0xffffe000"), NULL);
    one(NIBBLE "neg.s32 %r4, %r5;" TEST("0x80000000"), "shared");
    one(NIBBLE "neg.s32 %r4, %r5;" TEST("0xff"), NULL);
    one(NIBBLE "add.cc.u32 %r6, %r1, %r1;\naddc.u32 %r4, %r5, 0x10ff;" TEST("0xffffe0ff"), NULL);
    one(NIBBLE "add.cc.u32 %r6, %r5, %r1;\naddc.u32 %r4, %r1, 0;" TEST("1"), "shared");
    one(NIBBLE "mad.lo.u32 %r4, %r5, 16, 0x10000;" TEST("0xffff0fff"), NULL);
    one(NIBBLE "mad.lo.u32 %r4, %r5, 3, 1;" TEST("255"), NULL);
}

static void test_products(void **state)
{
    (void)state;
    one(NIBBLE "mul.lo.u32 %r4, %r5, 16;" TEST("0xffff0fff"), NULL);
    one(NIBBLE "mul.lo.u32 %r4, %r5, 16;" TEST("0x8000"), "shared");
    one(NIBBLE "mul.lo.u32 %r4, %r5, 48;" TEST("0xfff"), NULL);
    one(NIBBLE "mul.lo.u32 %r4, %r5, 48;" TEST("0x10000"), "shared");
    one(NIBBLE "mul.lo.u32 %r4, 16, %r5;\nst.global.u32 [%rd2], %r4;", NULL);
    one(NIBBLE "mul.lo.u32 %r4, 3, %r5;\nst.global.u32 [%rd2], %r4;", "shared");
    one(BYTE "mul.lo.u32 %r4, %r2, 2;\nst.global.u32 [%rd2], %r4;", "shared");
    one(NIBBLE "mul.wide.u32 %rd5, %r5, 0x10000000;\ncvt.u32.u64 %r4, %rd5;" TEST("0xffffffff"), NULL);
    one(NIBBLE "mul.wide.u32 %rd5, %r5, 0x10000000;\nshr.u64 %rd5, %rd5, 36;\ncvt.u32.u64 %r4, %rd5;" TEST("1"),
        "shared");
    one(BYTE "mul.wide.s32 %rd5, %r2, 2;\nshr.u64 %rd5, %rd5, 63;\ncvt.u32.u64 %r4, %rd5;" TEST("1"), "shared");
}

/* Bits of %r2 from 16 on are undefined. */
#define HALF "ld.shared.u32 %r3, [tile];\nand.b32 %r2, %r3, 0xffff0000;\n"

static void test_packed(void **state)
{
    (void)state;
    one(HALF "add.f16x2 %r4, %r2, %r1;" TEST("0xffff"), NULL);
    one(HALF "add.f16x2 %r4, %r2, %r1;" TEST("0x10000"), "shared");
    one(HALF "fma.rn.bf16x2 %r4, %r1, %r1, %r2;" TEST("0xffff"), NULL);
    one(HALF "neg.f16x2 %r4, %r2;" TEST("0xffff"), NULL);
    one(HALF "set.lt.f16x2.f16x2 %r4, %r2, %r1;" TEST("0xffff"), NULL);
    one(HALF "setp.lt.f16x2 %p2|%p3, %r2, %r1;" BRANCH, NULL);
    one(HALF "setp.lt.f16x2 %p3|%p2, %r2, %r1;" BRANCH, "shared");
    one(BYTE "cvt.rn.f16x2.f32 %r4, %r2, %r1;" TEST("0xffff"), NULL);
    one(BYTE "cvt.rn.f16x2.f32 %r4, %r1, %r2;" TEST("0xffff"), "shared");
    one(BYTE "vabsdiff4.u32.u32.u32 %r4, %r2, %r1, %r1;" TEST("0xff"), NULL);
    one(BYTE "vadd4.u32.u32.u32 %r4, %r2, %r1, %r1;" TEST("0xff"), NULL);
    one(BYTE "vabsdiff4.u32.u32.u32.add %r4, %r2, %r1, %r1;" TEST("0xff"), "shared");
}

/* What is known may settle a comparison. */
static void test_comparisons(void **state)
{
    (void)state;
    one(BYTE "or.b32 %r4, %r2, 1;\nsetp.eq.u32 %p2, %r4, 0;" BRANCH, NULL);
    one(BYTE "setp.eq.u32 %p2, %r2, 256;" BRANCH, "shared");
    one(BYTE "or.b32 %r4, %r2, 0x80000000;\nsetp.gt.u32 %p2, %r4, 5;" BRANCH, NULL);
    one(BYTE "or.b32 %r4, %r2, 0x80000000;\nsetp.lt.s32 %p2, %r4, 0;" BRANCH, NULL);
    one(BYTE "or.b32 %r4, %r2, 0x80000000;\nsetp.gt.u32 %p2, %r4, 0x80000400;" BRANCH, "shared");
    one(BYTE "setp.eq.u32 %p2, %r2, 256;\nand.pred %p2, %p2, %p3;\n", NULL);
    one(BYTE "setp.eq.u32 %p3, %r2, 256;\nsetp.ne.u32 %p4, %r1, %r1;\nand.pred %p2, %p3, %p4;" BRANCH, NULL);
}

static void test_memory_ways(void **state)
{
    (void)state;
    one("ld.shared.v2.u32 {%r2, %r3}, [tile];\nst.global.v2.u32 [%rd2], {%r2, %r3};", NULL);
    one("st.shared.u32 [tile], %r1;\nld.shared.v2.u32 {%r2, %r3}, [tile];\nsetp.eq.u32 %p2, %r2, 0;" BRANCH, NULL);
    one("st.shared.u32 [tile], %r1;\nld.shared.v2.u32 {%r2, %r3}, [tile];\nsetp.eq.u32 %p2, %r3, 0;" BRANCH, "shared");
    one("st.shared.u8 [tile], %r1;\nld.shared.s8 %r2, [tile];\nsetp.eq.u32 %p2, %r2, 0;" BRANCH, NULL);
    one("ld.shared.s8 %r2, [tile];\nshr.u32 %r2, %r2, 31;\nsetp.eq.u32 %p2, %r2, 0;" BRANCH, "shared");
    one("ld.shared.u8 %r2, [tile];\nshr.u32 %r2, %r2, 8;\nsetp.eq.u32 %p2, %r2, 0;" BRANCH, NULL);
    one("atom.shared.exch.b32 %r2, [tile], 5;\nld.shared.u32 %r3, [tile];\nsetp.eq.u32 %p2, %r3, 5;" BRANCH, NULL);
    one("atom.shared.add.u32 %r2, [tile], 5;", "shared");
    one("ld.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p2, %r2, 5;" BRANCH, NULL); /* the host's zeros */
    one("ld.global.u32 %r2, [%rd2];\nsetp.eq.u32 %p2, %r2, 5;" BRANCH, "global");
    one("suld.b.2d.b32.trap %r2, [%rd3, {0, 0}];\nsetp.eq.u32 %p2, %r2, 5;" BRANCH, "surface");
    one("sust.p.2d.b32.trap [%rd3, {0, 0}], %r2;", "register");
    one("sust.b.2d.b32.trap [%rd3, {0, 0}], %r2;", NULL);
    one("suld.b.2d.b32.trap %r2, [%rd3, {%r3, 0}];", "register");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted),     cmocka_unit_test(test_registers),   cmocka_unit_test(test_bits),
        cmocka_unit_test(test_comparisons), cmocka_unit_test(test_memory_ways), cmocka_unit_test(test_sums),
        cmocka_unit_test(test_products),    cmocka_unit_test(test_packed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

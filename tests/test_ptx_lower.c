/* Lowering of PTX to the lane program, read from the lane program's text: one fragment a case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "isa/ptx/ast.h"
#include "lane/lane.h"

static void print_diagnostic(void *user, const struct atoll_diagnostic *d)
{
    (void)user;
    print_error("%u: %s: %s\n    %.*s\n", d->line, d->code, d->message, (int)d->line_length, d->line_text);
}

/* Lowers and verifies a module (above: text at module scope); prints it into `out`. */
static void lower_module(const char *above, const char *body, struct text *out)
{
    struct text text = {0};
    struct arena arena = {0};
    struct ptx_module *module;
    struct lane_module lanes = {0};
    struct atoll_error error = {0};
    text_printf(
        &text,
        ".version 8.8 .target sm_100 .address_size 64\n%s\n.visible .entry k(.param .u64 p, .param .align 8 .b8 "
        "q[12], .param .u32 n) {\n"
        ".reg .pred %%p<9>; .reg .b16 %%rs<9>; .reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .f32 %%f<9>;"
        ".reg .f64 %%fd<9>;\n%s\n}\n",
        above, body);
    struct atoll_module_options options = {.diagnose = print_diagnostic};
    struct diag diag = {.source = text.bytes, .size = text.length, .options = &options};
    assert_true(ptx_parse(&arena, &diag, &module));
    assert_true(ptx_check(module, &diag));
    assert_int_equal(diag.errors, 0);
    if (!ptx_lower(module, &lanes, &error) || !lane_verify(&lanes, &error))
        fail_msg("%s\n%s", body, error.message);
    lane_print(&lanes, out);
    assert_true(text_ok(out));
    lane_module_free(&lanes);
    arena_free(&arena);
    text_free(&text);
}

/* Each line of `lines` occurs in the text, in this order. */
static void expect(const char *above, const char *body, const char *const *lines)
{
    struct text text = {0};
    lower_module(above, body, &text);
    const char *at = text.bytes;
    for (; *lines != NULL; lines++) {
        const char *found = strstr(at, *lines);
        if (found == NULL)
            fail_msg("%s\n  lacks: %s\n  in:\n%s", body, *lines, text.bytes);
        at = found + strlen(*lines);
    }
    text_free(&text);
}

#define EXPECT(above, body, ...) expect(above, body, (const char *const[]){__VA_ARGS__, NULL})

static void operands_get_the_width_of_the_operation(void **state)
{
    (void)state;
    EXPECT("", "cvt.s64.s8 %rd1, %rs1;", "= cvt.u8.u16 %rs1", "%rd1 = cvt.s64.s8");
    EXPECT("", "cvt.u32.u64 %rd1, %rd2;", "= cvt.u32.u64 %rd2", "%rd1 = cvt.u64.u32");
    EXPECT("", "cvt.s8.s32 %r1, %r2;", "= cvt.s8.s32 %r2", "%r1 = cvt.u32.s8");
    EXPECT("", "mov.f32 %f1, 1.5; mov.f64 %fd1, 0f3fc00000;", "0x3fc00000", "0x3ff8000000000000");
    EXPECT("", "mov.b64 {%r1, _}, %rd1; mov.b32 %r2, {%rs1, 5};", "%r1, _ = unpack.b64.b32 %rd1",
           "%r2 = pack.b32.b16 %rs1, 5");
    EXPECT("", "mov.u32 %r1, %tid.x; cvt.u64.u32 %rd1, %ntid.y;", "%r1 = sreg.tid.x.b32", "sreg.ntid.y.b32",
           "%rd1 = cvt.u64.u32");
}

static void predicates_are_combined(void **state)
{
    (void)state;
    EXPECT("", "setp.lt.s32 %p1, %r1, %r2;", "%p1 = setp.lt.s32 %r1, %r2");
    EXPECT("", "setp.lo.or.u32 %p1, %r1, %r2, !%p2;", "= not.pred %p2", "= setp.lt.u32", "%p1 = or.pred");
    EXPECT("", "setp.eq.f32 %p1|%p2, %f1, %f2;", "setp.eq.f32", "not.pred", "%p1 = mov.pred", "%p2 = mov.pred");
    EXPECT("", "set.gt.u32.f32 %r1, %f1, %f2;", "setp.gt.f32", "%r1 = selp.b32 0xffffffff, 0");
    EXPECT("", "set.gt.f32.s32 %f1, %r1, %r2;", "setp.gt.s32", "%f1 = selp.b32 0x3f800000, 0");
}

static void a_guard_that_is_overwritten_is_kept(void **state)
{
    (void)state;
    EXPECT("", "@!%p1 setp.eq.s32 %p1|%p2, %r1, %r2;", "%1 = mov.pred %p1", "@!%1 %p1 = mov.pred",
           "@!%1 %p2 = mov.pred");
}

static void carries_chain_through_one_predicate(void **state)
{
    (void)state;
    EXPECT("", "add.cc.u32 %r1, %r2, %r3; addc.cc.u32 %r4, %r5, 0; addc.u32 %r6, %r6, 0;",
           "%r1, %cc = addc.u32 %r2, %r3, _", "%r4, %cc = addc.u32 %r5, 0, %cc", "%r6, _ = addc.u32 %r6, 0, %cc");
    EXPECT("", "mad.hi.cc.u32 %r1, %r2, %r3, %r4; madc.lo.u32 %r1, %r2, %r3, %r4;", "%r1, %cc = madc.",
           "%r1, _ = madc.");
    EXPECT("", "subc.cc.u32 %r1, %r2, %r3; addc.u32 %r4, 0, 0;", "%4 = not.pred %cc", "%r1, %5 = subc.u32 %r2, %r3, %4",
           "%cc = not.pred %5", "%r4, _ = addc.u32 0, 0, %cc");
}

static void parameters_have_offsets(void **state)
{
    (void)state;
    EXPECT("", "ld.param.u32 %r1, [n]; ld.param.v2.u8 {%rs1, %rs2}, [q+2];", "param \"q\" \"b8\" offset 8 size 12",
           "param \"n\" \"u32\" offset 20", "%r1 = ld.param.u32 [20:64]", "ld.param.v2.u8 [8:64+2]");
    EXPECT("", "mov.u64 %rd1, q; ld.param.u32 %r1, [%rd1+4]; cvta.param.u64 %rd2, %rd1;", "%rd1 = mov.b64 8",
           "%r1 = ld.param.u32 [%rd1+4]", "%rd2 = add.u64 %rd1, 0x3000000");
}

static void spaces_have_windows(void **state)
{
    (void)state;
    EXPECT(".shared .b32 s[8]; .global .u32 g;",
           "cvta.shared.u64 %rd1, s; cvta.to.shared.u64 %rd2, %rd1; mov.u32 %r1, s;"
           " cvta.global.u64 %rd3, g; st.shared.u32 [s+4], %r1;",
           "%rd1 = mov.b64 &s+16777216", "%rd2 = sub.u64 %rd1, 0x1000000", "%r1 = mov.b32 &s", "%rd3 = mov.b64 &g",
           "st.shared.passes.u32 [&s:64+4], %r1");
    EXPECT("",
           ".local .align 8 .b8 depot[16]; mov.u64 %rd1, depot; cvta.local.u64 %rd2, %rd1; st.local.u32 [depot+8], 1;",
           "local 16", "frame.b64 #0", "%rd2 = add.u64 %rd1, 0x2000000", "frame.b64 #0", "st.local.u32 [", "+8]");
}

static void variables_have_bytes_and_addresses(void **state)
{
    (void)state;
    EXPECT(
        ".global .u16 h[4] = {1, 2, -1}; .const .f32 c[2] = {1.0, 0f40000000}; .global .u64 a[2] = {h, generic(h)+4};"
        " .global .f64 d = 0.5; .global .align 4 .b8 m[2][3] = {{1, 2}, {3, 4, 5}};",
        "ret;", "\"h\" global size 8", "init 01000200ffff0000", "\"c\"", "init 0000803f00000040", "\"a\"", "\"d\"",
        "init 000000000000e03f", "\"m\"", "init 010200030405");
    EXPECT(".extern .shared .align 16 .b8 dyn[];", "mov.u32 %r1, dyn;", "symbol \"dyn\" shared", "%r1 = mov.b32 &dyn");
}

static void calls_go_through_the_frame(void **state)
{
    (void)state;
    EXPECT(".func (.param .b32 r) f(.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a]; st.param.b32 [r], %x; ret; }",
           "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), f, (a); ld.param.b32 %r1, [b]; }",
           "func \"f\"", "arg 4:4:4", "result 0:4:4", "kernel \"k\"", "st.local.b32", "call f (0:4:4) -> (4:4:4)",
           "%r1 = ld.local.b32");
    EXPECT(".func (.reg .b32 r) g(.reg .b32 a) { add.s32 r, a, 1; ret; }", "call (%r1), g, (5);", "func \"g\"",
           "a = ld.local", "r = add.s32 a, 1", "st.local", "ret", "kernel", "st.local", "call g", "%r1 = ld.local");
    EXPECT(".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);",
           "{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd1; st.param.b64 [b], 0;"
           " call.uni (r), vprintf, (a, b); ld.param.b32 %r1, [r]; }",
           "syscall.vprintf", "%r1 = ld.local.b32");
    EXPECT(".extern .func other(.param .b32 a);", "{ .param .b32 a; call other, (a); }",
           "unsupported \"not supported: call of the external function other\"");
    EXPECT(".func h(.param .b32 a) { ret; }",
           "mov.u64 %rd1, h; { .param .b32 a; P: .callprototype _ (.param .b32 _); call %rd1, (a), P; }",
           "%rd1 = mov.b64 &h", "call", "%rd1");
}

static void labels_start_blocks(void **state)
{
    (void)state;
    EXPECT("", "bra.uni B;\nA: add.s32 %r1, %r1, 1;\n@%p1 bra A;\nB: ret;", "b0:", "bra.uni b2", "b1:", "@%p1 bra b1",
           "b2:");
    EXPECT("", "T: .branchtargets A, B;\nbrx.idx %r1, T;\nA: exit;\nB: ret;", "brx", "b1:", "exit", "b2:", "ret");
    EXPECT("", "A: bra A;", "b0:", "bra b0");
}

static void memory_instructions_keep_their_access(void **state)
{
    (void)state;
    EXPECT("", "ld.global.nc.v4.f32 {%f1, %f2, _, %f4}, [%rd1+16];",
           "%f1, %f2, _, %f4 = ld.global.readonly.v4.f32 [%rd1+16]");
    EXPECT("",
           "ld.acquire.gpu.u32 %r1, [%rd1]; st.release.sys.global.u8 [%rd1], %rs1; ld.volatile.shared.u32 %r1, [%r2];",
           "acquire.gpu", "release.sys", "volatile");
    EXPECT("", "st.async.mmio.release.sys.global.u32 [%rd1], %r1; st.async.release.gpu.b32 [%rd1], %r1;", "release.sys",
           "release.gpu");
    EXPECT("", "st.u64 [%rd1], 5;", "st.generic.passes.u64 [%rd1], 5");
}

static void known_gaps_have_names(void **state)
{
    (void)state;
    EXPECT("", "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];",
           "unsupported \"not supported: tex.1d.v4.f32.s32\"");
    EXPECT("", "tex.level.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1}], %f2;",
           "unsupported \"not supported: tex.level.1d.v4.f32.f32\"");
}

static void old_warp_instructions_take_the_running_lanes(void **state)
{
    (void)state;
    EXPECT("", "vote.sync.ballot.b32 %r1, !%p1, -1; shfl.sync.bfly.b32 %f1|%p2, %f2, 16, 31, -1;", "%r1 = ballot",
           "%f1, %p2 = shfl.bfly %f2, 16, 31, 0xffffffff");
    EXPECT("", "bar.red.popc.u32 %r1, 0, %p1; bar.red.or.pred %p2, 1, 64, !%p1; barrier.sync 0; bar.arrive 1, 64;",
           "%r1, _ = barred", "_, %p2 = barred", "bar", "bar");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_get_the_width_of_the_operation),
        cmocka_unit_test(predicates_are_combined),
        cmocka_unit_test(a_guard_that_is_overwritten_is_kept),
        cmocka_unit_test(carries_chain_through_one_predicate),
        cmocka_unit_test(parameters_have_offsets),
        cmocka_unit_test(spaces_have_windows),
        cmocka_unit_test(variables_have_bytes_and_addresses),
        cmocka_unit_test(calls_go_through_the_frame),
        cmocka_unit_test(labels_start_blocks),
        cmocka_unit_test(memory_instructions_keep_their_access),
        cmocka_unit_test(known_gaps_have_names),
        cmocka_unit_test(old_warp_instructions_take_the_running_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Lowering of surface and atomic instructions: what each becomes, and that everything accepted lowers to a verified
 * lane program without gaps. */
#include "ptx_lines.h"

/* The instruction becomes the lines `lanes` (without the source line number at their ends). */
static void becomes(const char *instruction, const char *lanes)
{
    struct text found = {0};
    lines_become(instruction, false, &found);
    assert_string_equal(found.bytes, lanes);
    text_free(&found);
}

/* PTX writes the layer first, the lane program last; missing coordinates are 0; surplus ones are not looked at. */
static void coordinates(void **state)
{
    (void)state;
    becomes("suld.b.1d.b32.trap %r1, [S, {%r2}];", "%r1 = suld.1d.trap.byte.b32 &S, %r2");
    becomes("suld.b.1d.b32.trap %r1, [S, {%r2,%r3}];", "%r1 = suld.1d.trap.byte.b32 &S, %r2");
    becomes("suld.b.4d.b32.trap %r1, [S, {%r2}];", "%r1 = suld.1dbuffer.trap.byte.b32 &S, %r2");
    becomes("suld.b.2d.b32.trap %r1, [S, {%r2,%r3}];", "%r1 = suld.2d.trap.byte.b32 &S, %r2, %r3");
    becomes("suld.b.a1d.b32.trap %r1, [S, {%r2,%r3}];",
            "%5 = and.b32 %r2, 65535; %r1 = suld.1darray.trap.byte.b32 &S, %r3, %5");
    becomes("suld.b.a2d.b32.trap %r1, [S, {%r2,%r3,%r4,%r5}];",
            "%6 = and.b32 %r2, 65535; %r1 = suld.2darray.trap.byte.b32 &S, %r3, %r4, %6");
    becomes("suld.b.3d.b32.trap %r1, [S, {%r2,%r3,%r4,%r5}];", "%r1 = suld.3d.trap.byte.b32 &S, %r2, %r3, %r4");
    becomes("suld.b.2d.b32.trap %r1, [S, %r2];", "%r1 = suld.2d.trap.byte.b32 &S, %r2, 0:32");
    becomes("suld.b.a2d.b32.trap %r1, [S, %r2];",
            "%4 = and.b32 %r2, 65535; %r1 = suld.2darray.trap.byte.b32 &S, 0:32, 0:32, %4");
    becomes("suld.b.2d.b32.trap %r1, [S, %v2_1];", "%r1 = suld.2d.trap.byte.b32 &S, %v2_1.x, %v2_1.y");
    becomes("suld.b.2d.b32.trap %r1, [S, {%r2,%f1}];", "%r1 = suld.2d.trap.byte.b32 &S, %r2, %f1");
    becomes("suld.b.2d.b32.trap %r1, [S, {-1,7}];", "%r1 = suld.2d.trap.byte.b32 &S, 0xffffffff:32, 7:32");
}

static void handles(void **state)
{
    (void)state;
    becomes("suld.b.1d.b32.zero %r1, [%rd9, {%r2}];", "%r1 = suld.1d.zero.byte.b32 %rd9, %r2");
    becomes("suq.height.b32 %r1, [S];", "%r1 = suq.second &S");
    becomes("suq.memory_layout.b32 %f1, [%ud1];", "%f1 = suq.memory_layout %ud1");
    becomes("suq.width.b32 %r1, [ps];", "%3 = ld.param.b64 [8:64]; %r1 = suq.first %3");
}

static void data(void **state)
{
    (void)state;
    becomes("suld.b.1d.v4.b8.clamp {%r1,%r2,_,%r4}, [S, {%r0}];",
            "%r1, %r2, _, %r4 = suld.1d.near.byte.short.v4.b8 &S, %r0");
    becomes("suld.b.1d.b8.clamp %rd1, [S, {%r0}];", "%rd1 = suld.1d.near.byte.short.b8 &S, %r0");
    becomes("suld.b.1d.v4.b32.clamp %v4_1, [S, {%r0}];",
            "%v4_1.x, %v4_1.y, %v4_1.z, %v4_1.w = suld.1d.near.byte.short.v4.b32 &S, %r0");
    becomes("suld.b.1d.b32.clamp {%r1,%r2}, [S, {%r0}];", "%r1, %r2 = suld.1d.near.byte.short.tuple.b32 &S, %r0");
    becomes("suld.b.1d.b32.clamp {%laneid,%r2}, [S, {%r0}];", "_, %r2 = suld.1d.near.byte.short.tuple.b32 &S, %r0");
    becomes("sust.b.1d.v2.b16.trap [S, {%r0}], {1,-1};", "sust.1d.trap.byte.v2.b16 &S, %r0, 1:16, 65535:16");
    becomes("sust.b.1d.b32.trap [S, {%r0}], {%r1,%r2,%r3,%r4};", "sust.1d.trap.byte.b32 &S, %r0, %r1");
    becomes("sust.b.1d.b32.trap [S, {%r0}], 0f3F800000;", "sust.1d.trap.byte.b32 &S, %r0, 0x3f800000:32");
    becomes("sust.b.1d.b16.trap [S, {%r0}], %fd1;", "sust.1d.trap.byte.b16 &S, %r0, %fd1");
    becomes("sust.p.2d.v4.b32.zero [S, {%r0,%r1}], {%f1,%f2,%f3,%f4};",
            "sust.2d.zero.sample.p.fixed.v4.b32 &S, %r0, %r1, %f1, %f2, %f3, %f4");
    becomes("sured.b.min.1d.s64.trap [S, {%r0}], %rd1;", "sured.min.1d.trap.byte.relaxed.sys.s64 &S, %r0, %rd1");
    becomes("sured.p.or.2d.b32.clamp [S, {%r0,%r1}], 7;",
            "sured.or.2d.near.sample.p.snorm.short.relaxed.sys.b32 &S, %r0, %r1, 7:32");
}

/* Registers narrower than the element, which ptxas takes when the vector as a whole is large enough, get its low bits.
 */
static void narrow_registers(void **state)
{
    (void)state;
    becomes("suld.b.1d.b64.zero {%r1,%r2}, [S, {%r0}];",
            "%4, %5 = suld.1d.zero.byte.tuple.b64 &S, %r0; %r1 = cvt.u32.u64 %4; %r2 = cvt.u32.u64 %5");
    becomes("sust.b.1d.b64.zero [S, {%r0}], {%r1,%r2};", "%5 = cvt.u64.u32 %r1; sust.1d.zero.byte.b64 &S, %r0, %5");
}

static void atomics(void **state)
{
    (void)state;
    becomes("atom.add.u32 %r1, [%rd9], %r2;", "%r1 = atom.generic.add.relaxed.gpu.u32 [%rd9], %r2");
    becomes("atom.add.u32 _, [%rd9], 1;", "red.generic.add.relaxed.gpu.u32 [%rd9], 1:32");
    becomes("atom.exch.b64 _, [%rd9], %fd1;", "red.generic.exch.relaxed.gpu.b64 [%rd9], %fd1");
    becomes("red.release.cta.shared.inc.u32 [SH+8], %r2;", "red.shared.inc.release.cta.u32 [&SH:64+8], %r2");
    becomes("red.shared.max.s64 [%r19+16], %rd2;", "red.shared.max.relaxed.gpu.s64 [%r19+16], %rd2");
    becomes("atom.global.acq_rel.sys.cas.b16 %h1, [G], %h2, 3;",
            "%h1 = atom.global.cas.acq_rel.sys.b16 [&G:64], %h2, 3:16");
    becomes("atom.exch.b128 %q1, [%rd9], %q2;", "%q1 = atom.generic.exch.relaxed.gpu.b128 [%rd9], %q2");
    becomes("atom.global.add.L2::cache_hint.u32 %r1, [%rd9], %r2, %rd5;",
            "%r1 = atom.global.add.relaxed.gpu.u32 [%rd9], %r2");
    becomes("atom.shared::cluster.cluster.min.u64 %rd1, [%rd8], %rd2;",
            "%rd1 = atom.shared.min.relaxed.cluster.u64 [%rd8], %rd2");
    becomes("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r19], %r1, [%r18];",
            "red.shared.add.relaxed.cluster.u32 [%r19], %r1; "
            "mbartx.complete.shared.relaxed.cluster.b64 [%r18], 4");
    becomes("red.async.relaxed.gpu.max.s32 [%rd9], %r1;", "red.generic.max.relaxed.gpu.s32 [%rd9], %r1");
}

/* f32 additions flush where the target is global memory, f64 additions keep NaNs. */
static void float_atomics(void **state)
{
    (void)state;
    becomes("atom.add.f32 %f1, [%rd9], 1.0;", "%f1 = atom.generic.add.relaxed.gpu.ftz.f32 [%rd9], 0x3f800000:32");
    becomes("red.global.add.f64 [%rd9], %fd1;", "red.global.add.relaxed.gpu.nan.f64 [%rd9], %fd1");
    becomes("red.add.noftz.bf16x2 [%rd9], %r1;", "red.generic.add.relaxed.gpu.bf16x2 [%rd9], %r1");
    becomes("atom.global.add.v2.f32 {%f1,_}, [G], {%f2,1.0};",
            "%f1, _ = atom.global.add.relaxed.gpu.ftz.v2.f32 [&G:64], %f2, 0x3f800000:32");
    becomes("red.global.min.noftz.v8.f16 [G], {%h1,%h2,%h3,%h4,%h5,%h6,%h7,%h8};",
            "red.global.min.relaxed.gpu.v8.f16 [&G:64], %h1, %h2, %h3, %h4, %h5, %h6, %h7, %h8");
}

/* Everything accepted lowers. */
static void no_gaps(void **state)
{
    (void)state;
    struct forms forms = {.state = 77, .mistakes = 3};
    struct text all = {0}, kept = {0}, lanes = {0};
    struct parsed p;
    enum { COUNT = 5000 };
    static bool wrong[COUNT];
    forms_heading(&all, "9.0", "sm_90");
    for (unsigned i = 0; i < COUNT; i++) {
        forms_next(&forms, &all);
        text_puts(&all, "\n");
    }
    text_puts(&all, "ret; }\n");
    parse_bytes(&p, all.bytes, all.length);
    ptx_check(p.module, &p.diag);
    for (const char *at = p.messages.bytes; *at != 0; at = strchr(at, '\n') + 1)
        if (strncmp(strchr(at, ' ') + 1, "warning", 7) != 0)
            wrong[(unsigned)atoi(at) - FORMS_HEADING_LINES - 1] = true;
    parsed_free(&p);
    const char *line = all.bytes;
    for (unsigned i = 0; i < FORMS_HEADING_LINES; i++)
        line = strchr(line, '\n') + 1;
    unsigned count = 0, asynchronous = 0;
    for (unsigned i = 0; i < COUNT; i++, line = strchr(line, '\n') + 1)
        if (!wrong[i]) {
            asynchronous += strncmp(line, "red.async", 9) == 0;
            text_add(&kept, line, (size_t)(strchr(line, '\n') + 1 - line));
            count++;
        }
    assert_true(count > COUNT / 2 && asynchronous > 0);
    lines_lower(kept.bytes, false, &lanes);
    assert_null(strstr(lanes.bytes, "unsupported"));
    text_free(&all);
    text_free(&kept);
    text_free(&lanes);
}

/* What strict mode refuses is accepted with a warning otherwise. */
static void strict_mode(void **state)
{
    (void)state;
    static const char *const lenient[] = {
        "suld.b.2d.b32.trap %r1, [S, %r2];",         "suld.b.2d.b32.trap %r1, [S, {%r2,%f1}];",
        "suld.b.1d.b32.trap {%r1,%r2}, [S, {%r2}];", "sust.b.1d.b32.trap [S, {%r2}], {%r1,%r2};",
        "suld.b.1d.b32.trap {%laneid}, [S, {%r2}];",
    };
    for (unsigned i = 0; i < sizeof(lenient) / sizeof(lenient[0]); i++)
        for (int strict = 0; strict < 2; strict++) {
            struct text source = {0};
            struct parsed p;
            forms_heading(&source, "9.0", "sm_90");
            text_printf(&source, "%s\nret; }\n", lenient[i]);
            parse_bytes(&p, source.bytes, source.length);
            p.options.strict = strict;
            assert_int_equal(ptx_check(p.module, &p.diag), !strict);
            assert_int_equal(p.diag.warnings, !strict);
            parsed_free(&p);
            text_free(&source);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinates), cmocka_unit_test(handles),       cmocka_unit_test(data),
        cmocka_unit_test(atomics),     cmocka_unit_test(float_atomics), cmocka_unit_test(narrow_registers),
        cmocka_unit_test(no_gaps),     cmocka_unit_test(strict_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

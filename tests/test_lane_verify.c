/* The verifier of lane programs: each rule with a program that breaks it and no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "lane/lane.h"

/* Around the lines of a case: registers of every width, a callee. */
static const char before[] = "lanes 1\n"
                             "symbol \"g\" global size 16 align 8\n"
                             "func \"callee\" local 16 {\n arg 0:4:4\n result 8:8:8\nb0:\n ret\n}\n"
                             "func \"declared\" extern {\n}\n"
                             "kernel \"other\" {\nb0:\n exit\n}\n"
                             "kernel \"k\" local 32 {\n"
                             "reg 1 p q\nreg 8 b\nreg 16 h\nreg 32 r s\nreg 64 d e\nreg 128 x\nb0:\n";
static const char after[] = "\n exit\n}\n";

static void load(const char *prefix, const char *body, const char *suffix, struct lane_module *m)
{
    struct text t = {0};
    text_printf(&t, "%s%s%s", prefix, body, suffix);
    assert_true(text_ok(&t));
    struct atoll_error error;
    if (!lane_parse(t.bytes, t.length, m, &error))
        fail_msg("%s: %u:%u: %s", body, error.line, error.column, error.message);
    text_free(&t);
}

static void rejects(const char *prefix, const char *body, const char *suffix, const char *why)
{
    struct lane_module m;
    struct atoll_error error = {0};
    load(prefix, body, suffix, &m);
    if (lane_verify(&m, &error))
        fail_msg("accepted: %s", body);
    assert_int_equal(error.status, ATOLL_INVALID);
    if (!strstr(error.message, why))
        fail_msg("%s: '%s' does not say '%s'", body, error.message, why);
    lane_module_free(&m);
}

static void good_instructions(void **state)
{
    (void)state;
    static const char *const good[] = {
        "r = mov.b32 5",
        "@p r = add.whole.u32 r, s",
        "r = ballot.whole p, 0xffffffff",
        "st.whole.regfile.b32 [r], s",
        "x = mov.b128 5",
        "@!p p = mov.pred 1",
        "_, h = unpack.b32.b16 r",
        "d = pack.b64.b8 b, b, b, b, b, b, b, b",
        "d = mulwide.u32 r, s",
        "r, p = addc.u32 r, s, _",
        "r, _ = addc.u32 r, s, q",
        "p = setp.nan.f32 r, s",
        "p = setp.ge.s32 r, s",
        "r = cvt.rna.f16x2.f32 r",
        "x = ld.global.b128 [d]",
        "d, e, d, e = ld.global.v4.b64 [d]",
        "d = ld.global.u8 [r]",
        "_ = atom.shared.cas.b16 [d], h, h",
        "r, s, _, _ = suld.2d.trap.byte.v4.b8 d, r, s",
        "r, s, r = suld.1d.trap.byte.tuple.b32 d, r",
        "sust.1d.trap.byte.tuple.b32 d, r, s, s, s, s",
        "sured.max.3d.zero.byte.s64 d, r, r, r, e",
        "_, r, s, _ = suld.2d.zero.sample.p.v4.b32 d, r, s",
        "r, p = suld.1d.trap.byte.residency.s8 d, r",
        "r, _ = suld.1d.trap.byte.residency.b32 d, r",
        "r = suql.third d, 5",
        "r, _, s, r = sample.lod d, d, e, r, s, 0, 0, #4095",
        "_, r, _, _ = sample.gather_c d, 1, 0, r, s, r, 1, s, r, #16383",
        "_, _, _, _ = sample.grad_c.whole d, 1, 0, r, r, r, r, r, r, r, r, r, r, #0",
        "r = suatom.add.2d.trap.byte.u32 d, r, s, 1:32",
        "_, p = suatom.cas.1d.zero.sample.residency.b64 d, r, e, e",
        "r = suatom.add.1d.near.byte.ftz.f32 d, r, s",
        "h = suatom.predec.1d.near.byte.u16 d, r, h",
        "r = suatom.fcas.1d.near.byte.f32 d, r, r, r",
        "r = suatom.min.3d.near.byte.ftz.f16x2 d, r, r, r, s",
        "r = suatom.max.1darray.near.byte.p.b32 d, r, r, s",
        "r = suatom.max.1darray.near.byte.p.snorm.short.b32 d, r, r, s",
        "r = suld.2d.near.byte.short.b32 d, r, s",
        "red.shared.add.nan.f64 [d], d",
        "r = suld.any.border.sample.b32 d, r, s, r",
        "r = suatom.min.2d.zero.sample.p.b16 d, r, s, r",
        "r = suatom.fcas.2d.zero.sample.f16 d, r, s, r, s",
        "_ = atom.shared.fcas.f32 [d], r, s",
        "red.global.min.f64 [d], d",
        "r = atom.global.sub.f32 [d], r",
        "r = suld.any.near.sample.level.p.b32 d, r, s, r, s",
        "sust.2d.border.byte.level.b32 d, r, s, 0:32, s",
        "_ = suatom.cas.any.zero.sample.level.b32 d, r, s, r, s, r, s",
        "sured.min.any.zero.sample.u32 d, r, s, r, s",
        "call callee (0:4:4) -> (8:8:8)",
        "call * d () -> ()",
        "d = frame.b64 #32",
        "r, _ = barred.popc 0, 0, p",
        "_, q = barred.or 0, 0, p",
        "r, s = syscall.malloc d",
        "trap",
        "unsupported \"x\"",
        "fault.overflow \"x\"",
        "d = mov.b64 &g+4",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct lane_module m;
        struct atoll_error error;
        load(before, good[i], after, &m);
        if (!lane_verify(&m, &error))
            fail_msg("%s: %s", good[i], error.message);
        lane_module_free(&m);
    }
}

static void bad_instructions(void **state)
{
    (void)state;
    static const struct {
        const char *body, *why;
    } bad[] = {
        /* types */
        {"r = mov.f32 s", "type f32, wanted one of 'p q'"},
        {"h = mulhi.u8 b, b", "type"},
        {"r = and.f32 r, s", "type f32"},
        {"r = mulwide.s64 r, s", "type s64"},
        {"r = slct.b32.u32 r, s, r", "second type u32"},
        {"r = dp4a.u32.f32 r, r, r", "second type f32"},
        {"_, _, _ = unpack.b32.b16 r", "3 x b16 is not b32"},
        {"x = pack.b128.b64 d", "1 x b64 is not b128"},
        /* operand counts, kinds, widths */
        {"r = add.u32 r", "1 sources"},
        {"r, s = add.u32 r, s", "2 destinations"},
        {"ld.global.u32 [d]", "0 destinations, wanted 1"},
        {"r = add.u32 r, _", "source 1 is missing"},
        {"_ = add.u32 r, s", "destination 0 is missing"},
        {"_ = ballot p, r", "destination 0 is missing"},
        {"d = add.u32 r, s", "destination 0 has 64 bits, wanted 32"},
        {"r = add.u32 r, h", "source 1 has 16 bits, wanted 32"},
        {"r = add.u32 r, 1:64", "source 1 has 64 bits, wanted 32"},
        {"r = selp.b32 r, s, s", "source 2 has 32 bits, wanted 1"},
        {"r = mulwide.u32 r, s", "has 32 bits, wanted 64"},
        {"r = cvt.s32.f64 s", "source 0 has 32 bits, wanted 64"},
        {"r = ld.global.u32 [h]", "address of 16 bits"},
        {"r = ld.global.u32 [5:16]", "address of 16 bits"},
        {"5:32 = mov.b32 r", "destination 0 is a constant"},
        {"r = brev.b64 d", "wanted 64"},
        {"@r exit", "not a predicate register"},
        /* fields */
        {"r = mov.rz.b32 s", "a rounding on an operation"},
        {"r = add.rni.f32 r, s", "rounding 4"},
        {"r = brev.ftz.b32 r", "flags 0x1"},
        {"bar.sync.whole 0:32, 0:32", "bar of the whole warp"},
        {"_ = atom.regfile.add.u32 [r], s", "no atomics in the regfile space"},
        {"p = setp.ltu.s32 r, s", "comparison 8 of s32"},
        {"p = setp.lt.b32 r, s", "comparison 2 of b32"},
        {"r = redux.cas.u32 r, s", "redux has no cas"},
        {"r = redux.add.f32 r, s", "only min and max"},
        {"p = isspacep.generic d", "isspacep of the generic space"},
        {"p = isspacep.surface d", "isspacep of the surface space"},
        {"r, q = barred.popc 0, 0, p", "first destination only"},
        {"r, q = barred.and 0, 0, p", "second destination only"},
        {"_, q = barred.popc 0, 0, p", "destination 0 is missing"},
        {"r = syscall.malloc d", "wanted 2 and 1"},
        {"syscall.free d, d", "wanted 0 and 1"},
        {"r = lop3.b32 r, r, r, #256", "more than 8 bits"},
        {"r = frame.b32 #33", "byte 33 of a local frame of 32"},
        /* access descriptors */
        {"r = ld.global.pred [d]", "type pred has no memory form"},
        {"r = ld.global.void [d]", "type void has no memory form"},
        {"d, d, d, d, d, d, d, d = ld.global.v8.b64 [d]", "512 bits, at most 256"},
        {"d, d, d, d = atom.global.add.v4.b64 [d], d, d, d, d", "256 bits, at most 128"},
        {"r = ld.surface.u32 [d]", "cannot address the surface space"},
        {"st.param.u32 [d], r", "read-only param"},
        {"st.constant.u32 [d], r", "read-only constant"},
        {"red.local.add.u32 [d], r", "no atomics in the local space"},
        {"r = ld.global.ftz.u32 [d]", "flags 0x1 do not belong"},
        {"r = ld.global.v2.u32 [d]", "1 destinations, wanted 2"},
        {"st.global.v2.u32 [d], r", "2 sources, wanted 3"},
        {"r = atom.global.cas.b32 [d], r", "2 sources, wanted 3"},
        {"r = atom.global.add.u32 [d], r, r", "3 sources, wanted 2"},
        {"r, s = atom.global.cas.v2.b32 [d], r, r, r, r", "cas of a vector"},
        {"r = atom.global.xor.f32 [d], r", "atomic xor has no meaning for f32"},
        {"d = atom.global.inc.u64 [d], d", "atomic inc has no meaning for u64"},
        {"x = atom.global.add.b128 [d], x", "atomic add has no meaning for b128"},
        {"h = ld.global.u32 [d]", "data operand of 16 bits for u32"},
        {"st.global.u32 [d], p", "data operand of 1 bits"},
        {"r = suld.2d.trap.byte.b32 d, r", "2 sources, wanted 3"},
        {"r = suld.2d.trap.byte.b32 d, r, h", "coordinate 1 has 16 bits"},
        {"r = suld.2d.trap.byte.b32 r, r, r", "source 0 has 32 bits, wanted 64"},
        {"h = suld.1d.trap.byte.p.b16 d, r", "components of 32 bits"},
        {"r, r = suld.1d.trap.byte.p.tuple.b32 d, r", "a uniform tuple must have one element"},
        {"sust.1d.trap.byte.p.b16 d, r, h", "components of 32 bits"},
        {"r = suld.1d.trap.byte.residency.b32 d, r", "1 destinations, wanted 2"},
        {"r, r = suld.1d.trap.byte.residency.b32 d, r", "residency goes to a predicate"},
        {"p = suld.1d.trap.byte.tuple.residency.b32 d, r", "a tuple of 0"},
        {"sust.1d.trap.byte.residency.b32 d, r, r", "sust gives no residency"},
        {"h = suatom.exch.1d.trap.byte.u8 d, r, h", "suatom of 1 x u8"},
        {"h = suatom.predec.1d.trap.byte.f16 d, r, h", "no meaning for f16"},
        {"r = suatom.fcas.1d.trap.byte.u32 d, r, r, r", "no meaning for u32"},
        {"r, r, r, r = sample.lod d, d, d, r, r, r, #0", "6 sources, wanted 7"},
        {"r, r, r, r = sample.lod d, d, d, r, r, r, r, r, #0", "8 sources, wanted 7"},
        {"r, r, r, r = sample.grad d, d, d, r, r, r, r, #0", "7 sources, wanted 12"},
        {"r, r, r, r = sample.lod_c d, d, d, r, r, r, r, r, #4096", "no such offsets and component: 0x1000"},
        {"r, r, r, r = sample.gather d, d, d, r, r, r, r, r, #16384", "no such offsets and component: 0x4000"},
        {"r, r, r = sample.lod d, d, d, r, r, r, r, #0", "3 destinations, wanted"},
        {"r, r, r, d = sample.lod d, d, d, r, r, r, r, #0", "destination 3 has 64 bits, wanted 32"},
        {"r, r, r, r = sample.lod d, d, r, r, r, r, r, #0", "source 2 has 32 bits, wanted 64"},
        {"r, r, r, r = sample.lod d, d, d, r, r, r, h, #0", "source 6 has 16 bits, wanted 32"},
        {"_ = suql.first d, r", "destination 0 is missing"},
        {"r = suql.first d, d", "source 1 has 64 bits, wanted 32"},
        {"r = suatom.fcas.1d.trap.byte.f32 d, r, r", "3 sources, wanted 4"},
        {"r, r = atom.global.fcas.v2.f32 [d], r, r, r, r", "of a vector"},
        {"r = suatom.cas.1d.trap.byte.b32 d, r, r", "3 sources, wanted 4"},
        {"suatom.add.1d.trap.byte.u32 d, r, r", "0 destinations, wanted 1"},
        {"d = suatom.inc.1d.trap.byte.u64 d, r, d", "no meaning for u64"},
        {"r = suatom.and.1d.trap.byte.f32 d, r, r", "no meaning for f32"},
        {"r = suatom.add.1d.trap.byte.p.f32 d, r, r", "of integers, not f32"},
        {"r = suatom.min.1d.trap.byte.snorm.u32 d, r, r", "the sign of snorm on suatom"},
        {"r = suld.1d.trap.sample.p.snorm.b32 d, r", "the sign of snorm on suld"},
        {"r = suld.1d.zero.byte.short.b32 d, r", "short rows are of the clamp policy near"},
        {"red.global.add.nan.f32 [d], r", "only additions of f64"},
        {"red.global.min.nan.f64 [d], d", "only additions of f64"},
        {"d = ld.global.nan.f64 [d]", "only additions of f64"},
        {"d = suatom.add.1d.trap.byte.nan.f64 d, r, d", "only additions of f64 in memory"},
        {"r = suld.any.trap.byte.b32 d, r, r, r", "a coordinate in bytes of a surface of any geometry"},
        {"r = suld.any.trap.sample.b32 d, r, r", "3 sources, wanted 4"},
        {"r = suld.any.trap.sample.level.b32 d, r, r, r", "4 sources, wanted 5"},
        {"r = suld.2d.trap.sample.level.b32 d, r, r, h", "coordinate 2 has 16 bits, wanted 32"},
        {"r, r = suld.1d.trap.byte.tuple.v2.b32 d, r", "a uniform tuple must have one element"},
        {"suld.1d.trap.byte.tuple.b32 d, r", "a tuple of 0"},
        {"r, r, r, r, r, r, r, r, r = suld.1d.trap.byte.tuple.b32 d, r", "a tuple of 9"},
        {"sured.add.1d.trap.byte.v2.u32 d, r, r, r", "sured of 2 x u32"},
        {"sured.add.1d.trap.byte.u16 d, r, h", "sured of 1 x u16"},
        {"sured.xor.1d.trap.byte.b32 d, r, r", "sured has no xor"},
        {"d, d, d, d = suld.1d.trap.byte.v4.b64 d, r", "256 bits, at most 128"},
        /* calls */
        {"call callee () -> (8:8:8)", "0 arguments, the callee has 1"},
        {"call callee (0:8:8) -> (8:8:8)", "argument 0 has 8 bytes, the callee's 4"},
        {"call callee (0:4:4) -> ()", "0 results, the callee has 1"},
        {"call callee (30:4:1) -> (8:8:8)", "does not fit the frame"},
        {"call callee (4294967292:4:4) -> (8:8:8)", "does not fit the frame"},
        {"call callee (0:4:3) -> (8:8:8)", "does not fit the frame"},
        {"call callee (0:4:0) -> (8:8:8)", "does not fit the frame"},
        {"call callee (2:4:4) -> (8:8:8)", "does not fit the frame"},
        {"call other () -> ()", "is a kernel"},
        {"call declared () -> ()", "has no body"},
        {"call * () -> ()", "takes one source"},
        {"call * d, d () -> ()", "takes one source"},
        /* blocks */
        {"exit", "control leaves in the middle of a block"},
        {"@p bra b0", "control leaves in the middle of a block"},
        {"@p brx r {b0, b2}\nb1:", "leads to block 2 of 2"},
        {"x = mov.b128 &g:128", "an address of 128 bits"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        rejects(before, bad[i].body, after, bad[i].why);
}

static void what_warps_side_by_side_may_have(void **state)
{
    (void)state;
    static const char kernel[] = "lanes 1\nkernel \"k\" lanes 16 packable {\nreg 1 p q\nreg 32 r s\nreg 64 d\nb0:\n";
    static const char *const good[] = {"r = ballot.whole p, 0xffffffff", "r, _ = shfl.idx.whole s, 3, 31, 0xffffffff",
                                       "bar.sync 1:32, 0:32", "bar.sync r, 0:32", "r = sreg.warpid.b32"};
    static const char *const bad[] = {"r = ballot p, 0xffffffff",
                                      "r, _ = shfl.idx s, 3, 31, 0xffffffff",
                                      "r, _ = shfl.up.whole s, 3, 31, 0xffffffff",
                                      "q = vote.any.whole p, 0xffffffff",
                                      "r, _ = match.any.whole.b32 s, 0xffffffff",
                                      "r = redux.add.whole.u32 s, 0xffffffff",
                                      "r = activemask",
                                      "r, q = elect.whole 0xffffffff",
                                      "barwarp 0xffffffff",
                                      "bar.arrive 0:32, 0:32",
                                      "bar.wait 0:32, 0:32",
                                      "bar.sync 0:32, 32:32",
                                      "bar.sync 0:32, r",
                                      "r, _ = barred.popc 0, 0, p",
                                      "mbarinval.shared.b64 [r]",
                                      "nanosleep 5"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct lane_module m;
        struct atoll_error error;
        load(kernel, good[i], after, &m);
        if (!lane_verify(&m, &error))
            fail_msg("%s: %s", good[i], error.message);
        lane_module_free(&m);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        rejects(kernel, bad[i], after, "in a kernel whose warps can be packed");
}

static void bad_modules(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"kernel \"k\" {\nb0:\nbra b1\n}", "leads to block 1 of 1"},
        {"kernel \"k\" {\n}", "falls off the end"},
        {"kernel \"k\" threads {\nb0:\nexit\n}", "no required block"},
        {"kernel \"k\" {\nb0:\n}", "falls off the end"},
        {"kernel \"k\" {\nb0:\nexit\nb1:\n}", "falls off the end"},
        {"kernel \"k\" {\nb0:\nbrkpt\n}", "falls off the end"},
        {"kernel \"k\" {\nreg 1 p\nb0:\n@p exit\n}", "falls off the end"},
        {"kernel \"k\" {\nreg 7 p\nb0:\nexit\n}", "register 0 has 7 bits"},
        {"kernel \"k\" {\nreg 0 p\nb0:\nexit\n}", "register 0 has 0 bits"},
        {"kernel \"k\" local 524289 {\nb0:\nexit\n}", "bytes of local memory"},
        {"kernel \"k\" params 32769 {\nb0:\nexit\n}", "bytes of parameters"},
        {"kernel \"k\" params 8 {\nparam \"a\" \"u32\" offset 6 size 4 align 2 count 1\nb0:\nexit\n}",
         "does not fit 8"},
        {"kernel \"k\" params 8 {\nparam \"a\" \"u32\" offset 2 size 4 align 4 count 1\nb0:\nexit\n}",
         "does not fit 8"},
        {"kernel \"k\" params 8 {\nparam \"a\" \"u32\" offset 0 size 4 align 0 count 1\nb0:\nexit\n}",
         "does not fit 8"},
        {"kernel \"k\" local 8 {\narg 0:4:4\nb0:\nexit\n}", "parameters of a device function"},
        {"func \"f\" params 8 {\nb0:\nret\n}", "parameters of a kernel"},
        {"func \"f\" {\nreg 64 d\nb0:\nd = ld.param.u64 [d]\nret\n}", "the param space outside of a kernel"},
        {"func \"f\" local 8 {\narg 4:8:4\nb0:\nret\n}", "does not fit the frame"},
        {"func \"f\" extern {\nb0:\nret\n}", "a declared function with a body"},
        {"kernel \"k\" lanes 8 packable regfile 16 {\nb0:\nexit\n}", "warps of 8 lanes, 16 bytes of registers, to be"},
        {"kernel \"k\" packable {\nb0:\nexit\n}", "warps of 0 lanes, 0 bytes of registers, to be"},
        {"kernel \"k\" lanes 8 packable stacked {\nb0:\nexit\n}", "tokens, to be packed"},
        {"symbol \"s\" global size 4 align 3", "alignment 3"},
        {"symbol \"s\" global size 4 align 0", "alignment 0"},
        {"symbol \"s\" shared size 1 align 1\ninit 00", "initial value in shared memory"},
        {"symbol \"s\" surfref size 8 align 8 count 2", "2 surface references in 8 bytes"},
        {"symbol \"s\" global size 8 align 8\nreloc 4 size 8 &s", "an address of 8 bytes at 4"},
        {"symbol \"s\" global size 8 align 8\nreloc 0 size 9 &s", "an address of 9 bytes at 0"},
        {"symbol \"s\" global size 8 align 8\nreloc 0 size 0 &s", "an address of 0 bytes at 0"},
        {"symbol \"s\" global size 8 align 8\nreloc 0 size 8 &t\nsymbol \"t\" shared size 8 align 8",
         "the address of a shared variable"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        rejects("lanes 1\n", bad[i].text, "\n", bad[i].why);
}

/* ---- what the text form cannot say ----------------------------------------------------------------- */

static void mutated(void (*change)(struct lane_module *m, struct lane_func *f), const char *why)
{
    struct lane_module m;
    struct atoll_error error = {0};
    load("lanes 1\nsymbol \"g\" global size 8 align 8\n",
         "kernel \"k\" local 8 {\nreg 32 r\nreg 1 p\nb0:\nr = add.u32 r, 7\nr = lop3.b32 r, r, r, #1\n"
         "st.global.b32 [&g:64], r\n@p brx r {b0}\nb1:\nunsupported \"x\"\n}",
         "\n", &m);
    assert_true(lane_verify(&m, &error));
    change(&m, &m.funcs[0]);
    if (lane_verify(&m, &error))
        fail_msg("accepted: %s", why);
    if (!strstr(error.message, why))
        fail_msg("'%s' does not say '%s'", error.message, why);
    lane_module_free(&m);
}

#define CHANGE(name, statement)                                  \
    static void name(struct lane_module *m, struct lane_func *f) \
    {                                                            \
        (void)m, (void)f;                                        \
        statement;                                               \
    }
CHANGE(bad_op, f->insts[0].op = LANE_OPS)
CHANGE(bad_type, f->insts[0].type = 255)
CHANGE(bad_type2, f->insts[0].type2 = LANE_U32)
CHANGE(bad_register, f->operands[f->insts[0].first].index = 2)
CHANGE(bad_constant, f->operands[f->insts[0].first + 2].index = 99)
CHANGE(bad_kind, f->operands[f->insts[0].first].kind = 3)
CHANGE(bad_first, f->insts[0].first = UINT32_MAX)
CHANGE(bad_count, f->insts[0].nsrc = 255)
CHANGE(bad_guard, f->insts[3].guard.index = 0)
CHANGE(bad_guard_index, f->insts[3].guard.index = 77)
CHANGE(bad_guard_not, f->insts[0].guard_not = true)
CHANGE(bad_cmp, f->insts[0].cmp = 1)
CHANGE(bad_mode, f->insts[0].mode = 1)
CHANGE(bad_aux, f->insts[0].aux = 1)
CHANGE(bad_access, f->insts[2].aux = 1)
CHANGE(bad_space, f->accesses[0].space = LANE_SPACES)
CHANGE(bad_vec, f->accesses[0].vec = 3)
CHANGE(bad_atomic, f->accesses[0].atomic = LANE_ATOMICS)
CHANGE(atomic_store, f->accesses[0].atomic = LANE_ATOMIC_MIN)
CHANGE(bad_order, f->accesses[0].order = LANE_SC + 1)
CHANGE(bad_scope, f->accesses[0].scope = LANE_SCOPE_SYS + 1)
CHANGE(bad_dim, f->accesses[0].dim = LANE_ACCESS_DIMS)
CHANGE(bad_clamp, f->accesses[0].clamp = LANE_CLAMP_BORDER + 1)
CHANGE(surface_store, f->accesses[0].clamp = LANE_CLAMP_ZERO)
CHANGE(level_store, f->accesses[0].level = true)
CHANGE(bad_table, f->insts[3].aux = 1)
CHANGE(bad_string, f->insts[4].aux = 1)
CHANGE(bad_block, f->blocks[1].first = 3)
CHANGE(bad_block_count, f->blocks[1].count = 2)
CHANGE(short_blocks, f->nblocks = 1; f->tables[0].count = 0)
CHANGE(bad_const_width, f->consts[0].width = 31)
CHANGE(bad_const_bits, f->consts[0].lo = (uint64_t)1 << 32)
CHANGE(bad_const_symbol, f->consts[1].symbol = 2)
CHANGE(no_name, f->name = NULL)
CHANGE(bad_symbol_kind, m->symbols[0].kind = 9)
CHANGE(no_symbol_name, m->symbols[0].name = NULL)
CHANGE(bad_lanes, f->warp_lanes = 4)
CHANGE(bad_packing, f->warp_lanes = LANES; f->packable = true)
CHANGE(bad_regfile, f->regfile_bytes = LANE_REGFILE_BYTES + 1)
CHANGE(bad_function, m->symbols[0].kind = LANE_SYMBOL_FUNCTION; m->symbols[0].function = 1)

static void bad_structures(void **state)
{
    (void)state;
    mutated(bad_op, "no such operation");
    mutated(bad_type, "type ?");
    mutated(bad_type2, "a second type");
    mutated(bad_register, "register 2 of 2");
    mutated(bad_constant, "constant 99 of");
    mutated(bad_kind, "no such kind");
    mutated(bad_first, "operands 4294967295");
    mutated(bad_count, "operands 0 to 256");
    mutated(bad_guard, "not a predicate register");
    mutated(bad_guard_index, "not a predicate register");
    mutated(bad_guard_not, "a negated guard");
    mutated(bad_cmp, "a comparison on");
    mutated(bad_mode, "a mode on");
    mutated(bad_aux, "an immediate on");
    mutated(bad_access, "access 1 of 1");
    mutated(bad_space, "no such space");
    mutated(bad_vec, "3 elements");
    mutated(bad_atomic, "no such atomic");
    mutated(atomic_store, "an atomic operation on st");
    mutated(bad_order, "no such order");
    mutated(bad_scope, "no such order 0 or scope");
    mutated(bad_dim, "no such surface geometry");
    mutated(bad_clamp, "no such surface geometry");
    mutated(surface_store, "surface fields on st");
    mutated(level_store, "surface fields on st");
    mutated(bad_table, "jump table 1 of 1");
    mutated(bad_string, "message 1 of 1");
    mutated(bad_block, "wanted to begin at 4");
    mutated(bad_block_count, "block 1 has instructions");
    mutated(short_blocks, "5 instructions, 4 of them in blocks");
    mutated(bad_const_width, "has 31 bits");
    mutated(bad_const_bits, "bits beyond its 32");
    mutated(bad_const_symbol, "symbol 2 of 1");
    mutated(no_name, "without a name");
    mutated(bad_symbol_kind, "no such kind 9");
    mutated(no_symbol_name, "symbol 1 has no name");
    mutated(bad_lanes, "4 lanes in a warp, wanted 8, 16 or 32");
    mutated(bad_packing, "warps of 32 lanes, 0 bytes of registers, to be packed");
    mutated(bad_regfile, "4194305 bytes of registers of the warp, at most 4194304");
    mutated(bad_function, "function 1 of 1");
}

/* Function, block, instruction, operation, source line. */
static void errors_name_the_place(void **state)
{
    (void)state;
    rejects("lanes 1\n", "kernel \"kern\" {\nreg 32 r\nb0:\nbrkpt\nb1:\nbrkpt\nr = mov.b32 1:64 !77\nexit\n}", "\n",
            "function 'kern', block 1, instruction 2 (mov, line 77)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_instructions), cmocka_unit_test(bad_instructions),
        cmocka_unit_test(bad_modules),       cmocka_unit_test(what_warps_side_by_side_may_have),
        cmocka_unit_test(bad_structures),    cmocka_unit_test(errors_name_the_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

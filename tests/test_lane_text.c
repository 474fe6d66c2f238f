/* The text form of lane programs: what is printed is parsed back the same, everything survives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "lane/lane.h"

/* Every construct of the form, as the printer writes it. */
static const char everything[] = "lanes 1\n"
                                 "symbol \"table\" global size 34 align 4 constant\n"
                                 "  init 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n"
                                 "  init 2021\n"
                                 "  reloc 8 size 8 &other-16\n"
                                 "  reloc 16 size 4 &#3\n"
                                 "symbol \"other\" global size 4 align 4 external managed\n"
                                 "symbol \"other\" shared size 0 align 16 dynamic\n"
                                 "symbol \"surf\" surfref size 16 align 8 count 2\n"
                                 "  surfref 1 width 640 height 480 depth 0 type 1 order 2 layers 3 layout 4\n"
                                 "symbol \"pointer\" function callee size 0 align 0\n"
                                 "symbol \"odd \\x22name\\x5c\\xff\" global size 18446744073709551615 align 1\n"
                                 "\n"
                                 "kernel \"k\" line 3 local 32 params 16 required 16 16 1 max 1 2 3 threads {\n"
                                 "  param \"in\" \"u64\" offset 0 size 8 align 8 count 1 pointer\n"
                                 "  param \"n\" \"b8\" offset 8 size 4 align 1 count 4 usual\n"
                                 "  reg 32 %r1 %r1 - \"odd name\" x.y$z\n"
                                 "  reg 1 %p1 %p2\n"
                                 "  reg 64 %rd1 %rd2 %rd3\n"
                                 "  reg 128 - - - - - - - -\n"
                                 "  reg 128 -\n"
                                 "  reg 16 %h1 %h2\n"
                                 "  reg 8 %b1\n"
                                 "b0:\n"
                                 "    %r1 = mov.b32 5 !12\n"
                                 "    %1 = add.u32 %r1, 0xffffffff\n"
                                 "    @!%p1 x.y$z = fma.rz.ftz.sat.f32 %r1, %2, 0x3f800000 !4294967295\n"
                                 "    @%p1 %rd1 = mov.b64 &table+4\n"
                                 "    %rd1 = mov.b64 &#3-8\n"
                                 "    %10 = mov.b128 0x10000000000000002\n"
                                 "    %10 = mov.b128 7\n"
                                 "    %p1 = mov.pred 1\n"
                                 "    %r1 = sreg.tid.x.b32\n"
                                 "    %rd2 = frame.b64 #16\n"
                                 "    %r1 = lop3.b32 %r1, %1, %2, #234\n"
                                 "    _, %h1 = unpack.b32.b16 %r1\n"
                                 "    %r1 = pack.b32.b16 %h1, %h2\n"
                                 "    %p1 = setp.ltu.ftz.f32 %r1, %1\n"
                                 "    %r1 = cvt.rni.ftz.s32.f32 %1\n"
                                 "    %r1, %p2 = addc.u32 %r1, %1, _\n"
                                 "    %r1, _ = madc.hi.u32 %r1, %1, 0, %p1\n"
                                 "    %r1 = vabsdiff.x4.clamp.u32.s32 %r1, %1, %2\n"
                                 "    %rd1 = ld.param.u64 [0:64]\n"
                                 "    %r1, _ = ld.global.volatile.v2.f32 [%rd1+8]\n"
                                 "    %b1 = ld.shared.s8 [&#3-4:32]\n"
                                 "    %r1 = ld.shared.s8 [&#3+4:32-1]\n"
                                 "    st.local.b32 [%rd2-9223372036854775808], 7:32\n"
                                 "    %r1 = atom.global.add.acq_rel.gpu.ftz.f32 [%rd1], %1\n"
                                 "    %rd1 = atom.generic.add.relaxed.gpu.nan.f64 [%rd1], %rd2\n"
                                 "    _ = atom.shared.cas.relaxed.cta.b32 [%rd1], %1, %2\n"
                                 "    red.generic.max.relaxed.sys.v4.f32 [%rd1], %r1, %1, %2, x.y$z\n"
                                 "    prefetch.global.b8 [%rd1]\n"
                                 "    mbarinit.shared.b64 [%r1], 4\n"
                                 "    mbartx.complete.shared.b64 [%r1+8], 16\n"
                                 "    %rd1 = mbararrive.drop_keep.generic.release.cta.b64 [%rd1+8], 1\n"
                                 "    _ = mbararrive.arrive.shared.b64 [%r1], 1\n"
                                 "    %p1 = mbarwait.try_parity.shared.acquire.cta.b64 [%r1], %rd2\n"
                                 "    mbarinval.shared.b64 [%r1]\n"
                                 "    %r1, %1 = suld.2d.trap.byte.v2.b32 &surf+8, %r1, %1\n"
                                 "    %r1, %1 = suld.1d.zero.byte.tuple.b32 %rd1, 0:32\n"
                                 "    sust.2darray.near.sample.p.v4.b32 %rd1, %r1, %1, %2, %r1, %1, %2, %3\n"
                                 "    sured.min.3d.zero.byte.p.b32 %rd1, %r1, %1, %2, %r1\n"
                                 "    sured.max.3d.near.byte.p.snorm.short.b32 %rd1, %r1, %1, %2, %r1\n"
                                 "    %r1, %p1 = suatom.cas.2d.near.sample.residency.u32 %rd1, %r1, %1, %2, %r1\n"
                                 "    _, %1, %p2 = suld.1d.zero.sample.p.residency.v2.b32 %rd1, %r1\n"
                                 "    %r1 = suld.any.border.sample.level.b32 %rd1, %r1, %1, %2, %r1\n"
                                 "    sust.any.zero.sample.level.p.v2.b32 %rd1, %r1, %1, %2, 0:32, %r1, %1\n"
                                 "    _ = suatom.add.any.trap.sample.u32 %rd1, %r1, %1, %2, %r1\n"
                                 "    %r1 = suq.first %rd1\n"
                                 "    %r1 = suql.second %rd1, 2\n"
                                 "    %r1, _, _, %1 = sample.lod %rd1, %rd2, 5, %r1, %1, 0x3f800000, %2, #4081\n"
                                 "    %r1, _, _, _ = sample.gather_c.whole %rd1, 1, 0, %r1, 0, 0, 7, %1, %2, #8192\n"
                                 "    fence.gpu\n"
                                 "    %p1 = isspacep.shared %rd1\n"
                                 "    %r1, %p1 = shfl.bfly %r1, 1, 31, 0xffffffff\n"
                                 "    %p1 = vote.uni %p1, 0xffffffff\n"
                                 "    bar.sync 0, 0\n"
                                 "    _, %p1 = barred.and 0, 0, %p1\n"
                                 "    %r1 = syscall.vprintf %rd1, %rd2\n"
                                 "    call callee (0:4:4, 8:8:8) -> (16:4:4)\n"
                                 "    call.uni * %rd1 () -> ()\n"
                                 "    brx.uni %r1 {b1, b2, b0}\n"
                                 "b1:\n"
                                 "    @%p1 bra b0\n"
                                 "b2:\n"
                                 "    unsupported \"tex.2d is \\x22not\\x22 supported\"\n"
                                 "}\n"
                                 "\n"
                                 "func \"callee\" local 16 {\n"
                                 "  arg 0:4:4\n"
                                 "  arg 8:8:8\n"
                                 "  result 4:4:4\n"
                                 "b0:\n"
                                 "    ret\n"
                                 "}\n"
                                 "\n"
                                 "func \"printf\" extern {\n"
                                 "}\n";

static char *print(const struct lane_module *m, struct text *out)
{
    *out = (struct text){0};
    lane_print(m, out);
    assert_true(text_ok(out));
    return out->bytes;
}

static void parse(const char *text, struct lane_module *m)
{
    struct atoll_error error;
    if (!lane_parse(text, strlen(text), m, &error))
        fail_msg("%u:%u: %s", error.line, error.column, error.message);
}

static void prints_what_it_parsed(void **state)
{
    (void)state;
    struct lane_module m;
    struct text out;
    parse(everything, &m);
    assert_string_equal(print(&m, &out), everything);
    text_free(&out);
    lane_module_free(&m);
}

/* Words of the parameter space that a launch fills in; a table of surfaces has an entry. */
static void words_print_what_was_parsed(void **state)
{
    (void)state;
    static const char words[] = "lanes 1\n"
                                "\n"
                                "kernel \"k\" at 0 space 64 {\n"
                                "  word 0 size 4 ntid_x\n"
                                "  word 8 size 8 surfaces (first second zero array_size)\n"
                                "  word 16 size 4 threads_y\n"
                                "  word 20 size 4 dimensions\n"
                                "  word 24 size 4 surface (third) from 56\n"
                                "  word 32 size 8 value 18446744073709551615\n"
                                "b0:\n"
                                "    exit\n"
                                "}\n";
    struct lane_module m;
    struct text out = {0};
    struct atoll_error error;
    parse(words, &m);
    assert_string_equal(print(&m, &out), words);
    assert_true(lane_verify(&m, &error));
    struct lane_word *table = &m.funcs[0].words[1];
    assert_int_equal(table->nentry, 4);
    assert_int_equal(table->entry[2], LANE_SUQS);
    table->entry[0] = LANE_SUQS + 1;
    assert_false(lane_verify(&m, &error));
    table->nentry = 0;
    assert_false(lane_verify(&m, &error));
    assert_non_null(strstr(error.message, "1 to 16 attributes of a surface"));
    table->kind = LANE_WORD_NTID_X;
    assert_true(lane_verify(&m, &error));
    m.funcs[0].words[4].from = 57;
    assert_false(lane_verify(&m, &error));
    assert_non_null(strstr(error.message, "word 4: one attribute of the surface whose handle is at 57"));
    text_free(&out);
    lane_module_free(&m);
}

static void values_arrive(void **state)
{
    (void)state;
    struct lane_module m;
    parse(everything, &m);
    assert_int_equal(m.nsymbols, 6);
    assert_int_equal(m.symbols[0].init[33], 0x21);
    assert_int_equal(m.symbols[0].relocs[0].addend, -16);
    assert_int_equal(m.symbols[0].relocs[1].symbol, 3);
    assert_int_equal(m.symbols[3].surfrefs[1].height, 480);
    assert_false(m.symbols[3].surfrefs[0].given);
    assert_int_equal(m.symbols[4].function, 1);
    assert_string_equal(m.symbols[5].name, "odd \"name\\\xff");
    const struct lane_func *f = &m.funcs[0];
    assert_int_equal(f->required_block[0], 16);
    assert_int_equal(f->max_block[2], 3);
    assert_true(f->thread_grid);
    assert_true(f->kparams[0].pointer && !f->kparams[0].optional && f->kparams[1].optional && f->kparams[1].usual);
    assert_int_equal(f->kparams[1].count, 4);
    assert_int_equal(f->insts[1].op, LANE_OP_add);
    assert_int_equal(f->operands[f->insts[1].first].index, 1);
    assert_int_equal(f->insts[2].flags, LANE_FTZ | LANE_SAT);
    assert_int_equal(f->insts[2].round, LANE_RZ);
    assert_int_equal(f->insts[2].line, UINT32_MAX);
    assert_int_equal(m.funcs[1].params[1].local, 8);
    assert_false(m.funcs[2].defined);
    lane_module_free(&m);
}

static void comments_and_blanks_are_free(void **state)
{
    (void)state;
    struct lane_module m;
    struct text out;
    parse("  // a comment\n\n lanes   1 // version\r\n\tkernel \"k\"{ // open\nb0:// block\n exit// end\n\n}", &m);
    assert_string_equal(print(&m, &out), "lanes 1\n\nkernel \"k\" {\nb0:\n    exit\n}\n");
    text_free(&out);
    lane_module_free(&m);
}

/* An unverified module with indexes beyond its arrays prints something and reads nothing that is not there. */
static void broken_modules_print(void **state)
{
    (void)state;
    struct lane_operand operands[2] = {{LANE_REG, 99}, {LANE_CONST, 99}};
    struct lane_inst insts[] = {
        {.op = LANE_OP_mov, .type = 200, .ndst = 1, .nsrc = 1},
        {.op = LANE_OPS},
        {.op = LANE_OP_ld, .aux = 7, .first = UINT32_MAX, .nsrc = 1, .ndst = 200},
        {.op = LANE_OP_call, .aux = 7},
        {.op = LANE_OP_brx, .aux = 7, .nsrc = 1},
        {.op = LANE_OP_unsupported, .aux = 7},
        {.op = LANE_OP_sreg, .mode = 200},
        {.op = LANE_OP_setp, .cmp = 200, .round = 200, .type2 = 200},
    };
    struct lane_block block = {0, UINT32_MAX};
    struct lane_func f = {
        .operands = operands, .noperands = 2, .insts = insts, .ninsts = 8, .blocks = &block, .nblocks = 1};
    struct lane_symbol symbol = {.kind = 99};
    struct lane_module m = {.funcs = &f, .nfuncs = 1, .symbols = &symbol, .nsymbols = 1};
    struct text out;
    print(&m, &out);
    assert_false(lane_verify(&m, NULL));
    text_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_what_it_parsed), cmocka_unit_test(words_print_what_was_parsed),
        cmocka_unit_test(values_arrive),         cmocka_unit_test(comments_and_blanks_are_free),
        cmocka_unit_test(broken_modules_print),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

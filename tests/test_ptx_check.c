/* Validation of PTX instructions: verdicts equal to ptxas 13.0 (data/ptx/verdicts.txt, sm_100, PTX 8.8), and the code,
 * the place and the words of messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "isa/ptx/ast.h"
#include "lane/lane.h"

static const char registers[] =
    ".reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<9>; .reg .u32 %u<9>; .reg .s32 %s<9>; .reg .f32 %f<9>;"
    ".reg .f64 %fd<9>; .reg .b64 %rd<9>; .reg .u64 %ud<9>; .reg .f16 %h<9>; .reg .b8 %b<9>; .reg .u16 %us<9>;"
    ".reg .f16x2 %hx<4>; .reg .u8 %ub<4>; .local .u32 L[4];";
static const char wide_registers[] = ".reg .b128 %q<4>;"; /* PTX 8.3 */

/* The first error about a module whose line 5 is the instruction. */
struct finding {
    unsigned errors, warnings;
    uint32_t line, column;
    char code[40], message[600];
};

static void note_finding(void *user, const struct atoll_diagnostic *d)
{
    struct finding *f = user;
    f->warnings += d->severity == ATOLL_WARNING;
    if (d->severity != ATOLL_ERROR || f->errors++ > 0)
        return;
    f->line = d->line;
    f->column = d->column;
    snprintf(f->code, sizeof(f->code), "%s", d->code);
    snprintf(f->message, sizeof(f->message), "%s", d->message);
}

static struct finding check_with(const char *version, const char *target, const char *instruction, bool strict)
{
    struct text text = {0};
    struct finding finding = {0};
    struct arena arena = {0};
    struct ptx_module *module;
    text_printf(&text,
                ".version %s .target %s .address_size 64\n.global .u32 G[4]; .shared .u32 S[4]; .const .u32 C[4];%s\n"
                ".visible .entry k(.param .u64 p) {\n%s %s\n%s\nret;\nLB: ret;\n}\n",
                version, target, strcmp(version, "1.5") < 0 ? "" : ".global .surfref SF;", registers,
                strcmp(version, "8.3") < 0 ? "" : wide_registers, instruction);
    struct atoll_module_options options = {.diagnose = note_finding, .user = &finding, .strict = strict};
    struct diag diag = {.source = text.bytes, .size = text.length, .options = &options};
    assert_true(ptx_parse(&arena, &diag, &module));
    ptx_check(module, &diag);
    arena_free(&arena);
    text_free(&text);
    return finding;
}

static struct finding check_on(const char *version, const char *target, const char *instruction)
{
    return check_with(version, target, instruction, false);
}

static void verdicts_equal_those_of_ptxas(void **state)
{
    (void)state;
    char line[400];
    unsigned wrong = 0, count = 0;
    FILE *file = fopen(DATA_DIR "/ptx/verdicts.txt", "r");
    assert_non_null(file);
    for (; fgets(line, sizeof(line), file) != NULL; count++) {
        line[strcspn(line, "\r\n")] = 0;
        struct finding f = check_on("8.8", "sm_100", line + 2);
        if ((f.errors == 0) == (line[0] == '1'))
            continue;
        wrong++;
        print_error("ptxas %s: %s %s\n", line[0] == '1' ? "accepts" : "rejects", line + 2, f.message);
    }
    fclose(file);
    assert_int_equal(wrong, 0);
    assert_true(count > 400);
}

static const struct expectation {
    const char *instruction, *code, *part; /* part of the message */
} expectations[] = {
    {"add.sat.u32 %r1, %r2, %r3;", "illegal-type", "add.sat takes .s32 .f32 .f16 .f16x2; .u32 was written"},
    {"mul.lo.f32 %f1, %f2, %f3;", "illegal-type", "mul.lo takes .u16 .u32 .u64 .s16 .s32 .s64; .f32 was written"},
    {"rcp.f32 %f1, %f2;", "missing-modifier", "needs a modifier; one of .approx .rn .rz .rm .rp"},
    {"mul %r1, %r2, %r3;", "missing-modifier", "'mul' needs"},
    {"mul.lo %r1, %r2, %r3;", "missing-modifier", "needs a type; one of .u16"},
    {"add.sat.sat.s32 %r1, %r2, %r3;", "duplicate-modifier", "'.sat' is written twice"},
    {"add.s32.sta %r1, %r2, %r3;", "unknown-modifier", "'add' has no modifier '.sta'"},
    {"add.trap.s32 %r1, %r2, %r3;", "illegal-modifier", "'add' has no modifier '.trap'"},
    {"add.pred %p1, %p2, %p3;", "illegal-type", "'add' has no type '.pred'"},
    {"ld.volatile.ca.u32 %r1, [%rd1];", "illegal-modifier", "is not allowed in 'ld.volatile.ca.u32'"},
    {"setp.lo.s32 %p1, %r1, %r2;", "illegal-type", "setp.lo takes .u16 .u32 .u64; .s32 was written"},
    {"add.s32 %r1, %r2;", "operand-count", "'add' takes 3 operands here, not 2"},
    {"add.s32 %r1, %f2, %r3;", "operand-type", "register is .f32; .s32 is wanted"},
    {"add.s32 %r1, %r2, 1.0;", "operand-type", "a float stands where .s32 is wanted"},
    {"add.f32 %f1, %f2, 1;", "operand-type", "an integer stands where .f32 is wanted"},
    {"add.s32 7, %r2, %r3;", "operand-type", "a destination register of type .s32 is wanted"},
    {"add.s32 %r1, %tid.x, 1;", "operand-type", "special registers are read by mov"},
    {"add.s32 %r1, {%r2, %r3}, 1;", "operand-type", "a vector stands where"},
    {"ld.shared.u32 %r1, [G];", "operand-space", "'G' is in .global; the instruction accesses .shared"},
    {"ld.global.u32 %r1, [%fd1];", "operand-type", "cannot hold an address"},
    {"ld.global.v4.b128 {%q1, %q1, %q1, %q1}, [%rd1];", "illegal-modifier", "128 bits"},
    {"st.param.u32 [p], %r1;", "operand-space", "cannot be written"},
    {"@%r1 add.s32 %r1, %r2, %r3;", "operand-type", "a guard must be a predicate register"},
    {"bra G;", "operand-type", "a label is wanted"},
    {"bar.sync 16;", "operand-range", "barriers are 0 to 15"},
    {"bar.sync 0, 33;", "operand-range", "not a multiple of the warp size"},
    {"shfl.up.b32 %r1, %r2, 1, 0;", "missing-modifier", "write .sync"},
    {"elect.sync %r1, -1;", "operand-type", "predicate output"},
    {"cvt.sat.s64.s32 %rd1, %r1;", "illegal-modifier", "where .s64 holds every .s32"},
    {"st.async.f64 0d3ff0000000000000;", "missing-modifier", "'st.async.f64' needs a modifier"},
    {"st.async.release.gpu.f64 0d3ff0000000000000;", "operand-count", "'st' takes 2 operands here, not 1"},
    {"st.bulk [%rd1], 12, 0;", "operand-range", "multiple of 8"},
    {"fence.proxy.bogus;", "unknown-modifier", "'fence' has no modifier '.bogus'"},
    {"fence.proxy;", "missing-modifier", "'fence.proxy' needs a modifier; one of .alias .async"},
    {"fence.async.proxy;", "illegal-modifier", "is not allowed in 'fence.async.proxy'"},
    {"fence.proxy.tensormap::generic.acquire.gpu [%rd1], 64;", "operand-range", "128"},
    {"createpolicy.fractional.L2::evict_last.b64 %rd1, 2.0;", "operand-range", "above 0 and at most 1"},
    {"createpolicy.frob.b64 %rd1, %rd2;", "unknown-modifier", "'createpolicy' has no modifier '.frob'"},
    {"cp.async.cg.shared.global [%r1], [%rd1], 8;", "operand-range", "the size is 16"},
    {"cp.async.bulk.frob [%r1], [%rd1], 16;", "unknown-modifier", "'cp' has no modifier '.frob'"},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r5,%r6}, {%f5,%f6,%f7,%f8};",
     "operand-count", "a vector of 4 elements of type .u32 is wanted"},
    {"wgmma.fence.sync.aligned;", "needs-target", "needs a target with features of its own: 90a; not sm_100"},
    {"tcgen05.wait::ld.sync.aligned;", "needs-target", "100f 110f; not sm_100"},
    {"tcgen05.frob;", "unknown-modifier", "'tcgen05' has no modifier '.frob'"},
    {"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5}];", "operand-count", "at least 2 coordinates"},
    {"vadd.s32.s32.s32.frob %r1, %r2, %r3;", "unknown-modifier", "'vadd' has no modifier '.frob'"},
    {"vadd.s32.s32.s32 %r1, %r2.b3210, %r3;", "operand-type", "one byte or one half"},
};

static void messages_name_what_is_wrong(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof(expectations) / sizeof(expectations[0]); i++) {
        const struct expectation *e = &expectations[i];
        struct finding f = check_on("8.8", "sm_100", e->instruction);
        if (f.errors == 0 || strcmp(f.code, e->code) != 0 || strstr(f.message, e->part) == NULL)
            fail_msg("%s\n  gave %s: %s\n  wanted %s: %s", e->instruction, f.code, f.message, e->code, e->part);
        assert_int_equal(f.line, 5);
    }
}

static void messages_point_at_the_word(void **state)
{
    (void)state;
    assert_int_equal(check_on("8.8", "sm_100", "add.sat.u32 %r1, %r2, %r3;").column, 9);
    assert_int_equal(check_on("8.8", "sm_100", "add.s32 %r1, %f2, %r3;").column, 14);
    assert_int_equal(check_on("8.8", "sm_100", "@%r1 bra LB;").column, 2);
}

static const struct {
    const char *version, *target, *instruction, *code;
} gates[] = {
    {"6.0", "sm_70", "nanosleep.u32 %r1;", "needs-version"},
    {"6.3", "sm_60", "nanosleep.u32 %r1;", "needs-target"},
    {"6.3", "sm_70", "nanosleep.u32 %r1;", ""},
    {"7.4", "sm_75", "ld.global.L1::no_allocate.u32 %r1, [%rd1];", ""},
    {"7.3", "sm_75", "ld.global.L1::no_allocate.u32 %r1, [%rd1];", "needs-version"},
    {"7.0", "sm_75", "fma.rn.relu.f16 %h1, %h2, %h3, %h4;", "needs-target"},
    {"8.8", "sm_75", "shfl.sync.up.b32 %r1, %r2, 1, 0, -1;", ""},
    {"6.3", "sm_75", "shfl.up.b32 %r1, %r2, 1, 0;", ""},
    {"8.0", "sm_90", "setmaxnreg.inc.sync.aligned.u32 40;", "needs-target"},
    {"8.0", "sm_90a", "setmaxnreg.inc.sync.aligned.u32 40;", ""},
    {"8.6", "sm_100a", "setmaxnreg.inc.sync.aligned.u32 40;", ""},
    {"8.0", "sm_90", "fence.proxy.async;", ""},
    {"7.8", "sm_90", "fence.proxy.async;", "needs-version"},
    {"8.0", "sm_89", "fence.proxy.async;", "needs-target"},
    {"8.0", "sm_90", "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%rd1], [%rd2], 16, [%rd3];",
     ""},
    {"7.8", "sm_90", "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%rd1], [%rd2], 16, [%rd3];",
     "needs-version"},
    {"8.0", "sm_80", "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%rd1], [%rd2], 16, [%rd3];",
     "needs-target"},
    {"8.6", "sm_100a", "tcgen05.wait::ld.sync.aligned;", ""},
    {"8.6", "sm_101a", "tcgen05.wait::ld.sync.aligned;", ""},
    {"8.8", "sm_103f", "tcgen05.wait::ld.sync.aligned;", ""},
    {"8.8", "sm_103f", "tcgen05.shift.cta_group::1.down [%r1];", "needs-target"},
    {"8.7", "sm_120a", "tcgen05.wait::ld.sync.aligned;", "needs-target"},
    /* sm_1x: only .trap; cache words, arrays, 3D, handles, sust.p and sured came with sm_20 (PTX ISA notes) */
    {"2.0", "sm_13", "suld.b.1d.b32.trap %r1, [SF, {%r2}];", ""},
    {"2.0", "sm_13", "suld.b.1d.b32.zero %r1, [SF, {%r2}];", "needs-target"},
    {"2.0", "sm_13", "suld.b.1d.ca.b32.trap %r1, [SF, {%r2}];", "needs-target"},
    {"2.0", "sm_20", "suld.b.3d.b32.trap %r1, [SF, {%r2,%r2,%r2,%r2}];", "needs-version"},
    {"3.0", "sm_20", "suld.b.3d.b32.trap %r1, [SF, {%r2,%r2,%r2,%r2}];", ""},
    {"3.0", "sm_20", "suld.b.a1d.b32.trap %r1, [SF, {%r2,%r2}];", ""},
    {"3.0", "sm_20", "suld.b.1d.b32.trap %r1, [%rd1, {%r2}];", "needs-version"},
    {"3.1", "sm_20", "suld.b.1d.b32.trap %r1, [%rd1, {%r2}];", ""},
    {"2.0", "sm_13", "sust.p.1d.b32.trap [SF, {%r2}], %r1;", "needs-target"},
    {"2.0", "sm_13", "sust.b.1d.b32.trap [SF, {%r2}], %r1;", ""},
    {"2.0", "sm_13", "sured.b.add.1d.u32.trap [SF, {%r2}], %r1;", "needs-target"},
    {"2.0", "sm_13", "suq.channel_order.b32 %r1, [SF];", "needs-version"},
    {"2.0", "sm_13", "suq.width.b32 %r1, [SF];", ""},
    {"8.1", "sm_35", "sured.b.min.1d.u64.trap [SF, {0}], %rd1;", "needs-target"},
    {"8.1", "sm_50", "sured.b.min.1d.u64.trap [SF, {0}], %rd1;", ""},
    {"8.1", "sm_35", "sured.p.max.1d.b64.trap [SF, {0}], %rd1;", "needs-target"},
};

static void versions_and_targets_are_gates(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof(gates) / sizeof(gates[0]); i++) {
        struct finding f = check_on(gates[i].version, gates[i].target, gates[i].instruction);
        if (strcmp(f.code, gates[i].code) != 0)
            fail_msg("%s on %s, PTX %s gave '%s' %s", gates[i].instruction, gates[i].target, gates[i].version, f.code,
                     f.message);
    }
}

/* 32-bit addresses where .address_size says 64: the instructions that ptxas 13.0 tells so ("Program uses 32-bit address
 * ... conflicting with .address_size 64"), refused from sm_90 on; 16 bits are a warning everywhere. */
static void addresses_have_the_size_of_the_module(void **state)
{
    static const char *const told[] = {
        "ld.global.u32 %r1, [%r3];",
        "ld.global.nc.v4.u32 {%r1, %r2, %r4, %r5}, [%r3+16];",
        "ld.acquire.gpu.u32 %r1, [%s3];",
        "ldu.u32 %r1, [%u3];",
        "st.u32 [%r3], %r1;",
        "st.volatile.global.u32 [%r3], %r1;",
        "atom.add.u32 %r1, [%r3], 1;",
        "atom.global.add.u32 %r1, [%r3], 1;",
        "atom.global.cas.b64 %rd1, [%r3], %rd1, %rd2;",
        "red.global.add.f32 [%r3], %f1;",
        "prefetch.L1 [%r3];",
        "prefetch.global.L2::evict_last [%r3];",
        "prefetchu.L1 [%r3];",
        "applypriority.global.L2::evict_normal [%r3], 128;",
        "discard.L2 [%r3], 128;",
        "mbarrier.init.b64 [%r3], 1;",
        "mbarrier.test_wait.b64 %p1, [%r3], %rd1;",
        "cvta.global.u32 %r1, %r3;",
        "cvta.to.shared.u32 %r1, %r3;",
        "cvta.global.u32 %r1, G;",
    };
    static const char *const untold[] = {
        "ld.shared.u32 %r1, [%r3];",
        "ld.local.u32 %r1, [%r3];",
        "ld.const.u32 %r1, [%r3];",
        "ld.shared.u32 %r1, [%rs3];",
        "ld.global.u32 %r1, [G];",
        "atom.shared.add.u32 %r1, [%r3], 1;",
        "prefetch.local.L1 [%r3];",
        "mbarrier.init.shared.b64 [%r3], 1;",
        "createpolicy.range.global.L2::evict_last.b64 %rd1, [%r3], 16, 16;",
        "cp.async.ca.shared.global [%r4], [%r3], 4;",
        "cp.async.mbarrier.arrive.b64 [%r3];",
        "isspacep.global %p1, %r3;",
    };
    (void)state;
    for (unsigned i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
        struct finding below = check_on("7.8", "sm_89", told[i]), above = check_on("7.8", "sm_90", told[i]);
        if (below.errors != 0 || below.warnings != 1 || strcmp(above.code, "address-size") != 0)
            fail_msg("%s: %u errors and %u warnings on sm_89, '%s' on sm_90", told[i], below.errors, below.warnings,
                     above.code);
        assert_int_equal(check_with("7.8", "sm_89", told[i], true).errors, 1);
    }
    for (unsigned i = 0; i < sizeof(untold) / sizeof(untold[0]); i++) {
        struct finding f = check_on("7.8", "sm_90", untold[i]);
        if (f.errors + f.warnings != 0)
            fail_msg("%s gave %s", untold[i], f.message);
    }
    struct finding cluster = check_on("8.0", "sm_90", "prefetch.tensormap [%r3];");
    assert_int_equal(cluster.errors + cluster.warnings, 0);
    struct finding half = check_on("7.8", "sm_90", "red.add.u32 [%rs3], 1;");
    assert_int_equal(half.errors, 0);
    assert_int_equal(half.warnings, 1);
}

/* What only ptxas takes is a warning, and refused on request. */
static void strict_wants_the_text_of_the_isa(void **state)
{
    static const char *const only[] = {
        "suld.b.4d.b32.trap %r1, [SF, {%r2}];",
        "suld.b.1d_buffer.b32.trap %r1, [SF, {%r2}];",
        "sust.p.a1d.b32.trap [SF, {%r2,%r2}], %r1;",
        "sust.p.2d.wb.b32.trap [SF, {%r2,%r2}], %r1;",
        "suld.b.1d.b32.trap %r1, [SF, {%r2,%r2}];",
        "suld.b.2d.b32.trap %r1, [SF, %r2];",
        "tcgen05.ld.sync.32x32b.x1.b32 {%r1}, [%r2];",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.s64 [%rd1], %rd2, [%rd3];",
    };
    (void)state;
    for (unsigned i = 0; i < sizeof(only) / sizeof(only[0]); i++) {
        assert_int_equal(check_with("8.8", "sm_100a", only[i], false).errors, 0);
        assert_int_equal(check_with("8.8", "sm_100a", only[i], false).warnings, 1);
        assert_int_equal(check_with("8.8", "sm_100a", only[i], true).errors, 1);
    }
    assert_int_equal(check_with("8.8", "sm_100", "sust.p.2d.b32.trap [SF, {%r2,%r2}], %r1;", true).errors, 0);
    assert_int_equal(
        check_with("8.8", "sm_100", "suld.b.a2d.v2.b64.zero {%rd1,%rd2}, [SF, {%r2,%r2,%r2,%r2}];", true).errors, 0);
}

/* nvcc and the CUDA headers write modifiers in several orders; ptxas takes any. */
static void modifiers_stand_in_any_order(void **state)
{
    (void)state;
    static const char *const same[] = {
        "ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];",
        "ld.f32.v4.nc.global {%f1, %f2, %f3, %f4}, [%rd1];",
        "ld.v4.f32.global.nc {%f1, %f2, %f3, %f4}, [%rd1];",
        "vote.sync.ballot.b32 %r1, %p1, -1;",
        "vote.ballot.sync.b32 %r1, %p1, -1;",
        "fma.f32.rn.sat %f1, %f2, %f3, %f4;",
        "prmt.f4e.b32 %r1, %r2, %r3, %r4;",
    };
    for (unsigned i = 0; i < sizeof(same) / sizeof(same[0]); i++)
        assert_int_equal(check_on("8.8", "sm_100", same[i]).errors, 0);
}

/* What could only be lowered in part is told here, with a place. */
static void declarations_have_room(void **state)
{
    static const struct {
        const char *text, *code; /* the module after its header; "" = it is right */
        unsigned line, column;
    } cases[] = {
        {".entry k(.param .b8 c, .param .align 8 .b8 a[32756]) { ret; }", "", 0, 0},
        {".entry k(.param .b8 c, .param .align 8 .b8 a[32757]) { ret; }", "too-large", 2, 44},
        {".func f(.param .b8 a[600000]) { ret; }", "too-large", 2, 7},
        {".entry k() { .local .b8 a[600000]; ret; }", "", 0, 0},
        {".entry k() { .local .b8 a[600000]; .reg .u32 r; ld.local.u32 r, [a]; ret; }", "too-large", 2, 8},
        {".entry k() { .local .b8 a[5000000000]; .reg .u32 r; ld.local.u32 r, [a]; ret; }", "too-large", 2, 8},
        {".entry k() { .local .b8 a[16]; .reg .u64 r; mov.u64 r, a+1000; ret; }", "", 0, 0},
        {".global .u32 a; .global .u8 p[2] = {0xFF(a), 0xFF00(a)};", "", 0, 0},
        {".global .u32 a; .global .u8 p[2] = {0xFF00(a), 0xFF(a)};", "not-supported", 2, 37},
        {".global .u32 a; .global .u8 p[2][2] = {{0xFF(a)}, {0xFF00(a)}};", "not-supported", 2, 52},
        {".entry k() { .global .u32 a; .global .u8 p = 0xFF00(a); ret; }", "not-supported", 2, 46},
        {".global .surfref a[5000000000];", "bad-array", 2, 18},
        {".extern .func f(.reg .u64 a);", "", 0, 0},
        {".func f(.reg .u64 a) { ret; }\n.func g(.reg .u64 a);\n.alias g, f;", "", 0, 0},
        {".func f(.reg .u32 a) { ret; }\n.func g(.reg .u64 a);\n.alias g, f;", "redeclared", 4, 8},
        {".entry f() { ret; }\n.entry g();\n.alias g, f;", "bad-operand", 4, 8},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct text text = {0};
        struct finding whole = {0}, passing = {0};
        struct arena arena = {0};
        struct ptx_module *module;
        text_printf(&text, ".version 8.3 .target sm_90 .address_size 64\n%s\n", cases[i].text);
        struct atoll_module_options options = {.diagnose = note_finding, .user = &whole}, again = options;
        struct diag diag = {.source = text.bytes, .size = text.length, .options = &options}, second = diag;
        assert_true(ptx_parse(&arena, &diag, &module));
        bool good = ptx_check(module, &diag) && diag.errors == 0;
        again.user = &passing;
        second.options = &again;
        assert_true(ptx_validate(&second));
        if (strcmp(whole.code, cases[i].code) != 0 || whole.line != cases[i].line || whole.column != cases[i].column)
            fail_msg("%s gave %s at %u:%u", cases[i].text, whole.code, whole.line, whole.column);
        assert_memory_equal(&whole, &passing, sizeof(whole));
        struct lane_module lanes = {0};
        struct atoll_error error = {0};
        if (good && !(ptx_lower(module, &lanes, &error) && lane_verify(&lanes, &error)))
            fail_msg("%s: %s", cases[i].text, error.message);
        lane_module_free(&lanes);
        arena_free(&arena);
        text_free(&text);
    }
}

static void note_all(void *user, const struct atoll_diagnostic *d)
{
    text_printf(user, "%u:%u %d %s %s\n", d->line, d->column, (int)d->severity, d->code, d->message);
}

/* Function by function, with nothing kept, the messages are those of the whole module. */
static void passing_bodies_give_the_same_messages(void **state)
{
    char line[400];
    struct text text = {0}, messages[2] = {{0}, {0}};
    struct arena arena = {0};
    struct ptx_module *module;
    unsigned count = 0;
    FILE *file = fopen(DATA_DIR "/ptx/verdicts.txt", "r");
    (void)state;
    assert_non_null(file);
    text_puts(&text, ".version 8.8 .target sm_100 .address_size 64\n"
                     ".global .u32 G[4]; .shared .u32 S[4]; .const .u32 C[4]; .global .surfref SF;\n");
    for (; fgets(line, sizeof(line), file) != NULL; count++) {
        if (count % 10 == 0)
            text_printf(&text, "%s.visible .entry k%u(.param .u64 p) {\n%s%s\n", count ? "ret; LB: ret; }\n" : "",
                        count, registers, wide_registers);
        text_puts(&text, line + 2);
    }
    text_puts(&text, "ret; LB: ret; }\n.entry last() { bra NO; add.u32 %r1, %r1, 1; ret; }\n");
    fclose(file);
    struct atoll_module_options options[2] = {{.diagnose = note_all, .user = &messages[0]},
                                              {.diagnose = note_all, .user = &messages[1]}};
    struct diag diags[2];
    for (unsigned i = 0; i < 2; i++)
        diags[i] = (struct diag){.source = text.bytes, .size = text.length, .options = &options[i], .hold = true};
    assert_true(ptx_parse(&arena, &diags[0], &module));
    ptx_check(module, &diags[0]);
    assert_true(ptx_validate(&diags[1]));
    diag_flush(&diags[0]);
    diag_flush(&diags[1]);
    assert_int_equal(diags[0].errors, diags[1].errors);
    assert_true(diags[0].errors > 200);
    assert_string_equal(messages[0].bytes, messages[1].bytes);
    arena_free(&arena);
    text_free(&messages[0]);
    text_free(&messages[1]);
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_equal_those_of_ptxas),
        cmocka_unit_test(messages_name_what_is_wrong),
        cmocka_unit_test(messages_point_at_the_word),
        cmocka_unit_test(versions_and_targets_are_gates),
        cmocka_unit_test(modifiers_stand_in_any_order),
        cmocka_unit_test(strict_wants_the_text_of_the_isa),
        cmocka_unit_test(addresses_have_the_size_of_the_module),
        cmocka_unit_test(declarations_have_room),
        cmocka_unit_test(passing_bodies_give_the_same_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

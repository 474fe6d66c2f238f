/* Which registers never hold a subnormal, and what operations with .ftz do where none of their sources can be one. */
#include "engine/plan/plan.h"
#include "kernels_run.h"

static const char text[] = "lanes 1\n"
                           "kernel \"k\" params 8 {\n"
                           "  param \"data\" \"u64\" offset 0 size 8 align 8 count 1\n"
                           "  reg 64 %rd\n"
                           "  reg 1 %p\n"
                           "  reg 32 %loaded %sum %copy %mixed %chosen %int %guarded %bits %small\n"
                           "b0:\n"
                           "    %rd = ld.param.u64 [0:64]\n"
                           "    %loaded = ld.global.f32 [%rd]\n"
                           "    %copy = mov.b32 %sum\n"
                           "    %sum = add.ftz.f32 %loaded, %copy\n"
                           "    %mixed = mul.ftz.f32 %sum, %sum\n"
                           "    %int = cvt.f32.u32 %loaded\n"
                           "    %p = setp.lt.ftz.f32 %int, 0x3f800000\n"
                           "    %guarded = sub.ftz.f32 %sum, 0x00000001\n"
                           "    @%p %guarded = mul.f32 %sum, %sum\n"
                           "    %chosen = selp.b32 %sum, %mixed, %p\n"
                           "    %mixed = add.u32 %mixed, 1\n"
                           "    %bits = min.ftz.f32 %sum, %int\n"
                           "    %small = mov.b32 0x00000001\n"
                           "    st.global.f32 [%rd], %chosen\n"
                           "    exit\n"
                           "}\n";

static void registers_and_flags(void **unused)
{
    static const bool flushed[] = {false, false, false, true, true, false, false, true, false, true, false};
    struct arena arena = {0};
    struct lane_module m = {0};
    struct atoll_error error;
    struct plan plan = {0};
    (void)unused;
    if (!lane_parse(text, strlen(text), &m, &error) || !lane_verify(&m, &error))
        fail_msg("%u: %s", error.line, error.message);
    const struct lane_func *f = &m.funcs[0];
    assert_true(plan_make(&arena, f, false, &plan));
    assert_int_equal(f->nregs, sizeof flushed);
    for (unsigned r = 0; r < sizeof flushed; r++)
        if (plan.flushed[r] != flushed[r])
            fail_msg("register %u is %s", r, flushed[r] ? "flushed" : "not flushed");
    const struct lane_inst *inst = f->insts;
    assert_int_equal(plan_flags(&plan, &inst[3]), LANE_FTZ);                   /* what is loaded may be subnormal */
    assert_int_equal(plan_flags(&plan, &inst[4]), LANE_FTZ | MEANING_FLUSHED); /* results alone */
    assert_int_equal(plan_flags(&plan, &inst[6]), 0);                          /* nothing */
    assert_int_equal(plan_flags(&plan, &inst[7]), LANE_FTZ);                   /* a constant is subnormal */
    assert_int_equal(plan_flags(&plan, &inst[11]), 0);
    struct plan plain = {0};
    assert_true(plan_make(&arena, f, true, &plain));
    assert_int_equal(plan_flags(&plain, &inst[4]), LANE_FTZ);
    arena_free(&arena);
    lane_module_free(&m);
}

/* Sources that are no subnormals give the same whether they are flushed or not: near the smallest numbers, too. */
static void operations(void **unused)
{
    static const uint16_t ops[] = {LANE_OP_add, LANE_OP_sub, LANE_OP_mul};
    static const uint32_t edges[] = {0,          0x80000000, 0x00800000, 0x80800001, 0x00800002, 0x00ffffff,
                                     0x3f7fffff, 0x3f000000, 0x7f800000, 0xff800000, 0x7fffffff, 0x7f7fffff};
    uint64_t random = 0x9e3779b97f4a7c15u;
    (void)unused;
    for (unsigned i = 0; i < 3 * 3000; i++) {
        struct lane_inst inst = {.op = ops[i % 3], .type = LANE_F32, .flags = LANE_FTZ};
        struct kernel_lanes all = {{{0}}}, results;
        for (unsigned slot = KERNEL_A; slot <= KERNEL_B; slot++)
            for (unsigned l = 0; l < 32; l++) {
                uint32_t v = (uint32_t)(kernel_random(&random) >> 32);
                v = v % 5 == 0 ? edges[v / 5 % 12] : v % 5 < 3 ? (v & 0x807fffff) + 0x00800000 : v;
                KERNEL_SLOT(&all, uint32_t, slot)[l] = v & 0x7f800000 ? v : v & 0x80000000;
            }
        results = all;
        kernel_run(&inst, &all);
        inst.flags |= MEANING_FLUSHED;
        kernel_run(&inst, &results);
        kernel_expect_same(&inst, &results, KERNEL_D, &all, "with its sources flushed");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(registers_and_flags), cmocka_unit_test(operations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

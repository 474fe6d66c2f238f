/* The builder of lane programs: numbering, interning, copies, the local frame, sticky failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lane/lane.h"

static void begin(struct lane_module *m, struct lane_builder *b)
{
    *m = (struct lane_module){0};
    uint32_t f = lane_add_func(m);
    assert_int_equal(f, 0);
    m->funcs[f].name = "f";
    lane_begin(b, m, f);
}

static void constants_are_interned(void **state)
{
    (void)state;
    struct lane_module m;
    struct lane_builder b;
    begin(&m, &b);
    struct lane_operand first = lane_imm(&b, 32, 7);
    assert_int_equal(first.kind, LANE_CONST);
    assert_int_equal(lane_imm(&b, 32, 7).index, first.index);
    assert_int_equal(lane_imm(&b, 32, 0x100000007).index, first.index); /* bits beyond the width do not count */
    assert_int_not_equal(lane_imm(&b, 64, 7).index, first.index);
    assert_int_not_equal(lane_address(&b, 32, 1, 7).index, first.index);
    assert_int_equal(lane_imm128(&b, 1, 2).index, lane_imm128(&b, 1, 2).index);
    uint32_t before = m.funcs[0].nconsts;
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 10000; i++)
            assert_int_equal(lane_imm(&b, 16, i).index, before + i);
    assert_int_equal(m.funcs[0].nconsts, before + 10000);
    assert_true(lane_end(&b, NULL));
    lane_module_free(&m);
}

static void registers_keep_width_and_name(void **state)
{
    (void)state;
    struct lane_module m;
    struct lane_builder b;
    begin(&m, &b);
    char name[] = "%r0";
    for (uint32_t i = 0; i < 100; i++) {
        struct lane_operand r = lane_reg(&b, i % 2 ? 64 : 1, i == 40 ? name : NULL);
        assert_int_equal(r.kind, LANE_REG);
        assert_int_equal(r.index, i);
    }
    name[0] = 'x';
    assert_int_equal(m.funcs[0].widths[99], 64);
    assert_string_equal(m.funcs[0].names[40], "%r0");
    assert_null(m.funcs[0].names[0]);
    assert_null(m.funcs[0].names[99]);
    lane_module_free(&m);
}

static void instructions_go_to_the_current_block(void **state)
{
    (void)state;
    struct lane_module m;
    struct lane_builder b;
    begin(&m, &b);
    struct lane_operand r = lane_reg(&b, 32, NULL), p = lane_reg(&b, 1, NULL), src[2] = {r, lane_imm(&b, 32, 1)};
    b.line = 12;
    lane_emit(&b, LANE_OP_add, LANE_U32, 1, &r, 2, src); /* begins block 0 by itself */
    b.guard = p;
    b.guard_not = true;
    lane_emit(&b, LANE_OP_bra, LANE_VOID, 0, NULL, 0, NULL)->aux = 1;
    b.guard = (struct lane_operand){LANE_NONE, 0};
    b.guard_not = false;
    assert_int_equal(lane_block(&b), 1);
    lane_emit(&b, LANE_OP_exit, LANE_VOID, 0, NULL, 0, NULL);
    struct atoll_error error;
    assert_true(lane_end(&b, &error));
    struct lane_func *f = &m.funcs[0];
    assert_true(f->defined);
    assert_int_equal(f->nblocks, 2);
    assert_int_equal(f->blocks[0].count, 2);
    assert_int_equal(f->blocks[1].first, 2);
    assert_int_equal(f->insts[0].line, 12);
    assert_int_equal(f->insts[0].ndst, 1);
    assert_int_equal(f->insts[0].nsrc, 2);
    assert_int_equal(f->operands[f->insts[0].first + 2].kind, LANE_CONST);
    assert_true(f->insts[1].guard_not);
    assert_int_equal(f->insts[1].guard.index, p.index);
    assert_int_equal(f->insts[2].guard.kind, LANE_NONE);
    assert_true(lane_verify(&m, &error));
    lane_module_free(&m);
}

static void side_tables_are_copied(void **state)
{
    (void)state;
    struct lane_module m;
    struct lane_builder b;
    begin(&m, &b);
    uint32_t blocks[2] = {3, 4};
    struct lane_slot slot = {8, 4, 4};
    char message[] = "tex.2d";
    assert_int_equal(lane_table(&b, blocks, 2), 0);
    assert_int_equal(lane_call(&b, &(struct lane_call){0, 1, 0, &slot, NULL}), 0);
    assert_int_equal(lane_call(&b, &(struct lane_call){0, 0, 1, NULL, &slot}), 1);
    assert_int_equal(lane_string(&b, message), 0);
    assert_int_equal(lane_access(&b, &(struct lane_access){.vec = 4}), 0);
    blocks[1] = slot.size = 99;
    message[0] = 'x';
    struct lane_func *f = &m.funcs[0];
    assert_int_equal(f->tables[0].blocks[1], 4);
    assert_int_equal(f->calls[0].args[0].size, 4);
    assert_int_equal(f->calls[1].results[0].local, 8);
    assert_string_equal(f->strings[0], "tex.2d");
    assert_int_equal(f->accesses[0].vec, 4);
    lane_module_free(&m);
}

static void local_frame_is_aligned(void **state)
{
    (void)state;
    struct lane_module m;
    struct lane_builder b;
    begin(&m, &b);
    assert_int_equal(lane_local(&b, 5, 1), 0);
    assert_int_equal(lane_local(&b, 8, 8), 8);
    assert_int_equal(lane_local(&b, 1, 16), 16);
    assert_int_equal(m.funcs[0].local_bytes, 17);
    assert_false(b.failed);
    lane_local(&b, UINT32_MAX, 16);
    assert_true(b.failed);
    lane_module_free(&m);
}

static void failure_is_sticky(void **state)
{
    (void)state;
    struct lane_module m;
    struct lane_builder b;
    begin(&m, &b);
    m.arena.limit = 1; /* no further chunk */
    for (int i = 0; i < 100000 && !b.failed; i++)
        lane_reg(&b, 32, "%name");
    assert_true(b.failed);
    struct lane_inst *inst = lane_emit(&b, LANE_OP_exit, LANE_VOID, 0, NULL, 0, NULL);
    assert_non_null(inst);
    inst->aux = 1;
    struct atoll_error error;
    assert_false(lane_end(&b, &error));
    assert_int_equal(error.status, ATOLL_MEMORY);
    lane_module_free(&m);
}

static void no_such_function(void **state)
{
    (void)state;
    struct lane_module m = {0};
    struct lane_builder b;
    lane_begin(&b, &m, 5);
    lane_reg(&b, 32, NULL);
    lane_emit(&b, LANE_OP_exit, LANE_VOID, 0, NULL, 0, NULL);
    assert_false(lane_end(&b, NULL));
    lane_module_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_are_interned),
        cmocka_unit_test(registers_keep_width_and_name),
        cmocka_unit_test(instructions_go_to_the_current_block),
        cmocka_unit_test(side_tables_are_copied),
        cmocka_unit_test(local_frame_is_aligned),
        cmocka_unit_test(failure_is_sticky),
        cmocka_unit_test(no_such_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

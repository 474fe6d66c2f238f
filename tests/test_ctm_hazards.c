/* What CTM programs use before it is there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctm_build.h"
#include "isa/ctm/hazards.h"

static void wants(struct build *b, uint32_t end, unsigned number, const char *wanted)
{
    struct text out = {0};
    unsigned count = 0;
    bool uncached = b->program.info[CTM_INFO_UMRT];
    build_end(b, end)->info[CTM_INFO_UMRT] = uncached;
    assert_true(ctm_hazards(&b->program, &out, &count));
    text_puts(&out, "");
    if (count != number || strcmp(out.bytes, wanted) != 0)
        fail_msg("%u: '%s', wanted %u: '%s'", count, out.bytes, number, wanted);
    text_free(&out);
}

static void lookups(void **state)
{
    struct build b = {0};
    (void)state;
    struct ctm_inst *lookup = build_lookup(&b, 4, 0, 0);
    struct ctm_inst *move = build_move(&b, CTM_TYPE_ALU, 1, 4);
    build_move(&b, CTM_TYPE_OUTPUT, 0, 1);
    wants(&b, 2, 2,
          "instruction 1: r4.rgb is read while the lookup of instruction 0 can be under way: no TEX_SEM_ACQUIRE covers "
          "it\n"
          "instruction 1: r4.a is read while the lookup of instruction 0 can be under way: no TEX_SEM_ACQUIRE covers "
          "it\n");
    ctm_set(move, CTM_ALPHA_WMASK, 0);
    ctm_set(lookup, CTM_TEX_SEM_ACQUIRE, 1);
    wants(&b, 2, 1,
          "instruction 1: r4.rgb is read while the lookup of instruction 0 can be under way: no TEX_SEM_WAIT since its "
          "TEX_SEM_ACQUIRE\n");
    ctm_set(lookup, CTM_RGB_WMASK, 5); /* other channels are not written */
    wants(&b, 2, 1,
          "instruction 1: r4.rb is read while the lookup of instruction 0 can be under way: no TEX_SEM_WAIT since its "
          "TEX_SEM_ACQUIRE\n");
    ctm_set(move, CTM_TEX_SEM_WAIT, 1);
    wants(&b, 2, 0, "");
    /* written while it is under way */
    ctm_set(move, CTM_TEX_SEM_WAIT, 0);
    ctm_set(move, CTM_RGB_ADDR0, 0);
    ctm_set(move, CTM_RGB_ADDRD, 4);
    wants(
        &b, 2, 1,
        "instruction 1: r4.rb is written while the lookup of instruction 0 can be under way: no TEX_SEM_WAIT since its "
        "TEX_SEM_ACQUIRE\n");
    /* what is not used does not count, nor do addresses that nobody knows */
    ctm_set(move, CTM_RGB_WMASK, 0);
    wants(&b, 2, 0, "");
    ctm_set(move, CTM_RGB_WMASK, 7);
    ctm_set(move, CTM_RGB_ADDRD_REL, 1);
    wants(&b, 2, 0, "");
}

/* The guide's example: three lookups, one semaphore; a coordinate is overwritten at once. */
static void shared_semaphore(void **state)
{
    struct build b = {0};
    (void)state;
    build_lookup(&b, 4, 1, 0);
    build_lookup(&b, 5, 2, 1);
    struct ctm_inst *third = build_lookup(&b, 6, 3, 2);
    ctm_set(third, CTM_TEX_SEM_ACQUIRE, 1);
    ctm_set(third, CTM_TEX_SEM_WAIT, 1);
    build_move(&b, CTM_TYPE_ALU, 1, 1);
    struct ctm_inst *use = build_move(&b, CTM_TYPE_ALU, 2, 4);
    build_move(&b, CTM_TYPE_OUTPUT, 0, 5);
    ctm_set(use, CTM_TEX_SEM_WAIT, 1);
    wants(&b, 5, 0, "");
    /* a lookup by what one has read, which is not there yet */
    ctm_set(third, CTM_SRC_ADDR, 4);
    b.program.lines = b.lines;
    for (uint32_t i = 0; i < b.program.ninsts; i++)
        b.lines[i] = 10 * i + 10;
    wants(&b, 5, 1,
          "instruction 2 (line 30): r4.rg is read while the lookup of instruction 0 (line 10) can be under way: no "
          "TEX_SEM_ACQUIRE covers it\n");
}

/* IF, ELSE, ENDIF: ways of one processor. */
static void branches(void **state)
{
    struct build b = {0};
    (void)state;
    build_flow(&b, BUILD_IF_ELSE(0x55, 3));
    ctm_set(build_lookup(&b, 4, 0, 0), CTM_TEX_SEM_ACQUIRE, 1);
    build_flow(&b, BUILD_ELSE(5));
    build_move(&b, CTM_TYPE_ALU, 1, 4); /* the old r4, of processors that did no lookup */
    build_flow(&b, BUILD_ENDIF);
    struct ctm_inst *use = build_move(&b, CTM_TYPE_OUTPUT, 0, 4);
    wants(&b, 5, 0, "");
    ctm_set(use, CTM_TEX_SEM_WAIT, 0);
    ctm_set(use, CTM_ALPHA_OMASK, 0);
    wants(&b, 5, 1,
          "instruction 5: r4.rgb is read while the lookup of instruction 1 can be under way: no TEX_SEM_WAIT since its "
          "TEX_SEM_ACQUIRE\n");
    ctm_set(&b.insts[3], CTM_TEX_SEM_WAIT, 1); /* the other way */
    wants(&b, 5, 1,
          "instruction 5: r4.rgb is read while the lookup of instruction 1 can be under way: no TEX_SEM_WAIT since its "
          "TEX_SEM_ACQUIRE\n");
    ctm_set(&b.insts[2], CTM_TEX_SEM_WAIT, 1); /* any instruction can wait */
    wants(&b, 5, 0, "");
}

/* What the end of a loop's body leaves under way meets its beginning; a subroutine what is left before the call. */
static void loops_and_calls(void **state)
{
    struct build b = {0};
    (void)state;
    build_flow(&b, BUILD_LOOP(4));
    ctm_set(build_move(&b, CTM_TYPE_ALU, 1, 4), CTM_ALPHA_WMASK, 0);
    ctm_set(build_lookup(&b, 4, 0, 0), CTM_TEX_SEM_ACQUIRE, 1);
    build_flow(&b, BUILD_ENDLOOP(1));
    build_move(&b, CTM_TYPE_OUTPUT, 0, 4);
    wants(&b, 4, 1,
          "instruction 1: r4.rgb is read while the lookup of instruction 2 can be under way: no TEX_SEM_WAIT since its "
          "TEX_SEM_ACQUIRE\n");
    b = (struct build){0};
    build_flow(&b, BUILD_CALL(3));
    ctm_set(build_move(&b, CTM_TYPE_ALU, 1, 4), CTM_ALPHA_WMASK, 0);
    build_move(&b, CTM_TYPE_OUTPUT, 0, 1);
    ctm_set(build_lookup(&b, 4, 0, 0), CTM_TEX_SEM_ACQUIRE, 1);
    build_flow(&b, BUILD_RETURN);
    wants(&b, 2, 1,
          "instruction 1: r4.rgb is read while the lookup of instruction 3 can be under way: no TEX_SEM_WAIT since its "
          "TEX_SEM_ACQUIRE\n");
    ctm_set(&b.insts[4], CTM_TEX_SEM_WAIT, 1);
    wants(&b, 2, 0, "");
}

static void uncached_reads(void **state)
{
    struct build b = {0};
    (void)state;
    struct ctm_inst *write = build_move(&b, CTM_TYPE_OUTPUT, 0, 0);
    ctm_set(write, CTM_RGB_TARGET, CTM_UMRT_OWN);
    struct ctm_inst *read = build_lookup(&b, 1, 0, 0);
    ctm_set(read, CTM_TEX_INST, CTM_TEX_UNCACHED);
    build_move(&b, CTM_TYPE_OUTPUT, 0, 0);
    b.program.info[CTM_INFO_UMRT] = 1;
    wants(&b, 2, 1,
          "instruction 1: an uncached read while the uncached write of instruction 0 can be under way: it acquires no "
          "semaphore\n");
    ctm_set(write, CTM_RGB_TARGET, CTM_UMRT_OWN_ACQUIRE);
    wants(&b, 2, 1,
          "instruction 1: an uncached read while the uncached write of instruction 0 can be under way: no TEX_SEM_WAIT "
          "since it acquired the semaphore\n");
    ctm_set(read, CTM_TEX_SEM_WAIT, 1);
    wants(&b, 2, 0, "");
    ctm_set(read, CTM_TEX_SEM_WAIT, 0);
    b.program.info[CTM_INFO_UMRT] = 0; /* cached outputs go out at the end */
    wants(&b, 2, 0, "");
    b.program.info[CTM_INFO_UMRT] = 1;
    ctm_set(read, CTM_TEX_INST, CTM_TEX_LOOKUP);
    wants(&b, 2, 0, "");
}

static void alu_results(void **state)
{
    struct build b = {0};
    (void)state;
    struct ctm_inst *compare = build_move(&b, CTM_TYPE_ALU, 1, 0);
    build_flow(&b, BUILD_IF(0x0f, 3));
    build_flow(&b, BUILD_ENDIF);
    build_flow(&b, BUILD_IF(0x0f, 5));
    build_flow(&b, BUILD_ENDIF);
    build_move(&b, CTM_TYPE_OUTPUT, 0, 1);
    wants(&b, 5, 2,
          "instruction 1: decides by the ALU result, which nothing has written\n"
          "instruction 3: decides by the ALU result, which nothing has written\n");
    ctm_set(compare, CTM_ALU_WMASK, 1);
    wants(&b, 5, 1, "instruction 3: decides by the ALU result, which an earlier flow-control instruction has ended\n");
    ctm_set(&b.insts[1], CTM_JUMP_ADDR, 2);
    b.insts[2] = *compare; /* again, in between */
    wants(&b, 5, 0, "");
}

static void presubtract(void **state)
{
    struct build b = {0};
    (void)state;
    struct ctm_inst *first = build_move(&b, CTM_TYPE_ALU, 3, 0);
    struct ctm_inst *second = build_move(&b, CTM_TYPE_ALU, 1, 3);
    build_move(&b, CTM_TYPE_OUTPUT, 0, 1);
    wants(&b, 2, 0, "");
    ctm_set(second, CTM_RGB_SEL_A, CTM_SEL_SRCP);
    ctm_set(second, CTM_RGB_SRCP_OP, CTM_SRCP_INV);
    wants(&b, 2, 1, "instruction 1: r3.rgb is read too early: instruction 0 writes it and has no NOP\n");
    ctm_set(first, CTM_NOP, 1);
    wants(&b, 2, 0, "");
    ctm_set(first, CTM_NOP, 0);
    ctm_set(first, CTM_RGB_ADDRD, 4);
    wants(&b, 2, 0, "");
    ctm_set(second, CTM_RGB_SRCP_OP, CTM_SRCP_SUB);
    ctm_set(second, CTM_RGB_ADDR1, 4);
    wants(&b, 2, 1, "instruction 1: r4.rgb is read too early: instruction 0 writes it and has no NOP\n");
    ctm_set(second, CTM_RGB_OP, CTM_RGB_MDH);
    ctm_set(second, CTM_RGB_SEL_A, 0);
    ctm_set(second, CTM_RGB_ADDR0, 4);
    wants(&b, 2, 1, "instruction 1: r4.rgb is read too early: instruction 0 writes it and has no NOP\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lookups),         cmocka_unit_test(shared_semaphore), cmocka_unit_test(branches),
        cmocka_unit_test(loops_and_calls), cmocka_unit_test(uncached_reads),   cmocka_unit_test(alu_results),
        cmocka_unit_test(presubtract),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The rules of CTM's guide: a program that keeps them, and one break of each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctm_build.h"
#include "isa/ctm/check.h"
#include "isa/ctm/elf.h"

/* Messages, "error CODE: ..." a line. */
static void tell(void *user, const struct atoll_diagnostic *d)
{
    text_printf(user, "%s %s: %s\n", d->severity == ATOLL_ERROR ? "error" : "warning", d->code, d->message);
}

static char *verdict(const struct ctm_program *program, enum ctm_verdict how)
{
    struct text out = {0};
    struct atoll_module_options options = {.diagnose = tell, .user = &out};
    struct diag diag = {.options = &options, .hold = true};
    assert_true(ctm_check(program, how, &diag));
    diag_flush(&diag);
    text_puts(&out, "");
    return out.bytes;
}

static void wants(const struct ctm_program *program, enum ctm_verdict how, const char *wanted)
{
    char *said = verdict(program, how);
    if (*wanted ? !strstr(said, wanted) : *said != 0)
        fail_msg("said '%s', wanted '%s'", said, wanted);
    free(said);
}

/* r1 = input 0 at r0; output 0 = r1. */
static void plain(struct build *b)
{
    *b = (struct build){0};
    struct ctm_inst *lookup = build_lookup(b, 1, 0, 0);
    ctm_set(lookup, CTM_TEX_SEM_ACQUIRE, 1);
    ctm_set(lookup, CTM_TEX_SEM_WAIT, 1);
    build_move(b, CTM_TYPE_ALU, 2, 1);
    ctm_set(&b->insts[1], CTM_TEX_SEM_WAIT, 1);
    build_move(b, CTM_TYPE_OUTPUT, 0, 2);
}

static void kept(void **state)
{
    struct build b;
    (void)state;
    plain(&b);
    wants(build_end(&b, 2), CTM_VERDICT_STRICT, "");
}

/* A field of one instruction, or two, set; what is said. */
struct row {
    struct {
        uint8_t inst;
        enum ctm_field field;
        uint32_t value;
    } set[4];
    const char *says; /* "": nothing, even strictly */
};

static const struct row rows[] = {
    {{{1, CTM_RGB_OMOD, CTM_OMOD_DISABLED}},
     "error omod-disabled: instruction 1: OMOD_DISABLED with MAD of RGB; wanted"},
    {{{1, CTM_ALPHA_OMOD, CTM_OMOD_DISABLED}}, "error omod-disabled: instruction 1: OMOD_DISABLED with MAD of alpha"},
    {{{1, CTM_ALPHA_OMOD, CTM_OMOD_DISABLED}, {1, CTM_ALPHA_WMASK, 0}}, ""},
    {{{1, CTM_RGB_OMOD, CTM_OMOD_DISABLED}, {1, CTM_RGB_OP, CTM_RGB_MIN}}, ""},
    {{{1, CTM_RGB_OMOD, CTM_OMOD_DISABLED}, {1, CTM_RGB_OP, CTM_RGB_CND}}, ""},
    {{{1, CTM_RGB_OMOD, CTM_OMOD_DISABLED}, {1, CTM_RGB_OP, CTM_RGB_FRC}}, "error omod-disabled"},
    {{{1, CTM_ALPHA_OMOD, CTM_OMOD_DISABLED}, {1, CTM_ALPHA_OP, CTM_ALPHA_CMP}}, ""},
    {{{1, CTM_ALPHA_OMOD, CTM_OMOD_DISABLED}, {1, CTM_ALPHA_OP, CTM_ALPHA_MAX}, {1, CTM_ALPHA_CLAMP, 1}},
     "error omod-clamp: instruction 1: OMOD_DISABLED with a clamp of alpha"},
    {{{1, CTM_ALPHA_OP, CTM_ALPHA_DP}}, "error dp-alone: instruction 1: DP of alpha with MAD of RGB; wanted DP3"},
    {{{1, CTM_ALPHA_OP, CTM_ALPHA_DP}, {1, CTM_RGB_OP, CTM_RGB_DP4}}, ""},
    {{{1, CTM_ALPHA_OP, CTM_ALPHA_DP}, {1, CTM_RGB_OP, CTM_RGB_D2A}, {1, CTM_RGB_WMASK, 0}}, ""},
    {{{1, CTM_RGB_OP, CTM_RGB_SOP}}, "error sop-alone: instruction 1: SOP of RGB with MAD of alpha; wanted EX2"},
    {{{1, CTM_RGB_OP, CTM_RGB_SOP}, {1, CTM_ALPHA_OP, CTM_ALPHA_COS}, {1, CTM_ALPHA_WMASK, 0}}, ""},
    {{{1, CTM_RGB_OP, CTM_RGB_SOP}, {1, CTM_ALPHA_OP, CTM_ALPHA_FRC}}, "error sop-alone"},
    {{{1, CTM_RGB_OP, 6}}, "error reserved-opcode: instruction 1: operation 6 of RGB is reserved"},
    {{{1, CTM_RGB_OP, 15}}, "error reserved-opcode: instruction 1: operation 15 of RGB"},
    {{{1, CTM_ALPHA_OP, 4}}, "error reserved-opcode: instruction 1: operation 4 of alpha"},
    {{{1, CTM_RGB_PRED_SEL, 6}}, "error unassigned-value: instruction 1: RGB_PRED_SEL is 6"},
    {{{1, CTM_ALPHA_PRED_SEL, 7}}, "error unassigned-value: instruction 1: ALPHA_PRED_SEL is 7"},
    {{{1, CTM_RGB_ADDR0, 0x88}, {1, CTM_RGB_ADDR0_REL, 1}}, "error relative-inline: instruction 1: aL is added"},
    {{{1, CTM_RGB_ADDR2, 0x88}, {1, CTM_RGB_ADDR2_REL, 1}}, ""}, /* nothing uses it */
    {{{1, CTM_BLUE_SWIZ_A, 7}}, "warning unused-swizzle: instruction 1: swizzle 7"},
    {{{1, CTM_BLUE_SWIZ_A, 7}, {1, CTM_RGB_WMASK, 3}}, ""},
    {{{2, CTM_ALU_WMASK, 1}}, "warning alu-result-output: instruction 2: an OUTPUT writes the ALU result"},
    {{{1, CTM_ALU_WMASK, 1}}, ""},
    {{{2, CTM_TYPE, CTM_TYPE_ALU}}, "error last-not-output: instruction 2: the last instruction is no OUTPUT"},
    {{{2, CTM_TEX_SEM_WAIT, 0}}, "warning last-without-wait: instruction 2: the last instruction should have"},
    {{{2, CTM_LAST, 1}}, ""},
    {{{1, CTM_LAST, 1}}, "error last-not-output: instruction 1: LAST in an instruction that is no OUTPUT"},
    {{{2, CTM_RGB_OMASK, 0}, {2, CTM_ALPHA_OMASK, 0}}, ""},
    {{{0, CTM_TEX_SEM_WAIT, 0}}, "warning acquire-without-wait: instruction 0: it acquires the semaphore and should"},
    {{{1, CTM_TEX_SEM_WAIT, 0}, {2, CTM_TEX_SEM_WAIT, 0}},
     "error acquire-without-wait: instruction 0: it acquires the semaphore, and nothing behind it waits for it"},
    {{{1, CTM_TEX_SEM_WAIT, 0}}, ""},
    {{{0, CTM_TEX_SEM_ACQUIRE, 0}}, ""}, /* late, and nobody's rule: programs rely on it */
    {{{1, CTM_ALU_WAIT, 0}, {0, CTM_ALU_WAIT, 0}}, ""},
};

static void broken(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct build b;
        plain(&b);
        for (unsigned k = 0; k < 4; k++)
            if (rows[i].set[k].field)
                ctm_set(&b.insts[rows[i].set[k].inst], rows[i].set[k].field, rows[i].set[k].value);
            else if (rows[i].set[k].inst) /* TYPE is the field of number 0 */
                ctm_set(&b.insts[rows[i].set[k].inst], CTM_TYPE, rows[i].set[k].value);
        char *said = verdict(build_end(&b, 2), *rows[i].says ? CTM_VERDICT_CHECK : CTM_VERDICT_STRICT);
        if (*rows[i].says ? !strstr(said, rows[i].says) : *said != 0)
            fail_msg("row %zu: said '%s', wanted '%s'", i, said, rows[i].says);
        free(said);
    }
}

/* What becomes of them by the verdict that is asked for. */
static void verdicts(void **state)
{
    struct build b;
    (void)state;
    plain(&b);
    ctm_set(&b.insts[1], CTM_RGB_OMOD, CTM_OMOD_DISABLED);
    ctm_set(&b.insts[2], CTM_TEX_SEM_WAIT, 0);
    const struct ctm_program *p = build_end(&b, 2);
    wants(p, CTM_VERDICT_CHECK, "error omod-disabled");
    wants(p, CTM_VERDICT_CHECK, "warning last-without-wait");
    wants(p, CTM_VERDICT_STRICT, "error last-without-wait");
    char *said = verdict(p, CTM_VERDICT_RUN);
    assert_string_equal(said,
                        "warning omod-disabled: instruction 1: OMOD_DISABLED with MAD of RGB; wanted MIN, MAX, CND "
                        "or CMP\n");
    free(said);
}

static void reserved_bits(void **state)
{
    static const struct {
        uint8_t inst, word;
        uint32_t bits;
        const char *says;
    } bits[] = {
        {0, 1, 1, "warning reserved-bits: instruction 0: reserved bits 0x1 of W1 are set"},
        {0, 4, 0x80000000, "instruction 0: reserved bits 0x80000000 of W4 are set"},
        {0, 3, 0xe400e400, ""}, /* of DXDY, and written by drivers for any lookup */
    };
    (void)state;
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        struct build b;
        plain(&b);
        b.insts[bits[i].inst].word[bits[i].word] |= bits[i].bits;
        wants(build_end(&b, 2), CTM_VERDICT_CHECK, bits[i].says);
    }
}

/* ---- flow control ----------------------------------------------------------------------------------------- */

/* IFs nested `depth` deep around a move, then the output. */
static struct ctm_program *nested(struct build *b, unsigned depth)
{
    *b = (struct build){0};
    for (unsigned i = 0; i < depth; i++)
        build_flow(b, BUILD_IF(0x55, (uint16_t)(2 * depth - i + 1)));
    build_move(b, CTM_TYPE_ALU, 1, 0);
    for (unsigned i = 0; i < depth; i++)
        build_flow(b, BUILD_ENDIF);
    build_move(b, CTM_TYPE_OUTPUT, 0, 1);
    return build_end(b, b->program.ninsts - 1);
}

static void branches(void **state)
{
    struct build b;
    (void)state;
    wants(nested(&b, 6), CTM_VERDICT_STRICT, "");
    nested(&b, 7)->info[CTM_INFO_US_FC_CTRL] = 0; /* the code asks for full flow control */
    wants(&b.program, CTM_VERDICT_CHECK,
          "error stack-overflow: instruction 6: branches 7 deep; wanted at most 6 by partial flow control");
    b.program.info[CTM_INFO_US_FC_CTRL] = UINT32_C(1) << 31;
    wants(&b.program, CTM_VERDICT_STRICT, "");
    /* the optimised form of the guide (p.44): three IFs, one ENDIF */
    b = (struct build){0};
    build_flow(&b, BUILD_IF(0x0f, 5));
    build_flow(&b, (struct build_fc){0x0f, 0, 0, 0, CTM_B_INCR, CTM_B_DECR, 1, 0, 5});
    build_flow(&b, (struct build_fc){0x0f, 0, 0, 0, CTM_B_INCR, CTM_B_DECR, 2, 0, 5});
    build_move(&b, CTM_TYPE_ALU, 1, 0);
    build_flow(&b, (struct build_fc){0, 1, 0, 0, CTM_B_DECR, 0, 3, 0, 0});
    build_move(&b, CTM_TYPE_OUTPUT, 0, 1);
    wants(build_end(&b, 5), CTM_VERDICT_STRICT, "");
    /* IF, ELSE */
    b = (struct build){0};
    build_flow(&b, BUILD_IF_ELSE(0x33, 3));
    ctm_set(&b.insts[0], CTM_RGB_PRED_SEL, CTM_PRED_RRRR);
    build_move(&b, CTM_TYPE_ALU, 1, 0);
    build_flow(&b, BUILD_ELSE(5));
    build_move(&b, CTM_TYPE_ALU, 1, 2);
    build_flow(&b, BUILD_ENDIF);
    build_move(&b, CTM_TYPE_OUTPUT, 0, 1);
    wants(build_end(&b, 5), CTM_VERDICT_STRICT, "");
    ctm_set(&b.insts[0], CTM_RGB_PRED_SEL, CTM_PRED_RGBA);
    wants(&b.program, CTM_VERDICT_CHECK, "error fc-predicate: instruction 0: ");
    ctm_set(&b.insts[0], CTM_JUMP_FUNC, 0x55);
    wants(&b.program, CTM_VERDICT_CHECK, "warning fc-predicate: instruction 0: ");
    ctm_set(&b.insts[0], CTM_RGB_PRED_SEL, CTM_PRED_NONE);
    ctm_set(&b.insts[0], CTM_B_OP1, 3);
    wants(&b.program, CTM_VERDICT_CHECK, "error unassigned-value: instruction 0: B_OP1 is 3");
    ctm_set(&b.insts[0], CTM_B_OP1, CTM_B_INCR);
    ctm_set(&b.insts[0], CTM_ALPHA_PRED_SEL, 7); /* of no effect on flow control */
    wants(&b.program, CTM_VERDICT_STRICT, "");
    ctm_set(&b.insts[2], CTM_JUMP_ADDR, 6);
    wants(&b.program, CTM_VERDICT_RUN, "error jump-target: instruction 2: a jump to instruction 6 of 6");
}

/* Loops nested `depth` deep. */
static struct ctm_program *loops(struct build *b, unsigned depth)
{
    *b = (struct build){0};
    for (unsigned i = 0; i < depth; i++)
        build_flow(b, BUILD_LOOP((uint16_t)(2 * depth - i + 1)));
    build_move(b, CTM_TYPE_ALU, 1, 0);
    for (unsigned i = depth; i-- > 0;)
        build_flow(b, BUILD_ENDLOOP((uint16_t)(i + 1)));
    build_move(b, CTM_TYPE_OUTPUT, 0, 1);
    return build_end(b, b->program.ninsts - 1);
}

static void loops_nest(void **state)
{
    struct build b;
    (void)state;
    wants(loops(&b, 4), CTM_VERDICT_STRICT, "");
    wants(loops(&b, 5), CTM_VERDICT_CHECK, "error stack-overflow: instruction 4: loops 5 deep; wanted at most 4");
    b.program.info[CTM_INFO_US_FC_CTRL] = 0;
    wants(&b.program, CTM_VERDICT_CHECK, "error partial-flow: instruction 0: LOOP in partial flow control");
    /* LOOP that jumps to ENDLOOP, as Mesa has it */
    loops(&b, 4);
    for (uint16_t i = 0; i < 4; i++)
        ctm_set(&b.insts[i], CTM_JUMP_ADDR, 8u - i);
    wants(&b.program, CTM_VERDICT_STRICT, "");
    /* a break from within an IF */
    b = (struct build){0};
    build_flow(&b, BUILD_LOOP(5));
    build_flow(&b, BUILD_IF(0x55, 4));
    build_flow(&b, BUILD_BREAK(1, 5));
    build_flow(&b, BUILD_ENDIF);
    build_flow(&b, BUILD_ENDLOOP(1));
    build_move(&b, CTM_TYPE_OUTPUT, 0, 0);
    wants(build_end(&b, 5), CTM_VERDICT_STRICT, "");
    ctm_set(&b.insts[2], CTM_FC_OP, CTM_FC_BREAKREP);
    wants(&b.program, CTM_VERDICT_CHECK, "warning loop-kind: instruction 2: BREAKREP in a LOOP");
    ctm_set(&b.insts[4], CTM_FC_OP, CTM_FC_ENDREP);
    wants(&b.program, CTM_VERDICT_CHECK, "warning loop-kind: instruction 4: ENDREP in a LOOP");
    b.insts[0] = b.insts[3];
    wants(&b.program, CTM_VERDICT_CHECK, "error no-loop: instruction 2: BREAKREP outside of loops");
}

static void subroutines(void **state)
{
    struct build b = {0};
    (void)state;
    build_flow(&b, BUILD_CALL(3));
    build_flow(&b, BUILD_CALL(3));
    build_move(&b, CTM_TYPE_OUTPUT, 0, 1);
    build_move(&b, CTM_TYPE_ALU, 1, 0);
    build_flow(&b, BUILD_RETURN);
    build_end(&b, 2)->info[CTM_INFO_US_FC_CTRL] = UINT32_C(1) << 31;
    b.program.info[CTM_INFO_US_CODE_RANGE] = 4 << 16;
    wants(&b.program, CTM_VERDICT_STRICT, "");
    b.program.info[CTM_INFO_US_FC_CTRL] = 0;
    wants(&b.program, CTM_VERDICT_CHECK, "error partial-flow: instruction 0: a call in partial flow control");
    wants(&b.program, CTM_VERDICT_CHECK, "error partial-flow: instruction 4: a return in partial flow control");
    b.program.info[CTM_INFO_US_FC_CTRL] = UINT32_C(1) << 31;
    b.insts[3] = b.insts[0]; /* it calls itself */
    wants(&b.program, CTM_VERDICT_CHECK, "stack-overflow: instruction 3: ");
    b.insts[3] = b.insts[4];
    b.insts[4] = b.insts[2]; /* behind it */
    wants(&b.program, CTM_VERDICT_STRICT, "");
    b.insts[1] = b.insts[3];
    wants(&b.program, CTM_VERDICT_CHECK, "error no-call: instruction 1: a return outside of subroutines");
    /* in a loop */
    b = (struct build){0};
    build_flow(&b, BUILD_CALL(2));
    build_move(&b, CTM_TYPE_OUTPUT, 0, 0);
    build_flow(&b, BUILD_LOOP(5));
    build_flow(&b, BUILD_RETURN);
    build_flow(&b, BUILD_ENDLOOP(3));
    build_flow(&b, BUILD_RETURN);
    wants(build_end(&b, 1), CTM_VERDICT_CHECK, "error return-in-loop: instruction 3: a return inside of a loop");
    ctm_set(&b.insts[2], CTM_FC_OP, CTM_FC_JUMP);
    ctm_set(&b.insts[2], CTM_B_OP0, CTM_B_INCR);
    wants(&b.program, CTM_VERDICT_CHECK, "warning return-in-branch: instruction 3: a return inside of 1 branch that");
}

static void ends(void **state)
{
    struct build b;
    (void)state;
    plain(&b);
    build_end(&b, 3);
    wants(&b.program, CTM_VERDICT_RUN, "error code-range: the program goes from instruction 0 to 3, and has 3");
    build_move(&b, CTM_TYPE_ALU, 1, 0);
    ctm_set(&b.insts[0], CTM_TYPE, CTM_TYPE_FC);
    b.insts[0] = b.insts[3];
    b.insts[1] = b.insts[3];
    b.insts[2] = b.insts[3];
    b.program.info[CTM_INFO_US_CODE_ADDR] = 1;
    wants(&b.program, CTM_VERDICT_RUN,
          "error code-end: instruction 3: behind it the code ends, and the program's last");
    wants(&b.program, CTM_VERDICT_CHECK, "warning end-unreached: instruction 0: the last instruction is never reached");
}

/* ---- the semaphore, uncached outputs ---------------------------------------------------------------------- */

static void acquired_twice(void **state)
{
    struct build b = {0};
    (void)state;
    ctm_set(build_lookup(&b, 1, 0, 0), CTM_TEX_SEM_ACQUIRE, 1);
    ctm_set(build_lookup(&b, 2, 0, 0), CTM_TEX_SEM_ACQUIRE, 1);
    build_move(&b, CTM_TYPE_OUTPUT, 0, 1);
    build_end(&b, 2);
    wants(&b.program, CTM_VERDICT_CHECK,
          "error acquired-twice: instruction 1: it acquires the semaphore without TEX_SEM_WAIT, and instruction 0 can");
    ctm_set(&b.insts[1], CTM_TEX_SEM_WAIT, 1);
    ctm_set(&b.insts[0], CTM_TEX_SEM_WAIT, 1);
    wants(&b.program, CTM_VERDICT_STRICT, "");
}

static void uncached(void **state)
{
    struct build b = {0};
    (void)state;
    ctm_set(build_move(&b, CTM_TYPE_OUTPUT, 0, 0), CTM_RGB_TARGET, CTM_UMRT_OWN_ACQUIRE);
    build_move(&b, CTM_TYPE_OUTPUT, 0, 0);
    b.program.info[CTM_INFO_UMRT] = 1;
    build_end(&b, 1)->info[CTM_INFO_UMRT] = 1;
    wants(&b.program, CTM_VERDICT_STRICT, "");
    ctm_set(&b.insts[1], CTM_TEX_SEM_WAIT, 0);
    wants(&b.program, CTM_VERDICT_CHECK, "error acquire-without-wait: instruction 0: ");
    ctm_set(&b.insts[1], CTM_TEX_SEM_WAIT, 1);
    ctm_set(&b.insts[1], CTM_ALPHA_OMASK, 0);
    wants(&b.program, CTM_VERDICT_CHECK,
          "error uncached-mask: instruction 1: an uncached OUTPUT of 3 channels; wanted all four or none");
    b.program.info[CTM_INFO_UMRT] = 0;
    ctm_add(&b.program.outputs, 3);
    wants(&b.program, CTM_VERDICT_STRICT, "");
}

/* ---- notes ------------------------------------------------------------------------------------------------ */

static void notes(void **state)
{
    struct build b;
    (void)state;
    plain(&b);
    ctm_set(&b.insts[1], CTM_RGB_ADDR0, 7);
    ctm_set(&b.insts[1], CTM_RGB_ADDR0_CONST, 1);
    struct ctm_program good = *build_end(&b, 2), p = good;
    wants(&p, CTM_VERDICT_STRICT, "");
    p.inputs = p.outputs = p.floats = (struct ctm_set){0};
    wants(&p, CTM_VERDICT_CHECK, "error note-missing: instruction 0: it uses input 0, which note INPUTS does not list");
    wants(&p, CTM_VERDICT_CHECK,
          "note-missing: instruction 1: it uses float constant 7, which note FLOAT32CONSTS does");
    wants(&p, CTM_VERDICT_CHECK, "note-missing: instruction 2: it uses output 0, which note OUTPUTS does not list");
    p = good;
    ctm_add(&p.inputs, 5);
    ctm_add(&p.ints, 1);
    p.condout = true;
    p.early_exit = true;
    wants(&p, CTM_VERDICT_CHECK, "warning note-unused: note INPUTS lists input 5, which nothing uses");
    wants(&p, CTM_VERDICT_CHECK, "warning note-unused: note INT32CONSTS lists integer constant 1, which nothing uses");
    wants(&p, CTM_VERDICT_CHECK, "warning note-unused: note CONDOUT tells of a conditional output");
    wants(&p, CTM_VERDICT_CHECK, "warning depth-source: FG_DEPTH_SRC is 0 and note CONDOUT says 1");
    wants(&p, CTM_VERDICT_CHECK, "warning early-exit: note EARLYEXIT says 1, and the program cannot end early");
    p = good;
    ctm_set(&b.insts[2], CTM_W_OMASK, 1);
    wants(&p, CTM_VERDICT_CHECK, "error note-missing: instruction 2: it writes the conditional output");
    ctm_set(&b.insts[2], CTM_W_OMASK, 0);
    p.info[CTM_INFO_US_PIXSIZE] = 1;
    wants(&p, CTM_VERDICT_CHECK, "error frame-size: the program uses r2, and its frame ends at r1");
    p.info[CTM_INFO_US_PIXSIZE] = 0x82;
    wants(&p, CTM_VERDICT_CHECK, "warning reserved-bits: reserved bits 0x80 of word 3 of the program information");
    p = good;
    p.info[CTM_INFO_ONE] = 0;
    p.info[CTM_INFO_US_CODE_OFFSET] = 4;
    p.info[CTM_INFO_US_CODE_RANGE] = 7 << 16;
    wants(&p, CTM_VERDICT_CHECK, "warning reserved-bits: word 0 of the program information is 0; wanted 1");
    wants(&p, CTM_VERDICT_CHECK, "warning code-offset: US_CODE_OFFSET is 4; programs begin at 0");
    wants(&p, CTM_VERDICT_CHECK, "warning code-range: US_CODE_RANGE has 8 instructions from 0; the code has 3");
    /* with aL added, any constant may be meant */
    p = good;
    ctm_add(&p.floats, 9);
    wants(&p, CTM_VERDICT_CHECK, "warning note-unused: note FLOAT32CONSTS lists float constant 9");
    ctm_set(&b.insts[1], CTM_RGB_ADDR0_REL, 1);
    wants(&p, CTM_VERDICT_STRICT, "");
}

/* Messages about a text say where: the line of the instruction. */
static void lines(void **state)
{
    struct build b;
    struct atoll_error first = {0};
    (void)state;
    plain(&b);
    ctm_set(&b.insts[1], CTM_RGB_OP, 6);
    b.program.lines = b.lines;
    b.lines[0] = 1;
    b.lines[1] = 3;
    b.lines[2] = 4;
    static const char text[] = "one\n\n   two\nthree\n";
    struct diag diag = {.source = text, .size = sizeof text - 1, .first = &first};
    assert_true(ctm_check(build_end(&b, 2), CTM_VERDICT_CHECK, &diag));
    assert_int_equal(first.line, 3);
    assert_int_equal(first.column, 4);
    assert_string_equal(first.message, "instruction 1: operation 6 of RGB is reserved");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept),     cmocka_unit_test(broken),        cmocka_unit_test(verdicts),
        cmocka_unit_test(branches), cmocka_unit_test(ends),          cmocka_unit_test(loops_nest),
        cmocka_unit_test(notes),    cmocka_unit_test(uncached),      cmocka_unit_test(acquired_twice),
        cmocka_unit_test(lines),    cmocka_unit_test(reserved_bits), cmocka_unit_test(subroutines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Statements in a program of words: which flow instructions are those that the assembler makes of IF, LOOP and so on.
 * What looks like one is laid out as one; what comes out other than it was is none, until all is as it was. */
#include "isa/ctm/recover.h"

#include <string.h>

/* Fields that a statement's place in its program gives. */
static const enum ctm_field flow_fields[] = {CTM_FC_OP, CTM_JUMP_FUNC, CTM_JUMP_ANY, CTM_A_OP,     CTM_B_OP0,
                                             CTM_B_OP1, CTM_B_POP_CNT, CTM_B_ELSE,   CTM_JUMP_ADDR};
enum { FLOW_FIELDS = sizeof flow_fields / sizeof *flow_fields };

static bool is_condition(unsigned func)
{
    return func == CTM_FUNC_ALU || func == CTM_FUNC_PRED || func == CTM_FUNC_BOOL || func == (CTM_FUNC_ALU ^ 255) ||
           func == (CTM_FUNC_PRED ^ 255) || func == (CTM_FUNC_BOOL ^ 255);
}

/* One predicate, as a condition has it: none of it is inverted but by the function. */
static bool has_predicate(const struct ctm_inst *inst)
{
    unsigned sel = ctm_get(inst, CTM_RGB_PRED_SEL);
    return sel >= CTM_PRED_RRRR && sel <= CTM_PRED_AAAA && !ctm_get(inst, CTM_RGB_PRED_INV);
}

static enum ctm_statement jump_like(const struct ctm_inst *inst)
{
    unsigned func = ctm_get(inst, CTM_JUMP_FUNC), a = ctm_get(inst, CTM_A_OP);
    if (a == CTM_A_PUSH)
        return CTM_CALL;
    if (a == CTM_A_POP)
        return func == CTM_FUNC_ALWAYS ? CTM_RETURN : CTM_RAW;
    if (ctm_get(inst, CTM_B_ELSE))
        return CTM_ELSE;
    if (func == CTM_FUNC_NEVER)
        return CTM_ENDIF;
    return ctm_get(inst, CTM_B_OP0) == CTM_B_INCR && is_condition(func) ? CTM_IF : CTM_RAW;
}

/* The statement that an instruction may be. */
static enum ctm_statement statement_like(const struct ctm_inst *inst)
{
    static const uint8_t of_op[CTM_FC_OPS] = {CTM_RAW,    CTM_LOOP,  CTM_ENDLOOP, CTM_REP,
                                              CTM_ENDREP, CTM_BREAK, CTM_BREAK,   CTM_CONTINUE};
    unsigned op = ctm_get(inst, CTM_FC_OP), func = ctm_get(inst, CTM_JUMP_FUNC);
    enum ctm_statement like = op == CTM_FC_JUMP ? jump_like(inst) : (enum ctm_statement)of_op[op];
    bool conditional = like == CTM_IF || like == CTM_CALL || like == CTM_BREAK || like == CTM_CONTINUE;
    if (conditional && func != CTM_FUNC_ALWAYS && !is_condition(func))
        return CTM_RAW;
    if (conditional && (func == CTM_FUNC_PRED || func == (CTM_FUNC_PRED ^ 255)) && !has_predicate(inst))
        return CTM_RAW;
    return like;
}

static void begin(const struct ctm_inst *inst, struct ctm_line *line)
{
    unsigned func = ctm_get(inst, CTM_JUMP_FUNC);
    line->func = (uint8_t)(line->statement == CTM_IF ? func ^ 255 : func);
    line->target = ctm_get(inst, CTM_JUMP_ADDR);
    line->inst = *inst;
    for (unsigned f = 0; line->statement != CTM_RAW && f < FLOW_FIELDS; f++)
        ctm_set(&line->inst, flow_fields[f], 0);
}

/* Whether an instruction is as it was; of some the target is without effect, or drivers have another (Mesa). */
static bool is_same(const struct ctm_inst *inst, const struct ctm_line *line)
{
    struct ctm_inst was = *inst, is = line->inst;
    if (line->statement == CTM_ENDIF || line->statement == CTM_LOOP || line->statement == CTM_REP) {
        ctm_set(&was, CTM_JUMP_ADDR, 0);
        ctm_set(&is, CTM_JUMP_ADDR, 0);
    }
    return memcmp(&was, &is, sizeof was) == 0;
}

bool ctm_recover(struct arena *arena, const struct ctm_program *program, struct ctm_line *lines)
{
    uint32_t count = program->ninsts;
    bool again = true;
    for (uint32_t i = 0; i < count; i++)
        if (ctm_get(&program->insts[i], CTM_TYPE) == CTM_TYPE_FC)
            lines[i].statement = (uint8_t)statement_like(&program->insts[i]);
    while (again) {
        struct diag diag = {.source = ""};
        struct arena scratch = {.limit = arena->limit};
        for (uint32_t i = 0; i < count; i++)
            begin(&program->insts[i], &lines[i]);
        for (uint32_t i = 0; i < count; i++)
            if (lines[i].statement == CTM_CALL && lines[i].target > count)
                lines[i].statement = CTM_RAW;
        bool ok = ctm_statements(&scratch, &diag, lines, count);
        arena_free(&scratch);
        if (!ok)
            return false;
        again = false;
        for (uint32_t i = 0; i < count; i++)
            if (lines[i].statement != CTM_RAW && !is_same(&program->insts[i], &lines[i])) {
                lines[i].statement = CTM_RAW;
                again = true;
            }
        /* A structure that is open at its end is wrong without a word that shows it. */
        for (uint32_t i = count; i-- > 0 && diag.errors && !again;)
            if (lines[i].statement != CTM_RAW) {
                lines[i].statement = CTM_RAW;
                again = true;
            }
    }
    return true;
}

void ctm_expected(const struct ctm_line *line, const struct ctm_inst *inst, struct ctm_inst *expected)
{
    *expected = *inst;
    for (unsigned f = 0; f < FLOW_FIELDS; f++)
        ctm_set(expected, flow_fields[f], ctm_get(&line->inst, flow_fields[f]));
}

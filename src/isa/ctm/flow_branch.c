/* Flow control of CTM: who is active, and the conditions that decide. docs/ctm.md, "Flow control". */
#include "isa/ctm/flow.h"

/* ---- emitting --------------------------------------------------------------------------------------------------- */

struct lane_operand flow_nobody(struct ctm_lower *l)
{
    return lane_imm(l->b, 1, 0);
}

struct lane_operand flow_s32(struct ctm_lower *l, int32_t value)
{
    return lane_imm(l->b, 32, (uint32_t)value);
}

struct lane_operand flow_differ(struct ctm_lower *l, struct lane_operand p, struct lane_operand q)
{
    return ctm_two(l, LANE_OP_xor, LANE_PRED, p, q);
}

struct lane_operand flow_inverse(struct ctm_lower *l, struct lane_operand p)
{
    return ctm_one(l, LANE_OP_not, LANE_PRED, p);
}

struct lane_operand flow_any(struct ctm_lower *l, struct lane_operand p)
{
    struct lane_operand d = lane_reg(l->b, 1, NULL);
    struct lane_operand src[2] = {p, ctm_u32(l, UINT32_MAX)};
    lane_emit(l->b, LANE_OP_vote, LANE_VOID, 1, &d, 2, src)->mode = LANE_VOTE_ANY;
    return d;
}

struct lane_operand flow_is(struct ctm_lower *l, struct lane_operand reg, struct lane_operand value)
{
    return ctm_compare(l, LANE_EQ, LANE_S32, reg, value);
}

/* Whoever comes here, and has the guard, stops with the message. */
/* ---- who is active ---------------------------------------------------------------------------------------------- */

/* Made anew from what makes processors inactive. */
void flow_active_make(struct ctm_lower *l)
{
    struct ctm_flow *f = l->flow;
    struct lane_operand p = l->alive;
    if (!flow_emits(l))
        return;
    if (f->now.most >= 0)
        p = ctm_both(l, p, ctm_compare(l, LANE_LT, LANE_S32, f->branch, flow_s32(l, 0)));
    if (f->now.broken)
        p = ctm_both(l, p, flow_is(l, f->brk, flow_s32(l, 0)));
    if (f->now.continued)
        p = ctm_both(l, p, flow_is(l, f->cont, flow_s32(l, 0)));
    if (flow_sure(&f->now))
        ctm_move(l, none, f->active, p);
    else
        ctm_give(l, none, f->active, p);
}

void flow_else(struct ctm_lower *l)
{
    struct ctm_flow *f = l->flow;
    struct flow_state *s = &f->now;
    bool in_loop = s->broken || s->continued;
    if (flow_emits(l) && s->most < 0) {
        ctm_move(l, f->active, f->branch, flow_s32(l, 0));
        ctm_move(l, none, f->active, flow_nobody(l));
    } else if (flow_emits(l) && s->most == 0 && !in_loop) { /* counters are 0 or -1, and nothing else counts */
        ctm_give(l, none, f->branch, ctm_one(l, LANE_OP_not, LANE_B32, f->branch));
        ctm_give(l, none, f->active, flow_differ(l, l->alive, f->active));
    } else if (flow_emits(l)) {
        struct lane_operand turn = ctm_both(l, l->alive, flow_is(l, f->branch, flow_s32(l, 0)));
        if (s->broken)
            turn = ctm_both(l, turn, flow_is(l, f->brk, flow_s32(l, 0)));
        if (s->continued)
            turn = ctm_both(l, turn, flow_is(l, f->cont, flow_s32(l, 0)));
        ctm_move(l, turn, f->branch, flow_s32(l, -1));
        ctm_move(l, f->active, f->branch, flow_s32(l, 0));
        ctm_give(l, none, f->active, turn);
    }
    if (s->most < 0)
        s->most = 0;
}

void flow_decr(struct ctm_lower *l, unsigned count)
{
    struct ctm_flow *f = l->flow;
    if (f->now.most < 0 || !count)
        return;
    if (f->now.most < (int)count) {
        f->now.most = -1;
        if (flow_emits(l))
            ctm_move(l, none, f->branch, flow_s32(l, -1));
    } else {
        f->now.most = (int8_t)(f->now.most - (int)count);
        if (flow_emits(l)) {
            struct lane_operand left = ctm_two(l, LANE_OP_sub, LANE_S32, f->branch, flow_s32(l, (int32_t)count));
            ctm_give(l, none, f->branch, ctm_two(l, LANE_OP_max, LANE_S32, left, flow_s32(l, -1)));
        }
    }
    flow_active_make(l);
}

/* Branch counters of all inactive processors grow. */
static void incr_inactive(struct ctm_lower *l)
{
    struct ctm_flow *f = l->flow;
    if (f->now.most < 0)
        return;
    if (flow_emits(l)) {
        struct lane_operand inactive = ctm_compare(l, LANE_GE, LANE_S32, f->branch, flow_s32(l, 0));
        ctm_move(l, inactive, f->branch, ctm_two(l, LANE_OP_add, LANE_S32, f->branch, flow_s32(l, 1)));
    }
    if (++f->now.most <= (int)f->most_branch)
        return;
    f->now.most = (int8_t)f->most_branch;
    if (flow_emits(l)) {
        struct lane_operand over = ctm_compare(l, LANE_GT, LANE_S32, f->branch, flow_s32(l, (int32_t)f->most_branch));
        ctm_fault(l, flow_any(l, ctm_both(l, over, l->alive)), LANE_FAULT_OVERFLOW,
                  "the branch counter overflows: %u branches deep, in %s flow control", f->most_branch + 1,
                  f->full ? "full" : "partial");
    }
}

/* INCR: `agree` are the active processors that agree with the decision; `parts`: some may not. */
void flow_incr(struct ctm_lower *l, bool parts, struct lane_operand agree)
{
    struct ctm_flow *f = l->flow;
    incr_inactive(l);
    if (!parts)
        return;
    if (flow_emits(l)) {
        ctm_move(l, flow_differ(l, f->active, agree), f->branch, flow_s32(l, 0));
        ctm_move(l, none, f->active, agree);
    }
    if (f->now.most < 0)
        f->now.most = 0;
}

/* ---- conditions ------------------------------------------------------------------------------------------------- */

/* JUMP_FUNC without the inputs whose value is known. Bits of a table: its value for ALU result, predicate, boolean. */
unsigned flow_function(const struct ctm_lower *l)
{
    unsigned table = ctm_in(l, CTM_JUMP_FUNC);
    if (ctm_in(l, CTM_RGB_PRED_SEL) == CTM_PRED_NONE)
        table = (table & 0xcc) | (table & 0xcc) >> 2;
    if (l->flow->now.alu == FLOW_ALU_LOST) /* choice: false */
        table = (table & 0x0f) | (table & 0x0f) << 4;
    return table;
}

static unsigned where_true(unsigned table, unsigned input)
{
    static const unsigned masks[] = {0xf0, 0xcc, 0xaa};
    unsigned part = table & masks[input];
    return part | part >> (4u >> input);
}

static unsigned where_false(unsigned table, unsigned input)
{
    static const unsigned masks[] = {0x0f, 0x33, 0x55};
    unsigned part = table & masks[input];
    return part | part << (4u >> input);
}

bool flow_depends(unsigned table, enum flow_input input)
{
    return where_true(table, input) != where_false(table, input);
}

/* Does it differ from processor to processor? */
bool flow_parts(unsigned table)
{
    return flow_depends(table, FLOW_ALU_RESULT) || flow_depends(table, FLOW_PREDICATE);
}

static struct lane_operand input_read(struct ctm_lower *l, enum flow_input input, bool inverted)
{
    struct lane_operand value;
    if (input == FLOW_BOOLEAN) {
        struct lane_operand word = ctm_param(l, CTM_PARAM_BOOLS + 4 * ctm_in(l, CTM_BOOL_ADDR));
        value = ctm_two(l, LANE_OP_and, LANE_B32, word, ctm_u32(l, 0xff));
        return ctm_compare(l, inverted ? LANE_EQ : LANE_NE, LANE_U32, value, ctm_u32(l, 0));
    }
    if (input == FLOW_PREDICATE) {
        value = ctm_read_pred(l, ctm_in(l, CTM_RGB_PRED_SEL) - CTM_PRED_RRRR);
        inverted ^= ctm_in(l, CTM_RGB_PRED_INV);
    } else {
        value = l->alu_result;
    }
    return inverted ? flow_inverse(l, value) : value;
}

/* A table as a predicate; LANE_NONE: true, of the table 0xff; 0 has none. */
struct lane_operand flow_condition(struct ctm_lower *l, unsigned table, enum flow_input from)
{
    for (enum flow_input in = from; in < FLOW_INPUTS; in++) {
        unsigned t = where_true(table, in), f = where_false(table, in);
        struct lane_operand high, low;
        if (t == f)
            continue;
        if (t == 0xff && f != 0) /* in or f */
            return ctm_two(l, LANE_OP_or, LANE_PRED, input_read(l, in, false), flow_condition(l, f, in + 1));
        if (f == 0xff && t != 0)
            return ctm_two(l, LANE_OP_or, LANE_PRED, input_read(l, in, true), flow_condition(l, t, in + 1));
        high = t ? ctm_both(l, input_read(l, in, false), flow_condition(l, t, in + 1)) : none;
        low = f ? ctm_both(l, input_read(l, in, true), flow_condition(l, f, in + 1)) : none;
        return !t ? low : !f ? high : ctm_two(l, LANE_OP_or, LANE_PRED, high, low);
    }
    return none;
}

/* Active processors for which the table is true. */
struct lane_operand flow_active_where(struct ctm_lower *l, unsigned table)
{
    return table ? ctm_both(l, l->flow->active, flow_condition(l, table, FLOW_ALU_RESULT)) : flow_nobody(l);
}

/* All or any of the active ones: `agree` gets those who agree with staying (all) or jumping (any), where they part. At
 * least one processor is alive. */
struct flow_decision flow_decide(struct ctm_lower *l, unsigned table, struct lane_operand *agree)
{
    bool jumps_any = ctm_in(l, CTM_JUMP_ANY), sure = flow_sure(&l->flow->now);
    unsigned wanted = jumps_any ? table : ~table & 0xff;
    if (!wanted || (sure && wanted == 0xff))
        return (struct flow_decision){.answer = !wanted != jumps_any ? FLOW_YES : FLOW_NO};
    struct flow_decision d = {.answer = FLOW_MAYBE, .not = !jumps_any};
    if (!flow_emits(l))
        return d;
    if (sure && !flow_parts(wanted)) {
        d.p = flow_condition(l, wanted, FLOW_ALU_RESULT);
        return d;
    }
    *agree = flow_active_where(l, wanted);
    d.p = flow_any(l, *agree);
    return d;
}

/* Jumps also where p is true; only there. */
struct flow_decision flow_forced(struct ctm_lower *l, struct flow_decision d, bool or, struct lane_operand p)
{
    if (d.answer == (or ? FLOW_YES : FLOW_NO))
        return d;
    if (d.answer == FLOW_MAYBE && flow_emits(l)) {
        struct lane_operand q = d.not ? flow_inverse(l, d.p) : d.p;
        p = ctm_two(l, or ? LANE_OP_or : LANE_OP_and, LANE_PRED, q, p);
    }
    return (struct flow_decision){.answer = FLOW_MAYBE, .p = p};
}

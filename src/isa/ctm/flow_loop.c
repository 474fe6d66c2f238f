/* Loops of CTM: frames, rounds, and processors that leave them. docs/ctm.md, "Flow control". */
#include "isa/ctm/flow.h"

static uint8_t level_bits(const struct ctm_lower *l)
{
    unsigned depth = l->flow->now.depth;
    return depth == FLOW_VARIES ? FLOW_ALL_LEVELS : (uint8_t)(1u << depth >> 1);
}

/* The depth, which is also the level of the innermost loop. */
static struct lane_operand level(struct ctm_lower *l)
{
    struct ctm_flow *f = l->flow;
    return f->now.depth == FLOW_VARIES ? f->loops : flow_s32(l, f->now.depth);
}

/* A word of the frame at the top: a copy, or a write. */
static struct lane_operand frame_read(struct ctm_lower *l, const struct lane_operand *words)
{
    struct ctm_flow *f = l->flow;
    if (f->now.depth != FLOW_VARIES)
        return words[f->now.depth - 1];
    struct lane_operand value = lane_reg(l->b, 32, NULL);
    ctm_move(l, none, value, words[0]);
    for (int32_t k = 1; k < CTM_LOOP_STACK; k++)
        ctm_move(l, flow_is(l, f->loops, flow_s32(l, k + 1)), value, words[k]);
    return value;
}

static void frame_write(struct ctm_lower *l, const struct lane_operand *words, struct lane_operand value)
{
    struct ctm_flow *f = l->flow;
    if (f->now.depth != FLOW_VARIES)
        ctm_move(l, none, words[f->now.depth - 1], value);
    for (int32_t k = 0; k < CTM_LOOP_STACK && f->now.depth == FLOW_VARIES; k++)
        ctm_move(l, flow_is(l, f->loops, flow_s32(l, k + 1)), words[k], value);
}

/* Is a loop open? LANE_NONE: it is known that one is. */
static struct lane_operand loop_there(struct ctm_lower *l)
{
    struct ctm_flow *f = l->flow;
    return f->now.depth == FLOW_VARIES ? ctm_compare(l, LANE_NE, LANE_S32, f->loops, flow_s32(l, 0)) : none;
}

static void depth_add(struct ctm_lower *l, int change)
{
    struct ctm_flow *f = l->flow;
    if (f->now.depth != FLOW_VARIES)
        f->now.depth = (uint8_t)(f->now.depth + change);
    if (!flow_emits(l) || !f->counts_loops)
        return;
    if (f->now.depth != FLOW_VARIES)
        ctm_move(l, none, f->loops, flow_s32(l, f->now.depth));
    else {
        struct lane_operand depth = ctm_two(l, LANE_OP_add, LANE_S32, f->loops, flow_s32(l, change));
        ctm_give(l, none, f->loops, ctm_two(l, LANE_OP_max, LANE_S32, depth, flow_s32(l, 0)));
    }
}

/* Byte `byte` of the integer constant; blue is signed. */
struct lane_operand flow_constant(struct ctm_lower *l, unsigned byte)
{
    struct lane_operand word = ctm_param(l, CTM_PARAM_INTS + 4 * ctm_in(l, CTM_INT_ADDR)), d = lane_reg(l->b, 32, NULL);
    struct lane_operand src[3] = {word, ctm_u32(l, 8 * byte), ctm_u32(l, 8)};
    lane_emit(l->b, LANE_OP_bfe, byte == 2 ? LANE_S32 : LANE_U32, 1, &d, 3, src);
    return d;
}

/* Nobody is out of this level's loop, or of its round, any longer. */
static void level_clear(struct ctm_lower *l, bool rounds)
{
    struct ctm_flow *f = l->flow;
    uint8_t *levels = rounds ? &f->now.continued : &f->now.broken, bits = level_bits(l);
    if (!(*levels & bits))
        return;
    if (flow_emits(l)) {
        struct lane_operand reg = rounds ? f->cont : f->brk;
        ctm_move(l, *levels == bits && bits != FLOW_ALL_LEVELS ? none : flow_is(l, reg, level(l)), reg, flow_s32(l, 0));
    }
    if (f->now.depth != FLOW_VARIES)
        *levels &= (uint8_t)~bits;
    flow_active_make(l);
}

/* LOOP, REP: `red` rounds. */
void flow_loop_push(struct ctm_lower *l, struct lane_operand red)
{
    struct ctm_flow *f = l->flow;
    bool deep = f->now.depth == FLOW_VARIES || f->now.depth >= f->most_loops;
    if (deep && flow_emits(l)) {
        struct lane_operand over = none;
        if (f->now.depth == FLOW_VARIES)
            over = ctm_compare(l, LANE_GE, LANE_S32, f->loops, flow_s32(l, (int32_t)f->most_loops));
        ctm_fault(l, over, LANE_FAULT_OVERFLOW, "the loop stack overflows: %s with %u loops open, in %s flow control",
                  ctm_in(l, CTM_FC_OP) == CTM_FC_LOOP ? "LOOP" : "REP", f->most_loops, f->full ? "full" : "partial");
    }
    if (deep && f->now.depth != FLOW_VARIES) {
        f->now.reached = false;
        return;
    }
    depth_add(l, 1);
    for (unsigned k = 0; k < CTM_LOOP_STACK; k++)
        if (f->now.depth == k + 1 || (f->now.depth == FLOW_VARIES && f->now.entry[k] < f->now.most))
            f->now.entry[k] = f->now.most;
    if (!flow_emits(l))
        return;
    frame_write(l, f->count, red);
    if (f->restores)
        frame_write(l, f->saved_branch, f->branch);
    if (f->uses_al) {
        frame_write(l, f->saved_al, l->al);
        if (ctm_in(l, CTM_FC_OP) == CTM_FC_LOOP)
            ctm_move(l, none, l->al, flow_constant(l, 1));
    }
}

/* The innermost loop is over, where there is one. */
void flow_loop_pop(struct ctm_lower *l, bool with_al)
{
    struct ctm_flow *f = l->flow;
    if (flow_emits(l) && with_al && f->uses_al)
        ctm_move(l, loop_there(l), l->al, frame_read(l, f->saved_al));
    level_clear(l, false);
    depth_add(l, -1);
}

/* ENDLOOP, ENDREP: another round, while there are some left and the active ones want it. */
struct flow_decision flow_round_end(struct ctm_lower *l, unsigned table, struct lane_operand *agree)
{
    struct ctm_flow *f = l->flow;
    struct lane_operand left = none, more = none;
    if (f->now.depth == 0) /* no loop is open: tolerated, as one that is over */
        return (struct flow_decision){.answer = FLOW_NO};
    level_clear(l, true);
    if (flow_emits(l)) {
        left = ctm_two(l, LANE_OP_sub, LANE_S32, frame_read(l, f->count), flow_s32(l, 1));
        if (f->now.depth != FLOW_VARIES) {
            ctm_give(l, none, f->count[f->now.depth - 1], left);
            left = f->count[f->now.depth - 1];
        }
        more = ctm_both(l, ctm_compare(l, LANE_NE, LANE_S32, left, flow_s32(l, 0)), loop_there(l));
        frame_write(l, f->count, left);
    }
    return flow_forced(l, flow_decide(l, table, agree), false, more);
}

/* Is there somebody alive who needs the code that a BREAK or CONTINUE would jump over? Who has left this loop or an
 * outer one does not, nor who is inactive since before the loop, nor who waits for an outer loop's next round. Who
 * waits for this loop's next round needs it, but for a CONTINUE. */
static struct flow_decision left_behind(struct ctm_lower *l, bool round)
{
    struct ctm_flow *f = l->flow;
    const struct flow_state *s = &f->now;
    int pop = (int)ctm_in(l, CTM_B_POP_CNT);
    uint8_t own = level_bits(l);
    bool outer = s->continued & ~own || f->now.depth == FLOW_VARIES, waits = !round && s->continued & own;
    if (s->most < pop && !s->broken && (!s->continued || (waits && !outer)))
        return (struct flow_decision){.answer = FLOW_NO};
    struct flow_decision d = {.answer = FLOW_MAYBE, .not = true};
    if (!flow_emits(l))
        return d;
    struct lane_operand need = l->alive;
    if (s->most < 0 && !waits) { /* who is neither gone nor has left anything: the active ones */
        d.p = flow_any(l, f->active);
        return d;
    }
    if (s->most >= pop)
        need = ctm_both(l, need, ctm_compare(l, LANE_LT, LANE_S32, f->branch, flow_s32(l, pop)));
    if (s->broken)
        need = ctm_both(l, need, flow_is(l, f->brk, flow_s32(l, 0)));
    if (s->continued && !waits)
        need = ctm_both(l, need, flow_is(l, f->cont, flow_s32(l, 0)));
    else if (s->continued && outer)
        need = ctm_both(
            l, need,
            ctm_two(l, LANE_OP_or, LANE_PRED, flow_is(l, f->cont, flow_s32(l, 0)), flow_is(l, f->cont, level(l))));
    d.p = flow_any(l, need);
    return d;
}

/* There is no loop to leave, for `who` (LANE_NONE: anybody). */
static void lacks(struct ctm_lower *l, struct lane_operand who)
{
    static const char *const names[] = {
        [CTM_FC_BREAKLOOP] = "BREAKLOOP", [CTM_FC_BREAKREP] = "BREAKREP", [CTM_FC_CONTINUE] = "CONTINUE"};
    struct ctm_flow *f = l->flow;
    if (!flow_emits(l) || (f->now.depth && f->now.depth != FLOW_VARIES))
        return;
    if (f->now.depth)
        who = ctm_both(l, who, flow_is(l, f->loops, flow_s32(l, 0)));
    ctm_fault(l, who, LANE_FAULT_UNDERFLOW, "the loop stack underflows: %s outside of loops",
              names[ctm_in(l, CTM_FC_OP)]);
}

bool flow_lacks(struct ctm_lower *l)
{
    lacks(l, none);
    l->flow->now.reached = l->flow->now.depth != 0;
    return !l->flow->now.reached;
}

/* Processors that want to leave the loop, or its round, are marked. */
static void leavers_mark(struct ctm_lower *l, unsigned table, bool round)
{
    struct ctm_flow *f = l->flow;
    if (flow_emits(l)) {
        struct lane_operand reg = round ? f->cont : f->brk, want = flow_active_where(l, table);
        if (f->now.depth == 0 || f->now.depth == FLOW_VARIES)
            lacks(l, flow_any(l, want));
        ctm_move(l, want, reg, level(l));
        if (table == 0xff)
            ctm_move(l, none, f->active, flow_nobody(l));
        else
            ctm_give(l, none, f->active, flow_differ(l, f->active, want));
    }
    *(round ? &f->now.continued : &f->now.broken) |= level_bits(l);
}

struct flow_decision flow_leave(struct ctm_lower *l, unsigned table, bool round)
{
    if (!round && flow_sure(&l->flow->now) &&
        !flow_parts(table)) { /* all or nobody: who leaves is not looked at again */
        struct flow_decision d = {.answer = !table ? FLOW_NO : table == 0xff ? FLOW_YES : FLOW_MAYBE};
        if (d.answer == FLOW_MAYBE && flow_emits(l))
            d.p = flow_condition(l, table, FLOW_ALU_RESULT);
        return d;
    }
    if (table)
        leavers_mark(l, table, round);
    return left_behind(l, round);
}

/* BREAKLOOP, BREAKREP: the group has left the innermost loop. */
void flow_break(struct ctm_lower *l)
{
    struct ctm_flow *f = l->flow;
    int8_t entry = -1;
    for (unsigned k = 0; k < CTM_LOOP_STACK; k++)
        if ((f->now.depth == FLOW_VARIES || f->now.depth == k + 1) && f->now.entry[k] > entry)
            entry = f->now.entry[k];
    if (f->now.most >= 0 || entry >= 0) {
        f->restores = true;
        f->now.most = entry;
        if (flow_emits(l))
            ctm_move(l, none, f->branch, frame_read(l, f->saved_branch));
        flow_active_make(l);
    }
    level_clear(l, true);
    flow_loop_pop(l, ctm_in(l, CTM_FC_OP) == CTM_FC_BREAKLOOP);
}

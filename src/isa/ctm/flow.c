/* Flow control of CTM: FC instructions to the lane program. A group of processors is a warp, which takes every jump as
 * a whole; who is active is in registers. docs/ctm.md, "Flow control". */
#include "isa/ctm/flow.h"

#include "isa/ctm/effects.h"

#include <assert.h>

/* ---- branches --------------------------------------------------------------------------------------------------- */

/* The group goes to a block that is not known yet. */
static void patch(struct ctm_lower *l, struct flow_patch what)
{
    struct ctm_flow *f = l->flow;
    struct flow_patch *patches = arena_append(l->arena, f->patches, f->npatches, sizeof *patches);
    if (!patches) {
        l->failed = !error_memory(l->error);
        return;
    }
    f->patches = patches;
    patches[f->npatches++] = what;
}

static struct lane_inst *branch(struct ctm_lower *l, struct lane_operand guard, bool not )
{
    struct lane_inst *inst = lane_emit(l->b, LANE_OP_bra, LANE_VOID, 0, NULL, 0, NULL);
    inst->guard = guard;
    inst->guard_not = not ;
    inst->flags |= guard.kind == LANE_NONE ? 0 : LANE_UNI;
    return inst;
}

static struct lane_inst *branch_to(struct ctm_lower *l, uint32_t target, struct lane_operand guard, bool not )
{
    patch(l, (struct flow_patch){.inst = l->b->func->ninsts, .target = target});
    struct lane_inst *inst = branch(l, guard, not );
    lane_block(l->b);
    return inst;
}

void flow_jump(struct ctm_lower *l, struct lane_operand guard, bool not, bool together)
{
    struct lane_inst *inst = branch_to(l, ctm_in(l, CTM_JUMP_ADDR), guard, not );
    assert(l->flow->target[ctm_in(l, CTM_JUMP_ADDR)]);
    if (!together)
        inst->flags &= (uint16_t)~LANE_UNI;
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

static void call_depth(struct ctm_lower *l, unsigned depth, int change)
{
    struct ctm_flow *f = l->flow;
    if (depth == FLOW_VARIES)
        ctm_give(l, none, f->ncalls, ctm_two(l, LANE_OP_add, LANE_S32, f->ncalls, flow_s32(l, change)));
    else if (f->counts_calls)
        ctm_move(l, none, f->ncalls, flow_s32(l, (int32_t)depth + change));
}

/* False: nobody goes on from here. */
static bool call_push(struct ctm_lower *l)
{
    struct ctm_flow *f = l->flow;
    unsigned depth = f->calls[l->pc];
    struct lane_operand over = none;
    uint32_t index = 0;
    if (depth == FLOW_VARIES)
        over = ctm_compare(l, LANE_GE, LANE_S32, f->ncalls, flow_s32(l, (int32_t)f->most_calls));
    if (depth >= f->most_calls)
        ctm_fault(l, over, LANE_FAULT_OVERFLOW,
                  "the address stack overflows: PUSH with %u calls open, in %s flow control", f->most_calls,
                  f->full ? "full" : "partial");
    if (depth >= f->most_calls && depth != FLOW_VARIES)
        return false;
    while (f->back[index] != l->pc + 1)
        index++;
    for (unsigned k = 0; k < CTM_ADDRESS_STACK; k++)
        if (depth == FLOW_VARIES || depth == k)
            ctm_move(l, depth == k ? none : flow_is(l, f->ncalls, flow_s32(l, (int32_t)k)), f->address[k],
                     ctm_u32(l, index));
    call_depth(l, depth, 1);
    return true;
}

/* The address at the top; LANE_NONE: there is none, nobody goes on. */
static struct lane_operand call_pop(struct ctm_lower *l)
{
    struct ctm_flow *f = l->flow;
    unsigned depth = f->calls[l->pc];
    if (depth == 0 || depth == FLOW_VARIES)
        ctm_fault(l, depth ? flow_is(l, f->ncalls, flow_s32(l, 0)) : none, LANE_FAULT_UNDERFLOW,
                  "the address stack underflows: POP without a call");
    if (depth == 0)
        return none;
    struct lane_operand address = lane_reg(l->b, 32, NULL);
    ctm_move(l, none, address, f->address[depth == FLOW_VARIES ? 0 : depth - 1]);
    for (unsigned k = 1; k < CTM_ADDRESS_STACK && depth == FLOW_VARIES; k++)
        ctm_move(l, flow_is(l, f->ncalls, flow_s32(l, (int32_t)k + 1)), address, f->address[k]);
    call_depth(l, depth, -1);
    return address;
}

/* To where the address says. */
static void call_return(struct ctm_lower *l, struct lane_operand address)
{
    struct ctm_flow *f = l->flow;
    uint32_t which[CTM_SLOTS], blocks[CTM_SLOTS] = {0}, count = flow_returns(l, l->pc, which);
    assert(count);
    if (count == 1) {
        branch_to(l, f->back[which[0]], none, false);
        return;
    }
    for (uint32_t i = 0, next = 0; i < f->nback; i++) { /* those that it cannot be go where the first does */
        next += next + 1 < count && which[next] < i;
        uint32_t to = f->back[which[next] == i ? i : which[0]];
        patch(l, (struct flow_patch){.in_table = true, .inst = l->b->func->ntables, .entry = i, .target = to});
    }
    struct lane_inst *inst = lane_emit(l->b, LANE_OP_brx, LANE_VOID, 0, NULL, 1, &address);
    inst->flags |= LANE_UNI;
    inst->aux = lane_table(l->b, blocks, f->nback);
    lane_block(l->b);
}

/* ---- an instruction --------------------------------------------------------------------------------------------- */

/* The group ends here if nobody is inactive. Returns whether it does for sure. */
bool ctm_flow_last(struct ctm_lower *l)
{
    struct lane_operand active = ctm_flow_active(l);
    if (active.kind != LANE_NONE) {
        l->b->guard = flow_any(l, flow_differ(l, l->alive, active));
        l->b->guard_not = true;
    }
    ctm_finish(l);
    l->b->guard = none;
    l->b->guard_not = false;
    lane_block(l->b);
    return active.kind == LANE_NONE;
}

/* The ALU result is gone. */
static void result_lose(struct ctm_lower *l)
{
    l->flow->now.alu = FLOW_ALU_LOST;
    if (flow_emits(l) && l->flow->loses_alu && l->alu_result.kind == LANE_REG)
        ctm_move(l, none, l->alu_result, flow_nobody(l));
}

/* Where the group goes that jumps. */
static void go(struct ctm_lower *l)
{
    uint32_t target = ctm_in(l, CTM_JUMP_ADDR);
    enum ctm_a_op a_op = (enum ctm_a_op)ctm_in(l, CTM_A_OP);
    bool ends = l->pc == ctm_end(l->program), last = ctm_in(l, CTM_LAST);
    struct lane_operand address = none;
    if (!flow_emits(l)) {
        if (!ends && !(last && flow_sure(&l->flow->now)))
            flow_reach(l, target, a_op);
        return;
    }
    if (a_op == CTM_A_PUSH && !call_push(l))
        return;
    if (a_op == CTM_A_POP && (address = call_pop(l)).kind == LANE_NONE)
        return;
    if (ends) {
        ctm_finish(l);
        lane_block(l->b);
    } else if (last && ctm_flow_last(l)) {
        return;
    } else if (a_op == CTM_A_POP) {
        call_return(l, address);
    } else if (target >= l->program->ninsts) {
        ctm_fault(l, none, LANE_FAULT_JUMP, "a jump to instruction %u: the program has %u", target, l->program->ninsts);
    } else
        branch_to(l, target, none, false);
}

/* What INCR does where the group has decided: who does not agree becomes inactive. `agree` is known from the decision,
 * unless a count decided too. */
static void disagree(struct ctm_lower *l, unsigned table, bool jumps, struct lane_operand agree)
{
    unsigned op = ctm_in(l, CTM_FC_OP), agrees = jumps ? table : ~table & 0xff;
    bool any = ctm_in(l, CTM_JUMP_ANY);
    if (op >= CTM_FC_BREAKLOOP) /* who wanted is inactive already */
        flow_incr(l, false, none);
    else if (op == CTM_FC_JUMP)
        flow_incr(l, flow_parts(table) && jumps == any, agree);
    else
        flow_incr(l, agrees != 0xff, flow_emits(l) && agrees != 0xff ? flow_active_where(l, agrees) : none);
}

static void branch_op(struct ctm_lower *l, enum ctm_field field, unsigned table, bool jumps, struct lane_operand agree)
{
    if (ctm_in(l, field) == CTM_B_DECR)
        flow_decr(l, ctm_in(l, CTM_B_POP_CNT));
    else if (ctm_in(l, field) == CTM_B_INCR)
        disagree(l, table, jumps, agree);
}

static void jump_side(struct ctm_lower *l, unsigned table, struct lane_operand agree)
{
    struct ctm_flow *f = l->flow;
    unsigned op = ctm_in(l, CTM_FC_OP);
    if (op >= CTM_FC_BREAKLOOP && flow_lacks(l))
        return;
    branch_op(l, CTM_B_OP1, table, true, agree);
    if (op == CTM_FC_ENDLOOP && flow_emits(l) && f->uses_al)
        ctm_give(l, none, l->al, ctm_two(l, LANE_OP_add, LANE_S32, l->al, flow_constant(l, 2)));
    if (op == CTM_FC_BREAKLOOP || op == CTM_FC_BREAKREP)
        flow_break(l);
    result_lose(l);
    go(l);
    f->now.reached = false;
}

static void stay_side(struct ctm_lower *l, unsigned table, struct lane_operand red, struct lane_operand agree)
{
    struct ctm_flow *f = l->flow;
    unsigned op = ctm_in(l, CTM_FC_OP);
    branch_op(l, CTM_B_OP0, table, false, agree);
    if (op == CTM_FC_LOOP || op == CTM_FC_REP)
        flow_loop_push(l, red);
    if ((op == CTM_FC_ENDLOOP || op == CTM_FC_ENDREP) && f->now.depth)
        flow_loop_pop(l, op == CTM_FC_ENDLOOP);
    if (!f->now.reached)
        return;
    result_lose(l);
    if (!flow_emits(l))
        flow_pass(l);
}

/* Is a jump nothing but a branch? */
static bool jumps_plainly(const struct ctm_lower *l)
{
    const struct ctm_flow *f = l->flow;
    unsigned op = ctm_in(l, CTM_FC_OP), b_op = ctm_in(l, CTM_B_OP1);
    bool counters = b_op != CTM_B_NONE &&
                    !(f->now.most < 0 && (b_op == CTM_B_DECR || (op == CTM_FC_JUMP && !ctm_in(l, CTM_JUMP_ANY))));
    bool loop = op == CTM_FC_BREAKLOOP || op == CTM_FC_BREAKREP || (op == CTM_FC_ENDLOOP && f->uses_al) ||
                (op == CTM_FC_CONTINUE && (f->now.depth == 0 || f->now.depth == FLOW_VARIES));
    return !counters && !loop && !f->loses_alu && !ctm_in(l, CTM_A_OP) && !ctm_in(l, CTM_LAST) &&
           l->pc != ctm_end(l->program) && ctm_in(l, CTM_JUMP_ADDR) < l->program->ninsts;
}

/* Values without a meaning. */
static bool is_known(struct ctm_lower *l, unsigned table)
{
    static const struct {
        enum ctm_field field;
        const char *name;
    } fields[] = {{CTM_A_OP, "A_OP"}, {CTM_B_OP0, "B_OP0"}, {CTM_B_OP1, "B_OP1"}};
    unsigned sel = ctm_in(l, CTM_RGB_PRED_SEL);
    const char *what = NULL;
    unsigned value = 3;
    for (unsigned i = 0; i < 3; i++)
        if (ctm_in(l, fields[i].field) == value)
            what = fields[i].name;
    if (!what && flow_depends(table, FLOW_PREDICATE) && (sel < CTM_PRED_RRRR || sel > CTM_PRED_AAAA)) {
        what = "RGB_PRED_SEL";
        value = sel;
    }
    if (what && flow_emits(l))
        ctm_fault(l, none, LANE_FAULT_INSTRUCTION, "flow control with %s %u, which has no meaning", what, value);
    return !what;
}

static struct flow_decision op_decide(struct ctm_lower *l, unsigned table, struct lane_operand *red,
                                      struct lane_operand *agree)
{
    unsigned op = ctm_in(l, CTM_FC_OP);
    switch (op) {
    case CTM_FC_LOOP:
    case CTM_FC_REP: {
        struct lane_operand zero = none;
        if (flow_emits(l)) {
            *red = flow_constant(l, 0);
            zero = flow_is(l, *red, flow_s32(l, 0));
        }
        return flow_forced(l, flow_decide(l, table, agree), true, zero);
    }
    case CTM_FC_ENDLOOP:
    case CTM_FC_ENDREP:
        return flow_round_end(l, table, agree);
    case CTM_FC_JUMP:
        return flow_decide(l, table, agree);
    default:
        return flow_leave(l, table, op == CTM_FC_CONTINUE);
    }
}

void flow_step(struct ctm_lower *l)
{
    struct ctm_flow *f = l->flow;
    struct lane_operand red = none, agree = none;
    unsigned table = flow_function(l);
    if (flow_depends(table, FLOW_ALU_RESULT) && f->now.alu & FLOW_ALU_WRITTEN)
        f->loses_alu |= f->now.alu & FLOW_ALU_LOST || ctm_in(l, CTM_B_ELSE);
    f->counts_loops |= f->now.depth == FLOW_VARIES && ctm_in(l, CTM_FC_OP) != CTM_FC_JUMP;
    f->counts_calls |= !f->looking ? false : f->calls[l->pc] == FLOW_VARIES && ctm_in(l, CTM_A_OP);
    if (!is_known(l, table)) {
        f->now.reached = false;
        return;
    }
    if (ctm_in(l, CTM_B_ELSE))
        flow_else(l);
    struct flow_decision d = op_decide(l, table, &red, &agree);
    if (d.answer == FLOW_MAYBE && flow_emits(l) && jumps_plainly(l)) {
        branch_to(l, ctm_in(l, CTM_JUMP_ADDR), d.p, d.not );
        stay_side(l, table, red, agree);
        return;
    }
    struct flow_state before = f->now;
    if (d.answer == FLOW_NO) {
        stay_side(l, table, red, agree);
        return;
    }
    uint32_t over = l->b->func->ninsts;
    if (d.answer == FLOW_MAYBE && flow_emits(l)) {
        branch(l, d.p, !d.not );
        lane_block(l->b);
    }
    jump_side(l, table, agree);
    if (d.answer == FLOW_YES)
        return;
    f->now = before;
    if (flow_emits(l)) {
        uint32_t block = lane_block(l->b);
        if (!l->b->failed)
            l->b->func->insts[over].aux = block;
    }
    stay_side(l, table, red, agree);
}

/* ---- what the walk over the instructions calls ------------------------------------------------------------------ */

static bool uses_al(const struct ctm_program *program)
{
    bool found = false;
    for (uint32_t i = 0; i < program->ninsts; i++)
        found |= ctm_adds_al(&program->insts[i], false);
    return found;
}

/* What processors that may be inactive need, and the address stack. */
static void group_make(struct ctm_lower *l)
{
    struct ctm_flow *f = l->flow;
    struct lane_operand *words[] = {&f->branch, &f->brk, &f->cont, &f->loops, &f->ncalls};
    f->active = lane_reg(l->b, 1, NULL);
    ctm_move(l, none, f->active, l->alive);
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        *words[i] = lane_reg(l->b, 32, NULL);
        ctm_move(l, none, *words[i], flow_s32(l, i ? 0 : -1));
    }
    for (unsigned k = 0; k < CTM_LOOP_STACK; k++)
        f->saved_branch[k] = lane_reg(l->b, 32, NULL);
    for (unsigned k = 0; k < CTM_ADDRESS_STACK; k++)
        f->address[k] = lane_reg(l->b, 32, NULL);
}

static void loops_make(struct ctm_lower *l)
{
    struct ctm_flow *f = l->flow;
    for (unsigned k = 0; k < CTM_LOOP_STACK; k++) {
        f->count[k] = lane_reg(l->b, 32, NULL);
        f->saved_al[k] = lane_reg(l->b, 32, NULL);
    }
    if (f->uses_al) {
        l->al = lane_reg(l->b, 32, NULL);
        ctm_move(l, none, l->al, flow_s32(l, 0));
    }
}

/* A group ends where nobody in it is alive. */
static void end_if_dead(struct ctm_lower *l)
{
    l->b->guard = flow_any(l, l->alive);
    l->b->guard_not = true;
    ctm_finish(l);
    l->b->guard = none;
    l->b->guard_not = false;
    lane_block(l->b);
}

bool ctm_flow_begin(struct ctm_lower *l)
{
    struct ctm_flow *f = l->flow = arena_alloc(l->arena, sizeof *f);
    if (!f)
        return error_memory(l->error);
    f->now = (struct flow_state){.reached = true, .most = -1};
    f->full = ctm_full_flow(l->program);
    f->most_calls = f->full ? CTM_ADDRESS_STACK : 0;
    f->most_loops = f->full ? CTM_LOOP_STACK : 0;
    f->most_branch = (f->full ? CTM_BRANCHES : CTM_BRANCHES_PARTIAL) - 1;
    l->alu_result = lane_reg(l->b, 1, NULL);
    if (!l->flows)
        return true;
    f->uses_al = uses_al(l->program);
    f->block = arena_array(l->arena, l->program->ninsts + 1, sizeof *f->block);
    f->target = arena_array(l->arena, l->program->ninsts + 1, sizeof *f->target);
    if (!f->block || !f->target)
        return error_memory(l->error);
    return flow_look(l);
}

bool ctm_flow_start(struct ctm_lower *l)
{
    if (!l->flows)
        return true;
    loops_make(l);
    if (flow_apart_can(l))
        flow_apart_begin(l);
    else
        group_make(l);
    if (ctm_start(l->program))
        branch_to(l, ctm_start(l->program), none, false);
    return !l->failed;
}

bool ctm_flow_reached(const struct ctm_lower *l)
{
    return !l->flow->met || l->flow->met[l->pc].reached;
}

void ctm_flow_at(struct ctm_lower *l)
{
    struct ctm_flow *f = l->flow;
    if (!f->met)
        return;
    f->now = f->met[l->pc];
    if (f->target[l->pc])
        f->block[l->pc] = lane_block(l->b);
}

struct lane_operand ctm_flow_active(struct ctm_lower *l)
{
    return flow_sure(&l->flow->now) ? none : l->flow->active;
}

void ctm_flow(struct ctm_lower *l)
{
    if (l->flow->apart)
        flow_apart_step(l);
    else if (l->flow->now.reached)
        flow_step(l);
}

void ctm_flow_kill(struct ctm_lower *l, struct lane_operand gone)
{
    struct lane_operand stays = flow_inverse(l, gone);
    ctm_give(l, none, l->alive, ctm_both(l, l->alive, stays));
    if (l->flow->apart) {
        flow_apart_leave(l, stays, true);
        return;
    }
    if (l->flows)
        ctm_give(l, none, l->flow->active, ctm_both(l, l->flow->active, stays));
    end_if_dead(l);
}

/* Nobody writes outputs before all have read their inputs, which may be the same surfaces. */
void ctm_flow_meet(struct ctm_lower *l)
{
    struct lane_operand all = ctm_u32(l, UINT32_MAX);
    if (l->flow->apart)
        lane_emit(l->b, LANE_OP_barwarp, LANE_VOID, 0, NULL, 1, &all);
}

void ctm_flow_end(struct ctm_lower *l)
{
    struct ctm_flow *f = l->flow;
    struct lane_func *func = l->b->func;
    uint32_t past = lane_block(l->b);
    ctm_fault(l, none, LANE_FAULT_JUMP, "control runs past the program's last instruction, %u",
              (unsigned)l->program->ninsts - 1);
    for (uint32_t i = 0; i < f->npatches && !l->b->failed; i++) {
        const struct flow_patch *p = &f->patches[i];
        uint32_t block = p->target < l->program->ninsts ? f->block[p->target] : past;
        if (p->in_table)
            func->tables[p->inst].blocks[p->entry] = block;
        else
            func->insts[p->inst].aux = block;
    }
}

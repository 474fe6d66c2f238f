/* Programs whose processors may part: each takes its own way, as the lane program's lanes do, and nobody is inactive.
 * docs/ctm.md, "Apart". */
#include "isa/ctm/effects.h"
#include "isa/ctm/flow.h"
#include "isa/ctm/parse.h"
#include "isa/ctm/texture.h"

#include <string.h>

/* ---- which programs --------------------------------------------------------------------------------------------- */

enum { MOST_OPEN = CTM_BRANCHES + CTM_LOOP_STACK + 1, NOWHERE = UINT32_MAX };

/* Statements that are open at an instruction, and, of those that are over, what belongs together. */
struct nest {
    struct {
        uint32_t begin, other; /* other: ELSE, or NOWHERE */
    } open[MOST_OPEN];
    unsigned count, ifs, loops;
    uint32_t *loop; /* of BREAK and CONTINUE: where their loop begins; of LOOP and REP: where it ends */
};

static const struct ctm_inst *inst_at(const struct ctm_lower *l, uint32_t pc)
{
    return &l->program->insts[pc];
}

static bool is_loop(const struct ctm_lower *l, uint32_t pc)
{
    unsigned op = ctm_get(inst_at(l, pc), CTM_FC_OP);
    return op == CTM_FC_LOOP || op == CTM_FC_REP;
}

/* The statement that an FC instruction is, if it is one of those that are nested. */
static enum ctm_statement statement_of(const struct ctm_inst *inst)
{
    static const uint8_t of_op[] = {
        [CTM_FC_LOOP] = CTM_LOOP,        [CTM_FC_ENDLOOP] = CTM_ENDLOOP, [CTM_FC_REP] = CTM_REP,
        [CTM_FC_ENDREP] = CTM_ENDREP,    [CTM_FC_BREAKLOOP] = CTM_BREAK, [CTM_FC_BREAKREP] = CTM_BREAK,
        [CTM_FC_CONTINUE] = CTM_CONTINUE};
    unsigned op = ctm_get(inst, CTM_FC_OP);
    if (op != CTM_FC_JUMP)
        return (enum ctm_statement)of_op[op];
    if (ctm_get(inst, CTM_B_ELSE))
        return CTM_ELSE;
    return ctm_get(inst, CTM_JUMP_FUNC) == CTM_FUNC_NEVER && ctm_get(inst, CTM_JUMP_ANY) ? CTM_ENDIF : CTM_IF;
}

/* Has the instruction the words of its statement, whose condition is any? ENDIF never jumps. */
static bool has_words(const struct ctm_lower *l, uint32_t pc, struct ctm_flow_words words)
{
    static const uint8_t fields[] = {CTM_A_OP, CTM_B_ELSE, CTM_B_OP0, CTM_B_OP1, CTM_B_POP_CNT};
    const struct ctm_inst *inst = inst_at(l, pc);
    struct ctm_inst want = *inst;
    enum ctm_statement statement = statement_of(inst);
    unsigned func = ctm_get(inst, CTM_JUMP_FUNC);
    words.func = (uint8_t)(statement == CTM_IF ? ~func : func);
    for (unsigned i = 0; i < sizeof fields; i++)
        ctm_set(&want, (enum ctm_field)fields[i], 0);
    ctm_flow_words(statement, &words, &want);
    if (statement == CTM_ENDIF)
        ctm_set(&want, CTM_JUMP_ADDR, ctm_get(inst, CTM_JUMP_ADDR));
    return memcmp(&want, inst, sizeof want) == 0;
}

static bool nest_begin(const struct ctm_lower *l, struct nest *nest, uint32_t pc)
{
    bool loop = is_loop(l, pc);
    unsigned *depth = loop ? &nest->loops : &nest->ifs, most = loop ? l->flow->most_loops : l->flow->most_branch + 1;
    if (*depth == most)
        return false;
    ++*depth;
    nest->open[nest->count].begin = pc;
    nest->open[nest->count++].other = NOWHERE;
    return true;
}

static bool nest_end(const struct ctm_lower *l, struct nest *nest, uint32_t pc, enum ctm_statement statement)
{
    if (!nest->count)
        return false;
    uint32_t begin = nest->open[--nest->count].begin, other = nest->open[nest->count].other;
    enum ctm_statement begins = statement_of(inst_at(l, begin));
    if (statement == CTM_ENDIF) {
        nest->ifs--;
        return begins == CTM_IF && has_words(l, pc, (struct ctm_flow_words){0}) &&
               has_words(l, begin,
                         (struct ctm_flow_words){.counts = other != NOWHERE,
                                                 .target = (other != NOWHERE ? other : pc) + 1}) &&
               (other == NOWHERE || has_words(l, other, (struct ctm_flow_words){.target = pc + 1}));
    }
    nest->loops--;
    nest->loop[begin] = pc;
    return begins == (statement == CTM_ENDLOOP ? CTM_LOOP : CTM_REP) &&
           has_words(l, begin, (struct ctm_flow_words){.target = pc + 1}) &&
           has_words(l, pc, (struct ctm_flow_words){.target = begin + 1});
}

static bool nest_leave(const struct ctm_lower *l, struct nest *nest, uint32_t pc)
{
    unsigned at = nest->count;
    while (at && !is_loop(l, nest->open[at - 1].begin))
        at--;
    if (!at)
        return false;
    nest->loop[pc] = nest->open[at - 1].begin;
    return has_words(l, pc,
                     (struct ctm_flow_words){.depth = (uint8_t)(nest->count - at),
                                             .in_rep = statement_of(inst_at(l, nest->loop[pc])) == CTM_REP,
                                             .target = ctm_get(inst_at(l, pc), CTM_JUMP_ADDR)});
}

/* Is the FC instruction a statement, in its place? Depths are those that never overflow, whoever goes where. */
static bool statement_fits(const struct ctm_lower *l, struct nest *nest, uint32_t pc)
{
    const struct ctm_inst *inst = inst_at(l, pc);
    const struct flow_state *state = &l->flow->met[pc];
    enum ctm_statement statement = statement_of(inst);
    unsigned sel = ctm_get(inst, CTM_RGB_PRED_SEL);
    bool asks = flow_depends(ctm_get(inst, CTM_JUMP_FUNC), FLOW_PREDICATE) && sel != CTM_PRED_NONE;
    if ((asks && (sel < CTM_PRED_RRRR || sel > CTM_PRED_AAAA)) || (state->reached && state->depth != nest->loops))
        return false;
    switch (statement) {
    case CTM_IF:
    case CTM_LOOP:
    case CTM_REP:
        return nest_begin(l, nest, pc);
    case CTM_ELSE:
        if (!nest->count || is_loop(l, nest->open[nest->count - 1].begin) ||
            nest->open[nest->count - 1].other != NOWHERE)
            return false;
        nest->open[nest->count - 1].other = pc;
        return true;
    case CTM_BREAK:
    case CTM_CONTINUE:
        return nest_leave(l, nest, pc);
    default:
        return nest_end(l, nest, pc, statement);
    }
}

/* BREAK jumps past the end of its loop, CONTINUE to it. */
static bool leave_fits(const struct ctm_lower *l, const struct nest *nest, uint32_t pc)
{
    enum ctm_statement statement = statement_of(inst_at(l, pc));
    return (statement != CTM_BREAK && statement != CTM_CONTINUE) ||
           ctm_get(inst_at(l, pc), CTM_JUMP_ADDR) == nest->loop[nest->loop[pc]] + (statement == CTM_BREAK);
}

/* What asks for other processors: neighbours of a quad; those that are inactive. */
static bool asks_others(const struct ctm_lower *l, uint32_t pc)
{
    const struct ctm_inst *inst = inst_at(l, pc);
    bool inactive = ctm_get(inst, CTM_LAST) || ctm_get(inst, CTM_WRITE_INACTIVE);
    return ctm_asks_quad(inst) || (inactive && !flow_sure(&l->flow->met[pc]));
}

static bool is_flow(const struct ctm_lower *l, uint32_t pc)
{
    return ctm_get(inst_at(l, pc), CTM_TYPE) == CTM_TYPE_FC;
}

/* Statements from the first instruction to the last, none of which asks for others; somebody may be inactive there. */
static bool insts_fit(const struct ctm_lower *l, struct nest *nest)
{
    const struct ctm_flow *f = l->flow;
    uint32_t end = ctm_end(l->program);
    bool parts = false;
    for (uint32_t pc = ctm_start(l->program); pc <= end; pc++) {
        bool flow = is_flow(l, pc), last = ctm_get(inst_at(l, pc), CTM_LAST);
        if (flow && (pc == end || last || !statement_fits(l, nest, pc)))
            return false;
        if (f->met[pc].reached && asks_others(l, pc))
            return false;
        parts |= f->met[pc].reached && !flow_sure(&f->met[pc]);
    }
    for (uint32_t pc = ctm_start(l->program); pc <= end && !nest->count; pc++)
        if (is_flow(l, pc) && !leave_fits(l, nest, pc))
            return false;
    return parts && !nest->count;
}

/* A result that comes late comes for the whole group; so do writes to memory that lookups may read. */
static bool memory_fits(const struct ctm_lower *l)
{
    for (uint32_t n = 0; n < l->texture->count; n++)
        if (l->texture->late[n].deferred)
            return false;
    return !ctm_uncached(l->program);
}

bool flow_apart_can(struct ctm_lower *l)
{
    struct nest nest = {.count = 0};
    if (l->together || !memory_fits(l))
        return false;
    nest.loop = arena_array(l->arena, l->program->ninsts, sizeof *nest.loop);
    if (!nest.loop) {
        l->failed = !error_memory(l->error);
        return false;
    }
    return insts_fit(l, &nest);
}

/* ---- lowering --------------------------------------------------------------------------------------------------- */

bool ctm_flow_apart(const struct ctm_lower *l)
{
    return l->flow->apart;
}

void flow_apart_begin(struct ctm_lower *l)
{
    struct ctm_flow *f = l->flow;
    f->apart = true;
    for (uint32_t pc = 0; pc < l->program->ninsts; pc++) {
        f->met[pc].most = -1;
        f->met[pc].broken = f->met[pc].continued = 0;
    }
    flow_apart_leave(l, l->alive, true);
}

void flow_apart_leave(struct ctm_lower *l, struct lane_operand who, bool not )
{
    l->b->guard = who;
    l->b->guard_not = not ;
    ctm_finish(l);
    l->b->guard = none;
    l->b->guard_not = false;
    lane_block(l->b);
}

/* The ALU result is gone, where somebody may read it. */
static void result_lose(struct ctm_lower *l)
{
    if (l->flow->loses_alu)
        ctm_move(l, none, l->alu_result, flow_nobody(l));
}

/* Who wants to jumps. `leaves`: a LOOP, which gives aL back. */
static void jump(struct ctm_lower *l, bool leaves)
{
    struct ctm_flow *f = l->flow;
    unsigned table = flow_function(l);
    bool always = table == 0xff, not = !always && !(table & 0x80);
    if (!table) {
        result_lose(l);
        return;
    }
    struct lane_operand want = flow_condition(l, not ? ~table & 0xff : table, FLOW_ALU_RESULT);
    if (f->loses_alu && !always) { /* as it is before that */
        want = ctm_one(l, not ? LANE_OP_not : LANE_OP_mov, LANE_PRED, want);
        not = false;
    }
    result_lose(l);
    if (leaves && f->uses_al)
        ctm_move(l, not ? flow_inverse(l, want) : want, l->al, f->saved_al[f->now.depth - 1]);
    flow_jump(l, want, not, !flow_parts(table));
}

static void loop_begin(struct ctm_lower *l)
{
    struct ctm_flow *f = l->flow;
    unsigned level = f->now.depth;
    struct lane_operand rounds = flow_constant(l, 0);
    result_lose(l);
    flow_jump(l, flow_is(l, rounds, flow_s32(l, 0)), false, true);
    ctm_move(l, none, f->count[level], rounds);
    if (f->uses_al && ctm_in(l, CTM_FC_OP) == CTM_FC_LOOP) {
        ctm_move(l, none, f->saved_al[level], l->al);
        ctm_move(l, none, l->al, flow_constant(l, 1));
    }
}

static void loop_end(struct ctm_lower *l)
{
    struct ctm_flow *f = l->flow;
    unsigned level = f->now.depth - 1u;
    bool al = f->uses_al && ctm_in(l, CTM_FC_OP) == CTM_FC_ENDLOOP;
    ctm_give(l, none, f->count[level], ctm_two(l, LANE_OP_sub, LANE_S32, f->count[level], flow_s32(l, 1)));
    if (al)
        ctm_give(l, none, l->al, ctm_two(l, LANE_OP_add, LANE_S32, l->al, flow_constant(l, 2)));
    result_lose(l);
    flow_jump(l, ctm_compare(l, LANE_NE, LANE_S32, f->count[level], flow_s32(l, 0)), false, false);
    if (al)
        ctm_move(l, none, l->al, f->saved_al[level]);
}

void flow_apart_step(struct ctm_lower *l)
{
    switch ((enum ctm_fc_op)ctm_in(l, CTM_FC_OP)) {
    case CTM_FC_LOOP:
    case CTM_FC_REP:
        loop_begin(l);
        break;
    case CTM_FC_ENDLOOP:
    case CTM_FC_ENDREP:
        loop_end(l);
        break;
    case CTM_FC_JUMP: /* who comes to ELSE has been through its IF */
        if (ctm_in(l, CTM_B_ELSE)) {
            result_lose(l);
            flow_jump(l, none, false, false);
        } else
            jump(l, false);
        break;
    default:
        jump(l, ctm_in(l, CTM_FC_OP) == CTM_FC_BREAKLOOP);
    }
}

/* Flow control without running it: how deep stacks and branches get, what closes what, where control ends. Sources:
 * docs/ctm.md, "Flow control", "Checks". */
#include "isa/ctm/check_inner.h"

#include <string.h>

enum {
    DEEP = 100,         /* counts stop here */
    LOOPS_MOST = 4,     /* frames of the loop stack */
    CALLS_MOST = 4,     /* of the address stack */
    BRANCHES_FULL = 32, /* levels of branches, by the mode of flow control */
    BRANCHES_PARTIAL = 6,
};

/* Before an instruction: the deepest of all ways to it. */
struct depth {
    uint8_t branches, loops, calls;
    uint8_t here_branches, here_loops; /* since the subroutine began */
    uint8_t loop_kinds;                /* a bit for each loop, the innermost lowest: LOOP, not REP */
    bool reached;
};

struct depths {
    struct check *c;
    struct depth *in;
    bool mixed;  /* not the same on all ways to an instruction: not a static structure */
    bool report; /* the second time */
};

static uint8_t larger(uint8_t a, uint8_t b)
{
    return a > b ? a : b;
}

static uint8_t more(uint8_t a, unsigned by)
{
    return (uint8_t)(a + by > DEEP ? DEEP : a + by);
}

static uint8_t less(uint8_t a, unsigned by)
{
    return (uint8_t)(a > by ? a - by : 0);
}

static bool join(struct depths *d, uint32_t to, const struct depth *from)
{
    struct depth *into = &d->in[to], was = *into;
    if (!was.reached) {
        *into = *from;
        return true;
    }
    d->mixed |= was.here_branches != from->here_branches || was.here_loops != from->here_loops;
    into->branches = larger(was.branches, from->branches);
    into->loops = larger(was.loops, from->loops);
    into->calls = larger(was.calls, from->calls);
    into->here_branches = larger(was.here_branches, from->here_branches);
    into->here_loops = larger(was.here_loops, from->here_loops);
    return was.branches != into->branches || was.loops != into->loops || was.calls != into->calls ||
           was.here_branches != into->here_branches || was.here_loops != into->here_loops;
}

static bool is_end_of_loop(uint32_t op)
{
    return op == CTM_FC_ENDLOOP || op == CTM_FC_ENDREP;
}

static bool is_begin_of_loop(uint32_t op)
{
    return op == CTM_FC_LOOP || op == CTM_FC_REP;
}

static bool is_break(uint32_t op)
{
    return op == CTM_FC_BREAKLOOP || op == CTM_FC_BREAKREP;
}

static void branch_step(const struct ctm_inst *inst, enum ctm_field field, struct depth *s)
{
    uint32_t op = ctm_get(inst, field), count = ctm_get(inst, CTM_B_POP_CNT);
    unsigned up = op == CTM_B_INCR, down = op == CTM_B_DECR ? count : 0;
    s->branches = less(more(s->branches, up), down);
    s->here_branches = less(more(s->here_branches, up), down);
}

static struct depth stayed(const struct ctm_inst *inst, struct depth s)
{
    uint32_t op = ctm_get(inst, CTM_FC_OP);
    branch_step(inst, CTM_B_OP0, &s);
    if (is_begin_of_loop(op)) {
        s.loops = more(s.loops, 1);
        s.here_loops = more(s.here_loops, 1);
        s.loop_kinds = (uint8_t)(s.loop_kinds << 1 | (op == CTM_FC_LOOP));
    } else if (is_end_of_loop(op)) {
        s.loops = less(s.loops, 1);
        s.here_loops = less(s.here_loops, 1);
        s.loop_kinds >>= 1;
    }
    return s;
}

/* Mesa's LOOP jumps to its ENDLOOP, not behind it; that one jumps to what follows the LOOP. */
static bool is_own_end(const struct ctm_program *p, uint32_t at, uint32_t to)
{
    const struct ctm_inst *end = &p->insts[to];
    return ctm_get(end, CTM_TYPE) == CTM_TYPE_FC && is_end_of_loop(ctm_get(end, CTM_FC_OP)) &&
           ctm_get(end, CTM_JUMP_ADDR) == at + 1;
}

static struct depth jumped(const struct ctm_program *p, uint32_t at, struct depth s)
{
    const struct ctm_inst *inst = &p->insts[at];
    uint32_t op = ctm_get(inst, CTM_FC_OP);
    branch_step(inst, CTM_B_OP1, &s);
    if (is_break(op)) {
        s.loops = less(s.loops, 1);
        s.here_loops = less(s.here_loops, 1);
        s.loop_kinds >>= 1;
    }
    if (is_begin_of_loop(op) && is_own_end(p, at, ctm_get(inst, CTM_JUMP_ADDR)))
        s = stayed(inst, s);
    if (ctm_get(inst, CTM_A_OP) == CTM_A_PUSH) {
        s.calls = more(s.calls, 1);
        s.here_branches = ctm_get(inst, CTM_B_OP1) == CTM_B_INCR;
        s.here_loops = 0;
    }
    return s;
}

/* ---- reports ---------------------------------------------------------------------------------------------- */

/* Said where it grows, or has grown without end. */
static void deep(struct depths *d, uint32_t at, const char *what, unsigned was, unsigned is, unsigned most,
                 const char *mode)
{
    if (is > most && (is > was || was == DEEP))
        (d->mixed ? rule_warn : rule_error)(d->c, at, "stack-overflow", "%s %u deep; wanted at most %u%s", what, is,
                                            most, mode);
}

static void loop_check(struct depths *d, uint32_t at, const struct depth *s)
{
    uint32_t op = ctm_get(&d->c->program->insts[at], CTM_FC_OP);
    if ((is_break(op) || op == CTM_FC_CONTINUE) && !s->here_loops)
        rule_error(d->c, at, "no-loop", "%s outside of loops", ctm_fc_ops[op].name);
    bool of_loop = op == CTM_FC_ENDLOOP || op == CTM_FC_BREAKLOOP;
    if ((is_end_of_loop(op) || is_break(op)) && s->here_loops && of_loop != (s->loop_kinds & 1))
        rule_warn(d->c, at, "loop-kind", "%s in a %s", ctm_fc_ops[op].name, s->loop_kinds & 1 ? "LOOP" : "REP");
}

static void call_check(struct depths *d, uint32_t at, const struct depth *s)
{
    struct depth after = *s;
    const struct ctm_inst *inst = &d->c->program->insts[at];
    if (ctm_get(inst, CTM_A_OP) != CTM_A_POP)
        return;
    branch_step(inst, CTM_B_OP1, &after);
    if (!s->calls)
        rule_error(d->c, at, "no-call", "a return outside of subroutines");
    else if (s->here_loops)
        rule_error(d->c, at, "return-in-loop", "a return inside of a loop");
    else if (after.here_branches)
        rule_warn(d->c, at, "return-in-branch", "a return inside of %u branch%s that it does not leave",
                  after.here_branches, after.here_branches == 1 ? "" : "es");
}

static void partial_check(struct depths *d, uint32_t at)
{
    const struct ctm_inst *inst = &d->c->program->insts[at];
    uint32_t op = ctm_get(inst, CTM_FC_OP), stack = ctm_get(inst, CTM_A_OP);
    if (op != CTM_FC_JUMP)
        rule_error(d->c, at, "partial-flow", "%s in partial flow control, which has no loops", ctm_fc_ops[op].name);
    else if (stack == CTM_A_POP || stack == CTM_A_PUSH)
        rule_error(d->c, at, "partial-flow", "a %s in partial flow control, which has no subroutines",
                   stack == CTM_A_POP ? "return" : "call");
}

static void depth_report(struct depths *d, uint32_t at, const struct depth *s, const struct depth *stay,
                         const struct depth *jump)
{
    bool full = ctm_full_flow(d->c->program);
    unsigned most = full ? BRANCHES_FULL : BRANCHES_PARTIAL;
    const char *mode = full ? " by full flow control" : " by partial flow control";
    unsigned branches = larger(stay->branches, jump->branches);
    deep(d, at, "branches", s->branches, branches, most, mode);
    if (full) {
        deep(d, at, "loops", s->loops, stay->loops, LOOPS_MOST, "");
        deep(d, at, "calls", s->calls, jump->calls, CALLS_MOST, "");
    }
    loop_check(d, at, s);
    call_check(d, at, s);
    if (!full)
        partial_check(d, at);
}

/* ---- all ways --------------------------------------------------------------------------------------------- */

/* guide p.40: whether a group can go on, can jump. Nobody else's decision is looked at. */
static bool can_stay(const struct ctm_inst *inst)
{
    return ctm_get(inst, CTM_JUMP_FUNC) != 0xff || ctm_get(inst, CTM_FC_OP) != CTM_FC_JUMP;
}

static bool can_jump(const struct ctm_inst *inst)
{
    return ctm_get(inst, CTM_JUMP_FUNC) != 0 || !ctm_get(inst, CTM_JUMP_ANY) ||
           is_begin_of_loop(ctm_get(inst, CTM_FC_OP));
}

static bool on(struct depths *d, uint32_t at, uint32_t to, const struct depth *s)
{
    if (to < d->c->program->ninsts)
        return join(d, to, s);
    if (d->report)
        rule_broken(d->c, at, "code-end", "behind it the code ends, and the program's last instruction is %u",
                    ctm_end(d->c->program));
    return false;
}

static bool visit_fc(struct depths *d, uint32_t at)
{
    const struct ctm_program *p = d->c->program;
    const struct ctm_inst *inst = &p->insts[at];
    struct depth s = d->in[at], stay = s, jump = s;
    uint32_t to = ctm_get(inst, CTM_JUMP_ADDR), stack = ctm_get(inst, CTM_A_OP);
    bool news = false, jumps = can_jump(inst), pops = stack == CTM_A_POP, inside = to < p->ninsts;
    if (can_stay(inst))
        stay = stayed(inst, s);
    if (jumps && !pops && inside)
        jump = jumped(p, at, s);
    if (d->report)
        depth_report(d, at, &s, &stay, &jump);
    if (d->report && jumps && !pops && !inside)
        rule_broken(d->c, at, "jump-target", "a jump to instruction %u of %u", to, p->ninsts);
    if (can_stay(inst))
        news |= on(d, at, at + 1, &stay);
    if (jumps && !pops && inside)
        news |= join(d, to, &jump);
    if (stack == CTM_A_PUSH && !can_stay(inst))
        news |= on(d, at, at + 1, &s); /* the subroutine leaves what it found */
    return news;
}

static bool visit_all(struct depths *d)
{
    const struct ctm_program *p = d->c->program;
    bool news = false;
    for (uint32_t at = 0; at < p->ninsts; at++) {
        if (!d->in[at].reached || at == ctm_end(p))
            continue;
        if (ctm_get(&p->insts[at], CTM_TYPE) == CTM_TYPE_FC)
            news |= visit_fc(d, at);
        else
            news |= on(d, at, at + 1, &d->in[at]);
    }
    return news;
}

bool ctm_check_depth(struct check *c)
{
    const struct ctm_program *p = c->program;
    struct depths d = {.c = c, .in = arena_array(&c->arena, p->ninsts + 1, sizeof *d.in)};
    if (!d.in)
        return false;
    if (ctm_start(p) >= p->ninsts)
        return true;
    d.in[ctm_start(p)].reached = true;
    while (visit_all(&d))
        continue;
    d.report = true;
    visit_all(&d);
    if (ctm_end(p) < p->ninsts && !d.in[ctm_end(p)].reached)
        rule_warn(c, ctm_end(p), "end-unreached", "the last instruction is never reached");
    return true;
}

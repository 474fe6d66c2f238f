/* Statements of CTM's text: which belong together, and their words (docs/ctm.md, "Statements"). */
#include "isa/ctm/parse.h"

#include <string.h>

static void set_flow(struct ctm_inst *inst, enum ctm_fc_op op, uint8_t func, bool any, uint32_t target)
{
    ctm_set(inst, CTM_FC_OP, op);
    ctm_set(inst, CTM_JUMP_FUNC, func);
    ctm_set(inst, CTM_JUMP_ANY, any);
    ctm_set(inst, CTM_JUMP_ADDR, target);
}

static void set_counters(struct ctm_inst *inst, unsigned staying, unsigned jumping, unsigned pop)
{
    ctm_set(inst, CTM_B_OP0, staying);
    ctm_set(inst, CTM_B_OP1, jumping);
    ctm_set(inst, CTM_B_POP_CNT, pop);
}

void ctm_flow_words(enum ctm_statement statement, const struct ctm_flow_words *w, struct ctm_inst *inst)
{
    switch (statement) {
    case CTM_IF:
        set_flow(inst, CTM_FC_JUMP, (uint8_t)~w->func, false, w->target);
        set_counters(inst, CTM_B_INCR, w->counts ? CTM_B_INCR : CTM_B_NONE, 0);
        break;
    case CTM_ELSE:
        set_flow(inst, CTM_FC_JUMP, CTM_FUNC_NEVER, false, w->target);
        set_counters(inst, CTM_B_NONE, CTM_B_DECR, 1);
        ctm_set(inst, CTM_B_ELSE, 1);
        break;
    case CTM_ENDIF:
        set_flow(inst, CTM_FC_JUMP, CTM_FUNC_NEVER, true, 0);
        set_counters(inst, CTM_B_DECR, CTM_B_NONE, 1);
        break;
    case CTM_LOOP:
    case CTM_REP:
        set_flow(inst, statement == CTM_LOOP ? CTM_FC_LOOP : CTM_FC_REP, CTM_FUNC_NEVER, false, w->target);
        break;
    case CTM_ENDLOOP:
    case CTM_ENDREP:
        set_flow(inst, statement == CTM_ENDLOOP ? CTM_FC_ENDLOOP : CTM_FC_ENDREP, CTM_FUNC_ALWAYS, true, w->target);
        break;
    case CTM_BREAK:
        set_flow(inst, w->in_rep ? CTM_FC_BREAKREP : CTM_FC_BREAKLOOP, w->func, false, w->target);
        set_counters(inst, CTM_B_NONE, CTM_B_DECR, w->depth);
        break;
    case CTM_CONTINUE:
        set_flow(inst, CTM_FC_CONTINUE, w->func, false, w->target);
        set_counters(inst, CTM_B_NONE, CTM_B_DECR, w->depth);
        break;
    case CTM_CALL:
        set_flow(inst, CTM_FC_JUMP, w->func, true, w->target);
        set_counters(inst, CTM_B_NONE, w->counts ? CTM_B_INCR : CTM_B_NONE, 0);
        ctm_set(inst, CTM_A_OP, CTM_A_PUSH);
        break;
    case CTM_RETURN:
        set_flow(inst, CTM_FC_JUMP, CTM_FUNC_ALWAYS, false, 0);
        set_counters(inst, CTM_B_NONE, w->counts ? CTM_B_DECR : CTM_B_NONE, w->counts);
        ctm_set(inst, CTM_A_OP, CTM_A_POP);
        break;
    case CTM_RAW:
    case CTM_STATEMENTS:
        break;
    }
}

/* ---- structure -------------------------------------------------------------------------------------------- */

/* What is open at a line: its first line, and the one in whose place ELSE came. */
struct frame {
    uint32_t begin, other; /* other: ELSE; NONE */
};
enum { NONE = UINT32_MAX };

struct flow {
    struct diag *diag;
    struct ctm_line *lines;
    uint32_t count;
    struct frame *open; /* a stack */
    uint32_t nopen;
    uint32_t *loop;  /* of BREAK and CONTINUE: the line of their loop; of LOOP and REP: that of their end */
    uint8_t *called; /* by line: 1 by CALL, 2 by a conditional one */
};

static void wrong(struct flow *f, uint32_t number, const char *what)
{
    const struct ctm_line *line = &f->lines[number];
    diag_report(f->diag, ATOLL_ERROR, "flow", line->at, line->length, "%s %s", ctm_statement_names[line->statement],
                what);
}

static void put(struct flow *f, uint32_t number, struct ctm_flow_words words)
{
    struct ctm_line *line = &f->lines[number];
    words.func = line->func;
    if (words.target >= CTM_SLOTS)
        wrong(f, number, "jumps past instruction 511");
    ctm_flow_words((enum ctm_statement)line->statement, &words, &line->inst);
}

static bool is_loop(const struct ctm_line *line)
{
    return line->statement == CTM_LOOP || line->statement == CTM_REP;
}

static void begin(struct flow *f, uint32_t number)
{
    f->open[f->nopen++] = (struct frame){number, NONE};
}

/* The innermost, if one of `statement` opened it. */
static struct frame *innermost(struct flow *f, uint32_t number, enum ctm_statement statement, const char *what)
{
    struct frame *top = f->nopen ? &f->open[f->nopen - 1] : NULL;
    if (top && f->lines[top->begin].statement == statement)
        return top;
    wrong(f, number, what);
    return NULL;
}

static void take_else(struct flow *f, uint32_t number)
{
    struct frame *top = innermost(f, number, CTM_IF, "without IF");
    if (top && top->other != NONE)
        wrong(f, number, "after another ELSE");
    else if (top)
        top->other = number;
}

static void take_endif(struct flow *f, uint32_t number)
{
    struct frame *top = innermost(f, number, CTM_IF, "without IF");
    if (!top)
        return;
    bool has = top->other != NONE;
    put(f, top->begin, (struct ctm_flow_words){.counts = has, .target = (has ? top->other : number) + 1});
    if (has)
        put(f, top->other, (struct ctm_flow_words){.target = number + 1});
    put(f, number, (struct ctm_flow_words){0});
    f->nopen--;
}

static void take_end(struct flow *f, uint32_t number, enum ctm_statement statement)
{
    struct frame *top = innermost(f, number, statement, statement == CTM_LOOP ? "without LOOP" : "without REP");
    if (!top)
        return;
    ctm_set(&f->lines[number].inst, CTM_INT_ADDR, ctm_get(&f->lines[top->begin].inst, CTM_INT_ADDR));
    f->loop[top->begin] = number;
    put(f, top->begin, (struct ctm_flow_words){.target = number + 1});
    put(f, number, (struct ctm_flow_words){.target = top->begin + 1});
    f->nopen--;
}

/* BREAK and CONTINUE: how many IFs are open within the loop; the loop's end comes later. */
static void take_leave(struct flow *f, uint32_t number)
{
    uint32_t at = f->nopen;
    while (at > 0 && !is_loop(&f->lines[f->open[at - 1].begin]))
        at--;
    if (!at) {
        wrong(f, number, "outside of LOOP and REP");
        return;
    }
    uint32_t depth = f->nopen - at;
    if (depth > 31)
        wrong(f, number, "within more than 31 IFs");
    f->loop[number] = f->open[at - 1].begin;
    put(f, number,
        (struct ctm_flow_words){
            .depth = (uint8_t)depth,
            .in_rep = f->lines[f->loop[number]].statement == CTM_REP,
        });
}

static void take_return(struct flow *f, uint32_t number)
{
    uint32_t at = number;
    while (at > 0 && !f->called[at])
        at--;
    if (!f->called[at])
        wrong(f, number, "of no subroutine: no label before it is called");
    put(f, number, (struct ctm_flow_words){.counts = f->called[at] == 2});
}

static void take(struct flow *f, uint32_t number)
{
    switch ((enum ctm_statement)f->lines[number].statement) {
    case CTM_IF:
    case CTM_LOOP:
    case CTM_REP:
        begin(f, number);
        break;
    case CTM_ELSE:
        take_else(f, number);
        break;
    case CTM_ENDIF:
        take_endif(f, number);
        break;
    case CTM_ENDLOOP:
        take_end(f, number, CTM_LOOP);
        break;
    case CTM_ENDREP:
        take_end(f, number, CTM_REP);
        break;
    case CTM_BREAK:
    case CTM_CONTINUE:
        take_leave(f, number);
        break;
    case CTM_CALL:
        put(f, number,
            (struct ctm_flow_words){.counts = f->called[f->lines[number].target] == 2,
                                    .target = f->lines[number].target});
        break;
    case CTM_RETURN:
        take_return(f, number);
        break;
    case CTM_RAW:
    case CTM_STATEMENTS:
        break;
    }
}

/* Which labels are called, and whether only by calls that all active processors take. */
static void find_calls(struct flow *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        const struct ctm_line *line = &f->lines[i];
        if (line->statement == CTM_CALL)
            f->called[line->target] |= line->func == CTM_FUNC_ALWAYS ? 1 : 2;
    }
    for (uint32_t i = 0; i <= f->count; i++)
        f->called[i] = f->called[i] == 3 ? 2 : f->called[i];
}

/* BREAK jumps past the end of its loop, CONTINUE to it. */
static void leave_loops(struct flow *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        struct ctm_line *line = &f->lines[i];
        if ((line->statement == CTM_BREAK || line->statement == CTM_CONTINUE) && f->loop[i] != NONE &&
            f->loop[f->loop[i]] != NONE)
            ctm_set(&line->inst, CTM_JUMP_ADDR, f->loop[f->loop[i]] + (line->statement == CTM_BREAK));
    }
}

static void annotate(struct ctm_line *line)
{
    for (unsigned w = 0; w < CTM_WORDS; w++)
        line->inst.word[w] = (line->inst.word[w] & ~line->mask[w]) | line->value[w];
}

bool ctm_statements(struct arena *arena, struct diag *diag, struct ctm_line *lines, uint32_t count)
{
    struct flow f = {.diag = diag, .lines = lines, .count = count};
    f.open = arena_array(arena, count + 1, sizeof *f.open);
    f.loop = arena_array(arena, count + 1, sizeof *f.loop);
    f.called = arena_array(arena, count + 1, sizeof *f.called);
    if (!f.open || !f.loop || !f.called)
        return false;
    memset(f.loop, 0xff, (count + 1) * sizeof *f.loop);
    find_calls(&f);
    for (uint32_t i = 0; i < count; i++)
        take(&f, i);
    for (uint32_t i = f.nopen; i > 0; i--)
        wrong(&f, f.open[i - 1].begin, "without its end");
    leave_loops(&f);
    for (uint32_t i = 0; i < count; i++)
        if (lines[i].statement != CTM_RAW)
            annotate(&lines[i]);
    return true;
}

/* Marks on registers (mark.h). */
#include "tap/mark.h"

static struct lane_operand operand_of(const struct tap_step *step, unsigned operand)
{
    return step->func->operands[step->inst->first + operand];
}

static bool marks_register(const struct mark *mark, const struct tap_step *step, struct lane_operand operand)
{
    return operand.kind == LANE_REG && operand.index == mark->reg && mark->activation == step->activation;
}

static void add(struct marks *marks, const struct mark *mark)
{
    for (unsigned i = 0; i < marks->count; i++) {
        struct mark *old = &marks->list[i];
        if (old->reg == mark->reg && old->site == mark->site && old->what == mark->what &&
            old->activation == mark->activation) {
            old->lanes |= mark->lanes;
            return;
        }
    }
    if (marks->count == MARKS) {
        for (unsigned i = 1; i < MARKS; i++)
            marks->list[i - 1] = marks->list[i];
        marks->count--;
    }
    marks->list[marks->count++] = *mark;
}

static void drop_empty(struct marks *marks)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < marks->count; i++)
        if (marks->list[i].lanes)
            marks->list[kept++] = marks->list[i];
    marks->count = kept;
}

/* Is it known to look at a value without taking it on? */
static bool only_looks(const struct lane_inst *inst)
{
    bool limits = inst->op == LANE_OP_min || inst->op == LANE_OP_max;
    return inst->op == LANE_OP_setp || inst->op == LANE_OP_setp2 || inst->op == LANE_OP_set2 ||
           inst->op == LANE_OP_testp || (limits && !(inst->flags & LANE_NAN));
}

/* Lanes for which the instruction makes its result of source `source`; *passed_by: those for which it does nothing with
 * it. */
static uint32_t handed_on(const struct tap_step *step, const struct tap_engine *engine, unsigned source,
                          uint32_t *passed_by)
{
    unsigned ndst = step->inst->ndst;
    uint32_t chosen = 0;
    *passed_by = only_looks(step->inst) ? step->lanes : 0;
    if (!lane_is(step->inst->op, LANE_PURE) || *passed_by)
        return 0;
    if (step->inst->op != LANE_OP_selp || source > 1)
        return step->lanes;
    for (uint32_t left = step->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        bool first = engine->value(step, ndst + 2, lane);
        chosen |= (uint32_t)(first == (source == 0)) << lane;
    }
    *passed_by = step->lanes & ~chosen;
    return chosen;
}

static void hand_on(struct marks *fresh, const struct tap_step *step, const struct mark *mark, uint32_t lanes,
                    struct lane_operand to)
{
    const struct mark copy = {step->activation, to.index, lanes, mark->site, mark->what};
    if (to.kind == LANE_REG)
        add(fresh, &copy);
}

/* What one source does with marks. Those of the destination come when its old ones have gone. */
static void look_at_source(struct marks *marks, const struct tap_step *step, const struct tap_engine *engine,
                           unsigned source, struct marks *fresh, mark_used *used, void *state)
{
    struct lane_operand operand = operand_of(step, step->inst->ndst + source);
    for (unsigned i = 0; i < marks->count; i++) {
        struct mark *mark = &marks->list[i];
        uint32_t lanes = mark->lanes & step->lanes, passed_by;
        if (!lanes || !marks_register(mark, step, operand))
            continue;
        uint32_t on = handed_on(step, engine, source, &passed_by) & lanes, told = lanes & ~on & ~passed_by;
        for (unsigned d = 0; on && d < step->inst->ndst; d++)
            hand_on(fresh, step, mark, on, operand_of(step, d));
        if (!told)
            continue;
        used(state, step, mark, told);
        mark->lanes &= ~told;
    }
}

/* A function that is over takes its registers with it. */
static bool ends(const struct mark *mark, const struct tap_step *step)
{
    return step->inst->op == LANE_OP_ret && mark->activation == step->activation;
}

static void overwrite(struct marks *marks, const struct tap_step *step)
{
    for (unsigned i = 0; i < marks->count; i++) {
        struct mark *mark = &marks->list[i];
        bool gone = ends(mark, step) || step->inst->op == LANE_OP_exit;
        for (unsigned d = 0; !gone && d < step->inst->ndst; d++)
            gone = marks_register(mark, step, operand_of(step, d));
        mark->lanes &= gone ? ~step->lanes : UINT32_MAX;
    }
    drop_empty(marks);
}

void marks_step(struct marks *marks, const struct tap_step *step, const struct tap_engine *engine, mark_used *used,
                void *state)
{
    struct marks fresh;
    if (!marks->count)
        return;
    fresh.count = 0;
    for (unsigned s = 0; s < step->inst->nsrc; s++)
        look_at_source(marks, step, engine, s, &fresh, used, state);
    overwrite(marks, step);
    for (unsigned i = 0; i < fresh.count; i++)
        add(marks, &fresh.list[i]);
}

void marks_add(struct marks *marks, const struct tap_step *step, unsigned operand, uint32_t lanes, const void *what)
{
    struct lane_operand d = operand_of(step, operand);
    const struct mark mark = {step->activation, d.index, lanes, step->site, what};
    if (d.kind == LANE_REG && lanes)
        add(marks, &mark);
}

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

/* Lanes for which the instruction hands source `source` on as it is; *passed_by: those for which it does nothing with
 * it. */
static uint32_t handed_on(const struct tap_step *step, const struct tap_engine *engine, unsigned source,
                          uint32_t *passed_by)
{
    unsigned ndst = step->inst->ndst;
    uint32_t chosen = 0;
    *passed_by = 0;
    if (step->inst->op == LANE_OP_mov)
        return step->lanes;
    if (step->inst->op != LANE_OP_selp || source > 1)
        return 0;
    for (uint32_t left = step->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        bool first = engine->value(step, ndst + 2, lane);
        chosen |= (uint32_t)(first == (source == 0)) << lane;
    }
    *passed_by = step->lanes & ~chosen;
    return chosen;
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
        if (on && fresh->count < MARKS) {
            struct mark copy = *mark;
            copy.lanes = on;
            copy.reg = operand_of(step, 0).index;
            add(fresh, &copy);
        }
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

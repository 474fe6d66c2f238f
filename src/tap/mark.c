/* Marks on registers (mark.h). */
#include "tap/mark.h"

static bool marks_register(const struct mark *mark, const struct tap_step *step, struct lane_operand operand)
{
    return operand.kind == LANE_REG && operand.index == mark->reg && mark->activation == step->activation;
}

/* ---- local memory ------------------------------------------------------------------------------------------------ */

void mark_place(const struct tap_step *step, const struct tap_engine *engine, struct mark_place *place)
{
    const struct lane_inst *inst = step->inst;
    place->lanes = 0;
    if (inst->op != LANE_OP_ld && inst->op != LANE_OP_st)
        return;
    const struct lane_access *access = &step->func->accesses[inst->aux];
    if (access->space != LANE_LOCAL && access->space != LANE_GENERIC)
        return;
    place->element = lane_type_bits(access->type) / 8;
    for (uint32_t left = step->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (engine->local(step, lane, &place->at[lane]))
            place->lanes |= left & -left;
    }
}

uint32_t mark_place_like_first(const struct mark_place *place, uint32_t lanes)
{
    uint32_t like = 0, first = lanes ? place->at[__builtin_ctz(lanes)] : 0;
    for (uint32_t left = lanes; left; left &= left - 1)
        like |= place->at[__builtin_ctz(left)] == first ? left & -left : 0;
    return like;
}

static bool overlaps(const struct mark *mark, uint32_t at, uint32_t bytes)
{
    return mark->activation == MARK_MEMORY && mark->reg < at + bytes && at < mark->reg + mark->bytes;
}

static void drop_memory(struct marks *marks, uint32_t lanes, uint32_t at, uint32_t bytes)
{
    for (unsigned i = 0; i < marks->count; i++)
        if (overlaps(&marks->list[i], at, bytes))
            marks->list[i].lanes &= ~lanes;
}

/* ---- registers --------------------------------------------------------------------------------------------------- */

static bool same_place(const struct mark *a, const struct mark *b)
{
    return a->reg == b->reg && a->activation == b->activation && a->bytes == b->bytes && a->what == b->what;
}

/* The mark to forget: one whose value comes from another place, too, which stays marked; else the oldest. */
static unsigned least(const struct marks *marks)
{
    enum { NUMBERS = 256 };
    uint8_t newer[NUMBERS] = {0}; /* by register, more or less: a mark's index + 1 */
    for (unsigned i = marks->count; i-- > 0;) {
        const struct mark *mark = &marks->list[i];
        uint8_t *place = &newer[mark->reg % NUMBERS];
        const struct mark *other = *place ? &marks->list[*place - 1] : NULL;
        if (other && same_place(mark, other) && !(mark->lanes & ~other->lanes))
            return i;
        *place = (uint8_t)(i + 1);
    }
    return 0;
}

static void add(struct marks *marks, const struct mark *mark)
{
    for (unsigned i = 0; i < marks->count; i++) {
        struct mark *old = &marks->list[i];
        if (same_place(old, mark) && old->site == mark->site) {
            old->lanes |= mark->lanes;
            return;
        }
    }
    if (marks->count == MARKS) {
        for (unsigned i = least(marks) + 1; i < MARKS; i++)
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

/* Lanes for which a minimum or maximum of integers is what source `source` has. */
static uint32_t limited(const struct tap_step *step, const struct tap_engine *engine, unsigned source)
{
    const struct lane_inst *inst = step->inst;
    unsigned bits = lane_type_bits((enum lane_type)inst->type);
    uint64_t top = lane_type_signed((enum lane_type)inst->type) ? UINT64_C(1) << (bits - 1) : 0;
    uint32_t lanes = 0;
    for (uint32_t left = step->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t own = engine->value(step, inst->ndst + source, lane) ^ top;
        uint64_t other = engine->value(step, inst->ndst + (1u - source), lane) ^ top;
        lanes |= (uint32_t)(inst->op == LANE_OP_min ? own <= other : own >= other) << lane;
    }
    return lanes;
}

static bool limits_bits(const struct lane_inst *inst)
{
    return (inst->op == LANE_OP_min || inst->op == LANE_OP_max) && inst->nsrc == 2 && inst->type >= LANE_B32 &&
           inst->type <= LANE_S64 && inst->type != LANE_B128;
}

/* Lanes for which the instruction makes its result of source `source`; *passed_by: those for which it does nothing with
 * it. `bits`: limits of integers may choose it, too. */
static uint32_t handed_on(const struct tap_step *step, const struct tap_engine *engine, unsigned source, bool bits,
                          uint32_t *passed_by)
{
    unsigned ndst = step->inst->ndst;
    uint32_t chosen = 0;
    *passed_by = only_looks(step->inst) ? step->lanes : 0;
    if (bits && limits_bits(step->inst)) {
        chosen = limited(step, engine, source);
        *passed_by = step->lanes & ~chosen;
        return chosen;
    }
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
    const struct mark copy = {step->activation, to.index, lanes, 0, mark->site, mark->what};
    if (to.kind == LANE_REG)
        add(fresh, &copy);
}

/* Lanes that put source `source` into their local memory. */
static uint32_t stored(const struct tap_step *step, const struct mark_place *place, unsigned source, uint32_t lanes,
                       const struct mark *mark, struct marks *fresh)
{
    uint32_t kept = step->inst->op == LANE_OP_st && source ? lanes & place->lanes : 0;
    for (uint32_t same, left = kept; left; left &= ~same) {
        same = mark_place_like_first(place, left);
        uint32_t at = place->at[__builtin_ctz(left)] + (source - 1) * place->element;
        const struct mark copy = {MARK_MEMORY, at, same, place->element, mark->site, mark->what};
        add(fresh, &copy);
    }
    return kept;
}

/* Registers get what is in local memory. */
static void loaded(const struct marks *marks, const struct tap_step *step, const struct mark_place *place,
                   struct marks *fresh)
{
    for (unsigned i = 0; i < marks->count; i++)
        for (unsigned d = 0; d < step->inst->ndst; d++) {
            uint32_t lanes = 0;
            for (uint32_t left = marks->list[i].lanes & place->lanes; left; left &= left - 1)
                if (overlaps(&marks->list[i], place->at[__builtin_ctz(left)] + d * place->element, place->element))
                    lanes |= left & -left;
            if (lanes)
                hand_on(fresh, step, &marks->list[i], lanes, tap_operand(step, d));
        }
}

static void stored_over(struct marks *marks, const struct tap_step *step, const struct mark_place *place)
{
    uint32_t bytes = (step->inst->nsrc - 1u) * place->element;
    for (uint32_t same, left = place->lanes; left; left &= ~same) {
        same = mark_place_like_first(place, left);
        drop_memory(marks, same, place->at[__builtin_ctz(left)], bytes);
    }
}

/* What one source does with marks. Those of the destination come when its old ones have gone. */
static void look_at_source(struct marks *marks, const struct tap_step *step, const struct tap_engine *engine,
                           unsigned source, const struct mark_place *place, struct marks *fresh,
                           const struct mark_user *user)
{
    struct lane_operand operand = tap_operand(step, step->inst->ndst + source);
    for (unsigned i = 0; i < marks->count; i++) {
        struct mark *mark = &marks->list[i];
        uint32_t lanes = mark->lanes & step->lanes, passed_by;
        if (!lanes || !marks_register(mark, step, operand))
            continue;
        bool bits = mark->what == user->number;
        uint32_t on = handed_on(step, engine, source, bits, &passed_by) & lanes, told = lanes & ~on & ~passed_by;
        for (unsigned d = 0; on && d < step->inst->ndst; d++)
            hand_on(fresh, step, mark, on, tap_operand(step, d));
        told &= ~stored(step, place, source, told, mark, fresh);
        if (!told)
            continue;
        user->used(user->state, step, mark, told);
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
            gone = marks_register(mark, step, tap_operand(step, d));
        mark->lanes &= gone ? ~step->lanes : UINT32_MAX;
    }
    drop_empty(marks);
}

void marks_step(struct marks *marks, const struct tap_step *step, const struct tap_engine *engine,
                const struct mark_user *user)
{
    struct marks fresh;
    struct mark_place place;
    if (!marks->count)
        return;
    fresh.count = 0;
    mark_place(step, engine, &place);
    for (unsigned s = 0; s < step->inst->nsrc; s++)
        look_at_source(marks, step, engine, s, &place, &fresh, user);
    if (step->inst->op == LANE_OP_ld)
        loaded(marks, step, &place, &fresh);
    else
        stored_over(marks, step, &place);
    overwrite(marks, step);
    for (unsigned i = 0; i < fresh.count; i++)
        add(marks, &fresh.list[i]);
}

void marks_add(struct marks *marks, const struct tap_step *step, unsigned operand, uint32_t lanes, const void *what)
{
    struct lane_operand d = tap_operand(step, operand);
    const struct mark mark = {step->activation, d.index, lanes, 0, step->site, what};
    if (d.kind == LANE_REG && lanes)
        add(marks, &mark);
}

void marks_drop(struct marks *marks, const struct tap_step *step, uint32_t lanes, const void *what)
{
    for (unsigned i = 0; i < marks->count; i++)
        for (unsigned d = 0; d < step->inst->ndst; d++)
            if (marks->list[i].what == what && marks_register(&marks->list[i], step, tap_operand(step, d)))
                marks->list[i].lanes &= ~lanes;
    drop_empty(marks);
}

/* Slots of one frame are copied to those of another. */
static void copy_slots(struct marks *marks, const struct tap_call *call)
{
    uint32_t count = call->returns ? call->call->nresults : call->call->nargs;
    const struct lane_slot *caller = call->returns ? call->call->results : call->call->args;
    const struct lane_slot *callee = call->returns ? call->callee->results : call->callee->params;
    unsigned before = marks->count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t outer = call->caller_at + caller[i].local, inner = call->callee_at + callee[i].local;
        uint32_t from = call->returns ? inner : outer, to = call->returns ? outer : inner;
        drop_memory(marks, call->lanes, to, caller[i].size);
        for (unsigned k = 0; k < before && k < marks->count; k++) {
            struct mark copy = marks->list[k];
            if (!overlaps(&copy, from, caller[i].size) || !(copy.lanes & call->lanes))
                continue;
            copy.lanes &= call->lanes;
            copy.reg = copy.reg - from + to;
            if (marks->count < MARKS)
                add(marks, &copy);
        }
    }
}

void marks_call(struct marks *marks, const struct tap_call *call)
{
    if (!marks->count)
        return;
    if (!call->returns)
        drop_memory(marks, call->lanes, call->callee_at, call->callee->local_bytes);
    copy_slots(marks, call);
    drop_empty(marks);
}

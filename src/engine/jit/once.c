/* Slots with a form: what is computed once for all lanes. */
#include "engine/jit/once.h"
#include "engine/jit/gate.h"
#include "engine/jit/jit.h"
#include "engine/jit/rows.h"

/* ---- instructions --------------------------------------------------------------------------------------------------
 */

static bool has_form(struct emit *e, const struct decoded *at, unsigned k)
{
    return uniform_result(e->flow, e->segment, at, k, e->forms) != FORM_NONE;
}

bool once_is(struct emit *e, const struct decoded *at)
{
    for (unsigned k = 0; k < (unsigned)at->ndst + at->nsrc; k++)
        if (at->bits[k] > 64)
            return false;
    for (unsigned k = 0; k < at->ndst; k++)
        if (at->bits[k] && !has_form(e, at, k))
            return false;
    return at->ndst && at->op < LANE_OPS && lane_is(at->op, LANE_PURE);
}

/* Where a source that is extended wraps around in some lane, its lanes differ in another way. */
LLVMValueRef once_fits(struct emit *e, const struct decoded *at)
{
    struct affine source;
    int64_t least, most;
    unsigned k;
    if (!uniform_widens(e->flow, at, e->forms, &k))
        return NULL;
    unsigned bits = at->bits[k];
    bool is_signed = lane_type_signed(at->op == LANE_OP_cvt ? at->inst->type2 : at->inst->type);
    emit_affine(e, at, k, &source);
    uniform_range(e->flow, uniform_form(e->flow, e->forms, at->offsets[k]), &least, &most);
    LLVMValueRef first = is_signed ? LL(BuildSExt, source.first, e->i64) : LL(BuildZExt, source.first, e->i64);
    int64_t low = is_signed ? -(INT64_C(1) << (bits - 1)) : 0, high = low + (int64_t)(UINT64_MAX >> (64 - bits));
    LLVMValueRef from = emit_const(e, 64, (uint64_t)(low - least));
    LLVMValueRef room = emit_const(e, 64, (uint64_t)((high - most) - (low - least)));
    return LL(BuildICmp, LLVMIntULE, LL(BuildSub, first, from), room);
}

bool once_emit(struct emit *e, const struct decoded *at)
{
    if (!pure_goes_once(at))
        return false;
    e->lanes = 1;
    bool emitted = emit_pure(e, at);
    e->lanes = LANES;
    return emitted;
}

/* What lanes compare with what all have. */
struct comparison {
    LLVMValueRef first, with; /* what lane 0 has; what they compare it with */
    int64_t least, most;      /* what lanes add to the first */
    uint32_t below;           /* lanes have less than this; 0: it is not known */
    bool swapped;             /* it is the second source that lanes differ in */
    bool is_signed;
    unsigned cmp;
};

static bool find_comparison(struct emit *e, const struct decoded *at, struct comparison *c)
{
    uint8_t forms[2];
    struct affine sources[2];
    unsigned type = at->inst->type;
    if (at->op != LANE_OP_setp || at->inst->cmp > LANE_GE || type < LANE_B8 || type > LANE_S64 ||
        at->guard != KERNEL_NONE)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        if (at->bits[at->ndst + i] != 32 || !emit_affine(e, at, at->ndst + i, &sources[i]))
            return false;
        forms[i] = uniform_form(e->flow, e->forms, at->offsets[at->ndst + i]);
    }
    c->swapped = forms[0] == FORM_SAME;
    if (forms[!c->swapped] != FORM_SAME || forms[c->swapped] == FORM_SAME)
        return false;
    c->first = sources[c->swapped].first;
    c->with = sources[!c->swapped].first;
    uniform_range(e->flow, forms[c->swapped], &c->least, &c->most);
    c->below = flow_below(e->flow, at->offsets[at->ndst + c->swapped]);
    c->is_signed = lane_type_signed(type);
    c->cmp = at->inst->cmp;
    return c->most - c->least < INT32_MAX;
}

/* i1: what a lane has compares so, to which the form adds `by`. */
static LLVMValueRef compare_lane(struct emit *e, const struct comparison *c, unsigned cmp, int64_t by)
{
    LLVMValueRef x = LL(BuildAdd, c->first, emit_const(e, 32, (uint64_t)by & UINT32_MAX));
    LLVMIntPredicate how = pure_comparison(cmp, c->is_signed);
    return LL(BuildICmp, how, c->swapped ? c->with : x, c->swapped ? x : c->with);
}

/* i1: do sums wrap around in no lane? */
static LLVMValueRef stays(struct emit *e, const struct comparison *c)
{
    uint32_t low = c->is_signed ? (uint32_t)INT32_MIN : 0;
    if (c->below)
        return emit_const(e, 1, 1);
    LLVMValueRef from = emit_const(e, 32, (uint32_t)(low - (uint64_t)c->least));
    LLVMValueRef room = emit_const(e, 32, UINT32_MAX - (uint64_t)(c->most - c->least));
    return LL(BuildICmp, LLVMIntULE, LL(BuildSub, c->first, from), room);
}

/* Does it hold for those that have less? */
static bool less_holds(const struct comparison *c)
{
    return (c->cmp == LANE_LT || c->cmp == LANE_LE) != c->swapped;
}

/* i1: do all lanes find `value`, as they do if the one does for which it is hardest? */
static LLVMValueRef all_find(struct emit *e, const struct comparison *c, bool value)
{
    LLVMValueRef found;
    if (c->cmp <= LANE_NE) { /* in none of them: they differ */
        LLVMValueRef below = compare_lane(e, c, c->swapped ? LANE_LT : LANE_GT, c->least);
        LLVMValueRef above = compare_lane(e, c, c->swapped ? LANE_GT : LANE_LT, c->most);
        found = value == (c->cmp == LANE_NE) ? LL(BuildOr, below, above) : emit_const(e, 1, 0);
    } else {
        found = compare_lane(e, c, c->cmp, less_holds(c) == value ? c->most : c->least);
        found = value ? found : LL(BuildNot, found);
    }
    return LL(BuildAnd, stays(e, c), found);
}

LLVMValueRef once_all_find(struct emit *e, const struct decoded *at, bool value)
{
    struct comparison c;
    return find_comparison(e, at, &c) ? all_find(e, &c, value) : NULL;
}

bool once_compare(struct emit *e, const struct decoded *at)
{
    struct comparison c;
    LLVMBuilderRef outer;
    if (!gate_compares(e) || !gate_enter(e, at, at->ndst, 2, &outer))
        return false;
    bool found = find_comparison(e, at, &c), all = false;
    if (found) { /* all are below, most likely; or none, at the second try */
        all = c.cmp <= LANE_NE ? c.cmp == LANE_NE : less_holds(&c) != gate_tries_again(e);
        gate_want(e, all_find(e, &c, all));
    }
    gate_leave(e, outer);
    if (found)
        emit_result(e, at, 0, emit_mask(e, LL(BuildSExt, emit_const(e, 1, all), e->i32)));
    return found;
}

/* *form gets that of the source that differs from lane to lane. */
static bool find_choice(struct emit *e, const struct decoded *at, struct comparison *c, uint8_t *form)
{
    struct spread sources[2];
    uint8_t forms[2];
    for (unsigned i = 0; i < 2; i++) {
        if (at->bits[at->ndst + i] != 32 || !emit_spread(e, at, at->ndst + i, &sources[i]))
            return false;
        forms[i] = uniform_form(e->flow, e->forms, at->offsets[at->ndst + i]);
    }
    c->swapped = forms[0] == FORM_SAME;
    *form = forms[c->swapped];
    if (forms[!c->swapped] != FORM_SAME || *form == FORM_SAME)
        return false;
    c->first = sources[c->swapped].first;
    c->with = sources[!c->swapped].first;
    uniform_range(e->flow, *form, &c->least, &c->most);
    c->below = flow_below(e->flow, at->offsets[at->ndst + c->swapped]);
    c->swapped = false;
    c->is_signed = lane_type_signed(at->inst->type);
    c->cmp = at->op == LANE_OP_min ? LANE_LE : LANE_GE;
    return c->most - c->least < INT32_MAX;
}

bool once_choose(struct emit *e, const struct decoded *at)
{
    struct comparison c;
    LLVMBuilderRef outer;
    uint8_t form;
    bool wanted = at->op == LANE_OP_min || at->op == LANE_OP_max;
    if (!wanted || (at->inst->type != LANE_S32 && at->inst->type != LANE_U32) || at->inst->flags ||
        at->guard != KERNEL_NONE || !gate_before_accesses(e) || emit_blends(e, at, at->offsets[0]) ||
        !gate_enter(e, at, 0, 3, &outer))
        return false;
    bool found = find_choice(e, at, &c, &form);
    if (found) {
        gate_want(e, LL(BuildAnd, stays(e, &c), compare_lane(e, &c, c.cmp, at->op == LANE_OP_min ? c.most : c.least)));
        gate_lend(e, at, form, c.first);
    }
    gate_leave(e, outer);
    return found;
}

void once_unfold(struct emit *e, const struct decoded *at)
{
    for (unsigned k = 0; at->guard != KERNEL_NONE && k < at->ndst; k++)
        if (at->bits[k] && !has_form(e, at, k))
            emit_unfold(e, at->offsets[k], at->bits[k]);
}

/* ---- segments ------------------------------------------------------------------------------------------------------
 */

static bool is_live(const struct flow *flow, uint32_t segment, uint32_t slot)
{
    return bitset_has(flow->live + (size_t)segment * flow->slot_words, slot);
}

void once_settle(struct emit *e)
{
    const struct flow *flow = e->flow;
    const struct segment *here = &flow->segments[e->segment];
    for (uint32_t slot = 0; slot < flow->nslots; slot++) {
        bool unfolds = false;
        for (uint32_t i = 0; i < here->nto; i++)
            unfolds = unfolds || (flow_forms(flow, here->to[i])[slot] == FORM_NONE && is_live(flow, here->to[i], slot));
        if (unfolds)
            emit_unfold(e, flow->slots[slot], flow->slot_bits[slot]);
    }
}

/* ---- entries -------------------------------------------------------------------------------------------------------
 */

static bool is_kept(const struct flow *flow, uint32_t segment, uint32_t slot)
{
    return bitset_has(flow->kept + (size_t)segment * flow->slot_words, slot);
}

bool once_needed(struct emit *e, uint32_t slot)
{
    return is_live(e->flow, e->segment, slot) || is_kept(e->flow, e->segment, slot);
}

/* Those that run, and those that wait where it is live; of what the whole warp sees, all of threads of which some run.
 */
LLVMValueRef once_in_need(struct emit *e, uint32_t slot)
{
    const struct flow *flow = e->flow;
    LLVMValueRef lanes = is_live(flow, e->segment, slot) ? e->exec : emit_const(e, 32, 0);
    if (bitset_has(flow->whole, slot))
        lanes = LL(BuildOr, lanes, emit_whole(e));
    if (!is_kept(flow, e->segment, slot))
        return lanes;
    if (flow->func->lane->stacked || flow->many)
        return emit_field(e, e->warp, offsetof(struct warp, live), e->i32);
    for (uint32_t to = 0; to < flow->nsegments; to++)
        if (bitset_has(flow_waits(flow, e->segment), to) && is_live(flow, to, slot))
            lanes = LL(BuildOr, lanes, emit_field(e, e->call, JIT_MASK(to), e->i32));
    return lanes;
}

LLVMValueRef once_conforms(struct emit *e)
{
    LLVMValueRef all = NULL;
    for (uint32_t slot = 0; slot < e->flow->nslots; slot++)
        if (once_needed(e, slot) && e->forms[slot] < FORM_UNSEEN)
            all = rows_both(e, all,
                            emit_conforms(e, e->flow->slots[slot], e->flow->slot_bits[slot], once_in_need(e, slot)));
    return all;
}

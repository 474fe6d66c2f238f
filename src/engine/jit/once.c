/* Slots with a form: what is computed once for all lanes. */
#include "engine/jit/once.h"
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
    return flow_in(flow->live + (size_t)segment * flow->slot_words, slot);
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
    return flow_in(flow->kept + (size_t)segment * flow->slot_words, slot);
}

bool once_needed(struct emit *e, uint32_t slot)
{
    return is_live(e->flow, e->segment, slot) || is_kept(e->flow, e->segment, slot);
}

/* Those that run, and those that wait where it is live. */
LLVMValueRef once_in_need(struct emit *e, uint32_t slot)
{
    const struct flow *flow = e->flow;
    LLVMValueRef lanes = is_live(flow, e->segment, slot) ? e->exec : emit_const(e, 32, 0);
    uint64_t n = 0;
    if (!is_kept(flow, e->segment, slot))
        return lanes;
    if (flow->func->lane->stacked)
        return emit_field(e, e->warp, offsetof(struct warp, live), e->i32);
    for (uint32_t to = 0; to < flow->nsegments; to++) {
        if (!flow_in(flow_waits(flow, e->segment), to))
            continue;
        if (is_live(flow, to, slot))
            lanes = LL(BuildOr, lanes, emit_field(e, e->call, offsetof(struct jit_call, masks) + 4 * n, e->i32));
        n++;
    }
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

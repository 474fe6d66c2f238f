/* Loops that most rounds end with the lanes they began with. */
#include "engine/jit/calm.h"

#include <string.h>

/* Of the last 32 rounds, in fewer of which lanes have left: guesses are made. */
enum { CALM_CHANGES = 4 };
/* Longer loops do more in a round than they wait for. */
enum { CALM_LARGE = 400 };

void calm_open(struct blocks *b)
{
    b->changes = b->e->llvm->BuildAlloca(b->e->entry_builder, b->e->i32, "");
    b->e->llvm->BuildStore(b->e->entry_builder, blocks_zero(b), b->changes);
}

/* Adds a slot, if it is a variable's. Is it new? */
static bool add(const struct flow *flow, uint64_t *set, uint32_t offset)
{
    if (!flow_varies(flow, offset) || bitset_has(set, flow->slot_of[offset / 4]))
        return false;
    bitset_add(set, flow->slot_of[offset / 4]);
    return true;
}

/* Adds what an instruction's results come from, if one of them is in a set. Has it grown? */
static bool add_sources(const struct flow *flow, const struct decoded *at, uint64_t *set)
{
    bool some = false, grown = false;
    for (unsigned k = 0; k < at->ndst; k++)
        some = some || (at->bits[k] && bitset_has(set, flow->slot_of[at->offsets[k] / 4]));
    for (unsigned k = at->ndst; some && k < (unsigned)at->ndst + at->nsrc; k++)
        grown |= at->bits[k] && add(flow, set, at->offsets[k]);
    return (some && at->guard != KERNEL_NONE && add(flow, set, at->guard)) || grown;
}

/* What the branch at the end of a segment that goes back to itself comes from. */
static void find_sources(const struct blocks *b, uint32_t segment, uint64_t *set)
{
    const struct segment *here = &b->flow->segments[segment];
    uint32_t last = here->first + here->count - 1;
    memset(set, 0, b->flow->slot_words * sizeof *set);
    bool grown = add(b->flow, set, b->flow->func->decoded[last].guard);
    while (grown) {
        grown = false;
        for (uint32_t i = last; i-- > here->first;)
            grown |= add_sources(b->flow, &b->flow->func->decoded[i], set);
    }
}

/* Is a result lane by lane, kept of lanes that wait, and seen by the next round? */
static bool carries(const struct blocks *b, uint32_t segment, const struct decoded *at, unsigned k)
{
    const struct flow *flow = b->flow;
    uint32_t slot = at->bits[k] ? flow->slot_of[at->offsets[k] / 4] : 0;
    return at->bits[k] && bitset_has(b->live, slot) &&
           bitset_has(flow->live + (size_t)segment * flow->slot_words, slot) &&
           flow_waits_for(flow, segment, at->offsets[k]) && flow_forms(flow, segment)[slot] == FORM_NONE;
}

bool calm_is(const struct blocks *b, uint32_t segment)
{
    const struct flow *flow = b->flow;
    const struct segment *here = &flow->segments[segment];
    const struct decoded *last = &flow->func->decoded[here->first + here->count - 1];
    if (last->op != LANE_OP_bra || last->guard == KERNEL_NONE || !here->parts || here->spins ||
        here->count > CALM_LARGE || blocks_segment_of(b, last->target) != segment)
        return false;
    FOR_WAITING(b, segment, other)
    if (other <= segment) /* which would go first */
        return false;
    find_sources(b, segment, b->live);
    for (const struct decoded *at = &flow->func->decoded[here->first]; at < last; at++)
        for (unsigned k = 0; k < at->ndst; k++)
            if (carries(b, segment, at, k))
                return true;
    return false;
}

/* Another round, in which lanes have left or not (i1; NULL: they have not). */
static void note(struct blocks *b, LLVMValueRef changed)
{
    struct emit *e = b->e;
    LLVMValueRef rounds = LL(BuildShl, blocks_get(b, b->changes, e->i32), emit_const(e, 32, 1));
    blocks_set(b, b->changes, changed ? LL(BuildOr, rounds, LL(BuildZExt, changed, e->i32)) : rounds);
}

void calm_end(struct blocks *b, LLVMValueRef same, LLVMBasicBlockRef again)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef guess = emit_block(e, ""), right = emit_block(e, ""), part = emit_block(e, "part");
    LLVMValueRef args[] = {blocks_get(b, b->changes, e->i32)};
    LLVMValueRef few =
        LL(BuildICmp, LLVMIntULT, emit_intrinsic(e, "llvm.ctpop", e->i32, args, 1), emit_const(e, 32, CALM_CHANGES));
    emit_branch(e, few, guess, part, true); /* first: the host need not guess then */
    emit_begin(e, guess);
    emit_branch(e, same, right, part, true);
    emit_begin(e, right);
    note(b, NULL);
    emit_jump(e, again);
    emit_begin(e, part);
    note(b, LL(BuildNot, same));
}

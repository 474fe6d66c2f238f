/* Compare-and-swap loops of the block's memory, carried out at once. */
#include "engine/jit/casloop.h"

#include "engine/jit/flow.h"
#include "engine/jit/rows.h"
#include "engine/jit/update.h"

/* ---- finding ----------------------------------------------------------------------------------------------------- */

/* An operation whose results are those of its sources alone, in all lanes that run. */
static bool is_plain(const struct decoded *at)
{
    return at->op < LANE_OPS && lane_is(at->op, LANE_PURE) && !lane_is(at->op, LANE_CLOCK) &&
           !lane_is(at->op, LANE_TRAPS) && at->guard == KERNEL_NONE && !(at->inst->flags & LANE_WHOLE) && !at->whole;
}

static bool writes(const struct decoded *at, uint32_t offset)
{
    for (unsigned k = 0; k < at->ndst; k++)
        if (at->bits[k] && at->offsets[k] == offset)
            return true;
    return false;
}

/* The only instruction of a segment that writes a slot; NULL: there is none, or more. */
static const struct decoded *writer(const struct emit *e, const struct segment *segment, uint32_t offset)
{
    const struct decoded *found = NULL;
    for (uint32_t i = 0; i < segment->count; i++) {
        const struct decoded *at = &e->func->decoded[segment->first + i];
        if (!writes(at, offset))
            continue;
        if (found)
            return NULL;
        found = at;
    }
    return found;
}

static bool is_kept(const struct emit *e, const struct segment *segment, uint32_t offset)
{
    for (uint32_t i = 0; i < segment->count; i++)
        if (writes(&e->func->decoded[segment->first + i], offset))
            return false;
    return true;
}

/* All of it is plain but for one compare-and-swap, which is returned, and the branch back at its end. Nothing is left
 * to the interpreter, which would carry the compare-and-swap out again. */
static const struct decoded *only_cas(const struct emit *e, const struct segment *segment)
{
    const struct decoded *cas = NULL;
    for (uint32_t i = 0; i + 1 < segment->count; i++) {
        const struct decoded *at = &e->func->decoded[segment->first + i];
        if (uniform_may_widen(at))
            return NULL;
        if (is_plain(at))
            continue;
        if (cas || !update_is(at) || at->access->atomic != LANE_ATOMIC_CAS || at->op != LANE_OP_atom ||
            at->guard != KERNEL_NONE || !at->bits[0] || at->whole)
            return NULL;
        cas = at;
    }
    return cas;
}

/* Is the slot that the compare-and-swap stores of `seen` plus a constant? */
static bool adds(struct emit *e, struct casloop *loop, const struct decoded *at)
{
    uint64_t x;
    unsigned type = at ? at->inst->type : 0;
    if (!at || at > loop->cas || (at->op != LANE_OP_add && at->op != LANE_OP_sub) || (at->inst->flags & LANE_SAT) ||
        lane_type_float(type) || lane_type_bits(type) != loop->cas->bytes * 8 || type > LANE_S64)
        return false;
    bool second = at->offsets[1] == loop->seen && emit_constant(e, at, 2, &x);
    bool first = !second && at->op == LANE_OP_add && at->offsets[2] == loop->seen && emit_constant(e, at, 1, &x);
    if (!second && !first)
        return false;
    loop->by = at->op == LANE_OP_sub ? 0 - x : x;
    return true;
}

/* Is the guard of the branch back that old and seen differ? */
static bool tells_apart(const struct casloop *loop, const struct decoded *bra, const struct decoded *at)
{
    uint32_t old = loop->cas->offsets[0];
    if (!at || at->op != LANE_OP_setp || at < loop->cas || lane_type_float(at->inst->type) ||
        lane_type_bits(at->inst->type) != loop->cas->bytes * 8)
        return false;
    bool same = at->inst->cmp == LANE_EQ, differ = at->inst->cmp == LANE_NE;
    bool of_both = (at->offsets[1] == old && at->offsets[2] == loop->seen) ||
                   (at->offsets[1] == loop->seen && at->offsets[2] == old);
    return of_both && (bra->guard_flip ? same : differ);
}

/* Does the slot get what the compare-and-swap gave when `test` has been made? */
static bool takes_over(const struct casloop *loop, const struct decoded *test, const struct decoded *at)
{
    return at && at > test && at->op == LANE_OP_mov && at->bits[0] == loop->cas->bytes * 8 &&
           at->offsets[1] == loop->cas->offsets[0];
}

/* Is all that lanes bring from one round into the next in `seen`? */
static bool brings_one(struct emit *e, uint32_t number, const struct casloop *loop)
{
    const struct segment *segment = &e->flow->segments[number];
    flow_live_at(e->flow, number, segment->first, e->live);
    for (uint32_t i = 0; i < segment->count; i++) {
        const struct decoded *at = &e->func->decoded[segment->first + i];
        for (unsigned k = 0; k < at->ndst; k++)
            if (at->bits[k] && at->offsets[k] != loop->seen &&
                bitset_has(e->live, e->flow->slot_of[at->offsets[k] / 4]))
                return false;
    }
    return true;
}

/* Ranks are told from differences: 31 times it must not be 0, whatever is lost at the top. */
static bool is_step(const struct casloop *loop)
{
    unsigned bits = loop->cas->bytes * 8;
    uint64_t by = bits == 32 ? (uint32_t)loop->by : loop->by;
    return by && (unsigned)__builtin_ctzll(by) + 5 <= bits;
}

bool casloop_find(struct emit *e, uint32_t number, struct casloop *loop)
{
    const struct func *func = e->func;
    const struct segment *segment = &e->flow->segments[number];
    const struct decoded *bra = &func->decoded[segment->first + segment->count - 1];
    if (func->lane->stacked || func->thread_lanes != LANES || segment->leaves || !segment->parts ||
        bra->op != LANE_OP_bra || bra->guard == KERNEL_NONE || e->flow->segment_at[bra->target] != number ||
        e->flow->segment_at[bra->next] <= number)
        return false;
    *loop = (struct casloop){.cas = only_cas(e, segment)};
    const struct decoded *cas = loop->cas;
    if (!cas)
        return false;
    loop->seen = cas->offsets[2];
    if (!flow_varies(e->flow, loop->seen) ||
        flow_forms(e->flow, number)[e->flow->slot_of[loop->seen / 4]] != FORM_NONE || loop->seen == cas->offsets[0] ||
        cas->offsets[1] == cas->offsets[0] || !is_kept(e, segment, cas->offsets[1]) ||
        writer(e, segment, cas->offsets[0]) != cas)
        return false;
    const struct decoded *test = writer(e, segment, bra->guard);
    return adds(e, loop, writer(e, segment, cas->offsets[3])) && is_step(loop) && tells_apart(loop, bra, test) &&
           takes_over(loop, test, writer(e, segment, loop->seen)) && brings_one(e, number, loop);
}

/* Does an access have the address of the compare-and-swap? */
static bool same_place(const struct decoded *cas, const struct decoded *at)
{
    return at->access->space == LANE_SHARED && at->access->vec == 1 && at->bytes == cas->bytes &&
           at->access->offset == cas->access->offset && at->offsets[at->ndst] == cas->offsets[cas->ndst] &&
           at->bits[at->ndst] == cas->bits[cas->ndst];
}

bool casloop_loads(struct emit *e, uint32_t number)
{
    const struct segment *segment = &e->flow->segments[number];
    struct casloop loop;
    if (segment->leaves || e->func->decoded[segment->first + segment->count - 1].op != DECODED_FALL ||
        number + 1 == e->flow->nsegments || !casloop_find(e, number + 1, &loop))
        return false;
    for (uint32_t i = segment->count - 1; i-- > 0;) {
        const struct decoded *at = &e->func->decoded[segment->first + i];
        if (writes(at, loop.seen))
            return at->op == LANE_OP_ld && at->guard == KERNEL_NONE && at->bits[0] == loop.cas->bytes * 8 &&
                   same_place(loop.cas, at) && !writes(at, loop.cas->offsets[1]);
        if (!is_plain(at) || writes(at, loop.cas->offsets[1]))
            return false;
    }
    return false;
}

/* ---- carrying out ------------------------------------------------------------------------------------------------ */

struct lanes {
    const struct casloop *loop;
    unsigned bits;
    LLVMValueRef memory, address, seen; /* of the host; where the vectors are */
    LLVMValueRef differ;                /* variable */
};

static LLVMValueRef place_of(struct emit *e, const struct lanes *l, LLVMValueRef lane)
{
    return emit_at(e, l->memory, LL(BuildZExt, rows_element(e, l->address, lane, 32), e->i64));
}

static LLVMValueRef compare_lane(struct emit *e, const void *with, LLVMValueRef lane)
{
    const struct lanes *l = with;
    LLVMTypeRef type = emit_int(e, l->bits);
    LLVMValueRef differ =
        LL(BuildXor, emit_field(e, place_of(e, l, lane), 0, type), rows_element(e, l->seen, lane, l->bits));
    e->llvm->BuildStore(e->builder, LL(BuildOr, LL(BuildLoad2, type, l->differ), differ), l->differ);
    return differ;
}

static LLVMValueRef add_lane(struct emit *e, const void *with, LLVMValueRef lane)
{
    const struct lanes *l = with;
    LLVMValueRef to = place_of(e, l, lane), before = emit_field(e, to, 0, emit_int(e, l->bits));
    emit_set_field(e, to, 0, LL(BuildAdd, before, emit_const(e, l->bits, l->loop->by)));
    return before;
}

/* Neighbours often share a word. Of four that do, what each finds follows from what the first does. */
enum { TEAM = 4 };

/* i1: do all lanes run, each four of them with one address? */
static LLVMValueRef in_teams(struct emit *e, LLVMValueRef address)
{
    LLVMValueRef from[LANES];
    for (unsigned l = 0; l < LANES; l++)
        from[l] = emit_const(e, 32, l - l % TEAM);
    LLVMValueRef of_first = LL(BuildShuffleVector, address, address, e->llvm->ConstVector(from, LANES));
    return LL(BuildAnd, rows_full(e, e->exec), rows_equal(e, address, of_first));
}

static void add_teams(struct emit *e, const struct lanes *l, LLVMValueRef results)
{
    LLVMValueRef by[TEAM];
    for (unsigned i = 0; i < TEAM; i++)
        by[i] = emit_const(e, l->bits, l->loop->by * i);
    for (unsigned first = 0; first < LANES; first += TEAM) {
        LLVMValueRef lane = emit_const(e, 64, first), to = place_of(e, l, lane);
        LLVMValueRef before = emit_field(e, to, 0, emit_int(e, l->bits));
        emit_set_field(e, to, 0, LL(BuildAdd, before, emit_const(e, l->bits, l->loop->by * TEAM)));
        LLVMValueRef found = LL(BuildAdd, rows_repeated(e, before, TEAM), e->llvm->ConstVector(by, TEAM));
        rows_store(e, rows_element_at(e, results, lane, l->bits), found);
    }
}

/* Carries the additions out; what lanes find goes to a place. */
static void add_all(struct emit *e, const struct lanes *l, LLVMValueRef address, LLVMValueRef results)
{
    LLVMBasicBlockRef teams = emit_block(e, "teams"), each = emit_block(e, ""), done = emit_block(e, "");
    emit_branch(e, in_teams(e, address), teams, each, false);
    emit_begin(e, teams);
    add_teams(e, l, results);
    emit_jump(e, done);
    emit_begin(e, each);
    rows_lanes(e, e->exec, add_lane, l, results);
    emit_jump(e, done);
    emit_begin(e, done);
}

/* x with x * odd = 1: each step doubles the bits that are right. */
static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd;
    for (unsigned i = 0; i < 5; i++)
        x *= 2 - odd * x;
    return x;
}

/* How many lanes with its address a lane has before it: by how much what it found differs from what it had seen. */
static LLVMValueRef ranks(struct emit *e, const struct lanes *l, LLVMValueRef seen, LLVMValueRef old)
{
    unsigned bits = l->bits, shift = (unsigned)__builtin_ctzll(l->loop->by);
    LLVMValueRef rank = LL(BuildSub, old, seen);
    rank = shift ? LL(BuildLShr, rank, emit_consts(e, bits, shift)) : rank;
    rank = LL(BuildMul, rank, emit_consts(e, bits, inverse(l->loop->by >> shift)));
    rank = LL(BuildAnd, rank, emit_consts(e, bits, LANES - 1));
    rank = bits == 32 ? rank : LL(BuildTrunc, rank, emit_vector(e, e->i32));
    return LL(BuildSelect, emit_mask(e, e->exec), rank, emit_consts(e, 32, 0));
}

static LLVMValueRef reduced(struct emit *e, const char *name, LLVMValueRef vector)
{
    return LL(BuildZExt, emit_intrinsic(e, name, e->llvm->TypeOf(vector), &vector, 1), e->i64);
}

/* Goes on where it is so. */
static void require(struct emit *e, LLVMValueRef condition, LLVMBasicBlockRef other)
{
    LLVMBasicBlockRef on = emit_block(e, "");
    emit_branch(e, condition, on, other, true);
    emit_begin(e, on);
}

/* Goes on where memory has what the lanes have seen. */
static void require_seen(struct emit *e, const struct lanes *l, LLVMValueRef loaded, LLVMBasicBlockRef other)
{
    LLVMBasicBlockRef look = emit_block(e, ""), on = emit_block(e, "");
    LLVMTypeRef type = emit_int(e, l->bits);
    emit_branch(e, loaded, on, look, true);
    emit_begin(e, look);
    e->llvm->BuildStore(e->builder, emit_const(e, l->bits, 0), l->differ);
    rows_lanes(e, e->exec, compare_lane, l, NULL);
    LLVMValueRef same = LL(BuildICmp, LLVMIntEQ, LL(BuildLoad2, type, l->differ), emit_const(e, l->bits, 0));
    emit_branch(e, same, on, other, true);
    emit_begin(e, on);
}

static void add_to(struct emit *e, LLVMValueRef variable, LLVMValueRef by)
{
    LLVMValueRef before = LL(BuildLoad2, e->llvm->TypeOf(by), variable);
    e->llvm->BuildStore(e->builder, LL(BuildAdd, before, by), variable);
}

/* Of all rounds but the last some lanes go back, and some wait. */
static void count(struct emit *e, const struct casloop_counters *c, LLVMValueRef back, LLVMValueRef again)
{
    const struct segment *here = &e->flow->segments[e->segment];
    LLVMValueRef each = emit_const(e, 64, e->func->decoded[here->first + here->count - 1].count), lanes = e->exec;
    LLVMValueRef all = LL(BuildZExt, emit_intrinsic(e, "llvm.ctpop", e->i32, &lanes, 1), e->i64);
    LLVMValueRef turns = LL(BuildNeg, LL(BuildTrunc, back, e->i32));
    add_to(e, c->turns, turns);
    if (here->spins)
        add_to(e, c->fair, turns);
    add_to(e, c->instructions, LL(BuildMul, back, each));
    add_to(e, c->lane_instructions, LL(BuildMul, again, each));
    add_to(e, c->divergent, back);
    rows_count(e, offsetof(struct warp, accesses) + LANE_SHARED * sizeof(uint64_t),
               LL(BuildAdd, back, emit_const(e, 64, 1)));
    rows_count(e, offsetof(struct warp, atomics), LL(BuildAdd, again, all));
}

/* What lanes had seen in their last round, as if the compare-and-swap gave it to `seen`, too. */
static void set_seen(struct emit *e, const struct casloop *loop)
{
    struct decoded gives = *loop->cas;
    uint32_t offsets[4] = {loop->seen, gives.offsets[1], gives.offsets[2], gives.offsets[3]};
    gives.offsets = offsets;
    emit_result(e, &gives, 0, loop->old);
}

void casloop_run(struct emit *e, struct casloop *loop, const struct casloop_counters *counters, LLVMValueRef loaded,
                 LLVMBasicBlockRef other)
{
    const struct decoded *cas = loop->cas;
    struct lanes l = {.loop = loop, .bits = cas->bytes * 8};
    LLVMValueRef most = emit_const(e, 32, LANES - 1), is_loaded = LL(BuildLoad2, e->i1, loaded);
    e->llvm->BuildStore(e->builder, emit_const(e, 1, 0), loaded);
    require(e, LL(BuildICmp, LLVMIntSGE, LL(BuildLoad2, e->i32, counters->turns), most), other);
    require(e, LL(BuildICmp, LLVMIntSGE, LL(BuildLoad2, e->i32, counters->fair), most), other);
    LLVMValueRef address = update_addresses(e, cas), inside = update_inside(e, cas, address, e->exec);
    LLVMValueRef seen = emit_source(e, cas, 2);
    if (inside)
        require(e, inside, other);
    l.memory = update_memory(e);
    l.address = rows_keep(e, 0, address);
    l.seen = rows_keep(e, 1, seen);
    l.differ = e->llvm->BuildAlloca(e->entry_builder, emit_int(e, l.bits), "");
    require_seen(e, &l, is_loaded, other);
    add_all(e, &l, address, rows_place(e, 2));
    loop->old = rows_kept(e, 2, l.bits);
    LLVMValueRef rank = ranks(e, &l, seen, loop->old);
    count(e, counters, reduced(e, "llvm.vector.reduce.umax", rank), reduced(e, "llvm.vector.reduce.add", rank));
    set_seen(e, loop);
}

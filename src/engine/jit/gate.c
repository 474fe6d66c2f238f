/* Gates before runs of instructions. */
#include "engine/jit/gate.h"

#include "engine/jit/rows.h"

#include <assert.h>
#include <string.h>

enum {
    GATE_PURE = 4,    /* the interpreter takes long for more pure operations than so many for each access */
    GATE_SHORT = 24,  /* for comparisons alone no more than so many instructions are emitted twice */
    GATE_MOST = 1000, /* kernels of more instructions have none: what is emitted twice makes compiling last longer */
};

bool gate_make(struct blocks *b)
{
    struct arena *arena = &b->code->arena;
    const struct flow *flow = b->flow;
    struct gate *g = arena_array(arena, 1, sizeof *g);
    if (!g)
        return false;
    g->asks = arena_array(arena, flow->func->ndecoded + 1, sizeof *g->asks);
    g->late = arena_array(arena, flow->slot_words + 1, sizeof *g->late);
    g->written = arena_array(arena, flow->slot_words + 1, sizeof *g->written);
    g->before = arena_array(arena, flow->nslots + 1, sizeof *g->before);
    g->forms = arena_array(arena, flow->nslots + 1, 1);
    g->forms_behind = arena_array(arena, flow->nslots + 1, 1);
    g->sure = arena_array(arena, flow->nslots + 1, 1);
    b->gate = g;
    return g->asks && g->late && g->written && g->before && g->forms && g->forms_behind && g->sure;
}

/* ---- runs -----------------------------------------------------------------------------------------------------------
 */

static bool is_access(const struct decoded *at)
{
    return at->op == LANE_OP_ld || at->op == LANE_OP_st || at->op == LANE_OP_suld || at->op == LANE_OP_sust;
}

/* Does the interpreter's step go on with the next instruction? Not where what is held back changes: a gate asks for
 * that. */
static bool goes_on(const struct decoded *at)
{
    return at->op < LANE_OPS && at->op != LANE_OP_sured && at->op != LANE_OP_push && at->op != LANE_OP_pop &&
           !lane_is(at->op, LANE_WAITS | LANE_YIELDS | LANE_CLOCK) &&
           lane_is(at->op, LANE_PURE | LANE_WARP | LANE_SHARES);
}

uint32_t gate_run(const struct blocks *b, uint32_t segment, uint32_t index)
{
    const struct segment *here = &b->flow->segments[segment];
    uint32_t n = 0;
    bool accesses = false, compares = false;
    if (b->flow->func->ndecoded > GATE_MOST)
        return 0;
    for (; index + n + 1 < here->count && n < JIT_STEPS; n++) {
        const struct decoded *at = &b->flow->func->decoded[here->first + index + n];
        if (!goes_on(at))
            break;
        accesses |= is_access(at);
        compares |= at->op == LANE_OP_setp;
    }
    return accesses || (compares && n <= GATE_SHORT) ? n : 0;
}

/* What lane 0 has in slots that the run writes: the other way begins with that. */
static void keep_first(struct blocks *b, const struct decoded *at)
{
    struct gate *g = b->gate;
    for (unsigned k = 0; k < at->ndst; k++) {
        uint32_t slot = at->bits[k] ? b->flow->slot_of[at->offsets[k] / 4] : 0;
        if (at->bits[k] && !g->before[slot] && b->forms[slot] < FORM_UNSEEN)
            g->before[slot] = emit_first(b->e, at->offsets[k], at->bits[k]);
    }
}

void gate_open(struct blocks *b, uint32_t segment, uint32_t index, uint32_t n, bool again)
{
    struct emit *e = b->e;
    struct gate *g = b->gate;
    const struct flow *flow = b->flow;
    g->index = flow->segments[segment].first + index;
    g->n = n;
    g->holds = g->fits = NULL;
    g->nsurfaces = 0;
    g->compares = true;
    g->again = again;
    memset(g->late, 0, flow->slot_words * sizeof *g->late);
    memset(g->before, 0, flow->nslots * sizeof(LLVMValueRef));
    memset(g->asks + g->index, 0, n * sizeof *g->asks);
    memcpy(g->forms, b->forms, flow->nslots);
    memcpy(g->sure, b->forms, flow->nslots);
    g->lends = false;
    g->lending = NULL;
    for (uint32_t i = 0; i < n; i++) {
        keep_first(b, &flow->func->decoded[g->index + i]);
        g->compares = g->compares && !is_access(&flow->func->decoded[g->index + i]);
    }
    g->plain = emit_block(e, "plain");
    g->builder = e->llvm->CreateBuilderInContext(e->context);
    e->llvm->PositionBuilderAtEnd(g->builder, e->llvm->GetInsertBlock(e->builder));
    emit_begin(e, g->plain);
    e->gate = g;
}

/* ---- the interpreter carries a run out ------------------------------------------------------------------------------
 */

/* Adds what a run reads, and of what it writes what can still be seen. */
static void find_operands(const struct blocks *b, const struct decoded *at, uint64_t *read, uint64_t *written)
{
    const struct flow *flow = b->flow;
    for (unsigned k = at->ndst; k < (unsigned)at->ndst + at->nsrc; k++)
        if (at->bits[k] && flow_varies(flow, at->offsets[k])) {
            uint32_t slot = flow->slot_of[at->offsets[k] / 4];
            if (!bitset_has(written, slot))
                bitset_add(read, slot);
        }
    if (at->guard != KERNEL_NONE && flow_varies(flow, at->guard))
        bitset_add(read, flow->slot_of[at->guard / 4]);
    for (unsigned k = 0; k < at->ndst; k++)
        if (at->bits[k]) {
            uint32_t slot = flow->slot_of[at->offsets[k] / 4];
            if (emit_blends(b->e, at, at->offsets[k]) && !bitset_has(written, slot))
                bitset_add(read, slot);
            bitset_add(written, slot);
        }
}

static void step_all(struct blocks *b, uint32_t segment)
{
    struct emit *e = b->e;
    struct gate *g = b->gate;
    const struct flow *flow = b->flow;
    const struct decoded *first = &flow->func->decoded[g->index];
    const uint64_t *kept = flow->kept + (size_t)segment * flow->slot_words;
    uint64_t *read = g->late, *written = g->written;
    memset(read, 0, flow->slot_words * sizeof *read);
    memset(written, 0, flow->slot_words * sizeof *written);
    for (uint32_t i = 0; i < g->n; i++)
        find_operands(b, first + i, read, written);
    for (uint32_t slot = 0; slot < flow->nslots; slot++)
        if (bitset_has(read, slot))
            emit_spill(e, flow->slots[slot], flow->slot_bits[slot]);
    emit_steps(e, first, g->n);
    memcpy(b->forms, g->forms_behind, flow->nslots);
    flow_live_at(flow, segment, g->index + g->n, b->live);
    for (uint32_t slot = 0; slot < flow->nslots; slot++)
        if (bitset_has(written, slot) && (bitset_has(b->live, slot) || bitset_has(kept, slot)))
            emit_fill(e, flow->slots[slot], flow->slot_bits[slot], e->exec);
}

/* Is there little that compiled code would do faster? */
static bool is_light(const struct blocks *b)
{
    const struct gate *g = b->gate;
    uint32_t pure = 0, asked = 0;
    if (g->lends)
        return false;
    for (uint32_t i = g->index; i < g->index + g->n; i++) {
        if (!g->asks[i] && !lane_is(b->flow->func->decoded[i].op, LANE_PURE))
            return false;
        *(g->asks[i] ? &asked : &pure) += 1;
    }
    return pure <= GATE_PURE * asked;
}

/* ---- ways
 * ------------------------------------------------------------------------------------------------------------
 */

/* The other way begins: with what lane 0 had. */
static void begin_other(struct blocks *b, uint32_t segment, LLVMBasicBlockRef other)
{
    struct emit *e = b->e;
    const struct gate *g = b->gate;
    const struct flow *flow = b->flow;
    emit_begin(e, other);
    memcpy(b->forms, g->forms, flow->nslots);
    for (uint32_t slot = 0; slot < flow->nslots; slot++)
        if (g->before[slot])
            emit_set_first(e, flow->slots[slot], flow->slot_bits[slot], g->before[slot]);
    if (!g->fits)
        return;
    LLVMBasicBlockRef on = emit_block(e, ""), out = emit_block(e, "");
    emit_branch(e, g->fits, on, out, true);
    emit_begin(e, out);
    blocks_leave(b, JIT_STEP, segment, g->index);
    emit_begin(e, on);
}

/* The gate itself. *other: where it leads to besides; NULL: nothing was asked. */
static LLVMBasicBlockRef emit_gate(struct emit *e)
{
    struct gate *g = e->gate;
    LLVMBuilderRef outer = e->builder;
    LLVMBasicBlockRef other = NULL;
    e->builder = g->builder;
    LLVMValueRef all = rows_both(e, g->holds, g->fits);
    if (all) {
        other = emit_block(e, "other");
        emit_branch(e, all, g->plain, other, true);
    } else {
        emit_jump(e, g->plain);
    }
    e->llvm->DisposeBuilder(g->builder);
    g->builder = NULL;
    e->builder = outer;
    return other;
}

enum gate_ways gate_close(struct blocks *b, uint32_t segment, bool ended, LLVMBasicBlockRef *on)
{
    struct emit *e = b->e;
    struct gate *g = b->gate;
    LLVMBasicBlockRef other = emit_gate(e);
    e->gate = NULL;
    if (!other)
        return GATE_DONE;
    *on = emit_block(e, "");
    if (!ended)
        emit_jump(e, *on);
    memcpy(g->forms_behind, b->forms, b->flow->nslots);
    begin_other(b, segment, other);
    if (!is_light(b)) {
        e->gate = g;
        return GATE_AGAIN;
    }
    step_all(b, segment);
    gate_rejoin(b, *on);
    return GATE_DONE;
}

void gate_rejoin(struct blocks *b, LLVMBasicBlockRef on)
{
    struct gate *g = b->gate;
    b->e->gate = NULL;
    for (unsigned i = 0; i < g->nsurfaces; i++)
        rows_note_surface(b->e, g->surfaces[i], g->accesses[i]);
    memcpy(b->forms, g->forms_behind, b->flow->nslots);
    emit_jump(b->e, on);
    emit_begin(b->e, on);
}

/* ---- instructions ------------------------------------------------------------------------------------------------
 */

static bool is_late(const struct emit *e, uint32_t offset)
{
    return flow_varies(e->flow, offset) && bitset_has(e->gate->late, e->flow->slot_of[offset / 4]);
}

bool gate_enter(struct emit *e, const struct decoded *at, unsigned from, unsigned n, LLVMBuilderRef *outer)
{
    if (!e->gate || !e->gate->builder)
        return false;
    if (at->guard != KERNEL_NONE && is_late(e, at->guard))
        return false;
    for (unsigned k = from; k < from + n; k++)
        if (emit_has(at, k) && is_late(e, at->offsets[k]))
            return false;
    *outer = e->builder;
    e->builder = e->gate->builder;
    return true;
}

void gate_leave(struct emit *e, LLVMBuilderRef outer)
{
    assert(e->builder == e->gate->builder);
    e->builder = outer;
}

void gate_want(struct emit *e, LLVMValueRef condition)
{
    e->gate->holds = rows_both(e, e->gate->holds, condition);
}

bool gate_compares(const struct emit *e)
{
    return e->gate && e->gate->builder && e->gate->compares;
}

bool gate_tries_again(const struct emit *e)
{
    return e->gate->again;
}

bool gate_before_accesses(const struct emit *e)
{
    return e->gate && e->gate->builder && !e->gate->compares;
}

bool gate_decides(const struct emit *e)
{
    return gate_compares(e) && e->gate->holds;
}

bool gate_ask(struct emit *e, const struct decoded *at, LLVMValueRef condition, const struct emit_surface *surface)
{
    struct gate *g = e->gate;
    unsigned i = 0;
    gate_want(e, condition);
    g->asks[at - e->func->decoded] = !gate_lent(e, at, at->ndst, at->nsrc);
    while (i < g->nsurfaces && g->surfaces[i] != surface)
        i++;
    if (surface && i == g->nsurfaces) {
        g->surfaces[i] = surface;
        g->accesses[g->nsurfaces++] = at;
        return true;
    }
    return false;
}

/* Has what an instruction gives its form behind the gate alone? */
static bool lends(const struct emit *e, const struct decoded *at)
{
    bool sure = true;
    for (unsigned k = 0; k < at->ndst; k++)
        sure = sure && (!at->bits[k] || uniform_result(e->flow, e->segment, at, k, e->gate->sure) != FORM_NONE);
    return !sure;
}

void gate_fit(struct emit *e, const struct decoded *at, LLVMValueRef condition)
{
    if (lends(e, at))
        gate_want(e, condition);
    else
        e->gate->fits = rows_both(e, e->gate->fits, condition);
}

void gate_lend(struct emit *e, const struct decoded *at, uint8_t form, LLVMValueRef first)
{
    struct gate *g = e->gate;
    emit_set_first(e, at->offsets[0], at->bits[0], first);
    g->lends = true;
    g->lending = at;
    g->lent = form;
}

bool gate_lent(const struct emit *e, const struct decoded *at, unsigned from, unsigned n)
{
    for (unsigned k = from; k < from + n; k++)
        if (at->bits[k] && flow_varies(e->flow, at->offsets[k])) {
            uint32_t slot = e->flow->slot_of[at->offsets[k] / 4];
            if (e->forms[slot] != e->gate->sure[slot])
                return true;
        }
    return false;
}

void gate_pass(struct blocks *b, uint32_t segment, const struct decoded *at)
{
    struct gate *g = b->e->gate;
    if (!g || !g->builder)
        return;
    uniform_pass(b->flow, segment, at, g->sure);
    if (g->lending == at)
        b->forms[b->flow->slot_of[at->offsets[0] / 4]] = g->lent;
}

void gate_settle(struct blocks *b)
{
    struct gate *g = b->e->gate;
    for (uint32_t slot = 0; g->lends && slot < b->flow->nslots; slot++)
        if (b->forms[slot] != g->sure[slot]) {
            emit_unfold(b->e, b->flow->slots[slot], b->flow->slot_bits[slot]);
            b->forms[slot] = g->sure[slot];
        }
}

bool gate_asked(const struct emit *e, const struct decoded *at)
{
    return e->gate && !e->gate->builder && e->gate->asks[at - e->func->decoded];
}

LLVMBuilderRef gate_loads(const struct emit *e, uint32_t offset)
{
    return e->gate && e->gate->builder && !is_late(e, offset) ? e->gate->builder : e->builder;
}

void gate_stored(struct emit *e, uint32_t offset)
{
    struct gate *g = e->gate;
    if (g && g->builder && e->builder != g->builder)
        bitset_add(g->late, e->flow->slot_of[offset / 4]);
}

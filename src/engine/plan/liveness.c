/* Register allocation: liveness over the basic blocks, then a linear scan that hands out slots of the frame.
 *
 * Lanes that wait elsewhere keep their own elements of a shared slot, because masked results are blended: sharing is
 * decided per lane, by the control flow of one lane. Positions: instruction i reads at 2i and writes at 2i + 1, so a
 * result may take the slot of an operand that dies there, element by element. Operations that are not element by
 * element (memory, warp, calls) write at 2i: their results never share with their operands.
 */
#include "base/bitset.h"
#include "engine/plan/frame.h"
#include "lane/form.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NEVER UINT32_MAX
enum { LARGEST = 1 << 28 }; /* bits of liveness sets beyond which registers simply do not share */

struct live {
    const struct lane_func *func;
    const struct plan *plan;
    uint32_t words; /* of a set */
    uint64_t *in, *out, *def, *use;
    uint64_t *joins;       /* of each kind of token: what the blocks need that tokens lead to */
    uint8_t *joined;       /* of each block: bit k, a token of kind k leads to it */
    uint32_t *start, *end; /* of each register, in positions */
};

static uint64_t *set_of(uint64_t *sets, const struct live *live, uint32_t block)
{
    return sets + (size_t)block * live->words;
}

static void use_operand(const struct live *live, uint64_t *use, const uint64_t *def, struct lane_operand op)
{
    op = plan_operand(live->plan, op);
    if (op.kind == LANE_REG && !bitset_has(def, op.index))
        bitset_add(use, op.index);
}

/* A read that the block has not written before counts as use; only unguarded writes define. */
static void block_sets(struct live *live, uint32_t block)
{
    const struct lane_func *func = live->func;
    uint64_t *use = set_of(live->use, live, block), *def = set_of(live->def, live, block);
    for (uint32_t i = 0; i < func->blocks[block].count; i++) {
        const struct lane_inst *inst = &func->insts[func->blocks[block].first + i];
        const struct lane_operand *op = &func->operands[inst->first];
        if (live->plan->kind[func->blocks[block].first + i] != PLAN_RUN)
            continue;
        for (unsigned k = inst->ndst; k < (unsigned)inst->ndst + inst->nsrc; k++)
            use_operand(live, use, def, op[k]);
        use_operand(live, use, def, inst->guard);
        if (inst->guard.kind == LANE_NONE)
            for (unsigned k = 0; k < inst->ndst; k++)
                if (op[k].kind == LANE_REG)
                    bitset_add(def, op[k].index);
    }
}

static bool flow_into(struct live *live, uint32_t block, uint32_t successor)
{
    return bitset_merge(set_of(live->out, live, block), set_of(live->in, live, successor), live->words);
}

/* Where the last instruction of a block, one that ends it, may lead. */
static bool flow_away(struct live *live, uint32_t block, const struct lane_inst *last)
{
    const struct lane_func *func = live->func;
    bool changed = false;
    char aux = lane_aux(&lane_rows[last->op]);
    if (lane_is(last->op, LANE_TOKEN_OP))
        return bitset_merge(set_of(live->out, live, block), set_of(live->joins, live, last->mode), live->words);
    if (aux == 'b')
        return flow_into(live, block, last->aux);
    for (uint32_t i = 0; aux == 't' && i < func->tables[last->aux].count; i++)
        changed |= flow_into(live, block, func->tables[last->aux].blocks[i]);
    return changed;
}

/* Adds what the successors of a block need to its out set. */
static bool flow(struct live *live, uint32_t block)
{
    const struct lane_func *func = live->func;
    const struct lane_block *b = &func->blocks[block];
    bool changed = false, falls = true;
    if (b->count) {
        const struct lane_inst *last = &func->insts[b->first + b->count - 1];
        changed = lane_is(last->op, LANE_ENDS) && flow_away(live, block, last);
        falls = !lane_is(last->op, LANE_ENDS | LANE_STOPS) || last->guard.kind != LANE_NONE;
    }
    if (falls && block + 1 < func->nblocks)
        changed |= flow_into(live, block, block + 1);
    return changed;
}

/* A lane that pops may come to any block that a token of the kind leads to. */
static bool join(struct live *live, uint32_t block)
{
    bool changed = false;
    for (unsigned kind = 0; live->joined[block] >> kind; kind++)
        if (live->joined[block] >> kind & 1)
            changed |= bitset_merge(set_of(live->joins, live, kind), set_of(live->in, live, block), live->words);
    return changed;
}

static void find_joins(struct live *live)
{
    const struct lane_func *func = live->func;
    for (uint32_t i = 0; i < func->ninsts && func->stacked; i++)
        if (lane_is(func->insts[i].op, LANE_TOKEN_OP) && !lane_is(func->insts[i].op, LANE_ENDS))
            live->joined[func->insts[i].aux] |= (uint8_t)(1u << func->insts[i].mode);
}

static void solve(struct live *live)
{
    uint32_t nblocks = live->func->nblocks, words = live->words;
    find_joins(live);
    for (uint32_t b = 0; b < nblocks; b++) {
        block_sets(live, b);
        memcpy(set_of(live->in, live, b), set_of(live->use, live, b), words * sizeof(uint64_t));
        join(live, b);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = nblocks; b-- > 0;) {
            if (!flow(live, b))
                continue;
            uint64_t *in = set_of(live->in, live, b), *out = set_of(live->out, live, b);
            uint64_t *def = set_of(live->def, live, b);
            for (uint32_t w = 0; w < words; w++)
                in[w] |= out[w] & ~def[w];
            join(live, b);
            changed = true;
        }
    }
}

static void extend(struct live *live, uint32_t reg, uint32_t position)
{
    assert(reg < live->func->nregs);
    if (live->start[reg] == NEVER || position < live->start[reg])
        live->start[reg] = position;
    if (live->end[reg] == NEVER || position > live->end[reg])
        live->end[reg] = position;
}

static void extend_set(struct live *live, const uint64_t *set, uint32_t position)
{
    for (uint32_t w = 0; w < live->words; w++)
        for (uint64_t bits = set[w]; bits; bits &= bits - 1)
            extend(live, w * 64 + (uint32_t)__builtin_ctzll(bits), position);
}

/* Is the result written element by element, after the element's operands were read? */
static bool elementwise(const struct lane_inst *inst)
{
    return lane_is(inst->op, LANE_PURE) && inst->ndst == 1;
}

static void extend_operand(struct live *live, struct lane_operand op, uint32_t position)
{
    op = plan_operand(live->plan, op);
    if (op.kind == LANE_REG)
        extend(live, op.index, position);
}

/* Invariant registers keep their slots for good; so do those that lanes share which wait elsewhere. */
static void pin_registers(struct live *live)
{
    for (uint32_t r = 0; r < live->func->nregs; r++)
        if (live->plan->once[r] || live->plan->whole[r]) {
            live->start[r] = 0;
            live->end[r] = UINT32_MAX - 1;
        }
}

static void intervals(struct live *live)
{
    const struct lane_func *func = live->func;
    for (uint32_t b = 0; b < func->nblocks; b++) {
        const struct lane_block *block = &func->blocks[b];
        extend_set(live, set_of(live->in, live, b), 2 * block->first);
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            const struct lane_inst *inst = &func->insts[i];
            const struct lane_operand *op = &func->operands[inst->first];
            if (live->plan->kind[i] != PLAN_RUN)
                continue;
            for (unsigned k = 0; k < (unsigned)inst->ndst + inst->nsrc; k++)
                extend_operand(live, op[k], 2 * i + (k < inst->ndst && elementwise(inst)));
            extend_operand(live, inst->guard, 2 * i + 1); /* read while the result is blended in */
            if (inst->guard.kind == LANE_REG)
                for (unsigned k = 0; k < inst->ndst; k++)
                    if (op[k].kind == LANE_REG)
                        extend(live, op[k].index, 2 * i);
        }
        extend_set(live, set_of(live->out, live, b), 2 * (block->first + block->count));
    }
}

static bool live_compute(struct arena *arena, struct live *live)
{
    const struct lane_func *func = live->func;
    size_t sets = (size_t)func->nblocks * live->words;
    live->in = arena_array(arena, sets, sizeof(uint64_t));
    live->out = arena_array(arena, sets, sizeof(uint64_t));
    live->def = arena_array(arena, sets, sizeof(uint64_t));
    live->use = arena_array(arena, sets, sizeof(uint64_t));
    live->joins = arena_array(arena, (size_t)LANE_TOKENS * live->words, sizeof(uint64_t));
    live->joined = arena_array(arena, (size_t)func->nblocks + 1, 1);
    if (!live->in || !live->out || !live->def || !live->use || !live->joins || !live->joined)
        return false;
    solve(live);
    intervals(live);
    return true;
}

/* ---- slots --------------------------------------------------------------------------------------------------- */

struct slot_pool { /* of one width */
    uint32_t *slots, *until;
    uint32_t count, next_free;
};

static int by_start(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static int width_class(unsigned width)
{
    return width == 1 ? 0 : width == 8 ? 1 : width == 16 ? 2 : width == 32 ? 3 : width == 64 ? 4 : 5;
}

/* Linear scan over intervals in order of their start; a binary heap per width would be faster, but the number of slots
 * that are in use at a time is small. */
static uint32_t take_slot(struct slot_pool *pool, uint32_t start, uint32_t end, uint32_t *bytes, unsigned width)
{
    for (uint32_t i = 0; i < pool->count; i++)
        if (pool->until[i] < start) {
            pool->until[i] = end;
            return pool->slots[i];
        }
    uint32_t size = frame_register_bytes(width);
    uint32_t align = size < 64 && width != 1 ? 64 : size < 64 ? 4 : 64;
    uint32_t at = (*bytes + align - 1) & ~(align - 1);
    *bytes = at + size;
    assert(start <= end && size && at % align == 0);
    pool->slots[pool->count] = at;
    pool->until[pool->count++] = end;
    return at;
}

static bool assign(struct arena *arena, struct live *live, uint32_t *slots, uint32_t *bytes)
{
    const struct lane_func *func = live->func;
    uint64_t *order = malloc((func->nregs + 1) * sizeof *order);
    struct slot_pool pools[6] = {0};
    bool ok = order != NULL;
    for (int p = 0; p < 6 && ok; p++) {
        pools[p].slots = arena_array(arena, func->nregs, sizeof(uint32_t));
        pools[p].until = arena_array(arena, func->nregs, sizeof(uint32_t));
        ok = pools[p].slots && pools[p].until;
    }
    uint32_t n = 0;
    for (uint32_t r = 0; r < func->nregs && ok; r++)
        if (live->start[r] != NEVER)
            order[n++] = (uint64_t)live->start[r] << 32 | r;
    if (ok)
        qsort(order, n, sizeof *order, by_start);
    /* Predicates first: 4 bytes each at the start of the frame. */
    for (int pass = 0; pass < 2 && ok; pass++) {
        for (uint32_t i = 0; i < n; i++) {
            uint32_t reg = (uint32_t)order[i];
            if ((func->widths[reg] == 1) == (pass == 0))
                slots[reg] = take_slot(&pools[width_class(func->widths[reg])], live->start[reg], live->end[reg], bytes,
                                       func->widths[reg]);
        }
        *bytes = (*bytes + 63) & ~UINT32_C(63);
    }
    free(order);
    return ok;
}

/* Registers that some instruction writes in some lanes only: instructions of the whole warp may read others. */
static bool *find_partly(struct arena *arena, const struct lane_func *func)
{
    bool *partly = arena_array(arena, func->nregs, sizeof *partly);
    for (uint32_t i = 0; partly && i < func->ninsts; i++) {
        const struct lane_inst *inst = &func->insts[i];
        bool all = inst->flags & LANE_WHOLE && inst->guard.kind == LANE_NONE;
        for (unsigned k = 0; k < inst->ndst && !all; k++)
            if (func->operands[inst->first + k].kind == LANE_REG)
                partly[func->operands[inst->first + k].index] = true;
    }
    return partly;
}

/* May it be read before it is written, in some lane? */
static bool read_first(const struct live *live, const bool *partly, uint32_t r)
{
    return live->func->nblocks && (bitset_has(live->in, r) || (live->plan->whole[r] && partly[r])) &&
           !live->plan->once[r];
}

static bool find_zeroed(struct arena *arena, struct live *live, struct func *func, const uint32_t *slots)
{
    uint32_t n = 0;
    const bool *partly = find_partly(arena, live->func);
    for (uint32_t r = 0; r < live->func->nregs && partly; r++)
        n += read_first(live, partly, r);
    func->zero_at = arena_array(arena, 2 * (size_t)n + 1, sizeof(uint32_t));
    if (!func->zero_at || !partly)
        return false;
    for (uint32_t r = 0; r < live->func->nregs; r++)
        if (read_first(live, partly, r)) {
            func->zero_at[2 * func->nzero] = slots[r];
            func->zero_at[2 * func->nzero++ + 1] = frame_register_bytes(live->func->widths[r]);
        }
    return true;
}

/* Too large to analyse: every register lives everywhere. */
static void live_everywhere(struct live *live)
{
    for (uint32_t r = 0; r < live->func->nregs; r++) {
        live->start[r] = 0;
        live->end[r] = UINT32_MAX - 1;
    }
    memset(live->in, 0xff, live->words * sizeof(uint64_t));
}

bool frame_layout(struct arena *arena, struct func *func, const struct plan *plan, uint32_t **slots, uint32_t *bytes)
{
    struct live live = {.func = func->lane, .plan = plan, .words = (func->lane->nregs + 63) / 64};
    uint32_t nregs = func->lane->nregs;
    struct arena scratch = {0};
    live.start = arena_array(&scratch, nregs, sizeof(uint32_t));
    live.end = arena_array(&scratch, nregs, sizeof(uint32_t));
    *slots = arena_array(arena, nregs, sizeof(uint32_t));
    bool ok = live.start && live.end && *slots;
    if (ok) {
        memset(live.start, 0xff, nregs * sizeof(uint32_t));
        memset(live.end, 0xff, nregs * sizeof(uint32_t));
        if ((uint64_t)live.words * 64 * func->lane->nblocks > LARGEST) {
            live.in = arena_array(&scratch, live.words, sizeof(uint64_t));
            ok = live.in != NULL;
            if (ok)
                live_everywhere(&live);
        } else {
            ok = live_compute(&scratch, &live);
        }
    }
    if (ok)
        pin_registers(&live);
    assert(!ok || func->lane->nblocks == 0 || live.in);
    *bytes = 64; /* the first bytes hold the link of the free list */
    ok = ok && assign(&scratch, &live, *slots, bytes) && find_zeroed(arena, &live, func, *slots);
    arena_free(&scratch);
    return ok;
}

bool frame_read_first(struct arena *arena, const struct lane_func *func, bool **first)
{
    struct arena scratch = {0};
    struct plan plan;
    struct live live = {.func = func, .plan = &plan, .words = (func->nregs + 63) / 64};
    live.start = arena_array(&scratch, (size_t)func->nregs + 1, sizeof(uint32_t));
    live.end = arena_array(&scratch, (size_t)func->nregs + 1, sizeof(uint32_t));
    *first = arena_array(arena, (size_t)func->nregs + 1, sizeof **first);
    bool ok =
        live.start && live.end && *first && plan_make(&scratch, func, true, &plan) && live_compute(&scratch, &live);
    for (uint32_t r = 0; ok && r < func->nregs; r++)
        (*first)[r] = func->nblocks && bitset_has(live.in, r);
    arena_free(&scratch);
    return ok;
}

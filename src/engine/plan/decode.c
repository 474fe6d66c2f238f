/* Linking and decoding: what a kernel of a lane module needs besides an engine's code. */
#include "engine/executor.h"
#include "engine/plan/frame.h"
#include "engine/plan/reach.h"
#include "lane/form.h"
#include "mem/atomic.h"
#include "mem/space.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- constants -------------------------------------------------------------------------------------------------- */

static uint64_t symbol_address(const struct program *program, uint32_t number)
{
    assert(number && number <= program->module->nsymbols);
    const struct lane_symbol *symbol = &program->module->symbols[number - 1];
    if (symbol->kind == LANE_SYMBOL_SHARED)
        return program->shared_at[number - 1];
    if (symbol->kind == LANE_SYMBOL_FUNCTION)
        return FUNCTION_ADDRESS + symbol->function * 16;
    return program->addresses[number - 1];
}

static void broadcast(unsigned char *at, unsigned width, uint64_t lo, uint64_t hi)
{
    if (width == 1) {
        uint32_t bits = lo & 1 ? ALL_LANES : 0;
        memcpy(at, &bits, sizeof bits);
        return;
    }
    for (unsigned l = 0; l < LANES; l++) {
        size_t bytes = width / 8;
        memcpy(at + l * bytes, &lo, bytes < 8 ? bytes : 8);
        if (width == 128)
            memcpy(at + l * bytes + 8, &hi, 8);
    }
}

static bool place_constants(struct program *program, struct func *func, uint32_t *const_at, uint32_t start)
{
    const struct lane_func *lane = func->lane;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < lane->nconsts; i++) {
        assert(lane->consts[i].width);
        const_at[i] = start + (uint32_t)bytes;
        bytes += (frame_register_bytes(lane->consts[i].width) + 63) & ~63u;
    }
    if (start + bytes > UINT32_MAX / 2)
        return false;
    func->constants_at = start;
    func->constants_bytes = (uint32_t)bytes;
    func->constants = arena_alloc(&program->arena, bytes);
    if (!func->constants)
        return false;
    for (uint32_t i = 0; i < lane->nconsts; i++) {
        const struct lane_const *c = &lane->consts[i];
        uint64_t lo = c->lo + (c->symbol ? symbol_address(program, c->symbol) : 0);
        broadcast(func->constants + (const_at[i] - start), c->width, lo, c->hi);
    }
    func->frame_bytes = start + (uint32_t)bytes;
    return true;
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

struct decoder {
    struct program *program;
    struct func *func;
    struct plan plan;
    uint32_t decoded_room, invariant_room;
    uint32_t *slots, *const_at;
    const struct inlined *inlined; /* NULL: the function is as it was written */
    const struct inlining *from;   /* of the block at hand */
};

static uint32_t operand_at(const struct decoder *d, struct lane_operand op, uint8_t *bits)
{
    *bits = 0;
    op = plan_operand(&d->plan, op);
    if (op.kind == LANE_NONE)
        return KERNEL_NONE;
    *bits = (uint8_t)(op.kind == LANE_REG ? d->func->lane->widths[op.index] : d->func->lane->consts[op.index].width);
    uint32_t at = op.kind == LANE_REG ? d->slots[op.index] : d->const_at[op.index];
    assert(at + frame_register_bytes(*bits) <= d->func->frame_bytes);
    assert(at % (*bits == 1 ? 4 : 64) == 0); /* KERNEL_REG, KERNEL_MASK */
    return at;
}

static bool decode_operands(struct decoder *d, struct decoded *info, const struct lane_inst *inst)
{
    struct arena *arena = &d->program->arena;
    unsigned n = (unsigned)inst->ndst + inst->nsrc;
    uint8_t bits;
    info->ndst = inst->ndst;
    info->nsrc = inst->nsrc;
    info->offsets = arena_array(arena, n + 1, sizeof(uint32_t));
    info->bits = arena_array(arena, n + 1, 1);
    if (!info->offsets || !info->bits)
        return false;
    for (unsigned k = 0; k < n; k++)
        info->offsets[k] = operand_at(d, d->func->lane->operands[inst->first + k], &info->bits[k]);
    for (unsigned k = 0; k < inst->ndst; k++) {
        struct lane_operand dst = d->func->lane->operands[inst->first + k];
        info->whole = info->whole || (dst.kind == LANE_REG && d->plan.whole[dst.index]);
        info->same = info->same || (dst.kind == LANE_REG && d->plan.uniform[dst.index]);
    }
    info->guard = operand_at(d, inst->guard, &bits);
    info->guard_flip = inst->guard_not ? ALL_LANES : 0;
    return true;
}

/* What aux says. */
static void decode_aux(struct decoder *d, struct decoded *info, const struct lane_inst *inst)
{
    const struct lane_func *lane = d->func->lane;
    switch (lane_aux(&lane_rows[inst->op])) {
    case 'a':
        info->access = &lane->accesses[inst->aux];
        info->bytes = lane_type_bits(info->access->type) / 8;
        assert(inst->aux < lane->naccesses && info->bytes);
        info->uniform = plan_uniform(&d->plan, lane->operands[inst->first + inst->ndst]);
        info->atomic = atomic_find_access(info->access);
        break;
    case 'b':
        assert(inst->aux < lane->nblocks);
        info->target = d->func->point_of_block[inst->aux];
        break;
    case 'k':
        assert(inst->aux < lane->ncalls);
        info->call = &lane->calls[inst->aux];
        break;
    }
}

/* Before it, lanes can wait. */
static bool has_point(const struct lane_func *func, const struct lane_inst *inst)
{
    return lane_is(inst->op, LANE_WAITS) || lane_shares(func, inst);
}

static uint32_t add_point(struct func *func, uint32_t index)
{
    func->decoded_at[func->npoints] = index;
    return func->npoints++;
}

static bool decode_inst(struct decoder *d, const struct lane_inst *inst)
{
    struct func *func = d->func;
    uint8_t kind = d->plan.kind[inst - func->lane->insts];
    if (kind == PLAN_DROP)
        return true;
    struct decoded *info =
        kind == PLAN_ONCE ? &func->invariants[func->ninvariants++] : &func->decoded[func->ndecoded++];
    *info = (struct decoded){
        .inst = inst, .func = func, .from = d->from, .op = inst->op, .flags = plan_flags(&d->plan, inst)};
    if (!decode_operands(d, info, inst))
        return false;
    decode_aux(d, info, inst);
    if (info->access || d->program->plain)
        info->site = d->program->sites++;
    const struct lane_operand *src = &func->lane->operands[inst->first + inst->ndst];
    if (lane_is(inst->op, LANE_WAITS) && lane_is(inst->op, LANE_SHARES)) /* a barrier of the block */
        info->uniform = plan_uniform(&d->plan, src[0]) && plan_uniform(&d->plan, src[1]);
    info->shares = lane_shares(func->lane, inst);
    assert(kind == PLAN_RUN || !has_point(func->lane, inst));
    if (has_point(func->lane, inst))
        info->before = add_point(func, func->ndecoded - 1);
    if (lane_is(inst->op, LANE_WAITS))
        info->after = add_point(func, func->ndecoded);
    return true;
}

/* After a barrier with a reduction. */
static void decode_reduced(struct func *func)
{
    struct decoded *info = &func->decoded[func->ndecoded++];
    *info = info[-1];
    info->op = DECODED_REDUCED;
    info->shares = false;
}

static void decode_fall(struct func *func, const struct inlining *from, uint32_t count)
{
    static const struct lane_inst nothing;
    func->decoded[func->ndecoded++] = (struct decoded){.inst = &nothing,
                                                       .func = func,
                                                       .from = from,
                                                       .op = DECODED_FALL,
                                                       .target = func->npoints,
                                                       .count = count,
                                                       .guard = KERNEL_NONE};
}

/* Instructions of a block that are counted with the one at hand: calls, before which lanes may be others than behind
 * them, and what ends the block. In a kernel that calls became a part of, those that are left end blocks, too. */
static uint32_t count_until(const struct decoder *d, uint32_t b, uint32_t index)
{
    return d->inlined ? d->inlined->counts[b] : index;
}

static bool decode_block(struct decoder *d, uint32_t b)
{
    struct func *func = d->func;
    const struct lane_func *lane = func->lane;
    const struct lane_block *block = &lane->blocks[b];
    uint32_t point = add_point(func, func->ndecoded), counted = 0, count = count_until(d, b, block->count);
    assert(point == func->point_of_block[b]);
    (void)point;
    d->from = d->inlined ? d->inlined->from[b] : NULL;
    for (uint32_t i = 0; i < block->count; i++) {
        const struct lane_inst *inst = &lane->insts[block->first + i];
        if (!decode_inst(d, inst))
            return false;
        if (inst->op == LANE_OP_barred)
            decode_reduced(func);
        if (inst->op == LANE_OP_call) {
            func->decoded[func->ndecoded - 1].count = count_until(d, b, i + 1) - counted;
            counted = count_until(d, b, i + 1);
        }
    }
    if (block->count && lane_is(lane->insts[block->first + block->count - 1].op, LANE_ENDS)) {
        struct decoded *last = &func->decoded[func->ndecoded - 1];
        last->count = count - counted;
        last->next = func->npoints; /* the next block (two of brx's own points lie before it) */
    } else {
        decode_fall(func, d->from, count - counted);
    }
    return true;
}

/* Numbers of the points, before any step exists: branches go forward too. */
static void number_points(struct func *func)
{
    uint32_t point = 0;
    for (uint32_t b = 0; b < func->lane->nblocks; b++) {
        func->point_of_block[b] = point++;
        for (uint32_t i = 0; i < func->lane->blocks[b].count; i++) {
            const struct lane_inst *inst = &func->lane->insts[func->lane->blocks[b].first + i];
            point += has_point(func->lane, inst) + (lane_is(inst->op, LANE_WAITS) ? 1u : 0);
        }
    }
    func->npoints = point;
}

/* Room for what is decoded: every instruction that is not dropped, falls, reads of reductions. */
static bool make_room(struct arena *arena, struct decoder *d)
{
    struct func *func = d->func;
    const struct plan *plan = &d->plan;
    const struct lane_func *lane = func->lane;
    size_t count = lane->nblocks, invariants = 0;
    for (uint32_t i = 0; i < lane->ninsts; i++) {
        count += plan->kind[i] == PLAN_RUN ? 1u + (lane->insts[i].op == LANE_OP_barred) : 0;
        invariants += plan->kind[i] == PLAN_ONCE;
    }
    d->decoded_room = (uint32_t)count;
    d->invariant_room = (uint32_t)invariants;
    func->decoded = arena_array(arena, count + 1, sizeof *func->decoded);
    func->invariants = arena_array(arena, invariants + 1, sizeof *func->invariants);
    func->decoded_at = arena_array(arena, (size_t)func->npoints + 1, sizeof(uint32_t));
    return func->decoded && func->invariants && func->decoded_at;
}

static bool decode_function(struct program *program, struct func *func, struct atoll_error *error)
{
    struct decoder d = {.program = program, .func = func};
    const struct lane_func *lane = func->lane;
    d.inlined = lane == program->inlined.func ? &program->inlined : NULL;
    struct arena *arena = &program->arena;
    uint32_t bytes;
    func->point_of_block = arena_array(arena, (size_t)lane->nblocks + 1, sizeof(uint32_t));
    d.const_at = arena_array(arena, (size_t)lane->nconsts + 1, sizeof(uint32_t));
    if (!func->point_of_block || !d.const_at || !plan_make(arena, lane, program->plain, &d.plan))
        return error_memory(error);
    number_points(func);
    if (!make_room(arena, &d) || !frame_layout(arena, func, &d.plan, &d.slots, &bytes) ||
        !place_constants(program, func, d.const_at, bytes))
        return error_memory(error);
    uint32_t points = func->npoints;
    func->npoints = 0;
    for (uint32_t b = 0; b < lane->nblocks; b++)
        if (!decode_block(&d, b))
            return error_memory(error);
    assert(func->npoints == points && func->ndecoded <= d.decoded_room && func->ninvariants == d.invariant_room);
    (void)points;
    func->decoded_at[func->npoints] = func->ndecoded;
    func->ready = program->executor->prepare(program, func, error);
    return func->ready;
}

static void size_local(struct program *program, bool calls)
{
    const struct lane_func *kernel = &program->module->funcs[program->kernel];
    /* Calls make the need unknown. */
    program->local_bytes = calls ? LANE_LOCAL_BYTES : (kernel->local_bytes + 15) & ~UINT32_C(15);
}

bool program_decode(struct program *program, struct atoll_error *error)
{
    const struct lane_module *module = program->module;
    struct reach reach;
    program->funcs = arena_array(&program->arena, module->nfuncs, sizeof *program->funcs);
    if (!program->funcs || !reach_find(module, program->kernel, &program->arena, &reach))
        return error_memory(error);
    if (reach.shared_bytes > SPACE_WINDOW)
        return error_set(error, ATOLL_INVALID, "kernel '%s' needs more than %u bytes of shared memory",
                         module->funcs[program->kernel].name, (unsigned)SPACE_WINDOW);
    program->shared_at = reach.shared_at;
    program->reserved_bytes = reach.reserved_bytes;
    program->shared_bytes = (uint32_t)reach.shared_bytes;
    program->dynamic_shared = reach.dynamic_shared;
    for (uint32_t i = 0; i < module->nfuncs; i++) {
        uint32_t lanes = module->funcs[i].warp_lanes;
        program->funcs[i].lane = &module->funcs[i];
        bool packable = module->funcs[i].packable, whole = !lanes || lanes == LANES || (packable && !program->plain);
        program->funcs[i].every = whole ? ALL_LANES : (UINT32_C(1) << lanes) - 1;
        program->funcs[i].thread_lanes = packable ? lanes : LANES;
    }
    if (!program->plain && !inline_calls(module, program->kernel, &program->inlined))
        return error_memory(error);
    if (program->inlined.func)
        program->funcs[program->kernel].lane = program->inlined.func;
    uint32_t count = program->inlined.func && !program->inlined.calls ? 1 : reach.count; /* the kernel is the first */
    for (uint32_t i = 0; i < count; i++)
        if (module->funcs[reach.funcs[i]].defined && !decode_function(program, &program->funcs[reach.funcs[i]], error))
            return false;
    size_local(program, reach.calls);
    return true;
}

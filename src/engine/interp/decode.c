/* Linking and decoding: a kernel of a lane module becomes a program of steps. */
#include "engine/plan/frame.h"
#include "engine/reach.h"
#include "lane/form.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- constants -------------------------------------------------------------------------------------------------- */

static uint64_t symbol_address(const struct program *program, uint32_t number)
{
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

/* ---- steps --------------------------------------------------------------------------------------------------------
 */

struct decoder {
    struct program *program;
    struct func *func;
    struct plan plan;
    uint32_t *slots, *const_at;
    uint32_t nsteps;
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
    return at;
}

static uint32_t element_bytes(const struct lane_access *access)
{
    return lane_type_bits(access->type) / 8;
}

static bool decode_info(struct decoder *d, struct decoded *info, const struct lane_inst *inst)
{
    struct arena *arena = &d->program->arena;
    unsigned n = (unsigned)inst->ndst + inst->nsrc;
    info->inst = inst;
    info->func = d->func;
    info->ndst = inst->ndst;
    info->nsrc = inst->nsrc;
    info->offsets = arena_array(arena, n + 1, sizeof(uint32_t));
    info->bits = arena_array(arena, n + 1, 1);
    if (!info->offsets || !info->bits)
        return false;
    for (unsigned k = 0; k < n; k++)
        info->offsets[k] = operand_at(d, d->func->lane->operands[inst->first + k], &info->bits[k]);
    if (lane_aux(&lane_rows[inst->op]) == 'a') {
        info->access = &d->func->lane->accesses[inst->aux];
        info->bytes = element_bytes(info->access);
        info->site = d->program->sites++;
        info->uniform = plan_uniform(&d->plan, d->func->lane->operands[inst->first + inst->ndst]);
        info->atomic = atomic_find(info->access->atomic, info->access->type);
    }
    if (lane_is(inst->op, LANE_WAITS) && lane_is(inst->op, LANE_SHARES)) /* a barrier of the block */
        info->uniform = plan_uniform(&d->plan, d->func->lane->operands[inst->first + inst->ndst]) &&
                        plan_uniform(&d->plan, d->func->lane->operands[inst->first + inst->ndst + 1]);
    if (lane_aux(&lane_rows[inst->op]) == 'k')
        info->call = &d->func->lane->calls[inst->aux];
    return true;
}

/* Before it, lanes can wait. */
static bool has_point(const struct lane_func *func, const struct lane_inst *inst)
{
    return lane_is(inst->op, LANE_WAITS) || lane_shares(func, inst);
}

static bool decode_inst(struct decoder *d, const struct lane_inst *inst, struct atoll_error *error)
{
    uint8_t kind = d->plan.kind[inst - d->func->lane->insts];
    if (kind == PLAN_DROP)
        return true;
    struct step *step = kind == PLAN_ONCE ? &d->func->once[d->func->nonce] : &d->func->steps[d->nsteps];
    struct decoded *info = arena_alloc(&d->program->arena, sizeof *info);
    if (!info || !decode_info(d, info, inst))
        return error_memory(error);
    uint8_t bits;
    const uint32_t *at = info->offsets, *src = at + inst->ndst;
    *step = (struct step){.d = inst->ndst > 0 ? at[0] : KERNEL_NONE,
                          .d2 = inst->ndst > 1 ? at[1] : KERNEL_NONE,
                          .a = inst->nsrc > 0 ? src[0] : KERNEL_NONE,
                          .b = inst->nsrc > 1 ? src[1] : KERNEL_NONE,
                          .c = inst->nsrc > 2 ? src[2] : KERNEL_NONE,
                          .e = inst->nsrc > 3 ? src[3] : KERNEL_NONE,
                          .aux = inst->aux,
                          .inst = (uint32_t)(inst - d->func->lane->insts),
                          .more = at,
                          .info = info,
                          .guard = operand_at(d, inst->guard, &bits),
                          .guard_flip = inst->guard_not ? ALL_LANES : 0};
    if (lane_is(inst->op, LANE_TOKEN_OP))
        step->b = inst->mode;
    if (lane_aux(&lane_rows[inst->op]) == 'b') {
        step->aux = d->func->point_of_block[inst->aux];
        step->more = &d->func->points[step->aux];
    }
    info->shares = lane_shares(d->func->lane, inst);
    if (has_point(d->func->lane, inst)) {
        assert(kind == PLAN_RUN);
        info->before = d->func->npoints;
        d->func->points[d->func->npoints++] = step;
    }
    if (lane_is(inst->op, LANE_WAITS)) {
        info->after = d->func->npoints;
        d->func->points[d->func->npoints++] = step + 1;
    }
    if (!d->program->set->bind(step, inst))
        return error_at(error, ATOLL_UNSUPPORTED, inst->line, 0, "not supported: %s.%s", lane_rows[inst->op].name,
                        lane_type_name(inst->type));
    if (kind == PLAN_ONCE)
        d->func->nonce++;
    else
        d->nsteps++;
    return true;
}

/* Steps that are not instructions: falling into the next block, reading a finished reduction. */
static bool decode_extra(struct decoder *d, const struct decoded *info, unsigned op, uint32_t aux, uint32_t count)
{
    static const struct lane_inst plain;
    struct step *step = &d->func->steps[d->nsteps++];
    struct lane_inst *inst = arena_alloc(&d->program->arena, sizeof *inst);
    if (!inst)
        return false;
    *inst = info ? *info->inst : plain;
    inst->op = (uint16_t)op;
    struct decoded *copy = arena_alloc(&d->program->arena, sizeof *copy);
    if (!copy)
        return false;
    if (info)
        *copy = *info;
    copy->inst = inst;
    copy->func = d->func;
    copy->shares = false;
    const struct step *base = info ? step - 1 : NULL;
    *step = base ? *base : (struct step){.guard = KERNEL_NONE};
    step->info = copy;
    step->aux = aux;
    if (!info)
        step->count = count;
    return d->program->set->bind(step, inst);
}

static bool decode_block(struct decoder *d, uint32_t b, struct atoll_error *error)
{
    const struct lane_func *lane = d->func->lane;
    const struct lane_block *block = &lane->blocks[b];
    d->func->points[d->func->npoints] = &d->func->steps[d->nsteps];
    if (d->func->npoints != d->func->point_of_block[b])
        return error_set(error, ATOLL_SYSTEM, "internal error: point numbers");
    d->func->npoints++;
    for (uint32_t i = 0; i < block->count; i++) {
        const struct lane_inst *inst = &lane->insts[block->first + i];
        if (!decode_inst(d, inst, error))
            return false;
        if (inst->op == LANE_OP_barred &&
            !decode_extra(d, d->func->steps[d->nsteps - 1].info, STEP_REDUCED, inst->aux, 0))
            return error_memory(error);
    }
    if (block->count && lane_is(lane->insts[block->first + block->count - 1].op, LANE_ENDS)) {
        struct step *last = &d->func->steps[d->nsteps - 1];
        assert(last->info->ndst == 0);
        last->count = block->count;
        last->next = d->func->npoints; /* the point behind: the next block (two of brx's own lie before it) */
        return true;
    }
    return decode_extra(d, NULL, STEP_FALL, d->func->npoints, block->count) || error_memory(error);
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

static bool decode_function(struct program *program, struct func *func, struct atoll_error *error)
{
    struct decoder d = {.program = program, .func = func};
    const struct lane_func *lane = func->lane;
    struct arena *arena = &program->arena;
    uint32_t bytes, extra = lane->nblocks + 1;
    for (uint32_t i = 0; i < lane->ninsts; i++)
        extra += lane->insts[i].op == LANE_OP_barred;
    func->point_of_block = arena_array(arena, (size_t)lane->nblocks + 1, sizeof(uint32_t));
    func->steps = arena_array(arena, (size_t)lane->ninsts + extra, sizeof *func->steps);
    d.const_at = arena_array(arena, (size_t)lane->nconsts + 1, sizeof(uint32_t));
    func->once = arena_array(arena, (size_t)lane->ninsts + 1, sizeof *func->once);
    if (!func->point_of_block || !func->steps || !func->once || !d.const_at ||
        !plan_make(arena, lane, program->plain, &d.plan))
        return error_memory(error);
    number_points(func);
    func->points = arena_array(arena, (size_t)func->npoints + 1, sizeof *func->points);
    if (!func->points || !frame_layout(arena, func, &d.plan, &d.slots, &bytes) ||
        !place_constants(program, func, d.const_at, bytes))
        return error_memory(error);
    func->npoints = 0;
    for (uint32_t b = 0; b < lane->nblocks; b++)
        if (!decode_block(&d, b, error))
            return false;
    func->points[func->npoints] = &func->steps[d.nsteps];
    func->nsteps = d.nsteps;
    func->ready = true;
    return true;
}

static void size_local(struct program *program, bool calls)
{
    const struct lane_func *kernel = &program->module->funcs[program->kernel];
    program->local_bytes = calls ? LOCAL_DYNAMIC : (kernel->local_bytes + 15) & ~UINT32_C(15);
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
    program->shared_bytes = (uint32_t)reach.shared_bytes;
    program->dynamic_shared = reach.dynamic_shared;
    for (uint32_t i = 0; i < module->nfuncs; i++)
        program->funcs[i].lane = &module->funcs[i];
    for (uint32_t i = 0; i < reach.count; i++)
        if (module->funcs[reach.funcs[i]].defined && !decode_function(program, &program->funcs[reach.funcs[i]], error))
            return false;
    size_local(program, reach.calls);
    return true;
}

/* The parameter space of a launch: the caller's block, and around it the words that a kernel finds there. */
#include "engine/parameters.h"

#include "mem/device.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The address of a symbol. A surface reference's word holds what a kernel wants to find there: the handle of the
 * surface that is bound to it, 0 where none is (a surface has that handle only where it was asked for). */
static uint64_t symbol_word(const struct run *run, uint32_t symbol)
{
    uint64_t address = run->program->addresses[symbol - 1];
    if (run->program->module->symbols[symbol - 1].kind != LANE_SYMBOL_SURFREF)
        return address;
    const struct surface_ref *ref = device_surface(run->program->device, address);
    return ref && ref->surface ? ref->surface->handle : 0;
}

/* The table of surfaces is made for the launch. */
static bool run_describe(struct run *run, struct atoll_error *error)
{
    const struct lane_func *func = &run->program->module->funcs[run->program->kernel];
    for (uint32_t i = 0; i < func->nwords; i++)
        if (func->words[i].kind == LANE_WORD_SURFACES)
            return device_describe(run->program->device, func->words[i].entry, func->words[i].nentry, &run->descriptors,
                                   error);
    return true;
}

/* The workspace of a cooperative launch: two words, its size and the grid's barrier, which its blocks count up
 * (CUDA's cooperative_groups/details/driver_abi.h, grid_workspace). */
static bool run_workspace(struct run *run, struct atoll_error *error)
{
    static const uint32_t workspace[2] = {sizeof workspace, 0};
    struct space *space = device_space(run->program->device);
    struct space_block block;
    if (!run->launch->cooperative)
        return true;
    if (!space_alloc(space, sizeof workspace, false, false, &run->workspace, error))
        return false;
    bool found = space_find(space, run->workspace, &block);
    assert(found);
    (void)found;
    memcpy(block.host, workspace, sizeof workspace);
    return true;
}

static bool is_workspace(unsigned word)
{
    return word == LANE_WORD_WORKSPACE || word == LANE_WORD_WORKSPACE_HIGH;
}

static bool reads_workspace(const struct lane_func *kernel, const struct lane_func *func, const struct lane_inst *inst)
{
    if (inst->op == LANE_OP_sreg)
        return inst->mode == LANE_SREG_WORKSPACE || inst->mode == LANE_SREG_WORKSPACE_HIGH;
    if (inst->op != LANE_OP_ld || func->accesses[inst->aux].space != LANE_PARAM)
        return false;
    struct lane_operand address = func->operands[inst->first + inst->ndst];
    uint64_t at = (uint64_t)func->accesses[inst->aux].offset;
    at += address.kind == LANE_CONST ? func->consts[address.index].lo : 0;
    for (uint32_t i = 0; i < kernel->nwords; i++)
        if (address.kind == LANE_CONST && is_workspace(kernel->words[i].kind) && kernel->words[i].offset == at)
            return true;
    return false;
}

bool run_lacks_workspace(const struct run *run)
{
    const struct program *program = run->program;
    for (uint32_t f = 0; f < program->module->nfuncs && !run->workspace; f++) {
        const struct lane_func *func = &program->module->funcs[f];
        for (uint32_t i = 0; program->funcs[f].ready && i < func->ninsts; i++)
            if (reads_workspace(&program->module->funcs[program->kernel], func, &func->insts[i]))
                return true;
    }
    return false;
}

static unsigned dimensions(const struct run *run)
{
    unsigned count = 3;
    while (count > 1 && run->grid[count - 1] == 1 && run->block[count - 1] == 1)
        count--;
    return count;
}

static uint64_t surface_word(const struct run *run, const struct lane_word *word)
{
    uint64_t handle;
    memcpy(&handle, run->params + word->from, sizeof handle);
    const struct surface_ref *ref = handle ? device_surface(run->program->device, handle) : NULL;
    return ref && ref->surface ? surface_query(ref->surface, word->entry[0]) : 0;
}

static uint64_t launch_word(const struct run *run, const struct lane_word *word)
{
    const struct program *program = run->program;
    switch (word->kind) {
    case LANE_WORD_SHARED:
        return SPACE_SHARED;
    case LANE_WORD_LOCAL:
        return SPACE_LOCAL;
    case LANE_WORD_STACK:
        return program->module->funcs[program->kernel].local_bytes;
    case LANE_WORD_NTID_X:
    case LANE_WORD_NTID_Y:
    case LANE_WORD_NTID_Z:
        return run->block[word->kind - LANE_WORD_NTID_X];
    case LANE_WORD_NCTAID_X:
    case LANE_WORD_NCTAID_Y:
    case LANE_WORD_NCTAID_Z:
        return run->grid[word->kind - LANE_WORD_NCTAID_X];
    case LANE_WORD_DYNAMIC:
        return run->launch->dynamic_shared;
    case LANE_WORD_SURFACES:
        return run->descriptors;
    case LANE_WORD_WORKSPACE:
        return run->workspace;
    case LANE_WORD_WORKSPACE_HIGH:
        return run->workspace >> 32;
    case LANE_WORD_THREADS_X:
    case LANE_WORD_THREADS_Y:
    case LANE_WORD_THREADS_Z:
        return run->extent[word->kind - LANE_WORD_THREADS_X];
    case LANE_WORD_SEED:
        return (uint32_t)(run->launch->seed ^ run->launch->seed >> 32);
    case LANE_WORD_DIMENSIONS:
        return dimensions(run);
    case LANE_WORD_SURFACE:
        return surface_word(run, word);
    case LANE_WORD_VALUE:
        return word->value;
    default:
        return symbol_word(run, word->symbol);
    }
}

/* The parameter space: the caller's block, and around it the words that a kernel finds there. */
static bool fill(struct run *run, struct atoll_error *error)
{
    const struct atoll_launch_options *launch = run->launch;
    const struct lane_func *func = &run->program->module->funcs[run->program->kernel];
    uint64_t space = func->param_space ? func->param_space : launch->parameter_bytes;
    if (launch->parameter_bytes > SPACE_PARAM_WINDOW || space > SPACE_PARAM_WINDOW ||
        func->param_at + launch->parameter_bytes > space)
        return error_set(error, ATOLL_USAGE, "the parameter block is larger than %u bytes",
                         (unsigned)SPACE_PARAM_WINDOW);
    run->param_bytes = (uint32_t)space;
    run->params = calloc(1, (size_t)run->param_bytes + 64);
    if (!run->params)
        return error_memory(error);
    if (launch->parameter_bytes)
        memcpy(run->params + func->param_at, launch->parameters, launch->parameter_bytes);
    for (uint32_t i = 0; i < func->nwords; i++) {
        uint64_t value = launch_word(run, &func->words[i]);
        memcpy(run->params + func->words[i].offset, &value, func->words[i].size);
    }
    return true;
}

bool parameters_make(struct run *run, struct atoll_error *error)
{
    return run_describe(run, error) && run_workspace(run, error) && fill(run, error);
}

void parameters_free(struct run *run)
{
    struct atoll_error error;
    if (run->descriptors)
        space_free(device_space(run->program->device), run->descriptors, false, &error);
    if (run->workspace)
        space_free(device_space(run->program->device), run->workspace, false, &error);
    free(run->params);
}

/* What a kernel may run: the functions that calls can reach, and the shared memory that these name. */
#include "engine/plan/reach.h"

/* More bytes than any launch has; sums of sizes stay here, however large those are. */
#define MUCH (UINT64_C(1) << 62)

/* Adds a function that was not seen yet. */
static void add(struct reach *reach, bool *seen, uint32_t func)
{
    if (seen[func])
        return;
    seen[func] = true;
    reach->funcs[reach->count++] = func;
}

static void add_callees(const struct lane_module *module, struct reach *reach, bool *seen, const struct lane_func *f)
{
    for (uint32_t c = 0; c < f->ncalls; c++) {
        uint32_t callee = f->calls[c].function;
        bool all = callee >= module->nfuncs && !reach->indirect;
        for (uint32_t k = 0; all && k < module->nfuncs; k++)
            if (!module->funcs[k].kernel)
                add(reach, seen, k);
        reach->indirect = reach->indirect || callee >= module->nfuncs;
        reach->calls = true;
        if (callee < module->nfuncs)
            add(reach, seen, callee);
    }
}

static bool reads_reserved(const struct lane_func *f)
{
    for (uint32_t i = 0; i < f->ninsts; i++)
        if (f->insts[i].op == LANE_OP_sreg && lane_sreg_is(f->insts[i].mode, LANE_SREG_RESERVED))
            return true;
    return false;
}

/* Lays out the shared variables: those of static size in order, then, at one place, all that are extern. */
static void layout_shared(const struct lane_module *module, struct reach *reach, const bool *used)
{
    uint64_t at = reach->reserved_bytes, align = 16;
    for (uint32_t i = 0; i < module->nsymbols; i++) {
        const struct lane_symbol *symbol = &module->symbols[i];
        uint64_t a = symbol->align ? symbol->align : 1;
        if (symbol->kind != LANE_SYMBOL_SHARED || !used[i + 1])
            continue;
        if (symbol->dynamic) {
            align = a > align ? a : align;
            reach->dynamic_shared = true;
            continue;
        }
        at = (at + a - 1) & ~(a - 1);
        reach->shared_at[i] = at;
        at = symbol->size > MUCH || at + symbol->size > MUCH ? MUCH : at + symbol->size;
    }
    if (reach->dynamic_shared)
        at = (at + align - 1) & ~(align - 1);
    for (uint32_t i = 0; i < module->nsymbols; i++)
        if (module->symbols[i].kind == LANE_SYMBOL_SHARED && module->symbols[i].dynamic)
            reach->shared_at[i] = at;
    reach->shared_bytes = at;
}

bool reach_find(const struct lane_module *module, uint32_t kernel, struct arena *arena, struct reach *reach)
{
    bool *seen = arena_array(arena, module->nfuncs, sizeof *seen);
    bool *used = arena_array(arena, (size_t)module->nsymbols + 1, sizeof *used); /* [0]: constants without a symbol */
    *reach = (struct reach){0};
    reach->funcs = arena_array(arena, module->nfuncs, sizeof *reach->funcs);
    reach->shared_at = arena_array(arena, module->nsymbols, sizeof *reach->shared_at);
    if (!seen || !used || !reach->funcs || !reach->shared_at)
        return false;
    add(reach, seen, kernel);
    for (uint32_t i = 0; i < reach->count; i++) { /* grows while it is walked */
        const struct lane_func *f = &module->funcs[reach->funcs[i]];
        add_callees(module, reach, seen, f);
        for (uint32_t c = 0; c < f->nconsts; c++)
            used[f->consts[c].symbol] = true;
        if (reads_reserved(f))
            reach->reserved_bytes = LANE_RESERVED_BYTES;
    }
    layout_shared(module, reach, used);
    return true;
}

bool reach_fits(const struct lane_call *call, const struct lane_func *callee)
{
    if (call->nargs != callee->nparams || call->nresults != callee->nresults)
        return false;
    for (uint32_t i = 0; i < call->nargs; i++)
        if (call->args[i].size != callee->params[i].size)
            return false;
    for (uint32_t i = 0; i < call->nresults; i++)
        if (call->results[i].size != callee->results[i].size)
            return false;
    return true;
}

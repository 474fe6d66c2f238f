/* What a kernel may run: the functions that calls can reach, and the shared memory that these name. */
#include "api/api.h"

#include <stdlib.h>

/* Adds a function that was not seen yet. */
static void reach_add(struct reach *reach, unsigned char *seen, uint32_t func)
{
    if (seen[func])
        return;
    seen[func] = 1;
    reach->funcs[reach->count++] = func;
}

bool reach_find(const struct lane_module *module, uint32_t func, struct reach *reach)
{
    *reach = (struct reach){.funcs = calloc(module->nfuncs + 1, sizeof *reach->funcs)};
    unsigned char *seen = calloc(module->nfuncs + 1, 1);
    bool ok = reach->funcs && seen;
    if (ok)
        reach_add(reach, seen, func);
    for (uint32_t i = 0; ok && i < reach->count; i++) { /* grows while it is walked */
        const struct lane_func *f = &module->funcs[reach->funcs[i]];
        for (uint32_t c = 0; c < f->ncalls; c++) {
            uint32_t callee = f->calls[c].function;
            bool all = callee >= module->nfuncs && !reach->indirect;
            for (uint32_t k = 0; all && k < module->nfuncs; k++)
                if (!module->funcs[k].kernel)
                    reach_add(reach, seen, k);
            reach->indirect = reach->indirect || callee >= module->nfuncs;
            if (callee < module->nfuncs)
                reach_add(reach, seen, callee);
        }
    }
    free(seen);
    return ok;
}

bool reach_shared(const struct lane_module *module, const struct reach *reach, uint64_t *bytes, bool *dynamic)
{
    unsigned char *used = calloc((size_t)module->nsymbols + 1, 1);
    if (!used)
        return false;
    for (uint32_t i = 0; i < reach->count; i++) {
        const struct lane_func *f = &module->funcs[reach->funcs[i]];
        for (uint32_t c = 0; c < f->nconsts; c++)
            if (f->consts[c].symbol <= module->nsymbols)
                used[f->consts[c].symbol] = 1; /* [0]: constants without a symbol */
    }
    *bytes = 0;
    *dynamic = false;
    for (uint32_t n = 1; n <= module->nsymbols; n++) {
        const struct lane_symbol *symbol = &module->symbols[n - 1];
        if (!used[n] || symbol->kind != LANE_SYMBOL_SHARED)
            continue;
        uint64_t align = symbol->align ? symbol->align : 1;
        *dynamic = *dynamic || symbol->dynamic;
        if (!symbol->dynamic)
            *bytes = (*bytes + align - 1) / align * align + symbol->size;
    }
    free(used);
    return true;
}

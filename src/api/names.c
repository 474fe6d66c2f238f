/* What the parameters of kernels are called in the source: from debug information, or, of machine code, from the text
 * that debug information keeps. Compilers call them otherwise (nvcc: KERNEL_param_0), and machine code not at all. */
#include "api/api.h"

#include "base/namemap.h"

#include <string.h>

/* Of a look through the debug information. */
struct naming {
    struct atoll_module *module;
    struct namemap kernels; /* by name */
    uint32_t *counts;       /* parameters that were found, of each kernel */
    bool failed;            /* no memory */
};

static const struct lane_func *kernel_func(const struct atoll_kernel *kernel)
{
    return &kernel->module->lanes.funcs[kernel->func];
}

static void name_set(struct naming *n, uint32_t index, uint32_t position, const char *name)
{
    struct atoll_kernel *kernel = &n->module->kernels[index];
    uint32_t count = kernel_func(kernel)->nkparams;
    n->counts[index] = position + 1;
    if (position >= count)
        return;
    if (!kernel->names)
        kernel->names = arena_array(&n->module->arena, count, sizeof *kernel->names);
    char *copy = kernel->names ? arena_text(&n->module->arena, name, strlen(name)) : NULL;
    n->failed |= !copy;
    if (copy)
        kernel->names[position] = copy;
}

static void on_parameter(void *user, const char *function, uint32_t position, const char *name)
{
    struct naming *n = user;
    uint32_t index = namemap_find(&n->kernels, function, strlen(function));
    if (index != UINT32_MAX && !n->failed)
        name_set(n, index, position, name);
}

/* Names count only where there is one for each parameter: what is counted otherwise was changed by the compiler. */
static void names_settle(struct naming *n)
{
    for (uint32_t i = 0; i < n->module->nkernels; i++) {
        struct atoll_kernel *kernel = &n->module->kernels[i];
        uint32_t count = kernel_func(kernel)->nkparams, known = 0;
        for (uint32_t k = 0; kernel->names && k < count; k++) {
            kernel->names[k] = kernel->names[k] ? kernel->names[k] : "";
            known += kernel->names[k][0] != 0;
        }
        if (n->counts[i] != count || known == 0)
            kernel->names = NULL;
        for (uint32_t k = 0; kernel->names && k < count; k++)
            if (kernel->names[k][0])
                n->module->lanes.funcs[kernel->func].kparams[k].source = kernel->names[k];
        n->counts[i] = 0;
    }
}

static bool any_named(const struct atoll_module *module)
{
    for (uint32_t i = 0; i < module->nkernels; i++)
        if (module->kernels[i].names)
            return true;
    return false;
}

/* Names that the texts give from which the sources were made. */
static bool names_of_texts(struct naming *n, const struct family_debug *debug, struct arena *arena)
{
    for (unsigned i = 0; i < n->module->nsources; i++) {
        const struct family *family = debug[i].text ? family_of_text(debug[i].text, debug[i].size) : NULL;
        if (family && family->parameter_names &&
            !family->parameter_names(arena, debug[i].text, debug[i].size, on_parameter, n))
            return false;
    }
    names_settle(n);
    return true;
}

static bool names_find(struct naming *n, struct arena *arena)
{
    struct atoll_module *module = n->module;
    struct family_debug *debug = arena_array(arena, module->nsources, sizeof *debug);
    if (!debug)
        return false;
    for (unsigned i = 0; i < module->nsources; i++) {
        if (!module->family->debug)
            continue;
        if (!module->family->debug(module->front, i, arena, &debug[i]))
            return false;
        dwarf_parameters(&debug[i].dwarf, on_parameter, n);
    }
    names_settle(n);
    return (any_named(module) || names_of_texts(n, debug, arena)) && !n->failed;
}

bool module_name_parameters(struct atoll_module *module)
{
    struct arena arena = {0};
    struct naming n = {.module = module};
    n.counts = arena_array(&arena, (size_t)module->nkernels + 1, sizeof *n.counts);
    bool ok = n.counts != NULL;
    for (uint32_t i = 0; ok && i < module->nkernels; i++) {
        const char *name = kernel_func(&module->kernels[i])->name;
        ok = namemap_add(&n.kernels, name, strlen(name), i);
    }
    ok = ok && names_find(&n, &arena);
    namemap_free(&n.kernels);
    arena_free(&arena);
    return ok;
}

const char *kernel_source_name(const struct atoll_kernel *kernel, uint32_t parameter)
{
    const char *name = kernel->names ? kernel->names[parameter] : "";
    return name[0] ? name : kernel_func(kernel)->kparams[parameter].source;
}

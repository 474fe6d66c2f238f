/* atoll.h: modules and kernels: text to a loaded module, look-ups by name. */
#include "api/api.h"

#include "base/mangled.h"
#include "base/nearest.h"
#include "base/text.h"
#include "engine/plan/reach.h"
#include "isa/foreign.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Positions in a text are 32-bit numbers; no kernel comes near. */
#define TEXT_LARGEST (UINT64_C(1) << 30)

/* Of UTF-8; some editors write it. */
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

static_assert(sizeof(size_t) == 8, "sizes are 64-bit numbers");

/* The source without a byte order mark, with a name. */
static struct atoll_source skip_mark(const struct atoll_source *source)
{
    struct atoll_source plain = *source;
    size_t mark = sizeof BYTE_ORDER_MARK - 1;
    if (!plain.file)
        plain.file = "<memory>";
    if (plain.size >= mark && memcmp(plain.text, BYTE_ORDER_MARK, mark) == 0) {
        plain.text += mark;
        plain.size -= mark;
    }
    return plain;
}

/* Copies text and file name, so that the caller may free its own. */
static bool source_keep(struct atoll_module *module, struct family_source *kept, const struct atoll_source *source,
                        struct atoll_error *error)
{
    struct atoll_source plain = skip_mark(source);
    *kept = (struct family_source){arena_text(&module->arena, plain.file, strlen(plain.file)),
                                   arena_text(&module->arena, plain.text, plain.size), plain.size};
    return (kept->file && kept->text) || error_memory(error);
}

static bool sources_keep(struct atoll_module *module, const struct atoll_source *sources, unsigned count,
                         struct atoll_error *error)
{
    struct text names = {0};
    bool ok = true;
    module->sources = arena_array(&module->arena, count, sizeof *module->sources);
    module->nsources = count;
    for (unsigned i = 0; i < count && module->sources; i++) {
        ok = ok && source_keep(module, &module->sources[i], &sources[i], error);
        text_printf(&names, "%s%s", i ? ", " : "", sources[i].file ? sources[i].file : "<memory>");
    }
    if (text_ok(&names) && module->sources)
        module->file = arena_text(&module->arena, names.bytes, names.length);
    text_free(&names);
    return ok && (module->file || error_memory(error));
}

static bool kernels_make(struct atoll_module *module, struct atoll_error *error)
{
    const struct lane_module *lanes = &module->lanes;
    module->kernels = arena_array(&module->arena, lanes->nfuncs, sizeof *module->kernels);
    if (!module->kernels)
        return error_memory(error);
    for (uint32_t i = 0; i < lanes->nfuncs; i++) {
        if (!lanes->funcs[i].kernel || !lanes->funcs[i].defined)
            continue;
        struct atoll_kernel *kernel = &module->kernels[module->nkernels++];
        kernel->module = module;
        kernel->func = i;
    }
    return true;
}

/* Fills in what atoll_kernel_info tells; done when a kernel is handed out first. */
static bool kernel_measure(struct atoll_kernel *kernel)
{
    const struct lane_module *lanes = &kernel->module->lanes;
    struct arena arena = {0};
    struct reach reach;
    if (kernel->measured)
        return true;
    kernel->measured = reach_find(lanes, kernel->func, &arena, &reach);
    if (kernel->measured) {
        kernel->dynamic_shared = reach.dynamic_shared;
        /* the launch refuses long before */
        kernel->shared_bytes = reach.shared_bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)reach.shared_bytes;
    }
    arena_free(&arena);
    kernel->source_name = mangled_name(&kernel->module->arena, lanes->funcs[kernel->func].name);
    return kernel->measured;
}

static void module_link(struct atoll_module *module, struct atoll_device *device)
{
    if (!device)
        return;
    module->owner = device;
    module->next = device->modules;
    module->link = &device->modules;
    if (module->next)
        module->next->link = &module->next;
    device->modules = module;
}

/* All sources are of one family. */
static bool one_family(struct atoll_module *module, struct atoll_error *error)
{
    const struct family_source *first = &module->sources[0];
    module->family = family_of_text(first->text, first->size);
    for (unsigned i = 1; i < module->nsources; i++) {
        const struct family_source *source = &module->sources[i];
        const struct family *family = family_of_text(source->text, source->size);
        if (family != module->family)
            return error_set(error, ATOLL_INPUT, "%.200s is %s, %.200s is %s: they cannot be joined", first->file,
                             module->family->title, source->file, family->title);
    }
    return true;
}

static bool front_load(struct atoll_module *module, const struct atoll_module_options *options,
                       struct atoll_error *error)
{
    struct family_load load = {.sources = module->sources,
                               .count = module->nsources,
                               .file = module->file,
                               .options = options,
                               .arena = &module->arena,
                               .lanes = &module->lanes};
    bool ok = module->family->load(&load, error);
    module->front = load.front;
    return ok;
}

/* Whether a name, NULL: none, is in a list of the family's. */
static bool name_known(const char *const *names, const char *name)
{
    for (const char *const *n = names; name && n && *n; n++)
        if (strcmp(*n, name) == 0)
            return true;
    return !name;
}

static bool name_refuse(const struct family *family, const char *const *names, const char *name, const char *what,
                        enum atoll_option option, struct atoll_error *error)
{
    struct text known = {0};
    for (const char *const *n = names; n && *n; n++)
        text_printf(&known, "%s %s", known.length ? "," : ":", *n);
    error_set(error, ATOLL_USAGE, "'%.100s' is no %s that %s knows%.200s", name, what, family->title,
              known.length ? known.bytes : ": it has none");
    text_free(&known);
    return error_option(error, option);
}

/* Options that not every family has. */
static bool options_check(const struct family *family, const struct atoll_module_options *options,
                          struct atoll_error *error)
{
    if (options->simd && !family->simd) {
        error_set(error, ATOLL_USAGE, "%u threads a warp: %s leaves no choice", options->simd, family->title);
        return error_option(error, ATOLL_OPTION_SIMD);
    }
    if (!name_known(family->abis, options->abi))
        return name_refuse(family, family->abis, options->abi, "ABI", ATOLL_OPTION_ABI, error);
    return name_known(family->tex_writes, options->tex_write) ||
           name_refuse(family, family->tex_writes, options->tex_write, "time of writing lookups",
                       ATOLL_OPTION_TEX_WRITE, error);
}

static bool readable(const struct family_source *source, struct atoll_error *error)
{
    return foreign_refuse(source->file, source->text, source->size, error);
}

static bool module_fill(struct atoll_module *module, const struct atoll_module_options *options,
                        struct atoll_error *error)
{
    for (unsigned i = 0; i < module->nsources; i++)
        if (!readable(&module->sources[i], error))
            return false;
    if (!one_family(module, error) || !options_check(module->family, options, error) ||
        !front_load(module, options, error) || !lane_verify(&module->lanes, error) || !kernels_make(module, error))
        return false;
    if (!module_name_parameters(module))
        return error_memory(error);
    return !module->owner || module_allocate(module, error);
}

static bool sources_check(const struct atoll_source *sources, unsigned count, struct atoll_error *error)
{
    if (!sources || !count)
        return error_set(error, ATOLL_USAGE, "atoll_module_link: no sources");
    for (unsigned i = 0; i < count; i++) {
        if (!sources[i].text && sources[i].size)
            return error_set(error, ATOLL_USAGE, "atoll_module_link: the text of source %u is NULL", i);
        if (sources[i].size > TEXT_LARGEST)
            return error_set(error, ATOLL_INPUT, "the text has %zu bytes: must be at most 2^30", sources[i].size);
    }
    return true;
}

bool atoll_module_link(struct atoll_device *device, const struct atoll_source *sources, unsigned count,
                       const struct atoll_module_options *options, struct atoll_module **module,
                       struct atoll_error *error)
{
    struct atoll_error ignored; /* diag fills the first error in any case */
    if (!error)
        error = &ignored;
    if (!module)
        return error_set(error, ATOLL_USAGE, "atoll_module_link: module is NULL");
    *module = NULL;
    if (!sources_check(sources, count, error))
        return false;
    struct atoll_module *created = calloc(1, sizeof *created);
    if (!created)
        return error_memory(error);
    static const struct atoll_module_options none;
    module_link(created, device);
    if (!sources_keep(created, sources, count, error) || !module_fill(created, options ? options : &none, error)) {
        atoll_module_destroy(created);
        return false;
    }
    *module = created;
    return true;
}

bool atoll_module_check(const struct atoll_source *sources, unsigned count, const struct atoll_module_options *options,
                        struct atoll_error *error)
{
    static const struct atoll_module_options none;
    struct atoll_error ignored;
    struct atoll_module *module;
    if (!error)
        error = &ignored;
    if (!sources_check(sources, count, error))
        return false;
    struct atoll_source plain = skip_mark(sources);
    struct family_source source = {plain.file, plain.text, plain.size};
    const struct family *family = family_of_text(source.text, source.size);
    if (count == 1 && family->check)
        return readable(&source, error) && options_check(family, options ? options : &none, error) &&
               family->check(&source, options ? options : &none, error);
    bool ok = atoll_module_link(NULL, sources, count, options, &module, error);
    atoll_module_destroy(module);
    return ok;
}

bool atoll_module_load(struct atoll_device *device, const char *text, size_t size,
                       const struct atoll_module_options *options, struct atoll_module **module,
                       struct atoll_error *error)
{
    struct atoll_source source = {.text = text, .size = size, .file = options ? options->file : NULL};
    if (!module || (!text && size))
        return error_set(error, ATOLL_USAGE, "atoll_module_load: %s is NULL", module ? "text" : "module");
    return atoll_module_link(device, &source, 1, options, module, error);
}

void atoll_module_destroy(struct atoll_module *module)
{
    if (!module)
        return;
    for (uint32_t i = 0; i < module->nkernels; i++)
        program_destroy(module->kernels[i].program);
    if (module->owner) {
        module_release(module);
        *module->link = module->next;
        if (module->next)
            module->next->link = module->link;
    }
    if (module->front && module->family->unload)
        module->family->unload(module->front);
    lane_module_free(&module->lanes);
    arena_free(&module->arena);
    free(module);
}

/* ---- look-ups ------------------------------------------------------------------------------------------ */

static const char *kernel_name(const struct atoll_kernel *kernel)
{
    return kernel->module->lanes.funcs[kernel->func].name;
}

/* "_Z4fillIfEvPT_i (fill<float>)" */
static void kernel_list(const struct atoll_kernel *kernel, const char *plain, struct text *out)
{
    text_printf(out, "%s%s", out->length ? ", " : "", kernel_name(kernel));
    if (plain)
        text_printf(out, " (%s)", plain);
}

/* The only kernel whose name in C++ is `name`. An error lists those that it could be, or else all. */
static bool kernel_find_plain(struct atoll_module *module, const char *name, struct atoll_kernel **kernel,
                              struct atoll_error *error)
{
    struct text known = {0}, alike = {0};
    unsigned found = 0;
    struct nearest nearest = nearest_to(name, strlen(name));
    for (uint32_t i = 0; i < module->nkernels; i++) {
        struct arena arena = {0};
        const char *plain = mangled_name(&arena, kernel_name(&module->kernels[i]));
        bool is = plain && mangled_is(plain, name);
        nearest_try(&nearest, kernel_name(&module->kernels[i]));
        if (plain)
            mangled_nearest(plain, &nearest);
        kernel_list(&module->kernels[i], plain, is ? &alike : &known);
        if (is && found++ == 0)
            *kernel = &module->kernels[i];
        arena_free(&arena);
    }
    if (found > 1)
        error_set(error, ATOLL_USAGE, "kernel '%.200s' in %.200s could be: %.500s", name, module->file, alike.bytes);
    if (found == 0) {
        error_set(error, ATOLL_USAGE, "no kernel '%.200s' in %.200s, which has: %.400s", name, module->file,
                  known.length ? known.bytes : "none");
        error_nearest(error, &nearest);
    }
    text_free(&known);
    text_free(&alike);
    if (found != 1)
        *kernel = NULL;
    return found == 1;
}

bool atoll_module_kernel(struct atoll_module *module, const char *name, struct atoll_kernel **kernel,
                         struct atoll_error *error)
{
    if (!module || !name || !kernel)
        return error_set(error, ATOLL_USAGE, "atoll_module_kernel: %s is NULL",
                         !module ? "module"
                         : !name ? "name"
                                 : "kernel");
    *kernel = NULL;
    unsigned found = 0;
    for (uint32_t i = 0; i < module->nkernels; i++)
        if (strcmp(kernel_name(&module->kernels[i]), name) == 0 && !found++)
            *kernel = &module->kernels[i];
    if (found > 1) {
        *kernel = NULL;
        return error_set(error, ATOLL_USAGE, "%u kernels of %.200s are called '%.200s': none of them is .visible",
                         found, module->file, name);
    }
    if (!*kernel && !kernel_find_plain(module, name, kernel, error))
        return false;
    return kernel_measure(*kernel) || error_memory(error);
}

struct atoll_kernel *atoll_module_kernel_at(struct atoll_module *module, unsigned index)
{
    bool known = module && index < module->nkernels && kernel_measure(&module->kernels[index]);
    return known ? &module->kernels[index] : NULL;
}

/* Number of the symbol called `name` that has memory, or 0. */
static uint32_t symbol_find(const struct atoll_module *module, const char *name, enum lane_symbol_kind kind)
{
    for (uint32_t n = 1; n <= module->lanes.nsymbols; n++) {
        const struct lane_symbol *symbol = &module->lanes.symbols[n - 1];
        if (symbol->kind == kind && symbol->name && strcmp(symbol->name, name) == 0)
            return n;
    }
    return 0;
}

bool atoll_module_variable(const struct atoll_module *module, const char *name, uint64_t *address, uint64_t *size,
                           struct atoll_error *error)
{
    if (!module || !name)
        return error_set(error, ATOLL_USAGE, "atoll_module_variable: %s is NULL", module ? "name" : "module");
    if (!module->owner)
        return error_set(error, ATOLL_USAGE, "atoll_module_variable: the module was loaded without a device");
    uint32_t symbol = symbol_find(module, name, LANE_SYMBOL_GLOBAL);
    if (!symbol)
        return error_set(error, ATOLL_USAGE, "no .global or .const variable '%.200s' in %.200s", name, module->file);
    if (address)
        *address = module->addresses[symbol - 1];
    if (size)
        *size = module->lanes.symbols[symbol - 1].size;
    return true;
}

bool atoll_module_bind_surface(struct atoll_module *module, const char *name, uint32_t index,
                               struct atoll_surface *surface, struct atoll_error *error)
{
    if (!module || !name)
        return error_set(error, ATOLL_USAGE, "atoll_module_bind_surface: %s is NULL", module ? "name" : "module");
    if (!module->owner)
        return error_set(error, ATOLL_USAGE, "atoll_module_bind_surface: the module was loaded without a device");
    if (surface && surface->owner != module->owner)
        return error_set(error, ATOLL_USAGE, "atoll_module_bind_surface: the surface belongs to another device");
    if (surface && !surface_alive(surface, "atoll_module_bind_surface", error))
        return false;
    uint32_t symbol = symbol_find(module, name, LANE_SYMBOL_SURFREF);
    if (!symbol)
        return error_set(error, ATOLL_USAGE, "no .surfref variable '%.200s' in %.200s", name, module->file);
    uint32_t count = module->lanes.symbols[symbol - 1].count;
    if (index >= count)
        return error_set(error, ATOLL_USAGE, "element %" PRIu32 " of .surfref '%.200s', which has %" PRIu32, index,
                         name, count);
    uint64_t handle = module->addresses[symbol - 1] + 8 * (uint64_t)index;
    return device_bind(module->owner->device, handle, surface ? surface->surface : NULL) ||
           error_set(error, ATOLL_USAGE, ".surfref '%.200s' has no memory", name);
}

/* ---- kernels --------------------------------------------------------------------------------------------- */

void atoll_kernel_describe(const struct atoll_kernel *kernel, struct atoll_kernel_info *info)
{
    const struct lane_func *func = &kernel->module->lanes.funcs[kernel->func];
    *info = (struct atoll_kernel_info){.name = func->name,
                                       .parameters = func->nkparams,
                                       .parameter_bytes = func->param_bytes,
                                       .shared_bytes = kernel->shared_bytes,
                                       .dynamic_shared = kernel->dynamic_shared,
                                       .local_bytes = func->local_bytes,
                                       .registers = func->nregs};
    memcpy(info->required_block, func->required_block, sizeof info->required_block);
    memcpy(info->max_block, func->max_block, sizeof info->max_block);
    info->token_stack = func->stacked;
    info->warp_lanes = func->warp_lanes;
    info->thread_grid = func->thread_grid;
    info->source_name = kernel->source_name;
}

bool atoll_kernel_parameter(const struct atoll_kernel *kernel, unsigned index, struct atoll_parameter_info *info,
                            struct atoll_error *error)
{
    if (!kernel || !info)
        return error_set(error, ATOLL_USAGE, "atoll_kernel_parameter: %s is NULL", kernel ? "info" : "kernel");
    const struct lane_func *func = &kernel->module->lanes.funcs[kernel->func];
    if (index >= func->nkparams)
        return error_set(error, ATOLL_USAGE, "parameter %u of kernel '%.200s', which has %" PRIu32, index, func->name,
                         func->nkparams);
    const struct lane_param *param = &func->kparams[index];
    *info = (struct atoll_parameter_info){.name = param->name,
                                          .source_name = kernel_source_name(kernel, index),
                                          .type = param->type,
                                          .offset = param->offset,
                                          .size = param->size,
                                          .align = param->align,
                                          .count = param->count,
                                          .pointer = param->pointer,
                                          .optional = param->optional,
                                          .usual = param->usual};
    return true;
}

/* ---- texts ------------------------------------------------------------------------------------------------- */

bool atoll_module_text(const struct atoll_module *module, enum atoll_text what, char **text, size_t *size,
                       struct atoll_error *error)
{
    if (!module || !text)
        return error_set(error, ATOLL_USAGE, "atoll_module_text: %s is NULL", module ? "text" : "module");
    *text = NULL;
    struct text out = {0};
    bool ok = true;
    text_add(&out, "", 0); /* an empty text is a text too */
    switch (what) {
    case ATOLL_TEXT_CANONICAL:
    case ATOLL_TEXT_INSN:
        ok = (what == ATOLL_TEXT_INSN ? module->family->insns : module->family->print)(module->front, &out, error);
        break;
    case ATOLL_TEXT_LANES:
        lane_print(&module->lanes, &out);
        break;
    case ATOLL_TEXT_INFO:
        module_info(module, &out);
        break;
    case ATOLL_TEXT_INFO_JSON:
        module_info_json(module, &out);
        break;
    default:
        text_free(&out);
        return error_set(error, ATOLL_USAGE, "atoll_module_text: unknown text %u", (unsigned)what);
    }
    size_t length;
    return api_give(&out, ok, text, size ? size : &length, error);
}

bool api_give(struct text *out, bool ok, char **text, size_t *size, struct atoll_error *error)
{
    if (ok)
        text_add(out, "", 0); /* terminated even when empty */
    if (ok && !text_ok(out))
        ok = error_memory(error);
    if (!ok) {
        text_free(out);
        return false;
    }
    *text = out->bytes;
    *size = out->length;
    return true;
}

void atoll_text_free(char *text)
{
    free(text);
}

/* Intel vISA as a family: containers and text to modules. */
#include "isa/visa/family.h"

#include "isa/diag.h"
#include "isa/visa/check.h"
#include "isa/visa/explain.h"
#include "isa/visa/launch.h"
#include "isa/visa/lower.h"
#include "isa/visa/parse.h"
#include "lane/lane.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct visa_front {
    const struct family_source *sources;
    struct visa_module *modules; /* of each source */
    unsigned count;
};

static const struct visa_front *own(const struct front *front)
{
    return (const struct visa_front *)front;
}

/* ---- in --------------------------------------------------------------------------------------------------- */

/* Whether a word begins here. */
static bool word_at(const char *at, const char *end, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(end - at) > length && memcmp(at, word, length) == 0 && isspace((unsigned char)at[length]);
}

/* PTX begins with .version too; there the target follows, here a kernel or a function. */
bool visa_takes(const char *text, size_t size)
{
    static const char *const begins[] = {".kernel", ".global_function", ".funcdecl"};
    const char *end = text + size, *at = text;
    if (visa_is_container(text, size))
        return true;
    at = family_skip_comments(at, end);
    if (!word_at(at, end, ".version"))
        return false;
    while (at < end && *at != '\n')
        at++;
    at = family_skip_comments(at, end);
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (word_at(at, end, begins[i]))
            return true;
    return false;
}

/* With a platform or strictly, what a verifier says. False: no memory. */
static bool verdict(const struct visa_module *module, struct diag *diag)
{
    const struct atoll_module_options *options = diag->options;
    if (!options || diag->errors || (!options->target && !options->strict))
        return true;
    enum visa_platform platform = options->target ? visa_platform_find(options->target) : VISA_PLATFORMS;
    return visa_check(module, platform, options->strict, diag);
}

static bool text_load(struct arena *arena, const char *text, size_t size, const struct atoll_module_options *options,
                      struct visa_module *module, struct atoll_error *error)
{
    struct atoll_error first = {0};
    struct diag diag = {.source = text, .size = size, .options = options, .first = &first, .hold = true};
    bool parsed = visa_parse(arena, &diag, module) && verdict(module, &diag);
    diag_flush(&diag);
    if (!parsed)
        return error_memory(error);
    if (diag.errors && error)
        *error = first;
    return !diag.errors;
}

/* Who checks without a platform is told that syntax and names are all that was looked at. */
static void say_unasked(const struct atoll_module_options *options)
{
    struct atoll_diagnostic note = {
        .severity = ATOLL_NOTE,
        .code = "no-platform",
        .message =
            "syntax and names are right; a target (SKL or another platform) asks for the verdict of Intel's tool, "
            "strict for that of its documentation",
        .file = options->file ? options->file : "<memory>",
    };
    if (!options->target && !options->strict && options->diagnose)
        options->diagnose(options->user, &note);
}

/* Messages about bytes say in words where. */
static bool bytes_load(struct arena *arena, const char *bytes, size_t size, const struct atoll_module_options *options,
                       struct visa_module *module, struct atoll_error *error)
{
    struct atoll_error why = {0}, first = {0};
    struct diag diag = {.source = "", .options = options, .first = &first};
    if (!visa_read(arena, bytes, size, module, &why))
        return options && options->file ? error_set(error, why.status, "%.300s: %s", options->file, why.message)
                                        : error_set(error, why.status, "%s", why.message);
    if (!verdict(module, &diag))
        return error_memory(error);
    if (diag.errors && error)
        *error = first;
    return !diag.errors;
}

bool visa_load(struct arena *arena, const char *text, size_t size, const struct atoll_module_options *options,
               struct visa_module *module, struct atoll_error *error)
{
    if (options && options->target && visa_platform_find(options->target) == VISA_PLATFORMS)
        return error_set(
            error, ATOLL_USAGE,
            "vISA has no platform '%.40s'; it has BDW, SKL, BXT, ICLLP, TGLLP, XeHP_SDV, DG2, MTL, PVC, PVCXT",
            options->target);
    if (visa_is_container(text, size))
        return bytes_load(arena, text, size, options, module, error);
    return text_load(arena, text, size, options, module, error);
}

static bool source_load(struct visa_front *front, const struct family_load *load, unsigned i, struct atoll_error *error)
{
    struct atoll_module_options options = *load->options;
    struct visa_module *module = &front->modules[i];
    options.file = load->sources[i].file;
    if (!visa_load(load->arena, load->sources[i].text, load->sources[i].size, &options, module, error))
        return false;
    for (unsigned k = 0; k < module->nkernels; k++)
        if (!visa_lower_kernel(load->arena, module, &module->kernels[k], &options, load->lanes, error))
            return false;
    return true;
}

static bool load(struct family_load *load, struct atoll_error *error)
{
    struct visa_front *front = arena_alloc(load->arena, sizeof *front);
    struct visa_module *modules = arena_array(load->arena, load->count, sizeof *modules);
    if (!front || !modules)
        return error_memory(error);
    *front = (struct visa_front){load->sources, modules, load->count};
    load->front = (struct front *)front;
    for (unsigned i = 0; i < load->count; i++)
        if (!source_load(front, load, i, error))
            return false;
    return true;
}

static bool check(const struct family_source *source, const struct atoll_module_options *given,
                  struct atoll_error *error)
{
    struct arena arena = {0};
    struct visa_module module;
    struct atoll_module_options options = *given;
    options.file = source->file;
    bool ok = visa_load(&arena, source->text, source->size, &options, &module, error);
    if (ok)
        say_unasked(&options);
    arena_free(&arena);
    return ok;
}

/* ---- out -------------------------------------------------------------------------------------------------- */

static void source_name(const struct visa_front *front, unsigned i, struct text *out)
{
    if (front->count > 1)
        text_printf(out, "%s// %s\n", i ? "\n" : "", front->sources[i].file);
}

static bool print(const struct front *given, struct text *out, struct atoll_error *error)
{
    const struct visa_front *front = own(given);
    (void)error;
    for (unsigned i = 0; i < front->count; i++) {
        source_name(front, i, out);
        visa_print(&front->modules[i], out);
    }
    return true;
}

static void object_insns(const struct visa_object *object, struct text *out)
{
    text_printf(out, "%s:\n", object->name);
    for (uint32_t i = 0; i < object->ninsts; i++) {
        const struct visa_inst *inst = &object->insts[i];
        if (inst->line)
            text_printf(out, "%6u  ", inst->line);
        else
            text_printf(out, "0x%04x  ", object->entry + inst->pos);
        visa_print_inst(object, inst, out);
        text_puts(out, "\n");
    }
}

static bool insns(const struct front *given, struct text *out, struct atoll_error *error)
{
    const struct visa_front *front = own(given);
    (void)error;
    for (unsigned i = 0; i < front->count; i++) {
        const struct visa_module *m = &front->modules[i];
        source_name(front, i, out);
        for (unsigned k = 0; k < m->nkernels; k++)
            object_insns(&m->kernels[k], out);
        for (unsigned k = 0; k < m->nfunctions; k++)
            object_insns(&m->functions[k], out);
    }
    return true;
}

static void target(const struct front *front, unsigned source, struct family_target *out)
{
    const struct visa_module *m = &own(front)->modules[source];
    *out = (struct family_target){.kind = "vISA", .version = m->major * 10u + m->minor, .address_size = 64};
}

/* Names that the text or the bytes declare in a space, but for general variables. */
static void tell_space(const struct visa_object *k, enum visa_space space, const char *list, family_told_fn *told,
                       void *user)
{
    for (uint32_t i = 0; i < k->nvars[space]; i++)
        told(user, &(struct family_told){.list = list, .name = k->strings[k->vars[space][i].name]});
}

static void tell_attributes(const struct visa_object *k, family_told_fn *told, void *user)
{
    for (uint32_t i = 0; i < k->nattributes; i++) {
        const struct visa_attribute *a = &k->attributes[i];
        const char *name = k->strings[a->name];
        char kind = visa_attribute_kind(name), value[300];
        if (kind == 'i' || (kind == 't' && a->size <= 4))
            snprintf(value, sizeof value, "%d", (int)visa_attribute_value(a));
        else
            snprintf(value, sizeof value, "%.*s", (int)a->size, a->value ? a->value : "");
        told(user, &(struct family_told){.list = "attributes", .name = name, .value = kind == 'b' ? NULL : value});
    }
}

static const struct visa_object *kernel_of(const struct visa_front *front, unsigned number)
{
    for (unsigned i = 0; i < front->count; number -= front->modules[i].nkernels, i++)
        if (number < front->modules[i].nkernels)
            return &front->modules[i].kernels[number];
    return NULL;
}

static void tell(const struct front *front, unsigned number, family_told_fn *told, void *user)
{
    const struct visa_object *k = kernel_of(own(front), number);
    if (!k)
        return;
    for (uint32_t i = 0; i < k->ninputs; i++) {
        const struct visa_input *input = &k->inputs[i];
        static const uint8_t spaces[] = {VISA_G, VISA_S, VISA_T, VISA_G};
        const char *name = visa_name(k, spaces[input->kind & 3], input->id);
        told(user, &(struct family_told){.list = "inputs",
                                         .name = name ? name : "?",
                                         .placed = true,
                                         .offset = (uint32_t)input->offset,
                                         .size = input->size});
    }
    tell_space(k, VISA_T, "surfaces", told, user);
    tell_space(k, VISA_S, "samplers", told, user);
    tell_attributes(k, told, user);
}

/* ---- the row ---------------------------------------------------------------------------------------------- */

static const char *const machines[] = {"VISA", NULL};

const struct family visa_family = {
    .name = "visa",
    .title = "vISA",
    .machines = machines,
    .limits = {.grid = {UINT32_MAX, UINT32_MAX, UINT32_MAX},
               .block = {1024, 1024, 1024},
               .block_threads = 1024,
               .shared_bytes = 64 * 1024, /* docs/visa.md, "Shared local memory" */
               .shared_text = "64 KiB",
               .required = "a required group size",
               .at_most = "a largest group size"},
    .simd = true,
    .abis = visa_abis,
    .takes = visa_takes,
    .load = load,
    .check = check,
    .print = print,
    .insns = insns,
    .target = target,
    .tell = tell,
    .explains = visa_explains,
    .explain = visa_explain,
    .list = visa_list,
    .code = &visa_family_code,
};

/* PTX as a family: texts to modules that are right, each for itself and all together, and what is told of them. */
#include "isa/ptx/family.h"

#include "base/text.h"
#include "isa/diag.h"
#include "isa/ptx/debug.h"
#include "isa/ptx/explain.h"
#include "isa/ptx/parse.h"
#include "lane/lane.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct ptx_front {
    const struct family_source *sources;
    struct ptx_module **modules; /* of each source */
    unsigned count;
};

static const struct ptx_front *own(const struct front *front)
{
    return (const struct ptx_front *)front;
}

/* ---- in --------------------------------------------------------------------------------------------------- */

/* Messages and options of each source while they are read. */
struct reading {
    struct diag *diags;
    struct atoll_module_options *options;
    struct atoll_error *firsts; /* first errors */
};

static bool reading_make(struct arena *arena, size_t n, struct reading *r, struct atoll_error *error)
{
    r->diags = arena_array(arena, n, sizeof *r->diags);
    r->options = arena_array(arena, n, sizeof *r->options);
    r->firsts = arena_array(arena, n, sizeof *r->firsts);
    return (r->diags && r->options && r->firsts) || error_memory(error);
}

/* The first error of all becomes the call's; where there are several files it names its own. */
static bool no_errors(const struct family_load *load, const struct reading *r, struct atoll_error *error)
{
    for (unsigned i = 0; i < load->count; i++) {
        const struct atoll_error *first = &r->firsts[i];
        if (!r->diags[i].errors)
            continue;
        *error = *first;
        if (load->count > 1)
            error_at(error, ATOLL_INVALID, first->line, first->column, "%.300s:%u:%u: %s", load->sources[i].file,
                     first->line, first->column, first->message);
        return false;
    }
    return true;
}

static bool source_parse(const struct family_load *load, unsigned i, struct reading *r, struct ptx_module **module)
{
    const struct family_source *source = &load->sources[i];
    struct diag *diag = &r->diags[i];
    r->options[i] = *load->options;
    r->options[i].file = source->file;
    *diag = (struct diag){
        .source = source->text, .size = source->size, .options = &r->options[i], .first = &r->firsts[i], .hold = true};
    bool parsed = ptx_parse(load->arena, diag, module);
    if (parsed && !diag->stop)
        ptx_check(*module, diag);
    diag_flush(diag);
    if (parsed)
        (*module)->file = load->count > 1 ? source->file : NULL;
    if (parsed)
        (*module)->fmad = load->options->fmad;
    return parsed && !diag->no_memory;
}

static bool sources_parse(const struct family_load *load, struct reading *r, struct ptx_module **modules,
                          struct atoll_error *error)
{
    for (unsigned i = 0; i < load->count; i++)
        if (!source_parse(load, i, r, &modules[i]))
            return error_memory(error);
    if (!no_errors(load, r, error))
        return false;
    if (load->count > 1 && !ptx_link(modules, r->diags, load->count))
        return error_memory(error);
    return no_errors(load, r, error);
}

static bool load(struct family_load *load, struct atoll_error *error)
{
    struct arena arena = {0};
    struct reading r;
    struct ptx_front *front = arena_alloc(load->arena, sizeof *front);
    struct ptx_module **modules = arena_array(load->arena, load->count, sizeof(struct ptx_module *));
    if (!front || !modules)
        return error_memory(error);
    *front = (struct ptx_front){load->sources, modules, load->count};
    load->front = (struct front *)front;
    bool ok = ptx_options_check(load->options, error) && reading_make(&arena, load->count, &r, error) &&
              sources_parse(load, &r, modules, error) && ptx_lower_all(modules, load->count, load->lanes, error);
    arena_free(&arena);
    return ok;
}

static bool check(const struct family_source *source, const struct atoll_module_options *given,
                  struct atoll_error *error)
{
    struct atoll_error first = {0};
    struct atoll_module_options options = *given;
    options.file = source->file;
    if (!ptx_options_check(&options, error))
        return false;
    struct diag diag = {
        .source = source->text, .size = source->size, .options = &options, .first = &first, .hold = true};
    bool ok = ptx_validate(&diag);
    diag_flush(&diag);
    if (!ok)
        return error_memory(error);
    if (diag.errors)
        *error = first;
    return diag.errors == 0;
}

/* A text begins with .version; what does not may be another family's. */
static bool takes(const char *text, size_t size)
{
    static const char version[] = ".version";
    size_t length = sizeof version - 1;
    const char *end = text + size, *at = family_skip_comments(text, end);
    return (size_t)(end - at) > length && memcmp(at, version, length) == 0 && isspace((unsigned char)at[length]);
}

/* ---- out -------------------------------------------------------------------------------------------------- */

/* Where there are several files, each with its name first. */
static void source_name(const struct ptx_front *front, unsigned i, struct text *out)
{
    if (front->count > 1)
        text_printf(out, "%s// %s\n", i ? "\n" : "", front->sources[i].file);
}

static bool print(const struct front *given, struct text *out, struct atoll_error *error)
{
    const struct ptx_front *front = own(given);
    (void)error;
    for (unsigned i = 0; i < front->count; i++) {
        source_name(front, i, out);
        ptx_print(front->modules[i], out);
    }
    return true;
}

/* The statement's text with every run of white space as one blank. */
static void print_squeezed(struct text *out, const char *text, size_t length)
{
    bool blank = false;
    for (size_t i = 0; i < length; i++) {
        bool space = text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r');
        if (space && !blank)
            text_puts(out, " ");
        else if (!space)
            text_add(out, text + i, 1);
        blank = space;
    }
}

static void func_insns(const struct ptx_func *func, struct diag *diag, struct text *out)
{
    text_printf(out, "%s:\n", func->decl->name);
    for (uint32_t k = 0; k < func->nstmts; k++) {
        const struct ptx_stmt *stmt = &func->stmts[k];
        uint32_t line = 0, column = 0;
        if (stmt->kind == PTX_STMT_LABEL)
            text_printf(out, "%s:\n", stmt->decl->name);
        if (stmt->kind != PTX_STMT_INSN)
            continue;
        diag_place(diag, stmt->span.pos, &line, &column);
        const char *row = stmt->insn->row ? ptx_row_name(stmt->insn->row) : "?";
        text_printf(out, "%6" PRIu32 "  %-10s ", line, row);
        print_squeezed(out, diag->source + stmt->span.pos, stmt->span.length);
        text_puts(out, "\n");
    }
}

static bool insns(const struct front *given, struct text *out, struct atoll_error *error)
{
    const struct ptx_front *front = own(given);
    (void)error;
    for (unsigned i = 0; i < front->count; i++) {
        struct diag diag = {.source = front->sources[i].text, .size = front->sources[i].size};
        source_name(front, i, out);
        for (uint32_t k = 0; k < front->modules[i]->nfuncs; k++)
            if (front->modules[i]->funcs[k]->has_body)
                func_insns(front->modules[i]->funcs[k], &diag, out);
    }
    return true;
}

static void target(const struct front *front, unsigned source, struct family_target *out)
{
    const struct ptx_module *ptx = own(front)->modules[source];
    *out = (struct family_target){"PTX", ptx->version, ptx->target, ptx->address_size, ptx->target_suffix};
}

static bool debug(const struct front *front, unsigned source, struct arena *arena, struct family_debug *out)
{
    return ptx_debug(own(front)->modules[source], arena, &out->dwarf);
}

/* ---- names ------------------------------------------------------------------------------------------------ */

/* A name that a compiler made up says nothing about the source. */
static bool made_up(const char *name, const char *function, uint32_t position)
{
    char number[32];
    size_t length = strlen(function);
    snprintf(number, sizeof number, "_param_%u", position);
    return strncmp(name, function, length) == 0 && strcmp(name + length, number) == 0;
}

static bool parameter_names(struct arena *arena, const char *text, size_t size, family_name_fn *found, void *user)
{
    struct atoll_module_options options = {0};
    struct diag diag = {.source = text, .size = size, .options = &options};
    struct ptx_module *ptx;
    if (!ptx_parse(arena, &diag, &ptx))
        return false;
    for (uint32_t i = 0; i < ptx->nfuncs; i++) {
        const struct ptx_func *f = ptx->funcs[i];
        const char *function = f->decl ? f->decl->name : NULL;
        for (uint32_t k = 0; function && f->has_body && k < f->nparams; k++) {
            const char *name = f->params[k]->name;
            found(user, function, k, name && !made_up(name, function, k) ? name : "");
        }
    }
    return true;
}

static bool explain(const char *instruction, unsigned machine, struct arena *arena, struct family_explained *found,
                    struct atoll_error *error)
{
    (void)machine;
    return ptx_explain(instruction, arena, found, error);
}

static const char *const machines[] = {"PTX", NULL};

const struct family ptx_family = {
    .name = "ptx",
    .title = "PTX",
    .machines = machines,
    .not_code = "this is PTX: atoll run, check, info and fmt take it as it is; machine code is made of it by ptxas",
    /* CUDA C++ programming guide, technical specifications: compute capability 9.0 */
    .limits = {.grid = {INT32_MAX, 65535, 65535},
               .block = {1024, 1024, 64},
               .block_threads = 1024,
               .shared_bytes = 227 * 1024,
               .shared_text = "227 KiB",
               .required = ".reqntid",
               .at_most = ".maxntid"},
    .takes = takes,
    .load = load,
    .check = check,
    .print = print,
    .insns = insns,
    .target = target,
    .debug = debug,
    .parameter_names = parameter_names,
    .explain = explain,
    .list = ptx_list,
};

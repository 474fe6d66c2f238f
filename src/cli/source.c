/* Reading the module that a sub-command works on. */
#include "cli/cli.h"

#include <string.h>

#include "file/file.h"

#define SOURCE_LARGEST (UINT64_C(1) << 30) /* bytes of a module's text */

/* The library knows no options of a command line. */
static void name_option(struct atoll_error *error)
{
    static const char *const options[] = {[ATOLL_OPTION_TARGET] = "--target",
                                          [ATOLL_OPTION_VERSION] = "--ptx-version",
                                          [ATOLL_OPTION_SIMD] = "--simd",
                                          [ATOLL_OPTION_ABI] = "--abi",
                                          [ATOLL_OPTION_TEX_WRITE] = "--tex-write"};
    if (error->option != ATOLL_OPTION_NONE)
        error_in(options[error->option], error);
}

bool module_read(const char *path, struct blob *blob, struct atoll_error *error)
{
    if (!file_read(path, SOURCE_LARGEST, blob, error))
        return false;
    if (blob->size)
        return true;
    blob_free(blob);
    return error_set(error, ATOLL_INPUT, "'%.500s' is empty: there is no module in it", path);
}

/* The files in memory, for atoll_module_link. */
struct sources {
    struct atoll_source *list;
    struct blob *blobs;
    unsigned count;
};

static bool sources_read(struct sources *s, struct arena *arena, const struct list *paths, struct atoll_error *error)
{
    s->list = arena_array(arena, paths->count, sizeof *s->list);
    s->blobs = arena_array(arena, paths->count, sizeof *s->blobs);
    if (!s->list || !s->blobs)
        return error_memory(error);
    for (; s->count < paths->count; s->count++) {
        const char *path = paths->items[s->count];
        struct blob *blob = &s->blobs[s->count];
        if (!module_read(path, blob, error))
            return false;
        s->list[s->count] = (struct atoll_source){
            .text = (const char *)blob->bytes, .size = blob->size, .file = strcmp(path, "-") == 0 ? "<stdin>" : path};
    }
    return true;
}

/* module NULL: the files are validated only. False: said, *code is the exit code. */
static bool sources_use(const struct list *paths, const struct source_options *options, struct atoll_device *device,
                        struct atoll_module **module, struct diagnosed *diagnosed, int *code)
{
    struct atoll_error error = {0};
    struct arena arena = {0};
    struct sources sources = {0};
    bool ok = false;
    struct atoll_module_options load = {.max_errors = options->max_errors,
                                        .strict = options->strict,
                                        .target = options->target,
                                        .version = options->version,
                                        .simd = options->simd,
                                        .tex_write = options->tex_write,
                                        .fmad = options->fmad,
                                        .diagnose = diagnose_print,
                                        .user = diagnosed};
    if (diagnose_form(options->diagnostics, diagnosed, &error) && abi_open(&arena, options, &load, &error) &&
        sources_read(&sources, &arena, paths, &error))
        ok = module ? atoll_module_link(device, sources.list, sources.count, &load, module, &error)
                    : atoll_module_check(sources.list, sources.count, &load, &error);
    for (unsigned i = 0; i < sources.count; i++)
        blob_free(&sources.blobs[i]);
    arena_free(&arena);
    *code = EXIT_OK;
    if (diagnosed->unwritten.status != ATOLL_OK) {
        *code = cli_fail(&diagnosed->unwritten);
        return false;
    }
    if (ok)
        return true;
    /* What has been said as a diagnostic is not said again. */
    name_option(&error);
    *code = diagnosed->errors && error.status == ATOLL_INVALID ? EXIT_KERNEL : cli_fail(&error);
    return false;
}

struct atoll_module *sources_load(const struct list *paths, const struct source_options *options,
                                  struct atoll_device *device, struct diagnosed *diagnosed, int *code)
{
    struct atoll_module *module = NULL;
    if (sources_use(paths, options, device, &module, diagnosed, code))
        return module;
    atoll_module_destroy(module);
    return NULL;
}

int sources_check(const struct list *paths, const struct source_options *options, struct diagnosed *diagnosed)
{
    int code;
    sources_use(paths, options, NULL, NULL, diagnosed, &code);
    return code;
}

int sources_text(const struct list *paths, const struct source_options *options, enum atoll_text what,
                 const char *output)
{
    struct diagnosed seen = {0};
    struct atoll_error error;
    char *text;
    size_t size;
    int code;
    struct atoll_module *module = sources_load(paths, options, NULL, &seen, &code);
    if (!module)
        return code;
    if (!atoll_module_text(module, what, &text, &size, &error))
        code = cli_fail(&error);
    else {
        if (!file_write(output ? output : "-", text, size, &error))
            code = cli_fail(&error);
        atoll_text_free(text);
    }
    atoll_module_destroy(module);
    return code;
}

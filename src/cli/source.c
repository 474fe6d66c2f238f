/* Reading the module that a sub-command works on. */
#include "cli/cli.h"

#include <string.h>

#include "file/file.h"

#define SOURCE_LARGEST (UINT64_C(1) << 30) /* bytes of a module's text */

static bool form_parse(const char *form, struct diagnosed *diagnosed, struct atoll_error *error)
{
    *diagnosed = (struct diagnosed){.json = form && strcmp(form, "json") == 0};
    diagnosed->colors = !diagnosed->json && diagnose_colors(stderr);
    return !form || diagnosed->json || strcmp(form, "text") == 0 ||
           error_set(error, ATOLL_USAGE, "--diagnostics=%.100s: wanted text or json", form);
}

/* The library knows no options of a command line. */
static void name_option(struct atoll_error *error)
{
    if (strncmp(error->message, "PTX has no target", strlen("PTX has no target")) == 0)
        error_in("--target", error);
    else if (strncmp(error->message, "PTX has no version", strlen("PTX has no version")) == 0)
        error_in("--ptx-version", error);
}

struct atoll_module *source_load(const char *path, const struct source_options *options, struct atoll_device *device,
                                 struct diagnosed *diagnosed, int *code)
{
    struct atoll_error error = {0};
    struct blob text = {0};
    struct atoll_module *module = NULL;
    struct atoll_module_options load = {.file = strcmp(path, "-") == 0 ? "<stdin>" : path,
                                        .max_errors = options->max_errors,
                                        .strict = options->strict,
                                        .target = options->target,
                                        .version = options->version,
                                        .diagnose = diagnose_print,
                                        .user = diagnosed};
    if (form_parse(options->diagnostics, diagnosed, &error) && file_read(path, SOURCE_LARGEST, &text, &error))
        atoll_module_load(device, (const char *)text.bytes, text.size, &load, &module, &error);
    blob_free(&text);
    *code = EXIT_OK;
    if (diagnosed->unwritten.status != ATOLL_OK) {
        *code = cli_fail(&diagnosed->unwritten);
        atoll_module_destroy(module);
        return NULL;
    }
    if (module)
        return module;
    /* What has been said as a diagnostic is not said again. */
    if (error.status == ATOLL_USAGE)
        name_option(&error);
    *code = diagnosed->errors && error.status == ATOLL_INVALID ? EXIT_KERNEL : cli_fail(&error);
    return NULL;
}

/* atoll info: kernels, parameters, memory and features of a module. */
#include "cli/cli.h"

struct info_options {
    struct source_options source;
    bool json;
};

static const struct option options[] = {
    {"json", 0, NULL, OPTION_FLAG, offsetof(struct info_options, json), "as JSON"},
    SOURCE_OPTIONS(struct info_options, source),
    {0},
};

static int run_command(const struct command *command, struct arena *arena, const void *given, const struct list *plain)
{
    (void)command, (void)arena;
    const struct info_options *o = given;
    struct diagnosed seen = {0};
    struct atoll_error error;
    char *text;
    size_t size;
    int code;
    struct atoll_module *module = sources_load(plain, &o->source, NULL, &seen, &code);
    if (!module)
        return code;
    if (atoll_module_text(module, o->json ? ATOLL_TEXT_INFO_JSON : ATOLL_TEXT_INFO, &text, &size, &error)) {
        code = cli_put(text, size, code);
        atoll_text_free(text);
    } else
        code = cli_fail(&error);
    atoll_module_destroy(module);
    return code;
}

const struct command command_info = {
    .name = "info",
    .synopsis = "FILE... [options]",
    .summary = "show kernels, parameters, memory and features",
    .options = options,
    .least = 1,
    .notes = "Several files are joined as one module, as for run.\n",
    .most = FILES_MOST,
    .size = sizeof(struct info_options),
    .run = run_command,
};

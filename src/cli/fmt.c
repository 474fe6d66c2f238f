/* atoll fmt: prints a module canonically. */
#include "cli/cli.h"
#include "file/file.h"

struct fmt_options {
    struct source_options source;
    const char *output;
};

static const struct option options[] = {
    {"output", 'o', "FILE", OPTION_TEXT, offsetof(struct fmt_options, output),
     "where to write (default: standard output); may be the input"},
    SOURCE_OPTIONS(struct fmt_options, source),
    {0},
};

static int run_command(const struct command *command, struct arena *arena, const void *given, const struct list *plain)
{
    (void)command, (void)arena;
    const struct fmt_options *o = given;
    struct diagnosed seen = {0};
    struct atoll_error error;
    char *text;
    size_t size;
    int code;
    struct atoll_module *module = source_load(plain->items[0], &o->source, NULL, &seen, &code);
    if (!module)
        return code;
    if (!atoll_module_text(module, ATOLL_TEXT_CANONICAL, &text, &size, &error))
        code = cli_fail(&error);
    else {
        if (!file_write(o->output ? o->output : "-", text, size, &error))
            code = cli_fail(&error);
        atoll_text_free(text);
    }
    atoll_module_destroy(module);
    return code;
}

const struct command command_fmt = {
    .name = "fmt",
    .synopsis = "FILE [-o FILE]",
    .summary = "print a module in canonical form",
    .options = options,
    .least = 1,
    .most = 1,
    .size = sizeof(struct fmt_options),
    .run = run_command,
};

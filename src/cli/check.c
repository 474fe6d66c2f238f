/* atoll check: validates modules and says what is wrong with them. */
#include "cli/cli.h"

#include <string.h>

struct check_options {
    struct source_options source;
    bool quiet;
};

static const struct option options[] = {
    SOURCE_OPTIONS(struct check_options, source),
    {"quiet", 'q', NULL, OPTION_FLAG, offsetof(struct check_options, quiet), "no summary"},
    {0},
};

static int check_one(const struct check_options *o, const char *path)
{
    struct diagnosed seen = {0};
    int code;
    struct atoll_module *module = source_load(path, &o->source, NULL, &seen, &code);
    atoll_module_destroy(module);
    if (!o->quiet && !seen.json && seen.errors + seen.warnings)
        fprintf(stderr, "%s: %u error%s, %u warning%s\n", path, seen.errors, seen.errors == 1 ? "" : "s", seen.warnings,
                seen.warnings == 1 ? "" : "s");
    return code;
}

static int run_command(const struct command *command, struct arena *arena, const void *given, const struct list *plain)
{
    (void)command, (void)arena;
    int worst = EXIT_OK;
    for (unsigned i = 0; i < plain->count; i++) {
        int code = check_one(given, plain->items[i]);
        worst = code > worst ? code : worst;
    }
    return worst;
}

const struct command command_check = {
    .name = "check",
    .synopsis = "FILE.ptx... [options]",
    .summary = "validate modules",
    .options = options,
    .notes = "Exit code 0: no errors (warnings do not count).\n",
    .least = 1,
    .most = 1u << 20,
    .size = sizeof(struct check_options),
    .run = run_command,
};

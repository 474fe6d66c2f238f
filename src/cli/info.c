/* atoll info: kernels, parameters, memory and features of a module. */
#include "cli/cli.h"

struct info_options {
    struct source_options source;
    bool json;
};

static const struct option options[] = {
    {"json", 0, NULL, OPTION_FLAG, offsetof(struct info_options, json), "as JSON"},
    LAUNCH_OPTIONS(struct info_options, source),
    SOURCE_OPTIONS(struct info_options, source),
    {0},
};

static int run_command(const struct command *command, struct arena *arena, const void *given, const struct list *plain)
{
    (void)command, (void)arena;
    const struct info_options *o = given;
    return sources_text(plain, &o->source, o->json ? ATOLL_TEXT_INFO_JSON : ATOLL_TEXT_INFO, NULL);
}

const struct command command_info = {
    .name = "info",
    .synopsis = "FILE... [options]",
    .summary = "show kernels, parameters, memory and features",
    .options = options,
    .least = 1,
    .notes = "Several files are joined as one module, as for run.\n\n"
             "Examples:\n"
             "  atoll info k.ptx\n"
             "  atoll info main.cubin lib.cubin --json\n"
             "  atoll info k.visaasm --abi=opencl:k.ze_info\n",
    .most = FILES_MOST,
    .size = sizeof(struct info_options),
    .run = run_command,
};

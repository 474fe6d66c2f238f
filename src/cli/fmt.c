/* atoll fmt: prints a module canonically. */
#include "cli/cli.h"

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
    return sources_text(plain, &o->source, ATOLL_TEXT_CANONICAL, o->output);
}

const struct command command_fmt = {
    .name = "fmt",
    .synopsis = "FILE [-o FILE]",
    .summary = "print a module in canonical form",
    .options = options,
    .notes = "Machine code is printed as a listing.\n\n"
             "Examples:\n"
             "  atoll fmt k.ptx\n"
             "  atoll fmt k.ptx -o k.ptx                     in its place\n"
             "  nvcc -ptx -o - k.cu | atoll fmt -\n",
    .least = 1,
    .most = 1,
    .size = sizeof(struct fmt_options),
    .run = run_command,
};

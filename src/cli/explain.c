/* atoll explain: what an instruction does. */
#include <string.h>

#include "cli/cli.h"

static const struct option options[] = {{0}};

static bool explain(const char *instruction, struct atoll_error *error)
{
    char *text;
    size_t size;
    if (!atoll_explain(instruction, &text, &size, error))
        return false;
    fwrite(text, 1, size, stdout);
    atoll_text_free(text);
    return true;
}

static int run_command(const struct command *command, struct arena *arena, const void *given, const struct list *plain)
{
    (void)command, (void)arena, (void)given;
    struct atoll_error error = {0};
    bool ok = plain->count > 0 ||
              error_set(&error, ATOLL_USAGE,
                        "atoll explain: no instruction given; for example: atoll explain suld.b.2d.b32.trap");
    for (unsigned i = 0; ok && i < plain->count; i++) {
        if (i > 0)
            putchar('\n');
        ok = explain(plain->items[i], &error);
    }
    return ok ? EXIT_OK : cli_fail(&error);
}

const struct command command_explain = {
    .name = "explain",
    .synopsis = "INSTRUCTION ...",
    .summary = "say what an instruction does",
    .options = options,
    .notes = "INSTRUCTION is a line of PTX or a part of one: a mnemonic lists its forms, a mnemonic with its\n"
             "modifiers is explained. Quote operands: atoll explain 'suld.b.2d.b32.trap %r1, [s, {x, y}];'\n",
    .most = 64,
    .size = 1,
    .run = run_command,
};

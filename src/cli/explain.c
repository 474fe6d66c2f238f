/* atoll explain: what an instruction does. */
#include <string.h>

#include "cli/cli.h"
#include "isa/ptx/explain.h"

struct explain_options {
    bool reference;
};

static const struct option options[] = {
    {"reference", 0, NULL, OPTION_FLAG, offsetof(struct explain_options, reference),
     "print the reference of surface and atomic instructions instead (Markdown)"},
    {0},
};

static int run_command(const struct command *command, struct arena *arena, const void *given, const struct list *plain)
{
    (void)command, (void)arena;
    const struct explain_options *o = given;
    struct atoll_error error = {0};
    struct text out = {0};
    bool ok = o->reference || plain->count > 0 ||
              error_set(&error, ATOLL_USAGE,
                        "atoll explain: no instruction given; for example: atoll explain suld.b.2d.b32.trap");
    if (ok && o->reference)
        ptx_reference(&out);
    for (unsigned i = 0; ok && !o->reference && i < plain->count; i++) {
        text_puts(&out, i > 0 ? "\n" : "");
        ok = ptx_explain(plain->items[i], &out, &error);
    }
    if (ok && !text_ok(&out))
        ok = error_memory(&error);
    if (ok)
        fwrite(out.bytes, 1, out.length, stdout);
    text_free(&out);
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
    .size = sizeof(struct explain_options),
    .run = run_command,
};

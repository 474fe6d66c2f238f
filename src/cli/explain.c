/* atoll explain: what an instruction does. */

#include "base/json.h"
#include "cli/cli.h"
#include "isa/family.h"

struct explain_options {
    const char *isa;
    bool json;
};

static const struct option options[] = {
    {"binary", 'b', "ISA", OPTION_TEXT, offsetof(struct explain_options, isa),
     "of this instruction set: {all} (default: whichever has it)"},
    {"arch", 0, "ISA", OPTION_TEXT, offsetof(struct explain_options, isa), "the same"},
    {"isa", 0, "ISA", OPTION_TEXT, offsetof(struct explain_options, isa), "the same"},
    {"json", 0, NULL, OPTION_FLAG, offsetof(struct explain_options, json), "as JSON (docs/json.md)"},
    {0},
};

static bool explain(const char *isa, const char *instruction, struct text *out, struct atoll_error *error)
{
    char *text;
    size_t size;
    if (!atoll_explain_in(isa, instruction, &text, &size, error))
        return false;
    text_add(out, text, size);
    atoll_text_free(text);
    return true;
}

/* All of them as one document; nothing where one is not known. */
static int explain_json(const struct explain_options *o, const struct list *plain)
{
    struct atoll_error error = {0};
    struct text out = {0};
    struct json json;
    bool ok = true;
    json_begin(&json, &out, "explain");
    json_open(&json, "instructions", '[');
    for (unsigned i = 0; i < plain->count && ok; i++) {
        unsigned machine = FAMILY_ANY;
        const struct family *family =
            o->isa ? family_of_machine(o->isa, &machine) : family_that_explains(plain->items[i]);
        ok = family ? family_explain_json(family, plain->items[i], machine, &json, &error)
                    : error_set(&error, ATOLL_USAGE, "unknown instruction set '%.100s'", o->isa);
    }
    json_close(&json, ']');
    json_end(&json);
    if (ok)
        return cli_put_text(&out, EXIT_OK);
    text_free(&out);
    if (error.status != ATOLL_MEMORY)
        error.status = ATOLL_USAGE;
    return cli_fail(&error);
}

static int run_command(const struct command *command, struct arena *arena, const void *given, const struct list *plain)
{
    const struct explain_options *o = given;
    (void)command, (void)arena;
    struct atoll_error error = {0};
    struct text out = {0};
    bool ok = plain->count > 0 ||
              error_set(&error, ATOLL_USAGE,
                        "atoll explain: no instruction given; for example: atoll explain suld.b.2d.b32.trap");
    if (ok && o->json)
        return explain_json(o, plain);
    for (unsigned i = 0; ok && i < plain->count; i++) {
        if (i > 0)
            text_puts(&out, "\n");
        ok = explain(o->isa, plain->items[i], &out, &error);
    }
    if (!ok && error.status != ATOLL_MEMORY)
        error.status = ATOLL_USAGE;         /* whatever is wrong with it: the instruction is part of the command line */
    int code = cli_put_text(&out, EXIT_OK); /* what was explained before a mistake, too */
    return ok ? code : cli_fail(&error);
}

const struct command command_explain = {
    .name = "explain",
    .synopsis = "INSTRUCTION ... [options]",
    .summary = "say what an instruction does",
    .options = options,
    .notes = "INSTRUCTION is a line of PTX, of Maxwell SASS (mnemonics in upper case) or of vISA, a part of one, or a "
             "word in\n"
             "hexadecimal: a mnemonic lists its forms, a mnemonic with its modifiers is explained. Quote operands:\n"
             "  atoll explain 'suld.b.2d.b32.trap %r1, [s, {x, y}];'\n"
             "  atoll explain ATOMS.CAST.SPIN XMAD ea020a0600470210\n"
             "Exit code 2: an instruction, a word of one or an instruction set that is not known.\n",
    .most = 64,
    .size = sizeof(struct explain_options),
    .run = run_command,
};

/* atoll lint: proofs on the tables of instructions. */
#include <inttypes.h>

#include "cli/cli.h"

static const struct option options[] = {{0}};

static int run_command(const struct command *command, struct arena *arena, const void *given, const struct list *plain)
{
    (void)command, (void)arena, (void)given;
    struct atoll_error error = {0};
    struct atoll_lint_counts counts;
    char *report;
    size_t size;
    if (!atoll_lint(plain->items[0], &report, &size, &counts, &error))
        return cli_fail(&error);
    struct text out = {0};
    text_add(&out, report, size);
    atoll_text_free(report);
    text_printf(&out, "%s: %" PRIu32 " rows, %" PRIu32 " broken rules\n", plain->items[0], counts.rows, counts.breaks);
    return cli_put_text(&out, counts.breaks ? EXIT_KERNEL : EXIT_OK);
}

const struct command command_lint = {
    .name = "lint",
    .synopsis = "sass | visa | ctm",
    .summary = "prove the table of instructions of a family",
    .options = options,
    .notes = "That each bit of a word is accounted for once, that no word belongs to two rows unless that is stated,\n"
             "that what is written is read back.\n\n"
             "Example:\n"
             "  atoll lint sass\n"
             "  atoll lint visa\n",
    .least = 1,
    .most = 1,
    .size = 1,
    .run = run_command,
};

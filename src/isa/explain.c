/* `explain`: the frame. What is said comes from the families, as titles with lines. */
#include "base/text.h"
#include "isa/family.h"

#include <string.h>

enum { LONGEST = 100000 };

static void lines_write(const struct text *lines, struct text *out)
{
    for (const char *at = lines->bytes; *at;) {
        size_t length = strcspn(at, "\n");
        text_puts(out, "  ");
        text_add(out, at, length);
        text_puts(out, "\n");
        at += length + (at[length] != 0);
    }
}

static void fact_write(const struct family_fact *fact, const struct explained *what, struct text *out)
{
    struct text lines = {0};
    fact->write(what, &lines);
    if (lines.bytes) {
        text_printf(out, "\n%s\n", fact->title);
        lines_write(&lines, out);
    }
    out->failed = out->failed || lines.failed;
    text_free(&lines);
}

bool family_explain(const struct family *family, const char *instruction, unsigned machine, struct text *out,
                    struct atoll_error *error)
{
    struct arena arena = {0};
    struct family_explained found = {0};
    if (strlen(instruction) > LONGEST)
        return error_set(error, ATOLL_USAGE, "the text is longer than any instruction");
    if (!family->explain)
        return error_set(error, ATOLL_UNSUPPORTED, "instructions of %s are not explained", family->title);
    bool ok = family->explain(instruction, machine, &arena, &found, error);
    if (ok && found.warning)
        text_printf(out, "%s\n\n", found.warning);
    if (ok)
        text_printf(out, "%.*s - %s\n", (int)found.length, found.name, found.summary);
    for (const struct family_fact *fact = found.facts; ok && fact->title; fact++)
        fact_write(fact, found.what, out);
    arena_free(&arena);
    return ok && (text_ok(out) || error_memory(error));
}

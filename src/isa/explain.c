/* `explain`: the frame. What is said comes from the families, as titles with lines. */
#include "base/json.h"
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

static void fact_json(const struct family_fact *fact, const struct explained *what, struct json *json)
{
    struct text lines = {0};
    fact->write(what, &lines);
    if (lines.bytes) {
        json_open(json, NULL, '{');
        json_string(json, "title", fact->title);
        json_open(json, "lines", '[');
        for (const char *at = lines.bytes; *at;) {
            size_t length = strcspn(at, "\n");
            json_bytes(json, NULL, at, length);
            at += length + (at[length] != 0);
        }
        json_close(json, ']');
        json_close(json, '}');
    }
    json->out->failed = json->out->failed || lines.failed;
    text_free(&lines);
}

static bool find(const struct family *family, const char *instruction, unsigned machine, struct arena *arena,
                 struct family_explained *found, struct atoll_error *error)
{
    if (strlen(instruction) > LONGEST)
        return error_set(error, ATOLL_USAGE, "the text is longer than any instruction");
    if (!family->explain)
        return error_set(error, ATOLL_UNSUPPORTED, "instructions of %s are not explained", family->title);
    return family->explain(instruction, machine, arena, found, error);
}

bool family_explain_json(const struct family *family, const char *instruction, unsigned machine, struct json *json,
                         struct atoll_error *error)
{
    struct arena arena = {0};
    struct family_explained found = {0};
    bool ok = find(family, instruction, machine, &arena, &found, error);
    if (ok) {
        json_open(json, NULL, '{');
        json_string(json, "given", instruction);
        json_string(json, "family", family->name);
        json_bytes(json, "name", found.name, found.length);
        json_string(json, "summary", found.summary);
        if (found.warning)
            json_string(json, "warning", found.warning);
        json_open(json, "facts", '[');
        for (const struct family_fact *fact = found.facts; fact->title; fact++)
            fact_json(fact, found.what, json);
        json_close(json, ']');
        json_close(json, '}');
    }
    arena_free(&arena);
    return ok && (text_ok(json->out) || error_memory(error));
}

bool family_explain(const struct family *family, const char *instruction, unsigned machine, struct text *out,
                    struct atoll_error *error)
{
    struct arena arena = {0};
    struct family_explained found = {0};
    bool ok = find(family, instruction, machine, &arena, &found, error);
    if (ok && found.warning)
        text_printf(out, "%s\n\n", found.warning);
    if (ok)
        text_printf(out, "%.*s - %s\n", (int)found.length, found.name, found.summary);
    for (const struct family_fact *fact = found.facts; ok && fact->title; fact++)
        fact_write(fact, found.what, out);
    arena_free(&arena);
    return ok && (text_ok(out) || error_memory(error));
}

/* Diagnostics on the terminal, as clang prints them, and as JSON lines. */
#include "base/json.h"
#include "cli/cli.h"
#include "file/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const severity_names[] = {
    [ATOLL_NOTE] = "note", [ATOLL_WARNING] = "warning", [ATOLL_ERROR] = "error"};
static const char *const severity_colors[] = {
    [ATOLL_NOTE] = "\033[1;36m", [ATOLL_WARNING] = "\033[1;35m", [ATOLL_ERROR] = "\033[1;31m"};

bool diagnose_colors(FILE *stream)
{
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
    return !(none && *none) && !(term && strcmp(term, "dumb") == 0) && isatty(fileno(stream));
}

bool diagnose_form(const char *form, struct diagnosed *diagnosed, struct atoll_error *error)
{
    *diagnosed = (struct diagnosed){.json = form && strcmp(form, "json") == 0, .collected = diagnosed->collected};
    diagnosed->colors = !diagnosed->json && diagnose_colors(stderr);
    return !form || diagnosed->json || strcmp(form, "text") == 0 ||
           error_set(error, ATOLL_USAGE, "--diagnostics=%.100s: wanted text or json", form);
}

/* Appends a source line so that hostile bytes cannot reach the terminal. Tabs stay: the line of carets has them too. */
static void add_printable(struct text *out, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)bytes[i];
        bool plain = (c >= 0x20 && c != 0x7f) || c == '\t';
        text_add(out, plain ? bytes + i : "?", 1);
    }
}

static void add_carets(const struct atoll_diagnostic *d, bool colors, struct text *out)
{
    size_t column = d->column - 1;
    text_puts(out, "\n");
    for (size_t i = 0; i < column; i++)
        text_puts(out, d->line_text[i] == '\t' ? "\t" : " ");
    text_puts(out, colors ? "\033[1;32m^" : "^");
    for (size_t i = 1; i < d->length && column + i < d->line_length; i++)
        text_puts(out, "~");
    text_puts(out, colors ? "\033[0m\n" : "\n");
}

void diagnose_text(const struct atoll_diagnostic *d, bool colors, struct text *out)
{
    text_printf(out, "%s%s:", colors ? "\033[1m" : "", d->file);
    if (d->line)
        text_printf(out, "%" PRIu32 ":%" PRIu32 ":", d->line, d->column);
    text_printf(out, " %s%s:%s ", colors ? severity_colors[d->severity] : "", severity_names[d->severity],
                colors ? "\033[0m\033[1m" : "");
    add_printable(out, d->message, strlen(d->message));
    text_printf(out, "%s [%s]\n", colors ? "\033[0m" : "", d->code);
    enum { LINE_LARGEST = 400 }; /* machine-made lines can be endless */
    if (!d->line_text || d->line == 0 || d->line_length > LINE_LARGEST)
        return;
    add_printable(out, d->line_text, d->line_length);
    if (d->column >= 1 && d->column - 1 <= d->line_length)
        add_carets(d, colors, out);
    else
        text_puts(out, "\n");
}

static void diagnose_member(const struct atoll_diagnostic *d, struct json *json)
{
    json_open(json, NULL, '{');
    json_string(json, "file", d->file);
    json_number(json, "line", d->line);
    json_number(json, "column", d->column);
    json_number(json, "length", d->length);
    json_string(json, "severity", severity_names[d->severity]);
    json_string(json, "code", d->code);
    json_string(json, "message", d->message);
    json_close(json, '}');
}

void diagnose_json(const struct atoll_diagnostic *d, struct text *out)
{
    struct json json = {.out = out};
    diagnose_member(d, &json);
    text_puts(out, "\n");
}

void diagnose_print(void *user, const struct atoll_diagnostic *diagnostic)
{
    struct diagnosed *seen = user;
    struct text out = {0};
    seen->errors += diagnostic->severity == ATOLL_ERROR;
    seen->warnings += diagnostic->severity == ATOLL_WARNING;
    if (seen->collected) {
        diagnose_member(diagnostic, seen->collected);
        return;
    }
    if (seen->json)
        diagnose_json(diagnostic, &out);
    else
        diagnose_text(diagnostic, seen->colors, &out);
    if (seen->json && seen->unwritten.status == ATOLL_OK)
        file_write("-", out.bytes, text_ok(&out) ? out.length : 0, &seen->unwritten);
    else if (!seen->json && text_ok(&out))
        fwrite(out.bytes, 1, out.length, stderr);
    text_free(&out);
}

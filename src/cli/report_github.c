/* A report as commands of GitHub's workflows ("Workflow commands for GitHub Actions"): lines that become annotations.
 */
#include "cli/reports.h"

#include <inttypes.h>
#include <string.h>

/* '%', and ends of lines, are escaped everywhere; ':' and ',' in properties. */
static void put(const char *bytes, bool property, struct text *out)
{
    for (const char *p = bytes; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
            text_printf(out, "%%%02X", c);
        else
            text_add(out, c < 0x20 || c == 0x7f ? "?" : p, 1);
    }
}

static void title(const struct report_item *item, struct text *out)
{
    struct text text = {0};
    text_printf(&text, "atoll: %s (%s)", item->check, item->cause);
    if (text_ok(&text))
        put(text.bytes, true, out);
    text_free(&text);
}

static void command(const struct report *report, const struct report_item *item, struct text *out)
{
    struct report_place place;
    text_puts(out, "::error ");
    if (item->nsides && report_place(report, &item->sides[0], &place)) {
        text_puts(out, "file=");
        put(place.file, true, out);
        text_printf(out, ",line=%" PRIu32 ",", place.line);
        if (place.column)
            text_printf(out, "col=%" PRIu32 ",", place.column);
    } else if (item->nsides && strcmp(report->module, "-") != 0) { /* machine code has no lines */
        text_puts(out, "file=");
        put(report->module, true, out);
        text_puts(out, ",");
    }
    text_puts(out, "title=");
    title(item, out);
    text_puts(out, "::");
    put(item->message, false, out);
    if (item->count > 1 && item->what != REPORT_ORDERS)
        text_printf(out, " (%" PRIu64 " times)", item->count);
    report_seed(report, item, out);
    text_puts(out, "\n");
}

static void write(const struct report *report, struct text *out)
{
    for (unsigned i = 0; i < report->nitems; i++)
        command(report, &report->items[i], out);
    if (!report->untold_times)
        return;
    text_puts(out, "::notice title=atoll::");
    report_untold(report->untold, report->untold_times, out);
    text_puts(out, "\n");
}

const struct report_format report_github = {.name = "github", .ending = "", .write = write};

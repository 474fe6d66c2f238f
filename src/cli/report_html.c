/* A report as one page of HTML, with the lines of the source around each place, where the file can be read. It needs
 * nothing else: no scripts, no pictures, nothing from elsewhere. */
#include "cli/reports.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "file/file.h"

enum { AROUND = 3 /* lines shown before and behind */, LINE_MOST = 300 };
#define SOURCE_MOST (UINT64_C(16) << 20)

/* The file that was read last. */
struct source {
    const char *file;
    struct blob blob;
};

static const char head[] = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                           "<meta name=\"color-scheme\" content=\"light dark\">\n<title>";
static const char style[] =
    "</title>\n<style>\n"
    ":root { --bg: #fff; --fg: #1c1e21; --dim: #63686e; --card: #f5f6f8; --edge: #d8dbdf; --bad: #b3261e; --good: "
    "#1b6e3c; --mark: #fff1c2; }\n"
    "@media (prefers-color-scheme: dark) { :root { --bg: #16181b; --fg: #e6e7e9; --dim: #9aa0a6; --card: #1f2226; "
    "--edge: #363b41; --bad: #ff8a80; --good: #7fd6a0; --mark: #4a3f16; } }\n"
    "body { background: var(--bg); color: var(--fg); font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; "
    "max-width: 62rem; padding: 0 1rem; }\n"
    "h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }\n"
    "code, pre { font: 13px/1.45 ui-monospace, monospace; }\n"
    "section { background: var(--card); border: 1px solid var(--edge); border-radius: 6px; margin: 1rem 0; padding: "
    ".8rem 1rem; }\n"
    "h3 { font-size: 1rem; margin: 0 0 .4rem; color: var(--bad); overflow-wrap: anywhere; }\n"
    "p { margin: .3rem 0; overflow-wrap: anywhere; } .dim { color: var(--dim); } .ok { color: var(--good); } .bad { "
    "color: var(--bad); }\n"
    "pre { background: var(--bg); border: 1px solid var(--edge); overflow-x: auto; padding: .4rem .6rem; margin: .4rem "
    "0; }\n"
    "pre b { background: var(--mark); font-weight: inherit; } pre i { color: var(--dim); font-style: normal; }\n"
    "table { border-collapse: collapse; } td, th { text-align: left; padding: .1rem 1rem .1rem 0; vertical-align: top; "
    "} td.n { text-align: right; font-variant-numeric: tabular-nums; }\n"
    "</style>\n</head>\n<body>\n";

static void put(const char *bytes, struct text *out)
{
    text_markup(out, bytes, strlen(bytes));
}

/* ---- lines of the source ------------------------------------------------------------------------------------------
 */

static bool source_open(const char *file, struct source *source)
{
    if (source->file && strcmp(source->file, file) == 0)
        return source->blob.bytes != NULL;
    struct stat status;
    blob_free(&source->blob);
    source->file = file;
    return stat(file, &status) == 0 && S_ISREG(status.st_mode) && file_read(file, SOURCE_MOST, &source->blob, NULL);
}

static void line_put(uint32_t number, bool marked, const char *line, size_t length, struct text *out)
{
    size_t shown = length < LINE_MOST ? length : LINE_MOST;
    shown -= shown && line[shown - 1] == '\r';
    text_printf(out, "<i>%6" PRIu32 "</i>  %s", number, marked ? "<b>" : "");
    text_markup(out, line, shown);
    text_printf(out, "%s%s\n", length > LINE_MOST ? " ..." : "", marked ? "</b>" : "");
}

static void excerpt(const struct blob *blob, uint32_t line, struct text *out)
{
    const char *at = (const char *)blob->bytes, *end = at + blob->size;
    uint32_t first = line > AROUND ? line - AROUND : 1;
    struct text lines = {0};
    for (uint32_t number = 1; at < end && number <= (uint64_t)line + AROUND; number++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        if (number >= first)
            line_put(number, number == line, at, length, &lines);
        at += length + 1;
        if (!stop)
            break;
    }
    if (lines.length)
        text_printf(out, "<pre>%s</pre>\n", lines.bytes);
    out->failed |= lines.failed;
    text_free(&lines);
}

static void place_put(const struct report_place *place, const char *function, const char *how, struct source *source,
                      struct text *out)
{
    text_printf(out, "<p class=\"dim\">%s<code>", how);
    put(place->file, out);
    text_printf(out, ":%" PRIu32 "</code>", place->line);
    if (function[0]) {
        text_puts(out, " in <code>");
        put(function, out);
        text_puts(out, "</code>");
    }
    text_puts(out, "</p>\n");
    if (source_open(place->file, source))
        excerpt(&source->blob, place->line, out);
}

static void side_put(const struct report *report, const struct atoll_finding_side *side, struct source *source,
                     struct text *out)
{
    text_puts(out, "<p>");
    report_thread(side, out);
    text_puts(out, ": ");
    put(side->does, out);
    if (side->place[0]) {
        text_puts(out, " <span class=\"dim\">at ");
        put(side->place, out);
        text_puts(out, "</span>");
    }
    text_puts(out, "</p>\n");
    struct report_place place;
    if (!side->nplaces && report_place(report, side, &place))
        place_put(&place, "", "", source, out);
    for (uint32_t i = 0; i < side->nplaces; i++)
        if (report_source(report, &side->places[i], &place))
            place_put(&place, side->places[i].function, i ? "inlined at " : "", source, out);
}

/* ---- what happened ------------------------------------------------------------------------------------------------
 */

static void item_put(const struct report *report, const struct report_item *item, struct source *source,
                     struct text *out)
{
    text_puts(out, "<section>\n<h3>");
    put(item->check, out);
    text_puts(out, " (");
    put(item->cause, out);
    text_puts(out, ")");
    if (item->count > 1 && item->what != REPORT_ORDERS)
        text_printf(out, ", %" PRIu64 " times", item->count);
    report_seed(report, item, out);
    text_puts(out, "</h3>\n<p>");
    put(item->message, out);
    text_puts(out, "</p>\n");
    if (item->memory[0]) {
        text_puts(out, "<p>memory: <code>");
        put(item->memory, out);
        text_puts(out, "</code></p>\n");
    }
    for (unsigned i = 0; i < item->nsides; i++)
        side_put(report, &item->sides[i], source, out);
    text_puts(out, "</section>\n");
}

static void count_put(const char *name, uint64_t value, struct text *out)
{
    text_printf(out, "<tr><td>%s</td><td class=\"n\">%" PRIu64 "</td></tr>\n", name, value);
}

static void stats_put(const struct atoll_stats *s, struct text *out)
{
    text_puts(out, "<h2>Counters</h2>\n<table>\n");
    count_put("blocks", s->blocks, out);
    count_put("warps", s->warps, out);
    count_put("warp instructions", s->warp_instructions, out);
    count_put("lane instructions", s->lane_instructions, out);
    count_put("divergent branches", s->divergent_branches, out);
    count_put("barriers", s->barriers, out);
    count_put("global accesses", s->global_accesses, out);
    count_put("shared accesses", s->shared_accesses, out);
    count_put("local accesses", s->local_accesses, out);
    count_put("surface accesses", s->surface_accesses, out);
    count_put("atomics", s->atomics, out);
    text_puts(out, "</table>\n");
}

static void contention_put(const struct report *report, struct text *out)
{
    text_puts(out, "<h2>Atomics</h2>\n<table>\n<tr><th>instruction</th><th>on</th><th>executions</th>"
                   "<th>lanes</th><th>passes</th><th>conflicts</th><th>sectors</th></tr>\n");
    for (unsigned i = 0; i < report->ncontention; i++) {
        const struct atoll_contention *row = &report->contention[i];
        text_puts(out, "<tr><td>");
        put(row->place, out);
        text_printf(out,
                    "</td><td>%s</td><td class=\"n\">%" PRIu64 "</td><td class=\"n\">%" PRIu64
                    "</td><td class=\"n\">%" PRIu64 "</td><td class=\"n\">%" PRIu64 "</td><td class=\"n\">%" PRIu64
                    "</td></tr>\n",
                    row->space, row->executions, row->lanes, row->passes, row->bank_conflicts, row->sectors);
    }
    text_puts(out, "</table>\n");
}

static void intro_put(const struct report *report, struct text *out)
{
    const char *status = report_status(report);
    text_puts(out, head);
    put(report->kernel, out);
    text_printf(out, ": %s", status);
    text_printf(out, "%s<h1>Kernel <code>", style);
    put(report->kernel, out);
    text_printf(out, "</code>: <span class=\"%s\">%s</span></h1>\n<p class=\"dim\"><code>",
                strcmp(status, "ok") == 0 ? "ok" : "bad", status);
    put(report->module, out);
    text_printf(out, "</code>, grid %ux%ux%u, block %ux%ux%u, order %s", report->grid[0], report->grid[1],
                report->grid[2], report->block[0], report->block[1], report->block[2], report->order);
    if (strcmp(report->order, "seeded") == 0)
        text_printf(out, " (%" PRIu64 ")", report->seed);
    if (report->seeds)
        text_printf(out, ", %" PRIu64 " orders", report->seeds);
    for (unsigned i = 0; i < report->nchecks; i++)
        text_printf(out, "%s%s", i ? ", " : ", checks: ", report->checks[i]);
    text_printf(out, "; exit code %d</p>\n", report->code);
}

static void write(const struct report *report, struct text *out)
{
    struct source source = {0};
    intro_put(report, out);
    if (report->nitems == 0)
        text_puts(out, "<p class=\"ok\">Nothing was found.</p>\n");
    for (unsigned i = 0; i < report->nitems; i++)
        item_put(report, &report->items[i], &source, out);
    if (report->untold_times) {
        text_puts(out, "<p>");
        report_untold(report->untold, report->untold_times, out);
        text_puts(out, "</p>\n");
    }
    blob_free(&source.blob);
    stats_put(&report->stats, out);
    if (report->ncontention)
        contention_put(report, out);
    text_puts(out, "</body>\n</html>\n");
}

const struct report_format report_html = {.name = "html", .ending = ".html", .write = write};

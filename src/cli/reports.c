/* Reports: what is asked for, what happened, and writing all of them. */
#include "cli/reports.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file/file.h"

static const struct report_format *const formats[] = {&report_sarif, &report_junit, &report_json, &report_html,
                                                      &report_github};
enum { FORMATS = sizeof formats / sizeof formats[0] };

const char *report_format_name(unsigned index)
{
    return index < FORMATS ? formats[index]->name : NULL;
}

/* ---- before the launch -------------------------------------------------------------------------------------- */

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), n = strlen(ending);
    return n && length > n && strcmp(path + length - n, ending) == 0;
}

static bool file_parse(const char *given, struct report_file *file, struct atoll_error *error)
{
    for (unsigned i = 0; i < FORMATS; i++) {
        size_t n = strlen(formats[i]->name);
        bool named = strncmp(given, formats[i]->name, n) == 0 && given[n] == ':' && given[n + 1];
        bool alone = formats[i] == &report_github && strcmp(given, formats[i]->name) == 0;
        if (named || alone || ends_with(given, formats[i]->ending)) {
            *file = (struct report_file){formats[i], given, named ? given + n + 1 : alone ? NULL : given};
            return true;
        }
    }
    return error_set(
        error, ATOLL_USAGE,
        "--report=%.300s: the file must end in .sarif, .xml (JUnit), .json or .html, or wanted FORMAT:FILE "
        "with sarif, junit, json, html or github, or github alone",
        given);
}

bool reports_parse(struct report *report, const struct list *given, struct atoll_error *error)
{
    report->files = arena_array(report->arena, given->count, sizeof *report->files);
    if (!report->files)
        return error_memory(error);
    for (; report->nfiles < given->count; report->nfiles++)
        if (!file_parse(given->items[report->nfiles], &report->files[report->nfiles], error))
            return false;
    char folder[4096];
    if (getcwd(folder, sizeof folder))
        report->folder = arena_text(report->arena, folder, strlen(folder));
    return true;
}

bool reports_check(const struct report *report, struct atoll_error *error)
{
    for (unsigned i = 0; i < report->nfiles; i++) {
        const struct report_file *file = &report->files[i];
        if (file->path && !file_writable(file->path, error))
            return false;
        for (unsigned k = 0; k < i; k++)
            if (file->path && report->files[k].path && file_same(file->path, report->files[k].path))
                return error_set(error, ATOLL_USAGE, "--report=%.300s and --report=%.300s go to one file",
                                 report->files[k].given, file->given);
    }
    return true;
}

/* ---- what happened ---------------------------------------------------------------------------------------------- */

static const char *kept(struct report *report, const char *text)
{
    return arena_text(report->arena, text ? text : "", text ? strlen(text) : 0);
}

/* Names of files are the module's, and a report of many orders outlives the modules of each. */
static bool files_keep(struct report *report, struct atoll_finding_side *side)
{
    bool ok = true;
    if (side->file)
        ok = (side->file = kept(report, side->file)) != NULL;
    for (uint32_t i = 0; i < side->nplaces && ok; i++)
        if (side->places[i].file)
            ok = (side->places[i].file = kept(report, side->places[i].file)) != NULL;
    return ok;
}

static struct report_item *item_add(struct report *report, const struct report_item *item)
{
    struct report_item *items = arena_append(report->arena, report->items, report->nitems, sizeof *items);
    if (!items)
        return NULL;
    report->items = items;
    items[report->nitems] = *item;
    if (item->what != REPORT_ORDERS)
        items[report->nitems].seed = report->now;
    return &items[report->nitems++];
}

bool report_finding(struct report *report, const struct atoll_finding *finding)
{
    struct report_item item = {.what = REPORT_FINDING,
                               .check = kept(report, finding->check),
                               .cause = kept(report, finding->cause),
                               .message = kept(report, finding->message),
                               .memory = kept(report, finding->memory),
                               .count = finding->count,
                               .nsides = finding->nsides};
    bool ok = item.check && item.cause && item.message && item.memory;
    for (unsigned i = 0; i < finding->nsides && ok; i++) {
        item.sides[i] = finding->sides[i];
        item.sides[i].place = kept(report, finding->sides[i].place);
        item.sides[i].does = kept(report, finding->sides[i].does);
        ok = item.sides[i].place && item.sides[i].does && files_keep(report, &item.sides[i]);
    }
    return ok && item_add(report, &item);
}

bool report_contention(struct report *report, const struct atoll_contention *row)
{
    struct atoll_contention *rows = arena_append(report->arena, report->contention, report->ncontention, sizeof *rows);
    if (!rows)
        return false;
    report->contention = rows;
    rows[report->ncontention] = *row;
    rows[report->ncontention].place = kept(report, row->place);
    return rows[report->ncontention++].place != NULL;
}

bool report_touched(struct report *report, const char *watched, const struct atoll_touch *touch, const char *before,
                    const char *after)
{
    struct report_touch *rows = arena_append(report->arena, report->touches, report->ntouches, sizeof *rows);
    if (!rows)
        return false;
    report->touches = rows;
    struct report_touch *row = &rows[report->ntouches];
    *row = (struct report_touch){.watched = watched,
                                 .operation = kept(report, touch->operation),
                                 .before = kept(report, before),
                                 .after = kept(report, after),
                                 .order = kept(report, touch->order),
                                 .when = touch->when,
                                 .lanes = touch->lanes,
                                 .surface = touch->surface,
                                 .side = touch->side};
    row->side.place = kept(report, touch->side.place);
    row->side.does = kept(report, touch->side.does);
    report->ntouches++;
    return row->operation && row->before && row->after && row->order && row->side.place && row->side.does &&
           files_keep(report, &row->side);
}

bool report_difference(struct report *report, const char *name, const char *file, const char *message)
{
    for (unsigned i = 0; i < report->nitems; i++)
        if (report->items[i].what == REPORT_DIFFERENCE && strcmp(report->items[i].name, name) == 0) {
            report->items[i].count++; /* in another order, too */
            return true;
        }
    const struct report_item item = {.what = REPORT_DIFFERENCE,
                                     .check = "expect",
                                     .cause = "differs",
                                     .message = kept(report, message),
                                     .memory = "",
                                     .name = kept(report, name),
                                     .file = file,
                                     .count = 1};
    return item.message && item.name && item_add(report, &item);
}

bool report_orders(struct report *report, uint64_t seed, uint64_t count, const char *message)
{
    const struct report_item item = {.what = REPORT_ORDERS,
                                     .check = "seeds",
                                     .cause = "differs",
                                     .message = kept(report, message),
                                     .memory = "",
                                     .count = count,
                                     .seed = seed};
    return item.message && item_add(report, &item);
}

const char *report_word(enum atoll_status status)
{
    static const char *const words[] = {[ATOLL_OK] = "ok",
                                        [ATOLL_TRAP] = "trap",
                                        [ATOLL_INVALID] = "invalid",
                                        [ATOLL_USAGE] = "usage",
                                        [ATOLL_INPUT] = "input",
                                        [ATOLL_LIMIT] = "limit",
                                        [ATOLL_INTERRUPTED] = "interrupted",
                                        [ATOLL_UNSUPPORTED] = "unsupported",
                                        [ATOLL_MEMORY] = "memory",
                                        [ATOLL_SYSTEM] = "system"};
    return (size_t)status < sizeof words / sizeof words[0] ? words[status] : "error";
}

static void trap_fill(struct report_item *item, const struct atoll_trap *trap)
{
    item->cause = trap->cause;
    item->address = trap->address;
    memcpy(item->coordinate, trap->coordinate, sizeof item->coordinate);
    item->nsides = 1;
    struct atoll_finding_side *side = &item->sides[0];
    *side = (struct atoll_finding_side){.place = "", .line = trap->line, .file = trap->file, .does = "traps"};
    memcpy(side->block, trap->block, sizeof side->block);
    memcpy(side->thread, trap->thread, sizeof side->thread);
    side->nplaces = trap->nplaces;
    memcpy(side->places, trap->places, sizeof side->places);
}

bool report_end(struct report *report, const struct atoll_error *why, const struct atoll_trap *trap)
{
    bool limit = why->status == ATOLL_LIMIT || why->status == ATOLL_INTERRUPTED;
    struct report_item item = {.what = limit ? REPORT_LIMIT : REPORT_ERROR,
                               .check = limit ? "limit" : "error",
                               .cause = report_word(why->status),
                               .message = kept(report, why->message),
                               .memory = "",
                               .count = 1};
    if (why->status == ATOLL_TRAP) {
        item.what = REPORT_TRAP;
        item.check = "trap";
        if (trap->cause)
            trap_fill(&item, trap);
        item.memory = kept(report, trap->memory);
    }
    return item.message && item.memory && files_keep(report, &item.sides[0]) && item_add(report, &item);
}

/* ---- what the formats share ------------------------------------------------------------------------------------ */

void report_thread(const struct atoll_finding_side *side, struct text *out)
{
    text_printf(out, "thread (%u, %u, %u) of block (%u, %u, %u)", side->thread[0], side->thread[1], side->thread[2],
                side->block[0], side->block[1], side->block[2]);
}

bool report_is_verdict(const struct report_item *item)
{
    return item->what == REPORT_FINDING || item->what == REPORT_DIFFERENCE || item->what == REPORT_ORDERS;
}

void report_seed(const struct report *report, const struct report_item *item, struct text *out)
{
    if (report->seeds && item->what != REPORT_ORDERS) /* whose message says it */
        text_printf(out, " with seed %" PRIu64, item->seed);
}

void report_untold(uint64_t findings, uint64_t times, struct text *out)
{
    text_printf(out, "findings beyond these (--max-errors): %" PRIu64 " (%" PRIu64 " time%s)", findings, times,
                times == 1 ? "" : "s");
}

const char *report_status(const struct report *report)
{
    bool differs = false, found = false;
    for (unsigned i = 0; i < report->nitems; i++) {
        const struct report_item *item = &report->items[i];
        found |= item->what == REPORT_FINDING;
        differs |= item->what == REPORT_DIFFERENCE || item->what == REPORT_ORDERS;
        if (!report_is_verdict(item))
            return item->what == REPORT_LIMIT ? item->cause : item->check;
    }
    return found ? "findings" : differs ? "differs" : "ok";
}

/* ---- writing ------------------------------------------------------------------------------------------------------
 */

static bool file_put(const struct report *report, const struct report_file *file, struct staged *staged,
                     struct atoll_error *error)
{
    struct text out = {0};
    file->format->write(report, &out);
    bool ok = text_ok(&out) || error_memory(error);
    if (ok && file->path)
        ok = file_stage(file->path, out.bytes, out.length, staged, error);
    else if (ok && out.length)
        fwrite(out.bytes, 1, out.length, stderr);
    text_free(&out);
    return ok;
}

bool reports_write(const struct report *report, struct atoll_error *error)
{
    struct staged *staged = calloc(report->nfiles ? report->nfiles : 1, sizeof *staged);
    bool ok = staged || error_memory(error);
    unsigned n = 0;
    for (; ok && n < report->nfiles; n++) {
        staged[n].fd = -1;
        ok = file_put(report, &report->files[n], &staged[n], error);
    }
    ok = ok && file_commit(staged, n, error);
    for (unsigned i = 0; i < n; i++)
        file_discard(&staged[i]);
    free(staged);
    return ok;
}

/* What the reports of a launch say of it: before it, and when all is over. */
#include "cli/run.h"
#include "file/file.h"

#include <string.h>

/* What is written to `other` is no other output. */
static bool apart(const char *option, const char *given, const char *path, const char *other_option, const char *other,
                  const char *other_path, struct atoll_error *error)
{
    return !path || !other_path || !file_same(path, other_path) ||
           error_set(error, ATOLL_USAGE, "--%s=%.300s and --%s=%.300s go to one file", option, given, other_option,
                     other);
}

bool run_spares(const struct list *inputs, const char *option, const char *given, const char *path,
                struct atoll_error *error)
{
    for (unsigned i = 0; i < inputs->count && path; i++)
        if (strcmp(inputs->items[i], "-") != 0 && file_same(inputs->items[i], path))
            return error_set(error, ATOLL_USAGE, "%s=%.300s: this is an input of the run", option, given);
    return true;
}

bool run_alone(const struct run *run, const char *option, const char *given, const char *path, unsigned profiles,
               struct atoll_error *error)
{
    const struct run_options *o = run->options;
    bool ok = run_spares(&run->inputs, strcmp(option, "report") == 0 ? "--report" : "--profile", given, path, error) &&
              apart(option, given, path, "trace", o->trace, o->trace, error);
    for (uint32_t i = 0; i < run->nsaves && ok; i++)
        ok = apart(option, given, path, run->saves[i].option + 2, run->saves[i].path, run->saves[i].path, error);
    for (unsigned i = 0; i < run->report.nfiles && ok && strcmp(option, "report") != 0; i++)
        ok = apart(option, given, path, "report", run->report.files[i].given, run->report.files[i].path, error);
    for (unsigned i = 0; i < profiles && ok; i++) {
        const char *other = o->profiles.items[i], *equals = strchr(other, '=');
        ok = apart(option, given, path, "profile", other, equals ? equals + 1 : other, error);
    }
    return ok;
}

static bool reports_alone(const struct run *run, struct atoll_error *error)
{
    bool ok = true;
    for (unsigned i = 0; i < run->report.nfiles && ok; i++)
        ok = run_alone(run, "report", run->report.files[i].given, run->report.files[i].path, 0, error);
    return ok;
}

static bool names_fill(struct run *run)
{
    struct report *report = &run->report;
    const char **checks = arena_array(report->arena, 32, sizeof *checks);
    const char **expects = arena_array(report->arena, run->nexpects, sizeof *expects);
    const char *kernel = kernel_called(run);
    report->kernel = arena_text(report->arena, kernel, strlen(kernel));
    if (!checks || !expects || !report->kernel)
        return false;
    for (unsigned i = 0; i < 32 && atoll_check_name(i); i++)
        if (run->launch.checks >> i & 1)
            checks[report->nchecks++] = atoll_check_name(i);
    for (uint32_t i = 0; i < run->nexpects; i++)
        expects[i] = arena_text(report->arena, run->expects[i].found.name, strlen(run->expects[i].found.name));
    for (uint32_t i = 0; i < run->nexpects; i++)
        if (!expects[report->nexpects++])
            return false;
    report->checks = checks;
    report->expects = expects;
    return true;
}

bool run_reports(struct run *run, struct atoll_error *error)
{
    struct report *report = &run->report;
    if (report->began) /* in the first of many orders */
        return true;
    if (!reports_check(report, error) || !reports_alone(run, error))
        return false;
    report->module = run->path;
    memcpy(report->grid, run->launch.grid, sizeof report->grid);
    memcpy(report->block, run->launch.block, sizeof report->block);
    return names_fill(run) || error_memory(error);
}

/* The order that the launch has got: what is checked or watched runs on one host thread. */
void run_ordered(struct run *run)
{
    const struct atoll_launch_options *l = &run->launch;
    bool watched = l->checks || l->nwatches || l->slice || l->line || l->nheats;
    struct report *report = &run->report;
    if (run->orders && run->orders->taken)
        return; /* it is told of the first */
    report->order = l->order == ATOLL_ORDER_SEEDED                     ? "seeded"
                    : l->order == ATOLL_ORDER_DETERMINISTIC || watched ? "deterministic"
                                                                       : "parallel";
    report->seed = l->order == ATOLL_ORDER_SEEDED ? l->seed : 0;
}

void reports_finish(struct report *report, bool failed, int *code)
{
    struct atoll_error error = {0};
    if (!report->nfiles || !report->began)
        return;
    report->code = *code;
    if (reports_write(report, &error))
        return;
    int unwritten = cli_fail(&error);
    if (!failed)
        *code = unwritten; /* what ended the run goes before */
}

void run_reported(struct run *run, const struct atoll_error *why, int *code)
{
    struct report *report = &run->report;
    struct atoll_error error;
    if (report->nfiles && report->began && why && !report_end(report, why, &run->trap)) {
        error_memory(&error);
        cli_fail(&error);
        return;
    }
    if (!run->orders) /* else when the last one is over */
        reports_finish(report, why, code);
}

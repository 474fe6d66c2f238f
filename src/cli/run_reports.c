/* What the reports of a launch say of it: before it, and when all is over. */
#include "cli/run.h"
#include "file/file.h"

#include <string.h>

/* No other output goes to the same file. */
static bool report_alone(const struct run *run, struct atoll_error *error)
{
    for (unsigned i = 0; i < run->report.nfiles; i++) {
        const struct report_file *file = &run->report.files[i];
        const char *trace = run->options->trace;
        if (file->path && trace && file_same(file->path, trace))
            return error_set(error, ATOLL_USAGE, "--report=%.300s and --trace=%.300s go to one file", file->given,
                             trace);
        for (uint32_t k = 0; file->path && k < run->nsaves; k++)
            if (file_same(file->path, run->saves[k].path))
                return error_set(error, ATOLL_USAGE, "--report=%.300s and %s %.100s=%.300s go to one file", file->given,
                                 run->saves[k].option, run->saves[k].name, run->saves[k].path);
    }
    return true;
}

static bool names_fill(struct run *run)
{
    struct report *report = &run->report;
    const char **checks = arena_array(run->arena, 32, sizeof *checks);
    const char **expects = arena_array(run->arena, run->nexpects, sizeof *expects);
    if (!checks || !expects)
        return false;
    for (unsigned i = 0; i < 32 && atoll_check_name(i); i++)
        if (run->launch.checks >> i & 1)
            checks[report->nchecks++] = atoll_check_name(i);
    for (uint32_t i = 0; i < run->nexpects; i++)
        expects[report->nexpects++] = run->expects[i].found.name;
    report->checks = checks;
    report->expects = expects;
    return true;
}

bool run_reports(struct run *run, struct atoll_error *error)
{
    struct report *report = &run->report;
    const struct run_options *o = run->options;
    if (!report->nfiles)
        return true;
    if (!reports_check(report, error) || !report_alone(run, error))
        return false;
    report->module = run->path;
    report->kernel = run->info.source_name ? run->info.source_name : run->info.name;
    report->order = run->launch.checks || o->deterministic ? "deterministic" : "parallel";
    if (o->seed.given)
        report->order = "seeded";
    report->seed = o->seed.value;
    memcpy(report->grid, run->launch.grid, sizeof report->grid);
    memcpy(report->block, run->launch.block, sizeof report->block);
    return names_fill(run) || error_memory(error);
}

void run_reported(struct run *run, const struct atoll_error *why, int *code)
{
    struct report *report = &run->report;
    struct atoll_error error = {0};
    if (!report->nfiles || !report->began)
        return;
    report->code = *code;
    bool ok = !why || report_end(report, why, &run->trap) || error_memory(&error);
    if (ok && reports_write(report, &error))
        return;
    int failed = cli_fail(&error);
    if (*code == EXIT_OK || !why)
        *code = failed; /* what ended the run goes before */
}

/* What a launch shows while it runs and afterwards. */
#include <inttypes.h>
#include <string.h>

#include "cli/run.h"

void finding_print(const struct atoll_finding *finding, FILE *stream)
{
    fprintf(stream, "atoll: %s", finding->message);
    if (finding->count > 1)
        fprintf(stream, " (%" PRIu64 " times)", finding->count);
    fputc('\n', stream);
}

/* What compiled code did, if it was tried. */
static void engine_print(const struct atoll_stats *s, FILE *stream)
{
    if (s->compiled || s->cached) {
        fprintf(stream, "%-20s %16" PRIu64 "\n%-20s %16.6f\n", "compiled blocks", s->compiled_blocks, "compile seconds",
                s->compile_seconds);
        fprintf(stream, "%-20s %16" PRIu64 "\n%-20s %16" PRIu64 "\n", "code made", s->compiled, "code from the cache",
                s->cached);
        fprintf(stream, "%-20s %16" PRIu64 "\n", "interpreted steps", s->stepped);
    }
    if (s->not_compiled)
        fprintf(stream, "%-20s %s\n", "not compiled:", s->not_compiled);
}

void stats_print(const struct atoll_stats *s, FILE *stream)
{
    const struct {
        const char *name;
        uint64_t value;
    } rows[] = {
        {"blocks", s->blocks},
        {"warps", s->warps},
        {"warp instructions", s->warp_instructions},
        {"lane instructions", s->lane_instructions},
        {"divergent branches", s->divergent_branches},
        {"barriers", s->barriers},
        {"global accesses", s->global_accesses},
        {"shared accesses", s->shared_accesses},
        {"local accesses", s->local_accesses},
        {"surface accesses", s->surface_accesses},
        {"atomics", s->atomics},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        fprintf(stream, "%-20s %16" PRIu64 "\n", rows[i].name, rows[i].value);
    if (s->warp_instructions)
        fprintf(stream, "%-20s %16.2f\n", "lanes a warp", (double)s->lane_instructions / (double)s->warp_instructions);
    fprintf(stream, "%-20s %16.6f\n", "seconds", s->seconds);
    engine_print(s, stream);
}

void stats_json(const struct report *report, FILE *stream)
{
    struct text out = {0};
    struct json json;
    json_begin(&json, &out, "stats");
    json_string(&json, "module", report->module);
    json_string(&json, "kernel", report->kernel);
    json_open(&json, "stats", '{');
    report_stats(&json, &report->stats);
    json_close(&json, '}');
    report_contended(&json, report->contention, report->ncontention);
    json_end(&json);
    if (text_ok(&out))
        fwrite(out.bytes, 1, out.length, stream);
    text_free(&out);
}

/* "1 x 30, 2 x 2": executions by how many different addresses they had, as addresses x executions. */
static void distinct_print(const struct atoll_contention *row, FILE *stream)
{
    const char *before = "";
    for (unsigned i = 1; i <= 32; i++)
        if (row->distinct_addresses[i]) {
            fprintf(stream, "%s%u x %" PRIu64, before, i, row->distinct_addresses[i]);
            before = ", ";
        }
}

static bool is_csv(const char *form)
{
    return form && strcmp(form, "csv") == 0;
}

static void contention_csv(const struct atoll_contention *row, FILE *stream)
{
    fprintf(stream, "%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, row->space, row->executions,
            row->lanes, row->passes, row->bank_conflicts, row->sectors);
    for (unsigned i = 1; i <= 32; i++)
        fprintf(stream, ",%" PRIu64, row->distinct_addresses[i]);
    fputs(",\"", stream);
    for (const char *at = row->place; *at; at++)
        fprintf(stream, "%s%c", *at == '"' ? "\"" : "", *at);
    fputs("\"\n", stream);
}

void contention_print(const struct atoll_contention *row, const char *form, FILE *stream)
{
    if (is_csv(form)) {
        contention_csv(row, stream);
        return;
    }
    fprintf(stream, "%-8s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12.2f %12" PRIu64 " %12" PRIu64 "  %s\n",
            row->space, row->executions, row->lanes, row->passes, (double)row->passes / (double)row->executions,
            row->bank_conflicts, row->sectors, row->place);
    fprintf(stream, "%*sdifferent addresses x executions: ", 89, "");
    distinct_print(row, stream);
    fputc('\n', stream);
}

void contention_show(const char *rows, const char *form, FILE *stream)
{
    if (is_csv(form)) {
        fputs("space,executions,lanes,passes,bank_conflicts,sectors", stream);
        for (unsigned i = 1; i <= 32; i++)
            fprintf(stream, ",addresses_%u", i);
        fprintf(stream, ",place\n%s", rows);
        return;
    }
    fprintf(stream, "\natomics: lanes of one address take a pass each\n%-8s %12s %12s %12s %12s %12s %12s  %s\n%s",
            "on", "executions", "lanes", "passes", "passes/exec", "conflicts", "sectors", "instruction", rows);
}

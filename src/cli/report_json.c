/* A report as JSON: docs/json.md, "Reports". */
#include "cli/reports.h"

static void place_json(struct json *json, const struct atoll_place *place)
{
    json_open(json, NULL, '{');
    json_string(json, "file", place->file ? place->file : "");
    json_number(json, "line", place->line);
    if (place->column)
        json_number(json, "column", place->column);
    if (place->function[0])
        json_string(json, "function", place->function);
    json_close(json, '}');
}

static void side_json(struct json *json, const struct atoll_finding_side *side)
{
    json_open(json, NULL, '{');
    json_string(json, "does", side->does);
    if (side->place[0])
        json_string(json, "place", side->place);
    if (side->file) {
        json_string(json, "file", side->file);
        json_number(json, "line", side->line);
    }
    json_numbers(json, "block", side->block, 3);
    json_numbers(json, "thread", side->thread, 3);
    json_open(json, "source", '[');
    for (uint32_t i = 0; i < side->nplaces; i++)
        place_json(json, &side->places[i]);
    json_close(json, ']');
    json_close(json, '}');
}

static void item_json(struct json *json, const struct report *report, const struct report_item *item)
{
    json_open(json, NULL, '{');
    json_string(json, "check", item->check);
    json_string(json, "cause", item->cause);
    json_string(json, "message", item->message);
    json_string(json, "memory", item->memory);
    json_number(json, "count", item->count);
    if (report->seeds)
        json_number(json, "seed", item->seed);
    if (item->name) {
        json_string(json, "name", item->name);
        json_string(json, "file", item->file);
    }
    if (item->what == REPORT_TRAP && item->nsides) {
        json_number(json, "address", item->address);
        json_open(json, "coordinate", '[');
        for (unsigned i = 0; i < 3; i++)
            json_integer(json, NULL, item->coordinate[i]);
        json_close(json, ']');
    }
    json_open(json, "sides", '[');
    for (unsigned i = 0; i < item->nsides; i++)
        side_json(json, &item->sides[i]);
    json_close(json, ']');
    json_close(json, '}');
}

void report_stats(struct json *json, const struct atoll_stats *s)
{
    json_number(json, "blocks", s->blocks);
    json_number(json, "warps", s->warps);
    json_number(json, "warp_instructions", s->warp_instructions);
    json_number(json, "lane_instructions", s->lane_instructions);
    json_number(json, "divergent_branches", s->divergent_branches);
    json_number(json, "barriers", s->barriers);
    json_number(json, "global_accesses", s->global_accesses);
    json_number(json, "shared_accesses", s->shared_accesses);
    json_number(json, "local_accesses", s->local_accesses);
    json_number(json, "surface_accesses", s->surface_accesses);
    json_number(json, "atomics", s->atomics);
    json_real(json, "seconds", s->seconds);
    json_number(json, "compiled_blocks", s->compiled_blocks);
    json_number(json, "compiled", s->compiled);
    json_number(json, "cached", s->cached);
    json_real(json, "compile_seconds", s->compile_seconds);
    json_number(json, "stepped", s->stepped);
    if (s->not_compiled)
        json_string(json, "not_compiled", s->not_compiled);
}

void report_contended(struct json *json, const struct atoll_contention *rows, unsigned count)
{
    json_open(json, "contention", '[');
    for (unsigned i = 0; i < count; i++) {
        json_open(json, NULL, '{');
        json_string(json, "place", rows[i].place);
        json_string(json, "space", rows[i].space);
        json_number(json, "executions", rows[i].executions);
        json_number(json, "lanes", rows[i].lanes);
        json_number(json, "passes", rows[i].passes);
        json_number(json, "bank_conflicts", rows[i].bank_conflicts);
        json_number(json, "sectors", rows[i].sectors);
        json_open(json, "distinct_addresses", '[');
        for (unsigned k = 0; k < 33; k++)
            json_number(json, NULL, rows[i].distinct_addresses[k]);
        json_close(json, ']');
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void texts(struct json *json, const char *name, const char *const *items, unsigned count)
{
    json_open(json, name, '[');
    for (unsigned i = 0; i < count; i++)
        json_string(json, NULL, items[i]);
    json_close(json, ']');
}

static void touch_json(struct json *json, const struct report_touch *touch)
{
    json_open(json, NULL, '{');
    json_string(json, "watched", touch->watched);
    json_number(json, "when", touch->when);
    json_number(json, "lanes", touch->lanes);
    json_string(json, "operation", touch->operation);
    json_bool(json, "surface", touch->surface);
    json_string(json, "before", touch->before);
    json_string(json, "after", touch->after);
    json_string(json, "order", touch->order);
    json_open(json, "sides", '[');
    side_json(json, &touch->side);
    json_close(json, ']');
    json_close(json, '}');
}

static void history_json(struct json *json, const struct report *report)
{
    json_open(json, "history", '[');
    for (unsigned i = 0; i < report->ntouches; i++)
        touch_json(json, &report->touches[i]);
    json_close(json, ']');
    json_number(json, "history_untold", report->stats.touches_untold);
}

static void write(const struct report *report, struct text *out)
{
    struct json json;
    json_begin(&json, out, "report");
    json_string(&json, "status", report_status(report));
    json_number(&json, "exit_code", (uint64_t)report->code);
    json_string(&json, "module", report->module);
    json_string(&json, "kernel", report->kernel);
    json_numbers(&json, "grid", report->grid, 3);
    json_numbers(&json, "block", report->block, 3);
    json_string(&json, "order", report->order);
    json_number(&json, "seed", report->seed);
    if (report->seeds)
        json_number(&json, "seeds", report->seeds);
    texts(&json, "checks", report->checks, report->nchecks);
    texts(&json, "expected", report->expects, report->nexpects);
    json_open(&json, "items", '[');
    for (unsigned i = 0; i < report->nitems; i++)
        item_json(&json, report, &report->items[i]);
    json_close(&json, ']');
    json_number(&json, "untold", report->untold);
    json_number(&json, "untold_times", report->untold_times);
    json_open(&json, "stats", '{');
    report_stats(&json, &report->stats);
    json_close(&json, '}');
    if (report->ncontention)
        report_contended(&json, report->contention, report->ncontention);
    if (report->watches)
        history_json(&json, report);
    json_end(&json);
}

const struct report_format report_json = {.name = "json", .ending = ".json", .write = write};

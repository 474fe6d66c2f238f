/* A report as SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format"). A rule is a check and a cause; the
 * other side of a finding, and the calls that were inlined, are related locations. */
#include "cli/reports.h"

#include <string.h>

/* ---- rules ------------------------------------------------------------------------------------------------------ */

static bool same_rule(const struct report_item *a, const struct report_item *b)
{
    return strcmp(a->check, b->check) == 0 && strcmp(a->cause, b->cause) == 0;
}

/* Whether an item before this one has its rule; its index among the rules. */
static bool rule_known(const struct report *report, unsigned item, unsigned *index)
{
    *index = 0;
    for (unsigned i = 0; i <= item; i++) {
        bool first = true;
        for (unsigned k = 0; k < i && first; k++)
            first = !same_rule(&report->items[k], &report->items[i]);
        if (same_rule(&report->items[i], &report->items[item]))
            return i < item;
        *index += first;
    }
    return false;
}

static void rule_id(struct json *json, const char *name, const struct report_item *item)
{
    struct text id = {0};
    text_printf(&id, "%s/%s", item->check, item->cause);
    json_string(json, name, text_ok(&id) ? id.bytes : item->check);
    json->out->failed |= id.failed;
    text_free(&id);
}

static void message(struct json *json, const char *name, const char *said)
{
    json_open(json, name, '{');
    json_string(json, "text", said);
    json_close(json, '}');
}

static void rules(struct json *json, const struct report *report)
{
    unsigned index;
    json_open(json, "rules", '[');
    for (unsigned i = 0; i < report->nitems; i++) {
        if (rule_known(report, i, &index))
            continue;
        struct text text = {0};
        json_open(json, NULL, '{');
        rule_id(json, "id", &report->items[i]);
        text_printf(&text, "%s: %s", report->items[i].check, report->items[i].cause);
        message(json, "shortDescription", text_ok(&text) ? text.bytes : "");
        text_free(&text);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* Bytes of a path as a URI reference (RFC 3986): relative ones as they are, absolute ones with a scheme. */
static void uri(const char *path, struct text *out)
{
    if (path[0] == '/')
        text_puts(out, "file://");
    for (const unsigned char *p = (const unsigned char *)path; *p; p++) {
        bool word = (*p | 0x20u) - 'a' < 26 || *p - (unsigned)'0' < 10;
        if (word || strchr("/-._~", *p))
            text_add(out, (const char *)p, 1);
        else
            text_printf(out, "%%%02X", *p);
    }
}

static void physical(struct json *json, const struct report_place *place)
{
    struct text text = {0};
    uri(place->file, &text);
    json_open(json, "physicalLocation", '{');
    json_open(json, "artifactLocation", '{');
    json_string(json, "uri", text_ok(&text) ? text.bytes : "");
    json_close(json, '}');
    if (place->line) {
        json_open(json, "region", '{');
        json_number(json, "startLine", place->line);
        if (place->column)
            json_number(json, "startColumn", place->column);
        json_close(json, '}');
    }
    json_close(json, '}');
    json->out->failed |= text.failed;
    text_free(&text);
}

static void logical(struct json *json, const struct report *report)
{
    json_open(json, "logicalLocations", '[');
    json_open(json, NULL, '{');
    json_string(json, "fullyQualifiedName", report->kernel);
    json_string(json, "kind", "function");
    json_close(json, '}');
    json_close(json, ']');
}

/* `id` 0: none, as the first locations have. */
static void location(struct json *json, const struct report *report, const struct report_place *place, uint64_t id,
                     const char *said)
{
    json_open(json, NULL, '{');
    if (id)
        json_number(json, "id", id);
    if (place)
        physical(json, place);
    if (said)
        message(json, "message", said);
    if (!id)
        logical(json, report);
    json_close(json, '}');
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

static void other_side(struct json *json, const struct report *report, const struct atoll_finding_side *side,
                       uint64_t id)
{
    struct report_place place;
    struct text text = {0};
    bool placed = report_place(report, side, &place);
    report_thread(side, &text);
    text_printf(&text, ": %s%s%s", side->does, placed ? "" : " at ", placed ? "" : side->place);
    location(json, report, placed ? &place : NULL, id, text_ok(&text) ? text.bytes : "");
    text_free(&text);
}

static void related(struct json *json, const struct report *report, const struct report_item *item)
{
    uint64_t id = 1;
    json_open(json, "relatedLocations", '[');
    for (unsigned s = 0; s < item->nsides; s++) {
        const struct atoll_finding_side *side = &item->sides[s];
        if (s)
            other_side(json, report, side, id++);
        uint32_t chosen = side->nplaces ? report_chosen(report, side) : 0;
        for (uint32_t i = 0; i < side->nplaces; i++) {
            struct report_place place;
            if (i != chosen && report_source(report, &side->places[i], &place))
                location(json, report, &place, id++, i < chosen ? "in what was inlined" : "inlined here");
        }
    }
    json_close(json, ']');
}

static void properties(struct json *json, const struct report *report, const struct report_item *item)
{
    json_open(json, "properties", '{');
    if (report->seeds)
        json_number(json, "seed", item->seed);
    if (item->memory[0])
        json_string(json, "memory", item->memory);
    for (unsigned s = 0; s < item->nsides; s++) {
        json_numbers(json, s ? "otherBlock" : "block", item->sides[s].block, 3);
        json_numbers(json, s ? "otherThread" : "thread", item->sides[s].thread, 3);
    }
    json_close(json, '}');
}

static void result(struct json *json, const struct report *report, unsigned i)
{
    const struct report_item *item = &report->items[i];
    struct report_place place = {.file = report->module};
    unsigned index;
    bool placed = (item->nsides && report_place(report, &item->sides[0], &place)) || strcmp(report->module, "-") != 0;
    rule_known(report, i, &index);
    json_open(json, NULL, '{');
    rule_id(json, "ruleId", item);
    json_number(json, "ruleIndex", index);
    json_string(json, "kind", "fail");
    json_string(json, "level", "error");
    message(json, "message", item->message);
    json_open(json, "locations", '[');
    location(json, report, placed ? &place : NULL, 0, NULL);
    json_close(json, ']');
    related(json, report, item);
    json_number(json, "occurrenceCount", item->count ? item->count : 1);
    properties(json, report, item);
    json_close(json, '}');
}

static void driver(struct json *json, const struct report *report)
{
    json_open(json, "tool", '{');
    json_open(json, "driver", '{');
    json_string(json, "name", "atoll");
    json_string(json, "version", atoll_version());
    json_string(json, "semanticVersion", atoll_version());
    rules(json, report);
    json_close(json, '}');
    json_close(json, '}');
}

/* Findings beyond those that are told are told as a number. */
static void invocation(struct json *json, const struct report *report)
{
    json_open(json, "invocations", '[');
    json_open(json, NULL, '{');
    json_bool(json, "executionSuccessful", report->code == EXIT_OK || report->code == EXIT_KERNEL);
    json_number(json, "exitCode", (uint64_t)report->code);
    json_string(json, "exitCodeDescription", report_status(report));
    json_close(json, '}');
    json_close(json, ']');
    json_open(json, "properties", '{');
    json_string(json, "kernel", report->kernel);
    json_numbers(json, "grid", report->grid, 3);
    json_numbers(json, "block", report->block, 3);
    json_number(json, "untold", report->untold);
    json_number(json, "untoldTimes", report->untold_times);
    json_close(json, '}');
}

static void write(const struct report *report, struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    json_string(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json_string(&json, "version", "2.1.0");
    json_open(&json, "runs", '[');
    json_open(&json, NULL, '{');
    driver(&json, report);
    invocation(&json, report);
    json_string(&json, "columnKind", "utf16CodeUnits");
    json_open(&json, "results", '[');
    for (unsigned i = 0; i < report->nitems; i++)
        result(&json, report, i);
    json_close(&json, ']');
    json_close(&json, '}');
    json_close(&json, ']');
    json_close(&json, '}');
    text_puts(out, "\n");
}

const struct report_format report_sarif = {.name = "sarif", .ending = ".sarif", .write = write};

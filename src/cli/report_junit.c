/* A report as JUnit's XML, as CI systems read it: the launch is a test, each check, and each file that is expected;
 * each finding is a test of its check that fails; the orders of --seeds are a test, too. */
#include "cli/reports.h"

#include <inttypes.h>
#include <string.h>

static void attribute(const char *name, const char *value, struct text *out)
{
    text_printf(out, " %s=\"", name);
    text_markup(out, value, strlen(value));
    text_puts(out, "\"");
}

/* A test, open: "/>" or ">" is still to come. */
static void test_open(const struct report *report, const char *name, struct text *out)
{
    text_puts(out, "    <testcase");
    attribute("classname", report->module, out);
    attribute("name", name, out);
}

/* `kind`: what is no verdict on the kernel is an error. */
static void test_bad(const struct report *report, const char *name, const struct report_item *item, const char *kind,
                     struct text *out)
{
    struct text type = {0};
    text_printf(&type, "%s.%s", item->check, item->cause);
    test_open(report, name, out);
    text_printf(out, ">\n      <%s", kind);
    attribute("type", text_ok(&type) ? type.bytes : item->check, out);
    attribute("message", item->message, out);
    text_puts(out, ">");
    text_markup(out, item->message, strlen(item->message));
    report_seed(report, item, out);
    if (item->count > 1 && item->what != REPORT_ORDERS)
        text_printf(out, "\n%" PRIu64 " times", item->count);
    text_printf(out, "</%s>\n    </testcase>\n", kind);
    text_free(&type);
}

static void test_good(const struct report *report, const char *name, struct text *out)
{
    test_open(report, name, out);
    text_puts(out, "/>\n");
}

/* "race at blur.cu:12" */
static void finding_name(const struct report *report, const struct report_item *item, struct text *name)
{
    struct report_place place;
    text_printf(name, "%s (%s)", item->check, item->cause);
    if (item->nsides && report_place(report, &item->sides[0], &place))
        text_printf(name, " at %s:%" PRIu32, place.file, place.line);
}

static unsigned launch_tests(const struct report *report, struct text *out)
{
    unsigned bad = 0;
    for (unsigned i = 0; i < report->nitems; i++) {
        const struct report_item *item = &report->items[i];
        if (report_is_verdict(item))
            continue;
        test_bad(report, "launch", item, "error", out);
        bad++;
    }
    if (!bad)
        test_good(report, "launch", out);
    return bad;
}

static unsigned check_tests(const struct report *report, const char *check, struct text *out)
{
    unsigned bad = 0;
    for (unsigned i = 0; i < report->nitems; i++) {
        const struct report_item *item = &report->items[i];
        if (item->what != REPORT_FINDING || strcmp(item->check, check) != 0)
            continue;
        struct text name = {0};
        finding_name(report, item, &name);
        test_bad(report, text_ok(&name) ? name.bytes : check, item, "failure", out);
        text_free(&name);
        bad++;
    }
    if (!bad)
        test_good(report, check, out);
    return bad;
}

/* Of a run that ended before anything was compared nothing is said. */
static unsigned expect_tests(const struct report *report, bool compared, struct text *out, unsigned *tests)
{
    unsigned bad = 0;
    for (unsigned e = 0; e < report->nexpects && compared; e++) {
        const struct report_item *different = NULL;
        struct text name = {0};
        for (unsigned i = 0; i < report->nitems; i++)
            if (report->items[i].what == REPORT_DIFFERENCE && strcmp(report->items[i].name, report->expects[e]) == 0)
                different = &report->items[i];
        text_printf(&name, "expect %s", report->expects[e]);
        if (different)
            test_bad(report, text_ok(&name) ? name.bytes : "expect", different, "failure", out);
        else
            test_good(report, text_ok(&name) ? name.bytes : "expect", out);
        text_free(&name);
        bad += different != NULL;
        (*tests)++;
    }
    return bad;
}

/* --seeds: a failure for each result that is not the first one's. */
static unsigned orders_tests(const struct report *report, struct text *out)
{
    unsigned bad = 0;
    for (unsigned i = 0; i < report->nitems; i++)
        if (report->items[i].what == REPORT_ORDERS) {
            test_bad(report, "seeds", &report->items[i], "failure", out);
            bad++;
        }
    if (!bad)
        test_good(report, "seeds", out);
    return bad;
}

static void property(const char *name, const uint32_t value[3], struct text *out)
{
    text_printf(out, "      <property name=\"%s\" value=\"%ux%ux%u\"/>\n", name, value[0], value[1], value[2]);
}

static void totals(const char *element, const struct report *report, const unsigned counts[3], struct text *out)
{
    text_printf(out, "<%s", element);
    attribute("name", report->kernel, out);
    text_printf(out, " tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"0\" time=\"%.6f\">\n", counts[0], counts[1],
                counts[2], report->stats.seconds);
}

static void write(const struct report *report, struct text *out)
{
    struct text tests = {0};
    unsigned counts[3] = {0}; /* tests, failures, errors */
    unsigned errors = launch_tests(report, &tests);
    counts[2] = errors;
    counts[0] = errors ? errors : 1;
    for (unsigned i = 0; i < report->nchecks; i++) {
        unsigned bad = check_tests(report, report->checks[i], &tests);
        counts[1] += bad;
        counts[0] += bad ? bad : 1;
    }
    counts[1] += expect_tests(report, !errors, &tests, &counts[0]);
    if (report->seeds && !errors) {
        unsigned bad = orders_tests(report, &tests);
        counts[1] += bad;
        counts[0] += bad ? bad : 1;
    }
    text_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    totals("testsuites", report, counts, out);
    text_puts(out, "  ");
    totals("testsuite", report, counts, out);
    text_puts(out, "    <properties>\n");
    property("grid", report->grid, out);
    property("block", report->block, out);
    text_printf(out, "      <property name=\"untold\" value=\"%" PRIu64 "\"/>\n", report->untold);
    text_printf(out, "      <property name=\"untold_times\" value=\"%" PRIu64 "\"/>\n    </properties>\n",
                report->untold_times);
    if (text_ok(&tests))
        text_add(out, tests.bytes, tests.length);
    out->failed |= tests.failed;
    text_free(&tests);
    text_puts(out, "  </testsuite>\n</testsuites>\n");
}

const struct report_format report_junit = {.name = "junit", .ending = ".xml", .write = write};

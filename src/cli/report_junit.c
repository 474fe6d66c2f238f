/* A report as JUnit's XML, as CI systems read it: the launch is a test, each check, and each file that is expected;
 * each finding is a test of its check that fails; the orders of --seeds are a test, too. */
#include "cli/reports.h"

#include <inttypes.h>
#include <string.h>

/* Tests so far. */
struct junit {
    struct text tests;
    unsigned count, failures, errors, skipped;
};

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

/* Nothing is wrong: that says something only of a launch that has come to its end. */
static void test_good(const struct report *report, const char *name, struct junit *junit)
{
    test_open(report, name, &junit->tests);
    if (junit->errors)
        text_puts(&junit->tests,
                  ">\n      <skipped message=\"the launch did not come to its end\"/>\n    </testcase>\n");
    else
        text_puts(&junit->tests, "/>\n");
    junit->skipped += junit->errors > 0;
    junit->count++;
}

/* "race at blur.cu:12" */
static void finding_name(const struct report *report, const struct report_item *item, struct text *name)
{
    struct report_place place;
    text_printf(name, "%s (%s)", item->check, item->cause);
    if (item->nsides && report_place(report, &item->sides[0], &place))
        text_printf(name, " at %s:%" PRIu32, place.file, place.line);
}

static void launch_tests(const struct report *report, struct junit *junit)
{
    for (unsigned i = 0; i < report->nitems; i++)
        if (!report_is_verdict(&report->items[i])) {
            test_bad(report, "launch", &report->items[i], "error", &junit->tests);
            junit->errors++;
            junit->count++;
        }
    if (!junit->errors)
        test_good(report, "launch", junit);
}

static void failed(const struct report *report, const char *name, const struct report_item *item, struct junit *junit)
{
    test_bad(report, name, item, "failure", &junit->tests);
    junit->failures++;
    junit->count++;
}

static void check_tests(const struct report *report, const char *check, struct junit *junit)
{
    bool good = true;
    for (unsigned i = 0; i < report->nitems; i++) {
        const struct report_item *item = &report->items[i];
        if (item->what != REPORT_FINDING || strcmp(item->check, check) != 0)
            continue;
        struct text name = {0};
        finding_name(report, item, &name);
        failed(report, text_ok(&name) ? name.bytes : check, item, junit);
        text_free(&name);
        good = false;
    }
    if (good)
        test_good(report, check, junit);
}

static void expect_test(const struct report *report, const char *expected, struct junit *junit)
{
    const struct report_item *different = NULL;
    struct text text = {0};
    for (unsigned i = 0; i < report->nitems; i++)
        if (report->items[i].what == REPORT_DIFFERENCE && strcmp(report->items[i].name, expected) == 0)
            different = &report->items[i];
    text_printf(&text, "expect %s", expected);
    const char *name = text_ok(&text) ? text.bytes : "expect";
    if (different)
        failed(report, name, different, junit);
    else
        test_good(report, name, junit);
    text_free(&text);
}

/* --seeds: a failure for each result that is not the first one's. */
static void orders_tests(const struct report *report, struct junit *junit)
{
    bool good = true;
    for (unsigned i = 0; i < report->nitems; i++)
        if (report->items[i].what == REPORT_ORDERS) {
            failed(report, "seeds", &report->items[i], junit);
            good = false;
        }
    if (good)
        test_good(report, "seeds", junit);
}

static void property(const char *name, const uint32_t value[3], struct text *out)
{
    text_printf(out, "      <property name=\"%s\" value=\"%ux%ux%u\"/>\n", name, value[0], value[1], value[2]);
}

static void totals(const char *element, const struct report *report, const struct junit *junit, struct text *out)
{
    text_printf(out, "<%s", element);
    attribute("name", report->kernel, out);
    text_printf(out, " tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" time=\"%.6f\">\n", junit->count,
                junit->failures, junit->errors, junit->skipped, report->stats.seconds);
}

static void tests_make(const struct report *report, struct junit *junit)
{
    launch_tests(report, junit);
    for (unsigned i = 0; i < report->nchecks; i++)
        check_tests(report, report->checks[i], junit);
    for (unsigned i = 0; i < report->nexpects; i++)
        expect_test(report, report->expects[i], junit);
    if (report->seeds)
        orders_tests(report, junit);
}

static void write(const struct report *report, struct text *out)
{
    struct junit junit = {0};
    tests_make(report, &junit);
    text_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    totals("testsuites", report, &junit, out);
    text_puts(out, "  ");
    totals("testsuite", report, &junit, out);
    text_puts(out, "    <properties>\n");
    property("grid", report->grid, out);
    property("block", report->block, out);
    text_printf(out, "      <property name=\"untold\" value=\"%" PRIu64 "\"/>\n", report->untold);
    text_printf(out, "      <property name=\"untold_times\" value=\"%" PRIu64 "\"/>\n    </properties>\n",
                report->untold_times);
    if (text_ok(&junit.tests))
        text_add(out, junit.tests.bytes, junit.tests.length);
    out->failed |= junit.tests.failed;
    text_free(&junit.tests);
    text_puts(out, "  </testsuite>\n</testsuites>\n");
}

const struct report_format report_junit = {.name = "junit", .ending = ".xml", .write = write};

/* The models of memory: classic tests whose verdicts are known (tests/data/litmus), and all of tests/litmus against
 * what they say themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dirent.h>

#include "litmus/litmus.h"

static const struct litmus_limits limits = {.unroll = 2, .candidates = 1000000, .seconds = 60};

static void read_test(const char *path, struct litmus *test)
{
    static char text[LITMUS_SIZE];
    struct atoll_error error = {0};
    FILE *in = fopen(path, "rb");
    if (!in)
        fail_msg("%s: cannot be read", path);
    size_t size = fread(text, 1, sizeof text, in);
    fclose(in);
    if (!litmus_parse(test, text, size, &error))
        fail_msg("%s:%u:%u: %s", path, error.line, error.column, error.message);
}

/* In how many outcomes a condition is true, and false. */
static void count(const struct litmus *test, const struct litmus_condition *c, const struct litmus_allowed *allowed,
                  unsigned *yes, unsigned *no)
{
    *yes = *no = 0;
    for (unsigned i = 0; i < allowed->outcomes.count; i++)
        ++*(litmus_holds(test, c->root, allowed->outcomes.items[i].values) ? yes : no);
}

static const char *observe(const char *path, enum litmus_model model)
{
    static struct litmus_allowed allowed;
    struct litmus test;
    struct atoll_error error = {0};
    unsigned yes, no;
    read_test(path, &test);
    bool ok = litmus_allow(&test, model, &limits, &allowed, &error);
    if (!ok && error.status == ATOLL_UNSUPPORTED && strstr(error.message, "no proxies")) {
        litmus_free(&test);
        return "-";
    }
    if (!ok)
        fail_msg("%s: %s", path, error.message);
    count(&test, &test.conditions[0], &allowed, &yes, &no);
    litmus_free(&test);
    return !yes && !no ? "None" : !yes ? "Never" : !no ? "Always" : "Sometimes";
}

static void knows_the_classics(void **state)
{
    char line[200], name[100], want[LITMUS_MODELS][20], path[1000];
    unsigned tests = 0;
    FILE *list = fopen(DATA_DIR "/litmus/expected.tsv", "r");
    (void)state;
    assert_non_null(list);
    while (fgets(line, sizeof line, list)) {
        if (line[0] == '#')
            continue;
        assert_int_equal(sscanf(line, "%99s %19s %19s", name, want[0], want[1]), 3);
        snprintf(path, sizeof path, DATA_DIR "/litmus/%s.litmus", name);
        for (unsigned m = 0; m < LITMUS_MODELS; m++) {
            const char *got = observe(path, (enum litmus_model)m);
            if (strcmp(got, want[m]) != 0)
                fail_msg("%s by %s: %s, not %s", name, litmus_model_name((enum litmus_model)m), got, want[m]);
        }
        tests++;
    }
    fclose(list);
    assert_true(tests >= 100);
}

/* Conditions about surfaces that several blocks use are promises of Atoll's (docs/memory-model.md, "Surfaces"): for the
 * models surface accesses are weak ones through a proxy of their own. Everything else the models have to agree with. */
static bool is_promise(const struct litmus *test)
{
    bool surfaces = false;
    for (unsigned i = 0; i < test->nplaces; i++)
        surfaces |= test->places[i].space == LITMUS_SURFACE;
    return surfaces && test->blocks > 1;
}

static unsigned agree(const char *path, const struct litmus *test, enum litmus_model model)
{
    static struct litmus_allowed allowed;
    struct atoll_error error = {0};
    if (!litmus_allow(test, model, &limits, &allowed, &error)) {
        if (model == LITMUS_MODEL_75 || !strstr(error.message, "no proxies"))
            fail_msg("%s: %s", path, error.message);
        return 0;
    }
    for (unsigned i = 0; i < test->nconditions; i++) {
        const struct litmus_condition *c = &test->conditions[i];
        unsigned yes, no;
        count(test, c, &allowed, &yes, &no);
        bool asserts = c->quantifier == LITMUS_NOT_EXISTS || c->quantifier == LITMUS_FORALL;
        bool holds = c->quantifier == LITMUS_NOT_EXISTS ? !yes : c->quantifier == LITMUS_FORALL ? !no : yes;
        if (!holds && !(asserts && is_promise(test)))
            fail_msg("%s:%u: %.*s: not by %s", path, c->line, (int)c->size, c->text, litmus_model_name(model));
    }
    return 1;
}

static void agrees_with_the_suite(void **state)
{
    static const char *const folders[] = {"global", "shared", "surface"};
    unsigned judged[LITMUS_MODELS] = {0};
    (void)state;
    for (unsigned f = 0; f < 3; f++) {
        char path[1000];
        snprintf(path, sizeof path,
                 DATA_DIR "/../litmus"
                          "/%s",
                 folders[f]);
        DIR *folder = opendir(path);
        assert_non_null(folder);
        for (const struct dirent *entry; (entry = readdir(folder));) {
            struct litmus test;
            if (!strstr(entry->d_name, ".litmus"))
                continue;
            snprintf(path, sizeof path,
                     DATA_DIR "/../litmus"
                              "/%s/%s",
                     folders[f], entry->d_name);
            read_test(path, &test);
            for (unsigned m = 0; m < LITMUS_MODELS; m++)
                judged[m] += agree(path, &test, (enum litmus_model)m);
            litmus_free(&test);
        }
        closedir(folder);
    }
    assert_true(judged[LITMUS_MODEL_75] >= 150 && judged[LITMUS_MODEL_60] >= 120);
}

/* What Atoll shows of a test with aliases is allowed. */
static void runs_what_it_judges(void **state)
{
    static struct litmus_allowed allowed;
    static struct litmus_outcomes seen;
    static const char *const names[] = {
        "Alias+F", "Alias+MP+F", "Proxy+MP+sur+F+gen", "Proxy+MP+gen+sur+F+apart", "Atom+lock",
        "MP+dlb",  "SB+bar",     "Proxy+gen+F+tex"};
    struct litmus_run run = {.seeds = 200, .parallel = 5};
    (void)state;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        struct litmus test;
        struct atoll_error error = {0};
        char path[1000];
        snprintf(path, sizeof path, DATA_DIR "/litmus/%s.litmus", names[i]);
        read_test(path, &test);
        if (!litmus_allow(&test, LITMUS_MODEL_75, &limits, &allowed, &error) || !litmus_run(&test, &run, &seen, &error))
            fail_msg("%s:%u:%u: %s", path, error.line, error.column, error.message);
        assert_true(seen.count > 0);
        for (unsigned k = 0; k < seen.count; k++) {
            unsigned before = allowed.outcomes.count;
            litmus_outcome(&allowed.outcomes, &test, seen.items[k].values);
            if (allowed.outcomes.count != before)
                fail_msg("%s: an outcome that the model forbids", path);
        }
        litmus_free(&test);
    }
}

static const struct {
    const char *text;
    uint32_t line, column;
    enum atoll_status status;
    const char *message;
} refused[] = {
    {"PTX a { x = 0 } P0 ;\n ldu.u32 r0, [x] ;\nexists (x = 1)", 2, 2, ATOLL_UNSUPPORTED,
     "do not know this instruction"},
    {"PTX a { x = 0 } P0 ;\n ld.odd.u32 r0, [x] ;\nexists (x = 1)", 2, 5, ATOLL_UNSUPPORTED, "do not know this"},
    {"PTX a { x = 0 } P0 ;\n ld.u32 r0, [rd0] ;\nexists (x = 1)", 2, 14, ATOLL_UNSUPPORTED, "locations as addresses"},
    {"PTX a { x = 0 } P0 ;\n ld r0, [x] ;\nexists (x = 1)", 2, 2, ATOLL_UNSUPPORTED, "type is missing"},
    {"PTX a { x = 0 } P0 ;\n st.u32 [x] ;\nexists (x = 1)", 2, 2, ATOLL_UNSUPPORTED, "a value"},
    {"PTX a { x = 0 } P0 ;\n st.u32 [x + 14], 1 ;\nexists (x = 1)", 2, 2, ATOLL_UNSUPPORTED, "not aligned"},
    {"PTX a { x = 0 } P0 ;\n fence.gpu ;\nexists (x = 1)", 2, 2, ATOLL_UNSUPPORTED, "without an order"},
    {"PTX a { x = 0 } P0 ;\n fence.proxy.async ;\nexists (x = 1)", 2, 2, ATOLL_UNSUPPORTED, "proxy"},
    {"PTX a { x = 0 } P0 ;\n bra L ;\nexists (x = 1)", 2, 6, ATOLL_UNSUPPORTED, "no such label"},
    {"PTX a { x = 0 } P0@cta 0,gpu 0 ;\n bne r0, 0 ;\nexists (x = 1)", 2, 2, ATOLL_UNSUPPORTED, "and a label"},
    {"PTX a { x = 0 } P0 ;\n ld.u32 r0, [y] ;\nexists (x = 1)", 2, 14, ATOLL_UNSUPPORTED,
     "'y': no location of this name"},
    {"PTX a { x = 0 } P0 ;\n ld.u32 r0, x ;\nexists (x = 1)", 2, 13, ATOLL_UNSUPPORTED,
     "in brackets was expected here"},
    {"PTX a { x = 0 } P0 ;\n ld.u32 r0 ;\nexists (x = 1)", 2, 2, ATOLL_UNSUPPORTED, "expected behind it"},
    {"PTX a { x = 0 } P0 ;\n st.u32 [x], y ;\nexists (x = 1)", 2, 14, ATOLL_UNSUPPORTED,
     "no location of this name is declared"},
    {"PTX a { x = 0 } P0 ;\n mov.u64 rd0, x ;\nexists (x = 1)", 2, 15, ATOLL_UNSUPPORTED, "not as a value"},
    {"PTX a { x = 0 } P0@cta 0,gpu 0 ;\n st.weak r1, 2 ;\nexists (x = 1)", 2, 10, ATOLL_UNSUPPORTED,
     "a location was expected here"},
    {"PTX a { x = 0 } P0 ;\n bar.sync 0, 64 ;\nexists (x = 1)", 2, 2, ATOLL_UNSUPPORTED,
     "for 64 threads, and those of the test that come to it count as 32,"},
    {"PTX a { x = 0 } P0 ;\n bar.sync 0, r1 ;\nexists (x = 1)", 2, 2, ATOLL_UNSUPPORTED, "thread count of this"},
    {"PTX a { x = 0 } P0 ;\n bar.sync r1 ;\nexists (x = 1)", 2, 11, ATOLL_UNSUPPORTED,
     "number of a barrier, no register"},
    {"PTX a { x = 0 } P0 ;\n bar.sync 0, 32, 1 ;\nexists (x = 1)", 2, 18, ATOLL_UNSUPPORTED, "perhaps a count"},
    {"PTX a { x = 0 } P0 ;\n bar.red 0 ;\nexists (x = 1)", 2, 6, ATOLL_UNSUPPORTED, "do not know this barrier"},
    {"PTX a { x = 0 } P0 ;\n bar.warp.sync 1 ;\nexists (x = 1)", 2, 16, ATOLL_UNSUPPORTED, "for all its lanes"},
    {"PTX a { x = 0 } P0@cta 0,gpu 0 ;\n bar.cta.sync r1, 2 ;\nexists (x = 1)", 2, 15, ATOLL_UNSUPPORTED,
     "the instance of a barrier"},
    {"PTX a { x = 0 } P0@cta 0,gpu 0 ;\n bar.cta.sync 1, 2, 3, 4 ;\nexists (x = 1)", 2, 24, ATOLL_UNSUPPORTED,
     "perhaps a quorum"},
    {"PTX a { x = 0; y @ generic aliases x } P0 ;\n st.u32 [x], 1 | ;\nexists (x = 1)", 2, 16, ATOLL_INPUT,
     "more columns"},
    {"PTX a { x = 0; y @ sideways aliases x } P0 ;\n", 1, 20, ATOLL_INPUT, "'surface'"},
    {"PTX a { x = 0; y @ surface aliases z } P0 ;\n", 1, 36, ATOLL_INPUT, "no initial value"},
    {"PTX a { x = 0; y = x } P0@cta 0,gpu 0 ;\n", 1, 20, ATOLL_INPUT, "address"},
    {"PTX a { x = 0; } P0 ; st.u32 [x], 1 ; locations [x y] exists (true)", 1, 52, ATOLL_INPUT, "']'"},
};

static void says_what_it_does_not_know(void **state)
{
    static struct litmus_allowed allowed;
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct litmus test;
        struct atoll_error error = {0};
        if (litmus_parse(&test, refused[i].text, strlen(refused[i].text), &error)) {
            assert_false(litmus_allow(&test, LITMUS_MODEL_75, &limits, &allowed, &error));
            litmus_free(&test);
        }
        if (error.status != refused[i].status || error.line != refused[i].line || error.column != refused[i].column ||
            !strstr(error.message, refused[i].message))
            fail_msg("%s\n%d %u:%u: %s", refused[i].text, error.status, error.line, error.column, error.message);
    }
}

/* Large tests end with a limit, soon. */
static void gives_up(void **state)
{
    static struct litmus_allowed allowed;
    char text[8000];
    struct litmus test;
    struct atoll_error error = {0};
    struct litmus_limits few = {.unroll = 2, .candidates = 10000, .seconds = 5};
    (void)state;
    int n = snprintf(text, sizeof text, "PTX large { x = 0; } P0 | P1 | P2 | P3 | P4 | P5 ;\n");
    for (unsigned row = 0; row < 4; row++)
        for (unsigned i = 0; i < 6; i++)
            n += snprintf(text + n, sizeof text - (size_t)n, " atom.exch.b32 r%u, [x], %u %s", row, 6 * row + i + 1,
                          i < 5 ? "|" : ";\n");
    snprintf(text + n, sizeof text - (size_t)n, "exists (x = 1)");
    assert_true(litmus_parse(&test, text, strlen(text), &error));
    assert_false(litmus_allow(&test, LITMUS_MODEL_75, &few, &allowed, &error));
    assert_int_equal(error.status, ATOLL_LIMIT);
    litmus_free(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_the_classics),
        cmocka_unit_test(agrees_with_the_suite),
        cmocka_unit_test(runs_what_it_judges),
        cmocka_unit_test(says_what_it_does_not_know),
        cmocka_unit_test(gives_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

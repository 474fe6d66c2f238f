/* The weak order against the models of memory: whatever it shows of any litmus test that we have, both models allow;
 * and it shows what interleavings do not. */
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

enum { SEEDS = 150 };

struct sums {
    unsigned tests, allowed, interleaved,
        seen; /* outcomes: of the model, shown by interleavings, by the weak order too */
};

static void read_test(const char *path, struct litmus *test)
{
    static char text[LITMUS_SIZE];
    struct atoll_error error = {0};
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    size_t size = fread(text, 1, sizeof text, in);
    fclose(in);
    if (!litmus_parse(test, text, size, &error))
        fail_msg("%s:%u:%u: %s", path, error.line, error.column, error.message);
}

/* Holds what was seen against one model, if that says anything of the test. */
static void judge(const char *path, const struct litmus *test, enum litmus_model model,
                  const struct litmus_outcomes *seen, struct sums *sums)
{
    static const struct litmus_limits limits = {.unroll = 2, .candidates = 1000000, .seconds = 60};
    static struct litmus_allowed allowed;
    struct atoll_error error = {0};
    if (!litmus_allow(test, model, &limits, &allowed, &error) || allowed.cut)
        return;
    sums->tests++;
    sums->allowed += allowed.outcomes.count;
    for (unsigned i = 0; i < seen->count; i++) {
        unsigned before = allowed.outcomes.count;
        litmus_outcome(&allowed.outcomes, test, seen->items[i].values);
        if (allowed.outcomes.count != before)
            fail_msg("%s: an outcome that %s forbids, seen %u times", path, litmus_model_name(model),
                     (unsigned)seen->items[i].weak);
        sums->seen++;
        sums->interleaved += seen->items[i].seeded > 0;
    }
}

static void one_test(const char *path, struct sums sums[LITMUS_MODELS])
{
    static struct litmus_outcomes seen;
    struct litmus_run run = {.seeds = SEEDS, .weak = SEEDS};
    struct litmus test;
    struct atoll_error error = {0};
    read_test(path, &test);
    bool ok = litmus_run(&test, &run, &seen, &error);
    /* There is no such instruction (docs/litmus.md), or the test's threads wait for each other. */
    if (!ok && error.status != ATOLL_UNSUPPORTED && !strstr(error.message, "barrier-deadlock"))
        fail_msg("%s:%u:%u: %s", path, error.line, error.column, error.message);
    for (unsigned m = 0; ok && m < LITMUS_MODELS; m++)
        judge(path, &test, (enum litmus_model)m, &seen, &sums[m]);
    litmus_free(&test);
}

static void run_folder(const char *name, struct sums sums[LITMUS_MODELS])
{
    char path[1000];
    DIR *folder = opendir(name);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (!strstr(entry->d_name, ".litmus"))
            continue;
        snprintf(path, sizeof path, "%s/%s", name, entry->d_name);
        one_test(path, sums);
    }
    closedir(folder);
}

static void shows_what_is_allowed(void **state)
{
    static const char *const folders[] = {DATA_DIR "/../litmus/global", DATA_DIR "/../litmus/shared",
                                          DATA_DIR "/../litmus/surface", DATA_DIR "/litmus"};
    struct sums sums[LITMUS_MODELS] = {{0}};
    (void)state;
    for (unsigned f = 0; f < 4; f++)
        run_folder(folders[f], sums);
    for (unsigned m = 0; m < LITMUS_MODELS; m++)
        printf("%s: %u tests, %u outcomes allowed, %u interleavings, %u seen\n",
               litmus_model_name((enum litmus_model)m), sums[m].tests, sums[m].allowed, sums[m].interleaved,
               sums[m].seen);
    assert_true(sums[LITMUS_MODEL_60].tests >= 190 && sums[LITMUS_MODEL_75].tests >= 240);
    for (unsigned m = 0; m < LITMUS_MODELS; m++)
        assert_true(sums[m].seen >= sums[m].interleaved + 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_what_is_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

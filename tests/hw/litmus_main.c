/* hw_litmus: cases for hw_litmus_record, and its records against the model of memory.
 *
 *   hw_litmus --generate CASES         writes all tests that hardware can run; tells which it cannot
 *   hw_litmus --record CASES RESULTS   runs them in Atoll, as source "atoll"
 *   hw_litmus [--quiet] RESULTS...     judges
 *   --tests FOLDER                     where litmus tests are, before these
 *
 * Exit status: 0 all that was seen is allowed, 1 something is forbidden, 2 cannot. */
#include "driver_atoll.h"
#include "litmus.h"

#include <stdlib.h>
#include <string.h>

enum { LAUNCHES = 24, UNITS = 1 };

static int generate(const char *tests, const char *path)
{
    struct hwl_cases cases = {0};
    hwl_generate(&cases, tests, stdout);
    bool ok = hwl_cases_write(path, &cases);
    printf("%zu tests in %s\n", cases.count, path);
    hwl_cases_free(&cases);
    return ok ? 0 : 2;
}

static void run_all(const struct hwl_cases *cases, const struct cuda *cuda, FILE *file)
{
    static struct hwl_result result;
    struct hwl_effort effort = {.launches = LAUNCHES, .units = UNITS};
    struct hwl_results header = {.origin = {"atoll", "Atoll", "-", "9.0"}};
    struct hw_text text = {0};
    hwl_results_header(&text, &header);
    for (size_t i = 0; i < cases->count; i++) {
        effort.seed = i;
        hwl_run(cuda, &cases->at[i], &effort, &result);
        hwl_result_text(&text, &result);
    }
    fwrite(text.data, 1, text.size, file);
    hw_free(&text);
}

static int record(const char *from, const char *to)
{
    struct hwl_cases cases = {0};
    struct cuda cuda;
    FILE *file = fopen(to, "w");
    bool ok = file && hwl_cases_read(from, &cases) && hw_atoll_open(&cuda, true);
    if (!file)
        perror(to);
    if (ok) {
        run_all(&cases, &cuda, file);
        hw_atoll_close();
    }
    ok = file && fclose(file) == 0 && ok;
    hwl_cases_free(&cases);
    return ok ? 0 : 2;
}

static int judge(const char *tests, const char *path, FILE *table)
{
    struct hwl_results results = {0};
    struct hwl_sums s;
    if (!hwl_results_read(path, &results))
        return 2;
    hwl_judge(&results, tests, table, &s);
    printf("%s (%s, driver %s): %u tests judged: %u of %u allowed outcomes seen, %u forbidden ones; %u tests the model "
           "does not judge; %u conditions broken; %u tests failed, %u are others now\n",
           results.origin.device, results.origin.source, results.origin.driver, s.judged, s.seen, s.allowed,
           s.forbidden, s.unjudged, s.broken, s.failed, s.stale);
    hwl_results_free(&results);
    return s.forbidden ? 1 : 0;
}

static int usage(void)
{
    fputs("usage: hw_litmus [--tests FOLDER] --generate CASES | --record CASES RESULTS | [--quiet] RESULTS...\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    const char *tests = TESTS_DIR;
    FILE *table = stdout;
    int at = 1, worst = 0;
    if (at + 1 < argc && strcmp(argv[at], "--tests") == 0) {
        tests = argv[at + 1];
        at += 2;
    }
    if (at + 2 == argc && strcmp(argv[at], "--generate") == 0)
        return generate(tests, argv[at + 1]);
    if (at + 3 == argc && strcmp(argv[at], "--record") == 0)
        return record(argv[at + 1], argv[at + 2]);
    if (at < argc && strcmp(argv[at], "--quiet") == 0) {
        table = NULL;
        at++;
    }
    if (at == argc || argv[at][0] == '-')
        return usage();
    for (; at < argc; at++) {
        int one = judge(tests, argv[at], table);
        worst = one > worst ? one : worst;
    }
    return worst;
}

/* Runs litmus tests (docs/litmus.md): litmus [-v] [--table] [--seeds N] [--parallel N] [--weak N] [--checked N]
 * FILE-or-FOLDER... Every test runs for N seeds of the seeded order, for N of the weak order and N times on two host
 * threads, many instances a launch; outcomes are counted and held against the test's conditions. Exit status 0: all
 * hold. */
#include "litmus/litmus.h"

#include "atoll.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#if defined(__SANITIZE_THREAD__)
#define RACE_DETECTOR 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RACE_DETECTOR 1
#endif
#endif
#ifndef RACE_DETECTOR
#define RACE_DETECTOR 0
#endif

enum { ENOUGH_SEEDS = 1000 };

struct options {
    unsigned seeds, parallel, weak, checked;
    bool verbose, table;
};

struct bench {
    const char *file;
    struct litmus test;
    struct litmus_outcomes outcomes;
    bool few;           /* too few seeds to miss an outcome */
    uint64_t findings;  /* of checked launches */
    char finding[1000]; /* the first */
};

static char *read_file(const char *file, size_t *size)
{
    FILE *in = fopen(file, "rb");
    char *text = in ? malloc(LITMUS_SIZE + 1) : NULL;
    if (text)
        *size = fread(text, 1, LITMUS_SIZE + 1, in);
    if (!text)
        fprintf(stderr, "%s: %s\n", file, strerror(errno));
    if (in)
        fclose(in);
    return text;
}

static bool complain(const struct bench *b, const struct atoll_error *error)
{
    fprintf(stderr, "%s:%u:%u: %s\n", b->file, error->line, error->column, error->message);
    return false;
}

static bool read_test(struct bench *b)
{
    struct atoll_error error = {0};
    size_t size = 0;
    char *text = read_file(b->file, &size);
    bool ok = text && (litmus_parse(&b->test, text, size, &error) || complain(b, &error));
    free(text);
    return ok;
}

/* ---- judging ---------------------------------------------------------------------------------------------- */

static void print_outcome(const struct bench *b, const struct litmus_outcome *outcome, const char *between)
{
    for (unsigned k = 0; k < b->test.nobserved; k++) {
        const struct litmus_observed *o = &b->test.observed[k];
        if (k)
            fputs(between, stdout);
        if (o->thread >= 0)
            printf("P%d:", o->thread);
        printf(outcome->values[k] > 9999 ? "%s=0x%llx" : "%s=%llu", o->name, (unsigned long long)outcome->values[k]);
    }
}

/* Outcomes in which the condition's proposition is true. */
static uint64_t times(const struct bench *b, const struct litmus_condition *c, bool all, bool want)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < b->outcomes.count; i++)
        if (litmus_holds(&b->test, c->root, b->outcomes.items[i].values) == want)
            sum += b->outcomes.items[i].seeded + (all ? b->outcomes.items[i].parallel + b->outcomes.items[i].weak : 0);
    return sum;
}

static const char *judge(const struct bench *b, const struct litmus_condition *c, bool *ok)
{
    bool seen = times(b, c, true, true) != 0;
    *ok = true;
    switch (c->quantifier) {
    case LITMUS_FILTER:
        return "filter";
    case LITMUS_EXISTS:
        return seen ? "seen" : "not seen";
    case LITMUS_NOT_EXISTS:
        *ok = !seen;
        return seen ? "VIOLATED" : "holds";
    case LITMUS_FORALL:
        *ok = times(b, c, true, false) == 0;
        return *ok ? "holds" : "VIOLATED";
    default:
        seen = times(b, c, false, true) != 0;
        *ok = seen || b->few;
        return seen ? "seen" : b->few ? "not seen" : "NEVER SEEN";
    }
}

static void print_report(const struct bench *b)
{
    printf("%s: %s\n%14s%14s%14s\n", b->test.name, b->test.about, "seeded", "parallel", "weak");
    for (unsigned i = 0; i < b->outcomes.count; i++) {
        printf("%14llu%14llu%14llu  ", (unsigned long long)b->outcomes.items[i].seeded,
               (unsigned long long)b->outcomes.items[i].parallel, (unsigned long long)b->outcomes.items[i].weak);
        print_outcome(b, &b->outcomes.items[i], " ");
        printf("\n");
    }
    for (unsigned i = 0; i < b->test.nconditions; i++) {
        bool ok;
        const struct litmus_condition *c = &b->test.conditions[i];
        const char *verdict = judge(b, c, &ok);
        printf("%s:%u: %.*s: %s\n", b->file, c->line, (int)c->size, c->text, verdict);
    }
}

/* A row of the table in docs/litmus.md: what the seeded order saw does not depend on the host. */
static void print_row(const struct bench *b)
{
    printf("| %s | %s |", b->test.name, b->test.about);
    for (unsigned i = 0; i < b->test.nconditions; i++)
        if (b->test.conditions[i].quantifier != LITMUS_SOMETIMES)
            printf(" `%.*s`", (int)b->test.conditions[i].size, b->test.conditions[i].text);
    printf(" | ");
    for (unsigned k = 0; k < b->test.nobserved; k++) {
        const struct litmus_observed *o = &b->test.observed[k];
        printf(k ? " " : "");
        if (o->thread >= 0)
            printf("%d:", o->thread);
        printf("%s", o->name);
    }
    printf(" |");
    for (unsigned i = 0; i < b->outcomes.count; i++) {
        if (!b->outcomes.items[i].seeded)
            continue;
        printf(" ");
        for (unsigned k = 0; k < b->test.nobserved; k++)
            printf(k ? ",%llu" : "%llu", (unsigned long long)b->outcomes.items[i].values[k]);
    }
    printf(" |\n");
}

static void find(void *user, const struct atoll_finding *finding)
{
    struct bench *b = user;
    if (!b->findings++)
        snprintf(b->finding, sizeof b->finding, "%s", finding->message);
}

/* The check finds a race where there is one by intent, and nowhere else. */
static bool judge_check(const struct bench *b)
{
    bool racy = b->test.racy && !strstr(b->file, "b128"); /* these are racy in the host's code alone */
    if (racy != (b->findings > 0))
        printf("%s: %s\n", b->file, b->findings ? b->finding : "racy, and no race was found");
    return racy == (b->findings > 0);
}

/* Of surfaces that several blocks use the conditions say what the other orders promise: for the models their accesses
 * are weak ones through a proxy of their own, and the weak order shows that (tests/test_litmus_weak.c judges it). */
static bool is_promise(const struct litmus *test)
{
    bool surfaces = false;
    for (unsigned i = 0; i < test->nplaces; i++)
        surfaces |= test->places[i].space == LITMUS_SURFACE;
    return surfaces && test->blocks > 1;
}

static bool run_test(const char *file, const struct options *options)
{
    struct bench bench = {.file = file, .few = options->seeds < ENOUGH_SEEDS};
    struct atoll_error error = {0};
    bool ok = read_test(&bench), holds = true;
    struct litmus_run run = {.seeds = options->seeds,
                             .parallel = RACE_DETECTOR && bench.test.racy ? 0 : options->parallel,
                             .weak = is_promise(&bench.test) ? 0 : options->weak,
                             .checked = options->checked,
                             .finding = find,
                             .user = &bench};
    ok = ok && (litmus_run(&bench.test, &run, &bench.outcomes, &error) || complain(&bench, &error));
    if (ok && options->checked)
        holds = judge_check(&bench);
    for (unsigned i = 0; ok && i < bench.test.nconditions; i++) {
        bool one;
        judge(&bench, &bench.test.conditions[i], &one);
        holds = holds && one;
    }
    if (ok && options->table)
        print_row(&bench);
    else if (ok && (options->verbose || !holds))
        print_report(&bench);
    litmus_free(&bench.test);
    return ok && holds;
}

/* ---- the command line ------------------------------------------------------------------------------------- */

static int is_litmus(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 7 && !strcmp(entry->d_name + n - 7, ".litmus");
}

static unsigned run_folder(const char *folder, const struct options *options, unsigned *run)
{
    struct dirent **entries;
    unsigned failed = 0;
    int n = scandir(folder, &entries, is_litmus, alphasort);
    if (n <= 0) {
        fprintf(stderr, "%s: no .litmus files\n", folder);
        return 1;
    }
    for (int i = 0; i < n; i++) {
        char file[4096];
        snprintf(file, sizeof file, "%s/%s", folder, entries[i]->d_name);
        failed += !run_test(file, options);
        ++*run;
        free(entries[i]);
    }
    free(entries);
    return failed;
}

static bool read_count(const char *text, unsigned *value)
{
    char *end = NULL;
    errno = 0;
    unsigned long v = text ? strtoul(text, &end, 10) : 0;
    if (!text || !*text || *end || errno || v > 100000000) {
        fprintf(stderr, "litmus: a number was expected\n");
        return false;
    }
    *value = (unsigned)v;
    return true;
}

int main(int argc, char **argv)
{
    struct options options = {.seeds = RACE_DETECTOR ? 100 : 4000,
                              .parallel = RACE_DETECTOR ? 20 : 200,
                              .weak = RACE_DETECTOR ? 100 : 2000,
                              .checked = 6};
    unsigned failed = 0, run = 0;
    for (int i = 1; i < argc; i++) {
        struct stat info;
        if (!strcmp(argv[i], "-v")) {
            options.verbose = true;
        } else if (!strcmp(argv[i], "--table")) {
            options.table = true;
        } else if (!strcmp(argv[i], "--seeds") || !strcmp(argv[i], "--parallel") || !strcmp(argv[i], "--weak") ||
                   !strcmp(argv[i], "--checked")) {
            if (!read_count(argv[i + 1], argv[i][2] == 's'   ? &options.seeds
                                         : argv[i][2] == 'p' ? &options.parallel
                                         : argv[i][2] == 'w' ? &options.weak
                                                             : &options.checked))
                return 2;
            i++;
        } else if (stat(argv[i], &info) == 0 && S_ISDIR(info.st_mode)) {
            failed += run_folder(argv[i], &options, &run);
        } else {
            failed += !run_test(argv[i], &options);
            run++;
        }
    }
    if (!options.table)
        printf("%u of %u litmus tests hold\n", run - failed, run);
    return failed || !run;
}

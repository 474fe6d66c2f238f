/* Runs litmus tests (docs/litmus.md): litmus [-v] [--table] [--seeds N] [--parallel N] [--checked N] FILE-or-FOLDER...
 * Every test runs for N seeds of the seeded order and N times on two host threads, many instances a launch; outcomes
 * are counted and held against the test's conditions. Exit status 0: all hold. */
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

enum {
    OUTCOMES = 1024,
    INSTANCES = 64 /* blocks of a launch */,
    SPINS = 200,
    ENOUGH_SEEDS = 1000,
    SURFACE_BYTES = 16 /* of a location */
};

struct options {
    unsigned seeds, parallel;
    unsigned checked;
    bool verbose, table;
};

struct outcome {
    uint64_t values[LITMUS_OBSERVED];
    uint64_t seeded, parallel;
};

struct bench {
    const char *file;
    struct litmus test;
    struct litmus_kernel text;
    struct atoll_device *device;
    struct atoll_module *module;
    struct atoll_kernel *kernel;
    struct atoll_surface *surface;
    uint64_t memory, results;
    unsigned char *start, *texels; /* what memory and surface hold at the start of a launch */
    uint64_t *read;
    uint64_t memory_bytes, results_bytes, surface_bytes;
    struct outcome *outcomes;
    unsigned noutcomes;
    bool few;           /* too few seeds to miss an outcome */
    bool check;         /* this launch is checked */
    uint64_t findings;  /* of checked ones */
    char finding[1000]; /* the first */
    bool told;          /* an error of the module has been printed */
};

static bool complain(const struct bench *b, uint32_t line, uint32_t column, const char *message)
{
    fprintf(stderr, "%s:%u:%u: %s\n", b->file, line, column, message);
    return false;
}

/* ---- preparing --------------------------------------------------------------------------------------------------- */

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

static void tell(void *user, const struct atoll_diagnostic *d)
{
    struct bench *b = user;
    const struct litmus_cell *cell = d->line && d->line <= LITMUS_LINES ? b->text.cells[d->line - 1] : NULL;
    if (d->severity != ATOLL_ERROR)
        return;
    b->told = true;
    if (cell)
        fprintf(stderr, "%s:%u:%u: %s\n    %.*s\n", b->file, cell->line, cell->column, d->message, (int)cell->size,
                cell->text);
    else
        fprintf(stderr, "%s: in line %u of the kernel: %s\n    %.*s\n", b->file, d->line, d->message,
                (int)d->line_length, d->line_text);
}

static unsigned instances_of(const struct bench *b, enum atoll_order order)
{
    return (order == ATOLL_ORDER_SEEDED ? LITMUS_BLOCKS : INSTANCES) / b->test.blocks;
}

static bool prepare_memory(struct bench *b, struct atoll_error *error)
{
    const struct litmus *t = &b->test;
    unsigned instances = instances_of(b, ATOLL_ORDER_PARALLEL);
    struct atoll_surface_desc desc = {.dimension = ATOLL_DIM_2D,
                                      .width = (t->nplaces + 1) * SURFACE_BYTES / 4,
                                      .height = instances,
                                      .format = "r32uint"};
    b->memory_bytes = instances * litmus_stride(t);
    b->results_bytes = instances * sizeof(uint64_t[LITMUS_OBSERVED]);
    b->surface_bytes = (uint64_t)desc.width * desc.height * 4;
    b->start = calloc(1, b->memory_bytes);
    b->texels = calloc(1, b->surface_bytes);
    b->read = calloc(1, b->results_bytes + b->surface_bytes);
    b->outcomes = calloc(OUTCOMES, sizeof *b->outcomes);
    if (!b->start || !b->texels || !b->read || !b->outcomes)
        return false;
    for (unsigned i = 0; i < instances; i++)
        for (unsigned k = 0; k < t->nplaces; k++) {
            memcpy(b->start + i * litmus_stride(t) + k * LITMUS_PLACE_BYTES, &t->places[k].initial, 8);
            memcpy(b->texels + i * (uint64_t)desc.width * 4 + k * SURFACE_BYTES, &t->places[k].initial, 8);
        }
    return atoll_memory_alloc(b->device, b->memory_bytes, &b->memory, error) &&
           atoll_memory_alloc(b->device, b->results_bytes, &b->results, error) &&
           atoll_surface_create(b->device, &desc, &b->surface, error);
}

static bool prepare(struct bench *b)
{
    struct litmus_error wrong;
    struct atoll_error error = {0};
    size_t size = 0;
    char *text = read_file(b->file, &size);
    if (!text)
        return false;
    bool ok = litmus_parse(&b->test, text, size, &wrong) && litmus_emit(&b->test, &b->text, &wrong);
    free(text);
    if (!ok)
        return complain(b, wrong.line, wrong.column, wrong.message);
    struct atoll_module_options options = {.diagnose = tell, .user = b};
    ok = atoll_device_create(NULL, &b->device, &error) &&
         atoll_module_load(b->device, b->text.text, b->text.size, &options, &b->module, &error) &&
         atoll_module_kernel(b->module, "litmus", &b->kernel, &error) && prepare_memory(b, &error);
    return ok || b->told || complain(b, 1, 1, error.message) ? ok : false;
}

static void release(struct bench *b)
{
    atoll_surface_destroy(b->surface);
    atoll_module_destroy(b->module);
    atoll_device_destroy(b->device);
    litmus_free(&b->test);
    free(b->text.text);
    free(b->start);
    free(b->texels);
    free(b->read);
    free(b->outcomes);
}

/* ---- running ---------------------------------------------------------------------------------------------- */

static uint64_t value_of(const struct bench *b, unsigned instance, unsigned index, const unsigned char *memory,
                         const unsigned char *texels)
{
    const struct litmus_observed *o = &b->test.observed[index];
    uint64_t value = b->read[instance * LITMUS_OBSERVED + index];
    enum litmus_space space = o->thread < 0 ? b->test.places[o->place].space : LITMUS_SHARED;
    if (space == LITMUS_GLOBAL)
        memcpy(&value, memory + instance * litmus_stride(&b->test) + o->place * LITMUS_PLACE_BYTES, 8);
    else if (space == LITMUS_SURFACE)
        memcpy(&value, texels + ((uint64_t)instance * (b->test.nplaces + 1) + o->place) * SURFACE_BYTES, 8);
    return o->bits < 64 ? value & ((UINT64_C(1) << o->bits) - 1) : value;
}

static bool count(struct bench *b, unsigned instance, bool seeded, const unsigned char *memory,
                  const unsigned char *texels)
{
    uint64_t values[LITMUS_OBSERVED] = {0};
    unsigned i = 0;
    for (unsigned k = 0; k < b->test.nobserved; k++)
        values[k] = value_of(b, instance, k, memory, texels);
    while (i < b->noutcomes && memcmp(b->outcomes[i].values, values, sizeof values) != 0)
        i++;
    if (i == OUTCOMES)
        return complain(b, 1, 1, "too many outcomes to count");
    if (i == b->noutcomes)
        memcpy(b->outcomes[b->noutcomes++].values, values, sizeof values);
    b->outcomes[i].seeded += seeded;
    b->outcomes[i].parallel += !seeded;
    return true;
}

static bool launch_failed(struct bench *b, const struct atoll_trap *trap, const struct atoll_error *error)
{
    const struct litmus_cell *cell = trap->line && trap->line <= LITMUS_LINES ? b->text.cells[trap->line - 1] : NULL;
    return complain(b, cell ? cell->line : 1, cell ? cell->column : 1, error->message);
}

static void find(void *user, const struct atoll_finding *finding)
{
    struct bench *b = user;
    if (!b->findings++)
        snprintf(b->finding, sizeof b->finding, "%s", finding->message);
}

static bool run_once(struct bench *b, enum atoll_order order, uint64_t seed)
{
    struct atoll_error error = {0};
    struct atoll_trap trap = {0};
    unsigned instances = instances_of(b, order);
    struct {
        uint64_t memory, results, surface;
        uint32_t spins;
    } arguments = {b->memory, b->results, atoll_surface_handle(b->surface), order == ATOLL_ORDER_PARALLEL ? SPINS : 0};
    struct atoll_launch_options launch = {.grid = {b->test.blocks, instances, 1},
                                          .block = {b->test.block_threads, 1, 1},
                                          .parameters = &arguments,
                                          .parameter_bytes = 28,
                                          .threads = 2,
                                          .order = order,
                                          .seed = seed,
                                          .checks = b->check ? ATOLL_CHECK_RACE : 0,
                                          .finding = find,
                                          .user = b,
                                          .instruction_limit = 100000000};
    if (!atoll_memory_write(b->device, b->memory, b->start, instances * litmus_stride(&b->test), &error) ||
        !atoll_surface_write(b->surface, b->texels, b->surface_bytes, &error) ||
        !atoll_launch(b->kernel, &launch, NULL, &trap, &error) ||
        !atoll_memory_read(b->device, b->results, b->read, b->results_bytes, &error))
        return launch_failed(b, &trap, &error);
    unsigned char *texels = (unsigned char *)b->read + b->results_bytes;
    const unsigned char *memory = atoll_memory_map(b->device, b->memory, b->memory_bytes, &error);
    if (!memory || !atoll_surface_read(b->surface, texels, b->surface_bytes, &error))
        return launch_failed(b, &trap, &error);
    for (unsigned i = 0; i < instances; i++)
        if (!count(b, i, order == ATOLL_ORDER_SEEDED, memory, texels))
            return false;
    return true;
}

/* ---- judging ---------------------------------------------------------------------------------------------- */

static int compare_outcomes(const void *a, const void *b)
{
    const struct outcome *x = a, *y = b;
    for (unsigned i = 0; i < LITMUS_OBSERVED; i++)
        if (x->values[i] != y->values[i])
            return x->values[i] < y->values[i] ? -1 : 1;
    return 0;
}

static void print_outcome(const struct bench *b, const struct outcome *outcome, const char *between)
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
static uint64_t times(const struct bench *b, const struct litmus_condition *c, bool parallel, bool want)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < b->noutcomes; i++)
        if (litmus_holds(&b->test, c->root, b->outcomes[i].values) == want)
            sum += b->outcomes[i].seeded + (parallel ? b->outcomes[i].parallel : 0);
    return sum;
}

static const char *judge(const struct bench *b, const struct litmus_condition *c, bool *ok)
{
    bool seen = times(b, c, true, true) != 0;
    *ok = true;
    switch (c->quantifier) {
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
    printf("%s: %s\n%14s%14s\n", b->test.name, b->test.about, "seeded", "parallel");
    for (unsigned i = 0; i < b->noutcomes; i++) {
        printf("%14llu%14llu  ", (unsigned long long)b->outcomes[i].seeded,
               (unsigned long long)b->outcomes[i].parallel);
        print_outcome(b, &b->outcomes[i], " ");
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
    for (unsigned i = 0; i < b->noutcomes; i++) {
        if (!b->outcomes[i].seeded)
            continue;
        printf(" ");
        for (unsigned k = 0; k < b->test.nobserved; k++)
            printf(k ? ",%llu" : "%llu", (unsigned long long)b->outcomes[i].values[k]);
    }
    printf(" |\n");
}

/* The check finds a race where there is one by intent, and nowhere else. */
static bool judge_check(const struct bench *b)
{
    bool racy = b->test.racy && !strstr(b->file, "b128"); /* these are racy in the host's code alone */
    if (racy != (b->findings > 0))
        printf("%s: %s\n", b->file, b->findings ? b->finding : "racy, and no race was found");
    return racy == (b->findings > 0);
}

static bool run_test(const char *file, const struct options *options)
{
    struct bench bench = {.file = file, .few = options->seeds < ENOUGH_SEEDS};
    bool ok = prepare(&bench), holds = true;
    unsigned parallel = RACE_DETECTOR && bench.test.racy ? 0 : options->parallel;
    for (unsigned i = 0; ok && i < options->seeds; i++)
        ok = run_once(&bench, ATOLL_ORDER_SEEDED, i + 1);
    for (unsigned i = 0; ok && i < parallel; i++)
        ok = run_once(&bench, ATOLL_ORDER_PARALLEL, 0);
    bench.check = true;
    for (unsigned i = 0; ok && i < options->checked; i++)
        ok = run_once(&bench, ATOLL_ORDER_SEEDED, i + 1);
    if (ok && options->checked)
        holds = judge_check(&bench);
    if (ok)
        qsort(bench.outcomes, bench.noutcomes, sizeof *bench.outcomes, compare_outcomes);
    for (unsigned i = 0; ok && i < bench.test.nconditions; i++) {
        bool one;
        judge(&bench, &bench.test.conditions[i], &one);
        holds = holds && one;
    }
    if (ok && options->table)
        print_row(&bench);
    else if (ok && (options->verbose || !holds))
        print_report(&bench);
    release(&bench);
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
    struct options options = {.seeds = RACE_DETECTOR ? 100 : 4000, .parallel = RACE_DETECTOR ? 20 : 200, .checked = 6};
    unsigned failed = 0, run = 0;
    for (int i = 1; i < argc; i++) {
        struct stat info;
        if (!strcmp(argv[i], "-v")) {
            options.verbose = true;
        } else if (!strcmp(argv[i], "--table")) {
            options.table = true;
        } else if (!strcmp(argv[i], "--seeds") || !strcmp(argv[i], "--parallel") || !strcmp(argv[i], "--checked")) {
            if (!read_count(argv[i + 1], argv[i][2] == 's'   ? &options.seeds
                                         : argv[i][2] == 'p' ? &options.parallel
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

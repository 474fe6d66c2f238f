/* Litmus tests of the tree as cases for hardware, and what was seen against the model. */
#include "driver_atoll.h"
#include "litmus.h"

#include "litmus/litmus.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool read_test(const char *tests, const char *name, struct litmus *test, uint64_t *digest,
                      struct atoll_error *error)
{
    char path[4096];
    static char text[LITMUS_SIZE];
    snprintf(path, sizeof path, "%s/%s.litmus", tests, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        *error = (struct atoll_error){.status = ATOLL_INPUT};
        snprintf(error->message, sizeof error->message, "there is no such test");
        return false;
    }
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    *digest = hw_digest(0, text, size);
    return litmus_parse(test, text, size, error);
}

/* ---- cases ------------------------------------------------------------------------------------------------------ */

/* Barriers are for whole warps: only where all lanes have a part are all of a warp's there. */
static unsigned lanes_of(const struct litmus *t, const char *ptx)
{
    if (!litmus_fills_lanes(t))
        return HWL_LANES_NEVER;
    return strstr(ptx, "bar.sync") || strstr(ptx, "bar.arrive") || strstr(ptx, "bar.cta") || strstr(ptx, "barrier.")
               ? HWL_LANES_ALWAYS
               : HWL_LANES_MAY;
}

static void take_values(struct hwl_case *c, const struct litmus *t)
{
    for (unsigned k = 0; k < t->nobserved; k++) {
        const struct litmus_observed *o = &t->observed[k];
        struct hwl_value *v = &c->values[c->nvalues++];
        enum litmus_space space = o->thread < 0 ? t->places[o->place].space : LITMUS_SHARED;
        v->bits = o->bits ? o->bits : 1;
        if (space != LITMUS_SHARED) {
            v->where = space == LITMUS_GLOBAL ? HWL_MEMORY : HWL_SURFACE;
            v->place = space == LITMUS_GLOBAL ? t->places[o->place].memory : o->place;
        }
    }
}

static bool refuse(struct atoll_error *error, const char *why)
{
    snprintf(error->message, sizeof error->message, "%s", why);
    return false;
}

/* False: why not is in `error`. */
static bool make_case(struct hwl_case *c, const struct litmus *t, struct atoll_error *error)
{
    struct litmus_kernel kernel;
    if (!litmus_emit_spread(t, &kernel, error))
        return false;
    c->blocks = t->blocks;
    c->threads = t->block_threads;
    c->nplaces = t->nplaces;
    hw_put(&c->ptx, kernel.text, kernel.size);
    free(kernel.text);
    c->lanes = lanes_of(t, c->ptx.data);
    c->surface = strstr(c->ptx.data, "%surface, {") != NULL;
    c->aliased = litmus_aliased(t);
    for (unsigned i = 0; i < t->nplaces; i++)
        c->initial[i] = t->places[t->places[i].memory].initial;
    take_values(c, t);
    if (kernel.lacks_fence)
        return refuse(error, "a fence of one proxy: PTX has that of aliases only");
    return !c->surface || !litmus_overlaid(t) ||
           refuse(error, "a surface over memory that has another name: CUDA has surfaces of arrays only");
}

/* What waits for ever in Atoll would do so elsewhere. */
static bool ends(const struct hwl_case *c, const struct cuda *cuda, struct atoll_error *error)
{
    static struct hwl_result result;
    struct hwl_effort effort = {.launches = 12, .units = 1, .seed = 1};
    hwl_run(cuda, c, &effort, &result);
    return result.status == HW_RAN || refuse(error, result.detail);
}

static int is_litmus(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 7 && !strcmp(entry->d_name + n - 7, ".litmus");
}

static void generate_one(struct hwl_cases *cases, const struct cuda *cuda, const char *tests, const char *name,
                         FILE *report)
{
    static struct litmus test;
    static struct atoll_error error;
    struct hwl_case c = {0};
    snprintf(c.name, sizeof c.name, "%s", name);
    bool ok =
        read_test(tests, name, &test, &c.digest, &error) && make_case(&c, &test, &error) && ends(&c, cuda, &error);
    if (ok)
        *hwl_case_new(cases) = c;
    else
        hw_free(&c.ptx);
    if (!ok && report)
        fprintf(report, "left out: %s: %s\n", name, error.message);
    litmus_free(&test);
}

static void generate_folder(struct hwl_cases *cases, const struct cuda *cuda, const char *tests, const char *folder,
                            FILE *report)
{
    char path[4096], name[HW_NAME];
    struct dirent **entries;
    snprintf(path, sizeof path, "%s/%s", tests, folder);
    int n = scandir(path, &entries, is_litmus, alphasort);
    for (int i = 0; i < n; i++) {
        int size = (int)strlen(entries[i]->d_name) - 7;
        snprintf(name, sizeof name, "%s/%.*s", folder, size, entries[i]->d_name);
        generate_one(cases, cuda, tests, name, report);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

void hwl_generate(struct hwl_cases *cases, const char *tests, FILE *report)
{
    static const char *const folders[] = {"litmus/global", "litmus/shared", "litmus/surface", "data/litmus"};
    struct cuda cuda;
    if (!hw_atoll_open(&cuda, true))
        return;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        generate_folder(cases, &cuda, tests, folders[i], report);
    hw_atoll_close();
}

/* ---- judging ---------------------------------------------------------------------------------------------------- */

struct judge {
    const struct hwl_result *result;
    struct litmus test;
    struct litmus_allowed allowed;
    bool knows; /* the model says something of the test, and of all of it */
    unsigned seen, forbidden, broken;
    struct hwl_sums *sums;
    FILE *table;
};

static bool is_allowed(const struct judge *j, const uint64_t *values)
{
    for (unsigned i = 0; i < j->allowed.outcomes.count; i++)
        if (memcmp(j->allowed.outcomes.items[i].values, values, j->test.nobserved * sizeof *values) == 0)
            return true;
    return false;
}

static void print_outcome(const struct judge *j, const struct hwl_outcome *o, const char *what)
{
    printf("%s %s:", what, j->result->name);
    for (unsigned k = 0; k < j->test.nobserved; k++) {
        const struct litmus_observed *v = &j->test.observed[k];
        printf(v->thread >= 0 ? " P%d:" : " ", v->thread);
        printf("%s=%" PRIu64, v->name, o->values[k]);
    }
    printf(", %" PRIu64 " times\n", o->times);
}

static void judge_outcomes(struct judge *j)
{
    const struct hwl_result *r = j->result;
    for (unsigned i = 0; i < r->count; i++) {
        if (!litmus_passes(&j->test, r->outcomes[i].values))
            continue;
        bool allowed = is_allowed(j, r->outcomes[i].values);
        j->seen += allowed;
        if (j->knows && !allowed)
            print_outcome(j, &r->outcomes[i], "FORBIDDEN");
        j->forbidden += j->knows && !allowed;
    }
}

static uint64_t times(const struct judge *j, const struct litmus_condition *c, bool want)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < j->result->count; i++)
        if (litmus_passes(&j->test, j->result->outcomes[i].values) &&
            litmus_holds(&j->test, c->root, j->result->outcomes[i].values) == want)
            sum += j->result->outcomes[i].times;
    return sum;
}

/* Conditions are what Atoll promises, which of surfaces is more than the model does. */
static void judge_conditions(struct judge *j)
{
    for (unsigned i = 0; i < j->test.nconditions; i++) {
        const struct litmus_condition *c = &j->test.conditions[i];
        bool forall = c->quantifier == LITMUS_FORALL, never = c->quantifier == LITMUS_NOT_EXISTS;
        uint64_t n = times(j, c, !forall);
        j->broken += (forall || never) && n;
        if (j->table && c->quantifier != LITMUS_FILTER)
            fprintf(j->table, "    %.*s: %s, %" PRIu64 " times%s\n", (int)c->size, c->text,
                    (forall || never) ? n ? "BROKEN" : "holds"
                    : n               ? "seen"
                                      : "not seen",
                    n, (forall || never) && n && j->knows && !j->forbidden ? " (the model allows it)" : "");
    }
}

static void count_up(struct judge *j)
{
    struct hwl_sums *s = j->sums;
    s->judged += j->knows;
    s->unjudged += !j->knows;
    s->forbidden += j->knows ? j->forbidden : j->broken;
    s->broken += j->broken;
    if (j->knows) {
        s->allowed += j->allowed.outcomes.count;
        s->seen += j->seen;
    }
}

static void judge_result(struct judge *j)
{
    static const struct litmus_limits limits = {.unroll = 2, .candidates = 5000000, .seconds = 60};
    const struct hwl_result *r = j->result;
    struct atoll_error error = {0};
    bool said = litmus_allow(&j->test, LITMUS_MODEL_75, &limits, &j->allowed, &error);
    if (!said)
        j->allowed = (struct litmus_allowed){0};
    j->knows = said && !j->allowed.cut;
    judge_outcomes(j);
    if (j->table) {
        fprintf(j->table, "%-48s seen %2u, allowed %2u%s", r->name, j->knows ? j->seen : r->count,
                j->allowed.outcomes.count, j->forbidden ? ", FORBIDDEN" : "");
        fprintf(j->table, "; %" PRIu64 " instances%s%s\n", r->instances, j->knows ? "" : "; not by the model: ",
                j->knows ? ""
                : said   ? "loops were left"
                         : error.message);
    }
    judge_conditions(j);
    count_up(j);
}

static void judge_one(const struct hwl_result *r, const char *tests, FILE *table, struct hwl_sums *sums)
{
    static struct judge j;
    struct atoll_error error;
    uint64_t digest = 0;
    j = (struct judge){.result = r, .sums = sums, .table = table};
    bool same = read_test(tests, r->name, &j.test, &digest, &error) && digest == r->digest;
    if (!same || (r->count && r->nvalues != j.test.nobserved)) {
        sums->stale++;
        if (table)
            fprintf(table, "%-48s is another test now\n", r->name);
    } else if (r->status != HW_RAN) {
        sums->failed++;
        printf("%s: %s: %s\n", r->name, hw_status_name(r->status), r->detail);
    } else {
        judge_result(&j);
    }
    litmus_free(&j.test);
}

void hwl_judge(const struct hwl_results *results, const char *tests, FILE *table, struct hwl_sums *sums)
{
    *sums = (struct hwl_sums){0};
    for (size_t i = 0; i < results->count; i++)
        judge_one(&results->at[i], tests, table, sums);
}

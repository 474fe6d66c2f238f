/* atoll litmus: what a memory model allows a litmus test, as herd prints it, and what Atoll shows of it. */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "file/file.h"
#include "litmus/litmus.h"

enum { RUN_SEEDS = 1000, RUN_SHARE = 20 /* of the runs one is on two host threads */ };
#define CANDIDATES UINT64_C(20000000)

struct litmus_options {
    const char *model;
    bool all, json;
    struct seed run;
    uint32_t unroll;
    uint64_t candidates;
    double timeout;
};

#define FIELD(member) offsetof(struct litmus_options, member)
static const struct option options[] = {
    {"model", 0, "ptx60|ptx75", OPTION_TEXT, FIELD(model),
     "the memory model of PTX ISA 6.0, or of 7.5 with proxies\n(default: ptx75)"},
    {"all", 0, NULL, OPTION_FLAG, FIELD(all), "by all models, one after the other"},
    {"run", 0, "[=N]", OPTION_COUNT, FIELD(run),
     "run it, too, N times (default: 1000 seeds, and 50 times on two threads),\n"
     "and say of each outcome: required, allowed, forbidden; seen"},
    {"unroll", 0, "N", OPTION_U32_SOME, FIELD(unroll), "go back to a label at most N times (default: 2)"},
    {"limit-candidates", 0, "N", OPTION_U64_SOME, FIELD(candidates),
     "give up after N candidate executions (default: 20000000)"},
    {"timeout", 0, "SECONDS", OPTION_SECONDS, FIELD(timeout), "give up after this time (default: 60)"},
    {"json", 0, NULL, OPTION_FLAG, FIELD(json), "a JSON object a line for each test and model"},
    {0},
};

/* A test by one model, and run. */
struct report {
    const struct litmus *test;
    enum litmus_model model;
    const struct litmus_allowed *allowed;
    const struct litmus_outcomes *seen; /* NULL: not run */
    double seconds;
};

/* ---- verdicts --------------------------------------------------------------------------------------------------- */

struct verdict {
    uint64_t positive, negative; /* executions */
    bool holds;
};

static struct verdict judge(const struct report *r, const struct litmus_condition *c)
{
    struct verdict v = {0};
    for (unsigned i = 0; i < r->allowed->outcomes.count; i++) {
        const struct litmus_outcome *outcome = &r->allowed->outcomes.items[i];
        *(litmus_holds(r->test, c->root, outcome->values) ? &v.positive : &v.negative) += outcome->seeded;
    }
    v.holds = c->quantifier == LITMUS_NOT_EXISTS ? v.positive == 0
              : c->quantifier == LITMUS_FORALL   ? v.negative == 0
                                                 : v.positive != 0;
    return v;
}

/* Only ways that were left have executions: nothing is known. */
static bool is_unknown(const struct report *r)
{
    return r->allowed->cut && !r->allowed->executions;
}

static const char *observation(const struct report *r, const struct verdict *v)
{
    return is_unknown(r) ? "Unknown" : v->positive == 0 ? "Never" : v->negative == 0 ? "Always" : "Sometimes";
}

static const char *kind_of(const struct litmus_condition *c)
{
    return c->quantifier == LITMUS_NOT_EXISTS ? "Forbidden" : c->quantifier == LITMUS_FORALL ? "Required" : "Allowed";
}

static const struct litmus_outcome *outcome_find(const struct litmus_outcomes *outcomes, const struct litmus *test,
                                                 const uint64_t *values)
{
    for (unsigned i = 0; i < outcomes->count; i++)
        if (memcmp(outcomes->items[i].values, values, test->nobserved * sizeof *values) == 0)
            return &outcomes->items[i];
    return NULL;
}

static uint64_t times_seen(const struct report *r, const uint64_t *values)
{
    const struct litmus_outcome *seen = outcome_find(r->seen, r->test, values);
    return seen ? seen->seeded + seen->parallel + seen->weak : 0;
}

/* Whether Atoll showed what the model forbids. */
static bool is_forbidden(const struct report *r, const struct litmus_outcome *seen)
{
    return !outcome_find(&r->allowed->outcomes, r->test, seen->values) && !r->allowed->cut;
}

static bool is_bad(const struct report *r)
{
    bool bad = false;
    for (unsigned i = 0; r->seen && i < r->seen->count; i++)
        bad |= is_forbidden(r, &r->seen->items[i]);
    for (unsigned i = 0; i < r->test->nconditions; i++) {
        const struct litmus_condition *c = &r->test->conditions[i];
        bool asserts = c->quantifier == LITMUS_NOT_EXISTS || c->quantifier == LITMUS_FORALL;
        bad |= asserts && !is_unknown(r) && !judge(r, c).holds;
    }
    return bad;
}

/* ---- as herd prints it --------------------------------------------------------------------------------------------
 */

static void print_state(const struct report *r, const uint64_t *values, struct text *out)
{
    for (unsigned i = 0; i < r->test->nobserved; i++) {
        const struct litmus_observed *o = &r->test->observed[i];
        if (o->thread >= 0)
            text_printf(out, "%s%d:%s=%" PRIu64 ";", i ? " " : "", o->thread, o->name, values[i]);
        else
            text_printf(out, "%s[%s]=%" PRIu64 ";", i ? " " : "", o->name, values[i]);
    }
}

static const char *standing(const struct report *r)
{
    return r->allowed->outcomes.count == 1 ? "required" : "allowed";
}

static void print_states(const struct report *r, struct text *out)
{
    text_printf(out, "States %u\n", r->allowed->outcomes.count);
    for (unsigned i = 0; i < r->allowed->outcomes.count; i++) {
        const uint64_t *values = r->allowed->outcomes.items[i].values;
        print_state(r, values, out);
        if (r->seen && times_seen(r, values))
            text_printf(out, "  %s, seen %" PRIu64 " times", standing(r), times_seen(r, values));
        else if (r->seen)
            text_printf(out, "  %s, not seen", standing(r));
        text_puts(out, "\n");
    }
    for (unsigned i = 0; r->seen && i < r->seen->count; i++) {
        const struct litmus_outcome *seen = &r->seen->items[i];
        if (outcome_find(&r->allowed->outcomes, r->test, seen->values))
            continue;
        print_state(r, seen->values, out);
        text_printf(out, "  %s, seen %" PRIu64 " times\n", is_forbidden(r, seen) ? "FORBIDDEN" : "not looked at",
                    times_seen(r, seen->values));
    }
}

/* What the test is about: not filters, and of those that want something to be seen only if there is nothing else. */
static bool is_told(const struct litmus *t, unsigned index)
{
    bool others = false;
    for (unsigned i = 0; i < t->nconditions; i++)
        others |= t->conditions[i].quantifier != LITMUS_FILTER && t->conditions[i].quantifier != LITMUS_SOMETIMES;
    enum litmus_quantifier quantifier = t->conditions[index].quantifier;
    return quantifier != LITMUS_FILTER && (quantifier != LITMUS_SOMETIMES || !others);
}

static void print_condition(const struct report *r, const struct litmus_condition *c, struct text *out)
{
    struct verdict v = judge(r, c);
    text_printf(out, "%s\nWitnesses\nPositive: %" PRIu64 " Negative: %" PRIu64 "\n",
                is_unknown(r) ? "Unknown"
                : v.holds     ? "Ok"
                              : "No",
                v.positive, v.negative);
    if (r->allowed->mixed)
        text_puts(out, "Flag mixed-size-data-race\n");
    text_printf(out, "Condition %.*s\nObservation %s %s %" PRIu64 " %" PRIu64 "\n", (int)c->size, c->text,
                r->test->name, observation(r, &v), v.positive, v.negative);
}

static void print_text(const struct report *r, struct text *out)
{
    const struct litmus *t = r->test;
    unsigned first = 0;
    while (first < t->nconditions && !is_told(t, first))
        first++;
    text_printf(out, "Test %s %s\n", t->name, first < t->nconditions ? kind_of(&t->conditions[first]) : "Allowed");
    print_states(r, out);
    for (unsigned i = first; i < t->nconditions; i++)
        if (is_told(t, i))
            print_condition(r, &t->conditions[i], out);
    text_printf(out, "Time %s %.2f\nModel %s\n\n", t->name, r->seconds, litmus_model_name(r->model));
}

/* ---- as JSON ------------------------------------------------------------------------------------------------------
 */

static void json_values(const struct report *r, const uint64_t *values, struct text *out)
{
    text_puts(out, "{\"values\":{");
    for (unsigned i = 0; i < r->test->nobserved; i++) {
        const struct litmus_observed *o = &r->test->observed[i];
        text_puts(out, i ? "," : "");
        if (o->thread >= 0)
            text_printf(out, "\"%d:%s\":%" PRIu64, o->thread, o->name, values[i]);
        else
            text_printf(out, "\"%s\":%" PRIu64, o->name, values[i]);
    }
    text_puts(out, "}");
}

static void json_states(const struct report *r, struct text *out)
{
    text_puts(out, ",\"states\":[");
    for (unsigned i = 0; i < r->allowed->outcomes.count; i++) {
        const struct litmus_outcome *outcome = &r->allowed->outcomes.items[i];
        text_puts(out, i ? "," : "");
        json_values(r, outcome->values, out);
        text_printf(out, ",\"standing\":\"%s\",\"executions\":%" PRIu64, standing(r), outcome->seeded);
        if (r->seen)
            text_printf(out, ",\"seen\":%" PRIu64, times_seen(r, outcome->values));
        text_puts(out, "}");
    }
    text_puts(out, "],\"other_states\":[");
    bool any = false;
    for (unsigned i = 0; r->seen && i < r->seen->count; i++) {
        const struct litmus_outcome *seen = &r->seen->items[i];
        if (outcome_find(&r->allowed->outcomes, r->test, seen->values))
            continue;
        text_puts(out, any ? "," : "");
        any = true;
        json_values(r, seen->values, out);
        text_printf(out, ",\"standing\":\"%s\",\"seen\":%" PRIu64 "}", is_forbidden(r, seen) ? "forbidden" : "unknown",
                    times_seen(r, seen->values));
    }
    text_puts(out, "]");
}

static void print_json(const struct report *r, struct text *out)
{
    const struct litmus *t = r->test;
    text_puts(out, "{\"atoll\":{\"version\":1,\"kind\":\"litmus\"},\"test\":");
    text_json(out, t->name, strlen(t->name));
    text_printf(out, ",\"model\":\"%s\",\"cut\":%s,\"mixed_size_race\":%s", litmus_model_name(r->model),
                r->allowed->cut ? "true" : "false", r->allowed->mixed ? "true" : "false");
    json_states(r, out);
    text_puts(out, ",\"conditions\":[");
    for (unsigned i = 0; i < t->nconditions; i++) {
        const struct litmus_condition *c = &t->conditions[i];
        struct verdict v = judge(r, c);
        text_puts(out, i ? ",{\"text\":" : "{\"text\":");
        text_json(out, c->text, c->size);
        text_printf(out, ",\"holds\":%s,\"observation\":\"%s\",\"positive\":%" PRIu64 ",\"negative\":%" PRIu64 "}",
                    is_unknown(r) ? "null"
                    : v.holds     ? "true"
                                  : "false",
                    observation(r, &v), v.positive, v.negative);
    }
    text_printf(out, "],\"candidates\":%" PRIu64 ",\"executions\":%" PRIu64 ",\"seconds\":%.3f}\n",
                r->allowed->candidates, r->allowed->executions, r->seconds);
}

/* ---- the command --------------------------------------------------------------------------------------------------
 */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* What one file's test needs, for all of its models. */
struct work {
    const struct litmus_options *options;
    const char *path;
    struct litmus test;
    struct litmus_allowed allowed;
    struct litmus_outcomes seen;
    struct text out;
    bool ran; /* `seen` is known */
    bool bad, unknown;
};

static bool judge_model(struct work *w, enum litmus_model model, struct atoll_error *error)
{
    struct litmus_limits limits = {w->options->unroll, w->options->candidates, w->options->timeout};
    struct report report = {.test = &w->test, .model = model, .allowed = &w->allowed};
    double start = now();
    if (!litmus_allow(&w->test, model, &limits, &w->allowed, error))
        return false;
    report.seconds = now() - start;
    report.seen = w->ran ? &w->seen : NULL;
    (w->options->json ? print_json : print_text)(&report, &w->out);
    if (is_unknown(&report))
        fprintf(stderr,
                "%s: warning: loops were left after %u rounds, and no execution ends within them: nothing is known of "
                "this test (--unroll looks further)\n",
                w->path, w->options->unroll);
    else if (w->allowed.cut)
        fprintf(stderr, "%s: warning: loops were left after %u rounds, outcomes may be missing (--unroll)\n", w->path,
                w->options->unroll);
    if (w->allowed.mixed)
        fprintf(stderr,
                "%s: warning: accesses of different sizes race: the axioms say nothing of that (PTX ISA, \"Mixed-size "
                "Data-races\")\n",
                w->path);
    w->bad |= is_bad(&report);
    w->unknown |= is_unknown(&report);
    return true;
}

/* By all models; one that cannot say anything of the test is told, if another can. */
static bool judge_all(struct work *w, struct atoll_error *error)
{
    unsigned said = 0;
    struct atoll_error problems[LITMUS_MODELS];
    bool ok[LITMUS_MODELS];
    for (unsigned m = 0; m < LITMUS_MODELS; m++) {
        ok[m] = judge_model(w, (enum litmus_model)m, &problems[m]);
        said += ok[m];
        if (!ok[m] && problems[m].status != ATOLL_UNSUPPORTED) {
            *error = problems[m];
            return false;
        }
    }
    for (unsigned m = 0; m < LITMUS_MODELS; m++)
        if (!ok[m] && said)
            fprintf(stderr, "%s:%u:%u: note: not by %s: %s\n", w->path, problems[m].line, problems[m].column,
                    litmus_model_name((enum litmus_model)m), problems[m].message);
        else if (!ok[m])
            *error = problems[m];
    return said != 0;
}

static bool run_test(struct work *w, struct atoll_error *error)
{
    uint64_t n = w->options->run.value;
    struct litmus_run run = {
        .seeds = (unsigned)n, .weak = (unsigned)n, .parallel = (unsigned)(n + RUN_SHARE - 1) / RUN_SHARE};
    return litmus_run(&w->test, &run, &w->seen, error);
}

/* EXIT_KERNEL is a verdict: a test that nothing can be said of has none. */
static int fail(const struct atoll_error *error)
{
    int code = cli_fail(error);
    return code == EXIT_KERNEL ? EXIT_INPUT : code;
}

/* In Dartagnan's dialect a register may be one of a thread that is not there. */
static void warn_of_registers(const struct work *w)
{
    for (const struct litmus_register *r = w->test.registers; r < w->test.registers + w->test.nregisters; r++)
        if (r->thread >= w->test.nthreads)
            fprintf(stderr, "%s:%u:%u: warning: register %s of P%u has a value, but there is no such thread\n", w->path,
                    r->line, r->column, r->name, r->thread);
}

static int worse(int a, int b)
{
    return a > b ? a : b;
}

/* A test that cannot be run is judged all the same: the verdict is told first, then why it does not run. */
static int work_on(struct work *w, enum litmus_model model)
{
    struct blob blob;
    struct atoll_error error, trouble = {0};
    if (!file_read(w->path, LITMUS_SIZE, &blob, &error))
        return fail(&error);
    bool ok = litmus_parse(&w->test, (const char *)blob.bytes, blob.size, &error);
    blob_free(&blob);
    if (ok)
        warn_of_registers(w);
    w->ran = ok && w->options->run.given && run_test(w, &trouble);
    ok = ok && (w->options->all ? judge_all(w, &error) : judge_model(w, model, &error));
    litmus_free(&w->test);
    int code = cli_put_text(&w->out, EXIT_OK);
    bool apart = trouble.status && (ok || strcmp(trouble.message, error.message) != 0);
    if (!ok && !error_in(w->path, &error))
        code = worse(code, fail(&error));
    return apart && !error_in(w->path, &trouble) ? worse(code, fail(&trouble)) : code;
}

static bool find_model(const char *name, enum litmus_model *model, struct atoll_error *error)
{
    *model = LITMUS_MODEL_75;
    for (unsigned m = 0; name && m < LITMUS_MODELS; m++)
        if (strcmp(litmus_model_name((enum litmus_model)m), name) == 0) {
            *model = (enum litmus_model)m;
            return true;
        }
    return !name || error_set(error, ATOLL_USAGE, "--model=%.100s: known: ptx60, ptx75", name);
}

static int run_command(const struct command *command, struct arena *arena, const void *given, const struct list *plain)
{
    (void)command;
    struct litmus_options o = *(const struct litmus_options *)given;
    struct atoll_error error = {0};
    enum litmus_model model = LITMUS_MODEL_75;
    o.unroll = o.unroll ? o.unroll : 2;
    o.candidates = o.candidates ? o.candidates : CANDIDATES;
    o.timeout = o.timeout > 0 ? o.timeout : 60;
    o.run.value = o.run.value ? o.run.value : RUN_SEEDS;
    struct work *w = arena_alloc(arena, sizeof *w);
    bool ok = w ? find_model(o.model, &model, &error) : error_memory(&error);
    if (ok && o.run.value > 100000000)
        ok = error_set(&error, ATOLL_USAGE, "--run=%" PRIu64 ": at most 100000000", o.run.value);
    if (!ok)
        return cli_fail(&error);
    w->options = &o;
    int code = EXIT_OK;
    for (unsigned i = 0; i < plain->count; i++) {
        w->path = plain->items[i];
        code = worse(code, work_on(w, model));
    }
    return worse(code, w->unknown ? EXIT_LIMIT : w->bad ? EXIT_KERNEL : EXIT_OK);
}

const struct command command_litmus = {
    .name = "litmus",
    .synopsis = "FILE.litmus ... [options]",
    .summary = "say what a memory model allows a litmus test",
    .options = options,
    .notes = "Prints the outcomes that the model allows and the verdict on the test's conditions, as herd does. Tests "
             "are of\n"
             "PTX, or of Dartagnan's dialect (docs/litmus.md has the format and examples):\n"
             "  atoll litmus mp.litmus --model=ptx60\n"
             "  atoll litmus tests/litmus/global/*.litmus --run=200\n"
             "Exit code 1: a ~exists or forall does not hold, or a run showed what the model forbids. 3: a test is "
             "missing,\nnot understood, or cannot be run, which is told behind its verdict; the others are told. 4: a "
             "limit was reached, or\nnothing ends within --unroll. Of several codes it is the highest.\n",
    .least = 1,
    .most = FILES_MOST,
    .size = sizeof(struct litmus_options),
    .run = run_command,
};

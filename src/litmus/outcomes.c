/* All executions of a litmus test that a model allows: one way through each thread, a write for each byte that is read,
 * an order of fences, an order of writes as far as there must be one. Whatever cannot be any more is left at once. */
#include <stdlib.h>
#include <string.h>

#include "litmus/model.h"

struct search {
    const struct litmus *test;
    struct tracer *tracer;
    struct litmus_allowed *allowed;
    const struct litmus_limits *limits;
    struct atoll_error *error;
    const struct trace *chosen[LITMUS_THREADS];
    struct value_set supply[LITMUS_THREADS + 1];
    struct execution *x;
    double end;
    uint64_t steps;
    bool lawless; /* the axioms do not apply */
};

const char *litmus_model_name(enum litmus_model model)
{
    static const char *const names[] = {"ptx60", "ptx75"};
    return model < LITMUS_MODELS ? names[model] : NULL;
}

struct litmus_outcome *litmus_outcome(struct litmus_outcomes *outcomes, const struct litmus *test,
                                      const uint64_t *values)
{
    size_t size = test->nobserved * sizeof *values;
    for (unsigned i = 0; i < outcomes->count; i++)
        if (memcmp(outcomes->items[i].values, values, size) == 0)
            return &outcomes->items[i];
    if (outcomes->count == LITMUS_OUTCOMES)
        return NULL;
    struct litmus_outcome *outcome = &outcomes->items[outcomes->count++];
    *outcome = (struct litmus_outcome){0};
    memcpy(outcome->values, values, size);
    return outcome;
}

static int compare_outcomes(const void *a, const void *b)
{
    const struct litmus_outcome *x = a, *y = b;
    for (unsigned i = 0; i < LITMUS_OBSERVED; i++)
        if (x->values[i] != y->values[i])
            return x->values[i] < y->values[i] ? -1 : 1;
    return 0;
}

void litmus_sort(struct litmus_outcomes *outcomes)
{
    qsort(outcomes->items, outcomes->count, sizeof *outcomes->items, compare_outcomes);
}

/* Steps that come to no execution are limited, too. */
enum { STEPS_A_CANDIDATE = 64 };

static bool go_on(struct search *s)
{
    if (++s->steps / STEPS_A_CANDIDATE >= s->limits->candidates)
        return error_set(s->error, ATOLL_LIMIT, "more than %llu steps for %llu candidate executions",
                         (unsigned long long)s->steps, (unsigned long long)s->allowed->candidates);
    return s->steps % 256 || trace_clock() <= s->end ||
           error_set(s->error, ATOLL_LIMIT, "the time is over after %llu candidate executions",
                     (unsigned long long)s->allowed->candidates);
}

static bool count_candidate(struct search *s)
{
    if (++s->allowed->candidates > s->limits->candidates)
        return error_set(s->error, ATOLL_LIMIT, "more than %llu candidate executions",
                         (unsigned long long)s->limits->candidates);
    return go_on(s);
}

/* ---- outcomes of an execution ---------------------------------------------------------------------------------- */

static bool count_outcome(struct search *s, const uint64_t *values)
{
    if (!litmus_passes(s->test, values))
        return true;
    struct litmus_outcome *outcome = litmus_outcome(&s->allowed->outcomes, s->test, values);
    if (!outcome)
        return error_set(s->error, ATOLL_LIMIT, "more than %d outcomes", LITMUS_OUTCOMES);
    outcome->seeded++;
    s->allowed->executions++;
    return true;
}

/* Whether a write may be the last of some bytes. */
static bool is_last(const struct execution *x, unsigned write, unsigned memory, unsigned begin)
{
    const struct event *e = &x->events[write];
    if (e->kind != EVENT_WRITE || e->memory != memory || begin < e->begin || begin >= e->begin + e->bytes)
        return false;
    for (uint64_t rest = x->co.to[write]; rest; rest &= rest - 1) {
        const struct event *later = &x->events[__builtin_ctzll(rest)];
        if (later->memory == memory && begin >= later->begin && begin < later->begin + later->bytes)
            return false;
    }
    return true;
}

/* The values of observed locations, from the piece `piece` of the observed value `index` on: all that may be last. */
static bool last_values(struct search *s, unsigned index, unsigned piece, uint64_t *values)
{
    while (index < s->test->nobserved && s->test->observed[index].thread >= 0)
        index++;
    if (index == s->test->nobserved)
        return count_outcome(s, values);
    const struct litmus_observed *o = &s->test->observed[index];
    unsigned root = s->test->places[o->place].memory;
    const struct memory *memory = &s->tracer->memory[root];
    const struct piece *p = &memory->pieces[piece];
    if (piece == memory->count || p->begin >= o->bits / 8) {
        uint64_t whole = values[index];
        if (o->bits < 64)
            values[index] &= (UINT64_C(1) << o->bits) - 1;
        bool ok = last_values(s, index + 1, 0, values);
        values[index] = whole;
        return ok;
    }
    uint64_t before = values[index];
    for (unsigned w = 0; w < s->x->count; w++) {
        if (!is_last(s->x, w, root, p->begin))
            continue;
        const struct event *e = &s->x->events[w];
        values[index] = before | trace_bytes(e->value, p->begin - e->begin, p->bytes).part[0] << p->begin * 8;
        if (!last_values(s, index, piece + 1, values))
            return false;
    }
    values[index] = before;
    return true;
}

static bool found(struct search *s)
{
    uint64_t values[LITMUS_OBSERVED] = {0};
    for (unsigned i = 0; i < s->test->nobserved; i++)
        if (s->test->observed[i].thread >= 0)
            values[i] = s->chosen[s->test->observed[i].thread]->observed[i];
    if (!s->lawless && model_mixed_race(s->x)) {
        s->allowed->mixed = true;
        return true; /* all will be looked at once more */
    }
    return last_values(s, 0, 0, values);
}

/* ---- orders ------------------------------------------------------------------------------------------------------ */

/* Orders the morally strong writes that have no order yet, from the pair (i, k) on, in both ways. */
static bool order_writes(struct search *s, unsigned i, unsigned k)
{
    struct execution *x = s->x;
    for (; i < x->count; i++, k = i + 1)
        for (; k < x->count; k++) {
            bool open = x->events[i].kind == EVENT_WRITE && x->events[k].kind == EVENT_WRITE &&
                        relation_has(&x->strong, i, k) && !relation_has(&x->co, i, k) && !relation_has(&x->co, k, i);
            if (!open)
                continue;
            struct relation before = x->co;
            for (unsigned way = 0; way < 2; way++) {
                relation_add(&x->co, way ? k : i, way ? i : k);
                relation_close(&x->co, x->count);
                if (relation_irreflexive(&x->co, x->count) && !order_writes(s, i, k + 1))
                    return false;
                x->co = before;
            }
            return true;
        }
    return count_candidate(s) && (!model_holds(x) || found(s));
}

/* PTX ISA, "Fence-SC": orders pairs of morally strong fence.sc in both ways. */
static bool order_fences(struct search *s, unsigned i, unsigned k)
{
    struct execution *x = s->x;
    for (; i < x->count; i++, k = i + 1)
        for (; k < x->count; k++) {
            if (!x->events[i].is_sc || !x->events[k].is_sc || !relation_has(&x->strong, i, k))
                continue;
            for (unsigned way = 0; way < 2; way++) {
                unsigned first = way ? k : i, last = way ? i : k;
                if (relation_has(&x->po, last, first)) /* causality would be contradicted */
                    continue;
                relation_add(&x->fences, first, last);
                if (!order_fences(s, i, k + 1))
                    return false;
                x->fences.to[first] &= ~(UINT64_C(1) << last);
            }
            return true;
        }
    if (!relation_acyclic(x->fences, x->count))
        return true;
    return go_on(s) && (!model_fences(x) || order_writes(s, 0, 1));
}

/* ---- where reads read -------------------------------------------------------------------------------------------- */

/* Whether a write can be what the source's bytes are. */
static bool fits(const struct execution *x, const struct source *source, unsigned write)
{
    const struct event *w = &x->events[write], *r = &x->events[source->read];
    if (w->kind != EVENT_WRITE || w->memory != r->memory || source->begin < w->begin ||
        source->begin >= w->begin + w->bytes)
        return false;
    if (w->pair >= 0 && (unsigned)w->pair == source->read)
        return false;
    return program_same(trace_bytes(w->value, source->begin - w->begin, source->bytes),
                        trace_bytes(r->value, source->begin - r->begin, source->bytes));
}

static bool sources_chosen(struct search *s)
{
    struct execution *x = s->x;
    x->fences = (struct relation){0};
    x->co = (struct relation){0};
    model_sources(x);
    return count_candidate(s) && (s->lawless ? found(s) : order_fences(s, 0, 1));
}

static bool choose_sources(struct search *s, unsigned at)
{
    struct execution *x = s->x;
    if (at == x->nsources)
        return sources_chosen(s);
    unsigned read = x->sources[at].read;
    struct relation before = x->flow;
    for (unsigned w = 0; w < x->count; w++) {
        /* A read does not see a later write of its thread to the same bytes: SC-per-Location, Causality. */
        if (!fits(x, &x->sources[at], w) || !model_may_read(x, read, w) ||
            (relation_has(&x->po, read, w) && relation_has(&x->same, read, w)))
            continue;
        x->sources[at].write = w;
        model_reads(x, read, w);
        if (!go_on(s) || !choose_sources(s, at + 1))
            return false;
        x->flow = before;
    }
    return true;
}

/* ---- candidates -------------------------------------------------------------------------------------------------- */

static bool add_sources(struct search *s, unsigned read)
{
    struct execution *x = s->x;
    const struct event *e = &x->events[read];
    const struct memory *m = &s->tracer->memory[e->memory];
    for (unsigned i = 0; i < m->count; i++) {
        const struct piece *p = &m->pieces[i];
        if (p->begin < e->begin || p->begin >= e->begin + e->bytes)
            continue;
        if (x->nsources == EXECUTION_SOURCES)
            return error_set(s->error, ATOLL_LIMIT, "an execution with more than %d reads", EXECUTION_SOURCES);
        x->sources[x->nsources++] = (struct source){.read = read, .begin = p->begin, .bytes = p->bytes};
    }
    return true;
}

/* The events of the chosen ways behind those that give memory its initial values. */
static bool collect(struct search *s)
{
    struct execution *x = s->x;
    for (unsigned i = 0; i < s->test->nplaces; i++)
        if (s->test->places[i].memory == i)
            x->events[x->count++] = (struct event){.kind = EVENT_WRITE,
                                                   .thread = -1,
                                                   .memory = i,
                                                   .address = i,
                                                   .bytes = 16,
                                                   .value = {{s->test->places[i].initial, 0}},
                                                   .pair = -1};
    for (unsigned i = 0; i < s->test->nthreads; i++) {
        unsigned first = x->count;
        if (first + s->chosen[i]->count > RELATION_EVENTS)
            return error_set(s->error, ATOLL_LIMIT, "an execution with more than %d events", RELATION_EVENTS);
        for (unsigned k = 0; k < s->chosen[i]->count; k++) {
            x->events[x->count] = s->chosen[i]->events[k];
            if (x->events[x->count].pair >= 0)
                x->events[x->count].pair += (int)first;
            x->count++;
        }
    }
    return true;
}

/* Which threads make up the quorum of a barrier that has one, in all ways, from event `at` on. */
static bool choose_meetings(struct search *s, unsigned at)
{
    struct execution *x = s->x;
    while (at < x->count && !x->events[at].has_quorum)
        at++;
    if (at == x->count) {
        barrier_meet(x);
        return !barrier_all_pass(x) || choose_sources(s, 0);
    }
    uint64_t before = x->late;
    for (unsigned late = 0; late < 2; late++) {
        if (!barrier_may(x, at, late))
            continue;
        x->late |= (uint64_t)late << at;
        if (!go_on(s) || !choose_meetings(s, at + 1))
            return false;
        x->late = before;
    }
    return true;
}

static bool execute(struct search *s)
{
    struct execution *x = s->x;
    enum litmus_model model = x->model;
    *x = (struct execution){.test = s->test, .program = s->tracer->program, .model = model};
    if (!collect(s))
        return false;
    for (unsigned i = 0; i < x->count; i++)
        if (x->events[i].kind == EVENT_READ && !add_sources(s, i))
            return false;
    model_start(x);
    return choose_meetings(s, 0);
}

/* What threads from each one on can write in any of their ways. */
static void find_supply(struct search *s)
{
    for (unsigned i = s->test->nthreads; i-- > 0;) {
        const struct traces *ways = &s->tracer->threads[i];
        s->supply[i] = s->supply[i + 1];
        for (unsigned k = 0; k < ways->count; k++)
            for (unsigned w = 0; w < TRACE_WORDS; w++)
                s->supply[i].words[w] |= ways->items[k].writes.words[w];
    }
}

/* Chooses a way for each thread from `thread` on, as long as what they read is written or may yet be. */
static bool choose_traces(struct search *s, unsigned thread, const struct value_set *reads,
                          const struct value_set *writes)
{
    const struct traces *ways = &s->tracer->threads[thread];
    if (thread == s->test->nthreads)
        return execute(s);
    for (unsigned i = 0; i < ways->count; i++) {
        struct value_set read = *reads, written = *writes;
        uint64_t missing = 0;
        for (unsigned w = 0; w < TRACE_WORDS; w++) {
            read.words[w] |= ways->items[i].reads.words[w];
            written.words[w] |= ways->items[i].writes.words[w];
            missing |= read.words[w] & ~(written.words[w] | s->supply[thread + 1].words[w]);
        }
        s->chosen[thread] = &ways->items[i];
        if (!go_on(s) || (!missing && !choose_traces(s, thread + 1, &read, &written)))
            return false;
    }
    return true;
}

static bool choose(struct search *s)
{
    struct value_set none = {0};
    find_supply(s);
    return choose_traces(s, 0, &none, &s->tracer->given);
}

/* ---- the whole ----------------------------------------------------------------------------------------------------
 */

static bool refuse(const struct program_insn *insn, struct atoll_error *error, const char *what)
{
    return error_at(error, ATOLL_UNSUPPORTED, insn->cell->line, insn->cell->column, "%s", what);
}

/* In PTX a barrier for a number of threads has to be one for all that come there. */
static bool check_count(const struct litmus *test, const struct program *program, unsigned thread,
                        const struct program_insn *insn, struct atoll_error *error)
{
    unsigned warps = 0;
    const struct program_operand *count = &insn->from[1];
    for (unsigned i = 0; i < test->nthreads; i++) {
        bool comes = false;
        for (const struct program_insn *k = program->threads[i].insns;
             k < program->threads[i].insns + program->threads[i].count; k++)
            comes |= k->kind == PROGRAM_BARRIER && !k->warp && k->from[0].value.part[0] == insn->from[0].value.part[0];
        warps += comes && test->threads[i].block == test->threads[thread].block;
    }
    if (!count->constant)
        return refuse(insn, error, "the thread count of this barrier is in a register: the models take a number");
    return count->value.part[0] == 32 * (uint64_t)warps ||
           error_at(error, ATOLL_UNSUPPORTED, insn->cell->line, insn->cell->column,
                    "this barrier is for %llu threads, and those of the test that come to it count as %u, 32 each: the "
                    "models "
                    "know barriers for all that come",
                    (unsigned long long)count->value.part[0], 32 * warps);
}

static bool check_program(const struct litmus *test, const struct program *program, enum litmus_model model,
                          struct atoll_error *error)
{
    for (unsigned i = 0; i < test->nthreads; i++)
        for (unsigned k = 0; k < program->threads[i].count; k++) {
            const struct program_insn *insn = &program->threads[i].insns[k];
            bool access = insn->kind >= PROGRAM_LOAD && insn->kind <= PROGRAM_ATOMIC;
            bool proxied = insn->kind == PROGRAM_PROXY_FENCE ||
                           (access && (insn->proxy != LITMUS_GENERIC ||
                                       test->places[insn->place].address != test->places[insn->place].memory));
            if (proxied && model == LITMUS_MODEL_60)
                return refuse(insn, error, "ptx60 has no proxies: take --model=ptx75");
            bool counts = insn->kind == PROGRAM_BARRIER && !insn->named && insn->nfrom > 1;
            if (counts && !check_count(test, program, i, insn, error))
                return false;
        }
    return true;
}

static bool search(struct search *s, struct program *program)
{
    struct tracer *t = s->tracer;
    *t = (struct tracer){
        .test = s->test, .program = program, .unroll = s->limits->unroll, .end = s->end, .error = s->error};
    bool ok = trace_all(t);
    s->allowed->cut = t->cut;
    ok = ok && choose(s);
    if (ok && s->allowed->mixed) {
        s->lawless = true;
        s->allowed->outcomes.count = 0;
        s->allowed->executions = 0;
        ok = choose(s);
    }
    arena_free(&t->arena);
    if (ok)
        litmus_sort(&s->allowed->outcomes);
    return ok;
}

bool litmus_allow(const struct litmus *test, enum litmus_model model, const struct litmus_limits *limits,
                  struct litmus_allowed *allowed, struct atoll_error *error)
{
    *allowed = (struct litmus_allowed){0};
    struct program *program = malloc(sizeof *program);
    struct tracer *tracer = malloc(sizeof *tracer);
    struct execution *execution = malloc(sizeof *execution);
    bool ok = program && tracer && execution;
    if (!ok)
        error_memory(error);
    ok = ok && litmus_decode(test, program, error) && check_program(test, program, model, error);
    if (ok) {
        struct search s = {.test = test,
                           .tracer = tracer,
                           .allowed = allowed,
                           .limits = limits,
                           .error = error,
                           .x = execution,
                           .end = trace_clock() + limits->seconds};
        execution->model = model;
        ok = search(&s, program);
    }
    free(program);
    free(tracer);
    free(execution);
    return ok;
}

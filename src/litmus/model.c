/* The memory consistency model of the PTX ISA: 6.0, as Lustig, Sahasrabuddhe and Giroux, "A Formal Analysis of the
 * NVIDIA PTX Memory Consistency Model", ASPLOS 2019, have it, and 7.5 with proxies, as Lustig, Cooksey and Giroux,
 * "Mixed-Proxy Extensions for the NVIDIA PTX Memory Consistency Model", ISCA 2022. Names are the PTX ISA's;
 * docs/litmus.md, "The models", says which section each rule is of. */
#include "litmus/model.h"

#include <string.h>

static bool is_access(const struct event *e)
{
    return e->kind == EVENT_READ || e->kind == EVENT_WRITE;
}

static bool same_block(const struct execution *x, const struct event *a, const struct event *b)
{
    const struct litmus_thread *threads = x->test->threads;
    return a->thread >= 0 && b->thread >= 0 && threads[a->thread].block == threads[b->thread].block;
}

static bool overlaps(const struct event *a, const struct event *b)
{
    return is_access(a) && is_access(b) && a->memory == b->memory && a->begin < b->begin + b->bytes &&
           b->begin < a->begin + a->bytes;
}

/* Whether the scope of one operation includes the thread of the other (PTX ISA, "Scope"). */
static bool includes(const struct execution *x, const struct event *a, const struct event *b)
{
    const struct litmus_thread *threads = x->test->threads;
    return a->scope == SCOPE_SYS || (a->scope == SCOPE_GPU && threads[a->thread].device == threads[b->thread].device) ||
           same_block(x, a, b);
}

/* PTX ISA, "Morally strong operations". */
static bool morally_strong(const struct execution *x, unsigned i, unsigned k)
{
    const struct event *a = &x->events[i], *b = &x->events[k];
    if (i == k || a->thread < 0 || b->thread < 0)
        return false;
    bool ordered = relation_has(&x->po, i, k) || relation_has(&x->po, k, i);
    if (!ordered && !(a->strong && b->strong && includes(x, a, b) && includes(x, b, a)))
        return false;
    if (is_access(a) && is_access(b))
        return relation_has(&x->same, i, k);
    return a->proxy == b->proxy;
}

/* PTX ISA, "Release and Acquire Patterns": a releasing operation, perhaps with a strong write behind it. */
static void add_patterns(struct execution *x, unsigned i, unsigned k)
{
    const struct event *a = &x->events[i], *b = &x->events[k];
    bool behind = relation_has(&x->po, i, k), same = i == k || (behind && relation_has(&x->same, i, k));
    bool fence_first = a->kind == EVENT_FENCE && behind, fence_last = b->kind == EVENT_FENCE && behind;
    if (b->kind == EVENT_WRITE && b->strong && a->releases && (fence_first || same))
        relation_add(&x->releases, i, k);
    if (a->kind == EVENT_READ && a->strong && b->acquires && (fence_last || same))
        relation_add(&x->acquires, i, k);
}

/* Values flow from reads to what depends on them. */
static void start_flow(struct execution *x)
{
    unsigned first[LITMUS_THREADS] = {0};
    for (unsigned i = x->count; i-- > 0;)
        if (x->events[i].thread >= 0)
            first[x->events[i].thread] = i;
    for (unsigned i = 0; i < x->count; i++)
        for (uint64_t rest = x->events[i].needs; rest; rest &= rest - 1)
            relation_add(&x->flow, first[x->events[i].thread] + (unsigned)__builtin_ctzll(rest), i);
    relation_close(&x->flow, x->count);
}

void model_start(struct execution *x)
{
    for (unsigned i = 0; i < x->count; i++) {
        const struct event *a = &x->events[i];
        for (unsigned k = 0; k < x->count; k++) {
            const struct event *b = &x->events[k];
            if (a->thread == b->thread && a->thread >= 0 && i < k)
                relation_add(&x->po, i, k);
            if (overlaps(a, b))
                relation_add(&x->overlap, i, k);
            if (overlaps(a, b) && a->address == b->address && a->proxy == b->proxy && a->begin == b->begin &&
                a->bytes == b->bytes)
                relation_add(&x->same, i, k);
        }
        if (a->kind == EVENT_WRITE && a->pair >= 0)
            relation_add(&x->pairs, (unsigned)a->pair, i);
    }
    for (unsigned i = 0; i < x->count; i++)
        for (unsigned k = 0; k < x->count; k++) {
            if (morally_strong(x, i, k))
                relation_add(&x->strong, i, k);
            add_patterns(x, i, k);
        }
    start_flow(x);
}

/* Atomic operations R1 W1 and R2 W2 that read one write W: if W1 and W2 are ordered and both behind W, whichever write
 * is first comes between the halves of the other (PTX ISA, "Atomicity"). */
static bool splits(const struct execution *x, const struct source *other, unsigned read, unsigned write)
{
    uint64_t first = x->pairs.to[other->read], second = x->pairs.to[read];
    if (other->write != write || other->read == read || !first || !second)
        return false;
    unsigned a = (unsigned)__builtin_ctzll(first), b = (unsigned)__builtin_ctzll(second);
    bool behind =
        x->events[write].thread < 0 || (relation_has(&x->strong, write, a) && relation_has(&x->strong, write, b));
    return behind && relation_has(&x->strong, a, b);
}

bool model_may_read(const struct execution *x, unsigned read, unsigned write)
{
    /* PTX ISA, "No-Thin-Air": values do not come from themselves through dependencies. */
    if (relation_has(&x->flow, read, write))
        return false;
    for (unsigned i = 0; i < x->nsources && x->sources[i].read < read; i++)
        if (splits(x, &x->sources[i], read, write))
            return false;
    return true;
}

void model_reads(struct execution *x, unsigned read, unsigned write)
{
    uint64_t beyond = x->flow.to[read] | UINT64_C(1) << read;
    for (unsigned i = 0; i < x->count; i++)
        if (i == write || relation_has(&x->flow, i, write))
            x->flow.to[i] |= beyond;
}

void model_sources(struct execution *x)
{
    unsigned n = x->count;
    struct relation strong_rf, step, more, chain;
    x->rf = (struct relation){0};
    for (unsigned i = 0; i < x->nsources; i++)
        relation_add(&x->rf, x->sources[i].write, x->sources[i].read);
    /* PTX ISA, "Observation Order": a write before the strong read that has its value, on through atomic operations. */
    strong_rf = x->rf;
    relation_meet(&strong_rf, &x->strong, n);
    relation_chain(&step, &x->pairs, &strong_rf, n);
    relation_close(&step, n);
    relation_chain(&more, &strong_rf, &step, n);
    x->observation = strong_rf;
    relation_join(&x->observation, &more, n);
    relation_chain(&chain, &x->releases, &x->observation, n);
    relation_chain(&x->synchronizes, &chain, &x->acquires, n);
    relation_meet(&x->synchronizes, &x->strong, n);
}

/* ---- causality ------------------------------------------------------------------------------------------------- */

static struct relation with_self(const struct relation *r, unsigned count)
{
    struct relation out = *r;
    for (unsigned i = 0; i < count; i++)
        relation_add(&out, i, i);
    return out;
}

/* PTX ISA, "Causality Order", base causality order: of 6.0 at least one step of it synchronizes; since 7.5 program
 * order belongs to it. */
static void base_causality(const struct execution *x, struct relation *base)
{
    struct relation sync = x->synchronizes, po = with_self(&x->po, x->count), half;
    relation_join(&sync, &x->fences, x->count);
    relation_join(&sync, &x->barriers, x->count);
    relation_chain(&half, &po, &sync, x->count);
    relation_chain(base, &half, &po, x->count);
    if (x->model == LITMUS_MODEL_75)
        relation_join(base, &x->po, x->count);
    relation_close(base, x->count);
}

/* Whether a proxy fence is one for this access: of its proxy, by a thread of its block. */
static bool fences_for(const struct execution *x, const struct event *fence, const struct event *access)
{
    return fence->kind == EVENT_PROXY_FENCE && !fence->alias && fence->proxy == access->proxy &&
           same_block(x, fence, access);
}

/* Where the way of an access through its proxy becomes one of the generic proxy: itself, or the proxy fences behind it
 * (`before`: before it) that are its own. */
static uint64_t generic_ends(const struct execution *x, const struct relation *base, unsigned i, bool before)
{
    const struct event *a = &x->events[i];
    uint64_t ends = 0;
    if (a->proxy == LITMUS_GENERIC)
        return UINT64_C(1) << i;
    for (unsigned k = 0; k < x->count; k++)
        if (fences_for(x, &x->events[k], a) && (before ? relation_has(base, k, i) : relation_has(base, i, k)))
            ends |= UINT64_C(1) << k;
    return ends;
}

/* Whether base causality leads from an event of one set to one of the other; `alias`: over an alias fence. */
static bool leads(const struct execution *x, const struct relation *base, uint64_t from, uint64_t to, bool alias)
{
    uint64_t reached = 0;
    for (uint64_t rest = from; rest; rest &= rest - 1)
        reached |= base->to[__builtin_ctzll(rest)];
    if (!alias)
        return (reached & to) != 0;
    uint64_t beyond = 0;
    for (uint64_t rest = reached; rest; rest &= rest - 1) {
        unsigned via = (unsigned)__builtin_ctzll(rest);
        if (x->events[via].kind == EVENT_PROXY_FENCE && x->events[via].alias)
            beyond |= base->to[via];
    }
    return (beyond & to) != 0;
}

/* PTX ISA, "Causality Order", proxy-preserved base causality order; with the proxy fences as ISCA 2022, section 6.2.4.
 */
static bool preserved(const struct execution *x, const struct relation *base, unsigned i, unsigned k)
{
    const struct event *a = &x->events[i], *b = &x->events[k];
    if (!relation_has(&x->overlap, i, k) || a->thread < 0 || b->thread < 0)
        return false;
    bool mapped = a->address == b->address;
    if (mapped && relation_has(base, i, k) && a->proxy == b->proxy &&
        (a->proxy == LITMUS_GENERIC || same_block(x, a, b)))
        return true;
    uint64_t from = generic_ends(x, base, i, false), to = generic_ends(x, base, k, true);
    bool generic = a->proxy == LITMUS_GENERIC && b->proxy == LITMUS_GENERIC;
    return (mapped && !generic && leads(x, base, from, to, false)) || leads(x, base, from, to, true);
}

static void causality_75(const struct execution *x, const struct relation *base, struct relation *cause)
{
    struct relation kept = {0};
    for (unsigned i = 0; i < x->count; i++)
        for (unsigned k = 0; k < x->count; k++)
            if (preserved(x, base, i, k))
                relation_add(&kept, i, k);
    relation_chain(cause, &x->observation, &kept, x->count);
    relation_join(cause, &kept, x->count);
}

/* ASPLOS 2019, figure 4: after an observation program order between accesses of one location is enough. */
static void causality_60(const struct execution *x, const struct relation *base, struct relation *cause)
{
    struct relation then = x->po;
    relation_meet(&then, &x->overlap, x->count);
    relation_join(&then, base, x->count);
    relation_chain(cause, &x->observation, &then, x->count);
    relation_join(cause, base, x->count);
}

bool model_fences(struct execution *x)
{
    struct relation base;
    base_causality(x, &base);
    /* PTX ISA, "Fence-SC": the order of fences does not contradict causality. */
    if (relation_meets_reverse(&x->fences, &base, x->count))
        return false;
    if (x->model == LITMUS_MODEL_75)
        causality_75(x, &base, &x->cause);
    else
        causality_60(x, &base, &x->cause);
    /* PTX ISA, "Coherence": causality between writes is part of their order, initial values are before all. */
    x->co = (struct relation){0};
    for (unsigned i = 0; i < x->count; i++)
        for (unsigned k = 0; k < x->count; k++) {
            const struct event *a = &x->events[i], *b = &x->events[k];
            if (a->kind == EVENT_WRITE && b->kind == EVENT_WRITE && relation_has(&x->overlap, i, k) &&
                ((a->thread < 0 && b->thread >= 0) || relation_has(&x->cause, i, k)))
                relation_add(&x->co, i, k);
        }
    relation_close(&x->co, x->count);
    return relation_irreflexive(&x->co, x->count);
}

/* ---- axioms ----------------------------------------------------------------------------------------------------- */

/* Reads before the writes that overwrite what they read; `any`: some byte of it, else all that both access. */
static void from_reads(const struct execution *x, bool any, struct relation *fr)
{
    *fr = (struct relation){0};
    struct relation kept = {0};
    for (unsigned i = 0; i < x->nsources; i++) {
        const struct source *s = &x->sources[i];
        for (unsigned w = 0; w < x->count; w++) {
            const struct event *e = &x->events[w];
            bool covers = e->kind == EVENT_WRITE && e->memory == x->events[s->read].memory &&
                          e->begin < s->begin + s->bytes && s->begin < e->begin + e->bytes;
            if (covers)
                relation_add(relation_has(&x->co, s->write, w) ? fr : &kept, s->read, w);
        }
    }
    for (unsigned i = 0; i < x->count && !any; i++)
        fr->to[i] &= ~kept.to[i];
}

/* PTX ISA, "Atomicity": no write comes between the halves of an atomic operation, and no access is seen in part. */
static bool atomic(const struct execution *x, const struct relation *fr)
{
    for (unsigned r = 0; r < x->count; r++)
        for (uint64_t rest = fr->to[r] & x->strong.to[r]; rest; rest &= rest - 1) {
            unsigned between = (unsigned)__builtin_ctzll(rest);
            if (relation_has(&x->rf, between, r))
                return false;
            if (x->pairs.to[r] & x->co.to[between] & x->strong.to[between])
                return false;
        }
    return true;
}

/* PTX ISA, "SC-per-Location". */
static bool coherent(const struct execution *x, const struct relation *fr)
{
    struct relation all = x->rf, po = x->po;
    relation_join(&all, &x->co, x->count);
    relation_join(&all, fr, x->count);
    relation_meet(&all, &x->strong, x->count);
    relation_meet(&po, &x->same, x->count);
    relation_join(&all, &po, x->count);
    return relation_acyclic(all, x->count);
}

bool model_holds(const struct execution *x)
{
    struct relation some, all;
    from_reads(x, true, &some);
    from_reads(x, false, &all);
    if (!atomic(x, &some) || !coherent(x, &all))
        return false;
    /* PTX ISA, "Causality": communication does not contradict causality. */
    return !relation_meets_reverse(&x->rf, &x->cause, x->count) && !relation_meets_reverse(&some, &x->cause, x->count);
}

/* PTX ISA, "Mixed-size Data-races". */
bool model_mixed_race(const struct execution *x)
{
    for (unsigned i = 0; i < x->count; i++)
        for (unsigned k = i + 1; k < x->count; k++) {
            const struct event *a = &x->events[i], *b = &x->events[k];
            bool conflict = relation_has(&x->overlap, i, k) && (a->kind == EVENT_WRITE || b->kind == EVENT_WRITE);
            if (conflict && a->thread >= 0 && b->thread >= 0 && a->thread != b->thread &&
                (a->begin != b->begin || a->bytes != b->bytes) && !relation_has(&x->cause, i, k) &&
                !relation_has(&x->cause, k, i))
                return true;
        }
    return false;
}

/* Barriers of an execution: who meets whom at them, and whether all get past. The k-th of each thread at one barrier
 * meet. Named barriers of Dartagnan's dialect (docs/litmus.md) wait for all threads that have them, or for a quorum. */
#include "litmus/model.h"

static bool same_block(const struct execution *x, unsigned thread, unsigned other)
{
    return x->test->threads[thread].block == x->test->threads[other].block;
}

/* Whether two events are at one barrier in one phase of it. */
static bool together(const struct execution *x, const struct event *a, const struct event *b)
{
    const struct litmus_thread *threads = x->test->threads;
    return a->kind == EVENT_BARRIER && b->kind == EVENT_BARRIER && a->thread != b->thread &&
           same_block(x, (unsigned)a->thread, (unsigned)b->thread) && a->warp == b->warp && a->named == b->named &&
           a->instance == b->instance && a->barrier == b->barrier && a->phase == b->phase &&
           (!a->warp || threads[a->thread].thread / 32 == threads[b->thread].thread / 32);
}

static bool is_late(const struct execution *x, unsigned event)
{
    return x->late >> event & 1;
}

/* The events that meet at the barrier of this one, itself among them. */
static uint64_t met(const struct execution *x, unsigned event)
{
    uint64_t set = is_late(x, event) ? 0 : UINT64_C(1) << event;
    for (unsigned i = 0; i < x->count; i++)
        if (!is_late(x, i) && together(x, &x->events[i], &x->events[event]))
            set |= UINT64_C(1) << i;
    return set;
}

bool barrier_may(const struct execution *x, unsigned event, bool late)
{
    unsigned wanted = x->events[event].quorum, count = 0, open = 0;
    for (unsigned i = 0; i < x->count; i++) {
        const struct event *e = &x->events[i];
        if (i != event && !together(x, e, &x->events[event]))
            continue;
        wanted = e->has_quorum && e->quorum > wanted ? e->quorum : wanted;
        open += e->has_quorum && i >= event;
        count += !e->has_quorum || (i < event && !is_late(x, i));
    }
    return late ? count + open > wanted : count < wanted;
}

void barrier_meet(struct execution *x)
{
    x->barriers = (struct relation){0};
    for (unsigned i = 0; i < x->count; i++)
        for (unsigned k = 0; k < x->count; k++)
            if (together(x, &x->events[i], &x->events[k]) && !x->events[k].arrives_only && !is_late(x, i))
                relation_add(&x->barriers, i, k);
}

/* Whether a thread has an instruction that is sure to be for the barrier of an event. One whose number is in a register
 * is for it only where it comes there. */
static bool has_barrier(const struct execution *x, unsigned thread, const struct event *event)
{
    const struct program_thread *t = &x->program->threads[thread];
    for (const struct program_insn *i = t->insns; i < t->insns + t->count; i++)
        if (i->kind == PROGRAM_BARRIER && i->named && i->instance == event->instance && i->from[0].constant &&
            (uint32_t)i->from[0].value.part[0] == event->barrier)
            return true;
    return false;
}

static bool passes(const struct execution *x, unsigned event)
{
    const struct event *e = &x->events[event];
    uint64_t met_here = met(x, event);
    if (e->has_quorum)
        return (unsigned)__builtin_popcountll(met_here) >= e->quorum;
    uint32_t came = UINT32_C(1) << e->thread;
    for (unsigned i = 0; i < x->count; i++)
        if (together(x, &x->events[i], e))
            came |= UINT32_C(1) << x->events[i].thread;
    for (unsigned i = 0; i < x->test->nthreads; i++)
        if (same_block(x, i, (unsigned)e->thread) && has_barrier(x, i, e) && !(came >> i & 1))
            return false;
    return true;
}

static bool waits(const struct event *e)
{
    return e->kind == EVENT_BARRIER && !e->arrives_only;
}

bool barrier_all_pass(const struct execution *x)
{
    struct relation after = {0}; /* a barrier is passed after those that the threads which meet there come through */
    for (unsigned i = 0; i < x->count; i++) {
        if (!waits(&x->events[i]))
            continue;
        if (x->events[i].named && !passes(x, i))
            return false;
        for (uint64_t rest = met(x, i) | UINT64_C(1) << i; rest; rest &= rest - 1)
            for (unsigned k = 0; k < x->count; k++)
                if (waits(&x->events[k]) && relation_has(&x->po, k, (unsigned)__builtin_ctzll(rest)))
                    relation_add(&after, i, k);
    }
    return relation_acyclic(after, x->count);
}

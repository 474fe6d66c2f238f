/* Ways through threads. Values that memory may have are found round by round: at first the initial ones, then also what
 * writes can give by what is known. A value that needs more rounds than there are writes would come out of thin air.
 * Ways that are cut give values, too: threads that wait for each other end only by what the others write before. */
#include "litmus/trace.h"

#include "base/bitset.h"

#include <string.h>
#include <time.h>

/* A thread on its way. */
struct walker {
    struct tracer *tracer;
    unsigned thread, at;
    struct program_value registers[PROGRAM_NAMES];
    uint32_t needs[PROGRAM_NAMES], branches; /* events on whose values registers, and where it went, depend */
    unsigned visits[LITMUS_ROWS];            /* how often it went back to an instruction */
    struct event events[TRACE_EVENTS];
    unsigned count;
};

double trace_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

struct program_value trace_bytes(struct program_value value, unsigned from, unsigned bytes)
{
    if (from >= 8)
        value = (struct program_value){{value.part[1] >> (from - 8) * 8, 0}};
    else if (from)
        value = (struct program_value){
            {value.part[0] >> from * 8 | value.part[1] << (64 - from * 8), value.part[1] >> from * 8}};
    return bytes < 16 ? program_cut(value, bytes * 8) : value;
}

static bool too_much(struct walker *w, const struct program_insn *insn, const char *what)
{
    return error_at(w->tracer->error, ATOLL_LIMIT, insn->cell->line, insn->cell->column, "%s", what);
}

/* ---- memory --------------------------------------------------------------------------------------------------- */

static unsigned elements_of(const struct program_insn *insn)
{
    return insn->kind == PROGRAM_LOAD ? insn->nto : insn->kind == PROGRAM_STORE ? insn->nfrom : 1;
}

static bool is_access(const struct program_insn *insn)
{
    return insn->kind == PROGRAM_LOAD || insn->kind == PROGRAM_STORE || insn->kind == PROGRAM_ATOMIC;
}

/* Where accesses begin and end. */
static void mark_edges(const struct tracer *t, bool edges[LITMUS_PLACES][17])
{
    for (unsigned i = 0; i < t->test->nthreads; i++)
        for (unsigned k = 0; k < t->program->threads[i].count; k++) {
            const struct program_insn *insn = &t->program->threads[i].insns[k];
            bool *edge = edges[t->test->places[insn->place].memory];
            for (unsigned e = 0; is_access(insn) && e <= elements_of(insn); e++)
                edge[insn->offset + e * insn->bits / 8] = true;
        }
}

static void make_pieces(struct tracer *t)
{
    bool edges[LITMUS_PLACES][17] = {0};
    mark_edges(t, edges);
    for (unsigned i = 0; i < t->test->nplaces; i++) {
        struct memory *m = &t->memory[i];
        m->count = 0;
        for (unsigned at = 0; at < 16; at++) {
            if (at == 0 || edges[i][at])
                m->pieces[m->count++] = (struct piece){.begin = at};
            m->pieces[m->count - 1].bytes++;
        }
        for (unsigned k = 0; k < m->count; k++) {
            struct piece *p = &m->pieces[k];
            p->values[0] = trace_bytes((struct program_value){{t->test->places[i].initial, 0}}, p->begin, p->bytes);
            p->nvalues = 1;
        }
    }
}

/* Takes what a write gives into the pieces of the next round. */
static bool learn(struct tracer *t, const struct event *e)
{
    struct memory *m = &t->learnt[e->memory];
    for (unsigned i = 0; i < m->count; i++) {
        struct piece *p = &m->pieces[i];
        if (p->begin < e->begin || p->begin >= e->begin + e->bytes)
            continue;
        struct program_value value = trace_bytes(e->value, p->begin - e->begin, p->bytes);
        unsigned k = 0;
        while (k < p->nvalues && !program_same(p->values[k], value))
            k++;
        if (k < p->nvalues)
            continue;
        if (k == TRACE_VALUES)
            return error_set(t->error, ATOLL_LIMIT, "location %s can have more than %d values",
                             t->test->places[e->memory].name, TRACE_VALUES);
        p->values[p->nvalues++] = value;
        t->grew = true;
    }
    return true;
}

/* ---- instructions ---------------------------------------------------------------------------------------------- */

static struct program_value read_operand(const struct walker *w, const struct program_operand *o, uint32_t *needs)
{
    if (o->constant)
        return o->value;
    *needs |= w->needs[o->reg];
    return w->registers[o->reg];
}

static void write_register(struct walker *w, const struct program_insn *insn, unsigned index,
                           struct program_value value, uint32_t needs)
{
    unsigned reg = insn->to[index].reg;
    w->registers[reg] = program_cut(value, w->tracer->program->threads[w->thread].bits[reg]);
    w->needs[reg] = needs;
}

static void read_operands(const struct walker *w, const struct program_insn *insn, struct program_value *values,
                          uint32_t *needs)
{
    for (unsigned i = 0; i < insn->nfrom; i++)
        values[i] = read_operand(w, &insn->from[i], needs);
}

static void compute(struct walker *w, const struct program_insn *insn, uint32_t needs)
{
    struct program_value from[PROGRAM_SOURCES] = {0};
    read_operands(w, insn, from, &needs);
    struct program_value value = program_compute(insn, from);
    for (unsigned i = 0; i < insn->nto; i++)
        write_register(w, insn, i, trace_bytes(value, i * insn->bits / 8 / insn->nto, 16), needs);
}

/* A new event of the instruction; NULL: too many, told. */
static struct event *add_event(struct walker *w, const struct program_insn *insn, enum event_kind kind, uint32_t needs)
{
    if (w->count == TRACE_EVENTS) {
        too_much(w, insn, "a thread with more than 32 events");
        return NULL;
    }
    struct event *e = &w->events[w->count++];
    enum program_order order = insn->order;
    bool atomic = insn->kind == PROGRAM_ATOMIC, fence = kind == EVENT_FENCE;
    bool both = order == ORDER_ACQ_REL || order == ORDER_SC;
    *e = (struct event){
        .kind = kind,
        .thread = (int)w->thread,
        .strong = fence || (kind < EVENT_FENCE && (order != ORDER_WEAK || atomic)),
        .acquires = (order == ORDER_ACQUIRE || both) && (fence || kind == EVENT_READ),
        .releases = (order == ORDER_RELEASE || both) && (fence || kind == EVENT_WRITE),
        .is_sc = fence && order == ORDER_SC,
        .scope = insn->scope,
        .proxy = insn->proxy,
        .alias = insn->alias,
        .memory = w->tracer->test->places[insn->place].memory,
        .address = w->tracer->test->places[insn->place].address,
        .begin = insn->offset,
        .bytes = insn->bits / 8,
        .needs = needs | w->branches,
        .pair = -1,
        .instance = insn->instance,
        .named = insn->named,
        .arrives_only = insn->arrives_only,
        .warp = insn->warp,
        .insn = insn,
    };
    return e;
}

static bool store(struct walker *w, const struct program_insn *insn, uint32_t needs)
{
    for (unsigned i = 0; i < insn->nfrom; i++) {
        uint32_t own = needs;
        struct program_value value = program_cut(read_operand(w, &insn->from[i], &own), insn->bits);
        struct event *e = add_event(w, insn, EVENT_WRITE, own);
        if (!e)
            return false;
        e->begin += i * e->bytes;
        e->value = value;
    }
    return true;
}

static bool fence(struct walker *w, const struct program_insn *insn, uint32_t needs)
{
    return add_event(w, insn, insn->kind == PROGRAM_FENCE ? EVENT_FENCE : EVENT_PROXY_FENCE, needs) != NULL;
}

/* Which barrier it is may come from a register. */
static bool meet(struct walker *w, const struct program_insn *insn, uint32_t needs)
{
    struct program_value from[PROGRAM_SOURCES] = {0};
    read_operands(w, insn, from, &needs);
    struct event *e = add_event(w, insn, EVENT_BARRIER, needs);
    if (!e)
        return false;
    e->barrier = (uint32_t)from[0].part[0];
    e->has_quorum = insn->named && insn->nfrom > 1;
    e->quorum = e->has_quorum ? (uint32_t)from[1].part[0] : 0;
    for (unsigned i = 0; i + 1 < w->count; i++) {
        const struct event *before = &w->events[i];
        e->phase += before->kind == EVENT_BARRIER && before->barrier == e->barrier && before->warp == e->warp &&
                    before->named == e->named && before->instance == e->instance;
    }
    return true;
}

/* Goes to the target; false: round more often than is looked at. */
static bool jump(struct walker *w, const struct program_insn *insn)
{
    bool back = insn->target <= w->at;
    w->at = insn->target;
    return !back || w->visits[insn->target]++ < w->tracer->unroll;
}

static bool taken(struct walker *w, const struct program_insn *insn)
{
    if (insn->operation == PROGRAM_ALWAYS)
        return true;
    struct program_value from[PROGRAM_SOURCES] = {0};
    read_operands(w, insn, from, &w->branches);
    return program_compute(insn, from).part[0] != 0;
}

/* ---- ways ------------------------------------------------------------------------------------------------------ */

static bool walk(struct walker *w);

/* The register of an observed value. */
static uint64_t final_value(const struct walker *w, const struct litmus_observed *o)
{
    const struct program_thread *t = &w->tracer->program->threads[w->thread];
    for (unsigned i = 0; i < t->nnames; i++)
        if (strcmp(t->names[i], o->name) == 0)
            return w->registers[i].part[0];
    return program_initial(w->tracer->test, w->thread, o->name);
}

/* Takes the values of all writes of a way. */
static bool learn_way(const struct walker *w)
{
    struct tracer *t = w->tracer;
    unsigned writes = 0;
    for (unsigned i = 0; i < w->count; i++)
        if (w->events[i].kind == EVENT_WRITE && (writes++, !learn(t, &w->events[i])))
            return false;
    t->most[w->thread] = writes > t->most[w->thread] ? writes : t->most[w->thread];
    return true;
}

static bool finish(struct walker *w)
{
    struct tracer *t = w->tracer;
    struct traces *all = &t->threads[w->thread];
    if (all->count == TRACE_MOST)
        return error_set(t->error, ATOLL_LIMIT, "P%u has more than %d ways to go", w->thread, TRACE_MOST);
    struct trace *items = arena_append(&t->arena, all->items, all->count, sizeof *items);
    if (!items)
        return error_memory(t->error);
    all->items = items;
    struct trace *trace = &items[all->count];
    *trace = (struct trace){.count = w->count};
    trace->events = arena_array(&t->arena, w->count + 1u, sizeof *trace->events);
    if (!trace->events)
        return error_memory(t->error);
    all->count++;
    memcpy(trace->events, w->events, w->count * sizeof *w->events);
    for (unsigned i = 0; i < t->test->nobserved; i++)
        if (t->test->observed[i].thread == (int)w->thread)
            trace->observed[i] = final_value(w, &t->test->observed[i]);
    return true;
}

static bool write_back(struct walker *w, const struct program_insn *insn, uint32_t needs, struct program_value old)
{
    struct program_value from[PROGRAM_SOURCES] = {0}, value;
    unsigned pair = w->count - 1;
    needs |= UINT32_C(1) << pair;
    read_operands(w, insn, from, &needs);
    if (!program_atomic(insn, old, from, &value))
        return true;
    struct event *e = add_event(w, insn, EVENT_WRITE, needs);
    if (!e)
        return false;
    e->pair = (int)pair;
    e->value = value;
    return true;
}

/* Reads element `index` of the access with all values that it may have, and goes on behind. */
static bool read_ways(const struct walker *from, const struct program_insn *insn, uint32_t needs, unsigned index)
{
    struct tracer *t = from->tracer;
    const struct memory *m = &t->memory[t->test->places[insn->place].memory];
    unsigned begin = insn->offset + index * insn->bits / 8, end = begin + insn->bits / 8, first = 0, last;
    unsigned choice[TRACE_PIECES] = {0};
    while (m->pieces[first].begin != begin)
        first++;
    for (last = first; last < m->count && m->pieces[last].begin < end; last++)
        ;
    for (;;) {
        struct walker w = *from;
        struct event *e = add_event(&w, insn, EVENT_READ, needs);
        if (!e)
            return false;
        e->begin = begin;
        for (unsigned i = first; i < last; i++) {
            unsigned at = (m->pieces[i].begin - begin) * 8;
            struct program_value part = m->pieces[i].values[choice[i]];
            e->value.part[at / 64] |= part.part[0] << at % 64;
            e->value.part[1] |= part.part[1];
        }
        struct program_value value = e->value;
        if (insn->kind == PROGRAM_ATOMIC && !write_back(&w, insn, needs, value))
            return false;
        if (index < insn->nto)
            write_register(&w, insn, index, value, needs | UINT32_C(1) << (unsigned)(e - w.events));
        bool more = insn->kind == PROGRAM_LOAD && index + 1 < insn->nto;
        w.at += !more;
        if (!(more ? read_ways(&w, insn, needs, index + 1) : walk(&w)))
            return false;
        unsigned i = first;
        while (i < last && ++choice[i] == m->pieces[i].nvalues)
            choice[i++] = 0;
        if (i == last)
            return true;
    }
}

/* Whether the guard lets the instruction be. A register that it leaves alone depends on the guard, too. */
static bool guarded(struct walker *w, const struct program_insn *insn, uint32_t *needs)
{
    if (insn->guard < 0)
        return true;
    *needs |= w->needs[insn->guard];
    bool runs = (w->registers[insn->guard].part[0] & 1) != insn->guard_not;
    if (insn->kind == PROGRAM_BRANCH)
        w->branches |= *needs;
    for (unsigned i = 0; i < insn->nto && !runs; i++)
        w->needs[insn->to[i].reg] |= *needs;
    return runs;
}

/* From where it is to the end, in all ways. */
static bool walk(struct walker *w)
{
    const struct program_thread *t = &w->tracer->program->threads[w->thread];
    if (trace_clock() > w->tracer->end)
        return error_set(w->tracer->error, ATOLL_LIMIT, "the time is over, with P%u's ways still to be found",
                         w->thread);
    while (w->at < t->count) {
        const struct program_insn *insn = &t->insns[w->at];
        uint32_t needs = 0;
        bool runs = guarded(w, insn, &needs);
        if (runs && (insn->kind == PROGRAM_LOAD || insn->kind == PROGRAM_ATOMIC))
            return read_ways(w, insn, needs, 0);
        if (runs && insn->kind == PROGRAM_BRANCH && taken(w, insn)) {
            if (jump(w, insn))
                continue;
            w->tracer->cut = true;
            return learn_way(w);
        }
        if (runs && insn->kind == PROGRAM_COMPUTE)
            compute(w, insn, needs);
        else if (runs && insn->kind == PROGRAM_STORE && !store(w, insn, needs))
            return false;
        else if (runs && insn->kind >= PROGRAM_FENCE && insn->kind <= PROGRAM_BARRIER &&
                 !(insn->kind == PROGRAM_BARRIER ? meet : fence)(w, insn, needs))
            return false;
        w->at++;
    }
    return finish(w) && learn_way(w);
}

static bool walk_all(struct tracer *t)
{
    arena_free(&t->arena);
    t->cut = t->grew = false;
    memcpy(t->learnt, t->memory, sizeof t->learnt);
    for (unsigned i = 0; i < t->test->nthreads; i++) {
        struct walker w = {.tracer = t, .thread = i};
        t->threads[i] = (struct traces){0};
        t->most[i] = 0;
        for (unsigned k = 0; k < t->program->threads[i].nnames; k++)
            w.registers[k].part[0] = program_initial(t->test, i, t->program->threads[i].names[k]);
        if (!walk(&w))
            return false;
    }
    return true;
}

static void set_add(struct value_set *set, unsigned bit)
{
    if (bit < 64 * TRACE_WORDS)
        bitset_add(set->words, bit);
}

/* The values that an access reads or writes. */
static void note_values(const struct tracer *t, const struct event *e, struct value_set *set)
{
    const struct memory *m = &t->memory[e->memory];
    for (const struct piece *p = m->pieces; p < m->pieces + m->count; p++) {
        if (p->begin < e->begin || p->begin >= e->begin + e->bytes)
            continue;
        struct program_value value = trace_bytes(e->value, p->begin - e->begin, p->bytes);
        for (unsigned k = 0; k < p->nvalues; k++)
            if (program_same(p->values[k], value))
                set_add(set, p->first + k);
    }
}

static void note_trace(const struct tracer *t, struct trace *trace)
{
    for (unsigned i = 0; i < trace->count; i++) {
        const struct event *e = &trace->events[i];
        if (e->kind == EVENT_READ || e->kind == EVENT_WRITE)
            note_values(t, e, e->kind == EVENT_READ ? &trace->reads : &trace->writes);
    }
}

static void note_all(struct tracer *t)
{
    unsigned bits = 0;
    t->given = (struct value_set){0};
    for (struct memory *m = t->memory; m < t->memory + t->test->nplaces; m++)
        for (struct piece *p = m->pieces; p < m->pieces + m->count; p++) {
            p->first = bits;
            set_add(&t->given, bits);
            bits += p->nvalues;
        }
    for (unsigned i = 0; i < t->test->nthreads; i++)
        for (unsigned k = 0; k < t->threads[i].count; k++)
            note_trace(t, &t->threads[i].items[k]);
}

bool trace_all(struct tracer *t)
{
    make_pieces(t);
    for (unsigned round = 0, most = 0; round <= most + 1; round++) {
        if (!walk_all(t))
            return false;
        if (!t->grew)
            break;
        memcpy(t->memory, t->learnt, sizeof t->memory);
        most = 0;
        for (unsigned i = 0; i < t->test->nthreads; i++)
            most += t->most[i];
    }
    note_all(t);
    return true;
}

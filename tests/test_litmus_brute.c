/* The models against another writing of them: random tests of two threads, whose executions are enumerated here without
 * any pruning - each read from each write of its location, each partial order of writes, each order of fences - and
 * held against the axioms one relation at a time, as the papers have them (ASPLOS 2019, figures 4 and 7; ISCA 2022,
 * section 6.2). Relations are tables of truth values; nothing here is shared with src/litmus. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "litmus/litmus.h"

enum { EVENTS = 20, OPS = 3, TESTS = 500, MOST_ACCESSES = 7, RESULTS = 4096 };

/* ---- random programs ------------------------------------------------------------------------------------------- */

enum what { LOAD, STORE, ADD, FENCE, PROXY };
/* Names: x, y, s (x through surfaces), z (another address of x). */
static const char *const names[] = {"x", "y", "s", "z"};
static const char *const orders[] = {"weak", "relaxed", "acquire", "release", "acq_rel", "sc"};
static const char *const scopes[] = {"cta", "gpu", "sys"};

struct op {
    enum what what;
    unsigned name, order, scope, value;
    bool passes_on; /* stores what the first load of the thread gave */
};
struct random_test {
    struct op ops[2][OPS];
    unsigned count[2], apart; /* apart: 0 one block, 1 two, 2 two devices */
    bool proxies;
};

static unsigned draw(uint32_t *random, unsigned below)
{
    *random = *random * 1664525 + 1013904223;
    return (*random >> 10) % below;
}

static struct op draw_op(uint32_t *random, bool proxies)
{
    static const enum what kinds[] = {LOAD, LOAD, LOAD, STORE, STORE, STORE, ADD, FENCE, PROXY};
    struct op op = {.what = kinds[draw(random, proxies ? 9 : 8)], .name = draw(random, proxies ? 4 : 2)};
    op.scope = draw(random, 3);
    op.value = 1 + draw(random, 2);
    op.passes_on = draw(random, 4) == 0;
    if (op.what == LOAD)
        op.order = draw(random, 3);
    else if (op.what == STORE)
        op.order = (const unsigned[]){0, 1, 3}[draw(random, 3)];
    else if (op.what == ADD)
        op.order = 1 + draw(random, 4);
    else
        op.order = 4 + draw(random, 2);
    if (op.name == 2 && op.what < FENCE)
        op.order = 0; /* surface accesses are weak */
    if (op.name == 2 && op.what == ADD)
        op.what = STORE;
    return op;
}

static struct random_test draw_test(uint32_t *random)
{
    struct random_test t;
    unsigned accesses;
    do {
        t = (struct random_test){.apart = draw(random, 3), .proxies = draw(random, 2)};
        accesses = 0;
        for (unsigned p = 0; p < 2; p++) {
            t.count[p] = 2 + draw(random, 2);
            for (unsigned i = 0; i < t.count[p]; i++) {
                t.ops[p][i] = draw_op(random, t.proxies);
                accesses += t.ops[p][i].what < ADD ? 1 : t.ops[p][i].what == ADD ? 2 : 0;
            }
        }
    } while (accesses > MOST_ACCESSES || accesses < 3);
    return t;
}

static int first_load(const struct random_test *t, unsigned p, unsigned before)
{
    for (unsigned i = 0; i < before; i++)
        if (t->ops[p][i].what == LOAD)
            return (int)i;
    return -1;
}

static void write_op(const struct random_test *t, unsigned p, unsigned i, char *out, size_t room)
{
    const struct op *op = &t->ops[p][i];
    char how[40], value[20];
    int load = first_load(t, p, i);
    bool surface = op->name == 2;
    snprintf(how, sizeof how, op->order ? "%s.%s" : "%s", orders[op->order], scopes[op->scope]);
    snprintf(value, sizeof value, op->passes_on && load >= 0 ? "r%u" : "%u",
             op->passes_on && load >= 0 ? (unsigned)load : op->value);
    if (op->what == LOAD)
        snprintf(out, room, "%s.%s r%u, %s", surface ? "suld" : "ld", how, i, names[op->name]);
    else if (op->what == STORE)
        snprintf(out, room, "%s.%s %s, %s", surface ? "sust" : "st", how, names[op->name], value);
    else if (op->what == ADD)
        snprintf(out, room, "atom.%s.add r%u, %s, %u", how, i, names[op->name], op->value);
    else if (op->what == FENCE)
        snprintf(out, room, "fence.%s", how);
    else
        snprintf(out, room, "fence.proxy.%s", op->value == 1 ? "surface" : "alias");
}

static void write_test(const struct random_test *t, char *text, size_t room)
{
    size_t n = (size_t)snprintf(text, room,
                                "PTX random { x = 0; y = 0; z @ generic aliases x; s @ surface aliases x; }\n"
                                "P0@cta 0,gpu 0 | P1@cta %u,gpu %u ;\n",
                                t->apart ? 1 : 0, t->apart == 2 ? 1 : 0);
    for (unsigned i = 0; i < OPS; i++)
        for (unsigned p = 0; p < 2; p++) {
            char cell[80] = "";
            if (i < t->count[p])
                write_op(t, p, i, cell, sizeof cell);
            n += (size_t)snprintf(text + n, room - n, "%s %s", cell, p ? ";\n" : "| ");
        }
    snprintf(text + n, room - n, "locations [0:r0; 0:r1; 0:r2; 1:r0; 1:r1; 1:r2; x; y]\nexists (x = 0)\n");
}

/* ---- relations ------------------------------------------------------------------------------------------------- */

typedef bool table[EVENTS][EVENTS];

struct node {
    bool read, write, fence, proxy_fence, alias, strong, acquires, releases, sc;
    int thread;                                 /* -1: initial */
    unsigned memory, address, proxy, scope, op; /* proxy: 1 surfaces */
};

struct graph {
    const struct random_test *test;
    bool proxied; /* the model of 7.5 */
    struct node e[EVENTS];
    unsigned n, from[EVENTS]; /* of a read: the write */
    int half[EVENTS];         /* of the write of an addition: its read */
    table po, rf, co, sc, dep, strong;
    uint64_t values[EVENTS];
    uint64_t (*results)[8];
    unsigned *nresults;
};

static void chain(const struct graph *g, const table a, const table b, table out)
{
    table made = {{0}};
    for (unsigned i = 0; i < g->n; i++)
        for (unsigned k = 0; k < g->n; k++)
            for (unsigned v = 0; v < g->n; v++)
                made[i][k] |= a[i][v] && b[v][k];
    memcpy(out, made, sizeof made);
}

static void add(const struct graph *g, table to, const table from)
{
    for (unsigned i = 0; i < g->n; i++)
        for (unsigned k = 0; k < g->n; k++)
            to[i][k] |= from[i][k];
}

static void meet(const struct graph *g, table to, const table from)
{
    for (unsigned i = 0; i < g->n; i++)
        for (unsigned k = 0; k < g->n; k++)
            to[i][k] &= from[i][k];
}

static void close_table(const struct graph *g, table t)
{
    for (unsigned round = 0; round < g->n; round++) {
        table more;
        chain(g, t, t, more);
        add(g, t, more);
    }
}

static bool has_loop(const struct graph *g, const table t)
{
    for (unsigned i = 0; i < g->n; i++)
        if (t[i][i])
            return true;
    return false;
}

static bool has_cycle(const struct graph *g, const table t)
{
    table all;
    memcpy(all, t, sizeof all);
    close_table(g, all);
    return has_loop(g, all);
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

static bool one_block(const struct graph *g, unsigned i, unsigned k)
{
    return g->e[i].thread >= 0 && g->e[k].thread >= 0 && (g->e[i].thread == g->e[k].thread || g->test->apart == 0);
}

static bool reaches(const struct graph *g, unsigned i, unsigned k)
{
    return one_block(g, i, k) || g->e[i].scope == 2 || (g->e[i].scope == 1 && g->test->apart < 2);
}

static bool memory(const struct node *e)
{
    return e->read || e->write;
}

static bool same_address(const struct node *a, const struct node *b)
{
    return memory(a) && memory(b) && a->memory == b->memory && a->address == b->address;
}

static void find_strong(struct graph *g)
{
    for (unsigned i = 0; i < g->n; i++)
        for (unsigned k = 0; k < g->n; k++) {
            const struct node *a = &g->e[i], *b = &g->e[k];
            bool one = g->po[i][k] || g->po[k][i] || (a->strong && b->strong && reaches(g, i, k) && reaches(g, k, i));
            bool three = !(memory(a) && memory(b)) || same_address(a, b);
            g->strong[i][k] = i != k && a->thread >= 0 && b->thread >= 0 && one && a->proxy == b->proxy && three;
        }
}

static void find_observation(const struct graph *g, table obs)
{
    table halves = {{0}}, seen;
    memcpy(seen, g->rf, sizeof seen);
    meet(g, seen, g->strong);
    memcpy(obs, seen, sizeof seen);
    for (unsigned i = 0; i < g->n; i++)
        if (g->half[i] >= 0)
            halves[g->half[i]][i] = true;
    for (unsigned round = 0; round < g->n; round++) {
        table more;
        chain(g, obs, halves, more);
        chain(g, more, obs, more);
        add(g, obs, more);
    }
}

static void find_sync(const struct graph *g, const table obs, table sync)
{
    table releases = {{0}}, acquires = {{0}};
    for (unsigned i = 0; i < g->n; i++)
        for (unsigned k = 0; k < g->n; k++) {
            const struct node *a = &g->e[i], *b = &g->e[k];
            bool near = i == k || (g->po[i][k] && same_address(a, b) && a->proxy == b->proxy);
            if (b->write && b->strong && a->releases && ((a->write && near) || (a->fence && g->po[i][k])))
                releases[i][k] = true;
            if (a->read && a->strong && b->acquires && ((b->read && near) || (b->fence && g->po[i][k])))
                acquires[i][k] = true;
        }
    chain(g, releases, obs, sync);
    chain(g, sync, acquires, sync);
    meet(g, sync, g->strong);
}

static void find_base(const struct graph *g, const table obs, table base)
{
    table sync, po;
    find_sync(g, obs, sync);
    add(g, sync, g->sc);
    memcpy(po, g->po, sizeof po);
    for (unsigned i = 0; i < g->n; i++)
        po[i][i] = true;
    chain(g, po, sync, base);
    chain(g, base, po, base);
    if (g->proxied)
        add(g, base, g->po);
    close_table(g, base);
}

/* The nine ways of ISCA 2022, figure 9, each as a product of relations. */
static void find_preserved(const struct graph *g, const table base, table out)
{
    table own = {{0}}, generic = {{0}}, alias = {{0}}, ways = {{0}}, over = {{0}};
    for (unsigned i = 0; i < g->n; i++) {
        generic[i][i] = memory(&g->e[i]) && g->e[i].proxy == 0;
        alias[i][i] = g->e[i].proxy_fence && g->e[i].alias;
        for (unsigned k = 0; k < g->n; k++) /* an access, then a fence of its proxy in its block */
            own[i][k] = memory(&g->e[i]) && g->e[k].proxy_fence && !g->e[k].alias && g->e[k].proxy == g->e[i].proxy &&
                        one_block(g, i, k);
    }
    table leave, arrive = {{0}}, first, last, between;
    memcpy(leave, own, sizeof leave);
    meet(g, leave, base);
    for (unsigned i = 0; i < g->n; i++)
        for (unsigned k = 0; k < g->n; k++)
            arrive[i][k] = own[k][i] && base[i][k];
    chain(g, base, alias, between);
    chain(g, between, base, between); /* over an alias fence */
    memcpy(first, generic, sizeof first);
    add(g, first, leave);
    memcpy(last, generic, sizeof last);
    add(g, last, arrive);
    chain(g, first, base, ways);
    chain(g, ways, last, ways);
    chain(g, first, between, over);
    chain(g, over, last, over);
    for (unsigned i = 0; i < g->n; i++)
        for (unsigned k = 0; k < g->n; k++) {
            bool same = same_address(&g->e[i], &g->e[k]);
            bool bytes = memory(&g->e[i]) && memory(&g->e[k]) && g->e[i].memory == g->e[k].memory;
            bool block = g->e[i].proxy == g->e[k].proxy && one_block(g, i, k) && base[i][k];
            out[i][k] = g->e[i].thread >= 0 && g->e[k].thread >= 0 &&
                        ((same && (ways[i][k] || block)) || (bytes && over[i][k]));
        }
}

static void find_cause(const struct graph *g, table cause, bool *contradicts)
{
    table obs, base, then;
    find_observation(g, obs);
    find_base(g, obs, base);
    *contradicts = false;
    for (unsigned i = 0; i < g->n; i++)
        for (unsigned k = 0; k < g->n; k++)
            *contradicts |= g->sc[i][k] && base[k][i];
    if (g->proxied) {
        find_preserved(g, base, then);
        memcpy(cause, then, sizeof then);
    } else {
        memcpy(cause, base, sizeof base);
        memcpy(then, base, sizeof then);
        for (unsigned i = 0; i < g->n; i++)
            for (unsigned k = 0; k < g->n; k++)
                then[i][k] |= g->po[i][k] && same_address(&g->e[i], &g->e[k]);
    }
    chain(g, obs, then, then);
    add(g, cause, then);
}

static bool axioms(const struct graph *g)
{
    table cause, fr = {{0}}, located;
    bool bad;
    find_cause(g, cause, &bad);
    for (unsigned r = 0; r < g->n; r++)
        for (unsigned w = 0; w < g->n && g->e[r].read; w++)
            fr[r][w] = g->co[g->from[r]][w];
    for (unsigned i = 0; i < g->n; i++)
        for (unsigned k = 0; k < g->n; k++) {
            const struct node *a = &g->e[i], *b = &g->e[k];
            bool writes = a->write && b->write && a->memory == b->memory;
            bad |= writes && cause[i][k] && !g->co[i][k];
            bad |= writes && g->strong[i][k] && !g->co[i][k] && !g->co[k][i];
            bad |= (g->rf[i][k] || fr[i][k]) && cause[k][i];
            for (unsigned w = 0; w < g->n; w++)
                bad |= g->half[k] == (int)i && fr[i][w] && g->strong[i][w] && g->co[w][k] && g->strong[w][k];
        }
    memcpy(located, g->rf, sizeof located);
    add(g, located, g->co);
    add(g, located, fr);
    meet(g, located, g->strong);
    for (unsigned i = 0; i < g->n; i++)
        for (unsigned k = 0; k < g->n; k++)
            located[i][k] |= g->po[i][k] && same_address(&g->e[i], &g->e[k]) && g->e[i].proxy == g->e[k].proxy;
    return !bad && !has_cycle(g, located);
}

/* ---- executions -------------------------------------------------------------------------------------------------- */

static void add_result(struct graph *g, const uint64_t *values)
{
    for (unsigned i = 0; i < *g->nresults; i++)
        if (memcmp(g->results[i], values, 8 * sizeof *values) == 0)
            return;
    assert_true(*g->nresults < RESULTS);
    memcpy(g->results[(*g->nresults)++], values, 8 * sizeof *values);
}

static void finals(struct graph *g)
{
    uint64_t values[8] = {0};
    for (unsigned i = 0; i < g->n; i++)
        if (g->e[i].read)
            values[3 * g->e[i].thread + (int)g->e[i].op] = g->values[i];
    for (unsigned x = 0; x < g->n; x++)
        for (unsigned y = 0; y < g->n; y++) {
            bool last = g->e[x].write && g->e[x].memory == 0 && g->e[y].write && g->e[y].memory == 1;
            for (unsigned w = 0; w < g->n; w++)
                last = last && !g->co[x][w] && !g->co[y][w];
            values[6] = g->values[x];
            values[7] = g->values[y];
            if (last)
                add_result(g, values);
        }
}

static void choose_fences(struct graph *g, unsigned i, unsigned k)
{
    for (; i < g->n; i++, k = i + 1)
        for (; k < g->n; k++) {
            if (!g->e[i].sc || !g->e[k].sc || !g->strong[i][k])
                continue;
            for (unsigned way = 0; way < 2; way++) {
                g->sc[i][k] = way;
                g->sc[k][i] = !way;
                choose_fences(g, i, k + 1);
            }
            g->sc[i][k] = g->sc[k][i] = false;
            return;
        }
    if (!has_cycle(g, g->sc) && axioms(g))
        finals(g);
}

static bool is_order(const struct graph *g)
{
    table twice;
    chain(g, g->co, g->co, twice);
    for (unsigned i = 0; i < g->n; i++)
        for (unsigned k = 0; k < g->n; k++)
            if ((twice[i][k] && !g->co[i][k]) || (i == k && g->co[i][k]))
                return false;
    return true;
}

/* Each partial order: before, after or neither. */
static void choose_order(struct graph *g, unsigned i, unsigned k)
{
    for (; i < g->n; i++, k = i + 1)
        for (; k < g->n; k++) {
            if (!g->e[i].write || !g->e[k].write || g->e[i].memory != g->e[k].memory)
                continue;
            for (unsigned way = 0; way < (g->e[i].thread < 0 ? 1u : 3u); way++) {
                g->co[i][k] = way == 0;
                g->co[k][i] = way == 1;
                choose_order(g, i, k + 1);
            }
            g->co[i][k] = g->co[k][i] = false;
            return;
        }
    if (is_order(g))
        choose_fences(g, 0, 1);
}

static void find_values(struct graph *g)
{
    memset(g->values, 0, sizeof g->values);
    for (unsigned round = 0; round < g->n; round++)
        for (unsigned i = 0; i < g->n; i++) {
            const struct node *e = &g->e[i];
            if (e->read)
                g->values[i] = g->values[g->from[i]];
            if (!e->write || e->thread < 0)
                continue;
            const struct op *op = &g->test->ops[e->thread][e->op];
            g->values[i] = op->value;
            if (g->half[i] >= 0)
                g->values[i] = g->values[g->half[i]] + op->value;
            for (unsigned r = 0; r < g->n && g->half[i] < 0; r++)
                if (g->dep[r][i])
                    g->values[i] = g->values[r];
        }
}

static void choose_sources(struct graph *g, unsigned r)
{
    while (r < g->n && !g->e[r].read)
        r++;
    if (r == g->n) {
        table thin;
        memcpy(thin, g->rf, sizeof thin);
        add(g, thin, g->dep);
        if (has_cycle(g, thin))
            return;
        find_values(g);
        choose_order(g, 0, 1);
        return;
    }
    for (unsigned w = 0; w < g->n; w++) {
        if (!g->e[w].write || g->e[w].memory != g->e[r].memory)
            continue;
        g->from[r] = w;
        g->rf[w][r] = true;
        choose_sources(g, r + 1);
        g->rf[w][r] = false;
    }
}

static void add_access(struct graph *g, unsigned p, unsigned i)
{
    const struct op *op = &g->test->ops[p][i];
    int load = first_load(g->test, p, i);
    for (unsigned part = 0; part < 2; part++) {
        bool read = part == 0;
        if ((op->what == LOAD && !read) || (op->what == STORE && read))
            continue;
        g->half[g->n] = op->what == ADD && !read ? (int)g->n - 1 : -1;
        struct node *e = &g->e[g->n];
        *e = (struct node){.read = read, .write = !read, .strong = op->order > 0, .thread = (int)p, .op = i};
        e->acquires = read && (op->order == 2 || op->order == 4);
        e->releases = !read && (op->order == 3 || op->order == 4);
        e->memory = op->name == 1;
        e->address = op->name == 1 ? 1 : op->name == 3 ? 3 : 0;
        e->proxy = op->name == 2;
        e->scope = op->scope;
        if (g->half[g->n] >= 0)
            g->dep[g->half[g->n]][g->n] = true;
        for (unsigned r = 0; r < g->n && op->what == STORE && op->passes_on && load >= 0; r++)
            if (g->e[r].read && g->e[r].thread == (int)p && g->e[r].op == (unsigned)load)
                g->dep[r][g->n] = true;
        g->n++;
    }
}

static void add_fence(struct graph *g, unsigned p, unsigned i)
{
    const struct op *op = &g->test->ops[p][i];
    bool plain = op->what == FENCE;
    g->half[g->n] = -1;
    g->e[g->n++] = (struct node){.fence = plain,
                                 .strong = plain,
                                 .acquires = plain,
                                 .releases = plain,
                                 .sc = plain && op->order == 5,
                                 .proxy_fence = !plain,
                                 .alias = !plain && op->value != 1,
                                 .proxy = !plain && op->value == 1,
                                 .thread = (int)p,
                                 .scope = op->scope,
                                 .op = i};
}

static void enumerate(const struct random_test *test, bool proxied, uint64_t (*results)[8], unsigned *nresults)
{
    static struct graph g;
    memset(&g, 0, sizeof g);
    g.test = test;
    g.proxied = proxied;
    g.results = results;
    g.nresults = nresults;
    *nresults = 0;
    for (unsigned m = 0; m < 2; m++) {
        g.half[g.n] = -1;
        g.e[g.n++] = (struct node){.write = true, .thread = -1, .memory = m, .address = m};
    }
    for (unsigned p = 0; p < 2; p++)
        for (unsigned i = 0; i < test->count[p]; i++)
            (test->ops[p][i].what < FENCE ? add_access : add_fence)(&g, p, i);
    for (unsigned i = 0; i < g.n; i++)
        for (unsigned k = i + 1; k < g.n; k++)
            g.po[i][k] = g.e[i].thread >= 0 && g.e[i].thread == g.e[k].thread;
    find_strong(&g);
    choose_sources(&g, 0);
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

static void compare(const struct random_test *t, enum litmus_model model)
{
    static uint64_t results[RESULTS][8];
    static struct litmus_allowed allowed;
    struct litmus_limits limits = {.unroll = 2, .candidates = 10000000, .seconds = 60};
    struct litmus test;
    struct atoll_error error = {0};
    unsigned nresults;
    char text[2000];
    write_test(t, text, sizeof text);
    if (!litmus_parse(&test, text, strlen(text), &error) || !litmus_allow(&test, model, &limits, &allowed, &error))
        fail_msg("%s\n%u:%u: %s", text, error.line, error.column, error.message);
    enumerate(t, model == LITMUS_MODEL_75, results, &nresults);
    bool same = nresults == allowed.outcomes.count;
    for (unsigned i = 0; i < nresults; i++) {
        litmus_outcome(&allowed.outcomes, &test, results[i]);
        same = same && allowed.outcomes.count == nresults;
    }
    if (!same)
        fail_msg("%s\nby %s: %u outcomes here, %u in all", text, litmus_model_name(model), nresults,
                 allowed.outcomes.count);
    litmus_free(&test);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

/* The same program in which the first load of each thread has to give 1: in a loop around it (`waits`), or by a filter
 * behind a branch to the end. Either way what follows depends on it. */
static void write_waiting(const struct random_test *t, bool waits, char *text, size_t room)
{
    int loads[2] = {first_load(t, 0, t->count[0]), first_load(t, 1, t->count[1])};
    size_t n = (size_t)snprintf(text, room,
                                "PTX waiting { x = 0; y = 0; z @ generic aliases x; s @ surface aliases x; }\n"
                                "P0@cta 0,gpu 0 | P1@cta %u,gpu %u ;\n",
                                t->apart ? 1 : 0, t->apart == 2 ? 1 : 0);
    for (unsigned i = 0; i < OPS; i++)
        for (unsigned half = 0; half < 2; half++) /* an operation, and the branch behind it */
            for (unsigned p = 0; p < 2; p++) {
                char cell[80] = "";
                bool here = (int)i == loads[p];
                if (!half && i < t->count[p])
                    write_op(t, p, i, cell, sizeof cell);
                else if (half && here)
                    snprintf(cell, sizeof cell, "bne r%u, 1, %s", i, waits ? "AGAIN" : "END");
                n += (size_t)snprintf(text + n, room - n, "%s%s %s", !half && here && waits ? "AGAIN: " : "", cell,
                                      p ? ";\n" : "| ");
            }
    snprintf(text + n, room - n,
             "END: | END: ;\nlocations [0:r0; 0:r1; 0:r2; 1:r0; 1:r1; 1:r2; x; y]\n"
             "filter (P0:r%d = 1 /\\ P1:r%d = 1)\nexists (true)\n",
             loads[0], loads[1]);
}

static void judge_waiting(const struct random_test *t, bool waits, enum litmus_model model,
                          struct litmus_allowed *allowed)
{
    struct litmus_limits limits = {.unroll = 1, .candidates = 10000000, .seconds = 60};
    struct litmus test;
    struct atoll_error error = {0};
    char text[2000];
    write_waiting(t, waits, text, sizeof text);
    if (!litmus_parse(&test, text, strlen(text), &error) || !litmus_allow(&test, model, &limits, allowed, &error))
        fail_msg("%s\n%u:%u: %s", text, error.line, error.column, error.message);
    litmus_free(&test);
}

/* A load that is repeated until it gives a value allows what one that gives it at once does, also where each thread
 * waits for the other. */
static void waits_for_what_comes(void **state)
{
    static struct litmus_allowed looping, filtered;
    uint32_t random = 2;
    unsigned full = 0;
    (void)state;
    for (unsigned i = 0; i < 4 * TESTS; i++) {
        struct random_test t = draw_test(&random);
        if (first_load(&t, 0, t.count[0]) < 0 || first_load(&t, 1, t.count[1]) < 0)
            continue;
        judge_waiting(&t, true, LITMUS_MODEL_75, &looping);
        judge_waiting(&t, false, LITMUS_MODEL_75, &filtered);
        bool same = looping.outcomes.count == filtered.outcomes.count;
        for (unsigned k = 0; same && k < looping.outcomes.count; k++)
            same =
                memcmp(looping.outcomes.items[k].values, filtered.outcomes.items[k].values, sizeof(uint64_t[8])) == 0;
        if (!same) {
            char text[2000];
            write_waiting(&t, true, text, sizeof text);
            fail_msg("%s\n%u outcomes, %u of a filter", text, looping.outcomes.count, filtered.outcomes.count);
        }
        full += looping.outcomes.count > 0;
    }
    assert_true(full >= 50);
}

static void agrees_with_brute_force(void **state)
{
    uint32_t random = 1;
    (void)state;
    for (unsigned i = 0; i < TESTS; i++) {
        struct random_test t = draw_test(&random);
        bool proxies = false;
        for (unsigned p = 0; p < 2; p++)
            for (unsigned k = 0; k < t.count[p]; k++)
                proxies |= t.ops[p][k].what == PROXY || (t.ops[p][k].what < FENCE && t.ops[p][k].name > 1);
        compare(&t, LITMUS_MODEL_75);
        if (!proxies)
            compare(&t, LITMUS_MODEL_60);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_brute_force),
                                       cmocka_unit_test(waits_for_what_comes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

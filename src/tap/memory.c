/* The checks `memory` and `border` (docs/checks.md): faults of accesses, of which the engine tells; accesses that leave
 * the array that their address was made from; sizes that are no texel's; memory of the heap that nobody frees. */
#include "tap/check.h"
#include "tap/origin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_GOT = 64, MOST_GOT = 1 << 22 };

/* Where the accesses of an instruction have to stay. */
struct bounds {
    bool looked;
    struct tap_owner *owner; /* NULL: nowhere in particular */
};

struct slot {
    struct tap_block block;
};

/* What somebody got from the heap. */
struct got {
    const unsigned char *at; /* NULL: the entry is free */
    struct tap_side side;
    uint64_t bytes; /* 0: it is freed */
    uint64_t number;
};

struct origins {
    const struct lane_func *func;
    struct origin *regs;
};

struct memory {
    const char *name;
    const struct tap_launch *launch;
    struct slot *slots;
    struct bounds *bounds; /* by site */
    struct origins *origins;
    uint32_t norigins;
    struct got *got; /* a hash table by place */
    uint32_t ngot, room_got;
    uint64_t gets;
};

/* ---- findings --------------------------------------------------------------------------------------------------- */

static struct tap_side side_of(const struct memory *m, uint32_t slot, uint32_t warp, unsigned lane, uint32_t site)
{
    const struct tap_block *block = &m->slots[slot].block;
    return (struct tap_side){.site = site, .block = block->number, .thread = tap_thread(block->warp_lanes, warp, lane)};
}

static void tell(const struct memory *m, const struct tap_access *access, unsigned lane, struct tap_finding *finding)
{
    finding->check = m->name;
    finding->now = side_of(m, access->slot, access->warp, lane, access->site);
    finding->now.kind = access->kind;
    finding->before.site = TAP_NO_SITE;
    finding->lane = lane;
    m->launch->engine->found(m->launch->engine->self, finding);
}

static bool on_border(void *state, const struct tap_fault *fault)
{
    struct tap_finding finding = {.cause = fault->cause, .why = fault->why, .access = fault->access};
    tell(state, fault->access, fault->lane, &finding);
    return true;
}

/* ---- arrays --------------------------------------------------------------------------------------------------- */

static const struct origin *origins_of(struct memory *m, const struct lane_func *func)
{
    for (uint32_t i = 0; i < m->norigins; i++)
        if (m->origins[i].func == func)
            return m->origins[i].regs;
    struct origins *more = realloc(m->origins, (m->norigins + 1) * sizeof *more);
    if (!more)
        return NULL;
    m->origins = more;
    struct origin *regs = origin_find(func);
    if (regs)
        more[m->norigins++] = (struct origins){func, regs};
    return regs;
}

/* False: no memory. */
static bool look(struct memory *m, const struct tap_access *a, struct bounds *bounds)
{
    const struct tap_engine *engine = m->launch->engine;
    const struct origin *regs = origins_of(m, a->func);
    struct tap_owner owner;
    if (!regs)
        return false;
    struct origin origin = origin_of(a->func, regs, a->func->operands[a->inst->first + a->inst->ndst]);
    bool known = origin.kind == ORIGIN_SYMBOL      ? engine->symbol(engine->self, origin.which, &owner)
                 : origin.kind == ORIGIN_PARAMETER ? engine->pointee(engine->self, origin.which, &owner)
                                                   : false;
    bounds->looked = true;
    bounds->owner = known ? malloc(sizeof owner) : NULL;
    if (bounds->owner)
        *bounds->owner = owner;
    return !known || bounds->owner;
}

/* NULL: no memory. */
static struct bounds *bounds_of(struct memory *m, const struct tap_access *a)
{
    struct bounds *bounds = &m->bounds[a->site];
    return bounds->looked || look(m, a, bounds) ? bounds : NULL;
}

static void leaves(const struct memory *m, const struct tap_access *a, unsigned lane, const struct tap_owner *owner)
{
    uint64_t at = a->address[lane], end = owner->start + owner->bytes;
    char why[400];
    if (at < owner->start)
        snprintf(why, sizeof why, "its address was made from %s, which begins %llu bytes behind", owner->name,
                 (unsigned long long)(owner->start - at));
    else
        snprintf(why, sizeof why, "its address was made from %s, which ends %llu bytes %s", owner->name,
                 (unsigned long long)(at < end ? end - at : at - end), at < end ? "behind its start" : "before");
    struct tap_finding finding = {.cause = "neighbour", .why = why, .access = a};
    tell(m, a, lane, &finding);
}

static bool stays(struct memory *m, const struct tap_access *a)
{
    const struct bounds *bounds = bounds_of(m, a);
    if (!bounds)
        return false;
    const struct tap_owner *owner = bounds->owner;
    if (!owner || owner->shared != a->shared || owner->bytes < a->bytes)
        return true;
    for (uint32_t left = a->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (a->address[lane] - owner->start > owner->bytes - a->bytes)
            leaves(m, a, lane, owner);
    }
    return true;
}

/* ---- faults --------------------------------------------------------------------------------------------------- */

enum { WHY_BYTES = 100 + TAP_BESIDE };

/* The words have the place already: "4 bytes at global address 0x10000400 are not allocated", and what is nearest to
 * it. Where an address was made from one array, that is said in place of the nearest. */
static bool words(struct memory *m, const struct tap_fault *fault, char why[WHY_BYTES])
{
    static const char until[] = "are not allocated";
    const struct tap_engine *engine = m->launch->engine;
    const struct tap_access *a = fault->access;
    const char *end = strstr(fault->why, until);
    char beside[TAP_BESIDE];
    snprintf(why, WHY_BYTES, "%s", fault->why);
    if (!end)
        return true;
    struct bounds *bounds = bounds_of(m, a);
    if (!bounds)
        return false;
    if (bounds->owner && !bounds->owner->shared &&
        engine->beside(engine->self, bounds->owner->start, a->address[fault->lane], beside))
        snprintf(why, WHY_BYTES, "%.*s%s", (int)(end - fault->why) + (int)strlen(until), fault->why, beside);
    return true;
}

static bool on_fault(void *state, const struct tap_fault *fault)
{
    char why[WHY_BYTES];
    struct tap_finding finding = {.cause = fault->cause, .why = why};
    if (!words(state, fault, why))
        return false;
    finding.does = fault->access->kind == TAP_LOAD    ? "reads"
                   : fault->access->kind == TAP_STORE ? "writes"
                                                      : "updates memory";
    tell(state, fault->access, fault->lane, &finding);
    return true;
}

/* ---- texels --------------------------------------------------------------------------------------------------- */

static void size_differs(const struct memory *m, const struct tap_access *a)
{
    char why[120];
    snprintf(why, sizeof why, "the access has %u bytes, which is no number of texels: one has %u", a->bytes, a->texel);
    struct tap_finding finding = {.cause = "texel-size", .why = why, .access = a};
    tell(m, a, (unsigned)__builtin_ctz(a->lanes), &finding);
}

static bool on_access(void *state, const struct tap_access *access)
{
    struct memory *m = state;
    if (!access->texel)
        return stays(m, access);
    if (access->bytes % access->texel && !m->launch->by_bytes)
        size_differs(m, access);
    return true;
}

/* ---- the heap --------------------------------------------------------------------------------------------------- */

static struct got *got_place(const struct memory *m, const unsigned char *at)
{
    size_t i = (size_t)(((uintptr_t)at * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (m->room_got - 1);
    while (m->got[i].at && m->got[i].at != at)
        i = (i + 1) & (m->room_got - 1);
    return &m->got[i];
}

static bool got_grow(struct memory *m)
{
    const struct memory old = *m;
    uint32_t room = old.room_got ? 2 * old.room_got : FIRST_GOT;
    struct got *got = calloc(room, sizeof *got);
    if (!got)
        return false;
    m->got = got;
    m->room_got = room;
    m->ngot = 0;
    for (uint32_t i = 0; i < old.room_got; i++)
        if (old.got[i].at && old.got[i].bytes) {
            *got_place(m, old.got[i].at) = old.got[i];
            m->ngot++;
        }
    free(old.got);
    return true;
}

static bool on_malloc(void *state, const struct tap_malloc *malloc)
{
    struct memory *m = state;
    if (2 * m->ngot >= m->room_got && m->room_got < MOST_GOT && !got_grow(m))
        return false;
    if (2 * m->ngot >= m->room_got)
        return true; /* leaks of more than that many at a time are not looked for */
    struct got *got = got_place(m, malloc->at);
    m->ngot += !got->at;
    *got = (struct got){malloc->at, side_of(m, malloc->slot, malloc->warp, malloc->lane, malloc->site), malloc->bytes,
                        m->gets++};
    return true;
}

static bool on_freed(void *state, const struct tap_freed *freed)
{
    struct memory *m = state;
    if (m->room_got)
        got_place(m, freed->at)->bytes = 0;
    return true;
}

static int by_number(const void *a, const void *b)
{
    uint64_t first = ((const struct got *)a)->number, second = ((const struct got *)b)->number;
    return (first > second) - (first < second);
}

static bool on_end(void *state)
{
    struct memory *m = state;
    if (m->room_got)
        qsort(m->got, m->room_got, sizeof *m->got, by_number);
    for (uint32_t i = 0; i < m->room_got; i++) {
        const struct got *got = &m->got[i];
        char why[120];
        if (!got->at || !got->bytes)
            continue;
        snprintf(why, sizeof why, "nobody has freed its %llu bytes when the launch ends",
                 (unsigned long long)got->bytes);
        const struct tap_finding finding = {.check = m->name,
                                            .cause = "leak",
                                            .why = why,
                                            .does = "gets memory from the heap",
                                            .now = got->side,
                                            .before = {.site = TAP_NO_SITE}};
        m->launch->engine->found(m->launch->engine->self, &finding);
    }
    return true;
}

/* ---- the checks ------------------------------------------------------------------------------------------------ */

static bool on_block(void *state, const struct tap_block *block)
{
    struct memory *m = state;
    m->slots[block->slot].block = *block;
    return true;
}

static void close_check(void *state)
{
    struct memory *m = state;
    for (uint32_t i = 0; m->bounds && i < m->launch->sites; i++)
        free(m->bounds[i].owner);
    for (uint32_t i = 0; i < m->norigins; i++)
        free(m->origins[i].regs);
    free(m->origins);
    free(m->bounds);
    free(m->slots);
    free(m->got);
    free(m);
}

static bool open_named(const char *name, const struct tap_launch *launch, void **state)
{
    struct memory *m = calloc(1, sizeof *m);
    *state = m;
    if (!m)
        return false;
    m->name = name;
    m->launch = launch;
    m->slots = calloc(launch->slots, sizeof *m->slots);
    m->bounds = calloc(launch->sites, sizeof *m->bounds);
    if (m->slots && m->bounds)
        return true;
    close_check(m);
    return false;
}

static bool open_memory(const struct tap_launch *launch, void **state)
{
    return open_named("memory", launch, state);
}

static bool open_border(const struct tap_launch *launch, void **state)
{
    return open_named("border", launch, state);
}

const struct check check_memory = {
    .name = "memory",
    .bit = ATOLL_CHECK_MEMORY,
    .open = open_memory,
    .close = close_check,
    .block = on_block,
    .access = on_access,
    .fault = on_fault,
    .freed = on_freed,
    .made = on_malloc,
    .end = on_end,
};

const struct check check_border = {
    .name = "border",
    .bit = ATOLL_CHECK_BORDER,
    .open = open_border,
    .close = close_check,
    .block = on_block,
    .border = on_border,
};

/* Relations between the events of an execution: a row of bits for each event. */
#ifndef ATOLL_LITMUS_RELATION_H
#define ATOLL_LITMUS_RELATION_H

#include <stdbool.h>
#include <stdint.h>

enum { RELATION_EVENTS = 64 };

struct relation {
    uint64_t to[RELATION_EVENTS];
};

static inline void relation_add(struct relation *r, unsigned a, unsigned b)
{
    r->to[a] |= UINT64_C(1) << b;
}

static inline bool relation_has(const struct relation *r, unsigned a, unsigned b)
{
    return r->to[a] >> b & 1;
}

static inline void relation_join(struct relation *r, const struct relation *with, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        r->to[i] |= with->to[i];
}

static inline void relation_meet(struct relation *r, const struct relation *with, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        r->to[i] &= with->to[i];
}

/* a;b: from x to z where a leads from x to some y and b from there to z. `out` is neither of them. */
static inline void relation_chain(struct relation *out, const struct relation *a, const struct relation *b,
                                  unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        out->to[i] = 0;
        for (uint64_t rest = a->to[i]; rest; rest &= rest - 1)
            out->to[i] |= b->to[__builtin_ctzll(rest)];
    }
}

static inline void relation_close(struct relation *r, unsigned count)
{
    for (unsigned via = 0; via < count; via++)
        for (unsigned i = 0; i < count; i++)
            if (r->to[i] >> via & 1)
                r->to[i] |= r->to[via];
}

static inline bool relation_irreflexive(const struct relation *r, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (r->to[i] >> i & 1)
            return false;
    return true;
}

static inline bool relation_acyclic(struct relation r, unsigned count)
{
    relation_close(&r, count);
    return relation_irreflexive(&r, count);
}

/* Whether b(y, x) holds for some a(x, y). */
static inline bool relation_meets_reverse(const struct relation *a, const struct relation *b, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        for (uint64_t rest = a->to[i]; rest; rest &= rest - 1)
            if (b->to[__builtin_ctzll(rest)] >> i & 1)
                return true;
    return false;
}

#endif

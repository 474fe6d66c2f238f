/* One candidate execution of a litmus test - events and which write each read has its bytes from - and the axioms that
 * it is held against. */
#ifndef ATOLL_LITMUS_MODEL_H
#define ATOLL_LITMUS_MODEL_H

#include "litmus/relation.h"
#include "litmus/trace.h"

/* Where bytes of a read come from. */
struct source {
    unsigned read, write, begin, bytes; /* events; bytes of the location */
};
enum { EXECUTION_SOURCES = 128 };

struct execution {
    const struct litmus *test;
    const struct program *program;
    enum litmus_model model;
    struct event events[RELATION_EVENTS];
    unsigned count;
    struct source sources[EXECUTION_SOURCES];
    unsigned nsources;
    /* Known before the sources: */
    struct relation po, overlap, same, strong; /* `same`: of accesses that overlap completely, by one address and proxy;
                                                  `strong`: morally strong */
    struct relation releases, acquires;        /* patterns: first to last operation */
    struct relation pairs;                     /* read to write of an atomic operation */
    /* By who meets at barriers: */
    uint64_t late; /* events that come to a barrier with a quorum once that is there: behind those, before nobody */
    struct relation barriers;
    struct relation flow; /* from where values come: dependencies, and reads by the sources so far; transitive */
    /* By the sources: */
    struct relation rf, observation, synchronizes;
    /* By the order of fences: */
    struct relation fences, cause;
    /* By the order of writes: */
    struct relation co;
};

/* Fills what is known before the sources. */
void model_start(struct execution *x);
/* barrier.c: whether a thread at a barrier with a quorum may be one that it wants (`late`: one that comes later), as
 * was said of the events before it. Just as many as it wants meet there. */
bool barrier_may(const struct execution *x, unsigned event, bool late);
/* Fills `barriers` by `late`. */
void barrier_meet(struct execution *x);
/* Whether no thread waits at a barrier for ever. */
bool barrier_all_pass(const struct execution *x);
/* The same for the sources. */
void model_sources(struct execution *x);
/* Whether a read may be from a write by the sources before it: no value comes out of thin air, no two atomic operations
 * read one write that the axioms would order before both. */
bool model_may_read(const struct execution *x, unsigned read, unsigned write);
/* Takes into `flow` that it does. */
void model_reads(struct execution *x, unsigned read, unsigned write);
/* The same for `fences`, an order of fence.sc; fills co with what causality says of it. False: cannot be. */
bool model_fences(struct execution *x);
/* Whether the axioms hold for a complete co. */
bool model_holds(const struct execution *x);
/* Whether accesses of different sizes race: then the axioms do not apply. */
bool model_mixed_race(const struct execution *x);

#endif

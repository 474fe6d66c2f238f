/* Ways through the threads of a litmus test: each read gets one of the values that its bytes may have, and what follows
 * is computed. Which write a read has its value from is said later (outcomes.c). */
#ifndef ATOLL_LITMUS_TRACE_H
#define ATOLL_LITMUS_TRACE_H

#include "base/arena.h"
#include "litmus/program.h"

enum { TRACE_EVENTS = 32, TRACE_PIECES = 16, TRACE_VALUES = 64, TRACE_MOST = 1 << 14 };

enum event_kind { EVENT_READ, EVENT_WRITE, EVENT_FENCE, EVENT_PROXY_FENCE, EVENT_BARRIER };

struct event {
    enum event_kind kind;
    int thread; /* -1: the initial value of memory */
    bool strong, acquires, releases, is_sc;
    enum program_scope scope;
    enum litmus_proxy proxy;
    bool alias;
    /* Bytes [begin, begin + bytes) of a location: the one whose memory it is, and the one whose address. */
    unsigned memory, address, begin, bytes;
    struct program_value value;
    uint32_t needs; /* events of the trace on whose values this one depends */
    int pair;       /* of the write of an atomic operation: the event of its read; else -1 */
    /* Barriers: which one, and the how many'th of the thread */
    unsigned barrier, phase, instance, quorum;
    bool arrives_only, warp, named, has_quorum;
    const struct program_insn *insn;
};

/* Values of pieces, a bit each; of those for which there is no room nothing is known. */
enum { TRACE_WORDS = 8 };
struct value_set {
    uint64_t words[TRACE_WORDS];
};

struct trace {
    struct event *events;
    unsigned count;
    uint64_t observed[LITMUS_OBSERVED]; /* registers of the thread at the end */
    struct value_set reads, writes;
};

struct traces {
    struct trace *items;
    unsigned count;
};

/* Pieces of the bytes of a location that are always accessed together, and the values that they may have. */
struct piece {
    unsigned begin, bytes;
    struct program_value values[TRACE_VALUES];
    unsigned nvalues;
    unsigned first; /* the bit of the first value */
};
struct memory {
    struct piece pieces[TRACE_PIECES];
    unsigned count;
};

struct tracer {
    const struct litmus *test;
    const struct program *program;
    unsigned unroll;
    struct memory memory[LITMUS_PLACES], learnt[LITMUS_PLACES]; /* of this round; of the next one */
    unsigned most[LITMUS_THREADS];                              /* writes of a way of a thread */
    bool grew;                                                  /* this round has found a value */
    struct traces threads[LITMUS_THREADS];
    struct arena arena;     /* of `threads`, to be freed */
    struct value_set given; /* the initial values */
    bool cut;
    double end; /* a time of the clock at which it gives up */
    struct atoll_error *error;
};

/* Fills `threads`. */
bool trace_all(struct tracer *tracer);
/* Bytes [from, from + bytes) of a number, in the low ones. */
struct program_value trace_bytes(struct program_value value, unsigned from, unsigned bytes);
/* Seconds of a clock that only goes forward. */
double trace_clock(void);

#endif

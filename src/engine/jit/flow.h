/* How lanes part and meet in a kernel, as far as can be known before it runs.
 *
 * A segment is a block of the lane program, or the part of one after an operation that compiled code leaves to the
 * interpreter (barriers, calls ...). Lanes wait at the starts of segments only. The lanes at the lowest segment run, as
 * warp/flow.c has it, so a segment runs when nobody waits below it:
 *
 *   0: ... @p bra 3        waits(1) = {3}: while lanes run in 1 and 2, others may wait at 3,
 *   1: ...                 and what 3 reads must be kept for them
 *   2: ... @q bra 1        waits(2) = {3}
 *   3: ...                 waits(3) = {}
 *
 * Lanes of kernels with tokens wait as the warp's stack has it: tokens.c.
 */
#ifndef ATOLL_ENGINE_JIT_FLOW_H
#define ATOLL_ENGINE_JIT_FLOW_H

#include "engine/plan/program.h"

enum {
    FLOW_SEGMENTS = 2048, /* more, or more instructions, are not compiled */
    FLOW_INSTRUCTIONS = 20000,
    FLOW_WAITS = 16384,   /* sum of lanes' places to wait over all segments */
    FLOW_FRAME = 1 << 20, /* bytes of registers */
    FLOW_TARGETS = 64,    /* of a jump table that is compiled */
};

struct segment {
    uint32_t first, count; /* decoded instructions */
    uint32_t point;        /* where lanes wait that come to it */
    bool entry;            /* compiled code can be entered here */
    bool leaves;           /* its last instruction is the interpreter's; `first` + count is the one that follows it */
    bool parts;            /* lanes may go different ways at its end */
    bool spins;            /* it ends in a branch back, on a way on which others' stores are seen */
    uint32_t nto;
    uint32_t *to; /* segments that its end leads to */
};

struct flow {
    const struct func *func;
    struct segment *segments;
    uint32_t nsegments, nslots;
    uint32_t words, slot_words; /* 64-bit words of a set of segments, of slots */
    uint32_t *segment_at;       /* of each point: its segment, UINT32_MAX: none starts there */
    uint32_t *slot_of;          /* of offset / 4: number of the slot, UINT32_MAX: none */
    uint32_t *slots;            /* offset of each slot */
    uint8_t *slot_bits;         /* of each slot */
    uint64_t *waits;            /* of each segment: segments at which lanes may wait meanwhile */
    uint64_t *live;             /* of each segment: slots that are read from its start on */
    uint64_t *kept;             /* of each segment: slots that lanes that wait meanwhile need */
    uint64_t *varying;          /* of each segment: slots in which lanes may differ at its start */
    uint8_t *fixed;             /* of offset / 4: FLOW_FIXED, FLOW_UNIFORM */
    /* Of kernels with tokens (tokens.c), whose lanes wait on the warp's stack; NULL otherwise. Of each segment: those
     * that may run next when no lanes of it are left; where a pop at its end leads to, UINT32_MAX: no token is held. */
    uint64_t *resumed;
    uint32_t *pops_to;
};
enum { FLOW_FIXED = 1, FLOW_UNIFORM = 2 }; /* an invariant's result; the same in all lanes */

/* False: no memory, or *why says why the kernel is not compiled. */
bool flow_make(struct arena *arena, const struct func *func, struct flow *flow, const char **why);

/* Finds segments at whose ends lanes may part, with what is known of who waits (uniform.c). *changed: there are new
 * ones. False: no memory. */
bool uniform_find(struct arena *arena, struct flow *flow, bool *changed);

/* Slots that are live before decoded instruction `index` of a segment: a set, in `set`. */
void flow_live_at(const struct flow *flow, uint32_t segment, uint32_t index, uint64_t *set);

static inline bool flow_in(const uint64_t *set, uint32_t i)
{
    return set[i / 64] >> (i % 64) & 1;
}

static inline const uint64_t *flow_waits(const struct flow *flow, uint32_t segment)
{
    return flow->waits + (size_t)segment * flow->words;
}

static inline const uint64_t *flow_resumed(const struct flow *flow, uint32_t segment)
{
    return flow->resumed + (size_t)segment * flow->words;
}

static inline bool flow_fixed(const struct flow *flow, uint32_t offset)
{
    return flow->fixed[offset / 4] & FLOW_FIXED;
}

static inline bool flow_uniform(const struct flow *flow, uint32_t offset)
{
    return flow->fixed[offset / 4] & FLOW_UNIFORM;
}

/* Has an offset of the frame a variable? Constants and results of invariants lie there for good. */
static inline bool flow_varies(const struct flow *flow, uint32_t offset)
{
    return offset < flow->func->constants_at && !flow_fixed(flow, offset);
}

/* Adds a set to another. Has it grown? */
static inline bool flow_merge(uint64_t *to, const uint64_t *from, uint32_t words)
{
    uint64_t changed = 0;
    for (uint32_t w = 0; w < words; w++) {
        changed |= from[w] & ~to[w];
        to[w] |= from[w];
    }
    return changed != 0;
}

/* Do lanes that wait while `segment` runs need what is in the slot? */
static inline bool flow_waits_for(const struct flow *flow, uint32_t segment, uint32_t offset)
{
    return flow_in(flow->kept + (size_t)segment * flow->slot_words, flow->slot_of[offset / 4]);
}

#endif

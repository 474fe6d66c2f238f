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

#include "base/bitset.h"
#include "engine/plan/program.h"

enum {
    FLOW_SEGMENTS = 2048, /* more, or more instructions, are not compiled */
    FLOW_INSTRUCTIONS = 20000,
    FLOW_WAITS = 16384,   /* of kernels with tokens: sum of lanes' places to wait over all segments */
    FLOW_FRAME = 1 << 20, /* bytes of registers */
    FLOW_TARGETS = 1024,  /* of a jump table that is compiled; */
    FLOW_TABLES = 16384,  /* of all of them together */
    FLOW_MANY = 12,       /* a kernel that has a segment with more ways, and those */
    FLOW_FEW = 4,         /* of its segments that have more: dispatch.c */
};

/* What each bit of a lane's number adds to what lane 0 has; in registers of fewer bits, sign-extended. */
struct lanes_by {
    uint64_t by[LANE_BITS];
};
/* Numbers of forms: all lanes have one value; no lanes have come there; lanes differ in ways that are not known. */
enum { FORM_SAME = 0, FORM_UNSEEN = 254, FORM_NONE = 255 };
enum {
    FORM_SLOTS = 1 << 22,   /* segments times slots: of more forms are not looked for */
    FORM_BELOW = 1 << 24,   /* numbers that are known to be small are below this */
    FORM_BELOW16 = 1 << 14, /* in registers of 16 bits */
    FLOW_TIDS = 1024,       /* thread indices are below */
};

struct segment {
    uint32_t first, count; /* decoded instructions */
    uint32_t point;        /* where lanes wait that come to it */
    bool entry;            /* compiled code can be entered here */
    bool loops;            /* it may run again and again, as part of a loop */
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
    bool many;                  /* some segment has many ways: where it leads, where lanes may wait (dispatch.c) */
    uint32_t words, slot_words; /* 64-bit words of a set of segments, of slots */
    uint32_t *segment_at;       /* of each point: its segment, UINT32_MAX: none starts there */
    uint32_t *slot_of;          /* of offset / 4: number of the slot, UINT32_MAX: none */
    uint32_t *slots;            /* offset of each slot */
    uint8_t *slot_bits;         /* of each slot */
    uint64_t *waits;            /* of each segment: segments at which lanes may wait meanwhile */
    uint64_t *live;             /* of each segment: slots that are read from its start on */
    uint64_t *kept;             /* of each segment: slots that lanes that wait meanwhile need */
    uint8_t *fixed;             /* of offset / 4: FLOW_FIXED, FLOW_UNIFORM, FLOW_LAUNCH */
    /* How lanes differ (uniform.c): numbers of forms, of each slot at the start of each segment; of each fixed
     * register, by offset / 4; there, too: all lanes have less than this, 0: it is not known. */
    const struct tids *tids;
    struct lanes_by *forms;
    unsigned nforms;
    bool formless;
    uint64_t *whole; /* slots that instructions of the whole warp touch: a set */
    uint8_t *at_start, *fixed_form;
    uint32_t *fixed_below;
    /* Of kernels with tokens (tokens.c), whose lanes wait on the warp's stack; NULL otherwise. Of each segment: those
     * that may run next when no lanes of it are left; where a pop at its end leads to, UINT32_MAX: no token is held. */
    uint64_t *resumed;
    uint32_t *pops_to;
};
enum {
    FLOW_FIXED = 1,
    FLOW_UNIFORM = 2,
    FLOW_LAUNCH = 4
}; /* an invariant's result; the same in all lanes; in all warps */

/* tids: what is known of thread indices. False: no memory, or *why says why the kernel is not compiled. */
bool flow_make(struct arena *arena, const struct func *func, const struct tids *tids, struct flow *flow,
               const char **why);

/* Finds forms, and segments at whose ends lanes may part, with what is known of who waits (uniform.c). *changed: there
 * are new ones. False: no memory. */
bool uniform_find(struct arena *arena, struct flow *flow, bool *changed);
/* The form of what is at an offset of the frame, where slots have those in `state`. */
uint8_t uniform_form(const struct flow *flow, const uint8_t *state, uint32_t offset);
/* Of destination k of an instruction, for the lanes that run then; all of them pass on to `state`. */
uint8_t uniform_result(struct flow *flow, uint32_t segment, const struct decoded *at, unsigned k, const uint8_t *state);
void uniform_pass(struct flow *flow, uint32_t segment, const struct decoded *at, uint8_t *state);
/* The least and the greatest that a form of a register of up to 32 bits adds in a lane. */
void uniform_range(const struct flow *flow, uint8_t form, int64_t *least, int64_t *most);
/* Does an instruction extend what may have a form? */
bool uniform_may_widen(const struct decoded *at);
/* Does a result have its form only if extending source *k wraps around in no lane? */
bool uniform_widens(const struct flow *flow, const struct decoded *at, const uint8_t *state, unsigned *k);

/* Slots that are live before decoded instruction `index` of a segment: a set, in `set`. */
void flow_live_at(const struct flow *flow, uint32_t segment, uint32_t index, uint64_t *set);

static inline const uint64_t *flow_waits(const struct flow *flow, uint32_t segment)
{
    return flow->waits + (size_t)segment * flow->words;
}

/* How many segments may run when one is over. */
uint32_t flow_ways(const struct flow *flow, uint32_t segment);

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

/* ... in all warps of a launch? */
static inline bool flow_of_launch(const struct flow *flow, uint32_t offset)
{
    return flow->fixed[offset / 4] & FLOW_LAUNCH;
}

/* What a lane has more than lane 0, by a form. */
static inline uint64_t flow_added(const struct flow *flow, uint8_t form, unsigned lane)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < LANE_BITS; i++)
        sum += lane >> i & 1 ? flow->forms[form].by[i] : 0;
    return sum;
}

/* All lanes have less than this there; 0: it is not known. */
static inline uint32_t flow_below(const struct flow *flow, uint32_t offset)
{
    return offset < flow->func->constants_at && flow_fixed(flow, offset) ? flow->fixed_below[offset / 4] : 0;
}

/* Has an offset of the frame a variable? Constants and results of invariants lie there for good. */
static inline bool flow_varies(const struct flow *flow, uint32_t offset)
{
    return offset < flow->func->constants_at && !flow_fixed(flow, offset);
}

/* The forms of all slots at the start of a segment. */
static inline uint8_t *flow_forms(const struct flow *flow, uint32_t segment)
{
    return flow->at_start + (size_t)segment * flow->nslots;
}

/* Do lanes that wait while `segment` runs need what is in the slot? */
static inline bool flow_waits_for(const struct flow *flow, uint32_t segment, uint32_t offset)
{
    return bitset_has(flow->kept + (size_t)segment * flow->slot_words, flow->slot_of[offset / 4]);
}

#endif

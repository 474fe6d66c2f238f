/* The state of registers and predicates along the code, between hazards.c (one instruction) and hazards_flow.c (the
 * flow graph). */
#ifndef ATOLL_ISA_SASS_HAZARDS_H
#define ATOLL_ISA_SASS_HAZARDS_H

#include "isa/sass/code.h"

enum {
    HAZARD_REGISTERS = 255,
    HAZARD_PREDICATES = 7,
    HAZARD_PLACES = HAZARD_REGISTERS + 8, /* registers, then P0..P6 and CC */
};

/* Lanes: those in which these predicates are true, and these are false. Both empty: all. */
struct hazard_lanes {
    uint8_t on, off;
};

static inline bool hazard_meet(struct hazard_lanes a, struct hazard_lanes b)
{
    return !(a.on & b.off) && !(a.off & b.on);
}

static inline struct hazard_lanes hazard_both(struct hazard_lanes a, struct hazard_lanes b)
{
    return (struct hazard_lanes){a.on | b.on, a.off | b.off};
}

/* Why a place is not ready. */
enum hazard_kind {
    HAZARD_RESULT, /* it will be written; a scoreboard tells when */
    HAZARD_SOURCE, /* it may still have to be read; a scoreboard tells when it was */
    HAZARD_FIXED,  /* it will be written `ready` cycles from the start of the block */
};

struct hazard {
    uint16_t place;
    uint8_t kind;   /* enum hazard_kind */
    uint8_t boards; /* whichever of them is waited for */
    uint8_t unit;   /* a bit: what goes there is done in order; 0 = none */
    bool open;      /* no scoreboard of its own: a later one of its unit will do */
    struct hazard_lanes lanes;
    uint8_t age[SASS_SCOREBOARDS]; /* of each of its boards: how many later instructions were given it */
    unsigned ready;                /* HAZARD_FIXED */
    uint32_t writer;               /* HAZARD_FIXED */
};

struct hazard_state {
    struct hazard *items;
    unsigned count, room;
    struct hazard_lanes lanes;                   /* that can be here */
    struct hazard_lanes with[HAZARD_PREDICATES]; /* what is so wherever P0..P6 is true */
    unsigned now;                                /* cycles since the block began */
    bool reached;
};

/* A push of SSY and its like: where the matching pop goes. Each push instruction has one; index 0 is none. */
struct hazard_token {
    size_t target;
    uint32_t below; /* token */
    uint8_t kind;
};

struct hazard_block {
    size_t first, end; /* instructions */
    size_t next[2];    /* blocks: straight on, and where it jumps to; SIZE_MAX = none */
    struct hazard_state in;
    uint32_t stack; /* token; HAZARD_UNKNOWN */
    uint16_t visits;
    bool reached, queued, entry;
};

struct hazard_checker {
    const struct sass_code *code;
    const char *name;
    const struct sass_lines *lines;
    uint32_t section;
    struct text *report;
    struct arena arena;
    struct sass_effects *effects;
    struct hazard_block *blocks;
    size_t nblocks, *block_of; /* of instructions */
    struct hazard_token *tokens;
    struct hazard_state state; /* in the middle of a block */
    unsigned found;
    bool reporting, failed;
};

/* Adds `item`, or what it tells beyond one that is there; whether there was anything. */
bool hazard_add(struct hazard_checker *c, struct hazard_state *s, const struct hazard *item);
/* Runs an instruction on c->state. */
void hazard_step(struct hazard_checker *c, size_t index);
/* These lanes, with what else is known of their predicates. */
struct hazard_lanes hazard_known(const struct hazard_state *s, struct hazard_lanes lanes);
/* The lanes of those in the state in which an instruction runs. */
struct hazard_lanes hazard_guard(const struct hazard_checker *c, size_t index);

#endif

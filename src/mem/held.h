/* Reductions of surfaces that a host thread holds back. Nobody gets a result of a sured, so what many of them do to one
 * texel can be one operation in the end: two host threads whose locked additions take the same cache lines from each
 * other are several times slower than additions to arrays of their own, and these need no lock either.
 *
 * A held reduction has happened for the threads that this host thread runs, and is still to come for all others. That
 * is allowed as long as
 *   - an access of the same host thread to the surface finds it done (held_merge_surface: loads, stores, and reductions
 *     with another operation or element), so that program order and coherence hold for each texel;
 *   - it is done before whatever the host thread releases to others (held_merge: fences, strong stores, atomics with an
 *     order), so that whoever synchronises sees it;
 *   - it does not wait for ever (held_merge: when a warp has run for its turns, and at the end of the host thread's
 *     work, after traps and limits too), so that a block that waits for it goes on.
 * Such a surface is reached by surface instructions alone: surfaces over device memory are not held. What counts is its
 * memory: surfaces that share some are views of one another. docs/memory-model.md. */
#ifndef ATOLL_MEM_HELD_H
#define ATOLL_MEM_HELD_H

#include "mem/surface.h"

enum {
    HELD_SURFACES = 4,        /* of a host thread */
    HELD_LARGEST = 256 << 10, /* bytes of texels: should stay in the core's own cache. Few collide in larger surfaces */
    HELD_STRIKES = 8,         /* merges that were not worth it before a surface is left alone */
};

/* What is held for one surface. */
struct held_surface {
    unsigned char *texels; /* the surface's, with its size */
    uint64_t size;
    void *elements; /* as many bytes as texels, at the same offsets; each starts as the operation's neutral element */
    uint64_t lanes; /* that reduced since the last merge; 0 = nothing is held */
    uint8_t op;     /* enum lane_atomic, ADD..XOR */
    uint8_t type;   /* enum lane_type: an integer of 32 or 64 bits */
    uint8_t strikes;
    bool alone; /* no other of the host thread's shares its memory */
};

/* All that one host thread holds. Starts as zeros. */
struct held {
    struct held_surface surfaces[HELD_SURFACES];
    unsigned count;
    bool any;            /* something is held */
    uintptr_t low, high; /* memory that is not between the two is of none of the surfaces */
};

/* Where to combine `lanes` reductions of `surface` instead of its texels; NULL: in the texels themselves, indivisibly.
 * What was held for another operation, or for other views of its memory, is merged before. */
void *held_elements(struct held *held, const struct surface *surface, uint8_t op, uint8_t type, unsigned lanes);
/* Carries out what is held for the surface's memory. */
void held_merge_surface(struct held *held, const struct surface *surface);
/* Carries out all that is held. */
void held_merge(struct held *held);
/* Frees; what is still held is lost. */
void held_free(struct held *held);

#endif

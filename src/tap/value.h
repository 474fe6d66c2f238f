/* The value check: its state, which value.c (instructions), value_shift.c (shifts of two words), value_address.c (32
 * bits that overflow on the way to an address) and value_memory.c (memory that is read as never written) share. */
#ifndef ATOLL_TAP_VALUE_H
#define ATOLL_TAP_VALUE_H

#include "tap/mark.h"

enum { FLOWS = 16 /* of a warp; the oldest is forgotten */, VALUE_SOURCES = 3 };

/* A register on the way to an address, some of whose bits are lost: narrow, what it would hold were it wider; wide,
 * made of such a one. */
struct flow {
    uint32_t activation, reg, lanes, site; /* of local memory as struct mark has it */
    bool wide;
    uint32_t
        divided; /* lanes that have divided it: from there on it is also the number that 32 bits hold (remainders) */
    int64_t exact[LANES];
    /* How many times 2^32 it may be less or more: numbers of 32 bits that it is made of may be signed or not. */
    uint8_t below[LANES], above[LANES];
};

struct value_warp {
    struct marks marks;
    uint32_t nflows;
    struct flow flows[FLOWS];
};

struct value_slot {
    struct tap_block block;
    struct value_warp *warps;
    uint32_t nwarps, room;
};

/* Who has written a word of global memory, or read it as never written. */
struct value_word {
    uint64_t block;
    uint32_t thread;
    uint32_t site; /* + 1; 0: nobody */
    bool written;
};
enum { VALUE_PAGE = 1024 /* words */ };
struct value_page {
    uint64_t number; /* of the host's address / (4 * VALUE_PAGE) */
    struct value_word words[VALUE_PAGE];
};

struct value {
    const struct tap_launch *launch;
    struct value_slot *slots;
    struct tap_step pending;         /* whose results are looked at when the next instruction comes */
    uint32_t sources[VALUE_SOURCES]; /* its: lanes with NaNs */
    struct value_page **pages;       /* a hash table by number */
    size_t npages, room_pages;
    uint8_t *shifts; /* by site: what is known of those past the width (value_shift.c); NULL: there were none */
    uint64_t looks;  /* at instructions, that value_shift.c may still take in the launch */
    uint64_t taken;  /* bytes */
};
enum { VALUE_LOOKS = 100 << 20 }; /* a fraction of a second */

struct value_fault {
    const char *cause, *does, *did, *why;
};

void value_tell(const struct value *value, const struct value_fault *fault, const struct tap_step *step, uint32_t site,
                uint32_t lanes);

/* Values of an operand, a lane each; NULL: it has none. */
static inline const void *value_row(const struct value *value, const struct tap_step *step, unsigned operand)
{
    return value->launch->engine->row(step, operand);
}

/* By how many bits a shift may be without being told; at least one lane's is by as many as there are, or more. */
uint32_t value_shift_most(struct value *value, const struct tap_step *step);
void value_flow(const struct value *value, struct value_warp *warp, const struct tap_step *step);
void value_flow_call(struct value_warp *warp, const struct tap_call *call);
bool value_access(void *state, const struct tap_access *access);
bool value_freed(void *state, const struct tap_freed *freed);
void value_forget(struct value *value);

#endif

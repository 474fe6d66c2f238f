/* Lookups and uncached writes whose results come late: what is known of them at each instruction, and where they are
 * until then. docs/ctm.md, "Late results". */
#ifndef ATOLL_ISA_CTM_TEXTURE_H
#define ATOLL_ISA_CTM_TEXTURE_H

#include "base/bitset.h"
#include "isa/ctm/lower.h"

enum { TEXTURE_SET_WORDS = CTM_SLOTS / 64, TEXTURE_WRITE_VALUES = 3 };

/* A set of numbers below CTM_SLOTS: of struct late. */
struct texture_set {
    uint64_t bits[TEXTURE_SET_WORDS];
};

/* Which of them may be done (or not issued), on their way, on their way with an ACQUIRE that covers them; before an
 * instruction. Several may hold of one: ways meet. */
struct texture_state {
    bool reached;
    struct texture_set done, open, covered;
};

/* An instruction that issues a lookup or an uncached write. */
struct late {
    uint32_t pc;
    bool writes;      /* memory, not a temporary */
    uint8_t dst;      /* of a lookup: the temporary, */
    bool relative;    /* to which aL is added, */
    uint8_t channels; /* and those that get something */
    bool deferred;    /* somebody may see that it is late */
    bool dynamic;     /* not everywhere it is known whether it is done: masks are false where it is */
    bool mixed;       /* ... and whether it is covered: `covered` says it */

    /* Registers where it is until it is written: values by channel, of a write what is stored, x, y; masks by channel,
     * LANE_NONE: all. */
    struct lane_operand value[CTM_CHANNELS], mask[CTM_CHANNELS];
    struct lane_operand covered, al;
    uint64_t *before; /* a set: those that are written when this is issued, if they are under way then */
};

struct ctm_texture {
    struct late late[CTM_SLOTS];
    uint32_t count;
    uint32_t issued[CTM_SLOTS];            /* of an instruction: what it issues, or CTM_SLOTS */
    struct texture_state *at;              /* of each instruction; the last: after the program */
    struct lane_operand seed;              /* of the seeded order: of the group */
    struct lane_operand input[CTM_INPUTS]; /* surfaces, of a program without flow control: once each */
};

static inline bool texture_has(const struct texture_set *set, uint32_t n)
{
    return bitset_has(set->bits, n);
}
static inline void texture_add(struct texture_set *set, uint32_t n)
{
    bitset_add(set->bits, n);
}
static inline void texture_remove(struct texture_set *set, uint32_t n)
{
    bitset_remove(set->bits, n);
}
static inline bool texture_pending(const struct texture_state *state, uint32_t n)
{
    return texture_has(&state->open, n) || texture_has(&state->covered, n);
}

/* Does the instruction hold the semaphore: a lookup, or an uncached write? */
bool texture_acquires(const struct ctm_program *program, const struct ctm_inst *inst);
/* What `state` (before the instruction) is when the instruction issues its own. */
void texture_waited(const struct ctm_lower *l, uint32_t pc, struct texture_state *state);
/* Does the instruction read or write a temporary that the lookup writes? Lookups write later. */
bool texture_touches(const struct ctm_inst *inst, const struct late *late);
/* Do two go to one place: temporaries, or memory? */
bool texture_same_place(const struct late *a, const struct late *b);
/* texture_look.c: finds what is late, and fills in struct late but for the operands. */
bool texture_look(struct ctm_lower *l);

/* ---- texture_late.c ---------------------------------------------------------------------------------------------- */

/* Before the program: nothing is under way. */
void texture_begin(struct ctm_lower *l);
/* Before an instruction: what is due, and in a seeded order what may come. */
void texture_wait(struct ctm_lower *l);
/* A late one is issued, in this order: what has to be written before it; its values, into registers that
 * texture_place names; then `guard` says for each channel who gets them. */
void texture_former(struct ctm_lower *l, const struct late *late);
struct lane_operand texture_place(struct ctm_lower *l, const struct late *late, unsigned c);
void texture_issue(struct ctm_lower *l, struct late *late, const struct lane_operand guard[CTM_CHANNELS],
                   const struct lane_operand value[CTM_CHANNELS]);
/* The instruction takes the semaphore, if it does. */
void texture_acquire(struct ctm_lower *l);
/* After the program: writes to memory that are under way. */
void texture_end(struct ctm_lower *l);
/* An uncached write to output 0: what is stored, x, y. */
void texture_store(struct ctm_lower *l, struct lane_operand guard,
                   const struct lane_operand value[TEXTURE_WRITE_VALUES]);

#endif

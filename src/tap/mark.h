/* Marks on registers that hold what nobody should use: a shuffle's result from a lane that was not there, a shift past
 * the width. Compilers compute such values, and more of them, and then select others. So marks go along with what is
 * computed, and one is told only when it leaves the thread: into memory that others see, an address, another lane. They
 * go through the thread's local memory, too, where code that is not optimized has its variables. Comparisons end them.
 */
#ifndef ATOLL_TAP_MARK_H
#define ATOLL_TAP_MARK_H

#include "tap/check.h"

enum { MARKS = 64 /* of a warp; beyond, some are forgotten */ };
enum { MARK_MEMORY = UINT32_MAX };

struct mark {
    uint32_t activation, reg, lanes;
    uint32_t bytes;   /* of local memory, where activation is MARK_MEMORY, and reg the offset there; else 0 */
    uint32_t site;    /* where the value comes from */
    const void *what; /* the check's own */
};

/* Of a warp. */
struct marks {
    uint32_t count;
    struct mark list[MARKS];
};

struct mark_user {
    /* Called with the lanes that use a marked value; the mark is gone for them then. */
    void (*used)(void *state, const struct tap_step *step, const struct mark *mark, uint32_t lanes);
    void *state;
    const void *number; /* marks of this kind are on floats, whose bits minima and maxima of integers may choose */
};

/* An instruction of the warp: before marks of its own are added. */
void marks_step(struct marks *marks, const struct tap_step *step, const struct tap_engine *engine,
                const struct mark_user *user);
/* What the instruction writes to destination `operand` in these lanes is marked. */
void marks_add(struct marks *marks, const struct tap_step *step, unsigned operand, uint32_t lanes, const void *what);

/* What it writes has nothing of these marks in these lanes after all. */
void marks_drop(struct marks *marks, const struct tap_step *step, uint32_t lanes, const void *what);

/* Values go to a function, or come back. */
void marks_call(struct marks *marks, const struct tap_call *call);

/* What lanes load or store in their local memory. */
struct mark_place {
    uint32_t lanes;
    uint32_t element; /* bytes of each register */
    uint32_t at[LANES];
};
void mark_place(const struct tap_step *step, const struct tap_engine *engine, struct mark_place *place);
/* Those of the lanes that have the first one's offset. */
uint32_t mark_place_like_first(const struct mark_place *place, uint32_t lanes);

#endif

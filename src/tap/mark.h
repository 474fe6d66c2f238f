/* Marks on registers that hold what nobody should use: a shuffle's result from a lane that was not there, a shift past
 * the width. Compilers compute such values, and more of them, and then select others. So marks go along with what is
 * computed, and one is told only when it leaves the registers: into memory, an address, another lane. Comparisons
 * end them. */
#ifndef ATOLL_TAP_MARK_H
#define ATOLL_TAP_MARK_H

#include "tap/check.h"

enum { MARKS = 32 /* of a warp; the oldest is forgotten */ };

struct mark {
    uint32_t activation, reg, lanes;
    uint32_t site;    /* where the value comes from */
    const void *what; /* the check's own */
};

/* Of a warp. */
struct marks {
    uint32_t count;
    struct mark list[MARKS];
};

/* Called with the lanes that use a marked value; the mark is gone for them then. */
typedef void mark_used(void *state, const struct tap_step *step, const struct mark *mark, uint32_t lanes);

/* An instruction of the warp: before marks of its own are added. */
void marks_step(struct marks *marks, const struct tap_step *step, const struct tap_engine *engine, mark_used *used,
                void *state);
/* What the instruction writes to destination `operand` in these lanes is marked. */
void marks_add(struct marks *marks, const struct tap_step *step, unsigned operand, uint32_t lanes, const void *what);

#endif

/* Where addresses come from: the variable, or the kernel's parameter, that a register's value was made from by sums,
 * copies and the like. Without order: all definitions of a register count. */
#ifndef ATOLL_TAP_ORIGIN_H
#define ATOLL_TAP_ORIGIN_H

#include "lane/lane.h"

enum origin_kind {
    ORIGIN_UNSEEN,    /* nothing defines it */
    ORIGIN_NONE,      /* no variable: a number, or what was loaded */
    ORIGIN_SYMBOL,    /* `which`: number of the symbol */
    ORIGIN_PARAMETER, /* `which`: byte of the parameters where 64 bits were loaded */
    ORIGIN_MANY       /* several, or made in ways that are not followed */
};
struct origin {
    uint8_t kind; /* enum origin_kind */
    uint32_t which;
};

/* Of all registers of a function, in a new array; NULL: no memory. */
struct origin *origin_find(const struct lane_func *func);
struct origin origin_of(const struct lane_func *func, const struct origin *regs, struct lane_operand operand);

#endif

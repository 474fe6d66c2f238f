/* shfl: from which lane a lane takes its value. */
#ifndef ATOLL_ENGINE_MEANING_SHFL_H
#define ATOLL_ENGINE_MEANING_SHFL_H

#include "lane/lane.h"

/* PTX ISA, shfl.sync: lane and operands b, clamp and segment mask of c, each below 32. *in: is that lane in range? The
 * number may be negative or more than 31, where it is not. */
static inline int shfl_from(unsigned mode, int lane, int by, int clamp, int segment, bool *in)
{
    int low = lane & segment, high = low | (clamp & ~segment), from;
    switch (mode) {
    case LANE_SHFL_UP:
        from = lane - by;
        break;
    case LANE_SHFL_DOWN:
        from = lane + by;
        break;
    case LANE_SHFL_BFLY:
        from = lane ^ by;
        break;
    default:
        from = low | (by & ~segment);
    }
    *in = mode == LANE_SHFL_UP ? from >= high : from <= high;
    return from;
}

#endif

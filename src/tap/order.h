/* What the checks and the weak order say alike of an access's order and scope. */
#ifndef ATOLL_TAP_ORDER_H
#define ATOLL_TAP_ORDER_H

#include "tap/check.h"

/* Whom a release is passed on to: its block, everybody. */
enum { REACH_CTA, REACH_ALL, REACHES };

/* Is the scope that of the block? Clusters have one block each. */
static inline bool tap_cta(uint8_t scope)
{
    return scope == LANE_SCOPE_CTA || scope == LANE_SCOPE_CLUSTER;
}

/* PTX ISA, "Memory Consistency Model": strong operations; release and acquire patterns. An atomic is strong whatever
 * its order. */
static inline bool tap_strong(uint8_t kind, uint8_t order)
{
    return kind == TAP_UPDATE || order != LANE_WEAK;
}

static inline bool tap_acquires(uint8_t order)
{
    return order == LANE_ACQUIRE || order == LANE_ACQ_REL || order == LANE_SC;
}

static inline bool tap_releases(uint8_t order)
{
    return order == LANE_RELEASE || order == LANE_ACQ_REL || order == LANE_SC;
}

#endif

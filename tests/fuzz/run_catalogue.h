/* What fuzz_run's generator draws instructions from. */
#ifndef ATOLL_TESTS_RUN_CATALOGUE_H
#define ATOLL_TESTS_RUN_CATALOGUE_H

#include "lane/lane.h"
#include "mem/device.h"

enum { RUN_FORMS = 4096 };

/* Instructions without operands, guard and line, in the order of their operations. */
struct run_catalogue {
    uint32_t count, ops, wide; /* forms; operations that have one; forms of warp-wide operations */
    struct lane_inst at[RUN_FORMS];
};

/* *c: zeros. The same every time. */
void run_catalogue_make(struct run_catalogue *c, struct device *device);

/* Its last operand is the mask of the lanes that take part. */
bool run_warp_wide(unsigned op);

#endif

/* The functions of CUDA's driver that tests use, by Atoll: what records on a GPU runs here through the same code. */
#ifndef ATOLL_TESTS_HW_DRIVER_ATOLL_H
#define ATOLL_TESTS_HW_DRIVER_ATOLL_H

#include "driver_api.h"

/* unordered: each launch is in the seeded order with all blocks resident, every other one in the weak order. */
bool hw_atoll_open(struct cuda *cuda, bool unordered);
void hw_atoll_close(void);

#endif

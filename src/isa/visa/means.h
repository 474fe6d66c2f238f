/* What instructions do, in words. */
#ifndef ATOLL_ISA_VISA_MEANS_H
#define ATOLL_ISA_VISA_MEANS_H

#include "isa/visa/rows.h"

/* A line; "": the operations of atomics.h say it. */
const char *visa_means(const struct visa_row *row);

#endif

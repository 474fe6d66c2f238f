/* What bits.h and compiled code share of prmt. */
#ifndef ATOLL_ENGINE_MEANING_PRMT_H
#define ATOLL_ENGINE_MEANING_PRMT_H

#include <stdint.h>

#include "lane/modes.h"

/* Modes of prmt other than IDX are selectors that depend on c mod 4 (PTX ISA, prmt, table of modes). */
static const uint16_t prmt_selectors[LANE_PRMTS][4] = {
    [LANE_PRMT_F4E] = {0x3210, 0x4321, 0x5432, 0x6543}, [LANE_PRMT_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
    [LANE_PRMT_RC8] = {0x0000, 0x1111, 0x2222, 0x3333}, [LANE_PRMT_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
    [LANE_PRMT_ECR] = {0x0000, 0x1110, 0x2210, 0x3210}, [LANE_PRMT_RC16] = {0x1010, 0x3232, 0x1010, 0x3232},
};

#endif

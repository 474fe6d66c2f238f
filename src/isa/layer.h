/* The layer of a surface access, as PTX and Maxwell's machine code have it. */
#ifndef ATOLL_ISA_LAYER_H
#define ATOLL_ISA_LAYER_H

#include "lane/lane.h"

/* An unsigned number of 16 bits: 65537 is 1, -1 is 65535 (docs/maxwell.md, "Surfaces"; an H100 says so of PTX,
 * docs/hardware.md, "Answers about surfaces and atomics"). */
static inline struct lane_operand isa_layer(struct lane_builder *b, struct lane_operand value)
{
    struct lane_operand src[] = {value, lane_imm(b, 32, 0xffff)}, layer = lane_reg(b, 32, NULL);
    lane_emit(b, LANE_OP_and, LANE_B32, 1, &layer, 2, src);
    return layer;
}

#endif

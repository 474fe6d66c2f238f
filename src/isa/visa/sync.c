/* vISA's barriers and fences. Memory operations of the lane program happen in program order, and a group is on one host
 * thread: fences order what other groups see. Source: docs/visa.md, "Running". */
#include "isa/visa/alu.h"

/* Bits 5 and 7 of a mask: of shared local memory alone, of the compiler alone. */
void visa_fence(struct visa_lower *l, const struct visa_does *does)
{
    const struct visa_operand *mask = visa_operand_in(l, "mask");
    (void)does;
    if (mask && mask->value & 0xA0)
        return;
    lane_emit(l->b, LANE_OP_fence, LANE_VOID, 0, NULL, 0, NULL)->mode = LANE_SCOPE_GPU;
}

void visa_barrier(struct visa_lower *l, const struct visa_does *does)
{
    (void)does;
    struct lane_operand src[2] = {lane_imm(l->b, 32, 0), lane_imm(l->b, 32, 0)};
    lane_emit(l->b, LANE_OP_bar, LANE_VOID, 0, NULL, 2, src);
}

/* sbarrier: signal is nothing but a fence, wait is the barrier (named choice: who waits is free when all have come to
 * wait, not when all have signalled). */

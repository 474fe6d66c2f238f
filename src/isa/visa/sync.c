/* vISA's barriers and fences. Memory operations of the lane program happen in program order, and a group is on one host
 * thread: fences order what other groups see. Source: docs/visa.md, "Running". */
#include "isa/visa/alu.h"
#include "isa/visa/memory.h"

/* Bits 5 and 7 of a mask: of shared local memory alone, of the compiler alone. */
void visa_fence(struct visa_lower *l, const struct visa_does *does)
{
    const struct visa_operand *mask = visa_operand_in(l, "mask");
    (void)does;
    if (mask && mask->value & 0xA0)
        return;
    lane_emit(l->b, LANE_OP_fence, LANE_VOID, 0, NULL, 0, NULL)->mode = LANE_SCOPE_GPU;
}

static void bar(struct visa_lower *l, struct lane_operand id, struct lane_operand count, uint8_t mode)
{
    struct lane_operand src[2] = {id, count};
    l->alone |= mode != LANE_BAR_SYNC;
    lane_emit(l->b, LANE_OP_bar, LANE_VOID, 0, NULL, 2, src)->mode = mode;
}

/* barrier and its halves (sbarrier): all threads of the group, at barrier 0. */
void visa_barrier(struct visa_lower *l, const struct visa_does *does)
{
    bar(l, lane_imm(l->b, 32, 0), lane_imm(l->b, 32, 0), does->mode);
}

/* A barrier of a number, for as many threads as signal says. */
void visa_nbarrier(struct visa_lower *l, const struct visa_does *does)
{
    struct lane_operand id = visa_convert(l, visa_uniform(l, visa_operand_in(l, "id")), VISA_UD, false).v;
    struct lane_operand count = lane_imm(l->b, 32, 0);
    if (does->mode == LANE_BAR_ARRIVE) {
        count = visa_convert(l, visa_uniform(l, visa_operand_in(l, "count")), VISA_UD, false).v;
        count = visa_two(l, LANE_OP_mul, LANE_U32, count, lane_imm(l->b, 32, l->simd));
    }
    bar(l, id, count, does->mode);
}

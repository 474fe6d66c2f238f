/* What the generator of fuzz_run's kernels makes instructions with. */
#ifndef ATOLL_TESTS_RUN_EMIT_H
#define ATOLL_TESTS_RUN_EMIT_H

#include "run_state.h"

#define OPERANDS(...) ((const struct lane_operand[]){__VA_ARGS__})
static const struct lane_operand none = {.kind = LANE_NONE};

static inline uint32_t take(struct gen *g, uint32_t n)
{
    uint32_t value = 0;
    for (uint32_t more = n - 1; more; more >>= 8)
        value = value << 8 | (g->at < g->size ? g->data[g->at++] : 0);
    return value % n;
}

static inline struct lane_operand imm(struct gen *g, unsigned width, uint64_t value)
{
    return lane_imm(&g->b, width, width < 64 ? value & ((UINT64_C(1) << width) - 1) : value);
}

/* ---- emitting ---------------------------------------------------------------------------------------------------- */

static inline struct lane_inst *unary(struct gen *g, enum lane_op op, enum lane_type type, struct lane_operand d,
                                      struct lane_operand a)
{
    return lane_emit(&g->b, op, type, 1, &d, 1, &a);
}

static inline struct lane_inst *binary(struct gen *g, enum lane_op op, enum lane_type type, struct lane_operand d,
                                       struct lane_operand a, struct lane_operand b)
{
    return lane_emit(&g->b, op, type, 1, &d, 2, OPERANDS(a, b));
}

static inline void sreg(struct gen *g, struct lane_operand d, enum lane_sreg which)
{
    lane_emit(&g->b, LANE_OP_sreg, LANE_B32, 1, &d, 0, NULL)->mode = (uint8_t)which;
}

/* The number of the thread in its block. */
static inline void thread(struct gen *g, struct lane_operand d)
{
    sreg(g, d, LANE_SREG_TID_X);
    for (unsigned k = 1; k < 3; k++)
        if (g->shape[k] > 1) {
            struct lane_operand index = lane_reg(&g->b, 32, NULL);
            sreg(g, index, k == 1 ? LANE_SREG_TID_Y : LANE_SREG_TID_Z);
            lane_emit(&g->b, LANE_OP_mad, LANE_U32, 1, &d, 3,
                      OPERANDS(index, imm(g, 32, g->shape[0] * (k == 1 ? 1 : g->shape[1])), d));
        }
}

static inline void guard(struct gen *g, struct lane_operand p, bool negated)
{
    g->b.guard = p;
    g->b.guard_not = negated;
}

static inline void unguard(struct gen *g)
{
    guard(g, none, false);
}

static inline void memory(struct gen *g, enum lane_op op, const struct lane_access *access, struct lane_operand d,
                          unsigned nsrc, const struct lane_operand *src)
{
    uint32_t index = lane_access(&g->b, access);
    bool result = op == LANE_OP_ld || op == LANE_OP_atom || op == LANE_OP_suld || op == LANE_OP_suatom;
    lane_emit(&g->b, op, LANE_VOID, result ? 1 : 0, &d, nsrc, src)->aux = index;
}

static inline struct lane_access plain(enum lane_space space, enum lane_type type, int64_t offset)
{
    return (struct lane_access){.space = (uint8_t)space, .type = (uint8_t)type, .vec = 1, .offset = offset};
}

static inline void load(struct gen *g, enum lane_space space, enum lane_type type, struct lane_operand d,
                        struct lane_operand address, int64_t offset)
{
    struct lane_access access = plain(space, type, offset);
    memory(g, LANE_OP_ld, &access, d, 1, &address);
}

static inline void store(struct gen *g, enum lane_space space, enum lane_type type, struct lane_operand address,
                         int64_t offset, struct lane_operand value)
{
    struct lane_access access = plain(space, type, offset);
    memory(g, LANE_OP_st, &access, none, 2, OPERANDS(address, value));
}

#endif

/* The enums behind lane_inst.mode. */
#ifndef ATOLL_LANE_MODES_H
#define ATOLL_LANE_MODES_H

/* clang-format off */
/* Special registers: sregs.h. */
enum lane_sreg {
#define LANE_SREG(name, ...) LANE_SREG_##name,
#include "lane/sregs.h"
#undef LANE_SREG
    LANE_SREGS
};

enum lane_prmt { LANE_PRMT_IDX, LANE_PRMT_F4E, LANE_PRMT_B4E, LANE_PRMT_RC8, LANE_PRMT_ECL, LANE_PRMT_ECR,
                 LANE_PRMT_RC16, LANE_PRMTS };

/* mad16, in this order: the halves are extended and multiplied, the low 32 bits shifted; c taken as it is, its low or
 * high half, or c + (b << 16); the sum wraps; MERGE: the result's upper half is b's lower one. */
enum lane_mad16 {
    LANE_MAD16_A_HIGH = 1, LANE_MAD16_B_HIGH = 2, LANE_MAD16_A_SIGNED = 4, LANE_MAD16_B_SIGNED = 8,
    LANE_MAD16_SHIFT = 16, LANE_MAD16_C_LOW = 32, LANE_MAD16_C_HIGH = 64, LANE_MAD16_C_PLUS_B = 128,
    LANE_MAD16_MERGE = 256, LANE_MAD16_ALL = 511,
    LANE_MAD16_C_MODES = LANE_MAD16_C_LOW | LANE_MAD16_C_HIGH | LANE_MAD16_C_PLUS_B
};

enum lane_testp { LANE_TESTP_FINITE, LANE_TESTP_INFINITE, LANE_TESTP_NUMBER, LANE_TESTP_NOTANUMBER,
                  LANE_TESTP_NORMAL, LANE_TESTP_SUBNORMAL, LANE_TESTPS };

/* What a surface has: the extents of its first, second and third coordinate (layers are the last of arrays; 0 where it
 * has no such coordinate); array_size: the layers of an array, else 0. */
enum lane_suq { LANE_SUQ_FIRST, LANE_SUQ_SECOND, LANE_SUQ_THIRD, LANE_SUQ_CHANNEL_DATA_TYPE,
                LANE_SUQ_CHANNEL_ORDER, LANE_SUQ_ARRAY_SIZE, LANE_SUQ_MEMORY_LAYOUT, LANE_SUQS };

/* What a surface has at a mip level: the extents of its coordinates as above, 0 where it has no such level; how many
 * levels, samples of a texel. */
enum lane_suql { LANE_SUQL_FIRST, LANE_SUQL_SECOND, LANE_SUQL_THIRD, LANE_SUQL_LEVELS, LANE_SUQL_SAMPLES, LANE_SUQLS };

/* Sampling; mem/sampler.h has the meaning. Sources after u, v and r, all of 32 bits:
 *   LOD     lod (f32)
 *   GRAD    du/dx, du/dy, dv/dx, dv/dy, dr/dx, dr/dy (f32)
 *   GATHER  offsets of u and of v, in texels (low 6 bits, signed)
 *   _C      one more, the last: the reference that texels are compared with (f32)
 * aux: offsets in texels, 4 bits each, signed: of r in bits 0 to 3, of v in bits 4 to 7, of u in bits 8 to 11; GATHER:
 * bits 12 and 13 are the component. */
enum lane_sample { LANE_SAMPLE_LOD, LANE_SAMPLE_LOD_C, LANE_SAMPLE_GRAD, LANE_SAMPLE_GRAD_C, LANE_SAMPLE_GATHER,
                   LANE_SAMPLE_GATHER_C, LANE_SAMPLES };
enum { LANE_SAMPLE_CHANNEL = 12 };

enum lane_shfl { LANE_SHFL_UP, LANE_SHFL_DOWN, LANE_SHFL_BFLY, LANE_SHFL_IDX, LANE_SHFLS };

enum lane_scope { LANE_SCOPE_NONE, LANE_SCOPE_CTA, LANE_SCOPE_CLUSTER, LANE_SCOPE_GPU, LANE_SCOPE_SYS };

/* fence: enum lane_scope; or between the ways to memory (proxies; there is one here, and checks ask for it); or
 * LANE_FENCE_LIGHT + enum lane_scope: it acquires and releases, and is not sequentially consistent (engines make no
 * difference, the weak order does). */
enum { LANE_FENCE_PROXY = 5, LANE_FENCE_LIGHT = 5 };
static inline bool lane_fence_light(unsigned mode)
{
    return mode > LANE_FENCE_LIGHT;
}
static inline unsigned lane_fence_scope(unsigned mode)
{
    return lane_fence_light(mode) ? mode - LANE_FENCE_LIGHT : mode;
}
/* Between threads of a block alone: one host thread runs them all and sees its own accesses in their order, so that such
 * a fence is one for compilers, not for the host's processor. What follows in other blocks takes a fence, a release or
 * an acquire of a wider scope, which orders all that the host thread did before (PTX ISA, "Morally strong operations").
 */
static inline bool lane_fence_inside(unsigned mode)
{
    return lane_fence_scope(mode) == LANE_SCOPE_CTA;
}

enum lane_vote { LANE_VOTE_ALL, LANE_VOTE_ANY, LANE_VOTE_UNI, LANE_VOTES };

/* bar: arrives and waits; arrives; waits until the phase in which its warp has arrived is over, and goes on where none is
 * under way (its thread count is not looked at). */
enum lane_bar { LANE_BAR_SYNC, LANE_BAR_ARRIVE, LANE_BAR_WAIT };

/* Barrier objects. KEEP: the phase must not complete by the arrival. DROP: the arrivals are not expected any longer.
 * TRY lets other warps run where the phase is not over. */
enum lane_mbartx { LANE_MBARTX_EXPECT, LANE_MBARTX_COMPLETE, LANE_MBARTXS };
enum lane_mbararrive { LANE_MBAR_ARRIVE, LANE_MBAR_ARRIVE_KEEP, LANE_MBAR_DROP, LANE_MBAR_DROP_KEEP, LANE_MBAR_ARRIVES };
enum lane_mbarwait { LANE_MBAR_TEST, LANE_MBAR_TEST_PARITY, LANE_MBAR_TRY, LANE_MBAR_TRY_PARITY, LANE_MBAR_WAITS };

/* Tokens of lanes that part and meet again. A lane without a token of the kind traps; but pop of RETURN and EXIT ends it
 * then. A call is push RETURN of the block after it, and bra. The kinds differ in nothing else. */
enum lane_token { LANE_TOKEN_SYNC, LANE_TOKEN_BREAK, LANE_TOKEN_CONTINUE, LANE_TOKEN_RETURN, LANE_TOKEN_EXIT,
                  LANE_TOKEN_JUMP, LANE_TOKENS };

/* What a program did that its machine has no answer to. */
enum lane_fault { LANE_FAULT_OVERFLOW /* of a stack */, LANE_FAULT_UNDERFLOW, LANE_FAULT_JUMP, LANE_FAULT_INSTRUCTION,
                  LANE_FAULT_UNBOUND /* no surface is there */, LANE_FAULTS };

/* Host services. */
enum lane_syscall {
    LANE_SYSCALL_VPRINTF,     /* dst: 32-bit result; src: format address, argument buffer address (generic) */
    LANE_SYSCALL_MALLOC,      /* dst: two 32-bit halves of the address, low first; src: size */
    LANE_SYSCALL_FREE,        /* src: address */
    LANE_SYSCALL_ASSERTFAIL,  /* src: message, file, line, function addresses (line is a number), char size */
    LANE_SYSCALLS
};

#endif

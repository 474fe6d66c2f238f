/* What a pure operation looks like to engines: a function over 32 lanes, in a frame of registers.
 *
 * Register file of a warp: a register of width w (8..128 bits) is an array of 32 elements of w bits, 64-byte aligned;
 * a predicate is one uint32_t with a bit per lane. Constants lie in the same frame, already broadcast, so an operand is
 * always a byte offset. Kernels compute all 32 lanes always (they may not fault); the engine hands them a scratch
 * destination and blends when not all lanes run.
 *
 * Kernel files are compiled once per instruction set of the host (KERNEL_SET = base, v3, v4), so plain C loops over
 * 32 lanes are what the compiler's vectoriser sees.
 */
#ifndef ATOLL_ENGINE_MEANING_KERNEL_H
#define ATOLL_ENGINE_MEANING_KERNEL_H

#include "lane/lane.h"

/* Offset of an operand that is not there: aligned as a register, since kernels form addresses that they do not use. */
#define KERNEL_NONE (UINT32_MAX - 63)

struct frame {
    unsigned char *regs;
    uint32_t exec; /* running lanes */
};

/* Byte offsets in the frame. */
struct kernel_operands {
    uint32_t d, d2;      /* destinations */
    uint32_t a, b, c, e; /* sources */
    uint32_t aux;        /* lane_inst.aux */
    const void *more;    /* operation's own: operand lists, access, call ... */
};

#define KERNEL_PASTE2(a, b) a##_##b
#define KERNEL_PASTE(a, b)  KERNEL_PASTE2(a, b)
#define KERNEL_NAME(name)   KERNEL_PASTE(name, KERNEL_SET)

typedef void kernel_fn(struct frame *, const struct kernel_operands *);

/* The kernel of a pure instruction (LANE_PURE, but for special registers and addresses of frames), or NULL if this
 * combination of fields has none. pack/unpack have operand lists: operands->more is an array of uint32_t offsets,
 * destinations then sources (UINT32_MAX = LANE_NONE); ops with an optional operand: offset UINT32_MAX = LANE_NONE. */
kernel_fn *kernel_find_base(const struct lane_inst *inst);
#if defined(__x86_64__)
kernel_fn *kernel_find_v3(const struct lane_inst *inst);
kernel_fn *kernel_find_v4(const struct lane_inst *inst);
#endif

#endif

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

#include <stddef.h>

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

/* One row of the table of meanings: which instructions it is for, and what they do. A row is written with the meaning
 * itself (shapes.h); members that it does not mention are 0. An instruction has one row at most, but that a row with an
 * aux goes before one without (kernels for constants that occur often). The types b8..b64 are as u8..u64 here. */
struct meaning {
    const char *name; /* of the meaning, in rows of `base`; several rows may share one */
    kernel_fn *run;   /* what it does to 32 lanes */
    uint8_t op, type; /* enum lane_op, enum lane_type */
    uint8_t type2;    /* one more than the enum lane_type; 0: any */
    uint8_t cmp;      /* one more than the enum lane_cmp; 0: any */
    uint8_t mode;     /* one more than the mode; 0: any */
    uint8_t ignored;  /* of MEANING_FLAGS, those that do not change a result here */
    uint16_t flags;   /* enum lane_flag, MEANING_FLUSHED: those that change a result must be these */
    uint16_t asked;   /* flags that do so here, besides MEANING_FLAGS */
    uint16_t rounds;  /* a bit for each enum lane_round; 0: any */
    bool host_round;  /* the host has to compute in the rounding mode of the instruction */
    uint32_t aux;     /* one more than the instruction's; 0: any */
};

/* Flags that no meaning may overlook, unless it says so. */
enum { MEANING_FLAGS = LANE_SAT | LANE_RELU | LANE_NAN | LANE_ABS };
/* Beside LANE_FTZ: no source is subnormal. No lane program has it; who decodes one finds it out. */
enum { MEANING_FLUSHED = 1 << 15 };

/* The row of a pure instruction (LANE_PURE, but for what asks the machine: special registers, addresses of frames and
 * windows), or NULL if this combination of fields means nothing. pack and unpack have operand lists: operands->more is
 * an array of offsets, destinations then sources (KERNEL_NONE = LANE_NONE), as have operations with an optional
 * operand. */
const struct meaning *meaning_find_base(const struct lane_inst *inst);

/* The rows, sorted by operation and type; NULL after the last. */
const struct meaning *meaning_row_base(size_t i);

/* The same rows with the functions of other instruction sets. */
#if defined(__x86_64__)
const struct meaning *meaning_find_v3(const struct lane_inst *inst);
const struct meaning *meaning_find_v4(const struct lane_inst *inst);
const struct meaning *meaning_row_v3(size_t i);
const struct meaning *meaning_row_v4(size_t i);
#endif

#endif

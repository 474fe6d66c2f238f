/* What a pure operation looks like to the interpreter: a function over 32 lanes, in a frame of registers.
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

struct warp;
struct decoded;

/* Offset of an operand that is not there: aligned as a register, since kernels form addresses that they do not use. */
#define KERNEL_NONE (UINT32_MAX - 63)

struct frame {
    unsigned char *regs;
    uint32_t exec; /* running lanes */
};

struct step {
    void (*run[2])(struct frame *, const struct step *); /* [0]: all 32 lanes run; [1]: some */
    union {
        uint32_t d;     /* byte offset of a destination */
        uint32_t count; /* of a step that ends a block: its instructions */
    };
    union {
        uint32_t d2;   /* of a second destination */
        uint32_t next; /* of a step that ends a block: the point of the next one */
    };
    uint32_t a, b, c, e; /* of sources */
    uint32_t aux;        /* lane_inst.aux */
    uint32_t inst;       /* index of the instruction in its function */
    const void *more;    /* operation's own: operand lists, access, call ... */
    /* The interpreter's: memory, warp and flow operations return the step that comes next (NULL: the warp stops). */
    const struct step *(*go)(struct warp *, const struct step *); /* NULL: pure, use run */
    void (*kernel)(struct frame *, const struct step *);          /* of a pure step, behind run */
    uint32_t guard, guard_flip; /* offset of the guard predicate (KERNEL_NONE: always); ~0 where it is negated */
    const struct decoded *info; /* operands in full, widths: for masked and rare paths */
};

#define KERNEL_PASTE2(a, b) a##_##b
#define KERNEL_PASTE(a, b)  KERNEL_PASTE2(a, b)
#define KERNEL_NAME(name)   KERNEL_PASTE(name, KERNEL_SET)

typedef void kernel_fn(struct frame *, const struct step *);

/* The kernel of a pure instruction (LANE_PURE, but for special registers and addresses of frames), or NULL if this
 * combination of fields has none. pack/unpack have operand lists: step->more is an array of uint32_t offsets,
 * destinations then sources (UINT32_MAX = LANE_NONE); ops with an optional operand: offset UINT32_MAX = LANE_NONE. */
kernel_fn *kernel_find_base(const struct lane_inst *inst);
#if defined(__x86_64__)
kernel_fn *kernel_find_v3(const struct lane_inst *inst);
kernel_fn *kernel_find_v4(const struct lane_inst *inst);
#endif

#endif

/* The interpreter's code: one step for each decoded instruction. */
#ifndef ATOLL_ENGINE_INTERP_STEP_H
#define ATOLL_ENGINE_INTERP_STEP_H

#include "engine/run.h"

struct step;
typedef const struct step *step_fn(struct warp *, const struct step *);

struct step {
    union {
        kernel_fn *run[2]; /* of a pure step; [0]: all 32 lanes run; [1]: some */
        step_fn *go_whole; /* of a step of the whole warp: what `go` has all lanes carry out */
    };
    struct kernel_operands at; /* aux of a branch, a fall or a push is the point that it leads to; b of a push or pop is
                                  the kind of token; more of a branch is where it goes on: an entry of func->points */
    /* Memory, warp and flow operations return the step that comes next (NULL: the warp stops). NULL: pure, use run. */
    step_fn *go;
    kernel_fn *kernel;          /* of a pure step, which run calls */
    uint32_t count, next;       /* of one that ends a block: its instructions; the point after it */
    uint32_t guard, guard_flip; /* as in struct decoded */
    bool plain_bar;             /* a bar.sync of the whole block at a constant number, at.aux, without a guard */
    const struct step *real;    /* of an entry to compiled code: what the interpreter does there */
    const struct decoded *info; /* operands in full, widths: for masked and rare paths */
};

/* Makes func->points and func->once. `bind` fills in run, go and kernel of a step whose other members are set; false:
 * this combination cannot be executed. */
typedef bool bind_fn(struct step *step);
/* Finds a bar.sync of the whole block at a constant number, without a guard; at.aux becomes that. */
bool step_bind_plain_bar(struct step *step);
bool step_prepare(struct program *program, struct func *func, bind_fn *bind, struct atoll_error *error);

/* The step whose operands a kernel was given; the warp whose frame it was given. */
static inline const struct step *step_of(const struct kernel_operands *at)
{
    return (const struct step *)(const void *)((const char *)at - offsetof(struct step, at));
}

static inline struct warp *step_warp(struct frame *frame)
{
    return (struct warp *)(void *)((char *)frame - offsetof(struct warp, frame));
}

/* Lanes of `warp` that run `step`. */
static inline uint32_t step_lanes(const struct warp *warp, const struct step *step)
{
    return guard_lanes(warp, step->guard, step->guard_flip);
}

/* A step that accesses memory, without some lanes: none of those steps makes lanes wait. */
static inline const struct step *step_without(struct warp *w, const struct step *s, uint32_t lanes)
{
    const struct step *next = s + 1;
    w->frame.exec &= ~lanes;
    if (w->frame.exec)
        next = s->go(w, s);
    w->frame.exec |= lanes;
    return next;
}

/* The predicate at an offset, of those lanes; KERNEL_NONE: there is none. */
static inline void set_predicate(struct warp *w, uint32_t offset, uint32_t value, uint32_t lanes)
{
    uint32_t bits;
    if (offset == KERNEL_NONE)
        return;
    __builtin_memcpy(&bits, w->frame.regs + offset, 4);
    bits = (bits & ~lanes) | (value & lanes);
    __builtin_memcpy(w->frame.regs + offset, &bits, 4);
}

#endif

/* Arguments and results of calls, which travel through local memory (lane.h, struct lane_call): which of them can
 * travel in registers, where the calls are carried out in the caller's own code (inline.h).
 *
 * A *slot* is the place of an argument or a result in a function's frame. A call copies one of the caller's to one of
 * the callee's, or back; slots that are copied so are kin. Kin has registers where nobody takes the address of any of
 * it and all loads and stores see it as the same *elements*:
 *
 *   caller   st.b64 [8]   st.b32 [16]      elements 0..7 and 8..11
 *   callee   ld.b64 [0]   ld.b32 [8]       as one register each
 *            ld.b32 [0]                    other ones: the slots stay in memory
 */
#ifndef ATOLL_ENGINE_PLAN_SLOTS_H
#define ATOLL_ENGINE_PLAN_SLOTS_H

#include "base/arena.h"
#include "lane/lane.h"

enum { SLOT_ELEMENTS = 32 }; /* slots that are seen as more stay in memory */

struct slot {
    uint64_t local; /* in its function's frame; a key of base/search.h */
    uint32_t size;
    struct slot *kin; /* one that it is copied from or to; itself: what follows is said of it and all of its kin */
    bool memory;      /* they have no registers */
    uint32_t count;
    struct slot_element {
        uint32_t at, bytes;
    } elements[SLOT_ELEMENTS];
};

/* Slots of a function. */
struct slot_frame {
    struct slot *slots; /* by `local` */
    uint32_t count;
    uint32_t
        *place;   /* of each register that one `frame` writes and nothing else: the byte that it names; else NO_SLOT */
    bool *needed; /* of these: something else than a slot with registers is accessed by it */
};

#define NO_SLOT UINT32_MAX

struct slots {
    const struct lane_module *module;
    struct arena *arena;
    struct slot_frame *frames; /* by function */
};

/* The functions whose code stands in the place of a call: none, the one that it names, those that it may find by a
 * pointer. */
struct taken {
    const uint32_t *callees;
    uint32_t count;
};

/* Functions whose code becomes one. */
struct slots_of {
    const uint32_t *funcs; /* the kernel first */
    uint32_t count;
    const struct taken *taken; /* of the kernel's calls; all calls of other functions are taken */
};
bool slots_find(struct arena *arena, const struct lane_module *module, const struct slots_of *of, struct slots *slots);

/* The slot that has this byte of a function's frame, if it has registers; else NO_SLOT. */
uint32_t slots_at(const struct slots *slots, uint32_t func, uint32_t local);

/* Where an instruction loads from or stores to a slot with registers: the byte that it names; else NO_SLOT. */
uint32_t slots_access(const struct slots *slots, uint32_t func, const struct lane_inst *inst);

/* The one of its kin that has the elements. */
static inline struct slot *slot_root(const struct slot *slot)
{
    struct slot *root = slot->kin;
    while (root != root->kin)
        root = root->kin;
    return root;
}

/* The number of the element that begins at a byte of the frame. */
uint32_t slots_element(const struct slot *slot, uint32_t local);

#endif

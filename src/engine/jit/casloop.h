/* Loops that try a compare-and-swap on the block's memory until it holds, to add a constant:
 *
 *   b:  new = add seen, 1
 *       old = atom.shared.cas [address], seen, new
 *       p = setp.ne old, seen
 *       seen = mov old
 *       @p bra b
 *
 * Where memory has what all lanes have seen, it is known what the rounds of the loop do. Of lanes with one address the
 * lowest comes through in a round, and the others read what it has stored: so in the end each has added once, in the
 * order of lanes, and a lane has had as many rounds as lanes before it have its address, and one. */
#ifndef ATOLL_ENGINE_JIT_CASLOOP_H
#define ATOLL_ENGINE_JIT_CASLOOP_H

#include "engine/jit/emit.h"

struct casloop {
    const struct decoded *cas;
    uint32_t seen; /* the slot */
    uint64_t by;
    LLVMValueRef old; /* when it has been carried out: what each lane's last compare-and-swap gave */
};

/* Variables of the code: blocks.c. */
struct casloop_counters {
    LLVMValueRef turns, fair, instructions, lane_instructions, divergent;
};

/* Is the segment such a loop? */
bool casloop_find(struct emit *e, uint32_t segment, struct casloop *loop);
/* Do lanes that come from the end of a segment to the one behind it, a loop, bring what memory has there? */
bool casloop_loads(struct emit *e, uint32_t segment);
/* Carries out what the loop does to memory, for the lanes that run, counts its rounds but the end of the last, and sets
 * `seen`; what else lanes have in the end the other instructions of the segment make of it. Or jumps to `other` and has
 * done nothing: where turns might end meanwhile, or memory has something else than lanes have seen. `loaded`, a
 * variable, i1: it surely has that; false from here on. */
void casloop_run(struct emit *e, struct casloop *loop, const struct casloop_counters *counters, LLVMValueRef loaded,
                 LLVMBasicBlockRef other);

#endif

/* Twin loops: two warps of a block run the rounds of a loop at once.
 *
 * Of a loop that does nothing but compute, each operation waits for the one before it. Two warps have twice as many
 * operations that do not wait for each other. A warp that has gone around such a loop some times looks for company:
 *
 *   another warp is parked at the loop:         both go on, instruction by instruction, while both have lanes there;
 *                                               then both are parked, and the one that was first goes on
 *   another warp is parked elsewhere:           this one goes on alone
 *   a warp of this part is yet to begin:        this one is parked, that one begins
 *   none is:                                    this one goes on alone
 *
 * A parked warp has its registers in its frame; where it is and which lanes run and wait is in jit_call. One at most is
 * parked while another runs. As soon as a warp of the part has ended the one that is parked goes on. When code is left
 * while a warp is parked, the interpreter has that one, too (run.c).
 *
 * What a warp does that others can see is done in the order of the warps, as without. So warps are parked at loops that
 * a part can come to before it has done anything of the kind; and one that is *early*, as the one before it is parked,
 * is parked behind that one where it would do so. It may load early, but not by the interpreter's step, which might
 * trap.
 */
#ifndef ATOLL_ENGINE_JIT_TWINS_H
#define ATOLL_ENGINE_JIT_TWINS_H

#include "engine/jit/control.h"

/* Which segments are such loops. False: no memory. */
bool twins_find(struct blocks *b);
/* Is it one? */
bool twins_is(const struct blocks *b, uint32_t segment);
/* What is between warps: where one has ended. */
void twins_open(struct blocks *b);
/* Where a warp begins: a parked one goes on. Goes on where another begins. */
void twins_resume(struct blocks *b);
/* At the start of a segment that is about to be emitted: of such a loop, not when it comes from its own end, which goes
 * where this goes on. */
void twins_begin(struct blocks *b, uint32_t segment);
/* Before the interpreter carries an instruction out, the next of e->segment: not early. */
void twins_step(struct emit *e, const struct decoded *at);
/* At its end: where it goes when fewer than *least turns are left, `none` if that is because there are none. */
LLVMBasicBlockRef twins_turn(struct blocks *b, uint32_t segment, LLVMBasicBlockRef none, LLVMValueRef *least);
/* Emits what has been promised so. */
void twins_close(struct blocks *b);

#endif

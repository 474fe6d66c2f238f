/* Twin loops: two or four warps of a block run the rounds of a loop at once.
 *
 * Of a loop that does nothing but compute, each operation waits for the one before it. Two warps have twice as many
 * operations that do not wait for each other; four, where their registers are few enough for the host's, four times as
 * many. A warp that has gone around such a loop some times looks for company:
 *
 *   as many warps as go around it at once are   all go on, instruction by instruction, while all have lanes there;
 *   parked at the loop, less this one:          then all are parked, and the first of them goes on
 *   fewer are, or none, a warp of this part     this one is parked, that one begins
 *   is yet to begin, and this one is early or
 *   the only one:
 *   fewer are, and it is not so:                this one and the one that is parked next to it go on together
 *   others are parked elsewhere, or none is:    this one goes on alone
 *
 * A parked warp has its registers in its frame; where it is and which lanes run and wait is in jit_call. As soon as a
 * warp of the part has ended the first that is parked goes on. When code is left while warps are parked, the
 * interpreter has these, too (run.c).
 *
 * What a warp does that others can see is done in the order of the warps, as without. So warps are parked at loops that
 * a part can come to before it has done anything of the kind; and one that is *early*, as those before it are parked,
 * is parked behind them where it would do so. It may load early, but not by the interpreter's step, which might trap.
 * The warp that runs is either early or, of those that have begun and not ended, the first.
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

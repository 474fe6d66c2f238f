/* Loops that most rounds end with the lanes they began with.
 *
 * Which lanes go on is known late in a round: a comparison becomes a mask, the mask a word, the word a mask again.
 * Where what is compared in the next round is kept, of lanes that have left, by that mask, each round waits for the one
 * before. In a *calm* loop "the lanes stay as they are" is a branch, behind which nothing waits, as the host guesses
 * it:
 *
 *        round <----------------+
 *          |                    |
 *        few changes of late? --+--no--> part     part: lanes become those that go on, as anywhere
 *          | yes                |
 *        the same lanes? --yes--+
 *          | no
 *          part
 *
 * A wrong guess costs as much as one or two rounds, so it is made only while lanes have left in few of the last 32. */
#ifndef ATOLL_ENGINE_JIT_CALM_H
#define ATOLL_ENGINE_JIT_CALM_H

#include "engine/jit/control.h"

/* What it counts changes in. */
void calm_open(struct blocks *b);
/* Is a segment that branches back to itself such a loop? */
bool calm_is(const struct blocks *b, uint32_t segment);
/* At the end of a round: `same`, i1, are the lanes that go on those that it began with? Goes to `again` then; goes on
 * where lanes may have left. */
void calm_end(struct blocks *b, LLVMValueRef same, LLVMBasicBlockRef again);

#endif

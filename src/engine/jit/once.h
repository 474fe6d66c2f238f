/* Slots with a form (flow.h), at the place at hand: e->segment, e->forms. What is computed once for all lanes, and
 * where it has to be held lane by lane. */
#ifndef ATOLL_ENGINE_JIT_ONCE_H
#define ATOLL_ENGINE_JIT_ONCE_H

#include "engine/jit/emit.h"

/* Have all results of an instruction a form? */
bool once_is(struct emit *e, const struct decoded *at);
/* i1: and they have it only if this is true, or what runs must be left; NULL: always. */
LLVMValueRef once_fits(struct emit *e, const struct decoded *at);
/* Carries it out for one lane. False: there is no way for that; nothing was emitted. */
bool once_emit(struct emit *e, const struct decoded *at);
/* Carries out a comparison of what differs from lane to lane with what all have, if a gate can tell whether all lanes
 * find the same. */
bool once_compare(struct emit *e, const struct decoded *at);
/* i1: do all lanes find `value` in such a comparison? NULL: it is no such one. Where they wrap around it is false. */
LLVMValueRef once_all_find(struct emit *e, const struct decoded *at, bool value);
/* Carries out a minimum or maximum of what differs from lane to lane and what all have, if a gate before accesses can
 * tell that it is the former in all lanes: coordinates that are kept within a picture. */
bool once_choose(struct emit *e, const struct decoded *at);
/* Results that only some lanes get: what the others have is held lane by lane from here on, whichever way is gone. */
void once_unfold(struct emit *e, const struct decoded *at);
/* At the end of the segment: what has a form here, and none where the segment leads, is held lane by lane there. */
void once_settle(struct emit *e);

/* At an entry, the start of e->segment. Has a slot to be read from the frame? i32: for which lanes? */
bool once_needed(struct emit *e, uint32_t slot);
LLVMValueRef once_in_need(struct emit *e, uint32_t slot);
/* i1: have they what the forms say? NULL: they have. */
LLVMValueRef once_conforms(struct emit *e);

#endif

/* One call of compiled code runs all warps of a block: a part of the kernel, up to a barrier of the whole block or to
 * the end, is run for one warp after the other, then the next part.
 *
 *   part:  what may have been found out meanwhile is looked at
 *   block: which block it is
 *   found: is there anything to do for a warp? (idle.c)
 *   warp:  its registers and lanes; it begins where this part begins
 *   ...    it ends. As those before it in this part?          no: the caller goes on
 *   next:  is there another?                                  yes: warp
 *   over:  have all exited? Then the block is over, and the next begins if there is one: block. They are at one
 *          barrier: part
 *
 * As in the interpreter the warp that came last to a barrier goes on first, and those after it. A call for one warp
 * (JIT_SINGLE), which the interpreter makes, goes the same ways: it ends as no other did, and is left. */
#ifndef ATOLL_ENGINE_JIT_PARTS_H
#define ATOLL_ENGINE_JIT_PARTS_H

#include "engine/jit/emit.h"
#include "engine/jit/jit.h"

struct parts {
    LLVMValueRef at, last;            /* variables: the warp; the last one that began */
    LLVMValueRef first, entry, ended; /* as in jit_call */
    LLVMBasicBlockRef part, block, warp, begin;
    LLVMBasicBlockRef found, none;       /* one is about to begin: left to whoever emits; all of the part have begun */
    LLVMBasicBlockRef next, fresh;       /* a warp has ended: left to whoever emits, leads to where the next begins */
    LLVMBasicBlockRef round, all_exited; /* all warps are at one barrier, or have exited: left to whoever emits */
    LLVMValueRef over;                   /* the switch: how have all ended? */
};

/* The start of the function, and what is between warps; goes on where a warp begins. */
void parts_open(struct emit *e, struct parts *p);
/* At the end of emitting: nothing more comes to e->entry_builder, part_builder, block_builder, warp_builder. */
void parts_close(struct emit *e, const struct parts *p);
/* The warp that runs, or that ran last: where none has begun, too. */
LLVMValueRef parts_warp(struct emit *e, const struct parts *p);
/* Where the warp begins; with JIT_SINGLE, if the call is for it alone. */
LLVMValueRef parts_entry(struct emit *e, const struct parts *p);
/* The warp has ended: JIT_DONE, or at a barrier's exit, where the registers are in the frame. Goes on where others have
 * ended differently. */
void parts_end(struct emit *e, const struct parts *p, uint32_t how);
/* A warp that is about to begin may end its part like that without having begun. parts_may_end: it begins, where others
 * have ended differently; goes on otherwise. parts_candidate: goes on at `whole` with a warp, which begins if it is not
 * whole. parts_pass: it has ended so; the next is looked at, at `whole`. */
void parts_may_end(struct emit *e, const struct parts *p, uint32_t how);
LLVMValueRef parts_candidate(struct emit *e, const struct parts *p, LLVMBasicBlockRef whole);
void parts_pass(struct emit *e, const struct parts *p, uint32_t how, LLVMBasicBlockRef whole);
/* i1: is the warp that follows the last that began yet to begin? */
LLVMValueRef parts_follows(struct emit *e, const struct parts *p);
/* When all have ended so the next part begins at an entry. */
void parts_lead(struct emit *e, const struct parts *p, uint32_t how, uint32_t entry);
/* The next part begins, unless somebody has to be asked (limits, a launch that stops): goes on there; and there, once
 * counters are in the warp: asks, and the next part begins at what parts_round gave, unless the launch stops. */
LLVMBasicBlockRef parts_round(struct emit *e, const struct parts *p);
void parts_ask(struct emit *e, LLVMBasicBlockRef on);
/* The block is over: another one begins, or it goes on here. */
void parts_again(struct emit *e, const struct parts *p);
/* Says in jit_call what the block's warps have done. */
void parts_tell(struct emit *e, const struct parts *p);

#endif

/* Atomic operations of a warp on memory that others see: what is done where the lanes' places are known. red.c and
 * sured.c find those. */
#ifndef ATOLL_ENGINE_JIT_REDUCE_H
#define ATOLL_ENGINE_JIT_REDUCE_H

#include "engine/jit/emit.h"

/* What an operation of mem/atomic.c on integers stores: a is the value in memory, b and c (of cas) the operands. All
 * are scalars, or all vectors. sign: i1, have elements a sign? NULL: the access's type says it. Not of fcas. */
LLVMValueRef reduce_update(struct emit *e, const struct decoded *at, LLVMValueRef sign, LLVMValueRef a, LLVMValueRef b,
                           LLVMValueRef c);
/* Are many operations on one element, whose results nobody reads, one operation in the end? */
bool reduce_combines(const struct decoded *at);
/* Its operand: of the operands of `lanes` in the vector b. */
LLVMValueRef reduce_total(struct emit *e, const struct decoded *at, LLVMValueRef sign, LLVMValueRef b,
                          LLVMValueRef lanes);

/* An atomic operation that is being emitted. */
struct reduction {
    const struct decoded *at;
    unsigned bits, bytes; /* of an element */
    unsigned first;       /* operand after the places */
    bool wants, extends;  /* a result is read; it gets the sign of the element */
    LLVMValueRef sign;    /* i1: elements have a sign; NULL: the access's type says it */
    LLVMValueRef b, c;    /* operands of all lanes, as elements; c: NULL, or what cas stores */
    LLVMValueRef same_b;  /* b as a scalar, in the width of its register; NULL: lanes may differ */
    LLVMValueRef owned;   /* i1: no other host thread writes what it reaches (owners.h) */
    LLVMValueRef lanes;   /* i32: that carry it out */
    LLVMBasicBlockRef counted, done;
    /* i32: those that are to be carried out yet, which lie in range and are aligned; what others have got, as elements
     * (NULL: nobody asks). They lie at base + offset bytes (32 or 64 bits). */
    LLVMValueRef go, old, base, offset;
};

/* Has the operation a compiled form? `first` is the operand after the places. Nothing is emitted. */
bool reduce_fits(const struct decoded *at, unsigned first);
/* Begins it: with the lanes that carry it out, which are some. */
void reduce_begin(struct emit *e, const struct decoded *at, unsigned first, struct reduction *r);

/* Ways. If `is` (i1), the lanes of each half lie side by side, from to[0] and to[1] on: all of them at once, where they
 * run. Goes on where it is not so, or somebody came between: with r->go and r->old, which this may change. */
void reduce_rows(struct emit *e, struct reduction *r, LLVMValueRef is, LLVMValueRef to[2]);
/* All have one place. False: nothing was emitted, as each may get another result. */
bool reduce_one(struct emit *e, struct reduction *r, LLVMValueRef to);
/* Wherever they lie. There are some. */
void reduce_places(struct emit *e, struct reduction *r);
/* A reduction into elements of this host thread's own, of 32 or 64 bits: as reduce_rows; at r->offset (32 bits). */
void reduce_held_rows(struct emit *e, const struct reduction *r, LLVMValueRef is, LLVMValueRef to[2]);
void reduce_held(struct emit *e, const struct reduction *r, LLVMValueRef elements);
/* No lane goes. */
void reduce_none(struct emit *e, struct reduction *r);
/* After all ways: counts, and goes on at r->done. */
void reduce_end(struct emit *e, struct reduction *r);

/* atom, red on memory that others see (red.c): as emit_access. */
bool red_emit(struct emit *e, const struct decoded *at);
/* sured, suatom (sured.c): as emit_texels. */
bool sured_emit(struct emit *e, const struct decoded *at);

/* What is held back (mem/held.h), as far as a call knows (held.c). At its start: */
void held_open(struct emit *e);
/* Where a surface's fields have been loaded. */
void held_surface(struct emit *e, const struct emit_surface *s);
/* After whatever may have changed it: the interpreter's steps. */
void held_look(struct emit *e);
/* i1: is nothing held back of the surface's memory? NULL: nothing of any ever is. */
LLVMValueRef held_nothing(struct emit *e, const struct emit_surface *s);
/* A variable for the entry that one instruction has found, NULL until it has and after whatever may change it. NULL:
 * there are none left. */
LLVMValueRef held_variable(struct emit *e);
/* struct held * */
LLVMValueRef held_all(struct emit *e);

#endif

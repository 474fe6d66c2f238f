/* Rows: elements of a warp's lanes that lie side by side in memory. What access.c and texels.c share. */
#ifndef ATOLL_ENGINE_JIT_ROWS_H
#define ATOLL_ENGINE_JIT_ROWS_H

#include "engine/jit/emit.h"

/* Fields that do not change while compiled code runs: loaded once, at its start. */
LLVMValueRef rows_worker(struct emit *e);                      /* struct worker * */
LLVMValueRef rows_block(struct emit *e);                       /* struct block * */
LLVMValueRef rows_shared(struct emit *e, LLVMValueRef *bytes); /* the block's memory; how many it has, 64 bits */
/* A field of the site of an instruction. */
LLVMValueRef rows_site(struct emit *e, const struct decoded *at, size_t offset, LLVMTypeRef type);
void rows_set_site(struct emit *e, uint32_t site, size_t offset, LLVMValueRef value);
/* Host memory at `host` that the kernel sees at [base, base + size). */
struct region {
    LLVMValueRef host, base, size;
    LLVMValueRef usable; /* i1; NULL: always */
};
/* The allocation of the site of an instruction, of one that writes if `store`. */
struct region rows_allocation(struct emit *e, const struct decoded *at, bool store);
/* Adds to a counter of the warp, or of another of its worker, of which only sums are looked at; 64 bits. Those of
 * accesses and atomics are variables that rows_counters makes at the start and that are added when code is left; not
 * in tight code. */
void rows_counters(struct emit *e);
void rows_count(struct emit *e, size_t offset, LLVMValueRef by);

LLVMValueRef rows_both(struct emit *e, LLVMValueRef a, LLVMValueRef b); /* and; NULL is true */
/* n elements from number `from` on of those of a and then b. */
LLVMValueRef rows_part(struct emit *e, LLVMValueRef a, LLVMValueRef b, unsigned from, unsigned n);
/* i1: are two vectors of integers the same, in all lanes? */
LLVMValueRef rows_equal(struct emit *e, LLVMValueRef a, LLVMValueRef b);
/* umax(size - bytes + 1, 0): what the offset of `bytes` bytes has to be below, to lie within `size`. */
LLVMValueRef rows_limit(struct emit *e, LLVMValueRef size, LLVMValueRef bytes);
LLVMValueRef rows_full(struct emit *e, LLVMValueRef lanes); /* i1: all of them */
/* The lanes that carry an instruction out. Where there may be none, it is gone around to `done` then. */
LLVMValueRef rows_some(struct emit *e, const struct decoded *at, LLVMBasicBlockRef done);

/* An intrinsic that is overloaded by two types. */
LLVMValueRef rows_intrinsic(struct emit *e, const char *name, LLVMTypeRef types[2], LLVMValueRef *args, unsigned nargs);
/* Elements of 32 or 64 bits at the places (a vector of pointers) of some lanes: loaded, 0 for the others; stored, in
 * the order of lanes, as x86 has it where places overlap (Intel's manual, VPSCATTERDD; the tests of stores
 * say the same of AMD's Zen 4). For hosts with e->gathers. */
LLVMValueRef rows_gather(struct emit *e, LLVMValueRef places, unsigned bits, LLVMValueRef lanes);
void rows_scatter(struct emit *e, LLVMValueRef places, LLVMValueRef values, LLVMValueRef lanes);
/* The order in which lanes store, for those of an access whose passes start with the lanes `starts` (lane/passes.h).
 * What lanes have, turn by turn; the turns of some lanes; the last of some, i32. */
LLVMValueRef rows_in_turn(struct emit *e, LLVMValueRef vector, uint32_t starts);
LLVMValueRef rows_turns(struct emit *e, LLVMValueRef lanes, uint32_t starts);
LLVMValueRef rows_last(struct emit *e, LLVMValueRef lanes, uint32_t starts);
/* Loads and stores of `n` elements of vectors, without any alignment. */
LLVMValueRef rows_load(struct emit *e, LLVMValueRef from, unsigned bits, unsigned n);
LLVMValueRef rows_store(struct emit *e, LLVMValueRef to, LLVMValueRef row);
/* The same past the caches: of whole lines, aligned to them. It has no order before a fence. */
enum { ROWS_LINE = 64 };
void rows_store_past(struct emit *e, LLVMValueRef to, LLVMValueRef row);
/* Two rows as one; the first (0) or the second half of one; an element `n` times, at most eight times for all lanes. */
LLVMValueRef rows_joined(struct emit *e, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef rows_half(struct emit *e, LLVMValueRef row, unsigned half);
LLVMValueRef rows_zip(struct emit *e, LLVMValueRef a, LLVMValueRef b); /* by turns */
LLVMValueRef rows_repeated(struct emit *e, LLVMValueRef element, unsigned n);
/* Every `vec`th element of a row from `k` on; the row of which they are. */
LLVMValueRef rows_component(struct emit *e, LLVMValueRef row, unsigned k, unsigned vec);
LLVMValueRef rows_interleave(struct emit *e, LLVMValueRef *components, unsigned vec);
/* Elements or vectors of elements as the register has them, of `bits` bits, and back. */
LLVMValueRef rows_widen(struct emit *e, LLVMValueRef value, unsigned from, unsigned bits, bool is_signed);
LLVMValueRef rows_narrow(struct emit *e, LLVMValueRef value, unsigned from, unsigned bits);

/* Vectors that are read lane by lane lie in memory: none is in two loops at once. */
LLVMValueRef rows_in_memory(struct emit *e, LLVMValueRef vector);
LLVMValueRef rows_element_at(struct emit *e, LLVMValueRef array, LLVMValueRef lane, unsigned bits); /* a pointer */
LLVMValueRef rows_element(struct emit *e, LLVMValueRef array, LLVMValueRef lane, unsigned bits);
/* A loop over lanes, of which there are some, lowest first. `lane` is the one at hand, 64 bits. */
struct rows_loop {
    LLVMBasicBlockRef head, after;
    LLVMValueRef left, lane;
};
struct rows_loop rows_each(struct emit *e, LLVMValueRef lanes);
void rows_each_end(struct emit *e, struct rows_loop *loop);
/* Places for vectors that are read or written lane by lane, k < EMIT_PLACES: what one operation keeps there is done
 * with when the next one begins. A vector goes there; one of elements of `bits` is read. */
LLVMValueRef rows_place(struct emit *e, unsigned k);
LLVMValueRef rows_keep(struct emit *e, unsigned k, LLVMValueRef vector);
LLVMValueRef rows_kept(struct emit *e, unsigned k, unsigned bits);
/* What is done for a lane (64 bits), and its result, an integer. */
typedef LLVMValueRef rows_lane_fn(struct emit *e, const void *with, LLVMValueRef lane);
/* Emits loops that come to each of `lanes`, in their order, several at a time where all run. Results go to a place;
 * NULL: none are wanted. */
void rows_lanes(struct emit *e, LLVMValueRef lanes, rows_lane_fn *lane, const void *with, LLVMValueRef results);

/* What is loaded at the start of the surface that a surface access names (texels.c). NULL: its handle is not known
 * there, or there are too many. */
const struct emit_surface *rows_surface(struct emit *e, const struct decoded *at);
/* After the step of an access: what it has found is noted where the start of the function looks for it. */
void rows_note_surface(struct emit *e, const struct emit_surface *surface, const struct decoded *at);

#endif

/* Emitting LLVM code for a kernel: what the files of the JIT share while they do.
 *
 * A value of a warp is a vector of 32 elements: a register of w bits is <32 x iw>, a predicate <32 x i1>. Floats are
 * bits, as in the frame. Where an operation is carried out once for all lanes (e->lanes is 1), vectors are scalars, for
 * all that is said below of 32 elements. Registers live in variables (an `alloca` each; LLVM makes values of them), one
 * for each slot of the frame, so an operation may branch as it likes: each way stores its results. In variables
 * predicates are words of 32 bits, and so are masks until a vector wants them (masks.c).
 *
 * `exec` says which lanes run. A result is blended with what was there only where that can be seen: under a guard, and
 * where lanes that wait elsewhere still need what is in the slot (flow.c).
 *
 * What has no compiled form is carried out by the interpreter's step (emit_step): its operands are stored to the frame,
 * it is called, its results are read back. So every operation can be compiled, and slow ways cost one call.
 */
#ifndef ATOLL_ENGINE_JIT_EMIT_H
#define ATOLL_ENGINE_JIT_EMIT_H

#include "engine/jit/llvm.h"
#include "engine/run.h"

/* A register has two variables, which of them holds it is known at each place by its form (flow.h): lane by lane, or
 * what lane 0 has, of which the others' values follow. */
struct variable {
    LLVMValueRef at, first; /* allocas; NULL: not in use */
    uint8_t bits;
    bool loose; /* holds an f32 that has to be finished for whoever looks at its bits (loose.c) */
};

/* A surface whose handle all lanes have from the start: what is loaded of it there (texels.c). Numbers have 64 bits. */
struct emit_surface {
    uint32_t slot, site;   /* of the handle; where it is looked for */
    uint8_t dim;           /* of accesses */
    LLVMValueRef usable;   /* i1; NULL: not in use */
    LLVMValueRef is_large; /* i1: beyond what caches keep */
    LLVMValueRef format;   /* some other memory where it is not usable */
    LLVMValueRef texels, row_bytes, height, slices, pitch, slice_pitch, size;
    LLVMValueRef shared, sint, snorm; /* i1: others reach its memory; the kinds of its format */
};
enum { EMIT_SURFACES = 8, EMIT_PLACES = 4, EMIT_ENTRIES = 8 };

/* A counter of the warp that code adds to: a variable until code is left (rows_count). */
struct emit_counter {
    size_t offset; /* in struct warp */
    LLVMValueRef at;
};
enum { EMIT_COUNTERS = LANE_SPACES + 1 };

/* Two neighbouring lanes' elements of vectors in memory, while code for them is emitted (rows_element). */
struct emit_pairs {
    bool second; /* of the two lanes */
    unsigned count;
    LLVMValueRef array[EMIT_PLACES], loaded[EMIT_PLACES];
};

/* A function of the module that accesses of a kind share (scattered.c). */
struct emit_scattered {
    uint32_t starts; /* of stores: passes begin there (lane/passes.h) */
    uint8_t bytes;
    bool store, narrow, surely; /* addresses of 32 bits; which are known to be in the region */
    LLVMValueRef function;
};
enum { EMIT_SCATTERED = 16 };

struct emit {
    const struct llvm *llvm;
    const struct program *program;
    const struct func *func;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder; /* of the place at hand */
    /* Of what comes before all that is emitted: at the start of the function; where all warps of the block begin a part
     * of it; where it is another block; where a warp begins (parts.h). */
    LLVMBuilderRef entry_builder, part_builder, block_builder, warp_builder;
    LLVMValueRef function;
    LLVMTypeRef i1, i8, i16, i32, i64, i128, f32, f64, ptr, nothing;
    LLVMValueRef warp;                 /* struct warp *: of a call that runs a block one after the other */
    LLVMValueRef regs;                 /* of its frame */
    LLVMValueRef given, given_regs;    /* the warp that the call was made with, known at the start: for what is the same
                                          in all warps */
    LLVMValueRef code;                 /* struct jit_code *, which has addresses of the host */
    LLVMValueRef call;                 /* struct jit_call * */
    LLVMValueRef exec;                 /* i32: lanes that run, at this place */
    LLVMValueRef worker, sites, block; /* of all warps, loaded at the start when needed first; NULL: not yet */
    LLVMValueRef shared, shared_bytes;
    struct emit_surface surfaces[EMIT_SURFACES];
    /* Variables: i1, is nothing held back of the surface's memory; struct held_surface *, of a reduction (held.c). */
    LLVMValueRef calm[EMIT_SURFACES], entries[EMIT_ENTRIES];
    unsigned nentries;                  /* that are taken */
    bool holds;                         /* the kernel may hold reductions back */
    LLVMValueRef lanes_at[EMIT_PLACES]; /* where vectors lie that are read lane by lane (update.c); NULL: none yet */
    unsigned exchanges;                 /* atomic operations of rows that have been emitted (reduce.c) */
    struct emit_pairs *pairs;           /* NULL: lanes come one at a time */
    struct emit_counter counters[EMIT_COUNTERS];
    unsigned ncounters;
    LLVMValueRef step;           /* of the module: calls jit_code.step. NULL: not yet */
    LLVMValueRef update, places; /* of the module: calls jit_code.update; of the function: struct jit_places * */
    /* Code for kernels that would be too much otherwise: slower, but LLVM is through with it sooner. What is counted,
     * and where a block is, lies in memory: variables have a value of their own wherever ways meet, thousands of them.
     * Lanes whose elements lie anywhere go through functions (scattered.c). */
    bool tight;
    struct emit_scattered scattered[EMIT_SCATTERED];
    unsigned nscattered;
    LLVMBasicBlockRef stopped;  /* leaves: the launch has stopped */
    struct variable *variables; /* by slot: byte offset in the frame / 4 */
    struct flow *flow;
    struct blocks *early_of; /* whose warp may be early here (twins.h); NULL: none can */
    struct gate *gate;       /* before the run of instructions that is being emitted (gate.h); NULL: there is none */
    uint64_t *live;          /* scratch: a set of slots */
    uint8_t *forms;          /* of each slot, at this place (flow.h) */
    unsigned lanes;          /* of the values at hand: LANES; 1 where an operation is carried out once for all lanes */
    uint32_t kinds;          /* of texels that formatted accesses are compiled for (struct compiler); 0: all */
    uint32_t segment;        /* that is being emitted */
    bool has_fma;            /* of the host: llvm.fma is an instruction */
    bool swaps_wide;         /* of the host: it compares and exchanges 128 bits */
    bool gathers;            /* of the host: it loads elements from anywhere at once, and quickly */
    bool gathers_tables;     /* from the tables of pure_interpolate.c, too */
    bool daz;             /* the host takes subnormals for zero: whoever computes with floats that may be, minds it */
    unsigned vector_bits; /* of the host: 128, 256, 512 */
    bool has_upper;       /* its registers have upper halves, of which not all code knows */
};

/* Is the host x86? */
#if defined(__x86_64__)
enum { JIT_X86 = 1 };
#else
enum { JIT_X86 = 0 };
#endif

/* e->llvm->BuildAdd(e->builder, a, b, "") is written LL(BuildAdd, a, b). */
#define LL(build, ...) (e->llvm->build(e->builder, __VA_ARGS__, ""))

/* ---- values (value.c) ------------------------------------------------------------------------------------------ */

LLVMTypeRef emit_int(struct emit *e, unsigned bits);
LLVMTypeRef emit_vector(struct emit *e, LLVMTypeRef element);                       /* of 32 */
unsigned emit_elements(const struct emit *e, LLVMTypeRef type);                     /* 0: it is no vector */
unsigned emit_bits(const struct emit *e, LLVMTypeRef type);                         /* of an element; 0: of no number */
LLVMValueRef emit_const(struct emit *e, unsigned bits, uint64_t value);             /* a scalar */
LLVMValueRef emit_consts(struct emit *e, unsigned bits, uint64_t value);            /* 32 times */
LLVMValueRef emit_iota(struct emit *e, unsigned bits, uint64_t first, uint64_t by); /* first + lane * by */
LLVMValueRef emit_splat(struct emit *e, LLVMValueRef scalar);
LLVMValueRef emit_lane(struct emit *e, LLVMValueRef vector, unsigned lane);
LLVMValueRef emit_mask(struct emit *e, LLVMValueRef word); /* i32 -> <32 x i1> */
/* An i32, or a vector that is one of AVX-512's registers -> the same, but LLVM does not know it (masks.c). */
LLVMValueRef emit_hide(struct emit *e, LLVMValueRef x);
LLVMValueRef emit_word(struct emit *e, LLVMValueRef mask); /* <32 x i1> -> i32 */
/* Registers of `bits`, lane by lane: a where the mask is true. Of 128 bits in halves, or LLVM makes scalars. */
LLVMValueRef emit_select(struct emit *e, LLVMValueRef mask, LLVMValueRef a, LLVMValueRef b, unsigned bits);
/* An overloaded intrinsic of the type of `overload`: "llvm.umin". */
LLVMValueRef emit_intrinsic(struct emit *e, const char *name, LLVMTypeRef overload, LLVMValueRef *args, unsigned nargs);
/* An instruction of the host, of one type each: "llvm.x86.avx2.pmulhu.w". */
LLVMValueRef emit_host(struct emit *e, const char *name, LLVMTypeRef result, LLVMValueRef *args, unsigned nargs);
/* A field of a struct at `base` (a pointer): emit_field(e, e->warp, offsetof(struct warp, live), e->i32). */
LLVMValueRef emit_field(struct emit *e, LLVMValueRef base, size_t offset, LLVMTypeRef type);
void emit_set_field(struct emit *e, LLVMValueRef base, size_t offset, LLVMValueRef value);
LLVMValueRef emit_at(struct emit *e, LLVMValueRef base, LLVMValueRef offset); /* base + offset bytes (i64 or i32) */

/* The same at the start of the function: of what does not change during a call. */
LLVMValueRef emit_never_changes(struct emit *e, LLVMValueRef load); /* the load of what nobody changes meanwhile */
LLVMValueRef emit_field_once(struct emit *e, LLVMValueRef base, size_t offset, LLVMTypeRef type);
/* The same of what does not change in a block. */
LLVMValueRef emit_field_of_block(struct emit *e, LLVMValueRef base, size_t offset, LLVMTypeRef type);
/* A variable that is `value` when a warp begins. */
LLVMValueRef emit_variable(struct emit *e, LLVMTypeRef type, uint64_t value);

/* ---- operands (value.c). Operands are numbered as in decoded.offsets: destinations first ------------------------- */

static inline bool emit_has(const struct decoded *at, unsigned k)
{
    return k < (unsigned)at->ndst + at->nsrc && at->bits[k];
}
/* What the lanes have in a source: <32 x iw>, or <32 x i1>. */
LLVMValueRef emit_source(struct emit *e, const struct decoded *at, unsigned k);
/* The same for who computes with it as an f32: a NaN may be any, and with e->daz it may be subnormal (loose.c). */
LLVMValueRef emit_loose(struct emit *e, const struct decoded *at, unsigned k);
bool emit_is_loose(const struct emit *e, const struct decoded *at, unsigned k);
/* The same where all lanes are known to have one value: a scalar; NULL: it is not known. */
LLVMValueRef emit_uniform(struct emit *e, const struct decoded *at, unsigned k);
/* Where it is known when code is made how a source differs from lane to lane: lanes that run have
 * first + step * (lane % 16) + half * (lane / 16), in the width of the register; what others have is not said. */
struct affine {
    LLVMValueRef first; /* a scalar */
    uint64_t step, half;
};
bool emit_affine(struct emit *e, const struct decoded *at, unsigned k, struct affine *affine);
/* The same, whatever the bits of a lane's number add: first + by[i] for each bit i that it has. */
struct spread {
    LLVMValueRef first;
    const uint64_t *by;
};
bool emit_spread(struct emit *e, const struct decoded *at, unsigned k, struct spread *spread);
/* Is the source a constant? *value gets its low 64 bits. */
bool emit_constant(struct emit *e, const struct decoded *at, unsigned k, uint64_t *value);
/* The result of destination k, which may be absent: of the lanes that carry the instruction out. */
void emit_result(struct emit *e, const struct decoded *at, unsigned k, LLVMValueRef value);
/* What destination k has once the instruction has been carried out on this way. */
LLVMValueRef emit_given(struct emit *e, const struct decoded *at, unsigned k);
/* The same after the instruction has been carried out in the frame. */
void emit_take(struct emit *e, const struct decoded *at, unsigned k);
/* What lies in the frame. */
LLVMValueRef emit_frame(struct emit *e, uint32_t offset, unsigned bits);
/* emit_result of what all lanes get. */
void emit_result_once(struct emit *e, const struct decoded *at, unsigned k, LLVMValueRef scalar);
/* i32: the lanes that carry it out: those that run and have the guard, all that have it of LANE_WHOLE. */
LLVMValueRef emit_lanes(struct emit *e, const struct decoded *at);
/* i32: all of the warp; of packed warps those of the threads that have one that runs. */
LLVMValueRef emit_whole(struct emit *e);

/* Variables of slots, and their copies in the frame: what an entry reads and an exit writes (value.c), by the forms
 * that the slots have then. */
LLVMValueRef emit_get(struct emit *e, uint32_t offset, unsigned bits);
void emit_spill(struct emit *e, uint32_t offset, unsigned bits);
void emit_park(struct emit *e, uint32_t offset, unsigned bits);       /* a spill without finishing: jit_code.loose */
void emit_park_first(struct emit *e, uint32_t offset, unsigned bits); /* of what has a form: lane 0 */
void emit_fill(struct emit *e, uint32_t offset, unsigned bits, LLVMValueRef lanes); /* i32: those that need it */
/* What lane 0 has in a slot with a form. */
LLVMValueRef emit_first(struct emit *e, uint32_t offset, unsigned bits);
void emit_set_first(struct emit *e, uint32_t offset, unsigned bits, LLVMValueRef value);
/* i1: have the lanes of `lanes` (i32) in the frame what the slot's form says? NULL: any will do. */
LLVMValueRef emit_conforms(struct emit *e, uint32_t offset, unsigned bits, LLVMValueRef lanes);
/* From here on the slot is held lane by lane. */
void emit_unfold(struct emit *e, uint32_t offset, unsigned bits);
/* The guard of an instruction, as i1, where all lanes have the same; NULL: they may differ, or there is none. */
LLVMValueRef emit_guard_once(struct emit *e, const struct decoded *at);

/* ---- ways -------------------------------------------------------------------------------------------------------- */

LLVMBasicBlockRef emit_block(struct emit *e, const char *name);
void emit_begin(struct emit *e, LLVMBasicBlockRef block); /* goes on at its end */
void emit_jump(struct emit *e, LLVMBasicBlockRef to);
/* `likely`: the first way is the common one, the other may be laid far away. */
void emit_branch(struct emit *e, LLVMValueRef condition, LLVMBasicBlockRef yes, LLVMBasicBlockRef no, bool likely);
/* How often a branch or a switch goes its ways, by comparison; of a switch, the default first. With more than EMIT_WAYS
 * LLVM is told nothing. */
enum { EMIT_WAYS = 64, EMIT_OFTEN = 2000 };
void emit_weights(struct emit *e, LLVMValueRef branch, const uint16_t *weights, unsigned count);
/* The weight of all instructions so far: what is too heavy takes LLVM more time than is to be had (JIT_WEIGHT). */
uint64_t emit_weight(const struct emit *e);
/* Is a value an instruction of that kind? */
static inline bool emit_is(const struct emit *e, LLVMValueRef x, LLVMOpcode opcode)
{
    return e->llvm->IsAInstruction(x) && e->llvm->GetInstructionOpcode(x) == opcode;
}

/* What follows is put where the function starts, before all else: the pass over loops moves there what is the same in
 * them, and it may use that. */
static inline void emit_at_start(struct emit *e)
{
    LLVMBasicBlockRef first = e->llvm->GetFirstBasicBlock(e->function);
    e->llvm->PositionBuilderBefore(e->builder, e->llvm->GetFirstInstruction(first));
}

/* Which intrinsic an instruction calls; 0: none. */
static inline unsigned emit_called(const struct emit *e, LLVMValueRef x)
{
    LLVMValueRef function = emit_is(e, x, LLVMCall) ? e->llvm->GetCalledValue(x) : NULL;
    return function && e->llvm->IsAFunction(function) ? e->llvm->GetIntrinsicID(function) : 0;
}

/* All functions are for one kind of host: LLVM makes tables for each kind, which takes it a millisecond. */
LLVMValueRef emit_function(struct emit *e, const char *name, LLVMTypeRef type);
/* An attribute of a function that LLVM knows by name. */
void emit_attribute(struct emit *e, LLVMValueRef function, const char *name, const char *value);
/* Code of the host that is called or returned to may know of no upper halves of registers: they are cleared. LLVM is
 * told not to do so by itself, as it would in functions that keep all registers as they are, too. */
void emit_clear_upper(struct emit *e);
/* Calls a function of struct jit_code, `code`: its offset there. At most 4 arguments. */
LLVMValueRef emit_call(struct emit *e, LLVMValueRef code, size_t function, LLVMTypeRef result, LLVMValueRef *args,
                       unsigned nargs);
/* A function of the module that keeps all registers of the host as they are (of x86, those that AVX has), so that
 * whoever calls it, most of all on ways that hardly anybody goes, does not have its values in memory because of it. It
 * has no result: all registers are all of them. Between the two calls all that is emitted is its body; *outer gets what
 * is emitted otherwise. */
struct emit_keeping {
    LLVMBuilderRef builder, entry_builder, part_builder, block_builder, warp_builder;
    LLVMValueRef function, lanes_at[EMIT_PLACES];
};
LLVMValueRef emit_keeping_begin(struct emit *e, struct emit_keeping *outer, const char *name, LLVMTypeRef *types,
                                unsigned n);
void emit_keeping_end(struct emit *e, const struct emit_keeping *outer);
void emit_keeping_call(struct emit *e, LLVMValueRef function, LLVMTypeRef *types, LLVMValueRef *args, unsigned n);
/* Those that may not do what they are called for say in struct jit_call, `call`, whether they did. i1: it did. */
void emit_set_went(struct emit *e, LLVMValueRef call, LLVMValueRef went);
LLVMValueRef emit_went(struct emit *e);
/* Has the interpreter carry an instruction out, for the lanes that run. No operation that can make lanes wait. */
void emit_step(struct emit *e, const struct decoded *at);
/* The same of n instructions, whose operands lie in the frame: so do results then. */
void emit_steps(struct emit *e, const struct decoded *first, uint32_t n);
/* Can it be seen what lanes that do not carry an instruction out had in a slot that it writes? */
bool emit_blends(const struct emit *e, const struct decoded *at, uint32_t offset);
/* Calls jit_code.update. */
void emit_places(struct emit *e, LLVMValueRef how, LLVMValueRef lanes, LLVMValueRef places);
/* The same of a pure operation: its kernel. */
void emit_kernel(struct emit *e, const struct decoded *at);
/* Either of them, whichever the operation wants; gone around where no lanes carry it out. */
void emit_slow(struct emit *e, const struct decoded *at);
/* i32: those of `lanes` that have the guard. */
LLVMValueRef emit_guarded(struct emit *e, const struct decoded *at, LLVMValueRef lanes);

/* ---- operations: false, nothing was emitted, as there is no compiled form ------------------------------------------
 */

bool emit_pure(struct emit *e, const struct decoded *at); /* pure.c */
/* Of integers, up to LANE_GE (pure_bits.c). */
LLVMIntPredicate pure_comparison(unsigned cmp, bool is_signed);
/* Has a pure operation a form for e->lanes == 1? */
bool pure_goes_once(const struct decoded *at);
/* Loose registers (loose.c): finds them, before anything is emitted (false: no memory); has those finished that were
 * parked; finishes bits of f32, in code and in a frame. */
struct jit_code;
bool loose_find(struct emit *e, struct jit_code *code);
void loose_leave(struct emit *e, const struct jit_code *code);
LLVMValueRef loose_finish(struct emit *e, LLVMValueRef bits, bool flush);
/* With e->daz: x as the host flushes it, times a 1 that LLVM does not know, so it can leave nothing out; what was
 * flushed so, and x where it was not. */
LLVMValueRef loose_flush(struct emit *e, LLVMValueRef x);
LLVMValueRef loose_unflushed(struct emit *e, LLVMValueRef x);
void loose_finish_frame(unsigned char *regs, const uint32_t *slots, uint32_t count, bool flush);
/* Passes over the function: once registers are values; the last three in the end. */
bool pure_relax(struct emit *e);                            /* pure_nan.c; false: no memory */
void apart_all(struct emit *e);                             /* apart.c */
void narrow_all(struct emit *e);                            /* narrow.c */
void merges_part(struct emit *e);                           /* merges.c */
void sums_hide(struct emit *e);                             /* sums.c */
void masks_expand(struct emit *e);                          /* masks.c */
bool emit_access(struct emit *e, const struct decoded *at); /* access.c: ld, st, atom, red */
bool emit_texels(struct emit *e, const struct decoded *at); /* texels.c: suld, sust, sured, suatom, suq */
bool emit_warp(struct emit *e, const struct decoded *at);   /* warp.c: votes, shuffles, fences */

#endif

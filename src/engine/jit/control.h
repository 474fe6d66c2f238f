/* What control flow is emitted with: blocks.c, and stack.c of kernels with tokens. */
#ifndef ATOLL_ENGINE_JIT_CONTROL_H
#define ATOLL_ENGINE_JIT_CONTROL_H

#include "engine/jit/parts.h"

struct blocks {
    struct emit *e;
    struct jit_code *code;
    struct flow *flow;
    struct parts parts;
    LLVMBasicBlockRef done;   /* all lanes of the warp have exited */
    LLVMBasicBlockRef out;    /* the function ends */
    LLVMValueRef how;         /* variable: what it returns then */
    LLVMBasicBlockRef *start; /* of each segment; NULL: it is never reached */
    LLVMBasicBlockRef *back;  /* of each segment of a kernel with tokens: takes a turn first; NULL: none yet */
    LLVMValueRef *waiting;    /* of each segment: variable of the lanes that wait there */
    LLVMBasicBlockRef *body;  /* of each twin loop: behind its start, where rounds begin; */
    LLVMBasicBlockRef *seek;  /* where it looks for company; NULL: not yet */
    uint8_t *loops; /* of each segment: how many warps go around it at once, at most; 0: no twin loop (twins.h) */
    bool has_loops; /* are there any? */
    struct variable *twins; /* of slots, of each of the other warps */
    /* Of each segment: may a part have done nothing that others can see when it comes to it? Does it then do so there?
     */
    bool *ahead, *fronts;
    LLVMValueRef early;  /* variable, i1: the warps before the one that runs are parked */
    LLVMValueRef mark;   /* variable: a twin loop looks for company when fewer turns are left */
    LLVMValueRef resume; /* variable: 1 + the segment where the warp that begins goes on; 0: it begins */
    LLVMValueRef exec, turns, fair, instructions, lane_instructions, divergent; /* variables */
    LLVMValueRef loaded;      /* variable: the next segment is a loop, and lanes come to it as casloop_loads has it */
    LLVMBasicBlockRef again;  /* while the end of a calm loop is emitted: its next round; NULL otherwise */
    LLVMValueRef changes;     /* variable: of the last rounds of calm loops, a bit each: have lanes left? */
    uint64_t *live, *written; /* scratch: sets of slots */
    uint64_t *dirty;          /* of each segment: slots that may have changed since they were read from the frame */
    uint64_t *thin;           /* slots of which the frame has lane 0 alone where some part begins */
    bool *reached, has_meets; /* scratch: of each segment; does one end at a barrier of the whole block? */
    uint32_t *meets;          /* of each segment that ends at one, once it is emitted: the exit (barriers_meet) */
    uint32_t *stack;          /* scratch: of segments */
    uint8_t *forms;           /* of each slot, at this place */
    struct gate *gate;
    LLVMBasicBlockRef dispatch; /* of kernels with many ways: looks who runs next (dispatch.c) */
    LLVMValueRef *some;         /* variables, i64: bits of the segments at which lanes wait */
    uint32_t ncounters;         /* of jit_call.counters that are in use */
    LLVMValueRef from;          /* variable: 2 * the segment that has ended + does it spin, of those that come there */
    bool clocks; /* what a warp has counted so far is seen: of other kernels only the sum over all warps is */
    bool ok;
};

static inline LLVMValueRef blocks_get(struct blocks *b, LLVMValueRef variable, LLVMTypeRef type)
{
    struct emit *e = b->e;
    return LL(BuildLoad2, type, variable);
}

static inline void blocks_set(struct blocks *b, LLVMValueRef variable, LLVMValueRef value)
{
    b->e->llvm->BuildStore(b->e->builder, value, variable);
}

static inline LLVMValueRef blocks_zero(struct blocks *b)
{
    return emit_const(b->e, 32, 0);
}

static inline LLVMValueRef blocks_some(struct blocks *b, LLVMValueRef lanes)
{
    struct emit *e = b->e;
    return LL(BuildICmp, LLVMIntNE, lanes, blocks_zero(b));
}

static inline bool blocks_stacked(const struct blocks *b)
{
    return b->flow->func->lane->stacked;
}

/* Does what follows for each segment at which lanes may wait while `segment` runs. */
#define FOR_WAITING(b, segment, to)                        \
    for (uint32_t to = 0; to < (b)->flow->nsegments; to++) \
        if (bitset_has(flow_waits((b)->flow, segment), to))

/* i1: do some lanes of the warp wait elsewhere? NULL: none can. */
LLVMValueRef blocks_some_wait(struct blocks *b, uint32_t segment);
/* The number of a new exit; leaves by it, registers lie in the frame. */
uint32_t blocks_exit(struct blocks *b, struct jit_exit leave);
void blocks_leave_by(struct blocks *b, uint32_t segment, uint32_t how);
/* What was counted in variables goes to the warp. */
void blocks_flush(struct blocks *b);
/* Leaves at a place: before instruction `index` of a segment (jit_exit.kind). */
void blocks_leave(struct blocks *b, uint8_t kind, uint32_t segment, uint32_t index);
/* Counts the block that an instruction ends. */
void blocks_account(struct blocks *b, const struct decoded *last);
/* ... and whether the lanes that run part at its end. */
void blocks_divergence(struct blocks *b, LLVMValueRef taken, LLVMValueRef stay);
/* The variable of lanes that wait at a segment. */
LLVMValueRef blocks_waiting_at(struct blocks *b, uint32_t segment);
/* Emits one that does not end a segment, as far as it is not part of a gate's run. */
void blocks_instruction(struct blocks *b, uint32_t segment, uint32_t index);
/* That starts at a point. */
uint32_t blocks_segment_of(const struct blocks *b, uint32_t point);

/* Of brx: each lane's number; it leaves where one of those that take it is not in the table. */
LLVMValueRef blocks_index(struct blocks *b, uint32_t segment, const struct decoded *at, LLVMValueRef taken);
/* The interpreter is told of lanes that exit while others are left. */
void blocks_exit_some(struct blocks *b, LLVMValueRef lanes);
/* Goes to a segment that lies behind: the warp has a turn less, or several where it may be waiting for what others
 * store (`spins`, i1; NULL: it does not); `others`: those that wait meanwhile wait longer, NULL: none do so. */
void blocks_go_back(struct blocks *b, uint32_t to, LLVMValueRef spins, LLVMValueRef others);

/* stack.c: a push; the end of a segment. */
void stack_emit_push(struct blocks *b, const struct decoded *at);
void stack_emit_end(struct blocks *b, uint32_t segment);

#endif

/* Kernels with tokens. The warp's stack is where the interpreter has it, and does what warp/stack.c does; which
 * segments its tokens lead to is known (tokens.c). */
#include "engine/jit/control.h"
#include "lane/form.h"

/* Where the lanes of b->exec go. */
static LLVMBasicBlockRef way_to(struct blocks *b, uint32_t segment, uint32_t to)
{
    if (to > segment)
        return b->start[to];
    if (!b->back[to])
        b->back[to] = emit_block(b->e, "");
    return b->back[to];
}

static LLVMValueRef ntokens(struct blocks *b)
{
    return emit_field(b->e, b->e->warp, offsetof(struct warp, ntokens), b->e->i32);
}

static LLVMValueRef token_at(struct blocks *b, LLVMValueRef number)
{
    struct emit *e = b->e;
    LLVMValueRef bytes = LL(BuildMul, LL(BuildZExt, number, e->i64), emit_const(e, 64, sizeof(struct token)));
    return emit_at(e, emit_field(e, e->warp, offsetof(struct warp, tokens), e->ptr), bytes);
}

/* Goes to `full` where there is no room for another token. */
static void make_room(struct blocks *b, LLVMBasicBlockRef room, LLVMBasicBlockRef full)
{
    struct emit *e = b->e;
    LLVMValueRef most = emit_field(e, e->warp, offsetof(struct warp, token_room), e->i32);
    emit_branch(e, LL(BuildICmp, LLVMIntULT, ntokens(b), most), room, full, true);
}

static void put_token(struct blocks *b, LLVMValueRef lanes, uint32_t point, uint32_t kind)
{
    struct emit *e = b->e;
    LLVMValueRef n = ntokens(b), at = token_at(b, n);
    emit_set_field(e, at, offsetof(struct token, lanes), lanes);
    emit_set_field(e, at, offsetof(struct token, point), emit_const(e, 32, point));
    emit_set_field(e, at, offsetof(struct token, kind), emit_const(e, 32, kind));
    emit_set_field(e, e->warp, offsetof(struct warp, ntokens), LL(BuildAdd, n, emit_const(e, 32, 1)));
}

void stack_emit_push(struct blocks *b, const struct decoded *at)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef room = emit_block(e, ""), full = emit_block(e, ""), on = emit_block(e, "");
    make_room(b, room, full);
    emit_begin(e, full);
    emit_step(e, at);
    emit_jump(e, on);
    emit_begin(e, room);
    put_token(b, e->exec, at->target, at->inst->mode);
    emit_jump(e, on);
    emit_begin(e, on);
}

/* No lanes run: the stack says who does. */
static void run_next(struct blocks *b, uint32_t segment)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef never = emit_block(e, "");
    LLVMValueRef point = emit_call(e, e->code, offsetof(struct jit_code, resume), e->i32, &e->warp, 1);
    blocks_set(b, b->exec, emit_field(e, e->warp, offsetof(struct warp, frame.exec), e->i32));
    LLVMValueRef choose = e->llvm->BuildSwitch(e->builder, point, never, 8);
    for (uint32_t to = 0; to < b->flow->nsegments; to++)
        if (bitset_has(flow_resumed(b->flow, segment), to))
            e->llvm->AddCase(choose, emit_const(e, 32, b->flow->segments[to].point), way_to(b, segment, to));
    emit_begin(e, never);
    e->llvm->BuildUnreachable(e->builder);
}

/* A branch that parts: those that do not take it go on later. */
static void split(struct blocks *b, uint32_t segment, const struct decoded *at, LLVMValueRef taken, LLVMValueRef stay)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef room = emit_block(e, ""), full = emit_block(e, "");
    make_room(b, room, full);
    emit_begin(e, full);
    blocks_leave(b, JIT_STEP, segment, (uint32_t)(at - b->flow->func->decoded));
    emit_begin(e, room);
    blocks_account(b, at);
    put_token(b, stay, at->next, TOKEN_OTHER_SIDE);
    blocks_set(b, b->divergent, LL(BuildAdd, blocks_get(b, b->divergent, e->i64), emit_const(e, 64, 1)));
    blocks_set(b, b->exec, taken);
    emit_jump(e, way_to(b, segment, blocks_segment_of(b, at->target)));
}

/* All lanes that run take a token: the common one is on top, and brings them where it leads. */
static void pop_all(struct blocks *b, uint32_t segment, const struct decoded *at)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef fast = emit_block(e, ""), slow = emit_block(e, "");
    LLVMValueRef kind = emit_const(e, 32, at->inst->mode), below = LL(BuildSub, ntokens(b), emit_const(e, 32, 1));
    LLVMValueRef top = token_at(b, below), lanes = emit_field(e, top, offsetof(struct token, lanes), e->i32);
    LLVMValueRef top_kind = emit_field(e, top, offsetof(struct token, kind), e->i32);
    LLVMValueRef lacks = LL(BuildOr, LL(BuildXor, top_kind, kind), LL(BuildAnd, e->exec, LL(BuildNot, lanes)));
    emit_branch(e, LL(BuildICmp, LLVMIntEQ, lacks, blocks_zero(b)), fast, slow, true);
    emit_begin(e, fast);
    blocks_set(b, b->exec, LL(BuildAnd, lanes, emit_field(e, e->warp, offsetof(struct warp, live), e->i32)));
    emit_set_field(e, e->warp, offsetof(struct warp, ntokens), below);
    emit_jump(e, way_to(b, segment, b->flow->pops_to[segment]));
    emit_begin(e, slow);
    LLVMValueRef args[] = {e->warp, e->exec, kind};
    emit_call(e, e->code, offsetof(struct jit_code, unwind), e->nothing, args, 3);
    run_next(b, segment);
}

/* All lanes that run exit. */
static void exit_all(struct blocks *b, uint32_t segment)
{
    struct emit *e = b->e;
    LLVMBasicBlockRef on = emit_block(e, "");
    LLVMValueRef live = emit_field(e, e->warp, offsetof(struct warp, live), e->i32);
    emit_branch(e, LL(BuildICmp, LLVMIntNE, live, e->exec), on, b->done, false);
    emit_begin(e, on);
    LLVMValueRef args[] = {e->warp, e->exec};
    emit_call(e, e->code, offsetof(struct jit_code, exit), e->nothing, args, 2);
    run_next(b, segment);
}

/* Those in `taken` pop or exit, the others go on. */
static void some_end(struct blocks *b, uint32_t segment, const struct decoded *at, LLVMValueRef taken,
                     LLVMValueRef stay)
{
    struct emit *e = b->e;
    LLVMValueRef args[] = {e->warp, taken, emit_const(e, 32, at->inst->mode)};
    if (at->op == LANE_OP_pop && b->flow->pops_to[segment] != UINT32_MAX)
        emit_call(e, e->code, offsetof(struct jit_code, unwind), e->nothing, args, 3);
    else
        emit_call(e, e->code, offsetof(struct jit_code, exit), e->nothing, args, 2);
    blocks_set(b, b->exec, stay);
    emit_jump(e, b->start[blocks_segment_of(b, at->next)]);
}

/* A pop of lanes that hold no such token, which is an error: the interpreter's. */
static bool lacks_token(const struct blocks *b, uint32_t segment, const struct decoded *at)
{
    return at->op == LANE_OP_pop && b->flow->pops_to[segment] == UINT32_MAX && at->inst->mode != LANE_TOKEN_RETURN &&
           at->inst->mode != LANE_TOKEN_EXIT;
}

/* All lanes that run go where the end of a segment leads. */
static void end_together(struct blocks *b, uint32_t segment, const struct decoded *last)
{
    if (last->op == LANE_OP_bra || last->op == DECODED_FALL)
        emit_jump(b->e, way_to(b, segment, blocks_segment_of(b, last->target)));
    else if (last->op == LANE_OP_pop && b->flow->pops_to[segment] != UINT32_MAX)
        pop_all(b, segment, last);
    else
        exit_all(b, segment);
}

void stack_emit_end(struct blocks *b, uint32_t segment)
{
    struct emit *e = b->e;
    const struct segment *here = &b->flow->segments[segment];
    uint32_t index = here->first + here->count - 1;
    const struct decoded *last = &b->flow->func->decoded[index];
    LLVMBasicBlockRef all = emit_block(e, "");
    if (last->guard != KERNEL_NONE) {
        LLVMBasicBlockRef some_take = emit_block(e, ""), none = emit_block(e, ""), part = emit_block(e, "");
        LLVMValueRef taken = emit_guarded(e, last, e->exec), stay = LL(BuildAnd, e->exec, LL(BuildNot, taken));
        emit_branch(e, blocks_some(b, taken), some_take, none, false);
        emit_begin(e, none);
        blocks_account(b, last);
        emit_jump(e, b->start[blocks_segment_of(b, last->next)]);
        emit_begin(e, some_take);
        emit_branch(e, blocks_some(b, stay), part, all, false);
        emit_begin(e, part);
        if (lacks_token(b, segment, last)) {
            blocks_leave(b, JIT_STEP, segment, index);
        } else if (last->op == LANE_OP_bra) {
            split(b, segment, last, taken, stay);
        } else {
            blocks_account(b, last);
            some_end(b, segment, last, taken, stay);
        }
    } else {
        emit_jump(e, all);
    }
    emit_begin(e, all);
    if (lacks_token(b, segment, last)) {
        blocks_leave(b, JIT_STEP, segment, index);
        return;
    }
    blocks_account(b, last);
    end_together(b, segment, last);
}

/* Loose registers: f32 arithmetic ends with work on each result - a NaN becomes the canonical one, and with .ftz a
 * subnormal becomes zero - that arithmetic which goes on with it cannot see. Where nothing else writes a register, its
 * variable has the result as the host gives it, and what looks at its bits finishes it (value.c).
 *
 * NaNs: arithmetic makes one canonical NaN of any. Subnormals: where all that computes in a kernel flushes, the host
 * does so, what it is given and what it gives (MXCSR.DAZ and FTZ of x86; compile.c). Then subnormals are loose, too:
 * those of a negated number, or of arithmetic that LLVM has left out - of x * 1 it makes x.
 */
#include "engine/jit/emit.h"
#include "engine/jit/jit.h"

#include "engine/meaning/kernels.h"

#include <string.h>

enum { MUCH = 3 };
enum { ROUNDS = 32 }; /* of looking at all instructions; where more are needed no register is loose */

/* These have no compiled form: what is called has the host as it is usually. Or one that does not mind how it is, and
 * whose result is finished (pure_approx.c, pure_interpolate.c). */
static bool is_called(unsigned op)
{
    switch (op) {
    case LANE_OP_sin:
    case LANE_OP_cos:
    case LANE_OP_sinturn:
    case LANE_OP_costurn:
    case LANE_OP_lg2:
    case LANE_OP_ex2:
    case LANE_OP_pow:
        return true;
    default:
        return false;
    }
}

/* Arithmetic whose result is finished. */
static bool computes(const struct decoded *at)
{
    bool finishes = at->op == LANE_OP_min || at->op == LANE_OP_max || lane_is(at->op, LANE_MAKES_NAN);
    if (at->op == LANE_OP_neg || at->op == LANE_OP_abs)
        finishes = at->inst->flags & LANE_NAN;
    return finishes && !is_called(at->op) && at->inst->type == LANE_F32;
}

static bool flushes(const struct decoded *at)
{
    return at->inst->flags & LANE_FTZ;
}

/* ---- subnormals -------------------------------------------------------------------------------------------------- */

/* Is a conversion the same where the host takes subnormals for zero? */
static bool converts(const struct decoded *at)
{
    unsigned to = at->inst->type, from = at->inst->type2;
    if (jit_is_int(from) && (jit_is_int(to) || to == LANE_F32))
        return true;
    return from == LANE_F32 && flushes(at) && (jit_is_int(to) || to == LANE_F32);
}

/* The same of any operation. */
static bool is_daz(const struct decoded *at)
{
    if (at->op >= LANE_OPS)
        return true;
    if (at->access)
        return !lane_is(at->op, LANE_UPDATES) || !lane_type_float(at->access->type);
    if (!lane_is(at->op, LANE_PURE) || is_called(at->op))
        return true;
    unsigned type = at->inst->type;
    switch (at->op) {
    case LANE_OP_cvt:
        return converts(at);
    case LANE_OP_slct:
        return at->inst->type2 == LANE_S32 || flushes(at);
    case LANE_OP_copysign:
    case LANE_OP_testp:
    case LANE_OP_mov:
    case LANE_OP_selp:
        return true;
    case LANE_OP_setp: /* pure_float.c: compare_by_bits */
    case LANE_OP_neg:
    case LANE_OP_abs:
        return !lane_type_float(type) || type == LANE_F32;
    default:
        return computes(at) ? flushes(at) : !lane_type_float(type) && !lane_type_float(at->inst->type2);
    }
}

/* How much arithmetic there is in a segment: it takes some dozens of instructions an operation to flush, and no more to
 * tell the host. What is in a loop is taken for enough. */
static uint32_t arithmetic(const struct emit *e, uint32_t number)
{
    const struct segment *segment = &e->flow->segments[number];
    uint32_t count = 0;
    for (uint32_t i = segment->first; i < segment->first + segment->count; i++)
        count += e->func->decoded[i].op < LANE_OPS && computes(&e->func->decoded[i]);
    return count;
}

static bool is_much(const struct emit *e)
{
    uint32_t count = 0;
    for (uint32_t s = 0; s < e->flow->nsegments; s++)
        count += arithmetic(e, s) * (e->flow->segments[s].loops ? MUCH : 1);
    return count >= MUCH;
}

/* Can the host flush what is computed with, and is it worth it? */
static bool find_daz(const struct emit *e)
{
    if (!JIT_X86)
        return false;
    for (uint32_t i = 0; i < e->func->ndecoded; i++)
        if (!is_daz(&e->func->decoded[i]))
            return false;
    return e->has_fma && is_much(e); /* hosts without it compute with subnormals to convert halves */
}

/* ---- registers --------------------------------------------------------------------------------------------------- */

/* Is it what finishing leaves as it is? */
static bool is_finished(const struct emit *e, uint32_t word)
{
    uint32_t magnitude = word & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return word == F32_NAN;
    return !e->daz || !magnitude || magnitude >= 0x00800000;
}

static bool source_finished(const struct emit *e, const struct decoded *at, unsigned k)
{
    uint32_t offset = at->offsets[k], word;
    if (at->bits[k] != 32)
        return false;
    if (offset < e->func->constants_at)
        return flow_varies(e->flow, offset) && e->variables[offset / 4].loose;
    memcpy(&word, e->func->constants + (offset - e->func->constants_at), sizeof word);
    return is_finished(e, word);
}

/* Is a result finished, as far as is known of other registers? */
static bool gives_finished(const struct emit *e, const struct decoded *at)
{
    if (at->op >= LANE_OPS || at->ndst != 1)
        return false;
    if (computes(at))
        return !e->daz || flushes(at);
    switch (at->op) {
    case LANE_OP_cvt:
        return at->inst->type == LANE_F32 && jit_is_int(at->inst->type2);
    case LANE_OP_mov:
        return source_finished(e, at, 1);
    case LANE_OP_selp:
        return source_finished(e, at, 1) && source_finished(e, at, 2);
    default:
        return false;
    }
}

/* One look at all instructions. Has it found a register that is not loose? */
static bool look(struct emit *e)
{
    bool changed = false;
    for (uint32_t i = 0; i < e->func->ndecoded; i++) {
        const struct decoded *at = &e->func->decoded[i];
        bool finished = gives_finished(e, at);
        for (unsigned k = 0; k < at->ndst; k++) {
            if (!at->bits[k] || finished || at->offsets[k] >= e->func->constants_at)
                continue;
            struct variable *variable = &e->variables[at->offsets[k] / 4];
            changed = changed || variable->loose;
            variable->loose = false;
        }
    }
    return changed;
}

static void find_loose(struct emit *e)
{
    unsigned rounds = 0;
    for (uint32_t i = 0; i < e->func->ndecoded; i++) {
        const struct decoded *at = &e->func->decoded[i];
        if (at->op < LANE_OPS && at->ndst == 1 && at->bits[0] == 32 && computes(at))
            e->variables[at->offsets[0] / 4].loose = true;
    }
    while (rounds < ROUNDS && look(e))
        rounds++;
    for (uint32_t slot = 0; rounds == ROUNDS && slot < e->func->constants_at / 4; slot++)
        e->variables[slot].loose = false;
}

bool loose_find(struct emit *e, struct jit_code *code)
{
    const struct flow *flow = e->flow;
    code->loose = arena_array(&code->arena, flow->nslots + 1, sizeof *code->loose);
    if (!code->loose)
        return false;
    code->daz = e->daz = find_daz(e);
    find_loose(e);
    for (uint32_t slot = 0; slot < flow->nslots; slot++)
        if (e->variables[flow->slots[slot] / 4].loose)
            code->loose[code->nloose++] = flow->slots[slot];
    return true;
}

/* ---- finishing --------------------------------------------------------------------------------------------------- */

void loose_leave(struct emit *e, const struct jit_code *code)
{
    LLVMValueRef args[] = {e->warp, e->code};
    if (code->nloose)
        emit_call(e, e->code, offsetof(struct jit_code, finish), e->nothing, args, 2);
}

/* 1 in memory: no constant, for LLVM. */
static LLVMValueRef hidden_one(struct emit *e)
{
    LLVMValueRef one = e->llvm->GetNamedGlobal(e->module, "one");
    if (one)
        return one;
    one = e->llvm->AddGlobal(e->module, e->f32, "one");
    e->llvm->SetInitializer(one, e->llvm->ConstReal(e->f32, 1));
    e->llvm->SetLinkage(one, LLVMPrivateLinkage);
    return one;
}

LLVMValueRef loose_flush(struct emit *e, LLVMValueRef x)
{
    LLVMValueRef one = LL(BuildLoad2, e->f32, hidden_one(e));
    return LL(BuildFMul, x, emit_splat(e, emit_never_changes(e, one)));
}

LLVMValueRef loose_unflushed(struct emit *e, LLVMValueRef x)
{
    const struct llvm *llvm = e->llvm;
    LLVMValueRef one = e->daz ? llvm->GetNamedGlobal(e->module, "one") : NULL;
    if (!one || llvm->GetInstructionOpcode(x) != LLVMFMul)
        return x;
    LLVMValueRef by = llvm->GetOperand(x, 1);
    if (llvm->GetInstructionOpcode(by) == LLVMShuffleVector)
        by = llvm->GetOperand(llvm->GetOperand(by, 0), 1); /* what is inserted */
    bool is = llvm->GetInstructionOpcode(by) == LLVMLoad && llvm->GetOperand(by, 0) == one;
    return is ? llvm->GetOperand(x, 0) : x;
}

LLVMValueRef loose_finish(struct emit *e, LLVMValueRef bits, bool flush)
{
    LLVMValueRef x = LL(BuildBitCast, bits, emit_vector(e, e->f32));
    if (flush && e->daz) {
        x = loose_flush(e, x);
        bits = LL(BuildBitCast, x, emit_vector(e, e->i32));
    }
    LLVMValueRef is_nan = LL(BuildFCmp, LLVMRealUNO, x, x);
    if (flush && !e->daz) {
        LLVMValueRef exponent = LL(BuildAnd, bits, emit_consts(e, 32, 0x7f800000));
        LLVMValueRef small = LL(BuildICmp, LLVMIntEQ, exponent, emit_consts(e, 32, 0));
        bits = LL(BuildSelect, small, LL(BuildAnd, bits, emit_consts(e, 32, 0x80000000)), bits);
    }
    return LL(BuildSelect, is_nan, emit_consts(e, 32, F32_NAN), bits);
}

void loose_finish_frame(unsigned char *regs, const uint32_t *slots, uint32_t count, bool flush)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *word = (void *)(regs + slots[i]);
        for (unsigned l = 0; l < LANES; l++)
            word[l] = f32_finish(f32_from_bits(word[l]), flush, false);
    }
}

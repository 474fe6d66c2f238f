/* Compiled forms: moves and selection (meaning/moves.h), and what asks the machine (interp/machine.c). */
#include "engine/jit/pure.h"
#include "engine/jit/rows.h"

#include "mem/space.h"

/* ---- moves ---------------------------------------------------------------------------------------------------------
 */

/* Source k; as it lies there, where the result may lie so, too. */
static value moved(struct pure *p, unsigned k)
{
    return p->at->bits[0] == 32 && emit_is_loose(p->e, p->at, 0) ? emit_loose(p->e, p->at, p->at->ndst + k)
                                                                 : pure_source(p, k);
}

static bool move(struct pure *p)
{
    pure_result(p, 0, moved(p, 0));
    return true;
}

static bool selp(struct pure *p)
{
    value condition = pure_source(p, 2);
    pure_result(p, 0, emit_select(p->e, condition, moved(p, 0), moved(p, 1), p->at->bits[0]));
    return true;
}

static bool slct(struct pure *p)
{
    value c = pure_source(p, 2), first;
    if (p->inst->type2 == LANE_S32) {
        first = pure_icmp(p, LLVMIntSGE, c, pure_same(p, 32, 0));
    } else {
        c = p->flags & LANE_FTZ ? pure_flush(p, c, 32, 0x7f800000) : c;
        first = pure_fcmp(p, LLVMRealOGE, pure_to_float(p, c, 32), pure_real(p, 32, 0));
    }
    pure_result(p, 0, pure_select(p, first, pure_source(p, 0), pure_source(p, 1)));
    return true;
}

/* Parts are joined two by two. */
static bool pack(struct pure *p)
{
    value parts[PURE_RESULTS];
    unsigned n = p->at->nsrc, bits = lane_type_bits(p->inst->type2);
    if (n > PURE_RESULTS)
        return false;
    for (unsigned i = 0; i < n; i++)
        parts[i] = pure_source(p, i);
    for (; n > 1; n /= 2, bits *= 2)
        for (unsigned i = 0; i < n / 2; i++)
            parts[i] = pure_join(p, parts[2 * i], parts[2 * i + 1], bits);
    pure_result(p, 0, parts[0]);
    return true;
}

/* Halves, halves of them ...: from the last one back, as each makes two. */
static bool unpack(struct pure *p)
{
    value parts[PURE_RESULTS] = {pure_source(p, 0)};
    unsigned count = p->at->ndst, bits = lane_type_bits(p->inst->type);
    for (unsigned n = 1; n < count; n *= 2) {
        bits /= 2;
        for (unsigned i = n; i-- > 0;)
            pure_split(p, parts[i], bits, &parts[2 * i], &parts[2 * i + 1]);
    }
    for (unsigned i = 0; i < count; i++)
        pure_result(p, i, parts[i]);
    return true;
}

const struct pure_form pure_moves[] = {
    {LANE_OP_mov, 0, PURE_ALL, move},  {LANE_OP_selp, 0, PURE_ALL, selp},     {LANE_OP_slct, LANE_FTZ, PURE_ALL, slct},
    {LANE_OP_pack, 0, PURE_ALL, pack}, {LANE_OP_unpack, 0, PURE_ALL, unpack}, {0},
};

/* ---- the machine ---------------------------------------------------------------------------------------------------
 */

/* One value for all lanes. */
static void same_for_all(struct pure *p, value scalar, unsigned bits)
{
    struct emit *e = p->e;
    unsigned wanted = p->at->bits[0];
    LLVMTypeRef type = emit_int(e, wanted);
    if (bits != wanted)
        scalar = bits < wanted ? LL(BuildZExt, scalar, type) : LL(BuildTrunc, scalar, type);
    pure_result(p, 0, emit_splat(e, scalar));
}

static value of_run(struct pure *p, size_t offset, LLVMTypeRef type)
{
    struct emit *e = p->e;
    return emit_field_once(e, emit_field_once(e, rows_worker(e), offsetof(struct worker, run), e->ptr), offset, type);
}

static value of_block(struct pure *p, size_t offset)
{
    struct emit *e = p->e;
    return emit_field_of_block(e, rows_block(e), offset, e->i32);
}

/* A word of the warp, for the launch or the block; NULL: it takes more. */
static value word_of(struct pure *p, unsigned mode)
{
    struct emit *e = p->e;
    switch (mode) {
    case LANE_SREG_NTID_X:
    case LANE_SREG_NTID_Y:
    case LANE_SREG_NTID_Z:
        return of_run(p, offsetof(struct run, block) + 4 * (mode - LANE_SREG_NTID_X), e->i32);
    case LANE_SREG_CTAID_X:
    case LANE_SREG_CTAID_Y:
    case LANE_SREG_CTAID_Z:
        return of_block(p, offsetof(struct block, id) + 4 * (mode - LANE_SREG_CTAID_X));
    case LANE_SREG_NCTAID_X:
    case LANE_SREG_NCTAID_Y:
    case LANE_SREG_NCTAID_Z:
        return of_run(p, offsetof(struct run, grid) + 4 * (mode - LANE_SREG_NCTAID_X), e->i32);
    case LANE_SREG_TOTAL_SMEM:
        return LL(BuildSub, of_block(p, offsetof(struct block, shared_bytes)),
                  emit_const(e, 32, e->program->reserved_bytes));
    case LANE_SREG_AGGR_SMEM:
        return of_block(p, offsetof(struct block, shared_bytes));
    case LANE_SREG_RESERVED_BEGIN:
    case LANE_SREG_RESERVED_END:
    case LANE_SREG_RESERVED_0:
    case LANE_SREG_RESERVED_1:
        return emit_const(e, 32, lane_reserved(mode));
    case LANE_SREG_NSMID:
    case LANE_SREG_ONE:
        return emit_const(e, 32, 1);
    case LANE_SREG_SMID:
    case LANE_SREG_ZERO:
        return emit_const(e, 32, 0);
    default:
        return NULL;
    }
}

static uint32_t lanemask(unsigned mode, unsigned lane)
{
    uint32_t bit = UINT32_C(1) << lane;
    return mode == LANE_SREG_LANEMASK_EQ   ? bit
           : mode == LANE_SREG_LANEMASK_LT ? bit - 1
           : mode == LANE_SREG_LANEMASK_LE ? bit | (bit - 1)
           : mode == LANE_SREG_LANEMASK_GT ? ~(bit | (bit - 1))
                                           : ~(bit - 1);
}

/* Of packed warps each thread has lanes, and a number, of its own. */
static bool lanes_sreg(struct pure *p)
{
    struct emit *e = p->e;
    unsigned mode = p->inst->mode, n = p->at->func->thread_lanes;
    LLVMValueRef lanes[LANES];
    for (unsigned l = 0; l < LANES; l++)
        lanes[l] = emit_const(e, 32, mode == LANE_SREG_LANEID ? l % n : lanemask(mode, l % n));
    pure_result(p, 0, e->llvm->ConstVector(lanes, LANES));
    return true;
}

static bool tid(struct pure *p)
{
    struct emit *e = p->e;
    size_t offset = offsetof(struct warp, tid) + 4 * LANES * (size_t)(p->inst->mode - LANE_SREG_TID_X);
    value x = emit_field(e, e->warp, offset, emit_vector(e, e->i32));
    e->llvm->SetAlignment(x, 4);
    pure_result(p, 0, x);
    return true;
}

static bool warpid(struct pure *p)
{
    struct emit *e = p->e;
    unsigned n = func_packs(p->at->func) ? p->at->func->thread_lanes : LANES;
    value number = LL(BuildZExt, emit_field(e, e->warp, offsetof(struct warp, number), e->i8), e->i32);
    value first = emit_splat(e, LL(BuildMul, number, emit_const(e, 32, LANES / n)));
    LLVMValueRef threads[LANES];
    for (unsigned l = 0; l < LANES; l++)
        threads[l] = emit_const(e, 32, l / n);
    pure_result(p, 0, e->lanes == 1 ? first : pure_add(p, first, e->llvm->ConstVector(threads, LANES)));
    return true;
}

static bool sreg(struct pure *p)
{
    unsigned mode = p->inst->mode;
    bool is_word = p->at->bits[0] == 32;
    if (mode <= LANE_SREG_TID_Z)
        return is_word && tid(p);
    if (lane_sreg_is(mode, LANE_SREG_LANES) && mode != LANE_SREG_WARPID)
        return is_word && lanes_sreg(p);
    if (mode == LANE_SREG_WARPID)
        return is_word && warpid(p);
    value word = word_of(p, mode);
    if (word)
        same_for_all(p, word, 32);
    return word != NULL;
}

/* Of 64 bits the sum does not wrap at 32. */
static bool frame(struct pure *p)
{
    struct emit *e = p->e;
    value local = emit_field(e, e->warp, offsetof(struct warp, local), e->i32);
    value sum = LL(BuildAdd, LL(BuildZExt, local, e->i64), emit_const(e, 64, p->inst->aux));
    same_for_all(p, sum, 64);
    return true;
}

static bool isspacep(struct pure *p)
{
    unsigned mode = p->inst->mode;
    if (mode == LANE_CONSTANT) /* asks the device's memory */
        return false;
    value a = pure_source(p, 0), in;
    if (mode == LANE_SHARED || mode == LANE_LOCAL || mode == LANE_PARAM) {
        uint64_t start = mode == LANE_SHARED ? SPACE_SHARED : mode == LANE_LOCAL ? SPACE_LOCAL : SPACE_PARAM;
        uint64_t window = mode == LANE_PARAM ? SPACE_PARAM_WINDOW : SPACE_WINDOW;
        in = pure_icmp(p, LLVMIntULT, pure_sub(p, a, pure_same(p, 64, start)), pure_same(p, 64, window));
    } else {
        in = pure_icmp(p, LLVMIntUGE, a, pure_same(p, 64, SPACE_GLOBAL));
    }
    pure_result(p, 0, in);
    return true;
}

const struct pure_form pure_machine[] = {
    {LANE_OP_sreg, 0, PURE_ALL, sreg},
    {LANE_OP_frame, 0, PURE_ALL, frame},
    {LANE_OP_isspacep, 0, PURE_ALL, isspacep},
    {0},
};

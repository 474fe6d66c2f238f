/* Where accesses by addresses find memory. */
#include "engine/jit/regions.h"

static struct region block_memory(struct emit *e, uint64_t base)
{
    LLVMValueRef size, host = rows_shared(e, &size);
    return (struct region){.host = host, .base = emit_const(e, 64, base), .size = size};
}

static struct region register_file(struct emit *e)
{
    LLVMValueRef size = emit_field_once(e, rows_block(e), offsetof(struct block, regfile_bytes), e->i32);
    return (struct region){.host = emit_field(e, e->warp, offsetof(struct warp, regfile), e->ptr),
                           .base = emit_const(e, 64, 0),
                           .size = LL(BuildZExt, size, e->i64)};
}

static struct region parameters(struct emit *e)
{
    LLVMValueRef run = emit_field_once(e, rows_worker(e), offsetof(struct worker, run), e->ptr);
    LLVMValueRef size = emit_field_once(e, run, offsetof(struct run, param_bytes), e->i32);
    return (struct region){.host = emit_field_once(e, run, offsetof(struct run, params), e->ptr),
                           .base = emit_const(e, 64, 0),
                           .size = LL(BuildZExt, size, e->i64)};
}

/* Of a generic address: the block's memory below SPACE_GLOBAL, whatever else lies there. */
static struct region generic(struct emit *e, const struct decoded *at, bool store, LLVMValueRef first)
{
    struct region global = rows_allocation(e, at, store), shared = block_memory(e, SPACE_SHARED);
    LLVMValueRef is_global = LL(BuildICmp, LLVMIntUGE, first, emit_const(e, 64, SPACE_GLOBAL));
    LLVMValueRef usable = LL(BuildSelect, is_global, global.usable, emit_const(e, 1, 1));
    return (struct region){.host = LL(BuildSelect, is_global, global.host, shared.host),
                           .base = LL(BuildSelect, is_global, global.base, shared.base),
                           .size = LL(BuildSelect, is_global, global.size, shared.size),
                           .usable = usable};
}

struct region regions_local(struct emit *e)
{
    LLVMValueRef bytes = emit_field_once(e, rows_block(e), offsetof(struct block, local_bytes), e->i32);
    return (struct region){.host = emit_field(e, e->warp, offsetof(struct warp, locals), e->ptr),
                           .base = emit_const(e, 64, 0),
                           .size = LL(BuildZExt, bytes, e->i64)};
}

LLVMValueRef regions_local_lanes(struct emit *e)
{
    LLVMValueRef stride = emit_field_once(e, rows_block(e), offsetof(struct block, local_stride), e->i32);
    return LL(BuildMul, emit_iota(e, 64, 0, 1), emit_splat(e, LL(BuildZExt, stride, e->i64)));
}

struct region regions_find(struct emit *e, const struct decoded *at, bool store, LLVMValueRef first)
{
    switch (at->access->space) {
    case LANE_SHARED:
        return block_memory(e, 0);
    case LANE_REGFILE:
        return register_file(e);
    case LANE_PARAM:
        return parameters(e);
    case LANE_GENERIC:
        return generic(e, at, store, first);
    default:
        return rows_allocation(e, at, store);
    }
}

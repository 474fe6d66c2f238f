/* The verifier's part about memory: access descriptors and the operands that belong to them. */
#include "lane/form.h"
#include "lane/names.h"
#include "lane/verify.h"

enum { MAX_TUPLE = 8 };

static bool known(const struct lane_names *names, unsigned value)
{
    return lane_name(names, value) != NULL;
}

static bool fields(const struct verifier *v, const struct lane_access *a)
{
    if (!known(&lane_space_names, a->space))
        return verify_fail(v, "access: no such space %u", a->space);
    if (a->type >= LANE_TF32 || lane_type_bits(a->type) < 8)
        return verify_fail(v, "access: type %s has no memory form", lane_type_name(a->type));
    if (a->vec != 1 && a->vec != 2 && a->vec != 4 && a->vec != 8)
        return verify_fail(v, "access: %u elements, wanted 1, 2, 4 or 8", a->vec);
    if (!known(&lane_atomic_names, a->atomic))
        return verify_fail(v, "access: no such atomic operation %u", a->atomic);
    if (!known(&lane_order_names, a->order) || !known(&lane_scope_names, a->scope))
        return verify_fail(v, "access: no such order %u or scope %u", a->order, a->scope);
    if (!known(&lane_dim_names, a->dim) || !known(&lane_clamp_names, a->clamp) || !known(&lane_unit_names, a->unit))
        return verify_fail(v, "access: no such surface geometry (dim %u, clamp %u, unit %u)", a->dim, a->clamp,
                           a->unit);
    if (a->flags & ~LANE_FTZ || (a->flags && !lane_is(v->inst->op, LANE_UPDATES)))
        return verify_fail(v, "access: flags 0x%x do not belong to this operation", a->flags);
    if (a->keeps_nan && (a->space == LANE_SURFACE || a->atomic != LANE_ATOMIC_ADD || a->type != LANE_F64 ||
                         !lane_is(v->inst->op, LANE_UPDATES)))
        return verify_fail(v, "access: only additions of f64 in memory keep what NaNs carry");
    if (a->bounded && v->inst->guard.kind == LANE_NONE)
        return verify_fail(v, "access: a bounded %s has no guard", lane_rows[v->inst->op].name);
    if (a->read_only && (v->inst->op != LANE_OP_ld || a->space != LANE_GLOBAL))
        return verify_fail(v, "access: %s of a space that is not read-only", lane_rows[v->inst->op].name);
    if (a->atomic && !lane_is(v->inst->op, LANE_UPDATES))
        return verify_fail(v, "access: an atomic operation on %s", lane_rows[v->inst->op].name);
    unsigned bits = a->vec * lane_type_bits(a->type);
    bool wide = v->inst->op == LANE_OP_ld || v->inst->op == LANE_OP_st || v->inst->op == LANE_OP_prefetch;
    unsigned limit = wide ? LANE_ACCESS_BITS : LANE_ATOMIC_BITS;
    if (bits > limit)
        return verify_fail(v, "access: %u x %s is %u bits, at most %u", a->vec, lane_type_name(a->type), bits, limit);
    return true;
}

/* Which types an atomic operation has a meaning for; mem/atomic.h has the exact table. */
static bool atomic_type(const struct verifier *v, const struct lane_access *a)
{
    bool good = true;
    switch (a->atomic) {
    case LANE_ATOMIC_AND:
    case LANE_ATOMIC_OR:
    case LANE_ATOMIC_XOR:
    case LANE_ATOMIC_PREDEC:
        good = !lane_type_float(a->type);
        break;
    case LANE_ATOMIC_FCAS:
        good = a->type == LANE_F16 || a->type == LANE_F32 || a->type == LANE_F64;
        break;
    case LANE_ATOMIC_INC:
    case LANE_ATOMIC_DEC:
        good = a->type == LANE_U32 || a->type == LANE_B32;
        break;
    case LANE_ATOMIC_ADD:
    case LANE_ATOMIC_MIN:
    case LANE_ATOMIC_MAX:
    case LANE_ATOMIC_SUB:
        good = lane_type_bits(a->type) <= 64;
        break;
    default:
        break;
    }
    if (!good)
        return verify_fail(v, "access: atomic %s has no meaning for %s", lane_atomic_names.names[a->atomic],
                           lane_type_name(a->type));
    if (lane_atomic_swaps(a->atomic) && a->vec != 1)
        return verify_fail(v, "access: %s of a vector", lane_atomic_names.names[a->atomic]);
    return true;
}

static bool buffer_fields(const struct verifier *v, const struct lane_access *a)
{
    unsigned op = v->inst->op;
    if (a->space == LANE_SURFACE)
        return verify_fail(v, "access: %s cannot address the surface space", lane_rows[op].name);
    if (a->dim || a->clamp || a->unit || a->formatted || a->fixed || a->snorm || a->short_rows || a->uniform_tuple ||
        a->residency || a->level)
        return verify_fail(v, "access: surface fields on %s", lane_rows[op].name);
    if (a->space == LANE_PARAM && !v->func->kernel)
        return verify_fail(v, "access: the param space outside of a kernel");
    if (op == LANE_OP_st && (a->space == LANE_PARAM || a->space == LANE_CONSTANT))
        return verify_fail(v, "access: a store to the read-only %s space", lane_space_names.names[a->space]);
    if ((op == LANE_OP_atom || op == LANE_OP_red) && a->space != LANE_GENERIC && a->space != LANE_GLOBAL &&
        a->space != LANE_SHARED)
        return verify_fail(v, "access: no atomics in the %s space", lane_space_names.names[a->space]);
    return true;
}

static bool surface_fields(const struct verifier *v, const struct lane_access *a)
{
    unsigned op = v->inst->op;
    if (a->space != LANE_SURFACE)
        return verify_fail(v, "access: %s addresses the %s space, wanted surface", lane_rows[op].name,
                           lane_space_names.names[a->space]);
    if (a->offset)
        return verify_fail(v, "access: an offset on a surface");
    if (a->formatted && !lane_is(op, LANE_UPDATES) && (lane_type_bits(a->type) != 32 || a->vec > 4))
        return verify_fail(v, "access: a formatted access has up to 4 components of 32 bits, got %u x %s", a->vec,
                           lane_type_name(a->type));
    if (a->fixed && (op != LANE_OP_sust || !a->formatted))
        return verify_fail(v, "access: in fixed point: only a formatted sust");
    if (a->snorm && (!lane_is(op, LANE_UPDATES) || !a->formatted))
        return verify_fail(v, "access: the sign of snorm on %s", lane_rows[op].name);
    if (a->short_rows && a->clamp != LANE_CLAMP_NEAR)
        return verify_fail(v, "access: short rows are of the clamp policy near");
    if (a->uniform_tuple && (a->vec != 1 || lane_is(op, LANE_UPDATES) || (a->formatted && op == LANE_OP_suld)))
        return verify_fail(v, "access: a uniform tuple must have one element");
    if (a->dim == LANE_DIM_ANY && a->unit != LANE_UNIT_SAMPLE)
        return verify_fail(v, "access: a coordinate in bytes of a surface of any geometry, wanted texels");
    if (a->residency && op != LANE_OP_suld && op != LANE_OP_suatom)
        return verify_fail(v, "access: %s gives no residency", lane_rows[op].name);
    unsigned bits = lane_type_bits(a->type);
    if (op == LANE_OP_sured && (a->vec != 1 || (bits != 32 && bits != 64) || lane_type_float(a->type) ||
                                a->type == LANE_U16X2 || a->type == LANE_S16X2))
        return verify_fail(v, "access: sured of %u x %s, wanted one integer of 32 or 64 bits", a->vec,
                           lane_type_name(a->type));
    if (op == LANE_OP_suatom && (a->vec != 1 || bits < 16 || bits > 64))
        return verify_fail(v, "access: suatom of %u x %s, wanted one element of 16, 32 or 64 bits", a->vec,
                           lane_type_name(a->type));
    if (op == LANE_OP_suatom && a->formatted &&
        (lane_type_float(a->type) || a->type == LANE_U16X2 || a->type == LANE_S16X2))
        return verify_fail(v, "access: suatom by the format's sign is of integers, not %s", lane_type_name(a->type));
    if (op == LANE_OP_sured && a->atomic > LANE_ATOMIC_OR)
        return verify_fail(v, "access: sured has no %s", lane_atomic_names.names[a->atomic]);
    return true;
}

/* How many destinations and sources an access asks for. A uniform tuple has 1..8 data operands. */
static bool counts(const struct verifier *v, const struct lane_access *a)
{
    const struct lane_inst *inst = v->inst;
    unsigned head = lane_is(inst->op, LANE_TEXELS) ? 1 + lane_coordinates(a) : 1;
    unsigned data = inst->nsrc - (inst->nsrc < head ? inst->nsrc : head);
    unsigned want_dst = 0, want_data = 0;
    if (inst->op == LANE_OP_ld || inst->op == LANE_OP_suld || inst->op == LANE_OP_atom || inst->op == LANE_OP_suatom)
        want_dst = a->uniform_tuple ? inst->ndst : a->vec + a->residency;
    if (inst->op == LANE_OP_st || inst->op == LANE_OP_sust)
        want_data = a->uniform_tuple ? data : a->vec;
    else if (lane_is(inst->op, LANE_UPDATES))
        want_data = lane_atomic_swaps(a->atomic) ? 2 * a->vec : a->vec;
    if (inst->ndst != want_dst)
        return verify_fail(v, "%u destinations, wanted %u", inst->ndst, want_dst);
    if (inst->nsrc != head + want_data)
        return verify_fail(v, "%u sources, wanted %u", inst->nsrc, head + want_data);
    unsigned results = inst->ndst > a->residency ? inst->ndst - (unsigned)a->residency : 0;
    unsigned tuple = inst->op == LANE_OP_suld ? results : data;
    if (a->uniform_tuple && (tuple < 1 || tuple > MAX_TUPLE))
        return verify_fail(v, "a tuple of %u, wanted 1 to %u", tuple, MAX_TUPLE);
    return true;
}

static unsigned width_of(const struct verifier *v, struct lane_operand o)
{
    return o.kind == LANE_REG ? v->func->widths[o.index] : v->func->consts[o.index].width;
}

/* Coordinates are 32 bits wide, data operands at least as wide as the element. The kinds and indexes of all operands
 * have been checked before. */
static bool widths(const struct verifier *v, const struct lane_access *a)
{
    const struct lane_inst *inst = v->inst;
    const struct lane_operand *o = v->func->operands + inst->first;
    unsigned ncoords = lane_is(inst->op, LANE_TEXELS) ? lane_coordinates(a) : 0, bits = lane_type_bits(a->type);
    for (unsigned i = 0; i < (unsigned)inst->ndst + inst->nsrc; i++) {
        if (o[i].kind == LANE_NONE || i == inst->ndst)
            continue; /* a sink, or the address / handle, whose width the row gives */
        unsigned width = width_of(v, o[i]);
        if (a->residency && i + 1 == inst->ndst) {
            if (width != 1)
                return verify_fail(v, "residency goes to a predicate, not to %u bits", width);
        } else if (i > inst->ndst && i <= inst->ndst + ncoords) {
            if (width != 32)
                return verify_fail(v, "coordinate %u has %u bits, wanted 32", i - inst->ndst - 1, width);
        } else if (width < bits)
            return verify_fail(v, "data operand of %u bits for %s", width, lane_type_name(a->type));
    }
    return true;
}

/* A barrier object is 64 bits in the block's shared memory. */
static bool mbarrier_fields(const struct verifier *v, const struct lane_access *a)
{
    if (a->space != LANE_SHARED && a->space != LANE_GENERIC)
        return verify_fail(v, "access: no barrier objects in the %s space", lane_space_names.names[a->space]);
    if (a->type != LANE_B64 || a->vec != 1)
        return verify_fail(v, "access: a barrier object is one b64, not %u x %s", a->vec, lane_type_name(a->type));
    return buffer_fields(v, a);
}

bool verify_access(const struct verifier *v)
{
    if (v->inst->aux >= v->func->naccesses)
        return verify_fail(v, "access %u of %u", v->inst->aux, v->func->naccesses);
    const struct lane_access *a = &v->func->accesses[v->inst->aux];
    if (lane_is(v->inst->op, LANE_OBJECT))
        return fields(v, a) && mbarrier_fields(v, a);
    return fields(v, a) && (lane_is(v->inst->op, LANE_TEXELS) ? surface_fields(v, a) : buffer_fields(v, a)) &&
           (!lane_is(v->inst->op, LANE_UPDATES) || atomic_type(v, a)) && counts(v, a) && widths(v, a);
}

/* SULD, SUST, SURED, SUATOM, and TXQ of sizes (docs/maxwell.md, "Surfaces").
 *
 * Coordinates are registers Ra.. in the order x; x,layer; x,y; x,y,layer; x,y,z, as in the lane program. Their unit:
 *   .D     elements as large as the access: the lane program's samples
 *   .D.BA  bytes
 *   .P     texels: samples; values go through the surface's format */
#include "isa/layer.h"
#include "isa/sass/header.h"
#include "isa/sass/lower.h"

#include "isa/sass/link.h"

#include <string.h>

/* One instruction, read: operands by their part in it. */
struct surface_op {
    struct lane_operand src[8], dst[6]; /* handle, coordinates, data; data, sparse predicate */
    unsigned nsrc, ndst;
    unsigned sparse; /* number of Ps, SASS_PT = not wanted */
    struct lane_access access;
};

/* ---- handle and coordinates --------------------------------------------------------------------------------- */

/* The low 20 bits of a handle, in a register or a constant, are the header's index; the sampler above is not for
 * surfaces. */
static struct lane_operand handle(struct sass_lowerer *l, enum sass_role role)
{
    uint32_t at;
    bool bound = sass_bound_header(l->table, l->form, &l->word, &at);
    struct lane_operand value =
        bound ? sass_constant(l, l->function->surface_bank, at, 4) : sass_register(l, sass_role(l, role, SASS_RZ));
    struct lane_operand index = sass_op2(l, LANE_OP_and, LANE_B32, value, sass_imm(l, SASS_HEADER_LAST));
    return sass_convert(l, LANE_U64, LANE_U32, index);
}

static void coordinates(struct sass_lowerer *l, struct surface_op *s, unsigned first)
{
    const struct lane_geometry *geometry = &lane_geometries[s->access.dim];
    for (unsigned i = 0; i < geometry->coordinates; i++) {
        struct lane_operand at = sass_register(l, first == SASS_RZ ? SASS_RZ : first + i);
        if (i && geometry->axes[i - 1] == LANE_AXIS_LAYER)
            at = isa_layer(&l->b, at);
        s->src[s->nsrc++] = at;
    }
}

/* ---- modifiers --------------------------------------------------------------------------------------------------- */

static const uint8_t clamps[] = {
    [SASS_CLAMP_IGN] = LANE_CLAMP_ZERO, [SASS_CLAMP_NEAR] = LANE_CLAMP_NEAR, [SASS_CLAMP_TRAP] = LANE_CLAMP_TRAP};

/* .P: the format says how large a texel is. */
static bool is_formatted(const struct sass_lowerer *l)
{
    return !l->form->role[SASS_ROLE_size];
}

/* Handle, geometry, clamp, coordinates, and which predicate is Ps. */
static bool begin(struct sass_lowerer *l, struct surface_op *s)
{
    unsigned dim = sass_value(l, SASS_ROLE_dim, 0), clamp = sass_value(l, SASS_ROLE_clamp, 0);
    *s = (struct surface_op){.sparse = sass_role(l, SASS_ROLE_Ps, SASS_PT)};
    if (dim >= LANE_DIMS || clamp >= sizeof clamps) {
        sass_cannot(l, "%s is reserved",
                    dim >= LANE_DIMS ? sass_spelling(l, SASS_ROLE_dim) : sass_spelling(l, SASS_ROLE_clamp));
        return false;
    }
    bool texels = is_formatted(l);
    s->access = (struct lane_access){.space = LANE_SURFACE,
                                     .dim = (uint8_t)dim,
                                     .clamp = clamps[clamp],
                                     .unit = sass_has(l, SASS_MOD_BA) ? LANE_UNIT_BYTE : LANE_UNIT_SAMPLE,
                                     .formatted = texels,
                                     .short_rows = clamps[clamp] == LANE_CLAMP_NEAR,
                                     .vec = 1,
                                     .scope = LANE_SCOPE_GPU};
    sass_find_order(l, &s->access);
    s->src[s->nsrc++] = handle(l, SASS_ROLE_Rc);
    coordinates(l, s, sass_role(l, SASS_ROLE_Ra, SASS_RZ));
    return true;
}

/* Ps is true where the access hit a page that is not valid (the instruction reference of SUATOM): the opposite of the
 * lane program's residency. */
static void end(struct sass_lowerer *l, enum lane_op op, struct surface_op *s)
{
    struct lane_operand resident = SASS_NOTHING;
    if (s->sparse != SASS_PT) {
        s->access.residency = true;
        resident = sass_temp(l, 1);
        s->dst[s->ndst++] = resident;
    }
    struct lane_inst *inst = sass_emit_list(l, op, LANE_VOID, s->ndst, s->dst, s->nsrc, s->src);
    inst->aux = lane_access(&l->b, &s->access);
    if (s->sparse != SASS_PT)
        sass_set_predicate_register(l, s->sparse, sass_not(l, resident));
}

/* ---- SULD, SUST -------------------------------------------------------------------------------------------------- */

/* Values of the names lssize: type of the elements and how many registers. */
static const struct {
    uint8_t type, vec;
} sizes[] = {{LANE_U8, 1}, {LANE_S8, 1}, {LANE_U16, 1}, {LANE_S16, 1}, {LANE_B32, 1}, {LANE_B32, 2}, {LANE_B32, 4}};

/* Sets type and vector of a load or store; the registers it moves as a mask of components. False: reserved. */
static bool data_shape(struct sass_lowerer *l, struct surface_op *s, unsigned *mask)
{
    if (is_formatted(l)) {
        *mask = sass_value(l, SASS_ROLE_rgba, 15);
        if (!*mask)
            sass_cannot(l, "a mask without components is reserved");
        return *mask && begin(l, s) && (s->access.type = LANE_B32, s->access.vec = 4, true);
    }
    unsigned size = sass_value(l, SASS_ROLE_size, 4);
    if (size >= sizeof sizes / sizeof sizes[0]) {
        sass_cannot(l, "%s is reserved", sass_spelling(l, SASS_ROLE_size));
        return false;
    }
    *mask = (1u << sizes[size].vec) - 1;
    if (!begin(l, s))
        return false;
    s->access.type = sizes[size].type;
    s->access.vec = sizes[size].vec;
    return true;
}

/* Register k of the data, which are consecutive; all of RZ is RZ. */
static unsigned data_register(unsigned first, unsigned k)
{
    return first == SASS_RZ || first + k >= SASS_RZ ? SASS_RZ : first + k;
}

SASS_LOWER(suld)
{
    struct surface_op s;
    unsigned mask, used = 0, first = sass_role(l, SASS_ROLE_Rd, SASS_RZ);
    if (!data_shape(l, &s, &mask))
        return;
    for (unsigned i = 0; i < s.access.vec; i++)
        s.dst[s.ndst++] = mask >> i & 1 ? sass_result(l, data_register(first, used++)) : SASS_NOTHING;
    end(l, LANE_OP_suld, &s);
}

/* Components that the mask leaves out are written as 0 (named choice: nothing says that they keep their value, and
 * ptxas emits R, RG and RGBA only, into formats that have these components). */
SASS_LOWER(sust)
{
    struct surface_op s;
    unsigned mask, used = 0, first = sass_role(l, SASS_ROLE_Rs, SASS_RZ);
    if (!data_shape(l, &s, &mask))
        return;
    s.access.fixed = s.access.formatted;
    for (unsigned i = 0; i < s.access.vec; i++)
        s.src[s.nsrc++] = sass_register(l, mask >> i & 1 ? data_register(first, used++) : SASS_RZ);
    end(l, LANE_OP_sust, &s);
}

/* ---- SURED, SUATOM ---------------------------------------------------------------------------------------- */

/* SD32, SD64: docs/maxwell.md, "Surfaces" (inferred). */
static const uint8_t types[SASS_SUATOMTYPE_COUNT] = {
    [SASS_TYPE_U32] = LANE_U32,  [SASS_TYPE_S32] = LANE_S32,     [SASS_TYPE_U64] = LANE_U64,
    [SASS_TYPE_F32] = LANE_F32,  [SASS_TYPE_F16X2] = LANE_F16X2, [SASS_TYPE_S64] = LANE_S64,
    [SASS_TYPE_SD32] = LANE_U32, [SASS_TYPE_SD64] = LANE_U64};

/* The type in memory that an operation has a meaning for, LANE_VOID = none. Bit operations and exchanges know no sign;
 * sums none either. Legal pairs: docs/maxwell.md, "Surfaces". */
static enum lane_type atomic_type(unsigned operation, unsigned size)
{
    enum lane_type type = types[size];
    bool wide = lane_type_bits(type) == 64;
    bool is_float = type == LANE_F32 || type == LANE_F16X2;
    switch (operation) {
    case LANE_ATOMIC_ADD:
        return is_float ? type : wide ? LANE_U64 : LANE_U32;
    case LANE_ATOMIC_MIN:
    case LANE_ATOMIC_MAX:
        return type == LANE_F32 ? LANE_VOID : type;
    case LANE_ATOMIC_INC:
    case LANE_ATOMIC_DEC:
        return type == LANE_U32 ? LANE_U32 : LANE_VOID;
    default:
        return is_float ? LANE_VOID : wide ? LANE_B64 : LANE_B32;
    }
}

/* Sets operation and type; false: no meaning. */
static bool atomic_shape(struct sass_lowerer *l, struct surface_op *s, enum lane_atomic operation, unsigned size)
{
    enum lane_type type = atomic_type(operation, size);
    if (size == SASS_TYPE_F16X2 && l->linked->arch == SASS_ARCH_50)
        type = LANE_VOID; /* .INVALIDATOMICSIZE4 */
    if (type == LANE_VOID) {
        sass_cannot(l, "%s has no meaning for %s", sass_spelling(l, SASS_ROLE_op), sass_called(l, SASS_ROLE_size));
        return false;
    }
    if (!begin(l, s))
        return false;
    bool by_sign = operation == LANE_ATOMIC_MIN || operation == LANE_ATOMIC_MAX;
    bool by_format = size == SASS_TYPE_SD32 || size == SASS_TYPE_SD64;
    s->access.type = (uint8_t)type;
    s->access.atomic = (uint8_t)operation;
    s->access.order = LANE_RELAXED;
    s->access.formatted = s->access.snorm = (by_format && by_sign) || is_formatted(l);
    s->access.flags = type == LANE_F32 || type == LANE_F16X2 ? LANE_FTZ : 0;
    return true;
}

/* `count` elements of the access's type from registers `first`.. */
static void operands(struct sass_lowerer *l, struct surface_op *s, unsigned first, unsigned count)
{
    unsigned wide = lane_type_bits(s->access.type) / 32;
    for (unsigned i = 0; i < count; i++) {
        unsigned n = data_register(first, i * wide);
        s->src[s->nsrc++] = wide == 2 ? sass_pair(l, n) : sass_register(l, n);
    }
}

/* The operation of a row with the label "op", or UINT32_MAX when its code is reserved. */
static unsigned operation_of(struct sass_lowerer *l)
{
    unsigned code = sass_value(l, SASS_ROLE_op, 0);
    if (code < SASS_OPERATION_COUNT)
        return sass_atomics[code];
    sass_cannot(l, "operation %u is reserved", code);
    return UINT32_MAX;
}

/* A size; .P has none: 32 bits, the format tells more. */
static unsigned size_of(const struct sass_lowerer *l)
{
    return sass_value(l, SASS_ROLE_size, 0);
}

/* The lane program's sured knows the operations of PTX; the others are atomics whose old value nobody wants. */
SASS_LOWER(sured)
{
    struct surface_op s;
    unsigned operation = operation_of(l);
    if (operation == UINT32_MAX || !atomic_shape(l, &s, operation, size_of(l)))
        return;
    operands(l, &s, sass_role(l, SASS_ROLE_Rs, SASS_RZ), 1);
    bool plain = operation <= LANE_ATOMIC_OR && !lane_type_float(s.access.type);
    if (!plain)
        s.dst[s.ndst++] = SASS_NOTHING;
    end(l, plain ? LANE_OP_sured : LANE_OP_suatom, &s);
}

/* Helper lanes execute SUATOM as a no-op (its instruction reference). */
static void leave_helpers_out(struct sass_lowerer *l)
{
    struct lane_operand helpers = sass_temp(l, 32), own = sass_temp(l, 32);
    sass_emit_list(l, LANE_OP_sreg, LANE_B32, 1, &helpers, 0, NULL)->mode = LANE_SREG_HELPERS;
    sass_emit_list(l, LANE_OP_sreg, LANE_B32, 1, &own, 0, NULL)->mode = LANE_SREG_LANEMASK_EQ;
    struct lane_operand mine = sass_op2(l, LANE_OP_and, LANE_B32, helpers, own);
    struct lane_operand runs = sass_compare(l, LANE_EQ, LANE_B32, mine, sass_imm(l, 0));
    sass_narrow(l, runs);
}

SASS_LOWER(suatom)
{
    struct surface_op s;
    bool cas = isa_any(l->form, SASS_IS_SWAP);
    unsigned operation = cas ? LANE_ATOMIC_CAS : operation_of(l), rd = sass_role(l, SASS_ROLE_Rd, SASS_RZ);
    if (cas && sass_value(l, SASS_ROLE_pcas, 0)) { /* .P: 0 is .CAS */
        sass_cannot(l, "operation %u is reserved", sass_value(l, SASS_ROLE_pcas, 0));
        return;
    }
    if (operation == UINT32_MAX || !atomic_shape(l, &s, operation, size_of(l)))
        return;
    operands(l, &s, sass_role(l, SASS_ROLE_Rb, SASS_RZ), cas ? 2 : 1);
    leave_helpers_out(l);
    bool wide = lane_type_bits(s.access.type) == 64;
    struct lane_operand old = rd == SASS_RZ ? SASS_NOTHING : wide ? sass_temp(l, 64) : sass_result(l, rd);
    s.dst[s.ndst++] = old;
    end(l, LANE_OP_suatom, &s);
    if (wide && rd != SASS_RZ)
        sass_set_pair(l, rd, old);
}

/* ---- TXQ -------------------------------------------------------------------------------------------------------- */

/* Width, height, depth as the mask says: what ptxas makes of suq. The register beside a bound header, a mip level, is
 * ignored: surfaces have one. */
SASS_LOWER(txq)
{
    static const uint8_t fields[] = {LANE_SUQ_FIRST, LANE_SUQ_SECOND, LANE_SUQ_THIRD};
    unsigned mask = (unsigned)l->op[l->nops - 1].value, to = sass_role(l, SASS_ROLE_Rd, SASS_RZ), taken = 0;
    if (sass_value(l, SASS_ROLE_query, 0) != SASS_QUERY_DIMENSION || mask & ~7u) {
        sass_cannot(l, "TXQ of %s, mask %u", sass_spelling(l, SASS_ROLE_query), mask);
        return;
    }
    struct lane_operand value = handle(l, SASS_ROLE_Ra);
    for (unsigned i = 0; i < sizeof fields; i++) {
        if (!(mask >> i & 1))
            continue;
        struct lane_operand field = sass_result(l, to == SASS_RZ ? SASS_RZ : to + taken++);
        sass_emit_list(l, LANE_OP_suq, LANE_VOID, 1, &field, 1, &value)->mode = fields[i];
    }
}

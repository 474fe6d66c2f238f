/* Operands of PTX instructions in the lane program: registers, constants, special registers, addresses of names, and
 * the conversions between what a register has and what an operation wants. */
#include "isa/ptx/lower.h"

#include <stdio.h>
#include <string.h>

static const struct lane_operand none = {LANE_NONE, 0};

static enum lane_type unsigned_type(unsigned bits)
{
    return bits == 8 ? LANE_U8 : bits == 16 ? LANE_U16 : bits == 32 ? LANE_U32 : LANE_U64;
}

static enum lane_type signed_type(unsigned bits)
{
    return bits == 8 ? LANE_S8 : bits == 16 ? LANE_S16 : bits == 32 ? LANE_S32 : LANE_S64;
}

uint64_t lower_decl_bytes(const struct ptx_decl *decl)
{
    return decl->elements * (decl->vec > 1 ? decl->vec : 1) * ((ptx_type_bits(decl->type) + 7) / 8);
}

uint32_t lower_decl_align(const struct ptx_decl *decl)
{
    uint32_t natural = (ptx_type_bits(decl->type) + 7) / 8 * (decl->vec > 1 ? decl->vec : 1);
    uint32_t align = decl->align != 0 ? decl->align : natural;
    return align != 0 ? align : 1;
}

struct lane_operand lower_const(struct lowerer *l, uint16_t type, uint64_t value)
{
    unsigned bits = ptx_type_bits(type);
    if (bits == 128)
        return lane_imm128(&l->b, value, 0);
    return lane_imm(&l->b, bits, value);
}

struct lane_operand lower_temp(struct lowerer *l, uint16_t type)
{
    return lane_reg(&l->b, ptx_type_bits(type), NULL);
}

struct lane_inst *lower_emit(struct lowerer *l, enum lane_op op, uint16_t type, unsigned ndst,
                             const struct lane_operand *dst, unsigned nsrc, const struct lane_operand *src)
{
    return lane_emit(&l->b, op, ptx_type_lane(type), ndst, dst, nsrc, src);
}

void lower_convert(struct lowerer *l, struct lane_operand to, enum lane_type to_type, struct lane_operand from,
                   enum lane_type from_type)
{
    lane_emit(&l->b, LANE_OP_cvt, to_type, 1, &to, 1, &from)->type2 = (uint8_t)from_type;
}

/* ---- registers ---------------------------------------------------------------------------------------- */

static void register_name(const struct ptx_decl *decl, uint64_t number, unsigned part, char *name, size_t size)
{
    static const char parts[] = " xyzw";
    if (decl->count > 0)
        snprintf(name, size, "%.80s%llu", decl->name, (unsigned long long)number);
    else
        snprintf(name, size, "%.80s", decl->name);
    size_t used = strlen(name);
    if (part != 0)
        snprintf(name + used, size - used, ".%c", parts[part]);
}

struct lane_operand lower_register(struct lowerer *l, const struct ptx_decl *decl, uint64_t number, unsigned part)
{
    bool fresh;
    char name[120];
    struct lower_entry *e = lower_entry(l, decl, decl->count > 0 ? (uint32_t)number : 0, part, &fresh);
    if (e == NULL)
        return none;
    if (fresh) {
        register_name(decl, number, part, name, sizeof(name));
        e->value = lane_reg(&l->b, ptx_type_bits(decl->type), name).index;
    }
    return (struct lane_operand){LANE_REG, e->value & 0x3fffffff};
}

static struct lane_operand operand_register(struct lowerer *l, const struct insn_operand *op)
{
    return lower_register(l, op->decl, op->number, op->part);
}

/* A register's value as `type`: truncated, or extended by the type's signedness. */
static struct lane_operand fit(struct lowerer *l, struct lane_operand from, unsigned have, uint16_t type)
{
    unsigned want = ptx_type_bits(type);
    if (have == want || have == 1 || want == 1 || want > 64)
        return from;
    if (have == 128) {
        struct lane_operand halves[2] = {lower_temp(l, PTX_b64), none};
        lane_emit(&l->b, LANE_OP_unpack, LANE_B128, 2, halves, 1, &from)->type2 = LANE_B64;
        return fit(l, halves[0], 64, type);
    }
    struct lane_operand to = lane_reg(&l->b, want, NULL);
    bool extend = want > have && ptx_type_kind(type) == 's';
    lower_convert(l, to, unsigned_type(want), from, extend ? signed_type(have) : unsigned_type(have));
    return to;
}

/* ---- names ------------------------------------------------------------------------------------------ */

uint32_t lower_local(struct lowerer *l, const struct ptx_decl *decl)
{
    bool fresh;
    struct lower_entry *e = lower_entry(l, decl, 0, ENTRY_LOCAL, &fresh);
    if (e == NULL)
        return 0;
    if (fresh) {
        uint64_t bytes = lower_decl_bytes(decl);
        l->b.failed |= bytes > UINT32_MAX;
        e->value = lane_local(&l->b, (uint32_t)bytes, lower_decl_align(decl));
    }
    return e->value;
}

struct lane_operand lower_frame(struct lowerer *l, unsigned width, uint64_t offset)
{
    struct lane_operand d = lane_reg(&l->b, width, NULL);
    lane_emit(&l->b, LANE_OP_frame, width == 32 ? LANE_B32 : LANE_B64, 1, &d, 0, NULL)->aux = (uint32_t)offset;
    return d;
}

/* A predicate in memory is a byte, 0 or 1. */
static enum lane_type memory_type(enum lane_type type)
{
    return type == LANE_PRED ? LANE_U8 : type;
}

void lower_load(struct lowerer *l, struct lane_operand to, enum lane_type type, enum lane_space space, uint64_t offset)
{
    struct lane_access access = {.space = (uint8_t)space, .type = (uint8_t)memory_type(type), .vec = 1};
    struct lane_operand at = space == LANE_LOCAL ? lower_frame(l, 64, offset) : lane_imm(&l->b, 64, offset);
    struct lane_operand d = type == LANE_PRED ? lower_temp(l, PTX_b8) : to;
    lane_emit(&l->b, LANE_OP_ld, LANE_VOID, 1, &d, 1, &at)->aux = lane_access(&l->b, &access);
    if (type != LANE_PRED)
        return;
    struct lane_operand pair[2] = {d, lane_imm(&l->b, 8, 0)};
    lane_emit(&l->b, LANE_OP_setp, LANE_B8, 1, &to, 2, pair)->cmp = LANE_NE;
}

void lower_store(struct lowerer *l, enum lane_type type, uint64_t offset, struct lane_operand from)
{
    struct lane_access access = {.space = LANE_LOCAL, .type = (uint8_t)memory_type(type), .vec = 1};
    struct lane_operand src[2] = {lower_frame(l, 64, offset), from};
    if (type == LANE_PRED) {
        struct lane_operand choice[3] = {lane_imm(&l->b, 8, 1), lane_imm(&l->b, 8, 0), from};
        src[1] = lower_temp(l, PTX_b8);
        lane_emit(&l->b, LANE_OP_selp, LANE_B8, 1, &src[1], 3, choice);
    }
    lane_emit(&l->b, LANE_OP_st, LANE_VOID, 0, NULL, 2, src)->aux = lane_access(&l->b, &access);
}

/* A place in the frame; the lane program names none beyond it, PTX may. */
static struct lane_operand frame_address(struct lowerer *l, const struct insn_operand *op, unsigned width)
{
    uint32_t place = lower_local(l, op->decl);
    if (op->value <= lower_decl_bytes(op->decl))
        return lower_frame(l, width, place + op->value);
    struct lane_operand source[2] = {lower_frame(l, width, place), lane_imm(&l->b, width, op->value)};
    struct lane_operand d = lane_reg(&l->b, width, NULL);
    lane_emit(&l->b, LANE_OP_add, width == 32 ? LANE_U32 : LANE_U64, 1, &d, 2, source);
    return d;
}

/* The address of a name (32 or 64 bits), in its own space. A surface reference in the parameters is its handle. */
static struct lane_operand symbol_address(struct lowerer *l, const struct insn_operand *op, unsigned width)
{
    const struct ptx_decl *decl = op->decl;
    int64_t addend = (int64_t)op->value;
    switch (decl != NULL ? decl->kind : PTX_DECL_LABEL) {
    case PTX_DECL_VAR:
        if (decl->space == PTX_local)
            return frame_address(l, op, width);
        return lane_address(&l->b, width, decl->id, addend);
    case PTX_DECL_PARAM:
        if (ptx_type_kind(decl->type) == 'o') {
            struct lane_operand handle = lane_reg(&l->b, 64, NULL);
            lower_load(l, handle, LANE_B64, LANE_PARAM, decl->id + op->value);
            return handle;
        }
        return lane_imm(&l->b, width, decl->id + op->value);
    case PTX_DECL_FPARAM:
        return frame_address(l, op, width);
    case PTX_DECL_FUNC:
        return lane_address(&l->b, width, lower_function_symbol(l, decl->func), addend);
    default:
        return lane_imm(&l->b, width, 0);
    }
}

static struct lane_operand symbol_value(struct lowerer *l, const struct insn_operand *op, uint16_t type)
{
    bool handle = op->decl != NULL && ptx_type_kind(op->decl->type) == 'o';
    unsigned width = ptx_type_bits(type) >= 64 || handle ? 64 : 32;
    return fit(l, symbol_address(l, op, width), width, type);
}

/* ---- values ----------------------------------------------------------------------------------------- */

/* An immediate's bits as `type`: decimal and 0d literals round to f32 where f32 is wanted. */
static uint64_t immediate_bits(const struct insn_operand *op, uint16_t type)
{
    uint32_t single;
    float narrow;
    double wide;
    if (op->kind == INSN_F32 && type == PTX_f64) {
        single = (uint32_t)op->value;
        memcpy(&narrow, &single, sizeof(narrow));
        wide = (double)narrow;
        uint64_t bits;
        memcpy(&bits, &wide, sizeof(bits));
        return bits;
    }
    if (op->kind == INSN_F64 && ptx_type_bits(type) == 32) {
        memcpy(&wide, &op->value, sizeof(wide));
        narrow = (float)wide;
        memcpy(&single, &narrow, sizeof(single));
        return single;
    }
    return op->value;
}

static struct lane_operand immediate(struct lowerer *l, const struct insn_operand *op, uint16_t type)
{
    if (type == PTX_pred)
        return lane_imm(&l->b, 1, op->value != 0);
    if (ptx_type_bits(type) == 128)
        return lane_imm128(&l->b, op->value, op->minus ? UINT64_MAX : 0);
    return lower_const(l, type, immediate_bits(op, type));
}

static void read_special(struct lowerer *l, unsigned sreg, struct lane_operand d)
{
    enum lane_type type = ptx_sreg_type(sreg) == PTX_u64 ? LANE_B64 : LANE_B32;
    lane_emit(&l->b, LANE_OP_sreg, type, 1, &d, 0, NULL)->mode = (uint8_t)ptx_sreg_lane(sreg);
}

bool lower_special(struct lowerer *l, const struct insn_operand *op, const struct insn_operand *to)
{
    uint16_t is = (uint16_t)ptx_sreg_type((unsigned)op->value);
    if (is == PTX_pred || ptx_type_bits(is) != ptx_type_bits(to->decl->type))
        return false;
    read_special(l, (unsigned)op->value, operand_register(l, to));
    return true;
}

static struct lane_operand special(struct lowerer *l, const struct insn_operand *op, uint16_t type)
{
    unsigned sreg = (unsigned)op->value;
    uint16_t is = (uint16_t)ptx_sreg_type(sreg);
    if (is == PTX_pred) /* %is_explicit_cluster: there are no clusters */
        return lane_imm(&l->b, 1, 0);
    struct lane_operand d = lower_temp(l, is);
    read_special(l, sreg, d);
    return fit(l, d, ptx_type_bits(is), type);
}

struct lane_operand lower_source(struct lowerer *l, const struct insn_operand *op, uint16_t type)
{
    switch (op->kind) {
    case INSN_REG:
        return fit(l, operand_register(l, op), ptx_type_bits(op->decl->type), type);
    case INSN_INT:
    case INSN_F32:
    case INSN_F64:
        return immediate(l, op, type);
    case INSN_SREG:
        return special(l, op, type);
    case INSN_SYMBOL:
        return symbol_value(l, op, type);
    case INSN_NOT: {
        struct lane_operand a = lower_source(l, &op->children[0], PTX_pred), d = lower_temp(l, PTX_pred);
        lane_emit(&l->b, LANE_OP_not, LANE_PRED, 1, &d, 1, &a);
        return d;
    }
    default:
        return lower_const(l, type, 0);
    }
}

struct lane_operand lower_data(struct lowerer *l, const struct insn_operand *op, uint16_t type)
{
    return op->kind == INSN_REG ? operand_register(l, op) : lower_source(l, op, type);
}

struct lane_operand lower_dest(struct lowerer *l, const struct insn_operand *op, uint16_t type, bool always)
{
    if (op == NULL || op->kind != INSN_REG)
        return always ? lower_temp(l, type) : none;
    if (ptx_type_bits(op->decl->type) == ptx_type_bits(type))
        return operand_register(l, op);
    return lower_temp(l, type);
}

/* A value of at most 64 bits into a 128-bit register, extended by its signedness. */
static void finish_128(struct lowerer *l, struct lane_operand to, struct lane_operand value, enum lane_type type,
                       unsigned have)
{
    struct lane_operand halves[2] = {value, lower_const(l, PTX_b64, 0)};
    if (have < 64) {
        halves[0] = lower_temp(l, PTX_b64);
        lower_convert(l, halves[0], LANE_U64, value, type);
    }
    if (lane_type_signed(type)) {
        struct lane_operand shift[2] = {halves[0], lower_const(l, PTX_b32, 63)};
        halves[1] = lower_temp(l, PTX_b64);
        lane_emit(&l->b, LANE_OP_shr, LANE_S64, 1, &halves[1], 2, shift);
    }
    lane_emit(&l->b, LANE_OP_pack, LANE_B128, 1, &to, 2, halves)->type2 = LANE_B64;
}

void lower_finish(struct lowerer *l, const struct insn_operand *op, uint16_t type, struct lane_operand value)
{
    if (op == NULL || op->kind != INSN_REG)
        return;
    unsigned have = ptx_type_bits(type), want = ptx_type_bits(op->decl->type);
    if (have == want || have == 1 || want == 1 || have > 64)
        return;
    enum lane_type from = ptx_type_kind(type) == 's' ? signed_type(have) : unsigned_type(have);
    if (want == 128) {
        finish_128(l, operand_register(l, op), value, from, have);
        return;
    }
    lower_convert(l, operand_register(l, op), unsigned_type(want), value, from);
}

struct lane_operand lower_dest_data(struct lowerer *l, const struct insn_operand *op)
{
    return op->kind == INSN_REG ? operand_register(l, op) : none;
}

unsigned lower_parts(const struct insn_operand *op, struct insn_operand *parts, unsigned most)
{
    if (op->kind == INSN_TUPLE) {
        unsigned count = op->count < most ? op->count : most;
        for (unsigned i = 0; i < count; i++)
            parts[i] = op->children[i];
        return count;
    }
    parts[0] = *op;
    if (op->kind != INSN_REG || op->decl->vec <= 1 || op->part != 0)
        return 1;
    unsigned count = op->decl->vec < most ? op->decl->vec : most;
    for (unsigned i = 0; i < count; i++) {
        parts[i] = *op;
        parts[i].part = (uint8_t)(i + 1);
    }
    return count;
}

/* ---- addresses ------------------------------------------------------------------------------------------ */

enum lane_space lower_space(uint16_t space)
{
    switch (space) {
    case PTX_global:
        return LANE_GLOBAL;
    case PTX_const:
        return LANE_CONSTANT;
    case PTX_local:
        return LANE_LOCAL;
    case PTX_shared:
    case PTX_shared__cta:
    case PTX_shared__cluster:
        return LANE_SHARED;
    case PTX_param:
    case PTX_param__entry:
    case PTX_param__func:
        return LANE_PARAM;
    default:
        return LANE_GENERIC;
    }
}

/* The space that holds a name's bytes: parameters of device functions and of calls live in the local frame. */
static enum lane_space decl_space(const struct ptx_decl *decl)
{
    return decl->kind == PTX_DECL_FPARAM ? LANE_LOCAL : lower_space(decl->space);
}

struct lane_operand lower_address(struct lowerer *l, const struct insn_operand *op, uint16_t space,
                                  struct lane_access *access)
{
    const struct insn_operand *base = &op->children[0];
    access->space = (uint8_t)lower_space(space);
    access->offset = (int64_t)op->value;
    if (access->space == LANE_PARAM && !l->func->entry)
        access->space = LANE_LOCAL;
    if (base->kind == INSN_SYMBOL && base->decl != NULL) {
        struct insn_operand name = *base;
        access->offset = (int64_t)((uint64_t)access->offset + base->value);
        access->space = (uint8_t)decl_space(base->decl);
        name.value = 0;
        return symbol_address(l, &name, 64);
    }
    if (base->kind != INSN_REG)
        return lower_source(l, base, PTX_u64);
    unsigned bits = ptx_type_bits(base->decl->type);
    return fit(l, operand_register(l, base), bits, bits <= 32 ? PTX_u32 : PTX_u64);
}

void lower_order(const struct ptx_form *form, struct lane_access *access)
{
    bool mmio_release = form->order == PTX_mmio && ptx_form_has(form, PTX_release);
    switch (mmio_release ? PTX_release : form->order) {
    case PTX_volatile:
        access->order = LANE_VOLATILE;
        break;
    case PTX_relaxed:
    case PTX_mmio:
        access->order = LANE_RELAXED;
        break;
    case PTX_acquire:
        access->order = LANE_ACQUIRE;
        break;
    case PTX_release:
        access->order = LANE_RELEASE;
        break;
    case PTX_acq_rel:
        access->order = LANE_ACQ_REL;
        break;
    case PTX_sc:
        access->order = LANE_SC;
        break;
    default:
        access->order = LANE_WEAK;
        break;
    }
    access->scope = (uint8_t)(form->scope == PTX_cta       ? LANE_SCOPE_CTA
                              : form->scope == PTX_cluster ? LANE_SCOPE_CLUSTER
                              : form->scope == PTX_gpu     ? LANE_SCOPE_GPU
                              : form->scope == PTX_gl      ? LANE_SCOPE_GPU
                              : form->scope == PTX_sys     ? LANE_SCOPE_SYS
                                                           : LANE_SCOPE_NONE);
}

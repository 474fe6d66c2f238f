/* Lowering of loads, stores, atomics and constants (docs/maxwell.md, "Shared atomics", "Other memory instructions",
 * "Constant bank 0"). */
#include "isa/sass/flow.h"

#include "lane/modes.h"

#include <string.h>

/* ---- addresses ---------------------------------------------------------------------------------------------- */

/* Where an access goes: the address operand, and what the lane program adds to it. */
struct target {
    struct lane_operand address;
    int64_t offset;
};

/* [Ra + offset]: 32 bits, or with .E the pair Ra, Ra + 1. Alone (Ra is RZ) the offset is unsigned, and the whole. */
static struct target find_address(struct sass_lowerer *l)
{
    const struct isa_operand *op = l->op;
    bool wide = sass_has(l, SASS_MOD_E);
    while (op->kind != ISA_ADDRESS)
        op++;
    struct target t = {.offset = op->value};
    if (op->reg == SASS_RZ) {
        t.address = lane_imm(&l->b, wide ? 64 : 32, (uint64_t)op->value);
        t.offset = 0;
    } else {
        t.address = wide ? sass_pair(l, op->reg) : sass_register(l, op->reg);
    }
    return t;
}

/* Sizes numbered as the names lssize: U8 S8 U16 S16 32 64 128. */
static bool find_size(struct sass_lowerer *l, unsigned size, struct lane_access *access)
{
    static const uint8_t types[] = {LANE_U8, LANE_S8, LANE_U16, LANE_S16, LANE_B32, LANE_B32, LANE_B32, LANE_B32};
    static const uint8_t vecs[] = {1, 1, 1, 1, 1, 2, 4, 4};
    access->type = types[size & 7];
    access->vec = vecs[size & 7];
    if (size != 7 || sass_element_bytes(l->table, l->form, &l->word) == 16) /* .U.128 of LD and LDG: as .128 */
        return true;
    sass_cannot(l, "%.*s with a reserved size", l->form->mnemonic_length, l->form->mnemonic);
    return false;
}

/* Register n + k of a wide access; RZ stands for RZ throughout. */
static unsigned part_number(unsigned n, unsigned k)
{
    return n == SASS_RZ || n + k >= SASS_RZ ? SASS_RZ : n + k;
}

static void load(struct sass_lowerer *l, unsigned n, const struct target *t, const struct lane_access *access)
{
    struct lane_operand dst[4];
    for (unsigned k = 0; k < access->vec; k++)
        dst[k] = part_number(n, k) == SASS_RZ ? SASS_NOTHING : sass_register(l, part_number(n, k));
    uint32_t which = lane_access(&l->b, access);
    sass_emit_list(l, LANE_OP_ld, LANE_VOID, access->vec, dst, 1, &t->address)->aux = which;
}

static void store(struct sass_lowerer *l, unsigned n, const struct target *t, const struct lane_access *access)
{
    struct lane_operand src[5] = {t->address};
    for (unsigned k = 0; k < access->vec; k++)
        src[1 + k] = sass_register(l, part_number(n, k));
    uint32_t which = lane_access(&l->b, access);
    sass_emit_list(l, LANE_OP_st, LANE_VOID, 0, NULL, 1u + access->vec, src)->aux = which;
}

/* ---- loads and stores ------------------------------------------------------------------------------------------ */

void sass_find_order(const struct sass_lowerer *l, struct lane_access *access)
{
    if (sass_value(l, SASS_ROLE_ldcache, 0) == SASS_LDCACHE_CV ||
        sass_value(l, SASS_ROLE_stcache, 0) == SASS_STCACHE_WT)
        access->order = LANE_VOLATILE;
}

/* LDG and ATOM of SM 5.2 may have a sparse predicate in front, true where a page is not valid: all pages of linear
 * memory are. */
static void put_sparse(struct sass_lowerer *l)
{
    sass_set_predicate_register(l, sass_role(l, SASS_ROLE_Ps, SASS_PT), sass_bool(l, false));
}

/* Number of the result's first register. */
static unsigned result(const struct sass_lowerer *l)
{
    return sass_role(l, SASS_ROLE_Rd, SASS_RZ);
}

static void lower_load(struct sass_lowerer *l, enum lane_space space)
{
    struct lane_access access = {.space = (uint8_t)space};
    if (!find_size(l, sass_value(l, SASS_ROLE_size, 4) & 7, &access))
        return;
    sass_find_order(l, &access);
    struct target t = find_address(l);
    access.offset = t.offset;
    load(l, result(l), &t, &access);
    put_sparse(l);
}

/* Which of several lanes' values stays at one place is what an H100 says (named choice; docs/design.md). */
static void lower_store(struct sass_lowerer *l, enum lane_space space)
{
    struct lane_access access = {.space = (uint8_t)space, .passes = space != LANE_LOCAL};
    if (!find_size(l, sass_value(l, SASS_ROLE_size, 4), &access))
        return;
    sass_find_order(l, &access);
    struct target t = find_address(l);
    access.offset = t.offset;
    store(l, sass_role(l, SASS_ROLE_Rs, SASS_RZ), &t, &access);
}

SASS_LOWER(ld)
{
    lower_load(l, LANE_GENERIC);
}

SASS_LOWER(ldg)
{
    lower_load(l, LANE_GLOBAL);
}

SASS_LOWER(ldl)
{
    lower_load(l, LANE_LOCAL);
}

SASS_LOWER(lds)
{
    lower_load(l, LANE_SHARED);
}

SASS_LOWER(st)
{
    lower_store(l, LANE_GENERIC);
}

SASS_LOWER(stg)
{
    lower_store(l, LANE_GLOBAL);
}

SASS_LOWER(stl)
{
    lower_store(l, LANE_LOCAL);
}

SASS_LOWER(sts)
{
    lower_store(l, LANE_SHARED);
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

uint32_t sass_bank_section(const struct sass_lowerer *l, uint64_t address, unsigned bank)
{
    const struct sass_module *m = l->linked->module;
    const struct sass_text *text = sass_link_text(l->linked, address);
    char name[24] = ".nv.constant";
    size_t length = strlen(name);
    if (text && text->function && bank < SASS_BANKS && text->function->constant[bank])
        return text->function->constant[bank];
    if (bank < SASS_BANKS && l->function->constant[bank])
        return l->function->constant[bank];
    if (bank >= 10)
        name[length++] = (char)('0' + bank / 10);
    name[length++] = (char)('0' + bank % 10);
    name[length] = 0;
    return sass_find_section(m, name);
}

/* A bank that nothing writes to: the compiler's own literals, which the host has no names for. */
static bool literal(const struct sass_lowerer *l, uint32_t section, int64_t offset, unsigned bytes, uint64_t *value)
{
    const struct sass_module *m = l->linked->module;
    const struct sass_section *s = &m->sections[section];
    unsigned changes;
    if (section == m->constant3 || !s->bytes || offset < 0 || (uint64_t)offset + bytes > s->size)
        return false;
    sass_link_relocations(l->linked, section, &changes);
    if (changes)
        return false;
    *value = bytes == 8 ? bytes_u64(s->bytes + offset) : bytes_u32(s->bytes + offset);
    return true;
}

static struct lane_operand load_constant(struct sass_lowerer *l, const struct lane_access *access,
                                         struct lane_operand address)
{
    struct lane_operand d = sass_temp(l, lane_type_bits(access->type));
    /* unguarded, as all that only computes: addresses that are known are checked here */
    lane_emit(&l->b, LANE_OP_ld, LANE_VOID, 1, &d, 1, &address)->aux = lane_access(&l->b, access);
    return d;
}

struct lane_operand sass_constant(struct sass_lowerer *l, unsigned bank, int64_t offset, unsigned bytes)
{
    const struct lane_func *f = l->b.func;
    struct lane_access access = {.space = LANE_PARAM, .type = bytes == 8 ? LANE_B64 : LANE_B32, .vec = 1};
    uint32_t section = bank ? sass_bank_section(l, l->address, bank) : 0, words = l->flow->nconstants;
    uint64_t value;
    if (section && sass_link_spoiled(l, section, (uint64_t)offset, bytes))
        return lane_imm(&l->b, 8 * bytes, 0);
    if (bank == 0) {
        if (offset < 0 || offset % bytes || (uint64_t)offset + bytes > f->param_space) {
            sass_cannot(l, "c[0x0][0x%x]: the bank has 0x%x bytes", (unsigned)offset, f->param_space);
            return lane_imm(&l->b, 8 * bytes, 0);
        }
        if (bytes == 4 && offset / 4 < words && l->flow->constants[offset / 4].kind != LANE_NONE)
            return l->flow->constants[offset / 4];
        return load_constant(l, &access, sass_imm(l, (uint32_t)offset));
    }
    if (section && literal(l, section, offset, bytes, &value))
        return lane_imm(&l->b, 8 * bytes, value);
    uint32_t variable = section ? l->linked->variables[section] : 0;
    if (!variable || offset < 0 || (uint64_t)offset + bytes > l->linked->module->sections[section].size) {
        sass_cannot(l, "c[0x%x][0x%x]: %s", bank, (unsigned)offset, variable ? "past the bank's end" : "no such bank");
        return lane_imm(&l->b, 8 * bytes, 0);
    }
    access.space = LANE_CONSTANT;
    return load_constant(l, &access, lane_address(&l->b, 64, variable, offset));
}

/* c[bank][index + offset]; the sum has 32 bits. False: there is no such bank. */
static bool indexed(struct sass_lowerer *l, unsigned bank, struct lane_operand index, int64_t offset, struct target *t,
                    struct lane_access *access)
{
    if (bank == 0) {
        access->space = LANE_PARAM;
        *t = (struct target){.address = index, .offset = offset};
        return true;
    }
    uint32_t section = sass_bank_section(l, l->address, bank), variable = section ? l->linked->variables[section] : 0;
    if (!variable || sass_link_spoiled(l, section, 0, UINT64_MAX))
        return false;
    if (offset)
        index = sass_op2(l, LANE_OP_add, LANE_U32, index, sass_imm(l, (uint32_t)offset));
    access->space = LANE_CONSTANT;
    t->address = sass_op2(l, LANE_OP_add, LANE_U64, sass_convert(l, LANE_U64, LANE_U32, index),
                          lane_address(&l->b, 64, variable, 0));
    t->offset = 0;
    return true;
}

struct lane_operand sass_constant_of(struct sass_lowerer *l, const struct isa_operand *op)
{
    struct lane_access access = {.type = LANE_B32, .vec = 1};
    struct lane_operand d = sass_temp(l, 32);
    struct target t;
    if (op->reg == SASS_RZ)
        return sass_constant(l, op->bank, op->value, 4);
    if (!indexed(l, op->bank, sass_register(l, op->reg), op->value, &t, &access)) {
        sass_cannot(l, "c[0x%x]: no such bank", op->bank);
        return sass_imm(l, 0);
    }
    access.offset = t.offset;
    sass_emit1(l, LANE_OP_ld, LANE_VOID, d, t.address)->aux = lane_access(&l->b, &access);
    return d;
}

/* What the modes do with the bank and the index, 16 bits each (named choices; names after Mesa's encoder, "indexed",
 * "indexed linear", "indexed segmented", "indexed segmented linear", whose compiler puts a bank's number above the
 * offset for .IS): .IS         the upper half of Ra counts banks from the one that is named, the lower half + offset is
 * the index .IL, .ISL   the banks follow each other: the upper half of Ra + offset counts banks, the lower half is the
 * index Lanes may name different banks: each bank there is serves its own lanes. */
static void load_segmented(struct sass_lowerer *l, bool linear, struct lane_access *access)
{
    const struct isa_operand *op = &l->op[1];
    struct lane_operand whole = sass_register(l, op->reg), guard = l->guard;
    bool guard_not = l->guard_not;
    if (linear)
        whole = sass_op2(l, LANE_OP_add, LANE_U32, whole, sass_imm(l, (uint32_t)op->value));
    int64_t offset = linear ? 0 : op->value;
    struct lane_operand segment = sass_op2(l, LANE_OP_shr, LANE_U32, whole, sass_imm(l, 16));
    struct lane_operand index = sass_op2(l, LANE_OP_and, LANE_B32, whole, sass_imm(l, 0xffff));
    struct lane_operand served = sass_bool(l, false);
    for (unsigned bank = op->bank; bank < SASS_BANKS; bank++) {
        struct target t;
        if (!indexed(l, bank, index, offset, &t, access))
            continue;
        struct lane_operand here = sass_compare(l, LANE_EQ, LANE_B32, segment, sass_imm(l, bank - op->bank));
        sass_narrow(l, here);
        access->offset = t.offset;
        load(l, sass_number(l, 0), &t, access);
        served = sass_combine(l, 1, served, here);
        l->guard = guard;
        l->guard_not = guard_not;
    }
    uint64_t known;
    if (!sass_is_const(l, served, &known))
        sass_narrow(l, sass_not(l, served));
    sass_cannot(l, "LDC%s from a bank that is not there", sass_spelling(l, SASS_ROLE_mode));
}

/* names ldcmode: "", .IL, .IS, .ISL */
SASS_LOWER(ldc)
{
    const struct isa_operand *op = &l->op[1];
    struct lane_access access = {.space = LANE_PARAM};
    struct target t;
    unsigned size = sass_value(l, SASS_ROLE_size, 4), mode = sass_value(l, SASS_ROLE_mode, 0);
    if (size > 5 || !find_size(l, size, &access)) {
        sass_cannot(l, "LDC with a reserved size");
        return;
    }
    if (mode) {
        load_segmented(l, mode != 2, &access);
        return;
    }
    if (!indexed(l, op->bank, sass_register(l, op->reg), op->value, &t, &access)) {
        sass_cannot(l, "LDC from bank 0x%x, which is not there", op->bank);
        return;
    }
    access.offset = t.offset;
    load(l, sass_number(l, 0), &t, &access);
}

/* ---- atomics --------------------------------------------------------------------------------------------------- */

/* Sizes: U32 S32 U64 F32.FTZ.RN U128|F16x2 S64. */
static bool find_atomic(struct sass_lowerer *l, unsigned op, unsigned size, struct lane_access *access)
{
    static const uint8_t types[] = {LANE_U32, LANE_S32, LANE_U64, LANE_F32, LANE_VOID, LANE_S64};
    bool known = op < SASS_OPERATION_COUNT && size < sizeof types;
    enum lane_type type = known ? types[size] : LANE_VOID;
    if (known && size == 4 && l->linked->arch != SASS_ARCH_50)
        type = LANE_F16X2;
    bool real = type == LANE_F32 || type == LANE_F16X2;
    bool wide = type == LANE_U64 || type == LANE_S64;
    bool counts = op == SASS_OP_INC || op == SASS_OP_DEC; /* words only */
    if (known && ((counts && (real || wide)) || (real && op > SASS_OP_MAX && op != SASS_OP_EXCH)))
        known = false;
    if (!known || type == LANE_VOID || (type == LANE_F32 && op != SASS_OP_ADD && op != SASS_OP_EXCH)) {
        sass_cannot(l, "%.*s%s%s", l->form->mnemonic_length, l->form->mnemonic, sass_spelling(l, SASS_ROLE_op),
                    sass_spelling(l, SASS_ROLE_size));
        return false;
    }
    if (op > SASS_OP_MAX) /* words that count, and bits */
        type = counts ? LANE_U32 : wide ? LANE_B64 : LANE_B32;
    access->atomic = sass_atomics[op];
    access->type = (uint8_t)type;
    access->vec = 1;
    access->order = LANE_RELAXED;
    access->scope = access->space == LANE_SHARED ? LANE_SCOPE_CTA : LANE_SCOPE_GPU;
    access->flags = type == LANE_F32 ? LANE_FTZ : 0;
    return true;
}

/* Data in and out: one register, or a pair as 64 bits. */
static struct lane_operand atomic_data(struct sass_lowerer *l, const struct lane_access *access, unsigned n)
{
    return lane_type_bits(access->type) == 64 ? sass_pair(l, n) : sass_register(l, n);
}

/* Emits it, guarded; the old value, in a new register when the result is wanted. */
static void emit_atomic(struct sass_lowerer *l, const struct target *t, const struct lane_access *access, unsigned n,
                        const struct lane_operand *data, unsigned ndata)
{
    bool wide = lane_type_bits(access->type) == 64;
    struct lane_operand src[3] = {t->address}, dst;
    memcpy(src + 1, data, ndata * sizeof *data);
    uint32_t which = lane_access(&l->b, access);
    if (n == SASS_RZ && ndata == 1 && access->atomic != LANE_ATOMIC_EXCH) {
        sass_emit_list(l, LANE_OP_red, LANE_VOID, 0, NULL, 2, src)->aux = which;
        return;
    }
    dst = n == SASS_RZ ? SASS_NOTHING : wide ? sass_temp(l, 64) : sass_register(l, n);
    sass_emit_list(l, LANE_OP_atom, LANE_VOID, 1, &dst, 1 + ndata, src)->aux = which;
    if (wide)
        sass_set_pair(l, n, dst);
}

static void lower_atomic(struct sass_lowerer *l, unsigned op, unsigned size, struct lane_access access)
{
    unsigned data = sass_role(l, SASS_ROLE_Rb, sass_role(l, SASS_ROLE_Rs, SASS_RZ)); /* RED: Rs */
    if (!find_atomic(l, op, size, &access))
        return;
    struct target t = find_address(l);
    access.offset = t.offset;
    struct lane_operand value = atomic_data(l, &access, data);
    emit_atomic(l, &t, &access, result(l), &value, 1);
    put_sparse(l);
}

/* Compare and swap value: registers that the text names, RZ where it says so. */
static void cas_data(struct sass_lowerer *l, bool wide, struct lane_operand data[2])
{
    bool second_zero = !l->form->role[SASS_ROLE_Rx], first_zero = !l->form->role[SASS_ROLE_Rb];
    unsigned n = sass_role(l, first_zero ? SASS_ROLE_Rx : SASS_ROLE_Rb, SASS_RZ);
    unsigned first = first_zero ? SASS_RZ : n, second = second_zero ? SASS_RZ : first_zero ? n : n + (wide ? 2 : 1);
    data[0] = wide ? sass_pair(l, first) : sass_register(l, first);
    data[1] = wide ? sass_pair(l, second) : sass_register(l, second > SASS_RZ ? SASS_RZ : second);
}

static struct lane_access cas_access(enum lane_space space, bool wide)
{
    return (struct lane_access){.space = (uint8_t)space,
                                .type = wide ? LANE_B64 : LANE_B32,
                                .vec = 1,
                                .atomic = LANE_ATOMIC_CAS,
                                .order = LANE_RELAXED,
                                .scope = space == LANE_SHARED ? LANE_SCOPE_CTA : LANE_SCOPE_GPU};
}

static void lower_cas(struct sass_lowerer *l, enum lane_space space)
{
    bool wide = sass_element_bytes(l->table, l->form, &l->word) == 8;
    struct lane_access access = cas_access(space, wide);
    struct target t = find_address(l);
    struct lane_operand data[2];
    cas_data(l, wide, data);
    access.offset = t.offset;
    emit_atomic(l, &t, &access, result(l), data, 2);
    put_sparse(l);
}

/* SPIN: of the lanes whose addresses lie in one bank (word address modulo 32) only one tries. Which one is not said:
 * the lowest (named choice). The guard is narrowed to those. */
static void narrow_to_banks(struct sass_lowerer *l, const struct target *t)
{
    struct lane_operand address = t->address, all = sass_temp(l, 32), lower = sass_temp(l, 32), same[2];
    if (t->offset)
        address = sass_op2(l, LANE_OP_add, LANE_U32, address, sass_imm(l, (uint32_t)t->offset));
    struct lane_operand bank = sass_op3(l, LANE_OP_bfe, LANE_U32, address, sass_imm(l, 2), sass_imm(l, 5));
    struct lane_operand running = l->guard.kind == LANE_NONE ? sass_bool(l, true) : l->guard;
    sass_emit2(l, LANE_OP_ballot, LANE_VOID, all, l->guard_not ? sass_not(l, running) : running,
               sass_imm(l, UINT32_MAX));
    same[0] = sass_temp(l, 32);
    same[1] = SASS_NOTHING;
    struct lane_operand src[2] = {bank, all};
    sass_emit_list(l, LANE_OP_match, LANE_B32, 2, same, 2, src);
    sass_emit_list(l, LANE_OP_sreg, LANE_B32, 1, &lower, 0, NULL)->mode = LANE_SREG_LANEMASK_LT;
    struct lane_operand ahead = sass_op2(l, LANE_OP_and, LANE_B32, same[0], lower);
    struct lane_operand first = sass_compare(l, LANE_EQ, LANE_B32, ahead, sass_imm(l, 0));
    sass_narrow(l, first);
}

/* CAST: 1 where the swap was done, else 0, in a register or a pair as wide as the memory; the old value is not told. */
static void lower_cast(struct sass_lowerer *l, bool spin)
{
    bool wide = sass_element_bytes(l->table, l->form, &l->word) == 8;
    struct lane_access access = cas_access(LANE_SHARED, wide);
    struct target t = find_address(l);
    struct lane_operand src[3] = {t.address}, old = sass_temp(l, wide ? 64 : 32), guard = l->guard;
    struct lane_operand done = sass_temp(l, 1);
    bool guard_not = l->guard_not;
    cas_data(l, wide, src + 1);
    access.offset = t.offset;
    if (spin)
        narrow_to_banks(l, &t);
    sass_emit_list(l, LANE_OP_atom, LANE_VOID, 1, &old, 3, src)->aux = lane_access(&l->b, &access);
    sass_emit2(l, LANE_OP_setp, wide ? LANE_B64 : LANE_B32, done, old, src[1])->cmp = LANE_EQ;
    if (spin)
        done = sass_combine(l, 0, done, l->guard);
    l->guard = guard;
    l->guard_not = guard_not;
    unsigned width = wide ? 64 : 32;
    struct lane_operand flag = sass_op3(l, LANE_OP_selp, wide ? LANE_B64 : LANE_B32, lane_imm(&l->b, width, 1),
                                        lane_imm(&l->b, width, 0), done);
    if (wide)
        sass_set_pair(l, result(l), flag);
    else
        sass_set(l, result(l), flag);
}

SASS_LOWER(atoms)
{
    static const uint8_t sizes[] = {0, 1, 2, 5}; /* U32 S32 U64 S64 */
    struct lane_access access = {.space = LANE_SHARED};
    unsigned kind = sass_value(l, SASS_ROLE_castkind, SASS_CAS);
    if (!isa_any(l->form, SASS_IS_SWAP))
        lower_atomic(l, sass_value(l, SASS_ROLE_op, 15), sizes[sass_value(l, SASS_ROLE_size, 0) & 3], access);
    else if (kind == SASS_CAS)
        lower_cas(l, LANE_SHARED);
    else
        lower_cast(l, kind == SASS_CAST_SPIN);
}

/* ATOM and RED address by .E like LD; without it 32 bits of the generic space (INFERRED). */
SASS_LOWER(atom)
{
    struct lane_access access = {.space = LANE_GENERIC};
    if (isa_any(l->form, SASS_IS_SWAP))
        lower_cas(l, LANE_GENERIC);
    else
        lower_atomic(l, sass_value(l, SASS_ROLE_op, 15), sass_value(l, SASS_ROLE_size, 7), access);
}

SASS_LOWER(red)
{
    struct lane_access access = {.space = LANE_GENERIC};
    lower_atomic(l, sass_value(l, SASS_ROLE_op, 15), sass_value(l, SASS_ROLE_size, 7), access);
}

/* ---- fences, caches ---------------------------------------------------------------------------------------------- */

SASS_LOWER(membar)
{
    static const uint8_t scopes[] = {LANE_SCOPE_CTA, LANE_SCOPE_GPU, LANE_SCOPE_SYS, LANE_SCOPE_GPU};
    sass_emit_list(l, LANE_OP_fence, LANE_VOID, 0, NULL, 0, NULL)->mode =
        scopes[sass_value(l, SASS_ROLE_membar, 0) & 3];
}

/* Lowering of Maxwell SASS: what the functions of the rows share - operations, operands, predicates, condition codes.
 */
#include "isa/sass/lower.h"
#include "isa/sass/link.h"
#include "isa/sass/rows.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- the instruction -------------------------------------------------------------------------------- */

const char *sass_spelling(const struct sass_lowerer *l, enum sass_role label)
{
    return isa_spelling(l->table, l->form, &l->word, label);
}

const char *sass_called(const struct sass_lowerer *l, enum sass_role label)
{
    const struct isa_element *e = isa_role(l->table, l->form, label);
    return e ? isa_name_called(e->names, isa_get(&l->word, &e->field)) : "";
}

void sass_cannot(struct sass_lowerer *l, const char *format, ...)
{
    char message[512] = "not supported: ";
    size_t used = strlen(message);
    va_list args;
    va_start(args, format);
    vsnprintf(message + used, sizeof message - used, format, args);
    va_end(args);
    sass_emit_list(l, LANE_OP_unsupported, LANE_VOID, 0, NULL, 0, NULL)->aux = lane_string(&l->b, message);
}

const uint8_t sass_atomics[] = {
    [SASS_OP_ADD] = LANE_ATOMIC_ADD, [SASS_OP_MIN] = LANE_ATOMIC_MIN, [SASS_OP_MAX] = LANE_ATOMIC_MAX,
    [SASS_OP_INC] = LANE_ATOMIC_INC, [SASS_OP_DEC] = LANE_ATOMIC_DEC, [SASS_OP_AND] = LANE_ATOMIC_AND,
    [SASS_OP_OR] = LANE_ATOMIC_OR,   [SASS_OP_XOR] = LANE_ATOMIC_XOR, [SASS_OP_EXCH] = LANE_ATOMIC_EXCH,
};

/* ---- operations ------------------------------------------------------------------------------------- */

/* Named registers are the machine's own. */
static bool is_named(const struct sass_lowerer *l, struct lane_operand op)
{
    const struct lane_func *f = l->b.func;
    return op.kind == LANE_REG && f->names && op.index < f->nregs && f->names[op.index];
}

/* Register `op` changes: it is no longer what a pair says. */
static void forget_pair(struct sass_lowerer *l, struct lane_operand op)
{
    unsigned number = op.kind == LANE_REG && op.index < l->nnumbers ? l->numbers[op.index] : 0;
    if (!number)
        return;
    unsigned n = number - 1;
    l->pairs[n] = SASS_NOTHING;
    if (n)
        l->pairs[n - 1] = SASS_NOTHING;
}

void sass_forget_pairs(struct sass_lowerer *l)
{
    memset(l->pairs, 0, sizeof l->pairs);
}

struct lane_inst *sass_emit_list(struct sass_lowerer *l, enum lane_op op, enum lane_type type, unsigned ndst,
                                 const struct lane_operand *dst, unsigned nsrc, const struct lane_operand *src)
{
    bool guarded = ndst == 0 || !lane_is(op, LANE_PURE);
    for (unsigned i = 0; i < ndst; i++)
        guarded |= is_named(l, dst[i]);
    struct lane_inst *inst = lane_emit(&l->b, op, type, ndst, dst, nsrc, src);
    for (unsigned i = 0; i < ndst; i++)
        forget_pair(l, dst[i]);
    if (guarded) {
        inst->guard = l->guard;
        inst->guard_not = l->guard_not;
    }
    return inst;
}

struct lane_inst *sass_emit(struct sass_lowerer *l, enum lane_op op, enum lane_type type, struct lane_operand dst,
                            struct lane_operand a, struct lane_operand b, struct lane_operand c, struct lane_operand d)
{
    struct lane_operand src[4] = {a, b, c, d};
    unsigned nsrc = 0;
    while (nsrc < 4 && src[nsrc].kind != LANE_NONE)
        nsrc++;
    return sass_emit_list(l, op, type, dst.kind != LANE_NONE, &dst, nsrc, src);
}

struct lane_operand sass_temp(struct sass_lowerer *l, unsigned width)
{
    return lane_reg(&l->b, width, NULL);
}

struct lane_operand sass_imm(struct sass_lowerer *l, uint32_t value)
{
    return lane_imm(&l->b, 32, value);
}

struct lane_operand sass_bool(struct sass_lowerer *l, bool value)
{
    return lane_imm(&l->b, 1, value);
}

struct lane_operand sass_op1(struct sass_lowerer *l, enum lane_op op, enum lane_type type, struct lane_operand a)
{
    struct lane_operand d = sass_temp(l, lane_type_bits(type));
    sass_emit1(l, op, type, d, a);
    return d;
}

struct lane_operand sass_op2(struct sass_lowerer *l, enum lane_op op, enum lane_type type, struct lane_operand a,
                             struct lane_operand b)
{
    struct lane_operand d = sass_temp(l, lane_type_bits(type));
    sass_emit2(l, op, type, d, a, b);
    return d;
}

struct lane_operand sass_op3(struct sass_lowerer *l, enum lane_op op, enum lane_type type, struct lane_operand a,
                             struct lane_operand b, struct lane_operand c)
{
    struct lane_operand d = sass_temp(l, lane_type_bits(type));
    sass_emit3(l, op, type, d, a, b, c);
    return d;
}

struct lane_operand sass_compare(struct sass_lowerer *l, enum lane_cmp cmp, enum lane_type type, struct lane_operand a,
                                 struct lane_operand b)
{
    struct lane_operand d = sass_temp(l, 1);
    sass_emit2(l, LANE_OP_setp, type, d, a, b)->cmp = (uint8_t)cmp;
    return d;
}

struct lane_operand sass_convert(struct sass_lowerer *l, enum lane_type to, enum lane_type from, struct lane_operand a)
{
    struct lane_operand d = sass_temp(l, lane_type_bits(to));
    sass_emit1(l, LANE_OP_cvt, to, d, a)->type2 = (uint8_t)from;
    return d;
}

bool sass_is_const(const struct sass_lowerer *l, struct lane_operand value, uint64_t *known)
{
    if (value.kind != LANE_CONST || value.index >= l->b.func->nconsts || l->b.func->consts[value.index].symbol)
        return false;
    *known = l->b.func->consts[value.index].lo;
    return true;
}

/* ---- registers ---------------------------------------------------------------------------------------- */

static struct lane_operand named(struct sass_lowerer *l, struct lane_operand *place, unsigned width, const char *format,
                                 unsigned n)
{
    char name[16];
    if (place->kind == LANE_NONE) {
        snprintf(name, sizeof name, format, n);
        *place = lane_reg(&l->b, width, name);
    }
    return *place;
}

/* Remembers which register of the machine a new one of the lane program is. */
static void number(struct sass_lowerer *l, uint32_t index, unsigned n)
{
    if (index >= l->nnumbers) {
        uint32_t room = 2 * index + 64;
        uint8_t *grown = arena_grow(l->arena, l->numbers, l->nnumbers, room, sizeof *grown);
        if (!grown) {
            l->b.failed = true;
            return;
        }
        l->numbers = grown;
        l->nnumbers = room;
    }
    l->numbers[index] = (uint8_t)(n + 1);
}

struct lane_operand sass_register(struct sass_lowerer *l, unsigned n)
{
    if (n >= SASS_RZ)
        return sass_imm(l, 0);
    bool first = l->regs[n].kind == LANE_NONE;
    struct lane_operand op = named(l, &l->regs[n], 32, "R%u", n);
    if (first && op.kind == LANE_REG)
        number(l, op.index, n);
    return op;
}

struct lane_operand sass_result(struct sass_lowerer *l, unsigned n)
{
    return n >= SASS_RZ ? sass_temp(l, 32) : sass_register(l, n);
}

void sass_set(struct sass_lowerer *l, unsigned n, struct lane_operand value)
{
    if (n < SASS_RZ)
        sass_emit1(l, LANE_OP_mov, LANE_B32, sass_register(l, n), value);
}

/* The register above n: RZ has none above, neither has R254. */
static unsigned above(unsigned n)
{
    return n >= SASS_RZ - 1 ? SASS_RZ : n + 1;
}

void sass_set_pair(struct sass_lowerer *l, unsigned n, struct lane_operand value)
{
    if (n >= SASS_RZ)
        return;
    struct lane_operand dst[2] = {sass_register(l, n), SASS_NOTHING};
    if (above(n) != SASS_RZ)
        dst[1] = sass_register(l, above(n));
    sass_emit_list(l, LANE_OP_unpack, LANE_B64, 2, dst, 1, &value)->type2 = LANE_B32;
    if (l->guard.kind == LANE_NONE && above(n) != SASS_RZ && !is_named(l, value))
        l->pairs[n] = value;
}

struct lane_operand sass_join(struct sass_lowerer *l, struct lane_operand low, struct lane_operand high)
{
    uint64_t a, b;
    if (sass_is_const(l, low, &a) && sass_is_const(l, high, &b))
        return lane_imm(&l->b, 64, a | b << 32);
    struct lane_operand d = sass_temp(l, 64);
    sass_emit2(l, LANE_OP_pack, LANE_B64, d, low, high)->type2 = LANE_B32;
    return d;
}

struct lane_operand sass_pair(struct sass_lowerer *l, unsigned n)
{
    if (n >= SASS_RZ || l->pairs[n].kind == LANE_NONE) {
        struct lane_operand pair = sass_join(l, sass_register(l, n), sass_register(l, above(n)));
        if (n >= SASS_RZ)
            return pair;
        l->pairs[n] = pair;
    }
    return l->pairs[n];
}

/* ---- 32-bit operands ------------------------------------------------------------------------------------ */

/* An immediate, which a relocation may have replaced by half an address. */
static struct lane_operand immediate(struct sass_lowerer *l, uint64_t value)
{
    const struct sass_relocation *r = sass_link_relocation(l->linked, l->address);
    return r ? sass_link_value(l, r) : sass_imm(l, (uint32_t)value);
}

struct lane_operand sass_raw(struct sass_lowerer *l, unsigned i)
{
    const struct isa_operand *op = &l->op[i];
    assert(i < l->nops);
    switch (op->kind) {
    case ISA_REGISTER:
        return sass_register(l, op->reg);
    case ISA_CONSTANT:
        return sass_constant(l, op->bank, op->value, 4);
    default:
        return immediate(l, (uint64_t)op->value);
    }
}

/* The part of a register that the names after it choose (`half`: "", .H0, .H1, reserved): bits from `at`, `bits` of
 * them. */
static void part_of(const struct isa_operand *op, unsigned *at, unsigned *bits)
{
    bool half = op->suffix_names && (op->suffix == 1 || op->suffix == 2);
    assert(!op->suffix_names || op->suffix_names == &sass_names[SASS_LIST_half]);
    *bits = half ? 16 : 32;
    *at = half ? 16 * (op->suffix - 1) : 0;
}

static struct lane_operand take_part(struct sass_lowerer *l, struct lane_operand value, unsigned at, unsigned bits)
{
    uint64_t known;
    if (bits == 32)
        return value;
    uint32_t mask = (UINT32_C(1) << bits) - 1;
    if (sass_is_const(l, value, &known))
        return sass_imm(l, (uint32_t)(known >> at) & mask);
    if (at + bits == 32)
        return sass_op2(l, LANE_OP_shr, LANE_U32, value, sass_imm(l, at));
    if (at == 0)
        return sass_op2(l, LANE_OP_and, LANE_B32, value, sass_imm(l, mask));
    return sass_op3(l, LANE_OP_bfe, LANE_U32, value, sass_imm(l, at), sass_imm(l, bits));
}

struct lane_operand sass_magnitude(struct sass_lowerer *l, unsigned i)
{
    unsigned at, bits;
    uint64_t known;
    part_of(&l->op[i], &at, &bits);
    struct lane_operand value = take_part(l, sass_raw(l, i), at, bits);
    if (!l->op[i].abs)
        return value;
    if (sass_is_const(l, value, &known))
        return sass_imm(l, (uint32_t)known >> 31 ? 0 - (uint32_t)known : (uint32_t)known);
    return sass_op1(l, LANE_OP_abs, LANE_S32, value);
}

struct lane_operand sass_source(struct sass_lowerer *l, unsigned i)
{
    const struct isa_operand *op = &l->op[i];
    struct lane_operand value = sass_magnitude(l, i);
    uint64_t known;
    bool constant = sass_is_const(l, value, &known);
    if (op->inv) {
        known = ~known;
        value = constant ? sass_imm(l, (uint32_t)known) : sass_op1(l, LANE_OP_not, LANE_B32, value);
    }
    if (op->neg)
        value = constant ? sass_imm(l, 0 - (uint32_t)known) : sass_op1(l, LANE_OP_neg, LANE_S32, value);
    return value;
}

struct lane_operand sass_raw64(struct sass_lowerer *l, unsigned i)
{
    const struct isa_operand *op = &l->op[i];
    switch (op->kind) {
    case ISA_REGISTER:
        return sass_pair(l, op->reg);
    case ISA_CONSTANT:
        return sass_constant(l, op->bank, op->value, 8);
    default:
        return lane_imm(&l->b, 64, (uint64_t)op->value);
    }
}

/* ---- predicates ----------------------------------------------------------------------------------------- */

struct lane_operand sass_predicate_register(struct sass_lowerer *l, unsigned n)
{
    return n >= SASS_PT ? sass_bool(l, true) : named(l, &l->preds[n], 1, "P%u", n);
}

struct lane_operand sass_not(struct sass_lowerer *l, struct lane_operand predicate)
{
    uint64_t known;
    if (sass_is_const(l, predicate, &known))
        return sass_bool(l, !(known & 1));
    return sass_op1(l, LANE_OP_not, LANE_PRED, predicate);
}

void sass_narrow(struct sass_lowerer *l, struct lane_operand predicate)
{
    if (l->guard.kind != LANE_NONE)
        predicate = sass_combine(l, 0, l->guard_not ? sass_not(l, l->guard) : l->guard, predicate);
    l->guard = predicate;
    l->guard_not = false;
}

struct lane_operand sass_predicate(struct sass_lowerer *l, unsigned i)
{
    struct lane_operand p = sass_predicate_register(l, l->op[i].reg);
    return l->op[i].not ? sass_not(l, p) : p;
}

void sass_hold_guard(struct sass_lowerer *l, unsigned predicates)
{
    for (unsigned n = 0; n < SASS_PT; n++)
        if (predicates >> n & 1 && l->guard.kind == LANE_REG && l->preds[n].kind == LANE_REG &&
            l->preds[n].index == l->guard.index)
            l->guard = sass_op1(l, LANE_OP_mov, LANE_PRED, l->guard);
}

void sass_set_predicate_register(struct sass_lowerer *l, unsigned n, struct lane_operand value)
{
    if (n < SASS_PT)
        sass_emit1(l, LANE_OP_mov, LANE_PRED, sass_predicate_register(l, n), value);
}

void sass_set_predicate(struct sass_lowerer *l, unsigned i, struct lane_operand value)
{
    sass_set_predicate_register(l, l->op[i].reg, value);
}

struct lane_operand sass_combine(struct sass_lowerer *l, unsigned bop, struct lane_operand a, struct lane_operand b)
{
    static const uint16_t ops[] = {LANE_OP_and, LANE_OP_or, LANE_OP_xor};
    uint64_t known;
    if (sass_is_const(l, a, &known)) {
        struct lane_operand swap = a;
        a = b;
        b = swap;
    }
    if (!sass_is_const(l, b, &known))
        return sass_op2(l, (enum lane_op)ops[bop % 3], LANE_PRED, a, b);
    known &= 1;
    if (bop == 2)
        return known ? sass_not(l, a) : a;
    return known == (bop == 0) ? a : b;
}

void sass_set_both(struct sass_lowerer *l, unsigned first, unsigned with, unsigned bop, struct lane_operand t)
{
    unsigned p = l->op[first].reg, q = l->op[first + 1].reg;
    struct lane_operand other = sass_predicate(l, with), one = t, two = t;
    if (bop > 2) {
        sass_cannot(l, "reserved predicate operation");
        return;
    }
    if (p != SASS_PT)
        one = sass_combine(l, bop, t, other);
    if (q != SASS_PT)
        two = sass_combine(l, bop, sass_not(l, t), other);
    if (p != SASS_PT && q != SASS_PT) {
        sass_hold_guard(l, 1u << p);
        if (two.kind == LANE_REG && two.index == l->preds[p].index) /* what the first result replaces */
            two = sass_op1(l, LANE_OP_mov, LANE_PRED, two);
    }
    sass_set_predicate(l, first, one);
    sass_set_predicate(l, first + 1, two);
}

/* ---- condition codes -------------------------------------------------------------------------------------- */

struct lane_operand sass_flag(struct sass_lowerer *l, enum sass_flag flag)
{
    static const char *const names[SASS_FLAGS] = {"CC.Z", "CC.S", "CC.C", "CC.O"};
    if (l->flags[flag].kind == LANE_NONE)
        l->flags[flag] = lane_reg(&l->b, 1, names[flag]);
    return l->flags[flag];
}

void sass_set_flag(struct sass_lowerer *l, enum sass_flag flag, struct lane_operand value)
{
    sass_emit1(l, LANE_OP_mov, LANE_PRED, sass_flag(l, flag), value);
}

unsigned sass_flags_due(const struct sass_lowerer *l)
{
    return sass_has(l, SASS_MOD_CC) ? l->wanted : 0;
}

static unsigned operand_width(const struct sass_lowerer *l, struct lane_operand operand)
{
    const struct lane_func *f = l->b.func;
    return operand.kind == LANE_REG ? f->widths[operand.index] : f->consts[operand.index].width;
}

/* Of a pair of registers all 64 bits count (named choice: conversions to 64 bits can write condition codes). */
void sass_set_logic_flags(struct sass_lowerer *l, struct lane_operand result)
{
    unsigned due = sass_flags_due(l);
    bool wide = due && operand_width(l, result) == 64;
    struct lane_operand zero = wide ? lane_imm(&l->b, 64, 0) : sass_imm(l, 0);
    if (due & SASS_BIT_Z)
        sass_set_flag(l, SASS_Z, sass_compare(l, LANE_EQ, wide ? LANE_B64 : LANE_B32, result, zero));
    if (due & SASS_BIT_S)
        sass_set_flag(l, SASS_S, sass_compare(l, LANE_LT, wide ? LANE_S64 : LANE_S32, result, zero));
    if (due & SASS_BIT_C)
        sass_set_flag(l, SASS_C, sass_bool(l, false));
    if (due & SASS_BIT_O)
        sass_set_flag(l, SASS_O, sass_bool(l, false));
}

static struct lane_operand less(struct sass_lowerer *l) /* S != O */
{
    return sass_combine(l, 2, sass_flag(l, SASS_S), sass_flag(l, SASS_O));
}

/* Integers have no NaN: the tests with U are those without, NUM is true, NAN false (INFERRED: what float operations
 * leave in CC makes no difference between the two). */
static struct lane_operand signed_test(struct sass_lowerer *l, unsigned test)
{
    switch (test) {
    case 1: /* LT */
        return less(l);
    case 2: /* EQ */
        return sass_flag(l, SASS_Z);
    case 3: /* LE */
        return sass_combine(l, 1, sass_flag(l, SASS_Z), less(l));
    case 4: /* GT */
        return sass_not(l, signed_test(l, 3));
    case 5: /* NE */
        return sass_not(l, sass_flag(l, SASS_Z));
    default: /* GE */
        return sass_not(l, less(l));
    }
}

struct lane_operand sass_test(struct sass_lowerer *l, unsigned test)
{
    if (test == SASS_TEST_F || test == SASS_TEST_NAN)
        return sass_bool(l, false);
    if (test == SASS_TEST_NUM || test == SASS_TEST_T)
        return sass_bool(l, true);
    if (test < SASS_TEST_T)
        return signed_test(l, test & 7);
    switch (test) {
    case SASS_TEST_OFF:
        return sass_not(l, sass_flag(l, SASS_O));
    case SASS_TEST_LO:
        return sass_not(l, sass_flag(l, SASS_C));
    case SASS_TEST_SFF:
        return sass_not(l, sass_flag(l, SASS_S));
    case SASS_TEST_LS:
        return sass_combine(l, 1, sass_flag(l, SASS_Z), sass_not(l, sass_flag(l, SASS_C)));
    case SASS_TEST_HI:
        return sass_combine(l, 0, sass_flag(l, SASS_C), sass_not(l, sass_flag(l, SASS_Z)));
    case SASS_TEST_SFT:
        return sass_flag(l, SASS_S);
    case SASS_TEST_HS:
        return sass_flag(l, SASS_C);
    case SASS_TEST_OFT:
        return sass_flag(l, SASS_O);
    default: /* CSM_TA .. RGT: of graphics */
        sass_cannot(l, "condition code test %u", test);
        return sass_bool(l, false);
    }
}

/* Lowering of cp.async: copies of 4, 8 or 16 bytes from global to shared memory; and of cp.async.bulk: of any number of
 * 16 bytes; and of st.async. They are done at once, in the place of the instruction, which is one of the times at which
 * they may be done: groups are always complete, and what waits for them does nothing. PTX ISA, "Data Movement and
 * Conversion Instructions: Asynchronous copy". */
#include "isa/ptx/lower.h"

static const struct lane_operand none = {LANE_NONE, 0};

enum { WORDS = 4 };

/* A copy's words on their way, and where they are read. */
struct copy {
    struct lane_operand words[WORDS], from;
    struct lane_access access;
    unsigned bytes;
};

static struct lane_operand compute(struct lowerer *l, enum lane_op op, struct lane_operand a, uint32_t b)
{
    struct lane_operand d = lower_temp(l, PTX_b32), src[2] = {a, lower_const(l, PTX_b32, b)};
    lane_emit(&l->b, op, op == LANE_OP_sub ? LANE_U32 : LANE_B32, 1, &d, 2, src);
    return d;
}

static struct lane_operand compare(struct lowerer *l, enum lane_cmp cmp, struct lane_operand a, uint32_t b)
{
    struct lane_operand d = lower_temp(l, PTX_pred), src[2] = {a, lower_const(l, PTX_b32, b)};
    lane_emit(&l->b, LANE_OP_setp, LANE_U32, 1, &d, 2, src)->cmp = (uint8_t)cmp;
    return d;
}

static void load(struct lowerer *l, const struct copy *copy)
{
    struct lane_access access = copy->access;
    lane_emit(&l->b, LANE_OP_ld, LANE_VOID, access.vec, copy->words, 1, &copy->from)->aux = lane_access(&l->b, &access);
}

/* Loads in the lanes that have `p`. */
static void load_where(struct lowerer *l, const struct copy *copy, struct lane_operand p)
{
    struct lane_operand guard = l->b.guard;
    bool guard_not = l->b.guard_not;
    l->b.guard = lower_guarded(l, p);
    l->b.guard_not = false;
    load(l, copy);
    l->b.guard = guard;
    l->b.guard_not = guard_not;
}

/* Byte `at` of the source, where it is one of the first `bytes`. */
static void load_byte(struct lowerer *l, const struct copy *copy, unsigned at, struct lane_operand bytes)
{
    struct lane_access access = copy->access;
    struct lane_operand byte = lower_temp(l, PTX_b32), word = copy->words[at / 4];
    access.type = LANE_U8;
    access.vec = 1;
    access.offset += at;
    l->b.guard = compare(l, LANE_GT, bytes, at);
    lane_emit(&l->b, LANE_OP_ld, LANE_VOID, 1, &byte, 1, &copy->from)->aux = lane_access(&l->b, &access);
    byte = compute(l, LANE_OP_shl, byte, at % 4 * 8);
    lane_emit(&l->b, LANE_OP_or, LANE_B32, 1, &word, 2, (struct lane_operand[]){word, byte});
    l->b.guard = none;
}

/* Lanes that read less than all bytes, but some, read them one by one; others go around it. */
static void load_some(struct lowerer *l, const struct copy *copy, struct lane_operand bytes)
{
    struct lane_operand guard = l->b.guard;
    bool guard_not = l->b.guard_not;
    load_where(l, copy, compare(l, LANE_GE, bytes, copy->bytes));
    struct lane_operand less = compute(l, LANE_OP_sub, bytes, 1);
    l->b.guard = lower_guarded(l, compare(l, LANE_LT, less, copy->bytes - 1));
    l->b.guard_not = true;
    uint32_t around = lower_skip(l);
    l->b.guard = none;
    l->b.guard_not = false;
    for (unsigned at = 0; at + 1 < copy->bytes; at++)
        load_byte(l, copy, at, bytes);
    lower_skipped(l, around);
    l->b.guard = guard;
    l->b.guard_not = guard_not;
}

/* Words that are not read are zeros: `read` is how many bytes are, or a predicate: none of them. */
static void load_part(struct lowerer *l, const struct copy *copy, const struct insn_operand *read)
{
    struct lane_operand no = lower_const(l, PTX_b32, 0), all;
    for (unsigned i = 0; i < copy->access.vec; i++)
        lane_emit(&l->b, LANE_OP_mov, LANE_B32, 1, &copy->words[i], 1, &no);
    if (read->kind != INSN_NOT && ptx_operand_type(read) != PTX_pred) {
        load_some(l, copy, lower_source(l, read, PTX_u32));
        return;
    }
    struct lane_operand ignore = lower_source(l, read, PTX_pred);
    all = lower_temp(l, PTX_pred);
    lane_emit(&l->b, LANE_OP_not, LANE_PRED, 1, &all, 1, &ignore);
    load_where(l, copy, all);
}

void lower_copy(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    struct copy copy = {.bytes = (unsigned)insn->operands[2].value};
    unsigned policy = ptx_form_has(form, PTX_L2__cache_hint), count = copy.bytes / 4;
    struct lane_operand src[WORDS + 1];
    struct lane_access to = {.type = LANE_B32, .vec = (uint8_t)count, .passes = true};
    copy.access = (struct lane_access){.type = LANE_B32, .vec = (uint8_t)count};
    copy.from = lower_address(l, &insn->operands[1], form->space2, &copy.access);
    src[0] = lower_address(l, &insn->operands[0], form->space, &to);
    for (unsigned i = 0; i < count; i++)
        src[i + 1] = copy.words[i] = lower_temp(l, PTX_b32);
    if (insn->noperands > 3 + policy)
        load_part(l, &copy, &insn->operands[3]);
    else
        load(l, &copy);
    lane_emit(&l->b, LANE_OP_st, LANE_VOID, 0, NULL, count + 1, src)->aux = lane_access(&l->b, &to);
}

/* Copies before it are done, so the barrier is arrived at. Without .noinc the phase expects that arrival in addition:
 * together they leave the object as it is. */
void lower_copy_arrive(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    if (ptx_form_has(form, PTX_noinc))
        lower_arrive(l, &insn->operands[0], form);
}

/* A store; the barrier, where there is one, hears of its bytes. */
void lower_st_async(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    lower_st(l, insn, form);
    if (ptx_form_has(form, PTX_mbarrier__complete_tx__bytes))
        lower_complete_tx(l, &insn->operands[2], form,
                          lower_const(l, PTX_u32, form->vec * ptx_type_bits(form->types[0]) / 8));
}

/* ---- bulk copies ------------------------------------------------------------------------------------------------- */

/* Stops the lanes whose size is no multiple of 16; what they would copy is not defined. */
static void refuse_sizes(struct lowerer *l, struct lane_operand bytes)
{
    struct lane_operand guard = l->b.guard;
    bool guard_not = l->b.guard_not;
    l->b.guard = lower_guarded(l, compare(l, LANE_NE, compute(l, LANE_OP_and, bytes, 15), 0));
    l->b.guard_not = false;
    lower_unsupported(l, "cp.async.bulk of a size that is no multiple of 16");
    l->b.guard = guard;
    l->b.guard_not = guard_not;
}

/* An address in a register of its own, which the loop counts up. */
static struct lane_operand count_address(struct lowerer *l, const struct insn_operand *op, uint16_t space,
                                         struct lane_access *access, uint16_t *type)
{
    const struct insn_operand *base = &op->children[0];
    *access = (struct lane_access){.type = LANE_B32, .vec = WORDS};
    *type = base->kind == INSN_REG && ptx_type_bits(base->decl->type) <= 32 ? PTX_u32 : PTX_u64;
    struct lane_operand at = lower_address(l, op, space, access), copy = lower_temp(l, *type);
    lane_emit(&l->b, LANE_OP_mov, *type == PTX_u32 ? LANE_B32 : LANE_B64, 1, &copy, 1, &at);
    return copy;
}

static void count_up(struct lowerer *l, struct lane_operand at, uint16_t type)
{
    struct lane_operand src[2] = {at, lower_const(l, type, 4 * WORDS)};
    lane_emit(&l->b, LANE_OP_add, ptx_type_lane(type), 1, &at, 2, src);
}

/* 16 bytes a round, in the lanes that have `left` to copy. */
static void copy_rounds(struct lowerer *l, const struct insn *insn, const struct ptx_form *form,
                        struct lane_operand left)
{
    struct lane_access from, to;
    uint16_t from_type, to_type;
    struct lane_operand some = lower_guarded(l, compare(l, LANE_NE, left, 0)), words[WORDS + 1];
    struct lane_operand at = count_address(l, &insn->operands[1], form->space2, &from, &from_type);
    words[0] = count_address(l, &insn->operands[0], form->space, &to, &to_type);
    to.passes = true;
    for (unsigned i = 1; i <= WORDS; i++)
        words[i] = lower_temp(l, PTX_b32);
    l->b.guard = some;
    l->b.guard_not = true;
    uint32_t around = lower_skip(l), head = l->b.func->nblocks - 1;
    l->b.guard = none;
    l->b.guard_not = false;
    lane_emit(&l->b, LANE_OP_ld, LANE_VOID, WORDS, words + 1, 1, &at)->aux = lane_access(&l->b, &from);
    lane_emit(&l->b, LANE_OP_st, LANE_VOID, 0, NULL, WORDS + 1, words)->aux = lane_access(&l->b, &to);
    count_up(l, at, from_type);
    count_up(l, words[0], to_type);
    struct lane_operand src[2] = {left, lower_const(l, PTX_u32, 4 * WORDS)};
    lane_emit(&l->b, LANE_OP_sub, LANE_U32, 1, &left, 2, src);
    l->b.guard = compare(l, LANE_NE, left, 0);
    lane_emit(&l->b, LANE_OP_bra, LANE_VOID, 0, NULL, 0, NULL)->aux = head;
    lower_skipped(l, around);
}

/* A cluster has one block, so a copy for several blocks of it would need others. */
void lower_bulk_copy(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    struct lane_operand guard = l->b.guard, bytes, left = lower_temp(l, PTX_u32);
    bool guard_not = l->b.guard_not;
    if (ptx_form_has(form, PTX_multicast__cluster) || ptx_form_has(form, PTX_cp_mask)) {
        ptx_lower_unsupported(l, insn, form);
        return;
    }
    bytes = lower_source(l, &insn->operands[2], PTX_u32);
    lane_emit(&l->b, LANE_OP_mov, LANE_B32, 1, &left, 1, &bytes);
    refuse_sizes(l, bytes);
    copy_rounds(l, insn, form, left);
    l->b.guard = guard;
    l->b.guard_not = guard_not;
    if (ptx_form_has(form, PTX_mbarrier__complete_tx__bytes))
        lower_complete_tx(l, &insn->operands[3], form, bytes);
}

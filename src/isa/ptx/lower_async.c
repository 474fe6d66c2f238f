/* Lowering of cp.async: copies of 4, 8 or 16 bytes from global to shared memory; and of cp.async.bulk: of any number of
 * 16 bytes; and of st.async. They are done at once, in the place of the instruction, which is one of the times at which
 * they may be done: groups are always complete, and what waits for them does nothing. PTX ISA, "Data Movement and
 * Conversion Instructions: Asynchronous copy". */
#include "isa/ptx/lower.h"

#include <string.h>

static const struct lane_operand none = {LANE_NONE, 0};

enum { WORDS = 4 };

/* A copy's words on their way, and where they are read. */
struct copy {
    struct lane_operand words[WORDS], from;
    struct lane_access access;
    uint16_t type; /* of the address */
    unsigned bytes;
};

static struct lane_operand compute(struct lowerer *l, enum lane_op op, struct lane_operand a, uint32_t b)
{
    struct lane_operand d = lower_temp(l, PTX_b32), src[2] = {a, lower_const(l, PTX_b32, b)};
    lane_emit(&l->b, op, LANE_B32, 1, &d, 2, src);
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
    struct lower_guard outer = lower_under(l, p);
    load(l, copy);
    lower_guard_set(l, outer);
}

/* An address in a register of its own, without its offset. */
static struct lane_operand copy_address(struct lowerer *l, const struct insn_operand *op, uint16_t space,
                                        struct lane_access *access, uint16_t *type)
{
    const struct insn_operand *base = &op->children[0];
    *type = base->kind == INSN_REG && ptx_type_bits(base->decl->type) <= 32 ? PTX_u32 : PTX_u64;
    struct lane_operand at = lower_address(l, op, space, access), copy = lower_temp(l, *type);
    lane_emit(&l->b, LANE_OP_mov, *type == PTX_u32 ? LANE_B32 : LANE_B64, 1, &copy, 1, &at);
    return copy;
}

/* Whole words of the first `bytes`. */
static void load_words(struct lowerer *l, const struct copy *copy, struct lane_operand bytes)
{
    struct copy word = *copy;
    word.access.vec = 1;
    for (unsigned i = 0; i < copy->access.vec; i++) {
        word.words[0] = copy->words[i];
        word.access.offset = copy->access.offset + 4 * i;
        load_where(l, &word, compare(l, LANE_GE, bytes, 4 * (i + 1)));
    }
}

/* 1 to 3 bytes at `at`, as a word. */
static struct lane_operand load_bytes(struct lowerer *l, const struct copy *copy, struct lane_operand at,
                                      struct lane_operand bytes)
{
    struct lane_operand word = lower_temp(l, PTX_b32), no = lower_const(l, PTX_b32, 0);
    lane_emit(&l->b, LANE_OP_mov, LANE_B32, 1, &word, 1, &no);
    for (unsigned i = 0; i < 3; i++) {
        struct copy byte = {.words = {lower_temp(l, PTX_b32)}, .from = at, .access = copy->access};
        byte.access.type = LANE_U8;
        byte.access.vec = 1;
        byte.access.offset += i;
        struct lower_guard outer = lower_under(l, compare(l, LANE_GT, bytes, i));
        load(l, &byte);
        struct lane_operand src[2] = {word, compute(l, LANE_OP_shl, byte.words[0], 8 * i)};
        lane_emit(&l->b, LANE_OP_or, LANE_B32, 1, &word, 2, src);
        lower_guard_set(l, outer);
    }
    return word;
}

/* The bytes behind the last whole word. Lanes without any go around. */
static void load_rest(struct lowerer *l, const struct copy *copy, struct lane_operand bytes)
{
    struct lane_operand rest = compute(l, LANE_OP_and, bytes, 3), first = compute(l, LANE_OP_and, bytes, 12);
    struct lane_operand offset = first, at = lower_temp(l, copy->type);
    struct lower_guard outer = lower_under(l, compare(l, LANE_LT, bytes, copy->bytes));
    lower_under(l, compare(l, LANE_NE, rest, 0));
    uint32_t around = lower_skip_others(l);
    if (copy->type == PTX_u64) {
        offset = lower_temp(l, PTX_u64);
        lower_convert(l, offset, LANE_U64, first, LANE_U32);
    }
    lane_emit(&l->b, LANE_OP_add, ptx_type_lane(copy->type), 1, &at, 2, (struct lane_operand[]){copy->from, offset});
    struct lane_operand word = load_bytes(l, copy, at, rest);
    for (unsigned i = 0; i < copy->access.vec; i++) {
        lower_under(l, compare(l, LANE_EQ, first, 4 * i));
        lane_emit(&l->b, LANE_OP_mov, LANE_B32, 1, &copy->words[i], 1, &word);
        lower_guard_set(l, (struct lower_guard){none, false});
    }
    lower_skipped(l, around);
    lower_guard_set(l, outer);
}

/* A whole access, where one is not aligned and something is read: it traps. */
static void refuse_addresses(struct lowerer *l, const struct copy *copy, struct lane_operand bytes)
{
    enum lane_type type = ptx_type_lane(copy->type);
    struct lane_operand low = lower_temp(l, copy->type), odd = lower_temp(l, PTX_pred), src[2] = {copy->from};
    src[1] = lower_const(l, copy->type, (uint64_t)copy->access.offset & (copy->bytes - 1));
    lane_emit(&l->b, LANE_OP_add, type, 1, &low, 2, src);
    src[0] = low;
    src[1] = lower_const(l, copy->type, copy->bytes - 1);
    lane_emit(&l->b, LANE_OP_and, copy->type == PTX_u32 ? LANE_B32 : LANE_B64, 1, &low, 2, src);
    src[1] = lower_const(l, copy->type, 0);
    lane_emit(&l->b, LANE_OP_setp, type, 1, &odd, 2, src)->cmp = LANE_NE;
    struct lower_guard outer = lower_under(l, odd);
    load_where(l, copy, compare(l, LANE_NE, bytes, 0));
    lower_guard_set(l, outer);
}

/* Words that are not read are zeros: `read` is how many bytes are, or a predicate: none of them. */
static void load_part(struct lowerer *l, const struct copy *copy, const struct insn_operand *read)
{
    struct lane_operand no = lower_const(l, PTX_b32, 0);
    for (unsigned i = 0; i < copy->access.vec; i++)
        lane_emit(&l->b, LANE_OP_mov, LANE_B32, 1, &copy->words[i], 1, &no);
    if (read->kind != INSN_NOT && ptx_operand_type(read) != PTX_pred) {
        struct lane_operand bytes = lower_source(l, read, PTX_u32);
        refuse_addresses(l, copy, bytes);
        load_words(l, copy, bytes);
        load_rest(l, copy, bytes);
        return;
    }
    struct lane_operand ignore = lower_source(l, read, PTX_pred), all = lower_temp(l, PTX_pred);
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
    copy.from = copy_address(l, &insn->operands[1], form->space2, &copy.access, &copy.type);
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
 * together they leave the object as it is, as no bytes that are done do. */
void lower_copy_arrive(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    if (ptx_form_has(form, PTX_noinc))
        lower_arrive(l, &insn->operands[0], form);
    else
        lower_complete_tx(l, &insn->operands[0], form, lower_const(l, PTX_u32, 0));
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

static void count_up(struct lowerer *l, struct lane_operand at, uint16_t type)
{
    struct lane_operand src[2] = {at, lower_const(l, type, 4 * WORDS)};
    lane_emit(&l->b, LANE_OP_add, ptx_type_lane(type), 1, &at, 2, src);
}

/* Both ends of a bulk copy. */
struct bulk {
    struct copy from;
    struct lane_access to;
    struct lane_operand at, left; /* to where; how many bytes */
    uint16_t type;
};

/* 16 bytes. */
static void copy_round(struct lowerer *l, const struct bulk *bulk)
{
    struct lane_operand src[WORDS + 1] = {bulk->at}, count[2] = {bulk->left, lower_const(l, PTX_u32, 4 * WORDS)};
    memcpy(src + 1, bulk->from.words, sizeof bulk->from.words);
    load(l, &bulk->from);
    lane_emit(&l->b, LANE_OP_st, LANE_VOID, 0, NULL, WORDS + 1, src)->aux = lane_access(&l->b, &bulk->to);
    count_up(l, bulk->from.from, bulk->from.type);
    count_up(l, bulk->at, bulk->type);
    lane_emit(&l->b, LANE_OP_sub, LANE_U32, 1, &bulk->left, 2, count);
}

/* Rounds, until lanes have nothing left; those that never have go around. */
static void copy_rounds(struct lowerer *l, const struct bulk *bulk)
{
    struct lower_guard outer = lower_under(l, compare(l, LANE_NE, bulk->left, 0));
    uint32_t around = lower_skip_others(l), head = l->b.func->nblocks - 1;
    copy_round(l, bulk);
    lower_under(l, compare(l, LANE_NE, bulk->left, 0));
    lane_emit(&l->b, LANE_OP_bra, LANE_VOID, 0, NULL, 0, NULL)->aux = head;
    lower_skipped(l, around);
    lower_guard_set(l, outer);
}

/* A cluster has one block, so a copy for several blocks of it would need others. */
void lower_bulk_copy(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    if (ptx_form_has(form, PTX_multicast__cluster)) {
        ptx_lower_unsupported(l, insn, form);
        return;
    }
    const struct lane_access words = {.type = LANE_B32, .vec = WORDS};
    struct bulk bulk = {.from.access = words, .to = words, .left = lower_temp(l, PTX_u32)};
    struct lane_operand bytes = lower_source(l, &insn->operands[2], PTX_u32);
    lane_emit(&l->b, LANE_OP_mov, LANE_B32, 1, &bulk.left, 1, &bytes);
    lower_refuse(l, compare(l, LANE_NE, compute(l, LANE_OP_and, bytes, 15), 0),
                 "cp.async.bulk of a size that is no multiple of 16");
    bulk.from.from = copy_address(l, &insn->operands[1], form->space2, &bulk.from.access, &bulk.from.type);
    bulk.at = copy_address(l, &insn->operands[0], form->space, &bulk.to, &bulk.type);
    bulk.to.passes = true;
    for (unsigned i = 0; i < WORDS; i++)
        bulk.from.words[i] = lower_temp(l, PTX_b32);
    copy_rounds(l, &bulk);
    if (ptx_form_has(form, PTX_mbarrier__complete_tx__bytes))
        lower_complete_tx(l, &insn->operands[3], form, bytes);
}

/* Atomics on memory: atom, red, red.async. What combines with what is in the patterns; this file adds what the notation
 * cannot say (vectors, constants, cache hints) and the lowering.
 *
 * The patterns are what ptxas accepts. Where the PTX ISA text says more or something else:
 *   - types are exactly these: no add.s64 (red.async has it), no add.b32, and.u32, exch.u32, no .b16x2
 *   - f16 and bf16 need .noftz, f32 and f64 refuse it (newer texts show atom.add.noftz.f32); .ftz exists nowhere
 *   - sem without scope and scope without sem are both fine; cache hints not with cas, not on .shared
 *   - vectors only on .global and generic addresses
 */
#include "isa/ptx/lower.h"
#include "isa/ptx/tuple.h"

#define ATOM_SEM "relaxed@60/70|acquire@60/70|release@60/70|acq_rel@60/70?"
#define RED_SEM  "relaxed@60/70|release@60/70?"
#define SCOPE    "cta@50/60|cluster@78/90|gpu@50/60|sys@50/60?"
#define SPACE    "global|shared|shared::cta@78|shared::cluster@78/90?"
#define HINT     "L2::cache_hint@74/80?"

static ptx_check_fn check_atom, check_red, check_red_async;
static ptx_lower_fn lower_atom, lower_red, lower_red_async;

/* What atom and red share: SEM differs. */
#define COMMON_PATTERNS(SEM)                                                                                          \
    {.mods = SEM " " SCOPE " " SPACE " add " HINT " u32|s32|u64|f32|f64@50/60"},                                      \
        {.mods = SEM " " SCOPE " " SPACE " add noftz " HINT " f16x2@62/60|f16@63/70|bf16@78/90|bf16x2@78/90"},        \
        {.mods = SEM " " SCOPE " " SPACE " min|max " HINT " u32|s32|u64@31/32|s64@31/32"},                            \
        {.mods = SEM " " SCOPE " " SPACE " and|or|xor " HINT " b32|b64@31/32"},                                       \
        {.mods = SEM " " SCOPE " " SPACE " inc|dec " HINT " u32"},                                                    \
        {.mods = SEM " " SCOPE " global? add " HINT " v2|v4 f32", .version = 81, .target = 90},                       \
        {.mods = SEM " " SCOPE " global? add|min|max noftz " HINT " v2|v4|v8 f16|bf16", .version = 81, .target = 90}, \
        {.mods = SEM " " SCOPE " global? add|min|max noftz " HINT " v2|v4 f16x2|bf16x2", .version = 81, .target = 90},

static const struct ptx_pattern atom_patterns[] = {
    COMMON_PATTERNS(ATOM_SEM){.mods = ATOM_SEM " " SCOPE " " SPACE " exch " HINT " b32|b64|b128@83/90"},
    {.mods = ATOM_SEM " " SCOPE " " SPACE " cas b16@63/70|b32|b64|b128@83/90"},
};

/* red.async: the space may be left out, in contrast to the text. Without a barrier it reduces global memory. */
#define ASYNC_FORM(words, version_, target_)                                                                      \
    {                                                                                                             \
        .mods = words, .version = version_, .target = target_, .check = check_red_async, .lower = lower_red_async \
    }
#define ASYNC(operation)                                                                                  \
    ASYNC_FORM("async relaxed cluster shared::cluster? mbarrier::complete_tx::bytes " operation, 81, 90), \
        ASYNC_FORM("async relaxed~ gpu|sys global@87/100? " operation, 81, 90),                           \
        ASYNC_FORM("async mmio? release gpu|sys global? " operation, 87, 100),

/* clang-format off */
static const struct ptx_pattern red_patterns[] = {
    COMMON_PATTERNS(RED_SEM)
    ASYNC("add u32|s32|u64|s64~")
    ASYNC("inc|dec u32")
    ASYNC("min|max u32|s32")
    ASYNC("and|or|xor b32")
};
/* clang-format on */

const struct ptx_row ptx_row_atom = {"atom",
                                     "read, modify and write memory in one indivisible step; gives the old value",
                                     PTX_PATTERNS(atom_patterns), check_atom, lower_atom};
const struct ptx_row ptx_row_red = {"red", "modify memory in one indivisible step", PTX_PATTERNS(red_patterns),
                                    check_red, lower_red};

/* ---- checking ---------------------------------------------------------------------------------------- */

static bool check_count(struct checker *c, const struct insn *insn, unsigned wanted)
{
    return insn->noperands == wanted ||
           check_error(c, insn->name, "operand-count", "'%s' takes %u operands here, not %u", insn->row->name, wanted,
                       insn->noperands);
}

/* The address of a variable plus an offset is an integer constant for ptxas; the bare name is not. */
static bool check_symbol(struct checker *c, const struct insn_operand *op, uint16_t type)
{
    if (op->decl != NULL && op->decl->kind == PTX_DECL_VAR && op->value != 0 && ptx_type_kind(type) != 'f' &&
        ptx_type_bits(type) <= 64)
        return true;
    return check_error(c, op->span, "operand-type", "a register or a constant of type .%s is wanted",
                       ptx_keyword_text(type));
}

/* Scalars have exactly the type's size: no widening as ld and st have it. Halves have no constants. */
static bool check_scalar(struct checker *c, const struct insn_operand *op, uint16_t type)
{
    bool constant = op->kind == INSN_INT || op->kind == INSN_F32 || op->kind == INSN_F64;
    bool half = type == PTX_f16 || type == PTX_bf16 || type == PTX_f16x2 || type == PTX_bf16x2;
    if (op->kind == INSN_SYMBOL)
        return check_symbol(c, op, type);
    if (half && op->kind == INSN_REG && ptx_type_kind(op->decl->type) == 'f' && op->decl->type != type)
        return check_error(c, op->span, "operand-type", "register is .%s; .%s or an untyped one is wanted",
                           ptx_keyword_text(op->decl->type), ptx_keyword_text(type));
    if (constant && half)
        return check_error(c, op->span, "operand-type", "a register is wanted; .%s has no constants here",
                           ptx_keyword_text(type));
    return check_source(c, op, type, false);
}

/* Do the joined elements of a vector fit? Elements of different types are untyped bits and always do. .f32 and .f16
 * take every register of their size, the others only untyped ones (and .f16x2 itself). */
static bool element_fits(const struct element *element, uint16_t type)
{
    if (element->constants)
        return element->kind == 'f' && type == PTX_f32;
    if (element->bits != ptx_type_bits(type))
        return false;
    if (element->type == 0 || element->kind == 'b')
        return true;
    return (type == PTX_f32 && element->kind != 'x') || (type == PTX_f16) ||
           (type == PTX_f16x2 && element->type == PTX_f16x2);
}

/* ptxas takes some constants as halves, depending on their place; it says nowhere which half they become. Refused. */
static bool check_constants(struct checker *c, const struct tuple *tuple, uint16_t type)
{
    for (unsigned i = 0; i < tuple->count; i++) {
        const struct insn_operand *at = &tuple->at[i];
        if (at->kind == INSN_INT || (type != PTX_f32 && (at->kind == INSN_F32 || at->kind == INSN_F64)))
            return check_error(c, at->span, "operand-type", "a register is wanted as an element of type .%s",
                               ptx_keyword_text(type));
    }
    return true;
}

static bool check_vector(struct checker *c, const struct insn_operand *op, const struct ptx_form *form, bool dest)
{
    uint16_t type = form->types[0];
    struct tuple tuple;
    struct element element;
    if (!tuple_open(op, &tuple) || !tuple.braces || tuple.count != form->vec)
        return check_error(c, op->span, "operand-count", "a vector of %u elements is wanted", form->vec);
    if (!(dest ? tuple_destinations(c, op, &tuple) : tuple_sources(c, &tuple)) || !check_constants(c, &tuple, type) ||
        !tuple_join(c, &tuple, ptx_type_bits(type), &element))
        return false;
    return element_fits(&element, type) ||
           check_error(c, op->span, "operand-type", "elements of type .%s are wanted", ptx_keyword_text(type));
}

static bool check_value(struct checker *c, const struct insn_operand *op, const struct ptx_form *form)
{
    if (op->kind == INSN_BAD)
        return false;
    return form->vec > 1 ? check_vector(c, op, form, false) : check_scalar(c, op, form->types[0]);
}

static bool check_result(struct checker *c, const struct insn_operand *op, const struct ptx_form *form)
{
    if (op->kind == INSN_BAD)
        return false;
    if (op->kind == INSN_SINK)
        return true;
    if (form->vec > 1)
        return check_vector(c, op, form, true);
    return op->kind == INSN_REG ? check_scalar(c, op, form->types[0]) : check_dest(c, op, form->types[0], false);
}

static bool is_shared(uint16_t space)
{
    return space == PTX_shared || space == PTX_shared__cta || space == PTX_shared__cluster;
}

/* Shared memory has no L2 behind it. */
static bool check_hint(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    for (unsigned i = 0; is_shared(form->space) && i < insn->nmods; i++)
        if (insn->mods[i] == PTX_L2__cache_hint)
            return check_error(c, insn->mod_spans[i], "illegal-modifier",
                               "%s.%s takes no .L2::cache_hint; only global memory has one", insn->row->name,
                               ptx_keyword_text((enum ptx_keyword)form->space));
    return true;
}

static bool check_policy(struct checker *c, const struct insn_operand *op)
{
    if (op->kind == INSN_INT)
        return true;
    return check_source(c, op, PTX_b64, false);
}

/* [a], values, cache policy */
static bool check_access(struct checker *c, const struct insn *insn, const struct ptx_form *form, unsigned first)
{
    bool hint = ptx_form_has(form, PTX_L2__cache_hint);
    unsigned values = form->op == PTX_cas ? 2 : 1;
    if (!check_count(c, insn, first + 1 + values + hint) || !check_hint(c, insn, form))
        return false;
    bool ok = check_address(c, &insn->operands[first], form->space);
    for (unsigned i = 0; i < values; i++)
        ok &= check_value(c, &insn->operands[first + 1 + i], form);
    return (!hint || check_policy(c, &insn->operands[first + 1 + values])) && ok;
}

static bool check_atom(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    return check_access(c, insn, form, 1) && check_result(c, &insn->operands[0], form);
}

static bool check_red(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    return check_access(c, insn, form, 0);
}

/* ptxas passes the value to a routine of its own here, and that takes no floats and no parts of vectors. */
static bool check_async_value(struct checker *c, const struct insn_operand *op, uint16_t type)
{
    bool odd = op->kind == INSN_SYMBOL || op->kind == INSN_F32 || op->kind == INSN_F64 ||
               (op->kind == INSN_REG && (op->part != 0 || op->decl->type == PTX_f32 || op->decl->type == PTX_f64));
    if (odd)
        return check_error(c, op->span, "operand-type", "an integer register or constant is wanted");
    return check_scalar(c, op, type);
}

/* red.async [a], b, [mbarrier]; on global memory without the barrier. */
static bool check_red_async(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    bool barrier = ptx_form_has(form, PTX_mbarrier__complete_tx__bytes);
    if (insn->mods[0] != PTX_async)
        return check_error(c, insn->mod_spans[0], "illegal-modifier", "'red.async' must be written first");
    if (!check_count(c, insn, barrier ? 3 : 2))
        return false;
    const struct insn_operand *value = &insn->operands[1];
    bool ok = check_address(c, &insn->operands[0], form->space);
    ok &= barrier ? check_scalar(c, value, form->types[0]) : check_async_value(c, value, form->types[0]);
    return (!barrier || check_address(c, &insn->operands[2], form->space)) && ok;
}

/* ---- lowering ---------------------------------------------------------------------------------------- */

enum lane_atomic lower_atomic_word(uint16_t op)
{
    switch (op) {
    case PTX_min:
        return LANE_ATOMIC_MIN;
    case PTX_max:
        return LANE_ATOMIC_MAX;
    case PTX_and:
        return LANE_ATOMIC_AND;
    case PTX_or:
        return LANE_ATOMIC_OR;
    case PTX_xor:
        return LANE_ATOMIC_XOR;
    case PTX_exch:
        return LANE_ATOMIC_EXCH;
    case PTX_cas:
        return LANE_ATOMIC_CAS;
    case PTX_inc:
        return LANE_ATOMIC_INC;
    case PTX_dec:
        return LANE_ATOMIC_DEC;
    default:
        return LANE_ATOMIC_ADD;
    }
}

/* Operands of one atomic: address, then vec elements of each value. */
struct atomic_operands {
    struct lane_operand dst[TUPLE_MOST], src[1 + 2 * TUPLE_MOST];
    unsigned ndst, nsrc;
};

static void add_value(struct lowerer *l, const struct insn_operand *op, const struct ptx_form *form,
                      struct atomic_operands *operands)
{
    struct tuple tuple;
    if (form->vec == 1) {
        operands->src[operands->nsrc++] = lower_source(l, op, form->types[0]);
        return;
    }
    tuple_open(op, &tuple);
    for (unsigned i = 0; i < tuple.count; i++)
        operands->src[operands->nsrc++] = tuple_source(l, &tuple.at[i], form->types[0]);
}

/* Default order is .relaxed, default scope .gpu (PTX ISA, atom). f32 additions flush subnormals in global memory and
 * keep them in shared memory, f64 additions keep NaNs; the engine knows where a generic address leads. */
static struct lane_access describe(const struct ptx_form *form)
{
    uint16_t type = form->types[0];
    struct lane_access access = {
        .type = (uint8_t)ptx_type_lane(type), .vec = form->vec, .atomic = (uint8_t)lower_atomic_word(form->op)};
    lower_order(form, &access);
    if (form->order == 0)
        access.order = LANE_RELAXED;
    if (form->scope == 0)
        access.scope = LANE_SCOPE_GPU;
    if (form->op == PTX_add && type == PTX_f32)
        access.flags = LANE_FTZ;
    access.keeps_nan = form->op == PTX_add && type == PTX_f64;
    return access;
}

static void emit(struct lowerer *l, const struct insn *insn, const struct ptx_form *form, unsigned first,
                 struct atomic_operands *operands)
{
    struct lane_access access = describe(form);
    operands->src[operands->nsrc++] = lower_address(l, &insn->operands[first], form->space, &access);
    for (unsigned i = 0; i < (form->op == PTX_cas ? 2U : 1U); i++)
        add_value(l, &insn->operands[first + 1 + i], form, operands);
    enum lane_op op = operands->ndst > 0 ? LANE_OP_atom : LANE_OP_red;
    struct lane_inst *inst =
        lower_emit(l, op, PTX_UNKNOWN, operands->ndst, operands->dst, operands->nsrc, operands->src);
    inst->type = LANE_VOID;
    inst->aux = lane_access(&l->b, &access);
}

/* Without a result this is red; exch and cas too, which PTX's red does not have. */
static void lower_atom(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    struct atomic_operands operands = {.ndst = 0};
    const struct insn_operand *d = &insn->operands[0];
    struct tuple tuple;
    if (d->kind != INSN_SINK && tuple_open(d, &tuple))
        for (unsigned i = 0; i < tuple.count; i++)
            operands.dst[operands.ndst++] =
                tuple_stores(&tuple.at[i]) ? lower_dest_data(l, &tuple.at[i]) : (struct lane_operand){LANE_NONE, 0};
    emit(l, insn, form, 1, &operands);
}

static void lower_red(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    struct atomic_operands operands = {.ndst = 0};
    emit(l, insn, form, 0, &operands);
}

/* Done at once, which a program cannot tell from later: the value, then the barrier hears of its bytes. */
static void lower_red_async(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    lower_red(l, insn, form);
    if (ptx_form_has(form, PTX_mbarrier__complete_tx__bytes))
        lower_complete_tx(l, &insn->operands[2], form, lower_const(l, PTX_u32, ptx_type_bits(form->types[0]) / 8));
}

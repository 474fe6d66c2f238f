/* Barrier objects: mbarrier, and the addresses of a cluster's shared memory: mapa, getctarank. A cluster has one block
 * here, so an address of the cluster's shared memory is one of the block's own; what would need another block stops the
 * launch with its name.
 *
 * The patterns are what ptxas 13.0 accepts: .sem and .scope come together or not at all, whatever they are; the
 * operation's words (arrive, then expect_tx; test_wait, then parity) are first, the others in any order. */
#include "mem/mbarrier.h"
#include "isa/ptx/lower.h"

#define OWN     "shared|shared::cta@78?"
#define CLUSTER "shared|shared::cta@78|shared::cluster@80/90?"
#define RELEASE "release@80|relaxed@86/90 cta|cluster@80/90"
#define ACQUIRE "acquire@80|relaxed@86/90 cta|cluster@80/90"
#define FORM(version_, target_, mods, operands)                \
    {                                                          \
        mods, operands, .version = version_, .target = target_ \
    }

static ptx_check_fn check_mbarrier, check_mapa;
static ptx_lower_fn lower_mbarrier, lower_mapa, lower_getctarank;

static const struct ptx_pattern mbarrier_forms[] = {
    FORM(70, 80, "init " OWN " b64", "a:m count:4"),
    FORM(70, 80, "inval " OWN " b64", "a:m"),
    FORM(70, 80, "arrive|arrive_drop " CLUSTER " b64", "state>8_ a:m count:4?"),
    FORM(80, 80, "arrive|arrive_drop " RELEASE " " CLUSTER " b64", "state>8_ a:m count:4?"),
    FORM(70, 80, "arrive|arrive_drop noComplete " OWN " b64", "state>8_ a:m count:4"),
    FORM(80, 80, "arrive|arrive_drop noComplete release cta " OWN " b64", "state>8_ a:m count:4"),
    FORM(80, 90, "arrive|arrive_drop expect_tx " CLUSTER " b64", "state>8_ a:m tx:4"),
    FORM(80, 90, "arrive|arrive_drop expect_tx " RELEASE " " CLUSTER " b64", "state>8_ a:m tx:4"),
    FORM(80, 90, "expect_tx|complete_tx " CLUSTER " b64", "a:m tx:4"),
    FORM(80, 90, "expect_tx|complete_tx relaxed cta|cluster " CLUSTER " b64", "a:m tx:4"),
    FORM(70, 80, "test_wait " OWN " b64", "over>p a:m state:8"),
    FORM(80, 80, "test_wait " ACQUIRE " " OWN " b64", "over>p a:m state:8"),
    FORM(71, 80, "test_wait parity " OWN " b64", "over>p a:m parity:4"),
    FORM(80, 80, "test_wait parity " ACQUIRE " " OWN " b64", "over>p a:m parity:4"),
    FORM(78, 90, "try_wait " OWN " b64", "over>p a:m state:8 limit:4?"),
    FORM(80, 90, "try_wait " ACQUIRE " " OWN " b64", "over>p a:m state:8 limit:4?"),
    FORM(78, 90, "try_wait parity " OWN " b64", "over>p a:m parity:4 limit:4?"),
    FORM(80, 90, "try_wait parity " ACQUIRE " " OWN " b64", "over>p a:m parity:4 limit:4?"),
    FORM(70, 80, "pending_count b64", "count>4 state:8"),
};
const struct ptx_row ptx_row_mbarrier = {"mbarrier", "barrier object in shared memory: arrivals and transactions",
                                         PTX_PATTERNS(mbarrier_forms), check_mbarrier, lower_mbarrier};

static const struct ptx_pattern mapa_forms[] = {
    FORM(78, 90, "shared::cluster? u32|u64", "d>t a:* rank:4"),
};
const struct ptx_row ptx_row_mapa = {"mapa", "address in another block of the cluster", PTX_PATTERNS(mapa_forms),
                                     check_mapa, lower_mapa};

static const struct ptx_pattern getctarank_forms[] = {
    FORM(78, 90, "shared::cluster? u32|u64", "d>4 a:*"),
};
const struct ptx_row ptx_row_getctarank = {"getctarank", "block of a cluster that owns an address",
                                           PTX_PATTERNS(getctarank_forms), check_mapa, lower_getctarank};

/* ---- checking ---------------------------------------------------------------------------------------------- */

/* The words of the operation come first, in the pattern's order. */
static bool check_order(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    const char *at = form->pattern->mods;
    struct ptx_slot slot;
    for (unsigned i = 0; i < 2 && ptx_next_slot(&at, &slot); i++) {
        const char *word = slot.words;
        struct ptx_word allowed;
        bool fits = false, operation = false;
        while (ptx_next_word(&slot, &word, &allowed)) {
            fits |= insn->mods[i] == allowed.keyword;
            operation |= i == 0 || allowed.keyword == PTX_expect_tx || allowed.keyword == PTX_parity;
        }
        if (operation && !fits)
            return check_error(c, insn->mod_spans[i], "illegal-modifier",
                               "mbarrier's operation must be written first: %.*s", (int)slot.length, slot.words);
    }
    return true;
}

/* What depends on operands: a count needs .noComplete on older targets, and only the own block's barriers give a
 * state. */
static bool check_arrival(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    const struct insn_operand *state = &insn->operands[0];
    bool counts = insn->noperands == 3 && !ptx_form_has(form, PTX_noComplete) && !ptx_form_has(form, PTX_expect_tx);
    if (form->space == PTX_shared__cluster && state->kind != INSN_SINK)
        return check_error(c, state->span, "operand-type",
                           "a barrier of the cluster gives no state; '_' is wanted with .shared::cluster");
    if (state->kind == INSN_SINK && ptx_form_has(form, PTX_arrive) &&
        !check_gate(c, state->span, 71, 80, "mbarrier.arrive without a state"))
        return false;
    return !counts || check_gate(c, insn->operands[2].span, 78, 90, "a count without .noComplete");
}

static bool check_mbarrier(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    if (!check_order(c, insn, form))
        return false;
    if (ptx_form_has(form, PTX_arrive) || ptx_form_has(form, PTX_arrive_drop))
        return check_arrival(c, insn, form);
    return true;
}

/* The address of mapa and getctarank: a name, or a value of the instruction's type. */
static bool check_mapa(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    const struct insn_operand *a = &insn->operands[1];
    if (a->kind == INSN_SYMBOL && a->decl != NULL && a->decl->kind == PTX_DECL_VAR)
        return true;
    return check_source(c, a, form->types[0], false);
}

/* ---- lowering ---------------------------------------------------------------------------------------------- */

static const struct lane_operand none = {LANE_NONE, 0};

/* [a]: the access to a barrier object. */
static struct lane_operand object(struct lowerer *l, const struct insn_operand *op, const struct ptx_form *form,
                                  struct lane_access *access)
{
    *access = (struct lane_access){.type = LANE_B64, .vec = 1};
    lower_order(form, access);
    return lower_address(l, op, form->space, access);
}

static void emit(struct lowerer *l, enum lane_op op, unsigned mode, struct lane_operand d, unsigned nsrc,
                 const struct lane_operand *src, const struct lane_access *access)
{
    bool has = op == LANE_OP_mbararrive || op == LANE_OP_mbarwait;
    struct lane_inst *inst = lane_emit(&l->b, op, LANE_VOID, has, &d, nsrc, src);
    inst->mode = (uint8_t)mode;
    inst->aux = lane_access(&l->b, access);
}

void lower_complete_tx(struct lowerer *l, const struct insn_operand *op, const struct ptx_form *form,
                       struct lane_operand bytes)
{
    struct lane_access access;
    struct lane_operand src[2] = {object(l, op, form, &access), bytes};
    emit(l, LANE_OP_mbartx, LANE_MBARTX_COMPLETE, none, 2, src, &access);
}

void lower_arrive(struct lowerer *l, const struct insn_operand *op, const struct ptx_form *form)
{
    struct lane_access access;
    struct lane_operand src[2] = {object(l, op, form, &access), lower_const(l, PTX_u32, 1)};
    emit(l, LANE_OP_mbararrive, LANE_MBAR_ARRIVE, none, 2, src, &access);
}

/* arrive.expect_tx: the transactions are expected before the arrival, and it is one. */
static void lower_arrival(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    static const uint8_t modes[2][2] = {{LANE_MBAR_ARRIVE, LANE_MBAR_ARRIVE_KEEP},
                                        {LANE_MBAR_DROP, LANE_MBAR_DROP_KEEP}};
    const struct insn_operand *state = &insn->operands[0];
    struct lane_access access;
    bool expects = ptx_form_has(form, PTX_expect_tx);
    struct lane_operand src[2] = {object(l, &insn->operands[1], form, &access), lower_const(l, PTX_u32, 1)};
    struct lane_operand given = insn->noperands == 3 ? lower_source(l, &insn->operands[2], PTX_u32) : src[1];
    if (expects)
        emit(l, LANE_OP_mbartx, LANE_MBARTX_EXPECT, none, 2, (struct lane_operand[]){src[0], given}, &access);
    else
        src[1] = given;
    unsigned mode = modes[ptx_form_has(form, PTX_arrive_drop)][ptx_form_has(form, PTX_noComplete)];
    emit(l, LANE_OP_mbararrive, mode, lower_dest(l, state, PTX_u64, false), 2, src, &access);
}

static void lower_wait(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    struct lane_access access;
    bool parity = ptx_form_has(form, PTX_parity), tries = ptx_form_has(form, PTX_try_wait);
    struct lane_operand src[2] = {object(l, &insn->operands[1], form, &access)};
    src[1] = lower_source(l, &insn->operands[2], parity ? PTX_u32 : PTX_u64);
    if (parity) {
        struct lane_operand wide = lower_temp(l, PTX_u64);
        lower_convert(l, wide, LANE_U64, src[1], LANE_U32);
        src[1] = wide;
    }
    unsigned mode = tries    ? (parity ? LANE_MBAR_TRY_PARITY : LANE_MBAR_TRY)
                    : parity ? LANE_MBAR_TEST_PARITY
                             : LANE_MBAR_TEST;
    emit(l, LANE_OP_mbarwait, mode, lower_dest(l, &insn->operands[0], PTX_pred, true), 2, src, &access);
}

/* The pending arrivals are the low bits of a state. */
static void lower_pending(struct lowerer *l, const struct insn *insn)
{
    struct lane_operand src[2] = {lower_source(l, &insn->operands[1], PTX_u64),
                                  lower_const(l, PTX_u64, MBARRIER_COUNT << MBARRIER_PENDING)};
    struct lane_operand low = lower_temp(l, PTX_u64), d = lower_dest(l, &insn->operands[0], PTX_u32, true);
    lane_emit(&l->b, LANE_OP_and, LANE_B64, 1, &low, 2, src);
    lower_convert(l, d, LANE_U32, low, LANE_U64);
}
_Static_assert(MBARRIER_PENDING == 0, "lower_pending does not shift");

static void lower_mbarrier(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    struct lane_access access;
    struct lane_operand src[2];
    if (ptx_form_has(form, PTX_arrive) || ptx_form_has(form, PTX_arrive_drop)) {
        lower_arrival(l, insn, form);
    } else if (ptx_form_has(form, PTX_test_wait) || ptx_form_has(form, PTX_try_wait)) {
        lower_wait(l, insn, form);
    } else if (ptx_form_has(form, PTX_pending_count)) {
        lower_pending(l, insn);
    } else {
        src[0] = object(l, &insn->operands[0], form, &access);
        if (ptx_form_has(form, PTX_inval)) {
            emit(l, LANE_OP_mbarinval, 0, none, 1, src, &access);
            return;
        }
        src[1] = lower_source(l, &insn->operands[1], PTX_u32);
        bool init = ptx_form_has(form, PTX_init), completes = ptx_form_has(form, PTX_complete_tx);
        emit(l, init ? LANE_OP_mbarinit : LANE_OP_mbartx, init || !completes ? 0 : LANE_MBARTX_COMPLETE, none, 2, src,
             &access);
    }
}
_Static_assert(LANE_MBARTX_EXPECT == 0, "lower_mbarrier takes 0 for it");

/* Rank 0 is the block itself. Any other is a block that a cluster does not have here. */
static void lower_mapa(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    uint16_t type = form->types[0];
    struct lane_operand rank[2] = {lower_source(l, &insn->operands[2], PTX_u32), lower_const(l, PTX_u32, 0)};
    struct lane_operand other = lower_temp(l, PTX_pred), d = lower_dest(l, &insn->operands[0], type, true);
    struct lane_operand a = lower_source(l, &insn->operands[1], type);
    lane_emit(&l->b, LANE_OP_setp, LANE_U32, 1, &other, 2, rank)->cmp = LANE_NE;
    lower_refuse(l, other, "mapa of another block: clusters have one block");
    lane_emit(&l->b, LANE_OP_mov, ptx_type_bits(type) == 64 ? LANE_B64 : LANE_B32, 1, &d, 1, &a);
}

static void lower_getctarank(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    (void)form;
    struct lane_operand d = lower_dest(l, &insn->operands[0], PTX_u32, true), zero = lower_const(l, PTX_u32, 0);
    lane_emit(&l->b, LANE_OP_mov, LANE_B32, 1, &d, 1, &zero);
}

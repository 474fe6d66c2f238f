/* Lowering of branches, barriers, fences and warp instructions. */
#include "isa/ptx/lower.h"

static const struct lane_operand none = {LANE_NONE, 0};

/* ---- branches ------------------------------------------------------------------------------------------------- */

void lower_bra(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    lane_emit(&l->b, LANE_OP_bra, LANE_VOID, 0, NULL, 0, NULL)->flags = lower_flags(form);
    lower_fixup(l, insn->operands[0].decl);
    l->state->ended = true;
}

void lower_brx(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    const struct ptx_decl *list = insn->operands[1].decl;
    struct lane_operand index = lower_source(l, &insn->operands[0], PTX_u32);
    uint32_t *blocks = arena_array(l->arena, list->ntargets + 1u, sizeof(*blocks));
    if (blocks == NULL) {
        l->b.failed = true;
        return;
    }
    uint32_t table = lane_table(&l->b, blocks, list->ntargets);
    for (uint32_t i = 0; i < list->ntargets; i++)
        lower_table_fixup(l, list->targets[i].decl, table, i);
    struct lane_inst *inst = lane_emit(&l->b, LANE_OP_brx, LANE_VOID, 0, NULL, 1, &index);
    inst->aux = table;
    inst->flags = lower_flags(form);
    l->state->ended = true;
}

/* Results in registers go into the frame, where the caller finds them. */
void lower_ret(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    (void)insn;
    (void)form;
    for (uint32_t i = 0; i < l->func->nresults; i++) {
        const struct ptx_decl *decl = l->func->results[i];
        if (decl->space == PTX_reg)
            lower_store(l, ptx_type_lane(decl->type), lower_local(l, decl), lower_register(l, decl, 0, 0));
    }
    lane_emit(&l->b, LANE_OP_ret, LANE_VOID, 0, NULL, 0, NULL);
    l->state->ended = true;
}

void lower_exit(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    (void)insn;
    (void)form;
    lane_emit(&l->b, LANE_OP_exit, LANE_VOID, 0, NULL, 0, NULL);
    l->state->ended = true;
}

/* ---- barriers --------------------------------------------------------------------------------------------------- */

/* PTX ISA, "barrier{.cta}": bar is barrier.aligned, of which all threads in a warp must execute the same instruction.
 */
static uint16_t aligned(const struct ptx_form *form)
{
    return form->row == &ptx_row_bar || ptx_form_has(form, PTX_aligned) ? LANE_UNI : 0;
}

static void lower_bar_red(struct lowerer *l, const struct insn *insn, const struct ptx_form *form,
                          struct lane_operand src[3])
{
    const struct insn_operand *d = &insn->operands[0];
    bool popc = form->op == PTX_popc;
    uint16_t type = popc ? PTX_u32 : PTX_pred;
    struct lane_operand value = lower_dest(l, d, type, true);
    struct lane_operand dst[2] = {popc ? value : none, popc ? none : value};
    src[2] = lower_source(l, &insn->operands[insn->noperands - 1], PTX_pred);
    struct lane_inst *inst = lane_emit(&l->b, LANE_OP_barred, LANE_VOID, 2, dst, 3, src);
    inst->mode = popc ? 0 : form->op == PTX_and ? 1 : 2;
    inst->flags = aligned(form);
    lower_finish(l, d, type, value);
}

void lower_bar(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    bool red = ptx_form_has(form, PTX_red);
    unsigned first = red ? 1 : 0, count = insn->noperands - 2 * first;
    struct lane_operand src[3] = {
        lower_source(l, &insn->operands[first], PTX_u32),
        count > 1 ? lower_source(l, &insn->operands[first + 1], PTX_u32) : lower_const(l, PTX_u32, 0), none};
    if (red) {
        lower_bar_red(l, insn, form, src);
        return;
    }
    struct lane_inst *inst = lane_emit(&l->b, LANE_OP_bar, LANE_VOID, 0, NULL, 2, src);
    inst->mode = ptx_form_has(form, PTX_arrive) ? LANE_BAR_ARRIVE : LANE_BAR_SYNC;
    inst->flags = aligned(form);
}

/* PTX ISA, "membar, fence": membar is fence.sc; a fence without an order is fence.acq_rel. */
void lower_membar(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    struct lane_access access = {0};
    (void)insn;
    lower_order(form, &access);
    lane_emit(&l->b, LANE_OP_fence, LANE_VOID, 0, NULL, 0, NULL)->mode = access.scope;
}

void lower_fence(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    struct lane_access access = {0};
    (void)insn;
    lower_order(form, &access);
    bool light = access.order != LANE_SC && access.scope != LANE_SCOPE_NONE;
    lane_emit(&l->b, LANE_OP_fence, LANE_VOID, 0, NULL, 0, NULL)->mode =
        (uint8_t)(access.scope + (light ? LANE_FENCE_LIGHT : 0));
}

void lower_proxy_fence(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    (void)insn;
    (void)form;
    lane_emit(&l->b, LANE_OP_fence, LANE_VOID, 0, NULL, 0, NULL)->mode = LANE_FENCE_PROXY;
}

/* ---- warp ------------------------------------------------------------------------------------------------- */

/* The member mask: operand `index`, or the lanes that run together for the old forms without .sync. */
static struct lane_operand members(struct lowerer *l, const struct insn *insn, const struct ptx_form *form,
                                   unsigned index)
{
    if (ptx_form_has(form, PTX_sync))
        return lower_source(l, &insn->operands[index], PTX_u32);
    struct lane_operand mask = lower_temp(l, PTX_b32);
    lane_emit(&l->b, LANE_OP_activemask, LANE_VOID, 1, &mask, 0, NULL);
    return mask;
}

void lower_vote(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    struct lane_operand src[2] = {lower_source(l, &insn->operands[1], PTX_pred), members(l, insn, form, 2)};
    struct lane_operand d;
    if (ptx_form_has(form, PTX_ballot)) {
        d = lower_dest(l, &insn->operands[0], PTX_b32, true);
        lane_emit(&l->b, LANE_OP_ballot, LANE_VOID, 1, &d, 2, src);
        return;
    }
    d = lower_dest(l, &insn->operands[0], PTX_pred, true);
    lane_emit(&l->b, LANE_OP_vote, LANE_VOID, 1, &d, 2, src)->mode = ptx_form_has(form, PTX_all)   ? LANE_VOTE_ALL
                                                                     : ptx_form_has(form, PTX_any) ? LANE_VOTE_ANY
                                                                                                   : LANE_VOTE_UNI;
}

/* d|p: fills dst[0] (a fresh register for the sink) and dst[1] (LANE_NONE if not wanted); returns d's operand. */
static const struct insn_operand *pair(struct lowerer *l, const struct insn_operand *op, struct lane_operand dst[2])
{
    const struct insn_operand *d = op->kind == INSN_PIPE ? &op->children[0] : op;
    dst[0] = lower_dest(l, d, PTX_b32, true);
    dst[1] = op->kind == INSN_PIPE ? lower_dest(l, &op->children[1], PTX_pred, false) : none;
    return d;
}

void lower_shfl(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    struct lane_operand dst[2], src[4];
    for (unsigned i = 0; i < 3; i++)
        src[i] = lower_source(l, &insn->operands[i + 1], PTX_b32);
    src[3] = members(l, insn, form, 4);
    const struct insn_operand *d = pair(l, &insn->operands[0], dst);
    lane_emit(&l->b, LANE_OP_shfl, LANE_VOID, 2, dst, 4, src)->mode = ptx_form_has(form, PTX_up)     ? LANE_SHFL_UP
                                                                      : ptx_form_has(form, PTX_down) ? LANE_SHFL_DOWN
                                                                      : ptx_form_has(form, PTX_bfly) ? LANE_SHFL_BFLY
                                                                                                     : LANE_SHFL_IDX;
    lower_finish(l, d, PTX_b32, dst[0]);
}

void lower_match(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    struct lane_operand dst[2];
    struct lane_operand src[2] = {lower_source(l, &insn->operands[1], form->types[0]), members(l, insn, form, 2)};
    pair(l, &insn->operands[0], dst);
    lower_emit(l, LANE_OP_match, form->types[0], 2, dst, 2, src)->mode = ptx_form_has(form, PTX_all);
}

void lower_redux(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    struct lane_operand src[2] = {lower_source(l, &insn->operands[1], form->types[0]), members(l, insn, form, 2)};
    struct lane_operand d = lower_dest(l, &insn->operands[0], form->types[0], true);
    struct lane_inst *inst = lower_emit(l, LANE_OP_redux, form->types[0], 1, &d, 2, src);
    inst->mode = (uint8_t)lower_atomic_word(form->op);
    inst->flags = lower_flags(form);
    if (ptx_form_has(form, PTX_abs))
        inst->flags |= LANE_ABS;
}

void lower_elect(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    struct lane_operand dst[2], mask = members(l, insn, form, 1);
    pair(l, &insn->operands[0], dst);
    lane_emit(&l->b, LANE_OP_elect, LANE_VOID, 2, dst, 1, &mask);
}

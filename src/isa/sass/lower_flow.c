/* Lowering of flow: branches, tokens (SSY PBK PCNT CAL PRET and what takes them), barriers, votes and shuffles, special
 * registers, and what has no effect here. */
#include "isa/sass/flow.h"

#include <string.h>

/* ---- what jumps where ----------------------------------------------------------------------------------- */

const char *sass_external(const struct sass_linked *linked, uint64_t address)
{
    const struct sass_relocation *r = sass_link_relocation(linked, address);
    uint64_t code;
    if (!r || sass_link_function(linked, r->symbol, &code))
        return NULL;
    return linked->module->symbols[r->symbol].name;
}

/* JCAL and JMP have absolute targets: of a function that a relocation names, else in their own section. */
static bool absolute(const struct sass_linked *linked, uint64_t address, uint64_t value, uint64_t *target)
{
    const struct sass_relocation *r = sass_link_relocation(linked, address);
    if (r)
        return sass_link_function(linked, r->symbol, target);
    *target = sass_link_text(linked, address)->base + value;
    return true;
}

/* Guards and tests that are always true do not let it fall through. */
static bool may_fall(const struct sass_linked *linked, const struct sass_insn *insn)
{
    return sass_guard(linked->table, insn->form, &insn->word) != SASS_PT ||
           isa_value(linked->table, insn->form, &insn->word, SASS_ROLE_cctest, SASS_TEST_T) != SASS_TEST_T;
}

static void find_target(const struct sass_linked *linked, const struct isa_operand *op, enum sass_flow_kind kind,
                        uint64_t address, struct sass_jump *jump)
{
    if (op->kind == ISA_CONSTANT) {
        jump->indirect = jump->constant = true;
        jump->operand = *op;
    } else if (kind == SASS_FLOW_VALUE) {
        jump->indirect = true;
    } else if (op->kind == ISA_TARGET) {
        jump->to = true;
        jump->target = (uint64_t)op->value;
    } else if (op->kind == ISA_NUMBER) {
        jump->to = absolute(linked, address, (uint64_t)op->value, &jump->target);
    }
}

void sass_jump_of(const struct sass_linked *linked, const struct sass_insn *insn, uint64_t address,
                  struct sass_jump *jump)
{
    struct isa_operand op[SASS_OPERANDS];
    enum sass_flow_kind kind = sass_flow_kind(insn->form);
    *jump = (struct sass_jump){.falls = true, .relative = !isa_any(insn->form, SASS_IS_ABSOLUTE)};
    if (kind == SASS_FLOW_NONE)
        return;
    if (kind != SASS_FLOW_LEAVE && isa_operands(linked->table, insn->form, &insn->word, address, op, SASS_OPERANDS))
        find_target(linked, &op[0], kind, address, jump);
    jump->ends = kind != SASS_FLOW_PUSH && !(kind == SASS_FLOW_CALL && sass_external(linked, address));
    jump->falls = kind == SASS_FLOW_CALL || kind == SASS_FLOW_PUSH || may_fall(linked, insn);
    if (jump->to && jump->target % SASS_BUNDLE == 0) /* of a control word: the instruction after it */
        jump->target += 8;
}

#define ALL_LANES UINT32_C(0xffffffff) /* those that run are meant: nobody waits for others */

/* ---- branches and tokens ----------------------------------------------------------------------------------- */

/* The guard and the test of condition codes as one guard. False: it never goes. */
static bool take_test(struct sass_lowerer *l)
{
    unsigned test = sass_value(l, SASS_ROLE_cctest, SASS_TEST_T);
    uint64_t known;
    if (test == 15)
        return true;
    struct lane_operand p = sass_test(l, test);
    if (sass_is_const(l, p, &known) && !known)
        return false;
    if (sass_is_const(l, p, &known))
        return true;
    sass_narrow(l, p);
    return true;
}

static void jump(struct sass_lowerer *l, uint64_t target)
{
    sass_emit_list(l, LANE_OP_bra, LANE_VOID, 0, NULL, 0, NULL);
    sass_jump_to(l, target % SASS_BUNDLE ? target : target + 8);
}

static void push(struct sass_lowerer *l, enum lane_token token, uint64_t target)
{
    sass_emit_list(l, LANE_OP_push, LANE_VOID, 0, NULL, 0, NULL)->mode = (uint8_t)token;
    sass_jump_to(l, target % SASS_BUNDLE ? target : target + 8);
}

/* Where a constant says: in the place of a number, it counts as that does. JMP, JMX and JCAL have absolute addresses,
 * all others count from the next instruction (NVIDIA's list of instructions: "relative", "absolute"; that it holds for
 * constants too is a named choice). */
static struct lane_operand constant_target(struct sass_lowerer *l)
{
    struct lane_operand value = sass_constant_of(l, &l->op[0]);
    uint32_t next = (uint32_t)l->address + 8;
    uint64_t known;
    if (isa_any(l->form, SASS_IS_ABSOLUTE))
        return value;
    if (sass_is_const(l, value, &known))
        return sass_imm(l, (uint32_t)known + next);
    return sass_op2(l, LANE_OP_add, LANE_U32, value, sass_imm(l, next));
}

static void jump_constant(struct sass_lowerer *l)
{
    struct lane_operand target = constant_target(l);
    uint64_t known;
    if (sass_is_const(l, target, &known))
        jump(l, known);
    else
        sass_jump_indirect(l, target);
}

/* A token's place is a block. Constants do not change: the block jumps where this one says. */
static void push_constant(struct sass_lowerer *l, enum lane_token token)
{
    struct lane_func *f = l->b.func;
    sass_emit_list(l, LANE_OP_push, LANE_VOID, 0, NULL, 0, NULL)->mode = (uint8_t)token;
    sass_emit_list(l, LANE_OP_bra, LANE_VOID, 0, NULL, 0, NULL);
    uint32_t push_at = f->ninsts - 2, over = f->ninsts - 1;
    uint32_t place = sass_begin_block(l);
    jump_constant(l);
    uint32_t next = sass_begin_block(l);
    if (l->b.failed)
        return;
    f->insts[push_at].aux = place;
    f->insts[over].aux = next;
}

/* .U: a branch of all active threads or of none. Published texts only call it uniform; ptxas writes `@P BRA.U L; SSY L;
 * @P SYNC`, which reconverges at L only so. */
static void all_or_none(struct sass_lowerer *l)
{
    if (l->guard.kind == LANE_NONE)
        return;
    struct lane_operand all = sass_temp(l, 1), one = l->guard_not ? sass_not(l, l->guard) : l->guard;
    l->guard = SASS_NOTHING; /* all lanes vote */
    l->guard_not = false;
    sass_emit2(l, LANE_OP_vote, LANE_VOID, all, one, sass_imm(l, ALL_LANES))->mode = LANE_VOTE_ALL;
    l->guard = all;
}

SASS_LOWER(bra)
{
    uint64_t target;
    char where[SASS_WHERE];
    if (!take_test(l))
        return;
    if (isa_has(l->linked->table, l->form, &l->word, SASS_MOD_U))
        all_or_none(l);
    if (l->op[0].kind == ISA_TARGET)
        jump(l, (uint64_t)l->op[0].value);
    else if (l->op[0].kind == ISA_CONSTANT)
        jump_constant(l);
    else if (absolute(l->linked, l->address, (uint64_t)l->op[0].value, &target))
        jump(l, target);
    else
        sass_cannot(l, "a jump to '%.200s', which is defined nowhere%s", sass_external(l->linked, l->address),
                    sass_link_where(l->linked, sass_link_relocation(l->linked, l->address), where));
}

/* Ra + number: BRX counts from the next instruction, JMX from 0. */
SASS_LOWER(brx)
{
    if (!take_test(l))
        return;
    if (l->op[0].kind == ISA_CONSTANT) {
        jump_constant(l);
        return;
    }
    uint64_t base = isa_any(l->form, SASS_IS_ABSOLUTE) ? 0 : l->address + 8;
    struct lane_operand value = sass_op2(l, LANE_OP_add, LANE_U32, sass_register(l, l->op[0].reg),
                                         sass_imm(l, (uint32_t)(base + (uint64_t)l->op[1].value)));
    sass_jump_indirect(l, value);
}

/* ---- calls ----------------------------------------------------------------------------------------------- */

/* Functions of the host. Arguments and results as ptxas passes them: registers from R4 on, 64-bit values in even pairs.
 */
static const struct {
    const char *name;
    enum lane_syscall call;
    uint8_t arguments, wide; /* wide: a bit for each argument of 64 bits */
    uint8_t results;         /* registers */
} services[] = {
    {"__assertfail", LANE_SYSCALL_ASSERTFAIL, 5, 0x1b, 0},
    {"free", LANE_SYSCALL_FREE, 1, 1, 0},
    {"malloc", LANE_SYSCALL_MALLOC, 1, 1, 2},
    {"vprintf", LANE_SYSCALL_VPRINTF, 2, 3, 1},
};
enum { FIRST_ARGUMENT = 4 };

static void call_service(struct sass_lowerer *l, unsigned which)
{
    struct lane_operand src[8], dst[2];
    unsigned reg = FIRST_ARGUMENT;
    for (unsigned i = 0; i < services[which].arguments; i++) {
        bool wide = services[which].wide >> i & 1;
        reg += wide && reg % 2;
        src[i] = wide ? sass_pair(l, reg) : sass_join(l, sass_register(l, reg), sass_imm(l, 0));
        reg += wide ? 2 : 1;
    }
    for (unsigned i = 0; i < services[which].results; i++)
        dst[i] = sass_register(l, FIRST_ARGUMENT + i);
    sass_emit_list(l, LANE_OP_syscall, LANE_VOID, services[which].results, dst, services[which].arguments, src)->mode =
        (uint8_t)services[which].call;
}

enum { SERVICES = sizeof services / sizeof *services };

/* SERVICES: none. */
static unsigned find_service(const char *name)
{
    unsigned i = 0;
    while (i < SERVICES && strcmp(services[i].name, name) != 0)
        i++;
    return i;
}

bool sass_is_service(const char *name)
{
    return find_service(name) < SERVICES;
}

static void call_external(struct sass_lowerer *l, const char *name)
{
    unsigned which = find_service(name);
    char where[SASS_WHERE];
    if (which < SERVICES)
        call_service(l, which);
    else
        sass_cannot(l, "a call of '%.200s', which is defined nowhere%s", name,
                    sass_link_where(l->linked, sass_link_relocation(l->linked, l->address), where));
}

SASS_LOWER(cal)
{
    const char *external = sass_external(l->linked, l->address);
    uint64_t target;
    if (external) {
        call_external(l, external);
        return;
    }
    sass_lower_stack(l);
    push(l, LANE_TOKEN_RETURN, l->address + 8);
    if (l->op[0].kind == ISA_TARGET)
        jump(l, (uint64_t)l->op[0].value);
    else if (l->op[0].kind == ISA_CONSTANT)
        jump_constant(l);
    else if (absolute(l->linked, l->address, (uint64_t)l->op[0].value, &target))
        jump(l, target);
}

static enum lane_token token_of(const struct sass_lowerer *l)
{
    return (enum lane_token)(sass_token(l->form) - 1);
}

SASS_LOWER(push)
{
    enum lane_token token = token_of(l);
    if (token == LANE_TOKEN_RETURN)
        sass_lower_stack(l);
    if (l->op[0].kind == ISA_TARGET)
        push(l, token, (uint64_t)l->op[0].value);
    else
        push_constant(l, token);
}

static void pop(struct sass_lowerer *l, enum lane_token token)
{
    if (take_test(l))
        sass_emit_list(l, LANE_OP_pop, LANE_VOID, 0, NULL, 0, NULL)->mode = (uint8_t)token;
}

SASS_LOWER(pop)
{
    pop(l, token_of(l));
}

/* EXIT and KIL. */
SASS_LOWER(exit)
{
    if (l->flow->exit_tokens)
        pop(l, LANE_TOKEN_EXIT);
    else if (take_test(l))
        sass_emit_list(l, LANE_OP_exit, LANE_VOID, 0, NULL, 0, NULL);
}

SASS_LOWER(bpt)
{
    unsigned kind = sass_value(l, SASS_ROLE_bpt, 0);
    if (kind == SASS_BPT_TRAP)
        sass_emit_list(l, LANE_OP_trap, LANE_VOID, 0, NULL, 0, NULL);
    else if (kind == SASS_BPT_PAUSE || kind == SASS_BPT_INT)
        sass_emit_list(l, LANE_OP_brkpt, LANE_VOID, 0, NULL, 0, NULL);
    else
        sass_cannot(l, "BPT%s", sass_spelling(l, SASS_ROLE_bpt));
}

SASS_LOWER(nothing)
{
    (void)l;
}

/* The address of the instruction itself (INFERRED). */
SASS_LOWER(lepc)
{
    sass_set(l, sass_number(l, 0), sass_imm(l, (uint32_t)l->address));
}

/* ---- barriers ------------------------------------------------------------------------------------------------ */

static struct lane_operand hidden(struct sass_lowerer *l, struct lane_operand *place, unsigned width, const char *name)
{
    if (place->kind == LANE_NONE)
        *place = lane_reg(&l->b, width, name);
    return *place;
}

/* The barrier and how many threads. */
static void bar_operands(struct sass_lowerer *l, struct lane_operand src[2])
{
    src[0] = sass_raw(l, 0);
    src[1] = l->nops > 1 && l->op[1].kind != ISA_PREDICATE ? sass_raw(l, 1) : sass_imm(l, 0);
}

static void bar(struct sass_lowerer *l, uint8_t mode)
{
    struct lane_operand src[2];
    bar_operands(l, src);
    sass_emit_list(l, LANE_OP_bar, LANE_VOID, 0, NULL, 2, src)->mode = mode;
}

SASS_LOWER(bar_sync)
{
    bar(l, 0);
}

SASS_LOWER(bar_arrive)
{
    bar(l, 1);
}

/* The result waits for B2R: as a count and as a predicate, whatever the reduction. */
SASS_LOWER(bar_reduce)
{
    struct lane_operand count = hidden(l, &l->barrier_count, 32, "BAR.N"),
                        vote = hidden(l, &l->barrier_vote, 1, "BAR.P");
    struct lane_operand with[3];
    bar_operands(l, with);
    with[2] = sass_predicate(l, l->nops - 1);
    unsigned kind = sass_value(l, SASS_ROLE_barred, 0);
    if (kind > 2) {
        sass_cannot(l, "BAR.RED%s", sass_spelling(l, SASS_ROLE_barred));
        return;
    }
    struct lane_operand dst[2] = {kind ? SASS_NOTHING : count, kind ? vote : SASS_NOTHING};
    sass_emit_list(l, LANE_OP_barred, LANE_VOID, 2, dst, 3, with)->mode = (uint8_t)kind;
    if (kind)
        sass_emit3(l, LANE_OP_selp, LANE_B32, count, sass_imm(l, 1), sass_imm(l, 0), vote);
    else
        sass_emit1(l, LANE_OP_mov, LANE_PRED, vote, sass_compare(l, LANE_NE, LANE_B32, count, sass_imm(l, 0)));
}

SASS_LOWER(bar_scan)
{
    sass_cannot(l, "BAR.SCAN");
}

SASS_LOWER(bar_all)
{
    sass_cannot(l, "BAR.SYNCALL");
}

SASS_LOWER(b2r)
{
    if (!l->form->role[SASS_ROLE_Ps]) {
        sass_cannot(l, "B2R of barriers");
        return;
    }
    sass_set(l, sass_number(l, 0), hidden(l, &l->barrier_count, 32, "BAR.N"));
    sass_set_predicate(l, 1, hidden(l, &l->barrier_vote, 1, "BAR.P"));
}

/* ---- the warp ---------------------------------------------------------------------------------------------------- */

SASS_LOWER(vote)
{
    static const uint8_t modes[] = {LANE_VOTE_ALL, LANE_VOTE_ANY, LANE_VOTE_UNI};
    unsigned mode = sass_value(l, SASS_ROLE_mode, 3);
    bool vtg = !l->form->role[SASS_ROLE_Ps];
    if (vtg || mode > 2) {
        sass_cannot(l, "VOTE%s", vtg ? ".VTG" : sass_spelling(l, SASS_ROLE_mode));
        return;
    }
    struct lane_operand src[2] = {sass_predicate(l, 2), sass_imm(l, ALL_LANES)};
    if (sass_number(l, 0) != SASS_RZ)
        sass_emit2(l, LANE_OP_ballot, LANE_VOID, sass_register(l, sass_number(l, 0)), src[0], src[1]);
    if (l->op[1].reg != SASS_PT)
        sass_emit2(l, LANE_OP_vote, LANE_VOID, sass_predicate_register(l, l->op[1].reg), src[0], src[1])->mode =
            modes[mode];
}

SASS_LOWER(shfl)
{
    static const uint8_t modes[] = {LANE_SHFL_IDX, LANE_SHFL_UP, LANE_SHFL_DOWN, LANE_SHFL_BFLY};
    struct lane_operand dst[2] = {sass_result(l, sass_number(l, 1)), SASS_NOTHING};
    struct lane_operand src[4] = {sass_raw(l, 2), sass_raw(l, 3), sass_raw(l, 4), sass_imm(l, ALL_LANES)};
    if (l->op[0].reg != SASS_PT)
        dst[1] = sass_predicate_register(l, l->op[0].reg);
    sass_emit_list(l, LANE_OP_shfl, LANE_VOID, 2, dst, 4, src)->mode = modes[sass_value(l, SASS_ROLE_mode, 0) & 3];
}

/* ---- special registers ------------------------------------------------------------------------------------------ */

static struct lane_operand sreg(struct sass_lowerer *l, enum lane_sreg which)
{
    struct lane_operand d = sass_temp(l, 32);
    sass_emit_list(l, LANE_OP_sreg, LANE_B32, 1, &d, 0, NULL)->mode = (uint8_t)which;
    return d;
}

static struct lane_operand shifted(struct sass_lowerer *l, struct lane_operand a, unsigned by)
{
    return sass_op2(l, LANE_OP_shl, LANE_B32, a, sass_imm(l, by));
}

/* x | y << 16 | z << 26 */
static struct lane_operand packed_tid(struct sass_lowerer *l)
{
    struct lane_operand xy =
        sass_op2(l, LANE_OP_or, LANE_B32, sreg(l, LANE_SREG_TID_X), shifted(l, sreg(l, LANE_SREG_TID_Y), 16));
    return sass_op2(l, LANE_OP_or, LANE_B32, xy, shifted(l, sreg(l, LANE_SREG_TID_Z), 26));
}

/* warp number in bits 8-13, multiprocessor in 20-28 */
static struct lane_operand virtual_id(struct sass_lowerer *l)
{
    return sass_op2(l, LANE_OP_or, LANE_B32, shifted(l, sreg(l, LANE_SREG_WARPID), 8),
                    shifted(l, sreg(l, LANE_SREG_SMID), 20));
}

/* From 1; 0: means nothing here (counters, graphics, the machine). */
static const uint8_t sregs[SASS_SREG_COUNT] = {
    [SASS_SR_LANEID] = LANE_SREG_LANEID + 1,
    [SASS_SR_CLOCK] = LANE_SREG_CLOCK + 1,
    [SASS_SR_TID_X] = LANE_SREG_TID_X + 1,
    [SASS_SR_TID_Y] = LANE_SREG_TID_Y + 1,
    [SASS_SR_TID_Z] = LANE_SREG_TID_Z + 1,
    [SASS_SR_CTAID_X] = LANE_SREG_CTAID_X + 1,
    [SASS_SR_CTAID_Y] = LANE_SREG_CTAID_Y + 1,
    [SASS_SR_CTAID_Z] = LANE_SREG_CTAID_Z + 1,
    [SASS_SR_SMEMSZ] = LANE_SREG_TOTAL_SMEM + 1,
    [SASS_SR_EQMASK] = LANE_SREG_LANEMASK_EQ + 1,
    [SASS_SR_LTMASK] = LANE_SREG_LANEMASK_LT + 1,
    [SASS_SR_LEMASK] = LANE_SREG_LANEMASK_LE + 1,
    [SASS_SR_GTMASK] = LANE_SREG_LANEMASK_GT + 1,
    [SASS_SR_GEMASK] = LANE_SREG_LANEMASK_GE + 1,
    [SASS_SR_CLOCKLO] = LANE_SREG_CLOCK + 1,
    [SASS_SR_CLOCKHI] = LANE_SREG_CLOCK_HI + 1,
    [SASS_SR_GLOBALTIMERLO] = LANE_SREG_GLOBALTIMER_LO + 1,
    [SASS_SR_GLOBALTIMERHI] = LANE_SREG_GLOBALTIMER_HI + 1,
};

static struct lane_operand special(struct sass_lowerer *l, unsigned which)
{
    if (which == SASS_SR_TID)
        return packed_tid(l);
    if (which == SASS_SR_VIRTID)
        return virtual_id(l);
    bool known = which < SASS_SREG_COUNT && sregs[which];
    return known ? sreg(l, (enum lane_sreg)(sregs[which] - 1)) : sass_imm(l, 0);
}

/* The register it follows is the next one up for the 64-bit clocks: CS2R R4, SR_CLOCKLO reads one word like S2R. */
SASS_LOWER(s2r)
{
    if (sass_number(l, 0) != SASS_RZ)
        sass_set(l, sass_number(l, 0), special(l, sass_value(l, SASS_ROLE_sreg, SASS_SREG_COUNT)));
}

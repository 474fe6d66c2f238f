/* Control flow of vISA: labels, jumps, subroutines. A warp's lanes that are furthest behind always run, which is the
 * rule of vISA's SIMD control flow. Source: docs/visa.md, "Running". */
#include "isa/visa/alu.h"

#include <string.h>

enum { MOST_INSTS = 1 << 22 /* of the lane program */ };

/* ---- sections -----------------------------------------------------------------------------------------------------
 */

static uint32_t label_of(const struct visa_inst *inst)
{
    return inst->ops[inst->nops - 1].id;
}

static bool is_subroutine(const struct visa_lower *l, uint32_t i)
{
    const struct visa_inst *inst = &l->object->insts[i];
    return visa_row_id(inst->row) == VISA_ROW_subroutine && label_of(inst) < l->object->nvars[VISA_L];
}

static uint32_t sections_count(const struct visa_lower *l)
{
    uint32_t count = 1;
    for (uint32_t i = 1; i < l->object->ninsts; i++)
        count += is_subroutine(l, i);
    return count;
}

/* Sections that wait for their callees to be placed; the same may be there several times. */
struct order {
    uint32_t *placed, *stack;
    uint32_t nplaced, nstack;
    bool failed;
};

static void section_push(struct visa_lower *l, struct order *o, uint32_t section)
{
    if (l->sections[section].mark || o->failed)
        return;
    uint32_t *stack = arena_append(l->arena, o->stack, o->nstack, sizeof *stack);
    if (!stack) {
        o->failed = true;
        return;
    }
    o->stack = stack;
    stack[o->nstack++] = section;
}

static void label_push(struct visa_lower *l, struct order *o, uint32_t label)
{
    if (label < l->object->nvars[VISA_L] && l->labels[label].section)
        section_push(l, o, l->labels[label].section);
}

/* Those that an instruction may call; of an address all functions. */
static void callees_push(struct visa_lower *l, struct order *o, const struct visa_inst *inst)
{
    enum visa_row_id row = visa_row_id(inst->row);
    if (row == VISA_ROW_call)
        label_push(l, o, label_of(inst));
    for (unsigned i = 0; i < l->merged.count && (row == VISA_ROW_fcall || row == VISA_ROW_ifcall); i++)
        if (row == VISA_ROW_ifcall || (inst->ops[0].value < l->object->nstrings &&
                                       visa_merged_function(&l->merged, l->object->strings[inst->ops[0].value]) == i))
            label_push(l, o, l->merged.functions[i].label);
}

/* Callees first, so that lanes in them are behind their callers. What calls itself, in circles, stops there. */
static void section_order(struct visa_lower *l, struct order *o, uint32_t section)
{
    enum { OPEN = 1, PLACED = 2 };
    section_push(l, o, section);
    while (o->nstack && !o->failed) {
        uint32_t number = o->stack[o->nstack - 1];
        struct visa_section *s = &l->sections[number];
        if (s->mark) { /* its callees are placed, or it is */
            o->nstack--;
            if (s->mark == OPEN)
                o->placed[o->nplaced++] = number;
            s->mark = PLACED;
            continue;
        }
        s->mark = OPEN;
        for (uint32_t i = s->first; i < s->end; i++)
            callees_push(l, o, &l->object->insts[i]);
    }
}

bool visa_sections_make(struct visa_lower *l)
{
    const struct visa_object *o = l->object;
    uint32_t count = sections_count(l), n = 0;
    l->sections = arena_array(l->arena, count, sizeof *l->sections);
    struct order order = {.placed = arena_array(l->arena, count, sizeof *order.placed)};
    if (!l->sections || !order.placed)
        return error_memory(l->error);
    l->nsections = count;
    l->sections[0] = (struct visa_section){.label = UINT32_MAX, .end = o->ninsts};
    for (uint32_t i = 0; i < o->ninsts; i++) {
        if (i && is_subroutine(l, i)) {
            l->sections[n++].end = i;
            l->sections[n] = (struct visa_section){.first = i, .end = o->ninsts, .label = label_of(&o->insts[i])};
        }
        if ((is_subroutine(l, i) || visa_row_id(o->insts[i].row) == VISA_ROW_label) &&
            label_of(&o->insts[i]) < o->nvars[VISA_L])
            l->labels[label_of(&o->insts[i])].section = n;
    }
    for (uint32_t s = count; s-- > 0;)
        if (s)
            section_order(l, &order, s);
    section_order(l, &order, 0);
    if (order.failed)
        return error_memory(l->error);
    for (uint32_t s = 0; s < order.nplaced; s++) {
        l->sections[s].next = order.placed[s];
        l->sections[order.placed[s]].rank = s;
    }
    return true;
}

/* ---- what is known of %cr0 where ways meet ------------------------------------------------------------------------
 */

static void known_meet(struct visa_lower *l, bool *reached, struct visa_known *there, const struct visa_known *comes)
{
    struct visa_known met = *comes;
    if (*reached && (!there->known || !comes->known || there->value != comes->value))
        met = (struct visa_known){0};
    if (!*reached || met.known != there->known || met.value != there->value)
        l->changed = true;
    *reached = true;
    *there = met;
}

/* Other lanes may have been anywhere: state variables hold what they always do. */
static void known_forget(struct visa_lower *l)
{
    memcpy(l->known + 1, l->always + 1, sizeof l->known - sizeof l->known[0]);
}

/* ---- labels ---------------------------------------------------------------------------------------------------------
 */

static void open_block(struct visa_lower *l)
{
    lane_block(l->b);
    l->open = true;
}

static uint32_t block_now(const struct visa_lower *l)
{
    return l->b->func->nblocks - 1;
}

static void leave_section(struct visa_lower *l);

void visa_label_here(struct visa_lower *l, const struct visa_does *does)
{
    (void)does;
    if (label_of(l->inst) >= l->object->nvars[VISA_L])
        return;
    struct visa_label *label = &l->labels[label_of(l->inst)];
    bool came = l->open;
    struct visa_known fell = l->known[VISA_KNOWN_CR0];
    lane_block(l->b);
    label->block = block_now(l);
    label->placed = true;
    if (came)
        known_meet(l, &label->reached, &label->cr0, &fell);
    known_forget(l);
    l->known[VISA_KNOWN_CR0] = label->reached ? label->cr0 : fell;
    l->open = true;
}

void visa_section_lower(struct visa_lower *l, uint32_t number)
{
    struct visa_section *s = &l->sections[number];
    const struct visa_object *o = l->object;
    l->section = number;
    l->open = false;
    lane_block(l->b);
    s->block = block_now(l);
    l->open = number == 0;
    known_forget(l);
    l->known[VISA_KNOWN_CR0] = (struct visa_known){0, true};
    if (number && l->labels[s->label].reached)
        l->known[VISA_KNOWN_CR0] = l->labels[s->label].cr0;
    if (number)
        l->labels[s->label].block = s->block;
    l->open = true;
    for (uint32_t i = s->first; i < s->end && !l->b->failed && !l->too_long;) {
        l->too_long = l->b->func->ninsts > MOST_INSTS;
        struct visa_fusion fusion = visa_fused(l, &o->insts[i]);
        for (unsigned k = 0; k < fusion.period; k++)
            if (!is_subroutine(l, i + k))
                visa_inst_lower(l, &o->insts[i + k], visa_fusion_of(fusion, &o->insts[i + k]));
        i += (uint32_t)fusion.period * fusion.members;
    }
    leave_section(l); /* nobody comes there where the last instruction has left it */
}

/* ---- jumps
 * ------------------------------------------------------------------------------------------------------------ */

/* The label of the instruction, in the section at hand; NULL: there is none, which is said. */
static struct visa_label *target(struct visa_lower *l, uint32_t id)
{
    if (id < l->object->nvars[VISA_L] && l->labels[id].section == l->section && (l->labels[id].placed || l->collecting))
        return &l->labels[id];
    visa_stop(l, "a jump to label '%s', which is not in this subroutine",
              id < l->object->nvars[VISA_L] ? visa_name(l->object, VISA_L, id) : "?");
    return NULL;
}

/* Lanes for which the predicate is true go to a block. */
static void branch(struct visa_lower *l, uint32_t block, struct lane_operand guard, bool not )
{
    struct lane_inst *inst = lane_emit(l->b, LANE_OP_bra, LANE_VOID, 0, NULL, 0, NULL);
    inst->aux = block;
    inst->guard = guard;
    inst->guard_not = not &&guard.kind != LANE_NONE;
    open_block(l);
    l->open = guard.kind != LANE_NONE;
}

static void jump(struct visa_lower *l, uint32_t id, struct lane_operand guard, bool not )
{
    struct visa_label *label = target(l, id);
    if (!label)
        return;
    known_meet(l, &label->reached, &label->cr0, &l->known[VISA_KNOWN_CR0]);
    branch(l, label->block, guard, not );
}

/* Which lanes go: the instruction's channels whose predicate is true; of one channel what that one has, for all that
 * run. LANE_NONE: all. */
static struct lane_operand condition(struct visa_lower *l, bool * not )
{
    struct lane_operand guard = {LANE_NONE, 0}, range = guard;
    *not = false;
    if (l->inst->predicate & VISA_PRED_ID)
        guard = visa_predicate(l, l->inst->predicate, not );
    if (l->channels > 1)
        range = visa_range(l, l->first, l->channels);
    if (range.kind != LANE_NONE && *not ) {
        guard = visa_one(l, LANE_OP_not, LANE_PRED, guard);
        *not = false;
    }
    return visa_and(l, guard, range);
}

/* Channels of the instruction whose predicate is true; of one channel all that run. */
void visa_goto(struct visa_lower *l, const struct visa_does *does)
{
    bool not ;
    struct lane_operand guard = condition(l, &not );
    (void)does;
    jump(l, label_of(l->inst), guard, not );
}

/* All lanes that run, if element 0 of the predicate is true. */
void visa_jmp(struct visa_lower *l, const struct visa_does *does)
{
    l->first = 0;
    l->channels = 1;
    visa_goto(l, does);
}

void visa_switchjmp(struct visa_lower *l, const struct visa_does *does)
{
    const struct visa_operand *labels = visa_operand_in(l, "labels");
    uint32_t blocks[VISA_LIST], count = (uint32_t)labels->value;
    (void)does;
    struct lane_operand index = visa_convert(l, visa_source(l, visa_operand_in(l, "index"), false), VISA_UD, false).v;
    if (index.kind == LANE_CONST) {
        struct lane_operand constant = index;
        index = visa_one(l, LANE_OP_mov, LANE_B32, constant);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct visa_label *label = target(l, labels->list[i].id);
        if (!label)
            return;
        known_meet(l, &label->reached, &label->cr0, &l->known[VISA_KNOWN_CR0]);
        blocks[i] = label->block;
    }
    lane_emit(l->b, LANE_OP_brx, LANE_VOID, 0, NULL, 1, &index)->aux = lane_table(l->b, blocks, count);
    open_block(l);
    l->open = false;
}

/* ---- subroutines
 * -------------------------------------------------------------------------------------------------------- */

/* The block after a call. */
static bool returns_add(struct visa_lower *l, struct visa_section *s, uint32_t call)
{
    if (call < s->ncalls) {
        s->returns[call] = block_now(l);
        return true;
    }
    uint32_t *returns = arena_append(l->arena, s->returns, call, sizeof *returns);
    if (!returns)
        return false;
    s->returns = returns;
    returns[call] = block_now(l);
    s->ncalls = call + 1;
    l->changed = true;
    return true;
}

/* Lanes for which the guard is true (inverted: false) call a subroutine. Its calls are numbered in the order in which
 * they are lowered, which is the same in all passes. */
static void call_section(struct visa_lower *l, uint32_t number, struct lane_operand guard, bool not )
{
    struct visa_section *s = &l->sections[number];
    uint32_t call = s->calling++;
    struct lane_operand site = lane_imm(l->b, 32, call);
    struct lane_inst *inst = lane_emit(l->b, LANE_OP_mov, LANE_B32, 1, &s->back, 1, &site);
    inst->guard = guard;
    inst->guard_not = not &&guard.kind != LANE_NONE;
    known_meet(l, &l->labels[s->label].reached, &l->labels[s->label].cr0, &l->known[VISA_KNOWN_CR0]);
    branch(l, s->block, guard, not );
    l->open = true;
    if (!returns_add(l, s, call))
        l->failed = true;
    known_forget(l);
    if (s->left)
        l->known[VISA_KNOWN_CR0] = s->cr0;
}

/* The subroutine of a label; 0: it cannot be called, which is said. */
static uint32_t callee(struct visa_lower *l, uint32_t label)
{
    bool known = label < l->object->nvars[VISA_L];
    uint32_t number = known ? l->labels[label].section : 0;
    const char *name = known ? visa_name(l->object, VISA_L, label) : NULL;
    if (number && l->sections[number].label == label && l->sections[number].rank < l->sections[l->section].rank)
        return number;
    visa_stop(
        l, number ? "not supported: '%s' is a subroutine that calls itself" : "a call of '%s', which is no subroutine",
        name ? name : "a function");
    return 0;
}

void visa_call(struct visa_lower *l, const struct visa_does *does)
{
    bool not ;
    uint32_t number = callee(l, label_of(l->inst));
    (void)does;
    if (number) {
        struct lane_operand guard = condition(l, &not );
        call_section(l, number, guard, not );
    }
}

static const char *function_name(const struct visa_lower *l)
{
    uint64_t string = visa_called(l->inst)->value;
    return string < l->object->nstrings ? l->object->strings[string] : "?";
}

/* A call on the stack: the function has variables of its own, %arg, %retval, %sp and %fp are common. */
void visa_fcall(struct visa_lower *l, const struct visa_does *does)
{
    bool not ;
    unsigned function = visa_merged_function(&l->merged, function_name(l));
    (void)does;
    if (function == l->merged.count) {
        visa_stop(l, "a call of '%.200s', which the module has not", function_name(l));
        return;
    }
    uint32_t number = callee(l, l->merged.functions[function].label);
    if (number) {
        struct lane_operand guard = condition(l, &not );
        call_section(l, number, guard, not );
    }
}

/* The address of a function is its number among those that the kernel reaches, from 1. */
void visa_faddr(struct visa_lower *l, const struct visa_does *does)
{
    unsigned function = visa_merged_function(&l->merged, function_name(l));
    (void)does;
    if (function == l->merged.count) {
        visa_stop(l, "the address of '%.200s', which the module has not", function_name(l));
        return;
    }
    l->no_mask = l->scalar = true;
    l->channels = 1;
    visa_result(l, visa_operand_in(l, "dst"), (struct visa_value){lane_imm(l->b, 32, function + 1), VISA_UD});
}

/* Whichever function the address is of: one after the other is asked. */
void visa_ifcall(struct visa_lower *l, const struct visa_does *does)
{
    bool not ;
    (void)does;
    struct lane_operand guard = condition(l, &not );
    if (not )
        guard = visa_one(l, LANE_OP_not, LANE_PRED, guard);
    unsigned channels = l->channels;
    l->channels = 1;
    struct lane_operand at = visa_convert(l, visa_source(l, visa_operand_in(l, "address"), false), VISA_UD, false).v;
    l->channels = channels;
    for (unsigned i = 0; i < l->merged.count; i++) {
        uint32_t number = l->labels[l->merged.functions[i].label].section;
        if (l->sections[number].rank >= l->sections[l->section].rank)
            continue; /* it calls us */
        struct lane_operand is = visa_compare(l, LANE_EQ, LANE_U32, at, lane_imm(l->b, 32, i + 1));
        call_section(l, number, visa_and(l, is, guard), false);
    }
    struct lane_operand none =
        visa_compare(l, LANE_GE, LANE_U32, visa_two(l, LANE_OP_sub, LANE_U32, at, lane_imm(l->b, 32, 1)),
                     lane_imm(l->b, 32, l->merged.count));
    visa_stop(l, "an indirect call of what is no function");
    visa_last(l)->guard = visa_and(l, none, guard);
}

/* Ends the kernel, or goes back to after the call. */
static void leave(struct visa_lower *l, struct lane_operand guard, bool not )
{
    struct visa_section *s = &l->sections[l->section];
    struct lane_inst *inst;
    if (s->label == UINT32_MAX)
        inst = lane_emit(l->b, LANE_OP_exit, LANE_VOID, 0, NULL, 0, NULL);
    else if (!s->ncalls || !s->returns) { /* nobody comes here */
        inst = lane_emit(l->b, LANE_OP_exit, LANE_VOID, 0, NULL, 0, NULL);
    } else {
        known_meet(l, &s->left, &s->cr0, &l->known[VISA_KNOWN_CR0]);
        uint32_t table = lane_table(l->b, s->returns, s->ncalls);
        inst = lane_emit(l->b, LANE_OP_brx, LANE_VOID, 0, NULL, 1, &s->back);
        inst->aux = table;
    }
    inst->guard = guard;
    inst->guard_not = not &&guard.kind != LANE_NONE;
}

static void leave_section(struct visa_lower *l)
{
    leave(l, (struct lane_operand){LANE_NONE, 0}, false);
    l->open = false;
}

void visa_ret(struct visa_lower *l, const struct visa_does *does)
{
    bool not ;
    struct lane_operand guard = condition(l, &not );
    (void)does;
    leave(l, guard, not );
    open_block(l);
    l->open = guard.kind != LANE_NONE;
}

void visa_nothing(struct visa_lower *l, const struct visa_does *does)
{
    (void)l, (void)does;
}

/* Which slots of calls can be registers: who is kin to whom, how loads and stores see them. */
#include "engine/plan/slots.h"
#include "base/search.h"

#include <assert.h>
#include <stdlib.h>

/* What is collected has few members: those of a function and of its calls. */
struct finder {
    struct slots *slots;
    const struct slots_of *of;
    bool failed;
};

static const struct lane_func *func_of(const struct finder *f, uint32_t func)
{
    return &f->slots->module->funcs[func];
}

static struct taken taken_by(const struct finder *f, uint32_t func, uint32_t call)
{
    const struct lane_call *c = &func_of(f, func)->calls[call];
    return func == f->of->funcs[0] ? f->of->taken[call] : (struct taken){&c->function, 1};
}

/* ---- slots --------------------------------------------------------------------------------------------------- */

static int by_local(const void *a, const void *b)
{
    uint64_t x = ((const struct slot *)a)->local, y = ((const struct slot *)b)->local;
    return (x > y) - (x < y);
}

static void add_slots(struct slot_frame *frame, const struct lane_slot *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        frame->slots[frame->count++] = (struct slot){.local = from[i].local, .size = from[i].size};
}

/* A place that several calls name is one slot; what lies across another one is in memory. */
static void join_equal(struct slot_frame *frame)
{
    uint32_t n = 0;
    qsort(frame->slots, frame->count, sizeof *frame->slots, by_local);
    for (uint32_t i = 0; i < frame->count; i++) {
        struct slot *last = n ? &frame->slots[n - 1] : NULL, *here = &frame->slots[i];
        if (last && here->local < last->local + last->size) {
            last->memory = last->memory || here->local != last->local || here->size != last->size;
            uint32_t end = (uint32_t)(here->local - last->local) + here->size;
            last->size = end > last->size ? end : last->size;
        } else {
            frame->slots[n++] = *here;
        }
    }
    frame->count = n;
    for (uint32_t i = 0; i < n; i++)
        frame->slots[i].kin = &frame->slots[i];
}

static void find_slots(struct finder *f, uint32_t func)
{
    const struct lane_func *lane = func_of(f, func);
    struct slot_frame *frame = &f->slots->frames[func];
    size_t most = lane->kernel ? 0 : (size_t)lane->nparams + lane->nresults;
    for (uint32_t c = 0; c < lane->ncalls; c++)
        most += (size_t)lane->calls[c].nargs + lane->calls[c].nresults;
    frame->slots = arena_array(f->slots->arena, most + 1, sizeof *frame->slots);
    if (!frame->slots) {
        f->failed = true;
        return;
    }
    add_slots(frame, lane->params, lane->kernel ? 0 : lane->nparams);
    add_slots(frame, lane->results, lane->kernel ? 0 : lane->nresults);
    for (uint32_t c = 0; c < lane->ncalls; c++) {
        add_slots(frame, lane->calls[c].args, lane->calls[c].nargs);
        add_slots(frame, lane->calls[c].results, lane->calls[c].nresults);
    }
    join_equal(frame);
}

/* The slot that has a byte; NULL. */
static struct slot *slot_at(const struct slots *slots, uint32_t func, uint32_t local)
{
    const struct slot_frame *frame = &slots->frames[func];
    uint32_t low = search_not_below(&frame->slots->local, frame->count, sizeof *frame->slots, (uint64_t)local + 1);
    struct slot *found = low ? &frame->slots[low - 1] : NULL;
    return found && local - found->local < found->size ? found : NULL;
}

/* ---- kin ----------------------------------------------------------------------------------------------------- */

static void join(struct slot *a, struct slot *b)
{
    struct slot *x = a ? slot_root(a) : NULL, *y = b ? slot_root(b) : NULL;
    if (!x || !y || x == y)
        return; /* slots without bytes */
    y->memory = x->memory || y->memory;
    x->kin = y;
}

static void keep_in_memory(struct slot *slot)
{
    if (slot)
        slot_root(slot)->memory = true;
}

static void join_callee(struct finder *f, uint32_t func, const struct lane_call *call, uint32_t callee)
{
    const struct lane_func *to = func_of(f, callee);
    for (uint32_t i = 0; i < call->nargs; i++)
        join(slot_at(f->slots, func, call->args[i].local), slot_at(f->slots, callee, to->params[i].local));
    for (uint32_t i = 0; i < call->nresults; i++)
        join(slot_at(f->slots, func, call->results[i].local), slot_at(f->slots, callee, to->results[i].local));
}

static void join_call(struct finder *f, uint32_t func, uint32_t c)
{
    const struct lane_call *call = &func_of(f, func)->calls[c];
    struct taken taken = taken_by(f, func, c);
    for (uint32_t i = 0; i < taken.count; i++)
        join_callee(f, func, call, taken.callees[i]);
    for (uint32_t i = 0; i < call->nargs && !taken.count; i++)
        keep_in_memory(slot_at(f->slots, func, call->args[i].local));
    for (uint32_t i = 0; i < call->nresults && !taken.count; i++)
        keep_in_memory(slot_at(f->slots, func, call->results[i].local));
}

/* ---- accesses ------------------------------------------------------------------------------------------------ */

/* Bytes of a slot are seen as one. */
static void see(struct slot *slot, uint32_t local, uint32_t bytes)
{
    struct slot *root = slot_root(slot);
    uint32_t at = local - (uint32_t)slot->local;
    if (bytes > slot->size || at > slot->size - bytes)
        root->memory = true;
    for (uint32_t i = 0; i < root->count && !root->memory; i++) {
        const struct slot_element *e = &root->elements[i];
        if (e->at == at && e->bytes == bytes)
            return;
        root->memory = at < e->at + e->bytes && e->at < at + bytes;
    }
    root->memory = root->memory || root->count == SLOT_ELEMENTS;
    if (!root->memory)
        root->elements[root->count++] = (struct slot_element){at, bytes};
}

/* Does it load or store elements at a place of the frame that is known? *local is where. */
static bool at_place(const struct slots *slots, uint32_t func, const struct lane_inst *inst, uint32_t *local)
{
    const struct lane_func *lane = &slots->module->funcs[func];
    if (inst->op != LANE_OP_ld && inst->op != LANE_OP_st)
        return false;
    const struct lane_access *access = &lane->accesses[inst->aux];
    struct lane_operand address = lane->operands[inst->first + inst->ndst];
    uint32_t place = address.kind == LANE_REG ? slots->frames[func].place[address.index] : NO_SLOT;
    if (place == NO_SLOT || access->space != LANE_LOCAL || access->order != LANE_WEAK || access->offset < 0 ||
        access->offset > LANE_LOCAL_BYTES)
        return false;
    *local = place + (uint32_t)access->offset;
    return true;
}

static void see_access(struct finder *f, uint32_t func, const struct lane_inst *inst, uint32_t local)
{
    const struct lane_access *access = &func_of(f, func)->accesses[inst->aux];
    uint32_t bytes = lane_type_bits(access->type) / 8;
    struct slot *first = slot_at(f->slots, func, local);
    /* Memory traps where it is not aligned, registers would not. */
    if (local % (bytes * access->vec) != 0)
        keep_in_memory(first);
    for (uint32_t k = 0; k < access->vec; k++) {
        uint32_t at = local + k * bytes;
        struct slot *slot = slot_at(f->slots, func, at), *end = slot_at(f->slots, func, at + bytes - 1);
        if (slot)
            see(slot, at, bytes);
        if (slot == first && end == first)
            continue;
        keep_in_memory(first);
        keep_in_memory(slot);
        keep_in_memory(end);
    }
}

/* A place that a register names, but not for good. */
static void see_name(struct finder *f, uint32_t func, const struct lane_inst *inst)
{
    struct lane_operand d = inst->ndst ? func_of(f, func)->operands[inst->first] : (struct lane_operand){LANE_NONE, 0};
    if (inst->op == LANE_OP_frame && (d.kind != LANE_REG || f->slots->frames[func].place[d.index] == NO_SLOT))
        keep_in_memory(slot_at(f->slots, func, inst->aux));
}

/* The registers that an instruction reads, but the address of an access at a known place: what they name is seen by
 * others. */
static void see_others(struct finder *f, uint32_t func, const struct lane_inst *inst, bool access)
{
    const struct lane_func *lane = func_of(f, func);
    for (unsigned k = inst->ndst + (access ? 1u : 0); k < (unsigned)inst->ndst + inst->nsrc; k++) {
        struct lane_operand op = lane->operands[inst->first + k];
        uint32_t place = op.kind == LANE_REG ? f->slots->frames[func].place[op.index] : NO_SLOT;
        if (place == NO_SLOT)
            continue;
        f->slots->frames[func].needed[op.index] = true;
        keep_in_memory(slot_at(f->slots, func, place));
    }
}

static void see_all(struct finder *f, uint32_t func)
{
    const struct lane_func *lane = func_of(f, func);
    for (uint32_t i = 0; i < lane->ninsts; i++) {
        uint32_t local;
        bool access = at_place(f->slots, func, &lane->insts[i], &local);
        if (access)
            see_access(f, func, &lane->insts[i], local);
        see_others(f, func, &lane->insts[i], access);
        see_name(f, func, &lane->insts[i]);
    }
}

/* Registers that name a place of the frame wherever they are read. */
static void find_places(struct finder *f, uint32_t func)
{
    const struct lane_func *lane = func_of(f, func);
    struct slot_frame *frame = &f->slots->frames[func];
    uint8_t *writes = arena_array(f->slots->arena, (size_t)lane->nregs + 1, 1);
    frame->place = arena_array(f->slots->arena, (size_t)lane->nregs + 1, sizeof *frame->place);
    frame->needed = arena_array(f->slots->arena, (size_t)lane->nregs + 1, sizeof *frame->needed);
    if (!writes || !frame->place || !frame->needed) {
        f->failed = true;
        return;
    }
    for (uint32_t r = 0; r < lane->nregs; r++)
        frame->place[r] = NO_SLOT;
    for (uint32_t i = 0; i < lane->ninsts; i++)
        for (unsigned k = 0; k < lane->insts[i].ndst; k++) {
            const struct lane_inst *inst = &lane->insts[i];
            struct lane_operand d = lane->operands[inst->first + k];
            if (d.kind != LANE_REG)
                continue;
            bool names = inst->op == LANE_OP_frame && inst->guard.kind == LANE_NONE && !writes[d.index];
            frame->place[d.index] = names ? inst->aux : NO_SLOT;
            writes[d.index] = 1;
        }
}

/* By which registers is something accessed that stays in memory? */
static void find_needed(struct finder *f, uint32_t func)
{
    const struct lane_func *lane = func_of(f, func);
    for (uint32_t i = 0; i < lane->ninsts; i++) {
        const struct lane_inst *inst = &lane->insts[i];
        uint32_t local;
        if (at_place(f->slots, func, inst, &local) && slots_at(f->slots, func, local) == NO_SLOT)
            f->slots->frames[func].needed[lane->operands[inst->first + inst->ndst].index] = true;
    }
}

bool slots_find(struct arena *arena, const struct lane_module *module, const struct slots_of *of, struct slots *slots)
{
    struct finder f = {.slots = slots, .of = of};
    *slots = (struct slots){.module = module, .arena = arena};
    slots->frames = arena_array(arena, module->nfuncs, sizeof *slots->frames);
    if (!slots->frames)
        return false;
    for (uint32_t i = 0; i < of->count; i++) {
        find_slots(&f, of->funcs[i]);
        find_places(&f, of->funcs[i]);
    }
    for (uint32_t i = 0; i < of->count && !f.failed; i++)
        for (uint32_t c = 0; c < func_of(&f, of->funcs[i])->ncalls; c++)
            join_call(&f, of->funcs[i], c);
    for (uint32_t i = 0; i < of->count && !f.failed; i++)
        see_all(&f, of->funcs[i]);
    for (uint32_t i = 0; i < of->count && !f.failed; i++)
        find_needed(&f, of->funcs[i]);
    return !f.failed;
}

/* ---- what was found ------------------------------------------------------------------------------------------- */

uint32_t slots_at(const struct slots *slots, uint32_t func, uint32_t local)
{
    const struct slot *slot = slot_at(slots, func, local);
    return slot && !slot_root(slot)->memory ? (uint32_t)(slot - slots->frames[func].slots) : NO_SLOT;
}

uint32_t slots_access(const struct slots *slots, uint32_t func, const struct lane_inst *inst)
{
    uint32_t local;
    return at_place(slots, func, inst, &local) && slots_at(slots, func, local) != NO_SLOT ? local : NO_SLOT;
}

uint32_t slots_element(const struct slot *slot, uint32_t local)
{
    const struct slot *root = slot_root(slot);
    uint32_t i = 0;
    while (i < root->count && root->elements[i].at != local - slot->local)
        i++;
    assert(i < root->count && !root->memory);
    return i;
}

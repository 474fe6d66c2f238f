/* The code of functions in the place of calls (inline.h).
 *
 *   b1: ...                      b1: ...
 *       st.b32 [arg], r0             mov  p, r0            a slot that has registers (slots.h)
 *       call f                       mov  q, 0             a register of f that f may read before it writes it
 *       ld.b32 r1, [result]      b2: ...                   f's blocks
 *       ...                          mov  r, x
 *                                    bra  b4               f's return
 *                                b4: mov  r1, r            the rest of b1
 *
 * The local frame of f lies where it would lie if f was called: behind its caller's. */
#include "engine/plan/inline.h"

#include "engine/engine.h"
#include "engine/plan/frame.h"
#include "engine/plan/reach.h"
#include "engine/plan/slots.h"
#include "lane/form.h"

#include <assert.h>
#include <string.h>

enum {
    LARGEST = 4000, /* instructions of a kernel; one with more is left as it is */
    ROOM = 1000,    /* instructions that calls may add to a kernel */
    DEEP = 32,      /* calls within calls */
    POINTERS = 16,  /* functions that a call by a pointer may find */
};

/* What is known of a function. */
struct measure {
    enum { UNKNOWN, BUSY, STAYS, COMES } is; /* STAYS: it is called */
    uint32_t insts, blocks;                  /* with all that its calls bring */
    uint32_t local;                          /* bytes of its frame and of those behind it */
    bool *first;                             /* registers that it may read before it writes them */
};

struct inliner {
    const struct lane_module *module;
    struct arena scratch;
    struct measure *measures; /* by function */
    uint32_t *funcs, nfuncs;  /* the kernel and what comes into it */
    struct taken *taken;      /* of the kernel's calls */
    uint32_t *named, nnamed;  /* functions whose address is somewhere, if that was asked */
    struct slots slots;
    struct lane_builder b;
    struct inlined *out;
    bool failed;
};

/* ---- which ---------------------------------------------------------------------------------------------------- */

/* Instructions that copy arguments and results. */
static uint32_t copies_of(const struct lane_func *f)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < f->nparams; i++)
        bytes += f->params[i].size;
    for (uint32_t i = 0; i < f->nresults; i++)
        bytes += f->results[i].size;
    return bytes > ROOM ? ROOM : (uint32_t)bytes;
}

static void measure_call(struct inliner *in, struct measure *m, uint32_t callee, unsigned depth);

static void measure(struct inliner *in, uint32_t func, unsigned depth)
{
    const struct lane_func *f = &in->module->funcs[func];
    struct measure *m = &in->measures[func];
    *m = (struct measure){.is = BUSY, .blocks = f->nblocks, .local = f->local_bytes};
    if (f->kernel || !f->defined || f->places || depth > DEEP || f->ninsts > ROOM || f->nblocks > ROOM)
        m->is = STAYS;
    else /* and what takes room without being an instruction */
        m->insts = f->ninsts + f->nblocks / 4 + f->nregs / 8 + copies_of(f);
    for (uint32_t i = 0; i < f->ninsts && m->is == BUSY; i++)
        if (f->insts[i].op == LANE_OP_call)
            measure_call(in, m, f->calls[f->insts[i].aux].function, depth);
    m->is = m->is == BUSY && m->insts <= ROOM ? COMES : STAYS;
}

static void measure_call(struct inliner *in, struct measure *m, uint32_t callee, unsigned depth)
{
    struct measure *called = callee < in->module->nfuncs ? &in->measures[callee] : NULL;
    if (called && called->is == UNKNOWN)
        measure(in, callee, depth + 1);
    if (!called || called->is != COMES) { /* by a pointer; itself by way of others; not at all */
        m->is = STAYS;
        return;
    }
    uint32_t local = inlined_behind(in->module->funcs[m - in->measures].local_bytes) + called->local;
    m->insts += called->insts;
    m->blocks += called->blocks + 1;
    m->local = local > m->local ? local : m->local;
    if (m->insts > ROOM || m->local > LANE_LOCAL_BYTES)
        m->is = STAYS;
}

static void note_func(struct inliner *in, uint32_t func, bool *seen)
{
    const struct lane_func *f = &in->module->funcs[func];
    if (seen[func])
        return;
    seen[func] = true;
    in->funcs[in->nfuncs++] = func;
    for (uint32_t c = 0; c < f->ncalls && !f->kernel; c++)
        if (f->calls[c].function < in->module->nfuncs && in->measures[f->calls[c].function].is == COMES)
            note_func(in, f->calls[c].function, seen);
}

/* How often a call stands there. */
static uint32_t *count_calls(struct inliner *in, const struct lane_func *f)
{
    uint32_t *counts = arena_array(&in->scratch, f->ncalls, sizeof *counts);
    for (uint32_t i = 0; counts && i < f->ninsts; i++)
        if (f->insts[i].op == LANE_OP_call)
            counts[f->insts[i].aux]++;
    return counts;
}

/* ---- functions that pointers may lead to */

static void note_named(const struct inliner *in, uint32_t symbol, bool *named)
{
    const struct lane_symbol *s = symbol ? &in->module->symbols[symbol - 1] : NULL;
    if (s && s->kind == LANE_SYMBOL_FUNCTION && s->function < in->module->nfuncs)
        named[s->function] = true;
}

/* In code, and in variables. */
static bool find_named(struct inliner *in)
{
    const struct lane_module *m = in->module;
    bool *named = arena_array(&in->scratch, (size_t)m->nfuncs + 1, sizeof *named);
    in->named = arena_array(&in->scratch, (size_t)m->nfuncs + 1, sizeof *in->named);
    if (!named || !in->named)
        return false;
    for (uint32_t f = 0; f < m->nfuncs; f++)
        for (uint32_t c = 0; c < m->funcs[f].nconsts; c++)
            note_named(in, m->funcs[f].consts[c].symbol, named);
    for (uint32_t s = 0; s < m->nsymbols; s++)
        for (uint32_t r = 0; r < m->symbols[s].nrelocs; r++)
            note_named(in, m->symbols[s].relocs[r].symbol, named);
    for (uint32_t f = 0; f < m->nfuncs; f++)
        if (named[f])
            in->named[in->nnamed++] = f;
    return true;
}

/* Whom a call may find: nobody, where these are too many. */
static bool find_callees(struct inliner *in, const struct lane_call *call, struct taken *taken)
{
    uint32_t *callees = arena_array(&in->scratch, POINTERS, sizeof *callees);
    *taken = (struct taken){callees, 0};
    if (call->function < in->module->nfuncs) {
        *taken = (struct taken){&call->function, 1};
        return callees;
    }
    if (!callees || (!in->named && !find_named(in)))
        return false;
    for (uint32_t i = 0; i < in->nnamed; i++) {
        const struct lane_func *f = &in->module->funcs[in->named[i]];
        if (f->kernel || !f->defined || !reach_fits(call, f))
            continue;
        if (taken->count == POINTERS) {
            taken->count = 0;
            return true;
        }
        callees[taken->count++] = in->named[i];
    }
    return true;
}

/* Blocks that it takes to have the callees in the place of a call. */
static uint32_t blocks_of(const struct inliner *in, bool pointer, struct taken taken)
{
    uint32_t blocks = pointer ? 3 : 1;
    for (uint32_t i = 0; i < taken.count; i++)
        blocks += in->measures[taken.callees[i]].blocks + (pointer ? 2 : 0);
    return blocks;
}

/* Instructions that they add; ROOM + 1: one of them has to be called. */
static uint32_t weigh(struct inliner *in, const struct lane_func *f, struct taken taken)
{
    uint32_t insts = 0;
    for (uint32_t i = 0; i < taken.count; i++) {
        struct measure *m = &in->measures[taken.callees[i]];
        if (m->is == UNKNOWN)
            measure(in, taken.callees[i], 0);
        if (m->is != COMES || inlined_behind(f->local_bytes) + m->local > LANE_LOCAL_BYTES)
            return ROOM + 1;
        insts += m->insts + 2;
    }
    return taken.count ? insts : ROOM + 1;
}

/* The calls of the kernel, as long as there is room. *blocks: what it has then; 0: none is taken. */
static bool take_calls(struct inliner *in, uint32_t kernel, uint32_t *blocks)
{
    const struct lane_func *f = &in->module->funcs[kernel];
    bool *seen = arena_array(&in->scratch, in->module->nfuncs, sizeof *seen), any = false;
    uint32_t *counts = count_calls(in, f), room = ROOM, more = 0;
    if (!counts || !seen)
        return false;
    note_func(in, kernel, seen);
    for (uint32_t c = 0; c < f->ncalls; c++) {
        struct taken taken;
        bool pointer = f->calls[c].function == UINT32_MAX;
        if (!find_callees(in, &f->calls[c], &taken))
            return false;
        uint32_t insts = weigh(in, f, taken);
        bool fits = counts[c] && (uint64_t)insts * counts[c] <= room;
        in->out->calls = in->out->calls || (counts[c] && (!fits || pointer));
        more += (fits ? blocks_of(in, pointer, taken) : 1) * counts[c];
        if (!fits)
            continue;
        any = true;
        in->taken[c] = taken;
        room -= insts * counts[c];
        for (uint32_t i = 0; i < taken.count; i++)
            note_func(in, taken.callees[i], seen);
    }
    *blocks = any ? f->nblocks + more : 0;
    return true;
}

/* ---- a function's code ---------------------------------------------------------------------------------------- */

/* A copy of a function's code. */
struct copy {
    const struct lane_func *func;
    uint32_t number;
    const struct inlining *from;
    uint32_t local;     /* where its frame begins in the kernel's */
    uint32_t regs;      /* its registers */
    uint32_t *elements; /* of each slot that has registers: the first of them */
    uint32_t *blocks;   /* its blocks */
    const struct copy *caller;
    const struct lane_call *call;
    uint32_t back; /* the block behind the call */
};

static struct lane_operand operand(struct inliner *in, const struct copy *copy, struct lane_operand op)
{
    if (op.kind == LANE_REG)
        return (struct lane_operand){LANE_REG, (copy->regs + op.index) & LANE_INDEX_MASK};
    if (op.kind == LANE_NONE)
        return op;
    const struct lane_const *c = &copy->func->consts[op.index];
    if (c->symbol)
        return lane_address(&in->b, c->width, c->symbol, (int64_t)c->lo);
    return c->width == 128 ? lane_imm128(&in->b, c->lo, c->hi) : lane_imm(&in->b, c->width, c->lo);
}

/* Of a place in it. */
static struct lane_operand element(const struct inliner *in, const struct copy *copy, uint32_t slot, uint32_t local)
{
    uint32_t k = slots_element(&in->slots.frames[copy->number].slots[slot], local);
    return (struct lane_operand){LANE_REG, (copy->elements[slot] + k) & LANE_INDEX_MASK};
}

static void use_guard(struct inliner *in, const struct copy *copy, const struct lane_inst *inst, bool other)
{
    in->b.line = inst->line;
    in->b.guard = operand(in, copy, inst->guard);
    in->b.guard_not = inst->guard_not != other;
}

static void no_guard(struct inliner *in)
{
    in->b.guard = (struct lane_operand){LANE_NONE, 0};
    in->b.guard_not = false;
}

static uint32_t copy_table(struct inliner *in, const struct copy *copy, const struct lane_table *table)
{
    uint32_t *blocks = arena_array(&in->scratch, (size_t)table->count + 1, sizeof *blocks);
    in->failed = in->failed || !blocks;
    for (uint32_t i = 0; blocks && i < table->count; i++)
        blocks[i] = copy->blocks[table->blocks[i]];
    return blocks ? lane_table(&in->b, blocks, table->count) : 0;
}

static uint32_t copy_aux(struct inliner *in, const struct copy *copy, const struct lane_inst *inst)
{
    switch (lane_aux(&lane_rows[inst->op])) {
    case 'a':
        return lane_access(&in->b, &copy->func->accesses[inst->aux]);
    case 'b':
        return copy->blocks[inst->aux];
    case 't':
        return copy_table(in, copy, &copy->func->tables[inst->aux]);
    case 'k':
        return lane_call(&in->b, &copy->func->calls[inst->aux]);
    case 's':
        return lane_string(&in->b, copy->func->strings[inst->aux]);
    default:
        return inst->op == LANE_OP_frame ? copy->local + inst->aux : inst->aux;
    }
}

static void copy_inst(struct inliner *in, const struct copy *copy, const struct lane_inst *inst)
{
    struct lane_operand ops[2 * UINT8_MAX];
    for (unsigned k = 0; k < (unsigned)inst->ndst + inst->nsrc; k++)
        ops[k] = operand(in, copy, copy->func->operands[inst->first + k]);
    uint32_t aux = copy_aux(in, copy, inst);
    struct lane_inst *made = lane_emit(&in->b, inst->op, inst->type, inst->ndst, ops, inst->nsrc, ops + inst->ndst);
    made->type2 = inst->type2;
    made->round = inst->round;
    made->flags = inst->flags;
    made->cmp = inst->cmp;
    made->mode = inst->mode;
    made->aux = aux;
}

/* ---- slots that are registers ----------------------------------------------------------------------------------- */

static enum lane_type integer_type(unsigned bits, bool is_signed)
{
    return bits == 8    ? is_signed ? LANE_S8 : LANE_U8
           : bits == 16 ? is_signed ? LANE_S16 : LANE_U16
           : bits == 32 ? is_signed ? LANE_S32 : LANE_U32
           : is_signed  ? LANE_S64
                        : LANE_U64;
}

static unsigned width_of(const struct inliner *in, struct lane_operand op)
{
    return op.kind == LANE_REG ? in->b.func->widths[op.index] : in->b.func->consts[op.index].width;
}

/* What is narrower is extended, as loads do it; what is wider loses its upper bits, as in stores. */
static void move(struct inliner *in, struct lane_operand to, struct lane_operand from, bool is_signed)
{
    if (in->b.failed || to.kind == LANE_NONE)
        return;
    unsigned wide = width_of(in, to), bits = width_of(in, from);
    if (wide == bits) {
        lane_emit(&in->b, LANE_OP_mov, lane_bits_type(bits), 1, &to, 1, &from);
        return;
    }
    assert(wide < 128 && bits < 128);
    lane_emit(&in->b, LANE_OP_cvt, integer_type(wide, false), 1, &to, 1, &from)->type2 =
        (uint8_t)integer_type(bits, is_signed);
}

/* A load or store of a slot that has registers. */
static void move_access(struct inliner *in, const struct copy *copy, const struct lane_inst *inst, uint32_t local)
{
    const struct lane_access *access = &copy->func->accesses[inst->aux];
    const struct lane_operand *ops = &copy->func->operands[inst->first];
    uint32_t slot = slots_at(&in->slots, copy->number, local), bytes = lane_type_bits(access->type) / 8;
    for (unsigned k = 0; k < access->vec; k++) {
        struct lane_operand e = element(in, copy, slot, local + k * bytes);
        if (inst->op == LANE_OP_ld)
            move(in, operand(in, copy, ops[k]), e, lane_type_signed(access->type));
        else
            move(in, e, operand(in, copy, ops[1 + k]), false);
    }
}

/* ---- arguments and results ----------------------------------------------------------------------------------------
 */

static struct lane_operand frame_at(struct inliner *in, uint32_t local)
{
    struct lane_operand d = lane_reg(&in->b, 64, NULL);
    lane_emit(&in->b, LANE_OP_frame, LANE_B64, 1, &d, 0, NULL)->aux = local;
    return d;
}

static void copy_memory(struct inliner *in, uint32_t to, uint32_t from, uint32_t size)
{
    struct lane_operand target = frame_at(in, to), source = frame_at(in, from);
    for (uint32_t at = 0, bytes; at < size; at += bytes) {
        for (bytes = 8; (to + at) % bytes || (from + at) % bytes || bytes > size - at;)
            bytes /= 2;
        struct lane_operand value = lane_reg(&in->b, bytes * 8, NULL), src[] = {target, value};
        struct lane_access access = {
            .space = LANE_LOCAL, .type = (uint8_t)integer_type(bytes * 8, false), .vec = 1, .offset = at};
        lane_emit(&in->b, LANE_OP_ld, LANE_VOID, 1, &value, 1, &source)->aux = lane_access(&in->b, &access);
        lane_emit(&in->b, LANE_OP_st, LANE_VOID, 0, NULL, 2, src)->aux = lane_access(&in->b, &access);
    }
}

static void copy_slot(struct inliner *in, const struct copy *to, uint32_t to_local, const struct copy *from,
                      uint32_t from_local, uint32_t size)
{
    uint32_t target = slots_at(&in->slots, to->number, to_local),
             source = slots_at(&in->slots, from->number, from_local);
    assert((target == NO_SLOT) == (source == NO_SLOT));
    if (target == NO_SLOT) {
        copy_memory(in, to->local + to_local, from->local + from_local, size);
        return;
    }
    const struct slot *kin = slot_root(&in->slots.frames[to->number].slots[target]);
    for (uint32_t k = 0; k < kin->count; k++)
        move(in, element(in, to, target, to_local + kin->elements[k].at),
             element(in, from, source, from_local + kin->elements[k].at), false);
}

static void return_results(struct inliner *in, const struct copy *copy)
{
    for (uint32_t i = 0; i < copy->call->nresults; i++)
        copy_slot(in, copy->caller, copy->call->results[i].local, copy, copy->func->results[i].local,
                  copy->func->results[i].size);
}

/* Arguments, and zero where the callee may look before it writes, as a frame of its own would have it. */
static void pass_arguments(struct inliner *in, const struct copy *copy)
{
    for (uint32_t i = 0; i < copy->call->nargs; i++)
        copy_slot(in, copy, copy->func->params[i].local, copy->caller, copy->call->args[i].local,
                  copy->func->params[i].size);
    for (uint32_t r = 0; r < copy->func->nregs; r++)
        if (in->measures[copy->number].first[r]) {
            struct lane_operand d = {LANE_REG, (copy->regs + r) & LANE_INDEX_MASK};
            unsigned bits = copy->func->widths[r];
            struct lane_operand zero = bits == 128 ? lane_imm128(&in->b, 0, 0) : lane_imm(&in->b, bits, 0);
            move(in, d, zero, false);
        }
}

/* ---- all of it ------------------------------------------------------------------------------------------------ */

static void copy_body(struct inliner *in, const struct copy *copy);

static struct taken taken_by(const struct inliner *in, const struct copy *copy, const struct lane_inst *inst)
{
    if (inst->op != LANE_OP_call)
        return (struct taken){NULL, 0};
    return copy->caller ? (struct taken){&copy->func->calls[inst->aux].function, 1} : in->taken[inst->aux];
}

static bool is_pointer(const struct copy *copy, const struct lane_inst *inst)
{
    return copy->func->calls[inst->aux].function == UINT32_MAX;
}

/* Behind a call that is left a block begins (inline.h, `counts`). */
static uint32_t blocks_of_call(const struct inliner *in, const struct copy *copy, const struct lane_inst *inst)
{
    struct taken taken = taken_by(in, copy, inst);
    return taken.count ? blocks_of(in, is_pointer(copy, inst), taken) : inst->op == LANE_OP_call;
}

/* Registers, and where its blocks will be if the first is the next. */
static bool place_copy(struct inliner *in, struct copy *copy)
{
    const struct slot_frame *frame = &in->slots.frames[copy->number];
    uint32_t next = in->b.func->nblocks;
    copy->elements = arena_array(&in->scratch, (size_t)frame->count + 1, sizeof *copy->elements);
    copy->blocks = arena_array(&in->scratch, (size_t)copy->func->nblocks + 1, sizeof *copy->blocks);
    if (!copy->elements || !copy->blocks)
        return false;
    copy->regs = in->b.func->nregs;
    for (uint32_t r = 0; r < copy->func->nregs; r++)
        lane_reg(&in->b, copy->func->widths[r], NULL);
    for (uint32_t s = 0; s < frame->count; s++) {
        const struct slot *root = slot_root(&frame->slots[s]);
        copy->elements[s] = in->b.func->nregs;
        for (uint32_t k = 0; k < root->count && !root->memory; k++)
            lane_reg(&in->b, root->elements[k].bytes * 8, NULL);
    }
    for (uint32_t b = 0; b < copy->func->nblocks; b++) {
        const struct lane_block *block = &copy->func->blocks[b];
        copy->blocks[b] = next++;
        for (uint32_t i = 0; i < block->count; i++)
            next += blocks_of_call(in, copy, &copy->func->insts[block->first + i]);
    }
    return !in->b.failed;
}

/* In the place of a call or a return. */
static void branch(struct inliner *in, const struct lane_inst *inst, uint32_t to)
{
    struct lane_inst *made = lane_emit(&in->b, LANE_OP_bra, LANE_VOID, 0, NULL, 0, NULL);
    made->aux = to;
    made->flags = inst->flags;
}

static void start_block(struct inliner *in, const struct copy *copy)
{
    uint32_t b = lane_block(&in->b);
    if (!in->b.failed)
        in->out->from[b] = copy->from;
}

/* The callee's code, for lanes that the guard lets through. `back`: where it returns to. */
static void copy_callee(struct inliner *in, const struct copy *copy, const struct lane_inst *inst, uint32_t number,
                        uint32_t back)
{
    struct inlining *from = arena_alloc(&in->out->module.arena, sizeof *from);
    struct copy callee = {.func = &in->module->funcs[number],
                          .number = number,
                          .from = from,
                          .local = copy->local + inlined_behind(copy->func->local_bytes),
                          .caller = copy,
                          .call = &copy->func->calls[inst->aux],
                          .back = back};
    in->failed = in->failed || !from || !place_copy(in, &callee);
    if (in->failed)
        return;
    *from = (struct inlining){callee.func, copy->func, inst->line, copy->from};
    pass_arguments(in, &callee);
    if (in->b.guard.kind != LANE_NONE) {
        use_guard(in, copy, inst, true);
        branch(in, inst, back);
    }
    copy_body(in, &callee);
}

static void copy_call(struct inliner *in, const struct copy *copy, const struct lane_inst *inst)
{
    uint32_t back = in->b.func->nblocks - 1 + blocks_of_call(in, copy, inst);
    copy_callee(in, copy, inst, copy->func->calls[inst->aux].function, back);
    start_block(in, copy);
    assert(in->failed || in->b.failed || in->b.func->nblocks - 1 == back);
}

/* ---- calls by pointers
 *
 *         @!guard bra back
 *   t0:   p = pointer == f;  @!p bra t1        a test for each that it may be
 *         f's arguments and code; bra back
 *   t1:   p = pointer == g;  @!p bra t2
 *         ...
 *   t2:   call pointer                         none of them
 *   back: */

/* Slots that are registers, in memory for a call that is made; or what it has left there. */
static void sync_slots(struct inliner *in, const struct copy *copy, const struct lane_slot *slots, uint32_t count,
                       bool store)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = slots_at(&in->slots, copy->number, slots[i].local);
        if (slot == NO_SLOT)
            continue;
        const struct slot *kin = slot_root(&in->slots.frames[copy->number].slots[slot]);
        struct lane_operand at = kin->count ? frame_at(in, copy->local + slots[i].local) : (struct lane_operand){0};
        for (uint32_t k = 0; k < kin->count; k++) {
            struct lane_operand e = element(in, copy, slot, slots[i].local + kin->elements[k].at), src[] = {at, e};
            struct lane_access access = {.space = LANE_LOCAL,
                                         .type = (uint8_t)lane_bits_type(kin->elements[k].bytes * 8),
                                         .vec = 1,
                                         .offset = kin->elements[k].at};
            lane_emit(&in->b, store ? LANE_OP_st : LANE_OP_ld, LANE_VOID, !store, &e, store ? 2 : 1, src)->aux =
                lane_access(&in->b, &access);
        }
    }
}

static void test_pointer(struct inliner *in, struct lane_operand pointer, uint32_t callee, uint32_t other)
{
    struct lane_operand p = lane_reg(&in->b, 1, NULL);
    struct lane_operand src[] = {pointer, lane_imm(&in->b, 64, PROGRAM_FUNCTION_ADDRESS(callee))};
    lane_emit(&in->b, LANE_OP_setp, LANE_B64, 1, &p, 2, src)->cmp = LANE_EQ;
    in->b.guard = p;
    in->b.guard_not = true;
    lane_emit(&in->b, LANE_OP_bra, LANE_VOID, 0, NULL, 0, NULL)->aux = other;
    no_guard(in);
}

/* What is none of those that are known is called. */
static void copy_other(struct inliner *in, const struct copy *copy, const struct lane_inst *inst)
{
    const struct lane_call *call = &copy->func->calls[inst->aux];
    start_block(in, copy);
    sync_slots(in, copy, call->args, call->nargs, true);
    sync_slots(in, copy, call->results, call->nresults, true);
    copy_inst(in, copy, inst);
    start_block(in, copy);
    sync_slots(in, copy, call->results, call->nresults, false);
    start_block(in, copy);
}

static void copy_pointer(struct inliner *in, const struct copy *copy, const struct lane_inst *inst)
{
    struct taken taken = taken_by(in, copy, inst);
    uint32_t back = in->b.func->nblocks - 1 + blocks_of_call(in, copy, inst);
    struct lane_operand pointer = operand(in, copy, copy->func->operands[inst->first]);
    if (inst->guard.kind != LANE_NONE) {
        use_guard(in, copy, inst, true);
        branch(in, inst, back);
    }
    no_guard(in);
    for (uint32_t i = 0; i < taken.count && !in->failed && !in->b.failed; i++) {
        start_block(in, copy);
        in->b.line = inst->line;
        test_pointer(in, pointer, taken.callees[i], in->b.func->nblocks + 1 + in->measures[taken.callees[i]].blocks);
        start_block(in, copy);
        copy_callee(in, copy, inst, taken.callees[i], back);
        no_guard(in);
    }
    in->b.line = inst->line;
    copy_other(in, copy, inst);
    assert(in->failed || in->b.failed || in->b.func->nblocks - 1 == back);
}

static void copy_return(struct inliner *in, const struct copy *copy, const struct lane_inst *inst)
{
    return_results(in, copy);
    branch(in, inst, copy->back);
}

/* A place in the frame that only what has become registers was accessed by. */
static bool is_dropped(const struct inliner *in, const struct copy *copy, const struct lane_inst *inst)
{
    const struct slot_frame *frame = &in->slots.frames[copy->number];
    struct lane_operand d = copy->func->operands[inst->first];
    return inst->op == LANE_OP_frame && d.kind == LANE_REG && frame->place[d.index] != NO_SLOT &&
           !frame->needed[d.index];
}

static void copy_any(struct inliner *in, const struct copy *copy, const struct lane_inst *inst)
{
    uint32_t local = slots_access(&in->slots, copy->number, inst);
    if (is_dropped(in, copy, inst))
        return;
    use_guard(in, copy, inst, false);
    bool taken = taken_by(in, copy, inst).count;
    if (taken && is_pointer(copy, inst))
        copy_pointer(in, copy, inst);
    else if (taken)
        copy_call(in, copy, inst);
    else if (local != NO_SLOT)
        move_access(in, copy, inst, local);
    else if (inst->op == LANE_OP_ret && copy->caller)
        copy_return(in, copy, inst);
    else
        copy_inst(in, copy, inst);
    no_guard(in);
    if (inst->op == LANE_OP_call && !taken)
        start_block(in, copy);
}

static void copy_body(struct inliner *in, const struct copy *copy)
{
    for (uint32_t b = 0; b < copy->func->nblocks && !in->failed && !in->b.failed; b++) {
        const struct lane_block *block = &copy->func->blocks[b];
        start_block(in, copy);
        assert(in->b.failed || in->b.func->nblocks - 1 == copy->blocks[b]);
        for (uint32_t i = 0; i < block->count && !in->failed && !in->b.failed; i++) {
            in->out->counts[in->b.func->nblocks - 1]++;
            copy_any(in, copy, &copy->func->insts[block->first + i]);
        }
    }
}

/* The kernel with all that is said of it, but without code. */
static bool start_kernel(struct inliner *in, uint32_t kernel, uint32_t blocks)
{
    struct lane_module *module = &in->out->module;
    if (lane_add_func(module) != 0)
        return false;
    struct lane_func *f = &module->funcs[0];
    *f = in->module->funcs[kernel];
    f->widths = NULL;
    f->names = NULL;
    f->consts = NULL;
    f->operands = NULL;
    f->insts = NULL;
    f->blocks = NULL;
    f->accesses = NULL;
    f->calls = NULL;
    f->tables = NULL;
    f->strings = NULL;
    f->nregs = f->nconsts = f->noperands = f->ninsts = f->nblocks = 0;
    f->naccesses = f->ncalls = f->ntables = f->nstrings = 0;
    in->out->from = arena_array(&module->arena, blocks, sizeof(void *));
    in->out->counts = arena_array(&module->arena, blocks, sizeof(uint32_t));
    lane_begin(&in->b, module, 0);
    return in->out->from && in->out->counts;
}

static bool find_first(struct inliner *in)
{
    for (uint32_t i = 1; i < in->nfuncs; i++)
        if (!frame_read_first(&in->scratch, &in->module->funcs[in->funcs[i]], &in->measures[in->funcs[i]].first))
            return false;
    return true;
}

static bool make(struct inliner *in, uint32_t kernel, uint32_t blocks)
{
    struct slots_of of = {in->funcs, in->nfuncs, in->taken};
    struct copy copy = {.func = &in->module->funcs[kernel], .number = kernel};
    if (!find_first(in) || !slots_find(&in->scratch, in->module, &of, &in->slots) ||
        !start_kernel(in, kernel, blocks) || !place_copy(in, &copy))
        return false;
    copy_body(in, &copy);
    assert(in->failed || in->b.failed || in->b.func->nblocks == blocks);
    in->out->func = in->b.func;
    return !in->failed && !in->b.failed;
}

bool inline_calls(const struct lane_module *module, uint32_t kernel, struct inlined *inlined)
{
    const struct lane_func *f = &module->funcs[kernel];
    struct inliner in = {.module = module, .out = inlined};
    *inlined = (struct inlined){.calls = f->ncalls != 0};
    if (!f->ncalls || f->ninsts > LARGEST || f->warp_lanes || f->stacked || f->places)
        return true;
    inlined->calls = false;
    in.measures = arena_array(&in.scratch, module->nfuncs, sizeof *in.measures);
    in.funcs = arena_array(&in.scratch, module->nfuncs, sizeof *in.funcs);
    in.taken = arena_array(&in.scratch, f->ncalls, sizeof *in.taken);
    uint32_t blocks = 0;
    bool ok = in.measures && in.funcs && in.taken && take_calls(&in, kernel, &blocks) &&
              (!blocks || make(&in, kernel, blocks));
    arena_free(&in.scratch);
    return ok;
}

/* The generator of fuzz_run's kernels: each decision takes a byte (or two) of the input; when they run out, all further
 * decisions are 0, which ends statements. */
#include "run_emit.h"
#include "run_sample.h"

#include <string.h>

#include "lane/form.h"

/* ---- labels ------------------------------------------------------------------------------------------------------ */

static uint32_t label(struct gen *g)
{
    return g->labels < LABELS ? g->labels++ : LABELS - 1;
}

static void place(struct gen *g, uint32_t l)
{
    g->block_of[l] = lane_block(&g->b);
}

static void next_block(struct gen *g)
{
    lane_block(&g->b);
}

static struct lane_inst *to_label(struct gen *g, enum lane_op op, uint32_t l)
{
    struct lane_inst *inst = lane_emit(&g->b, op, LANE_VOID, 0, NULL, 0, NULL);
    if (g->nfixups < FIXUPS) {
        g->fixups[g->nfixups].inst = g->b.func->ninsts - 1;
        g->fixups[g->nfixups++].label = l;
    }
    return inst;
}

static void branch(struct gen *g, uint32_t l)
{
    to_label(g, LANE_OP_bra, l);
}

static void push(struct gen *g, enum lane_token kind, uint32_t l)
{
    if (g->stacked)
        to_label(g, LANE_OP_push, l)->mode = (uint8_t)kind;
}

static void pop(struct gen *g, enum lane_token kind)
{
    lane_emit(&g->b, LANE_OP_pop, LANE_VOID, 0, NULL, 0, NULL)->mode = (uint8_t)kind;
}

/* To a place where the lanes that part after `push` meet again. */
static void meet(struct gen *g, enum lane_token kind, uint32_t l)
{
    if (g->stacked)
        pop(g, kind);
    else
        branch(g, l);
}

static void fix_labels(struct gen *g)
{
    for (uint32_t i = 0; i < g->nfixups && !g->b.failed; i++) {
        struct lane_inst *inst = &g->b.func->insts[g->fixups[i].inst];
        if (inst->op != LANE_OP_brx)
            inst->aux = g->block_of[g->fixups[i].label];
    }
    for (uint32_t t = 0; t < g->b.func->ntables && !g->b.failed; t++) /* tables hold labels until now */
        for (uint32_t i = 0; i < g->b.func->tables[t].count; i++)
            g->b.func->tables[t].blocks[i] = g->block_of[g->b.func->tables[t].blocks[i]];
    g->nfixups = 0;
}

/* ---- arithmetic -------------------------------------------------------------------------------------------------- */

static struct lane_operand some_register(struct gen *g, unsigned width)
{
    struct registers *r = g->r;
    switch (width) {
    case 1:
        return r->p[take(g, PREDICATES)];
    case 8:
        return r->r8[take(g, R8)];
    case 16:
        return r->r16[take(g, R16)];
    case 32:
        return r->r32[take(g, R32)];
    case 64:
        return r->r64[take(g, R64)];
    default:
        return r->r128;
    }
}

/* A register, or a number that is worth trying. */
static struct lane_operand some_value(struct gen *g, unsigned width)
{
    /* clang-format off */
    static const uint64_t numbers[] = {
        0, 1, 2, 31, 32, 0x7f, 0x80, 0x3c00, 0x7c00, 0x7fff, 0x8000, 0xffff, 0x3f800000, 0x7f800000, 0x7fc00001,
        0x00400000, 0x80000000, 0xffffffff, UINT64_C(0x3ff0000000000000), UINT64_C(0x7ff0000000000001),
        UINT64_C(0x8000000000000000), UINT64_C(0xffffffffffffffff)};
    /* clang-format on */
    if (take(g, 4))
        return some_register(g, width);
    return imm(g, width, numbers[take(g, sizeof numbers / sizeof *numbers)]);
}

static void some_guard(struct gen *g)
{
    if (take(g, 4) == 1)
        guard(g, g->r->p[take(g, PREDICATES)], take(g, 2));
}

/* An instruction of the catalogue with any operands; `members` of a warp-wide one. */
static void form(struct gen *g, const struct lane_inst *form, struct lane_operand members)
{
    const struct lane_row *row = &lane_rows[form->op];
    struct lane_operand o[32];
    unsigned n = 0;
    for (unsigned i = 0; i < form->ndst; i++) {
        char letter = lane_letter(row->dst, i);
        o[n++] = letter == 'o' && take(g, 2) ? none : some_register(g, lane_letter_width(form, letter));
    }
    for (unsigned i = 0; i < form->nsrc; i++) {
        char letter = lane_letter(row->src, i);
        o[n++] = letter == 'o' && take(g, 2) ? none : some_value(g, lane_letter_width(form, letter));
    }
    if (run_warp_wide(form->op))
        o[n - 1] = members;
    struct lane_inst *inst = lane_emit(&g->b, form->op, form->type, form->ndst, o, form->nsrc, o + form->ndst);
    inst->type2 = form->type2;
    inst->round = form->round;
    inst->flags = form->flags | g->whole;
    inst->cmp = form->cmp;
    inst->mode = form->mode;
    inst->aux = form->aux;
}

/* Of the operations of a whole warp: those that warps side by side can have. */
static bool fits(const struct gen *g, const struct lane_inst *form)
{
    return !g->packable || form->op == LANE_OP_ballot || (form->op == LANE_OP_shfl && form->mode == LANE_SHFL_IDX);
}

static void arithmetic(struct gen *g)
{
    const struct lane_inst *f = &g->catalogue->at[take(g, g->catalogue->count)];
    g->whole = g->vector && lane_whole(f->op) && take(g, 2) ? LANE_WHOLE : 0;
    if (!run_warp_wide(f->op) || (g->whole && fits(g, f))) {
        some_guard(g);
        form(g, f, imm(g, 32, UINT32_MAX));
        unguard(g);
    }
    g->whole = 0;
}

/* A word of the warp's bytes: any lane's, also for all lanes. */
static void warp_bytes(struct gen *g)
{
    struct registers *r = g->r;
    enum lane_type type = take(g, 2) ? LANE_B32 : LANE_U16;
    uint16_t whole = take(g, 2) ? LANE_WHOLE : 0;
    binary(g, LANE_OP_and, LANE_B32, r->n, r->r32[take(g, R32)], imm(g, 32, RUN_REGFILE - 4))->flags |= whole;
    some_guard(g);
    if (take(g, 2))
        store(g, LANE_REGFILE, type, r->n, 0, some_register(g, 32));
    else
        load(g, LANE_REGFILE, type, some_register(g, 32), r->n, 0);
    g->b.func->insts[g->b.func->ninsts - 1].flags |= whole;
    unguard(g);
}

static void warp_wide(struct gen *g, struct lane_operand members)
{
    uint32_t n = take(g, g->catalogue->wide);
    for (uint32_t i = 0; i < g->catalogue->count; i++)
        if (run_warp_wide(g->catalogue->at[i].op) && n-- == 0)
            form(g, &g->catalogue->at[i], members);
}

/* test: differs from lane to lane, or not. */
static void condition(struct gen *g)
{
    struct registers *r = g->r;
    binary(g, LANE_OP_shr, LANE_B32, r->n, r->r32[take(g, R32)], imm(g, 32, take(g, 28)));
    binary(g, LANE_OP_and, LANE_B32, r->n, r->n, imm(g, 32, take(g, 2) ? 3 : 1));
    binary(g, LANE_OP_setp, LANE_U32, r->test, r->n, imm(g, 32, 0))->cmp = take(g, 2) ? LANE_NE : LANE_EQ;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* The thread's own bytes of a space: address and how many. */
static struct lane_operand own_bytes(struct gen *g, enum lane_space space, uint32_t *bytes)
{
    *bytes = space == LANE_SHARED ? 16 : space == LANE_LOCAL ? 32 : RUN_SLOT / 2;
    if (space == LANE_SHARED)
        return g->shared_slot;
    if (space != LANE_LOCAL)
        return g->r->own;
    lane_emit(&g->b, LANE_OP_frame, LANE_B64, 1, &g->r->wide, 0, NULL)->aux = 0;
    return g->r->wide;
}

static void own_memory(struct gen *g)
{
    static const uint8_t spaces[] = {LANE_GLOBAL, LANE_GENERIC, LANE_SHARED, LANE_LOCAL};
    static const uint8_t types[] = {LANE_B32, LANE_U8, LANE_S8, LANE_U16, LANE_S16, LANE_S32, LANE_B64, LANE_B128};
    enum lane_space space = spaces[take(g, g->function < FUNCTIONS && !g->stacked ? 2 : 4)];
    enum lane_type type = types[take(g, sizeof types)];
    unsigned bytes = lane_type_bits(type) / 8, width = bytes < 4 ? 32 : bytes * 8;
    uint32_t room;
    struct lane_operand address = own_bytes(g, space, &room);
    int64_t offset = (int64_t)(take(g, room / bytes) * bytes);
    some_guard(g);
    if (take(g, 2))
        store(g, space, type, address, offset, some_register(g, width));
    else
        load(g, space, type, some_register(g, width), address, offset);
    unguard(g);
}

/* Word 4 * operation + r: one operation only, so that the order does not matter. */
static void reduction(struct gen *g)
{
    static const struct {
        uint8_t atomic, type;
    } operations[RUN_OPERATIONS] = {{LANE_ATOMIC_ADD, LANE_U32}, {LANE_ATOMIC_MIN, LANE_S32},
                                    {LANE_ATOMIC_MAX, LANE_U32}, {LANE_ATOMIC_AND, LANE_B32},
                                    {LANE_ATOMIC_OR, LANE_B32},  {LANE_ATOMIC_XOR, LANE_B32}};
    struct registers *r = g->r;
    uint32_t operation = take(g, RUN_OPERATIONS);
    bool shared = !(g->function < FUNCTIONS && !g->stacked) && take(g, 2);
    struct lane_access access = plain(shared ? LANE_SHARED : LANE_GLOBAL, operations[operation].type, 0);
    access.atomic = operations[operation].atomic;
    access.order = LANE_RELAXED;
    access.scope = LANE_SCOPE_GPU;
    access.offset = operation * 16;
    if (take(g, 2)) { /* lanes go to different words */
        binary(g, LANE_OP_and, LANE_B32, r->n, r->r32[take(g, R32)], imm(g, 32, 3));
        binary(g, LANE_OP_shl, LANE_B32, r->n, r->n, imm(g, 32, 2));
    } else
        unary(g, LANE_OP_mov, LANE_B32, r->n, imm(g, 32, 4 * take(g, 4)));
    struct lane_operand address = r->n;
    if (shared) {
        access.offset += RUN_THREADS * 16;
        binary(g, LANE_OP_add, LANE_U32, r->n, r->n, g->shared);
    } else {
        unary(g, LANE_OP_cvt, LANE_U64, r->wide, r->n)->type2 = LANE_U32;
        binary(g, LANE_OP_add, LANE_U64, r->wide, r->wide, g->params[RUN_COUNTERS]);
        address = r->wide;
    }
    some_guard(g);
    memory(g, take(g, 2) ? LANE_OP_red : LANE_OP_atom, &access, none, 2, OPERANDS(address, r->r32[take(g, R32)]));
    unguard(g);
}

/* Coordinates in n and m: of bytes or texels, some of them outside of RUN_SURFACE. */
static void coordinates(struct gen *g, unsigned shift)
{
    struct registers *r = g->r;
    binary(g, LANE_OP_and, LANE_B32, r->n, r->r32[take(g, R32)], imm(g, 32, 31));
    binary(g, LANE_OP_sub, LANE_U32, r->n, r->n, imm(g, 32, take(g, 8)));
    binary(g, LANE_OP_shl, LANE_B32, r->n, r->n, imm(g, 32, shift));
    binary(g, LANE_OP_and, LANE_B32, r->m, r->r32[take(g, R32)], imm(g, 32, 15));
}

/* The surface that nobody writes; any coordinates and other operands. */
static void sample(struct gen *g)
{
    struct run_sample s = run_sample(take(g, 1 << 24));
    struct lane_operand d[4], src[13] = {g->params[RUN_READ], imm(g, 64, s.sampler[0]), imm(g, 64, s.sampler[1])};
    for (unsigned k = 0; k < 4; k++)
        d[k] = take(g, 2) ? g->r->r32[take(g, R32)] : none;
    for (unsigned k = 3; k < s.sources; k++)
        src[k] = take(g, 4) ? g->r->r32[take(g, R32)] : imm(g, 32, 0x3f000000 + (take(g, 256) << 16));
    struct lane_inst *inst = lane_emit(&g->b, LANE_OP_sample, LANE_VOID, 4, d, s.sources, src);
    inst->mode = s.mode;
    inst->aux = s.aux;
}

static void surface(struct gen *g)
{
    struct registers *r = g->r;
    struct lane_access access = {.space = LANE_SURFACE, .type = LANE_B32, .vec = 1, .dim = LANE_DIM_2D};
    access.clamp = (uint8_t[]){LANE_CLAMP_NEAR, LANE_CLAMP_ZERO, LANE_CLAMP_NEAR, LANE_CLAMP_ZERO,
                               LANE_CLAMP_ZERO, LANE_CLAMP_NEAR, LANE_CLAMP_ZERO, LANE_CLAMP_TRAP}[take(g, 8)];
    some_guard(g);
    struct lane_operand p = g->b.guard;
    bool negated = g->b.guard_not;
    unguard(g);
    switch (take(g, 5)) {
    case 4:
        guard(g, p, negated);
        sample(g);
        break;
    case 0: /* a texel that nobody writes */
        coordinates(g, 2);
        guard(g, p, negated);
        memory(g, LANE_OP_suld, &access, r->r32[take(g, R32)], 3, OPERANDS(g->params[RUN_READ], r->n, r->m));
        break;
    case 1: /* its own texel, x = thread, y = block; or one outside, where only zero leaves others alone */
        thread(g, r->n);
        binary(g, LANE_OP_shl, LANE_B32, r->n, r->n, imm(g, 32, 2));
        sreg(g, r->m, LANE_SREG_CTAID_X);
        if (take(g, 8) == 1) {
            access.clamp = LANE_CLAMP_ZERO;
            binary(g, LANE_OP_add, LANE_U32, r->m, r->m, imm(g, 32, take(g, 2) ? 0x7ffffff0 : 1000));
        }
        guard(g, p, negated);
        if (take(g, 2))
            memory(g, LANE_OP_suld, &access, r->r32[take(g, R32)], 3, OPERANDS(g->params[RUN_WRITE], r->n, r->m));
        else
            memory(g, LANE_OP_sust, &access, none, 4, OPERANDS(g->params[RUN_WRITE], r->n, r->m, r->r32[take(g, R32)]));
        break;
    case 2: /* a texel that nobody writes, by the surface's geometry; of the level that there is or another one */
        coordinates(g, 0);
        access.dim = LANE_DIM_ANY;
        access.unit = LANE_UNIT_SAMPLE;
        access.level = true;
        access.formatted = take(g, 2);
        access.clamp = access.clamp == LANE_CLAMP_ZERO ? LANE_CLAMP_BORDER : access.clamp;
        guard(g, p, negated);
        memory(g, LANE_OP_suld, &access, r->r32[take(g, R32)], 5,
               OPERANDS(g->params[RUN_READ], r->n, r->m, r->r32[take(g, R32)], imm(g, 32, take(g, 2))));
        break;
    default:
        coordinates(g, 2);
        access.type = LANE_U32;
        access.atomic = (uint8_t[]){LANE_ATOMIC_ADD, LANE_ATOMIC_MIN, LANE_ATOMIC_MAX,
                                    LANE_ATOMIC_AND, LANE_ATOMIC_OR,  LANE_ATOMIC_XOR}[g->sum];
        guard(g, p, negated);
        memory(g, access.atomic == LANE_ATOMIC_XOR || take(g, 2) ? LANE_OP_suatom : LANE_OP_sured, &access, none, 4,
               OPERANDS(g->params[RUN_SUM], r->n, r->m, r->r32[take(g, R32)]));
    }
    unguard(g);
}

/* ---- cooperation: where all threads that live come by ------------------------------------------------------------ */

static void barrier(struct gen *g)
{
    uint8_t first = g->packable || take(g, 4) ? LANE_BAR_SYNC : LANE_BAR_ARRIVE, id = (uint8_t)take(g, 2);
    for (uint8_t mode = first; mode <= (first ? LANE_BAR_WAIT : LANE_BAR_SYNC); mode++)
        lane_emit(&g->b, LANE_OP_bar, LANE_VOID, 0, NULL, 2, OPERANDS(imm(g, 32, id), imm(g, 32, 0)))->mode = mode;
}

/* Reads what another thread of the block left in its shared slot before the barrier. */
static void neighbour(struct gen *g)
{
    struct registers *r = g->r;
    barrier(g);
    thread(g, r->n);
    binary(g, LANE_OP_add, LANE_U32, r->n, r->n, imm(g, 32, take(g, 64)));
    binary(g, LANE_OP_rem, LANE_U32, r->n, r->n, imm(g, 32, g->threads));
    binary(g, LANE_OP_shl, LANE_B32, r->n, r->n, imm(g, 32, 4));
    binary(g, LANE_OP_add, LANE_U32, r->n, r->n, g->shared);
    load(g, LANE_SHARED, LANE_B32, r->r32[take(g, R32)], r->n, 4 * take(g, 4));
    barrier(g);
}

static void reduce_barrier(struct gen *g)
{
    uint32_t mode = take(g, 3);
    struct lane_operand d[2] = {mode ? none : g->r->r32[take(g, R32)], mode ? g->r->p[take(g, PREDICATES)] : none};
    lane_emit(&g->b, LANE_OP_barred, LANE_VOID, 2, d, 3,
              OPERANDS(imm(g, 32, 0), imm(g, 32, 0), g->r->p[take(g, PREDICATES)]))
        ->mode = (uint8_t)mode;
}

/* The lanes for which a predicate is true, and then the others, work together. */
static void halves(struct gen *g)
{
    struct registers *r = g->r;
    uint32_t other = label(g), end = label(g);
    condition(g);
    binary(g, LANE_OP_ballot, LANE_VOID, r->n, r->test, imm(g, 32, 0xffffffff));
    unary(g, LANE_OP_not, LANE_B32, r->m, r->n);
    push(g, LANE_TOKEN_SYNC, end);
    guard(g, r->test, true);
    branch(g, other);
    unguard(g);
    next_block(g);
    warp_wide(g, r->n);
    meet(g, LANE_TOKEN_SYNC, end);
    place(g, other);
    warp_wide(g, r->m);
    lane_emit(&g->b, LANE_OP_barwarp, LANE_VOID, 0, NULL, 1, &r->m);
    warp_wide(g, r->m);
    if (g->stacked)
        pop(g, LANE_TOKEN_SYNC);
    place(g, end);
}

/* Every thread takes the lock once; by the stack policy lanes would wait for lanes that wait for them. */
static void lock(struct gen *g)
{
    struct registers *r = g->r;
    struct lane_access exchange = plain(LANE_GLOBAL, LANE_B32, RUN_LOCK),
                       word = plain(LANE_GLOBAL, LANE_B32, RUN_LOCK + 4);
    struct lane_operand address = g->params[RUN_COUNTERS];
    uint32_t again = label(g), end = label(g);
    if (g->stacked || g->locked || g->vector)
        return;
    g->locked = true;
    exchange.atomic = LANE_ATOMIC_EXCH;
    exchange.order = LANE_ACQ_REL;
    exchange.scope = LANE_SCOPE_GPU;
    word.order = LANE_VOLATILE;
    unary(g, LANE_OP_mov, LANE_B32, r->m, imm(g, 32, 0));
    place(g, again);
    memory(g, LANE_OP_atom, &exchange, r->n, 2, OPERANDS(address, imm(g, 32, 1)));
    binary(g, LANE_OP_setp, LANE_U32, r->test, r->n, imm(g, 32, 0))->cmp = LANE_NE;
    guard(g, r->test, false);
    branch(g, end);
    unguard(g);
    next_block(g);
    memory(g, LANE_OP_ld, &word, r->n, 1, &address);
    binary(g, LANE_OP_add, LANE_U32, r->n, r->n, imm(g, 32, 1));
    memory(g, LANE_OP_st, &word, none, 2, OPERANDS(address, r->n));
    memory(g, LANE_OP_atom, &exchange, none, 2, OPERANDS(address, imm(g, 32, 0)));
    unary(g, LANE_OP_mov, LANE_B32, r->m, imm(g, 32, 1));
    place(g, end);
    binary(g, LANE_OP_setp, LANE_U32, r->test, r->m, imm(g, 32, 0))->cmp = LANE_EQ;
    guard(g, r->test, false);
    branch(g, again);
    unguard(g);
    next_block(g);
}

static void together(struct gen *g)
{
    switch (take(g, 6)) {
    case 0:
        neighbour(g);
        break;
    case 1:
        reduce_barrier(g);
        break;
    case 2:
        halves(g);
        break;
    case 3:
        lock(g);
        break;
    default:
        warp_wide(g, imm(g, 32, 0xffffffff));
    }
}

/* ---- flow -------------------------------------------------------------------------------------------------------- */

static void statements(struct gen *g, int depth);

/* Statements that only some lanes run. */
static void apart(struct gen *g, int depth)
{
    bool before = g->together;
    g->together = false;
    statements(g, depth);
    g->together = before;
}

static void two_sides(struct gen *g, int depth)
{
    uint32_t other = label(g), end = label(g);
    push(g, LANE_TOKEN_SYNC, end);
    condition(g);
    guard(g, g->r->test, take(g, 2));
    branch(g, other);
    unguard(g);
    next_block(g);
    apart(g, depth);
    meet(g, LANE_TOKEN_SYNC, end);
    place(g, other);
    if (take(g, 2))
        apart(g, depth);
    if (g->stacked)
        pop(g, LANE_TOKEN_SYNC);
    place(g, end);
}

/* Of few ways, or of so many that compiled code has one place that looks who runs next (engine/jit/dispatch.c). */
static void jump_table(struct gen *g, int depth)
{
    uint32_t table[16], end = label(g), few = 3, count = g->stacked || take(g, 3) ? few : 15;
    for (uint32_t i = 0; i <= count; i++)
        table[i] = i < count ? label(g) : table[0];
    push(g, LANE_TOKEN_SYNC, end);
    binary(g, LANE_OP_and, LANE_B32, g->r->n, g->r->r32[take(g, R32)], imm(g, 32, count));
    lane_emit(&g->b, LANE_OP_brx, LANE_VOID, 0, NULL, 1, &g->r->n)->aux = lane_table(&g->b, table, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        place(g, table[i]);
        i < few ? apart(g, depth) : arithmetic(g);
        meet(g, LANE_TOKEN_SYNC, end);
    }
    place(g, end);
}

/* A loop that tests at its end and only computes, more often than a warp goes around such a loop alone. */
static void long_loop(struct gen *g)
{
    struct lane_operand counter = g->r->counters[(uint32_t)g->loops++];
    uint32_t head = label(g);
    binary(g, LANE_OP_and, LANE_B32, counter, g->r->r32[take(g, R32)], imm(g, 32, take(g, 2) ? 63 : 0));
    binary(g, LANE_OP_add, LANE_U32, counter, counter, imm(g, 32, 20));
    place(g, head);
    for (uint32_t n = 1 + take(g, 4); n-- > 0;)
        arithmetic(g);
    binary(g, LANE_OP_sub, LANE_U32, counter, counter, imm(g, 32, 1));
    binary(g, LANE_OP_setp, LANE_U32, g->r->test, counter, imm(g, 32, 0))->cmp = LANE_NE;
    guard(g, g->r->test, false);
    branch(g, head);
    unguard(g);
    next_block(g);
    g->loops--;
}

/* All lanes together a fixed number of times, or each as often as it likes. */
static void loop(struct gen *g, int depth)
{
    uint32_t head = label(g), end = label(g);
    bool inner = g->stacked && g->function < FUNCTIONS, same = take(g, 2);
    if (g->loops >= (inner ? 1 : LOOPS))
        return;
    if (!g->stacked && !take(g, 4)) {
        long_loop(g);
        return;
    }
    struct lane_operand counter = g->r->counters[inner ? LOOPS + g->function : (uint32_t)g->loops];
    g->loops++;
    if (same)
        unary(g, LANE_OP_mov, LANE_B32, counter, imm(g, 32, take(g, 4)));
    else
        binary(g, LANE_OP_and, LANE_B32, counter, g->r->r32[take(g, R32)], imm(g, 32, 3));
    push(g, LANE_TOKEN_BREAK, end);
    place(g, head);
    binary(g, LANE_OP_setp, LANE_U32, g->r->test, counter, imm(g, 32, 0))->cmp = LANE_EQ;
    guard(g, g->r->test, false);
    meet(g, LANE_TOKEN_BREAK, end);
    unguard(g);
    next_block(g);
    binary(g, LANE_OP_sub, LANE_U32, counter, counter, imm(g, 32, 1));
    if (same)
        statements(g, depth);
    else
        apart(g, depth);
    branch(g, head);
    place(g, end);
    g->loops--;
}

/* A function takes the address of the slot and a word, and gives a word. */
static const struct lane_slot arguments[2] = {{32, 8, 8}, {40, 4, 4}}, result = {48, 4, 4};

/* A place in the frame as an address that is made anew. */
static struct lane_operand frame_at(struct gen *g, uint32_t local)
{
    lane_emit(&g->b, LANE_OP_frame, LANE_B64, 1, &g->r->wide, 0, NULL)->aux = local;
    return g->r->wide;
}

/* Calls of each function, and those through pointers, have places of their own. */
static void call_frame(struct gen *g, uint32_t callee, struct lane_operand pointer)
{
    uint32_t at = callee == UINT32_MAX ? 0 : 32 * callee;
    struct lane_slot in[2] = {arguments[0], arguments[1]}, out = result;
    struct lane_call call = {callee, 2, 1, in, &out};
    struct registers *r = g->r;
    in[0].local += at;
    in[1].local += at;
    out.local += at;
    store(g, LANE_LOCAL, LANE_B64, r->frame, in[0].local, r->own);
    store(g, LANE_LOCAL, LANE_B32, r->frame, in[1].local, r->r32[take(g, R32)]);
    store(g, LANE_LOCAL, LANE_B32, r->frame, out.local, imm(g, 32, 0));
    bool indirect = pointer.kind != LANE_NONE;
    uint32_t index = lane_call(&g->b, &call);
    some_guard(g);
    lane_emit(&g->b, LANE_OP_call, LANE_VOID, 0, NULL, indirect, &pointer)->aux = index;
    unguard(g);
    load(g, LANE_LOCAL, LANE_B32, r->r32[take(g, R32)], r->frame, out.local);
}

static void call(struct gen *g)
{
    uint32_t first = g->function == FUNCTIONS ? 0 : g->function + 1; /* no recursion */
    if (first == FUNCTIONS)
        return;
    uint32_t callee = first + take(g, FUNCTIONS - first);
    if (g->stacked) {
        uint32_t back = label(g);
        push(g, LANE_TOKEN_RETURN, back);
        branch(g, g->entries[callee]);
        place(g, back);
    } else if (first == 0 && take(g, 2)) { /* some lanes call one, some the other */
        condition(g);
        lane_emit(&g->b, LANE_OP_selp, LANE_B64, 1, &g->r->wide, 3,
                  OPERANDS(lane_address(&g->b, 64, g->function_symbols[0], 0),
                           lane_address(&g->b, 64, g->function_symbols[1], 0), g->r->test));
        unary(g, LANE_OP_mov, LANE_B64, g->r->r64[0], g->r->wide);
        call_frame(g, UINT32_MAX, g->r->r64[0]);
    } else
        call_frame(g, callee + 1, none);
}

static void store_registers(struct gen *g);

/* Some lanes are done, or leave the function; or none, or one, traps. */
static void leave(struct gen *g)
{
    bool inner = g->function < FUNCTIONS;
    condition(g);
    if (take(g, 4) == 1) {
        thread(g, g->r->n);
        binary(g, LANE_OP_setp, LANE_U32, g->r->test, g->r->n, imm(g, 32, take(g, 16) == 15 ? 0 : 1000))->cmp = LANE_EQ;
        guard(g, g->r->test, false);
        lane_emit(&g->b, LANE_OP_trap, LANE_VOID, 0, NULL, 0, NULL);
    } else if (inner && take(g, 2)) {
        if (!g->stacked)
            return;
        guard(g, g->r->test, false);
        pop(g, LANE_TOKEN_RETURN);
        next_block(g);
    } else {
        if (!inner)
            store_registers(g);
        guard(g, g->r->test, false);
        lane_emit(&g->b, LANE_OP_exit, LANE_VOID, 0, NULL, 0, NULL);
        next_block(g);
    }
    unguard(g);
}

static void statement(struct gen *g, int depth)
{
    uint32_t what = take(g, 16);
    if (what < 5 || (what >= 12 && depth <= 0))
        arithmetic(g);
    else if (what == 6 && g->vector && !g->packable)
        warp_bytes(g);
    else if (what < 7)
        own_memory(g);
    else if (what == 7)
        reduction(g);
    else if (what == 8 && (g->stacked || g->function == FUNCTIONS))
        surface(g);
    else if (what < 11 && g->together)
        together(g);
    else if (what == 11)
        leave(g);
    else if (what == 12)
        two_sides(g, depth - 1);
    else if (what == 13)
        jump_table(g, depth - 1);
    else if (what == 14)
        loop(g, depth - 1);
    else if (!g->packable)
        call(g);
}

static void statements(struct gen *g, int depth)
{
    for (uint32_t n = take(g, 6) + (depth > 2); n-- > 0 && g->budget-- > 0 && g->at < g->size;)
        statement(g, depth);
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

static void make_registers(struct gen *g)
{
    struct registers *r = g->r;
    struct lane_builder *b = &g->b;
    for (int i = 0; i < R32; i++)
        r->r32[i] = lane_reg(b, 32, NULL);
    for (int i = 0; i < R64; i++)
        r->r64[i] = lane_reg(b, 64, NULL);
    for (int i = 0; i < R16; i++)
        r->r16[i] = lane_reg(b, 16, NULL);
    for (int i = 0; i < R8; i++)
        r->r8[i] = lane_reg(b, 8, NULL);
    for (int i = 0; i < PREDICATES; i++)
        r->p[i] = lane_reg(b, 1, NULL);
    for (int i = 0; i < LOOPS + FUNCTIONS; i++)
        r->counters[i] = lane_reg(b, 32, NULL);
    r->r128 = lane_reg(b, 128, NULL);
    r->own = lane_reg(b, 64, NULL);
    r->n = lane_reg(b, 32, NULL);
    r->m = lane_reg(b, 32, NULL);
    r->test = lane_reg(b, 1, NULL);
    r->wide = lane_reg(b, 64, NULL);
}

/* All from r32[0]. */
static void fill_registers(struct gen *g)
{
    struct registers *r = g->r;
    for (int i = 1; i < R32; i++)
        binary(g, LANE_OP_mul, LANE_U32, r->r32[i], r->r32[i - 1], imm(g, 32, 0x9e3779b1));
    for (int i = 0; i < R64; i++)
        binary(g, LANE_OP_mulwide, LANE_U32, r->r64[i], r->r32[i], r->r32[i + 1]);
    for (int i = 0; i < R16; i++)
        unary(g, LANE_OP_cvt, LANE_U16, r->r16[i], r->r32[i + 2])->type2 = LANE_U32;
    for (int i = 0; i < R8; i++)
        unary(g, LANE_OP_cvt, LANE_U8, r->r8[i], r->r32[i + 3])->type2 = LANE_U32;
    for (int i = 0; i < PREDICATES; i++)
        binary(g, LANE_OP_setp, LANE_S32, r->p[i], r->r32[i], imm(g, 32, 0))->cmp = LANE_LT;
    lane_emit(&g->b, LANE_OP_pack, LANE_B128, 1, &r->r128, 2, OPERANDS(r->r64[0], r->r64[1]))->type2 = LANE_B64;
}

/* `count` values side by side, in as few accesses as there can be: every kernel that is compiled has these. */
static void store_row(struct gen *g, enum lane_space space, unsigned bytes, struct lane_operand address, int64_t at,
                      const struct lane_operand *values, unsigned count)
{
    static const enum lane_type types[] = {[1] = LANE_B8, [2] = LANE_B16, [4] = LANE_B32, [8] = LANE_B64};
    for (unsigned n; count; count -= n, values += n, at += n * bytes) {
        struct lane_access access = plain(space, types[bytes], at);
        n = count >= 4 && bytes <= 4 && at % (4 * bytes) == 0 ? 4 : count >= 2 && at % (2 * bytes) == 0 ? 2 : 1;
        access.vec = (uint8_t)n;
        struct lane_operand src[5] = {address};
        memcpy(src + 1, values, n * sizeof *values);
        memory(g, LANE_OP_st, &access, none, 1 + n, src);
    }
}

/* The second half of the slot: what the registers hold. */
static void store_registers(struct gen *g)
{
    struct registers *r = g->r;
    int64_t at = RUN_SLOT / 2;
    store(g, LANE_GLOBAL, LANE_B128, r->own, at, r->r128);
    store_row(g, LANE_GLOBAL, 8, r->own, at += 16, r->r64, R64);
    store_row(g, LANE_GLOBAL, 4, r->own, at += 8 * R64, r->r32, R32);
    store_row(g, LANE_GLOBAL, 2, r->own, at += 4 * R32, r->r16, R16);
    store_row(g, LANE_GLOBAL, 1, r->own, at += 2 * R16, r->r8, R8);
    lane_emit(&g->b, LANE_OP_selp, LANE_B32, 1, &r->m, 3, OPERANDS(imm(g, 32, 1), imm(g, 32, 0), r->p[0]));
    for (int i = 1; i < PREDICATES; i++) {
        lane_emit(&g->b, LANE_OP_selp, LANE_B32, 1, &r->n, 3, OPERANDS(imm(g, 32, 1u << i), imm(g, 32, 0), r->p[i]));
        binary(g, LANE_OP_or, LANE_B32, r->m, r->m, r->n);
    }
    store(g, LANE_GLOBAL, LANE_B8, r->own, at + R8, r->m);
}

static void begin(struct gen *g, uint32_t function, struct registers *r)
{
    lane_begin(&g->b, g->module, function);
    g->r = r;
    g->loops = 0;
    make_registers(g);
    if (!g->b.func->local_bytes)
        lane_local(&g->b, FRAME, 16);
    lane_block(&g->b);
    r->frame = lane_reg(&g->b, 64, NULL);
    lane_emit(&g->b, LANE_OP_frame, LANE_B64, 1, &r->frame, 0, NULL)->aux = 0;
}

static bool end(struct gen *g)
{
    struct atoll_error error;
    fix_labels(g);
    return lane_end(&g->b, &error);
}

/* Shared memory: a slot of 16 bytes a thread, then counters, which the first thread sets up. */
static void open_shared(struct gen *g)
{
    struct registers *r = g->r;
    struct lane_operand words[RUN_WORDS];
    store_row(g, LANE_SHARED, 4, g->shared_slot, 0, r->r32, 4);
    binary(g, LANE_OP_setp, LANE_U32, r->test, g->shared_slot, g->shared)->cmp = LANE_EQ;
    guard(g, r->test, false);
    for (uint32_t i = 0; i < RUN_WORDS; i++)
        words[i] = imm(g, 32, 0x5a5a5a5a);
    store_row(g, LANE_SHARED, 4, g->shared, RUN_THREADS * 16, words, RUN_WORDS);
    unguard(g);
    barrier(g);
}

/* Thread n tells of counter n. */
static void close_shared(struct gen *g)
{
    struct registers *r = g->r;
    struct lane_access access = plain(LANE_GLOBAL, LANE_U32, RUN_WORDS * 4);
    access.atomic = LANE_ATOMIC_ADD;
    access.order = LANE_RELAXED;
    access.scope = LANE_SCOPE_GPU;
    barrier(g);
    thread(g, r->n);
    binary(g, LANE_OP_shl, LANE_B32, r->n, r->n, imm(g, 32, 2));
    binary(g, LANE_OP_setp, LANE_U32, r->test, r->n, imm(g, 32, 4 * RUN_WORDS))->cmp = LANE_LT;
    unary(g, LANE_OP_cvt, LANE_U64, r->wide, r->n)->type2 = LANE_U32;
    binary(g, LANE_OP_add, LANE_U64, r->wide, r->wide, g->params[RUN_COUNTERS]);
    binary(g, LANE_OP_add, LANE_U32, r->n, r->n, g->shared);
    guard(g, r->test, false);
    load(g, LANE_SHARED, LANE_B32, r->m, r->n, RUN_THREADS * 16);
    memory(g, LANE_OP_red, &access, none, 2, OPERANDS(r->wide, r->m));
    unguard(g);
}

static void open_kernel(struct gen *g)
{
    struct registers *r = &g->kernel;
    for (int i = 0; i < RUN_PARAMETERS; i++) {
        g->params[i] = lane_reg(&g->b, 64, NULL);
        load(g, LANE_PARAM, LANE_B64, g->params[i], imm(g, 32, 0), 8 * i);
    }
    g->shared_slot = lane_reg(&g->b, 32, NULL);
    thread(g, r->n);
    binary(g, LANE_OP_shl, LANE_B32, g->shared_slot, r->n, imm(g, 32, 4));
    binary(g, LANE_OP_add, LANE_U32, g->shared_slot, g->shared_slot, g->shared);
    sreg(g, r->m, LANE_SREG_CTAID_X);
    lane_emit(&g->b, LANE_OP_mad, LANE_U32, 1, &r->n, 3, OPERANDS(r->m, imm(g, 32, g->threads), r->n));
    lane_emit(&g->b, LANE_OP_madwide, LANE_U32, 1, &r->own, 3,
              OPERANDS(r->n, imm(g, 32, RUN_SLOT), g->params[RUN_SLOTS]));
    load(g, LANE_GLOBAL, LANE_B32, r->m, r->own, 0); /* what an input of the kernel has there */
    binary(g, LANE_OP_add, LANE_U32, r->r32[0], r->n, imm(g, 32, take(g, 256)));
    binary(g, LANE_OP_add, LANE_U32, r->r32[0], r->r32[0], r->m);
    fill_registers(g);
    lane_emit(&g->b, LANE_OP_frame, LANE_B64, 1, &r->wide, 0, NULL)->aux = 0;
    struct lane_operand local[8];
    for (int i = 0; i < 8; i++)
        local[i] = r->r64[i % R64];
    store_row(g, LANE_LOCAL, 8, r->wide, 0, local, 8);
    open_shared(g);
}

static void stacked_functions(struct gen *g)
{
    for (g->function = 0; g->function < FUNCTIONS; g->function++) {
        place(g, g->entries[g->function]);
        g->budget = 12;
        apart(g, 2);
        pop(g, LANE_TOKEN_RETURN);
    }
}

static bool make_kernel(struct gen *g, uint32_t shared)
{
    begin(g, 0, &g->kernel);
    g->shared = lane_address(&g->b, 32, shared, 0);
    g->function = FUNCTIONS;
    for (int i = 0; i < FUNCTIONS; i++)
        g->entries[i] = label(g);
    open_kernel(g);
    g->budget = 60;
    g->together = !g->vector;
    while (g->at < g->size && g->budget > 0)
        statements(g, 4);
    store_registers(g);
    close_shared(g);
    lane_emit(&g->b, LANE_OP_exit, LANE_VOID, 0, NULL, 0, NULL);
    if (g->stacked)
        stacked_functions(g);
    return end(g);
}

static bool make_function(struct gen *g, uint32_t number)
{
    struct registers *r = &g->functions[number];
    begin(g, number + 1, r);
    g->function = number;
    g->together = false;
    for (int i = 0; i < RUN_PARAMETERS; i++) /* the kernel's are out of reach: counters in the slot */
        g->params[i] = r->own;
    bool named = number == 0; /* by one register: engines may keep what it names in others */
    load(g, LANE_LOCAL, LANE_B64, r->own, named ? r->frame : frame_at(g, arguments[0].local),
         named ? arguments[0].local : 0);
    load(g, LANE_LOCAL, LANE_B32, r->r32[0], named ? r->frame : frame_at(g, arguments[1].local),
         named ? arguments[1].local : 0);
    fill_registers(g);
    g->budget = 12;
    statements(g, 2);
    if (named)
        store(g, LANE_LOCAL, LANE_B32, r->frame, result.local, r->r32[take(g, R32)]);
    else
        store(g, LANE_LOCAL, LANE_B32, frame_at(g, result.local), 0, r->r32[take(g, R32)]);
    lane_emit(&g->b, LANE_OP_ret, LANE_VOID, 0, NULL, 0, NULL);
    return end(g);
}

static uint32_t add_symbols(struct gen *g)
{
    struct lane_symbol shared = {
        .name = "shared", .kind = LANE_SYMBOL_SHARED, .size = RUN_THREADS * 16 + RUN_WORDS * 4, .align = 16};
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        struct lane_symbol function = {.name = i ? "g" : "f", .kind = LANE_SYMBOL_FUNCTION, .function = i + 1};
        g->function_symbols[i] = lane_add_symbol(g->module, &function);
    }
    return lane_add_symbol(g->module, &shared);
}

static bool add_functions(struct gen *g)
{
    static struct lane_slot in[2], out[1];
    static struct lane_param params[RUN_PARAMETERS];
    static const char *const names[RUN_PARAMETERS] = {"slots", "counters", "read", "write", "sum"};
    memcpy(in, arguments, sizeof in);
    out[0] = result;
    for (uint32_t i = 0; i <= FUNCTIONS; i++)
        if (lane_add_func(g->module) != i)
            return false;
    for (uint32_t i = 0; i < RUN_PARAMETERS; i++)
        params[i] = (struct lane_param){names[i], "u64", 8 * i, 8, 8, 1, false, NULL, false, false};
    struct lane_func *funcs = g->module->funcs;
    funcs[0] = (struct lane_func){.name = "k",
                                  .kernel = true,
                                  .defined = true,
                                  .stacked = g->stacked,
                                  .warp_lanes = g->vector ? 8u << g->threads % 3 : 0,
                                  .packable = g->packable,
                                  .regfile_bytes = g->vector && !g->packable ? RUN_REGFILE : 0,
                                  .kparams = params,
                                  .nkparams = RUN_PARAMETERS,
                                  .param_bytes = 8 * RUN_PARAMETERS};
    for (uint32_t i = 1; i <= FUNCTIONS; i++)
        funcs[i] = (struct lane_func){.name = i > 1 ? "g" : "f",
                                      .defined = !g->stacked,
                                      .local_bytes = FRAME,
                                      .params = in,
                                      .nparams = 2,
                                      .results = out,
                                      .nresults = 1};
    return true;
}

/* In rows of so many threads, if the block has some: 16 x 5, 8 x 8, 4 x 4 x 2. */
static void set_shape(struct gen *g, uint32_t row)
{
    bool rows = row && g->threads > row && g->threads % row == 0, layers = rows && row == 4 && g->threads % 16 == 0;
    g->shape[0] = rows ? row : g->threads;
    g->shape[1] = layers ? 4 : g->threads / g->shape[0];
    g->shape[2] = g->threads / g->shape[0] / g->shape[1];
}

bool run_generate(const struct run_catalogue *catalogue, const uint8_t *data, size_t size, struct run_case *out)
{
    static const uint8_t threads[] = {32, 1, 64, 33, 7, 96, 31, 80}, rows[] = {0, 16, 8, 4};
    static struct gen gen, *const g = &gen;
    *out = (struct run_case){.grid = 1};
    *g = (struct gen){.data = data, .size = size, .module = &out->module, .catalogue = catalogue};
    g->stacked = take(g, 2);
    out->grid = 1 + take(g, RUN_BLOCKS);
    g->threads = threads[take(g, sizeof threads)];
    set_shape(g, rows[g->data[g->at - (g->at > 0)] / sizeof threads % sizeof rows]);
    memcpy(out->block, g->shape, sizeof out->block);
    g->sum = take(g, RUN_OPERATIONS);
    g->vector = !g->stacked && take(g, 4) == 1;
    g->packable = g->vector && g->threads % 3 < 2 && take(g, 2);
    if (!add_functions(g))
        return false;
    bool good = make_kernel(g, add_symbols(g));
    for (uint32_t i = 0; good && !g->stacked && i < FUNCTIONS; i++)
        good = make_function(g, i);
    return good;
}

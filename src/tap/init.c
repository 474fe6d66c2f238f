/* Registers, and what instructions do with undefined bits (init.h). */
#include "tap/init.h"

#include "atoll.h"

#include "lane/form.h"

#include <stdlib.h>
#include <string.h>

enum { OPERANDS = 32 };

static const char branches[] = "branches on an undefined value", guards[] = "decides by an undefined value";
static const char addresses[] = "uses an undefined address", surfaces[] = "names a surface by an undefined value";
static const char coordinates[] = "uses an undefined coordinate", divides[] = "divides by an undefined value";
static const char updates[] = "updates memory by an undefined value", calls[] = "calls an undefined function";
static const char counts[] = "meets others by an undefined number", hands[] = "hands an undefined value to a barrier";
static const char asks[] = "hands an undefined value to the host";

/* ---- registers ------------------------------------------------------------------------------------------------- */

uint32_t init_mask(const struct init *init, struct lane_operand operand)
{
    return operand.kind == LANE_REG ? init->regs->masks[operand.index] : 0;
}

struct undef init_get(const struct init *init, struct lane_operand operand, unsigned lane, uint32_t *origin)
{
    struct undef undef = {0, 0};
    *origin = 0;
    if (!(init_mask(init, operand) >> lane & 1))
        return undef;
    unsigned width = init->regs->func->widths[operand.index];
    const struct reg_bits *bits = init->regs->bits[operand.index];
    *origin = bits ? bits->origins[lane] : init_origin(INIT_REGISTER, lane, 0);
    undef.lo = (bits ? bits->bits[0][lane] : UINT64_MAX) & bits_below(width);
    undef.hi = width > 64 ? (bits ? bits->bits[1][lane] : UINT64_MAX) : 0;
    return undef;
}

void init_define(struct init *init, struct lane_operand operand, uint32_t lanes)
{
    if (operand.kind == LANE_REG)
        init->regs->masks[operand.index] &= ~lanes;
}

/* Room for the bits of a register. */
static struct reg_bits *bits_make(struct init *init, uint32_t index)
{
    struct reg_bits *bits = init->free_bits;
    if (init->regs->bits[index])
        return init->regs->bits[index];
    if (bits)
        init->free_bits = bits->next;
    else
        bits = room_take(&init->room, sizeof *bits);
    if (!bits)
        return NULL;
    memset(bits->bits, 0xff, sizeof bits->bits);
    for (unsigned l = 0; l < LANES; l++)
        bits->origins[l] = init_origin(INIT_REGISTER, l, 0);
    init->regs->bits[index] = bits;
    init->regs->used++;
    return bits;
}

bool init_set(struct init *init, struct lane_operand operand, unsigned lane, struct undef undef, uint32_t origin)
{
    if (operand.kind != LANE_REG)
        return true;
    unsigned width = init->regs->func->widths[operand.index];
    undef.lo &= bits_below(width);
    undef.hi = width > 64 ? undef.hi : 0;
    if (!undef.lo && !undef.hi) {
        init_define(init, operand, UINT32_C(1) << lane);
        return true;
    }
    struct reg_bits *bits = bits_make(init, operand.index);
    if (!bits)
        return false;
    bits->bits[0][lane] = undef.lo;
    bits->bits[1][lane] = undef.hi;
    bits->origins[lane] = origin;
    init->regs->masks[operand.index] |= UINT32_C(1) << lane;
    return true;
}

void init_regs_forget(struct init *init, struct regs *regs)
{
    for (uint32_t i = 0; regs->used && i < regs->room; i++) {
        if (!regs->bits[i])
            continue;
        regs->bits[i]->next = init->free_bits;
        init->free_bits = regs->bits[i];
        regs->bits[i] = NULL;
        regs->used--;
    }
    regs->func = NULL;
}

void init_regs_renew(const struct regs *regs, uint32_t lanes)
{
    for (uint32_t i = 0; regs->func && i < regs->func->nregs; i++) {
        regs->masks[i] |= lanes;
        for (uint32_t left = regs->bits[i] ? lanes : 0; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            regs->bits[i]->bits[0][lane] = regs->bits[i]->bits[1][lane] = UINT64_MAX;
            regs->bits[i]->origins[lane] = init_origin(INIT_REGISTER, lane, 0);
        }
    }
}

static void regs_free(struct init *init, struct regs *regs)
{
    init_regs_forget(init, regs);
    room_give(&init->room, regs->masks, regs->room * sizeof *regs->masks);
    room_give(&init->room, regs->bits, regs->room * sizeof *regs->bits);
    *regs = (struct regs){.func = NULL};
}

/* Nobody has written any register of a function that begins. */
static bool regs_begin(struct init *init, struct regs *regs, const struct lane_func *func)
{
    init_regs_forget(init, regs);
    if (regs->room < func->nregs) {
        regs_free(init, regs);
        regs->masks = room_take(&init->room, func->nregs * sizeof *regs->masks);
        regs->bits = room_take(&init->room, func->nregs * sizeof *regs->bits);
        if (!regs->masks || !regs->bits) {
            room_give(&init->room, regs->masks, func->nregs * sizeof *regs->masks);
            room_give(&init->room, regs->bits, func->nregs * sizeof *regs->bits);
            regs->masks = NULL;
            regs->bits = NULL;
            return false;
        }
        regs->room = func->nregs;
    }
    if (func->nregs)
        memset(regs->masks, 0xff, func->nregs * sizeof *regs->masks);
    regs->func = func;
    return true;
}

static bool activations_grow(struct init *init, struct init_warp *warp, uint32_t activation)
{
    uint32_t more = warp->nactivations ? 2 * warp->nactivations : 1;
    while (more <= activation)
        more *= 2;
    struct regs *grown = room_take(&init->room, more * sizeof *grown);
    if (!grown)
        return false;
    if (warp->nactivations)
        memcpy(grown, warp->activations, warp->nactivations * sizeof *grown);
    room_give(&init->room, warp->activations, warp->nactivations * sizeof *grown);
    warp->activations = grown;
    warp->nactivations = more;
    init->regs = NULL;
    return true;
}

struct regs *init_regs(struct init *init, uint32_t slot, uint32_t warp, uint32_t activation,
                       const struct lane_func *func)
{
    struct init_warp *w = &init->slots[slot].warps[warp];
    if (activation >= w->nactivations && !activations_grow(init, w, activation))
        return NULL;
    struct regs *regs = &w->activations[activation];
    return regs->func == func || regs_begin(init, regs, func) ? regs : NULL;
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

/* Lanes in which a source has undefined bits. */
static inline uint32_t sources(const struct init *init)
{
    uint32_t bad = 0;
    const struct lane_inst *inst = init->step->inst;
    for (unsigned k = inst->ndst; k < (unsigned)inst->ndst + inst->nsrc; k++)
        bad |= init_mask(init, tap_operand(init->step, k));
    return bad;
}

static void define_all(struct init *init, uint32_t lanes)
{
    for (unsigned k = 0; k < init->step->inst->ndst; k++)
        init_define(init, tap_operand(init->step, k), lanes);
}

/* What a lane gets, where its sources have undefined bits. */
static bool propagate_lane(struct init *init, unsigned lane)
{
    const struct lane_inst *inst = init->step->inst;
    struct undef in[OPERANDS], out[OPERANDS];
    uint32_t origin = 0, one;
    for (unsigned k = 0; k < inst->nsrc; k++) {
        in[k] = init_get(init, tap_operand(init->step, inst->ndst + k), lane, &one);
        origin = origin ? origin : one;
    }
    const struct bits_view view = {init->step, init->launch->engine, inst, lane, in};
    bool moved = init_bits(&view, out);
    for (unsigned k = 0; k < inst->ndst; k++)
        if (!init_set(init, tap_operand(init->step, k), lane, out[k], moved ? origin : origin | INIT_COMPUTED))
            return false;
    return true;
}

/* A lane of which it is not known whether it carries the instruction out. */
static bool guarded_lane(struct init *init, unsigned lane)
{
    const struct undef all = {UINT64_MAX, UINT64_MAX};
    uint32_t origin;
    init_get(init, init->step->inst->guard, lane, &origin);
    for (unsigned k = 0; k < init->step->inst->ndst; k++)
        if (!init_set(init, tap_operand(init->step, k), lane, all, origin | INIT_COMPUTED))
            return false;
    return true;
}

static bool propagate(struct init *init, uint32_t bad, uint32_t guard)
{
    const struct lane_inst *inst = init->step->inst;
    uint32_t lanes = init->step->lanes;
    if (inst->nsrc > OPERANDS || inst->ndst > OPERANDS)
        guard |= bad & lanes; /* no operation has so many */
    define_all(init, lanes & ~(bad | guard));
    for (uint32_t left = lanes & bad & ~guard; left; left &= left - 1)
        if (!propagate_lane(init, (unsigned)__builtin_ctz(left)))
            return false;
    for (uint32_t left = guard; left; left &= left - 1)
        if (!guarded_lane(init, (unsigned)__builtin_ctz(left)))
            return false;
    return true;
}

/* ---- operations of the warp ----------------------------------------------------------------------------------------
 */

static uint64_t value_of(const struct init *init, unsigned source, unsigned lane)
{
    return init->launch->engine->value(init->step, init->step->inst->ndst + source, lane);
}

/* What a lane reads of another one; where from is undefined, nothing is known. */
static bool shuffle(struct init *init)
{
    const struct tap_step *step = init->step;
    struct undef bits[LANES];
    uint32_t origins[LANES], from, to = init_mask(init, tap_operand(step, 3)) | init_mask(init, tap_operand(step, 4));
    to |= step->inst->nsrc > 3 ? init_mask(init, tap_operand(step, 5)) : 0;
    for (uint32_t left = step->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        from = init->launch->engine->shuffled(step, lane);
        bits[lane] = (struct undef){0, 0};
        origins[lane] = 0;
        if (from < LANES && step->lanes >> from & 1)
            bits[lane] = init_get(init, tap_operand(step, 2), from, &origins[lane]);
        for (unsigned k = 3; k < 6 && to >> lane & 1 && !origins[lane]; k++)
            init_get(init, tap_operand(step, k), lane, &origins[lane]);
        if (to >> lane & 1)
            bits[lane] = (struct undef){UINT64_MAX, UINT64_MAX};
    }
    for (uint32_t left = step->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        const struct undef range = {to >> lane & 1, 0};
        if (!init_set(init, tap_operand(step, 0), lane, bits[lane], origins[lane]) ||
            !init_set(init, tap_operand(step, 1), lane, range, origins[lane] | INIT_COMPUTED))
            return false;
    }
    return true;
}

/* Is the result of a vote settled by lanes whose predicates are known? */
static bool settled(const struct init *init, uint32_t known)
{
    bool yes = false, no = false;
    for (uint32_t left = known; left; left &= left - 1) {
        bool is = value_of(init, 0, (unsigned)__builtin_ctz(left)) & 1;
        yes = yes || is;
        no = no || !is;
    }
    unsigned mode = init->step->inst->mode;
    return mode == LANE_VOTE_ANY ? yes : mode == LANE_VOTE_ALL ? no : yes && no;
}

/* Votes, matches, reductions: what lanes of one mask have is put together. Mask is the last source. Lanes of narrow
 * warps that have no thread give zeros. */
static bool together(struct init *init)
{
    const struct tap_step *step = init->step;
    uint32_t threads = tap_threads(init->slots[step->slot].block.warp_lanes), origin;
    uint32_t bad = init_mask(init, tap_operand(step, step->inst->ndst)) & step->lanes & threads;
    unsigned mask_at = step->inst->nsrc - 1u;
    struct undef results[LANES];
    uint32_t origins[LANES];
    for (uint32_t left = step->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint32_t members = (uint32_t)value_of(init, mask_at, lane) & step->lanes, undefined = members & bad;
        results[lane] = (struct undef){0, 0};
        origins[lane] = 0;
        if (!undefined || (step->inst->op == LANE_OP_vote && settled(init, members & ~bad)))
            continue;
        init_get(init, tap_operand(step, step->inst->ndst), (unsigned)__builtin_ctz(undefined), &origin);
        results[lane].lo = step->inst->op == LANE_OP_ballot ? undefined : UINT64_MAX;
        origins[lane] = origin | INIT_COMPUTED;
    }
    for (uint32_t left = step->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        for (unsigned k = 0; k < step->inst->ndst; k++)
            if (!init_set(init, tap_operand(step, k), lane, results[lane], origins[lane]))
                return false;
    }
    return true;
}

/* ---- uses ------------------------------------------------------------------------------------------------------- */

static void use_sources(struct init *init, unsigned first, unsigned end, const char *does)
{
    const struct lane_inst *inst = init->step->inst;
    for (unsigned k = first; k < end && k < inst->nsrc; k++)
        init_use(init, inst->ndst + k, init->step->lanes, does);
}

/* An access says where by its first sources. */
static void use_place(struct init *init)
{
    const struct lane_inst *inst = init->step->inst;
    const struct lane_access *access = &init->step->func->accesses[inst->aux];
    unsigned data = 1;
    if (lane_is(inst->op, LANE_TEXELS)) {
        data += lane_coordinates(access);
        use_sources(init, 0, 1, surfaces);
        use_sources(init, 1, data, coordinates);
    } else if (inst->op != LANE_OP_prefetch) {
        use_sources(init, 0, 1, addresses);
    }
    if (lane_is(inst->op, LANE_UPDATES | LANE_OBJECT))
        use_sources(init, data, inst->nsrc, updates);
}

/* Operations other than pure ones and accesses. */
static bool use_other(struct init *init)
{
    const struct lane_inst *inst = init->step->inst;
    switch (inst->op) {
    case LANE_OP_shfl:
        return shuffle(init);
    case LANE_OP_vote:
    case LANE_OP_ballot:
    case LANE_OP_match:
    case LANE_OP_redux:
        return together(init);
    case LANE_OP_brx:
        use_sources(init, 0, 1, branches);
        break;
    case LANE_OP_call:
        use_sources(init, 0, 1, calls);
        break;
    case LANE_OP_suq:
    case LANE_OP_suql:
        use_sources(init, 0, 2, surfaces);
        break;
    case LANE_OP_sample:
        use_sources(init, 0, 3, surfaces);
        use_sources(init, 3, inst->nsrc, coordinates);
        break;
    case LANE_OP_bar:
        use_sources(init, 0, 2, counts);
        break;
    case LANE_OP_barred:
        use_sources(init, 0, 2, counts);
        use_sources(init, 2, 3, hands);
        break;
    case LANE_OP_syscall:
        use_sources(init, 0, inst->nsrc, asks);
        break;
    default:
        break;
    }
    define_all(init, init->step->lanes);
    return true;
}

static bool integer_division(const struct lane_inst *inst)
{
    return (inst->op == LANE_OP_div || inst->op == LANE_OP_rem) && !lane_type_float((enum lane_type)inst->type);
}

/* An instruction that sees something undefined. */
static bool look(struct init *init, uint32_t guard)
{
    const struct lane_inst *inst = init->step->inst;
    if (lane_is(inst->op, LANE_PURE)) {
        if (integer_division(inst))
            use_sources(init, 1, 2, divides);
        return propagate(init, sources(init), guard);
    }
    if (guard)
        init_use(init, UINT32_MAX, guard, lane_is(inst->op, LANE_ENDS) ? branches : guards);
    if (lane_aux(&lane_rows[inst->op]) != 'a')
        return use_other(init);
    use_place(init);
    define_all(init, init->step->lanes);
    return true;
}

/* ---- events -------------------------------------------------------------------------------------------------------
 */

/* Registers of the step's activation: mostly those of the step before. */
static bool find_regs(struct init *init, const struct tap_step *step)
{
    uint64_t of = ((uint64_t)step->slot * TAP_WARPS + step->warp) << 32 | step->activation;
    if (init->regs && init->regs_of == of && init->regs->func == step->func)
        return true;
    init->regs = init_regs(init, step->slot, step->warp, step->activation, step->func);
    init->regs_of = of;
    return init->regs;
}

static bool init_step(void *state, const struct tap_step *step)
{
    struct init *init = state;
    const struct lane_inst *inst = step->inst;
    init->step = step;
    if (step->waits)
        return true;
    if (!find_regs(init, step))
        return false;
    uint32_t guard = init_mask(init, inst->guard) & step->active;
    if (!guard && !(sources(init) & step->lanes)) {
        define_all(init, step->lanes);
        return true;
    }
    return look(init, guard);
}

/* A block begins in a slot: nobody has written its shared memory, nor what its threads have. */
static bool init_block(void *state, const struct tap_block *block)
{
    struct init *init = state;
    struct init_slot *slot = &init->slots[block->slot];
    if (!slot->warps && !(slot->warps = room_take(&init->room, TAP_WARPS * sizeof *slot->warps)))
        return false;
    slot->block = *block;
    if (!slot->shared.room)
        shadow_map_open(&slot->shared, &init->room, INIT_UNWRITTEN);
    shadow_map_forget(&slot->shared);
    if (block->shared_written && !shadow_fill(&slot->shared, block->shared, block->shared_written, INIT_WRITTEN))
        return false;
    for (unsigned i = 0; i * block->warp_lanes < block->threads; i++) {
        struct init_warp *warp = &slot->warps[i];
        if (!warp->locals.room) {
            shadow_map_open(&warp->locals, &init->room, INIT_UNWRITTEN);
            shadow_map_open(&warp->registers, &init->room, INIT_WRITTEN);
        }
        shadow_map_forget(&warp->locals);
        shadow_map_forget(&warp->registers);
        for (uint32_t a = 0; a < warp->nactivations; a++)
            init_regs_forget(init, &warp->activations[a]);
    }
    return true;
}

static bool init_made(void *state, const struct tap_malloc *made)
{
    struct init *init = state;
    return shadow_fill(&init->global, made->at, made->bytes, INIT_UNWRITTEN);
}

static void init_extent(void *state, const struct tap_range *range, struct tap_extent *extent)
{
    struct init *init = state;
    extent->bytes = shadow_run(&init->global, range->at, range->bytes, &extent->how);
}

/* ---- a launch ---------------------------------------------------------------------------------------------------- */

static void warp_close(struct init *init, struct init_warp *warp)
{
    for (uint32_t a = 0; a < warp->nactivations; a++)
        regs_free(init, &warp->activations[a]);
    room_give(&init->room, warp->activations, warp->nactivations * sizeof *warp->activations);
    if (warp->locals.room) {
        shadow_map_close(&warp->locals);
        shadow_map_close(&warp->registers);
    }
}

static void init_close(void *state)
{
    struct init *init = state;
    for (uint32_t s = 0; init && init->slots && s < init->launch->slots; s++) {
        struct init_slot *slot = &init->slots[s];
        for (unsigned i = 0; slot->warps && i < TAP_WARPS; i++)
            warp_close(init, &slot->warps[i]);
        if (slot->shared.room)
            shadow_map_close(&slot->shared);
        free(slot->warps);
    }
    if (!init)
        return;
    for (struct reg_bits *bits = init->free_bits, *next; bits; bits = next) {
        next = bits->next;
        free(bits);
    }
    shadow_map_close(&init->global);
    free(init->slots);
    free(init->origins);
    free(init);
}

static bool init_open(const struct tap_launch *launch, void **state)
{
    static const struct tap_step none;
    struct init *init = *state = calloc(1, sizeof *init);
    if (!init)
        return false;
    init->step = &none;
    init->launch = launch;
    init->room.most = launch->most;
    shadow_map_open(&init->global, &init->room, INIT_WRITTEN);
    init->slots = room_take(&init->room, launch->slots * sizeof *init->slots);
    init->origins = room_take(&init->room, ORIGINS * sizeof *init->origins);
    bool good = init->slots && init->origins;
    for (uint32_t i = 0; good && i < launch->nunwritten; i++)
        good = shadow_fill(&init->global, launch->unwritten[i].at, launch->unwritten[i].bytes, INIT_UNWRITTEN);
    if (!good)
        init_close(init);
    return good;
}

const struct check check_undefined = {.name = "init",
                                      .bit = ATOLL_CHECK_INIT,
                                      .open = init_open,
                                      .close = init_close,
                                      .block = init_block,
                                      .step = init_step,
                                      .access = init_access,
                                      .made = init_made,
                                      .local = init_local,
                                      .call = init_call,
                                      .extent = init_extent};

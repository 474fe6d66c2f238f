/* Accesses and calls: undefined bits between registers and memory (init.h). */
#include "tap/init.h"

#include "lane/form.h"

#include <string.h>

enum { SPAN = 16 * INIT_PAGE /* of an access that is looked at as a whole */ };

static const char stores[] = "stores a value computed from an undefined one";
static const char asks[] = "prints an undefined value";
static const char converts[] = "stores an undefined value as a texel";

/* An access, and what is kept of the memory that it goes to. */
struct way {
    struct init *init;
    struct shadow_map *map;
    const struct tap_access *access;
    const struct lane_access *form;
    unsigned kind;   /* enum init_kind of that memory */
    uint32_t number; /* of this access, when it has read something undefined; 0: not yet */
};

static unsigned element_bytes(const struct way *way)
{
    return lane_type_bits((enum lane_type)way->form->type) / 8;
}

/* ---- all lanes at once -------------------------------------------------------------------------------------------
 */

/* From the first byte to the last that lanes reach; false: they are far apart. */
static bool span_of(const struct tap_access *access, const unsigned char **first, const unsigned char **end)
{
    const unsigned char *low = access->at[__builtin_ctz(access->lanes)], *high = low;
    for (uint32_t left = access->lanes; left; left &= left - 1) {
        const unsigned char *at = access->at[__builtin_ctz(left)];
        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    *first = low;
    *end = high + access->bytes;
    return (size_t)(*end - low) <= SPAN;
}

/* The memory of the lanes of `left` that lie side by side, from the lowest on: they are taken from it. */
static void next_run(const struct tap_access *access, uint32_t *left, const unsigned char **first,
                     const unsigned char **end)
{
    unsigned lane = (unsigned)__builtin_ctz(*left);
    uint32_t n = tap_run(access, *left);
    *first = access->at[lane];
    *end = *first + (size_t)n * access->bytes;
    *left = n < LANES ? *left & ~(((UINT32_C(1) << n) - 1) << lane) : 0;
}

/* Rows are looked at one by one, scattered lanes as a whole. */
static bool all_written(const struct way *way)
{
    const struct tap_access *access = way->access;
    const unsigned char *first, *end;
    if (tap_run(access, access->lanes) == 1)
        return span_of(access, &first, &end) && shadow_written(way->map, first, end);
    for (uint32_t left = access->lanes; left;) {
        next_run(access, &left, &first, &end);
        if (!shadow_written(way->map, first, end))
            return false;
    }
    return true;
}

static bool write_all(struct way *way)
{
    const struct tap_access *access = way->access;
    const unsigned char *first, *end;
    if (tap_run(access, access->lanes) == 1 && all_written(way))
        return true;
    for (uint32_t left = access->lanes; left;) {
        next_run(access, &left, &first, &end);
        if (!shadow_fill(way->map, first, (uint64_t)(end - first), INIT_WRITTEN))
            return false;
    }
    return true;
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

/* Where what a lane has read comes from: what was stored knows it, or it is this access. */
static uint32_t read_origin(struct way *way, unsigned lane, uint32_t stored)
{
    if (stored)
        return stored;
    if (!way->number)
        way->number = init_number(way->init, way->access);
    return init_origin(way->kind, lane, way->number);
}

/* Of element `k` as a register has it: extended as the type says. */
static struct undef element_of(const struct way *way, const unsigned char *bits, unsigned k)
{
    unsigned bytes = element_bytes(way);
    struct undef undef = {0, 0};
    memcpy(&undef.lo, bits + (size_t)k * bytes, bytes < 8 ? bytes : 8);
    if (bytes > 8)
        memcpy(&undef.hi, bits + (size_t)k * bytes + 8, bytes - 8);
    if (lane_type_signed((enum lane_type)way->form->type) && bytes < 8 && undef.lo >> (8 * bytes - 1) & 1)
        undef.lo |= ~bits_below(8 * bytes);
    return undef;
}

static bool all_ones(const unsigned char *bits, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        if (bits[i] != 0xff)
            return false;
    return true;
}

/* Formats are converted: of a texel that is undefined as a whole all channels are, of others none. */
static bool load_lane(struct way *way, unsigned lane)
{
    const struct tap_access *access = way->access;
    const struct tap_step *step = way->init->step;
    unsigned char bits[INIT_WIDEST];
    uint32_t origin;
    bool formatted = way->form->formatted;
    if (!shadow_read(way->map, access->at[lane], access->bytes, bits, &origin) ||
        (formatted && !all_ones(bits, access->bytes)))
        return true;
    origin = read_origin(way, lane, origin) | (formatted ? INIT_COMPUTED : 0);
    for (unsigned k = 0; k + way->form->residency < step->inst->ndst; k++) {
        struct undef undef = {UINT64_MAX, UINT64_MAX};
        if (!formatted)
            undef = element_of(way, bits, way->form->uniform_tuple || k >= way->form->vec ? 0 : k);
        if (!init_set(way->init, tap_operand(step, k), lane, undef, origin))
            return false;
    }
    return true;
}

static bool load(struct way *way)
{
    if (all_written(way))
        return true;
    for (uint32_t left = way->access->lanes; left; left &= left - 1)
        if (!load_lane(way, (unsigned)__builtin_ctz(left)))
            return false;
    return true;
}

/* ---- stores ------------------------------------------------------------------------------------------------------ */

static unsigned first_data(const struct way *way)
{
    unsigned op = way->init->step->inst->op;
    return way->init->step->inst->ndst + 1u + (lane_is(op, LANE_TEXELS) ? lane_coordinates(way->form) : 0);
}

/* Does the host see what is stored there? */
static bool seen(const struct way *way)
{
    return way->kind == INIT_GLOBAL || way->kind == INIT_SURFACE || way->kind == INIT_HEAP;
}

static bool store_lane(struct way *way, unsigned lane, unsigned data)
{
    const struct tap_step *step = way->init->step;
    unsigned char bits[INIT_WIDEST] = {0};
    unsigned bytes = element_bytes(way);
    uint32_t origin = 0, one;
    for (unsigned k = 0; data + k < (unsigned)step->inst->ndst + step->inst->nsrc; k++) {
        struct undef undef = init_get(way->init, tap_operand(step, data + k), lane, &one);
        undef.lo &= bits_below(8 * bytes);
        if ((!undef.lo && !(bytes > 8 && undef.hi)) || (k + 1) * bytes > way->access->bytes)
            continue;
        if (way->form->formatted || (seen(way) && one & INIT_COMPUTED)) {
            init_tell(way->init, lane, one, way->form->formatted ? converts : stores);
            continue; /* told once: it is followed no further */
        }
        memcpy(bits + (size_t)k * bytes, &undef.lo, bytes < 8 ? bytes : 8);
        if (bytes > 8)
            memcpy(bits + (size_t)k * bytes + 8, &undef.hi, bytes - 8);
        origin = origin ? origin : one;
    }
    return shadow_write(way->map, way->access->at[lane], way->access->bytes, bits, origin);
}

static bool store(struct way *way)
{
    const struct tap_step *step = way->init->step;
    unsigned data = first_data(way);
    uint32_t bad = 0;
    for (unsigned k = data; k < (unsigned)step->inst->ndst + step->inst->nsrc; k++)
        bad |= init_mask(way->init, tap_operand(step, k));
    if (!(bad & way->access->lanes))
        return write_all(way);
    for (uint32_t left = way->access->lanes; left; left &= left - 1)
        if (!store_lane(way, (unsigned)__builtin_ctz(left), data))
            return false;
    return true;
}

/* ---- updates ----------------------------------------------------------------------------------------------------- */

/* An exchange gives what was there and looks at nothing. */
static bool update(struct way *way)
{
    const struct lane_inst *inst = way->init->step->inst;
    unsigned char bits[INIT_WIDEST];
    uint32_t origin;
    bool begins = way->access->kind == TAP_STORE; /* a barrier object, or ends it */
    bool exchanges = lane_is(inst->op, LANE_UPDATES) && way->form->atomic == LANE_ATOMIC_EXCH;
    if (all_written(way))
        return true;
    for (uint32_t left = begins ? 0 : way->access->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (!shadow_read(way->map, way->access->at[lane], way->access->bytes, bits, &origin))
            continue;
        if (exchanges && !load_lane(way, lane))
            return false;
        if (!exchanges)
            init_tell_update(way->init, way->access, lane, origin ? init_kind(origin) : way->kind);
        if (!shadow_fill(way->map, way->access->at[lane], way->access->bytes, INIT_WRITTEN))
            return false;
    }
    return write_all(way);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static bool carry(struct way *way)
{
    const struct tap_step *step = way->init->step;
    way->form = &step->func->accesses[step->inst->aux];
    if (way->access->bytes > INIT_WIDEST)
        return true; /* no access is so wide */
    if (lane_is(step->inst->op, LANE_OBJECT))
        return update(way);
    switch (way->access->kind) {
    case TAP_LOAD:
        return load(way);
    case TAP_STORE:
        return store(way);
    default:
        return update(way);
    }
}

bool init_access(void *state, const struct tap_access *access)
{
    struct init *init = state;
    struct way way = {.init = init, .map = &init->global, .access = access};
    way.kind = lane_is(init->step->inst->op, LANE_TEXELS) ? INIT_SURFACE : access->heap ? INIT_HEAP : INIT_GLOBAL;
    if (access->shared) {
        way.map = &init->slots[access->slot].shared;
        way.kind = INIT_SHARED;
    }
    return carry(&way);
}

/* The host reads what a lane hands it. */
static bool hand(struct way *way)
{
    unsigned lane = (unsigned)__builtin_ctz(way->access->lanes);
    unsigned char bits[INIT_WIDEST];
    uint32_t origin;
    if (!shadow_read(way->map, way->access->at[lane], way->access->bytes, bits, &origin))
        return true;
    init_tell(way->init, lane, read_origin(way, lane, origin), asks);
    return shadow_fill(way->map, way->access->at[lane], way->access->bytes, INIT_WRITTEN);
}

bool init_local(void *state, const struct tap_access *access)
{
    struct init *init = state;
    struct init_warp *warp = &init->slots[access->slot].warps[access->warp];
    struct way way = {.init = init,
                      .map = access->registers ? &warp->registers : &warp->locals,
                      .access = access,
                      .kind = access->registers ? INIT_REGISTER : INIT_LOCAL};
    return init->step->inst->op == LANE_OP_syscall ? hand(&way) : carry(&way);
}

static bool copy_slots(struct shadow_map *map, const struct tap_call *call, const unsigned char *locals)
{
    uint32_t count = call->returns ? call->call->nresults : call->call->nargs;
    const struct lane_slot *caller = call->returns ? call->call->results : call->call->args;
    const struct lane_slot *callee = call->returns ? call->callee->results : call->callee->params;
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *outer = locals + call->caller_at + caller[i].local;
        const unsigned char *inner = locals + call->callee_at + callee[i].local;
        if (!shadow_copy(map, call->returns ? outer : inner, call->returns ? inner : outer, caller[i].size))
            return false;
    }
    return true;
}

/* A frame that a call gets is one that nobody has written, but for the arguments. */
bool init_call(void *state, const struct tap_call *call)
{
    struct init *init = state;
    struct init_warp *warp = &init->slots[call->slot].warps[call->warp];
    if (call->joins && call->activation < warp->nactivations)
        init_regs_renew(&warp->activations[call->activation], call->lanes);
    else if (!call->returns && call->activation < warp->nactivations)
        init_regs_forget(init, &warp->activations[call->activation]);
    for (uint32_t left = call->lanes; left; left &= left - 1) {
        const unsigned char *locals = call->locals + (size_t)__builtin_ctz(left) * call->stride;
        if (!call->returns &&
            !shadow_fill(&warp->locals, locals + call->callee_at, call->callee->local_bytes, INIT_UNWRITTEN))
            return false;
        if (!copy_slots(&warp->locals, call, locals))
            return false;
    }
    return true;
}

/* Checked launches: accesses that would trap, and what clamp policies do to texels out of range. The words are those of
 * the traps: whoever raises them is asked beforehand (struct probe). */
#include "engine/check.h"

#include <stdio.h>
#include <string.h>

/* ---- what is told ----------------------------------------------------------------------------------------------- */

static bool tell(struct checking *c, const struct tap_access *access, unsigned lane, const struct probe *probe)
{
    const struct tap_fault fault = {.access = access, .lane = lane, .cause = probe->cause, .why = probe->why};
    return tap_fault(&c->tap, &fault);
}

/* Lanes that do not load get zeros. */
static void clear(const struct warp *w, const struct decoded *at, uint32_t lanes)
{
    for (unsigned k = 0; k < at->ndst; k++) {
        unsigned char *reg = w->frame.regs + at->offsets[k];
        uint32_t predicate;
        size_t bytes = at->bits[k] / 8u;
        if (at->offsets[k] == KERNEL_NONE)
            continue;
        if (at->bits[k] == 1) {
            memcpy(&predicate, reg, sizeof predicate);
            predicate &= ~lanes;
            memcpy(reg, &predicate, sizeof predicate);
            continue;
        }
        for (uint32_t left = lanes; left; left &= left - 1)
            memset(reg + (size_t)__builtin_ctz(left) * bytes, 0, bytes);
    }
}

/* What others than those lanes do depends on them, or they wait there: such accesses trap as ever. */
static bool goes_on(const struct decoded *at)
{
    return !(at->inst->flags & LANE_WHOLE) && !lane_is(at->op, LANE_OBJECT) && !lane_is(at->op, LANE_WAITS);
}

/* Would a lane's access trap? Then the probe says why. */
typedef bool traps_fn(struct checking *c, struct warp *w, const struct decoded *at, struct tap_access *access,
                      unsigned lane);

static uint32_t find_faults(struct checking *c, struct warp *w, const struct decoded *at,
                            const struct tap_access *access, uint32_t lanes, traps_fn *traps)
{
    struct tap_access told = *access;
    struct probe probe;
    uint32_t faults = 0;
    if (!goes_on(at))
        return 0;
    c->run->probe = &probe;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (!traps(c, w, at, &told, lane) || !c->tap.faults)
            continue;
        faults |= UINT32_C(1) << lane;
        tell(c, &told, lane, &probe);
    }
    c->run->probe = NULL;
    clear(w, at, faults);
    return faults;
}

/* ---- addresses -------------------------------------------------------------------------------------------------- */

static bool look_address(struct checking *c, struct warp *w, const struct decoded *at, struct tap_access *access,
                         unsigned lane)
{
    uint64_t address = checked_address(w, at, lane);
    (void)c;
    if (access)
        access->address[lane] = address;
    return !warp_pointer(w, at, lane, at->access->space, address, (uint64_t)at->bytes * at->access->vec,
                         lane_is(at->op, LANE_WRITES), NULL);
}

uint32_t checked_faults(struct checking *c, struct warp *w, const struct decoded *at, const struct tap_access *access,
                        uint32_t lanes)
{
    return find_faults(c, w, at, access, lanes, look_address);
}

bool checked_traps(struct checking *c, struct warp *w, const struct decoded *at, uint32_t lanes)
{
    struct probe probe;
    c->run->probe = &probe;
    bool traps = look_address(c, w, at, NULL, (unsigned)__builtin_ctz(lanes));
    c->run->probe = NULL;
    return traps;
}

/* Lanes whose accesses a vector machine leaves out, as they lie beyond the end of a buffer. */
void checked_beyond(struct checking *c, struct warp *w, const struct decoded *at)
{
    struct tap_access access;
    uint32_t lanes = at->inst->flags & LANE_WHOLE ? func_whole(w->func, w->frame.exec) : w->frame.exec;
    lanes &= ~checked_lanes(w, at) & tap_threads(w->block->warp_lanes);
    if (!lanes)
        return;
    check_describe(c, w, at, &access);
    bool loads = access.kind == TAP_LOAD;
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        char where[WHERE_BYTES], why[WHERE_BYTES + 80];
        access.address[lane] = checked_address(w, at, lane);
        address_where(c->run, access.address[lane], access.bytes, where);
        snprintf(why, sizeof why, "it is beyond the end of the buffer, and %s%s",
                 loads ? "gives zeros" : "nothing is done", where);
        const struct tap_fault border = {
            .access = &access, .lane = lane, .cause = loads ? "zeroed" : "dropped", .why = why};
        tap_border(&c->tap, &border);
    }
}

/* ---- texels ----------------------------------------------------------------------------------------------------- */

/* The surface that a lane means, at its mip level; NULL: none, and the probe may say why. */
static const struct surface *surface_of(struct warp *w, const struct decoded *at, unsigned lane, struct surface *view)
{
    uint32_t mask = UINT32_C(1) << lane;
    const struct surface_ref *ref = warp_handle(w, at, mask, decoded_operand(w, at, at->ndst, lane));
    const struct surface *surface = ref ? warp_bound(w, at, mask, ref) : NULL;
    if (!surface || !at->access->level)
        return surface;
    unsigned n = lane_geometries[at->access->dim].coordinates;
    surface_at_level(surface, (uint32_t)decoded_operand(w, at, at->ndst + 1 + n, lane), view);
    return view;
}

/* A policy has kept a texel out of range from being a fault. */
static void tell_border(struct checking *c, const struct decoded *at, const struct tap_access *access, unsigned lane,
                        bool skip)
{
    bool loads = at->op == LANE_OP_suld;
    const struct tap_fault border = {
        .access = access,
        .lane = lane,
        .cause = !skip   ? "clamped"
                 : loads ? "zeroed"
                         : "dropped",
        .why = !skip   ? "it is out of range, and the clamp policy of the access moves it to the border"
               : loads ? "it is out of range, and the clamp policy of the access makes it zeros"
                       : "it is out of range, and the clamp policy of the access drops it",
    };
    tap_border(&c->tap, &border);
}

/* True: the lane would trap. Wrong dimensions and formats are of the kernel as a whole: they trap as ever. */
static bool look_texel(struct checking *c, struct warp *w, const struct decoded *at, struct tap_access *access,
                       unsigned lane)
{
    struct lane_access strict = *at->access;
    struct surface view;
    const struct surface *surface = surface_of(w, at, lane, &view);
    int32_t coord[3] = {0, 0, 0};
    uint64_t offset;
    bool skip, skipped;
    if (!surface)
        return true;
    uint32_t bytes = checked_texel_bytes(surface, at);
    checked_coordinate(w, at, lane, coord);
    if (!bytes || (bytes & (bytes - 1)))
        return false;
    enum surface_fault fault = surface_resolve(surface, at->access, coord, bytes, &offset, &skip);
    strict.clamp = LANE_CLAMP_TRAP;
    access->address[lane] = decoded_operand(w, at, at->ndst, lane);
    if (fault == SURFACE_OK && c->tap.borders &&
        surface_resolve(surface, &strict, coord, bytes, &offset, &skipped) == SURFACE_OUT_OF_BOUNDS)
        tell_border(c, at, access, lane, skip);
    if (fault != SURFACE_OUT_OF_BOUNDS && fault != SURFACE_MISALIGNED)
        return false;
    warp_texel_trap(w, at, UINT32_C(1) << lane, surface, fault);
    return true;
}

uint32_t checked_texel_faults(struct checking *c, struct warp *w, const struct decoded *at,
                              const struct tap_access *access, uint32_t lanes)
{
    return find_faults(c, w, at, access, lanes, look_texel);
}

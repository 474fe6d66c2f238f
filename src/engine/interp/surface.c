/* suld, sust, sured, suatom, suq for a warp: handles become surfaces, lanes with one handle go to the surface engine
 * together. Compiled once per instruction set of the host. */
#include "engine/interp/set.h"
#include "engine/meaning/kernels.h"

#include <string.h>

/* The table does not change while kernels run: each instruction keeps what it found last. */
static inline const struct surface_ref *look_up_cached(struct warp *w, const struct step *s, uint32_t lanes,
                                                       uint64_t handle)
{
    struct site *site = &w->worker->sites[s->info->site];
    if (site->surface && site->base == handle)
        return site->surface;
    site->surface = warp_handle(w, s->info, lanes, handle);
    site->base = handle;
    return site->surface;
}

static inline uint32_t lanes_with(const uint64_t *handles, uint64_t handle, uint32_t lanes)
{
    uint64_t other = 0;
    LANE_LOOP(LANES)
    other |= handles[l] ^ handle;
    if (other == 0)
        return lanes;
    uint32_t same = 0;
    for (unsigned l = 0; l < LANES; l++)
        same |= (uint32_t)(handles[l] == handle) << l;
    return same & lanes;
}

/* The mip levels that an access names. */
static const uint32_t *levels(const struct warp *w, const struct decoded *info)
{
    unsigned ncoords = lane_geometries[info->access->dim].coordinates;
    return (const void *)(w->frame.regs + info->offsets[info->ndst + 1 + ncoords]);
}

/* What the operation's operands say; `access` needs no clearing before. */
static inline void operands(const struct warp *w, const struct decoded *info, struct surface_warp *access)
{
    access->access = info->access;
    access->held = &w->worker->held;
    unsigned ncoords = lane_geometries[info->access->dim].coordinates, where = ncoords + info->access->level;
    const uint32_t *src = info->offsets + info->ndst + 1;
    const uint8_t *bits = info->bits + info->ndst + 1;
    bool load = info->inst->op == LANE_OP_suld, atomic = info->inst->op == LANE_OP_suatom;
    access->count = load ? info->ndst - (unsigned)info->access->residency : info->nsrc - 1u - where;
    for (unsigned k = 0; k < ncoords; k++)
        access->coord[k] = (const void *)(w->frame.regs + src[k]);
    for (unsigned k = 0; k < access->count && k < 8; k++) {
        uint32_t at = load ? info->offsets[k] : src[where + k];
        access->data[k] = at == KERNEL_NONE ? NULL : w->frame.regs + at;
        access->width[k] = load ? info->bits[k] : bits[where + k];
    }
    if (atomic) {
        access->old = info->offsets[0] == KERNEL_NONE ? NULL : w->frame.regs + info->offsets[0];
        access->old_width = info->bits[0];
    }
}

/* The predicate that says which lanes' texels are resident. */
static void put_residency(struct warp *w, const struct decoded *info, const struct surface_warp *access)
{
    set_predicate(w, info->offsets[info->ndst - 1], ~access->absent, access->mask);
}

/* The lanes of access->mask on access->surface. False after a trap. */
static inline bool carry_out(struct warp *w, const struct step *s, struct surface_warp *access)
{
    const struct decoded *info = s->info;
    unsigned op = info->inst->op;
    bool ok = op == LANE_OP_suld    ? KERNEL_NAME(surface_engine).load(access)
              : op == LANE_OP_sust  ? KERNEL_NAME(surface_engine).store(access)
              : op == LANE_OP_sured ? KERNEL_NAME(surface_engine).reduce(access)
                                    : KERNEL_NAME(surface_engine).atomic(access);
    if (ok && __builtin_expect(w->worker->contention != NULL, 0))
        warp_texel_contention(w, info, access->mask, access->surface);
    if (!ok)
        warp_texel_trap(w, s->info, access->faults, access->surface, access->fault);
    if (ok && __builtin_expect(info->access->residency, 0))
        put_residency(w, info, access);
    return ok;
}

/* The same, where each lane names a mip level. */
static bool by_level(struct warp *w, const struct step *s, struct surface_warp *access)
{
    const struct surface *surface = access->surface;
    const uint32_t *named = levels(w, s->info);
    uint32_t lanes = access->mask;
    while (lanes) {
        uint32_t wanted = named[__builtin_ctz(lanes)];
        struct surface view;
        access->mask = 0;
        for (unsigned l = 0; l < LANES; l++)
            access->mask |= (uint32_t)(named[l] == wanted) << l;
        access->mask &= lanes;
        lanes &= ~access->mask;
        access->surface = surface;
        if (wanted) {
            surface_at_level(surface, wanted, &view);
            access->surface = &view;
        }
        if (!carry_out(w, s, access))
            return false;
    }
    return true;
}

/* The lanes of access->mask, which have one handle. False after a trap. */
static inline bool same_handle(struct warp *w, const struct step *s, struct surface_warp *access, uint64_t handle)
{
    const struct surface_ref *ref = look_up_cached(w, s, access->mask, handle);
    if (!ref)
        return false;
    access->surface = warp_bound(w, s->info, access->mask, ref);
    if (!access->surface)
        return false;
    unsigned op = s->info->inst->op;
    if (op == LANE_OP_sured || op == LANE_OP_suatom)
        w->atomics += (uint32_t)__builtin_popcount(access->mask);
    return __builtin_expect(s->info->access->level, 0) ? by_level(w, s, access) : carry_out(w, s, access);
}

static const struct step *go_surface(struct warp *w, const struct step *s)
{
    uint32_t lanes = step_lanes(w, s);
    struct surface_warp access;
    if (!lanes)
        return s + 1;
    w->accesses[LANE_SURFACE]++;
    operands(w, s->info, &access);
    const uint64_t *handles = __builtin_assume_aligned(w->frame.regs + s->at.a, 64);
    while (lanes) {
        uint64_t handle = handles[__builtin_ctz(lanes)];
        access.mask = lanes_with(handles, handle, lanes);
        if (!same_handle(w, s, &access, handle))
            return NULL;
        lanes &= ~access.mask;
    }
    return s + 1;
}

/* The handle is a parameter or a reference: nothing to compare. */
static const struct step *go_surface_uniform(struct warp *w, const struct step *s)
{
    struct surface_warp access;
    uint64_t handle;
    access.mask = step_lanes(w, s);
    if (!access.mask)
        return s + 1;
    w->accesses[LANE_SURFACE]++;
    operands(w, s->info, &access);
    memcpy(&handle, w->frame.regs + s->at.a, sizeof handle);
    return same_handle(w, s, &access, handle) ? s + 1 : NULL;
}

static uint32_t static_field(const struct lane_surfref_init *init, unsigned what)
{
    const uint32_t fields[LANE_SUQS] = {
        init->width,         init->height,     init->depth,        init->channel_data_type,
        init->channel_order, init->array_size, init->memory_layout};
    return fields[what];
}

/* An unbound reference answers with its static initial fields. */
static const struct step *go_suq(struct warp *w, const struct step *s)
{
    uint32_t lanes = step_lanes(w, s);
    const uint64_t *handles = (const void *)(w->frame.regs + s->at.a);
    unsigned what = s->info->inst->mode;
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);
        const struct surface_ref *ref = warp_handle(w, s->info, UINT32_C(1) << l, handles[l]);
        if (!ref)
            return NULL;
        if (!ref->surface && (!ref->init || !ref->init->given))
            return warp_trap(w, s->info, UINT32_C(1) << l, "unbound-surface", handles[l], NULL,
                             "surface reference '%s' is not bound and has no initial fields", ref->name);
        uint32_t value = ref->surface ? surface_query(ref->surface, what) : static_field(ref->init, what);
        memcpy(w->frame.regs + s->at.d + 4 * l, &value, 4);
    }
    return s + 1;
}

step_fn *KERNEL_NAME(surface_handler)(const struct step *step)
{
    if (lane_is(step->info->op, LANE_TEXELS))
        return step->info->uniform ? go_surface_uniform : go_surface;
    return step->info->op == LANE_OP_suq ? go_suq : sampler_handler(step->info->op);
}

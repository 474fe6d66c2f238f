/* Handles of surfaces: what they stand for, and the traps of those that stand for nothing. Traps of texels. */
#include "engine/run.h"

#include <stdio.h>

const struct surface_ref *warp_handle(struct warp *warp, const struct decoded *at, uint32_t lanes, uint64_t handle)
{
    const struct device *device = warp->worker->run->program->device;
    const struct surface_ref *ref = device_surface(device, handle);
    if (!ref && !handle && warp->func->lane->warp_lanes) /* the surface state of an index that has none */
        warp_trap(warp, at, lanes, "unbound-surface", 0, NULL, "no surface is bound at this index");
    else if (!ref && !handle)
        warp_trap(warp, at, lanes, "null", 0, NULL, "0x0 is not the handle of a surface: a null handle");
    else if (!ref && !device_is_header(device, handle))
        warp_trap(warp, at, lanes, "bad-handle", handle, NULL, "0x%llx is not the handle of a surface",
                  (unsigned long long)handle);
    else if (!ref)
        warp_trap(warp, at, lanes, "bad-handle", handle, NULL,
                  "0x%llx is not the handle of a surface: no such header; the last is %u", (unsigned long long)handle,
                  device_last_header(device));
    return ref;
}

const struct surface *warp_bound(struct warp *warp, const struct decoded *at, uint32_t lanes,
                                 const struct surface_ref *ref)
{
    if (!ref->surface)
        warp_trap(warp, at, lanes, "unbound-surface", ref->handle, NULL,
                  "surface reference '%s' is not bound to a surface", ref->name);
    return ref->surface;
}

/* The layer is an unsigned number; so is x of 1D_BUFFER, but where it clamps to the nearest texel (the instruction
 * reference of SUATOM), and everything where the surface decides. All else is signed. */
static int64_t coordinate(const struct warp *w, const struct decoded *at, unsigned k, unsigned lane)
{
    const struct lane_access *access = at->access;
    uint32_t value = (uint32_t)decoded_operand(w, at, at->ndst + 1 + k, lane);
    bool layer = k > 0 && lane_geometries[access->dim].axes[k - 1] == LANE_AXIS_LAYER;
    bool offset = access->dim == LANE_DIM_1D_BUFFER && access->clamp != LANE_CLAMP_NEAR;
    return access->dim == LANE_DIM_ANY || layer || offset ? (int64_t)value : (int32_t)value;
}

/* A mip level that the surface has not. */
static void no_level(struct warp *w, const struct decoded *at, uint32_t lanes, const struct surface *surface,
                     const int64_t coord[3])
{
    unsigned ncoords = lane_geometries[at->access->dim].coordinates, lane = (unsigned)__builtin_ctz(lanes);
    warp_trap(w, at, lanes, "out-of-bounds", surface->handle, coord, "mip level %u: the surface has levels 0 to %u",
              (uint32_t)decoded_operand(w, at, at->ndst + 1 + ncoords, lane), surface_levels(surface) - 1);
}

void warp_texel_trap(struct warp *w, const struct decoded *at, uint32_t lanes, const struct surface *surface,
                     enum surface_fault fault)
{
    const struct lane_access *a = at->access;
    unsigned lane = (unsigned)__builtin_ctz(lanes), n = lane_geometries[surface_dim(surface, a)].coordinates;
    int64_t coord[3] = {0, 0, 0};
    char place[80], extent[280];
    for (unsigned k = 0; k < n; k++)
        coord[k] = coordinate(w, at, k, lane);
    const char *unit = a->unit == LANE_UNIT_BYTE ? "bytes" : "texels";
    snprintf(place, sizeof place,
             n == 1   ? "(%lld)"
             : n == 2 ? "(%lld, %lld)"
                      : "(%lld, %lld, %lld)",
             (long long)coord[0], (long long)coord[1], (long long)coord[2]);
    snprintf(extent, sizeof extent, "%s surface%s%s%s of %u x %u x %u texels %s, rows of %u bytes",
             lane_geometries[surface->dim].name, surface->name ? " '" : "", surface->name ? surface->name : "",
             surface->name ? "'" : "", surface->width, surface->height, surface->slices, surface->format->name,
             surface->row_bytes);
    switch (fault) {
    case SURFACE_MISALIGNED:
        warp_trap(w, at, lanes, "misaligned", surface->handle, coord,
                  "coordinate %s (x in %s) is not a multiple of the access size; %s", place, unit, extent);
        break;
    case SURFACE_DIMENSION:
        warp_trap(w, at, lanes, "wrong-dimension", surface->handle, coord, "a %s access to a %s",
                  lane_geometries[a->dim].name, extent);
        break;
    case SURFACE_FORMAT:
        warp_trap(w, at, lanes, "wrong-format", surface->handle, coord,
                  "an access of %u x %s does not fit the format; %s", a->vec, lane_type_name(a->type), extent);
        break;
    default:
        if (!surface->row_bytes)
            no_level(w, at, lanes, surface, coord);
        else
            warp_trap(w, at, lanes, "out-of-bounds", surface->handle, coord,
                      "coordinate %s (x in %s) is outside of the %s", place, unit, extent);
    }
}

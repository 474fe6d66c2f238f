/* Handles of surfaces: what they stand for, and the traps of those that stand for nothing. */
#include "engine/run.h"

const struct surface_ref *warp_handle(struct warp *warp, const struct decoded *at, uint32_t lanes, uint64_t handle)
{
    const struct device *device = warp->worker->run->program->device;
    const struct surface_ref *ref = device_surface(device, handle);
    if (!ref && !device_is_header(device, handle))
        warp_trap(warp, at, lanes, "bad-handle", handle, NULL, "0x%llx is not the handle of a surface",
                  (unsigned long long)handle);
    else if (!ref)
        warp_trap(warp, at, lanes, handle ? "bad-handle" : "null", handle, NULL,
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

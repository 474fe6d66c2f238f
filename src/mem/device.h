/* A device: one address space and the table of what surface handles mean. */
#ifndef ATOLL_MEM_DEVICE_H
#define ATOLL_MEM_DEVICE_H

#include "mem/space.h"
#include "mem/surface.h"

/* What a handle stands for: a surface, or a surface reference of a module (bound or not). */
struct surface_ref {
    uint64_t handle;
    struct surface *surface;              /* NULL: reference not bound */
    const struct lane_surfref_init *init; /* static initial fields of a reference, else NULL */
    const char *name;                     /* of a reference, else NULL */
};

struct device;

bool device_create(uint64_t memory_limit, struct device **device, struct atoll_error *error);
void device_destroy(struct device *device);
struct space *device_space(struct device *device);

/* Surfaces are in a table of headers; a surface's handle is its index there, in all instruction families. (Where
 * handles hold other things besides, such as a sampler's index, front ends mask them.) Indexes are no addresses:
 * DEVICE_HEADERS is where these begin. */
#define DEVICE_HEADERS    SPACE_SHARED
#define DEVICE_HEADER_ANY UINT32_MAX /* one that is free, not lately given back; never 0, as unbound references say */
/* The largest index there may be, below DEVICE_HEADERS; what families' handles can hold. A new device
 * has DEVICE_HEADERS - 1. */
void device_limit_headers(struct device *device, uint32_t last);

/* Registers a surface and gives it a handle (surface->handle): `index`, or one that is chosen. */
bool device_add_surface(struct device *device, struct surface *surface, uint32_t index, struct atoll_error *error);
/* The formats of all surfaces that were ever registered: bit i is format_at(i). */
uint64_t device_formats(const struct device *device);
/* Whether a handle could be that of a header, used or not. */
bool device_is_header(const struct device *device, uint64_t handle);
/* The largest index in use; 0 where none is. */
uint32_t device_last_header(const struct device *device);
/* What code can read of surfaces besides their headers: an entry of `count` words for each header from 0 to the last in
 * use, each an attribute (enum lane_suq) or 0 (LANE_SUQS). Memory of the device, to be freed by space_free. */
bool device_describe(struct device *device, const uint8_t *entry, unsigned count, uint64_t *address,
                     struct atoll_error *error);
/* Registers a surface reference under its own handle (the device address of its 8 bytes). */
bool device_add_reference(struct device *device, const struct surface_ref *ref, struct atoll_error *error);
/* Binds (or with NULL unbinds) a reference. False: no such reference. */
bool device_bind(struct device *device, uint64_t handle, struct surface *surface);
/* Removes a handle; references bound to the removed surface become unbound. */
void device_remove(struct device *device, uint64_t handle);
/* NULL: nothing has this handle. The table does not change while kernels run. */
const struct surface_ref *device_surface(const struct device *device, uint64_t handle);

#endif

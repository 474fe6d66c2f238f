/* Devices: the address space, the table of surface headers and the list of surface references.
 *
 * The handle of a surface is its index in the table of headers. Those that are chosen go round through the indexes from
 * 1 to `round`, which grows so that at least half of them are free: an index that was given back comes again late, so
 * that a stale handle is found out, and a table of surfaces that come and go stays small. Handles of surface references
 * are device addresses, which begin above all indexes (space.h).
 */
#include "mem/device.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROUND = 1023 };

struct device {
    struct space *space;
    struct surface_ref *references; /* in the order of their handles */
    size_t count, capacity;
    struct surface_ref *headers;                                  /* by index; surface NULL = empty */
    uint32_t nheaders, header_capacity, next_header, last_header; /* the last: that there may be */
    uint32_t used_headers, round;
    uint64_t formats; /* that surfaces have had */
};

bool device_create(uint64_t memory_limit, struct device **device, struct atoll_error *error)
{
    struct device *created = calloc(1, sizeof *created);
    if (!created)
        return error_memory(error);
    created->next_header = 1;
    created->round = LEAST_ROUND;
    created->last_header = DEVICE_HEADERS - 1;
    if (!space_create(memory_limit, &created->space, error)) {
        free(created);
        return false;
    }
    *device = created;
    return true;
}

void device_destroy(struct device *device)
{
    if (!device)
        return;
    space_destroy(device->space);
    free(device->headers);
    free(device->references);
    free(device);
}

struct space *device_space(struct device *device)
{
    return device->space;
}

void device_limit_headers(struct device *device, uint32_t last)
{
    device->last_header = last < DEVICE_HEADERS ? last : DEVICE_HEADERS - 1;
}

bool device_is_header(const struct device *device, uint64_t handle)
{
    return handle <= device->last_header;
}

/* ---- headers --------------------------------------------------------------------------------------------- */

static const struct surface_ref *header_get(const struct device *device, uint64_t index)
{
    return index < device->nheaders && device->headers[index].surface ? &device->headers[index] : NULL;
}

static bool headers_grow(struct device *device, uint32_t index, struct atoll_error *error)
{
    uint32_t capacity = device->header_capacity ? device->header_capacity : 16;
    while (capacity <= index)
        capacity *= 2;
    if (capacity > device->header_capacity) {
        struct surface_ref *more = realloc(device->headers, capacity * sizeof *more);
        if (!more)
            return error_memory(error);
        device->headers = more;
        device->header_capacity = capacity;
    }
    for (; device->nheaders <= index; device->nheaders++)
        device->headers[device->nheaders] = (struct surface_ref){0};
    return true;
}

/* The next index that is free, of those from 1 to where the round ends; 0: none. */
static uint32_t header_choose(struct device *device)
{
    while (device->round / 2 < device->used_headers && device->round < device->last_header)
        device->round = device->round * 2 + 1;
    uint32_t last = device->round < device->last_header ? device->round : device->last_header;
    for (uint32_t tries = 0, index = device->next_header; tries < last; tries++) {
        if (index > last)
            index = 1;
        if (!header_get(device, index))
            return index;
        index++;
    }
    return 0;
}

bool device_add_surface(struct device *device, struct surface *surface, uint32_t index, struct atoll_error *error)
{
    bool any = index == DEVICE_HEADER_ANY;
    if (!any && index > device->last_header)
        return error_set(error, ATOLL_USAGE, "surface header %u is out of range: the last possible is 0x%x", index,
                         device->last_header);
    if (!any && header_get(device, index))
        return error_set(error, ATOLL_USAGE, "surface header %u is in use", index);
    uint32_t chosen = any ? header_choose(device) : index;
    if (any && !chosen)
        return error_set(error, ATOLL_LIMIT, "all %u surface headers are in use", device->last_header);
    if (!headers_grow(device, chosen, error))
        return false;
    device->headers[chosen] = (struct surface_ref){.handle = chosen, .surface = surface};
    device->used_headers++;
    if (any)
        device->next_header = chosen + 1;
    surface->handle = chosen;
    device->formats |= UINT64_C(1) << format_index(surface->shape.format);
    return true;
}

uint64_t device_formats(const struct device *device)
{
    return device->formats;
}

uint32_t device_last_header(const struct device *device)
{
    uint32_t last = device->nheaders;
    while (last > 0 && !device->headers[last - 1].surface)
        last--;
    return last ? last - 1 : 0;
}

bool device_describe(struct device *device, const uint8_t *entry, unsigned count, uint64_t *address,
                     struct atoll_error *error)
{
    uint32_t headers = device_last_header(device) + 1;
    uint64_t bytes = (uint64_t)count * sizeof(uint32_t);
    struct space_block block;
    if (!space_alloc(device->space, headers * bytes, true, false, address, error) ||
        !space_find(device->space, *address, &block))
        return false;
    for (uint32_t i = 0; i < headers; i++) {
        const struct surface_ref *ref = header_get(device, i);
        for (unsigned k = 0; k < count; k++) {
            uint32_t word = ref && entry[k] != LANE_SUQS ? surface_query(ref->surface, entry[k]) : 0;
            memcpy(block.host + i * bytes + k * sizeof word, &word, sizeof word);
        }
    }
    return true;
}

/* ---- references ------------------------------------------------------------------------------------------ */

/* The first reference whose handle is not smaller. */
static size_t reference_at(const struct device *device, uint64_t handle)
{
    size_t low = 0, high = device->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (device->references[middle].handle < handle)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct surface_ref *reference_get(const struct device *device, uint64_t handle)
{
    size_t at = reference_at(device, handle);
    return at < device->count && device->references[at].handle == handle ? &device->references[at] : NULL;
}

static bool references_grow(struct device *device, struct atoll_error *error)
{
    size_t capacity = device->capacity ? device->capacity * 2 : 16;
    if (device->count < device->capacity)
        return true;
    struct surface_ref *more = realloc(device->references, capacity * sizeof *more);
    if (!more)
        return error_memory(error);
    device->references = more;
    device->capacity = capacity;
    return true;
}

bool device_add_reference(struct device *device, const struct surface_ref *ref, struct atoll_error *error)
{
    assert(ref->handle >= DEVICE_HEADERS);
    if (reference_get(device, ref->handle))
        return error_set(error, ATOLL_USAGE, "surface reference 0x%llx is in use", (unsigned long long)ref->handle);
    if (!references_grow(device, error))
        return false;
    size_t at = reference_at(device, ref->handle);
    memmove(&device->references[at + 1], &device->references[at], (device->count++ - at) * sizeof *ref);
    device->references[at] = *ref;
    return true;
}

bool device_bind(struct device *device, uint64_t handle, struct surface *surface)
{
    struct surface_ref *ref = reference_get(device, handle);
    if (!ref)
        return false;
    ref->surface = surface;
    return true;
}

static void surface_remove(struct device *device, uint64_t index)
{
    const struct surface *gone = device->headers[index].surface;
    device->headers[index] = (struct surface_ref){0};
    device->used_headers--;
    for (size_t i = 0; i < device->count; i++)
        if (device->references[i].surface == gone)
            device->references[i].surface = NULL;
}

void device_remove(struct device *device, uint64_t handle)
{
    struct surface_ref *ref = reference_get(device, handle);
    if (header_get(device, handle))
        surface_remove(device, handle);
    if (!ref)
        return;
    size_t after = device->count-- - (size_t)(ref - device->references) - 1;
    memmove(ref, ref + 1, after * sizeof *ref);
}

const struct surface_ref *device_surface(const struct device *device, uint64_t handle)
{
    return device_is_header(device, handle) ? header_get(device, handle) : reference_get(device, handle);
}

/* Devices: the address space, the table of surface headers and the hash table of surface references.
 *
 * The handle of a surface is its index in the table of headers, as a CUDA surface object is. Those that are chosen
 * count upwards from 1 and are used again only when the last has been given out, so a stale handle is found out.
 * Handles of surface references are device addresses, which begin far above the last index (space.h).
 */
#include "mem/device.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert(SPACE_SHARED > DEVICE_HEADER_LAST, "indexes are no addresses");

struct device {
    struct space *space;
    struct surface_ref *slots; /* open addressing, linear probing; handle 0 = free */
    size_t capacity;           /* power of two, at least twice `count`; 0 before the first entry */
    size_t count;
    struct surface_ref *headers; /* by index; surface NULL = empty */
    uint32_t nheaders, header_capacity, next_header;
};

bool device_create(uint64_t memory_limit, struct device **device, struct atoll_error *error)
{
    struct device *created = calloc(1, sizeof *created);
    if (!created)
        return error_memory(error);
    created->next_header = 1;
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
    free(device->slots);
    free(device);
}

struct space *device_space(struct device *device)
{
    return device->space;
}

/* Fibonacci hashing: handles are consecutive numbers or multiples of 256. */
static size_t slot_first(const struct device *device, uint64_t handle)
{
    return (size_t)((handle * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (device->capacity - 1);
}

/* The slot of `handle`, or the free one where it would go. There is always a free one. */
static size_t slot_find(const struct device *device, uint64_t handle)
{
    size_t slot = slot_first(device, handle);
    while (device->slots[slot].handle && device->slots[slot].handle != handle)
        slot = (slot + 1) & (device->capacity - 1);
    return slot;
}

static bool table_grow(struct device *device, struct atoll_error *error)
{
    struct device bigger = *device;
    bigger.capacity = device->capacity ? device->capacity * 2 : 16;
    bigger.slots = calloc(bigger.capacity, sizeof *bigger.slots);
    if (!bigger.slots)
        return error_memory(error);
    for (size_t i = 0; i < device->capacity; i++)
        if (device->slots[i].handle)
            bigger.slots[slot_find(&bigger, device->slots[i].handle)] = device->slots[i];
    free(device->slots);
    *device = bigger;
    return true;
}

static bool table_add(struct device *device, const struct surface_ref *ref, struct atoll_error *error)
{
    if ((device->count + 1) * 2 > device->capacity && !table_grow(device, error))
        return false;
    size_t slot = slot_find(device, ref->handle);
    if (device->slots[slot].handle)
        return error_set(error, ATOLL_USAGE, "surface reference 0x%llx is in use", (unsigned long long)ref->handle);
    device->slots[slot] = *ref;
    device->count++;
    return true;
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

/* The next index that is free, of those from 1 on; 0: none. */
static uint32_t header_choose(const struct device *device)
{
    for (uint32_t tries = 0, index = device->next_header; tries < DEVICE_HEADER_LAST; tries++) {
        if (index > DEVICE_HEADER_LAST)
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
    if (!any && (index > DEVICE_HEADER_LAST || header_get(device, index)))
        return error_set(error, ATOLL_USAGE, "surface header %u %s", index,
                         index > DEVICE_HEADER_LAST ? "is out of range: the last possible is 0xfffff" : "is in use");
    uint32_t chosen = any ? header_choose(device) : index;
    if (any && !chosen)
        return error_set(error, ATOLL_LIMIT, "all %u surface headers are in use", DEVICE_HEADER_LAST);
    if (!headers_grow(device, chosen, error))
        return false;
    device->headers[chosen] = (struct surface_ref){.handle = chosen, .surface = surface};
    if (any)
        device->next_header = chosen + 1;
    surface->handle = chosen;
    return true;
}

uint32_t device_last_header(const struct device *device)
{
    uint32_t last = device->nheaders;
    while (last > 0 && !device->headers[last - 1].surface)
        last--;
    return last ? last - 1 : 0;
}

/* Offsets as ptxas 11.8 and 12.4 read them; the size is what the relocation .nv.surfrefDescSize is filled with. */
static const uint8_t descriptor_words[LANE_SURFACE_ENTRY / 4] = {
    LANE_SUQ_WIDTH,         LANE_SUQ_HEIGHT,        LANE_SUQ_DEPTH, LANE_SUQ_CHANNEL_DATA_TYPE,
    LANE_SUQ_CHANNEL_ORDER, LANE_SUQ_MEMORY_LAYOUT, LANE_SUQS,      LANE_SUQ_ARRAY_SIZE,
};

bool device_describe(struct device *device, uint64_t *address, struct atoll_error *error)
{
    uint32_t count = device_last_header(device) + 1;
    struct space_block block;
    if (!space_alloc(device->space, (uint64_t)count * LANE_SURFACE_ENTRY, true, false, address, error) ||
        !space_find(device->space, *address, &block))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct surface_ref *ref = header_get(device, i);
        uint32_t words[LANE_SURFACE_ENTRY / 4] = {0};
        for (unsigned k = 0; ref && k < LANE_SURFACE_ENTRY / 4; k++)
            words[k] = descriptor_words[k] == LANE_SUQS ? 0 : surface_query(ref->surface, descriptor_words[k]);
        memcpy(block.host + (size_t)i * LANE_SURFACE_ENTRY, words, sizeof words);
    }
    return true;
}

/* ---- references ------------------------------------------------------------------------------------------ */

bool device_add_reference(struct device *device, const struct surface_ref *ref, struct atoll_error *error)
{
    assert(ref->handle > DEVICE_HEADER_LAST);
    return table_add(device, ref, error);
}

static struct surface_ref *table_get(const struct device *device, uint64_t handle)
{
    if (!device->count || !handle)
        return NULL;
    struct surface_ref *ref = &device->slots[slot_find(device, handle)];
    return ref->handle ? ref : NULL;
}

bool device_bind(struct device *device, uint64_t handle, struct surface *surface)
{
    struct surface_ref *ref = table_get(device, handle);
    if (!ref)
        return false;
    ref->surface = surface;
    return true;
}

/* Empties a slot and moves later entries of the same run up, so that probing still finds them. */
static void slot_clear(struct device *device, size_t hole)
{
    size_t mask = device->capacity - 1;
    device->slots[hole] = (struct surface_ref){0};
    for (size_t i = (hole + 1) & mask; device->slots[i].handle; i = (i + 1) & mask) {
        size_t home = slot_first(device, device->slots[i].handle);
        if (((i - home) & mask) < ((i - hole) & mask))
            continue; /* its home lies behind the hole: it can stay */
        device->slots[hole] = device->slots[i];
        device->slots[i] = (struct surface_ref){0};
        hole = i;
    }
}

static void surface_remove(struct device *device, uint64_t index)
{
    const struct surface *gone = device->headers[index].surface;
    device->headers[index] = (struct surface_ref){0};
    for (size_t i = 0; i < device->capacity; i++)
        if (device->slots[i].handle && device->slots[i].surface == gone)
            device->slots[i].surface = NULL;
}

void device_remove(struct device *device, uint64_t handle)
{
    struct surface_ref *ref = table_get(device, handle);
    if (header_get(device, handle))
        surface_remove(device, handle);
    if (!ref)
        return;
    slot_clear(device, (size_t)(ref - device->slots));
    device->count--;
}

const struct surface_ref *device_surface(const struct device *device, uint64_t handle)
{
    return handle <= DEVICE_HEADER_LAST ? header_get(device, handle) : table_get(device, handle);
}

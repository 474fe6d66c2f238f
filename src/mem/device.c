/* Devices: the address space and the hash table from surface handle to surface.
 *
 * Handles of surfaces count upwards from HANDLE_FIRST and are never used twice, so a stale handle is found out.
 * Handles of surface references are device addresses; these end far below HANDLE_FIRST.
 */
#include "mem/device.h"

#include <stdlib.h>

#define HANDLE_FIRST UINT64_C(0x4154000000000001) /* "AT" in the top bytes: easy to see in a dump */

struct device {
    struct space *space;
    struct surface_ref *slots; /* open addressing, linear probing; handle 0 = free */
    size_t capacity;           /* power of two, at least twice `count`; 0 before the first entry */
    size_t count;
    uint64_t next_handle;
};

bool device_create(uint64_t memory_limit, struct device **device, struct atoll_error *error)
{
    struct device *created = calloc(1, sizeof *created);
    if (!created)
        return error_memory(error);
    created->next_handle = HANDLE_FIRST;
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
        return error_set(error, ATOLL_USAGE, "surface handle 0x%llx is in use", (unsigned long long)ref->handle);
    device->slots[slot] = *ref;
    device->count++;
    return true;
}

bool device_add_surface(struct device *device, struct surface *surface, struct atoll_error *error)
{
    struct surface_ref ref = {.handle = device->next_handle, .surface = surface};
    if (!table_add(device, &ref, error))
        return false;
    surface->handle = device->next_handle++;
    return true;
}

bool device_add_reference(struct device *device, const struct surface_ref *ref, struct atoll_error *error)
{
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
    if (!ref || !ref->name)
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

void device_remove(struct device *device, uint64_t handle)
{
    struct surface_ref *ref = table_get(device, handle);
    if (!ref)
        return;
    const struct surface *gone = ref->name ? NULL : ref->surface;
    slot_clear(device, (size_t)(ref - device->slots));
    device->count--;
    for (size_t i = 0; gone && i < device->capacity; i++)
        if (device->slots[i].name && device->slots[i].surface == gone)
            device->slots[i].surface = NULL;
}

const struct surface_ref *device_surface(const struct device *device, uint64_t handle)
{
    return table_get(device, handle);
}

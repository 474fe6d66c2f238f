/* atoll.h: surfaces and the list of formats. */
#include "api/api.h"
#include "mem/written.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static_assert((int)ATOLL_DIM_1D == (int)LANE_DIM_1D && (int)ATOLL_DIM_1D_BUFFER == (int)LANE_DIM_1D_BUFFER &&
                  (int)ATOLL_DIM_1D_ARRAY == (int)LANE_DIM_1D_ARRAY && (int)ATOLL_DIM_2D == (int)LANE_DIM_2D &&
                  (int)ATOLL_DIM_2D_ARRAY == (int)LANE_DIM_2D_ARRAY && (int)ATOLL_DIM_3D == (int)LANE_DIM_3D,
              "the two lists of dimensions are one");

static_assert((int)ATOLL_LAYOUT_SETTINGS == (int)LAYOUT_SETTINGS, "settings are copied");

bool atoll_format_find(const char *name, struct atoll_format_info *info, struct atoll_error *error)
{
    static const char kinds[] = {
        [FORMAT_UNORM] = 'n', [FORMAT_SNORM] = 's', [FORMAT_UINT] = 'u', [FORMAT_SINT] = 'i', [FORMAT_FLOAT] = 'f'};
    if (!name || !info)
        return error_set(error, ATOLL_USAGE, "atoll_format_find: %s is NULL", name ? "info" : "name");
    const struct format *format = format_find(name);
    if (!format) {
        struct nearest nearest = format_nearest(name);
        error_set(error, ATOLL_USAGE, "unknown surface format '%.100s'", name);
        return error_nearest(error, &nearest);
    }
    *info = (struct atoll_format_info){
        .name = format->name, .bytes = format->bytes, .channels = format->channels, .kind = kinds[format->kind]};
    for (int i = 0; i < 4; i++)
        info->bits[i] = format->bits[i];
    return true;
}

const char *atoll_format_name(unsigned index)
{
    const struct format *format = format_at(index);
    return format ? format->name : NULL;
}

const char *atoll_layout_name(unsigned index)
{
    const struct layout *layout = layout_at(index);
    return layout ? layout->name : NULL;
}

bool atoll_layout_find(const char *name, struct atoll_layout_info *info, struct atoll_error *error)
{
    if (!name || !info)
        return error_set(error, ATOLL_USAGE, "atoll_layout_find: %s is NULL", name ? "info" : "name");
    const struct layout *layout = layout_find(name);
    if (!layout)
        return error_set(error, ATOLL_USAGE, "unknown surface layout '%.100s'", name);
    *info = (struct atoll_layout_info){.name = layout->name, .levels = layout->levels};
    for (unsigned i = 0; i < LAYOUT_SETTINGS; i++) {
        info->settings[i].name = layout->settings[i].name;
        info->settings[i].unit = layout->settings[i].unit;
    }
    return true;
}

static bool too_large(uint64_t size, uint64_t room, struct atoll_error *error)
{
    return error_set(error, ATOLL_LIMIT,
                     "a surface of %" PRIu64 " bytes exceeds the memory limit (%" PRIu64 " bytes left)", size, room);
}

static bool shape_of(const struct atoll_surface_desc *desc, struct surface_shape *shape, struct atoll_error *error)
{
    if ((unsigned)desc->dimension >= LANE_DIMS)
        return error_set(error, ATOLL_USAGE, "atoll_surface_create: unknown dimension %u", (unsigned)desc->dimension);
    const char *layout = desc->layout.name ? desc->layout.name : layout_at(0)->name;
    *shape = (struct surface_shape){.dim = (uint8_t)desc->dimension,
                                    .width = desc->width,
                                    .height = desc->height,
                                    .depth = desc->depth,
                                    .layers = desc->layers,
                                    .format = desc->format ? format_find(desc->format) : NULL,
                                    .layout = layout_find(layout),
                                    .levels = desc->levels,
                                    .level = desc->level,
                                    .quad = desc->quad};
    if (!shape->format)
        return error_set(error, ATOLL_USAGE, "atoll_surface_create: unknown format '%.100s'",
                         desc->format ? desc->format : "(null)");
    if (!shape->layout)
        return error_set(error, ATOLL_USAGE, "atoll_surface_create: unknown layout '%.100s'", layout);
    memcpy(shape->settings, desc->layout.settings, sizeof shape->settings);
    return true;
}

/* In memory of its own. */
static bool make_own(const struct atoll_device *device, const struct surface_shape *shape, struct surface **surface,
                     struct atoll_error *error)
{
    uint64_t room = device->limit > device->surface_bytes ? device->limit - device->surface_bytes : 0, size;
    if (!surface_measure(shape, &size, error))
        return false;
    if (size > room)
        return too_large(size, room, error);
    return surface_make(shape, surface, error);
}

/* In device memory. */
static bool make_at(const struct atoll_device *device, uint64_t address, const struct surface_shape *shape,
                    struct surface **surface, struct atoll_error *error)
{
    struct space_block block;
    if (address % SURFACE_ALIGN)
        return error_set(error, ATOLL_USAGE, "a surface at 0x%" PRIx64 ": must be a multiple of %d", address,
                         SURFACE_ALIGN);
    if (!space_find(device_space(device->device), address, &block))
        return error_set(error, ATOLL_USAGE, "a surface at 0x%" PRIx64 ": no allocation holds this address", address);
    if (block.readonly || block.heap)
        return error_set(error, ATOLL_USAGE, "a surface at 0x%" PRIx64 ": that is %s", address,
                         block.readonly ? "a constant variable" : "memory of a kernel's malloc");
    uint64_t offset = address - block.address;
    return surface_make_at(shape, block.host + offset, block.size - offset, surface, error);
}

static bool make(const struct atoll_device *device, const struct atoll_surface_desc *desc, struct surface **surface,
                 struct atoll_error *error)
{
    struct surface_shape shape;
    if (!shape_of(desc, &shape, error) || !(desc->address ? make_at(device, desc->address, &shape, surface, error)
                                                          : make_own(device, &shape, surface, error)))
        return false;
    surface_disable(*surface, desc->disabled);
    struct space *space = device_space(device->device);
    if (!desc->address && ((*surface)->written = calloc(1, sizeof *(*surface)->written)))
        (*surface)->written->since = space_stamp(space);
    return true;
}

/* Bytes that count against the device's limit. */
static uint64_t own_bytes(const struct atoll_surface *surface)
{
    return surface->address ? 0 : surface->surface->memory_size;
}

bool atoll_surface_create(struct atoll_device *device, const struct atoll_surface_desc *desc,
                          struct atoll_surface **surface, struct atoll_error *error)
{
    if (!device || !desc || !surface)
        return error_set(error, ATOLL_USAGE, "atoll_surface_create: %s is NULL",
                         !device ? "device"
                         : !desc ? "desc"
                                 : "surface");
    *surface = NULL;
    struct atoll_surface *created = calloc(1, sizeof *created);
    if (!created)
        return error_memory(error);
    if (!make(device, desc, &created->surface, error)) {
        free(created);
        return false;
    }
    created->address = desc->address;
    uint32_t index = desc->index || desc->index_given ? desc->index : DEVICE_HEADER_ANY;
    if (!device_add_surface(device->device, created->surface, index, error)) {
        surface_destroy(created->surface);
        free(created);
        return false;
    }
    device->surface_bytes += own_bytes(created);
    created->owner = device;
    created->next = device->surfaces;
    created->link = &device->surfaces;
    if (created->next)
        created->next->link = &created->next;
    device->surfaces = created;
    *surface = created;
    return true;
}

void atoll_surface_destroy(struct atoll_surface *surface)
{
    if (!surface)
        return;
    *surface->link = surface->next;
    if (surface->next)
        surface->next->link = surface->link;
    surface->owner->surface_bytes -= own_bytes(surface);
    if (!surface->lost)
        device_remove(surface->owner->device, surface->surface->handle);
    surface_destroy(surface->surface);
    free(surface);
}

void surfaces_forget(struct atoll_device *device, uint64_t address)
{
    struct space_block block;
    if (!space_find(device_space(device->device), address, &block) || block.address != address)
        return;
    for (struct atoll_surface *s = device->surfaces; s; s = s->next) {
        if (s->lost || s->address < block.address || s->address - block.address >= block.size)
            continue;
        device_remove(device->device, s->surface->handle);
        s->lost = true;
    }
}

bool surface_alive(const struct atoll_surface *surface, const char *function, struct atoll_error *error)
{
    return !surface->lost || error_set(error, ATOLL_USAGE, "%s: the memory of the surface at 0x%" PRIx64 " was freed",
                                       function, surface->address);
}

bool atoll_surface_name(struct atoll_surface *surface, const char *name, struct atoll_error *error)
{
    if (!surface || !name)
        return error_set(error, ATOLL_USAGE, "atoll_surface_name: %s is NULL", surface ? "name" : "surface");
    if (!surface_alive(surface, "atoll_surface_name", error))
        return false;
    snprintf(surface->name, sizeof surface->name, "%s", name);
    surface->surface->name = surface->name[0] ? surface->name : NULL;
    return true;
}

void atoll_surface_describe(const struct atoll_surface *surface, struct atoll_surface_desc *desc)
{
    const struct surface *s = surface->surface;
    const struct surface_shape *shape = &s->shape;
    *desc = (struct atoll_surface_desc){.dimension = (enum atoll_dimension)s->dim,
                                        .width = shape->width,
                                        .height = shape->height,
                                        .depth = shape->depth,
                                        .layers = shape->layers,
                                        .format = s->format->name,
                                        .layout = {.name = s->layout->name},
                                        .levels = shape->levels,
                                        .level = shape->level,
                                        .index = (uint32_t)s->handle,
                                        .index_given = true,
                                        .disabled = s->disabled,
                                        .quad = shape->quad,
                                        .address = surface->address};
    s->layout->chosen(s, desc->layout.settings);
}

uint64_t atoll_surface_handle(const struct atoll_surface *surface)
{
    return surface->surface->handle;
}

uint64_t atoll_surface_size(const struct atoll_surface *surface)
{
    return surface_packed_size(surface->surface);
}

bool atoll_surface_write(struct atoll_surface *surface, const void *texels, uint64_t size, struct atoll_error *error)
{
    if (!surface || !texels)
        return error_set(error, ATOLL_USAGE, "atoll_surface_write: %s is NULL", surface ? "texels" : "surface");
    if (!surface_alive(surface, "atoll_surface_write", error) || !surface_upload(surface->surface, texels, size, error))
        return false;
    struct surface *s = surface->surface;
    if (s->written)
        s->written->all = true;
    else if (surface->address)
        space_written(device_space(surface->owner->device), surface->address, s->memory_size);
    return true;
}

bool atoll_surface_reside(struct atoll_surface *surface, uint64_t first, uint64_t count, bool resident,
                          struct atoll_error *error)
{
    if (!surface)
        return error_set(error, ATOLL_USAGE, "atoll_surface_reside: surface is NULL");
    return surface_reside(surface->surface, first, count, resident, error);
}

bool atoll_surface_read(const struct atoll_surface *surface, void *texels, uint64_t size, struct atoll_error *error)
{
    if (!surface || !texels)
        return error_set(error, ATOLL_USAGE, "atoll_surface_read: %s is NULL", surface ? "texels" : "surface");
    return surface_alive(surface, "atoll_surface_read", error) &&
           surface_download(surface->surface, texels, size, error);
}

/* atoll.h: surfaces and the list of formats. */
#include "api/api.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

static_assert((int)ATOLL_DIM_1D == (int)LANE_DIM_1D && (int)ATOLL_DIM_1D_BUFFER == (int)LANE_DIM_1D_BUFFER &&
                  (int)ATOLL_DIM_1D_ARRAY == (int)LANE_DIM_1D_ARRAY && (int)ATOLL_DIM_2D == (int)LANE_DIM_2D &&
                  (int)ATOLL_DIM_2D_ARRAY == (int)LANE_DIM_2D_ARRAY && (int)ATOLL_DIM_3D == (int)LANE_DIM_3D,
              "the two lists of dimensions are one");

bool atoll_format_find(const char *name, struct atoll_format_info *info, struct atoll_error *error)
{
    static const char kinds[] = {
        [FORMAT_UNORM] = 'n', [FORMAT_SNORM] = 's', [FORMAT_UINT] = 'u', [FORMAT_SINT] = 'i', [FORMAT_FLOAT] = 'f'};
    if (!name || !info)
        return error_set(error, ATOLL_USAGE, "atoll_format_find: %s is NULL", name ? "info" : "name");
    const struct format *format = format_find(name);
    if (!format)
        return error_set(error, ATOLL_USAGE, "unknown surface format '%.100s'", name);
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

static bool too_large(uint64_t size, uint64_t room, struct atoll_error *error)
{
    return error_set(error, ATOLL_LIMIT,
                     "a surface of %" PRIu64 " bytes exceeds the memory limit (%" PRIu64 " bytes left)", size, room);
}

/* Bytes of the texels without padding; UINT64_MAX when they are beyond counting. */
static uint64_t packed_size(const struct atoll_surface_desc *desc, const struct format *format)
{
    const uint32_t factors[] = {desc->width, desc->height, desc->depth, desc->layers};
    uint64_t size = format->bytes;
    for (int i = 0; i < 4; i++) {
        if (factors[i] && size > UINT64_MAX / factors[i])
            return UINT64_MAX;
        size *= factors[i] ? factors[i] : 1;
    }
    return size;
}

static bool surface_make(const struct atoll_surface_desc *desc, uint64_t room, struct surface **surface,
                         struct atoll_error *error)
{
    if ((unsigned)desc->dimension >= LANE_DIMS)
        return error_set(error, ATOLL_USAGE, "atoll_surface_create: unknown dimension %u", (unsigned)desc->dimension);
    const struct format *format = desc->format ? format_find(desc->format) : NULL;
    if (!format)
        return error_set(error, ATOLL_USAGE, "atoll_surface_create: unknown format '%.100s'",
                         desc->format ? desc->format : "(null)");
    if (packed_size(desc, format) > room)
        return too_large(packed_size(desc, format), room, error);
    if (!surface_create((uint8_t)desc->dimension, desc->width, desc->height, desc->depth, desc->layers, format,
                        layout_find("pitch"), surface, error))
        return false;
    uint64_t size = (*surface)->size; /* with padding; not touched yet, so it has cost nothing */
    if (size <= room)
        return true;
    surface_destroy(*surface);
    return too_large(size, room, error);
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
    uint64_t room = device->limit > device->surface_bytes ? device->limit - device->surface_bytes : 0;
    if (!surface_make(desc, room, &created->surface, error)) {
        free(created);
        return false;
    }
    if (!device_add_surface(device->device, created->surface, error)) {
        surface_destroy(created->surface);
        free(created);
        return false;
    }
    device->surface_bytes += created->surface->size;
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
    surface->owner->surface_bytes -= surface->surface->size;
    device_remove(surface->owner->device, surface->surface->handle);
    surface_destroy(surface->surface);
    free(surface);
}

void atoll_surface_describe(const struct atoll_surface *surface, struct atoll_surface_desc *desc)
{
    const struct surface *s = surface->surface;
    *desc = (struct atoll_surface_desc){.dimension = (enum atoll_dimension)s->dim,
                                        .width = s->width,
                                        .height = s->height,
                                        .depth = s->depth,
                                        .layers = s->layers,
                                        .format = s->format->name};
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
    return surface_upload(surface->surface, texels, size, error);
}

bool atoll_surface_read(const struct atoll_surface *surface, void *texels, uint64_t size, struct atoll_error *error)
{
    if (!surface || !texels)
        return error_set(error, ATOLL_USAGE, "atoll_surface_read: %s is NULL", surface ? "texels" : "surface");
    return surface_download(surface->surface, texels, size, error);
}

/* atoll.h: devices and their memory. */
#include "api/api.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_LIMIT (UINT64_C(64) << 30)

const char *atoll_version(void)
{
    return ATOLL_VERSION;
}

bool atoll_device_create(const struct atoll_device_options *options, struct atoll_device **device,
                         struct atoll_error *error)
{
    if (!device)
        return error_set(error, ATOLL_USAGE, "atoll_device_create: device is NULL");
    *device = NULL;
    struct atoll_device *created = calloc(1, sizeof *created);
    if (!created)
        return error_memory(error);
    created->limit = options && options->memory_limit ? options->memory_limit : DEFAULT_LIMIT;
    if (!device_create(created->limit, &created->device, error)) {
        free(created);
        return false;
    }
    device_limit_headers(created->device, family_last_header());
    *device = created;
    return true;
}

void atoll_device_destroy(struct atoll_device *device)
{
    if (!device)
        return;
    while (device->modules)
        atoll_module_destroy(device->modules);
    while (device->surfaces)
        atoll_surface_destroy(device->surfaces);
    device_destroy(device->device);
    free(device);
}

static bool have_device(const struct atoll_device *device, const char *function, struct atoll_error *error)
{
    return device || error_set(error, ATOLL_USAGE, "%s: device is NULL", function);
}

bool atoll_memory_alloc(struct atoll_device *device, uint64_t size, uint64_t *address, struct atoll_error *error)
{
    if (!have_device(device, "atoll_memory_alloc", error))
        return false;
    if (!address)
        return error_set(error, ATOLL_USAGE, "atoll_memory_alloc: address is NULL");
    *address = 0;
    if (!space_alloc(device_space(device->device), size, false, false, address, error))
        return false;
    space_fresh(device_space(device->device), *address);
    return true;
}

bool atoll_memory_alias(struct atoll_device *device, uint64_t address, uint64_t *alias, struct atoll_error *error)
{
    if (!have_device(device, "atoll_memory_alias", error))
        return false;
    if (!alias)
        return error_set(error, ATOLL_USAGE, "atoll_memory_alias: alias is NULL");
    *alias = 0;
    return space_alias(device_space(device->device), address, alias, error);
}

bool atoll_memory_free(struct atoll_device *device, uint64_t address, struct atoll_error *error)
{
    if (!have_device(device, "atoll_memory_free", error))
        return false;
    const char *variable = module_owner(device, address);
    if (variable)
        return error_set(error, ATOLL_USAGE, "atoll_memory_free: 0x%" PRIx64 " is variable '%s' of a module", address,
                         variable);
    surfaces_forget(device, address);
    return space_free(device_space(device->device), address, false, error);
}

bool atoll_memory_name(struct atoll_device *device, uint64_t address, const char *name, const char *type, uint32_t size,
                       struct atoll_error *error)
{
    if (!have_device(device, "atoll_memory_name", error))
        return false;
    if (!name || (type && size == 0))
        return error_set(error, ATOLL_USAGE, "atoll_memory_name: %s", name ? "size is 0" : "name is NULL");
    struct space_name copy = {.bytes = type ? size : 1};
    snprintf(copy.name, sizeof copy.name, "%s", name);
    snprintf(copy.type, sizeof copy.type, "%s", type ? type : "");
    return space_name(device_space(device->device), address, &copy, error);
}

/* Host pointer to the range, which must lie in one allocation; `function` is for messages. */
static unsigned char *range_map(struct atoll_device *device, uint64_t address, uint64_t size, const char *function,
                                struct atoll_error *error)
{
    if (!have_device(device, function, error))
        return NULL;
    struct space_block block;
    if (!space_find(device_space(device->device), address, &block)) {
        error_set(error, ATOLL_USAGE, "%s: no allocation holds address 0x%" PRIx64, function, address);
        return NULL;
    }
    uint64_t offset = address - block.address;
    if (size > block.size - offset) {
        error_set(error, ATOLL_USAGE,
                  "%s: %" PRIu64 " bytes at 0x%" PRIx64 " do not fit the allocation of %" PRIu64 " bytes at 0x%" PRIx64,
                  function, size, address, block.size, block.address);
        return NULL;
    }
    return block.host + offset;
}

bool atoll_memory_write(struct atoll_device *device, uint64_t address, const void *bytes, uint64_t size,
                        struct atoll_error *error)
{
    if (!bytes && size)
        return error_set(error, ATOLL_USAGE, "atoll_memory_write: bytes is NULL");
    unsigned char *host = range_map(device, address, size, "atoll_memory_write", error);
    if (!host)
        return false;
    if (size)
        memcpy(host, bytes, (size_t)size);
    space_written(device_space(device->device), address, size);
    return true;
}

bool atoll_memory_read(struct atoll_device *device, uint64_t address, void *bytes, uint64_t size,
                       struct atoll_error *error)
{
    if (!bytes && size)
        return error_set(error, ATOLL_USAGE, "atoll_memory_read: bytes is NULL");
    const unsigned char *host = range_map(device, address, size, "atoll_memory_read", error);
    if (!host)
        return false;
    if (size)
        memcpy(bytes, host, (size_t)size);
    return true;
}

void *atoll_memory_map(struct atoll_device *device, uint64_t address, uint64_t size, struct atoll_error *error)
{
    void *host = range_map(device, address, size, "atoll_memory_map", error);
    if (host) /* who has it may write there at any time */
        space_written(device_space(device->device), address, size);
    return host;
}

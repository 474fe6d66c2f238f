/* Module-scope variables: device memory, initial values, addresses in them, surface references.
 *
 * A surface reference's handle is the address of its own 8 bytes, and these bytes hold the handle too: a kernel gets
 * the same value whether it takes the address or loads the variable.
 */
#include "api/api.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool references_add(struct atoll_module *module, const struct lane_symbol *symbol, uint64_t address,
                           unsigned char *host, struct atoll_error *error)
{
    for (uint32_t i = 0; i < symbol->count; i++) {
        struct surface_ref ref = {.handle = address + 8 * (uint64_t)i,
                                  .init = symbol->surfrefs ? &symbol->surfrefs[i] : NULL,
                                  .name = symbol->name};
        memcpy(host + 8 * (size_t)i, &ref.handle, sizeof ref.handle);
        if (!device_add_reference(module->owner->device, &ref, error))
            return false;
    }
    return true;
}

static bool symbol_allocate(struct atoll_module *module, uint32_t index, struct atoll_error *error)
{
    const struct lane_symbol *symbol = &module->lanes.symbols[index];
    bool reference = symbol->kind == LANE_SYMBOL_SURFREF;
    uint64_t size = reference ? 8 * (uint64_t)symbol->count : symbol->size;
    if (symbol->kind == LANE_SYMBOL_FUNCTION)
        module->addresses[index] = PROGRAM_FUNCTION_ADDRESS(symbol->function);
    if (symbol->kind != LANE_SYMBOL_GLOBAL && !reference)
        return true;
    if (symbol->inside) {
        module->addresses[index] = module->addresses[symbol->inside - 1] + symbol->at;
        return true;
    }
    if (symbol->external)
        return error_set(error, ATOLL_INVALID, "variable '%.200s' is .extern and defined nowhere", symbol->name);
    if (symbol->align > 256) /* what space_alloc gives */
        return error_set(error, ATOLL_UNSUPPORTED, "not supported: alignment of %" PRIu32 " bytes of variable '%.200s'",
                         symbol->align, symbol->name);
    uint64_t address;
    struct space *space = device_space(module->owner->device);
    if (!space_alloc(space, size ? size : 1, symbol->constant || reference, false, &address, error))
        return false;
    module->addresses[index] = address;
    struct space_name called = {.bytes = 1};
    snprintf(called.name, sizeof called.name, "%s", symbol->name ? symbol->name : "");
    if (!space_name(space, address, &called, error))
        return false;
    struct space_block block;
    if (!space_find(space, address, &block))
        return error_memory(error);
    if (symbol->init && size)
        memcpy(block.host, symbol->init, (size_t)size);
    return !reference || references_add(module, symbol, address, block.host, error);
}

/* Writes addresses of symbols into the initial value of variable `index`. */
static bool relocate(struct atoll_module *module, uint32_t index, struct atoll_error *error)
{
    const struct lane_symbol *symbol = &module->lanes.symbols[index];
    struct space_block block;
    if (symbol->nrelocs == 0)
        return true;
    if (!space_find(device_space(module->owner->device), module->addresses[index], &block))
        return error_set(error, ATOLL_UNSUPPORTED, "not supported: addresses in the initial value of '%.200s'",
                         symbol->name);
    for (uint32_t i = 0; i < symbol->nrelocs; i++) {
        const struct lane_reloc *reloc = &symbol->relocs[i];
        uint64_t target = module->addresses[reloc->symbol - 1];
        if (target == 0)
            return error_set(error, ATOLL_UNSUPPORTED,
                             "not supported: the initial value of '%.200s' holds the address of '%.200s'", symbol->name,
                             module->lanes.symbols[reloc->symbol - 1].name);
        uint64_t value = target + (uint64_t)reloc->addend;
        memcpy(block.host + reloc->offset, &value, reloc->size < 8 ? reloc->size : 8);
    }
    return true;
}

bool module_allocate(struct atoll_module *module, struct atoll_error *error)
{
    uint32_t count = module->lanes.nsymbols;
    module->addresses = arena_array(&module->arena, count, sizeof *module->addresses);
    if (!module->addresses)
        return error_memory(error);
    for (uint32_t i = 0; i < count; i++)
        if (!symbol_allocate(module, i, error))
            return false;
    for (uint32_t i = 0; i < count; i++)
        if (!relocate(module, i, error))
            return false;
    return true;
}

void module_release(struct atoll_module *module)
{
    for (uint32_t i = 0; module->addresses && i < module->lanes.nsymbols; i++) {
        const struct lane_symbol *symbol = &module->lanes.symbols[i];
        if (module->addresses[i] == 0 || symbol->kind == LANE_SYMBOL_FUNCTION || symbol->inside)
            continue;
        for (uint32_t k = 0; symbol->kind == LANE_SYMBOL_SURFREF && k < symbol->count; k++)
            device_remove(module->owner->device, module->addresses[i] + 8 * (uint64_t)k);
        surfaces_forget(module->owner, module->addresses[i]);
        space_free(device_space(module->owner->device), module->addresses[i], false, NULL);
    }
}

const char *module_owner(const struct atoll_device *device, uint64_t address)
{
    for (const struct atoll_module *module = device->modules; module && address; module = module->next)
        for (uint32_t i = 0; module->addresses && i < module->lanes.nsymbols; i++)
            if (module->addresses[i] == address)
                return module->lanes.symbols[i].name;
    return NULL;
}

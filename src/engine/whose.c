/* Whose memory an address is in or beside, in the words of who made it: for messages. */
#include "engine/run.h"

#include <stdio.h>
#include <string.h>

enum { CALLED_BYTES = OWNER_BYTES };

/* ---- names ------------------------------------------------------------------------------------------------- */

/* "parameter 2" where only the compiler has a name for it. */
static void parameter_name(const struct lane_func *kernel, uint32_t index, char name[SPACE_NAME])
{
    const struct lane_param *param = &kernel->kparams[index];
    char bare[16];
    snprintf(bare, sizeof bare, "p%u", index); /* of machine code */
    bool made_up =
        !param->name || strncmp(param->name, kernel->name, strlen(kernel->name)) == 0 || strcmp(param->name, bare) == 0;
    if (!param->source && made_up)
        snprintf(name, SPACE_NAME, "parameter %u", index);
    else
        snprintf(name, SPACE_NAME, "%s", param->source ? param->source : param->name);
}

/* A parameter of 64 bits that points to the start of an allocation names it. */
static bool name_by_parameter(const struct run *run, const struct space_block *block, struct space_name *name)
{
    const struct lane_func *kernel = &run->program->module->funcs[run->program->kernel];
    for (uint32_t i = 0; i < kernel->nkparams; i++) {
        const struct lane_param *param = &kernel->kparams[i];
        uint64_t value, at = (uint64_t)kernel->param_at + param->offset;
        if (param->size != sizeof value || at + sizeof value > run->param_bytes)
            continue;
        memcpy(&value, run->params + at, sizeof value);
        if (value != block->address)
            continue;
        *name = (struct space_name){.bytes = 1};
        parameter_name(kernel, i, name->name);
        return true;
    }
    return false;
}

/* False: nobody calls it anything. */
static bool name_find(const struct run *run, const struct space_block *block, struct space_name *name)
{
    if (block->name && block->name->name[0]) {
        *name = *block->name;
        return true;
    }
    return name_by_parameter(run, block, name);
}

/* "'out' (256 x s32)", "'out' (1024 bytes)" */
static void print_name(const struct space_block *block, const struct space_name *name, char out[CALLED_BYTES])
{
    if (name->type[0])
        snprintf(out, CALLED_BYTES, "'%s' (%llu x %s)", name->name, (unsigned long long)(block->size / name->bytes),
                 name->type);
    else
        snprintf(out, CALLED_BYTES, "'%s' (%llu bytes)", name->name, (unsigned long long)block->size);
}

/* "element 256", or "byte 1027" where none begins there. */
static void print_element(const struct space_name *name, int64_t offset, char out[40])
{
    int64_t bytes = name->bytes;
    if (name->type[0] && offset % bytes == 0)
        snprintf(out, 40, "element %lld", (long long)(offset / bytes));
    else
        snprintf(out, 40, "byte %lld", (long long)offset);
}

/* ---- places ------------------------------------------------------------------------------------------------ */

/* From an allocation that has a name. */
static void place_named(const struct space_block *block, const struct space_name *name, uint64_t address, bool freed,
                        char where[WHERE_BYTES])
{
    char called[CALLED_BYTES], element[40];
    uint64_t inside = address - block->address;
    print_name(block, name, called);
    print_element(name, (int64_t)inside, element);
    if (freed)
        snprintf(where, WHERE_BYTES, ": %s of %s", element, called);
    else if (address < block->address || inside > INT64_MAX) /* a sum that went below zero lies at the top */
        snprintf(where, WHERE_BYTES, ": %s of %s, %llu bytes before its start", element, called,
                 (unsigned long long)(block->address - address));
    else if (inside >= block->size)
        snprintf(where, WHERE_BYTES, ": %s of %s, %llu bytes past its end", element, called,
                 (unsigned long long)(inside - block->size));
    else
        snprintf(where, WHERE_BYTES, ": %s of %s, %llu bytes before its end; the access crosses it", element, called,
                 (unsigned long long)(block->size - inside));
}

/* From one without a name, below or around the address. */
static void place_nameless(const struct space_block *block, uint64_t address, bool freed, char where[WHERE_BYTES])
{
    uint64_t inside = address - block->address;
    unsigned long long start = (unsigned long long)block->address, bytes = (unsigned long long)block->size;
    if (freed)
        snprintf(where, WHERE_BYTES, ": byte %llu of the allocation 0x%llx with %llu bytes", (unsigned long long)inside,
                 start, bytes);
    else if (inside < block->size)
        snprintf(where, WHERE_BYTES,
                 "; it crosses the end of the allocation 0x%llx with %llu bytes, which is %llu bytes away", start,
                 bytes, bytes - (unsigned long long)inside);
    else
        snprintf(where, WHERE_BYTES, "; the allocation below it is 0x%llx with %llu bytes, its end %llu bytes away",
                 start, bytes, (unsigned long long)inside - bytes);
}

/* The one above is told of if it has a name and is nearer. */
static bool above_is_nearer(const struct run *run, uint64_t address, uint64_t bytes, const struct space_block *below,
                            struct space_block *above, struct space_name *name)
{
    if (!space_above(device_space(run->program->device), address, above) || !name_find(run, above, name))
        return false;
    uint64_t before = above->address - address; /* an access may reach into it */
    before = before > bytes ? before - bytes : 0;
    return !below || (address - below->address >= below->size && before < address - below->address - below->size);
}

bool address_where(const struct run *run, uint64_t address, uint64_t bytes, char where[WHERE_BYTES])
{
    const struct space *space = device_space(run->program->device);
    struct space_block below, other;
    struct space_name name;
    bool found = space_nearest(space, address, &below);
    if (!(found && address - below.address < below.size) && space_freed(space, address, &other)) {
        if (other.name && other.name->name[0])
            place_named(&other, other.name, address, true, where);
        else
            place_nameless(&other, address, true, where);
        return true;
    }
    if (above_is_nearer(run, address, bytes, found ? &below : NULL, &other, &name))
        place_named(&other, &name, address, false, where);
    else if (found && name_find(run, &below, &name))
        place_named(&below, &name, address, false, where);
    else if (found)
        place_nameless(&below, address, false, where);
    else
        snprintf(where, WHERE_BYTES, "; no allocation lies below it");
    return false;
}

bool address_beside(const struct run *run, uint64_t start, uint64_t address, char where[WHERE_BYTES])
{
    struct space_block block;
    struct space_name name;
    if (!space_find(device_space(run->program->device), start, &block) || block.address != start ||
        !name_find(run, &block, &name))
        return false;
    place_named(&block, &name, address, false, where);
    return true;
}

void address_owner(const struct run *run, const struct space_block *block, char owner[OWNER_BYTES])
{
    struct space_name name;
    if (name_find(run, block, &name))
        print_name(block, &name, owner);
    else
        snprintf(owner, OWNER_BYTES, "the allocation 0x%llx with %llu bytes", (unsigned long long)block->address,
                 (unsigned long long)block->size);
}

void address_inside(const struct run *run, uint64_t address, char *where, size_t size)
{
    struct space_block block;
    struct space_name name;
    if (!space_find(device_space(run->program->device), address, &block)) {
        snprintf(where, size, "global address 0x%llx", (unsigned long long)address);
    } else if (name_find(run, &block, &name)) {
        char called[CALLED_BYTES], element[40];
        print_name(&block, &name, called);
        print_element(&name, (int64_t)(address - block.address), element);
        snprintf(where, size, "%s of %s", element, called);
    } else {
        snprintf(where, size, "byte %llu of the allocation 0x%llx with %llu bytes",
                 (unsigned long long)(address - block.address), (unsigned long long)block.address,
                 (unsigned long long)block.size);
    }
}

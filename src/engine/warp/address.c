/* One lane's address, in full: which space, which allocation, what is wrong with it. The slow path of every access, and
 * the only place that raises address traps. */
#include "engine/run.h"

static const char *const space_names[LANE_SPACES] = {"generic",  "global",    "shared",   "local",
                                                     "constant", "parameter", "register", "surface"};

static unsigned char *bad_window(struct warp *w, const struct decoded *at, unsigned lane, enum lane_space space,
                                 uint64_t offset, uint64_t bytes, uint64_t size)
{
    bool frames = space == LANE_LOCAL && size < w->block->local_bytes;
    bool bank = space == LANE_PARAM && w->func->lane->stacked; /* of machine code */
    if (bank) {
        warp_trap(w, at, UINT32_C(1) << lane, "out-of-bounds", offset, NULL,
                  "%llu bytes at 0x%llx of constant bank 0, which has %llu bytes", (unsigned long long)bytes,
                  (unsigned long long)offset, (unsigned long long)size);
        return NULL;
    }
    warp_trap(w, at, UINT32_C(1) << lane, "out-of-bounds", offset, NULL,
              "%llu bytes at %s address 0x%llx; the %s %llu bytes of %s memory", (unsigned long long)bytes,
              space_names[space], (unsigned long long)offset,
              frames ? "functions that the thread is in have" : "thread has", (unsigned long long)size,
              space_names[space]);
    return NULL;
}

static unsigned char *in_window(struct warp *w, const struct decoded *at, unsigned lane, enum lane_space space,
                                unsigned char *host, uint64_t offset, uint64_t bytes, uint64_t size)
{
    if (bytes > size || offset > size - bytes)
        return bad_window(w, at, lane, space, offset, bytes, size);
    return host + offset;
}

static unsigned char *bad_global(struct warp *w, const struct decoded *at, unsigned lane, uint64_t address,
                                 uint64_t bytes)
{
    char where[WHERE_BYTES];
    uint32_t lanes = UINT32_C(1) << lane;
    if (address < 65536) {
        warp_trap(w, at, lanes, "null", address, NULL, "%llu bytes at global address 0x%llx: a null pointer",
                  (unsigned long long)bytes, (unsigned long long)address);
        return NULL;
    }
    if (address - SPACE_UNBOUND <= UINT32_MAX) {
        warp_trap(w, at, lanes, "unbound-buffer", address - SPACE_UNBOUND, NULL,
                  "%llu bytes at 0x%llx of a buffer that is not bound: no buffer is at this index",
                  (unsigned long long)bytes, (unsigned long long)(address - SPACE_UNBOUND));
        return NULL;
    }
    bool freed = address_where(w->worker->run, address, bytes, where);
    w->worker->where = where;
    warp_trap(w, at, lanes, freed ? "freed" : "out-of-bounds", address, NULL,
              "%llu bytes at global address 0x%llx %s%s", (unsigned long long)bytes, (unsigned long long)address,
              freed ? "were freed" : "are not allocated", where);
    w->worker->where = NULL;
    return NULL;
}

static unsigned char *in_global(struct warp *w, const struct decoded *at, unsigned lane, uint64_t address,
                                uint64_t bytes, bool write)
{
    struct space_block block;
    if (!space_find(device_space(w->worker->run->program->device), address, &block) ||
        bytes > block.size - (address - block.address))
        return bad_global(w, at, lane, address, bytes);
    if (write && block.readonly) {
        warp_trap(w, at, UINT32_C(1) << lane, "read-only", address, NULL,
                  "a write to constant memory at 0x%llx%s%.100s%s", (unsigned long long)address,
                  block.name ? ": '" : "", block.name ? block.name->name : "", block.name ? "'" : "");
        return NULL;
    }
    return block.host + (address - block.address);
}

/* Generic: the windows first, then global. */
static enum lane_space which_space(uint64_t address, uint64_t *offset)
{
    *offset = address;
    if (address - SPACE_SHARED < SPACE_WINDOW) {
        *offset = address - SPACE_SHARED;
        return LANE_SHARED;
    }
    if (address - SPACE_LOCAL < SPACE_WINDOW) {
        *offset = address - SPACE_LOCAL;
        return LANE_LOCAL;
    }
    if (address - SPACE_PARAM < SPACE_PARAM_WINDOW) {
        *offset = address - SPACE_PARAM;
        return LANE_PARAM;
    }
    return LANE_GLOBAL;
}

/* `bytes` of an instruction's access is a power of two and its alignment; host services pass their own sizes. */
static bool aligned(struct warp *w, const struct decoded *at, unsigned lane, uint64_t address, uint64_t bytes)
{
    if (!at->access || address % bytes == 0)
        return true;
    warp_trap(w, at, UINT32_C(1) << lane, "misaligned", address, NULL,
              "address 0x%llx is not a multiple of the access size, %llu bytes", (unsigned long long)address,
              (unsigned long long)bytes);
    return false;
}

/* Where local memory ends: mostly behind what there is room for, as on a device. To a check, behind the frames of the
 * functions that the lanes are in. */
static uint64_t local_end(const struct warp *w)
{
    return w->worker->run->probe ? (uint64_t)w->local + w->func->lane->local_bytes : w->block->local_bytes;
}

unsigned char *warp_pointer(struct warp *w, const struct decoded *at, unsigned lane, enum lane_space space,
                            uint64_t address, uint64_t bytes, bool write, enum lane_space *where)
{
    const struct run *run = w->worker->run;
    uint64_t offset = address;
    if (space == LANE_GENERIC)
        space = which_space(address, &offset);
    if (where)
        *where = space;
    if (!aligned(w, at, lane, address, bytes))
        return NULL;
    switch (space) {
    case LANE_SHARED:
        return in_window(w, at, lane, space, w->block->shared, offset, bytes, w->block->shared_bytes);
    case LANE_LOCAL:
        return in_window(w, at, lane, space, w->locals + (size_t)lane * w->block->local_stride, offset, bytes,
                         local_end(w));
    case LANE_REGFILE:
        return in_window(w, at, lane, space, w->regfile, offset, bytes, w->block->regfile_bytes);
    case LANE_PARAM:
        if (write) {
            warp_trap(w, at, UINT32_C(1) << lane, "read-only", address, NULL, "a write to kernel parameters");
            return NULL;
        }
        return in_window(w, at, lane, space, run->params, offset, bytes, run->param_bytes);
    default:
        return in_global(w, at, lane, offset, bytes, write);
    }
}

/* The device address space: the reserved range, the regions that are mapped in it, and the sorted table of
 * allocations that every global access is held against.
 *
 *   range     one PROT_NONE mapping; pages become readable and writable when a region covers them
 *   region    whole pages, an unmapped gap of at least SPACE_GAP after it: one allocation, or a slab
 *   slab      many small allocations of the kernels' malloc, 256-byte aligned with a gap after each. A mapping for
 *             each of them would run into the host's limit of mappings (65530 on Linux)
 *
 *   alias     a region with the pages of another one. Pages with a second address are those of a file without a name;
 *             the region that had them first gets them so, too
 *
 * Freed regions are mapped PROT_NONE anew, which returns their pages and makes them zero again.
 */
#define _GNU_SOURCE /* memfd_create, mremap */
#include "mem/space.h"

#include "base/hard.h"
#include "base/pages.h"
#include "mem/written.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SPACE_GAP    UINT64_C(0x10000)
#define SLAB_BYTES   UINT64_C(0x100000)
#define SLAB_LARGEST UINT64_C(0x4000) /* larger heap allocations get a region of their own */
#define SPACE_ALIGN  UINT64_C(256)
/* Address space beyond `limit`: room for the gaps of many allocations. */
#define SPACE_SLACK   (UINT64_C(64) << 30)
#define SPACE_LARGEST (UINT64_C(1) << 45)

struct entry {
    struct space_block block;
    uint64_t region;         /* address of the region that holds it */
    bool dead;               /* freed, waits for compaction */
    bool alias;              /* its bytes do not count as in use */
    struct written *written; /* NULL: all of it counts as written */
};

struct region {
    uint64_t address, size; /* of the mapped pages */
    uint64_t used, live;    /* slab: bytes handed out, allocations alive */
    bool slab, shared;      /* `shared`: its pages have another address, or had one */
};

/* Allocations that were freed, the last ones. */
enum { FREED_KEPT = 1024 };

struct space {
    pthread_rwlock_t lock;
    unsigned char *base;
    uint64_t end, page;     /* of the range */
    uint64_t limit, in_use; /* bytes of live allocations */
    struct entry *entries;  /* by address */
    size_t nentries, capacity, ndead;
    struct region *regions; /* by address */
    size_t nregions, region_capacity;
    struct space_block *freed; /* a ring of FREED_KEPT, the next one at nfreed % FREED_KEPT; NULL: none was freed */
    uint64_t nfreed;
    uint64_t slab; /* address of the region that small allocations come from; 0 = none */
    uint64_t generation;
    bool aliased;
    uint64_t made, settled; /* lists of what is written that were made; those up to then say nothing any more */
};

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

bool space_create(uint64_t limit, struct space **space, struct atoll_error *error)
{
    *space = NULL;
    if (limit == 0 || limit > SPACE_LARGEST)
        return error_set(error, ATOLL_USAGE, "memory limit of %" PRIu64 " bytes: must be 1 to 2^45", limit);
    struct space *s = calloc(1, sizeof *s);
    if (!s)
        return error_memory(error);
    long page = sysconf(_SC_PAGESIZE);
    s->page = page > 0 ? (uint64_t)page : 4096;
    s->limit = limit;
    /* Less slack where the host restricts address space (ulimit -v). */
    for (uint64_t slack = SPACE_SLACK; slack >= SPACE_GAP; slack /= 16) {
        s->end = round_up(SPACE_GLOBAL + limit + slack, s->page);
        s->base = mmap(NULL, s->end, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (s->base != MAP_FAILED)
            break;
    }
    if (s->base == MAP_FAILED || pthread_rwlock_init(&s->lock, NULL) != 0) {
        if (s->base != MAP_FAILED)
            munmap(s->base, s->end);
        free(s);
        return error_set(error, ATOLL_MEMORY, "cannot reserve address space for %" PRIu64 " bytes of device memory",
                         limit);
    }
    *space = s;
    return true;
}

void space_destroy(struct space *space)
{
    if (!space)
        return;
    munmap(space->base, space->end);
    pthread_rwlock_destroy(&space->lock);
    for (size_t i = 0; i < space->nentries; i++)
        if (!space->entries[i].dead) {
            free((void *)space->entries[i].block.name);
            written_free(space->entries[i].written);
        }
    for (size_t i = 0; space->freed && i < FREED_KEPT; i++)
        free((void *)space->freed[i].name);
    free(space->freed);
    free(space->entries);
    free(space->regions);
    free(space);
}

/* ---- the tables ---------------------------------------------------------------------------------- */

/* Number of entries (regions) whose address is at most `address`. */
static size_t entries_to(const struct space *space, uint64_t address)
{
    size_t low = 0, high = space->nentries;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (space->entries[middle].block.address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t regions_to(const struct space *space, uint64_t address)
{
    size_t low = 0, high = space->nregions;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (space->regions[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void compact(struct space *space)
{
    size_t kept = 0;
    for (size_t i = 0; i < space->nentries; i++)
        if (!space->entries[i].dead)
            space->entries[kept++] = space->entries[i];
    assert(kept + space->ndead == space->nentries);
    space->nentries = kept;
    space->ndead = 0;
}

/* Room for one more element in both tables. */
static bool reserve(struct space *space)
{
    if (space->nentries == space->capacity) {
        size_t capacity = space->capacity ? 2 * space->capacity : HARD(64, 1);
        struct entry *entries = realloc(space->entries, capacity * sizeof *entries);
        if (!entries)
            return false;
        space->entries = entries;
        space->capacity = capacity;
    }
    if (space->nregions == space->region_capacity) {
        size_t capacity = space->region_capacity ? 2 * space->region_capacity : HARD(64, 1);
        struct region *regions = realloc(space->regions, capacity * sizeof *regions);
        if (!regions)
            return false;
        space->regions = regions;
        space->region_capacity = capacity;
    }
    return true;
}

static void insert_entry(struct space *space, const struct entry *entry)
{
    size_t at = entries_to(space, entry->block.address);
    assert(space->nentries < space->capacity);
    assert(at == 0 || space->entries[at - 1].dead ||
           space->entries[at - 1].block.address + space->entries[at - 1].block.size <= entry->block.address);
    memmove(space->entries + at + 1, space->entries + at, (space->nentries - at) * sizeof *entry);
    space->entries[at] = *entry;
    space->nentries++;
}

/* ---- regions --------------------------------------------------------------------------------------- */

/* An address for `size` bytes of pages and a gap: above all others if it fits there, else the first hole. */
static bool place(const struct space *space, uint64_t size, uint64_t *address)
{
    const struct region *last = space->nregions ? &space->regions[space->nregions - 1] : NULL;
    uint64_t top = last ? last->address + last->size + SPACE_GAP : SPACE_GLOBAL;
    if (top < space->end && space->end - top >= size + SPACE_GAP) {
        *address = top;
        return true;
    }
    uint64_t from = SPACE_GLOBAL;
    for (size_t i = 0; i < space->nregions; i++) {
        const struct region *r = &space->regions[i];
        if (r->address > from && r->address - from >= size + SPACE_GAP) {
            *address = from;
            return true;
        }
        from = r->address + r->size + SPACE_GAP;
    }
    return false;
}

/* Maps a region; `reserve` has made room. */
static bool map_region(struct space *space, uint64_t bytes, bool slab, struct region **region,
                       struct atoll_error *error)
{
    uint64_t size = round_up(bytes ? bytes : 1, space->page), address;
    if (!place(space, size, &address))
        return error_set(error, ATOLL_MEMORY,
                         "no hole for %" PRIu64 " bytes in the device address space (it is fragmented)", bytes);
    if (mprotect(space->base + address, size, PROT_READ | PROT_WRITE) != 0)
        return error_set(error, ATOLL_MEMORY, "the host refuses %" PRIu64 " bytes of device memory: %s", bytes,
                         strerror(errno));
    pages_large(space->base + address, size);
    size_t at = regions_to(space, address);
    assert(space->nregions < space->region_capacity && address % space->page == 0 && address >= SPACE_GLOBAL);
    assert(address <= space->end && size <= space->end - address);
    memmove(space->regions + at + 1, space->regions + at, (space->nregions - at) * sizeof *space->regions);
    space->regions[at] = (struct region){.address = address, .size = size, .slab = slab};
    space->nregions++;
    *region = &space->regions[at];
    return true;
}

static void unmap_region(struct space *space, struct region *region)
{
    void *host = space->base + region->address;
    void *fresh = mmap(host, region->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (fresh == MAP_FAILED && region->shared) /* its pages are another's, too: it stays as it is, for good */
        return;
    if (fresh == MAP_FAILED) { /* out of mappings: zero the pages and keep them accessible */
        if (madvise(host, region->size, MADV_DONTNEED) != 0)
            memset(host, 0, region->size);
    }
    if (space->slab == region->address)
        space->slab = 0;
    size_t at = (size_t)(region - space->regions);
    assert(at < space->nregions);
    space->nregions--;
    memmove(region, region + 1, (space->nregions - at) * sizeof *region);
}

static struct region *region_at(struct space *space, uint64_t address)
{
    assert(regions_to(space, address) > 0);
    return &space->regions[regions_to(space, address) - 1];
}

/* The address of a small allocation in the current slab, or in a new one. */
static bool slab_take(struct space *space, uint64_t size, struct entry *entry, struct atoll_error *error)
{
    uint64_t room = round_up(size, SPACE_ALIGN) + SPACE_ALIGN; /* a gap, so that running over the end is noticed */
    struct region *slab = space->slab ? region_at(space, space->slab) : NULL;
    if (!slab || slab->size - slab->used < room) {
        if (!map_region(space, SLAB_BYTES, true, &slab, error))
            return false;
        space->slab = slab->address;
    }
    entry->region = slab->address;
    entry->block.address = slab->address + slab->used;
    assert(slab->slab && slab->size - slab->used >= room);
    slab->used += room;
    slab->live++;
    return true;
}

/* The last allocation of a slab is gone. The current slab stays if cleaning it is cheap: loops that allocate and free
 * would map and unmap it each time. */
static void empty_slab(struct space *space, struct region *slab)
{
    if (space->slab != slab->address || slab->used > SLAB_BYTES / 16) {
        unmap_region(space, slab);
        return;
    }
    memset(space->base + slab->address, 0, slab->used);
    slab->used = 0;
}

/* ---- allocation -------------------------------------------------------------------------------------- */

static bool take(struct space *space, uint64_t size, bool heap, struct entry *entry, struct atoll_error *error)
{
    if (size > space->limit || space->limit - space->in_use < size)
        return error_set(error, ATOLL_LIMIT,
                         "allocation of %" PRIu64 " bytes exceeds the memory limit: %" PRIu64 " of %" PRIu64
                         " bytes are in use",
                         size, space->in_use, space->limit);
    if (!reserve(space))
        return error_memory(error);
    if (heap && size <= SLAB_LARGEST)
        return slab_take(space, size, entry, error);
    struct region *region;
    if (!map_region(space, size, false, &region, error))
        return false;
    entry->region = entry->block.address = region->address;
    return true;
}

bool space_alloc(struct space *space, uint64_t size, bool readonly, bool heap, uint64_t *address,
                 struct atoll_error *error)
{
    struct entry entry = {.block = {.size = size, .readonly = readonly, .heap = heap}};
    pthread_rwlock_wrlock(&space->lock);
    bool ok = take(space, size, heap, &entry, error);
    if (ok) {
        entry.block.host = space->base + entry.block.address;
        insert_entry(space, &entry);
        space->in_use += size;
        *address = entry.block.address;
    }
    pthread_rwlock_unlock(&space->lock);
    return ok;
}

/* The live entry that holds `address`; one of no bytes holds its own, where nothing can be read. */
static struct entry *holder(const struct space *space, uint64_t address)
{
    size_t n = entries_to(space, address);
    /* A dead entry and a later live one may have the same address, in either order. */
    for (; n > 0; n--) {
        struct entry *entry = &space->entries[n - 1];
        if (!entry->dead)
            return address - entry->block.address < (entry->block.size ? entry->block.size : 1) ? entry : NULL;
    }
    return NULL;
}

/* Without memory it is not kept. */
static void keep_freed(struct space *space, const struct space_block *block)
{
    if (!space->freed)
        space->freed = calloc(FREED_KEPT, sizeof *space->freed);
    if (!space->freed) {
        free((void *)block->name);
        return;
    }
    struct space_block *slot = &space->freed[space->nfreed++ % FREED_KEPT];
    free((void *)slot->name);
    *slot = *block;
}

static bool release(struct space *space, uint64_t address, bool heap, struct atoll_error *error)
{
    struct entry *entry = holder(space, address);
    if (!entry)
        return error_set(error, ATOLL_USAGE, "free of 0x%" PRIx64 ": no allocation lies there", address);
    struct space_block *block = &entry->block;
    if (block->address != address)
        return error_set(error, ATOLL_USAGE,
                         "free of 0x%" PRIx64 ": it lies inside the allocation of %" PRIu64 " bytes at 0x%" PRIx64,
                         address, block->size, block->address);
    if (block->heap != heap)
        return error_set(error, ATOLL_USAGE, "free of 0x%" PRIx64 ": it was allocated by %s", address,
                         block->heap ? "a kernel's malloc" : "the host");
    struct region *region = region_at(space, entry->region);
    uint64_t counted = entry->alias ? 0 : block->size;
    assert(space->in_use >= counted && (!region->slab || region->live > 0));
    space->in_use -= counted;
    keep_freed(space, block);
    written_free(entry->written);
    entry->written = NULL;
    entry->dead = true;
    space->ndead++;
    if (!region->slab)
        unmap_region(space, region);
    else if (--region->live == 0)
        empty_slab(space, region);
    if (2 * space->ndead > space->nentries)
        compact(space);
    __atomic_add_fetch(&space->generation, 1, __ATOMIC_RELEASE);
    return true;
}

bool space_free(struct space *space, uint64_t address, bool heap, struct atoll_error *error)
{
    pthread_rwlock_wrlock(&space->lock);
    bool ok = release(space, address, heap, error);
    pthread_rwlock_unlock(&space->lock);
    return ok;
}

/* ---- second addresses ------------------------------------------------------------------------------------- */

/* Makes the pages of a region those of a file without a name, which can be mapped again. */
static bool share_region(struct space *space, struct region *region, struct atoll_error *error)
{
    unsigned char *host = space->base + region->address;
    int file = memfd_create("atoll", MFD_CLOEXEC);
    bool ok = file >= 0 && ftruncate(file, (off_t)region->size) == 0;
    void *copy = ok ? mmap(NULL, region->size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    ok = copy != MAP_FAILED;
    if (ok) {
        memcpy(copy, host, region->size);
        munmap(copy, region->size);
        ok = mmap(host, region->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED;
    }
    int why = errno;
    if (file >= 0)
        close(file);
    region->shared |= ok;
    return ok || error_set(error, ATOLL_MEMORY, "the host refuses %" PRIu64 " bytes of memory with two addresses: %s",
                           region->size, strerror(why));
}

/* A region with the pages of the one that holds `of`. */
static bool map_again(struct space *space, const struct entry *of, struct region **region, struct atoll_error *error)
{
    struct region *from = region_at(space, of->region);
    if (!from->shared && !share_region(space, from, error))
        return false;
    uint64_t address = from->address, size = from->size;
    if (!map_region(space, size, false, region, error)) /* `from` moves */
        return false;
    (*region)->shared = true;
    void *to = space->base + (*region)->address;
    if (mremap(space->base + address, 0, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to)
        return true;
    error_set(error, ATOLL_MEMORY, "the host refuses a second address for %" PRIu64 " bytes: %s", size,
              strerror(errno));
    unmap_region(space, *region);
    return false;
}

static bool alias(struct space *space, uint64_t address, uint64_t *second, struct atoll_error *error)
{
    const struct entry *entry = holder(space, address);
    if (!entry || entry->block.address != address || entry->block.heap)
        return error_set(error, ATOLL_USAGE, "no allocation of the host's begins at 0x%" PRIx64, address);
    if (!reserve(space)) /* may move `entry` */
        return error_memory(error);
    written_free(holder(space, address)->written); /* nobody follows what comes by the other address */
    holder(space, address)->written = NULL;
    struct entry again = *holder(space, address);
    struct region *region;
    if (!map_again(space, &again, &region, error))
        return false;
    again.region = again.block.address = region->address;
    again.block.host = space->base + region->address;
    again.block.name = NULL;
    again.alias = true;
    insert_entry(space, &again);
    space->aliased = true;
    *second = again.block.address;
    return true;
}

bool space_alias(struct space *space, uint64_t address, uint64_t *second, struct atoll_error *error)
{
    pthread_rwlock_wrlock(&space->lock);
    bool ok = alias(space, address, second, error);
    pthread_rwlock_unlock(&space->lock);
    return ok;
}

bool space_aliased(const struct space *space)
{
    return space->aliased;
}

/* ---- questions ----------------------------------------------------------------------------------------- */

static pthread_rwlock_t *lock_of(const struct space *space)
{
    return (pthread_rwlock_t *)&space->lock; /* taking the lock does not change the space */
}

bool space_find(const struct space *space, uint64_t address, struct space_block *block)
{
    pthread_rwlock_rdlock(lock_of(space));
    const struct entry *entry = holder(space, address);
    if (entry)
        *block = entry->block;
    pthread_rwlock_unlock(lock_of(space));
    return entry != NULL;
}

bool space_nearest(const struct space *space, uint64_t address, struct space_block *block)
{
    pthread_rwlock_rdlock(lock_of(space));
    size_t n = entries_to(space, address);
    while (n > 0 && space->entries[n - 1].dead)
        n--;
    if (n > 0)
        *block = space->entries[n - 1].block;
    pthread_rwlock_unlock(lock_of(space));
    return n > 0;
}

bool space_above(const struct space *space, uint64_t address, struct space_block *block)
{
    pthread_rwlock_rdlock(lock_of(space));
    size_t n = entries_to(space, address);
    while (n < space->nentries && space->entries[n].dead)
        n++;
    bool found = n < space->nentries;
    if (found)
        *block = space->entries[n].block;
    pthread_rwlock_unlock(lock_of(space));
    return found;
}

bool space_freed(const struct space *space, uint64_t address, struct space_block *block)
{
    bool found = false;
    pthread_rwlock_rdlock(lock_of(space));
    for (uint64_t i = space->nfreed; space->freed && !found && i > 0 && space->nfreed - i < FREED_KEPT; i--) {
        const struct space_block *freed = &space->freed[(i - 1) % FREED_KEPT];
        found = address - freed->address < freed->size;
        if (found)
            *block = *freed;
    }
    pthread_rwlock_unlock(lock_of(space));
    return found;
}

bool space_name(struct space *space, uint64_t address, const struct space_name *name, struct atoll_error *error)
{
    struct space_name *copy = malloc(sizeof *copy);
    if (!copy)
        return error_memory(error);
    *copy = *name;
    pthread_rwlock_wrlock(&space->lock);
    struct entry *entry = holder(space, address);
    bool found = entry && entry->block.address == address && !entry->block.heap;
    if (found) {
        free((void *)entry->block.name);
        entry->block.name = copy;
    }
    pthread_rwlock_unlock(&space->lock);
    if (found)
        return true;
    free(copy);
    return error_set(error, ATOLL_USAGE, "no allocation of the host's begins at 0x%" PRIx64, address);
}

uint64_t space_generation(const struct space *space)
{
    return __atomic_load_n(&space->generation, __ATOMIC_ACQUIRE);
}

const uint64_t *space_generation_at(const struct space *space)
{
    return &space->generation;
}

uint64_t space_limit(const struct space *space)
{
    return space->limit;
}

uint64_t space_room(const struct space *space)
{
    return space->limit - space->in_use;
}

/* ---- what is written --------------------------------------------------------------------------------------- */

uint64_t space_stamp(struct space *space)
{
    return ++space->made;
}

void space_settle(struct space *space)
{
    space->settled = space->made;
}

bool space_settled(const struct space *space, uint64_t stamp)
{
    return stamp <= space->settled;
}

void space_fresh(struct space *space, uint64_t address)
{
    pthread_rwlock_wrlock(&space->lock);
    struct entry *entry = holder(space, address);
    if (entry && !entry->written && (entry->written = calloc(1, sizeof *entry->written)))
        entry->written->since = space_stamp(space);
    pthread_rwlock_unlock(&space->lock);
}

void space_written(struct space *space, uint64_t address, uint64_t bytes)
{
    pthread_rwlock_wrlock(&space->lock);
    struct entry *entry = holder(space, address);
    if (entry && entry->written)
        written_add(entry->written, address - entry->block.address, address - entry->block.address + bytes);
    pthread_rwlock_unlock(&space->lock);
}

void space_written_at(struct space *space, const unsigned char *host, uint64_t bytes)
{
    uintptr_t offset = (uintptr_t)host - (uintptr_t)space->base;
    if (offset < space->end)
        space_written(space, offset, bytes);
}

bool space_unwritten(const struct space *space, uint64_t from, struct space_block *block, struct written_range *gap)
{
    bool found = false;
    pthread_rwlock_rdlock(lock_of(space));
    size_t i = entries_to(space, from);
    i -= i > 0; /* the one that holds it */
    for (; !found && i < space->nentries; i++) {
        const struct entry *entry = &space->entries[i];
        uint64_t start = from > entry->block.address ? from - entry->block.address : 0;
        *block = entry->block;
        found = !entry->dead && entry->written && !space_settled(space, entry->written->since) &&
                written_gap(entry->written, start, entry->block.size, gap);
    }
    pthread_rwlock_unlock(lock_of(space));
    return found;
}

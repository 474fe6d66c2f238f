/* The device address space: one reserved host range per device, device address = offset in it.
 *
 *   0x0000_0000_0000  null page(s): never mapped                       64 KiB
 *   0x0000_0100_0000  SPACE_SHARED: window onto the block's shared memory   16 MiB
 *   0x0000_0200_0000  SPACE_LOCAL: window onto the thread's local memory    16 MiB
 *   0x0000_0300_0000  SPACE_PARAM: window onto the kernel's parameters      64 KiB
 *   0x0000_1000_0000  SPACE_GLOBAL: allocations, 256-byte aligned, with an unmapped gap after each
 *
 * Generic addresses are device addresses; shared, local and param addresses are offsets in their windows.
 * Every global access is held against the exact allocation it falls into.
 */
#ifndef ATOLL_MEM_SPACE_H
#define ATOLL_MEM_SPACE_H

#include "base/error.h"

#define SPACE_SHARED       UINT64_C(0x1000000)
#define SPACE_LOCAL        UINT64_C(0x2000000)
#define SPACE_PARAM        UINT64_C(0x3000000)
#define SPACE_WINDOW       UINT64_C(0x1000000) /* size of the shared and the local window */
#define SPACE_PARAM_WINDOW UINT64_C(0x10000)
#define SPACE_UNBOUND      UINT64_C(0x8000000000000000) /* 2^32 addresses of buffers that are not there */
#define SPACE_GLOBAL       UINT64_C(0x10000000)

/* What the owner of an allocation calls it: `count` of the block's size are elements. */
enum { SPACE_NAME = 100, SPACE_TYPE = 24 };
struct space_name {
    char name[SPACE_NAME], type[SPACE_TYPE]; /* "": none */
    uint32_t bytes;                          /* of an element */
};

struct space_block {
    uint64_t address, size; /* exact size asked for */
    unsigned char *host;    /* of `address` */
    bool readonly;          /* const variables: kernels may not write */
    bool heap;              /* made by a kernel's malloc */
    /* For messages; NULL: none. Until the host frees it, and some time after. */
    const struct space_name *name;
};

struct space;
struct written_range;

bool space_create(uint64_t limit, struct space **space, struct atoll_error *error);
void space_destroy(struct space *space);
/* Zeroed memory; 0 bytes have an address of their own, too. Thread-safe (kernels call malloc), as are free and find. */
bool space_alloc(struct space *space, uint64_t size, bool readonly, bool heap, uint64_t *address,
                 struct atoll_error *error);
bool space_free(struct space *space, uint64_t address, bool heap, struct atoll_error *error);
/* Bytes that may still be allocated. */
uint64_t space_room(const struct space *space);
uint64_t space_limit(const struct space *space); /* that it was created with */
/* A second address of the memory of an allocation of the host: an allocation of its own, as long, with the same bytes.
 * Each is freed on its own; the memory stays until the last one is. No launch may be running. */
bool space_alias(struct space *space, uint64_t address, uint64_t *alias, struct atoll_error *error);
/* Whether there has been one: addresses that differ may be the same memory. */
bool space_aliased(const struct space *space);
/* Copies the allocation that holds `address` to *block; false: none. */
bool space_find(const struct space *space, uint64_t address, struct space_block *block);
/* Changes whenever an allocation is freed: caches of space_find results are valid only within one generation. */
uint64_t space_generation(const struct space *space);
/* Where that lies, for compiled code. */
const uint64_t *space_generation_at(const struct space *space);
/* Names an allocation for messages; not one of a kernel's. */
bool space_name(struct space *space, uint64_t address, const struct space_name *name, struct atoll_error *error);
/* For messages: the allocation just below `address`, if any; the one just above it; of those that were freed last the
 * one that held it. */
bool space_nearest(const struct space *space, uint64_t address, struct space_block *block);
bool space_above(const struct space *space, uint64_t address, struct space_block *block);
bool space_freed(const struct space *space, uint64_t address, struct space_block *block);

/* What nobody has written, for the check of uninitialised memory. Allocations count as written but for those that are
 * made fresh; of these what space_written has told is. */
void space_fresh(struct space *space, uint64_t address);
void space_written(struct space *space, uint64_t address, uint64_t bytes);
/* The same by where the host has it, if that is here. */
void space_written_at(struct space *space, const unsigned char *host, uint64_t bytes);
/* A launch that nobody follows begins: all that there is counts as written from now on. Of other memory: what was
 * made at a stamp. */
void space_settle(struct space *space);
uint64_t space_stamp(struct space *space);
bool space_settled(const struct space *space, uint64_t stamp);
/* The first bytes from address `from` on that nobody has written: offsets in *block. */
bool space_unwritten(const struct space *space, uint64_t from, struct space_block *block, struct written_range *gap);

#endif

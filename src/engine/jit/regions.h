/* Regions: the memory that an access by an address may lie in (access.c). */
#ifndef ATOLL_ENGINE_JIT_REGIONS_H
#define ATOLL_ENGINE_JIT_REGIONS_H

#include "engine/jit/rows.h"

/* Of an access whose space has one for all lanes. `first`: an address of one of the lanes, 64 bits. */
struct region regions_find(struct emit *e, const struct decoded *at, bool store, LLVMValueRef first);
/* Local memory, of which each lane has as many bytes, one lane's behind the other's: that of lane 0. */
struct region regions_local(struct emit *e);
/* Where that of each lane begins, from there on. */
LLVMValueRef regions_local_lanes(struct emit *e);

#endif

/* Entries: see entries.c. */
#ifndef ATOLL_ENGINE_JIT_ENTRIES_H
#define ATOLL_ENGINE_JIT_ENTRIES_H

#include "engine/jit/control.h"

/* Emits all entries of code->entries, and the start of the kernel. */
void entries_emit(struct blocks *b);
/* Registers of a warp of a block come from its frame, where a part begins. */
void entries_fill(struct blocks *b, uint32_t segment);

#endif

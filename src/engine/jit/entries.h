/* Entries: see entries.c. */
#ifndef ATOLL_ENGINE_JIT_ENTRIES_H
#define ATOLL_ENGINE_JIT_ENTRIES_H

#include "engine/jit/control.h"

/* Emits all entries of code->entries, and the start of the kernel. */
void entries_emit(struct blocks *b);

#endif

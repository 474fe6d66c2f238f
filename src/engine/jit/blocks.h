/* The body of a compiled kernel. */
#ifndef ATOLL_ENGINE_JIT_BLOCKS_H
#define ATOLL_ENGINE_JIT_BLOCKS_H

#include "engine/jit/emit.h"
#include "engine/jit/jit.h"

/* Emits the function `run` into e->module, and lists its entries and exits in `code`. False: no memory. */
bool blocks_emit(struct emit *e, struct jit_code *code);

#endif

/* Memory that the host is asked for before a kernel loads it. */
#ifndef ATOLL_ENGINE_JIT_AHEAD_H
#define ATOLL_ENGINE_JIT_AHEAD_H

#include "engine/jit/emit.h"
#include "engine/jit/jit.h"
#include "engine/jit/texels.h"

/* Asks for the line of memory in which `at` (a pointer) lies, wherever that is. */
void ahead_line(struct emit *e, LLVMValueRef at);
/* After a load of a row of `bytes` bytes from `from` (a pointer) on, of memory that has a site. */
void ahead_fetch(struct emit *e, const struct decoded *at, LLVMValueRef from, unsigned bytes);
/* Before rows of texels are loaded; once their kind is known, where t->any. */
void ahead_texels(struct emit *e, struct texels *t, LLVMValueRef *rows);
void ahead_texels_rest(struct emit *e, const struct texels *t, LLVMValueRef *rows);
/* Finds the loads that are looked at; before a block that compiled code runs: looks at them. */
void ahead_find(struct jit_code *code);
void ahead_learn(const struct worker *worker, const struct jit_code *code);
/* How many blocks may begin now before one that loads are looked at again. */
uint32_t ahead_apart(const struct worker *worker, const struct jit_code *code);

#endif

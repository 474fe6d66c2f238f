/* Kernels whose lanes may wait at many segments (flow.many). */
#ifndef ATOLL_ENGINE_JIT_DISPATCH_H
#define ATOLL_ENGINE_JIT_DISPATCH_H

#include "engine/jit/control.h"

/* Before segments are emitted: what they share. False: no memory. */
bool dispatch_open(struct blocks *b);
/* Where the lanes that wait at a segment are kept. */
LLVMValueRef dispatch_place(struct blocks *b, uint32_t segment);
/* A place for a counter of 64 bits; of tight code, too. */
LLVMValueRef dispatch_counter(struct blocks *b);
/* These lanes wait at a segment now, and no others. */
void dispatch_set(struct blocks *b, uint32_t segment, LLVMValueRef lanes);
/* Where code is entered: who waits is in jit_call.masks. */
void dispatch_enter(struct blocks *b);
/* Does the end of a segment leave it to the common place who runs next? Emits that end. */
bool dispatch_is(const struct blocks *b, uint32_t segment);
void dispatch_end(struct blocks *b, uint32_t segment);
/* Emits the common place. */
void dispatch_close(struct blocks *b);

#endif

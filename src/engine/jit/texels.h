/* What the ways of surface accesses share (texels.c, anywhere.c). */
#ifndef ATOLL_ENGINE_JIT_TEXELS_H
#define ATOLL_ENGINE_JIT_TEXELS_H

#include "engine/jit/formats.h"
#include "engine/jit/rows.h"

enum { TEXELS_PARTS = 4 };

/* A coordinate, row by row. */
struct texel_axis {
    LLVMValueRef first[TEXELS_PARTS]; /* what the first lane of each row has */
    LLVMValueRef is_row;              /* i1: has each lane what a row has? NULL: it has */
    bool near; /* it is known how much more than the first row the others have, and that is little: */
    uint32_t by[TEXELS_PARTS];
};

/* An access that is being emitted, in one of the ways that it can be carried out. */
struct texels {
    const struct decoded *at;
    const struct emit_surface *surface;
    struct texel_kind kind;
    unsigned group; /* of a formatted access: of kinds that the surface can have */
    unsigned count; /* registers */
    unsigned coordinates;
    const uint8_t *axes;
    bool store;
    unsigned part; /* lanes of a row */
    struct texel_axis axis[3];
    bool any;           /* formatted: texels of all kinds */
    LLVMValueRef shift; /* ... whose size is this power of two, where the surface is looked at */
    LLVMValueRef ahead; /* bytes: how far ahead it is asked for. NULL: it is not */
};

static inline unsigned texels_operand(const struct texels *t, unsigned k) /* coordinate k */
{
    return t->at->ndst + 1u + k;
}

static inline unsigned texels_parts(const struct texels *t) /* rows */
{
    return LANES / t->part;
}

static inline bool texels_in_bytes(const struct texels *t)
{
    return t->at->access->unit == LANE_UNIT_BYTE;
}

/* The registers of a load, of the lanes' words one after the other; what a store stores, likewise. */
void texels_give(struct emit *e, const struct texels *t, LLVMValueRef row);
LLVMValueRef texels_stored(struct emit *e, const struct texels *t);

/* Where passes of a store begin (lane/passes.h). */
uint32_t texels_starts(const struct texels *t);

/* anywhere.c: unformatted texels that lie anywhere in a surface of plain rows. Goes to `done`, or on where it is no way
 * for them. */
void texels_anywhere(struct emit *e, const struct texels *t, LLVMValueRef lanes, LLVMBasicBlockRef done);

#endif

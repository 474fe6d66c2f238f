/* What texels look like in memory and in registers: elements of an access, or components of a format. */
#ifndef ATOLL_ENGINE_JIT_FORMATS_H
#define ATOLL_ENGINE_JIT_FORMATS_H

#include "engine/jit/rows.h"
#include "mem/format.h"

/* A kind of texel, or of vector of elements: `vec` components of `bits` bits beside each other. */
struct texel_kind {
    unsigned bytes, vec, bits;
    const struct format *format; /* of a formatted access: it, or one that differs in nothing that matters; else NULL */
};

/* Kinds that formatted accesses have compiled forms for, those of e->kinds, in groups of texels of one size; false:
 * there are no more. */
bool formats_kind(const struct emit *e, unsigned group, unsigned number, struct texel_kind *kind);
/* struct compiler */
uint32_t formats_kinds(uint64_t formats);
/* i1: has a surface, whose format is at `format`, texels of this kind? */
LLVMValueRef formats_is(struct emit *e, const struct texel_kind *kind, LLVMValueRef format);
/* i1: has it texels of so many bytes? */
LLVMValueRef formats_has(struct emit *e, LLVMValueRef format, unsigned bytes);
/* i32: alpha of formats that have none, as format_one. */
LLVMValueRef formats_one(struct emit *e, LLVMValueRef format);

/* All lanes' texels in words: <32 x iw> each. How many there are, of how many bits. */
unsigned formats_words(const struct texel_kind *kind);
unsigned formats_word_bits(const struct texel_kind *kind);
/* Component k of all lanes, as a register of `width` bits has it. */
LLVMValueRef formats_get(struct emit *e, const struct texel_kind *kind, LLVMValueRef *words, unsigned k, unsigned width,
                         bool is_signed);
/* The words of components that registers of widths[] bits have; NULL: zeros. `fixed` as in struct lane_access. */
void formats_put(struct emit *e, const struct texel_kind *kind, bool fixed, LLVMValueRef *components,
                 const unsigned *widths, LLVMValueRef *words);

#endif

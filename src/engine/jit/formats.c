/* Texels to registers and back. The meaning of formats is mem/convert.h's. */
#include "engine/jit/formats.h"

#include "engine/jit/jit.h"

#include <string.h>

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

/* Of 32 bits a component all formats keep the bits. */
static const char *const names[] = {"r32uint", "rgba32uint"};

bool formats_kind(unsigned number, struct texel_kind *kind)
{
    if (number >= sizeof names / sizeof names[0])
        return false;
    const struct format *format = format_find(names[number]);
    *kind =
        (struct texel_kind){.bytes = format->bytes, .vec = format->channels, .bits = format->bits[0], .format = format};
    return true;
}

/* Bytes of a format as a number, as they lie in memory. */
static LLVMValueRef is_byte(struct emit *e, LLVMValueRef format, size_t offset, unsigned value)
{
    return LL(BuildICmp, LLVMIntEQ, emit_field(e, format, offset, e->i8), emit_const(e, 8, value));
}

LLVMValueRef formats_is(struct emit *e, const struct texel_kind *kind, LLVMValueRef format)
{
    const struct format *like = kind->format;
    LLVMValueRef is = is_byte(e, format, offsetof(struct format, bytes), like->bytes);
    is = LL(BuildAnd, is, is_byte(e, format, offsetof(struct format, channels), like->channels));
    if (kind->bits != 32)
        is = LL(BuildAnd, is, is_byte(e, format, offsetof(struct format, kind), like->kind));
    for (unsigned c = 0; c < like->channels; c++) {
        is = LL(BuildAnd, is, is_byte(e, format, offsetof(struct format, bits) + c, like->bits[c]));
        is = LL(BuildAnd, is, is_byte(e, format, offsetof(struct format, shift) + c, like->shift[c]));
    }
    return is;
}

LLVMValueRef formats_has(struct emit *e, LLVMValueRef format, unsigned bytes)
{
    return is_byte(e, format, offsetof(struct format, bytes), bytes);
}

LLVMValueRef formats_one(struct emit *e, LLVMValueRef format)
{
    LLVMValueRef kind = emit_field(e, format, offsetof(struct format, kind), e->i8);
    LLVMValueRef is_int = LL(BuildOr, LL(BuildICmp, LLVMIntEQ, kind, emit_const(e, 8, FORMAT_UINT)),
                             LL(BuildICmp, LLVMIntEQ, kind, emit_const(e, 8, FORMAT_SINT)));
    return LL(BuildSelect, is_int, emit_const(e, 32, 1), emit_const(e, 32, 0x3f800000));
}

/* ---- components -------------------------------------------------------------------------------------------------- */

unsigned formats_word_bits(const struct texel_kind *kind)
{
    if (kind->bits == 64)
        return 64;
    return kind->bytes < 4 ? kind->bytes * 8 : 32;
}

unsigned formats_words(const struct texel_kind *kind)
{
    return kind->bytes * 8 / formats_word_bits(kind);
}

LLVMValueRef formats_get(struct emit *e, const struct texel_kind *kind, LLVMValueRef *words, unsigned k, unsigned width,
                         bool is_signed)
{
    unsigned bits = formats_word_bits(kind), at = k * kind->bits;
    LLVMValueRef value = words[at / bits];
    if (kind->bits == bits)
        return rows_widen(e, value, bits, width, is_signed);
    if (at % bits)
        value = LL(BuildLShr, value, emit_consts(e, bits, at % bits));
    if (is_signed || width <= kind->bits)
        return rows_widen(e, rows_narrow(e, value, bits, kind->bits), kind->bits, width, is_signed);
    value = LL(BuildAnd, value, emit_consts(e, bits, (UINT64_C(1) << kind->bits) - 1));
    return rows_widen(e, value, bits, width, false);
}

/* What a register has of component k, in a word, below zeros. */
static LLVMValueRef put_one(struct emit *e, const struct texel_kind *kind, LLVMValueRef value, unsigned width)
{
    unsigned bits = formats_word_bits(kind);
    value = rows_widen(e, value, width, bits, false);
    if (width <= kind->bits || bits == kind->bits)
        return value;
    return LL(BuildAnd, value, emit_consts(e, bits, (UINT64_C(1) << kind->bits) - 1));
}

void formats_put(struct emit *e, const struct texel_kind *kind, LLVMValueRef *components, const unsigned *widths,
                 LLVMValueRef *words)
{
    unsigned bits = formats_word_bits(kind);
    for (unsigned j = 0; j < formats_words(kind); j++)
        words[j] = NULL;
    for (unsigned k = 0; k < kind->vec; k++) {
        unsigned at = k * kind->bits;
        if (!components[k])
            continue;
        LLVMValueRef value = put_one(e, kind, components[k], widths[k]), *word = &words[at / bits];
        if (at % bits)
            value = LL(BuildShl, value, emit_consts(e, bits, at % bits));
        *word = *word ? LL(BuildOr, *word, value) : value;
    }
    for (unsigned j = 0; j < formats_words(kind); j++)
        if (!words[j])
            words[j] = emit_consts(e, bits, 0);
}

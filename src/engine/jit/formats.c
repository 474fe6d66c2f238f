/* Texels to registers and back. The meaning of formats is mem/convert.h's. */
#include "engine/jit/formats.h"

#include "engine/jit/jit.h"

#include <assert.h>
#include <string.h>

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

/* Of 32 bits a component all formats keep the bits: one stands for all. */
enum { GROUPS = 2, GROUP = 2 };
static const char *const names[GROUPS][GROUP] = {{"r32uint", "rgba8unorm"}, {"rgba32uint"}};

static bool is_among(const struct emit *e, unsigned group, unsigned i)
{
    return names[group][i] && (!e->kinds || e->kinds >> (group * GROUP + i) & 1);
}

static void describe(unsigned group, unsigned i, struct texel_kind *kind)
{
    const struct format *format = format_find(names[group][i]);
    *kind =
        (struct texel_kind){.bytes = format->bytes, .vec = format->channels, .bits = format->bits[0], .format = format};
}

bool formats_kind(const struct emit *e, unsigned group, unsigned number, struct texel_kind *kind)
{
    for (unsigned g = 0; g < GROUPS; g++) {
        unsigned count = 0;
        for (unsigned i = 0; i < GROUP; i++)
            if (is_among(e, g, i) && count++ == number && !group) {
                describe(g, i, kind);
                return true;
            }
        if (count && !group--)
            return false;
    }
    return false;
}

/* Members that follow each other, kind to shift[0] and shift[], as words; those of `mask` tell a kind. */
struct members {
    uint64_t first;
    uint32_t shifts;
};
enum { FIRST = offsetof(struct format, kind), SHIFTS = offsetof(struct format, shift) };

static struct members members_of(const struct format *format)
{
    struct members m;
    _Static_assert(FIRST + sizeof m.first == SHIFTS + 1 && sizeof format->shift == sizeof m.shifts, "of struct format");
    memcpy(&m.first, (const char *)format + FIRST, sizeof m.first);
    memcpy(&m.shifts, format->shift, sizeof m.shifts);
    return m;
}

static uint64_t mask_of(const struct texel_kind *kind)
{
    struct format mask;
    memset(&mask, 0xff, sizeof mask);
    mask.kind = kind->bits == 32 ? 0 : mask.kind;
    return members_of(&mask).first;
}

LLVMValueRef formats_is(struct emit *e, const struct texel_kind *kind, LLVMValueRef format)
{
    struct members wanted = members_of(kind->format);
    uint64_t mask = mask_of(kind);
    LLVMValueRef have = emit_field(e, format, FIRST, e->i64), have_shifts = emit_field(e, format, SHIFTS, e->i32);
    e->llvm->SetAlignment(have, 1);
    e->llvm->SetAlignment(have_shifts, 1);
    have = LL(BuildAnd, have, emit_const(e, 64, mask));
    LLVMValueRef is = LL(BuildICmp, LLVMIntEQ, have, emit_const(e, 64, wanted.first & mask));
    return LL(BuildAnd, is, LL(BuildICmp, LLVMIntEQ, have_shifts, emit_const(e, 32, wanted.shifts)));
}

/* The same of a format. */
static bool is_of(const struct texel_kind *kind, const struct format *format)
{
    struct members wanted = members_of(kind->format), have = members_of(format);
    return !((wanted.first ^ have.first) & mask_of(kind)) && wanted.shifts == have.shifts;
}

uint32_t formats_kinds(uint64_t formats)
{
    uint32_t kinds = 0;
    for (unsigned k = 0; k < GROUPS * GROUP; k++) {
        struct texel_kind kind;
        if (names[k / GROUP][k % GROUP])
            describe(k / GROUP, k % GROUP, &kind);
        for (unsigned i = 0; format_at(i) && names[k / GROUP][k % GROUP]; i++)
            kinds |= (uint32_t)(formats >> i & is_of(&kind, format_at(i))) << k;
    }
    return kinds;
}

static LLVMValueRef is_byte(struct emit *e, LLVMValueRef format, size_t offset, unsigned value)
{
    return LL(BuildICmp, LLVMIntEQ, emit_field(e, format, offset, e->i8), emit_const(e, 8, value));
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

static LLVMValueRef floats(struct emit *e, LLVMTypeRef type, double value)
{
    LLVMValueRef lanes[LANES];
    for (unsigned l = 0; l < LANES; l++)
        lanes[l] = e->llvm->ConstReal(type, value);
    return e->llvm->ConstVector(lanes, LANES);
}

/* convert_from_unorm: c / max. The quotient that fma makes of max's inverse in two parts is that, for all of up to 16
 * bits (found by trying all of them). */
static LLVMValueRef from_unorm(struct emit *e, LLVMValueRef c, unsigned bits)
{
    double max = (double)((UINT32_C(1) << bits) - 1), high = (float)(1.0 / max), low = (float)(1.0 / max - high);
    LLVMTypeRef type = emit_vector(e, e->f32);
    LLVMValueRef f = LL(BuildSIToFP, c, type), args[] = {f, floats(e, e->f32, high), NULL};
    if (!e->has_fma)
        return LL(BuildBitCast, LL(BuildFDiv, f, floats(e, e->f32, max)), emit_vector(e, e->i32));
    args[2] = LL(BuildFMul, f, floats(e, e->f32, low));
    return LL(BuildBitCast, emit_intrinsic(e, "llvm.fma", type, args, 3), emit_vector(e, e->i32));
}

/* convert_clamp from 0 on. */
static LLVMValueRef clamp(struct emit *e, LLVMValueRef v)
{
    LLVMValueRef zero = floats(e, e->f32, 0), one = floats(e, e->f32, 1);
    LLVMValueRef f = LL(BuildBitCast, v, emit_vector(e, e->f32));
    f = LL(BuildSelect, LL(BuildFCmp, LLVMRealOGT, f, zero), f, zero);
    return LL(BuildSelect, LL(BuildFCmp, LLVMRealOLT, f, one), f, one);
}

/* convert_to_unorm_fixed, step by step; of so many bits that 32 are enough for it. */
static LLVMValueRef to_unorm_fixed(struct emit *e, LLVMValueRef v, unsigned bits)
{
    assert(bits > 2 && 2 * bits + 4 < 32);
    LLVMValueRef x = LL(BuildFMul, clamp(e, v), floats(e, e->f32, (double)(UINT32_C(16) << bits)));
    x = LL(BuildFPToSI, x, emit_vector(e, e->i32));
    x = LL(BuildSub, LL(BuildShl, x, emit_consts(e, 32, bits)), x);
    x = LL(BuildAdd, x, emit_consts(e, 32, (UINT64_C(8) << bits) - 1));
    return LL(BuildLShr, x, emit_consts(e, 32, bits + 4));
}

/* convert_to_unorm, step by step. */
static LLVMValueRef to_unorm(struct emit *e, LLVMValueRef v, unsigned bits)
{
    LLVMValueRef f = clamp(e, v);
    LLVMValueRef wide = LL(BuildFPExt, f, emit_vector(e, e->f64));
    wide = LL(BuildFMul, wide, floats(e, e->f64, (double)((UINT32_C(1) << bits) - 1)));
    wide = LL(BuildFAdd, wide, floats(e, e->f64, 0x1.8p52));
    return LL(BuildTrunc, LL(BuildBitCast, wide, emit_vector(e, e->i64)), emit_vector(e, e->i32));
}

static bool is_unorm(const struct texel_kind *kind)
{
    return kind->format && kind->bits < 32;
}

/* A byte of each word, in elements of 16 bits: bytes of all words that lie two apart are taken apart at once, and LLVM
 * adds them before it takes each from its place. */
static LLVMValueRef byte_of_words(struct emit *e, LLVMValueRef words, unsigned k)
{
    LLVMValueRef from[LANES], low[2 * LANES], eight[2 * LANES];
    for (unsigned l = 0; l < 2 * LANES; l++) {
        low[l] = emit_const(e, 16, 0xff);
        eight[l] = emit_const(e, 16, 8);
    }
    for (unsigned l = 0; l < LANES; l++)
        from[l] = emit_const(e, 32, 2 * l + k / 2);
    LLVMValueRef bytes = LL(BuildBitCast, words, e->llvm->VectorType(e->i16, 2 * LANES));
    bytes = k % 2 ? LL(BuildLShr, bytes, e->llvm->ConstVector(eight, 2 * LANES))
                  : LL(BuildAnd, bytes, e->llvm->ConstVector(low, 2 * LANES));
    return LL(BuildShuffleVector, bytes, e->llvm->GetPoison(e->llvm->TypeOf(bytes)), e->llvm->ConstVector(from, LANES));
}

LLVMValueRef formats_get(struct emit *e, const struct texel_kind *kind, LLVMValueRef *words, unsigned k, unsigned width,
                         bool is_signed)
{
    unsigned bits = formats_word_bits(kind), at = k * kind->bits;
    LLVMValueRef value = words[at / bits];
    if (kind->bits == bits)
        return rows_widen(e, value, bits, width, is_signed);
    if (!kind->format && !is_signed && kind->bits == 8 && bits == 32 && width == 16)
        return byte_of_words(e, value, at % bits / 8);
    if (at % bits)
        value = LL(BuildLShr, value, emit_consts(e, bits, at % bits));
    if (is_signed || width <= kind->bits)
        return rows_widen(e, rows_narrow(e, value, bits, kind->bits), kind->bits, width, is_signed);
    value = LL(BuildAnd, value, emit_consts(e, bits, (UINT64_C(1) << kind->bits) - 1));
    if (is_unorm(kind))
        value = from_unorm(e, value, kind->bits);
    return rows_widen(e, value, bits, width, false);
}

/* What a register has of component k, in a word, below zeros. */
static LLVMValueRef put_one(struct emit *e, const struct texel_kind *kind, bool fixed, LLVMValueRef value,
                            unsigned width)
{
    unsigned bits = formats_word_bits(kind);
    value = rows_widen(e, value, width, bits, false);
    if (is_unorm(kind))
        return (fixed ? to_unorm_fixed : to_unorm)(e, value, kind->bits);
    if (width <= kind->bits || bits == kind->bits)
        return value;
    return LL(BuildAnd, value, emit_consts(e, bits, (UINT64_C(1) << kind->bits) - 1));
}

/* Four bytes of registers of 16 bits, in two halves of a word: the other way around than byte_of_words. */
static LLVMValueRef word_of_bytes(struct emit *e, LLVMValueRef *components)
{
    LLVMValueRef halves[2];
    for (unsigned h = 0; h < 2; h++) {
        LLVMValueRef low = LL(BuildAnd, components[2 * h], emit_consts(e, 16, 0xff));
        halves[h] = LL(BuildOr, low, LL(BuildShl, components[2 * h + 1], emit_consts(e, 16, 8)));
    }
    return LL(BuildBitCast, rows_zip(e, halves[0], halves[1]), emit_vector(e, e->i32));
}

static bool are_bytes(const struct texel_kind *kind, LLVMValueRef *components, const unsigned *widths)
{
    bool all = !kind->format && kind->bits == 8 && kind->vec == 4;
    for (unsigned k = 0; all && k < 4; k++)
        all = components[k] && widths[k] == 16;
    return all;
}

void formats_put(struct emit *e, const struct texel_kind *kind, bool fixed, LLVMValueRef *components,
                 const unsigned *widths, LLVMValueRef *words)
{
    unsigned bits = formats_word_bits(kind);
    if (are_bytes(kind, components, widths)) {
        words[0] = word_of_bytes(e, components);
        return;
    }
    for (unsigned j = 0; j < formats_words(kind); j++)
        words[j] = NULL;
    for (unsigned k = 0; k < kind->vec; k++) {
        unsigned at = k * kind->bits;
        if (!components[k])
            continue;
        LLVMValueRef value = put_one(e, kind, fixed, components[k], widths[k]), *word = &words[at / bits];
        if (at % bits)
            value = LL(BuildShl, value, emit_consts(e, bits, at % bits));
        *word = *word ? LL(BuildOr, *word, value) : value;
    }
    for (unsigned j = 0; j < formats_words(kind); j++)
        if (!words[j])
            words[j] = emit_consts(e, bits, 0);
}

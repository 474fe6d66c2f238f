/* The kinds of Maxwell's operands: its register files, immediates, constants and addresses. Of templates:
 *
 *   R              register R0..R254, RZ (8 bits)
 *   Q              the same where RZ cannot be: 255 is written ???255
 *   P              predicate P0..P6, PT (3 bits)
 *   p              the same with the bits inverted: 0 = PT, 7 = P0
 *   i              immediate operand: as s
 *   u              immediate operand: as x
 *   f, g, h        immediate operand: the top bits of an f32, f64, f16
 *   c              constant c[bank][offset]: BITS hold offset in words (14), bank (5). C: printed "c[bank] [offset]".
 *   b              constant with an offset in bytes (16 bits, signed), bank (5); +LO = index register: c[0x0][R3+0x10].
 *                  B: written c[0x0][RZ] when there is no offset either
 *   A              address [Ra+offset]: BITS hold Ra, +BITS the signed offset; unsigned and alone when Ra is RZ
 *   I              coordinates or index in brackets: [Ra]
 *   J              the same where RZ is refused */
#include "isa/kinds.h"
#include "base/half.h"
#include "isa/sass/sass.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "???255" is the vendor's word for a register past the last. */
static const struct isa_file registers = {
    .prefix = 'R', .count = 255, .special = 255, .name = "RZ", .past = "???255", .wanted = "a register R0..R254 or RZ"};
static const struct isa_file plain = {
    .prefix = 'R', .count = 255, .special = ISA_NO_NUMBER, .past = "???255", .wanted = "a register R0..R254"};
static const struct isa_file predicates = {
    .prefix = 'P', .count = 7, .special = 7, .name = "PT", .wanted = "a predicate P0..P6 or PT"};

/* ---- floating-point immediates -------------------------------------------------------------------------------- */

static unsigned float_width(char letter)
{
    return letter == 'f' ? 32 : letter == 'g' ? 64 : 16;
}

/* INF and NaNs as bits of the operand's type. The text does not tell NaNs apart: the lowest is meant that the field can
 * hold (named choice). */
static bool special_float(struct isa_parser *r, const struct isa_element *e, uint64_t *bits)
{
    unsigned whole = float_width(e->letter), mantissa = whole == 32 ? 23 : whole == 64 ? 52 : 10;
    uint64_t sign = UINT64_C(1) << (whole - 1), infinite = sign - (UINT64_C(1) << mantissa);
    const char *start = r->in.at;
    bool minus = reader_byte(&r->in, '-');
    if (!minus)
        reader_byte(&r->in, '+');
    if (reader_take(&r->in, "INF", 3))
        *bits = infinite;
    else if (reader_take(&r->in, "QNAN", 4))
        *bits = infinite | UINT64_C(1) << (mantissa - 1);
    else if (reader_take(&r->in, "SNAN", 4))
        *bits = infinite | UINT64_C(1) << (whole - e->field.width);
    else
        r->in.at = start;
    *bits |= r->in.at != start && minus ? sign : 0;
    return r->in.at != start;
}

/* Bits of `value`, which is no NaN, as the type of the letter. */
static uint64_t float_bits(char letter, double value)
{
    float narrow = (float)value;
    uint32_t low;
    uint64_t all;
    memcpy(&low, &narrow, sizeof low);
    memcpy(&all, &value, sizeof all);
    return letter == 'g' ? all : letter == 'f' ? low : f16_from_f32(narrow, HALF_RN);
}

static bool decimal(struct isa_parser *r, char letter, uint64_t *bits)
{
    char copy[80] = {0}, *end;
    size_t room = (size_t)(r->in.end - r->in.at), most = sizeof copy - 1;
    memcpy(copy, r->in.at, room < most ? room : most);
    *bits = float_bits(letter, strtod(copy, &end));
    /* ".NEG" and the like follow without a blank; "1.ABS" is not a number's fraction. */
    if (end > copy + 1 && end[-1] == '.')
        end--;
    if (end == copy || (copy[1] | 32) == 'x' || !strchr("+-.0123456789", copy[0]))
        return reader_wanted(&r->in, "a decimal number, INF, QNAN or SNAN");
    if (*bits == float_bits(letter, HUGE_VAL) || *bits == float_bits(letter, -HUGE_VAL))
        return reader_wanted_as(&r->in, "a number that an f%u can hold, or INF", float_width(letter));
    r->in.at += end - copy;
    return true;
}

static bool float_take(struct isa_parser *r, const struct isa_element *e)
{
    uint64_t bits = 0;
    const char *start = r->in.at;
    if (!special_float(r, e, &bits) && !decimal(r, e->letter, &bits))
        return false;
    unsigned whole = float_width(e->letter), lost = whole - e->field.width;
    if (lost && bits & ((UINT64_C(1) << lost) - 1)) {
        r->in.at = start;
        return reader_wanted_as(&r->in, "a number that the top %u bits of an f%u hold", e->field.width, whole);
    }
    return isa_fits(r, &e->field, bits >> lost, "the value that the operand has elsewhere");
}

static bool signaling(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return isnan(value) && !(bits >> 51 & 1);
}

/* nvdisasm 11.8: special values are followed by a blank, at the end of a listing's text too. It widens f32 and f16
 * first, which makes their NaNs quiet; those of f64 stay. */
static void put_float(struct isa_writer *w, double value)
{
    char digits[64];
    if (isnan(value)) {
        writer_char(w, signbit(value) ? '-' : '+');
        writer_text(w, signaling(value) ? "SNAN " : "QNAN ");
    } else if (isinf(value))
        writer_text(w, value < 0 ? "-INF " : "+INF ");
    else if (value == 0 && signbit(value))
        writer_text(w, "-0.0 ");
    else
        writer_put(w, digits, (size_t)snprintf(digits, sizeof digits, fabs(value) < 1e9 ? "%.20g" : "%.20e", value));
    w->kept = w->at;
}

/* The bits of the f32, f64 or f16 whose top bits an immediate holds. */
static uint64_t float_of(const struct isa_element *e, const struct isa_word *word)
{
    return isa_get(word, &e->field) << (float_width(e->letter) - e->field.width);
}

static double float_value(char letter, uint64_t bits)
{
    double value;
    float narrow;
    uint32_t low = (uint32_t)bits;
    switch (letter) {
    case 'f':
        memcpy(&narrow, &low, sizeof narrow);
        return narrow;
    case 'g':
        memcpy(&value, &bits, sizeof value);
        return value;
    default:
        return f16_to_f32((uint16_t)bits);
    }
}

static void float_put(struct isa_writer *w, const struct isa_element *e, const struct isa_word *word)
{
    if (!isa_put_spelled(w, &e->field))
        put_float(w, float_value(e->letter, float_of(e, word)));
}

static void float_operand(const struct isa_element *e, const struct isa_word *word, struct isa_operand *operand)
{
    operand->value = (int64_t)float_of(e, word);
}

/* ---- constants and addresses ---------------------------------------------------------------------------------- */

/* Offset of an address, in bytes. Unsigned when there is no base (docs/maxwell.md, "Other memory instructions"). */
static int64_t address_offset(const struct isa_element *e, const struct isa_word *word, uint8_t base)
{
    if (!e->extra.pieces)
        return 0;
    uint64_t value = isa_get(word, &e->extra);
    return (base == SASS_RZ ? (int64_t)value : isa_sign_extend(value, e->extra.width)) * (int64_t)e->scale;
}

/* Constants count words in ALU operands and bytes elsewhere; both are signed 16-bit byte offsets. */
static bool counts_bytes(const struct isa_element *e)
{
    return (e->letter | 32) == 'b';
}

static int64_t constant_offset(const struct isa_element *e, const struct isa_word *word)
{
    uint64_t value = isa_get(word, &e->field);
    return counts_bytes(e) ? isa_sign_extend(value & 0xffff, 16) : isa_sign_extend(value & 0x3fff, 14) * 4;
}

static uint8_t constant_bank(const struct isa_element *e, const struct isa_word *word)
{
    return (uint8_t)(isa_get(word, &e->field) >> (counts_bytes(e) ? 16 : 14));
}

static void constant_operand(const struct isa_element *e, const struct isa_word *word, struct isa_operand *operand)
{
    operand->bank = constant_bank(e, word);
    operand->value = constant_offset(e, word);
    operand->reg = e->extra.pieces ? (uint8_t)isa_get(word, &e->extra) : SASS_RZ;
}

static void constant_put(struct isa_writer *w, const struct isa_element *e, const struct isa_word *word)
{
    int64_t offset = constant_offset(e, word);
    uint64_t base = e->extra.pieces ? isa_get(word, &e->extra) : SASS_RZ;
    bool named = isa_spelled_here(w, &e->field);              /* the name says the bank, too */
    writer_text(w, named && e->letter == 'C' ? "c [" : "c["); /* the blank of "c[0x0] [0x140]" */
    if (!named) {
        writer_hex(w, constant_bank(e, word));
        writer_text(w, e->letter == 'C' ? "] [" : "][");
    }
    if (base != SASS_RZ) {
        writer_char(w, 'R');
        writer_decimal(w, base);
    }
    if (named) {
        if (base != SASS_RZ)
            writer_char(w, '+');
        isa_put_spelled(w, &e->field);
        writer_char(w, ']');
        return;
    }
    if (base != SASS_RZ && offset)
        writer_char(w, '+');
    if (base == SASS_RZ && !offset && e->letter == 'B')
        writer_text(w, "RZ");
    else if (base == SASS_RZ || offset)
        writer_signed_hex(w, offset);
    writer_char(w, ']');
}

static void address_operand(const struct isa_element *e, const struct isa_word *word, struct isa_operand *operand)
{
    operand->reg = (uint8_t)isa_get(word, &e->field);
    operand->value = address_offset(e, word, operand->reg);
}

static void address_put(struct isa_writer *w, const struct isa_element *e, const struct isa_word *word)
{
    uint8_t base = (uint8_t)isa_get(word, &e->field);
    int64_t offset = address_offset(e, word, base);
    bool named = isa_spelled_here(w, &e->extra);
    writer_char(w, '[');
    if (base != SASS_RZ || (!offset && !named))
        isa_put_register(w, e, base);
    if (base != SASS_RZ && (offset || named))
        writer_char(w, '+');
    if (!isa_put_spelled(w, &e->extra) && offset)
        writer_signed_hex(w, offset);
    writer_char(w, ']');
}

/* An offset: alone, or after a register with its sign, "+0x10", "+-0x10", and as the sources write it, "- 400". Where
 * there is none *start becomes NULL. */
static bool offset_take(struct isa_parser *r, bool alone, struct isa_integer *offset, const char **start)
{
    const char *before = r->in.at;
    reader_blanks(&r->in);
    bool minus = !alone && reader_byte(&r->in, '-'), none = !alone && !minus && !reader_byte(&r->in, '+');
    *start = none ? NULL : r->in.at - minus;
    r->in.at = none ? before : r->in.at;
    reader_blanks(&r->in);
    if (none || !reader_integer(&r->in, offset))
        return none;
    r->in.at = minus && offset->minus ? *start : r->in.at;
    offset->minus ^= minus;
    return r->in.at != *start || reader_wanted(&r->in, "one sign");
}

static bool constant_take(struct isa_parser *r, const struct isa_element *e)
{
    struct isa_integer bank, offset = {0};
    uint64_t base = SASS_RZ;
    if (!reader_byte(&r->in, 'c') || !reader_byte(&r->in, '['))
        return reader_wanted(&r->in, "a constant such as c[0x0][0x140]");
    const char *start = r->in.at;
    if (!reader_integer(&r->in, &bank))
        return false;
    if (bank.minus || bank.magnitude > 31) {
        r->in.at = start;
        return reader_wanted(&r->in, "a bank from 0x0 to 0x1f");
    }
    if (!reader_byte(&r->in, ']'))
        return reader_wanted(&r->in, "']'");
    reader_blanks(&r->in);
    if (!reader_byte(&r->in, '['))
        return reader_wanted(&r->in, "'['");
    start = r->in.at;
    bool named = e->extra.pieces && r->in.at < r->in.end && *r->in.at == 'R';
    if ((named && !isa_take_register(&r->in, &registers, &base)) || !offset_take(r, !named, &offset, &start))
        return false;
    /* Offset and bank are one field: the first 14 or 16 bits and the 5 above. */
    unsigned width = counts_bytes(e) ? 16 : 14;
    uint64_t value;
    struct isa_parser inner = *r;
    struct isa_field scratch = {.pieces = 1, .width = (uint8_t)width, .owned = 1, .piece = {{0, (uint8_t)width}}};
    inner.known = (struct isa_word){{0}};
    if (!isa_settle_integer(&inner, &scratch, counts_bytes(e) ? 1 : 4, offset, true, false, start))
        return false;
    value = isa_get(&inner.word, &scratch);
    if (!reader_byte(&r->in, ']'))
        return reader_wanted(&r->in, "']'");
    return isa_fits(r, &e->field, value | bank.magnitude << width, "the constant that the operand has elsewhere") &&
           (!e->extra.pieces || isa_fits(r, &e->extra, base, "another index"));
}

static bool address_take(struct isa_parser *r, const struct isa_element *e)
{
    uint64_t base = SASS_RZ;
    struct isa_integer offset = {0};
    if (!reader_byte(&r->in, '['))
        return reader_wanted(&r->in, "an address such as [R2+0x10]");
    reader_blanks(&r->in);
    const char *start = NULL;
    bool named = r->in.at < r->in.end && *r->in.at == 'R';
    if (named && !isa_take_register(&r->in, &registers, &base))
        return false;
    if (named ? base == SASS_RZ && e->style & ISA_REFUSES : !e->extra.pieces)
        return reader_wanted(&r->in, (e->style & ISA_REFUSES ? &plain : &registers)->wanted);
    if (e->extra.pieces && !offset_take(r, !named, &offset, &start))
        return false;
    if (start ? !isa_settle_integer(r, &e->extra, e->scale, offset, base != SASS_RZ, base == SASS_RZ, start)
              : e->extra.pieces && !isa_fits(r, &e->extra, 0, "another offset"))
        return false;
    reader_blanks(&r->in);
    if (!reader_byte(&r->in, ']'))
        return reader_wanted(&r->in, "']'");
    return isa_fits(r, &e->field, base, "another base register");
}

/* ---- the table ------------------------------------------------------------------------------------------------ */

#define REAL \
    .kind = ISA_FLOAT, .width = 1, .style = ISA_BEHIND, .parse = float_take, .print = float_put, .value = float_operand
#define CONSTANT .kind = ISA_CONSTANT, .parse = constant_take, .print = constant_put, .value = constant_operand
#define ADDRESS                                                                                       \
    .kind = ISA_ADDRESS, .width = 8, .file = &registers, .parse = address_take, .print = address_put, \
    .value = address_operand
#define IMMEDIATE .kind = ISA_NUMBER, .width = 1

/* Immediates that are printed without a sign take negative numbers as well (docs/maxwell.md, "Text"). */
const struct isa_kind_row sass_kinds[] = {
    {.letter = 'R', .kind = ISA_REGISTER, .width = 8, .style = ISA_MARKED, .file = &registers},
    {.letter = 'Q', .kind = ISA_REGISTER, .width = 8, .style = ISA_MARKED, .file = &plain},
    {.letter = 'P', .kind = ISA_PREDICATE, .width = 3, .file = &predicates},
    {.letter = 'p', .kind = ISA_PREDICATE, .width = 3, .flip = 7, .file = &predicates},
    {.letter = 'i', .style = ISA_BEHIND | ISA_SIGNED, IMMEDIATE},
    {.letter = 'u', .style = ISA_BEHIND | ISA_EITHER, IMMEDIATE},
    {.letter = 'f', REAL},
    {.letter = 'g', REAL},
    {.letter = 'h', REAL},
    {.letter = 'c', .width = 14, CONSTANT},
    {.letter = 'C', .width = 14, CONSTANT},
    {.letter = 'b', .width = 16, CONSTANT},
    {.letter = 'B', .width = 16, CONSTANT},
    {.letter = 'A', ADDRESS},
    {.letter = 'I', ADDRESS},
    {.letter = 'J', .style = ISA_REFUSES, ADDRESS},
};
const unsigned sass_nkinds = sizeof sass_kinds / sizeof sass_kinds[0];

uint8_t sass_reuse_bit(const struct isa_row *row, const struct isa_element *e, unsigned count)
{
    /* The three register slots of an instruction and their reuse bits (docs/maxwell.md, "Control bits"). */
    static const uint8_t slots[3][2] = {{8, 64 + 17}, {20, 64 + 18}, {39, 64 + 19}};
    const struct isa_element *own = &e[count - 1];
    bool second = false;
    if (!(row->flags & SASS_REUSABLE) || own->letter != 'R')
        return ISA_NONE;
    for (; e < own; e++)
        second = second || (e->kind >= ISA_REGISTER && e->field.piece[0].low == slots[1][0]);
    for (unsigned k = 0; k < 3; k++)
        if (slots[k][0] == own->field.piece[0].low)
            return slots[k == 2 && !second ? 1 : k][1];
    return ISA_NONE;
}

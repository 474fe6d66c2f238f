/* Bits to text, and the same walk for those who want operands instead of text. */
#include "base/half.h"
#include "isa/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- writing into a buffer of fixed size ------------------------------------------------------------------ */

struct writer {
    char *at, *end;   /* end: room for the terminator stays behind it */
    const char *kept; /* blanks before it are no end to be dropped */
    const struct isa_spelled *spelled;
};

static inline void put(struct writer *w, const char *text, size_t length)
{
    size_t room = (size_t)(w->end - w->at);
    if (length > room)
        length = room;
    if (length > 16) {
        memcpy(w->at, text, length);
    } else if (length >= 8) { /* short ones, nearly all, as two words that overlap */
        memcpy(w->at, text, 8);
        memcpy(w->at + length - 8, text + length - 8, 8);
    } else if (length >= 4) {
        memcpy(w->at, text, 4);
        memcpy(w->at + length - 4, text + length - 4, 4);
    } else if (length) {
        w->at[0] = text[0];
        w->at[length / 2] = text[length / 2];
        w->at[length - 1] = text[length - 1];
    }
    w->at += length;
}

static inline void puts_(struct writer *w, const char *text)
{
    put(w, text, strlen(text));
}

static inline void putc_(struct writer *w, char c)
{
    if (w->at < w->end)
        *w->at++ = c;
}

static void put_decimal(struct writer *w, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    put(w, digits + at, sizeof digits - at);
}

static void put_hex(struct writer *w, uint64_t value)
{
    char digits[18];
    size_t at = sizeof digits;
    do
        digits[--at] = "0123456789abcdef"[value & 15];
    while (value >>= 4);
    digits[--at] = 'x';
    digits[--at] = '0';
    put(w, digits + at, sizeof digits - at);
}

static void put_signed_hex(struct writer *w, int64_t value)
{
    if (value < 0)
        putc_(w, '-');
    put_hex(w, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static bool signaling(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return isnan(value) && !(bits >> 51 & 1);
}

/* nvdisasm 11.8: special values are followed by a blank, at the end of a listing's text too. It widens f32 and f16
 * first, which makes their NaNs quiet; those of f64 stay. */
static void put_float(struct writer *w, double value)
{
    char digits[64];
    if (isnan(value)) {
        putc_(w, signbit(value) ? '-' : '+');
        puts_(w, signaling(value) ? "SNAN " : "QNAN ");
    } else if (isinf(value))
        puts_(w, value < 0 ? "-INF " : "+INF ");
    else if (value == 0 && signbit(value))
        puts_(w, "-0.0 ");
    else
        put(w, digits, (size_t)snprintf(digits, sizeof digits, fabs(value) < 1e9 ? "%.20g" : "%.20e", value));
    w->kept = w->at;
}

/* ---- values --------------------------------------------------------------------------------------------------- */

static int64_t sign_extend(uint64_t value, unsigned width)
{
    uint64_t sign = UINT64_C(1) << (width - 1);
    return (int64_t)((value ^ sign) - sign);
}

/* The bits of the f32, f64 or f16 whose top bits an immediate holds. */
static uint64_t float_bits(const struct isa_element *e, uint64_t value)
{
    unsigned whole = e->letter == 'f' ? 32 : e->letter == 'g' ? 64 : 16;
    return value << (whole - e->field.width);
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

static bool flagged(const struct isa_word *word, uint8_t bit)
{
    return bit != ISA_NONE && isa_bit(word, bit);
}

static int64_t element_number(const struct isa_element *e, const struct isa_word *word)
{
    uint64_t value = isa_get(word, &e->field);
    bool is_signed = e->letter == 's' || e->letter == 'i';
    return (is_signed ? sign_extend(value, e->field.width) : (int64_t)value) * (int64_t)e->scale;
}

/* Offset of an address, in bytes. Unsigned when there is no base (docs/maxwell.md, "Other memory instructions"). */
static int64_t address_offset(const struct isa_element *e, const struct isa_word *word, uint8_t base)
{
    if (!e->extra.pieces)
        return 0;
    uint64_t value = isa_get(word, &e->extra);
    return (base == 255 ? (int64_t)value : sign_extend(value, e->extra.width)) * (int64_t)e->scale;
}

/* Constants count words in ALU operands and bytes elsewhere; both are signed 16-bit byte offsets. */
static int64_t constant_offset(const struct isa_element *e, const struct isa_word *word)
{
    uint64_t value = isa_get(word, &e->field);
    return (e->letter | 32) == 'b' ? sign_extend(value & 0xffff, 16) : sign_extend(value & 0x3fff, 14) * 4;
}

static uint8_t constant_bank(const struct isa_element *e, const struct isa_word *word)
{
    return (uint8_t)(isa_get(word, &e->field) >> ((e->letter | 32) == 'b' ? 16 : 14));
}

static uint64_t target(const struct isa_table *table, const struct isa_element *e, const struct isa_word *word,
                       uint64_t address)
{
    return address + table->family.bits / 8 + (uint64_t)sign_extend(isa_get(word, &e->field), e->field.width);
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

static void put_name(struct writer *w, const struct isa_names *names, uint64_t value)
{
    if (value < names->count) {
        const char *text = names->text[value];
        for (; text && *text; text++)
            putc_(w, *text);
        return;
    }
    char text[ISA_REST];
    put(w, text, isa_rest_print(names, value, text));
}

static void put_register(struct writer *w, const struct isa_element *e, uint64_t number)
{
    if (number == 255 && e->letter != 'Q' && !e->above) {
        put(w, "RZ", 2);
    } else if (number + e->above > 254) {
        put(w, "???255", 6);
    } else {
        unsigned value = (unsigned)number + e->above;
        putc_(w, 'R');
        if (value > 99)
            putc_(w, (char)('0' + value / 100));
        if (value > 9)
            putc_(w, (char)('0' + value / 10 % 10));
        putc_(w, (char)('0' + value % 10));
    }
}

static void put_predicate(struct writer *w, const struct isa_element *e, const struct isa_word *word)
{
    uint64_t number = isa_get(word, &e->field);
    if (e->letter == 'p')
        number = 7 - number;
    if (flagged(word, e->not ))
        putc_(w, '!');
    putc_(w, 'P');
    putc_(w, number == 7 ? 'T' : (char)('0' + number));
}

/* Whether a name stands instead of the number in this field; writes it. */
static inline bool put_spelled(struct writer *w, const struct isa_field *field)
{
    if (!w->spelled || !field->pieces || field->piece[0].low != w->spelled->low)
        return false;
    put(w, w->spelled->text, w->spelled->length);
    return true;
}

static void put_constant(struct writer *w, const struct isa_element *e, const struct isa_word *word)
{
    int64_t offset = constant_offset(e, word);
    uint64_t base = e->extra.pieces ? isa_get(word, &e->extra) : 255;
    bool named = w->spelled && e->field.piece[0].low == w->spelled->low; /* the name says the bank, too */
    puts_(w, named && e->letter == 'C' ? "c [" : "c[");                  /* the blank of "c[0x0] [0x140]" */
    if (!named) {
        put_hex(w, constant_bank(e, word));
        puts_(w, e->letter == 'C' ? "] [" : "][");
    }
    if (base != 255) {
        putc_(w, 'R');
        put_decimal(w, base);
    }
    if (named) {
        if (base != 255)
            putc_(w, '+');
        put_spelled(w, &e->field);
        putc_(w, ']');
        return;
    }
    if (base != 255 && offset)
        putc_(w, '+');
    if (base == 255 && !offset && e->letter == 'B')
        puts_(w, "RZ");
    else if (base == 255 || offset)
        put_signed_hex(w, offset);
    putc_(w, ']');
}

static void put_address(struct writer *w, const struct isa_element *e, const struct isa_word *word)
{
    uint8_t base = (uint8_t)isa_get(word, &e->field);
    int64_t offset = address_offset(e, word, base);
    bool named = w->spelled && e->extra.pieces && e->extra.piece[0].low == w->spelled->low;
    putc_(w, '[');
    if (base != 255 || (!offset && !named))
        put_register(w, e, base);
    if (base != 255 && (offset || named))
        putc_(w, '+');
    if (!put_spelled(w, &e->extra) && offset)
        put_signed_hex(w, offset);
    putc_(w, ']');
}

static void put_set(struct writer *w, uint64_t set, unsigned width)
{
    char before = '{';
    for (unsigned n = width; n-- > 0;)
        if (set >> n & 1) {
            putc_(w, before);
            put_decimal(w, n);
            before = ',';
        }
    if (before == '{')
        putc_(w, '{');
    putc_(w, '}');
}

static void put_core(const struct isa_table *table, struct writer *w, const struct isa_element *e,
                     const struct isa_word *word, uint64_t address)
{
    switch (e->kind) {
    case ISA_REGISTER:
        put_register(w, e, isa_get(word, &e->field));
        break;
    case ISA_PREDICATE:
        put_predicate(w, e, word);
        break;
    case ISA_NUMBER:
        if (put_spelled(w, &e->field))
            break;
        if (e->letter == 'd')
            put_decimal(w, (uint64_t)element_number(e, word));
        else
            put_signed_hex(w, element_number(e, word));
        break;
    case ISA_FLOAT:
        if (!put_spelled(w, &e->field))
            put_float(w, float_value(e->letter, float_bits(e, isa_get(word, &e->field))));
        break;
    case ISA_CONSTANT:
        put_constant(w, e, word);
        break;
    case ISA_ADDRESS:
        put_address(w, e, word);
        break;
    case ISA_TARGET:
        if (!put_spelled(w, &e->field))
            put_signed_hex(w, (int64_t)target(table, e, word, address));
        break;
    case ISA_SET:
        put_set(w, isa_get(word, &e->field), e->field.width);
        break;
    default:
        break;
    }
}

static void put_operand(const struct isa_table *table, struct writer *w, const struct isa_element *e,
                        const struct isa_word *word, uint64_t address)
{
    bool number = isa_says_behind(e);
    bool neg = flagged(word, e->neg), abs = flagged(word, e->abs), inv = flagged(word, e->inv);
    if (!number) {
        if (neg && (e->kind != ISA_NUMBER || isa_get(word, &e->field))) /* nvdisasm 11.8 has no -0x0 */
            putc_(w, '-');
        if (inv)
            putc_(w, '~');
        if (abs)
            putc_(w, '|');
    }
    put_core(table, w, e, word, address);
    if (number) {
        if (neg)
            puts_(w, ".NEG");
        if (abs)
            puts_(w, ".ABS");
        if (inv)
            puts_(w, ".INV");
    }
    if (e->suffix)
        put_name(w, e->suffix, isa_get(word, &e->suffix_field));
    if (!number && abs)
        putc_(w, '|');
    if (flagged(word, e->reuse))
        put(w, ".reuse", 6);
}

/* Whether a group has anything to say: a field that differs from its default. */
static bool group_says(const struct isa_element *e, unsigned count, const struct isa_word *word)
{
    uint8_t group = e->group;
    for (; count && e->group == group; e++, count--) {
        if (e->kind == ISA_LITERAL)
            continue;
        if (isa_get(word, &e->field) != e->fallback || flagged(word, e->not ) || flagged(word, e->neg))
            return true;
        if (e->extra.pieces && isa_get(word, &e->extra))
            return true;
    }
    return false;
}

static unsigned group_skip(const struct isa_element *e, unsigned count)
{
    unsigned skipped = 0;
    while (skipped < count && e[skipped].group == e->group)
        skipped++;
    return skipped;
}

size_t isa_print(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word,
                 uint64_t address, char out[ISA_TEXT])
{
    size_t length = isa_print_spelled(table, form, word, address, NULL, out);
    while (length && out[length - 1] == ' ')
        length--;
    out[length] = 0;
    return length;
}

bool isa_target(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word,
                uint64_t address, uint64_t *to)
{
    const struct isa_element *e = &table->elements[form->first];
    for (unsigned i = 0; i < form->count; i++)
        if (e[i].kind == ISA_TARGET) {
            *to = target(table, &e[i], word, address);
            return true;
        }
    return false;
}

size_t isa_print_spelled(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word,
                         uint64_t address, const struct isa_spelled *spelled, char out[ISA_TEXT])
{
    struct writer w = {out, out + ISA_TEXT - 1, out, spelled};
    const struct isa_element *e = &table->elements[form->first];
    unsigned group = 0;
    for (unsigned i = 0; i < form->count; i++) {
        if (e[i].group != group) {
            group = e[i].group;
            if (group && !group_says(&e[i], form->count - i, word)) {
                i += group_skip(&e[i], form->count - i) - 1;
                continue;
            }
        }
        switch (e[i].kind) {
        case ISA_LITERAL:
            put(&w, e[i].text, e[i].length);
            break;
        case ISA_FLAG:
            if ((isa_get(word, &e[i].field) != 0) != e[i].inverted)
                put(&w, e[i].text, e[i].length);
            break;
        case ISA_NAME:
            put_name(&w, e[i].names, isa_get(word, &e[i].field));
            break;
        default:
            put_operand(table, &w, &e[i], word, address);
            break;
        }
    }
    while (w.at > w.kept && w.at[-1] == ' ')
        w.at--;
    *w.at = 0;
    return (size_t)(w.at - out);
}

/* ---- operands --------------------------------------------------------------------------------------------- */

static void operand_take(const struct isa_table *table, const struct isa_element *e, const struct isa_word *word,
                         uint64_t address, struct isa_operand *o)
{
    uint64_t value = isa_get(word, &e->field);
    *o = (struct isa_operand){.kind = e->kind,
                              .letter = e->letter,
                              .neg = flagged(word, e->neg),
                              .abs = flagged(word, e->abs),
                              .inv = flagged(word, e->inv),
                              .not = flagged(word, e->not ),
                              .reg = 255};
    if (e->suffix) {
        o->suffix = (unsigned)isa_get(word, &e->suffix_field);
        o->suffix_names = e->suffix;
    }
    switch (e->kind) {
    case ISA_REGISTER:
        o->reg = (uint8_t)(value == 255 || value + e->above > 254 ? 255 : value + e->above);
        break;
    case ISA_PREDICATE:
        o->reg = (uint8_t)(e->letter == 'p' ? 7 - value : value);
        break;
    case ISA_NUMBER:
        o->value = element_number(e, word);
        break;
    case ISA_FLOAT:
        o->value = (int64_t)float_bits(e, value);
        break;
    case ISA_CONSTANT:
        o->bank = constant_bank(e, word);
        o->value = constant_offset(e, word);
        o->reg = e->extra.pieces ? (uint8_t)isa_get(word, &e->extra) : 255;
        break;
    case ISA_ADDRESS:
        o->reg = (uint8_t)value;
        o->value = address_offset(e, word, o->reg);
        break;
    case ISA_TARGET:
        o->value = (int64_t)target(table, e, word, address);
        break;
    default:
        o->value = (int64_t)value;
        break;
    }
}

unsigned isa_operands(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word,
                      uint64_t address, struct isa_operand *operands, unsigned room)
{
    const struct isa_element *e = &table->elements[form->first];
    unsigned count = 0, i = 0;
    if (form->row->text[0] == '@') /* the guard's elements are one group at the front */
        i = group_skip(e, form->count);
    unsigned group = 0;
    bool says = true;
    for (; i < form->count && count < room; i++) {
        if (e[i].group != group) {
            group = e[i].group;
            says = !group || group_says(&e[i], form->count - i, word);
        }
        if (e[i].kind < ISA_REGISTER)
            continue;
        operand_take(table, &e[i], word, address, &operands[count]);
        operands[count++].defaulted = !says;
    }
    return count;
}

const char *isa_spelling(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word,
                         unsigned label)
{
    const struct isa_element *e = isa_role(table, form, label);
    uint64_t value = e ? isa_get(word, &e->field) : 0;
    return e && value < e->names->count && e->names->text[value] ? e->names->text[value] : "";
}

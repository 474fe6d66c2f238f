/* Text to bits: the template of each row of the mnemonic is held against the text. */
#include "base/half.h"
#include "isa/diag.h"
#include "isa/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A spelling that stands for several values; other fields tell which. */
struct open_name {
    const struct isa_names *names;
    const struct isa_field *field;
    const char *at;
    size_t length;
};

enum { OPEN_NAMES = 16 /* the most names that a row writes */ };

struct reader {
    const struct isa_table *table;
    const char *start, *at, *end;
    struct isa_word word, known; /* known: bits that are settled */
    uint64_t address;
    struct isa_mistake *mistake; /* the furthest so far */
    struct open_name *open;      /* room for OPEN_NAMES */
    unsigned nopen;
};

/* ---- small readers ------------------------------------------------------------------------------------------- */

static bool wanted(struct reader *r, const char *what)
{
    struct isa_mistake *mistake = r->mistake;
    size_t at = (size_t)(r->at - r->start);
    if (!mistake)
        return false;
    size_t used = strlen(mistake->wanted);
    if (at > mistake->at || !used) {
        mistake->at = at;
        snprintf(mistake->wanted, sizeof mistake->wanted - DIAG_READ, "%s", what);
    } else if (at == mistake->at && !strstr(mistake->wanted, what) &&
               used + strlen(what) + 5 + DIAG_READ < sizeof mistake->wanted) { /* another form */
        snprintf(mistake->wanted + used, sizeof mistake->wanted - used, " or %s", what);
    }
    return false;
}

/* The same with a format; nothing is formatted where nobody asks. */
static bool wanted_as(struct reader *r, const char *format, ...) PRINTF_LIKE(2, 3);

static bool wanted_as(struct reader *r, const char *format, ...)
{
    char what[120];
    va_list list;
    if (!r->mistake)
        return false;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    return wanted(r, what);
}

static inline bool blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline bool word_byte(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static inline void blanks(struct reader *r)
{
    while (r->at < r->end && blank(*r->at))
        r->at++;
}

static inline bool byte(struct reader *r, char c)
{
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

/* `text` and then no letter or digit, if it ends in one. */
static bool take(struct reader *r, const char *text, size_t length)
{
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, text, length) != 0)
        return false;
    const char *after = r->at + length;
    if (length && after < r->end && word_byte(text[length - 1]) && word_byte(*after))
        return false;
    r->at = after;
    return true;
}

/* Whether a field could have a value, by the bits that are settled. */
static bool agrees(const struct reader *r, const struct isa_field *field, uint64_t value)
{
    return ((isa_get(&r->word, field) ^ value) & isa_get(&r->known, field)) == 0;
}

/* Puts some bits of a value into a field; false when bits that are settled say otherwise. */
static bool settle_some(struct reader *r, const struct isa_field *field, uint64_t value, uint64_t which)
{
    uint64_t known = isa_get(&r->known, field), old = isa_get(&r->word, field);
    if ((old ^ value) & known & which)
        return false;
    isa_put(&r->word, field, (old & ~which) | (value & which));
    isa_put(&r->known, field, known | which);
    return true;
}

static bool settle(struct reader *r, const struct isa_field *field, uint64_t value)
{
    return settle_some(r, field, value, ~UINT64_C(0));
}

static bool settle_bit(struct reader *r, uint8_t bit, bool value)
{
    struct isa_field field = {.pieces = 1, .width = 1, .owned = 1};
    field.piece[0].low = bit;
    field.piece[0].width = 1;
    return bit == ISA_NONE ? !value : settle(r, &field, value);
}

static bool fits(struct reader *r, const struct isa_field *field, uint64_t value, const char *what)
{
    return settle(r, field, value) || wanted(r, what);
}

/* ---- literals, flags and names -------------------------------------------------------------------------------- */

/* The place in a literal that the text departs from: a word or modifier is wanted whole, where it begins. */
static bool literal_wanted(struct reader *r, const char *text, size_t length, size_t at)
{
    size_t from = at, to = at;
    if (!r->mistake || (!word_byte(text[at]) && text[at] != '.'))
        return wanted_as(r, "'%c'", text[at]);
    while (from && word_byte(text[from]) && (word_byte(text[from - 1]) || text[from - 1] == '.'))
        from--;
    for (to = from + 1; to < length && word_byte(text[to]);)
        to++;
    struct reader begin = *r;
    begin.at -= at - from;
    return wanted_as(&begin, "%.*s", (int)(to - from), text + from);
}

/* A blank of the template is at least one blank of the text, except behind a comma and where the text ends in a place
 * that the template goes on from with a blank. */
static bool literal(struct reader *r, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == ' ') {
            bool free = i && !word_byte(text[i - 1]);
            if (!free && r->at < r->end && !blank(*r->at) && r->at > r->start && word_byte(r->at[-1]) &&
                word_byte(*r->at))
                return wanted(r, "a blank");
            blanks(r);
            continue;
        }
        if (text[i] == ',')
            blanks(r);
        if (!byte(r, text[i]))
            return literal_wanted(r, text, length, i);
    }
    return true;
}

static bool flag(struct reader *r, const struct isa_element *e)
{
    bool found = take(r, e->text, e->length);
    return fits(r, &e->field, found != e->inverted, "another spelling: this one contradicts what is before it");
}

/* The length of the first of the spellings "a|b" that stands in the text, 0 where none does. */
static size_t spelling_take(const struct reader *r, const char *text)
{
    while (*text) {
        const char *at = r->at;
        while (*text && *text != '|' && at < r->end && *at == *text) {
            at++;
            text++;
        }
        bool whole = !*text || *text == '|';
        if (whole && at > r->at && (at == r->end || !word_byte(at[-1]) || !word_byte(*at)))
            return (size_t)(at - r->at);
        while (*text && *text++ != '|')
            ;
    }
    return 0;
}

/* A value past the list, written as `rest` says. */
static bool rest_take(struct reader *r, const struct isa_names *names, const struct isa_field *field)
{
    const char *hole = strchr(names->rest, '%');
    size_t head = hole ? (size_t)(hole - names->rest) : 0;
    if (!hole || (size_t)(r->end - r->at) <= head || memcmp(r->at, names->rest, head) != 0)
        return false;
    const char *digits = r->at + head;
    char *end;
    char copy[16] = {0};
    size_t room = (size_t)(r->end - digits);
    memcpy(copy, digits, room < 15 ? room : 15);
    if (!word_byte(copy[0]))
        return false;
    uint64_t value = strtoull(copy, &end, hole[1] == 'X' ? 16 : 10);
    if (end == copy || word_byte(*end) || value < names->count || value >> field->width)
        return false;
    struct reader saved = *r;
    r->at = digits + (end - copy);
    const char *tail = hole + 2;
    if (*tail && !take(r, tail, strlen(tail)))
        return false;
    if (settle(r, field, value))
        return true;
    *r = saved;
    return false;
}

static void names_wanted(struct reader *r, const struct isa_names *names)
{
    char what[120] = "one of";
    size_t used = strlen(what);
    for (unsigned i = 0; r->mistake && i < names->count; i++) {
        const char *text = names->text[i];
        if (!text || !*text || *text == '|')
            continue;
        int length = (int)strcspn(text, "|");
        if (used + (size_t)length + 5 > sizeof what) {
            snprintf(what + used, sizeof what - used, " ...");
            break;
        }
        used += (size_t)snprintf(what + used, sizeof what - used, " %.*s", length, text);
    }
    wanted(r, what);
}

/* The length of an entry's spelling in the text, 0 when nothing is written for it; false: it does not stand there. */
static bool entry_take(const struct reader *r, const char *text, size_t *length)
{
    if (!text)
        return false;
    *length = *text ? spelling_take(r, text) : 0;
    return *length || !*text || *text == '|';
}

/* The longest spelling that the settled bits allow; else the value for which nothing is written. Of several values that
 * are written so, the bits that they share are settled and the choice stays open. */
static bool names_take(struct reader *r, const struct isa_names *names, const struct isa_field *field)
{
    size_t longest = 0, length;
    uint64_t first = 0, apart = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < names->count; i++) {
        if (!entry_take(r, names->text[i], &length) || (count && length < longest) || !agrees(r, field, i))
            continue;
        if (!count || length > longest) {
            longest = length;
            first = i;
            apart = count = 0;
        }
        apart |= first ^ i;
        count++;
    }
    if (!longest && names->rest && rest_take(r, names, field))
        return true;
    if (!count) {
        names_wanted(r, names);
        return false;
    }
    if (apart && r->nopen < OPEN_NAMES)
        r->open[r->nopen++] = (struct open_name){names, field, r->at, longest};
    r->at += longest;
    return settle_some(r, field, first, ~apart);
}

/* Finds values for the names that are open, from the `next` on, that agree on the bits they share; the lowest first. */
static bool names_close(struct reader *r, unsigned next)
{
    if (next == r->nopen)
        return true;
    const struct open_name *open = &r->open[next];
    struct reader saved = *r;
    size_t length;
    for (unsigned i = 0; i < open->names->count; i++) {
        r->at = open->at;
        bool same = entry_take(r, open->names->text[i], &length) && length == open->length;
        r->at = saved.at;
        if (same && settle(r, open->field, i) && names_close(r, next + 1))
            return true;
        *r = saved;
    }
    return false;
}

/* ---- numbers --------------------------------------------------------------------------------------------- */

struct integer {
    uint64_t magnitude;
    bool minus;
};

static bool integer(struct reader *r, struct integer *value)
{
    const char *at = r->at;
    value->minus = at < r->end && *at == '-';
    at += value->minus;
    uint64_t magnitude = 0, digit;
    bool hex = r->end - at > 2 && at[0] == '0' && (at[1] | 32) == 'x', any = false;
    if (hex)
        at += 2;
    for (; at < r->end && word_byte(*at); at++, any = true) {
        char c = *at;
        digit = c <= '9' ? (uint64_t)(c - '0') : (uint64_t)((c | 32) - 'a' + 10);
        if (digit >= (hex ? 16u : 10u) || magnitude > (UINT64_MAX - digit) / (hex ? 16 : 10))
            return wanted(r, "a number such as 0x10");
        magnitude = magnitude * (hex ? 16 : 10) + digit;
    }
    if (!any)
        return wanted(r, "a number such as 0x10");
    value->magnitude = magnitude;
    r->at = at;
    return true;
}

/* Settles an integer in a field of `width` bits that counts units of `scale`. `minus`: negative numbers belong;
 * `plus`: numbers with the top bit set do as well. */
static bool integer_settle(struct reader *r, const struct isa_field *field, uint32_t scale, struct integer value,
                           bool minus, bool plus, const char *start)
{
    const char *after = r->at;
    uint64_t units = value.magnitude / scale, half = UINT64_C(1) << (field->width - 1);
    uint64_t most = plus ? half - 1 + half : half - 1;
    r->at = start;
    if (value.magnitude % scale)
        return wanted_as(r, "a multiple of %u", scale);
    if (value.minus ? !minus || units > half : units > most)
        return wanted_as(r, "a number from %s0x%llx to 0x%llx", minus ? "-" : "",
                         (unsigned long long)(minus ? half * scale : 0), (unsigned long long)(most * scale));
    r->at = after;
    return settle(r, field, value.minus ? 0 - units : units) || wanted(r, "the value that the operand has elsewhere");
}

/* Immediates that are printed without a sign take negative numbers as well (docs/maxwell.md, "Text"), and those of
 * 32 bits all numbers of 32 bits. */
static bool number(struct reader *r, const struct isa_element *e)
{
    struct integer value;
    const char *start = r->at;
    bool is_signed = e->letter == 's' || e->letter == 'i';
    if (!integer(r, &value))
        return false;
    return integer_settle(r, &e->field, e->scale, value, is_signed || e->letter == 'u',
                          !is_signed || e->field.width == 32, start);
}

static unsigned float_width(char letter)
{
    return letter == 'f' ? 32 : letter == 'g' ? 64 : 16;
}

/* INF and NaNs as bits of the operand's type. The text does not tell NaNs apart: the lowest is meant that the field can
 * hold (named choice). */
static bool special_float(struct reader *r, const struct isa_element *e, uint64_t *bits)
{
    unsigned whole = float_width(e->letter), mantissa = whole == 32 ? 23 : whole == 64 ? 52 : 10;
    uint64_t sign = UINT64_C(1) << (whole - 1), infinite = sign - (UINT64_C(1) << mantissa);
    const char *start = r->at;
    bool minus = byte(r, '-');
    if (!minus)
        byte(r, '+');
    if (take(r, "INF", 3))
        *bits = infinite;
    else if (take(r, "QNAN", 4))
        *bits = infinite | UINT64_C(1) << (mantissa - 1);
    else if (take(r, "SNAN", 4))
        *bits = infinite | UINT64_C(1) << (whole - e->field.width);
    else
        r->at = start;
    *bits |= r->at != start && minus ? sign : 0;
    return r->at != start;
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

static bool decimal(struct reader *r, char letter, uint64_t *bits)
{
    char copy[80] = {0}, *end;
    size_t room = (size_t)(r->end - r->at), most = sizeof copy - 1;
    memcpy(copy, r->at, room < most ? room : most);
    *bits = float_bits(letter, strtod(copy, &end));
    /* ".NEG" and the like follow without a blank; "1.ABS" is not a number's fraction. */
    if (end > copy + 1 && end[-1] == '.')
        end--;
    if (end == copy || (copy[1] | 32) == 'x' || !strchr("+-.0123456789", copy[0]))
        return wanted(r, "a decimal number, INF, QNAN or SNAN");
    if (*bits == float_bits(letter, HUGE_VAL) || *bits == float_bits(letter, -HUGE_VAL))
        return wanted_as(r, "a number that an f%u can hold, or INF", float_width(letter));
    r->at += end - copy;
    return true;
}

static bool real(struct reader *r, const struct isa_element *e)
{
    uint64_t bits = 0;
    const char *start = r->at;
    if (!special_float(r, e, &bits) && !decimal(r, e->letter, &bits))
        return false;
    unsigned whole = float_width(e->letter), lost = whole - e->field.width;
    if (lost && bits & ((UINT64_C(1) << lost) - 1)) {
        r->at = start;
        return wanted_as(r, "a number that the top %u bits of an f%u hold", e->field.width, whole);
    }
    return fits(r, &e->field, bits >> lost, "the value that the operand has elsewhere");
}

/* ---- operands -------------------------------------------------------------------------------------------- */

static bool register_number(struct reader *r, uint64_t *number)
{
    const char *start = r->at;
    *number = 255;
    if (take(r, "RZ", 2))
        return true;
    if (r->end - r->at > 1 && *r->at == 'R' && r->at[1] >= '0' && r->at[1] <= '9') {
        uint64_t value = 0;
        r->at++;
        while (r->at < r->end && *r->at >= '0' && *r->at <= '9' && value < 1000)
            value = value * 10 + (uint64_t)(*r->at++ - '0');
        if (value < 255 && (r->at == r->end || !word_byte(*r->at))) {
            *number = value;
            return true;
        }
    }
    r->at = start;
    return wanted(r, "a register R0..R254 or RZ");
}

static bool register_take(struct reader *r, const struct isa_element *e)
{
    uint64_t number;
    const char *start = r->at;
    if ((e->above || e->letter == 'Q') && take(r, "???255", 6)) /* the vendor's word for a register past the last */
        return e->above || fits(r, &e->field, 255, "another register");
    if (!register_number(r, &number))
        return false;
    if (number == 255 && e->letter == 'Q') {
        r->at = start;
        return wanted(r, "a register R0..R254");
    }
    const char *after = r->at;
    r->at = start;
    if (number < e->above)
        return wanted(r, "a higher register");
    if (!settle(r, &e->field, number - e->above)) {
        uint64_t other = isa_get(&r->word, &e->field);
        static const char rest[] = "(it follows from another operand)";
        return other == 255 ? wanted_as(r, "RZ %s", rest) : wanted_as(r, "R%u %s", (unsigned)(other + e->above), rest);
    }
    r->at = after;
    return true;
}

static bool predicate_take(struct reader *r, const struct isa_element *e)
{
    bool inverted = byte(r, '!');
    uint64_t number;
    if (inverted && e->not == ISA_NONE)
        return wanted(r, "a predicate without '!'");
    if (take(r, "PT", 2)) {
        number = 7;
    } else if (r->end - r->at > 1 && r->at[0] == 'P' && r->at[1] >= '0' && r->at[1] <= '6' &&
               (r->end - r->at == 2 || !word_byte(r->at[2]))) {
        number = (uint64_t)(r->at[1] - '0');
        r->at += 2;
    } else {
        return wanted(r, "a predicate P0..P6 or PT");
    }
    if (e->letter == 'p')
        number = 7 - number;
    return fits(r, &e->field, number, "the predicate that the operand has elsewhere") &&
           settle_bit(r, e->not, inverted);
}

/* An offset: alone, or behind a register with its sign, "+0x10", "+-0x10", and as the sources write it, "- 400". Where
 * there is none *start becomes NULL. */
static bool offset_take(struct reader *r, bool alone, struct integer *offset, const char **start)
{
    const char *before = r->at;
    blanks(r);
    bool minus = !alone && byte(r, '-'), none = !alone && !minus && !byte(r, '+');
    *start = none ? NULL : r->at - minus;
    r->at = none ? before : r->at;
    blanks(r);
    if (none || !integer(r, offset))
        return none;
    r->at = minus && offset->minus ? *start : r->at;
    offset->minus ^= minus;
    return r->at != *start || wanted(r, "one sign");
}

static bool constant_take(struct reader *r, const struct isa_element *e)
{
    struct integer bank, offset = {0};
    uint64_t base = 255;
    if (!byte(r, 'c') || !byte(r, '['))
        return wanted(r, "a constant such as c[0x0][0x140]");
    const char *start = r->at;
    if (!integer(r, &bank))
        return false;
    if (bank.minus || bank.magnitude > 31) {
        r->at = start;
        return wanted(r, "a bank from 0x0 to 0x1f");
    }
    if (!byte(r, ']'))
        return wanted(r, "']'");
    blanks(r);
    if (!byte(r, '['))
        return wanted(r, "'['");
    start = r->at;
    bool named = e->extra.pieces && r->at < r->end && *r->at == 'R';
    if ((named && !register_number(r, &base)) || !offset_take(r, !named, &offset, &start))
        return false;
    /* Offset and bank are one field: the first 14 or 16 bits and the 5 above. */
    unsigned width = (e->letter | 32) == 'b' ? 16 : 14;
    uint64_t value;
    struct reader inner = *r;
    struct isa_field scratch = {.pieces = 1, .width = (uint8_t)width, .owned = 1, .piece = {{0, (uint8_t)width}}};
    inner.known = (struct isa_word){{0}};
    if (!integer_settle(&inner, &scratch, (e->letter | 32) == 'b' ? 1 : 4, offset, true, false, start))
        return false;
    value = isa_get(&inner.word, &scratch);
    if (!byte(r, ']'))
        return wanted(r, "']'");
    return fits(r, &e->field, value | bank.magnitude << width, "the constant that the operand has elsewhere") &&
           (!e->extra.pieces || fits(r, &e->extra, base, "another index"));
}

static bool address_take(struct reader *r, const struct isa_element *e)
{
    uint64_t base = 255;
    struct integer offset = {0};
    if (!byte(r, '['))
        return wanted(r, "an address such as [R2+0x10]");
    blanks(r);
    const char *start = NULL;
    bool named = r->at < r->end && *r->at == 'R';
    if (named && !register_number(r, &base))
        return false;
    if (named ? base == 255 && e->letter == 'J' : !e->extra.pieces)
        return wanted(r, e->letter == 'J' ? "a register R0..R254" : "a register R0..R254 or RZ");
    if (e->extra.pieces && !offset_take(r, !named, &offset, &start))
        return false;
    if (start ? !integer_settle(r, &e->extra, e->scale, offset, base != 255, base == 255, start)
              : e->extra.pieces && !fits(r, &e->extra, 0, "another offset"))
        return false;
    blanks(r);
    if (!byte(r, ']'))
        return wanted(r, "']'");
    return fits(r, &e->field, base, "another base register");
}

static bool target_take(struct reader *r, const struct isa_element *e)
{
    struct integer value;
    const char *start = r->at;
    if (!integer(r, &value))
        return false;
    uint64_t from = r->address + r->table->family.bits / 8;
    uint64_t to = value.minus ? 0 - value.magnitude : value.magnitude, distance = to - from;
    struct integer relative = {.minus = distance >> 63, .magnitude = distance >> 63 ? 0 - distance : distance};
    return integer_settle(r, &e->field, 1, relative, true, false, start);
}

static bool set_take(struct reader *r, const struct isa_element *e)
{
    uint64_t set = 0;
    if (!byte(r, '{'))
        return wanted(r, "a set such as {5,4,0}");
    blanks(r);
    while (r->at < r->end && *r->at != '}') {
        struct integer value;
        if (!integer(r, &value))
            return false;
        if (value.minus || value.magnitude >= e->field.width)
            return wanted(r, "a smaller number");
        set |= UINT64_C(1) << value.magnitude;
        blanks(r);
        if (!byte(r, ','))
            break;
        blanks(r);
    }
    if (!byte(r, '}'))
        return wanted(r, "'}'");
    return fits(r, &e->field, set, "another set");
}

static bool core_take(struct reader *r, const struct isa_element *e)
{
    switch (e->kind) {
    case ISA_REGISTER:
        return register_take(r, e);
    case ISA_PREDICATE:
        return predicate_take(r, e);
    case ISA_NUMBER:
        return number(r, e);
    case ISA_FLOAT:
        return real(r, e);
    case ISA_CONSTANT:
        return constant_take(r, e);
    case ISA_ADDRESS:
        return address_take(r, e);
    case ISA_TARGET:
        return target_take(r, e);
    default:
        return set_take(r, e);
    }
}

static bool operand(struct reader *r, const struct isa_element *e)
{
    bool behind = isa_says_behind(e);
    bool neg = false, abs = false, inv = false;
    if (!behind) {
        neg = e->neg != ISA_NONE && byte(r, '-');
        inv = e->inv != ISA_NONE && byte(r, '~');
        abs = e->abs != ISA_NONE && byte(r, '|');
    }
    if (!core_take(r, e))
        return false;
    if (behind) {
        if (e->neg != ISA_NONE || e->abs != ISA_NONE || e->inv != ISA_NONE) {
            const char *core = r->at;
            blanks(r); /* "+INF .NEG" */
            if (r->at == r->end || *r->at != '.')
                r->at = core;
        }
        neg = e->neg != ISA_NONE && take(r, ".NEG", 4);
        abs = e->abs != ISA_NONE && take(r, ".ABS", 4);
        inv = e->inv != ISA_NONE && take(r, ".INV", 4);
    }
    if (e->suffix && !names_take(r, e->suffix, &e->suffix_field))
        return false;
    if (!behind && abs && !byte(r, '|'))
        return wanted(r, "'|'");
    bool reuse = e->reuse != ISA_NONE && take(r, ".reuse", 6);
    return (settle_bit(r, e->neg, neg) && settle_bit(r, e->abs, abs) && settle_bit(r, e->inv, inv) &&
            (e->reuse == ISA_NONE || settle_bit(r, e->reuse, reuse))) ||
           wanted(r, "an operand that fits what is before it");
}

static bool element(struct reader *r, const struct isa_element *e)
{
    switch (e->kind) {
    case ISA_LITERAL:
        return literal(r, e->text, e->length);
    case ISA_FLAG:
        return flag(r, e);
    case ISA_NAME:
        return names_take(r, e->names, &e->field);
    default:
        return operand(r, e);
    }
}

/* ---- rows ------------------------------------------------------------------------------------------------ */

static bool defaults(struct reader *r, const struct isa_element *e, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (e[i].kind == ISA_LITERAL)
            continue;
        if (!settle(r, &e[i].field, e[i].fallback) || !settle_bit(r, e[i].not, false) ||
            !settle_bit(r, e[i].neg, false) || (e[i].extra.pieces && !settle(r, &e[i].extra, 0)))
            return false;
    }
    return true;
}

static bool group(struct reader *r, const struct isa_element *e, unsigned count)
{
    struct reader saved = *r;
    bool ok = true;
    for (unsigned i = 0; ok && i < count; i++)
        ok = element(r, &e[i]);
    if (ok)
        return true;
    *r = saved;
    return defaults(r, e, count);
}

static bool row_take(struct reader *r, const struct isa_form *form)
{
    const struct isa_element *e = &r->table->elements[form->first];
    for (unsigned i = 0; i < form->count;) {
        unsigned count = 1;
        if (e[i].group) {
            while (i + count < form->count && e[i + count].group == e[i].group)
                count++;
            if (!group(r, &e[i], count))
                return wanted(r, "what belongs here");
        } else if (!element(r, &e[i])) {
            return false;
        }
        i += count;
    }
    blanks(r);
    if (byte(r, ';'))
        blanks(r);
    if (r->at != r->end)
        return wanted(r, "the end of the instruction");
    return names_close(r, 0) || wanted(r, "names that fit each other");
}

/* The mnemonic: behind a guard and its blanks, up to '.', blank or end. */
static bool mnemonic_find(const char *text, size_t length, const char **name, size_t *name_length)
{
    size_t at = 0, start;
    while (at < length && blank(text[at]))
        at++;
    if (at < length && text[at] == '@') {
        while (at < length && !blank(text[at]))
            at++;
        while (at < length && blank(text[at]))
            at++;
    }
    for (start = at; at < length && word_byte(text[at]);)
        at++;
    *name = text + start;
    *name_length = at - start;
    return at > start;
}

/* The form that the text is of. Without `mistake` nothing is noted of those that it is not. */
static const struct isa_form *form_take(const struct isa_table *table, const char *text, size_t length, unsigned arch,
                                        uint64_t address, struct isa_word *word, struct isa_mistake *mistake)
{
    const char *name = text;
    size_t name_length = 0;
    struct open_name open[OPEN_NAMES];
    struct reader start = {
        .table = table, .start = text, .end = text + length, .address = address, .mistake = mistake, .open = open};
    start.at = text;
    blanks(&start);
    bool any = mnemonic_find(text, length, &name, &name_length), known = false;
    uint32_t first = any ? namemap_find(&table->mnemonics, name, name_length) : UINT32_MAX;
    for (uint32_t i = first; i < table->nforms; i++) {
        const struct isa_form *form = &table->forms[table->by_name[i]];
        if (isa_mnemonic_compare(form, name, name_length) != 0)
            break;
        if (!(form->row->archs >> arch & 1))
            continue;
        known = true;
        struct reader r = start;
        r.word = *word;
        r.word.part[0] = form->row->value;
        r.known.part[0] = form->row->mask;
        if (!row_take(&r, form))
            continue;
        if (isa_find(table, &r.word, arch, NULL) != form) {
            wanted(&r, "another form: these bits mean something else");
            continue;
        }
        *word = r.word;
        return form;
    }
    if (!known) {
        start.at = name;
        wanted(&start, first < table->nforms ? "an instruction of this architecture" : "an instruction");
    }
    return NULL;
}

const struct isa_form *isa_parse(const struct isa_table *table, const char *text, size_t length, unsigned arch,
                                 uint64_t address, struct isa_word *word, struct isa_mistake *mistake)
{
    const struct isa_form *form = form_take(table, text, length, arch, address, word, NULL);
    if (!form && mistake) {
        *mistake = (struct isa_mistake){0};
        form_take(table, text, length, arch, address, word, mistake);
        diag_read(text + mistake->at, text + length, mistake->wanted + strlen(mistake->wanted));
    }
    return form;
}

/* Text to bits: the template of each row of the mnemonic is held against the text. */
#include "base/half.h"
#include "isa/diag.h"
#include "isa/table.h"

#include <math.h>
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
    struct isa_reader in;
    struct isa_word word, known; /* known: bits that are settled */
    uint64_t address;
    struct open_name *open; /* room for OPEN_NAMES */
    unsigned nopen;
};

/* ---- bits that are settled -------------------------------------------------------------------------------------- */

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
    return settle(r, field, value) || reader_wanted(&r->in, what);
}

/* ---- flags and names ------------------------------------------------------------------------------------------- */

static bool flag(struct reader *r, const struct isa_element *e)
{
    bool found = reader_take(&r->in, e->text, e->length);
    return fits(r, &e->field, found != e->inverted, "another spelling: this one contradicts what is before it");
}

/* A value past the list, written as `rest` says. */
static bool rest_take(struct reader *r, const struct isa_names *names, const struct isa_field *field)
{
    struct isa_reader saved = r->in;
    uint64_t value;
    if (reader_rest(&r->in, names, &value) && !(value >> field->width) && settle(r, field, value))
        return true;
    r->in = saved;
    return false;
}

/* The longest spelling that the settled bits allow; else the value for which nothing is written. Of several values that
 * are written so, the bits that they share are settled and the choice stays open. */
static bool names_take(struct reader *r, const struct isa_names *names, const struct isa_field *field)
{
    size_t longest = 0, length;
    uint64_t first = 0, apart = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < names->count; i++) {
        if (!reader_entry(&r->in, names, i, &length) || (count && length < longest) || !agrees(r, field, i))
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
        return reader_wanted_name(&r->in, names);
    }
    if (apart && r->nopen < OPEN_NAMES)
        r->open[r->nopen++] = (struct open_name){names, field, r->in.at, longest};
    r->in.at += longest;
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
        r->in.at = open->at;
        bool same = reader_entry(&r->in, open->names, i, &length) && length == open->length;
        r->in.at = saved.in.at;
        if (same && settle(r, open->field, i) && names_close(r, next + 1))
            return true;
        *r = saved;
    }
    return false;
}

/* ---- numbers --------------------------------------------------------------------------------------------- */

/* Settles an integer in a field of `width` bits that counts units of `scale`. `minus`: negative numbers belong;
 * `plus`: numbers with the top bit set do as well. */
static bool integer_settle(struct reader *r, const struct isa_field *field, uint32_t scale, struct isa_integer value,
                           bool minus, bool plus, const char *start)
{
    const char *after = r->in.at;
    uint64_t units = value.magnitude / scale, half = UINT64_C(1) << (field->width - 1);
    uint64_t most = plus ? half - 1 + half : half - 1;
    r->in.at = start;
    if (value.magnitude % scale)
        return reader_wanted_as(&r->in, "a multiple of %u", scale);
    if (value.minus ? !minus || units > half : units > most)
        return reader_wanted_as(&r->in, "a number from %s0x%llx to 0x%llx", minus ? "-" : "",
                                (unsigned long long)(minus ? half * scale : 0), (unsigned long long)(most * scale));
    r->in.at = after;
    return settle(r, field, value.minus ? 0 - units : units) ||
           reader_wanted(&r->in, "the value that the operand has elsewhere");
}

/* Immediates that are printed without a sign take negative numbers as well (docs/maxwell.md, "Text"), and those of
 * 32 bits all numbers of 32 bits. */
static bool number(struct reader *r, const struct isa_element *e)
{
    struct isa_integer value;
    const char *start = r->in.at;
    bool is_signed = e->letter == 's' || e->letter == 'i';
    if (!reader_integer(&r->in, &value))
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

static bool decimal(struct reader *r, char letter, uint64_t *bits)
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

static bool real(struct reader *r, const struct isa_element *e)
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
    return fits(r, &e->field, bits >> lost, "the value that the operand has elsewhere");
}

/* ---- operands -------------------------------------------------------------------------------------------- */

static bool register_number(struct reader *r, uint64_t *number)
{
    const char *start = r->in.at;
    *number = 255;
    if (reader_take(&r->in, "RZ", 2))
        return true;
    if (r->in.end - r->in.at > 1 && *r->in.at == 'R' && r->in.at[1] >= '0' && r->in.at[1] <= '9') {
        uint64_t value = 0;
        r->in.at++;
        while (r->in.at < r->in.end && *r->in.at >= '0' && *r->in.at <= '9' && value < 1000)
            value = value * 10 + (uint64_t)(*r->in.at++ - '0');
        if (value < 255 && (r->in.at == r->in.end || !reader_word_byte(*r->in.at))) {
            *number = value;
            return true;
        }
    }
    r->in.at = start;
    return reader_wanted(&r->in, "a register R0..R254 or RZ");
}

static bool register_take(struct reader *r, const struct isa_element *e)
{
    uint64_t number;
    const char *start = r->in.at;
    if ((e->above || e->letter == 'Q') &&
        reader_take(&r->in, "???255", 6)) /* the vendor's word for a register past the last */
        return e->above || fits(r, &e->field, 255, "another register");
    if (!register_number(r, &number))
        return false;
    if (number == 255 && e->letter == 'Q') {
        r->in.at = start;
        return reader_wanted(&r->in, "a register R0..R254");
    }
    const char *after = r->in.at;
    r->in.at = start;
    if (number < e->above)
        return reader_wanted(&r->in, "a higher register");
    if (!settle(r, &e->field, number - e->above)) {
        uint64_t other = isa_get(&r->word, &e->field);
        static const char rest[] = "(it follows from another operand)";
        return other == 255 ? reader_wanted_as(&r->in, "RZ %s", rest)
                            : reader_wanted_as(&r->in, "R%u %s", (unsigned)(other + e->above), rest);
    }
    r->in.at = after;
    return true;
}

static bool predicate_take(struct reader *r, const struct isa_element *e)
{
    bool inverted = reader_byte(&r->in, '!');
    uint64_t number;
    if (inverted && e->not == ISA_NONE)
        return reader_wanted(&r->in, "a predicate without '!'");
    if (reader_take(&r->in, "PT", 2)) {
        number = 7;
    } else if (r->in.end - r->in.at > 1 && r->in.at[0] == 'P' && r->in.at[1] >= '0' && r->in.at[1] <= '6' &&
               (r->in.end - r->in.at == 2 || !reader_word_byte(r->in.at[2]))) {
        number = (uint64_t)(r->in.at[1] - '0');
        r->in.at += 2;
    } else {
        return reader_wanted(&r->in, "a predicate P0..P6 or PT");
    }
    if (e->letter == 'p')
        number = 7 - number;
    return fits(r, &e->field, number, "the predicate that the operand has elsewhere") &&
           settle_bit(r, e->not, inverted);
}

/* An offset: alone, or behind a register with its sign, "+0x10", "+-0x10", and as the sources write it, "- 400". Where
 * there is none *start becomes NULL. */
static bool offset_take(struct reader *r, bool alone, struct isa_integer *offset, const char **start)
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

static bool constant_take(struct reader *r, const struct isa_element *e)
{
    struct isa_integer bank, offset = {0};
    uint64_t base = 255;
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
    if (!reader_byte(&r->in, ']'))
        return reader_wanted(&r->in, "']'");
    return fits(r, &e->field, value | bank.magnitude << width, "the constant that the operand has elsewhere") &&
           (!e->extra.pieces || fits(r, &e->extra, base, "another index"));
}

static bool address_take(struct reader *r, const struct isa_element *e)
{
    uint64_t base = 255;
    struct isa_integer offset = {0};
    if (!reader_byte(&r->in, '['))
        return reader_wanted(&r->in, "an address such as [R2+0x10]");
    reader_blanks(&r->in);
    const char *start = NULL;
    bool named = r->in.at < r->in.end && *r->in.at == 'R';
    if (named && !register_number(r, &base))
        return false;
    if (named ? base == 255 && e->letter == 'J' : !e->extra.pieces)
        return reader_wanted(&r->in, e->letter == 'J' ? "a register R0..R254" : "a register R0..R254 or RZ");
    if (e->extra.pieces && !offset_take(r, !named, &offset, &start))
        return false;
    if (start ? !integer_settle(r, &e->extra, e->scale, offset, base != 255, base == 255, start)
              : e->extra.pieces && !fits(r, &e->extra, 0, "another offset"))
        return false;
    reader_blanks(&r->in);
    if (!reader_byte(&r->in, ']'))
        return reader_wanted(&r->in, "']'");
    return fits(r, &e->field, base, "another base register");
}

static bool target_take(struct reader *r, const struct isa_element *e)
{
    struct isa_integer value;
    const char *start = r->in.at;
    if (!reader_integer(&r->in, &value))
        return false;
    uint64_t from = r->address + r->table->family.bits / 8;
    uint64_t to = value.minus ? 0 - value.magnitude : value.magnitude, distance = to - from;
    struct isa_integer relative = {.minus = distance >> 63, .magnitude = distance >> 63 ? 0 - distance : distance};
    return integer_settle(r, &e->field, 1, relative, true, false, start);
}

static bool set_take(struct reader *r, const struct isa_element *e)
{
    uint64_t set = 0;
    if (!reader_byte(&r->in, '{'))
        return reader_wanted(&r->in, "a set such as {5,4,0}");
    reader_blanks(&r->in);
    while (r->in.at < r->in.end && *r->in.at != '}') {
        struct isa_integer value;
        if (!reader_integer(&r->in, &value))
            return false;
        if (value.minus || value.magnitude >= e->field.width)
            return reader_wanted(&r->in, "a smaller number");
        set |= UINT64_C(1) << value.magnitude;
        reader_blanks(&r->in);
        if (!reader_byte(&r->in, ','))
            break;
        reader_blanks(&r->in);
    }
    if (!reader_byte(&r->in, '}'))
        return reader_wanted(&r->in, "'}'");
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
        neg = e->neg != ISA_NONE && reader_byte(&r->in, '-');
        inv = e->inv != ISA_NONE && reader_byte(&r->in, '~');
        abs = e->abs != ISA_NONE && reader_byte(&r->in, '|');
    }
    if (!core_take(r, e))
        return false;
    if (behind) {
        if (e->neg != ISA_NONE || e->abs != ISA_NONE || e->inv != ISA_NONE) {
            const char *core = r->in.at;
            reader_blanks(&r->in); /* "+INF .NEG" */
            if (r->in.at == r->in.end || *r->in.at != '.')
                r->in.at = core;
        }
        neg = e->neg != ISA_NONE && reader_take(&r->in, ".NEG", 4);
        abs = e->abs != ISA_NONE && reader_take(&r->in, ".ABS", 4);
        inv = e->inv != ISA_NONE && reader_take(&r->in, ".INV", 4);
    }
    if (e->suffix && !names_take(r, e->suffix, &e->suffix_field))
        return false;
    if (!behind && abs && !reader_byte(&r->in, '|'))
        return reader_wanted(&r->in, "'|'");
    bool reuse = e->reuse != ISA_NONE && reader_take(&r->in, ".reuse", 6);
    return (settle_bit(r, e->neg, neg) && settle_bit(r, e->abs, abs) && settle_bit(r, e->inv, inv) &&
            (e->reuse == ISA_NONE || settle_bit(r, e->reuse, reuse))) ||
           reader_wanted(&r->in, "an operand that fits what is before it");
}

static bool element(struct reader *r, const struct isa_element *e)
{
    switch (e->kind) {
    case ISA_LITERAL:
        return reader_literal(&r->in, e->text, e->length);
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
                return reader_wanted(&r->in, "what belongs here");
        } else if (!element(r, &e[i])) {
            return false;
        }
        i += count;
    }
    reader_blanks(&r->in);
    if (reader_byte(&r->in, ';'))
        reader_blanks(&r->in);
    if (r->in.at != r->in.end)
        return reader_wanted(&r->in, "the end of the instruction");
    return names_close(r, 0) || reader_wanted(&r->in, "names that fit each other");
}

/* The mnemonic: behind a guard and its blanks, up to '.', blank or end. */
static bool mnemonic_find(const char *text, size_t length, const char **name, size_t *name_length)
{
    size_t at = 0;
    while (at < length && reader_blank(text[at]))
        at++;
    if (at < length && text[at] == '@') {
        while (at < length && !reader_blank(text[at]))
            at++;
        while (at < length && reader_blank(text[at]))
            at++;
    }
    *name = text + at;
    *name_length = isa_mnemonic(text + at, text + length);
    return *name_length;
}

/* The form that the text is of. Without `mistake` nothing is noted of those that it is not. */
static const struct isa_form *form_take(const struct isa_table *table, const char *text, size_t length, unsigned arch,
                                        uint64_t address, struct isa_word *word, struct isa_mistake *mistake)
{
    const char *name = text;
    size_t name_length = 0;
    struct open_name open[OPEN_NAMES];
    struct reader start = {
        .table = table, .in = {text, text, text + length, mistake}, .address = address, .open = open};
    reader_blanks(&start.in);
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
            reader_wanted(&r.in, "another form: these bits mean something else");
            continue;
        }
        *word = r.word;
        return form;
    }
    if (!known) {
        start.in.at = name;
        reader_wanted(&start.in, first < table->nforms ? "an instruction of this architecture" : "an instruction");
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

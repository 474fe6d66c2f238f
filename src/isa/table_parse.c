/* Text to bits: the template of each row of the mnemonic is held against the text. */
#include "isa/diag.h"
#include "isa/kinds.h"

#include <string.h>

enum { OPEN_NAMES = 16 /* the most names that a row writes */ };

/* ---- bits that are settled -------------------------------------------------------------------------------------- */

/* Whether a field could have a value, by the bits that are settled. */
static bool agrees(const struct isa_parser *r, const struct isa_field *field, uint64_t value)
{
    return ((isa_get(&r->word, field) ^ value) & isa_get(&r->known, field)) == 0;
}

/* Puts some bits of a value into a field; false when bits that are settled say otherwise. */
static bool settle_some(struct isa_parser *r, const struct isa_field *field, uint64_t value, uint64_t which)
{
    uint64_t known = isa_get(&r->known, field), old = isa_get(&r->word, field);
    if ((old ^ value) & known & which)
        return false;
    isa_put(&r->word, field, (old & ~which) | (value & which));
    isa_put(&r->known, field, known | which);
    return true;
}

bool isa_settle(struct isa_parser *r, const struct isa_field *field, uint64_t value)
{
    return settle_some(r, field, value, ~UINT64_C(0));
}

static bool settle_bit(struct isa_parser *r, uint8_t bit, bool value)
{
    struct isa_field field = {.pieces = 1, .width = 1, .owned = 1};
    field.piece[0].low = bit;
    field.piece[0].width = 1;
    return bit == ISA_NONE ? !value : isa_settle(r, &field, value);
}

bool isa_fits(struct isa_parser *r, const struct isa_field *field, uint64_t value, const char *what)
{
    return isa_settle(r, field, value) || reader_wanted(&r->in, what);
}

/* ---- flags and names ------------------------------------------------------------------------------------------- */

static bool flag(struct isa_parser *r, const struct isa_element *e)
{
    bool found = reader_take(&r->in, e->text, e->length);
    return isa_fits(r, &e->field, found != e->inverted, "another spelling: this one contradicts what is before it");
}

/* A value past the list, written as `rest` says. */
static bool rest_take(struct isa_parser *r, const struct isa_names *names, const struct isa_field *field)
{
    struct isa_reader saved = r->in;
    uint64_t value;
    if (reader_rest(&r->in, names, &value) && !(value >> field->width) && isa_settle(r, field, value))
        return true;
    r->in = saved;
    return false;
}

/* The longest spelling that the settled bits allow; else the value for which nothing is written. Of several values that
 * are written so, the bits that they share are settled and the choice stays open. */
static bool names_take(struct isa_parser *r, const struct isa_names *names, const struct isa_field *field)
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
        r->open[r->nopen++] = (struct isa_open_name){names, field, r->in.at, longest};
    r->in.at += longest;
    return settle_some(r, field, first, ~apart);
}

/* Finds values for the names that are open, from the `next` on, that agree on the bits they share; the lowest first. */
static bool names_close(struct isa_parser *r, unsigned next)
{
    if (next == r->nopen)
        return true;
    const struct isa_open_name *open = &r->open[next];
    struct isa_parser saved = *r;
    size_t length;
    for (unsigned i = 0; i < open->names->count; i++) {
        r->in.at = open->at;
        bool same = reader_entry(&r->in, open->names, i, &length) && length == open->length;
        r->in.at = saved.in.at;
        if (same && isa_settle(r, open->field, i) && names_close(r, next + 1))
            return true;
        *r = saved;
    }
    return false;
}

/* ---- numbers --------------------------------------------------------------------------------------------- */

/* Settles an integer in a field of `width` bits that counts units of `scale`. `minus`: negative numbers belong;
 * `plus`: numbers with the top bit set do as well. */
bool isa_settle_integer(struct isa_parser *r, const struct isa_field *field, uint32_t scale, struct isa_integer value,
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
    return isa_settle(r, field, value.minus ? 0 - units : units) ||
           reader_wanted(&r->in, "the value that the operand has elsewhere");
}

/* Numbers without a sign that may be read with one do so; those of 32 bits take all numbers of 32 bits. */
static bool number(struct isa_parser *r, const struct isa_element *e)
{
    struct isa_integer value;
    const char *start = r->in.at;
    bool is_signed = e->style & ISA_SIGNED;
    if (!reader_integer(&r->in, &value))
        return false;
    return isa_settle_integer(r, &e->field, e->scale, value, is_signed || e->style & ISA_EITHER,
                              !is_signed || e->field.width == 32, start);
}

/* ---- operands -------------------------------------------------------------------------------------------- */

/* A number below `count` in no more digits than the last has, or the special number. */
bool isa_take_register(struct isa_reader *in, const struct isa_file *file, uint64_t *number)
{
    const char *at = in->at + 1;
    if (in->end - in->at > 1 && *in->at == file->prefix && *at >= '0' && *at <= '9') {
        unsigned value = 0, digits = 0, most = file->count > 100 ? 3 : file->count > 10 ? 2 : 1;
        for (; at < in->end && *at >= '0' && *at <= '9' && digits <= most; at++, digits++)
            value = value * 10 + (unsigned)(*at - '0');
        if (value < file->count && digits <= most && (at == in->end || !char_word(*at))) {
            *number = value;
            in->at = at;
            return true;
        }
    } else if (file->special != ISA_NO_NUMBER && reader_take(in, file->name, strlen(file->name))) {
        *number = file->special;
        return true;
    }
    return reader_wanted(in, file->wanted);
}

static bool register_take(struct isa_parser *r, const struct isa_element *e)
{
    const struct isa_file *file = e->file;
    uint64_t number;
    const char *start = r->in.at;
    if (file->past && (e->above || file->special == ISA_NO_NUMBER) &&
        reader_take(&r->in, file->past, strlen(file->past))) /* a register past the last */
        return e->above || isa_fits(r, &e->field, file->count, "another register");
    if (!isa_take_register(&r->in, file, &number))
        return false;
    const char *after = r->in.at;
    r->in.at = start;
    if (number < e->above)
        return reader_wanted(&r->in, "a higher register");
    if (!isa_settle(r, &e->field, (number - e->above) ^ e->flip)) {
        uint64_t other = isa_get(&r->word, &e->field) ^ e->flip;
        static const char rest[] = "(it follows from another operand)";
        return other == file->special
                   ? reader_wanted_as(&r->in, "%s %s", file->name, rest)
                   : reader_wanted_as(&r->in, "%c%u %s", file->prefix, (unsigned)(other + e->above), rest);
    }
    r->in.at = after;
    return true;
}

static bool predicate_take(struct isa_parser *r, const struct isa_element *e)
{
    bool inverted = reader_byte(&r->in, '!');
    uint64_t number;
    if (inverted && e->not == ISA_NONE)
        return reader_wanted(&r->in, "a predicate without '!'");
    return isa_take_register(&r->in, e->file, &number) &&
           isa_fits(r, &e->field, number ^ e->flip, "the predicate that the operand has elsewhere") &&
           settle_bit(r, e->not, inverted);
}

static bool target_take(struct isa_parser *r, const struct isa_element *e)
{
    struct isa_integer value;
    const char *start = r->in.at;
    if (!reader_integer(&r->in, &value))
        return false;
    uint64_t from = r->address + r->table->family.bits / 8;
    uint64_t to = value.minus ? 0 - value.magnitude : value.magnitude, distance = to - from;
    struct isa_integer relative = {.minus = distance >> 63, .magnitude = distance >> 63 ? 0 - distance : distance};
    return isa_settle_integer(r, &e->field, 1, relative, true, false, start);
}

static bool set_take(struct isa_parser *r, const struct isa_element *e)
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
    return isa_fits(r, &e->field, set, "another set");
}

static bool core_take(struct isa_parser *r, const struct isa_element *e)
{
    if (e->how->parse)
        return e->how->parse(r, e);
    switch (e->kind) {
    case ISA_REGISTER:
        return register_take(r, e);
    case ISA_PREDICATE:
        return predicate_take(r, e);
    case ISA_NUMBER:
        return number(r, e);
    case ISA_TARGET:
        return target_take(r, e);
    default:
        return set_take(r, e);
    }
}

static bool operand(struct isa_parser *r, const struct isa_element *e)
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
    const char *mark = r->table->family.mark;
    bool marked =
        e->mark != ISA_NONE && r->in.at < r->in.end && *r->in.at == *mark && reader_take(&r->in, mark, strlen(mark));
    return (settle_bit(r, e->neg, neg) && settle_bit(r, e->abs, abs) && settle_bit(r, e->inv, inv) &&
            (e->mark == ISA_NONE || settle_bit(r, e->mark, marked))) ||
           reader_wanted(&r->in, "an operand that fits what is before it");
}

static bool element(struct isa_parser *r, const struct isa_element *e)
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

static bool defaults(struct isa_parser *r, const struct isa_element *e, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (e[i].kind == ISA_LITERAL)
            continue;
        if (!isa_settle(r, &e[i].field, e[i].fallback) || !settle_bit(r, e[i].not, false) ||
            !settle_bit(r, e[i].neg, false) || (e[i].extra.pieces && !isa_settle(r, &e[i].extra, 0)))
            return false;
    }
    return true;
}

static bool group(struct isa_parser *r, const struct isa_element *e, unsigned count)
{
    struct isa_parser saved = *r;
    bool ok = true;
    for (unsigned i = 0; ok && i < count; i++)
        ok = element(r, &e[i]);
    if (ok)
        return true;
    *r = saved;
    return defaults(r, e, count);
}

static bool row_take(struct isa_parser *r, const struct isa_form *form)
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

/* The mnemonic: after a guard and its blanks, up to '.', blank or end. */
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
    struct isa_open_name open[OPEN_NAMES];
    struct isa_parser start = {
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
        struct isa_parser r = start;
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

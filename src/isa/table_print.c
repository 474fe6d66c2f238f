/* Bits to text, and the same walk for those who want operands instead of text. */
#include "isa/kinds.h"

#include <string.h>

/* ---- values --------------------------------------------------------------------------------------------------- */

static bool flagged(const struct isa_word *word, uint8_t bit)
{
    return bit != ISA_NONE && isa_bit(word, bit);
}

static int64_t element_number(const struct isa_element *e, const struct isa_word *word)
{
    uint64_t value = isa_get(word, &e->field);
    return (e->style & ISA_SIGNED ? isa_sign_extend(value, e->field.width) : (int64_t)value) * (int64_t)e->scale;
}

static uint64_t target(const struct isa_table *table, const struct isa_element *e, const struct isa_word *word,
                       uint64_t address)
{
    return address + table->family.bits / 8 + (uint64_t)isa_sign_extend(isa_get(word, &e->field), e->field.width);
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

static void put_name(struct isa_writer *w, const struct isa_names *names, uint64_t value)
{
    if (value < names->count) {
        const char *text = names->text[value];
        for (; text && *text; text++)
            writer_char(w, *text);
        return;
    }
    char text[ISA_REST];
    writer_put(w, text, isa_rest_print(names, value, text));
}

static inline void put_register(struct isa_writer *w, const struct isa_element *e, const struct isa_word *word)
{
    unsigned number = isa_number(e, word);
    if (e->above) /* the special number has no register above it */
        number = number + e->above < e->file->count ? number + e->above : ISA_PAST;
    isa_put_register(w, e, number);
}

static void put_set(struct isa_writer *w, uint64_t set, unsigned width)
{
    char before = '{';
    for (unsigned n = width; n-- > 0;)
        if (set >> n & 1) {
            writer_char(w, before);
            writer_decimal(w, n);
            before = ',';
        }
    if (before == '{')
        writer_char(w, '{');
    writer_char(w, '}');
}

static void put_core(const struct isa_table *table, struct isa_writer *w, const struct isa_element *e,
                     const struct isa_word *word, uint64_t address)
{
    switch (e->kind) {
    case ISA_REGISTER:
        put_register(w, e, word);
        break;
    case ISA_PREDICATE:
        if (flagged(word, e->not ))
            writer_char(w, '!');
        put_register(w, e, word);
        break;
    case ISA_NUMBER:
        if (isa_put_spelled(w, &e->field))
            break;
        if (e->style & ISA_DECIMAL)
            writer_decimal(w, (uint64_t)element_number(e, word));
        else
            writer_signed_hex(w, element_number(e, word));
        break;
    case ISA_TARGET:
        if (!isa_put_spelled(w, &e->field))
            writer_signed_hex(w, (int64_t)target(table, e, word, address));
        break;
    case ISA_SET:
        put_set(w, isa_get(word, &e->field), e->field.width);
        break;
    default:
        e->how->print(w, e, word);
        break;
    }
}

static void put_operand(const struct isa_table *table, struct isa_writer *w, const struct isa_element *e,
                        const struct isa_word *word, uint64_t address)
{
    bool number = isa_says_behind(e);
    bool neg = flagged(word, e->neg), abs = flagged(word, e->abs), inv = flagged(word, e->inv);
    if (!number) {
        if (neg && (e->kind != ISA_NUMBER || isa_get(word, &e->field))) /* there is no -0x0, as in nvdisasm 11.8 */
            writer_char(w, '-');
        if (inv)
            writer_char(w, '~');
        if (abs)
            writer_char(w, '|');
    }
    put_core(table, w, e, word, address);
    if (number) {
        if (neg)
            writer_text(w, ".NEG");
        if (abs)
            writer_text(w, ".ABS");
        if (inv)
            writer_text(w, ".INV");
    }
    if (e->suffix)
        put_name(w, e->suffix, isa_get(word, &e->suffix_field));
    if (!number && abs)
        writer_char(w, '|');
    if (flagged(word, e->mark))
        writer_text(w, table->family.mark);
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
    struct isa_writer w = {out, out + ISA_TEXT - 1, out, spelled};
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
            writer_put(&w, e[i].text, e[i].length);
            break;
        case ISA_FLAG:
            if ((isa_get(word, &e[i].field) != 0) != e[i].inverted)
                writer_put(&w, e[i].text, e[i].length);
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
    uint64_t value = isa_get(word, &e->field), number;
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
    if (e->how->value) {
        e->how->value(e, word, o);
        return;
    }
    switch (e->kind) {
    case ISA_REGISTER:
        number = value + e->above;
        o->reg = (uint8_t)(value == e->file->special || number >= e->file->count ? 255 : number);
        break;
    case ISA_PREDICATE:
        o->reg = (uint8_t)isa_number(e, word);
        break;
    case ISA_NUMBER:
        o->value = element_number(e, word);
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

/* Text to bytes: the template of each row of the mnemonic is held against the text. */
#include "isa/fields.h"

#include "base/text.h"

#include <string.h>

/* What is known of a field: bits of a number, or bytes and the bits that the kind spared. */
struct part {
    uint64_t bits;
    uint16_t at, size; /* in parser.bytes */
    uint32_t count;    /* how many of a repeated one */
};

struct parser {
    const struct fields_form *form;
    void *context;
    struct isa_reader in;
    struct part parts[FIELDS_MOST];
    uint8_t bytes[FIELDS_SIZE];
    uint16_t used;
};

static void bits_put(struct part *part, const struct fields_element *e, uint64_t value)
{
    uint64_t mask = (e->width < 64 ? (UINT64_C(1) << e->width) - 1 : ~UINT64_C(0)) << e->low;
    part->bits = (part->bits & ~mask) | (value << e->low & mask);
}

/* The longest spelling of a list, else the value for which nothing is written. */
static bool name_take(struct parser *p, const struct fields_element *e)
{
    const struct isa_names *names = e->names;
    size_t longest = 0, length;
    uint64_t value = UINT64_MAX;
    for (unsigned i = 0; i < names->count; i++)
        if (reader_entry(&p->in, names->text[i], &length) && (value == UINT64_MAX || length > longest)) {
            longest = length;
            value = i;
        }
    p->in.at += longest;
    if (!longest && names->rest) {
        uint64_t past;
        const char *at = p->in.at;
        if (reader_rest(&p->in, names, &past)) {
            if (e->width < 64 && past >> e->width) {
                p->in.at = at;
                return reader_wanted_name(&p->in, names);
            }
            value = past;
        }
    }
    if (value == UINT64_MAX)
        return reader_wanted_name(&p->in, names);
    bits_put(&p->parts[e->field], e, value);
    return true;
}

static bool number_take(struct isa_reader *in, unsigned width, uint64_t *value)
{
    struct isa_integer integer;
    const char *at = in->at;
    if (!reader_integer(in, &integer))
        return false;
    *value = integer.magnitude;
    if (!integer.minus && (width >= 64 || !(integer.magnitude >> width)))
        return true;
    in->at = at;
    return reader_wanted_as(in, "a number from 0 to %llu",
                            (unsigned long long)(width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX));
}

/* One field behind what was read of it before. */
static bool one_take(struct parser *p, const struct fields_kind *kind, struct part *part, bool repeated)
{
    uint8_t bytes[FIELDS_BYTES] = {0};
    size_t size = kind->bytes;
    uint64_t value = 0;
    if (kind->parse ? !kind->parse(p->context, &p->in, bytes, &size) : !number_take(&p->in, 8u * kind->bytes, &value))
        return false;
    for (unsigned i = 0; !kind->parse && i < size; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    if (kind->bytes && kind->bytes <= 8 && !repeated) {
        part->bits |= fields_bits(bytes, size, 0, 64);
        return true;
    }
    if (p->used + size > sizeof p->bytes)
        return reader_wanted(&p->in, "fewer operands");
    memcpy(p->bytes + p->used, bytes, size);
    p->used = (uint16_t)(p->used + size);
    part->size = (uint16_t)(part->size + size);
    part->count++;
    return true;
}

/* Those of a repeated field stand one after the other, so none other's bytes come between. None may be there. */
static bool several_take(struct parser *p, const struct fields_element *e, const struct fields_kind *kind,
                         struct part *part)
{
    for (struct isa_reader saved = p->in;; saved = p->in) {
        if (part->count && !reader_literal(&p->in, e->text, e->length)) {
            p->in = saved;
            return true;
        }
        if (!one_take(p, kind, part, true)) {
            p->in = saved;
            return true;
        }
    }
}

static bool field_take(struct parser *p, const struct fields_element *e)
{
    const struct fields_field *f = &p->form->fields[e->field];
    struct part *part = &p->parts[e->field];
    part->at = p->used;
    if (f->count == FIELDS_NONE)
        return one_take(p, f->kind, part, false);
    if (!several_take(p, e, f->kind, part))
        return false;
    struct part *count = &p->parts[f->count];
    unsigned width = 8u * p->form->fields[f->count].kind->bytes;
    if (width < 32 && part->count >> width)
        return reader_wanted(&p->in, "fewer operands");
    if (count->count && count->bits != part->count) /* two fields of one number */
        return reader_wanted_as(&p->in, "%llu operands", (unsigned long long)count->bits);
    count->bits = part->count;
    count->count = 1;
    return true;
}

static bool element_take(struct parser *p, const struct fields_element *e)
{
    switch (e->what) {
    case FIELDS_LITERAL:
        return reader_literal(&p->in, e->text, e->length);
    case FIELDS_FLAG:
        bits_put(&p->parts[e->field], e, reader_take(&p->in, e->text, e->length) != e->inverted);
        return true;
    case FIELDS_NAME:
        return name_take(p, e);
    default:
        return field_take(p, e);
    }
}

/* < >: all of it, or the defaults. */
static void group_take(struct parser *p, const struct fields_element *e, unsigned count)
{
    struct isa_reader saved = p->in;
    struct part parts[FIELDS_MOST];
    memcpy(parts, p->parts, sizeof parts);
    bool ok = true;
    for (unsigned i = 0; ok && i < count; i++)
        ok = element_take(p, &e[i]);
    if (ok)
        return;
    p->in = saved;
    memcpy(p->parts, parts, sizeof parts);
    for (unsigned i = 0; i < count; i++)
        if (e[i].what != FIELDS_LITERAL)
            bits_put(&p->parts[e[i].field], &e[i], e[i].fallback);
}

static bool row_take(struct parser *p)
{
    const struct fields_element *e = p->form->elements;
    for (unsigned i = 0, count; i < p->form->nelements; i += count) {
        for (count = 1; e[i].group && i + count < p->form->nelements && e[i + count].group == e[i].group;)
            count++;
        if (e[i].group)
            group_take(p, &e[i], count);
        else if (!element_take(p, &e[i]))
            return false;
    }
    reader_blanks(&p->in);
    return p->in.at == p->in.end || reader_wanted(&p->in, "the end of the instruction");
}

static void field_write(const struct parser *p, unsigned i, struct text *out)
{
    const struct fields_field *f = &p->form->fields[i];
    const struct part *part = &p->parts[i];
    uint64_t bits = f->fixed ? f->value : part->bits;
    bool number = f->kind->bytes && f->kind->bytes <= 8 && f->count == FIELDS_NONE;
    size_t size = number ? f->kind->bytes : part->size;
    for (size_t k = 0; k < size; k++) {
        uint8_t byte = (uint8_t)((number ? 0 : p->bytes[part->at + k]) | (k < 8 ? bits >> 8 * k & 255 : 0));
        text_add(out, (const char *)&byte, 1);
    }
}

/* Where the mnemonic stands, and its length; 0 = nowhere. */
static size_t mnemonic_find(const struct fields_table *table, const char *text, const char *end, const char **at)
{
    while (text < end && reader_blank(*text))
        text++;
    *at = table->family.past_guard ? table->family.past_guard(text, end) : text;
    while (*at < end && reader_blank(**at))
        ++*at;
    return isa_mnemonic(*at, end);
}

static const struct fields_form *form_take(const struct fields_table *table, unsigned arch, void *context,
                                           struct isa_reader in, struct text *out)
{
    const char *name;
    size_t length = mnemonic_find(table, in.at, in.end, &name);
    uint32_t first = length ? namemap_find(&table->mnemonics, name, length) : UINT32_MAX;
    bool known = false;
    reader_blanks(&in);
    for (uint32_t i = first; i < table->nforms; i++) {
        struct parser p = {.form = &table->forms[table->by_name[i]], .context = context, .in = in};
        if (p.form->mnemonic_length != length || memcmp(p.form->mnemonic, name, length) != 0)
            break;
        if (!(p.form->row->archs >> arch & 1))
            continue;
        known = true;
        if (!row_take(&p))
            continue;
        text_add(out, (const char *)&p.form->row->opcode, 1);
        for (unsigned k = 0; k < p.form->nfields; k++)
            field_write(&p, k, out);
        return p.form;
    }
    in.at = name;
    if (!known)
        reader_wanted(&in, first < table->nforms ? "an instruction of this architecture" : "an instruction");
    return NULL;
}

const struct fields_form *fields_parse(const struct fields_table *table, unsigned arch, void *context, const char *text,
                                       size_t length, struct text *out, struct isa_mistake *mistake)
{
    struct isa_reader in = {text, text, text + length, NULL};
    const struct fields_form *form = form_take(table, arch, context, in, out);
    if (!form && mistake) {
        *mistake = (struct isa_mistake){0};
        in.mistake = mistake;
        form_take(table, arch, context, in, out);
        reader_told(mistake, text, length);
    }
    return form;
}

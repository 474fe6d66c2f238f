/* Bytes to fields, fields to text. */
#include "isa/fields.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

uint64_t fields_bits(const uint8_t *bytes, size_t size, unsigned low, unsigned width)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size && i < 8; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    value >>= low;
    return width < 64 ? value & ((UINT64_C(1) << width) - 1) : value;
}

size_t fields_size(const struct fields_kind *kind, void *context, const uint8_t *bytes, size_t left, const char **wrong)
{
    if (kind->bytes && (!kind->size || left < kind->bytes))
        return kind->bytes;
    return kind->size(context, bytes, left, wrong);
}

/* ---- decode --------------------------------------------------------------------------------------------------- */

/* The reading of one row, and the error of the row that came furthest. */
struct decoder {
    const struct fields_table *table;
    void *context;
    const uint8_t *bytes;
    size_t size, at, from; /* from: where the instruction begins */
    size_t furthest;
    struct atoll_error *error;
};

static bool wrong_at(struct decoder *d, const struct fields_form *form, const struct fields_field *f,
                     const char *format, ...) PRINTF_LIKE(4, 5);

/* "byte 414: src0 of typed_atomic (at byte 384) wants 6 bytes, 2 are left" */
static bool wrong_at(struct decoder *d, const struct fields_form *form, const struct fields_field *f,
                     const char *format, ...)
{
    char what[100];
    va_list list;
    if (d->at < d->furthest)
        return false;
    d->furthest = d->at;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    return error_set(d->error, ATOLL_INVALID, "byte %zu: %.*s of %.*s (at byte %zu) %s", d->at, f->name_length, f->name,
                     form->mnemonic_length, form->mnemonic, d->from, what);
}

/* Past one field. */
static bool field_read(struct decoder *d, const struct fields_form *form, const struct fields_field *f)
{
    const char *wrong = NULL;
    size_t left = d->size - d->at, size = fields_size(f->kind, d->context, d->bytes + d->at, left, &wrong);
    if (wrong)
        return wrong_at(d, form, f, "cannot be: %s", wrong);
    if (size > left)
        return wrong_at(d, form, f, "wants %zu byte%s, %zu %s left", size, size == 1 ? "" : "s", left,
                        left == 1 ? "is" : "are");
    if (f->fixed && fields_bits(d->bytes + d->at, size, 0, 64) != f->value)
        return wrong_at(d, form, f, "is 0x%llx, which no form has",
                        (unsigned long long)fields_bits(d->bytes + d->at, size, 0, 64));
    d->at += size;
    if (d->at - d->from > UINT16_MAX)
        return wrong_at(d, form, f, "makes the instruction too long");
    return true;
}

static uint64_t insn_bits(const struct fields_insn *insn, unsigned field, unsigned low, unsigned width)
{
    size_t at = insn->at[field];
    return fields_bits(insn->bytes + at, insn->at[field + 1] - at, low, width);
}

static bool names_allow(struct decoder *d, const struct fields_insn *insn)
{
    const struct fields_form *form = insn->form;
    for (unsigned i = 0; i < form->nelements; i++) {
        const struct fields_element *e = &form->elements[i];
        if (e->what != FIELDS_NAME || isa_names_allow(e->names, insn_bits(insn, e->field, e->low, e->width)))
            continue;
        d->at = d->from + insn->at[e->field];
        d->furthest = d->at;
        return wrong_at(d, form, &form->fields[e->field], "says 0x%llx, which it refuses",
                        (unsigned long long)insn_bits(insn, e->field, e->low, e->width));
    }
    return true;
}

static bool form_read(struct decoder *d, const struct fields_form *form, struct fields_insn *insn)
{
    d->at = d->from + 1;
    insn->form = form;
    for (unsigned i = 0; i < form->nfields; i++) {
        const struct fields_field *f = &form->fields[i];
        insn->at[i] = (uint16_t)(d->at - d->from);
        uint64_t count = f->count == FIELDS_NONE ? 1 : insn_bits(insn, f->count, 0, 64);
        for (; count; count--)
            if (!field_read(d, form, f))
                return false;
    }
    insn->size = insn->at[form->nfields] = (uint16_t)(d->at - d->from);
    return names_allow(d, insn);
}

bool fields_decode(const struct fields_table *table, unsigned arch, void *context, const uint8_t *bytes, size_t size,
                   size_t at, struct fields_insn *insn, struct atoll_error *error)
{
    struct decoder d = {table, context, bytes, size, at, at, 0, error};
    if (at >= size)
        return error_set(error, ATOLL_INVALID, "byte %zu: an instruction is wanted, and here is the end", at);
    *insn = (struct fields_insn){.bytes = bytes + at};
    bool known = false;
    for (unsigned i = table->index[bytes[at]]; i < table->index[bytes[at] + 1]; i++) {
        const struct fields_form *form = &table->forms[table->order[i]];
        if (!(form->row->archs >> arch & 1))
            continue;
        known = true;
        if (form_read(&d, form, insn))
            return true;
    }
    if (!known)
        error_set(error, ATOLL_INVALID, "byte %zu: no instruction%s has the opcode 0x%02x", at,
                  table->index[bytes[at]] < table->index[bytes[at] + 1] ? " of this architecture" : "", bytes[at]);
    return false;
}

/* ---- what code asks ------------------------------------------------------------------------------------------- */

const uint8_t *fields_role(const struct fields_insn *insn, unsigned role, size_t *size)
{
    unsigned field = insn->form->role[role];
    *size = field ? (size_t)insn->at[field] - insn->at[field - 1] : 0;
    return *size ? insn->bytes + insn->at[field - 1] : NULL;
}

uint64_t fields_number(const struct fields_insn *insn, unsigned role, uint64_t otherwise)
{
    unsigned field = insn->form->role[role];
    return field ? insn_bits(insn, field - 1, 0, 64) : otherwise;
}

size_t fields_step(const struct fields_insn *insn, unsigned role, void *context, const uint8_t *bytes, size_t left)
{
    const char *wrong = NULL;
    unsigned field = insn->form->role[role];
    size_t size = field ? fields_size(insn->form->fields[field - 1].kind, context, bytes, left, &wrong) : 0;
    return wrong || size > left ? left : size;
}

/* ---- print ---------------------------------------------------------------------------------------------------- */

static void name_print(const struct isa_names *names, uint64_t value, struct text *out)
{
    if (value < names->count) {
        text_add(out, names->text[value], strcspn(names->text[value], "|"));
    } else {
        char text[ISA_REST];
        text_add(out, text, isa_rest_print(names, value, text));
    }
}

static void one_print(const struct fields_kind *kind, void *context, const uint8_t *bytes, size_t size,
                      struct text *out)
{
    if (kind->print)
        kind->print(context, bytes, size, out);
    else
        text_printf(out, "%llu", (unsigned long long)fields_bits(bytes, size, 0, 64));
}

static void field_print(const struct fields_element *e, void *context, const struct fields_insn *insn, struct text *out)
{
    const struct fields_kind *kind = insn->form->fields[e->field].kind;
    size_t at = insn->at[e->field], end = insn->at[e->field + 1];
    const char *wrong = NULL;
    if (insn->form->fields[e->field].count == FIELDS_NONE) {
        one_print(kind, context, insn->bytes + at, end - at, out);
        return;
    }
    for (size_t size = 0, first = at; at < end; at += size) {
        if (at > first)
            text_add(out, e->text, e->length);
        size = fields_size(kind, context, insn->bytes + at, end - at, &wrong);
        one_print(kind, context, insn->bytes + at, size, out);
        if (!size)
            break;
    }
}

static bool group_says(const struct fields_insn *insn, unsigned i)
{
    const struct fields_element *e = insn->form->elements;
    for (uint8_t group = e[i].group; i < insn->form->nelements && e[i].group == group; i++)
        if (e[i].what != FIELDS_LITERAL && insn_bits(insn, e[i].field, e[i].low, e[i].width) != e[i].fallback)
            return true;
    return false;
}

static void element_print(const struct fields_element *e, void *context, const struct fields_insn *insn,
                          struct text *out)
{
    switch (e->what) {
    case FIELDS_LITERAL:
        text_add(out, e->text, e->length);
        break;
    case FIELDS_FLAG:
        if ((insn_bits(insn, e->field, e->low, 1) != 0) != e->inverted)
            text_add(out, e->text, e->length);
        break;
    case FIELDS_NAME:
        name_print(e->names, insn_bits(insn, e->field, e->low, e->width), out);
        break;
    default:
        field_print(e, context, insn, out);
        break;
    }
}

void fields_print(const struct fields_table *table, void *context, const struct fields_insn *insn, struct text *out)
{
    const struct fields_form *form = insn->form;
    uint8_t group = 0;
    bool says = true;
    (void)table;
    for (unsigned i = 0; i < form->nelements; i++) {
        if (form->elements[i].group != group) {
            group = form->elements[i].group;
            says = !group || group_says(insn, i);
        }
        if (says)
            element_print(&form->elements[i], context, insn, out);
    }
}

/* Proofs on rows of fields: rows that could mean one instruction, fields that are not written, texts that do not read
 * back, instructions that are read of too few bytes. */
#include "isa/fields.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

struct lint {
    const struct fields_table *table;
    void *context;
    struct text *report;
    const struct fields_form *form;
    unsigned breaks, arch;
    uint64_t seed;
};

enum { MOST_REPEATED = 3, NAMED_BITS = 8 /* lists of so many bits are tried with every value */, RANDOM = 50 };

static void broken(struct lint *lint, const char *what, const char *more, size_t length)
{
    lint->breaks++;
    text_printf(lint->report, "\"%s\": %s%.*s\n", lint->form->row->text, what, (int)length, more);
}

static void field_broken(struct lint *lint, const struct fields_field *f, const char *what)
{
    char text[80];
    snprintf(text, sizeof text, "%.*s %s", f->name_length, f->name, what);
    broken(lint, text, "", 0);
}

/* Repeatable noise (splitmix64): lint says the same every time. */
static uint64_t noise(struct lint *lint)
{
    uint64_t value = lint->seed += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static bool same_layout(const struct fields_field *a, const struct fields_field *b)
{
    return a->kind == b->kind && a->count == b->count && a->fixed == b->fixed;
}

/* Whether a fixed number, behind fields that are alike, tells two rows of one opcode apart. */
static bool told_apart(const struct fields_form *a, const struct fields_form *b)
{
    for (unsigned i = 0; i < a->nfields && i < b->nfields; i++) {
        if (!same_layout(&a->fields[i], &b->fields[i]))
            return false;
        if (a->fields[i].fixed && a->fields[i].value != b->fields[i].value)
            return true;
    }
    return false;
}

static void form_rows(struct lint *lint)
{
    const struct fields_form *end = lint->table->forms + lint->table->nforms;
    for (const struct fields_form *other = lint->form + 1; other < end; other++)
        if (other->row->opcode == lint->form->row->opcode && other->row->archs & lint->form->row->archs &&
            !told_apart(lint->form, other))
            broken(lint, "can mean an instruction of ", other->row->text, strlen(other->row->text));
}

/* ---- fields ----------------------------------------------------------------------------------------------------- */

static uint64_t ones(unsigned low, unsigned width)
{
    return (width < 64 ? (UINT64_C(1) << width) - 1 : ~UINT64_C(0)) << low;
}

/* The bits of a field that its kind writes, of those that the template can name. */
static uint64_t kind_bits(const struct fields_field *f)
{
    return (f->kind->bytes && f->kind->bytes < 8 ? ones(0, 8u * f->kind->bytes) : ~UINT64_C(0)) & ~f->kind->spared;
}

static void field_written(struct lint *lint, unsigned i)
{
    const struct fields_field *f = &lint->form->fields[i];
    bool whole = f->fixed || f->counts;
    uint64_t written = whole ? kind_bits(f) | f->kind->spared : 0, twice = 0;
    for (unsigned k = 0; k < lint->form->nelements; k++) {
        const struct fields_element *e = &lint->form->elements[k];
        if (e->what == FIELDS_LITERAL || e->field != i)
            continue;
        uint64_t own = e->what == FIELDS_FIELD ? kind_bits(f) : ones(e->low, e->width);
        whole = whole || e->what == FIELDS_FIELD || (f->kind->bytes && f->kind->bytes <= 8);
        twice |= written & own;
        written |= own;
    }
    if (twice)
        field_broken(lint, f, "is written twice");
    if (!whole || written != (kind_bits(f) | f->kind->spared))
        field_broken(lint, f, "is not written, or not all of it");
    if (!f->kind->bytes && (!f->kind->size || !f->kind->print || !f->kind->parse || !f->kind->sample))
        field_broken(lint, f, "has a kind that lacks functions");
    if (!f->kind->print != !f->kind->parse)
        field_broken(lint, f, "has a kind that prints what it does not read");
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

struct made {
    uint8_t bytes[FIELDS_SIZE];
    size_t size;
};

/* Makes the bits of a field that a list or flag writes a value that is not refused; `forced` for the element given. */
static uint64_t bits_make(struct lint *lint, unsigned field, uint64_t bits, const struct fields_element *forced,
                          uint64_t value)
{
    for (unsigned i = 0; i < lint->form->nelements; i++) {
        const struct fields_element *e = &lint->form->elements[i];
        if (e->what == FIELDS_LITERAL || e->what == FIELDS_FIELD || e->field != field)
            continue;
        uint64_t own = noise(lint) & ones(0, e->width);
        if (e == forced)
            own = value;
        for (unsigned k = 0; e != forced && e->names && k < 1000 && !isa_names_allow(e->names, own); k++)
            own = noise(lint) & ones(0, e->width) & (k % 2 ? 15 : UINT64_MAX);
        bits = (bits & ~ones(e->low, e->width)) | own << e->low;
    }
    return bits;
}

static void field_make(struct lint *lint, struct made *made, unsigned i, const struct fields_element *forced,
                       uint64_t value)
{
    const struct fields_field *f = &lint->form->fields[i];
    uint8_t bytes[FIELDS_BYTES] = {0};
    uint64_t number = f->fixed ? f->value : f->counts ? noise(lint) % (MOST_REPEATED + 1) : noise(lint);
    size_t size = f->kind->bytes;
    if (f->kind->sample)
        size = f->kind->sample(lint->context, number, bytes);
    for (unsigned k = 0; (!f->kind->sample || f->fixed || f->counts) && k < size; k++)
        bytes[k] = (uint8_t)(k < 8 ? number >> 8 * k : 0);
    uint64_t bits = f->count == FIELDS_NONE ? bits_make(lint, i, fields_bits(bytes, size, 0, 64), forced, value)
                                            : fields_bits(bytes, size, 0, 64);
    for (unsigned k = 0; k < size && k < 8; k++)
        bytes[k] = (uint8_t)(bits >> 8 * k);
    memcpy(made->bytes + made->size, bytes, size);
    made->size += size;
}

/* An instruction of the form; false: too long for the room. */
static bool form_make(struct lint *lint, struct made *made, const struct fields_element *forced, uint64_t value)
{
    size_t at[FIELDS_MOST];
    made->bytes[0] = lint->form->row->opcode;
    made->size = 1;
    for (unsigned i = 0; i < lint->form->nfields; i++) {
        const struct fields_field *f = &lint->form->fields[i];
        at[i] = made->size;
        uint64_t count = f->count == FIELDS_NONE
                             ? 1
                             : fields_bits(made->bytes + at[f->count], lint->form->fields[f->count].kind->bytes, 0, 64);
        for (; count; count--) {
            if (made->size + FIELDS_BYTES > sizeof made->bytes)
                return false;
            field_make(lint, made, i, forced, value);
        }
    }
    return true;
}

static void read_back(struct lint *lint, const struct made *made)
{
    struct fields_insn insn;
    struct atoll_error error = {0};
    struct text text = {0}, again = {0};
    struct isa_mistake mistake = {0};
    if (!fields_decode(lint->table, lint->arch, lint->context, made->bytes, made->size, 0, &insn, &error)) {
        if (!strstr(error.message, "refuses")) /* other names on the same bits may */
            broken(lint, "does not read its own bytes: ", error.message, strlen(error.message));
        return;
    }
    fields_print(lint->table, lint->context, &insn, &text);
    if (insn.form != lint->form || insn.size != made->size) {
        broken(lint, "reads its own bytes as ", insn.form->row->text, strlen(insn.form->row->text));
    } else if (!fields_parse(lint->table, lint->arch, lint->context, text.bytes, text.length, &again, &mistake)) {
        broken(lint, "writes what it cannot read: ", text.bytes, text.length);
        broken(lint, "  wanted there: ", mistake.wanted, strlen(mistake.wanted));
    } else if (again.length != made->size || memcmp(again.bytes, made->bytes, made->size) != 0) {
        broken(lint, "reads other bytes out of ", text.bytes, text.length);
    }
    text_free(&text);
    text_free(&again);
}

/* Fewer bytes are no instruction. */
static void cut_off(struct lint *lint, const struct made *made)
{
    struct fields_insn insn;
    struct atoll_error error;
    for (size_t size = 0; size < made->size; size++)
        if (fields_decode(lint->table, lint->arch, lint->context, made->bytes, size, 0, &insn, &error)) {
            broken(lint, "is read of less than its bytes", "", 0);
            return;
        }
}

static void form_texts(struct lint *lint)
{
    struct made made;
    for (unsigned i = 0; i < lint->form->nelements; i++) {
        const struct fields_element *e = &lint->form->elements[i];
        for (uint64_t value = 0; e->what == FIELDS_NAME && e->width <= NAMED_BITS && !(value >> e->width); value++)
            if (isa_names_allow(e->names, value) && form_make(lint, &made, e, value))
                read_back(lint, &made);
    }
    for (unsigned i = 0; i < RANDOM; i++) {
        if (!form_make(lint, &made, NULL, 0))
            continue;
        read_back(lint, &made);
        if (i < MOST_REPEATED)
            cut_off(lint, &made);
    }
}

unsigned fields_lint(const struct fields_table *table, void *context, struct text *report)
{
    struct lint lint = {.table = table, .context = context, .report = report};
    for (unsigned i = 0; i < table->nforms; i++) {
        unsigned before = lint.breaks;
        lint.form = &table->forms[i];
        form_rows(&lint);
        for (unsigned k = 0; k < lint.form->nfields; k++)
            field_written(&lint, k);
        for (lint.arch = 0; lint.arch < 16 && lint.breaks == before; lint.arch++)
            if (lint.form->row->archs >> lint.arch & 1)
                form_texts(&lint);
    }
    return lint.breaks;
}

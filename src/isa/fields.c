/* Compiling rows of fields: layouts to fields, templates to elements, the indexes that decode and parse look rows up
 * in. */
#include "isa/fields.h"

#include <stdlib.h>
#include <string.h>

struct compiler {
    struct fields_table *table;
    struct fields_form *form;
    struct fields_field fields[FIELDS_MOST];
    struct fields_element elements[2 * FIELDS_MOST];
    const char *row, *at;
    uint8_t group, groups;
    struct atoll_error *error;
};

static bool broken(const struct compiler *c, const char *what)
{
    return error_set(c->error, ATOLL_USAGE, "row \"%s\": %s at \"%.20s\"", c->row, what, c->at);
}

static bool number(struct compiler *c, uint64_t *value)
{
    char *end;
    if (*c->at < '0' || *c->at > '9')
        return broken(c, "number wanted");
    *value = strtoull(c->at, &end, 0);
    c->at = end;
    return true;
}

/* ---- layouts --------------------------------------------------------------------------------------------------- */

static const struct fields_kind *kind_find(const struct compiler *c, char letter)
{
    const struct fields_family *family = &c->table->family;
    for (unsigned i = 0; i < family->nkinds; i++)
        if (family->kinds[i].letter == letter)
            return &family->kinds[i];
    return NULL;
}

static uint8_t role_find(const struct compiler *c, const char *name, size_t length)
{
    const struct fields_family *family = &c->table->family;
    for (unsigned i = 1; i <= family->nroles && i < FIELDS_ROLES; i++)
        if (strlen(family->roles[i]) == length && memcmp(family->roles[i], name, length) == 0)
            return (uint8_t)i;
    return 0;
}

/* The field of a name that stands here; FIELDS_NONE = there is none (yet). */
static uint8_t field_find(const struct compiler *c, size_t length)
{
    for (unsigned i = 0; i < c->form->nfields; i++)
        if (c->fields[i].name_length == length && memcmp(c->fields[i].name, c->at, length) == 0)
            return (uint8_t)i;
    return FIELDS_NONE;
}

static bool is_number(const struct fields_field *f)
{
    return f->kind->bytes && f->kind->bytes <= 8 && f->count == FIELDS_NONE;
}

/* "*NAME" */
static bool repeated(struct compiler *c, struct fields_field *f)
{
    size_t length = strcspn(++c->at, " =*");
    f->count = field_find(c, length);
    if (f->count == FIELDS_NONE || !is_number(&c->fields[f->count]) || c->fields[f->count].fixed)
        return broken(c, "no number before it has this name");
    c->fields[f->count].counts = true;
    c->at += length;
    return true;
}

static bool layout_field(struct compiler *c)
{
    if (c->form->nfields == FIELDS_MOST)
        return broken(c, "too many fields");
    struct fields_field *f = &c->fields[c->form->nfields];
    size_t length = strcspn(c->at, ": =*");
    *f = (struct fields_field){.name = c->at, .name_length = (uint8_t)length, .count = FIELDS_NONE};
    f->role = role_find(c, c->at, length);
    if (c->at[length] == ':' ? !f->role : length != 1)
        return broken(c, "no such role");
    if (field_find(c, length) != FIELDS_NONE)
        return broken(c, "a second field of this name");
    c->at += c->at[length] == ':' ? length + 1 : 0;
    f->kind = kind_find(c, *c->at);
    if (!f->kind)
        return broken(c, "unknown kind of field");
    c->at++;
    if (*c->at == '=') {
        c->at++;
        f->fixed = true;
        if (!is_number(f) || !number(c, &f->value))
            return broken(c, "number wanted");
    } else if (*c->at == '*' && !repeated(c, f)) {
        return false;
    }
    if (*c->at && *c->at != ' ')
        return broken(c, "a blank wanted");
    if (f->role && !c->form->role[f->role])
        c->form->role[f->role] = (uint8_t)(c->form->nfields + 1);
    c->form->nfields++;
    return true;
}

static bool layout_compile(struct compiler *c, const char *layout)
{
    for (c->at = layout; *c->at;) {
        if (*c->at == ' ')
            c->at++;
        else if (!layout_field(c))
            return false;
    }
    return true;
}

/* ---- templates -------------------------------------------------------------------------------------------------- */

static struct fields_element *element_add(struct compiler *c, enum fields_what what)
{
    if (c->form->nelements == 2 * FIELDS_MOST) {
        broken(c, "too many elements");
        return NULL;
    }
    struct fields_element *e = &c->elements[c->form->nelements++];
    *e = (struct fields_element){.what = (uint8_t)what, .text = c->at, .group = c->group};
    return e;
}

/* "NAME" */
static bool of_field(struct compiler *c, struct fields_element *e)
{
    size_t length = strcspn(c->at, ":*=}");
    e->field = field_find(c, length);
    if (e->field == FIELDS_NONE)
        return broken(c, "no such field");
    c->at += length;
    return true;
}

/* Nothing, ":N" or ":L-H" behind the name of a field; a whole number where there is nothing. */
static bool bits(struct compiler *c, struct fields_element *e)
{
    const struct fields_field *f = &c->fields[e->field];
    uint64_t low = 0, high;
    if (*c->at != ':') {
        e->width = (uint8_t)(8 * f->kind->bytes);
        return is_number(f) || broken(c, "bits wanted");
    }
    c->at++;
    if (e->what == FIELDS_FLAG && *c->at == '!') {
        e->inverted = true;
        c->at++;
    }
    if (!number(c, &low))
        return false;
    high = low;
    if (*c->at == '-') {
        c->at++;
        if (!number(c, &high))
            return false;
    }
    if (high < low || high > 63 || f->count != FIELDS_NONE || (is_number(f) && high >= 8u * f->kind->bytes) ||
        (e->what == FIELDS_FLAG && high != low))
        return broken(c, "bad bits before");
    e->low = (uint8_t)low;
    e->width = (uint8_t)(high - low + 1);
    return true;
}

/* ".TEXT@NAME:N" */
static bool flag(struct compiler *c)
{
    struct fields_element *e = element_add(c, FIELDS_FLAG);
    if (!e)
        return false;
    e->length = (uint16_t)strcspn(c->at, "@}");
    c->at += e->length;
    if (*c->at != '@')
        return broken(c, "@NAME wanted");
    c->at++;
    return of_field(c, e) && bits(c, e);
}

/* "list@NAME" */
static bool named(struct compiler *c, size_t length)
{
    const struct fields_family *family = &c->table->family;
    struct fields_element *e = element_add(c, FIELDS_NAME);
    for (unsigned i = 0; e && i < family->nnames; i++)
        if (strlen(family->names[i].name) == length && memcmp(family->names[i].name, c->at, length) == 0)
            e->names = &family->names[i];
    if (!e || !e->names)
        return e && broken(c, "no such list of names");
    c->at += length + 1;
    return of_field(c, e) && bits(c, e);
}

/* "NAME", "NAME*SEP" */
static bool whole(struct compiler *c)
{
    struct fields_element *e = element_add(c, FIELDS_FIELD);
    if (!e || !of_field(c, e))
        return false;
    const struct fields_field *f = &c->fields[e->field];
    if ((*c->at == '*') != (f->count != FIELDS_NONE))
        return broken(c, "a separator where several fields are, and only there");
    if (is_number(f))
        e->width = (uint8_t)(8 * f->kind->bytes);
    if (*c->at == '*') {
        e->text = ++c->at;
        e->length = (uint16_t)strcspn(c->at, "}");
        c->at += e->length;
    }
    return !e->group || is_number(f) || broken(c, "only numbers and bits can be left out");
}

static bool element(struct compiler *c)
{
    c->at++;
    size_t length = strcspn(c->at, "@*=}");
    bool ok = *c->at == '.' ? flag(c) : c->at[length] == '@' ? named(c, length) : whole(c);
    if (!ok)
        return false;
    if (*c->at == '=') {
        c->at++;
        if (!number(c, &c->elements[c->form->nelements - 1].fallback))
            return false;
    }
    if (*c->at != '}')
        return broken(c, "} wanted");
    c->at++;
    return true;
}

static bool literal(struct compiler *c)
{
    struct fields_element *e = element_add(c, FIELDS_LITERAL);
    if (!e)
        return false;
    e->length = (uint16_t)strcspn(c->at, "{<>");
    c->at += e->length;
    return true;
}

static bool template_compile(struct compiler *c, const char *text)
{
    c->group = c->groups = 0;
    for (c->at = text; *c->at;) {
        bool ok = true;
        if (*c->at == '{') {
            ok = element(c);
        } else if (*c->at == '<' || *c->at == '>') {
            c->group = *c->at == '<' ? ++c->groups : 0;
            c->at++;
        } else {
            ok = literal(c);
        }
        if (!ok)
            return false;
    }
    return true;
}

static bool mnemonic_find(struct compiler *c)
{
    struct fields_form *form = c->form;
    c->at = form->row->text;
    if (c->table->family.past_guard && *c->at == '{')
        c->at += strcspn(c->at, "}") + 1;
    form->mnemonic = c->at;
    form->mnemonic_length = (uint16_t)isa_mnemonic(c->at, c->at + strlen(c->at));
    return form->mnemonic_length || broken(c, "a mnemonic wanted");
}

static bool row_compile(struct compiler *c, const struct fields_row *row)
{
    struct fields_form *form = c->form;
    form->row = row;
    c->row = row->text;
    if (!layout_compile(c, row->layout) || !template_compile(c, row->text) || !mnemonic_find(c))
        return false;
    struct fields_field *fields = arena_array(&c->table->arena, form->nfields + 1u, sizeof *fields);
    struct fields_element *elements = arena_array(&c->table->arena, form->nelements + 1u, sizeof *elements);
    if (!fields || !elements)
        return error_memory(c->error);
    memcpy(fields, c->fields, form->nfields * sizeof *fields);
    memcpy(elements, c->elements, form->nelements * sizeof *elements);
    form->fields = fields;
    form->elements = elements;
    return true;
}

/* ---- indexes ---------------------------------------------------------------------------------------------------- */

static int by_opcode(const struct fields_form *a, const struct fields_form *b)
{
    return a->row->opcode - b->row->opcode;
}

static int by_mnemonic(const struct fields_form *a, const struct fields_form *b)
{
    size_t least = a->mnemonic_length < b->mnemonic_length ? a->mnemonic_length : b->mnemonic_length;
    int order = memcmp(a->mnemonic, b->mnemonic, least);
    return order ? order : a->mnemonic_length - b->mnemonic_length;
}

/* Numbers of forms in an order, else as in the rows. */
static uint16_t *sorted(struct fields_table *table,
                        int (*compare)(const struct fields_form *, const struct fields_form *))
{
    uint16_t *order = arena_array(&table->arena, table->nforms + 1, sizeof *order);
    for (unsigned i = 0; order && i < table->nforms; i++) {
        unsigned at = i;
        for (; at && compare(&table->forms[order[at - 1]], &table->forms[i]) > 0; at--)
            order[at] = order[at - 1];
        order[at] = (uint16_t)i;
    }
    return order;
}

static bool indexes_make(struct fields_table *table, struct atoll_error *error)
{
    table->order = sorted(table, by_opcode);
    table->by_name = sorted(table, by_mnemonic);
    if (!table->order || !table->by_name)
        return error_memory(error);
    for (unsigned opcode = 0, i = 0; opcode <= 256; opcode++) {
        while (i < table->nforms && table->forms[table->order[i]].row->opcode < opcode)
            i++;
        table->index[opcode] = (uint16_t)i;
    }
    for (unsigned i = 0; i < table->nforms; i++) {
        const struct fields_form *form = &table->forms[table->by_name[i]];
        if (!namemap_add(&table->mnemonics, form->mnemonic, form->mnemonic_length, i))
            return error_memory(error);
    }
    return true;
}

bool fields_open(const struct fields_family *family, const struct fields_list *lists, unsigned nlists,
                 struct fields_table *table, struct atoll_error *error)
{
    *table = (struct fields_table){.family = *family};
    struct compiler c = {.table = table, .error = error};
    for (unsigned i = 0; i < nlists; i++)
        table->nforms += lists[i].count;
    if (table->nforms > UINT16_MAX)
        return error_set(error, ATOLL_USAGE, "too many rows");
    table->forms = arena_array(&table->arena, table->nforms + 1, sizeof *table->forms);
    bool ok = table->forms || error_memory(error);
    c.form = table->forms;
    for (unsigned i = 0; ok && i < nlists; i++)
        for (unsigned k = 0; ok && k < lists[i].count; k++, c.form++)
            ok = row_compile(&c, &lists[i].rows[k]);
    ok = ok && indexes_make(table, error);
    if (!ok)
        fields_close(table);
    return ok;
}

void fields_close(struct fields_table *table)
{
    namemap_free(&table->mnemonics);
    arena_free(&table->arena);
    *table = (struct fields_table){0};
}

/* Compiling rows: templates to elements, the index that decode looks words up in, the names that parse looks up. */
#include "isa/table.h"

#include "base/text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INDEX_BITS = 13 /* the most */ };

/* ---- fields ---------------------------------------------------------------------------------------------- */

uint64_t isa_get_pieces(const struct isa_word *word, const struct isa_field *field)
{
    uint64_t value = 0;
    unsigned shift = 0;
    for (unsigned i = 0; i < field->pieces; i++) {
        unsigned low = field->piece[i].low, width = field->piece[i].width;
        value |= (word->part[low / 64] >> low % 64 & isa_ones(width)) << shift;
        shift += width;
    }
    return value;
}

void isa_put_pieces(struct isa_word *word, const struct isa_field *field, uint64_t value)
{
    for (unsigned i = 0; i < field->pieces; i++) {
        unsigned low = field->piece[i].low, width = field->piece[i].width;
        uint64_t mask = isa_ones(width) << low % 64, *part = &word->part[low / 64];
        *part = (*part & ~mask) | (value << low % 64 & mask);
        value = width < 64 ? value >> width : 0;
    }
}

/* ---- templates --------------------------------------------------------------------------------------------- */

struct compiler {
    struct isa_table *table;
    unsigned room; /* of table->elements */
    const char *start, *at, *end;
    unsigned group, groups;
    unsigned first; /* element of the row */
    const struct isa_row *row;
    struct namemap lists, roles; /* of the family */
    struct atoll_error *error;
};

static bool broken(struct compiler *c, const char *what)
{
    return error_set(c->error, ATOLL_USAGE, "row \"%s\": %s at \"%.20s\"", c->start, what, c->at);
}

static struct isa_element *element_add(struct compiler *c, enum isa_kind kind)
{
    struct isa_table *table = c->table;
    if (table->nelements == c->room) {
        unsigned room = c->room ? 2 * c->room : 1024;
        struct isa_element *grown = arena_grow(&table->arena, table->elements, c->room, room, sizeof *grown);
        if (!grown) {
            error_memory(c->error);
            return NULL;
        }
        table->elements = grown;
        c->room = room;
    }
    struct isa_element *element = &table->elements[table->nelements++];
    *element = (struct isa_element){.kind = (uint8_t)kind,
                                    .neg = ISA_NONE,
                                    .abs = ISA_NONE,
                                    .inv = ISA_NONE,
                                    .not = ISA_NONE,
                                    .mark = ISA_NONE,
                                    .scale = 1,
                                    .group = (uint8_t)c->group};
    return element;
}

static bool number(struct compiler *c, uint64_t *value)
{
    char *end;
    if (c->at == c->end || *c->at < '0' || *c->at > '9')
        return broken(c, "number wanted");
    *value = strtoull(c->at, &end, 0);
    c->at = end;
    return true;
}

static bool bit(struct compiler *c, uint8_t *bit)
{
    uint64_t value = 0;
    if (!number(c, &value))
        return false;
    if (value >= 64 * ISA_PARTS)
        return broken(c, "no such bit");
    *bit = (uint8_t)value;
    return true;
}

/* "20-38,56?10-11", "?52"; a first piece without "-HIGH" has `width` bits. */
static bool bits(struct compiler *c, unsigned width, struct isa_field *field)
{
    bool selects = *c->at == '?';
    c->at += selects;
    do {
        uint64_t low = 0, high;
        if (!number(c, &low))
            return false;
        high = low + (field->pieces ? 0 : width - 1);
        if (*c->at == '-') {
            c->at++;
            if (!number(c, &high))
                return false;
        }
        if (field->pieces == 4 || high < low || high >= 64 * ISA_PARTS || low / 64 != high / 64)
            return broken(c, "bad bits before");
        field->piece[field->pieces].low = (uint8_t)low;
        field->piece[field->pieces++].width = (uint8_t)(high - low + 1);
        field->width = (uint8_t)(field->width + high - low + 1);
        if (!selects)
            field->owned = field->pieces;
        selects = selects || *c->at == '?';
    } while ((*c->at == ',' || *c->at == '?') && c->at++);
    return true;
}

static unsigned log2_up(unsigned count)
{
    unsigned result = 1;
    while ((1u << result) < count)
        result++;
    return result;
}

static const struct isa_names *names_find(struct compiler *c, const char *name, size_t length)
{
    uint32_t list = namemap_find(&c->lists, name, length);
    if (list != UINT32_MAX)
        return &c->table->family.names[list];
    broken(c, "no such list of names before");
    return NULL;
}

static bool names_at(struct compiler *c, const struct isa_names **names)
{
    const char *start = c->at;
    while (c->at < c->end && *c->at != '@' && *c->at != '}' && *c->at != ' ')
        c->at++;
    *names = names_find(c, start, (size_t)(c->at - start));
    if (!*names)
        return false;
    if (*c->at != '@')
        return broken(c, "@BITS wanted");
    c->at++;
    return true;
}

static bool attribute(struct compiler *c, struct isa_element *e)
{
    uint64_t value = 0;
    uint8_t unused;
    char what = *c->at++;
    switch (what) {
    case '-':
        return bit(c, &e->neg);
    case '|':
        return bit(c, &e->abs);
    case '~':
        return bit(c, &e->inv);
    case '!':
        return bit(c, &e->not );
    case 'r': /* says nothing of the other forms of the operand */
        return bit(c, e->style & ISA_MARKED ? &e->mark : &unused);
    case '+':
        return bits(c, 8, &e->extra);
    case '.':
        return names_at(c, &e->suffix) && bits(c, log2_up(e->suffix->count), &e->suffix_field);
    case '=':
        if (!number(c, &value))
            return false;
        e->has_fallback = true;
        e->fallback = (uint32_t)value;
        return value <= UINT32_MAX || broken(c, "a smaller number wanted before");
    case '*':
        if (!number(c, &value))
            return false;
        e->scale = (uint16_t)value;
        return (value && value <= UINT16_MAX) || broken(c, "a smaller number wanted before");
    case '^':
        if (!number(c, &value))
            return false;
        e->above = (uint8_t)value;
        return true;
    default:
        c->at--;
        return broken(c, "unknown attribute");
    }
}

static bool attributes(struct compiler *c, struct isa_element *e)
{
    while (*c->at == ' ') {
        c->at++;
        if (!attribute(c, e))
            return false;
    }
    if (*c->at != '}')
        return broken(c, "} wanted");
    c->at++;
    if (e->group && e->kind != ISA_LITERAL)
        e->has_fallback = true; /* 0 where none is given */
    return true;
}

/* Those that any family has. */
static const struct isa_kind_row common[] = {
    {.letter = 'x', .kind = ISA_NUMBER, .width = 1},
    {.letter = 'd', .kind = ISA_NUMBER, .width = 1, .style = ISA_DECIMAL},
    {.letter = 's', .kind = ISA_NUMBER, .width = 1, .style = ISA_SIGNED},
    {.letter = 't', .kind = ISA_TARGET, .width = 24},
    {.letter = 'S', .kind = ISA_SET, .width = 1},
};

static const struct isa_kind_row *kind_find(const struct isa_family *family, char letter)
{
    for (unsigned i = 0; i < family->nkinds; i++)
        if (family->kinds[i].letter == letter)
            return &family->kinds[i];
    for (unsigned i = 0; i < sizeof common / sizeof common[0]; i++)
        if (common[i].letter == letter)
            return &common[i];
    return NULL;
}

/* The texts of a file's numbers, made once. */
static bool registers_of(struct compiler *c, struct isa_element *e)
{
    struct isa_table *table = c->table;
    const struct isa_file *file = e->how->file;
    unsigned i = 0;
    while (i < table->nfiles && table->files[i] != file)
        i++;
    e->file = file;
    e->registers = table->registers[i < ISA_FILES ? i : 0];
    if (i < table->nfiles)
        return true;
    struct isa_register_text *texts = i < ISA_FILES ? arena_array(&table->arena, ISA_PAST + 1, sizeof *texts) : NULL;
    if (!texts)
        return i < ISA_FILES ? error_memory(c->error) : broken(c, "too many register files");
    for (unsigned k = 0; k <= ISA_PAST; k++) {
        char text[16];
        int length = k < file->count      ? snprintf(text, sizeof text, "%c%u", file->prefix, k)
                     : k == file->special ? snprintf(text, sizeof text, "%s", file->name)
                                          : snprintf(text, sizeof text, "%s", file->past ? file->past : "?");
        texts[k].length = (uint8_t)(length < (int)sizeof texts->bytes ? length : (int)sizeof texts->bytes);
        memcpy(texts[k].bytes, text, texts[k].length);
    }
    table->files[i] = file;
    e->registers = table->registers[i] = texts;
    table->nfiles++;
    return true;
}

/* At the '@' before the bits. */
static bool operand(struct compiler *c, char letter, uint8_t role)
{
    const struct isa_family *family = &c->table->family;
    const struct isa_kind_row *how = kind_find(family, letter);
    struct isa_element *e = how ? element_add(c, how->kind) : NULL;
    if (!e)
        return !how && broken(c, "unknown kind of field");
    bool own = e->kind == ISA_FLOAT || e->kind == ISA_CONSTANT || e->kind == ISA_ADDRESS;
    assert(own ? how->parse && how->print && how->value : how->file || e->kind > ISA_PREDICATE);
    (void)own;
    e->how = how;
    e->letter = letter;
    e->flip = how->flip;
    e->style = how->style;
    e->role = role;
    c->at++;
    if (!bits(c, how->width, &e->field) || (how->file && !registers_of(c, e)))
        return false;
    if (how->file && e->field.width > 8)
        return broken(c, "a register has at most 8 bits, before");
    if (how->style & ISA_MARKED && family->mark_bit)
        e->mark = family->mark_bit(c->row, &c->table->elements[c->first], c->table->nelements - c->first);
    return attributes(c, e);
}

/* The role that is in the template, by its name; 0 = none. */
static uint8_t role_find(const struct compiler *c, const char *name, size_t length)
{
    uint32_t role = namemap_find(&c->roles, name, length);
    return role == UINT32_MAX ? 0 : (uint8_t)role;
}

/* ".X@43" or ".U32@!48" */
static bool flag(struct compiler *c)
{
    struct isa_element *e = element_add(c, ISA_FLAG);
    if (!e)
        return false;
    e->text = c->at;
    while (c->at < c->end && *c->at != '@')
        c->at++;
    e->length = (uint16_t)(c->at - e->text);
    e->role = role_find(c, e->text, e->length);
    if (c->at < c->end)
        c->at++;
    e->inverted = *c->at == '!';
    c->at += e->inverted;
    return bits(c, 1, &e->field) && attributes(c, e);
}

static bool named(struct compiler *c)
{
    struct isa_element *e = element_add(c, ISA_NAME);
    if (!e)
        return false;
    e->text = c->at;
    size_t length = strcspn(c->at, ":@}");
    e->length = (uint16_t)length;
    e->role = role_find(c, e->text, length);
    if (c->at[length] == ':')
        c->at += length + 1;
    return names_at(c, &e->names) && bits(c, log2_up(e->names->count), &e->field) && attributes(c, e);
}

/* "+NAME" */
static bool unit(struct compiler *c)
{
    const struct isa_family *family = &c->table->family;
    size_t length = strcspn(++c->at, "}");
    for (unsigned i = 0; i < family->nunits; i++)
        if (strlen(family->units[i].name) == length && memcmp(family->units[i].name, c->at, length) == 0) {
            struct isa_element *e = element_add(c, ISA_UNIT);
            if (!e)
                return false;
            e->above = (uint8_t)(i + 1);
            e->text = c->at;
            e->length = (uint16_t)length;
            c->at += length;
            return (!c->group && !c->row->unit && attributes(c, e)) || broken(c, "no place for a unit before");
        }
    return broken(c, "no such unit");
}

static bool field(struct compiler *c)
{
    c->at++;
    if (*c->at == '.')
        return flag(c);
    if (*c->at == '+')
        return unit(c);
    size_t length = strcspn(c->at, ":@}");
    uint8_t role = role_find(c, c->at, length);
    bool says_kind = role && c->at[0] >= 'A' && c->at[0] <= 'Z';
    const char *kind = role && c->at[length] == ':' ? c->at + length + 1 : c->at;
    if ((says_kind && c->at[length] == '@') || (kind[0] && kind[1] == '@')) {
        c->at = kind == c->at ? kind + length : kind + 1;
        return operand(c, *kind, role);
    }
    return named(c);
}

static bool literal(struct compiler *c)
{
    struct isa_element *e = element_add(c, ISA_LITERAL);
    if (!e)
        return false;
    e->text = c->at;
    while (c->at < c->end && !strchr("{<>", *c->at))
        c->at++;
    e->length = (uint16_t)(c->at - e->text);
    return true;
}

static bool template_compile(struct compiler *c, const char *text)
{
    c->at = text;
    c->end = text + strlen(text);
    while (c->at < c->end) {
        bool ok = true;
        if (*c->at == '{') {
            ok = field(c);
        } else if (*c->at == '<') {
            c->group = ++c->groups;
            c->at++;
        } else if (*c->at == '>') {
            c->group = 0;
            c->at++;
        } else {
            ok = literal(c);
        }
        if (!ok)
            return false;
    }
    return true;
}

static bool names_refuse(const struct isa_names *names, const struct isa_field *field)
{
    for (uint64_t value = 0; value <= names->count && value <= isa_ones(field->width); value++)
        if (!isa_names_allow(names, value))
            return true;
    return false;
}

/* Decoding looks at these only. */
static void refusing_mark(struct isa_table *table, struct isa_form *form)
{
    struct isa_element *e = &table->elements[form->first];
    for (unsigned i = 0; i < form->count; i++) {
        e[i].refuses = (e[i].names && names_refuse(e[i].names, &e[i].field)) || e[i].style & ISA_REFUSES ||
                       (e[i].suffix && names_refuse(e[i].suffix, &e[i].suffix_field));
        if (e[i].refuses)
            form->refusing = (uint16_t)(i + 1);
    }
}

/* The bits of all parts. */
static void form_bits(struct isa_form *form, const struct isa_row *row)
{
    form->mask.part[0] = row->mask;
    form->value.part[0] = row->value;
    form->ignored.part[0] = row->ignored;
    for (unsigned i = 1; row->above && i < ISA_PARTS; i++) {
        form->mask.part[i] = row->above->mask[i - 1];
        form->value.part[i] = row->above->value[i - 1];
        form->ignored.part[i] = row->above->ignored[i - 1];
    }
    for (unsigned i = 0; i < ISA_PARTS; i++)
        form->parts = form->mask.part[i] ? (uint8_t)(i + 1) : form->parts;
}

static bool row_compile(struct compiler *c, struct isa_form *form, const struct isa_row *row)
{
    c->row = row;
    c->start = row->text;
    c->group = c->groups = 0;
    form->row = row;
    form_bits(form, row);
    form->number = (uint16_t)(form - c->table->forms);
    c->first = c->table->nelements;
    const char *text = row->text;
    if (*text == '@') {
        text++;
        if (!template_compile(c, c->table->family.guard))
            return false;
    }
    form->mnemonic = text;
    form->mnemonic_length = (uint16_t)strcspn(text, ".{ <");
    if (!template_compile(c, text))
        return false;
    form->first = (uint16_t)c->first;
    form->count = (uint16_t)(c->table->nelements - c->first);
    refusing_mark(c->table, form);
    for (unsigned i = 0; i < form->count; i++)
        form->joins = form->joins || c->table->elements[form->first + i].kind == ISA_UNIT;
    for (unsigned i = form->count; i-- > 0;)
        if (c->table->elements[form->first + i].role)
            form->role[c->table->elements[form->first + i].role] = (uint8_t)(i + 1);
    return c->table->nelements <= UINT16_MAX || error_set(c->error, ATOLL_USAGE, "too many elements");
}

/* ---- the index -------------------------------------------------------------------------------------------------- */

static unsigned bits_set(const struct isa_word *word)
{
    unsigned count = 0;
    for (unsigned i = 0; i < ISA_PARTS; i++)
        count += (unsigned)__builtin_popcountll(word->part[i]);
    return count;
}

static inline unsigned index_key(const struct isa_index *index, const struct isa_word *word)
{
    return (unsigned)(word->part[index->part] >> index->low) & index->mask;
}

/* Calls for every entry that a row may be under: the free bits of its mask, counted through. */
static void index_walk(const struct isa_form *form, const struct isa_index *index, uint16_t *counts, uint16_t *order)
{
    unsigned fixed = index_key(index, &form->mask), free = ~fixed & index->mask, sub = 0;
    unsigned base = index_key(index, &form->value) & fixed;
    do {
        unsigned entry = base | sub;
        assert(((entry ^ index_key(index, &form->value)) & fixed) == 0);
        if (order)
            order[counts[entry]] = form->number;
        counts[entry]++;
        sub = (sub - free) & free;
    } while (sub);
}

/* The index of the rows of one unit, or of whole words. `sorted`: room for as many numbers as there are forms. */
static bool index_make(struct isa_table *table, unsigned unit, uint16_t *sorted, struct atoll_error *error)
{
    struct isa_index *index = &table->index[unit];
    unsigned total = 0, count = 0, entries = index->mask + 1;
    uint16_t *counts = arena_array(&table->arena, entries + 1, sizeof *counts);
    index->start = arena_array(&table->arena, entries + 1, sizeof *index->start);
    if (!counts || !index->start)
        return error_memory(error);
    for (unsigned i = 0; i < table->nforms; i++) { /* insertion: more mask bits first, else as in the rows */
        if (table->forms[i].row->unit != unit)
            continue;
        unsigned at = count++, own = bits_set(&table->forms[i].mask);
        for (; at && bits_set(&table->forms[sorted[at - 1]].mask) < own; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = (uint16_t)i;
        index_walk(&table->forms[i], index, counts, NULL);
    }
    for (unsigned i = 0; i <= entries; i++) {
        unsigned own = counts[i];
        if (total > UINT16_MAX)
            return error_set(error, ATOLL_USAGE, "too many rows for the index");
        counts[i] = index->start[i] = (uint16_t)total;
        total += own;
    }
    index->order = arena_array(&table->arena, total + 1, sizeof *index->order);
    if (!index->order)
        return error_memory(error);
    for (unsigned i = 0; i < count; i++)
        index_walk(&table->forms[sorted[i]], index, counts, index->order);
    return true;
}

static bool indexes_make(struct isa_table *table, struct atoll_error *error)
{
    const struct isa_family *family = &table->family;
    uint16_t *sorted = arena_array(&table->arena, table->nforms + 1, sizeof *sorted);
    if (!sorted)
        return error_memory(error);
    assert(family->nunits <= ISA_UNITS);
    for (unsigned i = 0; i <= family->nunits; i++) {
        unsigned low = i ? family->units[i - 1].index_low : family->index_low;
        unsigned bits = i ? family->units[i - 1].index_bits : family->index_bits;
        assert(bits <= INDEX_BITS && low / 64 < ISA_PARTS && low % 64 + bits <= 64);
        table->index[i] =
            (struct isa_index){.part = (uint8_t)(low / 64), .low = (uint8_t)(low % 64), .mask = (1u << bits) - 1};
        if (!index_make(table, i, sorted, error))
            return false;
    }
    return true;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

int isa_mnemonic_compare(const struct isa_form *form, const char *name, size_t length)
{
    int order = memcmp(form->mnemonic, name, form->mnemonic_length < length ? form->mnemonic_length : length);
    return order ? order : (form->mnemonic_length > length) - (form->mnemonic_length < length);
}

static bool names_sort(struct isa_table *table, struct atoll_error *error)
{
    table->by_name = arena_array(&table->arena, table->nforms + 1, sizeof *table->by_name);
    if (!table->by_name)
        return error_memory(error);
    for (unsigned i = 0; i < table->nforms; i++) {
        unsigned at = i;
        const struct isa_form *own = &table->forms[i];
        for (;
             at && isa_mnemonic_compare(&table->forms[table->by_name[at - 1]], own->mnemonic, own->mnemonic_length) > 0;
             at--)
            table->by_name[at] = table->by_name[at - 1];
        table->by_name[at] = (uint16_t)i;
    }
    for (unsigned i = 0; i < table->nforms; i++) {
        const struct isa_form *form = &table->forms[table->by_name[i]];
        if (!namemap_add(&table->mnemonics, form->mnemonic, form->mnemonic_length, i))
            return error_memory(error);
    }
    return true;
}

static bool family_index(struct compiler *c)
{
    const struct isa_family *family = &c->table->family;
    bool ok = true;
    for (unsigned i = 0; ok && i < family->nnames; i++)
        ok = namemap_add(&c->lists, family->names[i].name, strlen(family->names[i].name), i);
    for (unsigned i = 1; ok && i <= family->nroles; i++)
        ok = namemap_add(&c->roles, family->roles[i], strlen(family->roles[i]), i);
    return ok || error_memory(c->error);
}

bool isa_open(const struct isa_family *family, const struct isa_list *lists, unsigned nlists, struct isa_table *table,
              struct atoll_error *error)
{
    *table = (struct isa_table){.family = *family};
    for (unsigned i = 0; 64 * i < family->bits; i++)
        table->owned.part[i] = isa_ones(family->bits - 64 * i < 64 ? family->bits - 64 * i : 64);
    struct compiler c = {.table = table, .lists.arena = &table->arena, .roles.arena = &table->arena, .error = error};
    for (unsigned i = 0; i < nlists; i++)
        table->nforms += lists[i].count;
    table->forms = arena_array(&table->arena, table->nforms + 1, sizeof *table->forms);
    bool ok = (table->forms || error_memory(error)) && family_index(&c);
    struct isa_form *form = table->forms;
    for (unsigned i = 0; ok && i < nlists; i++)
        for (unsigned k = 0; ok && k < lists[i].count; k++)
            ok = row_compile(&c, form++, &lists[i].rows[k]);
    ok = ok && indexes_make(table, error) && names_sort(table, error);
    if (!ok)
        isa_close(table);
    return ok;
}

void isa_close(struct isa_table *table)
{
    namemap_free(&table->mnemonics);
    arena_free(&table->arena);
    *table = (struct isa_table){0};
}

/* ---- decode ----------------------------------------------------------------------------------------------- */

static bool element_allows(const struct isa_element *e, const struct isa_word *word)
{
    return (!e->names || isa_names_allow(e->names, isa_get(word, &e->field))) &&
           (!(e->style & ISA_REFUSES) || isa_number(e, word) != e->file->special) &&
           (!e->suffix || isa_names_allow(e->suffix, isa_get(word, &e->suffix_field)));
}

static bool form_allows(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word)
{
    const struct isa_element *e = &table->elements[form->first];
    for (unsigned i = 0; i < form->refusing; i++)
        if (e[i].refuses && !element_allows(&e[i], word))
            return false;
    return true;
}

static inline bool form_matches(const struct isa_form *form, const struct isa_word *word)
{
    if ((word->part[0] & form->mask.part[0]) != form->value.part[0])
        return false;
    for (unsigned i = 1; i < form->parts; i++)
        if ((word->part[i] & form->mask.part[i]) != form->value.part[i])
            return false;
    return true;
}

/* Whether each unit that a form joins has an operation in the word. */
static bool units_found(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word,
                        unsigned archs, const char **why);

/* `archs`: the bits of architectures, one of which the form is of. */
static const struct isa_form *find(const struct isa_table *table, const struct isa_word *word, unsigned unit,
                                   unsigned archs, const char **why)
{
    const struct isa_index *index = &table->index[unit];
    unsigned key = index_key(index, word);
    const char *reason = "no instruction has this opcode";
    for (unsigned i = index->start[key]; i < index->start[key + 1]; i++) {
        const struct isa_form *form = &table->forms[index->order[i]];
        if (!form_matches(form, word))
            continue;
        if (!(form->row->archs & archs)) {
            reason = "not an instruction of this architecture";
            continue;
        }
        if (!form_allows(table, form, word))
            reason = "a field has a reserved value that the instruction refuses";
        else if (!form->joins || units_found(table, form, word, archs, &reason))
            return form;
        break;
    }
    if (why)
        *why = reason;
    return NULL;
}

static bool units_found(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word,
                        unsigned archs, const char **why)
{
    const struct isa_element *e = &table->elements[form->first];
    for (unsigned i = 0; i < form->count; i++)
        if (e[i].kind == ISA_UNIT && !find(table, word, e[i].above, archs, why))
            return false;
    return true;
}

const struct isa_form *isa_find(const struct isa_table *table, const struct isa_word *word, unsigned arch,
                                const char **why)
{
    return find(table, word, 0, 1u << arch, why);
}

const struct isa_form *isa_find_unit(const struct isa_table *table, const struct isa_word *word, unsigned unit,
                                     unsigned archs, const char **why)
{
    return find(table, word, unit, archs, why);
}

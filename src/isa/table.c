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

static bool field(struct compiler *c)
{
    c->at++;
    if (*c->at == '.')
        return flag(c);
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

static bool row_compile(struct compiler *c, struct isa_form *form, const struct isa_row *row)
{
    c->row = row;
    c->start = row->text;
    c->group = c->groups = 0;
    form->row = row;
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
    for (unsigned i = form->count; i-- > 0;)
        if (c->table->elements[form->first + i].role)
            form->role[c->table->elements[form->first + i].role] = (uint8_t)(i + 1);
    return c->table->nelements <= UINT16_MAX || error_set(c->error, ATOLL_USAGE, "too many elements");
}

/* ---- the index -------------------------------------------------------------------------------------------------- */

static int bits_set(uint64_t value)
{
    return __builtin_popcountll(value);
}

/* The bits of a word that the index looks at. */
static inline unsigned index_key(const struct isa_family *family, uint64_t part)
{
    return (unsigned)(part >> family->index_low) & ((1u << family->index_bits) - 1);
}

/* Calls for every entry that a row may be under: the free bits of its mask, counted through. */
static void index_walk(const struct isa_row *row, const struct isa_family *family, uint16_t *counts, uint16_t *order,
                       uint16_t number)
{
    unsigned all = (1u << family->index_bits) - 1;
    unsigned fixed = index_key(family, row->mask), free = ~fixed & all, sub = 0;
    unsigned base = index_key(family, row->value) & fixed;
    do {
        unsigned entry = base | sub;
        assert(((entry ^ index_key(family, row->value)) & fixed) == 0);
        if (order)
            order[counts[entry]] = number;
        counts[entry]++;
        sub = (sub - free) & free;
    } while (sub);
}

static bool index_make(struct isa_table *table, struct atoll_error *error)
{
    const struct isa_family *family = &table->family;
    unsigned total = 0, entries = 1u << family->index_bits;
    assert(family->index_bits <= INDEX_BITS && family->index_low + family->index_bits <= 64);
    uint16_t *sorted = arena_array(&table->arena, table->nforms + 1, sizeof *sorted);
    uint16_t *counts = arena_array(&table->arena, entries + 1, sizeof *counts);
    table->index = arena_array(&table->arena, entries + 1, sizeof *table->index);
    if (!sorted || !counts || !table->index)
        return error_memory(error);
    for (unsigned i = 0; i < table->nforms; i++) { /* insertion: more mask bits first, else as in the rows */
        unsigned at = i;
        int own = bits_set(table->forms[i].row->mask);
        for (; at && bits_set(table->forms[sorted[at - 1]].row->mask) < own; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = (uint16_t)i;
        index_walk(table->forms[i].row, family, counts, NULL, 0);
    }
    for (unsigned i = 0; i <= entries; i++) {
        unsigned count = counts[i];
        if (total > UINT16_MAX)
            return error_set(error, ATOLL_USAGE, "too many rows for the index");
        counts[i] = table->index[i] = (uint16_t)total;
        total += count;
    }
    table->order = arena_array(&table->arena, total + 1, sizeof *table->order);
    if (!table->order)
        return error_memory(error);
    for (unsigned i = 0; i < table->nforms; i++)
        index_walk(table->forms[sorted[i]].row, family, counts, table->order, sorted[i]);
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
    struct compiler c = {.table = table, .lists.arena = &table->arena, .roles.arena = &table->arena, .error = error};
    for (unsigned i = 0; i < nlists; i++)
        table->nforms += lists[i].count;
    table->forms = arena_array(&table->arena, table->nforms + 1, sizeof *table->forms);
    bool ok = (table->forms || error_memory(error)) && family_index(&c);
    struct isa_form *form = table->forms;
    for (unsigned i = 0; ok && i < nlists; i++)
        for (unsigned k = 0; ok && k < lists[i].count; k++)
            ok = row_compile(&c, form++, &lists[i].rows[k]);
    ok = ok && index_make(table, error) && names_sort(table, error);
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

const struct isa_form *isa_find(const struct isa_table *table, const struct isa_word *word, unsigned arch,
                                const char **why)
{
    unsigned key = index_key(&table->family, word->part[0]);
    const char *reason = "no instruction has this opcode";
    for (unsigned i = table->index[key]; i < table->index[key + 1]; i++) {
        const struct isa_form *form = &table->forms[table->order[i]];
        if ((word->part[0] & form->row->mask) != form->row->value)
            continue;
        if (!(form->row->archs >> arch & 1)) {
            reason = "not an instruction of this architecture";
            continue;
        }
        if (form_allows(table, form, word))
            return form;
        reason = "a field has a reserved value that the instruction refuses";
        break;
    }
    if (why)
        *why = reason;
    return NULL;
}

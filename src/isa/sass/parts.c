/* Names of the parts of an instruction, its syntax, its bits: read off the rows. */
#include "isa/sass/parts.h"

#include "isa/sass/sass.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { WORD = 64 };

/* ---- names of places ------------------------------------------------------------------------------------- */

static const char *number_letter(const struct isa_element *e)
{
    return e->letter == 's' || e->letter == 'i' ? "s" : "u";
}

/* "round", ".SAT"; "no .U32" where the clear bit writes it. */
static void name_of(const struct isa_element *e, char out[SASS_PART_TEXT])
{
    if (e->kind == ISA_NAME)
        snprintf(out, SASS_PART_TEXT, "%s", e->names->name);
    else
        snprintf(out, SASS_PART_TEXT, "%s%.*s", e->inverted ? "no " : "", e->length, e->text);
}

/* What an operand is called, without its signs. */
void sass_operand_name(const struct isa_element *e, char out[SASS_PART_TEXT])
{
    const char *base = sass_role_name(e->role);
    switch (e->kind) {
    case ISA_REGISTER:
    case ISA_PREDICATE:
        if (e->above)
            snprintf(out, SASS_PART_TEXT, "%s+%u", base, e->above);
        else
            snprintf(out, SASS_PART_TEXT, "%s", base);
        break;
    case ISA_NUMBER:
        snprintf(out, SASS_PART_TEXT, "%simm%u", number_letter(e), e->field.width);
        break;
    case ISA_FLOAT:
        snprintf(out, SASS_PART_TEXT, "f%uimm%u",
                 e->letter == 'f'   ? 32u
                 : e->letter == 'g' ? 64u
                                    : 16u,
                 e->field.width);
        break;
    case ISA_CONSTANT:
        snprintf(out, SASS_PART_TEXT, e->extra.pieces ? "c[bank][Ra+offset]" : "c[bank][offset]");
        break;
    case ISA_ADDRESS:
        if (e->extra.pieces)
            snprintf(out, SASS_PART_TEXT, "[%s+simm%u%s]", base, e->extra.width, e->scale == 4 ? "*4" : "");
        else
            snprintf(out, SASS_PART_TEXT, "[%s]", base);
        break;
    case ISA_TARGET:
        snprintf(out, SASS_PART_TEXT, "target");
        break;
    default:
        snprintf(out, SASS_PART_TEXT, "{set}");
        break;
    }
}

/* ---- how a form is written ---------------------------------------------------------------------------------- */

static void operand_syntax(const struct isa_element *e, struct text *out)
{
    char name[SASS_PART_TEXT];
    bool behind = isa_says_behind(e);
    sass_operand_name(e, name);
    if (e->not != ISA_NONE)
        text_puts(out, "{!}");
    if (e->neg != ISA_NONE && !behind)
        text_puts(out, "{-}");
    if (e->inv != ISA_NONE && !behind)
        text_puts(out, "{~}");
    text_puts(out, name);
    if (e->neg != ISA_NONE && behind)
        text_puts(out, "{.NEG}");
    if (e->abs != ISA_NONE)
        text_puts(out, behind ? "{.ABS}" : "{abs}");
    if (e->inv != ISA_NONE && behind)
        text_puts(out, "{.INV}");
    if (e->suffix)
        text_printf(out, "{%s}", e->suffix->name);
}

/* A name whose bits are the row's: what is written. */
static void fixed_syntax(const struct isa_form *form, const struct isa_element *e, struct text *out)
{
    struct isa_word word = {{form->row->value}};
    text_puts(out, e->names->text[isa_get(&word, &e->field)]);
}

static void element_syntax(const struct isa_form *form, const struct isa_element *e, struct text *out)
{
    switch (e->kind) {
    case ISA_LITERAL:
        text_add(out, e->text, e->length);
        break;
    case ISA_FLAG:
        text_printf(out, "{%.*s}", e->length, e->text);
        break;
    case ISA_NAME:
        if (!e->field.owned)
            fixed_syntax(form, e, out);
        else
            text_printf(out, "{%s}", e->names->name);
        break;
    default:
        operand_syntax(e, out);
        break;
    }
}

/* Index of the first element after the guard. */
unsigned sass_behind_guard(const struct isa_table *table, const struct isa_form *form)
{
    const struct isa_element *e = &table->elements[form->first];
    unsigned i = 0;
    while (form->role[SASS_ROLE_Pg] && i < form->count && e[i].group == e[0].group)
        i++;
    return i;
}

void sass_form_syntax(const struct isa_table *table, const struct isa_form *form, struct text *out)
{
    const struct isa_element *e = &table->elements[form->first];
    unsigned group = 0;
    for (unsigned i = sass_behind_guard(table, form); i < form->count; i++) {
        if (group && e[i].group != group)
            text_puts(out, "}");
        if (e[i].group && e[i].group != group)
            text_puts(out, "{");
        group = e[i].group;
        element_syntax(form, &e[i], out);
    }
    if (group)
        text_puts(out, "}");
}

void sass_archs_write(unsigned archs, struct text *out)
{
    static const char *const names[] = {"50", "52", "53"};
    const char *before = "";
    for (unsigned i = 0; i < SASS_ARCHS; i++)
        if (archs >> i & 1) {
            text_printf(out, "%s%s", before, names[i]);
            before = " ";
        }
}

/* ---- bits ------------------------------------------------------------------------------------------------------ */

struct taken {
    struct sass_part *parts;
    unsigned count;
};

static struct sass_part *part_add(struct taken *t, const struct isa_element *e, enum sass_part_role role)
{
    assert(t->count < SASS_PARTS);
    struct sass_part *part = &t->parts[t->count++];
    *part = (struct sass_part){.element = e, .role = role};
    return part;
}

static void field_add(struct taken *t, const struct isa_element *e, enum sass_part_role role,
                      const struct isa_field *field, const char *name)
{
    if (!field->pieces || !field->owned)
        return;
    struct sass_part *part = part_add(t, e, role);
    snprintf(part->name, sizeof part->name, "%s", name);
    part->field = *field;
}

static void sign_add(struct taken *t, const struct isa_element *e, uint8_t bit, const char *sign, const char *name)
{
    if (bit == ISA_NONE)
        return;
    struct sass_part *part = part_add(t, e, PART_SIGN);
    snprintf(part->name, sizeof part->name, "%s%.40s", sign, name);
    part->field = (struct isa_field){.pieces = 1, .width = 1, .owned = 1, .piece = {{bit, 1}}};
}

static void element_add(struct taken *t, const struct isa_element *e)
{
    char name[SASS_PART_TEXT];
    if (e->kind == ISA_LITERAL)
        return;
    if (e->kind == ISA_NAME || e->kind == ISA_FLAG)
        name_of(e, name);
    else
        sass_operand_name(e, name);
    field_add(t, e, PART_VALUE, &e->field, e->kind == ISA_ADDRESS ? sass_role_name(e->role) : name);
    field_add(t, e, PART_OFFSET, &e->extra, e->kind == ISA_ADDRESS ? "offset" : "Ra");
    if (e->suffix)
        field_add(t, e, PART_SUFFIX, &e->suffix_field, e->suffix->name);
    sign_add(t, e, e->neg, "-", name);
    sign_add(t, e, e->abs, "abs ", name);
    sign_add(t, e, e->inv, "~", name);
    sign_add(t, e, e->not, "!", name);
}

static void guard_add(struct taken *t, const struct isa_element *e)
{
    if (e->kind == ISA_LITERAL)
        return;
    field_add(t, e, PART_GUARD, &e->field, "guard");
    sign_add(t, e, e->not, "", "guard");
}

unsigned sass_parts(const struct isa_table *table, const struct isa_form *form, struct sass_part *parts)
{
    const struct isa_element *e = &table->elements[form->first];
    struct taken t = {parts, 0};
    unsigned behind = sass_behind_guard(table, form);
    for (unsigned i = 0; i < form->count; i++)
        (i < behind ? guard_add : element_add)(&t, &e[i]);
    return t.count;
}

struct picture {
    char who[WORD][SASS_PART_TEXT]; /* what each bit belongs to */
};

static void bit_claim(struct picture *picture, unsigned bit, const char *who)
{
    if (bit < WORD && !picture->who[bit][0])
        snprintf(picture->who[bit], SASS_PART_TEXT, "%.*s", SASS_PART_TEXT - 1, who);
}

static void part_claim(struct picture *picture, const struct sass_part *part)
{
    for (unsigned i = 0; i < part->field.owned; i++)
        for (unsigned k = 0; k < part->field.piece[i].width; k++)
            bit_claim(picture, part->field.piece[i].low + k, part->name);
}

static void picture_make(struct picture *picture, const struct isa_table *table, const struct isa_form *form)
{
    const struct isa_row *row = form->row;
    struct sass_part parts[SASS_PARTS];
    unsigned count = sass_parts(table, form, parts);
    *picture = (struct picture){0};
    for (unsigned bit = 0; bit < WORD; bit++) {
        if (row->mask >> bit & 1)
            bit_claim(picture, bit, row->value >> bit & 1 ? "1" : "0");
        if (row->ignored >> bit & 1)
            bit_claim(picture, bit, "ignored");
    }
    for (unsigned i = 0; i < count; i++)
        part_claim(picture, &parts[i]);
}

static bool opcode_bit(const struct picture *picture, unsigned bit)
{
    return (picture->who[bit][0] == '0' || picture->who[bit][0] == '1') && !picture->who[bit][1];
}

void sass_bits_write(const struct isa_table *table, const struct isa_form *form, struct text *out)
{
    struct picture made;
    const struct picture *picture = &made;
    picture_make(&made, table, form);
    for (unsigned high = WORD; high > 0;) {
        unsigned low = high - 1;
        bool opcode = opcode_bit(picture, low);
        while (low && (opcode ? opcode_bit(picture, low - 1) : strcmp(picture->who[low - 1], picture->who[low]) == 0))
            low--;
        text_printf(out, high == WORD ? "%u" : ", %u", high - 1);
        if (low != high - 1)
            text_printf(out, "-%u", low);
        text_puts(out, " ");
        for (unsigned bit = high; opcode && bit-- > low;)
            text_puts(out, picture->who[bit]);
        if (!opcode)
            text_puts(out, picture->who[low]);
        high = low;
    }
}

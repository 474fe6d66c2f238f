/* Lists of the instructions of Maxwell: how a form is written, what its bits are, what the values of its fields mean.
 */
#include "isa/sass/reference.h"

#include "isa/sass/rows.h"
#include "isa/sass/sass.h"

#include <stdio.h>
#include <string.h>

enum { WORD = 64, PLACE_TEXT = 48, OWNER_TEXT = PLACE_TEXT + 8 };

/* ---- names of places ------------------------------------------------------------------------------------- */

/* By the lowest bit of the field. Stores have their data at 0. */
static const char *register_name(unsigned low)
{
    switch (low) {
    case 0:
        return "Rd";
    case 8:
        return "Ra";
    case 20:
        return "Rb";
    case 28:
        return "Rd2";
    default:
        return "Rc";
    }
}

static const char *predicate_name(unsigned low)
{
    switch (low) {
    case 0:
        return "Pq";
    case 3:
        return "Pd";
    case 12:
        return "Pa";
    case 29:
        return "Pb";
    case 39:
        return "Pc";
    default:
        return "Ps";
    }
}

static const char *number_letter(const struct isa_element *e)
{
    return e->letter == 's' || e->letter == 'i' ? "s" : "u";
}

/* "round", ".SAT"; "no .U32" where the clear bit writes it. */
static void name_of(const struct isa_element *e, char out[PLACE_TEXT])
{
    if (e->kind == ISA_NAME)
        snprintf(out, PLACE_TEXT, "%s", e->names->name);
    else
        snprintf(out, PLACE_TEXT, "%s%.*s", e->inverted ? "no " : "", e->length, e->text);
}

/* What an operand is called, without its signs. */
static void operand_name(const struct isa_element *e, char out[PLACE_TEXT])
{
    unsigned low = e->field.piece[0].low;
    const char *base = register_name(low);
    switch (e->kind) {
    case ISA_REGISTER:
        if (e->above)
            snprintf(out, PLACE_TEXT, "%s+%u", base, e->above);
        else
            snprintf(out, PLACE_TEXT, "%s", base);
        break;
    case ISA_PREDICATE:
        snprintf(out, PLACE_TEXT, "%s", predicate_name(low));
        break;
    case ISA_NUMBER:
        snprintf(out, PLACE_TEXT, "%simm%u", number_letter(e), e->field.width);
        break;
    case ISA_FLOAT:
        snprintf(out, PLACE_TEXT, "f%uimm%u", e->letter == 'f' ? 32u : e->letter == 'g' ? 64u : 16u, e->field.width);
        break;
    case ISA_CONSTANT:
        snprintf(out, PLACE_TEXT, e->extra.pieces ? "c[bank][Ra+offset]" : "c[bank][offset]");
        break;
    case ISA_ADDRESS:
        if (e->extra.pieces)
            snprintf(out, PLACE_TEXT, "[%s+simm%u%s]", base, e->extra.width, e->scale == 4 ? "*4" : "");
        else
            snprintf(out, PLACE_TEXT, "[%s]", base);
        break;
    case ISA_TARGET:
        snprintf(out, PLACE_TEXT, "target");
        break;
    default:
        snprintf(out, PLACE_TEXT, "{set}");
        break;
    }
}

/* ---- how a form is written ---------------------------------------------------------------------------------- */

static void operand_syntax(const struct isa_element *e, struct text *out)
{
    char name[PLACE_TEXT];
    bool behind = isa_says_behind(e);
    operand_name(e, name);
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

static void element_syntax(const struct isa_element *e, struct text *out)
{
    switch (e->kind) {
    case ISA_LITERAL:
        text_add(out, e->text, e->length);
        break;
    case ISA_FLAG:
        text_printf(out, "{%.*s}", e->length, e->text);
        break;
    case ISA_NAME:
        text_printf(out, "{%s}", e->names->name);
        break;
    default:
        operand_syntax(e, out);
        break;
    }
}

/* Index of the first element behind the guard. */
static unsigned behind_guard(const struct isa_table *table, const struct isa_form *form)
{
    const struct isa_element *e = &table->elements[form->first];
    unsigned i = 0;
    while (form->row->text[0] == '@' && i < form->count && e[i].group == e[0].group)
        i++;
    return i;
}

static void form_syntax(const struct isa_table *table, const struct isa_form *form, struct text *out)
{
    const struct isa_element *e = &table->elements[form->first];
    unsigned group = 0;
    for (unsigned i = behind_guard(table, form); i < form->count; i++) {
        if (group && e[i].group != group)
            text_puts(out, "}");
        if (e[i].group && e[i].group != group)
            text_puts(out, "{");
        group = e[i].group;
        element_syntax(&e[i], out);
    }
    if (group)
        text_puts(out, "}");
}

static void archs_write(unsigned archs, struct text *out)
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

struct picture {
    char who[WORD][OWNER_TEXT]; /* what each bit belongs to */
};

static void bit_claim(struct picture *picture, unsigned bit, const char *who)
{
    if (bit < WORD && !picture->who[bit][0])
        snprintf(picture->who[bit], OWNER_TEXT, "%s", who);
}

static void field_claim(struct picture *picture, const struct isa_field *field, const char *who)
{
    for (unsigned i = 0; i < field->owned; i++)
        for (unsigned k = 0; k < field->piece[i].width; k++)
            bit_claim(picture, field->piece[i].low + k, who);
}

static void sign_claim(struct picture *picture, uint8_t bit, const char *sign, const char *name)
{
    char who[OWNER_TEXT];
    snprintf(who, sizeof who, "%s%s", sign, name);
    bit_claim(picture, bit, who);
}

static void element_claim(struct picture *picture, const struct isa_element *e)
{
    char name[PLACE_TEXT];
    if (e->kind == ISA_LITERAL)
        return;
    if (e->kind == ISA_NAME || e->kind == ISA_FLAG)
        name_of(e, name);
    else
        operand_name(e, name);
    if (e->suffix)
        field_claim(picture, &e->suffix_field, e->suffix->name);
    sign_claim(picture, e->neg, "-", name);
    sign_claim(picture, e->abs, "abs ", name);
    sign_claim(picture, e->inv, "~", name);
    sign_claim(picture, e->not, "!", name);
    field_claim(picture, &e->field, e->kind == ISA_ADDRESS ? register_name(e->field.piece[0].low) : name);
    field_claim(picture, &e->extra, e->kind == ISA_ADDRESS ? "offset" : "Ra");
}

static void picture_make(struct picture *picture, const struct isa_table *table, const struct isa_form *form)
{
    const struct isa_row *row = form->row;
    const struct isa_element *e = &table->elements[form->first];
    *picture = (struct picture){0};
    for (unsigned bit = 0; bit < WORD; bit++) {
        if (row->mask >> bit & 1)
            bit_claim(picture, bit, row->value >> bit & 1 ? "1" : "0");
        if (row->ignored >> bit & 1)
            bit_claim(picture, bit, "ignored");
    }
    for (unsigned i = 0; i < form->count; i++)
        if (i < behind_guard(table, form) && e[i].kind != ISA_LITERAL) {
            field_claim(picture, &e[i].field, "guard");
            bit_claim(picture, e[i].not, "guard");
        }
    for (unsigned i = behind_guard(table, form); i < form->count; i++)
        element_claim(picture, &e[i]);
}

static bool opcode_bit(const struct picture *picture, unsigned bit)
{
    return (picture->who[bit][0] == '0' || picture->who[bit][0] == '1') && !picture->who[bit][1];
}

/* "63-51 0101110000010, 50 .SAT, ..., 7-0 Rd" */
static void picture_write(const struct picture *picture, struct text *out)
{
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

/* ---- lists --------------------------------------------------------------------------------------------------------
 */

/* A `|` would end the cell of a table. */
static void put_cell(struct text *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        text_add(out, text[i] == '|' ? "/" : &text[i], 1);
}

static void values_write(const struct isa_names *names, struct text *out)
{
    text_printf(out, "| `%s` | ", names->name);
    for (unsigned i = 0; i < names->count && i < 64; i++) {
        const char *text = names->text[i];
        text_printf(out, "%s%u ", i ? ", " : "", i);
        if (!text)
            text_puts(out, "refused");
        else if (!*text || *text == '|')
            text_puts(out, "-");
        if (text && *text) {
            text_puts(out, *text == '|' ? " `" : "`");
            put_cell(out, text + (*text == '|'), strlen(text + (*text == '|')));
            text_puts(out, "`");
        }
    }
    if (names->count > 64)
        text_puts(out, ", ...");
    if (names->rest)
        text_printf(out, ", others `%s`", names->rest);
    text_puts(out, " |\n");
}

static bool form_uses(const struct isa_table *table, const struct isa_form *form, const struct isa_names *names)
{
    const struct isa_element *e = &table->elements[form->first];
    for (unsigned i = 0; i < form->count; i++)
        if (e[i].names == names || e[i].suffix == names)
            return true;
    return false;
}

static bool listed(const struct isa_form *form, unsigned flags)
{
    static const char *const atomic[] = {"SUATOM", "SULD", "SUST", "SURED", "ATOMS", "ATOM", "RED"};
    for (unsigned i = 0; i < sizeof atomic / sizeof atomic[0]; i++)
        if (strlen(atomic[i]) == form->mnemonic_length && memcmp(atomic[i], form->mnemonic, form->mnemonic_length) == 0)
            return true;
    return !(flags & ATOLL_LIST_SURFACE);
}

static void form_markdown(const struct isa_table *table, const struct isa_form *form, struct text *out)
{
    struct picture picture;
    struct text syntax = {0};
    form_syntax(table, form, &syntax);
    text_puts(out, "| `");
    put_cell(out, syntax.bytes ? syntax.bytes : "", syntax.length);
    out->failed = out->failed || syntax.failed;
    text_free(&syntax);
    text_puts(out, "` | ");
    archs_write(form->row->archs, out);
    text_puts(out, " | ");
    picture_make(&picture, table, form);
    picture_write(&picture, out);
    text_puts(out, " |\n");
}

static void values_markdown(const struct isa_table *table, unsigned flags, struct text *out)
{
    text_puts(out, "\n### Values of fields\n\n`-`: nothing is written.\n\n| field | values |\n|---|---|\n");
    for (unsigned n = 0; n < table->family.nnames; n++) {
        bool used = false;
        for (unsigned i = 0; i < table->nforms && !used; i++)
            used = listed(&table->forms[i], flags) && form_uses(table, &table->forms[i], &table->family.names[n]);
        if (used)
            values_write(&table->family.names[n], out);
    }
}

static bool same_mnemonic(const struct isa_form *a, const struct isa_form *b)
{
    return a && a->mnemonic_length == b->mnemonic_length && memcmp(a->mnemonic, b->mnemonic, b->mnemonic_length) == 0;
}

static void table_write(const struct isa_table *table, unsigned flags, struct text *out)
{
    const struct isa_form *last = NULL;
    for (unsigned i = 0; i < table->nforms; i++) {
        const struct isa_form *form = &table->forms[table->by_name[i]];
        if (!listed(form, flags))
            continue;
        if (!(flags & ATOLL_LIST_MARKDOWN)) {
            form_syntax(table, form, out);
            text_puts(out, "\n");
            continue;
        }
        if (!same_mnemonic(last, form))
            text_printf(out, "%s### %.*s\n\n| form | SM | bits |\n|---|---|---|\n", last ? "\n" : "",
                        form->mnemonic_length, form->mnemonic);
        form_markdown(table, form, out);
        last = form;
    }
    if (flags & ATOLL_LIST_MARKDOWN)
        values_markdown(table, flags, out);
}

void sass_list(unsigned flags, struct text *out)
{
    struct isa_table table;
    if (!sass_open(&table, NULL)) {
        out->failed = true; /* no memory: the rows themselves are proven by tests */
        return;
    }
    table_write(&table, flags, out);
    isa_close(&table);
}

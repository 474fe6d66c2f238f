/* Lists of the instructions of Maxwell: how a form is written, what its bits are, what the values of its fields mean.
 */
#include "isa/sass/reference.h"
#include "base/json.h"

#include "isa/sass/parts.h"
#include "isa/sass/sass.h"

#include <string.h>

/* ---- lists ------------------------------------------------------------------------------------------------ */

/* A `|` would end the cell of a table. */
static void put_cell(struct text *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        text_add(out, text[i] == '|' ? "/" : &text[i], 1);
}

/* "`.64/.U64`"; "- `.U32/.32`" where nothing need be written. */
static void value_write(const struct isa_names *names, unsigned value, struct text *out)
{
    const char *text = names->text[value], *before = text && *text ? "/" : " `";
    text_puts(out, !text ? "refused" : *text ? "`" : "-");
    text_puts(out, text ? text : "");
    for (const struct isa_also *also = names->also; also && also->text; also++) {
        if (also->value != value)
            continue;
        text_printf(out, "%s%s", before, also->text);
        before = "/";
    }
    text_puts(out, *before == '/' ? "`" : "");
}

static void values_write(const struct isa_names *names, struct text *out)
{
    text_printf(out, "| `%s` | ", names->name);
    for (unsigned i = 0; i < names->count && i < 64; i++) {
        text_printf(out, "%s%u ", i ? ", " : "", i);
        value_write(names, i, out);
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
    return !(flags & ATOLL_LIST_SURFACE) || isa_any(form, SASS_IS_SURFACE | SASS_IS_ATOMIC);
}

static void form_markdown(const struct isa_table *table, const struct isa_form *form, struct text *out)
{
    struct text syntax = {0};
    sass_form_syntax(table, form, &syntax);
    text_puts(out, "| `");
    put_cell(out, syntax.bytes ? syntax.bytes : "", syntax.length);
    out->failed = out->failed || syntax.failed;
    text_free(&syntax);
    text_puts(out, "` | ");
    sass_archs_write(form->row->archs, out);
    text_puts(out, " | ");
    sass_bits_write(table, form, out);
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
    return a && isa_mnemonic_compare(a, b->mnemonic, b->mnemonic_length) == 0;
}

static void table_write(const struct isa_table *table, unsigned flags, struct text *out)
{
    const struct isa_form *last = NULL;
    for (unsigned i = 0; i < table->nforms; i++) {
        const struct isa_form *form = &table->forms[table->by_name[i]];
        if (!listed(form, flags))
            continue;
        if (!(flags & ATOLL_LIST_MARKDOWN)) {
            sass_form_syntax(table, form, out);
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

static void table_json(const struct isa_table *table, unsigned flags, struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '[');
    for (unsigned i = 0; i < table->nforms; i++) {
        const struct isa_form *form = &table->forms[table->by_name[i]];
        struct text syntax = {0};
        if (!listed(form, flags))
            continue;
        sass_form_syntax(table, form, &syntax);
        json_open(&json, NULL, '{');
        json_bytes(&json, "name", form->mnemonic, form->mnemonic_length);
        json_bytes(&json, "syntax", syntax.bytes, syntax.length);
        json_close(&json, '}');
        out->failed |= syntax.failed;
        text_free(&syntax);
    }
    json_close(&json, ']');
}

void sass_list(unsigned flags, struct text *out)
{
    const struct isa_table *table = sass_table(NULL);
    if (table && flags & ATOLL_LIST_JSON)
        table_json(table, flags, out);
    else if (table)
        table_write(table, flags, out);
    else
        out->failed = true; /* no memory: the rows themselves are proven by tests */
}

/* `list` for R580, and its reference (docs/ctm-reference.md): operations, and a picture of the bits of each type's
 * words. */
#include "base/json.h"
#include "isa/ctm/explain.h"
#include "isa/ctm/parse.h"

#include "atoll.h"
#include "base/text.h"

#include <string.h>

static const struct {
    const char *title, *field;
    const struct ctm_op_row *rows;
    unsigned count;
    bool surface;
} tables[] = {
    {"RGB", "RGB_OP", ctm_rgb_ops, CTM_OPS, false},
    {"alpha", "ALPHA_OP", ctm_alpha_ops, CTM_OPS, false},
    {"TEX", "INST", ctm_tex_ops, CTM_TEX_OPS, true},
    {"FC", "OP", ctm_fc_ops, CTM_FC_OPS, false},
};
enum { TABLES = sizeof tables / sizeof *tables };

/* ---- bit pictures ----------------------------------------------------------------------------------------- */

/* The field that a bit of a word belongs to; CTM_FIELDS: it is reserved. */
static enum ctm_field field_at(enum ctm_type type, unsigned word, unsigned bit)
{
    for (unsigned f = 0; f < CTM_FIELDS; f++)
        if (ctm_fields[f].word == word && ctm_field_of((enum ctm_field)f, type) && bit >= ctm_fields[f].low &&
            bit <= ctm_fields[f].high)
            return (enum ctm_field)f;
    return CTM_FIELDS;
}

static void put_values(enum ctm_field field, struct text *out)
{
    const char *const *values = ctm_field_values(field);
    unsigned most = UINT32_MAX >> (31 - ctm_fields[field].high + ctm_fields[field].low);
    for (unsigned i = 0; values && values[i] && i <= most; i++)
        text_printf(out, "%s%u %s", i ? "; " : ": ", i, values[i]);
}

static void put_range(unsigned high, unsigned low, struct text *out)
{
    if (high == low)
        text_printf(out, "| %u | ", high);
    else
        text_printf(out, "| %u:%u | ", high, low);
}

/* A table of one word's bits, from the highest on, as the words are drawn. */
static void put_word(enum ctm_type type, unsigned word, struct text *out)
{
    for (int high = 31; high >= 0;) {
        enum ctm_field field = field_at(type, word, (unsigned)high);
        int low = high;
        while (field == CTM_FIELDS ? low > 0 && field_at(type, word, (unsigned)low - 1) == CTM_FIELDS
                                   : low > ctm_fields[field].low)
            low--;
        put_range((unsigned)high, (unsigned)low, out);
        if (field == CTM_FIELDS) {
            text_puts(out, "- | reserved |\n");
        } else {
            text_printf(out, "`%s` | %s", ctm_fields[field].name, ctm_field_means(field));
            put_values(field, out);
            text_puts(out, " |\n");
        }
        high = low - 1;
    }
}

static void put_pictures(struct text *out)
{
    static const struct {
        enum ctm_type type;
        unsigned from, to;
        const char *title;
    } pictures[] = {
        {CTM_TYPE_ALU, 0, 0, "Words of all types"},
        {CTM_TYPE_ALU, 1, 5, "ALU and OUTPUT"},
        {CTM_TYPE_TEX, 1, 3, "TEX"},
        {CTM_TYPE_FC, 2, 3, "FC"},
    };
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
        for (unsigned word = pictures[i].from; word <= pictures[i].to; word++) {
            text_printf(out, "\n### %s, W%u\n\n| bits | field | meaning |\n|---|---|---|\n", pictures[i].title, word);
            put_word(pictures[i].type, word, out);
        }
}

/* ---- operations ------------------------------------------------------------------------------------------- */

static void put_choices(struct text *out)
{
    text_puts(out, "\n### Choices\n\n| of | choice (how sure) |\n|---|---|\n");
    for (unsigned t = 0; t < TABLES; t++)
        for (unsigned i = 0; i < tables[t].count; i++)
            if (tables[t].rows[i].guide && ctm_choice(tables[t].rows[i].guide))
                text_printf(out, "| `%s` | %s |\n", tables[t].rows[i].guide, ctm_choice(tables[t].rows[i].guide));
    for (unsigned f = 0; f < CTM_FIELDS; f++)
        if (ctm_choice(ctm_fields[f].name))
            text_printf(out, "| `%s` | %s |\n", ctm_fields[f].name, ctm_choice(ctm_fields[f].name));
    for (unsigned s = CTM_RAW + 1; s < CTM_STATEMENTS; s++)
        if (ctm_choice(ctm_statement_names[s]))
            text_printf(out, "| `%s` | %s |\n", ctm_statement_names[s], ctm_choice(ctm_statement_names[s]));
}

static void list_json(unsigned flags, struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '[');
    for (unsigned t = 0; t < TABLES; t++)
        for (unsigned i = 0; i < tables[t].count && !(flags & ATOLL_LIST_SURFACE && !tables[t].surface); i++) {
            const struct ctm_op_row *row = &tables[t].rows[i];
            json_open(&json, NULL, '{');
            json_string(&json, "unit", tables[t].title);
            json_number(&json, "opcode", i);
            json_string(&json, "name", row->name);
            if (row->guide)
                json_string(&json, "guide", row->guide);
            json_string(&json, "summary", row->means);
            json_close(&json, '}');
        }
    json_close(&json, ']');
}

void ctm_list(unsigned flags, struct text *out)
{
    bool markdown = flags & ATOLL_LIST_MARKDOWN;
    if (flags & ATOLL_LIST_JSON) {
        list_json(flags, out);
        return;
    }
    for (unsigned t = 0; t < TABLES; t++) {
        if (flags & ATOLL_LIST_SURFACE && !tables[t].surface)
            continue;
        if (markdown)
            text_printf(out, "%s### Operations of %s\n\n| %s | text | guide | meaning |\n|---|---|---|---|\n",
                        t ? "\n" : "", tables[t].title, tables[t].field);
        for (unsigned i = 0; i < tables[t].count; i++) {
            const struct ctm_op_row *row = &tables[t].rows[i];
            const char *guide = row->guide ? row->guide : "-";
            if (markdown)
                text_printf(out, "| %u | `%s` | %s | %s |\n", i, row->name, guide, row->means);
            else
                text_printf(out, "%-5s %2u  %-15s  %-24s  %s\n", tables[t].title, i, row->name, guide, row->means);
        }
    }
    if (markdown) {
        put_pictures(out);
        put_choices(out);
    }
}

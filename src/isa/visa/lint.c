/* Proofs of the rows: rows of one opcode are told apart, every operand is written once, what is made of noise reads
 * back from its bytes and from its text. */
#include "isa/visa/family.h"
#include "isa/visa/stream.h"

#include <string.h>

/* What composites of the text write: roles, with blanks between. */
static const struct {
    const char *name, *roles;
} composites[] = {
    {"P", ""},
    {"E", ""},
    {"sat", ""},
    {"cache", "sfid l1 l3"},
    {"shape", "data order elems channels"},
    {"shape2d", "data order blocks width height vnni"},
    {"address", "model scale offset asize surface base pitch"},
    {"texel", "model asize surface u v r lod"},
    {"target", "model surface"},
    {"address2d", "base w h pitch x y"},
};

/* Fields that no text has: they are what the tool always writes (docs/visa.md, "Forms"). */
static const char *const unwritten[] = {"scale", "block", "count", "asize", "data", "order", "elems", "channels", "u",
                                        "v",     "r",     "lod",   "src1",  "src2", "dst",   "l1",    "l3"};

static unsigned break_add(struct text *out, const struct visa_form *form, const char *what, const char *role)
{
    text_printf(out, "%s (0x%02X): %s %s\n", form->row->name, form->row->opcode, role, what);
    return 1;
}

static bool piece_writes(const struct visa_form *form, const struct visa_piece *piece, unsigned field)
{
    if (piece->code == VISA_PIECE_FIELD)
        return piece->field == field;
    for (size_t i = 0; piece->code == VISA_PIECE_OWN && i < sizeof composites / sizeof *composites; i++)
        if (strlen(composites[i].name) == piece->length && memcmp(composites[i].name, piece->text, piece->length) == 0)
            return text_list_has(composites[i].roles, form->fields[field].role, strlen(form->fields[field].role));
    return false;
}

static bool may_be_unwritten(const char *role)
{
    for (size_t i = 0; i < sizeof unwritten / sizeof *unwritten; i++)
        if (strcmp(unwritten[i], role) == 0)
            return true;
    return false;
}

static unsigned lint_fields(const struct visa_form *form, struct text *out)
{
    unsigned breaks = 0;
    for (unsigned f = 0; f < form->nfields; f++) {
        const char *role = form->fields[f].role;
        unsigned written = 0;
        for (unsigned i = 0; i < form->npieces; i++)
            written += piece_writes(form, &form->pieces[i], f);
        if (*role && written > 1)
            breaks += break_add(out, form, "is written twice", role);
        if (*role && !written && !may_be_unwritten(role))
            breaks += break_add(out, form, "is not written", role);
        for (unsigned k = 0; *role && k < f; k++)
            if (strcmp(form->fields[k].role, role) == 0)
                breaks += break_add(out, form, "is there twice", role);
    }
    return breaks;
}

static unsigned lint_opcode(const struct visa_table *table, const struct visa_form *form, struct text *out)
{
    unsigned breaks = 0;
    for (unsigned n = form->next; n; n = table->forms[n - 1].next) {
        const struct visa_form *other = &table->forms[n - 1];
        if (other->sub_at != form->sub_at || other->sub == form->sub || form->sub_at < 0)
            breaks += break_add(out, form, "has this opcode, too", other->row->name);
    }
    return breaks;
}

unsigned visa_lint(const struct visa_table *table, struct text *out)
{
    unsigned breaks = 0;
    for (unsigned i = 0; i < VISA_ROWS; i++)
        breaks += lint_fields(&table->forms[i], out) + lint_opcode(table, &table->forms[i], out) +
                  visa_lint_noise(table, &table->forms[i], out);
    return breaks;
}

/* What `explain` says of atomic operations. Rules: docs/visa.md, "Atomics". */
#include "isa/visa/check_inner.h"
#include "isa/visa/explain_inner.h"

#include <string.h>

const struct visa_atomic *visa_explained_atomics(const struct visa_form *form)
{
    if (!(form->row->is & VISA_IS_ATOMIC))
        return NULL;
    return form->row->is & VISA_IS_LSC ? visa_lsc_atomics : visa_atomics;
}

/* ---- operations ------------------------------------------------------------------------------------------- */

static void put_width(struct text *out, unsigned bits)
{
    if (bits == 16 || bits == 64)
        text_printf(out, ".%u", bits);
}

static void put_operation(struct text *out, const struct visa_form *form, unsigned op, unsigned bits)
{
    const struct visa_atomic *atomic = &visa_explained_atomics(form)[op];
    bool lsc = form->row->is & VISA_IS_LSC;
    text_printf(out, "%s", form->row->name);
    if (!lsc) {
        text_printf(out, ".%s", atomic->name);
        put_width(out, bits);
    }
    text_printf(out, "   (operation %u%s%s)\n  memory = %s\n  dst = %s\n", op, atomic->page ? "; the page: " : "",
                atomic->page ? atomic->page : "", atomic->formula, atomic->gives_new ? atomic->formula : "old");
}

static void put_line(struct text *out, const struct visa_atomic *atomic, unsigned op)
{
    text_printf(out, "%2u .%-8s memory = %s; dst = %s\n", op, atomic->name, atomic->formula,
                atomic->gives_new ? atomic->formula : "old");
}

void visa_explain_operations(const struct visa_form *form, unsigned op, unsigned bits, struct text *out)
{
    const struct visa_atomic *atomics = visa_explained_atomics(form);
    if (op < VISA_ATOMICS) {
        put_operation(out, form, op, bits);
        return;
    }
    for (unsigned i = 0; i < VISA_ATOMICS; i++)
        if (atomics[i].name)
            put_line(out, &atomics[i], i);
}

/* ---- operands --------------------------------------------------------------------------------------------- */

/* As registers hold it: 16 bits are the lower halves of dwords. */
static const char *type_of(const struct visa_atomic *atomic, unsigned bits)
{
    static const char *const types[VISA_ATOMIC_KINDS][2] = {{"ud", "uq"}, {"d", "q"}, {"f", "df"}};
    return types[atomic->kind][bits == 64];
}

static const char *half_of(const struct visa_atomic *atomic)
{
    static const char *const types[VISA_ATOMIC_KINDS] = {"uw", "w", "hf"};
    return types[atomic->kind];
}

static void put_source(struct text *out, const struct visa_atomic *atomic, const char *role, const char *type)
{
    if (atomic->data && strcmp(atomic->data, role) == 0)
        text_printf(out, "%s: %s, %s\n", role, type, atomic->compare ? "what is stored" : "the operand");
    else if (atomic->compare && strcmp(atomic->compare, role) == 0)
        text_printf(out, "%s: %s, what is compared with\n", role, type);
    else
        text_printf(out, "%s: %%null\n", role);
}

static void put_coordinates(struct text *out)
{
    text_puts(out, "u, v, r, lod: ud, null is 0; of a surface that is\n"
                   "  1D          u = x\n"
                   "  1D array    u = x, v = layer\n"
                   "  2D          u = x, v = y\n"
                   "  2D array    u = x, v = y, r = layer\n"
                   "  3D          u = x, v = y, r = z\n"
                   "  lod = the level\n");
}

void visa_explain_operands(const struct visa_form *form, unsigned op, unsigned bits, struct text *out)
{
    const struct visa_atomic *atomic = op < VISA_ATOMICS ? &visa_explained_atomics(form)[op] : NULL;
    enum visa_row_id id = visa_row_id(form->row);
    bool lsc = form->row->is & VISA_IS_LSC;
    if (form->row->is & VISA_IS_SURFACE)
        put_coordinates(out);
    else if (id == VISA_ROW_dword_atomic)
        text_printf(out, "offsets: ud, bytes in the surface, a multiple of %u\n", bits == 16 ? 2 : 4);
    else
        text_printf(out, "%s, bytes, a multiple of the value's\n", lsc ? "address: by its model" : "address: uq");
    for (unsigned i = 0; atomic && i < 2; i++)
        put_source(out, atomic, (lsc ? (const char *[]){"src1", "src2"} : (const char *[]){"src0", "src1"})[i],
                   type_of(atomic, bits));
    if (atomic)
        text_printf(out, "dst: %s; %%null: not wanted\n", type_of(atomic, bits));
    if (atomic && bits == 16)
        text_printf(out, "of 16 bits: the lower half of each dword, as %s; the upper half of dst is 0\n",
                    half_of(atomic));
}

void visa_explain_channels(const struct visa_form *form, struct text *out)
{
    text_puts(out,
              "for each channel that runs, from the lowest up: old = memory; memory and dst as above, in one step\n"
              "elements of dst of other channels stay; all sources are read before dst is written\n");
    if (form->row->is & VISA_IS_SURFACE)
        text_puts(out, "outside of the surface - a coordinate not below the extent of the level, unsigned - nothing is "
                       "written, dst = 0\nno format is converted: the bits of the texel\n");
    else if (visa_row_id(form->row) == VISA_ROW_dword_atomic)
        text_puts(out, "outside of the surface nothing is written, dst = 0\n");
}

/* ---- platforms -------------------------------------------------------------------------------------------- */

static void put_since(struct text *out, unsigned first)
{
    if (first)
        text_printf(out, "%s and later:", visa_platforms[first].name);
    else
        text_puts(out, "all:");
    for (unsigned i = first; i < VISA_PLATFORMS; i++)
        text_printf(out, " %s", visa_platforms[i].name);
    text_puts(out, "\n");
}

void visa_explain_platforms(const struct visa_form *form, unsigned op, unsigned bits, struct text *out)
{
    const struct visa_atomic *atomics = visa_explained_atomics(form);
    enum visa_row_id id = visa_row_id(form->row);
    bool typed = id == VISA_ROW_typed_atomic, all = op == VISA_ATOMICS;
    put_since(out, visa_rule(form->row)->first);
    if (!atomics || form->row->is & VISA_IS_LSC)
        return;
    if (bits == 16 || all)
        text_puts(out, ".16: TGLLP and later; Intel's tool makes another message of it before\n");
    if (typed && (all || atomics[op].kind == VISA_ATOMIC_FLOAT))
        text_puts(out,
                  "fmax, fmin, fcmpwr, fadd, fsub: no machine has them for texels: Intel's tool makes and, or, xor, "
                  "xchg, inc of them\n");
    if (typed)
        text_puts(out,
                  "8 channels, that begin at M1, M3, M5 or M7; formats r32uint, r32sint, of .16 r16uint, r16sint\n");
    if (op < VISA_ATOMICS && atomics[op].gives_new)
        text_puts(out, "Intel's tool has no word for it: it reads it from bytes\n");
}

/* What surface instructions do, in words and formulas. The rules are those of mem/surface.h; where they come from is
 * said with each (PTX ISA text; RTX 3060 measurement; read from the code that ptxas makes; named choice). */
#include "isa/ptx/explain.h"
#include "isa/ptx/surface.h"

static unsigned element_bytes(const struct ptx_form *form)
{
    return ptx_type_bits(form->types[0]) / 8;
}

static const char *type_name(const struct ptx_form *form)
{
    return ptx_keyword_text((enum ptx_keyword)form->types[0]);
}

static void operands(const struct explained *x, struct text *out)
{
    const struct ptx_form *form = x->form;
    bool load = form->row == &ptx_row_suld;
    const struct geometry *geometry = geometry_find(form->geom);
    const char *kind = ptx_type_kind(form->types[0]) == 'b' ? "of any class" : "of integers";
    if (form->vec == 1)
        text_printf(out, "%s: one register of at least %u bits, %s%s\n", load ? "d" : "c", element_bytes(form) * 8,
                    kind,
                    load ? "; a wider one is zero-extended" : ", or a constant; of a wider one the low bits count");
    else
        text_printf(out, "%s: a vector of %u registers of at least %u bits%s\n", load ? "d" : "c", form->vec,
                    element_bytes(form) * 8, load ? ", or '_'; wider ones are zero-extended" : " or constants");
    text_puts(out, "a: the name of a .surfref, or a 64-bit register with a surface handle\n");
    text_printf(out, "b: %s, 32-bit integers; a vector of %s4 is needed%s\n", geometry->vector,
                geometry->least == 1   ? "1, 2 or "
                : geometry->least == 2 ? "2 or "
                                       : "",
                geometry->coordinates == 1 ? " (or one register)" : "");
}

static void address(const struct explained *x, struct text *out)
{
    const struct ptx_form *form = x->form;
    const struct geometry *geometry = geometry_find(form->geom);
    bool formatted = ptx_form_has(form, PTX_p);
    text_puts(out, "address = texels + ");
    if (geometry->coordinates > 2 || form->geom == PTX_a1d)
        text_printf(out, "%s * slice_pitch + ", form->geom == PTX__3d ? "z" : "layer");
    if (geometry->coordinates > 1 && form->geom != PTX_a1d)
        text_puts(out, "y * pitch + ");
    if (!formatted)
        text_puts(out, "x   (x in bytes, not scaled)\n");
    else if (form->row == &ptx_row_sured)
        text_printf(out, "x * %u   (x in elements of .%s)\n", element_bytes(form), type_name(form));
    else
        text_puts(out, "x * bytes of a texel   (x in texels)\n");
    if (form->geom == PTX_a1d || form->geom == PTX_a2d)
        text_puts(out, "the layer is an unsigned number of 16 bits: -1 is 65535, 65536 is 0\n");
}

static void load_effect(const struct explained *x, struct text *out)
{
    const struct ptx_form *form = x->form;
    if (form->vec == 1)
        text_printf(out, "d = %s[address]\n", type_name(form));
    else
        text_printf(out, "d[i] = %s[address + %u * i]   for i = 0..%u; little-endian\n", type_name(form),
                    element_bytes(form), form->vec - 1);
    text_puts(out, "no conversion: the texel's bits as they are\n");
}

static void store_effect(const struct explained *x, struct text *out)
{
    const struct ptx_form *form = x->form;
    if (!ptx_form_has(form, PTX_p)) {
        if (form->vec == 1)
            text_printf(out, "%s[address] = low bits of c\n", type_name(form));
        else
            text_printf(out, "%s[address + %u * i] = low bits of c[i]   for i = 0..%u\n", type_name(form),
                        element_bytes(form), form->vec - 1);
        return;
    }
    static const char *const lanes[] = {"", "R", "R, G", "", "R, G, B, A"};
    text_printf(out, "texel[address] = format(c)   with c as %s; missing channels are 0 (RTX 3060 measurement)\n",
                lanes[form->vec]);
    text_puts(out, "UINT formats take u32 and limit it to their range, SINT s32; FLOAT32 takes the bits;\n"
                   "FLOAT16 rounds f32 towards zero and limits it to +-65504 (RTX 3060 measurement);\n"
                   "UNORM and SNORM: NaN is 0, limited to [0,1] or [-1,1], then rint(v * largest) (named choice)\n");
}

static void reduce_effect(const struct explained *x, struct text *out)
{
    const struct ptx_form *form = x->form;
    static const struct {
        uint16_t op;
        const char *formula;
    } formulas[] = {{PTX_add, "old + c (wraps)"},
                    {PTX_min, "min(old, c)"},
                    {PTX_max, "max(old, c)"},
                    {PTX_and, "old & c"},
                    {PTX_or, "old | c"}};
    for (unsigned i = 0; i < sizeof(formulas) / sizeof(formulas[0]); i++)
        if (formulas[i].op == form->op)
            text_printf(out, "%s[address] = %s   in one indivisible step; no result\n", type_name(form),
                        formulas[i].formula);
    if (ptx_form_has(form, PTX_p) && (form->op == PTX_min || form->op == PTX_max))
        text_puts(out, "signed when the surface's format is SINT, else unsigned\n");
}

static void bounds(const struct explained *x, struct text *out)
{
    const struct ptx_form *form = x->form;
    bool load = form->row == &ptx_row_suld;
    text_puts(out, "the access as a whole counts: one byte out of the row, or a row or slice that is not there\n");
    if (ptx_form_has(form, PTX_trap))
        text_puts(out, ".trap: the launch stops, naming block, thread and coordinates\n");
    else if (ptx_form_has(form, PTX_clamp))
        text_puts(out, ".clamp: each coordinate moves to the nearest one that is there; x to the last place where the "
                       "whole\naccess fits (RTX 3060 measurement)\n");
    else
        text_printf(out, ".zero: %s\n", load ? "all elements are 0" : "nothing is written");
}

static void alignment(const struct explained *x, struct text *out)
{
    const struct ptx_form *form = x->form;
    unsigned bytes = element_bytes(form) * form->vec;
    if (ptx_form_has(form, PTX_p))
        text_puts(out, "x counts elements, so every access is aligned\n");
    else if (bytes > 1)
        text_printf(out, "x must be a multiple of %u; else the launch stops under every clamp (RTX 3060 measurement)\n",
                    bytes);
}

static void choices(const struct explained *x, struct text *out)
{
    const struct ptx_form *form = x->form;
    if (geometry_find(form->geom)->coordinates > 1)
        text_puts(out,
                  "one register for b: ptxas takes it and leaves the other coordinates to chance; here they are 0\n");
    if (form->vec == 1 && form->row != &ptx_row_sured)
        text_printf(out, "a vector of 2 or 4 without .vec: one element, %s\n",
                    form->row == &ptx_row_suld ? "given to every register" : "the first");
}

static void order(const struct explained *x, struct text *out)
{
    text_puts(out, x->form->row == &ptx_row_sured ? "relaxed, at system scope (read from the code that ptxas makes)\n"
                                                  : "weak: no order with other threads (PTX ISA)\n");
}

static void effect(const struct explained *x, struct text *out)
{
    if (x->form->row == &ptx_row_suld)
        load_effect(x, out);
    else if (x->form->row == &ptx_row_sust)
        store_effect(x, out);
    else
        reduce_effect(x, out);
}

const struct family_fact ptx_surface_facts[] = {
    PTX_FACTS_FIRST,    {"operands", operands},     {"address", address},
    {"effect", effect}, {"out of bounds", bounds},  {"alignment", alignment},
    {"order", order},   {"named choices", choices}, PTX_FACTS_LAST,
};

static void query_operands(const struct explained *x, struct text *out)
{
    (void)x;
    text_puts(out, "d: a 32-bit register\na: the name of a .surfref, or a 64-bit register with a surface handle\n");
}

static void query_effect(const struct explained *x, struct text *out)
{
    (void)x;
    text_puts(out, "d = the attribute of the bound surface; without one, what the .surfref's initialiser gives\n");
}

const struct family_fact ptx_query_facts[] = {
    PTX_FACTS_FIRST, {"operands", query_operands}, {"effect", query_effect}, PTX_FACTS_LAST};

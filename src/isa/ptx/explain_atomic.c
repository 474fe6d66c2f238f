/* What atom, red and red.async do, in words and formulas. The rules are those of mem/atomic.h. */
#include "isa/ptx/explain.h"

#include <stdio.h>

static const char *type_name(const struct ptx_form *form)
{
    return ptx_keyword_text((enum ptx_keyword)form->types[0]);
}

static void operands(const struct explained *x, struct text *out)
{
    const struct ptx_form *form = x->form;
    char number[40] = "one register";
    if (form->vec > 1)
        snprintf(number, sizeof(number), "a vector of %u registers", form->vec);
    unsigned bits = ptx_type_bits(form->types[0]);
    if (form->row == &ptx_row_atom)
        text_printf(out, "d: %s of %u bits for the old value, or '_'\n", number, bits);
    text_puts(out, "a: [register], [register+constant], [variable] or [variable+constant]\n");
    text_printf(out, "b: %s of exactly %u bits%s\n", number, bits,
                ptx_type_kind(form->types[0]) == 'f' && form->types[0] != PTX_f32 && form->types[0] != PTX_f64
                    ? ""
                    : ", or a constant");
    if (form->op == PTX_cas)
        text_puts(out, "c: as b\n");
    if (ptx_form_has(form, PTX_mbarrier__complete_tx__bytes))
        text_puts(out, "mbarrier: its address, in the same space\n");
    if (ptx_form_has(form, PTX_L2__cache_hint))
        text_puts(out, "policy: a 64-bit register; no effect here\n");
}

static void effect(const struct explained *x, struct text *out)
{
    const struct ptx_form *form = x->form;
    static const struct {
        uint16_t op;
        const char *formula;
    } formulas[] = {
        {PTX_add, "old + b"},
        {PTX_min, "min(old, b)"},
        {PTX_max, "max(old, b)"},
        {PTX_and, "old & b"},
        {PTX_or, "old | b"},
        {PTX_xor, "old ^ b"},
        {PTX_exch, "b"},
        {PTX_inc, "old >= b ? 0 : old + 1"},
        {PTX_dec, "old == 0 || old > b ? b : old - 1"},
        {PTX_cas, "old == b ? c : old   (bits are compared)"},
    };
    const char *type = type_name(form);
    text_printf(out, "old = %s[a]; ", type);
    for (unsigned i = 0; i < sizeof(formulas) / sizeof(formulas[0]); i++)
        if (formulas[i].op == form->op)
            text_printf(out, "%s[a] = %s", type, formulas[i].formula);
    text_puts(out, form->row == &ptx_row_atom ? "; d = old\n" : "\n");
    if (form->vec > 1)
        text_printf(out, "for each of the %u elements, one behind the other; each is indivisible, the vector is not\n",
                    form->vec);
    char kind = ptx_type_kind(form->types[0]);
    if (form->op == PTX_add && kind != 'f')
        text_puts(out, "the sum wraps\n");
    if (kind == 'f' && form->op != PTX_add)
        text_puts(out, "NaN loses against a number; -0 is below +0 (PTX ISA, min)\n");
    if (kind == 'f' && form->op == PTX_add)
        text_puts(out, "rounds to nearest, ties to even\n");
    if (form->types[0] == PTX_f32)
        text_puts(out,
                  "in global memory subnormal inputs and results become zeros of their sign, in shared memory they "
                  "are kept;\na generic address follows the memory it leads to (PTX ISA; read from ptxas's code)\n");
}

static void alignment(const struct explained *x, struct text *out)
{
    unsigned bytes = ptx_type_bits(x->form->types[0]) / 8 * x->form->vec;
    text_printf(out, "a must be a multiple of %u; else the launch stops\n", bytes);
}

static void order(const struct explained *x, struct text *out)
{
    text_printf(out, "%s%s\n", x->form->order == 0 ? "relaxed, as nothing is written" : "as written",
                x->form->scope == 0 ? "; scope .gpu, as nothing is written" : "");
}

static void choices(const struct explained *x, struct text *out)
{
    if (ptx_form_has(x->form, PTX_async))
        text_puts(out, "done at once, in the place of the instruction; a program may not count on it\n");
    if (ptx_form_has(x->form, PTX_mbarrier__complete_tx__bytes))
        text_puts(out, "a cluster is one block: addresses are those of the block's own shared memory\n");
}

const struct family_fact ptx_atomic_facts[] = {
    PTX_FACTS_FIRST,  {"operands", operands},     {"effect", effect}, {"alignment", alignment},
    {"order", order}, {"named choices", choices}, PTX_FACTS_LAST,
};

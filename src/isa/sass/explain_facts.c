/* What is known about an instruction beyond its bits: addresses, bounds, alignment, contention, choices. The rules are
 * those of lower_*.c, mem/surface.h and mem/space.h. */
#include "isa/sass/explain.h"

#include "isa/sass/meaning.h"
#include "isa/sass/rules.h"
#include "lane/lane.h"

#include <string.h>

/* The instruction is all that these bits of enum sass_class say; any of it. */
static bool is(const struct explained *x, uint32_t class)
{
    return isa_all(x->form, class);
}

static bool any(const struct explained *x, uint32_t class)
{
    return isa_any(x->form, class);
}

/* It loads, or tells the old value: not so stores and reductions. */
static bool has_result(const struct explained *x)
{
    return x->form->role[SASS_ROLE_Rd];
}

/* Whether names have a value; of a mnemonic alone nothing is known. */
static bool may_be(const struct explained *x, enum sass_role label, unsigned value)
{
    return !x->word || isa_value(x->table, x->form, x->word, label, UINT32_MAX) == value;
}

static bool may_have(const struct explained *x, enum sass_role role)
{
    return !x->word || x->form->role[role];
}

/* Bytes of an element; 0 where the modifiers are not known. */
static unsigned element_bytes(const struct explained *x)
{
    return x->word ? sass_element_bytes(x->table, x->form, x->word) : 0;
}

/* ---- addresses ------------------------------------------------------------------------------------------------- */

/* The instruction reference of SUATOM; without a word, what holds of each dimension. */
static void coordinate_signs(const struct explained *x, struct text *out)
{
    static const char *const axes[] = {"x", "", "x", "x and y", "x and y", "x, y and z"};
    unsigned dim = x->word ? isa_value(x->table, x->form, x->word, SASS_ROLE_dim, 0) : 0;
    bool near = may_be(x, SASS_ROLE_clamp, SASS_CLAMP_NEAR);
    if (!x->word)
        text_puts(out, "x, y, z: signed, 32 bits; a layer: unsigned, 16 bits; x of 1D_BUFFER: signed under .NEAR, "
                       "else unsigned\n");
    else if (dim == LANE_DIM_1D_BUFFER)
        text_printf(out, "x: %s, 32 bits (of 1D_BUFFER: signed under .NEAR, else unsigned)\n",
                    near ? "signed" : "unsigned");
    else if (dim < sizeof axes / sizeof *axes)
        text_printf(out, "%s: signed, 32 bits%s\n", axes[dim],
                    dim == LANE_DIM_1D_ARRAY || dim == LANE_DIM_2D_ARRAY ? "; the layer: unsigned, 16 bits" : "");
}

static void surface_address(const struct explained *x, struct text *out)
{
    static const char *const places[] = {"x of the only row",
                                         "x of the buffer",
                                         "x of layer Ra+1",
                                         "x of row Ra+1",
                                         "x of row Ra+1, layer Ra+2",
                                         "x of row Ra+1, slice Ra+2",
                                         "x, the dimension is reserved",
                                         "x, the dimension is reserved"};
    if (x->word)
        text_printf(out, "texel at %s, x = Ra\n", places[isa_value(x->table, x->form, x->word, SASS_ROLE_dim, 0) & 7]);
    else
        text_puts(out, "coordinates from Ra up: x; x, layer; x, y; x, y, layer; x, y, z (a layer: its low 16 bits)\n");
    if (!x->word)
        text_puts(out, ".D: byte x * size of the element; .D.BA: byte x; .P: texel x, converted by the format\n");
    else if (!x->form->role[SASS_ROLE_size]) /* .P */
        text_puts(out, "x counts texels; values are converted by the surface's format\n");
    else if (isa_has(x->table, x->form, x->word, SASS_MOD_BA))
        text_puts(out, "x counts bytes: byte x of the row (.BA)\n");
    else
        text_printf(out, "x counts elements: byte x * %u of the row\n", element_bytes(x));
    if (may_have(x, SASS_ROLE_Header))
        text_puts(out, "handle = c[bank][4 * number]: a word of the bank that the module names (CUDA: 0)\n");
    if (may_have(x, SASS_ROLE_Rc))
        text_puts(out, "handle = Rc\n");
    coordinate_signs(x, out);
    text_puts(out, "texture header = table[handle & 0xfffff]; the sampler in bits 31-20 is not looked at\n"
                   "pitch: base + y * pitch + x; block-linear: GOBs of 64 bytes x 8 rows, in blocks (docs/maxwell.md: "
                   "Memory layouts)\n");
}

static void address(const struct explained *x, struct text *out)
{
    if (any(x, SASS_IS_SURFACE))
        surface_address(x, out);
    else if (is(x, SASS_IS_SHARED | SASS_IS_ATOMIC))
        text_puts(out, "S[Ra + offset], offset = 4 * a signed number of 22 bits; Ra = RZ: the unsigned offset alone\n"
                       "bank = address >> 2 & 31\n");
    else if (any(x, SASS_IS_SHARED | SASS_IS_LOCAL))
        text_puts(out, "Ra + signed offset; Ra = RZ: the unsigned offset alone\n");
    else if (any(x, SASS_IS_GLOBAL | SASS_IS_GENERIC))
        text_puts(out,
                  ".E: {Ra+1:Ra} + signed offset; without: Ra + offset, 32 bits; Ra = RZ: the unsigned offset alone\n");
    else if (any(x, SASS_IS_BANK))
        text_puts(out, "c[bank][Ra + signed offset], in bytes; bank 0 from 0x140: the parameters\n");
    if (any(x, SASS_IS_GENERIC))
        text_puts(out, "generic: the 16 MB windows at c[0x0][0x0] and c[0x0][0x4] are shared and local memory\n");
}

/* What SUATOM and SULD do where a page is missing, and SUATOM in helper lanes. */
static void sparse_effect(const struct explained *x, struct text *out)
{
    bool result = any(x, SASS_IS_SURFACE) && has_result(x), atomic = result && any(x, SASS_IS_ATOMIC);
    if (result && may_have(x, SASS_ROLE_Ps))
        text_printf(out,
                    "Ps (SM 5.2, 5.3) = true where the access hit a page that is not valid: the result is 0%s; false "
                    "elsewhere, out of bounds too\n",
                    atomic ? ", nothing is written" : "");
    if (atomic)
        text_puts(out,
                  "helper lanes of pixel shaders (atoll run --helper-lanes) do nothing: Rd and Ps keep their values\n");
}

static void bounds(const struct explained *x, struct text *out)
{
    if (any(x, SASS_IS_SHARED))
        text_puts(out, "past the block's shared memory: the launch stops\n");
    else if (any(x, SASS_IS_MEMORY))
        text_puts(out, "where no memory is: the launch stops, naming block, thread and address\n");
    if (!any(x, SASS_IS_SURFACE))
        return;
    text_puts(out, "against width, height, depth or number of layers of the header\n");
    if (may_be(x, SASS_ROLE_clamp, SASS_CLAMP_IGN))
        text_printf(out, ".IGN: %s\n",
                    !has_result(x)           ? "nothing is written"
                    : any(x, SASS_IS_ATOMIC) ? "nothing is written; the result is 0"
                                             : "the result is 0");
    if (may_be(x, SASS_ROLE_clamp, SASS_CLAMP_NEAR))
        text_puts(out, ".NEAR (not written): each coordinate moves to the nearest one that is there\n");
    if (may_be(x, SASS_ROLE_clamp, SASS_CLAMP_TRAP))
        text_puts(out, ".TRAP: the launch stops, naming block, thread and coordinates\n");
    text_puts(out, "a handle of no header: the launch stops; a disabled surface: as .IGN, everywhere\n");
}

static void alignment(const struct explained *x, struct text *out)
{
    unsigned bytes = element_bytes(x);
    if (any(x, SASS_IS_SURFACE)) {
        if (!x->word)
            text_puts(out,
                      ".BA: x must be a multiple of the element's size; else the launch stops under every clamp\n");
        else if (isa_has(x->table, x->form, x->word, SASS_MOD_BA) && bytes > 1)
            text_printf(out, "x must be a multiple of %u; else the launch stops under every clamp\n", bytes);
        else
            text_puts(out, "x counts elements or texels: every access is aligned\n");
        return;
    }
    if (!any(x, SASS_IS_MEMORY))
        return;
    if (!x->word)
        text_puts(out, "the address must be a multiple of the size; else the launch stops\n");
    else if (bytes > 1)
        text_printf(out, "the address must be a multiple of %u; else the launch stops\n", bytes);
}

/* ---- atomics ---------------------------------------------------------------------------------------------- */

static const char *const formulas[] = {
    [SASS_OP_ADD] = "old + data",
    [SASS_OP_MIN] = "min(old, data)",
    [SASS_OP_MAX] = "max(old, data)",
    [SASS_OP_INC] = "old >= data ? 0 : old + 1",
    [SASS_OP_DEC] = "old == 0 || old > data ? data : old - 1",
    [SASS_OP_AND] = "old & data",
    [SASS_OP_OR] = "old | data",
    [SASS_OP_XOR] = "old ^ data",
    [SASS_OP_EXCH] = "data",
};

static const char *place_of(const struct explained *x)
{
    return any(x, SASS_IS_SHARED) ? "S[address]" : any(x, SASS_IS_SURFACE) ? "texel[address]" : "M[address]";
}

/* Compare and swap; the registers are those of the form. */
static void swap_effect(const struct explained *x, struct text *out)
{
    const char *place = place_of(x);
    bool flag = isa_value(x->table, x->form, x->word, SASS_ROLE_castkind, SASS_CAS) != SASS_CAS,
         wide = element_bytes(x) == 8;
    bool compares = may_have(x, SASS_ROLE_Rb), swaps = any(x, SASS_IS_SURFACE) || may_have(x, SASS_ROLE_Rx);
    const char *compare = !compares ? "0" : wide ? "{Rb+1:Rb}" : "Rb";
    const char *swap = !swaps ? "0" : !compares ? "Rb" : wide ? "{Rb+3:Rb+2}" : "Rb+1";
    text_printf(out, "old = %s; if (old == %s) %s = %s; ", place, compare, place, swap);
    text_printf(out, flag ? "%s = the swap was made ? 1 : 0; the old value is not told\n" : "%s = old\n",
                wide ? "{Rd+1:Rd}" : "Rd");
    if (may_be(x, SASS_ROLE_castkind, SASS_CAST_SPIN))
        text_puts(out, "by one lane of those whose addresses lie in one bank; the others get 0 and touch nothing\n");
}

/* False: not an atomic whose operation is known. */
static bool atomic_effect(const struct explained *x, struct text *out)
{
    const char *place = place_of(x);
    if (!x->word || !any(x, SASS_IS_ATOMIC))
        return false;
    if (any(x, SASS_IS_SWAP)) {
        swap_effect(x, out);
        return true;
    }
    unsigned operation = isa_value(x->table, x->form, x->word, SASS_ROLE_op, SASS_OPERATION_COUNT);
    if (operation >= SASS_OPERATION_COUNT)
        return false;
    text_printf(out, "old = %s; %s = %s%s; data = %s\n", place, place, formulas[operation],
                !has_result(x)          ? ""
                : element_bytes(x) == 8 ? "; {Rd+1:Rd} = old"
                                        : "; Rd = old",
                has_result(x) ? "the registers from Rb up" : "the registers from Rd up");
    return true;
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

static void contention(const struct explained *x, struct text *out)
{
    bool spin = may_be(x, SASS_ROLE_castkind, SASS_CAST_SPIN);
    if (!is(x, SASS_IS_SHARED | SASS_IS_ATOMIC))
        return;
    if (!x->word || !spin)
        text_printf(out, "%slanes at one address take turns: up to one pass per lane at the same address\n",
                    x->word ? "" : "operations, CAS and CAST: ");
    if (spin)
        text_printf(out,
                    "%sone pass: of the lanes whose addresses lie in one bank one tries, the others get 0;\n"
                    "the program loops until it has 1\n",
                    x->word ? "" : "CAST.SPIN: ");
}

static void order(const struct explained *x, struct text *out)
{
    if (is(x, SASS_IS_SHARED | SASS_IS_ATOMIC))
        text_puts(out, "indivisible for the threads of the block, relaxed\n");
    else if (any(x, SASS_IS_ATOMIC))
        text_puts(out, "indivisible for all threads of the GPU, relaxed\n");
    else if (sass_flow_kind(x->form))
        text_puts(out, "which side of a divergent branch runs first is not said: a program may count on neither\n");
}

static void scheduling(const struct explained *x, struct text *out)
{
    if (x->form->row->flags & SASS_FIXED)
        text_puts(out, "fixed latency: no scoreboard; &wr and &rd are refused\n");
    else
        text_puts(out,
                  "variable latency: &wr=N is released when the result is written, &rd=N when the sources are read\n");
    text_puts(out, "no effect on what is computed here; atoll check --hazards looks at it\n");
}

static void choices(const struct explained *x, struct text *out)
{
    bool surface = any(x, SASS_IS_SURFACE), shared = is(x, SASS_IS_SHARED | SASS_IS_ATOMIC),
         atomic = any(x, SASS_IS_ATOMIC);
    if (shared && may_be(x, SASS_ROLE_castkind, SASS_CAST_SPIN))
        text_puts(out, "CAST.SPIN: the lowest lane of a bank tries (the reference does not say which)\n");
    if (shared && !(x->word && x->form->role[SASS_ROLE_Rb]))
        text_puts(out, "the pair (RZ, Rb) decodes and is run; the reference forbids it and hardware may not have it\n");
    if (surface && atomic && has_result(x) && may_be(x, SASS_ROLE_clamp, SASS_CLAMP_IGN))
        text_puts(out, "the old value of an ignored atomic is 0 (inferred)\n");
    if (surface && atomic && (may_be(x, SASS_ROLE_size, SASS_TYPE_SD32) || may_be(x, SASS_ROLE_size, SASS_TYPE_SD64)))
        text_puts(out, ".SD32, .SD64: MIN and MAX take the sign from the surface's format (inferred)\n");
    if (surface && !atomic && !has_result(x) && !(x->word && isa_has(x->table, x->form, x->word, SASS_MOD_BA)))
        text_puts(out, ".P: components that the mask leaves out are written as 0\n");
    if (surface && atomic && has_result(x) && !x->word)
        text_puts(out, ".P: NVIDIA's compiler never emits it, hardware may want .D (NAK)\n");
    if (!sass_does(x->form)->lower)
        text_puts(out, "assembled and disassembled; a launch that reaches it stops, naming it\n");
}

static void source(const struct explained *x, struct text *out)
{
    text_printf(out, "docs/maxwell.md: %s\n", sass_does(x->form)->source);
    if (any(x, SASS_IS_SURFACE) || is(x, SASS_IS_SHARED | SASS_IS_ATOMIC))
        text_puts(out, "operands and legal combinations: the instruction reference of SUATOM and ATOMS\n");
    text_puts(out, "bits and text: nvdisasm 11.8, recorded in tests/data/sass\n");
}

static void effect(const struct explained *x, struct text *out)
{
    if (!atomic_effect(x, out))
        text_printf(out, "%s\n", sass_does(x->form)->effect);
    sparse_effect(x, out);
}

static void registers(const struct explained *x, struct text *out)
{
    sass_rules_text(x->table, x->form, x->word, out);
}

/* What is said of all. */
/* clang-format off */
#define FACTS                            \
    {"effect", effect},                  \
    {"address", address},                \
    {"out of bounds", bounds},           \
    {"registers and types", registers},  \
    {"alignment", alignment},            \
    {"contention", contention},          \
    {"order", order},                    \
    {"scheduling", scheduling},          \
    {"named choices, limits", choices},  \
    {"sources", source}

const struct family_fact sass_mnemonic_facts[] = {
    {"forms", sass_forms_fact},
    {"values of fields (-: nothing is written)", sass_values_fact},
    FACTS,
    {NULL, NULL},
};

const struct family_fact sass_facts[] = {
    {"word", sass_word_fact},
    {"control", sass_control_fact},
    {"form", sass_form_fact},
    {"architectures", sass_archs_fact},
    {"bits", sass_bits_fact},
    FACTS,
    {"other forms", sass_others_fact},
    {NULL, NULL},
};
/* clang-format on */

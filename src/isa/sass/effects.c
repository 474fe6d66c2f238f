/* What instructions read and write, and how long it takes. The operands of the rows tell which registers an instruction
 * names; the tables here tell only what the operands do not: how many registers follow the named one, which field of a
 * store is data, and the latencies. */
#include "isa/sass/code.h"
#include "isa/sass/parts.h"

#include <string.h>

struct subject {
    const struct isa_form *form;
    const struct isa_word *word;
    const struct isa_element *elements; /* behind the guard */
    unsigned count;
    char head[96]; /* mnemonic and modifiers: ".SULD.D.2D.64." - with dots at both ends; only of those whose width it
                    * tells
                    */
    struct sass_effects *effects;
};

static bool is(const struct subject *s, const char *mnemonic)
{
    return isa_is(s->form, mnemonic);
}

/* What a name or flag writes, and its length. */
static const char *spelling(const struct subject *s, const struct isa_element *e, size_t *length)
{
    uint64_t value = isa_get(s->word, &e->field);
    const char *text = NULL;
    if (e->kind == ISA_FLAG && (value != 0) != e->inverted) {
        *length = e->length;
        return e->text;
    }
    if (e->kind == ISA_NAME && value < e->names->count && !(e->group && value == e->fallback))
        text = e->names->text[value];
    text = text ? text : "";
    for (*length = 0; text[*length] && text[*length] != '|';)
        ++*length;
    return text;
}

/* Whether modifier ".X." stands in the head. */
static bool has(const struct subject *s, const char *modifier)
{
    return strstr(s->head, modifier) != NULL;
}

/* Adds to the head up to a blank; false at one. */
static bool head_add(struct subject *s, size_t *n, const char *text, size_t length)
{
    const char *space = memchr(text, ' ', length);
    length = space ? (size_t)(space - text) : length;
    length = length < sizeof s->head - 2 - *n ? length : sizeof s->head - 2 - *n;
    memcpy(s->head + *n, text, length);
    *n += length;
    return !space;
}

static void head_take(struct subject *s)
{
    size_t n = 1, length;
    bool more = true;
    s->head[0] = '.';
    for (unsigned i = 0; more && i < s->count; i++) {
        const struct isa_element *e = &s->elements[i];
        if (e->kind == ISA_LITERAL)
            more = head_add(s, &n, e->text, e->length);
        else if (e->kind == ISA_FLAG || e->kind == ISA_NAME) {
            const char *text = spelling(s, e, &length);
            more = head_add(s, &n, text, length);
        } else
            break;
    }
    s->head[n++] = '.';
    s->head[n] = 0;
}

/* ---- how many registers ------------------------------------------------------------------------------ */

enum slot { SLOT_RD = 0, SLOT_RA = 8, SLOT_RB = 20, SLOT_RD2 = 28, SLOT_RC = 39 };

static unsigned ones(unsigned mask)
{
    unsigned n = 0;
    for (; mask; mask &= mask - 1)
        n++;
    return n;
}

static unsigned bits(const struct subject *s, unsigned low, unsigned width)
{
    return (unsigned)(s->word->part[0] >> low) & ((1u << width) - 1);
}

static unsigned data_width(const struct subject *s)
{
    return has(s, ".128.") ? 4 : has(s, ".64.") || has(s, ".U64.") || has(s, ".S64.") || has(s, ".SD64.") ? 2 : 1;
}

static unsigned coordinates(const struct subject *s)
{
    return has(s, ".3D.") || has(s, ".2D_ARRAY.") || has(s, ".ARRAY_2D.")   ? 3
           : has(s, ".2D.") || has(s, ".1D_ARRAY.") || has(s, ".ARRAY_1D.") ? 2
                                                                            : 1;
}

static unsigned surface_width(const struct subject *s, enum slot slot)
{
    if (slot == SLOT_RA)
        return coordinates(s);
    if (slot == SLOT_RC)
        return 1;
    if (has(s, ".P.") && (is(s, "SULD") || is(s, "SUST"))) {
        return ones(bits(s, 20, 4));
    }
    return data_width(s) * (is(s, "SUATOM") && has(s, ".CAS.") && slot == SLOT_RB ? 2 : 1);
}

static unsigned memory_width(const struct subject *s, enum slot slot)
{
    bool atomic = is(s, "ATOM") || is(s, "ATOMS") || is(s, "RED");
    if (slot == SLOT_RA)
        return has(s, ".E.") && !is(s, "LDC") ? 2 : 1;
    if (slot == SLOT_RD || !atomic)
        return data_width(s);
    bool pair = has(s, ".CAS.") || has(s, ".CAST.");
    return data_width(s) * (pair ? 2 : 1);
}

/* Of conversions "F2I.S64.F64": the first type is the result's. */
static unsigned conversion_width(const struct subject *s, enum slot slot)
{
    const char *p = s->head + 1;
    unsigned types = 0, width[2] = {1, 1};
    for (p += strcspn(p, "."); *p && types < 2;) {
        const char *word = ++p;
        size_t length = strcspn(p, ".");
        p += length;
        if (length < 2 || length > 3 || !strchr("FUS", word[0]) || word[1] < '0' || word[1] > '9')
            continue;
        width[types++] = length == 3 && memcmp(word + 1, "64", 2) == 0 ? 2 : 1;
    }
    return width[slot == SLOT_RD ? 0 : types > 1 ? 1 : 0];
}

/* ---- textures ----
 *
 * What Ra and Rb hold (as Mesa's compilers pack them for these architectures; in the vendor's code every register that
 * is read by this is written before, and none that is written goes unread):
 *   TEX TLD TLD4   Ra: layer, coordinates.  Rb: handle (.B), level or bias, offsets, reference or sample, level clamp
 *   TXD            Ra: handle (.B), coordinates, layer or offsets.  Rb: two derivatives a coordinate
 *   TEXS TLDS TLD4S  the same words in this order, split between Ra and Rb as the tables say */

/* Registers of Ra and Rb by the field at 53 that tells dimension and mode; 0: no such mode. */
static unsigned short_width(const struct subject *s, enum slot slot)
{
    static const uint8_t texs[16][2] = {{1, 0}, {1, 1}, {1, 1}, {2, 1}, {2, 1}, {2, 2}, {2, 1},
                                        {2, 1}, {2, 1}, {2, 2}, {2, 1}, {2, 1}, {2, 1}, {2, 2}};
    static const uint8_t tlds[16][2] = {{1, 0}, {1, 1}, {1, 1}, {0, 0}, {2, 1}, {2, 1}, {2, 1},
                                        {2, 1}, {1, 2}, {0, 0}, {0, 0}, {0, 0}, {2, 2}};
    bool offsets = bits(s, 51, 1), reference = bits(s, 50, 1);
    if (is(s, "TLD4S"))
        return slot == SLOT_RA ? 1u + (offsets || reference) : 1u + (offsets && reference);
    return (is(s, "TEXS") ? texs : tlds)[bits(s, 53, 4)][slot == SLOT_RB];
}

/* The first two components go to Rd, the others to the second result; halves go two to a register. */
static unsigned short_results(const struct subject *s, bool second)
{
    unsigned mask = bits(s, 50, 3), all = mask == 4 ? 4 : 3;
    if (is(s, "TLD4S"))
        all = 4;
    else if (bits(s, 28, 8) == 255)
        all = mask < 4 ? 1 : 2;
    unsigned here = second ? (all > 2 ? all - 2 : 0) : all < 2 ? all : 2;
    return has(s, ".F16.") ? (here + 1) / 2 : here;
}

static unsigned texture_sources(const struct subject *s, enum slot slot)
{
    unsigned layered = bits(s, 28, 1), shape = bits(s, 29, 2), coordinates = shape == 3 ? 3 : shape + 1;
    unsigned handle = has(s, ".B.") ? 1 : 0, offsets = has(s, ".AOFFI.") ? 1 : has(s, ".PTP.") ? 2 : 0;
    unsigned level = has(s, ".LB.") || has(s, ".LL.") || has(s, ".LBA.") || has(s, ".LLA.") ? 1 : 0;
    unsigned rest = (has(s, ".DC.") || has(s, ".MS.") ? 1u : 0u) + (has(s, ".LC.") || has(s, ".CL.") ? 1u : 0u);
    if (is(s, "TXQ"))
        return 1 + handle; /* and the level */
    if (is(s, "TXD"))
        return slot == SLOT_RB ? 2 * coordinates : handle + coordinates + (layered || offsets || rest);
    return slot == SLOT_RA ? layered + coordinates : handle + level + offsets + rest;
}

static unsigned texture_width(const struct subject *s, unsigned low)
{
    bool source = low == SLOT_RA || low == SLOT_RB;
    if (s->form->traits & SASS_SHORT_TEXTURES)
        return source ? short_width(s, low) : short_results(s, low == SLOT_RD2);
    return source ? is(s, "TXA") ? 4 : texture_sources(s, low) : ones(bits(s, 31, 4));
}

static unsigned width_of(const struct subject *s, enum slot slot)
{
    uint32_t traits = s->form->traits;
    if (traits & SASS_DOUBLES)
        return slot == SLOT_RD && is(s, "DSET") ? 1 : 2;
    if (traits & SASS_SURFACES)
        return surface_width(s, slot);
    if (traits & (SASS_MEMORY | SASS_SHARED_ATOMICS))
        return memory_width(s, slot);
    if (traits & SASS_TEXTURES)
        return texture_width(s, slot);
    return traits & SASS_CONVERSIONS ? conversion_width(s, slot) : 1;
}

/* ---- fields ------------------------------------------------------------------------------------------ */

static void add_registers(uint64_t set[4], unsigned first, unsigned count)
{
    for (unsigned r = first; r < first + count && r < 255; r++)
        set[r / 64] |= UINT64_C(1) << r % 64;
}

static void take_register(struct subject *s, unsigned low, unsigned number)
{
    uint32_t traits = s->form->traits;
    if (number == 255)
        return;
    bool second = low == SLOT_RD2 && traits & SASS_SHORT_TEXTURES;
    bool result = low == SLOT_RD ? !(traits & SASS_STORES) : second;
    bool own = low == SLOT_RD || low == SLOT_RB || low == SLOT_RC || second;
    unsigned width = width_of(s, own ? (enum slot)low : SLOT_RA);
    add_registers(result ? s->effects->writes : s->effects->reads, number, width);
}

/* Predicates read stand in these fields; the others are written (all forms were looked at). */
static bool is_predicate_read(unsigned low)
{
    return low == 12 || low == 16 || low == 29 || low == 39 || low == 58;
}

static void take_predicate(struct subject *s, const struct isa_element *e)
{
    unsigned p = (unsigned)isa_get(s->word, &e->field);
    if (e->letter == 'p')
        p = 7 - p;
    if (p < 7)
        *(is_predicate_read(e->field.piece[0].low) ? &s->effects->pred_reads : &s->effects->pred_writes) |=
            (uint8_t)(1u << p);
}

/* Condition codes: .CC writes them; .X, .XLO, .XMED, .XHI and what says CC reads them. */
static void take_word(struct subject *s, const char *text, size_t length)
{
    const uint8_t cc = 1u << SASS_CC;
    if (length == 3 && memcmp(text, ".CC", 3) == 0)
        s->effects->pred_writes |= cc;
    else if ((length >= 2 && memcmp(text, "CC", 2) == 0) || (length == 2 && memcmp(text, ".X", 2) == 0) ||
             (length >= 4 && memcmp(text, ".X", 2) == 0 && strchr("LMH", text[2])))
        s->effects->pred_reads |= cc;
}

static void take_element(struct subject *s, const struct isa_element *e)
{
    size_t length;
    const char *text;
    switch (e->kind) {
    case ISA_LITERAL:
        break;
    case ISA_FLAG:
    case ISA_NAME:
        text = spelling(s, e, &length);
        take_word(s, text, length);
        break;
    case ISA_REGISTER:
    case ISA_ADDRESS:
        take_register(s, e->field.piece[0].low, (unsigned)isa_get(s->word, &e->field));
        break;
    case ISA_CONSTANT:
        if (e->extra.pieces)
            take_register(s, SLOT_RA, (unsigned)isa_get(s->word, &e->extra));
        break;
    case ISA_PREDICATE:
        take_predicate(s, e);
        break;
    default:
        break;
    }
}

/* Predicates, or CC in their place, that a mask picks: known where it is a number. */
static void take_predicate_set(struct subject *s)
{
    const uint8_t cc = 1u << SASS_CC;
    uint8_t set = 0x7f;
    bool codes = false;
    for (unsigned i = 0; i < s->count; i++) {
        const struct isa_element *e = &s->elements[i];
        size_t length;
        if (e->kind == ISA_NAME && strcmp(spelling(s, e, &length), "CC") == 0)
            codes = true;
        else if (e->kind == ISA_NUMBER && e->letter != 'x')
            set &= (uint8_t)isa_get(s->word, &e->field);
    }
    if (codes)
        set = set & 15 ? cc : 0;
    *(is(s, "P2R") ? &s->effects->pred_reads : &s->effects->pred_writes) |= set;
}

/* ---- latencies: a named choice, in cycles, after public notes on MaxAs (its scheduler's tables), checked against the
 * schedules of ptxas ---- */

enum {
    LATENCY = 6,            /* registers and CC */
    LATENCY_PREDICATE = 13, /* predicates */
    LATE_SOURCES = 4,       /* instructions of unknown latency read registers this long after they issue */
};

void sass_effects(const struct sass_code *code, size_t index, struct sass_effects *effects)
{
    const struct sass_insn *insn = &code->insns[index];
    *effects = (struct sass_effects){.latency = LATENCY, .pred_latency = LATENCY_PREDICATE};
    if (!insn->form) {
        effects->flow = true; /* nobody knows what it does */
        return;
    }
    const struct isa_element *elements = &code->table->elements[insn->form->first];
    unsigned guard = sass_behind_guard(code->table, insn->form);
    struct subject s = {insn->form, &insn->word, elements + guard, insn->form->count - guard, "", effects};
    uint32_t traits = insn->form->traits;
    if (traits & (SASS_SURFACES | SASS_MEMORY | SASS_SHARED_ATOMICS | SASS_CONVERSIONS | SASS_TEXTURES))
        head_take(&s);
    for (unsigned i = 0; i < insn->form->count; i++)
        take_element(&s, &elements[i]);
    if (traits & SASS_PREDICATE_SETS)
        take_predicate_set(&s);
    if (traits & SASS_READS_CC)
        effects->pred_reads |= 1u << SASS_CC;
    effects->variable = !(insn->form->row->flags & ISA_FIXED);
    effects->late = effects->variable ? LATE_SOURCES : 0;
    effects->flow = traits & SASS_FLOW;
    effects->guarded = guard > 0;
}

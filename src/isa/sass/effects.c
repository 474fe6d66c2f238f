/* What instructions read and write, and how long it takes. The operands of the rows tell which registers an instruction
 * names; the tables here tell only what the operands do not: how many registers follow the named one, which field of a
 * store is data, and the latencies. */
#include "isa/sass/code.h"

#include <string.h>

struct subject {
    const struct isa_table *table;
    const struct isa_form *form;
    const struct isa_word *word;
    struct sass_effects *effects;
};

static bool is(const struct subject *s, const char *mnemonic)
{
    return isa_is(s->form, mnemonic);
}

static bool has(const struct subject *s, enum sass_role flag)
{
    return isa_has(s->table, s->form, s->word, flag);
}

static unsigned value(const struct subject *s, enum sass_role label, unsigned otherwise)
{
    return isa_value(s->table, s->form, s->word, label, otherwise);
}

/* What a name or flag writes, and its length. */
static const char *spelling(const struct subject *s, const struct isa_element *e, size_t *length)
{
    uint64_t number = isa_get(s->word, &e->field);
    const char *text = NULL;
    if (e->kind == ISA_FLAG && (number != 0) != e->inverted) {
        *length = e->length;
        return e->text;
    }
    if (e->kind == ISA_NAME && number < e->names->count && !(e->group && number == e->fallback))
        text = e->names->text[number];
    text = text ? text : "";
    *length = strlen(text);
    return text;
}

/* ---- how many registers ------------------------------------------------------------------------------ */

static unsigned bits(const struct subject *s, unsigned low, unsigned width)
{
    return (unsigned)(s->word->part[0] >> low) & ((1u << width) - 1);
}

/* Loads, stores and atomics on surfaces and memory. */
static unsigned access_width(const struct subject *s, enum sass_role role)
{
    if (role == SASS_ROLE_Ra)
        return isa_any(s->form, SASS_IS_SURFACE) ? sass_coordinates(value(s, SASS_ROLE_dim, 0))
               : has(s, SASS_MOD_E)              ? 2
                                                 : 1;
    if (role == SASS_ROLE_Rc)
        return 1;
    bool both = s->form->role[SASS_ROLE_Rb] && s->form->role[SASS_ROLE_Rx]; /* else one of them is RZ */
    bool swap = isa_all(s->form, SASS_IS_SURFACE | SASS_IS_SWAP) || both;
    return sass_data_registers(s->table, s->form, s->word) *
           (swap && (role == SASS_ROLE_Rb || role == SASS_ROLE_Rx) ? 2u : 1u);
}

/* Names of types of 64 bits have the lower two bits set. */
static unsigned conversion_width(const struct subject *s, enum sass_role role)
{
    return (value(s, role == SASS_ROLE_Rd ? SASS_ROLE_to : SASS_ROLE_from, 0) & 3) == 3 ? 2 : 1;
}

/* ---- textures ----
 *
 * What Ra and Rb hold (as Mesa's compilers pack them for these architectures; in the vendor's code every register that
 * is read by this is written before, and none that is written goes unread):
 *   TEX TLD TLD4   Ra: layer, coordinates.  Rb: handle (.B), level or bias, offsets, reference or sample, level clamp
 *   TXD            Ra: handle (.B), coordinates, layer or offsets.  Rb: two derivatives a coordinate
 *   TEXS TLDS TLD4S  the same words in this order, split between Ra and Rb as the tables say */

/* Registers of Ra and Rb by the field at 53 that tells dimension and mode; 0: no such mode. */
static unsigned short_width(const struct subject *s, enum sass_role role)
{
    static const uint8_t texs[16][2] = {{1, 0}, {1, 1}, {1, 1}, {2, 1}, {2, 1}, {2, 2}, {2, 1},
                                        {2, 1}, {2, 1}, {2, 2}, {2, 1}, {2, 1}, {2, 1}, {2, 2}};
    static const uint8_t tlds[16][2] = {{1, 0}, {1, 1}, {1, 1}, {0, 0}, {2, 1}, {2, 1}, {2, 1},
                                        {2, 1}, {1, 2}, {0, 0}, {0, 0}, {0, 0}, {2, 2}};
    bool offsets = bits(s, 51, 1), reference = bits(s, 50, 1);
    if (is(s, "TLD4S"))
        return role == SASS_ROLE_Ra ? 1u + (offsets || reference) : 1u + (offsets && reference);
    return (is(s, "TEXS") ? texs : tlds)[bits(s, 53, 4)][role == SASS_ROLE_Rb];
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
    return isa_any(s->form, SASS_IS_HALVES) ? (here + 1) / 2 : here;
}

static unsigned texture_sources(const struct subject *s, enum sass_role role)
{
    unsigned layered = bits(s, 28, 1), shape = bits(s, 29, 2), coordinates = shape == 3 ? 3 : shape + 1;
    unsigned handle = !s->form->role[SASS_ROLE_Header];
    unsigned offsets = has(s, SASS_MOD_AOFFI) ? 1 : value(s, SASS_ROLE_tld4off, 0);   /* .AOFFI 1, .PTP 2 */
    unsigned level = value(s, SASS_ROLE_tldlod, value(s, SASS_ROLE_lod, 0) >> 1 & 1); /* texlod: .LB .LL .LBA .LLA */
    unsigned rest =
        (unsigned)(has(s, SASS_MOD_DC) || has(s, SASS_MOD_MS)) + (has(s, SASS_MOD_LC) || has(s, SASS_MOD_CL));
    if (is(s, "TXQ"))
        return 1 + handle; /* and the level */
    if (is(s, "TXD"))
        return role == SASS_ROLE_Rb ? 2 * coordinates : handle + coordinates + (layered || offsets || rest);
    return role == SASS_ROLE_Ra ? layered + coordinates : handle + level + offsets + rest;
}

static unsigned texture_width(const struct subject *s, enum sass_role role)
{
    bool source = role == SASS_ROLE_Ra || role == SASS_ROLE_Rb;
    if (isa_any(s->form, SASS_IS_SHORT))
        return source ? short_width(s, role) : short_results(s, role == SASS_ROLE_Rd2);
    return source ? is(s, "TXA") ? 4 : texture_sources(s, role) : (unsigned)__builtin_popcount(bits(s, 31, 4));
}

static unsigned width_of(const struct subject *s, enum sass_role role)
{
    if (isa_any(s->form, SASS_IS_DOUBLE))
        return role == SASS_ROLE_Rd && isa_any(s->form, SASS_IS_NARROW) ? 1 : 2;
    if (isa_any(s->form, SASS_IS_SURFACE | SASS_IS_MEMORY))
        return access_width(s, role);
    if (isa_any(s->form, SASS_IS_TEXTURE))
        return texture_width(s, role);
    return isa_any(s->form, SASS_IS_CONVERT) ? conversion_width(s, role) : 1;
}

/* ---- fields ------------------------------------------------------------------------------------------ */

static void take_register(struct subject *s, enum sass_role role, unsigned first)
{
    unsigned count = first < 255 ? width_of(s, role) : 0;
    uint64_t *set = sass_is_result(role) ? s->effects->writes : s->effects->reads;
    for (unsigned r = first; r < first + count && r < 255; r++)
        set[r / 64] |= UINT64_C(1) << r % 64;
}

static void take_predicate(struct subject *s, const struct isa_element *e)
{
    unsigned p = isa_number(e, s->word);
    if (p < 7)
        *(sass_is_result(e->role) ? &s->effects->pred_writes : &s->effects->pred_reads) |= (uint8_t)(1u << p);
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
        take_register(s, e->role, (unsigned)isa_get(s->word, &e->field));
        break;
    case ISA_CONSTANT:
        if (e->extra.pieces)
            take_register(s, SASS_ROLE_Ra, (unsigned)isa_get(s->word, &e->extra));
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
    const struct isa_element *elements = &s->table->elements[s->form->first];
    const uint8_t cc = 1u << SASS_CC;
    uint8_t set = 0x7f;
    for (unsigned i = 0; i < s->form->count; i++) {
        const struct isa_element *e = &elements[i];
        if (e->kind == ISA_NUMBER && e->letter != 'x')
            set &= (uint8_t)isa_get(s->word, &e->field);
    }
    if (value(s, SASS_ROLE_ccpr, 0) == SASS_CCPR_CC)
        set = set & 15 ? cc : 0;
    *(s->form->role[SASS_ROLE_Rd] ? &s->effects->pred_reads : &s->effects->pred_writes) |= set;
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
    struct subject s = {code->table, insn->form, &insn->word, effects};
    for (unsigned i = 0; i < insn->form->count; i++)
        take_element(&s, &elements[i]);
    if (isa_any(insn->form, SASS_MOVES_PREDICATES))
        take_predicate_set(&s);
    if (isa_any(insn->form, SASS_READS_CC))
        effects->pred_reads |= 1u << SASS_CC;
    effects->variable = !(insn->form->row->flags & ISA_FIXED);
    effects->late = effects->variable ? LATE_SOURCES : 0;
    effects->flow = isa_any(insn->form, SASS_IS_FLOW);
    effects->guarded = insn->form->role[SASS_ROLE_Pg];
}

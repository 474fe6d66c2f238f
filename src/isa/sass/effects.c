/* What instructions read and write, and how long it takes. The operands of the rows tell which registers an instruction
 * names; here is only what the operands do not tell: how many registers follow the named one, and the latencies. */
#include "base/bitset.h"
#include "isa/sass/code.h"

struct subject {
    const struct isa_table *table;
    const struct isa_form *form;
    const struct isa_word *word;
    struct sass_effects *effects;
};

static bool has(const struct subject *s, enum sass_role flag)
{
    return isa_has(s->table, s->form, s->word, flag);
}

static unsigned value(const struct subject *s, enum sass_role label, unsigned otherwise)
{
    return isa_value(s->table, s->form, s->word, label, otherwise);
}

/* ---- how many registers ------------------------------------------------------------------------------ */

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
 *   TEXS TLDS TLD4S  the same words in this order, split between Ra and Rb as the rows say (SASS_TAKES) */

/* The number in a role, 0 where there is none. */
static unsigned count_of(const struct subject *s, enum sass_role role)
{
    const struct isa_element *e = isa_role(s->table, s->form, role);
    return e ? (unsigned)isa_get(s->word, &e->field) : 0;
}

/* The first two components go to Rd, the others to the second result; halves go two to a register. Masks of one or two
 * components: wmask1; of three or four: wmask; none (TLD4S): four. */
static unsigned short_results(const struct subject *s, bool second)
{
    enum { WMASK1_RG = 4 /* from here on two */, WMASK_RGBA = 4 };
    unsigned all = s->form->role[SASS_ROLE_wmask1] ? 1 + (value(s, SASS_ROLE_wmask1, 0) >= WMASK1_RG)
                   : value(s, SASS_ROLE_wmask, WMASK_RGBA) == WMASK_RGBA ? 4
                                                                         : 3;
    unsigned here = second ? (all > 2 ? all - 2 : 0) : all < 2 ? all : 2;
    return isa_any(s->form, SASS_IS_HALVES) ? (here + 1) / 2 : here;
}

/* TLD4S: offsets and reference share Rb with the last coordinate's place. */
static unsigned short_gather(const struct subject *s, enum sass_role role)
{
    bool offsets = has(s, SASS_MOD_AOFFI), reference = has(s, SASS_MOD_DC);
    return role == SASS_ROLE_Ra ? 1u + (offsets || reference) : 1u + (offsets && reference);
}

static unsigned texture_sources(const struct subject *s, enum sass_role role)
{
    unsigned dim = value(s, SASS_ROLE_texdim, 0), layered = dim & 1, shape = dim >> 1; /* 1D 2D 3D CUBE */
    unsigned coordinates = shape == 3 ? 3 : shape + 1, handle = !s->form->role[SASS_ROLE_Header];
    unsigned offsets = has(s, SASS_MOD_AOFFI) ? 1 : value(s, SASS_ROLE_tld4off, 0);   /* .AOFFI 1, .PTP 2 */
    unsigned level = value(s, SASS_ROLE_tldlod, value(s, SASS_ROLE_lod, 0) >> 1 & 1); /* texlod: .LB .LL .LBA .LLA */
    unsigned rest =
        (unsigned)(has(s, SASS_MOD_DC) || has(s, SASS_MOD_MS)) + (has(s, SASS_MOD_LC) || has(s, SASS_MOD_CL));
    if (isa_any(s->form, SASS_GRADIENTS))
        return role == SASS_ROLE_Rb ? 2 * coordinates : handle + coordinates + (layered || offsets || rest);
    return role == SASS_ROLE_Ra ? layered + coordinates : handle + level + offsets + rest;
}

static unsigned texture_width(const struct subject *s, enum sass_role role)
{
    bool is_short = isa_any(s->form, SASS_IS_SHORT);
    if (role != SASS_ROLE_Ra && role != SASS_ROLE_Rb)
        return is_short ? short_results(s, role == SASS_ROLE_Rd2)
                        : (unsigned)__builtin_popcount(count_of(s, SASS_ROLE_mask));
    if (sass_taken(s->form, SASS_ROLE_Ra))
        return sass_taken(s->form, role);
    return is_short ? short_gather(s, role) : texture_sources(s, role);
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
        bitset_add(set, r);
}

static void take_predicate(struct subject *s, const struct isa_element *e)
{
    unsigned p = isa_number(e, s->word);
    if (p < 7)
        *(sass_is_result(e->role) ? &s->effects->pred_writes : &s->effects->pred_reads) |= (uint8_t)(1u << p);
}

/* Condition codes: .CC writes them; .X, words of longer operations, tests of them and CC as an operand read them. */
static void take_code(struct subject *s, const struct isa_element *e)
{
    const uint8_t cc = 1u << SASS_CC;
    uint64_t number = isa_get(s->word, &e->field);
    bool reads = false;
    switch (e->role) {
    case SASS_MOD_CC:
        s->effects->pred_writes |= number ? cc : 0;
        break;
    case SASS_MOD_X:
    case SASS_ROLE_minmaxx:
        reads = number != 0;
        break;
    case SASS_ROLE_words: /* shrx, shfx: .X, .XHI */
        reads = number >= 2;
        break;
    case SASS_ROLE_cctest:
        reads = !e->group || number != SASS_TEST_T;
        break;
    case SASS_ROLE_ccpr:
        reads = number == SASS_CCPR_CC;
        break;
    default:
        break;
    }
    s->effects->pred_reads |= reads ? cc : 0;
}

static void take_element(struct subject *s, const struct isa_element *e)
{
    switch (e->kind) {
    case ISA_FLAG:
    case ISA_NAME:
        take_code(s, e);
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
    const uint8_t cc = 1u << SASS_CC;
    uint8_t set = s->form->role[SASS_ROLE_mask] ? 0x7f & count_of(s, SASS_ROLE_mask) : 0x7f;
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
    effects->variable = !(insn->form->row->flags & SASS_FIXED);
    effects->late = effects->variable ? LATE_SOURCES : 0;
    effects->flow = isa_any(insn->form, SASS_IS_FLOW);
    effects->guarded = insn->form->role[SASS_ROLE_Pg];
}

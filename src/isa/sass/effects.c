/* What instructions read and write, and how long it takes. The operands of the rows tell which registers an instruction
 * names; the tables here tell only what the operands do not: how many registers follow the named one, which field of a
 * store is data, and the latencies. */
#include "isa/sass/code.h"

#include <string.h>

struct subject {
    const struct isa_form *form;
    const struct isa_word *word;
    char head[96]; /* mnemonic and modifiers: ".SULD.D.2D.64." - with dots at both ends */
    struct sass_effects *effects;
};

static bool is(const struct subject *s, const char *mnemonic)
{
    return isa_is(s->form, mnemonic);
}

static bool is_one_of(const struct subject *s, const char *const *mnemonics)
{
    for (; *mnemonics; mnemonics++)
        if (is(s, *mnemonics))
            return true;
    return false;
}

/* Whether modifier ".X." stands in the head. */
static bool has(const struct subject *s, const char *modifier)
{
    return strstr(s->head, modifier) != NULL;
}

static void head_take(struct subject *s, const char *text)
{
    size_t n = 1;
    if (*text == '@')
        text += strcspn(text, " ") + 1;
    s->head[0] = '.';
    while (*text && *text != ' ' && n < sizeof s->head - 2)
        s->head[n++] = *text++;
    s->head[n++] = '.';
    s->head[n] = 0;
}

/* ---- how many registers ------------------------------------------------------------------------------ */

enum slot { SLOT_RD = 0, SLOT_RA = 8, SLOT_RB = 20, SLOT_RC = 39 };

/* Instructions whose field 0-7 is data to be stored, not a result. */
static const char *const stores[] = {"ST", "STG", "STS", "STL", "RED", "SUST", "SURED", "STP", NULL};
static const char *const doubles[] = {"DADD", "DMUL", "DFMA", "DMNMX", "DSET", "DSETP", NULL};
static const char *const surfaces[] = {"SULD", "SUST", "SURED", "SUATOM", NULL};
static const char *const textures[] = {"TEX", "TEXS", "TLD",  "TLDS", "TLD4", "TLD4S",
                                       "TXD", "TXQ",  "TMML", "TXA",  NULL};
static const char *const memory[] = {"LD",  "LDG", "LDS",  "LDL", "LDC",   "ST", "STG",
                                     "STS", "STL", "ATOM", "RED", "ATOMS", NULL};

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
        unsigned mask = (unsigned)(s->word->part[0] >> 20) & 15, n = 0;
        for (; mask; mask &= mask - 1)
            n++;
        return n;
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

/* Most that a texture operation may use of a slot. */
static unsigned texture_width(const struct subject *s, enum slot slot)
{
    if (slot == SLOT_RA || slot == SLOT_RB)
        return is(s, "TEXS") || is(s, "TLDS") || is(s, "TLD4S") ? 2 : 4;
    if (is(s, "TEXS") || is(s, "TLDS") || is(s, "TLD4S"))
        return 2;
    unsigned mask = (unsigned)(s->word->part[0] >> 31) & 15, n = 0;
    for (; mask; mask &= mask - 1)
        n++;
    return n;
}

static unsigned width_of(const struct subject *s, enum slot slot)
{
    if (is_one_of(s, doubles))
        return slot == SLOT_RD && (is(s, "DSET")) ? 1 : 2;
    if (is_one_of(s, surfaces))
        return surface_width(s, slot);
    if (is_one_of(s, memory))
        return memory_width(s, slot);
    if (is_one_of(s, textures))
        return texture_width(s, slot);
    if (is(s, "F2F") || is(s, "F2I") || is(s, "I2F"))
        return conversion_width(s, slot);
    return 1;
}

/* ---- fields ------------------------------------------------------------------------------------------ */

static void add_registers(uint64_t set[4], unsigned first, unsigned count)
{
    for (unsigned r = first; r < first + count && r < 255; r++)
        set[r / 64] |= UINT64_C(1) << r % 64;
}

static void take_register(struct subject *s, unsigned low, unsigned number)
{
    if (number == 255)
        return;
    bool data = low == SLOT_RD && is_one_of(s, stores);
    bool two = is(s, "TEXS") || is(s, "TLDS") || is(s, "TLD4S"); /* results in Rd and in the register of field 28 */
    bool result = (low == SLOT_RD && !data) || (two && low == 28);
    unsigned width =
        low == 28 ? 2 : width_of(s, low == SLOT_RD || low == SLOT_RB || low == SLOT_RC ? (enum slot)low : SLOT_RA);
    add_registers(result ? s->effects->writes : s->effects->reads, number, width);
}

/* Predicates read stand in these fields; the others are written (all forms were looked at). */
static bool is_predicate_read(unsigned low)
{
    return low == 12 || low == 16 || low == 29 || low == 39 || low == 58;
}

static void take_element(struct subject *s, const struct isa_element *e)
{
    unsigned low = e->field.piece[0].low;
    if (e->kind == ISA_REGISTER || e->kind == ISA_ADDRESS)
        take_register(s, low, (unsigned)isa_get(s->word, &e->field));
    else if (e->kind == ISA_CONSTANT && e->extra.pieces)
        take_register(s, SLOT_RA, (unsigned)isa_get(s->word, &e->extra));
    else if (e->kind == ISA_PREDICATE) {
        unsigned p = (unsigned)isa_get(s->word, &e->field);
        if (e->letter == 'p')
            p = 7 - p;
        if (p < 7)
            *(is_predicate_read(low) ? &s->effects->pred_reads : &s->effects->pred_writes) |= (uint8_t)(1u << p);
    }
}

/* Condition codes; whole sets of predicates. */
static void take_flags(struct subject *s, const char *text)
{
    struct sass_effects *e = s->effects;
    const uint8_t cc = 1u << SASS_CC;
    if (strstr(text, ".CC,") || (text[0] && strcmp(text + strlen(text) - 3, ".CC") == 0))
        e->pred_writes |= cc;
    if (has(s, ".X.") || has(s, ".XLO.") || has(s, ".XMED.") || has(s, ".XHI.") || strstr(text, " CC") || is(s, "CSET"))
        e->pred_reads |= cc;
    if (is(s, "P2R"))
        e->pred_reads |= has(s, ".CC.") || strstr(text, "CC") ? cc : 0x7f;
    if (is(s, "R2P"))
        e->pred_writes |= strstr(text, "CC") ? cc : 0x7f;
}

/* ---- latencies: a named choice, in cycles, after public notes on MaxAs (its scheduler's tables), checked against the
 * schedules of ptxas ---- */

enum {
    LATENCY = 6,            /* registers and CC */
    LATENCY_PREDICATE = 13, /* predicates */
    LATE_SOURCES = 4,       /* instructions of unknown latency read registers this long after they issue */
};

static const char *const flows[] = {"BRA",      "BRX",  "JMP", "JMX",     "CAL", "JCAL", "RET",  "EXIT", "BRK",
                                    "CONT",     "SYNC", "KIL", "LONGJMP", "SSY", "PBK",  "PCNT", "PRET", "PEXIT",
                                    "PLONGJMP", "BPT",  "RTT", "IDE",     "RAM", "SAM",  NULL};

void sass_effects(const struct sass_code *code, size_t index, struct sass_effects *effects)
{
    const struct sass_insn *insn = &code->insns[index];
    struct subject s = {.form = insn->form, .word = &insn->word, .effects = effects};
    char text[ISA_TEXT];
    *effects = (struct sass_effects){.latency = LATENCY, .pred_latency = LATENCY_PREDICATE};
    if (!insn->form) {
        effects->flow = true; /* nobody knows what it does */
        return;
    }
    isa_print(code->table, insn->form, &insn->word, 0, text);
    head_take(&s, text);
    for (unsigned i = 0; i < insn->form->count; i++)
        take_element(&s, &code->table->elements[insn->form->first + i]);
    take_flags(&s, text);
    effects->variable = !(insn->form->row->flags & ISA_FIXED);
    effects->late = effects->variable ? LATE_SOURCES : 0;
    effects->vague = is_one_of(&s, textures);
    effects->flow = is_one_of(&s, flows);
}

/* The row engine: finding rows, walking their notation, fitting the modifiers of an instruction to a pattern, and what
 * there is to know about types. Nothing here knows a particular instruction. */
#include "isa/ptx/row.h"
#include "base/bitset.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static const struct ptx_row *const rows[] = {
#define ROW(id) &ptx_row_##id,
#include "isa/ptx/row_list.h"
#undef ROW
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

const struct ptx_row *ptx_row_at(unsigned index)
{
    return index < ROWS ? rows[index] : NULL;
}

const char *ptx_row_name(const struct ptx_row *row)
{
    return row->name;
}

static int compare_name(const char *name, size_t length, const char *row)
{
    int order = strncmp(name, row, length);
    return order != 0 ? order : -(row[length] != 0);
}

const struct ptx_row *ptx_row_find(const char *name, size_t length)
{
    unsigned low = 0, high = ROWS;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        int order = compare_name(name, length, rows[middle]->name);
        if (order == 0)
            return rows[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* ---- notation ------------------------------------------------------------------------------------- */

static const char *skip_spaces(const char *at)
{
    while (*at == ' ')
        at++;
    return at;
}

bool ptx_next_slot(const char **at, struct ptx_slot *slot)
{
    const char *start = skip_spaces(*at);
    if (*start == 0)
        return false;
    const char *end = start;
    while (*end != 0 && *end != ' ')
        end++;
    *at = end;
    slot->lenient = end[-1] == '-';
    slot->optional = end[-1] == '?' || slot->lenient;
    slot->lead = end[-1] == '!';
    slot->words = start;
    slot->length = (unsigned)(end - start) - (slot->optional || slot->lead);
    struct ptx_word word = {0};
    const char *first = start;
    ptx_next_word(slot, &first, &word);
    slot->class = ptx_keyword_class(word.keyword);
    if (slot->class != 'T' && slot->class != 'S' && slot->class != 'L')
        slot->class = 0;
    return true;
}

static unsigned read_number(const char **at, const char *end)
{
    unsigned value = 0;
    while (*at < end && **at >= '0' && **at <= '9')
        value = value * 10 + (unsigned)(*(*at)++ - '0');
    return value;
}

bool ptx_next_word(const struct ptx_slot *slot, const char **at, struct ptx_word *word)
{
    const char *end = slot->words + slot->length;
    if (*at >= end)
        return false;
    const char *start = *at, *stop = start;
    while (stop < end && *stop != '|' && *stop != '@' && *stop != '~')
        stop++;
    *word = (struct ptx_word){.keyword = (uint16_t)ptx_keyword_find(start, (size_t)(stop - start))};
    word->lenient = stop < end && *stop == '~';
    stop += word->lenient;
    if (stop < end && *stop == '@') {
        stop++;
        word->version = (uint8_t)read_number(&stop, end);
        if (stop < end && *stop == '/') {
            stop++;
            word->target = (uint8_t)read_number(&stop, end);
        }
    }
    *at = stop < end ? stop + 1 : end;
    return true;
}

bool ptx_next_token(const char **at, struct ptx_token *token)
{
    const char *start = skip_spaces(*at);
    if (*start == 0)
        return false;
    const char *stop = start;
    while (*stop != '>' && *stop != ':')
        stop++;
    *token = (struct ptx_token){
        .name = start, .name_length = (unsigned)(stop - start), .dest = *stop == '>', .letter = stop[1]};
    for (stop += 2; *stop != 0 && *stop != ' '; stop++) {
        token->optional |= *stop == '?';
        token->negatable |= *stop == '!';
        token->pipe |= *stop == '|';
        token->sink |= *stop == '_';
        token->immediate |= *stop == '#';
        token->no_immediate |= *stop == '%';
        token->relaxed |= *stop == '~';
        token->repeat |= *stop == '+';
    }
    *at = stop;
    return true;
}

/* ---- fitting --------------------------------------------------------------------------------------- */

static const struct ptx_slots *read_pattern(struct arena *arena, const struct ptx_pattern *pattern)
{
    struct ptx_slots *slots = arena_alloc(arena, sizeof(*slots));
    if (slots == NULL)
        return NULL;
    slots->pattern = pattern;
    for (const char *at = pattern->mods; ptx_next_slot(&at, &slots->slot[slots->count]); slots->count++) {
        assert(slots->count < PTX_SLOTS - 1);
        const struct ptx_slot *slot = &slots->slot[slots->count];
        unsigned count = 0;
        for (unsigned i = 0; i < slot->length; i++)
            count += slot->words[i] == '|';
        struct ptx_word *words = arena_array(arena, count + 1, sizeof(*words));
        if (words == NULL)
            return NULL;
        slots->words[slots->count] = words;
        for (const char *w = slot->words; ptx_next_word(slot, &w, words);)
            words++;
        slots->nwords[slots->count] = (uint8_t)(count + 1);
    }
    return slots;
}

const struct ptx_slots *ptx_slots_of(struct ptx_matcher *matcher, const struct ptx_pattern *pattern)
{
    const struct ptx_slots *slots = namemap_key(&matcher->patterns, &pattern, sizeof(pattern));
    if (slots == NULL)
        slots = read_pattern(matcher->patterns.arena, pattern);
    bool ok = slots != NULL && namemap_add(&matcher->patterns, slots, sizeof(pattern), 0);
    matcher->failed |= !ok;
    return ok ? slots : NULL;
}

const struct ptx_word *ptx_slots_word(const struct ptx_slots *slots, unsigned slot, uint16_t keyword)
{
    for (unsigned i = 0; i < slots->nwords[slot]; i++)
        if (slots->words[slot][i].keyword == keyword)
            return &slots->words[slot][i];
    return NULL;
}

/* The slot that the modifier number `index` goes to, slots->count if to none: its own if the slot belongs to the
 * mnemonic, else the first free one that has the word (*has). Types go no further than the leftmost free slot that
 * wants one, whether it has theirs or not; spaces and layouts that do are out of order. */
static unsigned place_word(const struct ptx_slots *slots, struct ptx_fit *fit, unsigned index, uint16_t keyword,
                           bool *has)
{
    char class = ptx_keyword_class(keyword);
    bool own = index < slots->count && slots->slot[index].lead, passed = false;
    for (unsigned i = own ? index : 0; i < slots->count; i++) {
        const struct ptx_slot *slot = &slots->slot[i];
        if (!own && (slot->lead || fit->filled >> i & 1))
            continue;
        bool wants = slot->class != 0 && class == slot->class && !slot->optional;
        *has = ptx_slots_word(slots, i, keyword) != NULL;
        fit->disorder |= *has && passed;
        if (*has || own || (wants && class == 'T'))
            return i;
        passed |= wants;
    }
    *has = false;
    return slots->count;
}

struct ptx_fit ptx_fit_pattern(const struct ptx_slots *slots, const struct insn *insn, bool whole)
{
    struct ptx_fit fit = {.misfit = -1, .type_misfit = -1};
    for (unsigned i = 0; i < insn->nmods && (whole || fit.words == i); i++) {
        bool has;
        unsigned slot = place_word(slots, &fit, i, insn->mods[i], &has);
        int *misfit = ptx_keyword_class(insn->mods[i]) == 'T' ? &fit.type_misfit : &fit.misfit;
        if (slot < slots->count)
            fit.filled |= (uint32_t)1 << slot;
        fit.words += has;
        if (!has && *misfit < 0)
            *misfit = (int)i;
    }
    for (unsigned i = 0; i < slots->count; i++)
        fit.missing += !(fit.filled >> i & 1) && !slots->slot[i].optional;
    return fit;
}

static void set_first(uint16_t *field, uint16_t keyword)
{
    if (*field == 0)
        *field = keyword;
}

static void understand(struct ptx_form *form, uint16_t keyword)
{
    bitset_add(form->words, keyword);
    switch (ptx_keyword_class(keyword)) {
    case 'T':
        if (form->ntypes < PTX_TYPES)
            form->types[form->ntypes++] = keyword;
        break;
    case 'V':
        form->vec = keyword == PTX_v2 ? 2 : keyword == PTX_v4 ? 4 : 8;
        break;
    case 'S':
        if (form->space != 0)
            set_first(&form->space2, keyword);
        set_first(&form->space, keyword);
        break;
    case 'C':
        set_first(&form->cmp, keyword);
        break;
    case 'R':
        set_first(&form->round, keyword);
        break;
    case 'G':
        set_first(&form->geom, keyword);
        break;
    case 'K':
        set_first(&form->cache, keyword);
        break;
    case 'M':
        set_first(&form->order, keyword);
        break;
    case 'P':
        set_first(&form->scope, keyword);
        break;
    case 'O':
    case 'B':
        set_first(&form->op, keyword);
        break;
    default:
        break;
    }
}

static bool has_gates(const struct ptx_form *form)
{
    struct ptx_slot slot;
    struct ptx_word word;
    for (const char *at = form->pattern->mods; ptx_next_slot(&at, &slot);) {
        if (slot.lenient)
            return true;
        for (const char *w = slot.words; ptx_next_word(&slot, &w, &word);)
            if ((word.version != 0 || word.target != 0 || word.lenient) &&
                ptx_form_has(form, (enum ptx_keyword)word.keyword))
                return true;
    }
    return false;
}

static const struct ptx_form *make_form(struct ptx_matcher *matcher, const struct insn *insn)
{
    for (unsigned i = 0; i < insn->row->npatterns; i++) {
        const struct ptx_slots *slots = ptx_slots_of(matcher, &insn->row->patterns[i]);
        struct ptx_fit fit = slots != NULL ? ptx_fit_pattern(slots, insn, false) : (struct ptx_fit){.missing = 1};
        if (fit.words < insn->nmods || fit.missing > 0 || fit.disorder)
            continue;
        struct ptx_form *form = arena_alloc(matcher->forms.arena, sizeof(*form));
        matcher->failed |= form == NULL;
        if (form == NULL)
            return NULL;
        form->row = insn->row;
        form->pattern = &insn->row->patterns[i];
        form->vec = 1;
        for (unsigned j = 0; j < insn->nmods; j++)
            understand(form, insn->mods[j]);
        form->gated = has_gates(form);
        return form;
    }
    return NULL;
}

/* ---- cache of forms --------------------------------------------------------------------------------- */

struct match_key {
    const struct ptx_row *row;
    uint16_t mods[INSN_MODS];
};

struct match {
    struct match_key key;
    const struct ptx_form *form;
};

const struct ptx_form *ptx_match(struct ptx_matcher *matcher, const struct insn *insn)
{
    struct match_key key = {.row = insn->row};
    size_t length = offsetof(struct match_key, mods) + insn->nmods * sizeof(key.mods[0]);
    memcpy(key.mods, insn->mods, sizeof(key.mods));
    const struct match *known = namemap_key(&matcher->forms, &key, length);
    if (known != NULL)
        return known->form;
    const struct ptx_form *form = make_form(matcher, insn);
    struct match *match = form != NULL ? arena_alloc(matcher->forms.arena, sizeof(*match)) : NULL;
    if (match != NULL) {
        *match = (struct match){key, form};
        namemap_add(&matcher->forms, match, length, 0); /* without memory it is understood again */
    }
    return form;
}

/* ---- targets ---------------------------------------------------------------------------------------- */

/* The first target of the family of an sm number, 0 if it has none. */
static unsigned family(unsigned target)
{
    static const uint8_t families[][2] = {{100, 100}, {103, 100}, {110, 110}, {120, 120}, {121, 120}};
    for (unsigned i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        if (families[i][0] == target)
            return families[i][1];
    return 0;
}

bool ptx_target_has(const char *targets, unsigned target, char suffix)
{
    if (target == 101)
        target = 110; /* its name since PTX 9.0 */
    for (const char *at = targets; *at != 0;) {
        at = skip_spaces(at);
        unsigned sm = read_number(&at, at + strlen(at));
        bool exact = *at++ == 'a';
        if (exact ? suffix == 'a' && target == sm : suffix != 0 && target >= sm && family(target) == family(sm))
            return true;
    }
    return false;
}

/* ---- types ------------------------------------------------------------------------------------------ */

static const struct type_row {
    uint8_t bits;
    char kind;
    uint8_t lane; /* enum lane_type */
} type_rows[PTX_KEYWORDS] = {
    [PTX_pred] = {1, 'p', LANE_PRED},      [PTX_b8] = {8, 'b', LANE_B8},
    [PTX_b16] = {16, 'b', LANE_B16},       [PTX_b32] = {32, 'b', LANE_B32},
    [PTX_b64] = {64, 'b', LANE_B64},       [PTX_b128] = {128, 'b', LANE_B128},
    [PTX_u8] = {8, 'u', LANE_U8},          [PTX_u16] = {16, 'u', LANE_U16},
    [PTX_u32] = {32, 'u', LANE_U32},       [PTX_u64] = {64, 'u', LANE_U64},
    [PTX_s8] = {8, 's', LANE_S8},          [PTX_s16] = {16, 's', LANE_S16},
    [PTX_s32] = {32, 's', LANE_S32},       [PTX_s64] = {64, 's', LANE_S64},
    [PTX_f16] = {16, 'f', LANE_F16},       [PTX_bf16] = {16, 'f', LANE_BF16},
    [PTX_f16x2] = {32, 'f', LANE_F16X2},   [PTX_bf16x2] = {32, 'f', LANE_BF16X2},
    [PTX_f32] = {32, 'f', LANE_F32},       [PTX_tf32] = {32, 'b', LANE_TF32},
    [PTX_f64] = {64, 'f', LANE_F64},       [PTX_f32x2] = {64, 'f', LANE_VOID},
    [PTX_u16x2] = {32, 'u', LANE_U16X2},   [PTX_s16x2] = {32, 's', LANE_S16X2},
    [PTX_e4m3] = {8, 'b', LANE_VOID},      [PTX_e5m2] = {8, 'b', LANE_VOID},
    [PTX_e4m3x2] = {16, 'f', LANE_E4M3X2}, [PTX_e5m2x2] = {16, 'f', LANE_E5M2X2},
    [PTX_e2m3x2] = {16, 'f', LANE_E2M3X2}, [PTX_e3m2x2] = {16, 'f', LANE_E3M2X2},
    [PTX_e2m1x2] = {8, 'f', LANE_E2M1X2},  [PTX_ue8m0x2] = {16, 'f', LANE_UE8M0X2},
    [PTX_e4m3x4] = {32, 'f', LANE_VOID},   [PTX_e5m2x4] = {32, 'f', LANE_VOID},
    [PTX_e2m3x4] = {32, 'f', LANE_VOID},   [PTX_e3m2x4] = {32, 'f', LANE_VOID},
    [PTX_e2m1x4] = {16, 'f', LANE_VOID},   [PTX_u4] = {4, 'u', LANE_VOID},
    [PTX_s4] = {4, 's', LANE_VOID},        [PTX_u2] = {2, 'u', LANE_VOID},
    [PTX_s2] = {2, 's', LANE_VOID},        [PTX_surfref] = {64, 'o', LANE_U64},
    [PTX_texref] = {64, 'o', LANE_U64},    [PTX_samplerref] = {64, 'o', LANE_U64},
};

uint16_t ptx_bits_type(unsigned bits)
{
    static const uint16_t types[] = {PTX_pred, PTX_b8, PTX_b16, PTX_b32, PTX_b64, PTX_b128};
    for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (type_rows[types[i]].bits == bits)
            return types[i];
    return 0;
}

unsigned ptx_type_bits(uint16_t type)
{
    return type < PTX_KEYWORDS ? type_rows[type].bits : 0;
}

char ptx_type_kind(uint16_t type)
{
    return type < PTX_KEYWORDS ? type_rows[type].kind : 0;
}

enum lane_type ptx_type_lane(uint16_t type)
{
    return type < PTX_KEYWORDS ? (enum lane_type)type_rows[type].lane : LANE_VOID;
}

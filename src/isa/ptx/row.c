/* The row engine: finding rows, walking their notation, fitting the modifiers of an instruction to a pattern, and what
 * there is to know about types. Nothing here knows a particular instruction. */
#include "isa/ptx/row.h"

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
    slot->optional = end[-1] == '?';
    slot->words = start;
    slot->length = (unsigned)(end - start) - slot->optional;
    slot->any = slot->length == 1 && *start == '*';
    struct ptx_word word;
    const char *first = start;
    slot->type = !slot->any && ptx_next_word(slot, &first, &word) && ptx_keyword_class(word.keyword) == 'T';
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
    if (*at >= end || slot->any)
        return false;
    const char *start = *at, *stop = start;
    while (stop < end && *stop != '|' && *stop != '@')
        stop++;
    *word = (struct ptx_word){.keyword = (uint16_t)ptx_keyword_find(start, (size_t)(stop - start))};
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

enum { SLOTS = 24 };

/* Does some word of the slot equal the keyword? */
static bool slot_has(const struct ptx_slot *slot, uint16_t keyword)
{
    struct ptx_word word;
    for (const char *at = slot->words; ptx_next_word(slot, &at, &word);)
        if (word.keyword == keyword)
            return true;
    return false;
}

/* The first free slot that takes the keyword; types only fill the leftmost free slot of types. SLOTS = none. */
static unsigned find_slot(const struct ptx_slot *slots, unsigned count, uint32_t filled, uint16_t keyword)
{
    bool type = ptx_keyword_class(keyword) == 'T';
    for (unsigned i = 0; i < count; i++) {
        if (slots[i].any)
            return i;
        if (filled >> i & 1)
            continue;
        if (slot_has(&slots[i], keyword))
            return i;
        if (type && slots[i].type && !slots[i].optional)
            return SLOTS;
    }
    return SLOTS;
}

static bool pattern_fits(const struct ptx_pattern *pattern, const struct insn *insn)
{
    struct ptx_slot slots[SLOTS];
    unsigned count = 0;
    for (const char *at = pattern->mods; count < SLOTS && ptx_next_slot(&at, &slots[count]);)
        count++;
    uint32_t filled = 0;
    for (unsigned i = 0; i < insn->nmods; i++) {
        unsigned slot = find_slot(slots, count, filled, insn->mods[i]);
        if (slot == SLOTS)
            return false;
        filled |= (uint32_t)1 << slot;
    }
    for (unsigned i = 0; i < count; i++)
        if (!(filled >> i & 1) && !slots[i].optional && !slots[i].any)
            return false;
    return true;
}

static void set_first(uint16_t *field, uint16_t keyword)
{
    if (*field == 0)
        *field = keyword;
}

static void understand(struct ptx_form *form, uint16_t keyword)
{
    form->words[keyword / 64] |= (uint64_t)1 << (keyword % 64);
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
    for (const char *at = form->pattern->mods; ptx_next_slot(&at, &slot);)
        for (const char *w = slot.words; ptx_next_word(&slot, &w, &word);)
            if ((word.version | word.target) != 0 && ptx_form_has(form, (enum ptx_keyword)word.keyword))
                return true;
    return false;
}

static const struct ptx_form *make_form(struct arena *arena, const struct insn *insn)
{
    for (unsigned i = 0; i < insn->row->npatterns; i++) {
        if (!pattern_fits(&insn->row->patterns[i], insn))
            continue;
        struct ptx_form *form = arena_alloc(arena, sizeof(*form));
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

struct match_entry {
    const struct ptx_row *row;
    const struct ptx_form *form;
    uint16_t mods[INSN_MODS];
    uint8_t nmods;
};

static uint32_t match_hash(const struct ptx_row *row, const uint16_t *mods, unsigned nmods)
{
    uint64_t hash = (uintptr_t)row;
    for (unsigned i = 0; i < nmods; i++)
        hash = (hash ^ mods[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(hash >> 32) ^ (uint32_t)hash;
}

static struct match_entry **match_place(struct match_entry **table, uint32_t capacity, const struct ptx_row *row,
                                        const uint16_t *mods, unsigned nmods)
{
    uint32_t at = match_hash(row, mods, nmods) & (capacity - 1);
    while (table[at] != NULL && (table[at]->row != row || table[at]->nmods != nmods ||
                                 memcmp(table[at]->mods, mods, nmods * sizeof(mods[0])) != 0))
        at = (at + 1) & (capacity - 1);
    return &table[at];
}

static bool match_grow(struct ptx_matcher *matcher)
{
    uint32_t capacity = matcher->capacity == 0 ? 256 : matcher->capacity * 2;
    struct match_entry **table = arena_array(matcher->arena, capacity, sizeof(struct match_entry *));
    if (table == NULL)
        return false;
    for (uint32_t i = 0; i < matcher->capacity; i++) {
        struct match_entry *entry = matcher->table[i];
        if (entry != NULL)
            *match_place(table, capacity, entry->row, entry->mods, entry->nmods) = entry;
    }
    matcher->table = table;
    matcher->capacity = capacity;
    return true;
}

const struct ptx_form *ptx_match(struct ptx_matcher *matcher, const struct insn *insn)
{
    if (matcher->used * 2 >= matcher->capacity && !match_grow(matcher))
        return NULL;
    struct match_entry **place = match_place(matcher->table, matcher->capacity, insn->row, insn->mods, insn->nmods);
    if (*place != NULL)
        return (*place)->form;
    const struct ptx_form *form = make_form(matcher->arena, insn);
    struct match_entry *entry = form != NULL ? arena_alloc(matcher->arena, sizeof(*entry)) : NULL;
    if (entry == NULL)
        return form;
    entry->row = insn->row;
    entry->form = form;
    entry->nmods = insn->nmods;
    memcpy(entry->mods, insn->mods, sizeof(entry->mods));
    *place = entry;
    matcher->used++;
    return form;
}

/* ---- types ------------------------------------------------------------------------------------------ */

static const struct type_row {
    uint8_t bits;
    char kind;
    uint8_t lane; /* enum lane_type */
} type_rows[PTX_KEYWORDS] = {
    [PTX_pred] = {1, 'p', LANE_PRED},       [PTX_b8] = {8, 'b', LANE_B8},        [PTX_b16] = {16, 'b', LANE_B16},
    [PTX_b32] = {32, 'b', LANE_B32},        [PTX_b64] = {64, 'b', LANE_B64},     [PTX_b128] = {128, 'b', LANE_B128},
    [PTX_u8] = {8, 'u', LANE_U8},           [PTX_u16] = {16, 'u', LANE_U16},     [PTX_u32] = {32, 'u', LANE_U32},
    [PTX_u64] = {64, 'u', LANE_U64},        [PTX_s8] = {8, 's', LANE_S8},        [PTX_s16] = {16, 's', LANE_S16},
    [PTX_s32] = {32, 's', LANE_S32},        [PTX_s64] = {64, 's', LANE_S64},     [PTX_f16] = {16, 'f', LANE_F16},
    [PTX_bf16] = {16, 'f', LANE_BF16},      [PTX_f16x2] = {32, 'f', LANE_F16X2}, [PTX_bf16x2] = {32, 'f', LANE_BF16X2},
    [PTX_f32] = {32, 'f', LANE_F32},        [PTX_tf32] = {32, 'b', LANE_VOID},   [PTX_f64] = {64, 'f', LANE_F64},
    [PTX_f32x2] = {64, 'f', LANE_VOID},     [PTX_u16x2] = {32, 'u', LANE_U16X2}, [PTX_s16x2] = {32, 's', LANE_S16X2},
    [PTX_e4m3] = {8, 'b', LANE_VOID},       [PTX_e5m2] = {8, 'b', LANE_VOID},    [PTX_e4m3x2] = {16, 'b', LANE_VOID},
    [PTX_e5m2x2] = {16, 'b', LANE_VOID},    [PTX_surfref] = {64, 'o', LANE_U64}, [PTX_texref] = {64, 'o', LANE_U64},
    [PTX_samplerref] = {64, 'o', LANE_U64},
};

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

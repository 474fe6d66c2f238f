/* Joined files: shared memory of functions that kernels of any file reach, slots of surface references in the kernels'
 * banks 0, and relocations that are numbers then.
 *
 * A function is the same code in all kernels, so what it has in shared memory or in bank 0 is at one place in all
 * kernels that reach it: at the first that is free in each of them. (nvlink 11.8 does likewise; where exactly it puts
 * things is another order.) Functions whose address is taken may be called by every kernel. */
#include "base/bitset.h"
#include "isa/sass/join.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORK_MOST = 1 << 28,  /* steps */
    BITS_MOST = 1 << 29,  /* of the table of what kernels reach */
    DYNAMIC_ALIGN = 16,   /* of dynamic shared memory, as nvlink 11.8 aligns it */
    SLOT = 4,             /* bytes of a slot in bank 0 */
    BANK_MOST = 1 << 16,  /* bytes of a bank that instructions can name */
    ALIGN_MOST = 1 << 20, /* of a variable */
    BANK_BITS = 5,        /* of a constant operand: the bank's number */
};

/* Where a symbol is, when it is in shared memory or has a slot. */
struct place {
    uint64_t at;
    bool known;
};

struct use {
    uint32_t symbol, text;
};

struct placer {
    struct joiner *j;
    struct sass_module *m;
    unsigned arch;      /* enum sass_arch */
    uint32_t *text_of;  /* of each section: number of the code, from 1; 0 = none */
    uint32_t *sections; /* of each code */
    uint32_t ntexts;
    uint32_t *head, *to; /* code t names code to[head[t]] to to[head[t + 1] - 1] */
    bool *taken;         /* code whose address is anywhere but in calls */
    uint32_t *kernels;   /* functions */
    uint32_t nkernels, words;
    uint64_t *rows;   /* of each code, `words` of bits: kernels that reach it */
    struct use *uses; /* of symbols that get places, by symbol */
    size_t nuses;
    uint64_t *shared, *slots; /* of each kernel: end of what it has so far */
    uint64_t *dynamic;        /* of each code: where dynamic shared memory starts */
    uint8_t **copies;         /* of each code: bytes that may be changed */
    uint32_t *function_of;    /* of each section: its first function, from 1 */
    bool *has_dynamic;        /* of each kernel: it reaches code with dynamic shared memory */
    uint64_t work;
};

static bool spend(struct placer *p, uint64_t steps)
{
    p->work += steps;
    return p->work <= WORK_MOST ||
           error_set(p->j->error, ATOLL_LIMIT, "the files have too many kernels and functions to be joined");
}

/* ---- what kernels reach --------------------------------------------------------------------------------------- */

static bool texts_number(struct placer *p)
{
    const struct sass_module *m = p->m;
    struct arena *arena = p->j->arena;
    p->text_of = arena_array(arena, m->nsections, sizeof *p->text_of);
    p->sections = arena_array(arena, m->nsections, sizeof *p->sections);
    p->taken = arena_array(arena, m->nsections, sizeof *p->taken);
    p->dynamic = arena_array(arena, m->nsections, sizeof *p->dynamic);
    p->copies = arena_array(arena, m->nsections, sizeof *p->copies);
    p->head = arena_array(arena, m->nsections + 1, sizeof *p->head);
    p->to = arena_array(arena, m->nrelocations, sizeof *p->to);
    p->function_of = arena_array(arena, m->nsections, sizeof *p->function_of);
    if (!p->function_of || !p->text_of || !p->sections || !p->taken || !p->dynamic || !p->copies || !p->head || !p->to)
        return error_memory(p->j->error);
    for (uint32_t i = m->nfunctions; i-- > 0;)
        p->function_of[m->functions[i].section] = i + 1;
    for (uint32_t i = 1; i < m->nsections; i++) {
        if (!sass_is_code(&m->sections[i]))
            continue;
        p->sections[p->ntexts++] = i;
        p->text_of[i] = p->ntexts;
    }
    return true;
}

/* The code that a relocation names, from 1; 0: other things. */
static uint32_t text_named(const struct placer *p, const struct sass_relocation *r)
{
    uint32_t section = p->m->symbols[r->symbol].section;
    return section < p->m->nsections ? p->text_of[section] : 0;
}

static bool is_call(const struct placer *p, const struct sass_relocation *r)
{
    const struct sass_section *s = &p->m->sections[r->section];
    if (!p->text_of[r->section] || s->size < 8 || r->offset > s->size - 8)
        return false;
    struct isa_word word = {{bytes_u64(s->bytes + r->offset)}};
    const struct isa_form *form = isa_find(p->j->table, &word, p->arch, NULL);
    return form && sass_calls_address(form);
}

static void edges_find(struct placer *p)
{
    const struct sass_module *m = p->m;
    for (unsigned i = 0; i < m->nrelocations; i++) {
        const struct sass_relocation *r = &m->relocations[i];
        uint32_t to = text_named(p, r), from = p->text_of[r->section];
        if (to && from)
            p->head[from]++; /* counted one further: the ends of the code before */
        if (to && !is_call(p, r) && !sass_is_debugging(&m->sections[r->section]))
            p->taken[to - 1] = true;
    }
    for (uint32_t t = 0; t < p->ntexts; t++)
        p->head[t + 1] += p->head[t];
    for (unsigned i = m->nrelocations; i-- > 0;) {
        uint32_t to = text_named(p, &m->relocations[i]), from = p->text_of[m->relocations[i].section];
        if (to && from)
            p->to[--p->head[from]] = to - 1;
    }
    /* head[t + 1] is where the edges of t start now; head[0] is free */
    memmove(p->head, p->head + 1, p->ntexts * sizeof *p->head);
}

static bool reach(struct placer *p, uint32_t kernel, uint32_t edges, uint32_t *stack)
{
    uint32_t depth = 0, own = p->text_of[p->m->functions[p->kernels[kernel]].section];
    for (uint32_t t = 0; t < p->ntexts; t++) {
        if (t + 1 != own && !p->taken[t])
            continue;
        bitset_add(&p->rows[(size_t)t * p->words], kernel);
        stack[depth++] = t;
    }
    if (!spend(p, p->ntexts))
        return false;
    while (depth) {
        uint32_t t = stack[--depth], end = t + 1 < p->ntexts ? p->head[t + 1] : edges;
        if (!spend(p, end - p->head[t]))
            return false;
        for (uint32_t e = p->head[t]; e < end; e++) {
            uint64_t *row = &p->rows[(size_t)p->to[e] * p->words];
            if (!bitset_has(row, kernel))
                stack[depth++] = p->to[e];
            bitset_add(row, kernel);
        }
    }
    return true;
}

static bool reach_all(struct placer *p)
{
    const struct sass_module *m = p->m;
    struct arena *arena = p->j->arena;
    p->kernels = arena_array(arena, m->nfunctions, sizeof *p->kernels);
    if (!p->kernels)
        return error_memory(p->j->error);
    for (uint32_t i = 0; i < m->nfunctions; i++)
        if (m->functions[i].entry)
            p->kernels[p->nkernels++] = i;
    p->words = (p->nkernels + 63) / 64;
    if ((uint64_t)p->ntexts * p->words * 64 > BITS_MOST)
        return spend(p, WORK_MOST);
    p->rows = arena_array(arena, (size_t)p->ntexts * p->words, sizeof *p->rows);
    uint32_t *stack = arena_array(arena, p->ntexts, sizeof *stack);
    if (!p->rows || !stack)
        return error_memory(p->j->error);
    edges_find(p);
    uint32_t edges = 0;
    for (unsigned i = 0; i < m->nrelocations; i++)
        edges += text_named(p, &m->relocations[i]) && p->text_of[m->relocations[i].section];
    for (uint32_t k = 0; k < p->nkernels; k++)
        if (!reach(p, k, edges, stack))
            return false;
    return true;
}

/* ---- who uses what ---------------------------------------------------------------------------------------- */

static bool is_dynamic(const struct sass_symbol *s)
{
    return join_is_shared(s) && !s->section;
}

static bool is_static(const struct placer *p, const struct sass_symbol *s)
{
    return join_is_shared(s) && s->section && s->section < p->m->nsections &&
           p->m->sections[s->section].type == SASS_SHARED;
}

static int by_symbol(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    return x->symbol != y->symbol ? (x->symbol > y->symbol) - (x->symbol < y->symbol)
                                  : (x->text > y->text) - (x->text < y->text);
}

static bool uses_find(struct placer *p)
{
    const struct sass_module *m = p->m;
    p->uses = arena_array(p->j->arena, m->nrelocations, sizeof *p->uses);
    p->j->place = arena_array(p->j->arena, m->nsymbols, sizeof *p->j->place);
    if (!p->uses || !p->j->place)
        return error_memory(p->j->error);
    for (unsigned i = 0; i < m->nrelocations; i++) {
        const struct sass_relocation *r = &m->relocations[i];
        const struct sass_symbol *s = &m->symbols[r->symbol];
        uint32_t text = p->text_of[r->section];
        if (text && r->type != SASS_R_NONE && (join_is_shared(s) || join_is_reference(s)))
            p->uses[p->nuses++] = (struct use){r->symbol, text - 1};
    }
    if (p->nuses)
        qsort(p->uses, p->nuses, sizeof *p->uses, by_symbol);
    return true;
}

/* The kernels that reach one of uses [first, end). */
static bool users_find(struct placer *p, size_t first, size_t end, uint64_t *users)
{
    memset(users, 0, p->words * sizeof *users);
    for (size_t i = first; i < end; i++)
        bitset_merge(users, &p->rows[(size_t)p->uses[i].text * p->words], p->words);
    return spend(p, (end - first) * p->words + p->nkernels);
}

/* Room at one place in all kernels of the set. */
static uint64_t room_take(const struct placer *p, uint64_t *ends, const uint64_t *set, uint64_t size, uint64_t align)
{
    uint64_t at = 0;
    for (uint32_t k = 0; k < p->nkernels; k++)
        if (bitset_has(set, k) && ends[k] > at)
            at = ends[k];
    at = sass_align_up(at, align);
    for (uint32_t k = 0; k < p->nkernels; k++)
        if (bitset_has(set, k))
            ends[k] = at + size;
    return at;
}

/* ---- shared memory ---------------------------------------------------------------------------------------- */

/* A section of shared memory that no symbol names is where its kernel's code says by number: at 0. */
static bool shared_begin(struct placer *p)
{
    const struct sass_module *m = p->m;
    bool *named = arena_array(p->j->arena, m->nsections, sizeof *named);
    p->shared = arena_array(p->j->arena, p->nkernels, sizeof *p->shared);
    p->slots = arena_array(p->j->arena, p->nkernels, sizeof *p->slots);
    if (!named || !p->shared || !p->slots)
        return error_memory(p->j->error);
    for (uint32_t n = 1; n < m->nsymbols; n++)
        if (is_static(p, &m->symbols[n]))
            named[m->symbols[n].section] = true;
    for (uint32_t k = 0; k < p->nkernels; k++) {
        const struct sass_function *f = &m->functions[p->kernels[k]];
        const struct sass_section *bank = &m->sections[f->constant[0]];
        uint64_t parameters = (uint64_t)f->cbank_offset + f->cbank_size;
        p->shared[k] = f->shared && !named[f->shared] ? f->shared_size : 0;
        p->slots[k] = f->constant[0] && bank->size > parameters ? bank->size : parameters;
    }
    return true;
}

static bool shared_put(struct placer *p, uint32_t symbol, const uint64_t *users)
{
    const struct sass_symbol *s = &p->m->symbols[symbol];
    const struct sass_section *section = &p->m->sections[s->section];
    /* of a variable in shared memory the value is the alignment (ptxas -c) */
    if (s->value & (s->value - 1) || s->value > ALIGN_MOST || s->size > SASS_SHARED_MOST)
        return error_set(p->j->error, ATOLL_INPUT, "%.200s: section %.200s: '%.200s' of absurd size or alignment",
                         section->file, section->name, s->name);
    uint64_t at = room_take(p, p->shared, users, s->size, s->value);
    if (at + s->size > SASS_SHARED_MOST)
        return error_set(p->j->error, ATOLL_LIMIT,
                         "%.200s: section %.200s: no room for '%.200s' in the 16 MiB of shared memory", section->file,
                         section->name, s->name);
    p->j->place[symbol] = (struct place){at, true};
    return true;
}

/* Variables of functions first, as nvlink does, then those of kernels, which are in nobody's way. */
static bool shared_place(struct placer *p, bool of_kernels, uint64_t *users)
{
    const struct sass_module *m = p->m;
    for (size_t i = 0, end; i < p->nuses; i = end) {
        const struct sass_symbol *s = &m->symbols[p->uses[i].symbol];
        for (end = i + 1; end < p->nuses && p->uses[end].symbol == p->uses[i].symbol;)
            end++;
        if (!is_static(p, s) || (strncmp(m->sections[s->section].name, ".nv.shared.", 11) == 0) != of_kernels)
            continue;
        if (!users_find(p, i, end, users) || !shared_put(p, p->uses[i].symbol, users))
            return false;
    }
    return true;
}

/* Dynamic shared memory: after all else, at one place in all kernels that reach the same code with it. Kernels are in
 * one group, chained by `group`, when they do. */
static uint32_t group_of(uint32_t *group, uint32_t kernel)
{
    while (group[kernel] != kernel)
        kernel = group[kernel] = group[group[kernel]];
    return kernel;
}

static bool dynamic_place(struct placer *p)
{
    uint32_t *group = arena_array(p->j->arena, p->nkernels, sizeof *group);
    uint32_t *first = arena_array(p->j->arena, p->ntexts, sizeof *first); /* kernel of code with it, from 1 */
    uint64_t *start = arena_array(p->j->arena, p->nkernels, sizeof *start);
    bool *has_it = p->has_dynamic = arena_array(p->j->arena, p->nkernels, sizeof *has_it);
    if (!group || !first || !start || !has_it)
        return error_memory(p->j->error);
    for (uint32_t k = 0; k < p->nkernels; k++)
        group[k] = k;
    for (size_t i = 0; i < p->nuses; i++) {
        uint32_t t = p->uses[i].text;
        if (!is_dynamic(&p->m->symbols[p->uses[i].symbol]) || first[t])
            continue;
        for (uint32_t k = 0; k < p->nkernels; k++) {
            if (!bitset_has(&p->rows[(size_t)t * p->words], k))
                continue;
            has_it[k] = true;
            first[t] = first[t] ? first[t] : k + 1;
            group[group_of(group, k)] = group_of(group, first[t] - 1);
        }
        if (!spend(p, p->nkernels))
            return false;
    }
    for (uint32_t k = 0; k < p->nkernels; k++) {
        uint64_t *at = &start[group_of(group, k)];
        if (has_it[k] && p->shared[k] > *at)
            *at = (p->shared[k] + DYNAMIC_ALIGN - 1) & ~(uint64_t)(DYNAMIC_ALIGN - 1);
    }
    for (uint32_t k = 0; k < p->nkernels; k++)
        if (has_it[k])
            p->shared[k] = start[group_of(group, k)];
    for (uint32_t t = 0; t < p->ntexts; t++)
        p->dynamic[t] = first[t] ? start[group_of(group, first[t] - 1)] : 0;
    return true;
}

/* Each kernel has a section of shared memory; an empty one says that it is dynamic. */
static bool shared_end(struct placer *p)
{
    for (uint32_t k = 0; k < p->nkernels; k++) {
        struct sass_function *f = &p->m->functions[p->kernels[k]];
        struct text name = {0};
        f->shared = 0;
        f->shared_size = p->shared[k];
        if (!p->shared[k] && !p->has_dynamic[k])
            continue;
        text_printf(&name, ".nv.shared.%s", f->name);
        char *copy = text_ok(&name) ? arena_text(&p->m->arena, name.bytes, name.length) : NULL;
        text_free(&name);
        if (!copy)
            return error_memory(p->j->error);
        f->shared = join_section(p->j, copy, SASS_SHARED, p->shared[k], NULL);
    }
    return true;
}

/* ---- slots of references in bank 0 ------------------------------------------------------------------------ */

static bool slot_add(struct placer *p, uint32_t kernel, uint32_t symbol, uint64_t at)
{
    struct sass_module *m = p->m;
    struct sass_function *f = &m->functions[p->kernels[kernel]];
    struct sass_section *bank = &m->sections[f->constant[0]];
    if (!f->constant[0] || bank->file) { /* not made here */
        uint8_t *bytes = arena_alloc(&m->arena, p->slots[kernel] + 1);
        uint32_t made =
            join_section(p->j, f->constant[0] ? bank->name : ".nv.constant0", SASS_PROGBITS, p->slots[kernel], bytes);
        if (!bytes || !made)
            return error_memory(p->j->error);
        if (f->constant[0] && bank->bytes)
            memcpy(bytes, bank->bytes, bank->size);
        f->constant[0] = made;
    }
    m->relocations = arena_append(&m->arena, m->relocations, m->nrelocations, sizeof *m->relocations);
    if (!m->relocations)
        return error_memory(p->j->error);
    bool surface = (m->symbols[symbol].info & 15) == SASS_SURFACE;
    m->relocations[m->nrelocations++] =
        (struct sass_relocation){.section = f->constant[0],
                                 .type = surface ? SASS_R_SURF_HEADER : SASS_R_TEX_HEADER,
                                 .symbol = symbol,
                                 .offset = at};
    return true;
}

/* Twice through all references: places, and then, when the banks have their sizes, relocations. */
static bool slots_place(struct placer *p, uint64_t *users, bool add)
{
    for (size_t i = 0, end; i < p->nuses; i = end) {
        uint32_t symbol = p->uses[i].symbol;
        struct place *place = &p->j->place[symbol];
        for (end = i + 1; end < p->nuses && p->uses[end].symbol == symbol;)
            end++;
        if (!join_is_reference(&p->m->symbols[symbol]))
            continue;
        if (!users_find(p, i, end, users))
            return false;
        if (!add)
            *place = (struct place){room_take(p, p->slots, users, SLOT, SLOT), true};
        if (place->at + SLOT > BANK_MOST)
            return error_set(p->j->error, ATOLL_LIMIT, "no room for '%.200s' in bank 0 of the kernels that use it",
                             p->m->symbols[symbol].name);
        for (uint32_t k = 0; add && k < p->nkernels; k++)
            if (bitset_has(users, k) && !slot_add(p, k, symbol, place->at))
                return false;
    }
    return true;
}

/* ---- relocations that are numbers ------------------------------------------------------------------------- */

/* The bank that a symbol is in, seen from code of a section; SASS_BANKS: none. */
static unsigned bank_of(const struct placer *p, const struct sass_symbol *s, uint32_t code)
{
    const struct sass_module *m = p->m;
    static const char constant[] = ".nv.constant";
    if (!s->section || s->section >= m->nsections)
        return SASS_BANKS;
    const struct sass_section *section = &m->sections[s->section];
    if (strncmp(section->name, constant, sizeof constant - 1) != 0)
        return SASS_BANKS;
    char *end;
    unsigned long bank = strtoul(section->name + sizeof constant - 1, &end, 10);
    if (bank >= SASS_BANKS || (*end && *end != '.'))
        return SASS_BANKS;
    if (!section->file) /* of the module */
        return (unsigned)bank;
    uint32_t function = p->function_of[code]; /* of a function: its own code alone sees it (lower_memory.c) */
    return function && m->functions[function - 1].constant[bank] == s->section ? (unsigned)bank : SASS_BANKS;
}

static const struct {
    uint8_t type, low, width;
    bool words, bank; /* counted in words; the number of the bank is above */
} fields[] = {
    {SASS_R_ABS32_20, 20, 32, false, false},        {SASS_R_ABS24_20, 20, 24, false, false},
    {SASS_R_ABS16_20, 20, 16, false, false},        {SASS_R_CONST_FIELD19_20, 20, 14, true, true},
    {SASS_R_CONST_FIELD21_20, 20, 16, false, true}, {SASS_R_BINDLESSOFF13_36, 36, 13, true, false},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static uint8_t *copy_of(struct placer *p, uint32_t text)
{
    struct sass_section *s = &p->m->sections[p->sections[text]];
    if (!p->copies[text]) {
        p->copies[text] = arena_alloc(&p->m->arena, s->size + 1);
        if (p->copies[text] && s->size)
            memcpy(p->copies[text], s->bytes, s->size);
        if (p->copies[text])
            s->bytes = p->copies[text];
    }
    return p->copies[text];
}

/* Symbol: bytes of bank 3, which the linker knows. */
#define CONSTANTS_SIZE ".nv.ptx.const0.size"

/* What the symbol of a relocation is in numbers: an offset in shared memory or in a bank. */
static bool value_find(const struct placer *p, const struct sass_relocation *r, uint64_t *at, unsigned *bank)
{
    const struct sass_symbol *s = &p->m->symbols[r->symbol];
    const struct place *place = &p->j->place[r->symbol];
    *bank = 0;
    *at = place->at;
    if (!s->section && strcmp(s->name, CONSTANTS_SIZE) == 0) {
        *at = p->m->sections[p->m->constant3].size;
        return r->type == SASS_R_ABS32_20;
    }
    if (is_dynamic(s)) {
        *at = p->dynamic[p->text_of[r->section] - 1];
        return true;
    }
    if (place->known)
        return join_is_reference(s) == (r->type == SASS_R_BINDLESSOFF13_36 || r->type == SASS_R_CONST_FIELD19_20 ||
                                        r->type == SASS_R_CONST_FIELD21_20);
    *bank = bank_of(p, s, r->section);
    *at = s->value;
    return *bank < SASS_BANKS && r->type != SASS_R_ABS32_20 && r->type != SASS_R_ABS24_20;
}

/* Bits of an instruction. */
static void bits_put(uint8_t *bytes, unsigned low, unsigned width, uint64_t value)
{
    uint64_t mask = ((UINT64_C(1) << width) - 1) << low;
    uint64_t word = (bytes_u64(bytes) & ~mask) | (value << low & mask);
    bytes_put(bytes, word, 8);
}

/* A relocation that does not fit stays, and whoever runs the instruction is told. */
static bool relocation_apply(struct placer *p, struct sass_relocation *r)
{
    unsigned f = 0, bank;
    uint64_t at;
    while (f < FIELDS && fields[f].type != r->type)
        f++;
    const struct sass_section *s = &p->m->sections[r->section];
    if (f == FIELDS || s->size < 8 || r->offset > s->size - 8 || !value_find(p, r, &at, &bank))
        return true;
    if ((join_is_shared(&p->m->symbols[r->symbol]) && (fields[f].words || fields[f].bank)))
        return true;
    unsigned unit = fields[f].words ? 4 : 1;
    uint64_t held = bytes_u64(s->bytes + r->offset) >> fields[f].low & ((UINT64_C(1) << fields[f].width) - 1);
    at += r->has_addend ? (uint64_t)r->addend : held * unit;
    /* It may be negative where it is added to a register. */
    bool below = !fields[f].words && (int64_t)at < 0 && (int64_t)at >= -(INT64_C(1) << (fields[f].width - 1));
    if ((!below && at / unit >> fields[f].width) || at % unit)
        return true;
    uint8_t *bytes = copy_of(p, p->text_of[r->section] - 1);
    if (!bytes)
        return error_memory(p->j->error);
    bits_put(bytes + r->offset, fields[f].low, fields[f].width, at / unit);
    if (fields[f].bank)
        bits_put(bytes + r->offset, fields[f].low + fields[f].width, BANK_BITS, bank);
    r->type = SASS_R_NONE;
    return true;
}

bool join_place(struct joiner *j)
{
    struct placer p = {.j = j, .m = j->out};
    if (!sass_arch_of(j->out->arch, &p.arch))
        return error_set(j->error, ATOLL_UNSUPPORTED, "not supported: code for sm_%u", j->out->arch);
    if (!texts_number(&p) || !reach_all(&p) || !uses_find(&p) || !shared_begin(&p))
        return false;
    uint64_t *users = arena_array(j->arena, p.words, sizeof *users);
    if (!users)
        return error_memory(j->error);
    if (!shared_place(&p, false, users) || !shared_place(&p, true, users) || !dynamic_place(&p) || !shared_end(&p) ||
        !slots_place(&p, users, false) || !slots_place(&p, users, true))
        return false;
    unsigned count = j->out->nrelocations;
    for (unsigned i = 0; i < count; i++)
        if (p.text_of[j->out->relocations[i].section] && !relocation_apply(&p, &j->out->relocations[i]))
            return false;
    return true;
}

/* Joining relocatable files, as nvlink does (rules of nvlink 11.8; tests/test_sass_link.c):
 *   - a name that is not local means one thing in all files: its one definition, else the first weak one, else the
 *     largest common one; two definitions, other sizes or other state spaces are errors
 *   - sections of the module (.nv.global, .nv.global.init, .nv.constant3 ...) are put one after the other
 *   - code and the constants of functions stay as they are: each function sees its own (lower_memory.c)
 *   - what is defined nowhere stays a relocation: only the instruction that has it cannot run
 * Shared memory and slots of references: join_place.c. */
#include "isa/sass/join.h"

#include <string.h>

enum {
    SECTIONS_MOST = 0xff00,
    COMMON = 0xfff2, /* SHN_COMMON: no section yet; the value is the alignment */
    WASTE_MOST = 1 << 26,
    INTERNAL = 1,   /* visibility of what compilers name: parameters, constants */
    BIND_LOCAL = 0, /* st_info >> 4 */
    BIND_WEAK = 2
};

static bool is_data(const struct sass_symbol *s)
{
    return (s->info & 15) == SASS_PARAM || (s->info & 15) == SASS_OBJECT;
}

bool join_is_shared(const struct sass_symbol *s)
{
    return is_data(s) && (s->other & SASS_STATE_SPACE) == SASS_SHARED_SPACE;
}

bool join_is_reference(const struct sass_symbol *s)
{
    unsigned type = s->info & 15;
    return type == SASS_TEXTURE || type == SASS_SAMPLER || type == SASS_SURFACE;
}

uint32_t join_section(struct joiner *j, const char *name, uint32_t type, uint64_t size, const uint8_t *bytes)
{
    struct sass_module *m = j->out;
    if (m->nsections >= j->room)
        return 0;
    m->sections[m->nsections] =
        (struct sass_section){.name = name, .type = type, .align = 1, .size = size, .bytes = bytes};
    return m->nsections++;
}

static unsigned part_of(const struct joiner *j, uint32_t symbol)
{
    unsigned p = j->count - 1;
    while (p && symbol < j->symbol_base[p] + 1)
        p--;
    return p;
}

/* ---- names ------------------------------------------------------------------------------------------------- */

enum rank { UNDEFINED, COMMON_ONE, WEAK, STRONG };

static enum rank rank_of(const struct sass_symbol *s)
{
    if (!s->section)
        return UNDEFINED;
    return s->section == COMMON ? COMMON_ONE : s->info >> 4 == BIND_WEAK ? WEAK : STRONG;
}

static const char *differ(const struct sass_symbol *a, const struct sass_symbol *b)
{
    const char *twice = rank_of(a) == STRONG && rank_of(b) == STRONG ? "is defined" : NULL;
    bool known = (a->info & 15) != SASS_NOTYPE && (b->info & 15) != SASS_NOTYPE;
    if (!known)
        return twice;
    if (is_data(a) != is_data(b) || (!is_data(a) && (a->info & 15) != (b->info & 15)))
        return "is something else";
    if (!is_data(a))
        return twice;
    unsigned spaces = (a->other ^ b->other) & SASS_STATE_SPACE;
    if (spaces && a->other & SASS_STATE_SPACE && b->other & SASS_STATE_SPACE)
        return "is in another state space";
    bool common = a->section == COMMON || b->section == COMMON;
    if (!common && a->size && b->size && a->size != b->size)
        return "has another size";
    if ((rank_of(a) == COMMON_ONE && rank_of(b) > COMMON_ONE && a->size > b->size) ||
        (rank_of(b) == COMMON_ONE && rank_of(a) > COMMON_ONE && b->size > a->size))
        return "is .common in one file, and larger than its definition";
    return twice;
}

/* Symbol n joins those of its name, of which `known` is the best so far. */
static bool name_join(struct joiner *j, uint32_t n, uint32_t *known)
{
    const struct sass_symbol *a = &j->out->symbols[*known], *b = &j->out->symbols[n];
    const char *what = differ(a, b);
    if (what && strcmp(what, "is defined") == 0)
        return error_set(j->error, ATOLL_INVALID, "%.200s: '%.200s' is defined in %.200s too",
                         j->parts[part_of(j, n)].file, b->name, j->parts[part_of(j, *known)].file);
    if (what)
        return error_set(j->error, ATOLL_INVALID, "%.200s: '%.200s' %s in %.200s", j->parts[part_of(j, *known)].file,
                         b->name, what, j->parts[part_of(j, n)].file);
    enum rank old = rank_of(a), now = rank_of(b);
    if (now > old || (now == COMMON_ONE && old == COMMON_ONE && b->size > a->size))
        *known = n;
    return true;
}

static bool names_join(struct joiner *j)
{
    struct sass_module *m = j->out;
    struct namemap names = {0};
    bool ok = true;
    uint32_t *best = arena_array(j->arena, m->nsymbols, sizeof *best); /* of the first symbol of a name */
    if (!best)
        return error_memory(j->error);
    for (uint32_t n = 1; ok && n < m->nsymbols; n++) {
        const struct sass_symbol *s = &m->symbols[n];
        j->meaning[n] = n;
        if (s->info >> 4 == BIND_LOCAL || !s->name[0] || (s->info & 15) == SASS_SECTION)
            continue;
        uint32_t first = namemap_find(&names, s->name, strlen(s->name));
        if (first == UINT32_MAX) {
            best[n] = n;
            ok = namemap_add(&names, s->name, strlen(s->name), n) || error_memory(j->error);
        } else {
            j->meaning[n] = first;
            ok = name_join(j, n, &best[first]);
        }
    }
    for (uint32_t n = 1; ok && n < m->nsymbols; n++) { /* first of the name -> best of the name */
        uint32_t first = j->meaning[n];
        j->meaning[n] = best[first] ? best[first] : first;
    }
    namemap_free(&names);
    return ok;
}

/* ---- sections of the module ---------------------------------------------------------------------------------- */

/* The pieces of this name get their places; 0: there are none. *filled: bytes that are in files. */
static unsigned pieces_place(struct joiner *j, const char *name, uint64_t *size, uint64_t *filled)
{
    const struct sass_module *m = j->out;
    unsigned count = 0;
    *size = *filled = 0;
    for (uint32_t i = 1; i < j->section_base[j->count]; i++) {
        const struct sass_section *s = &m->sections[i];
        if (strcmp(s->name, name) != 0)
            continue;
        count++;
        j->placed[i] = sass_align_up(*size, s->align);
        *size = j->placed[i] + s->size;
        *filled += s->bytes ? s->size : 0;
    }
    return count;
}

static bool section_merge(struct joiner *j, const char *name, uint32_t *made)
{
    struct sass_module *m = j->out;
    uint64_t size, filled;
    uint32_t last = m->nsections;
    uint8_t *bytes = NULL;
    *made = 0;
    if (!pieces_place(j, name, &size, &filled))
        return true;
    if (filled && size - filled > WASTE_MOST)
        return error_set(j->error, ATOLL_LIMIT, "the sections %.200s of all files are too large", name);
    if (filled) {
        bytes = arena_alloc(&m->arena, size + 1);
        if (!bytes)
            return error_memory(j->error);
    }
    *made = join_section(j, name, filled ? SASS_PROGBITS : SASS_NOBITS, size, bytes);
    for (uint32_t i = 1; i < last; i++) {
        struct sass_section *s = &m->sections[i];
        if (strcmp(s->name, name) != 0)
            continue;
        if (s->bytes && s->size)
            memcpy(bytes + j->placed[i], s->bytes, s->size);
        j->merged[i] = *made;
    }
    return true;
}

static bool sections_merge(struct joiner *j)
{
    struct sass_module *m = j->out;
    if (!section_merge(j, ".nv.global", &m->global) || !section_merge(j, ".nv.global.init", &m->global_init))
        return false;
    for (unsigned bank = 1; bank < SASS_BANKS; bank++) {
        char *name = arena_text(&m->arena, ".nv.constant??", 14);
        uint32_t made;
        if (!name)
            return error_memory(j->error);
        char *end = name + strlen(".nv.constant");
        if (bank >= 10)
            *end++ = '1';
        *end++ = (char)('0' + bank % 10);
        *end = 0;
        if (!section_merge(j, name, &made))
            return false;
        if (bank == 3)
            m->constant3 = made;
        if (bank == 4)
            m->constant4 = made;
    }
    for (uint32_t i = 1; i < j->section_base[j->count]; i++)
        if (j->merged[i]) /* it has no memory of its own any more */
            m->sections[i].name = "";
    return true;
}

static bool sections_copy(struct joiner *j)
{
    struct sass_module *m = j->out;
    uint64_t total = 1, kernels = 0;
    for (unsigned p = 0; p < j->count; p++) {
        const struct sass_module *part = j->parts[p].module;
        total += part->nsections - 1;
        for (unsigned i = 0; i < part->nfunctions; i++)
            kernels += part->functions[i].entry;
    }
    /* Two of each kernel (join_place.c), the module's, common variables. */
    uint64_t room = total + 2 * kernels + 3 + SASS_BANKS;
    if (room >= SECTIONS_MOST)
        return error_set(j->error, ATOLL_LIMIT, "%llu sections in all files are too many", (unsigned long long)room);
    j->room = (uint32_t)room;
    m->sections = arena_array(&m->arena, room, sizeof *m->sections);
    j->merged = arena_array(j->arena, room, sizeof *j->merged);
    j->placed = arena_array(j->arena, room, sizeof *j->placed);
    if (!m->sections || !j->merged || !j->placed)
        return error_memory(j->error);
    m->sections[0].name = "";
    m->nsections = 1;
    for (unsigned p = 0; p < j->count; p++) {
        const struct sass_module *part = j->parts[p].module;
        j->section_base[p] = m->nsections - 1;
        for (uint32_t i = 1; i < part->nsections; i++) {
            m->sections[m->nsections] = part->sections[i];
            m->sections[m->nsections++].file = j->parts[p].file;
        }
    }
    j->section_base[j->count] = m->nsections;
    return true;
}

/* ---- symbols ---------------------------------------------------------------------------------------------------- */

static bool symbols_copy(struct joiner *j)
{
    struct sass_module *m = j->out;
    uint64_t total = 1;
    for (unsigned p = 0; p < j->count; p++)
        total += j->parts[p].module->nsymbols;
    if (total > UINT32_MAX)
        return error_set(j->error, ATOLL_LIMIT, "the files have too many symbols");
    m->symbols = arena_array(&m->arena, total, sizeof *m->symbols);
    j->meaning = arena_array(j->arena, total, sizeof *j->meaning);
    if (!m->symbols || !j->meaning)
        return error_memory(j->error);
    m->symbols[0].name = "";
    m->nsymbols = 1;
    for (unsigned p = 0; p < j->count; p++) {
        const struct sass_module *part = j->parts[p].module;
        j->symbol_base[p] = m->nsymbols - 1;
        for (uint32_t i = 1; i < part->nsymbols; i++) {
            struct sass_symbol *s = &m->symbols[m->nsymbols++];
            *s = part->symbols[i];
            if (s->section && s->section < SECTIONS_MOST)
                s->section = (uint16_t)(j->section_base[p] + s->section);
        }
    }
    return true;
}

/* A variable's place in the merged section. */
static bool symbol_move(struct joiner *j, struct sass_symbol *s)
{
    uint32_t section = s->section < SECTIONS_MOST ? s->section : 0;
    const struct sass_section *piece = &j->out->sections[section];
    if (!section || !j->merged[section])
        return true;
    if (s->value > piece->size || s->size > piece->size - s->value)
        return error_set(j->error, ATOLL_INPUT, "%.200s: variable '%.200s' does not lie in its section", piece->file,
                         s->name);
    s->value += j->placed[section];
    s->section = (uint16_t)j->merged[section];
    if ((s->info & 15) == SASS_PARAM && (s->other & 3) != INTERNAL) /* the host may ask for it */
        s->info = (uint8_t)((s->info & 0xf0) | SASS_OBJECT);
    return true;
}

/* Common variables get memory; what gives way to another symbol of its name means nothing any more. */
static bool symbols_settle(struct joiner *j)
{
    struct sass_module *m = j->out;
    uint64_t end = 0;
    for (uint32_t n = 1; n < m->nsymbols; n++) {
        struct sass_symbol *s = &m->symbols[n];
        if (!symbol_move(j, s))
            return false;
        if (j->meaning[n] != n) {
            *s = (struct sass_symbol){.name = ""};
            continue;
        }
        if (s->section != COMMON || !is_data(s))
            continue;
        if (s->value & (s->value - 1) || s->value > 1 << 20 || s->size >> 36)
            return error_set(j->error, ATOLL_INPUT, "%.200s: .common variable '%.200s' of absurd size or alignment",
                             j->parts[part_of(j, n)].file, s->name);
        s->value = sass_align_up(end, s->value);
        end = s->value + s->size;
        s->section = (uint16_t)m->nsections;
        s->info = (uint8_t)((s->info & 0xf0) | SASS_OBJECT);
    }
    return !end || join_section(j, ".nv.global.common", SASS_NOBITS, end, NULL) || error_memory(j->error);
}

/* ---- functions, relocations ------------------------------------------------------------------------------- */

static bool functions_copy(struct joiner *j)
{
    struct sass_module *m = j->out;
    uint64_t total = 0;
    for (unsigned p = 0; p < j->count; p++)
        total += j->parts[p].module->nfunctions;
    m->functions = arena_array(&m->arena, total, sizeof *m->functions);
    if (!m->functions)
        return error_memory(j->error);
    for (unsigned p = 0; p < j->count; p++) {
        const struct sass_module *part = j->parts[p].module;
        uint32_t base = j->section_base[p];
        for (unsigned i = 0; i < part->nfunctions; i++) {
            struct sass_function f = part->functions[i];
            f.symbol += j->symbol_base[p];
            if (j->meaning[f.symbol] != f.symbol) /* weak: another file's stands for it */
                continue;
            f.section += base;
            for (unsigned bank = 0; bank < SASS_BANKS; bank++)
                f.constant[bank] += f.constant[bank] ? base : 0;
            f.info += f.info ? base : 0;
            f.shared += f.shared ? base : 0;
            f.local += f.local ? base : 0;
            m->functions[m->nfunctions++] = f;
        }
    }
    return true;
}

static bool relocations_copy(struct joiner *j)
{
    struct sass_module *m = j->out;
    for (unsigned p = 0; p < j->count; p++) {
        const struct sass_module *part = j->parts[p].module;
        for (unsigned i = 0; i < part->nrelocations; i++) {
            struct sass_relocation r = part->relocations[i];
            uint32_t section = j->section_base[p] + r.section;
            r.symbol = r.symbol ? j->meaning[j->symbol_base[p] + r.symbol] : 0;
            r.section = j->merged[section] ? j->merged[section] : section;
            r.offset += j->merged[section] ? j->placed[section] : 0;
            m->relocations = arena_append(&m->arena, m->relocations, m->nrelocations, sizeof r);
            if (!m->relocations)
                return error_memory(j->error);
            m->relocations[m->nrelocations++] = r;
        }
    }
    return true;
}

/* ---- what nobody defines ---------------------------------------------------------------------------------- */

static bool is_missing(const struct joiner *j, const struct sass_relocation *r)
{
    const struct sass_symbol *s = &j->out->symbols[r->symbol];
    bool known = join_is_reference(s) || join_is_shared(s) || strncmp(s->name, ".nv.", 4) == 0;
    return r->type != SASS_R_NONE && !s->section && s->name[0] && !known && !sass_is_service(s->name) &&
           !sass_is_debugging(&j->out->sections[r->section]);
}

/* A warning for each: code that does not get there runs. */
static bool missing_tell(struct joiner *j)
{
    struct sass_module *m = j->out;
    bool *told = arena_array(j->arena, m->nsymbols, sizeof *told);
    if (!told)
        return error_memory(j->error);
    for (unsigned i = 0; i < m->nrelocations; i++) {
        const struct sass_relocation *r = &m->relocations[i];
        const struct sass_section *s = &m->sections[r->section];
        if (told[r->symbol] || !is_missing(j, r))
            continue;
        struct text what = {0};
        const char *type = sass_relocation_name(r->type);
        text_printf(&what, "'%.200s' is defined in none of the files (%.200s%s%.200s, %s)", m->symbols[r->symbol].name,
                    s->file ? s->file : "", s->file ? ", " : "", s->name, type ? type : "relocation of unknown type");
        m->warnings = arena_append(&m->arena, m->warnings, m->nwarnings, sizeof *m->warnings);
        const char *copy = text_ok(&what) ? arena_text(&m->arena, what.bytes, what.length) : NULL;
        text_free(&what);
        if (!m->warnings || !copy)
            return error_memory(j->error);
        m->warnings[m->nwarnings++] = (struct sass_warning){.text = copy};
        told[r->symbol] = true;
    }
    return true;
}

/* ---- all -------------------------------------------------------------------------------------------------- */

static bool parts_check(struct joiner *j)
{
    const struct sass_module *first = j->parts[0].module;
    for (unsigned p = 0; p < j->count; p++) {
        const struct sass_module *m = j->parts[p].module;
        if (!m->relocatable)
            return error_set(j->error, ATOLL_INPUT,
                             "%.200s is linked already (ET_EXEC): only relocatable files can be joined",
                             j->parts[p].file);
        if (m->arch != first->arch)
            return error_set(j->error, ATOLL_INPUT, "%.200s is for sm_%u, %.200s is for sm_%u: they cannot be joined",
                             j->parts[0].file, first->arch, j->parts[p].file, m->arch);
    }
    return true;
}

static bool join_all(struct joiner *j)
{
    const struct sass_module *first = j->parts[0].module;
    struct sass_module *m = j->out;
    m->arch = first->arch;
    m->virtual_arch = first->virtual_arch;
    m->toolkit = first->toolkit;
    m->relocatable = true;
    m->files = j->count;
    m->osabi = first->osabi;
    m->abi = first->abi;
    m->flags = first->flags;
    m->version = first->version;
    j->section_base = arena_array(j->arena, j->count + 1, sizeof *j->section_base);
    j->symbol_base = arena_array(j->arena, j->count + 1, sizeof *j->symbol_base);
    if (!j->section_base || !j->symbol_base)
        return error_memory(j->error);
    return parts_check(j) && sections_copy(j) && symbols_copy(j) && names_join(j) && sections_merge(j) &&
           functions_copy(j) && relocations_copy(j) && symbols_settle(j) && join_place(j) &&
           sass_name_sections(m, j->error) && (j->count == 1 || missing_tell(j));
}

bool sass_join_files(const struct isa_table *table, const struct sass_part *parts, unsigned count,
                     struct sass_module *joined, struct atoll_error *error)
{
    struct arena arena = {0};
    struct joiner j = {.table = table, .parts = parts, .count = count, .out = joined, .arena = &arena, .error = error};
    *joined = (struct sass_module){0};
    bool ok = join_all(&j);
    arena_free(&arena);
    return ok;
}

/* The words of the text form of modules, and what its sections usually say. */
#include "isa/sass/listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct sass_word sass_section_types[] = {
    {"progbits", SASS_PROGBITS},
    {"nobits", SASS_NOBITS},
    {"symtab", SASS_SYMTAB},
    {"strtab", SASS_STRTAB},
    {"rel", SASS_REL},
    {"rela", SASS_RELA},
    {"note", SASS_NOTE},
    {"SHT_CUDA_INFO", SASS_INFO},
    {"SHT_CUDA_CALLGRAPH", SASS_CALLGRAPH},
    {"SHT_CUDA_PROTOTYPE", SASS_PROTOTYPE},
    {"SHT_CUDA_GLOBAL", SASS_GLOBAL},
    {"SHT_CUDA_GLOBAL_INIT", SASS_GLOBAL_INIT},
    {"SHT_CUDA_SHARED", SASS_SHARED},
    {"SHT_CUDA_RELOCINFO", SASS_RELOCINFO},
    {"SHT_CUDA_CONSTANT_B0", SASS_CONSTANT + 0},
    {"SHT_CUDA_CONSTANT_B1", SASS_CONSTANT + 1},
    {"SHT_CUDA_CONSTANT_B2", SASS_CONSTANT + 2},
    {"SHT_CUDA_CONSTANT_B3", SASS_CONSTANT + 3},
    {"SHT_CUDA_CONSTANT_B4", SASS_CONSTANT + 4},
    {"SHT_CUDA_CONSTANT_B5", SASS_CONSTANT + 5},
    {"SHT_CUDA_CONSTANT_B6", SASS_CONSTANT + 6},
    {"SHT_CUDA_CONSTANT_B7", SASS_CONSTANT + 7},
    {"SHT_CUDA_CONSTANT_B8", SASS_CONSTANT + 8},
    {"SHT_CUDA_CONSTANT_B9", SASS_CONSTANT + 9},
    {"SHT_CUDA_CONSTANT_B10", SASS_CONSTANT + 10},
    {"SHT_CUDA_CONSTANT_B11", SASS_CONSTANT + 11},
    {"SHT_CUDA_CONSTANT_B12", SASS_CONSTANT + 12},
    {"SHT_CUDA_CONSTANT_B13", SASS_CONSTANT + 13},
    {"SHT_CUDA_CONSTANT_B14", SASS_CONSTANT + 14},
    {"SHT_CUDA_CONSTANT_B15", SASS_CONSTANT + 15},
    {"SHT_CUDA_CONSTANT_B16", SASS_CONSTANT + 16},
    {"SHT_CUDA_CONSTANT_B17", SASS_CONSTANT + 17},
    {NULL, 0},
};

const struct sass_word sass_section_letters[] = {
    {"a", SASS_ALLOC}, {"w", SASS_WRITE}, {"x", SASS_EXECUTE}, {"I", SASS_INFO_LINK}, {NULL, 0},
};

const struct sass_word sass_symbol_types[] = {
    {"notype", SASS_NOTYPE},
    {"object", SASS_OBJECT},
    {"function", SASS_FUNC},
    {"section", SASS_SECTION},
    {"STT_CUDA_TEXTURE", SASS_TEXTURE},
    {"STT_CUDA_SAMPLER", SASS_SAMPLER},
    {"STT_CUDA_SURFACE", SASS_SURFACE},
    {"STT_CUDA_OBJECT", SASS_PARAM},
    {NULL, 0},
};

const struct sass_word sass_symbol_binds[] = {{"local", 0}, {"global", 1}, {"weak", 2}, {NULL, 0}};

const struct sass_word sass_symbol_others[] = {
    {"STO_CUDA_ENTRY", SASS_ENTRY},
    {"STO_CUDA_GLOBAL", 0x20},
    {"STO_CUDA_SHARED", 0x40},
    {"STO_CUDA_LOCAL", 0x60},
    {"STO_CUDA_CONSTANT", 0x80},
    {"STO_CUDA_OBSCURE", 8},
    {"STO_CUDA_MANAGED", 4},
    {"STV_DEFAULT", 0},
    {"STV_INTERNAL", 1},
    {"STV_HIDDEN", 2},
    {"STV_PROTECTED", 3},
    {NULL, 0},
};

const struct sass_word sass_header_flags[] = {
    {"EF_CUDA_TEXMODE_UNIFIED", 0x100},     {"EF_CUDA_TEXMODE_INDEPENDENT", 0x200},
    {"EF_CUDA_TEXMODE_INDEPENDANT", 0x200}, /* as older listings of Atoll have it */
    {"EF_CUDA_64BIT_ADDRESS", 0x400},       {"EF_CUDA_SW_1729687", 0x800},
    {"EF_CUDA_SW_1729687_v2", 0x1000},      {NULL, 0},
};

const char *sass_word_of(const struct sass_word *words, uint64_t value)
{
    for (; words->name; words++)
        if (words->value == value)
            return words->name;
    return NULL;
}

bool sass_word_value(const struct sass_word *words, const char *name, size_t length, uint64_t *value)
{
    for (; words->name; words++)
        if (strlen(words->name) == length && memcmp(words->name, name, length) == 0) {
            *value = words->value;
            return true;
        }
    return false;
}

uint32_t sass_usual_link(const struct sass_module *module, uint32_t section)
{
    const struct sass_section *s = &module->sections[section];
    switch (s->type) {
    case SASS_SYMTAB:
        return module->strtab;
    case SASS_INFO:
    case SASS_REL:
    case SASS_RELA:
    case SASS_CALLGRAPH:
    case SASS_PROTOTYPE:
        return module->symtab;
    default:
        return sass_is_text(s) ? module->symtab : 0;
    }
}

static uint32_t first_global(const struct sass_module *module)
{
    uint32_t i = 0;
    while (i < module->nsymbols && module->symbols[i].info >> 4 == 0)
        i++;
    return i;
}

static uint32_t symbol_named(const struct sass_module *module, const char *name, unsigned type)
{
    for (uint32_t i = 1; i < module->nsymbols; i++)
        if ((module->symbols[i].info & 15) == type && strcmp(module->symbols[i].name, name) == 0)
            return i;
    return 0;
}

uint32_t sass_usual_info(const struct sass_module *module, uint32_t section)
{
    const struct sass_section *s = &module->sections[section];
    static const char *const of_text[] = {".nv.info.", ".nv.shared.", ".nv.local."};
    char text[1024];
    const char *name = NULL;
    if (s->type == SASS_SYMTAB)
        return first_global(module);
    if (s->type == SASS_REL || s->type == SASS_RELA) {
        size_t skip = s->type == SASS_REL ? 4 : 5;
        return strlen(s->name) > skip ? sass_find_section(module, s->name + skip) : 0;
    }
    if (sass_is_text(s))
        return strncmp(s->name, ".text.", 6) == 0 ? symbol_named(module, s->name + 6, SASS_FUNC) : 0;
    for (unsigned i = 0; i < 3; i++)
        if (strncmp(s->name, of_text[i], strlen(of_text[i])) == 0)
            name = s->name + strlen(of_text[i]);
    if (strncmp(s->name, ".nv.constant", 12) == 0) {
        name = s->name + 12;
        while (*name >= '0' && *name <= '9')
            name++;
        name = *name == '.' ? name + 1 : NULL;
    }
    if (!name || snprintf(text, sizeof text, ".text.%s", name) >= (int)sizeof text)
        return 0;
    return sass_find_section(module, text);
}

static bool fits_label(const struct sass_module *module, const struct sass_symbol *s)
{
    if (!s->name[0] || s->section == 0 || s->section >= module->nsections || (s->info & 15) > SASS_FUNC)
        return false;
    const struct sass_section *section = &module->sections[s->section];
    bool data = section->type == SASS_PROGBITS || sass_is_empty(section->type);
    if (!data || s->value >= section->size || s->size > section->size - s->value)
        return false;
    if (sass_is_text(section) && (s->value % SASS_BUNDLE || s->size % SASS_BUNDLE || section->size % SASS_BUNDLE))
        return false;
    return strcmp(s->name, section->name) != 0;
}

static int by_section_and_name(const void *a, const void *b)
{
    const struct sass_symbol *p = *(const struct sass_symbol *const *)a, *q = *(const struct sass_symbol *const *)b;
    return p->section != q->section ? p->section - q->section : strcmp(p->name, q->name);
}

bool *sass_labels(const struct sass_module *module, struct arena *arena)
{
    bool *flags = arena_array(arena, module->nsymbols, sizeof *flags);
    const struct sass_symbol **sorted = arena_array(arena, module->nsymbols, sizeof *sorted);
    if (!flags || !sorted)
        return NULL;
    for (uint32_t i = 0; i < module->nsymbols; i++)
        sorted[i] = &module->symbols[i];
    if (module->nsymbols)
        qsort(sorted, module->nsymbols, sizeof(void *), by_section_and_name);
    for (uint32_t i = 0; i < module->nsymbols; i++) {
        bool twice = (i > 0 && by_section_and_name(&sorted[i - 1], &sorted[i]) == 0) ||
                     (i + 1 < module->nsymbols && by_section_and_name(&sorted[i], &sorted[i + 1]) == 0);
        flags[sorted[i] - module->symbols] = !twice && fits_label(module, sorted[i]);
    }
    return flags;
}

uint32_t sass_symbol_words(unsigned code)
{
    switch (code) {
    case SASS_A_EXTERNS:
        return UINT32_MAX;
    case SASS_A_PARAM_CBANK:
    case SASS_A_FRAME_SIZE:
    case SASS_A_MIN_STACK_SIZE:
    case SASS_A_MAX_STACK_SIZE:
    case SASS_A_REGCOUNT:
        return 1;
    default:
        return 0;
    }
}

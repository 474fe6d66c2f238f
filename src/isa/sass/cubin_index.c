/* What the sections and symbols of a cubin mean: functions with their attributes, constant banks and memory;
 * relocations. */
#include "isa/sass/cubin.h"

#include <stdlib.h>
#include <string.h>

struct indexer {
    struct sass_module *module;
    struct atoll_error *error;
    struct text name; /* room for one */
    bool *taken;      /* sections .nv.info.K that a function has */
};

static bool place_error(struct indexer *x, uint32_t section, uint64_t at, const char *what)
{
    const struct sass_section *s = &x->module->sections[section];
    return error_set(x->error, ATOLL_INPUT, "cubin: section %u (%.200s), offset 0x%llx: %s", section, s->name,
                     (unsigned long long)(s->offset + at), what);
}

bool sass_name_sections(struct sass_module *module, struct atoll_error *error)
{
    namemap_free(&module->section_names);
    for (uint32_t i = 1; i < module->nsections; i++)
        if (!namemap_add(&module->section_names, module->sections[i].name, strlen(module->sections[i].name), i))
            return error_memory(error);
    module->repeated_names = module->section_names.count + 1 < module->nsections;
    return true;
}

bool sass_is_code(const struct sass_section *section)
{
    return section->type == SASS_PROGBITS && (section->flags & SASS_EXECUTE) != 0 && section->bytes;
}

bool sass_is_debugging(const struct sass_section *section)
{
    return strncmp(section->name, ".debug_", 7) == 0 || strncmp(section->name, ".nv_debug", 9) == 0;
}

uint32_t sass_find_section(const struct sass_module *module, const char *name)
{
    uint32_t section = namemap_find(&module->section_names, name, strlen(name));
    return section == UINT32_MAX ? 0 : section;
}

const struct sass_function *sass_find_function(const struct sass_module *module, const char *name)
{
    for (unsigned i = 0; i < module->nfunctions; i++)
        if (strcmp(module->functions[i].name, name) == 0)
            return &module->functions[i];
    return NULL;
}

/* ---- relocations ------------------------------------------------------------------------------------- */

static bool relocation_read(struct indexer *x, uint32_t section, const uint8_t *p, uint64_t at)
{
    struct sass_module *m = x->module;
    const struct sass_section *s = &m->sections[section];
    struct sass_relocation *r = &m->relocations[m->nrelocations++];
    *r = (struct sass_relocation){.section = s->info,
                                  .offset = bytes_u64(p),
                                  .type = bytes_u32(p + 8),
                                  .symbol = bytes_u32(p + 12),
                                  .has_addend = s->type == SASS_RELA};
    if (r->has_addend)
        r->addend = (int64_t)bytes_u64(p + 16);
    if (r->symbol >= m->nsymbols)
        return place_error(x, section, at, "a relocation by a symbol that is not there");
    if (r->offset > m->sections[r->section].size || m->sections[r->section].size - r->offset < 4)
        return place_error(x, section, at, "a relocation outside of its section");
    return true;
}

static bool is_relocations(const struct sass_section *s)
{
    return s->type == SASS_REL || s->type == SASS_RELA;
}

static uint64_t relocation_size(const struct sass_section *s)
{
    return s->type == SASS_RELA ? 24 : 16;
}

static bool relocations_read(struct indexer *x)
{
    struct sass_module *m = x->module;
    uint64_t count = 0;
    for (uint32_t i = 1; i < m->nsections; i++) {
        const struct sass_section *s = &m->sections[i];
        if (!is_relocations(s))
            continue;
        if (s->size % relocation_size(s) || s->entry != relocation_size(s))
            return place_error(x, i, 0, "relocations that are not 16 (REL) or 24 (RELA) bytes long");
        if (s->info == 0 || s->info >= m->nsections)
            return place_error(x, i, 0, "relocations of a section that is not there");
        count += s->size / relocation_size(s);
    }
    m->relocations = arena_array(&m->arena, count, sizeof *m->relocations);
    m->nrelocations = 0;
    if (!m->relocations)
        return error_memory(x->error);
    for (uint32_t i = 1; i < m->nsections; i++) {
        const struct sass_section *s = &m->sections[i];
        for (uint64_t at = 0; is_relocations(s) && at < s->size; at += relocation_size(s))
            if (!relocation_read(x, i, s->bytes + at, at))
                return false;
    }
    return true;
}

static bool bits_put(uint8_t *bytes, uint64_t size, uint64_t offset, unsigned bytes_wide, unsigned low, unsigned width,
                     uint64_t value, struct atoll_error *error)
{
    if (offset > size || size - offset < bytes_wide)
        return error_set(error, ATOLL_INPUT, "relocation at 0x%llx lies outside of its section",
                         (unsigned long long)offset);
    uint64_t word = bytes_get(bytes + offset, bytes_wide),
             mask = (width == 64 ? ~UINT64_C(0) : (UINT64_C(1) << width) - 1) << low;
    bytes_put(bytes + offset, (word & ~mask) | (value << low & mask), bytes_wide);
    return true;
}

static const struct {
    uint8_t type, bytes, low, width, shift; /* value >> shift goes to `width` bits from `low` of `bytes` bytes */
} applications[] = {
    {SASS_R_32, 4, 0, 32, 0},        {SASS_R_64, 8, 0, 64, 0},           {SASS_R_G32, 4, 0, 32, 0},
    {SASS_R_G64, 8, 0, 64, 0},       {SASS_R_TEX_HEADER, 4, 0, 20, 0},   {SASS_R_SURF_HEADER, 4, 0, 20, 0},
    {SASS_R_ABS32_20, 8, 20, 32, 0}, {SASS_R_ABS32_LO_20, 8, 20, 32, 0}, {SASS_R_ABS32_HI_20, 8, 20, 32, 32},
};

bool sass_relocate(const struct sass_relocation *relocation, uint64_t value, uint8_t *bytes, uint64_t size,
                   struct atoll_error *error)
{
    if (relocation->type == SASS_R_NONE)
        return true;
    for (size_t i = 0; i < sizeof applications / sizeof applications[0]; i++)
        if (applications[i].type == relocation->type)
            return bits_put(bytes, size, relocation->offset, applications[i].bytes, applications[i].low,
                            applications[i].width, (value + (uint64_t)relocation->addend) >> applications[i].shift,
                            error);
    const char *name = sass_relocation_name(relocation->type);
    return error_set(error, ATOLL_UNSUPPORTED, "not supported: relocation type %u (%s) at 0x%llx", relocation->type,
                     name ? name : "unknown", (unsigned long long)relocation->offset);
}

/* ---- attributes -------------------------------------------------------------------------------------- */

static bool attributes_read(struct indexer *x, uint32_t section, struct sass_attribute **attributes, unsigned *count)
{
    struct sass_module *m = x->module;
    const struct sass_section *s = &m->sections[section];
    struct sass_attribute *list = NULL;
    unsigned n = 0;
    for (uint64_t at = 0; at < s->size;) {
        if (s->size - at < 4)
            return place_error(x, section, at, "a cut-off attribute");
        const uint8_t *p = s->bytes + at;
        struct sass_attribute a = {
            .format = p[0], .code = p[1], .value = (uint16_t)bytes_u16(p + 2), .offset = (uint32_t)at};
        if (a.format < SASS_FORMAT_NONE || a.format > SASS_FORMAT_BYTES)
            return place_error(x, section, at, "an attribute of an unknown format");
        at += 4;
        if (a.format == SASS_FORMAT_BYTES) {
            if (s->size - at < a.value)
                return place_error(x, section, at, "an attribute longer than the section");
            a.payload = s->bytes + at;
            at += a.value;
        }
        list = arena_append(&m->arena, list, n, sizeof *list);
        if (!list)
            return error_memory(x->error);
        list[n++] = a;
    }
    *attributes = list;
    *count = n;
    return true;
}

static bool is_sized(const struct sass_attribute *a, unsigned code, unsigned least)
{
    return a->code == code && a->format == SASS_FORMAT_BYTES && a->value >= least;
}

static bool parameter_read(struct indexer *x, struct sass_function *f, const struct sass_attribute *a)
{
    f->parameters = arena_append(&x->module->arena, f->parameters, f->nparameters, sizeof *f->parameters);
    if (!f->parameters)
        return error_memory(x->error);
    uint32_t word = bytes_u32(a->payload + 8);
    f->parameters[f->nparameters++] = (struct sass_parameter){.index = bytes_u32(a->payload),
                                                              .ordinal = (uint16_t)bytes_u16(a->payload + 4),
                                                              .offset = (uint16_t)bytes_u16(a->payload + 6),
                                                              .log_align = (uint8_t)word,
                                                              .space = word >> 8 & 15,
                                                              .bank = word >> 12 & 31,
                                                              .size = word >> 18};
    return true;
}

static bool exits_read(struct indexer *x, struct sass_function *f, const struct sass_attribute *a)
{
    f->nexits = a->value / 4;
    f->exits = arena_array(&x->module->arena, f->nexits, sizeof *f->exits);
    if (!f->exits)
        return error_memory(x->error);
    for (unsigned i = 0; i < f->nexits; i++)
        f->exits[i] = bytes_u32(a->payload + 4 * (size_t)i);
    return true;
}

/* An attribute of .nv.info.K */
static bool function_attribute(struct indexer *x, struct sass_function *f, const struct sass_attribute *a)
{
    if (is_sized(a, SASS_A_KPARAM_INFO, 12))
        return parameter_read(x, f, a);
    if (is_sized(a, SASS_A_EXIT_OFFSETS, 4))
        return exits_read(x, f, a);
    if (is_sized(a, SASS_A_PARAM_CBANK, 8)) {
        f->cbank_offset = (uint16_t)bytes_u16(a->payload + 4);
        f->cbank_size = (uint16_t)bytes_u16(a->payload + 6);
    } else if (is_sized(a, SASS_A_MAX_THREADS, 12) || is_sized(a, SASS_A_REQNTID, 12)) {
        for (unsigned i = 0; i < 3; i++)
            (a->code == SASS_A_REQNTID ? f->required_threads : f->max_threads)[i] = bytes_u32(a->payload + 4 * i);
    } else if (is_sized(a, SASS_A_CRS_STACK_SIZE, 4))
        f->crs_stack = bytes_u32(a->payload);
    else if (a->code == SASS_A_MAXREG_COUNT)
        f->max_registers = a->value;
    else if (a->code == SASS_A_TEXTURE_BANK)
        f->texture_bank = (uint8_t)a->value;
    else if (a->code == SASS_A_SURFACE_BANK)
        f->surface_bank = (uint8_t)a->value;
    return true;
}

/* Functions are in the order of their symbols. */
static int by_symbol(const void *key, const void *function)
{
    uint32_t wanted = *(const uint32_t *)key, have = ((const struct sass_function *)function)->symbol;
    return (wanted > have) - (wanted < have);
}

/* An attribute of .nv.info: symbol, number. */
static void module_attribute(struct sass_module *m, const struct sass_attribute *a)
{
    if (a->format != SASS_FORMAT_BYTES || a->value < 8)
        return;
    uint32_t symbol = bytes_u32(a->payload), value = bytes_u32(a->payload + 4);
    struct sass_function *f =
        m->nfunctions ? bsearch(&symbol, m->functions, m->nfunctions, sizeof *m->functions, by_symbol) : NULL;
    if (!f)
        return;
    if (a->code == SASS_A_FRAME_SIZE)
        f->frame_size = value;
    else if (a->code == SASS_A_MIN_STACK_SIZE) /* ptxas 12 writes two of a kernel with calls: its own need, all need */
        f->min_stack = value > f->min_stack ? value : f->min_stack;
    else if (a->code == SASS_A_MAX_STACK_SIZE)
        f->max_stack = value;
    else if (a->code == SASS_A_REGCOUNT)
        f->registers = value;
}

/* ---- functions --------------------------------------------------------------------------------------- */

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool memory_read(struct indexer *x, uint32_t section, const char *what, uint64_t *size)
{
    *size = section ? x->module->sections[section].size : 0;
    return *size <= SASS_SHARED_MOST || place_error(x, section, 0, what);
}

/* Of several sections of a name - files that nvlink joined may have functions of one name, which no other file sees -
 * the one that says by sh_info that it belongs to this code; else the first. */
static uint32_t find_own(const struct sass_module *m, const char *name, uint32_t first, uint32_t code)
{
    if (!first || m->sections[first].info == code || !m->repeated_names)
        return first;
    for (uint32_t i = first + 1; i < m->nsections; i++)
        if (m->sections[i].info == code && strcmp(m->sections[i].name, name) == 0)
            return i;
    return first;
}

/* Section ".nv.shared." of "main"; the name is made in x->name, which tells at the end whether there was memory. */
static uint32_t find_of(struct indexer *x, const char *start, const char *name, uint32_t code)
{
    x->name.length = 0;
    text_puts(&x->name, start);
    text_puts(&x->name, name);
    if (!text_ok(&x->name))
        return 0;
    return find_own(x->module, x->name.bytes, sass_find_section(x->module, x->name.bytes), code);
}

/* Section ".nv.constant3." of "main" */
static uint32_t find_bank(struct indexer *x, unsigned bank, const char *name, uint32_t code)
{
    char start[] = ".nv.constant00.", *end = start + strlen(".nv.constant");
    if (bank >= 10)
        *end++ = (char)('0' + bank / 10);
    *end++ = (char)('0' + bank % 10);
    *end++ = '.';
    *end = 0;
    return find_of(x, start, name, code);
}

static int parameter_compare(const void *a, const void *b)
{
    const struct sass_parameter *p = a, *q = b;
    return p->ordinal - q->ordinal;
}

/* Parameters do not overlap, lie in their part of the bank and have ordinals 0, 1, 2 ... */
static bool parameters_check(struct indexer *x, struct sass_function *f)
{
    if (f->nparameters)
        qsort(f->parameters, f->nparameters, sizeof *f->parameters, parameter_compare);
    uint64_t end = 0;
    for (unsigned i = 0; i < f->nparameters; i++) {
        const struct sass_parameter *p = &f->parameters[i];
        if (p->ordinal != i)
            return place_error(x, f->info, 0, "parameters that are not numbered 0, 1, 2 ...");
        if (p->offset < end)
            return place_error(x, f->info, 0, "parameters that overlap");
        end = (uint64_t)p->offset + p->size;
    }
    if (f->nparameters && f->cbank_size && end > f->cbank_size)
        return place_error(x, f->info, 0, "parameters past the end of their part of the constant bank");
    return true;
}

static bool function_complete(struct indexer *x, struct sass_function *f)
{
    struct sass_module *m = x->module;
    const char *name = m->sections[f->section].name + strlen(".text.");
    for (unsigned bank = 0; bank < SASS_BANKS; bank++)
        f->constant[bank] = find_bank(x, bank, name, f->section);
    f->shared = find_of(x, ".nv.shared.", name, f->section);
    f->local = find_of(x, ".nv.local.", name, f->section);
    if (!memory_read(x, f->shared, "more shared memory than the window of 16 MiB", &f->shared_size) ||
        !memory_read(x, f->local, "more local memory than the window of 16 MiB", &f->local_size))
        return false;
    f->info = find_of(x, ".nv.info.", f->name, f->section);
    if (!text_ok(&x->name))
        return error_memory(x->error);
    if (!f->info || m->sections[f->info].type != SASS_INFO) {
        f->info = 0;
        return true;
    }
    if (x->taken[f->info])
        return place_error(x, f->info, 0, "attributes of two functions of one name");
    x->taken[f->info] = true;
    if (!attributes_read(x, f->info, &f->attributes, &f->nattributes))
        return false;
    for (unsigned i = 0; i < f->nattributes; i++)
        if (!function_attribute(x, f, &f->attributes[i]))
            return false;
    return parameters_check(x, f);
}

static bool function_read(struct indexer *x, uint32_t symbol)
{
    struct sass_module *m = x->module;
    const struct sass_symbol *s = &m->symbols[symbol];
    const struct sass_section *text = &m->sections[s->section];
    if (s->value > text->size || s->size > text->size - s->value)
        return place_error(x, m->symtab, (uint64_t)symbol * 24, "a function larger than its section");
    struct sass_function *f = &m->functions[m->nfunctions++];
    *f = (struct sass_function){.name = s->name,
                                .entry = (s->other & SASS_ENTRY) != 0,
                                .symbol = symbol,
                                .section = s->section,
                                .offset = s->value,
                                .size = s->size ? s->size : text->size - s->value,
                                .text = text->bytes,
                                .text_size = text->size,
                                .registers = text->info >> 24,
                                .barriers = text->flags >> SASS_BARRIERS & 0x7f,
                                .cbank_offset = SASS_PARAMETERS};
    return true;
}

static bool is_function(const struct sass_module *m, const struct sass_symbol *s)
{
    return (s->info & 15) == SASS_FUNC && s->section && s->section < m->nsections &&
           m->sections[s->section].type == SASS_PROGBITS && starts_with(m->sections[s->section].name, ".text.");
}

static bool functions_read(struct indexer *x)
{
    struct sass_module *m = x->module;
    unsigned count = 0;
    for (uint32_t i = 0; i < m->nsymbols; i++)
        count += is_function(m, &m->symbols[i]);
    if ((uint64_t)count * m->nsections > 1 << 26)
        return error_set(x->error, ATOLL_LIMIT, "cubin: %u functions in %u sections are too many", count, m->nsections);
    m->functions = arena_array(&m->arena, count, sizeof *m->functions);
    m->nfunctions = 0;
    x->taken = arena_array(&m->arena, m->nsections, sizeof *x->taken);
    if (!m->functions || !x->taken)
        return error_memory(x->error);
    for (uint32_t i = 0; i < m->nsymbols; i++)
        if (is_function(m, &m->symbols[i]) && !function_read(x, i))
            return false;
    for (unsigned i = 0; i < m->nfunctions; i++)
        if (!function_complete(x, &m->functions[i]))
            return false;
    return true;
}

bool sass_index(struct sass_module *module, struct atoll_error *error)
{
    struct indexer x = {.module = module, .error = error};
    if (!sass_name_sections(module, error))
        return false;
    module->info = sass_find_section(module, ".nv.info");
    module->constant3 = sass_find_section(module, ".nv.constant3");
    module->constant4 = sass_find_section(module, ".nv.constant4");
    module->global = sass_find_section(module, ".nv.global");
    module->global_init = sass_find_section(module, ".nv.global.init");
    for (uint32_t i = 1; i < module->nsections; i++)
        if (!sass_is_empty(module->sections[i].type) && !module->sections[i].bytes && module->sections[i].size)
            return place_error(&x, i, 0, "no contents");
    bool ok = relocations_read(&x) && functions_read(&x);
    text_free(&x.name);
    if (!ok)
        return false;
    if (module->info && module->sections[module->info].type != SASS_INFO)
        module->info = 0;
    if (module->info && !attributes_read(&x, module->info, &module->attributes, &module->nattributes))
        return false;
    for (unsigned i = 0; i < module->nattributes; i++)
        module_attribute(module, &module->attributes[i]);
    return true;
}

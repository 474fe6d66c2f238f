/* Linking: memory for the sections of a cubin, code with its relocations, the kernels' parameters. */
#include "isa/sass/link.h"

#include "isa/sass/lower.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CODE_START = 0x1000 }; /* of the first section: no code is at 0 */

/* ---- look-ups ----------------------------------------------------------------------------------------- */

const struct sass_text *sass_link_text(const struct sass_linked *linked, uint64_t address)
{
    unsigned low = 0, high = linked->ntexts; /* the last one that starts at or below the address */
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (linked->texts[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct sass_text *text = low ? &linked->texts[low - 1] : NULL;
    return text && address - text->base < text->size ? text : NULL;
}

const struct sass_text *sass_link_section(const struct sass_linked *linked, uint32_t section)
{
    uint32_t number = section < linked->module->nsections ? linked->text_of[section] : 0;
    return number ? &linked->texts[number - 1] : NULL;
}

uint64_t sass_link_index(const struct sass_text *text, uint64_t address)
{
    uint64_t offset = address - text->base, index;
    if (offset >= text->size || offset % 8)
        return UINT64_MAX;
    index = sass_index_of(offset);
    return index < text->code.count ? index : UINT64_MAX;
}

/* The first relocation of the section, or of one after it. */
static unsigned first_relocation(const struct sass_linked *linked, uint64_t section)
{
    unsigned low = 0, high = linked->nrelocations;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (linked->relocations[middle]->section < section)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct sass_relocation *const *sass_link_relocations(const struct sass_linked *linked, uint32_t section,
                                                           unsigned *count)
{
    unsigned first = first_relocation(linked, section);
    *count = first_relocation(linked, (uint64_t)section + 1) - first;
    return linked->relocations + first;
}

const struct sass_relocation *sass_link_relocation(const struct sass_linked *linked, uint64_t address)
{
    const struct sass_text *text = sass_link_text(linked, address);
    unsigned low = 0, high = text ? text->nrelocations : 0;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        uint64_t at = text->base + text->relocations[middle]->offset;
        if (at == address)
            return text->relocations[middle];
        if (at < address)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const char *sass_link_where(const struct sass_linked *linked, const struct sass_relocation *r, char where[SASS_WHERE])
{
    const struct sass_section *s = &linked->module->sections[r->section];
    const char *name = sass_relocation_name(r->type);
    where[0] = 0;
    if (!r->section) /* made here: see outside_make */
        return where;
    if (name)
        snprintf(where, SASS_WHERE, " (%.150s%s%.150s, %s)", s->file ? s->file : "", s->file ? ", " : "", s->name,
                 name);
    else
        snprintf(where, SASS_WHERE, " (%.150s%s%.150s, relocation of type %u)", s->file ? s->file : "",
                 s->file ? ", " : "", s->name, r->type);
    return where;
}

bool sass_link_function(const struct sass_linked *linked, uint32_t symbol, uint64_t *address)
{
    if (symbol >= linked->module->nsymbols)
        return false;
    const struct sass_symbol *s = &linked->module->symbols[symbol];
    const struct sass_text *text = s->section ? sass_link_section(linked, s->section) : NULL;
    if (!text || s->value >= text->size)
        return false;
    *address = text->base + s->value;
    return true;
}

bool sass_link_pointer(const struct sass_linked *linked, uint32_t symbol, uint64_t *address)
{
    if (sass_link_function(linked, symbol, address))
        return true;
    *address = symbol < linked->module->nsymbols ? linked->outside[symbol] : 0;
    return *address != 0;
}

/* Half of a 64-bit constant that is only known when the module is loaded. */
static struct lane_operand half(struct sass_lowerer *l, struct lane_operand value, unsigned which)
{
    struct lane_operand dst[2] = {SASS_NOTHING, SASS_NOTHING};
    dst[which] = sass_temp(l, 32);
    sass_emit_list(l, LANE_OP_unpack, LANE_B64, 2, dst, 1, &value)->type2 = LANE_B32;
    return dst[which];
}

struct lane_operand sass_link_value(struct sass_lowerer *l, const struct sass_relocation *r)
{
    const struct sass_linked *linked = l->linked;
    const struct sass_symbol *s = &linked->module->symbols[r->symbol];
    unsigned which = r->type == SASS_R_ABS32_HI_20;
    int64_t addend = r->addend;
    uint64_t code;
    char where[SASS_WHERE];
    which |= r->type == SASS_R_FUNC_DESC32_HI_20; /* a choice: see data_relocations */
    if (!r->has_addend)                           /* it is in the place; high halves have none */
        addend = which ? 0 : (int64_t)(l->word.part[0] >> 20 & UINT32_MAX);
    if (sass_link_pointer(linked, r->symbol, &code))
        return sass_imm(l, (uint32_t)((code + (uint64_t)addend) >> (which ? 32 : 0)));
    uint32_t variable = s->section < linked->module->nsections ? linked->variables[s->section] : 0;
    if (variable && sass_link_spoiled(l, s->section, s->size ? s->value : 0, s->size ? s->size : UINT64_MAX))
        return sass_imm(l, 0);
    if (variable)
        return half(l, lane_address(&l->b, 64, variable, (int64_t)s->value + addend), which);
    if (strcmp(s->name, SASS_SURFACE_SIZE) == 0)
        return sass_imm(l, SASS_SURFACE_ENTRY);
    if (strncmp(s->name, ".nv.", 4) == 0) {
        sass_cannot(l, "queries of textures (%.60s)", s->name);
        return sass_imm(l, 0);
    }
    sass_cannot(l, "the address of '%.200s', which is defined nowhere%s", s->name, sass_link_where(linked, r, where));
    return sass_imm(l, 0);
}

/* ---- variables ------------------------------------------------------------------------------------------ */

static bool is_named(const char *name, const char *start)
{
    size_t length = strlen(start);
    return strncmp(name, start, length) == 0 && (!name[length] || name[length] == '.');
}

/* Sections with memory of their own in the device: global variables and all constant banks but 0, which holds
 * parameters.
 */
static bool has_memory(const struct sass_section *s)
{
    if (is_named(s->name, ".nv.global"))
        return true;
    return strncmp(s->name, ".nv.constant", 12) == 0 && s->name[12] >= '1' && s->name[12] <= '9';
}

static bool is_wide(uint32_t type)
{
    return type == SASS_R_64 || type == SASS_R_G64 || type == SASS_R_FUNC_DESC_64;
}

/* Whoever names these bytes is told that nobody knows them. In the order of sections and offsets. */
static bool spoil(struct sass_linked *linked, const struct sass_relocation *r)
{
    linked->spoiled = arena_append(linked->arena, linked->spoiled, linked->nspoiled, sizeof *linked->spoiled);
    if (linked->spoiled)
        linked->spoiled[linked->nspoiled++] = r;
    return linked->spoiled != NULL;
}

bool sass_link_spoiled(struct sass_lowerer *l, uint32_t section, uint64_t offset, uint64_t size)
{
    const struct sass_linked *linked = l->linked;
    char where[SASS_WHERE];
    enum { WIDEST = 8 };
    uint64_t from = offset < WIDEST ? 0 : offset - WIDEST;
    unsigned low = 0, high = linked->nspoiled; /* the first one at `from` or after it */
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        const struct sass_relocation *r = linked->spoiled[middle];
        if (r->section < section || (r->section == section && r->offset < from))
            low = middle + 1;
        else
            high = middle;
    }
    const struct sass_relocation *r = NULL;
    for (; low < linked->nspoiled && !r; low++) {
        r = linked->spoiled[low];
        if (r->section != section || (r->offset >= offset && r->offset - offset >= size))
            return false;
        if (r->offset < offset && r->offset + (is_wide(r->type) ? 8 : 4) <= offset)
            r = NULL;
    }
    if (!r)
        return false;
    sass_cannot(l, "memory that holds the address of '%.200s', at 0x%" PRIx64 "%s",
                linked->module->symbols[r->symbol].name, r->offset, sass_link_where(linked, r, where));
    return true;
}

static bool data_relocations(struct sass_linked *linked, uint32_t section, struct lane_symbol *symbol, uint8_t *bytes,
                             struct atoll_error *error)
{
    const struct sass_module *m = linked->module;
    unsigned count;
    const struct sass_relocation *const *list = sass_link_relocations(linked, section, &count);
    struct lane_reloc *relocs = arena_array(&linked->out->arena, count, sizeof *relocs);
    if (!relocs)
        return error_memory(error);
    symbol->relocs = relocs;
    for (unsigned i = 0; i < count; i++) {
        const struct sass_relocation *r = list[i];
        uint64_t code;
        const struct sass_symbol *s = &m->symbols[r->symbol];
        /* A kernel's descriptor, which only the launch of one kernel by another takes, is its address (a choice). */
        uint32_t size = is_wide(r->type) ? 8 : 4;
        bool known = size == 8 || r->type == SASS_R_32 || r->type == SASS_R_G32;
        if (!known || symbol->size < size || r->offset > symbol->size - size) {
            if (!spoil(linked, r))
                return error_memory(error);
            continue;
        }
        uint64_t held = size == 8 ? bytes_u64(bytes + r->offset) : bytes_u32(bytes + r->offset);
        int64_t addend = r->has_addend ? r->addend : (int64_t)held;
        if (sass_link_pointer(linked, r->symbol, &code)) {
            code += (uint64_t)addend;
            memcpy(bytes + r->offset, &code, size);
        } else if (s->section < m->nsections && linked->variables[s->section]) {
            relocs[symbol->nrelocs++] = (struct lane_reloc){.offset = (uint32_t)r->offset,
                                                            .size = size,
                                                            .symbol = linked->variables[s->section],
                                                            .addend = (int64_t)s->value + addend};
        } else if (!spoil(linked, r)) {
            return error_memory(error);
        }
    }
    return true;
}

static bool variable_make(struct sass_linked *linked, uint32_t section, struct atoll_error *error)
{
    const struct sass_section *s = &linked->module->sections[section];
    struct lane_symbol symbol = {.kind = LANE_SYMBOL_GLOBAL, .size = s->size, .align = 256};
    symbol.constant = strncmp(s->name, ".nv.constant", 12) == 0;
    symbol.name = arena_text(&linked->out->arena, s->name, strlen(s->name));
    linked->variables[section] = lane_add_symbol(linked->out, &symbol);
    return (symbol.name && linked->variables[section]) || error_memory(error);
}

/* Initial values, when all sections have their symbols. */
static bool variable_fill(struct sass_linked *linked, uint32_t section, struct atoll_error *error)
{
    const struct sass_section *s = &linked->module->sections[section];
    struct lane_symbol *symbol = &linked->out->symbols[linked->variables[section] - 1];
    if (!s->bytes)
        return true;
    uint8_t *bytes = arena_alloc(&linked->out->arena, s->size + 1);
    if (!bytes)
        return error_memory(error);
    memcpy(bytes, s->bytes, s->size);
    symbol->init = bytes;
    return data_relocations(linked, section, symbol, bytes, error);
}

/* The names that the host may ask for: places inside of the sections' memory. */
static bool aliases_make(struct sass_linked *linked, struct atoll_error *error)
{
    const struct sass_module *m = linked->module;
    for (unsigned i = 1; i < m->nsymbols; i++) {
        const struct sass_symbol *s = &m->symbols[i];
        uint32_t variable = s->section < m->nsections ? linked->variables[s->section] : 0;
        if ((s->info & 15) != SASS_OBJECT || !variable)
            continue;
        uint64_t room = m->sections[s->section].size;
        if (s->value > room || s->size > room - s->value)
            return error_set(error, ATOLL_INPUT, "variable '%.200s' does not lie in its section", s->name);
        struct lane_symbol symbol = {.kind = LANE_SYMBOL_GLOBAL,
                                     .size = s->size,
                                     .align = 1,
                                     .inside = variable,
                                     .at = s->value,
                                     .constant = linked->out->symbols[variable - 1].constant};
        symbol.name = arena_text(&linked->out->arena, s->name, strlen(s->name));
        if (!symbol.name || !lane_add_symbol(linked->out, &symbol))
            return error_memory(error);
    }
    return true;
}

static bool variables_make(struct sass_linked *linked, struct atoll_error *error)
{
    const struct sass_module *m = linked->module;
    linked->variables = arena_array(linked->arena, m->nsections + 1, sizeof *linked->variables);
    if (!linked->variables)
        return error_memory(error);
    for (uint32_t i = 1; i < m->nsections; i++)
        if (has_memory(&m->sections[i]) && !variable_make(linked, i, error))
            return false;
    for (uint32_t i = 1; i < m->nsections; i++)
        if (linked->variables[i] && !variable_fill(linked, i, error))
            return false;
    return aliases_make(linked, error);
}

/* ---- code ------------------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const struct sass_relocation *x = *(const struct sass_relocation *const *)a;
    const struct sass_relocation *y = *(const struct sass_relocation *const *)b;
    if (x->section != y->section)
        return x->section < y->section ? -1 : 1;
    return x->offset != y->offset ? (x->offset > y->offset) - (x->offset < y->offset) : (x > y) - (x < y);
}

static bool relocations_sort(struct sass_linked *linked, struct atoll_error *error)
{
    const struct sass_module *m = linked->module;
    linked->relocations = arena_array(linked->arena, m->nrelocations, sizeof *linked->relocations);
    if (!linked->relocations)
        return error_memory(error);
    for (unsigned i = 0; i < m->nrelocations; i++)
        if (m->relocations[i].type != SASS_R_NONE)
            linked->relocations[linked->nrelocations++] = &m->relocations[i];
    qsort(linked->relocations, linked->nrelocations, sizeof *linked->relocations, by_place);
    return true;
}

/* "f (b.cubin)" */
static bool texts_name_files(struct sass_linked *linked)
{
    for (unsigned t = 0; t < linked->ntexts; t++) {
        struct sass_text *text = &linked->texts[t];
        const struct sass_section *s = &linked->module->sections[text->section];
        struct text name = {0};
        text_printf(&name, "%s (%s)", text->name ? text->name : s->name, s->file ? s->file : "");
        text->name = text_ok(&name) ? arena_text(linked->arena, name.bytes, name.length) : NULL;
        text_free(&name);
        if (!text->name)
            return false;
    }
    return true;
}

/* The functions tell the names. */
static bool texts_name(struct sass_linked *linked, struct atoll_error *error)
{
    const struct sass_module *m = linked->module;
    for (unsigned i = 0; i < m->nfunctions; i++) {
        const struct sass_function *function = &m->functions[i];
        uint32_t number = linked->text_of[function->section];
        struct sass_text *text = number ? &linked->texts[number - 1] : NULL;
        if (!text)
            continue;
        if (!text->function)
            text->function = function;
        if (!text->name && function->offset == 0)
            text->name = function->name;
    }
    if (m->files > 1 && !texts_name_files(linked))
        return error_memory(error);
    for (unsigned t = 0; t < linked->ntexts; t++)
        if (!linked->texts[t].name)
            linked->texts[t].name = m->sections[linked->texts[t].section].name;
    return true;
}

/* What stands for a function that is not in this file: a bundle in which JCAL has the relocation of a call by name. */
static const uint64_t outside_code[SASS_BUNDLE / 8 - 1] = {UINT64_C(0xe220000000000040),  /* JCAL 0x0 */
                                                           UINT64_C(0xe32000000007000f),  /* RET */
                                                           UINT64_C(0x50b0000000070f00)}; /* NOP */
enum { OUTSIDE_INSNS = sizeof outside_code / sizeof *outside_code };

static bool is_outside(const struct sass_symbol *s)
{
    return (s->info & 15) == SASS_FUNC && !s->section && s->name[0];
}

/* A section of code for all of them, the last one. ptxas 12 keeps the addresses of vprintf, malloc, free in bank 4 and
 * calls them by JMX. */
static bool outside_make(struct sass_linked *linked, struct atoll_error *error)
{
    const struct sass_module *m = linked->module;
    unsigned count = 0, n = 0;
    for (uint32_t i = 1; i < m->nsymbols; i++)
        count += is_outside(&m->symbols[i]);
    linked->outside = arena_array(linked->arena, m->nsymbols, sizeof *linked->outside);
    struct sass_relocation *relocations = arena_array(linked->arena, count, sizeof *relocations);
    const struct sass_relocation **list = arena_array(linked->arena, count, sizeof *list);
    struct sass_insn *insns = arena_array(linked->arena, (size_t)count * OUTSIDE_INSNS, sizeof *insns);
    if (!linked->outside || !relocations || !list || !insns)
        return error_memory(error);
    if (!count)
        return true;
    for (uint32_t i = 1; i < m->nsymbols; i++) {
        if (!is_outside(&m->symbols[i]))
            continue;
        for (unsigned k = 0; k < OUTSIDE_INSNS; k++) {
            struct sass_insn *insn = &insns[n * OUTSIDE_INSNS + k];
            insn->word = (struct isa_word){{outside_code[k], SASS_CONTROL_NEUTRAL}};
            insn->form = isa_find(linked->table, &insn->word, linked->arch, NULL);
        }
        uint64_t at = sass_address((uint64_t)n * OUTSIDE_INSNS);
        linked->outside[i] = (uint32_t)(linked->end + at);
        relocations[n] = (struct sass_relocation){.type = SASS_R_ABS32_20, .symbol = i, .offset = at};
        list[n] = &relocations[n];
        n++;
    }
    /* There is room for one more: section 0 has no code. */
    linked->texts[linked->ntexts++] = (struct sass_text){
        .name = "elsewhere",
        .base = linked->end,
        .size = (uint64_t)count * SASS_BUNDLE,
        .code = {.table = linked->table, .arch = linked->arch, .insns = insns, .count = (size_t)count * OUTSIDE_INSNS},
        .relocations = list,
        .nrelocations = count};
    return true;
}

static bool texts_make(struct sass_linked *linked, struct atoll_error *error)
{
    const struct sass_module *m = linked->module;
    uint64_t base = CODE_START;
    linked->texts = arena_array(linked->arena, m->nsections, sizeof *linked->texts);
    linked->text_of = arena_array(linked->arena, m->nsections, sizeof *linked->text_of);
    if (!linked->texts || !linked->text_of)
        return error_memory(error);
    for (uint32_t i = 1; i < m->nsections; i++) {
        const struct sass_section *s = &m->sections[i];
        if (!sass_is_code(s))
            continue;
        struct sass_text *text = &linked->texts[linked->ntexts++];
        *text = (struct sass_text){.section = i, .base = base, .size = s->size};
        linked->text_of[i] = linked->ntexts;
        text->code = (struct sass_code){.table = linked->table, .arch = linked->arch};
        text->relocations = sass_link_relocations(linked, i, &text->nrelocations);
        if (!sass_decode(linked->arena, s->bytes, s->size, &text->code, error))
            return false;
        base += s->size;
        if (base > UINT32_MAX)
            return error_set(error, ATOLL_UNSUPPORTED, "not supported: more than 4 GiB of code");
    }
    linked->end = base;
    return texts_name(linked, error) && outside_make(linked, error);
}

/* ---- modules ------------------------------------------------------------------------------------------------ */

static bool link_all(struct sass_linked *linked, struct atoll_error *error)
{
    const struct sass_module *m = linked->module;
    if (!sass_arch_of(m->arch, &linked->arch))
        return error_set(error, ATOLL_UNSUPPORTED, "not supported: code for sm_%u", m->arch);
    if (!relocations_sort(linked, error) || !texts_make(linked, error) || !variables_make(linked, error))
        return false;
    if (!sass_lines_read(m, linked->arena, &linked->out->arena, &linked->lines))
        return error_memory(error);
    for (unsigned i = 0; i < m->nfunctions; i++) {
        if (!m->functions[i].entry)
            continue;
        uint32_t func = lane_add_func(linked->out);
        if (func == UINT32_MAX)
            return error_memory(error);
    }
    uint32_t func = 0;
    for (unsigned i = 0; i < m->nfunctions; i++)
        if (m->functions[i].entry && !sass_lower_kernel(linked, &m->functions[i], func++, error))
            return false;
    return true;
}

bool sass_lower(const struct isa_table *table, const struct sass_module *module, struct lane_module *out,
                bool *lines_broken, struct atoll_error *error)
{
    struct arena arena = {0};
    struct sass_linked linked = {.module = module, .table = table, .out = out, .arena = &arena};
    bool ok = link_all(&linked, error);
    if (lines_broken)
        *lines_broken = linked.lines.broken;
    arena_free(&arena);
    return ok;
}

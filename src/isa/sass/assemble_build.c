/* From what the lines said to a module: symbols, the sections that need not be written down. */
#include "isa/sass/assemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool fail(struct assembler *as, uint32_t line, const char *what, const char *name)
{
    return error_at(as->error, ATOLL_INPUT, line, 1, "%s '%.200s'", what, name);
}

/* ---- sections that are not written down -------------------------------------------------------------- */

/* ".nv.info.", "main" */
static const char *joined(struct assembler *as, const char *start, const char *name)
{
    size_t a = strlen(start), b = strlen(name);
    char *whole = arena_alloc(&as->module->arena, a + b + 1);
    if (!whole) {
        error_memory(as->error);
        return NULL;
    }
    memcpy(whole, start, a);
    memcpy(whole + a, name, b + 1);
    return whole;
}

static struct asm_section *section_of(struct assembler *as, const char *start, const char *name, uint32_t type,
                                      uint64_t flags, uint64_t align)
{
    const char *whole = joined(as, start, name);
    struct asm_section *s = whole ? asm_section_start(as, whole, type, flags) : NULL;
    if (s)
        s->align = align;
    return s;
}

/* False without memory. */
static bool exists(struct assembler *as, const char *start, const char *name, bool *found)
{
    const char *whole = joined(as, start, name);
    *found = whole && asm_section_named(as, whole);
    return whole != NULL;
}

static void attribute(struct asm_section *s, unsigned format, unsigned code, unsigned value)
{
    text_number(&s->data, format, 1);
    text_number(&s->data, code, 1);
    text_number(&s->data, value, 2);
}

static bool symbol_place(struct assembler *as, struct asm_section *s, const char *symbol, uint32_t line)
{
    as->fixups = arena_append(&as->arena, as->fixups, as->nfixups, sizeof *as->fixups);
    if (!as->fixups)
        return error_memory(as->error);
    as->fixups[as->nfixups++] = (struct asm_fixup){
        .symbol = symbol, .section = (uint32_t)(s - as->sections) + 1, .line = line, .offset = s->data.length};
    text_number(&s->data, 0, 4);
    return true;
}

static unsigned log2_of(unsigned align)
{
    unsigned n = 0;
    while (align > 1) {
        align /= 2;
        n++;
    }
    return n;
}

/* Largest power of two up to `size` and 16 that divides it. */
static unsigned parameter_align(uint32_t size)
{
    unsigned align = 16;
    while (align > 1 && size % align)
        align /= 2;
    return align;
}

static bool has_constant(const struct isa_table *table, const struct isa_form *form)
{
    for (unsigned i = 0; form && i < form->count; i++)
        if (table->elements[form->first + i].kind == ISA_CONSTANT)
            return true;
    return false;
}

/* Bytes up to the end of the pair of words at c[0x0][at], where there can be parameters. */
static uint32_t parameter_seen(int64_t at, uint32_t most)
{
    bool inside = at >= SASS_PARAMETERS && at < SASS_PARAMETERS + SASS_PARAMETERS_MOST;
    uint32_t end = inside ? (uint32_t)(at + 8 - SASS_PARAMETERS) : 0;
    return end > most ? end : most;
}

/* Bytes of bank 0 after the launch words that the code reads: when no .param says. Headers that are named by number
 * are read there, too. */
static uint32_t parameters_seen(struct assembler *as, const struct asm_section *text)
{
    struct isa_operand operands[16];
    uint32_t most = 0, header;
    for (size_t i = 0; i < text->ninsns; i++) {
        const struct sass_insn *insn = &text->insns[i];
        if (insn->form && sass_bound_header(as->table, insn->form, &insn->word, &header))
            most = parameter_seen(header, most);
        if (!has_constant(as->table, insn->form))
            continue;
        unsigned n = isa_operands(as->table, insn->form, &insn->word, 0, operands, 16);
        for (unsigned k = 0; k < n && k < 16; k++)
            if (operands[k].kind == ISA_CONSTANT && operands[k].bank == 0)
                most = parameter_seen(operands[k].value, most);
    }
    return most;
}

static bool kernel_info(struct assembler *as, const char *name, const struct asm_section *text, uint32_t *bytes)
{
    const char *bank = NULL;
    const uint32_t *sizes = text->parameters;
    unsigned count = text->nparameters;
    uint32_t offset = 0;
    struct asm_section *constant = section_of(as, ".nv.constant0.", name, SASS_PROGBITS, SASS_ALLOC, 4);
    bank = constant ? constant->name : NULL;
    struct asm_section *s = section_of(as, ".nv.info.", name, SASS_INFO, 0, 4);
    if (!bank || !s)
        return false;
    attribute(s, SASS_FORMAT_BYTES, SASS_A_API_VERSION, 4);
    text_number(&s->data, as->module->version, 4);
    size_t place = s->data.length;
    attribute(s, SASS_FORMAT_BYTES, SASS_A_PARAM_CBANK, 8);
    if (!symbol_place(as, s, bank, 1))
        return false;
    text_number(&s->data, 0, 4); /* offset and size: below */
    attribute(s, SASS_FORMAT_HALF, SASS_A_CBANK_PARAM_SIZE, 0);
    for (unsigned i = 0; i < count; i++) {
        unsigned align = parameter_align(sizes[i]);
        offset = (offset + align - 1) / align * align;
        attribute(s, SASS_FORMAT_BYTES, SASS_A_KPARAM_INFO, 12);
        text_number(&s->data, 0, 4);
        text_number(&s->data, i, 2);
        text_number(&s->data, offset, 2);
        text_number(&s->data, sizes[i] << 18 | 0x1f << 12 | log2_of(align), 4);
        offset += sizes[i];
        if (offset > SASS_PARAMETERS_MOST)
            return fail(as, 1, "more than 4096 bytes of parameters of kernel", name);
    }
    *bytes = count ? offset : parameters_seen(as, text);
    if (!text_ok(&s->data))
        return error_memory(as->error);
    bytes_put(s->data.bytes + place + 8, SASS_PARAMETERS | *bytes << 16, 4);
    bytes_put(s->data.bytes + place + 14, *bytes, 2);
    attribute(s, SASS_FORMAT_HALF, SASS_A_MAXREG_COUNT, 255);
    return true;
}

static bool kernel_symbol(struct assembler *as, const char *name, uint32_t section)
{
    struct asm_symbol *s = asm_symbol_find(as, name);
    bool fresh = !s;
    if (!s)
        s = asm_symbol_named(as, name);
    if (!s)
        return false;
    if (fresh || (s->info & 15) == SASS_NOTYPE)
        *s = (struct asm_symbol){.name = name, .info = 1 << 4 | SASS_FUNC, .other = SASS_ENTRY, .where = section};
    if (!asm_label_find(as, section, name, strlen(name))) {
        s->has_value = true;
        s->value = 0;
    }
    if (!s->has_size && !s->size_is_label) {
        s->has_size = true;
        s->size = as->sections[section - 1].data.length;
    }
    return true;
}

/* What a kernel has beside its code. */
static bool kernel_complete(struct assembler *as, uint32_t section)
{
    const char *name = as->sections[section - 1].name + strlen(".text.");
    struct asm_section *s;
    uint32_t bytes = 0;
    bool has_info, has_shared;
    if (!kernel_symbol(as, name, section) || !exists(as, ".nv.info.", name, &has_info) ||
        !exists(as, ".nv.shared.", name, &has_shared))
        return false;
    if (!has_info) {
        if (!kernel_info(as, name, &as->sections[section - 1], &bytes))
            return false;
        s = section_of(as, ".nv.constant0.", name, SASS_PROGBITS, SASS_ALLOC, 4);
        for (uint64_t n = s ? s->data.length : 0; s && n < SASS_PARAMETERS + (uint64_t)bytes; n += 4)
            text_number(&s->data, 0, 4);
        if (!s || !text_ok(&s->data))
            return error_memory(as->error);
    }
    uint32_t shared = as->sections[section - 1].shared;
    if (shared && !has_shared) {
        s = section_of(as, ".nv.shared.", name, SASS_NOBITS, SASS_ALLOC | SASS_WRITE, 16);
        if (!s)
            return false;
        s->zeros = shared;
    }
    return true;
}

static bool module_info(struct assembler *as)
{
    struct asm_section *info = section_of(as, ".nv.info", "", SASS_INFO, 0, 4);
    static const uint8_t codes[] = {SASS_A_REGCOUNT, SASS_A_MIN_STACK_SIZE, SASS_A_FRAME_SIZE};
    if (!info)
        return false;
    uint32_t at = (uint32_t)(info - as->sections);
    for (unsigned i = 0; i < as->nsections; i++) {
        const struct asm_section *s = &as->sections[i];
        if (!s->code || strncmp(s->name, ".text.", 6) != 0)
            continue;
        for (unsigned k = 0; k < 3; k++) {
            attribute(&as->sections[at], SASS_FORMAT_BYTES, codes[k], 8);
            if (!symbol_place(as, &as->sections[at], s->name + 6, 1))
                return false;
            text_number(&as->sections[at].data, k == 0 ? s->registers : s->local, 4);
        }
    }
    return text_ok(&as->sections[at].data) || error_memory(as->error);
}

/* Symbols of sections that code or data of the module name. */
static bool section_symbols(struct assembler *as)
{
    for (unsigned i = 0; i < as->nsections; i++) {
        const char *name = as->sections[i].name;
        if (strncmp(name, ".text.", 6) != 0 && strncmp(name, ".nv.constant", 12) != 0)
            continue;
        struct asm_symbol *s = asm_symbol_named(as, name);
        if (!s)
            return false;
        *s = (struct asm_symbol){
            .name = name, .info = SASS_SECTION, .section = name, .has_section = true, .where = i + 1};
    }
    return true;
}

/* Symbols that the text names and does not define are defined elsewhere. */
static void symbols_declare(struct assembler *as)
{
    for (unsigned i = 0; i < as->nsymbols; i++) {
        struct asm_symbol *s = &as->symbols[i];
        bool defined = s->has_value || (s->where && asm_label_find(as, s->where, s->name, strlen(s->name)));
        if (!defined && s->info >> 4 == 0 && (s->info & 15) != SASS_SECTION)
            s->info |= 1 << 4;
    }
}

static bool relocations_place(struct assembler *as)
{
    for (unsigned i = 0; i < as->nrelocations; i++) {
        const struct asm_relocation *r = &as->relocations[i];
        bool rela = r->addend != 0;
        struct asm_section *s = section_of(as, rela ? ".rela" : ".rel", as->sections[r->section - 1].name,
                                           rela ? SASS_RELA : SASS_REL, 0, 8);
        if (!s)
            return false;
        s->entry = rela ? 24 : 16;
        text_number(&s->data, r->offset, 8);
        text_number(&s->data, r->type, 4);
        if (!symbol_place(as, s, r->symbol, r->line))
            return false;
        if (rela)
            text_number(&s->data, r->addend, 8);
        if (!text_ok(&s->data))
            return error_memory(as->error);
    }
    return true;
}

static bool synthesize(struct assembler *as)
{
    symbols_declare(as);
    bool has_info = asm_section_named(as, ".nv.info");
    unsigned count = as->nsections;
    for (unsigned i = 0; i < count; i++)
        if (as->sections[i].code && strncmp(as->sections[i].name, ".text.", 6) == 0 && !kernel_complete(as, i + 1))
            return false;
    return (has_info || module_info(as)) && section_symbols(as) && section_of(as, ".shstrtab", "", SASS_STRTAB, 0, 1) &&
           section_of(as, ".strtab", "", SASS_STRTAB, 0, 1) && section_of(as, ".symtab", "", SASS_SYMTAB, 0, 8);
}

/* ---- the module -------------------------------------------------------------------------------------- */

/* Place of a section in a module that was not written in full: as ptxas orders them. */
static unsigned rank(const struct asm_section *s)
{
    static const char *const order[] = {".shstrtab", ".strtab",      ".symtab", ".nv.info",   ".nv.info.",
                                        ".rel",      ".nv.constant", ".text.",  ".nv.global", ".nv.shared."};
    unsigned best = 6;
    for (unsigned i = 0; i < sizeof order / sizeof order[0]; i++)
        if (i < 4 ? strcmp(s->name, order[i]) == 0 : strncmp(s->name, order[i], strlen(order[i])) == 0)
            best = i;
    return best;
}

static bool sections_place(struct assembler *as)
{
    struct sass_module *m = as->module;
    m->nsections = as->nsections + 1;
    m->sections = arena_array(&m->arena, m->nsections, sizeof *m->sections);
    if (!m->sections)
        return error_memory(as->error);
    m->sections[0].name = "";
    uint32_t next = 1;
    for (unsigned r = 0; r < (as->symbols_listed ? 1u : 10u); r++)
        for (unsigned i = 0; i < as->nsections; i++)
            if (as->symbols_listed || rank(&as->sections[i]) == r)
                as->sections[i].final = next++;
    for (unsigned i = 0; i < as->nsections; i++) {
        const struct asm_section *s = &as->sections[i];
        bool empty = sass_is_empty(s->type);
        uint8_t *bytes = empty ? NULL : arena_alloc(&m->arena, s->data.length + 1);
        if (!empty && !bytes)
            return error_memory(as->error);
        if (!empty && s->data.length)
            memcpy(bytes, s->data.bytes, s->data.length);
        uint32_t *lines = arena_array(&m->arena, s->ninsns + 1, sizeof *lines);
        if (!lines)
            return error_memory(as->error);
        for (size_t k = 0; k < s->ninsns; k++)
            lines[k] = s->insns[k].line;
        m->sections[s->final] = (struct sass_section){.name = s->name,
                                                      .type = s->type,
                                                      .flags = s->flags,
                                                      .align = s->align,
                                                      .entry = s->entry,
                                                      .address = s->address,
                                                      .size = empty ? s->zeros : s->data.length,
                                                      .bytes = bytes,
                                                      .lines = lines,
                                                      .nlines = s->ninsns};
        if (s->type == SASS_SYMTAB)
            m->symtab = s->final;
        if (s->type == SASS_STRTAB && strcmp(s->name, ".shstrtab") == 0)
            m->shstrtab = s->final;
        if (s->type == SASS_STRTAB && strcmp(s->name, ".strtab") == 0)
            m->strtab = s->final;
    }
    if (!m->symtab || !m->strtab || !m->shstrtab)
        return error_set(as->error, ATOLL_INPUT, "wanted sections .symtab, .strtab and .shstrtab, or none of them");
    m->sections[m->symtab].entry = 24;
    return sass_name_sections(m, as->error);
}

static bool symbol_resolve(struct assembler *as, const struct asm_symbol *from, struct sass_symbol *to)
{
    uint32_t section = from->has_section ? 0 : from->listed ? 0 : from->where;
    if (from->section && !(section = asm_section_named(as, from->section)))
        return fail(as, from->line, "no section", from->section);
    const struct asm_label *label = section ? asm_label_find(as, section, from->name, strlen(from->name)) : NULL;
    *to = (struct sass_symbol){
        .name = from->own_name ? from->own_name : from->name, .info = from->info, .other = from->other};
    to->section = (uint16_t)(section ? as->sections[section - 1].final : from->section_number);
    to->value = from->has_value ? from->value : label ? asm_label_offset(as, label) : 0;
    to->size = from->has_size ? from->size : 0;
    /* The linker lays shared memory out: there the value is the alignment (ptxas -c). */
    bool shared = to->section && (from->other & SASS_STATE_SPACE) == SASS_SHARED_SPACE;
    if (shared && from->align && !from->has_value && as->module->relocatable)
        to->value = from->align;
    if (!from->listed && !label && !from->has_value && (from->info & 15) != SASS_SECTION)
        to->section = 0; /* declared here, defined elsewhere */
    if (!from->size_is_label)
        return true;
    const struct asm_label *end = asm_label_find(as, from->where, from->size_label, strlen(from->size_label));
    if (!end)
        return fail(as, from->line, "no label", from->size_label);
    uint64_t at = asm_label_offset(as, end);
    to->size = at >= to->value ? at - to->value : 0;
    return at >= to->value || fail(as, from->line, "a negative size of", from->name);
}

static bool symbols_place(struct assembler *as)
{
    struct sass_module *m = as->module;
    m->symbols = arena_array(&m->arena, (size_t)as->nsymbols + 1, sizeof *m->symbols);
    if (!m->symbols)
        return error_memory(as->error);
    m->symbols[0].name = "";
    m->nsymbols = 1;
    /* Local ones first, unless the order is given. */
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < as->nsymbols; i++) {
            bool global = as->symbols[i].info >> 4 != 0;
            if (as->symbols_listed ? pass == 0 : global == (pass == 1))
                if (!symbol_resolve(as, &as->symbols[i], &m->symbols[m->nsymbols++]))
                    return false;
        }
    m->sections[m->symtab].size = (uint64_t)m->nsymbols * 24;
    return true;
}

static int by_name(const void *a, const void *b)
{
    const struct sass_symbol *p = *(const struct sass_symbol *const *)a, *q = *(const struct sass_symbol *const *)b;
    int order = strcmp(p->name, q->name);
    return order ? order : (p > q) - (p < q);
}

static int by_key(const void *key, const void *b)
{
    return strcmp(key, (*(const struct sass_symbol *const *)b)->name);
}

static bool fixups_apply(struct assembler *as)
{
    struct sass_module *m = as->module;
    const struct sass_symbol **sorted = arena_array(&as->arena, m->nsymbols, sizeof *sorted);
    if (!sorted)
        return error_memory(as->error);
    for (uint32_t i = 0; i < m->nsymbols; i++)
        sorted[i] = &m->symbols[i];
    qsort(sorted, m->nsymbols, sizeof(void *), by_name);
    for (unsigned i = 0; i < as->nfixups; i++) {
        const struct asm_fixup *f = &as->fixups[i];
        uint32_t index = f->index;
        if (f->symbol) {
            const struct sass_symbol **found = bsearch(f->symbol, sorted, m->nsymbols, sizeof(void *), by_key);
            if (!found)
                return fail(as, f->line, "no symbol", f->symbol);
            index = (uint32_t)(*found - m->symbols);
        }
        bytes_put((uint8_t *)m->sections[as->sections[f->section - 1].final].bytes + f->offset, index, 4);
    }
    return true;
}

static void links_place(struct assembler *as)
{
    struct sass_module *m = as->module;
    for (unsigned i = 0; i < as->nsections; i++) {
        const struct asm_section *s = &as->sections[i];
        struct sass_section *to = &m->sections[s->final];
        to->link = s->link_given ? s->link : sass_usual_link(m, s->final);
        to->info = s->info_given ? s->info : sass_usual_info(m, s->final);
        if (sass_is_text(to))
            to->info = (to->info & 0xffffff) | s->registers << 24;
        if (!as->symbols_listed && (to->type == SASS_REL || to->type == SASS_RELA))
            to->entry = to->type == SASS_REL ? 16 : 24;
    }
}

bool asm_build(struct assembler *as)
{
    struct sass_module *m = as->module;
    unsigned number = sass_arch_number(as->arch);
    for (unsigned i = 0; i < as->nsections; i++)
        if (!text_ok(&as->sections[i].data))
            return error_memory(as->error);
    if (as->nsections == 0)
        return error_at(as->error, ATOLL_INPUT, 1, 1, "wanted an instruction or a section");
    if (!asm_late_read(as))
        return false;
    for (uint32_t i = 1; i <= as->nsections; i++)
        if (!asm_code_encode(as, i))
            return false;
    if (!asm_values_resolve(as) || !relocations_place(as) || (!as->symbols_listed && !synthesize(as)))
        return false;
    /* A listing of everything is taken at its word. */
    for (uint32_t i = 1; i <= as->nsections; i++)
        if (as->sections[i - 1].ninsns && (as->sections[i - 1].scheduled || !as->symbols_listed) &&
            !asm_info_follow(as, i))
            return false;
    if (!as->flags_given)
        m->flags = number | 0x500 | number << 16;
    m->arch = number;
    m->virtual_arch = m->flags >> 16 & 0xff;
    if ((uint64_t)(as->nsections + 1) * (as->nsymbols + as->nsections + 1) > UINT64_C(1) << 28)
        return error_set(as->error, ATOLL_LIMIT, "%u sections with %u symbols are too many", as->nsections,
                         as->nsymbols);
    if (!sections_place(as) || !symbols_place(as) || !fixups_apply(as))
        return false;
    links_place(as);
    return sass_index(m, as->error);
}

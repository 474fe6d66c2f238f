/* Modules as text, in the manner of nvdisasm and loss-free: sections in order, symbols, data, attributes. Code is in
 * list_code.c. docs/sass.md describes the form. */
#include "isa/sass/listing.h"

#include "isa/sass/list_code.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_plain(const char *name)
{
    if (!name[0] || isdigit((unsigned char)name[0]))
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && !strchr("_.$@<>?", *name))
            return false;
    return true;
}

void list_name(struct text *out, const char *name)
{
    if (is_plain(name)) {
        text_puts(out, name);
        return;
    }
    text_puts(out, "\"");
    for (; *name; name++)
        if (*name == '"' || *name == '\\' || (unsigned char)*name < 0x20)
            text_printf(out, "\\x%02x", (unsigned char)*name);
        else
            text_add(out, name, 1);
    text_puts(out, "\"");
}

/* ---- the header -------------------------------------------------------------------------------------- */

static void list_header(struct lister *l)
{
    const struct sass_module *m = l->module;
    uint32_t rest = m->flags & ~(0xffu | 0xffu << 16);
    text_puts(l->out, "\t.headerflags\t@\"");
    for (const struct sass_word *w = sass_header_flags; w->name; w++)
        if (rest & w->value) {
            text_printf(l->out, "%s ", w->name);
            rest &= ~(uint32_t)w->value;
        }
    text_printf(l->out, "EF_CUDA_SM%u EF_CUDA_VIRTUAL_SM(EF_CUDA_SM%u)", m->flags & 0xff, m->flags >> 16 & 0xff);
    if (rest)
        text_printf(l->out, " unrecognized:%x", rest);
    text_puts(l->out, "\"\n");
    text_printf(l->out, "\t.elftype\t@\"%s\"\n", m->relocatable ? "ET_REL" : "ET_EXEC");
    if (!l->options.control)
        return;
    text_printf(l->out, "\t.elfversion\t0x%x, 0x%x, 0x%x\n", m->version, m->osabi, m->abi);
    if (m->entry)
        text_printf(l->out, "\t.elfentry\t0x%" PRIx64 "\n", m->entry);
}

/* ---- head of a section ------------------------------------------------------------------------------- */

static void list_banner(struct lister *l, const char *name)
{
    text_printf(l->out, "\n\n//--------------------- %-25s --------------------------\n", name);
}

static void list_flags(struct lister *l, const struct sass_section *s)
{
    uint64_t rest = s->flags;
    text_puts(l->out, ",\"");
    for (const struct sass_word *w = sass_section_letters; w->name; w++)
        if (rest & w->value) {
            text_puts(l->out, w->name);
            rest &= ~w->value;
        }
    const char *type = sass_word_of(sass_section_types, s->type);
    if (!type)
        text_printf(l->out, "\",@0x%x\n", s->type);
    else
        text_printf(l->out, islower((unsigned char)type[0]) ? "\",@%s\n" : "\",@\"%s\"\n", type);
    uint64_t barriers = rest >> SASS_BARRIERS & 0x7f;
    rest &= ~((uint64_t)0x7f << SASS_BARRIERS);
    if (barriers)
        text_printf(l->out, "\t.sectionflags\t@\"SHF_BARRIERS=%" PRIu64 "\"\n", barriers);
    if (rest)
        text_printf(l->out, "\t.sectionflags\t0x%" PRIx64 "\n", rest);
}

static void list_section_head(struct lister *l, uint32_t index)
{
    const struct sass_module *m = l->module;
    const struct sass_section *s = &m->sections[index];
    list_banner(l, s->name);
    text_puts(l->out, "\t.section\t");
    list_name(l->out, s->name);
    list_flags(l, s);
    uint32_t info = s->info, usual = sass_usual_info(m, index);
    if (sass_is_text(s)) {
        text_printf(l->out, "\t.sectioninfo\t@\"SHI_REGISTERS=%u\"\n", info >> 24);
        info &= 0xffffff;
    }
    if (info != usual)
        text_printf(l->out, "\t.sectioninfo\t0x%x\n", info);
    if (s->link != sass_usual_link(m, index))
        text_printf(l->out, "\t.sectionlink\t0x%x\n", s->link);
    if (s->entry)
        text_printf(l->out, "\t.sectionentsize\t%" PRIu64 "\n", s->entry);
    if (s->address)
        text_printf(l->out, "\t.sectionaddress\t0x%" PRIx64 "\n", s->address);
    text_printf(l->out, "\t.align\t%" PRIu64 "\n", s->align);
}

/* ---- symbols ----------------------------------------------------------------------------------------- */

static void list_number_or(struct text *out, const char *name, uint64_t value)
{
    if (name)
        text_printf(out, ", @%s", name);
    else
        text_printf(out, ", @0x%" PRIx64, value);
}

static void list_symbol(struct lister *l, uint32_t index)
{
    const struct sass_module *m = l->module;
    const struct sass_symbol *s = &m->symbols[index];
    text_puts(l->out, "\t.symbol\t");
    list_name(l->out, s->name);
    list_number_or(l->out, sass_word_of(sass_symbol_types, s->info & 15), s->info & 15);
    list_number_or(l->out, sass_word_of(sass_symbol_binds, s->info >> 4), s->info >> 4);
    if (s->other)
        text_printf(l->out, ", other=0x%x", s->other);
    if (s->section && s->section < m->nsections && l->unique[s->section]) {
        text_puts(l->out, ", section=");
        list_name(l->out, m->sections[s->section].name);
    } else if (s->section)
        text_printf(l->out, ", section=0x%x", s->section);
    if (!l->labels[index] && s->value)
        text_printf(l->out, ", value=0x%" PRIx64, s->value);
    if (!l->labels[index] && s->size)
        text_printf(l->out, ", size=0x%" PRIx64, s->size);
    text_puts(l->out, "\n");
}

/* ".type f,@function", after `head`. */
static void list_type(struct lister *l, const char *head, const struct sass_symbol *s)
{
    const char *type = sass_word_of(sass_symbol_types, s->info & 15);
    text_puts(l->out, head);
    list_name(l->out, s->name);
    if (!type)
        text_printf(l->out, ",@0x%x\n", s->info & 15u);
    else
        text_printf(l->out, islower((unsigned char)type[0]) ? ",@%s\n" : ",@\"%s\"\n", type);
}

void list_other(struct lister *l, const char *head, const struct sass_symbol *s)
{
    static const char *const visibility[] = {"STV_DEFAULT", "STV_INTERNAL", "STV_HIDDEN", "STV_PROTECTED"};
    static const char *const spaces[8] = {"", "STO_CUDA_GLOBAL ", "STO_CUDA_SHARED ", "STO_CUDA_LOCAL ",
                                          "STO_CUDA_CONSTANT "};
    const char *space = spaces[s->other >> 5];
    if (!s->other)
        return;
    text_puts(l->out, head);
    list_name(l->out, s->name);
    text_printf(l->out, ",@\"%s%s%s%s%s\"\n", space ? space : "", s->other & SASS_ENTRY ? "STO_CUDA_ENTRY " : "",
                s->other & 8 ? "STO_CUDA_OBSCURE " : "", s->other & 4 ? "STO_CUDA_MANAGED " : "",
                visibility[s->other & 3]);
}

void list_symbol_reference(struct lister *l, uint32_t index)
{
    if (index < l->module->nsymbols && l->by_name[index])
        list_name(l->out, l->module->symbols[index].name);
    else
        text_printf(l->out, "#%u", index);
}

/* ---- data -------------------------------------------------------------------------------------------- */

static void list_bytes(struct lister *l, const uint8_t *p, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++)
        text_printf(l->out, "%s0x%02x", i % 16 ? ", " : i ? "\n\t.byte\t" : "\t.byte\t", p[i]);
    if (size)
        text_puts(l->out, "\n");
}

/* Zeros are counted, words are written as words where the section is aligned to them. */
static void list_data(struct lister *l, const struct sass_section *s, uint64_t from, uint64_t to)
{
    while (from < to) {
        uint64_t zeros = from;
        while (zeros < to && s->bytes[zeros] == 0)
            zeros++;
        if (zeros - from >= 16 || (zeros == to && zeros > from)) {
            text_printf(l->out, "\t.zero\t%" PRIu64 "\n", zeros - from);
            from = zeros;
            continue;
        }
        uint64_t step = to - from < 16 ? to - from : 16;
        if (s->align >= 4 && from % 4 == 0 && step >= 4) {
            step &= ~UINT64_C(3);
            for (uint64_t i = 0; i < step; i += 4)
                text_printf(l->out, "%s0x%08x", i ? ", " : "\t.word\t", bytes_u32(s->bytes + from + i));
            text_puts(l->out, "\n");
        } else
            list_bytes(l, s->bytes + from, step);
        from += step;
    }
}

static int by_value(const void *a, const void *b)
{
    const struct list_label *p = a, *q = b;
    return p->value != q->value ? (p->value > q->value) - (p->value < q->value)
                                : (p->symbol < q->symbol) - (p->symbol > q->symbol);
}

/* In code: what is at one line is at one place. */
static int by_line(const void *a, const void *b)
{
    const struct list_label *p = a, *q = b;
    uint64_t x = list_place(p->value), y = list_place(q->value);
    return x != y ? (x > y) - (x < y) : (p->symbol < q->symbol) - (p->symbol > q->symbol);
}

static bool is_in_code(const struct lister *l, uint32_t section)
{
    return l->codes && l->codes[section].code.insns;
}

/* Where nothing may be lost, only symbols that are read back from their label have one. */
static bool is_label(const struct lister *l, uint32_t symbol, uint32_t section)
{
    const struct sass_symbol *s = &l->module->symbols[symbol];
    if (s->section != section || l->options.control)
        return s->section == section && l->labels[symbol];
    bool named = s->name[0] || ((s->info & 15) == SASS_SECTION && is_in_code(l, section));
    return named && s->value <= l->module->sections[section].size && (s->info & 15) <= SASS_SECTION;
}

/* At one address the last symbol comes first, as in nvdisasm's listings. */
bool list_labels_of(struct lister *l, uint32_t section, struct list_label **first, unsigned *count)
{
    const struct sass_module *m = l->module;
    unsigned n = 0;
    for (uint32_t i = 1; i < m->nsymbols; i++)
        n += is_label(l, i, section);
    struct list_label *labels = arena_array(&l->arena, n, sizeof *labels);
    if (!labels)
        return error_memory(l->error);
    n = 0;
    for (uint32_t i = 1; i < m->nsymbols; i++)
        if (is_label(l, i, section))
            labels[n++] = (struct list_label){.value = m->symbols[i].value, .symbol = i};
    if (n)
        qsort(labels, n, sizeof *labels, !l->options.control && is_in_code(l, section) ? by_line : by_value);
    *first = labels;
    *count = n;
    return true;
}

static bool list_contents(struct lister *l, uint32_t index)
{
    const struct sass_section *s = &l->module->sections[index];
    struct list_label *labels;
    unsigned count;
    if (!list_labels_of(l, index, &labels, &count))
        return false;
    uint64_t at = 0;
    for (unsigned i = 0; i <= count; i++) {
        uint64_t to = i < count ? labels[i].value : s->size;
        if (sass_is_empty(s->type) && to > at)
            text_printf(l->out, "\t.zero\t%" PRIu64 "\n", to - at);
        else if (!sass_is_empty(s->type))
            list_data(l, s, at, to);
        at = to;
        if (i < count) {
            const struct sass_symbol *symbol = &l->module->symbols[labels[i].symbol];
            text_puts(l->out, "\t.size\t");
            list_name(l->out, symbol->name);
            text_printf(l->out, ",%" PRIu64 "\n", symbol->size);
            list_name(l->out, symbol->name);
            text_puts(l->out, ":\n");
        }
    }
    return true;
}

static void list_strings(struct lister *l, const struct sass_section *s)
{
    for (uint64_t at = 0; at < s->size;) {
        const uint8_t *end = memchr(s->bytes + at, 0, s->size - at);
        if (!end) {
            list_bytes(l, s->bytes + at, s->size - at);
            return;
        }
        text_puts(l->out, "\t.string\t\"");
        for (; s->bytes + at < end; at++)
            if (s->bytes[at] < 0x20 || s->bytes[at] == '"' || s->bytes[at] == '\\')
                text_printf(l->out, "\\x%02x", s->bytes[at]);
            else
                text_add(l->out, (const char *)s->bytes + at, 1);
        text_puts(l->out, "\"\n");
        at++;
    }
}

/* ---- attributes, relocations ------------------------------------------------------------------------- */

static void list_payload(struct lister *l, const struct sass_attribute *a)
{
    uint32_t symbols = sass_symbol_words(a->code);
    unsigned words = a->value / 4;
    for (unsigned i = 0; i < words; i++) {
        uint32_t word = bytes_u32(a->payload + 4 * (size_t)i);
        text_puts(l->out, "\t.word\t");
        if (symbols >> (i < 31 ? i : 31) & 1 && word < l->module->nsymbols && l->by_name[word]) {
            text_puts(l->out, "index@(");
            list_name(l->out, l->module->symbols[word].name);
            text_puts(l->out, ")\n");
        } else
            text_printf(l->out, "0x%08x\n", word);
    }
    list_bytes(l, a->payload + (size_t)words * 4, a->value % 4);
}

bool list_attribute_at(const struct sass_section *s, uint64_t at, struct sass_attribute *a)
{
    if (s->size - at < 4)
        return false;
    const uint8_t *p = s->bytes + at;
    *a = (struct sass_attribute){p[0], p[1], (uint16_t)bytes_u16(p + 2), p + 4, (uint32_t)at};
    return a->format != SASS_FORMAT_BYTES || s->size - at - 4 >= a->value;
}

static bool list_attributes(struct lister *l, uint32_t section)
{
    const struct sass_section *s = &l->module->sections[section];
    uint64_t at = 0;
    struct sass_attribute a;
    while (list_attribute_at(s, at, &a)) {
        bool sized = a.format == SASS_FORMAT_BYTES;
        const char *name = sass_attribute_name(a.code);
        if (name)
            text_printf(l->out, "\t//----- nvinfo : %s\n", name);
        text_printf(l->out, "\t.byte\t0x%02x, 0x%02x\n\t.short\t0x%04x\n", a.format, a.code, a.value);
        if (sized)
            list_payload(l, &a);
        at += 4 + (sized ? a.value : 0u);
    }
    list_bytes(l, s->bytes + at, s->size - at); /* what is no record */
    return true;
}

static bool list_relocations(struct lister *l, const struct sass_section *s)
{
    uint64_t step = s->type == SASS_RELA ? 24 : 16;
    for (uint64_t at = 0; at < s->size; at += step) {
        const uint8_t *p = s->bytes + at;
        uint32_t type = bytes_u32(p + 8);
        const char *name = sass_relocation_name(type);
        text_printf(l->out, "\t.reloc\t0x%" PRIx64 ", ", bytes_u64(p));
        if (name)
            text_puts(l->out, name);
        else
            text_printf(l->out, "%u", type);
        text_puts(l->out, ", ");
        list_symbol_reference(l, bytes_u32(p + 12));
        if (s->type == SASS_RELA)
            text_printf(l->out, ", 0x%" PRIx64, bytes_u64(p + 16));
        text_puts(l->out, "\n");
    }
    return true;
}

/* ---- the whole --------------------------------------------------------------------------------------- */

/* Symbols of elsewhere that have a type. */
static void list_undefined(struct lister *l)
{
    const struct sass_module *m = l->module;
    bool any = false;
    for (uint32_t i = 1; i < m->nsymbols; i++) {
        const struct sass_symbol *s = &m->symbols[i];
        if (s->section || !s->name[0] || (s->info & 15) == SASS_NOTYPE)
            continue;
        if (!any)
            text_puts(l->out, "\n\n//--------------------- SYMBOLS --------------------------\n\n");
        any = true;
        list_type(l, "\t.type\t\t", s);
        list_other(l, "\t.other\t\t", s);
        if (s->size) {
            text_puts(l->out, "\t.size\t\t");
            list_name(l->out, s->name);
            text_printf(l->out, ",0x%" PRIx64 "\n", s->size);
        }
    }
}

static bool list_section(struct lister *l, uint32_t index)
{
    const struct sass_module *m = l->module;
    const struct sass_section *s = &m->sections[index];
    if (l->options.code && !l->codes[index].code.insns)
        return true;
    list_section_head(l, index);
    if (index == m->symtab) {
        for (uint32_t i = 1; i < m->nsymbols; i++)
            list_symbol(l, i);
        return true;
    }
    if (s->type == SASS_STRTAB) {
        list_strings(l, s);
        return true;
    }
    if (s->type == SASS_REL || s->type == SASS_RELA)
        return list_relocations(l, s);
    if (s->type == SASS_INFO)
        return list_attributes(l, index);
    if (l->codes[index].code.insns)
        return list_text(l, index);
    return list_contents(l, index);
}

static int by_name(const void *a, const void *b)
{
    const struct sass_symbol *p = *(const struct sass_symbol *const *)a, *q = *(const struct sass_symbol *const *)b;
    return strcmp(p->name, q->name);
}

/* Which symbols a name tells. */
static bool names_prepare(struct lister *l)
{
    const struct sass_module *m = l->module;
    const struct sass_symbol **sorted = arena_array(&l->arena, m->nsymbols, sizeof *sorted);
    l->by_name = arena_array(&l->arena, m->nsymbols, sizeof *l->by_name);
    l->unique = arena_array(&l->arena, m->nsections, sizeof *l->unique);
    l->labels = sass_labels(m, &l->arena);
    if (!sorted || !l->by_name || !l->unique || !l->labels)
        return error_memory(l->error);
    for (uint32_t i = 0; i < m->nsymbols; i++)
        sorted[i] = &m->symbols[i];
    if (m->nsymbols)
        qsort(sorted, m->nsymbols, sizeof(void *), by_name);
    for (uint32_t i = 0; i < m->nsymbols; i++) {
        bool twice = (i > 0 && by_name(&sorted[i - 1], &sorted[i]) == 0) ||
                     (i + 1 < m->nsymbols && by_name(&sorted[i], &sorted[i + 1]) == 0);
        l->by_name[sorted[i] - m->symbols] = !twice && sorted[i]->name[0];
    }
    for (uint32_t i = 1; i < m->nsections; i++)
        l->unique[i] = m->sections[i].name[0] && sass_find_section(m, m->sections[i].name) == i;
    return true;
}

bool sass_list_module(const struct isa_table *table, const struct sass_module *module,
                      const struct sass_listing *options, struct text *out, struct atoll_error *error)
{
    struct lister l = {.table = table, .module = module, .options = *options, .out = out, .error = error};
    if ((uint64_t)module->nsections * (module->nsymbols + module->nsections) > UINT64_C(1) << 28)
        return error_set(error, ATOLL_LIMIT, "cubin: %u sections with %u symbols are too many to list",
                         module->nsections, module->nsymbols);
    bool ok = names_prepare(&l) && list_codes(&l);
    if (ok) {
        list_columns(&l);
        list_header(&l);
    }
    for (uint32_t i = 1; ok && i < module->nsections; i++)
        ok = list_section(&l, i);
    if (ok && options->code) /* else .symtab has them */
        list_undefined(&l);
    arena_free(&l.arena);
    return ok && (text_ok(out) || error_memory(error));
}

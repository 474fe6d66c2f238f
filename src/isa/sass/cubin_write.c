/* Writing cubins: sections and symbols into an ELF file, laid out as ptxas does it. libelf turns the headers into the
 * bytes of the file; it does not lay the file out, since its own order of headers is another. */
#include "isa/sass/cubin.h"

#include <libelf.h>
#include <string.h>

enum { SEGMENTS_MOST = 64 };

/* A string table. */
struct names {
    struct text text;
    struct namemap places; /* of whole strings; its names are the module's */
    bool failed;           /* no memory */
};

struct writer {
    const struct sass_module *module;
    struct text *out;
    struct atoll_error *error;
    size_t start;              /* of the file in `out` */
    struct names names[2];     /* .shstrtab, .strtab */
    uint64_t *offsets, *sizes; /* of sections */
    uint64_t shoff;
    Elf64_Phdr segments[SEGMENTS_MOST];
    unsigned nsegments;
};

/* Where a name is in a table: at its hint if it still is there, else anywhere, else appended. */
static uint32_t name_place(struct names *names, const char *name, uint32_t hint)
{
    struct text *table = &names->text;
    size_t length = strlen(name) + 1;
    if (hint < table->length && table->length - hint >= length && memcmp(table->bytes + hint, name, length) == 0)
        return hint;
    uint32_t known = namemap_find(&names->places, name, length - 1);
    if (known != UINT32_MAX)
        return known;
    if (table->length == 0)
        text_add(table, "", 1);
    if (length == 1)
        return 0;
    uint32_t at = (uint32_t)table->length;
    text_add(table, name, length);
    names->failed = names->failed || !text_ok(table) || !namemap_add(&names->places, name, length - 1, at);
    return at;
}

/* The table as it was. */
static void same_bytes(struct names *names, const struct sass_module *m, uint32_t section)
{
    const char *bytes = section ? (const char *)m->sections[section].bytes : NULL;
    size_t size = bytes ? m->sections[section].size : 0;
    text_add(&names->text, bytes ? bytes : "", size);
    for (size_t at = 0; at < size && !names->failed;) {
        size_t length = strnlen(bytes + at, size - at);
        names->failed = !namemap_add(&names->places, bytes + at, length, (uint32_t)at);
        at += length + 1;
    }
    /* A table that does not end with a 0 cannot be appended to. */
    if (size && bytes[size - 1])
        text_add(&names->text, "", 1);
    names->failed = names->failed || !text_ok(&names->text);
}

/* The table that names symbols. */
static struct names *symbol_names(struct writer *w)
{
    return &w->names[w->module->strtab == w->module->shstrtab ? 0 : 1];
}

static bool names_collect(struct writer *w)
{
    const struct sass_module *m = w->module;
    same_bytes(&w->names[0], m, m->shstrtab);
    same_bytes(&w->names[1], m, m->strtab);
    for (uint32_t i = 1; i < m->nsections; i++)
        name_place(&w->names[0], m->sections[i].name, m->sections[i].name_at);
    for (uint32_t i = 0; i < m->nsymbols; i++)
        name_place(symbol_names(w), m->symbols[i].name, m->symbols[i].name_at);
    return (!w->names[0].failed && !w->names[1].failed) || error_memory(w->error);
}

static uint64_t section_size(const struct writer *w, uint32_t index)
{
    const struct sass_module *m = w->module;
    if (index && index == m->shstrtab)
        return w->names[0].text.length;
    if (index && index == m->strtab)
        return w->names[1].text.length;
    if (index && index == m->symtab)
        return (uint64_t)m->nsymbols * sizeof(Elf64_Sym);
    return m->sections[index].size;
}

static bool layout(struct writer *w)
{
    const struct sass_module *m = w->module;
    uint64_t at = sizeof(Elf64_Ehdr);
    for (uint32_t i = 1; i < m->nsections; i++) {
        const struct sass_section *s = &m->sections[i];
        w->sizes[i] = section_size(w, i);
        if (w->sizes[i] > UINT64_C(1) << 40 || s->align > 1 << 20)
            return error_set(w->error, ATOLL_LIMIT, "cubin: section %u (%.200s) is too large", i, s->name);
        at = sass_align_up(at, s->align);
        w->offsets[i] = at;
        if (!sass_is_empty(s->type))
            at += w->sizes[i];
    }
    w->shoff = sass_align_up(at, 8);
    return true;
}

/* ---- program headers: a segment for each run of sections in memory that are alike writable, between two that say
 * where the program headers are ---- */

static void segment_add(struct writer *w, uint32_t type, uint32_t flags, uint64_t offset)
{
    if (w->nsegments < SEGMENTS_MOST)
        w->segments[w->nsegments++] = (Elf64_Phdr){.p_type = type, .p_flags = flags, .p_offset = offset, .p_align = 8};
}

static void segment_extend(struct writer *w, uint32_t index)
{
    const struct sass_section *s = &w->module->sections[index];
    Elf64_Phdr *p = &w->segments[w->nsegments - 1];
    if (sass_is_empty(s->type)) {
        p->p_filesz = w->offsets[index] - p->p_offset; /* the file is aligned for it, too */
        p->p_memsz = sass_align_up(p->p_memsz, s->align) + w->sizes[index];
    } else {
        p->p_filesz = w->offsets[index] + w->sizes[index] - p->p_offset;
        p->p_memsz = p->p_filesz;
    }
}

static void segments_collect(struct writer *w)
{
    const struct sass_module *m = w->module;
    if (m->relocatable)
        return;
    segment_add(w, PT_PHDR, PF_R | PF_X, 0);
    int last = -1;
    for (uint32_t i = 1; i < m->nsections; i++) {
        const struct sass_section *s = &m->sections[i];
        if (!(s->flags & SASS_ALLOC))
            continue;
        int writable = (s->flags & SASS_WRITE) != 0;
        if (writable != last)
            segment_add(w, PT_LOAD, writable ? PF_R | PF_W : PF_R | PF_X, w->offsets[i]);
        last = writable;
        segment_extend(w, i);
    }
    segment_add(w, PT_LOAD, PF_R | PF_X, 0);
    for (unsigned i = 0; i < w->nsegments; i += w->nsegments - 1) {
        w->segments[i].p_offset = w->shoff + (uint64_t)m->nsections * sizeof(Elf64_Shdr);
        w->segments[i].p_filesz = w->segments[i].p_memsz = w->nsegments * sizeof(Elf64_Phdr);
    }
}

/* ---- bytes ------------------------------------------------------------------------------------------- */

static bool put(struct writer *w, Elf_Type type, const void *header, size_t size)
{
    uint8_t bytes[sizeof(Elf64_Shdr)];
    Elf_Data from = {.d_buf = (void *)header, .d_type = type, .d_version = EV_CURRENT, .d_size = size};
    Elf_Data to = {.d_buf = bytes, .d_type = type, .d_version = EV_CURRENT, .d_size = sizeof bytes};
    if (!elf64_xlatetof(&to, &from, ELFDATA2LSB))
        return error_set(w->error, ATOLL_INPUT, "cubin: cannot be written: %s", elf_errmsg(-1));
    text_add(w->out, (const char *)bytes, size);
    return true;
}

static void pad_to(struct writer *w, uint64_t offset)
{
    static const char zeros[64];
    while (text_ok(w->out) && w->out->length - w->start < offset) {
        uint64_t left = offset - (w->out->length - w->start);
        text_add(w->out, zeros, left < sizeof zeros ? (size_t)left : sizeof zeros);
    }
}

static bool header_put(struct writer *w)
{
    const struct sass_module *m = w->module;
    Elf64_Ehdr h = {.e_type = m->relocatable ? ET_REL : ET_EXEC,
                    .e_machine = SASS_MACHINE,
                    .e_version = m->version,
                    .e_entry = m->entry,
                    .e_phoff = w->nsegments ? w->shoff + (uint64_t)m->nsections * sizeof(Elf64_Shdr) : 0,
                    .e_shoff = w->shoff,
                    .e_flags = m->flags,
                    .e_ehsize = sizeof(Elf64_Ehdr),
                    .e_phentsize = sizeof(Elf64_Phdr),
                    .e_phnum = (Elf64_Half)w->nsegments,
                    .e_shentsize = sizeof(Elf64_Shdr),
                    .e_shnum = (Elf64_Half)m->nsections,
                    .e_shstrndx = (Elf64_Half)m->shstrtab};
    memcpy(h.e_ident, ELFMAG, SELFMAG);
    h.e_ident[EI_CLASS] = ELFCLASS64;
    h.e_ident[EI_DATA] = ELFDATA2LSB;
    h.e_ident[EI_VERSION] = EV_CURRENT;
    h.e_ident[EI_OSABI] = m->osabi;
    h.e_ident[EI_ABIVERSION] = m->abi;
    return put(w, ELF_T_EHDR, &h, sizeof h);
}

static bool symbols_put(struct writer *w)
{
    const struct sass_module *m = w->module;
    for (uint32_t i = 0; i < m->nsymbols; i++) {
        const struct sass_symbol *s = &m->symbols[i];
        Elf64_Sym sym = {.st_name = name_place(symbol_names(w), s->name, s->name_at),
                         .st_info = s->info,
                         .st_other = s->other,
                         .st_shndx = s->section,
                         .st_value = s->value,
                         .st_size = s->size};
        if (!put(w, ELF_T_SYM, &sym, sizeof sym))
            return false;
    }
    return true;
}

static bool sections_put(struct writer *w)
{
    const struct sass_module *m = w->module;
    for (uint32_t i = 1; i < m->nsections; i++) {
        const struct sass_section *s = &m->sections[i];
        if (sass_is_empty(s->type))
            continue;
        pad_to(w, w->offsets[i]);
        if (i == m->symtab) {
            if (!symbols_put(w))
                return false;
        } else if (i == m->shstrtab || i == m->strtab)
            text_add(w->out, w->names[i == m->shstrtab ? 0 : 1].text.bytes, w->sizes[i]);
        else if (s->size)
            text_add(w->out, (const char *)s->bytes, s->size);
    }
    return true;
}

static bool headers_put(struct writer *w)
{
    const struct sass_module *m = w->module;
    pad_to(w, w->shoff);
    for (uint32_t i = 0; i < m->nsections; i++) {
        const struct sass_section *s = &m->sections[i];
        Elf64_Shdr h = {.sh_name = i ? name_place(&w->names[0], s->name, s->name_at) : 0,
                        .sh_type = s->type,
                        .sh_flags = s->flags,
                        .sh_addr = s->address,
                        .sh_offset = w->offsets[i],
                        .sh_size = w->sizes[i],
                        .sh_link = s->link,
                        .sh_info = s->info,
                        .sh_addralign = s->align,
                        .sh_entsize = s->entry};
        if (!put(w, ELF_T_SHDR, &h, sizeof h))
            return false;
    }
    for (unsigned i = 0; i < w->nsegments; i++)
        if (!put(w, ELF_T_PHDR, &w->segments[i], sizeof w->segments[i]))
            return false;
    return true;
}

static bool write_parts(struct writer *w)
{
    if (!names_collect(w) || !layout(w))
        return false;
    segments_collect(w);
    return header_put(w) && sections_put(w) && headers_put(w) && (text_ok(w->out) || error_memory(w->error));
}

bool sass_write(const struct sass_module *module, struct text *out, struct atoll_error *error)
{
    struct arena scratch = {0};
    struct writer w = {.module = module, .out = out, .error = error, .start = out->length};
    if (elf_version(EV_CURRENT) == EV_NONE)
        return error_set(error, ATOLL_UNSUPPORTED, "this libelf knows no ELF of version 1");
    if (module->nsections == 0 || module->nsections >= SHN_LORESERVE)
        return error_set(error, ATOLL_LIMIT, "cubin: no sections, or too many");
    w.offsets = arena_array(&scratch, module->nsections, sizeof *w.offsets);
    w.sizes = arena_array(&scratch, module->nsections, sizeof *w.sizes);
    bool ok = w.offsets && w.sizes ? write_parts(&w) : error_memory(error);
    for (int i = 0; i < 2; i++) {
        text_free(&w.names[i].text);
        namemap_free(&w.names[i].places);
    }
    arena_free(&scratch);
    return ok;
}

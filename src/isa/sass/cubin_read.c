/* Reading cubins: the ELF file into sections and symbols. libelf finds the headers; whatever they say is checked here
 * against the size of the file before it is believed. */
#include "isa/sass/cubin.h"

#include <libelf.h>
#include <stdlib.h>
#include <string.h>

enum {
    SECTIONS_MOST = 0xff00, /* SHN_LORESERVE */
    SIZE_MOST_LOG = 36,     /* of memory that has no bytes in the file */
    NAME_MOST = 1 << 15,    /* bytes of a name: many may share a long one, and names are compared */
};

struct reader {
    struct sass_module *module;
    struct atoll_error *error;
    Elf *elf;
    const uint8_t *bytes; /* the module's copy of the file */
    uint64_t size;
    uint64_t phoff, phnum, shoff;
};

/* "section 5 (.nv.info), offset 0x123: ..." is how all errors begin. */
static bool section_error(struct reader *r, uint32_t index, const char *what)
{
    const struct sass_section *s = &r->module->sections[index];
    return error_set(r->error, ATOLL_INPUT, "cubin: section %u (%.200s), offset 0x%llx: %s", index,
                     s->name && s->name[0] ? s->name : "no name", (unsigned long long)s->offset, what);
}

static bool elf_error(struct reader *r, const char *what)
{
    return error_set(r->error, ATOLL_INPUT, "cubin: %s", what);
}

static bool inside(const struct reader *r, uint64_t offset, uint64_t size)
{
    return offset <= r->size && size <= r->size - offset;
}

static bool ident_check(struct reader *r)
{
    const uint8_t *e = r->bytes;
    if (r->size < sizeof(Elf64_Ehdr) || memcmp(e, ELFMAG, SELFMAG) != 0)
        return elf_error(r, r->size < sizeof(Elf64_Ehdr) ? "shorter than an ELF header of 64 bytes" : "no ELF file");
    if (e[EI_CLASS] != ELFCLASS64 || e[EI_DATA] != ELFDATA2LSB)
        return elf_error(r, "header, offset 0x4: not a 64-bit little-endian ELF file");
    if (e[EI_VERSION] != EV_CURRENT)
        return elf_error(r, "header, offset 0x6: unknown version of ELF");
    return true;
}

static bool arch_check(struct reader *r, unsigned arch)
{
    if (arch == 50 || arch == 52 || arch == 53)
        return true;
    return error_set(r->error, ATOLL_UNSUPPORTED, "cubin of sm_%u: sm_50, sm_52 and sm_53 are supported", arch);
}

static bool header_read(struct reader *r)
{
    struct sass_module *m = r->module;
    const Elf64_Ehdr *h = elf64_getehdr(r->elf);
    if (!h)
        return error_set(r->error, ATOLL_INPUT, "cubin: header: %s", elf_errmsg(-1));
    if (h->e_machine != SASS_MACHINE)
        return error_set(r->error, ATOLL_INPUT, "cubin: header, offset 0x12: machine %u; wanted 190 (CUDA)",
                         h->e_machine);
    if (h->e_type != ET_REL && h->e_type != ET_EXEC)
        return elf_error(r, "header, offset 0x10: neither executable nor relocatable");
    m->relocatable = h->e_type == ET_REL;
    m->osabi = h->e_ident[EI_OSABI];
    m->abi = h->e_ident[EI_ABIVERSION];
    m->flags = h->e_flags;
    m->version = h->e_version;
    m->toolkit = h->e_version >= 20 && h->e_version < 1000 ? h->e_version : 0;
    m->entry = h->e_entry;
    /* Later versions of the ABI hold the architecture one byte further; they know no Maxwell. */
    m->arch = m->abi > SASS_ABI ? m->flags >> 8 & 0xff : m->flags & 0xff;
    m->virtual_arch = m->flags >> 16 & 0xff;
    if (!arch_check(r, m->arch))
        return false;
    if (h->e_ehsize != sizeof(Elf64_Ehdr))
        return elf_error(r, "header, offset 0x34: a header that is not 64 bytes long");
    if (h->e_shoff && h->e_shentsize != sizeof(Elf64_Shdr))
        return elf_error(r, "header, offset 0x3a: section headers that are not 64 bytes long");
    if (h->e_phnum && h->e_phentsize != sizeof(Elf64_Phdr))
        return elf_error(r, "header, offset 0x36: program headers that are not 56 bytes long");
    r->phoff = h->e_phoff;
    r->phnum = h->e_phnum;
    r->shoff = h->e_shoff;
    m->nsections = h->e_shnum;
    m->shstrtab = h->e_shstrndx;
    if (m->nsections == 0 || m->nsections >= SECTIONS_MOST)
        return elf_error(r, "header, offset 0x3c: no section headers, or too many");
    if (r->shoff % 8)
        return elf_error(r, "header, offset 0x28: section headers are not aligned to 8 bytes");
    if (!inside(r, r->shoff, (uint64_t)m->nsections * sizeof(Elf64_Shdr)))
        return elf_error(r, "header, offset 0x28: section headers past the end of the file");
    if (r->phnum && !inside(r, r->phoff, r->phnum * sizeof(Elf64_Phdr)))
        return elf_error(r, "header, offset 0x20: program headers past the end of the file");
    return m->shstrtab < m->nsections || elf_error(r, "header, offset 0x3e: no such section for names");
}

static bool section_check(struct reader *r, uint32_t index)
{
    const struct sass_section *s = &r->module->sections[index];
    if (s->align & (s->align - 1))
        return section_error(r, index, "alignment is no power of two");
    if (s->align > 1 << 20)
        return section_error(r, index, "absurd alignment");
    if (sass_is_empty(s->type))
        return s->size >> SIZE_MOST_LOG == 0 || section_error(r, index, "absurd size");
    if (s->size && s->align > 1 && s->offset % s->align)
        return section_error(r, index, "contents are not aligned as the section says");
    return inside(r, s->offset, s->size) || section_error(r, index, "contents past the end of the file");
}

/* A terminated string of a string table; NULL when there is none at that place, or no end in sight. */
static const char *string_at(const struct sass_section *table, uint32_t at)
{
    if (table->type != SASS_STRTAB || at >= table->size)
        return NULL;
    uint64_t room = table->size - at;
    if (!memchr(table->bytes + at, 0, room < NAME_MOST ? room : NAME_MOST))
        return NULL;
    return (const char *)table->bytes + at;
}

static bool names_read(struct reader *r)
{
    struct sass_module *m = r->module;
    for (uint32_t i = 1; i < m->nsections; i++) {
        struct sass_section *s = &m->sections[i];
        s->name = m->shstrtab ? string_at(&m->sections[m->shstrtab], s->name_at) : NULL;
        if (!s->name)
            return section_error(r, i, "its name lies outside the section of names, or is too long");
    }
    return true;
}

static bool sections_read(struct reader *r)
{
    struct sass_module *m = r->module;
    m->sections = arena_array(&m->arena, m->nsections, sizeof *m->sections);
    if (!m->sections)
        return error_memory(r->error);
    m->sections[0].name = "";
    for (uint32_t i = 1; i < m->nsections; i++) {
        Elf_Scn *scn = elf_getscn(r->elf, i);
        const Elf64_Shdr *h = scn ? elf64_getshdr(scn) : NULL;
        if (!h)
            return error_set(r->error, ATOLL_INPUT, "cubin: section header %u, offset 0x%llx: %s", i,
                             (unsigned long long)(r->shoff + i * sizeof(Elf64_Shdr)), elf_errmsg(-1));
        m->sections[i] = (struct sass_section){.name_at = h->sh_name,
                                               .type = h->sh_type,
                                               .link = h->sh_link,
                                               .info = h->sh_info,
                                               .flags = h->sh_flags,
                                               .address = h->sh_addr,
                                               .align = h->sh_addralign,
                                               .entry = h->sh_entsize,
                                               .size = h->sh_size,
                                               .offset = h->sh_offset};
        if (!section_check(r, i))
            return false;
        if (!sass_is_empty(h->sh_type))
            m->sections[i].bytes = r->bytes + h->sh_offset;
        if (h->sh_link >= m->nsections)
            return section_error(r, i, "links to a section that is not there");
    }
    return names_read(r);
}

/* ---- no two parts of the file share bytes ------------------------------------------------------------ */

struct extent {
    uint64_t offset, size;
    uint32_t section; /* 0 = header, section headers, program headers */
};

static int extent_compare(const void *a, const void *b)
{
    const struct extent *x = a, *y = b;
    return x->offset != y->offset ? (x->offset > y->offset) - (x->offset < y->offset)
                                  : (x->size > y->size) - (x->size < y->size);
}

static bool overlaps_check(struct reader *r)
{
    const struct sass_module *m = r->module;
    struct arena scratch = {0};
    struct extent *extents = arena_array(&scratch, m->nsections + 3, sizeof *extents);
    if (!extents)
        return error_memory(r->error);
    unsigned n = 0;
    extents[n++] = (struct extent){0, sizeof(Elf64_Ehdr), 0};
    extents[n++] = (struct extent){r->shoff, (uint64_t)m->nsections * sizeof(Elf64_Shdr), 0};
    if (r->phnum)
        extents[n++] = (struct extent){r->phoff, r->phnum * sizeof(Elf64_Phdr), 0};
    for (uint32_t i = 1; i < m->nsections; i++)
        if (!sass_is_empty(m->sections[i].type) && m->sections[i].size)
            extents[n++] = (struct extent){m->sections[i].offset, m->sections[i].size, i};
    qsort(extents, n, sizeof *extents, extent_compare);
    bool ok = true;
    for (unsigned i = 1; ok && i < n; i++)
        if (extents[i].offset - extents[i - 1].offset < extents[i - 1].size) {
            uint32_t at = extents[i].section ? extents[i].section : extents[i - 1].section;
            ok = at ? section_error(r, at, "overlaps another part of the file")
                    : elf_error(r, "headers overlap each other");
        }
    arena_free(&scratch);
    return ok;
}

/* ---- symbols ----------------------------------------------------------------------------------------- */

static bool symbol_read(struct reader *r, uint32_t index, const uint8_t *p)
{
    struct sass_module *m = r->module;
    struct sass_symbol *s = &m->symbols[index];
    *s = (struct sass_symbol){.name_at = bytes_u32(p),
                              .info = p[4],
                              .other = p[5],
                              .section = (uint16_t)bytes_u16(p + 6),
                              .value = bytes_u64(p + 8),
                              .size = bytes_u64(p + 16)};
    s->name = s->name_at ? string_at(&m->sections[m->strtab], s->name_at) : "";
    if (!s->name || (s->section >= m->nsections && s->section < SECTIONS_MOST))
        return error_set(r->error, ATOLL_INPUT, "cubin: section %u (%.200s), symbol %u, offset 0x%llx: %s", m->symtab,
                         m->sections[m->symtab].name, index,
                         (unsigned long long)(m->sections[m->symtab].offset + (uint64_t)index * sizeof(Elf64_Sym)),
                         s->name ? "belongs to a section that is not there"
                                 : "its name lies outside the string table, or is too long");
    return true;
}

static bool symbols_read(struct reader *r)
{
    struct sass_module *m = r->module;
    for (uint32_t i = 1; i < m->nsections; i++)
        if (m->sections[i].type == SASS_SYMTAB) {
            if (m->symtab)
                return section_error(r, i, "a second symbol table");
            m->symtab = i;
        }
    if (!m->symtab)
        return true;
    const struct sass_section *s = &m->sections[m->symtab];
    if (s->entry != sizeof(Elf64_Sym) || s->size % sizeof(Elf64_Sym) || s->size == 0)
        return section_error(r, m->symtab, "a symbol table whose entries are not 24 bytes long");
    m->strtab = s->link;
    if (!m->strtab || m->sections[m->strtab].type != SASS_STRTAB)
        return section_error(r, m->symtab, "links to no string table");
    if (s->size / sizeof(Elf64_Sym) > UINT32_MAX)
        return section_error(r, m->symtab, "absurd size");
    m->nsymbols = (unsigned)(s->size / sizeof(Elf64_Sym));
    m->symbols = arena_array(&m->arena, m->nsymbols, sizeof *m->symbols);
    if (!m->symbols)
        return error_memory(r->error);
    for (uint32_t i = 0; i < m->nsymbols; i++)
        if (!symbol_read(r, i, s->bytes + (uint64_t)i * sizeof(Elf64_Sym)))
            return false;
    return true;
}

static bool read_parts(struct reader *r)
{
    return header_read(r) && sections_read(r) && overlaps_check(r) && symbols_read(r);
}

bool sass_read(const void *bytes, size_t size, struct sass_module *module, struct atoll_error *error)
{
    *module = (struct sass_module){0};
    uint8_t *copy = arena_alloc(&module->arena, size + 1);
    if (!copy)
        return error_memory(error);
    if (size)
        memcpy(copy, bytes, size);
    struct reader r = {.module = module, .error = error, .bytes = copy, .size = size};
    if (!ident_check(&r))
        return false;
    if (elf_version(EV_CURRENT) == EV_NONE)
        return error_set(error, ATOLL_UNSUPPORTED, "this libelf knows no ELF of version 1");
    r.elf = elf_memory((char *)copy, size);
    if (!r.elf)
        return error_set(error, ATOLL_INPUT, "cubin: %s", elf_errmsg(-1));
    bool ok = read_parts(&r);
    elf_end(r.elf);
    return ok && sass_index(module, error);
}

void sass_free(struct sass_module *module)
{
    namemap_free(&module->section_names);
    arena_free(&module->arena);
    *module = (struct sass_module){0};
}

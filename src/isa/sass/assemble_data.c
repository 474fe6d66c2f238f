/* The assembler's directives: header, sections, symbols, data. */
#include "isa/sass/assemble.h"

#include <stdio.h>
#include <string.h>

/* Bytes of all sections together that .zero and .align may stand for: a few words must not fill the memory. */
enum { ZEROS_MOST = 1 << 28 };

/* ---- sections and symbols ---------------------------------------------------------------------------- */

uint32_t asm_section_named(const struct assembler *as, const char *name)
{
    uint32_t index = namemap_find(&as->section_names, name, strlen(name));
    return index == UINT32_MAX ? 0 : index + 1;
}

struct asm_section *asm_section_start(struct assembler *as, const char *name, uint32_t type, uint64_t flags)
{
    uint32_t last = 0;
    for (uint32_t i = asm_section_named(as, name); i; last = i, i = as->sections[i - 1].next)
        if (as->sections[i - 1].type == type) {
            as->current = i;
            return &as->sections[i - 1];
        }
    if (as->nsections >= 0xfe00) {
        error_at(as->error, ATOLL_LIMIT, as->line, 1, "too many sections: there may be at most %u", 0xfe00);
        return NULL;
    }
    struct asm_section *sections = arena_append(&as->arena, as->sections, as->nsections, sizeof *sections);
    if (!sections || !namemap_add(&as->section_names, name, strlen(name), as->nsections)) {
        error_memory(as->error);
        return NULL;
    }
    as->sections = sections;
    struct asm_section *s = &as->sections[as->nsections++];
    *s = (struct asm_section){.name = name, .type = type, .flags = flags, .align = 1, .line = as->line};
    if (last)
        as->sections[last - 1].next = as->nsections;
    s->code = type == SASS_PROGBITS && flags & SASS_EXECUTE;
    as->current = as->nsections;
    return s;
}

/* Text without any directive is the kernel main. */
struct asm_section *asm_section_current(struct asm_cursor *c)
{
    struct assembler *as = c->as;
    if (as->current)
        return &as->sections[as->current - 1];
    struct asm_section *s = asm_section_start(as, ".text.main", SASS_PROGBITS, SASS_ALLOC | SASS_EXECUTE);
    if (s)
        s->align = 32;
    return s;
}

struct asm_symbol *asm_symbol_find(const struct assembler *as, const char *name)
{
    uint32_t index = namemap_find(&as->symbol_names, name, strlen(name));
    return index == UINT32_MAX ? NULL : &as->symbols[index];
}

static struct asm_symbol *symbol_add(struct assembler *as, const char *name)
{
    const struct asm_symbol *older = asm_symbol_find(as, name);
    uint32_t older_number = older ? (uint32_t)(older - as->symbols) + 1 : 0;
    struct asm_symbol *symbols = arena_append(&as->arena, as->symbols, as->nsymbols, sizeof *symbols);
    if (!symbols || !namemap_set(&as->symbol_names, name, strlen(name), as->nsymbols)) {
        error_memory(as->error);
        return NULL;
    }
    as->symbols = symbols;
    as->symbols[as->nsymbols] =
        (struct asm_symbol){.name = name, .line = as->line, .where = as->current, .older = older_number};
    return &as->symbols[as->nsymbols++];
}

struct asm_symbol *asm_symbol_named(struct assembler *as, const char *name)
{
    struct asm_symbol *s = asm_symbol_find(as, name);
    return s ? s : symbol_add(as, name);
}

static bool at_word(struct asm_cursor *c, const struct sass_word *words, uint64_t *value, const char *wanted)
{
    if (!asm_char(c, '@'))
        return asm_mistake(c, wanted);
    if (c->at < c->end && *c->at >= '0' && *c->at <= '9')
        return asm_number(c, value);
    const char *name = asm_name(c);
    return (name && sass_word_value(words, name, strlen(name), value)) || asm_mistake(c, wanted);
}

static bool do_section(struct asm_cursor *c)
{
    const char *name = asm_name(c);
    uint64_t type = SASS_PROGBITS, flags = 0;
    size_t length = 0;
    if (!name)
        return asm_mistake(c, "the name of a section");
    if (asm_char(c, ',')) {
        const char *letters = asm_string(c, &length);
        if (!letters)
            return asm_mistake(c, "flags as \"ax\"");
        for (size_t i = 0; i < length; i++) {
            uint64_t flag;
            if (!sass_word_value(sass_section_letters, letters + i, 1, &flag))
                return asm_mistake(c, "flags of a, w, x, I");
            flags |= flag;
        }
        if (asm_char(c, ',') && !at_word(c, sass_section_types, &type, "a type as @progbits"))
            return false;
    } else if (strncmp(name, ".text.", 6) == 0)
        flags = SASS_ALLOC | SASS_EXECUTE;
    if (type > UINT32_MAX)
        return asm_mistake(c, "a type of 32 bits");
    return asm_section_start(c->as, name, (uint32_t)type, flags) && asm_end(c);
}

/* ".kernel NAME": code of a kernel, everything else about it is worked out. */
static bool do_kernel(struct asm_cursor *c)
{
    char text[1024];
    const char *name = asm_name(c);
    if (!name || !name[0] || strlen(name) > 1000)
        return asm_mistake(c, "the name of a kernel");
    size_t length = strlen(name);
    memcpy(text, ".text.", 6);
    memcpy(text + 6, name, length);
    name = arena_text(&c->as->module->arena, text, length + 6);
    if (!name)
        return error_memory(c->as->error);
    uint32_t other = asm_section_named(c->as, name);
    if (other)
        return error_at(c->as->error, ATOLL_INPUT, c->as->line, 1, "kernel '%.200s' stands in line %u already",
                        name + 6, c->as->sections[other - 1].line);
    struct asm_section *s = asm_section_start(c->as, name, SASS_PROGBITS, SASS_ALLOC | SASS_EXECUTE);
    if (!s)
        return false;
    s->align = 32;
    return asm_end(c);
}

static bool small(struct asm_cursor *c, uint64_t most, uint32_t *value, const char *wanted)
{
    uint64_t number;
    if (!asm_number(c, &number))
        return false;
    *value = (uint32_t)number;
    return number <= most || asm_mistake(c, wanted);
}

/* ".param SIZE[, SIZE...]" of the kernel, each aligned to its size (at most 16). */
static bool do_param(struct asm_cursor *c)
{
    struct asm_section *s = asm_section_current(c);
    do {
        uint32_t size;
        if (!s || !small(c, SASS_PARAMETERS_MOST, &size, "a size of at most 4096 bytes"))
            return false;
        s->parameters = arena_append(&c->as->arena, s->parameters, s->nparameters, sizeof *s->parameters);
        if (!s->parameters)
            return error_memory(c->as->error);
        s->parameters[s->nparameters++] = size;
    } while (asm_char(c, ','));
    return asm_end(c);
}

static bool do_shared(struct asm_cursor *c)
{
    struct asm_section *s = asm_section_current(c);
    return s && small(c, SASS_SHARED_MOST, &s->shared, "at most 16 MiB") && asm_end(c);
}

static bool do_local(struct asm_cursor *c)
{
    struct asm_section *s = asm_section_current(c);
    return s && small(c, SASS_SHARED_MOST, &s->local, "at most 16 MiB") && asm_end(c);
}

/* @"SHF_BARRIERS=1", as a release of the vendor's disassembler has it also bits that it does not know, or bits */
static bool do_sectionflags(struct asm_cursor *c)
{
    struct asm_section *s = asm_section_current(c);
    uint64_t value = 0;
    size_t length;
    unsigned number;
    int end = 0;
    if (!s)
        return false;
    if (!asm_char(c, '@')) {
        if (!asm_number(c, &value))
            return false;
        s->flags |= value;
        return asm_end(c);
    }
    const char *text = asm_string(c, &length);
    if (text && sscanf(text, "SHF_BARRIERS=%9u%n", &number, &end) == 1) {
        if (number > 0x7f)
            return asm_mistake(c, "at most 127 barriers");
        value = (uint64_t)number << SASS_BARRIERS;
    } else if (text && sscanf(text, "unrecognized:%8x%n", &number, &end) == 1)
        value = number;
    if (!text || (size_t)end != length)
        return asm_mistake(c, "@\"SHF_BARRIERS=N\"");
    s->flags |= value;
    return asm_end(c);
}

static bool do_sectioninfo(struct asm_cursor *c)
{
    struct asm_section *s = asm_section_current(c);
    uint64_t value;
    size_t length;
    if (!s)
        return false;
    if (!asm_char(c, '@')) {
        s->info_given = true;
        return small(c, UINT32_MAX, &s->info, "32 bits") && asm_end(c);
    }
    const char *text = asm_string(c, &length);
    if (!text || length < 15 || memcmp(text, "SHI_REGISTERS=", 14) != 0)
        return asm_mistake(c, "@\"SHI_REGISTERS=N\"");
    struct asm_cursor inner = {c->as, text, text + 14, text + length, 0};
    if (!asm_number(&inner, &value) || value > 255)
        return asm_mistake(c, "at most 255 registers");
    s->registers = (uint32_t)value;
    s->registers_given = true;
    return asm_end(c);
}

static bool do_sectionlink(struct asm_cursor *c)
{
    struct asm_section *s = asm_section_current(c);
    if (s)
        s->link_given = true;
    return s && small(c, UINT32_MAX, &s->link, "32 bits") && asm_end(c);
}

static bool do_sectionentsize(struct asm_cursor *c)
{
    struct asm_section *s = asm_section_current(c);
    return s && asm_number(c, &s->entry) && asm_end(c);
}

static bool do_sectionaddress(struct asm_cursor *c)
{
    struct asm_section *s = asm_section_current(c);
    return s && asm_number(c, &s->address) && asm_end(c);
}

/* Zeros at the end of a section with contents. */
static bool zeros_add(struct asm_cursor *c, struct asm_section *s, uint64_t count)
{
    static const char zeros[4096];
    struct assembler *as = c->as;
    if (count > ZEROS_MOST || as->zeros + count > ZEROS_MOST)
        return asm_mistake(c, "at most 256 MiB of zeros in all sections");
    as->zeros += count;
    for (; count && text_ok(&s->data); count -= count < sizeof zeros ? count : sizeof zeros)
        text_add(&s->data, zeros, count < sizeof zeros ? (size_t)count : sizeof zeros);
    return text_ok(&s->data) || error_memory(as->error);
}

static bool do_align(struct asm_cursor *c)
{
    struct asm_section *s = asm_section_current(c);
    uint64_t align;
    if (!s || !asm_number(c, &align))
        return false;
    if (align & (align - 1) || align > 1 << 20)
        return asm_mistake(c, "a power of two, at most 2^20");
    if (align > s->align || s->data.length + s->zeros + s->ninsns == 0)
        s->align = align;
    /* Inside a section: fill up. */
    if (s->code || align == 0)
        return asm_end(c);
    uint64_t have = sass_is_empty(s->type) ? s->zeros : s->data.length, fill = (align - have % align) % align;
    if (sass_is_empty(s->type))
        s->zeros += fill;
    else if (!zeros_add(c, s, fill))
        return false;
    return asm_end(c);
}

/* ---- symbols ----------------------------------------------------------------------------------------- */

static bool symbol_field(struct asm_cursor *c, struct asm_symbol *s, const char *field)
{
    uint64_t value;
    if (!asm_char(c, '='))
        return asm_mistake(c, "'='");
    if (strcmp(field, "section") == 0 && c->at < c->end && (*c->at < '0' || *c->at > '9')) {
        s->section = asm_name(c);
        s->has_section = true;
        return s->section || asm_mistake(c, "a section");
    }
    if (!asm_number(c, &value))
        return false;
    if (strcmp(field, "section") == 0) {
        s->section_number = (uint32_t)value;
        s->has_section = true;
        return value <= 0xffff || asm_mistake(c, "a section's number");
    }
    if (strcmp(field, "other") == 0) {
        s->other = (uint8_t)value;
        return value <= 0xff || asm_mistake(c, "a byte");
    }
    if (strcmp(field, "value") == 0) {
        s->value = value;
        s->has_value = true;
        return true;
    }
    s->size = value;
    s->has_size = true;
    return strcmp(field, "size") == 0 || asm_mistake(c, "other, section, value or size");
}

/* .symbol NAME, @type, @bind[, other=..][, section=..][, value=..][, size=..] */
static bool do_symbol(struct asm_cursor *c)
{
    struct assembler *as = c->as;
    const char *name = asm_name(c);
    uint64_t type, bind;
    if (!name || !asm_char(c, ',') || !at_word(c, sass_symbol_types, &type, "a type as @function") ||
        !asm_char(c, ',') || !at_word(c, sass_symbol_binds, &bind, "@local, @global or @weak"))
        return name ? false : asm_mistake(c, "a symbol");
    if (type > 15 || bind > 15)
        return asm_mistake(c, "4 bits each of type and bind");
    struct asm_symbol *s = symbol_add(as, name);
    if (!s)
        return false;
    s->info = (uint8_t)(bind << 4 | type);
    s->listed = as->symbols_listed = true;
    while (asm_char(c, ',')) {
        const char *field = asm_name(c);
        if (!field || !symbol_field(c, s, field))
            return field ? false : asm_mistake(c, "other, section, value or size");
    }
    return asm_end(c);
}

/* Where symbols are listed, directives on one in its section only repeat the list; but its size is said there. */
static struct asm_symbol *symbol_take(struct asm_cursor *c)
{
    const char *name = asm_name(c);
    struct assembler *as = c->as;
    if (!name || !asm_section_current(c)) {
        asm_mistake(c, "a symbol");
        return NULL;
    }
    const char *section = as->sections[as->current - 1].name;
    if (!as->symbols_listed)
        return asm_symbol_named(as, name);
    struct asm_symbol *s = asm_symbol_find(as, name);
    for (; s; s = s->older ? &as->symbols[s->older - 1] : NULL)
        if (s->listed && (s->section ? strcmp(s->section, section) == 0 : !s->section_number)) /* here or elsewhere */
            return s;
    c->at = c->start;
    asm_mistake(c, "a symbol of .symtab");
    return NULL;
}

static bool do_bind(struct asm_cursor *c, unsigned bind)
{
    struct asm_symbol *s = symbol_take(c);
    if (!s)
        return false;
    s->info = (uint8_t)(bind << 4 | (s->info & 15));
    return asm_end(c);
}

static bool do_global(struct asm_cursor *c)
{
    return do_bind(c, 1);
}

static bool do_weak(struct asm_cursor *c)
{
    return do_bind(c, 2);
}

static bool do_type(struct asm_cursor *c)
{
    struct asm_symbol *s = symbol_take(c);
    uint64_t type;
    if (!s || !asm_char(c, ','))
        return s ? asm_mistake(c, "','") : false;
    if (!at_word(c, sass_symbol_types, &type, "a type as @function"))
        return false;
    s->info = (uint8_t)((s->info & 0xf0) | (type & 15));
    return asm_end(c);
}

/* .size NAME,8 or .size NAME,(.L_x_3 - NAME) */
static bool do_size(struct asm_cursor *c)
{
    struct asm_symbol *s = symbol_take(c);
    if (!s || !asm_char(c, ','))
        return s ? asm_mistake(c, "','") : false;
    if (!asm_char(c, '(')) {
        s->has_size = true;
        return asm_number(c, &s->size) && (!asm_char(c, ',') || asm_number(c, &s->align)) && asm_end(c);
    }
    s->size_label = asm_name(c);
    s->where = c->as->current;
    if (!s->size_label || !asm_char(c, '-') || !asm_name(c) || !asm_char(c, ')'))
        return asm_mistake(c, "a size as (.L_x_1 - name)");
    s->size_is_label = true;
    return asm_end(c);
}

static bool do_other(struct asm_cursor *c)
{
    struct asm_symbol *s = symbol_take(c);
    size_t length;
    if (!s || !asm_char(c, ',') || !asm_char(c, '@'))
        return s ? asm_mistake(c, ",@\"STO_CUDA_ENTRY STV_DEFAULT\"") : false;
    const char *text = asm_string(c, &length);
    if (!text)
        return asm_mistake(c, "\"STO_CUDA_ENTRY STV_DEFAULT\"");
    for (uint64_t value; *text; text += length + strspn(text + length, " ")) {
        length = strcspn(text, " ");
        if (!sass_word_value(sass_symbol_others, text, length, &value))
            return asm_mistake(c, "words as STO_CUDA_ENTRY STV_DEFAULT");
        s->other |= (uint8_t)value;
    }
    return asm_end(c);
}

/* .map_symbolname ALIAS NAME: symbols of one name are told apart in the text by other names. */
static bool do_map_symbolname(struct asm_cursor *c)
{
    struct asm_symbol *s = symbol_take(c);
    const char *name = s ? asm_name(c) : NULL;
    if (!name)
        return s ? asm_mistake(c, "the symbol's own name") : false;
    s->own_name = name;
    return asm_end(c);
}

/* ---- data -------------------------------------------------------------------------------------------- */

bool asm_fixup_add(struct asm_cursor *c, const char *symbol, uint32_t index, uint64_t offset)
{
    struct assembler *as = c->as;
    as->fixups = arena_append(&as->arena, as->fixups, as->nfixups, sizeof *as->fixups);
    if (!as->fixups)
        return error_memory(as->error);
    as->fixups[as->nfixups++] = (struct asm_fixup){symbol, as->current, as->line, index, offset, false};
    return true;
}

static struct asm_section *data_section(struct asm_cursor *c)
{
    struct asm_section *s = asm_section_current(c);
    if (s && (s->ninsns || sass_is_empty(s->type))) {
        asm_mistake(c, s->ninsns ? "no data among instructions" : "no data in a section without contents");
        return NULL;
    }
    if (s)
        s->code = false;
    return s;
}

static bool data(struct asm_cursor *c, unsigned bytes)
{
    struct asm_section *s = data_section(c);
    if (!s)
        return false;
    do {
        bool taken;
        uint64_t value;
        if (!asm_value_take(c, bytes, &value, &taken) || (!taken && !asm_number(c, &value)))
            return false;
        if (bytes < 8 && value >> 8 * bytes && ~value >> (8 * bytes - 1))
            return asm_mistake(c, "a number that fits");
        s = asm_section_current(c); /* there may be one more now */
        text_number(&s->data, value, bytes);
    } while (asm_char(c, ','));
    return asm_end(c);
}

static bool do_byte(struct asm_cursor *c)
{
    return data(c, 1);
}

static bool do_short(struct asm_cursor *c)
{
    return data(c, 2);
}

static bool do_word(struct asm_cursor *c)
{
    return data(c, 4);
}

static bool do_dword(struct asm_cursor *c)
{
    return data(c, 8);
}

static bool do_zero(struct asm_cursor *c)
{
    struct asm_section *s = asm_section_current(c);
    uint64_t count;
    if (!s || !asm_number(c, &count))
        return false;
    if (sass_is_empty(s->type)) {
        s->zeros += count;
        return (count < UINT64_C(1) << 36 && s->zeros < UINT64_C(1) << 36 && asm_end(c)) ||
               asm_mistake(c, "at most 64 GiB");
    }
    s = data_section(c);
    return s && zeros_add(c, s, count) && asm_end(c);
}

static bool do_string(struct asm_cursor *c)
{
    struct asm_section *s = data_section(c);
    size_t length;
    if (!s)
        return false;
    do {
        const char *text = asm_string(c, &length);
        if (!text)
            return asm_mistake(c, "a string");
        text_add(&s->data, text, length + 1);
    } while (asm_char(c, ','));
    return asm_end(c);
}

static bool relocation_type(struct asm_cursor *c, uint32_t *type)
{
    asm_blanks(c);
    if (c->at < c->end && *c->at >= '0' && *c->at <= '9')
        return small(c, UINT32_MAX, type, "32 bits");
    const char *name = asm_name(c);
    return (name && sass_relocation_type(name, type)) || asm_mistake(c, "a type of relocation as R_CUDA_32");
}

/* .reloc OFFSET, TYPE, SYMBOL[, ADDEND] */
static bool do_reloc(struct asm_cursor *c)
{
    struct asm_section *s = data_section(c);
    uint64_t offset, addend = 0;
    uint32_t type, index = 0;
    const char *name = NULL;
    if (!s || !asm_number(c, &offset) || !asm_want(c, ',', "OFFSET, TYPE, SYMBOL") || !relocation_type(c, &type) ||
        !asm_want(c, ',', "OFFSET, TYPE, SYMBOL"))
        return false;
    if (asm_char(c, '#')) {
        if (!small(c, UINT32_MAX, &index, "32 bits"))
            return false;
    } else if (!(name = asm_name(c)))
        return asm_mistake(c, "a symbol");
    if (asm_char(c, ',') && !asm_number(c, &addend))
        return false;
    if (!asm_fixup_add(c, name, index, s->data.length + 12))
        return false;
    text_number(&s->data, offset, 8);
    text_number(&s->data, type, 8);
    if (s->type == SASS_RELA)
        text_number(&s->data, addend, 8);
    return asm_end(c);
}

/* ---- header ------------------------------------------------------------------------------------------ */

static bool header_flag(struct asm_cursor *c, const char *word, size_t length, uint32_t *flags)
{
    uint64_t value;
    unsigned number = 0;
    char copy[64];
    if (length >= sizeof copy)
        return asm_mistake(c, "flags of a header");
    memcpy(copy, word, length);
    copy[length] = 0;
    if (sass_word_value(sass_header_flags, copy, length, &value))
        *flags |= (uint32_t)value;
    else if (sscanf(copy, "EF_CUDA_SM%3u", &number) == 1)
        *flags |= number & 0xff;
    else if (sscanf(copy, "EF_CUDA_VIRTUAL_SM(EF_CUDA_SM%3u", &number) == 1 ||
             sscanf(copy, "EF_CUDA_PTX_SM(EF_CUDA_SM%3u", &number) == 1)
        *flags |= (number & 0xff) << 16;
    else if (sscanf(copy, "unrecognized:%8x", &number) == 1 || sscanf(copy, "0x%8x", &number) == 1)
        *flags |= number;
    else
        return asm_mistake(c, "flags of a header");
    return true;
}

/* Instructions are read where they are. */
static bool arch_set(struct asm_cursor *c, unsigned number)
{
    struct assembler *as = c->as;
    unsigned arch;
    if (!sass_arch_of(number, &arch))
        return error_at(as->error, ATOLL_UNSUPPORTED, as->line, 1, "not supported: sm_%u; sm_50, sm_52 and sm_53 are",
                        number);
    for (unsigned i = 0; arch != as->arch && i < as->nsections; i++)
        if (as->sections[i].ninsns)
            return asm_mistake(c, "the architecture before the first instruction");
    as->arch = arch;
    return true;
}

static bool do_headerflags(struct asm_cursor *c)
{
    struct assembler *as = c->as;
    size_t length;
    uint32_t flags = 0;
    const char *text = asm_char(c, '@') ? asm_string(c, &length) : NULL;
    if (!text)
        return asm_mistake(c, "@\"EF_CUDA_SM50 ...\"");
    while (*text) {
        size_t word = strcspn(text, " ");
        if (word && !header_flag(c, text, word, &flags))
            return false;
        text += word + (text[word] == ' ');
    }
    if (!arch_set(c, flags & 0xff))
        return false;
    /* A listing of raw code says no more than the architecture. */
    as->flags_given = (flags & ~0xff00ffu) != 0;
    as->module->flags = flags;
    return asm_end(c);
}

static bool do_elftype(struct asm_cursor *c)
{
    size_t length;
    const char *text = asm_char(c, '@') ? asm_string(c, &length) : NULL;
    if (!text || (strcmp(text, "ET_EXEC") != 0 && strcmp(text, "ET_REL") != 0))
        return asm_mistake(c, "@\"ET_EXEC\" or @\"ET_REL\"");
    c->as->module->relocatable = strcmp(text, "ET_REL") == 0;
    return asm_end(c);
}

static bool do_elfversion(struct asm_cursor *c)
{
    struct sass_module *m = c->as->module;
    uint32_t osabi, abi;
    static const char wanted[] = "version, OSABI, ABI version";
    if (!small(c, UINT32_MAX, &m->version, "32 bits") || !asm_want(c, ',', wanted) ||
        !small(c, 255, &osabi, "a byte") || !asm_want(c, ',', wanted) || !small(c, 255, &abi, "a byte"))
        return false;
    m->toolkit = m->version >= 20 && m->version < 1000 ? m->version : 0;
    m->osabi = (uint8_t)osabi;
    m->abi = (uint8_t)abi;
    return asm_end(c);
}

static bool do_elfentry(struct asm_cursor *c)
{
    return asm_number(c, &c->as->module->entry) && asm_end(c);
}

/* What follows need not keep the operand rules of the instruction reference. */
static bool do_norules(struct asm_cursor *c)
{
    c->as->no_rules = true;
    return asm_end(c);
}

static const struct {
    const char *name;
    bool (*run)(struct asm_cursor *);
} directives[] = {
    {".align", do_align},
    {".byte", do_byte},
    {".dword", do_dword},
    {".elfentry", do_elfentry},
    {".elftype", do_elftype},
    {".elfversion", do_elfversion},
    {".global", do_global},
    {".headerflags", do_headerflags},
    {".kernel", do_kernel},
    {".local", do_local},
    {".map_symbolname", do_map_symbolname},
    {".norules", do_norules},
    {".other", do_other},
    {".param", do_param},
    {".reloc", do_reloc},
    {".section", do_section},
    {".sectionaddress", do_sectionaddress},
    {".sectionentsize", do_sectionentsize},
    {".sectionflags", do_sectionflags},
    {".sectioninfo", do_sectioninfo},
    {".sectionlink", do_sectionlink},
    {".shared", do_shared},
    {".short", do_short},
    {".size", do_size},
    {".string", do_string},
    {".symbol", do_symbol},
    {".type", do_type},
    {".weak", do_weak},
    {".word", do_word},
    {".zero", do_zero},
};

/* ---- what cuobjdump -sass writes between kernels ------------------------------------------------------- */

static bool do_code_for(struct asm_cursor *c)
{
    uint64_t number;
    return asm_number(c, &number) && arch_set(c, number < 1000 ? (unsigned)number : 0) && asm_end(c);
}

static const struct {
    const char *start;
    bool (*run)(struct asm_cursor *); /* NULL: says nothing */
} headings[] = {
    {"code for sm_", do_code_for},
    {"Function :", do_kernel},
    {"Fatbin elf code:", NULL},
    {"Fatbin ptx code:", NULL},
    {"=====", NULL},
    {".....", NULL},
    {"arch =", NULL},
    {"code version =", NULL},
    {"producer =", NULL},
    {"host =", NULL},
    {"compile_size =", NULL},
    {"identifier:", NULL},
    {"compressed", NULL},
    {"has debug info", NULL},
    {"ptxasOptions", NULL},
};

bool asm_heading(struct asm_cursor *c, bool *said)
{
    size_t length = (size_t)(c->end - c->at);
    *said = false;
    if (length < 2 || (c->at[0] >= 'A' && c->at[0] <= 'Z' && c->at[1] < 'a')) /* an instruction */
        return true;
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) {
        size_t n = strlen(headings[i].start);
        if (length < n || memcmp(c->at, headings[i].start, n) != 0)
            continue;
        *said = true;
        c->at += n;
        return !headings[i].run || headings[i].run(c);
    }
    return true;
}

bool asm_directive(struct asm_cursor *c, const char *name)
{
    for (size_t i = 0; i < sizeof directives / sizeof directives[0]; i++)
        if (strcmp(directives[i].name, name) == 0)
            return directives[i].run(c);
    return error_at(c->as->error, ATOLL_INPUT, c->as->line, (uint32_t)(c->at - c->start) + 1 - (uint32_t)strlen(name),
                    "unknown directive '%.100s'", name);
}

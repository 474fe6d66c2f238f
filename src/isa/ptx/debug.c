/* From .section directives to bytes (PTX ISA, "Debugging Directives"):
 *
 *   .section .debug_info { .b32 1352  .b8 2  .b32 .debug_abbrev  label: .b8 1, 2  .b64 $L__func_begin0 }
 *
 * A number has the size of the directive before it. A label is its offset in its section, the name of a section 0;
 * labels of code, which say nothing here, are 0 too. */
#include "isa/ptx/debug.h"

#include "base/bytes.h"
#include "base/namemap.h"
#include "isa/ptx/lex.h"

#include <string.h>

struct reader {
    struct lexer lexer;
    struct token token;
    uint8_t *out; /* NULL: only labels are wanted */
    size_t size;
    unsigned bytes; /* of a number: 1, 2, 4, 8 */
    struct namemap *labels;
    bool strings; /* nothing but .debug_str is wanted */
    bool failed;  /* no memory */
};

static void next(struct reader *r)
{
    lex_next(&r->lexer, &r->token);
}

static bool is(const struct reader *r, const char *word)
{
    size_t length = strlen(word);
    return r->token.length == length && memcmp(r->lexer.text + r->token.pos, word, length) == 0;
}

static unsigned number_size(const struct reader *r)
{
    return is(r, ".b8") ? 1 : is(r, ".b16") ? 2 : is(r, ".b32") ? 4 : is(r, ".b64") ? 8 : 0;
}

static void put(struct reader *r, uint64_t value)
{
    if (r->out)
        bytes_put(r->out + r->size, value, r->bytes);
    r->size += r->bytes;
}

/* The value of a token: a number, a label, a section. */
static uint64_t term(const struct reader *r)
{
    if (r->token.kind == TOKEN_INT)
        return r->token.value;
    if (r->token.kind != TOKEN_NAME)
        return 0;
    uint32_t at = namemap_find(r->labels, r->lexer.text + r->token.pos, r->token.length);
    return at == UINT32_MAX ? 0 : at;
}

/* NUMBER, LABEL, LABEL+NUMBER, LABEL-LABEL, -NUMBER; goes past it. */
static uint64_t expression(struct reader *r)
{
    uint64_t value = 0;
    bool minus = r->token.kind == '-', more = true;
    if (minus)
        next(r);
    while (more) {
        value = minus ? value - term(r) : value + term(r);
        next(r);
        more = r->token.kind == '+' || r->token.kind == '-';
        minus = r->token.kind == '-';
        if (more)
            next(r);
    }
    return value;
}

/* A name is a label if a colon follows. */
static bool label(struct reader *r)
{
    const struct lexer before = r->lexer;
    const struct token name = r->token;
    next(r);
    if (r->token.kind == ':') {
        if (!r->out)
            r->failed |= !namemap_add(r->labels, r->lexer.text + name.pos, name.length, (uint32_t)r->size);
        next(r);
        return true;
    }
    r->lexer = before;
    r->token = name;
    return false;
}

/* Reads what is between the braces: r->size counts its bytes. */
static void contents(struct reader *r)
{
    r->bytes = 1;
    while (r->token.kind != '}' && r->token.kind != TOKEN_END && !r->failed) {
        unsigned bytes = r->token.kind == TOKEN_DOT ? number_size(r) : 0;
        if (bytes)
            r->bytes = bytes;
        if (bytes || r->token.kind == ',' || r->token.kind == ':')
            next(r);
        else if (r->token.kind != TOKEN_NAME || !label(r))
            put(r, expression(r));
    }
}

/* The section of a directive: its place in `dwarf`. NULL: another directive or section. */
static struct dwarf_section *open_section(const struct ptx_module *module, struct span span, struct dwarf *dwarf,
                                          struct reader *r)
{
    const struct {
        const char *name;
        struct dwarf_section *section;
    } known[] = {{".debug_info", &dwarf->info},
                 {".debug_abbrev", &dwarf->abbrev},
                 {".debug_str", &dwarf->str},
                 {".debug_line_str", &dwarf->line_str}};
    r->lexer = (struct lexer){.text = module->source, .size = span.pos + span.length, .pos = span.pos};
    r->size = 0;
    next(r);
    if (!is(r, ".section"))
        return NULL;
    next(r);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (is(r, known[i].name) && (!r->strings || known[i].section == &dwarf->str)) {
            next(r);
            next(r); /* { */
            return known[i].section;
        }
    return NULL;
}

/* Once to know the labels and the sizes, once to write the bytes. Of sections with one name the first counts. */
static bool pass(const struct ptx_module *module, struct arena *arena, struct namemap *labels, bool strings, bool write,
                 struct dwarf *dwarf)
{
    for (uint32_t i = 0; i < module->nitems; i++) {
        struct reader r = {.labels = labels, .strings = strings};
        struct dwarf_section *section =
            module->items[i].kind == PTX_ITEM_DIRECTIVE ? open_section(module, module->items[i].span, dwarf, &r) : NULL;
        if (!section || (write ? section->bytes != NULL : section->size > 0))
            continue;
        if (write)
            section->bytes = r.out = arena_alloc(arena, section->size + 8);
        if (write && !r.out)
            return false;
        contents(&r);
        if (r.failed)
            return false;
        section->size = r.size;
    }
    return true;
}

bool ptx_debug(const struct ptx_module *module, struct arena *arena, struct dwarf *dwarf)
{
    struct namemap labels = {0};
    *dwarf = (struct dwarf){0};
    bool ok = pass(module, arena, &labels, false, false, dwarf) && pass(module, arena, &labels, false, true, dwarf);
    namemap_free(&labels);
    return ok;
}

bool ptx_debug_strings(const struct ptx_module *module, struct arena *arena, struct namemap *labels,
                       struct dwarf_section *strings)
{
    struct dwarf dwarf = {0};
    bool ok = pass(module, arena, labels, true, false, &dwarf) && pass(module, arena, labels, true, true, &dwarf);
    *strings = dwarf.str;
    return ok;
}

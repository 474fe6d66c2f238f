/* Parses the text form of lane programs (docs/lane.md): symbols and functions. Two passes: the first only collects the
 * names, so that anything may be used before it is written. The text may be hostile; what comes out has sound arrays
 * and is for the verifier to judge. */
#include "lane/parse.h"

#include <stdio.h>
#include <string.h>

#include "lane/names.h"

bool parse_reference(struct parser *p, const struct namemap *map, uint32_t count, const char *what, uint32_t *index)
{
    struct word word;
    if (scan_accept(&p->scan, '#')) {
        const char *start = p->scan.at;
        bool symbol = map == &p->symbols; /* numbers of symbols count from 1 */
        if (!scan_u32(&p->scan, index))
            return false;
        *index -= symbol;
        return *index < count || scan_fail_at(&p->scan, start, "no such %s", what);
    }
    if (!scan_word(&p->scan, &word))
        return false;
    *index = namemap_find(map, word.start, word.length);
    return *index < count ||
           scan_fail_at(&p->scan, word.start, "no such %s '%.*s'", what, (int)(word.length & 0xff), word.start);
}

bool parse_slot(struct parser *p, struct lane_slot *slot)
{
    struct scan *s = &p->scan;
    return scan_u32(s, &slot->local) && scan_expect(s, ':') && scan_u32(s, &slot->size) && scan_expect(s, ':') &&
           scan_u32(s, &slot->align);
}

static bool no_memory(struct parser *p)
{
    return error_memory(p->scan.error);
}

/* ---- symbols ------------------------------------------------------------------------------------- */

/* Digits of two a byte, appended to the initial value. */
static bool initial_bytes(struct parser *p, uint8_t **bytes, uint64_t *count)
{
    struct word word;
    if (!scan_word(&p->scan, &word))
        return false;
    if (word.length % 2)
        return scan_fail_at(&p->scan, word.start, "wanted two digits a byte");
    for (size_t i = 0; i < word.length; i++) {
        char c = word.start[i];
        unsigned digit;
        if (c >= '0' && c <= '9')
            digit = (unsigned)(c - '0');
        else if (c >= 'a' && c <= 'f')
            digit = (unsigned)(c - 'a') + 10;
        else
            return scan_fail_at(&p->scan, word.start + i, "wanted a digit 0-9 or a-f");
        if (i % 2 == 0) {
            *bytes = arena_append(&p->module->arena, *bytes, *count, 1);
            if (!*bytes)
                return no_memory(p);
            (*bytes)[*count] = (uint8_t)(digit << 4);
        } else
            (*bytes)[(*count)++] |= (uint8_t)digit;
    }
    return true;
}

static bool key_u32(struct parser *p, const char *key, uint32_t *value)
{
    if (!scan_accept_word(&p->scan, key))
        return scan_fail(&p->scan, "wanted '%s'", key);
    return scan_u32(&p->scan, value);
}

static bool relocation(struct parser *p, struct lane_symbol *symbol)
{
    struct lane_reloc r = {0};
    if (!scan_u32(&p->scan, &r.offset) || !key_u32(p, "size", &r.size) || !scan_expect(&p->scan, '&') ||
        !parse_reference(p, &p->symbols, p->module->nsymbols, "symbol", &r.symbol) || !scan_offset(&p->scan, &r.addend))
        return false;
    r.symbol++;
    symbol->relocs = arena_append(&p->module->arena, symbol->relocs, symbol->nrelocs, sizeof r);
    if (!symbol->relocs)
        return no_memory(p);
    symbol->relocs[symbol->nrelocs++] = r;
    return true;
}

static bool surfref(struct parser *p, struct lane_symbol *symbol)
{
    uint32_t index;
    if (!scan_u32(&p->scan, &index))
        return false;
    if (index >= symbol->count || !symbol->surfrefs)
        return scan_fail(&p->scan, "surface reference %u of %u", index, symbol->count);
    struct lane_surfref_init *r = &symbol->surfrefs[index];
    r->given = true;
    return key_u32(p, "width", &r->width) && key_u32(p, "height", &r->height) && key_u32(p, "depth", &r->depth) &&
           key_u32(p, "type", &r->channel_data_type) && key_u32(p, "order", &r->channel_order) &&
           key_u32(p, "layers", &r->array_size) && key_u32(p, "layout", &r->memory_layout);
}

/* inside &symbol at N */
static bool inside(struct parser *p, struct lane_symbol *s)
{
    if (!scan_expect(&p->scan, '&') || !parse_reference(p, &p->symbols, p->module->nsymbols, "symbol", &s->inside))
        return false;
    s->inside++;
    if (!scan_accept_word(&p->scan, "at"))
        return scan_fail(&p->scan, "wanted 'at'");
    return scan_u64(&p->scan, &s->at);
}

/* Words that follow the kind. */
static bool symbol_attributes(struct parser *p, struct lane_symbol *s)
{
    struct word word;
    while (!scan_at_end_of_line(&p->scan)) {
        if (!scan_word(&p->scan, &word))
            return false;
        bool good = true;
        if (scan_is(word, "size"))
            good = scan_u64(&p->scan, &s->size);
        else if (scan_is(word, "align"))
            good = scan_u32(&p->scan, &s->align);
        else if (scan_is(word, "count"))
            good = scan_u32(&p->scan, &s->count);
        else if (scan_is(word, "constant"))
            s->constant = true;
        else if (scan_is(word, "dynamic"))
            s->dynamic = true;
        else if (scan_is(word, "external"))
            s->external = true;
        else if (scan_is(word, "managed"))
            s->managed = true;
        else if (scan_is(word, "inside"))
            good = inside(p, s);
        else
            good = scan_fail_at(&p->scan, word.start, "no such attribute of a symbol");
        if (!good)
            return false;
    }
    return true;
}

static bool symbol_kind(struct parser *p, struct lane_symbol *s)
{
    struct word word;
    if (!scan_word(&p->scan, &word))
        return false;
    for (unsigned i = 0; i < lane_symbol_names.count; i++)
        if (scan_is(word, lane_symbol_names.names[i])) {
            s->kind = (uint8_t)i;
            return i != LANE_SYMBOL_FUNCTION ||
                   parse_reference(p, &p->funcs, p->module->nfuncs, "function", &s->function);
        }
    return scan_fail_at(&p->scan, word.start, "no such kind of symbol");
}

/* A few words ask for much memory here, so the references of a whole module are bounded. */
static bool surfref_room(struct parser *p, struct lane_symbol *s)
{
    enum { MAX_SURFREFS = 65536 };
    if (s->kind != LANE_SYMBOL_SURFREF || s->count == 0)
        return true;
    if (s->count > MAX_SURFREFS - p->surfrefs)
        return scan_fail(&p->scan, "more than %u surface references", MAX_SURFREFS);
    p->surfrefs += s->count;
    s->surfrefs = arena_array(&p->module->arena, s->count, sizeof *s->surfrefs);
    return s->surfrefs || no_memory(p);
}

/* Lines that belong to the symbol. */
static bool symbol_lines(struct parser *p, struct lane_symbol *s)
{
    uint8_t *bytes = NULL;
    uint64_t count = 0;
    while (scan_next_line(&p->scan)) {
        bool good;
        if (scan_accept_word(&p->scan, "init"))
            good = initial_bytes(p, &bytes, &count);
        else if (scan_accept_word(&p->scan, "reloc"))
            good = relocation(p, s);
        else if (scan_accept_word(&p->scan, "surfref"))
            good = surfref(p, s);
        else
            break;
        if (!good || !scan_end_line(&p->scan))
            return false;
    }
    if (bytes && count != s->size)
        return scan_fail(&p->scan, "%llu initial bytes for a symbol of %llu", (unsigned long long)count,
                         (unsigned long long)s->size);
    s->init = bytes;
    return true;
}

static bool parse_symbol(struct parser *p, struct lane_symbol *s)
{
    const char *name; /* the first pass has stored it */
    return scan_string(&p->scan, &p->module->arena, &name) && symbol_kind(p, s) && symbol_attributes(p, s) &&
           scan_end_line(&p->scan) && surfref_room(p, s) && symbol_lines(p, s);
}

/* ---- functions ------------------------------------------------------------------------------------ */

static bool three(struct parser *p, uint32_t values[3])
{
    return scan_u32(&p->scan, &values[0]) && scan_u32(&p->scan, &values[1]) && scan_u32(&p->scan, &values[2]);
}

static bool func_attributes(struct parser *p, struct lane_func *f, bool *external)
{
    struct word word;
    *external = false;
    while (!scan_accept(&p->scan, '{')) {
        if (!scan_word(&p->scan, &word))
            return false;
        bool good = true;
        if (scan_is(word, "extern"))
            *external = true;
        else if (scan_is(word, "stacked"))
            f->stacked = true;
        else if (scan_is(word, "independent"))
            f->independent = true;
        else if (scan_is(word, "file"))
            good = scan_string(&p->scan, &p->module->arena, &f->file);
        else if (scan_is(word, "line"))
            good = scan_u32(&p->scan, &f->line);
        else if (scan_is(word, "lanes"))
            good = scan_u32(&p->scan, &f->warp_lanes);
        else if (scan_is(word, "packable"))
            f->packable = true;
        else if (scan_is(word, "regfile"))
            good = scan_u32(&p->scan, &f->regfile_bytes);
        else if (scan_is(word, "local"))
            good = scan_u32(&p->scan, &f->local_bytes);
        else if (scan_is(word, "params"))
            good = scan_u32(&p->scan, &f->param_bytes);
        else if (scan_is(word, "at"))
            good = scan_u32(&p->scan, &f->param_at);
        else if (scan_is(word, "space"))
            good = scan_u32(&p->scan, &f->param_space);
        else if (scan_is(word, "required"))
            good = three(p, f->required_block);
        else if (scan_is(word, "max"))
            good = three(p, f->max_block);
        else if (scan_is(word, "threads"))
            f->thread_grid = true;
        else
            good = scan_fail_at(&p->scan, word.start, "no such attribute of a function");
        if (!good)
            return false;
    }
    return scan_end_line(&p->scan);
}

static bool kernel_param(struct parser *p, struct lane_func *f)
{
    struct lane_param param = {0};
    if (!scan_string(&p->scan, &p->module->arena, &param.name) ||
        !scan_string(&p->scan, &p->module->arena, &param.type) || !key_u32(p, "offset", &param.offset) ||
        !key_u32(p, "size", &param.size) || !key_u32(p, "align", &param.align) || !key_u32(p, "count", &param.count))
        return false;
    param.pointer = scan_accept_word(&p->scan, "pointer");
    param.usual = scan_accept_word(&p->scan, "usual");
    param.optional = param.usual || scan_accept_word(&p->scan, "optional");
    if (scan_accept_word(&p->scan, "source") && !scan_string(&p->scan, &p->module->arena, &param.source))
        return false;
    f->kparams = arena_append(&p->module->arena, f->kparams, f->nkparams, sizeof param);
    if (!f->kparams)
        return no_memory(p);
    f->kparams[f->nkparams++] = param;
    return true;
}

/* (width height zero ...) */
static bool word_entry(struct parser *p, struct lane_word *word)
{
    const struct lane_names *names = lane_mode_names(LANE_OP_suq);
    struct word what;
    if (!scan_expect(&p->scan, '('))
        return false;
    while (!scan_accept(&p->scan, ')')) {
        uint8_t suq = 0;
        if (!scan_word(&p->scan, &what))
            return false;
        while (suq < LANE_SUQS && !scan_is(what, names->names[suq]))
            suq++;
        if (suq == LANE_SUQS && !scan_is(what, "zero"))
            return scan_fail_at(&p->scan, what.start, "no such attribute of a surface");
        if (word->nentry == LANE_ENTRY_WORDS)
            return scan_fail_at(&p->scan, what.start, "an entry has at most %d words", LANE_ENTRY_WORDS);
        word->entry[word->nentry++] = suq;
    }
    return true;
}

/* word 8 size 4 ntid.x */
static bool param_word(struct parser *p)
{
    struct lane_word word = {0};
    struct word kind;
    if (!scan_u32(&p->scan, &word.offset) || !key_u32(p, "size", &word.size) || !scan_word(&p->scan, &kind))
        return false;
    while (word.kind < lane_word_names.count && !scan_is(kind, lane_word_names.names[word.kind]))
        word.kind++;
    if (word.kind == lane_word_names.count)
        return scan_fail_at(&p->scan, kind.start, "no such word of a launch");
    if (word.kind == LANE_WORD_ADDRESS) {
        if (!scan_expect(&p->scan, '&') ||
            !parse_reference(p, &p->symbols, p->module->nsymbols, "symbol", &word.symbol))
            return false;
        word.symbol++;
    }
    if ((word.kind == LANE_WORD_SURFACES || word.kind == LANE_WORD_SURFACE) && !word_entry(p, &word))
        return false;
    if (word.kind == LANE_WORD_SURFACE && !key_u32(p, "from", &word.from))
        return false;
    if (word.kind == LANE_WORD_VALUE && !scan_u64(&p->scan, &word.value))
        return false;
    lane_word(&p->build, &word);
    return !p->build.failed || no_memory(p);
}

static bool frame_slot(struct parser *p, struct lane_slot **slots, uint32_t *count)
{
    *slots = arena_append(&p->module->arena, *slots, *count, sizeof **slots);
    if (!*slots)
        return no_memory(p);
    return parse_slot(p, &(*slots)[(*count)++]);
}

/* reg width name name "quoted name" - */
static bool registers(struct parser *p)
{
    uint32_t width;
    if (!scan_u32(&p->scan, &width))
        return false;
    if (width > 128)
        return scan_fail(&p->scan, "a register of %u bits", width);
    while (!scan_at_end_of_line(&p->scan)) {
        const char *name = NULL;
        struct word word;
        if (scan_peek(&p->scan) == '"') {
            if (!scan_string(&p->scan, &p->module->arena, &name))
                return false;
        } else if (!scan_accept(&p->scan, '-')) {
            if (!scan_word(&p->scan, &word))
                return false;
            name = arena_text(&p->module->arena, word.start, word.length);
            if (!name)
                return no_memory(p);
        }
        struct lane_operand reg = lane_reg(&p->build, width, name);
        if (p->build.failed ||
            (name && !namemap_add(&p->regs, p->build.func->names[reg.index], strlen(name), reg.index)))
            return no_memory(p);
    }
    return true;
}

/* b12: - blocks are written in order. */
static bool block_label(struct parser *p, bool *is_label)
{
    struct scan ahead = p->scan;
    struct word word;
    ahead.error = NULL;
    *is_label = scan_at_word(&ahead) && scan_word(&ahead, &word) && word.start[0] == 'b' && scan_accept(&ahead, ':');
    if (!*is_label)
        return true;
    char wanted[16];
    snprintf(wanted, sizeof wanted, "b%u", p->build.func->nblocks);
    if (!scan_is(word, wanted))
        return scan_fail(&p->scan, "wanted the block %s:", wanted);
    p->scan = (struct scan){ahead.at, ahead.end, ahead.line_start, ahead.line, p->scan.error};
    lane_block(&p->build);
    return true;
}

/* Lines before the first block. */
static bool func_table(struct parser *p, struct lane_func *f, bool *found)
{
    *found = true;
    if (scan_accept_word(&p->scan, "param"))
        return kernel_param(p, f);
    if (scan_accept_word(&p->scan, "word"))
        return param_word(p);
    if (scan_accept_word(&p->scan, "arg"))
        return frame_slot(p, &f->params, &f->nparams);
    if (scan_accept_word(&p->scan, "result"))
        return frame_slot(p, &f->results, &f->nresults);
    if (scan_accept_word(&p->scan, "reg"))
        return registers(p);
    *found = false;
    return true;
}

static bool func_line(struct parser *p, struct lane_func *f)
{
    bool found = false;
    if (f->nblocks == 0 && !func_table(p, f, &found))
        return false;
    if (!found && !block_label(p, &found))
        return false;
    if (!found && f->nblocks == 0)
        return scan_fail(&p->scan, "wanted a block as in b0:");
    return (found || parse_inst(p)) && scan_end_line(&p->scan);
}

static bool parse_func(struct parser *p, uint32_t index, bool kernel)
{
    struct lane_func *f = &p->module->funcs[index];
    const char *name; /* the first pass has stored it */
    bool external;
    if (!scan_string(&p->scan, &p->module->arena, &name) || !func_attributes(p, f, &external))
        return false;
    f->kernel = kernel;
    namemap_free(&p->regs);
    lane_begin(&p->build, p->module, index);
    for (;;) {
        if (!scan_next_line(&p->scan))
            return scan_fail(&p->scan, "function '%.200s' does not end: wanted '}'", f->name);
        if (scan_accept(&p->scan, '}'))
            break;
        if (!func_line(p, f))
            return false;
    }
    if (!lane_end(&p->build, p->scan.error))
        return false;
    f->defined = !external;
    return scan_end_line(&p->scan);
}

/* ---- module --------------------------------------------------------------------------------------- */

/* First pass: the names of symbols and functions, in order. */
static bool collect(struct parser *p)
{
    do {
        bool symbol = scan_accept_word(&p->scan, "symbol");
        if (!symbol && !scan_accept_word(&p->scan, "kernel") && !scan_accept_word(&p->scan, "func"))
            continue;
        const char *name;
        if (scan_peek(&p->scan) != '"')
            continue; /* a register of that name */
        if (!scan_string(&p->scan, &p->module->arena, &name))
            return false;
        uint32_t index;
        if (symbol)
            index = lane_add_symbol(p->module, &(struct lane_symbol){.name = name}) - 1;
        else
            index = lane_add_func(p->module);
        if (index == UINT32_MAX)
            return no_memory(p);
        if (!symbol)
            p->module->funcs[index].name = name;
        if (!namemap_add(symbol ? &p->symbols : &p->funcs, name, strlen(name), index))
            return no_memory(p);
    } while (scan_skip_line(&p->scan));
    return true;
}

static bool parse_items(struct parser *p)
{
    uint32_t symbols = 0, funcs = 0, version;
    if (!scan_next_line(&p->scan) || !scan_accept_word(&p->scan, "lanes"))
        return scan_fail(&p->scan, "wanted 'lanes 1'");
    if (!scan_u32(&p->scan, &version))
        return false;
    if (version != 1)
        return scan_fail(&p->scan, "version %u of the text form is not known", version);
    if (!scan_end_line(&p->scan))
        return false;
    while (scan_next_line(&p->scan)) {
        bool good = false, kernel;
        if (scan_accept_word(&p->scan, "symbol"))
            good = symbols < p->module->nsymbols ? parse_symbol(p, &p->module->symbols[symbols++])
                                                 : scan_fail(&p->scan, "wanted a name");
        else if ((kernel = scan_accept_word(&p->scan, "kernel")) || scan_accept_word(&p->scan, "func"))
            good = funcs < p->module->nfuncs ? parse_func(p, funcs++, kernel) : scan_fail(&p->scan, "wanted a name");
        else
            scan_fail(&p->scan, "wanted symbol, kernel or func");
        if (!good)
            return false;
    }
    return true;
}

bool lane_parse(const char *text, size_t size, struct lane_module *module, struct atoll_error *error)
{
    struct parser p = {.module = module};
    *module = (struct lane_module){0};
    scan_begin(&p.scan, text, size, error);
    bool good = collect(&p);
    if (good) {
        scan_begin(&p.scan, text, size, error);
        good = parse_items(&p);
    }
    namemap_free(&p.symbols);
    namemap_free(&p.funcs);
    namemap_free(&p.regs);
    if (!good)
        lane_module_free(module);
    return good;
}

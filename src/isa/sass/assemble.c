/* Text to cubin: lines, labels, instructions and their annotations. docs/sass.md describes the form. */
#include "isa/sass/assemble.h"

#include "base/chars.h"
#include "isa/diag.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_MOST = 1 << 20 };

/* ---- pieces of a line -------------------------------------------------------------------------------- */

static bool mistake(struct asm_cursor *c, const char *wanted, const char *read)
{
    if (c->as->no_memory)
        return error_memory(c->as->error);
    return error_at(c->as->error, ATOLL_INPUT, c->as->line, c->before + (uint32_t)(c->at - c->start) + 1, "wanted %s%s",
                    wanted, read);
}

bool asm_mistake(struct asm_cursor *c, const char *wanted)
{
    return mistake(c, wanted, "");
}

bool asm_mistake_here(struct asm_cursor *c, const char *wanted)
{
    char read[DIAG_READ];
    diag_read(c->at, c->end, read);
    return mistake(c, wanted, read);
}

void asm_blanks(struct asm_cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\r'))
        c->at++;
}

bool asm_char(struct asm_cursor *c, char ch)
{
    asm_blanks(c);
    if (c->at == c->end || *c->at != ch)
        return false;
    c->at++;
    return true;
}

bool asm_want(struct asm_cursor *c, char ch, const char *wanted)
{
    return asm_char(c, ch) || asm_mistake_here(c, wanted);
}

bool asm_end(struct asm_cursor *c)
{
    asm_blanks(c);
    return c->at == c->end || asm_mistake_here(c, "the end of the line");
}

static inline bool is_name_byte(char ch)
{
    static const bool more[128] = {['_'] = 1, ['.'] = 1, ['$'] = 1, ['@'] = 1, ['<'] = 1, ['>'] = 1, ['?'] = 1};
    unsigned c = (unsigned char)ch;
    return (c | 0x20) - 'a' < 26 || c - '0' < 10 || (c < 128 && more[c]);
}

const char *asm_string(struct asm_cursor *c, size_t *length)
{
    if (!asm_char(c, '"'))
        return NULL;
    const char *close = memchr(c->at, '"', (size_t)(c->end - c->at));
    char *copy = close ? arena_alloc(&c->as->module->arena, (size_t)(close - c->at) + 1) : NULL;
    c->as->no_memory = c->as->no_memory || (close && !copy);
    if (!copy)
        return NULL;
    size_t n = 0;
    for (; c->at < close; c->at++) {
        bool escape = c->at[0] == '\\' && close - c->at > 3 && c->at[1] == 'x' && char_digit(c->at[2]) < 16 &&
                      char_digit(c->at[3]) < 16;
        copy[n++] = escape ? (char)(char_digit(c->at[2]) * 16 + char_digit(c->at[3])) : *c->at;
        c->at += escape ? 3 : 0;
    }
    copy[n] = 0;
    *length = n;
    c->at = close + 1;
    return copy;
}

const char *asm_name(struct asm_cursor *c)
{
    size_t length;
    asm_blanks(c);
    if (c->at < c->end && *c->at == '"')
        return asm_string(c, &length);
    const char *start = c->at;
    while (c->at < c->end && is_name_byte(*c->at))
        c->at++;
    if (c->at == start)
        return NULL;
    const char *name = arena_text(&c->as->module->arena, start, (size_t)(c->at - start));
    c->as->no_memory = c->as->no_memory || !name;
    return name;
}

bool asm_number(struct asm_cursor *c, uint64_t *value)
{
    bool minus = asm_char(c, '-');
    asm_blanks(c);
    bool hex = c->end - c->at > 2 && c->at[0] == '0' && (c->at[1] | 0x20) == 'x';
    if (hex)
        c->at += 2;
    const char *start = c->at;
    struct digits digits;
    c->at = digits_read(c->at, c->end, hex ? 16 : 10, &digits);
    if (digits.large) {
        c->at = digits.large;
        return asm_mistake(c, "a number of at most 64 bits");
    }
    *value = digits.value;
    if (minus)
        *value = 0 - *value;
    return c->at > start || asm_mistake_here(c, "a number");
}

bool asm_go_on(struct assembler *as)
{
    const struct atoll_error *error = as->error;
    if (!as->diag || error->status != ATOLL_INPUT)
        return false;
    uint32_t column = error->line == as->line && error->column ? error->column : 1;
    diag_report(as->diag, ATOLL_ERROR, "syntax", as->line_at + column - 1, 0, "%s", error->message);
    return !as->diag->stop;
}

/* ---- labels ------------------------------------------------------------------------------------------ */

const struct asm_label *asm_label_find(const struct assembler *as, uint32_t section, const char *name, size_t length)
{
    uint32_t label = section ? namemap_find(&as->sections[section - 1].labels, name, length) : UINT32_MAX;
    return label == UINT32_MAX ? NULL : &as->labels[label];
}

bool asm_label_add(struct asm_cursor *c, const char *name)
{
    struct assembler *as = c->as;
    struct asm_section *s = asm_section_current(c);
    if (!s)
        return false;
    if (!s->code && strcmp(name, s->name) == 0)
        return true; /* the section itself; calls name that of code: CAL `(.text.f) */
    const struct asm_label *old = asm_label_find(as, as->current, name, strlen(name));
    if (old)
        return error_at(as->error, ATOLL_INPUT, as->line, 1, "label '%.200s' stands in line %u already", name,
                        old->line);
    as->labels = arena_append(&as->arena, as->labels, as->nlabels, sizeof *as->labels);
    if (!as->labels)
        return error_memory(as->error);
    as->labels[as->nlabels++] = (struct asm_label){name, as->current, as->line,
                                                   s->code                  ? s->ninsns
                                                   : sass_is_empty(s->type) ? s->zeros
                                                                            : s->data.length};
    return (namemap_add(&s->labels, name, strlen(name), as->nlabels - 1) &&
            namemap_add(&as->label_names, name, strlen(name), as->nlabels - 1)) ||
           error_memory(as->error);
}

/* ---- instructions ------------------------------------------------------------------------------------ */

/* Takes off what dual issue draws: '}' after the last ';' that closes no '{' of the text. */
static const char *closing_brace(const char *start, const char *end)
{
    int depth = 0;
    while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    for (const char *p = start; p < end; p++)
        depth += *p == '{' ? 1 : *p == '}' ? -1 : 0;
    return depth < 0 && end[-1] == '}' ? end - 1 : end;
}

static bool insns_take(struct asm_cursor *c)
{
    c->end = closing_brace(c->at, c->end);
    for (;;) {
        asm_blanks(c);
        /* "{ " opens a dual-issued pair */
        if (c->at < c->end && *c->at == '{')
            c->at++;
        asm_blanks(c);
        while (c->at < c->end && *c->at == ';')
            c->at++;
        asm_blanks(c);
        if (c->at == c->end || *c->at == '}')
            return true;
        const char *end = memchr(c->at, ';', (size_t)(c->end - c->at));
        if (!asm_insn_take(c, end ? end : closing_brace(c->at, c->end)))
            return false;
    }
}

/* ---- lines ------------------------------------------------------------------------------------------- */

/* Blanks out a comment from line[at] on, to its end or that of the line; returns where it ends. */
static size_t comment_strip(struct assembler *as, char *line, size_t at, size_t length)
{
    size_t end = at;
    while (end + 1 < length && !(line[end] == '*' && line[end + 1] == '/'))
        end++;
    as->in_comment = end + 1 >= length;
    end = as->in_comment ? length : end + 2;
    memset(line + at, ' ', end - at);
    return end;
}

/* Blanks out (*"TARGET= .L_x_0"*), what the vendor's disassembler found out about the flow; returns its length but 1.
 */
static size_t note_strip(char *text, size_t length)
{
    if (length < 6 || memcmp(text, "(*\"", 3) != 0)
        return 0;
    for (size_t i = 3; i + 2 < length; i++)
        if (memcmp(text + i, "\"*)", 3) == 0) {
            memset(text, ' ', i + 3);
            return i + 2;
        }
    return 0;
}

/* Blanks out comments; returns the length without a trailing one ("// ...", and "# ..." as the sources write it). */
static size_t comments_strip(struct assembler *as, char *line, size_t length)
{
    bool quoted = false;
    size_t i = as->in_comment ? comment_strip(as, line, 0, length) : 0;
    for (; i < length; i++) {
        if (line[i] == '"')
            quoted = !quoted;
        else if (line[i] == '(' && !quoted)
            i += note_strip(line + i, length - i);
        else if (line[i] == '#' && !quoted)
            return i;
        if (line[i] != '/' || quoted || i + 1 == length)
            continue;
        if (line[i + 1] == '/')
            return i;
        if (line[i + 1] == '*') {
            line[i] = line[i + 1] = ' ';
            i = comment_strip(as, line, i + 2, length) - 1;
        }
    }
    return length;
}

/* "name:" at the front; the cursor moves only where there is one. */
static bool label_take(struct asm_cursor *c, bool *taken)
{
    const char *start = c->at;
    *taken = false;
    asm_blanks(c);
    /* A cheap look first: most lines have none. */
    const char *p = c->at;
    if (p < c->end && *p == '"')
        for (p++; p < c->end && *p != '"'; p++)
            ;
    while (p < c->end && (*p == '"' || is_name_byte(*p)))
        p++;
    if (p == c->at || p == c->end || *p != ':') {
        c->at = start;
        return true;
    }
    const char *name = asm_name(c);
    if (!name || !asm_char(c, ':'))
        return asm_mistake(c, "a label");
    *taken = true;
    return asm_label_add(c, name);
}

static bool line_take(struct asm_cursor *c)
{
    for (bool label = true; label;)
        if (!label_take(c, &label))
            return false;
    asm_blanks(c);
    if (c->at == c->end)
        return true;
    bool raw = c->end - c->at > 5 && memcmp(c->at, ".insn", 5) == 0;
    bool said = false;
    if (!raw && !asm_heading(c, &said))
        return false;
    if (said)
        return true;
    if (*c->at != '.' || raw)
        return insns_take(c);
    const char *name = asm_name(c);
    return name ? asm_directive(c, name) : asm_mistake(c, "a directive");
}

static bool lines_take(struct assembler *as, const char *text, size_t length)
{
    char *copy = malloc(LINE_MOST);
    bool ok = copy || error_memory(as->error);
    const char *start = text, *end = text + length;
    while (ok && text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text)), *stop = newline ? newline : end;
        size_t size = (size_t)(stop - text);
        as->line++;
        as->line_at = (uint32_t)(text - start);
        if (size > LINE_MOST || as->line == UINT32_MAX) {
            ok = error_at(as->error, ATOLL_INPUT, as->line, 1, "a line of more than %d bytes", LINE_MOST);
            asm_go_on(as);
            break;
        }
        memcpy(copy, text, size);
        size = comments_strip(as, copy, size);
        struct asm_cursor c = {as, copy, copy, copy + size, 0};
        ok = line_take(&c) || asm_go_on(as);
        text = newline ? newline + 1 : end;
    }
    free(copy);
    return ok;
}

/* After mistakes in lines those of instructions that name labels are looked for, too. */
static bool text_take(struct assembler *as, const char *text, size_t length)
{
    if (!lines_take(as, text, length))
        return false;
    if (as->diag && as->diag->errors)
        return asm_late_read(as);
    return asm_build(as) || (asm_go_on(as) && false);
}

/* What is told of a text that was read goes where its mistakes go. */
static bool report(struct assembler *as)
{
    struct diag *diag = as->diag;
    const struct atoll_module_options *options = diag->options;
    enum atoll_severity severity = options && options->strict ? ATOLL_ERROR : ATOLL_WARNING;
    for (unsigned i = 0; i < as->module->nwarnings; i++)
        diag_report(diag, severity, "spelling", as->module->warnings[i].pos, 0, "%s", as->module->warnings[i].text);
    diag_flush(diag);
    if (diag->errors && diag->first)
        *as->error = *diag->first;
    return diag->errors == 0;
}

bool sass_assemble(const struct isa_table *table, const char *text, size_t length, unsigned arch, struct diag *diag,
                   struct sass_module *module, struct atoll_error *error)
{
    struct atoll_error own = {0};
    *module = (struct sass_module){0};
    struct assembler as = {.table = table, .module = module, .error = error ? error : &own, .arch = arch, .diag = diag};
    module->osabi = SASS_OSABI;
    module->abi = SASS_ABI;
    module->version = module->toolkit = 118;
    bool ok = text_take(&as, text, length);
    ok = (!diag || report(&as)) && ok;
    for (unsigned i = 0; i < as.nsections; i++) {
        text_free(&as.sections[i].data);
        free(as.sections[i].insns);
        namemap_free(&as.sections[i].labels);
    }
    namemap_free(&as.section_names);
    namemap_free(&as.symbol_names);
    namemap_free(&as.label_names);
    arena_free(&as.arena);
    return ok;
}

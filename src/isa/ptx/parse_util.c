/* The parser's tools: tokens, messages, recovery, growing arrays. */
#include "base/hard.h"
#include "isa/ptx/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- messages ---- */

void complain(struct parser *p, struct span span, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_report_list(p->diag, ATOLL_ERROR, code, span.pos, span.length, format, args);
    va_end(args);
}

void warn(struct parser *p, struct span span, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_report_list(p->diag, ATOLL_WARNING, code, span.pos, span.length, format, args);
    va_end(args);
}

/* Enough of a name for a message. */
static int shown(uint32_t length)
{
    return length > 60 ? 60 : (int)length;
}

bool expected(struct parser *p, const char *what)
{
    const struct token *t = &p->token;
    if (t->kind == TOKEN_END) {
        if (!t->problem) /* an open comment was reported already */
            complain(p, token_span(p), "syntax", "expected %s before the end of the text", what);
        return false;
    }
    complain(p, token_span(p), "syntax", "expected %s before '%.*s'", what, shown(t->length), text_of(p, t->pos));
    return false;
}

void name_unknown(struct parser *p, struct span name)
{
    const char *text = text_of(p, name.pos);
    const char *hint = names_closest(&p->names, text, name.length, &p->hint_budget);
    uint32_t digits = name.length;
    while (digits && text[digits - 1] >= '0' && text[digits - 1] <= '9')
        digits--;
    struct ptx_decl *range = digits < name.length ? names_range(&p->names, text, digits) : NULL;
    if (range)
        complain(p, name, "unknown-name", "'%.*s' is not declared: %s<%u> ends at %s%u", shown(name.length), text,
                 range->name, range->count, range->name, range->count - 1);
    else if (hint)
        complain(p, name, "unknown-name", "'%.*s' is not declared; did you mean '%s'?", shown(name.length), text, hint);
    else
        complain(p, name, "unknown-name", "'%.*s' is not declared", shown(name.length), text);
}

/* ---- tokens ---- */

static void report_problem(struct parser *p)
{
    const struct token *t = &p->token;
    const char *text = text_of(p, t->pos);
    if (t->kind == TOKEN_BAD)
        complain(p, token_span(p), "bad-character", "byte 0x%02x starts no token", (unsigned char)text[0]);
    else if (t->problem == TOKEN_BAD_NUMBER)
        complain(p, token_span(p), "bad-number", "'%.*s' is not a number", shown(t->length), text);
    else if (t->problem == TOKEN_OVERFLOW)
        warn(p, token_span(p), "integer-overflow", "'%.*s' does not fit 64 bits; the upper bits are dropped",
             shown(t->length), text);
    else if (t->problem == TOKEN_OPEN_COMMENT)
        complain(p, token_span(p), "open-comment", "this comment does not end");
    else if (t->problem == TOKEN_OPEN_STRING)
        complain(p, token_span(p), "open-string", "this string does not end on its line");
}

void next(struct parser *p)
{
    p->end = p->token.pos + p->token.length;
    do {
        lex_next(&p->lexer, &p->token);
        if ((p->token.problem || p->token.kind == TOKEN_BAD) && !p->quiet)
            report_problem(p);
    } while (p->token.kind == TOKEN_BAD);
}

bool want(struct parser *p, unsigned kind, const char *what)
{
    if (accept(p, kind))
        return true;
    return expected(p, what);
}

/* The ';' at the end. One that is missing at the end of a line does not take the next line with it. */
bool want_end(struct parser *p)
{
    if (accept(p, ';'))
        return true;
    if (!p->token.first && p->token.kind != '}')
        return expected(p, "',' or ';'");
    struct span span = {p->end > 0 ? p->end - 1 : 0, 1};
    complain(p, span, "syntax", "expected ';' at the end of the statement");
    return true;
}

/* ---- recovery ---- */

/* Does the token look like the start of a statement of a body? Only the first one of a line does. */
static bool starts_statement(struct parser *p)
{
    if (!p->token.first)
        return false;
    if (p->token.kind == '@')
        return true;
    if (p->token.kind == TOKEN_DOT) {
        static const char *const words[] = {".reg", ".loc", ".pragma", ".param", ".local", ".shared", ".global"};
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (is_word(p, words[i]))
                return true;
    }
    return p->token.kind == TOKEN_NAME && find_row(p, token_span(p));
}

/* Is the '}' at hand the end of a tuple whose '{' came before the error? Operands go on after it. */
static bool closes_tuple(const struct parser *p)
{
    const char *source = p->diag->source;
    for (size_t i = (size_t)p->token.pos + 1; i < p->diag->size; i++)
        if (source[i] != ' ' && source[i] != '\t')
            return source[i] == ']' || source[i] == ',' || source[i] == ';';
    return false;
}

/* Skips past the next ';', or to a '}' that is not a tuple's, or to a line that starts a statement. */
void recover_statement(struct parser *p)
{
    p->quiet = true;
    for (unsigned braces = 0; p->token.kind != TOKEN_END; next(p)) {
        if (p->token.kind == ';') {
            p->quiet = false;
            next(p);
            return;
        }
        if (starts_statement(p) || (p->token.kind == '{' && p->token.first))
            break;
        if (p->token.kind == '{')
            braces++;
        else if (p->token.kind == '}' && !(braces == 0 && closes_tuple(p)) && braces-- == 0)
            break;
    }
    p->quiet = false;
}

void skip_block(struct parser *p)
{
    p->quiet = true;
    for (uint32_t depth = 0; p->token.kind != TOKEN_END; next(p)) {
        if (p->token.kind == '{')
            depth++;
        else if (p->token.kind == '}' && --depth == 0)
            break;
    }
    p->quiet = false;
    next(p);
}

static bool starts_item(struct parser *p)
{
    static const char *const words[] = {".visible", ".extern", ".weak", ".common",  ".entry", ".func",  ".global",
                                        ".const",   ".shared", ".file", ".section", ".alias", ".pragma"};
    if (p->token.kind == TOKEN_DOT && p->token.first)
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (is_word(p, words[i]))
                return true;
    return false;
}

/* Skips past the next ';' or block, or to a line that starts an item. Makes progress at least one token. */
void recover_item(struct parser *p)
{
    uint32_t start = p->token.pos;
    p->quiet = true;
    for (; p->token.kind != TOKEN_END && !(starts_item(p) && p->token.pos != start); next(p)) {
        if (p->token.kind == '{') {
            skip_block(p);
            return;
        }
        if (p->token.kind == ';' || p->token.kind == '}') {
            p->quiet = false;
            next(p);
            return;
        }
    }
    p->quiet = false;
}

/* ---- words ---- */

static uint32_t memo_slot(const char *text, uint32_t length)
{
    uint64_t word = 0;
    memcpy(&word, text, length < 8 ? length : 8);
    word = (word ^ length) * UINT64_C(0x9e3779b97f4a7c15);
    if (length > 8)
        word ^= (uint64_t)(unsigned char)text[length - 1] << 60;
    return (uint32_t)(word >> 55) % MEMO_SLOTS;
}

enum ptx_keyword find_keyword(struct parser *p, struct span word)
{
    const char *text = text_of(p, word.pos);
    uint32_t i = memo_slot(text, word.length);
    if (p->keywords.slots[i].length != word.length ||
        memcmp(text_of(p, p->keywords.slots[i].pos), text, word.length) != 0) {
        p->keywords.slots[i].pos = word.pos;
        p->keywords.slots[i].length = word.length;
        p->keywords.slots[i].keyword = ptx_keyword_find(text, word.length);
    }
    return (enum ptx_keyword)p->keywords.slots[i].keyword;
}

const struct ptx_row *find_row(struct parser *p, struct span word)
{
    const char *text = text_of(p, word.pos);
    uint32_t i = memo_slot(text, word.length);
    if (p->rows.slots[i].length != word.length || memcmp(text_of(p, p->rows.slots[i].pos), text, word.length) != 0) {
        p->rows.slots[i].pos = word.pos;
        p->rows.slots[i].length = word.length;
        p->rows.slots[i].row = ptx_row_find(text, word.length);
    }
    return p->rows.slots[i].row;
}

/* ---- memory ---- */

void *make(struct parser *p, size_t count, size_t size)
{
    void *memory = arena_array(p->arena, count, size);
    if (!memory)
        p->failed = true;
    return memory;
}

void *push(struct parser *p, struct stack *stack, size_t size)
{
    if (stack->count == stack->capacity) {
        uint32_t capacity = stack->capacity ? stack->capacity * 2 : HARD(64, 1);
        void *items = capacity > stack->capacity ? realloc(stack->items, capacity * size) : NULL;
        if (!items) {
            p->failed = true;
            return NULL;
        }
        stack->items = items;
        stack->capacity = capacity;
    }
    void *item = (char *)stack->items + stack->count++ * size;
    memset(item, 0, size);
    return item;
}

void *take(struct parser *p, struct stack *stack, uint32_t from, size_t size)
{
    size_t count = stack->count - from;
    void *items = make(p, count, size);
    if (items && count)
        memcpy(items, (char *)stack->items + from * size, count * size);
    stack->count = from;
    return items;
}

/* ---- names ---- */

void declare(struct parser *p, struct span name, struct ptx_decl *decl)
{
    decl->span = name;
    struct ptx_decl *other = names_declare(&p->names, text_of(p, name.pos), name.length, decl);
    if (p->names.failed)
        p->failed = true;
    if (other) {
        decl->repeated = true;
        complain(p, name, "redeclared", "'%s%s' is declared already in this scope", decl->name,
                 decl->count ? "<>" : "");
    }
}

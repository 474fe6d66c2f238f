/* vISA's text: statements, one a line, and braces around them. */
#include "isa/visa/parse_inner.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words and messages ----------------------------------------------------------------------------------- */

void visa_next(struct visa_parser *p)
{
    p->previous = p->token.pos + p->token.length;
    visa_lex(&p->lexer, &p->token);
}

bool visa_accept(struct visa_parser *p, char c)
{
    if (!visa_is_punctuation(p, c))
        return false;
    visa_next(p);
    return true;
}

bool visa_expect(struct visa_parser *p, char c)
{
    char wanted[] = {'\'', c, '\'', 0};
    return visa_accept(p, c) || visa_wanted(p, wanted);
}

/* The first mistake of a line is told, and warnings before it. */
static void tell(struct visa_parser *p, enum atoll_severity severity, const char *code, uint32_t pos, uint32_t length,
                 const char *format, va_list args)
{
    char message[400];
    vsnprintf(message, sizeof message, format, args);
    if (!p->wrong && !p->no_memory)
        diag_report(p->diag, severity, code, pos, length, "%s", message);
}

bool visa_wrong_at(struct visa_parser *p, const char *code, uint32_t pos, uint32_t length, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tell(p, ATOLL_ERROR, code, pos, length, format, args);
    va_end(args);
    p->wrong = true;
    return false;
}

void visa_warn(struct visa_parser *p, const char *code, uint32_t pos, uint32_t length, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tell(p, ATOLL_WARNING, code, pos, length, format, args);
    va_end(args);
}

/* Words that do not end have messages of their own. */
static const char *const broken[] = {
    [VISA_BROKEN_STRING] = "a string without its closing quote",
    [VISA_BROKEN_HEX] = "a hexadecimal number of more than 16 digits",
    [VISA_BROKEN_COMMENT] = "a comment without its end",
};

bool visa_wanted(struct visa_parser *p, const char *wanted)
{
    char read[DIAG_READ];
    const struct visa_token *t = &p->token;
    if (t->kind == VISA_TOKEN_BROKEN)
        return visa_wrong_at(p, "syntax", t->pos, 1, "%s", broken[t->value]);
    diag_read(visa_text_of(p, t), p->lexer.end, read);
    return visa_wrong_at(p, "syntax", t->pos, t->length, "wanted %s%s", wanted, read);
}

bool visa_wrong_name(struct visa_parser *p, const struct visa_token *name, const char *code, const char *what)
{
    int length = name->length < 60 ? (int)name->length : 60;
    return visa_wrong_at(p, code, name->pos, name->length, "'%.*s' %s", length, visa_text_of(p, name), what);
}

bool visa_out_of_memory(struct visa_parser *p)
{
    p->no_memory = p->wrong = true;
    return false;
}

/* ---- statements ------------------------------------------------------------------------------------------- */

struct visa_inst *visa_inst_add(struct visa_parser *p, const struct visa_form *form, const struct visa_token *at)
{
    struct visa_object *o = p->object;
    struct visa_inst *insts = arena_append(p->arena, o->insts, o->ninsts, sizeof *insts);
    struct visa_operand *ops = arena_array(p->arena, (size_t)form->noperands + 1, sizeof *ops);
    if (!insts || !ops) {
        visa_out_of_memory(p);
        return NULL;
    }
    o->insts = insts;
    insts[o->ninsts] = (struct visa_inst){.row = form->row, .nops = form->noperands, .ops = ops};
    insts[o->ninsts].pos = at->pos;
    insts[o->ninsts].line = at->line;
    insts[o->ninsts].length = at->length;
    return &insts[o->ninsts++];
}

/* x: where a function has the name it says nothing. */
static bool label(struct visa_parser *p)
{
    struct visa_token t = p->token;
    const char *name = visa_text_of(p, &t);
    uint32_t named = visa_named(p, name, t.length - 1);
    visa_next(p);
    if (named == VISA_NONE)
        return false;
    if (p->named[named].function != VISA_NONE)
        return true;
    uint32_t id = visa_label(p, name, t.length - 1, t.pos, VISA_LABEL_BLOCK, false);
    struct visa_inst *inst =
        id == VISA_NONE ? NULL : visa_inst_add(p, visa_form(p->table, &visa_rows[VISA_ROW_label]), &t);
    if (!inst)
        return false;
    inst->ops[0] = (struct visa_operand){.class = VISA_LABEL, .id = id, .pos = t.pos, .length = t.length - 1};
    return true;
}

static bool statement(struct visa_parser *p)
{
    if (visa_is_dotted(p, VISA_DOT_DIRECTIVE))
        return visa_directive(p);
    if (!p->object)
        return visa_wanted(p, "'.kernel' with a kernel's name first");
    if (visa_is(p, VISA_TOKEN_LABEL))
        return label(p);
    return visa_read_inst(p);
}

static void recover(struct visa_parser *p)
{
    while (!visa_is(p, VISA_TOKEN_NEWLINE) && !visa_is(p, VISA_TOKEN_END))
        visa_next(p);
}

/* '{' and '}' stand where statements do; what is between needs no newlines before and after it. */
static bool brace(struct visa_parser *p, bool *more)
{
    if (visa_is_punctuation(p, '{')) {
        *more = true;
        return visa_scope_open(p);
    }
    *more = false;
    return visa_scope_close(p);
}

/* One statement and what ends it. */
static void line(struct visa_parser *p)
{
    bool more = false, good;
    p->wrong = false;
    if (visa_is_punctuation(p, '{') || (visa_is_punctuation(p, '}') && p->depth))
        good = brace(p, &more);
    else
        good = statement(p);
    if (good && !more && !visa_is(p, VISA_TOKEN_NEWLINE) && !visa_is(p, VISA_TOKEN_END) &&
        !(visa_is_punctuation(p, '}') && p->depth))
        good = visa_wanted(p, "the end of the line");
    if (!good)
        recover(p);
}

static void newlines(struct visa_parser *p)
{
    while (visa_is(p, VISA_TOKEN_NEWLINE))
        visa_next(p);
}

static bool version(struct visa_parser *p)
{
    uint64_t major = 0, minor = 0;
    if (!visa_is_dotted(p, VISA_DOT_DIRECTIVE) || p->token.value != VISA_DIRECTIVE_VERSION)
        return visa_wanted(p, "'.version' with the version's number first, '.version 4.1'");
    visa_next(p);
    uint32_t pos = p->token.pos;
    bool ok = visa_digits(p, "the version's first number", UINT64_MAX, &major) && visa_expect(p, '.') &&
              visa_digits(p, "the version's second number", UINT64_MAX, &minor);
    if (ok && (major > UINT8_MAX || minor > UINT8_MAX))
        visa_warn(p, "range", pos, p->previous - pos, "a version's numbers have 8 bits: it is taken as %u.%u",
                  (unsigned)(major & UINT8_MAX), (unsigned)(minor & UINT8_MAX));
    p->module->major = (uint8_t)major;
    p->module->minor = (uint8_t)minor;
    return ok;
}

/* Reports what is missing at the end of the file. */
static void finish(struct visa_parser *p)
{
    p->wrong = false;
    for (uint32_t i = p->depth; i-- > 0 && !p->diag->stop;) {
        visa_wrong_at(p, "syntax", p->braces[i], 1, "a brace that is not closed");
        p->wrong = false;
    }
    if (!p->object && !p->diag->errors)
        visa_wrong_at(p, "syntax", (uint32_t)p->diag->size, 0, "no '.kernel' in the text");
}

static bool parser_open(struct visa_parser *p, struct arena *arena, struct diag *diag)
{
    const char *source = diag->source ? diag->source : "";
    *p = (struct visa_parser){.arena = arena, .diag = diag, .table = visa_table(NULL)};
    p->lexer = (struct visa_lexer){visa_words(NULL), source, source, source + diag->size, source, 1};
    return p->table && p->lexer.words;
}

bool visa_parse(struct arena *arena, struct diag *diag, struct visa_module *module)
{
    struct visa_parser *p = malloc(sizeof *p);
    *module = (struct visa_module){0};
    if (!p || !parser_open(p, arena, diag)) {
        free(p);
        return false;
    }
    p->module = module;
    if (diag->size >= UINT32_MAX) {
        diag_report(diag, ATOLL_ERROR, "syntax", 0, 0, "a text of 4 GiB or more");
        free(p);
        return true;
    }
    visa_next(p);
    newlines(p);
    if (!version(p))
        recover(p);
    for (newlines(p); !visa_is(p, VISA_TOKEN_END) && !p->no_memory && !diag->stop; newlines(p))
        line(p);
    finish(p);
    bool ok = !p->no_memory && visa_object_end(p) && !p->no_memory;
    free(p);
    return ok;
}

bool visa_parse_line(struct arena *arena, struct diag *diag, struct visa_object *object)
{
    struct visa_parser *p = malloc(sizeof *p);
    *object = (struct visa_object){.name = ""};
    bool ok = p && parser_open(p, arena, diag);
    if (ok) {
        p->object = object;
        p->implied = true;
        ok = visa_names_start(p);
    }
    if (ok) {
        visa_next(p);
        line(p);
        newlines(p);
        p->wrong = p->wrong || diag->errors;
        if (!visa_is(p, VISA_TOKEN_END))
            visa_wanted(p, "the end");
        ok = !p->no_memory;
    }
    free(p);
    return ok;
}

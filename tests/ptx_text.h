/* Parsing PTX in tests: the messages as "line:column code" lines, and modules around a piece of text. */
#ifndef ATOLL_TESTS_PTX_TEXT_H
#define ATOLL_TESTS_PTX_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "isa/ptx/ast.h"

struct parsed {
    struct arena arena;
    struct diag diag;
    struct atoll_module_options options;
    struct ptx_module *module;
    struct text messages; /* "line:column code\n" each */
    struct text texts;    /* "message\n" each */
    char *source;         /* a copy of exactly the size, so that sanitizers see an overread */
};

static inline void parsed_message(void *user, const struct atoll_diagnostic *d)
{
    struct parsed *p = user;
    text_printf(&p->messages, "%u:%u %s%s\n", d->line, d->column, d->severity == ATOLL_ERROR ? "" : "warning ",
                d->code);
    text_printf(&p->texts, "%s\n", d->message);
}

static inline void parse_bytes(struct parsed *p, const char *source, size_t size)
{
    *p = (struct parsed){.source = malloc(size ? size : 1)};
    assert_non_null(p->source);
    memcpy(p->source, source, size);
    text_puts(&p->messages, "");
    text_puts(&p->texts, "");
    p->options.diagnose = parsed_message;
    p->options.user = p;
    p->diag = (struct diag){.source = p->source, .size = size, .options = &p->options};
    assert_true(ptx_parse(&p->arena, &p->diag, &p->module));
    assert_true(text_ok(&p->messages) && text_ok(&p->texts));
}

static inline void parse_text(struct parsed *p, const char *source)
{
    parse_bytes(p, source, strlen(source));
}

static inline void parsed_free(struct parsed *p)
{
    arena_free(&p->arena);
    text_free(&p->messages);
    text_free(&p->texts);
    free(p->source);
}

#define PTX_HEADER ".version 9.0\n.target sm_90\n.address_size 64\n"

/* Line 5 is the piece of body; the registers are those of the accept tables. */
#define PTX_ENTRY                                                                                                 \
    ".visible .entry k(.param .u64 p) { .reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<10>; .reg .b64 %rd<10>; " \
    ".reg .f32 %f<10>; .reg .f64 %fd<10>;\n"

/* The messages about `globals` (line 4; one line) and `body` (line 6). */
static inline void parse_around(struct parsed *p, const char *globals, const char *body)
{
    struct text text = {0};
    text_printf(&text, "%s%s\n%s%s\nret;\n}\n", PTX_HEADER, globals, PTX_ENTRY, body);
    parse_bytes(p, text.bytes, text.length);
    text_free(&text);
}

#endif

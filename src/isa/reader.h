/* Reading the text of instructions, for the engines of rows (table.h, fields.h) and the operands of families: a place
 * in a text, and the mistake that lies furthest in it, with all that was wanted there. */
#ifndef ATOLL_ISA_READER_H
#define ATOLL_ISA_READER_H

#include "base/chars.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Another spelling that is read for a value. */
struct isa_also {
    uint16_t value;
    const char *text;
};

/* The values of a field by name. Entry: text as written, with its dot; "" = nothing is written; NULL = refused. Values
 * past `count` are written by `rest` (a format for one unsigned) or, when that is NULL, refused. */
struct isa_names {
    const char *name;
    const char *const *text;
    uint16_t count;
    const char *rest;
    const struct isa_also *also; /* by value; after the last one without text. NULL: none */
};

/* Where and why a text is no instruction. */
struct isa_mistake {
    size_t at;        /* byte in the text */
    char wanted[288]; /* "a register, not 'P0'", "one of .ADD .MIN ..., not '.FOO'" */
};

/* A copy is a place to come back to. */
struct isa_reader {
    const char *start, *at, *end;
    struct isa_mistake *mistake; /* the furthest so far; NULL: nobody asks */
};

/* Notes what was wanted here, if nothing further on was; places that are equal are joined with "or". Always false. */
bool reader_wanted(const struct isa_reader *r, const char *what);
/* The same with a format; nothing is formatted where nobody asks. */
bool reader_wanted_as(const struct isa_reader *r, const char *format, ...) PRINTF_LIKE(2, 3);
/* The same: one of a list's spellings. */
bool reader_wanted_name(const struct isa_reader *r, const struct isa_names *names);

static inline bool reader_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline void reader_blanks(struct isa_reader *r)
{
    while (r->at < r->end && reader_blank(*r->at))
        r->at++;
}

static inline bool reader_byte(struct isa_reader *r, char c)
{
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

/* Takes `text` if no letter or digit follows where it ends in one. */
bool reader_take(struct isa_reader *r, const char *text, size_t length);

/* Literal text of a template. A blank of it is at least one blank of the text, except after a comma and where the text
 * ends in a place that the template goes on from with a blank. */
bool reader_literal(struct isa_reader *r, const char *text, size_t length);

struct isa_integer {
    uint64_t magnitude;
    bool minus;
};
/* 16, 0x10, -16 */
bool reader_integer(struct isa_reader *r, struct isa_integer *value);

/* Whether a value of a list of names could be what is here; *length: of its spelling there, 0 where nothing is
 * written for it. Takes nothing. */
bool reader_entry(const struct isa_reader *r, const struct isa_names *names, unsigned value, size_t *length);
/* Takes a value past a list, written as its `rest` says. */
bool reader_rest(struct isa_reader *r, const struct isa_names *names, uint64_t *value);

enum { ISA_REST = 64 /* bytes that a value written by `rest` fits in */ };
/* Writes a value past a list; returns the length. */
size_t isa_rest_print(const struct isa_names *names, uint64_t value, char out[ISA_REST]);

/* What is written for a value, else the first spelling that is read for it; "" where there is neither. */
const char *isa_name_called(const struct isa_names *names, uint64_t value);

/* Whether a value has a text. */
static inline bool isa_names_allow(const struct isa_names *names, uint64_t value)
{
    return value < names->count ? names->text[value] != NULL : names->rest != NULL;
}

/* The mnemonic that begins at `at`: up to '.', blank or end. */
static inline size_t isa_mnemonic(const char *at, const char *end)
{
    const char *start = at;
    while (at < end && char_word(*at))
        at++;
    return (size_t)(at - start);
}

#endif

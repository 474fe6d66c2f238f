/* Tokens of PTX text. The lexer keeps no state but its place; it never reports, it marks bad tokens. */
#ifndef ATOLL_ISA_PTX_LEX_H
#define ATOLL_ISA_PTX_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Punctuation is its own character; the rest: */
enum token_kind {
    TOKEN_END = 0,
    TOKEN_BAD = 256, /* a run of bytes that no token starts with */
    TOKEN_NAME,      /* abc %r1 $L_1 _ */
    TOKEN_DOT,       /* .global .1d .L2::cache_hint, with its dot */
    TOKEN_INT,       /* value, is_unsigned */
    TOKEN_F32,       /* 0f3f800000: value = the bits */
    TOKEN_F64,       /* 0d3ff0000000000000, 1.5, .5e3: value = the bits, `decimal` for the latter two */
    TOKEN_STRING,    /* "...", with its quotes */
    TOKEN_SHL,
    TOKEN_SHR,
    TOKEN_LE,
    TOKEN_GE,
    TOKEN_EQ,
    TOKEN_NE,
    TOKEN_AND,
    TOKEN_OR,
};

enum token_problem {
    TOKEN_FINE,
    TOKEN_BAD_NUMBER,   /* 018, 0f3f80, 5u */
    TOKEN_OVERFLOW,     /* an integer over 64 bits; the value is modulo 2^64, as ptxas reads it */
    TOKEN_OPEN_COMMENT, /* the text ends inside a comment: kind is TOKEN_END, pos the start of the comment */
    TOKEN_OPEN_STRING,  /* no closing quote on the line */
};

struct token {
    uint16_t kind;
    uint8_t problem;
    bool is_unsigned, decimal;
    bool first; /* first token of its line */
    uint32_t pos, length;
    uint64_t value;
};

struct lexer {
    const char *text;
    uint32_t size, pos;
};

void lex_next(struct lexer *lexer, struct token *token);

/* Is `c` allowed inside a name (after its first character)? */
bool lex_name_char(char c);

#endif

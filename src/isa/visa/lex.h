/* The words of vISA's text, as Intel's tool divides it: the longest that fits, blanks between or not. Grammar:
 * docs/visa.md, "Text". */
#ifndef ATOLL_ISA_VISA_LEX_H
#define ATOLL_ISA_VISA_LEX_H

#include "base/nearest.h"
#include "isa/visa/rows.h"

enum visa_token_kind {
    VISA_TOKEN_END,
    VISA_TOKEN_NEWLINE,
    VISA_TOKEN_PUNCTUATION, /* value: its bytes, first one lowest */
    VISA_TOKEN_NAME,
    VISA_TOKEN_BUILTIN, /* %r0 */
    VISA_TOKEN_NULL,    /* %null */
    VISA_TOKEN_SIZEOF,
    VISA_TOKEN_SIMD,     /* %DispatchSimd */
    VISA_TOKEN_MNEMONIC, /* value: index in visa_words.mnemonics */
    VISA_TOKEN_RESERVED, /* another word that no name may be; value: enum visa_reserved */
    VISA_TOKEN_LABEL,    /* x: at the start of a line */
    VISA_TOKEN_STRING,   /* with its quotes */
    VISA_TOKEN_DECIMAL,  /* value */
    VISA_TOKEN_HEX,
    VISA_TOKEN_F32,      /* 1.5:f, with its type */
    VISA_TOKEN_F64,      /* 1.5:df */
    VISA_TOKEN_TYPE,     /* :ud; value: enum visa_type */
    VISA_TOKEN_SHAPE,    /* :d32x4t, :d32.xy, :d8.2x32x32nt */
    VISA_TOKEN_ASIZE,    /* :a64; value: the code */
    VISA_TOKEN_DOTTED,   /* .add; class: enum visa_dotted, value */
    VISA_TOKEN_EQUALS,   /* num_elts=; value: enum visa_equals */
    VISA_TOKEN_DECLTYPE, /* type=ud; value: enum visa_type */
    VISA_TOKEN_DECLKIND, /* v_type=G; value: enum visa_space */
    VISA_TOKEN_ALIGN,    /* 2GRF; value: the code */
    VISA_TOKEN_MODIFIER, /* (-); value: enum visa_modifier */
    VISA_TOKEN_INDIRECT, /* r[ */
    VISA_TOKEN_INVALID,  /* a byte that begins no word */
    VISA_TOKEN_BROKEN,   /* a word that does not end as it should; value: enum visa_broken */
};

/* What follows a dot in one word with it. */
enum visa_dotted {
    VISA_DOT_DIRECTIVE, /* value: enum visa_directive */
    VISA_DOT_ATOMIC,    /* value: the code of the operation */
    VISA_DOT_SAT,
    VISA_DOT_RELATION,
    VISA_DOT_CHANNELS, /* value: bit 0 = R */
    VISA_DOT_MEDIA,
    VISA_DOT_MOD,
    VISA_DOT_CACHE,
    VISA_DOT_FENCE, /* what an LSC fence does */
    VISA_DOT_SCOPE,
    VISA_DOT_UNTYPED, /* shared functions of LSC; value: the code */
    VISA_DOT_TYPED,
    VISA_DOT_OUTPUT,  /* 16-full */
    VISA_DOT_CONTROL, /* any, all; value: the bit of a predicate word */
    VISA_DOT_OPTIONS, /* letters of a fence; value: its bits */
    VISA_DOT_PIXEL_NULL,
    VISA_DOT_CPS,
    VISA_DOT_DIVS,
    VISA_DOT_TARGET,       /* .<SI><RTI> */
    VISA_DOT_BAD_RELATION, /* .EQ, which Intel's tool reads and refuses */
};

enum visa_directive {
    VISA_DIRECTIVE_VERSION,
    VISA_DIRECTIVE_KERNEL,
    VISA_DIRECTIVE_FUNCTION,
    VISA_DIRECTIVE_GLOBAL_FUNCTION,
    VISA_DIRECTIVE_FUNCDECL,
    VISA_DIRECTIVE_DECL,
    VISA_DIRECTIVE_INPUT,
    VISA_DIRECTIVE_IMPLICIT,
    VISA_DIRECTIVE_PARAMETER,
    VISA_DIRECTIVE_KERNEL_ATTR,
    VISA_DIRECTIVE_FILE,
    VISA_DIRECTIVE_LOC,
};

enum visa_equals {
    VISA_EQUALS_NUM_ELTS,
    VISA_EQUALS_ALIGN,
    VISA_EQUALS_OFFSET,
    VISA_EQUALS_SIZE,
    VISA_EQUALS_ALIAS,
    VISA_EQUALS_ATTRS,
    VISA_EQUALS_V_NAME,
};

enum visa_reserved {
    VISA_RESERVED_WORD,  /* of an instruction that there is no more */
    VISA_RESERVED_MODEL, /* flat bti ss bss arg; value >> 8: the code */
    VISA_RESERVED_AVS_OUTPUT,
    VISA_RESERVED_AVS_EXEC,
};

enum visa_broken { VISA_BROKEN_STRING, VISA_BROKEN_ESCAPE, VISA_BROKEN_HEX, VISA_BROKEN_COMMENT };

struct visa_token {
    uint8_t kind, class;
    uint32_t pos, length, line;
    uint64_t value;
};

/* A mnemonic: the row (with .tgm: another), and a number that the word itself says. */
struct visa_mnemonic {
    const char *word;
    const struct visa_form *form, *typed; /* NULL: none */
    uint8_t preset;
    bool own; /* Atoll's word: Intel's tool takes it for a name */
};

/* The words, found by name; made once per process. NULL: no memory, or a broken row, which *error says. */
struct visa_words;
const struct visa_words *visa_words(struct atoll_error *error);
const struct visa_mnemonic *visa_mnemonic_at(const struct visa_words *words, uint64_t index);
/* The one whose word is nearest. */
struct nearest visa_mnemonic_nearest(const struct visa_words *words, const char *word, size_t length);
/* A mnemonic that is not reserved: Atoll's own. NULL: none. */
const struct visa_mnemonic *visa_mnemonic_own(const struct visa_words *words, const char *word, size_t length);

/* A reserved word, what follows a dot: the token's kind, class and value; NULL: none. */
const struct visa_token *visa_words_find(const struct visa_words *words, const char *word, size_t length);
const struct visa_token *visa_words_dotted(const struct visa_words *words, const char *word, size_t length);

struct visa_lexer {
    const struct visa_words *words;
    const char *start, *at, *end;
    const char *blanks_end; /* no continuation comes before this place */
    uint32_t line;
};

void visa_lex(struct visa_lexer *lexer, struct visa_token *token);

#endif

/* The parts of the reader of vISA's text: words and messages (parse.c), names and declarations (parse_names.c,
 * parse_decl.c), numbers (parse_number.c), operands (parse_operand.c, parse_lsc.c), instructions (parse_inst.c). */
#ifndef ATOLL_ISA_VISA_PARSE_INNER_H
#define ATOLL_ISA_VISA_PARSE_INNER_H

#include "base/namemap.h"
#include "isa/visa/lex.h"
#include "isa/visa/parse.h"

enum {
    VISA_NONE = UINT32_MAX,
    VISA_DEPTH = 200,   /* of parentheses in numbers */
    VISA_SCOPES = 4096, /* open braces */
    VISA_IMPLIED = 4096 /* the largest number of a variable that was not declared (visa_parse_line) */
};

/* A name of an object, whatever it names: variables have one space of names, labels another, functions a third. */
struct visa_named {
    uint32_t string;          /* index in the object's strings; VISA_NONE: it is not there yet */
    uint32_t symbol;          /* the variable that the name stands for now */
    uint32_t label, function; /* in VISA_L */
};

struct visa_symbol {
    enum visa_space space;
    uint32_t index;
    uint32_t named, shadowed; /* whose name it has; the symbol that had it before */
    uint32_t depth;           /* of the scope; predefined ones are of all */
    bool predefined;
};

struct visa_parser {
    struct arena *arena;
    struct diag *diag;
    struct visa_module *module;
    const struct visa_table *table;
    struct visa_lexer lexer;
    struct visa_token token;    /* that comes next */
    uint32_t previous;          /* end of the last one */
    struct visa_object *object; /* NULL: no kernel yet */
    struct namemap names;       /* of the object: struct visa_named by name */
    struct visa_named *named;
    struct visa_symbol *symbols;
    uint32_t nnamed, nsymbols, room, depth; /* room: of symbols */
    uint32_t scopes[VISA_SCOPES];           /* per open brace: symbols before it, where it is */
    uint32_t braces[VISA_SCOPES];
    int64_t simd; /* of the attribute SimdSize; 0: there was none */
    bool wrong;   /* this statement has been reported */
    bool no_memory;
    bool implied;           /* variables need no declarations */
    struct visa_inst *inst; /* that is being read */
    uint8_t spelling;
};

/* ---- words ------------------------------------------------------------------------------------------------ */

void visa_next(struct visa_parser *p);
static inline const char *visa_text_of(const struct visa_parser *p, const struct visa_token *t)
{
    return p->lexer.start + t->pos;
}
static inline bool visa_is(const struct visa_parser *p, enum visa_token_kind kind)
{
    return p->token.kind == kind;
}
static inline bool visa_is_variable(const struct visa_parser *p)
{
    return visa_is(p, VISA_TOKEN_NAME) || visa_is(p, VISA_TOKEN_BUILTIN) || visa_is(p, VISA_TOKEN_NULL);
}
static inline bool visa_is_punctuation(const struct visa_parser *p, char c)
{
    return p->token.kind == VISA_TOKEN_PUNCTUATION && p->token.value == (uint64_t)c;
}
static inline bool visa_is_dotted(const struct visa_parser *p, enum visa_dotted class)
{
    return p->token.kind == VISA_TOKEN_DOTTED && p->token.class == class;
}
/* Takes a sign, or not. */
bool visa_accept(struct visa_parser *p, char c);
/* Takes a sign; false: it was reported that another thing is there. */
bool visa_expect(struct visa_parser *p, char c);
/* Reports at a place, once a statement. Always false. */
bool visa_wrong_at(struct visa_parser *p, const char *code, uint32_t pos, uint32_t length, const char *format, ...)
    PRINTF_LIKE(5, 6);
/* Reports what was wanted at the next word, and what is there. Always false. */
bool visa_wanted(struct visa_parser *p, const char *wanted);
/* The same about a word that was read: code, "'%.*s' is no %s". Always false. */
bool visa_wrong_name(struct visa_parser *p, const struct visa_token *name, const char *code, const char *what);
void visa_warn(struct visa_parser *p, const char *code, uint32_t pos, uint32_t length, const char *format, ...)
    PRINTF_LIKE(5, 6);
bool visa_out_of_memory(struct visa_parser *p);

/* ---- names ------------------------------------------------------------------------------------------------ */

/* Starts the names of an object: predefined ones and strings. */
bool visa_names_start(struct visa_parser *p);
/* The name's entry, made where there is none; VISA_NONE: no memory. The text must outlive the module. */
uint32_t visa_named(struct visa_parser *p, const char *name, size_t length);
/* A string of the object, added where it is new. */
uint32_t visa_string(struct visa_parser *p, const char *text, size_t length);
/* What a name means now; NULL: nothing. */
const struct visa_symbol *visa_symbol(struct visa_parser *p, const char *name, size_t length);
/* The same for a word; where variables need no declaration it is made one of the space. */
const struct visa_symbol *visa_variable(struct visa_parser *p, const struct visa_token *name, enum visa_space space);
/* Declares a name: the variable to be filled in. NULL: it was reported why not. */
struct visa_var *visa_declare(struct visa_parser *p, const struct visa_token *name, enum visa_space space);
uint32_t visa_label(struct visa_parser *p, const char *name, size_t length, uint32_t pos, enum visa_label_kind kind,
                    bool function);
bool visa_scope_open(struct visa_parser *p);
bool visa_scope_close(struct visa_parser *p);

/* ---- parts ------------------------------------------------------------------------------------------------ */

/* Numbers. Where `<` and `>` may follow, they are not operators (visa_number_region). */
bool visa_number(struct visa_parser *p, int64_t *value);
bool visa_number_region(struct visa_parser *p, int64_t *value);
bool visa_number_sum(struct visa_parser *p, int64_t *value);
bool visa_number_unary(struct visa_parser *p, int64_t *value);
bool visa_number_primary(struct visa_parser *p, int64_t *value);
bool visa_number_operator(struct visa_parser *p, char operator, int64_t left, int64_t right, int64_t *value);
/* Digits, without more; within bounds. */
bool visa_digits(struct visa_parser *p, const char *what, uint64_t most, uint64_t *value);
/* Words of text to bytes; *length without the 0. NULL: no memory, or reported. */
const char *visa_literal(struct visa_parser *p, const struct visa_token *t, size_t *length);

bool visa_directive(struct visa_parser *p);
/* What an object gets at its end. */
bool visa_object_end(struct visa_parser *p);
/* A name or "a string": *text is in the arena or the source. */
bool visa_name_or_string(struct visa_parser *p, const char **text, size_t *length);

/* Classes of operands that a place takes: bits 1 << enum visa_class. */
bool visa_read_operand(struct visa_parser *p, struct visa_operand *op, unsigned classes, bool destination);
bool visa_read_raw(struct visa_parser *p, struct visa_operand *op);
bool visa_read_state(struct visa_parser *p, struct visa_operand *op, enum visa_space space);
bool visa_read_exec(struct visa_parser *p, uint8_t *exec);
bool visa_read_predicate(struct visa_parser *p, uint16_t *word);
/* name(0,0): a source whose region is understood */
bool visa_read_simple(struct visa_parser *p, struct visa_operand *op, unsigned region);

/* An instruction on its way. */
struct visa_reading {
    const struct visa_form *form;
    const struct visa_mnemonic *mnemonic;
    struct visa_token word; /* the mnemonic */
    bool saturate, predicated;
};
/* An operand of an instruction, after a dot or not. */
bool visa_read_field(struct visa_parser *p, const struct visa_reading *r, const struct visa_field *field, bool dotted,
                     struct visa_inst *inst);
bool visa_read_inst(struct visa_parser *p);
/* A composite of LSC's text. */
bool visa_read_lsc(struct visa_parser *p, const struct visa_form *form, const struct visa_piece *piece);
/* What LSC takes for a register: a name with its offset or without. */
bool visa_read_payload(struct visa_parser *p, struct visa_operand *op, bool null);

/* A new instruction of the object, of the row, with empty operands. NULL: no memory. */
struct visa_inst *visa_inst_add(struct visa_parser *p, const struct visa_form *form, const struct visa_token *at);

#endif

/* Inside the PTX parser: its state and what its files call of each other.
 *
 *   parse.c       the module: header, items, functions
 *   parse_body.c  the statements of a function body
 *   parse_insn.c  instructions and operands
 *   parse_expr.c  constant expressions
 *   parse_util.c  tokens, messages, recovery, stacks
 *   decl.c        declarations of variables and parameters
 *   init.c        initialisers
 *   location.c    .section and .loc
 *
 * Parse functions return false after a syntax error that they have reported; the caller drops the statement and
 * recovers. Errors of meaning (unknown names, bad sizes) are reported and parsing goes on.
 */
#ifndef ATOLL_ISA_PTX_PARSE_H
#define ATOLL_ISA_PTX_PARSE_H

#include "base/namemap.h"
#include "isa/ptx/ast.h"
#include "isa/ptx/lex.h"
#include "isa/ptx/names.h"

#include <string.h>

/* A growing array outside the arena; what was gathered is copied into the arena at its final size. */
struct stack {
    void *items;
    uint32_t count, capacity;
};

/* Words met before, found by their text; a later word may take the place of an earlier one. */
enum { MEMO_SLOTS = 512 };
struct memo {
    struct {
        uint32_t pos, length;
        uint32_t keyword;
        const struct ptx_row *row;
    } slots[MEMO_SLOTS];
};

/* .alias alias, target; */
struct alias {
    struct ptx_decl *alias, *target;
    struct span span; /* of the alias's name */
};

/* What .section and .loc name. */
struct place {
    uint32_t number[3]; /* file, line, column */
};
struct locations {
    struct namemap labels; /* of sections */
    struct stack uses;     /* struct span: labels that function_name wants */
    struct namemap places; /* of every .loc so far */
};

enum { NESTING = 256 }; /* of expressions and initialisers; scopes: SCOPES */

struct parser {
    struct arena *arena;
    struct diag *diag;
    struct ptx_module *module;
    ptx_body_fn *body_done; /* NULL: bodies are kept; else they are in `bodies`, one at a time */
    void *body_user;
    struct arena bodies;
    struct lexer lexer;
    struct token token; /* the next one, not consumed yet */
    uint32_t end;       /* end of the token consumed last */
    struct names names;
    struct ptx_func *func;
    struct stack items, funcs, stmts, operands, inits, decls, spans, aliases, files;
    struct stack pending; /* struct insn_operand *: uses of a name that may be a label further down */
    struct memo keywords, rows;
    struct locations locations;
    uint32_t nesting;
    uint32_t hint_budget;
    uint64_t expanded; /* variables declared with name<count> */
    bool unresolved;   /* an operand of this instruction names nothing yet */
    bool quiet;        /* skipping: bad tokens were covered by an earlier message */
    bool failed;       /* out of memory */
};

/* ---- parse_util.c ---- */
void next(struct parser *p);
static inline bool accept(struct parser *p, unsigned kind)
{
    if (p->token.kind != kind)
        return false;
    next(p);
    return true;
}
static inline const char *text_of(const struct parser *p, uint32_t pos)
{
    return p->module->source + pos;
}
/* Is the token the name or .directive `word`? (Inline: the length of a literal is known.) */
static inline bool is_word(const struct parser *p, const char *word)
{
    size_t length = strlen(word);
    return p->token.length == length && (p->token.kind == TOKEN_DOT || p->token.kind == TOKEN_NAME) &&
           memcmp(text_of(p, p->token.pos), word, length) == 0;
}
static inline struct span token_span(const struct parser *p)
{
    return (struct span){p->token.pos, p->token.length};
}
static inline struct span span_from(const struct parser *p, uint32_t pos)
{
    return (struct span){pos, p->end > pos ? p->end - pos : 0};
}
bool want(struct parser *p, unsigned kind, const char *what); /* accept or report "expected what" */
bool expected(struct parser *p, const char *what);            /* reports, false */
bool want_end(struct parser *p); /* the ';' of a statement; may be missing at the end of a line (reported) */
void complain(struct parser *p, struct span span, const char *code, const char *format, ...) PRINTF_LIKE(4, 5);
void warn(struct parser *p, struct span span, const char *code, const char *format, ...) PRINTF_LIKE(4, 5);
void name_unknown(struct parser *p, struct span name);
/* After a syntax error inside a statement or an item. */
void recover_statement(struct parser *p);
void recover_item(struct parser *p);
void skip_block(struct parser *p); /* at '{': past its '}' */

enum ptx_keyword find_keyword(struct parser *p, struct span word);
const struct ptx_row *find_row(struct parser *p, struct span word);

void *make(struct parser *p, size_t count, size_t size);        /* arena; NULL sets failed */
void *push(struct parser *p, struct stack *stack, size_t size); /* zeroed room for one more; NULL sets failed */
void *take(struct parser *p, struct stack *stack, uint32_t from, size_t size); /* [from..count) to the arena */

/* Declares decl under the name; reports "redeclared". */
void declare(struct parser *p, struct span name, struct ptx_decl *decl);

/* ---- parse_expr.c ---- */
struct value {
    uint8_t kind; /* INSN_INT, INSN_F32, INSN_F64; INSN_BAD: reported */
    bool is_unsigned, decimal;
    uint64_t bits;
};
bool parse_constant(struct parser *p, struct value *value);
bool parse_integer(struct parser *p, struct value *value); /* reports other kinds; bits are 0 then */
bool at_constant(const struct parser *p);                  /* does the token start a constant expression? */
void constant_operand(const struct value *value, struct insn_operand *out);

/* ---- parse_insn.c ---- */
bool parse_insn(struct parser *p, struct insn_operand *guard, bool negated, struct span name);
bool parse_guard(struct parser *p, struct insn_operand **guard, bool *negated);
bool parse_targets(struct parser *p, struct ptx_decl *decl, bool branches);
uint32_t name_length(const struct parser *p, const struct insn_operand *operand);
bool find_operand(struct parser *p, struct insn_operand *out); /* resolves the name token */

/* ---- parse_body.c ---- */
void parse_body(struct parser *p, struct ptx_func *func);

/* ---- decl.c ---- */
enum decl_place { PLACE_MODULE, PLACE_BODY, PLACE_ENTRY, PLACE_FUNC, PLACE_PROTO };
bool parse_variables(struct parser *p, enum decl_place place, unsigned linkage, uint32_t start);
/* (...) of an entry, a function or a prototype. */
bool parse_params(struct parser *p, enum decl_place place, struct ptx_decl ***params, uint32_t *count);

/* .attribute(.managed), .attribute(.unified(1, 2)): a .func may have the latter */
bool parse_attributes(struct parser *p, bool *managed, struct span *span);
void declare_params(struct parser *p, struct ptx_decl *const *params, uint32_t count);

/* ---- init.c ---- */
bool parse_init(struct parser *p, struct ptx_decl *decl);

/* ---- location.c ---- */
bool parse_section(struct parser *p, uint32_t start);
bool parse_loc(struct parser *p, struct span *span, struct ptx_loc *loc);
void settle_locations(struct parser *p); /* reports labels that no section has */
void free_locations(struct locations *l);

/* ---- parse.c ---- */
bool parse_prototype(struct parser *p, struct ptx_func *func);
void add_item(struct parser *p, enum ptx_item_kind kind, struct span span, struct ptx_decl *decl,
              struct ptx_func *func);

#endif

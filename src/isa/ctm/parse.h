/* Reading lines of CTM's text: what parse*.c, encode.c, statement.c and assemble.c share. */
#ifndef ATOLL_ISA_CTM_PARSE_H
#define ATOLL_ISA_CTM_PARSE_H

#include "isa/ctm/rows.h"
#include "isa/diag.h"

/* Where an output is named; length 0: nowhere. */
struct ctm_named {
    uint32_t at, length;
};

/* A line at hand. Comments are blanks by now. */
struct ctm_parser {
    struct diag *diag;
    const char *base, *at, *end; /* base: what places are counted from */
    bool bad;                    /* a mistake of this line was told */
    bool inside;                 /* of a program: statements and names of labels are allowed */
    struct ctm_named named[2];   /* the first output of the line: out0 to out3, umrt_* */
};

/* ---- operands --------------------------------------------------------------------------------------------- */

enum ctm_operand_kind {
    CTM_OPERAND_SOURCE, /* address[0] */
    CTM_OPERAND_SLOT,   /* src0, src1, src2, srcp: a select, whatever is there; and 0, 0.5, 1, which need no source */
    CTM_OPERAND_SRCP    /* presubtract of address[0] and address[1] */
};
struct ctm_operand {
    uint8_t kind, slot, srcp, mod;
    uint8_t letters, letter[CTM_CHANNELS]; /* the swizzle; 0: none is written */
    uint16_t address[2];
    uint32_t at, length;
};

/* What one unit does, or both alike. */
enum ctm_shape { CTM_SHAPE_EMPTY, CTM_SHAPE_MOVE, CTM_SHAPE_NAMED };
struct ctm_part {
    uint8_t shape;
    const char *name; /* of the operation */
    uint32_t length, at;
    uint8_t args;
    struct ctm_operand arg[CTM_ARGS];
    uint8_t wmask, omask; /* of four channels */
    uint16_t addrd;       /* with its REL in bit 7 */
    uint8_t target, omod, alu_op;
    bool output, cond, alu, alu_alpha, has_omod, clamp;
    uint8_t channels; /* of all destinations */
};

/* src(...): the sources as they lie. */
struct ctm_sources {
    bool given;
    uint16_t address[CTM_UNITS][CTM_SLOTS_OF_UNIT];
};

/* ---- lines ------------------------------------------------------------------------------------------------ */

enum ctm_statement {
    CTM_RAW, /* words as they are */
    CTM_IF,
    CTM_ELSE,
    CTM_ENDIF,
    CTM_LOOP,
    CTM_ENDLOOP,
    CTM_REP,
    CTM_ENDREP,
    CTM_BREAK,
    CTM_CONTINUE,
    CTM_CALL,
    CTM_RETURN,
    CTM_STATEMENTS
};
extern const char *const ctm_statement_names[CTM_STATEMENTS];

/* The truth tables of JUMP_FUNC: a condition that holds. Inverted: that it does not. */
enum { CTM_FUNC_NEVER = 0, CTM_FUNC_ALU = 0xf0, CTM_FUNC_PRED = 0xcc, CTM_FUNC_BOOL = 0xaa, CTM_FUNC_ALWAYS = 0xff };

struct ctm_line {
    struct ctm_inst inst;
    uint32_t mask[CTM_WORDS], value[CTM_WORDS]; /* what annotations put over it */
    uint8_t statement;                          /* enum ctm_statement */
    uint8_t func;                               /* its condition */
    const char *label;                          /* where it jumps to; NULL: none is named */
    uint32_t label_length, label_at, target;    /* target: what the label stands for, once that is known */
    uint32_t at, length, line;
    struct ctm_named named[2]; /* as the parser's */
};

/* Tells a mistake at the place where the parser is: what was wanted, what was read. Always false. */
bool ctm_wanted(struct ctm_parser *p, const char *what);
/* A mistake about a piece of the line that was read. */
bool ctm_wrong(struct ctm_parser *p, uint32_t at, uint32_t length, const char *format, ...) PRINTF_LIKE(4, 5);

void ctm_blanks(struct ctm_parser *p);
bool ctm_byte(struct ctm_parser *p, char c);              /* takes it, past blanks */
bool ctm_text(struct ctm_parser *p, const char *text);    /* takes these bytes, past blanks */
size_t ctm_name(struct ctm_parser *p, const char **name); /* the name that is here, not taken; 0: none */
bool ctm_word(struct ctm_parser *p, const char *word);    /* takes a whole name, in any case */
bool ctm_number(struct ctm_parser *p, uint32_t most, const char *what, uint32_t *value);
uint32_t ctm_place(const struct ctm_parser *p);

/* parse_operand.c */
bool ctm_parse_operand(struct ctm_parser *p, struct ctm_operand *operand);
bool ctm_parse_address(struct ctm_parser *p, uint16_t *address); /* r3, c[aL+2], {2.5} */
bool ctm_parse_temp(struct ctm_parser *p, uint16_t *address);    /* r3, r[aL+3] with REL in bit 7 */
bool ctm_parse_mask(struct ctm_parser *p, uint8_t *mask);        /* .rg, ._; nothing: all */
unsigned ctm_parse_letters(struct ctm_parser *p, uint8_t letter[CTM_CHANNELS], const char *allowed); /* after its dot */

/* parse_tex.c, parse_flow.c: each after its name. */
bool ctm_parse_tex(struct ctm_parser *p, unsigned op, const struct ctm_part *dest, struct ctm_line *line);
bool ctm_parse_fc(struct ctm_parser *p, struct ctm_line *line);
bool ctm_parse_statement(struct ctm_parser *p, enum ctm_statement statement, struct ctm_line *line);
/* (p.r | !p.a): the units' predicates. *both: two are written; else they are alike. */
bool ctm_parse_predicate(struct ctm_parser *p, struct ctm_inst *inst, bool *both);

/* parse.c: an instruction or statement, without labels before it; ends at the end of the line. */
bool ctm_parse_line(struct ctm_parser *p, struct ctm_line *line);

/* encode.c: parts (1: whichever units its destinations ask for; 2: RGB, alpha) to words. */
bool ctm_encode(struct ctm_parser *p, const struct ctm_part *parts, unsigned count, const struct ctm_sources *sources,
                struct ctm_inst *inst);

/* statement.c: words of the statements of a program, whose annotations are put on last. Mistakes are told. False: no
 * memory. */
bool ctm_statements(struct arena *arena, struct diag *diag, struct ctm_line *lines, uint32_t count);
/* The words of a statement, as the statement table has them (docs/ctm.md, "Statements"). */
struct ctm_flow_words {
    uint8_t func;  /* the condition that holds */
    uint8_t depth; /* BREAK, CONTINUE: of IFs within the loop */
    bool counts;   /* IF has an ELSE; CALL, RETURN: of a subroutine that has conditional calls */
    bool in_rep;   /* BREAK */
    uint32_t target;
};
void ctm_flow_words(enum ctm_statement statement, const struct ctm_flow_words *words, struct ctm_inst *inst);

#endif

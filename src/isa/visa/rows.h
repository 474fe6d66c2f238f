/* The instructions of vISA: one row a form. A row's fields are what follows its opcode in bytes; its text is how it is
 * written. Everything that reads or writes instructions walks these two (stream.c, print.c, parse_inst.c, lint.c).
 *
 * fields: words with blanks between, in the order of the bytes.
 *   E          execution byte                          P          predicate word
 *   =N         the byte N: one opcode, several rows    #          how many operands the list has that comes next
 *   role:KIND  an operand. Kinds:
 *     D V      vector operand: destination, source     R          raw operand
 *     W        V, written without its region           A          V, of a variable its address: &V32[4]
 *     S M      surface, sampler (a byte)                L          label (2 bytes)
 *     F        function, a string (2 bytes)             N          file, a string (4 bytes)
 *     LL RR    as many L, R as # (a byte) says           RT         what rt_write_3d's mode asks for
 *     name     a number; its words and size stand in visa_kinds (kinds.c)
 *
 * text: as it is written. {role} an operand; composites of several: {P} the predicate with its blank, {E} "(M1, 8)",
 * {sat} ".sat" of the destination, {cache} {shape} {address} {texel} {shape2d} {address2d} of LSC; a blank stands for
 * any blanks. NULL: the name and the operands in order, "{P}add{sat} {E} {dst} {a} {b}". Source: docs/visa.md, "Forms".
 */
#ifndef ATOLL_ISA_VISA_ROWS_H
#define ATOLL_ISA_VISA_ROWS_H

#include "isa/visa/visa.h"

/* What an instruction is; who asks wants to know more than its name. */
enum visa_is {
    VISA_IS_ALU = 1,    /* computes channel by channel */
    VISA_IS_LOGIC = 2,  /* may be of predicates */
    VISA_IS_MEMORY = 4, /* a message to memory */
    VISA_IS_ATOMIC = 8,
    VISA_IS_SURFACE = 16, /* texels: typed messages */
    VISA_IS_SAMPLER = 32,
    VISA_IS_FLOW = 64, /* may go elsewhere */
    VISA_IS_SYNC = 128,
    VISA_IS_LSC = 256,
    VISA_IS_DEBUG = 512,  /* says where code comes from; computes nothing */
    VISA_IS_MEDIA = 1024, /* VME, AVS and their like: read and written, never run */
    VISA_IS_BLOCK = 2048, /* moves whole blocks: ignores masks */
    VISA_IS_QUAD = 4096,  /* LSC: data are channels, not elements */
};

/* Every row: an enum constant, the name in text, the opcode, fields, text or NULL, what it is. rows.inc has the list.
 */
enum visa_row_id {
#define VISA_ROW(id, name, opcode, fields, text, is) VISA_ROW_##id,
#include "isa/visa/rows.inc"
#undef VISA_ROW
    VISA_ROWS
};

struct visa_row {
    const char *name;
    uint8_t opcode;
    const char *fields, *text;
    uint32_t is; /* enum visa_is */
};
extern const struct visa_row visa_rows[VISA_ROWS];

static inline enum visa_row_id visa_row_id(const struct visa_row *row)
{
    return (enum visa_row_id)(row - visa_rows);
}

/* ---- kinds of fields -------------------------------------------------------------------------------------- */

enum visa_field_code {
    VISA_FIELD_EXEC,
    VISA_FIELD_PREDICATE,
    VISA_FIELD_CONSTANT,
    VISA_FIELD_COUNT,
    VISA_FIELD_DESTINATION,
    VISA_FIELD_SOURCE,
    VISA_FIELD_RAW,
    VISA_FIELD_SURFACE,
    VISA_FIELD_SAMPLER,
    VISA_FIELD_LABEL,
    VISA_FIELD_FUNCTION,
    VISA_FIELD_FILE,
    VISA_FIELD_LABELS,
    VISA_FIELD_RAWS,
    VISA_FIELD_TARGETS,
    VISA_FIELD_NUMBER,
};

/* How a number is written. */
enum visa_style {
    VISA_STYLE_NONE,
    VISA_STYLE_BARE,    /* a source without its region */
    VISA_STYLE_ADDRESS, /* a source that means the address of its variable */
    VISA_STYLE_DECIMAL,
    VISA_STYLE_HEX,      /* 0x.. */
    VISA_STYLE_WORDS,    /* one of `words`, by its value */
    VISA_STYLE_CHANNELS, /* RGBA: bit 0 = R */
    VISA_STYLE_UNORM,    /* RGBA.16-full: channels and the layout of what sample_unorm gives */
    VISA_STYLE_ATOMIC,   /* add, add.16: bits 0-4 the operation, 5 and 6 the width */
    VISA_STYLE_FENCE,    /* letters of a fence's mask */
    VISA_STYLE_DPAS,     /* types and depths of dpas: s8.s8.8.8 */
    VISA_STYLE_OLD_EXEC, /* (M1, 8) as the first gathers have it: bits 0-3 0 = 8, 1 = 16, 2 = 1 channel; bits 4-7 mask
                          */
    VISA_STYLE_VARIABLE, /* a general variable's name */
    VISA_STYLE_LIFETIME, /* start, end */
    VISA_STYLE_TARGET,   /* .<SI><RTI>: options of rt_write_3d */
    VISA_STYLE_OWN,      /* a field that a composite of the text writes (print_lsc.c) */
};

struct visa_kind {
    const char *name;
    uint8_t code;  /* enum visa_field_code */
    uint8_t style; /* enum visa_style */
    uint8_t bytes; /* of numbers */
    uint8_t count; /* of words */
    const char *const *words;
    uint16_t since; /* version (10 * major + minor) that the field came with; before, it is 0 and takes no bytes */
};
extern const struct visa_kind visa_kinds[];
extern const unsigned visa_nkinds;
/* The bit of an option of rt_write_3d, "SI"; -1: there is none. */
int visa_target_option(const char *word, size_t length);
/* The option of a bit; NULL: none. */
const char *visa_target_word(unsigned bit);
/* Words that a number is written with; NULL where it is none of them. */
const char *visa_word(const struct visa_kind *kind, uint64_t value);

/* ---- compiled rows ---------------------------------------------------------------------------------------- */

struct visa_field {
    char role[12];
    const struct visa_kind *kind;
    uint8_t value;   /* of constants */
    uint8_t operand; /* in visa_inst.ops; of operands, and of # the list */
};

/* A piece of a row's text. */
enum visa_piece_code { VISA_PIECE_LITERAL, VISA_PIECE_BLANK, VISA_PIECE_FIELD, VISA_PIECE_OWN };
struct visa_piece {
    uint8_t code, field; /* index in fields */
    const char *text;    /* of literals, composites */
    uint8_t length;
};

enum { VISA_FIELDS = 28, VISA_PIECES = 48 };
struct visa_form {
    const struct visa_row *row;
    struct visa_field fields[VISA_FIELDS];
    struct visa_piece pieces[VISA_PIECES];
    uint8_t nfields, npieces, noperands;
    int8_t sub_at; /* where the constant stands, after the opcode; -1: none */
    uint8_t sub;
    uint8_t next; /* row + 1 of the same opcode; 0 = last */
};

struct visa_table {
    struct visa_form forms[VISA_ROWS];
    uint8_t of_opcode[256]; /* row + 1 of the first */
};

/* The rows, compiled once per process; NULL: no memory or, of a broken row, an internal error that says so. */
const struct visa_table *visa_table(struct atoll_error *error);

/* The form that an instruction in bytes is of, by its opcode and what tells rows of one opcode apart; NULL: none.
 * size: at least 1. */
const struct visa_form *visa_form_of(const struct visa_table *table, const uint8_t *bytes, size_t size);
/* The operand in a role; NULL: the form has none. */
const struct visa_operand *visa_operand(const struct visa_form *form, const struct visa_inst *inst, const char *role);
static inline const struct visa_form *visa_form(const struct visa_table *table, const struct visa_row *row)
{
    return &table->forms[row - visa_rows];
}

#endif

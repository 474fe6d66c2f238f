/* The table engine: an instruction form is one row, and everything that reads or writes bits or text reads that row -
 * decode, print, parse, encode, lint, the reference.
 *
 * A row has a bit picture (mask and value, bits that mean nothing) and a text picture, the template:
 *
 *     "@IADD{.X@43}{.SAT@50} {Rd@0}{.CC@47}, {Ra@8 -49}, {Rb@20 -48}"
 *
 *   @              the guard of the family, with its blank: "@!P0 " (nothing when it is always true)
 *   literal text   is written as it is; a blank stands for any blanks when text is read
 *   < ... >        written only when a field in it has another value than its default (=V)
 *   {KIND@BITS ...}  a field; {ROLE:KIND@BITS ...} one that code asks for by its role, a name of the family's list
 * (isa_role). A role that begins with a capital says its kind by it where no other is given: {Rd@0} is {Rd:R@0}; a
 * flag's role is its text, that of names their label or else the name of their list. BITS: "43", "20-38", "20-38,56"
 * (pieces, the first is the lowest); after '?' bits that only take part in the choice of a name and belong to another
 * field or to the row's mask: "41-42?10-11", "?52"
 *
 *   KIND           what is written
 *   .TEXT          TEXT when the bit is set; when it is clear if the bit is written "!48"
 *   name           an entry of the list of names called `name` (struct isa_names)
 *   label:name     the same; `label` tells several fields of one list apart, and may be a role
 *   x, d, s        number: hexadecimal, decimal, hexadecimal with sign (two's complement)
 *   t              target relative to the next instruction's address
 *   S              set of bit numbers: {5,4,0}
 *   other letters  the family's (isa_family.kinds): registers of its files, its constants, its addresses. Of Maxwell:
 *                  isa/sass/kinds.c
 *
 *   attributes, separated by blanks:
 *   -N |N ~N       bit N: minus, bars, inversion; of some kinds .NEG, .ABS, .INV after the number
 *   !N             bit N: "!" before a predicate
 *   .name@BITS     names written after the operand, inside its bars
 *   =V             default value, for < >
 *   *N             the field counts units of N
 *   +BITS          a second field of kinds that have one: the offset of an address
 *   rN             bit N says the mark of the family, where it is not the one that follows from the operand's place
 *   ^N             the register N above the one in the field, which need not be written down twice
 *
 * A field that occurs twice (same bits) must be written with the same value twice: FFMA32I's third source is Rd. Fields
 * of names may share bits (a type and the part of a register that the same bits choose) and may spell several values
 * alike: reading takes the lowest values that all fields of the row agree on. */
#ifndef ATOLL_ISA_TABLE_H
#define ATOLL_ISA_TABLE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/namemap.h"
#include "isa/reader.h"

enum {
    ISA_PARTS = 2,
    ISA_ROLES = 112 /* the most roles of a family */,
    ISA_TEXT = 512 /* bytes that the text of any instruction fits in */
};

/* An instruction's bits, bit n in part[n / 64]. Above those of the rows (isa_family.bits) a family may keep its own. */
struct isa_word {
    uint64_t part[ISA_PARTS];
};

enum isa_flag {
    ISA_OVER = 1,  /* specialises a row with fewer mask bits: a stated override */
    ISA_CLASS = 2, /* from here on: bits of the family, what the instruction is */
};

struct isa_row {
    const char *text;     /* template */
    uint64_t mask, value; /* what tells forms apart, in part 0 */
    uint64_t ignored;     /* bits that have no effect, in part 0 */
    uint16_t archs;       /* bit per architecture of the family */
    uint64_t flags;       /* enum isa_flag */
    const void *does;     /* the family's: what the instruction does; forms that do the same share it */
};

struct isa_list {
    const struct isa_row *rows;
    unsigned count;
};

struct isa_element;
struct isa_form;
struct isa_operand;
struct isa_parser;
struct isa_writer;

/* A register file of at most 256 numbers, and how they are written: in at most 7 bytes. */
struct isa_file {
    char prefix;        /* 'R': R0, R1 ... */
    uint16_t count;     /* numbers below this are written so */
    uint16_t special;   /* this one has a name of its own; ISA_NO_NUMBER */
    const char *name;   /* "RZ" */
    const char *past;   /* how any other number is written, and `count` read where there is no special one */
    const char *wanted; /* "a register R0..R254 or RZ" */
};

enum { ISA_NO_NUMBER = UINT16_MAX, ISA_FILES = 8 /* the most of a family */, ISA_PAST = 256 };

/* How each number of a file is written, and at ISA_PAST those past the last. */
struct isa_register_text {
    char bytes[7];
    uint8_t length;
};

enum isa_style {
    ISA_DECIMAL = 1, /* number: decimal, not hexadecimal */
    ISA_SIGNED = 2,  /* number: two's complement */
    ISA_EITHER = 4,  /* number without a sign that may be read with one */
    ISA_BEHIND = 8,  /* signs are written after it: .NEG .ABS .INV */
    ISA_MARKED = 16, /* may carry the mark of the family */
    ISA_REFUSES = 32 /* the special number of its file: no such instruction */
};

/* A kind of operands: a letter of templates. What the functions do for a kind that has none says table.h's beginning;
 * isa/kinds.h has what they are made of. */
struct isa_kind_row {
    char letter;
    uint8_t kind;  /* enum isa_kind */
    uint8_t width; /* of a field of which the template says no end */
    uint8_t style; /* enum isa_style */
    uint8_t flip;  /* register: these bits are inverted in the field */
    const struct isa_file *file;
    bool (*parse)(struct isa_parser *p, const struct isa_element *e);
    void (*print)(struct isa_writer *w, const struct isa_element *e, const struct isa_word *word);
    void (*value)(const struct isa_element *e, const struct isa_word *word, struct isa_operand *operand);
};

struct isa_family {
    const char *name;
    const struct isa_names *names;
    unsigned nnames;
    unsigned bits;       /* of a word that rows must account for */
    unsigned index_low;  /* decode looks rows up by the bits from here, of part 0 */
    unsigned index_bits; /* so many: at most 13 */
    const char *guard;   /* template of '@': "<@{P@16 !19 =7} >" */
    const struct isa_kind_row *kinds;
    unsigned nkinds;
    const char *mark; /* written after operands of a marked kind whose bit for it is set: ".reuse" */
    /* That bit, where the template says none; ISA_NONE. `e`: the `count` elements of the row so far, the last is asked.
     */
    uint8_t (*mark_bit)(const struct isa_row *row, const struct isa_element *e, unsigned count);
    const char *const *roles; /* names of roles from 1 on */
    unsigned nroles;          /* the last of them */
};

/* ---- compiled rows --------------------------------------------------------------------------------- */

struct isa_field {
    uint8_t pieces, width, owned; /* owned: pieces that belong to this field; the others only select names */
    struct {
        uint8_t low, width;
    } piece[4];
};

enum isa_kind {
    ISA_LITERAL,
    ISA_FLAG,
    ISA_NAME,
    ISA_REGISTER,
    ISA_PREDICATE,
    ISA_NUMBER,
    ISA_FLOAT,
    ISA_CONSTANT,
    ISA_ADDRESS,
    ISA_TARGET,
    ISA_SET,
    ISA_KINDS
};

enum { ISA_NONE = 255 /* no such bit */ };

struct isa_element {
    uint8_t kind;                /* enum isa_kind */
    char letter;                 /* of the template */
    uint8_t style;               /* enum isa_style */
    bool inverted;               /* flag: written when the bit is clear */
    uint8_t neg, abs, inv, not ; /* bit numbers, or ISA_NONE */
    uint8_t above;               /* ^N */
    uint8_t mark;                /* bit, or ISA_NONE */
    uint8_t group;               /* number of the < > it is in, from 1; 0 = none */
    uint8_t role;                /* number of the family's; 0 = none */
    uint8_t flip;                /* register: bits that are inverted in the field */
    bool refuses;                /* some values: no such instruction */
    uint16_t scale;
    uint32_t fallback;             /* =V */
    struct isa_field field, extra; /* extra: offset of an address, index register of a constant */
    struct isa_field suffix_field;
    bool has_fallback;
    uint16_t length;
    const char *text; /* literal or flag text, or the label */
    const struct isa_names *names;
    const struct isa_names *suffix;
    const struct isa_kind_row *how; /* of an operand */
    const struct isa_file *file;    /* of a register */
    const struct isa_register_text *registers;
};

struct isa_form {
    const struct isa_row *row;
    uint16_t number;       /* of the row, counted through the lists */
    uint16_t first, count; /* elements; the guard is a group of its own at the front */
    const char *mnemonic;  /* "SUATOM": leading letters of the template */
    uint16_t mnemonic_length;
    uint16_t refusing;       /* none of the elements from here on refuses a value */
    uint8_t role[ISA_ROLES]; /* its first element in a role, from 1; 0 = none */
};

struct isa_table {
    struct isa_family family;
    struct isa_form *forms;
    struct isa_element *elements;
    unsigned nforms, nelements;
    uint16_t *index;          /* by the bits of the index: starts into `order` */
    uint16_t *order;          /* form numbers, more mask bits first */
    uint16_t *by_name;        /* form numbers, sorted by mnemonic, then as in the rows */
    struct namemap mnemonics; /* the first of each in by_name */
    const struct isa_file *files[ISA_FILES];
    struct isa_register_text *registers[ISA_FILES]; /* of each file */
    unsigned nfiles;
    struct arena arena;
};

/* Compiles a family's rows, `nlists` lists of them. The error names the row and the place in its template. */
bool isa_open(const struct isa_family *family, const struct isa_list *lists, unsigned nlists, struct isa_table *table,
              struct atoll_error *error);
void isa_close(struct isa_table *table);

/* Orders forms by their mnemonics, as by_name holds them. */
int isa_mnemonic_compare(const struct isa_form *form, const char *name, size_t length);

/* Fields of several pieces: isa_get and isa_put call them. */
uint64_t isa_get_pieces(const struct isa_word *word, const struct isa_field *field);
void isa_put_pieces(struct isa_word *word, const struct isa_field *field, uint64_t value);

/* `width` ones at the bottom. */
static inline uint64_t isa_ones(unsigned width)
{
    return width < 64 ? (UINT64_C(1) << width) - 1 : ~UINT64_C(0);
}

static inline uint64_t isa_get(const struct isa_word *word, const struct isa_field *field)
{
    unsigned low = field->piece[0].low;
    return field->pieces == 1 ? word->part[low / 64] >> low % 64 & isa_ones(field->piece[0].width)
                              : isa_get_pieces(word, field);
}

static inline void isa_put(struct isa_word *word, const struct isa_field *field, uint64_t value)
{
    unsigned low = field->piece[0].low;
    uint64_t mask = isa_ones(field->piece[0].width) << low % 64, *part = &word->part[low / 64];
    if (field->pieces == 1)
        *part = (*part & ~mask) | (value << low % 64 & mask);
    else
        isa_put_pieces(word, field, value);
}

/* Whether an operand's signs are written after it, as .NEG .ABS .INV. */
static inline bool isa_says_behind(const struct isa_element *e)
{
    return e->style & ISA_BEHIND;
}

static inline unsigned isa_bit(const struct isa_word *word, unsigned bit)
{
    return (unsigned)(word->part[bit / 64] >> (bit % 64)) & 1;
}

/* The form that a word belongs to on an architecture (its bit number), or NULL. *why, when not NULL, tells the reason
 * in a few words. A form whose names refuse the word is no form. */
const struct isa_form *isa_find(const struct isa_table *table, const struct isa_word *word, unsigned arch,
                                const char **why);

/* Writes the text of a word, terminated; returns its length. `address`: of the instruction, for targets. */
size_t isa_print(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word,
                 uint64_t address, char out[ISA_TEXT]);

/* A name that is in the text instead of a number: that of the operand whose field, or whose offset's field, begins
 * at bit `low` - target, immediate, constant (bank and offset), offset of an address. */
struct isa_spelled {
    unsigned low;
    const char *text;
    size_t length;
};
/* Blanks at the end stay where a kind wrote them (isa_writer.kept). */
size_t isa_print_spelled(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word,
                         uint64_t address, const struct isa_spelled *spelled, char out[ISA_TEXT]);

/* Where a branch goes; false: the form has no target. */
bool isa_target(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word,
                uint64_t address, uint64_t *to);

/* Reads one instruction (no label, no comment; a final ';' is taken). Bits that are ignored come out 0 and bits of
 * *word that the row does not own stay. */
const struct isa_form *isa_parse(const struct isa_table *table, const char *text, size_t length, unsigned arch,
                                 uint64_t address, struct isa_word *word, struct isa_mistake *mistake);

/* ---- what lowering and checks read ------------------------------------------------------------------ */

/* The first element of a form in a role of the family; NULL = none. */
static inline const struct isa_element *isa_role(const struct isa_table *table, const struct isa_form *form,
                                                 unsigned role)
{
    return form->role[role] ? &table->elements[form->first + form->role[role] - 1] : NULL;
}

/* The number of a register (without ^N) or predicate. */
static inline unsigned isa_number(const struct isa_element *e, const struct isa_word *word)
{
    return (unsigned)isa_get(word, &e->field) ^ e->flip;
}

/* Whether an instruction is all that these bits of the rows' flags say; any of it. */
static inline bool isa_all(const struct isa_form *form, uint64_t flags)
{
    return (form->row->flags & flags) == flags;
}
static inline bool isa_any(const struct isa_form *form, uint64_t flags)
{
    return (form->row->flags & flags) != 0;
}

/* Whether the flag in a role is in the word (false also when the form has none). */
static inline bool isa_has(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word,
                           unsigned flag)
{
    const struct isa_element *e = isa_role(table, form, flag);
    return e && (isa_get(word, &e->field) != 0) != e->inverted;
}
/* Value of the field of names in a role; `otherwise` when the form has none. */
static inline unsigned isa_value(const struct isa_table *table, const struct isa_form *form,
                                 const struct isa_word *word, unsigned label, unsigned otherwise)
{
    const struct isa_element *e = isa_role(table, form, label);
    return e ? (unsigned)isa_get(word, &e->field) : otherwise;
}
/* The text of the same: ".LT", "" when nothing is written or there is no such field. */
const char *isa_spelling(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word,
                         unsigned label);

/* An operand of a word: a register, predicate, number, constant, address, target or set of the template, in order
 * (guard, flags, names and literals are none). */
struct isa_operand {
    uint8_t kind; /* enum isa_kind */
    char letter;
    bool neg, abs, inv, not ;
    uint8_t reg;     /* register or predicate (past the last: the special number of its file); base of an address, index
                        of a constant (255 = none) */
    uint8_t bank;    /* constant */
    int64_t value;   /* number (sign-extended where it is signed), offset of constant or address in bytes, set, target
                        address, bits of a floating-point number */
    unsigned suffix; /* value of the names after the operand */
    const struct isa_names *suffix_names;
    bool defaulted; /* in a < > and not written */
};
unsigned isa_operands(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word,
                      uint64_t address, struct isa_operand *operands, unsigned room);

/* Proves on the rows: no bit of a word unnamed, no bit named twice, no two rows for one word unless one says ISA_OVER,
 * every modifier spelling read back as what was written. Adds a line for each break; returns their count. */
struct text;
unsigned isa_lint(const struct isa_table *table, struct text *report);

#endif

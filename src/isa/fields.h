/* The field engine: instructions that are an opcode byte and fields one after the other, each as long as it says
 * itself. A form is one row, and everything that reads or writes bytes or text reads that row - decode, print, parse,
 * lint. (Instructions that are words of bits: table.h.)
 *
 * A row has a layout, the fields behind the opcode in their order, and a text picture, the template:
 *
 *     layout  "op:b E P S U:R V:R R lod:R src0:R src1:R dst:R"
 *     text    "{P}typed_atomic{atomic@op:0-4}{.16@op:5} {E} {S} {U} {V} {R} {lod} {src0} {src1} {dst}"
 *
 * Layout, fields separated by blanks: ROLE:KIND, or KIND alone, which is its own name. KIND is a letter of the family's
 * table of kinds, ROLE a name of its list of roles, by which code asks for the field (fields_role). Behind the kind:
 *
 *   =N             the number N and no other; tells rows with one opcode apart. Not written in the text
 *   *NAME          as many of them as the field NAME before it, a number, says. That number is not written in the text
 *
 * Template:
 *
 *   literal text   is written as it stands; a blank stands for any blanks when text is read
 *   {NAME}         the field, as its kind writes it
 *   {NAME*SEP}     a repeated one: SEP, up to the '}', stands between
 *   {.TEXT@NAME:N} TEXT when bit N of the field is set; when it is clear if the bit is written "!N"
 *   {list@NAME:L-H}, {list@NAME:N}, {list@NAME}
 *                  an entry of the list of names called `list` (struct isa_names), chosen by these bits of the field,
 *                  or by the whole number. Bit n of a field is bit n % 8 of its byte n / 8, n < 64
 *   < ... >        written only when something in it has another value than its default, {...=V}, 0 where none is
 * given. Only numbers and bits can stand in it
 *
 * The mnemonic are the letters that the template begins with, behind a field where it begins with one (the guard).
 * The value of a field is its bytes: nothing is unpacked, nothing is lost. */
#ifndef ATOLL_ISA_FIELDS_H
#define ATOLL_ISA_FIELDS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/namemap.h"
#include "isa/reader.h"

struct text;

enum {
    FIELDS_MOST = 32,   /* fields of a row */
    FIELDS_ROLES = 64,  /* the most roles of a family */
    FIELDS_BYTES = 16,  /* the most bytes of one field */
    FIELDS_SIZE = 2048, /* the most bytes of an instruction that is read from text */
};

/* What stands in a field. `context` is what the caller gives: the names of a module's variables, the version of its
 * format. A number (bytes != 0) is little endian and needs no functions: it is written in decimal. */
struct fields_kind {
    char letter;
    uint8_t bytes;    /* that it always takes; 0: `size` says */
    uint64_t spared;  /* bits that print and parse leave to the template: {list@NAME:3-5} beside {NAME} */
    const char *what; /* "an operand": in messages */
    /* The bytes that the field at `bytes` takes, where `left` can be read. More than `left`: it is cut off. Of no field
     * that there can be, *wrong is set to the reason ("its class is 7"). A kind that always takes the same may have it
     * for that reason; it is then called with as many bytes. */
    size_t (*size)(void *context, const uint8_t *bytes, size_t left, const char **wrong);
    void (*print)(void *context, const uint8_t *bytes, size_t size, struct text *out);
    /* Reads it from text; false after reader_wanted. */
    bool (*parse)(void *context, struct isa_reader *in, uint8_t bytes[FIELDS_BYTES], size_t *size);
    /* For lint: makes a field from noise that print writes and parse reads back to the byte, bits that are spared
     * aside; its size. NULL: any number. */
    size_t (*sample)(void *context, uint64_t noise, uint8_t bytes[FIELDS_BYTES]);
};

struct fields_row {
    uint8_t opcode;
    const char *layout, *text;
    uint16_t archs; /* bit per architecture of the family */
    uint32_t flags; /* bits of the family: what the instruction is */
};

struct fields_list {
    const struct fields_row *rows;
    unsigned count;
};

struct fields_family {
    const char *name;
    const struct fields_kind *kinds;
    unsigned nkinds;
    const struct isa_names *names;
    unsigned nnames;
    const char *const *roles; /* names of roles from 1 on */
    unsigned nroles;          /* the last of them */
    /* Where the mnemonic begins behind a guard, which is read like a field of the row later. NULL: there are none. */
    const char *(*past_guard)(const char *at, const char *end);
};

/* ---- compiled rows --------------------------------------------------------------------------------- */

enum { FIELDS_NONE = 255 /* no such field */ };

struct fields_field {
    const struct fields_kind *kind;
    const char *name; /* in the layout, not terminated */
    uint8_t name_length;
    uint8_t role;  /* number of the family's; 0 = none */
    uint8_t count; /* the field that says how many; FIELDS_NONE = one */
    bool fixed, counts;
    uint64_t value; /* of a fixed one */
};

enum fields_what { FIELDS_LITERAL, FIELDS_FIELD, FIELDS_NAME, FIELDS_FLAG };

struct fields_element {
    uint8_t what;       /* enum fields_what */
    uint8_t field;      /* of the row */
    uint8_t low, width; /* bits of the field */
    uint8_t group;      /* number of the < > it is in, from 1; 0 = none */
    bool inverted;      /* flag: written when the bit is clear */
    const struct isa_names *names;
    const char *text; /* literal, flag, separator */
    uint16_t length;
    uint64_t fallback; /* =V */
};

struct fields_form {
    const struct fields_row *row;
    const char *mnemonic; /* not terminated */
    uint16_t mnemonic_length;
    uint16_t nfields, nelements;
    const struct fields_field *fields;
    const struct fields_element *elements;
    uint8_t role[FIELDS_ROLES]; /* the first field in a role, from 1; 0 = none */
};

struct fields_table {
    struct fields_family family;
    struct fields_form *forms;
    unsigned nforms;
    uint16_t index[257];      /* by opcode: starts into `order` */
    uint16_t *order;          /* form numbers by opcode, then as in the rows */
    uint16_t *by_name;        /* form numbers by mnemonic, then as in the rows */
    struct namemap mnemonics; /* the first of each in by_name */
    struct arena arena;
};

/* Compiles a family's rows. The error names the row and the place in it. */
bool fields_open(const struct fields_family *family, const struct fields_list *lists, unsigned nlists,
                 struct fields_table *table, struct atoll_error *error);
void fields_close(struct fields_table *table);

/* ---- instructions ---------------------------------------------------------------------------------- */

/* An instruction where it lies in the bytes that it was read from. */
struct fields_insn {
    const struct fields_form *form;
    const uint8_t *bytes;
    size_t size;
    uint16_t at[FIELDS_MOST + 1]; /* where each field begins, from `bytes`; the last ends at `size` */
};

/* Reads the instruction at bytes[at]. `arch` is a bit number of the rows' archs. Errors say the byte, counted from
 * `bytes`, and what was wanted there: "byte 414: src0 of typed_atomic (at byte 384) wants 6 bytes, 2 are left". */
bool fields_decode(const struct fields_table *table, unsigned arch, void *context, const uint8_t *bytes, size_t size,
                   size_t at, struct fields_insn *insn, struct atoll_error *error);

/* Adds the text of an instruction. */
void fields_print(const struct fields_table *table, void *context, const struct fields_insn *insn, struct text *out);

/* Reads one instruction (no label, no comment) and adds its bytes to `out`. NULL: `mistake` says where and why it is
 * none. */
const struct fields_form *fields_parse(const struct fields_table *table, unsigned arch, void *context, const char *text,
                                       size_t length, struct text *out, struct isa_mistake *mistake);

/* A field's bytes, by its role; NULL: the form has none, or none of a repeated one. */
const uint8_t *fields_role(const struct fields_insn *insn, unsigned role, size_t *size);
/* A number of at most 8 bytes; `otherwise` where the form has none. */
uint64_t fields_number(const struct fields_insn *insn, unsigned role, uint64_t otherwise);
/* The size of the first of the repeated fields that begin at `bytes` (fields_role): to walk from one to the next. */
size_t fields_step(const struct fields_insn *insn, unsigned role, void *context, const uint8_t *bytes, size_t left);

/* Proves on the rows: opcodes and fixed numbers tell all of them apart, every field is written once and every bit of
 * it, every text is read back to the same bytes, and no instruction is read of less than all of its bytes. Adds a line
 * for each break; returns their count. `context`: with which `sample` of the kinds makes fields. */
unsigned fields_lint(const struct fields_table *table, void *context, struct text *report);

/* ---- for the engine's own files -------------------------------------------------------------------- */

/* `low`, `width` of a field as a number; 0 where it has no such bytes. */
uint64_t fields_bits(const uint8_t *bytes, size_t size, unsigned low, unsigned width);
/* Bytes of one field: as kind->size, for kinds of fixed size too. */
size_t fields_size(const struct fields_kind *kind, void *context, const uint8_t *bytes, size_t left,
                   const char **wrong);

#endif

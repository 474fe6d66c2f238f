/* A form of Maxwell taken apart: how it is written and which bits are whose. The reference and `atoll explain` say the
 * same because both read this. */
#ifndef ATOLL_ISA_SASS_PARTS_H
#define ATOLL_ISA_SASS_PARTS_H

#include "base/text.h"
#include "isa/table.h"

enum { SASS_PART_TEXT = 56, SASS_PARTS = 64 };

enum sass_part_role {
    PART_GUARD,
    PART_VALUE,  /* the element itself: a register's number, the value of a name, a flag */
    PART_OFFSET, /* second field of an address or constant */
    PART_SUFFIX, /* names after an operand */
    PART_SIGN,   /* minus, bars, inversion, ! */
};

/* Bits that belong together. */
struct sass_part {
    char name[SASS_PART_TEXT];
    const struct isa_element *element;
    enum sass_part_role role;
    struct isa_field field; /* the bits that are its own: pieces from the lowest */
};

/* All parts of a form but opcode and ignored bits, in the order of the text; `parts` has room for SASS_PARTS. */
unsigned sass_parts(const struct isa_table *table, const struct isa_form *form, struct sass_part *parts);

/* Index of the first element after the guard. */
unsigned sass_behind_guard(const struct isa_table *table, const struct isa_form *form);

/* "Rd", "[Ra+simm24]": what an operand is called, without its signs. */
void sass_operand_name(const struct isa_element *element, char out[SASS_PART_TEXT]);

/* "IADD{.SAT}{.X} Rd{.CC}, {-}Ra, {-}Rb" */
void sass_form_syntax(const struct isa_table *table, const struct isa_form *form, struct text *out);

/* "50 52 53" from the bits of a row's archs. */
void sass_archs_write(unsigned archs, struct text *out);

/* "63-51 0101110000010, 50 .SAT, ..., 7-0 Rd" */
void sass_bits_write(const struct isa_table *table, const struct isa_form *form, struct text *out);

#endif

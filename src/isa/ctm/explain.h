/* What is told of R580's words: explain, list, the reference, and the proof of the rows. */
#ifndef ATOLL_ISA_CTM_EXPLAIN_H
#define ATOLL_ISA_CTM_EXPLAIN_H

#include "isa/ctm/rows.h"
#include "isa/family.h"

/* Names that only this family has (OP_RGB_MAD, TEX_INST_LOOKUP, RGB_WMASK), and lines that begin as its programs do. */
bool ctm_explains(const char *instruction);
/* A name of an operation, a field or a statement; a line of text; six words in hexadecimal. */
bool ctm_explain(const char *instruction, unsigned machine, struct arena *arena, struct family_explained *found,
                 struct atoll_error *error);
void ctm_list(unsigned flags, struct text *out);

/* Proves the rows (struct family_code's `lint`); the rows are data: `rows` is not read. Returns how many there are. */
unsigned ctm_lint(const void *rows, struct text *out, unsigned *breaks);

/* ---- means.c ---------------------------------------------------------------------------------------------- */

/* What a field is, in a line; what its values are called: NULL where they are numbers. */
const char *ctm_field_means(enum ctm_field field);
const char *const *ctm_field_values(enum ctm_field field);
/* Bits of a word that no field of the type has, by the guide or the registers' description. */
uint32_t ctm_reserved_bits(enum ctm_type type, unsigned word);
/* A choice that stands behind a row, where its sources leave one; NULL: none. `name`: of an operation, field or
 * statement, as the guide has it. */
const char *ctm_choice(const char *name);

#endif

/* Writes instructions from rows: a form with given modifiers, with plausible operands. The reference, `explain` and the
 * generators of test modules use it. */
#ifndef ATOLL_ISA_PTX_SAMPLE_H
#define ATOLL_ISA_PTX_SAMPLE_H

#include "base/text.h"
#include "isa/ptx/row.h"

/* Declarations that a function needs for the samples in it, and the module above it: text without a line end. */
extern const char ptx_sample_module[];   /* variables: G (global), S (shared), C (const) */
extern const char ptx_sample_function[]; /* registers; a parameter `param` and a label LB are expected around */

/* "add.sat.s32 %r1, %r2, %r3;" for words in the given order. False: the pattern's operands have no notation. */
bool ptx_sample(const struct ptx_row *row, const struct ptx_pattern *pattern, const uint16_t *mods, unsigned nmods,
                struct text *out);

/* The `number`-th choice of words for a pattern, in order of its slots (optional slots may stay empty); false past the
 * last. mods has room for INSN_MODS. */
bool ptx_sample_choice(const struct ptx_pattern *pattern, uint64_t number, uint16_t *mods, unsigned *nmods);

#endif

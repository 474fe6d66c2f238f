/* Statements in programs of words, for the printer. */
#ifndef ATOLL_ISA_CTM_RECOVER_H
#define ATOLL_ISA_CTM_RECOVER_H

#include "isa/ctm/parse.h"

/* lines[0..ninsts), zeros: the statement that each instruction is, with its condition, and in `inst` the words that the
 * assembler gives it there. CTM_RAW: none. False: no memory. */
bool ctm_recover(struct arena *arena, const struct ctm_program *program, struct ctm_line *lines);
/* `inst`, a line of this statement as it is read alone, with what its place gives it. */
void ctm_expected(const struct ctm_line *line, const struct ctm_inst *inst, struct ctm_inst *expected);

#endif

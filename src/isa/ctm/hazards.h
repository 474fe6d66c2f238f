/* What a CTM program uses before it is there: docs/ctm.md, "Hazards". */
#ifndef ATOLL_ISA_CTM_HAZARDS_H
#define ATOLL_ISA_CTM_HAZARDS_H

#include "base/text.h"
#include "isa/ctm/ctm.h"

/* Adds a line for each, and their number to *count. False: no memory. */
bool ctm_hazards(const struct ctm_program *program, struct text *out, unsigned *count);

#endif

/* The rules of the guide, held against a CTM program: docs/ctm.md, "Checks". */
#ifndef ATOLL_ISA_CTM_CHECK_H
#define ATOLL_ISA_CTM_CHECK_H

#include "isa/ctm/ctm.h"
#include "isa/diag.h"

/* What becomes of broken rules. The device does not look at them: a program is run, and assembled, all the same. */
enum ctm_verdict {
    CTM_VERDICT_RUN,   /* warnings; what the guide only advises is not told */
    CTM_VERDICT_CHECK, /* errors; what it advises warnings */
    CTM_VERDICT_STRICT /* both errors */
};

/* Reports to `diag`, whose source is the program's text or NULL. Where control leaves the code it is an error in any
 * case. False: no memory, there is no verdict. */
bool ctm_check(const struct ctm_program *program, enum ctm_verdict verdict, struct diag *diag);

#endif

/* Between the files of the checker. */
#ifndef ATOLL_ISA_CTM_CHECK_INNER_H
#define ATOLL_ISA_CTM_CHECK_INNER_H

#include "isa/ctm/check.h"
#include "isa/ctm/effects.h"

#define CHECK_PROGRAM UINT32_MAX /* of no instruction */

struct check {
    const struct ctm_program *program;
    struct diag *diag;
    enum ctm_verdict verdict;
    struct arena arena;
    struct ctm_effects *effects; /* of each instruction */
    uint32_t *pos;               /* where its line begins in the text */
};

/* `at`: the instruction, or CHECK_PROGRAM. Broken: it cannot run; error: a rule; warn: advice. */
void rule_broken(struct check *c, uint32_t at, const char *code, const char *format, ...) PRINTF_LIKE(4, 5);
void rule_error(struct check *c, uint32_t at, const char *code, const char *format, ...) PRINTF_LIKE(4, 5);
void rule_warn(struct check *c, uint32_t at, const char *code, const char *format, ...) PRINTF_LIKE(4, 5);

void ctm_check_notes(struct check *c); /* check_notes.c: program information and notes, against what is used */
bool ctm_check_depth(struct check *c); /* check_depth.c: stacks, loops, calls, where control ends; false: no memory */
bool ctm_check_semaphore(struct check *c); /* check_sem.c; false: no memory */

#endif

/* What the files of the verifier share. */
#ifndef ATOLL_LANE_VERIFY_H
#define ATOLL_LANE_VERIFY_H

#include "lane/lane.h"

/* Where the verifier is. func is NULL outside of functions, inst is NULL outside of instructions. */
struct verifier {
    const struct lane_module *module;
    const struct lane_func *func;
    const struct lane_inst *inst;
    uint32_t block;
    struct atoll_error *error;
};

/* Fills the error with the place and what is wrong there. Always returns false. */
bool verify_fail(const struct verifier *v, const char *format, ...) PRINTF_LIKE(2, 3);

/* An access descriptor against the instruction that uses it: its fields and the operand counts that follow
 * (verify_access.c). */
bool verify_access(const struct verifier *v);

#endif

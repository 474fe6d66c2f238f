/* A kernel and the functions that it reaches as one object. */
#ifndef ATOLL_ISA_VISA_MERGE_H
#define ATOLL_ISA_VISA_MERGE_H

#include "isa/visa/visa.h"

struct visa_merged_function {
    const struct visa_object *object;
    uint32_t label; /* of the subroutine that it has become */
};

struct visa_merged {
    const struct visa_object *object; /* the kernel itself, where it reaches none */
    struct visa_merged_function *functions;
    unsigned count;
};

/* False: no memory. */
bool visa_merge(struct arena *arena, const struct visa_module *module, const struct visa_object *kernel,
                struct visa_merged *merged);
/* The number of a function by its name; merged->count: there is none. */
unsigned visa_merged_function(const struct visa_merged *merged, const char *name);
/* The operand that names a function, of fcall and faddr; else NULL. */
const struct visa_operand *visa_called(const struct visa_inst *inst);

#endif

/* Parts of the launch that share: launch.c, and what an ABI adds. */
#ifndef ATOLL_ISA_VISA_LAUNCH_INNER_H
#define ATOLL_ISA_VISA_LAUNCH_INNER_H

#include "isa/visa/launch.h"
#include "lane/lane.h"

struct launcher {
    struct arena *arena; /* of the call */
    const struct visa_object *object;
    const struct atoll_module_options *options;
    const struct visa_used *used;
    struct lane_builder *b;
    struct visa_launch *out;
    struct atoll_error *error;
    uint32_t bytes; /* of the parameter space so far */
};

/* Appends a parameter of `count` elements; *at gets its place. `source` may be NULL. Names are copied. All parameters
 * are made before any other room is taken. */
bool launch_param(struct launcher *l, const char *name, const char *source, const char *type, uint32_t size,
                  uint32_t align, uint32_t count, uint32_t *at);
/* An input as a parameter of its own name and type. */
bool launch_input(struct launcher *l, uint32_t index);
/* The parameters "bti1", "sampler0" of what is named and has no place yet. */
bool launch_slots(struct launcher *l);
/* Lanes of a hardware thread; `given`: what a description says, 0: nothing. */
bool launch_simd(struct launcher *l, unsigned given);
/* The name of an input, and a type of the command line for its variable. */
const char *launch_input_name(const struct launcher *l, uint32_t index);
const char *launch_input_type(const struct launcher *l, uint32_t index, uint32_t *bytes);

#endif

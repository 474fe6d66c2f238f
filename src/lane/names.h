/* Names of the lane program's enums: one table for the verifier (is this value in range?), the printer and the parser.
 */
#ifndef ATOLL_LANE_NAMES_H
#define ATOLL_LANE_NAMES_H

#include "lane/lane.h"

/* names[value] is the name of a value; NULL = no such value. */
struct lane_names {
    const char *const *names;
    unsigned count;
};

extern const struct lane_names lane_round_names, lane_cmp_names, lane_flag_names, lane_space_names, lane_atomic_names,
    lane_order_names, lane_scope_names, lane_dim_names, lane_clamp_names, lane_unit_names, lane_symbol_names,
    lane_token_names, lane_word_names;

/* The values that lane_inst.mode may have, NULL if the operation has no mode. */
const struct lane_names *lane_mode_names(enum lane_op op);

/* NULL when there is no such value. */
const char *lane_name(const struct lane_names *names, unsigned value);

#endif

/* What the words of Maxwell mean: the texts of `atoll explain`. Those of instructions are in the rows. */
#ifndef ATOLL_ISA_SASS_MEANING_H
#define ATOLL_ISA_SASS_MEANING_H

#include "isa/table.h"

/* What a value of a list of names, or a flag, says. NULL: nothing is known beyond its name. */
const char *sass_value_meaning(const struct isa_names *names, uint64_t value);
const char *sass_flag_meaning(const struct isa_element *e);

#endif

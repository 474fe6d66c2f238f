/* What an instruction must keep to beyond its encoding: the vendor's disassembler prints many words that the
 * instruction reference forbids. */
#ifndef ATOLL_ISA_SASS_RULES_H
#define ATOLL_ISA_SASS_RULES_H

#include "isa/sass/sass.h"

/* Whether a word keeps the rules; else what they want (mistake->wanted; mistake->at is 0). */
bool sass_rules(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word,
                struct isa_mistake *mistake);

#endif

/* What the words of Maxwell mean: the texts of `atoll explain`. Those of instructions stand in the rows. */
#ifndef ATOLL_ISA_SASS_MEANING_H
#define ATOLL_ISA_SASS_MEANING_H

#include <stddef.h>

/* What a value of the list `list` says: "TRAP" of "clamp" (spelling without its first dot). NULL: nothing is
 * known beyond its name. */
const char *sass_word_meaning(const char *list, const char *spelling, size_t length);

#endif

/* What the instructions and words of Maxwell mean: the texts of `atoll explain`. */
#ifndef ATOLL_ISA_SASS_MEANING_H
#define ATOLL_ISA_SASS_MEANING_H

#include <stdbool.h>
#include <stddef.h>

struct sass_meaning {
    const char *mnemonic;
    const char *summary;
    const char *effect; /* formulas and rules, lines with '\n' between them */
    const char *source; /* headings of docs/maxwell.md */
    bool idle;          /* assembled and disassembled, but a launch that reaches it stops */
};

/* Of every mnemonic of the rows; NULL for others. */
const struct sass_meaning *sass_meaning_find(const char *mnemonic, size_t length);
/* The entries in alphabetical order; NULL past the end. */
const struct sass_meaning *sass_meaning_at(unsigned index);

/* What a value of the list `list` says: "TRAP" of "clamp" (words.c; spelling without its first dot). NULL: nothing is
 * known beyond its name. */
const char *sass_word_meaning(const char *list, const char *spelling, size_t length);

#endif

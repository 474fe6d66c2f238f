/* "did you mean": the word that is nearest to one that nothing is called. */
#ifndef ATOLL_BASE_NEAREST_H
#define ATOLL_BASE_NEAREST_H

#include "base/error.h"

enum { NEAREST_LONGEST = 63 /* longer words are not compared */ };

struct nearest {
    const char *word; /* what was given */
    size_t length;
    char found[NEAREST_LONGEST + 1]; /* "": nothing is near enough */
    unsigned distance;
};

struct nearest nearest_to(const char *word, size_t length);
/* One of the words that there are (NULL: none); of equally near ones the first stays. */
void nearest_try(struct nearest *nearest, const char *candidate);
/* " (did you mean 'out'?)", "" where no word is near. */
enum { NEAREST_HINT = NEAREST_LONGEST + 24 };
void nearest_hint(const struct nearest *nearest, char hint[NEAREST_HINT]);
/* Puts " (did you mean 'out'?)" behind the error's message, if a word is near. Always false. */
bool error_nearest(struct atoll_error *error, const struct nearest *nearest);

#endif

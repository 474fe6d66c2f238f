/* Names of C++ functions as compilers write them for linkers: _ZN2ns4fillIfEEvPT_i is ns::fill<float>. */
#ifndef ATOLL_BASE_MANGLED_H
#define ATOLL_BASE_MANGLED_H

#include <stdbool.h>

#include "base/arena.h"

/* The name of the function, with namespaces and template arguments, without parameters; in the arena. NULL: the symbol
 * is not mangled, or not understood. */
const char *mangled_name(struct arena *arena, const char *symbol);

/* Whether `name` means the function called `full` (by mangled_name): all of it or what follows a "::", with or without
 * its template arguments. Blanks do not count, nor does "void " before it. */
bool mangled_is(const char *full, const char *name);
/* Tries each of the names that mean it. */
struct nearest;
void mangled_nearest(const char *full, struct nearest *nearest);

#endif

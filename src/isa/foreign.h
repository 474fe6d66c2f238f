/* Files of a kind that no family reads, but that are easily given in place of one. */
#ifndef ATOLL_ISA_FOREIGN_H
#define ATOLL_ISA_FOREIGN_H

#include "base/error.h"

/* What the bytes are, and what makes a module of them: "CUDA C++: nvcc -ptx makes PTX of it"; NULL: nothing is known
 * against them. Of text that a family takes nothing is said. */
const char *foreign_kind(const char *bytes, size_t size);
/* False, with an error that says so, where they are such a file; `file`: NULL where the caller says it. */
bool foreign_refuse(const char *file, const char *bytes, size_t size, struct atoll_error *error);

#endif

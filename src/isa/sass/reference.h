/* Lists of the instructions of Maxwell, made from the rows. */
#ifndef ATOLL_ISA_SASS_REFERENCE_H
#define ATOLL_ISA_SASS_REFERENCE_H

#include "base/text.h"

/* The forms, a line each; flags: enum atoll_list_flag. As Markdown with the bits of every form and the values of the
 * fields: the reference in docs/sass.md. */
void sass_list(unsigned flags, struct text *out);

#endif

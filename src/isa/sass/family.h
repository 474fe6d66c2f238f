/* Maxwell SASS as a family. */
#ifndef ATOLL_ISA_SASS_FAMILY_H
#define ATOLL_ISA_SASS_FAMILY_H

#include "isa/family.h"

extern const struct family sass_family;
extern const struct family_code sass_family_code; /* family_code.c */

/* takes.c: whether bytes begin as a cubin does; as a cubin or text of machine code does. */
bool sass_is_elf(const void *bytes, size_t size);
bool sass_takes(const char *text, size_t size);

#endif

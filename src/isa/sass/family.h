/* Maxwell SASS as a family. */
#ifndef ATOLL_ISA_SASS_FAMILY_H
#define ATOLL_ISA_SASS_FAMILY_H

#include "isa/family.h"

extern const struct family sass_family;
extern const struct family_code sass_family_code; /* family_code.c */

/* How text of machine code begins (takes.c); cubins begin as ELF files do. */
bool sass_takes(const char *text, size_t size);

#endif

/* What is told of vISA's instructions. */
#ifndef ATOLL_ISA_VISA_EXPLAIN_H
#define ATOLL_ISA_VISA_EXPLAIN_H

#include "isa/family.h"

bool visa_explains(const char *instruction);
bool visa_explain(const char *instruction, unsigned machine, struct arena *arena, struct family_explained *found,
                  struct atoll_error *error);
void visa_list(unsigned flags, struct text *out);

#endif

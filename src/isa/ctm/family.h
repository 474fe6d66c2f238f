/* ATI's CTM as a family. */
#ifndef ATOLL_ISA_CTM_FAMILY_H
#define ATOLL_ISA_CTM_FAMILY_H

#include "isa/ctm/check.h"
#include "isa/family.h"

extern const struct family ctm_family;
extern const struct family_code ctm_family_code;

/* A program, of an executable or of text; `verdict`: NULL, the rules are not looked at. */
bool ctm_load(struct arena *arena, const char *text, size_t size, const struct atoll_module_options *options,
              const enum ctm_verdict *verdict, struct ctm_program *program, struct atoll_error *error);
/* Whether this is a module of CTM, by how it begins. */
bool ctm_takes(const char *text, size_t size);

#endif

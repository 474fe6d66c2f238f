/* Intel vISA as a family. */
#ifndef ATOLL_ISA_VISA_FAMILY_H
#define ATOLL_ISA_VISA_FAMILY_H

#include "isa/family.h"
#include "isa/visa/rows.h"

extern const struct family visa_family;
extern const struct family_code visa_family_code;

/* A module in bytes or text. The module's strings may lie in `text`. */
bool visa_load(struct arena *arena, const char *text, size_t size, const struct atoll_module_options *options,
               struct visa_module *module, struct atoll_error *error);
/* Whether this is a module of vISA, by how it begins. */
bool visa_takes(const char *text, size_t size);
/* Lint: adds a line for each break, returns their count (lint.c). */
unsigned visa_lint(const struct visa_table *table, struct text *out);
unsigned visa_lint_noise(const struct visa_table *table, const struct visa_form *form, struct text *out);

#endif

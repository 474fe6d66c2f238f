/* The parts of `explain` for vISA: atomic operations (explain_atomic.c). */
#ifndef ATOLL_ISA_VISA_EXPLAIN_INNER_H
#define ATOLL_ISA_VISA_EXPLAIN_INNER_H

#include "base/text.h"
#include "isa/visa/atomics.h"

/* The operations that a row has, by their codes; NULL: it is no atomic. */
const struct visa_atomic *visa_explained_atomics(const struct visa_form *form);
/* Lines about an operation of a row that is atomic; op: VISA_ATOMICS, about all. bits: 0, not said. */
void visa_explain_operations(const struct visa_form *form, unsigned op, unsigned bits, struct text *out);
void visa_explain_operands(const struct visa_form *form, unsigned op, unsigned bits, struct text *out);
void visa_explain_channels(const struct visa_form *form, struct text *out);
/* Of any row. */
void visa_explain_platforms(const struct visa_form *form, unsigned op, unsigned bits, struct text *out);

#endif

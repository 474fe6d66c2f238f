/* Text of vISA (.visaasm) to a module. Grammar: docs/visa.md, "Text". */
#ifndef ATOLL_ISA_VISA_PARSE_H
#define ATOLL_ISA_VISA_PARSE_H

#include "isa/diag.h"
#include "isa/visa/visa.h"

/* Reads diag->source. All mistakes are reported there, one a line at most, each with a code; what is good of the
 * text is in *module nevertheless. What only a verifier can tell is not looked at. False: no memory. */
bool visa_parse(struct arena *arena, struct diag *diag, struct visa_module *module);

struct visa_field;
struct visa_row;
/* The classes of vector operands that a place takes in text (bit n: enum visa_class n), after what is before it. */
unsigned visa_text_classes(const struct visa_row *row, const struct visa_inst *inst, const struct visa_field *field);

/* One instruction, without declarations: names like V32, T6, P1, A0, S0 stand for the variables that have these
 * numbers, others for new ones; *object gets them all and the instruction. False: no memory; mistakes are reported. */
bool visa_parse_line(struct arena *arena, struct diag *diag, struct visa_object *object);

#endif

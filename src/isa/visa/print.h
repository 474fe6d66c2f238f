/* Pieces of vISA's text, for those who write it. */
#ifndef ATOLL_ISA_VISA_PRINT_H
#define ATOLL_ISA_VISA_PRINT_H

#include "isa/visa/rows.h"

/* An instruction that is being written. */
struct visa_printing {
    const struct visa_object *object;
    const struct visa_inst *inst;
    const struct visa_form *form;
    bool fc; /* a call of what is patched in later */
};

/* A copy of an object whose names a reader of text takes, each for one thing; the original stays. False: no memory. */
bool visa_printable(struct arena *arena, const struct visa_object *given, struct visa_object *object);
/* Whether a name can be written without quotes where names of labels stand. */
bool visa_plain_name(const char *name);
/* "(!P1.any) ", nothing without a predicate. */
void visa_put_predicate(struct text *out, const struct visa_object *o, unsigned word);
/* A string literal with its quotes. */
void visa_put_quoted(struct text *out, const char *string);
/* A row's text as a template: "(P) typed_atomic.op (M1, N) surface u v r lod src0 src1 dst". */
void visa_put_template(struct text *out, const struct visa_form *form);
void visa_put_vector(struct text *out, const struct visa_object *o, const struct visa_operand *op);
/* V32(0,1): a vector operand without its region. */
void visa_put_bare(struct text *out, const struct visa_object *o, const struct visa_operand *op);
/* V32, V32.64: as LSC has raw operands. */
void visa_put_raw_name(struct text *out, const struct visa_object *o, const struct visa_operand *op);
/* Composites of LSC and the older samplers (print_lsc.c). */
void visa_print_lsc(struct text *out, const struct visa_printing *p, const struct visa_piece *piece);

#endif

/* Tuples {a, b, ...} as ptxas types them: elements are joined from left to right into one element type. Surface
 * coordinates and surface data follow this; the rules were found by asking ptxas 13.0 about all pairs of elements. */
#ifndef ATOLL_ISA_PTX_TUPLE_H
#define ATOLL_ISA_PTX_TUPLE_H

#include "isa/ptx/row.h"

enum { TUPLE_MOST = 8 };

/* The elements of an operand: those of a tuple, the parts of a vector register, or the operand itself. */
struct tuple {
    unsigned count;
    bool braces; /* a tuple or a vector register, not a single operand */
    struct insn_operand at[TUPLE_MOST];
};

/* False when there are more than TUPLE_MOST elements. */
bool tuple_open(const struct insn_operand *op, struct tuple *tuple);

/* What the elements of a tuple have in common. */
struct element {
    char kind; /* 'b' untyped, 'i' integers, 'f' floats of `bits`, 'x' packed halves, 'I' integer constants only,
                  'F' float constants only, '_' sinks only */
    unsigned bits;
    bool float_part, sreg; /* some element is a float register or constant; a special register */
    bool mixed;            /* a constant came first and registers of any size follow */
};

/* Joins the elements; `constant_bits` is the width of a float constant that stands first. Reports and returns false if they
 * do not go together. */
bool tuple_join(struct checker *c, const struct tuple *tuple, unsigned constant_bits, struct element *element);

/* A warning, or with options->strict an error: something ptxas accepts by oversight. False in strict mode. */
bool check_lenient(struct checker *c, struct span span, const char *code, const char *format, ...) PRINTF_LIKE(4, 5);

#endif

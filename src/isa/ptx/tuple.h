/* Tuples {a, b, ...} as ptxas types them: neighbours must go together. Surface
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

/* What the elements of a tuple are together: elements of one type have that type, others are untyped bits. */
struct element {
    char kind;      /* 'b' untyped, 'i' integers, 'f' floats, 'x' packed halves, 'p' predicates, '_' only sinks */
    uint16_t type;  /* the one type of all elements; 0 = they differ, or are constants */
    unsigned bits;  /* of each; 0: an integer constant is first, and ptxas looks at no size then */
    bool constants; /* all are constants */
    bool odd;       /* a float, a predicate or a register of another size is among them */
};

/* Joins the elements; `constant_bits` is the width of a float constant that is first. Reports and returns false if
 * they do not go together. */
bool tuple_join(struct checker *c, const struct tuple *tuple, unsigned constant_bits, struct element *element);

/* All elements may be written: registers and sinks, at least one register. ptxas takes special registers and predicates
 * too; named choice: the value written there is dropped. */
bool tuple_destinations(struct checker *c, const struct insn_operand *op, const struct tuple *tuple);
/* None is a sink. */
bool tuple_sources(struct checker *c, const struct tuple *tuple);

/* The destination is a register that keeps what is written. */
bool tuple_stores(const struct insn_operand *op);
/* lower_source of an element. A predicate among untyped elements counts as 0 or 1 (named choice). */
struct lane_operand tuple_source(struct lowerer *l, const struct insn_operand *op, uint16_t type);

/* A warning, or with options->strict an error: something ptxas accepts by oversight. False in strict mode. */
bool check_lenient(struct checker *c, struct span span, const char *code, const char *format, ...) PRINTF_LIKE(4, 5);

#endif

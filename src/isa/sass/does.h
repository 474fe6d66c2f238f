/* How rows say what they do: DOES before the rows of a mnemonic, once for all of its forms, and its name in each. */
#ifndef ATOLL_ISA_SASS_DOES_H
#define ATOLL_ISA_SASS_DOES_H

#include "isa/sass/sass.h"

/* Name in the rows; the SASS_LOWER of lower_*.c that carries it out; the members of struct sass_does from summary on.
 *
 * Notation of effects: d, a, b, c = the registers Rd, Ra, Rb (or its constant or immediate), Rc; words of 32 bits;
 * {hi:lo} = 64 bits; CC = the condition code flags Z, S, C, O. The rules are those that lower_*.c carries out. */
#define DOES(id, function, ...)          \
    sass_lower_fn sass_lower_##function; \
    static const struct sass_does does_##id = {.lower = sass_lower_##function, __VA_ARGS__}
/* The same without a lowering. */
#define STOPS(id, ...) static const struct sass_does does_##id = {.lower = NULL, __VA_ARGS__}

/* Sources: headings of docs/maxwell.md. */
#define DOC_ARITHMETIC  "Arithmetic"
#define DOC_COMPARES    "Predicates and condition codes, Arithmetic"
#define DOC_CONVERSIONS "Conversions"
#define DOC_FLOATS      "Floating point"
#define DOC_WARPS       "9.3 (warp operations and no-ops)"
#define DOC_FLOW        "Divergence"
#define DOC_VIDEO       "7, 9.3; PTX ISA, Scalar Video Instructions"
#define DOC_HALVES      "7; PTX ISA, Half Precision Floating Point Instructions"
#define DOC_FIELDS      "Field values"

/* Parts of effects. */
#define CARRY                                                                                                          \
    "\n.CC: C = carry out of bit 31, Z = result is 0, S = bit 31, O = signed overflow\n.X: adds C; an operand with a " \
    "minus enters inverted, without the 1 that it adds otherwise"
#define FUSED         "a * b + c, rounded once"
#define FTZ32         "\n.FTZ: subnormal inputs and results become zeros of their sign"
#define FORWARD_SIGNS "\nbars come before the minus"

#endif

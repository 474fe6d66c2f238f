/* What the lowering of floats, conversions, halves and video operations shares (lower_float.c).
 *
 * Named choices about floats, held by tests/test_sass_float.c and test_sass_convert.c:
 * - condition codes: Z: the result is +0 or -0; S: it is below 0; C and O: false (known is only Z
 *   of FSET). Halves and packed results have none.
 * - .FMZ: a product with a zero factor is +0, whatever the signs.
 * - FMUL's scale: a * b * 2^k is rounded once.
 * - RRO changes nothing but the signs; MUFU takes the plain value, flushes subnormals on both sides and is what PTX's
 *   .approx.ftz forms are (engine/meaning/interpolate.h: other chips' tables have not been seen).
 * - FCHK asks for the slow path where an exponent is far from 0 (more than 2^60).
 * - F2I of a NaN: as cvt of PTX: 0; 2^(bits - 1) from an f64 or to 64 bits (docs/maxwell.md, "Conversions"
 *   agrees as far as it goes).
 * - A 16-bit result fills the register with zeros, or with its sign if it is a signed integer. */
#ifndef ATOLL_ISA_SASS_LOWER_MATH_H
#define ATOLL_ISA_SASS_LOWER_MATH_H

#include "isa/sass/lower.h"

/* The fields of an operation on floats. */
struct sass_mode {
    uint8_t type;  /* enum lane_type */
    uint8_t round; /* enum lane_round */
    uint8_t flags; /* enum lane_flag */
};

/* The instruction's .FTZ, .FMZ, .SAT and rounding. */
struct sass_mode sass_mode(const struct sass_lowerer *l, enum lane_type type);
bool sass_is_fmz(const struct sass_lowerer *l);

/* One operation into d; a source of kind LANE_NONE ends the list. */
void sass_emit_mode(struct sass_lowerer *l, enum lane_op op, struct sass_mode mode, struct lane_operand d,
                    struct lane_operand a, struct lane_operand b, struct lane_operand c);
/* The same into a new unnamed register. */
struct lane_operand sass_op_mode(struct sass_lowerer *l, enum lane_op op, struct sass_mode mode, struct lane_operand a,
                                 struct lane_operand b, struct lane_operand c);
/* cvt into d; into a new register. */
void sass_emit_cast(struct sass_lowerer *l, struct sass_mode to, enum lane_type from, struct lane_operand d,
                    struct lane_operand a);
struct lane_operand sass_cast(struct sass_lowerer *l, struct sass_mode to, enum lane_type from, struct lane_operand a);

/* |x| and -x by bits, of a constant at once; type f32, f64, f16, f16x2. */
struct lane_operand sass_sign(struct sass_lowerer *l, enum lane_type type, struct lane_operand value, bool abs,
                              bool neg);
/* Operand i with its bars and its minus, f32 or f64. */
struct lane_operand sass_float(struct sass_lowerer *l, enum lane_type type, unsigned i);
/* 1.0, -0.0 ...: a constant of the type, which may be f32, f64 or f16x2. */
struct lane_operand sass_number_of(struct sass_lowerer *l, enum lane_type type, double value);

/* a cmp b, numbered as in the rows' names cmp4. */
struct lane_operand sass_compare_floats(struct sass_lowerer *l, unsigned cmp, struct sass_mode mode,
                                        struct lane_operand a, struct lane_operand b);
/* The lane comparison of cmp4, which is neither F nor T. */
enum lane_cmp sass_cmp4(unsigned cmp);
/* Reads the names of a predicate operation; false and a named gap where they are reserved. */
bool sass_bop(struct sass_lowerer *l, unsigned *bop);
/* p ? yes : no into d, 32 bits. */
void sass_choose(struct sass_lowerer *l, struct lane_operand d, struct lane_operand yes, struct lane_operand no,
                 struct lane_operand p);

/* Where a result of the type goes that is operand 0, and what ends its computation: f64 into a pair, condition codes.
 */
struct lane_operand sass_target(struct sass_lowerer *l, enum lane_type type);
void sass_finish(struct sass_lowerer *l, enum lane_type type, struct lane_operand result);

#endif

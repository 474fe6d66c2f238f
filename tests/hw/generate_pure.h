/* Cases of instructions whose results depend on registers alone: tables of rows, a line a group of forms. */
#ifndef ATOLL_TESTS_HW_GENERATE_PURE_H
#define ATOLL_TESTS_HW_GENERATE_PURE_H

#include "generate.h"

/* form: the instruction, or several with operands, in a compact notation.
 *   {a,b,}   one of the alternatives; the last group varies fastest; 16 forms at most share a case
 *   ~        a word of `each`: other cases
 *   $d $e $f $g   destinations    $a $b $c $i   sources    $D .. $G, $A .. $I: their offsets from %rd0, %rd1
 *   (x,y)    the tuple {x,y}      $@ the number of the form, for labels
 * Without operands (no space) they are $d, $a, $b, $c as `operands` has them.
 * operands: types, "DESTINATIONS : SOURCES". Beyond PTX's names:
 *   p predicate   n amount of a shift   l 0 to 31   k small, signed   m4 m8 m16 bytes in memory, in no register
 *   c shfl's third operand   T* no 0 and no -1   q8 two 8-bit floats
 * each: words, or NULL. set: names the cases instead of what the values are, "approx". */
struct pure_row {
    const char *form, *operands, *each;
    unsigned sm, version; /* 0: 75, 7.8 */
    enum hw_class class;
    const char *set, *tag, *name; /* tag: ends the name where two rows share the first word; name: instead of that */
    unsigned threads;             /* 0: as many as the values need */
};
/* ROW(form, operands, each, .sm = 90 ...) */
#define ROW(form_, operands_, ...)                                \
    {                                                             \
        .form = form_, .operands = operands_, .each = __VA_ARGS__ \
    }
void pure_rows(struct hw_cases *cases, const struct pure_row *rows, size_t count);

/* ---- values ------------------------------------------------------------------------------------------------- */

enum pure_set { PURE_EDGES, PURE_NANS, PURE_RANDOM, PURE_SETS };
/* What an operand's type says: size in bytes, in registers; 0 bytes: unknown. */
struct pure_type {
    const char *name;
    uint8_t bytes; /* in memory: the register's size; predicates and u8: see generate_pure.c */
    char kind;     /* i integer, f float, g bfloat16, n l k c p m q */
    uint8_t packed;
    bool nonzero;
};
struct pure_type pure_type(const char *name, size_t length);
bool pure_is_float(struct pure_type type);
/* How many edge values there are, all or those that pairs are made of. */
unsigned pure_edges(struct pure_type type, enum pure_set set, bool alone);
/* Value number i; random ones: any i. */
uint64_t pure_value(struct pure_type type, enum pure_set set, unsigned i, unsigned operand);

#endif

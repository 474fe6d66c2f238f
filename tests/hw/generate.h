/* What the generators share: kernels around one instruction, types, geometries. */
#ifndef ATOLL_TESTS_HW_GENERATE_H
#define ATOLL_TESTS_HW_GENERATE_H

#include "hw.h"

#define HW_COUNT(array) (sizeof(array) / sizeof((array)[0]))

const struct hw_type *hw_type(const char *name);
const struct hw_geometry *hw_geometry(const char *name);
const char *hw_clamp_name(enum hw_clamp clamp);

/* Begins the case's kernel: %rd0 = out + tid * out_step, %rd1 = in + tid * in_step, %rd2 = surface, %r0 = tid.
 * Free for the body: %h8.., %r4.., %rd4.., %q0.. (with sm_90 and 8.3 only). `version` is 10 * major + minor. */
void hw_kernel(struct hw_case *c, unsigned version, unsigned in_step, unsigned out_step);
void hw_kernel_end(struct hw_case *c);

/* Name of the register that holds data element `i` of `bytes` bytes: %h8, %r9, %rd8 ... */
struct hw_register {
    char name[8];
};
struct hw_register hw_register(unsigned bytes, unsigned i);
/* "{%r8,%r9}", or "%r8" for one scalar. */
void hw_tuple(struct hw_text *text, unsigned bytes, unsigned first, unsigned count, bool braces);
/* Moves `count` data elements between registers and [address+at]; an 8-bit element fills a 16-bit register. */
void hw_fetch(struct hw_text *text, const char *space, unsigned bytes, unsigned first, unsigned count, const char *base,
              unsigned at);
void hw_store(struct hw_text *text, const char *space, unsigned bytes, unsigned first, unsigned count, const char *base,
              unsigned at);
unsigned hw_register_bytes(unsigned bytes);

/* Little-endian appending. */
void hw_word(struct hw_text *bytes, uint64_t value, unsigned size);
void hw_pad(struct hw_text *bytes, size_t multiple); /* with 0xa5 */

/* Positions of accesses: `access` bytes each, x counted in bytes (scale = access) or samples (scale = 1). */
struct hw_point {
    int32_t at[4]; /* in the operand's order */
    bool outside;
    enum hw_class class;
};
enum { HW_POINTS = 96 };
/* Corners, both sides of every end, far values, pairs. `texel` positions of `positions` a row. Returns how many. */
unsigned hw_points(const struct hw_case *c, unsigned positions, unsigned scale, struct hw_point points[HW_POINTS]);

#endif

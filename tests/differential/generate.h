/* Random PTX kernels for comparisons of two ways to run them. A kernel has the parameters
 *
 *   in (u64: DIFFERENTIAL_BYTES, read only), out (u64), scratch (u64), five surfaces (u64: 1D, 2D, 3D, 1D array,
 *   2D array), two words (b32), a double (f64)
 *
 * and ends on every input: threads write to places of their own, to common ones by operations whose order is no matter.
 */
#ifndef ATOLL_TESTS_DIFFERENTIAL_H
#define ATOLL_TESTS_DIFFERENTIAL_H

#include "base/text.h"

enum {
    DIFFERENTIAL_BYTES = 1 << 14,
    DIFFERENTIAL_THREADS = 64, /* of a block */
    DIFFERENTIAL_BLOCKS = 2,
    DIFFERENTIAL_RESULT = 256, /* bytes of `out` for each thread */
    DIFFERENTIAL_SCRATCH = 64, /* bytes of `scratch` for each thread; common words follow */
};

/* What a kernel is made of. */
enum differential_kind {
    DIFFERENTIAL_INTEGER,
    DIFFERENTIAL_FLOAT,
    DIFFERENTIAL_CONVERT,
    DIFFERENTIAL_MEMORY,
    DIFFERENTIAL_WARP,
    DIFFERENTIAL_SURFACE,
    DIFFERENTIAL_MIXED,
    DIFFERENTIAL_HALF, /* sm_53 */
    DIFFERENTIAL_VIDEO,
    DIFFERENTIAL_KINDS
};

enum differential_kind differential_kind(uint32_t seed);
/* The same text for the same seed. */
void differential_generate(uint32_t seed, struct text *out);

#endif

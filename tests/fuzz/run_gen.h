/* Kernels made from a fuzzer's bytes: any bytes give a lane program that the verifier accepts and whose results do not
 * depend on the order in which its threads run. What each thread does beside arithmetic:
 *
 *   own memory    loads and stores of a slot of its own in global, shared and local memory
 *   reductions    of words in shared and global memory and of texels, each word with one commutative operation
 *   surfaces      loads of one that nobody writes, stores of a texel of its own
 *   divergence    branches, loops, jump tables, calls, exits and traps of some lanes; by tokens in stacked kernels
 *   vectors       in some kernels: warps of 8, 16 or 32 lanes, instructions of the whole warp, its registers as bytes,
 *                 or several warps side by side
 *   cooperation   barriers and what the neighbour left before them, shuffles and votes, locks; where all threads come
 * by
 *
 * Parameters: five words of 64 bits, enum run_parameter. */
#ifndef ATOLL_TESTS_RUN_GEN_H
#define ATOLL_TESTS_RUN_GEN_H

#include "run_catalogue.h"

enum run_parameter { RUN_SLOTS, RUN_COUNTERS, RUN_READ, RUN_WRITE, RUN_SUM, RUN_PARAMETERS };

enum {
    RUN_THREADS = 96, /* of a block, at most */
    RUN_BLOCKS = 3,
    RUN_SLOT = 256, /* bytes of a thread: memory of its own, then its registers at the end */
    RUN_OPERATIONS = 6,
    RUN_WORDS = RUN_OPERATIONS * 4, /* counters of 32 bits: four of each operation, for global and for shared memory */
    RUN_LOCK = 2 * RUN_WORDS * 4,   /* byte in the counters of a lock and what it guards */
    RUN_COUNTER_BYTES = RUN_LOCK + 8,
    RUN_REGFILE = 128, /* bytes of a warp of a vector machine */
};

struct run_case {
    struct lane_module module; /* kernel 0 */
    uint32_t grid, block[3];
};

/* Any bytes. False: no memory. The caller frees the module. */
bool run_generate(const struct run_catalogue *catalogue, const uint8_t *data, size_t size, struct run_case *out);

#endif

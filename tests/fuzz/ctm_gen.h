/* CTM programs made from a fuzzer's bytes: any bytes give a program whose results do not depend on the order of its
 * groups, most of them one that ends. */
#ifndef ATOLL_TESTS_CTM_GEN_H
#define ATOLL_TESTS_CTM_GEN_H

#include <stddef.h>

#include "isa/ctm/lower.h"

enum { GEN_OWN_INPUT = 5 /* of uncached programs: output 0, of which each processor reads its own element */ };

struct ctm_case {
    struct ctm_program program;
    struct ctm_inst insts[CTM_SLOTS];
    unsigned char params[CTM_PARAM_BYTES]; /* without surfaces */
    enum ctm_tex_write tex_write;
    uint32_t grid[2];
    unsigned formats; /* which outputs */
    uint64_t seed;
    bool plain;   /* ALU and OUTPUT alone, all processors of the domain put out */
    bool guarded; /* every result of a lookup is waited for */
};

void ctm_generate(const uint8_t *data, size_t size, struct ctm_case *out);

#endif

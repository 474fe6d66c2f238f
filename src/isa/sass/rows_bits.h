/* How rows write down bits. Opcodes and masks are given as the upper 16 bits of the word. */
#ifndef ATOLL_ISA_SASS_ROWS_BITS_H
#define ATOLL_ISA_SASS_ROWS_BITS_H

#include "isa/sass/does.h"
#include "isa/sass/rows.h"

#define BIT(n)          (UINT64_C(1) << (n))
#define BITS(low, high) ((UINT64_MAX >> (63 - (high) + (low))) << (low))
#define TOP(upper16)    ((uint64_t)(upper16) << 48)

/* Arithmetic of fixed latency, and DADD DMUL DFMA VMAD, may keep operands for reuse. */
#define SASS_KEEPS        (SASS_REUSABLE | SASS_STRICT)
#define SASS_TIMED(flags) ((flags) | ((flags)&SASS_FIXED ? SASS_KEEPS : 0))

#endif

/* The vendor's assembler of PTX, the linker beside it, and the disassembler, where they are found: on the PATH, or
 * named by ATOLL_PTXAS and ATOLL_NVDISASM. Only releases that know sm_50 count (11 and 12). */
#ifndef ATOLL_TESTS_DIFFERENTIAL_TOOLS_H
#define ATOLL_TESTS_DIFFERENTIAL_TOOLS_H

#include "base/text.h"
#include "file/file.h"

struct tools {
    const char *ptxas, *nvdisasm; /* NULL: none */
    char nvlink[512];             /* empty: none */
    char folder[64];
};

enum { TOOLS_OBJECT = 100 }; /* a level: a relocatable file (-c) */
enum tools_verdict { TOOLS_DONE, TOOLS_REFUSED, TOOLS_CRASHED };

void tools_open(struct tools *tools);
void tools_close(const struct tools *tools);
enum tools_verdict tools_compile(const struct tools *tools, const struct blob *ptx, unsigned sm, unsigned level,
                                 struct blob *cubin);
/* Up to nine relocatable files for sm_50 as one. */
bool tools_link(const struct tools *tools, const struct blob *objects, unsigned count, struct blob *cubin);
/* `arch`: "SM50". False where nvdisasm refused words; its messages are in `out`. */
bool tools_disassemble_raw(const struct tools *tools, const char *arch, const void *code, size_t size,
                           struct text *out);
bool tools_disassemble(const struct tools *tools, const void *cubin, size_t size, struct text *listing);

#endif

/* What every fuzz target has: LLVMFuzzerTestOneInput. Linked with libFuzzer it is fuzzed; linked with replay.c it runs
 * over the files of a corpus. A property that does not hold ends the process through fuzz_check. */
#ifndef ATOLL_TESTS_FUZZ_H
#define ATOLL_TESTS_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define fuzz_check(condition) \
    ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), abort()))

#endif

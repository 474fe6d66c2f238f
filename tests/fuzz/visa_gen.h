/* vISA kernels made from a fuzzer's bytes: any bytes give a text with instructions of many kinds on few variables, most
 * of which the checks take. */
#ifndef ATOLL_TESTS_VISA_GEN_H
#define ATOLL_TESTS_VISA_GEN_H

#include <stdint.h>

#include "base/text.h"

void visa_generate(const uint8_t *data, size_t size, struct text *out);

#endif

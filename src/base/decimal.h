/* Decimal numbers with a fraction or an exponent, independent of the program's locale. */
#ifndef ATOLL_BASE_DECIMAL_H
#define ATOLL_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

/* The nearest double of the number that text[0..length) begins with; *used: how many bytes it has. Infinite beyond the
 * largest. False: no memory. */
bool decimal_double(const char *text, size_t length, double *value, size_t *used);

#endif

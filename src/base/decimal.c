/* Decimal numbers: what the C library reads in its own locale. */
#define _GNU_SOURCE /* strtod_l */
#include "base/decimal.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

bool decimal_double(const char *text, size_t length, double *value, size_t *used)
{
    enum { USUAL = 512 };
    char usual[USUAL], *copy = length < USUAL ? usual : malloc(length + 1), *end;
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    bool ok = copy && c_locale;
    if (ok) {
        memcpy(copy, text, length);
        copy[length] = 0;
        *value = strtod_l(copy, &end, c_locale);
        *used = (size_t)(end - copy);
    }
    if (c_locale)
        freelocale(c_locale);
    if (copy != usual)
        free(copy);
    return ok;
}

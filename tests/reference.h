/* The part of a page of docs that the program writes. */
#ifndef ATOLL_TESTS_REFERENCE_H
#define ATOLL_TESTS_REFERENCE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

/* Whether it is `wanted`, which is freed, between the line `begin` and that of the end. */
static inline void reference_is_current(const char *path, const char *begin, struct text *wanted)
{
    struct text page = {0};
    char piece[4096];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;)
        text_add(&page, piece, got);
    fclose(file);
    assert_true(text_ok(wanted) && text_ok(&page));
    const char *from = strstr(page.bytes, begin), *to = from ? strstr(from, "<!-- end -->\n") : NULL;
    assert_non_null(to);
    from += strlen(begin);
    if ((size_t)(to - from) != wanted->length || memcmp(from, wanted->bytes, wanted->length) != 0)
        fail_msg("%s differs: run scripts/remake-reference", path);
    text_free(wanted);
    text_free(&page);
}

#endif

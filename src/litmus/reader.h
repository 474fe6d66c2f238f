/* The cursor of the reader of litmus tests. The first error ends reading. */
#ifndef ATOLL_LITMUS_READER_H
#define ATOLL_LITMUS_READER_H

#include "litmus/litmus.h"

struct reader {
    struct litmus *test;
    const char *at, *end;
    struct atoll_error *error;
    unsigned depth;
};

struct reader_place {
    uint32_t line, column;
};

struct reader_place litmus_locate(const struct reader *r, const char *at);
bool litmus_fail(struct reader *r, const char *at, const char *format, ...) PRINTF_LIKE(3, 4);
/* "'x' where WANTED was expected" */
bool litmus_wanted(struct reader *r, const char *wanted);
void litmus_skip(struct reader *r);
bool litmus_accept(struct reader *r, const char *text);
bool litmus_expect(struct reader *r, const char *text);
bool litmus_name(struct reader *r, char name[LITMUS_NAME], const char *wanted);
/* Decimal or 0x...; a minus wraps in 64 bits. */
bool litmus_number(struct reader *r, uint64_t *value);
/* "P1" or "1", then ":". */
bool litmus_thread(struct reader *r, unsigned *thread);
/* Is a thread with a colon here, not a location? */
bool litmus_at_thread(struct reader *r);
uint64_t litmus_cut(uint64_t value, unsigned bits);

/* decode.c: the name that an access of the dialect has for its location; false: it has none. */
bool litmus_accessed(const struct litmus *test, const struct litmus_cell *cell, const char **name, size_t *size);

/* condition.c */
bool litmus_at_condition(const struct reader *r);
bool litmus_condition(struct reader *r);
/* locations [x; 0:r1;] */
bool litmus_locations(struct reader *r);

#endif

/* Filling struct atoll_error. Every fallible function of the house returns bool (or a pointer) and
 * fills the caller's error: place, what was read, what was wanted. */
#ifndef ATOLL_BASE_ERROR_H
#define ATOLL_BASE_ERROR_H

#include "atoll.h"

#if defined(__GNUC__)
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define PRINTF_LIKE(fmt, args)
#endif

/* Sets status and message, clears the place. Always returns false, so that callers can `return error_set(...)`.
 * `error` may be NULL. */
bool error_set(struct atoll_error *error, enum atoll_status status, const char *format, ...) PRINTF_LIKE(3, 4);

/* The same with a place in a text (from 1). */
bool error_at(struct atoll_error *error, enum atoll_status status, uint32_t line, uint32_t column, const char *format,
              ...) PRINTF_LIKE(5, 6);

/* Says which option of a module is wrong, after error_set. Always returns false. */
bool error_option(struct atoll_error *error, enum atoll_option option);

/* "out of memory" */
bool error_memory(struct atoll_error *error);

#endif

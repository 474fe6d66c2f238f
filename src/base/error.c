/* struct atoll_error: filled in one place. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

static void fill(struct atoll_error *error, enum atoll_status status, uint32_t line, uint32_t column,
                 const char *format, va_list args)
{
    if (!error)
        return;
    error->status = status;
    error->option = ATOLL_OPTION_NONE;
    error->line = line;
    error->column = column;
    vsnprintf(error->message, sizeof error->message, format, args);
}

bool error_set(struct atoll_error *error, enum atoll_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(error, status, 0, 0, format, args);
    va_end(args);
    return false;
}

bool error_at(struct atoll_error *error, enum atoll_status status, uint32_t line, uint32_t column, const char *format,
              ...)
{
    va_list args;
    va_start(args, format);
    fill(error, status, line, column, format, args);
    va_end(args);
    return false;
}

bool error_option(struct atoll_error *error, enum atoll_option option)
{
    if (error)
        error->option = option;
    return false;
}

bool error_memory(struct atoll_error *error)
{
    return error_set(error, ATOLL_MEMORY, "out of memory");
}

/* Errors on the terminal and exit codes. */
#include "cli/cli.h"

#include "file/file.h"

int cli_exit_of(enum atoll_status status)
{
    switch (status) {
    case ATOLL_OK:
        return EXIT_OK;
    case ATOLL_TRAP:
    case ATOLL_INVALID:
    case ATOLL_UNSUPPORTED: /* the kernel cannot be run */
        return EXIT_KERNEL;
    case ATOLL_USAGE:
        return EXIT_USAGE;
    case ATOLL_INPUT:
    case ATOLL_SYSTEM:
        return EXIT_INPUT;
    case ATOLL_LIMIT:
    case ATOLL_MEMORY:
        return EXIT_LIMIT;
    case ATOLL_INTERRUPTED:
        return EXIT_INTERRUPT;
    }
    return EXIT_KERNEL;
}

int cli_fail(const struct atoll_error *error)
{
    bool colors = diagnose_colors(stderr);
    fprintf(stderr, "atoll: %serror:%s %s\n", colors ? "\033[1;31m" : "", colors ? "\033[0m" : "", error->message);
    return cli_exit_of(error->status);
}

bool error_in(const char *path, struct atoll_error *error)
{
    struct atoll_error said = *error;
    if (said.line)
        return error_at(error, said.status, said.line, said.column, "%.400s:%u:%u: %s", path, said.line, said.column,
                        said.message);
    return error_set(error, said.status, "%.400s: %s", path, said.message);
}

int cli_put(const char *bytes, size_t size, int code)
{
    struct atoll_error error;
    return file_write("-", bytes, size, &error) ? code : cli_fail(&error);
}

int cli_put_text(struct text *text, int code)
{
    struct atoll_error error;
    if (text_ok(text))
        code = cli_put(text->bytes, text->length, code);
    else {
        error_memory(&error);
        code = cli_fail(&error);
    }
    text_free(text);
    return code;
}

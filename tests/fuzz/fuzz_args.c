/* Fuzzes NAME=VALUE: no text may crash, and what is taken must make sense. */
#include <string.h>

#include "cli/argument.h"
#include "fuzz.h"
#include "mem/format.h"

static void check(const struct argument *a)
{
    fuzz_check(a->name && a->name[0]);
    if (a->kind == ARGUMENT_VALUES)
        fuzz_check(a->values && a->count);
    if (a->kind == ARGUMENT_BUFFER) {
        fuzz_check(a->file || a->alias || (a->type && (a->sized || a->elements)));
        fuzz_check(!a->values || a->fills == 1 || a->fills == a->elements);
        fuzz_check(!a->type || a->elements <= UINT64_MAX / a->type->bytes);
    }
    if (a->kind == ARGUMENT_SURFACE) {
        fuzz_check(a->file || (a->format && a->desc.width));
        fuzz_check(!a->format || format_find(a->format));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct argument argument;
    struct atoll_error error = {0};
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    if (argument_parse(&arena, "--arg", text, &argument, &error))
        check(&argument);
    else
        fuzz_check(error.status != ATOLL_OK && error.message[0]);
    arena_free(&arena);
    free(text);
    return 0;
}

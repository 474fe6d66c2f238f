/* Fuzzes NAME=VALUE: no text may crash, and what is taken must make sense. */
#include <string.h>

#include "cli/argument.h"
#include "cli/fields.h"
#include "fuzz.h"
#include "mem/format.h"

static bool address_of(void *user, const char *name, uint64_t *address, struct atoll_error *error)
{
    (void)user, (void)error;
    *address = strlen(name);
    return true;
}

/* A struct is as large when its names are known as it was found to be without them. */
static void check_fields(const char *fields)
{
    struct text first = {0}, second = {0}, layout = {0};
    struct atoll_error error = {0};
    fuzz_check(fields_build(fields, NULL, NULL, &first, NULL, &error));
    fuzz_check(fields_build(fields, address_of, NULL, &second, &layout, &error));
    fuzz_check(first.length == second.length);
    text_free(&first);
    text_free(&second);
    text_free(&layout);
}

static void check(const struct argument *a)
{
    if (a->fields)
        check_fields(a->fields);
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

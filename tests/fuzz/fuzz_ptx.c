/* Fuzzes the PTX front end: parse; a module without errors is checked, printed, parsed again and must print the same.
 * A module with errors must have told so. */
#include <string.h>

#include "base/text.h"
#include "fuzz.h"
#include "isa/ptx/ast.h"
#include "isa/ptx/debug.h"

struct seen {
    unsigned messages;
    const char *source;
    size_t size;
};

/* Every message is one line and points into the text. */
static void look(void *user, const struct atoll_diagnostic *diagnostic)
{
    struct seen *seen = user;
    seen->messages++;
    fuzz_check(diagnostic->code[0] && diagnostic->message[0] && !strchr(diagnostic->message, '\n'));
    fuzz_check(diagnostic->line >= 1 && diagnostic->column >= 1);
    fuzz_check(diagnostic->line_text >= seen->source &&
               diagnostic->line_text + diagnostic->line_length <= seen->source + seen->size);
    fuzz_check(!memchr(diagnostic->line_text, '\n', diagnostic->line_length));
}

static void print_again(const struct text *first)
{
    struct arena arena = {0};
    struct atoll_error error = {0};
    struct diag diag = {.source = first->bytes, .size = first->length, .first = &error};
    struct ptx_module *module;
    struct text second = {0};
    fuzz_check(ptx_parse(&arena, &diag, &module));
    if (diag.errors)
        fprintf(stderr, "%s\n%u:%u: %s\n", first->bytes, error.line, error.column, error.message);
    fuzz_check(diag.errors == 0);
    ptx_print(module, &second);
    fuzz_check(text_ok(&second));
    if (strcmp(first->bytes, second.bytes) != 0)
        fprintf(stderr, "%s\n----\n%s\n", first->bytes, second.bytes);
    fuzz_check(strcmp(first->bytes, second.bytes) == 0);
    text_free(&second);
    arena_free(&arena);
}

static void parameter(void *user, const char *function, uint32_t position, const char *name)
{
    (void)user, (void)position;
    fuzz_check(strlen(function) + strlen(name) < SIZE_MAX);
}

/* Function by function, with nothing kept: as many mistakes. */
static void validate_again(const uint8_t *data, size_t size, unsigned errors)
{
    struct seen seen = {.source = (const char *)data, .size = size};
    struct atoll_module_options options = {.diagnose = look, .user = &seen};
    struct diag diag = {.source = (const char *)data, .size = size, .options = &options};
    if (ptx_validate(&diag))
        fuzz_check(diag.errors == errors);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct seen seen = {.source = (const char *)data, .size = size};
    struct atoll_module_options options = {.diagnose = look, .user = &seen};
    struct atoll_error error = {0};
    struct diag diag = {.source = (const char *)data, .size = size, .options = &options, .first = &error};
    struct arena arena = {.limit = (size_t)256 << 20};
    struct ptx_module *module;
    if (!ptx_parse(&arena, &diag, &module)) {
        fuzz_check(error.status == ATOLL_MEMORY);
        arena_free(&arena);
        return 0;
    }
    fuzz_check((diag.errors == 0) == (error.status == ATOLL_OK));
    fuzz_check(diag.errors <= seen.messages);
    if (diag.errors == 0) {
        struct text text = {0};
        ptx_print(module, &text);
        fuzz_check(text_ok(&text));
        print_again(&text);
        text_free(&text);
        ptx_check(module, &diag);
        validate_again(data, size, diag.errors);
        struct dwarf dwarf;
        if (ptx_debug(module, &arena, &dwarf))
            dwarf_parameters(&dwarf, parameter, NULL);
    }
    arena_free(&arena);
    return 0;
}

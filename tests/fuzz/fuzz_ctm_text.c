/* Fuzzes the reader of CTM's text: mistakes are told, with places within the text; what is read without any is printed,
 * and that text reads to the same program and prints the same. */
#include <string.h>

#include "base/text.h"
#include "fuzz.h"
#include "isa/ctm/text.h"

struct given {
    const char *text;
    size_t size;
    unsigned told;
};

static void check_place(void *user, const struct atoll_diagnostic *d)
{
    struct given *given = user;
    given->told++;
    fuzz_check(d->line >= 1 && d->column >= 1 && d->message[0] && d->code[0]);
    fuzz_check(d->line_text >= given->text && d->line_text + d->line_length <= given->text + given->size);
}

static void check_again(const struct ctm_program *program)
{
    struct arena arena = {0};
    struct ctm_program again;
    struct text first = {0}, second = {0};
    struct atoll_error error = {0};
    ctm_print(program, &first);
    fuzz_check(text_ok(&first));
    if (!ctm_assemble(&arena, first.bytes, first.length, NULL, &again, &error))
        fprintf(stderr, "%u: %s\n%s\n", error.line, error.message, first.bytes);
    fuzz_check(again.ninsts == program->ninsts && memcmp(again.info, program->info, sizeof again.info) == 0);
    fuzz_check(memcmp(again.insts, program->insts, again.ninsts * sizeof *again.insts) == 0);
    ctm_print(&again, &second);
    fuzz_check(first.length == second.length && memcmp(first.bytes, second.bytes, first.length) == 0);
    text_free(&first);
    text_free(&second);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct ctm_program program;
    struct atoll_error error = {0};
    char *copy = malloc(size + 1); /* exactly: what is read beyond is found */
    fuzz_check(copy != NULL);
    memcpy(copy, data, size);
    struct given given = {.text = copy, .size = size};
    const struct atoll_module_options options = {.diagnose = check_place, .user = &given};
    (void)ctm_takes_text(copy, size);
    if (ctm_assemble(&arena, copy, size, &options, &program, &error)) {
        fuzz_check(!given.told && program.ninsts && program.ninsts <= CTM_SLOTS);
        check_again(&program);
    } else {
        fuzz_check(given.told && error.status == ATOLL_INVALID && error.message[0]);
    }
    free(copy);
    arena_free(&arena);
    return 0;
}

/* Fuzzes the reader of vISA's text: mistakes are told, with places within the text; what is read without any is written
 * checked for a platform, as a file that is read again, and its text reads to bytes with the same text. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "isa/visa/check.h"
#include "isa/visa/parse.h"

static void check_place(void *user, const struct atoll_diagnostic *d)
{
    const struct diag *diag = user;
    fuzz_check(d->line >= 1 && d->column >= 1 && d->message[0] && d->code[0]);
    fuzz_check(d->line_text >= diag->source && d->line_text + d->line_length <= diag->source + diag->size);
}

/* Reads a text. False: it has mistakes. */
static bool parse(struct arena *arena, const char *text, size_t size, struct visa_module *module)
{
    struct atoll_module_options options = {0};
    struct atoll_error first = {0};
    struct diag diag = {.source = text, .size = size, .options = &options, .first = &first};
    options.diagnose = check_place;
    options.user = &diag;
    fuzz_check(visa_parse(arena, &diag, module));
    fuzz_check(!diag.errors == (first.status == ATOLL_OK));
    bool good = diag.errors == 0;
    if (good)
        fuzz_check(visa_check(module, (enum visa_platform)(size % (VISA_PLATFORMS + 1)), size & 32, &diag));
    for (unsigned k = 0; k < module->nkernels; k++)
        for (uint32_t i = 0; i < module->kernels[k].ninsts; i++) {
            const struct visa_inst *inst = &module->kernels[k].insts[i];
            fuzz_check(inst->line && (size_t)inst->pos + inst->length <= size);
        }
    return good;
}

/* Bytes of a module, and the text of those bytes. */
static void round_trip(const struct visa_module *module, struct text *bytes, struct text *text)
{
    struct arena arena = {0};
    struct visa_module again;
    struct atoll_error error = {0};
    fuzz_check(visa_write(module, bytes, &error));
    bool good = visa_read(&arena, bytes->bytes, bytes->length, &again, &error);
    if (!good)
        fprintf(stderr, "%s\n", error.message);
    fuzz_check(good);
    visa_print(&again, text);
    fuzz_check(text_ok(text));
    arena_free(&arena);
}

static void check_again(const struct text *text)
{
    struct arena arena = {0};
    struct visa_module module;
    struct text bytes = {0}, again = {0};
    bool good = parse(&arena, text->bytes, text->length, &module);
    if (good)
        round_trip(&module, &bytes, &again);
    if (!good || again.length != text->length || memcmp(again.bytes, text->bytes, text->length) != 0)
        fprintf(stderr, "%.*s\n---\n%.*s\n", (int)text->length, text->bytes, (int)again.length, again.bytes);
    fuzz_check(good && again.length == text->length && memcmp(again.bytes, text->bytes, text->length) == 0);
    text_free(&bytes);
    text_free(&again);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct visa_module module;
    char *copy = malloc(size + 1); /* exactly: what is read beyond is found */
    fuzz_check(copy != NULL);
    memcpy(copy, data, size);
    if (parse(&arena, copy, size, &module)) {
        struct text bytes = {0}, text = {0};
        round_trip(&module, &bytes, &text);
        check_again(&text);
        text_free(&bytes);
        text_free(&text);
    }
    free(copy);
    arena_free(&arena);
    return 0;
}

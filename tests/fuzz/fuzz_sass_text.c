/* Fuzzes the assembler of Maxwell modules: what it takes, its listing gives back to the byte. */
#include <string.h>

#include "atoll.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct atoll_listing_options options = {.control = true};
    struct atoll_error error = {0};
    char *bytes, *text, *again, *report;
    size_t length, text_length, again_length, report_length;
    if (!atoll_assemble((const char *)data, size, "SM52", NULL, &bytes, &length, &error)) {
        fuzz_check(error.status != ATOLL_OK && error.message[0]);
        return 0;
    }
    if (atoll_disassemble(bytes, length, &options, &text, &text_length, &error)) {
        bool good = atoll_assemble(text, text_length, NULL, NULL, &again, &again_length, &error);
        if (!good || again_length != length || memcmp(bytes, again, length) != 0)
            fprintf(stderr, "%s%u:%u: %s\n", text, error.line, error.column, error.message);
        fuzz_check(good && again_length == length && memcmp(bytes, again, length) == 0);
        atoll_text_free(again);
        atoll_text_free(text);
    } else
        fuzz_check(error.status != ATOLL_OK && error.message[0]);
    if (atoll_hazards(bytes, length, &report, &report_length, NULL, &error))
        atoll_text_free(report);
    atoll_text_free(bytes);
    return 0;
}

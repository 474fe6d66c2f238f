/* Fuzzes the text form of lane programs: parse, verify, print, parse again, compare. What the verifier accepts must
 * come back unchanged; what it rejects must at least print. */
#include <string.h>

#include "base/text.h"
#include "fuzz.h"
#include "lane/lane.h"

static void print_again(const struct text *first)
{
    struct lane_module module;
    struct atoll_error error = {0};
    struct text second = {0};
    bool good = lane_parse(first->bytes, first->length, &module, &error);
    if (!good)
        fprintf(stderr, "%s\n%u:%u: %s\n", first->bytes, error.line, error.column, error.message);
    fuzz_check(good);
    fuzz_check(lane_verify(&module, &error));
    lane_print(&module, &second);
    fuzz_check(text_ok(&second));
    if (strcmp(first->bytes, second.bytes) != 0)
        fprintf(stderr, "%s\n----\n%s\n", first->bytes, second.bytes);
    fuzz_check(strcmp(first->bytes, second.bytes) == 0);
    text_free(&second);
    lane_module_free(&module);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lane_module module;
    struct atoll_error error = {0};
    if (!lane_parse((const char *)data, size, &module, &error)) {
        fuzz_check(error.status != ATOLL_OK && error.message[0]);
        return 0;
    }
    struct text text = {0};
    lane_print(&module, &text);
    if (lane_verify(&module, &error) && text_ok(&text))
        print_again(&text);
    text_free(&text);
    lane_module_free(&module);
    return 0;
}

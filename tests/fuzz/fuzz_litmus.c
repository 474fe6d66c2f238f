/* Fuzzes the reader of litmus tests: what is wrong has a line and a column; what is read is judged by both models
 * within limits, or refused by name; the kernel that is made of it is a text for which each line's cell is known. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "litmus/litmus.h"

static void judge(const struct litmus *test)
{
    static struct litmus_allowed allowed;
    struct litmus_limits limits = {.unroll = 1, .candidates = 2000, .seconds = 1};
    for (unsigned m = 0; m < LITMUS_MODELS; m++) {
        struct atoll_error error = {0};
        if (!litmus_allow(test, (enum litmus_model)m, &limits, &allowed, &error))
            fuzz_check(error.status != ATOLL_OK && error.message[0]);
        else
            fuzz_check(allowed.outcomes.count <= LITMUS_OUTCOMES);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct litmus_kernel kernel;
    struct litmus test;
    struct atoll_error error = {0};
    if (!litmus_parse(&test, (const char *)data, size, &error)) {
        fuzz_check(error.line > 0 && error.column > 0 && error.message[0]);
        return 0;
    }
    judge(&test);
    if (litmus_emit(&test, &kernel, &error)) {
        fuzz_check(kernel.text && strlen(kernel.text) == kernel.size);
        free(kernel.text);
    } else
        fuzz_check(error.message[0]);
    litmus_free(&test);
    return 0;
}

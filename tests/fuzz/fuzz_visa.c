/* Fuzzes containers of vISA: what is read is printed, checked for a platform, and written again, and that is read the
 * same; a second writing gives the same bytes. */
#include <string.h>

#include "fuzz.h"
#include "isa/visa/check.h"
#include "isa/visa/rows.h"

static void print(const struct visa_module *m)
{
    struct text out = {0};
    visa_print(m, &out);
    text_free(&out);
}

static void verdict(const struct visa_module *m, unsigned choice)
{
    struct diag diag = {.source = "", .hold = true};
    fuzz_check(visa_check(m, (enum visa_platform)(choice % (VISA_PLATFORMS + 1)), choice & 32, &diag));
    diag_flush(&diag);
}

static void compare(const struct visa_object *a, const struct visa_object *b)
{
    fuzz_check(strcmp(a->name, b->name) == 0 && a->nstrings == b->nstrings && a->ninputs == b->ninputs);
    fuzz_check(a->ninsts == b->ninsts && a->nattributes == b->nattributes);
    for (unsigned i = 0; i < VISA_SPACES; i++)
        fuzz_check(a->nvars[i] == b->nvars[i]);
    for (uint32_t i = 0; i < a->ninsts; i++)
        fuzz_check(a->insts[i].row == b->insts[i].row && a->insts[i].exec == b->insts[i].exec &&
                   a->insts[i].predicate == b->insts[i].predicate);
}

static void again(const struct visa_module *m)
{
    struct arena arena = {0};
    struct text first = {0}, second = {0};
    struct visa_module other;
    struct atoll_error error = {0};
    fuzz_check(visa_write(m, &first, &error));
    if (!visa_read(&arena, first.bytes, first.length, &other, &error)) {
        fprintf(stderr, "%s\n", error.message);
        fuzz_check(false);
    }
    fuzz_check(other.nkernels == m->nkernels && other.nfunctions == m->nfunctions);
    for (unsigned i = 0; i < m->nkernels; i++)
        compare(&m->kernels[i], &other.kernels[i]);
    for (unsigned i = 0; i < m->nfunctions; i++)
        compare(&m->functions[i], &other.functions[i]);
    fuzz_check(visa_write(&other, &second, &error));
    fuzz_check(first.length == second.length && memcmp(first.bytes, second.bytes, first.length) == 0);
    text_free(&first);
    text_free(&second);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {.limit = 1 << 26};
    struct visa_module m;
    struct atoll_error error = {0};
    if (visa_read(&arena, data, size, &m, &error)) {
        print(&m);
        verdict(&m, data[size - 1]);
        again(&m);
    } else {
        fuzz_check(error.status != ATOLL_OK && error.message[0]);
    }
    arena_free(&arena);
    return 0;
}

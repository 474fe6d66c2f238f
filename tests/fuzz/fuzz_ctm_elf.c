/* Fuzzes executables of CTM: what is read is written and read the same, is checked and looked through for hazards, and
 * printed text makes the same words. A module of it is loaded, which lowers it. */
#include <string.h>

#include "fuzz.h"
#include "isa/ctm/check.h"
#include "isa/ctm/elf.h"
#include "isa/ctm/hazards.h"
#include "isa/ctm/text.h"

static void same(const struct ctm_program *a, const struct ctm_program *b)
{
    fuzz_check(a->ninsts == b->ninsts && memcmp(a->insts, b->insts, a->ninsts * sizeof *a->insts) == 0);
    fuzz_check(memcmp(a->info, b->info, sizeof a->info) == 0);
    fuzz_check(memcmp(&a->inputs, &b->inputs, sizeof a->inputs) == 0);
    fuzz_check(memcmp(&a->outputs, &b->outputs, sizeof a->outputs) == 0);
    fuzz_check(memcmp(&a->floats, &b->floats, sizeof a->floats) == 0);
    fuzz_check(memcmp(&a->ints, &b->ints, sizeof a->ints) == 0);
    fuzz_check(a->condout == b->condout && a->early_exit == b->early_exit);
}

static void again(const struct ctm_program *program)
{
    struct arena arena = {0};
    struct ctm_program other;
    struct text out = {0};
    struct atoll_error error = {0};
    fuzz_check(ctm_elf_write(program, &out, &error) && ctm_elf_read(&arena, out.bytes, out.length, &other, &error));
    same(program, &other);
    text_free(&out);
    arena_free(&arena);
}

static void as_text(const struct ctm_program *program)
{
    struct arena arena = {0};
    struct ctm_program other;
    struct text out = {0};
    struct atoll_error error = {0};
    ctm_print(program, &out);
    if (!ctm_assemble(&arena, out.bytes, out.length, NULL, &other, &error)) {
        fprintf(stderr, "%s\n", error.message);
        fuzz_check(false);
    }
    same(program, &other);
    text_free(&out);
    arena_free(&arena);
}

static void judge(const struct ctm_program *program)
{
    struct text out = {0};
    unsigned count = 0;
    for (int how = CTM_VERDICT_RUN; how <= CTM_VERDICT_STRICT; how++) {
        struct diag diag = {.hold = true};
        fuzz_check(ctm_check(program, (enum ctm_verdict)how, &diag));
        diag_flush(&diag);
    }
    fuzz_check(ctm_hazards(program, &out, &count));
    fuzz_check((count > 0) == (out.length > 0));
    text_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct ctm_program program;
    struct atoll_error error = {0};
    struct atoll_module *module;
    if (ctm_elf_read(&arena, data, size, &program, &error)) {
        again(&program);
        as_text(&program);
        judge(&program);
    } else {
        fuzz_check(error.status != ATOLL_OK && error.message[0]);
    }
    arena_free(&arena);
    if (size > (1 << 12))
        return 0;
    error = (struct atoll_error){0};
    if (atoll_module_load(NULL, (const char *)data, size, NULL, &module, &error))
        atoll_module_destroy(module);
    else
        fuzz_check(error.status != ATOLL_OK && error.message[0]);
    return 0;
}

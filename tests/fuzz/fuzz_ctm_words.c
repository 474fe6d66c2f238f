/* Fuzzes words of R580: each is printed, and reads back to the same; so does all of it as a program. */
#include <string.h>

#include "base/bytes.h"
#include "base/text.h"
#include "fuzz.h"
#include "isa/ctm/text.h"

enum {
    INST_BYTES = CTM_WORDS * 4,
    MOST = 64 /* instructions of an input: each costs some twenty texts, and more of them find no more */
};

static void inst_check(const struct ctm_inst *inst)
{
    char line[ISA_TEXT];
    struct ctm_inst read;
    struct atoll_error error = {0};
    size_t length = ctm_print_inst(inst, line);
    fuzz_check(length && length < ISA_TEXT - 1 && strlen(line) == length);
    if (!ctm_parse_inst(line, length, &read, &error))
        fprintf(stderr, "%s: %s\n", line, error.message);
    fuzz_check(memcmp(&read, inst, sizeof read) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct ctm_inst insts[CTM_SLOTS] = {{{0}}};
    struct ctm_program program = {.name = "main", .insts = insts}, again;
    struct text out = {0};
    struct atoll_error error = {0};
    for (; size >= INST_BYTES && program.ninsts < MOST; data += INST_BYTES, size -= INST_BYTES) {
        for (unsigned w = 0; w < CTM_WORDS; w++)
            insts[program.ninsts].word[w] = bytes_u32(data + 4 * w);
        inst_check(&insts[program.ninsts++]);
    }
    if (!program.ninsts)
        return 0;
    program.info[CTM_INFO_UMRT] = size & 1;
    ctm_derive(&program);
    for (size_t i = 0; i < size && i < CTM_INFO_WORDS; i++)
        program.info[i] ^= data[i];
    ctm_print(&program, &out);
    if (!ctm_assemble(&arena, out.bytes, out.length, NULL, &again, &error))
        fprintf(stderr, "%u: %s\n%s\n", error.line, error.message, out.bytes);
    fuzz_check(again.ninsts == program.ninsts && memcmp(again.info, program.info, sizeof again.info) == 0);
    fuzz_check(memcmp(again.insts, insts, program.ninsts * sizeof *insts) == 0);
    text_free(&out);
    arena_free(&arena);
    return 0;
}

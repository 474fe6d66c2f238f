/* R580 in bytes: one instruction at a time, and executables. */
#include "isa/ctm/family.h"

#include "base/bytes.h"
#include "isa/ctm/elf.h"
#include "isa/ctm/explain.h"
#include "isa/ctm/hazards.h"
#include "isa/ctm/text.h"

enum { INST_BYTES = CTM_WORDS * 4 };

static struct ctm_inst inst_read(const uint8_t *bytes)
{
    struct ctm_inst inst;
    for (unsigned i = 0; i < CTM_WORDS; i++)
        inst.word[i] = bytes_u32(bytes + i * 4);
    return inst;
}

static bool decode(const struct family_machine *m, const void *bytes, size_t size, uint64_t address, char *text,
                   size_t *used, struct atoll_error *error)
{
    (void)m, (void)address;
    if (size < INST_BYTES)
        return error_set(error, ATOLL_INPUT, "%zu bytes: an instruction has %d", size, INST_BYTES);
    struct ctm_inst inst = inst_read(bytes);
    ctm_print_inst(&inst, text);
    *used = INST_BYTES;
    return true;
}

static bool encode(const struct family_machine *m, const char *text, size_t length, uint64_t address, bool rules,
                   void *bytes, size_t room, size_t *used, struct atoll_error *error)
{
    struct ctm_inst inst;
    (void)m, (void)address, (void)rules;
    if (room < INST_BYTES)
        return error_set(error, ATOLL_USAGE, "room for %zu bytes: an instruction has %d", room, INST_BYTES);
    if (!ctm_parse_inst(text, length, &inst, error))
        return false;
    for (unsigned i = 0; i < CTM_WORDS; i++)
        bytes_put((uint8_t *)bytes + i * 4, inst.word[i], 4);
    *used = INST_BYTES;
    return true;
}

/* ---- modules ---------------------------------------------------------------------------------------------- */

static bool list_raw(const uint8_t *bytes, size_t size, struct text *out, struct atoll_error *error)
{
    if (size % INST_BYTES)
        return error_set(error, ATOLL_INPUT, "%zu bytes: wanted instructions of %d", size, INST_BYTES);
    for (size_t at = 0; at < size; at += INST_BYTES) {
        struct ctm_inst inst = inst_read(bytes + at);
        char text[ISA_TEXT];
        ctm_print_inst(&inst, text);
        text_printf(out, "%s\n", text);
    }
    return true;
}

static bool disassemble(const struct family_machine *m, bool raw, const void *bytes, size_t size,
                        const struct atoll_listing_options *options, struct text *out, struct atoll_error *error)
{
    struct arena arena = {0};
    struct ctm_program program;
    (void)m, (void)options;
    if (raw)
        return list_raw(bytes, size, out, error);
    bool ok = ctm_elf_read(&arena, bytes, size, &program, error);
    if (ok)
        ctm_print(&program, out);
    arena_free(&arena);
    return ok;
}

static bool assemble(const struct family_machine *m, const char *text, size_t length,
                     const struct atoll_module_options *options, struct text *out, struct atoll_error *error)
{
    static const enum ctm_verdict verdict = CTM_VERDICT_RUN;
    struct arena arena = {0};
    struct ctm_program program;
    (void)m;
    bool ok = ctm_load(&arena, text, length, options, &verdict, &program, error) && ctm_elf_write(&program, out, error);
    arena_free(&arena);
    return ok;
}

static bool hazards(const struct family_machine *m, const void *bytes, size_t size, struct text *out, unsigned *count,
                    struct atoll_error *error)
{
    struct arena arena = {0};
    struct ctm_program program;
    (void)m;
    bool ok = ctm_load(&arena, bytes, size, NULL, NULL, &program, error) &&
              (ctm_hazards(&program, out, count) || error_memory(error));
    arena_free(&arena);
    return ok;
}

static const void *rows(struct atoll_error *error)
{
    (void)error;
    return &ctm_family_code; /* data from the start: nothing is compiled */
}

const struct family_code ctm_family_code = {
    .hex = {4, CTM_WORDS, 0, "six hexadecimal numbers, W0 first; and an address"},
    .rows = rows,
    .lint = ctm_lint,
    .decode = decode,
    .encode = encode,
    .disassemble = disassemble,
    .assemble = assemble,
    .hazards = hazards,
};

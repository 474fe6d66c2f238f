/* Fuzzes words of Maxwell: what decodes is written, read back as what the text says, and lowered to a lane program that
 * the verifier accepts, or to a named gap. The first byte chooses the architecture, words of 8 bytes follow. */
#include <string.h>

#include "base/text.h"
#include "fuzz.h"
#include "isa/sass/link.h"

enum { LONGEST = 64 /* words */ };

/* The text of a word; false: it decodes to nothing. Reading it back gives the same bits, or bits with the same text. */
static bool word_check(const struct isa_table *table, uint64_t bits, unsigned arch, uint64_t address,
                       char text[ISA_TEXT])
{
    struct isa_word word = {{bits, SASS_CONTROL_NEUTRAL}}, back = {{0, SASS_CONTROL_NEUTRAL}};
    const struct isa_form *form = isa_find(table, &word, arch, NULL);
    struct isa_mistake mistake;
    char again[ISA_TEXT];
    if (!form)
        return false;
    size_t length = isa_print(table, form, &word, address, text);
    fuzz_check(length > 0 && length < ISA_TEXT - 1 && strlen(text) == length);
    const struct isa_form *read = isa_parse(table, text, length, arch, address, &back, &mistake);
    if (!read)
        fprintf(stderr, "%016llx %s: at %zu: %s\n", (unsigned long long)bits, text, mistake.at, mistake.wanted);
    fuzz_check(read != NULL);
    if ((back.part[0] & ~read->row->ignored) != (bits & ~form->row->ignored)) {
        isa_print(table, read, &back, address, again);
        fuzz_check(strcmp(text, again) == 0);
    }
    return true;
}

static void lower(const struct isa_table *table, const struct text *source, unsigned arch)
{
    struct sass_module module;
    struct lane_module lanes = {.arena = {.limit = (size_t)256 << 20}};
    struct atoll_error error = {0};
    if (!sass_assemble(table, source->bytes, source->length, arch, NULL, &module, &error)) {
        fuzz_check(error.status != ATOLL_OK && error.message[0]);
    } else if (!sass_lower(table, &module, &lanes, NULL, &error)) {
        fuzz_check(error.status != ATOLL_OK && error.message[0]);
    } else if (!lane_verify(&lanes, &error)) {
        for (uint32_t i = 0; i < lanes.funcs[0].nplaces; i++) /* the message counts these */
            fprintf(stderr, "%u: %s\n", i + 1, lanes.funcs[0].places[i].name);
        fprintf(stderr, "%s\n", error.message);
        fuzz_check(false);
    }
    lane_module_free(&lanes);
    sass_free(&module);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct isa_table table;
    struct text source = {0};
    unsigned arch = size ? data[0] % SASS_ARCHS : 0;
    uint64_t count = 0;
    fuzz_check(sass_open(&table, NULL));
    text_puts(&source, ".norules\n");
    for (size_t at = 1; at + 8 <= size && count < LONGEST; at += 8) {
        char text[ISA_TEXT];
        uint64_t bits;
        memcpy(&bits, data + at, 8);
        if (word_check(&table, bits, arch, sass_address(count), text)) {
            text_printf(&source, "%s;\n", text);
            count++;
        }
    }
    if (count && text_ok(&source))
        lower(&table, &source, arch);
    text_free(&source);
    isa_close(&table);
    return 0;
}

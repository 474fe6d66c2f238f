/* Machine code of Maxwell in bytes: one instruction at a time, and whole modules.
 *
 * The bytes of an instruction are the 8 of its word; where there are 4 more, they hold its 21 control bits (which in
 * code lie in a control word that three instructions share). */
#include "isa/sass/family.h"

#include "base/text.h"
#include "isa/diag.h"
#include "isa/sass/code.h"
#include "isa/sass/control.h"
#include "isa/sass/lines.h"
#include "isa/sass/parse.h"
#include "isa/sass/rules.h"

#include <string.h>

enum { WORD_BYTES = 8, CONTROL_BYTES = 4 };

static const struct isa_table *rows(const struct family_machine *m)
{
    return m->rows;
}

static const void *open_rows(struct atoll_error *error)
{
    return sass_table(error);
}

static unsigned lint(const void *table, struct text *out, unsigned *breaks)
{
    *breaks = isa_lint(table, out);
    return ((const struct isa_table *)table)->nforms;
}

static struct isa_word word_read(const uint8_t *bytes, bool controlled)
{
    struct isa_word word = {{bytes_u64(bytes), SASS_CONTROL_NEUTRAL}};
    if (controlled)
        word.part[1] = bytes_u32(bytes + WORD_BYTES);
    return word;
}

static bool decode(const struct family_machine *m, const void *bytes, size_t size, uint64_t address, char *text,
                   size_t *used, struct atoll_error *error)
{
    bool controlled = size >= WORD_BYTES + CONTROL_BYTES;
    const char *why = NULL;
    if (size < WORD_BYTES)
        return error_set(error, ATOLL_INPUT, "%zu bytes: an instruction has %d", size, WORD_BYTES);
    struct isa_word word = word_read(bytes, controlled);
    const struct isa_form *form = isa_find(rows(m), &word, m->machine, &why);
    if (form)
        why = sass_control_refused(form, &word);
    if (!form || why)
        return error_set(error, ATOLL_INPUT, "%s", why ? why : "no such instruction");
    *used = WORD_BYTES + (controlled ? CONTROL_BYTES : 0);
    return isa_print(rows(m), form, &word, address, text) > 0;
}

/* What is to be told of a text that was read: `warning` and how many there are; NULL: nothing. */
static void told(struct atoll_error *error, const char *warning, unsigned count, uint32_t line, uint32_t column)
{
    if (!error)
        return;
    if (count > 1)
        error_at(error, ATOLL_OK, line, column, "%s (and %u more)", warning, count - 1);
    else
        error_at(error, ATOLL_OK, warning ? line : 0, warning ? column : 0, "%s", warning ? warning : "");
}

static size_t trim(const char *text, size_t length, const char *characters)
{
    while (length && strchr(characters, text[length - 1]) && text[length - 1])
        length--;
    return length;
}

/* The control bits that a text asks for; *end: where its instruction ends. */
static bool read_control(const char *text, size_t length, bool rules, uint32_t *control, size_t *end,
                         struct atoll_error *error)
{
    size_t from = rules ? control_find(text, length) : length, at = 0;
    length = from < length ? trim(text, length, " \t;") : length;
    if (from < length && !control_parse(text + from, length - from, control, &at)) {
        char read[DIAG_READ];
        diag_read(text + from + at, text + length, read);
        return error_at(error, ATOLL_INPUT, 1, (uint32_t)(from + at) + 1, "wanted %s%s", CONTROL_WANTED, read);
    }
    *end = trim(text, from, " \t");
    return true;
}

static bool parse(const struct family_machine *m, const char *text, size_t length, uint64_t address, bool rules,
                  struct isa_word *word, struct atoll_error *error)
{
    struct isa_mistake mistake = {0};
    const char *warning, *comment = length ? memchr(text, '#', length) : NULL;
    uint32_t control = (uint32_t)word->part[1];
    size_t end = length;
    if (comment)
        length = (size_t)(comment - text);
    if (!read_control(text, length, rules, &control, &end, error))
        return false;
    word->part[1] = control; /* before the text, which adds the bits of .reuse */
    const struct isa_form *form = sass_parse(rows(m), text, end, m->machine, address, word, &mistake, &warning);
    if (!form || (rules && !sass_rules_read(rows(m), form, word, text, end, &mistake)))
        return error_at(error, ATOLL_INPUT, 1, (uint32_t)mistake.at + 1, "wanted %s", mistake.wanted);
    const char *why = end < trim(text, length, " \t;") ? sass_control_refused(form, word) : NULL;
    if (why)
        return error_at(error, ATOLL_INPUT, 1, (uint32_t)end + 1, "%s", why);
    told(error, warning, 1, 1, 1);
    return true;
}

static bool encode(const struct family_machine *m, const char *text, size_t length, uint64_t address, bool rules,
                   void *bytes, size_t room, size_t *used, struct atoll_error *error)
{
    bool controlled = room >= WORD_BYTES + CONTROL_BYTES;
    if (room < WORD_BYTES)
        return error_set(error, ATOLL_USAGE, "room for %zu bytes: an instruction has %d", room, WORD_BYTES);
    struct isa_word word = {{0, SASS_CONTROL_NEUTRAL}};
    if (!parse(m, text, length, address, rules, &word, error))
        return false;
    bytes_put(bytes, word.part[0], WORD_BYTES);
    if (controlled)
        bytes_put((uint8_t *)bytes + WORD_BYTES, word.part[1], CONTROL_BYTES);
    *used = WORD_BYTES + (controlled ? CONTROL_BYTES : 0);
    return true;
}

/* ---- modules ----------------------------------------------------------------------------------------- */

static bool list_cubin(const struct family_machine *m, const void *bytes, size_t size,
                       const struct sass_listing *listing, struct text *out, struct atoll_error *error)
{
    struct sass_module module;
    bool ok = sass_read(bytes, size, &module, error) && sass_list_module(rows(m), &module, listing, out, error);
    sass_free(&module);
    return ok;
}

static bool list_raw(const struct family_machine *m, const void *bytes, size_t size, const struct sass_listing *listing,
                     struct text *out, struct atoll_error *error)
{
    struct arena arena = {0};
    struct sass_code code = {.table = rows(m), .arch = m->machine};
    bool ok = sass_decode(&arena, bytes, size, &code, error) && sass_list_code(&code, listing, out, error);
    arena_free(&arena);
    return ok;
}

static bool disassemble(const struct family_machine *m, bool raw, const void *bytes, size_t size,
                        const struct atoll_listing_options *options, struct text *out, struct atoll_error *error)
{
    struct sass_listing listing = {.hex = options->hex,
                                   .control = options->control,
                                   .code = options->code,
                                   .no_vliw = options->no_vliw,
                                   .no_dataflow = options->no_dataflow,
                                   .base = options->base};
    return (raw ? list_raw : list_cubin)(m, bytes, size, &listing, out, error);
}

static bool assemble(const struct family_machine *m, const char *text, size_t length,
                     const struct atoll_module_options *options, struct text *out, struct atoll_error *error)
{
    struct sass_module module;
    struct atoll_error earliest = {0};
    struct diag diag = {.source = text, .size = length, .options = options, .first = &earliest, .hold = true};
    bool ok = sass_assemble(rows(m), text, length, m->machine, options ? &diag : NULL, &module, error) &&
              sass_write(&module, out, error);
    if (ok) {
        const struct sass_warning *first = module.nwarnings ? module.warnings : NULL;
        told(error, first ? first->text : NULL, module.nwarnings, first ? first->line : 0, first ? first->column : 0);
    }
    sass_free(&module);
    return ok;
}

/* ---- hazards ----------------------------------------------------------------------------------------- */

static bool section_hazards(const struct isa_table *table, const struct sass_module *module, uint32_t index,
                            const struct sass_lines *lines, struct text *out, unsigned *count,
                            struct atoll_error *error)
{
    const struct sass_section *s = &module->sections[index];
    struct arena arena = {0};
    struct sass_code code = {.table = table};
    const char *name = strncmp(s->name, ".text.", 6) == 0 ? s->name + 6 : s->name;
    bool ok = sass_arch_of(module->arch, &code.arch) && sass_decode(&arena, s->bytes, s->size, &code, error);
    if (ok)
        *count += sass_hazards(&code, name, lines, index, out);
    arena_free(&arena);
    return ok;
}

static bool hazards(const struct family_machine *m, const void *bytes, size_t size, struct text *out, unsigned *count,
                    struct atoll_error *error)
{
    struct sass_module module;
    bool ok = sass_is_elf(bytes, size) ? sass_read(bytes, size, &module, error)
                                       : sass_assemble(rows(m), bytes, size, m->machine, NULL, &module, error);
    if (!ok && error && !sass_takes(bytes, size)) {
        struct atoll_error why = *error;
        error_at(error, why.status, why.line, why.column, "neither a cubin nor text of machine code: %.380s",
                 why.message);
    }
    struct arena arena = {0};
    struct sass_lines lines;
    ok = ok && (sass_lines_read(&module, &arena, &arena, &lines) || error_memory(error));
    for (uint32_t i = 1; ok && i < module.nsections; i++)
        if (module.sections[i].type == SASS_PROGBITS && module.sections[i].flags & SASS_EXECUTE)
            ok = section_hazards(rows(m), &module, i, &lines, out, count, error);
    arena_free(&arena);
    sass_free(&module);
    return ok;
}

const struct family_code sass_family_code = {
    .hex = {WORD_BYTES, 1, CONTROL_BYTES, "hexadecimal numbers: word, address, control bits"},
    .rows = open_rows,
    .lint = lint,
    .decode = decode,
    .encode = encode,
    .disassemble = disassemble,
    .assemble = assemble,
    .hazards = hazards,
};

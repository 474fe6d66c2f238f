/* Machine code: one instruction at a time, and whole modules. */
#include "api/api.h"

#include "base/text.h"
#include "isa/diag.h"
#include "isa/sass/code.h"
#include "isa/sass/control.h"
#include "isa/sass/parse.h"
#include "isa/sass/rules.h"

#include <stdlib.h>
#include <string.h>

struct atoll_isa {
    struct isa_table table;
    unsigned arch;
};

/* "SM50" */
static bool arch_find(const char *name, unsigned *arch, struct atoll_error *error)
{
    return sass_arch_parse(name, arch) ||
           error_set(error, ATOLL_USAGE, "no instruction set '%.60s'; there are SM50, SM52, SM53", name ? name : "");
}

/* The bytes or text that `function` works on. */
static bool given(const void *bytes, size_t size, const char *function, struct atoll_error *error)
{
    return bytes || !size || error_set(error, ATOLL_USAGE, "%s: %zu bytes at NULL", function, size);
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

/* What machine code was wanted for. */
static bool no_ptx(const char *text, size_t size, struct atoll_error *error)
{
    return !code_is_ptx(text, size) ||
           error_set(
               error, ATOLL_INPUT,
               "this is PTX: atoll run, check, info and fmt take it as it is; machine code is made of it by ptxas");
}

bool atoll_isa_open(const char *name, struct atoll_isa **isa, struct atoll_error *error)
{
    unsigned arch;
    *isa = NULL;
    if (!arch_find(name, &arch, error))
        return false;
    struct atoll_isa *opened = calloc(1, sizeof *opened);
    if (!opened)
        return error_memory(error);
    opened->arch = arch;
    if (!sass_open(&opened->table, error)) {
        free(opened);
        return false;
    }
    *isa = opened;
    return true;
}

void atoll_isa_close(struct atoll_isa *isa)
{
    if (!isa)
        return;
    isa_close(&isa->table);
    free(isa);
}

_Static_assert(sizeof(struct atoll_word) == sizeof(struct isa_word), "one picture of a word");
_Static_assert((int)ATOLL_INSTRUCTION_TEXT == (int)ISA_TEXT, "one size of a text");

size_t atoll_isa_print(const struct atoll_isa *isa, const struct atoll_word *word, uint64_t address,
                       char text[ATOLL_INSTRUCTION_TEXT])
{
    struct isa_word bits = {{word->part[0], word->part[1], word->part[2]}};
    const char *why = NULL;
    const struct isa_form *form = isa_find(&isa->table, &bits, isa->arch, &why);
    if (form)
        why = sass_control_refused(form, &bits);
    if (form && !why)
        return isa_print(&isa->table, form, &bits, address, text);
    size_t length = strlen(why ? why : "no such instruction");
    memcpy(text, why ? why : "no such instruction", length < ISA_TEXT ? length + 1 : ISA_TEXT);
    text[ISA_TEXT - 1] = 0;
    return 0;
}

bool atoll_isa_parse(const struct atoll_isa *isa, const char *text, size_t length, uint64_t address, bool rules,
                     struct atoll_word *word, struct atoll_error *error)
{
    struct isa_word bits = {{word->part[0], word->part[1], word->part[2]}};
    struct isa_mistake mistake = {0};
    const char *warning, *comment = length ? memchr(text, '#', length) : NULL;
    if (comment)
        length = (size_t)(comment - text);
    size_t end = rules ? control_find(text, length) : length, at = 0;
    uint32_t control = (uint32_t)bits.part[1];
    while (end < length && (text[length - 1] == ' ' || text[length - 1] == '\t' || text[length - 1] == ';'))
        length--;
    if (end < length && !control_parse(text + end, length - end, &control, &at)) {
        char read[DIAG_READ];
        diag_read(text + end + at, text + length, read);
        return error_at(error, ATOLL_INPUT, 1, (uint32_t)(end + at) + 1, "wanted %s%s", CONTROL_WANTED, read);
    }
    bits.part[1] = control; /* before the text, which adds the bits of .reuse */
    while (end && (text[end - 1] == ' ' || text[end - 1] == '\t'))
        end--;
    if (!no_ptx(text, length, error))
        return false;
    const struct isa_form *form = sass_parse(&isa->table, text, end, isa->arch, address, &bits, &mistake, &warning);
    if (!form || (rules && !sass_rules_read(&isa->table, form, &bits, text, end, &mistake)))
        return error_at(error, ATOLL_INPUT, 1, (uint32_t)mistake.at + 1, "wanted %s", mistake.wanted);
    const char *why = end < length ? sass_control_refused(form, &bits) : NULL;
    if (why)
        return error_at(error, ATOLL_INPUT, 1, (uint32_t)end + 1, "%s", why);
    memcpy(word->part, bits.part, sizeof word->part);
    told(error, warning, 1, 1, 1);
    return true;
}

/* ---- modules ----------------------------------------------------------------------------------------- */

static bool list_cubin(const struct isa_table *table, const void *bytes, size_t size,
                       const struct sass_listing *listing, struct text *out, struct atoll_error *error)
{
    struct sass_module module;
    bool ok = sass_read(bytes, size, &module, error) && sass_list_module(table, &module, listing, out, error);
    sass_free(&module);
    return ok;
}

static bool list_raw(const struct isa_table *table, unsigned arch, const void *bytes, size_t size,
                     const struct sass_listing *listing, struct text *out, struct atoll_error *error)
{
    struct arena arena = {0};
    struct sass_code code = {.table = table, .arch = arch};
    bool ok = sass_decode(&arena, bytes, size, &code, error) && sass_list_code(&code, listing, out, error);
    arena_free(&arena);
    return ok;
}

bool atoll_disassemble(const void *bytes, size_t size, const struct atoll_listing_options *options, char **text,
                       size_t *length, struct atoll_error *error)
{
    static const struct atoll_listing_options none;
    struct text out = {0};
    struct isa_table table;
    unsigned arch = SASS_ARCH_50;
    *text = NULL;
    *length = 0;
    options = options ? options : &none;
    struct sass_listing listing = {.hex = options->hex,
                                   .control = options->control,
                                   .code = options->code,
                                   .no_vliw = options->no_vliw,
                                   .no_dataflow = options->no_dataflow,
                                   .base = options->base};
    if (!given(bytes, size, "atoll_disassemble", error) || (options->isa && !arch_find(options->isa, &arch, error)) ||
        !no_ptx(bytes, size, error) || !sass_open(&table, error))
        return false;
    bool ok = options->isa ? list_raw(&table, arch, bytes, size, &listing, &out, error)
                           : list_cubin(&table, bytes, size, &listing, &out, error);
    isa_close(&table);
    return api_give(&out, ok, text, length, error);
}

bool atoll_assemble(const char *text, size_t length, const char *isa, char **bytes, size_t *size,
                    struct atoll_error *error)
{
    struct text out = {0};
    struct isa_table table;
    struct sass_module module;
    unsigned arch = SASS_ARCH_50;
    *bytes = NULL;
    *size = 0;
    if (!given(text, length, "atoll_assemble", error) || (isa && !arch_find(isa, &arch, error)) ||
        !no_ptx(text, length, error) || !sass_open(&table, error))
        return false;
    bool ok = sass_assemble(&table, text, length, arch, &module, error) && sass_write(&module, &out, error);
    if (ok) {
        const struct sass_warning *first = module.nwarnings ? module.warnings : NULL;
        told(error, first ? first->text : NULL, module.nwarnings, first ? first->line : 0, first ? first->column : 0);
    }
    sass_free(&module);
    isa_close(&table);
    return api_give(&out, ok, bytes, size, error);
}

/* ---- hazards ----------------------------------------------------------------------------------------- */

static bool section_hazards(const struct isa_table *table, const struct sass_module *module, uint32_t index,
                            struct text *out, unsigned *count, struct atoll_error *error)
{
    const struct sass_section *s = &module->sections[index];
    struct arena arena = {0};
    struct sass_code code = {.table = table};
    const char *name = strncmp(s->name, ".text.", 6) == 0 ? s->name + 6 : s->name;
    bool ok = sass_arch_of(module->arch, &code.arch) && sass_decode(&arena, s->bytes, s->size, &code, error);
    if (ok)
        *count += sass_hazards(&code, name, out);
    arena_free(&arena);
    return ok;
}

bool atoll_hazards(const void *bytes, size_t size, char **report, size_t *length, unsigned *count,
                   struct atoll_error *error)
{
    struct text out = {0};
    struct isa_table table;
    struct sass_module module;
    unsigned found = 0;
    *report = NULL;
    *length = 0;
    if (!given(bytes, size, "atoll_hazards", error) || !sass_open(&table, error))
        return false;
    bool ok = size >= 4 && memcmp(bytes, "\177ELF", 4) == 0
                  ? sass_read(bytes, size, &module, error)
                  : sass_assemble(&table, bytes, size, SASS_ARCH_50, &module, error);
    if (!ok && error && !code_recognise(bytes, size)) {
        struct atoll_error why = *error;
        error_at(error, why.status, why.line, why.column, "neither a cubin nor text of machine code: %.380s",
                 why.message);
    }
    for (uint32_t i = 1; ok && i < module.nsections; i++)
        if (module.sections[i].type == SASS_PROGBITS && module.sections[i].flags & SASS_EXECUTE)
            ok = section_hazards(&table, &module, i, &out, &found, error);
    sass_free(&module);
    isa_close(&table);
    if (count)
        *count = found;
    return api_give(&out, ok, report, length, error);
}

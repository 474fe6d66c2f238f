/* atoll.h: machine code, one instruction at a time and whole modules; texts about instructions. */
#include "api/api.h"

#include "base/text.h"
#include "isa/foreign.h"
#include "isa/table.h"

#include <stdlib.h>
#include <string.h>

struct atoll_isa {
    struct family_machine machine;
};

/* `code`: one with code in bytes was wanted. */
static bool no_machine(const char *name, bool code, struct atoll_error *error)
{
    struct text names = {0};
    family_list_machines(code, &names);
    error_set(error, ATOLL_USAGE, "no instruction set '%.60s'; there are %s", name ? name : "",
              text_ok(&names) ? names.bytes : "others");
    text_free(&names);
    return false;
}

/* By name; NULL: the first instruction set of the family that takes the module and has code in bytes, or of the first
 * that has. */
static bool machine_find(const char *name, const char *module, size_t size, struct family_machine *m,
                         struct atoll_error *error)
{
    const struct family *family = family_of_text(module, size);
    *m = (struct family_machine){0};
    m->family = name ? family_of_machine(name, &m->machine) : family->code ? family : family_of_code();
    return (m->family && m->family->code) || no_machine(name, true, error);
}

static bool machine_open(const char *name, const char *module, size_t size, struct family_machine *m,
                         struct atoll_error *error)
{
    return machine_find(name, module, size, m, error) && (m->rows = m->family->code->rows(error)) != NULL;
}

/* The bytes or text that `function` works on. */
static bool given(const void *bytes, size_t size, const char *function, struct atoll_error *error)
{
    return bytes || !size || error_set(error, ATOLL_USAGE, "%s: %zu bytes at NULL", function, size);
}

/* Machine code was wanted: not a text of another family. */
static bool of_family(const struct family *wanted, const char *text, size_t size, struct atoll_error *error)
{
    const struct family *family = family_of_text(text, size);
    return family == wanted || !family->not_code || !family->takes(text, size) ||
           error_set(error, ATOLL_INPUT, "%s", family->not_code);
}

/* ---- one instruction --------------------------------------------------------------------------------------- */

_Static_assert((int)ATOLL_INSTRUCTION_TEXT == (int)ISA_TEXT, "one size of a text");

bool atoll_isa_open(const char *name, struct atoll_isa **isa, struct atoll_error *error)
{
    struct family_machine machine;
    *isa = NULL;
    if (!machine_open(name, "", 0, &machine, error))
        return false;
    struct atoll_isa *opened = malloc(sizeof *opened);
    if (!opened)
        return error_memory(error);
    opened->machine = machine;
    *isa = opened;
    return true;
}

void atoll_isa_close(struct atoll_isa *isa)
{
    free(isa);
}

bool atoll_isa_decode(const struct atoll_isa *isa, const void *bytes, size_t size, uint64_t address,
                      char text[ATOLL_INSTRUCTION_TEXT], size_t *used, struct atoll_error *error)
{
    size_t ignored;
    text[0] = 0;
    return given(bytes, size, "atoll_isa_decode", error) &&
           isa->machine.family->code->decode(&isa->machine, bytes, size, address, text, used ? used : &ignored, error);
}

bool atoll_isa_encode(const struct atoll_isa *isa, const char *text, size_t length, uint64_t address, bool rules,
                      void *bytes, size_t room, size_t *used, struct atoll_error *error)
{
    size_t ignored;
    return given(text, length, "atoll_isa_encode", error) && given(bytes, room, "atoll_isa_encode", error) &&
           of_family(isa->machine.family, text, length, error) &&
           isa->machine.family->code->encode(&isa->machine, text, length, address, rules, bytes, room,
                                             used ? used : &ignored, error);
}

/* ---- modules ----------------------------------------------------------------------------------------- */

bool atoll_disassemble(const void *bytes, size_t size, const struct atoll_listing_options *options, char **text,
                       size_t *length, struct atoll_error *error)
{
    static const struct atoll_listing_options none;
    struct text out = {0};
    struct family_machine m;
    *text = NULL;
    *length = 0;
    options = options ? options : &none;
    if (!given(bytes, size, "atoll_disassemble", error) ||
        (!options->isa && !foreign_refuse(NULL, bytes, size, error)) ||
        !machine_open(options->isa, bytes, size, &m, error) || !of_family(m.family, bytes, size, error))
        return false;
    bool ok = m.family->code->disassemble(&m, options->isa != NULL, bytes, size, options, &out, error);
    return api_give(&out, ok, text, length, error);
}

bool atoll_assemble(const char *text, size_t length, const char *isa, const struct atoll_module_options *options,
                    char **bytes, size_t *size, struct atoll_error *error)
{
    struct text out = {0};
    struct family_machine m;
    *bytes = NULL;
    *size = 0;
    if (!given(text, length, "atoll_assemble", error) || !foreign_refuse(NULL, text, length, error) ||
        !machine_open(isa, text, length, &m, error) || !of_family(m.family, text, length, error))
        return false;
    bool ok = m.family->code->assemble(&m, text, length, options, &out, error);
    return api_give(&out, ok, bytes, size, error);
}

/* Of the family that takes the bytes, or the first that has code. */
bool atoll_hazards(const void *bytes, size_t size, char **report, size_t *length, unsigned *count,
                   struct atoll_error *error)
{
    struct text out = {0};
    unsigned found = 0;
    *report = NULL;
    *length = 0;
    if (!given(bytes, size, "atoll_hazards", error))
        return false;
    struct family_machine m;
    if (!machine_open(NULL, bytes, size, &m, error))
        return false;
    if (!m.family->code->hazards)
        return error_set(error, ATOLL_UNSUPPORTED, "no hazards are known of %s", m.family->title);
    bool ok = m.family->code->hazards(&m, bytes, size, &out, &found, error);
    if (count)
        *count = found;
    return api_give(&out, ok, report, length, error);
}

/* ---- texts about instructions ------------------------------------------------------------------------------ */

bool atoll_explain_in(const char *isa, const char *instruction, char **text, size_t *size, struct atoll_error *error)
{
    struct text out = {0};
    unsigned machine = FAMILY_ANY;
    *text = NULL;
    *size = 0;
    if (!instruction)
        return error_set(error, ATOLL_USAGE, "no instruction given");
    const struct family *family = isa ? family_of_machine(isa, &machine) : family_that_explains(instruction);
    if (family)
        return api_give(&out, family_explain(family, instruction, machine, &out, error), text, size, error);
    return no_machine(isa, false, error);
}

bool atoll_explain(const char *instruction, char **text, size_t *size, struct atoll_error *error)
{
    return atoll_explain_in(NULL, instruction, text, size, error);
}

bool atoll_list(const char *family, unsigned flags, char **text, size_t *size, struct atoll_error *error)
{
    struct text out = {0};
    const struct family *found = family_find(family);
    *text = NULL;
    *size = 0;
    if (!found)
        return error_set(error, ATOLL_USAGE, "'%.100s' is no family of instructions", family ? family : "");
    if (!found->list)
        return error_set(error, ATOLL_UNSUPPORTED, "there is no list of the instructions of %s", found->title);
    found->list(flags, &out);
    return api_give(&out, true, text, size, error);
}

const char *atoll_family_name(uint32_t index)
{
    for (uint32_t i = 0; families[i]; i++)
        if (i == index)
            return families[i]->name;
    return NULL;
}

/* ---- proofs ------------------------------------------------------------------------------------------------ */

static bool lint_rows(const struct family_code *code, struct text *out, struct atoll_lint_counts *counts,
                      struct atoll_error *error)
{
    const void *rows = code->rows(error);
    if (rows)
        counts->rows = code->lint(rows, out, &counts->breaks);
    return rows != NULL;
}

bool atoll_lint(const char *family, char **report, size_t *size, struct atoll_lint_counts *counts,
                struct atoll_error *error)
{
    struct text out = {0};
    struct atoll_lint_counts found = {0};
    const struct family *named = family_find(family);
    *report = NULL;
    *size = 0;
    if (!named || !named->code || !named->code->lint)
        return error_set(error, ATOLL_USAGE, "'%.100s' is no family of instructions with a binary form",
                         family ? family : "");
    bool ok = lint_rows(named->code, &out, &found, error);
    if (counts)
        *counts = found;
    return api_give(&out, ok, report, size, error);
}

/* Texts about instructions: one explained, a family listed. */
#include "api/api.h"

#include "isa/ptx/explain.h"
#include "isa/sass/code.h"
#include "isa/sass/explain.h"
#include "isa/sass/reference.h"

#include <string.h>

/* A family's texts. A list is written for any set of enum atoll_list_flag. */
static const struct family {
    const char *name;
    void (*list)(unsigned flags, struct text *out);
} families[] = {
    {"ptx", ptx_list},
    {"sass", sass_list},
};
enum { FAMILIES = sizeof families / sizeof families[0] };

/* "PTX", "SM50" ..; NULL: told by the text, PTX writes mnemonics in lower case. *arch: of Maxwell, SASS_ARCHS = any. */
static bool family_of(const char *isa, const char *instruction, bool *sass, unsigned *arch, struct atoll_error *error)
{
    *arch = SASS_ARCHS;
    *sass = isa ? strcmp(isa, "PTX") != 0 && strcmp(isa, "ptx") != 0 : sass_explain_takes(instruction);
    return !isa || !*sass || sass_arch_parse(isa, arch) ||
           error_set(error, ATOLL_USAGE, "no instruction set '%.60s'; there are PTX, SM50, SM52, SM53", isa);
}

bool atoll_explain_in(const char *isa, const char *instruction, char **text, size_t *size, struct atoll_error *error)
{
    struct text out = {0};
    bool sass;
    unsigned arch;
    *text = NULL;
    *size = 0;
    if (!instruction)
        return error_set(error, ATOLL_USAGE, "no instruction given");
    if (!family_of(isa, instruction, &sass, &arch, error))
        return false;
    return api_give(&out, sass ? sass_explain(instruction, arch, &out, error) : ptx_explain(instruction, &out, error),
                    text, size, error);
}

bool atoll_explain(const char *instruction, char **text, size_t *size, struct atoll_error *error)
{
    return atoll_explain_in(NULL, instruction, text, size, error);
}

bool atoll_list(const char *family, unsigned flags, char **text, size_t *size, struct atoll_error *error)
{
    struct text out = {0};
    *text = NULL;
    *size = 0;
    for (unsigned i = 0; i < FAMILIES; i++)
        if (family && strcmp(family, families[i].name) == 0) {
            families[i].list(flags, &out);
            return api_give(&out, true, text, size, error);
        }
    return error_set(error, ATOLL_USAGE, "'%.100s' is no family of instructions", family ? family : "");
}

const char *atoll_family_name(uint32_t index)
{
    return index < FAMILIES ? families[index].name : NULL;
}

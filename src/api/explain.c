/* Texts about instructions: one explained, a family listed. */
#include <string.h>

#include "isa/ptx/explain.h"
#include "isa/sass/reference.h"

/* A family's texts. A list is written for any set of enum atoll_list_flag. */
static const struct family {
    const char *name;
    void (*list)(unsigned flags, struct text *out);
} families[] = {
    {"ptx", ptx_list},
    {"sass", sass_list},
};
enum { FAMILIES = sizeof families / sizeof families[0] };

/* Hands a text over to the caller, or frees it. */
static bool give(struct text *out, bool ok, char **text, size_t *size, struct atoll_error *error)
{
    if (ok && !text_ok(out))
        ok = error_memory(error);
    if (!ok) {
        text_free(out);
        return false;
    }
    *text = out->bytes;
    *size = out->length;
    return true;
}

bool atoll_explain(const char *instruction, char **text, size_t *size, struct atoll_error *error)
{
    struct text out = {0};
    *text = NULL;
    *size = 0;
    if (!instruction)
        return error_set(error, ATOLL_USAGE, "no instruction given");
    text_puts(&out, "");
    return give(&out, ptx_explain(instruction, &out, error), text, size, error);
}

bool atoll_list(const char *family, unsigned flags, char **text, size_t *size, struct atoll_error *error)
{
    struct text out = {0};
    *text = NULL;
    *size = 0;
    for (unsigned i = 0; i < FAMILIES; i++)
        if (family && strcmp(family, families[i].name) == 0) {
            families[i].list(flags, &out);
            return give(&out, true, text, size, error);
        }
    return error_set(error, ATOLL_USAGE, "'%.100s' is no family of instructions", family ? family : "");
}

const char *atoll_family_name(uint32_t index)
{
    return index < FAMILIES ? families[index].name : NULL;
}

/* The list of families, and who of them is meant. */
#include "isa/family.h"

#include "base/text.h"
#include "isa/ctm/family.h"
#include "isa/ptx/family.h"
#include "isa/sass/family.h"
#include "isa/visa/family.h"

#include <ctype.h>
#include <string.h>

const struct family *const families[] = {&ptx_family, &sass_family, &visa_family, &ctm_family, NULL};

/* The last is asked first: text of vISA begins like PTX, and says more; machine code takes what is ELF, but for CTM's.
 */
const struct family *family_of_text(const char *text, size_t size)
{
    size_t count = 0;
    while (families[count])
        count++;
    while (count-- > 0)
        if (families[count]->takes(text, size))
            return families[count];
    return families[0];
}

const struct family *family_find(const char *name)
{
    for (const struct family *const *f = families; *f && name; f++)
        if (strcmp(name, (*f)->name) == 0)
            return *f;
    return NULL;
}

/* "SM50" and "sm_50" are one. */
static bool machine_is(const char *name, const char *machine)
{
    for (; *name; name++) {
        if (*name == '_')
            continue;
        if (toupper((unsigned char)*name) != *machine)
            return false;
        machine++;
    }
    return !*machine;
}

const struct family *family_of_machine(const char *name, unsigned *machine)
{
    for (const struct family *const *f = families; *f && name; f++)
        for (unsigned i = 0; (*f)->machines[i]; i++)
            if (machine_is(name, (*f)->machines[i])) {
                *machine = i;
                return *f;
            }
    return NULL;
}

const struct family *family_of_code(void)
{
    const struct family *const *f = families;
    while (*f && !(*f)->code)
        f++;
    return *f;
}

const struct family *family_of_headers(void)
{
    const struct family *const *f = families;
    while (*f && !(*f)->headers)
        f++;
    return *f;
}

uint32_t family_last_header(void)
{
    uint32_t last = UINT32_MAX;
    for (const struct family *const *f = families; *f; f++)
        if ((*f)->headers && (*f)->headers->last < last)
            last = (*f)->headers->last;
    return last;
}

void family_list_machines(bool code, struct text *out)
{
    for (const struct family *const *f = families; *f; f++)
        for (unsigned i = 0; (*f)->machines[i] && (!code || (*f)->code); i++)
            text_printf(out, "%s%s", out->length ? ", " : "", (*f)->machines[i]);
}

const char *family_skip_comments(const char *at, const char *end)
{
    for (;;) {
        while (at < end && isspace((unsigned char)*at))
            at++;
        if (end - at < 2 || (*at != '/' && *at != '#'))
            return at;
        if (at[1] == '/' || *at == '#') {
            while (at < end && *at != '\n')
                at++;
        } else if (at[1] == '*') {
            at += 2;
            while (end - at >= 2 && !(at[0] == '*' && at[1] == '/'))
                at++;
            at = end - at >= 2 ? at + 2 : end;
        } else {
            return at;
        }
    }
}

const struct family *family_that_explains(const char *instruction)
{
    for (const struct family *const *f = families; *f; f++)
        if ((*f)->explains && (*f)->explains(instruction))
            return *f;
    return families[0];
}

/* Whether text or bytes are machine code of Maxwell, by how they begin. */
#include "isa/sass/family.h"

#include <ctype.h>
#include <string.h>

/* Directives that only the text of machine code begins with; PTX begins with .version. */
static const char *const directives[] = {"elftype", "elfversion", "headerflags", "insn",
                                         "kernel",  "norules",    "param",       "section"};

/* ".shared 16": in PTX a type or alignment is there. */
static bool size_directive(const char *at, const char *end)
{
    static const char *const names[] = {".shared", ".local"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        const char *number = at + length;
        if ((size_t)(end - at) <= length || memcmp(at, names[i], length) != 0)
            continue;
        while (number < end && (*number == ' ' || *number == '\t'))
            number++;
        return number > at + length && number < end && isdigit((unsigned char)*number);
    }
    return false;
}

bool sass_is_elf(const void *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "\177ELF", 4) == 0;
}

bool sass_takes(const char *text, size_t size)
{
    const char *end = text + size, *at;
    if (sass_is_elf(text, size))
        return true;
    at = family_skip_comments(text, end);
    if (size_directive(at, end))
        return true;
    for (size_t i = 0; at < end && *at == '.' && i < sizeof directives / sizeof *directives; i++) {
        size_t length = strlen(directives[i]);
        if ((size_t)(end - at) > length + 1 && memcmp(at + 1, directives[i], length) == 0 &&
            isspace((unsigned char)at[length + 1]))
            return true;
    }
    /* An instruction: "MOV R0, R1", "{ ...", "@P0 ..." */
    return end - at >= 2 &&
           ((isupper((unsigned char)at[0]) && (isupper((unsigned char)at[1]) || isdigit((unsigned char)at[1]))) ||
            *at == '{' || (*at == '@' && (at[1] == 'P' || at[1] == '!')));
}

/* The lists of names of SASS fields, made from names_list.h (memory, flow) and names_alu.h. */
#include "isa/sass/rows.h"

#include <string.h>

#define NAMES(list, rest, ...) static const char *const text_##list[] = {__VA_ARGS__};
#define SPREAD(...)            __VA_ARGS__
#define NAMES_ALSO(list, rest, also, ...)                                  \
    static const struct isa_also also_##list[] = {SPREAD also, {0, NULL}}; \
    NAMES(list, rest, __VA_ARGS__)
#include "isa/sass/names_alu.h"
#include "isa/sass/names_list.h"
#undef NAMES
#undef NAMES_ALSO

#define ROW(list, rest, also)             {#list, text_##list, sizeof text_##list / sizeof text_##list[0], rest, also},
#define NAMES(list, rest, ...)            ROW(list, rest, NULL)
#define NAMES_ALSO(list, rest, also, ...) ROW(list, rest, also_##list)

const struct isa_names sass_names[] = {
#include "isa/sass/names_alu.h"
#include "isa/sass/names_list.h"
};

bool sass_reserved(const struct isa_names *names, uint64_t value)
{
    const char *text = value < names->count ? names->text[value] : names->rest;
    for (; text && *text; text++) /* every instruction of a listing comes here */
        if (*text == '?' || (*text == 'I' && strncmp(text, "INVALID", 7) == 0))
            return true;
    return false;
}

const unsigned sass_nnames = sizeof sass_names / sizeof sass_names[0];

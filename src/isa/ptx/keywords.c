/* The words of PTX modifiers: text, class, search. */
#include "isa/ptx/ast.h"

#include <string.h>

struct word {
    const char *text;
    uint8_t length;
    char class;
};

#define CLASS(class) #class[0]
static const struct word words[] = {
    {"", 0, 0},
#define KEYWORD(id, text, class) {text, sizeof(text) - 1, CLASS(class)},
#include "isa/ptx/keywords.h"
#undef KEYWORD
};

_Static_assert(sizeof words / sizeof *words == PTX_KEYWORDS, "one word per keyword");

const char *ptx_keyword_text(enum ptx_keyword keyword)
{
    return keyword < PTX_KEYWORDS ? words[keyword].text : "";
}

char ptx_keyword_class(enum ptx_keyword keyword)
{
    return keyword < PTX_KEYWORDS ? words[keyword].class : 0;
}

/* "m64n<N>k16" -> "m64nNk16": the shapes of wgmma differ in N alone. False if `text` is no such word. */
static bool general_shape(const char *text, size_t length, char out[16], size_t *general)
{
    size_t digits = 4;
    if (length < 7 || length > 12 || memcmp(text, "m64n", 4) != 0)
        return false;
    while (digits < length && text[digits] >= '0' && text[digits] <= '9')
        digits++;
    if (digits == 4 || digits > 7 || text[4] == '0')
        return false;
    memcpy(out, "m64nN", 5);
    memcpy(out + 5, text + digits, length - digits);
    *general = 5 + length - digits;
    return true;
}

/* A plain search: the parser remembers the words it has met (parse.h, struct memo). */
enum ptx_keyword ptx_keyword_find(const char *text, size_t length)
{
    char shape[16];
    if (general_shape(text, length, shape, &length))
        text = shape;
    for (unsigned i = 1; i < PTX_KEYWORDS; i++)
        if (words[i].length == length && memcmp(words[i].text, text, length) == 0)
            return (enum ptx_keyword)i;
    return PTX_UNKNOWN;
}

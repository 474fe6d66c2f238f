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

/* A plain search: the parser remembers the words it has met (parse.h, struct memo). */
enum ptx_keyword ptx_keyword_find(const char *text, size_t length)
{
    for (unsigned i = 1; i < PTX_KEYWORDS; i++)
        if (words[i].length == length && memcmp(words[i].text, text, length) == 0)
            return (enum ptx_keyword)i;
    return PTX_UNKNOWN;
}

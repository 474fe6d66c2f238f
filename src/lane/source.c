/* Places in the source, in words. */
#include "lane/lane.h"

#include "base/mangled.h"
#include "base/text.h"

enum { CALLERS_TOLD = 3 /* of more the last is the outermost */ };

/* Without the folders, of whichever system. */
static void put_line(struct text *out, const struct lane_source *source)
{
    const char *name = source->file;
    for (const char *at = name; *at; at++)
        name = (*at == '/' || *at == '\\') && at[1] ? at + 1 : name;
    text_printf(out, "%.100s:%u", name, source->line);
}

static void put_function(struct text *out, const char *symbol)
{
    struct arena arena = {0};
    const char *plain = mangled_name(&arena, symbol);
    text_printf(out, "%.60s, ", plain ? plain : symbol);
    arena_free(&arena);
}

static void put_caller(struct text *out, const struct lane_source *source, const char *before)
{
    text_puts(out, before);
    if (source->function)
        put_function(out, source->function);
    text_puts(out, "inlined at ");
    put_line(out, source->caller);
}

void lane_source_print(const struct lane_source *source, struct text *out)
{
    unsigned told = 0;
    put_line(out, source);
    for (; source->caller && told < CALLERS_TOLD - 1; source = source->caller, told++)
        put_caller(out, source, told ? "; " : " (");
    bool more = source->caller && source->caller->caller;
    while (source->caller && source->caller->caller)
        source = source->caller;
    if (source->caller)
        put_caller(out, source, more ? "; ...; " : "; ");
    if (told)
        text_puts(out, ")");
}

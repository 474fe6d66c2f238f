/* Fuzzes cubins: what is read must be written again, and that must be read the same; it can be listed and checked. What
 * begins as a second file does, somewhere in the bytes, is one: both are loaded as a module, joined and apart. */
#define _GNU_SOURCE /* memmem */
#include <string.h>

#include "atoll.h"
#include "fuzz.h"
#include "isa/sass/cubin.h"

static void compare(const struct sass_module *a, const struct sass_module *b)
{
    fuzz_check(a->nsections == b->nsections && a->nsymbols == b->nsymbols && a->nfunctions == b->nfunctions);
    fuzz_check(a->nrelocations == b->nrelocations && a->nattributes == b->nattributes);
    for (unsigned i = 1; i < a->nsections; i++) {
        const struct sass_section *s = &a->sections[i], *t = &b->sections[i];
        fuzz_check(strcmp(s->name, t->name) == 0 && s->type == t->type && s->flags == t->flags);
        fuzz_check(s->link == t->link && s->info == t->info && s->align == t->align && s->entry == t->entry);
        bool table = i == a->strtab || i == a->shstrtab; /* these may grow */
        fuzz_check(table ? t->size >= s->size : t->size == s->size);
        if (s->bytes && s->size && !table && i != a->symtab)
            fuzz_check(memcmp(s->bytes, t->bytes, s->size) == 0);
    }
    for (unsigned i = 0; i < a->nsymbols; i++)
        fuzz_check(strcmp(a->symbols[i].name, b->symbols[i].name) == 0 && a->symbols[i].value == b->symbols[i].value &&
                   a->symbols[i].size == b->symbols[i].size);
    for (unsigned i = 0; i < a->nfunctions; i++)
        fuzz_check(a->functions[i].nparameters == b->functions[i].nparameters &&
                   a->functions[i].registers == b->functions[i].registers &&
                   a->functions[i].nattributes == b->functions[i].nattributes);
}

static void list(const uint8_t *data, size_t size)
{
    static const struct atoll_listing_options options = {.control = true, .hex = true};
    struct atoll_error error = {0};
    char *text;
    size_t length;
    if (atoll_disassemble(data, size, &options, &text, &length, &error))
        atoll_text_free(text);
    if (atoll_hazards(data, size, &text, &length, NULL, &error))
        atoll_text_free(text);
}

/* A module, or an error that says why not. */
static void load(const struct atoll_source *sources, unsigned count)
{
    struct atoll_error error = {0};
    struct atoll_module *module;
    bool ok = atoll_module_link(NULL, sources, count, NULL, &module, &error);
    fuzz_check(ok || (error.status != ATOLL_OK && error.message[0]));
    if (ok)
        atoll_module_destroy(module);
}

static void join(const uint8_t *data, size_t size)
{
    enum { HEADER = 64 };
    const uint8_t *second = size > HEADER ? memmem(data + HEADER, size - HEADER, "\177ELF", 4) : NULL;
    size_t first = second ? (size_t)(second - data) : size;
    struct atoll_source sources[] = {{(const char *)data, first, "a"}, {(const char *)data + first, size - first, "b"}};
    load(sources, 1);
    if (second)
        load(sources + 1, 1);
    else
        sources[1] = sources[0];
    load(sources, 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sass_module module, again;
    struct atoll_error error = {0};
    struct text out = {0};
    if (size < 1 << 16)
        join(data, size);
    if (!sass_read(data, size, &module, &error)) {
        fuzz_check(error.status != ATOLL_OK && error.message[0]);
        sass_free(&module);
        return 0;
    }
    fuzz_check(sass_write(&module, &out, &error));
    bool good = sass_read(out.bytes, out.length, &again, &error);
    if (!good)
        fprintf(stderr, "%s\n", error.message);
    fuzz_check(good);
    compare(&module, &again);
    if (size < 1 << 16)
        list(data, size);
    text_free(&out);
    sass_free(&again);
    sass_free(&module);
    return 0;
}

/* Which kernel --kernel means, and what it says about the names of its parameters. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "cli/run.h"

/* NAME of "folder/NAME.ptx". */
static const char *base_name(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    return arena_text(arena, base, dot ? (size_t)(dot - base) : strlen(base));
}

/* Where the list of parameters of "ns::fill<(E)1>(out, int n)" begins: at the parenthesis that the last one closes.
 * NULL: there is none. */
static const char *list_find(const char *text)
{
    const char *at = text + strlen(text);
    int open = 0;
    while (at > text && isspace((unsigned char)at[-1]))
        at--;
    if (at == text || at[-1] != ')')
        return NULL;
    while (at > text) {
        at--;
        open += *at == ')' ? 1 : *at == '(' ? -1 : 0;
        if (open == 0)
            return at > text ? at : NULL;
    }
    return NULL;
}

bool run_kernel(struct run *run, const char **prototype, struct atoll_error *error)
{
    if (run->options->kernel) {
        const char *list = list_find(run->options->kernel);
        size_t length = list ? (size_t)(list - run->options->kernel) : strlen(run->options->kernel);
        const char *name = arena_text(run->arena, run->options->kernel, length);
        *prototype = list;
        return name ? atoll_module_kernel(run->module, name, &run->kernel, error) : error_memory(error);
    }
    const char *base = base_name(run->arena, run->path);
    if (!base)
        return error_memory(error);
    run->kernel = atoll_module_kernel_at(run->module, 0);
    if (!run->kernel)
        return error_set(error, ATOLL_USAGE, "'%.300s' has no kernel", run->path);
    if (!atoll_module_kernel_at(run->module, 1) || atoll_module_kernel(run->module, base, &run->kernel, NULL))
        return true;
    struct text names = {0};
    for (unsigned i = 0; (run->kernel = atoll_module_kernel_at(run->module, i)); i++) {
        struct atoll_kernel_info info;
        atoll_kernel_describe(run->kernel, &info);
        text_printf(&names, " %s", info.name);
        if (info.source_name)
            text_printf(&names, " (%s)", info.source_name);
    }
    error_set(error, ATOLL_USAGE, "give --kernel: '%.300s' has several:%.500s", run->path,
              names.bytes ? names.bytes : "");
    text_free(&names);
    return false;
}

const char *kernel_called(const struct run *run)
{
    return run->info.source_name ? run->info.source_name : run->info.name;
}

/* ---- names of the parameters ------------------------------------------------------------------------------------- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* "int" and the like: types that stand alone in what c++filt prints, and are no names. */
static bool is_type(const char *word, size_t length)
{
    static const char *const words[] = {"bool",  "char",   "short",  "int",  "long",  "unsigned",
                                        "float", "double", "signed", "void", "const", "volatile"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0)
            return true;
    return false;
}

/* A declaration without a name, as c++filt prints it: "int const*", "unsigned long", "float&". */
static bool is_nameless(const char *text, size_t length)
{
    const char *end = text + length;
    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    const char *start = end;
    while (start > text && is_word(start[-1]))
        start--;
    bool pointer = end > text && (end[-1] == '*' || end[-1] == '&');
    return is_type(start, (size_t)(end - start)) ||
           (pointer && is_word(text[strspn(text, " ")]) && !isdigit((unsigned char)text[strspn(text, " ")]));
}

/* The name in a declaration, or a name alone: "const float *a" is a, "int v[3]" is v. False: there is none. */
static bool declared_name(const char *text, size_t length, const char **name, size_t *name_length)
{
    const char *end = text + length;
    while (end > text && !is_word(end[-1])) {
        const char *open = end[-1] == ']' ? memchr(text, '[', (size_t)(end - text)) : NULL;
        if (!open && !isspace((unsigned char)end[-1]))
            return false;
        end = open ? open : end - 1;
    }
    const char *start = end;
    while (start > text && is_word(start[-1]))
        start--;
    *name = start;
    *name_length = (size_t)(end - start);
    return end > start && !isdigit((unsigned char)*start);
}

/* How far a declaration goes: to a comma that is in no brackets, or to the end. */
static size_t declaration_length(const char *text, size_t length)
{
    int open = 0;
    for (size_t i = 0; i < length; i++) {
        open += strchr("(<[{", text[i]) != NULL;
        open -= strchr(")>]}", text[i]) != NULL;
        if (text[i] == ',' && open == 0)
            return i;
    }
    return length;
}

/* What the module itself tells wins over what the command line says: one of both is wrong. */
static bool name_give(struct run *run, uint32_t index, const char *name, size_t length, struct atoll_error *error)
{
    if (index >= run->info.parameters)
        return error_set(error, ATOLL_USAGE, "--kernel %.200s: kernel '%.200s' has %" PRIu32 " parameters",
                         run->options->kernel, kernel_called(run), run->info.parameters);
    const char *copy = arena_text(run->arena, name, length);
    if (!copy)
        return error_memory(error);
    for (uint32_t i = 0; i < run->info.parameters; i++) {
        const char *source = parameter_name(run, i);
        if (i != index && source && strcmp(source, copy) == 0)
            return error_set(error, ATOLL_USAGE, "--kernel %.200s: '%.100s' is parameter %" PRIu32 ", not %" PRIu32,
                             run->options->kernel, copy, i, index);
    }
    run->named[index] = copy;
    return true;
}

bool run_prototype(struct run *run, const char *prototype, struct atoll_error *error)
{
    const char *at = prototype + 1, *end = strrchr(prototype, ')'), *name;
    uint32_t index = 0;
    bool rest = false; /* ends with ... */
    run->explain = true;
    while (at < end && isspace((unsigned char)*at))
        at++;
    while (at < end && !rest) {
        size_t length = declaration_length(at, (size_t)(end - at)), name_length, dots = strspn(at, " .\t");
        rest = dots >= length && memchr(at, '.', length) && at + length == end;
        bool nameless = !rest && is_nameless(at, length);
        if (!rest && !nameless && !declared_name(at, length, &name, &name_length))
            return error_set(error, ATOLL_USAGE, "--kernel %.200s: parameter %" PRIu32 " has no name there",
                             run->options->kernel, index);
        if (!rest && !nameless && !name_give(run, index, name, name_length, error))
            return false;
        index += !rest;
        at += length + 1;
    }
    if (!rest && index != run->info.parameters)
        return error_set(error, ATOLL_USAGE,
                         "--kernel %.200s: names %" PRIu32 " parameters of %" PRIu32 " (... may stand for the last)",
                         run->options->kernel, index, run->info.parameters);
    run->explain = false;
    return true;
}

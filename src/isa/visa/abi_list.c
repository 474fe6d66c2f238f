/* A short list of a kernel's arguments, a line each:
 *
 *   0=global            a buffer; constant: one of __constant; local: bytes of shared memory
 *   1=value:4           a value of 4 bytes; without a number as large as its input
 *   2=image:2d:read     an image; 1d 1dbuffer 2d 3d 1darray 2darray, read write read_write, in any order or not at all
 *   3=sampler
 *   V0039=local_size    what the input of this name holds, as .ze_info calls it; parameter: a parameter of its name
 *   slm=1024            bytes of static shared memory;   simd=16: threads a warp
 *   kernel=NAME         what follows is of this kernel alone
 */
#include "isa/visa/abi.h"

#include <stdlib.h>
#include <string.h>

const char *const abi_kind_names[ABI_KINDS] = {
    [ABI_NONE] = "",       [ABI_GLOBAL] = "global", [ABI_CONSTANT] = "constant", [ABI_LOCAL] = "local",
    [ABI_VALUE] = "value", [ABI_IMAGE] = "image",   [ABI_SAMPLER] = "sampler"};
const char *const abi_access_names[ABI_ACCESSES] = {"", "read", "write", "read_write"};
const char *const abi_dimension_names[ABI_DIMENSIONS] = {"", "1d", "1dbuffer", "2d", "3d", "1darray", "2darray"};

struct list {
    struct abi *abi;
    const char *line, *end; /* the line that is read */
};

static bool list_fail(const struct list *list, const char *what)
{
    size_t length = (size_t)(list->end - list->line);
    return abi_fail(list->abi, ATOLL_USAGE, "'%.*s' in the list of its arguments: %s", (int)(length < 80 ? length : 80),
                    list->line, what);
}

static bool number(const char *text, size_t length, uint32_t most, uint32_t *value)
{
    uint64_t n = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || n > most)
            return false;
        n = n * 10 + (uint64_t)(text[i] - '0');
    }
    *value = (uint32_t)n;
    return length > 0 && n <= most;
}

/* What follows the kind: words with colons between. */
static bool argument_word(const struct list *list, struct abi_argument *a, const char *text, size_t length)
{
    unsigned dimension = abi_name(abi_dimension_names, ABI_DIMENSIONS, text, length);
    unsigned access = abi_name(abi_access_names, ABI_ACCESSES, text, length);
    if (a->kind == ABI_VALUE)
        return (number(text, length, 4096, &a->size) && a->size) || list_fail(list, "wanted a number of bytes");
    if (a->kind == ABI_IMAGE && dimension < ABI_DIMENSIONS)
        a->dimension = (uint8_t)dimension;
    else if (a->kind == ABI_IMAGE && access < ABI_ACCESSES)
        a->access = (uint8_t)access;
    else
        return list_fail(list, a->kind == ABI_IMAGE
                                   ? "wanted 1d, 1dbuffer, 2d, 3d, 1darray, 2darray, read, write or read_write"
                                   : "nothing can follow this kind");
    return true;
}

static bool argument_line(const struct list *list, uint32_t index, const char *value)
{
    struct abi *abi = list->abi;
    struct abi_argument *a = &abi->arguments[index];
    size_t length = 0;
    while (value + length < list->end && value[length] != ':')
        length++;
    unsigned kind = abi_name(abi_kind_names, ABI_KINDS, value, length);
    if (kind == ABI_KINDS || kind == ABI_NONE)
        return list_fail(list, "wanted global, constant, local, value, image or sampler");
    if (a->kind)
        return list_fail(list, "this argument is there twice");
    *a = (struct abi_argument){.kind = (uint8_t)kind, .input = UINT32_MAX, .bti = VISA_NO_BTI, .sampler = UINT32_MAX};
    abi->count = index >= abi->count ? index + 1 : abi->count;
    for (value += length; value < list->end; value += length) {
        value++;
        for (length = 0; value + length < list->end && value[length] != ':';)
            length++;
        if (!argument_word(list, a, value, length))
            return false;
    }
    return true;
}

static bool named_line(const struct list *list, const char *name, size_t length, const char *value)
{
    struct abi *abi = list->abi;
    struct arena *arena = abi->l->arena;
    struct abi_named named = {.name = arena_text(arena, name, length)};
    const char *what = arena_text(arena, value, (size_t)(list->end - value));
    abi->named = arena_append(arena, abi->named, abi->nnamed, sizeof named);
    if (!named.name || !what || !abi->named)
        return error_memory(abi->l->error);
    named.what = strcmp(what, "parameter") == 0 ? ABI_PARAMETER : abi_words_find(what);
    if (!named.what)
        return list_fail(list, "wanted parameter, or a name that .ze_info has: local_size, enqueued_local_size, "
                               "global_size, group_count, work_dimensions, buffer_offset ...");
    abi->named[abi->nnamed++] = named;
    return true;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

static bool list_line(const struct list *list, bool *ours)
{
    struct abi *abi = list->abi;
    const char *equals = memchr(list->line, '=', (size_t)(list->end - list->line));
    if (!equals || equals == list->line)
        return list_fail(list, "wanted INDEX=KIND, or INPUT=WHAT");
    const char *value = equals + 1;
    size_t key = (size_t)(equals - list->line), size = (size_t)(list->end - value);
    uint32_t index;
    if (is_word(list->line, key, "kernel")) {
        *ours = is_word(value, size, abi->l->object->name);
        return true;
    }
    if (!*ours)
        return true;
    abi->found = true;
    if (is_word(list->line, key, "slm"))
        return number(value, size, 64 * 1024, &abi->slm_bytes) || list_fail(list, "wanted at most 65536 bytes");
    if (is_word(list->line, key, "simd"))
        return number(value, size, 32, &abi->simd) || list_fail(list, "wanted 8, 16 or 32");
    if (number(list->line, key, ABI_ARGUMENTS - 1, &index))
        return argument_line(list, index, value);
    return named_line(list, list->line, key, value);
}

bool abi_list(struct abi *abi, const char *text)
{
    bool ours = true, any = false;
    struct list list = {.abi = abi};
    for (const char *at = text; *at; at += *at != 0) {
        const char *start = at;
        at += strcspn(at, "\n");
        list.line = start + strspn(start, " \t\r");
        list.end = at;
        while (list.end > list.line && strchr(" \t\r", list.end[-1]))
            list.end--;
        if (list.line < list.end && *list.line != '#') {
            any = true;
            if (!list_line(&list, &ours))
                return false;
        }
    }
    abi->found = abi->found || !any;
    for (uint32_t i = 0; i < abi->count; i++)
        if (!abi->arguments[i].kind)
            return abi_fail(abi, ATOLL_USAGE, "the list of its arguments has argument %u, but not %u", abi->count - 1,
                            i);
    return true;
}

/* Structs of the command line: from FIELDS to bytes. */
#include "cli/fields.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/argument.h"

enum { NESTED_MOST = 32, ALIGN_MOST = 4096 };

struct builder {
    const char *at;
    fields_address *address;
    void *user;
    struct text *layout; /* NULL in structs within */
    struct atoll_error *error;
    unsigned depth;
};

/* A struct that is being made. */
struct made {
    struct text bytes;
    size_t align;
};

static bool fail(const struct builder *b, const char *what)
{
    return error_set(b->error, ATOLL_USAGE, "'%.100s': %s", b->at, what);
}

static bool pad(const struct builder *b, struct made *made, size_t align)
{
    size_t more = (align - made->bytes.length % align) % align;
    char *room = text_room(&made->bytes, more + 1);
    if (!room)
        return error_memory(b->error);
    memset(room, 0, more);
    made->bytes.length += more;
    return true;
}

/* Appends a field of its own alignment. */
static bool put(struct builder *b, struct made *made, const char *what, const void *bytes, size_t size, size_t align)
{
    if (made->align < align)
        made->align = align;
    if (!pad(b, made, align))
        return false;
    if (b->layout && what)
        text_printf(b->layout, "%s%s %zu", b->layout->length ? ", " : "", what, made->bytes.length);
    text_add(&made->bytes, bytes, size);
    return text_ok(&made->bytes) || error_memory(b->error);
}

/* A number, or of a pointer what it points to. */
static bool put_value(struct builder *b, struct made *made, const struct value_type *type, const char *text,
                      size_t length)
{
    uint64_t value = 0;
    bool name = type->class == 'p' && !(*text >= '0' && *text <= '9');
    if (length == 0)
        return fail(b, "a value is missing");
    if (!name && !value_parse(type, text, length, &value, b->error))
        return false;
    if (name && b->address) {
        char *copy = strndup(text, length);
        bool ok = copy ? b->address(b->user, copy, &value, b->error) : error_memory(b->error);
        free(copy);
        if (!ok)
            return false;
    }
    return put(b, made, type->name, &value, type->bytes, type->bytes);
}

static bool put_bytes(struct builder *b, struct made *made, const char *text, size_t length)
{
    struct arena arena = {0};
    void *bytes;
    uint64_t count;
    const char *copy = arena_text(&arena, text, length);
    bool ok = copy ? bytes_parse(&arena, copy, &bytes, &count, b->error) : error_memory(b->error);
    ok = ok && put(b, made, "bytes", bytes, (size_t)count, 1);
    arena_free(&arena);
    return ok;
}

static bool set_align(struct builder *b, struct made *made, const char *text, size_t length)
{
    char *end;
    unsigned long align = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || end != text + length || align == 0 || align > ALIGN_MOST || align & (align - 1))
        return fail(b, "an alignment is a power of two up to 4096");
    return put(b, made, NULL, "", 0, align);
}

/* One field that is no struct; *type is that of the field before. */
static bool field(struct builder *b, struct made *made, const struct value_type **type)
{
    size_t length = strcspn(b->at, ",{}");
    const char *text = b->at, *colon = memchr(text, ':', length);
    size_t word = colon ? (size_t)(colon - text) : 0, rest = colon ? length - word - 1 : length;
    const char *value = colon ? colon + 1 : text;
    bool ok;
    if (word == 5 && memcmp(text, "bytes", 5) == 0)
        ok = put_bytes(b, made, value, rest);
    else if (word == 5 && memcmp(text, "align", 5) == 0)
        ok = set_align(b, made, value, rest);
    else {
        if (colon)
            *type = value_type_find(text, word);
        ok = *type ? put_value(b, made, *type, value, rest)
                   : fail(b, "wanted TYPE:NUMBER, ptr:NAME, bytes:HEX, align:N or {...}");
    }
    b->at += length;
    return ok;
}

static bool fields(struct builder *b, struct made *made);

/* {FIELDS} */
static bool inner(struct builder *b, struct made *made)
{
    struct made within = {.align = 1};
    struct text *layout = b->layout;
    if (++b->depth > NESTED_MOST)
        return fail(b, "too many structs within each other");
    b->at++;
    b->layout = NULL;
    bool ok = fields(b, &within) && (*b->at == '}' || fail(b, "'}' is missing"));
    b->layout = layout;
    ok = ok && put(b, made, "{...}", within.bytes.bytes, within.bytes.length, within.align);
    text_free(&within.bytes);
    b->depth--;
    b->at += ok;
    return ok;
}

/* Up to the end or a '}'. */
static bool fields(struct builder *b, struct made *made)
{
    const struct value_type *type = NULL;
    for (;;) {
        bool nested = *b->at == '{';
        if (!(nested ? inner(b, made) : field(b, made, &type)))
            return false;
        type = nested ? NULL : type;
        if (*b->at == 0 || *b->at == '}')
            return pad(b, made, made->align);
        if (*b->at++ != ',')
            return fail(b, "wanted ','");
    }
}

bool fields_build(const char *text, fields_address *address, void *user, struct text *out, struct text *layout,
                  struct atoll_error *error)
{
    struct builder b = {.at = text, .address = address, .user = user, .layout = layout, .error = error};
    struct made made = {.align = 1};
    bool ok = fields(&b, &made) && (*b.at == 0 || fail(&b, "'{' is missing"));
    if (ok) {
        text_add(out, made.bytes.bytes, made.bytes.length);
        ok = text_ok(out) || error_memory(error);
    }
    text_free(&made.bytes);
    return ok;
}

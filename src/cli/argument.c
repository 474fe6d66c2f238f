/* NAME=VALUE: what the text says, before it meets a kernel. */
#include "cli/argument.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/content.h"
#include "cli/fields.h"
#include "mem/surface.h"

struct parser {
    struct arena *arena;
    struct argument *argument;
    struct atoll_error *error;
};

static bool fail(const struct parser *p, const char *what)
{
    return error_set(p->error, ATOLL_USAGE, "%s", what);
}

/* text[0..length) as a string of its own; NULL has been reported. */
static const char *copy(const struct parser *p, const char *text, size_t length)
{
    const char *made = arena_text(p->arena, text, length);
    if (!made)
        error_memory(p->error);
    return made;
}

/* If `text` starts with `prefix`, the rest; else NULL. */
static const char *after(const char *text, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

/* ---- buffers ---------------------------------------------------------------------------------------------- */

/* Checks FIELDS, of which names are not known yet; *size gets its bytes. */
static bool fields_check(const struct parser *p, const char *text, uint64_t *size)
{
    struct text bytes = {0};
    bool ok = fields_build(text, NULL, NULL, &bytes, NULL, p->error);
    *size = bytes.length;
    text_free(&bytes);
    return ok && (*size > 0 || fail(p, "a struct without fields"));
}

/* The list after '=' of a buffer of pointers: the fields of a struct. */
static bool pointers_parse(const struct parser *p, const char *list)
{
    size_t length = strlen(list);
    char *text = arena_alloc(p->arena, length + 5);
    if (!text)
        return error_memory(p->error);
    memcpy(text, "ptr:", 4);
    memcpy(text + 4, list, length);
    p->argument->fields = text;
    if (strpbrk(list, ":{}"))
        return fail(p, "wanted NAME, NAME+BYTES or 0, with commas between");
    uint64_t size;
    bool ok = fields_check(p, text, &size);
    p->argument->fills = size / 8;
    return ok;
}

/* What follows TYPE: [N], [], nothing; then @FILE, =LIST or the end. */
static bool buffer_rest(const struct parser *p, const char *text)
{
    struct argument *a = p->argument;
    if (*text == '[') {
        char *end;
        const char *digits = text + 1;
        if (*digits != ']' && (*digits < '0' || *digits > '9'))
            return fail(p, "the number of elements must be a number from 0");
        a->sized = *digits != ']';
        a->elements = strtoull(digits, &end, 10);
        if (*end != ']' || a->elements > UINT64_MAX / 16)
            return fail(p, "a ']' is missing, or the number of elements is too large");
        text = end + 1;
    }
    if (*text == '@') {
        a->file = text + 1;
        return a->file[0] || fail(p, "a file name is missing behind '@'");
    }
    if (*text == '=') {
        if (a->type->class == 'p' ? !pointers_parse(p, text + 1)
                                  : !values_parse(p->arena, a->type, text + 1, &a->values, &a->fills, p->error))
            return false;
        if (!a->sized)
            a->elements = a->fills;
        return a->fills == 1 || a->fills == a->elements ||
               fail(p, "the list must have one number, or as many as the buffer has elements");
    }
    if (*text)
        return fail(p, "wanted TYPE[N], TYPE[N]=NUMBER,..., TYPE[N]@FILE, @FILE or the name of another argument");
    return a->sized || fail(p, "the number of elements is missing: TYPE[N]");
}

static bool buffer_parse(const struct parser *p, const char *text)
{
    struct argument *a = p->argument;
    a->kind = ARGUMENT_BUFFER;
    if (*text == '@') {
        a->file = text + 1;
        return a->file[0] || fail(p, "a file name is missing behind '@'");
    }
    const char *fields = after(text, "struct:");
    if (fields) {
        a->fields = fields;
        a->type = value_type_find("u8", 2);
        a->sized = true;
        bool ok = fields_check(p, fields, &a->elements);
        a->fills = a->elements;
        return ok;
    }
    size_t length = strcspn(text, "[@=");
    const char *second = after(text, "alias:");
    if (second) {
        a->alias = second;
        a->second = true;
        return *second || fail(p, "the name of another argument is missing behind 'alias:'");
    }
    a->type = value_type_find(text, length);
    if (a->type)
        return buffer_rest(p, text + length);
    a->alias = text;
    return (*text && text[length] == 0) || fail(p, "unknown element type; known: u8 u16 u32 u64 s8 s16 s32 s64 b8 b16 "
                                                   "b32 b64 f16 f32 f64 ptr");
}

/* ---- surfaces --------------------------------------------------------------------------------------------- */

static const struct geometry {
    const char *prefix;
    enum atoll_dimension dimension;
    unsigned numbers;
    bool layers; /* the last number is of layers, not of depth */
    bool cube;   /* square, six layers each */
} geometries[] = {
    {"1d:", ATOLL_DIM_1D, 1, false, false},
    {"1dbuffer:", ATOLL_DIM_1D_BUFFER, 1, false, false},
    {"1darray:", ATOLL_DIM_1D_ARRAY, 2, true, false},
    {"2d:", ATOLL_DIM_2D, 2, false, false},
    {"2darray:", ATOLL_DIM_2D_ARRAY, 3, true, false},
    {"3d:", ATOLL_DIM_3D, 3, false, false},
    {"cube:", ATOLL_DIM_2D_ARRAY, 1, true, true},
    {"cubearray:", ATOLL_DIM_2D_ARRAY, 2, true, true},
    {"", ATOLL_DIM_2D, 2, false, false}, /* last: every text starts like this */
};

static bool geometry_set(const struct geometry *g, const uint32_t n[3], struct atoll_surface_desc *desc,
                         struct atoll_error *error)
{
    desc->dimension = g->dimension;
    desc->width = n[0];
    if (g->cube) {
        uint32_t cubes = g->numbers == 2 ? n[1] : 1;
        if (cubes > UINT32_MAX / 6)
            return error_set(error, ATOLL_USAGE, "too many cubes");
        desc->height = n[0];
        desc->layers = 6 * cubes;
        return true;
    }
    if (g->dimension == ATOLL_DIM_2D || g->dimension == ATOLL_DIM_2D_ARRAY || g->dimension == ATOLL_DIM_3D)
        desc->height = n[1];
    if (g->layers)
        desc->layers = n[g->numbers - 1];
    else if (g->dimension == ATOLL_DIM_3D)
        desc->depth = n[2];
    return true;
}

bool format_unknown(const char *name, struct atoll_error *error)
{
    struct nearest nearest = format_nearest(name);
    error_set(error, ATOLL_USAGE, "unknown surface format '%.100s'; see atoll list formats", name);
    return error_nearest(error, &nearest);
}

bool geometry_parse(const char *text, struct atoll_surface_desc *desc, struct atoll_error *error)
{
    for (const struct geometry *g = geometries;; g++) {
        const char *numbers = after(text, g->prefix);
        if (!numbers)
            continue;
        uint32_t n[3];
        unsigned count;
        if (!shape_parse(numbers, g->numbers, n, &count) || count != g->numbers)
            return error_set(error, ATOLL_USAGE,
                             "wanted a geometry: WxH, 1d:W, 1dbuffer:W, 1darray:WxL, 2d:WxH, 2darray:WxHxL, 3d:WxHxD, "
                             "cube:W or cubearray:WxN");
        return geometry_set(g, n, desc, error);
    }
}

/* What may follow a geometry or a picture: `:NAME` or `:NAME=VALUE`. */
enum setting {
    SET_LAYOUT,
    SET_PITCH,
    SET_BLOCK_HEIGHT,
    SET_BLOCK_DEPTH,
    SET_LEVELS,
    SET_LEVEL,
    SET_INDEX,
    SET_DISABLED,
    SET_QUAD,
    SET_MISSING,
    SET_AT,
    SETTINGS
};
static const struct {
    const char *name;
    char value; /* 'n' none, 'o' a number or none, 'v' a number, 'r' ranges, 't' a name */
} settings[SETTINGS] = {
    [SET_LAYOUT] = {"", 'n'}, /* by its name; `pitch` is a setting, too */
    [SET_PITCH] = {"pitch", 'o'},
    [SET_BLOCK_HEIGHT] = {"block-height", 'v'},
    [SET_BLOCK_DEPTH] = {"block-depth", 'v'},
    [SET_LEVELS] = {"levels", 'v'},
    [SET_LEVEL] = {"level", 'v'},
    [SET_INDEX] = {"index", 'v'},
    [SET_DISABLED] = {"disabled", 'n'},
    [SET_QUAD] = {"quad", 'n'},
    [SET_MISSING] = {"missing", 'r'},
    [SET_AT] = {"at", 't'},
};

static bool is_name(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

/* The setting that text[0..length) names, and what it is called; SETTINGS: none. */
static enum setting setting_find(const char *text, size_t length, const char **name)
{
    const char *equals = memchr(text, '=', length);
    length = equals ? (size_t)(equals - text) : length;
    for (unsigned i = SET_LAYOUT + 1; i < SETTINGS; i++)
        if (is_name(*name = settings[i].name, text, length))
            return (enum setting)i;
    for (unsigned i = 0; layout_at(i); i++)
        if (is_name(*name = layout_at(i)->name, text, length))
            return SET_LAYOUT;
    return SETTINGS;
}

const char *offset_find(const char *text, uint64_t *bytes)
{
    const char *plus = strrchr(text, '+');
    char *end;
    if (!plus || plus[1] < '0' || plus[1] > '9')
        return NULL;
    *bytes = strtoull(plus + 1, &end, plus[1] == '0' && (plus[2] | 32) == 'x' ? 16 : 10);
    return *end ? NULL : plus;
}

bool ranges_next(const char **text, uint64_t *first, uint64_t *last)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    *first = *last = strtoull(*text, &end, 10);
    if (*end == '-' && end[1] >= '0' && end[1] <= '9')
        *last = strtoull(end + 1, &end, 10);
    *text = *end == ',' && end[1] ? end + 1 : end;
    return (*end == 0 || *end == ',') && *last >= *first;
}

static bool ranges_check(const char *text)
{
    uint64_t first, last;
    do
        if (!ranges_next(&text, &first, &last))
            return false;
    while (*text);
    return true;
}

static void setting_set(struct argument *a, enum setting setting, const char *name, uint32_t number)
{
    struct atoll_surface_desc *desc = &a->desc;
    uint64_t *const own[SETTINGS] = {[SET_PITCH] = &a->settings.pitch,
                                     [SET_BLOCK_HEIGHT] = &a->settings.block_height,
                                     [SET_BLOCK_DEPTH] = &a->settings.block_depth};
    uint32_t *const numbers[SETTINGS] = {
        [SET_LEVELS] = &desc->levels, [SET_LEVEL] = &desc->level, [SET_INDEX] = &desc->index};
    if (setting == SET_INDEX)
        desc->index_given = true;
    if (own[setting])
        *own[setting] = number;
    else if (numbers[setting])
        *numbers[setting] = number;
    else if (setting == SET_LAYOUT)
        desc->layout.name = name;
    else if (setting == SET_DISABLED)
        desc->disabled = true;
    else if (setting == SET_QUAD)
        desc->quad = true;
}

bool argument_surface(const struct argument *argument, struct atoll_surface_desc *desc, struct atoll_error *error)
{
    const struct layout_settings *own = &argument->settings;
    const uint64_t given[SETTINGS] = {
        [SET_PITCH] = own->pitch, [SET_BLOCK_HEIGHT] = own->block_height, [SET_BLOCK_DEPTH] = own->block_depth};
    *desc = argument->desc;
    if (!desc->layout.name)
        desc->layout.name = "pitch";
    const struct layout *layout = layout_find(desc->layout.name);
    for (unsigned i = 0, at; i < SETTINGS; i++) {
        if (!given[i])
            continue;
        if (!layout_setting(layout, settings[i].name, &at, error))
            return false;
        desc->layout.settings[at] = given[i];
    }
    return true;
}

/* NAME or NAME=VALUE */
static bool setting_parse(const struct parser *p, const char *text, size_t length)
{
    const char *name;
    enum setting setting = setting_find(text, length, &name);
    if (setting == SETTINGS)
        return error_set(p->error, ATOLL_USAGE,
                         "'%.*s': wanted block-linear, tile-x, tile-y, tile-4, tile-r580, pitch[=BYTES], "
                         "block-height=N, block-depth=N, levels=N, level=N, index=N, disabled, quad, missing=TILES, "
                         "at=NAME or @FILE",
                         (int)(length < 100 ? length : 100), text);
    const char *equals = memchr(text, '=', length);
    char kind = settings[setting].value;
    const char *value = equals ? copy(p, equals + 1, (size_t)(text + length - equals - 1)) : "";
    if (!value)
        return false;
    char *end;
    uint64_t number = strtoull(value, &end, 10);
    bool is_number = value[0] >= '0' && value[0] <= '9' && *end == 0 && number <= UINT32_MAX;
    if (kind == 'n'   ? equals != NULL
        : kind == 'r' ? !ranges_check(value)
        : kind == 't' ? !*value
                      : !is_number && (equals || kind != 'o'))
        return error_set(p->error, ATOLL_USAGE, "%s: wanted %s", name,
                         kind == 'n'   ? "no value"
                         : kind == 'r' ? "numbers of tiles, as in missing=0,4-7"
                         : kind == 't' ? "the name of a buffer, as in at=out or at=out+256"
                                       : "a number, as in levels=3");
    if (kind == 'r')
        p->argument->missing = value;
    else if (kind == 't')
        p->argument->over = value;
    else
        setting_set(p->argument, setting, name, (uint32_t)number);
    return true;
}

/* GEOMETRY[=FILL][:SETTING...][:@FILE] */
static bool surface_rest(const struct parser *p, const char *text)
{
    struct argument *a = p->argument;
    size_t length = 0;
    for (const struct geometry *g = geometries; *g->prefix && length == 0; g++)
        length = after(text, g->prefix) ? strlen(g->prefix) : 0;
    length += strcspn(text + length, ":=");
    const char *geometry = copy(p, text, length);
    if (!geometry || !geometry_parse(geometry, &a->desc, p->error))
        return false;
    text += length;
    if (*text == '=') {
        length = strcspn(text, ":");
        if (!(a->fill = copy(p, text + 1, length - 1)))
            return false;
        text += length;
    }
    while (*text == ':' && text[1] != '@') {
        length = strcspn(text + 1, ":");
        if (!setting_parse(p, text + 1, length))
            return false;
        text += 1 + length;
    }
    if (*text && a->fill)
        return fail(p, "either =NUMBER or @FILE fills a surface");
    a->file = *text ? text + 2 : NULL;
    return !a->file || a->file[0] || fail(p, "a file name is missing behind '@'");
}

/* Takes settings from the end of a picture's text; NULL has been reported. */
static const char *strip_settings(const struct parser *p, const char *text)
{
    const char *name;
    for (const char *last; (last = strrchr(text, ':')) && setting_find(last + 1, strlen(last + 1), &name) != SETTINGS;)
        if (!setting_parse(p, last + 1, strlen(last + 1)) || !(text = copy(p, text, (size_t)(last - text))))
            return NULL;
    return text;
}

static bool surface_parse(const struct parser *p, const char *text)
{
    struct argument *a = p->argument;
    a->kind = ARGUMENT_SURFACE;
    const char *first = copy(p, text, strcspn(text, ":"));
    if (!first)
        return false;
    if (format_find(first)) {
        a->format = first;
        if (text[strlen(first)] == 0)
            return fail(p, "a geometry is missing behind the format: surface:FORMAT:WxH");
        return surface_rest(p, text + strlen(first) + 1);
    }
    /* A picture, perhaps with a format after its name; or another argument's surface. */
    if (!(text = strip_settings(p, text)))
        return false;
    const char *last = strrchr(text, ':');
    a->file = text;
    if (last && format_find(last + 1)) {
        a->format = last + 1;
        a->file = copy(p, text, (size_t)(last - text));
    } else if (!last)
        a->alias = text;                   /* if there is an argument of this name, else it is a file */
    else if (!cli_ends_with(text, ".png")) /* a picture's name may hold colons */
        return format_unknown(strchr(first, '.') ? last + 1 : first, p->error);
    if (!a->file)
        return false;
    return a->file[0] || fail(p, "a file, a format or the name of another argument is missing");
}

/* ---- all ---------------------------------------------------------------------------------------------------- */

/* Takes what the source says of a buffer or surface off the text; NULL: nothing. */
static const char *access_parse(const struct parser *p, const char *text)
{
    static const char *const words[] = {"constant", "read", "write", "read_write"};
    size_t length = strcspn(text, ":");
    for (size_t i = 0; text[length] && i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0) {
            p->argument->access = words[i];
            return text + length + 1;
        }
    return NULL;
}

/* BYTES of shared memory. */
static bool local_parse(const struct parser *p, const char *text)
{
    uint32_t bytes;
    p->argument->kind = ARGUMENT_LOCAL;
    if (!value_parse(value_type_find("u32", 3), text, strlen(text), &bytes, p->error))
        return false;
    p->argument->count = bytes;
    return true;
}

static bool value_parse_any(const struct parser *p, const char *text)
{
    struct argument *a = p->argument;
    const char *rest;
    if ((rest = access_parse(p, text)))
        text = rest;
    if ((rest = after(text, "buffer:")))
        return buffer_parse(p, rest);
    if ((rest = after(text, "surface:")))
        return surface_parse(p, rest);
    if (a->access)
        return fail(p, "wanted constant:buffer:..., or read:, write: or read_write: before surface:...");
    if ((rest = after(text, "local:")))
        return local_parse(p, rest);
    if ((rest = after(text, "sampler:"))) {
        a->kind = ARGUMENT_SAMPLER;
        return sampler_parse(rest, a->sampler, p->error);
    }
    a->kind = ARGUMENT_FIELDS;
    a->fields = after(text, "struct:");
    if (!a->fields && after(text, "ptr:"))
        a->fields = text;
    if (a->fields)
        return fields_check(p, a->fields, &a->count);
    a->kind = ARGUMENT_VALUES;
    if ((rest = after(text, "bytes:")))
        return bytes_parse(p->arena, rest, &a->values, &a->count, p->error);
    const char *colon = strchr(text, ':');
    if (!colon) {
        a->kind = ARGUMENT_NUMBER;
        a->number = text;
        return *text || fail(p, "a value is missing behind '='");
    }
    a->type = value_type_find(text, (size_t)(colon - text));
    if (!a->type)
        return fail(p, "unknown kind of value; wanted TYPE:NUMBER (u32:1024), bytes:, struct:, ptr:, buffer:, "
                       "surface:, sampler: or local:");
    return values_parse(p->arena, a->type, colon + 1, &a->values, &a->count, p->error);
}

bool argument_parse(struct arena *arena, const char *option, const char *text, struct argument *argument,
                    struct atoll_error *error)
{
    struct atoll_error inner = {0};
    const struct parser p = {arena, argument, &inner};
    *argument = (struct argument){0};
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return error_set(error, ATOLL_USAGE, "%s %.200s: wanted NAME=VALUE", option, text);
    argument->value = equals + 1;
    argument->name = copy(&p, text, (size_t)(equals - text));
    if (argument->name && value_parse_any(&p, argument->value))
        return true;
    return error_set(error, inner.status, "%s %.200s: %.600s", option, text, inner.message);
}

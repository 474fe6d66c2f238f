/* Buffers, surfaces and module variables as the command line describes them. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/content.h"
#include "cli/fields.h"
#include "cli/run.h"
#include "file/picture.h"

/* What a file holds; only one of all can be the standard input. */
bool run_input(struct run *run, const char *path, uint64_t size, struct content *content, struct atoll_error *error)
{
    *content = (struct content){0};
    if (strcmp(path, "-") == 0 && run->input_taken)
        return error_set(error, ATOLL_USAGE, "the standard input (-) can be read only once");
    run->input_taken = run->input_taken || strcmp(path, "-") == 0;
    if (!list_add(run->arena, &run->inputs, path))
        return error_memory(error);
    return content_read_sized(path, size, content, error);
}

/* ---- buffers ------------------------------------------------------------------------------------------------ */

/* The bytes that a buffer is said to have; 0: as many as the file has. */
static uint64_t size_said(const struct argument *a)
{
    return a->sized && a->type ? a->elements * a->type->bytes : 0;
}

static struct array array_of(const struct value_type *type, uint64_t count)
{
    char kind = type->class == 'f' ? 'f' : type->class == 's' ? 'i' : 'u';
    return (struct array){.kind = kind, .bytes = type->bytes, .ndims = 1, .dims = {count}, .count = count};
}

/* Element type and count of a buffer that a file fills, held against what was said about it. */
static bool content_fit(const struct argument *a, struct content *content, struct atoll_error *error)
{
    if (!a->type)
        return true;
    struct array typed = array_of(a->type, content->size / a->type->bytes);
    if (!content_typed(a->file, content, a->type->class == 'b' ? 'b' : typed.kind, typed.bytes, error))
        return false;
    if (content->size % a->type->bytes)
        return error_set(error, ATOLL_INPUT, "'%.300s' has %" PRIu64 " bytes: no whole number of %s", a->file,
                         content->size, a->type->name);
    if (a->sized && a->elements != typed.count)
        return error_set(error, ATOLL_INPUT, "'%.300s' has %" PRIu64 " elements of %s: wanted %" PRIu64, a->file,
                         typed.count, a->type->name, a->elements);
    if (content->kind == FILE_RAW)
        content->array = typed;
    return true;
}

static bool buffer_from_file(struct run *run, struct object *object, struct atoll_error *error)
{
    struct content content;
    if (!run_input(run, object->argument.file, size_said(&object->argument), &content, error))
        return false;
    bool ok = content_fit(&object->argument, &content, error) &&
              atoll_memory_alloc(run->device, content.size, &object->address, error) &&
              atoll_memory_write(run->device, object->address, content.elements, content.size, error);
    object->size = content.size;
    object->array = content.array;
    content_free(&content);
    return ok;
}

static bool buffer_make(struct run *run, struct object *object, struct atoll_error *error)
{
    const struct argument *a = &object->argument;
    if (a->file)
        return buffer_from_file(run, object, error);
    object->size = a->elements * a->type->bytes; /* the parser keeps it below 2^64 */
    object->array = array_of(a->type, a->elements);
    if (!atoll_memory_alloc(run->device, object->size, &object->address, error))
        return false;
    if (!a->values)
        return true;
    unsigned char *host = atoll_memory_map(run->device, object->address, object->size, error);
    if (!host)
        return false;
    for (uint64_t i = 0; i < a->elements; i++)
        memcpy(host + i * a->type->bytes, (const unsigned char *)a->values + (a->fills == 1 ? 0 : i * a->type->bytes),
               a->type->bytes);
    return true;
}

/* ---- surfaces ------------------------------------------------------------------------------------------------ */

static uint32_t shrink(uint32_t extent, uint32_t level)
{
    return extent == 0 ? 0 : level < 32 && extent >> level ? extent >> level : 1;
}

void level_extents(struct atoll_surface_desc *desc)
{
    desc->width = shrink(desc->width, desc->level);
    desc->height = shrink(desc->height, desc->level);
    desc->depth = shrink(desc->depth, desc->level);
}

static bool surface_of_picture(struct run *run, struct object *object, const struct picture *picture,
                               struct atoll_error *error)
{
    struct atoll_surface_desc desc;
    if (!argument_surface(&object->argument, &desc, error))
        return false;
    if (desc.width == 0) { /* no geometry: the picture's */
        desc.dimension = ATOLL_DIM_2D;
        desc.width = picture->width;
        desc.height = picture->height;
    }
    struct atoll_surface_desc level = desc;
    level_extents(&level);
    desc.format = object->argument.format ? object->argument.format : picture_format(picture);
    const struct format *format = format_find(desc.format);
    uint64_t rows =
        (uint64_t)(level.height ? level.height : 1) * (level.depth ? level.depth : 1) * (desc.layers ? desc.layers : 1);
    if (level.width != picture->width || rows != picture->height)
        return error_set(error, ATOLL_INPUT,
                         "the picture has %" PRIu32 " x %" PRIu32 " pixels: wanted %" PRIu32 " x %" PRIu64
                         " (slices and layers below each other)",
                         picture->width, picture->height, level.width, rows);
    uint64_t size = (uint64_t)picture->width * picture->height * format->bytes;
    void *texels;
    if (!picture_texels(picture, format, &texels))
        return error_memory(error);
    bool ok = atoll_surface_create(run->device, &desc, &object->surface, error) &&
              atoll_surface_write(object->surface, texels ? texels : picture->texels, size, error);
    free(texels);
    return ok;
}

static bool surface_of_texels(struct run *run, struct object *object, const struct content *content,
                              struct atoll_error *error)
{
    struct atoll_surface_desc desc, level;
    if (!argument_surface(&object->argument, &desc, error))
        return false;
    level = desc;
    desc.format = level.format = object->argument.format;
    level_extents(&level);
    return content_texels(object->argument.file, content, &level, error) &&
           atoll_surface_create(run->device, &desc, &object->surface, error) &&
           atoll_surface_write(object->surface, content->elements, content->size, error);
}

static bool surface_from_file(struct run *run, struct object *object, struct atoll_error *error)
{
    struct content content;
    const char *path = object->argument.file;
    if (!run_input(run, path, 0, &content, error))
        return false;
    bool ok;
    if (content.kind == FILE_PNG)
        ok = surface_of_picture(run, object, &content.picture, error) || in_file(path, error);
    else if (object->argument.desc.width)
        ok = surface_of_texels(run, object, &content, error);
    else
        ok = error_set(error, ATOLL_INPUT,
                       "'%.300s' is no PNG file; texels of other files need surface:FORMAT:GEOMETRY:@FILE", path);
    content_free(&content);
    return ok;
}

/* Whether a channel holds a value as it is: rounded, but not cut off, as stores of kernels are. `back` is what the
 * texel gives for it, `largest` for the largest f32. */
static bool channel_fits(const struct format *format, unsigned channel, uint32_t value, uint32_t back, uint32_t largest)
{
    float number, got, most;
    memcpy(&number, &value, sizeof number);
    memcpy(&got, &back, sizeof got);
    memcpy(&most, &largest, sizeof most);
    switch (format->kind) {
    case FORMAT_UNORM:
        return number >= 0 && number <= 1;
    case FORMAT_SNORM:
        return number >= -1 && number <= 1;
    case FORMAT_FLOAT: /* those of 10 and 11 bits have no sign */
        return isnan(number) ? isnan(got) != 0
                             : number == got || (fabsf(number) <= most && (number > 0 || format->bits[channel] >= 16));
    default:
        return value == back;
    }
}

/* The texel to fill a surface with: one number for all channels, or one for each, in the format's own terms. */
static bool fill_texel(struct arena *arena, const struct argument *a, const struct format *format, void *texel,
                       struct atoll_error *error)
{
    const char *name = format->kind == FORMAT_UINT ? "u32" : format->kind == FORMAT_SINT ? "s32" : "f32";
    void *values;
    uint64_t count;
    if (!values_parse(arena, value_type_find(name, 3), a->fill, &values, &count, error))
        return false;
    if (count != 1 && count != format->channels)
        return error_set(error, ATOLL_USAGE, "=%.100s: wanted one number, or %u for format %s", a->fill,
                         format->channels, format->name);
    uint32_t rgba[4] = {0};
    for (unsigned i = 0; i < format->channels; i++)
        rgba[i] = ((const uint32_t *)values)[count == 1 ? 0 : i];
    uint32_t back[4], most[4] = {0x7f7fffff, 0x7f7fffff, 0x7f7fffff, 0x7f7fffff};
    format_store(format, false, most, texel);
    format_load(format, texel, most);
    format_store(format, false, rgba, texel);
    format_load(format, texel, back);
    for (unsigned i = 0; i < format->channels; i++)
        if (!channel_fits(format, i, rgba[i], back[i], most[i]))
            return error_set(error, ATOLL_USAGE, "=%.100s: %c is out of the range of format %s", a->fill, "RGBA"[i],
                             format -> name);
    return true;
}

static bool surface_fill(struct run *run, struct object *object, struct atoll_error *error)
{
    const struct format *format = format_find(object->argument.format);
    unsigned char texel[16];
    if (!fill_texel(run->arena, &object->argument, format, texel, error))
        return false;
    uint64_t size = atoll_surface_size(object->surface);
    unsigned char *texels = malloc((size_t)size);
    if (!texels)
        return error_memory(error);
    for (uint64_t i = 0; i < size; i += format->bytes)
        memcpy(texels + i, texel, format->bytes);
    bool ok = atoll_surface_write(object->surface, texels, size, error);
    free(texels);
    return ok;
}

/* Takes the tiles away that the argument says. */
static bool take_tiles(const struct object *object, struct atoll_error *error)
{
    uint64_t first, last;
    for (const char *ranges = object->argument.missing; ranges && *ranges;)
        if (!ranges_next(&ranges, &first, &last) ||
            !atoll_surface_reside(object->surface, first, last - first < UINT64_MAX ? last - first + 1 : UINT64_MAX,
                                  false, error))
            return false;
    return true;
}

static bool surface_make(struct run *run, struct object *object, struct atoll_error *error)
{
    if (object->argument.file)
        return surface_from_file(run, object, error);
    struct atoll_surface_desc desc;
    if (!argument_surface(&object->argument, &desc, error))
        return false;
    desc.format = object->argument.format;
    return atoll_surface_create(run->device, &desc, &object->surface, error) &&
           (!object->argument.fill || surface_fill(run, object, error));
}

/* ---- all ------------------------------------------------------------------------------------------------------ */

/* What NAME or, for buffers, NAME+BYTES is, and from which byte of it; NULL: nothing of this name and kind. A name may
 * hold a '+': the whole of it is looked for first. */
static const struct object *find_named(const struct run *run, const char *text, enum argument_kind kind,
                                       uint64_t *offset)
{
    const char *plus = offset_find(text, offset);
    const struct object *other = object_find(run, text);
    if (other)
        *offset = 0;
    else if (plus && kind == ARGUMENT_BUFFER) {
        const char *name = arena_text(run->arena, text, (size_t)(plus - text));
        other = name ? object_find(run, name) : NULL;
    }
    return other && other->argument.kind == kind ? other : NULL;
}

/* The object that `object` is to share with, and from which byte of it. */
static const struct object *find_original(const struct run *run, const struct object *object, uint64_t *offset)
{
    const struct object *other = find_named(run, object->argument.alias, object->argument.kind, offset);
    return other != object ? other : NULL;
}

/* What is left of a buffer from `offset` on. */
static bool rest_of(struct object *object, const struct object *original, uint64_t offset, struct atoll_error *error)
{
    const struct array *whole = &original->array;
    if (offset > original->size)
        return error_set(error, ATOLL_USAGE, "%.100s=%.200s: the buffer has %" PRIu64 " bytes", object->argument.name,
                         object->argument.value, original->size);
    object->address = original->address + offset;
    object->size = original->size - offset;
    object->array = *whole;
    if (offset) {
        bool elements = offset % whole->bytes == 0;
        uint64_t count = elements ? object->size / whole->bytes : object->size;
        object->array = (struct array){.kind = elements ? whole->kind : 'u',
                                       .bytes = elements ? whole->bytes : 1,
                                       .ndims = 1,
                                       .dims = {count},
                                       .count = count};
    }
    return true;
}

/* What messages call a buffer or surface: as it was given, or, where that is a number, as the parameter is called. */
static const char *object_name(const struct run *run, const struct object *object, char number[32])
{
    const char *given = object->argument.name;
    if (object->parameter == NOT_PLACED || strspn(given, "0123456789") != strlen(given))
        return given;
    snprintf(number, 32, "parameter %" PRIu32, object->parameter);
    const char *own = parameter_name(run, object->parameter);
    return own ? own : number;
}

/* With its elements, "s32". */
static bool buffer_name(const struct run *run, const struct object *object, struct atoll_error *error)
{
    const struct argument *a = &object->argument;
    const struct array *array = &object->array;
    const char *kind = array->kind == 'f' ? "f" : array->kind == 'i' ? "s" : "u";
    char type[16], number[32];
    bool typed = a->type || ((array->kind == 'f' || array->kind == 'i' || array->kind == 'u') && array->bytes);
    snprintf(type, sizeof type, "%s%u", kind, (unsigned)array->bytes * 8);
    return atoll_memory_name(run->device, object->address, object_name(run, object, number),
                             !typed    ? NULL
                             : a->type ? a->type->name
                                       : type,
                             a->type ? a->type->bytes : (uint32_t)array->bytes, error);
}

static bool make_alias(struct run *run, struct object *object, struct atoll_error *error)
{
    uint64_t offset = 0;
    const struct object *original = find_original(run, object, &offset);
    if (!original || original->alias)
        return error_set(error, ATOLL_USAGE, "%.100s=%.200s: %s", object->argument.name, object->argument.value,
                         original ? "this is the name of another's buffer or surface itself"
                                  : "neither an element type nor the name of another --arg or --let with a buffer");
    object->surface = original->surface;
    if (object->argument.second && offset)
        return error_set(error, ATOLL_USAGE, "%.100s=%.200s: a second address is one of the whole buffer",
                         object->argument.name, object->argument.value);
    if (object->argument.second) {
        object->size = original->size;
        object->array = original->array;
        return atoll_memory_alias(run->device, original->address, &object->address, error) &&
               buffer_name(run, object, error);
    }
    return original->surface || rest_of(object, original, offset, error);
}

/* The address of the buffer that a surface lies over. */
static bool find_over(const struct run *run, struct object *object, struct atoll_error *error)
{
    uint64_t offset = 0;
    const struct object *buffer = find_named(run, object->argument.over, ARGUMENT_BUFFER, &offset);
    if (!buffer)
        return error_set(error, ATOLL_USAGE, "%.100s: at=%.200s: no --arg or --let with a buffer has this name",
                         object->argument.name, object->argument.over);
    object->argument.desc.address = buffer->address + offset;
    return true;
}

static bool make_object(struct run *run, struct object *object, struct atoll_error *error)
{
    if (object->argument.over && !find_over(run, object, error))
        return false;
    if (object->argument.kind == ARGUMENT_BUFFER)
        return buffer_make(run, object, error) && buffer_name(run, object, error);
    char number[32];
    return object->argument.kind != ARGUMENT_SURFACE ||
           (surface_make(run, object, error) &&
            atoll_surface_name(object->surface, object_name(run, object, number), error) && take_tiles(object, error));
}

/* Writes the pointers or the struct that a buffer is filled with, once all addresses are known. */
static bool buffer_fields(struct run *run, struct object *object, struct atoll_error *error)
{
    const struct argument *a = &object->argument;
    struct text bytes = {0};
    struct atoll_error inner = {0};
    bool ok = fields_build(a->fields, object_address, run, &bytes, NULL, &inner) ||
              error_set(error, inner.status, "%.100s=%.200s: %.600s", a->name, a->value, inner.message);
    uint64_t times = a->fills ? a->elements / a->fills : 0; /* 1, or as many as one pointer fills */
    for (uint64_t i = 0; ok && i < times; i++)
        ok = atoll_memory_write(run->device, object->address + i * bytes.length, bytes.bytes, bytes.length, error);
    text_free(&bytes);
    return ok;
}

/* "S" or "S[2]" */
static bool bind(struct run *run, const struct object *object, struct atoll_error *error)
{
    char *name = arena_text(run->arena, object->argument.name, strlen(object->argument.name)), *end;
    if (!name)
        return error_memory(error);
    if (object->argument.kind != ARGUMENT_SURFACE)
        return error_set(error, ATOLL_USAGE, "--bind %.200s: wanted surface:...", name);
    unsigned long index = 0;
    char *bracket = strchr(name, '[');
    if (bracket) {
        index = strtoul(bracket + 1, &end, 10);
        if (end == bracket + 1 || strcmp(end, "]") != 0 || index > UINT32_MAX)
            return error_set(error, ATOLL_USAGE, "--bind %.200s: wanted NAME or NAME[INDEX]", name);
        *bracket = 0;
    }
    return atoll_module_bind_surface(run->module, name, (uint32_t)index, object->surface, error);
}

/* The bytes for a variable; to be freed. */
static bool variable_bytes(struct run *run, const char *text, const struct argument *a, struct text *out,
                           struct atoll_error *error)
{
    struct content content;
    struct atoll_error inner = {0};
    if (a->kind == ARGUMENT_FIELDS)
        return fields_build(a->fields, object_address, run, out, NULL, &inner) ||
               error_set(error, inner.status, "--var %.200s: %.600s", text, inner.message);
    if (a->kind == ARGUMENT_VALUES)
        text_add(out, a->values, (size_t)(a->count * (a->type ? a->type->bytes : 1)));
    else if (a->kind == ARGUMENT_BUFFER && a->file) {
        bool ok = run_input(run, a->file, size_said(a), &content, error) && content_fit(a, &content, error);
        if (ok)
            text_add(out, content.elements, (size_t)content.size);
        content_free(&content);
        if (!ok)
            return false;
    } else
        return error_set(error, ATOLL_USAGE,
                         "--var %.200s: wanted TYPE:NUMBER,..., bytes:HEX, struct:..., ptr:NAME or buffer:@FILE", text);
    return text_ok(out) || error_memory(error);
}

static bool variable_set(struct run *run, const char *text, struct atoll_error *error)
{
    struct argument a;
    struct text bytes = {0};
    uint64_t address, size;
    if (!argument_parse(run->arena, "--var", text, &a, error) ||
        !atoll_module_variable(run->module, a.name, &address, &size, error))
        return false;
    bool ok = variable_bytes(run, text, &a, &bytes, error);
    if (ok)
        ok = bytes.length == size
                 ? atoll_memory_write(run->device, address, bytes.bytes, size, error)
                 : error_set(error, ATOLL_USAGE, "--var %.200s: the variable has %" PRIu64 " bytes, given: %zu", text,
                             size, bytes.length);
    text_free(&bytes);
    return ok;
}

/* What has memory of its own, then what shares that of a buffer, surfaces over either, what shares a surface. */
enum stage { STAGE_OWN, STAGE_SHARES, STAGE_OVER, STAGE_SHARES_SURFACE, STAGES };

static enum stage stage_of(const struct object *object)
{
    if (object->alias)
        return object->argument.kind == ARGUMENT_BUFFER ? STAGE_SHARES : STAGE_SHARES_SURFACE;
    return object->argument.over ? STAGE_OVER : STAGE_OWN;
}

static bool make_objects(struct run *run, struct atoll_error *error)
{
    uint64_t offset;
    for (uint32_t i = 0; i < run->nobjects; i++) {
        struct object *object = &run->objects[i];
        /* surface:NAME is another argument's surface, or else a file without an ending */
        object->alias =
            object->argument.alias && (object->argument.kind == ARGUMENT_BUFFER || find_original(run, object, &offset));
    }
    for (enum stage stage = STAGE_OWN; stage < STAGES; stage++)
        for (uint32_t i = 0; i < run->nobjects; i++) {
            struct object *object = &run->objects[i];
            if (stage_of(object) == stage &&
                !(object->alias ? make_alias(run, object, error) : make_object(run, object, error)))
                return false;
        }
    return true;
}

bool run_make(struct run *run, struct atoll_error *error)
{
    if (!make_objects(run, error))
        return false;
    for (uint32_t i = 0; i < run->nobjects; i++)
        if (run->objects[i].argument.kind == ARGUMENT_BUFFER && run->objects[i].argument.fields &&
            !buffer_fields(run, &run->objects[i], error))
            return false;
    for (uint32_t i = run->nargs + run->nlets; i < run->nobjects; i++)
        if (!bind(run, &run->objects[i], error))
            return false;
    for (unsigned i = 0; i < run->options->vars.count; i++)
        if (!variable_set(run, run->options->vars.items[i], error))
            return false;
    return true;
}

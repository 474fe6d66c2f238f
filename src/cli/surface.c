/* atoll surface: pictures to and from the memory of surfaces, and texture headers. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/argument.h"
#include "cli/cli.h"
#include "cli/content.h"
#include "isa/family.h"
#include "mem/surface.h"

struct surface_options {
    const char *output, *header, *format, *geometry, *layout;
    uint32_t block_height, block_depth, levels, index;
    uint64_t pitch, address;
    struct seed level; /* a number that may be missing */
    bool json;
};

#define AT(member) offsetof(struct surface_options, member)
static const struct option options[] = {
    {"output", 'o', "FILE", OPTION_TEXT, AT(output),
     "where to write; unpack: .png, .npy, .raw or .bin, - is standard output"},
    {"header", 0, "FILE", OPTION_TEXT, AT(header), "texture header of 32 bytes: pack writes it, unpack reads it"},
    {"format", 0, "FORMAT", OPTION_TEXT, AT(format), "of the texels (atoll list formats); default: the picture's"},
    {"geometry", 0, "GEOMETRY", OPTION_TEXT, AT(geometry),
     "WxH, 1d:W, 1dbuffer:W, 1darray:WxL, 2darray:WxHxL, 3d:WxHxD,\ncube:W, cubearray:WxN; default: the picture's"},
    {"layout", 0, "LAYOUT", OPTION_TEXT, AT(layout),
     "pitch, block-linear (default), tile-x, tile-y, tile-4 or tile-r580"},
    {"block-height", 0, "N", OPTION_U32, AT(block_height),
     "block-linear: GOBs below each other in a block, 1, 2 ... 32"},
    {"block-depth", 0, "N", OPTION_U32, AT(block_depth), "block-linear: GOBs behind each other in a block"},
    {"pitch", 0, "BYTES", OPTION_U64, AT(pitch), "pitch, tiles: from row to row, a multiple of 8, of a tile's width"},
    {"levels", 0, "N", OPTION_U32, AT(levels), "mip levels (default: as many as pictures); those without one are 0"},
    {"level", 0, "N", OPTION_SEED, AT(level), "the mip level to unpack, or that the header's view begins with"},
    {"index", 0, "N", OPTION_U32, AT(index), "which header of a file of several"},
    {"address", 0, "ADDRESS", OPTION_U64, AT(address), "of the surface, for the header"},
    {"json", 0, NULL, OPTION_FLAG, AT(json), "show: as JSON (docs/json.md)"},
    {0},
};

/* ---- what the surface is ------------------------------------------------------------------------------------- */

/* The options that are settings of the layout. */
static bool settings_of(const struct surface_options *o, struct surface_shape *shape, struct atoll_error *error)
{
    const struct {
        const char *name;
        uint64_t value;
    } given[] = {{"block-height", o->block_height}, {"block-depth", o->block_depth}, {"pitch", o->pitch}};
    const struct layout *layout = shape->layout;
    for (unsigned i = 0, at; i < sizeof given / sizeof given[0]; i++) {
        if (!given[i].value)
            continue;
        if (!layout_setting(layout, given[i].name, &at, error))
            return false;
        if (layout->fits && !layout->fits(at, given[i].value))
            return error_set(error, ATOLL_USAGE, "--%s: wanted %s", given[i].name, layout->settings[at].wanted);
        shape->settings[at] = given[i].value;
    }
    return true;
}

/* The shape that the options say; a picture (or NULL) fills in what they leave out. */
static bool shape_of(const struct surface_options *o, const struct picture *picture, struct surface_shape *shape,
                     struct atoll_error *error)
{
    struct atoll_surface_desc desc = {.dimension = ATOLL_DIM_2D};
    const char *format = o->format ? o->format : picture ? picture_format(picture) : NULL;
    if (o->geometry && !geometry_parse(o->geometry, &desc, error))
        return false;
    if (!o->geometry && picture) {
        desc.width = picture->width;
        desc.height = picture->height;
    }
    *shape = (struct surface_shape){.dim = (uint8_t)desc.dimension,
                                    .width = desc.width,
                                    .height = desc.height,
                                    .depth = desc.depth,
                                    .layers = desc.layers,
                                    .format = format_find(format),
                                    .layout = layout_find(o->layout ? o->layout : "block-linear"),
                                    .levels = o->levels,
                                    .level = o->level.given ? (uint32_t)o->level.value : 0};
    if (!format || (!o->geometry && !picture))
        return error_set(error, ATOLL_USAGE, "atoll surface: --%s is missing", format ? "geometry" : "format");
    if (!shape->format)
        return format_unknown(format, error);
    if (!shape->layout)
        return error_set(error, ATOLL_USAGE,
                         "--layout=%.100s: wanted pitch, block-linear, tile-x, tile-y, tile-4 or tile-r580", o->layout);
    return settings_of(o, shape, error) &&
           (!o->level.given || o->level.value < LEVELS_LARGEST ||
            error_set(error, ATOLL_USAGE, "--level=%" PRIu64 ": there is no such mip level", o->level.value));
}

/* Headers as the hardware has them; there is one kind. */
static const struct family_headers *headers(void)
{
    return family_of_headers()->headers;
}

static bool headers_read(const char *path, struct blob *file, struct atoll_error *error)
{
    size_t bytes = headers()->bytes;
    if (!file_read(path, ((uint64_t)headers()->last + 1) * bytes, file, error))
        return false;
    if (file->size > 0 && file->size % bytes == 0)
        return true;
    error_set(error, ATOLL_INPUT, "'%.300s' has %zu bytes: a texture header has %zu", path, file->size, bytes);
    blob_free(file);
    return false;
}

static bool header_read(const char *path, uint32_t index, struct surface_shape *shape, struct atoll_error *error)
{
    struct blob file;
    uint64_t address;
    size_t bytes = headers()->bytes;
    if (!headers_read(path, &file, error))
        return false;
    bool ok = index < file.size / bytes ||
              error_set(error, ATOLL_USAGE, "--index=%" PRIu32 ": '%.300s' holds headers 0 to %zu", index, path,
                        file.size / bytes - 1);
    ok = ok && headers()->decode(file.bytes + index * bytes, shape, &address, error);
    blob_free(&file);
    return ok;
}

/* A mip level as a surface of its own. */
static struct atoll_surface_desc level_desc(const struct surface *level)
{
    return (struct atoll_surface_desc){.dimension = (enum atoll_dimension)level->dim,
                                       .width = level->width,
                                       .height = level->height,
                                       .depth = level->depth,
                                       .layers = level->layers,
                                       .format = level->format->name};
}

/* ---- pack ------------------------------------------------------------------------------------------------------ */

static bool upload_picture(struct surface *level, const struct picture *picture, struct atoll_error *error)
{
    void *texels;
    uint64_t rows = (uint64_t)level->height * level->slices;
    if (level->width != picture->width || rows != picture->height)
        return error_set(error, ATOLL_INPUT,
                         "the picture has %" PRIu32 " x %" PRIu32 " pixels: mip level %" PRIu32 " has %" PRIu32
                         " x %" PRIu64 " (slices and layers below each other)",
                         picture->width, picture->height, level->shape.level, level->width, rows);
    if (!picture_texels(picture, level->format, &texels))
        return error_memory(error);
    bool ok = surface_upload(level, texels ? texels : picture->texels, surface_packed_size(level), error);
    free(texels);
    return ok;
}

/* Fills one mip level from what a file held. */
static bool level_fill(const struct surface *surface, uint32_t n, const char *path, const struct content *content,
                       struct atoll_error *error)
{
    struct surface level;
    if (!surface_view(surface, n, &level, error))
        return false;
    if (content->kind == FILE_PNG)
        return upload_picture(&level, &content->picture, error) || in_file(path, error);
    const struct atoll_surface_desc desc = level_desc(&level);
    return content_texels(path, content, &desc, error) &&
           surface_upload(&level, content->elements, content->size, error);
}

static bool levels_fill(const struct surface *surface, const struct list *files, const struct content *first,
                        struct atoll_error *error)
{
    bool ok = files->count - 1 <= surface->shape.levels ||
              error_set(error, ATOLL_USAGE, "atoll surface pack: %u pictures for %" PRIu32 " mip levels",
                        files->count - 1, surface->shape.levels);
    for (uint32_t n = 0; ok && n + 1 < files->count; n++) {
        const char *path = files->items[n + 1];
        struct content own = {0};
        ok = (n == 0 || content_read(path, &own, error)) && level_fill(surface, n, path, n == 0 ? first : &own, error);
        content_free(&own);
    }
    return ok;
}

static bool pack_write(const struct surface_options *o, const struct surface *surface, struct atoll_error *error)
{
    struct staged staged[2] = {{0}};
    unsigned char header[64];
    assert(headers()->bytes <= sizeof header);
    if (o->header && file_same(o->output, o->header))
        return error_set(error, ATOLL_USAGE, "--output and --header are one file: '%.300s'", o->header);
    if (o->header && !headers()->encode(surface, o->address, header, error))
        return false;
    bool ok = file_stage(o->output, surface->memory, (size_t)surface->memory_size, &staged[0], error);
    if (ok && o->header)
        ok = file_stage(o->header, header, headers()->bytes, &staged[1], error);
    ok = ok && file_commit(staged, 2, error);
    file_discard(&staged[0]);
    file_discard(&staged[1]);
    return ok;
}

/* The first file is read before the shape is known: it may say what that is. */
static bool pack_files(const struct surface_options *o, const struct list *files, const struct content *first,
                       struct atoll_error *error)
{
    struct surface_shape shape;
    struct surface *surface;
    if (!shape_of(o, first->kind == FILE_PNG ? &first->picture : NULL, &shape, error))
        return false;
    if (shape.levels == 0)
        shape.levels = files->count - 1;
    if (!surface_make(&shape, &surface, error))
        return false;
    bool ok = levels_fill(surface, files, first, error) && pack_write(o, surface, error);
    surface_destroy(surface);
    return ok;
}

static bool pack(const struct surface_options *o, const struct list *files, struct atoll_error *error)
{
    struct content first;
    if (files->count < 2)
        return error_set(error, ATOLL_USAGE, "atoll surface pack: no picture given");
    if (!o->output)
        return error_set(error, ATOLL_USAGE, "atoll surface pack: --output is missing");
    unsigned inputs = 0;
    for (unsigned i = 1; i < files->count; i++)
        inputs += strcmp(files->items[i], "-") == 0;
    if (inputs > 1)
        return error_set(error, ATOLL_USAGE, "atoll surface pack: the standard input (-) can be read only once");
    bool ok = content_read(files->items[1], &first, error) && pack_files(o, files, &first, error);
    content_free(&first);
    return ok;
}

/* ---- unpack ---------------------------------------------------------------------------------------------------- */

static bool level_write(const struct surface *level, const char *path, struct atoll_error *error)
{
    const struct atoll_surface_desc desc = level_desc(level);
    enum file_kind kind;
    uint64_t size = surface_packed_size(level);
    struct text out = {0};
    unsigned char *texels = malloc((size_t)size);
    if (!texels)
        return error_memory(error);
    bool ok = file_kind(path, &kind) ||
              error_set(error, ATOLL_USAGE, "--output=%.300s: the file must end in .png, .npy, .raw or .bin", path);
    ok = ok && surface_download(level, texels, size, error);
    if (ok && kind == FILE_PNG)
        ok = surface_png(&desc, texels, &out, error);
    if (ok && kind == FILE_NPY) {
        struct array array = surface_array(&desc);
        npy_write(&array, texels, &out);
        ok = text_ok(&out) || error_memory(error);
    }
    if (ok && kind == FILE_RAW)
        ok = file_write(path, texels, (size_t)size, error);
    else if (ok)
        ok = file_write(path, out.bytes, out.length, error);
    text_free(&out);
    free(texels);
    return ok;
}

static bool unpack_shape(const struct surface_options *o, struct surface_shape *shape, struct atoll_error *error)
{
    if (!o->header)
        return shape_of(o, NULL, shape, error);
    if (o->format || o->geometry || o->layout || o->block_height || o->block_depth || o->pitch || o->levels)
        return error_set(error, ATOLL_USAGE, "atoll surface unpack: the header says it all; give --header alone");
    if (!header_read(o->header, o->index, shape, error))
        return false;
    if (o->level.given)
        shape->level = o->level.value < LEVELS_LARGEST ? (uint32_t)o->level.value : LEVELS_LARGEST;
    return true;
}

enum { SLACK = 1 << 20 }; /* bytes too many of a file that are still counted for the message */

static bool unpack(const struct surface_options *o, const struct list *files, struct atoll_error *error)
{
    struct surface_shape shape;
    struct surface *surface = NULL;
    struct blob file;
    uint64_t size;
    if (files->count != 2)
        return error_set(error, ATOLL_USAGE, "atoll surface unpack: wanted one file");
    if (!o->output)
        return error_set(error, ATOLL_USAGE, "atoll surface unpack: --output is missing");
    if (!unpack_shape(o, &shape, error) || !surface_measure(&shape, &size, error) ||
        !file_read(files->items[1], size + SLACK, &file, error))
        return false;
    bool ok = file.size == size || error_set(error, ATOLL_INPUT, "'%.300s' has %zu bytes: the surface has %" PRIu64,
                                             files->items[1], file.size, size);
    ok = ok && surface_make(&shape, &surface, error);
    if (ok) {
        memcpy(surface->memory, file.bytes, file.size);
        ok = level_write(surface, o->output, error);
    }
    surface_destroy(surface);
    blob_free(&file);
    return ok;
}

/* ---- show ------------------------------------------------------------------------------------------------------ */

/* What the header comes to. False: no surface; `error` says why. */
static bool meaning_of(const void *header, struct surface_shape *shape, uint64_t *address, uint64_t *bytes,
                       struct atoll_error *error)
{
    return headers()->decode(header, shape, address, error) && surface_measure(shape, bytes, error);
}

/* All fields, a line each, whatever they hold; a line below says what the header comes to. */
static void show_text(const void *header, struct text *out)
{
    struct surface_shape shape;
    struct family_field field;
    struct atoll_error error = {0};
    uint64_t address, bytes;
    for (unsigned i = 0; headers()->field(header, i, &field); i++) {
        if (!field.name)
            continue;
        text_printf(out, "%-30s", field.name);
        if (field.hex_digits)
            text_printf(out, "0x%0*" PRIx32, (int)field.hex_digits, field.bits);
        else
            text_printf(out, "%" PRIu32, field.bits);
        text_printf(out, "%s%s\n", field.meaning ? " " : "", field.meaning ? field.meaning : "");
    }
    if (meaning_of(header, &shape, &address, &bytes, &error))
        text_printf(out, "%-30s%s, %s, %" PRIu64 " bytes at 0x%" PRIx64 "\n", "surface", shape.format->name,
                    shape.layout->name, bytes, address);
    else
        text_printf(out, "%-30s%s\n", "no surface", error.message);
}

static void show_json(const void *header, struct json *json)
{
    struct surface_shape shape;
    struct family_field field;
    struct atoll_error error = {0};
    uint64_t address, bytes;
    json_open(json, NULL, '{');
    json_open(json, "fields", '[');
    for (unsigned i = 0; headers()->field(header, i, &field); i++) {
        if (!field.name)
            continue;
        json_open(json, NULL, '{');
        json_string(json, "name", field.name);
        json_number(json, "value", field.bits);
        if (field.meaning)
            json_string(json, "meaning", field.meaning);
        json_close(json, '}');
    }
    json_close(json, ']');
    if (meaning_of(header, &shape, &address, &bytes, &error)) {
        const uint32_t extent[] = {shape.width, shape.height ? shape.height : 1, shape.depth ? shape.depth : 1,
                                   shape.layers ? shape.layers : 1};
        json_open(json, "surface", '{');
        json_string(json, "format", shape.format->name);
        json_string(json, "layout", shape.layout->name);
        json_numbers(json, "extent", extent, 4);
        json_number(json, "bytes", bytes);
        json_number(json, "address", address);
        json_close(json, '}');
    } else {
        json_string(json, "no_surface", error.message);
    }
    json_close(json, '}');
}

static bool show_file(const char *path, bool as_json, struct text *out, struct atoll_error *error)
{
    struct json json;
    struct blob file;
    size_t bytes = headers()->bytes;
    if (!headers_read(path, &file, error))
        return false;
    if (as_json) {
        json_begin(&json, out, "headers");
        json_string(&json, "file", path);
        json_open(&json, "headers", '[');
    }
    for (size_t at = 0; at < file.size; at += bytes) {
        if (as_json) {
            show_json(file.bytes + at, &json);
            continue;
        }
        if (file.size > bytes)
            text_printf(out, "%sheader %zu\n", at ? "\n" : "", at / bytes);
        show_text(file.bytes + at, out);
    }
    if (as_json) {
        json_close(&json, ']');
        json_end(&json);
    }
    blob_free(&file);
    return text_ok(out) || error_memory(error);
}

static bool show(const struct surface_options *o, const struct list *files, struct atoll_error *error)
{
    struct text out = {0};
    bool ok = files->count == 2 || error_set(error, ATOLL_USAGE, "atoll surface show: wanted one file");
    ok = ok && show_file(files->items[1], o->json, &out, error) && file_write("-", out.bytes, out.length, error);
    text_free(&out);
    return ok;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool (*run)(const struct surface_options *, const struct list *, struct atoll_error *);
} actions[] = {{"pack", pack}, {"unpack", unpack}, {"show", show}};

static int run_command(const struct command *command, struct arena *arena, const void *given, const struct list *plain)
{
    (void)command, (void)arena;
    const struct surface_options *o = given;
    struct atoll_error error = {0};
    if (o->json && strcmp(plain->items[0], "show") != 0) {
        error_set(&error, ATOLL_USAGE, "atoll surface %.100s: --json is of show", plain->items[0]);
        return cli_fail(&error);
    }
    for (unsigned i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if (strcmp(plain->items[0], actions[i].name) == 0)
            return actions[i].run(given, plain, &error) ? EXIT_OK : cli_fail(&error);
    error_set(&error, ATOLL_USAGE, "atoll surface %.100s: wanted pack, unpack or show", plain->items[0]);
    return cli_fail(&error);
}

const struct command command_surface = {
    .name = "surface",
    .synopsis = "pack PICTURE ... | unpack FILE | show HEADER [options]",
    .summary = "lay pictures out as surfaces in memory, and back; show texture headers",
    .options = options,
    .notes = "pack    PICTURE is a PNG file, or texels tightly packed (a numpy array, or any other); one for each mip "
             "level\n"
             "unpack  takes one mip level out of a file that pack wrote\n"
             "show    prints the fields of Maxwell texture headers\n\n"
             "  atoll surface pack in.png -o out.bin --block-height 4 --header out.tic\n"
             "  atoll surface unpack out.bin --header out.tic -o back.png\n",
    .least = 1,
    .most = 1 + LEVELS_LARGEST,
    .size = sizeof(struct surface_options),
    .run = run_command,
};

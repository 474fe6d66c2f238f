/* What files hold: arrays, texels, pictures. */
#include "cli/content.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool text_ends(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

bool is_png(const struct blob *file)
{
    return file->size >= 8 && memcmp(file->bytes, "\x89PNG\r\n\x1a\n", 8) == 0;
}

bool in_file(const char *path, struct atoll_error *error)
{
    struct atoll_error inner = *error;
    return error_set(error, inner.status, "'%.300s': %.600s", path, inner.message);
}

bool content_read(const char *path, struct content *content, struct atoll_error *error)
{
    struct blob file;
    *content = (struct content){0};
    if (!file_read(path, FILE_LARGEST, &file, error))
        return false;
    bool ok = true;
    if (text_ends(path, ".npy"))
        ok = npy_read(file.bytes, file.size, &content->array, &content->elements, error) || in_file(path, error);
    else {
        content->elements = file.bytes;
        content->array = (struct array){.kind = 'u', .bytes = 1, .ndims = 1, .dims = {file.size}, .count = file.size};
        file.bytes = NULL;
    }
    content->size = content->array.count * content->array.bytes;
    blob_free(&file);
    if (ok && content->size == 0)
        ok = error_set(error, ATOLL_INPUT, "'%.300s' is empty", path);
    if (!ok)
        free(content->elements);
    return ok;
}

bool picture_texels(const struct picture *picture, const struct format *format, void **texels)
{
    *texels = NULL;
    if (picture_fits(picture, format))
        return true;
    *texels = malloc((size_t)((uint64_t)picture->width * picture->height * format->bytes));
    if (*texels)
        picture_store(picture, format, *texels);
    return *texels != NULL;
}

bool file_kind(const char *path, enum file_kind *kind)
{
    *kind = text_ends(path, ".npy") ? FILE_NPY : text_ends(path, ".png") ? FILE_PNG : FILE_RAW;
    return *kind != FILE_RAW || text_ends(path, ".raw") || text_ends(path, ".bin") || strcmp(path, "-") == 0;
}

static uint64_t surface_rows(const struct atoll_surface_desc *desc)
{
    return (uint64_t)(desc->height ? desc->height : 1) * (desc->depth ? desc->depth : 1) *
           (desc->layers ? desc->layers : 1);
}

static void dim_add(struct array *array, uint64_t extent)
{
    array->dims[array->ndims++] = extent;
    array->count *= extent;
}

struct array surface_array(const struct atoll_surface_desc *desc)
{
    const struct format *format = format_find(desc->format);
    bool equal = true;
    for (unsigned i = 1; i < format->channels; i++)
        equal = equal && format->bits[i] == format->bits[0];
    bool integer = format->kind == FORMAT_SINT || format->kind == FORMAT_SNORM;
    struct array array = {.count = 1, .kind = 'u', .bytes = format->bytes};
    if (equal) {
        array.kind = format->kind == FORMAT_FLOAT ? 'f' : integer ? 'i' : 'u';
        array.bytes = format->bits[0] / 8;
    }
    if (desc->dimension == ATOLL_DIM_3D)
        dim_add(&array, desc->depth);
    if (desc->dimension == ATOLL_DIM_1D_ARRAY || desc->dimension == ATOLL_DIM_2D_ARRAY)
        dim_add(&array, desc->layers);
    if (desc->dimension == ATOLL_DIM_2D || desc->dimension == ATOLL_DIM_2D_ARRAY || desc->dimension == ATOLL_DIM_3D)
        dim_add(&array, desc->height);
    dim_add(&array, desc->width);
    if (equal && format->channels > 1)
        dim_add(&array, format->channels);
    return array;
}

bool surface_png(const struct atoll_surface_desc *desc, const void *texels, struct text *out, struct atoll_error *error)
{
    struct picture picture;
    uint64_t rows = surface_rows(desc);
    if (rows > INT32_MAX)
        return error_set(error, ATOLL_LIMIT, "a PNG file cannot have %" PRIu64 " rows", rows);
    bool ok = picture_load(desc->width, (uint32_t)rows, format_find(desc->format), texels, &picture, error) &&
              picture_write_png(&picture, out, error);
    picture_free(&picture);
    return ok;
}

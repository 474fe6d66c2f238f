/* What files hold: arrays, texels, pictures. */
#include "cli/content.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool cli_ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

bool in_file(const char *path, struct atoll_error *error)
{
    struct atoll_error inner = *error;
    return error_set(error, inner.status, "'%.300s': %.600s", path, inner.message);
}

/* ---- reading ------------------------------------------------------------------------------------------------- */

static void dim_add(struct array *array, uint64_t extent)
{
    array->dims[array->ndims++] = extent;
    array->count *= extent;
}

static bool read_picture(const struct blob *file, struct content *content, struct atoll_error *error)
{
    struct picture *p = &content->picture;
    if (!picture_read_png(file->bytes, file->size, FILE_LARGEST, p, error))
        return false;
    content->array = (struct array){.kind = 'u', .bytes = p->bits / 8, .count = 1};
    dim_add(&content->array, p->height);
    dim_add(&content->array, p->width);
    if (p->channels > 1)
        dim_add(&content->array, p->channels);
    content->elements = p->texels;
    return true;
}

/* Room for heads, and for elements that are larger than they should be: then it is said that they are. */
static uint64_t bytes_most(const char *path, uint64_t size)
{
    enum { LARGER = 8, HEADS = 1 << 24 };
    struct stat status;
    bool plain = (strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &status) : stat(path, &status)) == 0 &&
                 (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
    return plain || size >= FILE_LARGEST / LARGER ? FILE_LARGEST : size ? LARGER * size + HEADS : PIPE_LARGEST;
}

bool content_read(const char *path, struct content *content, struct atoll_error *error)
{
    return content_read_sized(path, 0, content, error);
}

bool content_read_sized(const char *path, uint64_t size, struct content *content, struct atoll_error *error)
{
    struct blob file;
    *content = (struct content){0};
    if (!file_read(path, bytes_most(path, size), &file, error))
        return false;
    bool ok = true;
    if (is_png(file.bytes, file.size) || cli_ends_with(path, ".png")) {
        content->kind = FILE_PNG;
        ok = read_picture(&file, content, error) || in_file(path, error);
    } else if (is_npy(file.bytes, file.size) || cli_ends_with(path, ".npy")) {
        content->kind = FILE_NPY;
        ok = npy_read(file.bytes, file.size, &content->array, &content->elements, error) || in_file(path, error);
    } else {
        content->elements = file.bytes;
        content->array = (struct array){.kind = 'u', .bytes = 1, .ndims = 1, .dims = {file.size}, .count = file.size};
        file.bytes = NULL;
    }
    content->size = content->array.count * content->array.bytes;
    blob_free(&file);
    return ok;
}

void content_free(struct content *content)
{
    if (content->kind == FILE_PNG)
        picture_free(&content->picture);
    else
        free(content->elements);
    *content = (struct content){0};
}

/* ---- what it is to be ---------------------------------------------------------------------------------------- */

bool content_typed(const char *path, const struct content *content, char kind, unsigned bytes,
                   struct atoll_error *error)
{
    const struct array *array = &content->array;
    char own = array->kind == 'b' ? 'u' : array->kind; /* numpy's bools are bytes */
    if (content->kind == FILE_RAW || (array->bytes == bytes && (kind == 'b' || kind == own)))
        return true;
    if (kind == 'b')
        return error_set(error, ATOLL_INPUT, "'%.300s' has elements of type %c%u: wanted %u bytes each", path,
                         array->kind, array->bytes, bytes);
    return error_set(error, ATOLL_INPUT, "'%.300s' has elements of type %c%u: wanted %c%u", path, array->kind,
                     array->bytes, kind, bytes);
}

const char *shape_text(const struct array *array, char text[200])
{
    size_t length = 0;
    for (unsigned i = 0; i < array->ndims; i++)
        length += (size_t)snprintf(text + length, 200 - length, "%s%" PRIu64, i ? ", " : "(", array->dims[i]);
    snprintf(text + length, 200 - length, "%s", array->ndims == 1 ? ",)" : array->ndims ? ")" : "()");
    return text;
}

bool same_shape(const struct array *a, const struct array *b)
{
    unsigned i = 0, k = 0;
    for (;;) {
        while (i < a->ndims && a->dims[i] == 1)
            i++;
        while (k < b->ndims && b->dims[k] == 1)
            k++;
        if (i == a->ndims || k == b->ndims)
            return i == a->ndims && k == b->ndims;
        if (a->dims[i++] != b->dims[k++])
            return false;
    }
}

bool content_texels(const char *path, const struct content *content, const struct atoll_surface_desc *desc,
                    struct atoll_error *error)
{
    struct array texels = surface_array(desc);
    char own[200], wanted[200];
    uint64_t size = texels.count * texels.bytes;
    if (!content_typed(path, content, texels.kind, texels.bytes, error))
        return false;
    if (content->size != size)
        return error_set(error, ATOLL_INPUT, "'%.300s' has %" PRIu64 " bytes of texels: the surface has %" PRIu64, path,
                         content->size, size);
    return content->kind == FILE_RAW || content->array.ndims <= 1 || same_shape(&content->array, &texels) ||
           error_set(error, ATOLL_INPUT, "'%.300s' has the shape %s: the surface has %s", path,
                     shape_text(&content->array, own), shape_text(&texels, wanted));
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
    *kind = cli_ends_with(path, ".npy") ? FILE_NPY : cli_ends_with(path, ".png") ? FILE_PNG : FILE_RAW;
    return *kind != FILE_RAW || cli_ends_with(path, ".raw") || cli_ends_with(path, ".bin") || strcmp(path, "-") == 0;
}

static uint64_t surface_rows(const struct atoll_surface_desc *desc)
{
    return (uint64_t)(desc->height ? desc->height : 1) * (desc->depth ? desc->depth : 1) *
           (desc->layers ? desc->layers : 1);
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

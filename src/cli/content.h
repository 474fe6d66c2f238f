/* Files of arrays, texels and pictures, as several commands read and write them. */
#ifndef ATOLL_CLI_CONTENT_H
#define ATOLL_CLI_CONTENT_H

#include "file/file.h"
#include "file/npy.h"
#include "file/picture.h"

#define PIPE_LARGEST (UINT64_C(1) << 30)  /* bytes of a device or pipe of which no size is known */
#define FILE_LARGEST (UINT64_C(64) << 30) /* bytes; the memory limit of the device is usually reached first */

enum file_kind { FILE_RAW, FILE_NPY, FILE_PNG };

/* Elements in host memory, and their shape: an array, the pixels of a picture (height, width, channels), or bytes. */
struct content {
    enum file_kind kind;
    void *elements; /* freed by content_free */
    uint64_t size;
    struct array array;
    struct picture picture; /* FILE_PNG: its texels are the elements */
};

/* Puts the file's name before the message of an error about its bytes; false. */
bool in_file(const char *path, struct atoll_error *error);
/* Reads a file once ("-" can be read only once); its first bytes tell what it holds, whatever its name is. */
bool content_read(const char *path, struct content *content, struct atoll_error *error);
/* The same of a file whose elements should have `size` bytes (0: not known). Devices and pipes may have no end: they
 * are read no further than makes sense. */
bool content_read_sized(const char *path, uint64_t size, struct content *content, struct atoll_error *error);
void content_free(struct content *content);
/* Holds the type that elements are to have against that of a file that says it; kind 'b' takes any of its width. */
bool content_typed(const char *path, const struct content *content, char kind, unsigned bytes,
                   struct atoll_error *error);
/* Whether the content can be the texels of a surface of these extents: their type, their shape and size. An array of
 * one dimension has any shape. */
bool content_texels(const char *path, const struct content *content, const struct atoll_surface_desc *desc,
                    struct atoll_error *error);
/* The picture's texels in another format, to be freed; NULL if they have it already. False: no memory. */
bool picture_texels(const struct picture *picture, const struct format *format, void **texels);

/* "(2, 3)" */
const char *shape_text(const struct array *array, char text[200]);
/* Whether two shapes are the same but for extents of 1. */
bool same_shape(const struct array *a, const struct array *b);

/* By the name's ending; false: none of these. */
bool file_kind(const char *path, enum file_kind *kind);
/* The array that holds a surface's texels: (depth or layers, height, width, channels), as far as the dimension has
 * them; packed formats are one u4 a texel. */
struct array surface_array(const struct atoll_surface_desc *desc);
/* Appends a PNG file with the texels, slices and layers below each other. */
bool surface_png(const struct atoll_surface_desc *desc, const void *texels, struct text *out,
                 struct atoll_error *error);

bool cli_ends_with(const char *text, const char *ending);

#endif

/* Files of arrays, texels and pictures, as several commands read and write them. */
#ifndef ATOLL_CLI_CONTENT_H
#define ATOLL_CLI_CONTENT_H

#include "file/file.h"
#include "file/npy.h"
#include "file/picture.h"

#define FILE_LARGEST (UINT64_C(64) << 30) /* bytes; the memory limit of the device is usually reached first */

/* Elements in host memory, and their shape. */
struct content {
    void *elements; /* to be freed */
    uint64_t size;
    struct array array;
};

bool text_ends(const char *text, const char *ending);
bool is_png(const struct blob *file);
/* Puts the file's name before the message of an error about its bytes; false. */
bool in_file(const char *path, struct atoll_error *error);
/* The array of a .npy file, the bytes of any other. */
bool content_read(const char *path, struct content *content, struct atoll_error *error);
/* The picture's texels in another format, to be freed; NULL if they have it already. False: no memory. */
bool picture_texels(const struct picture *picture, const struct format *format, void **texels);

enum file_kind { FILE_RAW, FILE_NPY, FILE_PNG };
/* By the name's ending; false: none of these. */
bool file_kind(const char *path, enum file_kind *kind);
/* The array that holds a surface's texels: (depth or layers, height, width, channels), as far as the dimension has
 * them; packed formats are one u4 a texel. */
struct array surface_array(const struct atoll_surface_desc *desc);
/* Appends a PNG file with the texels, slices and layers below each other. */
bool surface_png(const struct atoll_surface_desc *desc, const void *texels, struct text *out,
                 struct atoll_error *error);

#endif

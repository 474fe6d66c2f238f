/* NPY: numpy's file format for one array (NEP 1).
 *
 *   \x93NUMPY | major | minor | header length: 2 bytes (v1) or 4 (v2, v3), little-endian | header | data
 *
 * The header is a Python dict literal: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } padded with blanks
 * to a multiple of 64 bytes and a newline.
 */
#ifndef ATOLL_FILE_NPY_H
#define ATOLL_FILE_NPY_H

#include "base/text.h"

enum { ARRAY_DIMS = 8 };

/* An array in C order, elements in the byte order of the host (little-endian). */
struct array {
    char kind;      /* 'u', 'i', 'f', 'b' (bool) */
    unsigned bytes; /* of an element: 1, 2, 4, 8 */
    unsigned ndims;
    uint64_t dims[ARRAY_DIMS];
    uint64_t count; /* elements */
};

/* By the first bytes. */
bool is_npy(const void *file, size_t size);
/* Reads the header; *offset is where the data begins, *swap whether elements are big-endian. The file is known to
 * end with the data: count * bytes bytes. Anything wrong is ATOLL_INPUT: a key twice, too. */
bool npy_parse(const void *file, size_t size, struct array *array, size_t *offset, bool *swap,
               struct atoll_error *error);
/* Parses and copies the elements to new memory, in host order; to be freed. */
bool npy_read(const void *file, size_t size, struct array *array, void **elements, struct atoll_error *error);
/* Appends header (version 1) and elements. */
void npy_write(const struct array *array, const void *elements, struct text *out);

#endif

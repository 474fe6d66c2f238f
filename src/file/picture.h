/* Pictures: PNG files, and the way between a picture and a surface's texels. */
#ifndef ATOLL_FILE_PICTURE_H
#define ATOLL_FILE_PICTURE_H

#include "base/text.h"
#include "mem/format.h"

/* Rows from top to bottom without padding; channels of 8 or 16 bits in host order: gray; gray, alpha; R, G, B, alpha.
 */
struct picture {
    uint32_t width, height;
    unsigned channels; /* 1, 2, 4 */
    unsigned bits;     /* 8, 16 */
    void *texels;      /* freed by picture_free, unless borrowed */
    bool borrowed;     /* they are the caller's, as given to picture_load */
    uint64_t size;     /* of texels */
};

/* By the first bytes. */
bool is_png(const void *file, size_t size);
/* Decodes a PNG of at most `limit` bytes of texels. RGB and palettes become RGBA. ATOLL_INPUT: broken. */
bool picture_read_png(const void *file, size_t size, uint64_t limit, struct picture *picture,
                      struct atoll_error *error);
/* Appends a PNG file. */
bool picture_write_png(const struct picture *picture, struct text *out, struct atoll_error *error);
void picture_free(struct picture *picture);

/* The surface format that holds the picture as it is: r8unorm ... rgba16unorm. */
const char *picture_format(const struct picture *picture);
/* Packed texels of `format` from a picture; `texels` has width * height * format->bytes bytes.
 * unorm, snorm and float formats get value / largest value; uint and sint formats the value, cut at the format's range.
 * Gray goes to R, G and B; a colour picture goes to one channel as Rec. 709 luma, to two as R and G. */
void picture_store(const struct picture *picture, const struct format *format, void *texels);
/* Do the picture's texels lie as the format's do? Then they need no conversion. */
bool picture_fits(const struct picture *picture, const struct format *format);
/* A picture of packed texels, which it borrows where they lie as a picture's do. Floats become 16 bits: 0 to 1 is black
 * to white, what is beyond the nearer of them, NaN black. False (ATOLL_USAGE) for formats that
 * are no picture: the message names the way out. */
bool picture_load(uint32_t width, uint32_t height, const struct format *format, const void *texels,
                  struct picture *picture, struct atoll_error *error);

#endif

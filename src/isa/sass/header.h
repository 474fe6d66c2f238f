/* Maxwell texture headers: the 256 bits by which hardware knows a surface. A handle's low 20 bits are an index in a
 * table of these. Words are little-endian, bit n of the header is bit n % 32 of word n / 32.
 *
 * Sources: NVIDIA's clb097tex.h, Mesa's nil. Surface instructions use a part of what a header holds: normalised
 * coordinates, border and multisampling mean nothing to them. */
#ifndef ATOLL_ISA_SASS_HEADER_H
#define ATOLL_ISA_SASS_HEADER_H

#include "base/text.h"
#include "mem/surface.h"

enum {
    SASS_HEADER_BYTES = 32,
    SASS_HEADER_LAST = 0xfffff, /* index in the table */
};

struct sass_header {
    uint32_t word[SASS_HEADER_BYTES / 4];
};

/* The header of a surface whose memory lies at `address`. ATOLL_USAGE: what no header can say - extents beyond its
 * fields, a misaligned address, slices in a pitch layout, a format that Maxwell does not have. */
bool sass_header_encode(const struct surface *surface, uint64_t address, struct sass_header *header,
                        struct atoll_error *error);
/* What a header says. The shape is for surface_make to judge. ATOLL_INPUT: fields that mean nothing; ATOLL_UNSUPPORTED:
 * headers that are known and not supported (colour key, sRGB, ...). */
bool sass_header_decode(const struct sass_header *header, struct surface_shape *shape, uint64_t *address,
                        struct atoll_error *error);
/* A field, whatever it holds (family.h). */
struct family_field;
bool sass_header_field(const struct sass_header *header, unsigned index, struct family_field *field);

/* Bytes as they lie in memory. */
void sass_header_write(const struct sass_header *header, unsigned char bytes[SASS_HEADER_BYTES]);
void sass_header_read(const unsigned char bytes[SASS_HEADER_BYTES], struct sass_header *header);

#endif

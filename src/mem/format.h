/* The format table: channels, widths, kind, order; conversion both ways. */
#ifndef ATOLL_MEM_FORMAT_H
#define ATOLL_MEM_FORMAT_H

#include "base/nearest.h"

enum format_kind { FORMAT_UNORM, FORMAT_SNORM, FORMAT_UINT, FORMAT_SINT, FORMAT_FLOAT };

struct format {
    const char *name;  /* "rgba8unorm" */
    uint8_t kind;      /* enum format_kind */
    uint8_t bytes;     /* of a texel */
    uint8_t channels;  /* 1..4 */
    uint8_t bits[4];   /* of R, G, B, A; 0 = absent */
    uint8_t shift[4];  /* bit position of R, G, B, A in the little-endian texel (0..127) */
    uint32_t cl_type;  /* channel data type as OpenCL numbers it (suq); 0 = none */
    uint32_t cl_order; /* channel order as OpenCL numbers it */
};

/* What formatted loads give as the alpha of formats that have none: 1 as an integer or a float. */
static inline uint32_t format_one(const struct format *format)
{
    return format->kind == FORMAT_UINT || format->kind == FORMAT_SINT ? 1 : UINT32_C(0x3f800000);
}

/* Do reductions by the format take its numbers as signed ones? snorm: those of snorm, too. */
static inline bool format_is_signed(const struct format *format, bool snorm)
{
    return format->kind == FORMAT_SINT || (snorm && format->kind == FORMAT_SNORM);
}

const struct format *format_find(const char *name);
const struct format *format_at(unsigned index);     /* NULL past the end */
unsigned format_index(const struct format *format); /* below 64 */
/* For the error where a name is no format's. */
struct nearest format_nearest(const char *name);

/* sust.p: `lanes` are up to 4 32-bit values R,G,B,A as the instruction gives them (f32 bits for unorm, snorm and
 * float formats, integers otherwise); missing ones are 0. Writes format->bytes bytes. fixed: to unorm and snorm in
 * fixed point (convert.h), else the nearest, half to even. */
void format_store(const struct format *format, bool fixed, const uint32_t rgba[4], void *texel);
/* The texel's components as 32-bit values of the same reading; absent channels read 0, absent alpha 1 (1.0 or 1). */
void format_load(const struct format *format, const void *texel, uint32_t rgba[4]);

#endif

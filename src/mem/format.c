/* The format table and the conversion of one texel. */
#include "mem/format.h"

#include "mem/convert.h"

#include <assert.h>
#include <string.h>

/* Numbers of OpenCL's cl.h: image channel orders and data types. */
enum { CL_R = 0x10b0, CL_RG = 0x10b2, CL_RGB = 0x10b4, CL_RGBA = 0x10b5, CL_BGRA = 0x10b6 };
enum {
    CL_SNORM_INT8 = 0x10d0,
    CL_SNORM_INT16 = 0x10d1,
    CL_UNORM_INT8 = 0x10d2,
    CL_UNORM_INT16 = 0x10d3,
    CL_SIGNED_INT8 = 0x10d7,
    CL_SIGNED_INT16 = 0x10d8,
    CL_SIGNED_INT32 = 0x10d9,
    CL_UNSIGNED_INT8 = 0x10da,
    CL_UNSIGNED_INT16 = 0x10db,
    CL_UNSIGNED_INT32 = 0x10dc,
    CL_HALF_FLOAT = 0x10dd,
    CL_FLOAT = 0x10de,
    CL_UNORM_INT_101010_2 = 0x10e0,
};

/* r, rg and rgba of one channel type: n bits a channel, R lowest. */
#define R_RG_RGBA(suffix, kind_, n, cl)                                                                               \
    {.name = "r" suffix, .kind = kind_, .bytes = n / 8, .channels = 1, .bits = {n}, .cl_type = cl, .cl_order = CL_R}, \
        {.name = "rg" suffix,                                                                                         \
         .kind = kind_,                                                                                               \
         .bytes = n / 4,                                                                                              \
         .channels = 2,                                                                                               \
         .bits = {n, n},                                                                                              \
         .shift = {0, n},                                                                                             \
         .cl_type = cl,                                                                                               \
         .cl_order = CL_RG},                                                                                          \
    {                                                                                                                 \
        .name = "rgba" suffix, .kind = kind_, .bytes = n / 2, .channels = 4, .bits = {n, n, n, n},                    \
        .shift = {0, n, 2 * n, 3 * n}, .cl_type = cl, .cl_order = CL_RGBA                                             \
    }

/* clang-format off */
static const struct format formats[] = {
    R_RG_RGBA("8unorm", FORMAT_UNORM, 8, CL_UNORM_INT8),
    R_RG_RGBA("8snorm", FORMAT_SNORM, 8, CL_SNORM_INT8),
    R_RG_RGBA("8uint", FORMAT_UINT, 8, CL_UNSIGNED_INT8),
    R_RG_RGBA("8sint", FORMAT_SINT, 8, CL_SIGNED_INT8),
    R_RG_RGBA("16unorm", FORMAT_UNORM, 16, CL_UNORM_INT16),
    R_RG_RGBA("16snorm", FORMAT_SNORM, 16, CL_SNORM_INT16),
    R_RG_RGBA("16uint", FORMAT_UINT, 16, CL_UNSIGNED_INT16),
    R_RG_RGBA("16sint", FORMAT_SINT, 16, CL_SIGNED_INT16),
    R_RG_RGBA("16float", FORMAT_FLOAT, 16, CL_HALF_FLOAT),
    R_RG_RGBA("32uint", FORMAT_UINT, 32, CL_UNSIGNED_INT32),
    R_RG_RGBA("32sint", FORMAT_SINT, 32, CL_SIGNED_INT32),
    R_RG_RGBA("32float", FORMAT_FLOAT, 32, CL_FLOAT),
    /* Channels of unequal width or order. */
    {.name = "bgra8unorm", .kind = FORMAT_UNORM, .bytes = 4, .channels = 4, .bits = {8, 8, 8, 8},
     .shift = {16, 8, 0, 24}, .cl_type = CL_UNORM_INT8, .cl_order = CL_BGRA},
    {.name = "rgb10a2unorm", .kind = FORMAT_UNORM, .bytes = 4, .channels = 4, .bits = {10, 10, 10, 2},
     .shift = {0, 10, 20, 30}, .cl_type = CL_UNORM_INT_101010_2, .cl_order = CL_RGBA},
    {.name = "rgb10a2uint", .kind = FORMAT_UINT, .bytes = 4, .channels = 4, .bits = {10, 10, 10, 2},
     .shift = {0, 10, 20, 30}, .cl_order = CL_RGBA},
    {.name = "r11g11b10float", .kind = FORMAT_FLOAT, .bytes = 4, .channels = 3, .bits = {11, 11, 10},
     .shift = {0, 11, 22}, .cl_order = CL_RGB},
};
/* clang-format on */

const struct format *format_at(unsigned index)
{
    return index < sizeof formats / sizeof formats[0] ? &formats[index] : NULL;
}

unsigned format_index(const struct format *format)
{
    _Static_assert(sizeof formats / sizeof formats[0] <= 64, "sets of formats are words");
    assert(format >= formats && format < formats + sizeof formats / sizeof formats[0]);
    return (unsigned)(format - formats);
}

const struct format *format_find(const char *name)
{
    for (unsigned i = 0; name && format_at(i); i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

struct nearest format_nearest(const char *name)
{
    struct nearest nearest = nearest_to(name, strlen(name));
    for (unsigned i = 0; format_at(i); i++)
        nearest_try(&nearest, formats[i].name);
    return nearest;
}

static uint32_t encode(uint8_t kind, bool fixed, unsigned bits, uint32_t v)
{
    switch (kind) {
    case FORMAT_UNORM:
        return fixed ? convert_to_unorm_fixed(v, bits) : convert_to_unorm(v, convert_max(bits));
    case FORMAT_SNORM:
        return (fixed ? convert_to_snorm_fixed(v, bits) : convert_to_snorm(v, convert_max(bits - 1))) &
               convert_max(bits);
    case FORMAT_UINT:
        return convert_to_uint(v, convert_max(bits));
    case FORMAT_SINT:
        return convert_to_sint(v, convert_max(bits - 1)) & convert_max(bits);
    default: /* FORMAT_FLOAT */
        return bits == 32 ? v : bits == 16 ? convert_to_f16(v) : convert_to_small(v, bits);
    }
}

static int32_t sign_extend(uint32_t c, unsigned bits)
{
    return (int32_t)(c << (32 - bits)) >> (32 - bits);
}

static uint32_t decode(uint8_t kind, unsigned bits, uint32_t c)
{
    switch (kind) {
    case FORMAT_UNORM:
        return convert_from_unorm(c, convert_max(bits));
    case FORMAT_SNORM:
        return convert_from_snorm(sign_extend(c, bits), convert_max(bits - 1));
    case FORMAT_UINT:
        return c;
    case FORMAT_SINT:
        return (uint32_t)sign_extend(c, bits);
    default: /* FORMAT_FLOAT */
        return bits == 32 ? c : bits == 16 ? f16_to_f32_bits((uint16_t)c) : convert_from_small(c, bits);
    }
}

/* A channel never crosses a 32-bit word, so the texel is treated as up to four words, least significant first
 * (written byte by byte: the texel is little-endian whatever the host is). */
void format_store(const struct format *format, bool fixed, const uint32_t rgba[4], void *texel)
{
    uint32_t words[4] = {0};
    unsigned char *out = texel;
    for (unsigned c = 0; c < format->channels; c++)
        words[format->shift[c] / 32] |= encode(format->kind, fixed, format->bits[c], rgba[c]) << format->shift[c] % 32;
    for (unsigned i = 0; i < format->bytes; i++)
        out[i] = (unsigned char)(words[i / 4] >> 8 * (i % 4));
}

void format_load(const struct format *format, const void *texel, uint32_t rgba[4])
{
    uint32_t words[4] = {0};
    const unsigned char *in = texel;
    for (unsigned i = 0; i < format->bytes; i++)
        words[i / 4] |= (uint32_t)in[i] << 8 * (i % 4);
    for (unsigned c = 0; c < 4; c++) {
        unsigned bits = format->bits[c];
        if (bits)
            rgba[c] =
                decode(format->kind, bits, words[format->shift[c] / 32] >> format->shift[c] % 32 & convert_max(bits));
        else
            rgba[c] = c < 3 ? 0 : format_one(format);
    }
}

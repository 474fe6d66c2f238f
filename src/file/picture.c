/* Between a picture's channels and the texels of a surface format. */
#include "file/picture.h"

#include "base/half.h"

#include <stdlib.h>
#include <string.h>

/* ---- picture to texels ------------------------------------------------------------------------------------ */

const char *picture_format(const struct picture *picture)
{
    static const char *const names[2][5] = {{[1] = "r8unorm", [2] = "rg8unorm", [4] = "rgba8unorm"},
                                            {[1] = "r16unorm", [2] = "rg16unorm", [4] = "rgba16unorm"}};
    return names[picture->bits == 16][picture->channels];
}

static uint32_t channel(const struct picture *picture, uint64_t index)
{
    return picture->bits == 16 ? ((const uint16_t *)picture->texels)[index] : ((const uint8_t *)picture->texels)[index];
}

/* Rec. 709 luma in 16.16 fixed point; the weights add up to 65536, so white stays white. */
static uint32_t luma(const uint32_t rgb[3])
{
    return (uint32_t)(((uint64_t)rgb[0] * 13933 + (uint64_t)rgb[1] * 46871 + (uint64_t)rgb[2] * 4732 + 32768) >> 16);
}

/* One texel as R, G, B, A integers for a format with `wanted` channels. */
static void spread(const struct picture *picture, uint64_t texel, unsigned wanted, uint32_t max, uint32_t rgba[4])
{
    uint32_t v[4] = {0, 0, 0, max};
    for (unsigned i = 0; i < picture->channels; i++)
        v[i] = channel(picture, texel * picture->channels + i);
    if (picture->channels == 4) {
        memcpy(rgba, v, sizeof v);
        if (wanted == 1)
            rgba[0] = luma(v);
        return;
    }
    uint32_t alpha = picture->channels == 2 ? v[1] : max;
    rgba[0] = v[0];
    rgba[1] = wanted == 2 ? alpha : v[0]; /* two channels: gray and alpha, as the file has them */
    rgba[2] = v[0];
    rgba[3] = alpha;
}

/* Same channels, same bits, and a kind that takes the values as they are. */
bool picture_fits(const struct picture *picture, const struct format *format)
{
    if ((format->kind != FORMAT_UNORM && format->kind != FORMAT_UINT) || format->channels != picture->channels)
        return false;
    for (unsigned i = 0; i < format->channels; i++)
        if (format->bits[i] != picture->bits || format->shift[i] != i * picture->bits)
            return false;
    return true;
}

void picture_store(const struct picture *picture, const struct format *format, void *texels)
{
    if (picture_fits(picture, format)) {
        memcpy(texels, picture->texels, (size_t)picture->size);
        return;
    }
    uint32_t max = picture->bits == 16 ? 65535 : 255, rgba[4];
    bool integers = format->kind == FORMAT_UINT || format->kind == FORMAT_SINT;
    unsigned char *out = texels;
    for (uint64_t i = 0; i < (uint64_t)picture->width * picture->height; i++) {
        spread(picture, i, format->channels, max, rgba);
        for (int k = 0; k < 4 && !integers; k++)
            rgba[k] = f32_bits((float)rgba[k] / (float)max);
        format_store(format, false, rgba, out + i * format->bytes);
    }
}

/* ---- texels to picture ------------------------------------------------------------------------------------- */

/* Bits of the picture's channels for a format: 8, 16, or 0 = not a picture. */
static unsigned picture_bits(const struct format *format)
{
    unsigned widest = 0;
    bool equal = true;
    for (unsigned i = 0; i < format->channels; i++) {
        widest = format->bits[i] > widest ? format->bits[i] : widest;
        equal = equal && format->bits[i] == format->bits[0];
    }
    if (format->kind == FORMAT_UINT && equal && (widest == 8 || widest == 16))
        return widest;
    if (format->kind == FORMAT_UNORM && widest <= 16)
        return widest <= 8 ? 8 : 16;
    if (format->kind == FORMAT_FLOAT)
        return 16;
    return 0;
}

/* A float as a channel: what is not in [0, 1] becomes the nearer end, NaN 0. Nearest; 255ths are exact. */
static uint32_t float_channel(const struct format *format, const unsigned char *texel, unsigned c, uint32_t max)
{
    uint32_t rgba[4];
    format_load(format, texel, rgba);
    double value = f32_from_bits(rgba[c]) * (double)max;
    return value >= max ? max : value > 0 ? (uint32_t)(value + 0.5) : 0;
}

/* Channel c of a texel of at most 64 bits, or of floats, scaled to the picture's largest value. */
static uint32_t texel_channel(const struct format *format, const unsigned char *texel, unsigned c, uint32_t max)
{
    uint64_t word = 0;
    if (format->kind == FORMAT_FLOAT)
        return float_channel(format, texel, c, max);
    memcpy(&word, texel, format->bytes < 8 ? format->bytes : 8);
    uint64_t most = (UINT64_C(1) << format->bits[c]) - 1, value = word >> format->shift[c] & most;
    return (uint32_t)((value * max + most / 2) / most);
}

bool picture_load(uint32_t width, uint32_t height, const struct format *format, const void *texels,
                  struct picture *picture, struct atoll_error *error)
{
    unsigned bits = picture_bits(format);
    *picture = (struct picture){.width = width, .height = height, .bits = bits};
    if (!bits)
        return error_set(
            error, ATOLL_USAGE,
            "a PNG file cannot hold texels of format %s (unorm and uint of 8 or 16 bits, and floats can be saved): "
            "save to a .npy or .raw file",
            format->name);
    picture->channels = format->channels == 3 ? 4 : format->channels;
    uint64_t count = (uint64_t)width * height;
    if (count > UINT64_MAX / 8 || (picture->size = count * picture->channels * (bits / 8)) > SIZE_MAX / 2)
        return error_set(error, ATOLL_LIMIT, "the picture is too large");
    if (picture_fits(picture, format)) {
        picture->texels = (void *)(uintptr_t)texels; /* only read */
        picture->borrowed = true;
        return true;
    }
    picture->texels = malloc((size_t)picture->size);
    if (!picture->texels)
        return error_memory(error);
    uint32_t max = bits == 16 ? 65535 : 255;
    for (uint64_t i = 0; i < count; i++)
        for (unsigned c = 0; c < picture->channels; c++) {
            const unsigned char *texel = (const unsigned char *)texels + i * format->bytes;
            uint32_t value = c < format->channels ? texel_channel(format, texel, c, max) : max;
            if (bits == 16)
                ((uint16_t *)picture->texels)[i * picture->channels + c] = (uint16_t)value;
            else
                ((uint8_t *)picture->texels)[i * picture->channels + c] = (uint8_t)value;
        }
    return true;
}

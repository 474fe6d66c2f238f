/* PNG files through libspng. */
#include "file/picture.h"

#include <inttypes.h>
#include <spng.h>
#include <stdlib.h>
#include <string.h>

#define SIDE_LARGEST  (UINT32_C(1) << 30)  /* texels */
#define CHUNK_LARGEST (UINT32_C(64) << 20) /* bytes of an ancillary chunk, and of all */

void picture_free(struct picture *picture)
{
    if (!picture->borrowed)
        free(picture->texels);
    *picture = (struct picture){0};
}

static bool png_error(struct atoll_error *error, const char *what, int code)
{
    enum atoll_status status = code == SPNG_EMEM ? ATOLL_MEMORY : ATOLL_INPUT;
    return error_set(error, status, "%s: %s", what, spng_strerror(code));
}

/* How libspng is to hand out a colour type, in the picture's terms. */
static int picture_shape(const struct spng_ihdr *ihdr, bool transparent, struct picture *picture)
{
    bool wide = ihdr->bit_depth == 16;
    picture->width = ihdr->width;
    picture->height = ihdr->height;
    picture->bits = wide ? 16 : 8;
    if (ihdr->color_type == SPNG_COLOR_TYPE_GRAYSCALE && !transparent) {
        picture->channels = 1;
        return wide ? SPNG_FMT_PNG : SPNG_FMT_G8;
    }
    if (ihdr->color_type == SPNG_COLOR_TYPE_GRAYSCALE) {
        picture->channels = 2;
        return wide ? SPNG_FMT_GA16 : SPNG_FMT_GA8;
    }
    if (ihdr->color_type == SPNG_COLOR_TYPE_GRAYSCALE_ALPHA) {
        picture->channels = 2;
        return SPNG_FMT_PNG;
    }
    picture->channels = 4;
    return wide ? SPNG_FMT_RGBA16 : SPNG_FMT_RGBA8;
}

static bool decode(spng_ctx *ctx, uint64_t limit, struct picture *picture, struct atoll_error *error)
{
    struct spng_ihdr ihdr;
    struct spng_trns trns;
    int code = spng_get_ihdr(ctx, &ihdr);
    if (code)
        return png_error(error, "not a PNG file that can be read", code);
    code = spng_get_trns(ctx, &trns); /* reads up to the image, checksums too */
    if (code && code != SPNG_ECHUNKAVAIL)
        return png_error(error, "not a PNG file that can be read", code);
    bool transparent = code == 0;
    int format = picture_shape(&ihdr, transparent, picture);
    uint64_t texel = picture->channels * picture->bits / 8;
    if (ihdr.height > limit / texel / ihdr.width)
        return error_set(error, ATOLL_LIMIT,
                         "a picture of %" PRIu32 " x %" PRIu32 " exceeds the limit of %" PRIu64 " bytes", ihdr.width,
                         ihdr.height, limit);
    size_t size;
    code = spng_decoded_image_size(ctx, format, &size);
    if (code)
        return png_error(error, "cannot decode the PNG file", code);
    picture->size = texel * ihdr.width * ihdr.height;
    if (size != picture->size)
        return error_set(error, ATOLL_UNSUPPORTED, "not supported: this kind of PNG file");
    picture->texels = calloc(1, size);
    if (!picture->texels)
        return error_memory(error);
    code = spng_decode_image(ctx, picture->texels, size, format, SPNG_DECODE_TRNS);
    if (!code) /* checksums after the last row, and whether the file has an end */
        code = spng_decode_chunks(ctx);
    return code == 0 || png_error(error, "cannot decode the PNG file", code);
}

bool is_png(const void *file, size_t size)
{
    return size >= 8 && memcmp(file, "\x89PNG\r\n\x1a\n", 8) == 0;
}

/* The chunks that say what the pixels are, in the order of the PNG specification (5.6 Chunk ordering). */
enum { HEADER, PALETTE, TRANSPARENCY, IMAGE, END, CHUNKS };
static const char chunk_names[CHUNKS][5] = {"IHDR", "PLTE", "tRNS", "IDAT", "IEND"};

static bool odd_chunk(struct atoll_error *error, unsigned kind, const char *what)
{
    return error_set(error, ATOLL_INPUT, "not a PNG file that can be read: %s %s", chunk_names[kind], what);
}

/* `seen`: a bit for each kind of chunk before this one; colour: the type of IHDR, 2 = RGB, 4 = with alpha. */
static bool chunk_check(unsigned kind, unsigned seen, unsigned colour, struct atoll_error *error)
{
    if (kind != IMAGE && seen >> kind & 1)
        return odd_chunk(error, kind, "is there twice");
    if (seen >> (kind + 1))
        return odd_chunk(error, kind, "comes too late");
    if (kind == PALETTE && !(colour & 2))
        return odd_chunk(error, kind, "(a palette) in a gray picture");
    if (kind == TRANSPARENCY && colour & 4)
        return odd_chunk(error, kind, "(transparency) in a picture with an alpha channel");
    return true;
}

/* What libspng lets pass in a file that it decoded: it takes palettes and transparency as often and where they come,
 * and stops before the checksum of IEND. A chunk is length, type, data, checksum. (Compressed data beyond the last row
 * is let pass here, too.) */
static bool chunks_check(const unsigned char *file, size_t size, struct atoll_error *error)
{
    unsigned seen = 0;
    size_t at = 8;
    while (!(seen >> END & 1) && size - at >= 12) {
        const unsigned char *c = file + at;
        uint32_t length = (uint32_t)c[0] << 24 | (uint32_t)c[1] << 16 | (uint32_t)c[2] << 8 | c[3];
        unsigned kind = 0;
        if (length > size - at - 12)
            break;
        while (kind < CHUNKS && memcmp(c + 4, chunk_names[kind], 4) != 0)
            kind++;
        if (kind < CHUNKS && !chunk_check(kind, seen, file[25], error))
            return false;
        seen |= kind < CHUNKS ? 1u << kind : 0;
        at += 12 + (size_t)length;
    }
    if (!(seen >> END & 1))
        return error_set(error, ATOLL_INPUT, "not a PNG file that can be read: it ends before IEND does");
    return at == size ||
           error_set(error, ATOLL_INPUT, "not a PNG file that can be read: %zu bytes follow its end (IEND)", size - at);
}

bool picture_read_png(const void *file, size_t size, uint64_t limit, struct picture *picture, struct atoll_error *error)
{
    *picture = (struct picture){0};
    spng_ctx *ctx = spng_ctx_new(0);
    if (!ctx)
        return error_memory(error);
    spng_set_image_limits(ctx, SIDE_LARGEST, SIDE_LARGEST);
    spng_set_chunk_limits(ctx, CHUNK_LARGEST, CHUNK_LARGEST);
    int code = spng_set_png_buffer(ctx, file, size);
    bool ok = code ? png_error(error, "not a PNG file that can be read", code) : decode(ctx, limit, picture, error);
    spng_ctx_free(ctx);
    ok = ok && chunks_check(file, size, error);
    if (!ok)
        picture_free(picture);
    return ok;
}

bool picture_write_png(const struct picture *picture, struct text *out, struct atoll_error *error)
{
    static const uint8_t colors[5] = {
        [1] = SPNG_COLOR_TYPE_GRAYSCALE, [2] = SPNG_COLOR_TYPE_GRAYSCALE_ALPHA, [4] = SPNG_COLOR_TYPE_TRUECOLOR_ALPHA};
    struct spng_ihdr ihdr = {.width = picture->width,
                             .height = picture->height,
                             .bit_depth = (uint8_t)picture->bits,
                             .color_type = colors[picture->channels]};
    spng_ctx *ctx = spng_ctx_new(SPNG_CTX_ENCODER);
    if (!ctx)
        return error_memory(error);
    spng_set_option(ctx, SPNG_ENCODE_TO_BUFFER, 1);
    int code = spng_set_ihdr(ctx, &ihdr);
    if (!code)
        code = spng_encode_image(ctx, picture->texels, (size_t)picture->size, SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE);
    size_t size = 0;
    void *file = code ? NULL : spng_get_png_buffer(ctx, &size, &code);
    if (file)
        text_add(out, file, size);
    free(file);
    spng_ctx_free(ctx);
    if (code)
        return png_error(error, "cannot encode a PNG file", code);
    return text_ok(out) || error_memory(error);
}

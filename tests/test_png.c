/* PNG files and the way between pictures and texels. Files are made by libspng's encoder, then bent. */
#include "file/picture.h"

#include <setjmp.h>
#include <spng.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LIMIT (UINT64_C(1) << 30)

struct file {
    void *bytes;
    size_t size;
};

static struct file encode(uint32_t width, uint32_t height, uint8_t color, uint8_t depth, struct spng_plte *palette,
                          struct spng_trns *transparent, const void *image, size_t size)
{
    struct spng_ihdr ihdr = {.width = width, .height = height, .bit_depth = depth, .color_type = color};
    struct file file = {0};
    int code;
    spng_ctx *ctx = spng_ctx_new(SPNG_CTX_ENCODER);
    assert_non_null(ctx);
    spng_set_option(ctx, SPNG_ENCODE_TO_BUFFER, 1);
    assert_int_equal(spng_set_ihdr(ctx, &ihdr), 0);
    if (palette)
        assert_int_equal(spng_set_plte(ctx, palette), 0);
    if (transparent)
        assert_int_equal(spng_set_trns(ctx, transparent), 0);
    assert_int_equal(spng_encode_image(ctx, image, size, SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE), 0);
    file.bytes = spng_get_png_buffer(ctx, &file.size, &code);
    assert_non_null(file.bytes);
    spng_ctx_free(ctx);
    return file;
}

/* Decodes and compares with what the picture must be; frees the file. */
static void expect(struct file file, unsigned channels, unsigned bits, const void *texels, size_t size)
{
    struct picture picture;
    struct atoll_error error;
    assert_true(picture_read_png(file.bytes, file.size, LIMIT, &picture, &error));
    assert_int_equal(picture.channels, channels);
    assert_int_equal(picture.bits, bits);
    assert_int_equal(picture.size, size);
    assert_memory_equal(picture.texels, texels, size);
    picture_free(&picture);
    free(file.bytes);
}

static void every_color_type_is_read(void **unused)
{
    (void)unused;
    const uint8_t bits[] = {0xa0, 0x40}; /* 1 0 1 / 0 1 0 */
    expect(encode(3, 2, SPNG_COLOR_TYPE_GRAYSCALE, 1, NULL, NULL, bits, 2), 1, 8, "\xff\0\xff\0\xff\0", 6);
    const uint8_t gray[] = {0, 85, 170, 255};
    expect(encode(2, 2, SPNG_COLOR_TYPE_GRAYSCALE, 8, NULL, NULL, gray, 4), 1, 8, gray, 4);
    const uint16_t deep[] = {0, 1, 0x1234, 0xffff};
    expect(encode(2, 2, SPNG_COLOR_TYPE_GRAYSCALE, 16, NULL, NULL, deep, 8), 1, 16, deep, 8);
    expect(encode(1, 2, SPNG_COLOR_TYPE_GRAYSCALE_ALPHA, 8, NULL, NULL, gray, 4), 2, 8, gray, 4);
    expect(encode(1, 2, SPNG_COLOR_TYPE_GRAYSCALE_ALPHA, 16, NULL, NULL, deep, 8), 2, 16, deep, 8);
    expect(encode(1, 1, SPNG_COLOR_TYPE_TRUECOLOR_ALPHA, 8, NULL, NULL, gray, 4), 4, 8, gray, 4);
    expect(encode(1, 1, SPNG_COLOR_TYPE_TRUECOLOR, 8, NULL, NULL, "\1\2\3", 3), 4, 8, "\1\2\3\xff", 4);
    const uint16_t color[] = {7, 8, 9}, opaque[] = {7, 8, 9, 0xffff};
    expect(encode(1, 1, SPNG_COLOR_TYPE_TRUECOLOR, 16, NULL, NULL, color, 6), 4, 16, opaque, 8);
}

static void palettes_and_transparency_become_channels(void **unused)
{
    (void)unused;
    struct spng_plte palette = {.n_entries = 2, .entries = {{1, 2, 3, 0}, {4, 5, 6, 0}}};
    struct spng_trns half = {.n_type3_entries = 1, .type3_alpha = {128}}, gray = {.gray = 5};
    expect(encode(2, 1, SPNG_COLOR_TYPE_INDEXED, 8, &palette, NULL, "\1\0", 2), 4, 8, "\4\5\6\xff\1\2\3\xff", 8);
    expect(encode(2, 1, SPNG_COLOR_TYPE_INDEXED, 8, &palette, &half, "\1\0", 2), 4, 8, "\4\5\6\xff\1\2\3\x80", 8);
    expect(encode(2, 1, SPNG_COLOR_TYPE_GRAYSCALE, 8, NULL, &gray, "\5\6", 2), 2, 8, "\5\0\6\xff", 4);
}

static void refuse(const void *bytes, size_t size, uint64_t limit, enum atoll_status status)
{
    struct picture picture;
    struct atoll_error error = {0};
    assert_false(picture_read_png(bytes, size, limit, &picture, &error));
    assert_int_equal(error.status, status);
    assert_true(error.message[0]);
    assert_null(picture.texels);
}

static void broken_files_are_refused(void **unused)
{
    (void)unused;
    const uint8_t gray[64] = {1, 2, 3};
    struct file file = encode(8, 8, SPNG_COLOR_TYPE_GRAYSCALE, 8, NULL, NULL, gray, 64);
    unsigned char *bytes = file.bytes;
    refuse("", 0, LIMIT, ATOLL_INPUT);
    refuse("P5 1 1 255 x", 12, LIMIT, ATOLL_INPUT);
    for (size_t size = 0; size < file.size; size++)
        refuse(bytes, size, LIMIT, ATOLL_INPUT);
    for (size_t at = 16; at < 33; at++) { /* IHDR and its checksum */
        bytes[at] ^= 0x10;
        refuse(bytes, file.size, LIMIT, ATOLL_INPUT);
        bytes[at] ^= 0x10;
    }
    bytes[file.size - 16] ^= 1; /* checksum of IDAT */
    refuse(bytes, file.size, LIMIT, ATOLL_INPUT);
    bytes[file.size - 16] ^= 1;
    refuse(bytes, file.size, 63, ATOLL_LIMIT);
    free(file.bytes);
}

/* A chunk: length, type, data, checksum (CRC-32, bit by bit). */
static size_t put_chunk(unsigned char *out, const char *type, const void *data, uint32_t length)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < 4; i++)
        out[i] = (unsigned char)(length >> (24 - 8 * i));
    memcpy(out + 4, type, 4);
    if (length)
        memcpy(out + 8, data, length);
    for (size_t i = 4; i < 8 + length; i++) {
        crc ^= out[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    for (size_t i = 0; i < 4; i++)
        out[8 + length + i] = (unsigned char)(~crc >> (24 - 8 * i));
    return 12 + length;
}

/* The file with a chunk put in at an offset. */
static struct file with_chunk(const struct file *file, size_t at, const char *type, const void *data, uint32_t length)
{
    struct file out = {.bytes = malloc(file->size + length + 12), .size = file->size + length + 12};
    assert_non_null(out.bytes);
    memcpy(out.bytes, file->bytes, at);
    size_t put = put_chunk((unsigned char *)out.bytes + at, type, data, length);
    memcpy((char *)out.bytes + at + put, (const char *)file->bytes + at, file->size - at);
    return out;
}

static void refuse_chunk(const struct file *file, size_t at, const char *type, const char *data, uint32_t length)
{
    struct file more = with_chunk(file, at, type, data, length);
    refuse(more.bytes, more.size, LIMIT, ATOLL_INPUT);
    free(more.bytes);
}

static void chunks_that_contradict_are_refused(void **unused)
{
    (void)unused;
    enum { AFTER_IHDR = 33, AFTER_PLTE = AFTER_IHDR + 12 + 6, IEND = 12 };
    static const char header[] = "\0\0\0\2\0\0\0\1\x8\3\0\0\0";
    struct spng_plte palette = {.n_entries = 2, .entries = {{1, 2, 3, 0}, {4, 5, 6, 0}}};
    struct spng_trns half = {.n_type3_entries = 1, .type3_alpha = {128}};
    struct file file = encode(2, 1, SPNG_COLOR_TYPE_INDEXED, 8, &palette, NULL, "\1\0", 2);
    struct file trns = encode(2, 1, SPNG_COLOR_TYPE_INDEXED, 8, &palette, &half, "\1\0", 2);
    struct file gray = encode(2, 1, SPNG_COLOR_TYPE_GRAYSCALE, 8, NULL, NULL, "ab", 2);
    struct file rgba = encode(1, 1, SPNG_COLOR_TYPE_TRUECOLOR_ALPHA, 8, NULL, NULL, "abcd", 4);
    refuse_chunk(&file, AFTER_IHDR, "IHDR", header, 13);
    refuse_chunk(&file, AFTER_IHDR, "PLTE", "abcdef", 6);
    refuse_chunk(&file, file.size - IEND, "PLTE", "abcdef", 6);
    refuse_chunk(&file, AFTER_IHDR, "tRNS", "a", 1);
    refuse_chunk(&file, file.size - IEND, "tRNS", "a", 1);
    refuse_chunk(&trns, AFTER_PLTE, "tRNS", "a", 1);
    refuse_chunk(&gray, AFTER_IHDR, "PLTE", "abcdef", 6);
    refuse_chunk(&rgba, AFTER_IHDR, "tRNS", "abcdef", 6);
    refuse_chunk(&file, AFTER_IHDR, "QQQQ", "", 0);
    struct file text = with_chunk(&file, AFTER_IHDR, "tEXt", "k\0v", 3); /* what may be there is read over */
    expect(text, 4, 8, "\4\5\6\xff\1\2\3\xff", 8);
    expect(trns, 4, 8, "\4\5\6\xff\1\2\3\x80", 8);
    free(gray.bytes);
    free(rgba.bytes);
    free(file.bytes);
}

static void what_follows_the_end_is_refused(void **unused)
{
    (void)unused;
    struct file file = encode(2, 2, SPNG_COLOR_TYPE_GRAYSCALE, 8, NULL, NULL, "abcd", 4);
    struct picture picture;
    struct atoll_error error = {0};
    struct file more = with_chunk(&file, file.size, "IEND", "", 0);
    assert_false(picture_read_png(more.bytes, more.size, LIMIT, &picture, &error));
    assert_non_null(strstr(error.message, "12 bytes follow its end"));
    refuse(more.bytes, file.size + 1, LIMIT, ATOLL_INPUT);
    free(more.bytes);
    expect(file, 1, 8, "abcd", 4);
}

static void texels_come_back_from_a_file(void **unused)
{
    (void)unused;
    static const char *const formats[] = {"r8unorm",     "rg8unorm",   "rgba8unorm", "r16unorm",  "rg16unorm",
                                          "rgba16unorm", "r8uint",     "rg8uint",    "rgba8uint", "r16uint",
                                          "rg16uint",    "rgba16uint", "bgra8unorm"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const struct format *format = format_find(formats[i]);
        unsigned char texels[6 * 8], again[6 * 8];
        struct picture picture, read;
        struct atoll_error error;
        struct text out = {0};
        for (size_t k = 0; k < sizeof texels; k++)
            texels[k] = (unsigned char)(k * 37 + 11);
        assert_true(picture_load(3, 2, format, texels, &picture, &error));
        assert_true(picture_write_png(&picture, &out, &error));
        assert_true(picture_read_png(out.bytes, out.length, LIMIT, &read, &error));
        picture_store(&read, format, again);
        assert_memory_equal(again, texels, 6u * format->bytes);
        picture_free(&picture);
        picture_free(&read);
        text_free(&out);
    }
}

static void packed_texels_are_scaled(void **unused)
{
    (void)unused;
    const uint32_t texel = 1023u | 512u << 10 | 0u << 20 | 1u << 30;
    const uint16_t wanted[4] = {65535, 32800, 0, 21845}; /* 512 * 65535 / 1023 = 32799.53 */
    struct picture picture;
    assert_true(picture_load(1, 1, format_find("rgb10a2unorm"), &texel, &picture, NULL));
    assert_int_equal(picture.bits, 16);
    assert_memory_equal(picture.texels, wanted, sizeof wanted);
    uint32_t back;
    picture_store(&picture, format_find("rgb10a2unorm"), &back);
    assert_int_equal(back, texel);
    picture_free(&picture);
}

static void floats_are_black_to_white(void **unused)
{
    (void)unused;
    const float texels[8] = {0, 1, 0.5f, -3, 1.5f, -0.0f, __builtin_nanf(""), 200.0f / 255};
    const uint16_t wanted[8] = {0, 65535, 32768, 0, 65535, 0, 0, 200 * 257};
    const uint16_t half[4] = {0x3c00, 0x3800, 0x7c00, 0xfc00}, wanted_half[4] = {65535, 32768, 65535, 0};
    const uint32_t small = 0x3c0; /* 1 in the 11 bits of red: exponent 15 of 5 bits, mantissa 0 of 6 */
    struct picture picture;
    assert_true(picture_load(1, 2, format_find("rgba32float"), texels, &picture, NULL));
    assert_int_equal(picture.bits, 16);
    assert_int_equal(picture.channels, 4);
    assert_memory_equal(picture.texels, wanted, sizeof wanted);
    picture_free(&picture);
    assert_true(picture_load(4, 1, format_find("r16float"), half, &picture, NULL));
    assert_int_equal(picture.channels, 1);
    assert_memory_equal(picture.texels, wanted_half, sizeof wanted_half);
    picture_free(&picture);
    assert_true(picture_load(1, 1, format_find("r11g11b10float"), &small, &picture, NULL));
    assert_memory_equal(picture.texels, ((const uint16_t[4]){65535, 0, 0, 65535}), 8);
    picture_free(&picture);
}

static void formats_that_are_no_pictures_are_refused(void **unused)
{
    (void)unused;
    static const char *const formats[] = {"r32uint", "r8sint", "r8snorm", "rgb10a2uint"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        struct picture picture;
        struct atoll_error error = {0};
        assert_false(picture_load(1, 1, format_find(formats[i]), "", &picture, &error));
        assert_int_equal(error.status, ATOLL_USAGE);
        assert_non_null(strstr(error.message, formats[i]));
        assert_non_null(strstr(error.message, ".npy"));
    }
}

static void colors_and_gray_are_converted(void **unused)
{
    (void)unused;
    unsigned char color[8] = {255, 255, 255, 7, 255, 0, 0, 8}, gray[2] = {9, 200}, out[16];
    struct picture p = {.width = 2, .height = 1, .channels = 4, .bits = 8, .texels = color, .size = 8};
    picture_store(&p, format_find("r8unorm"), out);
    assert_memory_equal(out, "\xff\x36", 2); /* Rec. 709: 0.2126 * 255 = 54.2 */
    picture_store(&p, format_find("rg8unorm"), out);
    assert_memory_equal(out, "\xff\xff\xff\0", 4);
    struct picture g = {.width = 2, .height = 1, .channels = 1, .bits = 8, .texels = gray, .size = 2};
    picture_store(&g, format_find("rgba8unorm"), out);
    assert_memory_equal(out, "\x9\x9\x9\xff\xc8\xc8\xc8\xff", 8);
    picture_store(&g, format_find("r8sint"), out); /* integers are cut at the range */
    assert_memory_equal(out, "\x9\x7f", 2);
    float values[2];
    picture_store(&g, format_find("r32float"), values);
    assert_true(values[0] == 9.0f / 255 && values[1] == 200.0f / 255);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_color_type_is_read),
        cmocka_unit_test(palettes_and_transparency_become_channels),
        cmocka_unit_test(chunks_that_contradict_are_refused),
        cmocka_unit_test(what_follows_the_end_is_refused),
        cmocka_unit_test(broken_files_are_refused),
        cmocka_unit_test(texels_come_back_from_a_file),
        cmocka_unit_test(packed_texels_are_scaled),
        cmocka_unit_test(floats_are_black_to_white),
        cmocka_unit_test(formats_that_are_no_pictures_are_refused),
        cmocka_unit_test(colors_and_gray_are_converted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

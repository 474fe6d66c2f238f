/* Fuzzes PNG files: what is read must be written again and read the same. Each input is tried as it is and with the
 * checksums of its chunks put right, or else nothing after the first checksum would ever be reached. */
#include <string.h>

#include "file/picture.h"
#include "fuzz.h"

static uint32_t big_endian(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* CRC-32 of PNG, bit by bit. */
static uint32_t checksum(const uint8_t *data, size_t size)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

/* A chunk: length, type (4 bytes), data, checksum of type and data. */
static void repair(uint8_t *file, size_t size)
{
    for (size_t at = 8; size >= 12 && at <= size - 12;) {
        size_t length = big_endian(file + at);
        if (length > size - 12 - at)
            return;
        uint32_t crc = checksum(file + at + 4, length + 4);
        for (int i = 0; i < 4; i++)
            file[at + 8 + length + (size_t)i] = (uint8_t)(crc >> (24 - 8 * i));
        at += 12 + length;
    }
}

static void try_file(const uint8_t *data, size_t size)
{
    struct picture picture, again;
    struct atoll_error error = {0};
    struct text out = {0};
    if (!picture_read_png(data, size, 1 << 24, &picture, &error)) {
        fuzz_check(error.status != ATOLL_OK && error.message[0] && !picture.texels);
        return;
    }
    fuzz_check(picture.size == (uint64_t)picture.width * picture.height * picture.channels * picture.bits / 8);
    fuzz_check(picture_write_png(&picture, &out, &error));
    fuzz_check(picture_read_png(out.bytes, out.length, 1 << 24, &again, &error));
    fuzz_check(again.size == picture.size && memcmp(again.texels, picture.texels, (size_t)picture.size) == 0);
    const struct format *format = format_find("rgb10a2unorm");
    void *texels = malloc((size_t)picture.width * picture.height * 4);
    if (texels)
        picture_store(&picture, format, texels);
    free(texels);
    text_free(&out);
    picture_free(&picture);
    picture_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = calloc(1, size ? size : 1);
    if (!copy)
        return 0;
    if (size)
        memcpy(copy, data, size);
    try_file(copy, size);
    repair(copy, size);
    try_file(copy, size);
    free(copy);
    return 0;
}

/* Numbers as text. */
#include "isa/writer.h"

void writer_decimal(struct isa_writer *w, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    writer_put(w, digits + at, sizeof digits - at);
}

void writer_hex(struct isa_writer *w, uint64_t value)
{
    char digits[18];
    size_t at = sizeof digits;
    do
        digits[--at] = "0123456789abcdef"[value & 15];
    while (value >>= 4);
    digits[--at] = 'x';
    digits[--at] = '0';
    writer_put(w, digits + at, sizeof digits - at);
}

void writer_signed_hex(struct isa_writer *w, int64_t value)
{
    if (value < 0)
        writer_char(w, '-');
    writer_hex(w, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

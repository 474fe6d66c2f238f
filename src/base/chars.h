/* What all readers of text ask of single bytes, and digits of numbers. No locale. */
#ifndef ATOLL_BASE_CHARS_H
#define ATOLL_BASE_CHARS_H

#include <stdbool.h>
#include <stdint.h>

/* 0 to 15; not a hexadecimal digit: something larger. */
static inline unsigned char_digit(char c)
{
    unsigned digit = (unsigned char)c - (unsigned)'0', letter = ((unsigned char)c | 0x20u) - 'a';
    return digit < 10 ? digit : letter < 6 ? letter + 10 : 99;
}

/* Letters, digits, '_'. */
static inline bool char_word(char c)
{
    return ((unsigned char)c | 0x20u) - 'a' < 26 || (unsigned char)c - (unsigned)'0' < 10 || c == '_';
}

struct digits {
    uint64_t value;    /* modulo 2^64 */
    const char *large; /* the first digit with which it needs more than 64 bits; NULL: none */
};

/* The digits of `base` (at most 16) from `at` on; returns the place after them. */
static inline const char *digits_read(const char *at, const char *end, unsigned base, struct digits *digits)
{
    *digits = (struct digits){0, (const char *)0};
    for (unsigned digit; at < end && (digit = char_digit(*at)) < base; at++) {
        if (!digits->large && digits->value > (UINT64_MAX - digit) / base)
            digits->large = at;
        digits->value = digits->value * base + digit;
    }
    return at;
}

#endif

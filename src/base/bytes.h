/* Numbers in bytes, the low byte first, at any address. */
#ifndef ATOLL_BASE_BYTES_H
#define ATOLL_BASE_BYTES_H

#include <stdint.h>

static inline uint32_t bytes_u16(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t bytes_u32(const uint8_t *p)
{
    return bytes_u16(p) | bytes_u16(p + 2) << 16;
}

static inline uint64_t bytes_u64(const uint8_t *p)
{
    return bytes_u32(p) | (uint64_t)bytes_u32(p + 4) << 32;
}

/* A number of `count` bytes, at most 8. */
static inline uint64_t bytes_get(const void *at, unsigned count)
{
    const uint8_t *p = at;
    uint64_t value = 0;
    for (unsigned i = 0; i < count; i++)
        value |= (uint64_t)p[i] << 8 * i;
    return value;
}

static inline void bytes_put(void *at, uint64_t value, unsigned count)
{
    uint8_t *p = at;
    for (unsigned i = 0; i < count && i < 8; i++) /* at most 8 they are; GCC 12 for AArch64 does not see it */
        p[i] = (uint8_t)(value >> 8 * i);
}

#endif

/* SHA-256 (FIPS 180-4): names what was compiled, and finds damage in what is read back. */
#ifndef ATOLL_BASE_SHA256_H
#define ATOLL_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32 };

struct sha256 {
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    unsigned char block[64];
};

void sha256_begin(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *bytes, size_t size);
void sha256_end(struct sha256 *sha, uint8_t hash[SHA256_BYTES]);

#endif

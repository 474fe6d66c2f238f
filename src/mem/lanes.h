/* Questions to 32 lanes at once, answered as a bit per lane: what compilers do not find in plain C loops.
 * Each has one form per instruction set of the host and a plain form that says what it means. */
#ifndef ATOLL_MEM_LANES_H
#define ATOLL_MEM_LANES_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* Bit i: v[i] <= last, unsigned. */
static inline uint32_t lanes_upto(const int32_t *v, uint32_t last)
{
    uint32_t bits = 0;
#if defined(__AVX512F__)
    __m512i limit = _mm512_set1_epi32((int)last);
    bits = _mm512_cmple_epu32_mask(_mm512_loadu_si512(v), limit);
    bits |= (uint32_t)_mm512_cmple_epu32_mask(_mm512_loadu_si512(v + 16), limit) << 16;
#elif defined(__AVX2__)
    __m256i limit = _mm256_set1_epi32((int)last);
    for (unsigned i = 0; i < 32; i += 8) {
        __m256i a = _mm256_loadu_si256((const __m256i *)(v + i));
        __m256i in = _mm256_cmpeq_epi32(_mm256_min_epu32(a, limit), a);
        bits |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(in)) << i;
    }
#elif defined(__SSE2__)
    __m128i flip = _mm_set1_epi32(INT32_MIN), limit = _mm_set1_epi32((int)(last ^ 0x80000000));
    for (unsigned i = 0; i < 32; i += 4) {
        __m128i a = _mm_xor_si128(_mm_loadu_si128((const __m128i *)(v + i)), flip);
        bits |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpgt_epi32(a, limit))) << i;
    }
    bits = ~bits;
#else
    for (unsigned i = 0; i < 32; i++)
        bits |= (uint32_t)((uint32_t)v[i] <= last) << i;
#endif
    return bits;
}

/* Bit i: v[i] has a bit in common with `with`. */
static inline uint32_t lanes_test(const int32_t *v, uint32_t with)
{
    uint32_t bits = 0;
#if defined(__AVX512F__)
    __m512i mask = _mm512_set1_epi32((int)with);
    bits = _mm512_test_epi32_mask(_mm512_loadu_si512(v), mask);
    bits |= (uint32_t)_mm512_test_epi32_mask(_mm512_loadu_si512(v + 16), mask) << 16;
#elif defined(__AVX2__)
    __m256i mask = _mm256_set1_epi32((int)with), zero = _mm256_setzero_si256();
    for (unsigned i = 0; i < 32; i += 8) {
        __m256i a = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(v + i)), mask);
        bits |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(a, zero))) << i;
    }
    bits = ~bits;
#elif defined(__SSE2__)
    __m128i mask = _mm_set1_epi32((int)with), zero = _mm_setzero_si128();
    for (unsigned i = 0; i < 32; i += 4) {
        __m128i a = _mm_and_si128(_mm_loadu_si128((const __m128i *)(v + i)), mask);
        bits |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(a, zero))) << i;
    }
    bits = ~bits;
#else
    for (unsigned i = 0; i < 32; i++)
        bits |= (uint32_t)(((uint32_t)v[i] & with) != 0) << i;
#endif
    return bits;
}

/* Bit i: v[i] is negative. */
static inline uint32_t lanes_negative(const int64_t *v)
{
    uint32_t bits = 0;
#if defined(__AVX512F__)
    for (unsigned i = 0; i < 32; i += 8)
        bits |= (uint32_t)_mm512_cmplt_epi64_mask(_mm512_loadu_si512(v + i), _mm512_setzero_si512()) << i;
#elif defined(__AVX2__)
    for (unsigned i = 0; i < 32; i += 4)
        bits |= (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_loadu_si256((const __m256i *)(v + i)))) << i;
#elif defined(__SSE2__)
    for (unsigned i = 0; i < 32; i += 2)
        bits |= (uint32_t)_mm_movemask_pd(_mm_castsi128_pd(_mm_loadu_si128((const __m128i *)(v + i)))) << i;
#else
    for (unsigned i = 0; i < 32; i++)
        bits |= (uint32_t)(v[i] < 0) << i;
#endif
    return bits;
}

/* to[i] = first + x[i] * scale + y[i] * pitch, of unsigned numbers. */
static inline void lanes_places(uint64_t *to, uint64_t first, const uint32_t *x, uint32_t scale, const uint32_t *y,
                                uint32_t pitch)
{
#if defined(__SSE2__)
    __m128i base = _mm_set1_epi64x((int64_t)first), by = _mm_set1_epi64x(scale), rows = _mm_set1_epi64x(pitch);
    for (unsigned i = 0; i < 32; i += 4) {
        __m128i a = _mm_loadu_si128((const __m128i *)(x + i)), b = _mm_loadu_si128((const __m128i *)(y + i));
        __m128i even = _mm_add_epi64(_mm_mul_epu32(a, by), _mm_mul_epu32(b, rows));
        __m128i odd =
            _mm_add_epi64(_mm_mul_epu32(_mm_srli_epi64(a, 32), by), _mm_mul_epu32(_mm_srli_epi64(b, 32), rows));
        even = _mm_add_epi64(even, base);
        odd = _mm_add_epi64(odd, base);
        _mm_storeu_si128((__m128i *)(to + i), _mm_unpacklo_epi64(even, odd));
        _mm_storeu_si128((__m128i *)(to + i + 2), _mm_unpackhi_epi64(even, odd));
    }
#else
    for (unsigned i = 0; i < 32; i++)
        to[i] = first + (uint64_t)x[i] * scale + (uint64_t)y[i] * pitch;
#endif
}

/* Bit i (1..31): v[i] == v[i - 1] + step, modulo 2^32. Bit 0 is clear. The neighbour is made by a shuffle and not by
 * an unaligned load, which would have to wait for the stores that just wrote v. */
static inline uint32_t lanes_continue(const int32_t *v, uint32_t step)
{
    uint32_t bits = 0;
#if defined(__AVX512F__)
    __m512i a = _mm512_loadu_si512(v), b = _mm512_loadu_si512(v + 16), by = _mm512_set1_epi32((int)step);
    __m512i before_a = _mm512_alignr_epi32(a, a, 15), before_b = _mm512_alignr_epi32(b, a, 15);
    bits = _mm512_cmpeq_epi32_mask(a, _mm512_add_epi32(before_a, by));
    bits |= (uint32_t)_mm512_cmpeq_epi32_mask(b, _mm512_add_epi32(before_b, by)) << 16;
#elif defined(__AVX2__)
    __m256i by = _mm256_set1_epi32((int)step), turn = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
    __m256i before = _mm256_setzero_si256();
    for (unsigned i = 0; i < 32; i += 8) {
        __m256i a = _mm256_loadu_si256((const __m256i *)(v + i));
        __m256i left = _mm256_permutevar8x32_epi32(_mm256_blend_epi32(a, before, 0x80), turn);
        __m256i same = _mm256_cmpeq_epi32(a, _mm256_add_epi32(left, by));
        bits |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(same)) << i;
        before = a;
    }
#elif defined(__SSE2__)
    __m128i by = _mm_set1_epi32((int)step), before = _mm_setzero_si128();
    for (unsigned i = 0; i < 32; i += 4) {
        __m128i a = _mm_loadu_si128((const __m128i *)(v + i));
        __m128i left = _mm_or_si128(_mm_slli_si128(a, 4), _mm_srli_si128(before, 12));
        __m128i same = _mm_cmpeq_epi32(a, _mm_add_epi32(left, by));
        bits |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(same)) << i;
        before = a;
    }
#else
    for (unsigned i = 1; i < 32; i++)
        bits |= (uint32_t)((uint32_t)v[i] == (uint32_t)v[i - 1] + step) << i;
#endif
    return bits & ~UINT32_C(1);
}

/* Whether the lanes are 8 by 4: x goes by `step` within eight lanes and is the same in the next eight, where y is one
 * more. */
static inline bool lanes_8x4(const int32_t *x, uint32_t step, const int32_t *y)
{
#if defined(__AVX2__)
    __m256i x0 = _mm256_loadu_si256((const __m256i *)x), y0 = _mm256_loadu_si256((const __m256i *)y);
    __m256i left = _mm256_permutevar8x32_epi32(x0, _mm256_setr_epi32(0, 0, 1, 2, 3, 4, 5, 6));
    __m256i by = _mm256_insert_epi32(_mm256_set1_epi32((int)step), 0, 0);
    __m256i first = _mm256_broadcastd_epi32(_mm256_castsi256_si128(y0));
    __m256i other = _mm256_xor_si256(x0, _mm256_add_epi32(left, by));
    other = _mm256_or_si256(other, _mm256_xor_si256(y0, first));
    for (int i = 1; i < 4; i++) {
        __m256i a = _mm256_loadu_si256((const __m256i *)(x + 8 * i));
        __m256i b = _mm256_loadu_si256((const __m256i *)(y + 8 * i));
        other = _mm256_or_si256(other, _mm256_xor_si256(a, x0));
        other = _mm256_or_si256(other, _mm256_xor_si256(b, _mm256_add_epi32(first, _mm256_set1_epi32(i))));
    }
    return _mm256_testz_si256(other, other);
#else
    bool run = ((lanes_continue(x, step) & lanes_continue(y, 0)) | 0x01010101) == UINT32_MAX;
    for (unsigned i = 8; i < 32; i += 8)
        run = run && x[i] == x[0] && (uint32_t)y[i] == (uint32_t)y[0] + i / 8;
    return run;
#endif
}

/* Whether the lanes are two rows of 16: x goes by `step` and y is the same in each. */
static inline bool lanes_16x2(const int32_t *x, uint32_t step, const int32_t *y)
{
#if defined(__AVX2__)
    __m256i by = _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32((int)step));
    __m256i more = _mm256_add_epi32(by, _mm256_set1_epi32((int)(8 * step))), other = _mm256_setzero_si256();
    for (int i = 0; i < 32; i += 16) {
        __m256i first = _mm256_set1_epi32(x[i]), same = _mm256_set1_epi32(y[i]);
        __m256i a = _mm256_loadu_si256((const __m256i *)(x + i)), b = _mm256_loadu_si256((const __m256i *)(x + i + 8));
        __m256i c = _mm256_loadu_si256((const __m256i *)(y + i)), d = _mm256_loadu_si256((const __m256i *)(y + i + 8));
        other = _mm256_or_si256(other, _mm256_xor_si256(a, _mm256_add_epi32(first, by)));
        other = _mm256_or_si256(other, _mm256_xor_si256(b, _mm256_add_epi32(first, more)));
        other = _mm256_or_si256(other, _mm256_or_si256(_mm256_xor_si256(c, same), _mm256_xor_si256(d, same)));
    }
    return _mm256_testz_si256(other, other);
#else
    return ((lanes_continue(x, step) & lanes_continue(y, 0)) | 0x00010001) == UINT32_MAX;
#endif
}

/* Eight words of a row of `last` + 1, at least 8: to[i] is that at x + i, or the nearest. `last` and x + 7 are at most
 * INT32_MAX. */
static inline void lanes_nearest(const unsigned char *row, int32_t x, int32_t last, unsigned char *to)
{
#if defined(__AVX2__)
    int32_t from = x > 0 ? x : 0;
    from = from < last - 7 ? from : last - 7;
    __m256i at = _mm256_add_epi32(_mm256_set1_epi32(x), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    at = _mm256_min_epi32(_mm256_max_epi32(at, _mm256_setzero_si256()), _mm256_set1_epi32(last));
    at = _mm256_sub_epi32(at, _mm256_set1_epi32(from));
    __m256i words = _mm256_loadu_si256((const __m256i *)(const void *)(row + 4 * (int64_t)from));
    _mm256_storeu_si256((__m256i *)(void *)to, _mm256_permutevar8x32_epi32(words, at));
#else
    for (int32_t i = 0; i < 8; i++) {
        int32_t at = x + i > 0 ? x + i : 0;
        __builtin_memcpy(to + 4 * i, row + 4 * (int64_t)(at < last ? at : last), 4);
    }
#endif
}

/* The lane after the run of lanes that starts at `start`: lanes of `go`, each but the first in `joins`. */
static inline unsigned lanes_run_end(uint32_t go, uint32_t joins, unsigned start)
{
    uint32_t stops = ~(go & joins) & (UINT32_MAX << start << 1);
    return stops ? (unsigned)__builtin_ctz(stops) : 32;
}

/* The lanes from `lane` (0..32) on. */
static inline uint32_t lanes_from(unsigned lane)
{
    return lane < 32 ? UINT32_MAX << lane : 0;
}

#endif

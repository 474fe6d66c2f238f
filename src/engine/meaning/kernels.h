/* What the kernel files share: the shape of a kernel, the host's rounding mode, predicate masks.
 *
 * Meanings are in the headers that shapes.h tells of; a kernel is a loop around one. A destination is either the same
 * register as a source or does not overlap it at all (registers of different widths are different registers), so
 * iterations are independent: LANE_LOOP says so to the vectoriser (and keeps the compiler from unrolling the loop into
 * 32 scalar copies before the vectoriser sees it). Packed types (f16x2, u16x2) are loops over 64 elements. Element
 * order within a register is the host's; hosts are little-endian.
 */
#ifndef ATOLL_ENGINE_MEANING_KERNELS_H
#define ATOLL_ENGINE_MEANING_KERNELS_H

#include "base/half.h"
#include "engine/meaning/kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>
#else
#include <fenv.h>
#endif

/* A register of all lanes, and a predicate: a bit a lane in a word of its own, which is aligned to no more. */
#define KERNEL_REG(type, offset) ((type *)__builtin_assume_aligned(f->regs + (offset), 64))
#define KERNEL_MASK(offset)      ((uint32_t *)__builtin_assume_aligned(f->regs + (offset), 4))

#ifdef __clang__
#define LANE_LOOP(n)                                                                                                 \
    _Pragma("clang loop vectorize(assume_safety) interleave(disable) unroll(disable)") for (unsigned l = 0; l < (n); \
                                                                                            l++)
#else
#define LANE_LOOP(n) _Pragma("GCC ivdep") _Pragma("GCC unroll 1") for (unsigned l = 0; l < (n); l++)
#endif

/* ---- rounding mode of the host --------------------------------------------------------------------- */

/* Loops between round_enter and round_leave run in the given mode. The "memory" clobbers pin the arithmetic: its inputs
 * are loaded after the one, its results are stored before the other. Outside, the host's mode is to nearest. */
static inline unsigned round_enter(enum lane_round round)
{
    if (round == LANE_RN)
        return 0;
#if defined(__x86_64__)
    unsigned old, now;
    unsigned mode = round == LANE_RZ ? 3 : round == LANE_RM ? 1 : 2; /* MXCSR.RC */
    __asm__ volatile("stmxcsr %0" : "=m"(old)::"memory");
    now = (old & ~0x6000u) | mode << 13;
    __asm__ volatile("ldmxcsr %0" ::"m"(now) : "memory");
    return old;
#else
    int old = fegetround();
    fesetround(round == LANE_RZ ? FE_TOWARDZERO : round == LANE_RM ? FE_DOWNWARD : FE_UPWARD);
    __asm__ volatile("" ::: "memory");
    return (unsigned)old;
#endif
}

static inline void round_leave(enum lane_round round, unsigned old)
{
    if (round == LANE_RN)
        return;
#if defined(__x86_64__)
    __asm__ volatile("ldmxcsr %0" ::"m"(old) : "memory");
#else
    __asm__ volatile("" ::: "memory");
    fesetround((int)old);
#endif
}

/* ---- numbers (named choices) ------------------------------------------------------------------------ */

/* NaN results: PTX ISA prescribes one canonical NaN for f32 (and halves); for f64 it keeps payloads: a NaN operand's,
 * quieted. Which one's an H100 told (tests/hw/results/h100.txt.gz): of a sum, product, minimum or maximum the last NaN,
 * of a * b + c b's before c's before a's, of a quotient the first. A NaN made from numbers has the sign bit. */
#define F32_NAN       0x7fffffffu
#define F64_NAN_MADE  0xfff8000000000000ull
#define F64_NAN_QUIET 0x0008000000000000ull

/* FTZ: subnormal -> zero of the same sign. Applied to inputs, and to results that are tiny: below the least normal
 * number once they are rounded as if exponents had no end (IEEE 754, "after rounding"; so do x86 hosts). An H100 does
 * not keep 2^-126 * (1 - 2^-24) either, which on the subnormal grid rounds to the least normal number; what lies so
 * near to that that it rounds to it in any case stays (named choice: nothing measured tells). */
static inline float f32_flush_if(float x, bool tiny)
{
    return f32_from_bits(f32_bits(x) & ~(-(uint32_t)tiny >> 1)); /* masks: of choices compilers make worse code */
}

static inline float f32_flush(float x, bool ftz)
{
    return ftz ? f32_flush_if(x, (f32_bits(x) & 0x7f800000) == 0) : x;
}

/* SAT: clamp to [+0, 1]; NaN and -0 become +0. */
static inline float f32_clamp(float x)
{
    float low = x > 0 ? x : 0;
    return low < 1 ? low : 1;
}

static inline double f64_clamp(double x)
{
    double low = x > 0 ? x : 0;
    return low < 1 ? low : 1;
}

/* Last step of every f32 operation: the bits of a result. */
static inline uint32_t f32_finish(float x, bool ftz, bool sat)
{
    if (sat)
        x = f32_clamp(x);
    uint32_t bits = f32_bits(f32_flush(x, ftz));
    return x != x ? F32_NAN : bits;
}

/* The same where a NaN is to stay as it is. */
static inline uint32_t f32_finish_number(float x, bool ftz, bool sat)
{
    return f32_bits(f32_flush(sat ? f32_clamp(x) : x, ftz));
}

/* a, b, c: what may be a NaN, the one that counts first; 0 for none. */
static inline uint64_t f64_finish(double r, double a, double b, double c)
{
    uint64_t nan = c != c ? f64_bits(c) | F64_NAN_QUIET : F64_NAN_MADE;
    nan = b != b ? f64_bits(b) | F64_NAN_QUIET : nan;
    nan = a != a ? f64_bits(a) | F64_NAN_QUIET : nan;
    return r != r ? nan : f64_bits(r);
}

/* What happens to a half after rounding: nothing, SAT (clamp to [+0, 1], NaN to +0), or RELU (negative to +0, NaN stays
 * the canonical one: PTX ISA, fma and cvt). */
enum half_post { HALF_NONE, HALF_SAT, HALF_RELU };

/* FTZ of what is rounded to nearest as a half, by its f32, which is exact or rounded to odd: tiny is what lies below
 * the middle of the least normal number and its neighbour, were that normal. */
enum { F16_TINY = 0x387ff000, BF16_TINY = 0x007fc000 };

static inline float half_flush_wide(float x, uint32_t tiny)
{
    return f32_flush_if(x, (f32_bits(x) & 0x7fffffff) < tiny);
}

static inline uint16_t half_flush(uint16_t h, bool ftz, uint16_t exponent)
{
    uint16_t flushed = (h & exponent) == 0 ? h & 0x8000 : h;
    return ftz ? flushed : h;
}

/* Last step of every half operation; a NaN is already the canonical one, 0x7fff in both formats. */
static inline uint16_t half_finish(uint16_t h, bool ftz, enum half_post post, uint16_t exponent, uint16_t one)
{
    h = half_flush(h, ftz, exponent);
    uint16_t positive = h & 0x8000 ? 0 : h;
    uint16_t clamped = positive > one ? one : positive;
    clamped = positive > exponent ? 0 : clamped;
    return post == HALF_SAT ? clamped : post == HALF_RELU ? positive : h;
}

static inline uint16_t f16_flush(uint16_t h, bool ftz)
{
    return half_flush(h, ftz, 0x7c00);
}

static inline uint16_t bf16_flush(uint16_t h, bool ftz)
{
    return half_flush(h, ftz, 0x7f80);
}

static inline uint16_t f16_finish(uint16_t h, bool ftz, enum half_post post)
{
    return half_finish(h, ftz, post, 0x7c00, 0x3c00);
}

static inline uint16_t bf16_finish(uint16_t h, bool ftz, enum half_post post)
{
    return half_finish(h, ftz, post, 0x7f80, 0x3f80);
}

/* f16 conversions of the host, 32 at a time. Stores are as wide as the loads of the loops that follow: narrower ones
 * could not be forwarded to them and would cost ten times the conversion. */
#if defined(__AVX512BW__)
static inline void host_f16_widen(float *out, const uint16_t *in)
{
    for (unsigned i = 0; i < 32; i += 16)
        _mm512_store_ps(out + i, _mm512_cvtph_ps(_mm256_load_si256((const __m256i *)(const void *)(in + i))));
}

/* mode: 0 nearest even, 1 down, 2 up, 3 toward zero */
#define host_f16_narrow(out, in, mode)                                                                            \
    _mm512_store_si512(out, _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtps_ph(_mm512_load_ps(in), mode)), \
                                               _mm512_cvtps_ph(_mm512_load_ps((in) + 16), mode), 1))
#elif defined(__F16C__)
static inline void host_f16_widen(float *out, const uint16_t *in)
{
    for (unsigned i = 0; i < 32; i += 8)
        _mm256_store_ps(out + i, _mm256_cvtph_ps(_mm_load_si128((const __m128i *)(const void *)(in + i))));
}

#define host_f16_narrow(out, in, mode)                                                       \
    for (unsigned i = 0; i < 32; i += 16)                                                    \
    _mm256_store_si256((__m256i *)(void *)((out) + i),                                       \
                       _mm256_set_m128i(_mm256_cvtps_ph(_mm256_load_ps((in) + i + 8), mode), \
                                        _mm256_cvtps_ph(_mm256_load_ps((in) + i), mode)))
#endif

/* 32 halves to f32, exactly (FTZ first), and 32 f32 to halves. With a constant rounding mode these are vector code. */
static inline void f16_widen(float *out, const uint16_t *in, bool ftz)
{
#ifdef __F16C__
    _Alignas(64) uint16_t flushed[32];
    if (!ftz) {
        host_f16_widen(out, in);
        return;
    }
    LANE_LOOP(32)
    flushed[l] = f16_flush(in[l], true);
    host_f16_widen(out, flushed);
#else
    LANE_LOOP(32)
    out[l] = f16_to_f32(f16_flush(in[l], ftz));
#endif
}

static inline void bf16_widen(float *out, const uint16_t *in, bool ftz)
{
    LANE_LOOP(32)
    out[l] = bf16_to_f32(bf16_flush(in[l], ftz));
}

static inline void f16_narrow(uint16_t *out, const float *in, enum half_round round, enum half_post post)
{
#ifdef __F16C__
    if (round != HALF_RNA) {
        _Alignas(64) uint16_t h[32];
        switch (round) {
        case HALF_RZ:
            host_f16_narrow(h, in, 3);
            break;
        case HALF_RM:
            host_f16_narrow(h, in, 1);
            break;
        case HALF_RP:
            host_f16_narrow(h, in, 2);
            break;
        default:
            host_f16_narrow(h, in, 0);
        }
        LANE_LOOP(32)
        {
            uint16_t x = (h[l] & 0x7fff) > 0x7c00 ? F16_NAN : h[l];
            out[l] = f16_finish(x, false, post);
        }
        return;
    }
#endif
    LANE_LOOP(32)
    out[l] = f16_finish(f16_from_f32(in[l], round), false, post);
}

static inline void bf16_narrow(uint16_t *out, const float *in, enum half_round round, enum half_post post)
{
    LANE_LOOP(32)
    out[l] = bf16_finish(bf16_from_f32(in[l], round), false, post);
}

/* ---- predicates --------------------------------------------------------------------------------------- */

/* A predicate register is one word, a bit per lane. Loops over lanes see it as 32 elements, all ones or zero; the
 * element is as wide as the data of the loop. bits: the bit of an element within its group (8, 16, 32 or 32 lanes). */
static const uint8_t kernel_bit8[8] = {1, 2, 4, 8, 16, 32, 64, 128};
static const uint16_t kernel_bit16[16] = {1,      2,      4,       8,       16,      32,      64,      128,
                                          1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
static const uint32_t kernel_bit32[32] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};
static const uint64_t kernel_bit64[32] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

/* The other way: 32 elements, each all ones or zero, to a word. Only their top bits count. */
static inline uint32_t mask_from_8(const uint8_t *m)
{
#if defined(__AVX2__)
    return (uint32_t)_mm256_movemask_epi8(_mm256_load_si256((const __m256i *)(const void *)m));
#elif defined(__SSE2__)
    uint32_t lo = (uint32_t)_mm_movemask_epi8(_mm_load_si128((const __m128i *)(const void *)m));
    uint32_t hi = (uint32_t)_mm_movemask_epi8(_mm_load_si128((const __m128i *)(const void *)(m + 16)));
    return lo | hi << 16;
#else
    uint32_t word = 0;
    for (unsigned l = 0; l < 32; l++)
        word |= (uint32_t)(m[l] >> 7) << l;
    return word;
#endif
}

static inline uint32_t mask_from_16(const uint16_t *m)
{
#if defined(__AVX512BW__)
    return _mm512_movepi16_mask(_mm512_load_si512(m));
#elif defined(__SSE2__)
    uint32_t word = 0;
    for (unsigned i = 0; i < 2; i++) {
        const __m128i *v = (const __m128i *)(const void *)(m + 16 * i);
        word |= (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(_mm_load_si128(v), _mm_load_si128(v + 1))) << (16 * i);
    }
    return word;
#else
    uint32_t word = 0;
    for (unsigned l = 0; l < 32; l++)
        word |= (uint32_t)(m[l] >> 15) << l;
    return word;
#endif
}

static inline uint32_t mask_from_32(const uint32_t *m)
{
#if defined(__AVX512DQ__)
    return (uint32_t)_mm512_movepi32_mask(_mm512_load_si512(m)) |
           (uint32_t)_mm512_movepi32_mask(_mm512_load_si512(m + 16)) << 16;
#elif defined(__AVX__)
    uint32_t word = 0;
    for (unsigned i = 0; i < 4; i++)
        word |= (uint32_t)_mm256_movemask_ps(_mm256_load_ps((const float *)(const void *)(m + 8 * i))) << (8 * i);
    return word;
#elif defined(__SSE2__)
    uint32_t word = 0;
    for (unsigned i = 0; i < 8; i++)
        word |= (uint32_t)_mm_movemask_ps(_mm_load_ps((const float *)(const void *)(m + 4 * i))) << (4 * i);
    return word;
#else
    uint32_t word = 0;
    for (unsigned l = 0; l < 32; l++)
        word |= (m[l] >> 31) << l;
    return word;
#endif
}

static inline uint32_t mask_from_64(const uint64_t *m)
{
#if defined(__AVX512DQ__)
    uint32_t word = 0;
    for (unsigned i = 0; i < 4; i++)
        word |= (uint32_t)_mm512_movepi64_mask(_mm512_load_si512(m + 8 * i)) << (8 * i);
    return word;
#elif defined(__AVX__)
    uint32_t word = 0;
    for (unsigned i = 0; i < 8; i++)
        word |= (uint32_t)_mm256_movemask_pd(_mm256_load_pd((const double *)(const void *)(m + 4 * i))) << (4 * i);
    return word;
#elif defined(__SSE2__)
    uint32_t word = 0;
    for (unsigned i = 0; i < 16; i++)
        word |= (uint32_t)_mm_movemask_pd(_mm_load_pd((const double *)(const void *)(m + 2 * i))) << (2 * i);
    return word;
#else
    uint32_t word = 0;
    for (unsigned l = 0; l < 32; l++)
        word |= (uint32_t)(m[l] >> 63) << l;
    return word;
#endif
}

#endif

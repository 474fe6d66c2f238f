/* References for the float kernels by GNU MPFR: a result in f16, bf16, f32 or f64, rounded once in any mode, subnormals
 * included. Values travel as bit patterns; every format fits in a double. */
#ifndef ATOLL_TESTS_KERNELS_MPFR_H
#define ATOLL_TESTS_KERNELS_MPFR_H

#include <math.h>
#include <stdint.h>

#define MPFR_USE_INTMAX_T
#include <mpfr.h>

#include "kernels_run.h"

struct format {
    unsigned bits, mantissa; /* mantissa without the hidden bit */
    int bias;
    uint64_t nan; /* canonical; f64: what an operation makes of numbers */
};

static inline const struct format *format_of(unsigned type)
{
    static const struct format formats[] = {
        {16, 10, 15, 0x7fff},
        {16, 7, 127, 0x7fff},
        {32, 23, 127, 0x7fffffff},
        {64, 52, 1023, 0xfff8000000000000},
    };
    return &formats[type == LANE_F16X2 ? 0 : type == LANE_BF16X2 ? 1 : type - LANE_F16];
}

static inline uint64_t exponent_mask(const struct format *f)
{
    return ((1ull << (f->bits - 1 - f->mantissa)) - 1) << f->mantissa;
}

static inline uint64_t sign_mask(const struct format *f)
{
    return 1ull << (f->bits - 1);
}

static inline bool is_nan_bits(const struct format *f, uint64_t x)
{
    return (x & ~sign_mask(f)) > exponent_mask(f);
}

static inline bool is_subnormal(const struct format *f, uint64_t x)
{
    return (x & exponent_mask(f)) == 0;
}

/* Subnormal to zero of the same sign. */
static inline uint64_t flushed(const struct format *f, uint64_t x)
{
    return is_subnormal(f, x) ? x & sign_mask(f) : x;
}

/* Exact; a NaN becomes some NaN. */
static inline double decode(const struct format *f, uint64_t x)
{
    uint64_t m = x & ((1ull << f->mantissa) - 1), e = (x & exponent_mask(f)) >> f->mantissa;
    double v;
    if ((x & exponent_mask(f)) == exponent_mask(f))
        v = m ? NAN : INFINITY;
    else if (e == 0)
        v = ldexp((double)m, 1 - f->bias - (int)f->mantissa);
    else
        v = ldexp((double)(m | 1ull << f->mantissa), (int)e - f->bias - (int)f->mantissa);
    return x & sign_mask(f) ? -v : v;
}

/* The bits of a number that the format has exactly. */
static inline uint64_t encode(const struct format *f, double v)
{
    uint64_t sign = signbit(v) ? sign_mask(f) : 0;
    if (isnan(v))
        return f->nan;
    if (v == 0)
        return sign;
    if (isinf(v))
        return sign | exponent_mask(f);
    int e;
    double m = frexp(fabs(v), &e); /* in [0.5, 1) */
    if (e < 2 - f->bias)
        return sign | (uint64_t)ldexp(fabs(v), (int)f->mantissa + f->bias - 1);
    uint64_t bits = (uint64_t)ldexp(m, (int)f->mantissa + 1);
    return sign | (((uint64_t)(e - 1 + f->bias) << f->mantissa) + (bits - (1ull << f->mantissa)));
}

static inline mpfr_rnd_t mpfr_round_of(unsigned round)
{
    return round == LANE_RZ ? MPFR_RNDZ : round == LANE_RM ? MPFR_RNDD : round == LANE_RP ? MPFR_RNDU : MPFR_RNDN;
}

/* Between these an MPFR number of the format's precision behaves like the format. */
static inline void format_enter(const struct format *f, mpfr_t r)
{
    mpfr_set_prec(r, f->mantissa + 1);
    mpfr_set_emin(3 - f->bias - (int)f->mantissa - 1);
    mpfr_set_emax(f->bias + 1);
}

/* flush: what is tiny before it becomes subnormal is 0. */
static inline double format_leave(const struct format *f, mpfr_t r, int ternary, mpfr_rnd_t rnd, bool flush)
{
    ternary = mpfr_check_range(r, ternary, rnd);
    if (flush && mpfr_regular_p(r) && mpfr_get_exp(r) < 2 - f->bias)
        mpfr_set_zero(r, mpfr_signbit(r) ? -1 : 1);
    else
        mpfr_subnormalize(r, ternary, rnd);
    double v = mpfr_get_d(r, MPFR_RNDN);
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    return v;
}

/* Post-processing that all float results share: SAT, RELU, FTZ, NaN. operands: for f64's NaN rule. */
static inline uint64_t finish_bits(const struct format *f, unsigned flags, double v, const uint64_t *operands,
                                   unsigned noperands)
{
    if (flags & LANE_SAT)
        v = !(v > 0) ? 0.0 : v > 1 ? 1 : v;
    if (isnan(v)) {
        for (unsigned i = 0; f->bits == 64 && i < noperands; i++)
            if (is_nan_bits(f, operands[i]))
                return operands[i] | 0x0008000000000000;
        return f->nan;
    }
    if (flags & LANE_RELU && signbit(v))
        v = 0.0;
    uint64_t bits = encode(f, v);
    return flags & LANE_FTZ && f->bits != 64 ? flushed(f, bits) : bits;
}

/* Edge values of a format: zeros, subnormals, neighbours of powers of two, largest numbers, infinities, NaNs. */
static inline unsigned format_edges(const struct format *f, uint64_t *out)
{
    uint64_t one = (uint64_t)f->bias << f->mantissa, unit = 1ull << f->mantissa, inf = exponent_mask(f);
    uint64_t root = one - (uint64_t)(f->bias - 1) / 2 * unit;
    const uint64_t magnitudes[] = {
        0,
        1,
        2,
        3,
        unit / 2,
        unit - 1,
        unit,
        unit + 1,
        2 * unit - 1,
        2 * unit,
        root - 2, /* times the next: a little less than the least normal number */
        root + 1,
        one - 1,
        one,
        one + 1,
        one + unit,
        one + unit / 2,
        one + unit - 1,
        one - unit,
        one - 13 * unit,
        one + 9 * unit + 1,
        inf - unit,
        inf - 2,
        inf - 1,
        inf,
        inf + 1,
        inf + unit / 2,
        inf + unit / 2 + 5,
        inf | (unit - 1),
    };
    unsigned n = 0;
    for (unsigned i = 0; i < sizeof magnitudes / sizeof *magnitudes; i++) {
        out[n++] = magnitudes[i];
        out[n++] = magnitudes[i] | sign_mask(f);
    }
    return n;
}
enum { MAX_EDGES = 64 };

/* Random bits, with exponents near 1 half of the time so that results are neither all infinite nor all zero. */
static inline uint64_t random_float(const struct format *f, uint64_t *seed)
{
    uint64_t r = kernel_random(seed), x = r & (sign_mask(f) * 2 - 1);
    if (kernel_random(seed) >> 40 & 1) {
        uint64_t e = (uint64_t)f->bias - 6 + (r >> 57) % 13;
        x = (x & ~exponent_mask(f)) | e << f->mantissa;
    }
    /* few significant bits make halfway cases likely */
    if ((kernel_random(seed) >> 40 & 3) == 0)
        x &= ~((1ull << (f->mantissa * 2 / 3)) - 1);
    return x;
}

static inline void put(struct kernel_lanes *lanes, unsigned slot, unsigned bits, unsigned lane, uint64_t x)
{
    memcpy(lanes->slot[slot] + lane * bits / 8, &x, bits / 8);
}

static inline uint64_t get(const struct kernel_lanes *lanes, unsigned slot, unsigned bits, unsigned lane)
{
    uint64_t x = 0;
    memcpy(&x, lanes->slot[slot] + lane * bits / 8, bits / 8);
    return x;
}

#endif

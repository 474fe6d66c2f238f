/* Atomic operations of vISA in plain C. Source: docs/visa.md, "Atomics". */
#ifndef ATOLL_TESTS_VISA_ATOMIC_REF_H
#define ATOLL_TESTS_VISA_ATOMIC_REF_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static const char *const ref_operations[] = {"add",     "sub",  "inc",    "dec",  "min",     "max",     "xchg",
                                             "cmpxchg", "and",  "or",     "xor",  "minsint", "maxsint", "predec",
                                             "fmax",    "fmin", "fcmpwr", "fadd", "fsub"};
enum { REF_OPERATIONS = sizeof ref_operations / sizeof *ref_operations };

static inline bool ref_is_float(const char *op)
{
    return op[0] == 'f';
}

static inline bool ref_is_alone(const char *op)
{
    return strcmp(op, "inc") == 0 || strcmp(op, "dec") == 0 || strcmp(op, "predec") == 0;
}

static inline bool ref_has_two(const char *op)
{
    return strcmp(op, "cmpxchg") == 0 || strcmp(op, "fcmpwr") == 0;
}

/* The number that bits are, of 16, 32 or 64. */
static inline double ref_number(uint64_t v, unsigned bits)
{
    double d;
    float f;
    uint32_t w = (uint32_t)v;
    int exponent = (int)(v >> 10 & 31);
    if (bits == 64) {
        memcpy(&d, &v, 8);
        return d;
    }
    if (bits == 32) {
        memcpy(&f, &w, 4);
        return (double)f;
    }
    double fraction = (double)(v & 1023) / 1024;
    d = exponent == 31 ? (fraction != 0 ? NAN : INFINITY)
        : exponent     ? ldexp(1 + fraction, exponent - 15)
                       : ldexp(fraction, -14);
    return v >> 15 & 1 ? -d : d;
}

/* The bits of a number; of 16 bits only of those that have them exactly. */
static inline uint64_t ref_bits(double d, unsigned bits)
{
    uint64_t v = 0;
    float f = (float)d;
    if (bits == 64)
        memcpy(&v, &d, 8);
    if (bits == 32)
        memcpy(&v, &f, 4);
    if (bits != 16)
        return v;
    int exponent;
    double fraction = frexp(fabs(d), &exponent);
    v = signbit(d) ? 0x8000 : 0;
    return d == 0 ? v : v | (uint64_t)(exponent + 14) << 10 | (uint64_t)((fraction * 2 - 1) * 1024);
}

/* What is stored, of old, src0, src1: of 16, 32 or 64 bits. */
static inline uint64_t ref_stored(const char *op, uint64_t old, uint64_t a, uint64_t b, unsigned bits)
{
    unsigned shift = 64 - bits;
    int64_t so = (int64_t)(old << shift), sa = (int64_t)(a << shift);
    double fo = ref_number(old, bits), fa = ref_number(a, bits);
    uint64_t mask = UINT64_MAX >> shift;
#define IS(name) (strcmp(op, name) == 0)
    return (IS("add")       ? old + a
            : IS("sub")     ? old - a
            : IS("inc")     ? old + 1
            : IS("dec")     ? old - 1
            : IS("predec")  ? old - 1
            : IS("min")     ? (old < a ? old : a)
            : IS("max")     ? (old > a ? old : a)
            : IS("xchg")    ? a
            : IS("cmpxchg") ? (old == b ? a : old)
            : IS("and")     ? (old & a)
            : IS("or")      ? (old | a)
            : IS("xor")     ? (old ^ a)
            : IS("minsint") ? (so < sa ? old : a)
            : IS("maxsint") ? (so > sa ? old : a)
            : IS("fmax")    ? (isnan(fo) || fa > fo ? a : old)
            : IS("fmin")    ? (isnan(fo) || fa < fo ? a : old)
            : IS("fcmpwr")  ? (fo == fa ? b : old)
            : IS("fadd")    ? ref_bits(fo + fa, bits)
                            : ref_bits(fo - fa, bits)) &
           mask;
#undef IS
}

#endif

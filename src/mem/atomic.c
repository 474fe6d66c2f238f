/* The table of atomic operations. A row's meaning is one expression in `a` (the value in memory), `b` and `c`; macros
 * make its four forms: indivisible or plain, one lane or a warp.
 *
 * Rules from the PTX ISA, atom:
 *   inc = a >= b ? 0 : a + 1; dec = a == 0 || a > b ? b : a - 1; cas compares bits, whatever the type
 *   f32 add rounds to nearest even; with `flush` subnormal inputs and results become zero of their sign. Named choice:
 *   the old value that is returned is what memory held, not flushed
 *   packed halves flush likewise where they are asked to
 *   f16x2 and bf16x2: each half on its own (here also both in one step, which is more than is asked)
 *   min and max of halves: a NaN loses against a number, -0 < +0
 *   NaN results are the canonical NaN of their type; of f64 additions that ask for it (keeps_nan):
 *   the operand's NaN before memory's in global memory, which leaves them as they are; elsewhere memory's before the
 *   operand's, quieted; and 0xfff8000000000000 where numbers make one
 * and of vector machines (docs/visa.md, "Atomics"):
 *   min and max of f32 and f64: as of halves; of two NaN the operand stays
 *   fcas compares as floats do: -0 and +0 are equal, a NaN equals nothing
 *   predec = a - b, and gives what it stored
 */
#include "mem/atomic.h"

#include "base/half.h"

#include <string.h>

/* GCC treats an order that is not a constant as sequentially consistent, Clang branches on it: both are right. */
static inline int host_order(int order)
{
    switch (order) {
    case LANE_ACQUIRE:
        return __ATOMIC_ACQUIRE;
    case LANE_RELEASE:
        return __ATOMIC_RELEASE;
    case LANE_ACQ_REL:
        return __ATOMIC_ACQ_REL;
    case LANE_SC:
        return __ATOMIC_SEQ_CST;
    default:
        return __ATOMIC_RELAXED;
    }
}

/* ---- floats ---------------------------------------------------------------------------------------------- */

static inline uint32_t flush_f32(uint32_t v)
{
    return (v & 0x7f800000) == 0 ? v & 0x80000000 : v;
}

static inline uint32_t add_f32(uint32_t a, uint32_t b, bool flush)
{
    if (flush) {
        a = flush_f32(a);
        b = flush_f32(b);
    }
    uint32_t sum = f32_bits(f32_from_bits(a) + f32_from_bits(b));
    sum = flush ? flush_f32(sum) : sum;
    return (sum & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : sum;
}

static inline uint64_t add_f64(uint64_t a, uint64_t b)
{
    uint64_t sum = f64_bits(f64_from_bits(a) + f64_from_bits(b));
    return (sum & INT64_MAX) > UINT64_C(0x7ff0000000000000) ? UINT64_C(0x7fffffffffffffff) : sum;
}

static inline uint64_t add_f64_kept(uint64_t a, uint64_t b, bool global)
{
    const uint64_t infinity = UINT64_C(0x7ff0000000000000), quiet = global ? 0 : UINT64_C(1) << 51;
    bool a_nan = (a & INT64_MAX) > infinity, b_nan = (b & INT64_MAX) > infinity;
    if (a_nan || b_nan)
        return (a_nan && !(global && b_nan) ? a : b) | quiet;
    uint64_t sum = f64_bits(f64_from_bits(a) + f64_from_bits(b));
    return (sum & INT64_MAX) > infinity ? UINT64_C(0xfff8000000000000) : sum;
}

/* Which of two floats that are no NaN is less, -0 before +0. */
static inline bool less_f32(uint32_t a, uint32_t b)
{
    float x = f32_from_bits(a), y = f32_from_bits(b);
    return x < y || (x == y && a >> 31 > b >> 31);
}

static inline bool less_f64(uint64_t a, uint64_t b)
{
    double x = f64_from_bits(a), y = f64_from_bits(b);
    return x < y || (x == y && a >> 63 > b >> 63);
}

static inline uint32_t extreme_f32(uint32_t a, uint32_t b, bool max)
{
    bool a_nan = (a & 0x7fffffff) > 0x7f800000, b_nan = (b & 0x7fffffff) > 0x7f800000;
    return a_nan ? b : b_nan ? a : less_f32(a, b) == max ? b : a;
}

static inline uint64_t extreme_f64(uint64_t a, uint64_t b, bool max)
{
    const uint64_t infinity = UINT64_C(0x7ff0000000000000);
    bool a_nan = (a & INT64_MAX) > infinity, b_nan = (b & INT64_MAX) > infinity;
    return a_nan ? b : b_nan ? a : less_f64(a, b) == max ? b : a;
}

static inline bool equal_f16(uint16_t a, uint16_t b)
{
    return f16_to_f32(a) == f16_to_f32(b);
}

static inline bool equal_f32(uint32_t a, uint32_t b)
{
    return f32_from_bits(a) == f32_from_bits(b);
}

static inline bool equal_f64(uint64_t a, uint64_t b)
{
    return f64_from_bits(a) == f64_from_bits(b);
}

/* The f32 sum of two halves is rounded, but rounding it again gives what rounding once would: f32 has 24 significant
 * bits, at least 2 * 11 + 2 (Figueroa, "When is double rounding innocuous?", 1995). Sums that are subnormal as halves
 * are exact in f32. */
static inline uint16_t add_f16(uint16_t a, uint16_t b)
{
    return f16_from_f32(f16_to_f32(a) + f16_to_f32(b), HALF_RN);
}

static inline uint16_t add_bf16(uint16_t a, uint16_t b)
{
    return bf16_from_f32(bf16_to_f32(a) + bf16_to_f32(b), HALF_RN);
}

/* Bits of a half as a number that orders as the float does, -0 before +0. */
static inline int half_key(uint16_t h)
{
    return h & 0x8000 ? -(int)(h & 0x7fff) - 1 : (int)h;
}

/* `infinity` tells the formats apart: 0x7c00 or 0x7f80. */
static inline uint16_t extreme_half(uint16_t a, uint16_t b, bool max, uint16_t infinity)
{
    bool a_nan = (a & 0x7fff) > infinity, b_nan = (b & 0x7fff) > infinity;
    if (a_nan || b_nan)
        return !a_nan ? a : !b_nan ? b : (uint16_t)F16_NAN;
    return (half_key(a) < half_key(b)) == max ? b : a;
}

static inline uint16_t min_f16(uint16_t a, uint16_t b)
{
    return extreme_half(a, b, false, 0x7c00);
}

static inline uint16_t max_f16(uint16_t a, uint16_t b)
{
    return extreme_half(a, b, true, 0x7c00);
}

static inline uint16_t min_bf16(uint16_t a, uint16_t b)
{
    return extreme_half(a, b, false, 0x7f80);
}

static inline uint16_t max_bf16(uint16_t a, uint16_t b)
{
    return extreme_half(a, b, true, 0x7f80);
}

#define PAIR(f, a, b) \
    ((uint32_t)f((uint16_t)(a), (uint16_t)(b)) | (uint32_t)f((uint16_t)((a) >> 16), (uint16_t)((b) >> 16)) << 16)

/* Subnormal halves to zero of their sign. */
static inline uint32_t flush_f16x2(uint32_t v, bool flush)
{
    uint32_t low = v & 0x7c00 ? 0xffff : 0x8000, high = v & 0x7c000000 ? 0xffff0000 : 0x80000000;
    return flush ? v & (low | high) : v;
}

#define PAIR_FTZ(f, a, b) flush_f16x2(PAIR(f, flush_f16x2(a, flush), flush_f16x2(b, flush)), flush)

/* ---- 128 bits ---------------------------------------------------------------------------------------------- */

struct wide {
    uint64_t lo, hi;
};

#if defined(__x86_64__)
/* Indivisible compare and exchange of 16 bytes: true, or false with the present value in *seen. Any x86-64 since 2006
 * has the instruction; in assembler, because compilers turn the builtin into a call of libatomic. */
static bool exchange_wide(struct wide *target, struct wide *seen, struct wide new)
{
    bool done;
    __asm__ __volatile__("lock cmpxchg16b %[memory]"
                         : [memory] "+m"(*target), "+a"(seen->lo), "+d"(seen->hi), "=@ccz"(done)
                         : "b"(new.lo), "c"(new.hi)
                         : "memory");
    return done;
}
#else
/* Hosts without such an instruction: one lock for all. Indivisible among 128-bit operations only. It holds no state
 * between calls. */
static bool exchange_wide(struct wide *target, struct wide *seen, struct wide new)
{
    static volatile char lock;
    while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE))
        ;
    bool done = target->lo == seen->lo && target->hi == seen->hi;
    if (done)
        *target = new;
    else
        *seen = *target;
    __atomic_clear(&lock, __ATOMIC_RELEASE);
    return done;
}
#endif

static struct wide wide_from(const void *from)
{
    struct wide v;
    memcpy(&v, from, sizeof v);
    return v;
}

static void exch_b128_shared(void *target, void *old, const void *b, const void *c, bool flush, int order)
{
    (void)c, (void)flush, (void)order; /* the instruction is sequentially consistent */
    struct wide seen = {0};
    while (!exchange_wide(target, &seen, wide_from(b)))
        ;
    if (old)
        memcpy(old, &seen, sizeof seen);
}

static void exch_b128_plain(void *target, void *old, const void *b, const void *c, bool flush, int order)
{
    (void)c, (void)flush, (void)order;
    struct wide seen = wide_from(target), new = wide_from(b);
    memcpy(target, &new, sizeof new);
    if (old)
        memcpy(old, &seen, sizeof seen);
}

static void cas_b128_shared(void *target, void *old, const void *b, const void *c, bool flush, int order)
{
    (void)flush, (void)order;
    struct wide seen = wide_from(b);
    exchange_wide(target, &seen, wide_from(c));
    if (old)
        memcpy(old, &seen, sizeof seen);
}

static void cas_b128_plain(void *target, void *old, const void *b, const void *c, bool flush, int order)
{
    (void)flush, (void)order;
    struct wide seen = wide_from(target), want = wide_from(b), new = wide_from(c);
    if (seen.lo == want.lo && seen.hi == want.hi)
        memcpy(target, &new, sizeof new);
    if (old)
        memcpy(old, &seen, sizeof seen);
}

/* ---- the forms ----------------------------------------------------------------------------------------------- */

/* The warp form of a one-lane form, which the compiler inlines: elements of `size` bytes. */
#define WARP(name, one, form, size)                                                                               \
    static void name##_##form##_warp(void *const target[LANES], void *old, const void *b, const void *c,          \
                                     uint32_t mask, bool flush, int order)                                        \
    {                                                                                                             \
        for (; mask; mask &= mask - 1) {                                                                          \
            size_t at = (size_t)__builtin_ctz(mask) * (size);                                                     \
            const unsigned char *c_at = c ? (const unsigned char *)c + at : NULL;                                 \
            one(target[at / (size)], old ? (unsigned char *)old + at : NULL, (const unsigned char *)b + at, c_at, \
                flush, order);                                                                                    \
        }                                                                                                         \
    }

/* `expression` gives the new value from a, b (and flush). */
#define PLAIN(name, word, expression)                                                                        \
    static inline void name##_plain(void *target, void *old, const void *operand, const void *c, bool flush, \
                                    int order)                                                               \
    {                                                                                                        \
        (void)c, (void)flush, (void)order;                                                                   \
        word a, b;                                                                                           \
        memcpy(&a, target, sizeof a);                                                                        \
        memcpy(&b, operand, sizeof b);                                                                       \
        word new = (word)(expression);                                                                       \
        memcpy(target, &new, sizeof new);                                                                    \
        if (old)                                                                                             \
            memcpy(old, &a, sizeof a);                                                                       \
    }

/* Indivisible by compare and exchange. */
#define EXCHANGED(name, word, expression)                                                                     \
    static inline void name##_shared(void *target, void *old, const void *operand, const void *c, bool flush, \
                                     int order)                                                               \
    {                                                                                                         \
        (void)c, (void)flush;                                                                                 \
        word *t = target, a = __atomic_load_n(t, __ATOMIC_RELAXED), b, new;                                   \
        memcpy(&b, operand, sizeof b);                                                                        \
        do {                                                                                                  \
            new = (word)(expression);                                                                         \
            if (new == a && order <= LANE_RELAXED && !old)                                                    \
                return; /* as if it had been stored */                                                        \
        } while (!__atomic_compare_exchange_n(t, &a, new, true, host_order(order), __ATOMIC_RELAXED));        \
        if (old)                                                                                              \
            memcpy(old, &a, sizeof a);                                                                        \
    }                                                                                                         \
    PLAIN(name, word, expression)

/* Indivisible by an instruction of the host. */
#define FETCHED(name, word, builtin, expression)                                                              \
    static inline void name##_shared(void *target, void *old, const void *operand, const void *c, bool flush, \
                                     int order)                                                               \
    {                                                                                                         \
        (void)c, (void)flush;                                                                                 \
        word b;                                                                                               \
        memcpy(&b, operand, sizeof b);                                                                        \
        if (!old) { /* the host's shorter instruction */                                                      \
            (void)builtin((word *)target, b, host_order(order));                                              \
            return;                                                                                           \
        }                                                                                                     \
        word a = builtin((word *)target, b, host_order(order));                                               \
        memcpy(old, &a, sizeof a);                                                                            \
    }                                                                                                         \
    PLAIN(name, word, expression)

/* Lanes of an integer reduction of which nobody wants the old value: runs with one target are combined first. */
#define REDUCE(name, form, word, expression)                                                                  \
    static void name##_##form##_runs(void *const target[LANES], const word *values, uint32_t mask, int order) \
    {                                                                                                         \
        void *t = NULL;                                                                                       \
        word a = 0;                                                                                           \
        for (; mask; mask &= mask - 1) {                                                                      \
            unsigned lane = (unsigned)__builtin_ctz(mask);                                                    \
            word b = values[lane];                                                                            \
            if (target[lane] == t) {                                                                          \
                a = (word)(expression);                                                                       \
                continue;                                                                                     \
            }                                                                                                 \
            if (t)                                                                                            \
                name##_##form(t, NULL, &a, NULL, false, order);                                               \
            t = target[lane];                                                                                 \
            a = b;                                                                                            \
        }                                                                                                     \
        if (t)                                                                                                \
            name##_##form(t, NULL, &a, NULL, false, order);                                                   \
    }
#define REDUCE_WARP(name, form, word, expression)                                                        \
    REDUCE(name, form, word, expression)                                                                 \
    WARP(name##_each, name##_##form, form, sizeof(word))                                                 \
    static void name##_##form##_warp(void *const target[LANES], void *old, const void *b, const void *c, \
                                     uint32_t mask, bool flush, int order)                               \
    {                                                                                                    \
        if (old)                                                                                         \
            name##_each_##form##_warp(target, old, b, c, mask, flush, order);                            \
        else                                                                                             \
            name##_##form##_runs(target, b, mask, order);                                                \
    }

/* Integer add: the warp forms sum runs of lanes with one target. Old values are then target + the sum of the lanes
 * before, as if the lanes had gone one by one. */
#define ADD_WARP(name, form, word, add)                                                                  \
    REDUCE(name, form, word, a + b)                                                                      \
    static void name##_##form##_warp(void *const target[LANES], void *old, const void *b, const void *c, \
                                     uint32_t mask, bool flush, int order)                               \
    {                                                                                                    \
        const word *values = b;                                                                          \
        word *olds = old;                                                                                \
        (void)c, (void)flush, (void)order;                                                               \
        if (!old) {                                                                                      \
            name##_##form##_runs(target, values, mask, order);                                           \
            return;                                                                                      \
        }                                                                                                \
        while (mask) {                                                                                   \
            unsigned first = (unsigned)__builtin_ctz(mask);                                              \
            uint32_t run = 0;                                                                            \
            word sum = 0, *t = target[first];                                                            \
            for (; mask && target[__builtin_ctz(mask)] == (void *)t; mask &= mask - 1) {                 \
                unsigned lane = (unsigned)__builtin_ctz(mask);                                           \
                run |= UINT32_C(1) << lane;                                                              \
                sum += values[lane];                                                                     \
            }                                                                                            \
            word a = add(t, sum, order);                                                                 \
            for (; run; run &= run - 1) {                                                                \
                unsigned lane = (unsigned)__builtin_ctz(run);                                            \
                word before = a;                                                                         \
                a += values[lane];                                                                       \
                olds[lane] = before; /* last: `old` and `b` may be one array */                          \
            }                                                                                            \
        }                                                                                                \
    }
#define ADD(name, word)                                                                                            \
    static inline word name##_fetch(word *t, word v, int order)                                                    \
    {                                                                                                              \
        return __atomic_fetch_add(t, v, host_order(order));                                                        \
    }                                                                                                              \
    static inline word name##_step(word *t, word v, int order)                                                     \
    {                                                                                                              \
        (void)order;                                                                                               \
        word a = *t;                                                                                               \
        *t = a + v;                                                                                                \
        return a;                                                                                                  \
    }                                                                                                              \
    static inline void name##_shared(void *target, void *old, const void *b, const void *c, bool flush, int order) \
    {                                                                                                              \
        (void)c, (void)flush;                                                                                      \
        word v, a;                                                                                                 \
        memcpy(&v, b, sizeof v);                                                                                   \
        a = name##_fetch(target, v, order);                                                                        \
        if (old)                                                                                                   \
            memcpy(old, &a, sizeof a);                                                                             \
    }                                                                                                              \
    static inline void name##_plain(void *target, void *old, const void *b, const void *c, bool flush, int order)  \
    {                                                                                                              \
        (void)c, (void)flush;                                                                                      \
        word v, a;                                                                                                 \
        memcpy(&v, b, sizeof v);                                                                                   \
        a = name##_step(target, v, order);                                                                         \
        if (old)                                                                                                   \
            memcpy(old, &a, sizeof a);                                                                             \
    }                                                                                                              \
    ADD_WARP(name, shared, word, name##_fetch)                                                                     \
    ADD_WARP(name, plain, word, name##_step)

#define CAS(name, word)                                                                                               \
    static inline void name##_shared(void *target, void *old, const void *b, const void *c, bool flush, int order)    \
    {                                                                                                                 \
        (void)flush;                                                                                                  \
        word seen, new;                                                                                               \
        memcpy(&seen, b, sizeof seen);                                                                                \
        memcpy(&new, c, sizeof new);                                                                                  \
        (void)__atomic_compare_exchange_n((word *)target, &seen, new, false, host_order(order), failed_order(order)); \
        if (old)                                                                                                      \
            memcpy(old, &seen, sizeof seen);                                                                          \
    }                                                                                                                 \
    static inline void name##_plain(void *target, void *old, const void *b, const void *c, bool flush, int order)     \
    {                                                                                                                 \
        (void)flush, (void)order;                                                                                     \
        word seen, want, new;                                                                                         \
        memcpy(&seen, target, sizeof seen);                                                                           \
        memcpy(&want, b, sizeof want);                                                                                \
        memcpy(&new, c, sizeof new);                                                                                  \
        if (seen == want)                                                                                             \
            memcpy(target, &new, sizeof new);                                                                         \
        if (old)                                                                                                      \
            memcpy(old, &seen, sizeof seen);                                                                          \
    }                                                                                                                 \
    WARP(name, name##_shared, shared, sizeof(word))                                                                   \
    WARP(name, name##_plain, plain, sizeof(word))

/* Stores c where what is there equals b. */
#define EQUAL_CAS(name, word, equal)                                                                                   \
    static inline void name##_shared(void *target, void *old, const void *b, const void *c, bool flush, int order)     \
    {                                                                                                                  \
        (void)flush;                                                                                                   \
        word want, new, seen = __atomic_load_n((word *)target, failed_order(order));                                   \
        memcpy(&want, b, sizeof want);                                                                                 \
        memcpy(&new, c, sizeof new);                                                                                   \
        while (equal(seen, want) &&                                                                                    \
               !__atomic_compare_exchange_n((word *)target, &seen, new, true, host_order(order), failed_order(order))) \
            ;                                                                                                          \
        if (old)                                                                                                       \
            memcpy(old, &seen, sizeof seen);                                                                           \
    }                                                                                                                  \
    static inline void name##_plain(void *target, void *old, const void *b, const void *c, bool flush, int order)      \
    {                                                                                                                  \
        (void)flush, (void)order;                                                                                      \
        word seen, want, new;                                                                                          \
        memcpy(&seen, target, sizeof seen);                                                                            \
        memcpy(&want, b, sizeof want);                                                                                 \
        memcpy(&new, c, sizeof new);                                                                                   \
        if (equal(seen, want))                                                                                         \
            memcpy(target, &new, sizeof new);                                                                          \
        if (old)                                                                                                       \
            memcpy(old, &seen, sizeof seen);                                                                           \
    }                                                                                                                  \
    WARP(name, name##_shared, shared, sizeof(word))                                                                    \
    WARP(name, name##_plain, plain, sizeof(word))

/* What `step` stores is given, not what was there. */
#define GIVES_NEW(name, step, word)                                                                                \
    static inline void name##_shared(void *target, void *old, const void *b, const void *c, bool flush, int order) \
    {                                                                                                              \
        word before, by;                                                                                           \
        memcpy(&by, b, sizeof by);                                                                                 \
        step##_shared(target, &before, b, c, flush, order);                                                        \
        before = (word)(before - by);                                                                              \
        if (old)                                                                                                   \
            memcpy(old, &before, sizeof before);                                                                   \
    }                                                                                                              \
    static inline void name##_plain(void *target, void *old, const void *b, const void *c, bool flush, int order)  \
    {                                                                                                              \
        word before, by;                                                                                           \
        memcpy(&by, b, sizeof by);                                                                                 \
        step##_plain(target, &before, b, c, flush, order);                                                         \
        before = (word)(before - by);                                                                              \
        if (old)                                                                                                   \
            memcpy(old, &before, sizeof before);                                                                   \
    }                                                                                                              \
    WARP(name, name##_shared, shared, sizeof(word))                                                                \
    WARP(name, name##_plain, plain, sizeof(word))

#define WARPS(name, word)                           \
    WARP(name, name##_shared, shared, sizeof(word)) \
    WARP(name, name##_plain, plain, sizeof(word))
#define LOOP(name, word, expression)  \
    EXCHANGED(name, word, expression) \
    WARPS(name, word)
#define NATIVE(name, word, builtin, expression) \
    FETCHED(name, word, builtin, expression)    \
    WARPS(name, word)
/* Integer reductions, of which min and max have no instruction. */
#define REDUCE_WARPS(name, word, expression)    \
    REDUCE_WARP(name, shared, word, expression) \
    REDUCE_WARP(name, plain, word, expression)
#define REDUCE_LOOP(name, word, expression) \
    EXCHANGED(name, word, expression)       \
    REDUCE_WARPS(name, word, expression)
#define REDUCE_NATIVE(name, word, builtin, expression) \
    FETCHED(name, word, builtin, expression)           \
    REDUCE_WARPS(name, word, expression)

/* A compare that fails stores nothing, so it cannot release. */
static inline int failed_order(int order)
{
    switch (order) {
    case LANE_ACQUIRE:
    case LANE_ACQ_REL:
        return __ATOMIC_ACQUIRE;
    case LANE_SC:
        return __ATOMIC_SEQ_CST;
    default:
        return __ATOMIC_RELAXED;
    }
}

/* clang-format off */
REDUCE_NATIVE(add_u16, uint16_t, __atomic_fetch_add, a + b)
ADD(add_u32, uint32_t)
ADD(add_u64, uint64_t)
LOOP(add_f32, uint32_t, add_f32(a, b, flush))
LOOP(add_f64, uint64_t, add_f64(a, b))
LOOP(add_f64_kept, uint64_t, add_f64_kept(a, b, flush))
LOOP(add_f16, uint16_t, add_f16(a, b))
LOOP(add_bf16, uint16_t, add_bf16(a, b))
LOOP(add_f16x2, uint32_t, PAIR_FTZ(add_f16, a, b))
LOOP(add_bf16x2, uint32_t, PAIR(add_bf16, a, b))
NATIVE(sub_u16, uint16_t, __atomic_fetch_sub, a - b)
NATIVE(sub_u32, uint32_t, __atomic_fetch_sub, a - b)
NATIVE(sub_u64, uint64_t, __atomic_fetch_sub, a - b)
LOOP(sub_f32, uint32_t, add_f32(a, b ^ 0x80000000, flush))
LOOP(sub_f64, uint64_t, add_f64(a, b ^ UINT64_C(0x8000000000000000)))
LOOP(sub_f16, uint16_t, add_f16(a, b ^ 0x8000))
GIVES_NEW(predec_u16, sub_u16, uint16_t)
GIVES_NEW(predec_u32, sub_u32, uint32_t)
GIVES_NEW(predec_u64, sub_u64, uint64_t)
REDUCE_LOOP(min_u16, uint16_t, a < b ? a : b)
REDUCE_LOOP(min_s16, int16_t, a < b ? a : b)
REDUCE_LOOP(min_u32, uint32_t, a < b ? a : b)
REDUCE_LOOP(min_u64, uint64_t, a < b ? a : b)
REDUCE_LOOP(min_s32, int32_t, a < b ? a : b)
REDUCE_LOOP(min_s64, int64_t, a < b ? a : b)
LOOP(min_f32, uint32_t, extreme_f32(a, b, false))
LOOP(min_f64, uint64_t, extreme_f64(a, b, false))
LOOP(min_f16, uint16_t, min_f16(a, b))
LOOP(min_bf16, uint16_t, min_bf16(a, b))
LOOP(min_f16x2, uint32_t, PAIR_FTZ(min_f16, a, b))
LOOP(min_bf16x2, uint32_t, PAIR(min_bf16, a, b))
REDUCE_LOOP(max_u16, uint16_t, a > b ? a : b)
REDUCE_LOOP(max_s16, int16_t, a > b ? a : b)
REDUCE_LOOP(max_u32, uint32_t, a > b ? a : b)
REDUCE_LOOP(max_u64, uint64_t, a > b ? a : b)
REDUCE_LOOP(max_s32, int32_t, a > b ? a : b)
REDUCE_LOOP(max_s64, int64_t, a > b ? a : b)
LOOP(max_f32, uint32_t, extreme_f32(a, b, true))
LOOP(max_f64, uint64_t, extreme_f64(a, b, true))
LOOP(max_f16, uint16_t, max_f16(a, b))
LOOP(max_bf16, uint16_t, max_bf16(a, b))
LOOP(max_f16x2, uint32_t, PAIR_FTZ(max_f16, a, b))
LOOP(max_bf16x2, uint32_t, PAIR(max_bf16, a, b))
REDUCE_NATIVE(and_b16, uint16_t, __atomic_fetch_and, a & b)
REDUCE_NATIVE(and_b32, uint32_t, __atomic_fetch_and, a & b)
REDUCE_NATIVE(and_b64, uint64_t, __atomic_fetch_and, a & b)
REDUCE_NATIVE(or_b16, uint16_t, __atomic_fetch_or, a | b)
REDUCE_NATIVE(or_b32, uint32_t, __atomic_fetch_or, a | b)
REDUCE_NATIVE(or_b64, uint64_t, __atomic_fetch_or, a | b)
REDUCE_NATIVE(xor_b16, uint16_t, __atomic_fetch_xor, a ^ b)
REDUCE_NATIVE(xor_b32, uint32_t, __atomic_fetch_xor, a ^ b)
REDUCE_NATIVE(xor_b64, uint64_t, __atomic_fetch_xor, a ^ b)
NATIVE(exch_b8, uint8_t, __atomic_exchange_n, b)
NATIVE(exch_b16, uint16_t, __atomic_exchange_n, b)
NATIVE(exch_b32, uint32_t, __atomic_exchange_n, b)
NATIVE(exch_b64, uint64_t, __atomic_exchange_n, b)
WARP(exch_b128, exch_b128_shared, shared, sizeof(struct wide))
WARP(exch_b128, exch_b128_plain, plain, sizeof(struct wide))
CAS(cas_b8, uint8_t)
CAS(cas_b16, uint16_t)
CAS(cas_b32, uint32_t)
CAS(cas_b64, uint64_t)
WARP(cas_b128, cas_b128_shared, shared, sizeof(struct wide))
WARP(cas_b128, cas_b128_plain, plain, sizeof(struct wide))
EQUAL_CAS(fcas_f16, uint16_t, equal_f16)
EQUAL_CAS(fcas_f32, uint32_t, equal_f32)
EQUAL_CAS(fcas_f64, uint64_t, equal_f64)
LOOP(inc_u32, uint32_t, a >= b ? 0 : a + 1)
LOOP(dec_u32, uint32_t, a == 0 || a > b ? b : a - 1)

/* ---- the table -------------------------------------------------------------------------------------------------- */

#define ROW(name) {name##_shared, name##_plain, name##_shared_warp, name##_plain_warp}
/* Operations that see only bits. */
#define BITS_16(name) [LANE_B16] = ROW(name), [LANE_U16] = ROW(name), [LANE_S16] = ROW(name)
#define BITS_32(name) [LANE_B32] = ROW(name), [LANE_U32] = ROW(name), [LANE_S32] = ROW(name)
#define BITS_64(name) [LANE_B64] = ROW(name), [LANE_U64] = ROW(name), [LANE_S64] = ROW(name)
#define ANY_BITS(op)                                                                                                   \
    [LANE_B8] = ROW(op##_b8), [LANE_U8] = ROW(op##_b8), [LANE_S8] = ROW(op##_b8),                                      \
    BITS_16(op##_b16),                                                                                                  \
    [LANE_F16] = ROW(op##_b16), [LANE_BF16] = ROW(op##_b16),                                                           \
    BITS_32(op##_b32), [LANE_F32] = ROW(op##_b32), [LANE_F16X2] = ROW(op##_b32), [LANE_BF16X2] = ROW(op##_b32),        \
    BITS_64(op##_b64), [LANE_F64] = ROW(op##_b64), [LANE_B128] = ROW(op##_b128)
#define HALVES(op)                                                                                                     \
    [LANE_F16] = ROW(op##_f16), [LANE_BF16] = ROW(op##_bf16),                                                          \
    [LANE_F16X2] = ROW(op##_f16x2), [LANE_BF16X2] = ROW(op##_bf16x2)
#define INTEGERS(op) BITS_16(op##_u16), BITS_32(op##_u32), BITS_64(op##_u64)
#define BITS(op)     BITS_16(op##_b16), BITS_32(op##_b32), BITS_64(op##_b64)
#define ORDERED(op)                                                                                                    \
    [LANE_U16] = ROW(op##_u16), [LANE_S16] = ROW(op##_s16), [LANE_F32] = ROW(op##_f32), [LANE_F64] = ROW(op##_f64),    \
    [LANE_U32] = ROW(op##_u32), [LANE_U64] = ROW(op##_u64), [LANE_S32] = ROW(op##_s32), [LANE_S64] = ROW(op##_s64),    \
    /* sured.p on formats without sign */ [LANE_B32] = ROW(op##_u32), [LANE_B64] = ROW(op##_u64), HALVES(op)

static const struct atomic_row rows[LANE_ATOMICS][LANE_TYPES] = {
    [LANE_ATOMIC_ADD] = {INTEGERS(add), HALVES(add), [LANE_F32] = ROW(add_f32), [LANE_F64] = ROW(add_f64)},
    [LANE_ATOMIC_SUB] = {INTEGERS(sub), [LANE_F16] = ROW(sub_f16), [LANE_F32] = ROW(sub_f32), [LANE_F64] = ROW(sub_f64)},
    [LANE_ATOMIC_MIN] = {ORDERED(min)},
    [LANE_ATOMIC_MAX] = {ORDERED(max)},
    [LANE_ATOMIC_AND] = {BITS(and)},
    [LANE_ATOMIC_OR] = {BITS(or)},
    [LANE_ATOMIC_XOR] = {BITS(xor)},
    [LANE_ATOMIC_EXCH] = {ANY_BITS(exch)},
    [LANE_ATOMIC_CAS] = {ANY_BITS(cas)},
    [LANE_ATOMIC_INC] = {[LANE_U32] = ROW(inc_u32), [LANE_B32] = ROW(inc_u32)},
    [LANE_ATOMIC_DEC] = {[LANE_U32] = ROW(dec_u32), [LANE_B32] = ROW(dec_u32)},
    [LANE_ATOMIC_FCAS] = {[LANE_F16] = ROW(fcas_f16), [LANE_F32] = ROW(fcas_f32), [LANE_F64] = ROW(fcas_f64)},
    [LANE_ATOMIC_PREDEC] = {INTEGERS(predec)},
};
static const struct atomic_row add_f64_keeping = ROW(add_f64_kept);
/* clang-format on */

const struct atomic_row *atomic_find_access(const struct lane_access *access)
{
    if (access->atomic == LANE_ATOMIC_ADD && access->type == LANE_F64 && access->keeps_nan)
        return &add_f64_keeping;
    return atomic_find(access->atomic, access->type);
}

const struct atomic_row *atomic_find(enum lane_atomic op, enum lane_type type)
{
    if ((unsigned)op >= LANE_ATOMICS || (unsigned)type >= LANE_TYPES || !rows[op][type].shared)
        return NULL;
    return &rows[op][type];
}

uint64_t atomic_neutral(enum lane_atomic op, enum lane_type type)
{
    uint64_t ones = UINT64_MAX >> (64 - lane_type_bits(type)), largest = lane_type_signed(type) ? ones >> 1 : ones;
    switch (op) {
    case LANE_ATOMIC_AND:
        return ones;
    case LANE_ATOMIC_MIN:
        return largest;
    case LANE_ATOMIC_MAX:
        return ~largest & ones;
    default: /* ADD, OR, XOR */
        return 0;
    }
}

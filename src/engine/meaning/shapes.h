/* How meanings are written. A header of meanings (ints.h, floats.h ...) has helpers and lists of types, which are read
 * once, and then the meanings, each a line that becomes a function and a row of the table:
 *
 *   MEANING(KERNEL2, add_u32, (AT(add, U32)), 32, uint32_t, uint32_t, uint32_t, a + b)
 *
 * is the element function `uint32_t add_u32_lane(uint32_t a, uint32_t b)`, the kernel add_u32 that does it to 32 lanes,
 * and a row that says for which instructions: those of AT(operation, type, members of struct meaning ...). The first
 * argument is the shape, a macro that makes the functions of all that follow the row's members; WITHOUT_FUNCTION makes
 * none, so that the row is one more of a meaning that is there. Who includes such a header says what MEANING is:
 * family.h makes kernels and rows, an engine that compiles code takes the element functions alone. */
#ifndef ATOLL_ENGINE_MEANING_SHAPES_H
#define ATOLL_ENGINE_MEANING_SHAPES_H

#include "base/inline.h"
#include "engine/meaning/kernels.h"

/* ---- members of a row --------------------------------------------------------------------------------- */

#define AT(op_, type_, ...) .op = LANE_OP_##op_, .type = LANE_##type_, __VA_ARGS__
#define FROM(from)          .type2 = LANE_##from + 1
#define CMP(name)           .cmp = (name) + 1
#define MODE(value)         .mode = (value) + 1
#define AUX(value)          .aux = (value) + 1
#define FLAGS(set)          .flags = (set)
/* The flag matters, and has to be there or not. */
#define WITH(flag)    .flags = LANE_##flag, .asked = LANE_##flag
#define WITHOUT(flag) .asked = LANE_##flag
/* The flags of the set are there; of LANE_FTZ and LANE_APPROX no others. */
#define FTZ_APPROX(set)   .flags = (set), .asked = LANE_FTZ | LANE_APPROX
#define ROUND(round)      .rounds = 1 << LANE_##round
#define HOST_ROUND(round) .rounds = 1 << (round), .host_round = (round) != LANE_RN
/* Modes that change nothing where the result is exact. */
#define EXACT .rounds = 1 << LANE_RN | 1 << LANE_RZ | 1 << LANE_RM | 1 << LANE_RP

/* ---- shapes ---------------------------------------------------------------------------------------------- */

#define WITHOUT_FUNCTION(name, ...) /* nothing */

/* 1 to 4 sources over n elements; the expression sees the sources of its element as a, b, c, e. ROUNDED: in the given
 * rounding mode of the host, as the element function is to be called. */
#define KERNEL1(name, n, D, A, ...)       ROUNDED1(name, LANE_RN, n, D, A, __VA_ARGS__)
#define KERNEL2(name, n, D, A, B, ...)    ROUNDED2(name, LANE_RN, n, D, A, B, __VA_ARGS__)
#define KERNEL3(name, n, D, A, B, C, ...) ROUNDED3(name, LANE_RN, n, D, A, B, C, __VA_ARGS__)
#define ROUNDED1(name, round, n, D, A, ...)                            \
    INLINE D name##_lane(A a)                                          \
    {                                                                  \
        return (D)(__VA_ARGS__);                                       \
    }                                                                  \
    static void name(struct frame *f, const struct kernel_operands *s) \
    {                                                                  \
        D *d = KERNEL_REG(D, s->d);                                    \
        const A *a = KERNEL_REG(const A, s->a);                        \
        unsigned mode = round_enter(round);                            \
        LANE_LOOP(n)                                                   \
        d[l] = name##_lane(a[l]);                                      \
        round_leave(round, mode);                                      \
    }
#define ROUNDED2(name, round, n, D, A, B, ...)                         \
    INLINE D name##_lane(A a, B b)                                     \
    {                                                                  \
        return (D)(__VA_ARGS__);                                       \
    }                                                                  \
    static void name(struct frame *f, const struct kernel_operands *s) \
    {                                                                  \
        D *d = KERNEL_REG(D, s->d);                                    \
        const A *a = KERNEL_REG(const A, s->a);                        \
        const B *b = KERNEL_REG(const B, s->b);                        \
        unsigned mode = round_enter(round);                            \
        LANE_LOOP(n)                                                   \
        d[l] = name##_lane(a[l], b[l]);                                \
        round_leave(round, mode);                                      \
    }
#define ROUNDED3(name, round, n, D, A, B, C, ...)                      \
    INLINE D name##_lane(A a, B b, C c)                                \
    {                                                                  \
        return (D)(__VA_ARGS__);                                       \
    }                                                                  \
    static void name(struct frame *f, const struct kernel_operands *s) \
    {                                                                  \
        D *d = KERNEL_REG(D, s->d);                                    \
        const A *a = KERNEL_REG(const A, s->a);                        \
        const B *b = KERNEL_REG(const B, s->b);                        \
        const C *c = KERNEL_REG(const C, s->c);                        \
        unsigned mode = round_enter(round);                            \
        LANE_LOOP(n)                                                   \
        d[l] = name##_lane(a[l], b[l], c[l]);                          \
        round_leave(round, mode);                                      \
    }
#define KERNEL4(name, n, D, A, B, C, E, ...)                           \
    INLINE D name##_lane(A a, B b, C c, E e)                           \
    {                                                                  \
        return (D)(__VA_ARGS__);                                       \
    }                                                                  \
    static void name(struct frame *f, const struct kernel_operands *s) \
    {                                                                  \
        D *d = KERNEL_REG(D, s->d);                                    \
        const A *a = KERNEL_REG(const A, s->a);                        \
        const B *b = KERNEL_REG(const B, s->b);                        \
        const C *c = KERNEL_REG(const C, s->c);                        \
        const E *e = KERNEL_REG(const E, s->e);                        \
        LANE_LOOP(n)                                                   \
        d[l] = name##_lane(a[l], b[l], c[l], e[l]);                    \
    }
/* Words; the instruction's aux is one more argument. */
#define KERNEL3_AUX(name, ...)                                                                       \
    INLINE uint32_t name##_lane(uint32_t a, uint32_t b, uint32_t c, uint32_t aux)                    \
    {                                                                                                \
        return __VA_ARGS__;                                                                          \
    }                                                                                                \
    static void name(struct frame *f, const struct kernel_operands *s)                               \
    {                                                                                                \
        uint32_t *d = KERNEL_REG(uint32_t, s->d);                                                    \
        const uint32_t *a = KERNEL_REG(const uint32_t, s->a), *b = KERNEL_REG(const uint32_t, s->b); \
        const uint32_t *c = KERNEL_REG(const uint32_t, s->c);                                        \
        LANE_LOOP(32)                                                                                \
        d[l] = name##_lane(a[l], b[l], c[l], s->aux);                                                \
    }
/* Of one half, by widening: the element function is that of its value. */
#define FROM_HALF(name, t, D, ...)                                     \
    INLINE D name##_lane(float a)                                      \
    {                                                                  \
        return (D)(__VA_ARGS__);                                       \
    }                                                                  \
    static void name(struct frame *f, const struct kernel_operands *s) \
    {                                                                  \
        D *d = KERNEL_REG(D, s->d);                                    \
        _Alignas(64) float a[32];                                      \
        t##_widen(a, KERNEL_REG(const uint16_t, s->a), false);         \
        LANE_LOOP(32)                                                  \
        d[l] = name##_lane(a[l]);                                      \
    }
/* A loop that calls the C library, one element after the other. */
#define KERNEL_SCALAR(name, n, D, A, ...)                              \
    INLINE D name##_lane(A a)                                          \
    {                                                                  \
        return (D)(__VA_ARGS__);                                       \
    }                                                                  \
    static void name(struct frame *f, const struct kernel_operands *s) \
    {                                                                  \
        D *d = KERNEL_REG(D, s->d);                                    \
        const A *a = KERNEL_REG(const A, s->a);                        \
        for (unsigned l = 0; l < (n); l++)                             \
            d[l] = name##_lane(a[l]);                                  \
    }

#define KERNEL_SCALAR2(name, n, D, A, B, ...)                          \
    INLINE D name##_lane(A a, B b)                                     \
    {                                                                  \
        return (D)(__VA_ARGS__);                                       \
    }                                                                  \
    static void name(struct frame *f, const struct kernel_operands *s) \
    {                                                                  \
        D *d = KERNEL_REG(D, s->d);                                    \
        const A *a = KERNEL_REG(const A, s->a);                        \
        const B *b = KERNEL_REG(const B, s->b);                        \
        for (unsigned l = 0; l < (n); l++)                             \
            d[l] = name##_lane(a[l], b[l]);                            \
    }

/* Predicates of 1 or 2 predicates: bit operations, for one lane or 32. */
#define PREDICATE1(name, ...)                                          \
    INLINE uint32_t name##_lane(uint32_t a)                            \
    {                                                                  \
        return __VA_ARGS__;                                            \
    }                                                                  \
    static void name(struct frame *f, const struct kernel_operands *s) \
    {                                                                  \
        *KERNEL_MASK(s->d) = name##_lane(*KERNEL_MASK(s->a));          \
    }
#define PREDICATE2(name, ...)                                                     \
    INLINE uint32_t name##_lane(uint32_t a, uint32_t b)                           \
    {                                                                             \
        return __VA_ARGS__;                                                       \
    }                                                                             \
    static void name(struct frame *f, const struct kernel_operands *s)            \
    {                                                                             \
        *KERNEL_MASK(s->d) = name##_lane(*KERNEL_MASK(s->a), *KERNEL_MASK(s->b)); \
    }

/* Predicates of values. The loop leaves all ones or zero a lane in an array as wide (w) as the data; mask_from_N makes
 * the predicate's word of it. */
#define TEST1(name, A, w, ...)                                         \
    INLINE bool name##_lane(A a)                                       \
    {                                                                  \
        return __VA_ARGS__;                                            \
    }                                                                  \
    static void name(struct frame *f, const struct kernel_operands *s) \
    {                                                                  \
        const A *a = KERNEL_REG(const A, s->a);                        \
        _Alignas(64) uint##w##_t out[32];                              \
        LANE_LOOP(32)                                                  \
        out[l] = name##_lane(a[l]) ? (uint##w##_t) - 1 : 0;            \
        *KERNEL_MASK(s->d) = mask_from_##w(out);                       \
    }
#define TEST2(name, A, w, ...)                                                  \
    INLINE bool name##_lane(A a, A b)                                           \
    {                                                                           \
        return __VA_ARGS__;                                                     \
    }                                                                           \
    static void name(struct frame *f, const struct kernel_operands *s)          \
    {                                                                           \
        const A *a = KERNEL_REG(const A, s->a), *b = KERNEL_REG(const A, s->b); \
        _Alignas(64) uint##w##_t out[32];                                       \
        LANE_LOOP(32)                                                           \
        out[l] = name##_lane(a[l], b[l]) ? (uint##w##_t) - 1 : 0;               \
        *KERNEL_MASK(s->d) = mask_from_##w(out);                                \
    }

#endif

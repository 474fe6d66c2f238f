/* cvt, cvtpack and cvtrs to and from packed floats of 4 to 8 bits, cvt to tf32, and stochastic rounding to halves.
 * base/minifloat.h has the meanings; here they are put side by side, the first source in the upper part. */
#ifndef ATOLL_ENGINE_MEANING_CVT_SMALL_H
#define ATOLL_ENGINE_MEANING_CVT_SMALL_H

#include "base/minifloat.h"
#include "engine/meaning/shapes.h"

/* X(..., suffix, flags, relu) */
#define RELU(X, ...)           \
    X(__VA_ARGS__, , 0, false) \
    X(__VA_ARGS__, _relu, LANE_RELU, true)

/* name, lane type, register, bits of an element */
#define NARROW(name, T, D, bits, suffix, set, relu)                                                                    \
    MEANING(KERNEL2, cvtpack_##name##suffix, (AT(cvtpack, T##X2, FROM(F32), ROUND(RN), WITHOUT(FTZ), FLAGS(set))), 32, \
            D, uint32_t, uint32_t,                                                                                     \
            minifloat_from_f32(a, MINIFLOAT_##T, relu) << (bits) | minifloat_from_f32(b, MINIFLOAT_##T, relu))         \
    MEANING(KERNEL1, cvt_##name##_f16x2##suffix, (AT(cvt, T##X2, FROM(F16X2), ROUND(RN), WITHOUT(FTZ), FLAGS(set))),   \
            32, D, uint32_t,                                                                                           \
            minifloat_from_f32(f16_to_f32_bits((uint16_t)(a >> 16)), MINIFLOAT_##T, relu) << (bits) |                  \
                minifloat_from_f32(f16_to_f32_bits((uint16_t)a), MINIFLOAT_##T, relu))                                 \
    MEANING(KERNEL1, cvt_##name##_bf16x2##suffix, (AT(cvt, T##X2, FROM(BF16X2), ROUND(RN), WITHOUT(FTZ), FLAGS(set))), \
            32, D, uint32_t,                                                                                           \
            minifloat_from_f32(a & 0xffff0000, MINIFLOAT_##T, relu) << (bits) |                                        \
                minifloat_from_f32(a << 16, MINIFLOAT_##T, relu))                                                      \
    MEANING(KERNEL1, cvt_f16x2_##name##suffix, (AT(cvt, F16X2, FROM(T##X2), ROUND(RN), WITHOUT(FTZ), FLAGS(set))), 32, \
            uint32_t, D,                                                                                               \
            minifloat_to_f16((uint32_t)a >> (bits), MINIFLOAT_##T, relu) << 16 |                                       \
                minifloat_to_f16(a, MINIFLOAT_##T, relu))
#define STOCHASTIC(name, T, D, bits, suffix, set, relu)                                                              \
    MEANING(KERNEL3, cvtrs_##name##suffix, (AT(cvtrs, T##X2, FROM(F32), WITHOUT(FTZ), FLAGS(set))), 32, D, uint32_t, \
            uint32_t, uint32_t,                                                                                      \
            minifloat_from_f32_stochastic(a, MINIFLOAT_##T, c >> 16, relu) << (bits) |                               \
                minifloat_from_f32_stochastic(b, MINIFLOAT_##T, c & 0xffff, relu))
#define SMALL(...) RELU(NARROW, __VA_ARGS__) RELU(STOCHASTIC, __VA_ARGS__)

#define UE8M0(rt, RT, up)                                                                                            \
    MEANING(KERNEL2, cvtpack_ue8m0_##rt, (AT(cvtpack, UE8M0X2, FROM(F32), ROUND(RT), WITHOUT(FTZ))), 32, uint16_t,   \
            uint32_t, uint32_t, ue8m0_from_f32(a, up) << 8 | ue8m0_from_f32(b, up))                                  \
    MEANING(KERNEL1, cvt_ue8m0_bf16x2_##rt, (AT(cvt, UE8M0X2, FROM(BF16X2), ROUND(RT), WITHOUT(FTZ))), 32, uint16_t, \
            uint32_t, ue8m0_from_f32(a & 0xffff0000, up) << 8 | ue8m0_from_f32(a << 16, up))

#define TF32(rt, RT, suffix, set, relu)                                                                                \
    MEANING(KERNEL1, tf32_##rt##suffix, (AT(cvt, TF32, FROM(F32), ROUND(RT), WITHOUT(FTZ), FLAGS(set))), 32, uint32_t, \
            uint32_t, tf32_from_f32(a, HALF_##RT, relu))

#endif

/* clang-format off */
SMALL(e4m3, E4M3, uint16_t, 8)
SMALL(e5m2, E5M2, uint16_t, 8)
SMALL(e2m3, E2M3, uint16_t, 8)
SMALL(e3m2, E3M2, uint16_t, 8)
SMALL(e2m1, E2M1, uint8_t, 4)
RELU(STOCHASTIC, f16, F16, uint32_t, 16)
RELU(STOCHASTIC, bf16, BF16, uint32_t, 16)
UE8M0(rz, RZ, false)
UE8M0(rp, RP, true)
MEANING(KERNEL1, cvt_bf16x2_ue8m0, (AT(cvt, BF16X2, FROM(UE8M0X2), ROUND(RN), WITHOUT(FTZ))), 32, uint32_t, uint16_t,
        ue8m0_to_bf16((uint32_t)a >> 8) << 16 | ue8m0_to_bf16((uint32_t)a & 0xff))
RELU(TF32, rn, RN)
RELU(TF32, rz, RZ)
RELU(TF32, rna, RNA)

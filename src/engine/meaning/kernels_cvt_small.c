/* cvt, cvtpack and cvtrs to and from packed floats of 4 to 8 bits, cvt to tf32, and stochastic rounding to halves.
 * base/minifloat.h has the meanings; here they are put side by side, the first source in the upper part. */
#include "base/minifloat.h"
#include "engine/meaning/kernels.h"

/* X(name, lane type, register, bits of an element, format) */
#define FORMATS(X)                               \
    X(e4m3, E4M3X2, uint16_t, 8, MINIFLOAT_E4M3) \
    X(e5m2, E5M2X2, uint16_t, 8, MINIFLOAT_E5M2) \
    X(e2m3, E2M3X2, uint16_t, 8, MINIFLOAT_E2M3) \
    X(e3m2, E3M2X2, uint16_t, 8, MINIFLOAT_E3M2) \
    X(e2m1, E2M1X2, uint8_t, 4, MINIFLOAT_E2M1)
#define HALVES(X)                              \
    X(f16, F16X2, uint32_t, 16, MINIFLOAT_F16) \
    X(bf16, BF16X2, uint32_t, 16, MINIFLOAT_BF16)

/* Names end in _0 without RELU, in _1 with it. */
#define NARROW(name, D, bits, format, relu)                                                      \
    KERNEL2(pack_##name##_##relu, 32, D, uint32_t, uint32_t,                                     \
            minifloat_from_f32(a, format, relu) << (bits) | minifloat_from_f32(b, format, relu)) \
    KERNEL1(cvt_##name##_f16x2_##relu, 32, D, uint32_t,                                          \
            minifloat_from_f32(f16_to_f32_bits((uint16_t)(a >> 16)), format, relu) << (bits) |   \
                minifloat_from_f32(f16_to_f32_bits((uint16_t)a), format, relu))                  \
    KERNEL1(cvt_##name##_bf16x2_##relu, 32, D, uint32_t,                                         \
            minifloat_from_f32(a & 0xffff0000, format, relu) << (bits) | minifloat_from_f32(a << 16, format, relu))
#define WIDEN(name, D, bits, format, relu)              \
    KERNEL1(cvt_f16x2_##name##_##relu, 32, uint32_t, D, \
            minifloat_to_f16((uint32_t)a >> (bits), format, relu) << 16 | minifloat_to_f16(a, format, relu))
#define STOCHASTIC(name, D, bits, format, relu)                                 \
    KERNEL3(stochastic_##name##_##relu, 32, D, uint32_t, uint32_t, uint32_t,    \
            minifloat_from_f32_stochastic(a, format, c >> 16, relu) << (bits) | \
                minifloat_from_f32_stochastic(b, format, c & 0xffff, relu))

#define KERNELS(name, type, D, bits, format) \
    NARROW(name, D, bits, format, 0)         \
    NARROW(name, D, bits, format, 1)         \
    WIDEN(name, D, bits, format, 0)          \
    WIDEN(name, D, bits, format, 1)
FORMATS(KERNELS)
#define STOCHASTICS(name, type, D, bits, format) \
    STOCHASTIC(name, D, bits, format, 0)         \
    STOCHASTIC(name, D, bits, format, 1)
FORMATS(STOCHASTICS)
HALVES(STOCHASTICS)

static kernel_fn *find_narrow(const struct lane_inst *inst, bool relu)
{
    if (inst->round != LANE_RN)
        return NULL;
    switch (KERNEL_KEY(inst->type2, inst->type)) {
#define ROW(name, to, D, bits, format)                               \
    case KERNEL_KEY(LANE_F32, LANE_##to):                            \
        return relu ? pack_##name##_1 : pack_##name##_0;             \
    case KERNEL_KEY(LANE_F16X2, LANE_##to):                          \
        return relu ? cvt_##name##_f16x2_1 : cvt_##name##_f16x2_0;   \
    case KERNEL_KEY(LANE_BF16X2, LANE_##to):                         \
        return relu ? cvt_##name##_bf16x2_1 : cvt_##name##_bf16x2_0; \
    case KERNEL_KEY(LANE_##to, LANE_F16X2):                          \
        return relu ? cvt_f16x2_##name##_1 : cvt_f16x2_##name##_0;
        FORMATS(ROW)
#undef ROW
    }
    return NULL;
}

static kernel_fn *find_stochastic(const struct lane_inst *inst, bool relu)
{
    switch (inst->type) {
#define ROW(name, to, D, bits, format) \
    case LANE_##to:                    \
        return relu ? stochastic_##name##_1 : stochastic_##name##_0;
        FORMATS(ROW)
        HALVES(ROW)
#undef ROW
    }
    return NULL;
}

/* ---- ue8m0 ----------------------------------------------------------------------------------------------- */

#define UE8M0(rt, up)                                                                                              \
    KERNEL2(pack_ue8m0_##rt, 32, uint16_t, uint32_t, uint32_t, ue8m0_from_f32(a, up) << 8 | ue8m0_from_f32(b, up)) \
    KERNEL1(cvt_ue8m0_bf16x2_##rt, 32, uint16_t, uint32_t,                                                         \
            ue8m0_from_f32(a & 0xffff0000, up) << 8 | ue8m0_from_f32(a << 16, up))
UE8M0(rz, false)
UE8M0(rp, true)
KERNEL1(cvt_bf16x2_ue8m0, 32, uint32_t, uint16_t,
        ue8m0_to_bf16((uint32_t)a >> 8) << 16 | ue8m0_to_bf16((uint32_t)a & 0xff))

static kernel_fn *find_ue8m0(const struct lane_inst *inst)
{
    bool up = inst->round == LANE_RP;
    if (inst->type == LANE_BF16X2)
        return inst->type2 == LANE_UE8M0X2 && inst->round == LANE_RN ? cvt_bf16x2_ue8m0 : NULL;
    if (inst->type != LANE_UE8M0X2 || (inst->round != LANE_RZ && !up))
        return NULL;
    if (inst->op == LANE_OP_cvtpack)
        return up ? pack_ue8m0_rp : pack_ue8m0_rz;
    return inst->type2 != LANE_BF16X2 ? NULL : up ? cvt_ue8m0_bf16x2_rp : cvt_ue8m0_bf16x2_rz;
}

/* ---- tf32 ------------------------------------------------------------------------------------------------ */

#define TF32(rt, round)                                                        \
    KERNEL1(tf32_##rt, 32, uint32_t, uint32_t, tf32_from_f32(a, round, false)) \
    KERNEL1(tf32_##rt##_relu, 32, uint32_t, uint32_t, tf32_from_f32(a, round, true))
TF32(rn, HALF_RN)
TF32(rz, HALF_RZ)
TF32(rna, HALF_RNA)

static kernel_fn *find_tf32(const struct lane_inst *inst, bool relu)
{
    switch (inst->round) {
    case LANE_RN:
        return relu ? tf32_rn_relu : tf32_rn;
    case LANE_RZ:
        return relu ? tf32_rz_relu : tf32_rz;
    case LANE_RNA:
        return relu ? tf32_rna_relu : tf32_rna;
    }
    return NULL;
}

kernel_fn *KERNEL_NAME(kernel_find_cvt_small)(const struct lane_inst *inst)
{
    bool relu = inst->flags & LANE_RELU;
    if ((inst->op != LANE_OP_cvt && inst->op != LANE_OP_cvtpack && inst->op != LANE_OP_cvtrs) ||
        inst->flags & ~(unsigned)LANE_RELU)
        return NULL;
    if (inst->op == LANE_OP_cvtrs)
        return inst->type2 == LANE_F32 ? find_stochastic(inst, relu) : NULL;
    if ((inst->op == LANE_OP_cvtpack) != (inst->type2 == LANE_F32 && inst->type != LANE_TF32))
        return NULL;
    if (inst->type == LANE_TF32)
        return inst->type2 == LANE_F32 ? find_tf32(inst, relu) : NULL;
    if (inst->type == LANE_UE8M0X2 || inst->type2 == LANE_UE8M0X2)
        return relu ? NULL : find_ue8m0(inst);
    return find_narrow(inst, relu);
}

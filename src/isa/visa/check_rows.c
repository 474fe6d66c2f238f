/* What rows of vISA ask for: platforms, types, checks. Source: docs/visa.md, "Verdicts". */
#include "isa/visa/check_inner.h"

#define T(name)    (1 << VISA_##name)
#define INT8_TO_32 (T(UD) | T(D) | T(UW) | T(W) | T(UB) | T(B))
#define INT32      (T(UD) | T(D))
#define INT16_32   (T(UD) | T(D) | T(UW) | T(W))
#define FLOAT16_32 (T(F) | T(HF))
#define NUMBERS    (VISA_SET_INTS | VISA_SET_FLOATS)
#define BITS       (VISA_SET_INTS | VISA_SET_PACKED | T(BOOL))
#define BITS32     (BITS & ~VISA_SET_INT64)
#define EXACT      (T(F) | T(DF) | T(VF))

/* n: sources. */
#define MOVE(n, function)                                                                    \
    {                                                                                        \
        .group = VISA_GROUP_MOVE, .targets = 1, .sources = n, .check = visa_check_##function \
    }
#define ARITH(n, types, source, ...)                                                                                   \
    {                                                                                                                  \
        .group = VISA_GROUP_ARITH, .targets = 1, .sources = n, .to = types, .from = source, .check = visa_check_arith, \
        __VA_ARGS__                                                                                                    \
    }
#define CARRY                                                                                      \
    {                                                                                              \
        .group = VISA_GROUP_ARITH, .targets = 2, .sources = 2, .to = T(UD), .from = T(UD) | T(UV), \
        .check = visa_check_arith                                                                  \
    }
#define MATH(n, types) ARITH(n, types, VISA_SET_ANY, .flags = 0)
#define LOGIC(n, types, ...)                                                                                          \
    {                                                                                                                 \
        .group = VISA_GROUP_LOGIC, .targets = 1, .sources = n, .to = types, .from = types, .check = visa_check_logic, \
        __VA_ARGS__                                                                                                   \
    }
#define MESSAGE(...)                             \
    {                                            \
        .group = VISA_GROUP_MESSAGE, __VA_ARGS__ \
    }
#define SVM                                                  \
    {                                                        \
        .group = VISA_GROUP_SVM, .flags = VISA_RULE_NO_WIDTH \
    }
#define OTHER(function)                \
    {                                  \
        .check = visa_check_##function \
    }
#define SAMPLER OTHER(sampler)

static const struct visa_rule rules[VISA_ROWS] = {
    [VISA_ROW_mov] =
        {.group = VISA_GROUP_MOVE, .targets = 1, .sources = 1, .flags = VISA_RULE_BF, .check = visa_check_mov},
    [VISA_ROW_movs] = MOVE(1, movs),
    [VISA_ROW_setp] = MOVE(1, setp),
    [VISA_ROW_sel] =
        {.group = VISA_GROUP_MOVE, .targets = 1, .sources = 2, .flags = VISA_RULE_BF, .check = visa_check_sel},
    [VISA_ROW_min] =
        {.group = VISA_GROUP_MOVE, .targets = 1, .sources = 2, .flags = VISA_RULE_NO_TARGET, .check = visa_check_sel},
    [VISA_ROW_max] =
        {.group = VISA_GROUP_MOVE, .targets = 1, .sources = 2, .flags = VISA_RULE_NO_TARGET, .check = visa_check_sel},
    [VISA_ROW_fcvt] =
        {.group = VISA_GROUP_MOVE, .first = VISA_PVC, .targets = 1, .sources = 1, .check = visa_check_fcvt},
    [VISA_ROW_srnd] =
        {.group = VISA_GROUP_ARITH, .first = VISA_PVC, .targets = 1, .sources = 2, .check = visa_check_srnd},

    [VISA_ROW_add] = ARITH(2, NUMBERS, VISA_SET_ANY, .flags = VISA_RULE_DOUBLE | VISA_RULE_BF),
    [VISA_ROW_mul] = ARITH(2, NUMBERS, VISA_SET_ANY & ~VISA_SET_INT64, .flags = VISA_RULE_DOUBLE | VISA_RULE_BF),
    [VISA_ROW_mad] = ARITH(3, NUMBERS, VISA_SET_ANY, .flags = VISA_RULE_DOUBLE | VISA_RULE_BF),
    [VISA_ROW_div] =
        ARITH(2, NUMBERS, VISA_SET_ANY & ~VISA_SET_INT64,
              .flags = VISA_RULE_DOUBLE | VISA_RULE_IEEE64 | VISA_RULE_INT_DIVISION | VISA_RULE_FLOAT_SATURATION),
    [VISA_ROW_mod] = ARITH(2, INT8_TO_32, VISA_SET_ANY, .flags = VISA_RULE_INT_DIVISION | VISA_RULE_NO_SATURATION),
    [VISA_ROW_avg] = MATH(2, INT8_TO_32),
    [VISA_ROW_mulh] = ARITH(2, INT32, VISA_SET_ANY, .flags = VISA_RULE_NO_SATURATION),
    [VISA_ROW_madw] = ARITH(3, INT32, VISA_SET_ANY, .flags = VISA_RULE_NO_SATURATION),
    [VISA_ROW_dp4a] = ARITH(3, INT32, INT32, .first = VISA_TGLLP),
    [VISA_ROW_add3] = ARITH(3, INT16_32, INT16_32, .flags = 0),
    [VISA_ROW_addc] = CARRY,
    [VISA_ROW_subb] = CARRY,
    [VISA_ROW_sad2] = ARITH(2, T(W) | T(UW), T(B) | T(UB), .flags = VISA_RULE_SAD),
    [VISA_ROW_sad2add] = ARITH(3, T(W) | T(UW), T(B) | T(UB), .from2 = T(W) | T(UW), .flags = VISA_RULE_SAD),
    [VISA_ROW_lzd] = ARITH(1, T(UD), VISA_SET_ANY, .flags = VISA_RULE_NO_SATURATION | VISA_RULE_NO_MODIFIER),
    [VISA_ROW_line] = MATH(2, T(F) | VISA_SET_INTS),
    [VISA_ROW_plane] = MATH(2, T(F)),
    [VISA_ROW_lrp] = MATH(3, T(F)),
    [VISA_ROW_dp2] = MATH(2, T(F)),
    [VISA_ROW_dp3] = MATH(2, T(F)),
    [VISA_ROW_dp4] = MATH(2, T(F)),
    [VISA_ROW_dph] = MATH(2, T(F)),
    [VISA_ROW_frc] = ARITH(1, T(F), VISA_SET_ANY, .flags = VISA_RULE_NO_SATURATION),
    [VISA_ROW_rndd] = MATH(1, T(F)),
    [VISA_ROW_rndu] = MATH(1, T(F)),
    [VISA_ROW_rnde] = MATH(1, T(F)),
    [VISA_ROW_rndz] = MATH(1, T(F)),
    [VISA_ROW_exp] = MATH(1, FLOAT16_32),
    [VISA_ROW_log] = MATH(1, FLOAT16_32),
    [VISA_ROW_pow] = MATH(2, FLOAT16_32),
    [VISA_ROW_sin] = MATH(1, FLOAT16_32),
    [VISA_ROW_cos] = MATH(1, FLOAT16_32),
    [VISA_ROW_inv] = ARITH(1, NUMBERS, VISA_SET_ANY, .flags = VISA_RULE_DOUBLE | VISA_RULE_IEEE64),
    [VISA_ROW_sqrt] = ARITH(1, NUMBERS, VISA_SET_ANY, .flags = VISA_RULE_DOUBLE | VISA_RULE_IEEE64),
    [VISA_ROW_rsqrt] = MATH(1, NUMBERS),
    [VISA_ROW_sqrtm] = ARITH(1, NUMBERS, EXACT, .flags = VISA_RULE_DOUBLE | VISA_RULE_IEEE64 | VISA_RULE_IEEE32),
    [VISA_ROW_divm] = ARITH(2, NUMBERS, EXACT, .flags = VISA_RULE_DOUBLE | VISA_RULE_IEEE64 | VISA_RULE_IEEE32),

    [VISA_ROW_and] = LOGIC(2, BITS, .flags = 0),
    [VISA_ROW_or] = LOGIC(2, BITS, .flags = 0),
    [VISA_ROW_xor] = LOGIC(2, BITS, .flags = 0),
    [VISA_ROW_not] = LOGIC(1, BITS, .flags = 0),
    [VISA_ROW_shl] = LOGIC(2, BITS, .flags = VISA_RULE_SHIFT),
    [VISA_ROW_shr] = LOGIC(2, BITS, .flags = VISA_RULE_SHIFT),
    [VISA_ROW_asr] = LOGIC(2, BITS, .flags = VISA_RULE_SHIFT),
    [VISA_ROW_rol] = LOGIC(2, BITS & ~(T(B) | T(UB)), .first = VISA_ICLLP, .flags = VISA_RULE_SHIFT | VISA_RULE_ROTATE),
    [VISA_ROW_ror] = LOGIC(2, BITS & ~(T(B) | T(UB)), .first = VISA_ICLLP, .flags = VISA_RULE_SHIFT | VISA_RULE_ROTATE),
    [VISA_ROW_cbit] = LOGIC(1, BITS32, .flags = 0),
    [VISA_ROW_fbl] = LOGIC(1, BITS32, .flags = 0),
    [VISA_ROW_fbh] = LOGIC(1, BITS32, .flags = 0),
    [VISA_ROW_bfe] = LOGIC(3, BITS, .flags = 0),
    [VISA_ROW_bfi] = LOGIC(4, BITS, .flags = 0),
    [VISA_ROW_bfrev] = LOGIC(1, BITS, .flags = 0),
    [VISA_ROW_bfn] = LOGIC(3, BITS, .flags = 0),

    [VISA_ROW_cmp] = {.group = VISA_GROUP_COMPARE,
                      .target = 1,
                      .targets = 1,
                      .sources = 2,
                      .flags = VISA_RULE_BF,
                      .check = visa_check_cmp},
    [VISA_ROW_addr_add] = {.group = VISA_GROUP_ADDRESS, .targets = 1, .sources = 2, .check = visa_check_addr_add},

    [VISA_ROW_subroutine] = OTHER(label),
    [VISA_ROW_label] = OTHER(label),
    [VISA_ROW_jmp] = OTHER(flow),
    [VISA_ROW_call] = OTHER(flow),
    [VISA_ROW_goto] = OTHER(flow),
    [VISA_ROW_switchjmp] = {.flags = VISA_RULE_NO_WIDTH, .check = visa_check_switch},
    [VISA_ROW_nbarrier_wait] = {.first = VISA_PVC},
    [VISA_ROW_nbarrier_signal] = {.first = VISA_PVC},

    [VISA_ROW_media_ld] = MESSAGE(.check = visa_check_media),
    [VISA_ROW_media_st] = MESSAGE(.check = visa_check_media),
    [VISA_ROW_oword_ld] = MESSAGE(.check = visa_check_oword),
    [VISA_ROW_oword_st] = MESSAGE(.check = visa_check_oword),
    [VISA_ROW_oword_ld_unaligned] = MESSAGE(.check = visa_check_oword),
    [VISA_ROW_gather] = MESSAGE(.check = visa_check_gather),
    [VISA_ROW_scatter] = MESSAGE(.check = visa_check_gather),
    [VISA_ROW_gather4_typed] = MESSAGE(.check = visa_check_typed),
    [VISA_ROW_scatter4_typed] = MESSAGE(.check = visa_check_typed),
    [VISA_ROW_gather4_scaled] = MESSAGE(.first = 0),
    [VISA_ROW_scatter4_scaled] = MESSAGE(.first = 0),
    [VISA_ROW_gather_scaled] = MESSAGE(.first = 0),
    [VISA_ROW_scatter_scaled] = MESSAGE(.first = 0),
    [VISA_ROW_dword_atomic] = MESSAGE(.check = visa_check_dword_atomic),
    [VISA_ROW_typed_atomic] = MESSAGE(.first = 0),
    [VISA_ROW_rt_write_3d] = MESSAGE(.first = 0),
    [VISA_ROW_qw_gather] = MESSAGE(.first = VISA_XEHP_SDV),
    [VISA_ROW_qw_scatter] = MESSAGE(.first = VISA_XEHP_SDV),
    [VISA_ROW_svm_block_ld] = SVM,
    [VISA_ROW_svm_block_st] = SVM,
    [VISA_ROW_svm_gather] = SVM,
    [VISA_ROW_svm_scatter] = SVM,
    [VISA_ROW_svm_atomic] = SVM,
    [VISA_ROW_svm_gather4scaled] = SVM,
    [VISA_ROW_svm_scatter4scaled] = SVM,

    [VISA_ROW_sample] = OTHER(old_sampler),
    [VISA_ROW_load] = OTHER(old_sampler),
    [VISA_ROW_sample_unorm] = OTHER(old_sampler),
    [VISA_ROW_sample_3d] = SAMPLER,
    [VISA_ROW_sample_b] = SAMPLER,
    [VISA_ROW_sample_l] = SAMPLER,
    [VISA_ROW_sample_c] = SAMPLER,
    [VISA_ROW_sample_d] = SAMPLER,
    [VISA_ROW_sample_b_c] = SAMPLER,
    [VISA_ROW_sample_l_c] = SAMPLER,
    [VISA_ROW_sample_lod] = SAMPLER,
    [VISA_ROW_sample_d_c] = SAMPLER,
    [VISA_ROW_sample_lz] = SAMPLER,
    [VISA_ROW_sample_c_lz] = SAMPLER,
    [VISA_ROW_load_3d] = SAMPLER,
    [VISA_ROW_load_lz] = SAMPLER,
    [VISA_ROW_load_2dms_w] = SAMPLER,
    [VISA_ROW_load_mcs] = SAMPLER,
    [VISA_ROW_sample4] = SAMPLER,
    [VISA_ROW_sample4_c] = SAMPLER,
    [VISA_ROW_sample4_po] = SAMPLER,
    [VISA_ROW_sample4_po_c] = SAMPLER,

    [VISA_ROW_raw_send] = OTHER(send),
    [VISA_ROW_raw_sends] = OTHER(sends),
    [VISA_ROW_urb_write_3d] = OTHER(urb),
    [VISA_ROW_dpas] = {.group = VISA_GROUP_MATRIX, .first = VISA_XEHP_SDV, .check = visa_check_dpas},
    [VISA_ROW_dpasw] = {.group = VISA_GROUP_MATRIX, .first = VISA_XEHP_SDV, .check = visa_check_dpas},
};

static const struct visa_rule lsc = {.first = VISA_DG2, .check = visa_check_lsc};

const struct visa_rule *visa_rule(const struct visa_row *row)
{
    return row->is & VISA_IS_LSC ? &lsc : &rules[visa_row_id(row)];
}

/* ---- platforms -------------------------------------------------------------------------------------------- */

enum {
    OLD = VISA_LACKS_BF | VISA_LACKS_ROTATE64,
    IEEE = VISA_LACKS_IEEE,
    FUSED = VISA_LACKS_SWITCH | VISA_LACKS_SAD,
    XE = VISA_LACKS_DIVISION,
};

const struct visa_platform_row visa_platforms[VISA_PLATFORMS + 1] = {
    [VISA_BDW] = {"BDW", 32, 8, OLD | VISA_LACKS_SLM_OWORD},
    [VISA_SKL] = {"SKL", 32, 9, OLD | VISA_LACKS_SLM_OWORD},
    [VISA_BXT] = {"BXT", 32, 9, OLD | VISA_LACKS_SLM_OWORD},
    [VISA_ICLLP] = {"ICLLP", 32, 11, OLD | IEEE},
    [VISA_TGLLP] = {"TGLLP", 32, 12, OLD | IEEE | FUSED},
    [VISA_XEHP_SDV] = {"XeHP_SDV", 32, 12, VISA_LACKS_ROTATE64 | XE | FUSED},
    [VISA_DG2] = {"DG2", 32, 12, VISA_LACKS_ROTATE64 | IEEE | XE | FUSED},
    [VISA_MTL] = {"MTL", 32, 12, OLD | IEEE | XE | FUSED},
    [VISA_PVC] = {"PVC", 64, 12, XE | VISA_LACKS_SAD},
    [VISA_PVCXT] = {"PVCXT", 64, 12, XE | VISA_LACKS_SAD},
    [VISA_PLATFORMS] = {"any", 32, 12, 0},
};

enum visa_platform visa_platform_find(const char *name)
{
    unsigned at = 0;
    while (at < VISA_PLATFORMS) {
        const char *a = visa_platforms[at].name, *b = name;
        while (*a && (*a | 32) == (*b | 32))
            a++, b++;
        if (!*a && !*b)
            break;
        at++;
    }
    return (enum visa_platform)at;
}

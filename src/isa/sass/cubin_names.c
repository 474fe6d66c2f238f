/* Names of the numbers in cubins, as the vendor's tools print them (public listings of nvdisasm and cuobjdump). */
#include "isa/sass/cubin.h"

#include <string.h>

static const char *const attributes[] = {
    [0x00] = "EIATTR_ERROR",
    [0x01] = "EIATTR_PAD",
    [0x02] = "EIATTR_IMAGE_SLOT",
    [0x03] = "EIATTR_JUMPTABLE_RELOCS",
    [0x04] = "EIATTR_CTAIDZ_USED",
    [0x05] = "EIATTR_MAX_THREADS",
    [0x06] = "EIATTR_IMAGE_OFFSET",
    [0x07] = "EIATTR_IMAGE_SIZE",
    [0x08] = "EIATTR_TEXTURE_NORMALIZED",
    [0x09] = "EIATTR_SAMPLER_INIT",
    [0x0a] = "EIATTR_PARAM_CBANK",
    [0x0b] = "EIATTR_SMEM_PARAM_OFFSETS",
    [0x0c] = "EIATTR_CBANK_PARAM_OFFSETS",
    [0x0d] = "EIATTR_SYNC_STACK",
    [0x0e] = "EIATTR_TEXID_SAMPID_MAP",
    [0x0f] = "EIATTR_EXTERNS",
    [0x10] = "EIATTR_REQNTID",
    [0x11] = "EIATTR_FRAME_SIZE",
    [0x12] = "EIATTR_MIN_STACK_SIZE",
    [0x13] = "EIATTR_SAMPLER_FORCE_UNNORMALIZED",
    [0x14] = "EIATTR_BINDLESS_IMAGE_OFFSETS",
    [0x15] = "EIATTR_BINDLESS_TEXTURE_BANK",
    [0x16] = "EIATTR_BINDLESS_SURFACE_BANK",
    [0x17] = "EIATTR_KPARAM_INFO",
    [0x18] = "EIATTR_SMEM_PARAM_SIZE",
    [0x19] = "EIATTR_CBANK_PARAM_SIZE",
    [0x1a] = "EIATTR_QUERY_NUMATTRIB",
    [0x1b] = "EIATTR_MAXREG_COUNT",
    [0x1c] = "EIATTR_EXIT_INSTR_OFFSETS",
    [0x1d] = "EIATTR_S2RCTAID_INSTR_OFFSETS",
    [0x1e] = "EIATTR_CRS_STACK_SIZE",
    [0x1f] = "EIATTR_NEED_CNP_WRAPPER",
    [0x20] = "EIATTR_NEED_CNP_PATCH",
    [0x21] = "EIATTR_EXPLICIT_CACHING",
    [0x22] = "EIATTR_ISTYPEP_USED",
    [0x23] = "EIATTR_MAX_STACK_SIZE",
    [0x24] = "EIATTR_SUQ_USED",
    [0x25] = "EIATTR_LD_CACHEMOD_INSTR_OFFSETS",
    [0x26] = "EIATTR_LOAD_CACHE_REQUEST",
    [0x27] = "EIATTR_ATOM_SYS_INSTR_OFFSETS",
    [0x28] = "EIATTR_COOP_GROUP_INSTR_OFFSETS",
    [0x29] = "EIATTR_COOP_GROUP_MAX_REGIDS",
    [0x2a] = "EIATTR_SW1850030_WAR",
    [0x2b] = "EIATTR_WMMA_USED",
    [0x2c] = "EIATTR_HAS_PRE_V10_OBJECT",
    [0x2d] = "EIATTR_ATOMF16_EMUL_INSTR_OFFSETS",
    [0x2e] = "EIATTR_ATOM16_EMUL_INSTR_REG_MAP",
    [0x2f] = "EIATTR_REGCOUNT",
    [0x30] = "EIATTR_SW2393858_WAR",
    [0x31] = "EIATTR_INT_WARP_WIDE_INSTR_OFFSETS",
    [0x32] = "EIATTR_SHARED_SCRATCH",
    [0x33] = "EIATTR_STATISTICS",
    [0x34] = "EIATTR_INDIRECT_BRANCH_TARGETS",
    [0x35] = "EIATTR_SW2861232_WAR",
    [0x36] = "EIATTR_SW_WAR",
    [0x37] = "EIATTR_CUDA_API_VERSION",
    [0x38] = "EIATTR_NUM_MBARRIERS",
    [0x39] = "EIATTR_MBARRIER_INSTR_OFFSETS",
    [0x3a] = "EIATTR_COROUTINE_RESUME_ID_OFFSETS",
    [0x3b] = "EIATTR_SAM_REGION_STACK_SIZE",
    [0x3c] = "EIATTR_PER_REG_TARGET_PERF_STATS",
    [0x3d] = "EIATTR_CTA_PER_CLUSTER",
    [0x3e] = "EIATTR_EXPLICIT_CLUSTER",
    [0x3f] = "EIATTR_MAX_CLUSTER_RANK",
    [0x40] = "EIATTR_INSTR_REG_MAP",
    [0x46] = "EIATTR_SYSCALL_OFFSETS",
};

static const struct sass_relocation_kind relocations[] = {
    [0] = {"R_CUDA_NONE", 0, 0},
    [1] = {"R_CUDA_32", 32, 0},
    [2] = {"R_CUDA_64", 64, 0},
    [3] = {"R_CUDA_G32", 0, 0},
    [4] = {"R_CUDA_G64", 0, 0},
    [5] = {"R_CUDA_ABS32_26", 26, 0},
    [6] = {"R_CUDA_TEX_HEADER_INDEX", 0, 0},
    [7] = {"R_CUDA_SAMP_HEADER_INDEX", 0, 0},
    [8] = {"R_CUDA_SURF_HW_DESC", 0, 0},
    [9] = {"R_CUDA_SURF_HW_SW_DESC", 0, 0},
    [10] = {"R_CUDA_ABS32_LO_26", 26, SASS_VALUE_LOW},
    [11] = {"R_CUDA_ABS32_HI_26", 26, SASS_VALUE_HIGH},
    [12] = {"R_CUDA_ABS32_23", 23, 0},
    [13] = {"R_CUDA_ABS32_LO_23", 23, SASS_VALUE_LOW},
    [14] = {"R_CUDA_ABS32_HI_23", 23, SASS_VALUE_HIGH},
    [15] = {"R_CUDA_ABS24_26", 26, 0},
    [16] = {"R_CUDA_ABS24_23", 23, 0},
    [17] = {"R_CUDA_ABS16_26", 26, 0},
    [18] = {"R_CUDA_ABS16_23", 23, 0},
    [19] = {"R_CUDA_TEX_SLOT", 0, 0},
    [20] = {"R_CUDA_SAMP_SLOT", 0, 0},
    [21] = {"R_CUDA_SURF_SLOT", 0, 0},
    [22] = {"R_CUDA_TEX_BINDLESSOFF13_32", 32, 0},
    [23] = {"R_CUDA_TEX_BINDLESSOFF13_47", 47, 0},
    [24] = {"R_CUDA_CONST_FIELD19_28", 28, 0},
    [25] = {"R_CUDA_CONST_FIELD19_23", 23, 0},
    [26] = {"R_CUDA_TEX_SLOT9_49", 49, 0},
    [27] = {"R_CUDA_6_31", 31, 0},
    [28] = {"R_CUDA_2_47", 47, 0},
    [29] = {"R_CUDA_TEX_BINDLESSOFF13_41", 41, 0},
    [30] = {"R_CUDA_TEX_BINDLESSOFF13_45", 45, 0},
    [31] = {"R_CUDA_FUNC_DESC32_23", 23, SASS_VALUE_DESCRIPTOR},
    [32] = {"R_CUDA_FUNC_DESC32_LO_23", 23, SASS_VALUE_LOW | SASS_VALUE_DESCRIPTOR},
    [33] = {"R_CUDA_FUNC_DESC32_HI_23", 23, SASS_VALUE_HIGH | SASS_VALUE_DESCRIPTOR},
    [34] = {"R_CUDA_FUNC_DESC_32", 32, SASS_VALUE_DESCRIPTOR},
    [35] = {"R_CUDA_FUNC_DESC_64", 64, SASS_VALUE_DESCRIPTOR},
    [36] = {"R_CUDA_CONST_FIELD21_26", 26, 0},
    [37] = {"R_CUDA_QUERY_DESC21_37", 37, 0},
    [38] = {"R_CUDA_CONST_FIELD19_26", 26, 0},
    [39] = {"R_CUDA_CONST_FIELD21_23", 23, 0},
    [40] = {"R_CUDA_PCREL_IMM24_26", 26, 0},
    [41] = {"R_CUDA_PCREL_IMM24_23", 23, 0},
    [42] = {"R_CUDA_ABS32_20", 20, 0},
    [43] = {"R_CUDA_ABS32_LO_20", 20, SASS_VALUE_LOW},
    [44] = {"R_CUDA_ABS32_HI_20", 20, SASS_VALUE_HIGH},
    [45] = {"R_CUDA_ABS24_20", 20, 0},
    [46] = {"R_CUDA_ABS16_20", 20, 0},
    [47] = {"R_CUDA_FUNC_DESC32_20", 20, SASS_VALUE_DESCRIPTOR},
    [48] = {"R_CUDA_FUNC_DESC32_LO_20", 20, SASS_VALUE_LOW | SASS_VALUE_DESCRIPTOR},
    [49] = {"R_CUDA_FUNC_DESC32_HI_20", 20, SASS_VALUE_HIGH | SASS_VALUE_DESCRIPTOR},
    [50] = {"R_CUDA_CONST_FIELD19_20", 20, 0},
    [51] = {"R_CUDA_BINDLESSOFF13_36", 36, 0},
    [52] = {"R_CUDA_SURF_HEADER_INDEX", 0, 0},
    [53] = {"R_CUDA_INSTRUCTION64", 0, 0},
    [54] = {"R_CUDA_CONST_FIELD21_20", 20, 0},
    [72] = {"R_CUDA_UNUSED_CLEAR32", 0, 0},
    [73] = {"R_CUDA_UNUSED_CLEAR64", 0, 0},
};

const char *sass_attribute_name(unsigned code)
{
    return code < sizeof attributes / sizeof attributes[0] ? attributes[code] : NULL;
}

const struct sass_relocation_kind *sass_relocation_kind(unsigned type)
{
    return type < sizeof relocations / sizeof relocations[0] && relocations[type].name ? &relocations[type] : NULL;
}

const char *sass_relocation_name(unsigned type)
{
    const struct sass_relocation_kind *kind = sass_relocation_kind(type);
    return kind ? kind->name : NULL;
}

bool sass_relocation_type(const char *name, uint32_t *type)
{
    for (*type = 0; *type < sizeof relocations / sizeof relocations[0]; ++*type)
        if (relocations[*type].name && strcmp(relocations[*type].name, name) == 0)
            return true;
    return false;
}

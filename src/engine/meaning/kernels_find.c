/* Finds the kernel of a pure instruction: asks each family in turn. */
#include "engine/meaning/kernels.h"

/* Flags that change a result, and the operations that have them: elsewhere they must not be ignored. */
static bool flags_known(const struct lane_inst *inst)
{
    switch (inst->op) {
    case LANE_OP_min:
    case LANE_OP_max:
        return !(inst->flags & LANE_SAT);
    case LANE_OP_add:
    case LANE_OP_sub:
    case LANE_OP_mul:
    case LANE_OP_fma:
    case LANE_OP_cvt:
    case LANE_OP_cvtpack:
    case LANE_OP_cvtrs:
        return !(inst->flags & (LANE_NAN | LANE_ABS));
    case LANE_OP_div:
    case LANE_OP_rcp:
    case LANE_OP_sqrt:
    case LANE_OP_mad:
    case LANE_OP_madhi:
    case LANE_OP_mad24:
    case LANE_OP_vabsdiff:
        return !(inst->flags & (LANE_NAN | LANE_ABS | LANE_RELU));
    }
    return !(inst->flags & (LANE_NAN | LANE_ABS | LANE_RELU | LANE_SAT));
}

kernel_fn *KERNEL_NAME(kernel_find)(const struct lane_inst *inst)
{
    static kernel_fn *(*const families[])(const struct lane_inst *) = {
        KERNEL_NAME(kernel_find_moves),   KERNEL_NAME(kernel_find_bits),      KERNEL_NAME(kernel_find_int),
        KERNEL_NAME(kernel_find_video),   KERNEL_NAME(kernel_find_compare),   KERNEL_NAME(kernel_find_float),
        KERNEL_NAME(kernel_find_half),    KERNEL_NAME(kernel_find_minmax),    KERNEL_NAME(kernel_find_approx),
        KERNEL_NAME(kernel_find_cvt_int), KERNEL_NAME(kernel_find_cvt_float), KERNEL_NAME(kernel_find_cvt_small),
    };
    for (size_t i = 0; i < sizeof families / sizeof *families && flags_known(inst); i++) {
        kernel_fn *kernel = families[i](inst);
        if (kernel)
            return kernel;
    }
    return NULL;
}

/* Finds the kernel of a pure instruction: asks each family in turn. */
#include "engine/interp/kernels.h"

kernel_fn *KERNEL_NAME(kernel_find)(const struct lane_inst *inst)
{
    static kernel_fn *(*const families[])(const struct lane_inst *) = {
        KERNEL_NAME(kernel_find_moves), KERNEL_NAME(kernel_find_bits),    KERNEL_NAME(kernel_find_int),
        KERNEL_NAME(kernel_find_video), KERNEL_NAME(kernel_find_compare), KERNEL_NAME(kernel_find_float),
    };
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        kernel_fn *kernel = families[i](inst);
        if (kernel)
            return kernel;
    }
    return NULL;
}

/* The smallest program around Atoll: runs one kernel from memory and prints what it wrote.
 *
 *   cc embed.c $(pkg-config --cflags --libs atoll) -o embed
 */
#include <atoll.h>
#include <stdio.h>

static const char square[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                             ".visible .entry square(.param .u64 out)\n{\n"
                             "  .reg .u32 %r<3>;\n  .reg .u64 %rd<4>;\n"
                             "  ld.param.u64 %rd1, [out];\n"
                             "  mov.u32 %r1, %tid.x;\n"
                             "  mul.lo.u32 %r2, %r1, %r1;\n"
                             "  mul.wide.u32 %rd2, %r1, 4;\n"
                             "  add.u64 %rd3, %rd1, %rd2;\n"
                             "  st.global.u32 [%rd3], %r2;\n"
                             "  ret;\n}\n";

/* Everything up to the results; false: look at error. */
static bool run(struct atoll_device *device, uint32_t results[8], struct atoll_error *error)
{
    struct atoll_module *module;
    struct atoll_kernel *kernel;
    uint64_t out; /* the kernel's only parameter is also its whole parameter block */
    if (!atoll_module_load(device, square, sizeof square - 1, NULL, &module, error) ||
        !atoll_module_kernel(module, "square", &kernel, error) ||
        !atoll_memory_alloc(device, 8 * sizeof *results, &out, error))
        return false;
    const struct atoll_launch_options launch = {.block = {8}, .parameters = &out, .parameter_bytes = sizeof out};
    return atoll_launch(kernel, &launch, NULL, NULL, error) &&
           atoll_memory_read(device, out, results, 8 * sizeof *results, error);
}

int main(void)
{
    struct atoll_device *device;
    struct atoll_error error;
    uint32_t results[8];
    if (!atoll_device_create(NULL, &device, &error) || !run(device, results, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    for (int i = 0; i < 8; i++)
        printf("%u%c", (unsigned)results[i], i < 7 ? ' ' : '\n');
    atoll_device_destroy(device); /* the module with it */
    return results[7] == 49 ? 0 : 1;
}

/* What the tests of whole kernels share: a device with one module, buffers, argument blocks, launches that must
 * succeed. Everything goes through atoll.h; any failure fails the test with the library's message. */
#ifndef ATOLL_TESTS_RIG_H
#define ATOLL_TESTS_RIG_H

#include "atoll.h"
#include "noise.h"

/* How a test runs its kernels: every test is run once for each mode. */
struct rig_mode {
    const char *name;
    enum atoll_order order;
    uint64_t seed;
    unsigned threads;
    const char *suffix; /* of the file with the kernel's code; NULL: ".ptx" */
    unsigned checks;    /* enum atoll_check: nothing is found */
};
#define RIG_MODES 5
extern const struct rig_mode rig_modes[RIG_MODES]; /* parallel, deterministic, two seeds, checked */
/* The same from machine code: FILE.sm_50.cubin. */
extern const struct rig_mode rig_cubin_modes[RIG_MODES];

struct rig {
    struct atoll_device *device;
    struct atoll_module *module;
    struct rig_mode mode;
    bool races;          /* its kernels do, by intent */
    unsigned findings;   /* of the last launch */
    char printed[65536]; /* by it */
    size_t printed_size;
};

/* Opens folder/file.ptx, or what the mode says. */
void rig_open(struct rig *rig, const struct rig_mode *mode, const char *folder, const char *file);
void rig_close(struct rig *rig);

/* New device memory holding `bytes` (NULL: zeros). */
uint64_t rig_buffer(struct rig *rig, const void *bytes, size_t size);
void rig_fetch(struct rig *rig, uint64_t address, void *bytes, size_t size);
void rig_put(struct rig *rig, uint64_t address, const void *bytes, size_t size);
/* New surface holding `texels` (NULL: zeros); depth_or_layers is 1 for plain 1D and 2D. */
struct atoll_surface *rig_surface(struct rig *rig, enum atoll_dimension dimension, const char *format, uint32_t width,
                                  uint32_t height, uint32_t depth_or_layers, const void *texels);
void rig_surface_fetch(const struct atoll_surface *surface, void *texels, size_t size);

/* Kernel arguments, appended at their natural alignment. */
struct rig_args {
    unsigned char bytes[512];
    size_t size;
};
void rig_u32(struct rig_args *args, uint32_t value);
void rig_u64(struct rig_args *args, uint64_t value);
void rig_f32(struct rig_args *args, float value);
void rig_f64(struct rig_args *args, double value);

struct rig_shape {
    uint32_t grid[3], block[3], dynamic_shared;
};
/* Runs to success. */
void rig_launch(struct rig *rig, const char *kernel, struct rig_shape shape, const struct rig_args *args);
/* Runs and gives what came of it. */
bool rig_try(struct rig *rig, const char *kernel, struct rig_shape shape, const struct rig_args *args,
             struct atoll_trap *trap, struct atoll_error *error);

/* An entry of a table of tests that the rig runs in several modes. */
#define RUN(test)                     \
    {                                 \
#test, test, NULL, NULL, NULL \
    }

/* Fails with the first index where the arrays of `size`-byte elements differ. */
void rig_same(const void *got, const void *want, size_t size, size_t count, const char *what);

#endif

/* The part of the CUDA driver API that recording needs, declared here so that no toolkit is wanted. Names, values and
 * layouts are those of cuda.h 13.0; the functions are found by name in libcuda.so.1. */
#ifndef ATOLL_TESTS_HW_DRIVER_API_H
#define ATOLL_TESTS_HW_DRIVER_API_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CUDA_OK = 0, CUDA_HOST = 1, CUDA_ARRAY = 3 };
enum { CUDA_UNITS = 16, CUDA_MAJOR = 75, CUDA_MINOR = 76 }; /* attributes: multiprocessors, compute capability */
enum { CUDA_LAYERED = 1, CUDA_SURFACE = 2 };
enum { CUDA_JIT_LOG = 5, CUDA_JIT_LOG_SIZE = 6 }; /* CU_JIT_ERROR_LOG_BUFFER, ..._SIZE_BYTES */

struct cuda_array_desc { /* CUDA_ARRAY3D_DESCRIPTOR_v2 */
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
};

struct cuda_copy_end {
    size_t x_bytes, y, z, lod;
    int kind;
    void *host;
    uint64_t device;
    void *array, *reserved;
    size_t pitch, height;
};

struct cuda_copy { /* CUDA_MEMCPY3D_v2 */
    struct cuda_copy_end from, to;
    size_t width_bytes, height, depth;
};

struct cuda_resource { /* CUDA_RESOURCE_DESC_v1; kind 0 = an array */
    int kind;
    union {
        void *array;
        int reserved[32];
    } is;
    unsigned flags;
};

struct cuda_location { /* CUmemLocation; kind 1 = a device */
    int kind, device;
};

struct cuda_allocation { /* CUmemAllocationProp; kind 1 = pinned */
    int kind, handles;
    struct cuda_location location;
    void *windows;
    unsigned char flags[8];
};

struct cuda_access { /* CUmemAccessDesc; flags 3 = read and write */
    struct cuda_location location;
    int flags;
};

/* name of the member, symbol, parameters; all return CUresult. cuCtxCreate_v2 is in every driver. */
#define CUDA_FUNCTIONS(X)                                                                                             \
    X(init, "cuInit", (unsigned flags))                                                                               \
    X(driver_version, "cuDriverGetVersion", (int *version))                                                           \
    X(error_name, "cuGetErrorName", (int error, const char **name))                                                   \
    X(device_count, "cuDeviceGetCount", (int *count))                                                                 \
    X(device, "cuDeviceGet", (int *device, int ordinal))                                                              \
    X(device_name, "cuDeviceGetName", (char *name, int size, int device))                                             \
    X(attribute, "cuDeviceGetAttribute", (int *value, int attribute, int device))                                     \
    X(context_create, "cuCtxCreate_v2", (void **context, unsigned flags, int device))                                 \
    X(context_destroy, "cuCtxDestroy_v2", (void *context))                                                            \
    X(synchronize, "cuCtxSynchronize", (void))                                                                        \
    X(module_load, "cuModuleLoadDataEx",                                                                              \
      (void **module, const void *image, unsigned count, int *options, void **values))                                \
    X(module_unload, "cuModuleUnload", (void *module))                                                                \
    X(function, "cuModuleGetFunction", (void **function, void *module, const char *name))                             \
    X(alloc, "cuMemAlloc_v2", (uint64_t * address, size_t size))                                                      \
    X(free_memory, "cuMemFree_v2", (uint64_t address))                                                                \
    X(to_device, "cuMemcpyHtoD_v2", (uint64_t to, const void *from, size_t size))                                     \
    X(to_host, "cuMemcpyDtoH_v2", (void *to, uint64_t from, size_t size))                                             \
    X(on_device, "cuMemcpyDtoD_v2", (uint64_t to, uint64_t from, size_t size))                                        \
    X(memory_granularity, "cuMemGetAllocationGranularity",                                                            \
      (size_t * granularity, const struct cuda_allocation *allocation, int option))                                   \
    X(memory_create, "cuMemCreate",                                                                                   \
      (uint64_t * handle, size_t size, const struct cuda_allocation *allocation, unsigned long long flags))           \
    X(memory_release, "cuMemRelease", (uint64_t handle))                                                              \
    X(memory_reserve, "cuMemAddressReserve",                                                                          \
      (uint64_t * address, size_t size, size_t alignment, uint64_t wish, unsigned long long flags))                   \
    X(memory_unreserve, "cuMemAddressFree", (uint64_t address, size_t size))                                          \
    X(memory_map, "cuMemMap",                                                                                         \
      (uint64_t address, size_t size, size_t offset, uint64_t handle, unsigned long long flags))                      \
    X(memory_unmap, "cuMemUnmap", (uint64_t address, size_t size))                                                    \
    X(memory_access, "cuMemSetAccess",                                                                                \
      (uint64_t address, size_t size, const struct cuda_access *access, size_t count))                                \
    X(array_create, "cuArray3DCreate_v2", (void **array, const struct cuda_array_desc *desc))                         \
    X(array_destroy, "cuArrayDestroy", (void *array))                                                                 \
    X(copy, "cuMemcpy3D_v2", (const struct cuda_copy *copy))                                                          \
    X(surface_create, "cuSurfObjectCreate", (uint64_t * surface, const struct cuda_resource *resource))               \
    X(surface_destroy, "cuSurfObjectDestroy", (uint64_t surface))                                                     \
    X(launch, "cuLaunchKernel",                                                                                       \
      (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, \
       void *stream, void **parameters, void **extra))

/* Surface references go out of use: a driver may not have them, and the members are NULL. */
#define CUDA_REFERENCES(X)                                                                 \
    X(reference, "cuModuleGetSurfRef", (void **reference, void *module, const char *name)) \
    X(reference_bind, "cuSurfRefSetArray", (void *reference, void *array, unsigned flags))

struct cuda {
    void *library;
#define CUDA_MEMBER(member, symbol, parameters) int(*member) parameters;
    CUDA_FUNCTIONS(CUDA_MEMBER)
    CUDA_REFERENCES(CUDA_MEMBER)
#undef CUDA_MEMBER
};

/* False: there is no driver, or one that lacks a function, which is told. */
static inline bool cuda_load(struct cuda *cuda)
{
    cuda->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!cuda->library)
        return false;
    bool ok = true;
#define CUDA_LOOK(member, symbol, parameters) *(void **)&cuda->member = dlsym(cuda->library, symbol);
    CUDA_REFERENCES(CUDA_LOOK)
#define CUDA_FIND(member, symbol, parameters)                         \
    CUDA_LOOK(member, symbol, parameters)                             \
    if (!cuda->member) {                                              \
        fprintf(stderr, "libcuda.so.1 has no function %s\n", symbol); \
        ok = false;                                                   \
    }
    CUDA_FUNCTIONS(CUDA_FIND)
#undef CUDA_FIND
#undef CUDA_LOOK
    return ok;
}

#endif

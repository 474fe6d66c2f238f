/* What litmus_shots.c and random_shots.c want of a driver, by Atoll. One user at a time. */
#include "driver_atoll.h"

#include "atoll.h"
#include "hw.h"

#include <stdlib.h>
#include <string.h>

enum { FAILED = 999 /* CUDA_ERROR_UNKNOWN */, MOST_PARAMETERS = 256 };

static struct {
    struct atoll_device *device;
    struct atoll_error error;
    bool unordered;
    uint64_t launches;
    struct atoll_module *module; /* of the reference that is bound next */
    uint64_t shared;             /* memory that gets a second address next */
} state;

static int status(bool ok)
{
    return ok ? CUDA_OK : FAILED;
}

static int error_name(int error, const char **name)
{
    (void)error;
    *name = state.error.message;
    return CUDA_OK;
}

static int module_load(void **module, const void *image, unsigned count, int *options, void **values)
{
    struct atoll_module *made = NULL;
    struct atoll_module_options how = {.fmad = true}; /* as the driver's assembler does */
    (void)count, (void)options, (void)values;
    bool ok = atoll_module_load(state.device, image, strlen(image), &how, &made, &state.error);
    *module = made;
    return status(ok);
}

static int module_unload(void *module)
{
    atoll_module_destroy(module);
    return CUDA_OK;
}

static int function(void **function, void *module, const char *name)
{
    struct atoll_kernel *kernel = NULL;
    bool ok = atoll_module_kernel(module, name, &kernel, &state.error);
    *function = kernel;
    return status(ok);
}

static int alloc(uint64_t *address, size_t size)
{
    return status(atoll_memory_alloc(state.device, size, address, &state.error));
}

static int free_memory(uint64_t address)
{
    return status(atoll_memory_free(state.device, address, &state.error));
}

static int to_device(uint64_t to, const void *from, size_t size)
{
    return status(atoll_memory_write(state.device, to, from, size, &state.error));
}

static int to_host(void *to, uint64_t from, size_t size)
{
    return status(atoll_memory_read(state.device, from, to, size, &state.error));
}

static int on_device(uint64_t to, uint64_t from, size_t size)
{
    const void *bytes = atoll_memory_map(state.device, from, size, &state.error);
    return bytes ? to_device(to, bytes, size) : FAILED;
}

/* Memory at two addresses: the first one that is reserved makes it, the second one is an alias. */
static int memory_granularity(size_t *granularity, const struct cuda_allocation *allocation, int option)
{
    (void)allocation, (void)option;
    *granularity = 4096;
    return CUDA_OK;
}

static int memory_create(uint64_t *handle, size_t size, const struct cuda_allocation *allocation,
                         unsigned long long flags)
{
    (void)size, (void)allocation, (void)flags;
    *handle = state.shared = 0;
    return CUDA_OK;
}

static int memory_release(uint64_t handle)
{
    (void)handle;
    return CUDA_OK;
}

static int memory_reserve(uint64_t *address, size_t size, size_t alignment, uint64_t wish, unsigned long long flags)
{
    (void)alignment, (void)wish, (void)flags;
    if (state.shared)
        return status(atoll_memory_alias(state.device, state.shared, address, &state.error));
    int error = alloc(address, size);
    state.shared = *address;
    return error;
}

static int memory_unreserve(uint64_t address, size_t size)
{
    (void)size;
    return free_memory(address);
}

static int memory_map(uint64_t address, size_t size, size_t offset, uint64_t handle, unsigned long long flags)
{
    (void)address, (void)size, (void)offset, (void)handle, (void)flags;
    return CUDA_OK;
}

static int memory_unmap(uint64_t address, size_t size)
{
    (void)address, (void)size;
    return CUDA_OK;
}

static int memory_access(uint64_t address, size_t size, const struct cuda_access *access, size_t count)
{
    (void)address, (void)size, (void)access, (void)count;
    return CUDA_OK;
}

static bool format_of(const struct cuda_array_desc *desc, struct hw_format *format)
{
    for (unsigned i = 0; hw_format_at(i, format); i++)
        if ((int)format->array == desc->format && format->channels == desc->channels)
            return true;
    return false;
}

static enum atoll_dimension dimension_of(const struct cuda_array_desc *desc)
{
    if (desc->flags & CUDA_LAYERED)
        return desc->height ? ATOLL_DIM_2D_ARRAY : ATOLL_DIM_1D_ARRAY;
    return desc->depth ? ATOLL_DIM_3D : desc->height ? ATOLL_DIM_2D : ATOLL_DIM_1D;
}

static int array_create(void **array, const struct cuda_array_desc *desc)
{
    struct atoll_surface *surface = NULL;
    struct hw_format format;
    bool layered = desc->flags & CUDA_LAYERED;
    if (!format_of(desc, &format))
        return FAILED;
    struct atoll_surface_desc made = {.dimension = dimension_of(desc),
                                      .width = (uint32_t)desc->width,
                                      .height = (uint32_t)desc->height,
                                      .depth = layered ? 0 : (uint32_t)desc->depth,
                                      .layers = layered ? (uint32_t)desc->depth : 0,
                                      .format = format.name};
    bool ok = atoll_surface_create(state.device, &made, &surface, &state.error);
    *array = surface;
    return status(ok);
}

static int array_destroy(void *array)
{
    atoll_surface_destroy(array);
    return CUDA_OK;
}

/* Of whole arrays. */
static int copy(const struct cuda_copy *copy)
{
    size_t size = copy->width_bytes * copy->height * copy->depth;
    return status(copy->to.kind == CUDA_ARRAY
                      ? atoll_surface_write(copy->to.array, copy->from.host, size, &state.error)
                      : atoll_surface_read(copy->from.array, copy->to.host, size, &state.error));
}

static int surface_create(uint64_t *surface, const struct cuda_resource *resource)
{
    *surface = atoll_surface_handle(resource->is.array);
    return CUDA_OK;
}

static int surface_destroy(uint64_t surface)
{
    (void)surface;
    return CUDA_OK;
}

/* References are of a module: the name is kept until it is bound. */
static int reference(void **reference, void *module, const char *name)
{
    state.module = module;
    *reference = (void *)(uintptr_t)name;
    return CUDA_OK;
}

static int reference_bind(void *reference, void *array, unsigned flags)
{
    (void)flags;
    return status(atoll_module_bind_surface(state.module, reference, 0, array, &state.error));
}

static int synchronize(void)
{
    return CUDA_OK;
}

static int launch(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                  unsigned shared, void *stream, void **parameters, void **extra)
{
    unsigned char block[MOST_PARAMETERS] = {0};
    size_t size = 0;
    struct atoll_parameter_info info;
    struct atoll_error end;
    (void)stream, (void)extra;
    for (unsigned i = 0; atoll_kernel_parameter(function, i, &info, &end); i++) {
        if (info.offset + info.size > sizeof block)
            return FAILED;
        memcpy(block + info.offset, parameters[i], info.size);
        size = info.offset + info.size;
    }
    state.launches++;
    struct atoll_launch_options options = {.grid = {gx, gy, gz},
                                           .block = {bx, by, bz},
                                           .dynamic_shared = shared,
                                           .parameters = block,
                                           .parameter_bytes = size,
                                           .instruction_limit = 100000000};
    if (state.unordered) {
        options.order = ATOLL_ORDER_SEEDED;
        options.seed = state.launches;
        options.weak = state.launches / 2 % 2;
        options.cooperative = true;
    }
    return status(atoll_launch(function, &options, NULL, NULL, &state.error));
}

bool hw_atoll_open(struct cuda *cuda, bool unordered)
{
    state.unordered = unordered;
    *cuda = (struct cuda){.error_name = error_name,
                          .module_load = module_load,
                          .module_unload = module_unload,
                          .function = function,
                          .alloc = alloc,
                          .free_memory = free_memory,
                          .to_device = to_device,
                          .to_host = to_host,
                          .on_device = on_device,
                          .memory_granularity = memory_granularity,
                          .memory_create = memory_create,
                          .memory_release = memory_release,
                          .memory_reserve = memory_reserve,
                          .memory_unreserve = memory_unreserve,
                          .memory_map = memory_map,
                          .memory_unmap = memory_unmap,
                          .memory_access = memory_access,
                          .array_create = array_create,
                          .array_destroy = array_destroy,
                          .copy = copy,
                          .surface_create = surface_create,
                          .surface_destroy = surface_destroy,
                          .reference = reference,
                          .reference_bind = reference_bind,
                          .synchronize = synchronize,
                          .launch = launch};
    return atoll_device_create(NULL, &state.device, &state.error);
}

void hw_atoll_close(void)
{
    atoll_device_destroy(state.device);
    state.device = NULL;
}

/* atoll.h: launches. Everything that the caller hands over is checked here, against the limits of the module's family.
 */
#include "api/api.h"
#include "mem/space.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HOST_THREADS = 4096 };

static bool shape_check(const char *what, const uint32_t given[3], const uint32_t largest[3], uint32_t out[3],
                        struct atoll_error *error)
{
    for (int i = 0; i < 3; i++) {
        out[i] = given[i] ? given[i] : 1;
        if (out[i] > largest[i])
            return error_set(error, ATOLL_USAGE, "%s.%c is %" PRIu32 ": must be at most %" PRIu32, what, "xyz"[i],
                             out[i], largest[i]);
    }
    return true;
}

static uint64_t volume(const uint32_t size[3])
{
    return (uint64_t)size[0] * size[1] * size[2];
}

/* A kernel may fix the block, or limit its threads. */
static bool block_check(const struct lane_func *func, const struct family_limits *limits, const uint32_t block[3],
                        struct atoll_error *error)
{
    if (volume(block) > limits->block_threads)
        return error_set(error, ATOLL_USAGE,
                         "a block of %" PRIu32 " x %" PRIu32 " x %" PRIu32 " has %" PRIu64
                         " threads: must be at most %" PRIu32,
                         block[0], block[1], block[2], volume(block), limits->block_threads);
    uint32_t required[3], most[3];
    for (int i = 0; i < 3; i++) {
        required[i] = func->required_block[i] ? func->required_block[i] : 1;
        most[i] = func->max_block[i] ? func->max_block[i] : 1;
    }
    if (func->required_block[0] && memcmp(required, block, sizeof required) != 0)
        return error_set(error, ATOLL_USAGE,
                         "kernel '%.200s' requires blocks of %" PRIu32 " x %" PRIu32 " x %" PRIu32
                         " threads (%s); given: %" PRIu32 " x %" PRIu32 " x %" PRIu32,
                         func->name, required[0], required[1], required[2], limits->required, block[0], block[1],
                         block[2]);
    if (func->max_block[0] && volume(block) > volume(most))
        return error_set(error, ATOLL_USAGE,
                         "kernel '%.200s' allows at most %" PRIu64 " threads a block (%s); given: %" PRIu64, func->name,
                         volume(most), limits->at_most, volume(block));
    return true;
}

static bool shared_check(const struct atoll_kernel *kernel, const char *name, uint32_t dynamic,
                         struct atoll_error *error)
{
    uint64_t total = (uint64_t)kernel->shared_bytes + dynamic;
    const struct family_limits *limits = &kernel->module->family->limits;
    if (total > limits->shared_bytes)
        return error_set(error, ATOLL_USAGE,
                         "kernel '%.200s': %" PRIu32 " bytes of static and %" PRIu32
                         " bytes of dynamic shared memory: must be at most %" PRIu64 " (%s) together",
                         name, kernel->shared_bytes, dynamic, limits->shared_bytes, limits->shared_text);
    return true;
}

/* What takes the place of the engine where it does not matter (engine/launch.c). */
static bool environment_check(const struct atoll_launch_options *launch, struct atoll_error *error)
{
    const char *named = getenv("ATOLL_ENGINE");
    enum atoll_engine engine;
    struct atoll_error why;
    return launch->engine != ATOLL_ENGINE_AUTO || !named || !*named || atoll_engine_find(named, &engine, &why) ||
           error_set(error, ATOLL_USAGE, "the variable ATOLL_ENGINE: %s", why.message);
}

static bool options_check(const struct atoll_launch_options *launch, struct atoll_error *error)
{
    if ((unsigned)launch->order > ATOLL_ORDER_SEEDED)
        return error_set(error, ATOLL_USAGE, "atoll_launch: unknown order %u", (unsigned)launch->order);
    if ((unsigned)launch->policy > ATOLL_POLICY_STACK)
        return error_set(error, ATOLL_USAGE, "atoll_launch: unknown policy %u", (unsigned)launch->policy);
    if (!atoll_engine_name(launch->engine))
        return error_set(error, ATOLL_USAGE, "atoll_launch: unknown engine %u", (unsigned)launch->engine);
    if (launch->checks & ~checks_known())
        return error_set(error, ATOLL_USAGE, "atoll_launch: unknown checks 0x%x", launch->checks);
    if (!(launch->time_limit >= 0)) /* NaN too */
        return error_set(error, ATOLL_USAGE, "atoll_launch: time_limit is %g: must be 0 or more seconds",
                         launch->time_limit);
    if (launch->threads > HOST_THREADS)
        return error_set(error, ATOLL_USAGE, "atoll_launch: %u host threads: must be at most %d", launch->threads,
                         HOST_THREADS);
    return environment_check(launch, error) && atoll_engine_available(launch->engine, error);
}

static bool parameters_check(const struct lane_func *func, const struct atoll_launch_options *launch,
                             struct atoll_error *error)
{
    if (launch->parameter_bytes != func->param_bytes)
        return error_set(error, ATOLL_USAGE, "kernel '%.200s' takes a parameter block of %" PRIu32 " bytes; given: %zu",
                         func->name, func->param_bytes, launch->parameter_bytes);
    if (!launch->parameters && func->param_bytes)
        return error_set(error, ATOLL_USAGE, "atoll_launch: parameters is NULL");
    return true;
}

static bool program_ready(struct atoll_kernel *kernel, struct atoll_error *error)
{
    struct atoll_module *module = kernel->module;
    return kernel->program || program_create(module->owner->device, &module->lanes, kernel->func, module->addresses,
                                             &kernel->program, error);
}

bool atoll_launch(struct atoll_kernel *kernel, const struct atoll_launch_options *launch, struct atoll_stats *stats,
                  struct atoll_trap *trap, struct atoll_error *error)
{
    if (!kernel || !launch)
        return error_set(error, ATOLL_USAGE, "atoll_launch: %s is NULL", kernel ? "launch" : "kernel");
    const struct lane_func *func = &kernel->module->lanes.funcs[kernel->func];
    if (!kernel->module->owner)
        return error_set(error, ATOLL_USAGE, "atoll_launch: the module was loaded without a device");
    const struct family_limits *limits = &kernel->module->family->limits;
    struct atoll_launch_options checked = *launch;
    if (func->thread_grid && !launch->block[0] && !launch->block[1] && !launch->block[2])
        memcpy(checked.block, func->required_block, sizeof checked.block);
    if (!shape_check("grid", launch->grid, limits->grid, checked.grid, error) ||
        !shape_check("block", checked.block, limits->block, checked.block, error) ||
        !block_check(func, limits, checked.block, error) ||
        !shared_check(kernel, func->name, launch->dynamic_shared, error) || !parameters_check(func, launch, error) ||
        !options_check(launch, error) || !program_ready(kernel, error))
        return false;
    return program_launch(kernel->program, kernel->module->file, &checked, stats, trap, error);
}

/* Runs a case through atoll.h. */
#include "hw.h"

#include <stdlib.h>
#include <string.h>

struct run {
    const struct hw_case *c;
    struct atoll_device *device;
    struct atoll_module *module;
    struct atoll_kernel *kernel;
    struct atoll_surface *surface;
    uint64_t in, out;
    unsigned char *out_bytes, *texels;
    struct atoll_error error;
    struct atoll_trap trap;
};

static bool open(struct run *r)
{
    const struct hw_case *c = r->c;
    struct atoll_module_options options = {.file = c->name};
    struct atoll_surface_desc desc = {.dimension = c->dimension,
                                      .width = c->width,
                                      .height = c->height,
                                      .depth = c->depth,
                                      .layers = c->layers,
                                      .format = c->format};
    r->out_bytes = malloc(c->out_bytes + 1u);
    r->texels = malloc(c->texels.size + 1);
    return r->out_bytes && r->texels && atoll_device_create(NULL, &r->device, &r->error) &&
           atoll_module_load(r->device, c->ptx.data, c->ptx.size, &options, &r->module, &r->error) &&
           atoll_module_kernel(r->module, "k", &r->kernel, &r->error) &&
           atoll_memory_alloc(r->device, c->in_bytes + 16u, &r->in, &r->error) &&
           atoll_memory_alloc(r->device, c->out_bytes + 16u, &r->out, &r->error) &&
           (!c->has_surface || atoll_surface_create(r->device, &desc, &r->surface, &r->error));
}

static void shut(struct run *r)
{
    atoll_surface_destroy(r->surface);
    atoll_module_destroy(r->module);
    atoll_device_destroy(r->device);
    free(r->out_bytes);
    free(r->texels);
}

static bool prepare(struct run *r, unsigned shot)
{
    const struct hw_case *c = r->c;
    memset(r->out_bytes, HW_FILL, c->out_bytes);
    return atoll_memory_write(r->device, r->out, r->out_bytes, c->out_bytes, &r->error) &&
           (!c->in_bytes ||
            atoll_memory_write(r->device, r->in, c->in.data + (size_t)shot * c->in_bytes, c->in_bytes, &r->error)) &&
           (!c->has_surface || atoll_surface_write(r->surface, c->texels.data, c->texels.size, &r->error));
}

static bool collect(struct run *r, struct hw_result *result)
{
    const struct hw_case *c = r->c;
    if (!atoll_memory_read(r->device, r->out, r->out_bytes, c->out_bytes, &r->error) ||
        (c->has_surface && !atoll_surface_read(r->surface, r->texels, c->texels.size, &r->error)))
        return false;
    hw_result_shot(result, c, r->out_bytes, r->texels);
    return true;
}

static void fail(struct hw_result *result, enum hw_status status, unsigned shot, const char *detail)
{
    result->status = status;
    result->shot = shot;
    snprintf(result->detail, sizeof result->detail, "%.150s", detail);
    for (char *at = result->detail; *at; at++)
        *at = *at == '\n' ? ' ' : *at;
}

/* A fault ends the case, as it ends a GPU's context. */
static bool shoot(struct run *r, struct hw_result *result, unsigned shot)
{
    uint64_t parameters[3] = {r->out, r->in, r->surface ? atoll_surface_handle(r->surface) : 0};
    struct atoll_launch_options launch = {.grid = {1, 1, 1},
                                          .block = {r->c->threads, 1, 1},
                                          .parameters = parameters,
                                          .parameter_bytes = sizeof parameters,
                                          .threads = 1,
                                          .order = ATOLL_ORDER_DETERMINISTIC};
    if (!prepare(r, shot)) {
        fail(result, HW_ERROR, shot, r->error.message);
        return false;
    }
    if (!atoll_launch(r->kernel, &launch, NULL, &r->trap, &r->error)) {
        bool trap = r->error.status == ATOLL_TRAP;
        fail(result, trap ? HW_FAULT : HW_ERROR, shot, trap && r->trap.cause ? r->trap.cause : r->error.message);
        return false;
    }
    if (!collect(r, result)) {
        fail(result, HW_ERROR, shot, r->error.message);
        return false;
    }
    return true;
}

void hw_run(const struct hw_case *c, struct hw_result *result)
{
    struct run r = {.c = c};
    hw_result_begin(result, c);
    if (open(&r)) {
        for (unsigned shot = 0; shot < c->shots && shoot(&r, result, shot); shot++)
            ;
    } else
        fail(result, HW_ERROR, 0, r.error.message);
    shut(&r);
}

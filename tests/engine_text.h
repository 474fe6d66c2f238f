/* Running a few lines of PTX: a kernel k(out, n, s) around a body, launched through atoll.h. */
#ifndef ATOLL_TESTS_ENGINE_TEXT_H
#define ATOLL_TESTS_ENGINE_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "atoll.h"

#ifndef ENGINE_TARGET
#define ENGINE_TARGET  "sm_75"
#define ENGINE_VERSION "8.0"
#endif

enum { ENGINE_WORDS = 4096 };

struct engine {
    struct atoll_device *device;
    struct atoll_module *module;
    struct atoll_surface *surface; /* 16 x 4 r32uint */
    struct atoll_launch_options launch;
    struct atoll_stats stats;
    struct atoll_trap trap;
    struct atoll_error error;
    uint64_t out;
    uint32_t words[ENGINE_WORDS];
};

/* The body may use %r0..39, %rd0..19, %p0..9, %f0..9; %rd0 = out + 4 * global thread, %rd1 = out, %rd2 = n, %rd3 = s,
 * %r0 = tid.x, %r1 = global thread. `head` is at module scope. */
static inline void engine_open(struct engine *e, const char *head, const char *body)
{
    static const char frame[] =
        ".version " ENGINE_VERSION "\n.target " ENGINE_TARGET "\n.address_size 64\n%s\n"
        ".visible .entry k(.param .u64 out, .param .u64 n, .param .u64 s)\n{\n"
        ".reg .b32 %%r<40>; .reg .b64 %%rd<20>; .reg .pred %%p<10>; .reg .f32 %%f<10>;\n"
        "ld.param.u64 %%rd1, [out]; ld.param.u64 %%rd2, [n]; ld.param.u64 %%rd3, [s];\n"
        "mov.u32 %%r0, %%tid.x; mov.u32 %%r38, %%ctaid.x; mov.u32 %%r39, %%ntid.x;\n"
        "mad.lo.u32 %%r1, %%r38, %%r39, %%r0; mul.wide.u32 %%rd0, %%r1, 4; add.u64 %%rd0, %%rd0, %%rd1;\n"
        "// body\n%s\nret;\n}\n";
    size_t size = sizeof frame + strlen(head) + strlen(body);
    char *text = malloc(size);
    assert_non_null(text);
    int length = snprintf(text, size, frame, head, body);
    struct atoll_surface_desc desc = {.dimension = ATOLL_DIM_2D, .width = 16, .height = 4, .format = "r32uint"};
    *e = (struct engine){.launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .order = ATOLL_ORDER_DETERMINISTIC}};
    if (!atoll_device_create(NULL, &e->device, &e->error) ||
        !atoll_module_load(e->device, text, (size_t)length, NULL, &e->module, &e->error) ||
        !atoll_memory_alloc(e->device, sizeof e->words, &e->out, &e->error) ||
        !atoll_surface_create(e->device, &desc, &e->surface, &e->error))
        fail_msg("%u: %s", e->error.line, e->error.message);
    free(text);
}

static inline bool engine_run(struct engine *e, uint64_t n)
{
    struct atoll_kernel *kernel;
    uint64_t params[3] = {e->out, n, atoll_surface_handle(e->surface)};
    assert_true(atoll_module_kernel(e->module, "k", &kernel, &e->error));
    e->launch.parameters = params;
    e->launch.parameter_bytes = sizeof params;
    bool ok = atoll_launch(kernel, &e->launch, &e->stats, &e->trap, &e->error);
    assert_true(atoll_memory_read(e->device, e->out, e->words, sizeof e->words, &(struct atoll_error){0}));
    return ok;
}

static inline void engine_must_run(struct engine *e, uint64_t n)
{
    if (!engine_run(e, n))
        fail_msg("%s", e->error.message);
}

static inline void engine_close(struct engine *e)
{
    atoll_surface_destroy(e->surface);
    atoll_module_destroy(e->module);
    atoll_device_destroy(e->device);
}

#endif

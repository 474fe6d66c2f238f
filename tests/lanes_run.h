/* Running a kernel of a lane module that is written as text: loaded, verified, linked and launched below the API. */
#ifndef ATOLL_TESTS_LANES_RUN_H
#define ATOLL_TESTS_LANES_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/engine.h"

enum { LANES_WORDS = 4096 };

struct lanes {
    struct device *device;
    struct lane_module module;
    struct program *program;
    struct atoll_launch_options launch;
    struct atoll_stats stats;
    struct atoll_trap trap;
    struct atoll_error error;
    uint64_t out; /* LANES_WORDS words of zeros: the kernel's only parameter */
    uint32_t words[LANES_WORDS];
};

/* Attributes of the kernel, its body. The body may use r0..r9, rd0..rd3, p0..p4; b0 is begun; rd1 = out, rd0 = out + 4
 * * r0, r0 = tid.x + ctaid.x. */
static inline void lanes_open_as(struct lanes *t, const char *attributes, const char *body)
{
    static const char frame[] = "lanes 1\nkernel \"k\" %s params 8 {\n"
                                "  param \"out\" \"u64\" offset 0 size 8 align 8 count 1\n"
                                "  reg 32 r0 r1 r2 r3 r4 r5 r6 r7 r8 r9\n  reg 64 rd0 rd1 rd2 rd3\n"
                                "  reg 1 p0 p1 p2 p3 p4\n"
                                "b0:\n  rd1 = ld.param.b64 [0:32]\n  r0 = sreg.tid.x.b32\n"
                                "  r1 = sreg.ctaid.x.b32\n  r0 = add.u32 r0, r1\n"
                                "  rd0 = mulwide.u32 r0, 4\n  rd0 = add.u64 rd0, rd1\n%s\n}\n";
    size_t size = sizeof frame + strlen(attributes) + strlen(body);
    char *text = malloc(size);
    assert_non_null(text);
    int length = snprintf(text, size, frame, attributes, body);
    *t = (struct lanes){.launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .order = ATOLL_ORDER_DETERMINISTIC}};
    if (!lane_parse(text, (size_t)length, &t->module, &t->error) || !lane_verify(&t->module, &t->error) ||
        !device_create(UINT64_C(1) << 30, &t->device, &t->error) ||
        !space_alloc(device_space(t->device), LANES_WORDS * sizeof(uint32_t), false, false, &t->out, &t->error) ||
        !program_create(t->device, &t->module, 0, NULL, &t->program, &t->error))
        fail_msg("%u: %s", t->error.line, t->error.message);
    free(text);
}

static inline void lanes_open(struct lanes *t, const char *body)
{
    lanes_open_as(t, "stacked", body);
}

/* Runs it on zeros. */
static inline bool lanes_run(struct lanes *t, enum atoll_policy policy)
{
    struct space_block out;
    assert_true(space_find(device_space(t->device), t->out, &out));
    memset(out.host, 0, sizeof t->words);
    t->launch.policy = policy;
    t->launch.parameters = &t->out;
    t->launch.parameter_bytes = sizeof t->out;
    bool ok = program_launch(t->program, "k", &t->launch, &t->stats, &t->trap, &t->error);
    memcpy(t->words, out.host, sizeof t->words);
    return ok;
}

static inline void lanes_close(struct lanes *t)
{
    program_destroy(t->program);
    device_destroy(t->device);
    lane_module_free(&t->module);
}

#endif

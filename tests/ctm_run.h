/* Running CTM programs that are made of words: lowered, verified and launched below the API. Outputs and inputs are
 * surfaces that the test makes; constants and the state of the units are bytes of the parameter space. */
#ifndef ATOLL_TESTS_CTM_RUN_H
#define ATOLL_TESTS_CTM_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "engine/engine.h"
#include "isa/ctm/lower.h"
#include "mem/format.h"
#include "mem/layout.h"

enum { CTM_RUN_SURFACES = CTM_INPUTS + CTM_OUTPUTS + 1 };

struct ctm_run {
    struct ctm_program program;
    struct ctm_inst insts[CTM_SLOTS];
    enum ctm_tex_write tex_write;
    bool together; /* as ctm_lower_program */
    struct arena arena;
    struct device *device;
    struct lane_module lanes;
    struct program *linked;
    struct surface *surfaces[CTM_RUN_SURFACES];
    unsigned nsurfaces;
    unsigned char params[CTM_PARAM_BYTES];
    struct atoll_launch_options launch;
    struct atoll_trap trap;
    struct atoll_error error;
};

/* An ALU or OUTPUT instruction that does nothing: all sources are the inline constant 0. */
static inline struct ctm_inst ctm_blank(enum ctm_type type)
{
    struct ctm_inst inst = {{0}};
    ctm_set(&inst, CTM_TYPE, type);
    static const uint8_t sources[] = {CTM_RGB_ADDR0,   CTM_RGB_ADDR1,   CTM_RGB_ADDR2,
                                      CTM_ALPHA_ADDR0, CTM_ALPHA_ADDR1, CTM_ALPHA_ADDR2};
    for (unsigned i = 0; i < sizeof sources && type <= CTM_TYPE_OUTPUT; i++)
        ctm_set(&inst, (enum ctm_field)sources[i], 0x80);
    return inst;
}

/* OUTPUT of temporary `temp` to output `target`: bits as they are, by MIN(r, r) with OMOD_DISABLED. */
static inline struct ctm_inst ctm_copy_out(unsigned temp, unsigned target)
{
    struct ctm_inst inst = ctm_blank(CTM_TYPE_OUTPUT);
    static const uint8_t swizzles[][2] = {{CTM_RED_SWIZ_A, 0},   {CTM_GREEN_SWIZ_A, 1}, {CTM_BLUE_SWIZ_A, 2},
                                          {CTM_ALPHA_SWIZ_A, 3}, {CTM_RED_SWIZ_B, 0},   {CTM_GREEN_SWIZ_B, 1},
                                          {CTM_BLUE_SWIZ_B, 2},  {CTM_ALPHA_SWIZ_B, 3}};
    for (unsigned i = 0; i < sizeof swizzles / sizeof *swizzles; i++)
        ctm_set(&inst, (enum ctm_field)swizzles[i][0], swizzles[i][1]);
    ctm_set(&inst, CTM_RGB_ADDR0, temp);
    ctm_set(&inst, CTM_ALPHA_ADDR0, temp);
    ctm_set(&inst, CTM_RGB_OP, CTM_RGB_MIN);
    ctm_set(&inst, CTM_ALPHA_OP, CTM_ALPHA_MIN);
    ctm_set(&inst, CTM_RGB_OMOD, CTM_OMOD_DISABLED);
    ctm_set(&inst, CTM_ALPHA_OMOD, CTM_OMOD_DISABLED);
    ctm_set(&inst, CTM_RGB_OMASK, 7);
    ctm_set(&inst, CTM_ALPHA_OMASK, 1);
    ctm_set(&inst, CTM_RGB_TARGET, target);
    ctm_set(&inst, CTM_ALPHA_TARGET, target);
    return inst;
}

static inline void ctm_run_begin(struct ctm_run *t)
{
    *t = (struct ctm_run){.program = {.name = "main"},
                          .launch = {.grid = {CTM_BLOCK_X, CTM_BLOCK_Y, 1}, .order = ATOLL_ORDER_DETERMINISTIC}};
    t->program.insts = t->insts;
    t->program.info[CTM_INFO_ONE] = 1;
    assert_true(device_create(UINT64_C(1) << 30, &t->device, &t->error));
}

static inline void ctm_run_add(struct ctm_run *t, struct ctm_inst inst)
{
    assert_true(t->program.ninsts < CTM_SLOTS);
    t->insts[t->program.ninsts] = inst;
    t->program.info[CTM_INFO_US_CODE_ADDR] = t->program.ninsts++ << 16;
}

static inline void ctm_run_u32(struct ctm_run *t, uint32_t offset, uint32_t value)
{
    memcpy(t->params + offset, &value, sizeof value);
}

/* A surface of zeros whose handle is at `offset` of the parameters. */
static inline struct surface *ctm_run_surface(struct ctm_run *t, uint32_t offset, const char *format, uint32_t width,
                                              uint32_t height)
{
    struct surface *s;
    assert_true(
        surface_create(LANE_DIM_2D, width, height, 0, 0, format_find(format), layout_find("pitch"), &s, &t->error) &&
        device_add_surface(t->device, s, DEVICE_HEADER_ANY, &t->error));
    t->surfaces[t->nsurfaces++] = s;
    memcpy(t->params + offset, &s->handle, sizeof s->handle);
    return s;
}

/* The texels, row by row; how many bytes they are. */
static inline size_t ctm_run_texels(const struct surface *s, void *out)
{
    size_t size = (size_t)surface_packed_size(s);
    assert_true(surface_download(s, out, size, NULL));
    return size;
}

static inline bool ctm_run_lower(struct ctm_run *t)
{
    return ctm_lower_program(&t->arena, &t->program, t->tex_write, t->together, &t->lanes, &t->error) &&
           lane_verify(&t->lanes, &t->error);
}

/* Lowers what has been added, the first time; runs it over launch.grid index pairs. */
static inline bool ctm_run_go(struct ctm_run *t)
{
    if (!t->linked && (!ctm_run_lower(t) || !program_create(t->device, &t->lanes, 0, NULL, &t->linked, &t->error)))
        fail_msg("%s", t->error.message);
    t->launch.parameters = t->params;
    t->launch.parameter_bytes = sizeof t->params;
    return program_launch(t->linked, t->program.name, &t->launch, NULL, &t->trap, &t->error);
}

/* The program is lowered once more when it runs. */
static inline void ctm_run_reload(struct ctm_run *t)
{
    if (t->linked)
        program_destroy(t->linked);
    t->linked = NULL;
    lane_module_free(&t->lanes);
    arena_free(&t->arena);
}

/* Another program on the same device and surfaces. */
static inline void ctm_run_again(struct ctm_run *t)
{
    ctm_run_reload(t);
    t->program.ninsts = 0;
}

static inline void ctm_run_end(struct ctm_run *t)
{
    ctm_run_again(t);
    for (unsigned i = 0; i < t->nsurfaces; i++)
        surface_destroy(t->surfaces[i]);
    device_destroy(t->device);
}

#endif

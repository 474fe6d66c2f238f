/* Running Maxwell instructions on many operands: text of instructions -> module -> lane program -> launch, below the
 * API.
 *
 *     struct sass_rig rig;
 *     sass_rig_open(&rig, "FADD R0, R8, R9;");       R8..R23 are the case's inputs, R0..R7 (zeros) its results
 *     rig.in[n][k] = ...                             SASS_CASES cases; 32 make a warp
 *     sass_rig_run(&rig);                            rig.out[n][k]
 *     sass_rig_close(&rig);
 *
 * R240..R247 hold the addresses; predicates and condition codes are free. */
#ifndef ATOLL_TESTS_SASS_RIG_H
#define ATOLL_TESTS_SASS_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/engine.h"
#include "isa/sass/code.h"
#include "isa/sass/link.h"

enum { SASS_CASES = 512, SASS_INPUTS = 16, SASS_OUTPUTS = 8, SASS_INPUT0 = 8 /* R8 */ };

struct sass_rig {
    struct isa_table table;
    struct sass_module sass;
    struct lane_module module;
    struct device *device;
    struct program *program;
    struct atoll_launch_options launch;
    struct atoll_stats stats;
    struct atoll_trap trap;
    struct atoll_error error;
    uint64_t parameters[3]; /* addresses of in and out; one for the test: c[0x0][0x150] */
    char text[8192];
    uint32_t in[SASS_CASES][SASS_INPUTS];
    uint32_t out[SASS_CASES][SASS_OUTPUTS];
};

/* What is before and after the instructions. */
#define SASS_RIG_BEFORE                                                                                 \
    "S2R R240, SR_TID.X;\nS2R R241, SR_CTAID.X;\nISCADD R240, R241, R240, 0x5;\nSHL R242, R240, 0x6;\n" \
    "IADD R244.CC, R242, c[0x0][0x140];\nIADD.X R245, RZ, c[0x0][0x144];\n"                             \
    "LDG.E.128 R8, [R244];\nLDG.E.128 R12, [R244+0x10];\nLDG.E.128 R16, [R244+0x20];\n"                 \
    "LDG.E.128 R20, [R244+0x30];\n"                                                                     \
    "MOV R0, RZ;\nMOV R1, RZ;\nMOV R2, RZ;\nMOV R3, RZ;\nMOV R4, RZ;\nMOV R5, RZ;\nMOV R6, RZ;\nMOV R7, RZ;\n"
#define SASS_RIG_AFTER                                                                              \
    "\nSHL R242, R240, 0x5;\nIADD R244.CC, R242, c[0x0][0x148];\nIADD.X R245, RZ, c[0x0][0x14c];\n" \
    "STG.E.128 [R244], R0;\nSTG.E.128 [R244+0x10], R4;\nEXIT;\n"

static inline bool sass_rig_load(struct sass_rig *t)
{
    struct device *device = NULL;
    if (!sass_open(&t->table, &t->error) ||
        !sass_assemble(&t->table, t->text, strlen(t->text), SASS_ARCH_53, NULL, &t->sass, &t->error) ||
        !sass_lower(&t->table, &t->sass, &t->module, NULL, &t->error) || !lane_verify(&t->module, &t->error) ||
        !device_create(UINT64_C(1) << 30, &device, &t->error))
        return false;
    t->device = device;
    return space_alloc(device_space(device), sizeof t->in, false, false, &t->parameters[0], &t->error) &&
           space_alloc(device_space(device), sizeof t->out, false, false, &t->parameters[1], &t->error) &&
           program_create(device, &t->module, 0, NULL, &t->program, &t->error);
}

/* Fails the test where the text is no program. */
static inline void sass_rig_open(struct sass_rig *t, const char *instructions)
{
    memset(t, 0, sizeof *t);
    snprintf(t->text, sizeof t->text, "%s%s%s", SASS_RIG_BEFORE, instructions, SASS_RIG_AFTER);
    t->launch = (struct atoll_launch_options){
        .grid = {SASS_CASES / 32, 1, 1}, .block = {32, 1, 1}, .order = ATOLL_ORDER_DETERMINISTIC};
    if (!sass_rig_load(t))
        fail_msg("%s: %u: %s", instructions, t->error.line, t->error.message);
}

/* False, with t->error, where a lane traps. */
static inline bool sass_rig_try(struct sass_rig *t)
{
    struct space_block in, out;
    assert_true(space_find(device_space(t->device), t->parameters[0], &in));
    assert_true(space_find(device_space(t->device), t->parameters[1], &out));
    memcpy(in.host, t->in, sizeof t->in);
    t->launch.parameters = t->parameters;
    t->launch.parameter_bytes = sizeof t->parameters;
    bool ok = program_launch(t->program, "k", &t->launch, &t->stats, &t->trap, &t->error);
    memcpy(t->out, out.host, sizeof t->out);
    return ok;
}

static inline void sass_rig_run(struct sass_rig *t)
{
    if (!sass_rig_try(t))
        fail_msg("%s", t->error.message);
}

static inline void sass_rig_close(struct sass_rig *t)
{
    program_destroy(t->program);
    device_destroy(t->device);
    lane_module_free(&t->module);
    sass_free(&t->sass);
    isa_close(&t->table);
}

#endif

/* A machine with a megabyte of memory at MEMORY, streams for it from text, and small programs made of words. */
#ifndef ATOLL_TESTS_MACHINE_RIG_H
#define ATOLL_TESTS_MACHINE_RIG_H

#include "ctm_run.h"
#include "isa/ctm/elf.h"
#include "machine/machine.h"
#include "machine/stream.h"

enum { MEMORY = 0x10000, MEMORY_SIZE = 1 << 20 };

struct rig {
    struct atoll_device *device;
    struct machine *machine;
    struct machine_stats stats;
    struct atoll_error error;
};

static inline void rig_open(struct rig *rig, const struct machine_options *options)
{
    *rig = (struct rig){0};
    assert_true(atoll_device_create(NULL, &rig->device, &rig->error));
    assert_true(machine_create(rig->device, options, &rig->machine, &rig->error));
    assert_true(machine_memory(rig->machine, MEMORY, MEMORY_SIZE, NULL, &rig->error));
}

static inline void rig_close(struct rig *rig)
{
    machine_destroy(rig->machine);
    atoll_device_destroy(rig->device);
}

static inline bool rig_try(struct rig *rig, const char *text)
{
    struct text words = {0};
    rig->error = (struct atoll_error){0};
    if (!stream_parse(text, strlen(text), &words, &rig->error))
        fail_msg("%u:%u: %s", rig->error.line, rig->error.column, rig->error.message);
    bool ok = machine_run(rig->machine, words.bytes, words.length, &rig->stats, &rig->error);
    text_free(&words);
    return ok;
}

static inline void rig_run(struct rig *rig, const char *text)
{
    if (!rig_try(rig, text))
        fail_msg("%s", rig->error.message);
}

/* The stream ends with a mistake of which the message says this. */
static inline void rig_fails(struct rig *rig, const char *text, const char *says)
{
    if (rig_try(rig, text))
        fail_msg("no mistake: %s", text);
    if (!strstr(rig->error.message, says))
        fail_msg("'%s', wanted '%s'", rig->error.message, says);
}

/* ---- programs ---------------------------------------------------------------------------------------------- */

struct made {
    struct ctm_inst insts[8];
    struct ctm_program program;
};

static inline struct ctm_inst *made_add(struct made *made, struct ctm_inst inst)
{
    struct ctm_inst *at = &made->insts[made->program.ninsts++];
    *at = inst;
    return at;
}

/* Puts the program's executable at `address`; its notes are as `made` has them, with output 0. */
static inline void made_store(struct rig *rig, struct made *made, uint32_t address)
{
    struct ctm_program *p = &made->program;
    struct text elf = {0};
    p->name = "main";
    p->insts = made->insts;
    p->info[CTM_INFO_ONE] = 1;
    p->info[CTM_INFO_US_PIXSIZE] = 7;
    p->info[CTM_INFO_US_CODE_ADDR] = (p->ninsts - 1) << 16;
    p->info[CTM_INFO_US_CODE_RANGE] = (p->ninsts - 1) << 16;
    ctm_add(&p->outputs, 0);
    if (!ctm_elf_write(p, &elf, &rig->error))
        fail_msg("%s", rig->error.message);
    memcpy(machine_at(rig->machine, address, elf.length), elf.bytes, elf.length);
    text_free(&elf);
}

/* out0 = r0: the index pair. */
static inline void store_index(struct rig *rig, uint32_t address)
{
    struct made made = {0};
    ctm_set(made_add(&made, ctm_copy_out(0, 0)), CTM_TEX_SEM_WAIT, 1);
    made_store(rig, &made, address);
}

/* out0 = c<number> */
static inline void store_constant(struct rig *rig, uint32_t address, unsigned number)
{
    struct made made = {0};
    struct ctm_inst *inst = made_add(&made, ctm_copy_out(number, 0));
    ctm_set(inst, CTM_RGB_ADDR0_CONST, 1);
    ctm_set(inst, CTM_ALPHA_ADDR0_CONST, 1);
    ctm_set(inst, CTM_TEX_SEM_WAIT, 1);
    ctm_add(&made.program.floats, number);
    made_store(rig, &made, address);
}

/* out0 = r0, conditional value = its alpha */
static inline void store_conditional(struct rig *rig, uint32_t address)
{
    struct made made = {0};
    struct ctm_inst *inst = made_add(&made, ctm_copy_out(0, 0));
    ctm_set(inst, CTM_ALPHA_SWIZ_A, CTM_SWIZ_R); /* alpha too is i */
    ctm_set(inst, CTM_ALPHA_SWIZ_B, CTM_SWIZ_R);
    ctm_set(inst, CTM_W_OMASK, 1);
    ctm_set(inst, CTM_TEX_SEM_WAIT, 1);
    made.program.condout = true;
    made.program.info[CTM_INFO_FG_DEPTH_SRC] = 1;
    made_store(rig, &made, address);
}

/* out0 = in0(i, j) */
static inline void store_copy(struct rig *rig, uint32_t address)
{
    struct made made = {0};
    struct ctm_inst *inst = made_add(&made, ctm_blank(CTM_TYPE_TEX));
    ctm_set(inst, CTM_TEX_INST, CTM_TEX_LOOKUP);
    ctm_set(inst, CTM_TEX_UNSCALED, 1);
    ctm_set(inst, CTM_TEX_SEM_ACQUIRE, 1);
    ctm_set(inst, CTM_SRC_T_SWIZ, 1);
    ctm_set(inst, CTM_DST_ADDR, 1);
    ctm_set(inst, CTM_DST_G_SWIZ, 1);
    ctm_set(inst, CTM_DST_B_SWIZ, 2);
    ctm_set(inst, CTM_DST_A_SWIZ, 3);
    ctm_set(inst, CTM_RGB_WMASK, 7);
    ctm_set(inst, CTM_ALPHA_WMASK, 1);
    ctm_set(made_add(&made, ctm_copy_out(1, 0)), CTM_TEX_SEM_WAIT, 1);
    ctm_add(&made.program.inputs, 0);
    made_store(rig, &made, address);
}

#endif

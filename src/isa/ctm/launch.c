/* The parameters of a CTM program, by name. */
#include "isa/ctm/launch.h"

#include "isa/ctm/effects.h"
#include "lane/lane.h"

#include <stdio.h>
#include <string.h>

/* What a program uses, by its notes and by its instructions. */
struct used {
    struct ctm_set inputs, outputs, floats, ints, bools;
};

static void all_floats(struct used *u)
{
    for (unsigned i = 0; i < 4; i++)
        u->floats.bits[i] = UINT64_MAX;
}

static void alu_uses(struct used *u, const struct ctm_program *program, const struct ctm_inst *inst)
{
    static const struct ctm_set nothing;
    for (unsigned i = 0; i < CTM_READS; i++) {
        struct ctm_access source = ctm_source(inst, i / CTM_SLOTS_OF_UNIT, i % CTM_SLOTS_OF_UNIT);
        if (source.place != CTM_PLACE_FLOAT)
            continue;
        ctm_add(&u->floats, source.number);
        /* With aL it may be any: those of the note, or all. */
        if (source.relative && !memcmp(&program->floats, &nothing, sizeof nothing))
            all_floats(u);
    }
    if (ctm_get(inst, CTM_TYPE) != CTM_TYPE_OUTPUT || ctm_uncached(program))
        return;
    if (ctm_get(inst, CTM_RGB_OMASK))
        ctm_add(&u->outputs, ctm_get(inst, CTM_RGB_TARGET));
    if (ctm_get(inst, CTM_ALPHA_OMASK))
        ctm_add(&u->outputs, ctm_get(inst, CTM_ALPHA_TARGET));
}

static void flow_uses(struct used *u, const struct ctm_inst *inst)
{
    unsigned function = ctm_get(inst, CTM_JUMP_FUNC), op = ctm_get(inst, CTM_FC_OP);
    if ((function >> 1 & 0x55) != (function & 0x55)) /* the boolean decides: bit 0 of the index */
        ctm_add(&u->bools, ctm_get(inst, CTM_BOOL_ADDR));
    if (op >= CTM_FC_LOOP && op <= CTM_FC_ENDREP)
        ctm_add(&u->ints, ctm_get(inst, CTM_INT_ADDR));
}

static struct used find_used(const struct ctm_program *program)
{
    struct used u = {program->inputs, program->outputs, program->floats, program->ints, {{0}}};
    for (uint32_t i = 0; i < program->ninsts; i++) {
        const struct ctm_inst *inst = &program->insts[i];
        unsigned type = ctm_get(inst, CTM_TYPE), tex = ctm_get(inst, CTM_TEX_INST);
        if (type == CTM_TYPE_FC)
            flow_uses(&u, inst);
        else if (type != CTM_TYPE_TEX)
            alu_uses(&u, program, inst);
        else if (tex != CTM_TEX_NOP && tex != CTM_TEX_KILL)
            ctm_add(&u.inputs, ctm_get(inst, CTM_TEX_ID));
    }
    if (ctm_uncached(program))
        ctm_add(&u.outputs, 0);
    return u;
}

/* ---- parameters ------------------------------------------------------------------------------------------------- */

struct made {
    struct lane_builder *b;
    struct lane_param *params;
    uint32_t count;
};

static void add(struct made *m, const char *name, int number, const char *type, uint32_t offset, uint32_t size,
                uint32_t count)
{
    char text[16]; /* number -1: state of the units, 0 in an ordinary launch */
    if (number < 0)
        snprintf(text, sizeof text, "%s", name);
    else
        snprintf(text, sizeof text, "%s%d", name, number);
    const char *copy = arena_text(&m->b->module->arena, text, strlen(text));
    m->b->failed |= !copy;
    m->params[m->count++] = (struct lane_param){.name = copy,
                                                .type = type,
                                                .offset = offset,
                                                .size = size * count,
                                                .align = size,
                                                .count = count,
                                                .optional = true,
                                                .usual = number < 0};
}

static void add_set(struct made *m, const struct ctm_set *set, const char *name, unsigned most, const char *type,
                    uint32_t offset, uint32_t size, uint32_t count)
{
    for (unsigned i = 0; i < most; i++)
        if (ctm_has(set, i))
            add(m, name, (int)i, type, offset + i * size * count, size, count);
}

static void add_word(struct lane_builder *b, uint32_t offset, enum lane_word_kind kind)
{
    struct lane_word word = {.offset = offset, .size = 4, .kind = (uint8_t)kind};
    lane_word(b, &word);
}

void ctm_launch_parameters(const struct ctm_program *program, bool wide, struct lane_builder *b)
{
    enum { STATE = 7, MOST = STATE + CTM_INPUTS + CTM_OUTPUTS + CTM_FLOATS + CTM_INTS + CTM_BOOLS };
    struct lane_func *f = b->func;
    struct used u = find_used(program);
    struct made m = {b, arena_array(&b->module->arena, MOST, sizeof *m.params), 0};
    if (!m.params) {
        b->failed = true;
        return;
    }
    add_set(&m, &u.outputs, "out", CTM_OUTPUTS, "surfref", CTM_PARAM_OUTPUTS, 8, 1); /* the first is what -g covers */
    add_set(&m, &u.inputs, "in", CTM_INPUTS, "surfref", CTM_PARAM_INPUTS, 8, 1);
    add_set(&m, &u.floats, "c", CTM_FLOATS, "f32", CTM_PARAM_FLOATS, 4, 4);
    add_set(&m, &u.ints, "i", CTM_INTS, "u8", CTM_PARAM_INTS, 1, 4);
    add_set(&m, &u.bools, "b", CTM_BOOLS, "u32", CTM_PARAM_BOOLS, 4, 1);
    add(&m, "domain", -1, "u32", CTM_PARAM_DOMAIN, 4, 4);
    add(&m, "cond", -1, "surfref", CTM_PARAM_COND, 8, 1);
    add(&m, "cond_val", -1, "f32", CTM_PARAM_COND_VAL, 4, 1);
    add(&m, "cond_test", -1, "u32", CTM_PARAM_COND_TEST, 4, 1);
    add(&m, "cond_loc", -1, "u32", CTM_PARAM_COND_LOC, 4, 1);
    add(&m, "out_mask", -1, "u32", CTM_PARAM_OUT_MASK, 4, 1);
    add(&m, "cond_mask", -1, "u32", CTM_PARAM_COND_MASK, 4, 1);
    f->kparams = m.params;
    f->nkparams = m.count;
    f->param_bytes = CTM_PARAM_BYTES;
    f->param_space = CTM_PARAM_SPACE;
    f->required_block[0] = wide ? CTM_WIDE_X : CTM_BLOCK_X;
    f->required_block[1] = wide ? CTM_WIDE_Y : CTM_BLOCK_Y;
    f->required_block[2] = 1;
    f->thread_grid = true;
    add_word(b, CTM_PARAM_GRID_X, LANE_WORD_THREADS_X);
    add_word(b, CTM_PARAM_GRID_Y, LANE_WORD_THREADS_Y);
}

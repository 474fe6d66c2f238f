/* Fields of instructions, and what the program information says. */
#include "isa/ctm/ctm.h"

#include <assert.h>

const struct ctm_field_row ctm_fields[CTM_FIELDS] = {
#define CTM_FIELD(name, word, high, low) {#name, word, high, low},
#include "isa/ctm/fields.inc"
#undef CTM_FIELD
};

static uint32_t ones(const struct ctm_field_row *f)
{
    return UINT32_MAX >> (31 - f->high + f->low);
}

uint32_t ctm_get(const struct ctm_inst *inst, enum ctm_field field)
{
    const struct ctm_field_row *f = &ctm_fields[field];
    assert(field < CTM_FIELDS);
    return inst->word[f->word] >> f->low & ones(f);
}

void ctm_set(struct ctm_inst *inst, enum ctm_field field, uint32_t value)
{
    const struct ctm_field_row *f = &ctm_fields[field];
    assert(field < CTM_FIELDS);
    uint32_t mask = ones(f) << f->low;
    inst->word[f->word] = (inst->word[f->word] & ~mask) | (value << f->low & mask);
}

/* Registers of R5xx: docs/ctm.md, "Program information". */

bool ctm_zero_times(const struct ctm_program *program)
{
    return program->info[CTM_INFO_US_CONFIG] >> 1 & 1;
}

bool ctm_full_flow(const struct ctm_program *program)
{
    return program->info[CTM_INFO_US_FC_CTRL] >> 31;
}

bool ctm_uncached(const struct ctm_program *program)
{
    return program->info[CTM_INFO_UMRT] & 1;
}

bool ctm_own_cond(const struct ctm_program *program)
{
    return program->condout || (program->info[CTM_INFO_FG_DEPTH_SRC] & 1);
}

uint32_t ctm_start(const struct ctm_program *program)
{
    return program->info[CTM_INFO_US_CODE_ADDR] & 0x1ff;
}

uint32_t ctm_end(const struct ctm_program *program)
{
    return program->info[CTM_INFO_US_CODE_ADDR] >> 16 & 0x1ff;
}

/* What follows from the code of a program: registers in use, its notes and program information (docs/ctm.md, "Program
 * information"). A text or a loader that has no other word of them takes these. */
#include "isa/ctm/effects.h"
#include "isa/ctm/text.h"

#include <string.h>

/* ---- what an instruction touches -------------------------------------------------------------------------- */

void ctm_uses(const struct ctm_inst *inst, struct ctm_uses *uses)
{
    struct ctm_effects effects;
    ctm_effects(inst, &effects);
    for (unsigned i = 0; i < CTM_READS; i++) {
        const struct ctm_access *read = &effects.reads[i];
        if (!read->channels || read->place == CTM_PLACE_INLINE)
            continue;
        bool constant = read->place == CTM_PLACE_FLOAT;
        ctm_add(constant ? &uses->floats : &uses->temps_read, read->number);
        *(constant ? &uses->floats_indexed : &uses->temps_indexed) |= read->relative;
    }
    for (unsigned i = 0; i < CTM_UNITS; i++)
        if (effects.writes[i].channels) {
            ctm_add(&uses->temps_written, effects.writes[i].number);
            uses->temps_indexed |= effects.writes[i].relative;
        }
}

/* ---- what a program needs --------------------------------------------------------------------------------- */

enum { PARTIAL_DEPTH = 6 /* of branches in partial flow control (guide p.38) */ };

/* Whether the code needs full flow control: loops, subroutines, branches that nest deeper than partial has them. */
static bool needs_full(const struct ctm_program *program)
{
    unsigned depth = 0;
    for (uint32_t i = 0; i < program->ninsts; i++) {
        const struct ctm_inst *inst = &program->insts[i];
        if (ctm_get(inst, CTM_TYPE) != CTM_TYPE_FC)
            continue;
        if (ctm_get(inst, CTM_FC_OP) != CTM_FC_JUMP || ctm_get(inst, CTM_A_OP) != CTM_A_NONE)
            return true;
        unsigned pop = ctm_get(inst, CTM_B_POP_CNT);
        if (ctm_get(inst, CTM_B_OP0) == CTM_B_INCR)
            depth++;
        else if (ctm_get(inst, CTM_B_OP0) == CTM_B_DECR)
            depth -= pop < depth ? pop : depth;
        if (depth > PARTIAL_DEPTH)
            return true;
    }
    return false;
}

static void note_tex(const struct ctm_inst *inst, struct ctm_program *program)
{
    if (ctm_is_lookup(inst))
        ctm_add(&program->inputs, ctm_get(inst, CTM_TEX_ID));
}

static void note_alu(const struct ctm_inst *inst, bool uncached, struct ctm_program *program)
{
    if (ctm_get(inst, CTM_TYPE) != CTM_TYPE_OUTPUT)
        return;
    program->condout |= ctm_get(inst, CTM_W_OMASK);
    for (unsigned u = 0; u < CTM_UNITS; u++)
        if (ctm_get(inst, ctm_units[u].omask))
            ctm_add(&program->outputs, uncached ? 0 : ctm_get(inst, ctm_units[u].target));
}

static void note_flow(const struct ctm_inst *inst, struct ctm_program *program)
{
    unsigned op = ctm_get(inst, CTM_FC_OP);
    if (op >= CTM_FC_LOOP && op <= CTM_FC_ENDREP)
        ctm_add(&program->ints, ctm_get(inst, CTM_INT_ADDR));
}

/* The highest temporary; real programs never say 0. */
static uint32_t frame_of(const struct ctm_uses *uses)
{
    unsigned last = 1;
    for (unsigned i = 0; i < CTM_TEMPS; i++)
        if (ctm_has(&uses->temps_read, i) || ctm_has(&uses->temps_written, i))
            last = i > last ? i : last;
    return uses->temps_indexed ? CTM_TEMPS - 1 : last;
}

void ctm_derive(struct ctm_program *program)
{
    struct ctm_uses uses = {0};
    bool uncached = ctm_uncached(program);
    memset(program->info, 0, sizeof program->info);
    program->inputs = program->outputs = program->floats = program->ints = (struct ctm_set){{0}};
    program->condout = program->early_exit = false;
    for (uint32_t i = 0; i < program->ninsts; i++) {
        const struct ctm_inst *inst = &program->insts[i];
        unsigned type = ctm_get(inst, CTM_TYPE);
        ctm_uses(inst, &uses);
        if (type == CTM_TYPE_TEX)
            note_tex(inst, program);
        else if (type == CTM_TYPE_FC)
            note_flow(inst, program);
        else
            note_alu(inst, uncached, program);
        program->early_exit |= ctm_get(inst, CTM_LAST) && i + 1 < program->ninsts;
    }
    program->floats = uses.floats;
    if (uses.floats_indexed)
        memset(&program->floats, 0xff, sizeof program->floats);
    uint32_t last = program->ninsts ? program->ninsts - 1 : 0;
    program->info[CTM_INFO_ONE] = 1;
    program->info[CTM_INFO_FG_DEPTH_SRC] = program->condout;
    program->info[CTM_INFO_US_PIXSIZE] = frame_of(&uses);
    program->info[CTM_INFO_US_FC_CTRL] = (uint32_t)needs_full(program) << 31;
    program->info[CTM_INFO_US_CODE_ADDR] = program->info[CTM_INFO_US_CODE_RANGE] = last << 16;
    program->info[CTM_INFO_UMRT] = uncached;
}

/* What follows from the code of a program: registers in use, its notes and program information (docs/ctm.md, "Program
 * information"). A text or a loader that has no other word of them takes these. */
#include "isa/ctm/rows.h"
#include "isa/ctm/text.h"

#include <string.h>

/* ---- what an instruction touches -------------------------------------------------------------------------- */

static void use_address(unsigned address, struct ctm_uses *uses)
{
    bool relative = address & CTM_ADDRESS_REL;
    if (address & CTM_ADDRESS_CONST) {
        ctm_add(&uses->floats, address & 255u);
        uses->floats_indexed |= relative;
    } else if (!(address & CTM_ADDRESS_INLINE)) {
        ctm_add(&uses->temps_read, address & 127u);
        uses->temps_indexed |= relative;
    }
}

/* A channel that an operand selects. */
static void use_channel(const struct ctm_inst *inst, unsigned sel, unsigned letter, struct ctm_uses *uses)
{
    unsigned unit = letter == CTM_SWIZ_A ? CTM_ALPHA : CTM_RGB;
    if (letter > CTM_SWIZ_A)
        return;
    use_address(ctm_address(inst, unit, sel == CTM_SEL_SRCP ? 0 : sel), uses);
    unsigned op = ctm_get(inst, ctm_units[unit].srcp);
    if (sel == CTM_SEL_SRCP && (op == CTM_SRCP_SUB || op == CTM_SRCP_ADD))
        use_address(ctm_address(inst, unit, 1), uses);
}

static void use_operand(const struct ctm_inst *inst, unsigned unit, unsigned arg, unsigned channels,
                        struct ctm_uses *uses)
{
    const struct ctm_unit *f = &ctm_units[unit];
    for (unsigned c = 0; c < CTM_CHANNELS; c++)
        if (f->channels >> c & channels >> c & 1)
            use_channel(inst, ctm_get(inst, f->sel[arg]), ctm_get(inst, f->swizzle[arg][c]), uses);
}

/* Channels of results that a unit's part of the word keeps. */
static unsigned kept(const struct ctm_inst *inst, unsigned unit)
{
    const struct ctm_unit *f = &ctm_units[unit];
    unsigned mask = (ctm_get(inst, f->wmask) | ctm_get(inst, f->omask)) << (unit == CTM_RGB ? 0 : 3);
    if (unit == CTM_ALPHA && ctm_get(inst, CTM_W_OMASK) && ctm_get(inst, CTM_TYPE) == CTM_TYPE_OUTPUT)
        mask |= 8;
    if (ctm_get(inst, CTM_ALU_WMASK) && ctm_get(inst, CTM_ALU_RESULT_SEL) == unit)
        mask |= unit == CTM_RGB ? 1 : 8;
    return mask;
}

static void use_quad(const struct ctm_inst *inst, unsigned unit, unsigned channels, struct ctm_uses *uses)
{
    for (unsigned u = 0; u < CTM_UNITS; u++) /* A and C are src0, whatever they select */
        if (channels & ctm_units[u].channels)
            use_address(ctm_address(inst, u, 0), uses);
    use_operand(inst, unit, 1, channels, uses);
}

/* Operands of the unit's operation, for the channels of its results that somebody keeps. */
static void use_unit(const struct ctm_inst *inst, unsigned unit, unsigned channels, struct ctm_uses *uses)
{
    const struct ctm_unit *f = &ctm_units[unit];
    unsigned op = ctm_get(inst, f->op);
    bool rgb = unit == CTM_RGB;
    if (!channels)
        return;
    if (op == (rgb ? (unsigned)CTM_RGB_MDH : CTM_ALPHA_MDH) || op == (rgb ? (unsigned)CTM_RGB_MDV : CTM_ALPHA_MDV)) {
        use_quad(inst, unit, channels, uses);
        return;
    }
    for (unsigned i = 0; i < f->ops[op].args; i++) {
        unsigned of = channels;
        if (rgb && (op == CTM_RGB_DP3 || op == CTM_RGB_DP4))
            of = 7;
        if (rgb && op == CTM_RGB_D2A)
            of = i == 2 ? 4 : 3;
        use_operand(inst, unit, i, of, uses);
    }
    for (unsigned i = 0; rgb && op == CTM_RGB_DP4 && i < 2; i++)
        use_operand(inst, CTM_ALPHA, i, 8, uses);
}

static void use_alu(const struct ctm_inst *inst, struct ctm_uses *uses)
{
    unsigned rgb = kept(inst, CTM_RGB), alpha = kept(inst, CTM_ALPHA);
    if (ctm_get(inst, CTM_ALPHA_OP) == CTM_ALPHA_DP && alpha)
        rgb |= 1;
    if (ctm_get(inst, CTM_RGB_OP) == CTM_RGB_SOP && rgb)
        alpha |= 8;
    use_unit(inst, CTM_RGB, rgb, uses);
    use_unit(inst, CTM_ALPHA, alpha, uses);
    for (unsigned u = 0; u < CTM_UNITS; u++)
        if (ctm_get(inst, ctm_units[u].wmask)) {
            ctm_add(&uses->temps_written, ctm_get(inst, ctm_units[u].addrd));
            uses->temps_indexed |= ctm_get(inst, ctm_units[u].addrd_rel);
        }
}

static void use_tex(const struct ctm_inst *inst, struct ctm_uses *uses)
{
    static const enum ctm_field sources[3][2] = {
        {CTM_SRC_ADDR, CTM_SRC_ADDR_REL}, {CTM_DX_ADDR, CTM_DX_ADDR_REL}, {CTM_DY_ADDR, CTM_DY_ADDR_REL}};
    unsigned op = ctm_get(inst, CTM_TEX_INST);
    for (unsigned i = 0; i < ctm_tex_ops[op].args; i++) {
        ctm_add(&uses->temps_read, ctm_get(inst, sources[i][0]));
        uses->temps_indexed |= ctm_get(inst, sources[i][1]);
    }
    if (op != CTM_TEX_NOP && op != CTM_TEX_KILL && ctm_get(inst, CTM_RGB_WMASK) | ctm_get(inst, CTM_ALPHA_WMASK)) {
        ctm_add(&uses->temps_written, ctm_get(inst, CTM_DST_ADDR));
        uses->temps_indexed |= ctm_get(inst, CTM_DST_ADDR_REL);
    }
}

void ctm_uses(const struct ctm_inst *inst, struct ctm_uses *uses)
{
    switch ((enum ctm_type)ctm_get(inst, CTM_TYPE)) {
    case CTM_TYPE_ALU:
    case CTM_TYPE_OUTPUT:
        use_alu(inst, uses);
        break;
    case CTM_TYPE_TEX:
        use_tex(inst, uses);
        break;
    case CTM_TYPE_FC:
        break;
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
    unsigned op = ctm_get(inst, CTM_TEX_INST);
    if (op != CTM_TEX_NOP && op != CTM_TEX_KILL)
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

/* What instructions read and write, and where control goes from them. Sources: docs/ctm.md, "The ALU", "Flow control".
 */
#include "isa/ctm/effects.h"

#include <string.h>

/* ---- sources ---------------------------------------------------------------------------------------------- */

struct ctm_access ctm_source(const struct ctm_inst *inst, unsigned unit, unsigned slot)
{
    unsigned address = ctm_address(inst, unit, slot);
    bool constant = address & CTM_ADDRESS_CONST, small = !constant && (address & CTM_ADDRESS_INLINE);
    return (struct ctm_access){.place = constant ? CTM_PLACE_FLOAT
                                        : small  ? CTM_PLACE_INLINE
                                                 : CTM_PLACE_TEMP,
                               .number = (uint8_t)(address & (constant ? CTM_FLOATS - 1 : CTM_TEMPS - 1)),
                               .relative = address & CTM_ADDRESS_REL};
}

static void source_read(struct ctm_effects *e, unsigned unit, unsigned slot, uint8_t channels, bool early)
{
    struct ctm_access *read = &e->reads[unit * CTM_SLOTS_OF_UNIT + slot];
    read->channels |= channels;
    read->early |= early ? channels : 0;
}

/* A channel of what an operand selects. Channel A comes from the sources of alpha, the others from those of RGB. */
static void letter_read(const struct ctm_inst *inst, struct ctm_effects *e, uint32_t select, uint32_t letter)
{
    unsigned unit = letter == CTM_SWIZ_A ? CTM_ALPHA : CTM_RGB;
    uint8_t channel = (uint8_t)(1u << letter);
    e->unused_swizzle |= letter == CTM_SWIZ_UNUSED;
    if (letter > CTM_SWIZ_A)
        return;
    if (select != CTM_SEL_SRCP) {
        source_read(e, unit, select, channel, false);
        return;
    }
    uint32_t op = ctm_get(inst, ctm_units[unit].srcp);
    source_read(e, unit, 0, channel, true);
    if (op == CTM_SRCP_SUB || op == CTM_SRCP_ADD)
        source_read(e, unit, 1, channel, true);
}

static void operand_read(const struct ctm_inst *inst, struct ctm_effects *e, unsigned unit, unsigned arg,
                         uint8_t channels)
{
    const struct ctm_unit *u = &ctm_units[unit];
    for (unsigned c = 0; c < CTM_CHANNELS; c++)
        if (channels >> c & 1)
            letter_read(inst, e, ctm_get(inst, u->sel[arg]), ctm_get(inst, u->swizzle[arg][c]));
}

/* ---- units ------------------------------------------------------------------------------------------------ */

enum { RED = 1, GREEN = 2, BLUE = 4, ALPHA = 8, COLORS = 7 };

static void rgb_read(const struct ctm_inst *inst, struct ctm_effects *e)
{
    uint32_t op = ctm_get(inst, CTM_RGB_OP);
    switch (op) {
    case CTM_RGB_DP3:
    case CTM_RGB_DP4:
        for (unsigned arg = 0; arg < 2; arg++) {
            operand_read(inst, e, CTM_RGB, arg, COLORS);
            if (op == CTM_RGB_DP4)
                operand_read(inst, e, CTM_ALPHA, arg, ALPHA);
        }
        break;
    case CTM_RGB_D2A:
        operand_read(inst, e, CTM_RGB, 0, RED | GREEN);
        operand_read(inst, e, CTM_RGB, 1, RED | GREEN);
        operand_read(inst, e, CTM_RGB, 2, BLUE);
        break;
    case CTM_RGB_MDH:
    case CTM_RGB_MDV:
        source_read(e, CTM_RGB, 0, e->kept[CTM_RGB], true);
        operand_read(inst, e, CTM_RGB, 1, e->kept[CTM_RGB]);
        break;
    default:
        for (unsigned arg = 0; arg < ctm_rgb_ops[op].args; arg++)
            operand_read(inst, e, CTM_RGB, arg, e->kept[CTM_RGB]);
    }
}

static void alpha_read(const struct ctm_inst *inst, struct ctm_effects *e)
{
    uint32_t op = ctm_get(inst, CTM_ALPHA_OP);
    if (op == CTM_ALPHA_MDH || op == CTM_ALPHA_MDV) {
        source_read(e, CTM_ALPHA, 0, ALPHA, true);
        operand_read(inst, e, CTM_ALPHA, 1, ALPHA);
        return;
    }
    for (unsigned arg = 0; arg < ctm_alpha_ops[op].args; arg++)
        operand_read(inst, e, CTM_ALPHA, arg, ALPHA);
}

static void alu_effects(const struct ctm_inst *inst, struct ctm_effects *e)
{
    for (unsigned i = 0; i < CTM_READS; i++)
        e->reads[i] = ctm_source(inst, i / CTM_SLOTS_OF_UNIT, i % CTM_SLOTS_OF_UNIT);
    uint8_t alpha = ctm_get(inst, CTM_ALPHA_WMASK) ? ALPHA : 0;
    bool alu_result = ctm_get(inst, CTM_ALU_WMASK), of_alpha = ctm_get(inst, CTM_ALU_RESULT_SEL);
    uint32_t rgb = ctm_get(inst, CTM_RGB_WMASK) | ctm_get(inst, CTM_RGB_OMASK);
    e->kept[CTM_RGB] = (uint8_t)(rgb | (alu_result && !of_alpha ? RED : 0u));
    bool cond = ctm_get(inst, CTM_TYPE) == CTM_TYPE_OUTPUT && ctm_get(inst, CTM_W_OMASK);
    if (alpha || ctm_get(inst, CTM_ALPHA_OMASK) || cond || (alu_result && of_alpha))
        e->kept[CTM_ALPHA] = ALPHA;
    /* A unit that copies the other's result needs it. */
    if (e->kept[CTM_RGB] && ctm_get(inst, CTM_RGB_OP) == CTM_RGB_SOP)
        e->kept[CTM_ALPHA] = ALPHA;
    if (e->kept[CTM_ALPHA] && !e->kept[CTM_RGB] && ctm_get(inst, CTM_ALPHA_OP) == CTM_ALPHA_DP)
        e->kept[CTM_RGB] = RED;
    if (e->kept[CTM_RGB])
        rgb_read(inst, e);
    if (e->kept[CTM_ALPHA])
        alpha_read(inst, e);
    for (unsigned unit = 0; unit < CTM_UNITS; unit++)
        e->writes[unit] = (struct ctm_access){
            .number = (uint8_t)ctm_get(inst, ctm_units[unit].addrd),
            .relative = ctm_get(inst, ctm_units[unit].addrd_rel),
            .channels = unit == CTM_RGB ? (uint8_t)ctm_get(inst, CTM_RGB_WMASK) : alpha,
        };
}

/* ---- lookups ---------------------------------------------------------------------------------------------- */

bool ctm_asks_quad(const struct ctm_inst *inst)
{
    unsigned rgb = ctm_get(inst, CTM_RGB_OP), alpha = ctm_get(inst, CTM_ALPHA_OP);
    return ctm_get(inst, CTM_TYPE) <= CTM_TYPE_OUTPUT &&
           (rgb == CTM_RGB_MDH || rgb == CTM_RGB_MDV || alpha == CTM_ALPHA_MDH || alpha == CTM_ALPHA_MDV);
}

bool ctm_is_lookup(const struct ctm_inst *inst)
{
    uint32_t op = ctm_get(inst, CTM_TEX_INST);
    return ctm_get(inst, CTM_TYPE) == CTM_TYPE_TEX && op != CTM_TEX_NOP && op != CTM_TEX_KILL;
}

static uint8_t letter(const struct ctm_inst *inst, enum ctm_field swizzle)
{
    return (uint8_t)(1u << ctm_get(inst, swizzle));
}

static struct ctm_access tex_read(const struct ctm_inst *inst, enum ctm_field addr, enum ctm_field rel,
                                  uint8_t channels)
{
    return (struct ctm_access){
        .number = (uint8_t)ctm_get(inst, addr), .relative = ctm_get(inst, rel), .channels = channels};
}

static void tex_effects(const struct ctm_inst *inst, struct ctm_effects *e)
{
    uint32_t op = ctm_get(inst, CTM_TEX_INST);
    uint8_t masks = (uint8_t)(ctm_get(inst, CTM_RGB_WMASK) | ctm_get(inst, CTM_ALPHA_WMASK) << 3);
    uint8_t place = letter(inst, CTM_SRC_S_SWIZ) | letter(inst, CTM_SRC_T_SWIZ);
    if (op == CTM_TEX_PROJ)
        place |= letter(inst, CTM_SRC_Q_SWIZ);
    if (op != CTM_TEX_NOP)
        e->reads[0] = tex_read(inst, CTM_SRC_ADDR, CTM_SRC_ADDR_REL, op == CTM_TEX_KILL ? masks : place);
    if (op == CTM_TEX_DXDY) {
        e->reads[1] =
            tex_read(inst, CTM_DX_ADDR, CTM_DX_ADDR_REL, letter(inst, CTM_DX_S_SWIZ) | letter(inst, CTM_DX_T_SWIZ));
        e->reads[2] =
            tex_read(inst, CTM_DY_ADDR, CTM_DY_ADDR_REL, letter(inst, CTM_DY_S_SWIZ) | letter(inst, CTM_DY_T_SWIZ));
    }
    if (ctm_is_lookup(inst))
        e->writes[0] = tex_read(inst, CTM_DST_ADDR, CTM_DST_ADDR_REL, masks);
}

void ctm_effects(const struct ctm_inst *inst, struct ctm_effects *effects)
{
    *effects = (struct ctm_effects){0};
    switch ((enum ctm_type)ctm_get(inst, CTM_TYPE)) {
    case CTM_TYPE_ALU:
    case CTM_TYPE_OUTPUT:
        alu_effects(inst, effects);
        break;
    case CTM_TYPE_TEX:
        tex_effects(inst, effects);
        break;
    case CTM_TYPE_FC:
        break;
    }
}

bool ctm_adds_al(const struct ctm_inst *inst, bool temps)
{
    struct ctm_effects e;
    bool found = false;
    ctm_effects(inst, &e);
    for (unsigned i = 0; i < CTM_READS; i++)
        found |= e.reads[i].relative && (!temps || e.reads[i].place == CTM_PLACE_TEMP);
    for (unsigned i = 0; i < CTM_UNITS; i++)
        found |= e.writes[i].relative;
    return found;
}

/* ---- flow control ----------------------------------------------------------------------------------------- */

/* JUMP_FUNC has a bit for each of (alu_result << 2 | predicate << 1 | boolean): guide p.40. */
static bool asks(const struct ctm_inst *inst, unsigned shift, uint32_t low)
{
    uint32_t func = ctm_get(inst, CTM_JUMP_FUNC);
    return ((func >> shift ^ func) & low) != 0;
}

bool ctm_asks_alu_result(const struct ctm_inst *inst)
{
    return asks(inst, 4, 0x0f);
}

bool ctm_asks_predicate(const struct ctm_inst *inst)
{
    return asks(inst, 2, 0x33);
}

static void way_add(const struct ctm_program *program, struct ctm_ways *ways, uint32_t to)
{
    if (to < program->ninsts && (!ways->count || ways->next[0] != to))
        ways->next[ways->count++] = to;
}

void ctm_ways(const struct ctm_program *program, uint32_t at, struct ctm_ways *ways)
{
    const struct ctm_inst *inst = &program->insts[at];
    *ways = (struct ctm_ways){0};
    if (at == ctm_end(program))
        return;
    if (ctm_get(inst, CTM_TYPE) != CTM_TYPE_FC) {
        way_add(program, ways, at + 1);
        return;
    }
    uint32_t func = ctm_get(inst, CTM_JUMP_FUNC), op = ctm_get(inst, CTM_FC_OP);
    bool any = ctm_get(inst, CTM_JUMP_ANY), otherwise = ctm_get(inst, CTM_B_ELSE);
    bool stays = func != 0xff, jumps = func != 0;
    if (otherwise) { /* it becomes inactive: all of none want to jump, any of none does not */
        stays = any;
        jumps = !any;
    }
    if (op >= CTM_FC_LOOP && op <= CTM_FC_ENDREP) /* counts decide, too */
        stays = jumps = true;
    if (stays)
        way_add(program, ways, at + 1);
    if (jumps && ctm_get(inst, CTM_A_OP) == CTM_A_POP)
        ways->returns = true;
    else if (jumps)
        way_add(program, ways, ctm_get(inst, CTM_JUMP_ADDR));
}

/* TEX instructions of CTM's text: r4 = TEXLD(s0, r1.rgrg).bgra, KILL_LT_0(r1.rg), TEX_INST_NOP acquire. */
#include "isa/ctm/parse.h"

static const enum ctm_field swizzles[4][CTM_CHANNELS] = {
    {CTM_SRC_S_SWIZ, CTM_SRC_T_SWIZ, CTM_SRC_R_SWIZ, CTM_SRC_Q_SWIZ},
    {CTM_DX_S_SWIZ, CTM_DX_T_SWIZ, CTM_DX_R_SWIZ, CTM_DX_Q_SWIZ},
    {CTM_DY_S_SWIZ, CTM_DY_T_SWIZ, CTM_DY_R_SWIZ, CTM_DY_Q_SWIZ},
    {CTM_DST_R_SWIZ, CTM_DST_G_SWIZ, CTM_DST_B_SWIZ, CTM_DST_A_SWIZ},
};
static const enum ctm_field addresses[3][2] = {
    {CTM_SRC_ADDR, CTM_SRC_ADDR_REL}, {CTM_DX_ADDR, CTM_DX_ADDR_REL}, {CTM_DY_ADDR, CTM_DY_ADDR_REL}};

/* .rgba: one letter is all four; nothing: rgba. */
static bool parse_swizzle(struct ctm_parser *p, const enum ctm_field fields[CTM_CHANNELS], struct ctm_inst *inst)
{
    uint8_t letter[CTM_CHANNELS] = {CTM_SWIZ_R, CTM_SWIZ_G, CTM_SWIZ_B, CTM_SWIZ_A};
    unsigned count = 0;
    if (p->at < p->end && *p->at == '.') {
        p->at++;
        count = ctm_parse_letters(p, letter, "rgba");
        if (count != 1 && count != CTM_CHANNELS)
            return ctm_wanted(p, "a swizzle of 1 or 4 letters out of r g b a");
    }
    for (unsigned c = 0; c < CTM_CHANNELS; c++)
        ctm_set(inst, fields[c], letter[count == 1 ? 0 : c]);
    return true;
}

static bool parse_source(struct ctm_parser *p, unsigned which, struct ctm_inst *inst)
{
    uint16_t address;
    if (!ctm_parse_temp(p, &address))
        return false;
    ctm_set(inst, addresses[which][0], address & 127u);
    ctm_set(inst, addresses[which][1], (unsigned)address >> 7);
    return parse_swizzle(p, swizzles[which], inst);
}

static bool parse_input(struct ctm_parser *p, struct ctm_inst *inst)
{
    uint32_t input;
    ctm_blanks(p);
    if (p->at == p->end || (*p->at | 0x20) != 's')
        return ctm_wanted(p, "an input s0 to s15");
    p->at++;
    if (!ctm_number(p, CTM_INPUTS - 1, "an input s0 to s15", &input))
        return false;
    ctm_set(inst, CTM_TEX_ID, input);
    return ctm_byte(p, ',') || ctm_wanted(p, "','");
}

static bool set_destination(struct ctm_parser *p, const struct ctm_part *dest, struct ctm_inst *inst)
{
    if (dest->output || dest->cond || dest->alu || dest->omask)
        return ctm_wrong(p, ctm_place(p), 0, "a lookup writes a temporary alone");
    ctm_set(inst, CTM_RGB_WMASK, dest->wmask & 7u);
    ctm_set(inst, CTM_ALPHA_WMASK, (unsigned)dest->wmask >> 3);
    ctm_set(inst, CTM_DST_ADDR, dest->addrd & 127u);
    ctm_set(inst, CTM_DST_ADDR_REL, (unsigned)dest->addrd >> 7);
    return true;
}

/* (s0, r1.rgba, dx, dy).rgba */
static bool parse_lookup(struct ctm_parser *p, struct ctm_inst *inst)
{
    if (!ctm_byte(p, '('))
        return ctm_wanted(p, "'('");
    if (!parse_input(p, inst) || !parse_source(p, 0, inst))
        return false;
    if (ctm_byte(p, ',')) {
        if (!parse_source(p, 1, inst))
            return false;
        if (!ctm_byte(p, ','))
            return ctm_wanted(p, "',' and the other derivative");
        if (!parse_source(p, 2, inst))
            return false;
    }
    if (!ctm_byte(p, ')'))
        return ctm_wanted(p, "',' or ')'");
    return parse_swizzle(p, swizzles[3], inst);
}

/* KILL_LT_0(r1.rg): the channels are those that are looked at. */
static bool parse_kill(struct ctm_parser *p, struct ctm_inst *inst)
{
    uint16_t address;
    uint8_t mask;
    if (!ctm_byte(p, '('))
        return ctm_wanted(p, "'('");
    if (!ctm_parse_temp(p, &address) || !ctm_parse_mask(p, &mask))
        return false;
    ctm_set(inst, CTM_SRC_ADDR, address & 127u);
    ctm_set(inst, CTM_SRC_ADDR_REL, (unsigned)address >> 7);
    ctm_set(inst, CTM_RGB_WMASK, mask & 7u);
    ctm_set(inst, CTM_ALPHA_WMASK, (unsigned)mask >> 3);
    for (unsigned c = 0; c < CTM_CHANNELS; c++) {
        ctm_set(inst, swizzles[0][c], c);
        ctm_set(inst, swizzles[3][c], c);
    }
    return ctm_byte(p, ')') || ctm_wanted(p, "')'");
}

bool ctm_parse_tex(struct ctm_parser *p, unsigned op, const struct ctm_part *dest, struct ctm_line *line)
{
    struct ctm_inst *inst = &line->inst;
    ctm_set(inst, CTM_TEX_INST, op);
    if (dest)
        return set_destination(p, dest, inst) && parse_lookup(p, inst);
    if (op == CTM_TEX_KILL)
        return parse_kill(p, inst);
    if (op == CTM_TEX_NOP)
        return true;
    return ctm_wrong(p, ctm_place(p), 0, "%s wants a destination: r0 = %s(s0, r1)", ctm_tex_ops[op].name,
                     ctm_tex_ops[op].name);
}

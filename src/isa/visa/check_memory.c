/* Messages of vISA to memory and others, jumps. Source: docs/visa.md, "Verdicts". */
#include "isa/visa/atomics.h"
#include "isa/visa/check_inner.h"

static void no_address(struct visa_checker *c, const char *role)
{
    const struct visa_operand *op = visa_role(c, role);
    if (op && (op->class == VISA_ADDRESS || op->class == VISA_PREDICATE))
        visa_refuse(c, op, "operand-kind", "'%s' takes a register operand or a number as %s", visa_op_name(c), role);
}
static void want_value(struct visa_checker *c, const char *role)
{
    const struct visa_operand *op = visa_role(c, role);
    if (op && !visa_is_value(op))
        visa_refuse(c, op, "operand-kind", "'%s' takes a register operand or a number as %s", visa_op_name(c), role);
}

/* Of predefined surfaces only that is refused which stands in `without`, a set. */
static void check_surface(struct visa_checker *c, uint32_t without)
{
    const struct visa_operand *op = visa_role(c, "surface");
    if (op->class != VISA_SURFACE)
        return;
    if (op->id < VISA_FIRST_T && without >> op->id & 1)
        visa_refuse(c, op, "surface", "'%s' does not go to %s", visa_op_name(c), visa_predefined_surfaces[op->id]);
    else if (op->id >= VISA_FIRST_T + c->object->nvars[VISA_T])
        visa_refuse(c, op, "surface", "surface %u is not declared", op->id);
}

/* ---- blocks ----------------------------------------------------------------------------------------------- */

/* Rows that fit into one message, by the bytes of a row. */
static unsigned most_rows(unsigned width)
{
    unsigned rows = 64;
    for (unsigned limit = 4; limit < width; limit *= 2)
        rows /= 2;
    return rows;
}

void visa_check_media(struct visa_checker *c)
{
    unsigned width = (unsigned)visa_role_value(c, "width"), height = (unsigned)visa_role_value(c, "height");
    unsigned modifier = (unsigned)visa_role_value(c, "modifier"), plane = (unsigned)visa_role_value(c, "plane");
    bool load = c->inst->row == &visa_rows[VISA_ROW_media_ld];
    if (modifier >= (load ? 6u : 4u))
        visa_refuse(c, NULL, "media-modifier", "'%s' has the modifier %u: wanted 0 to %u", visa_op_name(c), modifier,
                    load ? 5 : 3);
    check_surface(c, 1u << VISA_SLM);
    if (plane > 3)
        visa_refuse(c, NULL, "media-plane", "plane %u: wanted 0 to 3", plane);
    if (width < 1 || width > 64 || height < 1 || height > 64)
        visa_refuse(c, NULL, "block-size", "a block of %u x %u: wanted 1 to 64 bytes and 1 to 64 rows", width, height);
    else if (height > most_rows(width) || width * height > 256)
        visa_refuse(c, NULL, "block-size", "a block of %u x %u: wanted at most %u rows of %u bytes, and 256 bytes",
                    width, height, most_rows(width), width);
    no_address(c, "x");
    no_address(c, "y");
}

void visa_check_oword(struct visa_checker *c)
{
    unsigned size = visa_role_value(c, "size") & 7;
    if (size > 4)
        visa_refuse(c, NULL, "block-size", "size code %u: wanted 0 to 4, which are 1 to 16 owords", size);
    check_surface(c, visa_lacks(c, VISA_LACKS_SLM_OWORD) ? 1u << VISA_SLM : 0);
    no_address(c, "offset");
}

/* ---- gathers, atomics ------------------------------------------------------------------------------------- */

enum {
    DWORDS = 1 << VISA_UD | 1 << VISA_D | 1 << VISA_F | 1 << VISA_V | 1 << VISA_VF | 1 << VISA_UV,
    WHOLE = 1 << VISA_UD | 1 << VISA_D,
};

void visa_check_gather(struct visa_checker *c)
{
    bool load = c->inst->row == &visa_rows[VISA_ROW_gather];
    if ((visa_role_value(c, "size") & 3) == 3)
        visa_refuse(c, NULL, "element-size", "element size code 3: wanted 0 to 2, which are 1, 2 and 4 bytes");
    check_surface(c, 0);
    no_address(c, "global");
    visa_check_raw_type(c, visa_role(c, load ? "dst" : "src"), DWORDS);
}

void visa_check_typed(struct visa_checker *c)
{
    if (!(visa_role_value(c, "channels") & 15))
        visa_refuse(c, NULL, "channels", "'%s' wants one of the channels RGBA at least", visa_op_name(c));
    check_surface(c, 1u << VISA_SLM | 1u << VISA_SCRATCH);
}

/* The types of an operation of dword_atomic, and how many sources it has. The 16-bit form, bit 5, is none of them for
 * the tool: its operands are unsigned. */
static uint32_t atomic_types(unsigned op, unsigned *sources)
{
    static const uint32_t types[VISA_ATOMIC_KINDS] = {1 << VISA_UD, 1 << VISA_D, 1 << VISA_F};
    const struct visa_atomic *atomic = op < VISA_ATOMICS && visa_atomics[op].name ? &visa_atomics[op] : NULL;
    *sources = atomic ? visa_atomic_sources(atomic) : 1;
    if (!atomic)
        return 1 << VISA_UD;
    bool adds = atomic->data && atomic->kind == VISA_ATOMIC_UNSIGNED &&
                (atomic->lane == LANE_ATOMIC_ADD || atomic->lane == LANE_ATOMIC_SUB);
    return adds ? WHOLE : types[atomic->kind];
}

void visa_check_dword_atomic(struct visa_checker *c)
{
    unsigned op = (unsigned)visa_role_value(c, "op");
    unsigned sources;
    uint32_t types = atomic_types(op, &sources);
    const struct visa_operand *src0 = visa_role(c, "src0"), *src1 = visa_role(c, "src1");
    if (!visa_atomics[op % VISA_ATOMICS].name)
        visa_refuse(c, NULL, "atomic-operation", "operation %u: there is none of this number", op & 31);
    check_surface(c, 0);
    visa_check_raw_type(c, visa_role(c, "offsets"), 1u << VISA_UD);
    if (sources > 0)
        visa_check_raw_type(c, src0, types);
    else if (src0->id != VISA_NULL)
        visa_refuse(c, src0, "operand-null", "this operation has no sources: wanted %%null.0");
    if (sources > 1)
        visa_check_raw_type(c, src1, types);
    else if (src1->id != VISA_NULL)
        visa_refuse(c, src1, "operand-null", "this operation has no second source: wanted %%null.0");
    visa_check_raw_type(c, visa_role(c, "dst"), types);
}

/* ---- samplers --------------------------------------------------------------------------------------------- */

void visa_check_sampler(struct visa_checker *c)
{
    enum { CPS = 2, GROUPS = 1 << 0 | 1 << 1 | 1 << 3 | 1 << 5 | 1 << 9 };
    if (c->inst->row->opcode != 0x6D || !(visa_role_value(c, "flags") & CPS))
        return;
    if (visa_channels(c) != 8 && visa_channels(c) != 16)
        visa_refuse(c, NULL, "exec-size", ".cps has 8 or 16 channels, not %u", visa_channels(c));
    if (c->form->sub > 9 || !(GROUPS >> c->form->sub & 1))
        visa_refuse(c, NULL, "sampler-option", "'%s' has no .cps", visa_op_name(c));
}

/* Those of before the 3D samplers. */
void visa_check_old_sampler(struct visa_checker *c)
{
    unsigned channels = (unsigned)visa_role_value(c, "channels");
    const struct visa_operand *surface = visa_role(c, "surface"), *sampler = visa_role(c, "sampler");
    bool unorm = c->inst->row == &visa_rows[VISA_ROW_sample_unorm];
    if (!(unorm ? channels : channels & 15))
        visa_refuse(c, NULL, "channels", "'%s' wants one of the channels RGBA at least", visa_op_name(c));
    if (sampler && sampler->id >= c->object->nvars[VISA_S])
        visa_refuse(c, sampler, "sampler", "sampler %u is not declared", sampler->id);
    if (surface->class == VISA_SURFACE && !visa_declared(c->object, VISA_T, surface->id))
        visa_refuse(c, surface, "surface", "'%s' wants a declared surface", visa_op_name(c));
    if (!unorm && channels >> 4 > 1)
        visa_refuse(c, NULL, "exec-size", "width code %u: wanted 0 or 1, which are 8 and 16 channels", channels >> 4);
    static const char *const offsets[] = {"u", "v", "du", "dv"};
    for (unsigned i = 0; unorm && i < 4; i++)
        want_value(c, offsets[i]);
}

/* ---- sends ------------------------------------------------------------------------------------------------ */

void visa_check_send(struct visa_checker *c)
{
    unsigned sources = (unsigned)visa_role_value(c, "nsrc"), results = (unsigned)visa_role_value(c, "ndst");
    const struct visa_operand *desc = visa_role(c, "desc");
    if (sources < 1 || sources > 15)
        visa_refuse(c, NULL, "message-size", "%u registers are sent: wanted 1 to 15", sources);
    if (results > 16)
        visa_refuse(c, NULL, "message-size", "%u registers come back: wanted at most 16", results);
    want_value(c, "desc");
    if (desc->class != VISA_IMMEDIATE)
        return;
    unsigned sent = desc->value >> 25 & 15, back = desc->value >> 20 & 31;
    if (sent > sources || back > results)
        visa_refuse(c, desc, "message-size", "the descriptor sends %u and gets %u registers, the instruction %u and %u",
                    sent, back, sources, results);
}

void visa_check_sends(struct visa_checker *c)
{
    unsigned n0 = (unsigned)visa_role_value(c, "n0"), n1 = (unsigned)visa_role_value(c, "n1");
    unsigned results = (unsigned)visa_role_value(c, "ndst");
    if (n0 < 1 || n0 > 32)
        visa_refuse(c, NULL, "message-size", "%u registers are sent first: wanted 1 to 32", n0);
    if (n1 > 32)
        visa_refuse(c, NULL, "message-size", "%u registers are sent second: wanted at most 32", n1);
    if (results > 32)
        visa_refuse(c, NULL, "message-size", "%u registers come back: wanted at most 32", results);
    want_value(c, "desc");
}

void visa_check_urb(struct visa_checker *c)
{
    unsigned count = (unsigned)visa_role_value(c, "count"), global = (unsigned)visa_role_value(c, "global");
    if (count < 1 || count > 8)
        visa_refuse(c, NULL, "message-size", "%u registers are written: wanted 1 to 8", count);
    if (global > 2047)
        visa_refuse(c, NULL, "message-offset", "offset %u: wanted at most 2047", global);
    if (visa_channels(c) != 1 && visa_channels(c) != 8)
        visa_refuse(c, NULL, "exec-size", "urb_write_3d has 1 or 8 channels, not %u", visa_channels(c));
}

void visa_check_dpas(struct visa_checker *c)
{
    enum {
        SMALL = 1 << VISA_HF | 1 << VISA_BF | 1 << VISA_UW | 1 << VISA_W,
        SUM = WHOLE | 1 << VISA_F,
    };
    bool pvc = c->row->grf == VISA_GRF_PVC;
    unsigned channels = pvc ? 16 : 8;
    const struct visa_operand *last = visa_role(c, "c");
    unsigned type = visa_type_of_operand(c->object, last);
    visa_check_raw_type(c, visa_role(c, "dst"), pvc ? SUM | SMALL : SUM);
    visa_check_raw_type(c, visa_role(c, "a"), pvc ? SUM | SMALL : SUM);
    visa_check_raw_type(c, visa_role(c, "b"), WHOLE);
    if (last->modifier)
        visa_refuse(c, last, "modifier", "'%s' has no modifiers", visa_op_name(c));
    if (!visa_type_in(WHOLE, type))
        visa_refuse(c, last, "operand-type", "'%s' takes d and ud here, not %s", visa_op_name(c), visa_type_name(type));
    if (pvc && c->inst->row == &visa_rows[VISA_ROW_dpasw])
        visa_refuse(c, NULL, "platform", "%s has no 'dpasw'", c->row->name);
    if (visa_channels(c) != channels)
        visa_refuse(c, NULL, "exec-size", "'%s' has %u channels on %s, not %u", visa_op_name(c), channels, c->row->name,
                    visa_channels(c));
}

/* ---- jumps ------------------------------------------------------------------------------------------------ */

void visa_check_flow(struct visa_checker *c)
{
    const struct visa_operand *op = visa_role(c, "label");
    if (op->id >= c->object->nvars[VISA_L])
        visa_refuse(c, op, "label", "label %u is not declared", op->id);
    else
        c->labels[op->id] |= VISA_LABEL_USED;
}

void visa_check_label(struct visa_checker *c)
{
    const struct visa_operand *op = visa_role(c, "label");
    if (op->id >= c->object->nvars[VISA_L]) {
        visa_refuse(c, op, "label", "label %u is not declared", op->id);
        return;
    }
    if (c->labels[op->id] & VISA_LABEL_DEFINED)
        visa_refuse(c, op, "label-twice", "label '%s' stands twice", visa_name(c->object, VISA_L, op->id));
    c->labels[op->id] |= VISA_LABEL_DEFINED;
}

void visa_check_switch(struct visa_checker *c)
{
    if (visa_lacks(c, VISA_LACKS_SWITCH))
        visa_refuse(c, NULL, "platform", "%s has no 'switchjmp'", c->row->name);
}

/* Operands of vISA: modifiers, regions, raw offsets, what may be written. Source: docs/visa.md, "Verdicts". */
#include "isa/visa/check_inner.h"

const char *visa_type_name(unsigned type)
{
    return type < VISA_TYPES ? visa_type_names[type] : "none";
}

static bool is_target(const struct visa_checker *c, unsigned index)
{
    return c->rule->targets && index == c->rule->target && !(c->rule->flags & VISA_RULE_NO_TARGET);
}

/* ---- modifiers -------------------------------------------------------------------------------------------- */

static void check_modifier(struct visa_checker *c, const struct visa_operand *op)
{
    bool logic = c->rule->group == VISA_GROUP_LOGIC;
    if (op->modifier == VISA_PLAIN)
        return;
    if (op->class != VISA_GENERAL && op->class != VISA_INDIRECT)
        visa_refuse(c, op, "modifier", "only operands in registers have modifiers");
    if (op->modifier == VISA_NOT && !logic)
        visa_refuse(c, op, "modifier", "(~) is of logic instructions, and '%s' is none", visa_op_name(c));
    if (op->modifier != VISA_NOT && logic && !(c->rule->flags & VISA_RULE_SHIFT))
        visa_refuse(c, op, "modifier", "'%s' has no arithmetic modifiers: (-), (abs), (-abs), .sat", visa_op_name(c));
}

/* ---- regions ---------------------------------------------------------------------------------------------- */

/* Strides and width in elements, -1 = none, and whether the word has them. */
struct region {
    int vertical, width, horizontal, channels;
    bool has_vertical, has_width, has_horizontal;
};

static struct region region_of(const struct visa_checker *c, const struct visa_operand *op, bool target)
{
    unsigned v = op->region & 15, w = op->region >> 4 & 15, h = op->region >> 8 & 15;
    struct region r = {visa_stride(v), visa_stride(w), visa_stride(h), (int)visa_channels(c), v != 0, w != 0, h != 0};
    if (target) {
        r.width = r.channels;
        r.vertical = r.channels * r.horizontal;
    }
    return r;
}

/* 1, 2, 4 .. most. */
static bool is_power(int value, int most)
{
    return value > 0 && value <= most && (value & (value - 1)) == 0;
}

/* False: no more can be said about it. */
static bool check_strides(struct visa_checker *c, const struct visa_operand *op, const struct region *r, bool target)
{
    if (!r->has_horizontal)
        visa_refuse(c, op, "region", "the region has no horizontal stride");
    else if (r->horizontal != 0 && !is_power(r->horizontal, 4))
        visa_refuse(c, op, "region", "horizontal stride %d: wanted 0, 1, 2 or 4", r->horizontal);
    else if (target && r->horizontal == 0)
        visa_refuse(c, op, "region", "a destination's stride is 1, 2 or 4, not 0");
    if (r->has_width && !is_power(r->width, 16))
        visa_refuse(c, op, "region", "width %d: wanted 1, 2, 4, 8 or 16", r->width);
    if (r->has_width && r->width > r->channels) {
        visa_refuse(c, op, "region", "width %d is more than the %d channels", r->width, r->channels);
        return false;
    }
    if (r->has_vertical && r->vertical != 0 && !is_power(r->vertical, 32))
        visa_refuse(c, op, "region", "vertical stride %d: wanted 0, 1, 2, 4, 8, 16 or 32", r->vertical);
    if (!r->has_vertical && !target && r->width > 0 && r->channels / r->width > 16)
        visa_refuse(c, op, "region", "%d addresses, one per row of the region: wanted at most 16",
                    r->channels / r->width);
    return true;
}

/* Instructions that the tool splits may reach as far as they like, others two registers. */
static void check_reach(struct visa_checker *c, const struct visa_operand *op, const struct region *r)
{
    const struct visa_var *var = visa_declared(c->object, VISA_G, op->id);
    unsigned group = c->rule->group, grf = c->row->grf;
    if (!var || op->class != VISA_GENERAL || group == VISA_GROUP_MOVE || group == VISA_GROUP_LOGIC ||
        group == VISA_GROUP_COMPARE || group == VISA_GROUP_ARITH)
        return;
    int size = (int)visa_type_bytes(var->type);
    int element = r->width > 0 ? (r->channels / r->width - 1) * r->vertical + (r->width - 1) * r->horizontal
                               : (r->channels - 1) * r->horizontal;
    uint32_t last = (uint32_t)(element * size + size - 1);
    uint32_t offset;
    visa_alias_root(c->object, op->id, c->object->nvars[VISA_G] + 1, &offset);
    uint32_t start = offset + op->row * grf + op->column * (uint32_t)size;
    if (last >= 2 * grf || (start + last) / grf > start / grf + 1)
        visa_refuse(c, op, "region-reach", "the operand has bytes %u to %u: wanted at most two registers of %u", start,
                    start + last, grf);
}

static void check_region(struct visa_checker *c, const struct visa_operand *op, bool target)
{
    if (c->rule->group == VISA_GROUP_MESSAGE || c->inst->row == &visa_rows[VISA_ROW_plane] ||
        (op->class != VISA_GENERAL && op->class != VISA_INDIRECT))
        return;
    if (visa_stride(op->region >> 4 & 15) == 0)
        visa_refuse(c, op, "region", "the region has width 0");
    struct region r = region_of(c, op, target);
    if (r.width != 0 && check_strides(c, op, &r, target))
        check_reach(c, op, &r);
}

/* ---- vector operands -------------------------------------------------------------------------------------- */

static bool is_writable(const struct visa_checker *c, const struct visa_operand *op)
{
    uint32_t byte = op->row * (uint32_t)c->row->grf + op->column * visa_type_bytes(visa_type_of_operand(c->object, op));
    switch (op->id) {
    case VISA_NULL:
    case VISA_ARG:
    case VISA_RETVAL:
    case VISA_SP:
    case VISA_FP:
    case VISA_CR0:
    case VISA_DBG0:
    case VISA_IMPL_ARG:
    case VISA_LOCAL_ID:
        return true;
    case VISA_TSC:
        return byte == 16;
    case VISA_SR0:
        return byte == 8 || byte == 12;
    }
    return op->id >= VISA_FIRST_G;
}

/* One register of the machine's 128 is the thread's own. */
static void check_room(struct visa_checker *c, const struct visa_operand *op)
{
    enum { FREE = 127 };
    const struct visa_var *var = visa_declared(c->object, VISA_G, op->id);
    unsigned most = FREE * (unsigned)c->row->grf;
    if (var && var->elements * visa_type_bytes(var->type) > most)
        visa_refuse(c, op, "register-file", "'%s' has %u bytes: wanted at most %u, the free registers",
                    visa_name(c->object, VISA_G, op->id), var->elements * visa_type_bytes(var->type), most);
}

static void check_vector(struct visa_checker *c, unsigned index)
{
    const struct visa_operand *op = &c->inst->ops[index];
    bool target = is_target(c, index);
    check_modifier(c, op);
    if (op->class == VISA_IMMEDIATE && op->type == VISA_BOOL)
        visa_refuse(c, op, "immediate-type", "a number has no type bool");
    check_region(c, op, target);
    if (op->class == VISA_GENERAL)
        check_room(c, op);
    if (target && op->class == VISA_IMMEDIATE)
        visa_refuse(c, op, "operand-kind", "a destination is no number");
    if (target && op->class == VISA_GENERAL && !is_writable(c, op))
        visa_refuse(c, op, "read-only", "'%s' is not to be written", visa_name(c->object, VISA_G, op->id));
}

/* ---- raw operands ----------------------------------------------------------------------------------------- */

/* From a variable of a register or more, only whole registers can be taken. */
static void check_raw(struct visa_checker *c, const struct visa_operand *op)
{
    const struct visa_var *var = visa_declared(c->object, VISA_G, op->id);
    uint32_t offset = (uint32_t)op->bytes, grf = c->row->grf;
    if (!var)
        return;
    check_room(c, op);
    for (uint32_t steps = 0; steps <= c->object->nvars[VISA_G]; steps++) {
        const struct visa_var *next = visa_declared(c->object, VISA_G, var->alias);
        if (!next)
            break;
        offset += var->alias_bytes;
        var = next;
    }
    if (var->elements * visa_type_bytes(var->type) >= grf && offset % grf)
        visa_refuse(c, op, "raw-offset", "a raw operand at byte %u of its variable: wanted a multiple of %u", offset,
                    grf);
}

void visa_check_raw_type(struct visa_checker *c, const struct visa_operand *op, uint32_t types)
{
    const struct visa_var *var = op ? visa_declared(c->object, VISA_G, op->id) : NULL;
    if (var && !visa_type_in(types, var->type))
        visa_refuse(c, op, "operand-type", "'%s' has type %s, which '%s' does not take here",
                    visa_name(c->object, VISA_G, op->id), visa_type_name(var->type), visa_op_name(c));
}

/* The operands of a field: one, or what a list or the mode of rt_write_3d adds. */
static void check_field(struct visa_checker *c, const struct visa_field *field)
{
    const struct visa_operand *op = &c->inst->ops[field->operand];
    switch (field->kind->code) {
    case VISA_FIELD_DESTINATION:
    case VISA_FIELD_SOURCE:
        if (c->rule->group != VISA_GROUP_MATRIX)
            check_vector(c, field->operand);
        break;
    case VISA_FIELD_RAW:
        check_raw(c, op);
        break;
    case VISA_FIELD_RAWS:
        for (uint64_t k = 0; op->list && k < op->value; k++)
            check_raw(c, &op->list[k]);
        break;
    case VISA_FIELD_TARGETS:
        for (uint64_t k = 0; op->list && k < op->value; k++)
            if (op->list[k].class == VISA_RAW)
                check_raw(c, &op->list[k]);
        break;
    }
}

void visa_check_operands(struct visa_checker *c)
{
    for (unsigned i = 0; i < c->form->nfields; i++)
        if (c->form->fields[i].operand < c->inst->nops)
            check_field(c, &c->form->fields[i]);
}

/* Instructions of vISA that compute or move: kinds and types of operands. Source: docs/visa.md, "Verdicts". */
#include "isa/visa/check_inner.h"

static const struct visa_operand *target_of(const struct visa_checker *c)
{
    return &c->inst->ops[c->rule->target];
}
static const struct visa_operand *source_of(const struct visa_checker *c, unsigned n)
{
    return &c->inst->ops[c->rule->target + c->rule->targets + n];
}
static bool is_int(unsigned type)
{
    return visa_type_in(VISA_SET_INTS, type);
}
static bool is_float(unsigned type)
{
    return visa_type_in(VISA_SET_FLOATS, type);
}

static void want_value(struct visa_checker *c, const struct visa_operand *op)
{
    if (!visa_is_value(op))
        visa_refuse(c, op, "operand-kind", "'%s' takes a register operand or a number here", visa_op_name(c));
}
static void want_register(struct visa_checker *c, const struct visa_operand *op)
{
    if (op->class != VISA_GENERAL && op->class != VISA_INDIRECT)
        visa_refuse(c, op, "operand-kind", "'%s' writes a register operand", visa_op_name(c));
}

/* ---- moves ------------------------------------------------------------------------------------------------ */

/* Of a predicate, all of its bits at once. */
void visa_check_mov(struct visa_checker *c)
{
    const struct visa_operand *to = target_of(c), *from = source_of(c, 0);
    unsigned type = visa_type_of_operand(c->object, to);
    if (from->class != VISA_PREDICATE)
        return;
    if (visa_channels(c) != 1)
        visa_refuse(c, NULL, "exec-size", "mov of a predicate has 1 channel, not %u", visa_channels(c));
    if (!is_int(type) || visa_type_in(VISA_SET_INT64, type))
        visa_refuse(c, to, "operand-type", "mov of a predicate wants an integer of at most 32 bits, not %s",
                    visa_type_name(type));
    if (to->modifier == VISA_SATURATE)
        visa_refuse(c, to, "modifier", "mov of a predicate has no .sat");
    if (c->inst->predicate)
        visa_refuse(c, NULL, "predicate", "mov of a predicate is not predicated");
}

void visa_check_movs(struct visa_checker *c)
{
    const struct visa_operand *to = target_of(c), *from = source_of(c, 0);
    if (to->class != VISA_GENERAL && to->class != VISA_STATE)
        visa_refuse(c, to, "operand-kind", "movs writes a surface, a sampler or a register operand");
    if (!visa_is_value(from) && from->class != VISA_STATE)
        visa_refuse(c, from, "operand-kind", "movs reads a surface, a sampler, a register operand or a number");
}

void visa_check_setp(struct visa_checker *c)
{
    if (target_of(c)->class != VISA_PREDICATE)
        visa_refuse(c, target_of(c), "operand-kind", "setp writes a predicate");
    want_value(c, source_of(c, 0));
}

void visa_check_sel(struct visa_checker *c)
{
    want_register(c, target_of(c));
    want_value(c, source_of(c, 0));
    want_value(c, source_of(c, 1));
}

/* ub stands for 8-bit floats, ud for tf32. */
void visa_check_fcvt(struct visa_checker *c)
{
    const struct visa_operand *to = target_of(c), *from = source_of(c, 0);
    unsigned t = visa_type_of_operand(c->object, to), f = visa_type_of_operand(c->object, from);
    bool pair = t == VISA_UB   ? f == VISA_HF
                : f == VISA_UB ? t == VISA_HF
                : t == VISA_UD ? f == VISA_F
                               : f == VISA_UD && t == VISA_F;
    if (to->class != VISA_GENERAL || from->class != VISA_GENERAL)
        visa_refuse(c, NULL, "operand-kind", "fcvt takes register operands only");
    if (!pair)
        visa_refuse(c, NULL, "operand-type", "fcvt converts hf to ub, ub to hf, f to ud or ud to f, not %s to %s",
                    visa_type_name(f), visa_type_name(t));
    if (t == VISA_UB && !(c->inst->exec & VISA_NO_MASK))
        visa_refuse(c, NULL, "needs-no-mask", "fcvt to ub wants a mask with _NM");
    if (to->modifier || from->modifier)
        visa_refuse(c, NULL, "modifier", "fcvt has no modifiers");
}

void visa_check_srnd(struct visa_checker *c)
{
    const struct visa_operand *to = target_of(c);
    unsigned t = visa_type_of_operand(c->object, to), f = visa_type_of_operand(c->object, source_of(c, 0));
    unsigned random = visa_type_of_operand(c->object, source_of(c, 1));
    if (!(c->inst->exec & VISA_NO_MASK))
        visa_refuse(c, NULL, "needs-no-mask", "srnd wants a mask with _NM");
    if (to->class != VISA_GENERAL)
        visa_refuse(c, to, "operand-kind", "srnd writes a variable");
    for (unsigned i = 0; i < 2; i++)
        if (source_of(c, i)->class != VISA_GENERAL && source_of(c, i)->class != VISA_IMMEDIATE)
            visa_refuse(c, source_of(c, i), "operand-kind", "srnd reads variables and numbers");
    if (to->modifier || source_of(c, 0)->modifier || source_of(c, 1)->modifier)
        visa_refuse(c, NULL, "modifier", "srnd has no modifiers");
    if (!visa_type_in(1u << VISA_UW | 1u << VISA_UB | 1u << VISA_F | 1u << VISA_HF, random))
        visa_refuse(c, source_of(c, 1), "operand-type", "srnd takes its random bits as uw or ub, not %s",
                    visa_type_name(random));
    if (!(t == VISA_UB && f == VISA_HF) && !(t == VISA_HF && f == VISA_F))
        visa_refuse(c, NULL, "operand-type", "srnd rounds hf to ub or f to hf, not %s to %s", visa_type_name(f),
                    visa_type_name(t));
}

/* ---- arithmetic ------------------------------------------------------------------------------------------- */

static void check_target(struct visa_checker *c, unsigned type)
{
    const struct visa_operand *to = target_of(c);
    unsigned flags = c->rule->flags;
    want_register(c, to);
    if (to->modifier != VISA_PLAIN && to->modifier != VISA_SATURATE)
        visa_refuse(c, to, "modifier", "a destination has no modifier but .sat");
    if (to->modifier == VISA_SATURATE &&
        (flags & VISA_RULE_NO_SATURATION || (flags & VISA_RULE_FLOAT_SATURATION && type != VISA_F && type != VISA_HF)))
        visa_refuse(c, to, "saturation", "'%s' of %s has no .sat", visa_op_name(c), visa_type_name(type));
    if (!visa_type_in(c->rule->to, type))
        visa_refuse(c, to, "operand-type", "'%s' writes no %s", visa_op_name(c), visa_type_name(type));
    else if (type == VISA_DF && !(flags & VISA_RULE_DOUBLE))
        visa_refuse(c, to, "operand-type", "'%s' has no double precision", visa_op_name(c));
}

static void check_lacks(struct visa_checker *c, unsigned type)
{
    unsigned flags = c->rule->flags;
    const char *platform = c->row->name;
    if (flags & VISA_RULE_INT_DIVISION && visa_lacks(c, VISA_LACKS_DIVISION) &&
        (is_int(type) || c->inst->row == &visa_rows[VISA_ROW_mod]))
        visa_refuse(c, NULL, "platform", "%s divides no integers", platform);
    if (flags & VISA_RULE_SAD && visa_lacks(c, VISA_LACKS_SAD))
        visa_refuse(c, NULL, "platform", "%s has no '%s'", platform, visa_op_name(c));
    if (visa_lacks(c, VISA_LACKS_IEEE) &&
        ((flags & VISA_RULE_IEEE64 && type == VISA_DF) || (flags & VISA_RULE_IEEE32 && type == VISA_F)))
        visa_refuse(c, NULL, "platform", "%s has no '%s' of %s", platform, visa_op_name(c), visa_type_name(type));
}

/* An integer number that a type holds, or one of small vectors that it can hold. */
static bool number_fits(const struct visa_operand *op, unsigned type)
{
    if (op->class != VISA_IMMEDIATE || !visa_type_in(VISA_SET_INTS | VISA_SET_PACKED, op->type))
        return false;
    bool is_signed = visa_type_signed(type);
    if (op->type == VISA_UV || (op->type == VISA_V && is_signed))
        return true;
    if (op->type == VISA_V)
        return (op->value & 0x88888888) == 0;
    unsigned bits = 8 * visa_type_bytes(type), has = 8 * visa_type_bytes(op->type);
    uint64_t value = has < 64 ? op->value & ((1ull << has) - 1) : op->value;
    int64_t number = (int64_t)value;
    if (visa_type_signed(op->type) && has < 64 && value >> (has - 1))
        number = (int64_t)(value | ~0ull << has);
    if (bits == 64)
        return is_signed || number >= 0;
    int64_t least = is_signed ? -(INT64_C(1) << (bits - 1)) : 0,
            most = is_signed ? (INT64_C(1) << (bits - 1)) - 1 : (INT64_C(1) << bits) - 1;
    return number >= least && number <= most;
}

static bool number_in(const struct visa_operand *op, uint32_t types)
{
    for (unsigned type = 0; type < VISA_TYPES; type++)
        if (visa_type_in(types, type) && number_fits(op, type))
            return true;
    return false;
}

/* Floats do not mix with others; f and hf do with each other. */
static bool mixes(unsigned to, unsigned from, bool number)
{
    if (!is_float(to) && !is_float(from))
        return is_int(from) || (number && visa_type_in(VISA_SET_PACKED, from));
    return to == from || (to == VISA_F && (from == VISA_VF || from == VISA_HF)) || (to == VISA_HF && from == VISA_F);
}

static void check_source(struct visa_checker *c, unsigned n, unsigned to)
{
    const struct visa_operand *op = source_of(c, n);
    unsigned type = visa_type_of_operand(c->object, op);
    uint32_t types = n == 2 && c->rule->from2 ? c->rule->from2 : c->rule->from;
    if (op->modifier && c->rule->flags & VISA_RULE_NO_MODIFIER)
        visa_refuse(c, op, "modifier", "'%s' has no modifiers", visa_op_name(c));
    if (op->modifier == VISA_SATURATE)
        visa_refuse(c, op, "modifier", "a source of arithmetic is (-), (abs) or (-abs)");
    want_value(c, op);
    if (!visa_type_in(types, type) && !(c->rule->flags & VISA_RULE_SAD && number_in(op, types)))
        visa_refuse(c, op, "operand-type", "'%s' takes no %s here", visa_op_name(c), visa_type_name(type));
    else if (type == VISA_DF && !(c->rule->flags & VISA_RULE_DOUBLE))
        visa_refuse(c, op, "operand-type", "'%s' has no double precision", visa_op_name(c));
    else if (!mixes(to, type, op->class == VISA_IMMEDIATE))
        visa_refuse(c, op, "operand-type", "a source of type %s does not go with a destination of type %s",
                    visa_type_name(type), visa_type_name(to));
}

/* Where bf is among the types, only its own rules hold. */
void visa_check_arith(struct visa_checker *c)
{
    if (visa_check_uses(c, VISA_BF))
        return;
    unsigned type = visa_type_of_operand(c->object, target_of(c));
    check_target(c, type);
    check_lacks(c, type);
    for (unsigned i = 0; i < c->rule->sources; i++)
        check_source(c, i, type);
}

/* ---- bits ------------------------------------------------------------------------------------------------- */

void visa_check_logic(struct visa_checker *c)
{
    unsigned count = 0u + c->rule->targets + c->rule->sources;
    bool predicates = false;
    for (unsigned i = 0; i < count; i++) {
        const struct visa_operand *op = &c->inst->ops[i];
        unsigned type = visa_type_of_operand(c->object, op);
        if (op->class == VISA_ADDRESS)
            visa_refuse(c, op, "operand-kind", "'%s' takes no address", visa_op_name(c));
        if (predicates && type != VISA_BOOL)
            visa_refuse(c, op, "operand-kind", "'%s' takes predicates only or none", visa_op_name(c));
        if (!visa_type_in(c->rule->to, type))
            visa_refuse(c, op, "operand-type", "'%s' takes no %s", visa_op_name(c), visa_type_name(type));
        else if (c->rule->flags & VISA_RULE_ROTATE && visa_type_in(VISA_SET_INT64, type) &&
                 visa_lacks(c, VISA_LACKS_ROTATE64))
            visa_refuse(c, op, "platform", "%s rotates no 64 bits", c->row->name);
        predicates = predicates || type == VISA_BOOL;
    }
    if (predicates && c->inst->predicate)
        visa_refuse(c, NULL, "predicate", "'%s' of predicates is not predicated", visa_op_name(c));
}

void visa_check_cmp(struct visa_checker *c)
{
    const struct visa_operand *to = target_of(c);
    if (to->class != VISA_PREDICATE && to->class != VISA_GENERAL)
        visa_refuse(c, to, "operand-kind", "cmp writes a predicate or a variable");
    for (unsigned i = 0; i < 2; i++)
        if (source_of(c, i)->class == VISA_ADDRESS || source_of(c, i)->class == VISA_PREDICATE)
            visa_refuse(c, source_of(c, i), "operand-kind", "cmp compares no addresses and no predicates");
}

/* ---- addresses -------------------------------------------------------------------------------------------- */

void visa_check_addr_add(struct visa_checker *c)
{
    const struct visa_operand *to = target_of(c), *base = source_of(c, 0), *add = source_of(c, 1);
    unsigned type = visa_type_of_operand(c->object, add);
    if (to->class != VISA_ADDRESS)
        visa_refuse(c, to, "operand-kind", "addr_add writes an address");
    bool state = base->class == VISA_STATE || (base->class == VISA_ADDRESS_OF && base->space != VISA_G);
    bool general = base->class == VISA_GENERAL || (base->class == VISA_ADDRESS_OF && base->space == VISA_G);
    if (base->class == VISA_PREDICATE || add->class == VISA_PREDICATE)
        visa_refuse(c, NULL, "operand-kind", "addr_add takes no predicate");
    if ((general && base->id < VISA_FIRST_G) || (state && base->space == VISA_T && base->id < VISA_FIRST_T))
        visa_refuse(c, base, "operand-kind", "what is predefined has no address");
    if (!visa_type_in(1u << VISA_B | 1u << VISA_UB | 1u << VISA_W | 1u << VISA_UW, type))
        visa_refuse(c, add, "operand-type", "addr_add adds a b, ub, w or uw, not %s", visa_type_name(type));
}

/* ---- bf --------------------------------------------------------------------------------------------------- */

bool visa_check_uses(const struct visa_checker *c, unsigned type)
{
    unsigned end = 0u + c->rule->target + c->rule->targets + c->rule->sources;
    for (unsigned i = c->rule->target; i < end && i < c->inst->nops; i++)
        if (visa_type_of_operand(c->object, &c->inst->ops[i]) == type)
            return true;
    return false;
}

void visa_check_bf(struct visa_checker *c)
{
    unsigned group = c->rule->group, end = 0u + c->rule->target + c->rule->targets + c->rule->sources;
    if ((group != VISA_GROUP_MOVE && group != VISA_GROUP_ARITH && group != VISA_GROUP_COMPARE) ||
        !visa_check_uses(c, VISA_BF))
        return;
    if (visa_lacks(c, VISA_LACKS_BF)) {
        visa_refuse(c, NULL, "platform", "%s has no operands of type bf", c->row->name);
        return;
    }
    if (!(c->rule->flags & VISA_RULE_BF)) {
        visa_refuse(c, NULL, "operand-type", "'%s' takes no bf", visa_op_name(c));
        return;
    }
    for (unsigned i = 0u + c->rule->target + (group == VISA_GROUP_COMPARE); i < end; i++) {
        unsigned type = visa_type_of_operand(c->object, &c->inst->ops[i]);
        if (type != VISA_BF && type != VISA_F)
            visa_refuse(c, &c->inst->ops[i], "operand-type", "beside bf stand bf and f only, not %s",
                        visa_type_name(type));
    }
}

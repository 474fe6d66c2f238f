/* Modifiers of sources, conversions between types, results. Source: docs/visa.md, "Running". */
#include "isa/visa/lower.h"

#include <string.h>

/* ---- float modes: what is known of %cr0 ----------------------------------------------------------------------- */

enum { CR0_ROUND = 4, CR0_DENORM_DF = 1 << 6, CR0_DENORM_F = 1 << 7, CR0_DENORM_HF = 1 << 10 };

static uint32_t cr0(const struct visa_lower *l)
{
    return l->known[VISA_KNOWN_CR0].value;
}

enum lane_round visa_rounding(const struct visa_lower *l)
{
    static const uint8_t modes[4] = {LANE_RN, LANE_RP, LANE_RM, LANE_RZ};
    return modes[cr0(l) >> CR0_ROUND & 3];
}

unsigned visa_flush(const struct visa_lower *l, unsigned type)
{
    return (type == VISA_F && !(cr0(l) & CR0_DENORM_F)) || (type == VISA_HF && !(cr0(l) & CR0_DENORM_HF)) ? LANE_FTZ
                                                                                                          : 0;
}

/* Of conversions: those from hf to f are exact. */
static unsigned flush_f(const struct visa_lower *l, unsigned type)
{
    return type == VISA_F ? visa_flush(l, type) : 0;
}

/* ---- modifiers ---------------------------------------------------------------------------------------------- */

static struct visa_value float_modified(struct visa_lower *l, struct visa_value v, unsigned modifier)
{
    enum lane_type type = visa_lane_type(v.type);
    if (modifier == VISA_ABS || modifier == VISA_NEG_ABS)
        v.v = visa_one(l, LANE_OP_abs, type, v.v);
    if (modifier == VISA_NEG || modifier == VISA_NEG_ABS)
        v.v = visa_one(l, LANE_OP_neg, type, v.v);
    return v;
}

struct visa_value visa_source(struct visa_lower *l, const struct visa_operand *op, bool exact)
{
    struct visa_value v = visa_get(l, op);
    unsigned modifier = op->modifier, bytes = visa_type_bytes(v.type);
    if (modifier == VISA_PLAIN || modifier == VISA_SATURATE)
        return v;
    if (visa_type_float(v.type))
        return float_modified(l, v, modifier);
    if (modifier == VISA_NOT) {
        v.v = visa_one(l, LANE_OP_not, visa_bits_type(bytes), v.v);
        return v;
    }
    if (modifier == VISA_ABS && !visa_type_signed(v.type))
        return v;
    v = visa_convert(l, v, bytes < 4 ? VISA_D : bytes == 4 && exact ? VISA_Q : bytes == 4 ? VISA_D : VISA_Q, false);
    return float_modified(l, v, modifier);
}

/* ---- conversions -------------------------------------------------------------------------------------------- */

static struct lane_operand cvt(struct visa_lower *l, unsigned to, unsigned from, struct lane_operand v, unsigned round,
                               unsigned flags)
{
    struct lane_operand d = visa_cvt(l, visa_lane_type(to), visa_lane_type(from), v);
    struct lane_inst *inst = visa_last(l);
    inst->round = (uint8_t)round;
    inst->flags |= (uint16_t)flags;
    return d;
}

/* A constant, extended by its type. */
static uint64_t extended(struct visa_lower *l, struct visa_value v)
{
    uint64_t value = l->b->failed ? 0 : l->b->func->consts[v.v.index].lo;
    unsigned spare = 64 - 8 * visa_type_bytes(v.type);
    return visa_type_signed(v.type) ? (uint64_t)((int64_t)(value << spare) >> spare) : value;
}

static struct lane_operand int_to_int(struct visa_lower *l, struct visa_value v, unsigned to, bool saturate)
{
    if (v.v.kind == LANE_CONST && !saturate)
        return lane_imm(l->b, 8 * visa_type_bytes(to), extended(l, v));
    if (!saturate && visa_type_bytes(v.type) == visa_type_bytes(to))
        return v.v;
    return cvt(l, to, v.type, v.v, LANE_RN, saturate ? LANE_SAT : 0);
}

/* Truncates and clamps; NaN is 0. */
static struct lane_operand float_to_int(struct visa_lower *l, struct visa_value v, unsigned to)
{
    struct lane_operand d = cvt(l, to, v.type, v.v, LANE_RZI, flush_f(l, v.type));
    if (v.type != VISA_DF && visa_type_bytes(to) < 8)
        return d;
    struct lane_operand nan = visa_compare(l, LANE_NANS, visa_lane_type(v.type), v.v, v.v);
    return visa_three(l, LANE_OP_selp, visa_bits_type(visa_type_bytes(to)), lane_imm(l->b, 8 * visa_type_bytes(to), 0),
                      d, nan);
}

static struct lane_operand float_to_float(struct visa_lower *l, struct visa_value v, unsigned to)
{
    bool narrower = visa_type_bytes(to) < visa_type_bytes(v.type);
    unsigned flush = flush_f(l, v.type) | flush_f(l, to);
    if ((v.type == VISA_HF && to == VISA_BF) || (v.type == VISA_BF && to == VISA_HF) ||
        (v.type == VISA_DF && to == VISA_BF)) {
        v = visa_convert(l, v, VISA_F, false);
        return float_to_float(l, v, to);
    }
    return cvt(l, to, v.type, v.v, narrower ? visa_rounding(l) : LANE_RN, flush);
}

/* To [0, 1]; NaN is 0. */
static struct lane_operand clamp_float(struct visa_lower *l, unsigned type, struct lane_operand v)
{
    return cvt(l, type, type, v, LANE_RN, LANE_SAT | flush_f(l, type));
}

struct visa_value visa_convert(struct visa_lower *l, struct visa_value v, unsigned type, bool saturate)
{
    bool from_float = visa_type_float(v.type), to_float = visa_type_float(type);
    struct visa_value d = {v.v, (uint8_t)type};
    if (v.type == type && (!saturate || !to_float))
        return v;
    if (!from_float && !to_float)
        d.v = int_to_int(l, v, type, saturate);
    else if (!to_float)
        d.v = float_to_int(l, v, type);
    else if (!from_float)
        d.v = cvt(l, type, v.type, v.v, visa_rounding(l), 0);
    else if (v.type != type)
        d.v = float_to_float(l, v, type);
    if (saturate && to_float)
        d.v = clamp_float(l, type, d.v);
    return d;
}

void visa_result(struct visa_lower *l, const struct visa_operand *op, struct visa_value v)
{
    unsigned type = op->class == VISA_STATE ? VISA_UD : visa_operand_own_type(l, op);
    visa_put(l, op, visa_convert(l, v, type, op->modifier == VISA_SATURATE).v);
}

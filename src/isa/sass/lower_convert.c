/* Lowering of conversions: F2F F2I I2F I2I. Narrow integers in registers: docs/sass.md, "Conversions"; choices:
 * lower_math.h. */
#include "isa/sass/lower_math.h"

/* ---- sources and results ---------------------------------------------------------------------------------- */

/* The float formats of the rows' names fdst, fsrc; LANE_VOID where the value is reserved. */
static enum lane_type float_format(struct sass_lowerer *l, enum sass_role label)
{
    static const uint8_t formats[] = {LANE_VOID, LANE_F16, LANE_F32, LANE_F64};
    unsigned value = sass_value(l, label, 0);
    if (value == 0)
        sass_cannot(l, "reserved float format");
    return (enum lane_type)formats[value & 3];
}

/* The integer formats: size 0-3 (8 to 64 bits), + 4 if signed. */
static enum lane_type integer_format(unsigned value)
{
    static const uint8_t formats[] = {LANE_U8, LANE_U16, LANE_U32, LANE_U64, LANE_S8, LANE_S16, LANE_S32, LANE_S64};
    return (enum lane_type)formats[value & 7];
}

static enum lane_type unsigned_of(enum lane_type type)
{
    return lane_type_signed(type) ? (enum lane_type)(type - LANE_S8 + LANE_U8) : type;
}

/* Bits [at, at + width) of operand 1 as a register of that width. */
static struct lane_operand part(struct sass_lowerer *l, unsigned at, unsigned width)
{
    static const uint8_t types[] = {LANE_U8, LANE_U16};
    struct lane_operand word = sass_raw(l, 1);
    uint64_t known;
    if (sass_is_const(l, word, &known))
        return lane_imm(&l->b, width, at < 32 ? (known >> at) & ((UINT64_C(1) << width) - 1) : 0);
    if (at)
        word = sass_op2(l, LANE_OP_shr, LANE_U32, word, sass_imm(l, at));
    return sass_convert(l, (enum lane_type)types[width == 16], LANE_U32, word);
}

static struct lane_operand float_source(struct sass_lowerer *l, enum lane_type type)
{
    const struct isa_operand *op = &l->op[1];
    if (type != LANE_F16)
        return sass_float(l, type, 1);
    bool upper = op->suffix_names && op->suffix & 1;
    return sass_sign(l, LANE_F16, part(l, upper ? 16 : 0, 16), op->abs, op->neg);
}

/* Operand 1 in its own width. False: the part is reserved. */
static bool integer_source(struct sass_lowerer *l, enum lane_type type, struct lane_operand *value)
{
    unsigned bits = lane_type_bits(type), chosen = l->op[1].suffix_names ? l->op[1].suffix & 3 : 0;
    if ((bits == 16 && chosen & 1) || (bits > 16 && chosen)) {
        sass_cannot(l, "reserved part of a register");
        return false;
    }
    if (bits == 64)
        *value = sass_raw64(l, 1);
    else if (bits == 32)
        *value = sass_raw(l, 1);
    else
        *value = part(l, 8 * chosen, bits);
    return true;
}

/* An integer of its type's width as operand 0, which is a register or a pair; a narrow one is extended by the type. */
static void put_integer(struct sass_lowerer *l, enum lane_type type, struct lane_operand value)
{
    unsigned bits = lane_type_bits(type);
    if (bits < 32) {
        struct lane_operand d = sass_target(l, LANE_B32);
        sass_emit_cast(l, (struct sass_mode){lane_type_signed(type) ? LANE_S32 : LANE_U32, 0, 0}, type, d, value);
        value = d;
    } else if (bits == 32) {
        struct lane_operand d = sass_target(l, LANE_B32);
        sass_emit1(l, LANE_OP_mov, LANE_B32, d, value);
        value = d;
    }
    sass_finish(l, type, value);
}

/* A float of any format as operand 0. */
static void put_float(struct sass_lowerer *l, enum lane_type type, struct lane_operand value)
{
    if (type == LANE_F64) {
        sass_finish(l, type, value);
        return;
    }
    struct lane_operand d = sass_target(l, LANE_B32);
    if (type == LANE_F16)
        sass_emit_cast(l, (struct sass_mode){LANE_U32, 0, 0}, LANE_U16, d, value);
    else
        sass_emit1(l, LANE_OP_mov, LANE_B32, d, value);
    if (type == LANE_F16 && sass_flags_due(l))
        value = sass_cast(l, (struct sass_mode){LANE_F32, 0, 0}, LANE_F16, value);
    sass_finish(l, LANE_F32, value);
}

/* ---- F2F, F2I ------------------------------------------------------------------------------------------------ */

/* Codes of FLOOR, CEIL, TRUNC and nearest. */
static enum lane_round integral_round(unsigned code)
{
    static const uint8_t rounds[] = {LANE_RNI, LANE_RMI, LANE_RPI, LANE_RZI};
    return (enum lane_round)rounds[code & 3];
}

SASS_LOWER(f2f)
{
    enum lane_type to = float_format(l, SASS_ROLE_to), from = to ? float_format(l, SASS_ROLE_from) : to;
    if (!to || !from)
        return;
    struct sass_mode mode = sass_mode(l, to);
    unsigned round = sass_value(l, SASS_ROLE_round, 0);
    if (to == from)
        mode.round = round & 4 ? (uint8_t)integral_round(round) : LANE_RN; /* PASS: as it is */
    struct lane_operand a = float_source(l, from);
    if (to != LANE_F32) {
        put_float(l, to, sass_cast(l, mode, from, a));
        return;
    }
    struct lane_operand d = sass_target(l, LANE_F32);
    sass_emit_cast(l, mode, from, d, a);
    sass_finish(l, LANE_F32, d);
}

SASS_LOWER(f2i)
{
    unsigned format = sass_value(l, SASS_ROLE_to, 0);
    enum lane_type to = integer_format(format), from = float_format(l, SASS_ROLE_from);
    if (!from)
        return;
    if ((format & 3) == 0) {
        sass_cannot(l, "reserved integer format");
        return;
    }
    struct sass_mode mode = sass_mode(l, to);
    mode.round = (uint8_t)integral_round(sass_value(l, SASS_ROLE_round, 0));
    struct lane_operand a = float_source(l, from);
    if (lane_type_bits(to) != 32) {
        put_integer(l, to, sass_cast(l, mode, from, a));
        return;
    }
    struct lane_operand d = sass_target(l, LANE_B32);
    sass_emit_cast(l, mode, from, d, a);
    sass_finish(l, LANE_B32, d);
}

/* ---- I2F, I2I ------------------------------------------------------------------------------------------------ */

/* A minus: rounded the other way round, then subtracted from 0, which leaves +0. */
static struct lane_operand cast_negative(struct sass_lowerer *l, struct sass_mode mode, enum lane_type from,
                                         struct lane_operand value)
{
    static const uint8_t mirrored[] = {LANE_RN, LANE_RZ, LANE_RP, LANE_RM};
    mode.round = mirrored[mode.round & 3];
    struct lane_operand x = sass_cast(l, mode, from, value);
    struct lane_operand zero = lane_imm(&l->b, lane_type_bits((enum lane_type)mode.type), 0);
    mode.round = LANE_RN;
    return sass_op_mode(l, LANE_OP_sub, mode, zero, x, SASS_NOTHING);
}

/* |x| in the unsigned type of its width: the least number stays as it is, and is right there. */
static struct lane_operand integer_magnitude(struct sass_lowerer *l, enum lane_type *type, struct lane_operand value)
{
    if (!lane_type_signed(*type))
        return value;
    if (lane_type_bits(*type) == 8) {
        value = sass_convert(l, LANE_S16, LANE_S8, value);
        *type = LANE_S16;
    }
    value = sass_op1(l, LANE_OP_abs, *type, value);
    *type = unsigned_of(*type);
    return value;
}

SASS_LOWER(i2f)
{
    enum lane_type to = float_format(l, SASS_ROLE_to), from = integer_format(sass_value(l, SASS_ROLE_from, 0));
    struct lane_operand value;
    if (!to || !integer_source(l, from, &value))
        return;
    struct sass_mode mode = sass_mode(l, to);
    if (l->op[1].abs)
        value = integer_magnitude(l, &from, value);
    if (l->op[1].neg) {
        put_float(l, to, cast_negative(l, mode, from, value));
    } else if (to == LANE_F32) {
        struct lane_operand d = sass_target(l, LANE_F32);
        sass_emit_cast(l, mode, from, d, value);
        sass_finish(l, LANE_F32, d);
    } else {
        put_float(l, to, sass_cast(l, mode, from, value));
    }
}

/* .SAT limits to the type, whose sign then fills the register; without it the value is cut to the type's width and the
 * rest of the register is zeros, whatever the sign (measured on a Tegra X1: I2I.S8.S32 of 0xda gives 0x000000da). */
SASS_LOWER(i2i)
{
    unsigned to_code = sass_value(l, SASS_ROLE_to, 0), from_code = sass_value(l, SASS_ROLE_from, 0);
    enum lane_type to = integer_format(to_code), from = integer_format(from_code);
    struct lane_operand value;
    if ((to_code & 3) == 3 || (from_code & 3) == 3) {
        sass_cannot(l, "reserved integer format");
        return;
    }
    if (!integer_source(l, from, &value))
        return;
    if (l->op[1].abs || l->op[1].neg) {
        value = sass_convert(l, LANE_S64, from, value);
        from = LANE_S64;
    }
    if (l->op[1].abs)
        value = sass_op1(l, LANE_OP_abs, LANE_S64, value);
    if (l->op[1].neg)
        value = sass_op1(l, LANE_OP_neg, LANE_S64, value);
    bool sat = sass_has(l, SASS_MOD_SAT);
    if (from != to)
        value = sass_cast(l, (struct sass_mode){(uint8_t)to, 0, sat ? LANE_SAT : 0}, from, value);
    put_integer(l, sat ? to : unsigned_of(to), value);
}

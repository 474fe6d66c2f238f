/* Constant expressions (PTX ISA 4.5.3): the operators of C on s64, u64 and f64, no mixing of integers and floats.
 * Where the PTX ISA is silent the values are ptxas 13.0's: shift counts are taken modulo 64, % is unsigned. */
#include "isa/ptx/parse.h"

#include <string.h>

static bool parse_conditional(struct parser *p, struct value *value);

bool at_constant(const struct parser *p)
{
    switch (p->token.kind) {
    case TOKEN_INT:
    case TOKEN_F32:
    case TOKEN_F64:
    case '-':
    case '+':
    case '~':
    case '!':
    case '(':
        return true;
    case TOKEN_NAME:
        return is_word(p, "WARP_SZ");
    default:
        return false;
    }
}

static double as_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void set_double(struct value *value, double number)
{
    memcpy(&value->bits, &number, sizeof number);
}

static void set_int(struct value *value, uint64_t bits, bool is_unsigned)
{
    *value = (struct value){.kind = INSN_INT, .is_unsigned = is_unsigned, .bits = bits};
}

static void mismatch(struct parser *p, struct value *value, uint32_t start)
{
    if (value->kind != INSN_BAD)
        complain(p, span_from(p, start), "constant-type", "a constant expression cannot mix integers and floats here");
    value->kind = INSN_BAD;
    value->bits = 0;
}

/* ( expression ), or the cast (.s64) / (.u64) unary. */
static bool parse_parentheses(struct parser *p, struct value *value);

static bool parse_primary(struct parser *p, struct value *value)
{
    const struct token *t = &p->token;
    *value = (struct value){.bits = t->value, .is_unsigned = t->is_unsigned, .decimal = t->decimal};
    if (t->problem == TOKEN_BAD_NUMBER) {
        value->kind = INSN_BAD;
    } else if (t->kind == TOKEN_INT) {
        value->kind = INSN_INT;
    } else if (t->kind == TOKEN_F32) {
        value->kind = INSN_F32;
    } else if (t->kind == TOKEN_F64) {
        value->kind = INSN_F64;
    } else if (t->kind == TOKEN_NAME && is_word(p, "WARP_SZ")) {
        set_int(value, 32, false);
    } else if (t->kind == '(') {
        return parse_parentheses(p, value);
    } else {
        return expected(p, "a constant");
    }
    next(p);
    return true;
}

static void apply_unary(struct parser *p, unsigned operator, struct value * value, uint32_t start)
{
    if (value->kind == INSN_BAD)
        return;
    if (value->kind == INSN_F64 && (operator== '-' || operator== '+')) {
        if (operator== '-')
            value->bits ^= UINT64_C(1) << 63;
    } else if (value->kind != INSN_INT) {
        mismatch(p, value, start);
    } else if (operator== '-') {
        value->bits = 0 - value->bits;
    } else if (operator== '~') {
        value->bits = ~value->bits;
    } else if (operator== '!') {
        set_int(value, !value->bits, false);
    }
}

static bool parse_unary(struct parser *p, struct value *value)
{
    unsigned operator= p->token.kind;
    uint32_t start = p->token.pos;
    if (operator!= '-' && operator!= '+' && operator!= '~' && operator!= '!')
        return parse_primary(p, value);
    if (++p->nesting > NESTING) {
        complain(p, token_span(p), "too-deep", "an expression may be nested %d levels deep", NESTING);
        p->nesting--;
        return false;
    }
    next(p);
    bool ok = parse_unary(p, value);
    p->nesting--;
    if (ok)
        apply_unary(p, operator, value, start);
    return ok;
}

static bool parse_cast(struct parser *p, struct value *value)
{
    uint32_t start = p->token.pos;
    bool to_signed = is_word(p, ".s64"), to_unsigned = is_word(p, ".u64");
    if (!to_signed && !to_unsigned)
        complain(p, token_span(p), "bad-cast", "a constant can be cast to .s64 and .u64 only");
    next(p);
    if (!want(p, ')', "')'") || !parse_unary(p, value))
        return false;
    if (value->kind == INSN_INT)
        value->is_unsigned = to_unsigned;
    else
        mismatch(p, value, start);
    return true;
}

static bool parse_parentheses(struct parser *p, struct value *value)
{
    if (++p->nesting > NESTING) {
        complain(p, token_span(p), "too-deep", "an expression may be nested %d levels deep", NESTING);
        p->nesting--;
        return false;
    }
    next(p);
    bool ok = p->token.kind == TOKEN_DOT ? parse_cast(p, value) : parse_conditional(p, value) && want(p, ')', "')'");
    p->nesting--;
    return ok;
}

static unsigned precedence(unsigned operator)
{
    switch (operator) {
    case TOKEN_OR:
        return 1;
    case TOKEN_AND:
        return 2;
    case '|':
        return 3;
    case '^':
        return 4;
    case '&':
        return 5;
    case TOKEN_EQ:
    case TOKEN_NE:
        return 6;
    case '<':
    case '>':
    case TOKEN_LE:
    case TOKEN_GE:
        return 7;
    case TOKEN_SHL:
    case TOKEN_SHR:
        return 8;
    case '+':
    case '-':
        return 9;
    case '*':
    case '/':
    case '%':
        return 10;
    default:
        return 0;
    }
}

/* a < b etc. of two ordered values, given as -1, 0, 1; 2 = unordered (a NaN). */
static bool compare(unsigned operator, int order)
{
    switch (operator) {
    case TOKEN_EQ:
        return order == 0;
    case TOKEN_NE:
        return order != 0;
    case '<':
        return order == -1;
    case '>':
        return order == 1;
    case TOKEN_LE:
        return order == -1 || order == 0;
    default:
        return order == 1 || order == 0;
    }
}

static void float_binary(struct parser *p, unsigned operator, struct value * a, const struct value *b, uint32_t start)
{
    double x = as_double(a->bits), y = as_double(b->bits);
    unsigned level = precedence(operator);
    a->decimal |= b->decimal;
    if (operator== '+')
        set_double(a, x + y);
    else if (operator== '-')
        set_double(a, x - y);
    else if (operator== '*')
        set_double(a, x * y);
    else if (operator== '/')
        set_double(a, x / y);
    else if (level == 6 || level == 7)
        set_int(a, compare(operator, x<y ? -1 : x> y ? 1 : x == y ? 0 : 2), false);
    else
        mismatch(p, a, start);
}

static uint64_t divide(uint64_t x, uint64_t y, bool is_unsigned)
{
    if (is_unsigned)
        return x / y;
    if (y == UINT64_MAX) /* -1: INT64_MIN / -1 would trap */
        return 0 - x;
    return (uint64_t)((int64_t)x / (int64_t)y);
}

static uint64_t shift_right(uint64_t x, uint64_t count, bool is_unsigned)
{
    count &= 63;
    return is_unsigned || (int64_t)x >= 0 ? x >> count : ~(~x >> count);
}

static void int_binary(unsigned operator, struct value * a, const struct value *b)
{
    uint64_t x = a->bits, y = b->bits;
    bool is_unsigned = a->is_unsigned || b->is_unsigned;
    int order = x == y ? 0 : (is_unsigned ? x < y : (int64_t)x < (int64_t)y) ? -1 : 1;
    switch (operator) {
    case '+':
        set_int(a, x + y, is_unsigned);
        break;
    case '-':
        set_int(a, x - y, is_unsigned);
        break;
    case '*':
        set_int(a, x * y, is_unsigned);
        break;
    case '/':
        set_int(a, divide(x, y, is_unsigned), is_unsigned);
        break;
    case '%':
        set_int(a, x % y, is_unsigned);
        break;
    case '&':
        set_int(a, x & y, is_unsigned);
        break;
    case '|':
        set_int(a, x | y, is_unsigned);
        break;
    case '^':
        set_int(a, x ^ y, is_unsigned);
        break;
    case TOKEN_SHL:
        set_int(a, x << (y & 63), a->is_unsigned);
        break;
    case TOKEN_SHR:
        set_int(a, shift_right(x, y, a->is_unsigned), a->is_unsigned);
        break;
    case TOKEN_AND:
        set_int(a, x && y, false);
        break;
    case TOKEN_OR:
        set_int(a, x || y, false);
        break;
    default:
        set_int(a, compare(operator, order), false);
    }
}

static void apply_binary(struct parser *p, unsigned operator, struct value * a, const struct value *b, uint32_t start)
{
    if (a->kind == INSN_BAD || b->kind == INSN_BAD) {
        a->kind = INSN_BAD;
        a->bits = 0;
    } else if (a->kind == INSN_F64 && b->kind == INSN_F64) {
        float_binary(p, operator, a, b, start);
    } else if (a->kind != INSN_INT || b->kind != INSN_INT) {
        mismatch(p, a, start);
    } else if ((operator== '/' || operator== '%') && b->bits == 0) {
        complain(p, span_from(p, start), "division-by-zero", "a constant expression divides by zero");
        a->kind = INSN_BAD;
        a->bits = 0;
    } else {
        int_binary(operator, a, b);
    }
}

static bool parse_binary(struct parser *p, struct value *value, unsigned level)
{
    uint32_t start = p->token.pos;
    if (!parse_unary(p, value))
        return false;
    for (;;) {
        unsigned operator= p->token.kind, tighter = precedence(operator);
        if (tighter == 0 || tighter < level)
            return true;
        next(p);
        struct value right;
        if (!parse_binary(p, &right, tighter + 1))
            return false;
        apply_binary(p, operator, value, &right, start);
    }
}

static void choose(struct parser *p, struct value *condition, const struct value *yes, const struct value *no,
                   uint32_t start)
{
    if (condition->kind == INSN_BAD || yes->kind == INSN_BAD || no->kind == INSN_BAD) {
        condition->kind = INSN_BAD;
        condition->bits = 0;
    } else if (condition->kind != INSN_INT || yes->kind != no->kind) {
        mismatch(p, condition, start);
    } else {
        bool is_unsigned = yes->is_unsigned || no->is_unsigned;
        *condition = condition->bits ? *yes : *no;
        condition->is_unsigned = condition->kind == INSN_INT && is_unsigned;
    }
}

static bool parse_conditional(struct parser *p, struct value *value)
{
    uint32_t start = p->token.pos;
    if (!parse_binary(p, value, 1))
        return false;
    if (p->token.kind != '?')
        return true;
    if (++p->nesting > NESTING) {
        complain(p, token_span(p), "too-deep", "an expression may be nested %d levels deep", NESTING);
        p->nesting--;
        return false;
    }
    next(p);
    struct value yes, no;
    bool ok = parse_conditional(p, &yes) && want(p, ':', "':'") && parse_conditional(p, &no);
    p->nesting--;
    if (ok)
        choose(p, value, &yes, &no, start);
    return ok;
}

bool parse_constant(struct parser *p, struct value *value)
{
    return parse_conditional(p, value);
}

bool parse_integer(struct parser *p, struct value *value)
{
    uint32_t start = p->token.pos;
    if (!parse_conditional(p, value))
        return false;
    if (value->kind != INSN_INT) {
        if (value->kind != INSN_BAD)
            complain(p, span_from(p, start), "constant-type", "an integer is wanted here");
        *value = (struct value){.kind = INSN_BAD};
    }
    return true;
}

void constant_operand(const struct value *value, struct insn_operand *out)
{
    out->kind = value->kind;
    out->value = value->bits;
    out->decimal = value->decimal;
    if (value->kind != INSN_INT)
        return;
    /* INT64_MIN can only be written as the unsigned 9223372036854775808. */
    out->is_unsigned = value->is_unsigned || value->bits == UINT64_C(1) << 63;
    out->minus = !out->is_unsigned && (int64_t)value->bits < 0;
}

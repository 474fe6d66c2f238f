/* Numbers of vISA's text: expressions, with the order of operators that Intel's tool has: ?: & ^ | == < << + * from the
 * loosest to the tightest; == < << stand once between two sides. */
#include "isa/visa/parse_inner.h"

#include "base/chars.h"

#include <string.h>

enum { LOOSEST = 1, REGION = 6, SUM = 7, PRODUCT = 8 };

#define TWO(a, b)      ((uint64_t)(a) | (uint64_t)(b) << 8)
#define THREE(a, b, c) ((uint64_t)(a) | (uint64_t)(b) << 8 | (uint64_t)(c) << 16)

/* The level of the operator that is here; 0: none does. */
static unsigned level(const struct visa_parser *p)
{
    if (p->token.kind != VISA_TOKEN_PUNCTUATION)
        return 0;
    switch (p->token.value) {
    case '&':
        return 1;
    case '^':
        return 2;
    case '|':
        return 3;
    case TWO('=', '='):
    case TWO('!', '='):
        return 4;
    case '<':
    case '>':
    case TWO('<', '='):
    case TWO('>', '='):
        return 5;
    case TWO('<', '<'):
    case TWO('>', '>'):
    case THREE('>', '>', '>'):
        return 6;
    case '+':
    case '-':
        return 7;
    case '*':
    case '/':
    case '%':
        return 8;
    default:
        return 0;
    }
}

static bool divide(struct visa_parser *p, uint64_t operator, int64_t left, int64_t right, int64_t *value)
{
    if (right == 0 || (left == INT64_MIN && right == -1))
        return visa_wrong_at(p, "number", p->previous - 1, 1, right ? "a quotient too large" : "a division by 0");
    *value = operator== '/' ? left / right : left % right;
    return true;
}

static bool apply(struct visa_parser *p, uint64_t operator, int64_t a, int64_t b, int64_t *value)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    bool truth = false;
    switch (operator) {
    case '&':
        *value = a & b;
        return true;
    case '^':
        *value = a ^ b;
        return true;
    case '|':
        *value = a | b;
        return true;
    case '+':
        *value = (int64_t)(x + y);
        return true;
    case '-':
        *value = (int64_t)(x - y);
        return true;
    case '*':
        *value = (int64_t)(x * y);
        return true;
    case TWO('<', '<'):
        *value = (int64_t)(x << (y & 63));
        return true;
    case TWO('>', '>'):
        *value = (int64_t)(a < 0 ? ~(~x >> (y & 63)) : x >> (y & 63));
        return true;
    case THREE('>', '>', '>'):
        *value = (int64_t)(x >> (y & 63));
        return true;
    case TWO('=', '='):
        truth = a == b;
        break;
    case TWO('!', '='):
        truth = a != b;
        break;
    case '<':
        truth = a < b;
        break;
    case '>':
        truth = a > b;
        break;
    case TWO('<', '='):
        truth = a <= b;
        break;
    case TWO('>', '='):
        truth = a >= b;
        break;
    default:
        return divide(p, operator, a, b, value);
    }
    *value = truth;
    return true;
}

bool visa_number_operator(struct visa_parser *p, char operator, int64_t left, int64_t right, int64_t *value)
{
    return apply(p, (uint64_t) operator, left, right, value);
}

/* Depth of parentheses, signs and ?: within each other. */
static bool condition(struct visa_parser *p, int64_t *value, unsigned depth);

static bool size_of(struct visa_parser *p, int64_t *value)
{
    visa_next(p);
    bool open = visa_accept(p, '(');
    struct visa_token name = p->token;
    if (name.kind != VISA_TOKEN_NAME)
        return visa_wanted(p, "a variable's name");
    visa_next(p);
    const struct visa_symbol *symbol = p->object ? visa_symbol(p, visa_text_of(p, &name), name.length) : NULL;
    const struct visa_object *o = p->object;
    if (!symbol && name.length == 3 && memcmp(visa_text_of(p, &name), "GRF", 3) == 0)
        *value = VISA_GRF;
    else if (!symbol)
        return visa_wrong_name(p, &name, "undefined", "is not declared");
    else if (symbol->space == VISA_G)
        *value = (int64_t)visa_var_elements(o, symbol->index) * visa_type_bytes(visa_var_type(o, symbol->index));
    else if (symbol->space == VISA_A)
        *value = (int64_t)visa_declared(o, VISA_A, symbol->index)->elements * 2;
    else
        return visa_wrong_name(p, &name, "wrong-kind", "has no size: only general and address variables do");
    return !open || visa_expect(p, ')');
}

static bool primary(struct visa_parser *p, int64_t *value, unsigned depth)
{
    if (visa_is(p, VISA_TOKEN_DECIMAL) || visa_is(p, VISA_TOKEN_HEX)) {
        *value = (int64_t)p->token.value;
        visa_next(p);
        return true;
    }
    if (visa_is(p, VISA_TOKEN_SIZEOF))
        return size_of(p, value);
    if (visa_is(p, VISA_TOKEN_SIMD)) {
        if (p->simd <= 0)
            return visa_wrong_at(p, "undefined", p->token.pos, p->token.length,
                                 "%%DispatchSimd before '.kernel_attr SimdSize=...'");
        *value = p->simd;
        visa_next(p);
        return true;
    }
    if (depth >= VISA_DEPTH)
        return visa_wrong_at(p, "number", p->token.pos, p->token.length, "a number nested deeper than %d", VISA_DEPTH);
    return visa_accept(p, '(') ? condition(p, value, depth + 1) && visa_expect(p, ')') : visa_wanted(p, "a number");
}

static bool unary(struct visa_parser *p, int64_t *value, unsigned depth)
{
    bool minus = visa_is_punctuation(p, '-'), invert = visa_is_punctuation(p, '~');
    if (!minus && !invert && !visa_is_punctuation(p, '!'))
        return primary(p, value, depth);
    if (depth >= VISA_DEPTH)
        return visa_wrong_at(p, "number", p->token.pos, p->token.length, "a number nested deeper than %d", VISA_DEPTH);
    visa_next(p);
    if (!unary(p, value, depth + 1))
        return false;
    uint64_t bits = (uint64_t)*value;
    *value = minus ? (int64_t)(0 - bits) : invert ? (int64_t)~bits : !bits;
    return true;
}

/* Sides of operators of at least `lowest`. */
static bool binary(struct visa_parser *p, int64_t *value, unsigned lowest, unsigned depth)
{
    unsigned last = 9; /* the level of what was applied last: those of one side take no second one */
    if (!unary(p, value, depth))
        return false;
    for (;;) {
        unsigned here = level(p);
        if (here < lowest || here == 0 || here > last || (here == last && here >= 4 && here <= 6))
            return true;
        uint64_t operator= p->token.value;
        int64_t right;
        visa_next(p);
        if (!binary(p, &right, here + 1, depth) || !apply(p, operator, * value, right, value))
            return false;
        last = here;
    }
}

static bool condition(struct visa_parser *p, int64_t *value, unsigned depth)
{
    int64_t yes, no;
    if (!binary(p, value, LOOSEST, depth) || !visa_accept(p, '?'))
        return !p->wrong;
    if (depth >= VISA_DEPTH)
        return visa_wrong_at(p, "number", p->token.pos, p->token.length, "a number nested deeper than %d", VISA_DEPTH);
    bool ok = binary(p, &yes, LOOSEST, depth + 1) && visa_expect(p, ':') && condition(p, &no, depth + 1);
    if (ok)
        *value = *value ? yes : no;
    return ok;
}

bool visa_number(struct visa_parser *p, int64_t *value)
{
    return condition(p, value, 0);
}

bool visa_number_region(struct visa_parser *p, int64_t *value)
{
    return binary(p, value, REGION, 0);
}

bool visa_number_sum(struct visa_parser *p, int64_t *value)
{
    return binary(p, value, SUM, 0);
}

bool visa_number_unary(struct visa_parser *p, int64_t *value)
{
    return unary(p, value, 0);
}

bool visa_number_primary(struct visa_parser *p, int64_t *value)
{
    return primary(p, value, 0);
}

bool visa_digits(struct visa_parser *p, const char *what, uint64_t most, uint64_t *value)
{
    struct visa_token t = p->token;
    if (t.kind != VISA_TOKEN_DECIMAL)
        return visa_wanted(p, what);
    if (t.value > most)
        return visa_wrong_at(p, "range", t.pos, t.length, "%s: at most %llu", what, (unsigned long long)most);
    visa_next(p);
    *value = t.value;
    return true;
}

/* ---- string literals -------------------------------------------------------------------------------------- */

/* What an escape stands for; moves *at after it. -1: nothing. Octal takes any digits of ten, as Intel's tool does. */
static int escape(const char **at, const char *end)
{
    static const char plain[] = "abefnrtv'\"?\\", meant[] = "\a\b\x1b\f\n\r\t\v'\"?\\";
    const char *found = memchr(plain, **at, sizeof plain - 1);
    unsigned value = 0, digits = 0;
    if (found) {
        ++*at;
        return (unsigned char)meant[found - plain];
    }
    bool wide = **at == 'x';
    *at += wide;
    unsigned base = wide ? 16 : 8, limit = wide ? 2 : 3;
    for (; digits < limit && *at < end; digits++, ++*at) {
        if (char_digit(**at) >= (wide ? 16 : 10))
            break;
        value = value * base + char_digit(**at);
    }
    return digits ? (int)(value & 255) : -1;
}

const char *visa_literal(struct visa_parser *p, const struct visa_token *t, size_t *length)
{
    const char *at = visa_text_of(p, t) + 1, *end = at + t->length - 2;
    char *text = arena_alloc(p->arena, t->length);
    size_t used = 0;
    if (!text) {
        visa_out_of_memory(p);
        return NULL;
    }
    while (at < end) {
        const char *begin = at;
        int c = (unsigned char)*at++;
        if (c == '\\')
            c = escape(&at, end);
        if (c < 0 || used >= VISA_STRING - 1) {
            visa_wrong_at(p, "syntax", (uint32_t)(begin - p->lexer.start), 1,
                          c < 0 ? "an escape that there is not" : "a string of more than %d bytes", VISA_STRING - 1);
            return NULL;
        }
        text[used++] = (char)c;
    }
    *length = strlen(text);
    return text;
}

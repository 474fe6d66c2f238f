/* Operands of CTM's text: sources with swizzles and signs, presubtract, numbers; registers of destinations. */
#include "isa/ctm/parse.h"

#include "base/chars.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- swizzles and masks ----------------------------------------------------------------------------------- */

static bool is_letter(char c, const char *allowed, uint8_t *value)
{
    static const char also[] = "xyzw";
    const char *found = c ? strchr(also, c) : NULL;
    if (found)
        c = CTM_LETTERS[found - also];
    if (!c || !strchr(allowed, c))
        return false;
    *value = (uint8_t)(strchr(CTM_LETTERS, c) - CTM_LETTERS);
    return true;
}

unsigned ctm_parse_letters(struct ctm_parser *p, uint8_t letter[CTM_CHANNELS], const char *allowed)
{
    unsigned count = 0;
    while (count < CTM_CHANNELS && p->at < p->end && is_letter(*p->at, allowed, &letter[count])) {
        count++;
        p->at++;
    }
    if (p->at < p->end && char_word(*p->at))
        count = 0;
    return count;
}

bool ctm_parse_mask(struct ctm_parser *p, uint8_t *mask)
{
    uint8_t letter[CTM_CHANNELS];
    *mask = 15;
    if (p->at == p->end || *p->at != '.')
        return true;
    p->at++;
    *mask = 0;
    if (ctm_byte(p, '_'))
        return true;
    unsigned count = ctm_parse_letters(p, letter, "rgba");
    for (unsigned i = 0; i < count; i++)
        *mask |= (uint8_t)(1u << letter[i]);
    return count > 0 || ctm_wanted(p, "channels r, g, b, a, or _ for none");
}

/* The swizzle of an operand, if there is one. */
static bool parse_swizzle(struct ctm_parser *p, struct ctm_operand *o)
{
    if (p->at == p->end || *p->at != '.')
        return true;
    p->at++;
    o->letters = (uint8_t)ctm_parse_letters(p, o->letter, CTM_LETTERS);
    if (o->letters != 1 && o->letters != 3 && o->letters != 4)
        return ctm_wanted(p, "a swizzle of 1, 3 or 4 letters out of r g b a 0 h 1 _");
    return true;
}

/* ---- registers -------------------------------------------------------------------------------------------- */

static bool take_plus(struct ctm_parser *p)
{
    return ctm_byte(p, '+') || ctm_wanted(p, "'+' or ']'");
}

/* [aL+3], [3], [aL] */
static bool parse_index(struct ctm_parser *p, uint32_t most, uint32_t *number, bool *relative)
{
    *number = 0;
    *relative = ctm_word(p, "aL");
    if (!*relative || !ctm_byte(p, ']')) {
        if ((*relative && !take_plus(p)) || !ctm_number(p, most, "the number of a register", number))
            return false;
        if (!*relative && ctm_byte(p, '+')) {
            *relative = true;
            if (!ctm_word(p, "aL"))
                return ctm_wanted(p, "aL");
        }
        return ctm_byte(p, ']') || ctm_wanted(p, "']'");
    }
    return true;
}

/* r3, r[aL+3] after the prefix was seen; not taken where it is none. */
static bool take_register(struct ctm_parser *p, char prefix, uint32_t most, uint32_t *number, bool *relative)
{
    const char *start = p->at;
    ctm_blanks(p);
    if (p->at == p->end || (*p->at | 0x20) != prefix)
        return false;
    p->at++;
    *relative = false;
    if (p->at < p->end && *p->at == '[') {
        p->at++;
        return parse_index(p, most, number, relative);
    }
    if (p->at < p->end && *p->at >= '0' && *p->at <= '9')
        return ctm_number(p, most, prefix == 'r' ? "a temporary" : "a constant", number);
    p->at = start;
    return false;
}

bool ctm_parse_temp(struct ctm_parser *p, uint16_t *address)
{
    uint32_t number;
    bool relative;
    if (!take_register(p, 'r', CTM_TEMPS - 1, &number, &relative))
        return p->bad ? false : ctm_wanted(p, "a temporary r0 to r127");
    *address = (uint16_t)(number | (relative ? 1u << 7 : 0));
    return true;
}

/* The number of an inline constant, with a sign where `minus` asks for it. */
static bool parse_value(struct ctm_parser *p, double *value)
{
    char digits[64];
    size_t length = 0;
    ctm_blanks(p);
    const char *at = p->at;
    while (at + length < p->end && length < sizeof digits - 1 && at[length] >= '0' && at[length] <= '9')
        length++;
    if (at + length + 1 < p->end && at[length] == '.' && at[length + 1] >= '0' && at[length + 1] <= '9')
        for (length++; at + length < p->end && length < sizeof digits - 1 && at[length] >= '0' && at[length] <= '9';)
            length++;
    if (!length)
        return false;
    memcpy(digits, at, length);
    digits[length] = 0;
    *value = strtod(digits, NULL);
    p->at += length;
    return true;
}

static bool inline_address(struct ctm_parser *p, uint32_t at, double value, uint16_t *address)
{
    int bits = ctm_inline_bits(value);
    if (bits < 0)
        return ctm_wrong(
            p, at, ctm_place(p) - at,
            "%.9g is no inline constant: these are (8 to 15) * 2^-9 ... 480; keep it in a constant c0 to c255", value);
    *address = (uint16_t)(CTM_ADDRESS_INLINE | bits);
    return true;
}

/* {2.5}, {aL+2.5} after the brace. */
static bool parse_braces(struct ctm_parser *p, uint16_t *address)
{
    double value;
    uint32_t at = ctm_place(p);
    bool relative = ctm_word(p, "aL");
    if ((relative && !take_plus(p)))
        return false;
    if (!parse_value(p, &value))
        return ctm_wanted(p, "a number");
    if (!inline_address(p, at, value, address))
        return false;
    if (relative)
        *address |= CTM_ADDRESS_REL;
    return ctm_byte(p, '}') || ctm_wanted(p, "'}'");
}

bool ctm_parse_address(struct ctm_parser *p, uint16_t *address)
{
    uint32_t number;
    bool relative;
    double value;
    if (take_register(p, 'r', CTM_TEMPS - 1, &number, &relative)) {
        *address = (uint16_t)(number | (relative ? CTM_ADDRESS_REL : 0u));
        return true;
    }
    if (!p->bad && take_register(p, 'c', CTM_FLOATS - 1, &number, &relative)) {
        *address = (uint16_t)(number | CTM_ADDRESS_CONST | (relative ? CTM_ADDRESS_REL : 0u));
        return true;
    }
    if (p->bad)
        return false;
    if (ctm_byte(p, '{'))
        return parse_braces(p, address);
    ctm_blanks(p);
    uint32_t at = ctm_place(p);
    if (parse_value(p, &value))
        return inline_address(p, at, value, address);
    return ctm_wanted(p, "a temporary r0 to r127, a constant c0 to c255 or a number");
}

/* ---- operands --------------------------------------------------------------------------------------------- */

/* What follows "(1 -": INV or BIAS. */
static bool parse_one_minus(struct ctm_parser *p, struct ctm_operand *o)
{
    const char *start = p->at;
    bool twice = ctm_text(p, "2") && ctm_byte(p, '*');
    o->srcp = twice ? CTM_SRCP_BIAS : CTM_SRCP_INV;
    if (!twice)
        p->at = start;
    return ctm_parse_address(p, &o->address[0]);
}

/* (1 - r0), (1 - 2*r0), (r1 - r0), (r1 + r0) after the parenthesis: the first is src1. */
static bool parse_presubtract(struct ctm_parser *p, struct ctm_operand *o)
{
    const char *start = p->at;
    o->kind = CTM_OPERAND_SRCP;
    bool one = ctm_byte(p, '1') && ctm_byte(p, '-');
    if (one) {
        if (!parse_one_minus(p, o))
            return false;
        return ctm_byte(p, ')') || ctm_wanted(p, "')'");
    }
    p->at = start;
    if (!ctm_parse_address(p, &o->address[1]))
        return false;
    if (ctm_byte(p, '+'))
        o->srcp = CTM_SRCP_ADD;
    else if (ctm_byte(p, '-'))
        o->srcp = CTM_SRCP_SUB;
    else
        return ctm_wanted(p, "'+' or '-'");
    return ctm_parse_address(p, &o->address[0]) && (ctm_byte(p, ')') || ctm_wanted(p, "')'"));
}

/* src0 to src2, srcp. */
static bool take_slot(struct ctm_parser *p, struct ctm_operand *o)
{
    static const char *const names[] = {"src0", "src1", "src2", "srcp"};
    for (unsigned i = 0; i < 4; i++)
        if (ctm_word(p, names[i])) {
            o->kind = CTM_OPERAND_SLOT;
            o->slot = (uint8_t)i;
            return true;
        }
    return false;
}

/* A number: a letter of swizzles, or an inline constant. */
static bool take_number(struct ctm_parser *p, struct ctm_operand *o, bool *ok)
{
    double value;
    ctm_blanks(p);
    uint32_t at = ctm_place(p);
    if (!parse_value(p, &value))
        return false;
    *ok = true;
    if (value == 0 || value == 0.5 || value == 1) {
        o->kind = CTM_OPERAND_SLOT;
        o->letters = 1;
        o->letter[0] = value == 0 ? CTM_SWIZ_ZERO : value == 1 ? CTM_SWIZ_ONE : CTM_SWIZ_HALF;
    } else {
        o->kind = CTM_OPERAND_SOURCE;
        *ok = inline_address(p, at, value, &o->address[0]);
    }
    return true;
}

static bool parse_core(struct ctm_parser *p, struct ctm_operand *o)
{
    bool ok;
    if (take_number(p, o, &ok))
        return ok;
    if (ctm_byte(p, '('))
        return parse_presubtract(p, o) && parse_swizzle(p, o);
    if (take_slot(p, o)) {
        if (!parse_swizzle(p, o))
            return false;
        return o->letters || ctm_wanted(p, "a swizzle");
    }
    o->kind = CTM_OPERAND_SOURCE;
    const char *start = p->at;
    if (ctm_byte(p, '{')) {
        p->at = start;
    } else {
        const char *name;
        size_t length = ctm_name(p, &name);
        if (!length || ((name[0] | 0x20) != 'r' && (name[0] | 0x20) != 'c'))
            return ctm_wanted(p, "an operand: r0 to r127, c0 to c255, a number, a presubtract (1 - r0)");
    }
    return ctm_parse_address(p, &o->address[0]) && parse_swizzle(p, o);
}

bool ctm_parse_operand(struct ctm_parser *p, struct ctm_operand *o)
{
    *o = (struct ctm_operand){0};
    ctm_blanks(p);
    o->at = ctm_place(p);
    bool minus = ctm_byte(p, '-'), bars = ctm_byte(p, '|');
    o->mod = (uint8_t)((minus ? CTM_IMOD_NEG : 0) | (bars ? CTM_IMOD_ABS : 0));
    if (!parse_core(p, o))
        return false;
    if (bars && !ctm_byte(p, '|'))
        return ctm_wanted(p, "'|' after what began with '|'");
    o->length = ctm_place(p) - o->at;
    return true;
}

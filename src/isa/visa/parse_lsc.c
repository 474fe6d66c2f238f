/* What LSC's instructions have of their own: caches, the data's shape, addresses. Grammar: docs/visa.md, "LSC". */
#include "isa/visa/parse_inner.h"

#include "base/chars.h"

#include <string.h>

static struct visa_operand *role(struct visa_parser *p, const struct visa_form *form, const char *name)
{
    for (unsigned i = 0; i < form->nfields; i++)
        if (strcmp(form->fields[i].role, name) == 0)
            return &p->inst->ops[form->fields[i].operand];
    return NULL;
}

static void set(struct visa_parser *p, const struct visa_form *form, const char *name, uint64_t value)
{
    struct visa_operand *op = role(p, form, name);
    if (op)
        op->value = value;
}

/* .ugm.ca.ca: the memory, then what the first and the third cache do. */
static bool cache(struct visa_parser *p, const struct visa_form *form)
{
    static const char *const levels[] = {"l1", "l3"};
    if (role(p, form, "sfid")) {
        if (!visa_is_dotted(p, VISA_DOT_UNTYPED))
            return visa_wanted(p, "a memory: .ugm, .ugml or .slm");
        set(p, form, "sfid", p->token.value);
        visa_next(p);
    }
    for (unsigned i = 0; i < 2 && visa_is_dotted(p, VISA_DOT_CACHE); i++) {
        set(p, form, levels[i], p->token.value);
        visa_next(p);
    }
    return true;
}

/* ---- shapes ----------------------------------------------------------------------------------------------- */

static bool starts(const char **at, const char *end, const char *text)
{
    size_t length = strlen(text);
    if ((size_t)(end - *at) < length || memcmp(*at, text, length) != 0)
        return false;
    *at += length;
    return true;
}

/* d32, u8c32: both letters mean the same. */
static uint64_t data_size(const char **at, const char *end)
{
    static const char *const sizes[] = {"8c32", "16c32h", "16c32", "64", "32", "16", "8"};
    static const uint8_t codes[] = {5, 7, 6, 4, 3, 2, 1};
    ++*at;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (starts(at, end, sizes[i]))
            return codes[i];
    return 0;
}

/* Without a pitch the elements of channels follow each other: a number of bytes then, as GenX_IR's code has it. What is
 * written has a length. */
static void packed_pitch(struct visa_parser *p, const struct visa_form *form)
{
    static const uint8_t bytes[8] = {0, 1, 2, 4, 8, 4, 4, 4}, counts[9] = {1, 1, 2, 3, 4, 8, 16, 32, 64};
    struct visa_operand *pitch = role(p, form, "pitch");
    if (!pitch || !role(p, form, "elems") || pitch->class != VISA_IMMEDIATE || pitch->length)
        return;
    unsigned count = role(p, form, "order")->value == 2 ? 1 : counts[role(p, form, "elems")->value % 9];
    pitch->value = (uint64_t)bytes[role(p, form, "data")->value & 7] * count;
}

/* :d32x4t, :d32.xyz */
static bool shape(struct visa_parser *p, const struct visa_form *form)
{
    static const char *const elements[] = {"x1", "x2", "x3", "x4", "x8", "x16", "x32", "x64"};
    const char *at = visa_text_of(p, &p->token) + 1, *end = at + p->token.length - 1;
    if (!visa_is(p, VISA_TOKEN_SHAPE))
        return visa_wanted(p, "the data's shape: ':d32', ':d32x2', ':d32.xy'");
    set(p, form, "data", data_size(&at, end));
    set(p, form, "order", 1);
    uint64_t elems = 1; /* or a mask of channels: bytes have it in both places */
    if (at < end && *at == '.') {
        uint64_t mask = 0;
        for (at++; at < end && memchr("xyzw", *at, 4); at++)
            mask |= (uint64_t)1 << (*at == 'w' ? 3 : *at - 'x');
        if (at < end || !mask)
            return visa_wanted(p, "the data's shape: ':d32', ':d32x2', ':d32.xy'");
        elems = mask;
    } else if (at < end && *at == 'x') {
        for (unsigned i = 8; i-- > 0;)
            if (starts(&at, end, elements[i])) {
                elems = i + 1;
                break;
            }
    }
    if (at < end && *at == 't')
        set(p, form, "order", 2);
    set(p, form, "elems", elems);
    set(p, form, "channels", elems);
    packed_pitch(p, form);
    visa_next(p);
    return true;
}

/* What is more than 64 bits is too much for any count. */
static uint64_t count(const char **at, const char *end)
{
    struct digits digits;
    *at = digits_read(*at, end, 10, &digits);
    return digits.large ? UINT64_MAX : digits.value;
}

/* :d8.2x32x32nt: blocks, width, height, transposed, VNNI */
static bool shape2d(struct visa_parser *p, const struct visa_form *form)
{
    const char *at = visa_text_of(p, &p->token) + 1, *end = at + p->token.length - 1;
    uint64_t counts[3] = {1, 0, 0};
    if (!visa_is(p, VISA_TOKEN_SHAPE))
        return visa_wanted(p, "the block's shape: ':d32.2x8x16'");
    set(p, form, "data", data_size(&at, end));
    if (at == end || *at++ != '.' || at == end || *at < '0' || *at > '9')
        return visa_wanted(p, "the block's shape: ':d32.2x8x16'");
    counts[1] = count(&at, end);
    counts[2] = starts(&at, end, "x") ? count(&at, end) : 0;
    if (starts(&at, end, "x")) {
        counts[0] = counts[1];
        counts[1] = counts[2];
        counts[2] = count(&at, end);
    }
    if (counts[0] > UINT8_MAX || counts[1] > UINT16_MAX || counts[2] > UINT16_MAX)
        return visa_wrong_at(p, "range", p->token.pos, p->token.length,
                             "a block's shape: at most 255 blocks of 65535 times 65535");
    set(p, form, "blocks", counts[0]);
    set(p, form, "width", counts[1]);
    set(p, form, "height", counts[2]);
    set(p, form, "order", at < end && *at == 't' ? 2 : 1);
    set(p, form, "vnni", at + 1 < end && at[1] == 't');
    visa_next(p);
    return true;
}

/* ---- addresses -------------------------------------------------------------------------------------------- */

/* A scalar: V32, V32.1, V32(0,1), or a number, which is a ud. */
static bool scalar(struct visa_parser *p, bool number, struct visa_operand *op)
{
    struct visa_token t = p->token;
    int64_t value;
    uint32_t pos = t.pos;
    *op = (struct visa_operand){.class = VISA_GENERAL, .pos = pos, .region = (uint16_t)visa_region(1, 2, 1)};
    if (number && !visa_is_variable(p)) {
        op->class = VISA_IMMEDIATE;
        op->region = 0;
        op->type = VISA_UD;
        bool ok = visa_number(p, &value);
        op->value = ok ? (uint32_t)value : 0;
        op->length = p->previous - pos;
        return ok;
    }
    if (!visa_is_variable(p))
        return visa_wanted(p, "a variable");
    struct visa_lexer after = p->lexer;
    visa_next(p);
    if (visa_is_punctuation(p, '(')) {
        p->lexer = after;
        p->token = t;
        return visa_read_simple(p, op, visa_region(1, 2, 1));
    }
    const struct visa_symbol *symbol = visa_variable(p, &t, VISA_G);
    if (!symbol)
        return !p->wrong && visa_wrong_name(p, &t, "undefined", "is not declared");
    if (symbol->space != VISA_G)
        return visa_wrong_name(p, &t, "wrong-kind", "is no general variable");
    op->id = symbol->index;
    uint64_t column = 0;
    if (visa_accept(p, '.') && !visa_digits(p, "an element's number", UINT8_MAX, &column))
        return false;
    op->column = (uint8_t)column;
    op->length = p->previous - pos;
    return true;
}

/* flat, bti(4): without one it is flat. */
static bool model(struct visa_parser *p, const struct visa_form *form, bool surface)
{
    enum { FLAT = 1, ARG = 5 };
    struct visa_operand *op = role(p, form, "surface");
    uint64_t code = FLAT;
    bool written = visa_is(p, VISA_TOKEN_RESERVED) && (p->token.value & 255) == VISA_RESERVED_MODEL;
    *op = (struct visa_operand){.class = VISA_IMMEDIATE, .type = VISA_UD};
    if (written) {
        code = p->token.value >> 8;
        if (surface && (code == FLAT || code == ARG))
            return visa_wanted(p, "bti, ss or bss with a surface");
        visa_next(p);
    } else if (surface) {
        return visa_wanted(p, "bti, ss or bss with a surface");
    }
    set(p, form, "model", code);
    if (code == FLAT || code == ARG)
        return true;
    return visa_expect(p, '(') && scalar(p, true, op) && visa_expect(p, ')');
}

/* "4*": a product before the address' register. */
static bool scale(struct visa_parser *p, uint64_t *value)
{
    int64_t product, factor;
    char operator= '*';
    *value = 1;
    if (visa_is_variable(p))
        return true;
    uint32_t pos = p->token.pos;
    if (!visa_number_unary(p, &product))
        return false;
    for (;;) {
        if (!visa_is_punctuation(p, '*') && !visa_is_punctuation(p, '/') && !visa_is_punctuation(p, '%'))
            return visa_wanted(p, "'*' and the address' variable");
        operator=(char) p->token.value;
        visa_next(p);
        if (operator== '*' && visa_is_variable(p))
            break;
        if (!visa_number_unary(p, &factor) || !visa_number_operator(p, operator, product, factor, &product))
            return false;
    }
    if (product < 0 || product > UINT16_MAX)
        return visa_wrong_at(p, "range", pos, p->previous - pos, "a scale of %lld: 0 to 65535", (long long)product);
    *value = (uint64_t)product;
    return true;
}

/* "+0x10", "-16" after the register. */
static bool offset(struct visa_parser *p, int64_t *value)
{
    uint32_t pos = p->token.pos;
    bool minus = visa_is_punctuation(p, '-');
    *value = 0;
    if (!minus && !visa_is_punctuation(p, '+'))
        return true;
    visa_next(p);
    if (!(minus ? visa_number_primary(p, value) : visa_number_sum(p, value)))
        return false;
    *value = minus ? (int64_t)(0 - (uint64_t)*value) : *value;
    return (*value >= INT32_MIN && *value <= UINT32_MAX) ||
           visa_wrong_at(p, "range", pos, p->previous - pos, "an offset of %lld: 32 bits", (long long)*value);
}

static bool address_end(struct visa_parser *p, const struct visa_form *form)
{
    if (!visa_expect(p, ']'))
        return false;
    if (!visa_is(p, VISA_TOKEN_ASIZE))
        return visa_wanted(p, "the address' size: ':a16', ':a32' or ':a64'");
    set(p, form, "asize", p->token.value);
    visa_next(p);
    return true;
}

/* flat[4*V32+0x10]:a64; of strided ones [V32, 16] */
static bool address(struct visa_parser *p, const struct visa_form *form)
{
    uint64_t scaled;
    int64_t bytes;
    struct visa_operand *pitch = role(p, form, "pitch");
    if (!model(p, form, false) || !visa_expect(p, '[') || !scale(p, &scaled) ||
        !visa_read_payload(p, role(p, form, "base"), false) || !offset(p, &bytes))
        return false;
    set(p, form, "scale", scaled);
    set(p, form, "offset", (uint32_t)bytes);
    if (pitch) {
        *pitch = (struct visa_operand){.class = VISA_IMMEDIATE, .type = VISA_UD};
        if (visa_accept(p, ',') && !scalar(p, true, pitch))
            return false;
        packed_pitch(p, form);
    }
    return address_end(p, form);
}

/* bti(4)[u,v,r,lod]:a32: one coordinate at least */
static bool texel(struct visa_parser *p, const struct visa_form *form)
{
    static const char *const coordinates[] = {"u", "v", "r", "lod"};
    if (!model(p, form, true) || !visa_expect(p, '['))
        return false;
    for (unsigned i = 0; i < 4; i++) /* what is missing is %null */
        *role(p, form, coordinates[i]) = (struct visa_operand){.class = VISA_RAW, .id = VISA_NULL};
    for (unsigned i = 0; i < 4; i++) {
        if (i && !visa_accept(p, ','))
            break;
        if (!visa_read_payload(p, role(p, form, coordinates[i]), false))
            return false;
    }
    return address_end(p, form);
}

/* flat[base,width,height,pitch,x,y] */
static bool address2d(struct visa_parser *p, const struct visa_form *form)
{
    static const char *const parts[] = {"base", "w", "h", "pitch", "x", "y"};
    enum { FLAT = VISA_RESERVED_MODEL | 1 << 8 };
    if (!visa_is(p, VISA_TOKEN_RESERVED) || p->token.value != FLAT)
        return visa_wanted(p, "flat[base,width,height,pitch,x,y]");
    visa_next(p);
    if (!visa_expect(p, '['))
        return false;
    for (unsigned i = 0; i < 6; i++)
        if ((i && !visa_expect(p, ',')) || !scalar(p, i != 0, role(p, form, parts[i])))
            return false;
    return visa_expect(p, ']');
}

/* What lsc_read_state_info reads: 32 bits of a surface's description, by one channel. */
static bool target(struct visa_parser *p, const struct visa_form *form)
{
    set(p, form, "asize", 2);
    set(p, form, "data", 3);
    set(p, form, "order", 1);
    set(p, form, "elems", 1);
    set(p, form, "channels", 1);
    return model(p, form, true);
}

bool visa_read_lsc(struct visa_parser *p, const struct visa_form *form, const struct visa_piece *piece)
{
    static const struct {
        const char *name;
        bool (*read)(struct visa_parser *p, const struct visa_form *form);
    } composites[] = {{"cache", cache},   {"shape", shape},     {"address", address},    {"texel", texel},
                      {"target", target}, {"shape2d", shape2d}, {"address2d", address2d}};
    for (unsigned i = 0; i < sizeof composites / sizeof *composites; i++)
        if (strlen(composites[i].name) == piece->length && memcmp(composites[i].name, piece->text, piece->length) == 0)
            return composites[i].read(p, form);
    return true;
}

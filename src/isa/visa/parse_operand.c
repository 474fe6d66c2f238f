/* Operands of vISA's text. Grammar: docs/visa.md, "Operands in text". */
#include "isa/visa/parse_inner.h"

#include "base/decimal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- variables -------------------------------------------------------------------------------------------- */

static const char *const kinds[VISA_SPACES] = {
    "is no general variable", "is no address variable", "is no predicate",   "is no label",
    "is no sampler",          "is no surface",          "is no VME variable"};

/* The index of a name that must be of a space. */
static bool variable_of(struct visa_parser *p, const struct visa_token *name, enum visa_space space, uint32_t *id)
{
    const struct visa_symbol *symbol = visa_variable(p, name, space);
    if (!symbol)
        return !p->wrong && visa_wrong_name(p, name, "undefined", "is not declared");
    if (symbol->space != space)
        return visa_wrong_name(p, name, "wrong-kind", kinds[space]);
    *id = symbol->index;
    return true;
}

/* Surfaces and samplers are one kind to Intel's tool, which takes the index in the wrong table. */
bool visa_read_state(struct visa_parser *p, struct visa_operand *op, enum visa_space space)
{
    struct visa_token t = p->token;
    if (!visa_is_variable(p))
        return visa_wanted(p, space == VISA_T ? "a surface" : "a sampler");
    visa_next(p);
    const struct visa_symbol *symbol = visa_variable(p, &t, space);
    if (!symbol)
        return !p->wrong && visa_wrong_name(p, &t, "undefined", "is not declared");
    if (symbol->space != VISA_S && symbol->space != VISA_T)
        return visa_wrong_name(p, &t, "wrong-kind", kinds[space]);
    if (symbol->space != space)
        visa_warn(p, "wrong-kind", t.pos, t.length, "'%.*s' %s: its number, %u, is taken for one", (int)t.length,
                  visa_text_of(p, &t), kinds[space], symbol->index);
    op->class = space == VISA_T ? VISA_SURFACE : VISA_SAMPLER;
    op->id = symbol->index;
    return true;
}

/* A number and where it is. */
struct span {
    uint32_t pos, end;
    int64_t value;
};

static bool span(struct visa_parser *p, bool region, struct span *out)
{
    out->pos = p->token.pos;
    bool ok = region ? visa_number_region(p, &out->value) : visa_number(p, &out->value);
    out->end = p->previous;
    return ok;
}

/* A number that the format has a byte for: Intel's tool drops the rest. */
static uint8_t narrow(struct visa_parser *p, const struct span *at, const char *what)
{
    if (at->value < 0 || at->value > UINT8_MAX)
        visa_warn(p, "range", at->pos, at->end - at->pos, "%s %lld does not fit a byte: it is taken as %u", what,
                  (long long)at->value, (unsigned)(at->value & 255));
    return (uint8_t)at->value;
}

static bool out_of_range(struct visa_parser *p, const struct span *at, const char *what, int64_t least, int64_t most)
{
    return visa_wrong_at(p, "range", at->pos, at->end - at->pos, "%s %lld: %lld to %lld", what, (long long)at->value,
                         (long long)least, (long long)most);
}

/* ---- regions ---------------------------------------------------------------------------------------------- */

/* The code of a stride or width; false: not one of the list that ends with `most`. */
static bool stride(struct visa_parser *p, const struct span *at, const char *what, int64_t most, unsigned *code)
{
    int64_t value = at->value;
    static const uint8_t codes[] = {1, 2, 3, 0, 4}; /* of 0, 1, 2, -, 4 */
    *code = value == 32 ? 7 : value == 16 ? 6 : value == 8 ? 5 : value >= 0 && value <= 4 ? codes[value] : 0;
    return (*code && value <= most) ||
           visa_wrong_at(p, "region", at->pos, at->end - at->pos, "%s of %lld: 0, 1, 2, 4%s", what, (long long)value,
                         most == 32   ? ", 8, 16 or 32"
                         : most == 16 ? ", 8 or 16"
                                      : "");
}

/* <1> */
static bool destination_region(struct visa_parser *p, uint16_t *region)
{
    struct span h;
    unsigned code;
    if (!visa_expect(p, '<') || !span(p, true, &h) || !visa_expect(p, '>') ||
        !stride(p, &h, "a horizontal stride", 4, &code))
        return false;
    *region = (uint16_t)visa_region(0, 0, code);
    return true;
}

/* <v;w,h>; of indirect operands <w,h> and <h>, too. */
static bool source_region(struct visa_parser *p, bool indirect, uint16_t *region)
{
    struct span v = {0}, w = {0}, h = {0};
    unsigned vc = 0, wc = 0, hc = 0;
    if (!visa_expect(p, '<') || !span(p, true, &v))
        return false;
    bool vertical = visa_accept(p, ';'), width = vertical || (indirect && visa_accept(p, ','));
    if (!width && !indirect)
        return visa_wanted(p, "';' of a region <v;w,h>");
    if (vertical && (!span(p, false, &w) || !visa_expect(p, ',')))
        return false;
    if (width && !vertical && !visa_is(p, VISA_TOKEN_DECIMAL))
        return visa_wanted(p, "digits: the horizontal stride of a region <w,h>");
    if (width && !span(p, true, &h))
        return false;
    if (!width)
        h = v;
    else if (!vertical)
        w = v;
    bool ok = visa_expect(p, '>') && (!vertical || stride(p, &v, "a vertical stride", 32, &vc)) &&
              (!width || stride(p, &w, "a width", 16, &wc)) && stride(p, &h, "a horizontal stride", 4, &hc);
    *region = (uint16_t)visa_region(vc, wc, hc);
    return ok;
}

/* ---- immediates ------------------------------------------------------------------------------------------- */

/* A float goes through double, as in Intel's tool. */
static void float_value(struct visa_operand *op, double value, bool wide)
{
    float narrow_value = (float)value;
    uint32_t bits;
    op->type = wide ? VISA_DF : VISA_F;
    memcpy(&bits, &narrow_value, sizeof bits);
    if (wide)
        memcpy(&op->value, &value, sizeof value);
    else
        op->value = bits;
}

static bool float_literal(struct visa_parser *p, bool minus, struct visa_operand *op)
{
    struct visa_token t = p->token;
    bool wide = t.kind == VISA_TOKEN_F64;
    double value = 0;
    size_t used;
    visa_next(p);
    if (!decimal_double(visa_text_of(p, &t), t.length, &value, &used))
        return visa_out_of_memory(p);
    if (!wide)
        value = (float)value;
    float_value(op, minus ? -value : value, wide);
    return true;
}

/* 0x3f800000:f and 1:f are the bits of a float. */
static void float_bits(struct visa_operand *op, uint64_t number, bool minus, bool wide)
{
    uint32_t low = (uint32_t)number;
    float narrow_value;
    double value;
    memcpy(&narrow_value, &low, sizeof low);
    memcpy(&value, &number, sizeof value);
    if (!wide)
        value = narrow_value;
    float_value(op, minus ? -value : value, wide);
}

static bool is_type(const struct visa_parser *p, unsigned type)
{
    return visa_is(p, VISA_TOKEN_TYPE) && p->token.value == type;
}

/* The type after an integer: no float's, that would take its bits from a literal only. */
static bool integer_type(struct visa_parser *p, int64_t value, struct visa_operand *op)
{
    if (!visa_is(p, VISA_TOKEN_TYPE) || visa_type_float((unsigned)p->token.value)) {
        if (!is_type(p, VISA_VF))
            return visa_wanted(p, "':' with the type of an integer");
    }
    op->type = (uint8_t)p->token.value;
    op->value = visa_type_bytes(op->type) == 8 ? (uint64_t)value : (uint32_t)value;
    visa_next(p);
    return true;
}

/* A literal whose type decides what it is. */
static bool literal(struct visa_parser *p, bool minus, struct visa_operand *op)
{
    struct visa_token t = p->token;
    visa_next(p);
    if (is_type(p, VISA_F) || is_type(p, VISA_DF)) {
        float_bits(op, t.value, minus, is_type(p, VISA_DF));
        visa_next(p);
        return true;
    }
    if (is_type(p, VISA_HF) && t.kind == VISA_TOKEN_HEX && !minus) {
        if (t.value > UINT16_MAX)
            return visa_wrong_at(p, "range", t.pos, t.length, "a half float of more than 16 bits");
        op->type = VISA_HF;
        op->value = t.value;
        visa_next(p);
        return true;
    }
    return integer_type(p, (int64_t)(minus ? 0 - t.value : t.value), op);
}

static bool immediate(struct visa_parser *p, struct visa_operand *op)
{
    int64_t value;
    op->class = VISA_IMMEDIATE;
    bool minus = visa_accept(p, '-');
    if (visa_is(p, VISA_TOKEN_F32) || visa_is(p, VISA_TOKEN_F64))
        return float_literal(p, minus, op);
    if (visa_is(p, VISA_TOKEN_DECIMAL) || visa_is(p, VISA_TOKEN_HEX))
        return literal(p, minus, op);
    if (!visa_number_unary(p, &value))
        return false;
    return integer_type(p, minus ? (int64_t)(0 - (uint64_t)value) : value, op);
}

/* ---- vector operands -------------------------------------------------------------------------------------- */

/* r[A0(0),4] */
static bool indirect(struct visa_parser *p, struct visa_operand *op, bool destination)
{
    struct span element, bytes = {0};
    visa_next(p);
    struct visa_token t = p->token;
    if (!visa_is_variable(p))
        return visa_wanted(p, "an address variable");
    visa_next(p);
    op->class = VISA_INDIRECT;
    if (!variable_of(p, &t, VISA_A, &op->id) || !visa_expect(p, '(') || !span(p, false, &element) ||
        !visa_expect(p, ')') || (visa_accept(p, ',') && !span(p, false, &bytes)))
        return false;
    op->element = narrow(p, &element, "element");
    if (bytes.value < INT16_MIN || bytes.value > UINT16_MAX)
        visa_warn(p, "range", bytes.pos, bytes.end - bytes.pos, "offset %lld does not fit 16 bits: it is taken as %d",
                  (long long)bytes.value, (int)(int16_t)bytes.value);
    op->bytes = (int16_t)bytes.value;
    if (!visa_expect(p, ']') ||
        !(destination ? destination_region(p, &op->region) : source_region(p, true, &op->region)))
        return false;
    if (!visa_is(p, VISA_TOKEN_TYPE))
        return visa_wanted(p, "':' with a type");
    op->type = (uint8_t)p->token.value;
    visa_next(p);
    return true;
}

/* &V32[4] */
static bool address_of(struct visa_parser *p, struct visa_operand *op)
{
    struct span bytes = {0};
    visa_next(p);
    struct visa_token t = p->token;
    if (!visa_is_variable(p))
        return visa_wanted(p, "a variable's name");
    visa_next(p);
    const struct visa_symbol *symbol = visa_variable(p, &t, VISA_G);
    if (!symbol)
        return !p->wrong && visa_wrong_name(p, &t, "undefined", "is not declared");
    if (symbol->space == VISA_A || symbol->space == VISA_P)
        return visa_wrong_name(p, &t, "wrong-kind", "has no address: general variables, samplers and surfaces do");
    if (visa_accept(p, '[') && (!span(p, false, &bytes) || !visa_expect(p, ']')))
        return false;
    if (bytes.value < INT16_MIN || bytes.value > INT16_MAX)
        return out_of_range(p, &bytes, "an address at byte", INT16_MIN, INT16_MAX);
    op->class = VISA_ADDRESS_OF;
    op->space = (uint8_t)symbol->space;
    op->id = symbol->index;
    op->bytes = (int32_t)bytes.value;
    op->element = (uint8_t)bytes.value;
    if (symbol->space == VISA_G) { /* bytes have a source there: a row, a column, <0;1,0> */
        unsigned size = visa_type_bytes(visa_var_type(p->object, op->id)), place = (unsigned)bytes.value;
        op->row = (uint8_t)(place / VISA_GRF);
        op->column = (uint8_t)(size ? place % VISA_GRF / size : 0);
        op->region = (uint16_t)visa_region(1, 2, 1);
    }
    return true;
}

/* A0(0)<1>, after the parenthesis. */
static bool address(struct visa_parser *p, const struct visa_token *name, const struct span *element,
                    struct visa_operand *op)
{
    struct span width;
    op->class = VISA_ADDRESS;
    op->element = narrow(p, element, "element");
    if (!variable_of(p, name, VISA_A, &op->id) || !visa_expect(p, '<') || !span(p, true, &width) ||
        !visa_expect(p, '>'))
        return false;
    for (op->width = 0; op->width < 5; op->width++)
        if (width.value == 1 << op->width)
            return true;
    return visa_wrong_at(p, "range", width.pos, width.end - width.pos, "a width of %lld: 1, 2, 4, 8 or 16",
                         (long long)width.value);
}

static bool state(struct visa_parser *p, const struct visa_token *name, const struct span *element,
                  struct visa_operand *op)
{
    const struct visa_symbol *symbol = visa_variable(p, name, VISA_T);
    if (!symbol)
        return !p->wrong && visa_wrong_name(p, name, "undefined", "is not declared");
    if (symbol->space != VISA_S && symbol->space != VISA_T)
        return visa_wrong_name(p, name, "wrong-kind", "is no sampler or surface");
    if (element->value > UINT8_MAX)
        return out_of_range(p, element, "element", 0, UINT8_MAX);
    op->class = VISA_STATE;
    op->space = (uint8_t)symbol->space;
    op->id = symbol->index;
    op->element = narrow(p, element, "element");
    return true;
}

static bool general(struct visa_parser *p, const struct visa_token *name, bool destination, struct visa_operand *op)
{
    op->class = VISA_GENERAL;
    return variable_of(p, name, VISA_G, &op->id) &&
           (destination ? destination_region(p, &op->region) : source_region(p, false, &op->region));
}

/* The rest of (row, column); the row was read. */
static bool column(struct visa_parser *p, const struct span *row, struct visa_operand *op)
{
    struct span element;
    if (!span(p, false, &element) || !visa_expect(p, ')'))
        return false;
    if (row->value < 0)
        return out_of_range(p, row, "row", 0, UINT8_MAX);
    if (element.value < 0 || element.value > UINT16_MAX)
        return out_of_range(p, &element, "column", 0, UINT8_MAX);
    op->row = narrow(p, row, "row");
    op->column = narrow(p, &element, "column");
    return true;
}

static bool predicate(struct visa_parser *p, const struct visa_token *name, struct visa_operand *op)
{
    op->class = VISA_PREDICATE;
    if (!variable_of(p, name, VISA_P, &op->id))
        return false;
    op->value = op->id;
    return true;
}

#define BIT(class) (1u << (class))

/* What begins with a variable's name: what follows the name says which operand it is. */
static bool named(struct visa_parser *p, unsigned classes, bool destination, struct visa_operand *op)
{
    struct visa_token t = p->token;
    struct span first;
    visa_next(p);
    if (visa_is_punctuation(p, '<') && destination && (classes & BIT(VISA_GENERAL)))
        return general(p, &t, true, op);
    if (!visa_is_punctuation(p, '(') && (classes & BIT(VISA_PREDICATE)))
        return predicate(p, &t, op);
    if (!visa_expect(p, '(') || !span(p, false, &first))
        return false;
    if (visa_is_punctuation(p, ',') && (classes & BIT(VISA_GENERAL))) {
        visa_next(p);
        return column(p, &first, op) && general(p, &t, destination, op);
    }
    bool closed = visa_accept(p, ')');
    if (closed && (classes & BIT(VISA_STATE)))
        return state(p, &t, &first, op);
    if (closed && (classes & BIT(VISA_ADDRESS)))
        return address(p, &t, &first, op);
    return visa_wanted(p, classes & BIT(VISA_GENERAL) ? "',' of (row,column)" : "')'");
}

static bool wanted_class(struct visa_parser *p, unsigned classes, bool destination)
{
    static const char *const names[] = {
        "V32(0,0) with a region", "A0(0)<1>", "a predicate", "r[A0(0),0] with a region and a type", "&V32",
        "an immediate",           "T6(0)"};
    char list[160];
    size_t used = 0;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (classes & BIT(i)) {
            int more = snprintf(list + used, sizeof list - used, "%s%s", used ? " or " : "", names[i]);
            used += more > 0 ? (size_t)more : 0;
        }
    char wanted[200];
    snprintf(wanted, sizeof wanted, "a %s: %s", destination ? "destination" : "source", list);
    return visa_wanted(p, wanted);
}

static bool begins_number(const struct visa_parser *p)
{
    switch (p->token.kind) {
    case VISA_TOKEN_DECIMAL:
    case VISA_TOKEN_HEX:
    case VISA_TOKEN_F32:
    case VISA_TOKEN_F64:
    case VISA_TOKEN_SIZEOF:
    case VISA_TOKEN_SIMD:
        return true;
    default:
        return visa_is_punctuation(p, '-') || visa_is_punctuation(p, '~') || visa_is_punctuation(p, '!') ||
               visa_is_punctuation(p, '(');
    }
}

static bool operand(struct visa_parser *p, struct visa_operand *op, unsigned classes, bool destination)
{
    if (!destination && visa_is(p, VISA_TOKEN_MODIFIER) && (classes & BIT(VISA_GENERAL))) {
        op->modifier = (uint8_t)p->token.value;
        classes &= BIT(VISA_GENERAL) | BIT(VISA_INDIRECT);
        visa_next(p);
    }
    if (visa_is(p, VISA_TOKEN_INDIRECT) && (classes & BIT(VISA_INDIRECT)))
        return indirect(p, op, destination);
    if (visa_is_punctuation(p, '&') && (classes & BIT(VISA_ADDRESS_OF)))
        return address_of(p, op);
    if (visa_is_variable(p))
        return named(p, classes, destination, op);
    if ((classes & BIT(VISA_IMMEDIATE)) && begins_number(p))
        return immediate(p, op);
    return wanted_class(p, classes, destination);
}

bool visa_read_operand(struct visa_parser *p, struct visa_operand *op, unsigned classes, bool destination)
{
    uint32_t pos = p->token.pos;
    *op = (struct visa_operand){.pos = pos};
    bool ok = operand(p, op, classes, destination);
    op->length = p->previous - pos;
    return ok;
}

bool visa_read_simple(struct visa_parser *p, struct visa_operand *op, unsigned region)
{
    struct visa_token t = p->token;
    struct span row;
    *op = (struct visa_operand){.class = VISA_GENERAL, .pos = t.pos, .region = (uint16_t)region};
    if (!visa_is_variable(p))
        return visa_wanted(p, "a variable with (row,column)");
    visa_next(p);
    if (!visa_expect(p, '(') || !span(p, false, &row) || !visa_expect(p, ',') || !column(p, &row, op))
        return false;
    op->length = p->previous - t.pos;
    return variable_of(p, &t, VISA_G, &op->id);
}

/* ---- raw operands ----------------------------------------------------------------------------------------- */

static bool raw_variable(struct visa_parser *p, const struct visa_token *t, struct visa_operand *op)
{
    *op = (struct visa_operand){.class = VISA_RAW, .pos = t->pos, .length = t->length};
    return variable_of(p, t, VISA_G, &op->id);
}

/* ".4", ".(4+4)": bytes after the variable's start. */
static bool raw_offset(struct visa_parser *p, bool null, struct visa_operand *op)
{
    enum { MOST = 0x10000 };
    struct span bytes;
    if (!visa_expect(p, '.'))
        return false;
    bool digits = visa_is(p, VISA_TOKEN_DECIMAL);
    if (!digits && (null || !visa_is_punctuation(p, '(')))
        return visa_wanted(p, null ? "the offset 0 of %null" : "an offset in bytes, or '('");
    if (digits)
        bytes = (struct span){p->token.pos, p->token.pos + p->token.length, (int64_t)p->token.value};
    visa_next(p);
    if (!digits && (!span(p, false, &bytes) || !visa_expect(p, ')')))
        return false;
    if (null && bytes.value)
        return visa_wrong_at(p, "range", bytes.pos, bytes.end - bytes.pos, "%%null has the offset 0 only");
    if (bytes.value > MOST)
        return out_of_range(p, &bytes, "offset", 0, UINT16_MAX);
    if (bytes.value < 0 || bytes.value == MOST)
        visa_warn(p, "range", bytes.pos, bytes.end - bytes.pos, "offset %lld does not fit 16 bits: it is taken as %u",
                  (long long)bytes.value, (unsigned)(bytes.value & UINT16_MAX));
    op->bytes = (int32_t)(bytes.value & UINT16_MAX);
    op->length = p->previous - op->pos;
    return true;
}

bool visa_read_raw(struct visa_parser *p, struct visa_operand *op)
{
    struct visa_token t = p->token;
    if (!visa_is_variable(p))
        return visa_wanted(p, "a variable with its offset, V32.0, or %null.0");
    visa_next(p);
    return raw_variable(p, &t, op) && raw_offset(p, t.kind == VISA_TOKEN_NULL, op);
}

bool visa_read_payload(struct visa_parser *p, struct visa_operand *op, bool null)
{
    struct visa_token t = p->token;
    if (!visa_is_variable(p) || (t.kind == VISA_TOKEN_NULL && !null))
        return visa_wanted(p, "a variable");
    visa_next(p);
    if (!raw_variable(p, &t, op))
        return false;
    return !visa_is_punctuation(p, '.') || raw_offset(p, t.kind == VISA_TOKEN_NULL, op);
}

/* ---- execution size, predicate ---------------------------------------------------------------------------- */

static bool channels(struct visa_parser *p, uint8_t *code)
{
    struct visa_token t = p->token;
    if (t.kind != VISA_TOKEN_DECIMAL)
        return visa_wanted(p, "an execution size: 1, 2, 4, 8, 16 or 32");
    for (*code = 0; *code < 6; ++*code)
        if (t.value == 1u << *code) {
            visa_next(p);
            return true;
        }
    return visa_wrong_at(p, "exec-size", t.pos, t.length, "an execution size of %.*s: 1, 2, 4, 8, 16 or 32",
                         (int)(t.length < 20 ? t.length : 20), visa_text_of(p, &t));
}

/* M1 to M8, M1_NM to M8_NM, NoMask. */
static bool mask(struct visa_parser *p, uint8_t *bits)
{
    struct visa_token t = p->token;
    const char *text = visa_text_of(p, &t);
    bool numbered = t.length >= 2 && text[0] == 'M' && text[1] >= '1' && text[1] <= '8';
    visa_next(p);
    if (t.length == 6 && memcmp(text, "NoMask", 6) == 0)
        *bits = VISA_NO_MASK;
    else if (numbered && t.length == 2)
        *bits = (uint8_t)((text[1] - '1') << 4);
    else if (numbered && t.length == 5 && memcmp(text + 2, "_NM", 3) == 0)
        *bits = (uint8_t)((text[1] - '1') << 4 | VISA_NO_MASK);
    else
        return visa_wrong_name(p, &t, "exec-mask", "is no mask: M1 to M8, M1_NM to M8_NM or NoMask");
    return true;
}

bool visa_read_exec(struct visa_parser *p, uint8_t *exec)
{
    uint8_t code = 0, bits = 0;
    if (!visa_expect(p, '('))
        return false;
    if (visa_is_variable(p) && (!mask(p, &bits) || !visa_expect(p, ',')))
        return false;
    if (!channels(p, &code) || !visa_expect(p, ')'))
        return false;
    *exec = code | bits;
    return true;
}

bool visa_read_predicate(struct visa_parser *p, uint16_t *word)
{
    uint32_t id = 0;
    *word = 0;
    if (!visa_accept(p, '('))
        return true;
    bool inverse = visa_accept(p, '!');
    if (inverse && visa_accept(p, ')')) { /* bytes can invert no predicate */
        p->spelling = VISA_SPELLED_OWN;
        *word = VISA_PRED_NOT;
        return true;
    }
    struct visa_token t = p->token;
    if (!visa_is_variable(p))
        return visa_wanted(p, "a predicate");
    visa_next(p);
    if (!variable_of(p, &t, VISA_P, &id))
        return false;
    unsigned control = visa_is_dotted(p, VISA_DOT_CONTROL) ? (unsigned)p->token.value : 0;
    if (control)
        visa_next(p);
    *word = (uint16_t)(id | control | (inverse ? VISA_PRED_NOT : 0));
    return visa_expect(p, ')');
}

/* Parses one instruction line:
 *
 *   @!%p1 %f1, _ = ld.global.v2.f32 [%rd1+8] !12
 *   guard  destinations  mnemonic    sources   line of the source text
 */
#include <string.h>

#include "lane/form.h"
#include "lane/names.h"
#include "lane/parse.h"

enum { MAX_OPERANDS = 255 };

struct line {
    struct lane_inst inst; /* fields of the mnemonic */
    struct lane_access access;
    struct lane_operand dst[MAX_OPERANDS], src[MAX_OPERANDS];
};

/* ---- mnemonic ------------------------------------------------------------------------------------ */

/* Takes ".name" off the front if one of the names fits; the longest does ("tid.x"). */
static bool take(struct word *rest, const struct lane_names *names, unsigned *value)
{
    size_t best = 0;
    for (unsigned i = 0; i < names->count; i++) {
        size_t length = names->names[i] ? strlen(names->names[i]) : 0;
        if (length <= best || length + 1 > rest->length || memcmp(rest->start + 1, names->names[i], length) != 0)
            continue;
        if (length + 1 == rest->length || rest->start[length + 1] == '.') {
            best = length;
            *value = i;
        }
    }
    if (!best)
        return false;
    rest->start += best + 1;
    rest->length -= best + 1;
    return true;
}

static bool take_text(struct word *rest, const char *text)
{
    const struct lane_names one = {&text, 1};
    unsigned value;
    return take(rest, &one, &value);
}

static bool take_type(struct word *rest, uint8_t *type)
{
    for (unsigned i = 0; i < LANE_TYPES; i++)
        if (take_text(rest, lane_type_name(i))) {
            *type = (uint8_t)i;
            return true;
        }
    return false;
}

/* Fields that must be there. */
static bool need(struct parser *p, struct word *rest, const struct lane_names *names, const char *what, uint8_t *field)
{
    unsigned value = 0;
    if (!take(rest, names, &value))
        return scan_fail_at(&p->scan, rest->start, "wanted .%s, read '%.*s'", what, (int)(rest->length & 0xff),
                            rest->start);
    *field = (uint8_t)value;
    return true;
}

static void may(struct word *rest, const struct lane_names *names, uint8_t *field)
{
    unsigned value = 0;
    if (take(rest, names, &value))
        *field = (uint8_t)value;
}

static bool need_type(struct parser *p, struct word *rest, uint8_t *type)
{
    return take_type(rest, type) ||
           scan_fail_at(&p->scan, rest->start, "wanted a type, read '%.*s'", (int)(rest->length & 0xff), rest->start);
}

/* .mode .cmp .round .flags .type .type2 */
static bool suffix(struct parser *p, struct word *rest, struct lane_inst *inst)
{
    const struct lane_row *row = &lane_rows[inst->op];
    const struct lane_names *modes = lane_mode_names(inst->op);
    if (modes && !need(p, rest, modes, "mode", &inst->mode))
        return false;
    if (lane_uses(row, 'c') && !need(p, rest, &lane_cmp_names, "comparison", &inst->cmp))
        return false;
    may(rest, &lane_round_names, &inst->round);
    for (unsigned bit; take(rest, &lane_flag_names, &bit);)
        inst->flags |= (uint16_t)(1u << bit);
    if (strcmp(row->types, ".") != 0 && !need_type(p, rest, &inst->type))
        return false;
    return !lane_uses(row, '2') || need_type(p, rest, &inst->type2);
}

/* .space | .dim .clamp .unit .level .p .fixed .snorm .short .tuple .residency; .bounded .readonly .order .scope .ftz
 * .nan .vec .type; atomics have their operation early */
static bool access_suffix(struct parser *p, struct word *rest, unsigned op, struct lane_access *a)
{
    bool surface = lane_is(op, LANE_TEXELS);
    a->space = LANE_SURFACE;
    a->vec = 1;
    if (!surface && !need(p, rest, &lane_space_names, "space", &a->space))
        return false;
    if (lane_is(op, LANE_UPDATES) && !need(p, rest, &lane_atomic_names, "atomic", &a->atomic))
        return false;
    if (surface) {
        if (!need(p, rest, &lane_dim_names, "dimension", &a->dim) ||
            !need(p, rest, &lane_clamp_names, "clamp", &a->clamp) || !need(p, rest, &lane_unit_names, "unit", &a->unit))
            return false;
        a->level = take_text(rest, "level");
        a->formatted = take_text(rest, "p");
        a->fixed = take_text(rest, "fixed");
        a->snorm = take_text(rest, "snorm");
        a->short_rows = take_text(rest, "short");
        a->uniform_tuple = take_text(rest, "tuple");
        a->residency = take_text(rest, "residency");
    }
    a->bounded = take_text(rest, "bounded");
    a->read_only = take_text(rest, "readonly");
    may(rest, &lane_order_names, &a->order);
    may(rest, &lane_scope_names, &a->scope);
    if (take_text(rest, "ftz"))
        a->flags |= LANE_FTZ;
    a->keeps_nan = take_text(rest, "nan");
    static const char *const vectors[] = {NULL, NULL, "v2", NULL, "v4", NULL, NULL, NULL, "v8"};
    may(rest, &(struct lane_names){vectors, sizeof vectors / sizeof *vectors}, &a->vec);
    return need_type(p, rest, &a->type);
}

static bool find_op(struct word name, uint16_t *op)
{
    for (unsigned i = 0; i < LANE_OPS; i++)
        if (scan_is(name, lane_rows[i].name)) {
            *op = (uint16_t)i;
            return true;
        }
    return false;
}

static bool mnemonic(struct parser *p, struct line *line)
{
    struct word word;
    if (!scan_word(&p->scan, &word))
        return false;
    const char *dot = memchr(word.start, '.', word.length);
    struct word name = {word.start, dot ? (size_t)(dot - word.start) : word.length};
    if (!find_op(name, &line->inst.op))
        return scan_fail_at(&p->scan, word.start, "no such operation '%.*s'", (int)(name.length & 0xff), name.start);
    struct word rest = {word.start + name.length, word.length - name.length};
    if (!suffix(p, &rest, &line->inst))
        return false;
    if (lane_aux(&lane_rows[line->inst.op]) == 'a' && !access_suffix(p, &rest, line->inst.op, &line->access))
        return false;
    if (rest.length)
        return scan_fail_at(&p->scan, rest.start, "'%.*s' has no place here", (int)(rest.length & 0xff), rest.start);
    return true;
}

/* ---- operands ------------------------------------------------------------------------------------ */

static bool fits(uint64_t lo, uint64_t hi, uint32_t width)
{
    if (width >= 128)
        return true;
    return hi == 0 && (width >= 64 || lo >> width == 0);
}

/* A number or &symbol+offset, and :width where the operand's width does not follow. */
static bool constant(struct parser *p, unsigned expected, struct lane_operand *o)
{
    const char *start = p->scan.at;
    uint32_t symbol = 0, width = expected;
    uint64_t lo = 0, hi = 0;
    int64_t addend = 0;
    bool address = scan_accept(&p->scan, '&');
    if (address) {
        if (!parse_reference(p, &p->symbols, p->module->nsymbols, "symbol", &symbol) || !scan_offset(&p->scan, &addend))
            return false;
        symbol++;
    } else if (!scan_number128(&p->scan, &lo, &hi))
        return false;
    if (scan_accept(&p->scan, ':') && !scan_u32(&p->scan, &width))
        return false;
    if (width == 0)
        return scan_fail_at(&p->scan, start, "the constant needs a width here, as in 1:32");
    if (width > 128 || !fits(lo, hi, width))
        return scan_fail_at(&p->scan, start, "the constant does not fit %u bits", width);
    if (address)
        *o = lane_address(&p->build, width, symbol, addend);
    else
        *o = width == 128 ? lane_imm128(&p->build, lo, hi) : lane_imm(&p->build, width, lo);
    return true;
}

/* %12 or a name. */
static bool reg(struct parser *p, struct lane_operand *o)
{
    struct word word;
    if (!scan_word(&p->scan, &word))
        return false;
    uint32_t count = p->build.func->nregs, index = UINT32_MAX;
    if (scan_is_word_text(word.start, word.length))
        index = namemap_find(&p->regs, word.start, word.length);
    else if (word.length > 1 && word.start[0] == '%') {
        struct scan digits = p->scan;
        digits.at = word.start + 1;
        if (!scan_u32(&digits, &index))
            return false;
        if (digits.at != word.start + word.length)
            index = UINT32_MAX;
    }
    if (index >= count)
        return scan_fail_at(&p->scan, word.start, "no such register '%.*s'", (int)(word.length & 0xff), word.start);
    *o = (struct lane_operand){LANE_REG, index & 0x3fffffff};
    return true;
}

static bool operand(struct parser *p, unsigned expected, struct lane_operand *o)
{
    char c = scan_peek(&p->scan);
    if ((c >= '0' && c <= '9') || c == '&')
        return constant(p, expected, o);
    if (scan_accept_word(&p->scan, "_")) {
        *o = (struct lane_operand){LANE_NONE, 0};
        return true;
    }
    return reg(p, o);
}

static bool destinations(struct parser *p, struct line *line)
{
    do {
        if (line->inst.ndst == MAX_OPERANDS)
            return scan_fail(&p->scan, "too many destinations");
        if (!operand(p, 0, &line->dst[line->inst.ndst++]))
            return false;
    } while (scan_accept(&p->scan, ','));
    return scan_expect(&p->scan, '=');
}

/* Whether the line begins with destinations: an operand and then a comma or an equals sign. */
static bool has_destinations(const struct parser *p)
{
    struct scan ahead = p->scan;
    ahead.error = NULL;
    char c = scan_peek(&ahead);
    struct word word;
    if ((c >= '0' && c <= '9') || c == '&')
        return true; /* an error that destinations() names */
    if (!scan_at_word(&ahead) || !scan_word(&ahead, &word))
        return false;
    c = scan_peek(&ahead);
    return c == ',' || c == '=';
}

static bool source(struct parser *p, struct line *line, char letter, struct lane_operand *o)
{
    bool address = letter == 'a';
    if (address && !scan_expect(&p->scan, '['))
        return false;
    if (!operand(p, lane_letter_width(&line->inst, letter), o))
        return false;
    if (address && lane_aux(&lane_rows[line->inst.op]) == 'a' && !scan_offset(&p->scan, &line->access.offset))
        return false;
    return !address || scan_expect(&p->scan, ']');
}

/* Sources until something that is none. A comma before #immediate ends them too. */
static bool sources(struct parser *p, struct line *line)
{
    const struct lane_row *row = &lane_rows[line->inst.op];
    for (;;) {
        char c = scan_peek(&p->scan), letter = lane_letter(row->src, line->inst.nsrc);
        if (line->inst.nsrc == 0 && (!scan_at_word(&p->scan) && c != '[' && c != '&'))
            return true;
        if (c == '#')
            return true;
        if (letter == 0 || line->inst.nsrc == MAX_OPERANDS)
            return scan_fail(&p->scan, "too many sources");
        if (!source(p, line, letter, &line->src[line->inst.nsrc++]))
            return false;
        if (!scan_accept(&p->scan, ','))
            return true;
    }
}

/* ---- immediates ---------------------------------------------------------------------------------- */

/* Block names: b and a number. The verifier checks that the block is there. */
static bool block_name(struct parser *p, uint32_t *index)
{
    struct word word;
    if (!scan_word(&p->scan, &word))
        return false;
    struct scan digits = p->scan;
    digits.at = word.start + 1;
    if (word.start[0] != 'b' || word.length < 2 || !scan_u32(&digits, index) || digits.at != word.start + word.length)
        return scan_fail_at(&p->scan, word.start, "wanted a block as in b12");
    return true;
}

static bool table(struct parser *p, uint32_t *aux)
{
    uint32_t *blocks = NULL, count = 0;
    if (!scan_expect(&p->scan, '{'))
        return false;
    while (!scan_accept(&p->scan, '}')) {
        if (count && !scan_expect(&p->scan, ','))
            return false;
        blocks = arena_append(&p->module->arena, blocks, count, sizeof *blocks);
        if (!blocks)
            return error_memory(p->scan.error);
        if (!block_name(p, &blocks[count++]))
            return false;
    }
    *aux = lane_table(&p->build, blocks, count);
    return true;
}

static bool slots(struct parser *p, struct lane_slot **list, uint32_t *count)
{
    *list = NULL;
    *count = 0;
    if (!scan_expect(&p->scan, '('))
        return false;
    while (!scan_accept(&p->scan, ')')) {
        if (*count && !scan_expect(&p->scan, ','))
            return false;
        *list = arena_append(&p->module->arena, *list, *count, sizeof **list);
        if (!*list)
            return error_memory(p->scan.error);
        if (!parse_slot(p, &(*list)[(*count)++]))
            return false;
    }
    return true;
}

/* call name (args) -> (results), or call * %rd1 (args) -> (results) */
static bool call(struct parser *p, struct line *line)
{
    struct lane_call c = {.function = UINT32_MAX};
    if (scan_accept(&p->scan, '*')) {
        if (!sources(p, line))
            return false;
    } else if (!parse_reference(p, &p->funcs, p->module->nfuncs, "function", &c.function))
        return false;
    if (!slots(p, &c.args, &c.nargs) || !scan_expect(&p->scan, '-') || !scan_expect(&p->scan, '>') ||
        !slots(p, &c.results, &c.nresults))
        return false;
    line->inst.aux = lane_call(&p->build, &c);
    return true;
}

static bool message(struct parser *p, uint32_t *aux)
{
    const char *string;
    if (!scan_string(&p->scan, &p->module->arena, &string))
        return false;
    *aux = lane_string(&p->build, string);
    return true;
}

/* Everything after the mnemonic. */
static bool rest_of_line(struct parser *p, struct line *line)
{
    if (lane_aux(&lane_rows[line->inst.op]) == 'k')
        return call(p, line);
    if (lane_rows[line->inst.op].src[0] && !sources(p, line))
        return false;
    switch (lane_aux(&lane_rows[line->inst.op])) {
    case 'n':
        return scan_expect(&p->scan, '#') && scan_u32(&p->scan, &line->inst.aux);
    case 'b':
        return block_name(p, &line->inst.aux);
    case 't':
        return table(p, &line->inst.aux);
    case 's':
        return message(p, &line->inst.aux);
    case 'a':
        line->inst.aux = lane_access(&p->build, &line->access);
        return true;
    default:
        return true;
    }
}

static bool guard(struct parser *p)
{
    p->build.guard = (struct lane_operand){LANE_NONE, 0};
    p->build.guard_not = false;
    if (!scan_accept(&p->scan, '@'))
        return true;
    p->build.guard_not = scan_accept(&p->scan, '!');
    return reg(p, &p->build.guard);
}

bool parse_inst(struct parser *p)
{
    struct line line;
    line.inst = (struct lane_inst){0};
    line.access = (struct lane_access){0};
    p->build.line = 0;
    if (!guard(p) || (has_destinations(p) && !destinations(p, &line)) || !mnemonic(p, &line) || !rest_of_line(p, &line))
        return false;
    if (scan_accept(&p->scan, '!') && !scan_u32(&p->scan, &p->build.line))
        return false;
    struct lane_inst *inst =
        lane_emit(&p->build, line.inst.op, line.inst.type, line.inst.ndst, line.dst, line.inst.nsrc, line.src);
    inst->type2 = line.inst.type2;
    inst->round = line.inst.round;
    inst->flags = line.inst.flags;
    inst->cmp = line.inst.cmp;
    inst->mode = line.inst.mode;
    inst->aux = line.inst.aux;
    return !p->build.failed || error_memory(p->scan.error);
}

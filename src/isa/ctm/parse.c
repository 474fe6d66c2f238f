/* Lines of CTM's text: destinations, operations, flags, annotations. docs/ctm.md, "Text", has the grammar. */
#include "isa/ctm/parse.h"

#include "base/chars.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- reading ---------------------------------------------------------------------------------------------- */

uint32_t ctm_place(const struct ctm_parser *p)
{
    return (uint32_t)(p->at - p->base);
}

bool ctm_wanted(struct ctm_parser *p, const char *what)
{
    char read[DIAG_READ];
    ctm_blanks(p);
    diag_read(p->at, p->end, read);
    return ctm_wrong(p, ctm_place(p), p->at < p->end, "wanted %s%s", what, read);
}

bool ctm_wrong(struct ctm_parser *p, uint32_t at, uint32_t length, const char *format, ...)
{
    if (!p->bad) {
        va_list args;
        va_start(args, format);
        diag_report_list(p->diag, ATOLL_ERROR, "syntax", at, length, format, args);
        va_end(args);
    }
    p->bad = true;
    return false;
}

void ctm_blanks(struct ctm_parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\r'))
        p->at++;
}

bool ctm_byte(struct ctm_parser *p, char c)
{
    ctm_blanks(p);
    if (p->at == p->end || *p->at != c)
        return false;
    p->at++;
    return true;
}

bool ctm_text(struct ctm_parser *p, const char *text)
{
    size_t length = strlen(text);
    ctm_blanks(p);
    if ((size_t)(p->end - p->at) < length || memcmp(p->at, text, length) != 0)
        return false;
    p->at += length;
    return true;
}

size_t ctm_name(struct ctm_parser *p, const char **name)
{
    ctm_blanks(p);
    const char *at = p->at;
    *name = at;
    if (at == p->end || (*at >= '0' && *at <= '9'))
        return 0;
    while (at < p->end && char_word(*at))
        at++;
    return (size_t)(at - p->at);
}

bool ctm_word(struct ctm_parser *p, const char *word)
{
    const char *name;
    ctm_blanks(p);
    if (p->at == p->end || ((*p->at ^ *word) & ~0x20)) /* most words differ in their first letter */
        return false;
    size_t length = ctm_name(p, &name);
    if (length != strlen(word) || !length || strncasecmp(name, word, length) != 0)
        return false;
    p->at += length;
    return true;
}

bool ctm_number(struct ctm_parser *p, uint32_t most, const char *what, uint32_t *value)
{
    struct digits digits;
    ctm_blanks(p);
    const char *start = p->at;
    bool hex = p->end - start > 2 && start[0] == '0' && (start[1] | 0x20) == 'x';
    const char *from = start + (hex ? 2 : 0);
    const char *end = digits_read(from, p->end, hex ? 16 : 10, &digits);
    if (end == from)
        return ctm_wanted(p, what);
    if (digits.large || digits.value > most)
        return ctm_wrong(p, ctm_place(p), (uint32_t)(end - start), "wanted %s: at most %u, not '%.*s'", what, most,
                         (int)(end - start > 40 ? 40 : end - start), start);
    p->at = end;
    *value = (uint32_t)digits.value;
    return true;
}

/* ---- predicates ------------------------------------------------------------------------------------------- */

/* One of p, !p.r, p.6; nothing: always. */
static bool parse_pred(struct ctm_parser *p, uint32_t *sel, uint32_t *inv)
{
    *inv = ctm_byte(p, '!');
    *sel = 0;
    if (!ctm_word(p, "p"))
        return true;
    *sel = CTM_PRED_RGBA;
    if (p->at == p->end || *p->at != '.')
        return true;
    p->at++;
    const char *known = "rgba67xyzw", *found = p->at < p->end ? strchr(known, *p->at) : NULL;
    if (!found || !*p->at)
        return ctm_wanted(p, "a channel of the predicate: r, g, b or a");
    size_t which = (size_t)(found - known);
    *sel = (uint32_t)(CTM_PRED_RRRR + (which < 6 ? which : which - 6));
    p->at++;
    return true;
}

bool ctm_parse_predicate(struct ctm_parser *p, struct ctm_inst *inst, bool *both)
{
    uint32_t sel[CTM_UNITS], inv[CTM_UNITS];
    bool two = false;
    if (!parse_pred(p, &sel[0], &inv[0]))
        return false;
    if (ctm_byte(p, '|')) {
        two = true;
        if (!parse_pred(p, &sel[1], &inv[1]))
            return false;
    }
    for (unsigned u = 0; u < CTM_UNITS; u++) {
        ctm_set(inst, ctm_units[u].pred_sel, sel[two ? u : 0]);
        ctm_set(inst, ctm_units[u].pred_inv, inv[two ? u : 0]);
    }
    *both = two;
    return ctm_byte(p, ')') || ctm_wanted(p, "')' after the predicate");
}

/* ---- destinations ----------------------------------------------------------------------------------------- */

static bool parse_compare(struct ctm_parser *p, uint8_t *compare)
{
    static const char *const signs[] = {"==", "<", ">=", "!="};
    for (unsigned i = 0; i < 4; i++)
        if (ctm_text(p, signs[i])) {
            *compare = (uint8_t)i;
            return ctm_byte(p, '0') || ctm_wanted(p, "0: results are compared with 0 alone");
        }
    return ctm_wanted(p, "==0, <0, >=0 or !=0");
}

/* out2, umrt_own: the target. False: it is no such name. */
static bool take_output(struct ctm_parser *p, uint8_t *target)
{
    const char *name;
    size_t length = ctm_name(p, &name);
    unsigned number = 4;
    bool uncached = false;
    if (length == 4 && strncasecmp(name, "out", 3) == 0)
        number = (unsigned)(name[3] - '0');
    for (unsigned i = 0; i < 4; i++)
        if (strlen(ctm_umrt_names[i]) == length && strncasecmp(name, ctm_umrt_names[i], length) == 0)
            number = i, uncached = true;
    if (number > 3)
        return false;
    if (!p->named[uncached].length)
        p->named[uncached] = (struct ctm_named){ctm_place(p), (uint32_t)length};
    p->at += length;
    *target = (uint8_t)number;
    return true;
}

static bool twice(struct ctm_parser *p, const char *what)
{
    return ctm_wrong(p, ctm_place(p), 0, "%s is written twice in one instruction", what);
}

static bool parse_alu_result(struct ctm_parser *p, struct ctm_part *part)
{
    uint8_t letter[CTM_CHANNELS] = {0};
    if (part->alu)
        return twice(p, "the ALU result");
    part->alu = true;
    if (p->at < p->end && *p->at == '.') {
        p->at++;
        if (ctm_parse_letters(p, letter, "ra") != 1)
            return ctm_wanted(p, "r or a: the channel of the ALU result");
        part->alu_alpha = letter[0] == CTM_SWIZ_A;
    }
    part->channels |= part->alu_alpha ? 8 : 1;
    return parse_compare(p, &part->alu_op);
}

/* One destination: a temporary, an output, predicates, the ALU result, the conditional output, nothing. */
static bool parse_destination(struct ctm_parser *p, struct ctm_part *part, bool *temp, bool *more)
{
    uint8_t mask = 0;
    if (ctm_word(p, "_"))
        return true;
    if (ctm_word(p, "alu"))
        return parse_alu_result(p, part);
    if (ctm_word(p, "cond")) {
        part->cond = true;
        part->channels |= 8;
        return true;
    }
    bool output = take_output(p, &part->target);
    if (output || ctm_word(p, "p")) {
        if (*more)
            return twice(p, "an output or predicate");
        *more = true;
        part->output = output;
        if (!ctm_parse_mask(p, &mask) || (!output && !parse_compare(p, &part->target)))
            return false;
        part->omask = mask;
    } else {
        if (*temp)
            return twice(p, "a temporary");
        *temp = true;
        if (!ctm_parse_temp(p, &part->addrd) || !ctm_parse_mask(p, &mask))
            return false;
        part->wmask = mask;
    }
    part->channels |= mask;
    return true;
}

static bool parse_destinations(struct ctm_parser *p, struct ctm_part *part)
{
    bool temp = false, more = false;
    do
        if (!parse_destination(p, part, &temp, &more))
            return false;
    while (ctm_byte(p, ','));
    return ctm_byte(p, '=') || ctm_wanted(p, "'='");
}

/* ---- operations ------------------------------------------------------------------------------------------- */

static void literal(struct ctm_operand *o, unsigned letter)
{
    *o = (struct ctm_operand){.kind = CTM_OPERAND_SLOT, .letters = 1, .letter = {(uint8_t)letter}};
}

/* What stands after '+' or '-': C, with its sign. */
static bool parse_addend(struct ctm_parser *p, struct ctm_operand *c, bool minus)
{
    if (!ctm_parse_operand(p, c))
        return false;
    if (minus && (c->mod == CTM_IMOD_NEG || c->mod == CTM_IMOD_NAB))
        return ctm_wrong(p, c->at, c->length, "two minus signs before an operand");
    if (minus)
        c->mod |= CTM_IMOD_NEG;
    return true;
}

/* A * B + C, A * B, A + C, A. */
static bool parse_infix(struct ctm_parser *p, struct ctm_part *part)
{
    bool minus = false;
    part->shape = CTM_SHAPE_NAMED;
    part->name = "MAD";
    part->length = 3;
    part->args = 3;
    literal(&part->arg[1], CTM_SWIZ_ONE);
    literal(&part->arg[2], CTM_SWIZ_ZERO);
    if (!ctm_parse_operand(p, &part->arg[0]))
        return false;
    bool product = ctm_byte(p, '*');
    if (product && !ctm_parse_operand(p, &part->arg[1]))
        return false;
    if (ctm_byte(p, '+') || (minus = ctm_byte(p, '-')))
        return parse_addend(p, &part->arg[2], minus);
    if (!product) {
        part->shape = CTM_SHAPE_MOVE;
        part->args = 2;
        part->arg[1] = part->arg[0];
        part->name = "MAX";
    }
    return true;
}

static bool parse_args(struct ctm_parser *p, struct ctm_part *part)
{
    do {
        if (part->args == CTM_ARGS)
            return ctm_wanted(p, "no more than three operands");
        if (!ctm_parse_operand(p, &part->arg[part->args++]))
            return false;
    } while (ctm_byte(p, ','));
    return true;
}

static bool is_op(const char *name, size_t length)
{
    return ctm_op_find(ctm_rgb_ops, CTM_OPS, name, length) < CTM_OPS ||
           ctm_op_find(ctm_alpha_ops, CTM_OPS, name, length) < CTM_OPS;
}

/* The name of an operation before '(' or a destination. */
static bool take_op(struct ctm_parser *p, struct ctm_part *part)
{
    const char *name;
    size_t length = ctm_name(p, &name);
    if (!is_op(name, length))
        return false;
    part->shape = CTM_SHAPE_NAMED;
    part->name = name;
    part->length = (uint32_t)length;
    part->at = ctm_place(p);
    p->at += length;
    return true;
}

static bool parse_expression(struct ctm_parser *p, struct ctm_part *part)
{
    ctm_blanks(p);
    part->at = ctm_place(p);
    if (!take_op(p, part))
        return parse_infix(p, part);
    if (!ctm_byte(p, '('))
        return ctm_wanted(p, "'('");
    if (ctm_byte(p, ')'))
        return true;
    return parse_args(p, part) && (ctm_byte(p, ')') || ctm_wanted(p, "',' or ')'"));
}

/* ---- flags and annotations -------------------------------------------------------------------------------- */

static bool take_flag(struct ctm_parser *p, struct ctm_inst *inst)
{
    unsigned type = ctm_get(inst, CTM_TYPE);
    for (const struct ctm_flag_row *f = ctm_flags; f->word; f++)
        if (f->types >> type & 1 && ctm_word(p, f->word)) {
            ctm_set(inst, f->field, 1);
            return true;
        }
    return false;
}

/* !W3=0x12 or !RGB_OMASK=3, after the '!'. */
static bool parse_annotation(struct ctm_parser *p, struct ctm_line *line)
{
    const char *name;
    size_t length = ctm_name(p, &name);
    unsigned word = CTM_WORDS, low = 0;
    uint32_t ones = UINT32_MAX, value;
    if (length == 2 && name[0] == 'W' && name[1] >= '0' && name[1] < '0' + CTM_WORDS)
        word = (unsigned)(name[1] - '0');
    for (unsigned f = 0; f < CTM_FIELDS && word == CTM_WORDS; f++)
        if (strlen(ctm_fields[f].name) == length && strncmp(ctm_fields[f].name, name, length) == 0) {
            word = ctm_fields[f].word;
            low = ctm_fields[f].low;
            ones = UINT32_MAX >> (31 - ctm_fields[f].high + low);
        }
    if (word == CTM_WORDS)
        return ctm_wanted(p, "W0 to W5 or the name of a field");
    p->at += length;
    if (!ctm_byte(p, '='))
        return ctm_wanted(p, "'='");
    if (!ctm_number(p, ones, "a value", &value))
        return false;
    line->mask[word] |= ones << low;
    line->value[word] = (line->value[word] & ~(ones << low)) | value << low;
    return true;
}

static bool parse_unit_sources(struct ctm_parser *p, uint16_t address[CTM_SLOTS_OF_UNIT])
{
    ctm_blanks(p);
    if (p->at < p->end && (*p->at == '|' || *p->at == ')'))
        return true;
    for (unsigned i = 0; i < CTM_SLOTS_OF_UNIT; i++) {
        if (!ctm_parse_address(p, &address[i]))
            return false;
        if (!ctm_byte(p, ','))
            break;
    }
    return true;
}

/* src(r1, c2 | r4): sources of RGB and alpha; without '|' both have the same. */
static bool parse_sources(struct ctm_parser *p, struct ctm_sources *s)
{
    s->given = true;
    for (unsigned i = 0; i < CTM_SLOTS_OF_UNIT; i++)
        s->address[CTM_RGB][i] = s->address[CTM_ALPHA][i] = CTM_ADDRESS_UNUSED;
    if (!ctm_byte(p, '('))
        return ctm_wanted(p, "'('");
    if (!parse_unit_sources(p, s->address[CTM_RGB]))
        return false;
    if (!ctm_byte(p, '|'))
        memcpy(s->address[CTM_ALPHA], s->address[CTM_RGB], sizeof s->address[CTM_RGB]);
    else if (!parse_unit_sources(p, s->address[CTM_ALPHA]))
        return false;
    return ctm_byte(p, ')') || ctm_wanted(p, "')'");
}

static bool parse_stat(struct ctm_parser *p, struct ctm_inst *inst)
{
    uint8_t mask;
    if (!ctm_parse_mask(p, &mask))
        return false;
    ctm_set(inst, CTM_STAT_WE, mask);
    return true;
}

/* mul2, clamp: of the part before. */
static bool take_modifier(struct ctm_parser *p, struct ctm_part *part)
{
    for (unsigned i = 0; i < 8; i++)
        if (ctm_word(p, ctm_omod_names[i])) {
            part->omod = (uint8_t)i;
            return part->has_omod = true;
        }
    return ctm_word(p, "clamp") && (part->clamp = true);
}

/* What may follow an instruction; `part`: NULL where there is none, `sources`: likewise. */
static bool parse_rest(struct ctm_parser *p, struct ctm_part *part, struct ctm_sources *sources, struct ctm_line *line)
{
    for (;;) {
        ctm_blanks(p);
        if (p->at == p->end || *p->at == '|')
            return true;
        if (take_flag(p, &line->inst) || (part && take_modifier(p, part)))
            continue;
        bool ok;
        if (ctm_byte(p, '!'))
            ok = parse_annotation(p, line);
        else if (ctm_word(p, "stat"))
            ok = parse_stat(p, &line->inst);
        else if (sources && ctm_word(p, "src"))
            ok = parse_sources(p, sources);
        else
            ok = ctm_wanted(p, "a flag or the end of the line");
        if (!ok)
            return false;
    }
}

/* ---- instructions ----------------------------------------------------------------------------------------- */

/* A part, from its destinations on. *tex: it was the destination of a TEX operation. */
static bool parse_part(struct ctm_parser *p, struct ctm_part *part, unsigned *tex)
{
    const char *name, *start;
    bool mnemonic = take_op(p, part);
    start = p->at;
    if (!mnemonic && ctm_word(p, "_")) {
        ctm_blanks(p);
        if (p->at == p->end || *p->at != '=')
            return true; /* an empty part */
        p->at = start;
    }
    if (!parse_destinations(p, part))
        return false;
    size_t length = ctm_name(p, &name);
    *tex = mnemonic ? CTM_TEX_OPS : ctm_op_find(ctm_tex_ops, CTM_TEX_OPS, name, length);
    if (*tex < CTM_TEX_OPS) {
        p->at += length;
        return true;
    }
    return mnemonic ? parse_args(p, part) : parse_expression(p, part);
}

/* ALU and OUTPUT words, and TEX words with a destination. */
static bool parse_alu(struct ctm_parser *p, struct ctm_line *line)
{
    struct ctm_part parts[CTM_UNITS] = {{0}};
    struct ctm_sources sources = {0};
    struct ctm_inst second = {{0}};
    bool both;
    unsigned count = 1, tex = CTM_TEX_OPS, none;
    if (!parse_part(p, &parts[0], &tex))
        return false;
    if (tex < CTM_TEX_OPS) {
        ctm_set(&line->inst, CTM_TYPE, CTM_TYPE_TEX);
        return ctm_parse_tex(p, tex, &parts[0], line) && parse_rest(p, NULL, NULL, line);
    }
    if (!parse_rest(p, &parts[0], &sources, line))
        return false;
    if (ctm_byte(p, '|')) {
        count = 2;
        if (ctm_byte(p, '(')) { /* a predicate of alpha alone */
            if (!ctm_parse_predicate(p, &second, &both))
                return false;
            ctm_set(&line->inst, CTM_ALPHA_PRED_SEL, ctm_get(&second, CTM_RGB_PRED_SEL));
            ctm_set(&line->inst, CTM_ALPHA_PRED_INV, ctm_get(&second, CTM_RGB_PRED_INV));
        }
        if (!parse_part(p, &parts[1], &none) || !parse_rest(p, &parts[1], &sources, line))
            return false;
        if (p->at < p->end)
            return ctm_wanted(p, "the end of the line: a word holds two operations");
    }
    return ctm_encode(p, parts, count, &sources, &line->inst);
}

/* ALU, OUTPUT: a word whose units do nothing. */
static bool parse_empty(struct ctm_parser *p, struct ctm_line *line)
{
    struct ctm_part parts[CTM_UNITS] = {{0}};
    struct ctm_sources sources = {0};
    return parse_rest(p, NULL, &sources, line) && ctm_encode(p, parts, 2, &sources, &line->inst);
}

static enum ctm_statement statement_here(struct ctm_parser *p)
{
    for (unsigned i = CTM_RAW + 1; i < CTM_STATEMENTS; i++)
        if (ctm_word(p, ctm_statement_names[i]))
            return (enum ctm_statement)i;
    return CTM_RAW;
}

/* "ALU", and not the ALU result as a destination: "alu.r<0 = ...". */
static bool empty_alu(struct ctm_parser *p)
{
    const char *start = p->at;
    if (ctm_word(p, "ALU") && (p->at == p->end || !strchr(".=<>,!", *p->at)))
        return true;
    p->at = start;
    return false;
}

static bool parse_instruction(struct ctm_parser *p, struct ctm_line *line)
{
    const char *name;
    bool alu = empty_alu(p);
    if (alu || ctm_word(p, "OUTPUT")) {
        ctm_set(&line->inst, CTM_TYPE, alu ? CTM_TYPE_ALU : CTM_TYPE_OUTPUT);
        return parse_empty(p, line);
    }
    line->statement = (uint8_t)statement_here(p);
    if (line->statement != CTM_RAW || ctm_word(p, "FC")) {
        ctm_set(&line->inst, CTM_TYPE, CTM_TYPE_FC);
        bool ok = line->statement == CTM_RAW ? ctm_parse_fc(p, line)
                                             : ctm_parse_statement(p, (enum ctm_statement)line->statement, line);
        return ok && parse_rest(p, NULL, NULL, line);
    }
    size_t length = ctm_name(p, &name);
    unsigned tex = ctm_op_find(ctm_tex_ops, CTM_TEX_OPS, name, length);
    if (tex < CTM_TEX_OPS) {
        p->at += length;
        ctm_set(&line->inst, CTM_TYPE, CTM_TYPE_TEX);
        return ctm_parse_tex(p, tex, NULL, line) && parse_rest(p, NULL, NULL, line);
    }
    return parse_alu(p, line);
}

bool ctm_parse_line(struct ctm_parser *p, struct ctm_line *line)
{
    bool both = false;
    if (ctm_byte(p, '(') && !ctm_parse_predicate(p, &line->inst, &both))
        return false;
    if (!parse_instruction(p, line))
        return false;
    if (!both && ctm_get(&line->inst, CTM_TYPE) == CTM_TYPE_FC) { /* alpha's is without effect there */
        ctm_set(&line->inst, CTM_ALPHA_PRED_SEL, 0);
        ctm_set(&line->inst, CTM_ALPHA_PRED_INV, 0);
    }
    if (p->at < p->end)
        return ctm_wanted(p, "the end of the line");
    if (line->statement == CTM_RAW)
        for (unsigned w = 0; w < CTM_WORDS; w++)
            line->inst.word[w] = (line->inst.word[w] & ~line->mask[w]) | line->value[w];
    return true;
}

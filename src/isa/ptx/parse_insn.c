/* Instructions and their operands.
 *
 *   [@[!]p] mnemonic.mod.mod operand, operand ... ;
 *
 * Names are resolved here; a name without a meaning yet may be a label further down (parse_body.c settles those). */
#include "isa/ptx/parse.h"
#include "isa/ptx/row.h"

#include <string.h>

enum { MOST_CHILDREN = 255, MOST_MEM_CHILDREN = 4 };

/* ---- names ---- */

/* Length of the name that an operand starts with (its span may go on with an offset). */
uint32_t name_length(const struct parser *p, const struct insn_operand *operand)
{
    uint32_t length = 1;
    while (length < operand->span.length && lex_name_char(text_of(p, operand->span.pos)[length]))
        length++;
    return length;
}

/* A special register, with its ".x" if it is a vector. */
static bool find_sreg(struct parser *p, const struct token *name, struct insn_operand *out)
{
    char text[64];
    uint32_t length = name->length - 1;
    if (text_of(p, name->pos)[0] != '%' || length + 2 >= sizeof text)
        return false;
    memcpy(text, text_of(p, name->pos) + 1, length);
    unsigned sreg = PTX_SREG_UNKNOWN;
    if (p->token.kind == TOKEN_DOT && p->token.length == 2) {
        static const char parts[] = "xyzwrgba";
        const char *part = strchr(parts, text_of(p, p->token.pos)[1]);
        text[length] = '.';
        text[length + 1] = part && *part ? "xyzwxyzw"[part - parts] : '?';
        sreg = ptx_sreg_find(text, length + 2);
        if (sreg != PTX_SREG_UNKNOWN)
            next(p);
    }
    if (sreg == PTX_SREG_UNKNOWN)
        sreg = ptx_sreg_find(text, length);
    if (sreg == PTX_SREG_UNKNOWN)
        return false;
    out->kind = INSN_SREG;
    out->value = sreg;
    return true;
}

bool find_operand(struct parser *p, struct insn_operand *out)
{
    struct token name = p->token;
    if (!want(p, TOKEN_NAME, "a name"))
        return false;
    out->span = (struct span){name.pos, name.length};
    const char *text = text_of(p, name.pos);
    if (name.length == 1 && text[0] == '_') {
        out->kind = INSN_SINK;
        return true;
    }
    struct meaning meaning = names_find(&p->names, text, name.length);
    if (!meaning.decl && find_sreg(p, &name, out))
        return true;
    out->kind = INSN_SYMBOL;
    if (meaning.decl && (meaning.decl->kind != PTX_DECL_LABEL || meaning.depth == p->names.depth)) {
        meaning.decl->used = true;
        out->decl = meaning.decl;
        if (meaning.decl->space == PTX_reg) {
            out->kind = INSN_REG;
            out->number = meaning.number;
        }
    } else {
        p->unresolved = true; /* a label of an outer scope may be hidden by one that comes later */
    }
    return true;
}

/* ---- parts of registers ---- */

/* The digits of .b3210 or .h10, all at most `most`; 0 = not such a selector. */
static bool parse_selector(const char *text, uint32_t length, char most, struct insn_operand *out)
{
    out->index = 0;
    for (uint32_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > most)
            return false;
        out->index = (uint16_t)(out->index << 4 | (text[i] - '0'));
    }
    out->count = (uint8_t)length;
    return length > 0;
}

static bool decode_part(const char *text, uint32_t length, const struct ptx_decl *decl, struct insn_operand *out)
{
    static const char parts[] = "xyzwrgba";
    const char *letter = length == 1 ? strchr(parts, text[0]) : NULL;
    if (letter && *letter) {
        unsigned element = (unsigned)(letter - parts) & 3;
        out->part = (uint8_t)(PART_X + element);
        return element < decl->vec && decl->vec > 1;
    }
    if (length == 2 && text[0] == 'b' && text[1] >= '0' && text[1] <= '3') {
        out->part = (uint8_t)(PART_B0 + (text[1] - '0'));
    } else if (length == 2 && text[0] == 'h' && text[1] >= '0' && text[1] <= '1') {
        out->part = (uint8_t)(PART_H0 + (text[1] - '0'));
    } else if (text[0] == 'b' && length >= 3 && length <= 5) {
        out->part = PART_BYTES;
        return decl->vec == 1 && parse_selector(text + 1, length - 1, '7', out);
    } else if (text[0] == 'h' && length == 3) {
        out->part = PART_HALVES;
        return decl->vec == 1 && parse_selector(text + 1, length - 1, '3', out);
    } else {
        return false;
    }
    return decl->vec == 1;
}

static void parse_part(struct parser *p, struct insn_operand *out)
{
    struct span span = token_span(p);
    if (out->kind != INSN_REG || !decode_part(text_of(p, span.pos) + 1, span.length - 1, out->decl, out)) {
        if (out->kind != INSN_BAD && (out->kind != INSN_SYMBOL || out->decl))
            complain(p, span, "bad-part", "'%.*s' has no part '%.*s'",
                     (int)(out->span.length > 60 ? 60 : out->span.length), text_of(p, out->span.pos),
                     (int)(span.length > 40 ? 40 : span.length), text_of(p, span.pos));
        out->kind = INSN_BAD;
        out->count = 0;
    }
    next(p);
    out->span = span_from(p, out->span.pos);
}

/* ---- operands ---- */

static bool parse_operand(struct parser *p, struct insn_operand *out);

static bool parse_constant_operand(struct parser *p, struct insn_operand *out)
{
    struct value value;
    out->span = token_span(p);
    if (!parse_constant(p, &value))
        return false;
    constant_operand(&value, out);
    out->span = span_from(p, out->span.pos);
    return true;
}

/* A name with its part. */
static bool parse_name(struct parser *p, struct insn_operand *out)
{
    if (!find_operand(p, out))
        return false;
    if (p->token.kind == TOKEN_DOT)
        parse_part(p, out);
    return true;
}

/* -%r1 (video instructions) or a constant */
static bool parse_minus(struct parser *p, struct insn_operand *out)
{
    struct lexer ahead = p->lexer;
    struct token after;
    lex_next(&ahead, &after);
    bool name = after.kind == TOKEN_NAME && !(after.length == 7 && memcmp(text_of(p, after.pos), "WARP_SZ", 7) == 0);
    if (!name)
        return parse_constant_operand(p, out);
    uint32_t start = p->token.pos;
    next(p);
    if (!parse_name(p, out))
        return false;
    out->span = span_from(p, start);
    if (out->kind == INSN_REG) {
        out->minus = true;
    } else if (out->kind != INSN_BAD) {
        complain(p, out->span, "bad-operand", "only a register or a constant can have a minus sign");
        out->kind = INSN_BAD;
    }
    return true;
}

/* !p, or a constant */
static bool parse_not(struct parser *p, struct insn_operand *out)
{
    struct lexer ahead = p->lexer;
    struct token after;
    lex_next(&ahead, &after);
    if (after.kind != TOKEN_NAME || (after.length == 7 && memcmp(text_of(p, after.pos), "WARP_SZ", 7) == 0))
        return parse_constant_operand(p, out);
    uint32_t start = p->token.pos;
    next(p);
    out->kind = INSN_NOT;
    out->children = make(p, 1, sizeof *out);
    if (!out->children || !parse_name(p, out->children))
        return false;
    out->count = 1;
    out->span = span_from(p, start);
    return true;
}

/* An element of a tuple or an argument list. */
static bool parse_element(struct parser *p, struct insn_operand *out)
{
    if (p->token.kind == '-')
        return parse_minus(p, out);
    if (at_constant(p))
        return parse_constant_operand(p, out);
    if (p->token.kind != TOKEN_NAME)
        return expected(p, "an operand");
    return parse_name(p, out);
}

/* { a, b } or ( a, b ): the opening token is next. */
static bool parse_list(struct parser *p, struct insn_operand *out, enum insn_kind kind, unsigned close)
{
    uint32_t from = p->operands.count;
    out->kind = (uint8_t)kind;
    out->span = token_span(p);
    next(p);
    bool ok = true, empty = kind == INSN_ARGS && p->token.kind == close;
    while (ok && !empty) {
        struct insn_operand element = {0};
        ok = parse_element(p, &element);
        struct insn_operand *place = ok ? push(p, &p->operands, sizeof element) : NULL;
        if (place)
            *place = element;
        ok = place;
        if (!ok || !accept(p, ','))
            break;
    }
    uint32_t count = p->operands.count - from;
    if (ok && count > MOST_CHILDREN) {
        complain(p, span_from(p, out->span.pos), "too-many-operands", "a list has at most %d elements", MOST_CHILDREN);
        ok = false;
    }
    if (!ok) {
        p->operands.count = from;
        return false;
    }
    out->count = (uint8_t)count;
    out->children = take(p, &p->operands, from, sizeof *out);
    if (!want(p, close, close == '}' ? "',' or '}'" : "',' or ')'"))
        return false;
    out->span = span_from(p, out->span.pos);
    return out->children;
}

/* + offset, after a symbol or the base of an address */
static bool parse_offset(struct parser *p, uint64_t *offset)
{
    if (p->token.kind == '-')
        warn(p, token_span(p), "negative-offset", "ptxas reads [a+-4], not [a-4]");
    else
        next(p);
    struct value value;
    if (!parse_integer(p, &value))
        return false;
    *offset = value.bits;
    return true;
}

/* [ base + offset, more, {coordinates} ] */
static bool parse_mem(struct parser *p, struct insn_operand *out)
{
    struct insn_operand children[MOST_MEM_CHILDREN] = {0};
    unsigned count = 0;
    out->kind = INSN_MEM;
    out->span = token_span(p);
    next(p);
    if (p->token.kind != TOKEN_NAME && !at_constant(p))
        return expected(p, "an address");
    if (!parse_element(p, &children[count++]))
        return false;
    bool offset = children[0].kind != INSN_INT && (p->token.kind == '+' || p->token.kind == '-');
    if (offset && !parse_offset(p, &out->value))
        return false;
    while (!offset && accept(p, ',')) { /* [a+4, b] is no address: ptxas 13.0 */
        if (count == MOST_MEM_CHILDREN) {
            complain(p, token_span(p), "too-many-operands", "an address has at most %d parts", MOST_MEM_CHILDREN);
            return false;
        }
        struct insn_operand *child = &children[count++];
        if (!(p->token.kind == '{' ? parse_list(p, child, INSN_TUPLE, '}') : parse_element(p, child)))
            return false;
    }
    if (!want(p, ']', offset ? "']'" : "'+', ',' or ']'"))
        return false;
    out->span = span_from(p, out->span.pos);
    out->count = (uint8_t)count;
    out->children = make(p, count, sizeof *out);
    if (out->children)
        memcpy(out->children, children, count * sizeof *out);
    return out->children;
}

/* d|p: the first half is in *out. */
static bool parse_pipe(struct parser *p, struct insn_operand *out)
{
    struct insn_operand *pair = make(p, 2, sizeof *pair);
    next(p);
    if (!pair)
        return false;
    pair[0] = *out;
    if (p->token.kind != TOKEN_NAME)
        return expected(p, "a predicate");
    if (!parse_name(p, &pair[1]))
        return false;
    *out =
        (struct insn_operand){.kind = INSN_PIPE, .count = 2, .children = pair, .span = span_from(p, pair[0].span.pos)};
    return true;
}

static bool parse_name_operand(struct parser *p, struct insn_operand *out)
{
    if (!parse_name(p, out))
        return false;
    if ((p->token.kind == '+' || p->token.kind == '-') && out->kind == INSN_SYMBOL) {
        if (!parse_offset(p, &out->value))
            return false;
        out->span = span_from(p, out->span.pos);
    }
    return p->token.kind != '|' || parse_pipe(p, out);
}

static bool parse_operand(struct parser *p, struct insn_operand *out)
{
    switch (p->token.kind) {
    case TOKEN_NAME:
        return is_word(p, "WARP_SZ") ? parse_constant_operand(p, out) : parse_name_operand(p, out);
    case '[':
        return parse_mem(p, out);
    case '{':
        if (!parse_list(p, out, INSN_TUPLE, '}'))
            return false;
        return p->token.kind != '|' || parse_pipe(p, out);
    case '!':
        return parse_not(p, out);
    case '-':
        return parse_minus(p, out);
    default:
        return at_constant(p) ? parse_constant_operand(p, out) : expected(p, "an operand");
    }
}

/* ---- the instruction ---- */

static void unknown_opcode(struct parser *p, struct span name)
{
    const char *text = text_of(p, name.pos), *closest = NULL;
    unsigned limit = name.length <= 3 ? 1 : 2;
    bool tired = p->hint_budget == 0;
    const struct ptx_row *row;
    for (unsigned i = 0; !tired && (row = ptx_row_at(i)) != NULL; i++) {
        const char *candidate = ptx_row_name(row);
        unsigned d = names_distance(text, name.length, candidate, (uint32_t)strlen(candidate), limit);
        if (d <= limit) {
            closest = candidate;
            limit = d ? d - 1 : 0;
        }
    }
    p->hint_budget -= p->hint_budget < 100 ? p->hint_budget : 100;
    int length = (int)(name.length > 60 ? 60 : name.length);
    if (closest)
        complain(p, name, "unknown-opcode", "'%.*s' is not an instruction; did you mean '%s'?", length, text, closest);
    else
        complain(p, name, "unknown-opcode", "'%.*s' is not an instruction", length, text);
}

static bool parse_mods(struct parser *p, struct insn *insn)
{
    struct span spans[INSN_MODS];
    while (p->token.kind == TOKEN_DOT) {
        if (insn->nmods == INSN_MODS) {
            complain(p, token_span(p), "too-many-modifiers", "an instruction has at most %d modifiers", INSN_MODS);
            return false;
        }
        struct span word = {p->token.pos + 1, p->token.length - 1};
        insn->mods[insn->nmods] = (uint16_t)find_keyword(p, word);
        spans[insn->nmods++] = word;
        next(p);
    }
    struct span *copy = insn->nmods ? make(p, insn->nmods, sizeof *copy) : NULL;
    if (copy)
        memcpy(copy, spans, insn->nmods * sizeof *copy);
    insn->mod_spans = copy;
    return copy || !insn->nmods;
}

static bool parse_operands(struct parser *p, struct insn *insn)
{
    struct insn_operand operands[INSN_OPERANDS] = {0};
    unsigned count = 0;
    bool call = insn->name.length == 4 && memcmp(text_of(p, insn->name.pos), "call", 4) == 0;
    if (p->token.kind != ';') {
        do {
            if (count == INSN_OPERANDS) {
                complain(p, token_span(p), "too-many-operands", "an instruction has at most %d operands",
                         INSN_OPERANDS);
                return false;
            }
            struct insn_operand *out = &operands[count++];
            if (!(call && p->token.kind == '(' ? parse_list(p, out, INSN_ARGS, ')') : parse_operand(p, out)))
                return false;
        } while (accept(p, ','));
    }
    insn->noperands = (uint8_t)count;
    insn->operands = make(p, count, sizeof *operands);
    if (insn->operands && count)
        memcpy(insn->operands, operands, count * sizeof *operands);
    return insn->operands;
}

/* Uses of names that have no meaning yet, in their final place. Only a branch can wait for a label. */
static void settle(struct parser *p, struct insn_operand *operands, unsigned count, bool labels)
{
    for (unsigned i = 0; i < count; i++) {
        struct insn_operand *operand = &operands[i];
        if (operand->children)
            settle(p, operand->children, operand->count, false);
        if (operand->kind != INSN_SYMBOL || operand->decl)
            continue;
        if (labels) {
            struct insn_operand **pending = push(p, &p->pending, sizeof *pending);
            if (pending)
                *pending = operand;
            continue;
        }
        operand->decl = names_find(&p->names, text_of(p, operand->span.pos), name_length(p, operand)).decl;
        if (!operand->decl) {
            name_unknown(p, (struct span){operand->span.pos, name_length(p, operand)});
            operand->kind = INSN_BAD;
        }
    }
}

bool parse_guard(struct parser *p, struct insn_operand **guard, bool *negated)
{
    next(p);
    *negated = accept(p, '!');
    *guard = make(p, 1, sizeof **guard);
    if (!*guard)
        return false;
    p->unresolved = false;
    if (p->token.kind != TOKEN_NAME)
        return expected(p, "a predicate");
    if (!parse_name(p, *guard))
        return false;
    if ((*guard)->kind == INSN_SYMBOL && !(*guard)->decl) {
        name_unknown(p, (*guard)->span);
        (*guard)->kind = INSN_BAD;
    }
    return true;
}

bool parse_insn(struct parser *p, struct insn_operand *guard, bool negated, struct span name)
{
    struct insn *insn = make(p, 1, sizeof *insn);
    if (!insn)
        return false;
    insn->name = name;
    insn->guard = guard;
    insn->guard_not = negated;
    insn->row = find_row(p, name);
    if (!insn->row)
        unknown_opcode(p, name);
    p->unresolved = false;
    if (!parse_mods(p, insn) || !parse_operands(p, insn))
        return false;
    uint32_t end = p->end;
    if (!want_end(p))
        return false;
    if (p->unresolved)
        settle(p, insn->operands, insn->noperands,
               !insn->row || (name.length == 3 && memcmp(text_of(p, name.pos), "bra", 3) == 0));
    struct ptx_stmt *stmt = push(p, &p->stmts, sizeof *stmt);
    if (stmt)
        *stmt = (struct ptx_stmt){.kind = PTX_STMT_INSN, .insn = insn, .span = {name.pos, end - name.pos}};
    return stmt;
}

/* label, label ... of .branchtargets and .calltargets */
bool parse_targets(struct parser *p, struct ptx_decl *decl, bool branches)
{
    uint32_t from = p->operands.count;
    p->unresolved = false;
    do {
        struct insn_operand target = {0};
        if (!find_operand(p, &target)) {
            p->operands.count = from;
            return false;
        }
        struct insn_operand *place = push(p, &p->operands, sizeof target);
        if (!place)
            return false;
        *place = target;
    } while (accept(p, ','));
    decl->ntargets = p->operands.count - from;
    decl->targets = take(p, &p->operands, from, sizeof *decl->targets);
    if (decl->targets)
        settle(p, decl->targets, decl->ntargets, branches);
    return decl->targets;
}

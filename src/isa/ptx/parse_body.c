/* The statements of a function body, and its scopes. Labels belong to the { } they are in and may be used before
 * they come: uses wait in p->pending and are settled when a scope closes (as ptxas does). */
#include "isa/ptx/parse.h"

#include <string.h>

/* ---- labels ---- */

/* Gives a meaning to the uses since `from` that name something of the scope that closes. */
static void settle_labels(struct parser *p, uint32_t from)
{
    struct insn_operand **uses = p->pending.items;
    uint32_t kept = from;
    for (uint32_t i = from; i < p->pending.count; i++) {
        struct insn_operand *use = uses[i];
        struct span name = {use->span.pos, name_length(p, use)};
        struct meaning meaning = names_find(&p->names, text_of(p, name.pos), name.length);
        if (!meaning.decl || meaning.depth < p->names.depth) {
            uses[kept++] = use;
        } else if (meaning.decl->kind != PTX_DECL_LABEL) {
            complain(p, name, "unknown-name", "'%.*s' is not declared before its use",
                     (int)(name.length > 60 ? 60 : name.length), text_of(p, name.pos));
            use->kind = INSN_BAD;
        } else {
            meaning.decl->used = true;
            use->decl = meaning.decl;
        }
    }
    p->pending.count = kept;
}

/* At the end of a function: names of the module, or nothing at all. */
static void settle_rest(struct parser *p)
{
    struct insn_operand **uses = p->pending.items;
    for (uint32_t i = 0; i < p->pending.count; i++) {
        struct span name = {uses[i]->span.pos, name_length(p, uses[i])};
        uses[i]->decl = names_find(&p->names, text_of(p, name.pos), name.length).decl;
        if (uses[i]->decl)
            continue;
        name_unknown(p, name);
        uses[i]->kind = INSN_BAD;
    }
    p->pending.count = 0;
}

/* ---- statements ---- */

static struct ptx_stmt *add_stmt(struct parser *p, enum ptx_stmt_kind kind, struct span span, struct ptx_decl *decl)
{
    struct ptx_stmt *stmt = push(p, &p->stmts, sizeof *stmt);
    if (stmt)
        *stmt = (struct ptx_stmt){.kind = (uint8_t)kind, .span = span, .decl = decl};
    return stmt;
}

/* After "label:" */
static bool parse_label(struct parser *p, struct span name)
{
    struct ptx_decl *decl = make(p, 1, sizeof *decl);
    if (!decl)
        return false;
    bool branches = is_word(p, ".branchtargets"), calls = is_word(p, ".calltargets");
    bool prototype = is_word(p, ".callprototype");
    decl->kind = prototype ? PTX_DECL_PROTO : branches || calls ? PTX_DECL_TARGETS : PTX_DECL_LABEL;
    decl->defined = true;
    bool ok = true;
    if (prototype) {
        decl->func = make(p, 1, sizeof *decl->func);
        if (!decl->func)
            return false;
        decl->func->decl = decl;
        next(p);
        ok = parse_prototype(p, decl->func) && want(p, ';', "';'");
    } else if (branches || calls) {
        next(p);
        ok = parse_targets(p, decl, branches) && want(p, ';', "',' or ';'");
    }
    declare(p, name, decl);
    bool label = decl->kind == PTX_DECL_LABEL;
    add_stmt(p, label ? PTX_STMT_LABEL : PTX_STMT_DECL, label ? name : span_from(p, name.pos), decl);
    return ok;
}

/* .pragma "x"; */
static bool parse_pragma(struct parser *p)
{
    uint32_t start = p->token.pos;
    next(p);
    do
        if (!want(p, TOKEN_STRING, "a string"))
            return false;
    while (accept(p, ','));
    struct span span = span_from(p, start);
    add_stmt(p, PTX_STMT_DIRECTIVE, span, NULL);
    return want(p, ';', "';'");
}

static bool parse_body_loc(struct parser *p)
{
    struct span span;
    struct ptx_loc *loc = make(p, 1, sizeof *loc);
    if (!loc || !parse_loc(p, &span, loc))
        return false;
    struct ptx_stmt *stmt = add_stmt(p, PTX_STMT_DIRECTIVE, span, NULL);
    if (stmt)
        stmt->loc = loc;
    return true;
}

static bool parse_directive(struct parser *p)
{
    if (is_word(p, ".loc"))
        return parse_body_loc(p);
    if (is_word(p, ".pragma"))
        return parse_pragma(p);
    return parse_variables(p, PLACE_BODY, PTX_LINK_NONE, p->token.pos);
}

static bool parse_guarded(struct parser *p)
{
    struct insn_operand *guard;
    bool negated;
    if (!parse_guard(p, &guard, &negated))
        return false;
    struct span name = token_span(p);
    if (!want(p, TOKEN_NAME, "an instruction"))
        return false;
    return parse_insn(p, guard, negated, name);
}

static bool parse_named(struct parser *p)
{
    struct span name = token_span(p);
    next(p);
    return accept(p, ':') ? parse_label(p, name) : parse_insn(p, NULL, false, name);
}

static bool parse_statement(struct parser *p)
{
    switch (p->token.kind) {
    case TOKEN_NAME:
        return parse_named(p);
    case '@':
        return parse_guarded(p);
    case TOKEN_DOT:
        return parse_directive(p);
    case ';':
        complain(p, token_span(p), "syntax", "a ';' without a statement");
        next(p);
        return true;
    default:
        return expected(p, "a statement");
    }
}

/* ---- scopes ---- */

/* Does the text go on with another function? Then a '}' is missing here. */
static bool at_next_function(const struct parser *p)
{
    return p->token.kind == TOKEN_DOT && (is_word(p, ".entry") || is_word(p, ".func") || is_word(p, ".visible") ||
                                          is_word(p, ".extern") || is_word(p, ".weak"));
}

static void close_scope(struct parser *p, const uint32_t *pending)
{
    settle_labels(p, pending[p->names.depth]);
    names_close(&p->names);
}

static void open_scope(struct parser *p, uint32_t *pending)
{
    if (!names_open(&p->names)) {
        complain(p, token_span(p), "too-deep", "scopes may be nested %d deep", SCOPES - 2);
        skip_block(p);
        return;
    }
    pending[p->names.depth] = p->pending.count;
    add_stmt(p, PTX_STMT_OPEN, token_span(p), NULL);
    next(p);
}

/* The statements up to the '}' that closes depth `floor`. */
static void parse_statements(struct parser *p, uint32_t floor, uint32_t *pending)
{
    while (!p->failed && !p->diag->stop) {
        if (p->token.kind == TOKEN_END || at_next_function(p)) {
            expected(p, "'}'");
            return;
        }
        uint32_t before = p->token.pos;
        if (p->token.kind == '}') {
            if (p->names.depth == floor) {
                next(p);
                return;
            }
            add_stmt(p, PTX_STMT_CLOSE, token_span(p), NULL);
            close_scope(p, pending);
            next(p);
        } else if (p->token.kind == '{') {
            open_scope(p, pending);
        } else if (!parse_statement(p) && !p->failed) {
            recover_statement(p);
            if (p->token.pos == before && p->token.kind != '}' && p->token.kind != '{')
                next(p); /* always forward */
        }
    }
}

void parse_body(struct parser *p, struct ptx_func *func)
{
    uint32_t pending[SCOPES], floor = p->names.depth;
    uint32_t from = p->stmts.count;
    p->pending.count = 0;
    pending[floor] = 0;
    next(p);
    parse_statements(p, floor, pending);
    while (p->names.depth > floor) {
        add_stmt(p, PTX_STMT_CLOSE, token_span(p), NULL);
        close_scope(p, pending);
    }
    settle_labels(p, 0);
    settle_rest(p);
    func->nstmts = p->stmts.count - from;
    func->stmts = take(p, &p->stmts, from, sizeof *func->stmts);
}

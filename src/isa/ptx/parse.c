/* The module: its header, its items, its functions. Entry point: ptx_parse. */
#include "isa/ptx/parse.h"

#include <stdlib.h>
#include <string.h>

enum { HINTS = 200000, FIRST_VERSION = 10, LAST_VERSION = 99 };

void add_item(struct parser *p, enum ptx_item_kind kind, struct span span, struct ptx_decl *decl, struct ptx_func *func)
{
    if (decl)
        decl->module_order = p->items.count;
    struct ptx_item *item = push(p, &p->items, sizeof *item);
    if (item)
        *item = (struct ptx_item){.kind = (uint8_t)kind, .span = span, .decl = decl, .func = func};
}

/* ---- .version .target .address_size ---- */

/* ".version 9.0": the number must be digit(s), point, digit. */
static void parse_version(struct parser *p)
{
    struct span span;
    next(p);
    span = p->module->version_span = token_span(p);
    const char *text = text_of(p, span.pos);
    unsigned major = 0;
    uint32_t i = 0;
    for (; i < span.length && i < 4 && text[i] >= '0' && text[i] <= '9'; i++)
        major = major * 10 + (unsigned)(text[i] - '0');
    bool fine = p->token.kind == TOKEN_F64 && i > 0 && i + 2 == span.length && text[i] == '.';
    unsigned version = fine ? major * 10 + (unsigned)(text[i + 1] - '0') : 0;
    if (version < FIRST_VERSION || version > LAST_VERSION)
        complain(p, span, "bad-version", "'%.*s' is not a PTX version", (int)(span.length > 20 ? 20 : span.length),
                 text);
    else
        p->module->version = version;
    if (p->token.kind == TOKEN_F64 || p->token.kind == TOKEN_INT)
        next(p);
}

struct target {
    unsigned sm;
    unsigned version; /* the first PTX version that knows it (PTX ISA, release notes) */
};

static const struct target targets[] = {
    {10, 10}, {11, 10}, {12, 12}, {13, 12},  {20, 20},  {21, 20},  {30, 30},  {32, 40},  {35, 31},  {37, 41}, {50, 40},
    {52, 41}, {53, 42}, {60, 50}, {61, 50},  {62, 50},  {70, 60},  {72, 61},  {75, 63},  {80, 70},  {86, 71}, {87, 74},
    {88, 90}, {89, 78}, {90, 78}, {100, 86}, {101, 86}, {103, 88}, {110, 90}, {120, 87}, {121, 88},
};

/* "sm_90a" or "compute_90": number and suffix; false if there is no such target. */
static bool read_target(const char *text, size_t length, unsigned *sm, char *suffix, unsigned *since)
{
    size_t skip = length > 3 && memcmp(text, "sm_", 3) == 0        ? 3
                  : length > 8 && memcmp(text, "compute_", 8) == 0 ? 8
                                                                   : 0;
    size_t i = skip;
    *sm = 0;
    *suffix = 0;
    for (; i < length && i < skip + 4 && text[i] >= '0' && text[i] <= '9'; i++)
        *sm = *sm * 10 + (unsigned)(text[i] - '0');
    if (i + 1 == length && (text[i] == 'a' || text[i] == 'f'))
        *suffix = text[i++];
    if (skip == 0 || i != length || (*suffix && *sm < (*suffix == 'a' ? 90u : 100u)))
        return false;
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        if (targets[t].sm == *sm) {
            unsigned gate = *suffix == 'f' ? 88 : *suffix == 'a' && *sm == 90 ? 80 : 0;
            *since = targets[t].version > gate ? targets[t].version : gate;
            return true;
        }
    }
    return false;
}

static void parse_target_option(struct parser *p)
{
    static const char *const options[] = {"texmode_unified", "texmode_independent", "debug", "map_f64_to_f32"};
    unsigned sm, since;
    char suffix;
    struct span span = token_span(p);
    const char *text = text_of(p, span.pos);
    bool known = read_target(text, span.length, &sm, &suffix, &since);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        known |= is_word(p, options[i]);
    if (is_word(p, "map_f64_to_f32") && p->module->target >= 13)
        complain(p, span, "bad-target", "map_f64_to_f32 is for targets below sm_13");
    if (is_word(p, "texmode_independent"))
        p->module->independent_textures = true;
    if (!known)
        complain(p, span, "bad-target", "'%.*s' is not an option of .target",
                 (int)(span.length > 40 ? 40 : span.length), text);
}

static void parse_target(struct parser *p)
{
    next(p);
    struct span span = p->module->target_span = token_span(p);
    const char *text = text_of(p, span.pos);
    unsigned sm, since;
    char suffix;
    if (p->token.kind != TOKEN_NAME) {
        expected(p, "a target such as sm_75");
        return;
    }
    if (!read_target(text, span.length, &sm, &suffix, &since)) {
        complain(p, span, "bad-target", "'%.*s' is not a known target", (int)(span.length > 40 ? 40 : span.length),
                 text);
    } else {
        p->module->target = sm;
        p->module->target_suffix = suffix;
        if (p->module->version && p->module->version < since)
            complain(p, span, "bad-target", "%.*s needs .version %u.%u or later", (int)span.length, text, since / 10,
                     since % 10);
    }
    next(p);
    while (accept(p, ',')) {
        if (p->token.kind != TOKEN_NAME) {
            expected(p, "an option of .target");
            return;
        }
        parse_target_option(p);
        next(p);
    }
    p->module->target_span = span_from(p, span.pos);
}

static void parse_address_size(struct parser *p)
{
    next(p);
    struct span span = token_span(p);
    uint64_t value = p->token.value;
    if (!want(p, TOKEN_INT, "32 or 64"))
        return;
    if (value != 32 && value != 64)
        complain(p, span, "bad-address-size", "an address has 32 or 64 bits");
    else if (value == 32 && p->module->target >= 90) /* ptxas: "32-Bit ABI is not supported on sm_90 or higher" */
        complain(p, span, "bad-address-size", "sm_%u has no addresses of 32 bits; targets below sm_90 have",
                 p->module->target);
    else
        p->module->address_size = (unsigned)value;
}

static void apply_options(struct parser *p)
{
    const struct atoll_module_options *options = p->diag->options;
    unsigned sm, since;
    char suffix;
    if (options && options->version)
        p->module->version = options->version;
    if (options && options->target && read_target(options->target, strlen(options->target), &sm, &suffix, &since)) {
        p->module->target = sm;
        p->module->target_suffix = suffix;
    }
}

bool ptx_options_check(const struct atoll_module_options *options, struct atoll_error *error)
{
    unsigned sm, since;
    char suffix;
    if (options->target && !read_target(options->target, strlen(options->target), &sm, &suffix, &since)) {
        error_set(error, ATOLL_USAGE, "PTX has no target '%.40s'; it has sm_10 to sm_121, some with a or f (sm_90a)",
                  options->target);
        return error_option(error, ATOLL_OPTION_TARGET);
    }
    if (options->version && (options->version < FIRST_VERSION || options->version > LAST_VERSION)) {
        error_set(error, ATOLL_USAGE, "PTX has no version %u.%u; it has %u.%u to %u.%u", options->version / 10,
                  options->version % 10, FIRST_VERSION / 10, FIRST_VERSION % 10, LAST_VERSION / 10, LAST_VERSION % 10);
        return error_option(error, ATOLL_OPTION_VERSION);
    }
    return true;
}

static void parse_header(struct parser *p)
{
    if (is_word(p, ".version"))
        parse_version(p);
    else
        expected(p, ".version at the start of the module");
    if (is_word(p, ".target"))
        parse_target(p);
    else if (p->token.kind != TOKEN_END || p->module->version)
        expected(p, ".target after .version");
    apply_options(p);
    p->module->address_size = 64;
    if (is_word(p, ".address_size"))
        parse_address_size(p);
}

/* ---- functions ---- */

/* "n [, n [, n]]" after a directive such as .maxntid */
static bool parse_numbers(struct parser *p, uint32_t *values, unsigned most, const char *name)
{
    for (unsigned i = 0; i < most; i++) {
        struct span span = token_span(p);
        uint64_t value = p->token.value;
        if (!want(p, TOKEN_INT, "a number"))
            return false;
        if (value == 0 || value > UINT32_MAX)
            complain(p, span, "bad-directive", "%s needs a number from 1", name);
        values[i] = (uint32_t)value;
        if (p->token.kind != ',')
            break;
        if (i + 1 < most)
            next(p);
    }
    for (unsigned i = 0; i < most; i++)
        if (values[i] == 0)
            values[i] = 1;
    return true;
}

struct directive {
    const char *name;
    uint8_t numbers; /* at most */
    bool entry, func;
};

static const struct directive directives[] = {
    {".maxntid", 3, true, false},           {".reqntid", 3, true, false},
    {".minnctapersm", 1, true, false},      {".maxnctapersm", 1, true, false},
    {".maxnreg", 1, true, false},           {".reqnctapercluster", 3, true, false},
    {".explicitcluster", 0, true, false},   {".maxclusterrank", 1, true, false},
    {".blocksareclusters", 0, true, false}, {".noreturn", 0, false, true},
    {".abi_preserve", 1, false, true},      {".abi_preserve_control", 1, false, true},
};

static uint32_t *directive_place(struct ptx_func *func, const char *name)
{
    if (strcmp(name, ".maxntid") == 0)
        return func->maxntid;
    if (strcmp(name, ".reqntid") == 0)
        return func->reqntid;
    if (strcmp(name, ".reqnctapercluster") == 0)
        return func->reqnctapercluster;
    if (strcmp(name, ".minnctapersm") == 0)
        return &func->minnctapersm;
    if (strcmp(name, ".maxnctapersm") == 0)
        return &func->maxnctapersm;
    return strcmp(name, ".maxnreg") == 0 ? &func->maxnreg : NULL;
}

static bool parse_pragma(struct parser *p)
{
    next(p);
    do
        if (!want(p, TOKEN_STRING, "a string"))
            return false;
    while (accept(p, ','));
    return true;
}

static bool parse_directive(struct parser *p, struct ptx_func *func, const struct directive *d)
{
    uint32_t unused[3] = {0}, *place = directive_place(func, d->name);
    if (func->entry ? !d->entry : !d->func)
        complain(p, token_span(p), "bad-directive", "%s does not belong to %s", d->name,
                 func->entry ? ".entry" : ".func");
    if (strcmp(d->name, ".maxnctapersm") == 0 && p->module->version >= 21)
        complain(p, token_span(p), "bad-directive", ".maxnctapersm is gone since PTX 2.1: use .minnctapersm");
    next(p);
    if (strcmp(d->name, ".noreturn") == 0)
        func->noreturn = true;
    return d->numbers == 0 || parse_numbers(p, place ? place : unused, d->numbers, d->name);
}

/* Everything between signature and body. */
static bool parse_directives(struct parser *p, struct ptx_func *func)
{
    uint32_t from = p->spans.count;
    bool ok = true;
    while (ok && p->token.kind == TOKEN_DOT) {
        struct span start = token_span(p), *span;
        const struct directive *found = NULL;
        for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
            if (is_word(p, directives[i].name))
                found = &directives[i];
        bool pragma = is_word(p, ".pragma");
        if (!found && !pragma)
            break;
        ok = pragma ? parse_pragma(p) : parse_directive(p, func, found);
        if ((span = push(p, &p->spans, sizeof *span)) != NULL)
            *span = span_from(p, start.pos);
        if (ok && pragma)
            ok = want(p, ';', "',' or ';'");
    }
    func->ndirectives = p->spans.count - from;
    func->directives = take(p, &p->spans, from, sizeof *func->directives);
    if (func->maxntid[0] && func->reqntid[0])
        complain(p, func->decl->span, "bad-directive", ".maxntid and .reqntid exclude each other");
    return ok;
}

/* More than one result only in registers (ptxas 13.0). */
static void check_results(struct parser *p, const struct ptx_func *func)
{
    for (uint32_t i = 0; func->nresults > 1 && i < func->nresults; i++) {
        if (func->results[i]->space == PTX_param) {
            complain(p, func->results[i]->span, "bad-space", "more than one result must be in .reg");
            return;
        }
    }
}

/* Results and parameters of a .callprototype: "(results) _ (params) .noreturn", without the ';'. */
bool parse_prototype(struct parser *p, struct ptx_func *func)
{
    if (p->token.kind == '(' && !parse_params(p, PLACE_PROTO, &func->results, &func->nresults))
        return false;
    check_results(p, func);
    if (!is_word(p, "_"))
        return expected(p, "'_'");
    next(p);
    if (p->token.kind == '(' && !parse_params(p, PLACE_PROTO, &func->params, &func->nparams))
        return false;
    return parse_directives(p, func);
}

static const char *difference(struct ptx_decl *const *a, struct ptx_decl *const *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (a[i]->space != b[i]->space)
            return "parameters in other state spaces";
        if (a[i]->type != b[i]->type || a[i]->vec != b[i]->vec || a[i]->ndims != b[i]->ndims ||
            a[i]->elements != b[i]->elements)
            return "parameters of other types";
        if (a[i]->align != b[i]->align)
            return "parameters with other alignments";
    }
    return NULL;
}

static const char *prototypes_differ(const struct ptx_func *a, const struct ptx_func *b)
{
    if (a->entry != b->entry)
        return "as an .entry or a .func";
    if (a->nparams != b->nparams || a->nresults != b->nresults)
        return "another number of parameters";
    const char *what = difference(a->results, b->results, a->nresults);
    return what ? what : difference(a->params, b->params, a->nparams);
}

/* Declared again: `old` is what the name resolves to and learns of the definition. */
static void merge_function(struct parser *p, struct ptx_decl *old, struct ptx_func *func)
{
    struct ptx_decl *decl = func->decl;
    decl->repeated = true;
    if (old->kind != PTX_DECL_FUNC) {
        complain(p, decl->span, "redeclared", "'%s' is declared already as a variable", decl->name);
        return;
    }
    const char *what = prototypes_differ(old->func, func);
    bool extern_old = old->linkage & PTX_LINK_EXTERN;
    if (old->defined)
        complain(p, decl->span, "redeclared", "'%s' is defined already", decl->name);
    else if (what)
        complain(p, decl->span, "redeclared", "'%s' was declared with %s", decl->name, what);
    else if (extern_old && func->has_body)
        complain(p, decl->span, "redeclared", "'%s' was declared .extern and cannot be defined here", decl->name);
    else if (decl->linkage && decl->linkage != old->linkage)
        complain(p, decl->span, "redeclared", "'%s' was declared with another linkage", decl->name);
    if (func->has_body && !old->defined) {
        old->func = func;
        old->defined = true;
    }
}

static void declare_function(struct parser *p, struct span name, struct ptx_func *func)
{
    struct ptx_decl *decl = func->decl;
    decl->span = name;
    struct ptx_decl *other = names_declare(&p->names, text_of(p, name.pos), name.length, decl);
    if (p->names.failed)
        p->failed = true;
    if (other)
        merge_function(p, other, func);
}

/* [(results)] name [(params)] */
static bool parse_signature(struct parser *p, struct ptx_func *func, struct span *name)
{
    if (p->token.kind == '(') {
        if (func->entry)
            return expected(p, "a name: an .entry has no results");
        if (!parse_params(p, PLACE_FUNC, &func->results, &func->nresults))
            return false;
    }
    check_results(p, func);
    *name = token_span(p);
    if (p->token.kind != TOKEN_NAME || is_word(p, "_"))
        return expected(p, "the name of the function");
    next(p);
    enum decl_place place = func->entry ? PLACE_ENTRY : PLACE_FUNC;
    return p->token.kind != '(' || parse_params(p, place, &func->params, &func->nparams);
}

static struct ptx_func *make_function(struct parser *p, unsigned linkage, bool entry)
{
    struct ptx_func *func = make(p, 1, sizeof *func);
    struct ptx_decl *decl = make(p, 1, sizeof *decl);
    if (!func || !decl)
        return NULL;
    func->decl = decl;
    func->entry = entry;
    decl->kind = PTX_DECL_FUNC;
    decl->linkage = (uint8_t)linkage;
    decl->func = func;
    return func;
}

/* A body that is gone afterwards. */
static void parse_passing_body(struct parser *p, struct ptx_func *func)
{
    struct arena *module = p->arena;
    p->arena = &p->bodies;
    parse_body(p, func);
    if (!p->failed)
        p->body_done(p->body_user, p->module, func);
    func->stmts = NULL;
    func->nstmts = 0;
    arena_free(&p->bodies);
    p->arena = module;
}

/* The function's name belongs to the module; its parameters share the outermost scope of its body. */
static bool parse_definition(struct parser *p, struct ptx_func *func)
{
    names_open(&p->names);
    declare_params(p, func->results, func->nresults);
    declare_params(p, func->params, func->nparams);
    p->func = func;
    if (func->has_body && p->body_done)
        parse_passing_body(p, func);
    else if (func->has_body)
        parse_body(p, func);
    p->func = NULL;
    names_close(&p->names);
    if (func->has_body)
        return true;
    /* The ';' of a last .pragma may end the declaration too. */
    const char *last = func->ndirectives ? text_of(p, func->directives[func->ndirectives - 1].pos) : "";
    bool pragma = func->ndirectives && memcmp(last, ".pragma", 7) == 0;
    return accept(p, ';') || pragma || expected(p, "'{' or ';'");
}

/* At .entry or .func; `start` is where the item began (its linkage). */
static bool parse_function(struct parser *p, unsigned linkage, uint32_t start)
{
    struct span name;
    struct ptx_func *func = make_function(p, linkage, is_word(p, ".entry"));
    if (!func)
        return false;
    if (linkage & PTX_LINK_COMMON)
        complain(p, token_span(p), "bad-linkage", ".common belongs to variables");
    bool managed = false;
    next(p);
    if (is_word(p, ".attribute") && !parse_attributes(p, &managed, &func->decl->attribute))
        return false;
    if (managed)
        complain(p, token_span(p), "bad-attribute", "a function cannot be .managed");
    if (!parse_signature(p, func, &name) || !parse_directives(p, func))
        return false;
    func->has_body = p->token.kind == '{';
    func->decl->defined = func->has_body;
    if (func->has_body && linkage & PTX_LINK_EXTERN && !func->entry)
        complain(p, name, "bad-linkage", "an .extern function cannot have a body");
    declare_function(p, name, func);
    struct ptx_func **slot = push(p, &p->funcs, sizeof *slot);
    if (!slot)
        return false;
    *slot = func;
    uint32_t item = p->items.count;
    add_item(p, PTX_ITEM_FUNC, (struct span){start, 0}, func->decl, func);
    bool ok = parse_definition(p, func);
    if (!p->failed)
        ((struct ptx_item *)p->items.items)[item].span = span_from(p, start);
    return ok;
}

/* ---- directives of the module ---- */

/* Between the quotes; a backslash and a quote have a backslash before them. */
static const char *keep_file_name(struct parser *p, struct span quoted)
{
    const char *text = text_of(p, quoted.pos);
    char *name = arena_text(p->names.arena, text + 1, quoted.length > 2 ? quoted.length - 2 : 0);
    char *to = name;
    p->failed |= !name;
    for (const char *at = name; name && *at; at++) {
        at += at[0] == '\\' && (at[1] == '\\' || at[1] == '"');
        *to++ = *at;
    }
    if (to)
        *to = 0;
    return name;
}

/* .file 1 "name" [, time, size] */
static bool parse_file(struct parser *p, uint32_t start)
{
    struct ptx_file *file = push(p, &p->files, sizeof *file);
    next(p);
    uint64_t number = p->token.value;
    if (!want(p, TOKEN_INT, "a number"))
        return false;
    struct span name = token_span(p);
    if (!want(p, TOKEN_STRING, "a file name"))
        return false;
    if (file)
        *file = (struct ptx_file){(uint32_t)number, keep_file_name(p, name)};
    if (accept(p, ',') && !(want(p, TOKEN_INT, "a number") && want(p, ',', "','") && want(p, TOKEN_INT, "a number")))
        return false;
    add_item(p, PTX_ITEM_DIRECTIVE, span_from(p, start), NULL, NULL);
    return true;
}

static bool parse_function_name(struct parser *p, struct ptx_decl **out)
{
    struct span name = token_span(p);
    if (!want(p, TOKEN_NAME, "the name of a function"))
        return false;
    *out = names_find(&p->names, text_of(p, name.pos), name.length).decl;
    if (!*out) {
        name_unknown(p, name);
    } else if ((*out)->kind != PTX_DECL_FUNC) {
        complain(p, name, "bad-operand", "'%s' is not a function", (*out)->name);
        *out = NULL;
    } else {
        (*out)->used = true;
    }
    return true;
}

/* .alias alias, target; */
static bool parse_alias(struct parser *p, uint32_t start)
{
    struct alias alias = {.span = {0}}, *slot;
    next(p);
    alias.span = token_span(p);
    if (!parse_function_name(p, &alias.alias) || !want(p, ',', "','") || !parse_function_name(p, &alias.target))
        return false;
    add_item(p, PTX_ITEM_DIRECTIVE, span_from(p, start), NULL, NULL);
    if (alias.alias && alias.target && (slot = push(p, &p->aliases, sizeof *slot)) != NULL)
        *slot = alias;
    return want(p, ';', "';'");
}

/* Once every definition is known. */
static void settle_aliases(struct parser *p)
{
    const struct alias *aliases = p->aliases.items;
    for (uint32_t i = 0; i < p->aliases.count; i++) {
        struct ptx_decl *alias = aliases[i].alias, *target = aliases[i].target;
        const char *what = prototypes_differ(alias->func, target->func);
        if (alias->func->entry || target->func->entry)
            complain(p, aliases[i].span, "bad-operand", "an alias names functions; '%s' is an .entry",
                     alias->func->entry ? alias->name : target->name);
        else if (what)
            complain(p, aliases[i].span, "redeclared", "'%s' and '%s' are declared with %s", alias->name, target->name,
                     what);
        else if (!alias->defined)
            alias->func = target->func;
    }
}

/* ---- items ---- */

static unsigned parse_linkage(struct parser *p)
{
    static const struct {
        const char *word;
        unsigned linkage;
    } words[] = {{".visible", PTX_LINK_VISIBLE},
                 {".extern", PTX_LINK_EXTERN},
                 {".weak", PTX_LINK_WEAK},
                 {".common", PTX_LINK_COMMON}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (is_word(p, words[i].word)) {
            next(p);
            return words[i].linkage;
        }
    }
    return PTX_LINK_NONE;
}

static bool parse_module_pragma(struct parser *p, uint32_t start)
{
    if (!parse_pragma(p))
        return false;
    add_item(p, PTX_ITEM_DIRECTIVE, span_from(p, start), NULL, NULL);
    return want(p, ';', "';'");
}

static bool parse_item(struct parser *p)
{
    uint32_t start = p->token.pos;
    if (p->token.kind != TOKEN_DOT)
        return expected(p, "a declaration or a function");
    if (is_word(p, ".file"))
        return parse_file(p, start);
    if (is_word(p, ".section"))
        return parse_section(p, start);
    if (is_word(p, ".alias"))
        return parse_alias(p, start);
    if (is_word(p, ".pragma"))
        return parse_module_pragma(p, start);
    if (is_word(p, ".version") || is_word(p, ".target") || is_word(p, ".address_size"))
        return expected(p, "a declaration or a function: the header stands at the start, once,");
    unsigned linkage = parse_linkage(p);
    if (is_word(p, ".entry") || is_word(p, ".func"))
        return parse_function(p, linkage, start);
    return parse_variables(p, PLACE_MODULE, linkage, start);
}

static void parse_items(struct parser *p)
{
    while (p->token.kind != TOKEN_END && !p->failed && !p->diag->stop) {
        uint32_t before = p->token.pos;
        if (parse_item(p) || p->failed)
            continue;
        recover_item(p);
        if (p->token.pos == before)
            next(p); /* always forward */
    }
}

/* ---- the whole ---- */

static void free_parser(struct parser *p)
{
    struct stack *stacks[] = {&p->items, &p->funcs, &p->stmts,   &p->operands, &p->inits,
                              &p->decls, &p->spans, &p->aliases, &p->pending,  &p->files};
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++)
        free(stacks[i]->items);
    free_locations(&p->locations);
    arena_free(&p->bodies);
    names_free(&p->names);
    free(p);
}

static void finish(struct parser *p)
{
    struct ptx_module *module = p->module;
    settle_aliases(p);
    settle_locations(p);
    module->nitems = p->items.count;
    module->items = take(p, &p->items, 0, sizeof *module->items);
    module->nfuncs = p->funcs.count;
    module->funcs = take(p, &p->funcs, 0, sizeof *module->funcs);
    module->nfiles = p->files.count;
    module->files = take(p, &p->files, 0, sizeof *module->files);
}

static struct parser *make_parser(struct arena *arena, struct diag *diag)
{
    struct parser *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->arena = arena;
    p->diag = diag;
    p->hint_budget = HINTS;
    p->module = arena_alloc(arena, sizeof *p->module);
    p->names.arena = arena;
    if (!p->module) {
        free_parser(p);
        return NULL;
    }
    p->module->arena = arena;
    p->module->source = diag->source;
    p->module->size = diag->size;
    p->lexer = (struct lexer){.text = diag->source, .size = (uint32_t)diag->size};
    return p;
}

bool ptx_parse(struct arena *arena, struct diag *diag, struct ptx_module **module)
{
    return ptx_parse_bodies(arena, diag, NULL, NULL, module);
}

bool ptx_parse_bodies(struct arena *arena, struct diag *diag, ptx_body_fn *done, void *user, struct ptx_module **module)
{
    bool too_large = diag->size >= UINT32_MAX - 4096;
    if (too_large) {
        diag->size = 0;
        diag_report(diag, ATOLL_ERROR, "too-large", 0, 0, "a module may have at most 4 GiB of text");
    }
    struct parser *p = make_parser(arena, diag);
    if (!p)
        return error_memory(diag->first);
    p->body_done = done;
    p->body_user = user;
    next(p);
    if (!too_large) {
        parse_header(p);
        parse_items(p);
    }
    finish(p);
    *module = p->module;
    bool failed = p->failed;
    free_parser(p);
    return failed ? error_memory(diag->first) : true;
}

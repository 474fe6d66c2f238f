/* Declarations of variables, registers and parameters:
 *
 *   [.visible|.extern|.weak|.common] .space [.align n] [.attribute(...)] [.v2|.v4] .type name[<n>][[n]...] [= value],
 * ... ; .param .type [.ptr [.space] [.align n]] name [[n]]
 *
 * and what of them is wrong whatever the target. The rules are ptxas 13.0's (tests/test_ptx_decl.c has each). */
#include "isa/ptx/parse.h"

#include <stdio.h>
#include <string.h>

/* What the names of one declaration have in common. */
struct spec {
    uint32_t start;
    unsigned linkage;
    enum decl_place place;
    uint16_t space, type, ptr_space;
    uint8_t vec;
    uint32_t align, ptr_align;
    bool managed, pointer;
    struct span space_span, type_span, vec_span, attribute;
};

enum { MOST_EXPANDED = 65536 };                         /* in a module */
static const uint64_t largest_size = UINT64_C(1) << 46; /* bytes */

static enum ptx_keyword dot_keyword(struct parser *p)
{
    if (p->token.kind != TOKEN_DOT)
        return PTX_UNKNOWN;
    return find_keyword(p, (struct span){p->token.pos + 1, p->token.length - 1});
}

/* ---- before the names ---- */

static bool parse_align(struct parser *p, uint32_t *align)
{
    next(p);
    struct span span = token_span(p);
    uint64_t value = p->token.value;
    if (!want(p, TOKEN_INT, "an alignment in bytes"))
        return false;
    if (value == 0 || (value & (value - 1)) != 0 || value > UINT32_MAX / 2)
        complain(p, span, "bad-align", "an alignment must be a power of two");
    else
        *align = (uint32_t)value;
    return true;
}

static bool parse_attribute_word(struct parser *p, bool *managed)
{
    if (is_word(p, ".managed")) {
        *managed = true;
        next(p);
        return true;
    }
    if (!is_word(p, ".unified")) {
        if (p->token.kind != TOKEN_DOT)
            return expected(p, "an attribute");
        complain(p, token_span(p), "bad-attribute", "attributes are .managed and .unified(u, v)");
        next(p);
        return true;
    }
    struct value value;
    next(p);
    return want(p, '(', "'('") && parse_integer(p, &value) && want(p, ',', "','") && parse_integer(p, &value) &&
           want(p, ')', "')'");
}

bool parse_attributes(struct parser *p, bool *managed, struct span *span)
{
    uint32_t start = p->token.pos;
    next(p);
    if (!want(p, '(', "'('"))
        return false;
    do
        if (!parse_attribute_word(p, managed))
            return false;
    while (accept(p, ','));
    if (!want(p, ')', "')'"))
        return false;
    *span = span_from(p, start);
    return true;
}

static bool parse_space(struct parser *p, struct spec *spec)
{
    for (;;) {
        enum ptx_keyword word = dot_keyword(p);
        if (is_word(p, ".align")) {
            if (!parse_align(p, &spec->align))
                return false;
        } else if (is_word(p, ".attribute")) {
            if (!parse_attributes(p, &spec->managed, &spec->attribute))
                return false;
        } else if (spec->space == 0 && (word == PTX_reg || word == PTX_global || word == PTX_const ||
                                        word == PTX_shared || word == PTX_local || word == PTX_param)) {
            spec->space = (uint16_t)word;
            spec->space_span = token_span(p);
            next(p);
        } else {
            break;
        }
    }
    if (spec->space)
        return true;
    if (p->token.kind != TOKEN_DOT || spec->place > PLACE_BODY)
        return expected(p, "a state space");
    complain(p, token_span(p), "unknown-directive", "'%.*s' is not a directive",
             (int)(p->token.length > 40 ? 40 : p->token.length), text_of(p, p->token.pos));
    return false;
}

static bool is_variable_type(enum ptx_keyword type)
{
    switch (type) {
    case PTX_b8:
    case PTX_b16:
    case PTX_b32:
    case PTX_b64:
    case PTX_b128:
    case PTX_u8:
    case PTX_u16:
    case PTX_u32:
    case PTX_u64:
    case PTX_s8:
    case PTX_s16:
    case PTX_s32:
    case PTX_s64:
    case PTX_f16:
    case PTX_f16x2:
    case PTX_f32:
    case PTX_f64:
    case PTX_pred:
    case PTX_surfref:
    case PTX_texref:
    case PTX_samplerref:
        return true;
    default:
        return false;
    }
}

static unsigned type_bits(uint16_t type)
{
    switch (type) {
    case PTX_b8:
    case PTX_u8:
    case PTX_s8:
        return 8;
    case PTX_b16:
    case PTX_u16:
    case PTX_s16:
    case PTX_f16:
        return 16;
    case PTX_b64:
    case PTX_u64:
    case PTX_s64:
    case PTX_f64:
    case PTX_surfref:
    case PTX_texref:
    case PTX_samplerref:
        return 64;
    case PTX_b128:
        return 128;
    default:
        return 32;
    }
}

static bool is_opaque(uint16_t type)
{
    return type == PTX_surfref || type == PTX_texref || type == PTX_samplerref;
}

static bool parse_type(struct parser *p, struct spec *spec)
{
    enum ptx_keyword word = dot_keyword(p);
    spec->vec = 1;
    if (word == PTX_v2 || word == PTX_v4) {
        spec->vec = word == PTX_v2 ? 2 : 4;
        spec->vec_span = token_span(p);
        next(p);
        word = dot_keyword(p);
    }
    if (p->token.kind != TOKEN_DOT)
        return expected(p, "a type");
    spec->type_span = token_span(p);
    if (is_variable_type(word))
        spec->type = (uint16_t)word;
    else
        complain(p, spec->type_span, "bad-type", "'%.*s' is not a type of a variable",
                 (int)(p->token.length > 40 ? 40 : p->token.length), text_of(p, p->token.pos));
    next(p);
    return true;
}

/* .ptr [.space] [.align n] */
static bool parse_pointer(struct parser *p, struct spec *spec)
{
    struct span span = token_span(p);
    next(p);
    spec->pointer = true;
    if (spec->place != PLACE_ENTRY)
        complain(p, span, "bad-attribute", ".ptr belongs to parameters of an .entry");
    enum ptx_keyword word = dot_keyword(p);
    if (word == PTX_global || word == PTX_const || word == PTX_shared || word == PTX_local || word == PTX_surfref ||
        word == PTX_texref || word == PTX_samplerref) {
        spec->ptr_space = (uint16_t)word;
        next(p);
    } else if (p->token.kind == TOKEN_DOT && !is_word(p, ".align")) {
        return expected(p, "a state space");
    }
    return !is_word(p, ".align") || parse_align(p, &spec->ptr_align);
}

/* ---- checks that concern all names of a declaration ---- */

static void check_opaque(struct parser *p, const struct spec *spec)
{
    if (spec->place == PLACE_MODULE && spec->space != PTX_global)
        complain(p, spec->space_span, "bad-space", "texture and surface variables must be in .global");
    else if (spec->place != PLACE_MODULE && !(spec->place == PLACE_ENTRY && spec->space == PTX_param))
        complain(p, spec->type_span, "bad-space",
                 "texture and surface variables must be at module scope or parameters of an .entry");
    else if (spec->type == PTX_samplerref && !p->module->independent_textures)
        complain(p, spec->type_span, "bad-type", ".samplerref needs .target ..., texmode_independent");
    if (spec->vec > 1)
        complain(p, spec->vec_span, "bad-type", "textures and surfaces have no vectors");
}

static void check_place(struct parser *p, const struct spec *spec)
{
    static const char *const names[] = {"module scope", "a function body", "parameters of an .entry",
                                        "parameters of a .func", "parameters of a prototype"};
    bool fine;
    if (spec->place == PLACE_MODULE)
        fine = spec->space == PTX_global || spec->space == PTX_const || spec->space == PTX_shared;
    else if (spec->place == PLACE_BODY)
        fine = true;
    else
        fine = spec->space == PTX_param || (spec->space == PTX_reg && spec->place != PLACE_ENTRY);
    if (!fine)
        complain(p, spec->space_span, "bad-space", ".%s is not allowed at %s",
                 ptx_keyword_text((enum ptx_keyword)spec->space), names[spec->place]);
}

static void check_spec(struct parser *p, const struct spec *spec)
{
    if (is_opaque(spec->type)) {
        check_opaque(p, spec);
        return;
    }
    check_place(p, spec);
    if (spec->type == PTX_pred && (spec->space != PTX_reg || spec->vec > 1))
        complain(p, spec->type_span, "bad-type", "predicates are scalar registers");
    if (spec->vec > 1 && spec->type && spec->vec * type_bits(spec->type) > 128)
        complain(p, spec->vec_span, "bad-type", "a vector has at most 128 bits");
    if (spec->vec > 1 && spec->space == PTX_param)
        complain(p, spec->vec_span, "bad-type", "parameters cannot be vectors");
    if (spec->linkage & PTX_LINK_COMMON && spec->space != PTX_global)
        complain(p, spec->space_span, "bad-linkage", ".common variables must be in .global");
    if (spec->managed && spec->space != PTX_global)
        complain(p, spec->space_span, "bad-attribute", ".managed variables must be in .global");
}

/* ---- one name ---- */

static bool parse_dimension(struct parser *p, struct ptx_decl *decl)
{
    next(p);
    struct span span = token_span(p);
    struct value value = {0};
    bool empty = p->token.kind == ']';
    if (!empty && !parse_integer(p, &value))
        return false;
    if (decl->ndims == PTX_DIMS) {
        complain(p, span, "bad-array", "an array has at most %d dimensions", PTX_DIMS);
        return want(p, ']', "']'");
    }
    if (empty && decl->ndims > 0)
        complain(p, span, "bad-array", "only the first dimension may be left open");
    else if (empty)
        decl->unsized = true;
    else if (value.kind == INSN_INT && !value.is_unsigned && (int64_t)value.bits < 0)
        complain(p, span, "bad-array", "an array cannot have %lld elements", (long long)value.bits);
    else
        decl->dims[decl->ndims] = value.kind == INSN_INT ? value.bits : 1;
    decl->ndims++;
    return want(p, ']', "']'");
}

/* <count>; only a number, since '>' would end an expression */
static bool parse_count(struct parser *p, uint32_t *count)
{
    next(p);
    struct span span = token_span(p);
    uint64_t value = p->token.value;
    if (is_word(p, "WARP_SZ")) {
        value = 32;
        next(p);
    } else if (!want(p, TOKEN_INT, "a number of registers")) {
        return false;
    }
    if (value > INT32_MAX)
        complain(p, span, "bad-count", "too many registers: %llu", (unsigned long long)value);
    else
        *count = (uint32_t)value;
    return want(p, '>', "'>'");
}

static uint8_t kind_of(const struct spec *spec)
{
    if (spec->place == PLACE_ENTRY)
        return PTX_DECL_PARAM;
    if (spec->space == PTX_param || spec->place == PLACE_FUNC || spec->place == PLACE_PROTO)
        return PTX_DECL_FPARAM;
    return spec->space == PTX_reg ? PTX_DECL_REG : PTX_DECL_VAR;
}

static void fill(struct ptx_decl *decl, const struct spec *spec)
{
    decl->kind = kind_of(spec);
    decl->linkage = (uint8_t)spec->linkage;
    decl->space = spec->space;
    decl->type = spec->type;
    decl->vec = spec->vec;
    decl->align = spec->align;
    decl->managed = spec->managed;
    decl->attribute = spec->attribute;
    decl->pointer = spec->pointer;
    decl->ptr_space = spec->ptr_space;
    decl->ptr_align = spec->ptr_align;
    decl->defined = !(spec->linkage & PTX_LINK_EXTERN);
}

static void check_array(struct parser *p, const struct spec *spec, struct ptx_decl *decl, struct span name)
{
    uint64_t bytes = type_bits(decl->type) / 8 * decl->vec, elements = 1;
    bool param = spec->space == PTX_param && spec->place != PLACE_BODY;
    bool open_ok = spec->linkage & PTX_LINK_EXTERN || spec->place == PLACE_FUNC || spec->place == PLACE_PROTO;
    for (unsigned i = 0; i < decl->ndims; i++) {
        uint64_t most = largest_size / bytes / (elements ? elements : 1);
        if (decl->dims[i] > most) {
            complain(p, name, "bad-array", "'%s' is larger than %llu bytes", decl->name,
                     (unsigned long long)largest_size);
            decl->dims[i] = 1;
        }
        elements *= decl->dims[i];
    }
    decl->elements = elements;
    if (decl->ndims && spec->space == PTX_reg)
        complain(p, name, "bad-array", "'%s': registers have no arrays", decl->name);
    else if (param && decl->ndims > 1)
        complain(p, name, "bad-array", "'%s': a parameter has one dimension", decl->name);
    else if (elements > UINT32_MAX && is_opaque(decl->type))
        complain(p, name, "bad-array", "'%s' has more than 2^32 - 1 elements", decl->name);
    else if (elements == 0 && !open_ok)
        complain(p, name, "bad-array", "'%s' has no size, and is not .extern", decl->name);
}

static void check_init(struct parser *p, const struct spec *spec, const struct ptx_decl *decl, struct span name)
{
    if (spec->linkage & PTX_LINK_EXTERN)
        complain(p, name, "bad-initializer", "'%s' is .extern and cannot have an initial value", decl->name);
    else if (spec->space != PTX_global && spec->space != PTX_const)
        complain(p, name, "bad-initializer", "'%s': variables in .%s cannot have an initial value", decl->name,
                 ptx_keyword_text((enum ptx_keyword)spec->space));
}

/* ---- the same name again at module scope ---- */

static bool same_shape(const struct ptx_decl *a, const struct ptx_decl *b)
{
    bool same = a->space == b->space && a->type == b->type && a->vec == b->vec && a->ndims == b->ndims;
    for (unsigned i = 0; same && i < a->ndims; i++)
        same = a->dims[i] == b->dims[i] || (i == 0 && (a->unsized || b->unsized));
    return same;
}

/* `old` is what the name resolves to; the new declaration comes into its place if it is the definition. */
static struct ptx_decl *declare_again(struct parser *p, struct ptx_decl *old, struct ptx_decl *decl, struct span name)
{
    bool extern_old = old->linkage & PTX_LINK_EXTERN, extern_new = decl->linkage & PTX_LINK_EXTERN;
    decl->repeated = true;
    if (old->kind != PTX_DECL_VAR || (!extern_old && !extern_new)) {
        complain(p, name, "redeclared", "'%s' is declared already", decl->name);
    } else if (!same_shape(old, decl)) {
        complain(p, name, "redeclared", "'%s' is declared already with another type, size or space", decl->name);
    } else if (extern_old && !extern_new) {
        if (!decl->linkage)
            complain(p, name, "redeclared", "'%s' is .extern; a definition must be .visible, .weak or .common",
                     decl->name);
        struct ptx_item *item = (struct ptx_item *)p->items.items + old->module_order;
        struct ptx_decl definition = *decl;
        definition.repeated = false;
        definition.used = old->used;
        *decl = *old;
        decl->repeated = true;
        *old = definition;
        item->decl = decl;
        return old;
    }
    return decl;
}

/* Gives the declaration its name and its place in the module or body. */
static void add(struct parser *p, const struct spec *spec, struct span name, const char *text, uint32_t length,
                struct ptx_decl *decl)
{
    decl->span = name;
    struct ptx_decl *other = names_declare(&p->names, text, length, decl);
    if (p->names.failed) {
        p->failed = true;
        return;
    }
    if (other && spec->place == PLACE_MODULE) {
        decl = declare_again(p, other, decl, name);
    } else if (other) {
        decl->repeated = true;
        complain(p, name, "redeclared", "'%s%s' is declared already in this scope", decl->name,
                 decl->count ? "<>" : "");
    }
    if (spec->place == PLACE_MODULE) {
        add_item(p, PTX_ITEM_DECL, span_from(p, spec->start), decl, NULL);
    } else if (spec->place == PLACE_BODY) {
        struct ptx_stmt *stmt = push(p, &p->stmts, sizeof *stmt);
        if (stmt)
            *stmt = (struct ptx_stmt){.kind = PTX_STMT_DECL, .span = span_from(p, spec->start), .decl = decl};
    }
}

/* .param .b32 a<3> declares a0, a1 and a2: only registers are kept as a range. */
static bool expand(struct parser *p, const struct spec *spec, struct span name, uint32_t count)
{
    p->expanded += count;
    if (p->expanded > MOST_EXPANDED || name.length > 1000) {
        complain(p, name, "bad-count", "more than %d variables declared with name<count>", MOST_EXPANDED);
        return true;
    }
    for (uint32_t i = 0; i < count && !p->failed; i++) {
        char text[1020];
        int length = snprintf(text, sizeof text, "%.*s%u", (int)name.length, text_of(p, name.pos), i);
        struct ptx_decl *decl = make(p, 1, sizeof *decl);
        if (!decl)
            return false;
        fill(decl, spec);
        decl->elements = 1;
        add(p, spec, name, text, (uint32_t)length, decl);
    }
    return !p->failed;
}

static bool parse_name(struct parser *p, struct span *name)
{
    *name = token_span(p);
    if (p->token.kind != TOKEN_NAME || is_word(p, "_"))
        return expected(p, "a name");
    next(p);
    return true;
}

static bool parse_declarator(struct parser *p, const struct spec *spec, struct ptx_decl **out)
{
    struct span name;
    bool param = spec->place != PLACE_MODULE && spec->place != PLACE_BODY;
    struct ptx_decl *decl = make(p, 1, sizeof *decl);
    bool anonymous = spec->place == PLACE_PROTO && is_word(p, "_");
    if (!decl)
        return false;
    *out = decl;
    fill(decl, spec);
    if (anonymous) {
        name = token_span(p);
        next(p);
    } else if (!parse_name(p, &name)) {
        return false;
    }
    uint32_t count = UINT32_MAX;
    if (p->token.kind == '<' && !parse_count(p, &count))
        return false;
    if (count != UINT32_MAX && param) {
        complain(p, name, "bad-count", "a parameter is a single name");
        count = UINT32_MAX;
    }
    if (count != UINT32_MAX && (spec->space != PTX_reg || spec->place != PLACE_BODY))
        return expand(p, spec, name, count);
    if (count == 0)
        return true; /* %r<0> declares nothing */
    while (p->token.kind == '[')
        if (!parse_dimension(p, decl))
            return false;
    if (param || decl->ndims || p->token.kind == '=') /* for messages; else names_declare sets it */
        decl->name = arena_text(p->arena, text_of(p, name.pos), name.length);
    if (p->token.kind == '=') {
        check_init(p, spec, decl, name);
        next(p);
        if (!parse_init(p, decl))
            return false;
    }
    decl->count = count == UINT32_MAX ? 0 : count;
    check_array(p, spec, decl, name);
    decl->span = name;
    if (!param) /* parameters are declared when the whole signature is known: declare_params */
        add(p, spec, name, text_of(p, name.pos), name.length, decl);
    return !p->failed;
}

/* ---- statements and parameter lists ---- */

static bool parse_spec(struct parser *p, struct spec *spec)
{
    if (!parse_space(p, spec) || !parse_type(p, spec))
        return false;
    if (is_word(p, ".ptr") && !parse_pointer(p, spec))
        return false;
    check_spec(p, spec);
    return true;
}

bool parse_variables(struct parser *p, enum decl_place place, unsigned linkage, uint32_t start)
{
    struct spec spec = {.start = start, .linkage = linkage, .place = place};
    struct ptx_decl *decl;
    if (!parse_spec(p, &spec))
        return false;
    if (p->token.kind != ';') { /* ".global .u32;" declares nothing */
        do
            if (!parse_declarator(p, &spec, &decl))
                return false;
        while (accept(p, ','));
    }
    return want_end(p);
}

/* Skips to the ',' or ')' after a bad parameter; false: neither is near. */
static bool recover_param(struct parser *p)
{
    while (p->token.kind != ',' && p->token.kind != ')') {
        if (p->token.kind == TOKEN_END || p->token.kind == '{' || p->token.kind == '}' || p->token.kind == ';')
            return false;
        next(p);
    }
    return true;
}

static bool parse_param(struct parser *p, enum decl_place place)
{
    struct spec spec = {.start = p->token.pos, .place = place};
    struct ptx_decl *decl = NULL;
    if (!parse_spec(p, &spec) || !parse_declarator(p, &spec, &decl))
        return false;
    struct ptx_decl **slot = push(p, &p->decls, sizeof *slot);
    if (slot)
        *slot = decl;
    return slot;
}

void declare_params(struct parser *p, struct ptx_decl *const *params, uint32_t count)
{
    for (uint32_t i = 0; i < count && !p->failed; i++)
        declare(p, params[i]->span, params[i]);
}

bool parse_params(struct parser *p, enum decl_place place, struct ptx_decl ***params, uint32_t *count)
{
    uint32_t from = p->decls.count;
    next(p);
    if (p->token.kind != ')') {
        do {
            if (!parse_param(p, place) && (p->failed || !recover_param(p))) {
                p->decls.count = from;
                return false;
            }
        } while (accept(p, ','));
    }
    *count = p->decls.count - from;
    *params = take(p, &p->decls, from, sizeof **params);
    return want(p, ')', "',' or ')'");
}

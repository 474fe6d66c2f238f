/* Initialisers: nested lists, numbers, addresses (sym+4, generic(sym), 0xFF00(sym)), fields of opaque types. What fits
 * which variable is checked here, once per initialiser (as ptxas 13.0 takes .global and .const variables). */
#include "isa/ptx/parse.h"

#include <string.h>

struct init_context {
    struct ptx_decl *decl;
    bool reported; /* one message per initialiser */
};

static void wrong(struct parser *p, struct init_context *c, struct span span, const char *what)
{
    if (!c->reported)
        complain(p, span, "bad-initializer", "initial value of '%s': %s", c->decl->name, what);
    c->reported = true;
}

static bool is_opaque(const struct ptx_decl *decl)
{
    return decl->type == PTX_surfref || decl->type == PTX_texref || decl->type == PTX_samplerref;
}

/* ---- scalars ---- */

enum type_kind { TYPE_NONE, TYPE_UNSIGNED, TYPE_SIGNED, TYPE_BITS, TYPE_FLOAT, TYPE_HALF, TYPE_PAIR };

static enum type_kind kind_of_type(uint16_t type)
{
    switch (type) {
    case PTX_u8:
    case PTX_u16:
    case PTX_u32:
    case PTX_u64:
        return TYPE_UNSIGNED;
    case PTX_s8:
    case PTX_s16:
    case PTX_s32:
    case PTX_s64:
        return TYPE_SIGNED;
    case PTX_f32:
    case PTX_f64:
        return TYPE_FLOAT;
    case PTX_f16:
        return TYPE_HALF;
    case PTX_f16x2:
        return TYPE_PAIR;
    case PTX_b8:
    case PTX_b16:
    case PTX_b32:
    case PTX_b64:
    case PTX_b128:
        return TYPE_BITS;
    default:
        return TYPE_NONE; /* unknown: reported with the declaration */
    }
}

static void check_scalar(struct parser *p, struct init_context *c, const struct ptx_init *init)
{
    enum type_kind type = kind_of_type(c->decl->type);
    bool is_float = init->kind == PTX_INIT_F32 || init->kind == PTX_INIT_F64;
    if (type == TYPE_HALF)
        wrong(p, c, init->span, "a .f16 variable cannot have one");
    else if (init->kind == PTX_INIT_SYMBOL && type != TYPE_UNSIGNED && type != TYPE_NONE)
        wrong(p, c, init->span, "an address needs an unsigned integer variable");
    else if (init->kind == PTX_INIT_SYMBOL && !init->mask_byte && (c->decl->type == PTX_u8 || c->decl->type == PTX_u16))
        wrong(p, c, init->span, "an address needs .u32 or .u64, or a mask such as 0xFF(name)");
    else if (init->kind == PTX_INIT_INT && type == TYPE_FLOAT)
        wrong(p, c, init->span, "an integer where a float is wanted");
    else if (is_float && (type == TYPE_UNSIGNED || type == TYPE_SIGNED))
        wrong(p, c, init->span, "a float where an integer is wanted");
}

/* name [+ addend], after "generic(" too */
static bool parse_symbol(struct parser *p, struct init_context *c, struct ptx_init *init)
{
    struct span name = token_span(p);
    if (!want(p, TOKEN_NAME, "a name"))
        return false;
    struct meaning meaning = names_find(&p->names, text_of(p, name.pos), name.length);
    init->kind = PTX_INIT_SYMBOL;
    init->decl = meaning.decl;
    if (!meaning.decl) {
        if (!c->reported)
            name_unknown(p, name);
        c->reported = true;
        return true;
    }
    meaning.decl->used = true;
    bool variable = meaning.decl->kind == PTX_DECL_VAR;
    if (variable && meaning.decl->space != PTX_global && meaning.decl->space != PTX_const)
        wrong(p, c, name, "the address of a variable that is not in .global or .const");
    else if (!variable && meaning.decl->kind != PTX_DECL_FUNC)
        wrong(p, c, name, "only variables and functions have an address here");
    return true;
}

static bool parse_addend(struct parser *p, struct init_context *c, struct ptx_init *init)
{
    uint32_t start = p->token.pos;
    if (p->token.kind == '-') {
        warn(p, token_span(p), "negative-offset", "ptxas reads sym+-4, not sym-4");
    } else if (!accept(p, '+')) {
        return true;
    }
    struct value value;
    if (!parse_integer(p, &value))
        return false;
    init->value = value.bits;
    if (init->decl && init->decl->kind == PTX_DECL_FUNC)
        wrong(p, c, span_from(p, start), "nothing can be added to the address of a function");
    return true;
}

static bool parse_address(struct parser *p, struct init_context *c, struct ptx_init *init)
{
    bool generic = is_word(p, "generic");
    struct span name = token_span(p);
    if (!generic)
        return parse_symbol(p, c, init) && parse_addend(p, c, init);
    next(p);
    init->generic = true;
    if (!want(p, '(', "'('") || !parse_symbol(p, c, init) || !want(p, ')', "')'"))
        return false;
    if (init->decl && init->decl->kind == PTX_DECL_FUNC)
        wrong(p, c, name, "generic() of a function");
    return parse_addend(p, c, init);
}

/* 0xFF00(symbol): byte 1 of the address. */
static bool parse_mask(struct parser *p, struct init_context *c, struct ptx_init *init, uint64_t mask)
{
    for (unsigned byte = 0; byte < 8; byte++)
        if (mask == UINT64_C(0xff) << 8 * byte)
            init->mask_byte = (uint8_t)(byte + 1);
    if (!init->mask_byte)
        wrong(p, c, span_from(p, init->span.pos), "a mask selects one byte: 0xFF, 0xFF00 ...");
    init->value = 0;
    next(p);
    return parse_address(p, c, init) && want(p, ')', "')'");
}

static bool parse_scalar(struct parser *p, struct init_context *c, struct ptx_init *init)
{
    init->span = token_span(p);
    uint32_t first_end = p->token.kind == TOKEN_INT ? p->token.pos + p->token.length : 0;
    if (p->token.kind == TOKEN_NAME && !is_word(p, "WARP_SZ")) {
        if (!parse_address(p, c, init))
            return false;
    } else {
        if (!at_constant(p))
            return expected(p, "an initial value");
        struct value value;
        if (!parse_constant(p, &value))
            return false;
        init->kind = value.kind == INSN_F32 ? PTX_INIT_F32 : value.kind == INSN_F64 ? PTX_INIT_F64 : PTX_INIT_INT;
        init->value = value.bits;
        if (value.kind == INSN_BAD)
            c->reported = true;
        else if (p->end == first_end && value.kind == INSN_INT && p->token.kind == '(' &&
                 !parse_mask(p, c, init, value.bits))
            return false;
    }
    init->span = span_from(p, init->span.pos);
    check_scalar(p, c, init);
    return true;
}

/* ---- fields of opaque types ---- */

static bool in_list(const char *text, uint32_t length, const char *const *list)
{
    for (; *list; list++)
        if (strlen(*list) == length && memcmp(*list, text, length) == 0)
            return true;
    return false;
}

/* Which fields ptxas 13.0 takes for which type. */
static bool is_field(uint16_t type, const char *text, uint32_t length)
{
    static const char *const image[] = {"width",         "height",     "depth", "channel_data_type",
                                        "channel_order", "array_size", NULL};
    static const char *const surface[] = {"memory_layout", NULL};
    static const char *const texture[] = {"num_mipmap_levels", "num_samples", "normalized_coords", NULL};
    static const char *const sampling[] = {"addr_mode_0", "addr_mode_1", "addr_mode_2", "filter_mode", NULL};
    static const char *const sampler[] = {"force_unnormalized_coords", NULL};
    if (type != PTX_samplerref && in_list(text, length, image))
        return true;
    if (type == PTX_surfref)
        return in_list(text, length, surface);
    if (in_list(text, length, sampling))
        return true;
    return in_list(text, length, type == PTX_texref ? texture : sampler);
}

static bool parse_field_value(struct parser *p, struct init_context *c, struct ptx_init *init)
{
    static const char *const names[] = {"wrap",      "mirror",  "clamp_to_edge", "clamp_to_border",
                                        "clamp_ogl", "nearest", "linear",        NULL};
    init->span = init->name = token_span(p);
    if (p->token.kind == TOKEN_NAME && !is_word(p, "WARP_SZ")) {
        init->kind = PTX_INIT_NAME;
        if (!in_list(text_of(p, init->span.pos), init->span.length, names))
            wrong(p, c, init->span, "not the name of an addressing or filter mode");
        next(p);
        return true;
    }
    struct value value;
    if (!parse_constant(p, &value))
        return false;
    init->kind = value.kind == INSN_F32 ? PTX_INIT_F32 : value.kind == INSN_F64 ? PTX_INIT_F64 : PTX_INIT_INT;
    init->value = value.bits;
    init->span = span_from(p, init->span.pos);
    return true;
}

static bool parse_field(struct parser *p, struct init_context *c, struct ptx_init *init)
{
    init->kind = PTX_INIT_FIELD;
    init->span = init->name = token_span(p);
    if (p->token.kind != TOKEN_NAME) {
        wrong(p, c, init->name, "an opaque type needs fields: width = 32");
        return parse_field_value(p, c, init);
    }
    if (!is_field(c->decl->type, text_of(p, init->name.pos), init->name.length))
        wrong(p, c, init->name, "this type has no field of this name");
    next(p);
    init->children = make(p, 1, sizeof *init);
    if (!init->children || !want(p, '=', "'='") || !parse_field_value(p, c, init->children))
        return false;
    init->count = 1;
    init->span = span_from(p, init->span.pos);
    return true;
}

/* ---- lists ---- */

static bool parse_value(struct parser *p, struct init_context *c, struct ptx_init *init, unsigned level);

/* Elements a list of this level must have; *exact: neither more nor fewer. 0 = any number. */
static uint64_t list_size(const struct ptx_decl *decl, unsigned level, bool *exact)
{
    *exact = false;
    if (level < decl->ndims)
        return level == 0 && decl->unsized ? 0 : decl->dims[level];
    *exact = decl->vec > 1;
    return decl->vec > 1 ? decl->vec : 2; /* 2: f16x2 */
}

static void check_list(struct parser *p, struct init_context *c, const struct ptx_init *list, unsigned level)
{
    bool exact;
    uint64_t size = list_size(c->decl, level, &exact);
    if (is_opaque(c->decl) && level >= c->decl->ndims)
        return;
    if (exact && list->count != size)
        wrong(p, c, list->span, "a vector needs exactly as many values as it has elements");
    else if (size && list->count > size)
        wrong(p, c, list->span, "more values than the array has elements");
    else if (level == 0 && c->decl->unsized && list->count == 0)
        wrong(p, c, list->span, "an array without a size needs values");
}

static bool list_allowed(const struct ptx_decl *decl, unsigned level)
{
    unsigned levels = decl->ndims + (decl->vec > 1 || kind_of_type(decl->type) == TYPE_PAIR ? 1u : 0u);
    return level < levels || is_opaque(decl) || decl->type == PTX_UNKNOWN;
}

static bool parse_element(struct parser *p, struct init_context *c, unsigned level)
{
    struct ptx_init init = {0};
    bool fields = is_opaque(c->decl) && p->token.kind != '{';
    bool ok = fields ? parse_field(p, c, &init) : parse_value(p, c, &init, level + 1);
    struct ptx_init *place = ok ? push(p, &p->inits, sizeof init) : NULL;
    if (place)
        *place = init;
    return place;
}

static bool parse_elements(struct parser *p, struct init_context *c, struct ptx_init *list, unsigned level)
{
    uint32_t from = p->inits.count;
    list->kind = PTX_INIT_LIST;
    next(p);
    if (p->token.kind != '}') {
        do {
            if (!parse_element(p, c, level)) {
                p->inits.count = from;
                return false;
            }
        } while (accept(p, ','));
    }
    list->count = p->inits.count - from;
    list->children = take(p, &p->inits, from, sizeof *list);
    return want(p, '}', "',' or '}'");
}

static bool parse_value(struct parser *p, struct init_context *c, struct ptx_init *init, unsigned level)
{
    bool list = p->token.kind == '{', wanted = level < c->decl->ndims || c->decl->vec > 1 || is_opaque(c->decl) ||
                                               kind_of_type(c->decl->type) == TYPE_PAIR;
    init->span = token_span(p);
    if (list ? !list_allowed(c->decl, level) : wanted && !(level > c->decl->ndims))
        wrong(p, c, init->span, list ? "a list where a single value is wanted" : "a list in { } is wanted");
    if (!list)
        return parse_scalar(p, c, init);
    if (++p->nesting > NESTING) {
        complain(p, token_span(p), "too-deep", "an initializer may be nested %d levels deep", NESTING);
        p->nesting--;
        return false;
    }
    bool ok = parse_elements(p, c, init, level);
    p->nesting--;
    if (!ok)
        return false;
    init->span = span_from(p, init->span.pos);
    check_list(p, c, init, level);
    return true;
}

bool parse_init(struct parser *p, struct ptx_decl *decl)
{
    struct init_context c = {.decl = decl};
    decl->init = make(p, 1, sizeof *decl->init);
    if (!decl->init || !parse_value(p, &c, decl->init, 0))
        return false;
    if (decl->unsized && decl->init->kind == PTX_INIT_LIST)
        decl->dims[0] = decl->init->count;
    return true;
}

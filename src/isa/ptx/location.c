/* What says where code comes from: .section with its labels, and .loc (PTX ISA, "Debugging Directives"). Nothing of it
 * is executed; what must fit together is held against ptxas:
 *
 *   .section .debug_str { $L__info_string0: .b8 102, 0 }
 *   .loc 1 5 6
 *   .loc 1 2 3, function_name $L__info_string0+4, inlined_at 1 5 6
 *
 * function_name is a label of any section, also of a later one, or .debug_str itself; inlined_at is a place that a .loc
 * further up has named. */
#include "isa/ptx/parse.h"

#include <stdlib.h>
#include <string.h>

static bool add_label(struct parser *p, struct span name)
{
    const char *text = text_of(p, name.pos);
    if (namemap_find(&p->locations.labels, text, name.length) != UINT32_MAX)
        complain(p, name, "redeclared", "'%.*s' is a label of a section already", (int)name.length, text);
    p->failed |= !namemap_add(&p->locations.labels, text, name.length, 0);
    return !p->failed;
}

/* .section .name { labels, .b8 1, 2 ... }: kept as it is */
bool parse_section(struct parser *p, uint32_t start)
{
    next(p);
    if (p->token.kind != TOKEN_DOT && p->token.kind != TOKEN_NAME)
        return expected(p, "the name of a section");
    next(p);
    if (!want(p, '{', "'{'"))
        return false;
    struct span name = {0}; /* the token before, if it was a name */
    while (p->token.kind != '}') {
        bool fine = p->token.kind == TOKEN_NAME || p->token.kind == TOKEN_DOT || p->token.kind == TOKEN_INT ||
                    p->token.kind == ',' || p->token.kind == ':' || p->token.kind == '+' || p->token.kind == '-';
        if (!fine)
            return expected(p, "'}'");
        if (p->token.kind == ':' && name.length && !add_label(p, name))
            return false;
        name = p->token.kind == TOKEN_NAME ? token_span(p) : (struct span){0};
        next(p);
    }
    next(p);
    add_item(p, PTX_ITEM_DIRECTIVE, span_from(p, start), NULL, NULL);
    return true;
}

/* ---- places: file, line and column ---- */

static bool is_place(const struct locations *l, const struct place *place)
{
    return namemap_key(&l->places, place, sizeof *place) != NULL;
}

static void add_place(struct parser *p, const struct place *place)
{
    if (is_place(&p->locations, place))
        return;
    struct place *copy = arena_alloc(p->names.arena, sizeof *copy); /* p->arena may be of one function */
    if (copy)
        *copy = *place;
    p->failed |= !copy || !namemap_add(&p->locations.places, copy, sizeof *copy, 0);
}

/* Three numbers of 32 bits; ptxas drops upper bits that are all ones. */
static bool parse_place(struct parser *p, struct place *place)
{
    for (unsigned i = 0; i < 3; i++) {
        uint64_t value = p->token.value;
        struct span span = token_span(p);
        if (!want(p, TOKEN_INT, "a number"))
            return false;
        if (value != (uint32_t)value && value != (uint64_t)(int64_t)(int32_t)value)
            complain(p, span, "integer-overflow", "file, line and column are numbers of 32 bits");
        place->number[i] = (uint32_t)value;
    }
    return true;
}

/* ---- .loc ---- */

static bool parse_function_label(struct parser *p, struct ptx_loc *loc)
{
    struct span name = loc->function = token_span(p);
    if (p->token.kind != TOKEN_NAME && p->token.kind != TOKEN_DOT)
        return expected(p, "a label or .debug_str");
    bool section = is_word(p, ".debug_str");
    next(p);
    if (accept(p, '+')) {
        loc->offset = p->token.value;
        if (!want(p, TOKEN_INT, "a number"))
            return false;
    }
    struct span *use = section ? NULL : push(p, &p->locations.uses, sizeof *use);
    if (use)
        *use = name;
    return section || use;
}

static bool parse_inlined(struct parser *p, struct ptx_loc *loc)
{
    struct place place;
    if (!is_word(p, "inlined_at"))
        return expected(p, "'inlined_at'");
    next(p);
    uint32_t start = p->token.pos;
    if (!parse_place(p, &place))
        return false;
    if (!is_place(&p->locations, &place))
        complain(p, span_from(p, start), "bad-location", "no .loc above names file %u, line %u, column %u",
                 (unsigned)place.number[0], (unsigned)place.number[1], (unsigned)place.number[2]);
    memcpy(loc->caller, place.number, sizeof loc->caller);
    return true;
}

/* PTX ISA, ".loc": function_name and inlined_at came with 7.2. ptxas takes them earlier. */
static void check_version(struct parser *p)
{
    if (p->module->version >= 72)
        return;
    bool strict = p->diag->options && p->diag->options->strict;
    (strict ? complain : warn)(p, token_span(p), "needs-version", "function_name needs PTX 7.2; the module says %u.%u",
                               p->module->version / 10, p->module->version % 10);
}

/* .loc file line column [, function_name name [+ n], inlined_at file line column] (without ';') */
bool parse_loc(struct parser *p, struct span *span, struct ptx_loc *loc)
{
    struct place place;
    uint32_t start = p->token.pos;
    next(p);
    if (!parse_place(p, &place))
        return false;
    if (accept(p, ',')) {
        if (!is_word(p, "function_name"))
            return expected(p, "'function_name'");
        check_version(p);
        next(p);
        if (!parse_function_label(p, loc) || !want(p, ',', "', inlined_at'") || !parse_inlined(p, loc))
            return false;
    }
    memcpy(loc->place, place.number, sizeof loc->place);
    add_place(p, &place);
    *span = span_from(p, start);
    return true;
}

/* Sections may be after the code that names their labels. */
void settle_locations(struct parser *p)
{
    const struct span *uses = p->locations.uses.items;
    for (uint32_t i = 0; i < p->locations.uses.count; i++) {
        const char *text = text_of(p, uses[i].pos);
        if (namemap_find(&p->locations.labels, text, uses[i].length) == UINT32_MAX)
            complain(p, uses[i], "unknown-name", "no section has a label '%.*s'", (int)uses[i].length, text);
    }
}

void free_locations(struct locations *l)
{
    namemap_free(&l->labels);
    free(l->uses.items);
    namemap_free(&l->places);
}

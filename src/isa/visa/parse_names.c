/* Names of an object of vISA's text: variables within scopes, labels, functions, strings. */
#include "isa/visa/parse_inner.h"

#include <stdio.h>
#include <string.h>

uint32_t visa_named(struct visa_parser *p, const char *name, size_t length)
{
    uint32_t at = namemap_find(&p->names, name, length);
    if (at != UINT32_MAX)
        return at;
    struct visa_named *all = arena_append(p->arena, p->named, p->nnamed, sizeof *all);
    if (!all || !namemap_add(&p->names, name, length, p->nnamed)) {
        visa_out_of_memory(p);
        return VISA_NONE;
    }
    p->named = all;
    all[p->nnamed] = (struct visa_named){VISA_NONE, VISA_NONE, VISA_NONE, VISA_NONE};
    return p->nnamed++;
}

uint32_t visa_string(struct visa_parser *p, const char *text, size_t length)
{
    struct visa_object *o = p->object;
    uint32_t named = namemap_find(&p->names, text, length);
    if (named != VISA_NONE && p->named[named].string != VISA_NONE)
        return p->named[named].string;
    const char **strings = arena_append(p->arena, (void *)o->strings, o->nstrings, sizeof *strings);
    char *copy = arena_text(p->arena, text, length);
    if (!strings || !copy) {
        visa_out_of_memory(p);
        return VISA_NONE;
    }
    named = visa_named(p, copy, length); /* the map keeps its keys' places */
    if (named == VISA_NONE)
        return VISA_NONE;
    o->strings = strings;
    strings[o->nstrings] = copy;
    return p->named[named].string = o->nstrings++;
}

/* ---- variables -------------------------------------------------------------------------------------------- */

/* The name stands for a new symbol from here on. */
static struct visa_symbol *symbol_add(struct visa_parser *p, uint32_t named, enum visa_space space, uint32_t index)
{
    struct visa_symbol *all = p->symbols;
    if (p->nsymbols == p->room) { /* it shrinks, too */
        p->room = p->room ? 2 * p->room : 64;
        all = arena_grow(p->arena, all, p->nsymbols, p->room, sizeof *all);
    }
    if (!all || named == VISA_NONE) {
        visa_out_of_memory(p);
        return NULL;
    }
    p->symbols = all;
    all[p->nsymbols] = (struct visa_symbol){space, index, named, p->named[named].symbol, p->depth, false};
    p->named[named].symbol = p->nsymbols;
    return &all[p->nsymbols++];
}

static bool predefine(struct visa_parser *p, const char *name, enum visa_space space, uint32_t index)
{
    struct visa_symbol *symbol = symbol_add(p, visa_named(p, name, strlen(name)), space, index);
    if (symbol)
        symbol->predefined = true;
    return symbol != NULL;
}

/* General variables are known as V0, V1, ... too. */
static bool predefine_numbered(struct visa_parser *p, uint32_t index)
{
    char name[8];
    snprintf(name, sizeof name, "V%u", (unsigned)index);
    char *copy = arena_text(p->arena, name, strlen(name));
    return copy ? predefine(p, copy, VISA_G, index) : visa_out_of_memory(p);
}

bool visa_names_start(struct visa_parser *p)
{
    struct visa_object *o = p->object;
    p->names = (struct namemap){.arena = p->arena};
    p->named = NULL;
    p->symbols = NULL;
    p->nnamed = p->nsymbols = p->room = 0;
    p->simd = 0;
    bool ok = visa_string(p, o->name, strlen(o->name)) != VISA_NONE;
    for (uint32_t i = 0; ok && i < VISA_FIRST_G; i++) {
        const char *name = visa_predefined[i].name;
        if (name && *name)
            ok = visa_string(p, name, strlen(name)) != VISA_NONE && predefine(p, name, VISA_G, i) &&
                 predefine_numbered(p, i);
    }
    for (uint32_t i = 0; ok && i < VISA_FIRST_T; i++)
        ok = visa_string(p, visa_predefined_surfaces[i], strlen(visa_predefined_surfaces[i])) != VISA_NONE &&
             predefine(p, visa_predefined_surfaces[i], VISA_T, i);
    return ok && visa_string(p, "S31", 3) != VISA_NONE && predefine(p, "S31", VISA_S, VISA_BINDLESS_SAMPLER);
}

const struct visa_symbol *visa_symbol(struct visa_parser *p, const char *name, size_t length)
{
    uint32_t at = namemap_find(&p->names, name, length);
    return at == UINT32_MAX || p->named[at].symbol == VISA_NONE ? NULL : &p->symbols[p->named[at].symbol];
}

static const char *const space_names[VISA_SPACES] = {"variables", "address variables", "predicates",   "labels",
                                                     "samplers",  "surfaces",          "VME variables"};
/* The most that the file's format counts. */
static const uint32_t most[VISA_SPACES] = {1u << 30, 65535, VISA_PRED_ID, 65535, 255, 250, 0};

static struct visa_var *var_add(struct visa_parser *p, enum visa_space space, uint32_t string, uint32_t pos,
                                uint32_t length)
{
    struct visa_object *o = p->object;
    if (o->nvars[space] >= most[space]) {
        visa_wrong_at(p, "too-many", pos, length, "more than %u %s", most[space], space_names[space]);
        return NULL;
    }
    struct visa_var *vars = arena_append(p->arena, o->vars[space], o->nvars[space], sizeof *vars);
    if (!vars || string == VISA_NONE) {
        visa_out_of_memory(p);
        return NULL;
    }
    o->vars[space] = vars;
    vars[o->nvars[space]] = (struct visa_var){.name = string, .elements = 1, .pos = pos, .length = length};
    return &vars[o->nvars[space]++];
}

struct visa_var *visa_declare(struct visa_parser *p, const struct visa_token *name, enum visa_space space)
{
    const char *text = visa_text_of(p, name);
    const struct visa_symbol *known = visa_symbol(p, text, name->length);
    if (known && (known->predefined || known->depth == p->depth)) {
        visa_wrong_name(p, name, "redeclared", known->predefined ? "is predefined" : "is declared already");
        return NULL;
    }
    struct visa_var *var = var_add(p, space, visa_string(p, text, name->length), name->pos, name->length);
    uint32_t index = visa_first[space] + p->object->nvars[space] - 1;
    if (!var || !symbol_add(p, visa_named(p, text, name->length), space, index))
        return NULL;
    return var;
}

/* ---- variables that nobody declared (visa_parse_line) ------------------------------------------------------ */

static const struct visa_symbol *imply_one(struct visa_parser *p, const char *text, size_t length,
                                           const struct visa_token *at, enum visa_space space)
{
    uint32_t string = visa_string(p, text, length);
    struct visa_var *var = string == VISA_NONE ? NULL : var_add(p, space, string, at->pos, at->length);
    if (!var)
        return NULL;
    var->type = VISA_UD;
    var->elements = space == VISA_G || space == VISA_P ? 32 : 1;
    var->align = space == VISA_G ? 5 : 0;
    return symbol_add(p, visa_named(p, text, length), space, visa_first[space] + p->object->nvars[space] - 1);
}

/* The number of a name like V32 of the space; VISA_NONE: it is another name. */
static uint32_t implied_number(const char *text, size_t length, enum visa_space space)
{
    static const char letters[VISA_SPACES] = "VAPLSTE";
    uint32_t number = 0;
    if (length < 2 || length > 6 || *text != letters[space] || (length > 2 && text[1] == '0'))
        return VISA_NONE;
    for (size_t i = 1; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return VISA_NONE;
        number = number * 10 + (uint32_t)(text[i] - '0');
    }
    return number >= visa_first[space] && number < VISA_IMPLIED ? number : VISA_NONE;
}

static const struct visa_symbol *imply(struct visa_parser *p, const struct visa_token *name, enum visa_space space)
{
    static const char letters[VISA_SPACES] = "VAPLSTE";
    const char *text = visa_text_of(p, name);
    uint32_t number = implied_number(text, name->length, space);
    if (number == VISA_NONE)
        return imply_one(p, text, name->length, name, space);
    while (p->object->nvars[space] + visa_first[space] <= number && !p->wrong) {
        char before[12];
        snprintf(before, sizeof before, "%c%u", letters[space], p->object->nvars[space] + visa_first[space]);
        char *copy = arena_text(p->arena, before, strlen(before));
        if (!copy || !imply_one(p, copy, strlen(copy), name, space))
            return NULL;
    }
    return visa_symbol(p, text, name->length);
}

const struct visa_symbol *visa_variable(struct visa_parser *p, const struct visa_token *name, enum visa_space space)
{
    const struct visa_symbol *symbol = visa_symbol(p, visa_text_of(p, name), name->length);
    return symbol || !p->implied || name->kind != VISA_TOKEN_NAME ? symbol : imply(p, name, space);
}

/* ---- labels, scopes --------------------------------------------------------------------------------------- */

uint32_t visa_label(struct visa_parser *p, const char *name, size_t length, uint32_t pos, enum visa_label_kind kind,
                    bool function)
{
    uint32_t named = visa_named(p, name, length);
    if (named == VISA_NONE)
        return VISA_NONE;
    uint32_t *id = function ? &p->named[named].function : &p->named[named].label;
    if (*id != VISA_NONE)
        return *id;
    uint32_t string = visa_string(p, name, length);
    struct visa_var *label = string == VISA_NONE ? NULL : var_add(p, VISA_L, string, pos, (uint32_t)length);
    if (!label)
        return VISA_NONE;
    label->kind = (uint8_t)kind;
    label->elements = 0;
    return *(function ? &p->named[named].function : &p->named[named].label) = p->object->nvars[VISA_L] - 1;
}

bool visa_scope_open(struct visa_parser *p)
{
    if (!p->object)
        return visa_wanted(p, "'.kernel' with a kernel's name first");
    if (p->depth == VISA_SCOPES)
        return visa_wrong_at(p, "too-many", p->token.pos, 1, "more than %d braces within each other", VISA_SCOPES);
    p->scopes[p->depth] = p->nsymbols;
    p->braces[p->depth++] = p->token.pos;
    visa_next(p);
    return true;
}

/* Names mean again what they did before the brace. */
bool visa_scope_close(struct visa_parser *p)
{
    uint32_t first = p->scopes[--p->depth];
    while (p->nsymbols > first) {
        const struct visa_symbol *symbol = &p->symbols[--p->nsymbols];
        p->named[symbol->named].symbol = symbol->shadowed;
    }
    visa_next(p);
    return true;
}

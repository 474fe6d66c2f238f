/* Directives of vISA's text: kernels, functions, declarations, inputs, attributes. */
#include "isa/visa/parse_inner.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool visa_name_or_string(struct visa_parser *p, const char **text, size_t *length)
{
    struct visa_token t = p->token;
    if (t.kind == VISA_TOKEN_NAME) {
        *text = visa_text_of(p, &t);
        *length = t.length;
    } else if (t.kind != VISA_TOKEN_STRING) {
        return visa_wanted(p, "a name, or a string");
    } else if (!(*text = visa_literal(p, &t, length))) {
        return false;
    }
    visa_next(p);
    return true;
}

static bool name(struct visa_parser *p, const char *what, struct visa_token *t)
{
    *t = p->token;
    if (t->kind != VISA_TOKEN_NAME)
        return visa_wanted(p, what);
    visa_next(p);
    return true;
}

static bool wrong_range(struct visa_parser *p, uint32_t pos, const char *what, int64_t value, int64_t least,
                        int64_t most)
{
    return visa_wrong_at(p, "range", pos, p->previous > pos ? p->previous - pos : 1, "%s %lld: %lld to %lld", what,
                         (long long)value, (long long)least, (long long)most);
}

/* "size=EXPRESSION" */
static bool equals(struct visa_parser *p, enum visa_equals which, const char *wanted, int64_t *value, uint32_t *pos)
{
    if (!visa_is(p, VISA_TOKEN_EQUALS) || p->token.value != which)
        return visa_wanted(p, wanted);
    visa_next(p);
    *pos = p->token.pos;
    return visa_number(p, value);
}

static bool is_equals(const struct visa_parser *p, enum visa_equals which)
{
    return visa_is(p, VISA_TOKEN_EQUALS) && p->token.value == which;
}

/* ---- kernels, functions ----------------------------------------------------------------------------------- */

/* Where Target is not written it is "3d". */
bool visa_object_end(struct visa_parser *p)
{
    static const char target[] = {1};
    struct visa_object *o = p->object;
    if (!o || visa_attribute(o, o->attributes, o->nattributes, "Target"))
        return true;
    struct visa_attribute *all = arena_append(p->arena, o->attributes, o->nattributes, sizeof *all);
    uint32_t string = visa_string(p, "Target", 6);
    if (!all || string == VISA_NONE)
        return visa_out_of_memory(p);
    o->attributes = all;
    o->target_implied = true;
    all[o->nattributes++] = (struct visa_attribute){.name = string, .size = 1, .value = target};
    return true;
}

/* Kernels and functions are counted in 16 bits. */
static bool object(struct visa_parser *p, bool function, const struct visa_token *at)
{
    struct visa_module *m = p->module;
    struct visa_object **list = function ? &m->functions : &m->kernels;
    uint16_t *count = function ? &m->nfunctions : &m->nkernels;
    const char *text = "";
    size_t length = 0;
    if (p->depth)
        return visa_wrong_at(p, "syntax", at->pos, at->length, "a kernel or function within braces");
    if (!m || !visa_name_or_string(p, &text, &length))
        return m || visa_wrong_at(p, "syntax", at->pos, at->length, "a kernel where one instruction is read");
    if (length > UINT16_MAX || *count == UINT16_MAX)
        return visa_wrong_at(p, "too-many", at->pos, at->length,
                             "more than %d kernels or functions, or bytes of a name", UINT16_MAX);
    const char *copy = arena_text(p->arena, text, length);
    if (!copy || !visa_object_end(p))
        return visa_out_of_memory(p);
    struct visa_object *all = arena_append(p->arena, *list, *count, sizeof *all);
    if (!all)
        return visa_out_of_memory(p);
    *list = all;
    p->object = &all[*count];
    *p->object = (struct visa_object){.name = copy, .function = function};
    ++*count;
    return visa_names_start(p);
}

/* .function "name": a subroutine begins, a label of its own. */
static bool function(struct visa_parser *p, const struct visa_token *at)
{
    const char *text = "";
    size_t length = 0;
    uint32_t pos = p->token.pos;
    if (!visa_name_or_string(p, &text, &length))
        return false;
    uint32_t id = visa_label(p, text, length, pos, VISA_LABEL_SUBROUTINE, true);
    struct visa_inst *inst =
        id == VISA_NONE ? NULL : visa_inst_add(p, visa_form(p->table, &visa_rows[VISA_ROW_subroutine]), at);
    if (!inst)
        return false;
    inst->ops[0] = (struct visa_operand){.class = VISA_LABEL, .id = id, .pos = pos, .length = p->previous - pos};
    inst->length = p->previous - at->pos;
    return true;
}

/* ---- attributes ------------------------------------------------------------------------------------------- */

/* What was written after '=': nothing, a number, a string. */
struct written {
    bool string, number;
    int64_t value;
    const char *text;
    size_t length;
};

static bool value(struct visa_parser *p, bool region, struct written *out)
{
    *out = (struct written){0};
    if (!visa_accept(p, '='))
        return true;
    if (visa_is(p, VISA_TOKEN_STRING)) {
        struct visa_token t = p->token;
        out->string = true;
        out->text = visa_literal(p, &t, &out->length);
        visa_next(p);
        return out->text != NULL;
    }
    if (!region && (visa_is(p, VISA_TOKEN_NEWLINE) || visa_is(p, VISA_TOKEN_END)))
        return true;
    out->number = true;
    return region ? visa_number_region(p, &out->value) : visa_number(p, &out->value);
}

/* Bytes of a value: a text, or a number of four. */
static bool attribute_bytes(struct visa_parser *p, struct visa_attribute *a, const char *bytes, size_t size)
{
    if (size > VISA_ATTRIBUTE)
        return visa_wrong_at(p, "range", p->previous, 1, "an attribute of %zu bytes: at most %d", size, VISA_ATTRIBUTE);
    a->size = (uint8_t)size;
    a->value = arena_text(p->arena, bytes, size);
    return a->value || visa_out_of_memory(p);
}

static bool attribute_number(struct visa_parser *p, struct visa_attribute *a, int64_t number)
{
    char bytes[4];
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (char)((uint64_t)number >> (8 * i));
    return attribute_bytes(p, a, bytes, 4);
}

static bool target(struct visa_parser *p, const struct visa_token *t, const struct written *w, struct visa_attribute *a)
{
    char code = 1;
    if (w->number)
        return attribute_number(p, a, w->value);
    if (!w->string || (strcmp(w->text, "cm") != 0 && strcmp(w->text, "3d") != 0))
        return visa_wrong_at(p, "attribute", t->pos, t->length, "Target: wanted \"cm\" or \"3d\"");
    code = *w->text == '3';
    return attribute_bytes(p, a, &code, 1);
}

/* The value that Intel's tool stores: of a bool nothing, of a number its four bytes, of a text its own. */
static bool attribute_value(struct visa_parser *p, const struct visa_token *t, const struct written *w, char kind,
                            struct visa_attribute *a)
{
    if (kind == 't')
        return target(p, t, w, a);
    if (kind == 'b')
        return true;
    if (w->string && kind == 's')
        return attribute_bytes(p, a, w->text, w->length);
    if (kind == 's')
        return visa_wrong_at(p, "attribute", t->pos, t->length, "'%.*s' wants a string", (int)t->length,
                             visa_text_of(p, t));
    return attribute_number(p, a, w->value);
}

static bool kernel_attribute(struct visa_parser *p)
{
    struct visa_object *o = p->object;
    struct visa_token t;
    struct written w;
    char word[32] = "";
    if (!name(p, "an attribute's name", &t) || !value(p, false, &w))
        return false;
    if (t.length < sizeof word)
        memcpy(word, visa_text_of(p, &t), t.length);
    if (w.number && (strcmp(word, "SimdSize") == 0 || strcmp(word, "DispatchSimdSize") == 0))
        p->simd = (int64_t)(int32_t)w.value;
    if (strcmp(word, "AsmName") == 0)
        strcpy(word, "OutputAsmPath");
    char kind = visa_attribute_kind(word);
    struct visa_attribute a = {0};
    if (!kind) {
        visa_warn(p, "attribute", t.pos, t.length, "'%.*s': no attribute that Intel's tool knows; it is left out",
                  (int)(t.length < 60 ? t.length : 60), visa_text_of(p, &t));
        return true;
    }
    if (o->nattributes == UINT16_MAX)
        return visa_wrong_at(p, "too-many", t.pos, t.length, "more than %d attributes", UINT16_MAX);
    a.name = visa_string(p, word, strlen(word));
    if (a.name == VISA_NONE || !attribute_value(p, &t, &w, kind, &a))
        return false;
    struct visa_attribute *all = arena_append(p->arena, o->attributes, o->nattributes, sizeof *all);
    if (!all)
        return visa_out_of_memory(p);
    o->attributes = all;
    all[o->nattributes++] = a;
    return true;
}

/* One attribute of a variable. */
static bool attribute(struct visa_parser *p, struct visa_var *var)
{
    struct visa_token t;
    struct written w;
    char word[32] = "";
    if (!name(p, "an attribute's name", &t) || !value(p, true, &w))
        return false;
    if (t.length < sizeof word)
        memcpy(word, visa_text_of(p, &t), t.length);
    char kind = visa_attribute_kind(word);
    struct visa_attribute a = {0};
    if (!kind)
        return visa_wrong_name(p, &t, "attribute", "is no attribute");
    if (var->nattributes == UINT8_MAX)
        return visa_wrong_at(p, "too-many", t.pos, t.length, "more than %d attributes", UINT8_MAX);
    a.name = visa_string(p, word, strlen(word));
    if (kind == 't' || a.name == VISA_NONE || !attribute_value(p, &t, &w, kind, &a))
        return kind == 't' ? visa_wrong_name(p, &t, "attribute", "is an attribute of kernels") : false;
    struct visa_attribute *all = arena_append(p->arena, var->attributes, var->nattributes, sizeof *all);
    if (!all)
        return visa_out_of_memory(p);
    var->attributes = all;
    all[var->nattributes++] = a;
    return true;
}

static bool attributes(struct visa_parser *p, struct visa_var *var)
{
    if (!is_equals(p, VISA_EQUALS_ATTRS))
        return true;
    visa_next(p);
    if (!visa_expect(p, '{'))
        return false;
    do {
        if (!attribute(p, var))
            return false;
    } while (visa_accept(p, ','));
    return visa_expect(p, '}');
}

/* ---- declarations ----------------------------------------------------------------------------------------- */

static bool align_word(struct visa_parser *p, uint8_t *align)
{
    static const char *const words[] = {"byte", "word",  "dword", "qword",   "oword",
                                        "GRF",  "GRFx2", "hword", "wordx32", "wordx64"};
    struct visa_token t = p->token;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == t.length && memcmp(words[i], visa_text_of(p, &t), t.length) == 0) {
            *align = (uint8_t)i;
            visa_next(p);
            return true;
        }
    return visa_wanted(p, "an alignment: byte, word, dword, qword, oword, GRF, GRFx2, hword, wordx32 or wordx64");
}

static bool align_number(struct visa_parser *p, uint8_t *align)
{
    static const uint8_t codes[] = {0, 1, 2, 3, 4, 7, 8, 9}; /* of 1, 2, 4 .. 128 bytes */
    uint32_t pos = p->token.pos;
    int64_t bytes;
    if (!visa_number(p, &bytes))
        return false;
    for (unsigned i = 0; i < 8; i++)
        if (bytes == 1 << i) {
            *align = codes[i];
            return true;
        }
    return visa_wrong_at(p, "range", pos, p->previous - pos,
                         "an alignment of %lld bytes: 1, 2, 4, 8, 16, 32, 64 or 128", (long long)bytes);
}

static bool align(struct visa_parser *p, struct visa_var *var)
{
    if (!is_equals(p, VISA_EQUALS_ALIGN))
        return true;
    visa_next(p);
    if (visa_is(p, VISA_TOKEN_ALIGN)) {
        var->align = (uint8_t)p->token.value;
        visa_next(p);
        return true;
    }
    return visa_is(p, VISA_TOKEN_NAME) ? align_word(p, &var->align) : align_number(p, &var->align);
}

/* alias=<V32, 4> */
static bool alias(struct visa_parser *p, struct visa_var *var)
{
    int64_t bytes;
    if (!is_equals(p, VISA_EQUALS_ALIAS))
        return true;
    visa_next(p);
    if (!visa_expect(p, '<'))
        return false;
    struct visa_token t = p->token;
    if (t.kind != VISA_TOKEN_NAME && t.kind != VISA_TOKEN_BUILTIN && t.kind != VISA_TOKEN_NULL)
        return visa_wanted(p, "a variable's name");
    visa_next(p);
    const struct visa_symbol *symbol = visa_symbol(p, visa_text_of(p, &t), t.length);
    if (!symbol)
        return visa_wrong_name(p, &t, "undefined", "is not declared");
    if (symbol->space != VISA_G)
        return visa_wrong_name(p, &t, "wrong-kind", "is no general variable");
    uint32_t pos = p->token.pos;
    if (!visa_expect(p, ',') || !visa_number_region(p, &bytes) || !visa_expect(p, '>'))
        return false;
    if (bytes < 0 || bytes > UINT16_MAX)
        return wrong_range(p, pos + 1, "an alias at byte", bytes, 0, UINT16_MAX);
    var->alias = symbol->index;
    var->alias_bytes = (uint16_t)bytes;
    return true;
}

/* v_name=X says nothing. */
static bool v_name(struct visa_parser *p)
{
    struct visa_token t;
    if (!is_equals(p, VISA_EQUALS_V_NAME))
        return true;
    visa_next(p);
    return name(p, "a name", &t);
}

/* What follows num_elts, in its order. */
static bool declaration_rest(struct visa_parser *p, enum visa_space space, struct visa_var *var)
{
    if (space == VISA_G)
        return align(p, var) && alias(p, var) && attributes(p, var);
    if ((space == VISA_S || space == VISA_T) && !v_name(p))
        return false;
    return attributes(p, var);
}

/* The name is known from the end of the line on. */
static bool declaration(struct visa_parser *p)
{
    struct visa_token t;
    struct visa_var read = {0};
    int64_t elements = 0;
    uint32_t pos = 0;
    if (!name(p, "a variable's name", &t))
        return false;
    if (!visa_is(p, VISA_TOKEN_DECLKIND))
        return visa_wanted(p, "'v_type=' with G, A, P, S or T");
    enum visa_space space = (enum visa_space)p->token.value;
    visa_next(p);
    if (space == VISA_G) {
        if (!visa_is(p, VISA_TOKEN_DECLTYPE))
            return visa_wanted(p, "'type=' with a type");
        read.type = (uint8_t)p->token.value;
        visa_next(p);
    }
    if (!equals(p, VISA_EQUALS_NUM_ELTS, "'num_elts='", &elements, &pos))
        return false;
    if (elements < 0 || elements > UINT16_MAX)
        return wrong_range(p, pos, "num_elts", elements, 0, UINT16_MAX);
    read.elements = (uint16_t)elements;
    /* Strings are numbered as they come: the name before its attributes. */
    struct visa_var *var = visa_declare(p, &t, space);
    if (!var)
        return false;
    var->type = read.type;
    var->elements = read.elements;
    return declaration_rest(p, space, var);
}

static bool funcdecl(struct visa_parser *p)
{
    if (!visa_is(p, VISA_TOKEN_STRING))
        return visa_wanted(p, "a function's name as a string");
    visa_next(p);
    return true;
}

/* ---- inputs ----------------------------------------------------------------------------------------------- */

/* The number in .implicit_UNDEFINED_3; names that Intel's tool should know it takes for number 5. */
static bool implicit_number(struct visa_parser *p, const struct visa_token *t, uint8_t *number)
{
    enum { UNKNOWN = 5 };
    const char *at = visa_text_of(p, t), *end = at + t->length;
    unsigned long n = 0;
    *number = UNKNOWN;
    for (; end - at > 10; at++)
        if (memcmp(at, "UNDEFINED_", 10) == 0) {
            at += 10;
            if (*at < '0' || *at > '9')
                return visa_wrong_at(p, "range", t->pos, t->length, "the number of an implicit input: 0 to 31");
            for (; at < end && *at >= '0' && *at <= '9' && n < 100; at++)
                n = n * 10 + (unsigned)(*at - '0');
            *number = (uint8_t)n;
            return n < 32 || visa_wrong_at(p, "range", t->pos, t->length, "the number of an implicit input: 0 to 31");
        }
    return true;
}

static bool input_add(struct visa_parser *p, struct visa_input input)
{
    struct visa_object *o = p->object;
    struct visa_input *all = arena_append(p->arena, o->inputs, o->ninputs, sizeof *all);
    if (!all)
        return visa_out_of_memory(p);
    o->inputs = all;
    all[o->ninputs++] = input;
    return true;
}

static uint32_t input_size(const struct visa_object *o, const struct visa_symbol *symbol)
{
    return visa_var_elements(o, symbol->index) * visa_type_bytes(visa_var_type(o, symbol->index));
}

/* Where and how large: both may be left out, of .parameter only the first is always. */
static bool input_place(struct visa_parser *p, const struct visa_symbol *symbol, bool parameter, struct visa_input *in,
                        bool *sized)
{
    int64_t offset = 0, size = symbol->space == VISA_G ? input_size(p->object, symbol) : 0;
    uint32_t pos = p->token.pos;
    if (!parameter && is_equals(p, VISA_EQUALS_OFFSET) && !equals(p, VISA_EQUALS_OFFSET, "'offset='", &offset, &pos))
        return false;
    if (offset < INT16_MIN || offset > INT16_MAX)
        return wrong_range(p, pos, "offset", offset, INT16_MIN, INT16_MAX);
    *sized = is_equals(p, VISA_EQUALS_SIZE);
    parameter = parameter || symbol->space != VISA_G; /* samplers and surfaces have no size */
    if ((parameter || *sized) && !equals(p, VISA_EQUALS_SIZE, "'size='", &size, &pos))
        return false;
    if (size < 0 || size > UINT16_MAX)
        return wrong_range(p, pos, "size", size, 0, UINT16_MAX);
    in->offset = (int16_t)offset;
    in->size = (uint16_t)size;
    return true;
}

static bool input(struct visa_parser *p, const struct visa_token *directive)
{
    static const uint8_t classes[VISA_SPACES] = {
        [VISA_G] = VISA_INPUT_GENERAL, [VISA_S] = VISA_INPUT_SAMPLER, [VISA_T] = VISA_INPUT_SURFACE};
    bool implicit = directive->value == VISA_DIRECTIVE_IMPLICIT;
    struct visa_token t;
    struct visa_input in = {0};
    struct visa_var none = {0};
    uint8_t number = 0;
    if (!name(p, "a variable's name", &t) || (implicit && !implicit_number(p, directive, &number)))
        return false;
    const struct visa_symbol *symbol = visa_symbol(p, visa_text_of(p, &t), t.length);
    if (!symbol)
        return visa_wrong_name(p, &t, "undefined", "is not declared");
    if (symbol->space != VISA_G && symbol->space != VISA_S && symbol->space != VISA_T)
        return visa_wrong_name(p, &t, "wrong-kind", "is no general variable, sampler or surface");
    if (symbol->predefined)
        return visa_wrong_name(p, &t, "wrong-kind", "is predefined: inputs are declared variables");
    in.id = symbol->index;
    in.kind = classes[symbol->space];
    bool parameter = directive->value == VISA_DIRECTIVE_PARAMETER, sized = false;
    if (!input_place(p, symbol, parameter, &in, &sized))
        return false;
    if (implicit && sized)
        in.kind = (uint8_t)(in.kind | number << 3);
    if ((implicit || parameter) && !attributes(p, &none))
        return false;
    return input_add(p, in);
}

/* ---- directives ------------------------------------------------------------------------------------------- */

static bool of_object(struct visa_parser *p, const struct visa_token *t)
{
    switch ((enum visa_directive)t->value) {
    case VISA_DIRECTIVE_FUNCTION:
        return function(p, t);
    case VISA_DIRECTIVE_FUNCDECL:
        return funcdecl(p);
    case VISA_DIRECTIVE_DECL:
        return declaration(p);
    case VISA_DIRECTIVE_INPUT:
    case VISA_DIRECTIVE_IMPLICIT:
    case VISA_DIRECTIVE_PARAMETER:
        return input(p, t);
    default:
        return kernel_attribute(p);
    }
}

bool visa_directive(struct visa_parser *p)
{
    struct visa_token t = p->token;
    if (t.value == VISA_DIRECTIVE_VERSION)
        return visa_wrong_at(p, "syntax", t.pos, t.length, "a second '.version'");
    bool object_begins = t.value == VISA_DIRECTIVE_KERNEL || t.value == VISA_DIRECTIVE_GLOBAL_FUNCTION;
    if (!object_begins && !p->object)
        return visa_wanted(p, "'.kernel' with a kernel's name first");
    if (t.value == VISA_DIRECTIVE_FILE || t.value == VISA_DIRECTIVE_LOC)
        return visa_read_inst(p);
    visa_next(p);
    return object_begins ? object(p, t.value == VISA_DIRECTIVE_GLOBAL_FUNCTION, &t) : of_object(p, &t);
}

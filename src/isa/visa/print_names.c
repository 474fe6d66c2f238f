/* Names that a reader of text takes: files can have others (words that the text reserves, one name for two variables),
 * which get their number instead. */
#include "base/chars.h"
#include "base/namemap.h"
#include "isa/visa/lex.h"
#include "isa/visa/print.h"

#include <stdio.h>
#include <string.h>

struct naming {
    struct arena *arena;
    const struct visa_words *words;
    struct namemap variables, labels, functions;
    struct visa_object *object;
    uint32_t room; /* of the object's strings */
    bool failed;
};

static bool digit(char c)
{
    return char_digit(c) < 10;
}

static bool letter(char c)
{
    return char_word(c) && !digit(c);
}

bool visa_plain_name(const char *name)
{
    const struct visa_words *words = visa_words(NULL);
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++)
        if (!letter(name[i]) && !(i && digit(name[i])))
            return false;
    return length && words && !visa_words_find(words, name, length);
}

/* What may stand before the colon of a label. */
static bool label_name(const char *name)
{
    size_t i = 0;
    for (; name[i]; i++)
        if (!letter(name[i]) && !strchr("$@?", name[i]) && !(i && (digit(name[i]) || name[i] == '-')))
            return false;
    return i != 0;
}

static struct namemap *names_of(struct naming *n, enum visa_space space, const struct visa_var *var)
{
    if (space != VISA_L)
        return &n->variables;
    return var->kind == VISA_LABEL_BLOCK ? &n->labels : &n->functions;
}

static bool usable(struct naming *n, enum visa_space space, const struct visa_var *var)
{
    const char *name = n->object->strings[var->name];
    if (space == VISA_L ? var->kind == VISA_LABEL_BLOCK && !label_name(name) : !visa_plain_name(name))
        return false;
    if (space == VISA_L && var->kind == VISA_LABEL_BLOCK &&
        namemap_find(&n->functions, name, strlen(name)) != UINT32_MAX)
        return false;
    return namemap_find(names_of(n, space, var), name, strlen(name)) == UINT32_MAX;
}

static void use(struct naming *n, enum visa_space space, const struct visa_var *var, const char *name)
{
    n->failed |= !namemap_add(names_of(n, space, var), name, strlen(name), 0);
}

/* A name of the variable's number, with as many '_' as make it new. */
static const char *number_name(struct naming *n, enum visa_space space, const struct visa_var *var, uint32_t index)
{
    static const char letters[VISA_SPACES] = "VAPLSTE";
    char name[32];
    int length = snprintf(name, sizeof name, "%c%u", letters[space], index);
    while (namemap_find(names_of(n, space, var), name, (size_t)length) != UINT32_MAX && length < 30) {
        name[length++] = '_';
        name[length] = 0;
    }
    const char *copy = arena_text(n->arena, name, (size_t)length);
    n->failed |= !copy;
    return copy ? copy : "";
}

static void rename_one(struct naming *n, enum visa_space space, uint32_t i)
{
    struct visa_object *o = n->object;
    if (o->nstrings == n->room) {
        n->room = n->room * 2 + 16;
        const char **strings = arena_grow(n->arena, (void *)o->strings, o->nstrings, n->room, sizeof *strings);
        n->failed |= !strings;
        if (!strings)
            return;
        o->strings = strings;
    }
    struct visa_var *var = &o->vars[space][i];
    const char *name = number_name(n, space, var, visa_first[space] + i);
    use(n, space, var, name);
    o->strings[o->nstrings] = name;
    var->name = o->nstrings++;
}

/* What has a good name keeps it; then the others get theirs. */
static void name_space(struct naming *n, enum visa_space space, bool functions)
{
    struct visa_object *o = n->object;
    uint32_t count = o->nvars[space];
    bool *bad = arena_array(n->arena, (size_t)count + 1, sizeof *bad);
    struct visa_var *vars = arena_grow(n->arena, o->vars[space], count, (size_t)count + 1, sizeof *vars);
    n->failed |= !bad || !vars;
    if (!bad || !vars)
        return;
    o->vars[space] = vars;
    for (uint32_t i = 0; i < count; i++) {
        if (space == VISA_L && (vars[i].kind != VISA_LABEL_BLOCK) != functions)
            continue;
        bad[i] = !usable(n, space, &vars[i]);
        if (!bad[i])
            use(n, space, &vars[i], o->strings[vars[i].name]);
    }
    for (uint32_t i = 0; i < count && !n->failed; i++)
        if (bad[i])
            rename_one(n, space, i);
}

static void predefined(struct naming *n)
{
    static const struct visa_var none = {0};
    for (uint32_t i = 0; i < VISA_FIRST_G; i++)
        if (visa_predefined[i].name && *visa_predefined[i].name)
            use(n, VISA_G, &none, number_name(n, VISA_G, &none, i));
    for (uint32_t i = 0; i < VISA_FIRST_T; i++)
        use(n, VISA_T, &none, visa_predefined_surfaces[i]);
    use(n, VISA_S, &none, "S31");
}

bool visa_printable(struct arena *arena, const struct visa_object *given, struct visa_object *object)
{
    struct naming n = {.arena = arena, .words = visa_words(NULL), .object = object, .room = given->nstrings};
    n.variables.arena = n.labels.arena = n.functions.arena = arena;
    *object = *given;
    predefined(&n);
    for (enum visa_space space = VISA_G; space <= VISA_T && !n.failed; space++) {
        name_space(&n, space, true);
        if (space == VISA_L)
            name_space(&n, space, false);
    }
    return n.words && !n.failed;
}

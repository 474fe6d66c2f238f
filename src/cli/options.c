/* Options of the sub-commands: one table each, from which they are parsed and --help is printed. */
#include "base/nearest.h"
#include "cli/cli.h"
#include "isa/family.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

bool list_add(struct arena *arena, struct list *list, const char *item)
{
    /* Room doubles at each power of two; the arena keeps the old pieces until the end. */
    if ((list->count & (list->count + 1)) == 0) {
        const char **items = arena_grow(arena, list->items, list->count, 2 * (size_t)list->count + 2, sizeof *items);
        if (!items)
            return false;
        list->items = items;
    }
    list->items[list->count++] = item;
    list->items[list->count] = NULL;
    return true;
}

/* A plain decimal or 0x number up to `most`. */
static bool number_parse(const char *text, uint64_t most, uint64_t *value, const char **end)
{
    char *stop;
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *value = strtoull(text, &stop, text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10);
    *end = stop;
    return errno == 0 && *value <= most;
}

bool shape_parse(const char *text, unsigned most, uint32_t size[3], unsigned *count)
{
    for (*count = 0; *count < most;) {
        uint64_t value;
        if (!number_parse(text, UINT32_MAX, &value, &text) || value == 0)
            return false;
        size[(*count)++] = (uint32_t)value;
        if (*text == 0)
            return true;
        if (*text++ != 'x')
            return false;
    }
    return false;
}

static bool version_parse(const char *text, unsigned *version)
{
    uint64_t major, minor;
    if (!number_parse(text, 99, &major, &text) || *text++ != '.' || !number_parse(text, 9, &minor, &text) || *text)
        return false;
    *version = (unsigned)(10 * major + minor);
    return true;
}

static bool real_parse(const char *text, double most, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && *end == 0 && *number >= 0 && *number <= most;
}

static bool shape_option(const char *text, struct shape *shape)
{
    unsigned count;
    if (!shape_parse(text, 3, shape->size, &count))
        return false;
    for (unsigned i = count; i < 3; i++)
        shape->size[i] = 1;
    shape->given = true;
    return true;
}

static const char *const wanted[] = {
    [OPTION_U32] = "a number of 32 bits",
    [OPTION_U64] = "a number",
    [OPTION_U32_SOME] = "a number of 32 bits from 1",
    [OPTION_U64_SOME] = "a number from 1",
    [OPTION_SEED] = "a number",
    [OPTION_COUNT] = "a number from 1",
    [OPTION_SECONDS] = "a number of seconds",
    [OPTION_REAL] = "a number of at least 0",
    [OPTION_SHAPE] = "one to three numbers from 1: 64, 64x64, 8x8x8",
    [OPTION_VERSION] = "a version: 8.1",
};

/* Stores one option. `value` is NULL for a flag. */
static bool option_set(const struct option *option, struct arena *arena, const char *value, void *options,
                       struct atoll_error *error)
{
    char *field = (char *)options + option->offset;
    const char *end = value;
    uint64_t number = 0;
    bool ok = true;
    switch (option->kind) {
    case OPTION_FLAG:
        *(bool *)field = true;
        break;
    case OPTION_TEXT:
        *(const char **)field = value;
        break;
    case OPTION_WORD:
        *(const char **)field = value ? value : "";
        break;
    case OPTION_LIST:
        return list_add(arena, (struct list *)field, value) || error_memory(error);
    case OPTION_U32:
        ok = number_parse(value, UINT32_MAX, &number, &end) && *end == 0;
        *(uint32_t *)field = (uint32_t)number;
        break;
    case OPTION_U64:
        ok = number_parse(value, UINT64_MAX, &number, &end) && *end == 0;
        *(uint64_t *)field = number;
        break;
    case OPTION_U32_SOME:
        ok = number_parse(value, UINT32_MAX, &number, &end) && *end == 0 && number;
        *(uint32_t *)field = (uint32_t)number;
        break;
    case OPTION_U64_SOME:
        ok = number_parse(value, UINT64_MAX, &number, &end) && *end == 0 && number;
        *(uint64_t *)field = number;
        break;
    case OPTION_SEED:
        ok = number_parse(value, UINT64_MAX, &number, &end) && *end == 0;
        *(struct seed *)field = (struct seed){number, true};
        break;
    case OPTION_COUNT:
        ok = !value || (number_parse(value, UINT64_MAX, &number, &end) && *end == 0 && number);
        *(struct seed *)field = (struct seed){number, true};
        break;
    case OPTION_SECONDS:
        ok = real_parse(value, 1e18, (double *)field);
        break;
    case OPTION_REAL:
        ok = real_parse(value, DBL_MAX, (double *)field);
        break;
    case OPTION_SHAPE:
        ok = shape_option(value, (struct shape *)field);
        break;
    case OPTION_VERSION:
        ok = version_parse(value, (unsigned *)field);
        break;
    }
    return ok || error_set(error, ATOLL_USAGE, "--%s=%.200s: wanted %s", option->name, value, wanted[option->kind]);
}

/* A flag of several letters may have one dash, as other disassemblers take it: -hex. */
static bool is_long_flag(const struct option *option, const char *word)
{
    return (option->kind == OPTION_FLAG || option->kind == OPTION_WORD) && option->name[1] &&
           strcmp(word + 1, option->name) == 0;
}

/* The option that `word` ("--name", "--name=value", "-n", "-nvalue") names; *value points after it. */
static const struct option *option_find(const struct command *command, const char *word, const char **value)
{
    for (const struct option *o = command->options; o->name; o++) {
        size_t length = strlen(o->name);
        if (is_long_flag(o, word)) {
            *value = NULL;
            return o;
        }
        if (word[1] != '-') {
            if (o->letter == 0 || word[1] != o->letter)
                continue;
            *value = word[2] ? word + 2 : NULL;
            return o;
        }
        if (strncmp(word + 2, o->name, length) == 0 && (word[2 + length] == 0 || word[2 + length] == '=')) {
            *value = word[2 + length] ? word + 3 + length : NULL;
            return o;
        }
    }
    return NULL;
}

/* What other programs call an option: the one that is meant, or the word itself, up to its '='. */
static struct nearest option_meant(const char *word)
{
    static const char *const synonyms[][2] = {{"--limit-time", "--timeout"}, {"--time-limit", "--timeout"}};
    size_t length = strcspn(word, "=");
    for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++)
        if (strlen(synonyms[i][0]) == length && strncmp(word, synonyms[i][0], length) == 0)
            return nearest_to(synonyms[i][1], strlen(synonyms[i][1]));
    return nearest_to(word, length);
}

/* Says that there is no such option, and which may be meant. */
static bool option_unknown(const struct command *command, const char *word, struct atoll_error *error)
{
    struct nearest nearest = option_meant(word);
    for (const struct option *o = command->options; o->name; o++) {
        char dashed[NEAREST_LONGEST];
        snprintf(dashed, sizeof dashed, "--%s", o->name);
        nearest_try(&nearest, dashed);
    }
    nearest_try(&nearest, "--help");
    error_set(error, ATOLL_USAGE, "unknown option '%.200s'; see atoll %s --help", word, command->name);
    return error_nearest(error, &nearest);
}

/* Its value may be left out, and is never the next word. */
static bool option_may_lack(const struct option *option)
{
    return option->kind == OPTION_COUNT || option->kind == OPTION_WORD;
}

/* argv[*i] is an option: stores it, taking its value from the next word if need be. */
static bool option_take(const struct command *command, struct arena *arena, int argc, char **argv, int *i,
                        void *options, struct atoll_error *error)
{
    const char *word = argv[*i], *value = NULL;
    const struct option *option = option_find(command, word, &value);
    if (!option)
        return option_unknown(command, word, error);
    if (option->kind == OPTION_FLAG && value)
        return error_set(error, ATOLL_USAGE, "option --%s takes no value", option->name);
    if (option->kind != OPTION_FLAG && !option_may_lack(option) && !value) {
        if (*i + 1 >= argc)
            return error_set(error, ATOLL_USAGE, "option --%s wants a value: %s", option->name, option->argument);
        value = argv[++*i];
    }
    return option_set(option, arena, value, options, error);
}

bool options_parse(const struct command *command, struct arena *arena, int argc, char **argv, void *options,
                   struct list *plain, struct atoll_error *error)
{
    bool only_plain = false;
    for (int i = 0; i < argc; i++) {
        if (!only_plain && strcmp(argv[i], "--") == 0)
            only_plain = true;
        else if (!only_plain && argv[i][0] == '-' && argv[i][1]) {
            if (!option_take(command, arena, argc, argv, &i, options, error))
                return false;
        } else if (!list_add(arena, plain, argv[i]))
            return error_memory(error);
    }
    if (plain->count < command->least)
        return error_set(error, ATOLL_USAGE, "atoll %s %s: an argument is missing", command->name, command->synopsis);
    if (plain->count > command->most)
        return error_set(error, ATOLL_USAGE, "atoll %s %s: '%.200s' is too much", command->name, command->synopsis,
                         plain->items[command->most]);
    return true;
}

void options_line(const char *line, size_t length, struct text *out)
{
    static const char *const marks[] = {"{code}", "{all}"};
    for (size_t i = 0; i < length; i++) {
        unsigned mark = 0;
        while (mark < 2 && strncmp(line + i, marks[mark], strlen(marks[mark])) != 0)
            mark++;
        if (mark == 2) {
            text_add(out, line + i, 1);
            continue;
        }
        struct text names = {0};
        family_list_machines(mark == 0, &names);
        text_add(out, names.bytes, names.length);
        out->failed = out->failed || names.failed;
        text_free(&names);
        i += strlen(marks[mark]) - 1;
    }
}

/* "  --name=VALUE   help", the help's further lines below its first. */
static void option_help(const struct option *option, struct text *out)
{
    enum { COLUMN = 28 };
    size_t start = out->length;
    if (option->letter)
        text_printf(out, "  -%c, --%s", option->letter, option->name);
    else
        text_printf(out, "  --%s", option->name);
    if (option->argument)
        text_printf(out, option_may_lack(option) ? "%s" : "=%s", option->argument);
    size_t width = out->length - start;
    if (width > COLUMN - 2) {
        text_puts(out, "\n");
        width = 0;
    }
    for (const char *line = option->help; line;) {
        const char *end = strchr(line, '\n');
        text_printf(out, "%*s", (int)(COLUMN - width), "");
        options_line(line, end ? (size_t)(end - line) : strlen(line), out);
        text_puts(out, "\n");
        line = end ? end + 1 : NULL;
        width = 0;
    }
}

void options_help(const struct command *command, struct text *out)
{
    text_printf(out, "usage: atoll %s %s\n\n%s\n\noptions:\n", command->name, command->synopsis, command->summary);
    for (const struct option *o = command->options; o->name; o++)
        option_help(o, out);
    text_puts(out, "  -h, --help                print this\n");
    if (command->notes)
        text_printf(out, "\n%s", command->notes);
}

/* atoll list: tables that are built in. */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "cli/cli.h"

struct list_options {
    bool json, surface, markdown;
};

static const struct option options[] = {
    {"json", 0, NULL, OPTION_FLAG, offsetof(struct list_options, json), "as JSON (docs/json.md)"},
    {"surface", 0, NULL, OPTION_FLAG, offsetof(struct list_options, surface),
     "instructions: those on surfaces and the atomic ones"},
    {"markdown", 0, NULL, OPTION_FLAG, offsetof(struct list_options, markdown),
     "instructions: as Markdown; with --surface, the reference"},
    {0},
};

static const char *kind_name(char kind)
{
    switch (kind) {
    case 'n':
        return "unorm";
    case 's':
        return "snorm";
    case 'u':
        return "uint";
    case 'i':
        return "sint";
    default:
        return "float";
    }
}

static void print_format(const struct atoll_format_info *f, struct text *out)
{
    char bits[64] = "";
    size_t used = 0;
    for (uint32_t c = 0; c < f->channels; c++)
        used +=
            (size_t)snprintf(bits + used, sizeof bits - used, "%s%c%" PRIu32, c ? " " : "", "RGBA"[c], f -> bits[c]);
    text_printf(out, "%-16s %5" PRIu32 "  %-6s %s\n", f->name, f->bytes, kind_name(f->kind), bits);
}

static void format_json(const struct atoll_format_info *f, struct json *json)
{
    json_open(json, NULL, '{');
    json_string(json, "name", f->name);
    json_number(json, "bytes", f->bytes);
    json_string(json, "kind", kind_name(f->kind));
    json_numbers(json, "bits", f->bits, f->channels);
    json_close(json, '}');
}

static bool list_formats(const struct list_options *o, struct text *out, struct atoll_error *error)
{
    struct atoll_format_info info;
    const char *name;
    if (o->surface || o->markdown)
        return error_set(error, ATOLL_USAGE, "atoll list formats: --%s is for instructions",
                         o->surface ? "surface" : "markdown");
    struct json json;
    if (o->json) {
        json_begin(&json, out, "list");
        json_string(&json, "table", "formats");
        json_open(&json, "formats", '[');
    } else
        text_printf(out, "%-16s %s  %-6s %s\n", "format", "bytes", "kind", "bits");
    for (unsigned i = 0; (name = atoll_format_name(i)); i++) {
        if (!atoll_format_find(name, &info, error))
            return false;
        if (o->json)
            format_json(&info, &json);
        else
            print_format(&info, out);
    }
    if (o->json) {
        json_close(&json, ']');
        json_end(&json);
    }
    return true;
}

static bool list_family(const char *family, const struct list_options *o, struct text *out, struct atoll_error *error)
{
    char *text;
    size_t size;
    unsigned flags = (o->surface ? ATOLL_LIST_SURFACE : 0) | (o->markdown ? ATOLL_LIST_MARKDOWN : 0);
    if (o->json && o->markdown)
        return error_set(error, ATOLL_USAGE, "--json and --markdown exclude each other");
    if (!atoll_list(family, flags | (o->json ? ATOLL_LIST_JSON : 0), &text, &size, error))
        return false;
    if (o->json) {
        struct json json;
        json_begin(&json, out, "list");
        json_string(&json, "table", family);
        json_member(&json, "instructions", text, size);
        json_end(&json);
    } else
        text_add(out, text, size);
    atoll_text_free(text);
    return true;
}

static bool unknown_table(const char *given, struct atoll_error *error)
{
    struct text names = {0};
    const char *name;
    text_puts(&names, "formats");
    for (unsigned i = 0; (name = atoll_family_name(i)); i++)
        text_printf(&names, ", %s", name);
    error_set(error, ATOLL_USAGE, "atoll list %.100s: unknown table; there are: %s", given,
              text_ok(&names) ? names.bytes : "formats");
    text_free(&names);
    return false;
}

static bool is_family(const char *given)
{
    const char *name;
    for (unsigned i = 0; (name = atoll_family_name(i)); i++)
        if (strcmp(given, name) == 0)
            return true;
    return false;
}

static int run_command(const struct command *command, struct arena *arena, const void *given, const struct list *plain)
{
    (void)command, (void)arena;
    struct atoll_error error;
    struct text out = {0};
    const char *table = plain->items[0];
    bool ok = strcmp(table, "formats") == 0 ? list_formats(given, &out, &error)
              : is_family(table)            ? list_family(table, given, &out, &error)
                                            : unknown_table(table, &error);
    if (ok)
        return cli_put_text(&out, EXIT_OK);
    text_free(&out);
    return cli_fail(&error);
}

const struct command command_list = {
    .name = "list",
    .synopsis = "formats | ptx | sass | visa | ctm [options]",
    .summary = "list surface formats, or a family's instructions",
    .options = options,
    .notes = "Examples:\n"
             "  atoll list formats                          formats of surfaces, their bytes and channels\n"
             "  atoll list sass --surface                   what of Maxwell is on surfaces or atomic\n"
             "  atoll list ptx --markdown --surface         the reference of these\n"
             "  atoll list visa --json\n",
    .least = 1,
    .most = 1,
    .size = sizeof(struct list_options),
    .run = run_command,
};

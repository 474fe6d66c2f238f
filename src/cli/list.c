/* atoll list: tables that are built in. */
#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"

struct list_options {
    bool json;
};

static const struct option options[] = {
    {"json", 0, NULL, OPTION_FLAG, offsetof(struct list_options, json), "as JSON"},
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

static void print_format(const struct atoll_format_info *f)
{
    char bits[64] = "";
    size_t used = 0;
    for (uint32_t c = 0; c < f->channels; c++)
        used +=
            (size_t)snprintf(bits + used, sizeof bits - used, "%s%c%" PRIu32, c ? " " : "", "RGBA"[c], f -> bits[c]);
    printf("%-16s %5" PRIu32 "  %-6s %s\n", f->name, f->bytes, kind_name(f->kind), bits);
}

static void print_format_json(const struct atoll_format_info *f, bool first)
{
    printf("%s\n  {\"name\":\"%s\",\"bytes\":%" PRIu32 ",\"kind\":\"%s\",\"bits\":[", first ? "[" : ",", f->name,
           f->bytes, kind_name(f->kind));
    for (uint32_t c = 0; c < f->channels; c++)
        printf("%s%" PRIu32, c ? "," : "", f->bits[c]);
    printf("]}");
}

static int run_command(const struct command *command, struct arena *arena, const void *given, const struct list *plain)
{
    (void)command, (void)arena;
    const struct list_options *o = given;
    struct atoll_error error;
    struct atoll_format_info info;
    const char *name;
    if (strcmp(plain->items[0], "formats") != 0) {
        error_set(&error, ATOLL_USAGE, "atoll list %.100s: unknown table; there is: formats", plain->items[0]);
        return cli_fail(&error);
    }
    if (!o->json)
        printf("%-16s %s  %-6s %s\n", "format", "bytes", "kind", "bits");
    for (unsigned i = 0; (name = atoll_format_name(i)); i++) {
        if (!atoll_format_find(name, &info, &error))
            return cli_fail(&error);
        if (o->json)
            print_format_json(&info, i == 0);
        else
            print_format(&info);
    }
    if (o->json)
        printf("\n]\n");
    return EXIT_OK;
}

const struct command command_list = {
    .name = "list",
    .synopsis = "formats",
    .summary = "list the surface formats",
    .options = options,
    .least = 1,
    .most = 1,
    .size = sizeof(struct list_options),
    .run = run_command,
};

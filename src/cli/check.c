/* atoll check: validates modules and says what is wrong with them. */
#include "base/json.h"
#include "cli/cli.h"
#include "file/file.h"

#include <string.h>

struct check_options {
    struct source_options source;
    bool quiet, hazards, link, json;
};

static const struct option options[] = {
    SOURCE_OPTIONS(struct check_options, source),
    {"quiet", 'q', NULL, OPTION_FLAG, offsetof(struct check_options, quiet), "no summary"},
    {"hazards", 0, NULL, OPTION_FLAG, offsetof(struct check_options, hazards),
     "for cubins and .sass: report registers and predicates used before they are ready;\nfor programs of CTM: lookups "
     "and the like"},
    {"link", 0, NULL, OPTION_FLAG, offsetof(struct check_options, link),
     "the files are one module: what one does not define, another must"},
    {"json", 0, NULL, OPTION_FLAG, offsetof(struct check_options, json),
     "all files as one document of JSON (docs/json.md)"},
    {0},
};

/* Files that are one module. */
static int check_module(const struct check_options *o, const struct list *paths, struct diagnosed *seen)
{
    int code = sources_check(paths, &o->source, seen);
    if (!o->quiet && !o->json && !seen->json && seen->errors + seen->warnings)
        fprintf(stderr, "%s%s: %u error%s, %u warning%s\n", paths->items[0], paths->count > 1 ? " ..." : "",
                seen->errors, seen->errors == 1 ? "" : "s", seen->warnings, seen->warnings == 1 ? "" : "s");
    return code;
}

static int check_one(const struct check_options *o, const char *path, struct diagnosed *seen)
{
    struct list paths = {&path, 1};
    return check_module(o, &paths, seen);
}

/* The lines of a report as diagnostics: places are in machine code, which has no lines. */
static int hazards_diagnose(const char *path, char *report, struct diagnosed *seen)
{
    for (char *line = report, *next; *line; line = next) {
        char *end = strchr(line, '\n');
        next = end ? end + 1 : line + strlen(line);
        if (end)
            *end = 0;
        struct atoll_diagnostic out = {.severity = ATOLL_ERROR, .code = "hazard", .message = line, .file = path};
        diagnose_print(seen, &out);
    }
    if (seen->unwritten.status != ATOLL_OK)
        return cli_fail(&seen->unwritten);
    return seen->errors ? EXIT_KERNEL : EXIT_OK;
}

static int check_hazards(const struct check_options *o, const char *path, struct diagnosed *seen)
{
    struct atoll_error error = {0};
    struct blob blob = {0};
    char *report = NULL;
    size_t length = 0;
    unsigned count = 0;
    bool ok = diagnose_form(o->source.diagnostics, seen, &error) && module_read(path, &blob, &error) &&
              (atoll_hazards(blob.bytes, blob.size, &report, &length, &count, &error) || error_in(path, &error));
    blob_free(&blob);
    if (!ok)
        return cli_fail(&error);
    int code = seen->json || o->json ? hazards_diagnose(path, report, seen)
                                     : cli_put(report, length, count ? EXIT_KERNEL : EXIT_OK);
    atoll_text_free(report);
    if (!o->quiet && !o->json && !seen->json && count)
        fprintf(stderr, "%s: %u hazard%s\n", path, count, count == 1 ? "" : "s");
    return code;
}

static int check_file(const struct check_options *o, const struct list *plain, unsigned i, struct diagnosed *seen)
{
    if (o->link)
        return check_module(o, plain, seen);
    return o->hazards ? check_hazards(o, plain->items[i], seen) : check_one(o, plain->items[i], seen);
}

/* One document, an object for each file. What is no diagnostic (a file that cannot be read) goes to the standard error.
 */
static int check_json(const struct check_options *o, const struct list *plain)
{
    struct text out = {0};
    struct json json;
    int worst = EXIT_OK;
    json_begin(&json, &out, "check");
    json_open(&json, "files", '[');
    for (unsigned i = 0; i < (o->link ? 1 : plain->count); i++) {
        struct diagnosed seen = {.collected = &json};
        json_open(&json, NULL, '{');
        json_string(&json, "file", plain->items[i]);
        json_open(&json, "diagnostics", '[');
        int code = check_file(o, plain, i, &seen);
        json_close(&json, ']');
        json_number(&json, "errors", seen.errors);
        json_number(&json, "warnings", seen.warnings);
        json_number(&json, "exit_code", (uint64_t)code);
        json_close(&json, '}');
        worst = code > worst ? code : worst;
    }
    json_close(&json, ']');
    json_end(&json);
    return cli_put_text(&out, worst);
}

static int run_command(const struct command *command, struct arena *arena, const void *given, const struct list *plain)
{
    const struct check_options *o = given;
    (void)command, (void)arena;
    int worst = EXIT_OK;
    if (o->link && o->hazards)
        return cli_fail(
            &(struct atoll_error){.status = ATOLL_USAGE, .message = "--link and --hazards exclude each other"});
    if (o->json)
        return check_json(o, plain);
    for (unsigned i = 0; i < (o->link ? 1 : plain->count); i++) {
        struct diagnosed seen = {0};
        int code = check_file(o, plain, i, &seen);
        worst = code > worst ? code : worst;
    }
    return worst;
}

const struct command command_check = {
    .name = "check",
    .synopsis = "FILE... [options]",
    .summary = "validate modules",
    .options = options,
    .notes = "Messages come in the order of lines. Exit code 0: no errors (warnings do not count); with --hazards: no\n"
             "hazards; 1: errors; 3: a file could not be read (the others are checked all the same).\n\n"
             "Examples:\n"
             "  atoll check k.ptx\n"
             "  atoll check --target=sm_90 --ptx-version=8.1 --strict *.ptx\n"
             "  atoll check --link main.ptx lib.ptx          as one module\n"
             "  atoll check --hazards k.cubin                registers that are used before they are ready\n"
             "  atoll check --json k.ptx                     a document of all\n",
    .least = 1,
    .most = FILES_MOST,
    .size = sizeof(struct check_options),
    .run = run_command,
};

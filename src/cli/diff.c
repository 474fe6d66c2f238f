/* atoll diff: whether two files hold the same elements. */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "cli/cli.h"
#include "cli/compare.h"
#include "cli/content.h"

struct diff_options {
    const char *diff;
    double tolerance;
    bool json;
};

static const struct option options[] = {
    {"tolerance", 0, "T", OPTION_REAL, offsetof(struct diff_options, tolerance),
     "elements may differ by so much (default: 0; NaN is NaN)"},
    {"diff", 0, "FILE.png", OPTION_TEXT, offsetof(struct diff_options, diff),
     "a picture of the differences; black: none"},
    {"json", 0, NULL, OPTION_FLAG, offsetof(struct diff_options, json), "as JSON (docs/json.md)"},
    {0},
};

static unsigned channels_of(const struct content *content)
{
    return content->kind == FILE_PNG ? content->picture.channels : 1;
}

/* The types and shape that both have. False: `out` says why they have none in common; then they differ. */
static bool shape_in_common(const struct content *a, const struct content *b, struct comparison *c, struct text *out)
{
    const struct content *said = a->kind == FILE_RAW ? b : a; /* plain bytes may be anything of their size */
    bool raw = a->kind == FILE_RAW || b->kind == FILE_RAW;
    char one[200], other[200];
    if (raw && a->size != b->size) {
        text_printf(out, "%" PRIu64 " bytes of elements and %" PRIu64, a->size, b->size);
        return false;
    }
    if (!raw && (a->array.kind != b->array.kind || a->array.bytes != b->array.bytes)) {
        text_printf(out, "elements of type %c%u and %c%u", a->array.kind, a->array.bytes, b->array.kind,
                    b->array.bytes);
        return false;
    }
    if (!raw && !same_shape(&a->array, &b->array)) {
        text_printf(out, "shapes %s and %s", shape_text(&a->array, one), shape_text(&b->array, other));
        return false;
    }
    if (!raw && b->kind == FILE_PNG)
        said = b;
    c->array = said->array;
    c->texels = said->kind == FILE_PNG;
    c->channels = channels_of(said);
    return true;
}

/* Appends what differs, and a picture of it if one is wanted; nothing if nothing does. */
static bool contents_compare(const struct diff_options *o, const struct content *a, const struct content *b,
                             struct comparison *c, struct text *out, struct atoll_error *error)
{
    struct text png = {0};
    if (!shape_in_common(a, b, c, out))
        return true;
    if (o->diff && !compare_pictured(c, o->diff, error))
        return false;
    if (compare_elements(c, a->elements, b->elements))
        compare_tell(c, a->elements, b->elements, out);
    bool ok = !o->diff || (compare_picture(c, a->elements, b->elements, &png, error) &&
                           file_write(o->diff, png.bytes, png.length, error));
    text_free(&png);
    return ok;
}

/* Types and shapes that differ have a message, and no elements that do. */
static void diff_json(const struct list *plain, const struct comparison *c, const struct text *said, struct text *out)
{
    struct json json;
    json_begin(&json, out, "diff");
    json_string(&json, "found", plain->items[0]);
    json_string(&json, "expected", plain->items[1]);
    json_bool(&json, "differs", said->length > 0);
    json_string(&json, "message", said->length ? said->bytes : "");
    json_real(&json, "tolerance", c->tolerance);
    json_number(&json, "elements", c->array.count);
    json_number(&json, "different", c->differ);
    if (c->differ)
        json_number(&json, "worst", c->worst);
    json_end(&json);
}

static bool options_check(const struct diff_options *o, const struct list *plain, struct atoll_error *error)
{
    enum file_kind kind;
    if (strcmp(plain->items[0], "-") == 0 && strcmp(plain->items[1], "-") == 0)
        return error_set(error, ATOLL_USAGE, "the standard input (-) can be read only once");
    if (o->diff && (!file_kind(o->diff, &kind) || kind != FILE_PNG))
        return error_set(error, ATOLL_USAGE, "--diff=%.300s: the file must end in .png", o->diff);
    for (unsigned i = 0; i < 2 && o->diff; i++)
        if (file_same(o->diff, plain->items[i]))
            return error_set(error, ATOLL_USAGE, "--diff=%.300s: this is one of the files that are compared", o->diff);
    return !o->diff || file_writable(o->diff, error);
}

static int run_command(const struct command *command, struct arena *arena, const void *given, const struct list *plain)
{
    (void)command, (void)arena;
    const struct diff_options *o = given;
    struct atoll_error error = {0};
    struct content a = {0}, b = {0};
    struct text out = {0}, line = {0};
    struct comparison c = {.tolerance = o->tolerance};
    bool ok = options_check(o, plain, &error) && content_read(plain->items[0], &a, &error) &&
              content_read_sized(plain->items[1], a.size, &b, &error) && contents_compare(o, &a, &b, &c, &out, &error);
    bool differs = out.length > 0;
    if (o->json)
        diff_json(plain, &c, &out, &line);
    else if (differs)
        text_printf(&line, "%s, %s: %s\n", plain->items[0], plain->items[1], out.bytes);
    line.failed |= out.failed;
    text_free(&out);
    content_free(&a);
    content_free(&b);
    if (ok)
        return cli_put_text(&line, differs || line.failed ? EXIT_KERNEL : EXIT_OK);
    text_free(&line);
    return cli_fail(&error);
}

const struct command command_diff = {
    .name = "diff",
    .synopsis = "FOUND EXPECTED [options]",
    .summary = "compare two files of pictures, arrays or bytes",
    .options = options,
    .notes =
        "Files are PNG, numpy arrays or raw bytes, as their contents tell. Says how many elements differ and where "
        "the\n"
        "worst one is; exit code 1 then, and if types or shapes do.\n\n"
        "  atoll diff out.png ref.png --tolerance 1 --diff where.png\n",
    .least = 2,
    .most = 2,
    .size = sizeof(struct diff_options),
    .run = run_command,
};

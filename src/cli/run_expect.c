/* --expect: files are read, and held against types and shapes, before the launch. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run.h"

/* ---- before the launch ------------------------------------------------------------------------------------------ */

static bool size_fits(const struct expecting *e, uint64_t size, struct atoll_error *error)
{
    return e->content.size == size ||
           error_set(error, ATOLL_INPUT, "'%.300s' has %" PRIu64 " bytes of elements: '%.100s' has %" PRIu64,
                     e->found.path, e->content.size, e->found.name, size);
}

static bool expect_buffer(struct expecting *e, struct atoll_error *error)
{
    const struct object *object = e->found.object;
    const struct array *own = &object->array;
    const struct value_type *type = object->argument.type;
    char kind = type && type->class == 'b' ? 'b' : own->kind == 'b' ? 'u' : own->kind;
    e->comparison.array = *own;
    if (!content_typed(e->found.path, &e->content, kind, own->bytes, error) || !size_fits(e, object->size, error))
        return false;
    if (own->ndims <= 1 || kind == 'b') /* the file knows better what shape they have, and bits what they mean */
        e->comparison.array = e->content.kind == FILE_RAW ? *own : e->content.array;
    return true;
}

/* The type and shape of a variable are the file's. */
static bool expect_variable(struct expecting *e, struct atoll_error *error)
{
    e->comparison.array = e->content.array;
    return size_fits(e, e->found.size, error);
}

/* A picture has the texels that it would have as an argument: in the surface's format. */
static bool expect_picture(struct expecting *e, const struct atoll_surface_desc *desc, struct atoll_error *error)
{
    const struct picture *picture = &e->content.picture;
    uint64_t rows = (uint64_t)(desc->height ? desc->height : 1) * (desc->depth ? desc->depth : 1) *
                    (desc->layers ? desc->layers : 1);
    if (picture->width != desc->width || picture->height != rows)
        return error_set(error, ATOLL_INPUT,
                         "'%.300s' has %" PRIu32 " x %" PRIu32 " pixels: '%.100s' has %" PRIu32 " x %" PRIu64
                         " (slices and layers below each other)",
                         e->found.path, picture->width, picture->height, e->found.name, desc->width, rows);
    return picture_texels(picture, format_find(desc->format), &e->texels) || error_memory(error);
}

static bool expect_surface(struct expecting *e, struct atoll_error *error)
{
    struct atoll_surface_desc desc;
    atoll_surface_describe(e->found.object->surface, &desc);
    level_extents(&desc);
    const struct format *format = format_find(desc.format);
    struct comparison *c = &e->comparison;
    c->array = surface_array(&desc);
    c->texels = true;
    bool packed = format->channels > 1 && c->array.bytes == format->bytes;
    c->channels = packed ? 1 : format->channels;
    if (packed && c->tolerance > 0)
        return error_set(error, ATOLL_UNSUPPORTED,
                         "--expect %.200s: texels of %s are packed: they are the same or not, without --tolerance",
                         e->found.name, desc.format);
    return e->content.kind == FILE_PNG ? expect_picture(e, &desc, error)
                                       : content_texels(e->found.path, &e->content, &desc, error);
}

static bool expect_one(struct run *run, struct expecting *e, struct atoll_error *error)
{
    e->comparison.tolerance = run->options->tolerance;
    e->comparison.channels = 1;
    const struct object *object = e->found.object;
    uint64_t size = !object ? e->found.size : object->surface ? atoll_surface_size(object->surface) : object->size;
    if (!run_input(run, e->found.path, size, &e->content, error))
        return false;
    return !object ? expect_variable(e, error) : object->surface ? expect_surface(e, error) : expect_buffer(e, error);
}

bool run_expects(struct run *run, struct atoll_error *error)
{
    const struct list *expects = &run->options->expects;
    if (run->options->tolerance > 0 && !expects->count)
        return error_set(error, ATOLL_USAGE, "--tolerance is of --expect: there is none");
    run->expects = arena_array(run->arena, expects->count, sizeof *run->expects);
    if (!run->expects)
        return error_memory(error);
    for (unsigned i = 0; i < expects->count; i++) {
        struct expecting *e = &run->expects[i];
        run->nexpects = i + 1;
        if (!saving_parse(run, "--expect", expects->items[i], &e->found, error))
            return false;
        for (unsigned k = 0; k < i; k++)
            if (strcmp(run->expects[k].found.name, e->found.name) == 0)
                return error_set(error, ATOLL_USAGE, "--expect %.200s: given twice", e->found.name);
        if (!expect_one(run, e, error))
            return false;
    }
    return true;
}

/* ---- after the launch -------------------------------------------------------------------------------------------- */

static bool compare_one(struct run *run, struct expecting *e, struct text *out, struct atoll_error *error)
{
    void *found;
    uint64_t size;
    const void *expected = e->texels ? e->texels : e->content.elements;
    if (!saving_bytes(run, &e->found, &found, &size, error))
        return false;
    if (compare_elements(&e->comparison, found, expected)) {
        size_t from = out->length + strlen("atoll: ");
        run->differs = true;
        text_printf(out, "atoll: %s is not as in '%s': ", e->found.name, e->found.path);
        compare_tell(&e->comparison, found, expected, out);
        if (text_ok(out) && run->report.nfiles)
            out->failed |= !report_difference(&run->report, e->found.name, e->found.path, out->bytes + from);
        text_puts(out, "\n");
    }
    bool ok = !e->pictured || compare_picture(&e->comparison, found, expected, &e->picture, error);
    free(found);
    return ok;
}

static void expecting_empty(struct expecting *e)
{
    content_free(&e->content);
    free(e->texels);
    e->texels = NULL;
}

bool run_expect(struct run *run, struct atoll_error *error)
{
    struct text out = {0};
    bool ok = true;
    for (uint32_t i = 0; i < run->nexpects && ok; i++) {
        ok = compare_one(run, &run->expects[i], &out, error);
        expecting_empty(&run->expects[i]); /* results that are saved need room, too */
    }
    if (ok && !text_ok(&out))
        ok = error_memory(error);
    if (ok && out.length && run->orders)
        progress_clear(&run->orders->progress);
    if (ok && out.length)
        fwrite(out.bytes, 1, out.length, stderr);
    text_free(&out);
    return ok;
}

void run_expects_free(struct run *run)
{
    for (uint32_t i = 0; i < run->nexpects; i++) {
        expecting_empty(&run->expects[i]);
        text_free(&run->expects[i].picture);
    }
}

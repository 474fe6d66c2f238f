/* --history: which texels and elements are watched, and what is told of each access to them. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run.h"

struct history {
    const char *given;  /* "dst@17,4" */
    struct array array; /* of what a value consists: elements of this type */
    unsigned elements;
};

/* X[,Y[,Z]] */
static unsigned numbers(const char *text, uint64_t out[3])
{
    for (unsigned n = 0; n < 3; text++) {
        char *end;
        errno = 0;
        if (*text < '0' || *text > '9')
            return 0;
        out[n++] = strtoull(text, &end, 10);
        if (errno || (*end && *end != ','))
            return 0;
        if (!*end)
            return n;
        text = end;
    }
    return 0;
}

static bool watch_texel(const struct object *object, const uint64_t at[3], unsigned n, struct history *history,
                        struct atoll_watch *watch, struct atoll_error *error)
{
    struct atoll_surface_desc desc;
    atoll_surface_describe(object->surface, &desc);
    level_extents(&desc);
    bool layers = desc.dimension == ATOLL_DIM_1D_ARRAY;
    uint32_t depth = desc.layers ? desc.layers : desc.depth ? desc.depth : 1;
    uint32_t extent[3] = {desc.width, layers ? depth : desc.height ? desc.height : 1, layers ? 1 : depth};
    for (unsigned i = 0; i < 3; i++)
        if (i < n && at[i] >= extent[i])
            return error_set(error, ATOLL_USAGE, "--history=%.200s: the surface has %u x %u x %u texels",
                             history->given, extent[0], extent[1], extent[2]);
    const struct format *format = format_find(desc.format);
    *watch = (struct atoll_watch){.address = atoll_surface_handle(object->surface)};
    for (unsigned i = 0; i < n; i++)
        watch->texel[layers && i ? 2 : i] = (uint32_t)at[i];
    history->array = surface_array(&desc);
    history->elements = format->bytes / history->array.bytes;
    return true;
}

static bool watch_element(const struct object *object, uint64_t at, unsigned n, struct history *history,
                          struct atoll_watch *watch, struct atoll_error *error)
{
    const struct array *array = &object->array;
    uint64_t count = array->bytes ? object->size / array->bytes : 0;
    if (n != 1 || at >= count)
        return error_set(error, ATOLL_USAGE, "--history=%.200s: wanted the number of one of %" PRIu64 " elements",
                         history->given, count);
    *watch = (struct atoll_watch){.address = object->address + at * array->bytes, .bytes = array->bytes};
    history->array = *array;
    history->elements = 1;
    return true;
}

/* Variables have no types here: words, or bytes where they are no words. */
static bool watch_variable(const struct run *run, const char *name, uint64_t at, unsigned n, struct history *history,
                           struct atoll_watch *watch, struct atoll_error *error)
{
    uint64_t address, size;
    if (!atoll_module_variable(run->module, name, &address, &size, NULL)) {
        struct nearest nearest = object_nearest(run, name);
        error_set(error, ATOLL_USAGE, "--history=%.200s: no argument, bound surface or variable has this name",
                  history->given);
        return error_nearest(error, &nearest);
    }
    unsigned bytes = size % 4 ? 1 : 4;
    if (n != 1 || at >= size / bytes)
        return error_set(error, ATOLL_USAGE,
                         "--history=%.200s: wanted the number of one of %" PRIu64 " elements of %u bytes",
                         history->given, size / bytes, bytes);
    *watch = (struct atoll_watch){.address = address + at * bytes, .bytes = bytes};
    history->array = (struct array){.kind = 'u', .bytes = bytes};
    history->elements = 1;
    return true;
}

static bool watch_one(struct run *run, struct history *history, struct atoll_watch *watch, struct atoll_error *error)
{
    const char *at = strrchr(history->given, '@');
    uint64_t place[3] = {0};
    unsigned n = at ? numbers(at + 1, place) : 0;
    if (!n || at == history->given)
        return error_set(error, ATOLL_USAGE, "--history=%.200s: wanted NAME@X, NAME@X,Y or NAME@X,Y,Z", history->given);
    const char *name = arena_text(run->arena, history->given, (size_t)(at - history->given));
    if (!name)
        return error_memory(error);
    const struct object *object = object_find(run, name);
    if (!object)
        return watch_variable(run, name, place[0], n, history, watch, error);
    if (object->surface)
        return watch_texel(object, place, n, history, watch, error);
    if (object->argument.kind != ARGUMENT_BUFFER)
        return error_set(error, ATOLL_USAGE, "--history=%.200s: a number is no buffer or surface", history->given);
    return watch_element(object, place[0], n, history, watch, error);
}

bool run_history(struct run *run, struct atoll_error *error)
{
    const struct list *given = &run->options->history;
    if (run->options->history_lines && !given->count)
        return error_set(error, ATOLL_USAGE, "--history-lines is of --history: there is none");
    if (given->count > ATOLL_WATCHES)
        return error_set(error, ATOLL_USAGE, "--history: %u are more than %d", given->count, ATOLL_WATCHES);
    struct atoll_watch *watches = arena_array(run->arena, given->count, sizeof *watches);
    run->history = arena_array(run->arena, given->count, sizeof *run->history);
    if (!watches || !run->history)
        return error_memory(error);
    for (unsigned i = 0; i < given->count; i++) {
        run->history[i].given = given->items[i];
        if (!watch_one(run, &run->history[i], &watches[i], error))
            return false;
    }
    run->report.watches = given->count;
    run->launch.watches = watches;
    run->launch.nwatches = given->count;
    return true;
}

/* ---- while it runs ---------------------------------------------------------------------------------------------- */

static void value_print(const struct history *history, const unsigned char *bytes, struct text *out)
{
    text_puts(out, history->elements > 1 ? "(" : "");
    for (unsigned i = 0; i < history->elements; i++) {
        text_puts(out, i ? ", " : "");
        compare_value(&history->array, bytes, i, out);
    }
    text_puts(out, history->elements > 1 ? ")" : "");
}

void history_print(const struct run *run, const struct atoll_touch *touch, struct text *out)
{
    const struct history *history = &run->history[touch->watch];
    bool reads = strcmp(touch->side.does, "read") == 0;
    text_printf(out, "atoll: %s: instruction %" PRIu64 ": ", history->given, touch->when);
    report_thread(&touch->side, out);
    if (touch->lanes > 1)
        text_printf(out, " and %" PRIu32 " more of its warp", touch->lanes - 1);
    text_printf(out, "%s %s%s ", touch->lanes > 1 ? ":" : "", touch->side.does, touch->lanes > 1 ? "" : "s");
    if (!reads) {
        value_print(history, touch->before, out);
        text_puts(out, " -> ");
    }
    value_print(history, touch->after, out);
    text_printf(out, " by %s at %s", touch->operation, touch->side.place);
    if (touch->order[0] && strcmp(touch->order, "first") != 0)
        text_printf(out, "; behind the access before it: %s", touch->order);
    text_puts(out, "\n");
}

bool history_report(const struct run *run, const struct atoll_touch *touch, struct report *report)
{
    const struct history *history = &run->history[touch->watch];
    struct text before = {0}, after = {0};
    value_print(history, touch->before, &before);
    value_print(history, touch->after, &after);
    bool ok =
        text_ok(&before) && text_ok(&after) && report_touched(report, history->given, touch, before.bytes, after.bytes);
    text_free(&before);
    text_free(&after);
    return ok;
}

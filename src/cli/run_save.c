/* --save: what is possible is found out before the launch; all results are staged before the first is in place. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/content.h"
#include "cli/run.h"

/* ---- before the launch ------------------------------------------------------------------------------------------ */

static const struct format *surface_format(const struct object *object)
{
    struct atoll_surface_desc desc;
    atoll_surface_describe(object->surface, &desc);
    return format_find(desc.format);
}

static bool saving_find(const struct run *run, struct saving *saving, struct atoll_error *error)
{
    saving->object = object_find(run, saving->name);
    if (saving->object)
        return saving->object->argument.kind == ARGUMENT_BUFFER || saving->object->surface ||
               error_set(error, ATOLL_USAGE, "%s %.200s: a number is no buffer or surface", saving->option,
                         saving->name);
    struct text names = {0};
    if (atoll_module_variable(run->module, saving->name, &saving->address, &saving->size, NULL))
        return true;
    for (uint32_t i = 0; i < run->nobjects; i++)
        text_printf(&names, " %s", run->objects[i].argument.name);
    error_set(error, ATOLL_USAGE, "%s %.200s: no argument, bound surface or variable has this name; there are:%.400s",
              saving->option, saving->name, names.length ? names.bytes : " none");
    text_free(&names);
    struct nearest nearest = object_nearest(run, saving->name);
    return error_nearest(error, &nearest);
}

static bool saving_check(const struct saving *saving, struct atoll_error *error)
{
    enum file_kind kind;
    const struct object *object = saving->object;
    if (!file_kind(saving->path, &kind))
        return error_set(error, ATOLL_USAGE, "--save %.200s=%.300s: the file must end in .png, .npy, .raw or .bin",
                         saving->name, saving->path);
    if (!file_writable(saving->path, error))
        return false;
    if (kind != FILE_PNG)
        return true;
    if (!object || !object->surface)
        return error_set(error, ATOLL_USAGE, "--save %.200s=%.300s: only surfaces are pictures: save to .npy or .raw",
                         saving->name, saving->path);
    struct picture picture;
    bool ok = picture_load(0, 0, surface_format(object), "", &picture, error);
    picture_free(&picture);
    return ok;
}

/* A --save may be what an argument came from, so that a state goes on, or a new --expect; no module is either. */
static bool saving_spares(const struct run *run, const struct saving *saving, const char *given,
                          struct atoll_error *error)
{
    bool save = strcmp(saving->option, "--save") == 0;
    return run_spares(save ? run->modules : &run->inputs, saving->option, given, saving->path, error);
}

/* Whether no other output goes to the same file. */
static bool saving_alone(const struct run *run, uint32_t index, struct atoll_error *error)
{
    const char *path = run->saves[index].path;
    for (uint32_t i = 0; i < index; i++)
        if (file_same(run->saves[i].path, path))
            return error_set(error, ATOLL_USAGE, "%s %.100s=%.300s and %s %.100s=%.300s go to one file",
                             run->saves[i].option, run->saves[i].name, run->saves[i].path, run->saves[index].option,
                             run->saves[index].name, path);
    if (run->options->trace && file_same(run->options->trace, path))
        return error_set(error, ATOLL_USAGE, "--trace=%.300s and %s %.100s=%.300s go to one file", run->options->trace,
                         run->saves[index].option, run->saves[index].name, path);
    return true;
}

bool saving_parse(const struct run *run, const char *option, const char *text, struct saving *saving,
                  struct atoll_error *error)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return error_set(error, ATOLL_USAGE, "%s %.200s: wanted NAME=FILE", option, text);
    *saving = (struct saving){.option = option, .path = equals + 1};
    saving->name = arena_text(run->arena, text, (size_t)(equals - text));
    return saving->name ? saving_find(run, saving, error) : error_memory(error);
}

/* The --expect that a --diff is about. */
static bool difference_find(const struct run *run, struct saving *saving, struct atoll_error *error)
{
    enum file_kind kind;
    if (!file_kind(saving->path, &kind) || kind != FILE_PNG)
        return error_set(error, ATOLL_USAGE, "--diff %.200s=%.300s: the file must end in .png", saving->name,
                         saving->path);
    for (uint32_t i = 0; i < run->nexpects; i++) {
        struct expecting *expecting = &run->expects[i];
        if (strcmp(expecting->found.name, saving->name) != 0)
            continue;
        expecting->pictured = true;
        saving->object = NULL; /* its memory is not needed to write the picture */
        saving->difference = &expecting->picture;
        return compare_pictured(&expecting->comparison, saving->name, error) && file_writable(saving->path, error);
    }
    return error_set(error, ATOLL_USAGE, "--diff %.200s: there is no --expect of this name", saving->name);
}

bool run_saves(struct run *run, struct atoll_error *error)
{
    const struct list *saves = &run->options->saves, *diffs = &run->options->diffs;
    run->nsaves = saves->count + diffs->count;
    run->saves = arena_array(run->arena, run->nsaves, sizeof *run->saves);
    if (!run->saves)
        return error_memory(error);
    for (unsigned i = 0; i < run->nsaves; i++) {
        struct saving *saving = &run->saves[i];
        bool save = i < saves->count;
        const char *text = save ? saves->items[i] : diffs->items[i - saves->count];
        if (!saving_parse(run, save ? "--save" : "--diff", text, saving, error) ||
            !(save ? saving_check(saving, error) : difference_find(run, saving, error)) ||
            !saving_spares(run, saving, text, error) || !saving_alone(run, i, error))
            return false;
    }
    return true;
}

/* ---- after the launch -------------------------------------------------------------------------------------------- */

bool saving_bytes(const struct run *run, const struct saving *saving, void **bytes, uint64_t *size,
                  struct atoll_error *error)
{
    const struct object *object = saving->object;
    bool surface = object && object->surface;
    *size = surface ? atoll_surface_size(object->surface) : object ? object->size : saving->size;
    *bytes = malloc(*size ? (size_t)*size : 1);
    if (!*bytes)
        return error_memory(error);
    bool ok = surface
                  ? atoll_surface_read(object->surface, *bytes, *size, error)
                  : atoll_memory_read(run->device, object ? object->address : saving->address, *bytes, *size, error);
    if (!ok)
        free(*bytes);
    return ok;
}

/* Rows of texels: slices and layers lie below each other. */
static bool stage(const struct run *run, const struct saving *saving, struct staged *staged, struct atoll_error *error)
{
    enum file_kind kind;
    void *bytes;
    uint64_t size;
    struct text out = {0};
    if (saving->difference)
        return file_stage(saving->path, saving->difference->bytes, saving->difference->length, staged, error);
    file_kind(saving->path, &kind);
    if (!saving_bytes(run, saving, &bytes, &size, error))
        return false;
    bool ok = true;
    struct atoll_surface_desc desc = {0};
    if (saving->object && saving->object->surface) {
        atoll_surface_describe(saving->object->surface, &desc);
        level_extents(&desc);
    }
    if (kind == FILE_PNG)
        ok = surface_png(&desc, bytes, &out, error);
    if (kind == FILE_NPY) {
        struct array plain = {.kind = 'u', .bytes = 1, .ndims = 1, .dims = {size}, .count = size};
        struct array array = !saving->object           ? plain
                             : saving->object->surface ? surface_array(&desc)
                                                       : saving->object->array;
        npy_write(&array, bytes, &out);
        ok = text_ok(&out) || error_memory(error);
    }
    const void *file = kind == FILE_RAW ? bytes : out.bytes;
    ok = ok && file_stage(saving->path, file, kind == FILE_RAW ? (size_t)size : out.length, staged, error);
    text_free(&out);
    free(bytes);
    return ok;
}

static bool is_saved(const struct run *run, const struct object *object)
{
    for (uint32_t i = 0; i < run->nsaves; i++) {
        const struct object *saved = run->saves[i].object;
        if (saved && (object->surface ? saved->surface == object->surface
                                      : saved->address - object->address < object->size || saved == object))
            return true;
    }
    return false;
}

/* Whether a surface lies over it. */
static bool is_under(const struct run *run, const struct object *object)
{
    bool under = false;
    for (uint32_t i = 0; i < run->nobjects; i++) {
        const struct object *other = &run->objects[i];
        under |= other->surface && other->argument.desc.address - object->address < object->size;
    }
    return under;
}

/* Gives back what no file is made of: the bytes of a file take as much again. */
static void forget_others(struct run *run)
{
    struct atoll_error ignored;
    for (uint32_t i = 0; i < run->nobjects; i++) {
        struct object *object = &run->objects[i];
        if (object->alias || is_saved(run, object) || is_under(run, object))
            continue;
        if (object->surface)
            atoll_surface_destroy(object->surface);
        else if (object->argument.kind == ARGUMENT_BUFFER && object->size)
            atoll_memory_free(run->device, object->address, &ignored);
    }
}

bool run_save(struct run *run, struct atoll_error *error)
{
    struct staged *staged = arena_array(run->arena, run->nsaves, sizeof *staged);
    if (!staged)
        return error_memory(error);
    forget_others(run);
    bool ok = true;
    for (uint32_t i = 0; i < run->nsaves && ok; i++)
        ok = stage(run, &run->saves[i], &staged[i], error);
    if (ok && run->launch.interrupt && *run->launch.interrupt)
        ok = error_set(error, ATOLL_INTERRUPTED, "interrupted; no file was written");
    ok = ok && file_commit(staged, run->nsaves, error);
    for (uint32_t i = 0; i < run->nsaves; i++)
        file_discard(&staged[i]);
    return ok;
}

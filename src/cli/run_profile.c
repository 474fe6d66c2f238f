/* --profile: what ran when, as trace events that Perfetto and chrome://tracing show; what each line did; pictures of
 * how often texels are reached. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run.h"
#include "file/file.h"
#include "file/picture.h"

enum profile_form { PROFILE_EVENTS, PROFILE_TEXT, PROFILE_CSV, PROFILE_PICTURE };
enum { TEXELS_MOST = 1 << 26, DARKEST = 64, WHITE = 255 };

struct profile_file {
    enum profile_form form;
    const char *given, *path;
    struct atoll_surface_desc desc; /* of a picture */
    struct atoll_heat *heat;
};

/* What instructions of one line of one file did. */
struct counted {
    const char *file, *function, *place; /* file "": only the place in words is known */
    uint32_t line;
    uint64_t executions, lanes, accesses, bytes, divergent;
};

struct profile {
    struct arena *arena;
    struct profile_file *files;
    unsigned nfiles;
    struct atoll_heat *heats;
    struct text events;
    bool comma, failed, wants[PROFILE_PICTURE + 1];
    uint32_t *warps; /* of each slot: one more than the highest */
    uint32_t nslots;
    struct counted *lines;
    size_t nlines;
};

/* ---- before the launch ------------------------------------------------------------------------------------------ */

static bool has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), n = strlen(ending);
    return length > n && strcmp(path + length - n, ending) == 0;
}

static bool picture_open(struct run *run, struct profile_file *file, struct atoll_heat *heat, struct atoll_error *error)
{
    const char *equals = strchr(file->given, '=');
    if (!equals || equals == file->given)
        return error_set(error, ATOLL_USAGE, "--profile=%.300s: wanted NAME=FILE.png, the name of a surface",
                         file->given);
    const char *name = arena_text(run->arena, file->given, (size_t)(equals - file->given));
    const struct object *object = name ? object_find(run, name) : NULL;
    if (!name)
        return error_memory(error);
    if (!object || !object->surface)
        return error_set(error, ATOLL_USAGE, "--profile=%.300s: there is no surface of this name", file->given);
    file->path = equals + 1;
    atoll_surface_describe(object->surface, &file->desc);
    level_extents(&file->desc);
    struct atoll_surface_desc *d = &file->desc;
    d->height = d->height ? d->height : 1;
    d->depth = (d->depth ? d->depth : 1) * (d->layers ? d->layers : 1);
    uint64_t rows = (uint64_t)d->height * d->depth, count = rows * d->width;
    if (rows > TEXELS_MOST || count > TEXELS_MOST)
        return error_set(error, ATOLL_LIMIT, "--profile=%.300s: the surface has more than %d texels", file->given,
                         TEXELS_MOST);
    file->heat = heat;
    *heat =
        (struct atoll_heat){atoll_surface_handle(object->surface), calloc((size_t)count, sizeof *heat->counts), count};
    return heat->counts || error_memory(error);
}

static bool file_open(struct run *run, struct profile_file *file, struct atoll_heat *heat, struct atoll_error *error)
{
    file->path = file->given;
    file->form = has_ending(file->given, ".json")  ? PROFILE_EVENTS
                 : has_ending(file->given, ".txt") ? PROFILE_TEXT
                 : has_ending(file->given, ".csv") ? PROFILE_CSV
                                                   : PROFILE_PICTURE;
    if (file->form == PROFILE_PICTURE && !has_ending(file->given, ".png"))
        return error_set(error, ATOLL_USAGE,
                         "--profile=%.300s: the file must end in .json, .txt or .csv; or wanted NAME=FILE.png",
                         file->given);
    if (file->form == PROFILE_PICTURE && !picture_open(run, file, heat, error))
        return false;
    run->profile->wants[file->form] = true;
    return file_writable(file->path, error);
}

bool run_profile(struct run *run, struct atoll_error *error)
{
    const struct list *given = &run->options->profiles;
    if (run->options->profile_slices && !given->count)
        return error_set(error, ATOLL_USAGE, "--profile-slices is of --profile: there is none");
    if (!given->count)
        return true;
    struct profile *p = arena_alloc(run->arena, sizeof *p);
    if (!p)
        return error_memory(error);
    p->arena = run->arena;
    p->files = arena_array(run->arena, given->count, sizeof *p->files);
    p->heats = arena_array(run->arena, given->count, sizeof *p->heats);
    run->profile = p;
    if (!p->files || !p->heats)
        return error_memory(error);
    for (; p->nfiles < given->count; p->nfiles++) {
        struct profile_file *file = &p->files[p->nfiles];
        struct atoll_heat *heat = &p->heats[run->launch.nheats];
        file->given = given->items[p->nfiles];
        if (!file_open(run, file, heat, error) || !run_alone(run, "profile", file->given, file->path, p->nfiles, error))
            return false;
        run->launch.nheats += file->heat != NULL;
    }
    run->launch.heats = p->heats;
    return true;
}

void profile_free(struct profile *p)
{
    if (!p)
        return;
    for (unsigned i = 0; i < p->nfiles; i++)
        if (p->files[i].heat)
            free(p->files[i].heat->counts);
    text_free(&p->events);
    free(p->warps);
}

/* ---- while it runs ------------------------------------------------------------------------------------------------
 */

static bool slot_known(struct profile *p, uint32_t slot, uint32_t warps)
{
    if (slot >= p->nslots) {
        uint32_t more = 2 * slot + 8;
        uint32_t *grown = realloc(p->warps, more * sizeof *grown);
        if (!grown)
            return false;
        memset(grown + p->nslots, 0, (more - p->nslots) * sizeof *grown);
        p->warps = grown;
        p->nslots = more;
    }
    if (p->warps[slot] < warps)
        p->warps[slot] = warps;
    return true;
}

void profile_slice(struct profile *p, const struct atoll_slice *s)
{
    struct json json = {.out = &p->events, .comma = p->comma};
    char name[60];
    if (!p->wants[PROFILE_EVENTS])
        return;
    if (s->turn)
        snprintf(name, sizeof name, "warp %" PRIu32, s->warp);
    else
        snprintf(name, sizeof name, "block (%" PRIu32 ", %" PRIu32 ", %" PRIu32 ")", s->block[0], s->block[1],
                 s->block[2]);
    json_open(&json, NULL, '{');
    json_string(&json, "name", name);
    json_string(&json, "ph", "X");
    json_number(&json, "ts", s->begin);
    json_number(&json, "dur", s->end - s->begin);
    json_number(&json, "pid", s->slot);
    json_number(&json, "tid", s->turn ? s->warp + UINT64_C(1) : 0);
    if (s->turn) {
        json_open(&json, "args", '{');
        json_numbers(&json, "block", s->block, 3);
        json_number(&json, "lane_instructions", s->lanes);
        json_close(&json, '}');
    }
    json_close(&json, '}');
    p->comma = true;
    p->failed |= !slot_known(p, s->slot, s->turn ? s->warp + 1 : 1);
}

void profile_line(struct profile *p, const struct atoll_line_count *line)
{
    bool source = line->nplaces && line->places[0].file;
    const char *file = source ? line->places[0].file : line->file ? line->file : "";
    const char *function = source ? line->places[0].function : "";
    const struct counted row = {.file = arena_text(p->arena, file, strlen(file)),
                                .function = arena_text(p->arena, function, strlen(function)),
                                .place = arena_text(p->arena, line->place, strlen(line->place)),
                                .line = source ? line->places[0].line : line->line,
                                .executions = line->executions,
                                .lanes = line->lanes,
                                .accesses = line->accesses,
                                .bytes = line->bytes,
                                .divergent = line->divergent};
    if (!p->wants[PROFILE_TEXT] && !p->wants[PROFILE_CSV])
        return;
    struct counted *lines = arena_append(p->arena, p->lines, p->nlines, sizeof *lines);
    if (!lines || !row.file || !row.function || !row.place) {
        p->failed = true;
        return;
    }
    p->lines = lines;
    lines[p->nlines++] = row;
}

/* ---- after it -----------------------------------------------------------------------------------------------------
 */

/* Names of tracks: a process for each slot, a thread for each of its warps. */
static void track(struct json *json, const char *what, uint32_t slot, uint64_t thread, const char *name)
{
    json_open(json, NULL, '{');
    json_string(json, "name", what);
    json_string(json, "ph", "M");
    json_number(json, "pid", slot);
    json_number(json, "tid", thread);
    json_open(json, "args", '{');
    json_string(json, "name", name);
    json_close(json, '}');
    json_close(json, '}');
}

static void tracks(struct json *json, const struct profile *p)
{
    char name[40];
    for (uint32_t slot = 0; slot < p->nslots; slot++) {
        if (!p->warps[slot])
            continue;
        snprintf(name, sizeof name, "resident block %" PRIu32, slot);
        track(json, "process_name", slot, 0, name);
        track(json, "thread_name", slot, 0, "blocks");
        for (uint32_t warp = 0; warp < p->warps[slot]; warp++) {
            snprintf(name, sizeof name, "warp %" PRIu32, warp);
            track(json, "thread_name", slot, warp + UINT64_C(1), name);
        }
    }
}

static void events_write(const struct run *run, const struct atoll_stats *stats, struct text *out)
{
    struct json json;
    const struct profile *p = run->profile;
    json_begin(&json, out, "profile");
    json_string(&json, "displayTimeUnit", "ns");
    json_open(&json, "otherData", '{');
    json_string(&json, "unit",
                "a microsecond is a warp instruction, as one host thread carries them out: no time of a device");
    json_string(&json, "kernel", run->report.kernel);
    json_number(&json, "slices_untold", stats->slices_untold);
    json_close(&json, '}');
    json_open(&json, "traceEvents", '[');
    tracks(&json, p);
    if (p->events.length)
        json_member(&json, NULL, p->events.bytes, p->events.length);
    json_close(&json, ']');
    json_end(&json);
    out->failed |= p->events.failed;
}

static int counted_order(const void *a, const void *b)
{
    const struct counted *x = a, *y = b;
    int order = strcmp(x->file, y->file);
    if (!order && x->line != y->line)
        order = x->line < y->line ? -1 : 1;
    return order || x->file[0] ? order : strcmp(x->place, y->place);
}

/* Instructions of a line become one row. */
static void lines_join(struct profile *p)
{
    size_t n = 0;
    if (p->nlines)
        qsort(p->lines, p->nlines, sizeof *p->lines, counted_order);
    for (size_t i = 0; i < p->nlines; i++) {
        struct counted *to = n ? &p->lines[n - 1] : NULL;
        const struct counted *from = &p->lines[i];
        if (!to || counted_order(to, from) != 0) {
            p->lines[n++] = *from;
            continue;
        }
        to->executions += from->executions;
        to->lanes += from->lanes;
        to->accesses += from->accesses;
        to->bytes += from->bytes;
        to->divergent += from->divergent;
    }
    p->nlines = n;
}

static void lines_write(const struct profile *p, struct text *out)
{
    text_printf(out, "%12s %14s %12s %14s %10s  %s\n", "executions", "lanes", "accesses", "bytes", "divergent", "line");
    for (size_t i = 0; i < p->nlines; i++) {
        const struct counted *row = &p->lines[i];
        text_printf(out, "%12" PRIu64 " %14" PRIu64 " %12" PRIu64 " %14" PRIu64 " %10" PRIu64 "  ", row->executions,
                    row->lanes, row->accesses, row->bytes, row->divergent);
        if (row->file[0])
            text_printf(out, "%s:%" PRIu32 "%s%s\n", row->file, row->line, row->function[0] ? " " : "", row->function);
        else
            text_printf(out, "%s\n", row->place);
    }
}

/* A field with its quotes (RFC 4180). */
static void quoted(const char *field, struct text *out)
{
    text_puts(out, "\"");
    for (const char *p = field; *p; p++)
        text_puts(out, *p == '"' ? "\"\"" : (char[2]){*p});
    text_puts(out, "\"");
}

static void csv_write(const struct profile *p, struct text *out)
{
    text_puts(out, "file,line,function,executions,lanes,accesses,bytes,divergent\r\n");
    for (size_t i = 0; i < p->nlines; i++) {
        const struct counted *row = &p->lines[i];
        quoted(row->file[0] ? row->file : row->place, out);
        if (row->file[0])
            text_printf(out, ",%" PRIu32 ",", row->line);
        else
            text_puts(out, ",,");
        quoted(row->function, out);
        text_printf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\r\n", row->executions,
                    row->lanes, row->accesses, row->bytes, row->divergent);
    }
}

/* Black where there was no access, gray for one, white for the most: by the logarithm between. */
static bool picture_write(const struct run *run, const struct profile_file *file, struct text *out,
                          struct atoll_error *error)
{
    const struct atoll_heat *heat = file->heat;
    uint64_t most = 1;
    unsigned char *texels = malloc((size_t)heat->count);
    if (!texels)
        return error_memory(error);
    for (uint64_t i = 0; i < heat->count; i++)
        most = heat->counts[i] > most ? heat->counts[i] : most;
    for (uint64_t i = 0; i < heat->count; i++) {
        double share = most > 1 && heat->counts[i] ? log((double)heat->counts[i]) / log((double)most) : 1;
        texels[i] = heat->counts[i] ? (unsigned char)(DARKEST + share * (WHITE - DARKEST) + 0.5) : 0;
    }
    const struct picture picture = {.width = file->desc.width,
                                    .height = (uint32_t)(heat->count / file->desc.width),
                                    .channels = 1,
                                    .bits = 8,
                                    .texels = texels,
                                    .borrowed = true,
                                    .size = heat->count};
    bool ok = picture_write_png(&picture, out, error);
    free(texels);
    if (ok)
        run_note(run, "--profile=%s: white is %" PRIu64 " accesses to a texel", file->given, most);
    return ok;
}

static bool file_make(const struct run *run, const struct atoll_stats *stats, const struct profile_file *file,
                      struct staged *staged, struct atoll_error *error)
{
    struct text out = {0};
    bool ok = true;
    if (file->form == PROFILE_EVENTS)
        events_write(run, stats, &out);
    else if (file->form == PROFILE_TEXT)
        lines_write(run->profile, &out);
    else if (file->form == PROFILE_CSV)
        csv_write(run->profile, &out);
    else
        ok = picture_write(run, file, &out, error);
    ok = ok && (text_ok(&out) || error_memory(error)) && file_stage(file->path, out.bytes, out.length, staged, error);
    text_free(&out);
    return ok;
}

bool profile_write(struct run *run, const struct atoll_stats *stats, struct atoll_error *error)
{
    struct profile *p = run->profile;
    if (!p)
        return true;
    struct staged *staged = arena_array(run->arena, p->nfiles, sizeof *staged);
    bool ok = staged && !p->failed ? true : error_memory(error);
    unsigned n = 0;
    lines_join(p);
    for (; ok && n < p->nfiles; n++) {
        staged[n].fd = -1;
        ok = file_make(run, stats, &p->files[n], &staged[n], error);
    }
    ok = ok && file_commit(staged, n, error);
    for (unsigned i = 0; i < n; i++)
        file_discard(&staged[i]);
    if (ok && stats->slices_untold)
        fprintf(stderr, "atoll: slices beyond those of --profile (--profile-slices): %" PRIu64 "\n",
                stats->slices_untold);
    return ok;
}

/* What is watched in a launch besides what checks look for: the history of a few bytes, which warp ran when, counts of
 * instructions and texels. Where the host has it, and what was seen, in the terms of who launched. */
#include "engine/check.h"

#include "lane/names.h"
#include "mem/format.h"
#include "mem/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_TOUCHES = 1000, USUAL_SLICES = 100000, OPERATION_BYTES = 60 };

/* ---- where things are ------------------------------------------------------------------------------------------ */

static const struct surface *surface_of(const struct run *run, uint64_t handle)
{
    const struct surface_ref *ref = device_surface(run->program->device, handle);
    return ref ? ref->surface : NULL;
}

static bool texel_find(const struct run *run, const struct atoll_watch *watch, struct tap_watch *found,
                       struct atoll_error *error)
{
    const struct surface *s = surface_of(run, watch->address);
    const uint32_t *at = watch->texel;
    if (!s)
        return error_set(error, ATOLL_USAGE, "a texel is watched of the handle %llu, which is no surface's",
                         (unsigned long long)watch->address);
    if (at[0] >= s->width || at[1] >= s->height || at[2] >= s->slices)
        return error_set(error, ATOLL_USAGE, "texel (%u, %u, %u) is watched of a surface of %u x %u x %u texels", at[0],
                         at[1], at[2], s->width, s->height, s->slices);
    uint64_t offset = s->layout->offset(s, (uint64_t)at[0] * s->format->bytes, at[1], at[2]);
    *found = (struct tap_watch){s->texels + offset, s->format->bytes};
    return true;
}

static bool bytes_find(const struct checking *c, const struct atoll_watch *watch, struct tap_watch *found,
                       struct atoll_error *error)
{
    struct space_block block;
    if (watch->bytes > ATOLL_WATCH_BYTES)
        return error_set(error, ATOLL_USAGE, "%u bytes are watched: must be at most %d", watch->bytes,
                         ATOLL_WATCH_BYTES);
    if (!space_find(c->space, watch->address, &block) || watch->bytes > block.size - (watch->address - block.address))
        return error_set(error, ATOLL_USAGE, "%u bytes at 0x%llx are watched, which are not allocated", watch->bytes,
                         (unsigned long long)watch->address);
    *found = (struct tap_watch){block.host + (watch->address - block.address), watch->bytes};
    return true;
}

static bool heat_find(const struct run *run, const struct atoll_heat *heat, struct tap_heat *found,
                      struct atoll_error *error)
{
    const struct surface *s = surface_of(run, heat->handle);
    if (!s || !heat->counts || heat->count != (uint64_t)s->width * s->height * s->slices)
        return error_set(error, ATOLL_USAGE, "texels are counted of a handle that is no surface's, or of another size");
    uint32_t unit = s->format->bytes;
    *found = (struct tap_heat){s->texels, s->size, unit, calloc((size_t)(s->size / unit + 1), sizeof *found->counts)};
    return found->counts || error_memory(error);
}

bool watching_open(struct checking *c, struct atoll_error *error)
{
    const struct atoll_launch_options *l = c->run->launch;
    struct watching *w = &c->watching;
    if (l->nwatches > ATOLL_WATCHES || l->nheats > ATOLL_WATCHES)
        return error_set(error, ATOLL_USAGE, "%u places are watched: must be at most %d",
                         l->nwatches > l->nheats ? l->nwatches : l->nheats, ATOLL_WATCHES);
    w->watches = calloc((size_t)l->nwatches + 1, sizeof *w->watches);
    w->heats = calloc((size_t)l->nheats + 1, sizeof *w->heats);
    if (!w->watches || !w->heats)
        return error_memory(error);
    for (uint32_t i = 0; i < l->nwatches; i++)
        if (!(l->watches[i].bytes ? bytes_find(c, &l->watches[i], &w->watches[i], error)
                                  : texel_find(c->run, &l->watches[i], &w->watches[i], error)))
            return false;
    for (; c->launch.nheats < l->nheats; c->launch.nheats++)
        if (!heat_find(c->run, &l->heats[c->launch.nheats], &w->heats[c->launch.nheats], error))
            return false;
    c->launch.watches = w->watches;
    c->launch.nwatches = l->nwatches;
    c->launch.heats = w->heats;
    c->launch.profile = l->slice || l->line;
    return true;
}

void watching_free(struct watching *w)
{
    for (uint32_t i = 0; w->heats && w->heats[i].counts; i++)
        free(w->heats[i].counts);
    free(w->heats);
    free(w->watches);
}

/* ---- what was seen ---------------------------------------------------------------------------------------------- */

/* "atom.add.u32", "suld.b32" */
static void operation(const struct decoded *at, char out[OPERATION_BYTES])
{
    enum lane_type type = at->access ? at->access->type : at->inst->type;
    bool updates = at->access && lane_is(at->op, LANE_UPDATES);
    snprintf(out, OPERATION_BYTES, "%.20s%s%.14s%s%.10s", lane_rows[at->inst->op].name, updates ? "." : "",
             updates ? lane_name(&lane_atomic_names, at->access->atomic) : "", type ? "." : "",
             type ? lane_type_name(type) : "");
}

void watch_touched(void *checking, const struct tap_touch *touch)
{
    struct checking *c = checking;
    const struct atoll_launch_options *l = c->run->launch;
    const struct decoded *at = c->sites[touch->site];
    char place[PLACE_BYTES], name[OPERATION_BYTES];
    if (c->watching.touches >= (l->max_touches ? l->max_touches : USUAL_TOUCHES)) {
        c->watching.touches_untold++;
        return;
    }
    c->watching.touches++;
    if (!l->touch)
        return;
    decoded_place(c->run, at, place);
    operation(at, name);
    struct atoll_touch told = {.watch = touch->watch,
                               .when = touch->when,
                               .lanes = touch->lanes,
                               .operation = name,
                               .surface = lane_is(at->op, LANE_TEXELS),
                               .bytes = c->watching.watches[touch->watch].bytes,
                               .order = touch->order};
    memcpy(told.before, touch->before, sizeof told.before);
    memcpy(told.after, touch->after, sizeof told.after);
    finding_side(c->run, &touch->side, at, place, &told.side);
    l->touch(l->user, &told);
}

void watch_ran(void *checking, const struct tap_slice *slice)
{
    struct checking *c = checking;
    const struct atoll_launch_options *l = c->run->launch;
    if (!l->slice)
        return;
    if (c->watching.slices >= (l->max_slices ? l->max_slices : USUAL_SLICES)) {
        c->watching.slices_untold++;
        return;
    }
    struct block block = {.nwarps = 0};
    block_place(&block, c->run, slice->block);
    const struct atoll_slice told = {.turn = slice->turn,
                                     .slot = slice->slot,
                                     .block = {block.id[0], block.id[1], block.id[2]},
                                     .warp = slice->warp,
                                     .begin = slice->begin,
                                     .end = slice->end,
                                     .lanes = slice->lanes};
    c->watching.slices++;
    l->slice(l->user, &told);
}

void watch_counted(void *checking, uint32_t site, const struct tap_count *count)
{
    struct checking *c = checking;
    const struct atoll_launch_options *l = c->run->launch;
    const struct decoded *at = c->sites[site];
    char place[PLACE_BYTES];
    if (!l->line || !at)
        return;
    decoded_place(c->run, at, place);
    struct atoll_line_count told = {.place = place,
                                    .file = decoded_file(c->run, at),
                                    .line = decoded_line(at),
                                    .executions = count->executions,
                                    .lanes = count->lanes,
                                    .accesses = count->accesses,
                                    .bytes = count->bytes,
                                    .divergent = count->divergent};
    decoded_sources(at, told.places, &told.nplaces);
    l->line(l->user, &told);
}

/* From units of memory to texels. */
static void heat_tell(const struct surface *s, const struct tap_heat *heat, uint64_t *counts)
{
    uint64_t i = 0;
    for (uint32_t z = 0; z < s->slices; z++)
        for (uint32_t y = 0; y < s->height; y++)
            for (uint32_t x = 0; x < s->width; x++)
                counts[i++] += heat->counts[s->layout->offset(s, (uint64_t)x * heat->unit, y, z) / heat->unit];
}

void watching_tell(struct checking *c, struct atoll_stats *stats)
{
    const struct atoll_launch_options *l = c->run->launch;
    for (uint32_t i = 0; i < l->nheats; i++)
        heat_tell(surface_of(c->run, l->heats[i].handle), &c->watching.heats[i], l->heats[i].counts);
    stats->touches = c->watching.touches;
    stats->touches_untold = c->watching.touches_untold;
    stats->slices = c->watching.slices;
    stats->slices_untold = c->watching.slices_untold;
}

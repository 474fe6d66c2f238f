/* Checked launches: memory that is of one thread, or new: local memory, calls, the kernels' heap; what of a device's
 * memory nobody has written, before a launch and after it. */
#include "engine/check.h"
#include "engine/meaning/shfl.h"
#include "mem/written.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- local memory ------------------------------------------------------------------------------------------------ */

/* Where a lane's access to local memory, or to bytes of the warp, lies; NULL: it goes elsewhere, or will trap. */
static const unsigned char *in_local(const struct warp *w, const struct decoded *at, unsigned lane, uint64_t bytes)
{
    uint64_t address = decoded_operand(w, at, at->ndst, lane) + (uint64_t)at->access->offset;
    address = at->bits[at->ndst] == 64 ? address : (uint32_t)address;
    bool registers = at->access->space == LANE_REGFILE;
    uint64_t size = registers ? w->block->regfile_bytes : w->block->local_bytes;
    if (at->access->space == LANE_GENERIC)
        address -= SPACE_LOCAL;
    if (address % bytes || address >= size || bytes > size - address)
        return NULL;
    return (registers ? w->regfile : w->locals + (size_t)lane * w->block->local_stride) + address;
}

bool check_local(struct checking *c, struct warp *w, const struct decoded *at, uint32_t lanes)
{
    struct tap_access event;
    if (!c->tap.local || at->access->space == LANE_SHARED || at->access->space == LANE_GLOBAL)
        return true;
    check_describe(c, w, at, &event);
    event.registers = at->access->space == LANE_REGFILE;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        event.at[lane] = in_local(w, at, lane, event.bytes);
        event.address[lane] = decoded_operand(w, at, at->ndst, lane) + (uint64_t)at->access->offset;
        event.lanes |= event.at[lane] ? UINT32_C(1) << lane : 0;
    }
    return !event.lanes || tap_local(&c->tap, &event);
}

void checked_read(struct warp *w, const struct decoded *at, unsigned lane, uint64_t address, const unsigned char *from,
                  uint32_t bytes)
{
    struct checking *c = w->worker->run->checking;
    if (!c->tap.local || address - SPACE_LOCAL >= w->block->local_bytes)
        return;
    struct tap_access event = {.slot = (uint32_t)(w->block - w->worker->blocks),
                               .warp = w->number,
                               .lanes = UINT32_C(1) << lane,
                               .site = at->site,
                               .kind = TAP_LOAD,
                               .returns = true,
                               .bytes = bytes,
                               .element = bytes,
                               .func = at->func->lane,
                               .inst = at->inst,
                               .engine = c};
    event.at[lane] = from;
    event.address[lane] = address;
    if (!tap_local(&c->tap, &event))
        check_no_memory(w->worker->run);
}

bool check_where_local(const struct tap_step *step, unsigned lane, uint32_t *at)
{
    const struct checking *c = step->engine;
    const struct decoded *decoded = c->sites[step->site];
    const struct warp *w = c->warp;
    if (!decoded->access || lane_is(decoded->op, LANE_TEXELS) ||
        (decoded->access->space != LANE_LOCAL && decoded->access->space != LANE_GENERIC))
        return false;
    const unsigned char *host = in_local(w, decoded, lane, (uint64_t)decoded->bytes * decoded->access->vec);
    if (host)
        *at = (uint32_t)(host - (w->locals + (size_t)lane * w->block->local_stride));
    return host != NULL;
}

/* ---- calls and the heap ------------------------------------------------------------------------------------------ */

void checked_call(struct warp *w, uint32_t lanes, uint32_t activation, const struct lane_call *call,
                  const struct func *callee, uint32_t caller_at, uint32_t callee_at, enum checked_call how)
{
    struct checking *c = w->worker->run->checking;
    const struct tap_call event = {.slot = (uint32_t)(w->block - w->worker->blocks),
                                   .warp = w->number,
                                   .lanes = lanes,
                                   .activation = activation,
                                   .returns = how == CHECKED_RETURNS,
                                   .joins = how == CHECKED_JOINS,
                                   .callee = callee->lane,
                                   .call = call,
                                   .locals = w->locals,
                                   .stride = w->block->local_stride,
                                   .caller_at = caller_at,
                                   .callee_at = callee_at};
    if (!tap_call(&c->tap, &event))
        check_no_memory(w->worker->run);
}

unsigned check_shuffled(const struct tap_step *step, unsigned lane)
{
    const struct checking *c = step->engine;
    const struct decoded *at = c->sites[step->site];
    uint32_t by = (uint32_t)decoded_operand(c->warp, at, at->ndst + 1u, lane);
    uint32_t how = (uint32_t)decoded_operand(c->warp, at, at->ndst + 2u, lane);
    bool in;
    int from = shfl_from(at->inst->mode, (int)lane, (int)(by & 31), (int)(how & 31), (int)(how >> 8 & 31), &in);
    return in ? (unsigned)from & (LANES - 1) : lane;
}

/* ---- what nobody has written --------------------------------------------------------------------------------------
 */

static bool range_add(struct checking *c, const unsigned char *at, uint64_t bytes)
{
    if (c->nranges == c->room_ranges) {
        uint32_t more = c->room_ranges ? 2 * c->room_ranges : 16;
        struct tap_range *ranges = realloc(c->ranges, more * sizeof *ranges);
        if (!ranges)
            return false;
        c->ranges = ranges;
        c->room_ranges = more;
    }
    c->ranges[c->nranges++] = (struct tap_range){at, bytes};
    return true;
}

static bool add_gaps(struct checking *c, const struct written *written, const unsigned char *at, uint64_t size)
{
    struct written_range gap;
    for (uint64_t from = 0; written_gap(written, from, size, &gap); from = gap.to)
        if (!range_add(c, at + gap.from, gap.to - gap.from))
            return false;
    return true;
}

/* Surfaces with memory of their own; others lie in allocations. */
const struct surface *check_own_surface(const struct checking *c, uint32_t index)
{
    const struct surface_ref *ref = device_surface(c->run->program->device, index);
    const struct surface *surface = ref ? ref->surface : NULL;
    return surface && surface->written && !space_settled(c->space, surface->written->since) ? surface : NULL;
}

bool check_unwritten(struct checking *c)
{
    struct space_block block;
    struct written_range gap;
    for (uint64_t from = 0; space_unwritten(c->space, from, &block, &gap); from = block.address + gap.to)
        if (!range_add(c, block.host + gap.from, gap.to - gap.from))
            return false;
    uint32_t last = device_last_header(c->run->program->device);
    for (uint64_t i = 0; i <= last; i++) {
        const struct surface *surface = check_own_surface(c, (uint32_t)i);
        if (surface && !add_gaps(c, surface->written, surface->memory, surface->memory_size))
            return false;
    }
    c->launch.unwritten = c->ranges;
    c->launch.nunwritten = c->nranges;
    return true;
}

/* The device learns what the launch has written in such a range. */
static void settle_range(struct checking *c, const struct tap_range *range, struct written *written,
                         const unsigned char *start)
{
    struct tap_range rest = *range;
    struct tap_extent extent;
    for (; rest.bytes && tap_extent(&c->tap, &rest, &extent); rest.at += extent.bytes, rest.bytes -= extent.bytes) {
        uint64_t from = (uint64_t)(rest.at - start);
        if (extent.how == TAP_WRITTEN)
            written_add(written, from, from + extent.bytes);
    }
}

static bool inside(const struct tap_range *range, const unsigned char *start, uint64_t size)
{
    return (uintptr_t)range->at - (uintptr_t)start < size;
}

void check_settle(struct checking *c)
{
    uint32_t last = device_last_header(c->run->program->device);
    for (uint32_t r = 0; r < c->nranges; r++) {
        struct written written = {.count = 0};
        const struct tap_range *range = &c->ranges[r];
        settle_range(c, range, &written, range->at);
        for (uint32_t i = 0; i < written.count; i++)
            space_written_at(c->space, range->at + written.ranges[i].from,
                             written.ranges[i].to - written.ranges[i].from);
        if (written.all)
            space_written_at(c->space, range->at, range->bytes);
        free(written.ranges);
    }
    for (uint64_t i = 0; i <= last; i++) {
        const struct surface *surface = check_own_surface(c, (uint32_t)i);
        for (uint32_t r = 0; surface && r < c->nranges; r++)
            if (inside(&c->ranges[r], surface->memory, surface->memory_size))
                settle_range(c, &c->ranges[r], surface->written, surface->memory);
    }
}

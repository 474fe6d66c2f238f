/* Checked launches: buffers and surfaces that a kernel has left in part unwritten, or written with undefined values. */
#include "engine/check.h"
#include "mem/written.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Elements of an object: how many there are, and of which sort. */
struct left {
    uint64_t elements, count[TAP_WRITTEN_UNDEFINED + 1], first[TAP_WRITTEN_UNDEFINED + 1];
    uint64_t next; /* the first element that is not counted yet */
    /* Of the first ones, where a part of them alone is so, such as the padding of a struct. */
    bool part[TAP_WRITTEN_UNDEFINED + 1];
    uint64_t byte[TAP_WRITTEN_UNDEFINED + 1];
};

/* False: it is counted already. */
static bool count(struct left *left, uint64_t element, unsigned how)
{
    if (element < left->next)
        return false;
    left->next = element + 1;
    left->first[how] = left->count[how]++ ? left->first[how] : element;
    return true;
}

/* Does a parameter of the kernel say this address, or this handle? */
static bool parameter_says(const struct run *run, uint64_t from, uint64_t bytes)
{
    const unsigned char *parameters = run->launch->parameters;
    for (size_t at = 0; at + 8 <= run->launch->parameter_bytes; at += 8) {
        uint64_t word;
        memcpy(&word, parameters + at, sizeof word);
        if (word - from < bytes)
            return true;
    }
    return false;
}

static void tell(struct checking *c, const struct left *left, unsigned how, const char *name, const char *unit)
{
    char message[600], memory[200], part[60] = "";
    bool named = name && name[0];
    if (left->part[how])
        snprintf(part, sizeof part, "byte %" PRIu64 " of element ", left->byte[how]);
    snprintf(memory, sizeof memory, "%s%.100s%s", named ? "'" : "", named ? name : "memory", named ? "'" : "");
    snprintf(message, sizeof message, "outputs (%s): %" PRIu64 " of %" PRIu64 " %s of %s %s, the first is %s%" PRIu64,
             how == TAP_UNWRITTEN ? "unwritten" : "undefined", left->count[how], left->elements, unit, memory,
             how == TAP_UNWRITTEN ? "have not been written" : "have been written with undefined values", part,
             left->first[how]);
    finding_whole(c, "outputs", how == TAP_UNWRITTEN ? "unwritten" : "undefined", memory, message);
}

/* What the kernel has not touched and nobody has handed to it is not its output. */
static void tell_left(struct checking *c, const struct left *left, bool given, const char *name, const char *unit)
{
    if (left->count[TAP_UNWRITTEN] && (left->count[TAP_UNWRITTEN] < left->elements || given))
        tell(c, left, TAP_UNWRITTEN, name, unit);
    if (left->count[TAP_WRITTEN_UNDEFINED])
        tell(c, left, TAP_WRITTEN_UNDEFINED, name, unit);
}

/* ---- buffers ---------------------------------------------------------------------------------------------------- */

/* Bytes [from, end) of an allocation, all of which are so. */
static void count_bytes(uint64_t from, uint64_t end, unsigned how, uint64_t element, struct left *left)
{
    for (uint64_t i = from / element; how != TAP_WRITTEN && i * element < end && i < left->elements; i++)
        if (count(left, i, how) && left->count[how] == 1) {
            left->byte[how] = from > i * element ? from - i * element : 0;
            left->part[how] = left->byte[how] || end < (i + 1) * element;
        }
}

/* Bytes of an allocation that nobody had written before. */
static void count_gap(const struct checking *c, const struct space_block *block, const struct written_range *gap,
                      uint64_t element, struct left *left)
{
    struct tap_range rest = {block->host + gap->from, gap->to - gap->from};
    struct tap_extent extent;
    uint64_t from = gap->from, at = gap->from;
    unsigned how = TAP_WRITTEN;
    for (; rest.bytes && tap_extent(&c->tap, &rest, &extent); rest.at += extent.bytes, rest.bytes -= extent.bytes) {
        if (extent.how != how) {
            count_bytes(from, at, how, element, left);
            from = at;
            how = extent.how;
        }
        at += extent.bytes;
    }
    count_bytes(from, at, how, element, left);
}

static void look_at_buffers(struct checking *c)
{
    struct space_block block;
    struct written_range gap;
    for (uint64_t from = 0; space_unwritten(c->space, from, &block, &gap);) {
        const struct space_block one = block;
        uint64_t element = one.name && one.name->bytes ? one.name->bytes : 1;
        struct left left = {.elements = one.size / element};
        do {
            count_gap(c, &one, &gap, element, &left);
            from = one.address + gap.to;
        } while (from < one.address + one.size && space_unwritten(c->space, from, &block, &gap) &&
                 block.address == one.address);
        from = one.address + one.size;
        tell_left(c, &left, parameter_says(c->run, one.address, one.size), one.name ? one.name->name : NULL,
                  element > 1 ? "elements" : "bytes");
    }
}

/* ---- surfaces -----------------------------------------------------------------------------------------------------
 */

static unsigned texel_how(const struct checking *c, const struct surface *s, uint64_t offset, uint32_t bytes)
{
    struct tap_range rest = {s->texels + offset, bytes};
    struct tap_extent extent;
    unsigned how = TAP_WRITTEN;
    for (; rest.bytes && tap_extent(&c->tap, &rest, &extent); rest.at += extent.bytes, rest.bytes -= extent.bytes)
        how = how == TAP_UNWRITTEN || extent.how == TAP_WRITTEN ? how : extent.how;
    return how;
}

/* Most rows are written as a whole. False: that is not known. */
static bool row_written(const struct checking *c, const struct surface *s, uint32_t y, uint32_t z)
{
    struct tap_range rest = {s->texels, s->row_bytes};
    struct tap_extent extent;
    if (!s->direct || !s->layout->linear)
        return false;
    rest.at += s->layout->offset(s, 0, y, z);
    for (; rest.bytes; rest.at += extent.bytes, rest.bytes -= extent.bytes)
        if (!tap_extent(&c->tap, &rest, &extent) || extent.how != TAP_WRITTEN)
            return false;
    return true;
}

static void look_at_surface(struct checking *c, const struct surface *s)
{
    uint32_t bytes = s->format->bytes;
    struct left left = {.elements = (uint64_t)s->width * s->height * s->slices};
    for (uint32_t z = 0; z < s->slices; z++)
        for (uint32_t y = 0; y < s->height; y++) {
            uint64_t number = ((uint64_t)z * s->height + y) * s->width;
            for (uint32_t x = row_written(c, s, y, z) ? s->width : 0; x < s->width; x++, number++) {
                uint64_t offset = s->layout->offset(s, (uint64_t)x * bytes, y, z);
                unsigned how = surface_missing(s, offset) ? TAP_WRITTEN : texel_how(c, s, offset, bytes);
                if (how != TAP_WRITTEN)
                    count(&left, number, how);
            }
        }
    tell_left(c, &left, parameter_says(c->run, s->handle, 1), s->name, "texels");
}

void check_outputs(struct checking *c)
{
    look_at_buffers(c);
    uint32_t last = device_last_header(c->run->program->device);
    for (uint64_t i = 0; i <= last; i++) {
        const struct surface *surface = check_own_surface(c, (uint32_t)i);
        if (surface && !surface->disabled)
            look_at_surface(c, surface);
    }
}

/* Who writes where in a launch: elements that the threads of one block alone write.
 *
 * Two threads go to the same element only if their coordinates are the same, one by one: sums of indices (linear.h).
 * What the threads differ by in an index times its factor adds up to 0 then, or to no more than sizes and constants
 * make up. An index whose factor is greater than all that those of lesser factors, and these, can come to has to be the
 * same in both. Where that is so of all indices of blocks, they are threads of one block:
 *
 *   x = 16 * ctaid.x + tid.x, tid.x < 16      16 > 15: ctaid.x is the same
 *   y = 16 * ctaid.y + tid.y, tid.y < 16      ctaid.y, too; there is one ctaid.z
 */
#include "engine/jit/owners.h"
#include "engine/jit/access.h"
#include "engine/jit/linear.h"
#include "mem/device.h"

#include <assert.h>
#include <string.h>

enum { MOST_WRITES = 32, COORDINATES = 3 };

/* An instruction that writes memory that other blocks can reach. */
struct write {
    const struct decoded *at;
    bool known;                    /* where: what is needed of the surface, or of the address */
    const struct surface *surface; /* NULL: global memory */
    unsigned count;
    struct linear c[COORDINATES]; /* coordinates; the address */
    unsigned bits;                /* of these */
    uint32_t bytes;               /* that an access takes */
};

struct writes {
    struct linears l;
    struct write at[MOST_WRITES];
    unsigned count;
    bool lost; /* there are others, which can go anywhere */
};

/* ---- what is written ----------------------------------------------------------------------------------------------
 */

enum where { NOWHERE, TEXELS, WORDS, ANYWHERE };

static enum where writes_where(const struct decoded *at)
{
    if (at->op >= LANE_OPS || at->op == LANE_OP_bar || at->op == LANE_OP_barred)
        return NOWHERE;
    if (at->op == LANE_OP_call)
        return ANYWHERE;
    if (!lane_is(at->op, LANE_WRITES))
        return NOWHERE;
    if (lane_is(at->op, LANE_TEXELS))
        return TEXELS;
    if (!at->access)
        return ANYWHERE;
    if (access_is_own(at->access->space))
        return NOWHERE;
    return lane_is(at->op, LANE_OBJECT) ? ANYWHERE : WORDS;
}

/* The offset is added in the width of the register. */
static void find_address(const struct linears *l, struct write *w)
{
    const struct decoded *at = w->at;
    unsigned bits = at->bits[at->ndst];
    struct linear address = linear_operand(l, at, at->ndst), offset = linear_constant((uint64_t)at->access->offset);
    address = linear_sum(&address, &offset, bits);
    w->c[0] = linear_extend(l, &address, bits, false);
    w->count = 1;
    w->bits = 64;
    w->bytes = at->bytes * at->access->vec;
    w->known = w->c[0].is == LINEAR_KNOWN;
}

static const struct surface *surface_of(const struct linears *l, const struct decoded *at)
{
    struct linear handle = linear_operand(l, at, at->ndst);
    if (!linear_is_constant(&handle))
        return NULL;
    const struct surface_ref *ref = device_surface(l->run->program->device, handle.base);
    return ref ? ref->surface : NULL;
}

/* Where x counts texels, and the access is of one: they are the surface's own. */
static uint32_t texel_bytes(const struct write *w)
{
    const struct lane_access *access = w->at->access;
    return w->at->op == LANE_OP_sust && access->formatted ? w->surface->format->bytes : w->at->bytes * access->vec;
}

/* How many there are of coordinate k. */
static uint64_t extent(const struct write *w, const struct lane_geometry *geometry, unsigned k)
{
    if (k)
        return geometry->axes[k - 1] == LANE_AXIS_ROW ? w->surface->height : w->surface->slices;
    uint64_t count = w->bytes ? w->surface->row_bytes / w->bytes : 0;
    return w->at->access->unit == LANE_UNIT_BYTE ? count * w->bytes : count;
}

/* Where the nearest texel is taken, others than those that go there may: a coordinate that can lie out of range says
 * nothing. */
static bool says(const struct linears *l, const struct write *w, const struct lane_geometry *geometry, unsigned k)
{
    linear_wide least, most;
    if (w->at->access->clamp != LANE_CLAMP_NEAR || w->c[k].is != LINEAR_KNOWN)
        return true;
    linear_range(l, &w->c[k], w->c[k].base, &least, &most);
    return least >= 0 && most < extent(w, geometry, k);
}

static void find_texels(const struct linears *l, struct write *w)
{
    const struct decoded *at = w->at;
    const struct lane_access *access = at->access;
    w->surface = surface_of(l, at);
    w->known = w->surface && !access->level && !access->residency;
    if (!w->known)
        return;
    uint8_t dim = surface_dim(w->surface, access);
    const struct lane_geometry *geometry = &lane_geometries[dim];
    w->bits = 32;
    w->count = geometry->coordinates;
    w->bytes = texel_bytes(w);
    w->known = dim < LANE_DIM_ANY && w->count <= lane_geometries[access->dim].coordinates;
    for (unsigned k = 0; k < w->count && w->known; k++) {
        w->c[k] = linear_operand(l, at, at->ndst + 1u + k);
        if (!says(l, w, geometry, k))
            w->c[k].is = LINEAR_VARIES;
    }
}

static void note(struct linears *l, const struct decoded *at, void *with)
{
    struct writes *writes = with;
    enum where where = writes_where(at);
    if (where == NOWHERE)
        return;
    if (where == ANYWHERE || writes->count == MOST_WRITES) {
        writes->lost = true;
        return;
    }
    struct write *w = &writes->at[writes->count++];
    *w = (struct write){.at = at};
    if (where == TEXELS)
        find_texels(l, w);
    else
        find_address(l, w);
}

/* ---- two of them ---------------------------------------------------------------------------------------------------
 */

/* What two threads can differ by, in a coordinate of two instructions, where they go to the same element: its indices
 * times `by`, which adds up to at most `most` either way. */
struct difference {
    bool known;
    unsigned bits;
    const int64_t *by;
    linear_wide most;
};

static linear_wide reach(const struct linears *l, const struct difference *d, unsigned i)
{
    linear_wide by = d->by[i] < 0 ? -(linear_wide)d->by[i] : d->by[i];
    return by * (l->count[i] - 1);
}

/* Of those in `open` the one with the greatest factor; LINEAR_INDICES: there is none. */
static unsigned greatest(const struct difference *d, unsigned open)
{
    unsigned found = LINEAR_INDICES;
    uint64_t factor = 0;
    for (unsigned i = 0; i < LINEAR_INDICES; i++) {
        uint64_t by = d->by[i] < 0 ? -(uint64_t)d->by[i] : (uint64_t)d->by[i];
        if (!(open >> i & 1) || by <= factor)
            continue;
        found = i;
        factor = by;
    }
    return found;
}

/* The indices, of those in `open`, that have to be the same for the difference to be what it can be. */
static unsigned settled(const struct linears *l, const struct difference *d, unsigned open)
{
    unsigned same = 0;
    linear_wide rest = d->most;
    if (!d->known)
        return 0;
    for (unsigned i = 0; i < LINEAR_INDICES; i++)
        rest += open >> i & 1 ? reach(l, d, i) : 0;
    if (rest >= (linear_wide)1 << d->bits) /* it may wrap around to that */
        return 0;
    for (unsigned i = greatest(d, open); i < LINEAR_INDICES; i = greatest(d, open & ~same)) {
        linear_wide by = d->by[i] < 0 ? -(linear_wide)d->by[i] : d->by[i];
        rest -= reach(l, d, i);
        if (by <= rest)
            break;
        same |= 1u << i;
    }
    return same;
}

/* Are they threads of one block that go to the same element? */
static bool of_one_block(const struct linears *l, const struct difference *d, unsigned count)
{
    unsigned open = 0, blocks = (1u << LINEAR_BLOCK) - 1;
    for (unsigned i = 0; i < LINEAR_INDICES; i++)
        open |= (unsigned)(l->count[i] > 1) << i;
    for (unsigned before = ~open; before != open;) {
        before = open;
        for (unsigned k = 0; k < count; k++)
            open &= ~settled(l, &d[k], open);
    }
    return !(open & blocks);
}

static struct difference differ(const struct write *v, const struct write *w, unsigned k)
{
    const struct linear *a = &v->c[k], *b = &w->c[k];
    struct difference d = {.bits = a->low ? 32 : v->bits, .by = a->by};
    d.known = a->is == LINEAR_KNOWN && b->is == LINEAR_KNOWN && a->low == b->low && !memcmp(a->by, b->by, sizeof a->by);
    if (!d.known)
        return d;
    int64_t between = linear_signed(a->base - b->base, d.bits);
    d.most = between < 0 ? -(linear_wide)between : between;
    if (k == 0 && (!v->surface || v->at->access->unit == LANE_UNIT_BYTE))
        d.most += (v->bytes > w->bytes ? v->bytes : w->bytes) - 1;
    return d;
}

/* Do only threads of one block come to the same element by these two? */
static bool share_blocks(const struct linears *l, const struct write *v, const struct write *w)
{
    struct difference d[COORDINATES];
    assert(v->count == w->count);
    for (unsigned k = 0; k < v->count; k++)
        d[k] = differ(v, w, k);
    return of_one_block(l, d, v->count);
}

/* The addresses that threads come to: from *first up to *end, all below 2^64. False: that is not known. */
static bool find_range(const struct linears *l, const struct write *w, linear_wide *first, linear_wide *end)
{
    if (!w->known || w->c[0].low)
        return false;
    linear_range(l, &w->c[0], w->c[0].base, first, end);
    *end += w->bytes;
    return *first >= 0 && *end <= UINT64_MAX;
}

static bool words_apart(const struct linears *l, const struct write *v, const struct write *w)
{
    linear_wide first[2], end[2];
    return find_range(l, v, &first[0], &end[0]) && find_range(l, w, &first[1], &end[1]) &&
           (end[0] <= first[1] || end[1] <= first[0]);
}

static bool memories_apart(const struct surface *a, const struct surface *b)
{
    uintptr_t first = (uintptr_t)a->memory, other = (uintptr_t)b->memory;
    return first + a->memory_size <= other || other + b->memory_size <= first;
}

/* Does no element that one of them writes belong to another block by the other? */
static bool apart(const struct linears *l, const struct write *v, const struct write *w)
{
    bool in_surface = v->surface || w->surface;
    if (v->surface && w->surface) {
        if (v->surface != w->surface)
            return memories_apart(v->surface, w->surface);
        bool alike = v->count == w->count && v->at->access->unit == w->at->access->unit &&
                     (v->at->access->unit == LANE_UNIT_BYTE || v->bytes == w->bytes);
        return v->known && w->known && alike && share_blocks(l, v, w);
    }
    if (in_surface) /* one that lies in global memory lies anywhere there */
        return !(v->surface ? v : w)->surface->shared;
    return v->known && w->known && (words_apart(l, v, w) || share_blocks(l, v, w));
}

/* ---- which are owned ----------------------------------------------------------------------------------------------
 */

static bool is_atomic(const struct decoded *at)
{
    return at->op < LANE_OPS && lane_is(at->op, LANE_UPDATES) && at->access;
}

static bool is_owned(const struct writes *writes, const struct write *w)
{
    bool owned = w->known && is_atomic(w->at) && w->at->access->order <= LANE_RELAXED;
    for (unsigned i = 0; i < writes->count && owned; i++) {
        const struct write *other = &writes->at[i];
        bool texels = lane_is(other->at->op, LANE_TEXELS);
        owned = (!texels || other->surface) && apart(&writes->l, w, other);
    }
    return owned;
}

static void set_all(const struct flow *flow, struct site *sites)
{
    for (const struct decoded *at = flow->func->decoded; at < flow->func->decoded + flow->func->ndecoded; at++)
        if (is_atomic(at))
            sites[at->site].owned = true;
}

static bool has_atomics(const struct flow *flow)
{
    bool has = false;
    for (const struct decoded *at = flow->func->decoded; at < flow->func->decoded + flow->func->ndecoded; at++)
        has |= is_atomic(at) && !access_is_own(at->access->space);
    return has;
}

static bool find_writes(struct arena *arena, struct writes *writes, const struct run *run, const struct flow *flow)
{
    writes->l = (struct linears){.run = run, .flow = flow};
    return linear_find(arena, &writes->l, note, writes) && !writes->lost;
}

void owners_find(const struct run *run, const struct flow *flow, struct site *sites)
{
    struct arena arena = {0};
    struct writes *writes = NULL;
    if (!has_atomics(flow))
        return;
    if (run->workers == 1)
        set_all(flow, sites);
    else if (!space_aliased(device_space(run->program->device)) && (writes = arena_array(&arena, 1, sizeof *writes)) &&
             find_writes(&arena, writes, run, flow))
        for (const struct write *w = writes->at; w < writes->at + writes->count; w++)
            sites[w->at->site].owned = is_owned(writes, w);
    arena_free(&arena);
}

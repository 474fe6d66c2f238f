/* Where the bytes of vISA's variables live: decided from all that touches them. */
#include "isa/visa/lower.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LARGEST = 64 * 1024 /* address variables have 16 bits */, MOST_ALIASES = 64 };

/* Predefined variables that are parts of r0 (docs/visa.md, "Running"): %thread_x ... */
static const struct {
    uint8_t id, root, at;
} parts_of_r0[] = {{VISA_THREAD_X, VISA_R0, 4},
                   {VISA_THREAD_Y, VISA_R0, 6},
                   {VISA_GROUP_ID_X, VISA_R0, 4},
                   {VISA_GROUP_ID_Y, VISA_R0, 24},
                   {VISA_GROUP_ID_Z, VISA_R0, 28}};

uint32_t visa_home_root(const struct visa_object *object, uint32_t id, int32_t *at)
{
    uint32_t offset;
    id = visa_alias_root(object, id, MOST_ALIASES, &offset);
    *at = (int32_t)offset;
    for (size_t i = 0; i < sizeof parts_of_r0 / sizeof *parts_of_r0; i++)
        if (parts_of_r0[i].id == id) {
            *at += parts_of_r0[i].at;
            return parts_of_r0[i].root;
        }
    return id;
}

bool visa_home_check(const struct visa_object *object, struct atoll_error *error)
{
    for (uint32_t i = 0; i < object->nvars[VISA_G]; i++) {
        int32_t at;
        const struct visa_var *var = visa_declared(object, VISA_G, visa_home_root(object, VISA_FIRST_G + i, &at));
        if (var && var->alias)
            return error_set(
                error, ATOLL_UNSUPPORTED,
                "not supported: kernel '%.200s': '%.200s' is an alias of an alias, more than %d times or in "
                "circles",
                object->name, visa_name(object, VISA_G, VISA_FIRST_G + i), MOST_ALIASES);
    }
    return true;
}

uint32_t visa_root_of_address(const struct visa_lower *l, uint32_t id)
{
    return VISA_FIRST_G + l->object->nvars[VISA_G] + id;
}

static bool touch_same(const struct visa_touch *a, const struct visa_touch *b)
{
    return a->at == b->at && a->span == b->span && a->low == b->low && a->stride == b->stride && a->shape == b->shape &&
           a->bytes == b->bytes && a->first == b->first && a->count == b->count;
}

bool visa_home_touch(struct visa_lower *l, const struct visa_touch *touch)
{
    struct visa_root *root = &l->roots[touch->root];
    visa_lanes_seen(l, touch->first + (unsigned)touch->count);
    for (uint32_t i = root->ntouches; i-- > 0 && root->ntouches - i < 8;)
        if (touch_same(&root->touches[i], touch))
            return true;
    struct visa_touch *touches = arena_append(l->arena, root->touches, root->ntouches, sizeof *touches);
    if (!touches) {
        l->failed = true;
        return false;
    }
    root->touches = touches;
    touches[root->ntouches++] = *touch;
    return true;
}

/* ---- deciding ----------------------------------------------------------------------------------------------- */

static int by_low(const void *a, const void *b)
{
    const struct visa_touch *x = a, *y = b;
    return x->low != y->low ? (x->low < y->low ? -1 : 1) : 0;
}

static unsigned round_up(int32_t bytes)
{
    unsigned up = 1;
    while ((int32_t)up < bytes)
        up *= 2;
    return up;
}

/* One element for all channels: all of it fits in a register. */
static bool decide_scalar(struct visa_part *part, const struct visa_touch *touches, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (touches[i].shape != VISA_SCALAR)
            return false;
    if (part->high - part->low > 8)
        return false;
    part->place = VISA_IN_SCALAR;
    part->bytes = (uint8_t)round_up(part->high - part->low);
    return true;
}

/* Channel c's bytes begin at base + c * stride, for all. */
static bool decide_lanes(struct visa_part *part, const struct visa_touch *touches, uint32_t count)
{
    int32_t stride = touches[0].stride, base = INT32_MAX, last = 0;
    part->first = UINT8_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const struct visa_touch *t = &touches[i];
        if (t->shape != VISA_CHANNELWISE || t->stride != stride)
            return false;
        int32_t own = t->at - t->first * stride;
        base = own < base ? own : base;
        part->first = t->first < part->first ? t->first : part->first;
        part->end = t->first + t->count > part->end ? (uint8_t)(t->first + t->count) : part->end;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct visa_touch *t = &touches[i];
        int32_t past = t->at - t->first * stride - base + t->bytes;
        last = past > last ? past : last;
    }
    if (last > stride || last > 8)
        return false;
    part->place = VISA_IN_LANES;
    part->base = base;
    part->stride = stride;
    part->bytes = (uint8_t)round_up(last);
    part->lanes = visa_mask(part->first, part->end - part->first);
    return true;
}

static bool part_add(struct visa_lower *l, struct visa_root *root, const struct visa_touch *touches, uint32_t count)
{
    struct visa_part part = {.low = touches[0].low, .high = touches[0].low};
    for (uint32_t i = 0; i < count; i++)
        if (touches[i].low + (int32_t)touches[i].span > part.high)
            part.high = touches[i].low + (int32_t)touches[i].span;
    /* What a kernel finds in r0 and sr0 is there for all lanes, or in the file (start.c). */
    bool found = root == &l->roots[VISA_R0] || root == &l->roots[VISA_SR0];
    if (root->addressed || (!decide_scalar(&part, touches, count) && (found || !decide_lanes(&part, touches, count))))
        part.place = VISA_IN_FILE;
    root->filed |= part.place == VISA_IN_FILE;
    struct visa_part *parts = arena_append(l->arena, root->parts, root->nparts, sizeof *parts);
    if (!parts)
        return false;
    root->parts = parts;
    parts[root->nparts++] = part;
    return true;
}

/* Touches whose bytes overlap belong together. */
static bool root_decide(struct visa_lower *l, struct visa_root *root)
{
    root->nparts = 0;
    root->parts = NULL;
    root->filed = root->addressed;
    if (root->ntouches)
        qsort(root->touches, root->ntouches, sizeof *root->touches, by_low);
    for (uint32_t i = 0, next; i < root->ntouches; i = next) {
        int32_t high = root->touches[i].low;
        for (next = i; next < root->ntouches && (next == i || root->touches[next].low < high); next++) {
            int32_t end = root->touches[next].low + (int32_t)root->touches[next].span;
            high = end > high ? end : high;
        }
        if (!part_add(l, root, root->touches + i, next - i))
            return false;
    }
    return true;
}

bool visa_home_decide(struct visa_lower *l)
{
    l->file_bytes = 0;
    for (uint32_t r = 0; r < l->nroots; r++) {
        struct visa_root *root = &l->roots[r];
        if (!root_decide(l, root))
            return error_memory(l->error);
        if (!root->filed)
            continue;
        root->file_at = (l->file_bytes + l->grf - 1) / l->grf * l->grf;
        l->file_bytes = root->file_at + root->bytes;
        if (l->file_bytes > FILE_LARGEST)
            return error_set(l->error, ATOLL_UNSUPPORTED,
                             "not supported: kernel '%.200s' has variables of more than %d bytes that are seen in "
                             "several ways",
                             l->object->name, FILE_LARGEST);
    }
    return true;
}

struct visa_part *visa_home_find(const struct visa_lower *l, const struct visa_touch *touch)
{
    const struct visa_root *root = &l->roots[touch->root];
    uint32_t low = 0, high = root->nparts;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (root->parts[middle].high <= touch->low)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low < root->nparts && root->parts[low].low <= touch->low);
    return &root->parts[low];
}

/* ---- the start ---------------------------------------------------------------------------------------------- */

static struct visa_part *leader_of(struct visa_part *part)
{
    while (part->leader)
        part = part->leader;
    return part;
}

/* Lanes of one are none of the other's: they can have one register. */
bool visa_parts_share(struct visa_lower *l, struct visa_part *a, struct visa_part *b)
{
    a = leader_of(a);
    b = leader_of(b);
    if (a == b)
        return true;
    if (!l->collecting || a->lanes & b->lanes)
        return false;
    b->leader = a;
    a->lanes |= b->lanes;
    l->changed = true; /* instructions before this one now write a register of more lanes than theirs */
    return true;
}

/* Each part that shares a register after the one that it is of. */
static void part_begin(struct visa_lower *l, struct visa_part *part)
{
    struct visa_part *leader = leader_of(part);
    if (leader->begun != l->pass) {
        leader->begun = l->pass;
        leader->reg = lane_reg(l->b, 8u * leader->bytes, NULL);
    }
    part->reg = leader->reg;
    part->lanes = leader->lanes;
}

void visa_home_begin(struct visa_lower *l)
{
    for (uint32_t r = 0; r < l->nroots; r++)
        for (uint32_t p = 0; p < l->roots[r].nparts; p++)
            if (l->roots[r].parts[p].place != VISA_IN_FILE)
                part_begin(l, &l->roots[r].parts[p]);
}

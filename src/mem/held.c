/* Reductions of surfaces that a host thread holds back: see held.h. */
#include "mem/held.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mem/atomic.h"

static void clear(struct held_surface *s)
{
    uint64_t value = atomic_neutral(s->op, s->type), size = s->size;
    if (lane_type_bits(s->type) == 32)
        for (uint32_t *e = s->elements; e < (uint32_t *)s->elements + size / 4; e++)
            *e = (uint32_t)value;
    else
        for (uint64_t *e = s->elements; e < (uint64_t *)s->elements + size / 8; e++)
            *e = value;
}

static void merge(struct held_surface *s)
{
    if (s->lanes == 0)
        return;
    const struct atomic_row *row = atomic_find(s->op, s->type);
    assert(row && s->elements);
    uint64_t nothing = atomic_neutral(s->op, s->type), size = s->size, step = lane_type_bits(s->type) / 8;
    for (uint64_t at = 0; at < size; at += step) {
        unsigned char *element = (unsigned char *)s->elements + at;
        if (memcmp(element, &nothing, step) == 0)
            continue;
        row->shared(s->texels + at, NULL, element, NULL, false, LANE_RELAXED);
        memcpy(element, &nothing, step);
    }
    /* Looking through all elements costs about what an operation on each would. */
    if (s->lanes < size / step)
        s->strikes++;
    s->lanes = 0;
}

static bool same(const struct held_surface *s, const struct surface *surface)
{
    return s->texels == surface->texels && s->size == surface->size;
}

static bool overlaps(const struct held_surface *s, const struct surface *surface)
{
    uintptr_t a = (uintptr_t)s->texels, b = (uintptr_t)surface->texels;
    return a < b + surface->size && b < a + s->size;
}

/* What the new one has to do with the others. */
static void relate(struct held *held, struct held_surface *s, const struct surface *surface)
{
    uintptr_t first = (uintptr_t)s->texels, end = first + s->size;
    s->alone = true;
    for (struct held_surface *other = held->surfaces; other < s; other++)
        if (overlaps(other, surface))
            other->alone = s->alone = false;
    held->low = held->count && held->low < first ? held->low : first;
    held->high = held->high > end ? held->high : end;
}

/* Makes room for a surface that is reduced for the first time. NULL: it is not to be held. */
static struct held_surface *add(struct held *held, const struct surface *surface, uint8_t op, uint8_t type)
{
    if (held->count == HELD_SURFACES || surface->size > HELD_LARGEST)
        return NULL;
    struct held_surface *s = &held->surfaces[held->count];
    *s = (struct held_surface){
        .texels = surface->texels, .size = surface->size, .elements = malloc(surface->size), .op = op, .type = type};
    if (!s->elements) /* not even worth an error: the texels do as well */
        return NULL;
    assert(lane_type_bits(type) == 32 || lane_type_bits(type) == 64);
    clear(s);
    relate(held, s, surface);
    held->count++;
    return s;
}

/* What is held for the surface itself, after what is held for others that share its memory was merged. */
static struct held_surface *find(struct held *held, const struct surface *surface)
{
    struct held_surface *found = NULL;
    for (unsigned i = 0; i < held->count; i++) {
        struct held_surface *s = &held->surfaces[i];
        if (same(s, surface))
            found = s;
        else if (overlaps(s, surface))
            merge(s);
    }
    return found;
}

void *held_elements(struct held *held, const struct surface *surface, uint8_t op, uint8_t type, unsigned lanes)
{
    struct held_surface *s = find(held, surface);
    if (!s && !(s = add(held, surface, op, type)))
        return NULL;
    if (s->op != op || s->type != type) {
        merge(s);
        s->op = op;
        s->type = type;
        if (s->strikes < HELD_STRIKES)
            clear(s);
    }
    if (s->strikes >= HELD_STRIKES)
        return NULL;
    assert(s->op == op && s->type == type && s->size == surface->size);
    s->lanes += lanes;
    held->any = true;
    return s->elements;
}

void held_merge_surface(struct held *held, const struct surface *surface)
{
    struct held_surface *s = find(held, surface);
    if (s)
        merge(s);
}

void held_merge(struct held *held)
{
    if (!held->any)
        return;
    for (unsigned i = 0; i < held->count; i++)
        merge(&held->surfaces[i]);
    held->any = false;
}

void held_free(struct held *held)
{
    for (unsigned i = 0; i < held->count; i++)
        free(held->surfaces[i].elements);
    *held = (struct held){0};
}

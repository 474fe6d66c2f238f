/* Reductions of surfaces that a host thread holds back: see held.h. */
#include "mem/held.h"

#include <stdlib.h>
#include <string.h>

#include "mem/atomic.h"

/* What changes nothing: a op neutral = a. */
static uint64_t neutral(uint8_t op, unsigned shift, bool is_signed)
{
    unsigned bits = 8u << shift;
    uint64_t ones = UINT64_MAX >> (64 - bits), largest = is_signed ? ones >> 1 : ones;
    switch (op) {
    case LANE_ATOMIC_AND:
        return ones;
    case LANE_ATOMIC_MIN:
        return largest;
    case LANE_ATOMIC_MAX:
        return ~largest & ones;
    default: /* ADD, OR, XOR */
        return 0;
    }
}

static void clear(struct held_surface *s)
{
    uint64_t value = neutral(s->op, s->shift, s->is_signed), size = s->size;
    if (s->shift == 2)
        for (uint32_t *e = s->elements; e < (uint32_t *)s->elements + size / 4; e++)
            *e = (uint32_t)value;
    else
        for (uint64_t *e = s->elements; e < (uint64_t *)s->elements + size / 8; e++)
            *e = value;
}

static void merge(struct held_surface *s)
{
    static const uint8_t types[2][2] = {{LANE_U32, LANE_S32}, {LANE_U64, LANE_S64}};
    if (s->lanes == 0)
        return;
    const struct atomic_row *row = atomic_find(s->op, types[s->shift - 2][s->is_signed]);
    uint64_t nothing = neutral(s->op, s->shift, s->is_signed), size = s->size, step = UINT64_C(1) << s->shift;
    for (uint64_t at = 0; at < size; at += step) {
        unsigned char *element = (unsigned char *)s->elements + at;
        if (memcmp(element, &nothing, step) == 0)
            continue;
        row->shared(s->texels + at, NULL, element, NULL, false, LANE_RELAXED);
        memcpy(element, &nothing, step);
    }
    /* Looking through all elements costs about what an operation on each would. */
    if (s->lanes < size >> s->shift)
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

/* Makes room for a surface that is reduced for the first time. NULL: it is not to be held. */
static struct held_surface *add(struct held *held, const struct surface *surface, uint8_t op, unsigned shift,
                                bool is_signed)
{
    if (held->count == HELD_SURFACES || surface->size > HELD_LARGEST)
        return NULL;
    struct held_surface *s = &held->surfaces[held->count];
    *s = (struct held_surface){.texels = surface->texels,
                               .size = surface->size,
                               .elements = malloc(surface->size),
                               .op = op,
                               .shift = (uint8_t)shift,
                               .is_signed = is_signed};
    if (!s->elements) /* not even worth an error: the texels do as well */
        return NULL;
    clear(s);
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

void *held_elements(struct held *held, const struct surface *surface, uint8_t op, unsigned shift, bool is_signed,
                    unsigned lanes)
{
    struct held_surface *s = find(held, surface);
    if (!s && !(s = add(held, surface, op, shift, is_signed)))
        return NULL;
    if (s->op != op || s->shift != shift || s->is_signed != is_signed) {
        merge(s);
        s->op = op;
        s->shift = (uint8_t)shift;
        s->is_signed = is_signed;
        if (s->strikes < HELD_STRIKES)
            clear(s);
    }
    if (s->strikes >= HELD_STRIKES)
        return NULL;
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

/* Names and scopes.
 *
 * Each distinct name that is ever declared has one entry in a hash table; the entry holds a stack of its meanings,
 * innermost first. Opening a scope costs nothing, closing it pops what it declared, so every look-up is one probe.
 *
 * .reg .b32 %r<100>; is kept as one meaning of the prefix "%r", and %r42 is looked up as prefix and number. A single
 * register named %r5 (or a range %r1<4>) marks the prefixes of its digits as `numbered`, and only then are both ways of
 * reading a name tried.
 */
#include "isa/ptx/names.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_DIGITS = 10, HINT_LENGTH = 64 };

void names_free(struct names *names)
{
    namemap_free(&names->map);
}

static struct name *lookup(const struct names *names, const char *text, uint32_t length)
{
    const char *key = namemap_key(&names->map, text, length);
    return key ? (struct name *)(key - offsetof(struct name, text)) : NULL;
}

static struct name *intern(struct names *names, const char *text, uint32_t length)
{
    struct name *name = lookup(names, text, length);
    if (name)
        return name;
    name = arena_alloc(names->arena, sizeof *name + length + 1);
    if (!name || !namemap_add(&names->map, memcpy(name->text, text, length), length, 0)) {
        names->failed = true;
        return NULL;
    }
    name->length = length;
    name->before = names->last;
    names->last = name;
    return name;
}

bool names_open(struct names *names)
{
    if (names->depth + 1 >= SCOPES)
        return false;
    names->scopes[++names->depth] = NULL;
    return true;
}

static struct binding *new_binding(struct names *names)
{
    struct binding *spare = names->spare;
    if (!spare)
        return arena_alloc(names->arena, sizeof *spare);
    names->spare = spare->next;
    return spare;
}

void names_close(struct names *names)
{
    struct binding *last = NULL;
    for (struct binding *b = names->scopes[names->depth]; b; last = b, b = b->next) {
        if (b->is_range)
            b->name->range = b->outer;
        else
            b->name->single = b->outer;
        if (b->prefix)
            b->prefix->numbered_singles = b->numbered_below;
    }
    if (last) {
        last->next = names->spare;
        names->spare = names->scopes[names->depth];
    }
    names->scopes[names->depth] = NULL;
    if (names->depth)
        names->depth--;
}

/* Length of the prefix before the digits that text ends with. */
static uint32_t digits_start(const char *text, uint32_t length)
{
    while (length && text[length - 1] >= '0' && text[length - 1] <= '9')
        length--;
    return length;
}

static void consider(struct meaning *best, const struct binding *binding, uint64_t number)
{
    if (binding && (!best->decl || binding->depth > best->depth))
        *best = (struct meaning){binding->decl, number, binding->depth};
}

/* Reads text as the prefix text[0..split) of a range and a number. */
static const struct name *find_numbered(const struct names *names, const char *text, uint32_t length, uint32_t split,
                                        struct meaning *best)
{
    const struct name *name = lookup(names, text, split);
    if (!name || !name->range)
        return name;
    uint64_t number = 0;
    for (uint32_t i = split; i < length; i++) {
        number = number * 10 + (uint64_t)(text[i] - '0');
        if (number > UINT32_MAX)
            return name;
    }
    for (const struct binding *b = name->range; b; b = b->outer) {
        if (number < b->decl->count) {
            consider(best, b, number);
            break;
        }
    }
    return name;
}

struct meaning names_find(const struct names *names, const char *text, uint32_t length)
{
    struct meaning best = {0};
    uint32_t start = digits_start(text, length);
    if (start < length && start > 0) {
        const struct name *prefix = find_numbered(names, text, length, start, &best);
        if (best.decl && !prefix->numbered)
            return best;
        if (prefix && prefix->numbered)
            for (uint32_t split = start + 1; split < length && split < start + NUMBER_DIGITS; split++)
                find_numbered(names, text, length, split, &best);
    }
    const struct name *name = lookup(names, text, length);
    if (name)
        consider(&best, name->single, 0);
    return best;
}

struct ptx_decl *names_range(const struct names *names, const char *prefix, uint32_t length)
{
    const struct name *name = lookup(names, prefix, length);
    return name && name->range ? name->range->decl : NULL;
}

/* A single name %r5 in the innermost scope that lies in the new range %r<count>. */
static struct ptx_decl *single_in_range(const struct names *names, const struct name *prefix, uint32_t count)
{
    for (const struct binding *b = prefix->numbered_singles; b && b->depth == names->depth; b = b->numbered_below)
        if (strtoull(b->name->text + prefix->length, NULL, 10) < count)
            return b->decl;
    return NULL;
}

static struct ptx_decl *conflict(struct names *names, struct name *name, const struct ptx_decl *decl)
{
    const struct binding *same = decl->count ? name->range : name->single;
    if (same && same->depth == names->depth)
        return same->decl;
    if (decl->count)
        return single_in_range(names, name, decl->count);
    uint32_t start = digits_start(name->text, name->length);
    struct meaning numbered = {0};
    if (start && start < name->length)
        find_numbered(names, name->text, name->length, start, &numbered);
    return numbered.decl && numbered.depth == names->depth ? numbered.decl : NULL;
}

struct ptx_decl *names_declare(struct names *names, const char *text, uint32_t length, struct ptx_decl *decl)
{
    struct name *name = intern(names, text, length);
    if (!name)
        return NULL;
    decl->name = name->text;
    struct ptx_decl *other = conflict(names, name, decl);
    if (other)
        return other;
    struct binding *binding = new_binding(names);
    uint32_t start = digits_start(text, length);
    struct name *prefix = start && start < length ? intern(names, text, start) : NULL;
    if (!binding || names->failed) {
        names->failed = true;
        return NULL;
    }
    struct binding **top = decl->count ? &name->range : &name->single;
    *binding = (struct binding){.decl = decl,
                                .name = name,
                                .outer = *top,
                                .next = names->scopes[names->depth],
                                .depth = names->depth,
                                .is_range = decl->count > 0};
    *top = binding;
    if (prefix) {
        prefix->numbered = true;
        if (!decl->count) {
            binding->prefix = prefix;
            binding->numbered_below = prefix->numbered_singles;
            prefix->numbered_singles = binding;
        }
    }
    names->scopes[names->depth] = binding;
    return NULL;
}

unsigned names_distance(const char *a, uint32_t na, const char *b, uint32_t nb, unsigned limit)
{
    unsigned rows[3][HINT_LENGTH + 1];
    if ((na > nb ? na - nb : nb - na) > limit || na > HINT_LENGTH || nb > HINT_LENGTH)
        return limit + 1;
    for (uint32_t j = 0; j <= nb; j++)
        rows[0][j] = j;
    for (uint32_t i = 1; i <= na; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        unsigned least = row[0] = i;
        for (uint32_t j = 1; j <= nb; j++) {
            unsigned best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best)
                best = above[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && above2[j - 2] + 1 < best)
                best = above2[j - 2] + 1;
            row[j] = best;
            least = best < least ? best : least;
        }
        if (least > limit)
            return limit + 1;
    }
    return rows[na % 3][nb];
}

const char *names_closest(const struct names *names, const char *text, uint32_t length, uint32_t *budget)
{
    const char *closest = NULL;
    unsigned limit = length <= 4 ? 1 : length <= 7 ? 2 : 3;
    if (length > HINT_LENGTH || length < 2)
        return NULL;
    for (const struct name *name = names->last; name && *budget > 0; name = name->before) {
        uint32_t gap = name->length > length ? name->length - length : length - name->length;
        if (!name->single || name->length > HINT_LENGTH || gap > limit)
            continue;
        --*budget;
        unsigned d = names_distance(text, length, name->text, name->length, limit);
        if (d <= limit && d < length) {
            closest = name->text;
            if (d == 0)
                break;
            limit = d - 1;
        }
    }
    return closest;
}

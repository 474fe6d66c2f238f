/* What checks have found, in words: where in the source, which threads, whose memory. Said once for each pair of places
 * in the source, and counted. */
#include "engine/check.h"

#include "base/mangled.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_BYTES = 300, MESSAGE_BYTES = 3 * PLACE_BYTES, FIRST_KEYS = 64, MOST_KEYS = 1 << 20, USUAL_MOST = 100 };

struct finding {
    struct atoll_finding told;
    char places[2][PLACE_BYTES], memory[MEMORY_BYTES], message[MESSAGE_BYTES];
    const struct decoded *at[2];
    bool worst;
};

struct finding_key {
    uint32_t sites[2];
    const char *cause; /* NULL: nothing is there */
    uint32_t finding;  /* UINT32_MAX: not told */
    uint64_t alike;    /* then: the same for those that would be one finding */
};

/* ---- values ------------------------------------------------------------------------------------------------- */

/* The first data operand of a store; UINT32_MAX: what it stores is not in its operands as they are. */
static unsigned data_operand(const struct decoded *at)
{
    if (at->op == LANE_OP_st)
        return 1;
    if (at->op != LANE_OP_sust || at->access->formatted)
        return UINT32_MAX;
    return 1 + (unsigned)lane_geometries[at->access->dim].coordinates + at->access->level;
}

static const unsigned char *data_of(const struct warp *w, const struct decoded *at, unsigned operand, unsigned lane)
{
    return w->frame.regs + at->offsets[operand] + (size_t)lane * (at->bits[operand] / 8u);
}

static bool has_data(const struct decoded *at, unsigned first)
{
    bool all = first != UINT32_MAX && first + at->access->vec <= (unsigned)at->ndst + at->nsrc;
    for (unsigned k = 0; all && k < at->access->vec; k++)
        all = at->offsets[first + k] != KERNEL_NONE;
    return all;
}

bool finding_same(const struct tap_access *access, unsigned lane)
{
    const struct checking *c = access->engine;
    const struct decoded *at = c->sites[access->site];
    unsigned first = data_operand(at);
    bool same = has_data(at, first);
    for (unsigned k = 0; same && k < at->access->vec; k++)
        same = memcmp(data_of(c->warp, at, first + k, lane), access->at[lane] + (size_t)k * at->bytes, at->bytes) == 0;
    return same;
}

bool finding_alike(const struct tap_access *access, unsigned lane, unsigned other)
{
    const struct checking *c = access->engine;
    const struct decoded *at = c->sites[access->site];
    unsigned first = data_operand(at);
    bool same = has_data(at, first);
    for (unsigned k = 0; same && k < at->access->vec; k++)
        same = memcmp(data_of(c->warp, at, first + k, lane), data_of(c->warp, at, first + k, other), at->bytes) == 0;
    return same;
}

/* ---- whose memory ----------------------------------------------------------------------------------------------- */

/* The variable of a function: "tile" of _ZZ4blurPfE4tile; else the symbol. */
static void variable_name(const char *symbol, char out[80])
{
    const char *last = NULL;
    size_t length = 0;
    for (const char *at = symbol; strncmp(symbol, "_ZZ", 3) == 0 && (at = strchr(at, 'E')); at++) {
        char *end;
        unsigned long n = strtoul(at + 1, &end, 10);
        if (end > at + 1 && n > 0 && n <= strlen(end)) {
            last = end;
            length = n;
        }
    }
    snprintf(out, 80, "%.*s", (int)(last && length < 79 ? length : 79), last ? last : symbol);
}

/* Does the kernel, or what it calls, name symbol number `symbol`? Only then it has a place in shared memory. */
static bool names_symbol(const struct program *program, uint32_t symbol)
{
    for (uint32_t f = 0; f < program->module->nfuncs; f++) {
        const struct lane_func *func = program->funcs[f].ready ? program->funcs[f].lane : NULL;
        for (uint32_t i = 0; func && i < func->nconsts; i++)
            if (func->consts[i].symbol == symbol)
                return true;
    }
    return false;
}

static void shared_memory(const struct run *run, uint64_t offset, uint64_t bytes, char out[MEMORY_BYTES])
{
    const struct lane_module *module = run->program->module;
    unsigned long long n = (unsigned long long)offset;
    snprintf(out, MEMORY_BYTES, "byte %llu of the block's shared memory", n);
    for (uint32_t i = 0; i < module->nsymbols; i++) {
        const struct lane_symbol *symbol = &module->symbols[i];
        uint64_t start = run->program->shared_at[i], size = symbol->dynamic ? UINT64_MAX - start : symbol->size;
        char name[80];
        if (symbol->kind != LANE_SYMBOL_SHARED || offset < start || offset - start >= size ||
            !names_symbol(run->program, i + 1))
            continue;
        variable_name(symbol->name, name);
        if ((offset - start) % bytes)
            snprintf(out, MEMORY_BYTES, "byte %llu of shared '%s'", n - (unsigned long long)start, name);
        else
            snprintf(out, MEMORY_BYTES, "element %llu of shared '%s' (of %llu bytes each)",
                     (n - (unsigned long long)start) / bytes, name, (unsigned long long)bytes);
        return;
    }
}

bool finding_symbol(const void *checking, uint32_t symbol, struct tap_owner *owner)
{
    const struct checking *c = checking;
    const struct program *program = c->run->program;
    const struct lane_symbol *s = &program->module->symbols[symbol - 1];
    char name[80];
    variable_name(s->name, name);
    *owner = (struct tap_owner){.shared = s->kind == LANE_SYMBOL_SHARED, .bytes = s->size};
    owner->start = owner->shared ? program->shared_at[symbol - 1] : program->addresses[symbol - 1];
    snprintf(owner->name, TAP_NAME, "%s'%s'", owner->shared ? "shared " : "", name);
    return !s->dynamic && !s->external && s->size && (owner->shared || s->kind == LANE_SYMBOL_GLOBAL);
}

bool finding_pointee(const void *checking, uint32_t offset, struct tap_owner *owner)
{
    const struct checking *c = checking;
    struct space_block block;
    uint64_t value;
    if (offset + sizeof value > c->run->param_bytes)
        return false;
    memcpy(&value, c->run->params + offset, sizeof value);
    if (!space_find(c->space, value, &block))
        return false;
    *owner = (struct tap_owner){.start = block.address, .bytes = block.size};
    address_owner(c->run, &block, owner->name);
    return true;
}

bool finding_beside(const void *checking, uint64_t start, uint64_t address, char out[TAP_BESIDE])
{
    const struct checking *c = checking;
    return address_beside(c->run, start, address, out);
}

static int32_t nearest(int64_t v, int64_t count)
{
    return (int32_t)(v < 0 ? 0 : v < count ? v : count - 1);
}

/* Moves coordinates out of range to the texel that a clamp policy takes. False: they are in range, or it takes none. */
static bool clamp(const struct checking *c, const struct decoded *at, unsigned lane, const struct surface *surface,
                  int32_t coord[3])
{
    const struct lane_geometry *geometry = &lane_geometries[at->access->dim];
    const int32_t before[3] = {coord[0], coord[1], coord[2]};
    struct surface view;
    if (!surface || at->access->clamp != LANE_CLAMP_NEAR || at->access->dim == LANE_DIM_ANY)
        return false;
    if (at->access->level) {
        surface_at_level(surface, (uint32_t)decoded_operand(c->warp, at, at->ndst + 1u + geometry->coordinates, lane),
                         &view);
        surface = &view;
    }
    uint32_t bytes = checked_texel_bytes(surface, at);
    int32_t unit = at->access->unit == LANE_UNIT_BYTE ? (int32_t)bytes : 1;
    if (!bytes || bytes > surface->row_bytes)
        return false;
    coord[0] = nearest(coord[0] / unit, surface->row_bytes / bytes) * unit;
    for (unsigned i = 1; i < geometry->coordinates; i++) {
        bool row = geometry->axes[i - 1] == LANE_AXIS_ROW, layer = geometry->axes[i - 1] == LANE_AXIS_LAYER;
        coord[i] = nearest(layer ? (int64_t)(uint32_t)coord[i] : coord[i], row ? surface->height : surface->slices);
    }
    return memcmp(before, coord, sizeof before) != 0;
}

enum { COORDINATES_BYTES = 60 };

/* "(8, 0)" */
static void print_coordinates(const int32_t coord[3], unsigned n, char out[COORDINATES_BYTES])
{
    int length = snprintf(out, COORDINATES_BYTES, "(%d", coord[0]);
    for (unsigned i = 1; i < n; i++)
        length += snprintf(out + length, COORDINATES_BYTES - (size_t)length, ", %d", coord[i]);
    snprintf(out + length, COORDINATES_BYTES - (size_t)length, ")");
}

static void texel(const struct checking *c, const struct tap_finding *found, char out[MEMORY_BYTES])
{
    const struct decoded *at = c->sites[found->now.site];
    const struct surface_ref *ref = device_surface(c->run->program->device, found->access->address[found->lane]);
    unsigned n = lane_geometries[at->access->dim].coordinates;
    int32_t coord[3] = {0, 0, 0};
    char place[COORDINATES_BYTES], said[COORDINATES_BYTES];
    checked_coordinate(c->warp, at, found->lane, coord);
    print_coordinates(coord, n, said);
    /* What the policy makes of it is what the check for that tells. */
    bool moved = strcmp(found->check, "border") != 0 && clamp(c, at, found->lane, ref ? ref->surface : NULL, coord);
    print_coordinates(coord, n, place);
    const char *unit = at->access->unit == LANE_UNIT_BYTE ? "x in bytes" : "x in texels";
    const char *name = ref && ref->surface && ref->surface->name ? ref->surface->name : ref ? ref->name : NULL;
    snprintf(out, MEMORY_BYTES, "texel %s (%s%s%s) of surface %s%.99s%s", place, unit, moved ? "; clamped from " : "",
             moved ? said : "", name ? "'" : "", name ? name : "", name ? "'" : "");
}

/* What a value came from. */
static void describe_origin(const struct checking *c, const struct tap_origin *origin, char out[MEMORY_BYTES])
{
    const struct surface_ref *ref = origin->surface ? device_surface(c->run->program->device, origin->address) : NULL;
    const char *name = ref && ref->surface && ref->surface->name ? ref->surface->name : ref ? ref->name : NULL;
    if (origin->surface)
        snprintf(out, MEMORY_BYTES, "a texel of surface %s%.99s%s", name ? "'" : "", name ? name : "", name ? "'" : "");
    else if (origin->shared)
        shared_memory(c->run, origin->address, origin->element, out);
    else if (origin->local)
        snprintf(out, MEMORY_BYTES, "byte %llu of its local memory",
                 (unsigned long long)(origin->address % SPACE_LOCAL));
    else
        address_inside(c->run, origin->address, out, MEMORY_BYTES);
}

static void describe_memory(const struct checking *c, const struct tap_finding *found, char out[MEMORY_BYTES])
{
    const struct tap_access *access = found->access;
    if (found->origin)
        describe_origin(c, found->origin, out);
    else if (!access)
        out[0] = 0;
    else if (lane_is(c->sites[found->now.site]->op, LANE_TEXELS))
        texel(c, found, out);
    else if (access->shared)
        shared_memory(c->run, access->address[found->lane], access->element, out);
    else
        address_inside(c->run, access->address[found->lane], out, MEMORY_BYTES);
}

/* ---- findings ------------------------------------------------------------------------------------------------- */

/* 1: at one place alone. */
static unsigned sides_of(const struct tap_finding *found)
{
    return found->before.site == TAP_NO_SITE ? 1 : 2;
}

static const char *does(const struct tap_side *side, bool now)
{
    switch (side->kind) {
    case TAP_LOAD:
        return now ? "reads" : "has read";
    case TAP_STORE:
        return now ? "writes" : "has written";
    default:
        return now ? "updates" : "has updated";
    }
}

static const char *access_word(const struct tap_side *side)
{
    return side->kind == TAP_LOAD ? "read" : side->kind == TAP_STORE ? "write" : "update";
}

void finding_side(const struct run *run, const struct tap_side *side, const struct decoded *at, const char *place,
                  struct atoll_finding_side *out)
{
    struct block block = {.nwarps = 0};
    block_place(&block, run, side->block);
    *out = (struct atoll_finding_side){.place = place,
                                       .line = decoded_line(at),
                                       .file = decoded_file(run, at),
                                       .does = access_word(side),
                                       .block = {block.id[0], block.id[1], block.id[2]},
                                       .thread = {side->thread % run->block[0],
                                                  side->thread / run->block[0] % run->block[1],
                                                  side->thread / run->block[0] / run->block[1]}};
    decoded_sources(at, out->places, &out->nplaces);
}

static void print_thread(const struct atoll_finding_side *side, char out[100])
{
    snprintf(out, 100, "thread (%u, %u, %u) of block (%u, %u, %u)", side->thread[0], side->thread[1], side->thread[2],
             side->block[0], side->block[1], side->block[2]);
}

/* What a place in the source is called, or in the text where nothing tells of a source: findings of one source line
 * are one. */
static void print_key(const struct run *run, const struct decoded *at, char out[PLACE_BYTES])
{
    const struct lane_line *line = lane_source_of(decoded_written(at), at->inst->line);
    struct text text = {0};
    if (line && line->source)
        lane_source_print(line->source, &text);
    if (text_ok(&text) && text.length)
        snprintf(out, PLACE_BYTES, "%.900s", text.bytes);
    else
        decoded_place(run, at, out);
    text_free(&text);
}

/* The finding that says the same already. */
static uint32_t find_alike(const struct checking *c, const struct tap_finding *found, const struct decoded *const at[2])
{
    char mine[2][PLACE_BYTES] = {"", ""}, other[2][PLACE_BYTES] = {"", ""};
    unsigned nsides = sides_of(found);
    for (unsigned i = 0; i < nsides; i++)
        print_key(c->run, at[i], mine[i]);
    for (uint32_t k = 0; k < c->findings.count; k++) {
        const struct finding *f = &c->findings.list[k];
        if (f->told.nsides != nsides || (nsides == 1 && strcmp(f->told.cause, found->cause) != 0))
            continue;
        for (unsigned i = 0; i < nsides; i++)
            print_key(c->run, f->at[i], other[i]);
        bool same = strcmp(mine[0], other[0]) == 0 && strcmp(mine[1], other[1]) == 0;
        bool turned = strcmp(mine[0], other[1]) == 0 && strcmp(mine[1], other[0]) == 0;
        if ((same || turned) && strcmp(f->told.check, found->check) == 0)
            return k;
    }
    return UINT32_MAX;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3); /* FNV-1a */
    return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

/* What find_alike compares, of a finding that is not told */
static uint64_t hash_alike(const struct checking *c, const struct tap_finding *found, const struct decoded *const at[2])
{
    const uint64_t start = UINT64_C(0xcbf29ce484222325);
    char place[PLACE_BYTES];
    unsigned nsides = sides_of(found);
    uint64_t sides = 0; /* in either order */
    for (unsigned i = 0; i < nsides; i++) {
        print_key(c->run, at[i], place);
        sides += hash_text(start, place);
    }
    return (hash_text(hash_text(start, found->check), nsides == 1 ? found->cause : "") ^ sides);
}

static void print_message(const struct tap_finding *found, struct finding *f)
{
    char who[2][100];
    const char *memory = found->origin ? "" : f->memory;
    for (unsigned i = 0; i < f->told.nsides; i++)
        print_thread(&f->told.sides[i], who[i]);
    int n = snprintf(f->message, MESSAGE_BYTES, "%s (%s): %s %s%s%s at %.900s; ", found->check, found->cause, who[0],
                     found->does ? found->does : does(&found->now, true), memory[0] ? " " : "", memory, f->places[0]);
    if (f->told.nsides == 2 && found->origin)
        n += snprintf(f->message + n, MESSAGE_BYTES - (size_t)n, "%s has read %s at %.900s; ", who[1], f->memory,
                      f->places[1]);
    else if (f->told.nsides == 2)
        n += snprintf(f->message + n, MESSAGE_BYTES - (size_t)n, "%s %s%s at %.900s; ", who[1],
                      found->did ? found->did : does(&found->before, false), found->did ? "" : " it", f->places[1]);
    snprintf(f->message + n, MESSAGE_BYTES - (size_t)n, "%.300s", found->why);
}

/* Who called what is told of side `now`, or of the other. */
static void print_calls(const struct checking *c, const struct tap_side *side, bool now, struct finding *f)
{
    const struct block *block = c->warp ? c->warp->block : NULL;
    unsigned i = !now;
    bool near = block && memcmp(block->id, f->told.sides[i].block, sizeof block->id) == 0;
    if (side->stays && near)
        add_calls_of(&block->warps[side->thread / block->warp_lanes], side->thread % block->warp_lanes, f->at[i],
                     f->places[i]);
    else
        add_calls(c->run, now ? c->warp : NULL, f->at[i], f->places[i]);
}

static void fill(const struct checking *c, const struct tap_finding *found, const struct decoded *const at[2],
                 struct finding *f)
{
    const struct tap_side *const sides[2] = {&found->now, &found->before};
    *f = (struct finding){.at = {at[0], at[1]}, .worst = found->worse};
    f->told.nsides = sides_of(found);
    for (unsigned i = 0; i < f->told.nsides; i++) {
        decoded_place(c->run, f->at[i], f->places[i]);
        finding_side(c->run, sides[i], f->at[i], f->places[i], &f->told.sides[i]);
        print_calls(c, sides[i], i == 0, f);
    }
    describe_memory(c, found, f->memory);
    if (found->does)
        f->told.sides[0].does = found->does;
    if (found->did)
        f->told.sides[1].does = found->did;
    f->told.check = found->check;
    f->told.cause = found->cause;
    print_message(found, f);
}

static uint32_t most_findings(const struct run *run)
{
    return run->launch->max_findings ? run->launch->max_findings : USUAL_MOST;
}

/* Room for one more. */
static bool list_grow(struct findings *all)
{
    if (all->count < all->room)
        return true;
    uint32_t more = all->room ? 2 * all->room : 4;
    struct finding *list = realloc(all->list, more * sizeof *list);
    if (!list)
        return false;
    all->list = list;
    all->room = more;
    return true;
}

/* A new finding, or the one that says the same; UINT32_MAX: it is not told, and those that have its *hash are alike. */
static uint32_t finding_add(struct checking *c, const struct tap_finding *found, uint64_t *hash)
{
    struct findings *all = &c->findings;
    const struct decoded *const at[2] = {c->sites[found->now.site],
                                         sides_of(found) == 2 ? c->sites[found->before.site] : NULL};
    uint32_t alike = find_alike(c, found, at);
    if (alike != UINT32_MAX && found->worse && !all->list[alike].worst) {
        uint64_t count = all->list[alike].told.count;
        fill(c, found, at, &all->list[alike]);
        all->list[alike].told.count = count;
    }
    if (alike != UINT32_MAX)
        return alike;
    if (all->count >= most_findings(c->run) || !list_grow(all)) {
        *hash = hash_alike(c, found, at);
        return UINT32_MAX;
    }
    fill(c, found, at, &all->list[all->count]);
    return all->count++;
}

void finding_whole(struct checking *c, const char *check, const char *cause, const char *memory, const char *message)
{
    struct findings *all = &c->findings;
    if (all->count >= most_findings(c->run) || !list_grow(all)) {
        all->untold++;
        all->untold_times++;
        return;
    }
    struct finding *f = &all->list[all->count++];
    *f = (struct finding){.told = {.check = check, .cause = cause, .count = 1}};
    snprintf(f->memory, sizeof f->memory, "%s", memory);
    snprintf(f->message, sizeof f->message, "%s", message);
}

static struct finding_key *key_place(const struct findings *all, const struct tap_finding *found)
{
    uint64_t a = found->now.site, b = found->before.site;
    size_t i = (size_t)(((a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (all->room_keys - 1);
    while (all->keys[i].cause &&
           (all->keys[i].cause != found->cause || all->keys[i].sites[0] != a || all->keys[i].sites[1] != b))
        i = (i + 1) & (all->room_keys - 1);
    return &all->keys[i];
}

static bool keys_grow(struct findings *all)
{
    const struct findings old = *all;
    uint32_t more = old.room_keys ? 2 * old.room_keys : FIRST_KEYS;
    struct finding_key *keys = more <= MOST_KEYS ? calloc(more, sizeof *keys) : NULL;
    if (!keys)
        return false;
    all->keys = keys;
    all->room_keys = more;
    for (uint32_t i = 0; i < old.room_keys; i++)
        if (old.keys[i].cause) {
            const struct tap_finding found = {.cause = old.keys[i].cause,
                                              .now = {.site = old.keys[i].sites[0]},
                                              .before = {.site = old.keys[i].sites[1]}};
            *key_place(all, &found) = old.keys[i];
        }
    free(old.keys);
    return true;
}

void finding_found(void *checking, const struct tap_finding *found)
{
    struct checking *c = checking;
    struct findings *all = &c->findings;
    if (2 * all->nkeys >= all->room_keys && !keys_grow(all)) {
        all->untold_times++; /* of which pair nobody knows */
        return;
    }
    struct finding_key *key = key_place(all, found);
    if (!key->cause) {
        *key = (struct finding_key){.sites = {found->now.site, found->before.site}, .cause = found->cause};
        key->finding = finding_add(c, found, &key->alike);
        all->nkeys++;
    }
    if (key->finding == UINT32_MAX)
        all->untold_times++;
    else
        all->list[key->finding].told.count++;
}

static int compare_hashes(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return (one > other) - (one < other);
}

/* Findings that are not told; without memory each pair of instructions counts. */
static uint64_t count_untold(const struct findings *all)
{
    uint64_t *hashes = malloc(((size_t)all->nkeys + 1) * sizeof *hashes), count = all->untold;
    size_t n = 0;
    for (uint32_t i = 0; i < all->room_keys; i++) {
        const struct finding_key *key = &all->keys[i];
        if (key->cause && key->finding == UINT32_MAX && hashes)
            hashes[n++] = key->alike;
        else
            count += key->cause && key->finding == UINT32_MAX;
    }
    if (hashes)
        qsort(hashes, n, sizeof *hashes, compare_hashes);
    for (size_t i = 0; i < n; i++)
        count += i == 0 || hashes[i] != hashes[i - 1];
    free(hashes);
    return count;
}

void findings_tell(struct checking *c, struct atoll_stats *stats)
{
    for (uint32_t i = 0; i < c->findings.count; i++) {
        struct finding *f = &c->findings.list[i];
        for (unsigned k = 0; k < f->told.nsides; k++)
            f->told.sides[k].place = f->places[k];
        f->told.memory = f->memory;
        f->told.message = f->message;
        if (c->run->launch->finding)
            c->run->launch->finding(c->run->launch->user, &f->told);
    }
    stats->findings = c->findings.count;
    stats->findings_untold = count_untold(&c->findings);
    stats->findings_untold_times = c->findings.untold_times;
}

void findings_free(struct findings *findings)
{
    free(findings->list);
    free(findings->keys);
}

/* The warp-wide surface engines against surface_resolve, format_store and the atomic table, lane by lane, on random
 * accesses; for every instruction set that this host has, with reductions done at once and held back. */
#include "mem/atomic.h"
#include "mem/held.h"
#include "mem/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct set {
    const char *name;
    const struct surface_engine *engine;
};

static unsigned host_sets(struct set sets[3])
{
    unsigned n = 0;
    sets[n++] = (struct set){"base", &surface_engine_base};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        sets[n++] = (struct set){"v3", &surface_engine_v3};
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd"))
        sets[n++] = (struct set){"v4", &surface_engine_v4};
#endif
    return n;
}

static uint64_t state = 1;

static uint64_t rnd(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * UINT64_C(0x2545f4914f6cdd1d);
}

static uint32_t below(uint32_t n)
{
    return (uint32_t)(rnd() >> 33) % n;
}

enum kind { LOAD, STORE, REDUCE, ATOMIC };

enum { OLD = 7 }; /* the register that gets what an atomic returns */

/* One random case: a surface, an access, coordinates and registers. */
struct trial {
    enum kind kind;
    struct surface *surface;
    struct lane_access access;
    uint32_t bytes; /* whole access */
    uint32_t mask;
    _Alignas(64) int32_t coord[3][LANES];
    _Alignas(64) unsigned char data[8][LANES * 8];
    uint8_t width[8];
    unsigned count;
    uint32_t sinks;
};

static unsigned type_bytes(uint8_t type)
{
    switch (type) {
    case LANE_B8:
    case LANE_S8:
        return 1;
    case LANE_B16:
    case LANE_U16:
    case LANE_S16:
        return 2;
    case LANE_B64:
    case LANE_U64:
    case LANE_S64:
    case LANE_F64:
        return 8;
    default:
        return 4;
    }
}

static void random_surface(struct trial *t)
{
    static const uint32_t widths[] = {1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31, 32, 33, 64, 100};
    static const char *const tiles[] = {"tile-x", "tile-y", "tile-4", "tile-r580"};
    uint8_t dim = (uint8_t)below(LANE_DIMS);
    unsigned formats = 0;
    while (format_at(formats))
        formats++;
    uint32_t height = dim == LANE_DIM_2D || dim == LANE_DIM_2D_ARRAY || dim == LANE_DIM_3D ? 1 + below(5) : 1;
    uint32_t depth = dim == LANE_DIM_3D ? 1 + below(4) : 1;
    uint32_t layers = dim == LANE_DIM_1D_ARRAY || dim == LANE_DIM_2D_ARRAY ? 1 + below(4) : 1;
    struct surface_shape shape = {.dim = dim,
                                  .width = widths[below(15)],
                                  .height = height,
                                  .depth = depth,
                                  .layers = layers,
                                  .format = format_at(below(formats)),
                                  .layout = layout_find("pitch")};
    if (dim != LANE_DIM_1D_BUFFER && below(2))
        shape.layout = layout_find(below(2) ? "block-linear" : tiles[below(shape.format->bytes > 1 ? 4 : 3)]);
    if (shape.layout->linear) {
        shape.settings[PITCH_BYTES] = below(8) || dim == LANE_DIM_1D_BUFFER ? 0 : 32768; /* a tile is two rows */
    } else if (!shape.layout->blocks) {
        shape.settings[PITCH_BYTES] = below(16) ? 0 : 2048;
    } else {
        shape.height = height > 1 ? height * (1 + below(9)) : 1;
        shape.settings[BLOCK_HEIGHT] = UINT64_C(1) << below(4);
        shape.settings[BLOCK_DEPTH] = UINT64_C(1) << below(3);
        shape.levels = 1 + below(shape_levels(&shape));
        shape.level = below(shape.levels);
    }
    assert_true(surface_make(&shape, &t->surface, NULL));
    if (below(8) == 0)
        assert_true(surface_reside(t->surface, below((uint32_t)surface_tiles(t->surface)), 1, false, NULL));
    surface_disable(t->surface, below(30) == 0);
    for (uint64_t i = 0; i < t->surface->size; i++)
        t->surface->texels[i] = (unsigned char)rnd();
}

static void random_access(struct trial *t)
{
    static const uint8_t elements[] = {LANE_B8, LANE_B16, LANE_B32, LANE_B32, LANE_B64, LANE_S8, LANE_S16, LANE_S32};
    static const uint8_t types[] = {LANE_U32, LANE_S32, LANE_U64, LANE_S64};
    static const uint8_t all[] = {LANE_U32,   LANE_S32, LANE_U64, LANE_S64, LANE_F32, LANE_F64,
                                  LANE_F16X2, LANE_B32, LANE_B64, LANE_U16, LANE_S16, LANE_B16};
    static const uint8_t ops[] = {LANE_ATOMIC_ADD, LANE_ATOMIC_ADD, LANE_ATOMIC_MIN, LANE_ATOMIC_MAX,
                                  LANE_ATOMIC_AND, LANE_ATOMIC_OR,  LANE_ATOMIC_XOR, LANE_ATOMIC_INC};
    struct lane_access *a = &t->access;
    t->kind = (enum kind)below(4);
    a->space = LANE_SURFACE;
    a->dim = below(16) ? t->surface->dim : (uint8_t)below(LANE_DIMS);
    if (below(4) == 0)
        a->dim = LANE_DIM_ANY;
    a->clamp = (uint8_t)below(4);
    a->short_rows = a->clamp == LANE_CLAMP_NEAR && below(2);
    a->vec = 1;
    if (t->kind == REDUCE) {
        a->formatted = below(2);
        a->atomic = ops[below(8)];
        a->type = types[below(4)];
        if (a->atomic == LANE_ATOMIC_INC)
            a->type = LANE_U32;
        else if (a->formatted)
            a->type = below(2) ? LANE_B32 : LANE_B64;
        t->count = 1;
    } else if (t->kind == ATOMIC) {
        do {
            a->atomic = (uint8_t)below(LANE_ATOMICS);
            a->type = all[below(12)];
        } while (!atomic_find(a->atomic, a->type));
        a->formatted = a->type == LANE_B16 || a->type == LANE_B32 || a->type == LANE_B64;
        a->flags = below(2) ? LANE_FTZ : 0;
        t->count = lane_atomic_swaps(a->atomic) ? 2 : 1;
    } else {
        a->formatted = below(2);
        a->type = a->formatted ? LANE_B32 : elements[below(8)];
        a->vec = (uint8_t)(1 << below(3));
        while (a->vec * type_bytes(a->type) > 16)
            a->vec /= 2;
        t->count = a->vec == 1 && !a->formatted && below(4) == 0 ? 4 : a->vec;
        a->uniform_tuple = t->kind == LOAD && t->count > a->vec;
        a->fixed = t->kind == STORE && a->formatted && below(2);
    }
    a->snorm = t->kind >= REDUCE && a->formatted && below(2);
    a->unit = below(8) ? a->formatted ? LANE_UNIT_SAMPLE : LANE_UNIT_BYTE : (uint8_t)below(2);
    if (a->dim == LANE_DIM_ANY)
        a->unit = LANE_UNIT_SAMPLE;
    t->bytes = t->kind <= STORE && a->formatted ? t->surface->format->bytes : a->vec * type_bytes(a->type);
}

static int32_t edge(uint32_t extent)
{
    static const int32_t far[] = {INT32_MIN, INT32_MAX, -1, INT32_MIN + 16, INT32_MAX - 15};
    return below(3) ? (int32_t)below(extent + 3) - 1 : far[below(5)];
}

static void random_coords(struct trial *t)
{
    const struct surface *s = t->surface;
    uint32_t step = t->access.unit == LANE_UNIT_BYTE ? t->bytes : 1;
    uint32_t extents[3] = {s->row_bytes / t->bytes + 1, s->height + 1, s->slices + 1};
    unsigned shape = below(5);
    bool rows = below(2); /* not one lane leaves them */
    int32_t x0 = ((int32_t)below(extents[0] + 4) - 2) * (int32_t)step, row[3] = {0, 0, 0};
    if (below(4) == 0)
        x0 = below(6) ? ((int32_t)below(120) - 60) * (int32_t)step : edge(extents[0] * step);
    for (unsigned c = 1; c < 3; c++)
        row[c] =
            below(4) ? (int32_t)below(c == 1 && s->dim != LANE_DIM_1D_ARRAY ? s->height : s->slices) : edge(extents[c]);
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t run = shape == 0 ? i : shape == 1 ? i % 16 : shape == 2 ? i % 8 : shape == 3 ? i / 8 : 0;
        t->coord[0][i] = (int32_t)((uint32_t)x0 + run * step);
        for (unsigned c = 1; c < 3; c++)
            t->coord[c][i] = (int32_t)((uint32_t)row[c] + (shape == 1 ? i / 16 : shape == 2 ? i / 8 : 0));
        if (shape == 4) {
            t->coord[0][i] = below(12) ? (int32_t)(below(extents[0]) * step) : edge(extents[0]);
            for (unsigned c = 1; c < 3; c++)
                t->coord[c][i] = below(12) ? (int32_t)below(extents[c]) : edge(extents[c]);
        }
        if (below(40) == 0 && shape != 0 && !rows)
            t->coord[0][i] = edge(extents[0] * step);
    }
}

static void random_registers(struct trial *t)
{
    unsigned least = t->access.formatted && t->kind <= STORE ? 4 : type_bytes(t->access.type);
    for (unsigned d = 0; d < 8; d++) {
        unsigned width = least;
        while (width < 8 && below(3) == 0)
            width *= 2;
        t->width[d] = (uint8_t)(8 * width);
        for (unsigned i = 0; i < sizeof t->data[d]; i++)
            t->data[d][i] = (unsigned char)rnd();
        /* Floats around the range of unorm and snorm too. */
        if (t->access.formatted && below(2))
            for (unsigned i = 0; i < LANES && width == 4; i++) {
                float f = ((float)below(4096) - 2048.0f) / 1024.0f;
                memcpy(t->data[d] + 4 * i, &f, 4);
            }
    }
    t->sinks = t->kind == LOAD && below(4) == 0 ? (uint32_t)rnd() & 15 : 0;
    if (t->kind == ATOMIC && below(4) == 0)
        t->sinks = 1 << OLD;
    static const uint32_t masks[] = {UINT32_MAX, UINT32_MAX, 0xffff, 0xffff0000, 0x55555555, 1, 0x80000000, 0x00ffff00};
    t->mask = below(4) ? masks[below(8)] : (uint32_t)rnd();
}

static uint64_t get(const unsigned char *data, uint8_t width, unsigned lane)
{
    uint64_t v = 0;
    memcpy(&v, data + lane * width / 8, width / 8);
    return v;
}

/* Register d of a lane gets an element of `bytes` bytes, sign-extended if the type says so. */
static void expect_register(const struct trial *t, unsigned char (*data)[LANES * 8], unsigned d, unsigned lane,
                            uint64_t v, unsigned bytes, bool is_signed)
{
    if (is_signed && bytes < 8)
        v = (uint64_t)((int64_t)(v << (64 - 8 * bytes)) >> (64 - 8 * bytes));
    if (!(t->sinks >> d & 1))
        memcpy(data[d] + lane * t->width[d] / 8, &v, t->width[d] / 8);
}

static void expect_load(const struct trial *t, unsigned char (*data)[LANES * 8], const unsigned char *texel,
                        unsigned lane, bool border)
{
    unsigned es = type_bytes(t->access.type);
    bool integer = t->surface->format->kind == FORMAT_UINT || t->surface->format->kind == FORMAT_SINT;
    uint32_t rgba[4] = {0, 0, 0, !border ? 0 : integer ? 1 : 0x3f800000};
    if (texel && t->access.formatted)
        format_load(t->surface->format, texel, rgba);
    for (unsigned d = 0; d < t->count; d++) {
        uint64_t v = t->access.formatted ? rgba[d] : 0;
        if (texel && !t->access.formatted)
            memcpy(&v, texel + (d < t->access.vec ? d : 0) * es, es);
        expect_register(t, data, d, lane, v, es, t->access.type >= LANE_S8 && t->access.type <= LANE_S64);
    }
}

static void expect_store(const struct trial *t, unsigned char *texel, unsigned lane)
{
    unsigned es = type_bytes(t->access.type);
    uint32_t rgba[4] = {0};
    for (unsigned d = 0; d < t->count && d < 4; d++)
        rgba[d] = (uint32_t)get(t->data[d], t->width[d], lane);
    if (t->access.formatted)
        format_store(t->surface->format, t->access.fixed, rgba, texel);
    for (unsigned d = 0; !t->access.formatted && d < t->access.vec; d++) {
        uint64_t v = get(t->data[d], t->width[d], lane);
        memcpy(texel + d * es, &v, es);
    }
}

static uint8_t atomic_type(const struct trial *t)
{
    bool sint = format_is_signed(t->surface->format, t->access.snorm);
    if (!t->access.formatted || (t->access.atomic != LANE_ATOMIC_MIN && t->access.atomic != LANE_ATOMIC_MAX))
        return t->access.type;
    static const uint8_t types[2][9] = {{[2] = LANE_U16, [4] = LANE_U32, [8] = LANE_U64},
                                        {[2] = LANE_S16, [4] = LANE_S32, [8] = LANE_S64}};
    return types[sint][type_bytes(t->access.type)];
}

static void expect_atomic(const struct trial *t, unsigned char (*data)[LANES * 8], unsigned char *texel, unsigned lane)
{
    uint8_t type = atomic_type(t);
    uint64_t b = get(t->data[0], t->width[0], lane), c = get(t->data[1], t->width[1], lane), old = 0;
    if (texel)
        atomic_find(t->access.atomic, type)->plain(texel, &old, &b, &c, t->access.flags & LANE_FTZ, LANE_RELAXED);
    expect_register(t, data, OLD, lane, old, type_bytes(type), lane_type_signed(type));
}

static void expect_reduce(const struct trial *t, unsigned char *texel, unsigned lane)
{
    uint8_t type = atomic_type(t);
    uint64_t v = get(t->data[0], t->width[0], lane);
    atomic_find(t->access.atomic, type)->plain(texel, NULL, &v, NULL, false, LANE_RELAXED);
}

/* Whether a lane that does nothing does so because of its place or because there is no surface. */
static bool is_zero_clamped(const struct trial *t, const int32_t coord[3])
{
    struct lane_access trap = t->access;
    uint64_t offset;
    bool skip;
    trap.clamp = LANE_CLAMP_TRAP;
    trap.short_rows = false;
    bool drops = surface_drops(t->surface, &t->access, t->surface->row_bytes / t->bytes);
    return t->surface->disabled ||
           (drops && surface_resolve(t->surface, &trap, coord, t->bytes, &offset, &skip) != SURFACE_OK);
}

/* What the access must do, by the law. Texels and registers are changed. */
static uint32_t expect(const struct trial *t, unsigned char (*data)[LANES * 8], enum surface_fault *fault,
                       uint32_t *absent)
{
    uint32_t faults = 0;
    *absent = 0;
    *fault = SURFACE_OK;
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (!(t->mask >> lane & 1))
            continue;
        int32_t coord[3] = {t->coord[0][lane], t->coord[1][lane], t->coord[2][lane]};
        uint64_t offset;
        bool skip;
        enum surface_fault f = surface_resolve(t->surface, &t->access, coord, t->bytes, &offset, &skip);
        if (f != SURFACE_OK) {
            *fault = faults ? *fault : f;
            faults |= UINT32_C(1) << lane;
            continue;
        }
        *absent |= (uint32_t)(skip && surface_missing(t->surface, offset) && !is_zero_clamped(t, coord)) << lane;
        unsigned char *texel = skip ? NULL : t->surface->texels + offset;
        if (!skip)
            assert_true(offset + t->bytes <= t->surface->size);
        if (t->kind == LOAD)
            expect_load(t, data, texel, lane,
                        t->access.clamp == LANE_CLAMP_BORDER && !t->surface->disabled && is_zero_clamped(t, coord));
        else if (t->kind == ATOMIC)
            expect_atomic(t, data, texel, lane);
        else if (texel && t->kind == STORE)
            expect_store(t, texel, lane);
        else if (texel)
            expect_reduce(t, texel, lane);
    }
    return faults;
}

/* The engine's turn at the same access, on registers of its own. */
static void run_engine(const struct trial *t, const struct surface_engine *e, struct held *held, uint32_t faults,
                       enum surface_fault fault, uint32_t absent, unsigned char (*want)[LANES * 8])
{
    _Alignas(64) unsigned char mine[8][LANES * 8];
    memcpy(mine, t->data, sizeof mine);
    struct surface_warp w = {.surface = t->surface,
                             .access = &t->access,
                             .held = held,
                             .mask = t->mask,
                             .coord = {t->coord[0], t->coord[1], t->coord[2]},
                             .count = t->count};
    memcpy(w.width, t->width, sizeof w.width);
    for (unsigned d = 0; d < 8; d++)
        w.data[d] = t->sinks >> d & 1 ? NULL : mine[d];
    w.old = w.data[OLD];
    w.old_width = w.width[OLD];
    bool ok = (t->kind == LOAD ? e->load : t->kind == STORE ? e->store : t->kind == REDUCE ? e->reduce : e->atomic)(&w);
    assert_int_equal(w.absent, absent);
    assert_int_equal(ok, faults == 0);
    assert_int_equal(w.faults, faults);
    assert_int_equal(w.fault, fault);
    assert_memory_equal(mine, want, sizeof mine);
}

static void run_trial(struct trial *t, const struct set *sets, unsigned nsets)
{
    uint64_t size = t->surface->size;
    unsigned char *before = malloc(size), *after = malloc(size);
    assert_true(before && after);
    unsigned char want[8][LANES * 8];
    memcpy(before, t->surface->texels, size);
    memcpy(want, t->data, sizeof want);
    enum surface_fault fault;
    uint32_t absent, faults = expect(t, want, &fault, &absent);
    memcpy(after, t->surface->texels, size);
    for (unsigned n = 0; n < nsets; n++) {
        memcpy(t->surface->texels, before, size);
        run_engine(t, sets[n].engine, NULL, faults, fault, absent, want);
        assert_memory_equal(t->surface->texels, after, size);
    }
    free(before);
    free(after);
}

/* What a load of quads must give: texel n of each is what a load of that place alone gives in red. */
static void expect_quads(const struct trial *t, unsigned char (*data)[LANES * 8], uint32_t *faults)
{
    static const int32_t dx[] = {1, 0, 1, 0}, dy[] = {0, 1, 1, 0};
    const uint8_t *axes = lane_geometries[surface_dim(t->surface, &t->access)].axes;
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t values[4] = {0};
        bool fault = false;
        for (unsigned n = 0; n < 4; n++) {
            int32_t coord[3] = {t->coord[0][lane], t->coord[1][lane], t->coord[2][lane]};
            uint64_t offset;
            uint32_t rgba[4];
            bool skip;
            coord[0] += coord[0] < INT32_MAX ? dx[n] : 0;
            coord[1] += axes[0] == LANE_AXIS_ROW && coord[1] < INT32_MAX ? dy[n] : 0;
            fault = surface_resolve(t->surface, &t->access, coord, t->bytes, &offset, &skip) != SURFACE_OK || fault;
            if (fault || skip)
                continue;
            format_load(t->surface->format, t->surface->texels + offset, rgba);
            values[n] = rgba[0];
        }
        if (!(t->mask >> lane & 1))
            continue;
        *faults |= (uint32_t)fault << lane;
        for (unsigned d = 0; d < t->count && !fault; d++)
            expect_register(t, data, d, lane, values[d], 4, false);
    }
}

/* Registers that a load fills may be those that say where. */
static void run_quads(struct trial *t, const struct set *sets, unsigned nsets)
{
    unsigned char want[8][LANES * 8];
    uint32_t faults = 0;
    bool same = t->width[0] == 32 && !(t->sinks & 1) && below(4) == 0;
    memcpy(want, t->data, sizeof want);
    if (same)
        memcpy(want[0], t->coord[0], sizeof t->coord[0]);
    expect_quads(t, want, &faults);
    for (unsigned n = 0; n < nsets; n++) {
        _Alignas(64) unsigned char mine[8][LANES * 8];
        struct surface_warp w = {.surface = t->surface, .access = &t->access, .mask = t->mask, .count = t->count};
        memcpy(mine, t->data, sizeof mine);
        memcpy(w.width, t->width, sizeof w.width);
        for (unsigned i = 0; i < 3; i++)
            w.coord[i] = t->coord[i];
        if (same) {
            memcpy(mine[0], t->coord[0], sizeof t->coord[0]);
            w.coord[0] = (const int32_t *)mine[0];
        }
        for (unsigned d = 0; d < 8; d++)
            w.data[d] = t->sinks >> d & 1 ? NULL : mine[d];
        assert_int_equal(sets[n].engine->load(&w), faults == 0);
        assert_int_equal(w.faults, faults);
        assert_memory_equal(mine, want, sizeof mine);
    }
}

/* Many accesses to one surface by one host thread that holds reductions back: each load sees what came before it, and
 * the end is the law's. `reductions`: what share of the accesses. */
static void run_sequence(struct surface *surface, const struct set *set, unsigned reductions)
{
    struct held held = {0};
    uint64_t size = surface->size;
    unsigned char *mine = malloc(size), *law = malloc(size);
    assert_true(mine && law);
    uint8_t mostly = (uint8_t)below(LANE_ATOMIC_XOR + 1);
    memcpy(mine, surface->texels, size);
    memcpy(law, surface->texels, size);
    for (unsigned i = 0; i < 60; i++) {
        struct trial t;
        unsigned char want[8][LANES * 8];
        enum surface_fault fault;
        uint32_t absent;
        memset(&t, 0, sizeof t);
        t.surface = surface;
        do
            random_access(&t);
        while ((t.kind == REDUCE) != (below(16) < reductions) ||
               (t.kind == REDUCE && t.access.atomic != mostly && below(8)));
        random_coords(&t);
        random_registers(&t);
        memcpy(want, t.data, sizeof want);
        memcpy(surface->texels, law, size);
        uint32_t faults = expect(&t, want, &fault, &absent);
        memcpy(law, surface->texels, size);
        memcpy(surface->texels, mine, size);
        run_engine(&t, set->engine, &held, faults, fault, absent, want);
        if (below(20) == 0)
            held_merge(&held);
        memcpy(mine, surface->texels, size);
    }
    held_merge(&held);
    assert_memory_equal(surface->texels, law, size);
    held_free(&held);
    free(mine);
    free(law);
}

/* Two surface objects with one memory: program order holds across them. */
static void views_share_what_is_held(void **unused)
{
    (void)unused;
    struct held held = {0};
    struct surface *s, part;
    assert_true(surface_create(LANE_DIM_1D, 64, 0, 0, 0, format_find("r32uint"), layout_find("pitch"), &s, NULL));
    part = *s;
    part.texels += 64; /* texels 16 to 63 */
    part.size -= 64;
    part.width = 48;
    part.row_bytes = 192;
    const struct lane_access add = {.type = LANE_U32, .vec = 1, .dim = LANE_DIM_1D, .atomic = LANE_ATOMIC_ADD};
    const struct lane_access or = {.type = LANE_B32, .vec = 1, .dim = LANE_DIM_1D, .atomic = LANE_ATOMIC_OR};
    int32_t whole_x[LANES], part_x[LANES];
    uint32_t three[LANES], four[LANES];
    for (unsigned i = 0; i < LANES; i++) {
        whole_x[i] = 64;
        part_x[i] = 0;
        three[i] = 3;
        four[i] = 4;
    }
    struct surface_warp w = {.surface = s, .access = &add, .held = &held, .mask = 1, .coord = {whole_x}, .count = 1};
    struct surface_warp v = {.surface = &part, .access = & or, .held = &held, .mask = 1, .coord = {part_x}, .count = 1};
    w.data[0] = three;
    v.data[0] = four;
    w.width[0] = v.width[0] = 32;
    for (unsigned i = 0; i < 3; i++) /* 3, 7; 10, 14; 17, 21 */
        assert_true(surface_engine_base.reduce(&w) && surface_engine_base.reduce(&v));
    v.access = &add;
    v.data[0] = part_x;
    assert_true(surface_engine_base.load(&v));
    assert_int_equal(part_x[0], 21);
    held_free(&held);
    surface_destroy(s);
}

static void held_reductions_keep_program_order(void **unused)
{
    (void)unused;
    struct set sets[3];
    unsigned nsets = host_sets(sets);
    for (unsigned i = 0; i < 1500; i++) {
        struct trial t;
        random_surface(&t);
        run_sequence(t.surface, &sets[i % nsets], i % 3 == 0 ? 8 : i % 3 == 1 ? 15 : 16);
        surface_destroy(t.surface);
    }
}

static void engines_equal_the_law(void **unused)
{
    (void)unused;
    struct set sets[3];
    unsigned nsets = host_sets(sets);
    for (unsigned i = 0; i < 60000; i++) {
        struct trial t;
        struct surface view, *whole;
        memset(&t, 0, sizeof t);
        random_surface(&t);
        whole = t.surface;
        if (below(8) == 0) {
            surface_at_level(whole, below(4), &view);
            t.surface = &view;
        }
        random_access(&t);
        random_coords(&t);
        random_registers(&t);
        run_trial(&t, sets, nsets);
        surface_destroy(whole);
    }
}

static void quads_are_four_loads(void **unused)
{
    (void)unused;
    struct set sets[3];
    unsigned nsets = host_sets(sets);
    for (unsigned i = 0; i < 20000; i++) {
        struct trial t;
        memset(&t, 0, sizeof t);
        random_surface(&t);
        t.surface->shape.quad = true;
        surface_disable(t.surface, t.surface->disabled); /* finds out what is direct */
        do
            random_access(&t);
        while (t.kind != LOAD || !t.access.formatted);
        t.access.unit = LANE_UNIT_SAMPLE;
        if (t.access.clamp == LANE_CLAMP_BORDER)
            t.access.clamp = LANE_CLAMP_NEAR;
        random_coords(&t);
        random_registers(&t);
        run_quads(&t, sets, nsets);
        surface_destroy(t.surface);
    }
}

/* A trial of 32-bit registers whose lanes are `wide` in a row; rows are `apart`. */
static void block_trial(struct trial *t, unsigned n, unsigned wide, int32_t x, int32_t y, int32_t apart)
{
    static const uint8_t clamps[] = {LANE_CLAMP_NEAR, LANE_CLAMP_ZERO, LANE_CLAMP_TRAP};
    random_registers(t);
    t->kind = n % 2 ? STORE : LOAD;
    t->sinks = n % 2 ? 0 : n & 0xe;
    t->mask = below(8) ? UINT32_MAX : (uint32_t)rnd();
    t->access = (struct lane_access){.space = LANE_SURFACE,
                                     .type = LANE_B32,
                                     .vec = 4,
                                     .dim = LANE_DIM_2D,
                                     .clamp = clamps[n / 16 % 3],
                                     .unit = LANE_UNIT_SAMPLE,
                                     .formatted = true};
    t->bytes = t->surface->format->bytes;
    t->count = 4;
    for (unsigned i = 0; i < LANES; i++) {
        t->coord[0][i] = x + (int32_t)(i % wide);
        t->coord[1][i] = y + (int32_t)(i / wide) * apart;
        t->width[i % 8] = 32;
    }
}

/* All places of blocks 8 and 16 wide, in and around small surfaces. */
static void blocks_equal_the_law(void **unused)
{
    (void)unused;
    static const char *const formats[] = {"r32float", "rgba32float", "r16unorm"};
    struct set sets[3];
    unsigned nsets = host_sets(sets), n = 0;
    for (unsigned k = 0; k < 3 * 3; k++) {
        struct trial t;
        uint32_t height = 3 + k / 3 * 3, width = k % 2 ? 20 : 9;
        memset(&t, 0, sizeof t);
        assert_true(surface_create(LANE_DIM_2D, width, height, 0, 0, format_find(formats[k % 3]), layout_find("pitch"),
                                   &t.surface, NULL));
        for (uint64_t i = 0; i < t.surface->size; i++)
            t.surface->texels[i] = (unsigned char)rnd();
        for (int32_t y = -5; y < (int32_t)height + 2; y++)
            for (int32_t x = -9; x < (int32_t)width + 2; x++, n++) {
                block_trial(&t, n, 8, x, y, 1);
                run_trial(&t, sets, nsets);
                block_trial(&t, n + 1, n % 3 ? 8 : 16, x, y, n % 5 ? 2 : 0);
                run_trial(&t, sets, nsets);
            }
        surface_destroy(t.surface);
    }
}

/* A surface whose bytes 32 bits cannot count; little of it is ever used. */
static void large_surfaces_equal_the_law(void **unused)
{
    (void)unused;
    struct set sets[3];
    unsigned nsets = host_sets(sets);
    struct surface *s;
    struct surface_shape shape = {.dim = LANE_DIM_2D, .width = 40, .height = 6, .format = format_find("r32uint")};
    shape.layout = layout_find("pitch");
    shape.settings[PITCH_BYTES] = UINT64_C(1) << 30;
    if (!surface_make(&shape, &s, NULL))
        skip(); /* the host has no memory for it */
    const struct lane_access a = {.type = LANE_U32,
                                  .vec = 1,
                                  .dim = LANE_DIM_2D,
                                  .atomic = LANE_ATOMIC_ADD,
                                  .clamp = LANE_CLAMP_NEAR,
                                  .unit = LANE_UNIT_SAMPLE};
    for (unsigned i = 0; i < 300; i++) {
        const struct surface_engine *e = sets[i % nsets].engine;
        _Alignas(64) int32_t coord[2][LANES];
        _Alignas(64) uint32_t stored[LANES], loaded[LANES];
        struct surface_warp w = {.surface = s, .access = &a, .mask = (uint32_t)rnd() | 1, .count = 1};
        for (unsigned l = 0; l < LANES; l++) {
            coord[0][l] = (int32_t)(i % 3 ? below(50) : l + 20) - 5;
            coord[1][l] = (int32_t)(i % 3 ? below(8) : 6) - 1;
            stored[l] = (uint32_t)rnd();
        }
        w.coord[0] = coord[0];
        w.coord[1] = coord[1];
        w.data[0] = stored;
        w.width[0] = 32;
        assert_true(e->store(&w) && e->reduce(&w));
        w.data[0] = loaded;
        assert_true(e->load(&w));
        for (unsigned l = 0; l < LANES; l++) {
            int32_t at[3] = {coord[0][l], coord[1][l], 0};
            uint64_t offset;
            bool skip;
            uint32_t texel;
            assert_int_equal(surface_resolve(s, &a, at, 4, &offset, &skip), SURFACE_OK);
            memcpy(&texel, s->texels + offset, 4);
            if (w.mask >> l & 1)
                assert_int_equal(loaded[l], texel);
            if (w.mask >> l == 1) /* nobody stored after it */
                assert_true(texel - stored[l] == stored[l] || i % 3 || coord[0][l] >= 39);
        }
    }
    surface_destroy(s);
}

/* Accesses that the verifier refuses do nothing but fault. */
static void impossible_accesses_fault(void **unused)
{
    (void)unused;
    static const struct lane_access bad[] = {
        {.type = LANE_B64, .vec = 4, .dim = LANE_DIM_1D},
        {.type = LANE_B8, .vec = 8, .dim = LANE_DIM_1D},
        {.type = LANE_B128, .vec = 1, .dim = LANE_DIM_1D},
        {.type = LANE_PRED, .vec = 1, .dim = LANE_DIM_1D},
    };
    struct set sets[3];
    unsigned nsets = host_sets(sets);
    int32_t x[LANES] = {0};
    uint64_t data[LANES] = {0};
    struct surface *s;
    assert_true(surface_create(LANE_DIM_1D, 64, 0, 0, 0, format_find("r32uint"), layout_find("pitch"), &s, NULL));
    for (unsigned n = 0; n < nsets; n++)
        for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
            struct surface_warp w = {.surface = s, .access = &bad[i], .mask = 6, .coord = {x, x, x}, .count = 1};
            w.data[0] = data;
            w.width[0] = 64;
            assert_false(sets[n].engine->load(&w));
            assert_int_equal(w.faults, 6);
            assert_int_equal(w.fault, SURFACE_FORMAT);
            assert_false(sets[n].engine->store(&w));
            assert_false(sets[n].engine->reduce(&w));
        }
    surface_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engines_equal_the_law),        cmocka_unit_test(held_reductions_keep_program_order),
        cmocka_unit_test(quads_are_four_loads),         cmocka_unit_test(views_share_what_is_held),
        cmocka_unit_test(impossible_accesses_fault),    cmocka_unit_test(blocks_equal_the_law),
        cmocka_unit_test(large_surfaces_equal_the_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

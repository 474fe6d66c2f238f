/* Surface accesses of a warp: suld, sust, sured and suatom for 32 lanes at once. Compiled once per instruction set of
 * the host (KERNEL_SET). The meaning is surface_resolve's, lane by lane; the tests hold the two against each other.
 *
 *   locate    checks and clamps the coordinates of all lanes, and finds which lanes lie side by side in memory ("runs")
 *   fetch/put move runs between texels and a packed array of 32 accesses, 1 to 16 bytes each
 *   unpack/pack  move between the packed array and registers
 *
 * When one run holds all 32 lanes, the texels themselves are the packed array; when the register's elements are as wide
 * as the access, the register is. A warp of a row then is one vector copy from texels to the register. */
#include "mem/atomic.h"
#include "mem/convert.h"
#include "mem/held.h"
#include "mem/lanes.h"
#include "mem/layout.h"

#include <string.h>

#ifndef KERNEL_SET
#define KERNEL_SET base
#endif
#define SET_PASTE2(a, b) a##_##b
#define SET_PASTE(a, b)  SET_PASTE2(a, b)
#define SET_NAME(name)   SET_PASTE(name, KERNEL_SET)

#define INLINE static inline __attribute__((always_inline))
#define ALL    UINT32_MAX

enum { ACCESS_LARGEST = 16 }; /* bytes */

/* log2 of the bytes of a type that a surface access can have; 255: none. */
static unsigned type_shift(uint8_t type)
{
    static const uint8_t shifts[LANE_TYPES] = {
        [LANE_VOID] = 255, [LANE_PRED] = 255, [LANE_B16] = 1,    [LANE_B32] = 2,   [LANE_B64] = 3,
        [LANE_B128] = 255, [LANE_U16] = 1,    [LANE_U32] = 2,    [LANE_U64] = 3,   [LANE_S16] = 1,
        [LANE_S32] = 2,    [LANE_S64] = 3,    [LANE_F16] = 1,    [LANE_BF16] = 1,  [LANE_F32] = 2,
        [LANE_F64] = 3,    [LANE_F16X2] = 2,  [LANE_BF16X2] = 2, [LANE_U16X2] = 2, [LANE_S16X2] = 2,
    };
    return type < LANE_TYPES ? shifts[type] : 255;
}

/* ---- where the lanes go ------------------------------------------------------------------------------------ */

/* The coordinates beyond x that a geometry has, in order. */
enum axis { AXIS_NONE, AXIS_ROW, AXIS_SLICE, AXIS_LAYER };
static const uint8_t axes[LANE_DIMS][2] = {
    [LANE_DIM_1D_ARRAY] = {AXIS_LAYER},
    [LANE_DIM_2D] = {AXIS_ROW},
    [LANE_DIM_2D_ARRAY] = {AXIS_ROW, AXIS_LAYER},
    [LANE_DIM_3D] = {AXIS_ROW, AXIS_SLICE},
};

struct place {
    const struct surface *surface;
    uint32_t go;    /* lanes that access memory */
    uint32_t zero;  /* lanes that read zeros or drop what they store */
    uint32_t joins; /* lane i's bytes lie right behind lane i - 1's */
    uint32_t same;  /* reductions: lane i goes where lane i - 1 goes */
    bool whole;     /* all 32 lanes are one run */
    bool halves;    /* lanes 0..15 are one run and lanes 16..31 are: blocks 16 wide */
    uint32_t scale; /* bytes of one step of x */
    unsigned naxes; /* coordinates beyond x */
    const int32_t *coord[3];
    uint64_t stride[3]; /* bytes of one step of coord[i] */
    uint32_t last[3];   /* largest valid coord[i] */
    int32_t clamped[3][LANES];
    uint64_t offset[LANES]; /* where each lane goes, unless the layout is linear */
};

INLINE unsigned char *address(const struct place *p, unsigned lane)
{
    const struct surface *s = p->surface;
    if (__builtin_expect(!s->layout->linear, 0))
        return s->texels + p->offset[lane];
    uint64_t offset = (uint64_t)(uint32_t)p->coord[0][lane] * p->scale;
    for (unsigned i = 1; i <= p->naxes; i++)
        offset += (uint64_t)(uint32_t)p->coord[i][lane] * p->stride[i];
    return s->texels + offset;
}

/* Row and slice of each lane, from the coordinates beyond x. Lanes that do not go anywhere get a nonsense. */
static void rows_and_slices(const struct place *p, uint32_t row[LANES], uint32_t slice[LANES])
{
    static const int32_t zeros[LANES];
    bool layers_only = p->surface->dim == LANE_DIM_1D_ARRAY;
    memcpy(row, p->naxes > 0 && !layers_only ? p->coord[1] : zeros, sizeof zeros);
    memcpy(slice, layers_only ? p->coord[1] : p->naxes > 1 ? p->coord[2] : zeros, sizeof zeros);
}

/* Where each lane goes in a layout that is not linear. */
static void place_lanes(struct place *p)
{
    const struct surface *s = p->surface;
    uint32_t row[LANES], slice[LANES];
    rows_and_slices(p, row, slice);
    if (s->layout->gobs) {
        for (unsigned lane = 0; lane < LANES; lane++)
            p->offset[lane] =
                layout_block_offset(s, (uint64_t)(uint32_t)p->coord[0][lane] * p->scale, row[lane], slice[lane]);
        return;
    }
    for (uint32_t todo = p->go; todo; todo &= todo - 1) {
        unsigned lane = (unsigned)__builtin_ctz(todo);
        p->offset[lane] =
            s->layout->offset(s, (uint64_t)(uint32_t)p->coord[0][lane] * p->scale, row[lane], slice[lane]);
    }
}

/* Where the lanes of p->go lie in the surface. */
INLINE void lane_offsets(const struct place *p, uint64_t offsets[LANES])
{
    if (!p->surface->layout->linear) {
        memcpy(offsets, p->offset, sizeof p->offset);
        return;
    }
    for (unsigned lane = 0; lane < LANES; lane++)
        offsets[lane] = (uint64_t)(uint32_t)p->coord[0][lane] * p->scale;
    for (unsigned i = 1; i <= p->naxes; i++)
        for (unsigned lane = 0; lane < LANES; lane++)
            offsets[lane] += (uint64_t)(uint32_t)p->coord[i][lane] * p->stride[i];
}

static void set_axes(struct place *p, uint8_t dim)
{
    const struct surface *s = p->surface;
    p->naxes = 0;
    for (unsigned i = 0; i < 2 && axes[dim][i]; i++) {
        bool row = axes[dim][i] == AXIS_ROW;
        p->stride[i + 1] = row ? s->pitch : s->slice_pitch;
        p->last[i + 1] = (row ? s->height : s->slices) - 1;
        p->naxes = i + 1;
    }
}

/* Lanes whose position follows from their left neighbour's by `step` in x. */
INLINE uint32_t neighbours(const struct place *p, uint32_t step)
{
    uint32_t bits = lanes_continue(p->coord[0], step);
    for (unsigned i = 1; i <= p->naxes; i++)
        bits &= lanes_continue(p->coord[i], 0);
    return bits;
}

/* Whether a run of `count` lanes from `start` lies in range as a whole: its first and last lane decide. */
INLINE bool run_inside(const struct place *p, unsigned start, unsigned count, uint32_t step, uint32_t misaligned)
{
    int64_t first = p->coord[0][start];
    bool inside = first >= 0 && first + (int64_t)(count - 1) * step <= p->last[0] && !((uint32_t)first & misaligned);
    for (unsigned i = 1; i <= p->naxes; i++)
        inside = inside && (uint32_t)p->coord[i][start] <= p->last[i];
    return inside;
}

/* .clamp: every coordinate to the nearest valid one. Signed, except for layers. */
static void clamp_near(struct place *p, uint8_t dim)
{
    for (unsigned i = 0; i <= p->naxes; i++) {
        const int32_t *from = p->coord[i];
        int32_t *to = p->clamped[i], last = (int32_t)p->last[i];
        if (i > 0 && axes[dim][i - 1] == AXIS_LAYER)
            for (unsigned lane = 0; lane < LANES; lane++)
                to[lane] = (uint32_t)from[lane] < (uint32_t)last ? from[lane] : last;
        else
            for (unsigned lane = 0; lane < LANES; lane++) {
                int32_t v = from[lane] > 0 ? from[lane] : 0;
                to[lane] = v < last ? v : last;
            }
        p->coord[i] = to;
    }
}

static void all_fault(struct surface_warp *w, struct place *p, enum surface_fault fault)
{
    p->go = p->zero = p->joins = p->same = 0;
    p->whole = p->halves = false;
    w->faults = w->mask;
    w->absent = 0;
    w->fault = w->mask ? fault : SURFACE_OK;
}

/* The general case: lanes differ in what becomes of them. */
static void settle(struct surface_warp *w, struct place *p, uint32_t step, uint32_t misaligned, bool fits)
{
    const struct lane_access *a = w->access;
    uint32_t bad = misaligned ? lanes_test(p->coord[0], misaligned) & w->mask : 0;
    uint32_t inside = fits ? lanes_upto(p->coord[0], p->last[0]) : 0;
    for (unsigned i = 1; i <= p->naxes; i++)
        inside &= lanes_upto(p->coord[i], p->last[i]);
    uint32_t outside = w->mask & ~inside & ~bad;
    w->faults = bad;
    if (outside && a->clamp == LANE_CLAMP_NEAR && fits) {
        clamp_near(p, a->dim);
        p->joins = neighbours(p, step);
    } else if (a->clamp == LANE_CLAMP_ZERO) {
        p->zero = outside;
    } else {
        w->faults |= outside;
    }
    p->go = w->mask & ~w->faults & ~p->zero;
    if (w->faults)
        w->fault = bad & w->faults & -w->faults ? SURFACE_MISALIGNED : SURFACE_OUT_OF_BOUNDS;
    p->whole = p->go == ALL && (p->joins | 1) == ALL;
}

/* What the layout, and tiles that are not resident, make of lanes that are in range. Runs are the bytes that lie side
 * by side: 16 in a GOB. */
static void settle_places(struct surface_warp *w, struct place *p, uint32_t bytes)
{
    const struct surface *s = p->surface;
    uint64_t offsets[LANES];
    if (!s->layout->linear)
        place_lanes(p);
    lane_offsets(p, offsets);
    for (uint32_t todo = s->missing ? p->go : 0; todo; todo &= todo - 1) {
        unsigned lane = (unsigned)__builtin_ctz(todo);
        w->absent |= (uint32_t)surface_missing(s, offsets[lane]) << lane;
    }
    p->go &= ~w->absent;
    p->zero |= w->absent;
    p->joins = 0;
    for (unsigned lane = 1; lane < LANES; lane++)
        p->joins |= (uint32_t)(offsets[lane] == offsets[lane - 1] + bytes) << lane;
    p->whole = p->halves = false;
}

/* Nobody goes anywhere, and everybody is content. */
static void all_zero(const struct surface_warp *w, struct place *p)
{
    p->go = p->joins = p->same = 0;
    p->zero = w->mask;
    p->whole = p->halves = false;
}

/* Fills in *p and the faults of *w for accesses of 1 << shift bytes. */
INLINE void locate(struct surface_warp *w, unsigned shift, struct place *p)
{
    const struct surface *s = w->surface;
    const struct lane_access *a = w->access;
    p->surface = s;
    w->faults = w->absent = 0;
    w->fault = SURFACE_OK;
    if (__builtin_expect(s->disabled, 0)) {
        all_zero(w, p);
        return;
    }
    if (!surface_dim_fits(s->dim, a->dim)) {
        all_fault(w, p, SURFACE_DIMENSION);
        return;
    }
    bool byte_unit = a->unit == LANE_UNIT_BYTE;
    uint32_t bytes = UINT32_C(1) << shift, step = byte_unit ? bytes : 1, misaligned = step - 1;
    uint32_t room = s->row_bytes >> shift; /* accesses that fit in a row */
    p->scale = byte_unit ? 1 : bytes;
    p->last[0] = room ? (room - 1) * step : 0;
    for (unsigned i = 0; i < 3; i++)
        p->coord[i] = w->coord[i];
    set_axes(p, a->dim);
    p->zero = 0;
    p->go = w->mask;
    p->joins = neighbours(p, step);
    p->whole = (p->joins | 1) == ALL && w->mask == ALL && room && run_inside(p, 0, LANES, step, misaligned);
    p->halves = false;
    if (!p->whole) {
        p->halves = (p->joins | 0x00010001) == ALL && w->mask == ALL && room &&
                    run_inside(p, 0, LANES / 2, step, misaligned) &&
                    run_inside(p, LANES / 2, LANES / 2, step, misaligned);
        if (!p->halves)
            settle(w, p, step, misaligned, room != 0);
    }
    if (__builtin_expect(!s->direct, 0))
        settle_places(w, p, bytes);
}

/* ---- texels <-> packed array --------------------------------------------------------------------------------- */

INLINE void copy_run(unsigned char *to, const unsigned char *from, size_t size)
{
    switch (size) {
    case 32:
        memcpy(to, from, 32);
        break;
    case 64:
        memcpy(to, from, 64);
        break;
    case 128:
        memcpy(to, from, 128);
        break;
    default:
        memcpy(to, from, size);
    }
}

/* Beyond so many runs, lane by lane is faster. */
enum { RUNS_MANY = 8 };

/* Moves the lanes of p->go one at a time. */
INLINE void move_lanes(const struct place *p, unsigned char *packed, size_t bytes, bool out)
{
    const struct surface *s = p->surface;
    uint64_t offsets[LANES];
    lane_offsets(p, offsets);
    for (uint32_t todo = p->go; todo; todo &= todo - 1) {
        unsigned lane = (unsigned)__builtin_ctz(todo);
        unsigned char *texel = s->texels + offsets[lane];
        if (out)
            memcpy(texel, packed + lane * bytes, bytes);
        else
            memcpy(packed + lane * bytes, texel, bytes);
    }
}

INLINE void move(const struct place *p, unsigned char *packed, size_t bytes, bool out)
{
    if (p->halves) {
        for (unsigned start = 0; start < LANES; start += LANES / 2) {
            unsigned char *texel = address(p, start), *mine = packed + start * bytes;
            memcpy(out ? texel : mine, out ? mine : texel, LANES / 2 * bytes);
        }
        return;
    }
    if (__builtin_popcount(p->go & ~p->joins) > RUNS_MANY) {
        move_lanes(p, packed, bytes, out);
        return;
    }
    for (uint32_t todo = p->go; todo;) {
        unsigned start = (unsigned)__builtin_ctz(todo), end = lanes_run_end(p->go, p->joins, start);
        unsigned char *texel = address(p, start), *mine = packed + start * bytes;
        if (out)
            copy_run(texel, mine, (end - start) * bytes);
        else
            copy_run(mine, texel, (end - start) * bytes);
        todo &= lanes_from(end);
    }
}

/* One copy for each size, so that single accesses are single instructions. */
#define MOVES(shift)                                                        \
    static void fetch_##shift(const struct place *p, unsigned char *packed) \
    {                                                                       \
        move(p, packed, (size_t)1 << shift, false);                         \
    }                                                                       \
    static void put_##shift(const struct place *p, unsigned char *packed)   \
    {                                                                       \
        move(p, packed, (size_t)1 << shift, true);                          \
    }
MOVES(0)
MOVES(1)
MOVES(2)
MOVES(3)
MOVES(4)

typedef void mover(const struct place *, unsigned char *);
static mover *const fetch[] = {fetch_0, fetch_1, fetch_2, fetch_3, fetch_4};
static mover *const put[] = {put_0, put_1, put_2, put_3, put_4};

/* A run of all lanes. */
INLINE void copy_all(void *to, const void *from, unsigned shift)
{
    switch (shift) {
    case 0:
        memcpy(to, from, LANES);
        break;
    case 1:
        memcpy(to, from, 2 * LANES);
        break;
    case 2:
        memcpy(to, from, 4 * LANES);
        break;
    case 3:
        memcpy(to, from, 8 * LANES);
        break;
    default:
        memcpy(to, from, 16 * LANES);
    }
}

/* ---- packed array -> registers --------------------------------------------------------------------------------- */

/* An access of up to 8 bytes is one little-endian word, of which a register gets (word >> shift) & mask; of 16 bytes,
 * two 64-bit words, of which `half` says which. */
#define UNPACK(raw, reg, words)                                                                                  \
    static void unpack_##raw##_##reg(const void *packed, unsigned half, unsigned shift, uint64_t mask, void *to) \
    {                                                                                                            \
        const uint##raw##_t *from = (const uint##raw##_t *)packed + half;                                        \
        uint##reg##_t *out = to;                                                                                 \
        uint##raw##_t ones = (uint##raw##_t)mask;                                                                \
        for (unsigned i = 0; i < LANES; i++)                                                                     \
            out[i] = (uint##reg##_t)(from[words * i] >> shift & ones);                                           \
    }
#define UNPACK2(reg)                                                                                         \
    static void unpack_128_##reg(const void *packed, unsigned half, unsigned shift, uint64_t mask, void *to) \
    {                                                                                                        \
        const uint64_t *from = (const uint64_t *)packed + half;                                              \
        uint##reg##_t *out = to;                                                                             \
        for (unsigned i = 0; i < LANES; i++)                                                                 \
            out[i] = (uint##reg##_t)(from[2 * i] >> shift & mask);                                           \
    }
#define UNPACKS(raw) UNPACK(raw, 8, 1) UNPACK(raw, 16, 1) UNPACK(raw, 32, 1) UNPACK(raw, 64, 1)
UNPACKS(8)
UNPACKS(16)
UNPACKS(32)
UNPACKS(64)
UNPACK2(8)
UNPACK2(16)
UNPACK2(32)
UNPACK2(64)

typedef void unpacker(const void *, unsigned, unsigned, uint64_t, void *);
#define UNPACK_ROW(raw)                                                           \
    {                                                                             \
        unpack_##raw##_8, unpack_##raw##_16, unpack_##raw##_32, unpack_##raw##_64 \
    }
static unpacker *const unpack[5][4] = {UNPACK_ROW(8), UNPACK_ROW(16), UNPACK_ROW(32), UNPACK_ROW(64), UNPACK_ROW(128)};

/* 8, 16, 32, 64 bits: 0 to 3. */
static unsigned width_index(uint8_t bits)
{
    return (unsigned)__builtin_ctz(bits) - 3;
}

#define BLEND(reg)                                                     \
    static void blend_##reg(void *to, const void *from, uint32_t mask) \
    {                                                                  \
        uint##reg##_t *out = to;                                       \
        const uint##reg##_t *in = from;                                \
        for (unsigned i = 0; i < LANES; i++)                           \
            out[i] = mask >> i & 1 ? in[i] : out[i];                   \
    }
BLEND(8)
BLEND(16)
BLEND(32)
BLEND(64)
static void (*const blend[4])(void *, const void *, uint32_t) = {blend_8, blend_16, blend_32, blend_64};

/* Registers whose elements are wider than the memory's: bit `bit` is copied into all above it. */
#define EXTEND(reg)                                                                 \
    static void extend_##reg(void *values, unsigned bit)                            \
    {                                                                               \
        uint##reg##_t *v = values, sign = (uint##reg##_t)((uint##reg##_t)1 << bit); \
        for (unsigned i = 0; i < LANES; i++)                                        \
            v[i] = (uint##reg##_t)((v[i] ^ sign) - sign);                           \
    }
EXTEND(8)
EXTEND(16)
EXTEND(32)
EXTEND(64)
static void (*const extend[4])(void *, unsigned) = {extend_8, extend_16, extend_32, extend_64};

static bool type_signed(uint8_t type)
{
    return type >= LANE_S8 && type <= LANE_S64;
}

/* Distributes the components of the packed accesses (element 1 << es bytes, access 1 << shift) over the registers. */
static void spread(const struct surface_warp *w, const void *packed, unsigned es, unsigned shift, uint32_t lanes)
{
    uint64_t mask = UINT64_MAX >> (64 - (8u << es));
    for (unsigned d = 0; d < w->count; d++) {
        if (!w->data[d])
            continue;
        unsigned bit = (d < w->access->vec ? d : 0) * (8u << es), width = width_index(w->width[d]);
        uint64_t scratch[LANES];
        void *to = lanes == ALL ? w->data[d] : scratch;
        unpack[shift][width](packed, bit / 64, bit % 64, mask, to);
        if (type_signed(w->access->type) && width > es)
            extend[width](to, (8u << es) - 1);
        if (lanes != ALL)
            blend[width](w->data[d], scratch, lanes);
    }
}

/* 32 components of one channel, as registers see them; the meaning is convert.h's, as in format_load. */
static void decode_channel(uint8_t kind, unsigned bits, uint32_t *values)
{
    bool is_signed = kind == FORMAT_SINT || kind == FORMAT_SNORM;
    uint32_t max = convert_max(is_signed ? bits - 1 : bits);
    if (is_signed && bits < 32)
        extend_32(values, bits - 1);
    if (kind == FORMAT_UNORM)
        for (unsigned i = 0; i < LANES; i++)
            values[i] = convert_from_unorm(values[i], max);
    else if (kind == FORMAT_SNORM)
        for (unsigned i = 0; i < LANES; i++)
            values[i] = convert_from_snorm((int32_t)values[i], max);
    else if (kind == FORMAT_FLOAT && bits == 16)
        for (unsigned i = 0; i < LANES; i++)
            values[i] = f16_to_f32_bits((uint16_t)values[i]);
    else if (kind == FORMAT_FLOAT && bits != 32)
        for (unsigned i = 0; i < LANES; i++)
            values[i] = convert_from_small(values[i], bits);
}

/* Component c of all lanes; a channel that the format does not have is 0, alpha 1. */
static void decode_component(const struct format *f, unsigned c, unsigned shift, const void *packed,
                             uint32_t values[LANES])
{
    unsigned bits = f->bits[c], at = f->shift[c];
    if (bits) {
        unpack[shift][2](packed, at / 64, at % 64, convert_max(bits), values);
        decode_channel(f->kind, bits, values);
        return;
    }
    bool integer = f->kind == FORMAT_UINT || f->kind == FORMAT_SINT;
    uint32_t value = c < 3 ? 0 : integer ? 1 : f32_bits(1.0f);
    for (unsigned i = 0; i < LANES; i++)
        values[i] = value;
}

/* Formatted loads: data[c] gets component c. Lanes that read nothing get 0 in all of them. */
static void spread_texels(const struct surface_warp *w, const struct place *p, unsigned shift, const void *packed)
{
    for (unsigned c = 0; c < w->count && c < 4; c++) {
        uint32_t values[LANES];
        uint64_t wide[LANES] = {0};
        if (!w->data[c])
            continue;
        decode_component(w->surface->format, c, shift, packed, values);
        for (unsigned i = 0; i < LANES; i++)
            values[i] = p->zero >> i & 1 ? 0 : values[i];
        if (w->width[c] == 64)
            for (unsigned i = 0; i < LANES; i++)
                wide[i] = values[i];
        blend[width_index(w->width[c])](w->data[c], w->width[c] == 64 ? (void *)wide : values, p->go | p->zero);
    }
}

/* ---- registers -> packed array --------------------------------------------------------------------------------- */

/* acc[i] |= (register[i] & mask) << shift */
#define JOIN(acc, reg)                                                                        \
    static void join_##acc##_##reg(void *to, const void *from, uint64_t mask, unsigned shift) \
    {                                                                                         \
        uint##acc##_t *out = to, ones = (uint##acc##_t)mask;                                  \
        const uint##reg##_t *in = from;                                                       \
        for (unsigned i = 0; i < LANES; i++)                                                  \
            out[i] |= ((uint##acc##_t)in[i] & ones) << shift;                                 \
    }
JOIN(32, 8)
JOIN(32, 16)
JOIN(32, 32)
JOIN(32, 64)
JOIN(64, 8)
JOIN(64, 16)
JOIN(64, 32)
JOIN(64, 64)

typedef void joiner(void *, const void *, uint64_t, unsigned);
static joiner *const join[2][4] = {{join_32_8, join_32_16, join_32_32, join_32_64},
                                   {join_64_8, join_64_16, join_64_32, join_64_64}};

/* 32 accesses under construction: as 32-bit words up to 4 bytes, else as one or two 64-bit words each. */
union words {
    uint32_t w32[LANES];
    uint64_t w64[2][LANES];
};

/* Adds a component of `bits` bits at bit position `at` of accesses of 1 << shift bytes. */
static void add_component(union words *words, unsigned shift, const void *from, uint8_t width, unsigned bits,
                          unsigned at)
{
    uint64_t mask = UINT64_MAX >> (64 - bits);
    bool wide = shift > 2;
    join[wide][width_index(width)](wide ? words->w64[at / 64] : (void *)words->w32, from, mask, at % 64);
}

/* Lays the accesses side by side in `packed`. */
static void finish(const union words *words, unsigned shift, unsigned char *packed)
{
    uint16_t *out16 = (uint16_t *)packed;
    uint64_t *out64 = (uint64_t *)packed;
    switch (shift) {
    case 0:
        for (unsigned i = 0; i < LANES; i++)
            packed[i] = (uint8_t)words->w32[i];
        break;
    case 1:
        for (unsigned i = 0; i < LANES; i++)
            out16[i] = (uint16_t)words->w32[i];
        break;
    case 2:
        memcpy(packed, words->w32, sizeof words->w32);
        break;
    case 3:
        memcpy(packed, words->w64[0], sizeof words->w64[0]);
        break;
    default:
        for (unsigned i = 0; i < LANES; i++) {
            out64[2 * i] = words->w64[0][i];
            out64[2 * i + 1] = words->w64[1][i];
        }
    }
}

/* sust.b */
static void gather(const struct surface_warp *w, unsigned es, unsigned shift, unsigned char *packed)
{
    union words words;
    memset(&words, 0, sizeof words);
    for (unsigned d = 0; d < w->access->vec && d < w->count; d++)
        if (w->data[d])
            add_component(&words, shift, w->data[d], w->width[d], 8u << es, d * (8u << es));
    finish(&words, shift, packed);
}

/* 32 components of one channel; the meaning is convert.h's, as in format_store. */
static void convert_channel(uint8_t kind, unsigned bits, const uint32_t *in, uint32_t *out)
{
    uint32_t max = convert_max(kind == FORMAT_SINT || kind == FORMAT_SNORM ? bits - 1 : bits);
    switch (kind) {
    case FORMAT_UNORM:
        for (unsigned i = 0; i < LANES; i++)
            out[i] = convert_to_unorm(in[i], max);
        break;
    case FORMAT_SNORM:
        for (unsigned i = 0; i < LANES; i++)
            out[i] = convert_to_snorm(in[i], max);
        break;
    case FORMAT_UINT:
        for (unsigned i = 0; i < LANES; i++)
            out[i] = convert_to_uint(in[i], max);
        break;
    case FORMAT_SINT:
        for (unsigned i = 0; i < LANES; i++)
            out[i] = convert_to_sint(in[i], max);
        break;
    default: /* FORMAT_FLOAT */
        if (bits == 32)
            memcpy(out, in, LANES * sizeof *out);
        else if (bits == 16)
            for (unsigned i = 0; i < LANES; i++)
                out[i] = convert_to_f16(in[i]);
        else
            for (unsigned i = 0; i < LANES; i++)
                out[i] = convert_to_small(in[i], bits);
    }
}

/* sust.p: registers that are not given count as 0 (RTX 3060 measurement), which is converted like any other value. */
static void gather_texels(const struct surface_warp *w, unsigned shift, unsigned char *packed)
{
    const struct format *f = w->surface->format;
    union words words;
    memset(&words, 0, sizeof words);
    for (unsigned c = 0; c < f->channels && c < w->count; c++) {
        uint32_t values[LANES] = {0}, texels[LANES];
        if (!w->data[c])
            continue;
        join[0][width_index(w->width[c])](values, w->data[c], UINT32_MAX, 0);
        convert_channel(f->kind, f->bits[c], values, texels);
        add_component(&words, shift, texels, 32, f->bits[c], f->shift[c]);
    }
    finish(&words, shift, packed);
}

/* ---- the engine ------------------------------------------------------------------------------------------------- */

/* log2 of the bytes of the whole access, and of its element in *es; 255: no such access. */
INLINE unsigned access_shift(const struct lane_access *a, unsigned *es)
{
    *es = type_shift(a->type);
    bool vec_ok = a->vec == 1 || a->vec == 2 || a->vec == 4;
    if (*es == 255 || !vec_ok || ((unsigned)a->vec << *es) > ACCESS_LARGEST)
        return 255;
    return *es + (unsigned)__builtin_ctz(a->vec);
}

static void clear_lanes(unsigned char *packed, unsigned shift, uint32_t lanes)
{
    for (; lanes; lanes &= lanes - 1)
        memset(packed + ((size_t)__builtin_ctz(lanes) << shift), 0, (size_t)1 << shift);
}

/* The commonest access of all, without general machinery: 32-bit elements by byte coordinates in a 2D surface, each
 * half of the warp a run in a row (blocks 16 wide make two of them). Finds where the halves lie; false: use the general
 * way, which also knows what to do with every lane that is out of range. */
INLINE bool two_rows(struct surface_warp *w, unsigned char *row[2])
{
    const struct surface *s = w->surface;
    const struct lane_access *a = w->access;
    if (a->dim != LANE_DIM_2D || s->dim != LANE_DIM_2D || a->unit != LANE_UNIT_BYTE || a->formatted || a->vec != 1 ||
        w->mask != ALL || w->count != 1 || w->width[0] != 32 || !w->data[0] || !s->direct || type_shift(a->type) != 2)
        return false;
    if (((lanes_continue(w->coord[0], 4) & lanes_continue(w->coord[1], 0)) | 0x00010001) != ALL)
        return false;
    for (unsigned half = 0; half < 2; half++) {
        int32_t x = w->coord[0][half * (LANES / 2)], y = w->coord[1][half * (LANES / 2)];
        if (x < 0 || x % 4 != 0 || (uint64_t)(uint32_t)x + 4 * (LANES / 2) > s->row_bytes || (uint32_t)y >= s->height)
            return false;
        row[half] = s->texels + (uint64_t)(uint32_t)y * s->pitch + (uint32_t)x;
    }
    w->faults = w->absent = 0;
    w->fault = SURFACE_OK;
    return true;
}

/* Loads and stores, and reductions that cannot be held back, come after those of the host thread that are. */
INLINE void settle_held(const struct surface_warp *w)
{
    if (w->held && w->held->any)
        held_merge_surface(w->held, w->surface);
}

/* Through the surface's format, into up to four registers. */
static bool load_texels(struct surface_warp *w)
{
    struct place p;
    _Alignas(64) unsigned char packed[LANES * ACCESS_LARGEST] = {0};
    unsigned shift = (unsigned)__builtin_ctz(w->surface->format->bytes);
    locate(w, shift, &p);
    if (p.go | p.zero) {
        fetch[shift](&p, packed);
        spread_texels(w, &p, shift, packed);
    }
    return w->faults == 0;
}

static bool load(struct surface_warp *w)
{
    struct place p;
    unsigned char *row[2];
    settle_held(w);
    if (two_rows(w, row)) {
        memcpy(w->data[0], row[0], 2 * LANES);
        memcpy((unsigned char *)w->data[0] + 2 * LANES, row[1], 2 * LANES);
        return true;
    }
    if (w->access->formatted)
        return load_texels(w);
    unsigned es, shift = access_shift(w->access, &es);
    if (shift == 255) {
        all_fault(w, &p, SURFACE_FORMAT);
        return w->faults == 0;
    }
    locate(w, shift, &p);
    bool direct = w->count == 1 && es == shift && w->width[0] == 8u << es && w->data[0];
    if (direct && p.whole) {
        copy_all(w->data[0], address(&p, 0), shift);
    } else if (direct) {
        fetch[shift](&p, w->data[0]);
        clear_lanes(w->data[0], shift, p.zero);
    } else if (p.whole) {
        spread(w, address(&p, 0), es, shift, ALL);
    } else if (p.go | p.zero) {
        _Alignas(64) unsigned char packed[LANES * ACCESS_LARGEST];
        memset(packed, 0, (size_t)LANES << shift);
        fetch[shift](&p, packed);
        spread(w, packed, es, shift, p.go | p.zero);
    }
    return w->faults == 0;
}

static bool store(struct surface_warp *w)
{
    struct place p;
    unsigned char *row[2];
    settle_held(w);
    if (two_rows(w, row)) {
        memcpy(row[0], w->data[0], 2 * LANES);
        memcpy(row[1], (unsigned char *)w->data[0] + 2 * LANES, 2 * LANES);
        return true;
    }
    _Alignas(64) unsigned char buffer[LANES * ACCESS_LARGEST];
    unsigned char *packed = buffer;
    bool formatted = w->access->formatted;
    const struct format *f = w->surface->format;
    unsigned es = 0, shift = formatted ? (unsigned)__builtin_ctz(f->bytes) : access_shift(w->access, &es);
    if (shift == 255) {
        all_fault(w, &p, SURFACE_FORMAT);
        return w->faults == 0;
    }
    locate(w, shift, &p);
    if (!p.go)
        return w->faults == 0;
    /* Registers that already look like texels. */
    bool plain = formatted ? f->channels == 1 && f->bits[0] == 32 : es == shift;
    if (plain && w->count && w->data[0] && w->width[0] == 8u << shift)
        packed = w->data[0];
    else if (formatted)
        gather_texels(w, shift, packed);
    else
        gather(w, es, shift, packed);
    if (p.whole)
        copy_all(address(&p, 0), packed, shift);
    else
        put[shift](&p, packed);
    return w->faults == 0;
}

/* ---- reductions ---------------------------------------------------------------------------------------------------
 */

/* Values are held in 64 bits, sign- or zero-extended by the reduction's type, so that one comparison serves all. */
INLINE uint64_t combine(uint8_t op, bool is_signed, uint64_t a, uint64_t b)
{
    bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;
    switch (op) {
    case LANE_ATOMIC_ADD:
        return a + b;
    case LANE_ATOMIC_MIN:
        return less ? a : b;
    case LANE_ATOMIC_MAX:
        return less ? b : a;
    case LANE_ATOMIC_AND:
        return a & b;
    case LANE_ATOMIC_OR:
        return a | b;
    default: /* LANE_ATOMIC_XOR */
        return a ^ b;
    }
}

#define UPDATE(bits)                                                                                                  \
    INLINE void update_##bits(void *target, uint8_t op, bool is_signed, uint64_t value)                               \
    {                                                                                                                 \
        uint##bits##_t *t = target, v = (uint##bits##_t)value, old, new;                                              \
        switch (op) {                                                                                                 \
        case LANE_ATOMIC_ADD:                                                                                         \
            __atomic_fetch_add(t, v, __ATOMIC_RELAXED);                                                               \
            return;                                                                                                   \
        case LANE_ATOMIC_AND:                                                                                         \
            __atomic_fetch_and(t, v, __ATOMIC_RELAXED);                                                               \
            return;                                                                                                   \
        case LANE_ATOMIC_OR:                                                                                          \
            __atomic_fetch_or(t, v, __ATOMIC_RELAXED);                                                                \
            return;                                                                                                   \
        case LANE_ATOMIC_XOR:                                                                                         \
            __atomic_fetch_xor(t, v, __ATOMIC_RELAXED);                                                               \
            return;                                                                                                   \
        default:                                                                                                      \
            break;                                                                                                    \
        }                                                                                                             \
        old = __atomic_load_n(t, __ATOMIC_RELAXED);                                                                   \
        do {                                                                                                          \
            uint64_t seen = is_signed ? (uint64_t)(int##bits##_t)old : old;                                           \
            new = (uint##bits##_t)combine(op, is_signed, seen, value);                                                \
        } while (new != old && !__atomic_compare_exchange_n(t, &old, new, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)); \
    }
UPDATE(32)
UPDATE(64)

INLINE void update(void *target, unsigned shift, uint8_t op, bool is_signed, uint64_t value)
{
    if (shift == 2)
        update_32(target, op, is_signed, value);
    else
        update_64(target, op, is_signed, value);
}

/* The source register of a reduction, extended to 64 bits by its type. */
static void widen(const struct surface_warp *w, unsigned shift, bool is_signed, uint64_t values[LANES])
{
    memset(values, 0, LANES * sizeof *values);
    join[1][width_index(w->width[0])](values, w->data[0], shift == 2 ? UINT32_MAX : UINT64_MAX, 0);
    if (is_signed && shift == 2)
        for (unsigned i = 0; i < LANES; i++)
            values[i] = (uint64_t)(int32_t)values[i];
}

#if defined(__x86_64__) && defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_16)
#define HAVE_ADD_FOUR 1
/* Adds v[0..4) to the words at t, which is 16-byte aligned, in one step: each word's addition is indivisible. One
 * locked instruction for four lanes is 2 to 3 times faster than four (Zen 4 and 5). In assembler, because compilers
 * turn the builtin into a call of libatomic. */
INLINE void add_four(uint32_t *t, const uint64_t *v)
{
    uint64_t low = __atomic_load_n((uint64_t *)t, __ATOMIC_RELAXED);
    uint64_t high = __atomic_load_n((uint64_t *)t + 1, __ATOMIC_RELAXED);
    bool done;
    do {
        uint64_t new_low = (uint32_t)(low + v[0]) | ((low >> 32) + v[1]) << 32;
        uint64_t new_high = (uint32_t)(high + v[2]) | ((high >> 32) + v[3]) << 32;
        __asm__ __volatile__("lock cmpxchg16b %[memory]"
                             : [memory] "+m"(*(unsigned char(*)[16])t), "+a"(low), "+d"(high), "=@ccz"(done)
                             : "b"(new_low), "c"(new_high));
    } while (!done);
}
#endif

/* Lanes side by side: adds v[i] to t[i]. */
INLINE void add_run(uint32_t *t, const uint64_t *v, unsigned count)
{
    unsigned i = 0;
#if defined(HAVE_ADD_FOUR)
    for (; i < count && (uintptr_t)(t + i) % 16; i++)
        __atomic_fetch_add(t + i, (uint32_t)v[i], __ATOMIC_RELAXED);
    for (; i + 4 <= count; i += 4)
        add_four(t + i, v + i);
#endif
    for (; i < count; i++)
        __atomic_fetch_add(t + i, (uint32_t)v[i], __ATOMIC_RELAXED);
}

/* Combines v with an element that no other host thread knows. */
INLINE void hold(void *element, unsigned shift, uint8_t op, bool is_signed, uint64_t v)
{
    uint32_t e32;
    uint64_t e64;
    if (shift == 2) {
        memcpy(&e32, element, 4);
        e32 = (uint32_t)combine(op, is_signed, is_signed ? (uint64_t)(int32_t)e32 : e32, v);
        memcpy(element, &e32, 4);
    } else {
        memcpy(&e64, element, 8);
        e64 = combine(op, is_signed, e64, v);
        memcpy(element, &e64, 8);
    }
}

/* Lanes that hit one element as their left neighbour does: from so many on, runs are combined first. */
enum { SAME_MANY = LANES / 2 };

/* The reductions of p->go into the elements that the host thread holds back. */
static void reduce_held(const struct surface_warp *w, const struct place *p, unsigned shift, bool is_signed,
                        const uint64_t values[LANES], unsigned char *elements)
{
    uint8_t op = w->access->atomic;
    uint64_t offsets[LANES];
    lane_offsets(p, offsets);
    if (op == LANE_ATOMIC_ADD && shift == 2 && __builtin_popcount(p->go & p->same) < SAME_MANY) {
        for (uint32_t todo = p->go; todo; todo &= todo - 1) {
            unsigned lane = (unsigned)__builtin_ctz(todo);
            *(uint32_t *)(void *)(elements + offsets[lane]) += (uint32_t)values[lane];
        }
        return;
    }
    for (uint32_t todo = p->go; todo;) {
        unsigned start = (unsigned)__builtin_ctz(todo), end = lanes_run_end(p->go, p->same, start);
        uint64_t value = values[start];
        for (unsigned lane = start + 1; lane < end; lane++)
            value = combine(op, is_signed, value, values[lane]);
        hold(elements + offsets[start], shift, op, is_signed, value);
        todo &= lanes_from(end);
    }
}

/* Operations beyond the six that combine: through the table, lane by lane. */
static void reduce_lanes(const struct surface_warp *w, const struct place *p, const struct atomic_row *row,
                         const uint64_t values[LANES])
{
    for (uint32_t todo = p->go; todo; todo &= todo - 1) {
        unsigned lane = (unsigned)__builtin_ctz(todo);
        row->shared(address(p, lane), NULL, &values[lane], NULL, (w->access->flags & LANE_FTZ) != 0, LANE_RELAXED);
    }
}

/* Runs of lanes that hit one element are combined first and cost one atomic operation. */
static void reduce_same(const struct surface_warp *w, const struct place *p, unsigned shift, bool is_signed,
                        const uint64_t values[LANES])
{
    uint8_t op = w->access->atomic;
    for (uint32_t todo = p->go; todo;) {
        unsigned start = (unsigned)__builtin_ctz(todo), end = lanes_run_end(p->go, p->same, start);
        uint64_t value = values[start];
        for (unsigned lane = start + 1; lane < end; lane++)
            value = combine(op, is_signed, value, values[lane]);
        update(address(p, start), shift, op, is_signed, value);
        todo &= lanes_from(end);
    }
}

static void reduce_runs(const struct place *p, const uint64_t values[LANES])
{
    for (uint32_t todo = p->go; todo;) {
        unsigned start = (unsigned)__builtin_ctz(todo), end = lanes_run_end(p->go, p->joins, start);
        add_run((uint32_t *)address(p, start), values + start, end - start);
        todo &= lanes_from(end);
    }
}

static bool reduce(struct surface_warp *w)
{
    const struct lane_access *a = w->access;
    struct place p;
    unsigned es, shift = access_shift(a, &es);
    bool simple = a->atomic <= LANE_ATOMIC_XOR;
    bool is_signed =
        a->formatted ? w->surface->format->kind == FORMAT_SINT : a->type == LANE_S32 || a->type == LANE_S64;
    const struct atomic_row *row = simple ? NULL : atomic_find(a->atomic, a->type);
    /* Integers of 32 and 64 bits only; no operation with a third operand. */
    bool float_type = a->type == LANE_F32 || a->type == LANE_F64 || a->type > LANE_F64;
    if (a->vec != 1 || (shift != 2 && shift != 3) || float_type || !w->count || !w->data[0] || (!simple && !row) ||
        a->atomic == LANE_ATOMIC_CAS) {
        all_fault(w, &p, SURFACE_FORMAT);
        return w->faults == 0;
    }
    locate(w, shift, &p);
    if (!p.go)
        return w->faults == 0;
    uint64_t values[LANES];
    widen(w, shift, is_signed, values);
    p.same = neighbours(&p, 0);
    void *held = NULL;
    if (w->held && simple && w->surface->size <= HELD_LARGEST)
        held = held_elements(w->held, w->surface, a->atomic, shift, is_signed, (unsigned)__builtin_popcount(p.go));
    else
        settle_held(w);
    if (held)
        reduce_held(w, &p, shift, is_signed, values, held);
    else if (!simple)
        reduce_lanes(w, &p, row, values);
    else if (a->atomic == LANE_ATOMIC_ADD && shift == 2 &&
             __builtin_popcount(p.go & p.joins) > __builtin_popcount(p.go & p.same))
        reduce_runs(&p, values);
    else
        reduce_same(w, &p, shift, is_signed, values);
    return w->faults == 0;
}

/* ---- atomics that return what was there ------------------------------------------------------------------------ */

/* The type of an operation that leaves the sign to the format: only min and max tell the difference. */
static uint8_t typed_by_format(const struct lane_access *a, const struct format *f)
{
    bool is_signed = f->kind == FORMAT_SINT;
    if (a->atomic != LANE_ATOMIC_MIN && a->atomic != LANE_ATOMIC_MAX)
        return a->type;
    if (type_shift(a->type) == 3)
        return is_signed ? LANE_S64 : LANE_U64;
    return is_signed ? LANE_S32 : LANE_U32;
}

/* Operand k of all lanes as elements of 1 << shift bytes: the register itself, or `room`. */
static const void *elements(const struct surface_warp *w, unsigned k, unsigned shift, uint64_t room[LANES])
{
    if (w->width[k] == 8u << shift)
        return w->data[k];
    memset(room, 0, LANES * sizeof *room);
    join[shift == 3][width_index(w->width[k])](room, w->data[k], UINT64_MAX >> (64 - (8u << shift)), 0);
    return room;
}

/* One element of each lane of p->go, lowest lane first; old values to *old, 0 for lanes of p->zero. */
static void apply(const struct surface_warp *w, const struct place *p, const struct atomic_row *row, unsigned shift,
                  void *old)
{
    uint64_t rooms[2][LANES];
    void *target[LANES];
    for (unsigned lane = 0; lane < LANES; lane++)
        target[lane] = p->go >> lane & 1 ? address(p, lane) : NULL;
    const void *b = elements(w, 0, shift, rooms[0]), *c = w->count > 1 ? elements(w, 1, shift, rooms[1]) : NULL;
    row->shared_warp(target, old, b, c, p->go, (w->access->flags & LANE_FTZ) != 0, LANE_RELAXED);
    clear_lanes(old, shift, p->zero);
}

static bool atomic(struct surface_warp *w)
{
    const struct lane_access *a = w->access;
    struct place p;
    unsigned es, shift = access_shift(a, &es), operands = a->atomic == LANE_ATOMIC_CAS ? 2 : 1;
    bool sized = a->vec == 1 && (shift == 2 || shift == 3);
    uint8_t type = sized && a->formatted ? typed_by_format(a, w->surface->format) : a->type;
    const struct atomic_row *row = sized ? atomic_find(a->atomic, type) : NULL;
    if (!row || w->count != operands || !w->data[0] || !w->data[operands - 1]) {
        all_fault(w, &p, SURFACE_FORMAT);
        return w->faults == 0;
    }
    settle_held(w);
    locate(w, shift, &p);
    if (!(p.go | p.zero))
        return w->faults == 0;
    uint64_t old[LANES], wide[LANES];
    apply(w, &p, row, shift, old);
    if (w->old) {
        unsigned width = width_index(w->old_width);
        unpack[shift][width](old, 0, 0, UINT64_MAX >> (64 - (8u << shift)), wide);
        if (type_signed(type) && width > shift)
            extend[width](wide, (8u << shift) - 1);
        blend[width](w->old, wide, p.go | p.zero);
    }
    return w->faults == 0;
}

const struct surface_engine SET_NAME(surface_engine) = {load, store, reduce, atomic};

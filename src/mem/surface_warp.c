/* Surface accesses of a warp: suld, sust, sured and suatom for 32 lanes at once. Compiled once per instruction set of
 * the host (KERNEL_SET). The meaning is surface_resolve's, lane by lane; the tests hold the two against each other.
 *
 *   locate    checks and clamps the coordinates of all lanes, and finds which lanes lie side by side in memory ("runs")
 *   fetch/put move runs between texels and a packed array of 32 accesses, 1 to 16 bytes each
 *   unpack/pack  move between the packed array and registers
 *
 * When one run holds all 32 lanes, the texels themselves are the packed array; when the register's elements are as wide
 * as the access, the register is. A warp of a row then is one vector copy from texels to the register. */
#include "mem/convert.h"
#include "mem/surface_packed.h"
#include "mem/surface_place.h"

/* ---- texels <-> packed array --------------------------------------------------------------------------------- */

/* Rows can lie over each other, as single lanes can: what is stored goes in the order of lane/passes.h. */
INLINE void move_part(const struct place *p, unsigned char *packed, size_t bytes, unsigned part, bool out)
{
    uint32_t rows = out ? passes_rows(p->starts, part) : ALL;
    for (uint32_t todo = ALL >> (LANES - LANES / part), n; todo; todo &= ~(UINT32_C(1) << n)) {
        n = passes_next(rows, todo);
        unsigned char *texel = address(p, n * part), *mine = packed + n * part * bytes;
        memcpy(out ? texel : mine, out ? mine : texel, part * bytes);
    }
}

/* Moves each of the lanes of p->go by itself. */
INLINE void move_far(const struct place *p, unsigned char *packed, size_t bytes, bool out)
{
    uint64_t offsets[LANES];
    uint32_t starts = out ? p->starts : ALL;
    lane_offsets(p, offsets);
    for (uint32_t todo = p->go, lane; todo; todo &= ~(UINT32_C(1) << lane)) {
        lane = passes_next(starts, todo);
        unsigned char *texel = p->surface->texels + offsets[lane], *mine = packed + lane * bytes;
        memcpy(out ? texel : mine, out ? mine : texel, bytes);
    }
}

INLINE uint32_t load_word(const unsigned char *texel)
{
    uint32_t word;
    memcpy(&word, texel, sizeof word);
    return word;
}

/* The same of a surface that 32 bits can count. Loads all lanes, as offsets of others than p->go are 0: without
 * branches it does not matter which lanes are where. Words go by eights, as who reads the register next reads as many.
 */
INLINE void fetch_lanes(const struct place *p, unsigned char *packed, size_t bytes)
{
    typedef uint32_t words __attribute__((vector_size(32)));
    const unsigned char *texels = p->surface->texels;
    uint32_t at[LANES];
    offsets_uint32_t(p, at);
    if (bytes != 4) {
        for (unsigned lane = 0; lane < LANES; lane++)
            memcpy(packed + lane * bytes, texels + at[lane], bytes);
        return;
    }
    for (unsigned lane = 0; lane < LANES; lane += 8) {
        const uint32_t *o = at + lane;
        words all = {load_word(texels + o[0]), load_word(texels + o[1]), load_word(texels + o[2]),
                     load_word(texels + o[3]), load_word(texels + o[4]), load_word(texels + o[5]),
                     load_word(texels + o[6]), load_word(texels + o[7])};
        memcpy(packed + 4 * lane, &all, sizeof all);
    }
}

INLINE void put_lanes(const struct place *p, const unsigned char *packed, size_t bytes)
{
    uint32_t at[LANES];
    offsets_uint32_t(p, at);
    for (uint32_t todo = p->go, lane; todo; todo &= ~(UINT32_C(1) << lane)) {
        lane = passes_next(p->starts, todo);
        memcpy(p->surface->texels + at[lane], packed + lane * bytes, bytes);
    }
}

/* Rows of which something is not in range: each lane loads the nearest texel. */
INLINE void fetch_rows(const struct place *p, unsigned char *packed, size_t bytes)
{
    for (unsigned n = 0; n < LANES / EIGHT; n++, packed += EIGHT * bytes) {
        unsigned char *row = row_of(p, n);
        int32_t x = x_of(p, n);
        if (bytes == 4 && p->room >= EIGHT) {
            lanes_nearest(row, x, (int32_t)p->room - 1, packed);
            continue;
        }
        for (unsigned i = 0; i < EIGHT; i++)
            memcpy(packed + i * bytes, row + (size_t)nearest_in_row(p, x + (int32_t)i) * bytes, bytes);
    }
}

/* Lanes n * 8 to n * 8 + 7, of which `todo` go, and which are of one pass or of passes of their own. */
INLINE void put_eight(const struct place *p, unsigned n, const unsigned char *packed, size_t bytes)
{
    uint32_t todo = p->go >> n * EIGHT & 0xff, starts = p->starts >> n * EIGHT & 0xff;
    unsigned char *row = row_of(p, n);
    int32_t x = x_of(p, n);
    if (todo == 0xff && x >= 0 && (uint32_t)x + EIGHT <= p->room) {
        memcpy(row + (size_t)x * bytes, packed, EIGHT * bytes);
        return;
    }
    for (unsigned i; todo; todo &= ~(UINT32_C(1) << i)) {
        i = passes_next(starts, todo);
        memcpy(row + (size_t)nearest_in_row(p, x + (int32_t)i) * bytes, packed + i * bytes, bytes);
    }
}

INLINE void put_rows(const struct place *p, const unsigned char *packed, size_t bytes)
{
    uint32_t rows = passes_rows(p->starts, EIGHT);
    for (uint32_t todo = ALL >> (LANES - LANES / EIGHT), n; todo; todo &= ~(UINT32_C(1) << n)) {
        n = passes_next(rows, todo);
        put_eight(p, n, packed + n * EIGHT * bytes, bytes);
    }
}

INLINE void move(const struct place *p, unsigned char *packed, size_t bytes, bool out)
{
    if (p->runs && p->part == LANES / 2 && !(out && passes_split(p->starts, LANES / 2)))
        move_part(p, packed, bytes, LANES / 2, out);
    else if (p->runs && p->part == LANES / 4)
        move_part(p, packed, bytes, LANES / 4, out);
    else if (p->part && out)
        put_rows(p, packed, bytes);
    else if (p->part)
        fetch_rows(p, packed, bytes);
    else if (p->go && !is_small(p->surface))
        move_far(p, packed, bytes, out);
    else if (p->go && out)
        put_lanes(p, packed, bytes);
    else if (p->go)
        fetch_lanes(p, packed, bytes);
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
    uint32_t value = c < 3 ? 0 : format_one(f);
    for (unsigned i = 0; i < LANES; i++)
        values[i] = value;
}

/* Lanes whose alpha is 1, though they read nothing. */
static uint32_t opaque(const struct surface_warp *w, const struct place *p)
{
    bool border = w->access->clamp == LANE_CLAMP_BORDER && !w->surface->disabled;
    return border ? p->zero & ~w->absent : 0;
}

/* Formatted loads: data[c] gets component c. Lanes that read nothing have zeros in `packed`, which every format reads
 * as zeros; alpha that the format does not have, and the border's, are theirs alone. */
static void spread_texels(const struct surface_warp *w, const struct place *p, unsigned shift, const void *packed)
{
    const struct format *f = w->surface->format;
    uint32_t lanes = p->go | p->zero;
    for (unsigned c = 0; c < w->count && c < 4; c++) {
        uint32_t room[LANES];
        uint64_t wide[LANES];
        if (!w->data[c])
            continue;
        bool in_place = lanes == ALL && w->width[c] == 32;
        uint32_t *values = in_place ? w->data[c] : room;
        decode_component(f, c, shift, packed, values);
        if (c == 3 && p->zero) {
            clear_lanes(values, 2, p->zero);
            for (uint32_t todo = opaque(w, p); todo; todo &= todo - 1)
                values[__builtin_ctz(todo)] = format_one(f);
        }
        if (in_place)
            continue;
        for (unsigned i = 0; w->width[c] == 64 && i < LANES; i++)
            wide[i] = values[i];
        blend[width_index(w->width[c])](w->data[c], w->width[c] == 64 ? (void *)wide : values, lanes);
    }
}

/* ---- registers -> packed array --------------------------------------------------------------------------------- */

/* 32 accesses under construction: as 32-bit words up to 4 bytes, else as one or two 64-bit words each. */
union words {
    uint32_t w32[LANES];
    uint64_t w64[2][LANES];
};

/* Adds a component of `bits` bits at bit position `at` of accesses of 1 << shift bytes. `begun`: which of w64 hold
 * something. */
static void add_component(union words *words, unsigned *begun, unsigned shift, const void *from, uint8_t width,
                          unsigned bits, unsigned at)
{
    uint64_t mask = UINT64_MAX >> (64 - bits);
    bool wide = shift > 2;
    unsigned half = wide ? at / 64 : 0;
    void *to = words->w64[half];
    join[1 + wide][width_index(width)](to, *begun >> half & 1 ? to : no_words, from, mask, at % 64);
    *begun |= 1u << half;
}

/* Words that no component was added to are zeros. */
static void begin_rest(union words *words, unsigned begun, unsigned shift)
{
    for (unsigned half = 0; half < (shift > 3 ? 2 : 1); half++)
        if (!(begun >> half & 1))
            memset(words->w64[half], 0, sizeof words->w64[half]);
}

/* Lays the accesses side by side in `packed`. */
static void finish(union words *words, unsigned begun, unsigned shift, unsigned char *packed)
{
    begin_rest(words, begun, shift);
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
    unsigned begun = 0;
    for (unsigned d = 0; d < w->access->vec && d < w->count; d++)
        if (w->data[d])
            add_component(&words, &begun, shift, w->data[d], w->width[d], 8u << es, d * (8u << es));
    finish(&words, begun, shift, packed);
}

static void convert_fixed(uint8_t kind, unsigned bits, const uint32_t *in, uint32_t *out)
{
    if (kind == FORMAT_UNORM)
        for (unsigned i = 0; i < LANES; i++)
            out[i] = convert_to_unorm_fixed(in[i], bits);
    else
        for (unsigned i = 0; i < LANES; i++)
            out[i] = convert_to_snorm_fixed(in[i], bits);
}

/* 32 components of one channel; the meaning is convert.h's, as in format_store. */
static void convert_channel(uint8_t kind, bool fixed, unsigned bits, const uint32_t *in, uint32_t *out)
{
    if (fixed && (kind == FORMAT_UNORM || kind == FORMAT_SNORM)) {
        convert_fixed(kind, bits, in, out);
        return;
    }
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
    unsigned begun = 0;
    for (unsigned c = 0; c < f->channels && c < w->count; c++) {
        uint32_t room[LANES], texels[LANES];
        const uint32_t *values = w->data[c];
        if (!values)
            continue;
        if (f->bits[c] == 32) { /* all kinds store their bits */
            add_component(&words, &begun, shift, w->data[c], w->width[c], 32, f->shift[c]);
            continue;
        }
        if (w->width[c] != 32) {
            join[1][width_index(w->width[c])](room, no_words, w->data[c], UINT32_MAX, 0);
            values = room;
        }
        convert_channel(f->kind, w->access->fixed, f->bits[c], values, texels);
        add_component(&words, &begun, shift, texels, 32, f->bits[c], f->shift[c]);
    }
    finish(&words, begun, shift, packed);
}

/* ---- the engine ------------------------------------------------------------------------------------------------- */

/* An access of one register of 32 bits to texels or elements of 32 bits that look like it. */
INLINE bool is_plain_word(const struct surface_warp *w)
{
    const struct format *f = w->surface->format;
    const struct lane_access *a = w->access;
    if (w->width[0] != 32 || !w->data[0])
        return false;
    if (!a->formatted)
        return a->vec == 1 && w->count == 1 && type_shift(a->type) == 2;
    return f->channels == 1 && f->bits[0] == 32 && f->bytes == 4;
}

/* The commonest access of all, without general machinery: 32-bit elements in a 2D surface, each half or quarter of the
 * warp a run in a row (blocks 16 or 8 wide make them), or the first half alone (warps of 16 lanes). */
INLINE bool is_plain(const struct surface_warp *w, unsigned unit)
{
    const struct surface *s = w->surface;
    const struct lane_access *a = w->access;
    return (a->dim == LANE_DIM_2D || a->dim == LANE_DIM_ANY) && s->dim == LANE_DIM_2D && s->direct &&
           is_plain_word(w) && (unit == 1 || s->format->bytes == 4);
}

/* Where the `part` lanes from `lane` on lie, which are a run; NULL: not in the surface as a whole. */
INLINE unsigned char *find_row(const struct surface_warp *w, unsigned unit, unsigned lane, unsigned part)
{
    const struct surface *s = w->surface;
    int32_t x = w->coord[0][lane], y = w->coord[1][lane];
    uint64_t at = (uint64_t)(uint32_t)x * unit;
    if (x < 0 || at % 4 != 0 || at + 4 * part > s->row_bytes || (uint32_t)y >= s->height)
        return NULL;
    return s->texels + (uint64_t)(uint32_t)y * s->pitch + at;
}

INLINE void copy_row(unsigned char *row, unsigned char *mine, unsigned part, bool out)
{
    enum { PIECE = 32 }; /* bytes: what compilers copy without a loop */
    for (unsigned at = 0; at < 4 * part; at += PIECE) {
        if (out)
            memcpy(row + at, mine + at, PIECE);
        else
            memcpy(mine + at, row + at, PIECE);
    }
}

/* By what goes to memory: texels, where the format makes them. */
INLINE uint32_t starts_of(const struct surface_warp *w)
{
    const struct lane_access *a = w->access;
    unsigned bytes = a->formatted ? w->surface->format->bytes : (unsigned)a->vec << type_shift(a->type);
    return passes_of(a, bytes, lane_geometries[a->dim].coordinates);
}

/* Runs of halves; false: use the general way, which also knows what to do with every lane that is out of range. */
INLINE bool move_halves(struct surface_warp *w, unsigned unit, unsigned count, bool out)
{
    enum { PART = LANES / 2 };
    unsigned char *mine = w->data[0], *a = find_row(w, unit, 0, PART),
                  *b = count > 1 ? find_row(w, unit, PART, PART) : a;
    if (!a || !b)
        return false;
    bool up = !out || count == 1 || starts_of(w) >> PART & 1; /* the upper half is another pass */
    if (!up)
        copy_row(b, mine + 4 * PART, PART, out);
    copy_row(a, mine, PART, out);
    if (count > 1 && up)
        copy_row(b, mine + 4 * PART, PART, out);
    return no_faults(w);
}

/* Blocks 8 wide and their neighbours: lanes are 8 by 4, in four rows. */
INLINE bool move_8x4(struct surface_warp *w, unsigned unit, bool out)
{
    enum { PART = LANES / 4 };
    uint64_t pitch = w->surface->pitch;
    unsigned char *mine = w->data[0], *row = find_row(w, unit, 0, PART);
    int32_t y = w->coord[1][0];
    if (!row || (uint64_t)(uint32_t)y + 3 >= w->surface->height)
        return false;
    copy_row(row, mine, PART, out);
    copy_row(row + pitch, mine + 4 * PART, PART, out);
    copy_row(row + 2 * pitch, mine + 8 * PART, PART, out);
    copy_row(row + 3 * pitch, mine + 12 * PART, PART, out);
    return no_faults(w);
}

/* Rows of which not all lanes run, or are in range. */
static __attribute__((noinline)) bool move_edges(struct surface_warp *w, unsigned unit, unsigned part, bool out)
{
    const struct surface *s = w->surface;
    struct place p;
    p.surface = s;
    p.bytes = 4;
    p.room = s->row_bytes / 4;
    p.part = part;
    p.starts = out ? starts_of(w) : ALL;
    p.naxes = 1;
    p.coord[0] = w->coord[0];
    p.coord[1] = w->coord[1];
    p.stride[1] = s->pitch;
    p.last[1] = s->height - 1;
    p.positive[0] = p.positive[1] = w->access->dim == LANE_DIM_ANY;
    if (p.room - 1 >= INT32_MAX - LANES || !settle_rows(w, &p, unit == 1 ? 2 : 0))
        return false;
    w->absent = 0;
    if (w->faults == 0)
        w->fault = SURFACE_OK;
    if (out) {
        put_rows(&p, w->data[0], 4);
        return true;
    }
    _Alignas(64) uint32_t packed[LANES];
    bool all = (p.go | p.zero) == ALL;
    void *to = all ? w->data[0] : packed;
    fetch_rows(&p, to, 4);
    clear_lanes(to, 2, p.zero);
    if (!all)
        blend_32(w->data[0], packed, p.go | p.zero);
    return true;
}

/* Between texels and the register, if this is such an access. False: use the general way. */
INLINE bool move_rows(struct surface_warp *w, bool out)
{
    const uint32_t half = ALL >> (LANES / 2);
    const int32_t *x = w->coord[0], *y = w->coord[1];
    unsigned unit = w->access->unit == LANE_UNIT_BYTE ? 1 : 4; /* bytes of x */
    uint32_t step = unit == 1 ? 4 : 1;
    if (!is_plain(w, unit))
        return false;
    if (w->mask == half && ((lanes_continue(x, step) & lanes_continue(y, 0)) | 1 | ~half) == ALL &&
        move_halves(w, unit, 1, out))
        return true;
    if (x[LANES / 4] == x[0])
        return lanes_8x4(x, step, y) &&
               ((w->mask == ALL && move_8x4(w, unit, out)) || move_edges(w, unit, LANES / 4, out));
    return lanes_16x2(x, step, y) &&
           ((w->mask == ALL && move_halves(w, unit, 2, out)) || move_edges(w, unit, LANES / 2, out));
}

/* Through the surface's format, into up to four registers. */
static bool load_texels(struct surface_warp *w)
{
    struct place p;
    _Alignas(64) unsigned char packed[LANES * ACCESS_LARGEST];
    unsigned shift = (unsigned)__builtin_ctz(w->surface->format->bytes);
    locate(w, shift, &p);
    if (p.whole) {
        spread_texels(w, &p, shift, address(&p, 0));
    } else if (p.go | p.zero) {
        fetch[shift](&p, packed);
        clear_lanes(packed, shift, p.zero);
        spread_texels(w, &p, shift, packed);
    }
    return w->faults == 0;
}

/* Formatted loads of a surface of quads: each of the four texels is found as if it were loaded alone. */
enum { QUAD = 4 };
static const struct {
    uint8_t x, y;
} quad_steps[QUAD] = {{1, 0}, {0, 1}, {1, 1}, {0, 0}};

struct quad {
    int32_t coord[3][LANES];
    _Alignas(64) uint32_t value[QUAD][LANES];
};

/* The largest stays where it is: it is out of range in any case. */
static void step_coordinate(int32_t to[LANES], const int32_t from[LANES], int32_t step)
{
    for (unsigned i = 0; i < LANES; i++)
        to[i] = from[i] <= INT32_MAX - step ? from[i] + step : from[i];
}

/* Loads texel n's red channel of all lanes of w->mask. */
static bool load_of_quad(const struct surface_warp *w, unsigned n, struct quad *quad, struct surface_warp *one)
{
    const struct surface *s = w->surface;
    const uint8_t *axes = lane_geometries[surface_dim(s, w->access)].axes;
    unsigned axis_y = axes[0] == LANE_AXIS_ROW ? 1 : 0;
    int32_t unit = w->access->unit == LANE_UNIT_BYTE ? s->format->bytes : 1;
    *one = *w;
    one->count = 1;
    one->data[0] = quad->value[n];
    one->width[0] = 32;
    step_coordinate(quad->coord[0], w->coord[0], quad_steps[n].x * unit);
    one->coord[0] = quad->coord[0];
    if (axis_y && w->coord[axis_y]) {
        step_coordinate(quad->coord[axis_y], w->coord[axis_y], quad_steps[n].y);
        one->coord[axis_y] = quad->coord[axis_y];
    }
    return load_texels(one);
}

static bool load_quads(struct surface_warp *w)
{
    struct quad quad;
    struct surface_warp one;
    memset(quad.value, 0, sizeof quad.value);
    w->faults = w->absent = 0;
    w->fault = SURFACE_OK;
    for (unsigned n = 0; n < QUAD; n++) {
        (void)load_of_quad(w, n, &quad, &one);
        uint32_t first = (one.faults | w->faults) & -(one.faults | w->faults);
        if (one.faults & first)
            w->fault = one.fault;
        w->faults |= one.faults;
        w->absent |= one.absent;
    }
    for (unsigned c = 0; c < w->count && c < QUAD; c++) {
        uint64_t wide[LANES];
        for (unsigned i = 0; i < LANES; i++)
            wide[i] = quad.value[c][i];
        if (w->data[c])
            blend[width_index(w->width[c])](w->data[c], w->width[c] == 64 ? (void *)wide : quad.value[c],
                                            w->mask & ~w->faults);
    }
    return w->faults == 0;
}

/* The general ways are functions of their own, since their frames are large. */
static __attribute__((noinline)) bool load_general(struct surface_warp *w)
{
    struct place p;
    if (w->access->formatted)
        return w->surface->shape.quad ? load_quads(w) : load_texels(w);
    unsigned es, shift = access_shift(w->access, &es);
    if (shift == 255) {
        all_fault(w, &p, SURFACE_FORMAT);
        return w->faults == 0;
    }
    locate(w, shift, &p);
    bool direct = w->count == 1 && es == shift && w->width[0] == 8u << es && w->data[0];
    if (direct && p.whole) {
        copy_all(w->data[0], address(&p, 0), shift);
    } else if (direct && (p.go | p.zero) == ALL) {
        fetch[shift](&p, w->data[0]);
        clear_lanes(w->data[0], shift, p.zero);
    } else if (p.whole) {
        spread(w, address(&p, 0), es, shift, ALL);
    } else if (p.go | p.zero) {
        _Alignas(64) unsigned char packed[LANES * ACCESS_LARGEST];
        fetch[shift](&p, packed);
        clear_lanes(packed, shift, p.zero);
        if (direct)
            blend[shift](w->data[0], packed, p.go | p.zero);
        else
            spread(w, packed, es, shift, p.go | p.zero);
    }
    return w->faults == 0;
}

static bool load(struct surface_warp *w)
{
    settle_held(w);
    bool alone = w->count == 1 || (w->count == 4 && !w->data[1] && !w->data[2] && !w->data[3]);
    return alone && move_rows(w, false) ? w->faults == 0 : load_general(w);
}

static __attribute__((noinline)) bool store_general(struct surface_warp *w)
{
    struct place p;
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
    p.starts = starts_of(w);
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

static bool store(struct surface_warp *w)
{
    settle_held(w);
    return move_rows(w, true) ? w->faults == 0 : store_general(w);
}

const struct surface_engine SET_NAME(surface_engine) = {load, store, SET_NAME(surface_reduce),
                                                        SET_NAME(surface_atomic)};

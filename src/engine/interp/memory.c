/* ld, st, atom, red, prefetch, suq and the surface operations, for a warp at a time. Compiled once per instruction set.
 *
 * An access of a warp is first tried as a whole: all lanes in one region (an allocation, the block's shared memory, the
 * parameters), aligned, full mask, addresses first + n * lane: then it is one vector copy. Or every lane the same
 * address: one load, broadcast. Else lane by lane. What the first look cannot settle (several allocations, several
 * spaces, something wrong) goes lane by lane through warp_pointer, which knows everything and raises traps.
 */
#include "engine/interp/set.h"
#include "engine/meaning/kernels.h"

#include <string.h>

/* One region of host memory that holds all lanes' addresses. */
struct region {
    unsigned char *host;
    uint64_t base;
    bool one_thread; /* only this host thread can reach it */
};

static void fetch_addresses(const struct warp *w, const struct step *s, uint64_t address[LANES])
{
    const struct decoded *info = s->info;
    uint64_t offset = (uint64_t)info->access->offset;
    if (info->bits[info->ndst] == 64) {
        const uint64_t *a = __builtin_assume_aligned(w->frame.regs + s->at.a, 64);
        LANE_LOOP(LANES)
        address[l] = a[l] + offset;
    } else {
        const uint32_t *a = __builtin_assume_aligned(w->frame.regs + s->at.a, 64);
        LANE_LOOP(LANES)
        address[l] = a[l] + (uint32_t)offset; /* a sum of 32 bits: bases below the window wrap around */
    }
}

static inline uint32_t broadcast_lanes(const uint64_t address[LANES], uint64_t value)
{
    uint32_t same = 0;
    for (unsigned l = 0; l < LANES; l++)
        same |= (uint32_t)(address[l] == value) << l;
    return same;
}

/* Lanes whose [address, address + bytes) does not lie in [base, base + size), or is not aligned to `align`. */
static inline uint32_t lanes_outside(const uint64_t address[LANES], uint64_t base, uint64_t size, uint64_t bytes,
                                     uint64_t align)
{
    uint32_t out = 0;
    if (bytes > size)
        return ALL_LANES;
    uint64_t last = size - bytes;
#if defined(__AVX512F__)
    const __m512i vbase = _mm512_set1_epi64((long long)base), vlast = _mm512_set1_epi64((long long)last);
    const __m512i valign = _mm512_set1_epi64((long long)(align - 1));
    for (unsigned i = 0; i < 4; i++) {
        __m512i a = _mm512_load_si512(address + 8 * i);
        __mmask8 bad = _mm512_cmpgt_epu64_mask(_mm512_sub_epi64(a, vbase), vlast) | _mm512_test_epi64_mask(a, valign);
        out |= (uint32_t)bad << (8 * i);
    }
#else
    for (unsigned l = 0; l < LANES; l++)
        out |= (uint32_t)((address[l] - base > last) | ((address[l] & (align - 1)) != 0)) << l;
#endif
    return out;
}

/* Do all lanes lie one after the other? (full mask only) */
static inline bool consecutive(const uint64_t address[LANES], uint64_t bytes)
{
#if defined(__AVX512F__)
    __m512i step = _mm512_set1_epi64((long long)(8 * bytes));
    __m512i want = _mm512_add_epi64(
        _mm512_set1_epi64((long long)address[0]),
        _mm512_mullo_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi64((long long)bytes)));
    __mmask8 bad = 0;
    for (unsigned i = 0; i < 4; i++) {
        bad |= _mm512_cmpneq_epi64_mask(_mm512_load_si512(address + 8 * i), want);
        want = _mm512_add_epi64(want, step);
    }
    return bad == 0;
#else
    uint64_t bad = 0;
    for (unsigned l = 0; l < LANES; l++)
        bad |= address[l] ^ (address[0] + l * bytes);
    return bad == 0;
#endif
}

/* What was known of memory, as that of the device has changed. Who owns what holds for the launch. */
static void forget_sites(struct worker *worker, uint64_t generation)
{
    for (uint32_t i = 0; i < worker->run->program->sites; i++)
        worker->sites[i] = (struct site){.owned = worker->sites[i].owned};
    worker->generation = generation;
}

static bool global_region(struct warp *w, const struct decoded *info, const uint64_t address[LANES], uint32_t lanes,
                          uint64_t bytes, bool write, struct region *region)
{
    struct worker *worker = w->worker;
    struct space *space = device_space(worker->run->program->device);
    struct site *site = &worker->sites[info->site];
    uint64_t generation = space_generation(space);
    if (__builtin_expect(generation != worker->generation, 0))
        forget_sites(worker, generation);
    if (lanes_outside(address, site->base, site->size, bytes, bytes) & lanes) {
        struct space_block block;
        if (!space_find(space, address[__builtin_ctz(lanes)], &block))
            return false;
        *site = (struct site){.base = block.address,
                              .size = block.size,
                              .host = block.host,
                              .readonly = block.readonly,
                              .owned = site->owned};
        if (lanes_outside(address, site->base, site->size, bytes, bytes) & lanes)
            return false;
    }
    region->host = site->host;
    region->base = site->base;
    region->one_thread = false;
    return !(write && site->readonly);
}

/* Memory that only the warp's block can reach: `size` bytes that the kernel sees from `window` on. */
static inline bool window_region(unsigned char *host, uint64_t size, uint64_t window, const uint64_t address[LANES],
                                 uint32_t lanes, uint64_t bytes, struct region *region)
{
    if (lanes_outside(address, window, size, bytes, bytes) & lanes)
        return false;
    region->host = host;
    region->base = window;
    region->one_thread = true;
    return true;
}

/* Local memory: each lane has as many bytes, one lane's behind the other's. Addresses of the kernel become places in
 * all of it. */
static bool local_region(struct warp *w, uint64_t address[LANES], uint32_t lanes, uint64_t bytes, struct region *region)
{
    uint64_t stride = w->block->local_stride;
    if (!window_region(w->locals, w->block->local_bytes, 0, address, lanes, bytes, region))
        return false;
    for (unsigned l = 0; l < LANES; l++) /* of others any, but within */
        address[l] = (lanes >> l & 1 ? address[l] : 0) + l * stride;
    return true;
}

/* The region of a whole access; false: go lane by lane. */
static bool find_region(struct warp *w, const struct step *s, uint64_t address[LANES], uint32_t lanes, uint64_t bytes,
                        bool write, struct region *region)
{
    enum lane_space space = s->info->access->space;
    uint64_t first = address[__builtin_ctz(lanes)];
    const struct run *run = w->worker->run;
    const struct block *block = w->block;
    switch (space) {
    case LANE_SHARED:
        return window_region(block->shared, block->shared_bytes, 0, address, lanes, bytes, region);
    case LANE_REGFILE:
        return window_region(w->regfile, block->regfile_bytes, 0, address, lanes, bytes, region);
    case LANE_PARAM:
        return !write && window_region(run->params, run->param_bytes, 0, address, lanes, bytes, region);
    case LANE_GLOBAL:
    case LANE_CONSTANT:
        return global_region(w, s->info, address, lanes, bytes, write, region);
    case LANE_LOCAL:
        return local_region(w, address, lanes, bytes, region);
    case LANE_GENERIC:
        if (first >= SPACE_GLOBAL)
            return global_region(w, s->info, address, lanes, bytes, write, region);
        return first - SPACE_SHARED < SPACE_WINDOW &&
               window_region(block->shared, block->shared_bytes, SPACE_SHARED, address, lanes, bytes, region);
    default:
        return false;
    }
}

/* ---- elements --------------------------------------------------------------------------------------------- */

/* Element `k` of lane `l` into destination register `d`, extended to the register's width. */
static inline void put(unsigned char *regs, uint32_t d, unsigned bits, unsigned l, const unsigned char *from,
                       unsigned bytes, bool is_signed)
{
    uint64_t wide[2] = {0, 0};
    if (d == KERNEL_NONE)
        return;
    if (bytes == 4 && bits == 32) { /* sizes that the compiler knows */
        memcpy(regs + d + l * 4, from, 4);
        return;
    }
    if (bytes == 8 && bits == 64) {
        memcpy(regs + d + l * 8, from, 8);
        return;
    }
    memcpy(wide, from, bytes);
    if (is_signed && bytes < 8) {
        unsigned shift = 64 - 8 * bytes;
        wide[0] = (uint64_t)((int64_t)(wide[0] << shift) >> shift);
    }
    memcpy(regs + d + l * (bits / 8), wide, bits / 8);
}

static inline void get(const unsigned char *regs, uint32_t a, unsigned bits, unsigned l, unsigned char *to,
                       unsigned bytes)
{
    if (bytes == 4)
        memcpy(to, regs + a + l * (bits / 8), 4);
    else if (bytes == 8)
        memcpy(to, regs + a + l * (bits / 8), 8);
    else
        memcpy(to, regs + a + l * (bits / 8), bytes);
}

/* 16 bytes in one move. Processors with AVX do it indivisibly where it is aligned (Intel SDM, volume 3, "Guaranteed
 * Atomic Operations", names the aligned moves; this one takes local memory too, which need not be aligned on the host).
 * Other hosts may see halves. */
static inline void copy_wide(void *to, const void *from)
{
#if defined(__SSE2__)
    _mm_storeu_si128(to, _mm_loadu_si128(from));
#else
    memcpy(to, from, 16);
#endif
}

/* A strong access (relaxed and above) to an aligned element is indivisible between host threads. */
static inline void load_element(void *to, const void *from, unsigned bytes, bool strong)
{
    if (!strong && bytes == 4) {
        memcpy(to, from, 4);
    } else if (bytes == 16) {
        copy_wide(to, from);
    } else if (!strong) {
        memcpy(to, from, bytes);
    } else if (bytes == 4) {
        uint32_t v = __atomic_load_n((const uint32_t *)from, __ATOMIC_ACQUIRE);
        memcpy(to, &v, 4);
    } else if (bytes == 8) {
        uint64_t v = __atomic_load_n((const uint64_t *)from, __ATOMIC_ACQUIRE);
        memcpy(to, &v, 8);
    } else if (bytes == 2) {
        uint16_t v = __atomic_load_n((const uint16_t *)from, __ATOMIC_ACQUIRE);
        memcpy(to, &v, 2);
    } else {
        uint8_t v = __atomic_load_n((const uint8_t *)from, __ATOMIC_ACQUIRE);
        memcpy(to, &v, 1);
    }
}

static inline void store_element(void *to, const void *from, unsigned bytes, bool strong)
{
    uint32_t v4;
    uint64_t v8;
    uint16_t v2;
    if (!strong && bytes == 4) {
        memcpy(to, from, 4);
    } else if (bytes == 16) {
        copy_wide(to, from);
    } else if (!strong) {
        memcpy(to, from, bytes);
    } else if (bytes == 4) {
        memcpy(&v4, from, 4);
        __atomic_store_n((uint32_t *)to, v4, __ATOMIC_RELEASE);
    } else if (bytes == 8) {
        memcpy(&v8, from, 8);
        __atomic_store_n((uint64_t *)to, v8, __ATOMIC_RELEASE);
    } else if (bytes == 2) {
        memcpy(&v2, from, 2);
        __atomic_store_n((uint16_t *)to, v2, __ATOMIC_RELEASE);
    } else {
        __atomic_store_n((uint8_t *)to, *(const uint8_t *)from, __ATOMIC_RELEASE);
    }
}

/* ---- whole-warp copies ------------------------------------------------------------------------------------ */

#define WIDEN(D, S)                                  \
    do {                                             \
        D *d = __builtin_assume_aligned(to, 64);     \
        LANE_LOOP(LANES)                             \
        {                                            \
            S v;                                     \
            memcpy(&v, from + l * stride, sizeof v); \
            d[l] = (D)v;                             \
        }                                            \
        return true;                                 \
    } while (0)

/* Loads element by element at a fixed distance: registers of one vector component. */
static inline bool copy_in(unsigned char *to, unsigned bits, const unsigned char *from, size_t stride, enum lane_type t)
{
    switch (t) {
    case LANE_U8:
    case LANE_B8:
        if (bits == 8)
            WIDEN(uint8_t, uint8_t);
        if (bits == 16)
            WIDEN(uint16_t, uint8_t);
        if (bits == 32)
            WIDEN(uint32_t, uint8_t);
        return false;
    case LANE_S8:
        if (bits == 16)
            WIDEN(int16_t, int8_t);
        if (bits == 32)
            WIDEN(int32_t, int8_t);
        return false;
    case LANE_U16:
    case LANE_B16:
    case LANE_F16:
    case LANE_BF16:
        if (bits == 16)
            WIDEN(uint16_t, uint16_t);
        if (bits == 32)
            WIDEN(uint32_t, uint16_t);
        return false;
    case LANE_S16:
        if (bits == 16)
            WIDEN(int16_t, int16_t);
        if (bits == 32)
            WIDEN(int32_t, int16_t);
        return false;
    case LANE_B128:
        return false;
    default:
        break;
    }
    if (lane_type_bits(t) == 32 && bits == 32)
        WIDEN(uint32_t, uint32_t);
    if (lane_type_bits(t) == 64 && bits == 64)
        WIDEN(uint64_t, uint64_t);
    return false;
}

#define NARROW(D, S)                                     \
    do {                                                 \
        const S *a = __builtin_assume_aligned(from, 64); \
        LANE_LOOP(LANES)                                 \
        {                                                \
            D v = (D)a[l];                               \
            memcpy(to + l * stride, &v, sizeof v);       \
        }                                                \
        return true;                                     \
    } while (0)

static inline bool copy_out(unsigned char *to, size_t stride, const unsigned char *from, unsigned bits, unsigned bytes)
{
    if (bytes == 4 && bits == 32)
        NARROW(uint32_t, uint32_t);
    if (bytes == 8 && bits == 64)
        NARROW(uint64_t, uint64_t);
    if (bytes == 2 && bits == 16)
        NARROW(uint16_t, uint16_t);
    if (bytes == 2 && bits == 32)
        NARROW(uint16_t, uint32_t);
    if (bytes == 1 && bits == 8)
        NARROW(uint8_t, uint8_t);
    if (bytes == 1 && bits == 16)
        NARROW(uint8_t, uint16_t);
    if (bytes == 1 && bits == 32)
        NARROW(uint8_t, uint32_t);
    return false;
}

/* 32 words, as vectors: a call of memcpy would cost more than the copy. */
static inline void copy_row(unsigned char *restrict to, const unsigned char *restrict from)
{
    LANE_LOOP(LANES)
    {
        uint32_t v;
        memcpy(&v, from + 4 * l, 4);
        memcpy(to + 4 * l, &v, 4);
    }
}

static bool load_whole(struct warp *w, const struct step *s, const unsigned char *from, size_t stride)
{
    const struct decoded *info = s->info;
    enum lane_type type = info->access->type;
    if (info->access->vec == 1 && stride == 4 && info->bits[0] == 32 && info->bytes == 4) {
        copy_row(w->frame.regs + s->at.d, from);
        return true;
    }
    for (unsigned k = 0; k < info->ndst; k++)
        if (info->bits[k] &&
            !copy_in(w->frame.regs + info->offsets[k], info->bits[k], from + k * info->bytes, stride, type))
            return false;
    return true;
}

static bool store_whole(struct warp *w, const struct step *s, unsigned char *to, size_t stride)
{
    const struct decoded *info = s->info;
    if (info->access->vec == 1 && info->bits[1] == 32 && info->bytes == 4) {
        copy_row(to, w->frame.regs + s->at.b);
        return true;
    }
    for (unsigned k = 0; k < info->access->vec; k++)
        if (!copy_out(to + k * info->bytes, stride, w->frame.regs + info->offsets[1 + k], info->bits[1 + k],
                      info->bytes))
            return false;
    return true;
}

/* ---- ld, st ----------------------------------------------------------------------------------------------- */

static inline void load_lane(struct warp *w, const struct decoded *info, unsigned l, const unsigned char *from)
{
    unsigned char element[16];
    bool is_signed = lane_type_signed(info->access->type), strong = info->access->order != LANE_WEAK;
    if (info->bytes == 4 && info->ndst == 1 && info->bits[0] == 32) {
        load_element(w->frame.regs + info->offsets[0] + 4 * l, from, 4, strong);
        return;
    }
    for (unsigned k = 0; k < info->ndst; k++) {
        load_element(element, from + k * info->bytes, info->bytes, strong);
        put(w->frame.regs, info->offsets[k], info->bits[k], l, element, info->bytes, is_signed);
    }
}

static const struct step *load_slow(struct warp *w, const struct step *s, uint32_t lanes, const uint64_t *address)
{
    const struct decoded *info = s->info;
    uint64_t bytes = (uint64_t)info->bytes * info->access->vec;
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);
        unsigned char *from = warp_pointer(w, s->info, l, info->access->space, address[l], bytes, false, NULL);
        if (!from)
            return NULL;
        load_lane(w, info, l, from);
    }
    return s + 1;
}

/* Do all destinations hold 32 bits (or are none)? */
static inline bool words_only(const struct decoded *info)
{
    bool words = true;
    for (unsigned k = 0; k < info->ndst; k++)
        words &= info->bits[k] == 32 || info->bits[k] == 0;
    return words;
}

/* One component after the other, from any places. */
static inline void gather_words(struct warp *w, const struct decoded *info, const struct region *region,
                                const uint64_t address[LANES])
{
    for (unsigned k = 0; k < info->ndst; k++) {
        if (!info->bits[k])
            continue;
        uint32_t *d = (void *)(w->frame.regs + info->offsets[k]);
        for (unsigned l = 0; l < LANES; l++)
            memcpy(&d[l], region->host + (address[l] - region->base) + 4 * (size_t)k, 4);
    }
}

static const struct step *go_ld(struct warp *w, const struct step *s)
{
    _Alignas(64) uint64_t address[LANES];
    const struct decoded *info = s->info;
    uint32_t lanes = step_lanes(w, s);
    uint64_t bytes = (uint64_t)info->bytes * info->access->vec;
    struct region region;
    if (!lanes)
        return s + 1;
    w->accesses[info->access->space]++;
    fetch_addresses(w, s, address);
    if (!find_region(w, s, address, lanes, bytes, false, &region))
        return load_slow(w, s, lanes, address);
    if (lanes == ALL_LANES && (region.one_thread || info->access->order == LANE_WEAK)) {
        const unsigned char *from = region.host + (address[0] - region.base);
        if (consecutive(address, bytes) && load_whole(w, s, from, bytes))
            return s + 1;
        if (address[0] == address[LANES - 1] && broadcast_lanes(address, address[0]) == ALL_LANES &&
            load_whole(w, s, from, 0))
            return s + 1;
        if (info->bytes == 4 && words_only(info)) {
            gather_words(w, info, &region, address);
            return s + 1;
        }
    }
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);
        load_lane(w, info, l, region.host + (address[l] - region.base));
    }
    return s + 1;
}

static inline void store_lane(struct warp *w, const struct decoded *info, unsigned l, unsigned char *to)
{
    unsigned char element[16];
    bool strong = info->access->order != LANE_WEAK;
    if (info->bytes == 4 && info->access->vec == 1 && info->bits[1] == 32) {
        store_element(to, w->frame.regs + info->offsets[1] + 4 * l, 4, strong);
        return;
    }
    for (unsigned k = 0; k < info->access->vec; k++) {
        get(w->frame.regs, info->offsets[1 + k], info->bits[1 + k], l, element, info->bytes);
        store_element(to + k * info->bytes, element, info->bytes, strong);
    }
}

/* Lanes that write the same place write in lane order: the highest lane's value stays (named choice). */
static const struct step *go_st(struct warp *w, const struct step *s)
{
    _Alignas(64) uint64_t address[LANES];
    const struct decoded *info = s->info;
    uint32_t lanes = step_lanes(w, s);
    uint64_t bytes = (uint64_t)info->bytes * info->access->vec;
    struct region region;
    if (!lanes)
        return s + 1;
    w->accesses[info->access->space]++;
    fetch_addresses(w, s, address);
    bool fast = find_region(w, s, address, lanes, bytes, true, &region);
    if (fast && lanes == ALL_LANES && (region.one_thread || info->access->order == LANE_WEAK) &&
        consecutive(address, bytes) && store_whole(w, s, region.host + (address[0] - region.base), bytes))
        return s + 1;
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);
        unsigned char *to = fast ? region.host + (address[l] - region.base)
                                 : warp_pointer(w, s->info, l, info->access->space, address[l], bytes, true, NULL);
        if (!to)
            return NULL;
        store_lane(w, info, l, to);
    }
    return s + 1;
}

/* 32 words of which only those of `lanes` change. */
static inline void copy_row_some(unsigned char *restrict to, const unsigned char *restrict from, uint32_t lanes)
{
    LANE_LOOP(LANES)
    {
        uint32_t v, old;
        memcpy(&v, from + 4 * l, 4);
        memcpy(&old, to + 4 * l, 4);
        v = lanes >> l & 1 ? v : old;
        memcpy(to + 4 * l, &v, 4);
    }
}

/* The commonest access to shared memory: a word at a 32-bit address that grows by a word a lane. The row may be touched
 * as a whole, whatever lanes run: no other host thread uses the block's memory. */
static inline bool word_row(const struct warp *w, const struct step *s, uint32_t *start)
{
    const uint32_t *a = __builtin_assume_aligned(w->frame.regs + s->at.a, 64);
    uint32_t exec = w->frame.exec, lane = (uint32_t)__builtin_ctz(exec), first = a[lane] - 4 * lane, bad = 0;
    if (exec == ALL_LANES) {
        LANE_LOOP(LANES)
        bad |= a[l] ^ (first + 4 * l);
    } else {
        LANE_LOOP(LANES)
        bad |= exec >> l & 1 ? a[l] ^ (first + 4 * l) : 0;
    }
    uint64_t at = first + (uint64_t)s->info->access->offset, size = w->block->shared_bytes;
    *start = (uint32_t)at;
    return bad == 0 && at % 4 == 0 && size >= 4 * LANES && at <= size - 4 * LANES && first <= UINT32_MAX - 4 * LANES;
}

static const struct step *go_ld_shared(struct warp *w, const struct step *s)
{
    uint32_t start;
    if (!word_row(w, s, &start))
        return go_ld(w, s);
    w->accesses[LANE_SHARED]++;
    if (w->frame.exec == ALL_LANES)
        copy_row(w->frame.regs + s->at.d, w->block->shared + start);
    else
        copy_row_some(w->frame.regs + s->at.d, w->block->shared + start, w->frame.exec);
    return s + 1;
}

static const struct step *go_st_shared(struct warp *w, const struct step *s)
{
    uint32_t start;
    if (!word_row(w, s, &start))
        return go_st(w, s);
    w->accesses[LANE_SHARED]++;
    if (w->frame.exec == ALL_LANES)
        copy_row(w->block->shared + start, w->frame.regs + s->at.b);
    else
        copy_row_some(w->block->shared + start, w->frame.regs + s->at.b, w->frame.exec);
    return s + 1;
}

/* An unguarded word access to shared memory through a 32-bit address? */
static bool is_shared_word(const struct step *step)
{
    const struct decoded *info = step->info;
    unsigned data = info->ndst ? 0 : 1;
    return info->access->space == LANE_SHARED && info->access->vec == 1 && info->bytes == 4 &&
           info->bits[info->ndst] == 32 && info->bits[data] == 32 && step->guard == KERNEL_NONE;
}

/* Parameters at a constant address: the commonest load of all, one value for the warp. */
static const struct step *go_ld_param(struct warp *w, const struct step *s)
{
    const struct run *run = w->worker->run;
    const struct decoded *info = s->info;
    uint64_t address = (uint64_t)info->access->offset, first = 0;
    memcpy(&first, w->frame.regs + s->at.a, info->bits[info->ndst] / 8u);
    address += first;
    uint64_t bytes = (uint64_t)info->bytes * info->access->vec;
    if (w->frame.exec != ALL_LANES || s->guard != KERNEL_NONE || bytes > run->param_bytes ||
        address > run->param_bytes - bytes || address % bytes || !load_whole(w, s, run->params + address, 0))
        return go_ld(w, s);
    return s + 1;
}

/* ---- atom, red -------------------------------------------------------------------------------------------- */

/* One lane's operation on all elements of the access. `plain`: no other host thread can reach the target. */
static void atomic_lane(struct warp *w, const struct decoded *info, unsigned l, unsigned char *target, bool plain,
                        bool flush)
{
    const struct lane_access *access = info->access;
    _Alignas(16) unsigned char b[16], c[16], old[16];
    const uint32_t *src = info->offsets + info->ndst + 1;
    const uint8_t *bits = info->bits + info->ndst + 1;
    bool cas = lane_atomic_swaps(access->atomic);
    for (unsigned k = 0; k < access->vec; k++) {
        get(w->frame.regs, src[k], bits[k], l, b, info->bytes);
        if (cas)
            get(w->frame.regs, src[access->vec + k], bits[access->vec + k], l, c, info->bytes);
        void *at = target + k * info->bytes;
        if (plain)
            info->atomic->plain(at, old, b, c, flush, access->order);
        else
            info->atomic->shared(at, old, b, c, flush, access->order);
        if (k < info->ndst)
            put(w->frame.regs, info->offsets[k], info->bits[k], l, old, info->bytes, false);
    }
}

/* Are the operands arrays of elements as they lie in memory? */
static bool has_rows(const struct decoded *info)
{
    if (info->access->vec != 1)
        return false;
    for (unsigned k = 0; k < (unsigned)info->ndst + info->nsrc; k++)
        if (k != info->ndst && info->bits[k] && info->bits[k] != 8 * info->bytes)
            return false;
    return true;
}

static void atomic_row(struct warp *w, const struct decoded *info, uint32_t lanes, const uint64_t *address,
                       const struct region *region, bool flush)
{
    void *target[LANES];
    const uint32_t *src = info->offsets + info->ndst + 1;
    const unsigned char *b = w->frame.regs + src[0], *c = info->nsrc > 2 ? w->frame.regs + src[1] : NULL;
    void *old = info->ndst && info->bits[0] ? w->frame.regs + info->offsets[0] : NULL;
    for (unsigned l = 0; l < LANES; l++)
        target[l] = (void *)((uintptr_t)region->host + (uintptr_t)(address[l] - region->base)); /* any, where not run */
    if (region->one_thread)
        info->atomic->plain_warp(target, old, b, c, lanes, flush, info->access->order);
    else
        info->atomic->shared_warp(target, old, b, c, lanes, flush, info->access->order);
}

static bool flushes(const struct lane_access *access, enum lane_space space)
{
    return atomic_flushes(access) && space == LANE_GLOBAL;
}

static const struct step *atomic_slow(struct warp *w, const struct step *s, uint32_t lanes, const uint64_t *address)
{
    const struct decoded *info = s->info;
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);
        enum lane_space space;
        unsigned char *at = warp_pointer(w, s->info, l, info->access->space, address[l],
                                         (uint64_t)info->bytes * info->access->vec, true, &space);
        if (!at)
            return NULL;
        atomic_lane(w, info, l, at, space != LANE_GLOBAL, flushes(info->access, space));
    }
    return s + 1;
}

static const struct step *go_atomic(struct warp *w, const struct step *s)
{
    _Alignas(64) uint64_t address[LANES];
    const struct decoded *info = s->info;
    uint32_t lanes = step_lanes(w, s);
    struct region region;
    if (!lanes)
        return s + 1;
    w->accesses[info->access->space]++;
    w->atomics += (uint32_t)__builtin_popcount(lanes);
    fetch_addresses(w, s, address);
    if (w->worker->contention)
        warp_contention(w, s->info, address, lanes);
    if (!find_region(w, s, address, lanes, (uint64_t)info->bytes * info->access->vec, true, &region))
        return atomic_slow(w, s, lanes, address);
    bool flush = flushes(info->access, region.one_thread ? LANE_SHARED : LANE_GLOBAL);
    if (has_rows(info)) {
        atomic_row(w, info, lanes, address, &region, flush);
        return s + 1;
    }
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);
        atomic_lane(w, info, l, region.host + (address[l] - region.base), region.one_thread, flush);
    }
    return s + 1;
}

/* Whoever sees what these write may rely on all that came before: held reductions are done first. The same as in
 * load_element and store_element, strong stores release without being asked to. */
static const struct step *go_st_strong(struct warp *w, const struct step *s)
{
    held_merge(&w->worker->held);
    return go_st(w, s);
}

static const struct step *go_atomic_ordered(struct warp *w, const struct step *s)
{
    held_merge(&w->worker->held);
    return go_atomic(w, s);
}

static const struct step *go_prefetch(struct warp *w, const struct step *s)
{
    (void)w;
    return s + 1;
}

step_fn *KERNEL_NAME(memory_handler)(const struct step *step)
{
    const struct lane_inst *inst = step->info->inst;
    switch (step->info->op) {
    case LANE_OP_ld:
        if (is_shared_word(step))
            return go_ld_shared;
        return step->info->access->space == LANE_PARAM &&
                       step->info->func->lane->operands[inst->first + inst->ndst].kind == LANE_CONST
                   ? go_ld_param
                   : go_ld;
    case LANE_OP_st:
        if (step->info->access->order != LANE_WEAK)
            return go_st_strong;
        return is_shared_word(step) ? go_st_shared : go_st;
    case LANE_OP_atom:
    case LANE_OP_red:
        if (!step->info->atomic)
            return NULL;
        return step->info->access->order > LANE_RELAXED ? go_atomic_ordered : go_atomic;
    case LANE_OP_prefetch:
        return go_prefetch;
    default:
        if (lane_is(step->info->op, LANE_OBJECT))
            return mbarrier_handler(step->info->op);
        return KERNEL_NAME(surface_handler)(step);
    }
}

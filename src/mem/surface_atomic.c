/* Reductions and atomics on surfaces, 32 lanes at once: sured and suatom. Compiled once per instruction set of the host
 * (KERNEL_SET). */
#include "mem/atomic.h"
#include "mem/surface_packed.h"
#include "mem/surface_place.h"

/* Operand k of all lanes as elements of 1 << shift bytes: the register itself, or `room`. */
static const void *elements(const struct surface_warp *w, unsigned k, unsigned shift, uint64_t room[LANES])
{
    if (w->width[k] == 8u << shift)
        return w->data[k];
    join[shift - 1][width_index(w->width[k])](room, no_words, w->data[k], UINT64_MAX >> (64 - (8u << shift)), 0);
    return room;
}

/* ---- reductions ------------------------------------------------------------------------------------------- */

#if defined(__x86_64__) && defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_16)
#define HAVE_ADD_FOUR 1
/* Adds v[0..4) to the words at t, which is 16-byte aligned, in one step: each word's addition is indivisible. One
 * locked instruction for four lanes is 2 to 3 times faster than four (Zen 4 and 5). In assembler, because compilers
 * turn the builtin into a call of libatomic. */
INLINE void add_four(uint32_t *t, const uint32_t *v)
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
INLINE void add_run(uint32_t *t, const uint32_t *v, unsigned count)
{
    unsigned i = 0;
#if defined(HAVE_ADD_FOUR)
    for (; i < count && (uintptr_t)(t + i) % 16; i++)
        __atomic_fetch_add(t + i, v[i], __ATOMIC_RELAXED);
    for (; i + 4 <= count; i += 4)
        add_four(t + i, v + i);
#endif
    for (; i < count; i++)
        __atomic_fetch_add(t + i, v[i], __ATOMIC_RELAXED);
}

/* joins: lanes whose texel lies right after that of the lane before. */
static void add_runs(const struct place *p, const uint32_t offsets[LANES], uint32_t joins, const uint32_t values[LANES])
{
    for (uint32_t todo = p->go; todo;) {
        unsigned start = (unsigned)__builtin_ctz(todo), end = lanes_run_end(p->go, joins, start);
        add_run((uint32_t *)(void *)(p->surface->texels + offsets[start]), values + start, end - start);
        todo &= lanes_from(end);
    }
}

/* Adds words where more lanes lie side by side than in one place. False: nothing was done. */
static bool add_rows(const struct place *p, const uint32_t values[LANES])
{
    uint32_t offsets[LANES];
    if (p->runs) {
        for (unsigned start = 0; start < LANES; start += p->part)
            add_run((uint32_t *)(void *)address(p, start), values + start, p->part);
        return true;
    }
    if (!is_small(p->surface))
        return false;
    offsets_uint32_t(p, offsets);
    uint32_t joins = lanes_continue((const int32_t *)offsets, 4), same = lanes_continue((const int32_t *)offsets, 0);
    if (__builtin_popcount(p->go & joins) <= __builtin_popcount(p->go & same))
        return false;
    add_runs(p, offsets, joins, values);
    return true;
}

/* An integer of 32 or 64 bits. */
static uint8_t reduced_type(const struct surface_warp *w, unsigned shift)
{
    static const uint8_t types[2][2] = {{LANE_U32, LANE_S32}, {LANE_U64, LANE_S64}};
    const struct lane_access *a = w->access;
    bool is_signed = a->formatted ? format_is_signed(w->surface->format, a->snorm) : lane_type_signed(a->type);
    return types[shift == 3][is_signed];
}

/* The row of a reduction, and the type whose elements may be held. NULL: the access does not fit the format. Integers
 * of 32 and 64 bits only; no operation with a third operand. */
static const struct atomic_row *reduction(const struct surface_warp *w, unsigned shift, bool *simple, uint8_t *type)
{
    const struct lane_access *a = w->access;
    bool float_type = a->type == LANE_F32 || a->type == LANE_F64 || a->type > LANE_F64;
    if (a->vec != 1 || (shift != 2 && shift != 3) || float_type || !w->count || !w->data[0] ||
        lane_atomic_swaps(a->atomic))
        return NULL;
    *simple = a->atomic <= LANE_ATOMIC_XOR;
    *type = *simple ? reduced_type(w, shift) : a->type;
    return atomic_find(a->atomic, *type);
}

/* Where lanes go in the surface's texels, or in as many bytes at `base`; any place, where not run. */
static void find_targets(const struct place *p, unsigned char *base, void *target[LANES])
{
    uint64_t offsets[LANES];
    lane_offsets(p, offsets);
    for (unsigned lane = 0; lane < LANES; lane++)
        target[lane] = (void *)((uintptr_t)base + (uintptr_t)offsets[lane]);
}

/* Elements that the host thread holds back, or the texels. */
static void reduce(const struct surface_warp *w, const struct place *p, const struct atomic_row *row,
                   const void *values, unsigned char *held)
{
    bool flush = atomic_flushes(w->access);
    void *target[LANES];
    find_targets(p, held ? held : p->surface->texels, target);
    (held ? row->plain_warp : row->shared_warp)(target, NULL, values, NULL, p->go, flush, LANE_RELAXED);
}

bool SET_NAME(surface_reduce)(struct surface_warp *w)
{
    struct place p;
    bool simple;
    uint8_t type, op = w->access->atomic;
    unsigned es, shift = access_shift(w->access, &es);
    const struct atomic_row *row = reduction(w, shift, &simple, &type);
    if (!row) {
        all_fault(w, &p, SURFACE_FORMAT);
        return w->faults == 0;
    }
    locate(w, shift, &p);
    if (!p.go)
        return w->faults == 0;
    uint64_t room[LANES];
    const void *values = elements(w, 0, shift, room);
    void *held = NULL;
    if (w->held && simple && !w->surface->shared && w->surface->size <= HELD_LARGEST)
        held = held_elements(w->held, w->surface, op, type, (unsigned)__builtin_popcount(p.go));
    else
        settle_held(w);
    if (held || op != LANE_ATOMIC_ADD || shift != 2 || !add_rows(&p, values))
        reduce(w, &p, row, values, held);
    return w->faults == 0;
}

/* ---- atomics that return what was there ------------------------------------------------------------------------ */

/* The type of an operation that leaves the sign to the format: only min and max tell the difference. */
static uint8_t typed_by_format(const struct lane_access *a, const struct format *f)
{
    bool is_signed = format_is_signed(f, a->snorm);
    if (a->atomic != LANE_ATOMIC_MIN && a->atomic != LANE_ATOMIC_MAX)
        return a->type;
    static const uint8_t types[2][4] = {{0, LANE_U16, LANE_U32, LANE_U64}, {0, LANE_S16, LANE_S32, LANE_S64}};
    return types[is_signed][type_shift(a->type)];
}

/* One element of each lane of p->go, lowest lane first; old values to *old, 0 for lanes of p->zero. */
static void apply(const struct surface_warp *w, const struct place *p, const struct atomic_row *row, unsigned shift,
                  void *old)
{
    uint64_t rooms[2][LANES];
    void *target[LANES];
    find_targets(p, p->surface->texels, target);
    const void *b = elements(w, 0, shift, rooms[0]), *c = w->count > 1 ? elements(w, 1, shift, rooms[1]) : NULL;
    row->shared_warp(target, old, b, c, p->go, atomic_flushes(w->access), LANE_RELAXED);
    clear_lanes(old, shift, p->zero);
}

bool SET_NAME(surface_atomic)(struct surface_warp *w)
{
    const struct lane_access *a = w->access;
    struct place p;
    unsigned es, shift = access_shift(a, &es), operands = lane_atomic_swaps(a->atomic) ? 2 : 1;
    bool sized = a->vec == 1 && shift >= 1 && shift <= 3;
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

/* Reductions and atomics on surfaces, 32 lanes at once: sured and suatom. Compiled once per instruction set of the host
 * (KERNEL_SET). */
#include "mem/atomic.h"
#include "mem/surface_packed.h"
#include "mem/surface_place.h"

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

bool SET_NAME(surface_reduce)(struct surface_warp *w)
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

bool SET_NAME(surface_atomic)(struct surface_warp *w)
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

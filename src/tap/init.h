/* The check of uninitialised values: its state, which init.c (registers, what instructions do), init_bits.c (which bits
 * of a result are undefined), init_memory.c (accesses, calls), init_shadow.c (what is kept) and init_tell.c (findings)
 * share.
 *
 * A bit is undefined when nobody wrote it. Undefined bits may be copied about, as padding is; they are told where they
 * decide something: flow, an address, a divisor, an atomic, and where what was computed from them goes to memory that
 * the host sees. */
#ifndef ATOLL_TAP_INIT_H
#define ATOLL_TAP_INIT_H

#include "tap/check.h"
#include "tap/init_shadow.h"

/* Where an undefined value came from: 0 is nowhere. */
enum init_kind { INIT_REGISTER = 1, INIT_SHARED, INIT_LOCAL, INIT_HEAP, INIT_GLOBAL, INIT_SURFACE, INIT_KINDS };
#define INIT_COMPUTED UINT32_C(0x80000000) /* it went through more than copies */
enum { INIT_KIND_SHIFT = 28, INIT_LANE_SHIFT = 23, INIT_NUMBERS = 1 << INIT_LANE_SHIFT, ORIGINS = 2048 };

static inline uint32_t init_origin(unsigned kind, unsigned lane, uint32_t number)
{
    return kind << INIT_KIND_SHIFT | lane << INIT_LANE_SHIFT | number;
}

static inline unsigned init_kind(uint32_t origin)
{
    return origin >> INIT_KIND_SHIFT & 7;
}

/* An access that read undefined bits: whose numbers are in origins. */
struct origin {
    uint32_t number, site, warp, element;
    uint64_t block;
    uint64_t address[LANES];
};

/* Undefined bits of an operand or a result in a lane. */
struct undef {
    uint64_t lo, hi;
};

/* Registers of an activation. */
struct reg_bits {
    uint64_t bits[2][LANES];
    uint32_t origins[LANES];
    struct reg_bits *next; /* of a list of free ones */
};
struct regs {
    const struct lane_func *func; /* NULL: nothing has run there */
    uint32_t *masks;              /* of each register: lanes that have undefined bits */
    struct reg_bits **bits;       /* which; NULL: all, and nobody wrote the register */
    uint32_t room, used;          /* registers; those with bits */
};

struct init_warp {
    struct regs *activations;
    uint32_t nactivations;
    struct shadow_map locals, registers; /* bytes of the warp that stand for registers */
};

struct init_slot {
    struct tap_block block;
    struct init_warp *warps; /* TAP_WARPS */
    struct shadow_map shared;
};

struct init {
    const struct tap_launch *launch;
    struct clock_room room;
    struct init_slot *slots;
    struct shadow_map global;
    struct reg_bits *free_bits;
    struct origin *origins;      /* ORIGINS, by number */
    uint32_t numbers;            /* given so far */
    const struct tap_step *step; /* the one under way: it stays until the next one */
    struct regs *regs;           /* of its activation, which is: */
    uint64_t regs_of;
};

/* ---- init.c: registers */

uint32_t init_mask(const struct init *init, struct lane_operand operand); /* lanes in which it has undefined bits */
struct undef init_get(const struct init *init, struct lane_operand operand, unsigned lane, uint32_t *origin);
/* False: no memory. */
bool init_set(struct init *init, struct lane_operand operand, unsigned lane, struct undef bits, uint32_t origin);
void init_define(struct init *init, struct lane_operand operand, uint32_t lanes);
struct regs *init_regs(struct init *init, uint32_t slot, uint32_t warp, uint32_t activation,
                       const struct lane_func *func);
void init_regs_forget(struct init *init, struct regs *regs);
void init_regs_renew(const struct regs *regs, uint32_t lanes); /* as if nobody had written them */

/* ---- init_bits.c: undefined bits of results, by those of the sources */

struct bits_view {
    const struct tap_step *step;
    const struct tap_engine *engine;
    const struct lane_inst *inst;
    unsigned lane;
    const struct undef *in;
};
/* True: the bits were only moved. */
bool init_bits(const struct bits_view *view, struct undef *out);
/* Bits of a type below 64 bits. */
static inline uint64_t bits_below(unsigned count)
{
    return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* ---- init_memory.c */

bool init_access(void *state, const struct tap_access *access);
bool init_local(void *state, const struct tap_access *access);
bool init_call(void *state, const struct tap_call *call);

/* ---- init_tell.c */

/* What thread `lane` does with an undefined value. */
void init_tell(struct init *init, unsigned lane, uint32_t origin, const char *does);
/* Lanes that use an operand, which is undefined in some: told, and then it counts as defined. */
void init_use(struct init *init, unsigned operand, uint32_t lanes, const char *does);
/* Lanes update memory that nobody has written. */
void init_tell_update(struct init *init, const struct tap_access *access, unsigned lane, unsigned kind);
/* The number of an access that reads undefined bits; 0: there are no more. */
uint32_t init_number(struct init *init, const struct tap_access *access);

#endif

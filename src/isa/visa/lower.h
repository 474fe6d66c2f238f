/* vISA to the lane program. A hardware thread is a warp, a channel a lane; a group is a block.
 *
 * Every kernel is lowered several times by the same code. The first passes collect how operands touch the bytes of
 * variables (home.c decides from that where these bytes live), which indexes of surfaces there are, and what is known
 * of state; then one collects the channel ranges and regions that are asked for; what they write is thrown away. The
 * last pass writes the lane program that counts. All make the same blocks.
 *
 * Where the bytes of a variable live (struct visa_part): bytes that are only seen as one element a channel, the
 * same way by all, are a register; bytes that are only seen as one element for all channels are a register that all
 * lanes of the warp hold, running or not; everything else lies in the space `regfile`.
 */
#ifndef ATOLL_ISA_VISA_LOWER_H
#define ATOLL_ISA_VISA_LOWER_H

#include "isa/visa/launch.h"
#include "isa/visa/merge.h"
#include "isa/visa/rows.h"
#include "lane/lane.h"

struct visa_platform_row;

/* ---- touches and homes (home.c) --------------------------------------------------------------------------- */

/* How elements of an access lie: the same one for all channels; one a channel, `stride` bytes from each other;
 * otherwise (or at places known only when it runs). */
enum visa_shape { VISA_SCALAR, VISA_CHANNELWISE, VISA_ODD };

struct visa_touch {
    uint32_t root; /* a variable that is no alias (visa_home_root), or an address variable */
    int32_t at;    /* byte of the first channel's element */
    uint32_t span; /* bytes from the lowest to past the highest byte touched, which begin at `low` */
    int32_t low;
    int32_t stride;       /* of VISA_CHANNELWISE */
    uint8_t shape;        /* enum visa_shape */
    uint8_t bytes;        /* of an element */
    uint8_t first, count; /* channels */
};

enum visa_place { VISA_IN_FILE, VISA_IN_SCALAR, VISA_IN_LANES };

/* Bytes [low, high) of a root that live in one way. */
struct visa_part {
    int32_t low, high;
    uint8_t place;        /* enum visa_place */
    uint8_t bytes;        /* of the register; an element of the file has what the access says */
    uint8_t first, end;   /* channels that touch a register of lanes */
    int32_t base, stride; /* of lanes: channel c has the bytes from base + c * stride on */
    struct lane_operand reg;
    uint32_t lanes;           /* that touch it, or others that share the register */
    struct visa_part *leader; /* whose register it shares; NULL: it has its own */
    unsigned begun;           /* the pass that has made the register */
};

struct visa_root {
    struct visa_touch *touches;
    uint32_t ntouches;
    struct visa_part *parts; /* by their bytes */
    uint32_t nparts;
    uint32_t bytes;   /* of the variable */
    bool addressed;   /* its address is taken: all of it lies in the file */
    bool filed;       /* some of it does */
    uint32_t file_at; /* where, in the space `regfile` */
};

/* The place of channels' elements relative to the first: a register with each lane's bytes. */
struct visa_pattern {
    uint8_t first, count, vertical, width, horizontal, bytes; /* strides in elements of `bytes` */
    struct lane_operand reg;
};
enum { VISA_PATTERNS = 64 };

/* Whether a lane is one of some channels. */
struct visa_range {
    bool asked;
    struct lane_operand pred;
};

/* Of a buffer by index: offsets below it are those from which on `reach` bytes are inside. */
struct visa_limit {
    uint16_t slot;
    uint32_t reach;
    struct lane_operand reg;
};

/* What is known of a state variable or of %cr0 at a place of the text. */
struct visa_known {
    uint32_t value;
    bool known;
};
enum {
    VISA_KNOWN_CR0,
    VISA_KNOWN_T,                      /* surface variables from here on */
    VISA_KNOWN_S = VISA_KNOWN_T + 256, /* samplers */
    VISA_KNOWNS = VISA_KNOWN_S + 32
};

struct visa_label {
    uint32_t block;
    uint32_t section; /* number of the subroutine that it lies in, or begins */
    bool placed;
    bool reached; /* lanes come from elsewhere, with this in %cr0 */
    struct visa_known cr0;
};

/* A subroutine: insts[first..end). Callees have lower blocks than callers: their lanes are then furthest behind, and
 * run before the caller goes on. */
struct visa_section {
    uint32_t first, end;
    uint32_t label; /* UINT32_MAX: the kernel's own */
    uint32_t block;
    struct lane_operand back; /* register: which of its calls a lane came from */
    uint32_t *returns;        /* blocks after its calls */
    uint32_t ncalls, calling; /* calls; of them in this pass so far */
    bool left;                /* lanes return, with this in %cr0 */
    struct visa_known cr0;
    uint8_t mark;  /* of the walk over callees */
    uint32_t rank; /* in the order of blocks */
    uint32_t next; /* in the order of blocks */
};

struct visa_value {
    struct lane_operand v;
    uint8_t type; /* enum visa_type: V, UV, VF do not occur */
};

/* How instructions from one on are carried out: `period` of them, each as one with those of the `members` - 1 periods
 * that follow. */
struct visa_fusion {
    uint8_t members, period; /* 0: not tried yet */
};

/* The state of one kernel's lowering. */
struct visa_lower {
    struct arena *arena; /* of the module */
    struct lane_builder *b;
    struct visa_merged merged;
    const struct visa_object *object; /* of `merged` */
    const struct visa_table *table;
    bool collecting; /* the lane program is thrown away */
    bool decided;    /* where variables live */
    unsigned pass;
    unsigned grf;    /* bytes of a register */
    unsigned simd;   /* lanes that a warp has */
    unsigned widest; /* past the last lane that anything is of */
    bool alone;      /* it cannot lie beside other threads: barriers that count threads, or that are arrived at first */
    bool packable;   /* as struct lane_func has it */

    struct visa_root *roots; /* general variables, then address variables */
    uint32_t nroots;
    uint32_t file_bytes;
    struct visa_pattern patterns[VISA_PATTERNS];
    unsigned npatterns;
    struct visa_range ranges[32][33];                          /* by the first and the count */
    struct lane_operand *preds;                                /* registers of predicate variables */
    uint32_t *pred_first, *pred_end;                           /* channels that touch them */
    struct lane_operand state[VISA_KNOWNS];                    /* registers of state variables */
    bool state_read[VISA_KNOWNS];                              /* somewhere, where what it holds is not known */
    bool cr0_read;                                             /* %cr0 is read where what it holds is not known */
    struct visa_known known[VISA_KNOWNS], always[VISA_KNOWNS]; /* here; wherever one is */
    uint32_t of_surface[256];                                  /* for visa_used */
    struct visa_label *labels;
    struct visa_fusion *fused; /* of each instruction */
    struct visa_section *sections;
    uint32_t nsections, section; /* section: of the instruction at hand */
    bool modes_read;             /* %cr0 is looked at */
    bool open;                   /* lanes come here from the instruction before */
    bool changed;                /* something was found out that a pass before this place did not know */
    struct visa_used used;
    struct visa_launch launch;
    struct lane_operand laneid, slot_address[256], slot_size[256], slot_handle[256]; /* made at the start */
    struct visa_limit *limits;
    uint32_t nlimits;
    struct lane_operand sampler_state[32][2];
    struct atoll_error *error;
    bool failed, too_long;

    /* The instruction at hand. */
    const struct visa_inst *inst;
    const struct visa_form *form;
    unsigned first, channels; /* of its execution size */
    unsigned members; /* as many instructions, of the channels after each other, are carried out as one (fuse.c) */
    unsigned period;  /* which are so far from each other */
    bool apart;       /* they cannot: their operands are not one register */
    bool no_mask;
    bool scalar;               /* one channel: computed in all lanes */
    struct lane_operand guard; /* who carries it out, by its predicate; LANE_NONE: everyone */
    bool guard_not;
    uint32_t loaded; /* register that one load alone has written, of memory or texels; UINT32_MAX: none */
};

/* Lowers the instruction at hand; what it does is in the row's `data`. */
struct visa_does;
typedef void visa_lower_fn(struct visa_lower *l, const struct visa_does *does);
struct visa_does {
    visa_lower_fn *lower;
    uint16_t op, op2; /* enum lane_op, as the function says */
    uint8_t mode;
    bool integers; /* no operand is a float */
};
extern const struct visa_does visa_does[VISA_ROWS];

/* ---- lower.c ---------------------------------------------------------------------------------------------- */

bool visa_lower_kernel(struct arena *arena, const struct visa_module *module, const struct visa_object *kernel,
                       const struct atoll_module_options *options, struct lane_module *lanes,
                       struct atoll_error *error);
/* A known gap, or a mistake of the program: whoever gets there stops with this message. */
void visa_stop(struct visa_lower *l, const char *format, ...) PRINTF_LIKE(2, 3);
const struct visa_operand *visa_operand_in(const struct visa_lower *l, const char *role);
/* Whether it sets bits of %cr0 to numbers of the text: nobody has to look. */
bool visa_sets_modes(const struct visa_lower *l, const struct visa_inst *inst);
/* Channels that an input of local ids has. */
unsigned visa_ids_count(const struct visa_lower *l, const struct visa_home *home);
/* The number in a role. */
uint64_t visa_number_in(const struct visa_lower *l, const char *role);

/* ---- emitting (emit.c) --------------------------------------------------------------------------------- */

/* A pure operation of the instruction's lanes, whose result is new: register of `bits`. */
struct lane_operand visa_pure(struct visa_lower *l, enum lane_op op, enum lane_type type, unsigned bits, unsigned nsrc,
                              const struct lane_operand *src);
struct lane_operand visa_one(struct visa_lower *l, enum lane_op op, enum lane_type type, struct lane_operand a);
struct lane_operand visa_two(struct visa_lower *l, enum lane_op op, enum lane_type type, struct lane_operand a,
                             struct lane_operand b);
struct lane_operand visa_three(struct visa_lower *l, enum lane_op op, enum lane_type type, struct lane_operand a,
                               struct lane_operand b, struct lane_operand c);
struct lane_operand visa_compare(struct visa_lower *l, enum lane_cmp cmp, enum lane_type type, struct lane_operand a,
                                 struct lane_operand b);
struct lane_operand visa_cvt(struct visa_lower *l, enum lane_type to, enum lane_type from, struct lane_operand a);
/* The last instruction emitted, to set fields of. */
struct lane_inst *visa_last(struct visa_lower *l);
/* The memory of the instruction: emits with the guard of its channels (predicate and range) and, without mask, for the
 * whole warp. */
struct lane_inst *visa_masked(struct visa_lower *l, enum lane_op op, unsigned ndst, const struct lane_operand *dst,
                              unsigned nsrc, const struct lane_operand *src);
/* The same, of those for which the condition is true, too (LANE_NONE: all). */
struct lane_inst *visa_masked_if(struct visa_lower *l, struct lane_operand condition, enum lane_op op, unsigned ndst,
                                 const struct lane_operand *dst, unsigned nsrc, const struct lane_operand *src);
/* LANE_WHOLE where the instruction at hand is for the whole warp. */
unsigned visa_whole(const struct visa_lower *l);
/* Lanes that could carry it out: those that the warp has, or, without mask and where there is room, all. */
unsigned visa_reach(const struct visa_lower *l);
uint32_t visa_mask(unsigned first, unsigned count); /* of lanes */
struct lane_operand visa_pattern_of(struct visa_lower *l, const struct visa_pattern *p);
/* Channels [first, first + count): true where a lane is one of them; LANE_NONE where all lanes that could carry out
 * the instruction are. */
struct lane_operand visa_range(struct visa_lower *l, unsigned first, unsigned count);
/* The guard of the instruction's memory accesses: predicate and range; LANE_NONE: none. */
struct lane_operand visa_active(struct visa_lower *l);
struct lane_operand visa_and(struct visa_lower *l, struct lane_operand a, struct lane_operand b);
/* What one lane has, in all lanes. */
struct lane_operand visa_broadcast(struct visa_lower *l, struct lane_operand v, unsigned bits, unsigned lane);

/* ---- operands (operand.c) --------------------------------------------------------------------------------- */

enum lane_type visa_lane_type(unsigned type);               /* VISA_UD: LANE_U32 */
static inline enum lane_type visa_bits_type(unsigned bytes) /* 4: LANE_B32 */
{
    return lane_bits_type(8 * bytes);
}
unsigned visa_operand_own_type(const struct visa_lower *l, const struct visa_operand *op);

/* A source's elements, without its modifier. */
struct visa_value visa_get(struct visa_lower *l, const struct visa_operand *op);
/* With its modifier. exact: what -x and |x| of integers need more bits for gets them. */
struct visa_value visa_source(struct visa_lower *l, const struct visa_operand *op, bool exact);
/* Writes elements of the destination's type: where it was the last instruction that made them, that one writes. */
void visa_put(struct visa_lower *l, const struct visa_operand *op, struct lane_operand value);
/* Converts to the destination's type, saturating where it says so, and writes. */
void visa_result(struct visa_lower *l, const struct visa_operand *op, struct visa_value value);
struct visa_value visa_convert(struct visa_lower *l, struct visa_value value, unsigned type, bool saturate);

/* Elements of `bytes` bytes of a raw operand: channel i's is `at` + i * stride bytes after the operand's start. */
struct lane_operand visa_get_raw(struct visa_lower *l, const struct visa_operand *op, uint32_t at, unsigned bytes,
                                 unsigned stride);
/* The byte in the register file that an address-of names. */
struct visa_value visa_get_address_of(struct visa_lower *l, const struct visa_operand *op);
void visa_put_raw(struct visa_lower *l, const struct visa_operand *op, uint32_t at, unsigned bytes, unsigned stride,
                  struct lane_operand value);
static inline bool visa_is_null(const struct visa_operand *op)
{
    return op->class == VISA_RAW && op->id == VISA_NULL;
}

/* Predicates. The word's predicate with any, all and inversion; *not: to be inverted. */
struct lane_operand visa_predicate(struct visa_lower *l, unsigned word, bool * not );
void visa_store_predicate(struct visa_lower *l, unsigned id, struct lane_operand value);
/* What channel `first` of a predicate has, in all lanes. */
struct lane_operand visa_uniform_predicate(struct visa_lower *l, struct lane_operand pred, unsigned channel);

/* ---- home.c ------------------------------------------------------------------------------------------------- */

/* The variable whose bytes another names, and from which on. */
uint32_t visa_home_root(const struct visa_object *object, uint32_t id, int32_t *at);
/* Whether all aliases lead to a variable that is none. */
bool visa_home_check(const struct visa_object *object, struct atoll_error *error);
bool visa_home_touch(struct visa_lower *l, const struct visa_touch *touch);
/* Something is of lanes below `end`. */
static inline void visa_lanes_seen(struct visa_lower *l, unsigned end)
{
    l->widest = end > l->widest ? end : l->widest;
}
bool visa_home_decide(struct visa_lower *l);
struct visa_part *visa_home_find(const struct visa_lower *l, const struct visa_touch *touch);
/* Whether two parts have one register. In the pass that collects they are made to, if that can be. */
bool visa_parts_share(struct visa_lower *l, struct visa_part *a, struct visa_part *b);
uint32_t visa_root_of_address(const struct visa_lower *l, uint32_t id);
/* Where the thread's scratch memory begins in the register file: behind all variables. */
static inline uint32_t visa_scratch_at(const struct visa_lower *l)
{
    return (l->file_bytes + 15) / 16 * 16;
}
/* Registers of homes, and what they hold at the start (second pass). */
void visa_home_begin(struct visa_lower *l);

/* ---- the start (start.c) ------------------------------------------------------------------------------------ */

/* Registers that hold what does not change, and what inputs have. */
void visa_start(struct visa_lower *l);

/* ---- flow.c -------------------------------------------------------------------------------------------------- */

bool visa_sections_make(struct visa_lower *l);
/* The instructions of a section. */
void visa_section_lower(struct visa_lower *l, uint32_t section);
/* Instructions as one. */
void visa_inst_lower(struct visa_lower *l, const struct visa_inst *inst, struct visa_fusion fusion);

/* ---- fuse.c -------------------------------------------------------------------------------------------------- */

/* How instructions from this one on are carried out. */
struct visa_fusion visa_fused(struct visa_lower *l, const struct visa_inst *inst);
/* How one of the instructions of a period is. */
struct visa_fusion visa_fusion_of(struct visa_fusion fusion, const struct visa_inst *inst);
/* The operand of the m-th of them in the place of the first one's; NULL: it is not one of its operands. */
const struct visa_operand *visa_member_operand(const struct visa_lower *l, const struct visa_operand *op, unsigned m);

/* ---- float modes (convert.c) ------------------------------------------------------------------------------------ */

enum lane_round visa_rounding(const struct visa_lower *l);
unsigned visa_flush(const struct visa_lower *l, unsigned type); /* LANE_FTZ or 0 */

#endif

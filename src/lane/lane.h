/* The lane program: what one GPU thread ("lane") does, in a small, typed, three-address form that
 * knows no vendor. Front ends build it, the verifier accepts it, the engines run it for 32 lanes at
 * once under a mask.
 *
 *   module   = symbols (variables) + functions
 *   function = registers, constants, basic blocks in layout order, instructions, side tables
 *   block    = instructions; only the last may be one that ends a block (LANE_ENDS: bra, ret ...). A block whose last
 *              instruction is none of these, or is guarded, falls through to the next block.
 *
 * Registers are untyped and have a width of 1 (predicate), 8, 16, 32, 64 or 128 bits; the type is on the
 * operation. Operands must have exactly the width that the operation's row asks for: front ends insert
 * cvt, no engine guesses. Everything an instruction means is in the row of its operation (ops.h), its type fields
 * and, for memory, its access descriptor.
 */
#ifndef ATOLL_LANE_LANE_H
#define ATOLL_LANE_LANE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/namemap.h"
#include "lane/modes.h"

enum { LANES = 32 };

enum { LANE_REGFILE_BYTES = 4 * 1024 * 1024 }; /* most bytes of the space `regfile` */

/* Limits of a lane program, whoever made it (docs/lane.md, "What the verifier guarantees"). Engines count on them. */
enum {
    LANE_LOCAL_BYTES = 512 * 1024, /* local memory of a lane */
    LANE_PARAM_BYTES = 32 * 1024,  /* parameter space of a kernel */
    LANE_ALIGN_LARGEST = 1 << 20,
    LANE_ACCESS_BITS = 256, /* widest load or store of a lane */
    LANE_ATOMIC_BITS = 128, /* widest atomic or surface access */
};

enum lane_type {
    LANE_VOID,
    LANE_PRED,
    LANE_B8,
    LANE_B16,
    LANE_B32,
    LANE_B64,
    LANE_B128,
    LANE_U8,
    LANE_U16,
    LANE_U32,
    LANE_U64,
    LANE_S8,
    LANE_S16,
    LANE_S32,
    LANE_S64,
    LANE_F16,
    LANE_BF16,
    LANE_F32,
    LANE_F64,
    LANE_F16X2,
    LANE_BF16X2,
    LANE_U16X2,
    LANE_S16X2,
    /* Of conversions only (base/minifloat.h); nothing in memory has them. */
    LANE_TF32,
    LANE_E4M3X2,
    LANE_E5M2X2,
    LANE_E2M3X2,
    LANE_E3M2X2,
    LANE_E2M1X2,
    LANE_UE8M0X2,
    LANE_TYPES
};

/* Width of a type in bits: 1 for PRED, 0 for VOID. */
unsigned lane_type_bits(enum lane_type type);
/* The untyped one of so many bits: 1: LANE_PRED, 8 to 128: LANE_B8 to LANE_B128. */
enum lane_type lane_bits_type(unsigned bits);
const char *lane_type_name(enum lane_type type); /* "u32" */
bool lane_type_signed(enum lane_type type);      /* s8..s64 */
bool lane_type_float(enum lane_type type);       /* f16..f64, bf16, packed halves */

/* Rounding. RN..RP round the result; RNI..RPI (cvt only) round to an integral value. LANE_RNA = nearest, ties away. */
enum lane_round { LANE_RN, LANE_RZ, LANE_RM, LANE_RP, LANE_RNI, LANE_RZI, LANE_RMI, LANE_RPI, LANE_RNA, LANE_ROUNDS };

enum lane_flag {
    LANE_FTZ = 1, /* flush subnormal inputs and results to sign-preserving zero (f32 and wider conversions from f32) */
    LANE_SAT = 2, /* float: clamp the result to [0,1], NaN to +0; integer add/sub/mad: clamp to the type's range;
                     cvt to integer always clamps, SAT on integer-to-integer cvt clamps instead of truncating */
    LANE_APPROX = 4,  /* the value that hardware has for the function, not the nearest: by interpolation in tables
                         (engine/meaning/interpolate.h; named choice, docs/design.md) */
    LANE_RELU = 8,    /* negative results become +0; NaN stays the canonical NaN (PTX ISA, fma and cvt) */
    LANE_NAN = 16,    /* min, max: NaN if either input is NaN; neg, abs: of a NaN as an addition of 0 gives it */
    LANE_ABS = 32,    /* min, max .xorsign.abs */
    LANE_CLAMP = 64,  /* shf, bmsk, szext: .clamp (else .wrap) ; bfind: .shiftamt ; div with APPROX: .full */
    LANE_UNI = 128,   /* bra, call: the front end says that all running lanes agree (a hint); bar, barred: all lanes of
                         the warp are to come to it together (for checks) */
    LANE_WHOLE = 256, /* all lanes of the warp for which the guard is true carry it out, running or not (vector
                        processors call it "no mask"): of pure, memory and warp operations. All 32, where the kernel is
                        not `packable` */
    LANE_FUSES = 512  /* add, sub, mul while a front end lowers: a product may be fused into a sum */
};

/* Comparison of setp/set. The U forms are true when an operand is NaN. LO..HS are lowered to unsigned LT..GE. */
enum lane_cmp {
    LANE_EQ,
    LANE_NE,
    LANE_LT,
    LANE_LE,
    LANE_GT,
    LANE_GE,
    LANE_EQU,
    LANE_NEU,
    LANE_LTU,
    LANE_LEU,
    LANE_GTU,
    LANE_GEU,
    LANE_NUM,
    LANE_NANS,
    LANE_CMPS
};

/* An operand: 2 bits of kind, 30 bits of index. */
enum lane_operand_kind { LANE_NONE, LANE_REG, LANE_CONST };
struct lane_operand {
    uint32_t kind : 2, index : 30;
};
enum { LANE_INDEX_MASK = (1 << 30) - 1 };

/* A constant: `width` bits (1..128, as a register of that width would hold). With symbol != 0 its value is
 * symbol's address + lo (symbol numbers count from 1). */
struct lane_const {
    uint64_t lo, hi;
    uint32_t symbol;
    uint32_t width;
};

enum lane_op {
#define LANE_OP(name, ...) LANE_OP_##name,
#include "lane/ops.h"
#undef LANE_OP
    LANE_OPS
};

struct lane_inst {
    uint16_t op;    /* enum lane_op */
    uint8_t type;   /* enum lane_type: see the op's row */
    uint8_t type2;  /* source type of cvt and friends */
    uint8_t round;  /* enum lane_round */
    uint16_t flags; /* enum lane_flag */
    uint8_t cmp;    /* enum lane_cmp */
    uint8_t mode;   /* an enum of the operation: see the op's row */
    uint8_t ndst, nsrc;
    bool guard_not;            /* runs where the guard is false */
    struct lane_operand guard; /* LANE_NONE = always */
    uint32_t first;            /* operands[first .. first+ndst) are destinations, then nsrc sources */
    uint32_t aux;              /* immediate, block, function, symbol or side-table index: see the op's row */
    uint32_t line;             /* of the source text; 0 = none */
};

/* ---- memory instructions --------------------------------------------------------------------- */

enum lane_space {
    LANE_GENERIC,
    LANE_GLOBAL,
    LANE_SHARED,
    LANE_LOCAL,
    LANE_CONSTANT,
    LANE_PARAM,
    LANE_REGFILE, /* bytes of the warp, shared by its lanes: registers that are seen as bytes. A block finds them zero
                   */
    LANE_SURFACE,
    LANE_SPACES
};

/* Atomic operations (mem/atomic.h has their meaning). */
enum lane_atomic {
    LANE_ATOMIC_ADD,
    LANE_ATOMIC_MIN,
    LANE_ATOMIC_MAX,
    LANE_ATOMIC_AND,
    LANE_ATOMIC_OR,
    LANE_ATOMIC_XOR,
    LANE_ATOMIC_EXCH,
    LANE_ATOMIC_CAS,
    LANE_ATOMIC_INC,
    LANE_ATOMIC_DEC,
    LANE_ATOMIC_SUB,
    LANE_ATOMIC_FCAS,   /* cas that compares as floats do */
    LANE_ATOMIC_PREDEC, /* sub that gives what it stored */
    LANE_ATOMICS
};
/* Has it two operands, what it compares with and what it stores? */
static inline bool lane_atomic_swaps(unsigned op)
{
    return op == LANE_ATOMIC_CAS || op == LANE_ATOMIC_FCAS;
}

enum lane_order { LANE_WEAK, LANE_VOLATILE, LANE_RELAXED, LANE_ACQUIRE, LANE_RELEASE, LANE_ACQ_REL, LANE_SC };

/* Surface geometry. Coordinates of an access are x; x,layer; x,y; x,y,layer; x,y,z - in this order. ANY, of accesses
 * only: whichever the surface has. It has three coordinates, in the order in which the surface has them; those that it
 * lacks are ignored. */
enum lane_dim {
    LANE_DIM_1D,
    LANE_DIM_1D_BUFFER,
    LANE_DIM_1D_ARRAY,
    LANE_DIM_2D,
    LANE_DIM_2D_ARRAY,
    LANE_DIM_3D,
    LANE_DIMS,
    LANE_DIM_ANY = LANE_DIMS,
    LANE_ACCESS_DIMS
};
/* What a geometry's coordinates after x say. A layer is an unsigned number, all others are signed; but with ANY all are
 * unsigned. */
enum lane_axis { LANE_AXIS_NONE, LANE_AXIS_ROW, LANE_AXIS_SLICE, LANE_AXIS_LAYER };
struct lane_geometry {
    const char *name; /* for messages */
    uint8_t coordinates;
    uint8_t axes[2]; /* enum lane_axis, of those after x */
};
extern const struct lane_geometry lane_geometries[LANE_ACCESS_DIMS];
bool lane_has_axis(unsigned dim, enum lane_axis axis);
/* What becomes of an access out of bounds. BORDER is ZERO, but that formatted loads give 0, 0, 0, 1. */
enum lane_clamp { LANE_CLAMP_TRAP, LANE_CLAMP_NEAR, LANE_CLAMP_ZERO, LANE_CLAMP_BORDER };
/* Does it drop what is out of bounds? */
static inline bool lane_clamp_drops(unsigned clamp)
{
    return clamp == LANE_CLAMP_ZERO || clamp == LANE_CLAMP_BORDER;
}
enum lane_unit { LANE_UNIT_BYTE, LANE_UNIT_SAMPLE };

/* What ld, st, atom, red, suld, sust, sured, suatom and prefetch have beside their operands. */
struct lane_access {
    uint8_t space;  /* enum lane_space */
    uint8_t type;   /* element in memory, enum lane_type; register operands may be wider (loads extend by
                       the type's signedness, stores take the low bits) */
    uint8_t vec;    /* elements: 1, 2, 4, 8 */
    uint8_t atomic; /* enum lane_atomic */
    uint8_t order, scope;
    uint8_t flags;            /* LANE_FTZ of float atomics: flush subnormals when the target is global */
    bool keeps_nan;           /* add.f64: the result is the NaN that an operand is (docs/lane.md, "Atomic operations"),
                                 else the canonical one */
    uint8_t dim, clamp, unit; /* surfaces */
    bool formatted;           /* suld, sust: convert from / to the surface's format, elements are its components in
                                 32 bits; sured, suatom: integers with the sign that the surface's format has */
    bool snorm;               /* formatted sured, suatom: the numbers of snorm formats have a sign, too */
    bool short_rows;          /* near: a row in which no access has room is as out of bounds with ZERO, else as with
                                 TRAP */
    bool fixed;               /* formatted sust: to unorm and snorm in fixed point (mem/convert.h) */
    bool uniform_tuple;       /* suld without .vec into a tuple: one element, broadcast to all destinations */
    bool residency; /* suld, suatom: one more destination, the last: a predicate, false where the texel lies in a
                       sparse tile that is not resident (mem/surface.h) */
    bool level;     /* surfaces: one more source, after the coordinates: the mip level, 32 bits, unsigned; 0 is the one
                       that the surface stands for. A level that it has not is out of bounds */
    bool passes;    /* st, sust: values go to memory in passes (lane/passes.h), else in the order of lanes */
    bool bounded;   /* under a guard that says of each lane that its access lies in a buffer: others make none */
    bool read_only; /* ld of global memory: the program says that nobody writes there while the kernel runs */
    int64_t offset; /* bytes added to the address operand */
};

/* ---- calls ------------------------------------------------------------------------------------ */

/* Arguments travel through local memory: the caller's bytes [local, local+size) are copied to the callee's
 * parameter of the same position; results come back the same way. Only addresses that `frame` gives for one of these
 * bytes lead to them, and those plus an access's offset: engines may keep them in registers. */
struct lane_slot {
    uint32_t local; /* offset in the function's local frame */
    uint32_t size, align;
};

struct lane_call {
    uint32_t function; /* index in the module; UINT32_MAX = indirect through the first source operand (64-bit) */
    uint32_t nargs, nresults;
    struct lane_slot *args, *results; /* in the caller's frame */
};

/* Jump table of brx: block indexes. */
struct lane_table {
    uint32_t count;
    uint32_t *blocks;
};

/* ---- functions and modules -------------------------------------------------------------------- */

struct lane_block {
    uint32_t first, count; /* instructions */
};

struct lane_param {          /* of a kernel */
    const char *name, *type; /* type as written: "u64", "b8", "surfref" */
    uint32_t offset, size, align, count;
    bool pointer;
    const char *source; /* its name in the source, where the front end knows it; may be NULL */
    bool optional;      /* who does not give it, or not its last elements, gives zeros */
    bool usual;         /* as most do */
};

/* Words of the parameter space that the launch fills in. */
enum lane_word_kind {
    LANE_WORD_SHARED, /* where the shared window begins in the generic address space */
    LANE_WORD_LOCAL,  /* ... the local window */
    LANE_WORD_STACK,  /* end of the local frame: where a stack that grows down begins */
    LANE_WORD_NTID_X, /* threads of a block, x y z */
    LANE_WORD_NTID_Y,
    LANE_WORD_NTID_Z,
    LANE_WORD_NCTAID_X, /* blocks of the grid, x y z */
    LANE_WORD_NCTAID_Y,
    LANE_WORD_NCTAID_Z,
    LANE_WORD_DYNAMIC,        /* bytes of dynamic shared memory */
    LANE_WORD_ADDRESS,        /* address of a symbol */
    LANE_WORD_SURFACES,       /* address of a table with an entry for each surface header, as `entry` says */
    LANE_WORD_WORKSPACE,      /* as LANE_SREG_WORKSPACE: the lower half */
    LANE_WORD_WORKSPACE_HIGH, /* the upper half */
    LANE_WORD_THREADS_X,      /* threads of the grid, x y z: as asked for where the grid counts threads */
    LANE_WORD_THREADS_Y,
    LANE_WORD_THREADS_Z,
    LANE_WORD_DIMENSIONS, /* of the grid in threads: up to the last that is more than one thread, at least 1 */
    LANE_WORD_SEED,       /* of the launch, 32 bits of it: what a kernel draws by itself */
    LANE_WORD_SURFACE, /* attribute entry[0] of the surface whose handle the parameter space has at `from`; 0: none */
    LANE_WORD_VALUE,   /* `value` */
    LANE_WORDS
};
enum { LANE_ENTRY_WORDS = 16 };
struct lane_word {
    uint32_t offset, size; /* bytes; size 4 or 8 */
    uint8_t kind;          /* enum lane_word_kind */
    uint32_t symbol;       /* of LANE_WORD_ADDRESS */
    uint32_t from;         /* of LANE_WORD_SURFACE */
    uint64_t value;        /* of LANE_WORD_VALUE */
    /* Of LANE_WORD_SURFACES: what the 32-bit words of an entry tell, enum lane_suq; LANE_SUQS = 0. */
    uint8_t nentry, entry[LANE_ENTRY_WORDS];
};

/* What lane_inst.line means in a function that was not made from a text: line n is places[n - 1]. */
struct lane_place {
    const char *name; /* for messages: function, address, instruction */
    uint32_t address;
    uint32_t line; /* of the module's text, if it was assembled from one; else 0 */
};

/* A place in the source that a function was compiled from, as debug information tells it. */
struct lane_source {
    const char *file;                 /* as the compiler wrote it */
    uint32_t line, column;            /* column 0: not told */
    const char *function;             /* the inlined function that the line is of, by its symbol; NULL: not told */
    const struct lane_source *caller; /* where that was called; NULL: it is not inlined */
};

/* What instructions with this `line` come from, and those after it up to the next: lane_func.sources. */
struct lane_line {
    uint32_t line;
    uint32_t text; /* line of the text that machine code was made from, which its file keeps; 0: not told */
    const struct lane_source *source; /* NULL: not told */
};

struct lane_func {
    const char *name;
    const char *file; /* whose lines `line` counts; NULL: the module's only one */
    bool kernel;
    bool defined;     /* false: only declared (extern) */
    bool stacked;     /* a kernel whose lanes part and meet by tokens (push, pop): has no calls, and a launch may run it
                         by the token stack of the warp (docs/design.md, "The engine") */
    bool independent; /* a kernel whose lanes may part and meet anywhere, and whose memory orders no more than
                         docs/memory-model.md says ("The weak order"); others may count on lanes that keep step */
    uint8_t *widths;  /* of registers: 1, 8, 16, 32, 64, 128 */
    const char **names; /* of registers, for printing; may be NULL as a whole or for one */
    uint32_t nregs, nconsts, noperands, ninsts, nblocks, naccesses, ncalls, ntables, nstrings;
    struct lane_const *consts;
    struct lane_operand *operands;
    struct lane_inst *insts;
    struct lane_block *blocks;
    struct lane_access *accesses;
    struct lane_call *calls;
    struct lane_table *tables;
    const char **strings; /* messages of LANE_OP_unsupported and LANE_OP_fault */
    uint32_t warp_lanes;  /* of a kernel: threads that make a warp, 8, 16 or 32; 0 = 32. Lanes beyond never run.
                             With a number here the lanes furthest behind always run, as on a vector machine */
    bool packable; /* of a kernel with 8 or 16: what is LANE_WHOLE is of these lanes alone, nothing of any beyond;
                      so warps can run side by side in 32 lanes. Verified: it has no `regfile`, calls or tokens; of
                      what waits or is of the warp only brx, bar.sync of all threads, ballot and shfl.idx, whole */
    uint32_t regfile_bytes; /* of a kernel: size of the space `regfile` */
    uint32_t local_bytes;   /* frame: depot, parameters and results of a device function, arguments of its calls */
    struct lane_slot *params, *results; /* of a device function, in its own frame */
    uint32_t nparams, nresults;
    struct lane_param *kparams; /* of a kernel */
    uint32_t nkparams, param_bytes;
    /* The parameter space: the caller's param_bytes are at param_at, `param_space` bytes in all (0: param_bytes), the
     * rest is zero but for the words. */
    uint32_t param_at, param_space, nwords;
    struct lane_word *words;
    struct lane_place *places; /* NULL: lines are lines of the module's text */
    uint32_t nplaces;
    struct lane_line *sources; /* by line; nothing where the module tells no source lines */
    uint32_t nsources;
    uint32_t required_block[3], max_block[3];
    bool thread_grid; /* of a kernel that requires a block: launches say how many threads the grid has, not how many
                         blocks; those of the last blocks that are beyond run, too (LANE_WORD_THREADS_X tells them) */
    uint32_t line;
};

enum lane_symbol_kind {
    LANE_SYMBOL_GLOBAL,   /* variable in global memory (const ones too, with `constant` set) */
    LANE_SYMBOL_SHARED,   /* address = offset in the block's shared memory; laid out per kernel */
    LANE_SYMBOL_SURFREF,  /* surface reference(s): 8 bytes an element, address = handle */
    LANE_SYMBOL_FUNCTION, /* `function` is an index in the module */
};

/* Bytes [offset, offset+size) of an initialiser are to hold the address of another symbol + addend. */
struct lane_reloc {
    uint32_t offset, size;
    uint32_t symbol;
    int64_t addend;
};

/* Static initial values of one surface reference (what suq gives without a bound surface). 0 = not given. */
struct lane_surfref_init {
    uint32_t width, height, depth, channel_data_type, channel_order, array_size, memory_layout;
    bool given;
};

struct lane_symbol {
    const char *name;
    uint8_t kind; /* enum lane_symbol_kind */
    bool constant, dynamic /* extern shared [] */, external, managed;
    uint32_t inside; /* GLOBAL: a name for the bytes from `at` on of another symbol, which has the memory; 0 = none */
    uint64_t at;
    uint64_t size;
    uint32_t align;
    const uint8_t *init; /* size bytes, or NULL = zero */
    struct lane_reloc *relocs;
    uint32_t nrelocs;
    uint32_t function;
    struct lane_surfref_init *surfrefs; /* `count` of them */
    uint32_t count;
};

struct lane_module {
    struct arena arena;          /* owns everything below */
    struct lane_symbol *symbols; /* number n is symbols[n - 1] */
    uint32_t nsymbols;
    struct lane_func *funcs;
    uint32_t nfuncs;
};

/* ---- operation rows ------------------------------------------------------------------------------ */

/* How an operand's width follows from the instruction (used by verifier and text). */
enum lane_width_rule {
    LANE_W_NONE,
    LANE_W_TYPE,
    LANE_W_TYPE2,
    LANE_W_PRED,
    LANE_W_32,
    LANE_W_64,
    LANE_W_WIDE,
    LANE_W_ANY
};

struct lane_row {
    const char *name;
    const char *dst, *src; /* a letter per operand: see ops.h */
    const char *types;     /* type letters allowed for .type: see ops.h */
    const char *uses;      /* which fields matter: see ops.h */
    uint16_t is;           /* set of enum lane_property */
};

extern const struct lane_row lane_rows[LANE_OPS];

/* What an operation is, beyond its operands. */
enum lane_property {
    LANE_PURE = 1 << 0, /* each lane's result depends on its own operands, its place and the launch only, and on nothing
                           that changes: it may be computed for lanes that do not run (but see TRAPS, CLOCK) */
    LANE_CLOCK = 1 << 1,     /* some of its modes read a clock (lane_sreg_is) */
    LANE_TRAPS = 1 << 2,     /* may stop the launch; of div and rem only the integer forms */
    LANE_ENDS = 1 << 3,      /* ends its block; where it has no guard nobody falls through to the next one */
    LANE_STOPS = 1 << 4,     /* whoever runs it goes no further; it may lie in the middle of a block */
    LANE_WAITS = 1 << 5,     /* lanes may have to wait there for others, or come to it again */
    LANE_YIELDS = 1 << 6,    /* may let other warps run */
    LANE_WARP = 1 << 7,      /* its result depends on which lanes run it and on what those have */
    LANE_SHARES = 1 << 8,    /* sees or changes what other lanes see too, as far as its space is shared (lane_shares) */
    LANE_WRITES = 1 << 9,    /* may change what other lanes see */
    LANE_UPDATES = 1 << 10,  /* reads and writes memory in one: has an enum lane_atomic */
    LANE_TEXELS = 1 << 11,   /* accesses a surface */
    LANE_OBJECT = 1 << 12,   /* accesses a barrier object in shared memory */
    LANE_TOKEN_OP = 1 << 13, /* takes or gives tokens: of stacked functions only */
    LANE_MAKES_NAN = 1 << 14, /* of floats: may make a NaN of operands that are none */
};

static inline bool lane_is(unsigned op, unsigned properties) /* any of them */
{
    return op < LANE_OPS && (lane_rows[op].is & properties);
}

/* May an operation be LANE_WHOLE? */
static inline bool lane_whole(unsigned op)
{
    return lane_is(op, LANE_PURE | LANE_WARP) || (lane_is(op, LANE_SHARES) && !lane_is(op, LANE_WAITS | LANE_OBJECT));
}

/* Is what this instruction accesses seen by other lanes of the same warp, of other warps, of other blocks? */
bool lane_shares(const struct lane_func *func, const struct lane_inst *inst);

/* What a special register is. */
enum lane_sreg_property {
    LANE_SREG_FIXED = 1,    /* the same each time that the warp runs, whichever the block */
    LANE_SREG_LANES = 2,    /* differs from lane to lane */
    LANE_SREG_CLOCKS = 4,   /* changes while the warp runs */
    LANE_SREG_RESERVED = 8, /* a kernel that reads it has reserved shared memory */
};
bool lane_sreg_is(unsigned sreg, unsigned properties); /* any of them */

/* Reserved shared memory lies before the block's own and is zeros when a block starts (docs/design.md, "Reserved shared
 * memory"). Named choice: what RESERVED_0 and RESERVED_1 name are its two halves. */
enum { LANE_RESERVED_BYTES = 1024 };
uint32_t lane_reserved(unsigned sreg); /* RESERVED_BEGIN ... RESERVED_1: what it has */

/* ---- builder ------------------------------------------------------------------------------------- */

/* Builds one function. Any failure (out of memory) is sticky: look at `failed` once at the end. Names, strings, tables
 * and slots are copied. Constants are interned: the same value, symbol and width have one index. Blocks are numbered in
 * the order of lane_block; after a terminator the front end starts the next one. Add all functions before the first
 * lane_begin: the builder keeps a pointer to its own. */
struct lane_builder {
    struct lane_module *module;
    struct lane_func *func;
    uint32_t cap_regs, cap_consts, cap_operands, cap_insts, cap_blocks, cap_accesses, cap_calls, cap_tables,
        cap_strings, cap_places, cap_words, cap_sources;
    uint32_t line;             /* given to instructions that follow */
    struct lane_operand guard; /* given to instructions that follow */
    bool guard_not;
    bool failed;
    struct lane_inst dummy; /* returned by lane_emit when failed */
    struct lane_func none;  /* built into when there is no such function */
    uint32_t cap_names;
    struct namemap consts; /* by value */
};

/* Appends an empty function / symbol to the module; returns its index (symbol: number from 1), UINT32_MAX / 0 on
 * failure. Pointers into module->funcs / symbols are invalid afterwards. */
uint32_t lane_add_func(struct lane_module *module);
uint32_t lane_add_symbol(struct lane_module *module, const struct lane_symbol *symbol);

void lane_begin(struct lane_builder *b, struct lane_module *module, uint32_t func);
struct lane_operand lane_reg(struct lane_builder *b, unsigned width, const char *name);
struct lane_operand lane_imm(struct lane_builder *b, unsigned width, uint64_t value);
struct lane_operand lane_imm128(struct lane_builder *b, uint64_t lo, uint64_t hi);
struct lane_operand lane_address(struct lane_builder *b, unsigned width, uint32_t symbol, int64_t addend);
/* Starts the next block and returns its index. */
uint32_t lane_block(struct lane_builder *b);
/* Appends an instruction to the current block (starting block 0 if there is none). Fill in the rest through the
 * returned pointer, which is valid until the next lane_emit. */
struct lane_inst *lane_emit(struct lane_builder *b, enum lane_op op, enum lane_type type, unsigned ndst,
                            const struct lane_operand *dst, unsigned nsrc, const struct lane_operand *src);
uint32_t lane_access(struct lane_builder *b, const struct lane_access *access);
uint32_t lane_call(struct lane_builder *b, const struct lane_call *call);
uint32_t lane_table(struct lane_builder *b, const uint32_t *blocks, uint32_t count);
uint32_t lane_string(struct lane_builder *b, const char *string);
/* A place (see lane_func.places): returns its line. The name is copied. */
uint32_t lane_place(struct lane_builder *b, const char *name, uint32_t address, uint32_t line);
/* What instructions of b->line and later ones come from; lines may not fall. `line` of it is not read. */
void lane_source(struct lane_builder *b, const struct lane_line *from);
/* What an instruction of this line comes from; NULL: it is not told. */
const struct lane_line *lane_source_of(const struct lane_func *func, uint32_t line);
void lane_word(struct lane_builder *b, const struct lane_word *word);
static inline uint32_t lane_param_space(const struct lane_func *func)
{
    return func->param_space ? func->param_space : func->param_bytes;
}
/* Room of `size` bytes in the function's local frame; returns its offset. */
uint32_t lane_local(struct lane_builder *b, uint32_t size, uint32_t align);
bool lane_end(struct lane_builder *b, struct atoll_error *error);

/* ---- verifier and text ------------------------------------------------------------------------------ */

/* Checks everything the engines rely on: operand kinds, indexes and widths by row, block structure, side-table
 * indexes, symbols, call signatures. The engines repeat none of it. */
bool lane_verify(const struct lane_module *module, struct atoll_error *error);

struct text;
/* "clamp.h:4 (clamp, inlined at pixel.h:9; pixel, inlined at blur.cu:63)": files without folders. */
void lane_source_print(const struct lane_source *source, struct text *out);
void lane_print(const struct lane_module *module, struct text *out);
/* Parses what lane_print prints. */
bool lane_parse(const char *text, size_t size, struct lane_module *module, struct atoll_error *error);

void lane_module_free(struct lane_module *module);

#endif

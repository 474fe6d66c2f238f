/* Atoll: runs GPU kernels on a CPU, exactly. The public header: C99 and later, C++11 and later.
 *
 * Objects are opaque handles; everything else is a flat struct that the caller
 * owns. Functions that can fail return false (or NULL) and fill the caller's
 * struct atoll_error. The library never prints (kernel printf goes to a callback),
 * never exits and keeps no mutable globals. A device and what belongs to it may be used from
 * one thread at a time; different devices are independent.
 */
#ifndef ATOLL_H
#define ATOLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default) /* the library is built with all other names hidden */
#endif

#define ATOLL_VERSION "0.1.0"

enum atoll_status {
    ATOLL_OK = 0,
    ATOLL_TRAP,        /* the kernel did something forbidden, or executed trap */
    ATOLL_INVALID,     /* the module does not validate */
    ATOLL_USAGE,       /* an argument of an API call is wrong */
    ATOLL_INPUT,       /* bytes or text that are not what they should be */
    ATOLL_LIMIT,       /* instruction, time or memory limit reached */
    ATOLL_INTERRUPTED, /* the caller's interrupt flag was set */
    ATOLL_UNSUPPORTED, /* a known gap, named in the message */
    ATOLL_MEMORY,      /* the host has no memory left */
    ATOLL_SYSTEM,      /* the operating system refused (files) */
};

/* Members of struct atoll_module_options that can be wrong. */
enum atoll_option {
    ATOLL_OPTION_NONE,
    ATOLL_OPTION_TARGET,
    ATOLL_OPTION_VERSION,
    ATOLL_OPTION_SIMD,
    ATOLL_OPTION_ABI,
    ATOLL_OPTION_TEX_WRITE,
};

/* What went wrong. `line` and `column` count from 1; 0 = not tied to a place. */
struct atoll_error {
    enum atoll_status status;
    enum atoll_option option; /* ATOLL_USAGE: which option is wrong */
    uint32_t line, column;
    char message[1000];
};

/* ---- diagnostics of a module ------------------------------------------ */

enum atoll_severity { ATOLL_NOTE, ATOLL_WARNING, ATOLL_ERROR };

/* One message about the text of a module. Strings live only during the call. */
struct atoll_diagnostic {
    enum atoll_severity severity;
    const char *code;      /* stable short name: "unknown-opcode" */
    const char *message;   /* one line: what was read, what was wanted */
    const char *file;      /* as given in atoll_module_options */
    uint32_t line, column; /* from 1 */
    uint32_t length;       /* of the offending token, in bytes; 0 = unknown */
    const char *line_text; /* the source line, not terminated */
    size_t line_length;
};

struct atoll_module_options {
    const char *file;    /* name used in messages; NULL = "<memory>" */
    unsigned max_errors; /* 0 = all */
    bool strict;         /* reject what the vendor's assembler lets through by oversight */
    const char *target;  /* "sm_75": overrides the module's .target; NULL = as written */
    unsigned version;    /* 10 * major + minor: overrides .version; 0 = as written */
    bool fmad;     /* PTX: products are fused into sums as ptxas does by default; false: only what the text says */
    unsigned simd; /* threads that make a warp, where the family leaves it to who launches; 0 = as written */
    /* How kernels get their arguments, by a name that the family knows: "opencl" (vISA); NULL = as their text says. And
     * what describes them: see docs/visa.md, "The launch"; NULL = nothing does. */
    const char *abi, *abi_text;
    /* When results of lookups are written, by a name that the family knows: "deferred", "immediate", "seeded" (CTM;
     * docs/ctm.md, "Late results"); NULL = as on the device. */
    const char *tex_write;
    void (*diagnose)(void *user, const struct atoll_diagnostic *); /* may be NULL */
    void *user;
};

/* ---- device and memory ------------------------------------------------- */

struct atoll_device;  /* an address space, its buffers and surfaces */
struct atoll_module;  /* a loaded module: kernels, variables, surface references */
struct atoll_kernel;  /* belongs to its module */
struct atoll_surface; /* belongs to its device */

struct atoll_device_options {
    uint64_t memory_limit; /* bytes of device memory; 0 = 64 GiB of address space */
};

bool atoll_device_create(const struct atoll_device_options *options, struct atoll_device **device,
                         struct atoll_error *error);
/* Destroys its surfaces and modules too: their handles must not be used afterwards. NULL is fine, here and in every
 * destroy function. */
void atoll_device_destroy(struct atoll_device *device);

/* Allocates `size` bytes of zeroed device memory, 256-byte aligned; *address is its device address. Of 0
 * bytes, too: an address of its own, at which nothing can be read. */
bool atoll_memory_alloc(struct atoll_device *device, uint64_t size, uint64_t *address, struct atoll_error *error);
bool atoll_memory_free(struct atoll_device *device, uint64_t address, struct atoll_error *error);
/* A second address of the memory that was allocated at `address`: *alias is an allocation of its own, as long, with the
 * same bytes, to which atoll_memory_alloc's limit does not apply. Each is freed on its own, and the memory stays until
 * the last of them is. Not while a launch runs: the memory may move in the host (atoll_memory_map). */
bool atoll_memory_alias(struct atoll_device *device, uint64_t address, uint64_t *alias, struct atoll_error *error);
/* What messages call an allocation, and its elements: "element 256 of 'out' (256 x s32)". `type`: NULL = bytes; else
 * the name of one of `size` bytes. Both are copied, the first 99 and 23 bytes. Without a name a parameter that points
 * to it gives one. */
bool atoll_memory_name(struct atoll_device *device, uint64_t address, const char *name, const char *type, uint32_t size,
                       struct atoll_error *error);
bool atoll_memory_write(struct atoll_device *device, uint64_t address, const void *bytes, uint64_t size,
                        struct atoll_error *error);
bool atoll_memory_read(struct atoll_device *device, uint64_t address, void *bytes, uint64_t size,
                       struct atoll_error *error);
/* Host pointer to [address, address+size); valid until the allocation is freed. NULL: not one allocation. */
void *atoll_memory_map(struct atoll_device *device, uint64_t address, uint64_t size, struct atoll_error *error);

/* ---- surfaces ------------------------------------------------------------ */

enum atoll_dimension {
    ATOLL_DIM_1D,
    ATOLL_DIM_1D_BUFFER,
    ATOLL_DIM_1D_ARRAY,
    ATOLL_DIM_2D,
    ATOLL_DIM_2D_ARRAY, /* cubes too: layer = face, or 6 * layer + face */
    ATOLL_DIM_3D,
};

/* How texels lie in memory: a name of the table of layouts, and settings of that layout's own (docs/formats.md;
 * atoll_layout_find enumerates both); 0 = chosen. {"pitch", {512}}: rows of 512 bytes one after the other. Kernels and
 * atoll_surface_write and _read see no difference. */
enum { ATOLL_LAYOUT_SETTINGS = 4 };
struct atoll_layout {
    const char *name; /* NULL = "pitch" */
    uint64_t settings[ATOLL_LAYOUT_SETTINGS];
};

/* A surface. Extents are in texels, of mip level 0; unused extents are 0 or 1. `format` is a name of the
 * format table: r8unorm, rgba8unorm, rg16sint, r32float, bgra8unorm, rgb10a2unorm, r11g11b10float ...
 * (docs/formats.md; atoll_format_name enumerates). Everything below `format` may be 0. */
struct atoll_surface_desc {
    enum atoll_dimension dimension;
    uint32_t width, height, depth, layers;
    const char *format;
    struct atoll_layout layout;
    uint32_t levels;  /* mip levels, not with every layout; 0 = 1 */
    uint32_t level;   /* the one that kernels, _write and _read get */
    uint32_t index;   /* in the device's table of headers: the handle; 0 = one that is free */
    bool index_given; /* `index` is meant, 0 too */
    bool disabled;    /* loads and atomics give 0, stores and atomics change nothing */
    /* Loads through the format (not suld.b of PTX) give four texels of one channel instead of the channels of one:
     * of (x + 1, y), (x, y + 1), (x + 1, y + 1) and (x, y). */
    bool quad;
    /* Its texels are the bytes there, of one allocation: buffers and surfaces that share it see the same. A multiple of
     * 64; 0 = memory of its own. When that memory is freed the surface has no texels: its handle is nobody's. */
    uint64_t address;
};

struct atoll_format_info {
    const char *name;
    uint32_t bytes;    /* of one texel */
    uint32_t channels; /* 1..4 */
    uint32_t bits[4];  /* in R, G, B, A order; 0 = absent */
    char kind;         /* 'n' unorm, 's' snorm, 'u' uint, 'i' sint, 'f' float */
};

bool atoll_format_find(const char *name, struct atoll_format_info *info, struct atoll_error *error);
/* Name of format `index`, NULL past the end. */
const char *atoll_format_name(unsigned index);

struct atoll_layout_info {
    const char *name;
    bool levels; /* can have mip levels */
    struct {
        const char *name, *unit; /* "pitch", "bytes"; NULL past the last */
    } settings[ATOLL_LAYOUT_SETTINGS];
};
bool atoll_layout_find(const char *name, struct atoll_layout_info *info, struct atoll_error *error);
/* Name of layout `index`, NULL past the end. */
const char *atoll_layout_name(unsigned index);

bool atoll_surface_create(struct atoll_device *device, const struct atoll_surface_desc *desc,
                          struct atoll_surface **surface, struct atoll_error *error);
/* Surface references that it was bound to become unbound. */
void atoll_surface_destroy(struct atoll_surface *surface);
/* What messages call it; the first 99 bytes are copied. */
bool atoll_surface_name(struct atoll_surface *surface, const char *name, struct atoll_error *error);
/* The description with what was chosen filled in. */
void atoll_surface_describe(const struct atoll_surface *surface, struct atoll_surface_desc *desc);
/* The handle that kernels receive: the surface's index in the device's table of headers (0 only where it was asked
 * for), at most what handles of all families can hold: 2^20 - 1. */
uint64_t atoll_surface_handle(const struct atoll_surface *surface);
/* Bytes of the level's texels, tightly packed, x fastest, then y, then z or layer. */
uint64_t atoll_surface_size(const struct atoll_surface *surface);
bool atoll_surface_write(struct atoll_surface *surface, const void *texels, uint64_t size, struct atoll_error *error);
bool atoll_surface_read(const struct atoll_surface *surface, void *texels, uint64_t size, struct atoll_error *error);
/* Takes tiles [first, first + count) of 64 KiB of the surface's memory away from kernels, or gives them back. Loads and
 * atomics in a tile that is not resident give 0; stores and atomics change nothing. */
bool atoll_surface_reside(struct atoll_surface *surface, uint64_t first, uint64_t count, bool resident,
                          struct atoll_error *error);

/* ---- modules and kernels -------------------------------------------------- */

/* Reads and validates `size` bytes of a module: PTX, a cubin of Maxwell, or Maxwell text, told apart by what is
 * there. With device == NULL the module can be inspected but not run. */
bool atoll_module_load(struct atoll_device *device, const char *text, size_t size,
                       const struct atoll_module_options *options, struct atoll_module **module,
                       struct atoll_error *error);
/* Several texts as one module, joined as the vendor's linker does it: functions and variables that one of them declares
 * .extern (machine code: that it does not define) are found in the others; what no other file can see stays apart. All
 * are PTX, or all are cubins of one architecture that are not linked yet. Mistakes name the file; `options->file` is
 * not read. Kernels are in the order of the sources. */
struct atoll_source {
    const char *text;
    size_t size;
    const char *file; /* for messages; NULL = "<memory>" */
};
bool atoll_module_link(struct atoll_device *device, const struct atoll_source *sources, unsigned count,
                       const struct atoll_module_options *options, struct atoll_module **module,
                       struct atoll_error *error);
/* Validates texts as atoll_module_link does (joined, if there are several), without making a module. One PTX text takes
 * memory for its declarations and its largest function only. The text must stay where it is for the call. */
bool atoll_module_check(const struct atoll_source *sources, unsigned count, const struct atoll_module_options *options,
                        struct atoll_error *error);
void atoll_module_destroy(struct atoll_module *module);
/* Device address and size of a module-scope variable. */
bool atoll_module_variable(const struct atoll_module *module, const char *name, uint64_t *address, uint64_t *size,
                           struct atoll_error *error);
/* Binds the surface reference `name` (element `index` of an array, else 0) to a surface. */
bool atoll_module_bind_surface(struct atoll_module *module, const char *name, uint32_t index,
                               struct atoll_surface *surface, struct atoll_error *error);
/* The kernel of this name; else the only one whose name in C++ is this: "saxpy" or "math::saxpy" for
 * _ZN4math5saxpyEifPKfPf, "fill<float>" or, if there is no other, "fill" for _Z4fillIfEvPT_i. */
bool atoll_module_kernel(struct atoll_module *module, const char *name, struct atoll_kernel **kernel,
                         struct atoll_error *error);
/* Kernel `index` in source order, NULL past the end. */
struct atoll_kernel *atoll_module_kernel_at(struct atoll_module *module, unsigned index);

/* Texts about a module, in memory that the caller frees with atoll_text_free. */
enum atoll_text {
    ATOLL_TEXT_CANONICAL, /* the module printed canonically (atoll fmt) */
    ATOLL_TEXT_INSN,      /* one instruction a line, with its row */
    ATOLL_TEXT_LANES,     /* the lane program */
    ATOLL_TEXT_INFO,      /* kernels, parameters, registers, features used */
    ATOLL_TEXT_INFO_JSON,
};
bool atoll_module_text(const struct atoll_module *module, enum atoll_text what, char **text, size_t *size,
                       struct atoll_error *error);
void atoll_text_free(char *text);

/* What an instruction does: of PTX ("suld.b.2d.v4.b8.trap {...}, [s, {x, y}];") or of Maxwell
 * ("ATOMS.CAST.SPIN R0, [R2], R4, R5", or a word of 16 hexadecimal digits), told apart by the case of the mnemonic. A
 * mnemonic alone lists its forms. Free with atoll_text_free. */
bool atoll_explain(const char *instruction, char **text, size_t *size, struct atoll_error *error);
/* The same in an instruction set: "PTX", "SM50", "SM52", "SM53"; NULL: any. */
bool atoll_explain_in(const char *isa, const char *instruction, char **text, size_t *size, struct atoll_error *error);

/* The instructions of a family ("ptx"), a line each; with ATOLL_LIST_SURFACE those on surfaces and the atomic ones
 * alone. As Markdown the latter are the family's reference: forms, words, rules. Free with atoll_text_free. */
enum atoll_list_flag { ATOLL_LIST_SURFACE = 1, ATOLL_LIST_MARKDOWN = 2, ATOLL_LIST_JSON = 4 /* a list of objects */ };
bool atoll_list(const char *family, unsigned flags, char **text, size_t *size, struct atoll_error *error);
/* Families that can be listed, in no particular order; NULL past the end. */
const char *atoll_family_name(uint32_t index);

/* Proves the table of a family that has a binary form ("sass"): that every bit of a word is accounted for once, that no
 * word belongs to two rows unless one says so, that what is written is read back. *report has a line for each rule that
 * is broken; `counts` may be NULL. Free with atoll_text_free. */
struct atoll_lint_counts {
    uint32_t rows, breaks;
};
bool atoll_lint(const char *family, char **report, size_t *size, struct atoll_lint_counts *counts,
                struct atoll_error *error);

struct atoll_kernel_info {
    const char *name;
    uint32_t parameters;
    uint32_t parameter_bytes;
    uint32_t shared_bytes;      /* static */
    bool dynamic_shared;        /* uses extern shared memory */
    uint32_t local_bytes;       /* per thread */
    uint32_t registers;         /* virtual registers of all widths */
    uint32_t required_block[3]; /* .reqntid; 0 = none */
    uint32_t max_block[3];      /* .maxntid; 0 = none */
    bool token_stack;           /* made for a token stack (Maxwell): atoll_policy matters */
    uint32_t warp_lanes;        /* threads that make a warp, where the code is written for them (vISA); 0 = any */
    bool thread_grid;           /* a launch's grid says how many threads there are, and its block is required_block or
                                   0 (CTM: index pairs) */
    const char *source_name;    /* in C++: "fill<float>"; NULL: `name` is no name of C++ */
};

struct atoll_parameter_info {
    const char *name;
    /* "u64", "f32", "b8", "surfref" ... as written, without the dot. "bti": a place for a buffer or a surface, 24
     * bytes: address, size in bytes, handle of a surface, 64 bits each; zeros: nothing is bound. "sampler": 16 bytes
     * (docs/visa.md, "The launch"); zeros: there is none. */
    const char *type;
    uint32_t offset, size, align;
    uint32_t count;          /* elements of an array; 1 = scalar */
    bool pointer;            /* written with .ptr */
    const char *source_name; /* in the source, where debug information tells it; else NULL */
    bool optional;           /* zeros stand for it, or for its last elements, where a user gives less */
    bool usual;              /* and are what most launches have */
};

void atoll_kernel_describe(const struct atoll_kernel *kernel, struct atoll_kernel_info *info);
bool atoll_kernel_parameter(const struct atoll_kernel *kernel, unsigned index, struct atoll_parameter_info *info,
                            struct atoll_error *error);

/* ---- launch ---------------------------------------------------------------- */

enum atoll_order {
    ATOLL_ORDER_PARALLEL,      /* blocks spread over host threads */
    ATOLL_ORDER_DETERMINISTIC, /* one host thread, blocks and warps in order */
    ATOLL_ORDER_SEEDED,        /* one host thread, a random interleaving of blocks, warps, lanes fixed by `seed` */
};

/* Which lanes of a warp run when they part. */
enum atoll_policy {
    ATOLL_POLICY_DEFAULT,  /* stack where the code is made for a token stack (Maxwell's SSY and SYNC), else frontier */
    ATOLL_POLICY_FRONTIER, /* those that are furthest behind; others get their turn, so locks between lanes make
                              progress */
    ATOLL_POLICY_STACK,    /* as the hardware's stack says; a lock that lanes of a warp wait for in vain is a trap */
};

/* What carries a kernel out. Results, traps and counters are the same. */
enum atoll_engine {
    ATOLL_ENGINE_AUTO,        /* the interpreter at once, compiled code as soon as there is any and it pays */
    ATOLL_ENGINE_INTERPRETER, /* alone */
    ATOLL_ENGINE_JIT,         /* compiled code from the first block on, if the kernel can be compiled */
};

/* "auto", "interp", "jit"; NULL: there is no such engine. */
const char *atoll_engine_name(enum atoll_engine engine);
/* The engine of this name. */
bool atoll_engine_find(const char *name, enum atoll_engine *engine, struct atoll_error *error);
/* Whether launches can ask for it. ATOLL_UNSUPPORTED: what is missing (LLVM); it is looked for now, which takes a
 * moment. */
bool atoll_engine_available(enum atoll_engine engine, struct atoll_error *error);

struct atoll_progress {
    uint64_t blocks_done, blocks_total, instructions;
    double seconds;
};

/* What an atomic instruction cost, over a whole launch. Lanes of one address take a pass each. In shared memory words
 * of different addresses in one of the 32 banks conflict (the reference of Maxwell's ATOMS); elsewhere sectors count:
 * an atomic of a warp goes to each sector of 32 bytes that it touches by itself (docs/maxwell.md, "Contention
 * elsewhere").
 */
struct atoll_contention {
    const char *place;          /* "FILE:LINE", or file, function and address of the instruction */
    const char *space;          /* "shared", "global", "surface" */
    uint64_t executions, lanes; /* by warps; lanes that took part */
    uint64_t passes;
    uint64_t bank_conflicts;         /* further words of the worst bank, summed over the executions; elsewhere 0 */
    uint64_t sectors;                /* that were touched, summed over the executions; of shared memory 0 */
    uint64_t distinct_addresses[33]; /* executions by how many different addresses they had */
};

struct atoll_finding; /* below, with traps */
struct atoll_touch;
struct atoll_line_count;

/* Bytes of memory, or a texel, whose history a launch is to tell. Such launches run as checked ones do. */
struct atoll_watch {
    uint64_t address;  /* of device memory; or the handle of a surface */
    uint32_t bytes;    /* 1 to ATOLL_WATCH_BYTES; 0: a texel */
    uint32_t texel[3]; /* x, y, slice or layer (of the level that accesses name) */
};
enum { ATOLL_WATCH_BYTES = 16, ATOLL_WATCHES = 64 };

/* A time in which warps of a slot for blocks ran, in warp instructions of the whole launch from 0: a block from its
 * beginning to its last instruction, or a turn of a warp, in which no other warp ran. */
struct atoll_slice {
    bool turn;     /* of a warp */
    uint32_t slot; /* resident blocks have one each, and get those of blocks that are over */
    uint32_t block[3], warp;
    uint64_t begin, end, lanes; /* lane instructions meanwhile, of turns */
};

/* Counts accesses to each texel of a surface, of the level that accesses name. */
struct atoll_heat {
    uint64_t handle;  /* of the surface */
    uint64_t *counts; /* width x height x (depth or layers), x fastest; the launch adds to them */
    uint64_t count;   /* how many there are: for a test */
};

/* What a launch is looked through for while it runs (docs/checks.md). Checked launches are interpreted, on one host
 * thread. */
enum atoll_check {
    ATOLL_CHECK_RACE = 1,    /* accesses of different threads to one place that nothing orders */
    ATOLL_CHECK_INIT = 2,    /* use of registers and memory that nobody has written */
    ATOLL_CHECK_SYNC = 4,    /* barriers, shuffles and votes that not all come to who are counted or named */
    ATOLL_CHECK_VALUE = 8,   /* results that are no numbers, or not those of the source */
    ATOLL_CHECK_MEMORY = 16, /* accesses that trap, all of them: the launch goes on; that leave their array; leaks */
    ATOLL_CHECK_BORDER = 32, /* texels out of range that a clamp policy moves or drops; not of `all` */
    ATOLL_CHECK_ALL = ATOLL_CHECK_RACE | ATOLL_CHECK_INIT | ATOLL_CHECK_SYNC | ATOLL_CHECK_VALUE | ATOLL_CHECK_MEMORY,
    /* On request only, together with INIT: buffers and surfaces that the launch leaves in part unwritten. */
    ATOLL_CHECK_OUTPUTS = 64,
};

/* Which lines of a trace are wanted: all that is set has to fit. Blocks and warps (of each block) by their numbers;
 * lines of the source, or of the module's text where that tells none, from the first to the last (0: all). */
struct atoll_trace_filter {
    bool one_block, one_warp;
    uint32_t block[3], warp;
    uint32_t first_line, last_line;
};

/* Name of check number `index`: "race". NULL past the last. */
const char *atoll_check_name(unsigned index);
/* The bits of a list of names, "race" or "all", with commas. ATOLL_USAGE: there is no such check. */
bool atoll_check_find(const char *names, unsigned *checks, struct atoll_error *error);

struct atoll_launch_options {
    uint32_t grid[3], block[3]; /* blocks (or threads: atoll_kernel_info.thread_grid), threads; 0 counts as 1 */
    uint32_t dynamic_shared;    /* bytes */
    const void *parameters;     /* the kernel's parameter block, laid out as atoll_kernel_parameter says */
    size_t parameter_bytes;
    unsigned threads; /* host threads; 0 = all processors */
    enum atoll_order order;
    uint64_t seed;
    bool weak; /* of ATOLL_ORDER_SEEDED: loads may read older values, as far as the memory model of the PTX ISA allows
                  (docs/memory-model.md, "The weak order"). For PTX of sm_70 and later; ATOLL_USAGE: it is other code */
    enum atoll_policy policy;
    enum atoll_engine engine;
    bool no_cache;         /* compiled code is not looked for on the disk, nor kept there (docs/jit.md, "The cache") */
    bool cooperative;      /* all blocks of the grid are resident, so that they can wait for each other (grid barriers);
                              too many of them are an error */
    uint32_t helper_lanes; /* lanes of every warp that are helpers, as pixel shaders have them: in machine code, their
                              atomics on surfaces do nothing */
    uint64_t instruction_limit;    /* warp instructions of the whole launch; 0 = none */
    double time_limit;             /* seconds; 0 = none */
    const volatile int *interrupt; /* set non-zero (from a signal handler, say) to stop; may be NULL */
    bool integer_division_trap;    /* trap on integer division by zero; false: all ones, as the hardware does */
    void (*print)(void *user, const char *bytes, size_t size);   /* kernel printf; NULL = discard */
    void (*progress)(void *user, const struct atoll_progress *); /* about ten times a second; may be NULL */
    void (*trace)(void *user, const char *line, size_t size);    /* a line per warp instruction; may be NULL */
    const struct atoll_trace_filter *trace_filter;               /* which lines are wanted; NULL: all */
    /* Afterwards, for each atomic on shared memory that was reached; may be NULL. Kernels that have some are
     * interpreted then. */
    void (*contention)(void *user, const struct atoll_contention *);
    bool contention_everywhere; /* atomics on global memory and surfaces, too */
    unsigned checks;            /* enum atoll_check; 0: none */
    /* Findings that are told, each once; the others are counted. 0 = 100 */
    uint32_t max_findings;
    /* Afterwards, however the launch has ended, for each finding in the order in which they came; may be NULL. */
    void (*finding)(void *user, const struct atoll_finding *);
    /* Accesses to what is watched, in their order; of more than max_touches (0 = 1000) the others are counted. */
    const struct atoll_watch *watches;
    uint32_t nwatches;
    uint64_t max_touches;
    void (*touch)(void *user, const struct atoll_touch *);
    /* What ran when, in the order of the ends; of more than max_slices (0 = 100000) the others are counted. */
    uint64_t max_slices;
    void (*slice)(void *user, const struct atoll_slice *);
    /* Afterwards, for each instruction of the module that was carried out. */
    void (*line)(void *user, const struct atoll_line_count *);
    const struct atoll_heat *heats;
    uint32_t nheats;
    void *user;
};

/* Counters of a finished launch: warp instructions are instructions executed by a warp (or a part of it),
 * lane instructions count the lanes that took part. */
struct atoll_stats {
    uint64_t blocks, warps; /* that came to their end; the others count what was done, however the launch has ended */
    uint64_t warp_instructions, lane_instructions;
    uint64_t divergent_branches, barriers;
    uint64_t global_accesses, shared_accesses, local_accesses, surface_accesses, atomics;
    double seconds;
    uint64_t compiled_blocks;  /* blocks that compiled code ran, or began to run */
    uint64_t compiled, cached; /* times that code was made of the kernel for this launch; found on the disk */
    double compile_seconds;    /* that both took, of all host threads */
    uint64_t findings;         /* of checks: different ones that were told */
    uint64_t findings_untold;  /* different ones beyond max_findings */
    const char *not_compiled;  /* why there is no code of the kernel, in a few words; NULL: there is, or nobody tried */
    uint64_t touches, touches_untold; /* of what is watched: that were told, and beyond max_touches */
    uint64_t slices, slices_untold;   /* likewise */
    uint64_t findings_untold_times;   /* times that those beyond max_findings were found */
    uint64_t stepped;                 /* instructions of warps that compiled code had the interpreter carry out */
};

/* A place in the source from which a module was made, where its debug information tells it: .loc of PTX, the line
 * tables of a cubin (nvcc -lineinfo or -G). */
enum { ATOLL_FUNCTION_NAME = 160, ATOLL_INLINED = 8 };
struct atoll_place {
    const char *file;                   /* as the compiler wrote it; owned by the module */
    uint32_t line, column;              /* column 0: not told */
    char function[ATOLL_FUNCTION_NAME]; /* inlined, that the line is of: "math::clamp<int>"; "": not told */
};

/* Where and why a launch stopped; filled with the error of a trap. */
struct atoll_trap {
    const char *kernel; /* owned by the module */
    const char *cause;  /* "out-of-bounds", "misaligned", "null", "bad-handle", "unbound-surface", ... */
    uint32_t line;      /* of the instruction in the module's text; of machine code that has none its address */
    const char *file;   /* that has the line; NULL: machine code that was not assembled from a text */
    uint32_t block[3], thread[3];
    uint64_t address;      /* of a memory access, or the surface handle */
    int64_t coordinate[3]; /* of a surface access */
    /* In the source: places[0], which was inlined at places[1], and so on; 0: not told. Of more than ATOLL_INLINED the
     * last is the outermost. */
    uint32_t nplaces;
    struct atoll_place places[ATOLL_INLINED];
    /* Whose memory the address is, or is near to: "element 100 of 'in' (100 x s32), 0 bytes past its end"; "": not
     * known.
     */
    char memory[400];
};

/* Who takes part in a finding: the thread that does what is wrong, or each of two. */
struct atoll_finding_side {
    const char *place; /* in the source, if it is told, and in the module: "blur.cu:12, blur.ptx:40" */
    uint32_t line;     /* of the instruction in the module's text */
    const char *file;  /* that has the line; NULL: machine code that was not assembled from a text */
    const char *does;  /* "read", "write", "update" of accesses; else a few words: "divides by zero" */
    uint32_t block[3], thread[3];
    uint32_t nplaces; /* as in struct atoll_trap */
    struct atoll_place places[ATOLL_INLINED];
};

/* What a check found: told once for each place or pair of places in the source and cause. The threads and the memory
 * are those of the first time. */
struct atoll_finding {
    const char *check;   /* "race" */
    const char *cause;   /* a word: docs/checks.md has them all */
    const char *message; /* all of it in a line */
    const char *memory;  /* "element 5 of 'out' (256 x s32)"; "": of none */
    uint64_t count;
    uint32_t nsides; /* 1, or 2: the later one first; 0: it is of the launch as a whole */
    struct atoll_finding_side sides[2];
};

/* An access to something that is watched, by an instruction of a warp. Strings live only during the call. */
struct atoll_touch {
    uint32_t watch;        /* number of it */
    uint64_t when;         /* which warp instruction of the launch, from 1 */
    uint32_t lanes;        /* how many of the warp reach it at once: `side` is the first of them */
    const char *operation; /* "st.u32", "atom.add.u32" */
    bool surface;          /* by way of a surface, not by an address */
    uint32_t bytes;        /* of what is watched */
    unsigned char before[ATOLL_WATCH_BYTES], after[ATOLL_WATCH_BYTES]; /* the instruction */
    /* What orders it behind the access before it, as far as barriers and programs tell: "the same thread", "lanes in
     * step", "a barrier of the block", "a barrier of the warp", "first"; "": nothing that is known here. */
    const char *order;
    struct atoll_finding_side side;
};

/* What was carried out of an instruction; several of one line have one place in the source. */
struct atoll_line_count {
    const char *place, *file; /* as in struct atoll_finding_side */
    uint32_t line;
    uint64_t executions,
        lanes;                /* by warps; lanes that came to it, as atoll_stats counts them: with a false guard, too */
    uint64_t accesses, bytes; /* of lanes, to global and shared memory and texels that are there */
    uint64_t divergent;       /* times that lanes parted there */
    uint32_t nplaces;
    struct atoll_place places[ATOLL_INLINED];
};

/* Runs a kernel to its end. `stats` and `trap` may be NULL. On failure memory holds what was written so far. */
bool atoll_launch(struct atoll_kernel *kernel, const struct atoll_launch_options *launch, struct atoll_stats *stats,
                  struct atoll_trap *trap, struct atoll_error *error);

/* ---- machine code ------------------------------------------------------------ */

struct atoll_isa; /* an instruction set that has a binary form; never changes, may be used by many threads at once */

enum { ATOLL_INSTRUCTION_TEXT = 512 /* bytes that the text of any instruction fits in, with its 0 */ };

/* `name`: "SM50", "SM52", "SM53" (sm_50 is fine too); NULL = SM50. ATOLL_USAGE: there is no such instruction set. */
bool atoll_isa_open(const char *name, struct atoll_isa **isa, struct atoll_error *error);
void atoll_isa_close(struct atoll_isa *isa);
/* The text of the instruction at the start of bytes[0..size), as the vendor's disassembler writes it, and in *used how
 * many of the bytes it takes. `address` in bytes (targets of branches depend on it). ATOLL_INPUT: there is none; the
 * message tells why. `used` may be NULL. Allocates nothing.
 *
 * Maxwell: the 8 bytes of the instruction; if 4 more are given, they hold its 21 bits of the control word before it
 * (stall, yield, scoreboards, reuse). */
bool atoll_isa_decode(const struct atoll_isa *isa, const void *bytes, size_t size, uint64_t address,
                      char text[ATOLL_INSTRUCTION_TEXT], size_t *used, struct atoll_error *error);
/* One instruction of text to bytes[0..room); *used is how many it takes (Maxwell: 8, or 12 with its control bits where
 * there is room). `rules`: refuse what has an encoding but breaks the operand rules of the instruction reference
 * (alignment of registers, pairs, sizes). ATOLL_INPUT: column and what was wanted there. Allocates nothing. True, and
 * error->message is not empty: a warning. */
bool atoll_isa_encode(const struct atoll_isa *isa, const char *text, size_t length, uint64_t address, bool rules,
                      void *bytes, size_t room, size_t *used, struct atoll_error *error);

struct atoll_listing_options {
    const char *isa;  /* NULL: the bytes are a cubin; else raw code of this instruction set */
    bool hex;         /* words beside the text */
    bool control;     /* scheduling annotations, and all that it takes to make the same file again */
    bool code;        /* only sections of code, as nvdisasm -c writes them */
    bool no_vliw;     /* no braces around instructions that issue together */
    bool no_dataflow; /* no targets after indirect branches */
    uint64_t base;    /* address of raw code */
};

/* The text of a whole module, or of raw code (32-byte bundles: a control word, three instructions). atoll_assemble
 * takes it as it is. Free with atoll_text_free. */
bool atoll_disassemble(const void *bytes, size_t size, const struct atoll_listing_options *options, char **text,
                       size_t *length, struct atoll_error *error);
/* Text to a cubin. `isa`: of text that names none itself; NULL = SM50. Control bits that are not written are chosen
 * conservatively. `options`: where all mistakes and warnings go (ATOLL_INVALID: the first one's line and column);
 * target and version are not read. NULL: the first mistake ends it (ATOLL_INPUT: line and column); true, and
 * error->message is not empty: a warning, with its place. Free with atoll_text_free. */
bool atoll_assemble(const char *text, size_t length, const char *isa, const struct atoll_module_options *options,
                    char **bytes, size_t *size, struct atoll_error *error);
/* Reports, a line each, where code with control bits uses a register or predicate before it is ready. `bytes`: a cubin
 * or text. *count may be NULL. Free with atoll_text_free. */
bool atoll_hazards(const void *bytes, size_t size, char **report, size_t *length, unsigned *count,
                   struct atoll_error *error);

const char *atoll_version(void);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif

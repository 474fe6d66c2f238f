/* Compiled code of a kernel: what it is called with, how it is left, and what it finds of the host. */
#ifndef ATOLL_ENGINE_JIT_JIT_H
#define ATOLL_ENGINE_JIT_JIT_H

#include "engine/compiler.h"
#include "engine/jit/flow.h"

struct jit_code;

static inline bool jit_is_int(unsigned type)
{
    return type >= LANE_B8 && type <= LANE_S64 && type != LANE_B128;
}

enum { JIT_TWINS = 4 }; /* warps that go around a loop at once, at most (twins.h) */

/* A warp of a block that is parked at the start of a segment while another runs: its registers lie in its frame, as
 * they do when code is left. */
struct jit_twin {
    struct warp *warp;
    uint32_t segment, exec;
    uint32_t waits; /* where the segment is a loop: lanes that wait at the next */
    int32_t turns;
};

enum { JIT_COUNTERS = 4 /* turns (32 bits of it); instructions, of lanes, branches that part */ };

/* What compiled code is handed, and gives back. */
struct jit_call {
    /* Of a block, when it is left: where its warps began this part, the first of them, the one that left it, and the
     * last that began. All from the first to the last, in the order of the block and around, have ended by `ended`
     * (JIT_DONE, an exit at a barrier), but for the one that left and those that are parked. Tight code has its own
     * variables there while it runs. */
    uint32_t entry, ended;
    struct warp *first, *warp, *last;
    uint32_t given, more; /* blocks that code may begin by itself behind the one at hand; of these, left */
    uint8_t went;         /* has a function of the module done what it was called for? */
    /* Those that are parked, in the order of the part: twins[head] and the ones that follow. The caller sets ntwins to
     * 0. */
    uint32_t ntwins, head;
    struct jit_twin twins[JIT_TWINS], resumed;
    /* When the code is entered with one warp, and when it is left at a place: the lanes that wait at each segment that
     * is in the set flow_waits(segment). Where flow.many they are kept here meanwhile, and others are 0. */
    uint32_t masks[FLOW_SEGMENTS];
    /* Variables of code where flow.many: as registers they would be others behind each segment. `counters` of tight
     * code, too. */
    uint64_t some[FLOW_SEGMENTS / 64], counters[JIT_COUNTERS];
    uint32_t from;
    /* Of functions of the module (scattered.c): addresses, elements. */
    _Alignas(64) uint64_t places[2][LANES];
};
#define JIT_MASK(segment) (offsetof(struct jit_call, masks) + (uint64_t)(segment) * sizeof(uint32_t))

/* Runs a block from an entry on: 0 = the start of the kernel, n = entries[n - 1], after a barrier at which all its
 * warps are with all their lanes. `w` goes first. Or runs one warp, if JIT_SINGLE is added: the lanes w->frame.exec,
 * for w->turns. How it was left: JIT_DONE, JIT_STOPPED, JIT_OVER, n = exits[n - JIT_EXITS]; of one warp also
 * JIT_REFUSED, nothing was done. */
typedef uint32_t jit_run(struct warp *w, struct jit_code *code, uint32_t entry, struct jit_call *call);
#define JIT_SINGLE UINT32_C(0x80000000)
enum {
    JIT_DONE,    /* all lanes of the warp have exited: it is up to the caller to tell the block */
    JIT_STOPPED, /* the launch has stopped; in jit_call.ended: no warp has ended */
    JIT_OVER,    /* the same of all warps of the block: nobody has told it */
    JIT_REFUSED, /* lanes differ at the entry in ways that the code does not expect */
    JIT_EXITS
};

/* A place where compiled code is left: registers that are live lie in the frame, w->frame.exec runs. */
struct jit_exit {
    uint8_t kind;
    uint32_t segment; /* whose waiting lanes are in `masks` */
    uint32_t index;   /* JIT_STEP, JIT_MEET: the decoded instruction that comes next */
};
enum {
    JIT_STEP, /* before an instruction that is the interpreter's */
    JIT_MEET, /* there, too, a barrier of the whole block: the frame is as the next part wants it (barriers.c) */
    JIT_TURN, /* at the start of the segment: the warp has used its turns up */
    JIT_FAIR, /* there, too: others of the warp have waited long enough */
};

/* Kernels of more instructions are large: few passes of LLVM see them, in pieces of so many. */
enum { JIT_LARGE = 150, JIT_PIECE = 16 };
/* What takes LLVM more than a second or two is emitted once more, tight (struct emit), and left to the interpreter if
 * it is too much then, too:
 *
 * More code than this (`emit_weight`). With many ways (flow.h) it is quicker, and with tight code. */
enum { JIT_WEIGHT = 40000, JIT_WEIGHT_TIGHT = 46000, JIT_WEIGHT_MANY = 80000 };
/* Code of more basic blocks, times registers that live from one to the next: there it is the allocation of the host's
 * registers that takes long. */
enum { JIT_SPREAD = 75000 };
/* Of code with many ways weight times these registers, too: all of them come by the place that sends lanes on. Machines
 * of states have a dozen; nvcc's slow ways of jnf, ynf and remquof in one kernel had 37 at a weight of 66000, and took
 * 13 s; another had 22 at 67000, and took 4 s. Neither is compiled. */
enum { JIT_TANGLE = 1400000 };
static inline bool jit_is_large(const struct flow *flow)
{
    return flow->func->ndecoded > JIT_LARGE;
}

/* Of an atomic operation: where each lane's element lies on the host, operands, what was there: elements of the size
 * that it has, side by side. Lanes that it is not for have anything. */
struct jit_places {
    _Alignas(64) void *target[LANES];
    _Alignas(64) unsigned char b[8 * LANES], c[8 * LANES], old[8 * LANES];
};
enum { JIT_OWNED = 1 << 23, JIT_TYPE = 24 };
enum { JIT_MORE = 1 << 15, JIT_STEPS = 1 << 15 }; /* of FLOW_INSTRUCTIONS */

/* A load whose site is looked at before blocks (ahead.c), and the bytes of all lanes. */
struct jit_ahead {
    uint32_t site, bytes;
};
enum { JIT_AHEADS = 32 };

struct jit_code {
    /* What compiled code calls. step: the interpreter carries decoded instruction `index` out for w->frame.exec, and
     * with JIT_MORE * n added the n that follow it; false: the warp does not go on with the next. kernel: of a pure
     * instruction, for all lanes, operands in the frame. exit: some of the lanes that run exit. */
    bool (*step)(struct warp *w, struct jit_code *code, uint32_t index);
    void (*kernel)(struct warp *w, struct jit_code *code, uint32_t index);
    void (*exit)(struct warp *w, uint32_t lanes);
    /* All warps of a block have come to a barrier. False: the launch stops. */
    bool (*round)(struct block *block);
    /* A block is over. Has the next one been put in its place, at its start? */
    bool (*again)(struct block *block, const struct jit_code *code, struct jit_call *call);
    /* Tokens: lanes that pop a kind leave all above the one that they take; the stack says who runs, w->frame.exec, and
     * at which point. */
    void (*unwind)(struct warp *w, uint32_t lanes, uint32_t kind);
    uint32_t (*resume)(struct warp *w);
    /* An atomic operation on memory that others see, where the lanes' places are known to be there. `how`: the decoded
     * instruction; JIT_OWNED: no other host thread writes there; from bit JIT_TYPE on an enum lane_type, where it is
     * not the access that says it. */
    void (*update)(struct jit_code *code, uint32_t how, uint32_t lanes, struct jit_places *places);
    /* Loose registers that lie in the frame as code has them become what they stand for. */
    void (*finish)(struct warp *w, struct jit_code *code);

    const uint64_t *generation; /* of the address space: space_generation_at */

    jit_run *run;
    jit_run *daz_run;        /* daz: what `run` calls when it has told the host */
    bool daz;                /* subnormals are zero for the host while code runs (loose.c) */
    uint32_t *loose, nloose; /* offsets of registers */
    const struct func *func;
    const struct step *steps; /* the interpreter's, in the order of func->decoded */
    struct flow flow;
    uint32_t *entries; /* segments */
    uint32_t nentries;
    uint32_t *entry_at; /* of each point: the entry there, 0: none */
    struct jit_exit *exits;
    uint32_t nexits, exit_room;
    struct jit_ahead aheads[JIT_AHEADS];
    uint32_t naheads;
    bool *slow; /* of each decoded instruction: it has no compiled form here, so each time the interpreter is called */
    struct arena arena;
    void *jit;           /* LLVM's, which keeps the code */
    double seconds;      /* that compiling took */
    bool caches, cached; /* the disk may be asked; was, and had it */
    bool tight;          /* made so (struct emit) */
};

extern const struct compiler compiler_llvm;

/* jit_code.round, again. */
bool jit_round(struct block *block);
bool jit_again(struct block *block, const struct jit_code *code, struct jit_call *call);

/* Compiles a kernel. NULL: *why says why not. */
struct jit_code *jit_compile(const struct program *program, const struct setting *setting, bool caches,
                             const char **why);
void jit_free(struct jit_code *code);

#endif

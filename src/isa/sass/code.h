/* Code of Maxwell as an array of instructions with their control bits, and what is made of it: listings, automatic
 * control bits, hazards. */
#ifndef ATOLL_ISA_SASS_CODE_H
#define ATOLL_ISA_SASS_CODE_H

#include "isa/sass/cubin.h"
#include "isa/sass/sass.h"

/* Control bits of an instruction (docs/maxwell.md, "Control bits"):  0-3 stall | 4 yield | 5-7 wr | 8-10 rd | 11-16
 * wait | 17-20 reuse */
enum {
    SASS_STALL = 0,
    SASS_YIELD = 4, /* 1 = prefer this warp; with stall 0: issue with the next instruction */
    SASS_WR = 5,    /* scoreboard released when the result is written; 7 = none */
    SASS_RD = 8,    /* scoreboard released when the sources have been read; 7 = none */
    SASS_WAIT = 11,
    SASS_REUSE = 17,
    SASS_SCOREBOARDS = 6,
};

struct diag;
struct sass_lines;

struct sass_insn {
    struct isa_word word;
    const struct isa_form *form; /* NULL: the word is no instruction */
    bool controlled;             /* its control bits are given, not to be chosen */
    uint32_t line;               /* of the text it came from; 0 = none */
};

struct sass_code {
    const struct isa_table *table;
    unsigned arch; /* enum sass_arch */
    struct sass_insn *insns;
    size_t count;
};

/* Instruction i is after i / 3 + 1 control words. */
static inline uint64_t sass_address(uint64_t index)
{
    return index / 3 * SASS_BUNDLE + 8 + index % 3 * 8;
}
/* What a label before instruction i means to branches and symbols: the bundle, before the first instruction of one. */
static inline uint64_t sass_label_address(uint64_t index)
{
    return index % 3 ? sass_address(index) : index / 3 * SASS_BUNDLE;
}
/* The instruction at an address; an address of a control word means the instruction after it. */
static inline uint64_t sass_index_of(uint64_t address)
{
    uint64_t slot = address % SASS_BUNDLE / 8;
    return address / SASS_BUNDLE * 3 + (slot ? slot - 1 : 0);
}

/* 50 -> SASS_ARCH_50 */
bool sass_arch_of(unsigned number, unsigned *arch);
unsigned sass_arch_number(unsigned arch);

/* bytes[0..size) into instructions in `arena`; size must be a multiple of 32. */
bool sass_decode(struct arena *arena, const uint8_t *bytes, uint64_t size, struct sass_code *code,
                 struct atoll_error *error);
/* The bundles of code->count instructions, whole ones: filled up with NOP. */
void sass_encode(const struct sass_code *code, uint8_t *bytes);
static inline uint64_t sass_code_size(size_t count)
{
    return (uint64_t)(count + 2) / 3 * SASS_BUNDLE;
}

/* ---- effects.c --------------------------------------------------------------------------------------- */

/* What an instruction reads and writes. Bits: R0..R254 in `reg`; P0..P6 and CC (7) in `pred`. */
struct sass_effects {
    uint64_t reads[4], writes[4];
    uint8_t pred_reads, pred_writes;
    bool variable;        /* its result (or its reading of sources) takes an unknown time: scoreboards tell */
    bool flow;            /* may change where the warp goes on, or ends it */
    bool guarded;         /* runs in the lanes of its guard only */
    uint8_t latency;      /* fixed: cycles until registers and CC are ready */
    uint8_t pred_latency; /* ... until predicates are */
    uint8_t late;         /* cycles after its issue at which it reads registers */
};
enum { SASS_CC = 7 };

void sass_effects(const struct sass_code *code, size_t index, struct sass_effects *effects);

/* ---- schedule.c, hazards.c --------------------------------------------------------------------------- */

/* Chooses the control bits of all instructions that have none. Correct and slow: every instruction of unknown latency
 * releases scoreboards, all others stall 15 cycles; what needs a result waits for it; branches wait for everything.
 * Returns how many registers the code uses: the highest plus 1. */
unsigned sass_schedule(struct sass_code *code);

/* Adds a line to the report for each use of a register or predicate before it is ready. `name`: of the function;
 * `lines` tell which lines of the source its `section` is from. Returns their count. */
unsigned sass_hazards(const struct sass_code *code, const char *name, const struct sass_lines *lines, uint32_t section,
                      struct text *report);

/* ---- listing.c, assemble.c --------------------------------------------------------------------------- */

struct sass_listing {
    bool hex, control;
    bool code;        /* only sections of code */
    bool no_vliw;     /* no braces around instructions that issue together */
    bool no_dataflow; /* no targets after indirect branches */
    uint64_t base;    /* address of raw code */
};
bool sass_list_module(const struct isa_table *table, const struct sass_module *module,
                      const struct sass_listing *options, struct text *out, struct atoll_error *error);
bool sass_list_code(const struct sass_code *code, const struct sass_listing *options, struct text *out,
                    struct atoll_error *error);

/* Text to a module (to be freed with sass_free, also after a failure). `arch`: where the text does not say. The first
 * mistake ends it; where there is a `diag` (of the same text; it is flushed), all of them are reported there. */
bool sass_assemble(const struct isa_table *table, const char *text, size_t length, unsigned arch, struct diag *diag,
                   struct sass_module *module, struct atoll_error *error);

#endif

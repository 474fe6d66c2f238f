/* The code of one kernel while it is lowered: what can be reached, where blocks begin, jumps whose block is not known
 * yet. */
#ifndef ATOLL_ISA_SASS_FLOW_H
#define ATOLL_ISA_SASS_FLOW_H

#include "isa/sass/link.h"
#include "isa/sass/lower.h"

/* What an instruction does to the flow. */
struct sass_jump {
    bool ends;     /* a block */
    bool falls;    /* the next instruction may run after it */
    bool to;       /* has a target */
    bool indirect; /* goes where a register or constant says */
    bool constant; /* the latter: this one, counted from the next instruction or absolute */
    bool relative;
    struct isa_operand operand;
    uint64_t target;
};

struct sass_place {
    uint32_t block; /* lane block, of a leader */
    bool reached, leader;
    uint8_t wanted; /* condition codes that something may read afterwards */
};

struct sass_fixup {
    uint32_t inst, table, slot; /* inst's aux, or tables[table].blocks[slot] */
    bool in_table;
    uint64_t target;
};

struct sass_flow {
    struct sass_place **places; /* of each section of code, NULL: not reached */
    uint8_t *searched;          /* of each section of code: what is known of its indirect jumps (lower_code.c) */
    uint64_t words;             /* of constant banks that were searched for targets */
    uint64_t reached;           /* instructions */
    uint64_t *stack;            /* addresses to be followed */
    size_t depth, room;
    uint64_t *candidates; /* targets of indirect jumps, sorted when all code is known */
    size_t ncandidates, candidates_room;
    bool exit_tokens;
    bool taken; /* the addresses of functions have been added to the candidates */
    struct sass_fixup *fixups;
    size_t nfixups, fixups_room;
    bool ended;                     /* the last instruction ended its block */
    bool has_table;                 /* of indirect jumps: */
    uint32_t table;                 /* index = (address - candidates[0]) / 8 */
    struct lane_operand *constants; /* words of bank 0 that were loaded at the kernel's start */
    uint32_t nconstants;
};

/* lower_param.c: the kernel's name, parameters, shared and local memory. */
bool sass_lower_parameters(struct sass_lowerer *l);
void sass_lower_stack(struct sass_lowerer *l);
/* The jump that a form of code at `address` stands for. */
void sass_jump_of(const struct sass_linked *linked, const struct sass_insn *insn, uint64_t address,
                  struct sass_jump *jump);
/* The last instruction's aux becomes the block at `target`. */
void sass_jump_to(struct sass_lowerer *l, uint64_t target);
/* An indirect jump to the code address in `value` (32 bits), guarded as the instruction. */
void sass_jump_indirect(struct sass_lowerer *l, struct lane_operand value);
/* A new block in which the next instruction is; its number. */
uint32_t sass_begin_block(struct sass_lowerer *l);
/* Name of the function that a relocated JCAL calls, when it is none of this file; else NULL. */
const char *sass_external(const struct sass_linked *linked, uint64_t address);

#endif

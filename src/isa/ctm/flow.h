/* Flow control of CTM: what is known of a group of processors at each instruction, and the registers that hold the
 * rest. docs/ctm.md, "Flow control". */
#ifndef ATOLL_ISA_CTM_FLOW_H
#define ATOLL_ISA_CTM_FLOW_H

#include "isa/ctm/lower.h"

enum {
    FLOW_VARIES = 255,  /* a depth that is not the same on all ways */
    FLOW_CONTEXTS = 64, /* ways of calls that are told apart, at most */
    FLOW_ALL_LEVELS = (1u << CTM_LOOP_STACK) - 1
};

/* Control goes on behind the instruction, at its JUMP_ADDR, at the top of the address stack. */
enum { FLOW_PASSES = 1, FLOW_JUMPS = 2, FLOW_RETURNS = 4 };

/* The ALU result may be: as it is after flow control, or written since. */
enum { FLOW_ALU_LOST = 1, FLOW_ALU_WRITTEN = 2 };

/* What is known where control is before (or within) an instruction. Everything that is not ruled out here is in the
 * registers of struct ctm_flow; what is ruled out is there too, so that ways can meet. */
struct flow_state {
    bool reached;
    uint8_t depth;                /* open loops, FLOW_VARIES */
    int8_t most;                  /* no branch counter is above; -1: no processor is inactive by a branch */
    uint8_t broken, continued;    /* bit k: processors may be out of the loop of level k + 1, of its round */
    int8_t entry[CTM_LOOP_STACK]; /* `most` where that loop was entered */
    uint8_t alu;                  /* FLOW_ALU_* */
};

/* A way of calls: the address stack. 0: empty. */
struct flow_context {
    uint32_t parent, back; /* where the innermost returns to */
    uint32_t depth;
    struct flow_state *at; /* of each instruction */
};

/* A jump whose target has no block yet: an instruction, or an entry of a table. */
struct flow_patch {
    uint32_t inst, entry, target; /* inst: or the table */
    bool in_table;
};

struct ctm_flow {
    struct flow_state now;
    bool full;
    bool apart; /* each processor goes its own way, and nobody is inactive (docs/ctm.md, "Apart") */
    unsigned most_calls, most_loops, most_branch; /* depths; largest branch counter */

    /* While the program is looked through nothing is emitted, and states go to where control does. */
    bool looking;
    bool lost; /* too many ways of calls: they are one */
    struct flow_context context[FLOW_CONTEXTS];
    uint32_t ncontexts, here;
    uint32_t *work, nwork; /* (context, instruction) that may have changed */
    bool *queued;

    struct flow_state *met;          /* of each instruction, whichever calls */
    uint8_t *calls;                  /* of each instruction: depth of the address stack, FLOW_VARIES */
    uint8_t *ways;                   /* of each instruction, FLOW_PASSES and the like: where control goes from it */
    bool *target;                    /* something jumps here */
    bool counts_loops, counts_calls; /* depths are needed in registers */
    bool restores;                   /* a BREAK may give branch counters back what they had before the loop */
    bool loses_alu;                  /* somebody may read an ALU result that flow control has invalidated */
    bool uses_al;

    uint32_t *block; /* of instructions that are targets */
    struct flow_patch *patches;
    uint32_t npatches;
    uint32_t *back, nback; /* where CALLs return to; values of the address stack are indexes */

    struct lane_operand active;            /* alive, and active by branches and loops */
    struct lane_operand branch, brk, cont; /* s32 of each lane: counter; level of the loop left, 0: none */
    struct lane_operand loops, count[CTM_LOOP_STACK], saved_al[CTM_LOOP_STACK], saved_branch[CTM_LOOP_STACK];
    struct lane_operand ncalls, address[CTM_ADDRESS_STACK];
};

/* Nobody alive is inactive. */
static inline bool flow_sure(const struct flow_state *s)
{
    return s->most < 0 && !s->broken && !s->continued;
}

/* flow_look.c: looks through the program. */
bool flow_look(struct ctm_lower *l);
/* Control goes on at `target`, while the program is looked through; pushing or popping an address. */
void flow_reach(struct ctm_lower *l, uint32_t target, enum ctm_a_op a_op);
/* Control goes on behind the instruction at hand, while the program is looked through. */
void flow_pass(struct ctm_lower *l);
/* Where the POP of instruction `pc` may go to: indexes in `back`. Returns how many. */
uint32_t flow_returns(const struct ctm_lower *l, uint32_t pc, uint32_t *which);

/* flow.c: the FC instruction at hand, from l->flow->now. */
void flow_step(struct ctm_lower *l);
/* To its JUMP_ADDR, of programs whose processors go apart: who has the guard (LANE_NONE: all). `together`: it is the
 * same for all. */
void flow_jump(struct ctm_lower *l, struct lane_operand guard, bool not, bool together);

/* ---- flow_apart.c ----------------------------------------------------------------------------------------------- */

/* Does the program mean for each processor what it would mean for it alone? After flow_look. */
bool flow_apart_can(struct ctm_lower *l);
void flow_apart_begin(struct ctm_lower *l);
/* The FC instruction at hand. */
void flow_apart_step(struct ctm_lower *l);
/* For processors where `who` is true (not: false) the program ends here. */
void flow_apart_leave(struct ctm_lower *l, struct lane_operand who, bool not );

/* ---- flow_branch.c: emitting. While the program is looked through nothing is emitted ---------------------------- */

static inline bool flow_emits(const struct ctm_lower *l)
{
    return !l->flow->looking;
}
struct lane_operand flow_nobody(struct ctm_lower *l); /* a predicate: false */
struct lane_operand flow_s32(struct ctm_lower *l, int32_t value);
struct lane_operand flow_differ(struct ctm_lower *l, struct lane_operand p, struct lane_operand q);
struct lane_operand flow_inverse(struct ctm_lower *l, struct lane_operand p);
struct lane_operand flow_any(struct ctm_lower *l, struct lane_operand p); /* the same in all lanes */
struct lane_operand flow_is(struct ctm_lower *l, struct lane_operand reg, struct lane_operand value);

/* Who is active. The register is made anew from what makes processors inactive; the operations on branch counters. */
void flow_active_make(struct ctm_lower *l);
void flow_else(struct ctm_lower *l);
void flow_decr(struct ctm_lower *l, unsigned count);
/* `agree` are the active processors that agree with the decision; `parts`: some may not. */
void flow_incr(struct ctm_lower *l, bool parts, struct lane_operand agree);

/* Conditions: tables of 8 bits as JUMP_FUNC. */
enum flow_input { FLOW_ALU_RESULT, FLOW_PREDICATE, FLOW_BOOLEAN, FLOW_INPUTS };
/* The instruction's, without the inputs whose value is known. */
unsigned flow_function(const struct ctm_lower *l);
bool flow_depends(unsigned table, enum flow_input input);
bool flow_parts(unsigned table); /* does it differ from processor to processor? */
/* As a predicate, of the inputs that are not before `from`; LANE_NONE: true. 0 has none. */
struct lane_operand flow_condition(struct ctm_lower *l, unsigned table, enum flow_input from);
/* Active processors for which the table is true. */
struct lane_operand flow_active_where(struct ctm_lower *l, unsigned table);

/* Does the group jump? */
enum flow_answer { FLOW_NO, FLOW_YES, FLOW_MAYBE };
struct flow_decision {
    enum flow_answer answer;
    struct lane_operand p; /* of MAYBE: the same in all lanes */
    bool not ;             /* ... it jumps where p is false */
};
/* All or any of the active ones want to: `agree` gets those who agree with staying (all) or jumping (any), where they
 * part. At least one processor is alive. */
struct flow_decision flow_decide(struct ctm_lower *l, unsigned table, struct lane_operand *agree);
/* The decision or p; and p. */
struct flow_decision flow_forced(struct ctm_lower *l, struct flow_decision d, bool or, struct lane_operand p);

/* ---- flow_loop.c ------------------------------------------------------------------------------------------------ */

/* Byte `byte` of the integer constant; blue, 2, is signed. */
struct lane_operand flow_constant(struct ctm_lower *l, unsigned byte);
/* LOOP, REP that stay: `red` rounds. ENDLOOP, ENDREP that stay. */
void flow_loop_push(struct ctm_lower *l, struct lane_operand red);
void flow_loop_pop(struct ctm_lower *l, bool with_al);
/* ENDLOOP, ENDREP: another round? BREAK, CONTINUE: who leaves, and does the group? */
struct flow_decision flow_round_end(struct ctm_lower *l, unsigned table, struct lane_operand *agree);
struct flow_decision flow_leave(struct ctm_lower *l, unsigned table, bool round);
/* BREAKLOOP, BREAKREP that jump. */
void flow_break(struct ctm_lower *l);
/* The group leaves a loop, or its round: a trap where there is none. Returns whether there surely is none. */
bool flow_lacks(struct ctm_lower *l);

#endif

/* Gates: before a run of instructions it is asked whether all of it goes the common way.
 *
 *   gate:   are the addresses that are known here rows in range ...?      no: other
 *   plain:  the instructions one after the other, without ways            -> on
 *   other:  the interpreter carries all of them out, or where that takes long, those that the gate asked about
 *   on:
 *
 * What an instruction gives once for all lanes (once.h) is computed where the gate stands if nothing that the run loads
 * goes into it. So addresses that are made of it are known there. */
#ifndef ATOLL_ENGINE_JIT_GATE_H
#define ATOLL_ENGINE_JIT_GATE_H

#include "engine/jit/control.h"

struct gate {
    LLVMBuilderRef builder; /* where the gate stands; NULL: the other way is being emitted */
    LLVMBasicBlockRef plain;
    LLVMValueRef holds;            /* i1: what is asked; NULL: nothing yet */
    LLVMValueRef fits;             /* i1: if not, the code is left (once_fits); NULL: nothing yet */
    uint32_t index, n;             /* the run: decoded instructions */
    bool compares;                 /* there are comparisons in it, and no accesses */
    bool again;                    /* the same run was tried just before, with comparisons that come out otherwise */
    bool *asks;                    /* of each decoded instruction: the gate asks about it */
    uint64_t *late;                /* slots of which lane 0 is not known where the gate stands: a set */
    uint64_t *written;             /* scratch: the same */
    LLVMValueRef *before;          /* of each slot: what lane 0 had before the run; NULL: it does not change */
    uint8_t *forms, *forms_behind; /* of each slot, before and behind the run */
    uint8_t *sure;                 /* of each slot, at this place: what it has whether the gate holds or not */
    bool lends;                    /* some have a form behind the gate alone (gate_lend): */
    const struct decoded *lending; /* the last instruction that gave such a one, */
    uint8_t lent;                  /* and which */
    unsigned nsurfaces;            /* that the run accesses, and by which instruction */
    const struct emit_surface *surfaces[EMIT_SURFACES];
    const struct decoded *accesses[EMIT_SURFACES];
};

/* False: no memory. */
bool gate_make(struct blocks *b);
/* How many instructions, from number `index` of a segment on, a gate can stand before; 0: none, or it is of no use. */
uint32_t gate_run(const struct blocks *b, uint32_t segment, uint32_t index);
/* Before and after a run of n instructions is emitted (`ended`: and what comes behind it, for that way alone). Nothing
 * more is to do, or (GATE_AGAIN) it is to be emitted once more, as the other way, and gate_rejoin to be called. */
enum gate_ways { GATE_DONE, GATE_AGAIN };
void gate_open(struct blocks *b, uint32_t segment, uint32_t index, uint32_t n, bool again);
enum gate_ways gate_close(struct blocks *b, uint32_t segment, bool ended, LLVMBasicBlockRef *on);
void gate_rejoin(struct blocks *b, LLVMBasicBlockRef on);

/* Is it known where the gate stands what an instruction has in operands from .. from + n? Then what is emitted until
 * gate_leave stands there. */
bool gate_enter(struct emit *e, const struct decoded *at, unsigned from, unsigned n, LLVMBuilderRef *outer);
void gate_leave(struct emit *e, LLVMBuilderRef outer);
/* Behind the gate an instruction is plain if `condition` (i1, which is known there) is true. `surface`: that it
 * accesses; true: as the first of the run. */
bool gate_ask(struct emit *e, const struct decoded *at, LLVMValueRef condition, const struct emit_surface *surface);
/* The run is as it is emitted now if `condition` is true. */
void gate_want(struct emit *e, LLVMValueRef condition);
/* Are there comparisons in the run, and no accesses, for which it is better not to be carried out by the interpreter?
 */
bool gate_compares(const struct emit *e);
/* Are they to come out as is less likely? */
bool gate_tries_again(const struct emit *e);
/* Does the gate that is open stand before accesses? */
bool gate_before_accesses(const struct emit *e);
/* ... and has the gate something to tell of them? */
bool gate_decides(const struct emit *e);
/* The code has to be left if `condition` is false; of a result that has its form behind the gate alone, the other way
 * is to be gone. */
void gate_fit(struct emit *e, const struct decoded *at, LLVMValueRef condition);
/* Behind the gate the result of the instruction at hand has a form, which is `first` in lane 0, up to the end of the
 * run. gate_pass: after each instruction of the run; gate_settle: at its end, where such results are held lane by
 * lane. */
void gate_lend(struct emit *e, const struct decoded *at, uint8_t form, LLVMValueRef first);
void gate_pass(struct blocks *b, uint32_t segment, const struct decoded *at);
void gate_settle(struct blocks *b);
/* Is what an instruction has in operands from .. from + n in such a form? */
bool gate_lent(const struct emit *e, const struct decoded *at, unsigned from, unsigned n);
/* On the other way: has the gate asked about the instruction? */
bool gate_asked(const struct emit *e, const struct decoded *at);
/* By which builder it is loaded what lane 0 has in a slot. Notes that it was stored. */
LLVMBuilderRef gate_loads(const struct emit *e, uint32_t offset);
void gate_stored(struct emit *e, uint32_t offset);

#endif

/* Lowering of rows to the lane program: the functions that rows name. What they share is in row.h. */
#ifndef ATOLL_ISA_PTX_LOWER_H
#define ATOLL_ISA_PTX_LOWER_H

#include "isa/ptx/row.h"

/* lower_arith.c */
ptx_lower_fn lower_carry; /* add.cc addc sub.cc subc mad.cc madc: the carry is a predicate of the function */
ptx_lower_fn lower_f32x2; /* one operation per half */
/* At the end of a function, with fmad: fuse.c. False: no memory. */
bool fuse_products(struct lowerer *l);

ptx_lower_fn lower_three; /* min, max of two or three values */
ptx_lower_fn lower_lop3, lower_setp, lower_set, lower_select;
ptx_lower_fn lower_cvt, lower_cvt_pair, lower_cvt_pack, lower_cvt_random, lower_cvt_random4;
ptx_lower_fn lower_mixed; /* f32 from halves and an f32 */
/* lower_move.c */
ptx_lower_fn lower_mov_vector;
ptx_lower_fn lower_mov, lower_ld, lower_st, lower_zero, lower_cvta, lower_isspacep;
/* lower_flow.c */
ptx_lower_fn lower_bra, lower_brx, lower_ret, lower_exit, lower_bar, lower_fence, lower_membar, lower_proxy_fence;
ptx_lower_fn lower_vote, lower_shfl, lower_match, lower_redux, lower_elect;
/* mbarrier.c: the barrier object at [op] is told that `bytes` are done (red.async, st.async, cp.async.bulk) */
void lower_complete_tx(struct lowerer *l, const struct insn_operand *op, const struct ptx_form *form,
                       struct lane_operand bytes);
/* ... arrives there, one thread, without a state (cp.async.mbarrier.arrive.noinc) */
void lower_arrive(struct lowerer *l, const struct insn_operand *op, const struct ptx_form *form);
/* lower_async.c */
ptx_lower_fn lower_copy, lower_copy_arrive, lower_bulk_copy, lower_st_async;
/* lower_call.c */
ptx_lower_fn lower_call;
bool lower_is_service(const char *name); /* a function of the host: vprintf, malloc ... */

/* ---- shared by these files only --------------------------------------------------------------------- */

/* A register, variable or parameter of the current function and what stands for it in the lane program. */
struct lower_entry {
    const struct ptx_decl *decl; /* decl, number and part are the key */
    uint32_t number;             /* of %r<N> */
    uint32_t part;               /* 0..4; ENTRY_LOCAL: a place in the local frame; ENTRY_BLOCK: of a label */
    uint32_t value;              /* lane register, offset in the frame, or block */
};

enum { ENTRY_LOCAL = 5, ENTRY_BLOCK = 6 };

/* A jump whose block is not known yet. */
struct lower_fixup {
    const struct ptx_decl *label;
    uint32_t inst, table, slot; /* inst: patch aux; else tables[table].blocks[slot] */
    bool in_table;
};

struct lower_state {
    struct namemap entries; /* struct lower_entry */
    struct lower_fixup *fixups;
    uint32_t nfixups, cap_fixups;
    bool ended;                /* the last instruction ended its block */
    struct lane_operand carry; /* LANE_NONE until one is needed */
    const struct insn *insn;
};

/* The entry of a name, made if there was none (*fresh). NULL when memory ran out. */
struct lower_entry *lower_entry(struct lowerer *l, const struct ptx_decl *decl, uint32_t number, uint32_t part,
                                bool *fresh);
const struct ptx_func *lower_definition(const struct ptx_func *f);
enum lane_atomic lower_atomic_word(uint16_t op); /* PTX_min -> LANE_ATOMIC_MIN; others add */
struct lane_operand lower_register(struct lowerer *l, const struct ptx_decl *decl, uint64_t number, unsigned part);
/* Place of a .local variable, .param local or function parameter in the frame. */
uint32_t lower_local(struct lowerer *l, const struct ptx_decl *decl);
uint64_t lower_decl_bytes(const struct ptx_decl *decl);
uint32_t lower_decl_align(const struct ptx_decl *decl);
/* Emits a conversion (integer unless both are floats); returns `to`. */
void lower_convert(struct lowerer *l, struct lane_operand to, enum lane_type to_type, struct lane_operand from,
                   enum lane_type from_type);
/* Address of a byte of the local frame. */
struct lane_operand lower_frame(struct lowerer *l, unsigned width, uint64_t offset);
/* Symbol number of a function (for its address). */
uint32_t lower_function_symbol(struct lowerer *l, const struct ptx_func *func);
enum lane_space lower_space(uint16_t space);
/* Reads a special register straight into a register of its size; false if the sizes differ. */
bool lower_special(struct lowerer *l, const struct insn_operand *op, const struct insn_operand *to);
/* Elements of a tuple, vector register or scalar, as operands of their own: fills `parts`, returns their number. */
unsigned lower_parts(const struct insn_operand *op, struct insn_operand *parts, unsigned most);
void lower_load(struct lowerer *l, struct lane_operand to, enum lane_type type, enum lane_space space, uint64_t offset);
void lower_store(struct lowerer *l, enum lane_type type, uint64_t offset, struct lane_operand from);
/* The last instruction's aux, or a slot of a jump table, is to become the block of `label`. */
void lower_fixup(struct lowerer *l, const struct ptx_decl *label);
void lower_table_fixup(struct lowerer *l, const struct ptx_decl *label, uint32_t table, uint32_t slot);
/* The lanes that carry out what is emitted: the guard of the instruction that is lowered, and what is narrower. */
struct lower_guard {
    struct lane_operand p;
    bool negated;
};
/* What follows is for those lanes alone that have `p`, too, until lower_guard_set is called with the result. */
struct lower_guard lower_under(struct lowerer *l, struct lane_operand p);
void lower_guard_set(struct lowerer *l, struct lower_guard guard);
/* Stops the lanes that have `p`. */
void lower_refuse(struct lowerer *l, struct lane_operand p, const char *what);
/* A jump within what an instruction becomes: lanes without the guard, which is a positive one, go to where
 * lower_skipped is called with the result; what follows needs no guard. */
uint32_t lower_skip_others(struct lowerer *l);
void lower_skipped(struct lowerer *l, uint32_t jump);
/* Flags of LANE_FTZ ... from modifiers, and the rounding. */
uint8_t lower_flags(const struct ptx_form *form);
uint8_t lower_round(const struct ptx_form *form);

/* lower_lines.c: what .loc says of the instructions that follow. What is kept lies in l->out->arena. */
bool lower_lines_open(struct lowerer *l);
void lower_lines_begin(struct lowerer *l); /* a function */
void lower_lines_close(struct lowerer *l);
void lower_loc(struct lowerer *l, const struct ptx_loc *loc);
/* The instruction that is lowered next, at l->b.line. */
void lower_line(struct lowerer *l);

#endif

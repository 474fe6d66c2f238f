/* What rows check beyond their notation. Each takes an instruction whose modifiers and operand shapes are right. */
#ifndef ATOLL_ISA_PTX_CHECK_H
#define ATOLL_ISA_PTX_CHECK_H

#include "isa/ptx/row.h"

ptx_check_fn check_boolop;     /* setp, set: operand c exactly with .and .or .xor */
ptx_check_fn check_mov;        /* mov: register, immediate, address, special register, pack and unpack */
ptx_check_fn check_mov_vector; /* mov.v2, mov.v4: element by element */
ptx_check_fn check_ld, check_st;
ptx_check_fn check_cvta, check_isspacep;
ptx_check_fn check_cvt; /* .sat only where a value can be out of range */
ptx_check_fn check_cvt_fp8, check_cvt_ue8m0, check_cvt_pack, check_cvt_random, check_cvt_random4;
ptx_check_fn check_mixed_bf16; /* halves as bits: no .f16 registers */
ptx_check_fn check_three;      /* min, max of three values: gate */
ptx_check_fn check_line_size;  /* the size of a cache line: 128 */
ptx_check_fn check_fraction;   /* createpolicy: a float above 0, up to 1 */
ptx_check_fn check_st_async, check_st_bulk;
ptx_check_fn check_brx, check_call;
ptx_check_fn check_bar;                       /* barrier numbers and thread counts in range */
ptx_check_fn check_pmevent, check_setmaxnreg; /* their constant is in range */
ptx_check_fn check_no_sync;                   /* vote, shfl without .sync: gone on sm_70 from PTX 6.4 */
ptx_check_fn check_pipe;                      /* the destination must be d|p */

/* A single destination or d|p by its token. */
bool check_operand(struct checker *c, const struct insn_operand *op, const struct ptx_token *token, uint16_t type);
/* Does a register of type `reg` serve as an operand of type `want`? */
bool ptx_type_fits(uint16_t reg, uint16_t want, bool relaxed);

/* The name of a function or variable may stand for its address here. */
bool check_declarations(struct checker *c);
void check_frame(struct checker *c); /* local memory of c->func, whose body is there */
void check_init(struct checker *c, const struct ptx_decl *decl);

struct text;
/* "add{.sat}.s32 d, a, b" in the notation of the PTX manual. */
void ptx_pattern_text(const struct ptx_row *row, const struct ptx_pattern *pattern, struct text *out);

#endif

/* Lowerings that rows name, by topic. */
#ifndef ATOLL_ISA_VISA_ALU_H
#define ATOLL_ISA_VISA_ALU_H

#include "isa/visa/lower.h"

/* alu.c */
visa_lower_fn visa_arithmetic, visa_add3, visa_ordered, visa_avg, visa_mulh, visa_logic, visa_shift, visa_rotate,
    visa_bfn;
visa_lower_fn visa_bits, visa_fbl, visa_fbh, visa_bfe, visa_bfi, visa_carry, visa_madw, visa_dp4a;
visa_lower_fn visa_cmp, visa_sel, visa_mov, visa_movs, visa_addr_add, visa_setp;
/* float.c */
visa_lower_fn visa_math, visa_round, visa_frc, visa_pow, visa_divide, visa_line, visa_plane, visa_lrp, visa_dot;
visa_lower_fn visa_sad2;
/* flow.c */
visa_lower_fn visa_goto, visa_jmp, visa_call, visa_ret, visa_fcall, visa_faddr, visa_ifcall, visa_switchjmp,
    visa_label_here, visa_nothing;
/* sync.c */
visa_lower_fn visa_barrier, visa_nbarrier, visa_fence;
/* dpas.c */
visa_lower_fn visa_dpas;
/* memory.c: buffers, by index or address */
visa_lower_fn visa_gather_scaled, visa_scatter_scaled, visa_gather4_scaled, visa_scatter4_scaled, visa_old_gather;
visa_lower_fn visa_oword_ld, visa_oword_st, visa_svm_block, visa_svm_gather, visa_svm_scatter, visa_svm_gather4;
visa_lower_fn visa_qw_gather, visa_media;
/* atomic.c */
visa_lower_fn visa_dword_atomic, visa_svm_atomic, visa_typed_atomic, visa_lsc_atomic;
/* texel.c */
visa_lower_fn visa_gather4_typed, visa_scatter4_typed, visa_sample, visa_load_texel, visa_load_mcs, visa_resinfo,
    visa_sampleinfo;
/* lsc.c */
visa_lower_fn visa_lsc_load, visa_lsc_store, visa_lsc_strided, visa_lsc_load_block2d, visa_lsc_typed;

unsigned visa_common(unsigned a, unsigned b);

#endif

/* What a CTM program finds when it starts, and what its launch must give: the parameter space of its lane function.
 * The units around the processors - PE, CO, MC - are state that a launch hands over in these parameters, whether the
 * command stream sets it (src/machine) or a user (atoll run). Zeros are the state after power-on.
 *
 * A processor is a thread; blocks are BLOCK_X x BLOCK_Y threads, one warp, in which quads of 2 x 2 processors lie as on
 * the device; or WIDE_X x WIDE_Y, in programs that cannot tell: their rows of texels are longer. Thread (x, y) of the
 * grid is the index pair (i0 + x, j0 + y); those past the domain do nothing. */
#ifndef ATOLL_ISA_CTM_LAUNCH_H
#define ATOLL_ISA_CTM_LAUNCH_H

#include "isa/ctm/ctm.h"

struct lane_builder;

enum { CTM_BLOCK_X = 8, CTM_BLOCK_Y = 4, CTM_WIDE_X = 16, CTM_WIDE_Y = 16, CTM_BLOCK = CTM_WIDE_X * CTM_WIDE_Y };

enum { CTM_INDEX_TEMP = 0 }; /* the temporary that is (i, j, 0, 1) when a program starts */

/* Byte offsets in the parameter space. A surface is a handle (64 bits; 0: nothing is bound). */
enum ctm_param {
    CTM_PARAM_DOMAIN = 0,     /* i0, j0, width, height: 32 bits each; width 0: what the grid has */
    CTM_PARAM_COND_VAL = 16,  /* f32: set_cond_val */
    CTM_PARAM_COND_TEST = 20, /* condition ^ 7 of set_cond_test: 0 is "always" */
    CTM_PARAM_COND_LOC = 24,  /* of set_cond_loc: 0 the processors, 1 the PE */
    CTM_PARAM_OUT_MASK = 28,  /* ~mask & 15 of set_out_mask: channels that do not reach memory */
    CTM_PARAM_COND_MASK = 32, /* of set_cond_out_mask */
    CTM_PARAM_COND = 40,      /* the conditional output buffer */
    CTM_PARAM_INPUTS = 48,    /* 16 of them */
    CTM_PARAM_OUTPUTS = CTM_PARAM_INPUTS + 8 * CTM_INPUTS,
    CTM_PARAM_FLOATS = CTM_PARAM_OUTPUTS + 8 * CTM_OUTPUTS, /* float4, 16-byte aligned */
    CTM_PARAM_INTS = CTM_PARAM_FLOATS + 16 * CTM_FLOATS,    /* 32 bits: count, start, step, unused; a byte each */
    CTM_PARAM_BOOLS = CTM_PARAM_INTS + 4 * CTM_INTS,        /* 32 bits: byte 0 is not 0 */
    CTM_PARAM_BYTES = CTM_PARAM_BOOLS + 4 * CTM_BOOLS,      /* what a launch hands over */
    CTM_PARAM_GRID_X = CTM_PARAM_BYTES,                     /* index pairs of the grid: the launch says them itself */
    CTM_PARAM_GRID_Y = CTM_PARAM_GRID_X + 4,
    CTM_PARAM_SIZES = CTM_PARAM_GRID_Y + 4, /* width and height of inputs that scaled lookups read: the launch, too */
    CTM_PARAM_SEED = CTM_PARAM_SIZES + 8 * CTM_INPUTS, /* of the launch: what seeded lookups draw by */
    CTM_PARAM_SPACE = CTM_PARAM_SEED + 4
};

/* When the results of lookups are written (docs/ctm.md, "Late results"). */
enum ctm_tex_write { CTM_TEX_DEFERRED, CTM_TEX_IMMEDIATE, CTM_TEX_SEEDED };

/* The shape of blocks, and parameters of the kernel, by name: "domain", "cond_val" ..., "cond", and of inputs, outputs
 * and constants those that the program uses: "in0", "out0", "c0", "i0", "b0". */
void ctm_launch_parameters(const struct ctm_program *program, bool wide, struct lane_builder *b);

#endif

/* Samplers: how a coordinate becomes a weighted sum of texels. docs/sampling.md has the rules, where they are from, and
 * the named choices. */
#ifndef ATOLL_MEM_SAMPLER_H
#define ATOLL_MEM_SAMPLER_H

#include "mem/surface.h"

enum sampler_filter { SAMPLER_NEAREST, SAMPLER_LINEAR, SAMPLER_FILTERS };
enum sampler_mip { SAMPLER_MIP_NONE, SAMPLER_MIP_NEAREST, SAMPLER_MIP_LINEAR, SAMPLER_MIPS };
/* What becomes of texels out of range: ... 0 1 2 | 0 1 2 ..., ... 2 1 0 | 0 1 2 | 2 1 0 ..., the nearest, the border,
 * mirrored once and then the nearest. */
enum sampler_wrap { SAMPLER_REPEAT, SAMPLER_MIRROR, SAMPLER_EDGE, SAMPLER_BORDER, SAMPLER_MIRROR_ONCE, SAMPLER_WRAPS };
/* When `reference OP texel` passes. */
enum sampler_compare {
    SAMPLER_NEVER,
    SAMPLER_LESS,
    SAMPLER_EQUAL,
    SAMPLER_LESS_EQUAL,
    SAMPLER_GREATER,
    SAMPLER_NOT_EQUAL,
    SAMPLER_GREATER_EQUAL,
    SAMPLER_ALWAYS,
    SAMPLER_COMPARES
};
/* R G B A of the border: 0 0 0 0, 0 0 0 1, 1 1 1 1. Components that the format lacks are as in its texels. */
enum sampler_border { SAMPLER_ZERO, SAMPLER_OPAQUE_BLACK, SAMPLER_OPAQUE_WHITE, SAMPLER_BORDERS };

/* A sampler as it lies in a kernel's parameter space: 16 bytes, one each, all others 0.
 *
 *   byte 0  bound: 1; all 16 bytes 0 = no sampler      byte 5..7  wrap of u, v, r: enum sampler_wrap
 *   byte 1  filter: enum sampler_filter                byte 8     border: enum sampler_border
 *   byte 2  mip: enum sampler_mip                      byte 9..15 0
 *   byte 3  normalized: 1: u, v, r go from 0 to 1; 0: they count texels
 *   byte 4  compare: enum sampler_compare
 */
struct sampler_state {
    uint8_t bound, filter, mip, normalized, compare, wrap[3], border, zero[7];
};
_Static_assert(sizeof(struct sampler_state) == 16, "a sampler has 16 bytes");

/* Whether these bytes are a sampler. */
bool sampler_valid(const struct sampler_state *state);

/* What a lane asks for. */
struct sample {
    uint8_t mode;         /* enum lane_sample */
    uint8_t channel;      /* of a gather: 0 to 3 */
    int32_t offset[3];    /* texels, added to those that u, v, r select */
    float coord[3];       /* u, v, r in the order of the surface's coordinates; a layer is a number of its own */
    float lod;            /* of LOD */
    float gradient[3][2]; /* of GRAD: of u, v, r along x and y */
    float reference;      /* of _C */
};

/* LOD, GRAD or GATHER, with or without comparison. */
static inline enum lane_sample sampler_kind(unsigned mode)
{
    return (enum lane_sample)(mode & ~1u);
}
static inline bool sampler_compares(unsigned mode)
{
    return mode & 1;
}
/* An offset that is an operand: 6 bits, signed (Direct3D, gather4_po). */
static inline int32_t sampler_gather_offset(uint32_t operand)
{
    return (int32_t)((operand & 63) ^ 32) - 32;
}

/* The four words that a lane gets: f32 for unorm, snorm and float formats and for comparisons, else integers.
 * Gathers: the component of the texels at (i0, j1), (i1, j1), (i1, j0), (i0, j0). The state is valid. */
void sampler_sample(const struct surface *surface, const struct sampler_state *state, const struct sample *sample,
                    uint32_t rgba[4]);

#endif

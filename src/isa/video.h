/* Scalar video operations in lane operations: what PTX's vadd vsub vabsdiff vmin vmax vset vshl vshr vmad and Maxwell's
 * VADD VABSDIFF VMNMX VSET VSETP VSHL VSHR VMAD have in common (PTX ISA, "Scalar Video Instructions"):
 *
 *   parts of A and B, extended by their types -> the operation, without overflow -> .sat: clamped to the destination's
 * type (of the merged part's width) -> with C: added, the lesser, the greater, or C with a part replaced
 *
 * Results are computed in 64 bits. Named choice: without .sat a result is cut to 32 bits before it is compared with C
 * or merged. */
#ifndef ATOLL_ISA_VIDEO_H
#define ATOLL_ISA_VIDEO_H

#include "lane/lane.h"

/* A source, extended to 64 bits. */
struct video_source {
    struct lane_operand value;
    unsigned bits; /* 8, 16, 32: of the part */
    bool is_signed;
};
/* Bits [at, at + bits) of a 32-bit word. */
struct video_source video_part(struct lane_builder *b, struct lane_operand word, unsigned at, unsigned bits,
                               bool is_signed);
struct video_source video_constant(struct lane_builder *b, int64_t value, unsigned bits, bool is_signed);

enum video_op { VIDEO_ADD, VIDEO_SUB, VIDEO_ABSDIFF, VIDEO_MIN, VIDEO_MAX, VIDEO_SHL, VIDEO_SHR };
/* The operation's result in 64 bits. Shifts: `wrap`: the low 5 bits of B count, else 32 is the most. */
struct lane_operand video_operate(struct lane_builder *b, enum video_op op, bool wrap, const struct video_source *x,
                                  const struct video_source *y);
/* x cmp y as a predicate. */
struct lane_operand video_compare(struct lane_builder *b, enum lane_cmp cmp, const struct video_source *x,
                                  const struct video_source *y);

/* What is done with a result. */
struct video_end {
    bool is_signed, sat; /* the destination's type */
    enum { VIDEO_ALONE, VIDEO_WITH_ADD, VIDEO_WITH_MIN, VIDEO_WITH_MAX, VIDEO_MERGED } with;
    unsigned at, bits; /* MERGED: of the replaced part of C */
};
/* 32 bits of a result (which is unsigned 64 bits where `wide` is LANE_U64, else LANE_S64) with C. */
struct lane_operand video_end(struct lane_builder *b, const struct video_end *end, enum lane_type wide,
                              struct lane_operand result, struct lane_operand c);

/* (x * y, minus if minus) + (c, minus if minus_c) + (1 if more), shifted right, clamped if sat. It has a sign if a
 * source or an operation has one. */
struct video_mad {
    bool minus, minus_c, more, sat;
    unsigned shift;
};
struct lane_operand video_mad(struct lane_builder *b, const struct video_mad *mad, const struct video_source *x,
                              const struct video_source *y, struct lane_operand c);

#endif

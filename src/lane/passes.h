/* The order in which the values of one store of a warp go to memory. Where several lanes store to one place, the one
 * that goes last stays.
 *
 * An access that is carried out in passes moves 128 bytes of data at a time, those of the first lanes first. A surface
 * with three coordinates has another border behind the first 8 lanes. Within a pass the lowest lane's value stays:
 * lanes go from the highest to the lowest. So does an H100 (docs/hardware.md, "Answers about surfaces and atomics",
 * collisions). Other accesses go lane by lane from the lowest on: each lane is a pass. */
#ifndef ATOLL_LANE_PASSES_H
#define ATOLL_LANE_PASSES_H

#include "lane/lane.h"

enum { PASS_BYTES = 128, PASS_CORNER = 8 }; /* data of a pass; lanes of the first of three coordinates */

/* Bit n: a pass begins with lane n. Of a store of so many bytes a lane; of texels, if it is formatted. */
static inline uint32_t passes_of(const struct lane_access *access, unsigned bytes, unsigned coordinates)
{
    uint32_t starts = 1;
    if (!access->passes)
        return UINT32_MAX;
    for (unsigned lanes = LANES / 2; lanes && lanes * bytes >= PASS_BYTES; lanes /= 2)
        starts |= starts << lanes;
    return coordinates < 3 ? starts : starts | 1u << PASS_CORNER;
}

/* Which of the lanes left, of which there are some, goes next. Of rows of lanes, too, that are shorter than passes. */
static inline unsigned passes_next(uint32_t starts, uint32_t left)
{
    uint32_t first = left & -left, later = starts & -(first << 1), end = later & -later;
    return 31 - (unsigned)__builtin_clz(left & (end - 1));
}

/* The same for who goes through many lanes, in passes that are all as long: turn n is that of lane n ^ flip. */
static inline uint32_t passes_flip(uint32_t starts)
{
    uint32_t second = starts & (starts - 1);
    return second ? (uint32_t)__builtin_ctz(second) - 1 : LANES - 1;
}

/* The turns of some lanes. */
static inline uint32_t passes_turns(uint32_t flip, uint32_t lanes)
{
    for (unsigned by = 1; by <= flip && lanes != UINT32_MAX; by *= 2) {
        uint32_t low = UINT32_MAX / ((UINT32_C(1) << by) + 1); /* the lower of each two groups of so many */
        lanes = (lanes >> by & low) | (lanes & low) << by;
    }
    return lanes;
}

/* Has a pass a part of a row of `part` lanes and a part of another? Then rows cannot go as a whole. */
static inline bool passes_split(uint32_t starts, unsigned part)
{
    return part == LANES / 2 && starts == (1u | 1u << PASS_CORNER);
}

/* The same of rows of `part` lanes each, which are not split: bit n: a pass begins with row n. */
static inline uint32_t passes_rows(uint32_t starts, unsigned part)
{
    uint32_t rows = 0;
    for (unsigned n = 0; n < LANES / part; n++)
        rows |= (starts >> n * part & 1) << n;
    return rows;
}

#endif

/* Reading the letters of an operation's row (ops.h): which operands an instruction has and how wide they are. Shared by
 * the verifier, the printer and the parser. */
#ifndef ATOLL_LANE_FORM_H
#define ATOLL_LANE_FORM_H

#include <string.h>

#include "lane/lane.h"

/* The letter of operand `index`; 0 when the row has no such operand. "ax*": a x x x ... */
static inline char lane_letter(const char *letters, unsigned index)
{
    size_t length = strlen(letters);
    if (length > 1 && letters[length - 1] == '*' && index >= length - 2)
        return letters[length - 2];
    return index < length ? letters[index] : 0;
}

/* Whether a row with these letters can have `count` operands. */
static inline bool lane_count_fits(const char *letters, unsigned count)
{
    size_t length = strlen(letters);
    if (length > 1 && letters[length - 1] == '*')
        return count >= length - 2;
    return count == length;
}

/* The only width that a letter allows in an instruction, 0 if there are several (a, x) or none. */
static inline unsigned lane_letter_width(const struct lane_inst *inst, char letter)
{
    switch (letter) {
    case 't':
        return lane_type_bits(inst->type);
    case 'u':
        return lane_type_bits(inst->type2);
    case 'w':
        return lane_type_bits(inst->type) * 2;
    case 'p':
    case 'o':
        return 1;
    case '4':
        return 32;
    case '8':
        return 64;
    case 'h':
        return 16;
    default:
        return 0;
    }
}

static inline bool lane_uses(const struct lane_row *row, char field)
{
    return strchr(row->uses, field) != NULL;
}

/* What aux is: a letter of ops.h, 0 = it has no meaning. */
static inline char lane_aux(const struct lane_row *row)
{
    const char *letter = strpbrk(row->uses, "abtksn");
    return letter ? *letter : 0;
}

/* How many sources of a surface access say where: coordinates and level. */
static inline unsigned lane_coordinates(const struct lane_access *access)
{
    return (access->dim < LANE_ACCESS_DIMS ? lane_geometries[access->dim].coordinates : 0u) + access->level;
}

#endif

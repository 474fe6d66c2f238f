/* The rows of Maxwell SASS, a file a unit; sass.c makes one list of them. Sources of every row: the facts on bit fields
 * and text rules, and the recorded texts of the vendor's disassembler (11.8). */
#ifndef ATOLL_ISA_SASS_ROWS_H
#define ATOLL_ISA_SASS_ROWS_H

#include "isa/sass/sass.h"

/* Bits of struct isa_row.archs; isa_find's `arch` is the bit's number. */
enum { SASS_SM50 = 1, SASS_SM52 = 2, SASS_SM53 = 4, SASS_ALL = 7, SASS_SPARSE = SASS_SM52 | SASS_SM53 };

extern const struct isa_row sass_rows_int[], sass_rows_float[], sass_rows_half[], sass_rows_video[], sass_rows_memory[],
    sass_rows_surface[], sass_rows_texture[], sass_rows_flow[];
extern const unsigned sass_nrows_int, sass_nrows_float, sass_nrows_half, sass_nrows_video, sass_nrows_memory,
    sass_nrows_surface, sass_nrows_texture, sass_nrows_flow;

/* The lists of names, numbered as in sass_names. */
enum sass_list {
#define NAMES(list, rest, ...)            SASS_LIST_##list,
#define NAMES_ALSO(list, rest, also, ...) SASS_LIST_##list,
#include "isa/sass/names_alu.h"
#include "isa/sass/names_list.h"
#undef NAMES
#undef NAMES_ALSO
    SASS_LISTS
};
extern const struct isa_names sass_names[];
extern const unsigned sass_nnames;

/* Values that have no meaning: the names that the vendor's disassembler has for them are INVALID... or ???n. */
bool sass_reserved(const struct isa_names *names, uint64_t value);

#endif

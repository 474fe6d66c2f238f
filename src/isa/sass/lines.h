/* Which source lines code is from: what the debug sections of a cubin say (nvcc -lineinfo, -G), by section and offset.
 *
 *   .debug_line           code to lines of the source, with what was inlined where (isa/dwarf.h)
 *   .nv_debug_line_sass   code to lines of the PTX that it was made from
 *   .rel.X, .rela.X       which code: the section of the symbol that a sequence's address names
 */
#ifndef ATOLL_ISA_SASS_LINES_H
#define ATOLL_ISA_SASS_LINES_H

#include "isa/sass/cubin.h"
#include "lane/lane.h"

struct sass_line {
    uint64_t at; /* offset in the section */
    uint32_t section;
    uint32_t order; /* of rows at one place the last counts */
    uint32_t text;
    const struct lane_source *source; /* NULL: from here on it is not told */
};

struct sass_lines {
    struct sass_line *source, *text; /* by section, offset, order */
    size_t nsource, ntext;
    bool broken; /* some of what there was could not be read */
};

/* Tables in `arena`, places in the source in `keep`. False without memory. */
bool sass_lines_read(const struct sass_module *module, struct arena *arena, struct arena *keep,
                     struct sass_lines *lines);
/* What is told of the instruction at an offset of a section. */
struct lane_line sass_lines_find(const struct sass_lines *lines, uint32_t section, uint64_t offset);

#endif

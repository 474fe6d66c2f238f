/* From a cubin to a lane module: variables, constant banks, code with its relocations, kernels. */
#ifndef ATOLL_ISA_SASS_LINK_H
#define ATOLL_ISA_SASS_LINK_H

#include "isa/sass/code.h"
#include "isa/sass/lines.h"
#include "lane/lane.h"

struct sass_lowerer;

/* Symbol: bytes of an entry of the table of surfaces, which the driver's linker knows. */
#define SASS_SURFACE_SIZE ".nv.surfrefDescSize"
enum { SASS_SURFACE_ENTRY = 32 }; /* bytes that it tells */

/* A section of code. Its instructions have addresses in one space for the whole module, [base, base + size): sections
 * one after the other. An offset in a section and an address in it differ by `base`. */
struct sass_text {
    uint32_t section;
    const char *name;                     /* of the function that is at its start, else of the section */
    const struct sass_function *function; /* the first of it, NULL = none; constant banks are those of the section */
    uint64_t base, size;
    struct sass_code code;
    const struct sass_relocation *const *relocations; /* by offset */
    unsigned nrelocations;
};

struct sass_linked {
    const struct sass_module *module;
    const struct isa_table *table;
    struct lane_module *out;
    struct arena *arena;
    unsigned arch;
    struct sass_text *texts; /* by base */
    unsigned ntexts;
    uint64_t end;                               /* of all code so far */
    uint32_t *text_of;                          /* of each section: its place in `texts` + 1, 0 = none */
    uint32_t *outside;                          /* of each symbol: where code stands for a function of no file; or 0 */
    const struct sass_relocation **relocations; /* all but R_NONE, by section and offset */
    unsigned nrelocations;
    uint64_t lowered;    /* instructions of all kernels so far */
    uint32_t *variables; /* of each section: the lane symbol that stands for its memory, 0 = none */
    struct sass_lines lines;
    const struct sass_relocation **spoiled; /* of data, that cannot be applied */
    unsigned nspoiled;
};

/* The section that holds a code address, or NULL. */
const struct sass_text *sass_link_text(const struct sass_linked *linked, uint64_t address);
/* The section of a file's section index, or NULL. */
const struct sass_text *sass_link_section(const struct sass_linked *linked, uint32_t section);
/* The instruction at a code address: its number in text->code, or UINT64_MAX for no such. */
uint64_t sass_link_index(const struct sass_text *text, uint64_t address);
/* The relocations of a section, by offset. */
const struct sass_relocation *const *sass_link_relocations(const struct sass_linked *linked, uint32_t section,
                                                           unsigned *count);
/* " (b.cubin, .text.k, R_CUDA_ABS32_20)": the relocation's file - if files are joined -, section and type. */
enum { SASS_WHERE = 500 };
const char *sass_link_where(const struct sass_linked *linked, const struct sass_relocation *relocation,
                            char where[SASS_WHERE]);
/* What changes the instruction at a code address, or NULL. */
const struct sass_relocation *sass_link_relocation(const struct sass_linked *linked, uint64_t address);
/* The 32 bits that it puts there. */
struct lane_operand sass_link_value(struct sass_lowerer *l, const struct sass_relocation *relocation);
/* The function that a symbol names is in this file: its code address; else false. */
bool sass_link_function(const struct sass_linked *linked, uint32_t symbol, uint64_t *address);
/* The address of a function for who jumps there without its name: as above, or of the code that stands for a function
 * that is not in this file. */
bool sass_link_pointer(const struct sass_linked *linked, uint32_t symbol, uint64_t *address);

/* join.c: relocatable files of one architecture as one module, to be lowered. The parts are to live as long as *joined,
 * which is to be freed with sass_free, also after a failure. */
struct sass_part {
    const struct sass_module *module;
    const char *file; /* for messages */
};
bool sass_join_files(const struct isa_table *table, const struct sass_part *parts, unsigned count,
                     struct sass_module *joined, struct atoll_error *error);

/* The initial value of memory [offset, offset + size) of a section is not known: an error of the instruction. */
bool sass_link_spoiled(struct sass_lowerer *l, uint32_t section, uint64_t offset, uint64_t size);

/* Whether the host gives kernels a function of this name. */
bool sass_is_service(const char *name);

/* Lowers a whole cubin; *out is to be freed with lane_module_free, also after a failure. *lines_broken, if it is not
 * NULL: not all of its line tables could be read. */
bool sass_lower(const struct isa_table *table, const struct sass_module *module, struct lane_module *out,
                bool *lines_broken, struct atoll_error *error);

/* lower_code.c: one kernel into function `func` of linked->out. */
bool sass_lower_kernel(struct sass_linked *linked, const struct sass_function *function, uint32_t func,
                       struct atoll_error *error);

#endif

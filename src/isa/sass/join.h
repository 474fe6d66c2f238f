/* Joining relocatable files as nvlink does, into one module that is lowered like a file. What is worked on. */
#ifndef ATOLL_ISA_SASS_JOIN_H
#define ATOLL_ISA_SASS_JOIN_H

#include "isa/sass/link.h"

/* Numbers of sections and symbols of part p in the joined module: section_base[p] + number, symbol_base[p] + number.
 * After those of all parts are the sections that are made here. */
struct joiner {
    const struct isa_table *table;
    const struct sass_part *parts;
    unsigned count;
    struct sass_module *out;
    struct arena *arena; /* until all is joined */
    struct atoll_error *error;
    uint32_t *section_base, *symbol_base;
    uint32_t room;    /* of out->sections */
    uint32_t *merged; /* of each section of a part: the one that it is now a piece of, from `placed` on; 0 = none */
    uint64_t *placed;
    uint32_t *meaning;   /* of each symbol: the one that stands for its name */
    struct place *place; /* of each symbol: join_place.c */
};

/* A new section of the joined module; 0 without room. The name is not copied. */
uint32_t join_section(struct joiner *j, const char *name, uint32_t type, uint64_t size, const uint8_t *bytes);
/* Whether a symbol is a variable in shared memory. */
bool join_is_shared(const struct sass_symbol *s);
/* Textures, samplers, surfaces: what has a slot in bank 0. */
bool join_is_reference(const struct sass_symbol *s);

/* join_place.c: shared memory, slots of references, and the relocations that are numbers then. */
bool join_place(struct joiner *j);

#endif

/* Maxwell SASS: the family's table and what its readers share. */
#ifndef ATOLL_ISA_SASS_SASS_H
#define ATOLL_ISA_SASS_SASS_H

#include "isa/table.h"

/* `arch` of isa_find and isa_parse. */
enum sass_arch { SASS_ARCH_50, SASS_ARCH_52, SASS_ARCH_53, SASS_ARCHS };

/* Bits of part 1 of a word: the instruction's 21-bit control slot. Neutral: no barrier, no wait, stall 0. */
enum { SASS_CONTROL_NEUTRAL = 0x7e0, SASS_CONTROL_BITS = 21 };

/* isa_form.traits: kinds of instructions that every instruction of a module is asked for. */
enum sass_trait {
    SASS_STORES = 1, /* field 0-7 is data to be stored, not a result */
    SASS_DOUBLES = 2,
    SASS_SURFACES = 4,
    SASS_TEXTURES = 8,
    SASS_SHORT_TEXTURES = 0x10, /* results in Rd and in the register of field 28 */
    SASS_MEMORY = 0x20,         /* loads, stores and atomics but those on shared memory */
    SASS_SHARED_ATOMICS = 0x40,
    SASS_CONVERSIONS = 0x80,
    SASS_FLOW = 0x100, /* may change where the warp goes on, or end it */
    SASS_PREDICATE_SETS = 0x200,
    SASS_READS_CC = 0x400, /* always */
};

/* The table of all rows. Compiles all templates, about a millisecond; close with isa_close. */
bool sass_open(struct isa_table *table, struct atoll_error *error);
/* The same, compiled once per process. NULL: no memory. */
const struct isa_table *sass_table(struct atoll_error *error);

/* Where the header index that a surface or texture instruction names by number lies: byte *offset of its constant bank.
 * False: it names none. */
bool sass_bound_header(const struct isa_form *form, const struct isa_word *word, uint32_t *offset);

/* Why nvdisasm would refuse the control bits of an instruction of this form, or NULL: scoreboards on instructions of
 * fixed latency, the unused bit of the reuse field. */
const char *sass_control_refused(const struct isa_form *form, const struct isa_word *word);

#endif

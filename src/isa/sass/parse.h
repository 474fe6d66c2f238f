/* The text of one instruction to a word: what nvdisasm writes, and what else the sources write. */
#ifndef ATOLL_ISA_SASS_PARSE_H
#define ATOLL_ISA_SASS_PARSE_H

#include "base/nearest.h"
#include "isa/sass/sass.h"

/* isa_parse, and besides: JMX and BRX without their offset 0; SUATOM without an operation, as an example of its
 * instruction reference has it, which is read as .ADD. `warning` (may be NULL): what is to be told of a text that was
 * read, NULL for nothing. A mistake says which architecture has the instruction, where this one does not. */
const struct isa_form *sass_parse(const struct isa_table *table, const char *text, size_t length, unsigned arch,
                                  uint64_t address, struct isa_word *word, struct isa_mistake *mistake,
                                  const char **warning);

/* The mnemonic of an architecture (SASS_ARCHS: of any) that is nearest to a word. */
struct nearest sass_nearest(const struct isa_table *table, unsigned arch, const char *word, size_t length);

#endif

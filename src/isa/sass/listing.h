/* What the listing and the assembler of modules share: the words of the text form (docs/sass.md). */
#ifndef ATOLL_ISA_SASS_LISTING_H
#define ATOLL_ISA_SASS_LISTING_H

#include "isa/sass/code.h"

/* Numbers that are written by name. The tables end with a NULL name. */
struct sass_word {
    const char *name;
    uint64_t value;
};
extern const struct sass_word sass_section_types[], sass_section_letters[], sass_symbol_types[], sass_symbol_binds[],
    sass_symbol_others[], sass_header_flags[];

/* NULL: none. */
const char *sass_word_of(const struct sass_word *words, uint64_t value);
bool sass_word_value(const struct sass_word *words, const char *name, size_t length, uint64_t *value);

/* sh_link and sh_info that a section of this name and type has unless the text says otherwise; for .text.K without the
 * registers. */
uint32_t sass_usual_link(const struct sass_module *module, uint32_t section);
uint32_t sass_usual_info(const struct sass_module *module, uint32_t section);

static inline bool sass_is_text(const struct sass_section *s)
{
    return s->type == SASS_PROGBITS && (s->flags & SASS_EXECUTE) != 0;
}

/* For every symbol whether it is written as a label in its section (in code, labels of symbols are before bundles).
 * NULL: no memory. */
bool *sass_labels(const struct sass_module *module, struct arena *arena);

/* Which words of an attribute's payload are symbol indices: a bit each. */
uint32_t sass_symbol_words(unsigned code);

#endif

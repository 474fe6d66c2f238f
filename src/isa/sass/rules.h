/* What an instruction must keep to beyond its encoding: the vendor's disassembler prints many words that the
 * instruction reference forbids. */
#ifndef ATOLL_ISA_SASS_RULES_H
#define ATOLL_ISA_SASS_RULES_H

#include "isa/sass/sass.h"

/* Whether a word keeps the rules; else what they want (mistake->wanted; mistake->at is 0). */
bool sass_rules(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word,
                struct isa_mistake *mistake);

/* The same for a word that was read from `text`: mistake->at is the place of the operand or type at fault, where one
 * is. */
bool sass_rules_read(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word,
                     const char *text, size_t length, struct isa_mistake *mistake);

/* Whether any word of a form can break a rule. */
bool sass_rules_concern(const struct isa_table *table, const struct isa_form *form);

/* Adds the rules that hold for a form, a line each: for the modifiers of `word`, or in general where it is NULL. */
struct text;
void sass_rules_text(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word,
                     struct text *out);

#endif

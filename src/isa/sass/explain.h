/* `atoll explain` for Maxwell. */
#ifndef ATOLL_ISA_SASS_EXPLAIN_H
#define ATOLL_ISA_SASS_EXPLAIN_H

#include "base/text.h"
#include "isa/family.h"
#include "isa/table.h"

/* Whether a text is about Maxwell, not PTX: a mnemonic in upper case (after a guard), or a word of 16 hexadecimal
 * digits or with 0x. */
bool sass_explain_takes(const char *text);

/* Takes apart a mnemonic ("XMAD": all its forms), a mnemonic with its modifiers ("ATOMS.CAST.SPIN": the forms that have
 * them), an instruction with operands or a word in hexadecimal (the value of every field). `arch`: that of isa_find, or
 * SASS_ARCHS for the first that has it. */
bool sass_explain(const char *text, unsigned arch, struct arena *arena, struct family_explained *found,
                  struct atoll_error *error);

/* ---- between explain.c and explain_facts.c ---------------------------------------------------------------------- */

/* What is being explained: a mnemonic, one with modifiers, or a whole instruction. */
struct explained {
    const struct isa_table *table;
    const struct isa_form *form;
    const struct isa_word *word;          /* its modifiers and perhaps operands; NULL: a mnemonic alone */
    const struct isa_form *const *others; /* further forms; NULL: a whole instruction */
    unsigned nothers;
    unsigned archs;  /* of a mnemonic with modifiers: a bit for each architecture that has it */
    bool controlled; /* a whole instruction with control bits */
};

/* All facts of a mnemonic alone, and of others. explain.c writes those of forms and bits, explain_facts.c what holds
 * beyond them. */
extern const struct family_fact sass_mnemonic_facts[], sass_facts[];
void sass_forms_fact(const struct explained *x, struct text *out);
void sass_values_fact(const struct explained *x, struct text *out);
void sass_word_fact(const struct explained *x, struct text *out);
void sass_control_fact(const struct explained *x, struct text *out);
void sass_form_fact(const struct explained *x, struct text *out);
void sass_archs_fact(const struct explained *x, struct text *out);
void sass_bits_fact(const struct explained *x, struct text *out);
void sass_others_fact(const struct explained *x, struct text *out);

#endif

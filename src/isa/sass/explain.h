/* `atoll explain` for Maxwell. */
#ifndef ATOLL_ISA_SASS_EXPLAIN_H
#define ATOLL_ISA_SASS_EXPLAIN_H

#include "base/text.h"
#include "isa/table.h"

/* Whether a text is about Maxwell, not PTX: a mnemonic in upper case (behind a guard), or a word of 16 hexadecimal
 * digits or with 0x. */
bool sass_explain_takes(const char *text);

/* Explains a mnemonic ("XMAD": all its forms), a mnemonic with its modifiers ("ATOMS.CAST.SPIN": the forms that have
 * them), an instruction with operands or a word in hexadecimal (the value of every field). `arch`: that of isa_find, or
 * SASS_ARCHS for the first that has it. */
bool sass_explain(const char *text, unsigned arch, struct text *out, struct atoll_error *error);

/* ---- between explain.c and explain_facts.c ---------------------------------------------------------------------- */

/* What is being explained. `word`: its modifiers and perhaps operands; NULL: a mnemonic alone. */
struct sass_explained {
    const struct isa_table *table;
    const struct isa_form *form;
    const struct isa_word *word;
};

/* Statements, in this order. Adds lines; nothing where there is nothing to say. */
enum sass_fact {
    SASS_FACT_EFFECT,
    SASS_FACT_ADDRESS,
    SASS_FACT_BOUNDS,
    SASS_FACT_REGISTERS,
    SASS_FACT_ALIGNMENT,
    SASS_FACT_CONTENTION,
    SASS_FACT_ORDER,
    SASS_FACT_SCHEDULING,
    SASS_FACT_CHOICES,
    SASS_FACT_SOURCE,
    SASS_FACTS
};
const char *sass_fact_name(enum sass_fact fact);
void sass_fact(const struct sass_explained *x, enum sass_fact fact, struct text *out);

#endif

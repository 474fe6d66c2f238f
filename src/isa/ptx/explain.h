/* Texts about instructions, made from the rows: what `atoll explain` prints, and the instruction reference. */
#ifndef ATOLL_ISA_PTX_EXPLAIN_H
#define ATOLL_ISA_PTX_EXPLAIN_H

#include "base/text.h"
#include "isa/family.h"
#include "isa/insn.h"
#include "isa/ptx/row.h"

/* Takes apart one instruction of PTX: "suld.b.2d.v4.b8.trap {...}, [s, {x, y}];". Operands and a guard may be there;
 * they are not looked at. A mnemonic alone lists its forms. False: no such instruction, or its modifiers do not go
 * together (the message says why). */
bool ptx_explain(const char *instruction, struct arena *arena, struct family_explained *found,
                 struct atoll_error *error);

/* The instructions of PTX, a line each; flags: enum atoll_list_flag. Surface and atomic instructions as Markdown are
 * the reference in docs/ptx.md. */
void ptx_list(unsigned flags, struct text *out);

/* A form in the notation of the PTX manual, with its operands: "suld.b.{1d,2d ...}{.v2,.v4} ... d, [a, b]". */
void ptx_form_text(const struct ptx_row *row, const struct ptx_pattern *pattern, struct text *out);

/* What a word means on an instruction; NULL = nothing is known beyond its name. */
const char *ptx_word_meaning(const struct ptx_row *row, uint16_t keyword);

/* ---- what is known about an instruction beyond its words -------------------------------------------------- */

/* What is being explained. */
struct explained {
    const char *text;
    struct insn insn;
    const struct ptx_form *form; /* NULL: a mnemonic alone */
};

/* Around the facts of a kind of instructions: struct family_fact. */
/* clang-format off */
#define PTX_FACTS_FIRST {"words", ptx_words_fact}
#define PTX_FACTS_LAST  {"needs", ptx_needs_fact}, {"form", ptx_form_fact}, {"source", ptx_source_fact}, {NULL, NULL}
/* clang-format on */
void ptx_words_fact(const struct explained *x, struct text *out);
void ptx_needs_fact(const struct explained *x, struct text *out);
void ptx_form_fact(const struct explained *x, struct text *out);
void ptx_source_fact(const struct explained *x, struct text *out);

/* All that is said of suld, sust and sured; of suq; of atom and red. */
extern const struct family_fact ptx_surface_facts[], ptx_query_facts[], ptx_atomic_facts[];

/* The gates of a form and of its words, `before` before each: "PTX 1.5", ".3d .a1d: PTX 3.0, sm_20". */
void ptx_gates_text(const struct ptx_row *row, const struct ptx_pattern *pattern, const char *before, struct text *out);

#endif

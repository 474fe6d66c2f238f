/* Texts about instructions, made from the rows: what `atoll explain` prints, and the instruction reference. */
#ifndef ATOLL_ISA_PTX_EXPLAIN_H
#define ATOLL_ISA_PTX_EXPLAIN_H

#include "base/text.h"
#include "isa/ptx/row.h"

/* Explains one instruction of PTX: "suld.b.2d.v4.b8.trap {...}, [s, {x, y}];". Operands and a guard may be there; they
 * are not looked at. A mnemonic alone lists its forms. False: no such instruction, or its modifiers do not go together
 * (the message says why). */
bool ptx_explain(const char *instruction, struct text *out, struct atoll_error *error);

/* The instructions of PTX, a line each; flags: enum atoll_list_flag. Surface and atomic instructions as Markdown are
 * the reference in docs/ptx.md. */
void ptx_list(unsigned flags, struct text *out);

/* A form in the notation of the PTX manual, with its operands: "suld.b.{1d,2d ...}{.v2,.v4} ... d, [a, b]". */
void ptx_form_text(const struct ptx_row *row, const struct ptx_pattern *pattern, struct text *out);

/* What a word means on an instruction; NULL = nothing is known beyond its name. */
const char *ptx_word_meaning(const struct ptx_row *row, uint16_t keyword);

/* ---- what is known about an instruction beyond its words -------------------------------------------------- */

/* Statements about a form: one of each kind, in this order. */
enum fact { FACT_OPERANDS, FACT_ADDRESS, FACT_EFFECT, FACT_BOUNDS, FACT_ALIGNMENT, FACT_ORDER, FACT_CHOICES, FACTS };
const char *fact_name(enum fact fact);

/* Adds lines (each ends with '\n') about a form; nothing if there is nothing to say. */
void ptx_surface_fact(const struct ptx_form *form, enum fact fact, struct text *out);
void ptx_atomic_fact(const struct ptx_form *form, enum fact fact, struct text *out);

/* The gates of a form and of its words, `before` before each: "PTX 1.5", ".3d .a1d: PTX 3.0, sm_20". */
void ptx_gates_text(const struct ptx_row *row, const struct ptx_pattern *pattern, const char *before, struct text *out);

#endif

/* The text of CTM programs: docs/ctm.md, "Text". One line is one instruction. What is printed assembles to the same
 * words, and to the same program information and notes. */
#ifndef ATOLL_ISA_CTM_TEXT_H
#define ATOLL_ISA_CTM_TEXT_H

#include "isa/ctm/ctm.h"
#include "isa/table.h"

struct text;

/* Whether a text is a program of CTM, by how it begins: .dpp, or a line that only such a program begins with. */
bool ctm_takes_text(const char *text, size_t size);

/* All mistakes go where `options` (NULL: nowhere) says; the first one to `error`. */
bool ctm_assemble(struct arena *arena, const char *text, size_t size, const struct atoll_module_options *options,
                  struct ctm_program *program, struct atoll_error *error);
/* Whole programs: directives where they are not what follows from the code, labels, statements. */
void ctm_print(const struct ctm_program *program, struct text *out);

/* Single instructions: targets are numbers, there are no statements, and a number and colon before it mean nothing.
 * `out` has room for ISA_TEXT bytes. Returns the length. */
size_t ctm_print_inst(const struct ctm_inst *inst, char out[ISA_TEXT]);
bool ctm_parse_inst(const char *text, size_t length, struct ctm_inst *inst, struct atoll_error *error);

/* ---- what follows from the code (uses.c) -------------------------------------------------------------------- */

/* Program information and notes as they follow from the instructions: what a text need not say. Reads insts, ninsts and
 * whether outputs are uncached; fills info, sets, condout and early_exit. */
void ctm_derive(struct ctm_program *program);

/* What an instruction touches, by the channels that take part in a result that it keeps. */
struct ctm_uses {
    struct ctm_set temps_read, temps_written, floats;
    bool temps_indexed, floats_indexed; /* an address has aL added */
};
void ctm_uses(const struct ctm_inst *inst, struct ctm_uses *uses); /* adds to *uses */

#endif

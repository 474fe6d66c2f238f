/* Writing instructions of CTM as text: what print.c and print_program.c share. */
#ifndef ATOLL_ISA_CTM_PRINT_H
#define ATOLL_ISA_CTM_PRINT_H

#include "isa/ctm/rows.h"
#include "isa/writer.h"

#include <stddef.h>

/* How the program that an instruction is of has it. */
struct ctm_print_as {
    bool labels;   /* targets of jumps are labels: "L12" */
    bool uncached; /* outputs are uncached: umrt_own */
};
/* Returns the length; terminated. `size`: at least ISA_TEXT. */
size_t ctm_print_as(const struct ctm_inst *inst, const struct ctm_print_as *as, char *out, size_t size);

/* What follows any instruction: its flags; its statistics. */
void ctm_print_flags(struct isa_writer *w, const struct ctm_inst *inst);
/* "(p.r) " before one. */
void ctm_print_predicates(struct isa_writer *w, const struct ctm_inst *inst);
/* " !RGB_OMASK=0x3" for each difference of what was read back. */
void ctm_print_annotations(struct isa_writer *w, const struct ctm_inst *inst, const struct ctm_inst *read);
/* r3, c[aL+2], 2.5; {2.5} where it is not `whole`: letters follow. */
void ctm_print_address(struct isa_writer *w, unsigned address, bool whole);
/* 2.5 */
void ctm_print_inline(struct isa_writer *w, unsigned bits);

/* print_alu.c: ALU and OUTPUT words in one of several ways, from the plainest on. False: this way is not one for the
 * word. */
enum { CTM_PLAIN_WAYS = 8 };
bool ctm_print_alu(struct isa_writer *w, const struct ctm_inst *inst, unsigned way, bool uncached);

#endif

/* Modifiers of an instruction: its form, or a message about what is wrong with them. */
#ifndef ATOLL_ISA_PTX_CHECK_MODS_H
#define ATOLL_ISA_PTX_CHECK_MODS_H

#include "isa/ptx/row.h"

/* NULL after an error was reported. */
const struct ptx_form *check_modifiers(struct checker *c, const struct insn *insn);

/* The PTX type that a token asks for in a form; 0 = none. */
uint16_t ptx_token_type(const struct ptx_token *token, const struct ptx_form *form);

#endif

/* Module-scope data: symbols and their initial bytes. */
#ifndef ATOLL_ISA_PTX_LOWER_DATA_H
#define ATOLL_ISA_PTX_LOWER_DATA_H

#include "isa/ptx/lower.h"

/* Makes a symbol of every variable outside .reg, .local and .param, in functions too; decl->id becomes its number. */
bool lower_symbols(struct lowerer *l);
/* Their initial bytes, when all modules have their symbols. */
bool lower_symbol_bytes(struct lowerer *l);

#endif

/* The debug information that PTX text carries in its .section directives. */
#ifndef ATOLL_ISA_PTX_DEBUG_H
#define ATOLL_ISA_PTX_DEBUG_H

#include "isa/dwarf.h"
#include "isa/ptx/ast.h"

/* The bytes of the module's sections, in the arena; sections that it lacks are empty. False without memory. */
bool ptx_debug(const struct ptx_module *module, struct arena *arena, struct dwarf *dwarf);

#endif

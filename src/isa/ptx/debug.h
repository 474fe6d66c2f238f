/* The debug information that PTX text carries in its .section directives. */
#ifndef ATOLL_ISA_PTX_DEBUG_H
#define ATOLL_ISA_PTX_DEBUG_H

#include "base/namemap.h"
#include "isa/dwarf.h"
#include "isa/ptx/ast.h"

/* The bytes of the module's sections, in the arena; sections that it lacks are empty. False without memory. */
bool ptx_debug(const struct ptx_module *module, struct arena *arena, struct dwarf *dwarf);

/* The bytes of .debug_str alone, with a 0 behind them, and where its labels are in it. False without memory. */
bool ptx_debug_strings(const struct ptx_module *module, struct arena *arena, struct namemap *labels,
                       struct dwarf_section *strings);

#endif

/* Where the values of an initialiser lie in the variable. */
#ifndef ATOLL_ISA_PTX_INIT_WALK_H
#define ATOLL_ISA_PTX_INIT_WALK_H

#include "isa/ptx/ast.h"

/* Calls `visit` for each value in order, with its offset, until one gives false. Values that have no room in the `size`
 * bytes of the variable, which the parser reports, are left out. */
typedef bool init_visit_fn(void *user, uint64_t offset, const struct ptx_init *value);
bool init_walk(const struct ptx_decl *decl, uint64_t size, init_visit_fn *visit, void *user);

#endif

/* Accesses of lanes whose elements lie anywhere, by functions that tight code has once for all of a kind. */
#ifndef ATOLL_ENGINE_JIT_SCATTERED_H
#define ATOLL_ENGINE_JIT_SCATTERED_H

#include "engine/jit/access.h"

/* Is there one for such an access, or room for it? a->address is there, a->surely says whether it asks. */
bool scattered_shares(struct emit *e, const struct access *a);
/* The end of a way: it is called, goes to a->step where the lanes' elements do not all lie in the region. */
void scattered_call(struct emit *e, const struct access *a);

#endif

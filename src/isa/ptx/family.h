/* PTX as a family. */
#ifndef ATOLL_ISA_PTX_FAMILY_H
#define ATOLL_ISA_PTX_FAMILY_H

#include "isa/family.h"

extern const struct family ptx_family;

#endif

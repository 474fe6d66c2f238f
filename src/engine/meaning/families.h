/* The families of meanings, a header NAME.h and a file NAME.c each. */
#ifndef ATOLL_ENGINE_MEANING_FAMILIES_H
#define ATOLL_ENGINE_MEANING_FAMILIES_H

#include "engine/meaning/kernel.h"

#define MEANING_FAMILIES(X) \
    X(moves) X(bits) X(ints) X(video) X(compares) X(floats) X(halves) X(approx) X(cvt_ints) X(cvt_floats) X(cvt_small)

#define DECLARE(family) extern const struct meaning KERNEL_NAME(meanings_##family)[];
MEANING_FAMILIES(DECLARE)
#undef DECLARE

#endif

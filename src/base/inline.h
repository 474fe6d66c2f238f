/* Functions that compilers must not call: what a loop over lanes or texels is made of, which with a call in it is no
 * loop of vectors. */
#ifndef ATOLL_BASE_INLINE_H
#define ATOLL_BASE_INLINE_H

#define INLINE static inline __attribute__((always_inline))

#endif

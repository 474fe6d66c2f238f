/* Large pages for memory that is filled once and read once: it would cost as much in page faults as in work. */
#ifndef ATOLL_BASE_PAGES_H
#define ATOLL_BASE_PAGES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/* Asks the system for large pages where whole ones lie within memory[0..size). A wish: nothing depends on it. */
static inline void pages_large(void *memory, size_t size)
{
    const uintptr_t page = (uintptr_t)1 << 21;
    uintptr_t from = ((uintptr_t)memory + page - 1) & ~(page - 1), to = ((uintptr_t)memory + size) & ~(page - 1);
    if (from < to)
        (void)madvise((void *)from, to - from, MADV_HUGEPAGE);
}

#endif

/* What the writers of kernels share: of cells as they stand (kernel.c), of Dartagnan's dialect (bare.c). */
#ifndef ATOLL_LITMUS_KERNEL_H
#define ATOLL_LITMUS_KERNEL_H

#include "base/text.h"
#include "litmus/program.h"

struct writer {
    const struct litmus *test;
    bool spread; /* how instances lie is in parameters */
    struct litmus_kernel *kernel;
    const struct program *program; /* of the dialect */
    struct atoll_error *error;
    struct text out;
    const struct litmus_cell *cell; /* being written */
    unsigned line;
};

/* Writes lines. */
void kernel_say(struct writer *w, const char *format, ...) PRINTF_LIKE(2, 3);
/* Where a location begins in its instance's row of the surface, in bytes. */
unsigned kernel_texel(const struct litmus *test, unsigned place);
/* The cell `row` of a thread in the dialect. */
bool kernel_bare_cell(struct writer *w, unsigned thread, unsigned row);

#endif

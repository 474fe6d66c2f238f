/* The benchmark program of plain C itself. */
#include "bench.h"

const struct bench_executor *bench_program(void)
{
    return &plain_executor;
}

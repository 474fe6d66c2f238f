/* What the files of plain C share. */
#ifndef ATOLL_BENCH_PLAIN_H
#define ATOLL_BENCH_PLAIN_H

#include "bench.h"

struct plain {
    const struct bench_job *job;
    const uint32_t *in;
    uint32_t *out;
    size_t words;
    int n; /* size */
    int threads;
};

/* plain_pictures.c */
void plain_w9(struct plain *p);
void plain_w9_best(struct plain *p);
void plain_w10(struct plain *p);
void plain_w10_best(struct plain *p);

#endif

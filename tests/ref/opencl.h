/* OpenCL kernels as jobs: what they get, and in plain C what they must make of it. Run by Atoll from the vISA that
 * Intel's compiler made (tests/test_visa_opencl.c), and by an OpenCL platform from the source (tests/test_visa_pocl.c).
 */
#ifndef ATOLL_TESTS_OPENCL_H
#define ATOLL_TESTS_OPENCL_H

#include "atoll.h"

enum opencl_kind { OPENCL_NONE, OPENCL_BUFFER, OPENCL_VALUE, OPENCL_LOCAL, OPENCL_IMAGE, OPENCL_SAMPLER };
/* What a buffer or image holds at first. */
enum opencl_fill {
    FILL_ZERO,
    FILL_WORDS,   /* noise */
    FILL_SMALL,   /* 32-bit numbers below 100 */
    FILL_POWERS,  /* 64-bit numbers of any length */
    FILL_FLOATS,  /* -8 to 8 in steps of 1/64 */
    FILL_DOUBLES, /* the same */
    FILL_HALVES,  /* -8 to 8 in steps of 1/16 */
    FILL_ONES,    /* bytes 0xff */
};
/* How what is there afterwards is compared. */
enum opencl_compare { SAME_BYTES, SAME_NOT, SAME_FLOATS, SAME_HALVES, SAME_DOUBLES };

struct opencl_arg {
    uint8_t kind, fill, compare;
    double tolerance; /* of floats: relative for those above 1; 0: bits */
    uint32_t bytes;   /* of a buffer, value, local memory */
    union {
        uint32_t u[12];
        float f[12];
    } value;
    /* Images; samplers: linear and normalized in `width`, wrap in `height`. */
    enum atoll_dimension dimension;
    const char *format;
    uint32_t width, height, depth;
};
enum { OPENCL_ARGS = 8 };

struct opencl_job {
    const char *file, *kernel, *options;
    uint32_t global[3], local[3];
    struct opencl_arg args[OPENCL_ARGS];
    /* Makes of data[] what the kernel must make of it. NULL: there is no reference in C. */
    void (*reference)(const struct opencl_job *job, void **data);
    /* Of what depends on the order of threads: what must hold anyway, before reference; `before` as data. */
    void (*check)(const struct opencl_job *job, void **before, void **got);
    bool intel; /* only Intel's compiler takes it */
};
extern const struct opencl_job opencl_jobs[];
extern const unsigned opencl_njobs;

uint32_t opencl_size(const struct opencl_arg *arg);
/* Data of each argument (NULL: none), freed by opencl_free. */
void opencl_data(const struct opencl_job *job, void *data[OPENCL_ARGS]);
void opencl_free(void *data[OPENCL_ARGS]);
/* Fails the test, with the first difference, unless they agree. */
void opencl_same(const struct opencl_job *job, const char *what, void **got, void **want);

/* Runs it by Atoll from FOLDER/FILE.DEVICE.simdN.visaasm and changes data; false, and why, if there is no such file. */
struct opencl_mode {
    const char *device;
    unsigned threads;
    enum atoll_order order;
    uint64_t seed;
    bool list; /* arguments told by a list instead of .ze_info */
};
bool opencl_atoll(const struct opencl_job *job, const struct opencl_mode *mode, const char *folder, void **data);

#endif

/* Recording on a GPU that may lose its context. A fault leaves the context, and often the process, unusable: so worker
 * processes run items - cases, tests, kernels - until one faults and ends them; the next worker goes on behind it. A
 * worker that dies or hangs costs the item it was at, no other.
 * Of N jobs each drives workers of its own through every N-th item and writes RESULTS.1, RESULTS.2 ...; at the end they
 * are appended to RESULTS. Most of the time goes into new contexts, which one job waits for. */
#ifndef ATOLL_TESTS_HW_WORKERS_H
#define ATOLL_TESTS_HW_WORKERS_H

#include "driver_api.h"
#include "hw.h"

enum { HW_NO_GPU = 77, HW_MOST_JOBS = 64 };

/* Who the device is. */
struct hw_gpu {
    int found, major, minor, driver, units;
    char device[128];
};

struct hw_worker {
    struct cuda cuda;
    int device;
    struct hw_gpu gpu;
    FILE *file; /* of results */
};

struct hw_job {
    const char *program, *results;
    int device, jobs; /* ordinal of the GPU; at most HW_MOST_JOBS */
    size_t count;     /* of items */
    const void *of;   /* what the functions below need */
    /* What an item may take, in seconds; 0: it is not wanted. */
    unsigned (*seconds)(const struct hw_job *job, size_t item);
    /* Runs it and writes its result. False: the context may have been harmed. */
    bool (*run)(const struct hw_job *job, const struct hw_worker *w, size_t item);
    /* Writes what became of it when its worker ended by a signal; SIGALRM: it took too long. */
    void (*bury)(const struct hw_job *job, size_t item, int signal, FILE *file);
    void (*head)(const struct hw_origin *origin, FILE *file);
};

/* "the process ended by signal 11", for bury. */
enum hw_status hw_buried(int signal, char *detail, size_t room);
/* Exit status: 0 recorded, 2 cannot, HW_NO_GPU: there is none, which is told; nothing has been written. */
int hw_work(const struct hw_job *job);

#endif

/* Litmus tests on hardware (docs/hardware.md, "Litmus tests"): files of cases and of what was seen, and how a case runs
 * through the functions of a driver - those of CUDA, or Atoll's own behind the same names. What records on a GPU links
 * nothing of Atoll. */
#ifndef ATOLL_TESTS_HW_LITMUS_H
#define ATOLL_TESTS_HW_LITMUS_H

#include "driver_api.h"
#include "hw.h"

enum { HWL_VERSION = 1, HWL_PLACES = 8, HWL_VALUES = 16, HWL_OUTCOMES = 1024, HWL_TEXEL_BYTES = 16 };

/* Where an observed value is at the end: among the results of its thread (or of shared memory), in global memory, in
 * the surface. */
enum hwl_where { HWL_RESULT, HWL_MEMORY, HWL_SURFACE, HWL_WHERES };
struct hwl_value {
    enum hwl_where where;
    unsigned place, bits;
};

enum { HWL_LANES_NEVER, HWL_LANES_MAY, HWL_LANES_ALWAYS };

struct hwl_case {
    char name[HW_NAME];
    uint64_t digest;          /* of the test's file: a record is of that, however the kernel is written */
    unsigned blocks, threads; /* of an instance */
    unsigned lanes;           /* each lane of a warp has an instance of its own: HWL_LANES_... */
    bool surface, aliased;    /* the kernel wants a surface; the memory at second addresses */
    unsigned nplaces, nvalues;
    uint64_t initial[HWL_PLACES]; /* of the memory of each place */
    struct hwl_value values[HWL_VALUES];
    struct hw_text ptx;
};

struct hwl_cases {
    struct hwl_case *at;
    size_t count, room;
};
struct hwl_case *hwl_case_new(struct hwl_cases *cases);
void hwl_case_text(struct hw_text *text, const struct hwl_case *c);
void hwl_cases_free(struct hwl_cases *cases);
bool hwl_cases_write(const char *path, const struct hwl_cases *cases);
bool hwl_cases_read(const char *path, struct hwl_cases *cases); /* false: the message has been printed */

struct hwl_outcome {
    uint64_t values[HWL_VALUES], times;
};

struct hwl_result {
    char name[HW_NAME];
    uint64_t digest;
    enum hw_status status;
    char detail[160];
    uint64_t launches, instances;
    unsigned nvalues, count;
    struct hwl_outcome outcomes[HWL_OUTCOMES];
};

struct hwl_results {
    struct hw_origin origin;
    struct hwl_result *at;
    size_t count, room;
};
struct hwl_result *hwl_result_new(struct hwl_results *results);
void hwl_results_header(struct hw_text *text, const struct hwl_results *results);
void hwl_result_text(struct hw_text *text, const struct hwl_result *result);
bool hwl_results_read(const char *path, struct hwl_results *results); /* false: the message has been printed */
void hwl_results_free(struct hwl_results *results);

/* How long a case runs, and on what. */
struct hwl_effort {
    double seconds;    /* until this time is over ... */
    unsigned launches; /* ... or, if this is not 0, so often */
    unsigned units;    /* multiprocessors: blocks for these are resident at once */
    uint64_t seed;
    int device;
};
/* Many instances a launch, in several layouts; counts outcomes. */
void hwl_run(const struct cuda *cuda, const struct hwl_case *c, const struct hwl_effort *effort, struct hwl_result *r);

/* ---- with Atoll's reader and models -------------------------------------------------------------------------- */

/* All litmus tests below a folder of the tree's tests, sorted; why one is left out goes to `report` (may be NULL). */
void hwl_generate(struct hwl_cases *cases, const char *tests, FILE *report);

struct hwl_sums {
    unsigned judged, forbidden, broken, unjudged, failed, stale, allowed, seen;
};
/* Holds a record against the model; a line a test to `table` (may be NULL), forbidden outcomes to stdout. */
void hwl_judge(const struct hwl_results *results, const char *tests, FILE *table, struct hwl_sums *sums);

#endif

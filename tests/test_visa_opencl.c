/* OpenCL kernels from the vISA that Intel's compiler made of them, against plain C: on three platforms, on one and two
 * host threads, in seeded orders. ATOLL_OPENCL_DIR: other kernels than those in data/visa_ocl. */
#include "ref/opencl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const devices[] = {"skl", "tgllp", "acm-g10"};

static const char *folder(void)
{
    const char *dir = getenv("ATOLL_OPENCL_DIR");
    return dir ? dir : DATA_DIR "/visa_ocl";
}

static bool run(const struct opencl_job *job, const struct opencl_mode *mode)
{
    void *before[OPENCL_ARGS], *got[OPENCL_ARGS], *want[OPENCL_ARGS];
    char what[64];
    opencl_data(job, before);
    opencl_data(job, got);
    opencl_data(job, want);
    bool ran = opencl_atoll(job, mode, folder(), got);
    snprintf(what, sizeof what, "%s, %u threads, seed %u", mode->device, mode->threads, (unsigned)mode->seed);
    if (ran && job->check)
        job->check(job, before, got);
    if (ran && job->reference) {
        job->reference(job, want);
        opencl_same(job, what, got, want);
    }
    opencl_free(before);
    opencl_free(got);
    opencl_free(want);
    return ran;
}

static void test_jobs(void **state)
{
    unsigned ran = 0;
    (void)state;
    for (unsigned i = 0; i < opencl_njobs; i++)
        for (unsigned d = 0; d < 3; d++) {
            const struct opencl_mode modes[] = {
                {.device = devices[d], .threads = 1, .order = ATOLL_ORDER_DETERMINISTIC},
                {.device = devices[d], .threads = 2, .order = ATOLL_ORDER_PARALLEL},
                {.device = devices[d], .threads = 1, .order = ATOLL_ORDER_SEEDED, .seed = 1},
                {.device = devices[d], .threads = 1, .order = ATOLL_ORDER_SEEDED, .seed = 77},
            };
            for (unsigned m = 0; m < 4; m++)
                ran += run(&opencl_jobs[i], &modes[m]);
        }
    print_message("%u launches of %u jobs\n", ran, opencl_njobs);
    assert_true(ran >= 4 * 3 * 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

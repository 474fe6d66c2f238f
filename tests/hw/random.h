/* Random kernels on hardware (docs/hardware.md, "Random kernels"): those of tests/differential, each run on a few
 * inputs through the functions of a driver - those of CUDA, or Atoll's own behind the same names. A record has a digest
 * of what each run left. What records on a GPU links nothing of Atoll but the text that the generator writes to. */
#ifndef ATOLL_TESTS_HW_RANDOM_H
#define ATOLL_TESTS_HW_RANDOM_H

#include "../differential/inputs.h"
#include "driver_api.h"
#include "hw.h"

enum { HWR_VERSION = 1, HWR_INPUTS = 2 };
/* Added to a seed: the kernel's sums and products have no rounding modifier, so that the driver's assembler fuses them
 * (docs/ptx.md, "Fused products"). */
#define HWR_FUSED UINT32_C(0x40000000)

/* What a run leaves. */
struct hwr_left {
    uint8_t out[DIFFERENTIAL_OUT], scratch[DIFFERENTIAL_SCRATCHES];
    uint8_t texels[DIFFERENTIAL_SURFACES][DIFFERENTIAL_BYTES]; /* 0 behind the last */
};

struct hwr_result {
    uint32_t seed;
    uint64_t digest; /* of the kernel's text */
    enum hw_status status;
    char detail[160];
    uint64_t left[HWR_INPUTS]; /* digests */
};

struct hwr_results {
    struct hw_origin origin;
    struct hwr_result *at;
    size_t count, room;
};
struct hwr_result *hwr_result_new(struct hwr_results *results);
void hwr_head(const struct hw_origin *origin, FILE *file);
void hwr_result_write(const struct hwr_result *r, FILE *file);
/* Lines that start with "left" are passed over. */
bool hwr_results_read(FILE *file, struct hwr_results *results, char message[256]);
void hwr_results_free(struct hwr_results *results);

/* The kernel of a seed; text_free. */
struct text hwr_text(uint32_t seed);
/* Is the kernel of a seed one that hardware is asked about? Not those of scalar video instructions, which newer chips
 * emulate, otherwise than the PTX ISA says (docs/hardware.md, "Choices"). */
bool hwr_wanted(uint32_t seed);
/* Sets seed and digest, no more. */
void hwr_result_begin(struct hwr_result *r, uint32_t seed);
/* Runs the kernel of a seed on its inputs; left: HWR_INPUTS of them. */
void hwr_run(const struct cuda *cuda, uint32_t seed, struct hwr_result *r, struct hwr_left *left);

/* Kernels that an H100 runs otherwise, of most of which ptxas 13.0 makes other code than they say (docs/hardware.md).
 * Why, or that it is not found out; NULL: not one of them. */
const char *hwr_known(uint32_t seed);

struct hwr_sums {
    unsigned same, differ, known, open, failed, stale;
    /* Do lanes of a kernel store to one place without an order? NULL: not asked. Kernels of surfaces that do and differ
     * are open (docs/hardware.md, "Random kernels"), not differences. */
    bool (*has_races)(const struct cuda *cuda, uint32_t seed);
};
/* Runs the kernel of a record and counts what came of it. True: it differs, which is told; or it is known to; or it is
 * open. */
bool hwr_compare(const struct cuda *cuda, const struct hwr_result *recorded, struct hwr_left *left,
                 struct hwr_sums *sums);

/* For hwr_sums, of Atoll's driver alone (random_races.c). */
bool hwr_has_races(const struct cuda *cuda, uint32_t seed);

#endif

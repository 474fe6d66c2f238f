/* hw_random: random kernels in Atoll, against what a GPU left.
 *
 *   hw_random [--left FOLDER] RESULTS            compares; kernels that differ
 *   hw_random --record FIRST COUNT RESULTS       writes what Atoll leaves, as source "atoll"
 *
 * --left: of each kernel that differs its text, SEED.ptx, and what it left in Atoll, SEED.INPUT.bin, go to a folder.
 * ATOLL_ENGINE chooses the engine. Exit status: 0 equal, 1 differences, 2 cannot. */
#include "../number.h"
#include "driver_atoll.h"
#include "random.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct hwr_left left[HWR_INPUTS];

static int record(uint32_t first, uint32_t count, const char *path)
{
    const struct hw_origin origin = {"atoll", "Atoll", "-", "9.0"};
    struct cuda cuda;
    FILE *file = fopen(path, "w");
    if (!file || !hw_atoll_open(&cuda, false)) {
        fprintf(stderr, "cannot write %s\n", path);
        return 2;
    }
    hwr_head(&origin, file);
    for (uint32_t seed = first; seed < first + count; seed++) {
        struct hwr_result result;
        if (!hwr_wanted(seed))
            continue;
        hwr_run(&cuda, seed, &result, left);
        hwr_result_write(&result, file);
    }
    hw_atoll_close();
    return fclose(file) == 0 ? 0 : 2;
}

static void keep(const char *folder, const char *name, const void *bytes, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size)
        perror(path);
    if (file)
        fclose(file);
}

static void keep_all(const char *folder, uint32_t seed)
{
    char name[64];
    struct text text = hwr_text(seed);
    snprintf(name, sizeof name, "%" PRIu32 ".ptx", seed);
    keep(folder, name, text.bytes, text.length);
    text_free(&text);
    for (unsigned i = 0; i < HWR_INPUTS; i++) {
        snprintf(name, sizeof name, "%" PRIu32 ".%u.bin", seed, i);
        keep(folder, name, &left[i], sizeof left[i]);
    }
}

static int compare(const char *path, const char *folder)
{
    struct hwr_results results = {0};
    struct hwr_sums sums = {.has_races = hwr_has_races};
    struct cuda cuda;
    char message[256] = "cannot be read";
    FILE *file = hw_results_open(path);
    if (!file || !hwr_results_read(file, &results, message) || !hw_atoll_open(&cuda, false)) {
        fprintf(stderr, "%s: %s\n", path, message);
        return 2;
    }
    fclose(file);
    for (size_t i = 0; i < results.count; i++)
        if (hwr_compare(&cuda, &results.at[i], left, &sums) && folder)
            keep_all(folder, results.at[i].seed);
    printf("%s: %u the same, %u differ, %u are known to, %u are open, %u did not run there, %u of other kernels\n",
           path, sums.same, sums.differ, sums.known, sums.open, sums.failed, sums.stale);
    hw_atoll_close();
    hwr_results_free(&results);
    return sums.differ != 0;
}

int main(int argc, char **argv)
{
    uint32_t first, count;
    if (argc == 5 && strcmp(argv[1], "--record") == 0 && number_read_u32(argv[2], &first) &&
        number_read_u32(argv[3], &count))
        return record(first, count, argv[4]);
    if (argc == 4 && strcmp(argv[1], "--left") == 0)
        return compare(argv[3], argv[2]);
    if (argc == 2 && argv[1][0] != '-')
        return compare(argv[1], NULL);
    fputs("usage: hw_random [--left FOLDER] RESULTS\n       hw_random --record FIRST COUNT RESULTS\n", stderr);
    return 2;
}

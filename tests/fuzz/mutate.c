/* Runs a fuzz target over mutations of files, without libFuzzer: mutate COUNT DIR-or-FILE... Every file is the start of
 * COUNT inputs, each made from the one before; every fourth from the file again. The same every time. */
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

enum { MOST = 1 << 16, AFRESH = 4 };

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/* In a block of exactly its size, so that a sanitizer sees every overread. */
static void give(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    fuzz_check(copy != NULL);
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void mutate_file(const char *path, unsigned count)
{
    static uint8_t original[MOST], data[MOST];
    FILE *file = fopen(path, "rb");
    fuzz_check(file != NULL);
    size_t whole = fread(original, 1, sizeof original, file), size = 0;
    fclose(file);
    for (unsigned i = 0; i < count; i++) {
        if (i % AFRESH == 0) {
            memcpy(data, original, whole);
            size = whole;
        }
        size = LLVMFuzzerCustomMutator(data, size, sizeof data, i);
        fuzz_check(size <= sizeof data);
        give(data, size);
    }
}

int main(int argc, char **argv)
{
    unsigned count = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0, files = 0;
    for (int i = 2; i < argc; i++) {
        DIR *directory = opendir(argv[i]);
        if (!directory) {
            mutate_file(argv[i], count);
            files++;
            continue;
        }
        for (struct dirent *entry; (entry = readdir(directory));) {
            char name[4096];
            struct stat status;
            snprintf(name, sizeof name, "%s/%s", argv[i], entry->d_name);
            if (stat(name, &status) == 0 && S_ISREG(status.st_mode)) {
                mutate_file(name, count);
                files++;
            }
        }
        closedir(directory);
    }
    printf("%u mutations of %u files\n", count * files, files);
    return files ? 0 : 1;
}

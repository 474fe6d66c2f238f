/* Runs a fuzz target over files, without libFuzzer: replay DIR-or-FILE... Every file is given as it is and cut in half
 * (so that sound inputs test truncation too). */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

static bool is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* In a block of exactly its size, so that a sanitizer sees every overread. */
static void give(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    fuzz_check(copy != NULL);
    if (size)
        memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static bool replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return false;
    }
    uint8_t *data = NULL;
    size_t size = 0, got;
    do {
        uint8_t *more = realloc(data, size + 65536);
        fuzz_check(more != NULL);
        data = more;
        got = fread(data + size, 1, 65536, file);
        size += got;
    } while (got);
    fclose(file);
    give(data, size);
    give(data, size / 2);
    free(data);
    return true;
}

static int replay_directory(const char *path)
{
    int count = 0;
    DIR *directory = opendir(path);
    if (!directory)
        return -1;
    for (struct dirent *entry; (entry = readdir(directory));) {
        char name[4096];
        if (snprintf(name, sizeof name, "%s/%s", path, entry->d_name) >= (int)sizeof name || is_directory(name))
            continue;
        if (!replay_file(name)) {
            count = -1;
            break;
        }
        count++;
    }
    closedir(directory);
    return count;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        int count = is_directory(argv[i]) ? replay_directory(argv[i]) : replay_file(argv[i]) ? 1 : -1;
        if (count < 0)
            return 1;
        printf("%s: %d inputs\n", argv[i], count);
    }
    return 0;
}

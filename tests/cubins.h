/* The cubins of the tests: loading, going through all of them, assembling. Include after cmocka.h. */
#ifndef ATOLL_TESTS_CUBINS_H
#define ATOLL_TESTS_CUBINS_H

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "atoll.h"
#include "file/file.h"

/* A whole file; the test fails where there is none. */
static inline struct blob blob_load(const char *folder, const char *name)
{
    char path[1000];
    struct blob blob = {0};
    struct atoll_error error = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!file_read(path, 1 << 24, &blob, &error))
        fail_msg("%s", error.message);
    return blob;
}

static inline struct blob cubin_load(const char *name)
{
    return blob_load(DATA_DIR "/kernels", name);
}

/* All of them, in no order. */
static inline void cubin_each(void (*check)(void *context, const char *name, const struct blob *cubin), void *context)
{
    DIR *folder = opendir(DATA_DIR "/kernels");
    int count = 0;
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        if (strstr(entry->d_name, ".cubin")) {
            struct blob cubin = cubin_load(entry->d_name);
            check(context, entry->d_name, &cubin);
            blob_free(&cubin);
            count++;
        }
    closedir(folder);
    assert_true(count >= 40);
}

/* `name`: of the text, for messages. */
static inline struct blob cubin_assemble(const char *name, const char *text, size_t length)
{
    struct atoll_error error = {0};
    char *bytes;
    size_t size;
    if (!atoll_assemble(text, length, NULL, NULL, &bytes, &size, &error))
        fail_msg("%s:%u:%u: %s", name, error.line, error.column, error.message);
    return (struct blob){(unsigned char *)bytes, size};
}

#endif

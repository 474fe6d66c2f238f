/* Files as wholes: read into memory, and written all or nothing.
 *
 * A result is staged (written to a new file in the folder of its target) and later committed (renamed over the target)
 * or discarded. When a run has several results, all are staged before the first is committed, so that a failure leaves
 * every file as it was. Targets that are no plain files (pipes, /dev/stdout) are written at the commit.
 */
#ifndef ATOLL_FILE_FILE_H
#define ATOLL_FILE_FILE_H

#include "base/error.h"

struct blob {
    unsigned char *bytes; /* to be freed with blob_free; one more byte than `size`, which is 0 */
    size_t size;
};

/* Reads a whole file; "-" is the standard input. ATOLL_INPUT: larger than `limit` bytes, or cannot be read. */
bool file_read(const char *path, uint64_t limit, struct blob *blob, struct atoll_error *error);
void blob_free(struct blob *blob);

struct staged {
    char *target;    /* links resolved */
    char *temporary; /* NULL: the target is no plain file and gets `rest` */
    struct blob rest;
};

/* Whether file_stage would probably work: said before long work, not after it. */
bool file_writable(const char *path, struct atoll_error *error);
/* "-" is the standard output. */
bool file_stage(const char *path, const void *bytes, size_t size, struct staged *staged, struct atoll_error *error);
bool file_commit(struct staged *staged, struct atoll_error *error);
/* Also after a commit, to free what it holds. */
void file_discard(struct staged *staged);

/* The three steps for one file. */
bool file_write(const char *path, const void *bytes, size_t size, struct atoll_error *error);

#endif

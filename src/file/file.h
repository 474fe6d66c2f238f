/* Files as wholes: read into memory, and written all or nothing.
 *
 * A result is staged (written to a new file in the folder of its target) and later committed (renamed over the target)
 * or discarded. When a run has several results, all are staged before the first is committed, so that a failure leaves
 * every file as it was. Targets that are no plain files (pipes, /dev/stdout) are written at the commit, before the
 * others.
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

/* A file in the making. Where the file system can do it, it has no name until it is committed, so that a program that
 * is killed leaves nothing; else it is called .NAME.PID-N. */
struct staged {
    char *target;    /* links resolved */
    char *temporary; /* NULL: has no name */
    int fd;          /* of a file without a name; -1 = none: named, or no plain file, which gets `rest` */
    struct blob rest;
};

/* Whether file_stage would probably work: said before long work, not after it. */
bool file_writable(const char *path, struct atoll_error *error);
/* "-" is the standard output. */
bool file_stage(const char *path, const void *bytes, size_t size, struct staged *staged, struct atoll_error *error);
/* Puts all in their places: first what goes to pipes and the like, which may fail; then the files. */
bool file_commit(struct staged *staged, size_t count, struct atoll_error *error);
/* Also after a commit, to free what it holds. */
void file_discard(struct staged *staged);

/* The three steps for one file. */
bool file_write(const char *path, const void *bytes, size_t size, struct atoll_error *error);

/* Whether two paths mean one file, existing or not, or both the standard output. Other pipes, terminals and the like
 * take what they get. */
bool file_same(const char *a, const char *b);

/* A file that is written bit by bit. It is in its place once it is closed; "-", pipes and the like at once. */
struct file_stream {
    const char *path;
    struct staged staged;
    int fd;     /* where to write */
    bool plain; /* `staged` is to be committed */
    int reason; /* errno of the first failure; 0 = none */
    size_t held;
    unsigned char bytes[1 << 16];
};

bool file_stream_open(const char *path, struct file_stream *stream, struct atoll_error *error);
/* False: this write failed, or one before it. */
bool file_stream_add(struct file_stream *stream, const void *bytes, size_t size);
bool file_stream_flush(struct file_stream *stream);
/* What went wrong up to now, as an error. */
bool file_stream_check(const struct file_stream *stream, struct atoll_error *error);
/* Puts the file in its place, unless a write failed: then there is none, and the error says why. */
bool file_stream_close(struct file_stream *stream, struct atoll_error *error);

#endif

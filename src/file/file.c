/* Reading whole files; writing all or nothing. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void blob_free(struct blob *blob)
{
    free(blob->bytes);
    *blob = (struct blob){0};
}

/* ---- reading --------------------------------------------------------------------------------------------- */

static bool read_all(int fd, const char *path, size_t capacity, uint64_t limit, struct blob *blob,
                     struct atoll_error *error)
{
    blob->bytes = malloc(capacity + 1);
    while (blob->bytes) {
        ssize_t got = read(fd, blob->bytes + blob->size, capacity - blob->size);
        if (got < 0 && errno == EINTR)
            return error_set(error, ATOLL_INTERRUPTED, "interrupted while '%.500s' was read", path);
        if (got < 0)
            return error_set(error, ATOLL_INPUT, "cannot read '%.500s': %s", path, strerror(errno));
        blob->size += (size_t)got;
        if (blob->size > limit)
            return error_set(error, ATOLL_INPUT, "'%.500s' has more than %" PRIu64 " bytes", path, limit);
        if (got == 0) {
            blob->bytes[blob->size] = 0;
            return true;
        }
        if (blob->size < capacity)
            continue;
        capacity *= 2;
        unsigned char *bigger = realloc(blob->bytes, capacity + 1);
        if (!bigger)
            break;
        blob->bytes = bigger;
    }
    return error_memory(error);
}

bool file_read(const char *path, uint64_t limit, struct blob *blob, struct atoll_error *error)
{
    *blob = (struct blob){0};
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0) {
        if (errno == EINTR)
            error_set(error, ATOLL_INTERRUPTED, "interrupted while '%.500s' was opened", path);
        else
            error_set(error, ATOLL_INPUT, "cannot open '%.500s': %s", path, strerror(errno));
        if (fd >= 0 && !standard)
            close(fd);
        return false;
    }
    bool ok;
    uint64_t size = S_ISREG(status.st_mode) && status.st_size > 0 ? (uint64_t)status.st_size : 0;
    if (S_ISDIR(status.st_mode))
        ok = error_set(error, ATOLL_INPUT, "'%.500s' is a folder", path);
    else if (size > limit)
        ok = error_set(error, ATOLL_INPUT, "'%.500s' has %" PRIu64 " bytes: must be at most %" PRIu64, path, size,
                       limit);
    else /* one byte more than expected: the end is seen without growing */
        ok = read_all(fd, path, size ? (size_t)size + 1 : 65536, limit, blob, error);
    if (!standard)
        close(fd);
    if (!ok)
        blob_free(blob);
    return ok;
}

/* ---- writing --------------------------------------------------------------------------------------------- */

static bool write_all(int fd, const unsigned char *bytes, size_t size)
{
    while (size) {
        ssize_t put = write(fd, bytes, size < (1 << 30) ? size : 1 << 30);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        bytes += put;
        size -= (size_t)put;
    }
    return true;
}

/* Opening /dev/stdout anew would start at its beginning, if it is a file. */
static bool is_standard(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

static bool cannot_write(const char *path, int reason, struct atoll_error *error)
{
    if (is_standard(path))
        return error_set(error, ATOLL_SYSTEM, "cannot write to the standard output: %s", strerror(reason));
    return error_set(error, ATOLL_SYSTEM, "cannot write '%.500s': %s", path, strerror(reason));
}

/* The folder that a path is in, to be freed. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
}

/* Where a link points that points to nothing: a path, to be freed. NULL: no such link. */
static char *dangling(const char *path)
{
    char to[4096], *joined = NULL;
    ssize_t length = readlink(path, to, sizeof to - 1);
    if (length <= 0)
        return NULL;
    to[length] = 0;
    char *folder = to[0] == '/' ? strdup("") : folder_of(path);
    if (folder && (joined = malloc(strlen(folder) + (size_t)length + 2)) != NULL)
        sprintf(joined, "%s%s%s", folder, to[0] == '/' ? "" : "/", to);
    free(folder);
    return joined;
}

/* The path of the file that writing to `path` would make or replace, links followed; to be freed. NULL with errno. */
static char *target_of(const char *path)
{
    enum { LINKS_MOST = 40 };
    char *at = strdup(path), *next;
    for (int i = 0; at && i < LINKS_MOST && (next = dangling(at)) != NULL; i++) {
        free(at);
        at = next;
    }
    char *whole = at ? realpath(at, NULL) : NULL;
    if (!whole)
        return at;
    free(at);
    return whole;
}

/* ".NAME.PID-N" beside the target, so that the rename stays within one file system; to be freed. */
static char *temporary_name(const char *target, int n)
{
    const char *slash = strrchr(target, '/');
    size_t folder = slash ? (size_t)(slash - target) + 1 : 0, room = strlen(target) + 40;
    char *name = malloc(room);
    if (name)
        snprintf(name, room, "%.*s.%.200s.%ld-%d", (int)folder, target, target + folder, (long)getpid(), n);
    return name;
}

enum { NAMES_TRIED = 100 };

static int named_open(struct staged *staged)
{
    int fd = -1;
    for (int n = 0; n < NAMES_TRIED && fd < 0; n++) {
        char *name = temporary_name(staged->target, n);
        if (!name) {
            errno = ENOMEM;
            return -1;
        }
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        int reason = errno;
        if (fd >= 0)
            staged->temporary = name;
        else
            free(name);
        errno = reason;
        if (fd < 0 && reason != EEXIST)
            break;
    }
    return fd;
}

/* A file without a name in the target's folder: Linux, on most file systems. */
static int nameless_open(const struct staged *staged)
{
#ifdef O_TMPFILE
    char *folder = access("/proc/self/fd", X_OK) == 0 ? folder_of(staged->target) : NULL;
    int fd = folder ? open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666) : -1;
    free(folder);
    return fd;
#else
    (void)staged;
    return -1;
#endif
}

/* Opens a new file for a target that is a plain one, or none yet. The descriptor is staged->fd as well, if nameless. */
static int plain_open(struct staged *staged, const struct stat *old)
{
    int fd = staged->fd = nameless_open(staged);
    if (fd < 0)
        fd = named_open(staged);
    if (fd >= 0 && old && fchmod(fd, old->st_mode & 07777) != 0) {
        int reason = errno;
        if (fd != staged->fd)
            close(fd);
        errno = reason;
        return -1;
    }
    return fd;
}

static bool stage_plain(struct staged *staged, const void *bytes, size_t size, const struct stat *old)
{
    int fd = plain_open(staged, old);
    if (fd < 0)
        return false;
    bool ok = write_all(fd, bytes, size);
    int reason = errno;
    if (fd != staged->fd && close(fd) != 0 && ok)
        return false;
    errno = reason;
    return ok;
}

static bool stage_rest(struct staged *staged, const void *bytes, size_t size)
{
    staged->rest.bytes = malloc(size + 1);
    if (!staged->rest.bytes) {
        errno = ENOMEM;
        return false;
    }
    if (size)
        memcpy(staged->rest.bytes, bytes, size);
    staged->rest.size = size;
    return true;
}

/* What there is at `path` now: *plain says that a file can take its place, *exists that one is there. False with errno:
 * nothing can be written there. */
static bool look(const char *path, struct stat *status, bool *exists, bool *plain)
{
    *exists = stat(path, status) == 0;
    *plain = !*exists || S_ISREG(status->st_mode);
    if (!*exists && errno != ENOENT)
        return false;
    if (*exists && S_ISDIR(status->st_mode)) {
        errno = EISDIR;
        return false;
    }
    return !*exists || access(path, W_OK) == 0;
}

bool file_writable(const char *path, struct atoll_error *error)
{
    struct stat status, above;
    bool exists, plain;
    if (is_standard(path))
        return true;
    bool ok = look(path, &status, &exists, &plain);
    if (ok && plain) { /* a new file takes its place */
        char *target = target_of(path), *folder = target ? folder_of(target) : NULL;
        ok = folder && stat(folder, &above) == 0;
        if (ok && !S_ISDIR(above.st_mode)) {
            errno = ENOTDIR;
            ok = false;
        }
        ok = ok && access(folder, W_OK | X_OK) == 0;
        int reason = errno;
        free(folder);
        free(target);
        errno = reason;
    }
    return ok || cannot_write(path, errno, error);
}

bool file_stage(const char *path, const void *bytes, size_t size, struct staged *staged, struct atoll_error *error)
{
    *staged = (struct staged){.fd = -1};
    struct stat status;
    bool exists = false, plain = false, standard = is_standard(path);
    bool ok = standard || look(path, &status, &exists, &plain);
    ok = ok && (staged->target = plain ? target_of(path) : strdup(path)) != NULL;
    if (ok)
        ok = plain ? stage_plain(staged, bytes, size, exists ? &status : NULL) : stage_rest(staged, bytes, size);
    if (ok)
        return true;
    cannot_write(path, errno, error);
    file_discard(staged);
    return false;
}

/* Gives a file without a name one, which no other file has. */
static bool name_give(struct staged *staged)
{
    char from[40];
    snprintf(from, sizeof from, "/proc/self/fd/%d", staged->fd);
    for (int n = 0; n < NAMES_TRIED && !staged->temporary; n++) {
        char *name = temporary_name(staged->target, n);
        if (!name) {
            errno = ENOMEM;
            return false;
        }
        if (linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) {
            staged->temporary = name;
            break;
        }
        int reason = errno;
        free(name);
        errno = reason;
        if (reason != EEXIST)
            return false;
    }
    int fd = staged->fd;
    staged->fd = -1;
    return close(fd) == 0 && staged->temporary;
}

static bool is_plain(const struct staged *staged)
{
    return staged->fd >= 0 || staged->temporary;
}

static bool commit_one(struct staged *staged)
{
    if (is_plain(staged)) {
        bool ok = (staged->fd < 0 || name_give(staged)) && rename(staged->temporary, staged->target) == 0;
        if (ok) {
            free(staged->temporary);
            staged->temporary = NULL;
        }
        return ok;
    }
    bool standard = is_standard(staged->target);
    int fd = standard ? STDOUT_FILENO : open(staged->target, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && write_all(fd, staged->rest.bytes, staged->rest.size);
    int reason = errno;
    if (fd >= 0 && !standard && close(fd) != 0 && ok)
        return false;
    errno = reason;
    return ok;
}

bool file_commit(struct staged *staged, size_t count, struct atoll_error *error)
{
    for (int plain = 0; plain < 2; plain++)
        for (size_t i = 0; i < count; i++)
            if (staged[i].target && is_plain(&staged[i]) == plain && !commit_one(&staged[i]))
                return cannot_write(staged[i].target, errno, error);
    return true;
}

void file_discard(struct staged *staged)
{
    if (staged->target && staged->fd >= 0)
        close(staged->fd);
    if (staged->temporary)
        unlink(staged->temporary);
    free(staged->temporary);
    free(staged->target);
    blob_free(&staged->rest);
    *staged = (struct staged){.fd = -1};
}

bool file_write(const char *path, const void *bytes, size_t size, struct atoll_error *error)
{
    struct staged staged;
    if (is_standard(path)) /* nothing to take back: no copy needs to wait */
        return write_all(STDOUT_FILENO, bytes, size) || cannot_write(path, errno, error);
    bool ok = file_stage(path, bytes, size, &staged, error) && file_commit(&staged, 1, error);
    file_discard(&staged);
    return ok;
}

bool file_same(const char *a, const char *b)
{
    struct stat one, other;
    bool first = stat(a, &one) == 0, second = stat(b, &other) == 0;
    if (is_standard(a) || is_standard(b))
        return is_standard(a) && is_standard(b);
    if (first || second)
        return first && second && S_ISREG(one.st_mode) && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
    /* Neither is there yet: the same name in the same folder. */
    char *ends[2] = {target_of(a), target_of(b)};
    char *folders[2] = {ends[0] ? folder_of(ends[0]) : NULL, ends[1] ? folder_of(ends[1]) : NULL};
    bool same = folders[0] && folders[1] && stat(folders[0], &one) == 0 && stat(folders[1], &other) == 0 &&
                one.st_dev == other.st_dev && one.st_ino == other.st_ino;
    if (same) {
        const char *slash[2] = {strrchr(ends[0], '/'), strrchr(ends[1], '/')};
        same = strcmp(slash[0] ? slash[0] + 1 : ends[0], slash[1] ? slash[1] + 1 : ends[1]) == 0;
    }
    for (int i = 0; i < 2; i++) {
        free(ends[i]);
        free(folders[i]);
    }
    return same;
}

/* ---- bit by bit ------------------------------------------------------------------------------------------ */

bool file_stream_open(const char *path, struct file_stream *stream, struct atoll_error *error)
{
    struct stat status;
    bool exists = false;
    stream->path = path;
    stream->staged = (struct staged){.fd = -1};
    stream->reason = 0;
    stream->held = 0;
    stream->plain = false;
    stream->fd = STDOUT_FILENO;
    if (is_standard(path))
        return true;
    bool ok = look(path, &status, &exists, &stream->plain);
    if (ok && stream->plain) {
        stream->staged.target = target_of(path);
        ok = stream->staged.target && (stream->fd = plain_open(&stream->staged, exists ? &status : NULL)) >= 0;
    } else if (ok) {
        ok = (stream->fd = open(path, O_WRONLY | O_CLOEXEC)) >= 0;
    }
    if (ok)
        return true;
    cannot_write(path, errno, error);
    file_discard(&stream->staged);
    return false;
}

static bool stream_put(struct file_stream *stream, const void *bytes, size_t size)
{
    if (!stream->reason && !write_all(stream->fd, bytes, size))
        stream->reason = errno;
    return !stream->reason;
}

bool file_stream_flush(struct file_stream *stream)
{
    size_t held = stream->held;
    stream->held = 0;
    return stream_put(stream, stream->bytes, held);
}

bool file_stream_add(struct file_stream *stream, const void *bytes, size_t size)
{
    if (size > sizeof stream->bytes - stream->held)
        file_stream_flush(stream);
    if (size > sizeof stream->bytes)
        return stream_put(stream, bytes, size);
    memcpy(stream->bytes + stream->held, bytes, size);
    stream->held += size;
    return !stream->reason;
}

bool file_stream_check(const struct file_stream *stream, struct atoll_error *error)
{
    return !stream->reason || cannot_write(stream->path, stream->reason, error);
}

bool file_stream_close(struct file_stream *stream, struct atoll_error *error)
{
    file_stream_flush(stream);
    bool named = stream->fd != stream->staged.fd && stream->fd != STDOUT_FILENO;
    if (named && close(stream->fd) != 0 && !stream->reason)
        stream->reason = errno;
    bool ok = file_stream_check(stream, error) && (!stream->plain || file_commit(&stream->staged, 1, error));
    if (stream->plain)
        file_discard(&stream->staged);
    return ok;
}

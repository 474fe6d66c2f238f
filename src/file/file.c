/* Reading whole files; writing all or nothing. */
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
            continue;
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

/* Creates ".NAME.PID-N" beside the target, so that the rename stays within one file system. */
static int temporary_open(struct staged *staged)
{
    const char *slash = strrchr(staged->target, '/');
    size_t folder = slash ? (size_t)(slash - staged->target) + 1 : 0;
    size_t room = strlen(staged->target) + 40;
    staged->temporary = malloc(room);
    if (!staged->temporary) {
        errno = ENOMEM;
        return -1;
    }
    int fd = -1;
    for (int n = 0; n < 100 && fd < 0; n++) {
        snprintf(staged->temporary, room, "%.*s.%.200s.%ld-%d", (int)folder, staged->target, staged->target + folder,
                 (long)getpid(), n);
        fd = open(staged->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0) {
        int reason = errno;
        free(staged->temporary);
        staged->temporary = NULL;
        errno = reason;
    }
    return fd;
}

static bool stage_plain(struct staged *staged, const void *bytes, size_t size, const struct stat *old)
{
    int fd = temporary_open(staged);
    if (fd < 0)
        return false;
    bool ok = write_all(fd, bytes, size);
    if (ok && old)
        ok = fchmod(fd, old->st_mode & 07777) == 0;
    int reason = errno;
    if (close(fd) != 0 && ok)
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

bool file_writable(const char *path, struct atoll_error *error)
{
    struct stat status;
    bool ok = strcmp(path, "-") == 0;
    if (!ok && stat(path, &status) == 0) {
        ok = !S_ISDIR(status.st_mode) && access(path, W_OK) == 0;
        errno = S_ISDIR(status.st_mode) ? EISDIR : errno;
    } else if (!ok) {
        char *folder = strdup(path), *slash = folder ? strrchr(folder, '/') : NULL;
        if (slash)
            slash[slash == folder] = 0; /* "/name": the root */
        ok = folder && access(slash ? folder : ".", W_OK | X_OK) == 0;
        int reason = errno;
        free(folder);
        errno = reason;
    }
    return ok || error_set(error, ATOLL_SYSTEM, "cannot write '%.500s': %s", path, strerror(errno));
}

bool file_stage(const char *path, const void *bytes, size_t size, struct staged *staged, struct atoll_error *error)
{
    *staged = (struct staged){0};
    struct stat status;
    bool standard = strcmp(path, "-") == 0, exists = !standard && stat(path, &status) == 0;
    /* An existing file may be reached through a link: the link stays, the file behind it is replaced. */
    staged->target = exists ? realpath(path, NULL) : strdup(path);
    bool ok = staged->target != NULL;
    if (ok && exists && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        ok = false;
    }
    if (ok && (standard || (exists && !S_ISREG(status.st_mode))))
        ok = stage_rest(staged, bytes, size);
    else if (ok && exists && access(path, W_OK) != 0)
        ok = false;
    else if (ok)
        ok = stage_plain(staged, bytes, size, exists ? &status : NULL);
    if (ok)
        return true;
    error_set(error, ATOLL_SYSTEM, "cannot write '%.500s': %s", path, strerror(errno));
    file_discard(staged);
    return false;
}

bool file_commit(struct staged *staged, struct atoll_error *error)
{
    bool ok;
    if (staged->temporary) {
        ok = rename(staged->temporary, staged->target) == 0;
        if (ok) {
            free(staged->temporary);
            staged->temporary = NULL;
        }
    } else {
        bool standard = strcmp(staged->target, "-") == 0;
        int fd = standard ? STDOUT_FILENO : open(staged->target, O_WRONLY | O_CLOEXEC);
        ok = fd >= 0 && write_all(fd, staged->rest.bytes, staged->rest.size);
        if (fd >= 0 && !standard && close(fd) != 0)
            ok = false;
    }
    return ok || error_set(error, ATOLL_SYSTEM, "cannot write '%.500s': %s", staged->target, strerror(errno));
}

void file_discard(struct staged *staged)
{
    if (staged->temporary)
        unlink(staged->temporary);
    free(staged->temporary);
    free(staged->target);
    blob_free(&staged->rest);
    *staged = (struct staged){0};
}

bool file_write(const char *path, const void *bytes, size_t size, struct atoll_error *error)
{
    struct staged staged;
    if (strcmp(path, "-") == 0) /* nothing to take back: no copy needs to wait */
        return write_all(STDOUT_FILENO, bytes, size) ||
               error_set(error, ATOLL_SYSTEM, "cannot write '-': %s", strerror(errno));
    bool ok = file_stage(path, bytes, size, &staged, error) && file_commit(&staged, error);
    file_discard(&staged);
    return ok;
}

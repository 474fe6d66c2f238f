/* Object code on the disk. It is executed, so only what nobody but the user can have written is taken, and nothing that
 * is not whole. */
#define _GNU_SOURCE /* secure_getenv */
#include "engine/jit/cache.h"

#include "base/sha256.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CACHE_NEW "new-" /* names of files that are not whole yet begin so */

enum { NAME_BYTES = 2 * CACHE_KEY + 1, VERSION = 1, PATH_ROOM = 4096, ATTEMPTS = 16, STALE = 3600 /* seconds */ };

/* What an entry begins with. Every bit of it is known when it is read. */
struct head {
    char mark[8];
    uint32_t version, zero;
    uint64_t size;
    uint8_t key[CACHE_KEY], hash[SHA256_BYTES];
};

static void make_head(const uint8_t key[CACHE_KEY], const void *bytes, size_t size, struct head *head)
{
    struct sha256 sha;
    *head = (struct head){.mark = "atollobj", .version = VERSION, .size = size};
    memcpy(head->key, key, CACHE_KEY);
    sha256_begin(&sha);
    sha256_add(&sha, bytes, size);
    sha256_end(&sha, head->hash);
}

static void make_name(const uint8_t key[CACHE_KEY], char name[NAME_BYTES])
{
    for (unsigned i = 0; i < CACHE_KEY; i++)
        snprintf(name + 2 * (size_t)i, 3, "%02x", key[i]);
}

static bool is_name(const char *name)
{
    return strlen(name) == NAME_BYTES - 1 && strspn(name, "0123456789abcdef") == NAME_BYTES - 1;
}

/* ---- the folder ------------------------------------------------------------------------------------------------ */

/* Nobody else can have changed it. */
static bool is_own(const struct stat *file)
{
    return file->st_uid == geteuid() && !(file->st_mode & (S_IWGRP | S_IWOTH));
}

/* Where the variables say; `parent` may have to be made first. False: there is no cache. A program that has more rights
 * than its caller sees none of the variables. */
static bool folder_path(char parent[PATH_ROOM], char path[PATH_ROOM])
{
    const char *given = secure_getenv("ATOLL_CACHE"), *xdg = secure_getenv("XDG_CACHE_HOME"),
               *home = secure_getenv("HOME");
    int n = 0, m = 1;
    parent[0] = 0;
    if (given)
        n = snprintf(path, PATH_ROOM, "%s", given);
    else {
        if (xdg && *xdg == '/') /* relative ones are to be ignored: XDG Base Directory Specification */
            m = snprintf(parent, PATH_ROOM, "%s", xdg);
        else if (home && *home == '/')
            m = snprintf(parent, PATH_ROOM, "%s/.cache", home);
        if (parent[0] && m < PATH_ROOM)
            n = snprintf(path, PATH_ROOM, "%s/atoll", parent);
    }
    return n > 0 && n < PATH_ROOM && m < PATH_ROOM;
}

bool cache_has_place(void)
{
    char parent[PATH_ROOM], path[PATH_ROOM];
    return folder_path(parent, path);
}

/* -1: there is no cache. */
static int folder_open(bool make)
{
    char parent[PATH_ROOM], path[PATH_ROOM];
    struct stat folder;
    if (!folder_path(parent, path))
        return -1;
    if (make && parent[0])
        mkdir(parent, 0700);
    if (make)
        mkdir(path, 0700);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, &folder) != 0 || !is_own(&folder))) {
        close(fd);
        return -1;
    }
    return fd;
}

/* ---- finding --------------------------------------------------------------------------------------------------- */

static bool read_all(int file, void *bytes, size_t size)
{
    for (char *at = bytes; size > 0;) {
        ssize_t n = read(file, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool read_entry(int file, const uint8_t key[CACHE_KEY], void **bytes, size_t *size)
{
    struct stat about;
    struct head head, wanted;
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode) || !is_own(&about) || about.st_size <= (off_t)sizeof head ||
        about.st_size > (off_t)sizeof head + CACHE_LARGEST)
        return false;
    *size = (size_t)about.st_size - sizeof head;
    *bytes = malloc(*size);
    if (*bytes && read_all(file, &head, sizeof head) && read_all(file, *bytes, *size)) {
        make_head(key, *bytes, *size, &wanted);
        if (memcmp(&head, &wanted, sizeof head) == 0)
            return true;
    }
    free(*bytes);
    *bytes = NULL;
    return false;
}

bool cache_find(const uint8_t key[CACHE_KEY], void **bytes, size_t *size)
{
    char name[NAME_BYTES];
    int folder = folder_open(false), file = -1;
    *bytes = NULL;
    *size = 0;
    make_name(key, name);
    if (folder >= 0) /* not to be waited for, should it be a pipe */
        file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool ok = file >= 0 && read_entry(file, key, bytes, size);
    if (ok)
        futimens(file, NULL); /* it was used: others go before it */
    if (file >= 0)
        close(file);
    if (folder >= 0)
        close(folder);
    return ok;
}

/* ---- what goes ------------------------------------------------------------------------------------------------- */

struct entry {
    struct timespec used;
    uint64_t size;
    char name[NAME_BYTES];
};

struct entries {
    struct entry *at;
    size_t count, room;
    uint64_t size;
};

static int by_age(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    return x->used.tv_nsec < y->used.tv_nsec ? -1 : x->used.tv_nsec > y->used.tv_nsec;
}

static void entries_add(struct entries *entries, const char *name, const struct stat *file)
{
    if (entries->count == entries->room) {
        size_t room = entries->room ? 2 * entries->room : 64;
        struct entry *more = realloc(entries->at, room * sizeof *more);
        if (!more)
            return;
        entries->at = more;
        entries->room = room;
    }
    struct entry *entry = &entries->at[entries->count++];
    *entry = (struct entry){.used = file->st_mtim, .size = ((uint64_t)file->st_size + 4095) & ~UINT64_C(4095)};
    memcpy(entry->name, name, NAME_BYTES);
    entries->size += entry->size;
}

/* All entries. What a process left that ended while it wrote goes. */
static void entries_list(int folder, DIR *dir, struct entries *entries)
{
    struct stat file;
    time_t now = time(NULL);
    for (const struct dirent *one; (one = readdir(dir));) {
        bool fresh = strncmp(one->d_name, CACHE_NEW, sizeof CACHE_NEW - 1) == 0;
        if ((!fresh && !is_name(one->d_name)) || fstatat(folder, one->d_name, &file, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(file.st_mode))
            continue;
        if (!fresh)
            entries_add(entries, one->d_name, &file);
        else if (file.st_mtim.tv_sec < now - STALE)
            unlinkat(folder, one->d_name, 0);
    }
}

/* Room for some more once it is full, so that not every store looks for what is oldest. */
static void folder_trim(int folder)
{
    struct entries entries = {0};
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = again >= 0 ? fdopendir(again) : NULL;
    if (!dir) {
        if (again >= 0)
            close(again);
        return;
    }
    entries_list(folder, dir, &entries);
    closedir(dir);
    if (entries.size > CACHE_MOST) {
        qsort(entries.at, entries.count, sizeof *entries.at, by_age);
        for (size_t i = 0; i < entries.count && entries.size > CACHE_MOST / 4 * 3; i++) {
            unlinkat(folder, entries.at[i].name, 0);
            entries.size -= entries.at[i].size;
        }
    }
    free(entries.at);
}

/* ---- keeping --------------------------------------------------------------------------------------------------- */

static bool write_all(int file, const void *bytes, size_t size)
{
    for (const char *at = bytes; size > 0;) {
        ssize_t n = write(file, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

/* A new file; -1: none. */
static int fresh_open(int folder, char name[NAME_BYTES])
{
    struct timespec now;
    int file = -1;
    for (unsigned i = 0; i < ATTEMPTS && file < 0; i++) {
        clock_gettime(CLOCK_REALTIME, &now);
        snprintf(name, NAME_BYTES, CACHE_NEW "%lx-%llx-%lx", (long)getpid(), (long long)now.tv_sec, now.tv_nsec);
        file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (file < 0 && errno != EEXIST)
            break;
    }
    return file;
}

static void store(int folder, const struct head *head, const void *bytes)
{
    char fresh[NAME_BYTES], name[NAME_BYTES];
    int file = fresh_open(folder, fresh);
    if (file < 0)
        return;
    make_name(head->key, name);
    bool ok = write_all(file, head, sizeof *head) && write_all(file, bytes, (size_t)head->size);
    ok = close(file) == 0 && ok;
    if (!ok || renameat(folder, fresh, folder, name) != 0)
        unlinkat(folder, fresh, 0);
    else
        folder_trim(folder);
}

void cache_store(const uint8_t key[CACHE_KEY], const void *bytes, size_t size)
{
    struct head head;
    struct rlimit most; /* whoever writes beyond it is ended */
    if (size == 0 || size > CACHE_LARGEST || getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur < sizeof head + size)
        return;
    int folder = folder_open(true);
    if (folder < 0)
        return;
    make_head(key, bytes, size, &head);
    store(folder, &head, bytes);
    close(folder);
}

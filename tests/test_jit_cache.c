/* The cache of compiled code: what is kept comes back, and nothing else does - neither what is damaged nor what others
 * could have written -, whatever the folder is and however many write to it. */
#include "base/sha256.h"
#include "engine/jit/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATH = 300, SMALL = 500 };

struct fixture {
    char folder[64], cache[100]; /* a temporary one; that of the cache in it */
};

static void key_make(unsigned n, uint8_t key[CACHE_KEY])
{
    struct sha256 sha;
    sha256_begin(&sha);
    sha256_add(&sha, &n, sizeof n);
    sha256_end(&sha, key);
}

/* What code n looks like: its key says all. */
static void code_make(unsigned n, unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)((i * 167 + n * 31) >> (n % 3));
}

static void keep(unsigned n, size_t size)
{
    uint8_t key[CACHE_KEY];
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    key_make(n, key);
    code_make(n, bytes, size);
    cache_store(key, bytes, size);
    free(bytes);
}

/* Whether code n is there; it must be right then. */
static bool there(unsigned n, size_t size)
{
    uint8_t key[CACHE_KEY];
    unsigned char *wanted = malloc(size);
    void *bytes;
    size_t found;
    key_make(n, key);
    if (!wanted || !cache_find(key, &bytes, &found)) {
        free(wanted);
        return false;
    }
    code_make(n, wanted, size);
    bool same = found == size && memcmp(bytes, wanted, size) == 0;
    free(bytes);
    free(wanted);
    if (!same)
        fail_msg("code %u came back otherwise", n);
    return true;
}

static void entry_path(const struct fixture *f, unsigned n, char path[PATH])
{
    uint8_t key[CACHE_KEY];
    key_make(n, key);
    int at = snprintf(path, PATH, "%s/", f->cache);
    for (unsigned i = 0; i < CACHE_KEY; i++)
        at += snprintf(path + at, (size_t)(PATH - at), "%02x", key[i]);
}

static void clear(const char *folder)
{
    char path[PATH];
    DIR *dir = opendir(folder);
    for (const struct dirent *one; dir && (one = readdir(dir));) {
        if (one->d_name[0] == '.' && (!one->d_name[1] || one->d_name[1] == '.'))
            continue;
        assert_true(snprintf(path, sizeof path, "%.100s/%.190s", folder, one->d_name) < (int)sizeof path);
        struct stat about;
        if (lstat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
            clear(path);
            rmdir(path);
        } else
            unlink(path);
    }
    if (dir)
        closedir(dir);
}

static int start(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    if (!f)
        return -1;
    strcpy(f->folder, "/tmp/atoll-cache-XXXXXX");
    if (!mkdtemp(f->folder))
        return -1;
    snprintf(f->cache, sizeof f->cache, "%s/cache", f->folder);
    setenv("ATOLL_CACHE", f->cache, 1);
    *state = f;
    return 0;
}

static int stop(void **state)
{
    struct fixture *f = *state;
    clear(f->folder);
    rmdir(f->folder);
    free(f);
    return 0;
}

static mode_t mode_of(const char *path)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return about.st_mode & 07777;
}

/* ---- the hash: examples of FIPS 180-4 --------------------------------------------------------------------------- */

static void hash_is(const char *text, size_t times, const char *wanted)
{
    struct sha256 sha;
    uint8_t hash[SHA256_BYTES];
    char hex[2 * SHA256_BYTES + 1];
    sha256_begin(&sha);
    for (size_t i = 0; i < times; i++)
        sha256_add(&sha, text, strlen(text));
    sha256_end(&sha, hash);
    for (size_t i = 0; i < SHA256_BYTES; i++)
        snprintf(hex + 2 * i, 3, "%02x", hash[i]);
    assert_string_equal(hex, wanted);
}

static void hashes_are_those_of_the_standard(void **state)
{
    (void)state;
    hash_is("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    hash_is("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    hash_is("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    hash_is("aaaaaaaaaaaaaaaaaaaaaaaaa", 40000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    for (size_t n = 0; n < 130; n++) { /* in one piece and in bytes */
        unsigned char bytes[130];
        struct sha256 whole, parts;
        uint8_t a[SHA256_BYTES], b[SHA256_BYTES];
        code_make((unsigned)n, bytes, n);
        sha256_begin(&whole), sha256_begin(&parts);
        sha256_add(&whole, bytes, n);
        for (size_t i = 0; i < n; i++)
            sha256_add(&parts, bytes + i, 1);
        sha256_end(&whole, a), sha256_end(&parts, b);
        assert_memory_equal(a, b, sizeof a);
    }
}

/* ---- what is kept ------------------------------------------------------------------------------------------------ */

static void code_is_kept(void **state)
{
    const struct fixture *f = *state;
    char path[PATH];
    assert_false(there(1, SMALL)); /* nothing is made by looking */
    assert_int_equal(access(f->cache, F_OK), -1);
    umask(0);
    keep(1, SMALL);
    keep(2, 1);
    umask(022);
    assert_true(there(1, SMALL) && there(2, 1));
    assert_false(there(3, SMALL));
    entry_path(f, 1, path);
    assert_int_equal(mode_of(path), 0600);
    assert_int_equal(mode_of(f->cache), 0700);
    keep(4, 0); /* nobody needs it */
    assert_false(there(4, 1));
}

static void folders_are_those_of_the_variables(void **state)
{
    struct fixture *f = *state;
    char path[PATH];
    unsetenv("ATOLL_CACHE");
    snprintf(path, sizeof path, "%s/xdg", f->folder);
    setenv("XDG_CACHE_HOME", path, 1);
    setenv("HOME", f->folder, 1);
    keep(1, SMALL);
    assert_true(there(1, SMALL));
    snprintf(f->cache, sizeof f->cache, "%s/xdg/atoll", f->folder);
    entry_path(f, 1, path);
    assert_int_equal(mode_of(path), 0600);
    setenv("XDG_CACHE_HOME", "relative", 1); /* not to be heard */
    assert_false(there(1, SMALL));
    keep(2, SMALL);
    assert_true(there(2, SMALL));
    snprintf(f->cache, sizeof f->cache, "%s/.cache/atoll", f->folder);
    entry_path(f, 2, path);
    assert_int_equal(mode_of(path), 0600);
    unsetenv("XDG_CACHE_HOME");
    assert_true(there(2, SMALL));
    setenv("ATOLL_CACHE", "", 1);
    keep(3, SMALL);
    assert_false(there(2, SMALL) || there(3, SMALL));
    unsetenv("ATOLL_CACHE");
    unsetenv("HOME");
    keep(3, SMALL);
    assert_false(there(2, SMALL) || there(3, SMALL));
}

static void folders_that_cannot_be_are_no_cache(void **state)
{
    const struct fixture *f = *state;
    char path[PATH], longer[5000];
    snprintf(path, sizeof path, "%s/missing/cache", f->folder);
    memset(longer, 'x', sizeof longer - 1);
    longer[0] = '/', longer[sizeof longer - 1] = 0;
    const char *const wrong[] = {"/dev/null", "/dev/null/cache", "/proc", path, longer};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        setenv("ATOLL_CACHE", wrong[i], 1);
        keep(1, SMALL);
        assert_false(there(1, SMALL));
    }
}

/* ---- lies ---------------------------------------------------------------------------------------------------------
 */

static size_t file_read(const char *path, unsigned char *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t n = fread(bytes, 1, room, file);
    fclose(file);
    return n;
}

static void file_write(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void damaged_entries_are_not_there(void **state)
{
    const struct fixture *f = *state;
    unsigned char bytes[1000];
    char path[PATH], other[PATH];
    keep(1, SMALL);
    entry_path(f, 1, path);
    entry_path(f, 2, other);
    size_t size = file_read(path, bytes, sizeof bytes);
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= (unsigned char)(1u << (i % 8));
        file_write(path, bytes, size);
        assert_false(there(1, SMALL));
        bytes[i] ^= (unsigned char)(1u << (i % 8));
        file_write(path, bytes, i);
        assert_false(there(1, SMALL));
    }
    file_write(path, bytes, size + 1);
    assert_false(there(1, SMALL));
    file_write(path, bytes, size);
    assert_true(there(1, SMALL));
    file_write(other, bytes, size); /* of another kernel */
    chmod(other, 0600);
    assert_false(there(2, SMALL));
    keep(2, SMALL); /* what is wrong is replaced */
    assert_true(there(2, SMALL));
}

static void what_others_can_write_is_not_taken(void **state)
{
    const struct fixture *f = *state;
    char path[PATH], away[PATH];
    keep(1, SMALL);
    entry_path(f, 1, path);
    for (mode_t bit = 020; bit; bit = bit == 020 ? 002 : 0) {
        assert_int_equal(chmod(path, 0600 | bit), 0);
        assert_false(there(1, SMALL));
        chmod(path, 0600);
        assert_true(there(1, SMALL));
        assert_int_equal(chmod(f->cache, 0700 | bit), 0);
        assert_false(there(1, SMALL));
        keep(5, SMALL);
        chmod(f->cache, 0700);
        assert_false(there(5, SMALL));
    }
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 65534, 65534), 0);
        assert_false(there(1, SMALL));
        keep(1, SMALL);
        assert_int_equal(chown(f->cache, 65534, 65534), 0);
        assert_false(there(1, SMALL));
        assert_int_equal(chown(f->cache, 0, 0), 0);
        assert_true(there(1, SMALL));
    }
    snprintf(away, sizeof away, "%s/away", f->folder); /* links: to an entry, and to a folder */
    assert_int_equal(rename(path, away), 0);
    assert_int_equal(symlink(away, path), 0);
    assert_false(there(1, SMALL));
    keep(1, SMALL); /* replaces the link, not what it leads to */
    assert_true(there(1, SMALL));
    assert_int_equal(truncate(away, 3), 0);
    assert_true(there(1, SMALL));
    snprintf(away, sizeof away, "%s/link", f->folder);
    assert_int_equal(symlink(f->cache, away), 0);
    setenv("ATOLL_CACHE", away, 1);
    assert_false(there(1, SMALL));
}

static void entries_that_are_no_files_are_not_there(void **state)
{
    const struct fixture *f = *state;
    char path[PATH];
    keep(1, SMALL);
    entry_path(f, 2, path);
    assert_int_equal(mkfifo(path, 0600), 0); /* nobody waits for it */
    assert_false(there(2, SMALL));
    keep(2, SMALL);
    assert_true(there(2, SMALL));
    entry_path(f, 3, path);
    assert_int_equal(mkdir(path, 0700), 0);
    keep(3, SMALL);
    assert_false(there(3, SMALL));
    entry_path(f, 4, path);
    file_write(path, (const unsigned char *)"", 0);
    assert_int_equal(truncate(path, (off_t)1 << 40), 0); /* 1 TiB of nothing is not read */
    assert_false(there(4, SMALL));
}

/* ---- room ---------------------------------------------------------------------------------------------------------
 */

static unsigned long long bytes_of(const char *folder, unsigned *files)
{
    char path[PATH];
    unsigned long long sum = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    *files = 0;
    for (const struct dirent *one; (one = readdir(dir));) {
        struct stat about;
        assert_true(snprintf(path, sizeof path, "%.100s/%.190s", folder, one->d_name) < (int)sizeof path);
        if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
            continue;
        sum += (unsigned long long)about.st_size;
        ++*files;
    }
    closedir(dir);
    return sum;
}

static void used_at(const struct fixture *f, unsigned n, time_t seconds)
{
    char path[PATH];
    struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    entry_path(f, n, path);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void the_oldest_go(void **state)
{
    const struct fixture *f = *state;
    enum { EACH = 15 << 20, OLD = 1000000 };
    unsigned files;
    char stale[PATH], other[PATH];
    snprintf(stale, sizeof stale, "%s/new-1-2-3", f->cache);
    snprintf(other, sizeof other, "%s/notes", f->cache);
    for (unsigned n = 1; n <= 4; n++) {
        keep(n, EACH);
        used_at(f, n, OLD + n);
    }
    for (int i = 0; i < 2; i++) { /* left by a process that ended; somebody else's */
        file_write(i ? other : stale, (const unsigned char *)"x", 1);
        struct timespec times[2] = {{.tv_sec = OLD}, {.tv_sec = OLD}};
        utimensat(AT_FDCWD, i ? other : stale, times, 0);
    }
    assert_true(there(1, EACH)); /* used: the newest now */
    keep(5, EACH);
    assert_true(bytes_of(f->cache, &files) <= CACHE_MOST);
    assert_true(there(1, EACH) && there(4, EACH) && there(5, EACH));
    assert_false(there(2, EACH) || there(3, EACH));
    assert_int_equal(access(stale, F_OK), -1);
    assert_int_equal(access(other, F_OK), 0);
    keep(6, CACHE_LARGEST + 1);
    assert_false(there(6, CACHE_LARGEST + 1));
}

/* Files of a process may not be as large: writing one would end it. */
static void no_room_is_no_cache(void **state)
{
    const struct fixture *f = *state;
    unsigned files;
    int status;
    keep(1, SMALL);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit small = {SMALL, SMALL};
        setrlimit(RLIMIT_FSIZE, &small);
        keep(2, SMALL);
        keep(3, 10);
        _exit(there(1, SMALL) && !there(2, SMALL) && there(3, 10) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    bytes_of(f->cache, &files);
    assert_int_equal(files, 2);
}

/* ---- at the same time ---------------------------------------------------------------------------------------------
 */

enum { KEYS = 3, ROUNDS = 150, THREADS = 3, PROCESSES = 3, LARGE = 40000 };

static void *hammer(void *argument)
{
    unsigned seed = *(const unsigned *)argument, found = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned n = (i * 7 + seed) % KEYS;
        if ((i + seed) % 2)
            keep(n, LARGE);
        found += there(n, LARGE); /* right, or not there */
    }
    return found ? argument : NULL;
}

static int hammer_all(unsigned process)
{
    pthread_t threads[THREADS];
    unsigned seeds[THREADS];
    int ok = 1;
    for (unsigned i = 0; i < THREADS; i++) {
        seeds[i] = process * THREADS + i;
        ok &= pthread_create(&threads[i], NULL, hammer, &seeds[i]) == 0;
    }
    for (unsigned i = 0; i < THREADS; i++) {
        void *found = NULL;
        ok &= pthread_join(threads[i], &found) == 0 && found;
    }
    return ok;
}

static void many_write_at_the_same_time(void **state)
{
    const struct fixture *f = *state;
    pid_t children[PROCESSES];
    unsigned files;
    for (unsigned i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] == 0)
            _exit(!hammer_all(i));
        assert_true(children[i] > 0);
    }
    for (unsigned i = 0; i < PROCESSES; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    for (unsigned n = 0; n < KEYS; n++)
        assert_true(there(n, LARGE));
    bytes_of(f->cache, &files);
    assert_int_equal(files, KEYS);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(hashes_are_those_of_the_standard),
        T(code_is_kept),
        T(folders_are_those_of_the_variables),
        T(folders_that_cannot_be_are_no_cache),
        T(damaged_entries_are_not_there),
        T(what_others_can_write_is_not_taken),
        T(entries_that_are_no_files_are_not_there),
        T(the_oldest_go),
        T(no_room_is_no_cache),
        T(many_write_at_the_same_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

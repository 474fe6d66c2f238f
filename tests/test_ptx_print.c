/* The canonical text: goldens, and for every PTX file at hand: printing is a fixpoint, and ptxas (where it is
 * installed) accepts the canonical text of what it accepts. */
#include "ptx_text.h"

#include <dirent.h>
#include <unistd.h>

#include "skip.h"

static char *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    struct text text = {0};
    char piece[65536];
    if (!file)
        return NULL;
    text_puts(&text, "");
    for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;)
        text_add(&text, piece, got);
    fclose(file);
    assert_true(text_ok(&text));
    *size = text.length;
    return text.bytes;
}

/* Canonical text of a module; NULL and messages on stderr when it does not parse. */
static char *canonical(const char *name, const char *source, size_t size)
{
    struct parsed p;
    struct text out = {0};
    parse_bytes(&p, source, size);
    if (p.diag.errors)
        fprintf(stderr, "%s:\n%s%s", name, p.messages.bytes, p.texts.bytes);
    else
        ptx_print(p.module, &out);
    assert_true(text_ok(&out));
    parsed_free(&p);
    return out.bytes;
}

static void golden(const char *name)
{
    char path[1000];
    size_t size, wanted_size;
    snprintf(path, sizeof path, DATA_DIR "/ptx/%s.ptx", name);
    char *source = read_whole(path, &size);
    snprintf(path, sizeof path, DATA_DIR "/ptx/%s.canonical", name);
    char *wanted = read_whole(path, &wanted_size);
    assert_true(source && wanted);
    char *printed = canonical(name, source, size);
    assert_non_null(printed);
    assert_string_equal(printed, wanted);
    char *again = canonical(name, printed, strlen(printed));
    assert_non_null(again);
    assert_string_equal(printed, again);
    free(source);
    free(wanted);
    free(printed);
    free(again);
}

static void goldens(void **state)
{
    (void)state;
    golden("declarations");
    golden("instructions");
}

/* ---- ptxas ---- */

static const char *ptxas(void)
{
    static const char *const places[] = {"/usr/local/cuda/bin/ptxas", "/usr/bin/ptxas"};
    const char *named = getenv("ATOLL_PTXAS");
    if (named)
        return named;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (access(places[i], X_OK) == 0)
            return places[i];
    return NULL;
}

/* Assembles for the oldest target that today's ptxas knows, or the module's own. */
static bool assembles(const char *tool, const char *source, size_t size)
{
    char path[] = "/tmp/atoll-ptx-XXXXXX", command[400];
    const char *target = strstr(source, ".target sm_");
    int sm = target ? atoi(target + 11) : 75;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, source, size), (ssize_t)size);
    close(fd);
    snprintf(command, sizeof command, "'%s' -c -O0 -arch=sm_%d -o /dev/null '%s' >/dev/null 2>&1", tool,
             sm < 75 ? 75 : sm, path);
    bool good = system(command) == 0;
    unlink(path);
    return good;
}

/* ---- every file ---- */

struct tally {
    unsigned files, wrong, assembled;
    bool use_ptxas;
};

static void check_file(const char *path, struct tally *tally)
{
    size_t size;
    char *source = read_whole(path, &size);
    assert_non_null(source);
    char *first = canonical(path, source, size), *second = first ? canonical(path, first, strlen(first)) : NULL;
    tally->files++;
    bool good = first && second && strcmp(first, second) == 0;
    const char *tool = ptxas();
    if (good && tally->use_ptxas && tool && assembles(tool, source, size)) {
        tally->assembled++;
        good = assembles(tool, first, strlen(first));
    }
    if (!good)
        fprintf(stderr, "%s: the canonical text is not a fixpoint, or is refused\n", path);
    tally->wrong += !good;
    free(source);
    free(first);
    free(second);
}

static void check_directory(const char *directory, struct tally *tally)
{
    DIR *open = opendir(directory);
    if (!open)
        return;
    for (struct dirent *entry; (entry = readdir(open)) != NULL;) {
        char path[2000];
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 4, ".ptx") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        check_file(path, tally);
    }
    closedir(open);
}

static void printing_is_a_fixpoint(void **state)
{
    (void)state;
    struct tally tally = {0};
    check_directory(DATA_DIR "/kernels", &tally);
    check_directory(EXAMPLES_DIR, &tally);
    check_directory(SHARED_DIR "/sass/kernels", &tally);
    check_directory(SHARED_DIR "/ptx", &tally);
    assert_true(tally.files >= 40);
    assert_int_equal(tally.wrong, 0);
}

static void ptxas_accepts_it(void **state)
{
    (void)state;
    if (!ptxas()) {
        skip_because("no ptxas; ATOLL_PTXAS names one");
        return;
    }
    struct tally tally = {.use_ptxas = true};
    check_directory(DATA_DIR "/kernels", &tally);
    check_directory(DATA_DIR "/ptx", &tally);
    assert_true(tally.assembled >= 30);
    assert_int_equal(tally.wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goldens),
        cmocka_unit_test(printing_is_a_fixpoint),
        cmocka_unit_test(ptxas_accepts_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

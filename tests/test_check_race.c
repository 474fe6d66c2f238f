/* The race check on planted faults: tests/data/checks/race has CUDA kernels in a wrong and a right version, and the PTX
 * that nvcc makes of them. The head of a file says what is found in the wrong one: causes, and the lines of both places
 * by their marks ("//@A"). Nothing is found in the right one, in any order. */
#include <dirent.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "atoll.h"

#include "base/hard.h"

enum { FOLDER = 600, PATH = 900, TEXT = 1 << 20, WORDS = 4096, SIDE = 64, LINES = 26, SEEDS = 12, FINDINGS = 16 };

struct found {
    char cause[40];
    uint32_t lines[2];
};

struct result {
    struct found found[FINDINGS];
    unsigned count;
    char messages[4000];
};

static void add(void *user, const struct atoll_finding *f)
{
    struct result *result = user;
    size_t length = strlen(result->messages);
    assert_true(result->count < FINDINGS && f->nsides == 2 && f->count > 0);
    assert_string_equal(f->check, "race");
    struct found *found = &result->found[result->count++];
    snprintf(found->cause, sizeof found->cause, "%s", f->cause);
    for (unsigned i = 0; i < 2; i++) { /* of inlined functions the place in the kernel */
        assert_true(f->sides[i].nplaces > 0);
        found->lines[i] = f->sides[i].places[f->sides[i].nplaces - 1].line;
    }
    snprintf(result->messages + length, sizeof result->messages - length, "  %s\n", f->message);
}

/* ---- files ----------------------------------------------------------------------------------------------------- */

static char *read_file(const char *name, const char *ending)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/checks/race/%s%s", DATA_DIR, name, ending);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot read %s", path);
    char *text = calloc(1, TEXT);
    assert_non_null(text);
    assert_true(fread(text, 1, TEXT - 1, file) < TEXT - 1);
    fclose(file);
    return text;
}

/* Lines that end in "//@A" and so on. */
static void marks(const char *text, uint32_t lines[LINES])
{
    uint32_t line = 1;
    memset(lines, 0, LINES * sizeof *lines);
    for (const char *at = text; *at; at++) {
        line += *at == '\n';
        if (strncmp(at, "//@", 3) == 0 && at[3] >= 'A' && at[3] <= 'Z')
            lines[at[3] - 'A'] = line;
    }
}

/* "// wrong: CAUSE A B; CAUSE C D" */
static unsigned expected(const char *text, struct found *out)
{
    uint32_t lines[LINES];
    unsigned count = 0;
    marks(text, lines);
    const char *at = strstr(text, "// wrong: ");
    assert_non_null(at);
    at += strlen("// wrong: ");
    do {
        char a, b;
        at += strspn(at, "; ");
        assert_true(count < FINDINGS);
        assert_int_equal(sscanf(at, "%39s %c %c", out[count].cause, &a, &b), 3);
        out[count].lines[0] = lines[a - 'A'];
        out[count].lines[1] = lines[b - 'A'];
        assert_true(out[count].lines[0] && out[count].lines[1]);
        count++;
        at += strcspn(at, ";\n");
    } while (*at == ';');
    return count;
}

/* ---- runs --------------------------------------------------------------------------------------------------- */

/* Two arrays of WORDS, and a surface whose texels are the second one's bytes. Returns how often something was found
 * that was not told. */
static uint64_t run(const char *text, const char *kernel, struct atoll_launch_options launch, struct result *result)
{
    struct atoll_error error = {0};
    struct atoll_device *device;
    struct atoll_module *module;
    struct atoll_kernel *k;
    struct atoll_surface *surface;
    struct atoll_stats stats;
    struct atoll_module_options options = {.file = "k.ptx"};
    struct atoll_surface_desc desc = {.dimension = ATOLL_DIM_2D, .width = SIDE, .height = SIDE, .format = "r32uint"};
    uint64_t parameters[3];
    *result = (struct result){.count = 0};
    assert_true(atoll_device_create(NULL, &device, &error));
    assert_true(atoll_memory_alloc(device, WORDS * 4, &parameters[0], &error));
    assert_true(atoll_memory_alloc(device, WORDS * 4, &parameters[1], &error));
    desc.address = parameters[1];
    assert_true(atoll_surface_create(device, &desc, &surface, &error));
    if (!atoll_module_load(device, text, strlen(text), &options, &module, &error))
        fail_msg("%s", error.message);
    assert_true(atoll_module_kernel(module, kernel, &k, &error));
    parameters[2] = atoll_surface_handle(surface);
    launch.grid[0] = 2;
    launch.block[0] = 64;
    launch.parameters = parameters;
    launch.parameter_bytes = sizeof parameters;
    launch.checks = ATOLL_CHECK_RACE;
    launch.finding = add;
    launch.user = result;
    if (!atoll_launch(k, &launch, &stats, NULL, &error))
        fail_msg("%s", error.message);
    assert_int_equal(stats.findings, result->count);
    atoll_module_destroy(module);
    atoll_surface_destroy(surface);
    atoll_device_destroy(device);
    return stats.findings_untold;
}

static bool same(const struct found *a, const struct found *b)
{
    bool straight = a->lines[0] == b->lines[0] && a->lines[1] == b->lines[1];
    bool turned = a->lines[0] == b->lines[1] && a->lines[1] == b->lines[0];
    return strcmp(a->cause, b->cause) == 0 && (straight || turned);
}

static unsigned wrong_one(const char *name, const char *text, const char *source)
{
    /* It is found by who comes second: in the hard build's order both come first. */
    if (HARD(false, true) && strcmp(name, "double_checked") == 0)
        return 0;
    struct found wanted[FINDINGS];
    struct result result;
    unsigned count = expected(source, wanted), missing = 0;
    run(text, "wrong", (struct atoll_launch_options){.cooperative = true, .order = ATOLL_ORDER_DETERMINISTIC}, &result);
    for (unsigned i = 0; i < count; i++) {
        bool there = false;
        for (unsigned k = 0; k < result.count; k++)
            there |= same(&wanted[i], &result.found[k]);
        missing += !there;
        if (!there)
            print_error("%s: not found: %s, lines %u and %u\n", name, wanted[i].cause, wanted[i].lines[0],
                        wanted[i].lines[1]);
    }
    if (missing || result.count != count)
        print_error("%s: %u findings, wanted %u:\n%s", name, result.count, count, result.messages);
    return missing || result.count != count;
}

static unsigned right_one(const char *name, const char *text)
{
    struct result result;
    struct atoll_launch_options launch = {.cooperative = true, .order = ATOLL_ORDER_DETERMINISTIC};
    unsigned breaks = 0;
    for (unsigned seed = 0; seed <= SEEDS; seed++) {
        run(text, "right", launch, &result);
        if (result.count)
            print_error("%s: right, but found with seed %u:\n%s", name, seed, result.messages);
        breaks += result.count != 0;
        launch = (struct atoll_launch_options){.order = ATOLL_ORDER_SEEDED, .seed = seed};
    }
    return breaks;
}

static int is_source(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".cu") == 0;
}

static void test_planted(void **state)
{
    char folder[FOLDER];
    struct dirent **names;
    unsigned breaks = 0;
    (void)state;
    snprintf(folder, sizeof folder, "%s/checks/race", DATA_DIR);
    int count = scandir(folder, &names, is_source, alphasort);
    assert_true(count >= 16);
    for (int i = 0; i < count; i++) {
        *strrchr(names[i]->d_name, '.') = 0;
        char *source = read_file(names[i]->d_name, ".cu"), *text = read_file(names[i]->d_name, ".ptx");
        breaks += wrong_one(names[i]->d_name, text, source) + right_one(names[i]->d_name, text);
        free(source);
        free(text);
        free(names[i]);
    }
    free(names);
    assert_int_equal(breaks, 0);
}

/* ---- limits -------------------------------------------------------------------------------------------------- */

/* Findings beyond the limit are counted, not told. */
static void test_bounded(void **state)
{
    struct result result;
    (void)state;
    char *text = read_file("flag_weak", ".ptx");
    struct atoll_launch_options launch = {.cooperative = true, .order = ATOLL_ORDER_DETERMINISTIC, .max_findings = 1};
    assert_int_equal(run(text, "wrong", launch, &result), 1);
    assert_int_equal(result.count, 1);
    free(text);
}

/* What checks keep counts against the device's limit; a launch without checks takes none of it. */
static void test_memory(void **state)
{
    static const char kernel[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
                                 ".reg .b64 %rd<4>;\n.reg .b32 %r<4>;\nld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\n"
                                 "mov.u32 %r2, %ctaid.x;\nmad.lo.u32 %r1, %r2, 256, %r1;\nmad.wide.u32 %rd2, %r1, 4, "
                                 "%rd1;\nst.global.u32 [%rd2], %r1;\nret;\n}\n";
    struct atoll_device_options options = {.memory_limit = 5 << 20};
    struct atoll_error error;
    struct atoll_device *device;
    struct atoll_module *module;
    struct atoll_kernel *k;
    uint64_t address;
    (void)state;
    assert_true(atoll_device_create(&options, &device, &error));
    assert_true(atoll_memory_alloc(device, 4 << 20, &address, &error));
    assert_true(atoll_module_load(device, kernel, sizeof kernel - 1, NULL, &module, &error));
    assert_true(atoll_module_kernel(module, "k", &k, &error));
    struct atoll_launch_options launch = {
        .grid = {4096}, .block = {256}, .parameters = &address, .parameter_bytes = sizeof address};
    assert_true(atoll_launch(k, &launch, NULL, NULL, &error));
    launch.checks = ATOLL_CHECK_RACE;
    assert_false(atoll_launch(k, &launch, NULL, NULL, &error));
    assert_int_equal(error.status, ATOLL_MEMORY);
    assert_non_null(strstr(error.message, "checks"));
    launch.grid[0] = 16;
    assert_true(atoll_launch(k, &launch, NULL, NULL, &error));
    launch.checks = 1u << 20;
    assert_false(atoll_launch(k, &launch, NULL, NULL, &error));
    assert_int_equal(error.status, ATOLL_USAGE);
    atoll_module_destroy(module);
    atoll_device_destroy(device);
}

/* ---- names --------------------------------------------------------------------------------------------------- */

static void test_names(void **state)
{
    struct atoll_error error;
    unsigned checks = 0;
    (void)state;
    assert_string_equal(atoll_check_name(0), "race");
    assert_null(atoll_check_name(100));
    assert_true(atoll_check_find("race", &checks, &error));
    assert_int_equal(checks, ATOLL_CHECK_RACE);
    assert_true(atoll_check_find("all,race", &checks, &error));
    assert_int_equal(checks, ATOLL_CHECK_ALL);
    assert_false(atoll_check_find("race,", &checks, &error));
    assert_int_equal(error.status, ATOLL_USAGE);
    assert_false(atoll_check_find("racer", &checks, &error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted),
        cmocka_unit_test(test_bounded),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

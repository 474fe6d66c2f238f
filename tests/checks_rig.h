/* Checks on planted faults: tests/data/checks/CHECK has CUDA kernels in a wrong and a right version, and the PTX that
 * nvcc makes of them. The head of a file says what is found in the wrong one: causes, and the lines of one or both
 * places by their marks ("//@A"); "// ends: CAUSE" a trap that stops it; "// block: THREADS" how many it is for (64),
 * "// grid: BLOCKS" (2).
 * Nothing is found in the right one, in any order. */
#ifndef ATOLL_TESTS_CHECKS_RIG_H
#define ATOLL_TESTS_CHECKS_RIG_H

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
    uint32_t lines[2]; /* lines[1] is 0 of those with one side */
};

struct result {
    const char *check;
    struct found found[FINDINGS];
    unsigned count;
    char ended[40]; /* the cause of the trap that stopped it */
    char messages[4000];
};

static void add(void *user, const struct atoll_finding *f)
{
    struct result *result = user;
    size_t length = strlen(result->messages);
    assert_true(result->count < FINDINGS && f->nsides >= 1 && f->nsides <= 2 && f->count > 0);
    assert_string_equal(f->check, result->check);
    struct found *found = &result->found[result->count++];
    snprintf(found->cause, sizeof found->cause, "%s", f->cause);
    for (unsigned i = 0; i < f->nsides; i++) { /* of inlined functions the place in the kernel */
        assert_true(f->sides[i].nplaces > 0);
        found->lines[i] = f->sides[i].places[f->sides[i].nplaces - 1].line;
    }
    snprintf(result->messages + length, sizeof result->messages - length, "  %s\n", f->message);
}

/* ---- files ----------------------------------------------------------------------------------------------------- */

static char *read_file(const char *check, const char *name, const char *ending)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/checks/%s/%s%s", DATA_DIR, check, name, ending);
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

/* "// wrong: CAUSE A B; CAUSE C": of two places and of one. */
static unsigned expected(const char *text, struct found *out)
{
    uint32_t lines[LINES];
    unsigned count = 0;
    marks(text, lines);
    const char *at = strstr(text, "// wrong: ");
    assert_non_null(at);
    at += strlen("// wrong: ");
    do {
        char a, b = 0;
        at += strspn(at, "; ");
        assert_true(count < FINDINGS);
        int read = sscanf(at, "%39s %c%*1[ ]%c", out[count].cause, &a, &b);
        assert_true(read >= 2 && a >= 'A' && a <= 'Z');
        out[count].lines[0] = lines[a - 'A'];
        out[count].lines[1] = read == 3 && b >= 'A' && b <= 'Z' ? lines[b - 'A'] : 0;
        assert_true(out[count].lines[0] && (read == 2 || b < 'A' || out[count].lines[1]));
        count++;
        at += strcspn(at, ";\n");
    } while (*at == ';');
    return count;
}

/* "// NAME: WORD" of the head; "" where it is not there. */
static void head_word(const char *text, const char *name, char word[40])
{
    char line[60];
    snprintf(line, sizeof line, "\n// %s: ", name);
    const char *at = strstr(text, line);
    word[0] = 0;
    if (at)
        assert_int_equal(sscanf(at + strlen(line), "%39s", word), 1);
}

static uint32_t head_number(const char *text, const char *name, uint32_t otherwise)
{
    char word[40];
    head_word(text, name, word);
    return word[0] ? (uint32_t)strtoul(word, NULL, 10) : otherwise;
}

/* Two blocks of two warps where it is not said. */
static struct atoll_launch_options shape_of(const char *text)
{
    return (struct atoll_launch_options){.cooperative = true,
                                         .order = ATOLL_ORDER_DETERMINISTIC,
                                         .grid = {head_number(text, "grid", 2)},
                                         .block = {head_number(text, "block", 64)}};
}

/* ---- runs --------------------------------------------------------------------------------------------------- */

/* Two arrays of WORDS, the first of which has zeros and the second is as it comes, and a surface whose texels are the
 * second one's bytes. Returns how often something was found
 * that was not told. */
static uint64_t run_with(const char *check, const char *text, const char *kernel, struct atoll_launch_options launch,
                         void (*told)(void *, const struct atoll_finding *), struct result *result)
{
    static const uint32_t zeros[WORDS];
    struct atoll_error error = {0};
    struct atoll_device *device;
    struct atoll_module *module;
    struct atoll_kernel *k;
    struct atoll_surface *surface;
    struct atoll_stats stats;
    struct atoll_module_options options = {.file = "k.ptx"};
    struct atoll_surface_desc desc = {.dimension = ATOLL_DIM_2D, .width = SIDE, .height = SIDE, .format = "r32uint"};
    uint64_t parameters[3];
    *result = (struct result){.check = check};
    assert_true(atoll_device_create(NULL, &device, &error));
    assert_true(atoll_memory_alloc(device, WORDS * 4, &parameters[0], &error));
    assert_true(atoll_memory_alloc(device, WORDS * 4, &parameters[1], &error));
    assert_true(atoll_memory_write(device, parameters[0], zeros, sizeof zeros, &error));
    desc.address = parameters[1];
    assert_true(atoll_surface_create(device, &desc, &surface, &error));
    if (!atoll_module_load(device, text, strlen(text), &options, &module, &error))
        fail_msg("%s", error.message);
    assert_true(atoll_module_kernel(module, kernel, &k, &error));
    parameters[2] = atoll_surface_handle(surface);
    struct atoll_trap trap;
    launch.grid[0] = launch.grid[0] ? launch.grid[0] : 2;
    launch.block[0] = launch.block[0] ? launch.block[0] : 64;
    launch.parameters = parameters;
    launch.parameter_bytes = sizeof parameters;
    assert_true(atoll_check_find(check, &launch.checks, &error));
    launch.finding = told;
    launch.user = result;
    if (!atoll_launch(k, &launch, &stats, &trap, &error)) {
        if (error.status != ATOLL_TRAP)
            fail_msg("%s", error.message);
        snprintf(result->ended, sizeof result->ended, "%s", trap.cause);
    }
    assert_int_equal(stats.findings, result->count);
    atoll_module_destroy(module);
    atoll_surface_destroy(surface);
    atoll_device_destroy(device);
    return stats.findings_untold_times;
}

static uint64_t run(const char *check, const char *text, const char *kernel, struct atoll_launch_options launch,
                    struct result *result)
{
    return run_with(check, text, kernel, launch, add, result);
}

static bool same(const struct found *a, const struct found *b)
{
    bool straight = a->lines[0] == b->lines[0] && a->lines[1] == b->lines[1];
    bool turned = a->lines[0] == b->lines[1] && a->lines[1] == b->lines[0];
    return strcmp(a->cause, b->cause) == 0 && (straight || turned);
}

static unsigned wrong_one(const char *check, const char *name, const char *text, const char *source)
{
    /* It is found by who comes second: in the hard build's order both come first. */
    if (HARD(false, true) && strcmp(name, "double_checked") == 0)
        return 0;
    struct found wanted[FINDINGS];
    struct result result;
    unsigned count = expected(source, wanted), missing = 0;
    char ends[40];
    head_word(source, "ends", ends);
    struct atoll_launch_options launch = shape_of(source);
    run(check, text, "wrong", launch, &result);
    if (strcmp(result.ended, ends) != 0) {
        print_error("%s: ends with '%s', wanted '%s'\n", name, result.ended, ends);
        missing++;
    }
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

static unsigned right_one(const char *check, const char *name, const char *text, const char *source)
{
    struct result result;
    struct atoll_launch_options launch = shape_of(source);
    unsigned breaks = 0;
    for (unsigned seed = 0; seed <= SEEDS; seed++) {
        run(check, text, "right", launch, &result);
        if (result.count || result.ended[0])
            print_error("%s: right, but found with seed %u:\n%s%s", name, seed, result.messages, result.ended);
        breaks += result.count != 0 || result.ended[0];
        launch.cooperative = false;
        launch.order = ATOLL_ORDER_SEEDED;
        launch.seed = seed;
    }
    return breaks;
}

static int is_source(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".cu") == 0;
}

/* All files of a check, of which there are at least so many. */
static void planted(const char *check, int least)
{
    char folder[FOLDER];
    struct dirent **names;
    unsigned breaks = 0;
    snprintf(folder, sizeof folder, "%s/checks/%s", DATA_DIR, check);
    int count = scandir(folder, &names, is_source, alphasort);
    assert_true(count >= least);
    for (int i = 0; i < count; i++) {
        *strrchr(names[i]->d_name, '.') = 0;
        const char *name = names[i]->d_name;
        char *source = read_file(check, name, ".cu"), *text = read_file(check, name, ".ptx");
        breaks += wrong_one(check, name, text, source) + right_one(check, name, text, source);
        free(source);
        free(text);
        free(names[i]);
    }
    free(names);
    assert_int_equal(breaks, 0);
}

#endif

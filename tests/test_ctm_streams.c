/* The programs of CTM in examples/ctm that a command stream drives, with the streams beside them: submitted by way of
 * libctm, in the usual order and in seeded ones, where caches are modelled, and held against plain C (tests/ref). */
#include "amDeviceManaged.h"
#include "isa/ctm/elf.h"
#include "isa/ctm/text.h"
#include "machine/stream.h"
#include "ref/ref.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Addresses of the streams' first lines; the buffer itself lies behind what they use. */
enum { PROGRAM = 0x50000000, COPY = 0x50004000, CONSTANTS = 0x50008000, BUFFER = 0x50100000 };
enum { CELLS = 0x50010000, LIFE_PICTURE = 0x50018000, LIFE = 64, GENERATIONS = 12 };
enum { ELEMENTS = 0x50010000, FIRST_LEVEL = 0x50050000, MEAN = 0x50067000, SIZE = 256 };

/* ---- files ---------------------------------------------------------------------------------------------------------
 */

static void read_example(const char *name, struct text *out)
{
    char path[1024], piece[4096];
    snprintf(path, sizeof path, "%s/ctm/%s", EXAMPLES_DIR, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s: cannot be opened", path);
    for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;)
        text_add(out, piece, got);
    fclose(file);
    assert_true(text_ok(out));
}

/* The executable of a program. */
static void assemble(const char *name, struct text *elf)
{
    struct text text = {0};
    struct arena arena = {0};
    struct ctm_program program;
    struct atoll_error error = {0};
    read_example(name, &text);
    if (!ctm_assemble(&arena, text.bytes, text.length, NULL, &program, &error) || !ctm_elf_write(&program, elf, &error))
        fail_msg("%s:%u: %s", name, error.line, error.message);
    arena_free(&arena);
    text_free(&text);
}

/* The words of a stream; lines that are `without` left out. */
static void words_of(const char *name, const char *without, struct text *words)
{
    struct text text = {0};
    struct atoll_error error = {0};
    read_example(name, &text);
    text_add(&text, "", 1);
    for (char *at = without ? strstr(text.bytes, without) : NULL; at; at = strstr(at, without))
        memset(at, ' ', strlen(without));
    if (!stream_parse(text.bytes, text.length - 1, words, &error))
        fail_msg("%s:%u: %s", name, error.line, error.message);
    text_free(&text);
}

/* ---- a client -------------------------------------------------------------------------------------------------------
 */

struct client {
    AMmanagedDevice device;
    AMmanagedDeviceInfo info;
};

/* `seed` 0: the usual order, by two host threads. */
static void client_open(struct client *c, unsigned seed)
{
    char text[16];
    snprintf(text, sizeof text, "%u", seed);
    setenv("ATOLL_CTM_THREADS", "2", 1);
    unsetenv("ATOLL_CTM_SEED");
    if (seed)
        setenv("ATOLL_CTM_SEED", text, 1);
    c->device = amOpenManagedConnection("/dev/pcie0", &c->info);
    assert_non_null(c->device);
    assert_int_equal(c->info.baseAddressSYSc, PROGRAM);
}

static void *at(const struct client *c, AMuint32 address)
{
    return (char *)c->info.baseAddressCPUc + (address - c->info.baseAddressSYSc);
}

static void put(const struct client *c, AMuint32 address, struct text *bytes)
{
    memcpy(at(c, address), bytes->bytes, bytes->length);
    text_free(bytes);
}

static void put_program(const struct client *c, AMuint32 address, const char *name)
{
    struct text elf = {0};
    assemble(name, &elf);
    put(c, address, &elf);
}

static void run(const struct client *c, const char *stream, const char *without)
{
    struct text words = {0};
    char why[1000];
    words_of(stream, without, &words);
    AMuint32 count = (AMuint32)words.length / 4;
    put(c, BUFFER, &words);
    AMuint32 id = amSubmitCommandBuffer(c->device, BUFFER, count);
    assert_int_not_equal(id, 0);
    while (!amCommandBufferConsumed(c->device, id))
        sched_yield();
    if (amAtollGetError(c->device, 0, why, sizeof why))
        fail_msg("%s: %s", stream, why);
}

static uint32_t noise(uint32_t *seed)
{
    return *seed = *seed * 1664525 + 1013904223;
}

/* ---- the reduction
 * --------------------------------------------------------------------------------------------------- */

/* All levels follow each other from FIRST_LEVEL, as reduce.stream lays them; rows have at least four elements. */
static bool levels_are(const struct client *c, const float *elements)
{
    static float want[SIZE * SIZE / 2];
    const float *from = elements;
    float *level = want;
    AMuint32 address = FIRST_LEVEL;
    bool same = true;
    for (int size = SIZE / 2; size; size /= 2) {
        int pitch = size < 4 ? 4 : size;
        const float *got = at(c, address);
        ref_ctm_halve(from, level, size, size);
        for (int y = 0; y < size; y++)
            same = same && memcmp(got + y * pitch, level + y * size, (size_t)size * sizeof *got) == 0;
        address += ((AMuint32)(pitch * size) * 4 + 2047) / 2048 * 2048;
        from = level;
        level += size * size;
    }
    assert_int_equal(address, MEAN + 2048);
    return same;
}

/* Whether what comes out is right, of two runs on different elements. */
static bool reduces(unsigned order, const char *without)
{
    struct client c;
    uint32_t seed = 5;
    bool right = true;
    static float elements[SIZE * SIZE];
    client_open(&c, order);
    put_program(&c, PROGRAM, "reduce.dpp");
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < SIZE * SIZE; i++)
            elements[i] = (float)(noise(&seed) >> 8) / 65536;
        memcpy(at(&c, ELEMENTS), elements, sizeof elements);
        run(&c, "reduce.stream", without);
        right = right && levels_are(&c, elements);
    }
    amCloseManagedConnection(c.device);
    return right;
}

static void reduction(void **state)
{
    (void)state;
    for (unsigned order = 0; order < 4; order++)
        assert_true(reduces(order, NULL));
}

/* Each cache command is needed: without it some order shows stale elements. The usual order has no caches. */
static void reduction_without(void **state)
{
    static const char *const commands[] = {"\nflush_out_cache", "\ninv_inp_cache"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        unsigned wrong = 0;
        assert_true(reduces(0, commands[i]));
        for (unsigned order = 1; order <= 6; order++)
            wrong += !reduces(order, commands[i]);
        if (!wrong)
            fail_msg("nobody misses %s", commands[i] + 1);
    }
}

/* ---- life
 * --------------------------------------------------------------------------------------------------------------- */

/* Four bytes a pixel: red lives at the end, green changed in the last half, blue in the first. */
static void life_want(float *cells, uint8_t *picture)
{
    float before[LIFE * LIFE], scratch[LIFE * LIFE];
    memset(picture, 0, LIFE * LIFE * 4);
    for (int g = 0; g < GENERATIONS; g++) {
        memcpy(before, cells, sizeof before);
        ref_ctm_life(cells, scratch, LIFE, LIFE);
        for (int i = 0; i < LIFE * LIFE; i++)
            if (cells[i] != before[i])
                picture[4 * i + (g < GENERATIONS / 2 ? 2 : 1)] = 255;
    }
    for (int i = 0; i < LIFE * LIFE; i++) {
        picture[4 * i] = cells[i] > 0 ? 255 : 0;
        picture[4 * i + 3] = 255;
    }
}

static void life_begin(const struct client *c, float *cells)
{
    struct text constants = {0};
    uint32_t seed = 9;
    put_program(c, PROGRAM, "life.dpp");
    put_program(c, COPY, "copy.dpp");
    words_of("life.constants", NULL, &constants);
    put(c, CONSTANTS, &constants);
    for (int i = 0; i < LIFE * LIFE; i++)
        cells[i] = noise(&seed) >> 24 < 80; /* the edges are as busy as the middle */
    memcpy(at(c, CELLS), cells, LIFE * LIFE * sizeof *cells);
}

static void life(void **state)
{
    static float cells[LIFE * LIFE];
    static uint8_t want[LIFE * LIFE * 4];
    (void)state;
    for (unsigned order = 0; order < 3; order++) {
        struct client c;
        client_open(&c, order);
        life_begin(&c, cells);
        run(&c, "life.stream", NULL);
        life_want(cells, want);
        assert_memory_equal(at(&c, CELLS), cells, sizeof cells);
        assert_memory_equal(at(&c, LIFE_PICTURE), want, sizeof want);
        amCloseManagedConnection(c.device);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reduction), cmocka_unit_test(reduction_without),
                                       cmocka_unit_test(life)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Cooperative launches: barriers of the whole grid (tests/data/kernels/grid.cu) from PTX and from the machine code of
 * two releases of ptxas, in all orders; launches that are too large; kernels that look for the workspace in vain. Tiles
 * of more than a warp (tests/data/kernels/tiles.cu), and the shared memory that they count in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "atoll.h"

enum { CELLS = 20000, ROUNDS = 7 };

static const char *const files[] = {"grid.ptx", "grid.sm_50.cubin", "grid.sm_52.cubin"};
enum { FILES = sizeof files / sizeof *files };

struct grid {
    struct atoll_device *device;
    struct atoll_module *module;
    struct atoll_launch_options launch;
    struct atoll_trap trap;
    struct atoll_error error;
    uint64_t cells;
};

static void grid_open(struct grid *g, const char *name)
{
    static char bytes[1 << 16];
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", DATA_DIR "/kernels", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    *g = (struct grid){.launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .cooperative = true, .time_limit = 120}};
    if (!atoll_device_create(NULL, &g->device, &g->error) ||
        !atoll_module_load(g->device, bytes, size, NULL, &g->module, &g->error) ||
        !atoll_memory_alloc(g->device, CELLS * 4, &g->cells, &g->error))
        fail_msg("%s: %s", name, g->error.message);
}

static void grid_close(struct grid *g)
{
    atoll_module_destroy(g->module);
    atoll_device_destroy(g->device);
}

static bool grid_run(struct grid *g, const char *name)
{
    struct atoll_kernel *kernel;
    struct {
        uint64_t cells;
        uint32_t n;
    } parameters = {g->cells, ROUNDS};
    assert_true(atoll_module_kernel(g->module, name, &kernel, &g->error));
    g->launch.parameters = &parameters;
    g->launch.parameter_bytes = strcmp(name, "rounds") == 0 ? 12 : 8;
    return atoll_launch(kernel, &g->launch, NULL, &g->trap, &g->error);
}

static void rounds(struct grid *g, const char *what)
{
    static uint32_t cells[CELLS];
    uint32_t blocks = g->launch.grid[0] * g->launch.grid[1] * g->launch.grid[2];
    if (!grid_run(g, "rounds"))
        fail_msg("%s, %u blocks of %u: %s", what, blocks, g->launch.block[0], g->error.message);
    assert_true(atoll_memory_read(g->device, g->cells, cells, sizeof cells, &g->error));
    for (uint32_t i = 0; i < blocks; i++)
        if (cells[2 * blocks + i] != (i + ROUNDS) % blocks + ROUNDS)
            fail_msg("%s: block %u of %u has %u", what, i, blocks, cells[2 * blocks + i]);
}

static void grid_barriers(void **state)
{
    (void)state;
    static const struct {
        uint32_t grid[3], block;
    } shapes[] = {{{1, 1, 1}, 64}, {{2, 1, 1}, 1}, {{37, 1, 1}, 96}, {{3, 5, 2}, 33}, {{200, 1, 1}, 32}};
    static const struct {
        enum atoll_order order;
        unsigned threads;
        uint64_t seed;
    } orders[] = {{ATOLL_ORDER_DETERMINISTIC, 1, 0}, {ATOLL_ORDER_PARALLEL, 1, 0}, {ATOLL_ORDER_PARALLEL, 2, 0},
                  {ATOLL_ORDER_PARALLEL, 5, 0},      {ATOLL_ORDER_SEEDED, 1, 1},   {ATOLL_ORDER_SEEDED, 1, 2}};
    for (unsigned f = 0; f < FILES; f++) {
        struct grid g;
        grid_open(&g, files[f]);
        for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (unsigned o = 0; o < sizeof orders / sizeof *orders; o++) {
                memcpy(g.launch.grid, shapes[s].grid, sizeof g.launch.grid);
                g.launch.block[0] = shapes[s].block;
                g.launch.order = orders[o].order;
                g.launch.threads = orders[o].threads;
                g.launch.seed = orders[o].seed;
                if (s < 4 || orders[o].order != ATOLL_ORDER_SEEDED)
                    rounds(&g, files[f]);
            }
        grid_close(&g);
    }
}

/* Blocks of a cooperative launch that have more work than fits in a turn, and that end at different times. */
static void policies(void **state)
{
    (void)state;
    struct grid g;
    grid_open(&g, files[1]);
    g.launch.grid[0] = 9;
    g.launch.policy = ATOLL_POLICY_FRONTIER;
    rounds(&g, "frontier");
    grid_close(&g);
}

static void a_kernel_may_ask(void **state)
{
    (void)state;
    for (unsigned f = 0; f < FILES; f++)
        for (int cooperative = 0; cooperative < 2; cooperative++) {
            uint32_t size = 99;
            struct grid g;
            grid_open(&g, files[f]);
            g.launch.cooperative = cooperative != 0;
            g.launch.block[0] = 1;
            if (!grid_run(&g, "valid"))
                fail_msg("%s: %s", files[f], g.error.message);
            assert_true(atoll_memory_read(g.device, g.cells, &size, sizeof size, &g.error));
            assert_int_equal(size, cooperative ? 8 : 0);
            grid_close(&g);
        }
}

/* As on a device the workspace is not there in other launches; the trap of the kernel says why. */
static void other_launches_trap(void **state)
{
    (void)state;
    for (unsigned f = 0; f < FILES; f++) {
        struct grid g;
        grid_open(&g, files[f]);
        g.launch.cooperative = false;
        g.launch.grid[0] = 4;
        assert_false(grid_run(&g, "rounds"));
        assert_int_equal(g.error.status, ATOLL_TRAP);
        assert_string_equal(g.trap.cause, "trap");
        assert_non_null(strstr(g.error.message, "workspace of a cooperative launch"));
        grid_close(&g);
    }
}

static void too_large(void **state)
{
    (void)state;
    struct grid g;
    grid_open(&g, files[0]);
    g.launch.grid[0] = 1025;
    g.launch.block[0] = 1024;
    assert_false(grid_run(&g, "rounds"));
    assert_int_equal(g.error.status, ATOLL_LIMIT);
    assert_non_null(strstr(g.error.message, "at most 1024 of 1024 threads; given: 1025"));
    g.launch.grid[0] = INT32_MAX;
    g.launch.grid[1] = g.launch.grid[2] = 65535;
    assert_false(grid_run(&g, "rounds"));
    assert_int_equal(g.error.status, ATOLL_LIMIT);
    g.launch.grid[0] = 20000;
    g.launch.grid[1] = g.launch.grid[2] = 1;
    g.launch.block[0] = 32;
    g.launch.dynamic_shared = 227 * 1024;
    assert_false(grid_run(&g, "rounds"));
    assert_int_equal(g.error.status, ATOLL_LIMIT);
    assert_non_null(strstr(g.error.message, "bytes of shared memory"));
    grid_close(&g);
}

/* A block that never comes to the barrier: the limits end the launch, on all host threads. */
static void limits_end_it(void **state)
{
    (void)state;
    static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() {\n"
                               ".reg .b32 %r<4>; .reg .pred %p; mov.u32 %r0, %ctaid.x; setp.eq.u32 %p, %r0, 5;\n"
                               "@%p ret; L: nanosleep.u32 10; mov.u32 %r1, %envreg2; bra L; }\n";
    struct grid g = {.launch = {.grid = {20, 1, 1}, .block = {64, 1, 1}, .cooperative = true, .time_limit = 0.1}};
    struct atoll_kernel *kernel;
    assert_true(atoll_device_create(NULL, &g.device, &g.error) &&
                atoll_module_load(g.device, text, sizeof text - 1, NULL, &g.module, &g.error) &&
                atoll_module_kernel(g.module, "k", &kernel, &g.error));
    for (int order = 0; order < 3; order++) {
        g.launch.order = (enum atoll_order)order;
        assert_false(atoll_launch(kernel, &g.launch, NULL, NULL, &g.error));
        assert_int_equal(g.error.status, ATOLL_LIMIT);
    }
    grid_close(&g);
}

/* ---- reserved shared memory ----------------------------------------------------------------------------------------
 */

enum { TILE = 64, TILED = 256, TILED_BLOCKS = 40 };

static void tiles_run(struct grid *g, const char *name, uint32_t threads, uint32_t blocks)
{
    const uint64_t parameters[] = {g->cells, g->cells + 1024};
    struct atoll_kernel *kernel;
    g->launch.parameters = parameters;
    g->launch.parameter_bytes = sizeof parameters;
    g->launch.cooperative = false;
    g->launch.no_cache = true;
    g->launch.block[0] = threads;
    g->launch.grid[0] = blocks;
    if (!atoll_module_kernel(g->module, name, &kernel, &g->error) ||
        !atoll_launch(kernel, &g->launch, NULL, &g->trap, &g->error))
        fail_msg("%s: %s", name, g->error.message);
}

static void tiles_check(struct grid *g)
{
    static uint32_t in[TILED], out[TILED * TILED_BLOCKS];
    for (uint32_t i = 0; i < TILED; i++)
        in[i] = i * 7 + 3;
    assert_true(atoll_memory_write(g->device, g->cells, in, sizeof in, &g->error));
    tiles_run(g, "tiles", TILED, TILED_BLOCKS);
    assert_true(atoll_memory_read(g->device, g->cells + 1024, out, sizeof out, &g->error));
    for (uint32_t i = 0; i < TILED * TILED_BLOCKS; i++) {
        uint32_t sum = 0, first = i % TILED / TILE * TILE;
        for (uint32_t k = first; k < first + TILE; k++)
            sum += in[k];
        if (out[i] != sum * 1000 + i % TILE)
            fail_msg("thread %u of block %u has %u instead of %u", i % TILED, i / TILED, out[i], sum * 1000 + i % TILE);
    }
}

static void tiles_of_warps(void **state)
{
    (void)state;
    static const enum atoll_engine engines[] = {ATOLL_ENGINE_INTERPRETER, ATOLL_ENGINE_JIT};
    for (unsigned i = 0; i < sizeof engines / sizeof *engines; i++) {
        struct grid g;
        grid_open(&g, "tiles.ptx");
        g.launch.engine = engines[i];
        if (atoll_engine_available(engines[i], &g.error)) {
            tiles_check(&g);
            tiles_check(&g); /* what a launch leaves behind is not found by the next one */
            g.launch.order = ATOLL_ORDER_SEEDED;
            tiles_check(&g);
        }
        grid_close(&g);
    }
}

/* As kernels read them. */
static void sizes_of_shared(void **state)
{
    (void)state;
    static const enum atoll_engine engines[] = {ATOLL_ENGINE_INTERPRETER, ATOLL_ENGINE_JIT};
    static const uint32_t want[] = {64 * 4 + 100, 1024 + 64 * 4 + 100, 100, 0, 1024, 1024, 0, 512, 1024, 6};
    for (unsigned i = 0; i < sizeof engines / sizeof *engines; i++) {
        struct grid g;
        uint32_t out[sizeof want / sizeof *want], in[TILE];
        grid_open(&g, "tiles.ptx");
        g.launch.engine = engines[i];
        g.launch.dynamic_shared = 100;
        for (uint32_t k = 0; k < TILE; k++)
            in[k] = 6;
        assert_true(atoll_memory_write(g.device, g.cells, in, sizeof in, &g.error));
        if (atoll_engine_available(engines[i], &g.error)) {
            tiles_run(&g, "sizes", TILE, 1);
            assert_true(atoll_memory_read(g.device, g.cells + 1024, out, sizeof out, &g.error));
            assert_memory_equal(out, want, sizeof want);
        }
        grid_close(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid_barriers),       cmocka_unit_test(policies),        cmocka_unit_test(a_kernel_may_ask),
        cmocka_unit_test(other_launches_trap), cmocka_unit_test(too_large),       cmocka_unit_test(limits_end_it),
        cmocka_unit_test(tiles_of_warps),      cmocka_unit_test(sizes_of_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Histories, slices, counts of lines and of texels through atoll.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "atoll.h"

static const char ptx[] = ".version 7.5\n.target sm_75\n.address_size 64\n"
                          ".visible .entry k(.param .u64 p, .param .u64 s)\n{\n"
                          "  .reg .b32 %r<4>; .reg .b64 %d<4>;\n"
                          "  ld.param.u64 %d1, [p];\n"
                          "  ld.param.u64 %d2, [s];\n"
                          "  mov.u32 %r1, %tid.x;\n"
                          "  atom.global.max.u32 %r2, [%d1], %r1;\n"
                          "  sust.b.1d.b8.trap [%d2, {%r1}], %r1;\n"
                          "  ret;\n}\n";

enum { THREADS = 40, WIDTH = 48 };

struct rig {
    struct atoll_device *device;
    struct atoll_kernel *kernel;
    struct atoll_surface *surface;
    uint64_t parameters[2];
};

struct seen {
    uint32_t touches, values[8];
    uint64_t turns, blocks, executions;
};

static void touch(void *user, const struct atoll_touch *t)
{
    struct seen *seen = user;
    assert_true(seen->touches < 8 && t->side.line > 0 && t->when > 0);
    assert_string_equal(t->operation, t->surface ? "sust.b8" : "atom.max.u32");
    assert_string_equal(t->side.does, t->surface ? "write" : "update");
    memcpy(&seen->values[seen->touches++], t->after, sizeof seen->values[0]);
}

static void slice(void *user, const struct atoll_slice *s)
{
    struct seen *seen = user;
    assert_true(s->end > s->begin);
    *(s->turn ? &seen->turns : &seen->blocks) += s->end - s->begin;
}

static void line(void *user, const struct atoll_line_count *l)
{
    struct seen *seen = user;
    assert_string_equal(l->file, "<memory>");
    assert_true(l->line > 0 || l->executions > 0);
    seen->executions += l->executions;
}

static void open_rig(struct rig *rig)
{
    struct atoll_error error;
    struct atoll_module *module;
    struct atoll_surface_desc desc = {.dimension = ATOLL_DIM_1D, .width = WIDTH, .format = "r8uint"};
    assert_true(atoll_device_create(NULL, &rig->device, &error));
    assert_true(atoll_module_load(rig->device, ptx, sizeof ptx - 1, NULL, &module, &error));
    assert_true(atoll_module_kernel(module, "k", &rig->kernel, &error));
    assert_true(atoll_memory_alloc(rig->device, 16, &rig->parameters[0], &error));
    assert_true(atoll_surface_create(rig->device, &desc, &rig->surface, &error));
    rig->parameters[1] = atoll_surface_handle(rig->surface);
}

static struct atoll_launch_options launch_of(const struct rig *rig)
{
    return (struct atoll_launch_options){
        .block = {THREADS}, .parameters = rig->parameters, .parameter_bytes = sizeof rig->parameters};
}

static void test_all(void **state)
{
    struct rig rig;
    struct seen seen = {0};
    struct atoll_stats stats;
    struct atoll_error error;
    uint64_t counts[WIDTH] = {[7] = 100};
    (void)state;
    open_rig(&rig);
    const struct atoll_watch watches[] = {{.address = rig.parameters[0], .bytes = 4},
                                          {.address = rig.parameters[1], .texel = {33}}};
    const struct atoll_heat heat = {rig.parameters[1], counts, WIDTH};
    struct atoll_launch_options launch = launch_of(&rig);
    launch.watches = watches;
    launch.nwatches = 2;
    launch.touch = touch;
    launch.slice = slice;
    launch.line = line;
    launch.heats = &heat;
    launch.nheats = 1;
    launch.user = &seen;
    assert_true(atoll_launch(rig.kernel, &launch, &stats, NULL, &error));
    assert_int_equal(seen.touches, 3);
    assert_int_equal(stats.touches, 3);
    assert_int_equal(seen.values[0], 31);
    assert_int_equal(seen.values[1], 39);
    assert_int_equal(seen.values[2], 33);
    assert_int_equal(seen.turns, stats.warp_instructions);
    assert_int_equal(seen.blocks, stats.warp_instructions);
    assert_int_equal(seen.executions, stats.warp_instructions);
    for (unsigned i = 0; i < WIDTH; i++)
        assert_int_equal(counts[i], (i == 7 ? 100 : 0) + (i < THREADS ? 1 : 0));
    launch.max_touches = 1;
    launch.max_slices = 1;
    seen = (struct seen){0};
    assert_true(atoll_launch(rig.kernel, &launch, &stats, NULL, &error));
    assert_int_equal(seen.touches, 1);
    assert_int_equal(stats.touches_untold, 2);
    assert_int_equal(stats.slices, 1);
    assert_int_equal(stats.slices_untold, 2);
    atoll_device_destroy(rig.device);
}

static void refuse(const struct rig *rig, const struct atoll_launch_options *launch, const char *word)
{
    struct atoll_error error;
    assert_false(atoll_launch(rig->kernel, launch, NULL, NULL, &error));
    assert_int_equal(error.status, ATOLL_USAGE);
    if (!strstr(error.message, word))
        fail_msg("%s: without '%s'", error.message, word);
}

static void test_refused(void **state)
{
    struct rig rig;
    uint64_t counts[WIDTH];
    (void)state;
    open_rig(&rig);
    const struct {
        struct atoll_watch watch;
        const char *word;
    } bad[] = {{{.address = rig.parameters[0], .bytes = 17}, "17 bytes are watched"},
               {{.address = rig.parameters[0] + 13, .bytes = 4}, "not allocated"},
               {{.address = 1, .bytes = 4}, "not allocated"},
               {{.address = 12345}, "no surface's"},
               {{.address = rig.parameters[1], .texel = {WIDTH}}, "texel (48, 0, 0)"},
               {{.address = rig.parameters[1], .texel = {0, 1}}, "texel (0, 1, 0)"}};
    struct atoll_launch_options launch = launch_of(&rig);
    launch.nwatches = 1;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        launch.watches = &bad[i].watch;
        refuse(&rig, &launch, bad[i].word);
    }
    launch.nwatches = ATOLL_WATCHES + 1;
    refuse(&rig, &launch, "65 places are watched");
    launch.nwatches = 0;
    launch.nheats = 1;
    launch.heats = &(struct atoll_heat){rig.parameters[1], counts, WIDTH - 1};
    refuse(&rig, &launch, "another size");
    launch.heats = &(struct atoll_heat){12345, counts, WIDTH};
    refuse(&rig, &launch, "no surface's");
    atoll_device_destroy(rig.device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Which atomic operations of a launch are proven to reach what one block alone writes (engine/jit/owners.h): what is
 * claimed and is not so would lose what others do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/api.h"
#include "engine/jit/owners.h"
#include "engine/parameters.h"

enum { TEXT = 1 << 13, BYTES = 1 << 20, SIDE = 64 };

/* ---- a launch that does not run ---------------------------------------------------------------------------------- */

struct rig {
    struct atoll_device *device;
    struct atoll_surface *s, *t, *u, *a, *b; /* two pictures, one over p; an array; blocks */
    uint64_t p, q;                           /* buffers */
    struct atoll_error error;
};

struct arguments {
    uint64_t p, q, s, t, u, a, b;
    uint32_t n, m;
};

static struct atoll_surface *surface(struct rig *r, const struct atoll_surface_desc *desc)
{
    struct atoll_surface *made;
    if (!atoll_surface_create(r->device, desc, &made, &r->error))
        fail_msg("%s", r->error.message);
    return made;
}

static void open_rig(struct rig *r)
{
    *r = (struct rig){0};
    if (!atoll_device_create(NULL, &r->device, &r->error) || !atoll_memory_alloc(r->device, BYTES, &r->p, &r->error) ||
        !atoll_memory_alloc(r->device, BYTES, &r->q, &r->error))
        fail_msg("%s", r->error.message);
    struct atoll_surface_desc picture = {.dimension = ATOLL_DIM_2D, .width = SIDE, .height = SIDE, .format = "r32uint"};
    r->s = surface(r, &picture);
    r->t = surface(r, &picture);
    picture.address = r->p;
    r->u = surface(r, &picture);
    r->a = surface(r, &(struct atoll_surface_desc){
                          .dimension = ATOLL_DIM_3D, .width = SIDE, .height = SIDE, .depth = 8, .format = "r32uint"});
    r->b = surface(r, &(struct atoll_surface_desc){.dimension = ATOLL_DIM_2D,
                                                   .width = SIDE,
                                                   .height = SIDE,
                                                   .format = "r32uint",
                                                   .layout = {.name = "block-linear"}});
}

static void close_rig(struct rig *r)
{
    atoll_device_destroy(r->device);
}

struct shape {
    uint32_t grid[3], block[3];
    uint32_t n, m;
};

/* A digit for each atomic operation on memory that others see, in order: is it owned? */
static void find(struct rig *r, struct atoll_kernel *kernel, const struct shape *shape, unsigned workers, char *found)
{
    struct atoll_module *module = kernel->module;
    struct arguments arguments = {r->p,
                                  r->q,
                                  atoll_surface_handle(r->s),
                                  atoll_surface_handle(r->t),
                                  atoll_surface_handle(r->u),
                                  atoll_surface_handle(r->a),
                                  atoll_surface_handle(r->b),
                                  shape->n,
                                  shape->m};
    struct atoll_launch_options launch = {.parameters = &arguments, .parameter_bytes = sizeof arguments};
    struct arena arena = {0};
    struct flow flow;
    const char *why;
    if (!kernel->program && !program_create(module->owner->device, &module->lanes, kernel->func, module->addresses,
                                            &kernel->program, &r->error))
        fail_msg("%s", r->error.message);
    const struct func *func = &kernel->program->funcs[kernel->program->kernel];
    struct run run = {.program = kernel->program, .launch = &launch, .workers = workers};
    memcpy(run.grid, shape->grid, sizeof run.grid);
    memcpy(run.block, shape->block, sizeof run.block);
    struct site *sites = calloc(kernel->program->sites + 1, sizeof *sites);
    if (!sites || !parameters_make(&run, &r->error) || !flow_make(&arena, func, &(struct tids){0}, &flow, &why))
        fail_msg("no launch");
    owners_find(&run, &flow, sites);
    for (const struct decoded *at = func->decoded; at < func->decoded + func->ndecoded; at++)
        if (at->op < LANE_OPS && lane_is(at->op, LANE_UPDATES) && at->access->space != LANE_SHARED)
            *found++ = sites[at->site].owned ? '1' : '0';
    *found = 0;
    free(sites);
    arena_free(&arena);
    parameters_free(&run);
}

static void expect(const char *text, const struct shape *shape, unsigned workers, const char *owned)
{
    struct rig r;
    struct atoll_module *module;
    struct atoll_kernel *kernel = NULL;
    char found[64];
    open_rig(&r);
    if (!atoll_module_load(r.device, text, strlen(text), NULL, &module, &r.error) ||
        !atoll_module_kernel(module, "k", &kernel, &r.error))
        fail_msg("%u: %s\n%s", r.error.line, r.error.message, text);
    find(&r, kernel, shape, workers, found);
    if (strcmp(found, owned))
        fail_msg("found %s, expected %s: grid %u %u %u, block %u %u %u\n%s", found, owned, shape->grid[0],
                 shape->grid[1], shape->grid[2], shape->block[0], shape->block[1], shape->block[2], text);
    close_rig(&r);
}

/* ---- PTX -----------------------------------------------------------------------------------------------------------
 */

static const char head[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry k(.param .u64 p, .param .u64 q, .param .u64 s, .param .u64 t, .param .u64 u,"
    " .param .u64 a, .param .u64 b, .param .u32 n, .param .u32 m)\n{\n"
    ".reg .b32 %r<20>, %cx, %cy, %cz, %tx, %ty, %tz, %nx, %ny, %x, %y, %z, %i, %n, %m;\n"
    ".reg .b64 %p, %q, %s, %t, %u, %a, %b, %d<10>;\n.reg .pred %g<4>;\n.shared .b32 sh[64];\n"
    "ld.param.u64 %p, [p]; ld.param.u64 %q, [q]; ld.param.u64 %s, [s]; ld.param.u64 %t, [t];\n"
    "ld.param.u64 %u, [u]; ld.param.u64 %a, [a]; ld.param.u64 %b, [b];\n"
    "ld.param.u32 %n, [n]; ld.param.u32 %m, [m];\n"
    "mov.u32 %cx, %ctaid.x; mov.u32 %cy, %ctaid.y; mov.u32 %cz, %ctaid.z; mov.u32 %tx, %tid.x;\n"
    "mov.u32 %ty, %tid.y; mov.u32 %tz, %tid.z; mov.u32 %nx, %ntid.x; mov.u32 %ny, %ntid.y;\n"
    "mad.lo.u32 %x, %cx, %nx, %tx; mad.lo.u32 %y, %cy, %ny, %ty;\n" /* the usual coordinates */
    "mov.u32 %i, %x; shl.b32 %x, %x, 2;\n";

struct row {
    const char *body;
    struct shape shape;
    const char *owned;
};

#define SQUARE                        \
    {                                 \
        {4, 4, 1}, {16, 16, 1}, 64, 1 \
    }
#define LINE                          \
    {                                 \
        {64, 1, 1}, {256, 1, 1}, 4, 1 \
    }

static const struct row rows[] = {
    /* Pictures: each texel by one thread; more blocks than there are coordinates for; blocks that lie over each other.
     */
    {"sured.b.add.2d.u32.trap [%s, {%x, %y}], %n;", SQUARE, "1"},
    {"sured.b.add.2d.u32.zero [%s, {%x, %y}], %n;", {{100, 100, 1}, {16, 16, 1}, 0, 0}, "1"},
    {"sured.b.add.2d.u32.trap [%s, {%x, %y}], %n;", {{4, 4, 2}, {16, 16, 1}, 0, 0}, "0"},
    {"sured.b.add.2d.u32.trap [%s, {%x, %x}], %n;", SQUARE, "0"},
    {"sured.b.add.2d.u32.trap [%s, {%x, %x}], %n;", {{4, 1, 1}, {16, 16, 1}, 0, 0}, "1"},
    {"sured.b.add.2d.u32.trap [%s, {%x, %n}], %n;", SQUARE, "0"},
    {"mad.lo.u32 %x, %cx, 60, %tx; sured.b.add.2d.u32.trap [%s, {%x, %y}], %n;", SQUARE, "1"},
    {"mad.lo.u32 %x, %cx, 17, %tx; sured.b.add.2d.u32.trap [%s, {%x, %y}], %n;", SQUARE, "0"}, /* texels have 4 bytes */
    {"mad.lo.u32 %x, %cx, 15, %tx; sured.p.add.2d.b32.trap [%s, {%x, %y}], %n;", SQUARE, "0"},
    {"mad.lo.u32 %x, %cx, 16, %tx; sured.p.add.2d.b32.trap [%s, {%x, %y}], %n;", SQUARE, "1"},
    {"mad.lo.u32 %x, %cx, 16, %tx; sured.p.add.2d.b32.trap [%s, {%x, %y}], %n;", {{4, 4, 1}, {17, 16, 1}, 0, 0}, "0"},
    {"mad.lo.u32 %x, %cx, -16, %tx; sured.p.add.2d.b32.trap [%s, {%x, %y}], %n;", SQUARE, "1"},
    {"shl.b32 %x, %cx, 4; or.b32 %x, %x, %tx; sured.p.add.2d.b32.zero [%s, {%x, %y}], %n;", SQUARE, "1"},
    {"shl.b32 %x, %cx, 3; or.b32 %x, %x, %tx; sured.p.add.2d.b32.zero [%s, {%x, %y}], %n;", SQUARE, "0"},
    {"sured.b.add.2d.u32.trap [%b, {%x, %y}], %n;", SQUARE, "1"}, /* rows of blocks: it is the coordinates that count */
    /* An index that wraps around comes to the same texels again. */
    {"shl.b32 %i, %i, 28; sured.p.add.2d.b32.zero [%s, {%i, %y}], %n;", SQUARE, "0"},
    {"shl.b32 %i, %i, 26; sured.p.add.2d.b32.zero [%s, {%i, %y}], %n;", SQUARE, "1"},
    {"shl.b32 %i, %i, 26; sured.p.add.2d.b32.zero [%s, {%i, %y}], %n;", {{5, 4, 1}, {16, 16, 1}, 0, 0}, "0"},
    /* The nearest texel is many threads'. */
    {"sured.b.add.2d.u32.clamp [%s, {%x, %y}], %n;", SQUARE, "1"},
    {"sured.b.add.2d.u32.clamp [%s, {%x, %y}], %n;", {{5, 4, 1}, {16, 16, 1}, 0, 0}, "0"},
    {"sured.b.add.2d.u32.clamp [%s, {%x, %y}], %n;", {{4, 5, 1}, {16, 16, 1}, 0, 0}, "0"},
    {"add.s32 %x, %x, -4; sured.b.add.2d.u32.clamp [%s, {%x, %y}], %n;", SQUARE, "0"},
    /* Others of three coordinates. */
    {"sured.b.add.3d.u32.trap [%a, {%x, %y, %cz, %cz}], %n;", {{4, 4, 3}, {16, 16, 1}, 0, 0}, "1"},
    {"mad.lo.u32 %z, %cz, 2, %tz; sured.b.add.3d.u32.trap [%a, {%x, %y, %z, %z}], %n;",
     {{4, 4, 3}, {8, 8, 2}, 0, 0},
     "1"},
    {"add.u32 %z, %cz, %tz; sured.b.add.3d.u32.trap [%a, {%x, %y, %z, %z}], %n;", {{4, 4, 3}, {8, 8, 2}, 0, 0}, "0"},
    /* What else is written: the same texels by the same blocks, by others, by nobody knows whom. */
    {"sured.b.add.2d.u32.trap [%s, {%x, %y}], %n; sured.b.max.2d.u32.trap [%s, {%x, %y}], %m;", SQUARE, "11"},
    {"sured.b.add.2d.u32.trap [%s, {%x, %y}], %n; add.u32 %x, %x, 4; sured.b.add.2d.u32.trap [%s, {%x, %y}], %m;",
     SQUARE, "00"},
    {"mad.lo.u32 %x, %cx, 68, %tx; sured.b.add.2d.u32.zero [%s, {%x, %y}], %n; add.u32 %x, %x, 4;"
     "sured.b.add.2d.u32.zero [%s, {%x, %y}], %m;",
     SQUARE, "11"},
    {"sured.b.add.2d.u32.trap [%s, {%x, %y}], %n; sured.b.add.2d.u32.trap [%t, {%y, %x}], %m;", SQUARE, "10"},
    {"sured.b.add.2d.u32.trap [%s, {%x, %y}], %n; sust.b.2d.b32.trap [%s, {%x, %y}], %m;", SQUARE, "1"},
    {"sured.b.add.2d.u32.trap [%s, {%x, %y}], %n; sust.b.2d.b32.trap [%s, {0, %y}], %m;", SQUARE, "0"},
    {"sured.b.add.2d.u32.trap [%s, {%x, %y}], %n; sust.b.2d.b32.trap [%s, {0, %n}], %m;", SQUARE, "0"},
    {"sured.b.add.2d.u32.trap [%s, {%x, %y}], %n; sust.b.2d.v2.b32.zero [%s, {%x, %y}], {%m, %n};", SQUARE, "0"},
    {"sured.b.add.2d.u32.trap [%s, {%x, %y}], %n; sust.p.2d.b32.zero [%s, {%x, %y}], %m;", SQUARE, "0"},
    {"sured.b.add.2d.u32.trap [%s, {%x, %y}], %n; suld.b.2d.b32.trap %r1, [%s, {%y, %x}];", SQUARE, "1"},
    {"sured.b.add.2d.u32.trap [%s, {%x, %y}], %n; ld.global.u64 %d1, [%q]; sust.b.2d.b32.trap [%d1, {0, 0}], %m;",
     SQUARE, "0"},
    {"sured.b.add.2d.u32.trap [%s, {%x, %y}], %n; ld.global.u64 %d1, [%q]; st.global.u32 [%d1], %m;", SQUARE, "1"},
    {"sured.b.add.2d.u32.trap [%u, {%x, %y}], %n;", SQUARE, "1"},
    {"sured.b.add.2d.u32.trap [%u, {%x, %y}], %n; st.global.u32 [%q], %m;", SQUARE, "0"},
    {"sured.b.add.2d.u32.trap [%u, {%x, %y}], %n; st.shared.u32 [sh], %m; ld.global.u32 %r1, [%q];", SQUARE, "1"},
    {"sured.b.add.2d.u32.trap [%s, {%x, %y}], %n; red.shared.add.u32 [sh], %m; bar.sync 0;", SQUARE, "1"},
    /* What is not the same on all ways. */
    {"setp.lt.u32 %g1, %tx, 5; @%g1 mov.u32 %x, %n; sured.b.add.2d.u32.zero [%s, {%x, %y}], %n;", SQUARE, "0"},
    {"setp.lt.u32 %g1, %tx, 5; @%g1 bra J; sured.b.add.2d.u32.zero [%s, {%x, %y}], %n; J:", SQUARE, "1"},
    {"setp.lt.u32 %g1, %tx, 5; @%g1 bra J; add.u32 %x, %x, 4; J: sured.b.add.2d.u32.zero [%s, {%x, %y}], %n;", SQUARE,
     "0"},
    {"mov.u32 %r1, 0; L: sured.b.add.2d.u32.zero [%s, {%x, %y}], %n; add.u32 %r1, %r1, 1; setp.lt.u32 %g1, %r1, 4;"
     "@%g1 bra L;",
     SQUARE, "1"},
    {"mov.u32 %r1, 0; L: sured.b.add.2d.u32.zero [%s, {%x, %y}], %n; add.u32 %x, %x, 4; add.u32 %r1, %r1, 1;"
     "setp.lt.u32 %g1, %r1, 4; @%g1 bra L;",
     SQUARE, "0"},
    {"mov.u32 %r1, 0; L: sured.b.add.2d.u32.zero [%s, {%x, %y}], %n; add.u32 %x, %x, 4; add.u32 %r1, %r1, 1;"
     "setp.lt.u32 %g1, %r1, 4; @%g1 bra L;",
     {{1, 4, 1}, {16, 16, 1}, 0, 0},
     "1"},
    /* Global memory. */
    {"mul.wide.u32 %d1, %i, 4; add.u64 %d1, %d1, %p; red.global.add.u32 [%d1], %n;", LINE, "1"},
    {"mul.wide.s32 %d1, %i, 4; add.u64 %d1, %d1, %p; atom.global.add.u32 %r1, [%d1+16], %n;", LINE, "1"},
    {"mul.wide.s32 %d1, %i, 3; add.u64 %d1, %d1, %p; atom.add.u32 %r1, [%d1], %n;", LINE, "0"},
    {"mul.wide.s32 %d1, %i, 4; add.u64 %d1, %d1, %p; atom.add.u64 %d2, [%d1], %d3;", LINE, "0"},
    {"mul.wide.s32 %d1, %i, 8; add.u64 %d1, %d1, %p; atom.add.u64 %d2, [%d1], %d3;", LINE, "1"},
    {"mul.wide.u32 %d1, %i, 4; add.u64 %d1, %d1, %p; red.release.gpu.global.add.u32 [%d1], %n;", LINE, "0"},
    {"mul.wide.u32 %d1, %cx, 4; add.u64 %d1, %d1, %p; red.global.add.u32 [%d1], %n;", LINE, "1"},
    {"mul.wide.u32 %d1, %tx, 4; add.u64 %d1, %d1, %p; red.global.add.u32 [%d1], %n;", LINE, "0"},
    {"mad.lo.u32 %i, %i, %n, %m; mul.wide.u32 %d1, %i, 4; add.u64 %d1, %d1, %p; red.global.add.u32 [%d1], %n;", LINE,
     "1"},
    {"mad.lo.u32 %i, %i, %n, %m; mul.wide.u32 %d1, %i, 4; add.u64 %d1, %d1, %p; red.global.add.u32 [%d1], %n;",
     {{64, 1, 1}, {256, 1, 1}, 0, 0},
     "0"},
    {"mad.lo.u32 %i, %y, %n, %i; mul.wide.u32 %d1, %i, 4; add.u64 %d1, %d1, %p; red.global.add.u32 [%d1], %n;", SQUARE,
     "1"},
    {"mad.lo.u32 %i, %y, %n, %i; mul.wide.u32 %d1, %i, 4; add.u64 %d1, %d1, %p; red.global.add.u32 [%d1], %n;",
     {{4, 4, 1}, {16, 16, 1}, 63, 0},
     "0"},
    {"shl.b32 %i, %i, 20; mul.wide.u32 %d1, %i, 4; add.u64 %d1, %d1, %p; red.global.add.u32 [%d1], %n;", LINE, "0"},
    {"ld.global.u32 %i, [%q]; mul.wide.u32 %d1, %i, 4; add.u64 %d1, %d1, %p; red.global.add.u32 [%d1], %n;", LINE, "0"},
    {"mul.wide.u32 %d1, %i, 4; add.u64 %d2, %d1, %q; add.u64 %d1, %d1, %p; red.global.add.u32 [%d1], %n;"
     "st.global.u32 [%d2], %m;",
     LINE, "1"},
    {"mul.wide.u32 %d1, %i, 4; add.u64 %d1, %d1, %p; red.global.add.u32 [%d1], %n; st.global.u32 [%q], %m;", LINE, "1"},
    {"mul.wide.u32 %d1, %i, 4; add.u64 %d1, %d1, %p; red.global.add.u32 [%d1], %n; st.global.u32 [%p+1024], %m;", LINE,
     "0"},
    {"mul.wide.u32 %d1, %i, 4; add.u64 %d1, %d1, %p; red.global.add.u32 [%d1], %n; red.global.add.u32 [%q], %m;", LINE,
     "10"},
    {"mul.wide.u32 %d1, %i, 4; add.u64 %d1, %d1, %p; red.global.add.u32 [%d1], %n; ld.global.u64 %d2, [%q];"
     "st.u32 [%d2], %m;",
     LINE, "0"},
    {"mul.wide.u32 %d1, %i, 4; add.u64 %d1, %d1, %p; red.global.add.u32 [%d1], %n;"
     "sured.b.add.2d.u32.trap [%s, {%x, %y}], %n;",
     LINE, "11"},
    {"mul.wide.u32 %d1, %i, 4; add.u64 %d1, %d1, %p; red.global.add.u32 [%d1], %n;"
     "sured.b.add.2d.u32.trap [%u, {%x, %y}], %n;",
     LINE, "00"},
};

static void test_ptx(void **state)
{
    static char text[TEXT];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(snprintf(text, sizeof text, "%s%s\nret;\n}\n", head, rows[i].body) < TEXT);
        expect(text, &rows[i].shape, 2, rows[i].owned);
    }
}

/* Nobody else is there. */
static void test_one_thread(void **state)
{
    static char text[TEXT];
    static const struct shape shape = {{4, 4, 4}, {16, 16, 1}, 0, 0};
    (void)state;
    snprintf(text, sizeof text,
             "%sld.global.u64 %%d1, [%%q]; atom.add.u32 %%r1, [%%d1], 1; sured.b.add.2d.u32.trap [%%s, {%%x, 0}], 1;\n"
             "ret;\n}\n",
             head);
    expect(text, &shape, 1, "11");
    expect(text, &shape, 2, "00");
}

/* A function that is called may write anywhere; what is part of the kernel's code may not. */
static void expect_call(const char *body, const char *owned)
{
    static char text[TEXT];
    static const struct shape shape = {{4, 4, 1}, {16, 16, 1}, 0, 0};
    const char *entry = strstr(head, ".visible");
    snprintf(text, sizeof text,
             "%.*s.func f(.param .u64 at)\n{ .reg .b64 %%d; ld.param.u64 %%d, [at]; %s ret; }\n%s"
             "sured.b.add.2d.u32.trap [%%s, {%%x, %%y}], 1;\n"
             "{ .param .u64 at; st.param.u64 [at], %%q; call f, (at); }\nret;\n}\n",
             (int)(entry - head), head, body, entry);
    expect(text, &shape, 2, owned);
}

static void test_call(void **state)
{
    (void)state;
    expect_call("{ .param .u64 at; st.param.u64 [at], %d; call f, (at); }", "0");
    expect_call("st.u32 [%d], 1;", "1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ptx), cmocka_unit_test(test_one_thread),
                                       cmocka_unit_test(test_call)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

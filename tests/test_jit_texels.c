/* Surface accesses of compiled code against the interpreter: geometries, clamping, units, elements and formats, with
 * lanes in rows of all kinds and in none, at and beyond all edges, all and some of them. */
#include "lanes_run.h"

#include "given.h"

#include "engine/compiler.h"
#include "mem/device.h"
#include "mem/layout.h"

enum { THREADS = 64, REGISTERS = 4, RESULTS = THREADS * REGISTERS * 8, BYTES = 3 * RESULTS, WORDS = 4 };
enum { WIDTH = 37, HEIGHT = 19, SLICES = 3 };

/* What a kernel does. */
struct access {
    uint8_t dim, clamp;
    bool sample, formatted, guarded, short_rows, passes;
    bool known; /* coordinates are made of thread indices, else loaded */
    unsigned element, vec, width;
    const struct format *only; /* formatted: that all surfaces have, so that code is made for it; NULL: they differ */
};

static const struct {
    const char *name;
    unsigned bytes;
    bool wide; /* fits registers of 64 bits alone */
} elements[] = {{"b8", 1, false},  {"s8", 1, false},  {"b16", 2, false}, {"s16", 2, false},
                {"b32", 4, false}, {"s32", 4, false}, {"b64", 8, true}};
static const char *const dims[] = {"1d", "1dbuffer", "1darray", "2d", "2darray", "3d", "any"};
static const char *const compiled[] = {"rgba8unorm", "r32float", "rgba32sint", "r32uint"}; /* what there is code for */
static const char *const clamps[] = {"trap", "near", "zero", "border"};

static uint64_t random_state;
static uint32_t draw(uint32_t n)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(random_state >> 33) % n;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static const char *register_of(const struct access *a)
{
    return a->width == 64 ? "rd1" : a->width == 32 ? "r1" : "rh";
}

static unsigned count_of(const struct access *a)
{
    return a->formatted ? REGISTERS : a->vec;
}

static int say_access(const struct access *a, char *out, size_t room, bool store)
{
    char values[80] = "", coordinates[40] = "", name[60];
    unsigned n = lane_geometries[a->dim].coordinates;
    for (unsigned k = 0; k < count_of(a); k++)
        snprintf(values + strlen(values), sizeof values - strlen(values), "%s%s%u", k ? ", " : "", register_of(a), k);
    for (unsigned k = 0; k < n; k++)
        snprintf(coordinates + strlen(coordinates), sizeof coordinates - strlen(coordinates), ", r%u", 4 + k);
    snprintf(name, sizeof name, "%s.%s.%s%s%s%s%s.%s", dims[a->dim], clamps[a->clamp], a->sample ? "sample" : "byte",
             a->formatted ? ".p" : "", a->short_rows ? ".short" : "", store && a->passes ? ".passes" : "",
             count_of(a) == 4   ? ".v4"
             : count_of(a) == 2 ? ".v2"
                                : "",
             a->formatted ? "b32" : elements[a->element].name);
    const char *guard = a->guarded ? "@p0 " : "";
    return store ? snprintf(out, room, "  %ssust.%s rd2%s, %s\n", guard, name, coordinates, values)
                 : snprintf(out, room, "  %s%s = suld.%s rd2%s\n", guard, values, name, coordinates);
}

/* r4 to r6 = coordinates, p0 = whether a lane takes part; rd3 = where its results go, rd2 = the surface. */
static size_t say_head(const struct access *a, char *out, size_t room)
{
    unsigned step = a->sample ? 1 : a->vec * elements[a->element].bytes;
    int n = snprintf(out, room,
                     "lanes 1\nkernel \"k\" params 40 {\n  param \"out\" \"u64\" offset 0 size 8 align 8 count 1\n"
                     "  param \"surface\" \"u64\" offset 8 size 8 align 8 count 1\n"
                     "  param \"table\" \"u64\" offset 16 size 8 align 8 count 1\n"
                     "  param \"x\" \"u32\" offset 24 size 4 align 4 count 1\n"
                     "  param \"y\" \"u32\" offset 28 size 4 align 4 count 1\n"
                     "  param \"z\" \"u32\" offset 32 size 4 align 4 count 1\n"
                     "  reg 16 rh0 rh1 rh2 rh3\n  reg 32 r0 r1 r2 r3 r4 r5 r6 r7 r10 r11 r12 r13\n"
                     "  reg 64 rd0 rd1 rd2 rd3 rd4 rd10 rd11 rd12 rd13\n  reg 1 p0\n"
                     "b0:\n  rd1 = ld.param.b64 [0:32]\n  rd2 = ld.param.b64 [8:32]\n  rd4 = ld.param.b64 [16:32]\n"
                     "  r0 = sreg.tid.x.b32\n  r1 = sreg.tid.y.b32\n  r2 = sreg.ntid.x.b32\n  r3 = mad.u32 r1, r2, r0\n"
                     "  rd3 = madwide.u32 r3, %u, rd1\n  rd4 = madwide.u32 r3, %u, rd4\n  r7 = ld.global.u32 [rd4+12]\n"
                     "  p0 = setp.ne.b32 r7, 0\n",
                     (unsigned)(8 * REGISTERS), 4u * WORDS);
    if (a->known)
        n += snprintf(out + n, room - (size_t)n,
                      "  r4 = ld.param.b32 [24:32]\n  r4 = mad.u32 r0, %u, r4\n  r5 = ld.param.b32 [28:32]\n"
                      "  r5 = add.u32 r1, r5\n  r6 = ld.param.b32 [32:32]\n",
                      step);
    else
        n += snprintf(out + n, room - (size_t)n,
                      "  r4 = ld.global.u32 [rd4]\n  r5 = ld.global.u32 [rd4+4]\n  r6 = ld.global.u32 [rd4+8]\n");
    return (size_t)n;
}

static void say_kernel(const struct access *a, char *out, size_t room)
{
    size_t n = say_head(a, out, room);
    for (unsigned k = 0; k < REGISTERS; k++)
        n += (size_t)snprintf(out + n, room - n,
                              "  r1%u = mul.u32 r3, %u\n  rd1%u = mulwide.u32 r3, 0x%x\n  rh%u = cvt.u16.u32 r3\n", k,
                              0x3ead5713 + k * 0x1357931, k, 0xbeadcaff - k * 0x3173157, k);
    for (unsigned i = 0; i < 3; i++) { /* what is stored first are numbers, then what was loaded */
        for (unsigned k = 0; k < count_of(a); k++)
            n += (size_t)snprintf(out + n, room - n, "  st.global.b%u [rd3+%u], %s%u\n", a->width, RESULTS * i + 8 * k,
                                  register_of(a), k);
        n += (size_t)say_access(a, out + n, room - n, i == 1);
    }
    snprintf(out + n, room - n, "  exit\n}\n");
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

struct machine {
    enum atoll_engine engine;
    struct device *device;
    struct program *program;
    struct surface *surface;
    struct space_block out, table;
    uint64_t out_at, table_at;
    bool ok;
    struct atoll_stats stats;
    char message[sizeof((struct atoll_error *)0)->message];
};

static void open_machine(struct machine *m, enum atoll_engine engine, const struct lane_module *module)
{
    struct atoll_error error;
    *m = (struct machine){.engine = engine};
    if (!device_create(UINT64_C(1) << 24, &m->device, &error) ||
        !space_alloc(device_space(m->device), BYTES, false, false, &m->out_at, &error) ||
        !space_alloc(device_space(m->device), THREADS * WORDS * 4, false, false, &m->table_at, &error) ||
        !program_create(m->device, module, 0, NULL, &m->program, &error))
        fail_msg("%s", error.message);
    assert_true(space_find(device_space(m->device), m->out_at, &m->out));
    assert_true(space_find(device_space(m->device), m->table_at, &m->table));
}

static void close_machine(struct machine *m)
{
    program_destroy(m->program);
    device_destroy(m->device);
}

/* One launch, of which the surface is a part. */
struct work {
    uint32_t block[2];
    int32_t first[3];
    uint32_t table[THREADS][WORDS];
    struct surface_shape shape;
    bool disabled, large;
};

static void launch(struct machine *m, const struct work *work)
{
    struct atoll_error error = {0};
    struct atoll_trap trap;
    if (!surface_make(&work->shape, &m->surface, &error) ||
        !device_add_surface(m->device, m->surface, DEVICE_HEADER_ANY, &error))
        fail_msg("%s", error.message);
    for (uint64_t i = 0; i < m->surface->memory_size && !work->large; i++)
        m->surface->memory[i] = (unsigned char)(i * 2654435761u >> 13);
    if (work->disabled)
        surface_disable(m->surface, true);
    memset(m->out.host, 0, BYTES);
    memcpy(m->table.host, work->table, sizeof work->table);
    uint64_t parameters[5] = {m->out_at, m->surface->handle, m->table_at};
    memcpy(parameters + 3, work->first, sizeof work->first);
    struct atoll_launch_options options = {.grid = {2, 1, 1},
                                           .block = {work->block[0], work->block[1], 1},
                                           .threads = 1,
                                           .order = ATOLL_ORDER_DETERMINISTIC,
                                           .parameters = parameters,
                                           .parameter_bytes = sizeof parameters,
                                           .engine = m->engine};
    m->ok = program_launch(m->program, "k", &options, &m->stats, &trap, &error);
    memcpy(m->message, error.message, sizeof m->message);
}

static void differ(const char *what, uint64_t at, unsigned a, unsigned b, const char *text)
{
    fputs(text, stderr);
    fail_msg("%s %llu is %u, compiled: %u", what, (unsigned long long)at, a, b);
}

static void compare(const struct machine *a, const struct machine *b, const char *text)
{
    if (a->ok != b->ok || strcmp(a->message, b->message)) {
        print_message("%s\n%s\n", a->message, b->message);
        differ("success", 0, a->ok, b->ok, text);
    }
    for (unsigned i = 0; i < BYTES; i++)
        if (a->out.host[i] != b->out.host[i])
            differ("byte", i, a->out.host[i], b->out.host[i], text);
    bool same = !memcmp(a->surface->memory, b->surface->memory, a->surface->memory_size);
    for (uint64_t i = 0; i < a->surface->memory_size && !same; i++)
        if (a->surface->memory[i] != b->surface->memory[i])
            differ("byte of texels", i, a->surface->memory[i], b->surface->memory[i], text);
    if (!a->ok)
        return;
    assert_int_equal(a->stats.surface_accesses, b->stats.surface_accesses);
    assert_int_equal(a->stats.global_accesses, b->stats.global_accesses);
    assert_int_equal(a->stats.warp_instructions, b->stats.warp_instructions);
    assert_int_equal(a->stats.lane_instructions, b->stats.lane_instructions);
}

static void forget_surface(struct machine *m)
{
    device_remove(m->device, m->surface->handle);
    surface_destroy(m->surface);
}

/* ---- what lanes have --------------------------------------------------------------------------------------------- */

/* Lanes in rows of `row`, x from `x` on; or in none. */
static void fill_table(struct work *work, uint32_t step, uint32_t row)
{
    unsigned what = draw(10), odd = draw(THREADS), hole = draw(THREADS);
    for (uint32_t t = 0; t < THREADS; t++) {
        uint32_t *at = work->table[t], column = what == 1 ? t * 7 % row : what == 2 ? row - 1 - t % row : t % row;
        at[0] = (uint32_t)work->first[0] + column * step;
        at[1] = (uint32_t)work->first[1] + (what == 3 ? t % row : what >= 8 ? 0 : t / row); /* 8, 9: rows on rows */
        at[2] = (uint32_t)work->first[2] + (what == 4 ? t / row : 0);
        at[3] = 1;
        if (what == 5 && t == odd)
            at[draw(3)] += draw(2) ? 1u : (uint32_t)-5;
    }
    switch (draw(5)) { /* who takes part */
    case 0:
        work->table[hole][3] = 0;
        break;
    case 1:
        for (uint32_t t = hole; t < THREADS; t++)
            work->table[t][3] = 0;
        break;
    case 2:
        for (uint32_t t = 0; t < THREADS; t++)
            work->table[t][3] = draw(2);
        break;
    default:
        break;
    }
}

static void draw_work(const struct access *a, struct work *work)
{
    static const uint32_t widths[] = {8, 16, 16, 32, 64, 4};
    static const char *const layouts[] = {"pitch", "pitch", "pitch", "block-linear", "tile-y"};
    uint8_t dim = a->dim < LANE_DIM_ANY ? a->dim : (uint8_t)(draw(3) ? LANE_DIM_2D : draw(LANE_DIM_ANY));
    bool rows = lane_has_axis(dim, LANE_AXIS_ROW);
    memset(work, 0, sizeof *work);
    work->block[0] = widths[draw(6)];
    work->block[1] = THREADS / work->block[0];
    work->shape = (struct surface_shape){.dim = dim,
                                         .width = WIDTH + draw(4) * 16,
                                         .height = rows ? HEIGHT : 1,
                                         .depth = lane_has_axis(dim, LANE_AXIS_SLICE) ? SLICES : 1,
                                         .layers = lane_has_axis(dim, LANE_AXIS_LAYER) ? SLICES : 1,
                                         .format = format_find("r32uint"),
                                         .layout = layout_find(layouts[dim == LANE_DIM_1D_BUFFER ? 0 : draw(5)])};
    if (a->formatted || a->dim == LANE_DIM_ANY || draw(4) == 0)
        for (uint32_t n = draw(60); !(work->shape.format = format_at(n));)
            n = draw(60);
    if (a->formatted && draw(2)) /* more often those that have compiled forms */
        work->shape.format = format_find(compiled[draw(4)]);
    if (a->only)
        work->shape.format = a->only;
    if (!strcmp(work->shape.layout->name, "pitch") && dim != LANE_DIM_1D_BUFFER && draw(2))
        work->shape.settings[PITCH_BYTES] =
            ((uint64_t)work->shape.width * work->shape.format->bytes + 7) / 8 * 8 + 8 * draw(9);
    work->disabled = draw(20) == 0;
    unsigned bytes = a->formatted ? work->shape.format->bytes : a->vec * elements[a->element].bytes;
    unsigned step = a->sample ? 1 : bytes, room = work->shape.width * work->shape.format->bytes / bytes;
    /* inside, over an edge, outside */
    int32_t last = (int32_t)room - (int32_t)work->block[0], ends[] = {0, -1, last, last + 1, -20, (int32_t)room + 3, 1};
    work->first[0] = (draw(3) ? (int32_t)draw(last > 0 ? (uint32_t)last + 1 : 1) : ends[draw(7)]) * (int32_t)step;
    work->first[1] = draw(3) ? (int32_t)draw(4) : (int32_t)draw(HEIGHT + 4) - 3;
    work->first[2] = draw(3) ? (int32_t)draw(SLICES) : (int32_t)draw(SLICES + 3) - 2;
    if (!a->sample && draw(12) == 0)
        work->first[0] += 1;
    if (dim == LANE_DIM_1D_ARRAY && draw(2)) /* all threads in one layer */
        work->block[0] = THREADS, work->block[1] = 1;
    fill_table(work, step, draw(3) ? work->block[0] : widths[draw(6)]);
}

/* A surface that is larger than what is written past the caches, rows of whole lines and others. */
static void draw_large(const struct access *a, struct work *work)
{
    memset(work, 0, sizeof *work);
    work->large = true;
    work->block[0] = 16u << draw(3);
    work->block[1] = THREADS / work->block[0];
    work->shape = (struct surface_shape){.dim = LANE_DIM_2D,
                                         .width = 4096,
                                         .height = 2100,
                                         .format = format_find("r32uint"),
                                         .layout = layout_find("pitch")};
    work->first[0] = (int32_t)(draw(64) * (draw(2) ? 16 : 1) * (a->sample ? 1 : 4));
    work->first[1] = (int32_t)draw(1000);
    for (uint32_t t = 0; t < THREADS; t++) {
        work->table[t][0] = (uint32_t)work->first[0] + t % work->block[0] * (a->sample ? 1 : 4);
        work->table[t][1] = (uint32_t)work->first[1] + t / work->block[0];
        work->table[t][3] = 1;
    }
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void run_access(const struct access *a, unsigned launches, bool large)
{
    static char text[1 << 14];
    static struct machine interpreter, jit;
    static struct work work;
    struct lane_module module;
    struct atoll_error error;
    say_kernel(a, text, sizeof text);
    if (!lane_parse(text, strlen(text), &module, &error) || !lane_verify(&module, &error))
        fail_msg("%u: %s\n%s", error.line, error.message, text);
    open_machine(&interpreter, ATOLL_ENGINE_INTERPRETER, &module);
    open_machine(&jit, ATOLL_ENGINE_JIT, &module);
    for (unsigned i = 0; i < launches; i++) {
        (large ? draw_large : draw_work)(a, &work);
        launch(&interpreter, &work);
        launch(&jit, &work);
        compare(&interpreter, &jit, text);
        forget_surface(&interpreter);
        forget_surface(&jit);
    }
    assert_non_null(compile_code(jit.program->jobs[0]));
    close_machine(&interpreter);
    close_machine(&jit);
    lane_module_free(&module);
}

static void draw_access(struct access *a, unsigned n)
{
    static const unsigned widths[] = {16, 32, 32, 64};
    *a = (struct access){.dim = (uint8_t)(n % 7), .clamp = (uint8_t)draw(4), .sample = draw(2), .known = draw(2)};
    a->formatted = draw(3) == 0;
    a->guarded = draw(2);
    a->short_rows = a->clamp == LANE_CLAMP_NEAR && draw(2);
    a->passes = a->dim != LANE_DIM_ANY && draw(2);
    a->element = draw(sizeof elements / sizeof *elements);
    a->vec = 1u << draw(3);
    while (a->vec * elements[a->element].bytes > 16)
        a->vec /= 2;
    a->width = elements[a->element].wide ? 64 : widths[draw(4)];
    if (a->width < 8 * elements[a->element].bytes)
        a->width = 32;
    if (a->formatted)
        a->width = draw(4) ? 32 : 64;
    a->sample = a->sample || a->dim == LANE_DIM_ANY || (a->formatted && draw(2));
    if (a->formatted && draw(2))
        a->only = format_find(compiled[draw(4)]);
}

static void test_accesses(void **state)
{
    (void)state;
    uint64_t first = given_seed(0), n = given_count(70);
    for (uint64_t i = first; i < first + n; i++) {
        struct access a;
        random_state = i * UINT64_C(0x9e3779b97f4a7c15) + 77;
        draw_access(&a, (unsigned)i);
        run_access(&a, 60, false);
    }
}

static void test_large(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct access a = {.dim = LANE_DIM_2D, .element = 4, .vec = 1, .width = 32, .known = i & 1, .sample = i & 2};
        random_state = i;
        a.formatted = a.sample;
        run_access(&a, 6, true);
    }
}

/* For which launches one code is made, by what is known of them. */
static void test_jobs(void **state)
{
    (void)state;
    for (unsigned formatted = 0; formatted < 2; formatted++) {
        static char text[1 << 14];
        static struct machine m;
        struct access a = {
            .dim = LANE_DIM_2D, .element = 4, .vec = 1, .width = 32, .sample = true, .formatted = formatted};
        uint64_t words = UINT64_C(1) << format_index(format_find("r32uint")),
                 same = words | UINT64_C(1) << format_index(format_find("r32float")),
                 bytes = UINT64_C(1) << format_index(format_find("rgba8unorm"));
        struct setting first = {.formats = words}, more = {.formats = words | bytes}, none = {.formats = 0},
                       other = {.formats = words};
        struct lane_module module;
        struct atoll_error error;
        first.tids.known[0] = more.tids.known[0] = none.tids.known[0] = true;
        say_kernel(&a, text, sizeof text);
        assert_true(lane_parse(text, strlen(text), &module, &error) && lane_verify(&module, &error));
        open_machine(&m, ATOLL_ENGINE_JIT, &module);
        assert_true(program_decode(m.program, &error));
        struct compile_job *job = compile_job_for(m.program, &first), *any = compile_job_for(m.program, &more);
        assert_true(job == m.program->jobs[0] && job->setting.formats == (formatted ? words : 0));
        assert_true(any == m.program->jobs[formatted] && !any->setting.formats && any->setting.tids.known[0]);
        assert_ptr_equal(compile_job_for(m.program, &first), job);
        assert_ptr_equal(compile_job_for(m.program, &none), job);
        first.formats = same; /* another format, whose texels are of the same kind */
        assert_ptr_equal(compile_job_for(m.program, &first), job);
        job = compile_job_for(m.program, &other);
        assert_true(job == m.program->jobs[2] && !job->setting.formats && !job->setting.tids.known[0]);
        close_machine(&m);
        lane_module_free(&module);
    }
}

int main(void)
{
    struct atoll_error error;
    setenv("ATOLL_CACHE", "", 1); /* nothing that an earlier run has compiled */
    if (!atoll_engine_available(ATOLL_ENGINE_JIT, &error))
        return 77; /* libLLVM is not there: skipped */
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_accesses), cmocka_unit_test(test_large),
                                       cmocka_unit_test(test_jobs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Atomic operations on global memory and on surfaces: compiled code leaves the same memory, results, counters and traps
 * behind as the interpreter; with several host threads nothing is lost. */
#include "lanes_run.h"

#include "given.h"

#include "engine/compiler.h"
#include "mem/device.h"
#include "mem/surface.h"

enum {
    TEXT = 1 << 14,
    BYTES = 1 << 15,
    OUT = 1 << 14, /* results */
    PROGRAMS = 40,
    SURFACES = 4, /* one that is too large to be held back, three that are not; of the third numbers have a sign; the
                     last is so small that merging is always worth it */
    DRAWN = 3,    /* surfaces of random programs */
    TEXELS = 1 << 19
};

static const struct {
    uint32_t width, height;
    const char *format;
} shapes[SURFACES] = {{512, 200, "r32uint"}, {64, 24, "r32uint"}, {48, 40, "r32sint"}, {16, 2, "rgba8snorm"}};

struct gen {
    char text[TEXT];
    size_t length;
    uint64_t random;
    bool alone; /* of all blocks the first alone does something: with two host threads atomics are indivisible, and
                   results are one thread's */
};

static uint32_t draw(struct gen *g, uint32_t n)
{
    g->random ^= g->random << 13;
    g->random ^= g->random >> 7;
    g->random ^= g->random << 17;
    return (uint32_t)(g->random >> 33) % n;
}

static void say(struct gen *g, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g->length += (size_t)vsnprintf(g->text + g->length, TEXT - g->length, format, args);
    va_end(args);
    assert_true(g->length < TEXT);
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static void say_head(struct gen *g)
{
    say(g, "lanes 1\nkernel \"k\" params 40 {\n  param \"out\" \"u64\" offset 0 size 8 align 8 count 1\n");
    for (unsigned i = 0; i < SURFACES; i++)
        say(g, "  param \"s%u\" \"u64\" offset %u size 8 align 8 count 1\n", i, 8 + 8 * i);
    say(g, "  reg 16 rh0 rh1 rh2 rh3\n  reg 32 r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12\n"
           "  reg 64 rd0 rd1 rd2 rd3 rd4 rd5 rd6 rd7 rd8 rd9 rd10 rd11 rd12\n  reg 1 p0 p1 p2\n"
           "b0:\n  rd0 = ld.param.b64 [0:32]\n  rd1 = ld.param.b64 [8:32]\n  rd2 = ld.param.b64 [16:32]\n"
           "  rd3 = ld.param.b64 [24:32]\n  rd9 = ld.param.b64 [32:32]\n  r0 = sreg.tid.x.b32\n  r1 = "
           "sreg.ctaid.x.b32\n  r8 = mov.b32 0\n"
           "  r9 = mov.b32 0\n  rd8 = mov.b64 0\n");
}

/* What operations get: small numbers and large ones, with signs, often what others have. */
static void say_operands(struct gen *g)
{
    if (g->alone)
        say(g, "  p2 = setp.ne.u32 r1, 0\n  @p2 exit\n");
    say(g, "b1:\n");
    for (unsigned k = 0; k < 3; k++) {
        say(g, "  r%u = mad.u32 r0, %u, r1\n  r%u = add.u32 r%u, r8\n  r%u = mul.u32 r%u, %u\n", 10 + k, draw(g, 9),
            10 + k, 10 + k, 10 + k, 10 + k, draw(g, 2) ? 1 : 0x9e3779b9u);
        if (draw(g, 3) == 0)
            say(g, "  r%u = and.b32 r%u, 3\n", 10 + k, 10 + k);
        say(g, "  rd%u = mulwide.u32 r%u, %u\n  rh%u = cvt.u16.u32 r%u\n", 10 + k, 10 + k, draw(g, 2) ? 1 : 0x9e3779b9u,
            k, 10 + k);
    }
    if (draw(g, 3) == 0)
        say(g, "  r10 = mov.b32 1\n  rd10 = mov.b64 1\n");
}

/* r2, r3: column and row of each lane, mostly of a block as wide as the first number says. True: they lie in all
 * surfaces. */
static bool say_place(struct gen *g)
{
    static const unsigned widths[] = {16, 16, 32, 8, 64, 16};
    unsigned width = widths[draw(g, 6)];
    switch (draw(g, 9)) {
    case 0:
        say(g, "  r2 = mul.u32 r0, %u\n  r2 = and.b32 r2, 31\n  r3 = shr.b32 r0, 5\n", draw(g, 16));
        return true;
    case 1:
        say(g, "  r2 = shr.b32 r0, %u\n  r3 = mov.b32 2\n", 1 + draw(g, 3));
        return true;
    case 2:
        say(g, "  r2 = mov.b32 %u\n  r3 = mov.b32 %u\n", draw(g, 8), draw(g, 8));
        return true;
    case 3: /* beyond an edge, somewhere */
        say(g, "  r2 = and.b32 r0, %u\n  r2 = sub.u32 r2, %u\n  r3 = shr.b32 r0, %u\n", width - 1, draw(g, 5),
            draw(g, 6));
        return false;
    case 4:
        say(g, "  r2 = add.u32 r0, %u\n  r3 = sub.u32 r1, 4\n", draw(g, 4000));
        return false;
    case 5:
        say(g, "  r2 = and.b32 r0, 15\n  r2 = add.u32 r2, %u\n  r3 = shr.b32 r0, 4\n", draw(g, 6));
        return true;
    default:
        say(g, "  r2 = and.b32 r0, %u\n  r3 = div.u32 r0, %u\n", (width > 32 ? 32 : width) - 1, width);
        return true;
    }
}

static const char *say_guard(struct gen *g)
{
    static const char *const guards[] = {"", "", "", "", "@p0 ", "@!p0 ", "@p1 "};
    return guards[draw(g, 7)];
}

struct element {
    const char *type;
    unsigned bytes, width; /* of registers */
};

/* What is read goes into the sums. */
static void say_sum(struct gen *g, unsigned width)
{
    if (width == 64)
        say(g, "  rd8 = xor.b64 rd8, rd4\n  rd8 = mul.u64 rd8, 0x9e3779b97f4a7c15\n");
    else
        say(g, "%s  r9 = mul.u32 r9, 31\n  r9 = add.u32 r9, r4\n", width == 16 ? "  r4 = cvt.u32.u16 rh3\n" : "");
}

static const char *destination(unsigned width)
{
    return width == 64 ? "rd4" : width == 32 ? "r4" : "rh3";
}

static void say_value(struct gen *g, unsigned width, unsigned k)
{
    say(g, ", %s%u", width == 64 ? "rd" : width == 32 ? "r" : "rh", (width == 16 ? 0 : 10) + k);
}

static void say_texels(struct gen *g)
{
    static const char *const reductions[] = {"add", "min", "max", "and", "or"}, *const atomics[] = {"add",  "min",
                                                                                                    "max",  "and",
                                                                                                    "or",   "xor",
                                                                                                    "exch", "cas",
                                                                                                    "sub",  "predec"},
                             *const clamps[] = {"zero", "near", "trap"};
    static const struct element elements[] = {{"u32", 4, 32}, {"s32", 4, 32}, {"u32", 4, 32},
                                              {"s32", 4, 64}, {"u64", 8, 64}, {"s64", 8, 64},
                                              {"u32", 4, 64}, {"u16", 2, 16}, {"s16", 2, 32}};
    bool reads = draw(g, 2), simple = say_place(g);
    const struct element *el = &elements[draw(g, reads ? 9 : 7)];
    const char *op = reads ? atomics[draw(g, 10)] : reductions[draw(g, 5)], *type = el->type;
    static const char *const bits[] = {[2] = "b16", [4] = "b32", [8] = "b64"};
    bool bitwise = strchr("aoxec", *op) && strcmp(op, "add"), sample = draw(g, 3) == 0;
    if (!sample)
        say(g, "  r2 = mul.u32 r2, %u\n", el->bytes);
    const char *guard = say_guard(g);
    say(g, "  %s", guard);
    if (reads)
        say(g, "%s = ", draw(g, 6) ? destination(el->width) : "_");
    bool any = sample && el->bytes == 4 && draw(g, 2); /* the surface decides on the geometry */
    say(g, "%s.%s.%s.%s.%s%s.%s rd%u, r2, r3%s", reads ? "suatom" : "sured", op, any ? "any" : "2d",
        clamps[draw(g, simple ? 3 : 2)], sample ? "sample" : "byte", draw(g, 4) ? "" : ".p",
        bitwise ? bits[el->bytes] : type, 1 + draw(g, DRAWN), any ? ", r0" : "");
    say_value(g, el->width, 0);
    if (!strcmp(op, "cas"))
        say_value(g, el->width, 1);
    say(g, "\n");
    if (reads)
        say_sum(g, el->width);
}

static void say_words(struct gen *g)
{
    static const char *const operations[] = {"add", "min", "max",  "and", "or", "xor",
                                             "inc", "dec", "exch", "cas", "sub"},
                             *const spaces[] = {"global", "global", "generic"},
                             *const orders[] = {"", ".relaxed.gpu", ".relaxed.cta", ".acq_rel.gpu"},
                             *const types[] = {"u32", "s32", "u64", "s64"};
    bool reads = draw(g, 2), is_float = draw(g, 8) == 0;
    unsigned op = is_float ? 0 : draw(g, 11), type = op == 6 || op == 7 ? 0 : draw(g, 4), width = type > 1 ? 64 : 32;
    const char *name = is_float ? (width == 64 ? "f64" : "ftz.f32") : types[type];
    if ((op >= 3 && op <= 5) || op == 8 || op == 9)
        name = width == 64 ? "b64" : "b32";
    say_place(g);
    say(g, "  r3 = and.b32 r3, 63\n  r2 = mad.u32 r3, 16, r2\n  r2 = and.b32 r2, 1023\n");
    say(g, "  rd5 = madwide.u32 r2, %u, rd0\n", width / 8);
    if (draw(g, 4) == 0)
        say(g, "  rd5 = add.u64 rd0, %u\n", 8 * draw(g, 100));
    const char *guard = say_guard(g);
    say(g, "  %s", guard);
    if (reads)
        say(g, "%s = ", destination(width));
    say(g, "%s.%s.%s%s.%s [rd5+%u]", reads ? "atom" : "red", spaces[draw(g, 3)], operations[op],
        orders[draw(g, 10) ? draw(g, 3) : 3], name, 8 * draw(g, 4));
    say_value(g, width, 0);
    if (op == 9)
        say_value(g, width, 1);
    say(g, "\n");
    if (reads)
        say_sum(g, width);
}

/* Goes round, as some lanes do more often than others, and gives the sums. */
static void say_tail(struct gen *g, unsigned rounds)
{
    say(g,
        "  r8 = add.u32 r8, 1\n  r4 = and.b32 r0, %u\n  r4 = add.u32 r4, 3\n  p2 = setp.lt.u32 r8, r4\n  @p2 bra b1\n"
        "b2:\n  r1 = and.b32 r1, 7\n  r2 = mad.u32 r1, 64, r0\n  rd5 = madwide.u32 r2, 16, rd0\n  st.global.u32 "
        "[rd5+%u], r9\n"
        "  st.global.b64 [rd5+%u], rd8\n  exit\n}\n",
        rounds, OUT, OUT + 8);
}

static void say_program(struct gen *g)
{
    say_head(g);
    say(g, "  r4 = and.b32 r0, %u\n  p0 = setp.gt.u32 r4, %u\n  p1 = setp.lt.u32 r0, %u\n", draw(g, 32), draw(g, 16),
        draw(g, 70));
    say_operands(g);
    for (unsigned n = 2 + draw(g, 4); n; n--)
        (draw(g, 2) ? say_texels : say_words)(g);
    if (draw(g, 3) == 0)
        say(g,
            "  r2 = and.b32 r0, 15\n  r3 = shr.b32 r0, 4\n  r4 = suld.2d.zero.sample.b32 rd%u, r2, r3\n  r9 = add.u32 "
            "r9, "
            "r4\n",
            1 + draw(g, DRAWN));
    say_tail(g, draw(g, 2) ? 0 : 3);
}

/* ---- running them ------------------------------------------------------------------------------------------------ */

struct result {
    bool ok;
    unsigned char memory[BYTES], texels[SURFACES][TEXELS];
    struct atoll_stats stats;
    struct atoll_trap trap;
    char message[sizeof((struct atoll_error *)0)->message];
};

struct launch {
    enum atoll_engine engine;
    uint32_t blocks;
    unsigned threads;
    uint32_t width, before; /* of blocks: 0 is 64; of those of a launch before, which code is made for: 0 is none */
};

static void fill(struct space_block *block, struct surface *surfaces[SURFACES])
{
    for (unsigned i = 0; i < BYTES; i++)
        block->host[i] = (unsigned char)(i * 37 >> 3);
    for (unsigned s = 0; s < SURFACES; s++)
        for (unsigned y = 0; y < shapes[s].height; y++)
            for (unsigned x = 0; x < shapes[s].width * 4; x++)
                surfaces[s]->texels[y * surfaces[s]->pitch + x] = (unsigned char)(x * 7 + y * 91);
}

static void keep(const struct space_block *block, struct surface *surfaces[SURFACES], struct result *result)
{
    memcpy(result->memory, block->host, BYTES);
    for (unsigned s = 0; s < SURFACES; s++)
        for (unsigned y = 0; y < shapes[s].height; y++)
            memcpy(result->texels[s] + y * shapes[s].width * 4, surfaces[s]->texels + y * surfaces[s]->pitch,
                   shapes[s].width * 4);
}

static void run_on(const struct launch *how, const struct lane_module *module, const char *text, struct result *result)
{
    struct device *device = NULL;
    struct program *program = NULL;
    struct atoll_error error = {0};
    struct surface *surfaces[SURFACES];
    struct space_block block;
    uint64_t parameters[1 + SURFACES];
    bool ok = device_create(UINT64_C(1) << 24, &device, &error) &&
              space_alloc(device_space(device), BYTES, false, false, &parameters[0], &error);
    for (unsigned s = 0; s < SURFACES; s++) {
        ok = ok &&
             surface_create(LANE_DIM_2D, shapes[s].width, shapes[s].height, 1, 1, format_find(shapes[s].format),
                            layout_find("pitch"), &surfaces[s], &error) &&
             device_add_surface(device, surfaces[s], DEVICE_HEADER_ANY, &error);
        parameters[1 + s] = ok ? surfaces[s]->handle : 0;
    }
    if (!ok || !program_create(device, module, 0, NULL, &program, &error))
        fail_msg("%s\n%s", error.message, text);
    assert_true(space_find(device_space(device), parameters[0], &block));
    struct atoll_launch_options launch = {.grid = {how->blocks, 1, 1},
                                          .block = {how->before, 1, 1},
                                          .threads = how->threads,
                                          .order = how->threads == 1 ? ATOLL_ORDER_DETERMINISTIC : ATOLL_ORDER_PARALLEL,
                                          .parameters = parameters,
                                          .parameter_bytes = sizeof parameters,
                                          .engine = how->engine};
    if (how->before && !program_launch(program, "k", &launch, NULL, NULL, &error))
        fail_msg("%s\n%s", error.message, text);
    launch.block[0] = how->width ? how->width : 64;
    fill(&block, surfaces);
    memset(result, 0, sizeof *result);
    result->ok = program_launch(program, "k", &launch, &result->stats, &result->trap, &error);
    memcpy(result->message, error.message, sizeof result->message);
    keep(&block, surfaces, result);
    assert_true((how->engine == ATOLL_ENGINE_JIT) == (program->jobs[0] && compile_code(program->jobs[0])));
    program_destroy(program);
    for (unsigned s = 0; s < SURFACES; s++) {
        device_remove(device, surfaces[s]->handle);
        surface_destroy(surfaces[s]);
    }
    device_destroy(device);
}

static void compare(const struct result *a, const struct result *b, const char *text)
{
    if (a->ok != b->ok || strcmp(a->message, b->message))
        fail_msg("%d %s, compiled: %d %s\n%s", a->ok, a->message, b->ok, b->message, text);
    for (unsigned i = 0; i < BYTES; i++)
        if (a->memory[i] != b->memory[i])
            fail_msg("byte %u is %u, compiled: %u\n%s", i, a->memory[i], b->memory[i], text);
    for (unsigned s = 0; s < SURFACES; s++)
        for (unsigned i = 0; i < TEXELS; i++)
            if (a->texels[s][i] != b->texels[s][i])
                fail_msg("byte %u of surface %u is %u, compiled: %u\n%s", i, s, a->texels[s][i], b->texels[s][i], text);
#define SAME(counter)                                                                       \
    if (a->stats.counter != b->stats.counter)                                               \
    fail_msg(#counter " is %llu, compiled: %llu\n%s", (unsigned long long)a->stats.counter, \
             (unsigned long long)b->stats.counter, text)
    if (!a->ok)
        return;
    SAME(warp_instructions);
    SAME(lane_instructions);
    SAME(global_accesses);
    SAME(surface_accesses);
    SAME(atomics);
}

static void run_as(const struct gen *g, struct launch how)
{
    static struct result interpreted, jit;
    struct lane_module module;
    struct atoll_error error;
    if (!lane_parse(g->text, g->length, &module, &error) || !lane_verify(&module, &error))
        fail_msg("%u: %s\n%s", error.line, error.message, g->text);
    struct launch alone = {ATOLL_ENGINE_INTERPRETER, how.blocks, 1, how.width, 0};
    run_on(&alone, &module, g->text, &interpreted);
    run_on(&how, &module, g->text, &jit);
    compare(&interpreted, &jit, g->text);
    lane_module_free(&module);
}

static void run_both(const struct gen *g, uint32_t blocks, unsigned threads)
{
    run_as(g, (struct launch){ATOLL_ENGINE_JIT, blocks, threads, 0, 0});
}

static void test_random(void **state)
{
    static struct gen g;
    (void)state;
    uint64_t first = given_seed(1), n = given_count(PROGRAMS);
    for (uint64_t seed = first; seed < first + n; seed++) {
        g = (struct gen){.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
        say_program(&g);
        run_both(&g, 8, 1);
        g = (struct gen){.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1, .alone = true};
        say_program(&g);
        run_both(&g, 2, 2);
    }
}

/* Bodies whose lanes come to texels or words that are not there, or are not aligned; before that they are. */
static const char *const faulty[] = {
    "  r2 = and.b32 r0, 15\n  r2 = add.u32 r2, r8\n  r2 = mul.u32 r2, 4\n  r3 = shr.b32 r0, 4\n"
    "  p0 = setp.eq.u32 r8, 2\n  @p0 r3 = add.u32 r3, 22\n  sured.add.2d.trap.byte.u32 rd2, r2, r3, r10\n",
    "  r2 = and.b32 r0, 15\n  r2 = mul.u32 r2, 4\n  r3 = shr.b32 r0, 4\n  p0 = setp.eq.u32 r8, 2\n"
    "  @p0 r2 = add.u32 r2, 2\n  sured.max.2d.zero.byte.u32 rd1, r2, r3, r10\n",
    "  r2 = and.b32 r0, 15\n  r3 = shr.b32 r0, 4\n  p0 = setp.eq.u32 r8, 2\n  @p0 r2 = sub.u32 r2, 1\n"
    "  r4 = suatom.add.2d.trap.sample.u32 rd1, r2, r3, r10\n  r9 = add.u32 r9, r4\n",
    "  r2 = mad.u32 r8, 4000, r0\n  rd5 = madwide.u32 r2, 4, rd0\n  red.global.add.u32 [rd5], r10\n",
    "  r2 = mad.u32 r8, 2, r0\n  rd5 = cvt.u64.u32 r2\n  rd5 = mul.u64 rd5, 4\n  rd5 = add.u64 rd5, rd0\n"
    "  p0 = setp.eq.u32 r8, 2\n  @p0 rd5 = add.u64 rd5, 2\n  r4 = atom.global.max.u32 [rd5], r10\n  r9 = add.u32 r9, "
    "r4\n",
};

static void run_body(const char *body, uint64_t random)
{
    static struct gen g;
    for (unsigned alone = 0; alone < 2; alone++) {
        g = (struct gen){.random = random, .alone = alone};
        say_head(&g);
        say_operands(&g);
        say(&g, "%s", body);
        say_tail(&g, 3);
        run_both(&g, alone ? 2 : 8, 1 + alone);
    }
}

static void test_faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof faulty / sizeof *faulty; i++)
        run_body(faulty[i], i + 1);
}

/* What is held back again after it was merged; of surfaces that other accesses wait for, and of others. */
static const char *const held[] = {
    "  r2 = and.b32 r0, 15\n  r3 = shr.b32 r0, 4\n  sured.add.2d.zero.sample.u32 rd2, r2, r3, r10\n"
    "  red.global.add.release.gpu.u32 [rd0], 1:32\n  r4 = suld.2d.zero.sample.b32 rd1, r2, r3\n  r9 = add.u32 r9, r4\n",
    "  r2 = and.b32 r0, 7\n  r3 = shr.b32 r0, 3\n  sured.max.2d.zero.sample.u32 rd2, r2, r3, r10\n"
    "  sured.min.2d.zero.sample.p.u32 rd3, r2, r3, r10\n  r4 = suld.2d.zero.sample.b32 rd3, r2, r3\n"
    "  r9 = add.u32 r9, r4\n  sust.2d.zero.sample.b32 rd1, r2, r3, r9\n",
    "  r2 = and.b32 r0, 3\n  sured.add.2d.zero.sample.u32 rd2, r2, 1:32, r10\n"
    "  sured.or.2d.zero.sample.b32 rd3, r2, 1:32, r10\n  r4 = atom.global.add.acq_rel.gpu.u32 [rd0], r10\n"
    "  r9 = add.u32 r9, r4\n  sured.add.2d.zero.sample.u32 rd2, 9:32, 1:32, r10\n",
    /* Nothing is held after the release, something behind the next reduction. */
    "  r2 = and.b32 r0, 15\n  r3 = shr.b32 r0, 4\n  r3 = and.b32 r3, 1\n"
    "  red.global.add.release.gpu.u32 [rd0], 1:32\n  sured.add.2d.zero.sample.u32 rd9, r2, r3, r10\n"
    "  r4 = suld.2d.zero.sample.b32 rd9, r2, r3\n  r9 = mad.u32 r9, 3, r4\n",
    "  r2 = and.b32 r0, 15\n  r3 = shr.b32 r0, 4\n  r3 = and.b32 r3, 1\n"
    "  red.global.add.release.gpu.u32 [rd0], 1:32\n  r4 = mul.u32 r2, 5\n  r4 = and.b32 r4, 15\n"
    "  sured.add.2d.zero.sample.u32 rd9, r4, r3, r10\n",
    /* What is held ends before each load, and is found again behind it: in rows, lane by lane, with another operation.
     */
    "  r2 = and.b32 r0, 15\n  r3 = shr.b32 r0, 4\n  r3 = and.b32 r3, 1\n  r4 = suld.2d.zero.sample.b32 rd9, r2, r3\n"
    "  r9 = mad.u32 r9, 3, r4\n  sured.add.2d.zero.sample.u32 rd9, r2, r3, r10\n"
    "  r4 = suld.2d.zero.sample.b32 rd9, r2, r3\n  r9 = mad.u32 r9, 3, r4\n  r4 = and.b32 r4, 15\n"
    "  sured.add.2d.zero.sample.u32 rd9, r4, 1:32, r10\n  r5 = suld.2d.zero.sample.b32 rd1, r2, r3\n"
    "  sured.add.2d.zero.sample.u32 rd9, r2, r3, r5\n  r4 = suld.2d.zero.sample.b32 rd9, r4, 1:32\n"
    "  r9 = mad.u32 r9, 3, r4\n",
    "  r2 = and.b32 r0, 15\n  r3 = shr.b32 r0, 4\n  r3 = and.b32 r3, 1\n  r4 = suld.2d.zero.sample.b32 rd1, r2, r3\n"
    "  r4 = and.b32 r4, 15\n  sured.add.2d.zero.sample.u32 rd9, r4, r3, r10\n"
    "  sured.add.2d.zero.sample.u32 rd9, r4, r3, 1:32\n  p1 = setp.eq.u32 r8, 3\n"
    "  @p1 sured.max.2d.zero.sample.u32 rd9, r4, r3, r10\n  sured.add.2d.zero.sample.p.u32 rd3, r2, r4, 1:32\n"
    "  r5 = suld.2d.zero.sample.b32 rd1, r2, r4\n  r9 = mad.u32 r9, 3, r5\n",
    /* Numbers of snorm, with their sign and without, beyond the ends of rows that are as short as the access, too. */
    "  r2 = and.b32 r0, 15\n  r3 = shr.b32 r0, 4\n  r3 = and.b32 r3, 1\n"
    "  sured.min.2d.zero.sample.p.snorm.b32 rd9, r2, r3, r10\n  sured.max.2d.near.sample.p.snorm.short.b32 rd9, r3, "
    "r2, r11\n"
    "  r4 = suld.2d.zero.sample.b32 rd9, r2, r3\n  r9 = mad.u32 r9, 3, r4\n",
    "  r2 = and.b32 r0, 15\n  r3 = shr.b32 r0, 4\n  r3 = and.b32 r3, 1\n"
    "  sured.min.2d.zero.sample.p.b32 rd9, r2, r3, r10\n  sured.max.2d.near.sample.p.short.b32 rd9, r3, r2, r11\n"
    "  r4 = suld.2d.zero.sample.b32 rd9, r2, r3\n  r9 = mad.u32 r9, 3, r4\n",
    "  r2 = and.b32 r0, 15\n  r3 = shr.b32 r0, 4\n  r3 = and.b32 r3, 1\n"
    "  r4 = suatom.min.2d.zero.sample.p.snorm.b32 rd9, r2, r3, r10\n  r9 = mad.u32 r9, 3, r4\n"
    "  r4 = suatom.max.2d.zero.sample.p.b32 rd9, r2, r3, r11\n  r9 = mad.u32 r9, 3, r4\n",
};

static void test_held(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        run_body(held[i], i + 1);
}

/* Whole rows, whose results are read: of 32 and 64 bits. */
static void test_rows(void **state)
{
    static const char *const operations[] = {"add",  "min", "max", "and",    "or", "xor",
                                             "exch", "cas", "sub", "predec", "inc"};
    (void)state;
    for (unsigned op = 0; op < sizeof operations / sizeof *operations; op++) {
        char body[1024], letter = op >= 3 && op <= 7 ? 'b' : 'u';
        const char *name = operations[op], *more = op == 7 ? ", r11" : "", *wide = op == 7 ? ", rd11" : "";
        int n = snprintf(body, sizeof body,
                         "  r2 = and.b32 r0, 15\n  r3 = shr.b32 r0, 4\n  rd5 = madwide.u32 r0, 4, rd0\n"
                         "  rd6 = madwide.u32 r0, 8, rd0\n  r4 = suatom.%s.2d.trap.sample.%c32 rd1, r2, r3, r10%s\n"
                         "  r9 = mad.u32 r9, 31, r4\n  r4 = atom.global.%s.%c32 [rd5+256], r10%s\n"
                         "  r9 = mad.u32 r9, 31, r4\n",
                         name, letter, more, name, letter, more);
        if (op != 10)
            snprintf(body + n, sizeof body - (size_t)n,
                     "  rd4 = suatom.%s.2d.trap.sample.%c64 rd1, r2, r3, rd10%s\n  rd8 = add.u64 rd8, rd4\n"
                     "  rd4 = atom.global.%s.%c64 [rd6+1024], rd10%s\n  rd8 = add.u64 rd8, rd4\n",
                     name, letter, wide, name, letter, wide);
        run_body(body, op + 1);
    }
}

/* All at the same places, so that host threads come between each other; nothing that tells in which order, so none
 * with and without a sign at one place. * is the operation, U and S are u and s where it has a sign. */
static const char *const shared[] = {
    "  r2 = and.b32 r0, 15\n  r4 = mul.u32 r2, 8\n  r2 = mul.u32 r2, 4\n  r3 = shr.b32 r0, 4\n"
    "  sured.*.2d.trap.byte.U32 rd1, r2, r3, r10\n  r3 = add.u32 r3, 8\n"
    "  sured.*.2d.trap.byte.S64 rd1, r4, r3, rd10\n",
    "  r2 = mul.u32 r0, 3\n  r2 = and.b32 r2, 31\n  r3 = shr.b32 r0, 5\n  sured.*.2d.zero.sample.U32 rd2, r2, r3, r10\n"
    "  sured.*.2d.near.sample.S32 rd3, r0, 3:32, r11\n  sured.*.2d.near.sample.S32 rd1, r0, 3:32, r11\n",
    "  rd5 = madwide.u32 r0, 4, rd0\n  red.global.*.U32 [rd5], r10\n  red.global.*.S32 [rd5+1028], r10\n"
    "  red.global.*.U64 [rd0+2048], rd10\n  red.generic.*.S64 [rd0+2056], rd11\n",
    "  r2 = mad.u32 r1, 60, r0\n  sured.*.2d.zero.sample.U32 rd1, r2, 3:32, r10\n  r3 = add.u32 r2, 1\n"
    "  sured.*.2d.zero.sample.U32 rd1, r3, 3:32, r11\n",
};

static void test_threads(void **state)
{
    static const char *const operations[] = {"add", "min", "max", "and", "or"};
    static struct gen g;
    (void)state;
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        for (unsigned op = 0; op < 5; op++) {
            g = (struct gen){.random = i * 8 + op + 1};
            say_head(&g);
            say_operands(&g);
            for (const char *at = shared[i]; *at; at++) {
                char letter[2] = {op > 2 ? 'b' : *at == 'U' ? 'u' : 's', 0}, plain[2] = {*at, 0};
                say(&g, "%s", *at == '*' ? operations[op] : *at == 'U' || *at == 'S' ? letter : plain);
            }
            say_tail(&g, 63);
            run_both(&g, 1024, 4);
        }
}

/* Each block has texels and words of its own, with or without results: several host threads do what one does. Other
 * blocks than those for which code was made have others. * is the operation, B is u or b, C what cas gets more. */
static const char *const own[] = {
    "  r2 = sreg.ntid.x.b32\n  r2 = mad.u32 r1, r2, r0\n  r4 = suatom.*.2d.zero.sample.B32 rd1, r2, 3:32, r10C\n"
    "  r9 = mad.u32 r9, 31, r4\n",
    "  r2 = mul.u32 r0, 8\n  rd4 = suatom.*.2d.trap.byte.B64 rd1, r2, r1, rd10D\n  rd8 = add.u64 rd8, rd4\n"
    "  r2 = mul.u32 r0, 4\n  r3 = add.u32 r1, 30\n  _ = suatom.*.2d.trap.byte.B32 rd1, r2, r3, r11C\n",
    "  r2 = sreg.ntid.x.b32\n  r2 = mad.u32 r1, r2, r0\n  rd5 = madwide.u32 r2, 8, rd0\n"
    "  rd4 = atom.global.*.relaxed.gpu.B64 [rd5+64], rd10D\n  rd8 = xor.b64 rd8, rd4\n  r4 = cvt.u32.u64 rd4\n"
    "  r9 = mad.u32 r9, 31, r4\n",
    "  rd5 = madwide.u32 r1, 256, rd0\n  rd6 = madwide.u32 r0, 4, rd5\n  r4 = atom.generic.*.B32 [rd6], r10C\n"
    "  r9 = mad.u32 r9, 31, r4\n  _ = atom.generic.*.B32 [rd6], r11C\n  r4 = suatom.*.2d.near.sample.B32 rd2, r0, r1, "
    "r11C\n"
    "  r9 = mad.u32 r9, 31, r4\n",
};

static void say_own(struct gen *g, const char *body, const char *name)
{
    bool bitwise = !strcmp(name, "and") || !strcmp(name, "or") || !strcmp(name, "xor") || !strcmp(name, "exch"),
         cas = !strcmp(name, "cas");
    say_head(g);
    say_operands(g);
    for (const char *at = body; *at; at++) {
        char plain[2] = {*at, 0};
        say(g, "%s",
            *at == '*'   ? name
            : *at == 'B' ? bitwise || cas ? "b" : "u"
            : *at == 'C' ? cas ? ", r12" : ""
            : *at == 'D' ? cas ? ", rd12" : ""
                         : plain);
    }
    say_tail(g, 7);
}

static void test_own(void **state)
{
    static const char *const operations[] = {"add", "min", "max", "and", "or", "xor", "exch", "cas", "sub"};
    static struct gen g;
    (void)state;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        for (unsigned op = 0; op < sizeof operations / sizeof *operations; op++) {
            g = (struct gen){.random = i * 16 + op + 1};
            say_own(&g, own[i], operations[op]);
            run_as(&g, (struct launch){ATOLL_ENGINE_JIT, 8, 4, 0, 0});
            run_as(&g, (struct launch){ATOLL_ENGINE_JIT, 8, 4, 48, 64});
            run_as(&g, (struct launch){ATOLL_ENGINE_JIT, 8, 4, 64, 17});
        }
}

int main(void)
{
    struct atoll_error error;
    setenv("ATOLL_CACHE", "", 1); /* nothing that an earlier run has compiled */
    if (!atoll_engine_available(ATOLL_ENGINE_JIT, &error))
        return 77; /* libLLVM is not there: skipped */
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_faults), cmocka_unit_test(test_held),
                                       cmocka_unit_test(test_rows),   cmocka_unit_test(test_threads),
                                       cmocka_unit_test(test_own),    cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

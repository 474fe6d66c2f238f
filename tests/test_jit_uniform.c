/* Random kernels of loops and branches over values that all lanes share, thread indices and what is computed of them,
 * of accesses to memory and surfaces at such places, in blocks of many shapes: compiled code, which computes such
 * values once (src/engine/jit/uniform.c) and has gates before accesses (gate.h), leaves the same registers and memory
 * behind as the interpreter, and counts the same. */
#include "lanes_run.h"

#include "given.h"

#include "engine/compiler.h"
#include "mem/device.h"
#include "mem/layout.h"

#include <inttypes.h>

enum {
    TEXT = 1 << 14,
    THREADS = 1024,
    WORDS = 2,
    BYTES = THREADS * WORDS * 8,
    PROGRAMS = 80,
    REGS = 8,
    DEPTH = 3,
    FIXED = 3
};
/* Each thread has a word of its own, behind those of all threads of its row, plane and block: in memory, twice. */
enum { GRID = 3, ROW = 128 * 4, PLANE = 64 * ROW, BLOCK = 40 * PLANE, AREA = GRID * BLOCK, SIDE = 40 };

struct gen {
    char text[TEXT];
    size_t length;
    uint64_t random;
    unsigned blocks, loops; /* labels; loops around the place at hand, each with a counter of its own */
    unsigned left;          /* instructions */
    bool wholes;            /* instructions that all lanes of a warp carry out */
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

/* A register of 32 bits: computed ones, thread indices, what follows from these alone, counters of loops. */
static const char *say_reg(struct gen *g)
{
    static char names[4][8];
    static unsigned turn;
    char *name = names[turn++ % 4];
    unsigned i = draw(g, REGS + 9);
    if (i < REGS)
        snprintf(name, 8, "r%u", i);
    else if (i < REGS + 4)
        snprintf(name, 8, "t%u", i - REGS);
    else if (i < REGS + 7)
        snprintf(name, 8, "%c%u", draw(g, 2) ? 'i' : 'j', draw(g, FIXED));
    else
        snprintf(name, 8, "c%u", draw(g, DEPTH));
    return name;
}

static const char *say_guard(struct gen *g)
{
    static const char *const guards[] = {"", "", "", "", "@p0 ", "@!p1 ", "@q0 "};
    return guards[draw(g, 7)];
}

/* Numbers near which sums wrap around. */
static uint32_t number(struct gen *g)
{
    static const uint32_t numbers[] = {0,  1,          2,          3,          4,          8,          31,
                                       64, 0x7fffffe0, 0x7fffffff, 0x80000000, 0xffffffe8, 0xffffffff, 2654435769};
    return numbers[draw(g, sizeof numbers / sizeof *numbers)];
}

static const char *comparison(struct gen *g)
{
    static const char *const names[] = {"lt", "le", "gt", "ge", "eq", "ne"};
    return names[draw(g, 6)];
}

/* Of numbers that go on from lane to lane with one that all have, either way round, close by; a guard at once. */
static void say_row(struct gen *g)
{
    const char *sign = draw(g, 2) ? "s" : "u";
    uint32_t from = number(g), limit = from + draw(g, 70) - 20;
    if (draw(g, 3) == 0) {
        say(g, "  rd2 = cvt.u64.u32 t0\n  rd2 = add.u64 rd2, %" PRIu64 "\n", (uint64_t)(int64_t)(int32_t)from);
        say(g, "  p0 = setp.%s.%s64 rd2, %" PRIu64 "\n", comparison(g), sign, (uint64_t)(int64_t)(int32_t)limit);
    } else if (draw(g, 2)) {
        say(g, "  r%u = add.u32 t0, %u\n", REGS - 1, from);
        say(g, "  p0 = setp.%s.%s32 r%u, %u\n", comparison(g), sign, REGS - 1, limit);
    } else {
        say(g, "  r%u = add.u32 t0, %u\n", REGS - 1, from);
        say(g, "  p0 = setp.%s.%s32 %u, r%u\n", comparison(g), sign, limit, REGS - 1);
    }
    say(g, "  @%sp0 r%u = add.u32 r0, %u\n", draw(g, 2) ? "!" : "", draw(g, REGS - 1), 1 + draw(g, 9));
}

/* What the whole warp sees: w0 to w2 that it alone writes, w3 that others write, too. */
static void say_whole(struct gen *g)
{
    static const char *const from[] = {"t0", "t1", "t2", "t3", "w0", "w1", "w2", "w3"};
    static const char *const two[] = {"add.whole.u32", "sub.whole.u32", "mul.whole.u32", "min.whole.s32"};
    unsigned d = draw(g, 3);
    switch (draw(g, 7)) {
    case 0:
        say(g, "  w%u = mov.whole.b32 %s\n", draw(g, 4), draw(g, 4) ? from[draw(g, 8)] : say_reg(g));
        break;
    case 1:
        say(g, "  @q0 w%u = add.whole.u32 %s, %u\n", d, from[draw(g, 8)], draw(g, 99));
        break;
    case 2:
        say(g, "  %sw3 = add.u32 %s, %u\n", say_guard(g), say_reg(g), draw(g, 99));
        break;
    case 3:
    case 4:
        say(g, "  %sr%u = add.u32 %s, w%u\n", say_guard(g), draw(g, REGS), say_reg(g), draw(g, 4));
        break;
    case 5:
        say(g, "  w%u = mad.whole.u32 %s, %u, %s\n", d, from[draw(g, 8)], draw(g, 9), from[draw(g, 8)]);
        break;
    default:
        say(g, "  w%u = %s %s, %s\n", d, two[draw(g, 4)], from[draw(g, 8)], from[draw(g, 8)]);
    }
}

static void say_wide(struct gen *g)
{
    const char *sign = draw(g, 2) ? "s" : "u";
    unsigned d = draw(g, 3);
    switch (draw(g, 6)) {
    case 0:
        say(g, "  rd%u = cvt.%s64.%s32 %s\n", 2 + d, sign, sign, say_reg(g));
        break;
    case 1:
        say(g, "  rd%u = mulwide.%s32 %s, %u\n", 2 + d, sign, say_reg(g), number(g));
        break;
    case 2:
        say(g, "  rd%u = madwide.%s32 %s, %u, rd%u\n", 2 + d, sign, say_reg(g), draw(g, 9), 2 + draw(g, 3));
        break;
    case 3:
        say(g, "  %sr%u = cvt.u32.u64 rd%u\n", say_guard(g), draw(g, REGS), 2 + d);
        break;
    default:
        say(g, "  %srd%u = %s.u64 rd%u, rd%u\n", say_guard(g), 2 + d, draw(g, 2) ? "add" : "sub", 2 + draw(g, 3),
            2 + draw(g, 3));
    }
}

static void say_pure(struct gen *g)
{
    static const char *const two[] = {"add.u32", "add.u32", "sub.u32", "mul.u32",
                                      "xor.b32", "and.b32", "min.s32", "max.u32"};
    const char *guard = say_guard(g);
    unsigned d = draw(g, REGS);
    switch (draw(g, 9)) {
    case 0:
        say(g, "  %sr%u = mov.b32 %s\n", guard, d, say_reg(g));
        break;
    case 1:
        say(g, "  %sr%u = add.u32 %s, %u\n", guard, d, say_reg(g), number(g));
        break;
    case 2:
        say(g, "  %sr%u = mul.u32 %s, %u\n", guard, d, say_reg(g), number(g));
        break;
    case 3:
        say(g, "  %sr%u = shl.b32 %s, %u\n", guard, d, say_reg(g), draw(g, 34));
        break;
    case 4:
        say(g, "  %sr%u = mad.u32 %s, %u, %s\n", guard, d, say_reg(g), number(g), say_reg(g));
        break;
    case 5:
        say(g, "  %sr%u = selp.b32 %s, %s, p%u\n", guard, d, say_reg(g), say_reg(g), draw(g, 2));
        break;
    case 6:
        say(g, "  %sp%u = setp.%s.u32 %s, %s\n", guard, draw(g, 2), comparison(g), say_reg(g), say_reg(g));
        break;
    default:
        say(g, "  %sr%u = %s %s, %s\n", guard, d, two[draw(g, 8)], say_reg(g), say_reg(g));
    }
}

/* Of the thread's own words, at rd5; of a surface, which has borders; of a table that is not written. */
static void say_access(struct gen *g)
{
    static const char *const modes[] = {"zero", "near"}, *const by[] = {"t0", "t1", "t2", "t3"};
    const char *guard = say_guard(g);
    unsigned d = draw(g, REGS), area = draw(g, 2) * AREA;
    switch (draw(g, 6)) {
    case 0:
        say(g, "  %sst.global.u32 [rd5+%u], %s\n", guard, area, say_reg(g));
        break;
    case 1:
        say(g, "  %sr%u = ld.global.u32 [rd5+%u]\n", guard, d, area);
        break;
    case 2:
        say(g, "  r8 = and.b32 %s, 15\n  rd7 = madwide.u32 r8, 4, rd0\n  %sr%u = ld.global.u32 [rd7+%u]\n", say_reg(g),
            guard, d, BYTES);
        break;
    case 3:
        say(g, "  rd7 = madwide.u32 %s, %u, rd0\n  %sr%u = ld.global.u32 [rd7+%u]\n", by[draw(g, 4)], 4 * draw(g, 4),
            guard, d, BYTES);
        break;
    default:
        say(g, "  r8 = shl.b32 %s, 2\n  %sr%u = suld.2d.%s.byte.b32 rd6, r8, %s\n", say_reg(g), guard, d,
            modes[draw(g, 2)], say_reg(g));
    }
}

/* Kept within the surface, or within something else; what comes of it is seen later, too. */
static void say_clamped(struct gen *g)
{
    static const char *const by[] = {"t0", "t1", "t0", "t3", "c0"};
    const char *sign = draw(g, 4) ? "s" : "u";
    unsigned d = draw(g, REGS), other = draw(g, REGS);
    say(g, "  r%u = add.u32 %s, %u\n", d, by[draw(g, 5)], draw(g, 3) ? draw(g, 9) - 4 : number(g));
    if (draw(g, 3))
        say(g, "  r%u = max.%s32 r%u, %u\n", d, sign, d, draw(g, 3) ? 0 : draw(g, 9));
    if (draw(g, 3))
        say(g, "  r%u = min.%s32 %u, r%u\n", d, sign, draw(g, 3) ? SIDE - 1 : number(g), d);
    if (draw(g, 4) == 0)
        say(g, "  %sr%u = max.u32 r%u, %s\n", say_guard(g), d, d, by[draw(g, 5)]);
    if (draw(g, 3) == 0)
        say(g, "  rd%u = mulwide.u32 r%u, %u\n", 2 + draw(g, 3), d, draw(g, 9));
    say(g, "  r8 = shl.b32 r%u, 2\n  r%u = suld.2d.%s.byte.b32 rd6, r8, %s\n", d, other, draw(g, 2) ? "zero" : "near",
        by[draw(g, 5)]);
}

static void say_some(struct gen *g)
{
    for (unsigned n = draw(g, 8); n && g->left; n--, g->left--) {
        unsigned kind = draw(g, 6);
        if (g->wholes && draw(g, 3) == 0)
            say_whole(g);
        else if (draw(g, 6) == 0)
            say_clamped(g);
        else
            (kind == 0 ? draw(g, 3) ? say_wide : say_row : kind < 3 ? say_access : say_pure)(g);
    }
}

static void say_all(struct gen *g, unsigned depth);

/* A condition in p2: of lanes, of the block, of all. */
static void say_condition(struct gen *g)
{
    static const char *const by[] = {"t0", "t3", "r0", "r1", "t2", "c0", "r2"};
    if (draw(g, 3) == 0) {
        uint32_t from = number(g);
        say(g, "  r8 = add.u32 %s, %u\n  p2 = setp.%s.%s32 r8, %u\n", by[draw(g, 7)], from, comparison(g),
            draw(g, 2) ? "s" : "u", from + draw(g, 70) - 20);
        return;
    }
    say(g, "  r8 = and.b32 %s, %u\n  p2 = setp.lt.u32 r8, %u\n", by[draw(g, 7)], draw(g, 32), draw(g, 20));
}

static void say_if(struct gen *g, unsigned depth)
{
    unsigned other = g->blocks++, after = g->blocks++;
    say_condition(g);
    say(g, "  @p2 bra b%u\n", other);
    unsigned first = g->blocks++;
    say(g, "b%u:\n", first);
    say_all(g, depth - 1);
    if (draw(g, 12) == 0)
        say(g, "  @p0 bra b999\n");
    unsigned more = g->blocks++;
    say(g, "b%u:\n  bra b%u\nb%u:\n", more, after, other);
    if (draw(g, 2))
        say_all(g, depth - 1);
    say(g, "b%u:\n", after);
}

/* As many turns in all lanes, or as lanes have it. They are few: lanes that wait for long change places with those that
 * run, in compiled code only where they could wait for each other. */
static void say_loop(struct gen *g, unsigned depth)
{
    unsigned head = g->blocks++, after = g->blocks++, counter = depth - 1, turns = 1 + draw(g, 2);
    bool even = draw(g, 2);
    say(g, "  c%u = mov.b32 0\nb%u:\n", counter, head);
    say_all(g, depth - 1);
    if (draw(g, 4) == 0)
        say(g, "  @p1 bra b%u\n", after), say(g, "b%u:\n", g->blocks++);
    say(g, "  c%u = add.u32 c%u, 1\n", counter, counter);
    say(g, "  r8 = and.b32 %s, 1\n  r8 = add.u32 r8, %u\n", even ? "t2" : "t0", turns);
    say(g, "  p2 = setp.lt.u32 c%u, r8\n  @p2 bra b%u\nb%u:\n", counter, head, after);
}

static void say_all(struct gen *g, unsigned depth)
{
    say_some(g);
    for (unsigned n = depth ? 1 + draw(g, 2) : 0; n && g->left; n--) {
        (draw(g, 2) ? say_if : say_loop)(g, depth);
        say_some(g);
    }
}

/* Blocks are renumbered in the order of the text: lane programs have them so. */
static void renumber(struct gen *g)
{
    static char out[TEXT + 4096];
    static unsigned number[1000];
    unsigned n = 0;
    size_t to = 0;
    memset(number, 0, sizeof number);
    for (const char *at = g->text; *at; at++)
        if (at[0] == '\n' && at[1] == 'b')
            number[strtoul(at + 2, NULL, 10)] = n++;
    for (const char *at = g->text; *at; at++) {
        out[to++] = *at;
        bool label = at[0] == 'b' && at[1] >= '0' && at[1] <= '9' && (at[-1] == '\n' || at[-1] == ' ');
        if (label) {
            char *end;
            unsigned long block = strtoul(at + 1, &end, 10);
            to += (size_t)sprintf(out + to, "%u", number[block]);
            at = end - 1;
        }
        assert_true(to < sizeof out - 16);
    }
    out[to] = 0;
    assert_true(to < TEXT);
    memcpy(g->text, out, to + 1);
    g->length = to;
}

/* What is written once, from indices and numbers of fewer bits, with a sign or without. */
static void say_fixed(struct gen *g)
{
    static const char *const from[] = {"cvt.u16.u32 t0", "cvt.u16.u32 t3", "mov.b16 65531",
                                       "mov.b16 32768",  "mov.b16 5",      "cvt.u8.u32 t0",
                                       "cvt.u8.u32 t3",  "mov.b8 251",     "mov.b8 127"};
    static const char *const to[] = {"cvt.s32.s16",   "cvt.u32.u16",       "mulwide.s16 65531", "mulwide.u16 65531",
                                     "mulwide.s16 7", "mulwide.s16 32768", "cvt.s32.s8",        "cvt.u32.u8"};
    enum { FROM16 = 5, FROM = sizeof from / sizeof *from, TO16 = 6, TO = sizeof to / sizeof *to };
    for (unsigned i = 0; i < FIXED; i++) {
        bool half = draw(g, 3);
        const char *how = half ? to[draw(g, TO16)] : to[TO16 + draw(g, TO - TO16)], *by = strchr(how, ' ');
        say(g, "  %c%u = %s\n", half ? 'h' : 'k', i,
            half ? from[draw(g, FROM16)] : from[FROM16 + draw(g, FROM - FROM16)]);
        say(g, "  i%u = %.*s %c%u%s%s\n", i, by ? (int)(by - how) : 99, how, half ? 'h' : 'k', i, by ? "," : "",
            by ? by : "");
        say(g, "  j%u = add.u32 %s, i%u\n", i, draw(g, 2) ? "t0" : "t3", i);
        say(g, draw(g, 2) ? "  rd%u = cvt.u64.u32 %c%u\n" : "  rd%u = mulwide.u32 %c%u, 3\n", 2 + i,
            draw(g, 2) ? 'i' : 'j', i);
    }
}

static void say_program(struct gen *g)
{
    static const char *const warps[] = {"", "", " lanes 32", " lanes 16", " lanes 16 packable", " lanes 8 packable"};
    const char *warp = warps[draw(g, 6)];
    g->blocks = 1;
    g->left = 40;
    g->wholes = warp[0];
    say(g, "lanes 1\nkernel \"k\"%s params 24 {\n", warp);
    say(g,
        "  param \"out\" \"u64\" offset 0 size 8 align 8 count 1\n  param \"n\" \"u32\" offset 8 size 4 align 4 "
        "count 1\n  param \"s\" \"u64\" offset 16 size 8 align 8 count 1\n"
        "  reg 32 r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 t0 t1 t2 t3 c0 c1 c2 w0 w1 w2 w3 i0 i1 i2 j0 j1 j2\n"
        "  reg 16 h0 h1 h2\n  reg 8 k0 k1 k2\n  reg 64 rd0 rd1 rd2 rd3 rd4 rd5 rd6 rd7\n"
        "  reg 1 p0 p1 p2 q0\nb0:\n  rd0 = ld.param.b64 [0:32]\n  t2 = ld.param.b32 [8:32]\n"
        "  t0 = sreg.tid.x.b32\n  t1 = sreg.tid.y.b32\n  t3 = sreg.laneid.b32\n  rd6 = ld.param.b64 [16:32]\n"
        "  r8 = sreg.ctaid.x.b32\n  rd5 = madwide.u32 r8, %u, rd0\n  r8 = sreg.tid.z.b32\n"
        "  rd5 = madwide.u32 r8, %u, rd5\n  rd5 = madwide.u32 t1, %u, rd5\n  rd5 = madwide.u32 t0, 4, rd5\n"
        "  rd5 = add.u64 rd5, %u\n",
        BLOCK, PLANE, ROW, 2 * BYTES);
    for (unsigned i = 0; i < REGS; i++)
        say(g, "  r%u = %s\n", i,
            (const char *[]){"sreg.ctaid.x.b32", "sreg.tid.y.b32", "mov.b32 7", "sreg.tid.z.b32"}[i % 4]);
    say(g, "  q0 = setp.lt.u32 t2, 5\n  p0 = setp.lt.u32 t0, 9\n  p1 = setp.eq.u32 r0, 1\n  rd2 = mulwide.u32 t0, 4\n");
    say_fixed(g);
    for (unsigned n = 6; n; n--)
        say_row(g);
    say_all(g, DEPTH);
    say(g, "b999:\n  r9 = sreg.ntid.x.b32\n  r8 = sreg.tid.y.b32\n  r8 = mad.u32 r8, r9, t0\n  r9 = mul.u32 r9, 4\n"
           "  t1 = sreg.tid.z.b32\n  r8 = mad.u32 t1, r9, r8\n  r8 = and.b32 r8, 1023\n"
           "  rd1 = madwide.u32 r8, 16, rd0\n");
    for (unsigned i = 0; i < REGS; i++)
        say(g, "  c0 = mad.u32 c0, 31, r%u\n", i);
    for (unsigned i = 0; i < 3 && g->wholes; i++) /* w3 is not always alive */
        say(g, "  c0 = mad.u32 c0, 31, w%u\n", i);
    for (unsigned i = 2; i < 5; i++)
        say(g, "  rd2 = mul.u64 rd2, 0x9e3779b97f4a7c15\n  rd2 = add.u64 rd2, rd%u\n", i);
    say(g, "  @p0 c1 = add.u32 c1, 1\n  @p1 c2 = add.u32 c2, 2\n  c1 = add.u32 c1, c2\n  st.global.u32 [rd1], c0\n"
           "  st.global.u32 [rd1+4], c1\n  st.global.u64 [rd1+8], rd2\n  exit\n}\n");
    renumber(g);
}

struct result {
    bool ok;
    unsigned char memory[2 * BYTES + 2 * AREA];
    struct atoll_stats stats;
    char message[sizeof((struct atoll_error *)0)->message];
};

/* Blocks of several shapes, so that code is made for one of them, and for all. */
static void run_on(enum atoll_engine engine, const struct lane_module *module, const struct gen *g,
                   const uint32_t shapes[][3], unsigned count, struct result *results)
{
    struct device *device = NULL;
    struct program *program = NULL;
    struct atoll_error error = {0};
    struct space_block block;
    struct surface *surface = NULL;
    uint64_t parameters[3];
    const struct surface_shape shape = {.format = format_find("r32uint"),
                                        .dim = LANE_DIM_2D,
                                        .width = SIDE,
                                        .height = SIDE,
                                        .depth = 1,
                                        .layout = layout_find("pitch")};
    if (!device_create(UINT64_C(1) << 26, &device, &error) ||
        !space_alloc(device_space(device), sizeof results->memory, false, false, &parameters[0], &error) ||
        !surface_make(&shape, &surface, &error) || !device_add_surface(device, surface, DEVICE_HEADER_ANY, &error) ||
        !program_create(device, module, 0, NULL, &program, &error))
        fail_msg("%s\n%s", error.message, g->text);
    for (uint64_t i = 0; i < surface->memory_size; i++)
        surface->memory[i] = (unsigned char)(i * 2654435761u >> 13);
    parameters[1] = 3;
    parameters[2] = surface->handle;
    assert_true(space_find(device_space(device), parameters[0], &block));
    for (unsigned i = 0; i < count; i++) {
        struct atoll_launch_options launch = {.grid = {GRID, 1, 1},
                                              .threads = 1,
                                              .order = ATOLL_ORDER_DETERMINISTIC,
                                              .parameters = parameters,
                                              .parameter_bytes = sizeof parameters,
                                              .engine = engine};
        memcpy(launch.block, shapes[i], sizeof launch.block);
        memset(block.host, 0, sizeof results->memory);
        for (unsigned k = 0; k < BYTES; k++)
            block.host[BYTES + k] = (unsigned char)(k * 2654435761u >> 11);
        memset(&results[i], 0, sizeof results[i]);
        results[i].ok = program_launch(program, "k", &launch, &results[i].stats, NULL, &error);
        memcpy(results[i].message, error.message, sizeof error.message);
        memcpy(results[i].memory, block.host, sizeof results->memory);
        if (engine == ATOLL_ENGINE_JIT && !results[i].stats.compiled_blocks)
            fail_msg("%s\n%s", results[i].stats.not_compiled ? results[i].stats.not_compiled : "not compiled", g->text);
    }
    program_destroy(program);
    device_remove(device, surface->handle);
    surface_destroy(surface);
    device_destroy(device);
}

static void compare(const struct result *a, const struct result *b, const uint32_t shape[3], const char *text)
{
    if (!a->ok || !b->ok)
        fail_msg("%d %s, compiled: %d %s\n%s", a->ok, a->message, b->ok, b->message, text);
    for (unsigned i = 0; i < BYTES; i++)
        if (a->memory[i] != b->memory[i])
            fail_msg("blocks of %u x %u x %u: byte %u of thread %u is %u, compiled: %u\n%s", shape[0], shape[1],
                     shape[2], i % 16, i / 16, a->memory[i], b->memory[i], text);
    if (memcmp(a->memory, b->memory, sizeof a->memory))
        fail_msg("blocks of %u x %u x %u: what threads have stored differs\n%s", shape[0], shape[1], shape[2], text);
    if (a->stats.warp_instructions != b->stats.warp_instructions ||
        a->stats.lane_instructions != b->stats.lane_instructions)
        fail_msg("%llu instructions of %llu lanes, compiled: %llu of %llu\n%s",
                 (unsigned long long)a->stats.warp_instructions, (unsigned long long)a->stats.lane_instructions,
                 (unsigned long long)b->stats.warp_instructions, (unsigned long long)b->stats.lane_instructions, text);
}

static const uint32_t shapes[][3] = {{32, 1, 1}, {16, 16, 1}, {100, 1, 1}, {8, 4, 3},  {24, 3, 2}, {1, 64, 1},
                                     {4, 4, 4},  {64, 2, 1},  {2, 3, 7},   {33, 2, 1}, {16, 3, 1}, {1, 1, 40}};
enum { SHAPES = sizeof shapes / sizeof *shapes, TURNS = 2 };

static void run_both(const struct gen *g, unsigned first)
{
    static struct result interpreted[TURNS], jit[TURNS];
    uint32_t turns[TURNS][3];
    struct lane_module module;
    struct atoll_error error;
    for (unsigned i = 0; i < TURNS; i++)
        memcpy(turns[i], shapes[(first + i * 5) % SHAPES], sizeof turns[i]);
    if (!lane_parse(g->text, g->length, &module, &error) || !lane_verify(&module, &error))
        fail_msg("%u: %s\n%s", error.line, error.message, g->text);
    run_on(ATOLL_ENGINE_INTERPRETER, &module, g, turns, TURNS, interpreted);
    run_on(ATOLL_ENGINE_JIT, &module, g, turns, TURNS, jit);
    for (unsigned i = 0; i < TURNS; i++)
        compare(&interpreted[i], &jit[i], turns[i], g->text);
    lane_module_free(&module);
}

static void test_random(void **state)
{
    static struct gen g;
    (void)state;
    uint64_t first = given_seed(1), n = given_count(PROGRAMS);
    for (uint64_t seed = first; seed < first + n; seed++) {
        g = (struct gen){.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
        say_program(&g);
        run_both(&g, (unsigned)(seed % SHAPES));
    }
}

/* Lanes that wait have something else in w3, which others have written: the whole warp sees that. */
static void test_whole(void **state)
{
    static struct gen g;
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        g = (struct gen){.random = 1};
        say(&g,
            "lanes 1\nkernel \"k\" lanes %s params 24 {\n  param \"out\" \"u64\" offset 0 size 8 align 8 count 1\n"
            "  reg 32 r0 r1 w0 w3 t0\n  reg 64 rd0\n  reg 1 p0\nb0:\n  rd0 = ld.param.b64 [0:32]\n"
            "  t0 = sreg.laneid.b32\n  r0 = sreg.tid.x.b32\n  r1 = sreg.ntid.x.b32\n"
            "  p0 = setp.lt.u32 t0, 5\n  w3 = mov.b32 9\n  w0 = add.whole.u32 w3, 1\n  @p0 bra b2\nb1:\n"
            "  w3 = add.u32 r1, 5\n  w0 = mov.whole.b32 w3\nb2:\n  r0 = and.b32 r0, 1023\n"
            "  rd0 = madwide.u32 r0, 16, rd0\n  st.global.u32 [rd0], w0\n  exit\n}\n",
            (const char *[]){"32", "16 packable", "8 packable"}[i]);
        for (unsigned shape = 0; shape < SHAPES; shape++)
            run_both(&g, shape);
    }
}

/* A mask of a word joined of two, while other bits of both are masks as well: LLVM 19 never came back from that where
 * the host has masks (AVX-512; src/engine/jit/masks.c). Without the empty blocks it does. */
static void test_masks(void **state)
{
    static struct gen g;
    (void)state;
    g = (struct gen){.random = 1};
    say(&g, "lanes 1\n"
            "kernel \"k\" lanes 16 packable params 24 {\n"
            "  param \"out\" \"u64\" offset 0 size 8 align 8 count 1\n"
            "  param \"n\" \"u32\" offset 8 size 4 align 4 count 1\n"
            "  param \"s\" \"u64\" offset 16 size 8 align 8 count 1\n"
            "  reg 32 r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 t0 t1 t2 t3 c0 c1 c2 w0 w1 w2 w3\n"
            "  reg 64 rd0 rd1 rd2 rd3 rd4 rd5 rd6 rd7\n"
            "  reg 1 p0 p1 p2 q0\n"
            "b0:\n"
            "  rd6 = ld.param.b64 [16:32]\n"
            "  rd1 = ld.param.b64 [0:32]\n"
            "b1:\n"
            "  r8 = add.u32 r2, 2147483648\n"
            "  @p2 bra b12\n"
            "b2:\n"
            "b3:\n"
            "b4:\n"
            "b5:\n"
            "b6:\n"
            "b7:\n"
            "  p0 = setp.le.u32 r7, 2654435811\n"
            "  @!p0 r6 = add.u32 r0, 7\n"
            "  @p0 rd2 = add.u64 rd3, rd3\n"
            "  r0 = add.u32 r1, r0\n"
            "b8:\n"
            "b9:\n"
            "b10:\n"
            "b11:\n"
            "b12:\n"
            "  @p0 r2 = mov.b32 r3\n"
            "b13:\n"
            "b14:\n"
            "b15:\n"
            "  r3 = suld.2d.zero.byte.b32 rd6, r8, t3\n"
            "  p2 = setp.lt.u32 r8, c2\n"
            "  @p2 bra b1\n"
            "b16:\n"
            "  c0 = mad.u32 c0, 31, r6\n"
            "  st.global.u64 [rd1+8], rd2\n"
            "  exit\n"
            "}\n");
    for (unsigned shape = 0; shape < SHAPES; shape++)
        run_both(&g, shape);
}

int main(void)
{
    struct atoll_error error;
    setenv("ATOLL_CACHE", "", 1); /* nothing that an earlier run has compiled */
    if (!atoll_engine_available(ATOLL_ENGINE_JIT, &error))
        return 77; /* libLLVM is not there: skipped */
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole), cmocka_unit_test(test_masks),
                                       cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Random kernels of loads, stores, atomics and surface accesses: compiled code leaves the same memory, counters and
 * traps behind as the interpreter. */
#include "lanes_run.h"

#include "given.h"

#include "engine/compiler.h"
#include "engine/jit/jit.h"
#include "mem/device.h"
#include "mem/surface.h"

enum { STATEMENTS = 4, MANY_STATEMENTS = 80, MANY_EACH = 20 /* of so many programs one is large by itself */ };
enum { TEXT = 1 << 16, BYTES = 16384, SHARED = 4096, WIDTH = 64, HEIGHT = 24, PROGRAMS = 60, HELD_WORTH = 60 };

struct gen {
    char text[TEXT];
    size_t length;
    uint64_t random;
    unsigned width, bytes; /* of the index register; of the access */
    unsigned wide;         /* blocks are so many threads wide, of 64 */
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

/* r3 = a place for each lane, mostly in order. */
static void say_index(struct gen *g)
{
    switch (draw(g, 12)) {
    case 0:
        say(g, "  r3 = mov.b32 %u\n", draw(g, 16));
        return;
    case 9: /* two rows in a warp, where blocks are 16 wide */
        say(g, "  r2 = sreg.tid.y.b32\n  r3 = sreg.tid.x.b32\n  r3 = mad.u32 r2, %u, r3\n",
            draw(g, 2) ? draw(g, 40) : 3);
        return;
    case 10:
        say(g, "  r2 = sreg.tid.y.b32\n  r3 = mad.u32 r2, %u, %u\n", draw(g, 40), draw(g, 8));
        return;
    case 11:
        say(g, "  r3 = sreg.tid.x.b32\n");
        return;
    case 1:
        say(g, "  r3 = xor.b32 r0, %u\n", draw(g, 32));
        return;
    case 2:
        say(g, "  r3 = and.b32 r0, %u\n", draw(g, 32));
        return;
    case 3:
        say(g, "  r3 = mul.u32 r0, %u\n  r3 = and.b32 r3, 63\n", draw(g, 7));
        return;
    case 4:
        say(g, "  r3 = shr.b32 r0, %u\n", draw(g, 5) + 1);
        return;
    case 5:
        say(g, "  r3 = add.u32 r0, r8\n");
        return;
    default:
        say(g, "  r3 = add.u32 r0, %u\n", draw(g, 8));
    }
}

struct element {
    const char *type;
    unsigned bytes, width; /* of the register */
};

static const struct element elements[] = {{"u32", 4, 32}, {"u32", 4, 32}, {"f32", 4, 32}, {"b32", 4, 64},
                                          {"s32", 4, 64}, {"u8", 1, 32},  {"s8", 1, 32},  {"s16", 2, 32},
                                          {"u16", 2, 64}, {"b64", 8, 64}, {"s8", 1, 16},  {"u16", 2, 16}};

static const char *const registers[] = {[16] = "rh", [32] = "r", [64] = "rd"};

/* p0 or nothing */
static const char *say_guard(struct gen *g)
{
    static const char *const guards[] = {"", "", "", "@p0 ", "@!p0 ", "@p1 "};
    return guards[draw(g, 6)];
}

/* The address of element r3 of `bytes` bytes: a register in *space's memory. */
static const char *say_address(struct gen *g, unsigned bytes, const char **space)
{
    switch (draw(g, 8)) {
    case 0:
    case 1:
    case 2:
        *space = "shared";
        say(g, "  r4 = mul.u32 r3, %u\n  r4 = add.u32 r4, &sh+%u\n", bytes, draw(g, 8) * bytes);
        return "r4";
    case 3:
        *space = "generic";
        say(g, "  r4 = mul.u32 r3, %u\n  rd3 = cvt.u64.u32 r4\n  rd3 = add.u64 rd3, 0x1000000\n", bytes);
        return "rd3";
    case 4:
        *space = "shared";
        say(g, "  rd3 = mulwide.u32 r3, %u\n", bytes);
        return "rd3";
    default:
        *space = draw(g, 3) ? "global" : "generic";
        say(g, "  rd3 = madwide.u32 r3, %u, rd1\n", bytes);
        return "rd3";
    }
}

static void say_operands(struct gen *g, const struct element *el, unsigned vec)
{
    unsigned first = el->width == 64 ? 4 : el->width == 32 ? 10 : 0;
    for (unsigned k = 0; k < vec; k++)
        say(g, "%s%s%u", k ? ", " : "", registers[el->width], first + k);
}

/* What was loaded goes into the sums. */
static void say_sums(struct gen *g, const struct element *el, unsigned vec)
{
    for (unsigned k = 0; k < vec; k++) {
        if (el->width == 64)
            say(g, "  rd8 = xor.b64 rd8, rd%u\n  rd8 = mul.u64 rd8, 0x9e3779b97f4a7c15\n", 4 + k);
        else if (el->width == 32)
            say(g, "  r9 = mul.u32 r9, 31\n  r9 = add.u32 r9, r%u\n", 10 + k);
        else
            say(g, "  r9 = mul.u32 r9, 31\n  r2 = cvt.u32.u16 rh%u\n  r9 = add.u32 r9, r2\n", k);
    }
}

static void say_ld_st(struct gen *g)
{
    const struct element *el = &elements[draw(g, sizeof elements / sizeof *elements)];
    unsigned vec = 1u << (draw(g, 2) ? 0 : draw(g, 3));
    const char *space, *address;
    if (el->width != 8 * el->bytes && el->bytes * vec > 16)
        vec = 1;
    say_index(g);
    address = say_address(g, el->bytes * vec, &space);
    const char *guard = say_guard(g), *order = strcmp(space, "shared") || draw(g, 4) ? "" : ".volatile",
               *passes = draw(g, 2) ? ".passes" : "";
    unsigned offset = draw(g, 3) * el->bytes * vec + (draw(g, 80) == 0);
    char vector[16] = "";
    if (vec > 1)
        snprintf(vector, sizeof vector, ".v%u", vec);
    if (draw(g, 2)) {
        say(g, "  %s", guard);
        say_operands(g, el, vec);
        say(g, " = ld.%s%s%s.%s [%s+%u]\n", space, order, vector, el->type, address, offset);
        say_sums(g, el, vec);
    } else {
        say(g, "  %sst.%s%s%s%s.%s [%s+%u], ", guard, space, passes, order, vector, el->type, address, offset);
        say_operands(g, el, vec);
        say(g, "\n");
    }
}

static void say_atomic(struct gen *g)
{
    static const char *const operations[] = {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"};
    static const char *const types[] = {"u32", "s32", "u64", "s64"};
    unsigned op = draw(g, 10), type = op >= 8 ? 0 : draw(g, 4);
    bool is_long = type > 1, bits = op >= 3 && op <= 7;
    const char *name = bits ? (is_long ? "b64" : "b32") : types[type], *space;
    say_index(g);
    const char *address = say_address(g, is_long ? 8 : 4, &space), *r = is_long ? "rd" : "r";
    unsigned first = is_long ? 4 : 10;
    bool red = draw(g, 2) && op < 6;
    say(g, "  %s", say_guard(g));
    if (!red)
        say(g, "%s%u = ", r, first);
    say(g, "%s.%s.%s.%s [%s], %s%u", red ? "red" : "atom", space, operations[op], name, address, r, first + 1);
    if (op == 7)
        say(g, ", %s%u", r, first + 2);
    say(g, "\n");
    if (!red)
        say_sums(g, &elements[is_long ? 9 : 0], 1);
}

static void say_texels(struct gen *g)
{
    static const struct element texels[] = {
        {"b32", 4, 32}, {"b32", 4, 32}, {"b16", 2, 32}, {"b64", 8, 64}, {"b16", 2, 16}};
    static const char *const clamps[] = {"near", "zero", "trap"};
    const struct element *el = &texels[draw(g, 5)];
    unsigned vec = 1u << (draw(g, 2) ? 0 : draw(g, 3)), shape = draw(g, 3);
    vec = el->bytes * vec > 16 ? 1 : vec;
    unsigned bytes = el->bytes * vec, mask = shape == 0 ? 31 : shape == 1 ? 15 : 7;
    const char *clamp = clamps[draw(g, 3)], *guard = say_guard(g);
    bool sample = draw(g, 4) == 0;
    /* in range where it would trap, most of the time */
    int room = (int)(WIDTH * 4 / bytes) - (int)mask - 1;
    int x = !strcmp(clamp, "trap") ? (int)draw(g, room > 0 ? (uint32_t)room : 1) : (int)draw(g, 20) - 6;
    say(g, "  r2 = and.b32 r0, %u\n  r2 = add.u32 r2, %u\n  r3 = shr.b32 r0, %u\n  r3 = add.u32 r3, %u\n", mask,
        (unsigned)x,
        shape == 0   ? 5
        : shape == 1 ? 4
                     : 3,
        (unsigned)draw(g, strcmp(clamp, "trap") ? 24 : 8));
    if (!sample)
        say(g, "  r2 = mul.u32 r2, %u\n", bytes);
    char vector[16] = "";
    if (vec > 1)
        snprintf(vector, sizeof vector, ".v%u", vec);
    const char *unit = sample ? "sample" : "byte";
    if (draw(g, 2)) {
        say(g, "  %s", guard);
        say_operands(g, el, vec);
        say(g, " = suld.2d.%s.%s%s.%s rd2, r2, r3\n", clamp, unit, vector, el->type);
        say_sums(g, el, vec);
    } else {
        say(g, "  %ssust.2d.%s.%s%s.%s rd2, r2, r3, ", guard, clamp, unit, vector, el->type);
        say_operands(g, el, vec);
        say(g, "\n");
    }
}

static void say_sured(struct gen *g)
{
    say(g,
        "  r2 = and.b32 r0, 15\n  r2 = mul.u32 r2, 4\n  r3 = shr.b32 r0, 4\n  %ssured.add.2d.zero.byte.u32 rd2, r2, "
        "r3, r10\n",
        say_guard(g));
}

static void say_head(struct gen *g)
{
    say(g,
        "lanes 1\nsymbol \"sh\" shared size %u align 16\nkernel \"k\" params 16 {\n"
        "  param \"out\" \"u64\" offset 0 size 8 align 8 count 1\n"
        "  param \"surface\" \"u64\" offset 8 size 8 align 8 count 1\n"
        "  reg 16 rh0 rh1 rh2 rh3\n  reg 32 r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13 r14 r15\n"
        "  reg 64 rd0 rd1 rd2 rd3 rd4 rd5 rd6 rd7 rd8\n  reg 1 p0 p1 p2\n"
        "b0:\n  rd1 = ld.param.b64 [0:32]\n  rd2 = ld.param.b64 [8:32]\n  r0 = sreg.tid.x.b32\n"
        "  r2 = sreg.tid.y.b32\n  r0 = mad.u32 r2, %u, r0\n"
        "  r1 = sreg.ctaid.x.b32\n  r4 = mov.b32 &sh\n  r8 = mov.b32 0\n  r9 = add.u32 r0, r1\n"
        "  rd8 = mulwide.u32 r0, 77\n",
        SHARED, g->wide);
}

/* So many instructions that the kernel is large: few passes see it. */
static void say_pad(struct gen *g)
{
    say(g, "  r15 = mov.b32 0\n");
    for (unsigned n = 1; n <= JIT_LARGE; n++)
        say(g, "  r15 = add.u32 r15, %u\n", n);
}

/* Goes round, as some lanes do more often than others, and gives the sums. */
static void say_end(struct gen *g, unsigned more, unsigned block)
{
    say(g,
        "  r8 = add.u32 r8, 1\n  r14 = and.b32 r0, %u\n  r14 = add.u32 r14, 2\n  p2 = setp.lt.u32 r8, r14\n  @p2 bra "
        "b1\n"
        "b%u:\n  r2 = mad.u32 r1, 64, r0\n  rd3 = madwide.u32 r2, 16, rd1\n"
        "  st.global.u32 [rd3+8192], r9\n  st.global.b64 [rd3+8200], rd8\n  exit\n}\n",
        more, block);
}

static void say_tail(struct gen *g, unsigned more)
{
    say_end(g, more, 2);
}

static void say_program(struct gen *g, bool reduces, unsigned statements)
{
    say_head(g);
    if (draw(g, 4) == 0)
        say_pad(g);
    for (unsigned k = 0; k < 4; k++)
        say(g, "  r%u = mul.u32 r9, %u\n  rd%u = mulwide.u32 r9, %u\n  rh%u = cvt.u16.u32 r9\n", 10 + k, 1000 + 77 * k,
            4 + k, 55555 + k, k);
    say(g, "  r14 = and.b32 r0, %u\n  p0 = setp.gt.u32 r14, %u\n  p1 = setp.lt.u32 r0, %u\nb1:\n", draw(g, 32),
        draw(g, 16), draw(g, 70));
    for (unsigned n = statements + draw(g, 8); n; n--) {
        unsigned what = draw(g, 9);
        (reduces && what % 2 ? say_sured : what < 5 ? say_ld_st : what < 7 ? say_texels : say_atomic)(g);
        if (draw(g, 4) == 0)
            say(g, "  r14 = and.b32 r9, 3\n  p0 = setp.gt.u32 r14, %u\n", draw(g, 3));
    }
    say_tail(g, draw(g, 2) ? 0 : 3);
}

struct result {
    bool ok;
    unsigned char memory[BYTES], texels[WIDTH * HEIGHT * 4];
    struct atoll_stats stats;
    struct atoll_trap trap;
    char message[sizeof((struct atoll_error *)0)->message];
};

static void run_on(enum atoll_engine engine, const struct lane_module *module, const struct gen *g,
                   struct result *result)
{
    struct device *device = NULL;
    struct program *program = NULL;
    struct atoll_error error = {0};
    struct surface *surface = NULL;
    struct space_block block;
    uint64_t parameters[2];
    if (!device_create(UINT64_C(1) << 24, &device, &error) ||
        !space_alloc(device_space(device), BYTES, false, false, &parameters[0], &error) ||
        !surface_create(LANE_DIM_2D, WIDTH, HEIGHT, 1, 1, format_find("r32uint"), layout_find("pitch"), &surface,
                        &error) ||
        !device_add_surface(device, surface, DEVICE_HEADER_ANY, &error) ||
        !program_create(device, module, 0, NULL, &program, &error))
        fail_msg("%s\n%s", error.message, g->text);
    parameters[1] = surface->handle;
    assert_true(space_find(device_space(device), parameters[0], &block));
    for (unsigned i = 0; i < BYTES; i++)
        block.host[i] = (unsigned char)(i * 37 >> 3);
    for (unsigned y = 0; y < HEIGHT; y++)
        for (unsigned x = 0; x < WIDTH * 4; x++)
            surface->texels[y * surface->pitch + x] = (unsigned char)(x * 7 + y * 91);
    struct atoll_launch_options launch = {.grid = {8, 1, 1},
                                          .block = {g->wide, 64 / g->wide, 1},
                                          .threads = 1,
                                          .order = ATOLL_ORDER_DETERMINISTIC,
                                          .parameters = parameters,
                                          .parameter_bytes = sizeof parameters,
                                          .engine = engine};
    memset(result, 0, sizeof *result);
    result->ok = program_launch(program, "k", &launch, &result->stats, &result->trap, &error);
    memcpy(result->message, error.message, sizeof result->message);
    memcpy(result->memory, block.host, BYTES);
    for (unsigned y = 0; y < HEIGHT; y++)
        memcpy(result->texels + y * WIDTH * 4, surface->texels + y * surface->pitch, WIDTH * 4);
    struct jit_code *code = program->jobs[0] ? (struct jit_code *)compile_code(program->jobs[0]) : NULL;
    assert_true((engine == ATOLL_ENGINE_JIT) == (code != NULL));
    const char *tight = getenv("ATOLL_TIGHT"); /* else code is that is too heavy otherwise */
    assert_true(!code || code->tight || !tight || !*tight);
    program_destroy(program);
    device_remove(device, surface->handle);
    surface_destroy(surface);
    device_destroy(device);
}

static void compare(const struct result *a, const struct result *b, const char *text)
{
    if (a->ok != b->ok || strcmp(a->message, b->message))
        fail_msg("%d %s, compiled: %d %s\n%s", a->ok, a->message, b->ok, b->message, text);
    for (unsigned i = 0; i < BYTES; i++)
        if (a->memory[i] != b->memory[i])
            fail_msg("byte %u is %u, compiled: %u\n%s", i, a->memory[i], b->memory[i], text);
    for (unsigned i = 0; i < sizeof a->texels; i++)
        if (a->texels[i] != b->texels[i])
            fail_msg("texel byte %u is %u, compiled: %u\n%s", i, a->texels[i], b->texels[i], text);
#define SAME(counter)                                                                       \
    if (a->stats.counter != b->stats.counter)                                               \
    fail_msg(#counter " is %llu, compiled: %llu\n%s", (unsigned long long)a->stats.counter, \
             (unsigned long long)b->stats.counter, text)
    if (!a->ok)
        return;
    SAME(warp_instructions);
    SAME(lane_instructions);
    SAME(divergent_branches);
    SAME(global_accesses);
    SAME(shared_accesses);
    SAME(surface_accesses);
    SAME(atomics);
}

static void run_both(const struct gen *g)
{
    static struct result interpreted, jit;
    struct lane_module module;
    struct atoll_error error;
    if (!lane_parse(g->text, g->length, &module, &error) || !lane_verify(&module, &error))
        fail_msg("%u: %s\n%s", error.line, error.message, g->text);
    run_on(ATOLL_ENGINE_INTERPRETER, &module, g, &interpreted);
    run_on(ATOLL_ENGINE_JIT, &module, g, &jit);
    compare(&interpreted, &jit, g->text);
    lane_module_free(&module);
}

static void test_random(void **state)
{
    static struct gen g;
    (void)state;
    uint64_t first = given_seed(1), n = given_count(PROGRAMS);
    for (uint64_t seed = first; seed < first + n; seed++) {
        g = (struct gen){.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1,
                         .wide = seed % 4 < 2    ? 16
                                 : seed % 4 == 2 ? 64
                                                 : 8};
        say_program(&g, seed % 3 == 0, seed % MANY_EACH ? STATEMENTS : MANY_STATEMENTS);
        run_both(&g);
    }
}

/* What random programs seldom come to. */
static const char *const bodies[] = {
    /* loads see reductions that are held back */
    "  r2 = and.b32 r0, 31\n  r2 = mul.u32 r2, 4\n  r3 = shr.b32 r0, 5\n"
    "  sured.add.2d.trap.byte.u32 rd2, r2, r3, 3:32\n  sured.add.2d.trap.byte.u32 rd2, r2, r3, r0\n"
    "  r10 = suld.2d.trap.byte.b32 rd2, r2, r3\n  r9 = add.u32 r9, r10\n"
    "  sured.add.2d.trap.byte.u32 rd2, r2, r3, r1\n  sust.2d.trap.byte.b32 rd2, r2, r1, r9\n",
    /* one lane's address is not aligned, or lies outside */
    "  r4 = mul.u32 r0, 12\n  r4 = and.b32 r4, 1023\n  p0 = setp.eq.u32 r0, 37\n  @p0 r4 = add.u32 r4, 2\n"
    "  r10 = atom.shared.add.u32 [r4], r0\n  r9 = add.u32 r9, r10\n",
    "  r4 = mul.u32 r0, 12\n  r4 = and.b32 r4, 1023\n  p0 = setp.eq.u32 r0, 37\n  @p0 r4 = add.u32 r4, 2\n"
    "  @!p0 red.shared.add.u32 [r4], r0\n  @p0 red.shared.add.u32 [r4-2], r0\n  red.shared.add.u32 [r4], r0\n",
    "  r4 = shl.b32 r0, 6\n  red.shared.max.u32 [r4], r0\n  r4 = add.u32 r4, 64\n  red.shared.max.u32 [r4], r0\n",
    "  r4 = mov.b32 4094\n  red.shared.add.u32 [r4-2], r0\n  red.shared.add.u32 [r4], r0\n",
    "  r4 = shl.b32 r1, 12\n  red.shared.add.u32 [r4], r0\n",
    "  r4 = mul.u32 r0, 12\n  r4 = and.b32 r4, 1023\n  p0 = setp.eq.u32 r0, 37\n  @p0 r4 = add.u32 r4, 4096\n"
    "  r10 = ld.shared.u32 [r4]\n  r9 = add.u32 r9, r10\n",
    "  r4 = mul.u32 r0, 12\n  r4 = and.b32 r4, 1023\n  p0 = setp.eq.u32 r0, 37\n  @p0 r4 = add.u32 r4, 1\n"
    "  @!p0 st.shared.u32 [r4], r0\n  st.shared.u16 [r4+2], r0\n",
    /* a row that ends beyond the region, of which the last lane does not run */
    "  rd3 = madwide.u32 r0, 8, rd1\n  p0 = setp.lt.u32 r0, 63\n  @p0 st.global.v2.u32 [rd3+15880], r0, r1\n"
    "  @p0 rd4 = ld.global.b64 [rd3+15880]\n  rd8 = add.u64 rd8, rd4\n",
    "  rd3 = madwide.u32 r0, 8, rd1\n  st.global.v2.u32 [rd3+15880], r0, r1\n",
    /* spread over memory that others see: elements as words, as they are, and in parts; some lanes beyond it */
    "  r4 = mul.u32 r0, 37\n  r4 = and.b32 r4, 127\n  rd3 = madwide.u32 r4, 4, rd1\n"
    "  rh0, rh1, rh2, rh3 = ld.global.v4.u8 [rd3+4]\n  st.global.v2.u16 [rd3], rh1, rh3\n"
    "  r10, r11 = ld.global.v2.s16 [rd3]\n  r9 = add.u32 r9, r11\n  rd3 = madwide.u32 r4, 16, rd1\n"
    "  r10, r11, r12, r13 = ld.global.v4.u32 [rd3]\n  r9 = add.u32 r9, r12\n  st.global.v2.u32 [rd3+8], r13, r10\n",
    "  p0 = setp.lt.u32 r0, 40\n  r4 = mul.u32 r0, 409\n  rd3 = madwide.u32 r4, 1, rd1\n"
    "  @p0 r10 = ld.global.u8 [rd3]\n  @p0 st.global.u8 [rd3+1], r0\n  r11 = ld.global.u8 [rd3]\n  r9 = add.u32 r9, "
    "r11\n",
    "  p0 = setp.lt.u32 r0, 41\n  r4 = mul.u32 r0, 409\n  rd3 = madwide.u32 r4, 1, rd1\n"
    "  @p0 st.global.u8 [rd3], r0\n  st.global.u8 [rd3+1], r0\n",
    "  r4 = mul.u32 r0, 44\n  p0 = setp.eq.u32 r0, 29\n  @p0 r4 = add.u32 r4, 2\n  rd3 = madwide.u32 r4, 1, rd1\n"
    "  @!p0 r10 = ld.global.u32 [rd3]\n  r11 = ld.global.u32 [rd3]\n",
    /* addresses of 32 bits */
    "  r4 = cvt.u32.u64 rd1\n  r4 = mad.u32 r0, 4, r4\n  r10 = ld.global.u32 [r4+8]\n  st.global.u32 [r4+4], r10\n",
};

static void test_bodies(void **state)
{
    static struct gen g;
    (void)state;
    for (size_t n = 0, count = sizeof bodies / sizeof *bodies; n < 2 * count; n++) {
        size_t i = n % count;
        g = (struct gen){.wide = 64};
        say_head(&g);
        if (n >= count)
            say_pad(&g);
        say(&g, "b1:\n");
        for (unsigned k = 0; k < (i ? 0 : HELD_WORTH); k++) /* worth holding back */
            say(&g, "  sured.add.2d.trap.byte.u32 rd2, %u:32, %u:32, r0\n", k % WIDTH * 4, k % HEIGHT);
        say(&g, "%s", bodies[i]);
        say_tail(&g, 3);
        run_both(&g);
    }
}

/* ---- atomics on shared memory ------------------------------------------------------------------------------------ */

/* r4 = addresses, in different ways; an operation on them by some lanes. */
static void say_update(struct gen *g, const char *op, const char *type, bool is_long, const char *address,
                       const char *guard, bool wanted)
{
    const char *r = is_long ? "rd" : "r";
    unsigned first = is_long ? 4 : 10;
    say(g, "%s  %s%s%u = atom.shared.%s.%s [r4+%u], %s%u", address, guard, r,
        wanted    ? first
        : is_long ? 7u
                  : 13u,
        op, type, is_long ? 8u : 4u, r, first + 1);
    if (!strcmp(op, "cas"))
        say(g, ", %s%u", r, first + 2);
    say(g, "\n");
    if (wanted)
        say_sums(g, &elements[is_long ? 9 : 0], 1);
}

static const char *const update_addresses[] = {
    /* known to lie in it */
    "  r4 = mul.u32 r9, 7\n  r4 = and.b32 r4, 120\n  r4 = add.u32 r4, &sh\n",
    "  r4 = shl.b32 r0, 26\n  r4 = shr.b32 r4, 23\n",
    /* not known, but they do; many the same */
    "  r4 = and.b32 r9, 504\n  r4 = min.u32 r4, 64\n",
    "  r4 = mul.u32 r0, 8\n",
    /* all the same */
    "  r4 = mov.b32 &sh+48\n",
    "  r4 = and.b32 r1, 1\n  r4 = mul.u32 r4, 8\n",
    /* four neighbours the same; others, too */
    "  r4 = shr.b32 r0, 2\n  r4 = add.u32 r4, r8\n  r4 = and.b32 r4, 31\n  r4 = mul.u32 r4, 8\n",
    "  r4 = shr.b32 r0, 2\n  r4 = add.u32 r4, r8\n  r4 = and.b32 r4, 3\n  r4 = mul.u32 r4, 8\n",
};

/* Each operation, its result read or not, of all lanes, of some, of one, of none. */
static void test_updates(void **state)
{
    static const char *const operations[] = {"add", "sub",  "min", "max", "and", "or",
                                             "xor", "exch", "cas", "inc", "dec"};
    static const char *const guards[] = {"", "@p0 ", "@p1 ", "@!p2 "};
    static struct gen g;
    (void)state;
    for (unsigned n = 0; n < 11 * 4; n++) {
        const char *op = operations[n / 4];
        bool is_long = n & 1, is_signed = n & 2, bits = n / 4 >= 4 && n / 4 <= 8, counts = n / 4 >= 9;
        if ((is_signed && (bits || n / 4 < 2)) || (counts && n % 4))
            continue;
        const char *type = bits        ? (is_long ? "b64" : "b32")
                           : is_signed ? (is_long ? "s64" : "s32")
                           : is_long   ? "u64"
                                       : "u32";
        g = (struct gen){.random = n + 1, .wide = 64};
        say_head(&g);
        for (unsigned k = 0; k < 4; k++)
            say(&g, "  r%u = mul.u32 r9, %u\n  rd%u = mulwide.u32 r9, %u\n", 10 + k, 0x9e3779b1u * (k + 1), 4 + k,
                0x85ebca6bu * (k + 1));
        say(&g, "b1:\n  p0 = setp.gt.u32 r9, 700\n  p1 = setp.eq.u32 r0, 37\n  p2 = setp.lt.u32 r0, 64\n");
        for (unsigned k = 0; k < 24; k++)
            say_update(&g, op, type, is_long, update_addresses[k % 6], guards[draw(&g, 8) < 4 ? k / 6 : 0],
                       draw(&g, 2));
        say(&g,
            "  r4 = and.b32 r0, 63\n  r4 = mul.u32 r4, 8\n  rd4 = ld.shared.b64 [r4+8]\n  rd8 = add.u64 rd8, rd4\n");
        say_tail(&g, n % 3);
        run_both(&g);
    }
}

/* ---- compare-and-swap loops -------------------------------------------------------------------------------------- */

/* Before the loop: r10 or rd4 = what was seen. */
static void say_seen(struct gen *g, bool is_long, unsigned offset)
{
    const char *seen = is_long ? "rd4" : "r10", *type = is_long ? "b64" : "b32";
    unsigned how = draw(g, 9);
    if (how < 7)
        say(g, "  %s = ld.shared.%s.%s [r4+%u]\n", seen, draw(g, 2) ? "volatile" : "weak", type,
            how ? offset : offset + 8);
    else
        say(g, "  %s = mov.%s %u\n", seen, type, draw(g, 3));
    if (how == 1)
        say(g, "  red.shared.add.u32 [r4+%u], 1:32\n", offset);
    if (how == 2)
        say(g, "  r4 = xor.b32 r4, 64\n");
    if (how == 3)
        say(g, "  r13 = add.u32 r13, 3\n");
}

/* The loop: block b3. */
static void say_cas_loop(struct gen *g, bool is_long, unsigned offset)
{
    static const char *const steps[] = {"1", "1", "1", "7", "0x7fffffff", "0x4000000", "0x10000000", "0"};
    const char *by = steps[draw(g, 8)], *seen = is_long ? "rd4" : "r10", *new = is_long ? "rd5" : "r11",
               *old = is_long ? "rd6" : "r12";
    unsigned bits = is_long ? 64 : 32, form = draw(g, 8);
    say(g, "b3:\n");
    if (form == 0)
        say(g, "  %s = add.u%u %s, %s\n", new, bits, by, seen);
    else if (form == 1)
        say(g, "  %s = max.u%u %s, 5\n", new, bits, seen);
    else
        say(g, "  %s = %s.u%u %s, %s\n", new, draw(g, 4) ? "add" : "sub", bits, seen, by);
    if (form == 2)
        say(g, "  r13 = xor.b32 r0, %s\n", is_long ? "r0" : "r10");
    say(g, "  %s = atom.shared.cas.b%u [r4+%u], %s, %s\n", old, bits, offset, seen, new);
    if (form == 3)
        say(g, "  r13 = add.u32 r13, 1\n");
    bool same = draw(g, 3) == 0, turned = draw(g, 2);
    say(g, "  p1 = setp.%s.b%u %s, %s\n  %s = mov.b%u %s\n  @%sp1 bra b3\nb4:\n", same ? "eq" : "ne", bits,
        turned ? seen : old, turned ? old : seen, seen, bits, old, same ? "!" : "");
    for (unsigned k = 0; k < 3; k++)
        if (draw(g, 2) && is_long)
            say(g, "  rd8 = mul.u64 rd8, 77\n  rd8 = xor.b64 rd8, rd%u\n", 4 + k);
        else if (draw(g, 2))
            say(g, "  r9 = mul.u32 r9, 77\n  r9 = xor.b32 r9, r%u\n", 10 + k);
    if (draw(g, 2))
        say(g, "  r9 = mul.u32 r9, 31\n  r9 = add.u32 r9, r13\n  @p1 r9 = add.u32 r9, 9\n");
}

static void test_cas_loops(void **state)
{
    static struct gen g;
    (void)state;
    for (uint64_t n = 0, all = given_count(90); n < all; n++) {
        g = (struct gen){.random = (n + 1) * UINT64_C(0x9e3779b97f4a7c15), .wide = 64};
        bool is_long = draw(&g, 3) == 0;
        unsigned offset = draw(&g, 3) * 8, more = draw(&g, 4);
        say_head(&g);
        say(&g, "  r10 = mov.b32 0\n  r11 = mov.b32 0\n  r12 = mov.b32 0\n  r13 = mov.b32 0\n  rd4 = mov.b64 0\n"
                "  rd5 = mov.b64 0\n  rd6 = mov.b64 0\nb1:\n");
        say(&g, "%s", update_addresses[draw(&g, 8)]);
        if (draw(&g, 20) == 0)
            say(&g, "  p0 = setp.eq.u32 r0, 37\n  @p0 r4 = add.u32 r4, %u\n", draw(&g, 2) ? 2 : 4096);
        say(&g, "  p0 = setp.gt.u32 r0, %u\n", draw(&g, 64));
        if (draw(&g, 2))
            say(&g, "  @p0 bra b%u\n", draw(&g, 3) ? 3 : 4);
        say(&g, "b2:\n");
        say_seen(&g, is_long, offset);
        say_cas_loop(&g, is_long, offset);
        say_end(&g, more == 3 ? 7 : more, 5); /* fewer rounds than FAIR_TURNS: their order is seen */
        run_both(&g);
    }
}

int main(void)
{
    struct atoll_error error;
    setenv("ATOLL_CACHE", "", 1); /* nothing that an earlier run has compiled */
    if (!atoll_engine_available(ATOLL_ENGINE_JIT, &error))
        return 77; /* libLLVM is not there: skipped */
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bodies), cmocka_unit_test(test_updates),
                                       cmocka_unit_test(test_cas_loops), cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

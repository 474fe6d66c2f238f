/* Command streams run, by the clients of the memory controller: inputs two by two and tiled, uncached outputs,
 * constants of all kinds, what lies at the ends of the memory; programs that do not end; late lookups. */
#include "isa/ctm/text.h"
#include "machine_rig.h"

#define PROGRAM "set_inst_fmt base=0x10000\n"
#define OUT     "set_out_fmt base=0x20000 pitch=16 format=FLOAT32_4 height=8\nset_domain i1=15 j1=7\n"
#define COPY    ".dpp\n r1 = TEXLD(s0, r0) unscaled wait acquire\n out0 = r1 wait\n"

enum { W = 16, H = 8 };

/* Puts the executable of a program's text at `address`, as far as the memory goes. */
static void store_text(struct rig *rig, const char *text, uint32_t address)
{
    struct arena arena = {0};
    struct ctm_program program;
    struct text elf = {0};
    if (!ctm_assemble(&arena, text, strlen(text), NULL, &program, &rig->error) ||
        !ctm_elf_write(&program, &elf, &rig->error))
        fail_msg("%u: %s", rig->error.line, rig->error.message);
    size_t room = MEMORY + MEMORY_SIZE - address;
    memcpy(machine_at(rig->machine, address, 1), elf.bytes, elf.length < room ? elf.length : room);
    text_free(&elf);
    arena_free(&arena);
}

/* ---- inputs and outputs ------------------------------------------------------------------------------------ */

static float clamped(const float from[H][W], unsigned x, unsigned y)
{
    return from[y < H ? y : H - 1][x < W ? x : W - 1];
}

/* Red, green, blue and alpha are (x + 1, y), (x, y + 1), (x + 1, y + 1) and (x, y), each at the edge if it is beyond.
 */
static void check_quads(struct rig *rig, const float in[H][W], unsigned width)
{
    const float(*out)[W][4] = machine_at(rig->machine, 0x20000, sizeof(float[H][W][4]));
    for (unsigned y = 0; y < H; y++)
        for (unsigned x = 0; x + 1 < width; x++) {
            const float want[4] = {clamped(in, x + 1, y), clamped(in, x, y + 1), clamped(in, x + 1, y + 1), in[y][x]};
            if (memcmp(out[y][x], want, sizeof want) != 0)
                fail_msg("(%u, %u): %g %g %g %g", x, y, (double)out[y][x][0], (double)out[y][x][1],
                         (double)out[y][x][2], (double)out[y][x][3]);
        }
}

static void test_quads(void **state)
{
    (void)state;
    struct rig rig;
    float in[H][W], tiled[H][2 * W] = {{0}};
    struct atoll_surface *surface;
    rig_open(&rig, NULL);
    store_text(&rig, COPY, 0x10000);
    for (unsigned i = 0; i < W * H; i++)
        tiled[i / W][i % W] = in[i / W][i % W] = (float)(i + 1);
    memcpy(machine_at(rig.machine, 0x30000, sizeof in), in, sizeof in);
    rig_run(&rig, PROGRAM OUT
            "set_inp_fmt base=0x30000 pitch=16 tiling=LINEAR_INP_2X2 format=FLOAT32_1 height=8\nstart_program");
    check_quads(&rig, (const float(*)[W])in, W + 1);
    /* Tiles of this format are 32 wide. */
    rig_run(&rig, "set_inp_fmt base=0x34000 pitch=32 tiling=TILED format=FLOAT32_1 height=8");
    assert_true(machine_surface(rig.machine, "in0", &surface, &rig.error) &&
                atoll_surface_write(surface, tiled, sizeof tiled, &rig.error));
    rig_run(&rig, "set_inp_fmt base=0x34000 pitch=32 tiling=TILED_INP_2X2 format=FLOAT32_1 height=8\nstart_program");
    check_quads(&rig, (const float(*)[W])in, W);
    /* Of an output the two by two is ignored. */
    rig_run(&rig, "set_inp_fmt base=0x30000 pitch=16 format=FLOAT32_1 height=8\n"
                  "set_out_fmt base=0x20000 pitch=16 tiling=LINEAR_INP_2X2 format=FLOAT32_1 height=8\nstart_program");
    assert_memory_equal(machine_at(rig.machine, 0x20000, sizeof in), in, sizeof in);
    rig_close(&rig);
}

/* From rows to tiles and back, in all formats; both passes in one stream. */
static void test_tiles(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned bytes;
    } formats[] = {{"UINT16_1", 2}, {"UINT8_4", 4}, {"FLOAT32_1", 4}, {"FLOAT32_2", 8}, {"FLOAT32_4", 16}};
    enum { WIDE = 64, HIGH = 20, WHOLE = 32 }; /* whole tiles: of at most 16 rows */
    struct rig rig;
    rig_open(&rig, NULL);
    store_text(&rig, COPY, 0x10000);
    for (unsigned f = 0; f < 5; f++) {
        char text[600];
        unsigned bytes = WIDE * HIGH * formats[f].bytes, whole = WIDE * WHOLE * formats[f].bytes;
        unsigned char *in = machine_at(rig.machine, 0x20000, whole), *tiles = machine_at(rig.machine, 0x40000, whole),
                      *out = machine_at(rig.machine, 0x60000, whole), *texels;
        struct atoll_surface *surface;
        memset(tiles, 0, whole);
        memset(out, 0x55, whole);
        for (unsigned i = 0; i < bytes; i++)
            in[i] = (unsigned char)(i * 167 >> 3);
        for (unsigned i = 0; i < bytes / 4 && f >= 2; i++)
            ((float *)(void *)in)[i] = (float)i - 77.25f;
        snprintf(text, sizeof text,
                 PROGRAM "set_domain i1=63 j1=19\n"
                         "set_inp_fmt base=0x20000 pitch=64 format=%s height=20\n"
                         "set_out_fmt base=0x40000 pitch=64 tiling=TILED format=%s height=20\nstart_program\n"
                         "set_inp_fmt base=0x40000 pitch=64 tiling=TILED format=%s height=20\n"
                         "set_out_fmt base=0x60000 pitch=64 format=%s height=20\nstart_program\n",
                 formats[f].name, formats[f].name, formats[f].name, formats[f].name);
        rig_run(&rig, text);
        assert_memory_equal(in, out, bytes);
        assert_memory_not_equal(in, tiles, bytes);
        for (unsigned i = bytes; i < whole; i++) /* beyond the last row */
            assert_int_equal(out[i], 0x55);
        texels = malloc(bytes);
        assert_true(machine_surface(rig.machine, "in0", &surface, &rig.error) &&
                    atoll_surface_read(surface, texels, bytes, &rig.error));
        assert_memory_equal(texels, in, bytes);
        free(texels);
    }
    rig_close(&rig);
}

/* Each processor stores 1 + i + 16 j at (14 - i, 7 - j); what falls out of the surface is dropped, masks do not count.
 */
static void test_uncached(void **state)
{
    (void)state;
    static const char text[] = ".dpp\n.uncached\n"
                               " r1.rgb = r0.g * c0.b + r0.r\n"
                               " r1.r = r1.r + 1\n"
                               " r1.g = c0.r - r0.r\n"
                               " r1.b = c0.g - r0.g\n"
                               " umrt_own = r1 wait\n";
    static const float constants[] = {14, 7, 16, 0};
    for (unsigned seeded = 0; seeded < 2; seeded++) {
        struct rig rig;
        rig_open(&rig, &(struct machine_options){.order = seeded ? ATOLL_ORDER_SEEDED : ATOLL_ORDER_DETERMINISTIC,
                                                 .seed = 5});
        store_text(&rig, text, 0x10000);
        memcpy(machine_at(rig.machine, 0x28000, 16), constants, 16);
        float *memory = machine_at(rig.machine, 0x20000 - 64, sizeof(float) * (W * H + 32));
        for (unsigned i = 0; i < W * H + 32; i++)
            memory[i] = -1;
        /* no flush: they go past the cache */
        rig_run(&rig, PROGRAM "set_constf_fmt base=0x28000\nset_out_mask\nset_domain i1=15 j1=7\n"
                              "set_out_fmt base=0x20000 pitch=16 format=FLOAT32_1 height=8\nstart_program");
        for (unsigned i = 0; i < W * H + 32; i++) {
            unsigned x = (i - 16) % W, y = (i - 16) / W;
            bool inside = i >= 16 && i < 16 + W * H && x < 15;
            float want = inside ? (float)(1 + (14 - x) + 16 * (7 - y)) : -1;
            if (memory[i] != want)
                fail_msg("seeded %u, element %u: %g, wanted %g", seeded, i, (double)memory[i], (double)want);
        }
        rig_close(&rig);
    }
}

/* ---- constants --------------------------------------------------------------------------------------------- */

#define LOOPS                                         \
    ".dpp\n.floats c0-c15\n r1 = 0\n"                 \
    " LOOP i3\n r1.r = r1.r + c[aL+0].r\n ENDLOOP\n"  \
    " IF b2\n r1.g = 1\n ELSE\n r1.g = 0.5\n ENDIF\n" \
    " out0 = r1 wait\n"

static void test_constants(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, NULL);
    store_text(&rig, LOOPS, 0x10000);
    float(*constants)[4] = machine_at(rig.machine, 0x28000, 16 * 16);
    const float *out = machine_at(rig.machine, 0x20000, 16);
    unsigned char *ints = machine_at(rig.machine, 0x2a000, 128), *bools = machine_at(rig.machine, 0x2b000, 128);
    for (unsigned i = 0; i < 16; i++)
        constants[i][0] = (float)(1u << i);
    memset(ints, 0xff, 128);
    memset(bools, 0, 128);
    rig_fails(&rig, PROGRAM OUT "set_constf_fmt base=0x28000\nstart_program",
              "word 16 (start_program): the program reads integer constant 3: set_consti_fmt was not issued");
    rig_fails(&rig, "set_consti_fmt base=0x110000\nstart_program",
              "word 3 (start_program): integer constant 3, 4 bytes at 0x0011000c, is outside of the memory");
    memcpy(ints + 12, (const unsigned char[]){4, 2, 3, 0xee}, 4); /* the fourth byte is nobody's */
    rig_run(&rig, "set_consti_fmt base=0x2a000\nstart_program");  /* booleans that nobody set are false */
    assert_true(out[0] == (1 << 2) + (1 << 5) + (1 << 8) + (1 << 11) && out[1] == 0.5f);
    memcpy(bools + 8, (const unsigned char[]){0, 1, 1, 1}, 4);
    memcpy(ints + 12, (const unsigned char[]){3, 10, 0xfc, 0}, 4); /* down by 4 */
    rig_run(&rig, "set_constb_fmt base=0x2b000\nstart_program");
    assert_true(out[0] == (1 << 10) + (1 << 6) + (1 << 2) && out[1] == 0.5f);
    bools[8] = 0x80; /* fetched at each start, too */
    ints[12] = 0;
    rig_run(&rig, "start_program");
    assert_true(out[0] == 0 && out[1] == 1);
    rig_run(&rig, "set_constb_fmt base=0x110000\nstart_program"); /* no note lists booleans */
    assert_true(out[1] == 0.5f);
    rig_close(&rig);
}

/* ---- programs that do not end ------------------------------------------------------------------------------- */

#define FOREVER ".dpp\nagain: r1 = r1 + 1\n FC JUMP func=0xff any addr=again\n out0 = r1 wait\n"

static void test_forever(void **state)
{
    (void)state;
    static const struct machine_options limits[] = {
        {.instruction_limit = 10000},
        {.time_limit = 2},
        {.instruction_limit = 10000, .order = ATOLL_ORDER_SEEDED, .seed = 3},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rig rig;
        rig_open(&rig, &limits[i]);
        store_text(&rig, FOREVER, 0x10000);
        store_index(&rig, 0x14000);
        rig_fails(&rig, PROGRAM OUT "wait_idle\nstart_program\nset_domain", "word 15 (start_program): ");
        assert_non_null(strstr(rig.error.message, "limit"));
        assert_int_equal(rig.error.status, ATOLL_LIMIT);
        assert_int_equal(rig.stats.commands, 5);
        /* The machine goes on, with its state and a fresh limit. */
        rig_run(&rig, "set_inst_fmt base=0x14000\nstart_program\nflush_out_cache");
        const float *last = machine_at(rig.machine, 0x20000 + 16 * (W * H - 1), 16);
        assert_true(last[0] == W - 1 && last[1] == H - 1);
        rig_close(&rig);
    }
}

/* ---- the ends of the memory ---------------------------------------------------------------------------------- */

enum { END = MEMORY + MEMORY_SIZE };

/* What just fits runs, one row or byte more does not. The memory ends at 0x110000. */
static void test_ends(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says; /* NULL: it fits */
    } cases[] = {
        {PROGRAM "set_inp_fmt base=0x10f800 pitch=16 format=FLOAT32_4 height=8\n" OUT "start_program", NULL},
        {PROGRAM "set_inp_fmt base=0x10f800 pitch=16 format=FLOAT32_4 height=9\n" OUT "start_program",
         "word 18 (start_program): input 0: 2304 bytes at 0x0010f800 are outside of the memory"},
        {PROGRAM "set_inp_fmt base=0x10f800 pitch=32 tiling=TILED format=FLOAT32_1 height=1\n" OUT "start_program",
         NULL},
        {PROGRAM "set_inp_fmt base=0x10f800 pitch=32 tiling=TILED format=FLOAT32_1 height=17\n" OUT "start_program",
         "input 0: 4096 bytes at 0x0010f800"},
        {PROGRAM "set_inp_fmt base=0x20000 pitch=16 format=4 height=8\n"
                 "set_out_fmt base=0x10f800 pitch=16 format=4 height=9\nstart_program",
         "word 13 (start_program): output 0: 2304 bytes at 0x0010f800 are outside of the memory"},
        {PROGRAM "set_inp_fmt base=0x20000 pitch=16 format=4 height=8\n"
                 "set_out_fmt base=0xfffff800 pitch=4092 format=4 height=4095\nstart_program",
         "output 0: 268107840 bytes at 0xfffff800 are outside of the memory"},
        {PROGRAM "set_inp_fmt base=0x8000 pitch=4096 format=4 height=1\n" OUT "start_program",
         "input 0: 65536 bytes at 0x00008000 are outside of the memory"}, /* it ends within */
        {PROGRAM "set_inp_fmt base=0x20000 pitch=16 format=4 height=8\n" OUT
                 "set_cond_out_fmt base=0x10f800 pitch=512 format=2 height=2\nset_cond_out_mask writemask=1\n"
                 "start_program",
         "the conditional output buffer: 4096 bytes at 0x0010f800 are outside of the memory"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rig rig;
        rig_open(&rig, NULL);
        store_text(&rig, COPY, 0x10000);
        unsigned char *memory = machine_at(rig.machine, MEMORY + 0x4000, MEMORY_SIZE - 0x4000);
        memset(memory, 0, MEMORY_SIZE - 0x4000);
        if (cases[i].says) {
            rig_fails(&rig, cases[i].text, cases[i].says);
            assert_int_equal(rig.error.status, ATOLL_INPUT);
            for (size_t at = 0; at < MEMORY_SIZE - 0x4000; at++) /* nothing was begun */
                assert_int_equal(memory[at], 0);
        } else {
            rig_run(&rig, cases[i].text);
        }
        rig_close(&rig);
    }
}

/* A client lies in one arena, even where the next one begins at its end. An executable may end with the arena. */
static void test_arenas(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, NULL);
    assert_true(machine_memory(rig.machine, END, 0x1000, NULL, &rig.error));
    store_text(&rig, COPY, 0x10000);
    rig_run(&rig, PROGRAM OUT "set_inp_fmt base=0x110000 pitch=16 format=FLOAT32_4 height=16\nstart_program");
    rig_fails(&rig, "set_inp_fmt base=0x110000 pitch=16 format=FLOAT32_4 height=17\nstart_program",
              "input 0: 4352 bytes at 0x00110000 are outside of the memory");
    rig_fails(&rig, "set_inp_fmt base=0x10f800 pitch=16 format=FLOAT32_4 height=16\nstart_program",
              "input 0: 4096 bytes at 0x0010f800 are outside of the memory");
    rig_run(&rig, "set_inp_fmt base=0x10f800 pitch=16 format=FLOAT32_4 height=8\nstart_program");
    struct text sum = {0}; /* more than 0x800 bytes */
    text_puts(&sum, ".dpp\n");
    for (unsigned i = 0; i < 100; i++)
        text_puts(&sum, " r0 = r0 + 1\n");
    text_puts(&sum, " out0 = r0 wait\n");
    assert_true(text_ok(&sum));
    store_text(&rig, sum.bytes, 0x10f000);
    rig_run(&rig, "set_inst_fmt base=0x10f000\nstart_program");
    assert_true(*(const float *)machine_at(rig.machine, 0x20000, 4) == 100);
    store_text(&rig, sum.bytes, 0x10f800); /* cut off */
    rig_fails(&rig, "set_inst_fmt base=0x10f800\nstart_program", "word 3 (start_program): the program at 0x0010f800: ");
    assert_int_equal(rig.error.status, ATOLL_INPUT);
    text_free(&sum);
    store_text(&rig, COPY, 0x10f800);
    rig_run(&rig, "set_inst_fmt base=0x10f800\nstart_program");
    rig_fails(&rig, "set_inst_fmt base=0xf800\nstart_program",
              "word 3 (start_program): the program's base 0x0000f800 is outside of the memory");
    rig_run(&rig, PROGRAM "start_program");
    rig_close(&rig);
}

/* ---- surfaces, seeds ------------------------------------------------------------------------------------------ */

/* Surfaces that come and go with each start leave the device as it was. */
static void test_many(void **state)
{
    (void)state;
    for (unsigned seeded = 0; seeded < 2; seeded++) {
        struct rig rig;
        struct atoll_surface *surface;
        struct text words = {0};
        rig_open(&rig, &(struct machine_options){.order = seeded ? ATOLL_ORDER_SEEDED : ATOLL_ORDER_DETERMINISTIC,
                                                 .threads = 1});
        store_text(&rig, COPY, 0x10000);
        rig_run(&rig, PROGRAM OUT "set_domain");
        for (unsigned i = 0; i < 2000; i++)
            text_puts(&words, "set_inp_fmt base=0x30000 pitch=4 height=1\n"
                              "set_out_fmt base=0x20000 pitch=4 height=1\nstart_program\n");
        rig_run(&rig, words.bytes);
        text_free(&words);
        assert_int_equal(rig.stats.launches, 2000);
        assert_true(machine_surface(rig.machine, "out0", &surface, &rig.error));
        assert_true(atoll_surface_handle(surface) < 1024);
        rig_close(&rig);
    }
}

/* Which of the starts of a stream see a lookup that they do not wait for, a bit each. */
static unsigned seen(uint64_t seed)
{
    static const char text[] = ".dpp\n r1 = TEXLD(s0, r0) unscaled acquire\n out0 = r1\n";
    struct rig rig;
    unsigned bits = 0;
    rig_open(&rig, &(struct machine_options){.order = ATOLL_ORDER_SEEDED, .seed = seed});
    store_text(&rig, text, 0x10000);
    float *in = machine_at(rig.machine, 0x30000, 16), *out = machine_at(rig.machine, 0x20000, 16);
    in[0] = 7;
    rig_run(&rig, PROGRAM OUT "set_inp_fmt base=0x30000 pitch=16 format=FLOAT32_4 height=8");
    for (unsigned i = 0; i < 8; i++) {
        rig_run(&rig, "start_program\nflush_out_cache");
        assert_true(out[0] == 0 || out[0] == 7);
        bits |= (unsigned)(out[0] == 7) << i;
    }
    rig_close(&rig);
    return bits;
}

/* The seed of the options draws where lookups land, for each start anew. */
static void test_late(void **state)
{
    (void)state;
    unsigned first = 0, mixed = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        unsigned bits = seen(seed);
        assert_int_equal(bits, seen(seed));
        first += bits & 1;
        mixed += bits != 0 && bits != 255;
    }
    assert_true(first > 3 && first < 17);
    assert_true(mixed > 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quads),     cmocka_unit_test(test_tiles),   cmocka_unit_test(test_uncached),
        cmocka_unit_test(test_constants), cmocka_unit_test(test_forever), cmocka_unit_test(test_ends),
        cmocka_unit_test(test_arenas),    cmocka_unit_test(test_many),    cmocka_unit_test(test_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Command streams run: domains, formats, masks, conditions, constants, counters, and what is refused. */
#include "machine_rig.h"

#define PROGRAM "set_inst_fmt base=0x10000\n"
#define OUT     "set_out_fmt output=0 base=0x20000 pitch=16 format=FLOAT32_4 height=8\n"
#define DOMAIN  "set_domain i0=2 j0=1 i1=9 j1=6\n"
#define COND    "set_cond_out_fmt base=0x30000 pitch=16 format=FLOAT32_1 height=8\n"

typedef float texel[4];

static texel *texels(struct rig *rig, uint32_t address)
{
    return machine_at(rig->machine, address, 16 * 8 * sizeof(texel));
}

/* Both ends of a domain are in it, and nothing else is. */
static void test_domain(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, NULL);
    store_index(&rig, 0x10000);
    texel *out = texels(&rig, 0x20000);
    rig_run(&rig, PROGRAM OUT DOMAIN "start_program\n");
    for (unsigned y = 0; y < 8; y++)
        for (unsigned x = 0; x < 16; x++) {
            bool in = x >= 2 && x <= 9 && y >= 1 && y <= 6;
            const texel want = {in ? (float)x : 0, in ? (float)y : 0, 0, in};
            assert_memory_equal(out[16 * y + x], want, sizeof want);
        }
    assert_int_equal(rig.stats.launches, 1);
    assert_int_equal(rig.stats.commands, 4);
    /* State stays: the next stream has all of it. After power-on the domain is (0, 0). */
    memset(out, 0, 16 * 8 * sizeof *out);
    rig_run(&rig, "set_domain i0=9 i1=2 j1=7\nstart_program\nset_domain i1=3 j0=1 j1=0\nstart_program\n");
    assert_int_equal(rig.stats.launches, 0);
    rig_run(&rig, "set_domain\nstart_program");
    assert_true(out[0][3] == 1 && out[1][3] == 0 && out[16][3] == 0);
    rig_close(&rig);
}

/* Elements beyond the surface are dropped; the largest domain there is. */
static void test_large(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, NULL);
    store_index(&rig, 0x10000);
    rig_run(&rig, PROGRAM OUT "set_domain i1=4095 j1=4095\nstart_program\n");
    texel *out = texels(&rig, 0x20000);
    for (unsigned i = 0; i < 16 * 8; i++)
        assert_true(out[i][0] == (float)(i % 16) && out[i][1] == (float)(i / 16));
    assert_true(out[16 * 8][3] == 0);
    rig_close(&rig);
}

/* Formats and tiles: memory is laid out as a surface of the same description. */
static void test_formats(void **state)
{
    (void)state;
    static const char *const names[] = {"UINT16_1", "UINT8_4", "FLOAT32_1", "FLOAT32_2", "FLOAT32_4"};
    static const unsigned channels[] = {1, 4, 1, 2, 4};
    struct rig rig;
    rig_open(&rig, NULL);
    store_index(&rig, 0x10000);
    for (unsigned format = 0; format < 5; format++)
        for (unsigned tiled = 0; tiled < 2; tiled++) {
            char text[300];
            float values[64 * 4];
            struct atoll_surface *surface;
            struct atoll_surface_desc desc;
            memset(machine_at(rig.machine, 0x20000, 0x8000), 0, 0x8000);
            snprintf(text, sizeof text,
                     PROGRAM "set_out_fmt base=0x20000 pitch=64 tiling=%u format=%s height=16\n"
                             "set_domain i1=63 j1=15\nstart_program\n",
                     tiled, names[format]);
            rig_run(&rig, text);
            assert_true(machine_surface(rig.machine, "out0", &surface, &rig.error));
            atoll_surface_describe(surface, &desc);
            assert_true(desc.width == 64 && desc.height == 16);
            if (format < 2)
                continue;
            unsigned n = channels[format];
            float *all = malloc((size_t)atoll_surface_size(surface));
            assert_true(atoll_surface_read(surface, all, atoll_surface_size(surface), &rig.error));
            for (unsigned i = 0; i < 64 * 16; i++) {
                values[0] = (float)(i % 64);
                values[1] = (float)(i / 64);
                values[2] = 0;
                values[3] = 1;
                assert_memory_equal(all + (size_t)i * n, values, n * sizeof(float));
            }
            free(all);
        }
    rig_close(&rig);
}

static void test_masks(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, NULL);
    store_index(&rig, 0x10000);
    texel *out = texels(&rig, 0x20000);
    for (unsigned i = 0; i < 16 * 8; i++)
        for (unsigned c = 0; c < 4; c++)
            out[i][c] = -7;
    rig_run(&rig, PROGRAM OUT DOMAIN "set_out_mask writemask=10\nstart_program\n");
    const texel want = {-7, 1, -7, 1}, outside = {-7, -7, -7, -7};
    assert_memory_equal(out[16 + 2], want, sizeof want);
    assert_memory_equal(out[0], outside, sizeof want);
    rig_close(&rig);
}

/* v condition b, by the PE with set_cond_val's v, or for outputs with the program's. */
static void test_conditions(void **state)
{
    (void)state;
    static const char *const names[] = {"never", "lt", "le", "eq", "ge", "gt", "ne", "always"};
    for (unsigned condition = 0; condition < 8; condition++)
        for (unsigned pe = 0; pe < 2; pe++) {
            char text[400];
            struct rig rig;
            rig_open(&rig, NULL);
            if (pe)
                store_index(&rig, 0x10000);
            else
                store_conditional(&rig, 0x10000);
            float *cond = machine_at(rig.machine, 0x30000, 16 * 8 * sizeof(float));
            for (unsigned i = 0; i < 16 * 8; i++)
                cond[i] = (float)(i / 16);
            snprintf(text, sizeof text,
                     PROGRAM OUT COND "set_domain i1=15 j1=7\nset_cond_val value=3.0\nset_cond_test condition=%s\n"
                                      "set_cond_loc loc=%s\nset_cond_out_mask writemask=1\nstart_program\n",
                     names[condition], pe ? "PE" : "DPP");
            rig_run(&rig, text);
            texel *out = texels(&rig, 0x20000);
            for (unsigned i = 0; i < 16 * 8; i++) {
                float b = (float)(i / 16), v = pe ? 3 : (float)(i % 16);
                bool pass[] = {0, v<b, v <= b, v == b, v >= b, v> b, v != b, 1};
                bool written = out[i][1] == b && (out[i][0] != 0 || out[i][1] != 0 || out[i][3] != 0);
                if (i && written != pass[condition])
                    fail_msg("%s in the %s, element %u: %d", names[condition], pe ? "PE" : "DPP", i, written);
                assert_true(cond[i] == (pass[condition] ? v : b));
            }
            rig_close(&rig);
        }
}

static void test_constants(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, NULL);
    store_constant(&rig, 0x10000, 3);
    float *constants = machine_at(rig.machine, 0x28000, 64);
    for (unsigned i = 0; i < 16; i++)
        constants[i] = (float)i;
    rig_fails(&rig, PROGRAM OUT "start_program",
              "word 8 (start_program): the program reads float constant 3: set_constf_fmt was not issued");
    rig_fails(&rig, "set_constf_fmt base=0x110000\nstart_program",
              "float constant 3, 16 bytes at 0x00110030, is outside of the memory");
    rig_run(&rig, "set_constf_fmt base=0x28000\nstart_program");
    assert_memory_equal(texels(&rig, 0x20000)[0], constants + 12, sizeof(texel));
    constants[13] = 99; /* they are fetched at each start */
    rig_run(&rig, "start_program");
    assert_memory_equal(texels(&rig, 0x20000)[0], constants + 12, sizeof(texel));
    rig_close(&rig);
}

/* A program is loaded once, and again when its bytes are others. */
static void test_program(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, NULL);
    store_index(&rig, 0x10000);
    store_constant(&rig, 0x14000, 0);
    float *constant = machine_at(rig.machine, 0x28000, 16);
    constant[0] = 5;
    texel *out = texels(&rig, 0x20000);
    rig_run(&rig, PROGRAM OUT "set_constf_fmt base=0x28000\nset_domain i1=1\nstart_program");
    assert_true(out[1][0] == 1);
    rig_run(&rig, "set_inst_fmt base=0x14000\nstart_program");
    assert_true(out[1][0] == 5);
    rig_run(&rig, PROGRAM "start_program");
    assert_true(out[1][0] == 1);
    store_constant(&rig, 0x10000, 0);
    rig_run(&rig, "start_program");
    assert_true(out[1][0] == 5);
    rig_close(&rig);
}

static void test_copy(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, NULL);
    store_copy(&rig, 0x10000);
    texel *in = texels(&rig, 0x30000), *out = texels(&rig, 0x20000);
    for (unsigned i = 0; i < 16 * 8; i++)
        for (unsigned c = 0; c < 4; c++)
            in[i][c] = (float)(4 * i + c);
    rig_run(&rig, PROGRAM OUT DOMAIN "set_inp_fmt base=0x30000 pitch=16 format=FLOAT32_4 height=8\nstart_program\n");
    assert_memory_equal(out[16 + 2], in[16 + 2], 8 * sizeof *in);
    assert_memory_equal(out[16 * 6 + 2], in[16 * 6 + 2], 8 * sizeof *in);
    rig_close(&rig);
}

static void test_counters(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, NULL);
    store_index(&rig, 0x10000);
    uint32_t *counters = machine_at(rig.machine, 0x40000, 8), first[2];
    counters[0] = counters[1] = 77;
    rig_run(&rig, PROGRAM OUT "start_perf_counters\nstart_program\nread_perf_counters base=0x40000");
    assert_true(counters[0] == 77 && counters[1] == 77); /* they are not enabled */
    rig_run(&rig, "init_perf_counters enable=1\nstart_perf_counters\nstart_program\nstop_perf_counters\nstart_program\n"
                  "read_perf_counters base=0x40000 reserved0=0x7ff");
    memcpy(first, counters, sizeof first);
    assert_true(first[1] > 0 && first[0] == first[1] + 4);
    rig_run(&rig, "start_perf_counters\nstart_program\nstart_program\nread_perf_counters base=0x40000");
    assert_true(counters[1] == 2 * first[1] && counters[0] == counters[1] + 6);
    rig_run(&rig, "init_perf_counters\nread_perf_counters base=0x7ffff800 reserved0=0x7ff");
    rig_fails(&rig, "init_perf_counters enable=1\nread_perf_counters base=0x800000",
              "8 bytes of counters at 0x00800000");
    rig_close(&rig);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"start_program", "word 0 (start_program): there is no program: set_inst_fmt was not issued"},
        {"set_domain\nset_inst_fmt base=0x800000\nstart_program",
         "word 8 (start_program): the program's base 0x00800000 is outside of the memory"},
        {"set_inst_fmt base=0x18000\nstart_program",
         "the program at 0x00018000: CTM executable: byte 0x0: no ELF file"},
        {PROGRAM "start_program", "word 3 (start_program): input 0 has no format: set_inp_fmt was not issued"},
        {PROGRAM "set_inp_fmt base=0x30000 pitch=16 height=8\nstart_program", "output 0 has no format"},
        {PROGRAM OUT "set_inp_fmt base=0x30000 pitch=16 format=5 height=8\nstart_program",
         "input 0 has a reserved format"},
        {PROGRAM OUT "set_inp_fmt base=0x30000 height=8\nstart_program", "input 0: pitch 0"},
        {PROGRAM OUT "set_inp_fmt base=0x30000 pitch=8\nstart_program", "input 0: height 0"},
        {PROGRAM OUT "set_inp_fmt base=0x30000 pitch=36 tiling=TILED format=FLOAT32_1 height=8\nstart_program",
         "input 0: pitch 36: tiles of this format want a multiple of 32"},
        {PROGRAM OUT "set_inp_fmt base=0x30000 pitch=32 tiling=3 format=FLOAT32_2 height=8\nstart_program",
         "input 0: elements two by two want a format of one channel"},
        {PROGRAM OUT "set_inp_fmt base=0x30000 pitch=8188 format=FLOAT32_4 height=8\nstart_program",
         "input 0: 1048064 bytes at 0x00030000 are outside of the memory"},
        {PROGRAM OUT "set_inp_fmt base=0 pitch=4 height=1\nstart_program", "input 0: 8 bytes at 0x00000000"},
        {PROGRAM OUT "set_inp_fmt base=0x30000 pitch=4 height=1\nset_cond_test condition=eq\nstart_program",
         "the conditional output buffer has no format: set_cond_out_fmt was not issued"},
        {PROGRAM OUT "set_inp_fmt base=0x30000 pitch=4 height=1\nset_cond_out_fmt base=0x30000 pitch=4 format=4 "
                     "height=1\nset_cond_out_mask writemask=1\nstart_program",
         "the conditional output buffer: wanted UINT16_1 or FLOAT32_1"},
        {".packet 0xc0002200 0", "word 0: 0xc0002200 is no opcode of a known command"},
        {"wait_idle\n.word 7", "word 2: 0x00000007 is no opcode"},
        {"wait_idle\n.word 0xc0000500", "word 2 (wait_idle, 0xc0000500): the stream ends within the command"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rig rig;
        rig_open(&rig, NULL);
        store_copy(&rig, 0x10000);
        rig_fails(&rig, bad[i].text, bad[i].says);
        assert_int_equal(rig.error.status, ATOLL_INPUT);
        rig_close(&rig);
    }
}

static void test_memory(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, NULL);
    assert_false(machine_memory(rig.machine, 0x100, 64, NULL, &rig.error));
    assert_false(machine_memory(rig.machine, 0x800, 0, NULL, &rig.error));
    assert_false(machine_memory(rig.machine, 0xfffff800, 0x801, NULL, &rig.error));
    assert_false(machine_memory(rig.machine, 0, MEMORY + 1, NULL, &rig.error));
    assert_non_null(strstr(rig.error.message, "overlaps"));
    assert_true(machine_memory(rig.machine, 0xfffff800, 0x800, NULL, &rig.error));
    assert_null(machine_at(rig.machine, MEMORY - 1, 1));
    assert_null(machine_at(rig.machine, MEMORY, MEMORY_SIZE + 1));
    assert_non_null(machine_at(rig.machine, MEMORY + 1, MEMORY_SIZE - 1));
    rig_close(&rig);
}

static void count_notes(void *user, const char *text)
{
    assert_non_null(strstr(text, "set_params is ignored"));
    ++*(int *)user;
}

/* Limits are of a whole stream; set_params is told of once. */
static void test_limits(void **state)
{
    (void)state;
    int notes = 0;
    volatile int interrupt = 0;
    struct rig rig;
    rig_open(&rig, &(struct machine_options){
                       .instruction_limit = 2000, .interrupt = &interrupt, .note = count_notes, .user = &notes});
    store_index(&rig, 0x10000);
    rig_run(&rig, PROGRAM OUT DOMAIN "set_params base=0x800\nstart_program\nset_params");
    assert_int_equal(notes, 1);
    char text[100 * 15 + 1] = "";
    for (int i = 0; i < 100; i++)
        strcat(text, "start_program\n");
    assert_false(rig_try(&rig, text));
    assert_int_equal(rig.error.status, ATOLL_LIMIT);
    assert_true(rig.stats.launches > 1 && rig.stats.launches < 100);
    interrupt = 1;
    rig_fails(&rig, "wait_idle", "word 0 (wait_idle): interrupted");
    assert_int_equal(rig.error.status, ATOLL_INTERRUPTED);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_domain),  cmocka_unit_test(test_large),      cmocka_unit_test(test_formats),
        cmocka_unit_test(test_masks),   cmocka_unit_test(test_conditions), cmocka_unit_test(test_constants),
        cmocka_unit_test(test_program), cmocka_unit_test(test_copy),       cmocka_unit_test(test_counters),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_memory),     cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

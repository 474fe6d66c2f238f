/* Surface instructions of Maxwell against a model in plain C: geometries, sizes, clamps, .BA and element addressing,
 * handles in registers and in the constant bank, old values of SUATOM, values through the format (.P), missing tiles
 * and their predicate, disabled surfaces, reserved fields. Facts: sass.md section 4. */
#include "sass_rig.h"

#include "lane/passes.h"
#include "mem/surface.h"

enum { WIDTH = 16, HEIGHT = 6, SLICES = 3, TEXEL = 4, ROW = WIDTH * TEXEL };

static const struct {
    const char *name;
    uint8_t dim, coords;
    bool rows, slices, layers;
} dims[] = {
    {"1D", LANE_DIM_1D, 1, false, false, false},           {"1D_BUFFER", LANE_DIM_1D_BUFFER, 1, false, false, false},
    {"1D_ARRAY", LANE_DIM_1D_ARRAY, 2, false, true, true}, {"2D", LANE_DIM_2D, 2, true, false, false},
    {"2D_ARRAY", LANE_DIM_2D_ARRAY, 3, true, true, true},  {"3D", LANE_DIM_3D, 3, true, true, false},
};
static const char *const clamps[] = {".IGN", "", ".TRAP"}; /* "": NEAR */
static const struct {
    const char *name;
    unsigned bytes;
    bool is_signed;
} sizes[] = {{".U8", 1, false}, {".S8", 1, true},  {".U16", 2, false}, {".S16", 2, true},
             {"", 4, false},    {".64", 8, false}, {".128", 16, false}};

struct scene {
    struct sass_rig rig;
    struct surface *surface;
    unsigned dim;
    uint8_t texels[SLICES][HEIGHT][ROW]; /* the model */
};

static void open(struct scene *s, unsigned dim, const char *format, const char *text)
{
    sass_rig_open(&s->rig, text);
    s->dim = dim;
    struct surface_shape shape = {.dim = dims[dim].dim,
                                  .width = WIDTH,
                                  .height = dims[dim].rows ? HEIGHT : 0,
                                  .depth = dims[dim].slices && !dims[dim].layers ? SLICES : 0,
                                  .layers = dims[dim].layers ? SLICES : 0,
                                  .format = format_find(format),
                                  .layout = layout_find("pitch")};
    assert_non_null(shape.format);
    assert_true(surface_make(&shape, &s->surface, &s->rig.error));
    assert_true(device_add_surface(s->rig.device, s->surface, 7, &s->rig.error));
    for (unsigned i = 0; i < sizeof s->texels; i++)
        ((uint8_t *)s->texels)[i] = (uint8_t)(i * 37 + i / 251);
    for (unsigned z = 0; z < SLICES; z++)
        for (unsigned y = 0; y < HEIGHT; y++)
            if ((z == 0 || dims[dim].slices) && (y == 0 || dims[dim].rows))
                memcpy(s->surface->texels + s->surface->layout->offset(s->surface, 0, y, z), s->texels[z][y], ROW);
    s->rig.parameters[2] = 7 | UINT64_C(0xabc) << 20; /* a sampler's index above, which surfaces ignore */
}

static void close(struct scene *s)
{
    device_remove(s->rig.device, s->surface->handle);
    surface_destroy(s->surface);
    sass_rig_close(&s->rig);
}

static void check_memory(const struct scene *s, const char *text)
{
    for (unsigned z = 0; z < SLICES; z++)
        for (unsigned y = 0; y < HEIGHT; y++) {
            if ((z && !dims[s->dim].slices) || (y && !dims[s->dim].rows))
                continue;
            const uint8_t *row = s->surface->texels + s->surface->layout->offset(s->surface, 0, y, z);
            if (memcmp(row, s->texels[z][y], ROW) != 0)
                fail_msg("%s: row %u of slice %u differs", text, y, z);
        }
}

/* ---- the model ------------------------------------------------------------------------------------------------ */

static int64_t near(int64_t at, int64_t last)
{
    return at < 0 ? 0 : at > last ? last : at;
}

/* The bytes that lane n's coordinates R8 R9 R10 name, or NULL: outside. `x_unit`: bytes of a step in x. */
static uint8_t *model(struct scene *s, unsigned n, unsigned bytes, unsigned x_unit, bool clamp_near)
{
    const uint32_t *in = s->rig.in[n];
    unsigned at = 1;
    int64_t x = (int64_t)(int32_t)in[0] * x_unit, y = 0, z = 0;
    if (dims[s->dim].rows)
        y = (int32_t)in[at++];
    if (dims[s->dim].slices)
        z = dims[s->dim].layers ? (int64_t)(in[at] & 0xffff) : (int64_t)(int32_t)in[at];
    if (clamp_near) {
        x = near(x, ROW - (int64_t)bytes);
        x -= x % bytes;
        y = near(y, HEIGHT - 1);
        z = near(z, SLICES - 1);
    }
    bool inside = x >= 0 && x + bytes <= ROW && y >= 0 && y < HEIGHT && z >= 0 && z < SLICES;
    return inside ? &s->texels[z][y][x] : NULL;
}

static uint32_t random32(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* Coordinates in and around the surface, aligned; data in R12..; handles in R11. */
static void fill(struct scene *s, unsigned bytes, unsigned x_unit, bool inside, uint64_t seed)
{
    static const uint32_t far[] = {0x7fffffff, 0x80000000, 0x40000000, 0xffff0001};
    for (unsigned n = 0; n < SASS_CASES; n++) {
        uint32_t *in = s->rig.in[n];
        uint32_t x = random32(&seed) % (ROW / bytes), y = random32(&seed) % HEIGHT, z = random32(&seed) % SLICES;
        if (!inside) {
            x = random32(&seed) % (ROW / bytes + 4) - 2;
            y = random32(&seed) % (HEIGHT + 2) - 1;
            z = random32(&seed) % (SLICES + 2) - 1;
            if (n % 16 == 0)
                x = far[n / 16 % 4] & ~(bytes - 1);
        }
        in[0] = x * (x_unit == 1 ? bytes : 1);
        in[1] = dims[s->dim].rows ? y : z;
        in[2] = z;
        if (dims[s->dim].layers && n % 5 == 0) /* the bits above 15 of a layer do not count */
            in[dims[s->dim].coords - 1] |= 0x30000;
        in[3] = 7 | n << 20;
        for (unsigned k = 4; k < SASS_INPUTS; k++)
            in[k] = random32(&seed) ^ random32(&seed) << 16;
    }
}

/* ---- SULD, SUST ----------------------------------------------------------------------------------------------- */

static void test_load(unsigned dim, unsigned size, unsigned clamp, bool ba, bool bound)
{
    struct scene s = {0};
    char text[200];
    unsigned bytes = sizes[size].bytes;
    snprintf(text, sizeof text, "SULD.D%s.%s%s%s R0, [R8], %s;", ba ? ".BA" : "", dims[dim].name, sizes[size].name,
             clamps[clamp], bound ? "0x54" : "R11");
    open(&s, dim, "r32uint", text);
    fill(&s, bytes, ba ? 1 : bytes, clamp == 2, dim * 100 + size);
    sass_rig_run(&s.rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        uint32_t wanted[4] = {0};
        const uint8_t *at = model(&s, n, bytes, ba ? 1 : bytes, clamp == 1);
        if (at)
            memcpy(wanted, at, bytes);
        if (sizes[size].is_signed)
            wanted[0] = bytes == 1 ? (uint32_t)(int8_t)wanted[0] : (uint32_t)(int16_t)wanted[0];
        for (unsigned k = 0; k < (bytes + 3) / 4; k++)
            if (s.rig.out[n][k] != wanted[k])
                fail_msg("%s at %d, %d, %d gives [%u] %x, wanted %x", text, (int)s.rig.in[n][0], (int)s.rig.in[n][1],
                         (int)s.rig.in[n][2], k, s.rig.out[n][k], wanted[k]);
    }
    close(&s);
}

static void test_loads(void **state)
{
    (void)state;
    for (unsigned dim = 0; dim < 6; dim++)
        for (unsigned size = 0; size < 7; size++)
            for (unsigned clamp = 0; clamp < 3; clamp++)
                test_load(dim, size, clamp, (size + clamp) & 1, dim & 1);
}

/* Warps have an order, and a warp's lanes that of lane/passes.h (tests/test_passes.c). */
static void model_stores(struct scene *s, unsigned dim, unsigned bytes, unsigned unit, bool near)
{
    const struct lane_access access = {.passes = true};
    uint32_t starts = passes_of(&access, bytes, dims[dim].coords);
    for (unsigned warp = 0; warp < SASS_CASES; warp += LANES)
        for (uint32_t left = UINT32_MAX, lane; left; left &= ~(UINT32_C(1) << lane)) {
            lane = passes_next(starts, left);
            uint8_t *at = model(s, warp + lane, bytes, unit, near);
            if (at)
                memcpy(at, &s->rig.in[warp + lane][4], bytes);
        }
}

static void test_store(unsigned dim, unsigned size, unsigned clamp, bool ba, bool bound)
{
    struct scene s = {0};
    char text[200];
    unsigned bytes = sizes[size].bytes;
    snprintf(text, sizeof text, "SUST.D%s.%s%s%s [R8], R12, %s;", ba ? ".BA" : "", dims[dim].name, sizes[size].name,
             clamps[clamp], bound ? "0x54" : "R11");
    open(&s, dim, "r32uint", text);
    fill(&s, bytes, ba ? 1 : bytes, clamp == 2, dim * 100 + size + 7);
    for (unsigned n = 0; n < SASS_CASES; n++) /* what is stored depends on the place alone: order does not matter */
        for (unsigned k = 0; k < 4; k++)
            s.rig.in[n][4 + k] = clamp == 1 ? 0x5a5a5a5a
                                            : s.rig.in[n][0] * 77 + (s.rig.in[n][1] & 0xffff) * 1001 +
                                                  (s.rig.in[n][2] & 0xffff) * 31 + k;
    if (!dims[dim].slices)
        for (unsigned n = 0; n < SASS_CASES; n++)
            for (unsigned k = 0; k < 4; k++)
                s.rig.in[n][4 + k] -= (s.rig.in[n][2] & 0xffff) * (clamp == 1 ? 0 : 31);
    if (!dims[dim].rows)
        for (unsigned n = 0; n < SASS_CASES; n++)
            for (unsigned k = 0; k < 4; k++)
                s.rig.in[n][4 + k] = dims[dim].slices ? (s.rig.in[n][1] & 0xffff) * 5 + 1 : 0x77;
    sass_rig_run(&s.rig);
    model_stores(&s, dim, bytes, ba ? 1 : bytes, clamp == 1);
    check_memory(&s, text);
    close(&s);
}

static void test_stores(void **state)
{
    (void)state;
    for (unsigned dim = 0; dim < 6; dim++)
        for (unsigned size = 0; size < 7; size++)
            for (unsigned clamp = 0; clamp < 3; clamp++)
                test_store(dim, size, clamp, (size + clamp) & 1, dim & 1);
}

/* ---- SUATOM, SURED -------------------------------------------------------------------------------------------- */

static uint64_t combine(const char *op, bool is_signed, bool wide, uint64_t a, uint64_t b, uint64_t c)
{
    bool less = !is_signed ? a < b : wide ? (int64_t)a < (int64_t)b : (int32_t)a < (int32_t)b;
    if (op[0] == 'M')
        return (op[1] == 'I') == less ? a : b;
    switch (op[0]) {
    case 'A':
        return op[1] == 'D' ? a + b : a & b;
    case 'I':
        return a >= b ? 0 : a + 1;
    case 'D':
        return a == 0 || a > b ? b : a - 1;
    case 'O':
        return a | b;
    case 'X':
        return a ^ b;
    case 'E':
        return b;
    default:
        return a == b ? c : a; /* CAS */
    }
}

static const struct {
    const char *op, *size;
    bool wide, is_signed;
} atomics[] = {
    {"ADD", "", false, false},    {"ADD", ".S32", false, false},  {"ADD", ".U64", true, false},
    {"MIN", "", false, false},    {"MIN", ".S32", false, true},   {"MIN", ".U64", true, false},
    {"MIN", ".S64", true, true},  {"MAX", "", false, false},      {"MAX", ".S32", false, true},
    {"MAX", ".S64", true, true},  {"INC", "", false, false},      {"DEC", "", false, false},
    {"AND", "", false, false},    {"OR", ".U64", true, false},    {"XOR", "", false, false},
    {"EXCH", "", false, false},   {"EXCH", ".U64", true, false},  {"CAS", "", false, false},
    {"CAS", ".U64", true, false}, {"MIN", ".SD32", false, false}, {"MAX", ".SD32", false, false},
};

static uint64_t data(const uint32_t *in, unsigned k, bool wide)
{
    return wide ? in[4 + 2 * k] | (uint64_t)in[5 + 2 * k] << 32 : in[4 + k];
}

/* One lane a texel, in a fixed order: each lane's old value is known. */
static void test_atomic(unsigned which, unsigned dim, unsigned clamp, bool ba, bool bound, bool reduce)
{
    struct scene s = {0};
    char text[200];
    bool wide = atomics[which].wide, cas = atomics[which].op[0] == 'C';
    unsigned bytes = wide ? 8 : 4;
    if (reduce && (cas || atomics[which].op[0] == 'E'))
        return;
    snprintf(text, sizeof text, "%s.D%s.%s.%s%s%s %s[R8], R12, %s;", reduce ? "SURED" : "SUATOM", ba ? ".BA" : "",
             dims[dim].name, atomics[which].op, atomics[which].size, clamps[clamp], reduce ? "" : "R0, ",
             bound ? "0x54" : "R11");
    open(&s, dim, "r32uint", text);
    fill(&s, bytes, ba ? 1 : bytes, clamp == 2, which * 1000 + dim);
    sass_rig_run(&s.rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        uint64_t old = 0;
        uint8_t *at = model(&s, n, bytes, ba ? 1 : bytes, clamp == 1);
        if (at) {
            memcpy(&old, at, bytes);
            uint64_t b = data(s.rig.in[n], 0, wide), c = data(s.rig.in[n], 1, wide);
            uint64_t result = combine(atomics[which].op, atomics[which].is_signed, wide, old, b, c);
            memcpy(at, &result, bytes);
        }
        uint64_t got = s.rig.out[n][0] | (wide ? (uint64_t)s.rig.out[n][1] << 32 : 0);
        if (!reduce && got != old)
            fail_msg("%s: lane %u at %d, %d, %d gives %llx, wanted %llx", text, n, (int)s.rig.in[n][0],
                     (int)s.rig.in[n][1], (int)s.rig.in[n][2], (unsigned long long)got, (unsigned long long)old);
    }
    check_memory(&s, text);
    close(&s);
}

static void test_atomics(void **state)
{
    (void)state;
    for (unsigned which = 0; which < sizeof atomics / sizeof atomics[0]; which++)
        for (unsigned dim = 0; dim < 6; dim++) {
            test_atomic(which, dim, (which + dim) % 3, dim & 1, which & 1, false);
            test_atomic(which, dim, (which + dim + 1) % 3, !(dim & 1), which & 1, true);
        }
}

/* SD32 takes the sign from the format. */
static void test_sign_of_format(void **state)
{
    struct scene s = {0};
    (void)state;
    open(&s, 3, "r32sint", "SUATOM.D.2D.MIN.SD32.IGN R0, [R8], R12, R11;");
    fill(&s, 4, 4, true, 5);
    sass_rig_run(&s.rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        int32_t *at = (int32_t *)(void *)model(&s, n, 4, 4, false);
        assert_int_equal(s.rig.out[n][0], (uint32_t)*at);
        *at = *at < (int32_t)s.rig.in[n][4] ? *at : (int32_t)s.rig.in[n][4];
    }
    check_memory(&s, "SD32");
    close(&s);
}

/* ---- values through the format ---------------------------------------------------------------------------------- */

static void test_formatted(void **state)
{
    struct scene s = {0};
    (void)state;
    open(&s, 3, "rgba8unorm", "SULD.P.2D.GA.IGN R0, [R8], R11;\nSULD.P.2D.IGN R2, [R8], R11;");
    fill(&s, 4, 4, true, 9);
    sass_rig_run(&s.rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        const uint8_t *at = model(&s, n, 4, 4, false);
        float wanted[6] = {(float)at[1] / 255, (float)at[3] / 255, (float)at[0] / 255,
                           (float)at[1] / 255, (float)at[2] / 255, (float)at[3] / 255};
        assert_memory_equal(s.rig.out[n], wanted, sizeof wanted);
    }
    close(&s);
    memset(&s, 0, sizeof s);
    open(&s, 3, "rgba8unorm", "SUST.P.2D.RG.IGN [R8], R12, R11;");
    fill(&s, 4, 4, true, 9);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        float red = (float)s.rig.in[n][0] / 16, green = 2;
        memcpy(&s.rig.in[n][4], &red, 4);
        memcpy(&s.rig.in[n][5], &green, 4);
    }
    sass_rig_run(&s.rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        uint8_t *at = model(&s, n, 4, 4, false),
                wanted[4] = {(uint8_t)((s.rig.in[n][0] * 256 * 255 + 2047) >> 12), 255, 0, 0}; /* mem/convert.h */
        memcpy(at, wanted, 4);
    }
    check_memory(&s, "SUST.P");
    close(&s);
}

/* ---- what is not there ------------------------------------------------------------------------------------ */

/* R2, R3, R5, R6: R12 where Ps of SUATOM, SULD.D, SULD.P, SUATOM.CAS is true. */
static void check_sparse(const struct scene *s, unsigned n, bool invalid)
{
    static const uint8_t results[] = {2, 3, 5, 6};
    for (unsigned i = 0; i < sizeof results; i++)
        assert_int_equal(s->rig.out[n][results[i]], invalid ? s->rig.in[n][4] : 0);
}

/* Ps is true where the page is not valid, and false where a surface is disabled: no page was hit. */
static void test_absent(void **state)
{
    struct scene s = {0};
    (void)state;
    open(&s, 3, "r32uint",
         "PSETP.AND.AND P0, PT, PT, PT, PT;\nSUATOM.D.2D.ADD.IGN P1, R0, [R8], R12, R11;\n"
         "SULD.D.2D.IGN P2, R1, [R8], R11;\nSEL R2, R12, RZ, P1;\nSEL R3, R12, RZ, P2;\n"
         "SULD.P.2D.IGN P1, R4, [R8], R11;\nSEL R5, R12, RZ, P1;\n"
         "SUATOM.D.2D.CAS.IGN P1, R4, [R8], R12, R11;\nSEL R6, R12, RZ, P1;");
    fill(&s, 4, 4, true, 11);
    assert_true(surface_reside(s.surface, 0, 1, false, &s.rig.error));
    sass_rig_run(&s.rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        assert_int_equal(s.rig.out[n][0], 0);
        assert_int_equal(s.rig.out[n][1], 0);
        check_sparse(&s, n, true);
    }
    check_memory(&s, "a missing tile");
    assert_true(surface_reside(s.surface, 0, 1, true, &s.rig.error));
    surface_disable(s.surface, true);
    sass_rig_run(&s.rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        assert_int_equal(s.rig.out[n][0], 0);
        check_sparse(&s, n, false);
    }
    check_memory(&s, "a disabled surface");
    close(&s);
}

static void test_helpers(void **state)
{
    struct scene s = {0};
    (void)state;
    open(&s, 3, "r32uint", "MOV32I R0, 0x77;\nSUATOM.D.2D.ADD.IGN R0, [R8], R12, R11;");
    fill(&s, 4, 4, true, 13);
    s.rig.launch.helper_lanes = 0xff00ff01;
    sass_rig_run(&s.rig);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        uint32_t *at = (uint32_t *)(void *)model(&s, n, 4, 4, false);
        bool helper = 0xff00ff01 >> n % 32 & 1;
        assert_int_equal(s.rig.out[n][0], helper ? 0x77 : *at);
        *at += helper ? 0 : s.rig.in[n][4];
    }
    check_memory(&s, "helper lanes");
    close(&s);
}

static void test_faults(void **state)
{
    static const struct {
        const char *text;
        uint32_t x, handle;
        const char *wanted;
        bool one; /* 1D; else 2D */
    } faults[] = {
        {"SULD.D.1D_BUFFER.TRAP R0, [R8], R11;", 0xfffffff0, 7, "coordinate (4294967280)", true}, /* unsigned */
        {"SULD.D.BA.1D_BUFFER R0, [R8], R11;", 0xfffffff1, 7, "coordinate (-15)", true},          /* .NEAR: signed */
        {"SULD.D.1D.TRAP R0, [R8], R11;", 0xfffffff0, 7, "coordinate (-16)", true},
        {"SULD.D.BA.2D.TRAP R0, [R8], R11;", ROW, 7, "outside", false},
        {"SULD.D.BA.2D.IGN R0, [R8], R11;", 2, 7, "misaligned", false},
        {"SUATOM.D.BA.2D.ADD.U64.IGN R0, [R8], R12, R11;", 4, 7, "misaligned", false},
        {"SULD.D.BA.2D.IGN R0, [R8], R11;", 0, 9, "9", false},
        {"SULD.D.BA.3D.IGN R0, [R8], R11;", 0, 7, "", false},
        {".norules\nSULD.D.BA.INVALIDSURFACEDIM6.IGN R0, [R8], R11;", 0, 7, "reserved", false},
        {".norules\nSUATOM.D.BA.2D.MIN.F32.FTZ.RN.IGN R0, [R8], R12, R11;", 0, 7, "no meaning", false},
        {".norules\nSUATOM.D.BA.2D.DEC.U64.IGN R0, [R8], R12, R11;", 0, 7, ".DEC has no meaning for .U64", false},
        {".norules\nSULD.D.BA.2D.INVALIDSURFACECLAMP3 R0, [R8], R11;", 0, 7, "reserved", false},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct scene s = {0};
        open(&s, faults[i].one ? 0 : 3, "r32uint", faults[i].text);
        for (unsigned n = 0; n < SASS_CASES; n++) {
            s.rig.in[n][0] = faults[i].x;
            s.rig.in[n][3] = faults[i].handle;
        }
        if (sass_rig_try(&s.rig) || !strstr(s.rig.error.message, faults[i].wanted))
            fail_msg("%s: %s", faults[i].text, s.rig.error.message);
        close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loads),     cmocka_unit_test(test_stores),
                                       cmocka_unit_test(test_atomics),   cmocka_unit_test(test_sign_of_format),
                                       cmocka_unit_test(test_formatted), cmocka_unit_test(test_absent),
                                       cmocka_unit_test(test_helpers),   cmocka_unit_test(test_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

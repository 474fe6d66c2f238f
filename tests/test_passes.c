/* The order in which the lanes of a store go: lane/passes.h against the rule as an H100 follows it, and st of PTX in
 * both engines against the same. */
#include "engine_text.h"

#include "lane/passes.h"

/* When a lane goes. */
static unsigned turn(unsigned lane, unsigned bytes, bool three)
{
    unsigned lanes = bytes <= 4 ? LANES : 128 / bytes, pass = 2 * (lane / lanes);
    if (three && lane >= 8)
        pass++;
    return pass * LANES + LANES - 1 - lane;
}

static uint32_t random_state = 1;
static uint32_t draw(void)
{
    random_state = random_state * 1664525 + 1013904223;
    return random_state >> 4 ^ random_state << 17;
}

/* ---- the function ------------------------------------------------------------------------------------------------ */

static void check_order(uint32_t starts, uint32_t lanes, unsigned bytes, bool three)
{
    unsigned before = 0, count = (unsigned)__builtin_popcount(lanes);
    for (uint32_t left = lanes, n = 0; n < count; n++) {
        unsigned lane = passes_next(starts, left), now = turn(lane, bytes, three);
        assert_true(left >> lane & 1 && (n == 0 || now > before));
        before = now;
        left &= ~(UINT32_C(1) << lane);
    }
}

static void test_order(void **state)
{
    (void)state;
    struct lane_access access = {.passes = true};
    for (unsigned bytes = 1; bytes <= 32; bytes *= 2)
        for (unsigned three = 0; three < 2; three++) {
            uint32_t starts = passes_of(&access, bytes, three ? 3 : 2);
            check_order(starts, UINT32_MAX, bytes, three);
            for (unsigned i = 0; i < 1000; i++)
                check_order(starts, i % 2 ? draw() & draw() : draw(), bytes, three);
            for (unsigned lane = 0; lane < LANES; lane++)
                check_order(starts, UINT32_C(1) << lane, bytes, three);
        }
}

static void test_turns(void **state)
{
    (void)state;
    struct lane_access access = {.passes = true};
    for (unsigned bytes = 1; bytes <= 32; bytes *= 2)
        for (unsigned i = 0; i < 1000; i++) {
            uint32_t starts = passes_of(&access, bytes, 1), flip = passes_flip(starts), lanes = i ? draw() : UINT32_MAX;
            uint32_t left = lanes;
            for (uint32_t turns = passes_turns(flip, lanes); turns; turns &= turns - 1) {
                unsigned lane = (unsigned)__builtin_ctz(turns) ^ flip;
                assert_int_equal(lane, passes_next(starts, left));
                left &= ~(UINT32_C(1) << lane);
            }
            assert_int_equal(left, 0);
        }
    assert_int_equal(passes_flip(UINT32_MAX), 0);
}

static void test_starts(void **state)
{
    (void)state;
    struct lane_access access = {.passes = true}, none = {0};
    assert_int_equal(passes_of(&access, 4, 2), 1);
    assert_int_equal(passes_of(&access, 1, 3), 0x101);
    assert_int_equal(passes_of(&access, 8, 1), 0x10001);
    assert_int_equal(passes_of(&access, 8, 3), 0x10101);
    assert_int_equal(passes_of(&access, 16, 3), 0x01010101);
    assert_int_equal(passes_of(&access, 32, 1), 0x11111111);
    assert_int_equal(passes_of(&none, 16, 3), UINT32_MAX);
    for (unsigned lane = 0; lane < LANES; lane++)
        assert_int_equal(passes_next(UINT32_MAX, UINT32_MAX << lane), lane);
}

static void test_rows(void **state)
{
    (void)state;
    assert_int_equal(passes_rows(1, 16), 1);
    assert_int_equal(passes_rows(0x10001, 16), 3);
    assert_int_equal(passes_rows(0x10001, 8), 5);
    assert_int_equal(passes_rows(0x10101, 8), 7);
    assert_int_equal(passes_rows(UINT32_MAX, 8), 15);
    assert_true(passes_split(0x101, 16));
    assert_false(passes_split(0x101, 8) || passes_split(0x10101, 16) || passes_split(UINT32_MAX, 16));
}

/* ---- st ---------------------------------------------------------------------------------------------------------- */

enum { PLACES = 1024, BOX = 1024 }; /* bytes: before what is stored, of it */

static const struct {
    const char *type;
    unsigned bytes, vec;
} types[] = {{"b8", 1, 1},     {"b16", 2, 1},    {"b32", 4, 1},    {"b64", 8, 1},    {"v4.b8", 1, 4},
             {"v2.b16", 2, 2}, {"v2.b32", 4, 2}, {"v4.b16", 2, 4}, {"v4.b32", 4, 4}, {"v2.b64", 8, 2}};
enum { TYPES = sizeof types / sizeof *types, SPACES = 3, GLOBAL = 0, SHARED, GENERIC };

static void say_values(char *to, size_t room, unsigned type)
{
    const char *kind = types[type].bytes == 8 ? "%rd1" : "%r1";
    unsigned vec = types[type].vec, n = (unsigned)snprintf(to, room, vec > 1 ? "{" : "");
    for (unsigned k = 0; k < vec; k++)
        n += (unsigned)snprintf(to + n, room - n, "%s%s%u", k ? ", " : "", kind, k);
    snprintf(to + n, room - n, vec > 1 ? "}" : "");
}

/* Lane l stores to place out[l], if out[32 + l]; n != 0: all to one place, which is known before. */
static void open_st(struct engine *e, unsigned type, unsigned space, bool one)
{
    char body[4096], values[80];
    const char *spaces[] = {".global", ".shared", ""};
    unsigned n = 0, size = types[type].bytes * types[type].vec;
    say_values(values, sizeof values, type);
#define SAY(...) n += (unsigned)snprintf(body + n, sizeof body - n, __VA_ARGS__)
    SAY("mov.u32 %%r5, box; shl.b32 %%r6, %%r0, 5; add.u32 %%r7, %%r5, %%r6; cvt.u64.u32 %%rd5, %%r6;\n"
        "add.u64 %%rd5, %%rd5, %%rd1;\nld.global.u32 %%r3, [%%rd0+128]; setp.ne.u32 %%p0, %%r3, 0;\n");
    for (unsigned k = 0; k < BOX / LANES; k += 4)
        SAY("mov.u32 %%r4, 0xeeeeeeee; st.shared.u32 [%%r7+%u], %%r4;\n", k);
    for (unsigned k = 0; k < 4; k++)
        SAY("add.u32 %%r1%u, %%r0, %u; mul.lo.u32 %%r1%u, %%r1%u, 0x01010101; mov.b64 %%rd1%u, {%%r1%u, %%r1%u};\n", k,
            64 * k, k, k, k, k, k);
    SAY(one ? "cvt.u32.u64 %%r2, %%rd2;\n" : "ld.global.u32 %%r2, [%%rd0];\n");
    SAY("bar.sync 0;\nmul.lo.u32 %%r2, %%r2, %u; add.u32 %%r4, %%r2, %%r5; mul.wide.u32 %%rd4, %%r2, 1;\n"
        "add.u64 %%rd4, %%rd4, %%rd1;\n",
        size);
    SAY("@%%p0 st%s.%s [%s], %s;\n", spaces[space], types[type].type, space == SHARED ? "%r4" : "%rd4+1024", values);
    SAY("bar.sync 0;\n");
    for (unsigned k = 0; space == SHARED && k < BOX / LANES; k += 4)
        SAY("ld.shared.u32 %%r4, [%%r7+%u]; st.global.u32 [%%rd5+%u], %%r4;\n", k, PLACES + k);
#undef SAY
    engine_open(e, ".shared .align 16 .b8 box[1024];", body);
}

static unsigned place(unsigned pattern, unsigned lane)
{
    const unsigned places[] = {0,         lane % 16,  lane % 8,
                               lane / 8,  lane % 4,   (31 - lane) / 2 % 3,
                               lane >= 9, draw() % 6, lane % 16 + 3 * (lane / 16),
                               31 - lane};
    return places[pattern];
}
enum { PATTERNS = 10 };

static void check_st(struct engine *e, unsigned type, unsigned pattern, uint32_t lanes)
{
    static uint32_t words[ENGINE_WORDS];
    static unsigned char want[BOX];
    unsigned size = types[type].bytes * types[type].vec, bytes = types[type].bytes;
    memset(words, 0xee, sizeof words);
    memset(want, 0xee, sizeof want);
    for (unsigned lane = 0; lane < LANES; lane++) {
        words[lane] = place(pattern, lane);
        words[LANES + lane] = lanes >> lane & 1;
    }
    for (unsigned n = 0; n < LANES * LANES; n++)
        for (unsigned lane = 0; lane < LANES; lane++)
            for (unsigned b = 0; lanes >> lane & 1 && turn(lane, size, false) == n && b < size; b++)
                want[words[lane] * size + b] = (unsigned char)(lane + 64 * (b / bytes));
    assert_true(atoll_memory_write(e->device, e->out, words, sizeof words, &e->error));
    engine_must_run(e, 0);
    assert_memory_equal((unsigned char *)e->words + PLACES, want, sizeof want);
}

static void stores_by(enum atoll_engine engine)
{
    struct engine e;
    const uint32_t some[] = {UINT32_MAX, 0xffff, 0xfffe0000, 0x80000001, 0x00ff00f0, 0xfffffffe, 8};
    for (unsigned n = 0; n < TYPES * SPACES * 2; n++) {
        unsigned type = n % TYPES, space = n / TYPES % SPACES;
        bool one = n / TYPES / SPACES;
        open_st(&e, type, space, one);
        e.launch.engine = engine;
        for (unsigned pattern = 0; pattern < (one ? 1 : PATTERNS); pattern++)
            for (unsigned i = 0; i < 10; i++)
                check_st(&e, type, pattern, i < 7 ? some[i] : draw());
        engine_close(&e);
    }
}

static void test_interpreter(void **state)
{
    (void)state;
    stores_by(ATOLL_ENGINE_INTERPRETER);
}

static void test_compiled(void **state)
{
    (void)state;
    struct atoll_error error;
    if (atoll_engine_available(ATOLL_ENGINE_JIT, &error))
        stores_by(ATOLL_ENGINE_JIT);
}

int main(void)
{
    setenv("ATOLL_CACHE", "", 1); /* nothing that an earlier run has compiled */
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order),       cmocka_unit_test(test_turns),
                                       cmocka_unit_test(test_starts),      cmocka_unit_test(test_rows),
                                       cmocka_unit_test(test_interpreter), cmocka_unit_test(test_compiled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

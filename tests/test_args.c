/* The language of --arg, and the options of a sub-command. */
#include "cli/argument.h"
#include "cli/cli.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static struct argument parse(const char *text)
{
    struct argument argument;
    struct atoll_error error = {0};
    if (!argument_parse(&arena, "--arg", text, &argument, &error))
        fail_msg("%s", error.message);
    return argument;
}

/* The error names the whole argument and says `word`. */
static void refuse(const char *text, const char *word)
{
    struct argument argument;
    struct atoll_error error = {0};
    if (argument_parse(&arena, "--arg", text, &argument, &error))
        fail_msg("'%s' was taken", text);
    assert_int_equal(error.status, ATOLL_USAGE);
    if (!strstr(error.message, word) || !strstr(error.message, text))
        fail_msg("'%s' does not say '%s' and '%s'", error.message, text, word);
}

static void values_have_the_bits_of_their_type(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        uint64_t bits;
        unsigned bytes;
    } rows[] = {
        {"n=u8:255", 0xff, 1},
        {"n=u32:0xDEADBEEF", 0xdeadbeef, 4},
        {"n=s8:-128", 0x80, 1},
        {"n=s64:-1", UINT64_MAX, 8},
        {"n=u64:18446744073709551615", UINT64_MAX, 8},
        {"n=b16:-2", 0xfffe, 2},
        {"n=b16:65535", 0xffff, 2},
        {"n=f32:0.5", 0x3f000000, 4},
        {"n=f32:-inf", 0xff800000, 4},
        {"n=f32:0x1p-149", 1, 4},
        {"n=f64:1e0", 0x3ff0000000000000, 8},
        {"n=f16:65504", 0x7bff, 2},
        {"n=f16:65519.99", 0x7bff, 2},
        {"n=f16:-infinity", 0xfc00, 2},
        {"n=f16:1.00048828125000000000000001", 0x3c01, 2}, /* above the tie by less than an f64 tells */
        {"n=f16:1.00048828125", 0x3c00, 2},
        {"n=f32:3.4028235e38", 0x7f7fffff, 4},
        {"n=f64:1.7976931348623157e308", 0x7fefffffffffffff, 8},
        {"n=f32:1e-400", 0, 4}, /* rounds to 0 */
        {"n=f64:nan", 0x7ff8000000000000, 8},
        {"n=f32:1.00000005960464484", 0x3f800001, 4}, /* above the tie: rounding twice would give 3f800000 */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct argument a = parse(rows[i].text);
        uint64_t bits = 0;
        assert_int_equal(a.kind, ARGUMENT_VALUES);
        assert_int_equal(a.count, 1);
        assert_int_equal(a.type->bytes, rows[i].bytes);
        memcpy(&bits, a.values, rows[i].bytes);
        assert_int_equal(bits, rows[i].bits);
    }
}

static void lists_and_bytes_are_read(void **unused)
{
    (void)unused;
    struct argument list = parse("p=u16:1,2,0x300"), hex = parse("p=bytes:00fF17"), bare = parse("size_0=-12");
    assert_int_equal(list.count, 3);
    assert_memory_equal(list.values, "\1\0\2\0\0\3", 6);
    assert_int_equal(hex.count, 3);
    assert_null(hex.type);
    assert_memory_equal(hex.values, "\0\xff\x17", 3);
    assert_int_equal(bare.kind, ARGUMENT_NUMBER);
    assert_string_equal(bare.number, "-12");
    assert_string_equal(bare.name, "size_0");
}

static void numbers_out_of_range_are_refused(void **unused)
{
    (void)unused;
    refuse("n=u8:256", "wanted 0 to 255");
    refuse("n=s8:128", "wanted -128 to 127");
    refuse("n=s8:-129", "wanted -128 to 127");
    refuse("n=u32:-1", "wanted 0 to 4294967295");
    refuse("n=b8:-129", "wanted -128 to 255");
    refuse("n=u64:18446744073709551616", "wanted 0 to 18446744073709551615");
    refuse("n=u32:1.5", "no number");
    refuse("n=u32:0x", "no number");
    refuse("n=u32:1 ", "no number");
    refuse("n=u32:", "missing");
    refuse("n=u32:1,,2", "missing");
    refuse("n=f32:zero", "no number");
    refuse("n=f32:1e400", "out of range");
    refuse("n=f32:-3.41e38", "out of range");
    refuse("n=f64:1e309", "out of range");
    refuse("n=f64:0x1p1024", "out of range");
    refuse("n=f16:65520", "out of range");
    refuse("n=b32:1.0e39", "out of range");
    refuse("b=buffer:f32[4]=1e39", "out of range");
    refuse("n=f32: 1", "no number");
    refuse("n=u33:1", "unknown kind");
    refuse("n=bytes:0", "pairs");
    refuse("n=bytes:0g", "pairs");
    refuse("n=bytes:", "pairs");
    refuse("n=", "missing");
    refuse("=5", "NAME=VALUE");
    refuse("n", "NAME=VALUE");
}

static void buffers_are_read(void **unused)
{
    (void)unused;
    struct argument zeros = parse("b=buffer:u32[256]"), filled = parse("b=buffer:f32[4]=1.5"),
                    listed = parse("b=buffer:s8[]=-1,2"), file = parse("b=buffer:@dir/a=b@c.npy"),
                    typed = parse("b=buffer:u16[3]@x.raw"), loose = parse("b=buffer:u16@x.raw"),
                    alias = parse("b=buffer:bins");
    assert_int_equal(zeros.kind, ARGUMENT_BUFFER);
    assert_int_equal(zeros.elements, 256);
    assert_null(zeros.values);
    assert_int_equal(filled.fills, 1);
    assert_int_equal(filled.elements, 4);
    assert_int_equal(listed.elements, 2);
    assert_memory_equal(listed.values, "\xff\2", 2);
    assert_string_equal(file.file, "dir/a=b@c.npy");
    assert_string_equal(typed.file, "x.raw");
    assert_int_equal(typed.elements, 3);
    assert_string_equal(loose.file, "x.raw");
    assert_int_equal(loose.elements, 0);
    assert_string_equal(alias.alias, "bins");
}

static void broken_buffers_are_refused(void **unused)
{
    (void)unused;
    refuse("b=buffer:", "element type");
    refuse("b=buffer:u32", "number of elements is missing");
    refuse("b=buffer:u32[]", "number of elements is missing");
    refuse("b=buffer:u32[-1]", "from 0");
    refuse("b=buffer:u32[0]=1,2", "as many as");
    refuse("b=buffer:u32[8", "]");
    refuse("b=buffer:u32[99999999999999999999]", "too large");
    refuse("b=buffer:u32[4]x", "wanted");
    refuse("b=buffer:u32[4]=1,2", "list");
    assert_true(parse("b=buffer:f32[0]").sized && parse("b=buffer:f32[0]").elements == 0);
    assert_false(parse("b=buffer:f32[]@x").sized || parse("b=buffer:f32@x").sized);
    refuse("b=buffer:@", "file name");
    refuse("b=buffer:u32[1]@", "file name");
    refuse("b=buffer:int[4]", "element type");
}

static void surfaces_are_read(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        struct atoll_surface_desc desc;
    } rows[] = {
        {"s=surface:r8unorm:640x480", {.dimension = ATOLL_DIM_2D, .width = 640, .height = 480}},
        {"s=surface:r8unorm:2d:640x480", {.dimension = ATOLL_DIM_2D, .width = 640, .height = 480}},
        {"s=surface:r32float:1d:100", {.dimension = ATOLL_DIM_1D, .width = 100}},
        {"s=surface:r32float:1dbuffer:100", {.dimension = ATOLL_DIM_1D_BUFFER, .width = 100}},
        {"s=surface:r32float:1darray:100x3", {.dimension = ATOLL_DIM_1D_ARRAY, .width = 100, .layers = 3}},
        {"s=surface:r32float:2darray:4x5x6", {.dimension = ATOLL_DIM_2D_ARRAY, .width = 4, .height = 5, .layers = 6}},
        {"s=surface:r32float:3d:4x5x6", {.dimension = ATOLL_DIM_3D, .width = 4, .height = 5, .depth = 6}},
        {"s=surface:r32float:cube:8", {.dimension = ATOLL_DIM_2D_ARRAY, .width = 8, .height = 8, .layers = 6}},
        {"s=surface:r32float:cubearray:8x3", {.dimension = ATOLL_DIM_2D_ARRAY, .width = 8, .height = 8, .layers = 18}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct argument a = parse(rows[i].text);
        assert_int_equal(a.kind, ARGUMENT_SURFACE);
        assert_memory_equal(&a.desc, &rows[i].desc, sizeof a.desc);
        assert_null(a.file);
    }
    struct argument filled = parse("s=surface:r8uint:1d:4=7"), file = parse("s=surface:r8uint:4x4:@a:b.raw"),
                    picture = parse("s=surface:in.png"), recast = parse("s=surface:d:in.png:r8unorm"),
                    alias = parse("s=surface:src");
    assert_string_equal(filled.fill, "7");
    assert_string_equal(file.file, "a:b.raw");
    assert_string_equal(picture.file, "in.png");
    assert_null(picture.format);
    assert_string_equal(recast.file, "d:in.png");
    assert_string_equal(recast.format, "r8unorm");
    assert_string_equal(alias.alias, "src");
}

static bool settings_are(const struct argument *a, const char *layout, uint64_t first, uint64_t second)
{
    struct atoll_surface_desc desc;
    assert_true(argument_surface(a, &desc, NULL));
    assert_string_equal(desc.layout.name, layout);
    return desc.layout.settings[0] == first && desc.layout.settings[1] == second;
}

static void settings_belong_to_their_layout(void **unused)
{
    (void)unused;
    static const char *const wrong[][2] = {
        {"s=surface:r8uint:8x8:block-height=4", "a surface of layout pitch has no blocks"},
        {"s=surface:r8uint:8x8:pitch=64:block-linear", "a surface of layout block-linear has no pitch"},
        {"s=surface:r8uint:8x8:tile-4:block-depth=1", "a surface of layout tile-4 has no blocks"},
    };
    for (unsigned i = 0; i < 3; i++) {
        struct argument a = parse(wrong[i][0]);
        struct atoll_surface_desc desc;
        struct atoll_error error = {0};
        assert_false(argument_surface(&a, &desc, &error));
        assert_int_equal(error.status, ATOLL_USAGE);
        assert_string_equal(error.message, wrong[i][1]);
    }
}

static void surfaces_have_settings(void **unused)
{
    (void)unused;
    struct argument a = parse("s=surface:r8uint:2d:64x32=7:block-linear:block-height=4:block-depth=2:levels=3:level=1:"
                              "index=9:disabled:missing=0,4-7");
    assert_true(a.desc.dimension == ATOLL_DIM_2D && a.desc.width == 64 && a.desc.height == 32);
    assert_true(settings_are(&a, "block-linear", 4, 2));
    assert_true(a.desc.levels == 3 && a.desc.level == 1 && a.desc.index == 9 && a.desc.disabled);
    assert_string_equal(a.fill, "7");
    const char *missing = a.missing;
    uint64_t first, last;
    assert_true(ranges_next(&missing, &first, &last) && first == 0 && last == 0);
    assert_true(ranges_next(&missing, &first, &last) && first == 4 && last == 7);
    assert_int_equal(*missing, 0);
    a = parse("s=surface:r8uint:16x16:pitch=96:@a:pitch");
    assert_true(settings_are(&a, "pitch", 96, 0));
    assert_string_equal(a.file, "a:pitch");
    a = parse("s=surface:r8uint:16x16:tile-y:pitch=256");
    assert_true(settings_are(&a, "tile-y", 256, 0));
    a = parse("s=surface:r8uint:16x16:tile-x:tile-4");
    assert_true(settings_are(&a, "tile-4", 0, 0));
    a = parse("s=surface:r32float:16x16:quad:tile-r580:pitch=128");
    assert_true(settings_are(&a, "tile-r580", 128, 0) && a.desc.quad);
    a = parse("s=surface:d:in.png:r8unorm:block-linear:block-height=2");
    assert_string_equal(a.file, "d:in.png");
    assert_string_equal(a.format, "r8unorm");
    assert_true(a.desc.width == 0 && settings_are(&a, "block-linear", 2, 0));
}

static void broken_surfaces_are_refused(void **unused)
{
    (void)unused;
    refuse("s=surface:", "missing");
    refuse("s=surface:r8unorm", "geometry is missing");
    refuse("s=surface:r8unorm:", "geometry");
    refuse("s=surface:r8unorm:640", "geometry");
    refuse("s=surface:r8unorm:640x", "geometry");
    refuse("s=surface:r8unorm:640x480x3", "geometry");
    refuse("s=surface:r8unorm:0x480", "geometry");
    refuse("s=surface:r8unorm:4294967296x1", "geometry");
    refuse("s=surface:r8unorm:cubearray:4x4294967295", "cubes");
    refuse("s=surface:r8unorm:4d:1x1x1x1", "geometry");
    refuse("s=surface:r8unorm:4x4:@", "file name");
    refuse("s=surface:r9unorm:4x4", "r9unorm");
    refuse("s=surface:in.png:r9unorm", "r9unorm");
    refuse("s=surface:r8uint:4x4:tiled", "'tiled': wanted block-linear");
    refuse("s=surface:r8uint:4x4:tile-y=1", "tile-y: wanted no value");
    refuse("s=surface:r8uint:4x4:tile-", "'tile-': wanted block-linear");
    refuse("s=surface:r8uint:4x4:levels", "levels: wanted a number");
    refuse("s=surface:r8uint:4x4:levels=", "levels: wanted a number");
    refuse("s=surface:r8uint:4x4:levels=2x", "levels: wanted a number");
    refuse("s=surface:r8uint:4x4:levels=-1", "levels: wanted a number");
    refuse("s=surface:r8uint:4x4:levels=4294967296", "levels: wanted a number");
    refuse("s=surface:r8uint:4x4:disabled=1", "disabled: wanted no value");
    refuse("s=surface:r8uint:4x4:missing", "missing: wanted numbers of tiles");
    refuse("s=surface:r8uint:4x4:missing=3-1", "missing: wanted numbers of tiles");
    refuse("s=surface:r8uint:4x4:missing=1,,2", "missing: wanted numbers of tiles");
    refuse("s=surface:in.png:pitch=a", "pitch: wanted a number");
    refuse("s=surface:r8uint:4x4=1:@a.raw", "either");
    refuse("s=surface:r8uint:4x4:", "wanted block-linear");
}

/* ---- options ------------------------------------------------------------------------------------------------- */

struct fields {
    bool flag;
    const char *text;
    struct list list;
    uint32_t small;
    uint64_t large;
    struct seed seed;
    double seconds;
    struct shape shape;
    unsigned version;
};

static const struct option table[] = {
    {"flag", 'f', NULL, OPTION_FLAG, offsetof(struct fields, flag), "a flag"},
    {"text", 't', "TEXT", OPTION_TEXT, offsetof(struct fields, text), "a text\nof two lines"},
    {"list", 0, "ITEM", OPTION_LIST, offsetof(struct fields, list), "a list"},
    {"small", 0, "N", OPTION_U32, offsetof(struct fields, small), "a number"},
    {"large", 0, "N", OPTION_U64, offsetof(struct fields, large), "a number"},
    {"seed", 0, "N", OPTION_SEED, offsetof(struct fields, seed), "a seed"},
    {"seconds", 0, "S", OPTION_SECONDS, offsetof(struct fields, seconds), "seconds"},
    {"shape", 0, "X", OPTION_SHAPE, offsetof(struct fields, shape), "a shape"},
    {"version", 0, "N.N", OPTION_VERSION, offsetof(struct fields, version), "a version"},
    {0},
};
static const struct command command = {
    .name = "test", .synopsis = "FILE", .summary = "tests", .options = table, .least = 1, .most = 2};

/* Splits at blanks and parses. */
static bool options(const char *line, struct fields *fields, struct list *plain, struct atoll_error *error)
{
    char *argv[16], *copy = arena_text(&arena, line, strlen(line)), *save = NULL;
    int argc = 0;
    for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
        argv[argc++] = word;
    *fields = (struct fields){0};
    *plain = (struct list){0};
    return options_parse(&command, &arena, argc, argv, fields, plain, error);
}

/* mem/sampler.h has the bytes. */
static void samplers_are_read(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        unsigned char bytes[SAMPLER_BYTES];
    } rows[] = {
        {"s=sampler:", {1, 0, 0, 0, 0, 2, 2, 2, 0}},
        {"s=sampler:nearest", {1, 0, 0, 0, 0, 2, 2, 2, 0}},
        {"s=sampler:linear,repeat,normalized", {1, 1, 0, 1, 0, 0, 0, 0, 0}},
        {"s=sampler:mirror,border,white", {1, 0, 0, 0, 0, 1, 3, 3, 2}},
        {"s=sampler:repeat,mirror,mirror-once,mip-linear,less-equal", {1, 0, 2, 0, 3, 0, 1, 4, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct argument a = parse(rows[i].text);
        assert_int_equal(a.kind, ARGUMENT_SAMPLER);
        assert_memory_equal(a.sampler, rows[i].bytes, SAMPLER_BYTES);
    }
    refuse("s=sampler:cubic", "'cubic': wanted nearest, linear");
    refuse("s=sampler:linear,", "wanted nearest, linear");
    refuse("s=sampler:repeat,repeat,repeat,repeat", "up to three of repeat");
    refuse("s=local:-1", "-1");
    refuse("s=read:u32:5", "before surface:");
}

/* What arguments are, for a module that must know it to place them. */
static void arguments_are_described(void **unused)
{
    (void)unused;
    static const char *items[] = {"0=buffer:f32[4]",
                                  "1=constant:buffer:@in.npy",
                                  "2=u32:5,6",
                                  "3=7",
                                  "4=surface:r32uint:3d:4x4x4",
                                  "5=read:surface:4",
                                  "6=write:surface:in.png",
                                  "7=local:64",
                                  "8=sampler:linear",
                                  "9=struct:u8:1,u32:2",
                                  "V0038=local_size",
                                  "V39=u32:3",
                                  "bti3=buffer:u8[4]",
                                  NULL};
    struct list list = {items, 13};
    struct atoll_error error;
    const char *text;
    assert_true(abi_arguments(&arena, &list, "k", &text, &error));
    assert_string_equal(text, "kernel=k\n0=global\n1=constant\n2=value:8\n3=value\n4=image:3d\n5=image:3d:read\n"
                              "6=image:2d:write\n7=local\n8=sampler\n9=value:8\nV0038=local_size\nV39=parameter\n"
                              "bti3=parameter\n");
    list.count = 0;
    assert_true(abi_arguments(&arena, &list, NULL, &text, &error));
    assert_string_equal(text, "");
    list = (struct list){items, 1};
    assert_true(abi_arguments(&arena, &list, "k(a)", &text, &error));
    assert_string_equal(text, "0=global\n");
}

static void options_are_stored(void **unused)
{
    (void)unused;
    struct fields f;
    struct list plain;
    assert_true(options("a.ptx -f --text=x --list 1 --list=2 --list 3 --small 7 --large=0x100000000 --seed 0 "
                        "--seconds .5 --shape",
                        &f, &plain, NULL) == false);
    assert_true(options("a.ptx -f --text=x --list 1 --list=2 --list 3 --small 7 --large=0x100000000 --seed 0 -- -b", &f,
                        &plain, NULL));
    assert_int_equal(plain.count, 2);
    assert_string_equal(plain.items[1], "-b");
    assert_true(f.flag && f.seed.given && f.seed.value == 0);
    assert_string_equal(f.text, "x");
    assert_int_equal(f.list.count, 3);
    assert_string_equal(f.list.items[2], "3");
    assert_null(f.list.items[3]);
    assert_true(f.small == 7 && f.large == UINT64_C(0x100000000));
    assert_true(options("- --seconds .5 --shape 4x3 --version 8.1 -tyes", &f, &plain, NULL));
    assert_string_equal(plain.items[0], "-");
    assert_string_equal(f.text, "yes");
    assert_true(f.seconds == 0.5 && f.version == 81 && f.shape.given);
    assert_true(f.shape.size[0] == 4 && f.shape.size[1] == 3 && f.shape.size[2] == 1);
}

static void broken_options_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *line, *word;
    } rows[] = {
        {"", "missing"},
        {"a b c", "'c'"},
        {"a --unknown", "'--unknown'"},
        {"a -x", "'-x'"},
        {"a --flag=1", "no value"},
        {"a --text", "wants a value"},
        {"a --small 4294967296", "--small=4294967296"},
        {"a --small -1", "--small=-1"},
        {"a --small 1x", "--small=1x"},
        {"a --large 18446744073709551616", "--large"},
        {"a --seconds -1", "--seconds"},
        {"a --seconds nan", "--seconds"},
        {"a --shape 4x", "--shape"},
        {"a --shape 0", "--shape"},
        {"a --shape 1x2x3x4", "--shape"},
        {"a --version 8", "--version"},
        {"a --version 8.1.1", "--version"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fields f;
        struct list plain;
        struct atoll_error error = {0};
        assert_false(options(rows[i].line, &f, &plain, &error));
        assert_int_equal(error.status, ATOLL_USAGE);
        if (!strstr(error.message, rows[i].word))
            fail_msg("'%s': '%s' does not say '%s'", rows[i].line, error.message, rows[i].word);
    }
}

static void help_lists_every_option(void **unused)
{
    (void)unused;
    struct text out = {0};
    options_help(&command, &out);
    for (const struct option *o = table; o->name; o++)
        assert_non_null(strstr(out.bytes, o->name));
    assert_non_null(strstr(out.bytes, "\n                            of two lines\n"));
    text_free(&out);
}

static int forget(void **unused)
{
    (void)unused;
    arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_have_the_bits_of_their_type),
        cmocka_unit_test(lists_and_bytes_are_read),
        cmocka_unit_test(numbers_out_of_range_are_refused),
        cmocka_unit_test(buffers_are_read),
        cmocka_unit_test(broken_buffers_are_refused),
        cmocka_unit_test(surfaces_are_read),
        cmocka_unit_test(surfaces_have_settings),
        cmocka_unit_test(settings_belong_to_their_layout),
        cmocka_unit_test(broken_surfaces_are_refused),
        cmocka_unit_test(samplers_are_read),
        cmocka_unit_test(arguments_are_described),
        cmocka_unit_test(options_are_stored),
        cmocka_unit_test(broken_options_are_refused),
        cmocka_unit_test(help_lists_every_option),
    };
    return cmocka_run_group_tests(tests, NULL, forget);
}

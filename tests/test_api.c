/* The public functions: what they check, own and hand out. */
#include "atoll.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define HEADER ".version 7.0\n.target sm_75\n.address_size 64\n"

static const char adder[] =
    HEADER ".global .u32 counter = 5;\n"
           ".const .u32 table[2] = {7, 9};\n"
           ".global .u64 pointer = counter;\n"
           ".global .surfref S[2];\n"
           ".visible .entry add(.param .u64 .ptr .global out, .param .u32 n)\n"
           "{\n"
           "  .reg .u32 %r<6>; .reg .u64 %rd<6>;\n"
           "  ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n];\n"
           "  ld.global.u64 %rd2, [pointer]; ld.global.u32 %r2, [%rd2];\n"
           "  ld.const.u32 %r3, [table+4];\n"
           "  add.u32 %r4, %r1, %r2; add.u32 %r4, %r4, %r3;\n"
           "  mov.u32 %r5, %tid.x; mul.wide.u32 %rd3, %r5, 4; add.u64 %rd3, %rd3, %rd1;\n"
           "  st.global.u32 [%rd3], %r4; ret;\n"
           "}\n"
           ".visible .entry small() .reqntid 32\n{ ret; }\n"
           ".visible .entry limited() .maxntid 64, 2\n{ ret; }\n"
           ".visible .entry shared()\n"
           "{ .shared .align 4 .b8 buffer[1000]; .reg .u32 %r<2>; ld.shared.u32 %r1, [buffer]; ret; }\n"
           ".visible .entry width(.param .u64 out)\n"
           "{ .reg .u32 %r<2>; .reg .u64 %rd<3>; ld.param.u64 %rd1, [out]; \n"
           "  mov.u64 %rd2, S; suq.width.b32 %r1, [%rd2];\n"
           "  st.global.u32 [%rd1], %r1; ret; }\n";

struct fixture {
    struct atoll_device *device;
    struct atoll_module *module;
    struct atoll_error error;
};

static int start(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){0};
    assert_true(atoll_device_create(NULL, &fixture.device, &fixture.error));
    if (!atoll_module_load(fixture.device, adder, sizeof adder - 1, NULL, &fixture.module, &fixture.error))
        fail_msg("%u:%u: %s", fixture.error.line, fixture.error.column, fixture.error.message);
    *state = &fixture;
    return 0;
}

static int stop(void **state)
{
    struct fixture *f = *state;
    atoll_device_destroy(f->device); /* modules and surfaces too */
    return 0;
}

static void expect_error(const struct atoll_error *error, enum atoll_status status, const char *word)
{
    assert_int_equal(error->status, status);
    if (!strstr(error->message, word))
        fail_msg("'%s' does not say '%s'", error->message, word);
}

/* ---- memory --------------------------------------------------------------------------------------------------- */

static void memory_is_written_and_read(void **state)
{
    struct fixture *f = *state;
    uint64_t address;
    char back[5] = "";
    assert_true(atoll_memory_alloc(f->device, 10, &address, &f->error));
    assert_int_equal(address % 256, 0);
    assert_true(atoll_memory_write(f->device, address + 5, "12345", 5, &f->error));
    assert_true(atoll_memory_read(f->device, address + 5, back, 5, &f->error));
    assert_memory_equal(back, "12345", 5);
    unsigned char *host = atoll_memory_map(f->device, address, 10, &f->error);
    assert_memory_equal(host,
                        "\0\0\0\0\0"
                        "12345",
                        10);
    assert_true(atoll_memory_free(f->device, address, &f->error));
    assert_false(atoll_memory_read(f->device, address, back, 5, &f->error));
    expect_error(&f->error, ATOLL_USAGE, "no allocation");
}

static void memory_of_no_bytes_is_memory(void **state)
{
    struct fixture *f = *state;
    struct atoll_trap trap;
    struct {
        uint64_t out;
        uint32_t n;
    } parameters = {0};
    assert_true(atoll_memory_alloc(f->device, 0, &parameters.out, &f->error));
    assert_true(parameters.out != 0);
    assert_true(atoll_memory_write(f->device, parameters.out, NULL, 0, &f->error));
    assert_true(atoll_memory_read(f->device, parameters.out, NULL, 0, &f->error));
    assert_non_null(atoll_memory_map(f->device, parameters.out, 0, &f->error));
    assert_null(atoll_memory_map(f->device, parameters.out, 1, &f->error));
    const struct atoll_launch_options launch = {.parameters = &parameters, .parameter_bytes = 12};
    assert_false(atoll_launch(atoll_module_kernel_at(f->module, 0), &launch, NULL, &trap, &f->error));
    assert_string_equal(trap.cause, "out-of-bounds");
    assert_true(trap.address == parameters.out);
    assert_true(atoll_memory_free(f->device, parameters.out, &f->error));
    assert_false(atoll_memory_free(f->device, parameters.out, &f->error));
}

static void wrong_memory_calls_are_refused(void **state)
{
    struct fixture *f = *state;
    uint64_t address, variable;
    assert_true(atoll_memory_alloc(f->device, 10, &address, &f->error));
    assert_false(atoll_memory_write(f->device, address + 6, "12345", 5, &f->error));
    expect_error(&f->error, ATOLL_USAGE, "do not fit");
    assert_false(atoll_memory_write(f->device, address, "", UINT64_MAX, &f->error));
    assert_false(atoll_memory_alloc(NULL, 1, &address, &f->error));
    expect_error(&f->error, ATOLL_USAGE, "device is NULL");
    assert_false(atoll_memory_alloc(f->device, UINT64_C(1) << 60, &address, NULL)); /* no error wanted: fine */
    assert_false(atoll_memory_free(f->device, 12345, &f->error));
    assert_null(atoll_memory_map(f->device, 0, 1, &f->error));
    assert_true(atoll_module_variable(f->module, "counter", &variable, NULL, &f->error));
    assert_false(atoll_memory_free(f->device, variable, &f->error));
    expect_error(&f->error, ATOLL_USAGE, "'counter'");
}

static void the_memory_limit_holds_for_buffers_and_surfaces(void **state)
{
    struct fixture *f = *state;
    struct atoll_device *device;
    struct atoll_surface *surface, *second;
    uint64_t address;
    const struct atoll_device_options options = {.memory_limit = 1 << 20};
    const struct atoll_surface_desc desc = {
        .dimension = ATOLL_DIM_2D, .width = 1024, .height = 700, .format = "r8unorm"};
    assert_true(atoll_device_create(&options, &device, &f->error));
    assert_false(atoll_memory_alloc(device, 2 << 20, &address, &f->error));
    assert_int_equal(f->error.status, ATOLL_LIMIT);
    assert_true(atoll_surface_create(device, &desc, &surface, &f->error));
    assert_false(atoll_surface_create(device, &desc, &second, &f->error));
    assert_int_equal(f->error.status, ATOLL_LIMIT);
    atoll_surface_destroy(surface);
    assert_true(atoll_surface_create(device, &desc, &second, &f->error));
    atoll_device_destroy(device);
}

/* ---- surfaces --------------------------------------------------------------------------------------------------- */

static void surfaces_are_described_written_and_read(void **state)
{
    struct fixture *f = *state;
    const struct atoll_surface_desc desc = {
        .dimension = ATOLL_DIM_2D_ARRAY, .width = 3, .height = 2, .layers = 2, .format = "rg8unorm"};
    struct atoll_surface_desc back;
    struct atoll_surface *surface, *other;
    unsigned char texels[24], read[24];
    for (unsigned i = 0; i < 24; i++)
        texels[i] = (unsigned char)i;
    assert_true(atoll_surface_create(f->device, &desc, &surface, &f->error));
    assert_true(atoll_surface_create(f->device, &desc, &other, &f->error));
    assert_true(atoll_surface_handle(surface) != atoll_surface_handle(other) && atoll_surface_handle(surface) != 0);
    assert_int_equal(atoll_surface_size(surface), 24);
    assert_true(atoll_surface_write(surface, texels, 24, &f->error));
    assert_true(atoll_surface_read(surface, read, 24, &f->error));
    assert_memory_equal(read, texels, 24);
    assert_false(atoll_surface_write(surface, texels, 23, &f->error));
    assert_false(atoll_surface_read(surface, NULL, 24, &f->error));
    atoll_surface_describe(surface, &back);
    assert_true(back.dimension == ATOLL_DIM_2D_ARRAY && back.width == 3 && back.height == 2 && back.layers == 2);
    assert_string_equal(back.format, "rg8unorm");
    atoll_surface_destroy(surface);
    atoll_surface_destroy(NULL);
}

static void surfaces_have_layouts(void **state)
{
    struct fixture *f = *state;
    struct atoll_surface *surface;
    struct atoll_surface_desc back, desc = {.dimension = ATOLL_DIM_2D,
                                            .width = 100,
                                            .height = 50,
                                            .format = "r8uint",
                                            .layout = {"block-linear", {4}},
                                            .levels = 3,
                                            .level = 1,
                                            .index = 77,
                                            .disabled = true};
    unsigned char texels[50 * 25], out[50 * 25];
    for (unsigned i = 0; i < sizeof texels; i++)
        texels[i] = (unsigned char)(i * 3);
    assert_true(atoll_surface_create(f->device, &desc, &surface, &f->error));
    assert_int_equal(atoll_surface_handle(surface), 77);
    assert_int_equal(atoll_surface_size(surface), 50 * 25); /* of the level */
    assert_true(atoll_surface_write(surface, texels, sizeof texels, &f->error));
    assert_true(atoll_surface_read(surface, out, sizeof out, &f->error));
    assert_memory_equal(out, texels, sizeof out);
    atoll_surface_describe(surface, &back);
    assert_true(back.levels == 3 && back.level == 1);
    assert_true(back.width == 100 && back.layout.settings[0] == 4 && back.layout.settings[1] == 1 && back.index == 77);
    assert_string_equal(back.layout.name, "block-linear");
    assert_true(back.disabled);
    assert_true(atoll_surface_reside(surface, 0, 1, false, &f->error));
    assert_false(atoll_surface_reside(surface, 1, 1, false, &f->error));
    expect_error(&f->error, ATOLL_USAGE, "tiles 1 to 1");
    assert_false(atoll_surface_reside(NULL, 0, 1, false, &f->error));
    struct atoll_surface *second;
    assert_false(atoll_surface_create(f->device, &desc, &second, &f->error));
    expect_error(&f->error, ATOLL_USAGE, "surface header 77 is in use");
    atoll_surface_destroy(surface);
    desc.index = 0;
    desc.layout.settings[0] = 3;
    assert_false(atoll_surface_create(f->device, &desc, &surface, &f->error));
    expect_error(&f->error, ATOLL_USAGE, "GOBs");
    desc.layout.settings[3] = 4;
    assert_false(atoll_surface_create(f->device, &desc, &surface, &f->error));
    expect_error(&f->error, ATOLL_USAGE, "no setting 3");
    desc.layout.name = "swirl";
    assert_false(atoll_surface_create(f->device, &desc, &surface, &f->error));
    expect_error(&f->error, ATOLL_USAGE, "unknown layout 'swirl'");
}

/* A surface is made in device memory: both see the same bytes; when that is freed the surface has none. */
static void surfaces_lie_in_device_memory(void **state)
{
    struct fixture *f = *state;
    struct atoll_surface *surface, *second;
    struct atoll_surface_desc back, desc = {.dimension = ATOLL_DIM_2D,
                                            .width = 4,
                                            .height = 3,
                                            .format = "rgba8unorm",
                                            .layout = {"pitch", {64}},
                                            .quad = true};
    uint32_t texels[12], words[48];
    uint64_t memory, other;
    assert_true(atoll_memory_alloc(f->device, 1024, &memory, &f->error));
    assert_true(atoll_memory_alloc(f->device, 64, &other, &f->error));
    for (unsigned i = 0; i < 12; i++)
        texels[i] = i + 100;
    desc.address = memory + 128;
    assert_true(atoll_surface_create(f->device, &desc, &surface, &f->error));
    assert_true(atoll_surface_write(surface, texels, sizeof texels, &f->error));
    assert_true(atoll_memory_read(f->device, memory + 128, words, sizeof words, &f->error));
    assert_true(words[0] == 100 && words[3] == 103 && words[4] == 0 && words[16] == 104 && words[32] == 108);
    words[33] = 7;
    assert_true(atoll_memory_write(f->device, memory + 128, words, sizeof words, &f->error));
    assert_true(atoll_surface_read(surface, texels, sizeof texels, &f->error));
    assert_int_equal(texels[9], 7);
    atoll_surface_describe(surface, &back);
    assert_true(back.address == memory + 128 && back.quad && back.layout.settings[0] == 64);
    desc.address = memory + 1024 - 128; /* 192 bytes */
    assert_false(atoll_surface_create(f->device, &desc, &second, &f->error));
    expect_error(&f->error, ATOLL_USAGE, "192 bytes does not fit in the 128");
    desc.address = memory + 32;
    assert_false(atoll_surface_create(f->device, &desc, &second, &f->error));
    expect_error(&f->error, ATOLL_USAGE, "multiple of 64");
    desc.address = other + 64;
    assert_false(atoll_surface_create(f->device, &desc, &second, &f->error));
    expect_error(&f->error, ATOLL_USAGE, "no allocation");
    desc.address = memory;
    assert_true(atoll_surface_create(f->device, &desc, &second, &f->error));
    atoll_surface_destroy(second);
    uint64_t handle = atoll_surface_handle(surface);
    assert_true(atoll_memory_free(f->device, memory, &f->error));
    assert_false(atoll_surface_read(surface, texels, sizeof texels, &f->error));
    expect_error(&f->error, ATOLL_USAGE, "was freed");
    assert_false(atoll_surface_write(surface, texels, sizeof texels, &f->error));
    assert_false(atoll_module_bind_surface(f->module, "S", 0, surface, &f->error));
    expect_error(&f->error, ATOLL_USAGE, "was freed");
    /* its index is free for another */
    desc = (struct atoll_surface_desc){
        .dimension = ATOLL_DIM_1D, .width = 1, .format = "r8uint", .index = (uint32_t)handle, .index_given = true};
    assert_true(atoll_surface_create(f->device, &desc, &second, &f->error));
    atoll_surface_destroy(surface);
    assert_true(atoll_module_bind_surface(f->module, "S", 0, second, &f->error));
}

/* A kernel's stores through one are its loads through the other; reductions of such a surface are not held back. */
static void surfaces_and_buffers_share_bytes(void **state)
{
    static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                               ".visible .entry both(.param .u64 s, .param .u64 m)\n"
                               "{ .reg .u32 %r<4>; .reg .u64 %rd<3>;\n"
                               "  ld.param.u64 %rd1, [s]; ld.param.u64 %rd2, [m]; mov.u32 %r1, 7; mov.u32 %r0, 0;\n"
                               "  sust.b.2d.b32.trap [%rd1, {%r0, %r0}], {%r1};\n"
                               "  ld.global.u32 %r2, [%rd2]; add.u32 %r2, %r2, 1; st.global.u32 [%rd2+4], %r2;\n"
                               "  mov.u32 %r3, 4; suld.b.2d.b32.trap {%r2}, [%rd1, {%r3, %r0}];\n"
                               "  st.global.u32 [%rd2+8], %r2; mov.u32 %r3, 12;\n"
                               "  sured.b.add.2d.u32.trap [%rd1, {%r3, %r0}], %r1;\n"
                               "  ld.global.u32 %r2, [%rd2+12]; st.global.u32 [%rd2+16], %r2; ret; }\n";
    struct fixture *f = *state;
    struct atoll_module *module;
    struct atoll_kernel *kernel;
    struct atoll_surface *surface;
    uint64_t memory;
    uint32_t words[5];
    if (!atoll_module_load(f->device, text, sizeof text - 1, NULL, &module, &f->error))
        fail_msg("%s", f->error.message);
    assert_true(atoll_memory_alloc(f->device, 64, &memory, &f->error));
    const struct atoll_surface_desc desc = {
        .dimension = ATOLL_DIM_2D, .width = 8, .height = 1, .format = "r32uint", .address = memory};
    assert_true(atoll_surface_create(f->device, &desc, &surface, &f->error));
    assert_true(atoll_module_kernel(module, "both", &kernel, &f->error));
    uint64_t parameters[] = {atoll_surface_handle(surface), memory};
    const struct atoll_launch_options launch = {.parameters = parameters, .parameter_bytes = sizeof parameters};
    if (!atoll_launch(kernel, &launch, NULL, NULL, &f->error))
        fail_msg("%s", f->error.message);
    assert_true(atoll_memory_read(f->device, memory, words, sizeof words, &f->error));
    assert_true(words[0] == 7 && words[1] == 8 && words[2] == 8 && words[3] == 7 && words[4] == 7);
    /* without its memory the handle is nobody's */
    assert_true(atoll_memory_free(f->device, memory, &f->error));
    assert_false(atoll_launch(kernel, &launch, NULL, NULL, &f->error));
    assert_int_equal(f->error.status, ATOLL_TRAP);
}

static void wrong_surfaces_are_refused(void **state)
{
    struct fixture *f = *state;
    struct atoll_surface *surface;
    const struct atoll_surface_desc wrong[] = {
        {.dimension = ATOLL_DIM_2D, .width = 0, .height = 1, .format = "r8unorm"},
        {.dimension = ATOLL_DIM_2D, .width = 1, .height = 0, .format = "r8unorm"},
        {.dimension = ATOLL_DIM_2D, .width = 1, .height = 1, .depth = 2, .format = "r8unorm"},
        {.dimension = ATOLL_DIM_1D, .width = 1, .height = 2, .format = "r8unorm"},
        {.dimension = (enum atoll_dimension)9, .width = 1, .height = 1, .format = "r8unorm"},
        {.dimension = ATOLL_DIM_2D, .width = 1, .height = 1, .format = "r9unorm"},
        {.dimension = ATOLL_DIM_2D, .width = 1, .height = 1, .format = NULL},
        {.dimension = ATOLL_DIM_3D,
         .width = UINT32_MAX,
         .height = UINT32_MAX,
         .depth = UINT32_MAX,
         .format = "r8unorm"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        f->error = (struct atoll_error){0};
        assert_false(atoll_surface_create(f->device, &wrong[i], &surface, &f->error));
        assert_true(f->error.status == ATOLL_USAGE || f->error.status == ATOLL_LIMIT);
        assert_null(surface);
    }
    assert_false(atoll_surface_create(f->device, NULL, &surface, &f->error));
    expect_error(&f->error, ATOLL_USAGE, "desc is NULL");
}

static void formats_are_listed_and_found(void **state)
{
    struct fixture *f = *state;
    struct atoll_format_info info;
    unsigned count = 0;
    for (const char *name; (name = atoll_format_name(count)); count++) {
        assert_true(atoll_format_find(name, &info, &f->error));
        assert_string_equal(info.name, name);
        assert_true(info.bytes >= 1 && info.bytes <= 16 && info.channels >= 1 && info.channels <= 4);
        assert_non_null(strchr("nsuif", info.kind));
    }
    assert_true(count > 30);
    assert_false(atoll_format_find("rgb8", &info, &f->error));
    expect_error(&f->error, ATOLL_USAGE, "'rgb8'");
}

static void layouts_are_listed_and_found(void **state)
{
    struct fixture *f = *state;
    struct atoll_layout_info info;
    unsigned count = 0;
    for (const char *name; (name = atoll_layout_name(count)); count++) {
        assert_true(atoll_layout_find(name, &info, &f->error));
        assert_string_equal(info.name, name);
        for (unsigned i = 0; i < ATOLL_LAYOUT_SETTINGS; i++)
            assert_true(!info.settings[i].name == !info.settings[i].unit);
    }
    assert_int_equal(count, 6);
    assert_true(atoll_layout_find("tile-4", &info, &f->error));
    assert_false(info.levels);
    assert_string_equal(info.settings[0].name, "pitch");
    assert_true(atoll_layout_find("block-linear", &info, &f->error));
    assert_true(info.levels && !info.settings[2].name);
    assert_string_equal(info.settings[1].name, "block-depth");
    assert_string_equal(info.settings[1].unit, "GOBs");
    assert_false(atoll_layout_find("swirl", &info, &f->error));
    expect_error(&f->error, ATOLL_USAGE, "unknown surface layout 'swirl'");
    assert_false(atoll_layout_find(NULL, &info, &f->error));
}

/* ---- modules ---------------------------------------------------------------------------------------------- */

struct seen {
    unsigned count;
    struct atoll_diagnostic last;
    char line[100];
};

static void note(void *user, const struct atoll_diagnostic *diagnostic)
{
    struct seen *seen = user;
    seen->count++;
    seen->last = *diagnostic;
    snprintf(seen->line, sizeof seen->line, "%.*s", (int)diagnostic->line_length, diagnostic->line_text);
}

static void invalid_modules_are_reported(void **state)
{
    struct fixture *f = *state;
    static const char text[] = HEADER ".entry k()\n{\n  ouch;\n  oops;\n}\n";
    struct seen seen = {0};
    struct atoll_module *module;
    struct atoll_module_options options = {.file = "k.ptx", .diagnose = note, .user = &seen};
    assert_false(atoll_module_load(f->device, text, sizeof text - 1, &options, &module, &f->error));
    assert_null(module);
    assert_int_equal(f->error.status, ATOLL_INVALID);
    assert_int_equal(f->error.line, 6);
    assert_int_equal(seen.count, 2);
    assert_int_equal(seen.last.line, 7);
    assert_int_equal(seen.last.severity, ATOLL_ERROR);
    assert_string_equal(seen.line, "  oops;");
    seen.count = 0;
    options.max_errors = 1;
    assert_false(atoll_module_load(NULL, text, sizeof text - 1, &options, &module, NULL));
    assert_int_equal(seen.count, 1);
}

static void options_override_version_and_target(void **state)
{
    struct fixture *f = *state;
    struct atoll_module *module;
    struct atoll_module_options options = {.target = "sm_90", .version = 81};
    char *text;
    assert_true(atoll_module_load(NULL, adder, sizeof adder - 1, &options, &module, &f->error));
    assert_true(atoll_module_text(module, ATOLL_TEXT_INFO, &text, NULL, &f->error));
    assert_non_null(strstr(text, "PTX 8.1, sm_90"));
    atoll_text_free(text);
    atoll_module_destroy(module);
    options.target = "sm_banana";
    assert_false(atoll_module_load(NULL, adder, sizeof adder - 1, &options, &module, &f->error));
    assert_int_equal(f->error.option, ATOLL_OPTION_TARGET);
    options = (struct atoll_module_options){.version = 129};
    assert_false(atoll_module_load(NULL, adder, sizeof adder - 1, &options, &module, &f->error));
    assert_int_equal(f->error.option, ATOLL_OPTION_VERSION);
    assert_false(atoll_module_load(NULL, "ouch", 4, NULL, &module, &f->error));
    assert_int_equal(f->error.option, ATOLL_OPTION_NONE);
}

static void modules_without_a_device_can_only_be_read(void **state)
{
    struct fixture *f = *state;
    struct atoll_module *module;
    struct atoll_kernel *kernel;
    const struct atoll_launch_options launch = {0};
    uint64_t address;
    assert_true(atoll_module_load(NULL, adder, sizeof adder - 1, NULL, &module, &f->error));
    assert_true(atoll_module_kernel(module, "small", &kernel, &f->error));
    assert_false(atoll_launch(kernel, &launch, NULL, NULL, &f->error));
    expect_error(&f->error, ATOLL_USAGE, "without a device");
    assert_false(atoll_module_variable(module, "counter", &address, NULL, &f->error));
    assert_false(atoll_module_bind_surface(module, "S", 0, NULL, &f->error));
    atoll_module_destroy(module);
}

static void texts_are_made(void **state)
{
    struct fixture *f = *state;
    static const char *const words[] = {[ATOLL_TEXT_CANONICAL] = ".visible .entry add",
                                        [ATOLL_TEXT_INSN] = "mul        mul.wide.u32 %rd3, %r5, 4\n",
                                        [ATOLL_TEXT_LANES] = "mulwide",
                                        [ATOLL_TEXT_INFO] = "kernel add (line ",
                                        [ATOLL_TEXT_INFO_JSON] = "\"name\":\"n\",\"type\":\"u32\",\"offset\":8"};
    for (int what = ATOLL_TEXT_CANONICAL; what <= ATOLL_TEXT_INFO_JSON; what++) {
        char *text;
        size_t size;
        assert_true(atoll_module_text(f->module, (enum atoll_text)what, &text, &size, &f->error));
        assert_int_equal(strlen(text), size);
        if (!strstr(text, words[what]))
            fail_msg("'%s' is not in:\n%s", words[what], text);
        atoll_text_free(text);
    }
    char *text;
    assert_false(atoll_module_text(f->module, (enum atoll_text)77, &text, NULL, &f->error));
}

static void kernels_and_parameters_are_described(void **state)
{
    struct fixture *f = *state;
    struct atoll_kernel *kernel;
    struct atoll_kernel_info info;
    struct atoll_parameter_info p;
    assert_false(atoll_module_kernel(f->module, "sub", &kernel, &f->error));
    expect_error(&f->error, ATOLL_USAGE, "add, small, limited, shared, width");
    atoll_kernel_describe(atoll_module_kernel_at(f->module, 0), &info);
    assert_string_equal(info.name, "add");
    assert_true(info.parameters == 2 && info.parameter_bytes == 12 && info.shared_bytes == 0 && !info.dynamic_shared);
    assert_true(atoll_kernel_parameter(atoll_module_kernel_at(f->module, 0), 0, &p, &f->error));
    assert_true(p.pointer && p.size == 8 && p.offset == 0 && p.count == 1);
    assert_string_equal(p.type, "u64");
    assert_false(atoll_kernel_parameter(atoll_module_kernel_at(f->module, 0), 2, &p, &f->error));
    atoll_kernel_describe(atoll_module_kernel_at(f->module, 1), &info);
    assert_true(info.required_block[0] == 32);
    atoll_kernel_describe(atoll_module_kernel_at(f->module, 3), &info);
    assert_int_equal(info.shared_bytes, 1000);
    assert_null(atoll_module_kernel_at(f->module, 5));
}

static void variables_have_memory_and_values(void **state)
{
    struct fixture *f = *state;
    uint64_t counter, pointer, size, value;
    uint32_t table[2];
    assert_true(atoll_module_variable(f->module, "counter", &counter, &size, &f->error));
    assert_int_equal(size, 4);
    assert_true(atoll_module_variable(f->module, "pointer", &pointer, &size, &f->error));
    assert_true(atoll_memory_read(f->device, pointer, &value, 8, &f->error));
    assert_int_equal(value, counter);
    assert_true(atoll_module_variable(f->module, "table", &pointer, &size, &f->error));
    assert_true(atoll_memory_read(f->device, pointer, table, 8, &f->error));
    assert_true(table[0] == 7 && table[1] == 9);
    assert_false(atoll_module_variable(f->module, "add", &pointer, &size, &f->error));
}

/* ---- launches --------------------------------------------------------------------------------------------- */

static void a_kernel_runs(void **state)
{
    struct fixture *f = *state;
    struct atoll_kernel *kernel;
    struct {
        uint64_t out;
        uint32_t n;
    } parameters = {.n = 100};
    uint32_t results[40];
    struct atoll_stats stats;
    assert_true(atoll_memory_alloc(f->device, sizeof results, &parameters.out, &f->error));
    assert_true(atoll_module_kernel(f->module, "add", &kernel, &f->error));
    struct atoll_launch_options launch = {.block = {40}, .parameters = &parameters, .parameter_bytes = 12};
    for (int i = 0; i < 2; i++) { /* the program is made once */
        if (!atoll_launch(kernel, &launch, &stats, NULL, &f->error))
            fail_msg("%s", f->error.message);
        assert_true(stats.blocks == 1 && stats.warps == 2 && stats.warp_instructions > 0);
    }
    assert_true(atoll_memory_read(f->device, parameters.out, results, sizeof results, &f->error));
    for (unsigned i = 0; i < 40; i++)
        assert_int_equal(results[i], 100 + 5 + 9);
}

static void traps_are_reported(void **state)
{
    struct fixture *f = *state;
    struct {
        uint64_t out;
        uint32_t n;
    } parameters = {.n = 100};
    struct atoll_trap trap = {0};
    assert_true(atoll_memory_alloc(f->device, 4 * 39, &parameters.out, &f->error));
    struct atoll_launch_options launch = {.block = {40}, .parameters = &parameters, .parameter_bytes = 12};
    assert_false(atoll_launch(atoll_module_kernel_at(f->module, 0), &launch, NULL, &trap, &f->error));
    assert_int_equal(f->error.status, ATOLL_TRAP);
    assert_string_equal(trap.kernel, "add");
    assert_string_equal(trap.cause, "out-of-bounds");
    assert_true(trap.thread[0] == 39 && trap.address == parameters.out + 4 * 39);
    assert_non_null(strstr(f->error.message, "<memory>"));
}

static void surface_references_are_bound(void **state)
{
    struct fixture *f = *state;
    struct atoll_kernel *kernel;
    struct atoll_surface *surface, *foreign;
    struct atoll_device *other;
    const struct atoll_surface_desc desc = {.dimension = ATOLL_DIM_2D, .width = 77, .height = 2, .format = "r8unorm"};
    uint64_t out;
    uint32_t width = 0;
    assert_true(atoll_surface_create(f->device, &desc, &surface, &f->error));
    assert_true(atoll_memory_alloc(f->device, 4, &out, &f->error));
    assert_true(atoll_module_kernel(f->module, "width", &kernel, &f->error));
    const struct atoll_launch_options launch = {.parameters = &out, .parameter_bytes = 8};
    assert_false(atoll_module_bind_surface(f->module, "S", 2, surface, &f->error));
    assert_false(atoll_module_bind_surface(f->module, "T", 0, surface, &f->error));
    assert_true(atoll_module_bind_surface(f->module, "S", 0, surface, &f->error));
    if (!atoll_launch(kernel, &launch, NULL, NULL, &f->error))
        fail_msg("%s", f->error.message);
    assert_true(atoll_memory_read(f->device, out, &width, 4, &f->error));
    assert_int_equal(width, 77);
    assert_true(atoll_device_create(NULL, &other, &f->error));
    assert_true(atoll_surface_create(other, &desc, &foreign, &f->error));
    assert_false(atoll_module_bind_surface(f->module, "S", 0, foreign, &f->error));
    expect_error(&f->error, ATOLL_USAGE, "another device");
    atoll_device_destroy(other);
    atoll_surface_destroy(surface); /* unbinds it */
    assert_false(atoll_launch(kernel, &launch, NULL, NULL, &f->error));
    assert_int_equal(f->error.status, ATOLL_TRAP);
}

/* Launches kernel `index` without parameters and wants `word` in the error. */
static void refuse_launch(struct fixture *f, unsigned index, struct atoll_launch_options launch, const char *word)
{
    f->error = (struct atoll_error){0};
    assert_false(atoll_launch(atoll_module_kernel_at(f->module, index), &launch, NULL, NULL, &f->error));
    expect_error(&f->error, ATOLL_USAGE, word);
}

static void wrong_launches_are_refused(void **state)
{
    struct fixture *f = *state;
    enum { ADD, SMALL, LIMITED, SHARED };
    refuse_launch(f, ADD, (struct atoll_launch_options){0}, "parameter block of 12 bytes");
    refuse_launch(f, ADD, (struct atoll_launch_options){.parameter_bytes = 12}, "parameters is NULL");
    refuse_launch(f, SMALL, (struct atoll_launch_options){.block = {31}}, ".reqntid");
    refuse_launch(f, SMALL, (struct atoll_launch_options){.block = {16, 2}}, ".reqntid");
    refuse_launch(f, LIMITED, (struct atoll_launch_options){.block = {129}}, "at most 128 threads");
    refuse_launch(f, SHARED, (struct atoll_launch_options){.block = {1025}}, "block.x");
    refuse_launch(f, SHARED, (struct atoll_launch_options){.block = {1, 1, 65}}, "block.z");
    refuse_launch(f, SHARED, (struct atoll_launch_options){.block = {64, 64}}, "4096 threads");
    refuse_launch(f, SHARED, (struct atoll_launch_options){.grid = {UINT32_MAX}}, "grid.x");
    refuse_launch(f, SHARED, (struct atoll_launch_options){.grid = {1, 65536}}, "grid.y");
    refuse_launch(f, SHARED, (struct atoll_launch_options){.grid = {1, 1, 65536}}, "grid.z");
    refuse_launch(f, SHARED, (struct atoll_launch_options){.dynamic_shared = 227 * 1024 - 999}, "227 KiB");
    refuse_launch(f, SHARED, (struct atoll_launch_options){.order = (enum atoll_order)3}, "order");
    refuse_launch(f, SHARED, (struct atoll_launch_options){.policy = (enum atoll_policy)3}, "policy");
    refuse_launch(f, SHARED, (struct atoll_launch_options){.policy = ATOLL_POLICY_STACK}, "no token stack");
    refuse_launch(f, SHARED, (struct atoll_launch_options){.engine = (enum atoll_engine)3}, "engine");
    refuse_launch(f, SHARED, (struct atoll_launch_options){.time_limit = -1}, "time_limit");
    refuse_launch(f, SHARED, (struct atoll_launch_options){.threads = 5000}, "host threads");
    assert_false(atoll_launch(NULL, &(struct atoll_launch_options){0}, NULL, NULL, &f->error));
    assert_true(atoll_launch(atoll_module_kernel_at(f->module, LIMITED), &(struct atoll_launch_options){.block = {128}},
                             NULL, NULL, &f->error));
    assert_true(atoll_launch(atoll_module_kernel_at(f->module, SHARED),
                             &(struct atoll_launch_options){.dynamic_shared = 227 * 1024 - 1000}, NULL, NULL,
                             &f->error));
}

/* Of each engine: launches can ask for it, or are told what is missing. */
static void engines_have_names_and_are_there_or_not(void **state)
{
    struct fixture *f = *state;
    enum { SHARED = 3 };
    enum atoll_engine engine = ATOLL_ENGINE_JIT, found;
    const char *name;
    assert_true(atoll_engine_available(ATOLL_ENGINE_AUTO, &f->error));
    assert_true(atoll_engine_available(ATOLL_ENGINE_INTERPRETER, &f->error));
    for (unsigned i = 0; (name = atoll_engine_name(engine = (enum atoll_engine)i)); i++) {
        struct atoll_launch_options options = {.engine = engine};
        struct atoll_kernel *kernel = atoll_module_kernel_at(f->module, SHARED);
        assert_true(atoll_engine_find(name, &found, &f->error));
        assert_int_equal(found, engine);
        bool there = atoll_engine_available(engine, &f->error);
        assert_true(there || f->error.status == ATOLL_UNSUPPORTED);
        assert_int_equal(atoll_launch(kernel, &options, NULL, NULL, &f->error), there);
        assert_true(there || f->error.status == ATOLL_UNSUPPORTED);
    }
    assert_int_equal(engine, 3);
    assert_false(atoll_engine_available(engine, &f->error));
    assert_int_equal(f->error.status, ATOLL_USAGE);
    assert_false(atoll_engine_find("Jit", &found, &f->error));
    assert_non_null(strstr(f->error.message, "auto, interp or jit"));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(memory_is_written_and_read),
        T(memory_of_no_bytes_is_memory),
        T(wrong_memory_calls_are_refused),
        T(the_memory_limit_holds_for_buffers_and_surfaces),
        T(surfaces_are_described_written_and_read),
        T(surfaces_have_layouts),
        T(surfaces_lie_in_device_memory),
        T(surfaces_and_buffers_share_bytes),
        T(wrong_surfaces_are_refused),
        T(formats_are_listed_and_found),
        T(layouts_are_listed_and_found),
        T(invalid_modules_are_reported),
        T(options_override_version_and_target),
        T(modules_without_a_device_can_only_be_read),
        T(texts_are_made),
        T(kernels_and_parameters_are_described),
        T(variables_have_memory_and_values),
        T(a_kernel_runs),
        T(traps_are_reported),
        T(surface_references_are_bound),
        T(wrong_launches_are_refused),
        T(engines_have_names_and_are_there_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What plain text of Maxwell says of constant bank 0: parameters that the code names, also as handles of surfaces;
 * names past the end of a bank; surfaces whose handle is 0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "atoll.h"

struct scene {
    struct atoll_device *device;
    struct atoll_module *module;
    struct atoll_kernel *kernel;
    struct atoll_error error;
};

static void open(struct scene *s, const char *text)
{
    memset(s, 0, sizeof *s);
    assert_true(atoll_device_create(NULL, &s->device, &s->error));
    if (!atoll_module_load(s->device, text, strlen(text), NULL, &s->module, &s->error))
        fail_msg("%s: %u: %s", text, s->error.line, s->error.message);
    s->kernel = atoll_module_kernel_at(s->module, 0);
    assert_non_null(s->kernel);
}

static void close(struct scene *s)
{
    atoll_module_destroy(s->module);
    atoll_device_destroy(s->device);
}

static bool launch(struct scene *s, const void *parameters, size_t bytes)
{
    struct atoll_launch_options launch = {.parameters = parameters, .parameter_bytes = bytes};
    return atoll_launch(s->kernel, &launch, NULL, NULL, &s->error);
}

/* Sizes of the parameters, as in "8 4". */
static void expect_parameters(const char *text, const char *wanted)
{
    struct scene s;
    struct atoll_kernel_info info;
    char sizes[200] = "";
    size_t used = 0;
    open(&s, text);
    atoll_kernel_describe(s.kernel, &info);
    for (unsigned i = 0; i < info.parameters; i++) {
        struct atoll_parameter_info p;
        assert_true(atoll_kernel_parameter(s.kernel, i, &p, &s.error));
        used += (size_t)snprintf(sizes + used, sizeof sizes - used, i ? " %u" : "%u", p.size);
    }
    if (strcmp(sizes, wanted) != 0)
        fail_msg("%s: parameters of %s bytes, not %s", text, sizes, wanted);
    close(&s);
}

static void handles_are_parameters(void **state)
{
    (void)state;
    expect_parameters("SUST.D.2D.32.IGN [R4], R0, 0x50; EXIT;", "8");
    expect_parameters("SULD.D.2D.IGN R0, [R4], 0x52; EXIT;", "4 4 8"); /* words before it that nothing names */
    expect_parameters("SUATOM.D.2D.ADD.IGN R0, [R4], R6, 0x50; SURED.D.2D.ADD.IGN [R4], R0, 0x51; EXIT;", "4 4");
    expect_parameters("SUST.D.2D.32.IGN [R4], R0, 0x50; MOV R0, c[0x0][0x144]; EXIT;", "4 4");
    expect_parameters("SUST.D.2D.32.IGN [R4], R0, 0x50; MOV R0, c[0x0][0x148]; EXIT;", "8 4");
    expect_parameters("TXQ R0, R0, TEX_HEADER_DIMENSION, 0x50, 0x3; EXIT;", "8");
    expect_parameters("SUST.D.2D.32.IGN [R4], R0, R8; MOV R0, c[0x0][0x140]; MOV R1, c[0x0][0x144]; EXIT;", "8");
    expect_parameters("SUST.D.2D.32.IGN [R4], R0, 0x20; EXIT;", ""); /* a launch word */
}

/* What .param says: sizes of 1, 2, 4, 8 are numbers, all others bytes. */
static void declared_parameters(void **state)
{
    static const struct {
        const char *text, *type;
        uint32_t size, count;
        bool pointer;
    } cases[] = {{".param 8\nEXIT;", "b64", 8, 1, true},    {".param 4\nEXIT;", "b32", 4, 1, false},
                 {".param 16\nEXIT;", "b8", 16, 16, false}, {".param 12\nEXIT;", "b8", 12, 12, false},
                 {".param 1\nEXIT;", "b8", 1, 1, false},    {".param 2\nEXIT;", "b16", 2, 1, false}};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scene s;
        struct atoll_parameter_info p;
        open(&s, cases[i].text);
        assert_true(atoll_kernel_parameter(s.kernel, 0, &p, &s.error));
        assert_string_equal(p.type, cases[i].type);
        assert_true(p.size == cases[i].size && p.count == cases[i].count && p.pointer == cases[i].pointer);
        close(&s);
    }
}

/* A store of 7 through handle 0x50 at 0, 0. */
static void surfaces_by_number(void **state)
{
    struct scene s;
    struct atoll_surface *surface;
    const struct atoll_surface_desc desc = {
        .dimension = ATOLL_DIM_2D, .width = 2, .height = 1, .format = "r32uint", .index_given = true};
    uint32_t texels[2] = {0};
    (void)state;
    open(&s, "MOV R4, RZ;\nMOV R5, RZ;\nMOV32I R0, 0x7;\nSUST.D.2D.32.IGN [R4], R0, 0x50;\nEXIT;\n");
    assert_true(atoll_surface_create(s.device, &desc, &surface, &s.error));
    uint64_t handle = atoll_surface_handle(surface);
    assert_int_equal(handle, 0); /* header 0, which was asked for */
    if (!launch(&s, &handle, sizeof handle))
        fail_msg("%s", s.error.message);
    assert_true(atoll_surface_read(surface, texels, sizeof texels, &s.error));
    assert_int_equal(texels[0], 7);
    assert_int_equal(texels[1], 0);
    close(&s);
}

/* Zeros in a description: the next index from 1 on. What describes one surface makes another at the same place. */
static void header_indexes(void **state)
{
    struct scene s;
    struct atoll_surface *first, *second, *third;
    struct atoll_surface_desc desc = {.dimension = ATOLL_DIM_1D, .width = 4, .format = "r8uint"}, back;
    (void)state;
    open(&s, "EXIT;");
    assert_true(atoll_surface_create(s.device, &desc, &first, &s.error));
    assert_int_equal(atoll_surface_handle(first), 1);
    desc.index_given = true;
    assert_true(atoll_surface_create(s.device, &desc, &second, &s.error));
    assert_int_equal(atoll_surface_handle(second), 0);
    assert_false(atoll_surface_create(s.device, &desc, &third, &s.error));
    assert_string_equal(s.error.message, "surface header 0 is in use");
    atoll_surface_describe(second, &back);
    assert_true(back.index == 0 && back.index_given);
    atoll_surface_destroy(second);
    assert_true(atoll_surface_create(s.device, &back, &third, &s.error));
    assert_int_equal(atoll_surface_handle(third), 0);
    close(&s);
}

/* An error of the launch that says where; the module loads. */
static void expect_refusal(const char *text, const char *wanted)
{
    struct scene s;
    open(&s, text);
    if (launch(&s, NULL, 0) || !strstr(s.error.message, wanted))
        fail_msg("%s: '%s', not '%s'", text, s.error.message, wanted);
    close(&s);
}

static void past_the_end(void **state)
{
    (void)state;
    expect_refusal("IADD R0, R0, c[0x1a][0x401c]; EXIT;", "/*0008*/ IADD R0, R0, c[0x1a][0x401c]: not supported: "
                                                          "c[0x1a][0x401c]: no such bank");
    expect_refusal("IADD R0, R0, c[0x0][0x7ffc]; EXIT;", "c[0x0][0x7ffc]: the bank has 0x140 bytes");
    expect_refusal("NOP; DADD R0, R0, c[0x0][0x7ff8]; EXIT;", "/*0010*/ DADD R0, R0, c[0x0][0x7ff8]: not supported");
    expect_refusal("SUST.D.2D.32.IGN [R4], R0, 0x1fff; EXIT;", "c[0x0][0x7ffc]: the bank has 0x140 bytes");
    expect_refusal("LDC R0, c[0x0][0x7ffc]; EXIT;", "LDC");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handles_are_parameters), cmocka_unit_test(declared_parameters),
        cmocka_unit_test(surfaces_by_number),     cmocka_unit_test(header_indexes),
        cmocka_unit_test(past_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

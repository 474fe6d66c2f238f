/* Products fused into sums (fmad): what ptxas 13.0 makes of the same lines for sm_90, as read from its machine code. */
#include "ptx_lines.h"

/* Registers that PTX does not name become %t. */
static void hide_numbers(char *text)
{
    char *to = text;
    while (*text) {
        bool number = text[0] == '%' && text[1] >= '0' && text[1] <= '9';
        *to++ = *text++;
        if (number) {
            text += strspn(text, "0123456789");
            *to++ = 't';
        }
    }
    *to = 0;
}

static void lower(bool fmad, const char *lines, struct text *found)
{
    lines_become(lines, fmad, found);
    hide_numbers(found->bytes);
}

static void becomes(const char *lines, const char *lanes)
{
    struct text found = {0};
    lower(true, lines, &found);
    assert_string_equal(found.bytes, lanes);
    text_free(&found);
}

static void one_product(void **state)
{
    (void)state;
    becomes("mul.f32 %f5, %f1, %f2; add.f32 %f6, %f3, %f5;", "%f6 = fma.f32 %f1, %f2, %f3");
    becomes("mul.f32 %f5, %f1, %f2; sub.f32 %f6, %f5, %f3;", "%t = neg.nan.f32 %f3; %f6 = fma.f32 %f1, %f2, %t");
    becomes("mul.f32 %f5, %f1, %f2; sub.f32 %f6, %f3, %f5;", "%t = neg.nan.f32 %f1; %f6 = fma.f32 %t, %f2, %f3");
    becomes("mul.f32 %f5, %f1, 0f40000000; add.f32 %f6, %f5, %f3;", "%f6 = fma.f32 %f1, 0x40000000, %f3");
    becomes("mul.f64 %fd5, %fd1, %fd2; add.f64 %fd6, %fd5, %fd3;", "%fd6 = fma.f64 %fd1, %fd2, %fd3");
    becomes("mul.f16 %h5, %h1, %h2; add.f16 %h6, %h5, %h3;", "%h6 = fma.f16 %h1, %h2, %h3");
    becomes("mul.ftz.f32 %f5, %f1, %f2; add.ftz.sat.f32 %f6, %f5, %f3;", "%f6 = fma.ftz.sat.f32 %f1, %f2, %f3");
    becomes("mul.f32 %f5, %f1, %f2; @%p1 add.f32 %f6, %f5, %f3;", "@%p1 %f6 = fma.f32 %f1, %f2, %f3");
}

static void not_fused(void **state)
{
    static const char *const same[] = {
        "mul.rn.f32 %f5, %f1, %f2; add.f32 %f6, %f5, %f3;",
        "mul.f32 %f5, %f1, %f2; add.rn.f32 %f6, %f5, %f3;",
        "mul.ftz.f32 %f5, %f1, %f2; add.f32 %f6, %f5, %f3;",
        "mul.f32 %f5, %f1, %f2; add.ftz.f32 %f6, %f5, %f3;",
        "mul.sat.f32 %f5, %f1, %f2; add.f32 %f6, %f5, %f3;",
        "mul.f32 %f5, %f1, %f2; add.f32 %f6, %f5, %f5;",
        "mul.f32 %f5, %f1, %f2; fma.rn.f32 %f6, %f3, %f4, %f5;",
        "mul.f32 %f5, %f1, %f2; add.f32 %f6, %f5, %f3; st.f32 [%rd9], %f5;",
        "mul.f32 %f5, %f1, %f2; mov.f32 %f1, %f3; add.f32 %f6, %f5, %f3;",
        "mul.f32 %f5, %f1, %f2; mul.f32 %f5, %f3, %f2; add.f32 %f6, %f5, %f3;",
        "@%p1 mul.f32 %f5, %f1, %f2; add.f32 %f6, %f5, %f3;",
        "mul.f32 %f5, %f1, %f2; bra X; X: add.f32 %f6, %f5, %f3;",
        "mul.f32 %f5, %f1, %f2; neg.f32 %f6, %f5; add.f32 %f7, %f6, %f3; st.f32 [%rd9], %f6;",
        "mul.f32 %f5, %f1, %f2; neg.f32 %f6, %f5; add.f32 %f7, %f6, %f3; st.f32 [%rd9], %f5;",
        "mul.f32 %f5, %f1, %f2; mov.f32 %f6, %f5; add.f32 %f7, %f6, %f3; st.f32 [%rd9], %f6;",
        "mul.f32 %f5, %f1, %f2; neg.f32 %f6, %f5; add.f32 %f7, %f6, %f3; mul.f32 %f8, %f6, %f4;",
        "mul.f32 %f5, %f1, %f2; neg.f32 %f6, %f5; sub.f32 %f7, %f5, %f6;",
        "mul.f32 %f5, %f1, %f2; neg.ftz.f32 %f6, %f5; add.f32 %f7, %f6, %f3;",
        "mul.f32 %f5, %f1, %f2; mov.f32 %f6, %f4; @%p1 neg.f32 %f6, %f5; add.f32 %f7, %f6, %f3;",
        "mul.f32 %f5, %f1, %f2; abs.f32 %f6, %f5; add.f32 %f7, %f6, %f3;",
        "mul.f32 %f5, %f1, %f2; bra X; X: neg.f32 %f6, %f5; add.f32 %f7, %f6, %f3;",
        "mul.lo.u32 %r5, %r1, %r2; add.u32 %r6, %r5, %r3;",
    };
    (void)state;
    for (unsigned i = 0; i < sizeof same / sizeof *same; i++) {
        struct text plain = {0};
        lower(false, same[i], &plain);
        becomes(same[i], plain.bytes);
        text_free(&plain);
    }
}

/* Sums are looked at one after the other, first for products with one use, and take that of two products that has fewer
 * uses, or else the first; the other is no product from then on. */
static void several(void **state)
{
    (void)state;
    becomes("mul.f32 %f5, %f1, %f2; mul.f32 %f6, %f3, %f4; sub.f32 %f7, %f5, %f6;",
            "%f6 = mul.f32 %f3, %f4; %t = neg.nan.f32 %f6; %f7 = fma.f32 %f1, %f2, %t");
    becomes("mul.f32 %f5, %f1, %f2; mul.f32 %f6, %f3, %f4; add.f32 %f7, %f6, %f5;",
            "%f5 = mul.f32 %f1, %f2; %f7 = fma.f32 %f3, %f4, %f5");
    becomes("mul.f32 %f5, %f1, %f2; mul.f32 %f6, %f3, %f4; sub.f32 %f7, %f5, %f6; st.f32 [%rd9], %f5;",
            "%f5 = mul.f32 %f1, %f2; %t = neg.nan.f32 %f3; %f7 = fma.f32 %t, %f4, %f5; st.generic.passes.f32 "
            "[%rd9], %f5");
    becomes("mul.f32 %f5, %f1, %f2; add.f32 %f6, %f5, %f3; add.f32 %f7, %f5, %f4;",
            "%f6 = fma.f32 %f1, %f2, %f3; %f7 = fma.f32 %f1, %f2, %f4");
    becomes("mul.f32 %f5, %f1, %f2; mul.f32 %f6, %f3, %f4; add.f32 %f7, %f5, %f6; add.f32 %f8, %f6, %f1;",
            "%f6 = mul.f32 %f3, %f4; %f7 = fma.f32 %f1, %f2, %f6; %f8 = add.f32 %f6, %f1");
    becomes("mul.f32 %f5, %f1, %f2; mul.f32 %f6, %f3, %f4; add.f32 %f8, %f6, %f1; add.f32 %f7, %f5, %f6;",
            "%f6 = mul.f32 %f3, %f4; %f8 = add.f32 %f6, %f1; %f7 = fma.f32 %f1, %f2, %f6");
    becomes("mul.f32 %f5, %f1, %f4; add.f32 %f7, %f2, %f5; mul.f32 %f8, %f3, %f7; sub.f32 %f9, %f8, %f5;",
            "%f5 = mul.f32 %f1, %f4; %f7 = add.f32 %f2, %f5; %t = neg.nan.f32 %f5; %f9 = fma.f32 %f3, %f7, %t");
    becomes("mul.f32 %f5, %f1, %f2; mul.f32 %f6, %f3, %f4; add.f32 %f7, %f6, %f1; add.f32 %f8, %f6, %f5;",
            "%f6 = mul.f32 %f3, %f4; %f7 = add.f32 %f6, %f1; %f8 = fma.f32 %f1, %f2, %f6");
    becomes("mul.f32 %f5, %f1, %f2; mul.f32 %f6, %f3, %f4; add.f32 %f7, %f6, %f1; add.f32 %f8, %f5, %f6; "
            "add.f32 %f9, %f5, %f2;",
            "%f6 = mul.f32 %f3, %f4; %f7 = fma.f32 %f3, %f4, %f1; %f8 = fma.f32 %f1, %f2, %f6; "
            "%f9 = fma.f32 %f1, %f2, %f2");
    becomes("mul.f32 %f5, %f1, %f2; mul.f32 %f6, %f3, %f4; add.f32 %f7, %f5, %f6; add.f32 %f8, %f5, %f1; "
            "add.f32 %f9, %f5, %f2; add.f32 %f10, %f6, %f1;",
            "%f5 = mul.f32 %f1, %f2; %f7 = fma.f32 %f3, %f4, %f5; %f8 = add.f32 %f5, %f1; %f9 = add.f32 %f5, %f2; "
            "%f10 = fma.f32 %f3, %f4, %f1");
    becomes("mul.f32 %f5, %f1, %f2; add.f32 %f6, %f5, %f3; mul.f32 %f7, %f6, %f4; add.f32 %f8, %f7, %f6;",
            "%f6 = fma.f32 %f1, %f2, %f3; %f8 = fma.f32 %f6, %f4, %f6");
}

/* Negations and copies are looked through; what is left of them where something else uses one is as it was. */
static void negated(void **state)
{
    (void)state;
    becomes("mul.f32 %f5, %f1, %f2; neg.f32 %f6, %f5; add.f32 %f7, %f6, %f3;",
            "%t = neg.nan.f32 %f1; %f7 = fma.f32 %t, %f2, %f3");
    becomes("mul.f32 %f5, %f1, %f2; neg.f32 %f6, %f5; sub.f32 %f7, %f6, %f3;",
            "%t = neg.nan.f32 %f1; %t = neg.nan.f32 %f3; %f7 = fma.f32 %t, %f2, %t");
    becomes("mul.f32 %f5, %f1, %f2; neg.f32 %f6, %f5; sub.f32 %f7, %f3, %f6;", "%f7 = fma.f32 %f1, %f2, %f3");
    becomes("mul.f64 %fd5, %fd1, %fd2; neg.f64 %fd6, %fd5; neg.f64 %fd7, %fd6; add.f64 %fd8, %fd3, %fd7;",
            "%fd8 = fma.f64 %fd1, %fd2, %fd3");
    becomes("mul.f32 %f5, %f1, %f2; mov.f32 %f6, %f5; add.f32 %f7, %f6, %f3;", "%f7 = fma.f32 %f1, %f2, %f3");
    becomes("mul.f64 %fd5, %fd1, %fd2; neg.f64 %fd6, %fd5; add.f64 %fd7, %fd6, %fd3; add.f64 %fd8, %fd5, %fd4;",
            "%t = neg.nan.f64 %fd1; %fd7 = fma.f64 %t, %fd2, %fd3; %fd8 = fma.f64 %fd1, %fd2, %fd4");
    becomes("mul.ftz.f32 %f5, %f1, %f2; neg.f32 %f6, %f5; add.ftz.f32 %f7, %f6, %f3;",
            "%t = neg.nan.f32 %f1; %f7 = fma.ftz.f32 %t, %f2, %f3");
    becomes("mul.f32 %f5, %f1, %f2; mul.f32 %f6, %f3, %f4; neg.f32 %f7, %f6; add.f32 %f8, %f5, %f7;",
            "%f6 = mul.f32 %f3, %f4; %f7 = neg.nan.f32 %f6; %f8 = fma.f32 %f1, %f2, %f7");
}

/* Factors that are written again, before products and behind sums; between them nothing is fused. */
static void factors_again(void **state)
{
    (void)state;
    becomes("mov.f32 %f1, %f4; mul.f32 %f5, %f1, %f2; add.f32 %f6, %f5, %f3; mov.f32 %f1, %f6;",
            "%f1 = mov.b32 %f4; %f6 = fma.f32 %f1, %f2, %f3; %f1 = mov.b32 %f6");
    becomes("mov.f32 %f1, %f4; mul.f32 %f5, %f1, %f2; mov.f32 %f1, %f6; add.f32 %f7, %f5, %f3;",
            "%f1 = mov.b32 %f4; %f5 = mul.f32 %f1, %f2; %f1 = mov.b32 %f6; %f7 = add.f32 %f5, %f3");
}

/* Thousands of products, far from their sums, with a factor that has been written more than once. */
static void long_blocks(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    struct text lines = {0}, found = {0};
    text_printf(&lines, ".reg .f32 %%a<%u>; mov.f32 %%f1, %%f3; mov.f32 %%f1, %%f4; ", COUNT);
    for (unsigned i = 0; i < COUNT; i++)
        text_printf(&lines, "mul.f32 %%a%u, %%f1, %%f%u; ", i, 2 + i % 8);
    for (unsigned i = 0; i < COUNT; i++)
        text_printf(&lines, "add.f32 %%f%u, %%a%u, %%f%u; ", 10 + i % 8, i, 2 + i % 7);
    lower(true, lines.bytes, &found);
    assert_null(strstr(found.bytes, "mul"));
    unsigned count = 0;
    for (const char *at = found.bytes; (at = strstr(at, "fma")); at++)
        count++;
    assert_int_equal(count, COUNT);
    text_free(&lines);
    text_free(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_product), cmocka_unit_test(not_fused),     cmocka_unit_test(several),
        cmocka_unit_test(negated),     cmocka_unit_test(factors_again), cmocka_unit_test(long_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Compiled code that takes some bits of one register and the rest of another, under a guard: of copysign.f64 LLVM 19
 * has the wrong bits for AVX-512 (engine/jit/merges.c); the others are its neighbours. */
#include "jit_rig.h"
#include "random_text.h"

/* %r20, %r21, %r22: what all are made of; %r24 and others: results, summed up in %r6. %p1: the guard. Barriers: what
 * lives beyond one comes from the warp's frame, so that it may be an operand in memory. */
#define BEGIN                                                                       \
    ".reg .f64 %%fd<4>; %s mad.lo.u32 %%r20, %%r1, 2654435761, 77; "                \
    "mul.lo.u32 %%r21, %%r20, 2654435761; mad.lo.u32 %%r22, %%r21, 2654435761, 5; " \
    "and.b32 %%r23, %%r22, 0x00100000; setp.ne.u32 %%p1, %%r23, 0;\n"
#define PART "bar.sync 0;\n"
#define SUM  "mad.lo.u32 %%r6, %%r6, 1000003, %%r24;\n"

/* The functions of three operands that choose between two by the bits of the third, and their complements. */
static const unsigned tables[] = {0xca, 0xe2, 0xd8, 0xe4, 0xac, 0xb8, 0x35, 0x1d, 0x27, 0x1b, 0x53, 0x47};
static const unsigned masks[] = {0x80000000, 0x7fffffff, 0x0000ffff, 0x00ff00ff, 0xfffffffe};

/* Under a guard, with a constant as one of the operands, and the result as one of the others or as neither. */
static void tables_of_three(void **state)
{
    static struct random_text t;
    (void)state;
    if (!available())
        skip();
    for (unsigned n = 0; n < 15; n++) {
        t = (struct random_text){.random = n + 1};
        random_say(&t, BEGIN, PLACES);
        for (unsigned i = 0; i < 24; i++) {
            const char *first = random_draw(&t, 3) ? "%r14" : "%r24", *second = random_draw(&t, 3) ? "%r24" : "%r15";
            random_say(&t, "xor.b32 %%r14, %%r20, %u; shf.l.wrap.b32 %%r15, %%r21, %%r21, %u; mov.u32 %%r24, %%r22; ",
                       i, i);
            random_say(&t, PART "@%s%%p1 lop3.b32 %%r24, ", random_draw(&t, 2) ? "!" : "");
            for (unsigned k = 0, other = 0; k < 3; k++)
                if (k == i % 3)
                    random_say(&t, "0x%x, ", masks[(n + i) % (sizeof masks / sizeof *masks)]);
                else
                    random_say(&t, "%s, ", other++ ? second : first);
            random_say(&t, "0x%02x; " SUM, tables[(n + i / 3) % (sizeof tables / sizeof *tables)]);
        }
        random_say(&t, RESULT);
        everywhere(CELLS, t.at, 3, true);
    }
}

/* Signs of one number for another, fields put in, and the same written out, of 32 and 64 bits. */
static void fields(void **state)
{
    static const char *const lines[] = {
        "@%p1 copysign.f32 %f1, %f1, %f2; @!%p1 copysign.f32 %f2, %f1, %f2;",
        "@!%p1 copysign.f64 %fd1, %fd2, %fd1; @%p1 copysign.f64 %fd2, %fd2, %fd3;",
        "@%p1 copysign.f64 %fd3, %fd2, %fd3;",
        "@%p1 bfi.b32 %r24, %r20, %r24, 8, 8; @!%p1 bfi.b32 %r24, %r24, %r21, 0, 16;",
        "and.b32 %r14, %r24, 0xff00; and.b32 %r15, %r22, 0xffff00ff; @%p1 or.b32 %r24, %r14, %r15;",
        "and.b32 %r14, %r24, 0xff00ff; and.b32 %r15, %r21, 0xff00ff00; @!%p1 xor.b32 %r24, %r14, %r15;",
        "and.b32 %r14, %r22, 0xff00; and.b32 %r15, %r24, 0xffff00ff; @%p1 or.b32 %r24, %r14, %r15;",
        "and.b32 %r14, %r22, 0xff00ff; and.b32 %r15, %r24, 0xff00ff00; @!%p1 add.u32 %r24, %r14, %r15;",
        "and.b64 %rd5, %rd3, 0xffff00000000ffff; and.b64 %rd6, %rd4, 0xffffffff0000; @%p1 xor.b64 %rd4, %rd5, %rd6;",
        "lop3.b32 %r14, %r22, %r24, 0xffffff, 0xe4; @%p1 mov.u32 %r24, %r14;",
        "lop3.b32 %r14, 0xffffff, %r22, %r24, 0xca; @!%p1 mov.u32 %r24, %r14;",
        "xor.b32 %r14, %r24, %r20; and.b32 %r14, %r14, 0x7ffff; @%p1 xor.b32 %r24, %r24, %r14;",
        "and.b64 %rd5, %rd4, 0xffffffff0000; and.b64 %rd6, %rd3, 0xffff00000000ffff; @%p1 or.b64 %rd4, %rd5, %rd6;",
        "and.b64 %rd5, %rd4, 0x7fffffffffffffff; and.b64 %rd6, %rd3, 0x8000000000000000; @!%p1 add.u64 %rd4, %rd5, "
        "%rd6;",
        "@%p1 mov.u32 %r24, %r22; lop3.b32 %r24, %r24, %r20, 0x0f0f0f0f, 0xe4; @%p1 lop3.b32 %r24, 0xf0f0, %r24, %r22, "
        "0xca;",
    };
    static struct random_text t;
    (void)state;
    if (!available())
        skip();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        t = (struct random_text){.random = i + 1};
        random_say(&t, BEGIN, PLACES);
        random_say(&t, "mov.u32 %%r24, %%r20; mul.wide.u32 %%rd3, %%r20, %%r21; mul.wide.u32 %%rd4, %%r21, %%r22; "
                       "mov.b32 %%f1, %%r21; mov.b32 %%f2, %%r22; mov.b64 %%fd1, %%rd3; mov.b64 %%fd2, %%rd4; "
                       "mov.b64 %%fd3, {%%r22, %%r20};\n");
        random_say(&t, PART "%s\n" PART SUM, lines[i]);
        random_say(&t, "mov.b32 %%r24, %%f1; " SUM "mov.b32 %%r24, %%f2; " SUM);
        for (unsigned k = 1; k < 4; k++)
            random_say(&t, "mov.b64 {%%r24, %%r25}, %%fd%u; " SUM "mov.u32 %%r24, %%r25; " SUM, k);
        random_say(&t, "mov.b64 {%%r24, %%r25}, %%rd4; " SUM "mov.u32 %%r24, %%r25; " SUM RESULT);
        print_message("%s\n", lines[i]);
        everywhere(CELLS, t.at, 3, true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables_of_three), cmocka_unit_test(fields)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

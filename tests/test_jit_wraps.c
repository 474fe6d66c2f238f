/* Numbers that follow from thread indices wrap around in some lanes: below 0, beyond 32 bits, beyond a sign. */
#include "jit_rig.h"

#include "base/hard.h"

/* %r0: tid.x; %r8: n. */
#define CAS                                                                                           \
    "and.b32 %r20, %r0, 3; shl.b32 %r20, %r20, 2; add.u32 %r20, %r20, %r2; mov.u32 %r21, 0;"          \
    "st.shared.u32 [%r20], %r21; bar.sync 0; add.u32 %r22, %r0, %r8; ld.shared.u32 %r23, [%r20];\n"   \
    "L: add.u32 %r24, %r23, 1; cvt.u64.u32 %rd3, %r22; atom.shared.cas.b32 %r25, [%r20], %r23, %r24;" \
    "setp.ne.u32 %p1, %r25, %r23; mov.u32 %r23, %r25; @%p1 bra L; bar.sync 0; ld.shared.u32 %r6, [%r20];"

static void wraps(void **state)
{
    static const struct {
        const char *what, *text; /* the result: %rd4 */
    } rows[] = {
        {"a signed product of 16 bits, widened",
         "cvt.u16.u32 %h1, %r0; mul.wide.s16 %r21, %h1, -5; mul.wide.u32 %rd3, %r21, 3; add.u64 %rd4, %rd3, %rd2;"},
        {"a signed product of lane numbers, widened",
         "mov.u32 %r20, %laneid; cvt.u16.u32 %h1, %r20; mul.wide.s16 %r21, %h1, -5; mul.wide.u32 %rd3, %r21, 3;"
         "add.u64 %rd4, %rd3, %rd2;"},
        {"a signed product of lane numbers, compared",
         "mov.u32 %r20, %laneid; cvt.u16.u32 %h1, %r20; mul.wide.s16 %r22, %h1, -5; mov.u32 %r21, 0;"
         "L: setp.lt.u32 %p1, %r22, %r8; @%p1 add.u32 %r21, %r21, 7; add.u32 %r8, %r8, 1; add.u32 %r7, %r7, 1;"
         "setp.lt.u32 %p2, %r7, 10; @%p2 bra L; cvt.u64.u32 %rd4, %r21;"},
        {"a negative constant of 16 bits",
         "mov.b16 %h1, -5; cvt.s32.s16 %r20, %h1; add.u32 %r21, %r0, %r20; mul.wide.u32 %rd3, %r21, 3;"
         "add.u64 %rd4, %rd3, %rd2;"},
        {"a negative constant of 8 bits",
         "mov.b16 %h1, 251; cvt.s32.s8 %r20, %h1; add.u32 %r21, %r0, %r20; cvt.u64.u32 %rd3, %r21;"
         "add.u64 %rd4, %rd3, %rd2;"},
        {"a constant that is negative in 8 bits",
         "mov.b32 %r20, 200; cvt.s8.s32 %r22, %r20; add.u32 %r21, %r0, %r22; cvt.u64.u32 %rd3, %r21;"
         "add.u64 %rd4, %rd3, %rd2;"},
        {"a negative constant of f16",
         "mov.b16 %h1, 0xc500; cvt.rzi.s32.f16 %r20, %h1; add.u32 %r21, %r0, %r20; cvt.u64.u32 %rd3, %r21;"
         "add.u64 %rd4, %rd3, %rd2;"},
        {"a large constant of f16",
         "mov.b16 %h1, 0x7bff; cvt.rzi.s32.f16 %r20, %h1; mad.lo.u32 %r21, %r20, 65536, %r0; cvt.u64.u32 %rd3, %r21;"
         "add.u64 %rd4, %rd3, %rd2;"},
        {"the lesser of a sum and n",
         "bar.sync 0; add.u32 %r20, %r0, %r8; min.u32 %r20, %r20, 100; ld.global.u32 %r21, [%rd0];"
         "add.u32 %r21, %r21, %r20; cvt.u64.u32 %rd4, %r21;"},
        {"the greater of a sum and n",
         "bar.sync 0; add.s32 %r20, %r0, %r8; max.s32 %r20, %r20, 3; ld.global.u32 %r21, [%rd0];"
         "add.u32 %r21, %r21, %r20; cvt.u64.u32 %rd4, %r21;"},
        {"a sum, widened in a loop that compares and swaps", CAS "cvt.u64.u32 %rd4, %r6;"},
    };
    static const uint64_t numbers[] = {0, 1, 1000, 0x7ffffff5, 0x7fffffff, 0x80000000, 0xfffffff0, 0xfffffffb};
    static char text[2000], where[100];
    struct engine e;
    (void)state;
    if (!available())
        skip();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(text, sizeof text, "%s%s%s", ".reg .b16 %h<4>;\n" PLACES, rows[i].text,
                 "\nmov.b64 {%r30, %r31}, %rd4; mad.lo.u32 %r32, %r31, 1000003, %r30; st.global.u32 [%rd0], %r32;");
        engine_open(&e, CELLS, text);
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
            for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
                e.launch.block[0] = shapes[s][0];
                e.launch.grid[0] = shapes[s][1];
                snprintf(where, sizeof where, "%s: n is %#llx, %u threads", rows[i].what,
                         (unsigned long long)numbers[n], shapes[s][0]);
                same_or_near(&e, numbers[n], where, !HARD(false, true));
            }
        engine_close(&e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(wraps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

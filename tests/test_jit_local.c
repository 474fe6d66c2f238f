/* Local memory of threads in compiled code. */
#include "jit_rig.h"

/* %rd4: the array's address; %r10: what each thread draws. */
#define ARRAY "{ .local .align 16 .b8 d[128]; mov.u64 %rd4, d; mad.lo.u32 %r10, %r1, 2654435761, 12345;\n"
#define DRAW  "mad.lo.u32 %r10, %r10, 1664525, 1013904223; shr.u32 %r11, %r10, 9; "
#define PLACE "and.b32 %r12, %r11, 31; mul.wide.u32 %rd5, %r12, 4; add.u64 %rd5, %rd5, %rd4; "
#define CLEAR                                                                                              \
    "mov.u32 %r13, 0; C: mul.wide.u32 %rd5, %r13, 4; add.u64 %rd5, %rd5, %rd4; st.local.u32 [%rd5], %r1; " \
    "add.u32 %r13, %r13, 1; setp.lt.u32 %p0, %r13, 32; @%p0 bra C;\n"
#define ROUNDS(what)                                                                                             \
    "mov.u32 %r14, 0; mov.u32 %r6, 0; L: " DRAW PLACE what " add.u32 %r14, %r14, 1; setp.lt.u32 %p0, %r14, 40; " \
    "@%p0 bra L;\n"
#define SUM                                                                                                \
    "mov.u32 %r13, 0; S: mul.wide.u32 %rd5, %r13, 4; add.u64 %rd5, %rd5, %rd4; ld.local.u32 %r9, [%rd5]; " \
    "mad.lo.u32 %r6, %r6, 31, %r9; add.u32 %r13, %r13, 1; setp.lt.u32 %p0, %r13, 32; @%p0 bra S;\n"
#define END SUM "st.global.u32 [%rd0], %r6; }"

static const struct {
    const char *what, *body;
} rows[] = {
    {"an index of each lane",
     ARRAY CLEAR ROUNDS("ld.local.u32 %r9, [%rd5]; add.u32 %r9, %r9, %r11; st.local.u32 [%rd5], %r9;") END},
    {"some lanes",
     ARRAY CLEAR ROUNDS("and.b32 %r8, %r11, 3; setp.eq.u32 %p1, %r8, 1; @%p1 ld.local.u32 %r9, [%rd5]; @%p1 add.u32 "
                        "%r9, %r9, 5; @%p1 st.local.u32 [%rd5], %r9;") END},
    {"lanes that part",
     ARRAY CLEAR ROUNDS("and.b32 %r8, %r11, 3; setp.eq.u32 %p1, %r8, 1; @%p1 bra N; ld.local.u32 %r9, [%rd5]; add.u32 "
                        "%r9, %r9, 5; st.local.u32 [%rd5], %r9; N:") END},
    {"one index", ARRAY CLEAR ROUNDS(
                      "ld.local.u32 %r9, [%rd4+12]; add.u32 %r9, %r9, %r11; st.local.u32 [%rd4+20], %r9; st.local.u32 "
                      "[%rd4+12], %r10;") END},
    {"bytes", ARRAY CLEAR ROUNDS(
                  "ld.local.s8 %r9, [%rd5+1]; add.u32 %r9, %r9, %r11; st.local.u8 [%rd5+2], %r9; ld.local.u8 %r8, "
                  "[%rd5+3]; st.local.u8 [%rd5], %r8;") END},
    {"halves", ARRAY CLEAR ROUNDS("ld.local.s16 %r9, [%rd5+2]; add.u32 %r9, %r9, %r11; st.local.u16 [%rd5], %r9;") END},
    {"64 bits",
     ARRAY CLEAR ROUNDS(
         "and.b64 %rd5, %rd5, -8; ld.local.u64 %rd6, [%rd5]; mul.lo.u64 %rd6, %rd6, 12345; add.u64 %rd6, %rd6, 7; "
         "st.local.u64 [%rd5], %rd6;") END},
    {"pairs", ARRAY CLEAR ROUNDS(
                  "and.b64 %rd5, %rd5, -8; ld.local.v2.u32 {%r8, %r9}, [%rd5]; add.u32 %r8, %r8, %r11; st.local.v2.u32 "
                  "[%rd5], {%r9, %r8};") END},
    {"fours", ARRAY CLEAR ROUNDS(
                  "and.b64 %rd5, %rd5, -16; ld.local.v4.u32 {%r8, %r9, %r15, %r16}, [%rd5]; add.u32 %r8, %r8, %r11; "
                  "st.local.v4.u32 [%rd5], {%r16, %r9, %r15, %r8};") END},
    {"bytes, four of them",
     ARRAY CLEAR ROUNDS("ld.local.v4.u8 {%r8, %r9, %r15, %r16}, [%rd5]; add.u32 %r8, %r8, %r11; st.local.v4.u8 "
                        "[%rd5], {%r16, %r9, %r15, %r8};") END},
    {"generic addresses",
     ARRAY CLEAR "cvta.local.u64 %rd7, %rd4; " ROUNDS("sub.u64 %rd5, %rd5, %rd4; add.u64 %rd5, %rd5, %rd7; ld.u32 %r9, "
                                                      "[%rd5]; add.u32 %r9, %r9, %r11; st.u32 [%rd5], %r9;") END},
    {"beyond its end",
     ARRAY CLEAR ROUNDS(
         "setp.eq.u32 %p1, %r14, 33; setp.eq.and.u32 %p1, %r0, 17, %p1; @%p1 add.u64 %rd5, %rd5, 1048576; "
         "ld.local.u32 %r9, [%rd5]; st.local.u32 [%rd5], %r11;") END},
    {"below its start",
     ARRAY CLEAR ROUNDS(
         "setp.eq.u32 %p1, %r14, 33; setp.eq.and.u32 %p1, %r0, 17, %p1; @%p1 sub.u64 %rd5, %rd5, 1048576; "
         "st.local.u32 [%rd5], %r11;") END},
    {"misaligned",
     ARRAY CLEAR ROUNDS(
         "setp.eq.u32 %p1, %r14, 33; setp.eq.and.u32 %p1, %r0, 17, %p1; @%p1 add.u64 %rd5, %rd5, 2; ld.local.u32 "
         "%r9, [%rd5]; st.local.u32 [%rd5], %r9;") END},
    {"with barriers",
     ARRAY CLEAR ROUNDS("ld.local.u32 %r9, [%rd5]; add.u32 %r9, %r9, %r11; bar.sync 0; st.local.u32 [%rd5], %r9;") END},
};

/* `pad`: instructions before it. */
static void run_rows(unsigned pad)
{
    static char body[1 << 16];
    static const char more[] = "add.u32 %r17, %r17, 1; ";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = 0;
        print_message("%s\n", rows[i].what);
        for (unsigned k = 0; k < pad; k++)
            n += (size_t)snprintf(body + n, sizeof body - n, "%s", more);
        assert_true(n + strlen(rows[i].body) < sizeof body);
        snprintf(body + n, sizeof body - n, "%s", rows[i].body);
        everywhere("", body, 5, true);
    }
}

static void local_memory(void **state)
{
    (void)state;
    if (!available())
        skip();
    run_rows(0);
}

/* More than JIT_LARGE instructions. */
static void local_memory_of_large_kernels(void **state)
{
    (void)state;
    if (!available())
        skip();
    run_rows(160);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local_memory),
        cmocka_unit_test(local_memory_of_large_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Accesses of compiled code in blocks of 8 or 16 threads a row, with a pitch that is known when the kernel runs. */
#include "jit_rig.h"
#include "random_text.h"

/* %r2: x; %r3: y; %r4: pitch (n) in elements; %rd4: address of element (x, y); %rd5: of the first in row y. */
static void make_kernel(struct random_text *t, const char *scale, const char *body)
{
    random_say(
        t,
        "mov.u32 %%r5, %%ctaid.y; mov.u32 %%r6, %%ntid.y; mov.u32 %%r3, %%tid.y; mad.lo.u32 %%r3, %%r5, %%r6, %%r3;\n"
        "mov.u32 %%r2, %%r1; cvt.u32.u64 %%r4, %%rd2; mov.u32 %%r20, 0; mov.u64 %%rd8, 0;\n"
        "mul.lo.u32 %%r7, %%r3, %%r4; mul.wide.u32 %%rd5, %%r7, %s; add.u64 %%rd5, %%rd5, %%rd1;\n"
        "add.u32 %%r8, %%r7, %%r2; mul.wide.u32 %%rd4, %%r8, %s; add.u64 %%rd4, %%rd4, %%rd1;\n%s\n",
        scale, scale, body);
}

#define NEW "mul.lo.u32 %r20, %r8, 2654435761; "

static const struct {
    const char *what, *scale, *body;
} rows[] = {
    {"words", "4",
     NEW "st.global.u32 [%rd4], %r20; ld.global.u32 %r21, [%rd5+4]; add.u32 %r20, %r21, %r20; "
         "st.global.u32 [%rd4+4096], %r20;"},
    {"words beside", "4",
     NEW "st.global.u32 [%rd4], %r20; ld.global.u32 %r21, [%rd4]; ld.global.u32 %r22, [%rd4+8]; "
         "add.u32 %r20, %r21, %r22; st.global.u32 [%rd4+4096], %r20;"},
    {"one for each row", "4",
     NEW "st.global.u32 [%rd4], %r20; bar.warp.sync -1; ld.global.u32 %r21, [%rd5]; "
         "st.global.u32 [%rd4+8192], %r21;"},
    {"bytes", "1",
     NEW "st.global.u8 [%rd4], %r20; ld.global.s8 %r21, [%rd5]; ld.global.u8 %r22, [%rd4]; add.u32 %r20, "
         "%r21, %r22; st.global.u8 [%rd4+4096], %r20;"},
    {"halves", "2",
     NEW "st.global.u16 [%rd4], %r20; ld.global.s16 %r21, [%rd4]; ld.global.u16 %r22, [%rd5+2]; add.u32 "
         "%r20, %r21, %r22; st.global.u16 [%rd4+4096], %r20;"},
    {"pairs", "8",
     NEW "st.global.v2.u32 [%rd4], {%r20, %r8}; ld.global.v2.u32 {%r21, %r22}, [%rd4]; ld.global.v2.u32 "
         "{%r23, %r24}, [%rd5]; add.u32 %r21, %r21, %r24; sub.u32 %r22, %r22, %r23; st.global.v2.u32 "
         "[%rd4+4096], {%r21, %r22};"},
    {"fours", "16",
     NEW "st.global.v4.u32 [%rd4], {%r20, %r8, %r2, %r3}; ld.global.v4.u32 {%r21, %r22, %r23, %r24}, "
         "[%rd4]; add.u32 %r21, %r21, %r23; add.u32 %r22, %r22, %r24; st.global.u32 [%rd4+8192], %r21; "
         "st.global.u32 [%rd4+8196], %r22;"},
    {"bytes in a word", "4",
     NEW "st.global.u32 [%rd4], %r20; ld.global.v4.u8 {%r21, %r22, %r23, %r24}, [%rd4]; add.u32 "
         "%r21, %r21, %r23; mad.lo.u32 %r22, %r22, 5, %r24; st.global.v2.u16 [%rd4+4096], {%r21, "
         "%r22};"},
    {"doubles", "8",
     NEW "cvt.u64.u32 %rd8, %r20; mul.lo.u64 %rd8, %rd8, %rd8; st.global.u64 [%rd4], %rd8; ld.global.u64 "
         "%rd9, [%rd4]; ld.global.u64 %rd10, [%rd5]; xor.b64 %rd9, %rd9, %rd10; st.global.u64 [%rd4+4096], "
         "%rd9;"},
    {"generic addresses", "4",
     NEW "st.u32 [%rd4], %r20; ld.u32 %r21, [%rd4]; ld.u32 %r22, [%rd5]; add.u32 %r20, %r21, "
         "%r22; st.u32 [%rd4+4096], %r20;"},
    {"some lanes", "4",
     NEW "and.b32 %r9, %r2, 5; setp.ne.u32 %p1, %r9, 1; @%p1 st.global.u32 [%rd4], %r20; @%p1 "
         "ld.global.u32 %r21, [%rd4]; @!%p1 mov.u32 %r21, 7; st.global.u32 [%rd4+4096], %r21;"},
    {"all but the edge", "4",
     NEW "add.u32 %r9, %r2, 3; setp.lt.u32 %p1, %r9, %r4; @!%p1 bra D; st.global.u32 [%rd4], %r20; "
         "ld.global.u32 %r21, [%rd4+4]; ld.global.u32 %r22, [%rd4]; xor.b32 %r21, %r21, %r22; "
         "st.global.u32 [%rd4+8192], %r21; D:"},
    {"rows that overlap", "4",
     NEW "rem.u32 %r9, %r8, 12; mul.wide.u32 %rd4, %r9, 4; add.u64 %rd4, %rd4, %rd1; "
         "st.global.u32 [%rd4], %r20; ld.global.u32 %r21, [%rd4]; st.global.u32 [%rd5+8192], "
         "%r21;"},
    {"backwards", "4",
     NEW "sub.u32 %r9, 15, %r2; add.u32 %r9, %r9, %r7; and.b32 %r9, %r9, 1023; mul.wide.u32 %rd6, %r9, 4; "
         "add.u64 %rd6, %rd6, %rd1; st.global.u32 [%rd6], %r20; ld.global.u32 %r21, [%rd4]; "
         "st.global.u32 [%rd4+8192], %r21;"},
    {"out of range", "4",
     NEW "st.global.u32 [%rd4], %r20; setp.gt.u32 %p1, %r3, 9; @%p1 add.u64 %rd4, %rd4, 1048576; "
         "ld.global.u32 %r21, [%rd4]; st.global.u32 [%rd5+8192], %r21;"},
    {"misaligned", "4",
     NEW "st.global.u32 [%rd4], %r20; setp.gt.u32 %p1, %r3, 9; @%p1 add.u64 %rd4, %rd4, 2; "
         "ld.global.u32 %r21, [%rd4]; st.global.u32 [%rd5+8192], %r21;"},
    {"shared memory", "4",
     NEW "cvt.u32.u64 %r9, %rd4; cvt.u32.u64 %r10, %rd1; sub.u32 %r9, %r9, %r10; and.b32 %r9, %r9, "
         "2047; mov.u32 %r10, cell; add.u32 %r9, %r9, %r10; st.shared.u32 [%r9], %r20; "
         "ld.shared.u32 %r21, [%r9]; st.global.u32 [%rd4], %r21;"},
};

static const uint32_t blocks[][3] = {{16, 16, 1}, {8, 8, 1}, {16, 4, 2}, {8, 4, 3},  {16, 5, 1},
                                     {8, 3, 1},   {4, 8, 1}, {32, 4, 1}, {64, 2, 1}, {12, 4, 1}};
static const uint32_t pitches[] = {16, 17, 40, 0};

static void all_shapes(void **state)
{
    static struct random_text t;
    struct engine e;
    char where[100];
    (void)state;
    if (!available())
        skip();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        t = (struct random_text){.random = 1};
        make_kernel(&t, rows[i].scale, rows[i].body);
        for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
            engine_open(&e, CELLS, t.at); /* code is made for the shape of the first launch */
            memcpy(e.launch.block, blocks[k], sizeof blocks[k]);
            e.launch.grid[0] = 2;
            e.launch.grid[1] = blocks[k][1] * blocks[k][2] > 16 ? 1 : 2;
            for (size_t n = 0; n < sizeof pitches / sizeof *pitches; n++) {
                snprintf(where, sizeof where, "%s; blocks of %u x %u x %u; pitch %u", rows[i].what, blocks[k][0],
                         blocks[k][1], blocks[k][2], pitches[n]);
                same_or_near(&e, pitches[n], where, true);
            }
            engine_close(&e);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

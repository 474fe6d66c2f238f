/* Blocks of several warps in compiled code: from barrier to barrier one call runs all of them, and hands them over
 * wherever they do not go on together. Results, traps, messages and counters are the interpreter's. */
#include "given.h"
#include "jit_rig.h"
#include "random_text.h"

static void same(struct engine *e, uint64_t n, const char *where)
{
    same_or_near(e, n, where, true);
}

struct kernel_text {
    const char *what, *body;
};
static const struct kernel_text programs[] = {
    {"barriers in a row", PLACES EXCHANGE EXCHANGE EXCHANGE RESULT},
    {"a loop around barriers",
     PLACES "L: " EXCHANGE "add.u32 %r7, %r7, 1; setp.lt.u32 %p0, %r7, %r8; @%p0 bra L;\n" RESULT},
    {"more in the lanes than the barrier sees",
     PLACES "and.b32 %r10, %r0, 3; setp.eq.u32 %p1, %r10, 1;\n"
            "@%p1 add.u32 %r6, %r6, 1000; L: " EXCHANGE "@%p1 add.u32 %r6, %r6, %r7; add.u32 %r7, %r7, 1;\n"
            "setp.lt.u32 %p0, %r7, %r8; @%p0 bra L;\n" RESULT},
    {"warps that exit before a barrier", PLACES "setp.eq.u32 %p0, %r5, 1; @%p0 exit; " EXCHANGE EXCHANGE RESULT},
    {"warps that exit one after the other",
     PLACES "L: setp.eq.u32 %p0, %r5, %r7; @%p0 bra DONE; " EXCHANGE
            "add.u32 %r7, %r7, 1; setp.lt.u32 %p0, %r7, %r8; @%p0 bra L; DONE:\n" RESULT},
    {"the first warp goes on alone",
     PLACES EXCHANGE "setp.ne.u32 %p0, %r5, 0; @%p0 exit; L: add.u32 %r7, %r7, 3;\n"
                     "setp.lt.u32 %p0, %r7, 600; @%p0 bra L; add.u32 %r6, %r6, %r7;" RESULT},
    {"lanes that exit before a barrier", PLACES "and.b32 %r10, %r0, 5; setp.eq.u32 %p0, %r10, 4; @%p0 exit;\n" EXCHANGE
                                                "setp.eq.u32 %p0, %r10, 1; @%p0 exit;\n" EXCHANGE RESULT},
    {"a barrier that some warps do not reach", PLACES "setp.eq.u32 %p0, %r5, 1; @%p0 bra B; bar.sync 0; bra D;\n"
                                                      "B: bar.sync 1; D: " RESULT},
    {"a barrier that some lanes do not reach", PLACES "and.b32 %r10, %r0, 1; setp.eq.u32 %p0, %r10, 1; @%p0 bra B;\n"
                                                      "bar.sync 0; bra D; B: bar.sync 1; D: " RESULT},
    {"one barrier at several places",
     PLACES "and.b32 %r10, %r5, 1; st.shared.u32 [%r3], %r6; setp.eq.u32 %p0, %r10, 1;\n"
            "@%p0 bra B; add.u32 %r6, %r6, 7; bar.sync 0; bra D;\n"
            "B: mul.lo.u32 %r6, %r6, 3; bar.sync 0; D: ld.shared.u32 %r9, [%r4];\n"
            "add.u32 %r6, %r6, %r9; bar.sync 0; " EXCHANGE RESULT},
    {"lanes at one barrier at several places", PLACES "and.b32 %r10, %r0, 1; setp.eq.u32 %p0, %r10, 1; @%p0 bra B;\n"
                                                      "bar.sync 0; bra D; B: bar.sync 0; D: " EXCHANGE RESULT},
    {"barriers by turns", PLACES "L: bar.sync 3; add.u32 %r6, %r6, %r7; bar.sync 4; add.u32 %r7, %r7, 1;\n"
                                 "setp.lt.u32 %p0, %r7, %r8; @%p0 bra L; " EXCHANGE RESULT},
    {"other barriers between", PLACES "setp.lt.u32 %p1, %r0, 70; " EXCHANGE "bar.red.popc.u32 %r10, 0, %p1; " EXCHANGE
                                      "add.u32 %r6, %r6, %r10; bar.sync 0, %r11; " RESULT},
    {"arrive and sync", PLACES "setp.lt.u32 %p1, %r0, 32; @%p1 bra A; barrier.arrive 2, %r39; bra D;\n"
                               "A: barrier.sync 2, %r39; D: " EXCHANGE RESULT},
    {"a trap in the middle",
     PLACES EXCHANGE "setp.eq.u32 %p0, %r0, 40; @%p0 ld.global.u32 %r9, [%rd10]; " EXCHANGE RESULT},
    {"a trap after an exit", PLACES EXCHANGE "setp.lt.u32 %p0, %r0, 32; @%p0 exit; setp.eq.u32 %p0, %r0, 70;\n"
                                             "@%p0 trap; " EXCHANGE RESULT},
    {"turns that are used up in one warp",
     PLACES EXCHANGE "setp.ne.u32 %p0, %r5, 1; @%p0 bra D;\n"
                     "L: add.u32 %r7, %r7, 1; setp.lt.u32 %p0, %r7, 20000;\n"
                     "@%p0 bra L; D: add.u32 %r6, %r6, %r7; " EXCHANGE EXCHANGE RESULT},
    {"calls of the interpreter", PLACES EXCHANGE "nanosleep.u32 20; " EXCHANGE EXCHANGE RESULT},
    {"a warp that is left stores before those behind it",
     PLACES "setp.lt.u32 %p0, %r0, 7; @%p0 bra A; activemask.b32 %r11; vote.sync.ballot.b32 %r10, %p0, %r11;\n"
            "A: st.shared.u32 [%r2], %r5; bar.sync 0; ld.shared.u32 %r6, [%r2]; " RESULT},
    {"loops that warps come to again, and a store behind them",
     PLACES "mad.lo.u32 %r21, %r5, 60, 40; O: mov.u32 %r20, 0;\n"
            "L: mad.lo.u32 %r6, %r6, 5, %r20; add.u32 %r20, %r20, 1;\n"
            "setp.lt.u32 %p0, %r20, %r21; @%p0 bra L; add.u32 %r7, %r7, 1; setp.lt.u32 %p0, %r7, 3; @%p0 bra O;\n"
            "st.shared.u32 [%r2], %r5; bar.sync 0; ld.shared.u32 %r9, [%r2]; add.u32 %r6, %r6, %r9; " RESULT},
    {"clocks", PLACES "mov.u32 %r6, %clock; " EXCHANGE "mov.u32 %r10, %clock; xor.b32 %r6, %r6, %r10; " RESULT},
    {"warps know their number",
     PLACES "mov.u32 %r10, %warpid; mov.u32 %r11, %nwarpid; mad.lo.u32 %r10, %r10, 100, %r11;\n"
            "mad.lo.u32 %r6, %r10, 3, %r6; " EXCHANGE "add.u32 %r6, %r6, %r10; " RESULT},
    {"registers that nobody wrote",
     PLACES "setp.gt.u32 %p0, %r0, 40; @%p0 bra W; bra D; W: mov.u32 %r12, %r0; D: " EXCHANGE
            "add.u32 %r6, %r6, %r12; " RESULT},
    {"surfaces",
     PLACES "L: and.b32 %r10, %r0, 15; shl.b32 %r10, %r10, 2; and.b32 %r11, %r0, 31; shr.u32 %r11, %r11, 4;\n"
            "sust.b.2d.b32.trap [%rd3, {%r10, %r11}], {%r6}; bar.sync 0;\n"
            "suld.b.2d.b32.trap {%r9}, [%rd3, {%r10, %r11}]; bar.sync 0; add.u32 %r6, %r6, %r9;\n"
            "add.u32 %r7, %r7, 1; setp.lt.u32 %p0, %r7, %r8; @%p0 bra L;\n" RESULT},
};

static void blocks_are_the_same(void **state)
{
    (void)state;
    if (!available())
        skip();
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        print_message("%s\n", programs[i].what);
        everywhere(CELLS, programs[i].body, 5, true);
    }
}

/* Loops that only compute, which two warps or four go around at once: warps that come to them together, late or not at
 * all, and leave them so. %r10: rounds; %r6, %r7: what goes around. */
#define ROUNDS                                                                                              \
    "mov.u32 %r7, 0; L: mad.lo.u32 %r6, %r6, 1664525, %r7; shr.u32 %r11, %r6, 9; xor.b32 %r6, %r6, %r11;\n" \
    "add.u32 %r7, %r7, 1; setp.lt.u32 %p0, %r7, %r10; @%p0 bra L;\n"
#define BY_WARP "mad.lo.u32 %r10, %r5, 29, 23; "
#define BY_LANE "mul.lo.u32 %r10, %r0, 37; rem.u32 %r10, %r10, 101; add.u32 %r10, %r10, 1; "
/* ... until what goes around says so: where these bits of it are 0. */
#define UNTIL(bits)                                                                                         \
    "mov.u32 %r7, 0; L: mad.lo.u32 %r6, %r6, 1664525, %r7; shr.u32 %r11, %r6, 9; xor.b32 %r6, %r6, %r11;\n" \
    "and.b32 %r12, %r6, " #bits "; add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 3000;\n"                      \
    "setp.ne.and.u32 %p0, %r12, 0, %p1; @%p0 bra L; mad.lo.u32 %r6, %r7, 77, %r6;\n"
#define UNTIL_AGAIN(bits)                                                                                    \
    "M: mad.lo.u32 %r6, %r6, 69069, 5; shr.u32 %r11, %r6, 7; xor.b32 %r6, %r6, %r11; add.u32 %r7, %r7, 1;\n" \
    "and.b32 %r12, %r11, " #bits "; setp.lt.u32 %p1, %r7, 4000; setp.ne.and.u32 %p0, %r12, 0, %p1;\n"        \
    "@%p0 bra M;\n"
enum { FAR = 2 }; /* so many, in which lanes wait for long */
static const struct kernel_text loops[] = {
    {"turns that are used up in some lanes",
     PLACES "and.b32 %r10, %r0, 7; mad.lo.u32 %r10, %r10, 700, 2000; " ROUNDS EXCHANGE RESULT},
    {"lanes that hardly ever leave", PLACES UNTIL(511) EXCHANGE UNTIL_AGAIN(15) RESULT},
    {"all as often", PLACES "mov.u32 %r10, 100; " ROUNDS RESULT},
    {"some warps more often", PLACES BY_WARP ROUNDS RESULT},
    {"some warps hardly", PLACES "and.b32 %r10, %r5, 1; mad.lo.u32 %r10, %r10, 60, 8; " ROUNDS RESULT},
    {"some lanes more often", PLACES BY_LANE ROUNDS RESULT},
    {"counters of lanes that are done are kept", PLACES BY_LANE ROUNDS "mad.lo.u32 %r6, %r7, 7, %r11; " RESULT},
    {"what only rounds write", PLACES BY_WARP ROUNDS "add.u32 %r6, %r11, %r7; " RESULT},
    {"lanes that go around", PLACES BY_LANE "and.b32 %r12, %r0, 3; setp.eq.u32 %p1, %r12, 2; @%p1 bra D;\n" ROUNDS
                                            "D: add.u32 %r6, %r6, %r10; " RESULT},
    {"lanes that wait far away", PLACES BY_LANE "and.b32 %r12, %r0, 3; setp.eq.u32 %p1, %r12, 2; @%p1 bra D;\n" ROUNDS
                                                "add.u32 %r6, %r6, 5; D: add.u32 %r6, %r6, %r10; " RESULT},
    {"warps that go around",
     PLACES BY_WARP "setp.eq.u32 %p1, %r5, 1; @%p1 bra D;\n" ROUNDS "D: add.u32 %r6, %r6, %r10; " RESULT},
    {"warps and lanes that have exited", PLACES BY_LANE
     "setp.eq.u32 %p1, %r5, 1; @%p1 exit; and.b32 %r12, %r0, 7; setp.eq.u32 %p1, %r12, 2; @%p1 exit;\n" ROUNDS RESULT},
    {"the last of the warps exits behind it, where they go on in another order",
     PLACES EXCHANGE "mov.u32 %r10, 100; " ROUNDS "sub.u32 %r12, %r39, 1; shr.u32 %r12, %r12, 5;\n"
                     "setp.eq.u32 %p0, %r5, %r12; @%p0 exit; " EXCHANGE RESULT},
    {"the first warps exit behind it, and the others come to a barrier in their order",
     PLACES EXCHANGE "xor.b32 %r10, %r6, %r0; and.b32 %r10, %r10, 31; " ROUNDS "mul.lo.u32 %r12, %r39, 43;\n"
                     "shr.u32 %r12, %r12, 6; setp.lt.u32 %p1, %r0, %r12; @%p1 exit; bar.sync 0; bar.sync 0;\n"
                     "atom.shared.add.u32 %r20, [%r2+4096], 1; mad.lo.u32 %r6, %r20, 7, %r6; " RESULT},
    {"one of the warps stores before it",
     PLACES BY_LANE "setp.eq.u32 %p1, %r5, 2; @!%p1 bra N; st.global.u32 [%rd0], %r10; N: " ROUNDS RESULT},
    {"two loops, each for some of the warps, and a store before one of them",
     PLACES BY_WARP "and.b32 %r12, %r5, 3; setp.eq.u32 %p1, %r12, 2; @%p1 bra B;\n" ROUNDS "bra D;\n"
                    "B: st.shared.u32 [%r3], %r10; mov.u32 %r13, 0; M: mad.lo.u32 %r6, %r6, 69069, %r13;\n"
                    "add.u32 %r13, %r13, 2; setp.le.u32 %p1, %r13, %r10; @%p1 bra M; D: " EXCHANGE RESULT},
    {"lanes that exit at its end", PLACES BY_LANE ROUNDS "st.global.u32 [%rd0], %r6; exit;"},
    {"around and around", PLACES "mov.u32 %r13, 0; O: add.u32 %r10, %r13, %r5; mad.lo.u32 %r10, %r10, 9, 14;\n" ROUNDS
                                 "add.u32 %r13, %r13, 1; setp.lt.u32 %p1, %r13, 7; @%p1 bra O; " RESULT},
    {"lanes around and around",
     PLACES "mov.u32 %r13, 0; O: add.u32 %r10, %r13, %r0; mul.lo.u32 %r10, %r10, 29; and.b32 %r10, %r10, 31;\n" ROUNDS
            "st.global.u32 [%rd0], %r6; add.u32 %r13, %r13, 1; and.b32 %r14, %r0, 3; add.u32 %r14, %r14, 2;\n"
            "setp.lt.u32 %p1, %r13, %r14; @%p1 bra O; " RESULT},
    {"one after the other", PLACES BY_LANE ROUNDS
     "xor.b32 %r10, %r10, 85; mov.u32 %r13, 0; M: mad.lo.u32 %r6, %r6, 69069, %r13; add.u32 %r13, %r13, 2;\n"
     "setp.le.u32 %p1, %r13, %r10; @%p1 bra M; " RESULT},
    {"one or the other",
     PLACES BY_LANE "and.b32 %r12, %r5, 1; setp.eq.u32 %p1, %r12, 1; @%p1 bra B;\n" ROUNDS "bra D;\n"
                    "B: mov.u32 %r13, 0; M: mad.lo.u32 %r6, %r6, 69069, %r13; add.u32 %r13, %r13, 2;\n"
                    "setp.le.u32 %p1, %r13, %r10; @%p1 bra M; D: " RESULT},
    {"and barriers",
     PLACES EXCHANGE BY_WARP ROUNDS EXCHANGE BY_LANE "mov.u32 %r7, 0; M: xor.b32 %r6, %r6, %r7;\n"
                                                     "mad.lo.u32 %r6, %r6, 5, 3; add.u32 %r7, %r7, 1;\n"
                                                     "setp.lt.u32 %p0, %r7, %r10; @%p0 bra M; " EXCHANGE RESULT},
    {"around barriers", PLACES "mov.u32 %r13, 0; O: " BY_LANE ROUNDS EXCHANGE
                               "add.u32 %r13, %r13, 1; setp.lt.u32 %p1, %r13, %r8; @%p1 bra O; " RESULT},
    {"a barrier that some warps do not reach",
     PLACES BY_WARP ROUNDS "setp.eq.u32 %p0, %r5, 1; @%p0 bra B; bar.sync 0; bra D; B: bar.sync 1; D: " RESULT},
    {"turns that are used up",
     PLACES "and.b32 %r10, %r5, 3; mad.lo.u32 %r10, %r10, 3000, 2000; " ROUNDS EXCHANGE RESULT},
    {"the interpreter behind it", PLACES BY_LANE ROUNDS "nanosleep.u32 20; " EXCHANGE RESULT},
    {"the interpreter behind it in one warp",
     PLACES BY_LANE ROUNDS "setp.ne.u32 %p0, %r5, 0; @%p0 bra D; nanosleep.u32 20; D: add.u32 %r6, %r6, %r10; " RESULT},
    {"the interpreter before it in one warp",
     PLACES BY_LANE "setp.ne.u32 %p0, %r5, 1; @%p0 bra D; nanosleep.u32 20; D: " ROUNDS EXCHANGE RESULT},
    {"a trap behind it", PLACES BY_LANE ROUNDS "setp.eq.u32 %p0, %r0, 40; @%p0 ld.global.u32 %r9, [%rd10]; " RESULT},
    {"a trap before it", PLACES BY_LANE "setp.eq.u32 %p0, %r0, 40; @%p0 ld.global.u32 %r9, [%rd10]; " ROUNDS RESULT},
    {"traps before and behind it", PLACES BY_LANE "setp.eq.u32 %p0, %r0, 40; @%p0 ld.global.u32 %r9, [%rd10]; " ROUNDS
                                                  "setp.eq.u32 %p0, %r0, 7; @%p0 trap; " RESULT},
    {"a trap behind it, and warps that store and go around",
     PLACES BY_LANE "setp.eq.u32 %p1, %r5, 1; @%p1 bra D;\n" ROUNDS "setp.eq.u32 %p0, %r1, %r39;\n"
                    "@%p0 trap; D: " RESULT},
    {"registers that nobody wrote, in warps that the interpreter has from the start",
     PLACES BY_LANE "add.u32 %r20, %r20, %r0; mov.u32 %r6, %r20; and.b32 %r12, %r0, 1; setp.eq.u32 %p1, %r12, 1;\n"
                    "setp.ne.u32 %p2, %r38, 1; @%p2 bra D; setp.ne.u32 %p2, %r5, 1; @%p2 bra D; @%p1 bra D;\n"
                    "nanosleep.u32 20; D: " ROUNDS "add.u32 %r6, %r6, %r20; " RESULT},
    {"what only rounds write, all as often", PLACES "mov.u32 %r10, 100; " ROUNDS "add.u32 %r6, %r11, %r7; " RESULT},
    {"floats that are none",
     PLACES BY_LANE "cvt.rn.f32.u32 %f1, %r0; mov.u32 %r7, 0; L: add.f32 %f1, %f1, 0fC1200000; sqrt.rn.f32 %f3, %f1;\n"
                    "mov.b32 %r14, %f3; xor.b32 %r6, %r6, %r14; mul.f32 %f4, %f3, 0f40000000; neg.f32 %f5, %f4;\n"
                    "add.u32 %r7, %r7, 1; setp.lt.u32 %p0, %r7, %r10; @%p0 bra L;\n"
                    "setp.ne.u32 %p0, %r5, 0; @%p0 bra D; nanosleep.u32 20; D: mov.b32 %r15, %f4;\n"
                    "add.u32 %r6, %r6, %r15; mov.b32 %r15, %f5; xor.b32 %r6, %r6, %r15; " RESULT},
    {"a clock behind it", PLACES BY_WARP ROUNDS "mov.u32 %r12, %clock; add.u32 %r6, %r6, %r12; " RESULT},
    {"registers of all kinds",
     PLACES BY_LANE "cvt.rn.f32.u32 %f1, %r0; mov.f32 %f2, 0f3F000000; cvt.u64.u32 %rd11, %r0; mov.u64 %rd12, 5;\n"
                    "setp.gt.u32 %p2, %r0, 9; mov.u32 %r12, 3; mov.u32 %r13, %r0; mov.u32 %r7, 0; L:\n"
                    "fma.rn.f32 %f1, %f1, %f2, 0f3DCCCCCD; mul.f32 %f3, %f1, %f1; sqrt.rn.f32 %f3, %f3;\n"
                    "mad.lo.u64 %rd11, %rd11, 6364136223846793005, %rd12; add.u64 %rd12, %rd12, 3;\n"
                    "xor.b32 %r12, %r12, %r7; add.u32 %r13, %r13, 4; cvt.u32.u64 %r14, %rd11;\n"
                    "setp.gt.xor.u32 %p2, %r14, %r13, %p2; @%p2 add.u32 %r6, %r6, %r12;\n"
                    "add.u32 %r7, %r7, 1; setp.lt.u32 %p0, %r7, %r10; @%p0 bra L;\n"
                    "mov.b32 %r15, %f3; add.u32 %r6, %r6, %r15; add.u32 %r6, %r6, %r13; add.u32 %r6, %r6, %r14;\n"
                    "@%p2 add.u32 %r6, %r6, 77; cvt.u32.u64 %r14, %rd12; mad.lo.u32 %r6, %r12, %r14, %r6; " RESULT},
    {"lanes that leave when it comes to that, often", PLACES UNTIL(3) EXCHANGE RESULT},
    {"now and then", PLACES UNTIL(63) RESULT},
    {"much code in each round",
     PLACES BY_LANE "cvt.rn.f32.u32 %f1, %r0; mov.u32 %r7, 0; L: sin.approx.f32 %f1, %f1;\n"
                    "cos.approx.f32 %f1, %f1; rsqrt.approx.f32 %f1, %f1; div.full.f32 %f1, %f1, %f1;\n"
                    "sin.approx.f32 %f1, %f1; cos.approx.f32 %f1, %f1; rsqrt.approx.f32 %f1, %f1;\n"
                    "add.u32 %r7, %r7, 1; setp.lt.u32 %p0, %r7, %r10; @%p0 bra L;\n"
                    "mov.b32 %r6, %f1; " RESULT},
    {"one lane of some warps, and no other", PLACES
     "add.u32 %r13, %r5, 40; and.b32 %r14, %r0, 31; setp.eq.u32 %p2, %r14, 9; mov.u32 %r7, 0;\n"
     "L: mad.lo.u32 %r6, %r6, 5, %r7; add.u32 %r7, %r7, 1; @%p2 add.u32 %r13, %r13, 1; setp.lt.u32 %p0, %r7, %r13;\n"
     "setp.lt.and.u32 %p0, %r7, 90, %p0; @%p0 bra L; add.u32 %r6, %r6, %r13; " RESULT},
    {"what no code computes", PLACES BY_LANE "cvt.rn.f32.u32 %f1, %r0; mov.u32 %r7, 0; L: tanh.approx.f32 %f1, %f1;\n"
                                             "add.u32 %r7, %r7, 1; setp.lt.u32 %p0, %r7, %r10; @%p0 bra L;\n"
                                             "mov.b32 %r6, %f1; " RESULT},
    {"numbers that all warps share",
     PLACES BY_LANE "mov.u32 %r7, 0; L: add.u32 %r6, %r6, %r38; xor.b32 %r6, %r6, %r0;\n"
                    "mad.lo.u32 %r6, %r6, %r39, %r5; add.u32 %r7, %r7, 1;\n"
                    "setp.lt.u32 %p0, %r7, %r10; @%p0 bra L; " RESULT},
};

static void loops_of_several_warps(void **state)
{
    (void)state;
    if (!available())
        skip();
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        print_message("%s\n", loops[i].what);
        everywhere(CELLS, loops[i].body, 5, i >= FAR);
    }
}

/* Blocks one after the other: what a block left is nothing to the next, however they end. */
static void blocks_that_differ(void **state)
{
    (void)state;
    if (!available())
        skip();
    everywhere(CELLS,
               PLACES "setp.eq.u32 %p0, %r38, 1; @%p0 bra ODD; " EXCHANGE EXCHANGE "bra D;\n"
                      "ODD: setp.eq.u32 %p0, %r5, 1; @%p0 exit; and.b32 %r10, %r0, 1; setp.eq.u32 %p0, %r10, 1;\n"
                      "@%p0 exit; " EXCHANGE "D: " RESULT,
               1, true);
}

/* More blocks than a host thread takes at a time, so that calls go on with the next. %rd0: one of 1024 words, by the
 * thread and the block. */
#define SPREAD                                                                                                  \
    "mul.lo.u32 %r7, %r38, 13; add.u32 %r7, %r7, %r0; and.b32 %r7, %r7, 1023; mul.wide.u32 %rd0, %r7, 4;\n"     \
    "add.u64 %rd0, %rd0, %rd1; mad.lo.u32 %r6, %r38, 1000, %r0; mov.u32 %r9, %ctaid.y; shl.b32 %r9, %r9, 20;\n" \
    "add.u32 %r6, %r6, %r9; cvt.u32.u64 %r8, %rd2; rem.u32 %r10, %r38, %r8; setp.eq.u32 %p0, %r10, 5;\n"
#define SUM "red.global.add.u32 [%rd0], %r6;"
static const struct kernel_text rows_of_blocks[] = {
    {"whose threads all end", SPREAD SUM},
    {"where lanes of some have exited",
     SPREAD "and.b32 %r9, %r0, 3; setp.eq.and.u32 %p1, %r9, 1, %p0; @%p1 exit; " SUM},
    {"where warps of some have exited", SPREAD "setp.lt.and.u32 %p1, %r0, 32, %p0; @%p1 exit; " SUM},
    {"all of some has exited", SPREAD "@%p0 exit; " SUM},
    {"with something for the interpreter in some", SPREAD "@!%p0 bra D; nanosleep.u32 20; D: " SUM},
    {"that use turns up in some", SPREAD "@!%p0 bra D; mov.u32 %r7, 0; L: add.u32 %r7, %r7, 1; xor.b32 %r6, %r6, %r7;\n"
                                         "setp.lt.u32 %p1, %r7, 9000; @%p1 bra L; D: " SUM},
    {"with barriers", PLACES SPREAD EXCHANGE SUM},
    {"with barriers that some do not come to", PLACES SPREAD "@%p0 bra D; " EXCHANGE "D: " SUM},
    {"with barriers after an exit", PLACES SPREAD "setp.lt.and.u32 %p1, %r0, 32, %p0; @%p1 exit; " EXCHANGE SUM},
    {"a trap in the middle", SPREAD "setp.eq.and.u32 %p1, %r0, 17, %p0; @%p1 ld.global.u32 %r9, [%rd10]; " SUM},
    {"local memory and what it holds at first",
     ".local .u32 mine[4]; " SPREAD "st.local.u32 [mine], %r6; ld.local.u32 %r6, [mine]; " SUM},
    {"registers that nobody wrote",
     SPREAD "@%p0 mov.u32 %r12, 9; @%p0 add.u32 %r12, %r12, %r0; add.u32 %r6, %r6, %r12; " SUM},
    {"with indices in three directions",
     SPREAD "mov.u32 %r9, %ctaid.z; mad.lo.u32 %r6, %r9, 77, %r6; mov.u32 %r9, %nctaid.y; add.u32 %r6, %r6, %r9; " SUM},
};

static void many_blocks(void **state)
{
    static const uint32_t grids[][4] = {{700, 1, 1, 32}, {7, 30, 5, 32}, {300, 1, 1, 96}, {5, 50, 1, 20}};
    (void)state;
    if (!available())
        skip();
    for (size_t i = 0; i < sizeof rows_of_blocks / sizeof *rows_of_blocks; i++)
        for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
            struct engine e;
            engine_open(&e, CELLS, rows_of_blocks[i].body);
            memcpy(e.launch.grid, grids[g], sizeof e.launch.grid);
            e.launch.block[0] = grids[g][3];
            for (unsigned n = 7; n < 200; n *= 5)
                same(&e, n, rows_of_blocks[i].what);
            engine_close(&e);
        }
}

static void limits_reach_parts(void **state)
{
    (void)state;
    struct engine e;
    volatile int interrupt = 1;
    if (!available())
        skip();
    engine_open(&e, CELLS, PLACES "L: " EXCHANGE "bra L;");
    e.launch.engine = ATOLL_ENGINE_JIT;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        e.launch.block[0] = shapes[i][0];
        e.launch.instruction_limit = 1000000;
        assert_false(engine_run(&e, 0));
        assert_int_equal(e.error.status, ATOLL_LIMIT);
        e.launch.instruction_limit = 0;
        e.launch.time_limit = 0.05;
        assert_false(engine_run(&e, 0));
        assert_int_equal(e.error.status, ATOLL_LIMIT);
        e.launch.time_limit = 0;
        e.launch.interrupt = &interrupt;
        assert_false(engine_run(&e, 0));
        assert_int_equal(e.error.status, ATOLL_INTERRUPTED);
        e.launch.interrupt = NULL;
    }
    engine_close(&e);
}

/* ---- programs at random -------------------------------------------------------------------------------------------
 */

struct blocks_text {
    struct random_text text;
    unsigned labels, depth;
    bool loose; /* barriers are where some warps do not come to them, and nothing is handed over at them */
    bool far;   /* lanes may wait for long */
};

/* Who comes to a statement, of the threads that are left: all, all of some warps, some of a warp. */
enum who { EVERYONE, SOME_WARPS, SOME_LANES };

static void statements(struct blocks_text *t, enum who who);

/* p0 = something that is true for all, for some warps, for some lanes. */
static void condition(struct blocks_text *t, unsigned kind)
{
    if (kind == 0)
        random_say(&t->text, "setp.gt.u32 %%p0, %%r8, %u; ", random_draw(&t->text, 6));
    else if (kind == 1)
        random_say(&t->text, "setp.eq.u32 %%p0, %%r5, %u; ", random_draw(&t->text, 3));
    else if (random_draw(&t->text, 2))
        random_say(&t->text, "and.b32 %%r10, %%r6, %u; setp.eq.u32 %%p0, %%r10, 0; ", 1 + random_draw(&t->text, 7));
    else /* comes out the same in most warps */
        random_say(&t->text, "setp.%s.u32 %%p0, %%r%u, %%r12; ", random_draw(&t->text, 2) ? "ge" : "lt",
                   random_draw(&t->text, 2) ? 0 : 13);
}

/* Of what lanes have alike (%r12, %rd11, %p1), or differ in as thread indices do (%r13, %rd12), and keep over barriers.
 */
static void with_forms(struct blocks_text *t)
{
    static const char *const texts[] = {
        "add.u32 %r12, %r12, 5; ",
        "shr.u32 %r12, %r12, 1; ",
        "add.u32 %r13, %r13, %r12; ",
        "mov.u32 %r13, %r0; ",
        "add.u64 %rd11, %rd11, 7; ",
        "mad.wide.u32 %rd12, %r0, 4, %rd11; ",
        "setp.gt.u32 %p1, %r12, 30; ",
        "@%p1 add.u32 %r12, %r12, 64; ",
        "mad.lo.u32 %r6, %r6, 3, %r12; ",
        "xor.b32 %r6, %r6, %r13; ",
        "cvt.u32.u64 %r10, %rd12; add.u32 %r6, %r6, %r10; ",
        "selp.u32 %r10, %r12, %r7, %p1; add.u32 %r7, %r7, %r10; ",
    };
    for (unsigned n = 1 + random_draw(&t->text, 3); n; n--)
        random_say(&t->text, "%s", texts[random_draw(&t->text, sizeof texts / sizeof *texts)]);
}

static void loop(struct blocks_text *t, enum who who)
{
    unsigned label = t->labels++, counter = 20 + t->depth, kind = random_draw(&t->text, 2);
    random_say(&t->text, "mov.u32 %%r%u, 0; L%u: ", counter, label);
    statements(t, who == EVERYONE ? (enum who)kind : who);
    random_say(&t->text, "add.u32 %%r%u, %%r%u, 1; setp.lt.u32 %%p0, %%r%u, ", counter, counter, counter);
    random_say(&t->text, kind ? "%%r5; @%%p0 bra L%u;\n" : "%%r8; @%%p0 bra L%u;\n", label);
}

/* A loop that only computes, and goes around more often than others. */
static void long_loop(struct blocks_text *t)
{
    static const char *const rounds[] = {
        "mov.u32 %r30, 90; ",
        "mad.lo.u32 %r30, %r5, 17, 19; ",
        "and.b32 %r30, %r6, 63; ",
        "xor.b32 %r30, %r0, %r7; and.b32 %r30, %r30, 127; ",
    };
    unsigned label = t->labels++;
    t->far = true;
    random_say(&t->text, "%smov.u32 %%r31, 0; L%u: ", rounds[random_draw(&t->text, 4)], label);
    for (unsigned n = 1 + random_draw(&t->text, 3); n; n--) {
        random_say(&t->text, "mad.lo.u32 %%r6, %%r6, %u, %%r31; ", 3 + 2 * random_draw(&t->text, 9));
        if (random_draw(&t->text, 3) == 0)
            with_forms(t);
    }
    random_say(&t->text, "add.u32 %%r31, %%r31, 1; setp.lt.u32 %%p0, %%r31, %%r30; ");
    if (random_draw(&t->text, 2) == 0) /* what goes around tells who leaves */
        random_say(&t->text, "shr.u32 %%r34, %%r6, 3; and.b32 %%r34, %%r34, %u; setp.ne.and.u32 %%p0, %%r34, 0, %%p0; ",
                   random_draw(&t->text, 3) ? 31 : 3);
    random_say(&t->text, "@%%p0 bra L%u;\n", label);
}

static void choice(struct blocks_text *t, enum who who)
{
    unsigned label = t->labels++, kind = random_draw(&t->text, 3);
    enum who of = kind > who ? (enum who)kind : who;
    condition(t, kind);
    random_say(&t->text, "@%%p0 bra L%u; ", label);
    statements(t, of);
    random_say(&t->text, "bra M%u; L%u: ", label, label);
    statements(t, of);
    random_say(&t->text, "M%u:\n", label);
}

static void statement(struct blocks_text *t, enum who who)
{
    switch (random_draw(&t->text, t->depth < 3 ? 16 : 11)) {
    case 0:
    case 1:
        random_say(&t->text, "mad.lo.u32 %%r6, %%r6, %u, %%r7; ", 3 + 2 * random_draw(&t->text, 9));
        break;
    case 2:
        random_say(&t->text, "add.u32 %%r7, %%r7, %%r6; xor.b32 %%r6, %%r6, %%r0; ");
        break;
    case 3:
        if (who == EVERYONE || t->loose)
            random_say(&t->text, "bar.sync %u; ", random_draw(&t->text, 8) == 0);
        break;
    case 4:
    case 5:
        if (who == EVERYONE && !t->loose)
            random_say(&t->text, "%s", EXCHANGE);
        else
            random_say(&t->text, "atom.shared.add.u32 %%r11, [%%r2+4096], 1; ");
        break;
    case 6:
        condition(t, 1 + random_draw(&t->text, 2));
        random_say(&t->text, random_draw(&t->text, 8) ? "@%%p0 add.u32 %%r7, %%r7, %%r5; " : "@%%p0 exit; ");
        break;
    case 7:
    case 8:
        with_forms(t);
        break;
    case 9:
    case 10:
        long_loop(t);
        break;
    case 11:
    case 12:
        choice(t, who);
        break;
    default:
        loop(t, who);
    }
}

static void statements(struct blocks_text *t, enum who who)
{
    t->depth++;
    for (unsigned n = 1 + random_draw(&t->text, 4); n; n--)
        statement(t, who);
    t->depth--;
}

static void programs_at_random(void **state)
{
    (void)state;
    static struct blocks_text t;
    struct engine e;
    static char where[sizeof t.text.at + 100];
    if (!available())
        skip();
    uint64_t first = given_seed(1), count = given_count(40);
    for (uint64_t seed = first; seed < first + count; seed++) {
        t = (struct blocks_text){.text.random = seed, .loose = seed % 4 == 0};
        random_say(&t.text, "%smov.u32 %%r12, %u; mov.u32 %%r13, %%r0; ", PLACES, (unsigned)seed % 97);
        for (unsigned n = 0; n < 3; n++)
            statements(&t, EVERYONE);
        random_say(&t.text, "%s", RESULT);
        engine_open(&e, CELLS, t.text.at);
        e.launch.instruction_limit = 3000000;
        for (unsigned i = 0; i < 3; i++) {
            const uint32_t *shape = shapes[(seed + 3 * i) % (sizeof shapes / sizeof *shapes)];
            e.launch.block[0] = shape[0];
            e.launch.grid[0] = shape[1];
            snprintf(where, sizeof where, "seed %u, blocks of %u threads\n%s\n", (unsigned)seed, shape[0], t.text.at);
            same_or_near(&e, 1 + seed % 5, where, !t.far);
        }
        engine_close(&e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_the_same),
        cmocka_unit_test(blocks_that_differ),
        cmocka_unit_test(many_blocks),
        cmocka_unit_test(limits_reach_parts),
        cmocka_unit_test(loops_of_several_warps),
        cmocka_unit_test(programs_at_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

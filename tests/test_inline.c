/* Calls that become a part of the kernel's code: the same results, counters, traps and places as calls that are made,
 * which a traced launch makes. */
#include "api/api.h"
#include "base/hard.h"
#include "engine/plan/inline.h"
#include "jit_rig.h"

#define ADD                                                                                               \
    "(.param .b32 r) add3(.param .b32 a, .param .b32 b) { .reg .b32 %r<9>; .reg .pred %p; .reg .b64 %n; " \
    "ld.param.u32 %r1, [a]; ld.param.u32 %r2, [b]; mov.b64 %n, 0; "
#define FUNC ".func "
#define CALL2(name, to, a, b)                                                                           \
    "{ .param .b32 x; .param .b32 y; .param .b32 z; st.param.b32 [x], " a "; st.param.b32 [y], " b "; " \
    "call.uni (z), " name ", (x, y); ld.param.b32 " to ", [z]; }\n"
#define GUARDED(guard, name, to, a, b)                                                                  \
    "{ .param .b32 x; .param .b32 y; .param .b32 z; st.param.b32 [x], " a "; st.param.b32 [y], " b "; " \
    "st.param.b32 [z], 7; " guard " call (z), " name ", (x, y); ld.param.b32 " to ", [z]; }\n"
#define GIVE(what) "st.param.b32 [r], " what "; ret; }\n"
#define TWO(name, body)                                                                                                \
    FUNC "(.param .b32 r) " #name                                                                                      \
         "(.param .b32 a, .param .b32 b) { .reg .b32 %r<9>; ld.param.u32 %r1, [a]; ld.param.u32 %r2, [b]; " body GIVE( \
             "%r3")
#define BY(guard, pointer, to, a, b)                                                                                   \
    "{ .param .b32 x; .param .b32 y; .param .b32 z; st.param.b32 [x], " a "; st.param.b32 [y], " b                     \
    "; st.param.b32 [z], 7; "                                                                                          \
    "P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _); " guard " call (z), " pointer ", (x, y), P; " \
    "ld.param.b32 " to ", [z]; }\n"
#define TELL "st.global.u32 [%rd0], %r6;"

static const struct row {
    const char *what, *head, *body;
    unsigned calls, accesses; /* that are left: calls, loads and stores of local memory */
} rows[] = {
    {"a word and a word", FUNC ADD "mad.lo.u32 %r3, %r1, 3, %r2; " GIVE("%r3"),
     CALL2("add3", "%r6", "%r0", "%r1") CALL2("add3", "%r6", "%r6", "77") TELL, 0, 0},
    {"some lanes", FUNC ADD "mad.lo.u32 %r3, %r1, 3, %r2; " GIVE("%r3"),
     "and.b32 %r2, %r0, 3; setp.eq.u32 %p0, %r2, 1; " GUARDED("@%p0", "add3", "%r6", "%r0", "5")
         GUARDED("@!%p0", "add3", "%r6", "%r6", "9") TELL,
     0, 0},
    {"lanes that part", FUNC ADD "mad.lo.u32 %r3, %r1, 3, %r2; " GIVE("%r3"),
     "and.b32 %r2, %r0, 3; setp.eq.u32 %p0, %r2, 1; @%p0 bra A;\n" CALL2("add3", "%r6", "%r0", "5") "bra B; A:\n" CALL2(
         "add3", "%r6", "%r1", "%r0") "B:" TELL,
     0, 0},
    {"early returns",
     FUNC ADD "and.b32 %r3, %r1, 1; setp.eq.u32 %p, %r3, 0; st.param.b32 [r], %r2; @%p ret; mov.u32 %r4, 0; "
              "L: add.u32 %r4, %r4, %r1; add.u32 %r3, %r3, 1; setp.lt.u32 %p, %r3, %r1; @%p bra L; " GIVE("%r4"),
     CALL2("add3", "%r6", "%r0", "100") CALL2("add3", "%r6", "%r6", "%r0") TELL, 0, 0},
    {"calls in calls",
     FUNC ADD "xor.b32 %r3, %r1, %r2; " GIVE("%r3") FUNC
     "(.param .b32 r) twice(.param .b32 a, .param .b32 b) { .reg .b32 %r<9>; ld.param.u32 %r1, [a]; ld.param.u32 "
     "%r2, [b];" CALL2("add3", "%r3", "%r1", "5")
         CALL2("add3", "%r4", "%r2", "%r3") "mul.lo.u32 %r5, %r3, %r4; " GIVE("%r5") FUNC
     "(.param .b32 r) four(.param .b32 a, .param .b32 b) { .reg .b32 %r<9>; ld.param.u32 %r1, [a]; ld.param.u32 "
     "%r2, [b];" CALL2("twice", "%r3", "%r1", "%r2")
         CALL2("twice", "%r4", "%r2", "%r3") "sub.u32 %r5, %r3, %r4; " GIVE("%r5"),
     CALL2("four", "%r6", "%r0", "%r1") CALL2("add3", "%r6", "%r6", "%r0") TELL, 0, 0},
    {"in a loop", FUNC ADD "mad.lo.u32 %r3, %r1, 3, %r2; " GIVE("%r3"),
     "mov.u32 %r6, 1; and.b32 %r3, %r0, 7; mov.u32 %r2, 0; L:\n" CALL2(
         "add3", "%r6", "%r6", "%r2") "add.u32 %r2, %r2, 1; setp.le.u32 %p0, %r2, %r3; @%p0 bra L;" TELL,
     0, 0},
    {"a register that nobody wrote",
     FUNC ADD "and.b32 %r3, %r1, 1; setp.eq.u32 %p, %r3, 0; @%p mov.u32 %r7, %r2; add.u32 %r7, %r7, %r8; add.u32 %r8, "
              "%r7, 1;" GIVE("%r7"),
     "mov.u32 %r6, 1; mov.u32 %r2, 0; L:\n" CALL2(
         "add3", "%r4", "%r2", "%r0") "mad.lo.u32 %r6, %r6, 31, %r4; "
                                      "add.u32 %r2, %r2, 1; setp.le.u32 %p0, %r2, 9; @%p0 bra L;" TELL,
     0, 0},
    {"all widths",
     FUNC
     "(.param .b64 r) f(.param .b8 a, .param .b16 b, .param .b32 c, .param .b64 d, .param .f32 e, .param .f64 g) "
     "{ .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .b16 %h<9>; .reg .f32 %f; .reg .f64 %g; ld.param.s8 %r1, [a]; "
     "ld.param.u8 %r2, [a]; ld.param.s16 %r3, [b]; ld.param.u16 %h1, [b]; ld.param.s32 %d1, [c]; ld.param.u64 %d2, "
     "[d]; ld.param.f32 %f, [e]; ld.param.f64 %g, [g]; cvt.rzi.s64.f64 %d3, %g; cvt.rzi.s32.f32 %r4, %f; cvt.u32.u16 "
     "%r5, %h1; mad.lo.u32 %r1, %r1, 31, %r2; mad.lo.u32 %r1, %r1, 31, %r3; mad.lo.u32 %r1, %r1, 31, %r4; mad.lo.u32 "
     "%r1, %r1, 31, %r5; cvt.u64.u32 %d4, %r1; add.u64 %d1, %d1, %d2; add.u64 %d1, %d1, %d3; add.u64 %d1, %d1, %d4; "
     "st.param.b64 [r], %d1; ret; }\n",
     "{ .param .b8 a; .param .b16 b; .param .b32 c; .param .b64 d; .param .f32 e; .param .f64 g; .param .b64 r; "
     "mul.lo.u32 %r2, %r1, 2654435761; st.param.b8 [a], %r2; shr.u32 %r3, %r2, 5; cvt.u16.u32 %h, %r3; st.param.b16 "
     "[b], %h; "
     "st.param.b32 [c], %r2; mul.wide.u32 %rd4, %r2, %r3; st.param.b64 [d], %rd4; cvt.rn.f32.u32 %f0, %r2; "
     "st.param.f32 [e], "
     "%f0; cvt.rn.f64.s32 %g, %r2; st.param.f64 [g], %g; call (r), f, (a, b, c, d, e, g); ld.param.b64 %rd5, [r]; "
     "shr.u64 %rd6, %rd5, 32; xor.b64 %rd5, %rd5, %rd6; cvt.u32.u64 %r6, %rd5; }" TELL,
     0, 0},
    {"a structure",
     FUNC
     "(.param .align 8 .b8 r[16]) f(.param .align 8 .b8 s[24]) { .reg .b32 %r<9>; .reg .b64 %d<9>; ld.param.v2.b32 "
     "{%r1, %r2}, [s]; ld.param.b64 %d1, [s+8]; ld.param.b8 %r3, [s+16]; cvt.u64.u32 %d2, %r1; add.u64 %d1, %d1, %d2; "
     "add.u32 %r2, %r2, %r3; st.param.b64 [r+8], %d1; st.param.b32 [r+4], %r2; st.param.b32 [r], %r3; ret; }\n",
     "{ .param .align 8 .b8 s[24]; .param .align 8 .b8 r[16]; mul.wide.u32 %rd4, %r1, 77777; st.param.b32 [s], %r0; "
     "st.param.b32 [s+4], %r1; st.param.b64 [s+8], %rd4; st.param.b8 [s+16], %r0; call (r), f, (s); ld.param.v2.b32 "
     "{%r3, "
     "%r4}, [r]; ld.param.b64 %rd5, [r+8]; cvt.u32.u64 %r6, %rd5; mad.lo.u32 %r6, %r6, 31, %r3; mad.lo.u32 %r6, %r6, "
     "31, "
     "%r4; }" TELL,
     0, 0},
    {"a structure that both see in their own way",
     FUNC
     "(.param .b32 r) f(.param .align 8 .b8 s[8]) { .reg .b32 %r<9>; ld.param.b32 %r1, [s]; ld.param.b32 %r2, [s+4]; "
     "mad.lo.u32 %r3, %r1, 31, %r2; " GIVE("%r3"),
     "{ .param .align 8 .b8 s[8]; .param .b32 r; mul.wide.u32 %rd4, %r1, 77777; st.param.b64 [s], %rd4; call (r), f, "
     "(s); "
     "ld.param.b32 %r6, [r]; }" TELL,
     0, 5},
    {"the address of a parameter",
     FUNC
     "(.param .b32 r) f(.param .align 4 .b8 s[16], .param .b32 n) { .reg .b32 %r<9>; .reg .b64 %d<9>; ld.param.u32 "
     "%r1, "
     "[n]; mov.u64 %d1, s; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2; ld.param.b32 %r2, [%d1]; ld.param.b32 %r3, "
     "[s+4]; mad.lo.u32 %r2, %r2, 31, %r3; " GIVE("%r2"),
     "{ .param .align 4 .b8 s[16]; .param .b32 n; .param .b32 r; st.param.b32 [s], %r0; st.param.b32 [s+4], 17; "
     "st.param.b32 [s+8], %r1; st.param.b32 [s+12], 4; and.b32 %r2, %r0, 3; st.param.b32 [n], %r2; call (r), f, (s, "
     "n); "
     "ld.param.b32 %r6, [r]; }" TELL,
     0, 14},
    {"parameters that are registers",
     FUNC "(.reg .b32 r, .reg .pred q) f(.reg .b32 a, .reg .pred p) { @p add.u32 r, a, 1; @!p sub.u32 r, a, 1; "
          "setp.gt.u32 q, r, 8; ret; }\n",
     "setp.lt.u32 %p0, %r0, 20; call (%r6, %p1), f, (%r0, %p0); @%p1 add.u32 %r6, %r6, 1000;" TELL, 0, 0},
    {"arrays of both",
     FUNC ADD
     ".local .align 4 .b8 d[32]; .reg .b64 %d<9>; mov.u64 %d1, d; mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2; "
     "st.local.u32 [d], 1; st.local.u32 [d+4], 2; st.local.u32 [d+8], 3; st.local.u32 [d+12], 4; "
     "st.local.u32 [%d3], %r2; ld.local.u32 %r4, [d+8]; ld.local.u32 %r5, [%d3]; mad.lo.u32 %r4, %r4, 31, %r5; " GIVE(
         "%r4"),
     "{ .local .align 4 .b8 d[16]; mov.u64 %rd4, d; and.b32 %r2, %r0, 3; mul.wide.u32 %rd5, %r2, 4; add.u64 %rd5, "
     "%rd5, "
     "%rd4; st.local.u32 [d], %r1; st.local.u32 [d+4], %r1; st.local.u32 [d+8], %r1; st.local.u32 [d+12], %r1; "
     "st.local.u32 [%rd5], 99;\n" CALL2("add3", "%r6", "%r2",
                                        "%r1") "ld.local.u32 %r3, [%rd5]; ld.local.u32 %r4, [d+4]; "
                                               "mad.lo.u32 %r6, %r6, 31, %r3; mad.lo.u32 %r6, %r6, 31, %r4; }" TELL,
     0, 14},
    {"barriers and shuffles in it",
     ".shared .u32 cell[1024];\n" FUNC ADD
     ".reg .pred %q; shl.b32 %r3, %r1, 2; mov.u32 %r4, cell; add.u32 %r4, %r4, %r3; "
     "st.shared.u32 [%r4], %r2; bar.sync 0; xor.b32 %r3, %r3, 4; mov.u32 %r4, cell; add.u32 %r4, %r4, %r3; "
     "ld.shared.u32 "
     "%r5, [%r4]; bar.sync 0; shfl.sync.bfly.b32 %r6, %r5, 2, 31, -1; " GIVE("%r6"),
     "mov.u32 %r6, %r1; mov.u32 %r2, 0; L:\n" CALL2(
         "add3", "%r4", "%r0", "%r6") "mad.lo.u32 %r6, %r6, 3, %r4; "
                                      "add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, 5; @%p0 bra L;" TELL,
     0, 0},
    {"a way out of the kernel", FUNC ADD "setp.lt.u32 %p, %r1, 9; @%p exit; add.u32 %r3, %r1, %r2; " GIVE("%r3"),
     "st.global.u32 [%rd0], 5;\n" CALL2("add3", "%r6", "%r0", "1") TELL, 0, 0},
    {"a trap in it",
     FUNC ADD "setp.eq.u32 %p, %r1, 9;\n @%p st.global.u32 [%n], %r1;\n add.u32 %r3, %r1, %r2; " GIVE("%r3"),
     CALL2("add3", "%r6", "%r0", "1") TELL, 0, 0},
    {"a word of a result that is not aligned",
     FUNC "(.param .align 1 .b8 r[8]) f(.param .b32 a) { .reg .b32 %r<9>; ld.param.b32 %r1, [a]; st.param.b8 [r], %r1; "
          "\n st.param.b32 [r+1], %r1; ret; }\n",
     "{ .param .b32 x; .param .align 1 .b8 y[8]; st.param.b32 [x], %r0; call (y), f, (x); ld.param.b8 %r6, [y]; }" TELL,
     0, 7},
    {"an argument that only the caller sees, not aligned",
     FUNC "(.param .b32 r) f(.param .align 1 .b8 s[12]) { .reg .b32 %r<9>; ld.param.b8 %r1, [s]; " GIVE("%r1"),
     "{ .param .align 1 .b8 s[12]; .param .b32 r; st.param.b8 [s], %r0;\n st.param.v2.b32 [s+4], {%r0, %r1}; "
     "call (r), f, (s); ld.param.b32 %r6, [r]; }" TELL,
     0, 9},
    {"a trap, told by lines of the source",
     ".file 1 \"a.cu\"\n.file 2 \"b.cu\"\n" FUNC ADD
     "\n.loc 2 7 1\nsetp.eq.u32 %p, %r1, 9;\n.loc 2 9 2\n@%p st.global.u32 [%n], %r1;\n add.u32 %r3, %r1, %r2; " GIVE(
         "%r3") FUNC
     "(.param .b32 r) twice(.param .b32 a, .param .b32 b) { .reg .b32 %r<9>;\n.loc 1 3 1\nld.param.u32 %r1, [a]; "
     "ld.param.u32 %r2, [b];\n.loc 1 4 1\n" CALL2("add3", "%r3", "%r1", "5") GIVE("%r3"),
     ".loc 1 40 3\n" CALL2("twice", "%r6", "%r2", "1") "\n.loc 1 41 3\n" CALL2("twice", "%r6", "%r0", "1") TELL, 0, 0},
    {"a function that calls itself",
     FUNC "(.param .b32 r) fac(.param .b32 a, .param .b32 b);\n" FUNC
          "(.param .b32 r) fac(.param .b32 a, .param .b32 b) { .reg .b32 %r<9>; .reg .pred %p; ld.param.u32 %r1, [a]; "
          "ld.param.u32 "
          "%r2, [b]; setp.lt.u32 %p, %r1, 2; st.param.b32 [r], %r2; @%p ret; sub.u32 %r3, %r1, 1; mul.lo.u32 %r4, %r1, "
          "%r2;\n" CALL2("fac", "%r5", "%r3", "%r4") GIVE("%r5") FUNC ADD "mad.lo.u32 %r3, %r1, 3, %r2; " GIVE("%r3"),
     "and.b32 %r2, %r0, 7;\n" CALL2("fac", "%r6", "%r2", "1") CALL2("add3", "%r6", "%r6", "%r0")
         CALL2("fac", "%r6", "3", "%r6") TELL,
     2, 6},
    {"a pointer",
     FUNC ADD "mad.lo.u32 %r3, %r1, 3, %r2; " GIVE("%r3") FUNC
     "(.param .b32 r) other(.param .b32 a, .param .b32 b) { .reg .b32 %r<9>; ld.param.u32 %r1, [a]; ld.param.u32 "
     "%r2, [b]; sub.u32 %r3, %r1, %r2; " GIVE("%r3"),
     "mov.u64 %rd4, add3; mov.u64 %rd5, other; setp.lt.u32 %p0, %r0, 13; selp.b64 %rd6, %rd4, %rd5, %p0;\n"
     "{ .param .b32 x; .param .b32 y; .param .b32 z; st.param.b32 [x], %r0; st.param.b32 [y], %r1; P: .callprototype "
     "(.param .b32 _) _ (.param .b32 _, .param .b32 _); call (z), %rd6, (x, y), P; ld.param.b32 %r6, [z]; }\n" CALL2(
         "add3", "%r6", "%r6", "3") TELL,
     1, 4},
    {"pointers in memory, of some lanes",
     FUNC ADD "mad.lo.u32 %r3, %r1, 3, %r2; " GIVE("%r3") TWO(sub3, "sub.u32 %r3, %r1, %r2; ")
         TWO(mul3, "mul.lo.u32 %r3, %r1, %r2; ")
             TWO(inc3, CALL2("sub3", "%r3", "%r1", "%r2")) ".const .u64 table[4] = {add3, sub3, mul3, inc3};\n",
     "and.b32 %r2, %r1, 3; mul.wide.u32 %rd4, %r2, 8; mov.u64 %rd5, table; add.u64 %rd4, %rd4, %rd5; ld.const.u64 "
     "%rd6, "
     "[%rd4]; setp.ne.u32 %p0, %r0, 7; mov.u32 %r6, 1; mov.u32 %r5, 0; L:\n" BY(
         "@%p0", "%rd6", "%r6", "%r0", "%r6") "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, %r2; @%p1 bra L;" TELL,
     1, 4},
    {"a pointer to nothing", FUNC ADD "mad.lo.u32 %r3, %r1, 3, %r2; " GIVE("%r3"),
     "mov.u64 %rd4, add3; setp.eq.u32 %p0, %r0, 9; @%p0 mov.u64 %rd4, 77;\n" BY("", "%rd4", "%r6", "%r0", "5") TELL, 1,
     4},
    {"a pointer to another kind of function",
     FUNC ADD "mad.lo.u32 %r3, %r1, 3, %r2; " GIVE("%r3") FUNC "(.param .b64 r) wide(.param .b32 a) { ret; }\n",
     "mov.u64 %rd4, add3; mov.u64 %rd5, wide; setp.eq.u32 %p0, %r0, 9; @%p0 mov.u64 %rd4, %rd5;\n" BY("", "%rd4", "%r6",
                                                                                                      "%r0", "5") TELL,
     1, 4},
    {"one place for the arguments of two calls", FUNC ADD "mad.lo.u32 %r3, %r1, 3, %r2; " GIVE("%r3"),
     "{ .param .b32 x; .param .b32 y; .param .b32 z; st.param.b32 [x], %r0; st.param.b32 [y], 4; call (z), add3, (x, "
     "y); "
     "ld.param.b32 %r6, [z]; st.param.b32 [y], %r6; call (z), add3, (x, y); ld.param.b32 %r4, [z]; call (x), add3, (z, "
     "y); "
     "ld.param.b32 %r5, [x]; mad.lo.u32 %r6, %r6, 31, %r4; mad.lo.u32 %r6, %r6, 31, %r5; }" TELL,
     0, 0},
    {"a jump table in it",
     FUNC ADD
     "and.b32 %r3, %r1, 3; mov.u32 %r4, 0; T: .branchtargets A, B, C, A; brx.idx %r3, T; A: add.u32 %r4, %r2, 1; "
     "bra D; B: mul.lo.u32 %r4, %r2, 5; bra D; C: sub.u32 %r4, %r2, 9; D: " GIVE("%r4"),
     CALL2("add3", "%r6", "%r0", "%r1") CALL2("add3", "%r6", "%r6", "%r1") TELL, 0, 0},
    {"the index of a thread",
     FUNC ADD "mov.u32 %r3, %tid.x; mov.u32 %r4, %laneid; mad.lo.u32 %r3, %r3, %r1, %r4; " GIVE("%r3"),
     CALL2("add3", "%r6", "%r0", "%r1") TELL, 0, 0},
};

static void open_row(struct engine *e, const struct row *row)
{
    static char body[1 << 14];
    snprintf(body, sizeof body, ".reg .b16 %%h; .reg .f64 %%g;\n%s", row->body);
    engine_open(e, row->head, body);
}

/* ---- by all ways ---------------------------------------------------------------------------------------------------
 */

static void forget(void *user, const char *line, size_t size)
{
    (void)user;
    (void)line;
    (void)size;
}

static void compare(const struct row *row, const struct outcome *a, const struct outcome *b)
{
    if (a->ok != b->ok || strcmp(a->error.message, b->error.message) != 0)
        fail_msg("%s: '%s' by calls; '%s'", row->what, a->error.message, b->error.message);
    for (unsigned i = 0; i < ENGINE_WORDS; i++)
        if (a->words[i] != b->words[i])
            fail_msg("%s: word %u: %u by calls; %u", row->what, i, a->words[i], b->words[i]);
    assert_int_equal(a->trap.line, b->trap.line);
    assert_int_equal(a->trap.nplaces, b->trap.nplaces);
    assert_memory_equal(a->trap.thread, b->trap.thread, sizeof a->trap.thread);
    if (!a->ok)
        return;
    /* In the hard build lanes change at each branch, so they meet elsewhere where calls have become branches. */
    if ((HARD(true, false) && a->stats.warp_instructions != b->stats.warp_instructions) ||
        a->stats.lane_instructions != b->stats.lane_instructions)
        fail_msg("%s: %llu instructions of warps and %llu of lanes by calls; %llu and %llu", row->what,
                 (unsigned long long)a->stats.warp_instructions, (unsigned long long)a->stats.lane_instructions,
                 (unsigned long long)b->stats.warp_instructions, (unsigned long long)b->stats.lane_instructions);
    if (HARD(true, false))
        compare_counters(&a->stats, &b->stats);
}

static void test_rows(void **state)
{
    static struct outcome calls, interpreted, compiled;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct engine e;
        open_row(&e, &rows[i]);
        for (size_t s = 0; s < 4; s++) {
            e.launch.block[0] = shapes[s][0];
            e.launch.grid[0] = shapes[s][1];
            e.launch.trace = forget;
            launch_by(&e, ATOLL_ENGINE_INTERPRETER, 0, &calls);
            e.launch.trace = NULL;
            launch_by(&e, ATOLL_ENGINE_INTERPRETER, 0, &interpreted);
            compare(&rows[i], &calls, &interpreted);
            if (!available())
                continue;
            launch_by(&e, ATOLL_ENGINE_JIT, 0, &compiled);
            compare(&rows[i], &calls, &compiled);
        }
        engine_close(&e);
    }
}

/* Where nothing tells lines of a source, calls are told by those of the text. */
static void test_chain(void **state)
{
    struct engine e;
    const struct row *row = rows;
    (void)state;
    while (strcmp(row->what, "a trap in it") != 0)
        row++;
    open_row(&e, row);
    assert_false(engine_run(&e, 0));
    if (!strstr(e.error.message, "trapped at <memory>:5, called at <memory>:16 (null)"))
        fail_msg("%s", e.error.message);
    engine_close(&e);
}

static void add_row(void *user, const struct atoll_contention *row)
{
    uint64_t *sums = user;
    sums[0]++;
    sums[1] += row->executions;
}

/* Copies of an atomic operation are told as the one that was written. */
static void test_contention(void **state)
{
    uint64_t sums[2] = {0};
    struct engine e;
    (void)state;
    engine_open(
        &e, ".shared .u32 cell[4];\n" FUNC ADD "mov.u32 %r4, cell; atom.shared.add.u32 %r3, [%r4], %r2;\n" GIVE("%r3"),
        CALL2("add3", "%r6", "%r0", "%r1") CALL2("add3", "%r5", "%r0", "3") TELL);
    e.launch.contention = add_row;
    e.launch.user = sums;
    engine_must_run(&e, 0);
    engine_close(&e);
    assert_int_equal(sums[0], 1);
    assert_int_equal(sums[1], 2);
}

/* ---- what is made of a kernel ---------------------------------------------------------------------------------------
 */

static bool is_local(const struct lane_func *f, const struct lane_inst *inst)
{
    return (inst->op == LANE_OP_ld || inst->op == LANE_OP_st) && f->accesses[inst->aux].space == LANE_LOCAL;
}

/* As a module by itself, its frames one. */
static void verify(const struct lane_module *module, struct inlined *made)
{
    struct lane_module *m = &made->module;
    struct lane_func *funcs = calloc(module->nfuncs, sizeof *funcs);
    struct atoll_error error = {0};
    assert_non_null(funcs);
    memcpy(funcs, module->funcs, module->nfuncs * sizeof *funcs);
    struct lane_module whole = *module;
    whole.funcs = funcs;
    for (uint32_t i = 0; i < module->nfuncs; i++)
        if (strcmp(funcs[i].name, m->funcs[0].name) == 0)
            funcs[i] = m->funcs[0];
    for (uint32_t i = 0; i < module->nfuncs; i++)
        if (funcs[i].kernel)
            funcs[i].local_bytes = LANE_LOCAL_BYTES;
    if (!lane_verify(&whole, &error))
        fail_msg("%s", error.message);
    free(funcs);
}

static void count(const struct row *row, const struct inlined *made)
{
    const struct lane_func *f = made->func;
    unsigned calls = 0, accesses = 0;
    for (uint32_t i = 0; i < f->ninsts; i++) {
        calls += f->insts[i].op == LANE_OP_call;
        accesses += is_local(f, &f->insts[i]);
    }
    if (calls != row->calls || accesses != row->accesses || made->calls != (calls != 0))
        fail_msg("%s: %u calls and %u accesses are left, not %u and %u", row->what, calls, accesses, row->calls,
                 row->accesses);
}

static void test_code(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct engine e;
        struct atoll_kernel *kernel;
        struct inlined made;
        open_row(&e, &rows[i]);
        assert_true(atoll_module_kernel(e.module, "k", &kernel, &e.error));
        assert_true(inline_calls(&e.module->lanes, kernel->func, &made));
        assert_non_null(made.func);
        count(&rows[i], &made);
        verify(&e.module->lanes, &made);
        lane_module_free(&made.module);
        engine_close(&e);
    }
}

/* A chain of functions, each of which calls the one before `width` times, ends in `length` additions. */
static char *chain(unsigned depth, unsigned width, unsigned length)
{
    static char text[1 << 20];
    size_t n =
        (size_t)sprintf(text, ".func (.param .b32 r) f0(.param .b32 a) { .reg .b32 %%r; ld.param.u32 %%r, [a];\n");
    for (unsigned i = 0; i < length; i++)
        n += (size_t)sprintf(text + n, "add.u32 %%r, %%r, %u;\n", i + 1);
    n += (size_t)sprintf(text + n, "st.param.b32 [r], %%r; ret; }\n");
    for (unsigned d = 1; d <= depth; d++) {
        n += (size_t)sprintf(text + n,
                             ".func (.param .b32 r) f%u(.param .b32 a) { .reg .b32 %%r; ld.param.u32 %%r, [a];\n", d);
        for (unsigned w = 0; w < width; w++)
            n += (size_t)sprintf(
                text + n, "{ .param .b32 x, z; st.param.b32 [x], %%r; call (z), f%u, (x); ld.param.b32 %%r, [z]; }\n",
                d - 1);
        n += (size_t)sprintf(text + n, "st.param.b32 [r], %%r; ret; }\n");
    }
    return text;
}

static void try_chain(unsigned depth, unsigned width, unsigned length, bool comes)
{
    struct row row = {.what = "a chain", .head = chain(depth, width, length), .calls = comes ? 0 : 1};
    char body[200];
    struct engine e;
    struct atoll_kernel *kernel;
    struct inlined made;
    snprintf(body, sizeof body,
             "{ .param .b32 x, z; st.param.b32 [x], %%r1; call (z), f%u, (x); ld.param.b32 %%r6, [z]; } "
             "st.global.u32 [%%rd0], %%r6;",
             depth);
    row.body = body;
    open_row(&e, &row);
    assert_true(atoll_module_kernel(e.module, "k", &kernel, &e.error));
    assert_true(inline_calls(&e.module->lanes, kernel->func, &made));
    assert_int_equal(made.func != NULL, comes);
    assert_int_equal(made.calls, !comes);
    lane_module_free(&made.module);
    engine_must_run(&e, 0);
    uint32_t sum = length * (length + 1) / 2;
    for (unsigned d = 0; d < depth; d++)
        sum *= width;
    assert_int_equal(e.words[5], 5 + sum);
    engine_close(&e);
}

/* As many functions that a pointer may lead to. */
static void try_pointers(unsigned functions, bool comes)
{
    static char head[1 << 14], body[1 << 12];
    struct row row = {.what = "pointers", .head = head, .body = body};
    struct engine e;
    struct atoll_kernel *kernel;
    struct inlined made;
    size_t n = 0, m = 0;
    for (unsigned i = 0; i < functions; i++) {
        n += (size_t)sprintf(head + n,
                             ".func (.param .b32 r) f%u(.param .b32 a) { .reg .b32 %%r; ld.param.u32 %%r, [a]; "
                             "add.u32 %%r, %%r, %u; st.param.b32 [r], %%r; ret; }\n",
                             i, 100 * i);
        m += (size_t)sprintf(body + m, "setp.eq.u32 %%p0, %%r0, %u; @%%p0 mov.u64 %%rd4, f%u;\n", i, i);
    }
    sprintf(body + m,
            "setp.lt.u32 %%p0, %%r0, %u; @%%p0 bra T; ret; T: { .param .b32 x, z; st.param.b32 [x], %%r0; "
            "P: .callprototype (.param .b32 _) _ (.param .b32 _); call (z), %%rd4, (x), P; ld.param.b32 %%r6, [z]; }\n"
            "st.global.u32 [%%rd0], %%r6;",
            functions);
    open_row(&e, &row);
    assert_true(atoll_module_kernel(e.module, "k", &kernel, &e.error));
    assert_true(inline_calls(&e.module->lanes, kernel->func, &made));
    assert_int_equal(made.func != NULL, comes);
    assert_true(made.calls);
    lane_module_free(&made.module);
    engine_must_run(&e, 0);
    for (unsigned i = 0; i < functions; i++)
        assert_int_equal(e.words[i], 101 * i);
    engine_close(&e);
}

/* Much code, and calls far within calls, stay calls. */
static void test_limits(void **state)
{
    (void)state;
    try_chain(0, 1, 500, true);
    try_chain(0, 1, 2000, false);
    try_chain(3, 3, 5, true);
    try_chain(9, 3, 1, false);
    try_chain(20, 1, 5, true);
    try_chain(40, 1, 5, false);
    try_pointers(1, true);
    try_pointers(16, true);
    try_pointers(17, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_chain),
                                       cmocka_unit_test(test_contention), cmocka_unit_test(test_code),
                                       cmocka_unit_test(test_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

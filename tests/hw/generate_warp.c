/* Cases of warp instructions: whole warps, and warps of which lanes are apart. */
#include "generate_pure.h"

/* Lanes of one predicate: $e = their mask, of the others $f. */
#define SPLIT "vote.sync.ballot.b32 $e, $c, 0xffffffff; not.b32 $f, $e; "

static const struct pure_row whole[] = {
    ROW("shfl.sync.{up,down,bfly,idx}.b32 $d|$e, $a, $b, {0x1f,0,0x181f,0x1c03,0x0f0f}, 0xffffffff;", "b32 p : b32 l",
        NULL, .threads = 128),
    ROW("shfl.sync.{up,down,bfly,idx}.b32 $d|$e, $a, {0,1,3,16,31,33}, $b, 0xffffffff;", "b32 p : b32 c", NULL,
        .threads = 128, .tag = "limits"),
    ROW("shfl.sync.{up,down,bfly,idx}.b32 $d|$e, $a, $b, $c, 0xffffffff;", "b32 p : b32 n c", NULL, .threads = 128,
        .tag = "any"),
    ROW("vote.sync.{all,any,uni}.pred $d, {,!}$a, 0xffffffff;", "p : p", NULL, .threads = 64),
    ROW("vote.sync.ballot.b32 $d, {,!}$a, 0xffffffff;", "b32 : p", NULL, .threads = 64),
    ROW("match.any.sync.~ $d, $a, 0xffffffff;", "b32 : ~", "b32 b64", .threads = 64, .sm = 75),
    ROW("match.any.sync.b32 $d, $a, 0xffffffff;", "b32 : l", NULL, .threads = 64, .tag = "few"),
    ROW("match.all.sync.b32 $d|$e, $a, 0xffffffff; shr.u32 $f, $a, 5; match.all.sync.b32 $g|%p20, $f, 0xffffffff;",
        "b32 p b32 b32 : l", NULL, .threads = 64),
    ROW("match.all.sync.b64 $d|$e, $a, 0xffffffff; shr.u64 $f, $a, 63; match.all.sync.b64 $g|%p20, $f, 0xffffffff;",
        "b32 p b64 b32 : b64", NULL, .threads = 64),
    ROW("redux.sync.{add,min,max}.{u32,s32} $d, $a, 0xffffffff;", "b32 : b32", NULL, .threads = 64, .sm = 80),
    ROW("redux.sync.{and,or,xor}.b32 $d, $a, 0xffffffff;", "b32 : b32", NULL, .threads = 64, .sm = 80),
    ROW("activemask.b32 $d;", "b32 : p", NULL, .class = HW_CHOICE, .threads = 64),
    ROW("elect.sync $d|$e, 0xffffffff;", "b32 p : p", NULL, .class = HW_CHOICE, .threads = 64, .sm = 90, .version = 80),
    ROW("bar.warp.sync 0xffffffff; mov.u32 $d, %{laneid,lanemask_eq,lanemask_le,lanemask_lt,lanemask_ge,lanemask_gt};",
        "b32 : p", NULL, .threads = 64, .name = "mov.lanemask"),
    ROW("setp.lt.u32 %p20, %r0, {0,1,32,33,64,95,128}; vote.sync.{all,any}.pred $d, %p20, 0xffffffff; "
        "vote.sync.uni.pred $e, %p20, 0xffffffff;",
        "p p : p", NULL, .threads = 128, .name = "vote.sync"),
    ROW("setp.lt.u32 %p20, %r0, {0,1,32,33,64,95,128}; bar.red.{and,or}.pred $d, 0, %p20;", "p : p", NULL,
        .threads = 128, .name = "bar.red"),
    ROW("bar.red.popc.u32 $d, 0, {,!}$a;", "b32 : p", NULL, .threads = 128),
    ROW("barrier.cta.red.popc.u32 $d, 1, 64, {,!}$a;", "b32 : p", NULL, .threads = 64),
};

/* 40 threads: 8 of them in a warp of their own. */
#define PARTIAL "setp.lt.u32 %p20, %r0, 32; selp.b32 $e, 0xffffffff, 0xff, %p20; "

static const struct pure_row apart[] = {
    ROW(PARTIAL "vote.sync.ballot.b32 $d, $c, $e;", "b32 b32 : b32 l p", NULL, .threads = 40,
        .name = "vote.sync.ballot.b32", .tag = "partial"),
    ROW(PARTIAL "match.any.sync.b32 $d, $b, $e;", "b32 b32 : b32 l p", NULL, .threads = 40,
        .name = "match.any.sync.b32", .tag = "partial"),
    ROW(PARTIAL "redux.sync.{add,min,max}.{u32,s32} $d, $a, $e;", "b32 b32 : b32 l p", NULL, .threads = 40, .sm = 80,
        .name = "redux.sync", .tag = "partial"),
    ROW(PARTIAL "shfl.sync.{up,down,bfly,idx}.b32 $d|%p21, $a, {0,1,4,7}, 0x1807, $e;", "b32 b32 : b32 l p", NULL,
        .threads = 40, .name = "shfl.sync", .tag = "partial"),
    ROW(SPLIT "@$c redux.sync.{add,min,max}.{u32,s32} $d, $a, $e; @!$c redux.sync.xor.b32 $d, $a, $f;",
        "b32 b32 b32 : b32 b32 p", NULL, .threads = 64, .sm = 80, .tag = "apart", .name = "redux.sync"),
    ROW(SPLIT "@$c match.any.sync.b32 $d, $b, $e; @!$c match.any.sync.b32 $d, $b, $f;", "b32 b32 b32 : b32 l p", NULL,
        .threads = 64, .tag = "apart", .name = "match.any.sync.b32"),
    /* lanes of the other side have no value to give: each lane reads its own, or all read the lowest of theirs */
    ROW(SPLIT "@$c shfl.sync.{up,down,bfly}.b32 $d, $a, 0, 0x1f, $e; @!$c mov.b32 $d, $b;", "b32 b32 b32 : b32 l p",
        NULL, .threads = 64, .tag = "apart", .name = "shfl.sync"),
    ROW(SPLIT "brev.b32 $d, $e; clz.b32 %r20, $d; @$c shfl.sync.idx.b32 $d, $a, %r20, 0x1f, $e; @!$c mov.b32 $d, $b;",
        "b32 b32 b32 : b32 l p", NULL, .threads = 64, .tag = "apart", .name = "shfl.sync.idx"),
    ROW(SPLIT "@$c bra T$@; vote.sync.ballot.b32 $d, $c, $f; bra J$@; T$@: vote.sync.ballot.b32 $d, $c, $e; J$@: "
              "bar.warp.sync 0xffffffff;",
        "b32 b32 b32 : b32 l p", NULL, .threads = 64, .tag = "apart", .name = "vote.sync.ballot"),
    ROW(SPLIT
        "setp.gt.s32 %p20, $a, 0; @$c bra T$@; vote.sync.{all,any,uni}.pred %p21, %p20, $f; bra J$@; "
        "T$@: vote.sync.{all,any,uni}.pred %p21, %p20, $e; J$@: bar.warp.sync 0xffffffff; selp.b32 $d, 1, 0, %p21;",
        "b32 b32 b32 : b32 l p", NULL, .threads = 64, .tag = "apart", .name = "vote.sync"),
    ROW(SPLIT
        "@$c bra T$@; elect.sync $d|%p20, $f; bra J$@; T$@: elect.sync $d|%p20, $e; J$@: bar.warp.sync 0xffffffff; "
        "selp.b32 $f, $d, 0x1000, %p20;",
        "b32 b32 b32 : b32 l p", NULL, .threads = 64, .class = HW_CHOICE, .sm = 90, .version = 80, .tag = "apart",
        .name = "elect.sync"),
    ROW("and.b32 $d, $b, 3; S$@: .branchtargets T$@, U$@, V$@, T$@; brx.idx $d, S$@; T$@: add.u32 $e, $a, $b; bra W$@; "
        "U$@: mul.lo.u32 $e, $a, $b; bra W$@; V$@: xor.b32 $e, $a, $b; W$@: bar.warp.sync 0xffffffff; "
        "match.any.sync.b32 $d, $d, 0xffffffff;",
        "b32 b32 : b32 l", NULL, .threads = 64, .name = "brx.idx"),
};

/* A barrier for each thread: 3 arrivals make a phase, here with 2 of them at once. */
#define BARRIER                                                                                                     \
    ".shared .align 8 .b64 bars$@[64]; mul.wide.u32 %rd5, %r0, 8; mov.u64 %rd4, bars$@; add.u64 %rd4, %rd4, %rd5; " \
    "mbarrier.init.shared.b64 [%rd4], 3; mbarrier.arrive.shared.b64 %rd6, [%rd4]; "

static const struct pure_row barriers[] = {
    ROW(BARRIER "mbarrier.test_wait.shared.b64 $d, [%rd4], %rd6; mbarrier.arrive{,_drop}.noComplete.shared.b64 %rd7, "
                "[%rd4], 1; mbarrier.pending_count.b64 $e, %rd7; mbarrier.arrive.shared.b64 %rd7, [%rd4]; "
                "mbarrier.test_wait.shared.b64 $f, [%rd4], %rd6; mbarrier.test_wait.parity.shared.b64 $g, [%rd4], 0;",
        "p b32 p p : p", NULL, .threads = 64, .sm = 90, .version = 80, .name = "mbarrier"),
    ROW("mov.u32 $d, %{cluster_ctarank,cluster_nctarank,nclusterid.x,clusterid.x};", "b32 : p", NULL, .threads = 64,
        .sm = 90, .name = "mov.cluster"),
    ROW(".shared .align 8 .b64 word$@; mov.u64 %rd4, word$@; mapa.shared::cluster.u64 %rd5, %rd4, 0; "
        "sub.u64 $e, %rd5, %rd4; getctarank.shared::cluster.u64 $d, %rd5;",
        "b32 b64 : p", NULL, .class = HW_CHOICE, .threads = 64, .sm = 90, .name = "mapa.shared"),
};

/* Lanes of a warp store to the same places with one instruction: lanes that are 4 apart, neighbours. The place is read
 * back by all. */
#define MEET(base, pick, store, load)                                                                       \
    base pick " mul.wide.u32 %rd4, %r20, 16; add.u64 %rd4, %rd4, %rd5; bar.warp.sync 0xffffffff; st." store \
              "; bar.warp.sync 0xffffffff; ld.volatile." load ";"
#define MEET_GLOBAL "ld.param.u64 %rd5, [in]; "
#define MEET_SHARED ".shared .align 16 .b8 m$@[512]; mov.u64 %rd5, m$@; "
#define MEET_APART  "and.b32 %r20, %r0, 3;"
#define MEET_NEAR   "shr.u32 %r20, %r0, 3;"
#define MEET_LATE   "add.u32 %r20, %r0, 8; shr.u32 %r20, %r20, 5;"
#define MEET_ROW(space, base, pick, tag_, types, words, values, read, type)                                            \
    ROW(MEET(base, pick, space ".~ [%rd4], " values, space "." type " " read ", [%rd4]"), types, words, .threads = 32, \
        .class = HW_OPEN, .name = "st." space ".~", .tag = tag_)
#define MEETING(space, base, pick, tag)                                                                        \
    MEET_ROW(space, base, pick, tag, "b64 : b64", "b8 b16 b32 b64", "$a", "$d", "b64"),                        \
        MEET_ROW(space, base, pick, tag, "b16 b16 : b16 b16", "v2.b8 v2.b16", "($a,$b)", "($d,$e)", "v2.b16"), \
        MEET_ROW(space, base, pick, tag, "b32 b32 : b32 b32", "v2.b32", "($a,$b)", "($d,$e)", "v2.b32"),       \
        MEET_ROW(space, base, pick, tag, "b64 b64 : b64 b64", "v2.b64", "($a,$b)", "($d,$e)", "v2.b64"),       \
        MEET_ROW(space, base, pick, tag, "b32 b32 : b32 b32", "v4.b32", "($a,$b,$b,$a)", "($d,$e)", "v2.b32")

static const struct pure_row meetings[] = {
    MEETING("global", MEET_GLOBAL, MEET_APART, "collisions-apart"),
    MEETING("global", MEET_GLOBAL, MEET_NEAR, "collisions-near"),
    MEETING("shared", MEET_SHARED, MEET_APART, "collisions-apart"),
    MEETING("shared", MEET_SHARED, MEET_NEAR, "collisions-near"),
    MEETING("global", MEET_GLOBAL, MEET_LATE, "collisions-late"),
    MEETING("shared", MEET_SHARED, MEET_LATE, "collisions-late"),
};

void hw_generate_warp(struct hw_cases *cases)
{
    pure_rows(cases, meetings, HW_COUNT(meetings));
    pure_rows(cases, whole, HW_COUNT(whole));
    pure_rows(cases, apart, HW_COUNT(apart));
    pure_rows(cases, barriers, HW_COUNT(barriers));
}
